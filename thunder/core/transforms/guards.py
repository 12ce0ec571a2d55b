"""What Python decided while a function was traced, and the check that it still holds.

A NumberProxy carries the expression behind it. Where its value turns into a Python value the recorder
keeps the expression that has to hold again: the guard of this specialization.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any

import thunder
import torch
from thunder.core import prims
from thunder.core.interpreter import get_interpreterruntimectx
from thunder.core.proxies import NumberProxy, Proxy, TensorProxy
from thunder.core.symbol import Symbol
from thunder.core.trace import TraceCtx, get_tracectx
from thunder.core.transforms.access_paths import Parameters
from thunder.core.transforms.expression_nodes import make
from thunder.core.transforms.expressions import Expression, Facts, apply, constant, emit, symbol
from thunder.core.transforms.marks import Marks

if TYPE_CHECKING:
    from thunder.core.transforms.layout import Layout

_THUNDER = (str(Path(thunder.__file__).parent), str(Path(__file__).parents[1]))
_TORCH = str(Path(torch.__file__).parent)


OPPOSITES = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}


class GuardFailure(Exception):
    """The inputs of a call do not satisfy the guards of a specialization: the next one is tried."""


@dataclass(frozen=True)
class Guard:
    """A decision taken while tracing.

    Args:
        expression: the bool expression over the inputs that has to hold, in normal form.
        source: ``file:line`` of the user's code that decided, or None where a transform did.
        written: the same as the program compares it, where it does.
        origin: what decided, where there is no source.
    """

    expression: Expression
    source: str | None
    written: Expression | None = None
    origin: str = "a transform"

    @property
    def text(self) -> str:
        """The guard over the names of the inputs, such as ``x.shape[0] > 4``."""
        return str(self.expression if self.written is None else self.written)

    def __str__(self) -> str:
        return f"{self.text}  ({self.source or self.origin})"


class GuardRecorder:
    """Records the guards of one specialization while it is compiled.

    Args:
        parameters: the names of the inputs.

    Attributes:
        facts: the guards recorded so far, and what follows from them.
        guards: each guard that said something new, in the order of recording.
        tracing: whether the front end runs, so that shape accesses are recorded as unpacks.
        recorded_trace: the computation trace before it was cleaned.
        layouts: the layout of each input tensor that has one, by the proxy's name.
        marks: the dims that are marked dynamic.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.facts = Facts()
        self.guards: list[Guard] = []
        self.tracing = False
        self.recorded_trace: TraceCtx | None = None
        self.marks = Marks()
        self._quiet = 0
        self.layouts: dict[str, Layout] = {}
        self._inputs: dict[str, TensorProxy | NumberProxy] = {}
        self._symbols: list[Expression] = []
        self._written: dict[Expression, tuple[str, tuple[Expression, Expression]]] = {}

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Reads of values inside are no decisions: their result carries its expression, or is only shown."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    @contextmanager
    def front_end(self, active: bool = True) -> Iterator[None]:
        """Record shape accesses inside as unpacks, or, with ``active=False``, do not."""
        before, self.tracing = self.tracing, active
        try:
            yield
        finally:
            self.tracing = before

    @property
    def seen_by_program(self) -> bool:
        """Whether what reads a value now is the program that is traced: it sees Python numbers, not proxies."""
        return self.tracing and not self._quiet

    def new_symbol(self, name: str, kind: type, lower: int | None = None) -> Expression:
        """Return a fresh symbol for an input dim or number argument."""
        expression = symbol((id(self), len(self._symbols)), name, kind, lower)
        self._symbols.append(expression)
        return expression

    def add_input(self, proxy: TensorProxy | NumberProxy) -> None:
        """Let guards read ``proxy``, an input that the prologue unpacks."""
        self._inputs[proxy.name] = proxy

    @property
    def inputs(self) -> tuple[TensorProxy | NumberProxy, ...]:
        """The inputs that guards may read, in the order of ``check``'s arguments."""
        return tuple(self._inputs.values())

    def read(self, proxy: NumberProxy) -> None:
        """Record that Python saw the exact value of ``proxy``."""
        if self._quiet:
            return
        with self.quiet():
            value = proxy.value
            if value is None:
                return
            for expression, seen in self._known_sources(proxy):
                self._hold(_equals(expression, seen))

    def truth(self, proxy: NumberProxy) -> bool:
        """Record which way a branch on ``proxy`` went, and return it."""
        with self.quiet():
            value = bool(proxy.value)
            expression = proxy._expression
        if self._quiet:
            return value
        if expression is None:
            self.read(proxy)
        else:
            taken = apply("to_bool", expression)
            self._hold(taken if value else apply("not_", taken))
        return value

    def require(self, expression: Expression) -> None:
        """Record that ``expression`` held while tracing."""
        if not self._quiet:
            self._hold(expression)

    def assume(self, expression: Expression) -> None:
        """Record what the user says of the inputs; it is guarded as what the program decides is."""
        if self.facts.add(expression):
            self.guards.append(Guard(expression, None, origin="torch._dynamo.mark_dynamic"))

    def implies(self, expression: Expression) -> bool | None:
        """Return whether the guards so far decide ``expression``, or None where they do not."""
        return self.facts.implies(expression)

    def canonical(self, expression: Expression) -> Expression:
        """Return the expression that stands for all those the guards make equal to ``expression``."""
        return self.facts.substitute(expression)

    def check(self, *inputs: Any) -> None:
        """Raise GuardFailure unless every guard holds for ``inputs``, given in the order of ``inputs``."""
        # Transforms after the front end record guards too: compiled by the first call, which follows them all.
        self.check = compile_check(self.inputs, list(self.facts.conjuncts), self.layouts)  # type: ignore[method-assign]
        self.check(*inputs)

    def remember(self, expression: Expression, op: str | None, operands: Iterable[Expression | None]) -> None:
        """Remember that the program writes ``expression``, if it is a comparison, as ``op`` of ``operands``."""
        sides = [operand for operand in operands if operand is not None]
        if op in OPPOSITES and len(sides) == 2:
            self._written.setdefault(expression, (op, (sides[0], sides[1])))

    def _hold(self, expression: Expression) -> None:
        if self.facts.add(expression):
            guard = Guard(expression, _user_source(), self._as_written(expression))
            self.guards.append(guard)
            self.marks.see(guard, self.implies)

    def _as_written(self, expression: Expression) -> Expression | None:
        if expression in self._written:
            return make(*self._written[expression], bool)
        op, operands = self._written.get(apply("not_", expression), (None, ()))
        # No order of floats is the opposite of another: NaN
        if op is None or any(operand.kind is float for operand in operands):
            return None
        return make(OPPOSITES[op], operands, bool)

    def _known_sources(self, proxy: NumberProxy) -> Iterator[tuple[Expression, Number]]:
        """Yield expressions, with their values, that determine the value of ``proxy``."""
        if proxy._expression is not None:
            yield proxy._expression, proxy.value
            return
        # A value of unknown origin may depend on any input.
        sources = proxy._sources if proxy._sources is not None else self.inputs
        for source in sources:
            if isinstance(source, TensorProxy):
                for dim in source._shape:
                    if isinstance(dim, NumberProxy):
                        yield from self._known_sources(dim)
            elif source is not proxy:
                yield from self._known_sources(source)


def _equals(expression: Expression, value: Any) -> Expression:
    if isinstance(value, bool):
        taken = apply("to_bool", expression)
        return taken if value else apply("not_", taken)
    if value != value:  # noqa: PLR0124 (only NaN differs from itself)
        return apply("ne", expression, expression)
    equal = apply("eq", expression, constant(value))
    if isinstance(value, float) and value == 0:
        # 0.0 and -0.0 are equal and have other texts and other signs
        sign = apply("copysign", constant(1.0), expression)
        return apply("and_", equal, apply("eq", sign, constant(math.copysign(1.0, value))))
    return equal


def _user_source() -> str | None:
    try:
        frames = get_interpreterruntimectx().frame_stack
    except LookupError:
        trace = get_tracectx()
        filename, positions = (
            (None, None) if trace is None else (trace._current_source_filename, trace._current_source_positions)
        )
        return None if filename is None or positions is None else f"{filename}:{positions.lineno}"
    places = [(frame.code.co_filename, frame.positions) for frame in reversed(frames) if frame.positions is not None]
    ours = [place for place in places if not place[0].startswith(_THUNDER)]
    # A line of the user's says more than one of torch.nn, which is better than none
    users = [place for place in ours if not place[0].startswith(_TORCH)]
    for filename, positions in (*users, *ours):
        return f"{filename}:{positions.lineno}"
    return None


def compile_check(
    inputs: tuple[TensorProxy | NumberProxy, ...], guards: list[Expression], layouts: dict[str, Layout]
) -> Callable[..., None]:
    """Return straight-line Python that raises GuardFailure unless all ``guards`` hold.

    Args:
        inputs: proxies of the tensors and numbers that the function is called with, in order.
        guards: bool expressions over the dims and layouts of those tensors and over those numbers.
        layouts: what the program asked about the layout of those tensors, by the proxies' names.
    """
    names: dict[Expression, str] = {}
    parameters = [f"a{position}" for position in range(len(inputs))]
    for parameter, proxy in zip(parameters, inputs):
        if isinstance(proxy, TensorProxy):
            for index, dim in enumerate(proxy._shape):
                if isinstance(dim, NumberProxy):
                    names.setdefault(dim._expression, f"{parameter}.shape[{index}]")
            if proxy.name in layouts:
                names |= {asked: f"{parameter}.{question}" for question, asked in layouts[proxy.name].symbols.items()}
        else:
            names[proxy._expression] = parameter
    lines, conditions = emit(guards, names)
    body = lines + ([f"if not ({' and '.join(conditions)}):", "    raise GuardFailure"] if conditions else ["pass"])
    source = "\n    ".join([f"def check_guards({', '.join(parameters)}):", *body])
    namespace: dict[str, Any] = {"GuardFailure": GuardFailure, "math": math, "torch": torch}
    exec(compile(source, "<guards>", "exec"), namespace)
    return namespace["check_guards"]


def _check_guards_meta(*inputs: Any) -> None:
    """Return None: the check has no result."""


def guard_check_symbol(recorder: GuardRecorder) -> Symbol:
    """Return the symbol whose bound symbol in the prologue runs ``recorder``'s check."""

    def print_check(bsym: Any, out: Any, arguments: Any, keywords: Any) -> list[str]:
        call = f"check_guards({', '.join(a.name for a in arguments)})"
        return [*(f"# guard: {guard}" for guard in recorder.guards), call]

    return Symbol(
        name="check_guards",
        meta=_check_guards_meta,
        id="thunder_symbolic.check_guards",
        is_prim=True,
        tags=(prims.OpTags.DONT_DCE,),
        python_printer=print_check,
        python_impl=recorder.check,
    )


def bind_guard_check(recorder: GuardRecorder, *inputs: Proxy) -> None:
    """Append the check of ``recorder``'s guards to the prologue that is being traced."""
    check = guard_check_symbol(recorder)
    trace = get_tracectx()
    assert trace is not None
    bsym = check.bind(*inputs, output=None, _call_ctx={"check_guards": lambda *values: recorder.check(*values)})
    trace.peek_scope().append(bsym)

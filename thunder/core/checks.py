"""What a prologue checks, condition by condition: Python that decides each, and words for people."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import torch
from thunder.core.prims import PrimIDs
from thunder.core.proxies import NumberProxy, Proxy, TensorProxy
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import TraceCtx
from thunder.core.transforms.access_paths import ARGS, CACHE_INFO, FUNCTION, KWARGS, Path
from thunder.core.transforms.expression_bounds import Bounds
from thunder.core.transforms.expression_facts import limits_of
from thunder.core.transforms.expression_logic import compares_ints
from thunder.core.transforms.expressions import Expression, apply, constant, emit, symbols
from thunder.core.transforms.guards import GuardRecorder
from thunder.core.transforms.marks import DYNAMIC, contradicts
from thunder.core.transforms.number_operations import primitive_of
from thunder.core.transforms.structure import StructureCheck, structure_of

_VARIABLE = re.compile(r"\bv\d+\b")
_TEMPORARY = re.compile(r"\bt\d+\b")
_CONTAINERS = "the arguments are in the same containers"
_MANY = 4  # excluded values are looked up in a set from here on
_INLINE = (bool, int, type(None))
_GETTERS = {
    PrimIDs.UNPACK_PARAMETER: "get_parameter",
    PrimIDs.UNPACK_BUFFER: "get_buffer",
    PrimIDs.UNPACK_SUBMODULE: "get_submodule",
}


class Untranslatable(Exception):
    """A prologue does something else than reading and checking."""


@dataclass(frozen=True)
class Route:
    """How a condition tells specializations apart.

    Args:
        subject: Python for what is looked at.
        limits: the integers, both ends included and None where there is no end, between which it has to lie; or None.
        constant: the hashable object that it has to equal, where there are no limits.
    """

    subject: str
    limits: Bounds | None = None
    constant: Any = None


@dataclass(frozen=True)
class Check:
    """A condition on the inputs of a call.

    Args:
        code: Python that is true where it holds; the same text is the same condition.
        text: the condition over the user's own names.
        seen: name and Python of each value that it looks at.
        source: ``file:line`` of the user's code behind it, where that is known.
        route: how it tells specializations apart, where it does.
    """

    code: str
    text: str
    seen: tuple[tuple[str, str], ...] = ()
    source: str | None = None
    route: Route | None = None


@dataclass(frozen=True)
class Prologue:
    """A prologue in parts.

    Attributes:
        checks: conditions that have to be decided in this order: a later one may rely on an earlier one.
        guards: what the program decided on numbers, in any order after ``checks``.
        told: the same, as it was recorded: with the lines that decided, for people.
        result: Python for what the prologue returns.
    """

    checks: tuple[Check, ...]
    guards: tuple[Check, ...]
    told: tuple[Check, ...]
    result: str


class Names:
    """Variables and constants of the generated code, shared by the specializations of one callable.

    Args:
        function: the callable that was jitted.

    Attributes:
        definitions: from each variable to the Python that computes it.
        namespace: the constants.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.definitions: dict[str, str] = {}
        self.namespace: dict[str, Any] = {
            "math": math,
            "torch": torch,
            "Tensor": torch.Tensor,
            "thunder_module": _thunder_module,
        }
        self.namespace["contradicts"] = contradicts
        self._variables: dict[str, str] = {}
        self._constants: dict[Any, str] = {}
        self._numbers = count()
        self.function = self.constant(function)

    def variable(self, code: str) -> str:
        """Return the variable that holds the value of ``code``."""
        name = self._variables.get(code)
        if name is None:
            name = self._variables[code] = f"v{next(self._numbers)}"
            self.definitions[name] = code
        return name

    def constant(self, value: Any) -> str:
        """Return Python for an object: itself where that is plain, else a name."""
        if type(value) in _INLINE:
            return repr(value)
        if type(value) is slice:
            parts = (self.constant(part) for part in (value.start, value.stop, value.step))
            return f"slice({', '.join(parts)})"
        key: Any = (type(value), value, str(value) if type(value) is float else None)  # -0.0 == 0.0
        try:
            known = self._constants.get(key)
        except TypeError:  # not hashable
            key = ("object", id(value))
            known = self._constants.get(key)
        if known is None:
            known = self._constants[key] = f"c{next(self._numbers)}"
            self.namespace[known] = value
        return known

    def needed(self, code: str) -> Iterator[str]:
        """Yield the variables that ``code`` uses, each after those that its own definition uses."""
        for name in dict.fromkeys(_VARIABLE.findall(code)):
            yield from self.needed(self.definitions[name])
            yield name


class Translation:
    """Takes one prologue apart.

    Args:
        names: of the generated code.
        recorder: the guards of the specialization.
    """

    def __init__(self, names: Names, recorder: GuardRecorder) -> None:
        self._names = names
        self._recorder = recorder
        self._codes: dict[str, str] = {}
        self._paths: dict[str, Path] = {}

    def translate(self, trace: TraceCtx) -> Prologue:
        """Return the parts of a prologue.

        Raises:
            Untranslatable: where it does something else than reading and checking.
        """
        checks: list[Check] = []
        guards: tuple[Check, ...] = ()
        told: tuple[Check, ...] = ()
        result = None
        for bsym in trace.bound_symbols:
            if bsym.sym.id == "thunder_symbolic.check_guards":
                guards, told = self._guards(bsym)
                for proxy in bsym.args:
                    checks += self._unmarked(proxy) if isinstance(proxy, TensorProxy) else ()
            elif primitive_of(bsym.sym) is PrimIDs.RETURN:
                result = self._result(bsym.args[0])
            elif not self._read(bsym):
                checks += self._checks(bsym)
        if result is None:
            raise Untranslatable("it returns nothing")
        # Reading relies on the containers
        checks.sort(key=lambda check: check.text != _CONTAINERS)
        return Prologue(tuple(checks), guards, told, result)

    def _result(self, value: Any) -> str:
        if isinstance(value, (tuple, list)):
            return f"({''.join(self._result(item) + ', ' for item in value)})"
        return self._code(value)

    def _code(self, value: Any) -> str:
        if isinstance(value, Proxy):
            if value.name not in self._codes:
                raise Untranslatable(f"{value.name} is not read")
            return self._codes[value.name]
        return self._names.constant(value)

    def _text(self, proxy: Proxy) -> str:
        return self._recorder.parameters.describe(self._paths[proxy.name])

    def _define(self, output: Proxy, code: str, path: Path) -> None:
        self._codes[output.name] = code if code.isidentifier() else self._names.variable(code)
        self._paths[output.name] = path

    def _read(self, bsym: BoundSymbol) -> bool:
        """Note what ``bsym`` reads, and return whether it reads."""
        primitive, output = primitive_of(bsym.sym), bsym.output
        if primitive is PrimIDs.UNPACK_TRIVIAL:
            self._define(output, output.name, ARGS if output.name == "args" else KWARGS)
        elif primitive is PrimIDs.UNPACK_CACHE_INFO:
            self._define(output, "cache_info", CACHE_INFO)
        elif primitive is PrimIDs.UNPACK_FUNCTION_OBJ:
            self._define(output, self._names.function, FUNCTION)
        elif primitive is PrimIDs.UNPACK_THUNDER_MODULE:
            (module,) = bsym.args
            self._define(output, f"thunder_module(modules, {self._code(module)})", self._paths[module.name])
        elif primitive in _GETTERS:
            module, name = bsym.args
            code = f"{self._code(module)}.{_GETTERS[primitive]}({self._code(name)})"
            self._define(output, code, Path("member", self._paths[module.name], name))
        elif primitive is PrimIDs.UNPACK_ATTR:
            owner, name = bsym.args
            self._define(output, f"{self._code(owner)}.{name}", self._paths[owner.name].attribute(name))
        elif primitive is PrimIDs.UNPACK_GETITEM:
            owner, key = bsym.args
            value = self._paths[key.name] if isinstance(key, Proxy) else key
            self._define(output, f"{self._code(owner)}[{self._code(key)}]", self._paths[owner.name].item(value))
        else:
            return False
        return True

    def _checks(self, bsym: BoundSymbol) -> Iterator[Check]:
        rule = _RULES.get(primitive_of(bsym.sym))
        if rule is not None and isinstance(bsym.args[0], Proxy):
            proxy, *expected = bsym.args
            yield from getattr(self, rule)(self._code(proxy), self._text(proxy), *expected)
            return
        context = bsym._call_ctx or {}
        check = context.get(bsym.sym.name)
        if bsym.output is not None or bsym.kwargs or check is None:
            raise Untranslatable(f"{bsym.sym.name} is no check")
        if isinstance(check, StructureCheck):
            yield self._structure(check.structure)
            if not check.compared:
                return
        arguments = ", ".join(self._code(argument) for argument in bsym.args)
        # It raises where it fails, which counts as a miss
        yield Check(f"{self._names.constant(check)}({arguments}) is None", bsym.sym.name.replace("_", " "))

    def _structure(self, expected: Any) -> Check:
        subject = self._names.variable(f"{self._names.constant(structure_of)}((args, kwargs))")
        code = f"{subject} == {self._names.constant(expected)}"
        return Check(code, _CONTAINERS, (("their structure", subject),), route=Route(subject, constant=expected))

    def _same(self, code: str, text: str, value: Any) -> Check:
        relation = "is" if isinstance(value, (bool, torch.dtype)) else "=="
        return Check(
            f"{code} {relation} {self._names.constant(value)}",
            f"{text} == {value!r}",
            ((text, code),),
            route=_route_to(code, value),
        )

    def _tensor(
        self, code: str, text: str, shape: tuple[Any, ...], device: str, dtype: Any, requires_grad: Any
    ) -> Iterator[Check]:
        yield Check(f"isinstance({code}, Tensor)", f"{text} is a tensor", ((f"type({text})", f"type({code})"),))
        size = self._names.variable(f"{code}.shape")
        rank = self._names.variable(f"len({size})")
        limits = (len(shape), len(shape))
        yield Check(
            f"{rank} == {len(shape)}",
            f"{text}.ndim == {len(shape)}",
            ((f"{text}.ndim", rank),),
            None,
            Route(rank, limits),
        )
        for index, dim in enumerate(shape):
            length = self._names.variable(f"{size}[{index}]")
            if self._code(dim) != length:
                yield self._same_dim(length, f"{text}.shape[{index}]", dim)
        yield self._attribute(code, text, "dtype", dtype)
        yield self._attribute(code, text, "device", torch.device(device))
        yield self._attribute(code, text, "requires_grad", requires_grad)

    def _unmarked(self, proxy: TensorProxy) -> Iterator[Check]:
        """Yield what refuses a tensor with a mark on a dim that the specialization fixes."""
        code, text, facts = self._code(proxy), self._text(proxy), self._recorder.facts
        fixed = frozenset(
            index
            for index, dim in enumerate(proxy._shape)
            if isinstance(dim, int) or facts.implies(apply("eq", dim._expression, constant(dim._value)))
        )
        if fixed:
            call = f"contradicts({code}, {self._names.constant(fixed)})"
            words = f"no mark says that dims {sorted(fixed)} of {text} are dynamic"
            yield Check(f"({DYNAMIC!r} not in {code}.__dict__ or not {call})", words)

    def _same_dim(self, code: str, text: str, dim: Any) -> Check:
        shown = dim if isinstance(dim, int) else self._text(dim)
        limits = Route(code, (dim, dim)) if isinstance(dim, int) else None
        return Check(f"{code} == {self._code(dim)}", f"{text} == {shown}", ((text, code),), None, limits)

    def _attribute(self, code: str, text: str, name: str, value: Any) -> Check:
        return self._same(self._names.variable(f"{code}.{name}"), f"{text}.{name}", value)

    def _type(self, code: str, text: str, kind: type) -> Iterator[Check]:
        subject = self._names.variable(f"type({code})")
        check = f"{subject} is {self._names.constant(kind)}"
        seen = ((f"type({text})", subject),)
        yield Check(check, f"type({text}) is {kind.__name__}", seen, route=Route(subject, constant=kind))

    def _instance(self, code: str, text: str, kinds: Any) -> Iterator[Check]:
        names = getattr(kinds, "__name__", None) or " | ".join(kind.__name__ for kind in kinds)
        seen = ((f"type({text})", f"type({code})"),)
        yield Check(f"isinstance({code}, {self._names.constant(kinds)})", f"{text} is a {names}", seen)

    def _number(self, code: str, text: str, value: Any) -> Iterator[Check]:
        yield from self._type(code, text, type(value))
        if value != value:  # noqa: PLR0124 (only NaN differs from itself)
            yield Check(f"{code} != {code}", f"{text} is not a number", ((text, code),))
        else:
            yield self._same(code, text, value)

    def _string(self, code: str, text: str, value: str) -> Iterator[Check]:
        yield from self._instance(code, text, str)
        yield self._same(code, text, value)

    def _literal(self, code: str, text: str, value: Any) -> Iterator[Check]:
        yield self._same(code, text, value)

    def _none(self, code: str, text: str) -> Iterator[Check]:
        yield Check(f"{code} is None", f"{text} is None", ((text, code),))

    def _length(self, code: str, text: str, length: int) -> Iterator[Check]:
        subject = self._names.variable(f"len({code})")
        seen = ((f"len({text})", subject),)
        yield Check(f"{subject} == {length}", f"len({text}) == {length}", seen, None, Route(subject, (length, length)))

    def _empty(self, code: str, text: str) -> Iterator[Check]:
        yield from self._length(code, text, 0)

    def _truth(self, code: str, text: str, value: bool) -> Iterator[Check]:
        yield Check(f"bool({code}) is {value}", f"bool({text}) is {value}", ((text, code),))

    def _guards(self, bsym: BoundSymbol) -> tuple[tuple[Check, ...], tuple[Check, ...]]:
        codes: dict[Expression, str] = {}
        # The prologue may call an input otherwise than the recorder
        for proxy, recorded in zip(bsym.args, self._recorder.inputs):
            code = self._code(proxy)
            if isinstance(proxy, TensorProxy):
                layout = self._recorder.layouts.get(recorded.name)
                for question, answer in ({} if layout is None else layout.symbols).items():
                    codes[answer] = self._names.variable(f"{code}.{question}")
                size = self._names.variable(f"{code}.shape")
                for index, dim in enumerate(proxy._shape):
                    if isinstance(dim, NumberProxy):
                        codes.setdefault(dim._expression, self._names.variable(f"{size}[{index}]"))
            else:
                codes[proxy._expression] = code
        conjuncts, excluded = _gathered(self._recorder.facts.conjuncts)
        guards = self._recorder.guards
        forms = [limits_of(fact) if compares_ints(fact) else None for fact in conjuncts]
        subjects = [form[0] for form in forms if form is not None]
        compiled = self._emitted([*conjuncts, *subjects, *excluded], codes)
        found, remaining = compiled[: len(conjuncts)], iter(compiled[len(conjuncts) :])
        routes = [None if form is None else Route(next(remaining), form[1]) for form in forms]
        codes_of_guards = self._emitted([guard.expression for guard in guards], codes)
        checks = [
            Check(code, str(fact), route=route) for fact, code, route in zip(conjuncts, found, routes, strict=True)
        ]
        for subject, values in excluded.items():
            code = f"{next(remaining)} not in {self._names.constant(values)}"
            checks.append(Check(f"({code})", f"{subject} not in {sorted(values)}"))
        told = [
            Check(code, guard.text, tuple((s.name, codes[s]) for s in symbols(guard.expression)), guard.source)
            for guard, code in zip(guards, codes_of_guards, strict=True)
        ]
        return tuple(checks), tuple(told)

    def _emitted(self, expressions: list[Expression], codes: Mapping[Expression, str]) -> list[str]:
        """Return Python for each expression; what they share is a variable."""
        assignments, texts = emit(expressions, codes)
        shared: dict[str, str] = {}

        def renamed(text: str) -> str:
            return _TEMPORARY.sub(lambda match: shared[match[0]], text)

        for assignment in assignments:
            name, _, code = assignment.partition(" = ")
            shared[name] = self._names.variable(renamed(code))
        return [renamed(text) for text in texts]


def _thunder_module(modules: Mapping[int, Any], model: torch.nn.Module) -> Any:
    """Return the module that Thunder runs in place of ``model``, from upstream's table by identity."""
    found = modules.get(id(model))
    return found if found is not None and found._model is model else model


def _gathered(conjuncts: list[Expression]) -> tuple[list[Expression], dict[Expression, frozenset[int]]]:
    """Return the conjuncts without those that exclude many values of one expression, and what those exclude."""
    excluded: dict[Expression, dict[int, Expression]] = {}
    for fact in conjuncts:
        if fact.op == "ne" and compares_ints(fact) and fact.args[1].op == "const":
            excluded.setdefault(fact.args[0], {})[fact.args[1].value] = fact
    many = {subject: facts for subject, facts in excluded.items() if len(facts) >= _MANY}
    gathered = {fact for facts in many.values() for fact in facts.values()}
    kept = [fact for fact in conjuncts if fact not in gathered]
    return kept, {subject: frozenset(facts) for subject, facts in many.items()}


def _route_to(code: str, value: Any) -> Route | None:
    if type(value) is int:
        return Route(code, (value, value))
    return None if type(value) is slice else Route(code, constant=value)


_RULES = {
    PrimIDs.CHECK_TENSOR_SHAPE_AND_METADATA: "_tensor",
    PrimIDs.CHECK_TYPE: "_type",
    PrimIDs.CHECK_INSTANCE: "_instance",
    PrimIDs.CHECK_NUMBER_TYPE_AND_VALUE: "_number",
    PrimIDs.CHECK_STRING_VALUE: "_string",
    PrimIDs.CHECK_SLICE_VALUE: "_literal",
    PrimIDs.CHECK_LITERAL_LIKE: "_literal",
    PrimIDs.CHECK_NONE: "_none",
    PrimIDs.CHECK_LEN: "_length",
    PrimIDs.CHECK_EMPTY: "_empty",
    PrimIDs.CHECK_BOOL_CONVERSION: "_truth",
}

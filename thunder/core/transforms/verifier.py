"""The SSA contract of traces, stated as code: rules S1 to S6, checked at all depths of subsymbols.

As in JAX's checker, two functions hold the SSA rule: ``_Walk.read`` a name and ``_Walk.write`` a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thunder.core import prims
from thunder.core.proxies import NumberProxy, Proxy, TensorProxy
from thunder.core.pytree import tree_iter
from thunder.core.symbol import BoundSymbol, has_tags
from thunder.core.trace import TraceCtx
from thunder.core.transforms.number_operations import is_pure_number_operation, is_unpack, primitive_of

_IDS = prims.PrimIDs
_EFFECTS = frozenset(
    (_IDS.UNPACK_TRIVIAL, _IDS.UNPACK_SEQUENCE, _IDS.RETURN, _IDS.DEL, _IDS.COMMENT, _IDS.GET_GRAD, _IDS.PUT_GRAD)
)

Path = tuple[int, ...]


@dataclass(frozen=True)
class Violation:
    """A broken rule.

    Args:
        rule: ``"S1"`` to ``"S6"``.
        message: what is wrong, by names.
        bound_symbol: where.
        path: its index in the trace, then in each scope on the way.
        scope: the bound symbols beside it.
    """

    rule: str
    message: str
    bound_symbol: BoundSymbol
    path: Path
    scope: Sequence[BoundSymbol]

    @property
    def source(self) -> str | None:
        """The user's ``file:line`` behind the bound symbol, where it is known."""
        bsym = self.bound_symbol
        if bsym.source_filename is None or bsym.source_positions is None:
            return None
        return f"{bsym.source_filename}:{bsym.source_positions.lineno}"

    def __str__(self) -> str:
        index = self.path[-1]
        shown = range(max(0, index - 2), min(len(self.scope), index + 3))
        excerpt = [f"  {'>' if i == index else ' '} {self.scope[i].python(0, print_depth=1)[-1]}" for i in shown]
        where = "" if self.source is None else f" at {self.source}"
        return "\n".join([f"{self.rule}: {self.message}{where} (bound symbol {list(self.path)})", *excerpt])


class TraceVerificationError(AssertionError):
    """A trace breaks the SSA contract; the text names each rule, bound symbol and source line."""

    def __init__(self, violations: Sequence[Violation], stage: str) -> None:
        self.violations = tuple(violations)
        title = f"the trace {stage} breaks the SSA contract" if stage else "the trace breaks the SSA contract"
        super().__init__("\n".join([f"{title} ({len(self.violations)} violations)", *map(str, self.violations)]))


def verify_trace(trace: TraceCtx, *, stage: str = "") -> None:
    """Prove that ``trace`` keeps the SSA contract.

    Args:
        trace: a trace at any stage from the clean-up on.
        stage: which pass made it, for the report.

    Raises:
        TraceVerificationError: where a rule is broken.
    """
    violations = check_trace(trace)
    if violations:
        raise TraceVerificationError(violations, stage)


def check_trace(trace: TraceCtx) -> list[Violation]:
    """Return every violation of the SSA contract in ``trace``, in the order of the trace."""
    walk = _Walk(trace)
    walk.scope(trace.bound_symbols, ())
    _find_dead(trace.bound_symbols, set(), (), walk.violations)
    return walk.violations


def captured(bsym: BoundSymbol) -> tuple[Proxy, ...]:
    """Return what the subsymbols of ``bsym`` use that neither they define nor ``bsym`` receives as an argument."""
    known = {proxy.name for proxy in bsym.flat_proxy_args}
    found: dict[str, Proxy] = {}

    def visit(bound_symbols: Sequence[BoundSymbol]) -> None:
        for inner in bound_symbols:
            for proxy in inner.flat_proxy_args:
                if proxy.name not in known:
                    found.setdefault(proxy.name, proxy)
            visit(inner.subsymbols)
            known.update(proxy.name for proxy in inner.flat_proxy_outs)

    visit(bsym.subsymbols)
    return tuple(found.values())


def verify_saved(forward: TraceCtx, backward: TraceCtx) -> None:
    """Prove that what backward receives as saved is what forward returns as saved, in the same order (S6).

    Raises:
        TraceVerificationError: where the two differ.
    """
    last = forward.bound_symbols[-1]
    returned = [[x.name for x in saved] for saved in last.args[1]]
    unpacked = {
        bsym.args[0].name: [proxy.name for proxy in bsym.flat_proxy_outs]
        for bsym in backward.bound_symbols
        if bsym.sym.id is _IDS.UNPACK_SEQUENCE
    }
    for collection, saved in zip(("C0", "C1"), returned):
        received = unpacked.get(collection, [])
        if received and received != saved:
            message = f"backward receives {received} as {collection}, forward saves {saved}"
            path = (len(forward.bound_symbols) - 1,)
            raise TraceVerificationError([Violation("S6", message, last, path, forward.bound_symbols)], "backward")


class _Walk:
    """Walks the tree once; what a scope defines is taken back when it ends."""

    def __init__(self, trace: TraceCtx) -> None:
        self.violations: list[Violation] = []
        self.visible: set[str] = set()
        self.everywhere: dict[str, list[Path]] = {}
        self.numbers: dict[Any, str] = {}
        self.carriers: dict[str, str] = {}
        by_bound_symbols = {proxy.name for bsym in trace.bound_symbols for proxy in bsym.flat_proxy_outs}
        arguments = tree_iter((trace.args, trace.kwargs))
        self.visible.update(x.name for x in arguments if isinstance(x, Proxy) and x.name not in by_bound_symbols)

    def scope(self, bound_symbols: Sequence[BoundSymbol], scope: Path) -> set[str]:
        """Check the bound symbols of a scope and return the names that it defines."""
        undo_names: set[str] = set()
        undo_numbers: list[Any] = []
        for index, bsym in enumerate(bound_symbols):
            path = (*scope, index)

            def report(rule: str, message: str, bsym: BoundSymbol = bsym, path: Path = path) -> None:
                self.violations.append(Violation(rule, message, bsym, path, bound_symbols))

            self.note_carriers(bsym)
            if bsym.sym.id is not _IDS.UNPACK_TRIVIAL:
                for proxy in bsym.flat_proxy_args:
                    self.read(proxy, bsym, report)
            if bsym.sym.id is _IDS.DEL:
                self.visible.difference_update(proxy.name for proxy in bsym.flat_proxy_args)
                continue
            received = {proxy.name for proxy in bsym.flat_proxy_args}
            if bsym.subsymbols:
                inside = self.scope(bsym.subsymbols, path)
                for proxy in bsym.flat_proxy_outs:
                    if proxy.name not in inside and proxy.name not in received:
                        report("S3", f"{proxy.name} is an output that its subsymbols do not define")
            for proxy in bsym.flat_proxy_outs:
                if proxy.name not in received or bsym.sym.id is _IDS.UNPACK_TRIVIAL:
                    self.write(proxy, path, report)
                    undo_names.add(proxy.name)
            self.number(bsym, undo_numbers, report)
        self.visible -= undo_names
        for key in undo_numbers:
            del self.numbers[key]
        return undo_names

    def read(self, proxy: Proxy, bsym: BoundSymbol, report: Any) -> None:
        if proxy.name in self.visible:
            return
        if bsym.sym.id is _IDS.RETURN:
            report("S6", f"{proxy.name} is returned and no definition dominates it")
        elif isinstance(proxy, NumberProxy) and proxy.name in self.carriers:
            report("S4", f"the dim {proxy.name} of {self.carriers[proxy.name]} is used and no definition dominates it")
        else:
            report("S2", f"{proxy.name} is used and no definition dominates it")

    def write(self, proxy: Proxy, path: Path, report: Any) -> None:
        scope = path[:-1]
        for other in self.everywhere.get(proxy.name, ()):
            # The definition inside a bound symbol that yields its output is the output's definition
            if other[: len(path)] == path and len(other) > len(path):
                continue
            other_scope = other[:-1]
            if other_scope[: len(scope)] == scope or scope[: len(other_scope)] == other_scope:
                report("S1", f"{proxy.name} is defined again, after {list(other)}")
                break
        self.everywhere.setdefault(proxy.name, []).append(path)
        self.visible.add(proxy.name)

    def note_carriers(self, bsym: BoundSymbol) -> None:
        for proxy in (*bsym.flat_proxy_args, *bsym.flat_proxy_outs):
            if isinstance(proxy, TensorProxy):
                for dim in proxy._shape:
                    if isinstance(dim, NumberProxy):
                        self.carriers.setdefault(dim.name, proxy.name)

    def number(self, bsym: BoundSymbol, undo: list[Any], report: Any) -> None:
        """Check that no dominating bound symbol computes the same numbers."""
        if not is_pure_number_operation(bsym) or bsym.subsymbols:
            return
        if is_unpack(bsym):
            keys: list[Any] = [
                (bsym.args[0].name, index) for index, out in enumerate(bsym.output) if isinstance(out, Proxy)
            ]
        else:
            arguments = tuple(x.name if isinstance(x, Proxy) else (type(x), x) for x in bsym.flat_args)
            keys = [(primitive_of(bsym.sym), arguments)]
        for key, output in zip(keys, bsym.flat_proxy_outs):
            if key in self.numbers:
                report("S5", f"{output.name} has the value number of {self.numbers[key]}, which dominates it")
            else:
                self.numbers[key] = output.name
                undo.append(key)


def _is_effect(bsym: BoundSymbol) -> bool:
    # What yields nothing was written for what it does
    return not bsym.flat_proxy_outs or bsym.sym.id in _EFFECTS or has_tags(bsym, {prims.OpTags.DONT_DCE})


def _find_dead(bound_symbols: Sequence[BoundSymbol], live: set[str], scope: Path, violations: list[Violation]) -> None:
    """Report bound symbols without live outputs; ``live`` is what is used behind the scope, then before it."""
    for index in reversed(range(len(bound_symbols))):
        bsym = bound_symbols[index]
        if bsym.sym.id is _IDS.DEL:
            continue
        outputs = {proxy.name for proxy in bsym.flat_proxy_outs}
        checked = not scope or is_pure_number_operation(bsym)
        if checked and live.isdisjoint(outputs) and not _is_effect(bsym):
            names = ", ".join(sorted(outputs)) or "nothing"
            violations.append(
                Violation("S5", f"nobody uses its outputs ({names})", bsym, (*scope, index), bound_symbols)
            )
        if bsym.subsymbols:
            live |= outputs
            _find_dead(bsym.subsymbols, live, (*scope, index), violations)
        live -= outputs
        live.update(proxy.name for proxy in bsym.flat_proxy_args)

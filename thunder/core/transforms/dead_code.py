"""Dead code elimination at all depths of subsymbols."""

from __future__ import annotations

from collections.abc import Sequence

from thunder.core import prims
from thunder.core.proxies import Proxy, Variable, variableify
from thunder.core.pytree import tree_iter
from thunder.core.symbol import BoundSymbol, has_tags
from thunder.core.trace import TraceCtx, TraceProvenance, from_trace
from thunder.core.transforms.number_operations import is_unpack
from thunder.core.transforms.timing import timed


@timed("clean_up_seconds")
def eliminate_dead_code(trace: TraceCtx, needed_proxies: set[Variable] | None = None) -> TraceCtx:
    """Return ``trace`` without the bound symbols, at any depth, whose outputs nobody uses.

    What a scope uses and its bound symbol does not receive counts as used where the bound symbol stands.
    Symbols tagged ``DONT_DCE`` stay.

    Args:
        trace: a trace in SSA form.
        needed_proxies: variables to keep besides the trace's outputs; on return also those that are used.

    Returns:
        TraceCtx: a new trace.
    """
    needed = set() if needed_proxies is None else needed_proxies
    needed.update(variableify(x) for x in tree_iter(trace.output) if isinstance(x, Proxy))
    used: list[Proxy] = []
    new_trace = from_trace(trace)
    new_trace.bound_symbols = _sweep(trace.bound_symbols, {v.proxy.name for v in needed}, used)
    new_trace.set_provenance(TraceProvenance("Dead Code Elimination"))
    needed.update(map(variableify, used))
    return new_trace


def _sweep(bound_symbols: Sequence[BoundSymbol], live: set[str], used: list[Proxy]) -> list[BoundSymbol]:
    """Return the live part of a scope; ``live`` holds the names used behind it, on return those it uses."""
    kept: list[BoundSymbol] = []
    for bsym in reversed(bound_symbols):
        outputs = {proxy.name for proxy in bsym.flat_proxy_outs}
        # The signature names every input, used or not
        is_input = bsym.sym.id is prims.PrimIDs.UNPACK_TRIVIAL
        if not is_input and live.isdisjoint(outputs) and not has_tags(bsym, {prims.OpTags.DONT_DCE}):
            continue
        if is_unpack(bsym):
            bsym = bsym.from_bsym(output=tuple(o if getattr(o, "name", None) in live else None for o in bsym.output))
        elif bsym.subsymbols:
            live |= outputs
            bsym = bsym.from_bsym(subsymbols=_sweep(_operations(bsym), live, used))
        live -= outputs
        live.update(proxy.name for proxy in bsym.flat_proxy_args)
        used.extend(bsym.flat_proxy_args)
        kept.append(bsym)
    kept.reverse()
    return kept


def _operations(bsym: BoundSymbol) -> Sequence[BoundSymbol]:
    """Return the subsymbols of ``bsym`` less those that only name what they pass on; a region has none of these."""
    if bsym.sym.is_fusion:
        return bsym.subsymbols
    return [
        inner for inner in bsym.subsymbols if inner.subsymbols or inner.sym.is_prim or inner.sym.executor is not None
    ]

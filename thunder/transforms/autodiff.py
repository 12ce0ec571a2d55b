"""Patch to ``thunder.transforms.autodiff``: backward receives dims, not tensors kept for their shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunder.core import dtypes, prims
from thunder.core.compile_data import is_symbolic_trace, using_symbolic_values
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.symbol import BoundSymbol, BoundSymbolTag
from thunder.core.trace import TraceCtx, from_trace
from thunder.core.transforms.number_operations import is_pure_number_operation
from thunder_symbolic.vocabulary import wrap


def _forward_numbers(trace: TraceCtx) -> list[NumberProxy]:
    """Return the numbers that the joint trace computes without any gradient."""
    numbers: list[NumberProxy] = []
    from_gradients: set[str] = set()
    for bsym in trace.bound_symbols:
        backward = BoundSymbolTag.BACKWARD in bsym.tags or bsym.sym.id is prims.PrimIDs.GET_GRAD
        if backward or any(proxy.name in from_gradients for proxy in bsym.flat_proxy_args):
            from_gradients.update(proxy.name for proxy in bsym.flat_proxy_outs)
        elif is_pure_number_operation(bsym):
            numbers += [output for output in bsym.flat_proxy_outs if isinstance(output, NumberProxy)]
    return numbers


def _with_flat_args(trace: TraceCtx, change: Callable[[dict[str, Any]], dict[str, Any]]) -> TraceCtx:
    new_trace = from_trace(trace)
    new_trace.bound_symbols = list(trace.bound_symbols)
    last: BoundSymbol = new_trace.bound_symbols[-1]
    assert last.sym.id is prims.PrimIDs.RETURN
    new_trace.bound_symbols[-1] = last.from_bsym(args=(change(last.args[0]), *last.args[1:]))
    new_trace.set_provenance(trace.get_provenance())
    return new_trace


@wrap("split_into_forward_and_backward")
def split_into_forward_and_backward(
    original: Callable[[TraceCtx], tuple[TraceCtx, TraceCtx | None]], joint_trace: TraceCtx
) -> tuple[TraceCtx, TraceCtx | None]:
    if not is_symbolic_trace(joint_trace):
        return original(joint_trace)
    from thunder.core.transforms.clean_up import clean_up
    from thunder.core.transforms.dead_code import eliminate_dead_code
    from thunder.core.transforms.verification import verify_if_asked, verify_saved_if_asked

    # Upstream takes as forward what flat_args and the outputs need: the numbers stand among them for the split
    numbers = _forward_numbers(joint_trace)
    flat_args = joint_trace.bound_symbols[-1].args[0]["flat_args"]
    forward, backward = original(
        _with_flat_args(joint_trace, lambda returned: {**returned, "flat_args": (*flat_args, *numbers)})
    )
    forward = _with_flat_args(forward, lambda returned: {**returned, "flat_args": flat_args})
    forward = verify_if_asked(eliminate_dead_code(clean_up(forward)), "forward")
    if backward is not None:
        verify_saved_if_asked(forward, backward)
    return forward, backward


@wrap("_get_gradfn_and_executor")
def _get_gradfn_and_executor(original: Callable[..., tuple[Any, Any]], bsym: BoundSymbol, **kwargs: Any) -> Any:
    from thunder.core.transforms.grad_rules import SYMBOLIC_GRAD_RULES
    from thunder.core.transforms.missing_grad_rules import CORRECTED_GRAD_RULES, MISSING_GRAD_RULES
    from thunder.core.transforms.torch_gradients import rule_of

    rule, executor = original(bsym, **kwargs)
    if executor is None:
        rule = CORRECTED_GRAD_RULES.get(bsym.sym.id, rule)
    if executor is None and using_symbolic_values():
        rule = SYMBOLIC_GRAD_RULES.get(bsym.sym.id, rule)
    return rule or MISSING_GRAD_RULES.get(bsym.sym.id) or rule_of(bsym.sym), executor


def _is_locally_constant(bsym: BoundSymbol) -> bool:
    """Return whether a primitive without a rule has no gradient, since it returns integers and bools only."""
    from thunder.core.transforms import _grad_fn_map, augmented_forward_impls

    sym = bsym.sym
    if not sym.is_prim or sym.id in _grad_fn_map or sym.id in augmented_forward_impls:
        return False
    return not any(
        isinstance(output, TensorProxy) and dtypes.is_inexact_dtype(output.dtype) for output in bsym.flat_proxy_outs
    )


@wrap("is_constant_for_vjp")
def is_constant_for_vjp(original: Callable[[BoundSymbol], bool], bsym: BoundSymbol) -> bool:
    # What computes numbers has no gradient, whatever rule its tensor form has
    if using_symbolic_values() and is_pure_number_operation(bsym):
        return True
    return original(bsym) or _is_locally_constant(bsym)

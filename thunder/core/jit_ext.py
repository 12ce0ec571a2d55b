"""Patch to ``thunder.core.jit_ext``: the front end records guards and hands over a cleaned trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from thunder.clang import (
    check_number_type_and_value,
    check_slice_value,
    check_string_value,
)
from thunder.core.compile_data import _compile_data, guard_recorder, using_symbolic_values
from thunder.core.interpreter import WrappedValue
from thunder.core.jit_ext import JitCtx
from thunder.core.prims import check_type
from thunder.core.proxies import NumberProxy, proxy
from thunder.core.trace import TraceCtx, TraceResults
from thunder.core.utils import is_hashable
from thunder_symbolic.vocabulary import wrap


@wrap("thunder_general_jit")
def thunder_general_jit(
    original: Callable[..., TraceResults], function: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> TraceResults:
    if not using_symbolic_values():
        return original(function, *args, **kwargs)
    from thunder.core.transforms.access_paths import Parameters
    from thunder.core.transforms.clean_up import clean_up
    from thunder.core.transforms.dead_code import eliminate_dead_code
    from thunder.core.transforms.error_lines import errors_name_the_line
    from thunder.core.transforms.guards import GuardRecorder
    from thunder.core.transforms.verification import verify_if_asked

    stats = _compile_data.get()[1]
    recorder = stats.guard_recorder = GuardRecorder(Parameters(function))
    with errors_name_the_line(), recorder.front_end():
        results = original(function, *args, **kwargs)
    recorder.marks.raise_errors()
    recorder.recorded_trace = results.computation_trace
    cleaned = eliminate_dead_code(clean_up(results.computation_trace))
    results.computation_trace = verify_if_asked(cleaned, "after tracing")
    return results


def _is_constant(value: Any, wrapped: WrappedValue) -> bool:
    from thunder.core.transforms.inputs import is_argument

    if isinstance(value, (bool, str, slice, complex)):
        return True
    return isinstance(value, (int, float)) and not is_argument(wrapped.provenance)


@wrap("JitCtx.proxify")
def proxify(original: Callable[..., Any], self: JitCtx, value: WrappedValue) -> Any:
    recorder = guard_recorder()
    seen = value.value
    if recorder is None or value.original_value is not value.nothing:
        return original(self, value)
    if not isinstance(seen, NumberProxy) and _is_constant(seen, value):
        # Hyperparameters, flags and names select a program: they are compared, not generalised.
        constant = proxy(seen, history=value.provenance)
        check: Any = check_number_type_and_value
        if isinstance(seen, str):
            check = check_string_value
        elif isinstance(seen, slice):
            check = check_slice_value
        self.add_constraint((check, constant, seen))
        return constant
    result = original(self, value)
    if isinstance(result, NumberProxy) and result._expression is None and result is not seen:
        from thunder.core.transforms.inputs import path_of

        result._expression = recorder.new_symbol(path_of(value.provenance), result.python_type)
        recorder.add_input(result)
        self.add_constraint((check_type, result, result.python_type))
    return result


@wrap("general_jit_lookaside")
def lookaside(
    original: Callable[..., Any], function: Any, *args: WrappedValue, **kwargs: WrappedValue
) -> Callable[..., Any] | None:
    if guard_recorder() is None or not (isinstance(function, NumberProxy) or is_hashable(function)):
        return original(function, *args, **kwargs)
    from thunder.core.transforms.lookasides import lookaside_for

    return lookaside_for(original, function, args, kwargs)


@wrap("propagate_constraints")
def propagate_constraints(original: Callable[..., None], *args: Any) -> None:
    # Guards say what has to hold; a static mark says it only for numbers, and only by equality.
    if guard_recorder() is None:
        original(*args)


@wrap("unpack_inputs")
def unpack_inputs(
    original: Callable[..., Any],
    ctx: JitCtx,
    prologue_trace: TraceCtx,
    pro_to_comp: Any,
    pro_to_epi: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    recorder = guard_recorder()
    if recorder is None:
        return original(ctx, prologue_trace, pro_to_comp, pro_to_epi, args, kwargs)
    from thunder.core.transforms.guards import bind_guard_check
    from thunder.core.transforms.structure import bind_structure_check

    ctx.add_constraint((partial(bind_structure_check, args, kwargs),))
    ctx.add_constraint((partial(bind_guard_check, recorder), *recorder.inputs))
    with recorder.front_end(active=False):
        return original(ctx, prologue_trace, pro_to_comp, pro_to_epi, args, kwargs)

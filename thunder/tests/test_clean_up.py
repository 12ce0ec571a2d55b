"""The clean-up pass: what it must change and what it must leave, one trace each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch
from thunder.core import devices, dtypes, prims
from thunder.core.proxies import NumberProxy, TensorProxy, numberproxy
from thunder.core.symbol import BoundSymbol, Symbol
from thunder.core.trace import TraceCtx, tracectx
from thunder.core.transforms.clean_up import clean_up
from thunder.core.transforms.dead_code import eliminate_dead_code
from thunder.core.transforms.value_table import ValueTable
from thunder.core.transforms.verifier import check_trace

from synthetic import chain, symbolic_context


class Built:
    """A trace under construction with one input of symbolic dims."""

    def __init__(self, trace: TraceCtx, rank: int) -> None:
        self.trace = trace
        self.dims = tuple(numberproxy(int, 4 + axis) for axis in range(rank))
        self.a = TensorProxy("a", shape=self.dims, device=devices.cpu, dtype=dtypes.float32)
        trace.args = (self.a,)
        prims.unpack_trivial(self.a, name="a")


@contextmanager
def building(rank: int = 1) -> Iterator[Built]:
    trace = TraceCtx(lambda: None)
    with symbolic_context(), tracectx(trace):
        yield Built(trace, rank)


def cleaned(built: Built) -> list[BoundSymbol]:
    """Return the bound symbols after the clean-up, less the input and the return; the result is verified."""
    with symbolic_context():
        trace = clean_up(built.trace)
        assert [str(v) for v in check_trace(trace) if v.rule != "S5"] == []
        again = clean_up(trace)
        assert [str(b) for b in again.bound_symbols] == [str(b) for b in trace.bound_symbols]
    return trace.bound_symbols[1:-1]


def names(bound_symbols: list[BoundSymbol]) -> list[str]:
    return [bsym.sym.name for bsym in bound_symbols]


def made_of(*dims: Any) -> TensorProxy:
    return prims.full(dims, 0.0, device=devices.cpu, dtype=dtypes.float32)


def composite(body: Callable[..., Any]) -> Symbol:
    return Symbol("composite", meta=body, id="test.composite")


def test_repeated_unpack_is_dropped() -> None:
    with building() as built:
        for _ in range(3):
            prims.shape(built.a)
        prims.python_return(made_of(built.dims[0]))
    assert names(cleaned(built)) == ["shape", "full"]


def test_unpack_of_a_tensor_with_the_same_dims_is_dropped() -> None:
    with building() as built:
        prims.shape(built.a)
        b = prims.neg(built.a)
        (rows,) = prims.shape(b)
        prims.python_return((b, made_of(rows)))
    assert names(cleaned(built)) == ["shape", "neg", "full"]


def test_only_used_dims_are_unpacked() -> None:
    with building(rank=3) as built:
        prims.shape(built.a)
        prims.python_return(made_of(built.dims[1]))
    unpack, use = cleaned(built)
    assert [x is None for x in unpack.output] == [True, False, True]
    assert use.args[0][0].name == unpack.output[1].name


def test_inputs_are_unpacked_behind_the_last_of_them() -> None:
    with building() as built:
        b = TensorProxy("b", shape=(numberproxy(int, 7),), device=devices.cpu, dtype=dtypes.float32)
        prims.unpack_trivial(b, name="b")
        built.trace.args = (built.a, b)
        prims.shape(built.a)
        prims.shape(b)
        prims.python_return(made_of(built.dims[0], b._shape[0]))
    assert names(cleaned(built)) == ["unpack_trivial", "shape", "shape", "full"]


def test_unused_unpack_is_dropped() -> None:
    with building() as built:
        prims.shape(built.a)
        prims.python_return(prims.neg(built.a))
    assert names(cleaned(built)) == ["neg"]


def test_unused_number_operation_is_dropped_with_what_fed_it() -> None:
    with building() as built:
        (rows,) = prims.shape(built.a)
        prims.eq(prims.add(rows, 1), 5)
        prims.python_return(prims.neg(built.a))
    assert names(cleaned(built)) == ["neg"]


def test_repeated_number_operation_is_placed_once() -> None:
    with building() as built:
        (rows,) = prims.shape(built.a)
        first, second = prims.add(rows, 1), prims.add(rows, 1)
        second._expression = first._expression
        prims.python_return((made_of(first), made_of(first)))
    assert names(cleaned(built)) == ["shape", "add", "full", "full"]


def test_equal_expressions_share_one_definition() -> None:
    jitted = thunder.jit(
        lambda a: (a.new_ones(1) * (a.shape[0] * 2), a.new_ones(1) * (a.shape[0] + a.shape[0])), cache="symbolic values"
    )
    jitted(torch.randn(4))
    trace = thunder.last_traces(jitted)[0]
    assert thunder.symbolic.count_number_operations(trace) <= 1 + 2  # one product, and its conversions


def test_different_number_operations_both_stay() -> None:
    with building() as built:
        (rows,) = prims.shape(built.a)
        prims.python_return((made_of(prims.add(rows, 1)), made_of(prims.add(rows, 2))))
    assert names(cleaned(built)) == ["shape", "add", "full", "add", "full"] or names(cleaned(built)) == [
        "shape",
        "add",
        "add",
        "full",
        "full",
    ]


def test_composite_of_number_operations_is_flattened() -> None:
    with building() as built:
        (rows,) = prims.shape(built.a)
        more = composite(lambda n: prims.mul(prims.add(n, 1), 2))(rows)
        prims.python_return(made_of(more))
    assert names(cleaned(built)) == ["shape", "add", "mul", "full"]


def test_use_inside_is_served_by_the_definition_outside() -> None:
    with building() as built:
        prims.shape(built.a)
        first = made_of(built.dims[0])

        def body(a: TensorProxy) -> TensorProxy:
            (rows,) = prims.shape(a)
            return made_of(rows)

        prims.python_return((first, composite(body)(built.a)))
    unpack, _, inner = cleaned(built)
    assert names(list(inner.subsymbols)) == ["full"]
    assert inner.subsymbols[0].args[0][0].name == unpack.output[0].name


def test_dim_of_an_input_used_only_inside_is_defined_once_for_all() -> None:
    def body(a: TensorProxy) -> TensorProxy:
        (rows,) = prims.shape(a)
        return made_of(rows)

    with building() as built:
        inside = composite(body)
        prims.python_return((inside(built.a), inside(built.a)))
    assert names(cleaned(built)) == ["shape", "composite", "composite"]


def test_name_defined_inside_and_again_outside_is_told_apart() -> None:
    def body(a: TensorProxy) -> TensorProxy:
        inner = prims.cat([a, a], 0)
        (rows,) = prims.shape(inner)
        return prims.add(inner, made_of(rows))

    with building() as built:
        made = composite(body)(built.a)
        (rows,) = prims.shape(made)
        prims.python_return((made, made_of(rows)))
    bound_symbols = cleaned(built)
    inside = [b for b in bound_symbols[0].subsymbols if b.sym.name == "shape"]
    outside = [b for b in bound_symbols if b.sym.name == "shape"]
    assert len(inside) == len(outside) == 1
    assert inside[0].output[0].name != outside[0].output[0].name


def test_dim_without_an_unpack_gets_one_from_a_tensor_that_dominates() -> None:
    with building() as built:
        doubled = prims.cat([built.a, built.a], 0)
        prims.python_return((doubled, made_of(doubled._shape[0])))
    assert names(cleaned(built)) == ["cat", "shape", "full"]


def test_number_that_nothing_dominating_holds_stays_as_it_is() -> None:
    with building() as built:
        stranger = numberproxy(int, 9)
        prims.python_return(made_of(stranger))
    with symbolic_context():
        (use,) = clean_up(built.trace).bound_symbols[1:-1]
    assert use.args[0][0].name == stranger.name


def test_dim_used_only_in_an_output_shape_keeps_its_definition() -> None:
    with building() as built:
        (rows,) = prims.shape(built.a)
        prims.python_return(made_of(prims.mul(rows, 2), 3))
    assert names(cleaned(built)) == ["shape", "mul", "full"]


def test_dims_fixed_by_a_guard_become_constants() -> None:
    jitted = thunder.jit(lambda a: a.new_ones(1) * a.shape[0] if a.shape[0] == 4 else a, cache="symbolic values")
    jitted(torch.randn(4))
    trace = thunder.last_traces(jitted)[0]
    assert thunder.symbolic.count_unpacks(trace) == thunder.symbolic.count_number_operations(trace) == 0


def test_tensor_operations_are_neither_merged_nor_moved() -> None:
    with building() as built:
        prims.shape(built.a)
        b, c = prims.neg(built.a), prims.neg(built.a)
        prims.exp(b)
        prims.python_return((b, c))
    assert names(cleaned(built)) == ["neg", "neg", "exp"]


def test_random_operations_are_not_merged() -> None:
    with building() as built:
        prims.shape(built.a)
        options = {"device": devices.cpu, "dtype": dtypes.float32}
        draws = [prims.uniform((built.dims[0],), 0.0, 1.0, **options) for _ in range(2)]
        prims.python_return(tuple(draws))
    assert names(cleaned(built)) == ["shape", "uniform", "uniform"]


def test_numbers_read_from_tensors_are_not_merged() -> None:
    with building() as built:
        scalar = prims.sum(built.a, (0,))
        read = [prims.item(scalar), prims.item(scalar)]
        prims.python_return(tuple(read))
    assert names(cleaned(built)) == ["sum", "item", "item"]


def test_an_in_place_copy_changes_no_dims() -> None:
    with building() as built:
        prims.shape(built.a)
        first = made_of(built.dims[0])
        prims.copy_(prims.neg(built.a), built.a, grad_enabled=False)
        (rows,) = prims.shape(built.a)
        prims.python_return((first, made_of(rows)))
    assert names(cleaned(built)) == ["shape", "full", "neg", "copy_", "full"]


def test_upstreams_passes_clean_a_trace_that_outlived_its_compilation() -> None:
    from thunder.core.transform_common import cse, dce

    jitted = thunder.jit(lambda a: torch.reshape(a, [a.numel()]).relu(), cache="symbolic values")
    jitted(torch.randn(4, 5))
    recorded = thunder.symbolic.recorded_trace(jitted)
    assert check_trace(recorded)
    assert check_trace(dce(recorded)) == []
    assert [v for v in check_trace(cse(recorded)) if v.rule != "S5"] == []


def test_the_given_trace_is_left_as_it_was() -> None:
    with building() as built:
        prims.shape(built.a)
        prims.shape(built.a)
        prims.python_return(made_of(built.dims[0]))
    before = [str(bsym) for bsym in built.trace.bound_symbols]
    cleaned(built)
    assert [str(bsym) for bsym in built.trace.bound_symbols] == before


@pytest.mark.parametrize("size", [100, 1000])
def test_work_grows_with_the_trace(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    entered = [0]
    enter = ValueTable.enter

    def counted(self: ValueTable, *args: Any) -> None:
        entered[0] += 1
        enter(self, *args)

    monkeypatch.setattr(ValueTable, "enter", counted)
    with symbolic_context():
        trace = chain(size)
        clean_up(trace)
        assert entered[0] <= 2 * thunder.symbolic.count_bound_symbols(trace)


def test_dead_operations_inside_a_composite_are_eliminated() -> None:
    def body(a: TensorProxy) -> TensorProxy:
        prims.exp(a)
        return prims.neg(a)

    with building() as built:
        prims.python_return(composite(body)(built.a))
    with symbolic_context():
        (inner,) = eliminate_dead_code(built.trace).bound_symbols[1:-1]
    assert names(list(inner.subsymbols)) == ["neg"]


def test_what_a_scope_captures_is_alive() -> None:
    with building() as built:
        prims.shape(built.a)
        prims.python_return(composite(lambda a: made_of(built.dims[0]))(built.a))
    with symbolic_context():
        trace = eliminate_dead_code(built.trace)
    assert names(trace.bound_symbols[1:-1]) == ["shape", "composite"]


def test_effects_and_unused_inputs_stay() -> None:
    with building() as built:
        prims.copy_(prims.neg(built.a), built.a, grad_enabled=False)
        prims.python_return(())
    with symbolic_context():
        trace = eliminate_dead_code(built.trace)
    assert names(trace.bound_symbols) == ["unpack_trivial", "neg", "copy_", "python_return"]


def test_needed_proxies_are_kept_and_reported() -> None:
    from thunder.core.proxies import variableify

    with building() as built:
        b = prims.neg(built.a)
        prims.exp(b)
        prims.python_return(())
    needed = {variableify(b)}
    with symbolic_context():
        trace = eliminate_dead_code(built.trace, needed)
    assert names(trace.bound_symbols[1:-1]) == ["neg"]
    assert variableify(built.a) in needed


def test_number_proxy_in_an_unpack_without_uses_becomes_a_gap() -> None:
    with building(rank=2) as built:
        prims.shape(built.a)
        prims.python_return(made_of(built.dims[1]))
    with symbolic_context():
        unpack, _ = eliminate_dead_code(built.trace).bound_symbols[1:-1]
    assert unpack.output[0] is None and isinstance(unpack.output[1], NumberProxy)

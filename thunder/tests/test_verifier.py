"""Each rule of the SSA contract has traces that break it and traces that only look as if they did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch
import torch.nn.functional as F
from thunder.core import devices, dtypes, prims
from thunder.core.proxies import NumberProxy, TensorProxy, numberproxy
from thunder.core.trace import TraceCtx, tracectx
from thunder.core.transforms.verifier import TraceVerificationError, captured, check_trace, verify_saved, verify_trace

from synthetic import symbolic_context


def tensor(name: str, *dims: Any) -> TensorProxy:
    return TensorProxy(name, shape=dims, device=devices.cpu, dtype=dtypes.float32)


@contextmanager
def tracing() -> Iterator[TraceCtx]:
    trace = TraceCtx(lambda: None)
    with symbolic_context(), tracectx(trace):
        yield trace


def dim(value: int = 4) -> NumberProxy:
    return numberproxy(int, value)


def rules(trace: TraceCtx) -> set[str]:
    with symbolic_context():
        return {violation.rule for violation in check_trace(trace)}


def start(trace: TraceCtx, *dims: Any) -> TensorProxy:
    a = tensor("a", *dims)
    prims.unpack_trivial(a, name="a")
    trace.args = (a,)
    return a


# --- traces that break a rule


def twice_in_one_scope() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        b = prims.neg(a)
        for t in (a, b):
            trace.bound_symbols.append(prims.shape.bind(t, output=(i,)))
        prims.python_return(prims.full((i,), 0.0, device=devices.cpu, dtype=dtypes.float32))
    return trace


def twice_in_one_output() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i, i)
        trace.bound_symbols.append(prims.shape.bind(a, output=(i, i)))
        prims.python_return((a, i))
    return trace


def inside_and_then_outside() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        b = thunder.torch.relu(a)
        unpack = prims.shape.bind(a, output=(i,))
        last = trace.bound_symbols[-1]
        use = prims.full.bind((i,), 0.0, device=devices.cpu, dtype=dtypes.float32, output=tensor("t_inner", i))
        last.subsymbols = [unpack, use, *last.subsymbols]
        trace.bound_symbols.append(prims.shape.bind(a, output=(i,)))
        prims.python_return((b, i))
    return trace


def shadowing_inside() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        trace.bound_symbols.append(prims.shape.bind(a, output=(i,)))
        b = thunder.torch.relu(a)
        last = trace.bound_symbols[-1]
        last.subsymbols = [prims.neg.bind(a, output=tensor("t_x", i)), *last.subsymbols]
        last.subsymbols[0] = last.subsymbols[0].from_bsym(output=a)
        prims.python_return((b, i, prims.neg(b)))
        last.subsymbols[0] = prims.exp.bind(tensor("t_y", i), output=b.replace(name="t_z"))
    return trace


def used_before_it_is_defined() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        b = prims.neg(a)
        c = prims.exp(b)
        prims.python_return(c)
        trace.bound_symbols[1], trace.bound_symbols[2] = trace.bound_symbols[2], trace.bound_symbols[1]
    return trace


def used_from_a_siblings_inside() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        thunder.torch.silu(a)
        inner = trace.bound_symbols[-1].subsymbols[0].flat_proxy_outs[0]
        c = prims.exp(inner)
        prims.python_return((trace.bound_symbols[1].output, c))
    return trace


def used_after_it_is_deleted() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        b = prims.neg(a)
        trace.bound_symbols.append(prims.python_del.bind(a, output=None))
        c = prims.add(a, b)
        prims.python_return(c)
    return trace


def output_that_nothing_inside_defines() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        b = thunder.torch.silu(a)
        last = trace.bound_symbols[-1]
        last.subsymbols = last.subsymbols[:-1]
        prims.python_return(b)
    return trace


def dim_without_a_definition() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        b = prims.full((i,), 0.0, device=devices.cpu, dtype=dtypes.float32)
        prims.python_return((a, b))
    return trace


def dead_unpack() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, dim())
        prims.shape(a)
        prims.python_return(a)
    return trace


def dead_number_inside() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        prims.shape(a)
        b = thunder.torch.silu(a)
        last = trace.bound_symbols[-1]
        last.subsymbols = [prims.add.bind(i, 1, output=dim(5)), *last.subsymbols]
        prims.python_return((b, i))
    return trace


def dead_tensor() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        prims.neg(a)
        prims.python_return(a)
    return trace


def same_number_twice() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        prims.shape(a)
        prims.python_return((a, prims.add(i, 1), prims.add(i, 1)))
    return trace


def undefined_return() -> TraceCtx:
    with tracing() as trace:
        start(trace, 4)
        prims.python_return(tensor("t_never", 4))
    return trace


BROKEN: list[tuple[str, Callable[[], TraceCtx]]] = [
    ("S1", twice_in_one_scope),
    ("S1", twice_in_one_output),
    ("S1", inside_and_then_outside),
    ("S2", shadowing_inside),
    ("S2", used_before_it_is_defined),
    ("S2", used_from_a_siblings_inside),
    ("S2", used_after_it_is_deleted),
    ("S3", output_that_nothing_inside_defines),
    ("S4", dim_without_a_definition),
    ("S5", dead_unpack),
    ("S5", dead_number_inside),
    ("S5", dead_tensor),
    ("S5", same_number_twice),
    ("S6", undefined_return),
]


@pytest.mark.parametrize(("rule", "build"), BROKEN, ids=[f"{rule}-{build.__name__}" for rule, build in BROKEN])
def test_broken_trace_is_found(rule: str, build: Callable[[], TraceCtx]) -> None:
    trace = build()
    assert rule in rules(trace)
    with symbolic_context(), pytest.raises(TraceVerificationError, match=rule):
        verify_trace(trace, stage="in a test")


# --- traces that keep the rules


def sibling_scopes_use_one_name() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        outputs = []
        for index in range(2):
            outputs.append(thunder.torch.relu(a))
            last = trace.bound_symbols[-1]
            inner = tensor(f"t_inner{index}", 4)
            last.subsymbols = [prims.neg.bind(a, output=inner), *last.subsymbols]
        second, first = trace.bound_symbols[2].subsymbols, trace.bound_symbols[1].subsymbols
        second[0] = second[0].from_bsym(output=first[0].output)
        prims.python_return(tuple(outputs))
    return trace


def outer_dim_used_inside() -> TraceCtx:
    with tracing() as trace:
        i = dim()
        a = start(trace, i)
        prims.shape(a)
        b = thunder.torch.relu(tensor("b", 4))
        trace.args = (a, trace.bound_symbols[-1].args[0])
        last = trace.bound_symbols[-1]
        made = tensor("t_made", i)
        full = prims.full.bind((i,), 0.0, device=devices.cpu, dtype=dtypes.float32, output=made)
        last.subsymbols = [full, *last.subsymbols]
        prims.python_return(b)
    return trace


def partly_used_unpack() -> TraceCtx:
    with tracing() as trace:
        i, j = dim(), dim(5)
        a = start(trace, i, j)
        trace.bound_symbols.append(prims.shape.bind(a, output=(None, j)))
        prims.python_return((a, j))
    return trace


def effect_without_uses() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        b = prims.neg(a)
        prims.copy_(b, a, grad_enabled=False)
        prims.python_return(a)
    return trace


def unused_input() -> TraceCtx:
    with tracing() as trace:
        start(trace, 4)
        prims.python_return(prims.full((2,), 0.0, device=devices.cpu, dtype=dtypes.float32))
    return trace


def same_tensor_operation_twice() -> TraceCtx:
    with tracing() as trace:
        a = start(trace, 4)
        prims.python_return((prims.neg(a), prims.neg(a)))
    return trace


def composite_chain_defines_one_output() -> TraceCtx:
    with tracing() as trace:
        prims.python_return(thunder.torch.gelu(start(trace, 4)))
    return trace


SOUND = [
    sibling_scopes_use_one_name,
    outer_dim_used_inside,
    partly_used_unpack,
    effect_without_uses,
    unused_input,
    same_tensor_operation_twice,
    composite_chain_defines_one_output,
]


@pytest.mark.parametrize("build", SOUND, ids=lambda build: build.__name__)
def test_sound_trace_is_accepted(build: Callable[[], TraceCtx]) -> None:
    trace = build()
    with symbolic_context():
        assert [str(violation) for violation in check_trace(trace)] == []


def _attention(x: torch.Tensor) -> torch.Tensor:
    return F.softmax(x @ x.transpose(-1, -2) / x.shape[-1] ** 0.5, -1) @ x


@pytest.mark.parametrize("cache", ["constant values", "symbolic values"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + 1,
        _attention,
        torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.LayerNorm(8)),
        lambda x: F.cross_entropy(x[0], torch.zeros(5, dtype=torch.int64)),
    ],
    ids=["add", "attention", "mlp", "cross_entropy"],
)
def test_compiled_traces_are_accepted(function: Any, cache: str) -> None:
    jitted = thunder.jit(function, cache=cache)
    jitted(torch.randn(2, 5, 6, requires_grad=True)).sum().backward()
    forward, backward = thunder.last_traces(jitted)[-1], thunder.last_backward_traces(jitted)[-1]
    for trace in (forward, backward):
        assert [str(violation) for violation in check_trace(trace)] == []


def test_recorded_trace_is_rejected() -> None:
    jitted = thunder.jit(lambda a: torch.reshape(a, [a.numel()]).relu(), cache="symbolic values")
    jitted(torch.randn(4, 5))
    assert {"S1", "S5"} <= rules(thunder.symbolic.recorded_trace(jitted))


def test_captured_names_are_listed() -> None:
    trace = outer_dim_used_inside()
    (use,) = (bsym for bsym in trace.bound_symbols if bsym.sym.name == "relu")
    assert [proxy.value for proxy in captured(use)] == [4]


def test_report_shows_the_users_line() -> None:
    jitted = thunder.jit(lambda a: a.relu() + 1, cache="symbolic values")
    jitted(torch.randn(4))
    trace = thunder.last_traces(jitted)[0]
    trace.bound_symbols = [bsym for bsym in trace.bound_symbols if bsym.sym.name != "relu"]
    with pytest.raises(TraceVerificationError) as caught:
        verify_trace(trace, stage="after losing an operation")
    assert "S2" in str(caught.value) and f"{__file__}:" in str(caught.value)
    assert "after losing an operation" in str(caught.value) and "ltorch.add" in str(caught.value)


def test_saved_values_are_compared() -> None:
    jitted = thunder.jit(lambda a, b: (a * b).exp(), cache="symbolic values")
    jitted(torch.randn(4, requires_grad=True), torch.randn(4, requires_grad=True))
    forward, backward = thunder.last_traces(jitted)[-1], thunder.last_backward_traces(jitted)[-1]
    verify_saved(forward, backward)
    last = forward.bound_symbols[-1]
    returned, (tensors, others) = last.args
    assert len(tensors) >= 2
    forward.bound_symbols[-1] = last.from_bsym(args=(returned, (tensors[::-1], others)))
    with pytest.raises(TraceVerificationError, match="S6"):
        verify_saved(forward, backward)

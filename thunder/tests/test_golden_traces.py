"""The two programs that automatic unpacking turns on, at every stage, as a reader sees them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import thunder
import thunder.symbolic
import torch
from inline_snapshot import snapshot
from thunder.core.proxies import TensorProxy
from thunder.core.trace import TraceCtx


def _slice_to_last_dim(a: torch.Tensor) -> torch.Tensor:
    return a[..., : a.shape[-1]]


def _reshape_to_numel(a: torch.Tensor) -> torch.Tensor:
    return torch.reshape(a, [a.numel()]).relu()


def _text(trace: TraceCtx) -> str:
    """Return the body of ``trace`` at all depths, without decorators, comments on source lines and timings."""
    lines = str(trace).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(line for line in lines[start:] if line.strip() and not line.lstrip().startswith("# /"))


def _compiled(function: Callable[..., Any], *, requires_grad: bool = False) -> Any:
    jitted = thunder.jit(function, cache="symbolic values")
    jitted(torch.randn(4, 5, requires_grad=requires_grad))
    return jitted


def test_slice_recorded() -> None:
    assert _text(thunder.symbolic.recorded_trace(_compiled(_slice_to_last_dim))) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  t3 = ltorch.getitem(a, (..., slice(None,i1,None)))  # t3: "cpu f32[i0, i1]"
    # (i0, i1) = prims.shape(a)
    # (i0, i1) = prims.shape(a)
    # i2 = prims.ge(i1, 0)  # i2: "bool True"
    # t3 = prims.shallow_copy(a)  # t3: "cpu f32[i0, i1]"
  return (t3,)\
""")


def test_slice_cleaned() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (_, i1) = prims.shape(a)
  t3 = ltorch.getitem(a, (..., slice(None,i1,None)))  # t3: "cpu f32[i0, i1]"
    # t3 = prims.shallow_copy(a)  # t3: "cpu f32[i0, i1]"
  return (t3,)\
""")


def test_slice_execution() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (_, i1) = shape(a)
  t6 = Tensor.__getitem__(a, (..., slice(None,i1,None)))  # t6: "cpu f32[i0, i1]"
  del i1
  return (t6,)\
""")


def test_slice_cleaned_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim, requires_grad=True))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (_, i1) = prims.shape(a)
  t3 = ltorch.getitem(a, (..., slice(None,i1,None)))  # t3: "cpu f32[i0, i1]"
    # t3 = prims.shallow_copy(a)  # t3: "cpu f32[i0, i1]"
  return (t3,)\
""")


def test_slice_execution_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim, requires_grad=True))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  t7 = shallow_copy(a)  # t7: "cpu f32[i0, i1]"
  return {'output': (t7,), 'flat_args': [a], 'flat_output': (t7,)}, ((), ())\
""")


def test_slice_backward() -> None:
    assert _text(thunder.last_backward_traces(_compiled(_slice_to_last_dim, requires_grad=True))[-1]) == snapshot("""\
def backward_fn(saved_for_backward, cotangents):
  # saved_for_backward: "Collection"
  # cotangents: "Collection"
  t5, = cotangents
  # t5: "cpu f32[i0, i1]"
  clear_mutable_collection(cotangents)
  del cotangents
  return (t5,)\
""")


def test_reshape_recorded() -> None:
    assert _text(thunder.symbolic.recorded_trace(_compiled(_reshape_to_numel))) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i2 = prims.mul(1, i0)  # i2: "int 4"
  i3 = prims.mul(i2, i1)  # i3: "int 20"
  i5 = ltorch.numel(a)  # i5: "int 20"
    # (i0, i1) = prims.shape(a)
    # i4 = prims.mul(1, i0)  # i4: "int 4"
    # i5 = prims.mul(i4, i1)  # i5: "int 20"
  t11 = ltorch.reshape(a, [i5])  # t11: "cpu f32[i5]"
    # (i0, i1) = prims.shape(a)
    # i6 = prims.lt(i5, 0)  # i6: "bool False"
    # t11 = prims.reshape(a, (i5,))  # t11: "cpu f32[i5]"
  t13 = ltorch.relu(t11, False)  # t13: "cpu f32[i5]"
    # t12 = ltorch.gt(t11, 0)  # t12: "cpu b8[i5]"
      # (i5,) = prims.shape(t11)
      # _ = prims.convert_element_type(0, float)
      # t12 = prims.gt(t11, 0.0)  # t12: "cpu b8[i5]"
    # t13 = ltorch.where(t12, t11, 0)  # t13: "cpu f32[i5]"
      # _ = prims.convert_element_type(0, float)
      # (i5,) = prims.shape(t12)
      # (i5,) = prims.shape(t11)
      # t13 = prims.where(t12, t11, 0.0)  # t13: "cpu f32[i5]"
  return (t13,)\
""")


def test_reshape_cleaned() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i3 = prims.mul(i0, i1)  # i3: "int 20"
  t11 = ltorch.reshape(a, [i3])  # t11: "cpu f32[i3]"
    # t11 = prims.reshape(a, (i3,))  # t11: "cpu f32[i3]"
  t13 = ltorch.relu(t11, False)  # t13: "cpu f32[i3]"
    # t12 = ltorch.gt(t11, 0)  # t12: "cpu b8[i3]"
      # t12 = prims.gt(t11, 0.0)  # t12: "cpu b8[i3]"
    # t13 = ltorch.where(t12, t11, 0)  # t13: "cpu f32[i3]"
      # t13 = prims.where(t12, t11, 0.0)  # t13: "cpu f32[i3]"
  return (t13,)\
""")


def test_reshape_execution() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = shape(a)
  i20 = operator.mul(i0, i1)  # i20: "int 20"
  del i0, i1
  t26 = torch.reshape(a, [i20])  # t26: "cpu f32[i20]"
  del i20
  t28 = torch.nn.functional.relu(t26, False)  # t28: "cpu f32[i20]"
  del t26
  return (t28,)\
""")


def test_reshape_cleaned_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel, requires_grad=True))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i3 = prims.mul(i0, i1)  # i3: "int 20"
  t11 = ltorch.reshape(a, [i3])  # t11: "cpu f32[i3]"
    # t11 = prims.reshape(a, (i3,))  # t11: "cpu f32[i3]"
  t13 = ltorch.relu(t11, False)  # t13: "cpu f32[i3]"
    # t12 = ltorch.gt(t11, 0)  # t12: "cpu b8[i3]"
      # t12 = prims.gt(t11, 0.0)  # t12: "cpu b8[i3]"
    # t13 = ltorch.where(t12, t11, 0)  # t13: "cpu f32[i3]"
      # t13 = prims.where(t12, t11, 0.0)  # t13: "cpu f32[i3]"
  return (t13,)\
""")


def test_reshape_execution_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel, requires_grad=True))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = shape(a)
  i35 = operator.mul(i0, i1)  # i35: "int 20"
  t44 = torch_prims_reshape_impl(a, (i35,))  # t44: "cpu f32[i35]"
  del i35
  t45 = torch.gt(t44, 0.0)  # t45: "cpu b8[i35]"
  t46 = torch.where(t45, t44, 0.0)  # t46: "cpu f32[i35]"
  del t44
  return {'output': (t46,), 'flat_args': [a], 'flat_output': (t46,)}, ((t45,), (i0, i1))\
""")


def test_reshape_backward() -> None:
    assert _text(thunder.last_backward_traces(_compiled(_reshape_to_numel, requires_grad=True))[-1]) == snapshot("""\
def backward_fn(saved_for_backward, cotangents):
  # saved_for_backward: "Collection"
  # cotangents: "Collection"
  C0, C1, = saved_for_backward
  # C0: "Collection"
  # C1: "Collection"
  clear_mutable_collection(saved_for_backward)
  del saved_for_backward
  t27, = cotangents
  # t27: "cpu f32[i35]"
  clear_mutable_collection(cotangents)
  del cotangents
  t45, = C0
  # t45: "cpu b8[i35]"
  clear_mutable_collection(C0)
  del C0
  i0, i1, = C1
  # i0: "int 4"
  # i1: "int 5"
  clear_mutable_collection(C1)
  del C1
  t47 = torch.where(t45, t27, 0)  # t47: "cpu f32[i35]"
  del t45, t27
  t52 = torch_prims_reshape_impl(t47, (i0, i1))  # t52: "cpu f32[i0, i1]"
  del t47, i0, i1
  return (t52,)\
""")


def test_traces_can_be_pickled() -> None:
    cleaned = thunder.last_traces(_compiled(_reshape_to_numel))[0]
    assert _text(pickle.loads(pickle.dumps(cleaned))) == _text(cleaned)


def test_one_name_is_one_proxy() -> None:
    trace = thunder.last_traces(_compiled(_reshape_to_numel))[0]
    proxies = {proxy.name: proxy for proxy in trace.args}
    for bsym in trace.bound_symbols:
        for proxy in (*bsym.flat_proxy_args, *bsym.flat_proxy_outs):
            if isinstance(proxy, TensorProxy):
                assert proxies.setdefault(proxy.name, proxy) is proxy

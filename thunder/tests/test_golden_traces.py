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
  t15 = ltorch.getitem(a, (..., slice(None,i1,None)))  # t15: "cpu f32[i0, i1]"
    # (i0, i1) = prims.shape(a)
    # (i0, i1) = prims.shape(a)
    # i2 = prims.ge(i1, 0)  # i2: "bool True"
    # (i0, i1) = prims.shape(a)
    # (i0, i1) = prims.shape(a)
    # i3 = prims.lt(i0, 0)  # i3: "bool False"
    # i4 = prims.ge(i0, 0)  # i4: "bool True"
    # i5 = prims.lt(i0, 0)  # i5: "bool False"
    # i6 = prims.le(i0, 0)  # i6: "bool False"
    # i7 = prims.ge(i0, i0)  # i7: "bool True"
    # i8 = prims.lt(i1, 0)  # i8: "bool False"
    # i9 = prims.ge(i1, 0)  # i9: "bool True"
    # i10 = prims.lt(i1, 0)  # i10: "bool False"
    # i11 = prims.le(i1, 0)  # i11: "bool False"
    # i12 = prims.ge(i1, i1)  # i12: "bool True"
    # (i0, i1) = prims.shape(a)
    # i13 = prims.eq(i0, i0)  # i13: "bool True"
    # i14 = prims.eq(i1, i1)  # i14: "bool True"
    # t15 = prims.shallow_copy(a)  # t15: "cpu f32[i0, i1]"
  return (t15,)\
""")


def test_slice_cleaned() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (_, i1) = prims.shape(a)
  t15 = ltorch.getitem(a, (..., slice(None,i1,None)))  # t15: "cpu f32[i0, i1]"
    # t15 = prims.shallow_copy(a)  # t15: "cpu f32[i0, i1]"
  return (t15,)\
""")


def test_slice_execution() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (_, i1) = shape(a)
  t42 = Tensor.__getitem__(a, (..., slice(None,i1,None)))  # t42: "cpu f32[i0, i1]"
  del i1
  return (t42,)\
""")


def test_slice_cleaned_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim, requires_grad=True))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (_, i1) = prims.shape(a)
  t15 = ltorch.getitem(a, (..., slice(None,i1,None)))  # t15: "cpu f32[i0, i1]"
    # t15 = prims.shallow_copy(a)  # t15: "cpu f32[i0, i1]"
  return (t15,)\
""")


def test_slice_execution_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_slice_to_last_dim, requires_grad=True))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  t19 = shallow_copy(a)  # t19: "cpu f32[i0, i1]"
  return {'output': (t19,), 'flat_args': [a], 'flat_output': (t19,)}, ((), ())\
""")


def test_slice_backward() -> None:
    assert _text(thunder.last_backward_traces(_compiled(_slice_to_last_dim, requires_grad=True))[-1]) == snapshot("""\
def backward_fn(saved_for_backward, cotangents):
  # saved_for_backward: "Collection"
  # cotangents: "Collection"
  t17, = cotangents
  # t17: "cpu f32[i0, i1]"
  clear_mutable_collection(cotangents)
  del cotangents
  return (t17,)\
""")


def test_reshape_recorded() -> None:
    assert _text(thunder.symbolic.recorded_trace(_compiled(_reshape_to_numel))) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i2 = prims.mul(1, i0)  # i2: "int 4"
  i3 = prims.mul(i2, i1)  # i3: "int 20"
  self = ltorch.numel(a)  # self: "int 20"
    # (i0, i1) = prims.shape(a)
    # i4 = prims.mul(1, i0)  # i4: "int 4"
    # self = prims.mul(i4, i1)  # self: "int 20"
  t15 = ltorch.reshape(a, [self])  # t15: "cpu f32[i5]"
    # (i0, i1) = prims.shape(a)
    # i6 = prims.eq(i0, self)  # i6: "bool False"
    # i7 = prims.ge(self, 0)  # i7: "bool True"
    # i8 = prims.mul(1, self)  # i8: "int 20"
    # t15 = prims.reshape(a, (self,))  # t15: "cpu f32[i5]"
  t17 = ltorch.relu(t15, False)  # t17: "cpu f32[i5]"
    # t16 = ltorch.gt(t15, 0)  # t16: "cpu b8[i5]"
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # _ = prims.convert_element_type(0, float)
      # t16 = prims.gt(t15, 0.0)  # t16: "cpu b8[i5]"
    # t17 = ltorch.where(t16, t15, 0)  # t17: "cpu f32[i5]"
      # _ = prims.convert_element_type(0, float)
      # (self,) = prims.shape(t16)
      # (self,) = prims.shape(t16)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t16)
      # (self,) = prims.shape(t16)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # t17 = prims.where(t16, t15, 0.0)  # t17: "cpu f32[i5]"
  return (t17,)\
""")


def test_reshape_cleaned() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i3 = prims.mul(i0, i1)  # i3: "int 20"
  t15 = ltorch.reshape(a, [i3])  # t15: "cpu f32[i3]"
    # t15 = prims.reshape(a, (i3,))  # t15: "cpu f32[i3]"
  t17 = ltorch.relu(t15, False)  # t17: "cpu f32[i3]"
    # t16 = ltorch.gt(t15, 0)  # t16: "cpu b8[i3]"
      # t16 = prims.gt(t15, 0.0)  # t16: "cpu b8[i3]"
    # t17 = ltorch.where(t16, t15, 0)  # t17: "cpu f32[i3]"
      # t17 = prims.where(t16, t15, 0.0)  # t17: "cpu f32[i3]"
  return (t17,)\
""")


def test_reshape_execution() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = shape(a)
  i28 = operator.mul(i0, i1)  # i28: "int 20"
  del i0, i1
  t38 = torch.reshape(a, [i28])  # t38: "cpu f32[i28]"
  del i28
  t40 = torch.nn.functional.relu(t38, False)  # t40: "cpu f32[i28]"
  del t38
  return (t40,)\
""")


def test_reshape_cleaned_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel, requires_grad=True))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i3 = prims.mul(i0, i1)  # i3: "int 20"
  t15 = ltorch.reshape(a, [i3])  # t15: "cpu f32[i3]"
    # t15 = prims.reshape(a, (i3,))  # t15: "cpu f32[i3]"
  t17 = ltorch.relu(t15, False)  # t17: "cpu f32[i3]"
    # t16 = ltorch.gt(t15, 0)  # t16: "cpu b8[i3]"
      # t16 = prims.gt(t15, 0.0)  # t16: "cpu b8[i3]"
    # t17 = ltorch.where(t16, t15, 0)  # t17: "cpu f32[i3]"
      # t17 = prims.where(t16, t15, 0.0)  # t17: "cpu f32[i3]"
  return (t17,)\
""")


def test_reshape_execution_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel, requires_grad=True))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = shape(a)
  i44 = operator.mul(i0, i1)  # i44: "int 20"
  t56 = torch_prims_reshape_impl(a, (i44,))  # t56: "cpu f32[i44]"
  del i44
  t57 = torch.gt(t56, 0.0)  # t57: "cpu b8[i44]"
  t58 = torch.where(t57, t56, 0.0)  # t58: "cpu f32[i44]"
  del t56
  return {'output': (t58,), 'flat_args': [a], 'flat_output': (t58,)}, ((t57,), (i0, i1))\
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
  t34, = cotangents
  # t34: "cpu f32[i44]"
  clear_mutable_collection(cotangents)
  del cotangents
  t57, = C0
  # t57: "cpu b8[i44]"
  clear_mutable_collection(C0)
  del C0
  i0, i1, = C1
  # i0: "int 4"
  # i1: "int 5"
  clear_mutable_collection(C1)
  del C1
  t59 = torch.where(t57, t34, 0)  # t59: "cpu f32[i44]"
  del t57, t34
  t65 = torch_prims_reshape_impl(t59, (i0, i1))  # t65: "cpu f32[i0, i1]"
  del t59, i0, i1
  return (t65,)\
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

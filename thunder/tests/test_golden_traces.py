"""The two programs that automatic unpacking turns on, at every stage, as a reader sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import thunder
import thunder.symbolic
import torch
from inline_snapshot import snapshot
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
  t24 = ltorch.relu(t15, False)  # t24: "cpu f32[i5]"
    # t18 = ltorch.gt(t15, 0)  # t18: "cpu b8[i5]"
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # i16 = prims.eq(self, 1)  # i16: "bool False"
      # i17 = prims.eq(self, self)  # i17: "bool True"
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # _ = prims.convert_element_type(0, float)
      # t18 = prims.gt(t15, 0.0)  # t18: "cpu b8[i5]"
    # t24 = ltorch.where(t18, t15, 0)  # t24: "cpu f32[i5]"
      # _ = prims.convert_element_type(0, float)
      # (self,) = prims.shape(t18)
      # (self,) = prims.shape(t18)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # i19 = prims.eq(self, 1)  # i19: "bool False"
      # i20 = prims.eq(self, self)  # i20: "bool True"
      # i21 = prims.eq(self, 1)  # i21: "bool False"
      # i22 = prims.eq(self, 1)  # i22: "bool False"
      # i23 = prims.eq(self, self)  # i23: "bool True"
      # (self,) = prims.shape(t18)
      # (self,) = prims.shape(t18)
      # (self,) = prims.shape(t15)
      # (self,) = prims.shape(t15)
      # t24 = prims.where(t18, t15, 0.0)  # t24: "cpu f32[i5]"
  return (t24,)\
""")


def test_reshape_cleaned() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i3 = prims.mul(i0, i1)  # i3: "int 20"
  t15 = ltorch.reshape(a, [i3])  # t15: "cpu f32[i3]"
    # t15 = prims.reshape(a, (i3,))  # t15: "cpu f32[i3]"
  t24 = ltorch.relu(t15, False)  # t24: "cpu f32[i3]"
    # t18 = ltorch.gt(t15, 0)  # t18: "cpu b8[i3]"
      # t18 = prims.gt(t15, 0.0)  # t18: "cpu b8[i3]"
    # t24 = ltorch.where(t18, t15, 0)  # t24: "cpu f32[i3]"
      # t24 = prims.where(t18, t15, 0.0)  # t24: "cpu f32[i3]"
  return (t24,)\
""")


def test_reshape_execution() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = shape(a)
  i35 = operator.mul(i0, i1)  # i35: "int 20"
  del i0, i1
  t52 = torch.reshape(a, [i35])  # t52: "cpu f32[i35]"
  del i35
  t61 = torch.nn.functional.relu(t52, False)  # t61: "cpu f32[i35]"
  del t52
  return (t61,)\
""")


def test_reshape_cleaned_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel, requires_grad=True))[0]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = prims.shape(a)
  i3 = prims.mul(i0, i1)  # i3: "int 20"
  t15 = ltorch.reshape(a, [i3])  # t15: "cpu f32[i3]"
    # t15 = prims.reshape(a, (i3,))  # t15: "cpu f32[i3]"
  t24 = ltorch.relu(t15, False)  # t24: "cpu f32[i3]"
    # t18 = ltorch.gt(t15, 0)  # t18: "cpu b8[i3]"
      # t18 = prims.gt(t15, 0.0)  # t18: "cpu b8[i3]"
    # t24 = ltorch.where(t18, t15, 0)  # t24: "cpu f32[i3]"
      # t24 = prims.where(t18, t15, 0.0)  # t24: "cpu f32[i3]"
  return (t24,)\
""")


def test_reshape_execution_with_grad() -> None:
    assert _text(thunder.last_traces(_compiled(_reshape_to_numel, requires_grad=True))[-1]) == snapshot("""\
def computation(a):
  # a: "cpu f32[i0, i1]"
  (i0, i1) = shape(a)
  i61 = operator.mul(i0, i1)  # i61: "int 20"
  t85 = torch_prims_reshape_impl(a, (i61,))  # t85: "cpu f32[i61]"
  del i61
  t88 = torch.gt(t85, 0.0)  # t88: "cpu b8[i61]"
  t94 = torch.where(t88, t85, 0.0)  # t94: "cpu f32[i61]"
  del t85
  return {'output': (t94,), 'flat_args': [a], 'flat_output': (t94,)}, ((t88,), (i0, i1))\
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
  t41, = cotangents
  # t41: "cpu f32[i61]"
  clear_mutable_collection(cotangents)
  del cotangents
  t88, = C0
  # t88: "cpu b8[i61]"
  clear_mutable_collection(C0)
  del C0
  i0, i1, = C1
  # i0: "int 4"
  # i1: "int 5"
  clear_mutable_collection(C1)
  del C1
  t100 = torch.where(t88, t41, 0)  # t100: "cpu f32[i61]"
  del t88, t41
  t106 = torch_prims_reshape_impl(t100, (i0, i1))  # t106: "cpu f32[i0, i1]"
  del t100, i0, i1
  return (t106,)\
""")

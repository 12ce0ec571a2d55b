"""Patch to ``thunder.clang.utils``: dims known to be equal broadcast without a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunder.core.baseutils import check
from thunder.core.compile_data import guard_recorder
from thunder.core.utils import extract_shape_from_varargs, is_cpu_scalar_tensor
from thunder_symbolic.vocabulary import wrap


@wrap("compute_broadcast_shape")
def compute_broadcast_shape(original: Callable[..., Any], *shapes: Any) -> tuple[Any, ...] | None:
    """Return the shape that all ``shapes`` broadcast to, or None where all of them are None.

    Raises:
        RuntimeError: where two dims differ and neither is 1.
    """
    recorder = guard_recorder()
    if recorder is None:
        return original(*shapes)
    from thunder.core.transforms.number_operations import expression_of

    known = [shape for shape in shapes if shape is not None]
    if not known:
        return None
    common: list[Any] = []
    for position in range(-max(map(len, known)), 0):
        distinct: dict[Any, Any] = {}
        for shape in known:
            if len(shape) >= -position:
                dim = shape[position]
                expression = expression_of(dim)
                distinct.setdefault(id(dim) if expression is None else recorder.canonical(expression), dim)
        # A dim that is 1 whatever the inputs gives way
        dims = [dim for dim in distinct.values() if not (isinstance(dim, int) and dim == 1)]
        common.append(_common_dim(dims) if dims else 1)
    return tuple(common)


def _common_dim(dims: list[Any]) -> Any:
    first, *others = dims
    for other in others:
        if first == other or other == 1:  # noqa: PLR1714 (each comparison is a decision)
            continue
        check(first == 1, lambda: f"cannot broadcast a dim of length {other} to one of length {first}")  # noqa: B023
        first = other
    return first


@wrap("expand_impl")
def expand_impl(original: Callable[..., Any], a: Any, *shape: Any, broadcast_prim: Any) -> Any:
    """Return ``a`` broadcast to ``shape``, where -1 keeps a dim; the primitive checks that the dims fit.

    Raises:
        RuntimeError: where ``shape`` has fewer dims than ``a``, or one that ``a`` does not broadcast to.
    """
    if guard_recorder() is None:
        return original(a, *shape, broadcast_prim=broadcast_prim)
    wanted = list(extract_shape_from_varargs(shape))
    offset = len(wanted) - len(a._shape)
    check(offset >= 0, lambda: f"cannot expand {len(a._shape)} dims to {len(wanted)}")
    for position, dim in enumerate(a.shape, start=offset):
        if wanted[position] == -1:
            wanted[position] = dim
    return broadcast_prim(a, tuple(wanted), tuple(range(offset, len(wanted))))


@wrap("maybe_broadcast_impl")
def maybe_broadcast_impl(
    original: Callable[..., tuple[Any, ...]],
    *args: Any,
    treat_cpu_scalar_tensors_as_numbers: bool = True,
    expand_fn: Callable[..., Any],
) -> tuple[Any, ...]:
    """Return the arguments, tensors among them broadcast to one shape; numbers and CPU scalars stay as they are."""
    if guard_recorder() is None:
        return original(
            *args, treat_cpu_scalar_tensors_as_numbers=treat_cpu_scalar_tensors_as_numbers, expand_fn=expand_fn
        )
    from thunder.clang.utils import compute_broadcast_shape as broadcast_shape
    from thunder.core.transforms.python_numbers import identical_shapes

    common = broadcast_shape(*(getattr(arg, "shape", None) for arg in args))

    def broadcast(arg: Any) -> Any:
        if not hasattr(arg, "shape") or (treat_cpu_scalar_tensors_as_numbers and is_cpu_scalar_tensor(arg)):
            return arg
        # What broadcasts a dim of 1 leaves any other as it is
        return arg if identical_shapes(arg.shape, common) else expand_fn(arg, common)

    return tuple(map(broadcast, args))

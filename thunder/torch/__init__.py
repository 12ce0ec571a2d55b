"""Patch to ``thunder.torch``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from thunder.core.compile_data import guard_recorder, quietly, using_symbolic_values
from thunder.core.prims import OpTags
from thunder.core.proxies import IntegerProxy, NumberProxy
from thunder.core.symbol import Symbol
from thunder.core.utils import canonicalize_dim, canonicalize_dims
from thunder_symbolic.vocabulary import amend, wrap


def _as_float(factor: Any) -> Any:
    # A symbolic integer too: arithmetic with a float promotes it
    return factor * 1.0 if isinstance(factor, (int, IntegerProxy)) else factor


@wrap("_interpolate_scale_factor_helper")
def interpolate_by_factor(original: Callable[..., Any], a: Any, scale_factor: Any, mode: str = "nearest") -> Any:
    """Resize by whole factors for any dims; PyTorch takes integers as factors, upstream's meta floats only."""
    if not using_symbolic_values():
        return original(a, scale_factor, mode)
    from thunder.torch.resizing import repeat_elements, whole_factors

    factors = whole_factors(scale_factor, len(a._shape) - 2)
    if factors is not None and mode in ("nearest", "nearest-exact"):
        return repeat_elements(a, factors)
    if isinstance(scale_factor, Sequence):
        return original(a, [_as_float(factor) for factor in scale_factor], mode)
    return original(a, _as_float(scale_factor), mode)


@wrap("split.meta")
def split(original: Callable[..., Any], a: Any, size_or_sections: Any, /, dim: int = 0) -> Any:
    by_length = isinstance(size_or_sections, (int, IntegerProxy))
    if not by_length or not (using_symbolic_values() or a.shape[canonicalize_dim(len(a._shape), dim)] == 0):
        return original(a, size_or_sections, dim)
    from thunder.torch.splits import split_by_length

    return split_by_length(a, size_or_sections, dim)


@wrap("chunk.meta")
def chunk(original: Callable[..., Any], a: Any, chunks: Any, dim: int = 0) -> Any:
    if not using_symbolic_values():
        return original(a, chunks, dim)
    from thunder.torch.splits import chunk

    return chunk(a, chunks, dim)


@wrap("_split_n")
def split_evenly(original: Callable[..., Any], a: Any, n: Any, dim: int = 0) -> Any:
    if not using_symbolic_values():
        return original(a, n, dim)
    from thunder.torch.splits import split_evenly

    return split_evenly(a, n, dim)


@wrap("tensor.meta")
def tensor(original: Callable[..., Any], numbers: Any, **options: Any) -> Any:
    """Return the tensor of a number; upstream takes sequences that hold symbolic numbers, and names no other."""
    if not isinstance(numbers, NumberProxy):
        return original(numbers, **options)
    return original([numbers], **options)[0]


@amend("opt_einsum")
def plan_quietly(planner: ModuleType) -> SimpleNamespace:
    """Let the order of contractions, on which no result depends, follow from the first call's dims."""
    return SimpleNamespace(contract_path=partial(quietly, planner.contract_path))


@wrap("_get_fake_arg")
def fake_argument(original: Callable[[Any], Any], argument: Any) -> Any:
    if not using_symbolic_values():
        return original(argument)
    from thunder.core.transforms.fake_shapes import fake_argument

    return fake_argument(original, argument)


@wrap("_fake_type_to_thunder")
def proxy_of_fake(original: Callable[[Any], Any], fake: Any) -> Any:
    if not using_symbolic_values():
        return original(fake)
    from thunder.core.transforms.fake_shapes import proxy_of_fake

    return proxy_of_fake(original, fake)


def _symbolic_meta(meta: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(meta)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not using_symbolic_values():
            return meta(*args, **kwargs)
        from thunder.core.transforms.fake_shapes import symbolic_meta

        return symbolic_meta(meta)(*args, **kwargs)

    return call


@wrap("meta_adaptor")
def meta_of_custom_op(original: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    return _symbolic_meta(original(function))


@amend("_torch_to_thunder_function_map")
def registered_by_torch(table: dict[Any, Symbol]) -> dict[Any, Symbol]:
    """Let the operations that torch's own shape rules describe keep symbolic dims."""
    from thunder.executors.torchex import ex

    symbols = {id(entry): entry for entry in table.values() if isinstance(entry, Symbol)}
    for sym in symbols.values():
        if OpTags.AUTO_REGISTERED not in (sym.tags or ()):
            continue
        for symbol in (sym, ex.implmap[sym.id].symbol):
            object.__setattr__(symbol, "meta", _symbolic_meta(symbol.meta))  # a symbol is a frozen dataclass
    return table


def _contiguity(meta: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(meta)
    def is_contiguous(a: Any, *, memory_format: torch.memory_format = torch.contiguous_format) -> Any:
        if guard_recorder() is None:
            return meta(a, memory_format=memory_format)
        from thunder.core.transforms import layout

        return layout.is_contiguous(a, memory_format)

    return is_contiguous


def _stride(a: Any, dim: Any = None) -> Any:
    if guard_recorder() is None:
        raise AttributeError("Unknown attribute stride")  # in upstream's words
    from thunder.core.transforms import layout

    return layout.stride(a, dim)


# What upstream answers for a new tensor of the same shape, whatever the call's tensor is
_NOT_OF_THE_SHAPE = (
    "data_ptr",
    "dim_order",
    "is_conj",
    "is_inference",
    "is_neg",
    "is_pinned",
    "is_set_to",
    "is_shared",
)


def _refused(name: str, meta: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(meta)
    def call(*args: Any, **kwargs: Any) -> Any:
        if guard_recorder() is None:
            return meta(*args, **kwargs)
        raise NotImplementedError(f"{name} is not known while tracing: it is not a matter of shape and strides")

    return call


@amend("_torch_to_thunder_function_map")
def questions_of_layout(table: dict[Any, Any]) -> dict[Any, Any]:
    """Let ``x.stride()`` and ``x.is_contiguous()`` be answered while tracing."""
    from thunder.torch.langctx import register_method

    contiguity = table[torch.Tensor.is_contiguous]
    object.__setattr__(contiguity, "meta", _contiguity(contiguity.meta))
    table[torch.Tensor.stride] = Symbol(name="stride", meta=_stride, id="torch.Tensor.stride")
    register_method("stride", table[torch.Tensor.stride])
    for name in _NOT_OF_THE_SHAPE:
        symbol = table[getattr(torch.Tensor, name)]
        object.__setattr__(symbol, "meta", _refused(name, symbol.meta))
    return table


def _methods_order(symbol: Symbol) -> Callable[..., Any]:
    """Return ``symbol`` as the tensor's method, whose tensor is the second argument of the function."""

    @wraps(symbol.meta)
    def method(a: Any, first: Any, *others: Any) -> Any:
        return symbol(first, a, *others)

    return method


@amend("_torch_to_thunder_function_map")
def methods_of_tensors(table: dict[Any, Any]) -> dict[Any, Any]:
    """Let ``x.where(condition, y)`` and ``x.polygamma(n)`` have torch's order; add what ``%`` and ``+x`` look up."""
    from thunder.torch.langctx import register_method

    register_method("mod", table[torch.remainder])
    register_method("pos", table[torch.positive])
    # Upstream gives the tensor's method the id of the function of the same name in torch.nn.functional
    object.__setattr__(table[torch.Tensor.unfold], "id", "torch.Tensor.unfold")
    for name in ("where", "polygamma"):
        method = _methods_order(table[getattr(torch, name)])
        register_method(name, method)
        table[getattr(torch.Tensor, name)] = method
    return table


@amend("_torch_to_thunder_function_map")
def tensors_from_numbers(table: dict[Any, Any]) -> dict[Any, Any]:
    """Let ``eye`` and ``linspace`` be traced."""
    from thunder.torch.creation import CREATED

    return {**table, **CREATED}


@wrap("unbind.meta")
def unbind(original: Callable[..., Any], a: Any, /, dim: int = 0) -> Any:
    """Return the tensors along ``dim``: none where it is empty."""
    if len(a._shape) > 0 and a.shape[canonicalize_dim(len(a._shape), dim)] == 0:
        return ()
    return original(a, dim)


@wrap("logsumexp.meta")
def logsumexp(original: Callable[..., Any], a: Any, /, dim: Any, keepdim: bool = False) -> Any:
    """Return the logarithm of the sum of exponentials: of nothing, that of zero."""
    from thunder import torch as ltorch

    axes = canonicalize_dims(len(a._shape), dim if isinstance(dim, Sequence) else (dim,))
    if any(a.shape[axis] == 0 for axis in axes):
        return ltorch.log(ltorch.sum(ltorch.exp(a), dim, keepdim))
    return original(a, dim, keepdim)


@wrap("cat.meta")
def cat(original: Callable[..., Any], tensors: Any, dim: Any = 0) -> Any:
    """Concatenate; a tensor of one dim without elements fits tensors of any rank."""
    if len({len(t._shape) for t in tensors}) > 1:
        tensors = [t for t in tensors if not (len(t._shape) == 1 and t.shape[0] == 0)]
    return original(tensors, dim)


def _by_unbiased(symbol: Symbol) -> Callable[..., Any]:
    """Return ``symbol``, which knows ``correction``, as a function of the older argument ``unbiased``, too."""

    @wraps(symbol.meta)
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        names = ("unbiased",) if args and isinstance(args[0], bool) else ("dim", "unbiased", "keepdim")
        given = {**dict(zip(names, args)), **kwargs}
        if "unbiased" in given:
            given["correction"] = int(given.pop("unbiased"))
        return symbol(a, **given)

    return call


@amend("_torch_to_thunder_function_map")
def variance_by_unbiased(table: dict[Any, Any]) -> dict[Any, Any]:
    """Let ``var(unbiased=...)`` and its like be traced."""
    from thunder.torch.langctx import register_method

    for name in ("var", "std", "var_mean"):
        function = _by_unbiased(table[getattr(torch, name)])
        table[getattr(torch, name)] = function
        if hasattr(torch.Tensor, name):
            table[getattr(torch.Tensor, name)] = function
            register_method(name, function)
    return table

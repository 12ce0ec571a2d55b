"""The structure of a call's arguments: how many, in which containers, under which keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import optree
from thunder.core import prims
from thunder.core.symbol import Symbol
from thunder.core.trace import get_tracectx


class StructureFailure(Exception):
    """A call's containers differ from those that a specialization was compiled for."""


def _check_structure_meta(args: Any, kwargs: Any) -> None:
    """Return None: the check has no result."""


def _structure_of(tree: Any) -> Any:
    return optree.tree_structure(tree, none_is_leaf=True)


def bind_structure_check(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Append to the prologue that is being traced the check that a call's containers are built like these.

    Upstream checks the number of arguments; what is inside lists, tuples and dicts it reads without asking how
    much more there is.
    """
    trace = get_tracectx()
    assert trace is not None
    inputs = {bsym.output.name: bsym.output for bsym in trace.bound_symbols if bsym.sym is prims.unpack_trivial}
    expected = _structure_of((args, kwargs))

    def check_structure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if _structure_of((args, kwargs)) != expected:
            raise StructureFailure

    symbol = Symbol(
        name="check_structure",
        meta=_check_structure_meta,
        id="thunder_symbolic.check_structure",
        is_prim=True,
        tags=(prims.OpTags.DONT_DCE,),
        python_impl=check_structure,
    )
    context: dict[str, Callable[..., None]] = {"check_structure": check_structure}
    bsym = symbol.bind(inputs["args"], inputs["kwargs"], output=None, _call_ctx=context)
    trace.peek_scope().append(bsym)

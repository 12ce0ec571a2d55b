"""The structure of a call's arguments: how many, in which containers, under which keys, and which plain objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import optree
from thunder.core import prims
from thunder.core.symbol import Symbol
from thunder.core.trace import get_tracectx
from thunder.core.transforms.leaves import Comparison, comparison


class StructureFailure(Exception):
    """A call's containers differ from those that a specialization was compiled for."""


def _check_structure_meta(args: Any, kwargs: Any) -> None:
    """Return None: the check has no result."""


def structure_of(tree: Any) -> Any:
    """Return the containers of ``tree``: their types, lengths and keys."""
    return optree.tree_structure(tree, none_is_leaf=True)


def _flatten(tree: Any) -> tuple[list[Any], Any]:
    return optree.tree_flatten(tree, none_is_leaf=True)


@dataclass(frozen=True)
class StructureCheck:
    """Raises StructureFailure for arguments in other containers, or with other plain objects.

    Args:
        structure: the containers.
        compared: position of each plain object among the leaves, and how it is compared.
    """

    structure: Any
    compared: tuple[tuple[int, Comparison], ...]

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        leaves, structure = _flatten((args, kwargs))
        if structure != self.structure or not all(same(leaves[index]) for index, same in self.compared):
            raise StructureFailure


def bind_structure_check(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Append to the prologue that is being traced the check that a call's containers are built like these.

    Upstream checks the number of arguments; what is inside lists, tuples and dicts it reads without asking how
    much more there is, and leaves such as None or an enum member it does not compare.
    """
    trace = get_tracectx()
    assert trace is not None
    inputs = {bsym.output.name: bsym.output for bsym in trace.bound_symbols if bsym.sym is prims.unpack_trivial}
    leaves, expected = _flatten((args, kwargs))
    compared = ((index, comparison(leaf)) for index, leaf in enumerate(leaves))
    check = StructureCheck(expected, tuple((index, same) for index, same in compared if same is not None))
    symbol = Symbol(
        name="check_structure",
        meta=_check_structure_meta,
        id="thunder_symbolic.check_structure",
        is_prim=True,
        tags=(prims.OpTags.DONT_DCE,),
        python_impl=check,
    )
    context: dict[str, Any] = {"check_structure": check}
    bsym = symbol.bind(inputs["args"], inputs["kwargs"], output=None, _call_ctx=context)
    trace.peek_scope().append(bsym)

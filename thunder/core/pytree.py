"""Patch to ``thunder.core.pytree``: a tree is flattened once, not twice and rebuilt between."""

from __future__ import annotations

from typing import Any

from thunder.core.pytree import _registered_dataclasses, register_pytree_node_dataclass, tree_flatten
from thunder_symbolic.vocabulary import replace


@replace("tree_flatten_with_dataclass")
def tree_flatten_with_dataclass(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves of ``tree``, those inside dataclasses too, and how it is built."""
    leaves, spec = tree_flatten(tree)
    new = [kind for kind in set(map(type, leaves)) if _is_unregistered_dataclass(kind)]
    if not new:
        return leaves, spec
    for kind in new:
        register_pytree_node_dataclass(kind)
        _registered_dataclasses.add(kind)
    return tree_flatten(tree)


def _is_unregistered_dataclass(kind: type) -> bool:
    return hasattr(kind, "__dataclass_fields__") and kind not in _registered_dataclasses and kind is not type

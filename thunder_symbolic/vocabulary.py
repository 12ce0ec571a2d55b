"""The words a patch file uses to say what it changes in the upstream module of the same path.

A patch file is an ordinary Python module. Each change is a function under one of five decorators:

- ``@replace("name")``: the function takes the place of an upstream function, method or property getter;
- ``@wrap("name")``: the function is called with the upstream object first, then with the call's own arguments;
- ``@amend("name")``: the function receives an upstream table and returns the table to use instead;
- ``@add("name")``: the function (or property) is bound under a name upstream does not have;
- ``@around_import``: the context manager is entered before the upstream module's body runs, and left after it.

A name is an attribute of the upstream module, or of one of its classes (``"TensorProxy.shape"``) or symbols
(``"split.meta"``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Kind = Literal["replace", "wrap", "amend", "add", "around_import"]
F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__thunder_symbolic_change__"


@dataclass(frozen=True)
class Change:
    """One declared change.

    Args:
        kind: which of the words declared it.
        target: the upstream name, relative to its module.
        function: what the patch file hands over.
        is_property: whether ``add`` binds the function as a property getter.
        setter: the setter of that property, if it has one.
    """

    kind: Kind
    target: str
    function: Callable[..., Any]
    is_property: bool = False
    setter: Callable[[Any, Any], None] | None = None


def _declare(
    kind: Kind, target: str, is_property: bool = False, setter: Callable[[Any, Any], None] | None = None
) -> Callable[[F], F]:
    def decorator(function: F) -> F:
        changes = getattr(function, _MARK, ())
        setattr(function, _MARK, (*changes, Change(kind, target, function, is_property, setter)))
        return function

    return decorator


def replace(target: str) -> Callable[[F], F]:
    """Replace the upstream function, method or property getter called ``target``."""
    return _declare("replace", target)


def wrap(target: str) -> Callable[[F], F]:
    """Call the decorated function in place of ``target``, with the upstream object as first argument."""
    return _declare("wrap", target)


def amend(target: str) -> Callable[[F], F]:
    """Bind ``target`` to what the decorated function returns for the upstream object."""
    return _declare("amend", target)


def add(
    target: str, *, is_property: bool = False, setter: Callable[[Any, Any], None] | None = None
) -> Callable[[F], F]:
    """Bind the decorated function under ``target``, a name that upstream does not define."""
    return _declare("add", target, is_property, setter)


def around_import(function: F) -> F:
    """Enter ``function(path)``, a context manager, around the body of the upstream module at ``path``."""
    return _declare("around_import", "")(function)


def changes_in(namespace: dict[str, Any]) -> list[Change]:
    """Return the changes declared in a patch module's ``namespace``, in the order of their definition."""
    return [
        change
        for value in namespace.values()
        if callable(value) and getattr(value, "__module__", None) == namespace["__name__"]
        for change in getattr(value, "__dict__", {}).get(_MARK, ())
    ]

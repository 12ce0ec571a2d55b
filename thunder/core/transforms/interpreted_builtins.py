"""Python's builtins over iterables, written in Python: the interpreter looks into the items and the functions given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

_MISSING: Any = object()


def add_up(iterable: Iterable[Any], /, start: Any = 0) -> Any:
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    total = start
    for item in iterable:
        total = total + item
    return total


def smallest(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
    if not args:
        raise TypeError("min expected at least 1 argument, got 0")
    if len(args) > 1 and default is not _MISSING:
        raise TypeError("Cannot specify a default for min() with multiple positional arguments")
    best = best_key = _MISSING
    for item in args if len(args) > 1 else args[0]:
        item_key = item if key is None else key(item)
        if best is _MISSING or item_key < best_key:
            best, best_key = item, item_key
    if best is not _MISSING:
        return best
    if default is _MISSING:
        raise ValueError("min() arg is an empty sequence")
    return default


def largest(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
    if not args:
        raise TypeError("max expected at least 1 argument, got 0")
    if len(args) > 1 and default is not _MISSING:
        raise TypeError("Cannot specify a default for max() with multiple positional arguments")
    best = best_key = _MISSING
    for item in args if len(args) > 1 else args[0]:
        item_key = item if key is None else key(item)
        if best is _MISSING or item_key > best_key:
            best, best_key = item, item_key
    if best is not _MISSING:
        return best
    if default is _MISSING:
        raise ValueError("max() arg is an empty sequence")
    return default


def in_order(iterable: Iterable[Any], /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    return [items[position] for position in positions_in_order(keys, bool(reverse))]


def positions_in_order(keys: list[Any], reverse: bool) -> list[int]:
    """Return the positions of ``keys`` in ascending order; equal ones keep theirs, also where it is reversed."""
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def every(iterable: Iterable[Any], /) -> bool:
    return not any(not item for item in iterable)


def mapped(function: Callable[..., Any], iterable: Iterable[Any], /, *others: Iterable[Any]) -> Iterator[Any]:
    for items in zip(iterable, *others):
        yield function(*items)


def filtered(function: Any, iterable: Iterable[Any], /) -> Iterator[Any]:
    for item in iterable:
        if item if function is None else function(item):
            yield item


def numbered(iterable: Iterable[Any], start: Any = 0) -> Iterator[Any]:
    if not isinstance(start, int):
        raise TypeError(f"'{type(start).__name__}' object cannot be interpreted as an integer")
    number = start
    for item in iterable:
        yield number, item
        number = number + 1


def count_of(sequence: Any, value: Any, /) -> int:
    return len([item for item in sequence if item is value or item == value])


INTERPRETED: dict[Any, Callable[..., Any]] = {
    sum: add_up,
    min: smallest,
    max: largest,
    sorted: in_order,
    all: every,
    map: mapped,
    filter: filtered,
    list.count: count_of,
    tuple.count: count_of,
}

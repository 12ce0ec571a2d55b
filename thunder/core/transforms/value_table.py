"""The scoped table of number values: which definition of a dim or number dominates the current point.

Entering a scope copies nothing: what a scope adds is written to its undo log and taken back when it ends
(as in the scoped hash table of MLIR's CSE).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.symbol import BoundSymbol


@dataclass
class Slot:
    """The place of one bound symbol in its scope, with the unpacks that follow it."""

    bound_symbols: list[BoundSymbol] = field(default_factory=list)
    unpacks: list[Unpack] = field(default_factory=list)


@dataclass
class Unpack:
    """A tensor whose dims can be had at a slot, and those that were asked for, by index."""

    tensor: TensorProxy
    slot: Slot
    scope: Scope
    dims: dict[int, NumberProxy] = field(default_factory=dict)


@dataclass
class Pending:
    """A number operation that is placed only once its value is used."""

    bound_symbol: BoundSymbol
    slot: Slot
    scope: Scope


@dataclass
class Scope:
    """A list of bound symbols while it is rebuilt.

    Attributes:
        slots: one for each bound symbol so far, in order.
        undo: the table entries that end with this scope.
        inputs: the slot behind the leading unpacks of inputs, where their dims are unpacked too.
    """

    slots: list[Slot] = field(default_factory=list)
    undo: list[tuple[dict[Any, Any], Any]] = field(default_factory=list)
    inputs: Slot | None = None

    def new_slot(self) -> Slot:
        slot = Slot()
        self.slots.append(slot)
        return slot


class ValueTable:
    """Value numbers and where their values can be had; every entry belongs to a scope.

    Attributes:
        definitions: value number to the number that holds it.
        pending: value number to the operation that would compute it.
        carriers: value number to a tensor's dim that equals it.
    """

    def __init__(self) -> None:
        self.definitions: dict[Any, NumberProxy] = {}
        self.pending: dict[Any, Pending] = {}
        self.carriers: dict[Any, tuple[Unpack, int]] = {}

    def enter(self, table: dict[Any, Any], scope: Scope, number: Any, entry: Any) -> None:
        """Add ``entry`` under the value number until ``scope`` is left; an entry that dominates stays."""
        if number not in table:
            table[number] = entry
            scope.undo.append((table, number))

    def holds(self, number: Any) -> bool:
        """Return whether the value of ``number`` can be had at the current point."""
        return number in self.definitions or number in self.pending or number in self.carriers

    def leave(self, scope: Scope) -> None:
        """Take back what ``scope`` added."""
        for table, number in reversed(scope.undo):
            del table[number]

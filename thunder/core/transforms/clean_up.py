"""The pass that restores SSA on traces with symbolic values.

Number operations and unpacks are placed on demand: a use of a number is served by the definition that
dominates it, else by the operation that computes it, else by the dim of a tensor that dominates it. What
nobody asks for is never placed, what is asked for twice is placed once.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

from thunder.core import prims
from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import NumberProxy, Proxy, TensorProxy
from thunder.core.pytree import tree_flatten_with_dataclass, tree_map, tree_unflatten
from thunder.core.symbol import BoundSymbol, Symbol
from thunder.core.trace import TraceCtx, TraceProvenance, from_trace
from thunder.core.transforms.expressions import Expression, constant
from thunder.core.transforms.number_operations import is_pure_number_operation, is_unpack, unpack_symbol
from thunder.core.transforms.timing import timed
from thunder.core.transforms.value_table import Pending, Scope, Slot, Unpack, ValueTable

_INPUT_UNPACKS = {prims.PrimIDs.UNPACK_TRIVIAL, prims.PrimIDs.UNPACK_SEQUENCE}


@timed("clean_up_seconds")
def clean_up(trace: TraceCtx) -> TraceCtx:
    """Return ``trace`` with one dominating definition for each dim and number that it uses, at all depths.

    Args:
        trace: a computation, joint, forward or backward trace, or the trace of a region.

    Returns:
        TraceCtx: a new trace; tensor operations and their order are those of ``trace``.
    """
    new_trace = from_trace(trace)
    work = _CleanUp(new_trace, unpack_symbol(trace))
    new_trace.bound_symbols = work.run(trace.bound_symbols)
    new_trace.args, new_trace.kwargs = tree_map(work.name_dims, (trace.args, trace.kwargs))
    new_trace.set_provenance(TraceProvenance("Clean-up of dims and numbers"))
    return new_trace


class _CleanUp:
    def __init__(self, trace: TraceCtx, unpack: Symbol) -> None:
        self.trace = trace
        self.unpack = unpack
        self.table = ValueTable()
        self.aliases: dict[str, NumberProxy | int] = {}
        self.names: dict[Any, NumberProxy] = {}
        self.tensors: dict[str, TensorProxy] = {}
        self.defined: set[str] = set()
        recorder = guard_recorder()
        self.canonical: Callable[[Expression], Expression] = (
            (lambda expression: expression) if recorder is None else recorder.canonical
        )

    def run(self, bound_symbols: Iterable[BoundSymbol]) -> list[BoundSymbol]:
        scope = Scope()
        for bsym in bound_symbols:
            self.visit(bsym, scope)
        self.table.leave(scope)
        return [bsym for slot in scope.slots for bsym in (*slot.bound_symbols, *map(self.build_unpack, slot.unpacks))]

    def visit(self, bsym: BoundSymbol, scope: Scope) -> None:
        if is_pure_number_operation(bsym):
            self.visit_number_operation(bsym, scope)
            return
        slot = scope.new_slot()
        if bsym.sym.id in _INPUT_UNPACKS and (len(scope.slots) == 1 or scope.inputs is scope.slots[-2]):
            scope.inputs = slot
        args, kwargs = self.substitute((bsym.args, bsym.kwargs), bsym.flat_args_and_spec)
        for proxy in bsym.flat_proxy_outs:
            self.defined.add(proxy.name)
        subsymbols = self.run(bsym.subsymbols) if bsym.subsymbols else bsym.subsymbols
        output = self.substitute(bsym.output, bsym.flat_outs_and_spec, self.name_dims)
        new = bsym.from_bsym(args=args, kwargs=kwargs, output=output, subsymbols=subsymbols)
        slot.bound_symbols.append(new)
        self.define_outputs(new, slot, scope)

    def visit_number_operation(self, bsym: BoundSymbol, scope: Scope) -> None:
        if not bsym.sym.is_prim and bsym.sym.executor is None:
            # A composite of number operations only names them
            for inner in bsym.subsymbols:
                self.visit_number_operation(inner, scope)
            return
        if is_unpack(bsym):
            self.note_aliases(bsym)
            return
        pending = Pending(bsym, scope.new_slot(), scope)
        for output in bsym.flat_proxy_outs:
            number = self.number(output)
            self.names.setdefault(number, output)
            if number not in self.table.definitions and number not in self.table.carriers:
                self.table.enter(self.table.pending, scope, number, pending)

    def name_dims(self, proxy: Any) -> Any:
        """Return a tensor whose dims carry, for each value number, one name in the whole trace."""
        if not isinstance(proxy, TensorProxy):
            return proxy
        known = self.tensors.get(proxy.name)
        if known is not None:
            return known
        dims = tuple(self.name_of(dim) if isinstance(dim, NumberProxy) else dim for dim in proxy._shape)
        if any(a is not b for a, b in zip(dims, proxy._shape)):
            proxy = copy.copy(proxy)
            proxy._shape = dims
        self.tensors[proxy.name] = proxy
        return proxy

    def name_of(self, dim: NumberProxy) -> Any:
        number = self.number(dim)
        if isinstance(number, Expression) and number.op == "const":
            return number.value
        return self.names.setdefault(number, dim)

    def note_aliases(self, bsym: BoundSymbol) -> None:
        """Let names that an unpack gives to dims stand for the dims that the tensor carries."""
        for output, dim in zip(bsym.output, bsym.args[0]._shape):
            if not isinstance(output, NumberProxy) or dim is output:
                continue
            # A shape that was computed again may be expressed otherwise, or be known
            if output._expression is None or not self.table.holds(self.number(output)):
                self.aliases[output.name] = dim

    def define_outputs(self, bsym: BoundSymbol, slot: Slot, scope: Scope) -> None:
        for output in bsym.flat_proxy_outs:
            if isinstance(output, NumberProxy):
                self.table.enter(self.table.definitions, scope, self.number(output), output)
            elif isinstance(output, TensorProxy) and output._shape:
                self.carry(output, slot, scope)

    def carry(self, tensor: TensorProxy, slot: Slot, scope: Scope) -> None:
        unpack = None
        for index, dim in enumerate(tensor._shape):
            if isinstance(dim, NumberProxy):
                unpack = unpack or Unpack(tensor, slot, scope)
                self.table.enter(self.table.carriers, scope, self.number(dim), (unpack, index))

    def number(self, proxy: NumberProxy) -> Any:
        """Return the value number: the expression up to what guards make equal, else the name."""
        proxy = self.aliases.get(proxy.name, proxy)
        if not isinstance(proxy, NumberProxy):
            return constant(proxy)
        return proxy.name if proxy._expression is None else self.canonical(proxy._expression)

    def resolve(self, proxy: NumberProxy) -> Any:
        """Return what holds the value of ``proxy`` at the current point: a number, or a constant."""
        number = self.number(proxy)
        if isinstance(number, Expression) and number.op == "const":
            return number.value
        held = self.table.definitions.get(number)
        if held is not None:
            return held
        pending = self.table.pending.get(number)
        if pending is not None:
            self.place(pending)
            return self.table.definitions[number]
        carrier = self.table.carriers.get(number)
        if carrier is None:
            return proxy
        unpack, index = carrier
        if not unpack.dims:
            self.slot_of(unpack).unpacks.append(unpack)
        definition = unpack.dims[index] = self.define(proxy)
        self.table.enter(self.table.definitions, unpack.scope, number, definition)
        return definition

    @staticmethod
    def slot_of(unpack: Unpack) -> Slot:
        """Return where a tensor is unpacked: behind it, or behind all inputs where it is one."""
        inputs = unpack.scope.inputs
        is_input = any(bsym.sym.id in _INPUT_UNPACKS for bsym in unpack.slot.bound_symbols)
        return unpack.slot if inputs is None or not is_input else inputs

    def place(self, pending: Pending) -> None:
        bsym = pending.bound_symbol
        args, kwargs = self.substitute((bsym.args, bsym.kwargs), bsym.flat_args_and_spec)
        output = self.map_output(bsym, self.define)
        pending.slot.bound_symbols.append(bsym.from_bsym(args=args, kwargs=kwargs, output=output, subsymbols=()))
        for old, new in zip(bsym.flat_outs, tree_flatten_with_dataclass(output)[0]):
            if isinstance(old, NumberProxy):
                self.table.enter(self.table.definitions, pending.scope, self.number(old), new)

    def define(self, proxy: NumberProxy) -> NumberProxy:
        """Return the number that names the value of ``proxy``, or a copy where its names are defined elsewhere."""
        chosen = self.names.get(self.number(proxy), proxy)
        if chosen.name in self.defined:
            chosen = proxy
        if chosen.name in self.defined:
            chosen = copy.copy(proxy)
            chosen._name = self.trace.make_name(prefix=proxy.prefix)
            chosen._expression, chosen._sources = proxy._expression, proxy._sources
        self.defined.add(chosen.name)
        return chosen

    @staticmethod
    def map_output(bsym: BoundSymbol, change: Callable[[NumberProxy], Any]) -> Any:
        flat, spec = bsym.flat_outs_and_spec
        return tree_unflatten([change(x) if isinstance(x, NumberProxy) else x for x in flat], spec)

    def substitute(
        self, tree: Any, flattened: tuple[list[Any], Any], change: Callable[[Any], Any] | None = None
    ) -> Any:
        change = change or self.replace
        flat, spec = flattened
        new = [change(x) if isinstance(x, Proxy) else x for x in flat]
        return tree if all(a is b for a, b in zip(flat, new)) else tree_unflatten(new, spec)

    def replace(self, proxy: Proxy) -> Any:
        return self.resolve(proxy) if isinstance(proxy, NumberProxy) else self.name_dims(proxy)

    def build_unpack(self, unpack: Unpack) -> BoundSymbol:
        output = tuple(unpack.dims.get(index) for index in range(len(unpack.tensor._shape)))
        return self.unpack.bind(unpack.tensor, output=output)

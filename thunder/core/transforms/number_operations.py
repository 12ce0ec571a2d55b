"""Operations on numbers: how a primitive's result is expressed by its arguments."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

from thunder.core import prims
from thunder.core.prims import PrimIDs
from thunder.core.proxies import NumberProxy
from thunder.core.python_prims import python_operation
from thunder.core.symbol import BoundSymbol, Symbol
from thunder.core.transforms.expressions import Expression, apply, constant, exact_quotient

if TYPE_CHECKING:
    from thunder.core.trace import TraceCtx
    from thunder.core.transforms.guards import GuardRecorder

_OPERATIONS: dict[Any, str] = {
    PrimIDs.ADD: "add",
    PrimIDs.SUB: "sub",
    PrimIDs.MUL: "mul",
    PrimIDs.NEG: "neg",
    PrimIDs.ABS: "abs",
    PrimIDs.PY_FLOORDIV: "floordiv",
    PrimIDs.REMAINDER: "mod",
    PrimIDs.POW: "pow",
    PrimIDs.EQ: "eq",
    PrimIDs.NE: "ne",
    PrimIDs.LT: "lt",
    PrimIDs.LE: "le",
    PrimIDs.GT: "gt",
    PrimIDs.GE: "ge",
    PrimIDs.CEIL: "ceil",
    PrimIDs.FLOOR: "floor",
    PrimIDs.SQRT: "sqrt",
    PrimIDs.EXP: "exp",
    PrimIDs.LOG: "log",
    PrimIDs.LOG2: "log2",
    PrimIDs.BITWISE_AND: "and_",
    PrimIDs.BITWISE_OR: "or_",
    PrimIDs.BITWISE_XOR: "xor",
}
_CASTS: dict[Any, str] = {int: "to_int", float: "to_float", bool: "to_bool"}
_DIVISIONS = {PrimIDs.PY_FLOORDIV, PrimIDs.REMAINDER, PrimIDs.DIV}

# Primitives that compute a number from numbers and do nothing else
_PURE = frozenset(
    (
        *_OPERATIONS,
        PrimIDs.DIV,
        PrimIDs.CONVERT_ELEMENT_TYPE,
        PrimIDs.FMOD,
        PrimIDs.SIGNBIT,
        PrimIDs.LOG10,
        PrimIDs.TRUNC,
        PrimIDs.SHALLOW_COPY,
    )
)


def primitive_of(sym: Symbol) -> Any:
    """Return the id of the primitive that ``sym`` is, or that an executor implements by it."""
    executor = sym.executor
    if executor is None:
        return sym.id
    implemented = executor.__dict__.get("_implemented_primitives")
    if implemented is None or implemented[0] != len(executor.implmap):
        table = {info.symbol: id for id, info in executor.implmap.items() if info.symbol is not None}
        implemented = executor.__dict__["_implemented_primitives"] = (len(executor.implmap), table)
    return implemented[1].get(sym)


def is_unpack(bsym: BoundSymbol) -> bool:
    """Return whether ``bsym`` unpacks a tensor's shape."""
    return primitive_of(bsym.sym) is PrimIDs.SHAPE


def unpack_symbol(trace: TraceCtx) -> Symbol:
    """Return the symbol that unpacks shapes in ``trace``: the executor's once one has claimed operations."""
    if any(bsym.sym.executor is not None for bsym in trace.bound_symbols):
        from thunder.executors.pythonex import ex

        return ex.implmap[PrimIDs.SHAPE].symbol
    return prims.shape


def is_number_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a call takes numbers only, one of them at least a NumberProxy."""
    if not args or kwargs:
        return False
    found = False
    for arg in args:
        if isinstance(arg, NumberProxy):
            found = True
        elif not isinstance(arg, (Number, type)):
            return False
    return found


def expression_of(number: Any) -> Expression | None:
    """Return the expression of a Python number or NumberProxy, or None where none is known."""
    if isinstance(number, NumberProxy):
        return number._expression
    return constant(number) if isinstance(number, (bool, int, float)) else None


def _result_expression(sym: Symbol, args: tuple[Any, ...]) -> Expression | None:
    primitive = primitive_of(sym)
    if primitive is PrimIDs.SHALLOW_COPY:
        return expression_of(args[0])
    if primitive is PrimIDs.CONVERT_ELEMENT_TYPE:
        operand, target = expression_of(args[0]), _CASTS.get(args[1])
        return None if operand is None or target is None else apply(target, operand)
    operands = [expression_of(arg) for arg in args]
    if any(operand is None for operand in operands):
        return None
    if primitive is PrimIDs.DIV and all(o is not None and o.kind is float for o in operands):
        return apply("truediv", *operands)
    operation = _OPERATIONS.get(primitive) or python_operation(primitive)
    return None if operation is None else apply(operation, *operands)


def attach_expression(recorder: GuardRecorder, sym: Symbol, args: tuple[Any, ...], result: Any) -> None:
    """Give ``result``, what ``sym`` returned for ``args``, the expression that it stands for."""
    if not isinstance(result, NumberProxy) or result._expression is not None:
        return
    result._sources = tuple(arg for arg in args if isinstance(arg, NumberProxy))
    primitive = primitive_of(sym)
    if primitive in _DIVISIONS:
        divisor = expression_of(args[1])
        if divisor is not None:
            # The result may go unused, the error that a zero would raise may not.
            recorder.require(apply("ne", divisor, constant(divisor.kind(0))))
            result._expression = _divided(recorder, primitive, args)
        elif isinstance(args[1], NumberProxy):
            recorder.read(args[1])
    if result._expression is None:
        expression = _result_expression(sym, args)
        # The type of a power or of an extremum may depend on the values: a guard says which it is
        result._expression = expression if expression is None or expression.kind is result.python_type else None
        if result._expression is not None:
            operation = _OPERATIONS.get(primitive) or python_operation(primitive)
            recorder.remember(result._expression, operation, map(expression_of, args))


def _divided(recorder: GuardRecorder, primitive: Any, args: tuple[Any, ...]) -> Expression | None:
    """Return the result of a division by what a guard says is not zero, where it leaves no remainder."""
    operands = [expression_of(arg) for arg in args]
    if any(operand is None or operand.kind is not int for operand in operands):
        return None
    dividend, divisor = (recorder.canonical(operand) for operand in operands if operand is not None)
    quotient = exact_quotient(dividend, divisor)
    if quotient is None or primitive is PrimIDs.DIV:
        return None
    return quotient if primitive is PrimIDs.PY_FLOORDIV else constant(0)


def is_pure_number_operation(bsym: BoundSymbol) -> bool:
    """Return whether ``bsym`` computes numbers from numbers, or unpacks a shape, and does nothing else."""
    if bsym.sym.is_prim or bsym.sym.executor is not None:
        primitive = primitive_of(bsym.sym)
        if primitive in _PURE or python_operation(primitive) is not None:
            return is_number_call(bsym.args, bsym.kwargs)
        return primitive is PrimIDs.SHAPE
    return bool(bsym.subsymbols) and all(is_pure_number_operation(inner) for inner in bsym.subsymbols)

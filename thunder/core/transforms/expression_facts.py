"""What follows from expressions assumed true."""

from __future__ import annotations

from collections import deque

from thunder.core.transforms.expression_apply import apply, rebuild
from thunder.core.transforms.expression_bounds import Bounds, extremum_interval, intersection, interval, may_raise
from thunder.core.transforms.expression_logic import FALSE, TRUE, compare, compares_ints, negation
from thunder.core.transforms.expression_nodes import Expression, constant, postorder, symbols
from thunder.core.transforms.expression_polynomials import (
    build,
    combine,
    content,
    distributed,
    leading,
    multiply,
    terms_of,
)

_Range = tuple[Bounds, bool]  # of a value, and whether computing it may raise
_Fact = tuple[Expression, Expression | None]  # as rewritten, and the conjunct it may stand for


def _affine(p: Expression) -> tuple[Expression, int, int]:
    """Return ``form, factor, offset`` with ``p == factor * form + offset`` and ``form`` the same for all such ``p``."""
    terms = terms_of(p)
    offset = terms.pop((), 0)
    factor = content(terms.values())
    if leading(terms) < 0:
        factor = -factor
    return build({monomial: number // factor for monomial, number in terms.items()}), factor, offset


def limits_of(fact: Expression) -> tuple[Expression, Bounds]:
    """Return ``form, (lower, upper)``: a comparison of ints, ``ne`` aside, holds where ``form`` lies within the limits.

    Args:
        fact: a comparison of ints in normal form. Those of expressions that differ by a factor or an offset have one
            form.
    """
    form, factor, offset = _affine(combine(fact.args[0], fact.args[1], -1))
    # The form is the primitive part, and the fact's coefficients have no common factor
    value = -offset * factor
    if fact.op == "eq":
        return form, (value, value)
    if fact.op == "ne":
        return form, (None, None)
    return form, (value, None) if (fact.op == "ge") == (factor > 0) else (None, value)


class Facts:
    """Bool expressions assumed true, and what they decide.

    Where an answer is given it holds for all values of the symbols for which every fact is true; nothing follows from
    None. Decided are facts themselves, comparisons by intervals, and both after equal expressions are replaced by one.
    """

    def __init__(self) -> None:
        self._conjuncts: dict[Expression, None] = {}
        self._truths: dict[Expression, bool] = {}
        self._values: dict[Expression, Expression] = {}
        self._dependents: dict[Expression, set[Expression]] = {}
        self._mentions: dict[Expression, dict[Expression, Expression | None]] = {}
        self._ranges: dict[Expression, Bounds] = {}
        self._holders: dict[tuple[Expression, str], Expression | None] = {}
        self._known_ranges: dict[Expression, _Range] = {}
        self._pending: deque[_Fact] = deque()

    @property
    def conjuncts(self) -> list[Expression]:
        """The facts that imply all the others, in the order they were added."""
        return list(self._conjuncts)

    def add(self, e: Expression) -> bool:
        """Assume that a bool expression is true.

        Args:
            e: the expression; a conjunction counts as its parts.

        Returns:
            Whether it says something new.

        Raises:
            TypeError: ``e`` is not a bool.
        """
        if e.kind is not bool:
            raise TypeError(f"a fact is a bool expression: {e}")
        if e.op == "and_":
            new = [self.add(part) for part in e.args]
            return any(new)
        if self.implies(e):
            return False
        self._conjuncts[e] = None
        self._pending.append((self.substitute(e), e))
        while self._pending:
            self._learn(*self._pending.popleft())
        return True

    def derive(self, e: Expression) -> None:
        """Learn a bool expression that the facts imply by a proof of the caller's, so that none need check it."""
        self._pending.append((self.substitute(e), None))
        while self._pending:
            self._learn(*self._pending.popleft())

    def implies(self, e: Expression) -> bool | None:
        """Return whether a bool expression is true, or None where the facts do not decide it."""
        return self._decide(self.substitute(e))

    def substitute(self, e: Expression) -> Expression:
        """Return ``e`` with each symbol replaced by the expression that stands for all that equal it."""
        if any(s in self._values for s in symbols(e)):
            return rebuild(e, self._values)
        return e

    def _decide(self, e: Expression) -> bool | None:
        if e.op == "const":
            return bool(e.value)
        known = self._truths.get(e)
        if known is not None:
            return known
        if e.op in ("and_", "or_"):
            absorbing = e.op == "or_"
            parts = [self._decide(part) for part in e.args]
            if all(part is not absorbing and part is not None for part in parts):
                return not absorbing
            return absorbing if absorbing in parts and not self._range(e)[1] else None
        if not compares_ints(e):
            return None
        (lower, upper), raises = self._range(combine(e.args[0], e.args[1], -1))
        if raises:
            return None
        if e.op in ("ge", "le"):
            if e.op == "le":
                lower, upper = (None if upper is None else -upper), (None if lower is None else -lower)
            return True if lower is not None and lower >= 0 else False if upper is not None and upper < 0 else None
        if lower == upper == 0:
            return e.op == "eq"
        return e.op == "ne" if (lower is not None and lower > 0) or (upper is not None and upper < 0) else None

    def _range(self, e: Expression) -> _Range:
        known = self._known_ranges
        for node in [e] if e in known else postorder((e,)):
            if node in known:
                continue
            ranges = [known[arg] for arg in node.args]
            limits, raises = node.bounds, False
            if node.args:
                kinds = [arg.kind for arg in node.args]
                values = [value for value, _ in ranges]
                raises = any(r for _, r in ranges) or may_raise(node.op, kinds, values)
                if node.kind is not float:
                    limits = intersection(limits, interval(node.op, node.kind, kinds, values))
            over = distributed(node)
            if over is not None:
                parts = [self._range(part)[0] for part in over[1]]
                limits = intersection(limits, extremum_interval(over[0], parts))
            if node.kind is int and node.op != "const":
                form, factor, offset = _affine(node)
                learned = self._ranges.get(form)
                if learned is not None:
                    ends = [None if end is None else factor * end + offset for end in learned]
                    low, high = ends if factor > 0 else ends[::-1]
                    # A fact has computed the form, so it has a value
                    limits, raises = intersection(limits, (low, high)), False
            known[node] = limits, raises
        return known[e]

    def _learn(self, fact: Expression, origin: Expression | None) -> None:
        if fact is TRUE and origin is not None:
            self._conjuncts.pop(origin, None)
        if fact.op == "const":
            return
        if fact.op == "and_":
            self._pending.extend((part, None) for part in fact.args)
            return
        if fact.op == "symbol" or (fact.op == "not_" and fact.args[0].op == "symbol"):
            self._define(symbols(fact)[0], TRUE if fact.op == "symbol" else FALSE)
            return
        if fact.op == "eq":
            equal = self._solved(fact)
            if equal is not None:
                self._define(*equal)
                return
        self._truths[fact] = True
        self._truths[negation(fact)] = False
        for s in symbols(fact):
            self._mentions.setdefault(s, {})[fact] = origin
        if compares_ints(fact):
            self._learn_range(fact, origin)
        if fact.op == "eq" and fact.args[0].op == "mod":
            (dividend, divisor), remainder = fact.args[0].args, fact.args[1]
            whole = multiply(divisor, apply("floordiv", dividend, divisor))
            self._pending.append((compare("eq", dividend, combine(whole, remainder)), None))

    def _learn_range(self, fact: Expression, origin: Expression | None) -> None:
        form, limits = limits_of(fact)
        self._narrow(form, limits, None if fact.op == "ne" else origin)

    def _narrow(self, form: Expression, limits: Bounds, origin: Expression | None) -> None:
        old = intersection(self._ranges.get(form, (None, None)), form.bounds)
        lower, upper = intersection(old, limits)
        for side, end, before in (("lower", limits[0], lower), ("upper", limits[1], upper)):
            if end is not None and end == before:
                self._supersede((form, side), origin, both=limits[0] == limits[1])
        while lower is not None and self._truths.get(compare("ne", form, constant(lower))):
            lower += 1
        while upper is not None and self._truths.get(compare("ne", form, constant(upper))):
            upper -= 1
        self._ranges[form] = lower, upper
        self._known_ranges.clear()
        if form.op == "symbol" and lower is not None and lower == upper:
            self._define(form, constant(lower), derived=True)

    def _supersede(self, key: tuple[Expression, str], origin: Expression | None, both: bool) -> None:
        previous = self._holders.get(key)
        if origin is None:
            return
        if previous is not None and previous is not origin:
            self._conjuncts.pop(previous, None)
        # An equality holds both ends: tightening one of them does not make it redundant
        self._holders[key] = None if both else origin

    def _solved(self, fact: Expression) -> tuple[Expression, Expression] | None:
        """Return a symbol and what an equality says it is, or None."""
        x, y = fact.args
        if not compares_ints(fact):
            value = y.value if y.op == "const" and x.op == "symbol" and x.kind is float else 0
            # Zero has two signs, and a NaN is not equal to itself
            return (x, constant(float(value))) if value and value == float(value) else None
        p = combine(x, y, -1)
        terms = terms_of(p)
        candidates = []
        for monomial, number in terms.items():
            if len(monomial) == 1 and monomial[0].op == "symbol" and number in (1, -1):
                alone = monomial[0] is x or monomial[0] is y
                candidates.append((alone, monomial[0].order, monomial[0], number))
        for _, _, s, number in sorted(candidates, key=lambda item: item[:2], reverse=True):
            value = combine(s, p, -number)
            if s not in symbols(value) and not value.raises:
                return s, value
        return None

    def _define(self, s: Expression, value: Expression, derived: bool = False) -> None:
        """Replace a symbol from now on, and all that is known of it."""
        for dependent in self._dependents.pop(s, ()):
            self._values[dependent] = rebuild(self._values[dependent], {s: value})
            self._add_dependent(dependent)
        self._values[s] = value
        self._add_dependent(s)
        if s.kind is int and s.bounds[0] is not None:
            self._pending.append((compare("ge", value, constant(s.bounds[0])), None))
        self._known_ranges.clear()
        for fact, origin in self._mentions.pop(s, {}).items():
            if self._truths.pop(fact, None) is not None:
                self._truths.pop(negation(fact), None)
                # What a derived value follows from has to stay among the conjuncts
                self._pending.append((self.substitute(fact), None if derived else origin))

    def _add_dependent(self, s: Expression) -> None:
        for other in symbols(self._values[s]):
            self._dependents.setdefault(other, set()).add(s)

"""Expressions: normal forms, values, code and facts, against plain Python, sympy and z3."""

import ast
import copy
import functools
import gc
import itertools
import math
import weakref

import pytest
import sympy
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from thunder.core.transforms.expressions import (
    Facts,
    apply,
    bounds,
    constant,
    emit,
    evaluate,
    register,
    symbol,
    symbols,
)

DIMS, POSITIVE, INTS, FLOATS, BOOLS = "ijk", "p", "nmd", "fg", "bc"
SYMBOLS = {
    **{name: symbol(("test", name), name, int, 0) for name in DIMS},
    **{name: symbol(("test", name), name, int, 1) for name in POSITIVE},
    **{name: symbol(("test", name), name, int) for name in INTS},
    **{name: symbol(("test", name), name, float) for name in FLOATS},
    **{name: symbol(("test", name), name, bool) for name in BOOLS},
}
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not_",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
CALLS = {"int": "to_int", "float": "to_float", "bool": "to_bool"}
PYTHON = {name: getattr(math, name) for name in ("floor", "ceil", "trunc", "sqrt", "exp", "log", "log2", "inf", "nan")}
ERRORS = (ArithmeticError, ValueError, TypeError)


def parse(source):
    """Return the expression of Python source over SYMBOLS."""
    return _parse(ast.parse(source, mode="eval").body)


def _parse(node):
    match node:
        case ast.Name("inf" | "nan" as name):
            return constant(PYTHON[name])
        case ast.Name(name):
            return SYMBOLS[name]
        case ast.Constant(value):
            return constant(value)
        case ast.BinOp(left, op, right):
            return apply(OPERATORS[type(op)], _parse(left), _parse(right))
        case ast.UnaryOp(op, operand):
            return apply(OPERATORS[type(op)], _parse(operand))
        case ast.Compare(left, [op], [right]):
            return apply(OPERATORS[type(op)], _parse(left), _parse(right))
        case ast.Call(ast.Name(name), args):
            return apply(CALLS.get(name, name), *map(_parse, args))
    raise AssertionError(ast.dump(node))


MUST = """
    i + i                       == 2 * i
    (i + 1) * (i - 1)           == i * i - 1
    2 * i - i                   == i
    i + j                       == j + i
    i * (j + k)                 == k * i + j * i
    (i + j) ** 2                == i * i + 2 * i * j + j * j
    i ** 9                      == i ** 8 * i
    n - n                       == 0
    n ** 0                      == 1
    -(-n)                       == n
    ~n                          == -n - 1
    b + b                       == 2 * int(b)
    4 * i // 4                  == i
    (4 * n + 8) // 4            == n + 2
    (4 * n + m) // 4            == n + m // 4
    (n + 5) // 4                == (n + 1) // 4 + 1
    n // -4                     == -n // 4
    -(-n // 4)                  == (n + 3) // 4
    (2 * n + 2 * m) // 4        == (n + m) // 2
    n // 2 // 3                 == n // 6
    (n // 2 + 1) // 3           == (n + 2) // 6
    (2 * n + 1) // 2            == n
    n // 1                      == n
    n // -1                     == -n
    n % 4 // 4                  == 0
    (i * p) // p                == i
    (i * p + j) // p            == i + j // p
    (i * d + j) // d            == i + j // d
    p // p                      == 1
    2 * n // (2 * d)            == n // d
    n // -d                     == -n // d
    n % 1                       == 0
    (4 * n + m) % 4             == m % 4
    5 * n % 4                   == n % 4
    (n + 8) % 4                 == n % 4
    2 * n % 4                   == 2 * (n % 2)
    n % 8 % 4                   == n % 4
    (n % 8 + m) % 4             == (n + m) % 4
    n % 4 % 8                   == n % 4
    n % -4                      == -(-n % 4)
    (n * p + m) % p             == m % p
    (n * d + m) % d             == m % d
    min(n, n)                   == n
    min(n, m)                   == min(m, n)
    min(n, min(m, d))           == min(min(d, n), m)
    min(n, 3, 5)                == min(3, n)
    max(n, 3, 5)                == max(5, n)
    max(i, 0)                   == i
    max(i, -1)                  == i
    min(p, 1)                   == 1
    min(n, n + 1)               == n
    max(i, 2 * i)               == 2 * i
    max(n % 4, 3)               == 3
    abs(i)                      == i
    abs(-i)                     == i
    abs(-n)                     == abs(n)
    abs(2 * n)                  == 2 * abs(n)
    abs(abs(n))                 == abs(n)
    n << 3                      == 8 * n
    n >> 2                      == n // 4
    n & 7                       == n % 8
    n & n                       == n
    n | 0                       == n
    n ^ n                       == 0
    n ^ -1                      == ~n
    floor(n)                    == n
    int(b)                      == b + 0
    round(n)                    == n
    int(7.5)                    == 7
    i + 1 > 4                   == (4 < i + 1)
    i + 1 > 4                   == (i >= 4)
    2 * i >= 7                  == (i >= 4)
    2 * n < 7                   == (n <= 3)
    -2 * n >= 7                 == (n <= -4)
    not (i < 4)                 == (i >= 4)
    not (n == 4)                == (n != 4)
    n == m                      == (m == n)
    n + 1 == m                  == (m - n == 1)
    2 * n == 2 * m              == (n == m)
    2 * n == 2 * m + 1          == False
    n == n                      == True
    i >= 0                      == True
    i < 0                       == False
    i + j + 1 > 0               == True
    n * n >= 0                  == True
    n % 4 < 4                   == True
    i < 1                       == (i == 0)
    i != 0                      == (i >= 1)
    bool(i)                     == (i >= 1)
    not i                       == (i == 0)
    i > 1.5                     == (i >= 2)
    i == 2.0                    == (i == 2)
    n == 2.5                    == False
    n < inf                     == True
    n != nan                    == True
    not (f == g)                == (f != g)
    f > g                       == (g < f)
    not (not b)                 == b
    b & (not b)                 == False
    b & True                    == b
    b | True                    == True
    b | c                       == c | b
    not (b & c)                 == (not b) | (not c)
    b ^ b                       == False
    b ^ True                    == (not b)
    int(b) >= 1                 == b
    int(b) == 0                 == (not b)
    bool(f)                     == (f != 0.0)
    2.0 * 3                     == 6.0
    float(float(n))             == float(n)
"""

MUST_NOT = """
    n // d - n // d             == 0
    0 * (n // d)                == 0
    (n // d) ** 0               == 1
    0 // d                      == 0
    0 % d                       == 0
    d // d                      == 1
    d % d                       == 0
    (i * j) // j                == i
    n // d == n // d            == True
    n // d >= n // d - 1        == True
    (n % d) % 1                 == 0
    min(n // d, n // d + 1)     == n // d - 0 * (m // k)
    min(3, max(7, n // k))      == 3
    n << m                      == n * 2 ** m
    (n >> m) - (n >> m)         == 0
    False & (n // d >= 2)       == False
    True | (n // d >= 2)        == True
    n // 2 * 2                  == n
    n // 4 + m // 4             == (n + m) // 4
    -n // 4                     == -(n // 4)
    -n % 4                      == -(n % 4)
    n % 4 % 3                   == n % 3
    n // 4 % 2                  == n % 2
    (n + 3) // 4                == n // 4
    n // 2 // m                 == n // (2 * m)
    abs(n)                      == n
    abs(n + m)                  == abs(n) + abs(m)
    max(n, 0)                   == n
    min(n, m)                   == n
    max(n, 2 * n)               == 2 * n
    min(n, m) + k               == min(n + k, m)
    n & 6                       == n % 7
    n | m                       == n + m
    n >= 0                      == True
    n != 0                      == (n >= 1)
    n < 1                       == (n == 0)
    2 * n >= 7                  == (n >= 3)
    n * m == 0                  == (n == 0)
    n * k == m * k              == (n == m)
    n * n == m * m              == (n == m)
    i == 0                      == False
    i + j == 0                  == (i == 0)
    int(i / 2)                  == i // 2
    floor(i / 2)                == i // 2
    float(i) == i               == True
    int(float(n))               == n
    f == f                      == True
    f - f                       == 0.0
    f * 0                       == 0.0
    f + 0.0                     == f
    f + g + 1.0                 == f + (g + 1.0)
    f * g / g                   == f
    f / 2.0 * 2.0               == f
    f * (g + 1.0)               == f * g + f
    f + f                       == 2.0 * f
    f + g                       == g + f
    not (f < g)                 == (f >= g)
    not (f >= 1.0)              == (f < 1.0)
    f // 1                      == f
    f % 1                       == 0.0
    max(f, g)                   == max(g, f)
    min(f, f)                   == min(f, g)
    min(i, 2.5)                 == min(i, 2)
    float(min(f, 1))            == min(f, 1)
    n * 1.0                     == n
    n / 1                       == n
    2 ** n                      == 1 << n
    n ** m * n                  == n ** (m + 1)
    n ** -1                     == 0
    1 // 0                      == 0
    2 // (n - n)                == 0
    b + b                       == b
    b                           == int(b)
    b ^ c                       == b
    b & c                       == b
    b | (not c)                 == True
    True                        == 1
    1                           == 1.0
    0.0                         == -0.0
    sqrt(4 * f)                 == 2 * sqrt(f)
    exp(log(f))                 == f
    log(f * g)                  == log(f) + log(g)
    round(f)                    == floor(f)
    ceil(f)                     == floor(f) + 1
    trunc(f)                    == floor(f)
    round(n, -1)                == n
    n ^ 1                       == n + 1
    (n + m) // 2                == n // 2 + m // 2
    2 * n // 3                  == 2 * (n // 3)
    3 * n // 2                  == n + n // 2 + 1
    n * m // 4                  == n // 4 * m
    -(-n // 4)                  == n // 4
    n // -4                     == -(n // 4)
    n // d                      == -n // d
    n // d // d                 == n // (d * d)
    (n * d + m) // d            == n
    (n * m) % m                 == 0
    2 * n % 4                   == n % 2
    n % 4                       == n % 8
    n % -4                      == n % 4
    n % d                       == -n % d
    (n + m) % 4                 == n % 4 + m % 4
    abs(-i - 1)                 == -i - 1
    abs(n) * abs(m)             == abs(n * n)
    max(n, m, 3)                == max(n, 3)
    min(i, j)                   == i
    -min(n, m)                  == min(-n, -m)
    n >> m                      == n // 2
    n >> -1                     == 2 * n
    n << -1                     == n // 2
    n <= m                      == n < m
    n <= m                      == m <= n
    n * m >= 0                  == True
    3 * n == 2 * m              == n == m
    b == c                      == b ^ c
"""


def pairs(table):
    """Return both sides of each line; the columns tell which ``==`` separates them."""
    lines = [line for line in table.splitlines() if line]
    return [
        pytest.param(line[:32].strip(), line[35:].strip(), id=" ".join(line.split())) for line in lines if line.strip()
    ]


@pytest.mark.parametrize("left, right", pairs(MUST))
def test_same_normal_form(left, right):
    assert parse(left) is parse(right)


@pytest.mark.parametrize("left, right", pairs(MUST_NOT))
def test_different_normal_form(left, right):
    assert parse(left) is not parse(right)


def test_what_must_not_is_as_long_as_what_must():
    assert len(pairs(MUST_NOT)) >= len(pairs(MUST))


# Against plain Python


@st.composite
def sources(draw, kind=int, depth=4):
    """Draw Python source of an expression of one kind."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        if draw(st.booleans()):
            return draw(st.sampled_from({int: DIMS + POSITIVE + INTS, float: FLOATS, bool: BOOLS}[kind]))
        numbers = {
            int: st.integers(-9, 9),
            float: st.sampled_from([0.0, -0.0, 1.0, 0.5, -2.5, 3.0]),
            bool: st.booleans(),
        }
        return f"({draw(numbers[kind])!r})"

    def part(*kinds):
        return draw(sources(draw(st.sampled_from(kinds)), depth - 1))

    if kind is int:
        form = draw(st.sampled_from(["bin", "bin", "bin", "div", "div", "bits", "un", "call", "pow", "shift", "cast"]))
        if form == "bin":
            return f"({part(int, int, bool)} {draw(st.sampled_from('+-*'))} {part(int, int, int, bool)})"
        if form == "div":
            divisor = draw(st.one_of(st.integers(-6, 8).map("({})".format), st.just(None)))
            return f"({part(int)} {draw(st.sampled_from(['//', '%']))} {divisor or part(int)})"
        if form == "bits":
            return f"({part(int)} {draw(st.sampled_from('&|^'))} {part(int)})"
        if form == "un":
            return f"({draw(st.sampled_from('-+~'))}{part(int, bool)})"
        if form == "call":
            name, count = draw(st.sampled_from([("min", 2), ("max", 3), ("abs", 1), ("min", 3), ("max", 2)]))
            return f"{name}({', '.join(part(int) for _ in range(count))})"
        if form == "pow":
            return f"({part(int)} ** {draw(st.integers(0, 3))})"
        if form == "shift":
            return f"({part(int)} {draw(st.sampled_from(['<<', '>>']))} ({part(int)} % 5 - 1))"
        return f"{draw(st.sampled_from(['int', 'floor', 'ceil', 'trunc', 'round']))}({part(int, bool, float)})"
    if kind is float:
        form = draw(st.sampled_from(["bin", "un", "call", "cast", "mixed"]))
        if form == "bin":
            return f"({part(float)} {draw(st.sampled_from(['+', '-', '*', '/', '//', '%']))} {part(float, int)})"
        if form == "un":
            return f"({draw(st.sampled_from('-+'))}{part(float)})"
        if form == "call":
            return f"{draw(st.sampled_from(['abs', 'sqrt', 'log', 'log2', 'exp', 'abs']))}({part(float)})"
        if form == "cast":
            return f"float({part(int, bool, float)})"
        return f"({part(int)} / {part(int, float)})"
    form = draw(st.sampled_from(["compare", "compare", "logic", "not", "bool", "mixed"]))
    if form == "compare":
        return f"({part(int, int, bool)} {draw(st.sampled_from(['==', '!=', '<', '<=', '>', '>=']))} {part(int)})"
    if form == "mixed":
        return f"({part(float, int)} {draw(st.sampled_from(['==', '!=', '<', '<=', '>', '>=']))} {part(float)})"
    if form == "logic":
        return f"({part(bool)} {draw(st.sampled_from('&|^'))} {part(bool)})"
    if form == "not":
        return f"(not {part(bool, int, float)})"
    return f"bool({part(bool, int, float)})"


def environments():
    return st.fixed_dictionaries(
        {
            **{name: st.integers(0, 12) for name in DIMS},
            **{name: st.integers(1, 12) for name in POSITIVE},
            **{name: st.integers(-12, 12) for name in INTS},
            **{name: st.sampled_from([0.0, -0.0, 1.5, -2.0, 1e9, math.inf, -math.inf, math.nan]) for name in FLOATS},
            **{name: st.booleans() for name in BOOLS},
        }
    )


def outcome(function, *args):
    """Return the type and text of a result, or "error"."""
    try:
        value = function(*args)
    except ERRORS:
        return "error"
    return type(value), repr(value)


def run(source, environment, assignments=()):
    """Return the value of Python source after assignments."""
    scope = {**PYTHON, **environment, "math": math}
    exec("\n".join(assignments), scope)
    return eval(source, scope)


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from([int, int, bool, float]).flatmap(sources), st.lists(environments(), min_size=4, max_size=4))
def test_value_and_code_are_those_of_python(source, settings_of_inputs):
    e = parse(source)
    names = {s: name for name, s in SYMBOLS.items()}
    assignments, (code,) = emit([e], names)
    for environment in settings_of_inputs:
        expected = outcome(run, source, environment)
        values = {SYMBOLS[name]: value for name, value in environment.items()}
        assert outcome(evaluate, e, values) == expected, str(e)
        assert outcome(run, code, environment, assignments) == expected, (assignments, code)
        if expected != "error" and e.kind is not float:
            low, high = bounds(e)
            value = evaluate(e, values)
            assert (low is None or low <= value) and (high is None or value <= high)
            assert type(value) is e.kind
        assert e.raises or expected != "error"


@settings(max_examples=300, deadline=None)
@given(sources(depth=3), sources(kind=bool, depth=3))
def test_a_readable_form_parses_back(source, condition):
    for e in (parse(source), parse(condition)):
        assert "..." in str(e) or parse(str(e)) is e


# Against sympy


@st.composite
def polynomials(draw, depth=4):
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.one_of(st.sampled_from("ijnm"), st.integers(-5, 5).map("({})".format)))
    if draw(st.integers(0, 6)) == 0:
        return f"({draw(polynomials(depth - 1))} ** {draw(st.integers(0, 2))})"
    return f"({draw(polynomials(depth - 1))} {draw(st.sampled_from('+-*'))} {draw(polynomials(depth - 1))})"


@settings(max_examples=300, deadline=None)
@given(polynomials(depth=3), polynomials(depth=3))
def test_polynomials_are_one_exactly_where_sympy_says_so(left, right):
    variables = {name: sympy.Symbol(name) for name in "ijnm"}
    x, y = (sympy.expand(eval(source, dict(variables))) for source in (left, right))
    assert (parse(left) is parse(right)) == (sympy.expand(x - y) == 0)
    assert parse(left) is parse(str(x))


@pytest.mark.parametrize("divisor", [-6, -2, -1, 1, 2, 3, 4, 12])
@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("offset", [-13, -4, 0, 3, 8])
def test_division_matches_sympy(op, divisor, offset):
    n, m = sympy.symbols("n m", integer=True)
    expected = {"//": sympy.floor((4 * n - 6 * m + offset) / sympy.Integer(divisor))}
    expected["%"] = 4 * n - 6 * m + offset - divisor * expected["//"]
    e = parse(f"(4 * n - 6 * m + {offset}) {op} {divisor}")
    for values in itertools.product(range(-4, 5), repeat=2):
        environment = {SYMBOLS["n"]: values[0], SYMBOLS["m"]: values[1]}
        assert evaluate(e, environment) == expected[op].subs({n: values[0], m: values[1]})


# Identity


def test_constants_are_type_exact():
    values = [True, 1, 1.0, 0, False, 0.0, -0.0, math.nan, math.inf]
    assert len({constant(value) for value in values}) == len(values)
    assert constant(math.nan) is constant(-math.nan) is constant(float("nan"))
    with pytest.raises(TypeError, match="complex"):
        constant(1j)


def test_an_expression_is_immutable_and_one_object():
    e = parse("i + 2 * j")
    assert copy.deepcopy(e) is e is copy.copy(e)
    with pytest.raises(AttributeError, match="immutable"):
        e.op = "mul"
    with pytest.raises(TypeError, match="truth"):
        bool(e)


def test_unused_expressions_are_freed():
    s = symbol(object(), "freed", int, 0)
    e = apply("floordiv", apply("add", s, constant(3)), constant(7))
    gone = [weakref.ref(e), weakref.ref(s)]
    del e, s
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_the_order_does_not_depend_on_creation():
    late, early = symbol("z1", "b_first", int), symbol("z2", "a_later", int)
    assert str(apply("add", late, early)) == "a_later + b_first"


def test_unknown_and_registered_operations():
    with pytest.raises(ValueError, match="unknown operation 'nonsense'"):
        apply("nonsense", SYMBOLS["i"])
    register("copysign", math.copysign, float)
    e = apply("copysign", SYMBOLS["f"], constant(-1.0))
    assert evaluate(e, {SYMBOLS["f"]: 2.0}) == -2.0
    assert emit([e], {SYMBOLS["f"]: "f"}) == ([], ["math.copysign(f, -1.0)"])
    with pytest.raises(ValueError, match="known already"):
        register("copysign", math.fmod, float)
    register("half", lambda x: x / 2, float)
    with pytest.raises(ValueError, match="no Python source"):
        emit([apply("half", SYMBOLS["f"])], {SYMBOLS["f"]: "f"})


def test_symbols_in_order_and_missing_values():
    e = parse("k + i * j - n // 2")
    assert [s.name for s in symbols(e)] == ["i", "j", "k", "n"]
    assert symbols(constant(3)) == ()
    with pytest.raises(KeyError, match="no value for n"):
        evaluate(parse("n + 1"), {})


def test_deep_expressions_need_no_recursion():
    e = s = SYMBOLS["f"]
    for _ in range(3000):
        e = apply("add", apply("mul", e, constant(1.5)), s)
    assert evaluate(e, {s: 0.0}) == 0.0
    assert symbols(e) == (s,)
    assert str(e)


# Code


@pytest.mark.parametrize(
    "source, expected",
    [
        ("i * 4 + 2", "4 * i + 2"),
        ("i // 2", "i // 2"),
        ("not i < 4", "i >= 4"),
        ("j == i", "i == j"),
        ("2 * j != i", "i != 2 * j"),
        ("j - i", "j - i"),
        ("i - j + 3 > 0", "i + 2 >= j"),
        ("-n - 1", "-n - 1"),
        ("i * (j // 2)", "i * (j // 2)"),
        ("(i + 1) // 2", "(i + 1) // 2"),
        ("i * i * i", "i ** 3"),
        ("-(n * n)", "-n ** 2"),
        ("(i >= 4) & (j >= 2)", "(i >= 4) & (j >= 2)"),
        ("not (f < 1.0)", "not f < 1.0"),
        ("min(i, j - 1)", "min(i, j - 1)"),
        ("f - (g - f)", "f - (g - f)"),
        ("sqrt(f)", "math.sqrt(f)"),
    ],
)
def test_code_is_readable(source, expected):
    names = {s: name for name, s in SYMBOLS.items()}
    assignments, sources_of = emit([parse(source)], names)
    assert assignments == []
    assert sources_of == [expected]


def test_shared_parts_are_computed_once():
    names = {SYMBOLS["i"]: "a.shape[0]", SYMBOLS["j"]: "t0"}
    assignments, conditions = emit([parse("(i + 1) // 2 >= 4"), parse("(i + 1) // 2 * j == 12")], names)
    assert assignments == ["t1 = (a.shape[0] + 1) // 2"]
    assert conditions == ["t1 >= 4", "t0 * t1 == 12"]
    with pytest.raises(KeyError, match="no name for n"):
        emit([SYMBOLS["n"]], {})


# Facts


@pytest.mark.parametrize(
    "facts, decided, answer",
    [
        ("i >= 4", "i >= 3", True),
        ("i >= 4", "i != 0", True),
        ("i >= 4", "i < 4", False),
        ("i >= 4", "i >= 5", None),
        ("i >= 4; i <= 4", "i == 4", True),
        ("i >= 4; i != 4", "i >= 5", True),
        ("i != 4; i >= 4", "i >= 5", True),
        ("i == j", "j == i", True),
        ("i == j; j == k", "i == k", True),
        ("i == j; k >= i; j == 7", "k > 6", True),
        ("i == 2 * j", "i % 2 == 0", True),
        ("i + j == 4", "i <= 4", True),
        ("i % 8 == 0", "i % 8 < 3", True),
        ("i - j >= 2", "i > j", True),
        ("i - j >= 2", "2 * i - 2 * j >= 3", True),
        ("i // 2 >= 3", "i // 2 + j >= 2", True),
        ("b", "b | c", True),
        ("b & c", "c", True),
        ("not b", "b & c", False),
        ("f == 2.5", "f > 2.0", True),
        ("f == 0.0", "f + 0.0 == f", None),
        ("f < g", "not (f < g)", False),
        ("f < g", "g > f", True),
        ("i >= 1; k // i >= 2", "k // i >= 1", True),
        ("d >= 1", "n // d == n // d", True),
        ("i >= 2", "n // d == n // d", None),
        ("i >= 4", "j >= 4", None),
        ("i * j >= 4", "i * j >= 3", True),
        ("i * j >= 4", "i >= 1", None),
    ],
)
def test_facts_decide(facts, decided, answer):
    known = Facts()
    for fact in facts.split(";"):
        known.add(parse(fact.strip()))
    assert known.implies(parse(decided)) is answer


def test_conjuncts_are_minimal_and_in_order():
    facts = Facts()
    given_facts = ["i >= 2", "j == k", "i >= 1", "i >= 4", "k == j", "n % 4 == 0", "k >= 1", "j >= 1", "i == 6"]
    news = [facts.add(parse(source)) for source in given_facts]
    assert news == [True, True, False, True, False, True, True, False, True]
    assert [str(e) for e in facts.conjuncts] == ["j == k", "n % 4 == 0", "k >= 1", "i == 6"]
    assert facts.substitute(parse("k + i")) is parse("j + 6")
    with pytest.raises(TypeError, match="bool"):
        facts.add(parse("i + 1"))


@st.composite
def linear(draw):
    name = st.sampled_from("ijkn")
    text = f"{draw(st.integers(-2, 2))} * {draw(name)} + {draw(st.integers(-4, 4))}"
    form = draw(st.integers(0, 5))
    if form == 0:
        return f"({text}) {draw(st.sampled_from(['//', '%']))} {draw(st.integers(1, 4))}"
    if form == 1:
        return f"{draw(st.sampled_from(['min', 'max']))}({draw(name)}, {draw(name)}) + {draw(st.integers(-2, 2))}"
    return draw(st.sampled_from([draw(name), str(draw(st.integers(-2, 5))), text]))


@st.composite
def conditions(draw):
    def comparison():
        return f"({draw(linear())} {draw(st.sampled_from(['==', '==', '!=', '<', '<=', '>', '>=']))} {draw(linear())})"

    form = draw(st.integers(0, 7))
    if form > 2:
        return comparison()
    return [f"({comparison()} & {comparison()})", f"({comparison()} | {comparison()})", f"(not {comparison()})"][form]


def to_z3(node, variables):
    def sub(child):
        return to_z3(child, variables)

    match node:
        case ast.Name(name):
            return variables[name]
        case ast.Constant(value):
            return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)
        case ast.UnaryOp(ast.USub(), operand):
            return -sub(operand)
        case ast.UnaryOp(ast.Not(), operand):
            return z3.Not(sub(operand))
        case ast.BinOp(left, ast.BitAnd(), right):
            return z3.And(sub(left), sub(right))
        case ast.BinOp(left, ast.BitOr(), right):
            return z3.Or(sub(left), sub(right))
        case ast.BinOp(left, op, right):
            x, y = sub(left), sub(right)
            by_op = {ast.Add: x + y, ast.Sub: x - y, ast.Mult: x * y, ast.FloorDiv: x / y, ast.Mod: x % y}
            return by_op[type(op)]
        case ast.Call(ast.Name("min"), arguments):
            return functools.reduce(lambda x, y: z3.If(x <= y, x, y), map(sub, arguments))
        case ast.Call(ast.Name("max"), arguments):
            return functools.reduce(lambda x, y: z3.If(x >= y, x, y), map(sub, arguments))
        case ast.Compare(left, [op], [right]):
            x, y = sub(left), sub(right)
            by_op = {ast.Eq: x == y, ast.NotEq: x != y, ast.Lt: x < y, ast.LtE: x <= y, ast.Gt: x > y, ast.GtE: x >= y}
            return by_op[type(op)]
    raise AssertionError(ast.dump(node))


@settings(max_examples=400, deadline=None)
@given(st.lists(conditions(), min_size=1, max_size=6), st.lists(conditions(), min_size=3, max_size=3))
def test_facts_are_sound(assumed, asked):
    variables = {name: z3.Int(name) for name in "ijkn"}
    domain = [variables[name] >= 0 for name in "ijk"]
    facts = Facts()

    def formula(source):
        return to_z3(ast.parse(source, mode="eval").body, variables)

    def excludes(*formulas):
        solver = z3.Solver()
        solver.set("timeout", 2000)
        solver.add(*domain, *formulas)
        return solver.check() != z3.sat

    for position, source in enumerate(assumed):
        before = [formula(s) for s in assumed[:position]]
        if not facts.add(parse(source)):
            assert excludes(*before, z3.Not(formula(source)))
    everything = [formula(source) for source in assumed]
    for source in asked:
        answer = facts.implies(parse(source))
        if answer is not None:
            assert excludes(*everything, z3.Not(formula(source)) if answer else formula(source))
        assert excludes(*everything, formula(source) != formula(str(facts.substitute(parse(source)))))
    minimal = [formula(str(e)) for e in facts.conjuncts]
    assert excludes(*minimal, z3.Not(z3.And(everything)))
    assert excludes(*everything, z3.Not(z3.And([*minimal, z3.BoolVal(True)])))


@settings(max_examples=500, deadline=None)
@given(
    environments(),
    st.lists(environments(), max_size=5),
    st.lists(sources(kind=bool, depth=2), min_size=1, max_size=6),
    st.lists(sources(kind=bool, depth=2), min_size=4, max_size=4),
)
def test_facts_hold_where_they_were_observed(here, elsewhere, assumed, asked):
    def holds(sources_of, environment):
        return all(outcome(run, s, environment) == (bool, "True") for s in sources_of)

    facts = Facts()
    observed = []
    for source in assumed:
        if holds([source], here) or holds([f"not {source}"], here):
            observed.append(source if holds([source], here) else f"(not {source})")
            facts.add(parse(observed[-1]))
    for environment in [here, *elsewhere]:
        values = {SYMBOLS[name]: value for name, value in environment.items()}
        conjuncts = [outcome(evaluate, e, values) for e in facts.conjuncts]
        everything = holds(observed, environment)
        assert all(value == (bool, "True") for value in conjuncts) == everything
        for source in asked + assumed if everything else []:
            answer = facts.implies(parse(source))
            expected = outcome(run, source, environment)
            assert answer is None or expected == (bool, str(answer))
            assert outcome(evaluate, facts.substitute(parse(source)), values) == expected

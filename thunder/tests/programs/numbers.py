"""Dims and number arguments are Python's own int and float."""

from __future__ import annotations

import math
import numbers
import operator
import sys

import torch

from programs.program import Program as P
from programs.program import each, rows

X = torch.randn(3)

PROGRAMS = {
    "math.ceil": P(lambda x: torch.ones(2) * math.ceil(x.shape[0] / 2), rows(5, 3, 0, 8)),
    "math.floor": P(lambda x: torch.ones(2) * math.floor(x.shape[0] / 2), rows(5, 3, 0, 8)),
    "math.floor of a negative": P(lambda x: x * math.floor(-x.shape[0] / 2), rows(5, 3, 1)),
    "math.trunc": P(lambda x: torch.ones(2) * math.trunc(x.shape[0] / 2), rows(5, 3, 0)),
    "math.sqrt": P(lambda x: x / math.sqrt(x.shape[0] + 1), rows(5, 3, 0)),
    "math.log": P(lambda x: x * math.log(x.shape[0]), rows(5, 3, 1)),
    "math.log of 0": P(lambda x: x * math.log(x.shape[0]), rows(5, 0, 3)),
    "math.exp": P(lambda x: x * math.exp(-x.shape[0]), rows(5, 3, 1)),
    "math.pow": P(lambda x: x * math.pow(x.shape[0], 0.5), rows(5, 3, 1), 3, "pow is computed by Python"),
    "math.gcd": P(lambda x: x * math.gcd(x.shape[0], 4), rows(5, 6, 8), 3, "gcd is computed by Python"),
    "math.isqrt": P(lambda x: x * math.isqrt(x.shape[0]), rows(5, 9, 1), 3, "isqrt is computed by Python"),
    "math.prod": P(lambda x: x * math.prod(x.shape), rows(5, 3, 1)),
    "math.fmod": P(lambda x: x * math.fmod(x.shape[0], 3), rows(5, 4, 7), 3, "fmod is computed by Python"),
    "math.isnan": P(lambda x, f: x if math.isnan(f) else x * f, each(X, 1.5, math.nan, 2.5), 3, "text of a float"),
    "math.inf": P(lambda x, f: x + 1 if f < math.inf else x, each(X, 1.5, math.inf, 2.5), 2, "a branch"),
    "log of a ratio": P(lambda x: x * math.log2(x.shape[0] / 2), rows(4, 8, 2)),
    "divmod": P(lambda x: x * divmod(x.shape[0], 3)[0] + divmod(x.shape[0], 3)[1], rows(5, 3, 1)),
    "index of a list": P(lambda x: x * [10, 20, 30, 40][x.shape[0]], rows(2, 1, 3), 3, "an entry of a list"),
    "index of a list from the end": P(lambda x: x * [10, 20, 30][-x.shape[0]], rows(2, 1, 3), 3, "an entry of a list"),
    "torch.tensor": P(lambda x: x + torch.tensor(x.shape[0]), rows(5, 3, 0)),
    "torch.tensor of a float": P(lambda x: x + torch.tensor(x.shape[0] / 2), rows(5, 3, 0)),
    "isinstance int": P(lambda x: x * 2 if isinstance(x.shape[0], int) else x, rows(5, 3, 0)),
    "isinstance Integral": P(lambda x: x * 2 if isinstance(x.shape[0], numbers.Integral) else x, rows(5, 3, 0)),
    "isinstance Number": P(lambda x: x * 2 if isinstance(x.shape[0], numbers.Number) else x, rows(5, 3, 0)),
    "isinstance float of an int": P(lambda x: x * 2 if isinstance(x.shape[0], float) else x, rows(5, 3, 0)),
    "isinstance of a tuple": P(lambda x: x * 2 if isinstance(x.shape[0], (float, int)) else x, rows(5, 3, 0)),
    "isinstance float argument": P(lambda x, f: x * f if isinstance(f, float) else x, each(X, 2.5, 1.5, -0.5)),
    "isinstance of an int or a float": P(
        lambda x, f: x * f if isinstance(f, float) else x + f, each(X, 2.5, 2, 1.5, 3), 2, "a type each"
    ),
    "isinstance bool": P(
        lambda x, f: x * 2 if isinstance(f, bool) else x, each(X, 1, True, 0, False), 3, "values of a bool"
    ),
    "type is int": P(lambda x: x * 2 if type(x.shape[0]) is int else x, rows(5, 3, 0)),
    "type equals float": P(lambda x, f: x * f if type(f) == float else x, each(X, 2.5, 1.5)),  # noqa: E721
    "type called": P(lambda x, f: x * type(f)(3), each(X, 2.5, 1.5)),
    "round": P(lambda x: x * round(x.shape[0] / 2), rows(5, 3, 1)),
    "round to digits": P(lambda x: x * round(x.shape[0] / 3, 2), rows(5, 4, 1), 3, "rounded by Python"),
    "int of a quotient": P(lambda x: x * int(x.shape[0] / 2), rows(5, 3, 0)),
    "int of a negative": P(lambda x: x * int(-x.shape[0] / 2), rows(5, 3, 0)),
    "float": P(lambda x: x * float(x.shape[0]), rows(5, 3, 0)),
    "bool": P(lambda x: x * 2 if bool(x.shape[0]) else x, rows(5, 3, 0), 2, "whether it is 0"),
    "complex": P(lambda x: x * complex(x.shape[0]).real, rows(5, 3, 2), 3, "a complex number"),
    "abs": P(lambda x: x * abs(x.shape[0] - 4), rows(5, 3, 0)),
    "negative": P(lambda x: x * -x.shape[0], rows(5, 3, 0)),
    "power": P(lambda x: x * x.shape[0] ** 2, rows(5, 3, 0)),
    "power of a root": P(lambda x: x * x.shape[0] ** 0.5, rows(5, 3, 0)),
    "power to a negative": P(lambda x: x * (x.shape[0] + 1) ** -1, rows(5, 3, 0)),
    "power with a modulus": P(lambda x: x * pow(x.shape[0], 2, 3), rows(5, 3, 1), 3, "computed by Python"),
    "true division": P(lambda x: x * (x.shape[0] / 3), rows(5, 3, 0)),
    "division of ints is a float": P(lambda x: x.long() * (x.shape[0] / x.shape[1]), rows(4, 3, 2)),
    "floor division": P(lambda x: x * (x.shape[0] // 3), rows(5, 3, 0)),
    "floor division of a negative": P(lambda x: x * (-x.shape[0] // 3), rows(5, 3, 0)),
    "modulo": P(lambda x: x * (x.shape[0] % 3), rows(5, 3, 0)),
    "modulo of a negative": P(lambda x: x * (-x.shape[0] % 3), rows(5, 3, 0)),
    "modulo by a negative": P(lambda x: x * (x.shape[0] % -3), rows(5, 3, 0)),
    "bit and": P(lambda x: x * (x.shape[0] & 1), rows(5, 2, 0)),
    "bit or": P(lambda x: x * (x.shape[0] | 1), rows(5, 2, 0)),
    "bit xor": P(lambda x: x * (x.shape[0] ^ 3), rows(5, 2, 0)),
    "bit inversion": P(lambda x: x * ~x.shape[0], rows(5, 2, 0)),
    "shift to the left": P(lambda x: x * (x.shape[0] << 2), rows(5, 2, 0), 3, "shifted by Python"),
    "shift to the right": P(lambda x: x * (x.shape[0] >> 1), rows(5, 2, 0), 3, "shifted by Python"),
    "power of two above": P(
        lambda x: x * (1 << (x.shape[0] - 1).bit_length()), rows(5, 7, 3), 3, "the length in bits is computed by Python"
    ),
    "bit_length": P(lambda x: x * x.shape[0].bit_length(), rows(5, 2, 1), 3, "computed by Python"),
    "compared with a float": P(lambda x: x + 1 if x.shape[0] > 2.5 else x - 1, rows(5, 2, 3), 2, "a branch"),
    "compared with a bool": P(lambda x: x + 1 if x.shape[0] == True else x - 1, rows(5, 1, 3), 2, "a branch"),  # noqa: E712
    "compared with infinity": P(lambda x: x + 1 if x.shape[0] < float("inf") else x - 1, rows(5, 1, 3)),
    "compared with nan": P(lambda x: x + 1 if x.shape[0] == float("nan") else x - 1, rows(5, 1, 3)),
    "compared with None": P(lambda x: x + 1 if x.shape[0] is None else x - 1, rows(5, 1, 3)),
    "equals None": P(lambda x: x + 1 if x.shape[0] == None else x - 1, rows(5, 1, 3)),  # noqa: E711
    "compared with a string": P(lambda x: x + 1 if x.shape[0] == "5" else x - 1, rows(5, 1, 3)),
    "negative zero": P(lambda x, f: torch.ones(2) / (x.sum() * 0 + f), each(torch.ones(2), 0.0, -0.0)),
    "negative zero in a branch": P(
        lambda x, f: x if math.copysign(1.0, f) > 0 else -x, each(X, 0.0, -0.0), 2, "a sign"
    ),
    "f-string": P(lambda x: x + len(f"{x.shape[0]}"), rows(5, 12, 3), 3, "text"),
    "str.format": P(lambda x: x + len("{:03d}".format(x.shape[0])), rows(5, 12, 3), 3, "text"),  # noqa: UP032
    "percent format": P(lambda x: x + len("%d rows" % x.shape[0]), rows(5, 12, 3), 3, "text"),  # noqa: UP031
    "repr": P(lambda x: x + len(repr(x.shape[0])), rows(5, 12, 3), 3, "text"),
    "hash": P(lambda x: x * hash(x.shape[0]), rows(5, 2, 3), 3, "a hash"),
    "dict key": P(lambda x: x * {5: 2.0}.get(x.shape[0], 3.0), rows(5, 2, 3), 3, "a hash"),
    "key of a dict of dims": P(lambda x: x * {x.shape[0]: 2.0}[5 if x.shape[0] == 5 else 3], rows(5, 3), 2, "a hash"),
    "set of dims": P(lambda x: x * len({x.shape[0], x.shape[1]}), rows(5, 2, 3), 3, "a hash"),
    "in a list": P(lambda x: x + 1 if x.shape[0] in [2, 5] else x - 1, rows(5, 2, 3), 3, "an equality each"),
    "in a range": P(lambda x: x + 1 if x.shape[0] in range(2, 5) else x - 1, rows(5, 2, 3), 3, "computed by Python"),
    "range over dims": P(lambda x: x + sum(range(x.shape[0])), rows(5, 2, 3), 3, "a loop count"),
    "reversed range of ndim": P(lambda x: x.permute(*reversed(range(x.ndim))), rows(5, 2, 0)),
    "min of dims": P(lambda x: x * min(x.shape), rows(5, 2, 0)),
    "max of a dim and a number": P(lambda x: x * max(x.shape[0], 3), rows(5, 2, 0)),
    "min by key": P(lambda x: x * min(x.shape, key=lambda n: -n), rows(5, 2, 1), 2, "a comparison"),
    "sum of dims": P(lambda x: x * sum(x.shape), rows(5, 2, 0)),
    "sorted dims": P(lambda x: x * sorted(x.shape)[0], rows(5, 2, 1), 2, "a comparison"),
    "any": P(lambda x: x + 1 if any(n > 4 for n in x.shape) else x - 1, rows(5, 2, 3), 2, "a branch"),
    "all": P(lambda x: x + 1 if all(n > 1 for n in x.shape) else x - 1, rows(5, 2, 1), 2, "a branch"),
    "operator.index": P(lambda x: x * operator.index(x.shape[0]), rows(5, 2, 3), 3, "Python's index"),
    "operator.mul": P(lambda x: x * operator.mul(x.shape[0], 2), rows(5, 2, 0)),
    "operator.floordiv": P(lambda x: x * operator.floordiv(x.shape[0], 2), rows(5, 2, 0)),
    "int method": P(lambda x: x * int.__add__(x.shape[0], 2), rows(5, 2, 3), 3, "computed by Python"),
    "numerator": P(lambda x: x * x.shape[0].numerator, rows(5, 2, 0)),
    "real and imag": P(lambda x: x * x.shape[0].real + x.shape[0].imag, rows(5, 2, 0)),
    "conjugate": P(lambda x: x * x.shape[0].conjugate(), rows(5, 2, 0)),
    "is_integer of a float": P(
        lambda x, f: x * f if f.is_integer() else x, each(X, 2.0, 1.5, 3.0), 3, "computed by Python"
    ),
    "sys.maxsize": P(lambda x: x[: min(x.shape[0], sys.maxsize)] * 2, rows(5, 2, 0)),
    "a dim is returned": P(lambda x: (x + 1, x.shape[0], x.shape[0] / 2, x.shape[0] > 3), rows(5, 3, 0)),
    "an int argument is returned": P(lambda x, n: (x + n, n * 2, n), each(X, 2, 3, -1)),
    "a float argument is returned": P(lambda x, f: (x + f, f * 2, f), each(X, 2.5, 1.5, -0.5)),
    "a bool from a comparison is arithmetic": P(lambda x: x * ((x.shape[0] > 3) + 1), rows(5, 3, 0), 2, "a branch"),
    "a dim with a float argument": P(lambda x, f: x * (x.shape[0] * f), each(X, 2.5, 1.5)),
    "augmented assignment": P(lambda x: _augmented(x), rows(5, 3, 0)),
    "the ternary of a dim": P(lambda x: x * (x.shape[0] or 7), rows(5, 0, 3), 2, "whether it is 0"),
    "a product of float arguments": P(lambda x, a, b: x * (a * b) + a**b, [(X, 2.5, 2.0), (X, 1.5, 3.0)]),
}


def _augmented(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    n += 2
    n *= 3
    n //= 2
    n -= 1
    return x * n

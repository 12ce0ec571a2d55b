"""The statements of fuzzed programs: each writes a line or more and names the shape of its result."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from fuzz_programs import SIZES, Draw, FuzzedProgram, Shape, Writer

STATEMENTS: list[Callable[[Writer], None]] = []


def _statement(
    rank: int, weight: int = 1
) -> Callable[[Callable[[Writer, str, Shape], None]], Callable[[Writer], None]]:
    """Register a statement that works on a tensor of at least ``rank`` dims."""

    def register(write: Callable[[Writer, str, Shape], None]) -> Callable[[Writer], None]:
        def statement(w: Writer) -> None:
            name = w.tensor(rank)
            if name:
                write(w, name, w.tensors[name])

        STATEMENTS.extend([statement] * weight)
        return statement

    return register


def _axis(w: Writer, shape: Shape) -> int:
    return w.number(0, len(shape) - 1)


def _replaced(shape: Shape, axis: int, *dims: str) -> Shape:
    return (*shape[:axis], *dims, *shape[axis + 1 :])


@_statement(0, weight=2)
def elementwise(w: Writer, t: str, shape: Shape) -> None:
    form = w.pick(
        ("{t}.relu()", "{t}.sin()", "-{t}", "{t}.abs() * 0.5", "{t} * {i}", "{t} + {f}", "{i} - {t}", "{t} / 3")
    )
    w.assign(form.format(t=t, i=w.integer(), f=w.float_()), shape)


@_statement(0, weight=2)
def binary(w: Writer, t: str, shape: Shape) -> None:
    same = [name for name, other in w.tensors.items() if other == shape]
    u = w.pick(same) if w.number(0, 5) else w.tensor()
    other = w.tensors[u]
    form = w.pick(("{t} + {u}", "{t} * {u}", "{u} - {t}", "torch.maximum({t}, {u})", "torch.where({t} > 0, {t}, {u})"))
    # Names that differ fit only where one is repeated: the result's are then those of the longer
    w.assign(form.format(t=t, u=u), shape if len(shape) >= len(other) else other)


@_statement(1, weight=2)
def reduce(w: Writer, t: str, shape: Shape) -> None:
    axis = _axis(w, shape)
    form = w.pick(
        (".sum({d})", ".mean({d})", ".amax({d})", ".prod({d})", ".sum({d}, keepdim=True)", ".var({d}, correction=0)")
    )
    w.assign(t + form.format(d=axis), _replaced(shape, axis, *(["1"] if "keepdim" in form else [])))


@_statement(1)
def reduce_and_broadcast(w: Writer, t: str, shape: Shape) -> None:
    axis = _axis(w, shape)
    form = w.pick(
        (
            "{t} - {t}.mean({d}, keepdim=True)",
            "{t} * {t}.sum()",
            "{t} + {u}.sum()",
            "{t} / {t}.exp().sum({d}, keepdim=True)",
        )
    )
    w.assign(form.format(t=t, d=axis, u=w.tensor()), shape)


@_statement(1)
def scan(w: Writer, t: str, shape: Shape) -> None:
    form = w.pick((".softmax({d})", ".cumsum({d})", ".flip({d})", ".roll(1, {d})", ".roll({i}, {d})"))
    w.assign(t + form.format(d=_axis(w, shape), i=w.integer(1)), shape)


@_statement(1, weight=3)
def take_slice(w: Writer, t: str, shape: Shape) -> None:
    axis = _axis(w, shape)
    bounds = w.pick((":{i}", "{i}:", "{i}:{j}", "-{k}:", ":-{k}", "::2", "1:", "{k}::2", "None:{i}"))
    bounds = bounds.format(i=w.integer(), j=w.integer(), k=w.number(1, 3))
    w.assign(f"{t}[{', '.join([':'] * axis + [bounds])}]", _replaced(shape, axis, w.fresh("d")))


@_statement(1)
def take_row(w: Writer, t: str, shape: Shape) -> None:
    axis = _axis(w, shape)
    index = w.pick(("0", "-1", "{i}", "{t}.shape[{d}] - 1", "{t}.shape[{d}] // 2")).format(i=w.integer(1), t=t, d=axis)
    w.assign(f"{t}[{', '.join([':'] * axis + [index])}]", _replaced(shape, axis))


@_statement(1, weight=2)
def reshape(w: Writer, t: str, shape: Shape) -> None:
    forms: list[tuple[str, Shape]] = [
        ("{t}.reshape(-1)", (w.fresh("d"),)),
        ("{t}.flatten()", (w.fresh("d"),)),
        ("{t}.reshape({t}.numel())", (w.fresh("d"),)),
        ("{t}.reshape(*{t}.shape, 1)", (*shape, "1")),
        ("{t}.reshape(-1, {k})", (w.fresh("d"), w.fresh("d"))),
        ("{t}.reshape({t}.shape[0], -1)", (shape[0], w.fresh("d"))),
        ("{t}.unsqueeze(0)", ("1", *shape)),
        ("{t}[..., None]", (*shape, "1")),
    ]
    text, result = w.pick(forms)
    w.assign(text.format(t=t, k=w.number(1, 3)), result)


@_statement(2, weight=2)
def permute(w: Writer, t: str, shape: Shape) -> None:
    a, b = _axis(w, shape), _axis(w, shape)
    result = list(shape)
    result[a], result[b] = result[b], result[a]
    w.assign(f"{t}.transpose({a}, {b})", tuple(result))


@_statement(1)
def squeeze(w: Writer, t: str, shape: Shape) -> None:
    if "1" in shape:
        w.assign(f"{t}.squeeze({shape.index('1')})", _replaced(shape, shape.index("1")))


@_statement(1)
def expand(w: Writer, t: str, shape: Shape) -> None:
    count = w.pick((w.integer(1), str(w.number(0, 3))))
    w.assign(f"{t}.unsqueeze(0).expand({count}, {', '.join(['-1'] * len(shape))})", (w.fresh("d"), *shape))


@_statement(1)
def repeat(w: Writer, t: str, shape: Shape) -> None:
    form = w.pick(("{t}.repeat({n})", "F.pad({t}, (1, {k}))", "F.pad({t}, (0, max({i}, 0)))"))
    text = form.format(t=t, n=", ".join(["2"] * len(shape)), k=w.number(0, 2), i=w.integer(1))
    w.assign(text, tuple(w.fresh("d") for _ in shape) if "repeat" in form else (*shape[:-1], w.fresh("d")))


@_statement(1)
def concatenate(w: Writer, t: str, shape: Shape) -> None:
    axis = _axis(w, shape)
    fits = [u for u, other in w.tensors.items() if _replaced(other, axis) == _replaced(shape, axis)]
    u = w.pick(fits or [t])
    if w.number(0, 2) == 0:
        w.assign(f"torch.stack([{t}, {t} * 2], {axis})", (*shape[:axis], "2", *shape[axis:]))
    else:
        w.assign(f"torch.cat([{t}, {u}], {axis})", _replaced(shape, axis, w.fresh("d")))


@_statement(1)
def part(w: Writer, t: str, shape: Shape) -> None:
    axis, k = _axis(w, shape), w.number(1, 3)
    form = w.pick(
        (
            "{t}.chunk({k}, {d})[0]",
            "{t}.chunk({k}, {d})[-1]",
            "{t}.split({k}, {d})[0]",
            "{t}.split(max({i}, 1), {d})[-1]",
            "{t}.tensor_split({k}, {d})[-1]",
            "{t}.narrow({d}, 0, {i})",
        )
    )
    w.assign(form.format(t=t, k=k, d=axis, i=w.integer(1)), _replaced(shape, axis, w.fresh("d")))


@_statement(2, weight=2)
def multiply(w: Writer, t: str, shape: Shape) -> None:
    fits = [u for u, other in w.tensors.items() if len(other) == 2 and other[0] == shape[-1]]
    if fits:
        u = w.pick(fits)
        w.assign(f"{t} @ {u}", (*shape[:-1], w.tensors[u][1]))
    else:
        w.assign(f"{t} @ {t}.mT", (*shape[:-1], shape[-2]))


@_statement(0)
def create(w: Writer, t: str, shape: Shape) -> None:
    i = w.integer(1)
    forms: list[tuple[str, Shape]] = [
        ("torch.arange({i}) * 1.5", (w.fresh("d"),)),
        ("torch.ones({i}, {k})", (w.fresh("d"), str(w.number(1, 3)))),
        ("torch.full((max({i}, 1),), {f})", (w.fresh("d"),)),
        ("torch.zeros({t}.shape) + {t}", shape),
        ("torch.full_like({t}, {f})", shape),
    ]
    text, result = w.pick(forms)
    w.assign(text.format(i=i, k=w.number(1, 3), f=w.float_(), t=t), result)


@_statement(0, weight=2)
def branch(w: Writer, t: str, shape: Shape) -> None:
    name = w.fresh()
    same = w.pick([u for u, other in w.tensors.items() if other == shape])
    w.lines += [
        f"    if {w.condition()}:",
        f"        {name} = {t} * {w.integer(1)}",
        "    else:",
        f"        {name} = {same} - {w.float_()}",
    ]
    w.tensors[name] = shape


@_statement(1)
def loop(w: Writer, t: str, shape: Shape) -> None:
    name = w.fresh()
    w.lines += [
        f"    {name} = {t}",
        f"    for i in range(min({w.integer()}, 3)):",
        f"        {name} = {name} * 0.5 + i",
    ]
    w.tensors[name] = shape


@_statement(1)
def loop_over_rows(w: Writer, t: str, shape: Shape) -> None:
    name = w.fresh()
    w.lines += [f"    {name} = {t}.sum(0)", f"    for row in {t}[:3]:", f"        {name} = {name} + row * 2"]
    w.tensors[name] = shape[1:]


@_statement(0)
def integer(w: Writer, t: str, shape: Shape) -> None:
    name = w.fresh("n")
    w.lines.append(f"    {name} = {w.integer(3)}")
    w.integers.append(name)


@st.composite
def programs(draw: Draw, calls: int = 4) -> FuzzedProgram:
    """Draw a program over one to three tensors, with numbers, None and lists among its arguments, and its calls."""
    w = Writer(draw)
    parameters: list[tuple[str, st.SearchStrategy[object]]] = []
    sizes = [{size: draw(st.integers(0, 9)) for size in SIZES} for _ in range(calls)]
    shapes: dict[str, Shape] = {}
    for name in "abc"[: w.number(1, 3)]:
        shapes[name] = w.tensors[name] = tuple(w.pick((*SIZES, "1")) for _ in range(w.number(1, 3)))
    if w.number(0, 2) == 0:
        parameters.append(("n", st.integers(-3, 9)))
        w.integers.append("n")
    if w.number(0, 2) == 0:
        parameters.append(("f", st.sampled_from([0.0, 0.5, -1.5, 2.0, 1e6])))
        w.floats.append("f")
    if w.number(0, 3) == 0:
        parameters.append(("y", st.sampled_from([None, 1, 2, 2.5])))
        w.lines.append("    a = a if y is None else a * y")
    if w.number(0, 3) == 0:
        parameters.append(("xs", st.lists(st.sampled_from([1, 2.5, ()]), max_size=3)))
        w.lines.append("    a = a + sum(xs) * len(xs)")
    for _ in range(w.number(2, 6)):
        w.pick(STATEMENTS)(w)
    returned = [*list(w.tensors)[-2:], w.integer(1)]
    header = f"def program({', '.join([*shapes, *(name for name, _ in parameters)])}):"
    drawn = [
        [
            *(tuple(dims.get(size, 1) for size in shape) for shape in shapes.values()),
            *(draw(strategy) for _, strategy in parameters),
        ]
        for dims in sizes
    ]
    return FuzzedProgram("\n".join([header, *w.lines, f"    return {', '.join(returned)}"]) + "\n", drawn)

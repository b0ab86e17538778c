"""Random functions of the Adams language against an evaluation of their own, and damaged ones that must end in a
sentence.

The oracle is not the parser's tree: text and meaning are made side by side, and the meaning is computed with NumPy in
extended precision by the equations of the Adams manual.  Gradients are compared with central differences of it, in
smooth positions only; the rate of a jet with both.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from scipy.interpolate import CubicSpline

from holonom.expressions import (
    ExpressionError,
    Name,
    Number,
    ProgramSet,
    Spline,
    compile_expression,
    evaluate,
    freeze,
    gradient,
    jet,
    pack_splines,
    parse,
    switch_nodes,
    to_text,
    value,
)

from . import Finding
from ._statements import function as any_function
from ._texts import damage
from ._through import sentences

LIMIT = 2.0
SLICE = 120
L = np.longdouble
NAMES = ("TIME", "X", "Y", "DX(TIP, BASE)")
KNOTS, HEIGHTS = (0.0, 1.0, 2.5, 3.0, 4.0), (1.0, -1.0, 0.5, 2.0, 2.5)
CUBIC = CubicSpline(KNOTS, HEIGHTS, bc_type="natural")
LARGE = 1e5  # intermediate values beyond this lose too many digits to compare


class NoValue(Exception):
    """The definition gives nothing here, or nothing that can be compared."""


class Place:
    """Values of the inputs, and which way the branches continued the way to a value."""

    def __init__(self, x, kind=L) -> None:
        self.x, self.kind = [kind(v) for v in x], kind
        self.ways: list[bool] = []
        self.nearest = np.inf

    def below(self, a, b) -> bool:
        self.nearest = min(self.nearest, abs(a - b))
        self.ways.append(bool(a < b))
        return bool(a < b)


Meaning = Callable[[Place], np.floating]


def sized(v):
    if not np.isfinite(v) or abs(v) > LARGE:
        raise NoValue
    return v


def step_like(shape):
    def mean(p: Place, x, x0, h0, x1, h1):
        if abs(x1 - x0) < 1e-3:
            raise NoValue
        t = (x - x0) / (x1 - x0)
        t = p.kind(0) if p.below(t, 0) else p.kind(1) if not p.below(t, 1) else t
        return h0 + (h1 - h0) * shape(t)

    return mean


cubic = step_like(lambda t: t * t * (3 - 2 * t))
quintic = step_like(lambda t: t**3 * (10 - 15 * t + 6 * t * t))
haversine = step_like(
    lambda t: (1 - np.cos(np.pi * t)) / 2 if t.dtype != L else (1 - np.cos(L("3.14159265358979323846264338") * t)) / 2
)


def positive_part(p: Place, v):
    return p.kind(0) if p.below(v, 0) else v


def impact(p: Place, q, qd, q1, k, e, c, d):
    if not p.below(q, q1):
        return p.kind(0)
    if d < 1e-3:
        raise NoValue
    return positive_part(p, k * (q1 - q) ** e - c * qd * cubic(p, q, q1 - d, p.kind(1), q1, p.kind(0)))


def bistop(p: Place, q, qd, q1, q2, k, e, c, d):
    if not q1 < q2:
        raise NoValue
    if p.below(q, q1):
        return impact(p, q, qd, q1, k, e, c, d)
    return -impact(p, -q, -qd, -q2, k, e, c, d)


def chebyshev(p: Place, x, x0, *a):
    t = np.clip(x - x0, -50, 50)
    if t != x - x0:
        raise NoValue
    u, v, out = p.kind(1), t, a[0]
    for one in a[1:]:
        out = out + one * v
        u, v = v, 2 * t * v - u
    return out


def waves(wave):
    return lambda p, x, x0, w, a0, *a: a0 + sum(one * wave((j + 1) * w * (x - x0)) for j, one in enumerate(a))


def sweep(p: Place, x, a, x0, f0, x1, f1, dx):
    if x1 - x0 < 1e-2 or dx < 1e-2:
        raise NoValue
    if p.below(x, x0):
        phase = f0 * x
    elif p.below(x, x1):
        phase = f0 * x + (f1 - f0) * (x - x0) ** 2 / (2 * (x1 - x0))
    else:
        phase = f1 * x - (f1 - f0) * (x1 + x0) / 2
    return (
        a
        * np.sin(2 * p.kind("3.14159265358979323846264338") * phase)
        * quintic(p, x, x0, p.kind(0), x0 + dx, p.kind(1))
    )


def whole(p: Place, v):
    p.nearest = min(p.nearest, abs(v - np.rint(v)))
    p.ways.append(np.trunc(v))
    return np.trunc(v)


def nearest(p: Place, v):
    away = np.trunc(abs(v) + p.kind(0.5)) * np.sign(v)
    p.nearest = min(p.nearest, abs(abs(v) + 0.5 - np.rint(abs(v) + 0.5)))
    p.ways.append(away)
    return away


def modulo(p: Place, a, b):
    if abs(b) < 1e-3:
        raise NoValue
    return a - whole(p, a / b) * b


def within(low, high, wave):
    def mean(p, v):
        if not low + 1e-6 < v < high - 1e-6:
            raise NoValue
        return wave(v)

    return mean


plain = lambda wave: lambda p, v: wave(v)
#: name -> (number of arguments, meaning)
LANGUAGE: dict[str, tuple[int, Callable]] = {
    "SIN": (1, plain(np.sin)),
    "COS": (1, plain(np.cos)),
    "TAN": (1, plain(np.tan)),
    "ATAN": (1, plain(np.arctan)),
    "ASIN": (1, within(-1, 1, np.arcsin)),
    "ACOS": (1, within(-1, 1, np.arccos)),
    "EXP": (1, plain(np.exp)),
    "SINH": (1, plain(np.sinh)),
    "COSH": (1, plain(np.cosh)),
    "TANH": (1, plain(np.tanh)),
    "LOG": (1, within(0, np.inf, np.log)),
    "LOG10": (1, within(0, np.inf, np.log10)),
    "SQRT": (1, within(0, np.inf, np.sqrt)),
    "ABS": (1, lambda p, v: -v if p.below(v, 0) else v),
    "ATAN2": (2, lambda p, a, b: np.arctan2(a, b) if b > 1e-3 or positive_part(p, a) > 1e-3 else sized(np.nan)),
    "SIGN": (2, lambda p, a, b: (-1 if p.below(b, 0) else 1) * (-a if p.below(a, 0) else a)),
    "DIM": (2, lambda p, a, b: positive_part(p, a - b)),
    "MOD": (2, modulo),
    "AINT": (1, whole),
    "INT": (1, whole),
    "ANINT": (1, nearest),
    "NINT": (1, nearest),
    "MIN": (2, lambda p, a, b: a if p.below(a, b) else b),
    "MAX": (2, lambda p, a, b: b if p.below(a, b) else a),
    "STEP": (5, cubic),
    "STEP5": (5, quintic),
    "HAVSIN": (5, haversine),
    "IMPACT": (7, impact),
    "BISTOP": (8, bistop),
    "POLY": (5, lambda p, x, x0, *a: sum(one * (x - x0) ** j for j, one in enumerate(a))),
    "CHEBY": (6, chebyshev),
    "FORSIN": (6, waves(np.sin)),
    "FORCOS": (6, waves(np.cos)),
    "SHF": (6, lambda p, x, x0, a, w, phi, b: a * np.sin(w * (x - x0) - phi) + b),
    "SWEEP": (7, sweep),
}


def constant(rng: random.Random) -> tuple[str, Meaning]:
    text, number = rng.choice(
        (
            ("2", "2"),
            ("0.5", "0.5"),
            ("3", "3"),
            ("1.25D0", "1.25"),
            ("1", "1"),
            ("0.1", "0.1"),
            ("4E-1", "0.4"),
            (".75", "0.75"),
            ("0", "0"),
            ("1.5", "1.5"),
        )
    )
    return text, lambda p: p.kind(float(number))


def made(rng: random.Random, depth: int = 0) -> tuple[str, Meaning]:
    """A text and what it means."""
    pick = rng.random()
    if depth > 3 or pick < 0.22:
        if rng.random() < 0.6:
            k = rng.randrange(len(NAMES))
            return rng.choice((NAMES[k], NAMES[k].lower())), lambda p: p.x[k]
        if rng.random() < 0.1:
            return "30D", lambda p: p.kind(np.pi / 6)
        return constant(rng)
    if pick < 0.55:
        op = rng.choice("+-*/+-*^")
        (a, f), (b, g) = made(rng, depth + 1), made(rng, depth + 1)
        if op == "^":
            n = rng.choice((2, 3, -1, -2, 0.5, 1, 4))
            return f"({a})**{n if n >= 0 else f'({n})'}", lambda p: power(f(p), n)
        return f"({a}){op}({b})", lambda p: combined(op, f(p), g(p))
    if pick < 0.62:
        a, f = made(rng, depth + 1)
        return f"-({a})", lambda p: -f(p)
    if pick < 0.7:
        (c, h), (a, f), (b, g) = (made(rng, depth + 1) for _ in range(3))
        return f"IF({c}: {a}, 0, {b})", lambda p: f(p) if p.below(h(p), 0) else g(p)
    if pick < 0.74:
        a, f = made(rng, depth + 1)
        order = rng.choice((0, 1))
        inside = lambda p: clamped(p, f(p))
        if rng.random() < 0.5:
            return f"CUBSPL(MAX(0.1, MIN(3.9, {a})), 0, 1{', 1' if order else ''})", lambda p: p.kind(
                CUBIC(float(inside(p)), order)
            )
        return f"INTERP(MAX(0.1, MIN(3.9, {a})), 1, 1)", lambda p: polygon(p, inside(p))
    name = rng.choice(list(LANGUAGE))
    count, mean = LANGUAGE[name]
    args = [made(rng, depth + 1 + (count > 2)) for _ in range(count)]
    if name in ("IMPACT", "BISTOP"):
        args[-3:] = [("1.5", lambda p: p.kind(1.5)), constant(rng), ("0.25", lambda p: p.kind(0.25))]
    if name == "SWEEP":
        args[2], args[4], args[6] = (
            ("0.5", lambda p: p.kind(0.5)),
            ("2", lambda p: p.kind(2)),
            ("0.75", lambda p: p.kind(0.75)),
        )
    if name in ("STEP", "STEP5", "HAVSIN") and rng.random() < 0.8:
        args[1], args[3] = ("0.25", lambda p: p.kind(0.25)), ("1.75", lambda p: p.kind(1.75))
    return f"{name}({', '.join(a for a, _ in args)})", lambda p: sized(mean(p, *(f(p) for _, f in args)))


def clamped(p: Place, v):
    v = p.kind(3.9) if p.below(p.kind(3.9), v) else v
    return p.kind(0.1) if p.below(v, p.kind(0.1)) else v


def polygon(p: Place, v):
    k = next(k for k in range(len(KNOTS) - 1) if v <= KNOTS[k + 1])
    p.nearest = min(p.nearest, *(abs(v - x) for x in KNOTS))
    p.ways.append(k)  # type: ignore[arg-type]
    return HEIGHTS[k] + (HEIGHTS[k + 1] - HEIGHTS[k]) * (v - KNOTS[k]) / (KNOTS[k + 1] - KNOTS[k])


def power(a, n):
    if n < 0 and abs(a) < 1e-4 or n == 0.5 and a < 1e-6:
        raise NoValue
    return sized(a**n if n != 0.5 else np.sqrt(a))


def combined(op: str, a, b):
    if op == "/" and abs(b) < 1e-4:
        raise NoValue
    return sized(a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b)


class Inputs:
    """Numbers of the inputs of these expressions."""

    def input(self, name, args) -> int:
        if name == "MODE":
            return 0
        text = f"{name}({', '.join(map(to_text, args))})" if args else name
        if text not in NAMES:
            raise KeyError(name)
        return NAMES.index(text)

    def spline(self, id) -> int:
        if id != 1:
            raise KeyError(id)
        return 0

    def curve(self, id) -> int:
        raise KeyError(id)


SPLINES = pack_splines([Spline(KNOTS, HEIGHTS)])


def attempt(seed: int) -> str:
    rng = random.Random(seed)
    if rng.random() < 0.3:
        return damaged(rng)
    text, meaning = made(rng)
    try:
        tree = parse(text)
        program = compile_expression(tree, Inputs())
        held = compile_expression(freeze(tree, lambda condition, jump: Number(0.0)), Inputs())
    except ExpressionError as error:  # constants out of their domain
        sentences([error], "a refusal")
        return "refused"
    if parse(to_text(tree)) != tree:
        raise Finding(f"{text} returns as another tree from its own text {to_text(tree)}")
    programs = ProgramSet([program, held], SPLINES)
    work = programs.work()
    x = np.array(
        [rng.choice((0.0, 1.0, -1.0, rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(0, 1))) for _ in NAMES]
    )
    found = value(programs.arrays, 0, x, work)
    frozen = value(programs.arrays, 1, x, work)
    place, double = Place(x), Place(x, np.float64)
    with np.errstate(all="ignore"):
        try:
            wanted, rough = float(meaning(place)), float(meaning(double))
        except NoValue:
            return "no value"
        if place.nearest < 1e-7 or place.ways != double.ways:
            return "at a switch"
        loss = 1e-9 * (1 + abs(wanted)) + 1e3 * abs(wanted - rough)
        if not abs(found - wanted) <= loss:
            raise Finding(f"{text} at {x.tolist()} is {wanted!r}, not {found!r}")
        if not abs(frozen - wanted) <= loss:
            raise Finding(f"{text} at {x.tolist()} is {wanted!r}, with branches that can be held {frozen!r}")
        plain_value(text, tree, x, wanted, loss)
        return slopes(text, meaning, programs, program, x, wanted, place)


def plain_value(text: str, tree, x, wanted: float, loss: float) -> None:
    """The evaluator that explains failures agrees too (it has no splines here)."""
    if "SPL(" in text or "INTERP(" in text:
        return
    told = evaluate(tree, dict(zip(NAMES, x.tolist())))
    if not abs(told - wanted) <= loss:
        raise Finding(f"{text} at {x.tolist()} is {wanted!r}, not {told!r} as the evaluator of explanations says")


def slopes(text: str, meaning: Meaning, programs: ProgramSet, program, x, wanted: float, place: Place) -> str:
    """Gradient against central differences of the oracle, by two steps, and the rate of a jet."""
    own = np.full(len(program.inputs), np.nan)
    work = programs.work()
    gradient(programs.arrays, 0, x, work, own)
    exact = np.zeros(len(NAMES))
    exact[list(program.inputs)] = own
    if "SPL(" in text:  # the oracle of splines is of double precision
        return "value"
    for k in program.inputs:
        found = []
        for h in (L(1e-5), L(2e-5)):
            ends = []
            for side in (1, -1):
                there = Place(x)
                there.x[k] = there.x[k] + side * h
                try:
                    ends.append(meaning(there))
                except NoValue:
                    return "value"
                if there.ways != place.ways or there.nearest < 1e-4:
                    return "value"
            found.append(float((ends[0] - ends[1]) / (2 * h)))
        slope, rough = found
        if abs(slope - rough) > 1e-3 * (1 + abs(slope)):  # too steep for differences
            return "value"
        if not abs(exact[k] - slope) <= 1e-6 * (1 + abs(slope)) + 10 * abs(slope - rough):
            raise Finding(f"d/d{NAMES[k]} of {text} at {x.tolist()} is {slope!r}, not {exact[k]!r}")
    rate = np.array([1.0, -0.5, 0.25, 2.0])
    f, along, _ = jet(programs.arrays, 0, x, rate, np.zeros(4), work)
    if not (
        abs(f - wanted) <= 1e-6 * (1 + abs(wanted))
        and abs(along - exact @ rate) <= 1e-9 * (1 + np.abs(exact).sum() * 4)
    ):
        raise Finding(f"the rate of {text} at {x.tolist()} is {exact @ rate!r}, not {along!r}")
    return "value and slopes"


def damaged(rng: random.Random) -> str:
    """Nonsense is refused with a sentence; what can still be read has a text that reads the same."""
    text = any_function(rng) if rng.random() < 0.5 else damage(made(rng)[0], rng)
    try:
        tree = parse(text)
        switch_nodes(tree)
        frozen = freeze(tree, lambda condition, jump: Name("MODE") if jump else None)
        compiled = compile_expression(tree, Inputs()), compile_expression(frozen, Inputs())
    except ExpressionError as error:
        sentences([error], "a refusal")
        return "refused"
    if parse(to_text(tree)) != tree:
        raise Finding(f"{text[:200]} returns as another tree from its own text")
    programs = ProgramSet(compiled, SPLINES)
    work = programs.work()
    for k in (0, 1):
        value(programs.arrays, k, np.ones(len(NAMES)), work)
    return "read"

"""Fuzzy controllers: rules over fuzzy sets of the inputs, of the Sugeno and the Mamdani type.

    firing of a rule      w = weight min or product of the grades of its conditions
    Sugeno                y = sum w_r (c_r0 + c_r1 u_1 + ...) / sum w_r
    Mamdani               mu(y) = max_r min or product(w_r, set_r(y)),   y = integral y mu / integral mu over the range
                          of the output, as sums over equidistant points

Where no rule fires, the output is the middle of the range (Mamdani) or zero (Sugeno).

Source: T. Takagi, M. Sugeno, IEEE Trans. SMC 15 (1985) 116; E. H. Mamdani, S. Assilian, Int. J. Man-Machine Studies 7
(1975) 1; K. M. Passino, S. Yurkovich, Fuzzy Control (1998), ch. 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...model.base import ModelError, did_you_mean, shown
from ...model.builder.control import add_block, choice, without_effect
from ...model.control import BlockType, ControlBlock
from ...model.values import number, number_tuple
from .algebra import Law, Signal, call, clipped, inner, signal, terminals, total

#: shape -> number of its parameters
SHAPES = {"triangle": 3, "trapezoid": 4, "gauss": 2, "bell": 3, "sigmoid": 2}
WIDTH = 5  # numbers of a set: its shape and up to four parameters
POINTS = 101
AND = ("min", "product")


def grade(shape: str, p: Sequence[float], u: Signal) -> Signal:
    """Grade of membership of a signal: triangle (a, b, c), trapezoid (a, b, c, d), of which b = a is a shoulder with
    the grade 1 for all that is below and c = d one with 1 for all that is above, gauss (centre, sigma), bell (width,
    slope, centre), sigmoid (slope, centre)."""
    if shape == "gauss":
        z = (u - p[0]) / p[1]
        return call("EXP", -0.5 * z * z)
    if shape == "bell":
        z = (u - p[2]) / p[0]
        return 1.0 / (1.0 + call("EXP", p[1] * call("LOG", call("MAX", z * z, 1e-300))))
    if shape == "sigmoid":
        return 1.0 / (1.0 + call("EXP", clipped(-p[0] * (u - p[1]), -700.0, 700.0)))
    a, b, c, d = (p[0], p[1], p[1], p[2]) if shape == "triangle" else p
    if b == a and d == c:
        return signal(1.0)
    if b == a:
        return clipped((d - u) / (d - c), 0.0, 1.0)
    rise = (u - a) / (b - a)
    return clipped(rise if d == c else call("MIN", rise, (d - u) / (d - c)), 0.0, 1.0)


def _sets(numbers: Sequence[float]) -> list[tuple[str, tuple[float, ...]]]:
    shapes = list(SHAPES)
    rows = [numbers[k : k + WIDTH] for k in range(0, len(numbers), WIDTH)]
    return [(shapes[int(row[0])], tuple(row[1 : 1 + SHAPES[shapes[int(row[0])]]])) for row in rows]


def _law(block: ControlBlock) -> Law:
    count = len(block.inputs)
    u, quantity = terminals(block)[0], inner(block)
    made: list[Signal] = []

    def keep(s: Signal) -> Signal:
        made.append(s)
        return quantity[len(made) - 1]

    grades = [[keep(grade(*s, u[k])) for s in _sets(block.parameters[f"sets{k + 1}"])] for k in range(count)]
    product = block.options["and"] == "product"
    join = (lambda a, b: a * b) if product else (lambda a, b: call("MIN", a, b))
    firing, sums = [], []
    rules = block.parameters["rules"]
    width = count + 2  # conditions (0: none), consequence, weight
    mamdani = block.options["kind"] == "mamdani"
    for k in range(0, len(rules), width):
        row = rules[k : k + width]
        w: Signal | None = None
        for i, which in enumerate(row[:count]):
            if which:
                g = grades[i][int(which) - 1]
                w = g if w is None else join(w, g)
        w = signal(1.0) if w is None else w
        firing.append(keep(row[-1] * w))
        sums.append(int(row[count]))
    if not mamdani:
        c = block.parameters["consequences"]
        values = [total([c[(count + 1) * r], *(c[(count + 1) * r + 1 + i] * u[i] for i in range(count))]) for r in sums]
        weight = keep(total(firing))
        return Law(
            [total([w * v for w, v in zip(firing, values)]) / call("MAX", weight, 1e-300)], inner=made, events=False
        )
    low, high = block.parameters["range"]
    results = _sets(block.parameters["sets0"])
    points = [low + (high - low) * k / (POINTS - 1) for k in range(POINTS)]
    area, moment = [], []
    for y in points:
        parts = []
        for w, r in zip(firing, sums):
            height = membership(*results[r], y)
            if height > 0.0:
                parts.append(height * w if product else call("MIN", w, height))
        if parts:
            mu = keep(parts[0] if len(parts) == 1 else call("MAX", *parts))
            area.append(mu)
            moment.append((y - 0.5 * (low + high)) * mu)
    weight = keep(total(area))
    out = 0.5 * (low + high) + total(moment) / call("MAX", weight, 1e-300)
    return Law([out], inner=made, events=False)


def membership(shape: str, p: Sequence[float], y: float) -> float:
    """Grade of membership of a number."""
    from ...expressions import evaluate

    return evaluate(grade(shape, p, signal(y)).node, {})


def _encoded(sets: Mapping[str, Any], what: str) -> tuple[list[str], list[float]]:
    names, numbers = [], []
    for name, (shape, *p) in sets.items():
        if shape not in SHAPES:
            raise ModelError(f"{what} '{name}': unknown shape {shown(shape)}{did_you_mean(shape, SHAPES)}")
        values = number_tuple(p[0] if len(p) == 1 and isinstance(p[0], (tuple, list)) else p, name)
        if len(values) != SHAPES[shape]:
            raise ModelError(f"{what} '{name}': a {shape} has {SHAPES[shape]} parameters, not {len(values)}")
        if shape in ("triangle", "trapezoid") and (list(values) != sorted(values) or values[0] == values[-1]):
            raise ModelError(f"{what} '{name}': the corners of a {shape} must increase, they are {shown(values)}")
        if shape in ("gauss", "bell") and not values[1 if shape == "gauss" else 0] > 0.0:
            raise ModelError(f"{what} '{name}': the width of a {shape} must be positive, they are {shown(values)}")
        names.append(name)
        numbers += [float(list(SHAPES).index(shape)), *values, *[0.0] * (WIDTH - 1 - len(values))]
    if not names:
        raise ModelError(f"{what} has no sets; give one or more")
    return names, numbers


def fuzzy(
    model,
    name: str,
    *inputs,
    sets,
    rules,
    output=None,
    range=None,
    conjunction: str = "min",
    sample_time=None,
) -> ControlBlock:
    """Fuzzy controller of the inputs ``u1``, ``u2``, ...

    ``sets``: for each input {name: (shape, parameters ...)}, in units of the input: "triangle" (a, b, c), "trapezoid"
    (a, b, c, d), with b = a or c = d a shoulder that keeps the grade 1 below or above, "gauss" (centre, sigma), "bell"
    (width, slope, centre), "sigmoid" (slope, centre); ``rules``:
    (conditions, consequence) or (conditions, consequence, weight), conditions being a set for each input, or None for
    any value. Sugeno: a consequence is a number, or (c0, c1, ...) of c0 + c1 u1 + ...  Mamdani: ``output``, the sets of
    the output, and its ``range`` (low, high) in units of the output; a consequence is the name of one.
    ``conjunction``: "min" or "product". Raises `ModelError` for sets and rules that do not fit.

        model.control.fuzzy("brake", "gap", sets=[{"near": ("trapezoid", 0, 0, 2, 5), "far": ("sigmoid", 2, 5)}],
            rules=[(("near",), 1.0), (("far",), 0.0)])
    """
    choice(conjunction, "conjunction", AND)
    if len(sets) != len(inputs) or not inputs:
        raise ModelError(f"sets are given for {len(sets)} inputs, and there are {len(inputs)}; give one for each")
    numbers: dict[str, Any] = {}
    names = []
    for k, group in enumerate(sets):
        found, numbers[f"sets{k + 1}"] = _encoded(group, f"sets of input {k + 1}")
        names.append(found)
    kind = "sugeno" if output is None else "mamdani"
    results: list[str] = []
    if output is None:
        without_effect("without the sets of an output; give output", range=range)
    else:
        results, numbers["sets0"] = _encoded(output, "output")
        if range is None or len(number_tuple(range, "range")) != 2 or not range[0] < range[1]:
            raise ModelError(f"range is {shown(range)}; give the lowest and the highest output")
        numbers["range"] = number_tuple(range, "range")
    rows: list[float] = []
    consequences: list[float] = []
    for r, rule in enumerate(rules):
        if len(rule) not in (2, 3):
            raise ModelError(f"rule {r + 1} has {len(rule)} entries; give (conditions, consequence) and a weight")
        conditions = (rule[0],) if isinstance(rule[0], str) or rule[0] is None else tuple(rule[0])
        if len(conditions) != len(inputs):
            raise ModelError(
                f"rule {r + 1} has {len(conditions)} conditions for {len(inputs)} inputs; give None for any value"
            )
        for k, word in enumerate(conditions):
            if word is not None and word not in names[k]:
                raise ModelError(f"rule {r + 1}: input {k + 1} has no set {shown(word)}{did_you_mean(word, names[k])}")
        rows += [0.0 if w is None else names[k].index(w) + 1.0 for k, w in enumerate(conditions)]
        if kind == "mamdani":
            if rule[1] not in results:
                raise ModelError(
                    f"rule {r + 1}: the output has no set {shown(rule[1])}{did_you_mean(rule[1], results)}"
                )
            rows.append(float(results.index(rule[1])))
        else:
            c = number_tuple([rule[1]] if isinstance(rule[1], (int, float)) else rule[1], "consequence")
            if len(c) not in (1, len(inputs) + 1):
                raise ModelError(f"rule {r + 1}: a consequence is a number, or {len(inputs) + 1} coefficients")
            consequences += [*c, *[0.0] * (len(inputs) + 1 - len(c))]
            rows.append(float(r))
        weight = number(rule[2], "weight") if len(rule) == 3 else 1.0
        if not 0.0 <= weight < math.inf:
            raise ModelError(f"rule {r + 1}: its weight is {weight:g}; give zero or a positive number")
        rows.append(weight)
    if not rows:
        raise ModelError("there are no rules; give one or more")
    numbers["rules"] = rows
    if kind == "sugeno":
        numbers["consequences"] = consequences
    ports = {f"u{k + 1}": u for k, u in enumerate(inputs)}
    return add_block(
        model, "fuzzy", name, ports, numbers, sample_time=sample_time, options={"kind": kind, "and": conjunction}
    )


BLOCK_TYPES = (BlockType("fuzzy", fuzzy, ("u",), _law),)
SHORTHANDS = ()

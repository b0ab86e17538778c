"""Parameters as plain data: which numbers of a model are linear in them (`parameters`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .._six_points import AT, WEIGHTS
from .base import ELEMENT_TYPES, ModelError, shown
from .constants import constants_of
from .kinds import is_number
from .parameters import Shift, declare, fields_of, move, parameters_of, quantities_in, resolve
from .quantities import (
    Number,
    Value,
    component_of,
    flat_numbers,
    numbers_of_table,
)


def linear_uses(model: Any, name: str, scratch: Any = None, check: bool = True) -> tuple[list[Shift], list[str]]:
    """The numbers that a parameter moves, with derivatives at the present value as factors, and (with ``check``)
    addresses of those that it does not move linearly.  ``scratch``: a copy of the model, which is left as it was.

    Raises `ModelError` where other values of the parameter give elements of another form.
    """
    scratch = model.copy() if scratch is None else scratch
    values = {n: p.value for n, p in parameters_of(scratch).items()}
    out: list[Shift] = []
    curved: list[str] = []
    for c in range(parameters_of(scratch).table[name].size):
        h = 2e-3 * (abs(component_of(values[name], c)) or 1.0)
        points = [_numbers_at(scratch, name, values, {name: _moved_by(values[name], c, k * h)}) for k in AT]
        for number in points[0]:
            if any(number not in p for p in points):
                raise ModelError(
                    f"{number.name} is there for some values of parameter '{name}' and not for others; a parameter "
                    "must not decide which numbers there are"
                )
            row = [p[number] for p in points]
            if max(row) == min(row):
                continue
            if not check and _cornered(row):
                raise ModelError(
                    f"{number.name} has a corner or a jump at this value of parameter '{name}', as Euler angles have "
                    "at their pole: no derivative; turn the axes of the marker or part that it belongs to"
                )
            slope = sum(w * (v - row[2]) for w, v in zip(WEIGHTS, row)) / h
            size = max(map(abs, row))
            if abs(slope) * h <= 1e-14 * size:
                continue
            out.append(Shift(number, name, c, _rounded(slope)))
            if max(abs(v - row[2] - slope * h * (k + 1)) for v, k in zip(row, AT)) > 1e-12 * (size + abs(slope * h)):
                curved.append(number.name)
    if check:
        curved += _mixed(scratch, name, values, out)
    return out, sorted(set(curved))


def _cornered(row: list[float]) -> bool:
    """Has a function with these values at the points `AT` a corner or a jump between them?

    Its second differences over one and two steps are equal at a corner |x|, and as 3 to 5 or more apart where it is
    smooth; a jump is larger than all other differences.
    """
    a, b, c, d, e, f = row
    steps = sorted(map(abs, (b - a, c - b, 0.5 * (d - c), e - d, f - e)))
    near, far = c + d - b - e, b + e - a - f
    noise = 1e-9 * max(map(abs, row))
    corner = abs(near) > noise and abs(far - near) < 0.3 * abs(near)
    return corner or (steps[-1] > 0.1 and steps[-1] > 10.0 * steps[-2])


def _numbers_at(
    scratch: Any, name: str, values: Mapping[str, Value], other: Mapping[str, Value]
) -> dict[Number, float]:
    """Numbers of the elements that a parameter moves, where parameters have other values; these are put back."""
    kept = parameters_of(scratch)
    moved = {**values, **other}
    changed = frozenset(other)
    move(scratch, moved, values, changed)
    try:
        keys = {(kind, n) for call in kept.calls if name in call.names for kind, n, _ in call.made}
        keys |= {(s.number.kind, s.number.id) for s in kept.shifts if s.name == name}
        fields = {k: dict(fields_of(scratch.table(k[0])[k[1]])) for k in sorted(keys) if k[1] in scratch.table(k[0])}
        out = _numbers_made(fields)
        if kept.gravity is not None and any(name in q.names for q in quantities_in(kept.gravity)):
            out |= {Number("MODEL", 0, "gravity", k + 1): g for k, g in enumerate(scratch.gravity)}
    finally:
        move(scratch, values, moved, changed)
    return out


def _mixed(scratch: Any, name: str, values: Mapping[str, Value], uses: list[Shift]) -> list[str]:
    """Addresses of numbers in which a parameter multiplies others."""
    others = frozenset().union(*(c.names for c in parameters_of(scratch).calls if name in c.names)) - {name}
    if not others:
        return []
    step = lambda v: 2e-3 * (abs(v) or 1.0)
    ahead = lambda v: tuple(c + step(c) for c in v) if isinstance(v, tuple) else v + step(v)
    beside = {n: ahead(values[n]) for n in others}
    first = _numbers_at(scratch, name, values, beside)
    second = _numbers_at(scratch, name, values, {**beside, name: ahead(values[name])})
    out = []
    for number in second:
        steps = [s.factor * step(component_of(values[name], s.component)) for s in uses if s.number == number]
        size = abs(second[number]) + sum(map(abs, steps))
        if number not in first or abs(second[number] - first[number] - sum(steps)) > 1e-11 * size:
            out.append(number.name)
    return out


def _rounded(slope: float) -> float:
    """A factor without the rounding of differences, where it is a short number."""
    short = float(f"{slope:.6g}")
    return short if abs(slope - short) <= 1e-11 * abs(slope) else slope


def _moved_by(value: Value, c: int, step: float) -> Value:
    return tuple(v + step * (k == c) for k, v in enumerate(value)) if isinstance(value, tuple) else value + step


def _numbers_made(fields: dict[tuple[str, int], dict[str, Any]]) -> dict[Number, float]:
    out: dict[Number, float] = {}
    for (kind, n), table in fields.items():
        references = ELEMENT_TYPES[kind].REFERENCES
        for name, value in table.items():
            if name in references or isinstance(value, bool) or value is None:
                continue
            if isinstance(value, str):
                for k, (_, _, v) in enumerate(constants_of(value)):
                    out[Number(kind, n, name, k + 1)] = v
                continue
            if isinstance(value, dict):
                out |= {Number(kind, n, name, key): v for key, v in numbers_of_table(value).items()}
                continue
            flat = flat_numbers(value)
            if flat is None:
                continue
            for k, v in enumerate(flat):
                out[Number(kind, n, name, k + 1 if isinstance(value, tuple) else None)] = v
    return out


def to_data(model: Any) -> list[dict[str, Any]]:
    """Parameters as plain data: name, value, bounds, unit, and the numbers that they move linearly.

    A use that is not linear cannot be written: the file keeps the parameter without it, and the model warns.
    """
    kept = vars(model).get("_parameters")
    if kept is None:
        return []
    out = []
    for name, p in kept.items():
        uses, curved = linear_uses(model, name)
        lost = set(curved)
        if lost:
            model.warn(
                f"parameter '{name}' does not enter {', '.join(sorted(lost)[:3])} linearly; files keep the present "
                "value there, and this use is lost when they are read"
            )
        row: dict[str, Any] = {"name": name, "value": _plain(p.value)}
        row |= {k: _plain(v) for k, v in (("low", p.low), ("high", p.high)) if v is not None}
        if p.unit:
            row["unit"] = p.unit
        row["uses"] = [[s.number.name, s.component, s.factor] for s in uses if s.number.name not in lost]
        if name in kept.variables:
            row["variable"] = kept.variables[name]
        out.append(row)
    return out


def from_data(model: Any, rows: Any) -> None:
    """Give a model the parameters that `to_data` wrote.  Raises `ModelError` for what is not such data."""
    if not isinstance(rows, (list, tuple)):
        raise ModelError(f"the parameters of the model file are {shown(rows)}; give a list")
    kept = parameters_of(model)
    for row in rows:
        if not isinstance(row, dict) or not set(row) <= {"name", "value", "low", "high", "unit", "uses", "variable"}:
            raise ModelError(f"a parameter of the model file is {shown(row)}; give name, value, low, high, unit, uses")
        p = declare(
            model, row.get("name", ""), row.get("value"), row.get("low"), row.get("high"), row.get("unit", ""), ()
        )
        for use in row.get("uses", ()):
            fits = isinstance(use, (list, tuple)) and len(use) == 3 and isinstance(use[0], str)
            if not (
                fits and type(use[1]) is int and 0 <= use[1] < p.size and is_number(use[2]) and math.isfinite(use[2])
            ):
                raise ModelError(
                    f"parameter '{p.name}': one of its uses is {shown(use)}; give an address, a component, a factor"
                )
            number = resolve(model, use[0])
            if not isinstance(number, Number):
                raise ModelError(f"parameter '{p.name}': {shown(use[0])} is not the address of a number")
            kept.shifts.append(Shift(number, p.name, use[1], float(use[2])))
        if "variable" in row:
            kept.variables[p.name] = model.find("VARIABLE", row["variable"]).id


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value

"""Forms: the arguments of a builder method that a form requests, with their units."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from ..model.base import ModelError, shown


@dataclass(frozen=True)
class Argument:
    """One row of a form: ``kind`` name, text, number, whole, drawn (a number, or "drawn": as at the design position),
    numbers, values (a number, numbers, or rows of them), points (rows of three), points2 (rows of two), grid (rows
    of one length), mesh (a file of a mesh below the model's folder), file (of any type there), formula, signal (a
    formula that may name blocks), signals (one a line), texts (one a line), pairs (``name = text``, one a line),
    data (JSON), vector, flag, body, marker, end (a body or a marker), joint, loaded (a joint, motion or force),
    shape, or words to choose from joined by "|";
    ``quantity`` as in `Units.symbol`; ``start``: its first value, of numbers in SI; ``needed``: whether it must be
    given."""

    name: str
    kind: str
    label: str
    quantity: str = "none"
    start: Any = None
    needed: bool = False

    def to_dict(self, units: Any) -> dict[str, Any]:
        """For the browser, with the unit's text."""
        unit = units.symbol(self.quantity)
        return {
            "name": self.name,
            "kind": self.kind,
            "label": self.label,
            "unit": unit,
            "start": in_units(units, self.quantity, self.start, self.name),
            "needed": self.needed,
        }


@dataclass(frozen=True)
class Form:
    """A builder method: the group of its menu, its title, one sentence of help, and its arguments; ``shape``: which of
    them belong to a shape of `holonom.shapes`, and the name of that; ``on``: the attribute of the model that has the
    method, where it is not the model itself."""

    group: str
    title: str
    help: str
    arguments: tuple[Argument, ...]
    method: str = ""
    shape: str = ""
    on: str = ""


def in_units(units: Any, quantity: str, start: Any, name: str = "") -> Any:
    """First value of an argument in units of the model: those of the forms are in SI; texts stay as they are, but for
    rows of points."""
    factor = units.si(quantity)
    if abs(factor - 1.0) < 1e-12 or start is None or isinstance(start, bool):
        return start
    convert = lambda v: float(f"{v / factor:.6g}")
    if isinstance(start, (list, tuple)):
        return [convert(v) for v in start]
    if isinstance(start, (int, float)):
        return convert(start)
    rows = [[typed(v) for v in row.replace(",", " ").split()] for row in str(start).splitlines()]
    if all(isinstance(v, float) for row in rows for v in row):
        return "\n".join(", ".join(f"{convert(v):g}" for v in row) for row in rows)
    return start


def wanted_number(raw: Any, unit: str = "") -> str:
    """What to give in place of a value that is not a number, also for a decimal comma and a number with a unit;
    ``unit``: that of the field."""
    found = (
        re.fullmatch(r"\s*([-+]?\d*)([.,]?)(\d*(?:[eE][-+]?\d+)?)\s*([^\d\s,;.][^\d,;]*)?", raw)
        if isinstance(raw, str)
        else None
    )
    whole, mark, rest, word = found.groups() if found else ("", "", "", "")
    if not (whole.strip("+-") or rest):
        return "give a number"
    number = f"{whole or '0'}{'.' if mark and rest else ''}{rest}"
    if word:
        return (
            f"the Studio takes numbers in units of the model, so write only the number{f', in {unit}' if unit else ''}"
        )
    if mark == ",":
        return f"write it with a decimal point, {number}"
    return "it is closer to zero than a number can be; give 0" if float(number) == 0.0 else "give a number"


def is_angle(unit: str) -> bool:
    """Whether a field of this unit takes ``30D`` for 30 degrees."""
    return unit == "rad" or unit.startswith("rad/")


def typed(value: Any, degrees: bool = False) -> Any:
    """A number that a person typed, where ``degrees`` also ``30D`` for degrees; anything else as it is, so that the
    model states what it thinks of it.  So does a number that is not zero and would become it."""
    if isinstance(value, str):
        text, factor = value.strip(), 1.0
        if degrees and text[-1:] in ("d", "D"):
            text, factor = text[:-1], math.radians(1.0)
        try:
            number = float(text) * factor
        except ValueError:
            return value
        if number == 0.0:
            return value if any(c not in "0_" and c.isdigit() for c in re.split("[eE]", text)[0]) else 0.0
        return number
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else value


def finite_number(value: Any, what: str) -> float:
    """A number of a message.  Raises ModelError for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelError(f"{what} is {shown(value)}; {wanted_number(value)}")
    return float(value)

"""What templates of axles are, those that are known, and how numbers and tables of data are read: what templates and
axles share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown

if TYPE_CHECKING:
    from .axle import Axle, Side

LEFT, RIGHT = "left", "right"
SIGN = {LEFT: 1.0, RIGHT: -1.0}


@dataclass(frozen=True)
class Template(Summary):
    """A type of suspension: data, and one function that creates it.

    ``side``: draws one side, called with a `Side` for the left and the right; or ``axle``: draws both, called with an
    `Axle`.  ``points``: hardpoints that must be given, name -> what it is; ``optional``: others, name -> (the point
    that it falls back to, what it is); ``parts``: names whose masses must be given;
    ``bushings``: points where the compliant axle has rubber; ``words``: further tables of data that the function reads.
    """

    name: str
    points: Mapping[str, str]
    parts: Sequence[str]
    side: Callable[[Side], None] | None = None
    axle: Callable[[Axle], None] | None = None
    optional: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    bushings: Sequence[str] = ()
    words: Sequence[str] = ()


TEMPLATES: dict[str, Template] = {}


def register(template: Template) -> Template:
    """Register a template by its name, also for data files. Raises `ModelError` for a template without a function, and
    for a name that is already in use."""
    if (template.side is None) == (template.axle is None):
        raise ModelError(f"template '{template.name}' must draw either a side or an axle")
    if TEMPLATES.get(template.name, template) is not template:
        raise ModelError(f"there is a template '{template.name}' already; take another name")
    TEMPLATES[template.name] = template
    return template


def numbers_of(values: Any, what: str, count: int | None = None) -> list[float]:
    """Finite numbers.  Raises ModelError with ``what``."""
    good = isinstance(values, (list, tuple, np.ndarray)) and (count is None or len(values) == count)
    if good:
        for v in values:
            good = good and isinstance(v, (int, float, np.number)) and not isinstance(v, bool) and math.isfinite(v)
    if not good:
        raise ModelError(f"{what} is {shown(values)}; give {'a list of' if count is None else count} numbers")
    return [float(v) for v in values]


def number_of(value: Any, what: str, *, positive: bool = False, least: float | None = None) -> float:
    """A finite number.  Raises ModelError with ``what``."""
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not math.isfinite(value):
        raise ModelError(f"{what} is {shown(value)}; give a number")
    if positive and not value > 0.0:
        raise ModelError(f"{what} is {value:g}; give a positive number")
    if least is not None and value < least:
        raise ModelError(f"{what} is {value:g}; give {least:g} or more")
    return float(value)


def positive_numbers(**values: Any) -> None:
    """Check arguments by their names.  Raises ModelError for the first that is not a positive number."""
    for name, value in values.items():
        number_of(value, name, positive=True)


def pedal_of(pedal: Any) -> float:
    """A share of the brakes' torque.  Raises ModelError for one that is not above 0 and at most 1."""
    if not 0.0 < number_of(pedal, "pedal") <= 1.0:
        raise ModelError(f"pedal is {pedal:g}; give a share of the brakes' torque, above 0 and at most 1")
    return float(pedal)


def table_of(value: Any, what: str, words: Sequence[str] | None = None) -> dict[str, Any]:
    """A table with text keys, of ``words`` where they are given.  Raises ModelError with ``what``."""
    if not isinstance(value, Mapping):
        raise ModelError(f"{what} is {shown(value)}; give a table of keywords and values")
    for word in value:
        if not isinstance(word, str):
            raise ModelError(f"{what}: the keyword {shown(word)} is not text")
        if words is not None and word not in words:
            raise ModelError(f"{what}: there is no '{word}'{did_you_mean(word, words)}")
    return dict(value)


def curve_of(rows: Any, what: str) -> tuple[list[float], list[float]]:
    """Columns of a measured curve; x increases.  Raises ModelError with ``what``."""
    if not isinstance(rows, (list, tuple)) or len(rows) < 4:
        raise ModelError(f"{what} is {shown(rows)}; give four or more rows [x, y]")
    pairs = [numbers_of(row, f"{what}: row {k + 1}", 2) for k, row in enumerate(rows)]
    for k, (a, b) in enumerate(zip(pairs, pairs[1:])):
        if not b[0] > a[0]:
            raise ModelError(f"{what}: x must increase, but row {k + 2} ({b[0]:g}) follows {a[0]:g}")
    return [p[0] for p in pairs], [p[1] for p in pairs]


def inverse(x: Sequence[float], y: Sequence[float], value: float, what: str) -> float:
    """x where the cubic spline through (x, y) has a value.  Raises ModelError where it has it nowhere."""
    from scipy.interpolate import CubicSpline

    roots = CubicSpline(x, y, bc_type="natural").solve(value, extrapolate=False)
    if not len(roots):
        raise ModelError(
            f"{what}: no deflection of its curve has the load {value:g}; the curve goes from {min(y):g} to {max(y):g}"
        )
    return float(roots[0])


def tensor(values: list[float]) -> np.ndarray:
    """(3, 3) of moments and, where there are six, products (xy, xz, yz) of inertia: integrals of x y dm.  Raises
    `ModelError` for another number of them."""
    if len(values) not in (3, 6):
        raise ModelError(f"an inertia has three or six numbers, not {len(values)}")
    xx, yy, zz, xy, xz, yz = [*values, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])

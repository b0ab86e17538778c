"""What Python's users write for a number, a vector or a table, converted, or an error that states what is wrong with
it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .base import Element, ModelError, close_word, shown
from .implausible import in_degrees
from .kinds import finite, is_number, is_whole
from .orientation import axes_from, to_euler313
from .quantity_text import LONGEST, Angle, has_unit

Vector = tuple[float, float, float]


_COMMA = re.compile(r"\s*[+-]?\d+(,)\d+\s*[A-Za-zµ°]?[\w µ°*/^.+-]*\Z")  # "2,5 kg"
_DIRECTIONS = {"x": "(1, 0, 0)", "y": "(0, 1, 0)", "z": "(0, 0, 1)"}


def _instead_of(value: Any) -> str:
    """What to write for a value that is no finite number."""
    if isinstance(value, str) and len(value) <= LONGEST:
        found = _COMMA.match(value)
        if found is not None:
            return f"a decimal point: {shown(value[: found.start(1)] + '.' + value[found.end(1) :])}"
        try:
            return f"the number {float(value):g} without quotes, or a text with a unit, as '5 mm'"
        except ValueError:
            pass
    return "a finite number"


# ---- values --------------------------------------------------------------------------------------------------------
def number(value: Any, what: str) -> float:
    """A finite number, or an error that names it."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not is_number(value) or not finite(value):
        raise ModelError(f"{what} is {shown(value)}; give {_instead_of(value)}")
    return value if isinstance(value, Angle) else float(value)


def number_fields(**values: Any) -> dict[str, Any]:
    """Finite numbers by name, to be passed on by keyword, or an error that names the first that is none."""
    return {name: number(value, name) for name, value in values.items()}


def whole(value: Any, what: str) -> int:
    if not is_whole(value):
        raise ModelError(f"{what} is {shown(value)}; give a whole number")
    return int(value)


def flag(value: Any, what: str) -> None:
    """Raise for what is neither true nor false: a text such as "no" would count as true."""
    if not (isinstance(value, (bool, np.bool_)) or (is_whole(value) and value in (0, 1))):
        raise ModelError(f"{what} is {shown(value)}; give True or False")


def no_set(value: Any, what: str) -> None:
    """Raise for a set where order has a meaning: that of a set is arbitrary."""
    if isinstance(value, (set, frozenset)):
        raise ModelError(f"{what} is a set, which has no order; give a list or a tuple")


def _no_text(values: Any, what: str) -> None:
    """Raise for a text in a list of numbers: it is no quantity, and numpy would read ``"0.3"`` as one; and for dates,
    which numpy would read as nanoseconds."""
    no_set(values, what)
    if getattr(getattr(values, "dtype", None), "kind", "") in ("M", "m"):
        raise ModelError(
            f"{what} holds dates; give numbers, such as seconds from the first: (t - t[0]) / numpy.timedelta64(1, 's')"
        )
    if isinstance(values, (tuple, list)):
        for value in values:
            if isinstance(value, (str, bytes)):
                raise ModelError(f"{what} has {shown(value)}; give a number, or where it has a unit a text as '5 mm'")
            _no_text(value, what)


RESIDUE = 1e-14  # share of a length that rounding may leave of a zero component


def without_residue(value: Any, scale: float) -> Vector:
    """A computed vector whose components below `RESIDUE` of ``scale`` are zero: they are rounding, and would be read as
    positions."""
    return vector([0.0 if abs(v) <= RESIDUE * scale else v for v in np.asarray(value, float).tolist()])


def vector(value: Any, what: str = "") -> Vector:
    """Three numbers."""
    label = f"{what}: " if what else ""
    if isinstance(value, Element):
        raise ModelError(f"{label}{value.label} is given, a {value.KIND.lower()}; give a point as three numbers")
    _no_text(value, what or "a component")
    if isinstance(value, str):
        direction = _DIRECTIONS.get(value.strip().lower())
        raise ModelError(f"{label}expected three numbers, got {shown(value)}{f'; give {direction}' * bool(direction)}")
    try:
        out = tuple(float(c) for c in value) if not isinstance(value, (str, bytes, dict)) else ()
    except (TypeError, ValueError):
        raise ModelError(f"{label}expected three numbers, got {shown(value)}") from None
    if len(out) != 3:
        raise ModelError(f"{label}expected three numbers, got {len(out)}: {shown(value)}")
    if not all(map(math.isfinite, out)):
        raise ModelError(f"{label}expected three finite numbers, got {shown(value)}")
    return out


def number_tuple(values: Any, what: str) -> tuple[float, ...]:
    """A list of numbers."""
    _no_text(values, what)
    try:
        out = np.asarray(values, float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected a list of numbers, got {shown(values)}") from None
    if out.ndim != 1 or isinstance(values, str):
        raise ModelError(f"{what}: expected a list of numbers, got {shown(values)}")
    return tuple(out.tolist())


def number_matrix(values: Any, what: str, rows: int | None = None, columns: int | None = None) -> np.ndarray:
    """Rows of numbers of one length."""
    size = f"{rows} x {columns} numbers" if rows else "rows of numbers, all of the same length"
    _no_text(values, what)
    try:
        out = np.asarray(values, float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected {size}, got {shown(values)}") from None
    if rows and out.size == rows * (columns or 0) and out.ndim == 1:
        out = out.reshape(rows, columns or 0)
    if out.ndim != 2 or (rows and out.shape != (rows, columns)):
        raise ModelError(f"{what}: expected {size}, got {'x'.join(map(str, out.shape)) or shown(values)}")
    return out


def listed(values: Any, what: str, of: str) -> list[Any]:
    """Several things; a text is one thing, not its letters."""
    no_set(values, what)
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise ModelError(f"{what} is {shown(values)}; give a list of {of}")
    return list(values)


def word_of(value: Any, what: str, words: tuple[str, ...]) -> str:
    """One of several keywords, whatever its case."""
    if not isinstance(value, str) or value.upper() not in words:
        meant = close_word(str(value).upper(), words)
        raise ModelError(
            f"unknown {what} {shown(value)}; choose one of {', '.join(words)}"
            + (f" (did you mean {meant}?)" if meant else "")
        )
    return value.upper()


def pairs(values: Any, what: str) -> tuple[tuple[float, float], ...]:
    """Rows of two numbers, also none."""
    rows = [listed(row, what, "rows of two numbers") for row in listed(values, what, "rows of two numbers")]
    if any(len(row) != 2 for row in rows):
        raise ModelError(f"{what} is {shown(values)}; give rows of two numbers")
    return tuple((number(a, what), number(b, what)) for a, b in rows)


def named(values: Any, what: str) -> dict[str, Any]:
    """Values by their names."""
    if not isinstance(values, Mapping):
        raise ModelError(f"{what} is {shown(values)}; give a dictionary of names and numbers")
    return {str(name): value for name, value in values.items()}


def named_numbers(values: Any, what: str) -> dict[str, float]:
    """Numbers by their names."""
    return {name: number(value, name) for name, value in named(values, what).items()}


def formula(value: Any, what: str) -> str:
    """An expression, or a number that represents one."""
    if is_number(value):
        return repr(number(value, what))
    if not isinstance(value, str) or not value.strip():
        raise ModelError(
            f"{what} is {shown(value)}; give an expression of the Adams language as a text, a number, or a Python "
            "function"
        )
    if has_unit(value):
        raise ModelError(
            f"{what} is '{value}': functions are in units of the model; leave the unit out (angles: 90D is 90 degrees)"
        )
    return value


# ---- directions ----------------------------------------------------------------------------------------------------
def orthonormal(axes: Any) -> np.ndarray:
    """Axes of length 1, at right angles and right-handed, or an error that states which is wrong."""
    try:
        a = np.asarray(axes, float)
    except (TypeError, ValueError):
        a = np.zeros(0)
    if a.shape != (3, 3):
        raise ModelError(f"axes are {shown(axes)}; give a 3x3 table whose columns are the axes")
    off = float(np.abs(a.T @ a - np.eye(3)).max())
    if not off <= 1e-6:
        raise ModelError(
            f"axes are not of length 1 and at right angles (off by {off:.3g}); give a rotation matrix, columns are "
            "the axes"
        )
    if np.linalg.det(a) < 0.0:
        raise ModelError("axes are left-handed; turn one of them round")
    return a


def axes_of(z: Any, x: Any, names: tuple[str, str] = ("z", "x")) -> np.ndarray:
    """Axes (3, 3) whose z (and x) point along two directions."""
    pair = []
    for value, what in zip((z, x), names):
        direction = None if value is None else vector(value, what)
        if direction is not None and not np.linalg.norm(direction) > 0.0:
            raise ModelError(f"{what} is {shown(value)}, which gives no direction; give a vector that is not zero")
        pair.append(direction)
    return axes_from(*pair)


def angles_of(
    z: Any = None, x: Any = None, euler: Any = None, axes: Any = None, warn: Callable[[str], None] | None = None
) -> Vector | None:
    """Body 3-1-3 angles of what is given, of which only one may be; None where nothing is.  ``warn`` takes a sentence
    about angles that may be in degrees."""
    if (euler is not None) + (axes is not None) + (z is not None or x is not None) > 1:
        raise ModelError("its directions are given in more than one way; give euler, or axes, or z and x")
    if euler is not None:
        angles = vector(euler, "euler")
        if max(map(abs, angles)) > 4 * np.pi:
            raise ModelError(
                f"euler angles {shown(angles)} are taken in radians, and look like degrees; give numpy.radians(...)"
            )
        if warn is not None and any(in_degrees("euler", a) for a in angles):
            warn(f"euler angles {shown(angles)} are taken in radians; if they are in degrees, give numpy.radians(...)")
        return angles
    if axes is not None:
        return to_euler313(orthonormal(axes))
    if z is None and x is None:
        return None
    return to_euler313(axes_of(z, x))

"""Quantities as text: ``"5 mm"``, ``"30 deg"``, ``"2 kN/mm"`` in units of the model.

A number, then units joined by ``*`` and ``/`` (a slash divides by the next unit only), each with an optional power:
``kg*m^2``, ``N*m/rad``, ``kg/m^3``, ``N/mm^1.5``. Unit symbols are case-sensitive (``mm``, ``Mg``, ``MPa``); SI units
accept SI prefixes. Nothing is evaluated.

`QUANTITIES` is the table of quantities and their SI units: `si_size` is the factor to SI, `in_model_units` the unit
text of a model. `in_units` converts a text to a number for a given dimension, and refuses other dimensions.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

from .base import ModelError, close_word

#: quantity -> its SI unit, in the units m, kg, s, N and rad for which a model has its own
QUANTITIES = {
    "none": "",
    "length": "m",
    "area": "m^2",
    "area_moment": "m^4",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "angle": "rad",
    "angular_velocity": "rad/s",
    "angular_acceleration": "rad/s^2",
    "mass": "kg",
    "inertia": "kg*m^2",
    "density": "kg/m^3",
    "time": "s",
    "force": "N",
    "torque": "N*m",
    "stiffness": "N/m",
    "damping": "N*s/m",
    "torsion": "N*m/rad",
    "torsion_damping": "N*m*s/rad",
    "modulus": "N/m^2",
    "hertz": "N/m^1.5",
    "energy": "N*m",
    "power": "N*m/s",
    "momentum": "N*s",
    "angular_momentum": "N*m*s",
}
#: unit -> (value in SI, exponents of length, mass, time, angle)
Unit = tuple[float, tuple[float, float, float, float]]
_L, _M, _T, _A = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
_FORCE, _PRESSURE, _WORK = (1, 1, -2, 0), (-1, 1, -2, 0), (2, 1, -2, 0)
POUND, INCH = 0.45359237, 0.0254  # exact, as all that follow from them
GRAVITY = 9.80665
PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9}
WITH_PREFIX: dict[str, Unit] = {
    "m": (1.0, _L),
    "g": (1e-3, _M),
    "s": (1.0, _T),
    "N": (1.0, _FORCE),
    "Pa": (1.0, _PRESSURE),
    "J": (1.0, _WORK),
    "W": (1.0, (2, 1, -3, 0)),
    "Hz": (1.0, (0, 0, -1, 0)),
    "rad": (1.0, _A),
}
PLAIN: dict[str, Unit] = {
    "micron": (1e-6, _L), "mil": (INCH / 1000, _L), "lbm": (POUND, _M), "tonne": (1e3, _M),
    "grad": (math.pi / 200, _A), "gon": (math.pi / 200, _A),
    "in": (INCH, _L), "ft": (12 * INCH, _L), "yd": (36 * INCH, _L), "mi": (63360 * INCH, _L),
    "t": (1e3, _M), "lb": (POUND, _M), "oz": (POUND / 16, _M), "slug": (POUND * GRAVITY / (12 * INCH), _M),
    "min": (60.0, _T), "h": (3600.0, _T),
    "lbf": (POUND * GRAVITY, _FORCE), "kgf": (GRAVITY, _FORCE), "dyn": (1e-5, _FORCE),
    "bar": (1e5, _PRESSURE), "psi": (POUND * GRAVITY / INCH**2, _PRESSURE),
    "deg": (math.pi / 180, _A), "°": (math.pi / 180, _A), "rev": (2 * math.pi, _A), "turn": (2 * math.pi, _A),
    "rpm": (2 * math.pi / 60, (0, 0, -1, 1)),
    "kph": (1 / 3.6, (1, 0, -1, 0)), "mph": (63360 * INCH / 3600, (1, 0, -1, 0)),
}  # fmt: skip
_TEXT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-zµ°][\w µ°*/^.+-]*?)\s*\Z")
_FACTOR = re.compile(r"([*/]?)\s*([A-Za-zµ°]+)\s*(?:(?:\^|\*\*)\s*([+-]?\d(?:\.\d+)?))?\s*")
LONGEST = 60  # characters of a text that may be a quantity
ZERO = (0, 0, 0, 0)


def _is_unit(name: str) -> bool:
    return name in PLAIN or name in WITH_PREFIX or (name[:1] in PREFIXES and name[1:] in WITH_PREFIX)


def _unit(name: str) -> Unit:
    if name in PLAIN:
        return PLAIN[name]
    if name in WITH_PREFIX:
        return WITH_PREFIX[name]
    prefix, base = name[:1], name[1:]
    if prefix in PREFIXES and base in WITH_PREFIX:
        size, dimension = WITH_PREFIX[base]
        return PREFIXES[prefix] * size, dimension
    for k in range(1, len(name)):
        if _is_unit(name[:k]) and _is_unit(name[k:]):
            raise ModelError(f"there is no unit '{name}'; write {name[:k]}*{name[k:]}")
    known = [*PLAIN, *WITH_PREFIX, "mm", "cm", "km", "kg", "kN", "MPa", "GPa", "ms"]
    meant = close_word(name, known)
    raise ModelError(f"there is no unit '{name}'" + (f"; did you mean '{meant}'?" if meant else "; give an SI unit"))


def _power(sign: str, text: str) -> float:
    """Power of a factor; whole ones stay integers, so that they scale exactly."""
    power = float(text) if "." in text else int(text or 1)
    return -power if sign == "/" else power


def _same(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether exponents of two units are equal; those of a law (10/9) are written with a few digits."""
    return all(abs(x - y) < 1e-6 for x, y in zip(a, b, strict=True))


@lru_cache(maxsize=512)
def unit_of(text: str) -> Unit:
    """Value in SI and exponents (length, mass, time, angle) of a text of units.  Raises `ModelError`."""
    size, total, at = 1.0, [0.0, 0.0, 0.0, 0.0], 0
    while at < len(text):
        found = _FACTOR.match(text, at)
        if found is None or (at > 0 and not found[1]) or (at == 0 and found[1]):
            raise ModelError(f"'{text}' is not a unit; write it as kg*m^2 or N/mm")
        factor, exponents = _unit(found[2])
        power = _power(found[1], found[3] or "")
        size *= factor**power
        total = [a + power * b for a, b in zip(total, exponents)]
        at = found.end()
    return size, (total[0], total[1], total[2], total[3])


def unit_fits(unit: str, wanted: str, units: Any, what: str) -> None:
    """Raise `ModelError` where a number in ``unit`` would not be the number of a model with ``units`` for the dimension
    ``wanted``; a text that is no unit is only a label."""
    try:
        unit_of(unit)
    except ModelError:
        return
    size = in_units(f"1 {unit}", wanted, units, what)
    if not math.isclose(size, 1.0, rel_tol=1e-9):
        raise ModelError(
            f"{what} is in {unit}, of which the model would take the number as it is; 1 {unit} is {size:g} in units of "
            "the model: give value, bounds and unit in these"
        )


def same_unit(a: str, b: str) -> bool:
    """Whether two texts are the same unit; texts that are none are compared as they are."""
    try:
        (x, dimension), (y, other) = unit_of(a), unit_of(b)
    except ModelError:
        return a.strip() == b.strip()
    return _same(dimension, other) and math.isclose(x, y, rel_tol=1e-12)


class Angle(float):
    """An angle in radians whose unit was written: it is no angle in degrees by mistake."""


def looks_like(value: Any) -> bool:
    """Whether a value is a text that begins with a number and goes on with a unit."""
    return isinstance(value, str) and len(value) <= LONGEST and _TEXT.match(value) is not None


def has_unit(value: Any) -> bool:
    """Whether a text is a number with a unit that exists: ``"10 N"``, not ``"1e9"`` or ``"90D"``."""
    if not looks_like(value):
        return False
    try:
        float(value)
    except ValueError:
        pass
    else:
        return False
    try:
        unit_of(_TEXT.match(value)[2])  # type: ignore[index]
    except ModelError:
        return False
    return True


def si_size(wanted: str, units: Any) -> float:
    """SI value of the unit of a model for a dimension that is written in SI units (``N*s/m``)."""
    own = {"m": units.si_length, "kg": units.si_mass, "s": units.si_time, "N": units.si_force, "rad": 1.0}
    own |= {"Pa": own["N"] / own["m"] ** 2}
    size = 1.0
    for sign, name, power in _FACTOR.findall(wanted):
        size *= own[name] ** _power(sign, power)
    return size


def in_model_units(wanted: str, symbols: dict[str, str]) -> str:
    """The text of a unit of a model (``lbf*s/in``) for one in SI units (``N*s/m``); ``symbols``: the model's of m, kg,
    s and N."""
    return re.sub("[A-Za-z]+", lambda found: symbols.get(found[0], found[0]), wanted)


def in_units(value: str, wanted: str, units: Any, what: str) -> float:
    """The number of a text in the unit that a model has for the dimension ``wanted`` (``"m"``, ``"N*s/m"``).

    Raises `ModelError` for units that do not exist and for other dimensions.  Angles count as numbers, except where an
    angle is wanted or a length and the like is.
    """
    found = _TEXT.match(value)
    if found is None:
        raise ModelError(f"{what} is '{value}'; give a number, or a number with a unit as '5 {wanted}'")
    try:
        size, dimension = unit_of(found[2])
    except ModelError as error:
        raise ModelError(f"{what} is '{value}': {error}") from None
    _, target = unit_of(wanted)
    if target == (0, 0, -1, 1) and not dimension[3]:
        raise ModelError(f"{what} is '{value}', which counts turns or radians; give rpm, rev/s or rad/s")
    if not _same(dimension[:3], target[:3]) or dimension[3] not in (
        (target[3],) if target[:3] == ZERO[:3] else (0, target[3])
    ):  # a turn is no unit of its own in a torque per angle
        raise ModelError(f"{what} is '{value}', which is not in {wanted} or a unit of the same quantity; correct it")
    number = float(found[1]) * (size / si_size(wanted, units))
    return Angle(number) if wanted == "rad" else number


def converted(value: Any, wanted: str, units: Any, what: str) -> Any:
    """A value with all texts of quantities in it as numbers; lists and tuples are looked through."""
    if looks_like(value):
        return in_units(value, wanted, units, what)
    if isinstance(value, (tuple, list)) and any(isinstance(v, (str, tuple, list)) for v in value):
        return type(value)(converted(v, wanted, units, what) for v in value)
    return value


__all__ = [
    "QUANTITIES",
    "converted",
    "has_unit",
    "in_model_units",
    "in_units",
    "looks_like",
    "same_unit",
    "si_size",
    "unit_fits",
    "unit_of",
]

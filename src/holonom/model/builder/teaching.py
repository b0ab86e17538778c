"""Errors of builder methods: one sentence with method, element, argument, value and fix, raised in the line of the
call.

The converters here take what Python's users write for a number, a vector or a table and state what is wrong with
anything else.  `teach` wraps the methods of a class: calls that do not fit their signature, and sentences that do not
name their element yet, become a `ModelError` that does; what a refused call had added to the model is taken out again.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import fields
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from ..base import ModelError, ModelErrors, close_word, shown, unknown_attribute
from ..implausible import in_degrees
from ..kinds import finite, is_number, is_whole
from ..orientation import axes_from, to_euler313
from ..parameters import begun, record
from ..quantity_text import Angle, converted, has_unit
from .arguments import DIMENSIONS, FORMER

Vector = tuple[float, float, float]
C = TypeVar("C", bound=type)
P = ParamSpec("P")
R = TypeVar("R")
_LABEL = re.compile(r"[A-Z_]+/-?\d+")  # of an element: the sentence names it already


# ---- calls ---------------------------------------------------------------------------------------------------------
def teach(cls: C) -> C:
    """Wrap the public methods that a class defines (a decorator)."""
    for name, method in list(vars(cls).items()):
        if name[:1] != "_" and inspect.isfunction(method) and not hasattr(method, "__wrapped__"):
            setattr(cls, name, taught(method))
    return cls


def taught(method: Callable[P, R]) -> Callable[P, R]:
    """A builder method that answers to mistakes with a sentence."""
    signature = inspect.signature(method)
    plain = signature.replace(parameters=list(signature.parameters.values())[1:])
    former, dimensions = FORMER.get(method.__name__, {}), DIMENSIONS.get(method.__name__, {})
    order = list(plain.parameters)

    def converting(self, *args, **words):
        """The method for values of parameters: texts with units may be among the other arguments."""
        return method(
            self,
            *_in_units(dimensions, order, args, {}, self.units)[0],
            **_in_units(dimensions, order, (), words, self.units)[1],
        )

    converting.__name__ = method.__name__

    @functools.wraps(method)
    def call(self, *args, **words):  # typed as the method that it wraps
        if (
            vars(self).get("_building") is not None
        ):  # one builder method that calls another: the outer one is what was written
            if dimensions:  # such as a shape of `holonom.shapes`, which did not know the units
                args, words = _in_units(dimensions, order, args, words, self.units)
            return method(self, *args, **words)
        made = []  # (kind, id, position) of what the call has added so far
        vars(self)["_building"] = made
        try:
            if former:
                words = present_names(former, words, method.__name__)
            given, parameters = (args, words), frozenset()
            if vars(self).get("_parameters") is not None:
                args, words, parameters = begun(self, args, words)
            if dimensions:
                args, words = _in_units(dimensions, order, args, words, self.units)
            element = method(self, *args, **words)
            if parameters:
                record(self, converting, *given, parameters, made)
            return element
        except TypeError:
            self._withdraw(made)
            sentence = misfit(plain, args, words)
            if not sentence:
                raise
            raise ModelError(f"{_named(method, signature, self, args, words)}: {sentence}") from None
        except ModelErrors:
            self._withdraw(made)
            raise
        except ModelError as error:
            self._withdraw(made)
            text, label = str(error), _named(method, signature, self, args, words)
            if (
                type(error) is not ModelError
                or _LABEL.match(text)
                or text.startswith((label, f"{method.__name__} ", f"model '{self.name}'"))
            ):
                raise
            raise ModelError(f"{label}: {text}") from None
        finally:
            vars(self).pop("_building", None)

    return cast("Callable[P, R]", call)


def present_names(former: dict[str, str], words: dict[str, Any], method: str) -> dict[str, Any]:
    """Arguments by their present names; a former name warns."""
    if not any(old in words for old in former):
        return words
    out = {}
    for word, value in words.items():
        name = former.get(word, word)
        if name in out or (name != word and name in words):
            raise ModelError(f"{word} and {name} are the same argument; give {name} once")
        if name != word:
            warnings.warn(f"{method}: the argument {word} is now called {name}", DeprecationWarning, stacklevel=3)
        out[name] = value
    return out


def _in_units(
    dimensions: dict[str, str], order: list[str], args: tuple, words: dict[str, Any], units: Any
) -> tuple[tuple, dict[str, Any]]:
    """Arguments with texts of quantities ("5 mm") as numbers in units of the model."""
    args = tuple(
        converted(value, dimensions[name], units, name) if name in dimensions else value
        for name, value in zip(order, args)
    ) + tuple(args[len(order) :])
    words = {n: converted(v, dimensions[n], units, n) if n in dimensions else v for n, v in words.items()}
    return args, words


def _named(method: Any, signature: inspect.Signature, self: Any, args: tuple, words: dict[str, Any]) -> str:
    """The call in a message: ``revolute 'hinge'``."""
    name = words.get("name")
    if name is None and "name" in signature.parameters:
        place = list(signature.parameters).index("name") - 1
        name = (
            args[place]
            if place < len(args) and signature.parameters["name"].kind is not inspect.Parameter.KEYWORD_ONLY
            else None
        )
    return f"{method.__name__} {shown(name)}" if isinstance(name, str) and name else method.__name__


def misfit(signature: inspect.Signature, args: tuple, words: dict[str, Any]) -> str:
    """What is wrong with a call's arguments, as text; empty where they fit."""
    try:
        signature.bind(*args, **words)
    except TypeError:
        pass
    else:
        return ""
    known = {n: p for n, p in signature.parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
    for word in words:
        if word not in known:
            meant = close_word(word, known)
            return f"there is no argument '{word}'" + (
                f"; did you mean '{meant}'?" if meant else f"; choose from {', '.join(known)}"
            )
    places = [n for n, p in known.items() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    if len(args) > len(places):
        rest = [n for n in known if n not in places]
        more = f", and by name {', '.join(rest)}" if rest else ""
        return (
            f"{len(args)} values are given in order, and the order has {len(places)}: {', '.join(places)}{more}; "
            "name the others"
        )
    for word in places[: len(args)]:
        if word in words:
            return f"{word} is given twice, in order and by name; give it once"
    missing = [
        n
        for n, p in known.items()
        if p.default is inspect.Parameter.empty and n not in words and n not in places[: len(args)]
    ]
    return (
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; give "
        f"{', '.join(f'{n}=' for n in missing)}"
    )


def known_words(cls: Any, words: dict[str, Any], also: tuple[str, ...] = ()) -> None:
    """Raise `ModelError` for a keyword that is neither a field of an element nor an argument of its method
    (``also``)."""
    names = (*also, *(f.name for f in fields(cls) if f.name not in ("source", "active", *also)))
    for word in words:
        if word not in names:
            raise ModelError(unknown_attribute(word, names))


def sound(element: Any, model: Any) -> Any:
    """The element, where it says of itself that it can be.  Raises ModelError with its first fault."""
    for text in element.faults(model):
        raise ModelError(text)
    return element


# ---- values --------------------------------------------------------------------------------------------------------
def number(value: Any, what: str) -> float:
    """A finite number, or an error that names it."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not is_number(value) or not finite(value):
        raise ModelError(f"{what} is {shown(value)}; give a finite number")
    return value if isinstance(value, Angle) else float(value)


def number_fields(**values: Any) -> dict[str, Any]:
    """Finite numbers by name, to be passed on by keyword, or an error that names the first that is none."""
    return {name: number(value, name) for name, value in values.items()}


def whole(value: Any, what: str) -> int:
    if not is_whole(value):
        raise ModelError(f"{what} is {shown(value)}; give a whole number")
    return int(value)


def _no_text(values: Any, what: str) -> None:
    """Raise for a text in a list of numbers: it is no quantity, and numpy would read ``"0.3"`` as one."""
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
    _no_text(value, what or "a component")
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

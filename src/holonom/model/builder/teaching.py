"""Errors of builder methods: one sentence with method, element, argument, value and fix, raised in the line of the
call.

`teach` wraps the methods of a class: calls that do not fit their signature, and sentences that do not name their
element yet, become a `ModelError` that does; what a refused call had added to the model is taken out again.
"""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import fields
from math import isinf
from typing import Any, ParamSpec, TypeVar, cast

from ..base import ModelError, ModelErrors, shown, unknown_attribute
from ..calls import misfit
from ..parameters import begun, record
from ..quantities import Parameter
from ..quantity_text import converted, unit_fits
from ..values import flag, no_set, number
from .arguments import DIMENSIONS, FORMER

C = TypeVar("C", bound=type)
P = ParamSpec("P")
R = TypeVar("R")
UNORDERED = ("exclude",)  # arguments that may be sets
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
    plainly = {name: check for name, p in plain.parameters.items() if (check := _check(p.annotation)) is not None}

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
            for word, value in (*zip(order, args), *words.items()):
                if word not in UNORDERED:
                    no_set(value, word)
            given, parameters = (args, words), frozenset()
            if vars(self).get("_parameters") is not None:
                for word, value in (*zip(order, args), *words.items()):
                    if word in dimensions and isinstance(value, Parameter) and value.unit:
                        unit_fits(value.unit, dimensions[word], self.units, f"{word}: parameter '{value.name}'")
                args, words, parameters = begun(self, args, words)
            if dimensions:
                args, words = _in_units(dimensions, order, args, words, self.units)
            element = method(self, *args, **words)
            for word, value in (*zip(order, args), *words.items()):  # what the method took silently
                if word not in plainly or value is None:
                    continue
                if plainly[word] in (flag, _text) or not isinstance(value, str):
                    plainly[word](value, word)
            if parameters:
                record(self, converting, *given, parameters, made)
            return element
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
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            self._withdraw(made)
            sentence = misfit(plain, args, words) if isinstance(error, TypeError) else ""
            sentence = sentence or _wrong_in(plain, plainly, args, words)
            if not sentence:
                raise
            raise ModelError(f"{_named(method, signature, self, args, words)}: {sentence}") from None
        finally:
            vars(self).pop("_building", None)

    return cast("Callable[P, R]", call)


def _text(value: Any, word: str) -> None:
    if not isinstance(value, str):
        raise ModelError(f"{word} is {shown(value)}; give a text")


def _check(annotation: Any) -> Callable[[Any, str], Any] | None:
    """What an argument of plain numbers, of True and False, or of a text must pass; nothing for others."""
    types = {word.strip() for word in str(annotation).split("|")}
    if types == {"bool"}:
        return flag
    if types == {"str"}:
        return _text
    if not types <= {"float", "int", "None"} or types == {"None"}:
        return None
    whole_alone = "float" not in types

    def check(value: Any, word: str) -> None:
        if type(value) is float and isinf(value) and not whole_alone:
            return  # without a limit
        found = number(value, word)
        if whole_alone and found != int(found):
            raise ModelError(f"{word} is {shown(value)}; give a whole number")

    return check


def _wrong_in(
    signature: inspect.Signature, plainly: dict[str, Callable[[Any, str], Any]], args: tuple, words: dict[str, Any]
) -> str:
    """What is wrong with the first argument that is not a number, text or flag where one is wanted, or empty."""
    for name, value in signature.bind(*args, **words).arguments.items():
        if name in plainly and not (value is None and "None" in str(signature.parameters[name].annotation)):
            try:
                plainly[name](value, name)
            except ModelError as error:
                return str(error)
    return ""


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


def known_words(cls: Any, words: dict[str, Any], also: tuple[str, ...] = ()) -> None:
    """Raise `ModelError` for a keyword that is neither a field of an element nor an argument of its method
    (``also``)."""
    names = (*also, *(f.name for f in fields(cls) if f.name not in ("source", "active", *also)))
    for word in words:
        if word not in names:
            raise ModelError(unknown_attribute(word, names, "argument"))


def sound(element: Any, model: Any) -> Any:
    """The element, where it says of itself that it can be.  Raises ModelError with its first fault."""
    for text in element.faults(model):
        raise ModelError(text)
    return element

"""Errors of calls of public functions: one sentence with the public name instead of the `TypeError` of Python.

`explained` wraps a function; `explain` wraps those that a package exports, `_methods` those of a register.  A call that
fails because an argument is missing, unknown or of another type raises `ModelError` with the reason.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from .base import ModelError, close_word, shown, unknown_attribute

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


class _OneOf(type):
    """A type for `isinstance` alone."""

    def __instancecheck__(cls, value: Any) -> bool:
        return cls.holds(value)  # type: ignore[attr-defined,no-any-return]


class _Flag(metaclass=_OneOf):
    holds = staticmethod(lambda value: isinstance(value, (bool, np.bool_)))


class _Several(metaclass=_OneOf):
    """What gives one value after the other, which texts are not meant to do."""

    holds = staticmethod(lambda value: hasattr(value, "__iter__") and not isinstance(value, (str, bytes)))


#: types in annotations that can be checked: name -> (type, text for people); those of Holonom by their public names
_PLAIN: dict[str, tuple[type, str]] = {
    "None": (type(None), "None"),
    "Path": (os.PathLike, "a path"),
    "os.PathLike": (os.PathLike, "a path"),
    "str": (str, "a text"),
    "Mapping": (Mapping, "a mapping such as {name: value}"),
    "dict": (Mapping, "a mapping such as {name: value}"),
    "float": (numbers.Real, "a number"),
    "int": (numbers.Integral, "a whole number"),
    "bool": (_Flag, "True or False"),
    "Sequence": (_Several, "a list"),
    "Iterable": (_Several, "a list"),
    "list": (_Several, "a list"),
    "tuple": (_Several, "a list"),
    "np.ndarray": (_Several, "a list"),
}
_OWN = ("Model", "Simulation", "Run", "Study")


def explained(function: F, name: str, bound: bool = False, strict: bool = False) -> F:
    """A function that answers to a call that does not fit its signature with a sentence.  ``name``: its public name;
    ``bound``: its first argument is the object, which a caller does not write; ``strict``: types of arguments are
    checked before the call, so that an empty text is not taken for an empty table."""
    signature = inspect.signature(function)
    if bound:
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])

    flags = frozenset(n for n, p in signature.parameters.items() if p.annotation == "bool")

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        for word in words.keys() & flags if flags else ():
            if isinstance(words[word], str):  # "no" would mean yes
                raise ModelError(f"{name}: {word} must be True or False, got {shown(words[word])}")
        try:
            if strict and (fault := _wrong_type(signature, args[1:] if bound else args, words)):
                raise ModelError(f"{name}: {fault}")
            return function(*args, **words)
        except (TypeError, AttributeError, LookupError, ValueError, OverflowError) as error:
            if isinstance(error, ModelError):
                raise
            given = args[1:] if bound else args
            sentence = misfit(signature, given, words) or _wrong_type(signature, given, words)
            if not sentence:
                raise
        raise ModelError(f"{name}: {sentence}")

    return cast(F, call)


def explained_methods(cls: C) -> C:
    """Wrap the public methods that a class defines (a decorator)."""
    for name, method in list(vars(cls).items()):
        if name[:1] != "_" and inspect.isfunction(method):
            setattr(cls, name, explained(method, name, bound=True))
        elif name[:1] != "_" and isinstance(method, staticmethod):
            setattr(cls, name, staticmethod(explained(method.__func__, name)))
        elif name[:1] != "_" and isinstance(method, classmethod):
            setattr(cls, name, classmethod(explained(method.__func__, name, bound=True)))
    return cls


def explained_class(cls: C) -> C:
    """Wrap the construction of a class, and its public methods (a decorator)."""
    cls.__init__ = explained(cls.__init__, cls.__name__, bound=True)  # type: ignore[misc]
    return explained_methods(cls)


class Guided:
    """Base of classes that users call: an attribute that does not exist raises `AttributeError` with the closest name,
    or with all names; calls that do not fit a method raise `ModelError`."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explained_methods(cls)

    if not TYPE_CHECKING:  # type checkers know the attributes that exist

        def __getattr__(self, name: str) -> Any:
            """Called where the normal lookup has failed."""
            known = {n for n in (*dir(type(self)), *getattr(self, "__dict__", ())) if n[:1] != "_"}
            if name[:1] == "_" or name in known:  # a protocol of Python, or a property whose own evaluation raised
                return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__}: {unknown_attribute(name, sorted(known))}")


def explain(package: dict[str, Any], names: Iterable[str]) -> None:
    """Wrap the functions of Holonom among the exported names of a package, given its ``globals()``."""
    for name in names:
        if inspect.isfunction(package.get(name)):
            package[name] = exported(package[name], package["__name__"], name)


def exported(function: F, package: str, name: str) -> F:
    """A function under its public name, by which it is pickled too."""
    call = explained(function, name)
    call.__module__, call.__qualname__ = package, name
    return call


def misfit(signature: inspect.Signature, args: tuple, words: dict[str, Any]) -> str:
    """What is wrong with a call's arguments, as text; empty where they fit."""
    try:
        signature.bind(*args, **words)
    except TypeError:
        pass
    else:
        return ""
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    types = [p.kind for p in signature.parameters.values()]
    known = {n: p for n, p in signature.parameters.items() if p.kind not in variable}
    for word in words:
        if word not in known:
            meant = close_word(word, known)
            if not meant and inspect.Parameter.VAR_KEYWORD in types:
                continue
            return f"there is no argument '{word}'" + (
                f"; did you mean '{meant}'?" if meant else f"; choose from {', '.join(known)}"
            )
    in_order = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    places = [n for n, p in known.items() if p.kind in in_order]
    if len(args) > len(places) and inspect.Parameter.VAR_POSITIONAL not in types:
        rest = [n for n in known if n not in places]
        if not places:
            given = f"{len(args)} value is" if len(args) == 1 else f"{len(args)} values are"
            return f"{given} given in order; " + (
                f"give {', '.join(rest)} by name" if rest else "it takes no arguments"
            )
        more = f", and by name {', '.join(rest)}" if rest else ""
        return (
            f"{len(args)} values are given in order, and the order has {len(places)}: {', '.join(places)}{more}; "
            "name the others"
        )
    for word in places[: len(args)]:
        if word in words:
            return f"{word} is given twice, in order and by name; give it once (the order is {', '.join(places)})"
    missing = [
        n
        for n, p in known.items()
        if p.default is inspect.Parameter.empty and n not in words and n not in places[: len(args)]
    ]
    return (
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; give "
        f"{', '.join(f'{n}=' for n in missing)}"
    )


def _wrong_type(signature: inspect.Signature, args: tuple, words: dict[str, Any]) -> str:
    """The first argument whose type is none of those of its annotation; empty where all that can be checked fit."""
    for name, value in signature.bind(*args, **words).arguments.items():
        known = _types(signature.parameters[name].annotation)
        if known and not isinstance(value, tuple(kind for kind, _ in known)):
            texts = list(dict.fromkeys(text for _, text in known if text != "None"))
            given = f"a {type(value).__name__}" if isinstance(value, _own(_OWN)) else shown(value)
            return f"{name} must be {' or '.join(texts)}, got {given}"
    return ""


def _types(annotation: Any) -> list[tuple[type, str]]:
    """Types of an annotation and texts for people; none where one of them cannot be checked."""
    parts = [p.split("[")[0].strip() for p in annotation.split("|")] if isinstance(annotation, str) else [""]
    if not set(parts) <= {*_PLAIN, *_OWN}:
        return []
    return [_PLAIN[p] if p in _PLAIN else (_own((p,))[0], f"a {p}") for p in parts]


def _own(names: Iterable[str]) -> tuple[type, ...]:
    package = import_module(__name__.partition(".")[0])  # is loaded above this module, which must not know it
    return tuple(getattr(package, name) for name in names)

"""What all elements of a model share: an id, a name, where it was defined, and whether it is active."""

from __future__ import annotations

import copy
import dataclasses
import difflib
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

ELEMENT_TYPES: dict[str, type[Element]] = {}


def shown(value: Any) -> str:
    """A value in a message."""
    text = " ".join((repr(value) if not isinstance(value, str) else f"'{value}'").split())
    return text if len(text) <= 40 else text[:37] + "..."


def whole_number(value: Any) -> int | None:
    """The id that a value is: a whole number, or a text of one; None for others, such as True and 3.7."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isinstance(value, str) or number == value else None


#: words of other programs and of formulas for arguments of builders, those of one meaning together
MEANINGS = tuple(
    tuple(line.split())
    for line in """
        euler orientation rotation rpy attitude angles quaternion
        at position location origin point where pos
        euler axis
        mu_static mu friction_coefficient coefficient_of_friction
        pin_radius ball_radius radius
        stiffness k kt spring_constant spring_rate
        damping c ct damping_constant
        length l0 free_length rest_length natural_length
        lower low min minimum
        upper high max maximum
        axis direction z
        axis direction x
        end tend t_end duration stop_time
        force reaction
        torque reaction moment
    """.strip().splitlines()
)


def close_word(word: str, words: Any) -> str:
    """The keyword that is another one in other letters or by its meaning (`MEANINGS`), is most like it, or begins with
    it; or nothing."""
    words = list(words)
    for other in words:
        if other.lower() == word.lower():
            return other
    for meaning in MEANINGS:
        if word in meaning:
            for other in meaning:
                if other in words:
                    return other
    found = difflib.get_close_matches(word, words, n=1) or [
        w for w in words if len(word) > 1 and w.lower().startswith(word.lower())
    ]
    return found[0] if found else ""


def did_you_mean(word: Any, known: Any, otherwise: str | None = None) -> str:
    """End of a sentence about an unknown keyword: the one that is meant; else ``otherwise``, by default those to choose
    from."""
    known = list(known)
    meant = close_word(str(word), known)
    if meant:
        return f"; did you mean '{meant}'?"
    return f"; choose from {', '.join(known)}" if otherwise is None else otherwise


def unknown_attribute(name: str, known: Any, what: str = "attribute") -> str:
    return f"there is no {what} '{name}'{did_you_mean(name, known)}"


def kinds_of(*roles: str) -> list[str]:
    """KINDs of elements with one of these roles, in the order in which results have them."""
    return [name for role in roles for name, cls in ELEMENT_TYPES.items() if cls.ROLE == role]


class ModelError(ValueError):
    """Invalid input: one sentence that names the element, where it is defined, and the fix."""


class ModelErrors(ModelError):
    """Several errors of one file; its text is one line per error, ``errors`` the lines; ``partial``: the model of the
    statements that could be read, where there are some."""

    def __init__(self, errors: list[str] | tuple[str, ...], partial: Any = None) -> None:
        self.errors = tuple(errors)
        self.partial = partial
        super().__init__("\n".join(self.errors))


class MissingParts(ModelError):
    """A model with elements that this version cannot simulate; ``missing`` has one message for each."""

    def __init__(self, missing: list[str]) -> None:
        self.missing = list(missing)
        super().__init__("\n".join(self.missing))


@dataclass(frozen=True)
class Source:
    """Where an element was defined: file and 1-based line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}".replace("\n", "\\n")  # names of files may hold anything


class _NoField(AttributeError):
    """An attribute that an element does not have.  The sentence is written when it is read: `getattr` with a default,
    which passes over it, is cheap."""

    def __init__(self, element: Element, name: str) -> None:
        super().__init__(element, name)

    def __str__(self) -> str:
        element, name = self.args
        known = [f.name for f in dataclasses.fields(element)]
        return (
            f"{element.label}: {unknown_attribute(name, known)}; this is an element of a model, which holds "
            "no results: those of a run are at run[name]"
        )


@dataclass
class Element:
    """Base of all elements.

    ``id`` is unique among elements of one ``KIND``; references to other elements are their ids, so a model is plain
    data that goes to JSON and back.
    """

    KIND: ClassVar[str] = ""
    #: fields that hold ids of other elements: name -> kind (a tuple field refers element by element)
    REFERENCES: ClassVar[dict[str, str]] = {}
    #: further fields that hold ids or names of other elements, whose checks are the element's own: name -> kind
    USES: ClassVar[dict[str, str]] = {}
    #: fields that hold one of several keywords: name -> words
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {}
    #: what it is to the machine: "constraint", "force", or nothing of these
    ROLE: ClassVar[str] = ""
    #: whether a SWITCH may turn it on and off; elements with states of their own keep their position
    SWITCHABLE: ClassVar[bool] = False
    #: type of its entity in the result files of Adams
    ENTITY: ClassVar[str] = ""
    #: names that its builder method has for fields of another name: name -> what to set
    SET_AS: ClassVar[dict[str, str]] = {}

    id: int = 0
    name: str = ""
    active: bool = True
    source: Source | None = field(default=None, compare=False)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "KIND" in cls.__dict__ and cls.KIND:
            ELEMENT_TYPES[cls.KIND] = cls

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dataclass_fields__ and name[:1] != "_":
            if name in self.SET_AS:
                raise self.error(f"{name} cannot be set; set {self.SET_AS[name]}")
            if isinstance(getattr(type(self), name, None), property):
                raise self.error(
                    f"{name} can be read, not set; choose from {', '.join(f.name for f in dataclasses.fields(self))}"
                )
            raise self.error(unknown_attribute(name, [f.name for f in dataclasses.fields(self)]))
        if isinstance(value, (np.generic, tuple)):
            value = _of_python(value)
        if isinstance(value, (str, tuple, dict)) and name not in ("name", "source"):
            value = self._plain_text(name, value)
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:  # of what it does not have
        if name[:1] == "_":
            raise AttributeError(name)
        raise _NoField(self, name)

    def _plain_text(self, field: str, value: Any) -> Any:
        """A text, or some in a tuple or dictionary, with ids in place of ``KIND/id`` where it is a function
        (`expressions.plain_references`).  Raises `ModelError` for an element that the function does not take."""
        if isinstance(value, tuple) and isinstance(next(iter(value), None), (float, int, tuple)):
            return value  # numbers, of which there may be millions
        if not isinstance(value, str):
            texts = value.values() if isinstance(value, dict) else value
            if not any(isinstance(v, str) and "/" in v for v in texts):
                return value
            plain = [self._plain_text(field, v) if isinstance(v, str) else v for v in texts]
            return dict(zip(value, plain)) if isinstance(value, dict) else tuple(plain)
        if "/" not in value:
            return value
        # not an import to the eye: kernels know this file, and must not know that one
        expressions = import_module("...expressions", __name__)
        try:
            return expressions.plain_references(value)
        except expressions.ExpressionError as error:
            raise self.error(f"{field.upper()}: {error}") from None

    def strange_words(self) -> list[str]:
        """One message for each field whose keyword is not one of those declared in ``WORDS``."""
        out = []
        for name, words in self.WORDS.items():
            value = getattr(self, name)
            if value is not None and value not in words:
                meant = close_word(str(value).upper(), words)
                out.append(
                    f"unknown {name} {shown(value)}; choose one of {', '.join(words)}"
                    + (f" (did you mean {meant}?)" if meant else "")
                )
        return out

    @property
    def ports(self) -> tuple[int, ...]:
        """Ids of the markers between which it acts; the last is the one that a force is relative to."""
        return tuple(
            m
            for m in (getattr(self, n, None) for n in ("i", "j", "jfloat", "rm", "irm", "jrm"))
            if isinstance(m, int) and m
        )

    def faults(self, model: Any) -> Any:
        """Invalid values: one sentence each, with the value and the fix; for types that are self-describing
        (`elements.kinds`)."""
        return ()

    def number(self, name: Any, index: int | str | None = None) -> Any:
        """The address of one of its numbers, as an unnamed parameter; see `Model.number`.  Raises `ModelError` for a
        name or an index that there is not."""
        # not an import to the eye: kernels know this file, and must not know that one
        return import_module(".parameters", __package__).number_of(self, name, index)

    def losses(self) -> str:
        """Whether it dissipates energy ("damped") or adds energy ("driven"); empty where it does neither."""
        return ""

    def _copied(self) -> Any:
        """A copy that shares nothing that can be changed in place."""
        twin = object.__new__(type(self))
        held = vars(twin)
        held.update(vars(self))
        for name in _dictionaries(type(self)):  # type: ignore[arg-type]
            held[name] = copy.deepcopy(held[name])
        return twin

    @property
    def label(self) -> str:
        """``JOINT/3 'JOINT_3' (model.adm:120)``: how messages name this element."""
        name = f" '{self.name}'" if self.name else ""
        where = f" ({self.source})" if self.source else ""
        return f"{self.KIND}/{self.id}{name}{where}"

    def __format__(self, spec: str) -> str:
        """``KIND/id``: an element is in the text of a function as ``f"VARVAL({speed})"``, which becomes ``VARVAL(3)``,
        and ``f"WZ({hinge})"`` is refused: the id of a joint is not that of a marker.  With a format, its id."""
        return format(self.id, spec) if spec else f"{self.KIND}/{self.id}"

    def error(self, text: str) -> ModelError:
        return ModelError(f"{self.label}: {text}".replace("\n", "\\n"))  # of names and words: one line a sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain data: only fields that differ from their defaults."""
        out: dict[str, Any] = {"id": self.id}
        for f in dataclasses.fields(self):
            if f.name in ("id", "source"):
                continue
            value = getattr(self, f.name)
            default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
            if value != default:
                out[f.name] = _plain(value)
        if self.source:
            out["source"] = [self.source.file, self.source.line]
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Element:
        misfits = import_module(
            ".kinds", __package__
        ).misfits  # not an import to the eye: kernels know this file, and must not know that one

        if not isinstance(data, dict):
            raise ModelError(f"{shown(data)} must be a table with the fields of a {cls.KIND}; fix the file")
        known = {f.name for f in dataclasses.fields(cls)}
        label = f"{cls.KIND}/{shown(data.get('id'))}"
        unknown = set(data) - known
        if unknown:
            raise ModelError(f"{label}: unknown field '{sorted(unknown)[0]}'; remove it")
        data = {k: _tuples(v) for k, v in data.items()}
        source = data.pop("source", None)
        if source is not None:
            if not (
                isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str) and type(source[1]) is int
            ):
                raise ModelError(f"{label}: SOURCE is {shown(source)}; give a file and a line, or leave it out")
            data["source"] = Source(*source)
        element = cls(**data)
        for _, sentence in misfits(element):
            raise ModelError(f"{label}: {sentence}")
        if element.id < 1:
            raise ModelError(f"{label}: ids are whole numbers from 1 on; correct it")
        return element


@cache
def _dictionaries(kind: type[Element]) -> tuple[str, ...]:
    """Fields of a type of element that hold dictionaries."""
    return tuple(f.name for f in dataclasses.fields(kind) if str(f.type).startswith("dict"))


def _of_python(value: Any) -> Any:
    """Scalars of NumPy, also those in a tuple, as the numbers of Python that files and comparisons expect."""
    if isinstance(value, np.generic):
        return value.item()
    if any(isinstance(v, (np.generic, tuple)) for v in value):
        return tuple(_of_python(v) if isinstance(v, (np.generic, tuple)) else v for v in value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return value


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(v) for v in value)
    if isinstance(value, dict):
        return {k: _tuples(v) for k, v in value.items()}
    return value

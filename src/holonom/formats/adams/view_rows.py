"""Commands of Adams View as rows: which parameter of a command fills which field of an element, and how its values are
read.  `view_forces`, `view_data`, `view_geometry` and `view_elements` hold the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ...model import bodies
from ...model.base import Element, Source
from .view_expression import ViewError
from .view_late import Late
from .view_session import Command, three, vector

Handler = Callable[[Command], None]


class Parameter(NamedTuple):
    """A parameter of a command, the field that its values fill, and how they are read (`READ`).

    ``kind``: of the elements that a reference names; ``needed``: whether a new element must have it; ``choices``: of a
    word."""

    name: str
    to: str
    how: str
    kind: str = ""
    needed: bool = False
    choices: tuple[str, ...] = ()


def _parameters(how: str, names: tuple[str, ...], **more: Any) -> tuple[Parameter, ...]:
    """One of each name, "parameter=field" or only "parameter" where both are called so."""
    return tuple(Parameter(n.partition("=")[0], n.rpartition("=")[2], how, **more) for n in names)


def number(*names: str) -> tuple[Parameter, ...]:
    return _parameters("number", names)


def integer(*names: str) -> tuple[Parameter, ...]:
    return _parameters("integer", names)


def angle(*names: str) -> tuple[Parameter, ...]:
    """An angle, in radians."""
    return _parameters("angle", names)


def per_angle(*names: str) -> tuple[Parameter, ...]:
    """A number per angle of the file, stored per radian."""
    return _parameters("per angle", names)


def numbers(*names: str) -> tuple[Parameter, ...]:
    """All numbers of a parameter."""
    return _parameters("numbers", names)


def triple(*names: str) -> tuple[Parameter, ...]:
    """Three numbers."""
    return _parameters("triple", names)


def triple_per_angle(*names: str) -> tuple[Parameter, ...]:
    return _parameters("triple per angle", names)


def switch(*names: str) -> tuple[Parameter, ...]:
    """yes or no, on or off, true or false."""
    return _parameters("switch", names)


def text(*names: str) -> tuple[Parameter, ...]:
    return _parameters("text", names)


def texts(*names: str) -> tuple[Parameter, ...]:
    return _parameters("texts", names)


def word(name: str, *choices: str) -> tuple[Parameter, ...]:
    """A word in capital letters, one of the choices where there are any."""
    return _parameters("word", (name,), choices=choices)


def marker(*names: str, needed: bool = False) -> tuple[Parameter, ...]:
    """The id of a marker that is given by name."""
    return reference("MARKER", *names, needed=needed)


def reference(kind: str, *names: str, needed: bool = False) -> tuple[Parameter, ...]:
    """The id of an element that is given by name."""
    return _parameters("reference", names, kind=kind, needed=needed)


def references(kind: str, *names: str, needed: bool = False) -> tuple[Parameter, ...]:
    """The ids of elements that are given by name; ``needed``: a new element has none where none is given."""
    return _parameters("references", names, kind=kind, needed=needed)


class Row(NamedTuple):
    """A command on elements of one class.

    ``words``: of the command, ``{}`` where create and modify stand, {a|b} for both a and b; without ``{}`` it only
    creates.  ``parameter``: the name of the element.  ``ends``: whether it acts between markers I and J.  ``finish``:
    what `parameters` do not say, a method of the reader (command, element, whether it is new).  ``functions``: runtime
    functions in addition to ``function`` and the components, (parameter, field).  ``fixed``: fields that the command
    itself says."""

    words: str
    parameter: str
    element: type[Element]
    parameters: tuple[Parameter, ...] = ()
    ends: bool = False
    finish: Callable[[Any, Command, Any, bool], None] | None = None
    functions: tuple[tuple[str, str], ...] = ()
    fixed: dict[str, Any] = {}


class Plain(NamedTuple):
    """A command that a method of the reader carries out: (reader, arguments, command)."""

    words: str
    method: Callable[..., None]
    arguments: tuple = ()


def spelt(words: str) -> Iterator[str]:
    """What words with {a|b} stand for."""
    found = re.search(r"\{([^{}]+)\}", words)
    if found is None:
        yield words
        return
    for one in found[1].split("|"):
        yield from spelt(words[: found.start()] + one + words[found.end() :])


def one_of(name: str, given: str, choices: tuple[str, ...]) -> str:
    """A word, which must be one of the choices."""
    if given not in choices:
        raise ViewError(f"{name} = {given.lower()} is not one of {', '.join(choices).lower()}")
    return given


# ---- reading of parameters; None: it is not given --------------------------------------------------------------------
def _read_angle(view: Rows, command: Command, p: Parameter) -> float | None:
    found = view.angles(command, p.name)
    return found[0] if found else None


def _read_per_angle(view: Rows, command: Command, p: Parameter) -> float | None:
    value = view.number(command, p.name)
    return None if value is None else value * view.per_angle()


def _read_triple(view: Rows, command: Command, p: Parameter) -> tuple[float, ...] | None:
    values = view.read_numbers(command, p.name)
    return None if values is None else three(values, p.name)


def _read_triple_per_angle(view: Rows, command: Command, p: Parameter) -> tuple[float, ...] | None:
    values = _read_triple(view, command, p)
    return None if values is None else tuple(v * view.per_angle() for v in values)


def _read_switch(view: Rows, command: Command, p: Parameter) -> bool | None:
    return None if view.find(command, p.name) is None else view.switch(command, p.name)


def _read_texts(view: Rows, command: Command, p: Parameter) -> tuple[str, ...] | None:
    values = view.texts(command, p.name)
    return None if values is None else tuple(values)


def _read_word(view: Rows, command: Command, p: Parameter) -> str | None:
    given = (view.text(command, p.name) or "").upper()
    return (one_of(p.name, given, p.choices) if p.choices else given) if given else None


def _read_references(view: Rows, command: Command, p: Parameter) -> tuple[int, ...] | None:
    return view.refers(command, p.name, p.kind) if p.needed or view.find(command, p.name) is not None else None


READ: dict[str, Callable[[Any, Command, Parameter], Any]] = {
    "number": lambda view, command, p: view.number(command, p.name),
    "integer": lambda view, command, p: view.integer(command, p.name),
    "angle": _read_angle,
    "per angle": _read_per_angle,
    "numbers": lambda view, command, p: view.read_numbers(command, p.name),
    "triple": _read_triple,
    "triple per angle": _read_triple_per_angle,
    "switch": _read_switch,
    "text": lambda view, command, p: view.text(command, p.name),
    "texts": _read_texts,
    "word": _read_word,
    "reference": lambda view, command, p: view.refer(command, p.name, p.kind, p.needed),
    "references": _read_references,
}


class Rows(Late):
    """Carries out commands that are rows."""

    def per_angle(self) -> float:
        """Factor of rotational stiffness and damping: per angle unit in View, per radian in the solver."""
        return 180 / math.pi if self.degrees else 1.0

    def fill(self, command: Command, element: Any, parameters: tuple[Parameter, ...], new: bool = False) -> None:
        """Set the fields of an element, or entries of a table, whose parameters are given."""
        for p in parameters:
            value = READ[p.how](self, command, p if new else p._replace(needed=False))
            if value is None:
                continue
            if isinstance(element, dict):
                element[p.to] = value
            else:
                setattr(element, p.to, value)

    # ---- handlers ----------------------------------------------------------------------------------------------------
    def handlers_of(self, rows: tuple[Row | Plain, ...]) -> dict[str, Handler]:
        """The handlers of rows by the words of their commands."""
        out: dict[str, Handler] = {}
        for row in rows:
            for words in spelt(row.words):
                if isinstance(row, Plain):
                    out[words] = partial(row.method, self, *row.arguments)
                    continue
                out[words.format("create")] = partial(self._create, row)
                if "{}" in words:
                    out[words.format("modify")] = partial(self._modify, row)
        return out

    def _create(self, row: Row, command: Command) -> None:
        element = row.element(**row.fixed)
        self._fill(row, command, element, True)
        self.add(command, element, row.parameter)
        self._functions(row, command, element)

    def _modify(self, row: Row, command: Command) -> None:
        element = self.modify(command, row.parameter, row.element.KIND)
        for name, value in row.fixed.items():
            if getattr(element, name) != value:
                raise ViewError(
                    f"{element.name} is of {name} {getattr(element, name).lower()}; delete it and create another one"
                )
        self._fill(row, command, element, False)
        self._functions(row, command, element)

    def _fill(self, row: Row, command: Command, element: Any, new: bool) -> None:
        if row.ends:
            self.ends(command, element, new)
        self.fill(command, element, row.parameters, new)
        if row.finish is not None:
            row.finish(self, command, element, new)

    def _functions(self, row: Row, command: Command, element: Element) -> None:
        """Runtime functions of an element, by component where it has components."""
        for axis in "xyz":
            for what in ("force", "torque"):
                if hasattr(element, f"{what[0]}{axis}"):
                    self.function(command, element, f"{axis}_{what}_function", f"{what[0]}{axis}")
        if hasattr(element, "function"):
            self.function(command, element)
        for name, to in row.functions:
            self.function(command, element, name, to)

    # ---- markers ---------------------------------------------------------------------------------
    def ends(self, command: Command, element: Any, new: bool) -> None:
        """Markers I and J: by name, or made on two parts at a location."""
        if new:
            element.i, element.j = self.ij(command)
            return
        for side in "ij":
            number = self.refer(command, f"{side}_marker_name", "MARKER")
            if number is not None:
                setattr(element, side, number)

    def ij(self, command: Command) -> tuple[int, int]:
        """Markers I and J of a new element, by name or made on two parts at a location."""
        if self.find(command, "i_marker_name") is not None or self.find(command, "i_part_name") is None:
            i, j = (
                self.refer(command, "i_marker_name", "MARKER", True),
                self.refer(command, "j_marker_name", "MARKER", True),
            )
            assert i is not None and j is not None
            return i, j
        out = []
        for parameter in ("i_part_name", "j_part_name"):
            number = self.refer(command, parameter, "PART", True)
            body = self.context().model.parts[number]
            location, axes = self.place(command, body.frame)
            marker = bodies.Marker(part=body.id, qp=vector(location), reuler=self.euler(axes))
            marker.source = Source(self.path, command.line)
            out.append(self.context().model.add(marker).id)
        return out[0], out[1]

"""What the commands of Adams View share: values with units and expressions, objects by name, positions and
orientations.

Numbers are in the default units, angles in the default unit unless they end in ``d``.  A location or an orientation is
relative to ``relative_to`` or to the default coordinate system, unless a LOC_ or ORI_ function gives it in ground.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model import bodies
from ...model.base import Element, Source
from ...model.kinds import LARGEST
from ...model.model import Model
from ...model.orientation import Frame, euler313, to_euler313
from ...model.settings import FORCE, LENGTH, MASS, TIME, Units
from . import grammar
from .arguments import fault_of, suggestion
from .view_expression import (
    Angle,
    Evaluator,
    Group,
    Place,
    Turn,
    ViewError,
    as_number,
    as_numbers,
    as_text,
    read_number,
    whole,
)
from .view_functions import FUNCTIONS
from .view_places import Places, directed, pointed, rotation

MAX_PROBLEMS = 1000  # that are reported
MAX_HINTS = 200  # problems whose names are compared with those that there are
MAX_VARIABLES = 100_000
_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$")
_WORD = r'(?:[A-Za-z_]\w*|"[^"]*")'
_NAME = re.compile(rf"(?<![\w.)])\.?{_WORD}(?:\.{_WORD})*(?![\w.])(?!\s*\()")  # in runtime functions, no call
_VALUES = ("object_value", "real_value", "integer_value", "string_value")


@dataclass
class Command:
    words: list[str]
    parameters: dict[str, list[str]]
    line: int
    size: int = 0  # characters of its text
    body: list[Command] = field(default_factory=list)
    other: list[tuple[Command, list[Command]]] = field(default_factory=list)  # elseif and else
    read: set[str] = field(default_factory=set)  # parameters, as written, whose values were used
    known: set[str] = field(default_factory=set)  # names that the handler of the command requested

    def use_all(self) -> None:
        """Count all parameters as read: those of a command that is reported as a whole, or read later."""
        self.read.update(self.parameters)


@dataclass
class Context:
    """One View model: the `Model`, its objects by full name, and the ids given."""

    name: str
    model: Model
    objects: dict[str, Element] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)  # full names of objects by their identity
    points: dict[str, tuple[Any, np.ndarray]] = field(default_factory=dict)  # design points: body, position on it


@dataclass
class DesignVariable:
    """A variable that a command file sets: its plain real value (None where it is another), bounds, unit as written,
    how often it is set, and the line of the command that did it last."""

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    times: int = 0
    line: int = 0


@dataclass
class Live:
    """A command whose expressions Adams View keeps up to date, with the defaults under which it was given."""

    command: Command
    reads: dict[str, int]  # variables and their versions
    moved: int
    state: dict[str, Any]


class Session(Places):
    """State of a reading: models, objects, units, variables; and how values, names and positions are understood."""

    def __init__(self, path: str, lenient: bool) -> None:
        self.path = path
        self.lenient = lenient
        self.errors: list[str] = []
        self.skipped: dict[str, list[int]] = {}
        self.unread: dict[tuple[str, str], list[tuple[int, str]]] = {}  # (command, parameter): line and text
        self.warnings: list[str] = []
        self.contexts: dict[str, Context] = {}
        self.current: Context | None = None
        self.units = Units.named("MMKS")
        self.degrees = True
        self.default_part = "ground"
        self.default_frame = ""
        self.orientation_type = "body313"
        self.coordinates = (
            "cartesian"  # or cylindrical (r, theta, z), spherical (rho, theta, phi): what locations are given in
        )
        self.axis_setting = ("z", "x")  # axis that is directed, and the other one of the plane
        self.given: dict[str, float] = {}  # variables whose values are not those of the file
        self.design: dict[str, DesignVariable] = {}  # variables that the file sets
        self.reads: set[str] = set()  # variables that the command at hand has read
        self.versions: dict[str, int] = {}  # of variables: how often they were set
        self.moved = 0  # how often a point, marker or part was moved
        self.live: list[Live] = []
        self.used = 0  # measures in the function at hand
        self.variables: dict[str, Any] = {}
        self.functions: dict[
            tuple[int, str], tuple[Element, str, str, str, int]
        ] = {}  # (element, field, text, model, line): names resolved at the end
        self.problems = 0
        self._tails: dict[str, dict[str, None]] = {}  # last word of the name of a variable: full names
        functions = {name[4:].upper(): getattr(self, name) for name in dir(self) if name.startswith("fun_")}
        self.evaluate = Evaluator(self.variable, self.unit, lambda: self.turn, functions, FUNCTIONS)

    def problem(self, line: int, words: str, text: str) -> None:
        """A command that cannot be carried out: an error, or a warning when lenient; so many of them are reported."""
        self.problems += 1
        if self.problems <= MAX_PROBLEMS:
            message = f"{self.path}:{line}: {words}: {' '.join(text.split())}"
            (self.warnings if self.lenient else self.errors).append(message)
        elif self.problems == MAX_PROBLEMS + 1:
            (self.warnings if self.lenient else self.errors).append(
                f"{self.path}:{line}: more than {MAX_PROBLEMS} problems; further messages of this type are suppressed"
            )

    def skip(self, command: Command) -> None:
        """Note a command that creates no model element, or that sets what is not read."""
        command.use_all()
        words = " ".join(command.words[:4])
        if words in self.skipped or len(self.skipped) < MAX_PROBLEMS:
            self.skipped.setdefault(words, []).append(command.line)

    def hint(self, word: str, names: Any) -> str:
        """What may have been meant; not sought for ever."""
        return suggestion(word[:100], list(names)[:5000]) if self.problems < MAX_HINTS else ""

    def keep(self, name: str, value: Any) -> None:
        """Set a variable."""
        key = self.plain(name).lower().lstrip("$")
        if key not in self.variables and len(self.variables) >= MAX_VARIABLES:
            raise ViewError(f"more than {MAX_VARIABLES} variables")
        self.variables[key] = value
        self._tails.setdefault(key.rsplit(".", 1)[-1], {})[key] = None

    # ---- values ---------------------------------------------------------------------------------------------------
    def find(self, command: Command, name: str) -> list[str] | None:
        """Values of a parameter, also when it is abbreviated; the parameter counts as read."""
        command.known.add(name)
        if name in command.parameters:
            command.read.add(name)
            return command.parameters[name]
        for given, values in command.parameters.items():
            if len(given) >= 3 and name.startswith(given):
                command.read.add(given)
                return values
        return None

    def check_read(self, command: Command, words: tuple[str, ...]) -> None:
        """Note every parameter of a command that was carried out and that nothing read, unless it cannot change the
        model."""
        for name, values in command.parameters.items():
            if name not in command.read and not without_effect(words, name):
                text = ", ".join(values)
                near = self.hint(name.upper(), (n.upper() for n in command.known - command.read)).lower()
                rows = self.unread.setdefault((" ".join(words), name), [])
                if len(rows) < MAX_PROBLEMS:
                    rows.append(
                        (command.line, f"{name} = {text[:40]}{'...' if len(text) > 40 else ''} is not read{near}")
                    )

    def report_unread(self) -> None:
        """One message for each parameter of each command that was not read: a warning, or where the name is close to
        one that the command has, a slip of the hand, a problem.
        """
        for (words, _), rows in self.unread.items():
            line, text = rows[0]
            others = ", ".join(str(k) for k, _ in rows[1:6]) + (", ..." if len(rows) > 6 else "")
            more = f"; also in line{'s' if len(rows) > 2 else ''} {others}" if others else ""
            if "did you mean" in text:
                self.problem(line, words, f"parameter {text}{more}")
            else:
                self.warnings.append(
                    f"{self.path}:{line}: {words}: parameter {text} and has no influence; check its name{more}"
                )

    def values(self, command: Command, name: str) -> list[Any] | None:
        found = self.find(command, name)
        if found is None:
            return None
        out: list[Any] = []
        for text in found:
            value = self.scalar(text)
            if isinstance(value, Place):
                return value
            out.extend(value) if isinstance(value, list) else out.append(value)
        return out

    def scalar(self, text: str) -> Any:
        text = text.strip()
        if not text:
            return ""
        if text[0] in "\"'" and text[-1] == text[0] and len(text) > 1:
            return text[1:-1].replace("\\" + text[0], text[0])
        if text[0] in "({":
            return self.evaluate(text)
        found = _NUMBER.match(text)
        if found:
            if not math.isfinite(float(found[1])):
                raise ViewError(f"{text[:40]} is too large a number")
            if found[2].lower() == "d":
                return Angle(math.radians(float(found[1])))
            value = float(found[1]) if any(c in found[1] for c in ".eE") else int(found[1])
            if not found[2]:
                return value
            return self.evaluate(text)
        return text

    def text(self, command: Command, name: str) -> str | None:
        values = self.values(command, name)
        return None if values is None else as_text(values[0]) if values else ""

    def texts(self, command: Command, name: str) -> list[str] | None:
        values = self.values(command, name)
        return None if values is None else [as_text(v) for v in values]

    def number(self, command: Command, name: str) -> float | None:
        values = self.values(command, name)
        if values is None:
            return None
        found = self.number_in(values[0]) if len(values) == 1 else None
        if found is None:
            raise ViewError(f"{name} takes one number, not {', '.join(self.find(command, name) or ())[:60]}")
        return found

    def number_in(self, value: Any) -> float | None:
        """A number, also as a text in quotes, an angle in the angle unit of the file; None for anything else."""
        if isinstance(value, str):
            try:
                return read_number(value)
            except ViewError:
                return None
        value = self.evaluate.in_file_units(value)
        return float(value) if isinstance(value, (int, float)) else None

    def integer(self, command: Command, name: str) -> int | None:
        value = self.number(command, name)
        return None if value is None else whole(value)

    def read_numbers(self, command: Command, name: str) -> tuple[float, ...] | None:
        values = self.values(command, name)
        if values is None:
            return None
        values = self.evaluate.in_file_units(list(values))
        if any(isinstance(v, list) for v in values):
            values = as_numbers(values)
        if not all(isinstance(v, (int, float)) for v in values):
            raise ViewError(f"{name} takes numbers, not {', '.join(self.find(command, name) or ())[:60]}")
        return tuple(float(v) for v in values)

    def angles(self, command: Command, name: str) -> tuple[float, ...] | None:
        values = self.values(command, name)
        if values is None:
            return None
        if isinstance(values, Turn):
            return tuple(values)
        if not all(isinstance(v, (int, float)) for v in values):
            raise ViewError(f"{name} takes angles, not {', '.join(self.find(command, name) or ())[:60]}")
        return tuple(self.radians(v) for v in values)

    def switch(self, command: Command, name: str) -> bool:
        return (self.text(command, name) or "").lower() in ("on", "yes", "true")

    def unit(self, name: str) -> float | None:
        """Factor from a unit to model units."""
        for table, si in (
            (LENGTH, self.units.si_length),
            (MASS, self.units.si_mass),
            (FORCE, self.units.si_force),
            (TIME, self.units.si_time),
        ):
            key = unit_name(name, table)
            if key is not None:
                return table[key] / si
        angle = {
            "d": 1.0,
            "deg": 1.0,
            "degree": 1.0,
            "degrees": 1.0,
            "rad": 180 / math.pi,
            "radian": 180 / math.pi,
            "radians": 180 / math.pi,
        }
        if name.lower() in angle:  # of rates per angle: in the angle unit of the file
            return angle[name.lower()] * (1.0 if self.degrees else math.pi / 180)
        return 1.0 if name.lower() == "no_units" else None

    def variable(self, name: str) -> Any:
        name = self.plain(name)
        key = name.lower().lstrip("$")
        if key in self.variables:
            self.reads.add(key)
            return self.variables[key]
        tail = key.rsplit(".", 1)[-1]
        dotted = self._tails.get(tail, {})
        if key.startswith(".") and f"{self.current.name.lower() if self.current else ''}.{tail}" in self.variables:
            self.reads.add(f"{self.current.name.lower()}.{tail}")
            return self.variables[f"{self.current.name.lower()}.{tail}"]
        if not key.startswith(".") and len(dotted) == 1:
            self.reads.add(next(iter(dotted)))
            return self.variables[next(iter(dotted))]
        if key in ("pi",):
            return math.pi
        if key in ("rtod", "dtor"):
            return 180 / math.pi if key == "rtod" else math.pi / 180
        head, _, last = key.rpartition(".")
        if last in _VALUES and head in self.variables:
            return self.variables[head]
        if key == "none":
            return ""
        if "." in name or self.object(name) is not None:
            return self.property(name)
        raise ViewError(f"there is no variable '{name}'")

    def property(self, name: str) -> Any:
        """``.model.JOINT_1.i``: a marker of an element; a number or a place of one; else the object by its own name."""
        if self.object(name) is not None or self.point(name) is not None:
            return Group(name)
        if name.startswith(".") and "." not in name[1:] and name[1:].lower() in self.contexts:
            return Group(name)
        head, _, tail = name.rpartition(".")
        tail = tail.lower()
        found = self.point(head) if head else None
        if found is not None and (tail == "location" or tail in ("loc_x", "loc_y", "loc_z")):
            return found[1].tolist() if tail == "location" else float(found[1]["xyz".index(tail[-1])])
        element = self.object(head) if head else None
        if element is not None:
            value = (
                getattr(element, {"stiffness": "k", "damping": "c"}.get(tail, tail), None)
                if hasattr(element, tail) or tail in ("stiffness", "damping")
                else None
            )
            if tail in ("i", "j", "cm") and value:
                return Group(self.full_name(self.context(head).model.markers[value]))
            if tail in ("mass", "ixx", "iyy", "izz") and isinstance(element, bodies.Part):
                return self.inertial(head, element, tail)
            if tail in ("location", "loc_x", "loc_y", "loc_z") and isinstance(
                element, (bodies.Marker, bodies.Part, bodies.PointMass)
            ):
                place = element.qp if isinstance(element, bodies.Marker) else element.qg
                return list(place) if tail == "location" else float(place["xyz".index(tail[-1])])
            if tail == "orientation" and isinstance(element, (bodies.Marker, bodies.Part)):
                return [Angle(v) for v in to_euler313(element.frame.axes)]
            arguments = getattr(element, "arguments", None)
            if value is None and isinstance(arguments, dict):
                value = arguments.get({"top_radius": "top", "bottom_radius": "bottom"}.get(tail, tail))
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return value
        raise ViewError(f"there is no '{name}'")

    def inertial(self, name: str, part: bodies.Part, what: str) -> float:
        """Mass or moment of inertia of a part, worked out from its geometry where it is so given."""
        key = self.context(name).name.lower(), part.id
        if key in self.massless:
            found = self.mass_properties(*key)
            return found.mass if what == "mass" else float(found.inertia["xyz".index(what[-1])]["xyz".index(what[-1])])
        value = part.mass if what == "mass" else part.ip["xyz".index(what[-1])] if part.ip else None
        if value is None:
            raise ViewError(f"{part.name} has no {what} yet")
        return value

    massless: dict[tuple[str, int], tuple[float | None, int]]

    def mass_properties(self, model_name: str, number: int) -> Any:
        raise NotImplementedError

    def named(self, name: str) -> str | None:
        """Text that represents a name in a runtime function and is not an element (a measure)."""
        return None

    # ---- objects ---------------------------------------------------------------------------------
    @staticmethod
    def plain(name: str) -> str:
        """A name without the quotes about its words (``."Latch Design".HOOK``)."""
        if '"' not in name:
            return name
        return re.sub(r'"([^"]*)"', lambda found: found[1].replace(".", "_"), name).replace('"', "")

    def point(self, name: str) -> tuple[Any, np.ndarray] | None:
        """(body, position on it) of a design point."""
        try:
            context = self.context(name)
        except ViewError:
            return None
        key = self.full(name)
        return context.points.get(key) or context.points.get(f"{self.default_part.lower()}.{key}")

    def context(self, name: str = "") -> Context:
        name = self.plain(name)
        if name.startswith("."):
            first = name[1:].split(".")[0].lower()
            if first in self.contexts:
                return self.contexts[first]
        if self.current is None:
            raise ViewError("there is no model yet; begin with 'model create'")
        return self.current

    def full(self, name: str) -> str:
        """Full name, lower case, without the model: ``part.marker``."""
        name = self.plain(name.strip()).strip("'")
        context = self.context(name)
        key = name.lower()
        if key.startswith(f".{context.name.lower()}."):
            return key[len(context.name) + 2 :]
        return key.lstrip(".")

    def object(self, name: str, kinds: tuple[str, ...] = ()) -> Element | None:
        try:
            context = self.context(name)
        except ViewError:
            return None
        key = self.full(name)
        for candidate in (key, f"{self.default_part.lower()}.{key}"):
            for kind in kinds or ("",):
                element = context.objects.get(f"{kind}:{candidate}" if kind else candidate)
                if element is not None and (not kinds or element.KIND in kinds):
                    return element
        return None

    def full_name(self, element: Element) -> str:
        return next(
            (names[id(element)] for names in (c.names for c in self.contexts.values()) if id(element) in names),
            element.name,
        )

    def refer(self, command: Command, name: str, kind: str, required: bool = False) -> int | None:
        text = self.text(command, name)
        if text is None or text.lower() in ("", "(none)", "none"):
            if required:
                raise ViewError(f"{name} is missing")
            return None
        element = self.object(text, (kind,))
        if element is None:
            hint = ""
            if self.problems < MAX_HINTS:
                names = [k.upper() for k in self.context(text).objects if ":" in k and k.startswith(kind)]
                hint = self.hint(f"{kind}:{self.full(text)}".upper(), names)
            raise ViewError(f"{name}: there is no {kind} '{text}'{hint.lower()}")
        return element.id

    def refers(self, command: Command, name: str, kind: str) -> tuple[int, ...]:
        out = []
        for text in self.texts(command, name) or ():
            element = self.object(text, (kind,))
            if element is None:
                raise ViewError(f"{name}: there is no {kind} '{text}'")
            out.append(element.id)
        return tuple(out)

    def add(self, command: Command, element: Element, parameter: str) -> Any:
        """Enter an element under the name that ``parameter`` gives."""
        name = self.text(command, parameter)
        context = self.context(name or "")
        element.id = element.id or self.integer(command, "adams_id") or 0
        if element.id in context.model.table(element.KIND):
            element.id = 0
        element.source = Source(self.path, command.line)
        element.name = self.plain(name or "").rsplit(".", 1)[-1]
        if (self.text(command, "activity_status") or "on").lower() == "off":
            element.active = False
        if name and f"{element.KIND}:{self.full(name)}" in context.objects:
            raise ViewError(f"{name} exists already; use 'modify'")
        if not element.id and element.KIND == "PART" and not context.model.parts.get(2):
            element.id = 2
        context.model.add(element)
        self.enter(context, self.full(name) if name else element.name.lower(), element)
        return element

    def enter(self, context: Context, key: str, element: Element) -> None:
        if context.objects.setdefault(key, element) is element:
            context.names.setdefault(id(element), f".{context.name}.{key}")
        context.objects[f"{element.KIND}:{key}"] = element

    def modify(self, command: Command, parameter: str, kind: str) -> Any:
        """The element that a command changes, under its new name where one is given."""
        number = self.refer(command, parameter, kind, required=True)
        element = self.context(self.text(command, parameter) or "").model.table(kind)[number]
        new = self.text(command, f"new_{parameter}")
        if new:
            self.rename(command, kind, parameter, new)
            given = next(k for k in command.parameters if k == parameter or len(k) >= 3 and parameter.startswith(k))
            command.parameters[given] = [new]
            command.parameters = {
                k: v for k, v in command.parameters.items() if not (len(k) >= 5 and f"new_{parameter}".startswith(k))
            }
        wanted = self.integer(command, "adams_id")
        if wanted and wanted != number and "create" not in command.words:
            raise ViewError(f"the id of {element.name} stays {number}; give adams_id = {wanted} where it is created")
        return element

    def rename(self, command: Command, kind: str, parameter: str, new: str) -> None:
        raise NotImplementedError

    # ---- frames ----------------------------------------------------------------------------------
    def frame_of(self, name: str) -> Frame:
        """Frame in ground of a part, a marker or the ground."""
        key = self.full(name) if name else ""
        found = self.point(name) if name else None
        if found is not None:
            return found[0].frame @ Frame(found[1], np.eye(3))
        element = self.object(name, ("PART", "POINT_MASS", "MARKER")) if name else None
        if element is None and (key in ("", "ground") or key.lstrip(".") == self.context(name).name.lower()):
            return Frame.identity()
        if element is None:
            raise ViewError(f"there is no coordinate system '{name}'")
        if isinstance(element, bodies.Marker):
            model = self.context(name).model
            return model.body_frame(element) @ element.frame
        return element.frame

    def turned(self, a: float, b: float, c: float) -> np.ndarray:
        """Axes of three angles in the type of orientation of the file."""
        if self.orientation_type == "body313":
            return euler313(a, b, c)
        out = np.eye(3)
        for axis, angle in zip(self.orientation_type[-3:], (a, b, c)):
            one = rotation("123".index(axis), angle)
            out = out @ one if self.orientation_type.startswith("body") else one @ out
        return out

    def points(self, command: Command, name: str, frame: Frame) -> list[np.ndarray] | None:
        """Points in ground that a parameter gives: triples of numbers in ``frame``, or markers, points and parts by
        name."""
        values = self.values(command, name)
        if values is None:
            return None
        if isinstance(values, Place):
            return [np.array([as_number(v) for v in values[k : k + 3]]) for k in range(0, len(values), 3)]
        out: list[np.ndarray] = []
        numbers: list[float] = []
        for value in values:
            if isinstance(value, (str, Group)):
                if numbers:
                    break
                out.append(self.frame_of(as_text(value)).origin)
                continue
            numbers += value if isinstance(value, list) else [value]
            if len(numbers) == 3:
                out.append(frame.origin + frame.axes @ self.cartesian(numbers))
                numbers = []
        if numbers:
            raise ViewError(f"{name} takes triples of numbers, or names of markers")
        return out

    def place(
        self, command: Command, body: Frame | None, now: np.ndarray | None = None
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """(location, axes) of a command in the body's frame (in ground when None); None where not given; ``now``: the
        position so far, in ground."""
        relative = self.text(command, "relative_to")
        frame = self.frame_of(relative if relative is not None else self.default_frame)
        values = self.values(command, "location")
        location = None
        if values is not None:
            if len(values) != 3:
                raise ViewError(f"location takes three numbers, got {len(values)}")
            if isinstance(values, Place):
                location = np.array([as_number(v) for v in values])
            else:
                location = frame.origin + frame.axes @ self.cartesian(values)
        values = self.values(command, "orientation")
        axes = None
        if values is not None:
            if len(values) != 3:
                raise ViewError(f"orientation takes three angles, got {len(values)}")
            turned = (
                euler313(*values) if isinstance(values, Turn) else self.turned(*self.angles(command, "orientation"))
            )
            axes = turned if isinstance(values, Place) else frame.axes @ turned
        at = (
            location if location is not None else now if now is not None else frame.origin
        )  # a new marker without location: in the origin
        for name, least in (("along_axis_orientation", 1), ("in_plane_orientation", 2)):
            points = self.points(command, name, frame)
            if points is None:
                continue
            if len(points) not in (least, least + 1):
                raise ViewError(f"{name} takes {least} or {least + 1} points, got {len(points)}")
            if len(points) == least:
                points = [at, *points]
            axis, plane = self.axis_setting
            along = points[1] - points[0]
            axes = (
                pointed(axis, along, plane, points[2] - points[0]) if least == 2 else directed(axis, self._unit(along))
            )
        if location is not None and not np.abs(location).max() <= LARGEST:
            raise ViewError("location lies farther away than any machine reaches")
        if body is not None:
            if location is not None:
                location = body.axes.T @ (location - body.origin)
            if axes is not None:
                axes = body.axes.T @ axes
        return location, axes

    def cartesian(self, values: list[Any]) -> np.ndarray:
        """x, y, z of three numbers in the coordinates that `defaults units` sets.

        Cylindrical: r, theta about z from x, z.  Spherical: rho, theta about z from x, phi from z, as LOC_SPHERICAL has
        them.
        """
        a, b, c = (as_number(self.evaluate.in_file_units(v)) for v in values)
        if self.coordinates == "cartesian":
            return np.array([a, b, c])
        angle = lambda k: self.radians(values[k])
        if self.coordinates == "cylindrical":
            return np.array([a * math.cos(angle(1)), a * math.sin(angle(1)), c])
        theta, phi = angle(1), angle(2)
        return np.array([a * math.sin(phi) * math.cos(theta), a * math.sin(phi) * math.sin(theta), a * math.cos(phi)])

    @staticmethod
    def euler(axes: np.ndarray | None) -> tuple[float, float, float] | None:
        return None if axes is None or np.allclose(axes, np.eye(3), atol=1e-14) else tidy(to_euler313(axes))

    # ---- functions in expressions ----------------------------------------------------------------
    def fun_getenv(self, name: Any) -> str:
        """The environment of the computer is not a part of a model: always empty."""
        text = f"{self.path}: GETENV({as_text(name)[:40]}) is taken as empty"
        if text not in self.warnings:
            self.warnings.append(text)
        return ""

    def fun_db_exists(self, name: Any) -> int:
        text = as_text(name)
        return int(
            self.object(text) is not None
            or self.point(text) is not None
            or text.strip(".").lower() in self.contexts
            or text.lower().lstrip("$") in self.variables
        )

    # ---- runtime functions -----------------------------------------------------------------------
    def function(self, command: Command, element: Element, name: str = "function", to: str = "function") -> None:
        """Take a runtime function; its object names are resolved when the whole file is read."""
        found = self.find(command, name)
        user = self.read_numbers(command, "user_function") if name == "function" else None
        if user is not None:
            self.functions.pop((id(element), to), None)
            setattr(element, to, "USER(" + ",".join(repr(v) for v in user) + ")")
            routine = self.text(command, "routine")
            if routine:
                element.routine = routine
            return
        if found is None:
            return
        text = "".join(as_text(self.scalar(piece)) for piece in found).strip()
        if text:
            self.functions.pop((id(element), to), None)  # what comes last is reported last
            self.functions[id(element), to] = element, to, text, self.context().name, command.line

    def resolve_functions(self) -> None:
        for element, to, text, model, line in self.functions.values():
            self.current = self.contexts[model.lower()]
            self.used = 0
            try:
                value = self.with_ids(text)
                fault = fault_of(value)
                if fault:
                    raise ViewError(f"{fault}; correct the function '{text[:60]}'")
                if "." in to:  # an entry of a table of functions
                    table, key = to.split(".")
                    getattr(element, table)[key] = value
                else:
                    setattr(element, to, value)
            except ViewError as error:
                self.problem(line, element.KIND.lower(), str(error))

    def with_ids(self, text: str) -> str:
        def number(found: re.Match) -> str:
            name = found[0]
            element = self.object(name)
            if element is None and "." in name:
                text = self.named(name)
                if text is not None:
                    return text
                try:
                    value = self.variable(name)
                except ViewError:
                    value = None
                if isinstance(value, (int, float)):
                    return as_text(float(value)) if value >= 0 else f"({as_text(float(value))})"
                if isinstance(value, Group):
                    element = self.object(str(value))
            if element is None and name.startswith("."):
                raise ViewError(f"the function names '{name}', which is not an object of the model")
            return name if element is None or (element.id == 0) else str(element.id)

        return " ".join(_NAME.sub(number, text).split())


#: parameters that change no model, by the first words of their commands: comments, icons, what is drawn, how a list of
#: values is kept
NO_EFFECT: dict[tuple[str, ...], frozenset[str]] = {
    words: frozenset(names.split())
    for words, names in {
        (): "comments",
        ("model",): "view_name fit_to_view",
        ("defaults", "units"): "frequency axis_labels",
        ("part",): "view_name image_name ground_part",
        ("marker",): "preserve_location",
        ("constraint", "create", "joint"): "no_rotational_ic no_angular_velocity_ic no_translational_ic no_velocity_ic",
        ("force",): "error",
        ("output_control",): "comment",
        ("geometry",): "adams_id side_count_for_perimeter number_of_sides analytical coil_count diameter_of_spring "
        "damper_diameter_at_ij "
        "tip_length_at_ij cup_length_at_ij all_force_elements jprim_name curve_curve_name point_curve_name",
        ("data_element",): "units x_units y_units z_units segment_count",
        ("measure",): "create_measure_display legend",
        ("variable",): "units range allowed_values delta_type use_range use_allowed_values",
        ("contact",): "geometry_routines",
        ("ude",): "location orientation relative_to",
        ("assembly",): "location orientation relative_to",
    }.items()
}
#: settings of icons, which commands on the attributes of an element have
ATTRIBUTES = frozenset(
    "scale_of_icons size_of_icons visibility name_visibility transparency lod color entity_scope render_mode "
    "dependents_active "
    "line_thickness line_type expr_visibility type_filter".split()
)


def without_effect(words: tuple[str, ...], name: str) -> bool:
    """Whether a parameter of a command, which may be abbreviated, changes no model."""
    sets = [names for head, names in NO_EFFECT.items() if words[: len(head)] == head]
    if words[1:] == ("attributes",):
        sets.append(ATTRIBUTES)
    return any(name in names or len(name) >= 3 and any(n.startswith(name) for n in names) for names in sets)


def three(values: tuple[float, ...] | None, name: str) -> tuple[float, float, float]:
    if values is None:
        return (0.0, 0.0, 0.0)
    if len(values) != 3:
        raise ViewError(f"{name} takes three numbers, got {len(values)}")
    return values  # type: ignore[return-value]


def tidy(angles: tuple[float, float, float]) -> tuple[float, float, float]:
    """Angles whose degrees are a short number get exactly that number (90D stays 90D through the matrices)."""
    out = []
    for angle in angles:
        degrees = math.degrees(angle)
        short = round(degrees, 9)
        out.append(math.radians(short) + 0.0 if abs(degrees - short) < 1e-12 * max(1.0, abs(degrees)) else angle)
    return tuple(out)


def vector(point: np.ndarray | None) -> tuple[float, float, float]:
    return (0.0, 0.0, 0.0) if point is None else tuple(float(v) + 0.0 for v in point)


_VIEW_UNITS = {
    "SEC": "SECOND",
    "MSEC": "MILLISECOND",
    "LBF": "POUND_FORCE",
    "LBM": "POUND_MASS",
    "POUND": "POUND_MASS",
    "KG": "KILOGRAM",
    "N": "NEWTON",
    "KN": "KILONEWTON",
    "MN": "MEGANEWTON",
    "M": "METER",
    "S": "SECOND",
    "G": "GRAM",
}


def unit_name(word: str, table: dict[str, float]) -> str | None:
    word = word.strip().strip("\"'").upper()
    word = _VIEW_UNITS.get(word, word)
    word = grammar._UNIT_NAMES.get(word, word)
    if word == "POUND_MASS" and table is FORCE:
        word = "POUND_FORCE"
    if word in table:
        return word
    found = [n for n in table if n.startswith(word)]
    return found[0] if len(found) == 1 and len(word) >= 2 else None

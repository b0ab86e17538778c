"""Adams View command files (.cmd): the commands that create model elements, to a `Model`.

Grammar: ``words of the command  parameter = value, value  parameter = value``; ``&`` at a line end continues, ``!``
begins a comment (outside of quotes and parentheses); words and parameters may be abbreviated.  ``if``/``for``/``while``
blocks are carried out.  Source: Adams View command language reference.  Places and orientations are relative to
``relative_to`` or to the default coordinate system; names become ids, also inside functions.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model import bodies, forces, joints, outputs, states
from ...model.base import Element, ModelError, ModelErrors, Source
from ...model.model import Model
from ...model.orientation import Frame, axes_from, euler313, to_euler313
from ...model.settings import FORCE, LENGTH, MASS, TIME, Units
from . import grammar
from .arguments import ArgumentError, fault_of, suggestion
from .lexer import read_text, split_lines
from .view_expression import Angle, Evaluator, Place, ViewError, as_text

MAX_COMMANDS = 200_000
_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$")
_PARAMETER = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_DOTTED = re.compile(r"(?<![\w.)])\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass
class Command:
    words: list[str]
    parameters: dict[str, list[str]]
    line: int
    body: list[Command] = field(default_factory=list)
    other: list[tuple[Command, list[Command]]] = field(default_factory=list)  # elseif and else


def read_cmd(path: str | os.PathLike, lenient: bool = True) -> Model:
    """Read an Adams View command file.

    Commands that create no model elements are passed over and listed in ``model.warnings``.  What cannot be carried out
    is a warning too when ``lenient`` (then a file that creates no model gives an empty one), else a `ModelErrors` is
    raised.  Raises `ModelError` when the file cannot be read.
    """
    return parse_cmd(read_text(path), str(path), lenient)


def parse_cmd(text: str, path: str = "commands", lenient: bool = True) -> Model:
    """The same for commands in memory."""
    return _Reader(path, lenient).read(text)


# ---- lines to commands --------------------------------------------------------------------------------------------------
def _code(line: str) -> str:
    """A line without its comment: ``!`` outside of quotes and parentheses."""
    depth, quote = 0, ""
    for k, c in enumerate(line):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth = max(0, depth - 1)
        elif c == "!" and depth == 0:
            return line[:k]
    return line


def _logical(text: str) -> list[tuple[int, str]]:
    """(line, text) of the commands, continuations joined."""
    out: list[tuple[int, str]] = []
    pieces: list[str] = []
    start = 0
    for number, raw in enumerate(split_lines(text), 1):
        if raw.lstrip().startswith("!"):
            continue
        code = _code(raw).strip()
        if not code:
            if pieces and not raw.strip():
                out.append((start, " ".join(pieces)))
                pieces = []
            continue
        if not pieces:
            start = number
        if code.endswith("&"):
            pieces.append(code[:-1].strip())
            continue
        pieces.append(code)
        out.append((start, " ".join(pieces)))
        pieces = []
    if pieces:
        out.append((start, " ".join(pieces)))
    return out


def _split(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Command words, and parameters with their comma separated values."""
    marks = []  # (start of name, name, start of value)
    depth, quote, k = 0, "", 0
    while k < len(text):
        c = text[k]
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
        elif depth <= 0 and (c.isalpha() or c == "_") and (k == 0 or not (text[k - 1].isalnum() or text[k - 1] in "_.$")):
            found = _PARAMETER.match(text, k)
            if found:
                marks.append((k, found[1].lower(), found.end()))
                k = found.end()
                continue
            while k + 1 < len(text) and (text[k + 1].isalnum() or text[k + 1] == "_"):
                k += 1
        k += 1
    if quote:
        raise ViewError("a quote is not closed")
    if depth > 0:
        raise ViewError("a parenthesis is not closed")
    head = text[: marks[0][0]] if marks else text
    parameters: dict[str, list[str]] = {}
    for k, (_, name, begin) in enumerate(marks):
        end = marks[k + 1][0] if k + 1 < len(marks) else len(text)
        if name in parameters:
            raise ViewError(f"{name} is given twice")
        parameters[name] = _commas(text[begin:end])
    return head.split(), parameters


def _commas(text: str) -> list[str]:
    out, depth, quote, start = [], 0, "", 0
    for k, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
        elif c == "," and depth <= 0:
            out.append(text[start:k].strip())
            start = k + 1
    out.append(text[start:].strip())
    return out


# ---- the reader -------------------------------------------------------------------------------------------------------------
@dataclass
class _Context:
    """One View model: the `Model`, its objects by full name, and the ids given."""

    name: str
    model: Model
    objects: dict[str, Element] = field(default_factory=dict)


@dataclass
class _Group:
    """A name that stands for itself in an expression (an object's name)."""

    view_name: str


class _Reader:
    def __init__(self, path: str, lenient: bool) -> None:
        self.path = path
        self.lenient = lenient
        self.errors: list[str] = []
        self.skipped: dict[str, list[int]] = {}
        self.warnings: list[str] = []
        self.contexts: dict[str, _Context] = {}
        self.current: _Context | None = None
        self.units = Units.named("MMKS")
        self.degrees = True
        self.default_part = "ground"
        self.default_frame = ""
        self.variables: dict[str, Any] = {}
        self.count = 0
        self.functions: list[tuple[Element, str, str, str, int]] = []  # (element, field, text, model, line): names resolved at the end
        functions = {name[4:].upper(): getattr(self, name) for name in dir(self) if name.startswith("fun_")}
        self.evaluate = Evaluator(self.variable, self.unit, functions)
        self.handlers: dict[tuple[str, ...], Callable[[Command], None]] = {
            tuple(name.split(" ")): handler for name, handler in self.table().items()
        }

    # ---- reading ------------------------------------------------------------------------------------------------
    def read(self, text: str) -> Model:
        commands: list[Command] = []
        for line, code in _logical(text):
            try:
                words, parameters = _split(code)
            except ViewError as error:
                self.problem(line, code.split()[0] if code.split() else "command", str(error))
                continue
            if words or parameters:
                commands.append(Command([w.lower() for w in words], parameters, line))
        self.run(self.blocks(commands))
        self.resolve_functions()
        for words, lines in self.skipped.items():
            shown = ", ".join(map(str, lines[:5])) + (", ..." if len(lines) > 5 else "")
            self.warnings.append(f"{self.path}: '{words}' creates no model element and was passed over (line {shown})")
        if self.errors:
            raise ModelErrors(self.errors)
        if not self.contexts and self.lenient:
            model = Model(os.path.splitext(os.path.basename(self.path))[0], self.units)
            model.path = self.path
            model.warnings.extend([f"{self.path}: no command creates a model; this one is empty", *self.warnings])
            return model
        if not self.contexts:
            raise ModelErrors([f"{self.path}:1: no command creates a model; begin with 'model create model_name = ...'", *self.warnings])
        context = max(self.contexts.values(), key=lambda c: sum(1 for _ in c.model))
        others = [c.name for c in self.contexts.values() if c is not context]
        if others:
            self.warnings.append(f"{self.path}: only model {context.name} is given back, not {', '.join(others[:8])}")
        model = context.model
        model.path = self.path
        model.warnings.extend(self.warnings)
        return model

    def problem(self, line: int, words: str, text: str) -> None:
        message = f"{self.path}:{line}: {words}: {text}"
        (self.warnings if self.lenient else self.errors).append(message)

    def blocks(self, commands: list[Command]) -> list[Command]:
        """Commands with the bodies of if, for and while; an end too many or too few is a problem."""
        root: list[Command] = []
        stack: list[tuple[Command, list[Command]]] = []
        target = root
        for command in commands:
            word = command.words[0] if command.words else ""
            if word in ("if", "for", "while") and len(command.words) == 1:
                if len(stack) >= 100:
                    self.problem(command.line, word, "blocks are nested deeper than 100")
                    continue
                target.append(command)
                stack.append((command, target))
                target = command.body
            elif word in ("else", "elseif") and len(command.words) == 1:
                if not stack or stack[-1][0].words[0] != "if":
                    self.problem(command.line, word, "it has no 'if' before it; remove it")
                    continue
                branch: list[Command] = []
                stack[-1][0].other.append((command, branch))
                target = branch
            elif word == "end":
                if not stack:
                    self.problem(command.line, word, "it closes no block; remove it")
                    continue
                target = stack.pop()[1]
            else:
                target.append(command)
        for command, _ in stack:
            self.problem(command.line, command.words[0], "its 'end' is missing; add it")
        return root

    def run(self, commands: list[Command]) -> bool:
        """Carry out commands; False when a 'break' or the limit ends the block."""
        for command in commands:
            self.count += 1
            if self.count > MAX_COMMANDS:
                if self.count == MAX_COMMANDS + 1:
                    self.problem(command.line, "command", f"more than {MAX_COMMANDS} commands were carried out; the rest is not read")
                return False
            words = " ".join(command.words)
            try:
                if words in ("break", "continue", "return"):
                    return words == "continue"
                if words == "if":
                    if not self.branch(command):
                        return False
                elif words == "for":
                    self.loop(command)
                elif words == "while":
                    while self.condition(command) and self.run(command.body):
                        pass
                else:
                    self.command(command)
            except (ViewError, ModelError, ArgumentError) as error:
                self.problem(command.line, words[:60] or "command", str(error))
            except (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError, RecursionError) as error:
                self.problem(command.line, words[:60] or "command", f"a value is not of the right kind ({error})")
        return True

    def condition(self, command: Command) -> bool:
        values = self.find(command, "condition")
        if not values:
            raise ViewError("condition is missing")
        return bool(self.evaluate(", ".join(values)))

    def branch(self, command: Command) -> bool:
        if self.condition(command):
            return self.run(command.body)
        for test, body in command.other:
            if test.words[0] == "else" or self.condition(test):
                return self.run(body)
        return True

    def loop(self, command: Command) -> None:
        name = self.text(command, "variable_name")
        start = self.number(command, "start_value")
        end = self.number(command, "end_value")
        if not name or start is None or end is None:
            raise ViewError("a loop needs variable_name, start_value and end_value; it was passed over")
        step = self.number(command, "increment_value") or 1.0
        value = start
        turns = int(math.floor((end - start) / step + 1e-9)) + 1 if step else 0
        for k in range(max(0, min(turns, MAX_COMMANDS))):
            value = start + k * step
            self.variables[name.lower()] = int(value) if value == int(value) else value
            if not self.run(command.body):
                break

    def command(self, command: Command) -> None:
        words = command.words
        if not words:
            raise ViewError("it has no command words")
        found = [key for key in self.handlers if len(key) == len(words) and all(k.startswith(w) for k, w in zip(key, words))]
        exact = [key for key in found if list(key) == words]
        if exact or len(found) == 1:
            self.handlers[(exact or found)[0]](command)
            return
        if len(found) > 1:
            raise ViewError(f"it abbreviates {' and '.join(' '.join(k) for k in found[:3])}; write more letters")
        if words[0] in ("part", "marker", "constraint", "force", "data_element", "contact", "floating_marker") and len(words) > 1 \
                and words[1] in ("create", "modify"):  # fmt: skip
            hint = suggestion(" ".join(words).upper(), [" ".join(k).upper() for k in self.handlers])
            raise ViewError(f"this kind of element is not read{hint.lower()}")
        self.skipped.setdefault(" ".join(words[:4]), []).append(command.line)

    # ---- values ---------------------------------------------------------------------------------------------------
    def find(self, command: Command, name: str) -> list[str] | None:
        """Values of a parameter, also when it is abbreviated."""
        if name in command.parameters:
            return command.parameters[name]
        for given, values in command.parameters.items():
            if len(given) >= 3 and name.startswith(given):
                return values
        return None

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
            return text[1:-1]
        if text[0] in "({":
            return self.evaluate(text)
        found = _NUMBER.match(text)
        if found:
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
        if len(values) != 1 or isinstance(values[0], (str, _Group)):
            raise ViewError(f"{name} takes one number, not {self.find(command, name)}")
        return float(values[0])

    def integer(self, command: Command, name: str) -> int | None:
        value = self.number(command, name)
        return None if value is None else int(value)

    def numbers(self, command: Command, name: str) -> tuple[float, ...] | None:
        values = self.values(command, name)
        if values is None:
            return None
        if any(isinstance(v, (str, _Group)) for v in values):
            raise ViewError(f"{name} takes numbers, not {', '.join(self.find(command, name))[:60]}")
        return tuple(float(v) for v in values)

    def angles(self, command: Command, name: str) -> tuple[float, ...] | None:
        values = self.values(command, name)
        if values is None:
            return None
        if isinstance(values, Place):
            return tuple(values)
        factor = math.pi / 180 if self.degrees else 1.0
        if any(isinstance(v, (str, _Group)) for v in values):
            raise ViewError(f"{name} takes angles, not {', '.join(self.find(command, name))[:60]}")
        return tuple(float(v) if isinstance(v, Angle) else float(v) * factor for v in values)

    def switch(self, command: Command, name: str) -> bool:
        return (self.text(command, name) or "").lower() in ("on", "yes", "true")

    def unit(self, name: str) -> float | None:
        """Factor from a unit to model units."""
        for table, si in ((LENGTH, self.units.si_length), (MASS, self.units.si_mass), (FORCE, self.units.si_force), (TIME, self.units.si_time)):
            key = _unit_name(name, table)
            if key is not None:
                return table[key] / si
        return None

    def variable(self, name: str) -> Any:
        key = name.lower().lstrip("$")
        if key in self.variables:
            return self.variables[key]
        tail = key.rsplit(".", 1)[-1]
        dotted = [k for k in self.variables if k.rsplit(".", 1)[-1] == tail]
        if key.startswith(".") and f"{self.current.name.lower() if self.current else ''}.{tail}" in self.variables:
            return self.variables[f"{self.current.name.lower()}.{tail}"]
        if not key.startswith(".") and len(dotted) == 1:
            return self.variables[dotted[0]]
        if key in ("pi",):
            return math.pi
        if key in ("rtod", "dtor"):
            return 180 / math.pi if key == "rtod" else math.pi / 180
        if "." in name:
            return self.property(name)
        raise ViewError(f"there is no variable '{name}'")

    def property(self, name: str) -> Any:
        """``.model.JOINT_1.i``: a marker of an element; else the object by its own name."""
        element = self.object(name)
        if element is not None:
            return _Group(name)
        head, _, tail = name.rpartition(".")
        element = self.object(head) if head else None
        if element is not None:
            value = getattr(element, tail.lower(), None)
            if tail.lower() in ("i", "j") and value:
                return _Group(self.full_name(self.context(head).model.markers[value]))
            if isinstance(value, (int, float)):
                return value
        raise ViewError(f"there is no '{name}'")

    # ---- objects ------------------------------------------------------------------------------------------------------
    def context(self, name: str = "") -> _Context:
        if name.startswith("."):
            first = name[1:].split(".")[0].lower()
            if first in self.contexts:
                return self.contexts[first]
        if self.current is None:
            raise ViewError("there is no model yet; begin with 'model create'")
        return self.current

    def full(self, name: str) -> str:
        """Full name, lower case, without the model: ``part.marker``."""
        name = name.strip().strip("\"'")
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
        for context in self.contexts.values():
            for name, other in context.objects.items():
                if other is element and ":" not in name:
                    return f".{context.name}.{name}"
        return element.name

    def refer(self, command: Command, name: str, kind: str, required: bool = False) -> int | None:
        text = self.text(command, name)
        if text is None or text in ("", "(none)"):
            if required:
                raise ViewError(f"{name} is missing")
            return None
        element = self.object(text, (kind,))
        if element is None:
            names = [k for k in self.context(text).objects if ":" in k and k.startswith(kind)]
            hint = suggestion(f"{kind}:{self.full(text)}".upper(), [n.upper() for n in names])
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
        element.name = (name or "").rsplit(".", 1)[-1]
        if (self.text(command, "activity_status") or "on").lower() == "off":
            element.active = False
        if name and f"{element.KIND}:{self.full(name)}" in context.objects:
            raise ViewError(f"{name} exists already; use 'modify'")
        if not element.id and element.KIND == "PART" and not context.model.parts.get(2):
            element.id = 2
        context.model.add(element)
        self.enter(context, self.full(name) if name else element.name.lower(), element)
        return element

    def enter(self, context: _Context, key: str, element: Element) -> None:
        context.objects.setdefault(key, element)
        context.objects[f"{element.KIND}:{key}"] = element

    def modify(self, command: Command, parameter: str, kind: str) -> Any:
        number = self.refer(command, parameter, kind, required=True)
        return self.context(self.text(command, parameter) or "").model.table(kind)[number]

    # ---- frames ------------------------------------------------------------------------------------------------------------
    def frame_of(self, name: str) -> Frame:
        """Frame in ground of a part, a marker or the ground."""
        key = self.full(name) if name else ""
        if key in ("", "ground") or key == self.context(name).name.lower():
            return Frame(np.zeros(3), np.eye(3))
        element = self.object(name, ("PART", "POINT_MASS", "MARKER"))
        if element is None:
            raise ViewError(f"there is no coordinate system '{name}'")
        if isinstance(element, bodies.Marker):
            model = self.context(name).model
            return model.body_of(element).frame @ element.frame
        return element.frame

    def place(self, command: Command, body: Frame | None) -> tuple[np.ndarray | None, np.ndarray | None]:
        """(location, axes) of a command in the body's frame (in ground when None); None where not given."""
        relative = self.text(command, "relative_to")
        frame = self.frame_of(relative if relative is not None else self.default_frame)
        values = self.values(command, "location")
        location = None
        if values is not None:
            if len(values) != 3:
                raise ViewError(f"location takes three numbers, got {len(values)}")
            world = isinstance(values, Place)
            point = np.array([float(v) for v in values])
            location = point if world else frame.origin + frame.axes @ point
        values = self.values(command, "orientation")
        axes = None
        if values is not None:
            if len(values) != 3:
                raise ViewError(f"orientation takes three angles, got {len(values)}")
            turned = euler313(*self.angles(command, "orientation"))
            axes = turned if isinstance(values, Place) else frame.axes @ turned
        along = self.numbers(command, "along_axis_orientation")
        if along is not None and location is not None:
            if len(along) not in (3, 6):
                raise ViewError("along_axis_orientation takes one or two points")
            points = [frame.origin + frame.axes @ np.array(along[k : k + 3]) for k in range(0, len(along), 3)]
            axes = axes_from(points[-1] - (points[0] if len(points) == 2 else location), None)
        if body is not None:
            if location is not None:
                location = body.axes.T @ (location - body.origin)
            if axes is not None:
                axes = body.axes.T @ axes
        return location, axes

    @staticmethod
    def euler(axes: np.ndarray | None) -> tuple[float, float, float] | None:
        return None if axes is None or np.allclose(axes, np.eye(3), atol=1e-14) else _tidy(to_euler313(axes))

    # ---- functions in expressions -------------------------------------------------------------------------------------------
    def _frame_argument(self, value: Any) -> Frame:
        return self.frame_of(as_text(value))

    def fun_loc_relative_to(self, location: Any, system: Any) -> Place:
        frame = self._frame_argument(system)
        return Place((frame.origin + frame.axes @ np.array([float(v) for v in location])).tolist())

    def fun_loc_global(self, location: Any, system: Any) -> Place:
        return self.fun_loc_relative_to(location, system)

    def fun_loc_local(self, location: Any, system: Any) -> list:
        frame = self._frame_argument(system)
        return (frame.axes.T @ (np.array([float(v) for v in location]) - frame.origin)).tolist()

    def fun_loc_along_line(self, first: Any, second: Any, distance: float) -> Place:
        a, b = self._frame_argument(first).origin, self._frame_argument(second).origin
        length = float(np.linalg.norm(b - a))
        if not length > 0:
            raise ViewError("LOC_ALONG_LINE: the two points coincide")
        return Place((a + (b - a) * (float(distance) / length)).tolist())

    def fun_ori_relative_to(self, angles: Any, system: Any) -> Place:
        factor = math.pi / 180 if self.degrees else 1.0
        turned = euler313(*(float(v) if isinstance(v, Angle) else float(v) * factor for v in angles))
        return Place(to_euler313(self._frame_argument(system).axes @ turned))

    def fun_ori_along_axis(self, first: Any, second: Any, axis: Any = "z") -> Place:
        d = self._frame_argument(second).origin - self._frame_argument(first).origin
        return Place(to_euler313(axes_from(None, d) if str(axis).lower() == "x" else axes_from(d, None)))

    def _difference(self, first: Any, second: Any) -> np.ndarray:
        return self._frame_argument(first).origin - (self._frame_argument(second).origin if second is not None else 0.0)

    def fun_dx(self, first: Any, second: Any = None) -> float:
        return float(self._difference(first, second)[0])

    def fun_dy(self, first: Any, second: Any = None) -> float:
        return float(self._difference(first, second)[1])

    def fun_dz(self, first: Any, second: Any = None) -> float:
        return float(self._difference(first, second)[2])

    def fun_dm(self, first: Any, second: Any = None) -> float:
        return float(np.linalg.norm(self._difference(first, second)))

    def fun_db_exists(self, name: Any) -> int:
        text = as_text(name)
        return int(self.object(text) is not None or text.strip(".").lower() in self.contexts or text.lower().lstrip("$") in self.variables)

    # ---- runtime functions ---------------------------------------------------------------------------------------------------
    def function(self, command: Command, element: Element, name: str = "function", to: str = "function") -> None:
        """Take a runtime function; its object names are resolved when the whole file is read."""
        found = self.find(command, name)
        user = self.numbers(command, "user_function") if name == "function" else None
        if user is not None:
            setattr(element, to, "USER(" + ",".join(repr(v) for v in user) + ")")
            routine = self.text(command, "routine")
            if routine:
                element.routine = routine
            return
        if found is None:
            return
        text = "".join(as_text(self.scalar(piece)) for piece in found).strip()
        if text:
            model = self.context().name
            self.functions = [f for f in self.functions if not (f[0] is element and f[1] == to)]
            self.functions.append((element, to, text, model, command.line))

    def resolve_functions(self) -> None:
        for element, to, text, model, line in self.functions:
            self.current = self.contexts[model.lower()]
            try:
                value = self.with_ids(text)
                fault = fault_of(value)
                if fault:
                    raise ViewError(f"{fault}; correct the function '{text[:60]}'")
                setattr(element, to, value)
            except ViewError as error:
                self.problem(line, element.KIND.lower(), str(error))

    def with_ids(self, text: str) -> str:
        def number(found: re.Match) -> str:
            element = self.object(found[0])
            if element is None and found[0].lower() in self.variables:
                return as_text(self.variables[found[0].lower()])
            if element is None:
                raise ViewError(f"the function names '{found[0]}', which is no object of the model")
            return str(element.id)

        return " ".join(_DOTTED.sub(number, text).split())

    # ---- commands ------------------------------------------------------------------------------------------------------------
    def table(self) -> dict[str, Callable[[Command], None]]:
        out: dict[str, Callable[[Command], None]] = {
            "model create": self.model_create, "defaults units": self.defaults_units, "defaults model": self.defaults_model,
            "defaults coordinate_system": self.defaults_coordinate_system,
            "part create rigid_body name_and_position": self.part, "part modify rigid_body name_and_position": self.part_modify,
            "part create rigid_body mass_properties": self.mass, "part modify rigid_body mass_properties": self.mass,
            "part create rigid_body initial_velocity": self.velocity, "part modify rigid_body initial_velocity": self.velocity,
            "part create point_mass name_and_position": self.point_mass, "part modify point_mass name_and_position": self.part_modify,
            "part create point_mass mass_properties": self.mass, "part modify point_mass mass_properties": self.mass,
            "part create point_mass initial_velocity": self.velocity,
            "part create equation differential_equation": self.differential, "part modify equation differential_equation": self.differential,
            "part create equation linear_state_equation": self.linear, "part create equation transfer_function": self.transfer,
            "part create equation general_state_equation": self.general_equation,
            "marker create": self.marker, "marker modify": self.marker_modify, "floating_marker create": self.floating,
            "constraint create motion_generator": self.motion, "constraint modify motion_generator": self.motion_modify,
            "constraint create complex_joint coupler": self.coupler, "constraint create complex_joint gear": self.gear,
            "constraint create higher_pair_contact point_curve": self.point_curve,
            "constraint create higher_pair_contact curve_curve": self.curve_curve,
            "constraint create general_constraint": self.general_constraint,
            "force create body gravitational": self.gravity, "force modify body gravitational": self.gravity,
            "force create direct single_component_force": self.sforce, "force modify direct single_component_force": self.sforce_modify,
            "force create direct force_vector": self.vector(forces.VForce, "force_vector_name", "VFORCE"),
            "force create direct torque_vector": self.vector(forces.VTorque, "torque_vector_name", "VTORQUE"),
            "force create direct general_force": self.vector(forces.GForce, "general_force_name", "GFORCE"),
            "force modify direct force_vector": self.vector_modify("force_vector_name", "VFORCE"),
            "force modify direct torque_vector": self.vector_modify("torque_vector_name", "VTORQUE"),
            "force modify direct general_force": self.vector_modify("general_force_name", "GFORCE"),
            "force create element_like translational_spring_damper": self.spring, "force create element_like beam": self.beam,
            "force create element_like rotational_spring_damper": self.torsion_spring, "force create element_like bushing": self.bushing,
            "force create element_like field": self.field,
            "contact create": self.contact, "material create": self.material, "material modify": self.material_modify,
            "data_element create spline": self.spline, "data_element create variable": self.data_variable,
            "data_element modify variable": self.data_variable_modify, "data_element create matrix full": self.matrix,
            "data_element create matrix sparse": self.matrix_sparse, "data_element create string": self.string,
            "data_element create curve": self.curve, "data_element create plant input": self.plant(states.PInput, "plant_input_name"),
            "data_element create plant output": self.plant(states.POutput, "plant_output_name"),
            "variable set": self.set_variable, "variable create": self.set_variable, "variable modify": self.set_variable,
            "executive_control set equilibrium_parameters": self.equilibrium,
            "executive_control set numerical_integration_parameters": self.integration,
            "simulation script create": self.script, "simulation single_run transient": self.script,
            "simulation single_run dynamic": self.script, "simulation single_run kinematic": self.script,
        }  # fmt: skip
        for kind in joints.JOINT_TYPES:
            word = {"RACKPIN": "rack_and_pinion", "CONVEL": "convel"}.get(kind, kind.lower())
            out[f"constraint create joint {word}"] = self.joint(kind)
        for kind in joints.PRIMITIVE_TYPES:
            word = {"ATPOINT": "at_point", "INPLANE": "inplane", "PARALLEL_AXES": "parallel_axis"}.get(kind, kind.lower())
            out[f"constraint create primitive_joint {word}"] = self.primitive(kind)
        for kind, word in (("X", "x_state_array"), ("Y", "y_output_array"), ("U", "u_input_array"), ("IC", "ic_array"),
                           ("IC", "general_array")):  # fmt: skip
            out[f"data_element create array {word}"] = self.array(kind)
        for word in ("block", "cylinder", "frustum", "ellipsoid", "link", "torus", "plate", "circle", "arc", "outline", "force", "sphere",
                     "spring_damper", "revolution", "extrusion", "plane"):  # fmt: skip
            out[f"geometry create shape {word}"] = self.geometry(word, False)
            out[f"geometry modify shape {word}"] = self.geometry(word, True)
        return out

    # models and defaults
    def model_create(self, command: Command) -> None:
        name = (self.text(command, "model_name") or "").strip(".")
        if not re.fullmatch(r"[A-Za-z_][\w ]*", name):
            raise ViewError(f"'{name}' is not a name of a model")
        if name.lower() in self.contexts:
            raise ViewError(f"model {name} exists already")
        if len(self.contexts) >= 1000:
            raise ViewError("more than 1000 models")
        model = Model(name, Units(self.units.force, self.units.mass, self.units.length, self.units.time))
        model.title = self.text(command, "title") or ""
        self.current = self.contexts[name.lower()] = _Context(name, model)
        self.enter(self.current, "ground", model.ground)
        self.default_part, self.default_frame = "ground", ""

    def defaults_units(self, command: Command) -> None:
        names = {}
        for name, table in (("length", LENGTH), ("force", FORCE), ("mass", MASS), ("time", TIME)):
            text = self.text(command, name)
            if text is not None:
                full = _unit_name(text, table)
                if full is None:
                    raise ViewError(f"unknown unit of {name} '{text}'{suggestion(text, table)}")
                names[name] = full
        system = (self.text(command, "system_of_units") or "").lower()
        if system:
            if system not in ("mks", "mmks", "cgs", "ips"):
                raise ViewError(f"unknown system of units '{system}'")
            self.units = Units.named(system.upper())
        self.units = Units(**{**{k: getattr(self.units, k) for k in ("force", "mass", "length", "time")}, **names})
        angle = (self.text(command, "angle") or "").lower()
        if angle:
            self.degrees = not angle.startswith("rad")
        if self.current is not None:
            if sum(1 for _ in self.current.model) > 1 and (names or system) and self.units != self.current.model.units:
                raise ViewError("the units change after elements were made; this is not supported, the first ones hold")
            self.current.model.units = self.units

    def defaults_model(self, command: Command) -> None:
        name = self.text(command, "model_name")
        if name and name.strip(".").lower() in self.contexts:
            self.current = self.contexts[name.strip(".").lower()]
        part = self.text(command, "part_name")
        if part:
            self.default_part = self.full(part)

    def defaults_coordinate_system(self, command: Command) -> None:
        self.default_frame = self.text(command, "default_coordinate_system") or ""

    def set_variable(self, command: Command) -> None:
        name = self.text(command, "variable_name")
        if not name:
            raise ViewError("variable_name is missing")
        for parameter in ("real_value", "integer_value", "string_value", "object_value"):
            values = self.values(command, parameter)
            if values is not None:
                value = values[0] if len(values) == 1 else values
                self.variables[name.lower().lstrip("$")] = _Group(value) if parameter == "object_value" and isinstance(value, str) else value

    # bodies
    def part(self, command: Command) -> None:
        name = self.text(command, "part_name") or ""
        if self.full(name) == "ground":
            return
        location, axes = self.place(command, None)
        part = bodies.Part(qg=_vector(location), reuler=self.euler(axes))
        self.add(command, part, "part_name")
        self.default_part = self.full(name)

    def point_mass(self, command: Command) -> None:
        location, axes = self.place(command, None)
        self.add(command, bodies.PointMass(qg=_vector(location), reuler=self.euler(axes)), "point_mass_name")
        self.default_part = self.full(self.text(command, "point_mass_name") or "")

    def _body(self, command: Command) -> Any:
        if self.find(command, "point_mass_name") is not None and "point_mass" in command.words:
            return self.modify(command, "point_mass_name", "POINT_MASS")
        return self.modify(command, "part_name", "PART")

    def part_modify(self, command: Command) -> None:
        body = self._body(command)
        location, axes = self.place(command, None)
        if location is not None:
            body.qg = _vector(location)
        if axes is not None:
            body.reuler = self.euler(axes)

    def mass(self, command: Command) -> None:
        body = self._body(command)
        if getattr(body, "ground", False):
            return
        value = self.number(command, "mass")
        if value is not None:
            body.mass = value
        for name, to in (("center_of_mass_marker", "cm"), ("inertia_marker", "im")):
            number = self.refer(command, name, "MARKER")
            if number is not None and hasattr(body, to):
                setattr(body, to, number)
        if isinstance(body, bodies.Part):
            six = [self.number(command, n) for n in ("ixx", "iyy", "izz", "ixy", "izx", "iyz")]
            if any(v is not None for v in six):
                before = (*body.ip, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)[:6] if body.ip else (0.0,) * 6
                ip = tuple(b if v is None else v for v, b in zip(six, before))
                body.ip = ip if any(ip[3:]) else ip[:3]
            material = self.refer(command, "material_type", "MATERIAL")
            if material is not None:
                body.material = material
                if body.mass is None and not body.ground:
                    self.problem(command.line, "part mass_properties", f"the mass of {body.name} follows from its material and geometry in "
                                 "Adams View; give mass and inertia")  # fmt: skip

    def velocity(self, command: Command) -> None:
        body = self._body(command)
        for name in ("vx", "vy", "vz", "wx", "wy", "wz"):
            values = self.values(command, name)
            if values is not None and hasattr(body, name):
                setattr(body, name, float(values[0]))
        for name in ("vm", "wm"):
            number = self.refer(command, name, "MARKER")
            if number is not None and hasattr(body, name):
                setattr(body, name, number)

    # markers
    def owner(self, name: str) -> Any:
        """The body in a marker's full name, or the default part."""
        context = self.context(name)
        key = self.full(name)
        parent = key.rpartition(".")[0] or self.default_part
        if parent in ("my_part",) and parent not in context.objects:
            raise ViewError(f"there is no part '{parent}'")
        for kind in ("PART", "POINT_MASS"):
            body = context.objects.get(f"{kind}:{parent}")
            if body is not None:
                return body
        raise ViewError(f"there is no part '{parent}' to carry the marker")

    def marker(self, command: Command) -> None:
        name = self.text(command, "marker_name")
        if not name:
            name = f".{self.context().name}.{self.default_part}.MARKER_{max(self.context().model.markers, default=0) + 1}"
            command.parameters["marker_name"] = [name]
        elif "." not in name:
            name = f".{self.context().name}.{self.default_part}.{name}"
            command.parameters = {k: v for k, v in command.parameters.items() if not "marker_name".startswith(k)}
            command.parameters["marker_name"] = [name]
        body = self.owner(name)
        location, axes = self.place(command, body.frame)
        self.add(command, bodies.Marker(part=body.id, body_kind=body.KIND, qp=_vector(location), reuler=self.euler(axes)), "marker_name")

    def marker_modify(self, command: Command) -> None:
        marker = self.modify(command, "marker_name", "MARKER")
        body = self.context(self.text(command, "marker_name") or "").model.body_of(marker)
        location, axes = self.place(command, body.frame)
        if location is not None:
            marker.qp = _vector(location)
        if axes is not None:
            marker.reuler = self.euler(axes)

    def floating(self, command: Command) -> None:
        name = self.text(command, "floating_marker_name") or ""
        body = self.owner(name)
        self.add(command, bodies.Marker(part=body.id, body_kind=body.KIND, floating=True), "floating_marker_name")

    # constraints
    def ij(self, command: Command) -> tuple[int, int]:
        """Markers I and J, by name or made on two parts at a location."""
        if self.find(command, "i_marker_name") is not None or self.find(command, "i_part_name") is None:
            return self.refer(command, "i_marker_name", "MARKER", True), self.refer(command, "j_marker_name", "MARKER", True)
        out = []
        for parameter in ("i_part_name", "j_part_name"):
            body = self.modify(command, parameter, "PART")
            location, axes = self.place(command, body.frame)
            marker = bodies.Marker(part=body.id, qp=_vector(location), reuler=self.euler(axes))
            marker.source = Source(self.path, command.line)
            out.append(self.context().model.add(marker).id)
        return out[0], out[1]

    def joint(self, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            i, j = self.ij(command)
            joint = joints.Joint(type=kind, i=i, j=j, pitch=self.number(command, "pitch"), pd=self.number(command, "diameter_of_pitch"))
            shift = (self.number(command, "translational_displacement_ic"), self.number(command, "translational_velocity_ic"))
            turn = self.angles(command, "rotational_displacement_ic"), self.angles(command, "angular_velocity_ic")
            if shift != (None, None):
                joint.ictran = shift
            if turn != (None, None):
                joint.icrot = tuple(t[0] if t else None for t in turn)
            self.add(command, joint, "joint_name")

        return create

    def primitive(self, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            i, j = self.ij(command)
            self.add(command, joints.Primitive(type=kind, i=i, j=j), "jprim_name")

        return create

    def motion(self, command: Command) -> None:
        motion = joints.Motion()
        if self.find(command, "joint_name") is not None:
            motion.joint = self.refer(command, "joint_name", "JOINT", True)
        else:
            motion.i, motion.j = self.ij(command)
            axis = (self.text(command, "axis") or "").upper()
            if axis not in ("X", "Y", "Z", "B1", "B2", "B3"):
                raise ViewError("axis is missing; give one of x y z b1 b2 b3")
            motion.component = axis
            motion.kind = "TRANSLATIONAL" if axis in "XYZ" else "ROTATIONAL"
        self._motion(command, motion)
        self.add(command, motion, "motion_name")

    def motion_modify(self, command: Command) -> None:
        self._motion(command, self.modify(command, "motion_name", "MOTION"))

    def _motion(self, command: Command, motion: joints.Motion) -> None:
        freedom = (self.text(command, "type_of_freedom") or "").upper()
        if freedom and not motion.component:
            motion.kind = "TRANSLATIONAL" if freedom.startswith("T") else "ROTATIONAL"
        level = (self.text(command, "time_derivative") or "").upper()
        if level:
            motion.level = next((n for n in ("DISPLACEMENT", "VELOCITY", "ACCELERATION") if n.startswith(level)), motion.level)
        rotational = motion.kind == "ROTATIONAL"
        for name, to in (("displacement_ic", "icdisp"), ("velocity_ic", "icvel")):
            values = self.angles(command, name) if rotational else self.numbers(command, name)
            if values:
                setattr(motion, to, values[0])
        self.function(command, motion)

    def coupler(self, command: Command) -> None:
        scales = self.numbers(command, "multiplication_factors") or self.numbers(command, "scales") or ()
        types = tuple(t[:1].upper() for t in self.texts(command, "type_of_freedom") or ())
        linked = self.refers(command, "joint_name", "JOINT")
        if len(scales) == len(linked) - 1:
            scales = (1.0, *scales)
        coupler = joints.Coupler(joints=linked, types=types, scales=scales)
        self.add(command, coupler, "coupler_name")

    def gear(self, command: Command) -> None:
        cv = self.refer(command, "common_velocity_marker_name", "MARKER", True)
        self.add(command, joints.Gear(joints=self.refers(command, "joint_name", "JOINT"), cv=cv), "gear_name")

    def point_curve(self, command: Command) -> None:
        self.add(command, joints.PointCurve(
            i=self.refer(command, "i_marker_name", "MARKER", True), jfloat=self.refer(command, "j_floating_marker_name", "MARKER"),
            rm=self.refer(command, "ref_marker_name", "MARKER", True), curve=self.refer(command, "curve_name", "CURVE", True),
            ic=self.numbers(command, "displacement_ic") or (), velocity_ic=self.number(command, "velocity_ic"),
        ), "point_curve_name")  # fmt: skip

    def curve_curve(self, command: Command) -> None:
        self.add(command, joints.CurveCurve(
            ifloat=self.refer(command, "i_floating_marker_name", "MARKER"), jfloat=self.refer(command, "j_floating_marker_name", "MARKER"),
            irm=self.refer(command, "i_ref_marker_name", "MARKER", True), jrm=self.refer(command, "j_ref_marker_name", "MARKER", True),
            icurve=self.refer(command, "i_curve_name", "CURVE", True), jcurve=self.refer(command, "j_curve_name", "CURVE", True),
            i_ic=self.numbers(command, "i_displacement_ic") or (), j_ic=self.numbers(command, "j_displacement_ic") or (),
        ), "curve_curve_name")  # fmt: skip

    def general_constraint(self, command: Command) -> None:
        element = joints.GeneralConstraint(i=self.refer(command, "i_marker_name", "MARKER"))
        self.add(command, element, "gcon_name" if self.find(command, "gcon_name") else "general_constraint_name")
        self.function(command, element)

    # forces
    def gravity(self, command: Command) -> None:
        model = self.context().model
        names = ("x_component_gravity", "y_component_gravity", "z_component_gravity")
        model.gravity = tuple(g if self.number(command, n) is None else self.number(command, n) for n, g in zip(names, model.gravity))

    def sforce(self, command: Command) -> None:
        i, j = self.ij(command)
        rotational = (self.text(command, "type_of_freedom") or "").lower().startswith("r")
        force = forces.SForce(kind="ROTATIONAL" if rotational else "TRANSLATIONAL", i=i, j=j, actiononly=self.switch(command, "action_only"))
        self.add(command, force, "single_component_force_name")
        self.function(command, force)

    def sforce_modify(self, command: Command) -> None:
        self.function(command, self.modify(command, "single_component_force_name", "SFORCE"))

    def vector(self, cls: type[Element], parameter: str, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            element = cls(i=self.refer(command, "i_marker_name", "MARKER", True), jfloat=self.refer(command, "j_floating_marker_name", "MARKER"),
                          rm=self.refer(command, "ref_marker_name", "MARKER"))  # fmt: skip
            self.add(command, element, parameter)
            self.components(command, element)

        return create

    def vector_modify(self, parameter: str, kind: str) -> Callable[[Command], None]:
        return lambda command: self.components(command, self.modify(command, parameter, kind))

    def components(self, command: Command, element: Element) -> None:
        for axis in "xyz":
            for what in ("force", "torque"):
                if hasattr(element, f"{what[0]}{axis}"):
                    self.function(command, element, f"{axis}_{what}_function", f"{what[0]}{axis}")
        self.function(command, element)

    def spring(self, command: Command) -> None:
        i, j = self.ij(command)
        self.add(command, forces.SpringDamper(
            kind="TRANSLATIONAL", i=i, j=j, k=self.number(command, "stiffness") or 0.0, c=self.number(command, "damping") or 0.0,
            force=self.number(command, "preload") or 0.0, length=self.number(command, "displacement_at_preload") or 0.0,
        ), "spring_damper_name")  # fmt: skip

    def torsion_spring(self, command: Command) -> None:
        i, j = self.ij(command)
        angle = self.angles(command, "displacement_at_preload")
        self.add(command, forces.SpringDamper(
            kind="ROTATIONAL", i=i, j=j, kt=self.per_angle(command, "stiffness"), ct=self.per_angle(command, "damping"),
            torque=self.number(command, "preload") or 0.0, angle=angle[0] if angle else 0.0,
        ), "spring_damper_name")  # fmt: skip

    def per_angle(self, command: Command, name: str) -> float:
        """A rotational stiffness or damping, per angle unit in View, per radian in the solver."""
        value = self.number(command, name) or 0.0
        return value * 180 / math.pi if self.degrees else value

    def beam(self, command: Command) -> None:
        i, j = self.ij(command)
        number = lambda name: self.number(command, name) or 0.0
        self.add(command, forces.Beam(
            i=i, j=j, length=number("length"), area=number("area_of_cross_section"), ixx=number("ixx"), iyy=number("iyy"), izz=number("izz"),
            asy=number("y_shear_area_ratio"), asz=number("z_shear_area_ratio"), emodulus=number("youngs_modulus"),
            gmodulus=number("shear_modulus"), cratio=self.number(command, "damping_ratio"),
            formulation=(self.text(command, "formulation") or "linear").upper(),
        ), "beam_name")  # fmt: skip

    def bushing(self, command: Command) -> None:
        i, j = self.ij(command)
        turn = 180 / math.pi if self.degrees else 1.0
        three = lambda name, factor=1.0: tuple(v * factor for v in _three(self.numbers(command, name), name))
        self.add(command, forces.Bushing(
            i=i, j=j, k=three("stiffness"), c=three("damping"), kt=three("tstiffness", turn), ct=three("tdamping", turn),
            force=three("force_preload"), torque=three("torque_preload"),
        ), "bushing_name")  # fmt: skip

    def field(self, command: Command) -> None:
        i, j = self.ij(command)
        element = forces.Field(i=i, j=j, cratio=self.number(command, "damping_ratio"), force=_three(self.numbers(command, "force_preload"), "force"),
                               torque=_three(self.numbers(command, "torque_preload"), "torque"))  # fmt: skip
        for name, to in (("stiffness_matrix", "kmatrix"), ("matrix_of_damping_terms", "cmatrix")):
            values = self.numbers(command, name)
            if values:
                if len(values) != 36:
                    raise ViewError(f"{name} takes 36 numbers, got {len(values)}")
                setattr(element, to, grammar.transpose(values, 6, 6))
        shift = _three(self.numbers(command, "translation_at_preload"), "translation_at_preload")
        turn = _three(self.angles(command, "rotation_at_preload"), "rotation_at_preload")
        element.length = (*shift, *turn)
        self.add(command, element, "field_name")

    def contact(self, command: Command) -> None:
        contact = forces.Contact(igeom=self.refers(command, "i_geometry_name", "GRAPHICS"), jgeom=self.refers(command, "j_geometry_name", "GRAPHICS"))
        names = (("stiffness", "stiffness"), ("damping", "damping"), ("dmax", "dmax"), ("exponent", "exponent"), ("penalty", "penalty"),
                 ("restitution_coefficient", "restitution"), ("mu_static", "mu_static"), ("mu_dynamic", "mu_dynamic"),
                 ("stiction_transition_velocity", "stiction_transition_velocity"),
                 ("friction_transition_velocity", "friction_transition_velocity"))  # fmt: skip
        for name, to in names:
            value = self.number(command, name)
            if value is not None:
                setattr(contact, to, value)
        friction = self.text(command, "coulomb_friction")
        if friction:
            contact.coulomb_friction = friction.upper()
        if self.find(command, "restitution_coefficient") is not None:
            contact.model = "POISSON"
        self.add(command, contact, "contact_name")

    def material(self, command: Command) -> None:
        self.add(command, outputs.Material(), "material_name")
        self.material_modify(command)

    def material_modify(self, command: Command) -> None:
        material = self.modify(command, "material_name", "MATERIAL")
        for name, to in (("density", "density"), ("youngs_modulus", "youngs_modulus"), ("poissons_ratio", "poissons_ratio")):
            value = self.number(command, name)
            if value is not None:
                setattr(material, to, value)

    # data
    def spline(self, command: Command) -> None:
        x, y, z = (self.numbers(command, n) or () for n in ("x", "y", "z"))
        if len(x) < 1 or len(y) != len(x) * max(1, len(z)):
            raise ViewError(f"x has {len(x)}, y {len(y)} and z {len(z)} values; y needs one for each x (and z)")
        rows = tuple(y[k * len(x) : (k + 1) * len(x)] for k in range(max(1, len(z))))
        extrapolate = self.switch(command, "linear_extrapolate")
        self.add(command, states.Spline(x=x, y=rows, z=z if len(z) > 1 or len(rows) > 1 else (), linear_extrapolate=extrapolate), "spline_name")

    def data_variable(self, command: Command) -> None:
        variable = states.Variable(ic=self.number(command, "initial_condition") or 0.0)
        self.add(command, variable, "variable_name")
        self.function(command, variable)

    def data_variable_modify(self, command: Command) -> None:
        self.function(command, self.modify(command, "variable_name", "VARIABLE"))

    def matrix(self, command: Command) -> None:
        values = {"rows": self.integer(command, "row_count"), "columns": self.integer(command, "column_count"),
                  "values": self.numbers(command, "values"),
                  "full": "CORDER" if "col" in (self.text(command, "input_order") or "").lower() else "RORDER"}  # fmt: skip
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def matrix_sparse(self, command: Command) -> None:
        values = {"rows": self.integer(command, "row_count"), "columns": self.integer(command, "column_count"), "values": self.numbers(command, "values"),
                  "sparse_i": tuple(int(v) for v in self.numbers(command, "row_index") or ()),
                  "sparse_j": tuple(int(v) for v in self.numbers(command, "column_index") or ())}  # fmt: skip
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def string(self, command: Command) -> None:
        self.add(command, states.String(text="".join(self.texts(command, "string") or ())), "string_name")

    def curve(self, command: Command) -> None:
        matrix = self.refer(command, "matrix_name", "MATRIX")
        closed = (self.text(command, "closed") or "").lower() in ("yes", "on", "true")
        points = "CONTROL" if "control" in (self.text(command, "fit_type") or "").lower() else "CURVE"
        self.add(command, states.Curve(closed=closed, matrix=matrix, points=points), "curve_name")

    def array(self, kind: str) -> Callable[[Command], None]:
        def create(command: Command) -> None:
            self.add(command, states.Array(kind=kind, size=self.integer(command, "size"), numbers=self.numbers(command, "numbers") or (),
                                           variables=self.refers(command, "variable_name", "VARIABLE") if kind == "U" else ()),
                     "array_name")  # fmt: skip

        return create

    def plant(self, cls: type[Element], parameter: str) -> Callable[[Command], None]:
        return lambda command: self.add(command, cls(variables=self.refers(command, "variable_name", "VARIABLE")), parameter)

    # equations
    def differential(self, command: Command) -> None:
        if command.words[1].startswith("m"):
            self.function(command, self.modify(command, "differential_equation_name", "DIFF"))
            return
        diff = states.Diff(ic=self.numbers(command, "initial_condition") or (0.0,), implicit=self.switch(command, "implicit"),
                           static_hold=self.switch(command, "static_hold"))  # fmt: skip
        self.add(command, diff, "differential_equation_name")
        self.function(command, diff)

    def linear(self, command: Command) -> None:
        array = lambda name, required=False: self.refer(command, name, "ARRAY", required)
        matrix = lambda name, required=False: self.refer(command, name, "MATRIX", required)
        self.add(command, states.LinearStateEquations(
            x=array("x_state_array_name", True), u=array("u_input_array_name"), y=array("y_output_array_name"), ic=array("ic_array_name"),
            a=matrix("a_state_matrix_name", True), b=matrix("b_input_matrix_name"), c=matrix("c_output_matrix_name"),
            d=matrix("d_feedforward_matrix_name"), static_hold=self.switch(command, "static_hold"),
        ), "linear_state_equation_name")  # fmt: skip

    def transfer(self, command: Command) -> None:
        model = self.context().model
        made = []
        for name in ("numerator_coefficients", "denominator_coefficients"):
            numbers = self.numbers(command, name)
            if not numbers:
                raise ViewError(f"{name} is missing")
            made.append(model.add(states.Array(kind="IC", size=len(numbers), numbers=numbers, source=Source(self.path, command.line))).id)
        self.add(command, states.TransferFunction(
            x=self.refer(command, "x_state_array_name", "ARRAY", True), u=self.refer(command, "u_input_array_name", "ARRAY", True),
            y=self.refer(command, "y_output_array_name", "ARRAY", True), numerator=made[0], denominator=made[1],
            static_hold=self.switch(command, "static_hold"),
        ), "transfer_function_name")  # fmt: skip

    def general_equation(self, command: Command) -> None:
        array = lambda name: self.refer(command, name, "ARRAY")
        gse = states.GeneralStateEquations(
            x=array("x_state_array_name"), u=array("u_input_array_name"), y=array("y_output_array_name"), ic=array("ic_array_name"),
            ns=self.integer(command, "state_equation_count") or 0, no=self.integer(command, "output_equation_count") or 0,
            static_hold=self.switch(command, "static_hold"),
        )  # fmt: skip
        self.add(command, gse, "general_state_equation_name")
        self.function(command, gse)

    # geometry
    def geometry(self, word: str, modify: bool) -> Callable[[Command], None]:
        kind = {"block": "BOX", "spring_damper": "SPDP", "sphere": "ELLIPSOID"}.get(word, word.upper())
        parameter = f"{word}_name"

        def create(command: Command) -> None:
            found = self.modify(command, parameter, "GRAPHICS") if modify else outputs.Graphic(type=kind)
            found.arguments = {**found.arguments, **self.shape(command, kind)}
            if not modify:
                self.add(command, found, parameter)

        return create

    def shape(self, command: Command, kind: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        center = {"BOX": ("corner_marker", "corner"), "LINK": ("i_marker", "i")}.get(kind, ("center_marker", "cm"))
        for name, to in (center, ("j_marker", "j"), ("i_marker", "i"), ("applied_at_marker_name", "emarker"), ("marker_name", "rm"),
                         ("reference_marker", "rm")):  # fmt: skip
            number = self.refer(command, name, "MARKER")
            if number is not None:
                out[to] = number
        corner = self.numbers(command, "diag_corner_coords")
        if corner:
            out.update(zip("xyz", corner))
        for name, to in (("length", "length"), ("radius", "radius"), ("top_radius", "top"), ("bottom_radius", "bottom"),
                         ("side_count_for_body", "sides"), ("segment_count_for_ends", "seg"), ("segment_count", "seg"), ("x_scale_factor", "xscale"),
                         ("y_scale_factor", "yscale"), ("z_scale_factor", "zscale"), ("width", "width"), ("depth", "depth"),
                         ("major_radius", "major"), ("minor_radius", "minor")):  # fmt: skip
            value = self.number(command, name)
            if value is not None:
                out[to] = int(value) if to in ("sides", "seg") else value
        extent = self.angles(command, "angle_extent")
        if extent:
            out["rangle"] = extent[0]
        for name, etype in (("force_element_name", ""), ("joint_name", "JOINT")):
            text = self.text(command, name)
            element = self.object(text) if text else None
            if element is not None:
                out["etype"], out["eid"] = etype or element.KIND, element.id
        return out

    # settings
    def equilibrium(self, command: Command) -> None:
        target = self.context().model.equilibrium
        for name, to in (("error", "error"), ("imbalance", "imbalance"), ("stability", "stability"), ("tlimit", "tlimit")):
            value = self.number(command, name)
            if value is not None:
                setattr(target, to, value)
        if self.number(command, "maxit") is not None:
            target.maxit = self.integer(command, "maxit")
        limit = self.angles(command, "alimit")
        if limit:
            target.alimit = limit[0]

    def integration(self, command: Command) -> None:
        target = self.context().model.integrator
        for name in ("error", "hinit", "hmin", "hmax", "adaptivity"):
            value = self.number(command, name)
            if value is not None:
                setattr(target, name, value)
        for name in ("kmax", "maxit"):
            if self.number(command, name) is not None:
                setattr(target, name, self.integer(command, name))
        kind = (self.text(command, "integrator_type") or self.text(command, "integrator") or "").upper()
        if kind in grammar.INTEGRATORS:
            target.kind = kind
        formulation = (self.text(command, "formulation") or "").upper()
        if formulation in ("I3", "SI2", "SI1"):
            target.formulation = formulation

    def script(self, command: Command) -> None:
        """Solver commands of a script are kept in ``model.scripts`` as text, as a .acf holds them."""
        lines = self.texts(command, "solver_commands")
        single = command.words[1].startswith("si")
        name = (self.text(command, "sim_script_name") or ("single_run" if single else "script")).rsplit(".", 1)[-1]
        if lines:
            self.context(self.text(command, "sim_script_name") or "").model.scripts[name] = "\n".join(lines) + "\n"
            return
        kind = (self.text(command, "type") or (command.words[-1] if single else "")).lower()
        end, steps = self.number(command, "end_time"), self.integer(command, "number_of_steps")
        if kind and end is not None:
            word = {"dynamic": "DYNAMICS", "kinematic": "KINEMATICS", "static": "STATICS"}.get(kind, "TRANSIENT")
            first = "SIMULATE/STATICS\n" if self.switch(command, "initial_static") else ""
            text = f"{first}SIMULATE/{word}, END={end!r}" + (f", STEPS={steps}" if steps else "") + "\n"
            self.context(self.text(command, "sim_script_name") or "").model.scripts[name] = text
            return
        self.skipped.setdefault(" ".join(command.words), []).append(command.line)


def _three(values: tuple[float, ...] | None, name: str) -> tuple[float, float, float]:
    if values is None:
        return (0.0, 0.0, 0.0)
    if len(values) != 3:
        raise ViewError(f"{name} takes three numbers, got {len(values)}")
    return values  # type: ignore[return-value]


def _tidy(angles: tuple[float, float, float]) -> tuple[float, float, float]:
    """Angles whose degrees are a short number get exactly that number (90D stays 90D through the matrices)."""
    out = []
    for angle in angles:
        degrees = math.degrees(angle)
        short = round(degrees, 9)
        out.append(math.radians(short) + 0.0 if abs(degrees - short) < 1e-12 * max(1.0, abs(degrees)) else angle)
    return tuple(out)


def _vector(point: np.ndarray | None) -> tuple[float, float, float]:
    return (0.0, 0.0, 0.0) if point is None else tuple(float(v) + 0.0 for v in point)


_VIEW_UNITS = {"SEC": "SECOND", "MSEC": "MILLISECOND", "LBF": "POUND_FORCE", "LBM": "POUND_MASS", "POUND": "POUND_MASS", "KG": "KILOGRAM",
               "N": "NEWTON", "KN": "KILONEWTON", "MN": "MEGANEWTON", "M": "METER", "S": "SECOND", "G": "GRAM"}  # fmt: skip


def _unit_name(word: str, table: dict[str, float]) -> str | None:
    word = word.strip().strip("\"'").upper()
    word = _VIEW_UNITS.get(word, word)
    word = grammar._UNIT_NAMES.get(word, word)
    if word == "POUND_MASS" and table is FORCE:
        word = "POUND_FORCE"
    if word in table:
        return word
    found = [n for n in table if n.startswith(word)]
    return found[0] if len(found) == 1 and len(word) >= 2 else None

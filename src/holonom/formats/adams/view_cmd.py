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
from typing import Any

import numpy as np

from ...model import bodies
from ...model.base import Element, ModelError, ModelErrors, Source
from ...model.model import Model
from ...model.orientation import Frame, axes_from, euler313, to_euler313
from ...model.settings import FORCE, LENGTH, MASS, TIME, Units
from .arguments import ArgumentError, fault_of, suggestion
from .lexer import read_text, split_lines
from .view_elements import Command, Context, Elements, Group, tidy, unit_name
from .view_expression import Angle, Evaluator, Place, ViewError, as_text

MAX_COMMANDS = 100_000
_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$")
_PARAMETER = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_DOTTED = re.compile(r"(?<![\w.)])\.[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


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


# ---- lines to commands ---------------------------------------------------------------------------
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


# ---- the reader ----------------------------------------------------------------------------------
class _Reader(Elements):
    def __init__(self, path: str, lenient: bool) -> None:
        self.path = path
        self.lenient = lenient
        self.errors: list[str] = []
        self.skipped: dict[str, list[int]] = {}
        self.warnings: list[str] = []
        self.contexts: dict[str, Context] = {}
        self.current: Context | None = None
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
            raise ModelErrors(
                [
                    f"{self.path}:1: no command creates a model; begin with 'model create model_name = ...'",
                    *self.warnings,
                ]
            )
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
                    self.problem(
                        command.line,
                        "command",
                        f"more than {MAX_COMMANDS} commands were carried out; the rest is not read",
                    )
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
            except (
                TypeError,
                ValueError,
                KeyError,
                AttributeError,
                IndexError,
                OverflowError,
                RecursionError,
            ) as error:
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
        if (
            words[0] in ("part", "marker", "constraint", "force", "data_element", "contact", "floating_marker")
            and len(words) > 1
            and words[1] in ("create", "modify")
        ):
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
        if len(values) != 1 or isinstance(values[0], (str, Group)):
            raise ViewError(f"{name} takes one number, not {self.find(command, name)}")
        return float(values[0])

    def integer(self, command: Command, name: str) -> int | None:
        value = self.number(command, name)
        return None if value is None else int(value)

    def numbers(self, command: Command, name: str) -> tuple[float, ...] | None:
        values = self.values(command, name)
        if values is None:
            return None
        if any(isinstance(v, (str, Group)) for v in values):
            raise ViewError(f"{name} takes numbers, not {', '.join(self.find(command, name))[:60]}")
        return tuple(float(v) for v in values)

    def angles(self, command: Command, name: str) -> tuple[float, ...] | None:
        values = self.values(command, name)
        if values is None:
            return None
        if isinstance(values, Place):
            return tuple(values)
        factor = math.pi / 180 if self.degrees else 1.0
        if any(isinstance(v, (str, Group)) for v in values):
            raise ViewError(f"{name} takes angles, not {', '.join(self.find(command, name))[:60]}")
        return tuple(float(v) if isinstance(v, Angle) else float(v) * factor for v in values)

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
            return Group(name)
        head, _, tail = name.rpartition(".")
        element = self.object(head) if head else None
        if element is not None:
            value = getattr(element, tail.lower(), None)
            if tail.lower() in ("i", "j") and value:
                return Group(self.full_name(self.context(head).model.markers[value]))
            if isinstance(value, (int, float)):
                return value
        raise ViewError(f"there is no '{name}'")

    # ---- objects ---------------------------------------------------------------------------------
    def context(self, name: str = "") -> Context:
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

    def enter(self, context: Context, key: str, element: Element) -> None:
        context.objects.setdefault(key, element)
        context.objects[f"{element.KIND}:{key}"] = element

    def modify(self, command: Command, parameter: str, kind: str) -> Any:
        number = self.refer(command, parameter, kind, required=True)
        return self.context(self.text(command, parameter) or "").model.table(kind)[number]

    # ---- frames ----------------------------------------------------------------------------------
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
        return None if axes is None or np.allclose(axes, np.eye(3), atol=1e-14) else tidy(to_euler313(axes))

    # ---- functions in expressions ----------------------------------------------------------------
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

    # ---- runtime functions -----------------------------------------------------------------------
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

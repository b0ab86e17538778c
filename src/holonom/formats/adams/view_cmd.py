"""Adams View command files (.cmd): the commands that create model elements, to a `Model`.

Grammar: ``words of the command  parameter = value, value  parameter = value``; ``&`` at a line end continues, ``!``
begins a comment (outside of quotes and parentheses); words and parameters may be abbreviated.  ``if``/``for``/``while``
blocks are carried out.  Source: Adams View command language reference.  Positions and orientations are relative to
``relative_to`` or to the default coordinate system; names become ids, also inside functions.  Expressions that are not
in ``eval`` follow the variables, points and markers that are changed after them; what View works out by itself is in
`view_late`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...model.base import ModelError, ModelErrors
from ...model.model import Model
from ...model.parameters import parameters_of, record_whole
from .arguments import ArgumentError
from .lexer import read_text, split_lines
from .view_elements import Elements
from .view_expression import ViewError
from .view_session import Command, DesignVariable, Live

MAX_COMMANDS = 100_000
MAX_LIVE = 20_000
MAX_TURNS = 4
MAX_QUOTED = 1000  # lines of one text in quotes
#: characters of commands that loops may carry out beyond the file itself: what bounds the time of a file
MAX_REPEATED = 10_000_000
#: first words of commands on elements of the model
_ELEMENTS = ("part", "marker", "constraint", "force", "data_element", "contact", "floating_marker")
#: second words of commands on elements that change none
_SHOWN = ("attributes", "display", "renumber")
#: first words of the other commands of the reference: what they do is not a part of a model
_OTHER = (
    "analysis", "animation", "assembly", "callback", "check_messages", "clearance", "color", "colors", "command_server",
    "contour_plot", "default",
    "defaults", "display_attributes", "entity", "executive_control", "file", "function", "geometry", "graphic_results",
    "group", "hardcopy",
    "highlight", "hotspots", "interface", "language", "library", "list_info", "macro", "material", "mdi", "measure",
    "measure_display", "model",
    "move", "multi_run_analysis", "notes", "numeric_results", "optimize", "output_control", "panel", "plot3d",
    "plotcurve3d", "plugin", "point",
    "ptemplate", "report", "runtime_function", "section", "simulation", "submit", "ude", "undo", "variable", "view",
    "xy_plots",
)  # fmt: skip
#: shapes of `geometry create` that are drawn, or made of others, and are not shapes of the solver that is read here
_DRAWN = (
    "shape gcontact",
    "shape face",
    "shape solid",
    "shape nurb_surf",
    "shape picture",
    "shape csg",
    "shape note",
    "curve polyline",
    "curve bspline",
    "curve chain",
    "curve curve_trace",
    "curve ellipse",
    "curve nurb_curve",
    "curve point_trace",
    "point",
    "note",
    "feature",
)
#: commands whose elements come from elsewhere, and so are missing
_FROM_ELSEWHERE = (
    "file command read",
    "file adams_data_set read",
    "file adams_data_set merge",
    "file binary read",
    "file python read",
    "file enhanced_data_set read",
    "file romax read",
    "file stereo_lithography read",
    "file render read",
    "file wavefront read",
    "file testdata read",
    "model assemble",
    "model copy",
    "group objects delete",
    "group objects copy",
    "group objects rename",
    "assembly copy",
    "assembly delete",
    "assembly replace",
    "library copy",
)
_PARAMETER = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")


def read_cmd(path: str | os.PathLike, lenient: bool = False, *, parameters: bool = False) -> Model:
    """Read an Adams View command file.

    ``parameters``: design variables of the file become parameters of the model (`Model.parameters`) by the last word of
    their names: those that are set once, to one real number without an expression or a unit behind it.  Their range,
    absolute, relative or in percent of the value, gives the bounds.  With other values (`Model.with_parameters`,
    studies, gradients) the file is read anew, so that loops and expressions follow.

    Commands that create no model elements are skipped and listed in ``model.warnings``.  A command that cannot be
    carried out, such as a joint whose marker does not exist, is an error, as in datasets; with ``lenient`` it is a
    warning, the element is missing, and a file that creates no model gives an empty one.

    Raises `ModelErrors` with one line per command that cannot be carried out, unless ``lenient``, and `ModelError` when
    the file cannot be read.
    """
    return parse_cmd(read_text(path), str(path), lenient, parameters=parameters)


def parse_cmd(text: str, path: str = "commands", lenient: bool = False, *, parameters: bool = False) -> Model:
    """As `read_cmd`, for commands in memory."""
    reader = _Reader(path, lenient)
    model = reader.read(text)
    if parameters:
        _declare_variables(model, reader, text)
    return model


def _declare_variables(model: Model, reader: _Reader, text: str) -> None:
    """Parameters of a model for the design variables of its file."""
    source = ViewSource(text, reader.path, reader.lenient)
    keys = source.keys
    unfit = parameters_of(model).unfit
    for key, one in reader.design.items():
        name = re.sub(r"\W", "_", one.name.rsplit(".", 1)[-1], flags=re.ASCII)
        if reason := _why_unfit(one, key in reader.counters):
            unfit[name] = reason
            if one.low is not None:
                model.warn(f"{reader.path}: variable {one.name} has a range, but is no parameter: {reason}")
            continue
        if name in keys or not re.match(r"[A-Za-z_]", name):
            model.warn(
                f"{reader.path}: variable {one.name} does not become a parameter: another one is named {name}, or a "
                "name must begin with a letter; rename it"
            )
            continue
        keys[name] = key
        source.given[name] = one.line, one.value
        types = {"no_units": "", "angle": "deg" if reader.degrees else "rad"}
        types |= {what: getattr(model.units, what) for what in ("length", "mass", "force", "time")}
        model.parameter(name, one.value, bounds=(one.low, one.high), unit=types.get(one.unit, one.unit))

    for name in keys:
        unfit.pop(name, None)
    if keys:
        record_whole(model, source, keys)


def _why_unfit(one: DesignVariable, counts: bool) -> str:
    """Why a variable cannot be a parameter; nothing for one that can."""
    if counts:
        return "a loop counts with it; write its range in the loop"
    if one.times != 1:
        return f"the file sets it {one.times} times (line {one.line} is the last); set it once"
    if one.value is None:
        return (
            f"line {one.line} does not set it to one real number, but to an expression, a text or several numbers; "
            "vary the variables that it is computed from, or set it to a number"
        )
    return ""


@dataclass
class ViewSource:
    """A command file whose design variables are parameters of a model: ``text``; ``keys``: name of the parameter -> key
    of the variable; ``given``: name -> line of the command that sets it, and value there.  A call with values reads
    the file with these."""

    text: str
    path: str
    lenient: bool
    keys: dict[str, str] = field(default_factory=dict)
    given: dict[str, tuple[int, float]] = field(default_factory=dict)

    def __call__(self, values: Mapping[str, Any]) -> Model:
        again = _Reader(self.path, self.lenient)
        again.given = {self.keys[name]: value for name, value in values.items()}
        return again.read(self.text)


def abbreviates(words: list[str], known: str) -> bool:
    """Whether the words of a command are, or begin, those of a known one."""
    full = known.split()
    return len(words) >= len(full) and all(len(w) >= min(3, len(k)) and k.startswith(w) for w, k in zip(words, full))


def changes_elements(words: list[str]) -> bool:
    """Whether a command without a handler copies, merges, deletes, moves or takes back elements of a model."""
    if words[0] in ("move", "undo"):
        return words[:2] not in (["undo", "begin_block"], ["undo", "end_block"], ["undo", "flush"], ["undo", "set"])
    on = (*_ELEMENTS, "geometry", "entity", "point", "material", "ude", "model")
    return (
        words[0] in on
        and words[1:2]
        and words[1] in ("copy", "merge", "delete", "replace", "translate", "rotate")
        or words[:2] == ["entity", "modify"]
    )


# ---- lines to commands ---------------------------------------------------------------------------
def without_comment(line: str, quote: str = "") -> tuple[str, str]:
    """(line without its comment: ``!`` outside of quotes and parentheses, the quote that is open at its end); ``quote``
    is open at its begin."""
    depth, k = 0, 0
    while k < len(line):
        c = line[k]
        if quote:
            if c == "\\" and line[k + 1 : k + 2] == quote:
                k += 1
            elif c == quote:
                quote = ""
        elif c in "\"'":
            quote = c
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth = max(0, depth - 1)
        elif c == "!" and depth == 0:
            return line[:k], ""
        k += 1
    return line, quote


def logical_lines(text: str) -> list[tuple[int, str]]:
    """(line, text) of the commands, continuations joined; a text in quotes may run over lines, with or without
    ``&``."""
    out: list[tuple[int, str]] = []
    pieces: list[str] = []
    start = 0
    quote = ""
    raws = split_lines(text)
    last = max((n for n, raw in enumerate(raws) if '"' in raw), default=-1)
    begun = 0  # line of the open quote
    for number, raw in enumerate(raws, 1):
        if not quote and raw.lstrip().startswith("!"):
            continue
        before = quote
        code, quote = without_comment(raw, quote)
        if quote and not before:
            begun = number
        if quote and (quote == "'" or last < number or number - begun >= MAX_QUOTED):
            code, quote = raw, ""  # it is closed nowhere: an error of this command alone
        code = code.strip() if not before else code.rstrip()
        if not code and not before:
            if pieces and not raw.strip():
                out.append((start, " ".join(pieces)))
                pieces = []
            continue
        if not pieces:
            start = number
        if code.endswith("&"):
            code = code[:-1].rstrip() if not quote else code[:-1]
            _join(pieces, code, before)
            continue
        _join(pieces, code, before)
        if quote:
            continue
        out.append((start, " ".join(pieces)))
        pieces = []
    if pieces:
        out.append((start, " ".join(pieces)))
    return out


def _join(pieces: list[str], code: str, within: str) -> None:
    """Add a line to those of a command, to the last one where that ended inside of quotes."""
    if within and pieces:
        pieces.append(code.lstrip())
    else:
        pieces.append(code)


def _split(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Command keywords, and parameters with their comma separated values."""
    marks = []  # (start of name, name, start of value)
    depth, quote, k = 0, "", 0
    while k < len(text):
        c = text[k]
        if quote:
            if c == "\\" and text[k + 1 : k + 2] == quote:
                k += 1
            elif c == quote:
                quote = ""
        elif c in "\"'":
            quote = c
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
        elif (
            depth <= 0 and (c.isalpha() or c == "_") and (k == 0 or not (text[k - 1].isalnum() or text[k - 1] in "_.$"))
        ):
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
            quote = "" if c == quote and text[k - 1] != "\\" else quote
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
        super().__init__(path, lenient)
        self.count = 0
        self.spent = False
        self.owned: dict[tuple[str, str], list[Live]] = {}  # live commands by kind and name of their object
        self.fixed: list[
            tuple[int, str, dict[str, int]]
        ] = []  # commands that are not carried out again: line, words, variables
        self.counters: set[str] = set()  # variables of for: what is computed of them keeps its value
        self.known: dict[tuple[str, ...], list[tuple[str, ...]]] = {}  # commands by words met so far
        self.handlers: dict[tuple[str, ...], Callable[[Command], None]] = {
            tuple(name.split(" ")): handler for name, handler in self.command_handlers().items()
        }

    # ---- reading ------------------------------------------------------------------------------------------------
    def parse(self, text: str) -> Command:
        words, parameters = _split(text)
        return Command([w.lower() for w in words], parameters, 0, len(text))

    def read(self, text: str) -> Model:
        commands: list[Command] = []
        for line, code in logical_lines(text):
            try:
                words, parameters = _split(code)
            except ViewError as error:
                self.problem(line, code.split()[0] if code.split() else "command", str(error))
                continue
            if words or parameters:
                commands.append(Command([w.lower() for w in words], parameters, line, len(code)))
        self.left = len(text) + MAX_REPEATED
        self.run(self.blocks(commands))
        self.update()
        self.finish()
        self.resolve_functions()
        self.report_unread()
        for words, lines in self.skipped.items():
            shown = ", ".join(map(str, lines[:5])) + (", ..." if len(lines) > 5 else "")
            what = (
                "sets what is not read"
                if words.startswith(("executive_control set", "output_control set"))
                else "creates no model element"
            )
            self.warnings.append(f"{self.path}: '{words}' {what} and is ignored (line {shown})")
        if self.errors:
            raise ModelErrors(self.errors)
        if not self.contexts and self.lenient:
            model = Model(os.path.splitext(os.path.basename(self.path))[0], self.units)
            model.path = self.path
            for text in (f"{self.path}: no command creates a model; this one is empty", *self.warnings):
                model.warn(text)
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
        for text in self.warnings:
            model.warn(text)
        return model

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
            if not self.go_on(command):
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
                    while self.condition(command) and self.run(command.body) and self.go_on(command):
                        pass
                else:
                    self.command(command)
            except (ViewError, ModelError, ArgumentError) as error:
                self.problem(command.line, words[:60] or "command", str(error))
        return True

    def go_on(self, command: Command) -> bool:
        """Count a command, or a turn of a loop; false when the file has used up what it may."""
        self.count += 1
        self.left -= command.size
        if self.count <= MAX_COMMANDS and self.left >= 0:
            return True
        if not self.spent:
            self.spent = True
            what = f"{MAX_COMMANDS} commands" if self.left >= 0 else f"{MAX_REPEATED} characters of repeated commands"
            self.problem(command.line, "command", f"more than {what} were executed; the rest is not read")
        return False

    def condition(self, command: Command) -> bool:
        values = self.find(command, "condition")
        if not values:
            raise ViewError("condition is missing")
        return bool(self.evaluate(", ".join(values)))

    def branch(self, command: Command) -> bool:
        if self.condition(command):
            return self.run(command.body)
        for test, body in command.other:
            if test.words[0] != "else" and not self.go_on(test):
                return False
            if test.words[0] == "else" or self.condition(test):
                return self.run(body)
        return True

    def loop(self, command: Command) -> None:
        name = self.text(command, "variable_name")
        start = self.number(command, "start_value")
        end = self.number(command, "end_value")
        if not name or start is None or end is None:
            raise ViewError("a loop needs variable_name, start_value and end_value; it is ignored")
        step = self.number(command, "increment_value") or 1.0
        value = start
        turns = (end - start) / step + 1 + 1e-9
        for k in range(int(min(max(turns, 0), MAX_COMMANDS))):
            value = start + k * step
            self.counters.add(name.lower().lstrip("$"))
            self.keep(name, int(value) if value == int(value) else value)
            if not self.run(command.body) or not self.go_on(command):
                break

    def note_live(self, words: tuple[str, ...], command: Command) -> None:
        """Keep a command whose expressions follow variables, points and markers until the file is read."""
        name = next((self.text(command, k) or "" for k in command.parameters if k.endswith("name")), "")
        key = words[0], self.plain(name).lower().lstrip("$")
        for one in self.owned.get(key, ()):  # what is given anew follows its old expression no more
            for parameter in command.parameters:
                if not parameter.endswith("name"):
                    one.command.parameters.pop(parameter, None)
        if key in self.owned:
            self.owned[key] = [
                one
                for one in self.owned[key]
                if any(t.startswith("(") for v in one.command.parameters.values() for t in v)
            ]
        texts = [v for values in command.parameters.values() for v in values if v.startswith("(")]
        if (
            not texts
            or any("eval" in t.lower() for t in texts)
            or self.reads & self.counters
            or len(self.live) >= MAX_LIVE
        ):
            return
        if not self.reads and not any("." in t for t in texts):
            return
        reads = {variable: self.versions.get(variable, 0) for variable in self.reads}
        if words[0] == "variable":
            if key[1] in reads:
                return
        elif words[0] not in ("marker", "point", "geometry") and words[:3] not in (
            ("part", k, "rigid_body") for k in ("create", "modify")
        ):
            if words[0] not in ("material", "defaults", "ude") and reads and len(self.fixed) < MAX_LIVE:
                self.fixed.append((command.line, " ".join(words), reads))
            return
        kept = {
            k: v
            for k, v in command.parameters.items()
            if k.endswith("name") or "relative_to".startswith(k) or any(t.startswith("(") for t in v)
        }
        again = Command([*words], kept, command.line, command.size)
        if words[0] in ("marker", "geometry", "part") and "create" in words:
            again.words[words.index("create")] = "modify"
        names = (
            "current",
            "default_part",
            "default_frame",
            "degrees",
            "orientation_type",
            "axis_setting",
            "coordinates",
        )
        one = Live(again, reads, self.moved, {n: getattr(self, n) for n in names})
        self.live.append(one)
        self.owned.setdefault(key, []).append(one)

    def late(self, reads: dict[str, int]) -> str:
        """A variable that was set after it was read."""
        return next((name for name, version in reads.items() if self.versions.get(name, 0) != version), "")

    def update(self) -> None:
        """Carry changes of variables, points and markers through the expressions that were given before, until nothing
        moves any more."""
        for line, words, reads in self.fixed:
            if self.late(reads):
                self.warnings.append(
                    f"{self.path}:{line}: {words}: {self.late(reads)} is changed later; it keeps the value that it "
                    "had here"
                )
        if not any(one.moved != self.moved or self.late(one.reads) for one in self.live):
            return
        before = None
        for _ in range(MAX_TURNS):
            for one in self.live:
                handler = self.handlers.get(tuple(one.command.words))
                if handler is None or not self.go_on(one.command):
                    continue
                self.count -= 1  # it is no further command of the file
                for name, value in one.state.items():
                    setattr(self, name, value)
                try:
                    handler(
                        Command([*one.command.words], dict(one.command.parameters), one.command.line, one.command.size)
                    )
                except (ViewError, ModelError, ArgumentError) as error:
                    self.problem(one.command.line, " ".join(one.command.words)[:60], str(error))
            now = repr([(m.qp, m.reuler) for c in self.contexts.values() for m in c.model.markers.values()])
            if now == before:
                return
            before = now

    def meant(self, words: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Commands that the words name, or abbreviate; kept, since loops ask again."""
        if words in self.handlers:
            return [words]
        if words not in self.known:
            if len(self.known) > 5000:
                self.known.clear()
            found = (key for key in self.handlers if len(key) == len(words))
            self.known[words] = [key for key in found if all(k.startswith(w) for k, w in zip(key, words))]
        return self.known[words]

    def titles(self) -> list[str]:
        return [" ".join(k).upper() for k in self.handlers]

    @staticmethod
    def harmless(words: list[str]) -> bool:
        """Whether a command without a handler is one of Adams View that makes no element."""
        begins = lambda names: any(len(words[0]) >= min(3, len(n)) and n.startswith(words[0]) for n in names)
        if (
            begins(("geometry",))
            and words[1:2]
            and len(words[1]) >= 3
            and ("create".startswith(words[1]) or "modify".startswith(words[1]))
        ):
            return any(abbreviates(words[2:], known) for known in _DRAWN)
        if begins(_ELEMENTS):
            return len(words) > 1 and any(n.startswith(words[1]) for n in _SHOWN)
        if begins(("model",)) and words[1:2] == ["create"]:
            return False
        return begins(_OTHER)

    def command(self, command: Command) -> None:
        words = command.words
        if not words:
            raise ViewError("it has no command keywords")
        found = self.meant(tuple(words))
        if len(found) == 1:
            self.reads = set()
            self.handlers[found[0]](command)
            self.check_read(command, found[0])
            self.note_live(found[0], command)
            return
        if len(found) > 1:
            raise ViewError(f"it abbreviates {' and '.join(' '.join(k) for k in found[:3])}; write more letters")
        if words[0] in _ELEMENTS and words[1:2] and words[1] in ("create", "modify"):
            hint = self.hint(" ".join(words).upper(), [" ".join(k).upper() for k in self.handlers])
            raise ViewError(f"this kind of element is not read{hint.lower()}")
        if changes_elements(words):
            raise ViewError("it changes elements and is not read; write the elements as they are after it")
        for known in _FROM_ELSEWHERE:
            if abbreviates(words, known):
                raise ViewError("what it reads, copies or deletes is not done here; write the elements into this file")
        if not self.harmless(words):
            raise ViewError(
                f"unknown command{self.hint(' '.join(words[:3]).upper(), self.titles()).lower()}; it may be a macro or "
                "of a plugin: "
                "write what it does, or remove it"
            )
        self.skip(command)

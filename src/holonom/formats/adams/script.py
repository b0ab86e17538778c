"""Adams solver command files (.acf): a list of commands that simulate, switch elements and redefine statements.

Grammar: as datasets (see `lexer`), without a title.  A file may begin with the names of the dataset and of the output
files, bare, one per line, or with ``FILE/MODEL=...``.  Statements of a dataset repeated here (``VARIABLE/1001,
FUNCTION=...``) redefine the given arguments only.  Source: Adams Solver manual, "Commands".
"""

from __future__ import annotations

import dataclasses
import os
import re
from typing import Any

from ..._warnings import warn_model
from ...model.base import ModelError, ModelErrors
from ...model.commands import (
    Activate,
    Command,
    Linear,
    Load,
    Other,
    Redefine,
    Save,
    Script,
    Settings,
    Simulate,
    Stop,
    not_done,
)
from ...model.model import Model
from . import grammar
from .arguments import Arg, ArgumentError, Flag, Grammar, Scanner, resolve, suggestion
from .lexer import Statement, lex, read_text, split_lines, strip_comment
from .reader import arguments_as_text, read_values
from .writer import _arguments, _raw, real

SIMULATIONS = ("DYNAMICS", "STATICS", "KINEMATICS", "TRANSIENT", "INITIAL_CONDITIONS", "QUASISTATIC")
_SIMULATE = Grammar(
    (
        *(Flag(k, "kind", k) for k in SIMULATIONS),
        *(Flag(k, "level", k) for k in ("DISPLACEMENT", "VELOCITY", "ACCELERATION")),
        Arg("END", "real"),
        Arg("DURATION", "real"),
        Arg("DTOUT", "real"),
        Arg("STEPS", "int"),
        Arg("PATTERN", "words", choices=("T", "F", "TRUE", "FALSE")),
    ),
    {"D": "DYNAMICS", "DU": "DURATION", "ST": "STATICS", "INI": "INITIAL_CONDITIONS"},
)
_ACTIVE_KINDS = tuple(k for k, s in grammar.STATEMENTS.items() if s.element is not None) + tuple(grammar.FOREIGN)
_ACTIVATE = Grammar(
    (
        *(Flag(k, "kind", k) for k in _ACTIVE_KINDS),
        Arg("IDENTIFIERS", "ids", "ids", aliases=("ID",)),
        Arg("RANGE", "ids", "ranges", repeat=True),
    ),
    {"ID": "ID", "SPRING": "SPRINGDAMPER"},
)
_COMMANDS = (
    "ACTIVATE",
    "DEACTIVATE",
    "SIMULATE",
    "STOP",
    "FILE",
    "LINEAR",
    "SAVE",
    "RELOAD",
    "TIME",
    "CONTROL",
    "INFO",
    "HELP",
    "MENU",
    "SHOW",
    "RETURN",
    "SYSTEM",
)
_KEEP = ("TIME", "CONTROL", "INFO", "HELP", "MENU", "SHOW", "RETURN", "SYSTEM")
_WORDS = tuple(dict.fromkeys((*_COMMANDS, *grammar.STATEMENTS, *grammar.FOREIGN, *grammar.PREFERENCES)))
_SHORT = {
    **grammar.SHORT,
    "S": "SIMULATE",
    "SIM": "SIMULATE",
    "ACT": "ACTIVATE",
    "DEA": "DEACTIVATE",
    "LIN": "LINEAR",
    "SAV": "SAVE",
}
_LINEAR_KINDS = ("EIGENSOL", "STATEMAT", "MKB", "EXPORT")


def read_acf(path: str | os.PathLike, lenient: bool = False) -> Script:
    """Read a command file.

    Raises `ModelErrors` with one line per problem; ``lenient`` turns unknown commands into warnings. ``warnings`` of
    the script lists commands that are read but not carried out.
    """
    return parse_acf(read_text(path), str(path), lenient)


def parse_acf(text: str, path: str = "script", lenient: bool = False) -> Script:
    """As `read_acf`, for commands in memory."""
    errors: list[str] = []
    script = Script(path=path)
    lines = split_lines(text)
    commands: list[Command] = _bare_names(lines, path)
    _, statements = lex("\n".join(lines), path, errors, title=False)
    for statement in statements:
        try:
            command = _command(statement, errors, script.warnings, lenient)
        except ArgumentError as error:
            errors.append(statement.message(str(error), error.offset))
            continue
        if command is not None:
            commands.append(command)
    if errors:
        raise ModelErrors(errors)
    script.commands = tuple(commands)
    script.warnings += [text for command in commands if (text := not_done(command))]
    for text in script.warnings:
        warn_model(text)
    return script


def _bare_names(lines: list[str], path: str) -> list[Command]:
    """The dataset and output names at the top of a file; their lines are blanked.

    Adams takes the first line of a command file for a name whatever it says, so that ``crank`` is the dataset crank.adm
    and no CRANK statement.  A line with a keyword and a slash is a command all the same (``FILE/MODEL=...``,
    ``SIMULATE/...``), and so is a bare keyword behind which nothing follows (``STOP`` alone).
    """
    names: list[tuple[int, str]] = []
    last = max((k for k, line in enumerate(lines) if strip_comment(line)[0].strip()), default=-1)
    for k, line in enumerate(lines):
        code = strip_comment(line)[0].strip()
        if not code:
            continue
        if code[0] == "," or "=" in code or not re.fullmatch(r"[\w./\\:~ +-]+", code) or len(code) > 1000:
            break
        head = re.match(r"[A-Za-z_]\w*", code)
        dataset = code.lower().endswith((".adm", ".json"))
        if (
            head
            and not dataset
            and _is_command(head[0])
            and (re.match(r"\s*/", code[head.end() :]) or head.end() == len(code) and k == last)
        ):
            break
        if head and "/" in code and "." not in code and not head.end() == len(code):
            break  # an unknown KEY/...: an error, not a name
        names.append((k, code))
        lines[k] = ""
        if len(names) == 2:
            break
    if not names:
        return []
    return [Load(names[0][1], names[1][1] if len(names) > 1 else None, True, file=path, line=names[0][0] + 1)]


def _is_command(word: str) -> bool:
    try:
        return resolve(word, _WORDS, _SHORT) is not None
    except ArgumentError:  # it abbreviates several
        return True


def _command(statement: Statement, errors: list[str], warnings: list[str], lenient: bool) -> Command | None:
    where: dict[str, Any] = {"file": statement.file, "line": statement.line}
    word = statement.keyword
    keyword = resolve(word, _WORDS, _SHORT)
    if keyword is None:
        message = statement.message(f"unknown command{suggestion(word, _WORDS)}; correct the keyword")
        (warnings if lenient else errors).append(message)
        return None
    statement.keyword = keyword
    if keyword == "STOP":
        return Stop(**where)
    if keyword == "SIMULATE":
        return _simulate(statement, where)
    if keyword in ("ACTIVATE", "DEACTIVATE"):
        return _activate(statement, keyword == "ACTIVATE", where)
    if keyword == "FILE":
        options = arguments_as_text(statement, errors)
        named = {k[:3]: v for k, v in options}
        if "MOD" in named:
            for name, text in options:
                if name[:3] == "COM":
                    warnings.append(
                        statement.message(f"COMMAND = {text} is not executed; copy the commands of that file here")
                    )
                elif name[:3] not in ("MOD", "OUT"):
                    warnings.append(
                        statement.message(f"{name}{' = ' + text if text else ''} has no influence and is ignored")
                    )
            return Load(named["MOD"], named.get("OUT"), **where)
        return Other("FILE", options, **where)
    if keyword == "LINEAR":
        options = arguments_as_text(statement, errors)
        if not options or options[0][1]:
            raise ArgumentError(f"name the analysis first: one of {', '.join(_LINEAR_KINDS)}")
        kind = resolve(options[0][0], _LINEAR_KINDS)
        if kind is None:
            raise ArgumentError(
                f"'{options[0][0]}' is not one of {', '.join(_LINEAR_KINDS)}{suggestion(options[0][0], _LINEAR_KINDS)}"
            )
        return Linear(kind, options[1:], **where)
    if keyword in ("SAVE", "RELOAD"):
        return Save(arguments_as_text(statement, errors), keyword == "RELOAD", **where)
    if keyword in _KEEP or keyword in grammar.PREFERENCES:
        return Other(keyword, arguments_as_text(statement, errors), **where)
    if keyword in grammar.FOREIGN:
        return Other(
            f"{keyword}/{statement.id}" if statement.id else keyword, arguments_as_text(statement, errors), **where
        )
    table = grammar.STATEMENTS[keyword]
    body = statement.text.rstrip()
    if body[-4:].upper() == "LIST" and (len(body) == 4 or body[-5] in " ,\t\n"):  # lists the data, changes nothing
        statement.text = body[:-4].rstrip(" ,\t\n")
    if table.settings:
        return Settings(keyword, read_values(statement, table, errors, warnings, lenient, partial=True), **where)
    if not statement.id:
        raise ArgumentError(f"it has no id; write {keyword}/id")
    return Redefine(
        keyword, statement.id, read_values(statement, table, errors, warnings, lenient, partial=True), **where
    )


def _values(statement: Statement, table: Grammar) -> dict[str, Any]:
    scanner = Scanner(statement, table)
    values: dict[str, Any] = {}
    while True:
        found = scanner.next()
        if found is None:
            return values
        _, item, value, offset = found
        if isinstance(item, Arg) and item.repeat:
            values.setdefault(item.key, []).append(value)
            continue
        assert item is not None  # this grammar names all its arguments
        if item.key in values:
            raise ArgumentError(f"{item.name} is given twice, or excludes what is before it", offset)
        values[item.key] = value if isinstance(item, Arg) else item.value


def _simulate(statement: Statement, where: dict[str, Any]) -> Simulate:
    values = _values(statement, _SIMULATE)
    kind = values.pop("kind", None)
    level = values.get("level")
    if kind is None:
        kind = "INITIAL_CONDITIONS" if level else "TRANSIENT"
    grammar._pattern(values, True)
    end, duration = values.get("end"), values.get("duration")
    if end is not None and duration is not None:
        raise ArgumentError("END and DURATION are both given; use one of them")
    if duration is not None and not duration > 0:
        raise ArgumentError("DURATION must be positive")
    if end is not None and end < 0:
        raise ArgumentError("END must not be negative")
    if values.get("dtout") is not None and values.get("steps") is not None:
        raise ArgumentError("DTOUT and STEPS are both given; use one of them")
    if values.get("dtout") is not None and not values["dtout"] > 0:
        raise ArgumentError("DTOUT must be positive")
    if values.get("steps") is not None and values["steps"] < 1:
        raise ArgumentError("STEPS must be 1 or more")
    if kind == "STATICS" and (end is not None or duration is not None):
        kind = "QUASISTATIC"
    if kind in ("DYNAMICS", "KINEMATICS", "TRANSIENT", "QUASISTATIC") and end is None and duration is None:
        raise ArgumentError(f"{kind} needs an end: add END = time or DURATION = time")
    return Simulate(kind, **values, **where)


def _activate(statement: Statement, on: bool, where: dict[str, Any]) -> Activate:
    values = _values(statement, _ACTIVATE)
    if "kind" not in values:
        raise ArgumentError("name what to switch: JOINT, MOTION, SFORCE, CONTACT, ...")
    ranges = []
    for row in values.get("ranges", ()):
        if len(row) % 2:
            raise ArgumentError(f"RANGE takes pairs of ids, got {len(row)} numbers")
        for a, b in zip(row[::2], row[1::2]):
            if a > b:
                raise ArgumentError(f"RANGE = {a}, {b} is empty; write the smaller id first")
            ranges.append((a, b))
    return Activate(values["kind"], values.get("ids", ()), tuple(ranges), on, **where)


# ---- writing -------------------------------------------------------------------------------------
def write_acf(script: Script, path: str | os.PathLike | None = None) -> str:
    """The commands as text that can be read back to the same script, also written to ``path`` when given."""
    out: list[str] = []
    names = True  # nothing but names of a dataset and of outputs so far, as which a bare keyword would be read
    for command in script:
        lines = _lines(command)
        if names and isinstance(command, Stop):
            lines = ["STOP/"]
        names = names and _bare(command)
        out += (
            [line if line.endswith("&") else line + " &" for line in lines[:-1]] + lines[-1:]
            if not _bare(command)
            else lines
        )
    text = "\n".join(out) + "\n"
    if path is not None:
        with open(path, "w", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
    return text


def _bare(command: Command) -> bool:
    return isinstance(command, Load) and command.bare


def _joined(head: str, lines: list[str]) -> list[str]:
    """``HEAD/, A = 1, B = 2`` as the first line and its continuations (each ends with & as Adams View writes them)."""
    if not lines:
        return [head]
    if len(lines) <= 4 and sum(map(len, lines)) < 70 and not any(line.endswith("\\") for line in lines):
        text = "".join(lines)
        return [head + (text[2:] if head.endswith("/") else text)]
    if head.endswith("/"):
        lines = [lines[0][2:], *lines[1:]]
        return [head + lines[0], *lines[1:]]
    return [head, *lines]


def _options(options: tuple[tuple[str, str], ...]) -> list[str]:
    return [line for name, text in options for line in _raw(name, text)]


def _lines(command: Command) -> list[str]:
    match command:
        case Load(dataset=dataset, output=output, bare=True):
            return [dataset, *([output] if output else [])]
        case Load(dataset=dataset, output=output):
            return [f"FILE/MODEL={dataset}" + (f", OUTPUT={output}" if output else "")]
        case Stop():
            return ["STOP"]
        case Simulate():
            words = ["STATICS" if command.kind == "QUASISTATIC" and (command.end or command.duration) else command.kind]
            if command.level:
                words.append(command.level)
            for name in ("end", "duration", "dtout"):
                if getattr(command, name) is not None:
                    words.append(f"{name.upper()}={real(getattr(command, name))}")
            if command.steps is not None:
                words.append(f"STEPS={command.steps}")
            if command.pattern:
                words.append("PATTERN=" + ":".join("T" if p else "F" for p in command.pattern))
            return ["SIMULATE/" + ", ".join(words)]
        case Activate():
            words = [command.kind]
            if command.ids:
                words.append("ID=" + ", ".join(map(str, command.ids)))
            words += [f"RANGE={a}, {b}" for a, b in command.ranges]
            return [("ACTIVATE/" if command.on else "DEACTIVATE/") + ", ".join(words)]
        case Linear():
            return _joined("LINEAR/" + command.kind, _options(command.options))
        case Save():
            return _joined("RELOAD/" if command.reload else "SAVE/", _options(command.options))
        case Other():
            slash = "" if "/" in command.keyword else "/"
            return _joined(command.keyword + slash, _options(command.options))
        case Settings(statement="ACCGRAV"):
            return _joined("ACCGRAV/", [f", {k.upper()} = {real(v)}" for k, v in command.fields.items()])
        case Settings():
            target = getattr(Model(ground=False), grammar.STATEMENTS[command.statement].settings)
            fields = {name: value for name, value in command.fields.items() if name != "default"}
            first = [", DEFAULT"] if "default" in command.fields else []
            return _joined(f"{command.statement}/", first + _partial(target, command.statement, fields))
        case Redefine():
            kind = grammar.STATEMENTS[command.kind].element
            assert kind is not None  # only elements are redefined
            target = kind(id=command.id)
            return _joined(f"{command.kind}/{command.id}", _partial(target, command.kind, command.fields))
    raise ModelError(f"{type(command).__name__} is not a command of a script")


def _partial(target: Any, keyword: str, fields: dict[str, Any]) -> list[str]:
    known = {f.name for f in dataclasses.fields(target)}
    for name, value in fields.items():
        if name not in known:
            raise ModelError(f"{keyword}: there is no field '{name}'; choose one of {', '.join(sorted(known))}")
        setattr(target, name, value)
    return _arguments(target, grammar.STATEMENTS[keyword], {}, only=set(fields))

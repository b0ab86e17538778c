"""Commands of a simulation script, as plain data: simulate, change settings, switch elements, redefine them, save,
stop.

A file format reads them (`formats.adams.script`), `analyses.session.script` carries them out.  Vocabulary and defaults
are those of the Adams Solver manual, "Commands".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .base import ELEMENT_TYPES, Element, ModelError
from .model import Model

#: statement of settings -> attribute of the model that holds them
SETTINGS = {"INTEGRATOR": "integrator", "EQUILIBRIUM": "equilibrium", "KINEMATICS": "kinematics", "IC": "initial"}


@dataclass(frozen=True)
class Command:
    """Base of all commands: where it was written."""

    file: str = field(default="", kw_only=True, compare=False)
    line: int = field(default=0, kw_only=True, compare=False)

    @property
    def where(self) -> str:
        """``x.acf:12: `` for messages, or nothing."""
        return f"{self.file}:{self.line}: " if self.file else ""


@dataclass(frozen=True)
class Load(Command):
    """FILE/MODEL=dataset, or the bare names at the top: the dataset and the name of the output files."""

    dataset: str
    output: str | None = None
    bare: bool = False


@dataclass(frozen=True)
class Simulate(Command):
    """SIMULATE: ``kind`` DYNAMICS KINEMATICS TRANSIENT STATICS QUASISTATIC (statics with an end) INITIAL_CONDITIONS.

    Runs to time ``end`` or for ``duration``, output every ``dtout`` or in ``steps`` equal steps.  ``level``
    DISPLACEMENT, VELOCITY or ACCELERATION limits initial conditions.
    """

    kind: str
    end: float | None = None
    duration: float | None = None
    dtout: float | None = None
    steps: int | None = None
    level: str | None = None
    pattern: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class Settings(Command):
    """INTEGRATOR, EQUILIBRIUM, KINEMATICS, IC, ACCGRAV, UNITS: ``fields`` of the settings to change; the field
    ``default`` puts all others back first (DEFAULT)."""

    statement: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Activate(Command):
    """ACTIVATE (``on``) or DEACTIVATE of elements of one ``kind``, by ids and ranges of ids (ends included);
    none: all.
    """

    kind: str
    ids: tuple[int, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    on: bool = True

    def covers(self, number: int) -> bool:
        if not self.ids and not self.ranges:
            return True
        return number in self.ids or any(a <= number <= b for a, b in self.ranges)


@dataclass(frozen=True)
class Redefine(Command):
    """A dataset statement given again: ``fields`` of element ``kind``/``id`` that change."""

    kind: str
    id: int
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Linear(Command):
    """LINEAR: ``kind`` EIGENSOL STATEMAT MKB EXPORT; ``options`` the other arguments as (NAME, text)."""

    kind: str
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Save(Command):
    """SAVE/SYSTEM, FILE=..., or RELOAD/SYSTEM (``reload``)."""

    options: tuple[tuple[str, str], ...] = ()
    reload: bool = False


@dataclass(frozen=True)
class Other(Command):
    """Commands that no analysis checks: OUTPUT and RESULTS (which files are written), PREFERENCES, DEBUG, TIME, INFO,
    CONTROL, FILE, ...; `not_done` states which of them leave something out."""

    keyword: str
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Stop(Command):
    """STOP: end of the session."""


@dataclass
class Script:
    """Commands in order; ``warnings``: what a lenient reading did not know, and what is not carried out."""

    commands: tuple[Command, ...] = ()
    path: str | None = None
    warnings: list[str] = field(default_factory=list)

    def __iter__(self):
        return iter(self.commands)

    def __len__(self) -> int:
        return len(self.commands)


#: commands that only request information or set how the solver shows things
SHOWN = ("TIME", "INFO", "HELP", "MENU", "SHOW", "RETURN", "DEBUG", "LSOLVER", "ENVIRONMENT", "LIST", "LANGUAGE")
#: commands whose arguments join the model's own preferences
PREFERRED = ("OUTPUT", "RESULTS", "PREFERENCES")


#: fields of elements that keep, as pairs of name and text, arguments without a field of their own
PAIRS = ("extra", "arguments")


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return value if isinstance(value, tuple) else ()


def not_done(command: Command) -> str:
    """What a run leaves out that a command requests, in one sentence; empty where nothing is missing."""
    if isinstance(command, Linear) and command.kind == "EXPORT":
        return (
            f"{command.where}LINEAR/EXPORT (a bulk data deck for Nastran) is not supported in this version; use "
            "LINEAR/MKB or STATEMAT"
        )
    if isinstance(command, Save):
        known = ("FILE", "BUFFER", "STATES", "SYSTEM", *(("OUTPUT_PREFIX",) if command.reload else ()))
        more = [name for name, _ in command.options if not any(word.startswith(name.upper()) for word in known)]
        return (
            f"{command.where}{'RELOAD' if command.reload else 'SAVE'}: {', '.join(more)} has no influence"
            if more
            else ""
        )
    if isinstance(command, Simulate):
        timed = {name: getattr(command, name) for name in ("end", "duration", "dtout", "steps")}
        if command.kind not in ("INITIAL_CONDITIONS", "STATICS"):
            timed = {}
        idle = [name.upper() for name, value in timed.items() if value is not None]
        if command.level and command.kind != "INITIAL_CONDITIONS":
            idle.append(command.level)
        if command.pattern and command.kind not in ("DYNAMICS", "TRANSIENT"):
            idle.append("PATTERN")
        if idle:
            return (
                f"{command.where}SIMULATE: {', '.join(idle)} {'has' if len(idle) == 1 else 'have'} no influence on "
                f"{command.kind}"
            )
        if command.level in ("DISPLACEMENT", "VELOCITY"):
            return (
                f"{command.where}SIMULATE: {command.level} alone is not computed; velocities and accelerations are "
                "found with it"
            )
    if isinstance(command, Redefine):
        more = [
            f"{name} = {text}" if text else name for field in PAIRS for name, text in _pairs(command.fields.get(field))
        ]
        return (
            f"{command.where}{command.kind}/{command.id}: {', '.join(more)} is kept, but has no influence"
            if more
            else ""
        )
    if not isinstance(command, Other):
        return ""
    word = command.keyword.split("/")[0]
    if word in SHOWN or word in PREFERRED:
        return ""
    if word == "CONTROL":
        return (
            f"{command.where}CONTROL hands the simulation to a routine (CONSUB), which is not called: what it would "
            "simulate or change is left out"
        )
    if word == "SYSTEM":
        return f"{command.where}SYSTEM: commands for the operating system are not executed"
    if word == "FILE":
        names = ", ".join(f"{name}={text}" for name, text in command.options)
        return f"{command.where}FILE/{names} is not executed; copy the commands of that file here"
    return f"{command.where}{command.keyword} is not part of what is computed, so the command changes nothing"


def covered(command: Activate, model: Model) -> list[Element]:
    """Elements that an (de)activation means.  Raises `ModelError` on unknown ids."""
    table = model.table(command.kind) if command.kind in ELEMENT_TYPES else {}
    missing = [n for n in command.ids if n not in table]
    if missing:
        raise ModelError(f"{command.where}there is no {command.kind}/{missing[0]} to switch; correct the id")
    return [e for n, e in table.items() if command.covers(n)]


def apply(command: Settings | Activate | Redefine, model: Model) -> list[Element]:
    """Carry out a command that changes the model; the elements that it touched.  Raises `ModelError` on unknown ids."""
    where = command.where
    if isinstance(command, Settings):
        if command.statement == "ACCGRAV":
            model.gravity = tuple(command.fields.get(n, g) for n, g in zip(("igrav", "jgrav", "kgrav"), model.gravity))
        elif command.statement in SETTINGS:
            name = SETTINGS[command.statement]
            if command.fields.get("default"):
                setattr(model, name, type(getattr(model, name))())
            target = getattr(model, name)
            for name, value in command.fields.items():
                if name == "default":
                    continue
                if name == "extra":  # what was reported before of the same arguments is replaced
                    value = tuple({**dict(getattr(target, name)), **dict(value)}.items())
                setattr(target, name, value)
        else:
            raise ModelError(f"{where}{command.statement} cannot change during a simulation; set it in the dataset")
        return []
    table = model.table(command.kind) if command.kind in ELEMENT_TYPES else {}
    if isinstance(command, Activate):
        touched = covered(command, model)
        for element in touched:
            element.active = command.on
        return touched
    if command.id not in table:
        raise ModelError(f"{where}there is no {command.kind}/{command.id} to redefine; correct the id")
    element = table[command.id]
    for name, value in command.fields.items():
        if isinstance(value, dict):
            value = {**getattr(element, name), **value}
        elif name in PAIRS:
            value = tuple({**dict(getattr(element, name)), **dict(value)}.items())
        setattr(element, name, value)
    return [element]

"""A model that is edited: each edit is a command of plain data that can be undone, kept on disk, and written as a line
of Python.

Commands are tables that JSON holds (``{"do": "set", "kind": "MOTION", "id": 2, "field": "function", "value":
"TIME"}``); nothing in them is ever evaluated. Elements are replaced, not changed, by an edit, so that what an edit has
touched is found by identity and an undo puts back the very objects.
"""

from __future__ import annotations

import copy
import hashlib
import math
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._summary import counted
from ..model import Model, ModelError
from ..model.base import ELEMENT_TYPES, Element, ModelErrors, did_you_mean, shown
from ..model.kinds import misfit
from ..model.model import SETTINGS, _tuples
from ..model.validate import faults_of
from .creation import CREATE, FIELDS, build, line, typed
from .forms import is_angle, wanted_number
from .project import MAX_KEPT_BYTES, digest_of, read_kept, write_whole
from .terms import term, unit_of

if TYPE_CHECKING:
    from ..model.base import Element

FORMAT = "holonom-studio-1"
MODEL_FIELDS = ("name", "title", "gravity")
MAX_MOVED = 10_000
MAX_SEVERAL = 1000
#: fields of every element that are not set one by one
FIXED = ("id", "source", "name")
MAX_NAME = 200  # characters
#: controls of the direction of writing: with them a name reads as another one
DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_names(command: dict[str, Any]) -> None:
    """Raise ModelError for a command that gives an element a name which is too long or has controls of direction."""
    arguments = command.get("arguments")
    for name in (command.get("name"), arguments.get("name") if isinstance(arguments, dict) else None):
        if not isinstance(name, str):
            continue
        if len(name) > MAX_NAME:
            raise ModelError(f"the name {shown(name)} has {len(name)} characters; give at most {MAX_NAME}")
        if hidden := DIRECTIONS.intersection(name):
            clean = "".join(c for c in name if c not in DIRECTIONS)
            raise ModelError(
                f"the name {shown(clean)} contains control characters of the writing direction "
                f"(U+{ord(min(hidden)):04X}); remove them"
            )


@dataclass
class Step:
    """One edit that was done: the command, its words, and what it replaced, element by element and table by table."""

    command: dict[str, Any]
    words: str
    before: dict[str, dict[int, Element | None]] = field(default_factory=dict)
    after: dict[str, dict[int, Element | None]] = field(default_factory=dict)
    order: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    values: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    highest: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))
    made: list[tuple[str, int]] = field(default_factory=list)
    script: str = ""

    @property
    def touched(self) -> set[tuple[str, int]]:
        """(kind, id) of all elements that it changes, adds or takes out."""
        return {(kind, number) for kind, rows in self.after.items() for number in rows}


class Document:
    """The open model: ``model``, the edits so far (``steps``, of which ``position`` are in force), and the file
    from which it came.

    ``base``: that file (None: a new model), ``mark``: how many steps the file holds already. Raises ModelError where
    the model refuses an edit; the model is then unchanged.
    """

    def __init__(self, model: Model, base: Path | None = None, digest: str = "") -> None:
        self.model = model
        self.base, self.digest = base, digest
        self.home = Path.cwd()  # folder of a model without a file
        self.units = dict(vars(model.units))
        self.first_name = model.name
        self.first_gravity = model.gravity
        self.unread: tuple[str, ...] = ()  # errors of the file: what they name is not in the model
        self.steps: list[Step] = []
        self.position = 0
        self.mark = 0
        self.version = 0

    # ---- files ------------------------------------------------------------------------------------------------------
    @classmethod
    def new(cls, name: str = "model", units: Any = "SI", gravity: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Document:
        """An empty model with a ground; ``units`` as in `Model`, ``gravity`` in these units.  Raises ModelError."""
        model = Model(name, units)
        model.gravity = gravity  # type: ignore[assignment]
        return cls(model)

    @classmethod
    def open(cls, path: Path) -> Document:
        """A model from a .adm, .json or .cmd file or a robot file.  Raises ModelError for what is none."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ModelError(f"{path.name}: {error.strerror or error}") from None
        faults: tuple[str, ...] = ()
        try:
            model = read(path)
        except ModelErrors as error:
            if error.partial is None:
                raise
            model, faults = error.partial, error.errors
        document = cls(model, path, hashlib.sha256(data).hexdigest())
        document.unread = faults
        return document

    @property
    def folder(self) -> Path:
        """Below which files lie that the model is made of."""
        return (self.base.parent if self.base else self.home).resolve()

    @property
    def changed(self) -> bool:
        """Whether something has been done that the file does not hold."""
        return self.position != self.mark

    def save(self, path: Path) -> None:
        """Write the model as .json or .adm (whole or not at all); the file is then the base of scripts and of what is
        kept against a crash."""
        text = self.text(path)
        data = text.encode("utf-8")
        try:
            write_whole(path, data)
        except OSError as error:
            raise ModelError(f"{path.name} cannot be written: {error.strerror or error}") from None
        self.unread = ()
        self.base, self.digest, self.mark = path, hashlib.sha256(data).hexdigest(), self.position
        self.model.path = str(path)
        self.model._highest = {kind: max(table, default=0) for kind, table in self.model._tables.items()}

    def text(self, path: Path) -> str:
        """What `save` writes to a file of this ending.  Raises ModelError for other endings."""
        ending = path.suffix.lower()
        if ending == ".json":
            return self.model.to_json()
        if ending == ".adm":
            from ..formats.adams import write_adm

            return write_adm(self.model)
        raise ModelError(f"{path.name}: models are written as .json or .adm; give a name with one of these endings")

    # ---- edits ------------------------------------------------------------------------------------------------------
    def do(self, command: dict[str, Any]) -> Step:
        """Carry out a command; steps that were undone are forgotten.  Raises ModelError, and changes nothing, where the
        model refuses it."""
        if not isinstance(command, dict) or command.get("do") not in self._actions:
            raise ModelError(f"a command is {shown(command)}; its 'do' must be one of {', '.join(self._actions)}")
        check_names(command)
        model = self.model
        tables = {kind: dict(table) for kind, table in model._tables.items()}
        names = {kind: dict(table) for kind, table in model._names.items()}
        values = {name: copy.deepcopy(getattr(model, name)) for name in (*MODEL_FIELDS, *SETTINGS)}
        highest = dict(model._highest)
        step = Step(command, "")
        try:
            step.words, step.script = self._actions[command["do"]](self, command)
            for kind, table in model._tables.items():
                old = tables.get(kind, {})
                changed = [n for n in {**old, **table} if old.get(n) is not table.get(n)]
                if changed:
                    step.before[kind] = {n: old.get(n) for n in changed}
                    step.after[kind] = {n: table.get(n) for n in changed}
                    step.made += [(kind, n) for n in changed if n not in old]
                    if list(old) != list(table):
                        step.order[kind] = (list(old), list(table))
        except Exception as error:
            model._tables, model._names, model._highest = tables, names, highest
            for name, value in values.items():
                setattr(model, name, value)
            if isinstance(error, (ModelError, TypeError, ValueError, KeyError, OverflowError)):
                raise (
                    error if isinstance(error, ModelError) else ModelError(f"the command is not understood: {error}")
                ) from None
            raise
        step.values = {n: (v, copy.deepcopy(getattr(model, n))) for n, v in values.items() if v != getattr(model, n)}
        step.highest = (highest, dict(model._highest))
        if self.mark > self.position:
            self.mark = -1  # what the file holds can no longer be reached
        del self.steps[self.position :]
        self.steps.append(step)
        self.position += 1
        self.version += 1
        return step

    def undo(self) -> Step | None:
        """Take the last step back; None where there is none."""
        if not self.position:
            return None
        self.position -= 1
        step = self.steps[self.position]
        self._put(step, step.before, 0)
        return step

    def redo(self) -> Step | None:
        """Do the step again that was undone last; None where there is none."""
        if self.position == len(self.steps):
            return None
        step = self.steps[self.position]
        self.position += 1
        self._put(step, step.after, 1)
        return step

    def _put(self, step: Step, rows: dict[str, dict[int, Element | None]], side: int) -> None:
        model = self.model
        for kind, changed in rows.items():
            table = model.table(kind)
            for number, element in changed.items():
                if element is None:
                    table.pop(number, None)
                else:
                    table[number] = element
            if kind in step.order:
                order = step.order[kind][side]
                model._tables[kind] = {n: table[n] for n in order}
            model._name_anew(kind)
        for name, pair in step.values.items():
            setattr(model, name, copy.deepcopy(pair[side]))
        model._highest = dict(step.highest[side])
        self.version += 1

    def element(self, kind: Any, number: Any) -> Element:
        """An element by kind and id.  Raises ModelError where there is none."""
        if not isinstance(kind, str) or kind not in ELEMENT_TYPES:
            raise ModelError(f"unknown kind of element {shown(kind)}")
        if not isinstance(number, int) or number not in self.model.table(kind):
            raise ModelError(
                f"there is no {kind}/{shown(number)} in model '{self.model.name}'; it may have been removed"
            )
        return self.model.table(kind)[number]

    def _own(self, kind: Any, number: Any) -> Any:
        """An element that may be changed: a copy in the place of the one that earlier steps know."""
        element = self.element(kind, number)
        twin = copy.copy(element)
        self.model.table(kind)[number] = twin
        return twin

    def tried(self, kind: Any, number: Any, name: Any, raw: Any) -> list[str]:
        """What the model would say if a field had a value, of that element alone; nothing is changed."""
        element = self.element(kind, number)
        twin = copy.copy(element)
        try:
            value = self._coerced(twin, name, raw)
            wrong = self._unfit(element, name, value)
            if wrong:
                return [wrong]
            setattr(twin, name, value)
            table = self.model.table(kind)
            table[number] = twin
            try:
                return [*texts_wrong(twin, name), *faults_of(self.model, twin), *shape_wrong(self.model, twin)]
            finally:
                table[number] = element
        except ModelError as error:
            return [str(error)]

    def _coerced(self, element: Any, name: Any, raw: Any) -> Any:
        """`coerced` for a field of this element: in its unit, and of a table what is given in place of what it has."""
        cls = type(element)
        if not isinstance(name, str):
            return coerced(cls, name, raw)
        old, raw = getattr(element, name, None), _tuples(raw)
        if isinstance(old, dict) and isinstance(raw, dict) and name in getattr(cls, "__dataclass_fields__", {}):
            free = typing.get_type_hints(cls)[name] == dict[str, Any]
            raw = {**old, **{k: like(old[k], v, str(k)) if free and k in old else v for k, v in raw.items()}}
        unit = unit_of(self.model, element.KIND, name, element)
        return coerced(cls, name, raw, not unit or is_angle(unit))

    def _unfit(self, element: Any, name: str, value: Any) -> str:
        """What is wrong with the type of a value for a field, by the label of the field; empty: nothing."""
        words = misfit(type(element), name, value)
        if not words:
            return ""
        label = term(element.KIND, name)["label"] or name.upper()
        texts = [v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, str)]
        if texts and words.startswith("a number"):
            unit = unit_of(self.model, element.KIND, name, element)
            return f"{label} is {shown(texts[0])}; {wanted_number(texts[0], unit)}"
        return f"{label} is {shown(value)}; give {words}"

    def _set(self, command: dict[str, Any]) -> tuple[str, str]:
        name = command.get("field")
        words, text, values = self._put_in(command, {name: command.get("value")})
        command["value"] = values[name]
        return words, text

    def _fields(self, command: dict[str, Any]) -> tuple[str, str]:
        """Several fields that only fit together, as x and y of a table."""
        given = command.get("values")
        if not isinstance(given, dict) or not given:
            raise ModelError(f"the values are {shown(given)}; give a table of fields")
        words, text, command["values"] = self._put_in(command, given)
        return words, text

    def _put_in(self, command: dict[str, Any], given: dict[Any, Any]) -> tuple[str, str, dict[Any, Any]]:
        """Give fields of an element values, all or none; words, lines of Python, and the values as the model holds
        them."""
        old = self.element(command.get("kind"), command.get("id"))
        element = self._own(command.get("kind"), command.get("id"))
        values = {name: self._coerced(old, name, raw) for name, raw in given.items()}
        wrong = [text for n, v in values.items() if (text := self._unfit(element, n, v))]
        if not wrong:
            said = lambda e: [
                *(text for name in values for text in texts_wrong(e, name)),
                *faults_of(self.model, e),
                *shape_wrong(self.model, e),
            ]
            before = set(said(old))  # a model with several faults is fixed one by one
            for name, value in values.items():
                setattr(element, name, value)
            wrong = [text for text in said(element) if text not in before]
        if wrong:
            raise ModelError(f"{element.label}: {wrong[0]}")
        found = line(self.model, element)
        texts = [f"{found}.{name} = {value!r}" for name, value in values.items()]
        return f"{', '.join(values)} of {element.KIND}/{element.id} '{element.name}'", "\n".join(texts), values

    def _rename(self, command: dict[str, Any]) -> tuple[str, str]:
        element = self._own(command.get("kind"), command.get("id"))
        text = line(self.model, element)
        self.model.rename(element, command.get("name"))  # type: ignore[arg-type]
        return f"name of {element.KIND}/{element.id}", f"model.rename({text}, {element.name!r})"

    def _remove(self, command: dict[str, Any]) -> tuple[str, str]:
        element = self.element(command.get("kind"), command.get("id"))
        text = line(self.model, element)
        gone = self.model.remove(element, with_users=True)
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        return f"remove {element.KIND}/{element.id} '{element.name}'{more}", f"model.remove({text}, with_users=True)"

    def _move(self, command: dict[str, Any]) -> tuple[str, str]:
        """Parts, point masses and markers by one turn about one point and one way; ``items``: [kind, id] of each."""
        items = command.get("items")
        if not isinstance(items, (list, tuple)) or not items or len(items) > MAX_MOVED:
            raise ModelError(f"what is moved is {shown(items)}; give a list of 1 to {MAX_MOVED} elements")
        given = {n: _three(command[n], n) for n in ("by", "turn", "about") if command.get(n) is not None}
        if len(items) > 1 and given.get("turn", (0.0, 0.0, 0.0)) != (0.0, 0.0, 0.0) and "about" not in given:
            raise ModelError("several elements turn about one point; give 'about'")
        texts, moved = [], []
        for item in items:
            if not isinstance(item, (list, tuple)) or len(item) != 2:
                raise ModelError(f"an element is {shown(item)}; give its kind and its id")
            moved.append(self.model.move(self._own(*item), **given))
            texts.append(
                f"model.move({line(self.model, moved[-1])}, {', '.join(f'{n}={v!r}' for n, v in given.items())})"
            )
        first = moved[0]
        more = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
        return f"move {first.KIND}/{first.id} '{first.name}'{more}", "\n".join(texts)

    def _duplicate(self, command: dict[str, Any]) -> tuple[str, str]:
        return self._made_of(command, "duplicate", ("by", "turn", "about"))

    def _mirror(self, command: dict[str, Any]) -> tuple[str, str]:
        return self._made_of(command, "mirror", ("at", "normal"))

    def _made_of(self, command: dict[str, Any], method: str, words: tuple[str, ...]) -> tuple[str, str]:
        """A second element made of one that is there, by a method of `Placement`."""
        element = self.element(command.get("kind"), command.get("id"))
        given: dict[str, Any] = {n: _three(command[n], n) for n in words if command.get(n) is not None}
        name = command.get("name")
        if name not in (None, ""):
            if not isinstance(name, str):
                raise ModelError(f"a name is a text, not {shown(name)}")
            given["name"] = name
        text = f"model.{method}({', '.join([line(self.model, element), *(f'{n}={v!r}' for n, v in given.items())])})"
        made = getattr(self.model, method)(element, **given)
        return f"{method} {element.KIND}/{element.id} '{element.name}' as {made.KIND}/{made.id} '{made.name}'", text

    def _create(self, command: dict[str, Any]) -> tuple[str, str]:
        method, arguments = command.get("method"), command.get("arguments")
        if method not in CREATE or not isinstance(arguments, dict):
            raise ModelError(f"{shown(method)} cannot be created here{did_you_mean(method, CREATE)}")
        script, element = build(self.model, method, arguments, self._own, self.folder)
        return f"create {element.KIND}/{element.id} '{element.name}'", script

    def _add(self, command: dict[str, Any]) -> tuple[str, str]:
        """An element of one of `creation.FIELDS` by its fields."""
        kind, name, given = command.get("kind"), command.get("name") or "", command.get("values")
        if not isinstance(kind, str) or kind not in FIELDS or not isinstance(given, dict):
            raise ModelError(f"{shown(kind)} cannot be created from its fields{did_you_mean(str(kind), FIELDS)}")
        turns = {n: not (unit := unit_of(self.model, kind, n)) or is_angle(unit) for n in given if isinstance(n, str)}
        values = {n: coerced(ELEMENT_TYPES[kind], n, raw, turns.get(n, False)) for n, raw in given.items()}
        element = self.model.element(kind, name, **values)
        wrong = [*(text for n in values for text in texts_wrong(element, n)), *faults_of(self.model, element)]
        if wrong:
            raise ModelError(f"{element.label}: {wrong[0]}")
        command["values"] = values
        texts = [repr(kind), repr(element.name), *(f"{n}={v!r}" for n, v in values.items())]
        return f"create {kind}/{element.id} '{element.name}'", f"model.element({', '.join(texts)})"

    def _several(self, command: dict[str, Any]) -> tuple[str, str]:
        """Commands as one step, all of them or none."""
        inner = command.get("commands")
        if not isinstance(inner, (list, tuple)) or not 0 < len(inner) <= MAX_SEVERAL:
            raise ModelError(f"the commands are {shown(inner)}; give a list of 1 to {MAX_SEVERAL} commands")
        done = []
        for one in inner:
            if not isinstance(one, dict) or one.get("do") == "several" or one.get("do") not in self._actions:
                raise ModelError(f"a command is {shown(one)}; its 'do' must be one of {', '.join(self._actions)}")
            check_names(one)
            done.append(self._actions[one["do"]](self, one))
        more = f" and {len(done) - 1} more" if len(done) > 1 else ""
        return f"{done[0][0]}{more}", "\n".join(text for _, text in done)

    def _model(self, command: dict[str, Any]) -> tuple[str, str]:
        name, value = command.get("field"), command.get("value")
        if name not in MODEL_FIELDS:
            raise ModelError(f"a model has no {shown(name)} that could be set here{did_you_mean(name, MODEL_FIELDS)}")
        if name == "gravity":
            value = tuple(typed(v) for v in value) if isinstance(value, (list, tuple)) else value
        elif not isinstance(value, str) or (name == "name" and not value.strip()):
            raise ModelError(f"the {name} of a model is a text, not {shown(value)}")
        setattr(self.model, name, value)
        command["value"] = value
        return f"{name} of the model", f"model.{name} = {value!r}"

    def _settings(self, command: dict[str, Any]) -> tuple[str, str]:
        group, name = command.get("group"), str(command.get("field"))
        if group not in SETTINGS:
            raise ModelError(f"unknown settings {shown(group)}{did_you_mean(group, SETTINGS)}")
        value = coerced(SETTINGS[group], name, command.get("value"))
        words = misfit(SETTINGS[group], name, value)
        if words:
            raise ModelError(f"the settings '{group}': {name} is {shown(value)}; give {words}")
        setattr(getattr(self.model, group), name, value)
        if group == "rigid":
            for fault in self.model.rigid.faults():
                raise ModelError(fault)
        command["value"] = value
        return f"{group}.{name}", f"model.{group}.{name} = {value!r}"

    _actions = {
        "set": _set,
        "fields": _fields,
        "rename": _rename,
        "remove": _remove,
        "create": _create,
        "add": _add,
        "model": _model,
        "settings": _settings,
        "move": _move,
        "duplicate": _duplicate,
        "mirror": _mirror,
        "several": _several,
    }

    # ---- what was done, as text -----------------------------------------------------------------------------------
    def lines(self) -> list[str]:
        """Lines of Python that do to ``model``, as its file has it, what was done here.  Raises ModelError where undo
        went back behind the file."""
        if self.mark < 0 or self.position < self.mark:
            raise ModelError("the file holds steps that were undone since; save the model first, then the script")
        return [step.script for step in self.steps[self.mark : self.position]]

    @property
    def whole(self) -> bool:
        """Whether the model itself must be kept, as its file holds more than is in force."""
        return not 0 <= self.mark <= self.position

    def kept(self) -> dict[str, Any]:
        """What is kept against a crash: the file, its digest, and the commands since; ``model`` is missing where it
        must be kept itself (`whole`)."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "base": self.base.name if self.base else None,
            "path": str(self.base) if self.base else None,
            "digest": self.digest,
            "name": self.first_name,
            "title": self.model.name,
            "units": self.units,
            "gravity": list(self.first_gravity),
        }
        if not self.whole:
            data["commands"] = [s.command for s in self.steps[self.mark :]]
            data["position"] = self.position - self.mark
        return data

    @classmethod
    def recovered(cls, path: Path, folder: Path, spare: Path | None = None) -> tuple[Document, str]:
        """The document that `kept` data in a file describe, and a sentence for the user.

        ``folder``: where the model's file is; ``spare``: a copy of that file as it was when the edits were made, for
        where it has been changed or removed since.  Raises ModelError where the data do not fit."""
        data = read_kept(path)
        if data is None:
            raise ModelError(f"{path.name} cannot be read: it is damaged, or larger than {MAX_KEPT_BYTES} bytes")
        if data.get("format") != FORMAT:
            raise ModelError(f"{path.name} is not a file of the Studio")
        base = data.get("base")
        file = folder / Path(str(base)).name if base else None
        digest = str(data.get("digest") or "")
        more = ""
        if "model" in data:
            document = cls(Model.from_dict(data["model"]), file, digest)
            document.mark = -1
            return document, "the model was recovered; its undo history was not"
        if file is not None:
            if digest_of(file) == digest:
                document = cls.open(file)
            elif spare is not None and digest_of(spare) == digest:
                document = cls(read(spare), file, digest)
                document.model.path = str(file)
                more = (
                    f"; {file.name} has been changed or removed by another program since, so saving requires "
                    f"confirmation"
                )
            else:
                raise ModelError(
                    f"{file.name} has been changed by another program since, so its unsaved edits could not be repeated"
                )
        else:
            from ..model.model import settings_from
            from ..model.settings import Units

            units = settings_from(Units, data.get("units"), "units")
            document = cls.new(str(data.get("name") or "model"), units, _three(data.get("gravity") or [0, 0, 0], "g"))
            document.home = folder
        commands = data.get("commands")
        if not isinstance(commands, list):
            raise ModelError(f"{path.name} holds no commands")
        for command in commands:
            document.do(_tuples(command) if isinstance(command, dict) else command)
        position = data.get("position")
        while isinstance(position, int) and 0 <= position < document.position:
            document.undo()
        verb = "was" if document.position == 1 else "were"
        return document, f"{counted(document.position, 'step')} that had not been saved {verb} recovered{more}"


def _three(values: Any, name: str) -> tuple[float, float, float]:
    """Three numbers as the user typed them."""
    found = tuple(typed(v) for v in values) if isinstance(values, (list, tuple)) else ()
    if len(found) != 3 or not all(isinstance(v, float) and math.isfinite(v) for v in found):
        raise ModelError(f"{name} is {shown(values)}; give three numbers")
    return found  # type: ignore[return-value]


def read(path: Path) -> Model:
    """A model from a file; the readers' own sentences for bad ones."""
    from ..formats import adams, robots

    ending = path.suffix.lower()
    if ending == ".json":
        from ..formats.adams.lexer import read_text

        model = Model.from_json(read_text(path))
        model.path = str(path)
        return model
    if ending == ".cmd":
        return adams.read_cmd(path)
    if ending in robots.FORMATS:
        return robots.read_robot(path)
    if ending == ".h5":
        from ..results.files.store import load

        return load(path).model
    if ending != ".adm":
        raise ModelError(
            f"{path.name}: the Studio opens models ({', '.join(('.adm', '.json', '.cmd', *robots.FORMATS))}) and "
            "results (.h5)"
        )
    return adams.read_adm(path)


def texts_wrong(element: Any, name: str) -> list[str]:
    """What the function language says of a field that holds an expression."""
    from ..expressions import ExpressionError, parse

    value = getattr(element, name)
    if name not in EXPRESSIONS or not isinstance(value, str) or getattr(element, "routine", None):
        return []
    try:
        parse(value)
    except ExpressionError as error:
        return [f"{name.upper()}: {error}"]
    return []


EXPRESSIONS = ("function", "fx", "fy", "fz", "tx", "ty", "tz", "scale", "evaluate")


def shape_wrong(model: Model, element: Any) -> list[str]:
    """What is wrong with the numbers of a shape; nothing of a picture, and of a mesh, whose file is not read here."""
    from ..model.shape import is_shape, shape_of
    from ..model.shape_kinds import deferred

    if element.KIND != "GRAPHICS" or not is_shape(element) or element.type.upper() in deferred():
        return []
    try:
        shape_of(model, element)
    except ModelError as error:
        return [str(error).removeprefix(f"{element.label}: ")]
    return []


def like(old: Any, raw: Any, name: str) -> Any:
    """A text that was typed in place of a value of a table whose values may be of any type: of the type of that value.
    Raises ModelError for a text that is none."""
    if not isinstance(raw, str) or isinstance(old, str):
        return raw
    turns = "angle" in name.lower()
    if isinstance(old, bool):
        if raw.strip().lower() in ("true", "false"):
            return raw.strip().lower() == "true"
        raise ModelError(f"{name} is {shown(raw)}; give true or false")
    if isinstance(old, (int, float)):
        value = typed(raw, turns)
        if not isinstance(value, float) or not math.isfinite(value):
            raise ModelError(f"{name} is {shown(raw)}; {wanted_number(raw)}")
        return int(value) if isinstance(old, int) and value.is_integer() else value
    if isinstance(old, tuple) and all(isinstance(v, (int, float, str)) for v in old):
        texts = [text.strip() for text in raw.split(",")]
        if len(texts) != len(old):
            raise ModelError(f"{name} is {shown(raw)}; give {len(old)} values with commas between them")
        return tuple(like(v, text, name) for v, text in zip(old, texts))
    raise ModelError(f"{name} cannot be given as a text here; edit it in Python or in the file")


def coerced(cls: type, name: Any, raw: Any, degrees: bool = False) -> Any:
    """What was typed into a form as a value of a field; texts that are not numbers stay texts, which the model then
    refuses.  ``degrees``: whether ``30D`` is a number there (`forms.typed`).

    Raises ModelError for a field that there is not."""
    hints = typing.get_type_hints(cls)
    if (
        not isinstance(name, str)
        or name not in hints
        or name in FIXED
        or name not in getattr(cls, "__dataclass_fields__", {})
    ):
        raise ModelError(
            f"there is no field {shown(name)} that could be set{did_you_mean(name, [n for n in hints if n.islower()])}"
        )
    return _as(hints[name], _tuples(raw), degrees)


def _as(hint: Any, raw: Any, degrees: bool) -> Any:
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if type(None) in inside:
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            return None
        rest = [h for h in inside if h is not type(None)]
        return _as(rest[0], raw, degrees) if len(rest) == 1 else raw
    if hint is float:
        return typed(raw, degrees)
    if hint is int:
        if isinstance(raw, str):
            try:
                return int(raw.strip())
            except ValueError:
                return raw
        return int(raw) if isinstance(raw, float) and raw.is_integer() else raw
    if origin is tuple and isinstance(raw, tuple):
        if len(inside) == 2 and inside[1] is Ellipsis:
            return tuple(_as(inside[0], one, degrees) for one in raw)
        return tuple(_as(h, one, degrees) for h, one in zip(inside, raw)) if len(raw) == len(inside) else raw
    if origin is dict and isinstance(raw, dict) and len(inside) == 2:
        return {str(k): _as(inside[1], _listed(inside[1], v), degrees) for k, v in raw.items()}
    return raw


def _listed(hint: Any, raw: Any) -> Any:
    """A text with commas as the tuple that a field of a table holds."""
    if typing.get_origin(hint) is tuple and isinstance(raw, str):
        return tuple(text.strip() for text in raw.split(",") if text.strip())
    return raw

"""`read_adm`: an Adams solver dataset (.adm) to a `Model`.

Grammar: see `lexer` (statements), `arguments` (values) and `grammar` (one table per statement of the Adams
Solver manual). All errors of a file are gathered and raised together as `ModelErrors`, one line each:
``file:line: STATEMENT/id: what is wrong; how to fix it``.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...model.base import ELEMENT_TYPES, Element, ModelError, ModelErrors, _tuples
from ...model.implausible import length_left_out
from ...model.kinds import misfit, shown
from ...model.model import Model, settings_from
from ...model.outputs import Foreign
from ...model.parameter_data import from_data
from ...model.settings import RigidSettings, Units
from . import grammar
from .arguments import NOT_HERE, Arg, ArgumentError, Scanner, suggestion
from .lexer import Statement, decode, lex, read_text

MAX_ERRORS = 200
NEED_FUNCTION = ("SFORCE", "MOTION", "VARIABLE", "DIFF", "SENSOR")
FULL_TURN = 6.2832
CHUNK = 10_000  # characters at the beginning in which settings of ours may stand
UNTITLED = "Holonom model"  # what the writer gives a model without title


def read_adm(path: str | os.PathLike, lenient: bool = False, flexible: Mapping[Any, Any] | None = None) -> Model:
    """Read an Adams solver dataset.

    ``flexible``: id or name of a FLEX_BODY -> its modes, a Holonom HDF5 file or a `ReducedBody`. For others a file next
    to the dataset with the name of the MNF_FILE and the extension .h5 is used if it exists. Flexible bodies without
    modes are kept, but the model cannot be simulated.

    ``lenient``: unknown statements and arguments become entries of ``model.warnings`` instead of errors.
    Raises `ModelErrors` (a `ModelError`) with one line per problem; `ModelError` when the file cannot be read.
    """
    return parse_adm(read_text(path), str(path), lenient, flexible)


def parse_adm(
    text: str | bytes, path: str = "dataset", lenient: bool = False, flexible: Mapping[Any, Any] | None = None
) -> Model:
    """As `read_adm`, for a dataset in memory."""
    if isinstance(text, bytes):
        text = decode(text, path)
    return _Reader(path, lenient).read(text, flexible)


class _Reader:
    def __init__(self, path: str, lenient: bool) -> None:
        self.path = path
        self.lenient = lenient
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.ended = False
        self.said: set[int] = set()  # motions whose kind is written
        self.unstretched: set[int] = set()  # springs without a free length
        self.before: dict[str, int] = {}  # statements of settings that were read: the line of the first

    def read(self, text: str, flexible: Mapping[Any, Any] | None = None) -> Model:
        title, statements = lex(text, self.path, self.errors)
        name = os.path.splitext(os.path.basename(self.path))[0]
        if "model name:" in title.lower():
            name = title[title.lower().index("model name:") + 11 :].strip() or name
        self.model = model = Model(name, ground=False)
        own = re.search(
            r"^!\s*holonom_model_name='(.*)'\s*$", text[: text.find("\n", text.find("\n") + 1)], re.MULTILINE
        )
        if own:
            model.name = own[1]
        for line, row in enumerate(text[:CHUNK].split("\n")[:4], 1):
            rigid = re.match(r"!\s*holonom_rigid='(.*)'\s*$", row)
            if rigid:
                self.rigid(rigid[1], line)
        model.title, model.path = "" if title == UNTITLED else title, self.path
        self.gravity = [0.0, 0.0, 0.0]
        for statement in statements:
            if len(self.errors) >= MAX_ERRORS:
                self.errors.append(f"{self.path}: more than {MAX_ERRORS} errors; the rest of the file was not read")
                break
            if self.ended:
                self.warnings.append(statement.message("is behind END and was not read"))
                break
            self.statement(statement)
        x, y, z = self.gravity
        model.gravity = (x, y, z)
        if not statements and not self.errors:
            self.errors.append(f"{self.path}:1: the file holds no statement; give an Adams solver dataset (.adm)")
        if not self.ended and not self.errors:
            self.warnings.append(f"{self.path}: the dataset does not end with END; it may be cut off")
        if not self.errors:
            self.finish()
        if not self.errors:
            self.parameters(text)
        if not self.errors and (flexible or model.table("FLEX_BODY")):
            from .flexible import bend

            self.errors += bend(model, flexible, Path(self.path).parent)
        if self.errors:
            raise ModelErrors(self.errors, model if model.parts else None)
        for text in self.warnings:
            model.warn(text)
        return model

    def rigid(self, text: str, line: int) -> None:
        """Settings of rigid contact from the comment that our writer makes of them."""
        try:
            found = json.loads(text)
            settings = settings_from(RigidSettings, found, "rigid")
            faults = list(settings.faults())
        except (ValueError, RecursionError) as error:
            faults = [str(error) if isinstance(error, ModelError) else "it is not a table in JSON"]
        if faults:
            self.errors.append(
                f"{self.path}:{line}: the comment holonom_rigid is broken ({faults[0]}); remove or fix it"
            )
        else:
            self.model.rigid = settings

    def parameters(self, text: str) -> None:
        """Named parameters from the comments that our writer makes of them."""
        rows = re.findall(r"^!\s*holonom_parameters='(.*)'\s*$", text, re.MULTILINE)
        if not rows:
            return
        try:
            from_data(self.model, json.loads("".join(rows)))
        except (ValueError, RecursionError) as error:
            why = str(error) if isinstance(error, ModelError) else "it is not a table in JSON"
            self.errors.append(f"{self.path}: the comment holonom_parameters is broken ({why}); remove or fix it")

    def problem(self, statement: Statement, text: str, offset: int | None = None) -> None:
        """Something unknown: an error, or a warning when lenient."""
        (self.warnings if self.lenient else self.errors).append(statement.message(text, offset))

    # ---- statements -----------------------------------------------------------------------------------------------
    def statement(self, statement: Statement) -> None:
        try:
            keyword = grammar.keyword(statement.keyword)
        except ArgumentError as error:
            self.errors.append(statement.message(f"the keyword {error}"))
            return
        if keyword is None:
            hint = suggestion(statement.keyword, grammar.KEYWORDS)
            if _of_scripts(statement.keyword):
                hint = "; it is a command: write it in a command script (.acf)"
            self.problem(statement, f"unknown statement{hint}" if hint else "unknown statement; correct the keyword")
            if self.lenient:
                self.foreign(statement, statement.keyword, needed=False)
            return
        statement.keyword = keyword
        if keyword == "END":
            self.ended = True
            return
        if keyword in grammar.PREFERENCES:
            more = arguments_as_text(statement, self.errors)
            self.model.preferences[keyword] = self.model.preferences.get(keyword, ()) + more
            return
        if keyword in grammar.FOREIGN:
            self.foreign(statement, keyword, grammar.FOREIGN[keyword])
            return
        table = grammar.STATEMENTS[keyword]
        count = len(self.errors)
        values = read_values(statement, table, self.errors, self.warnings, self.lenient)
        if len(self.errors) > count:
            return
        if table.settings:
            self.settings(statement, table, values)
        else:
            self.element(statement, table, values)

    def settings(self, statement: Statement, table: grammar.Statement, values: dict[str, Any]) -> None:
        if table.settings == "gravity":
            for k, name in enumerate(("igrav", "jgrav", "kgrav")):
                self.gravity[k] = values.get(name, self.gravity[k])
        elif table.settings == "units":
            try:
                self.model.units = Units(**{**dataclasses.asdict(self.model.units), **values})
            except ModelError as error:
                self.errors.append(statement.message(str(error).removeprefix("UNITS: ")))
        else:
            target = getattr(self.model, table.settings)
            for name, value in values.items():
                if name == table.extra:  # of several statements the last one counts, as it does for other arguments
                    value = tuple({**dict(getattr(target, name)), **dict(value)}.items())
                setattr(target, name, value)
        if table.settings in self.before:
            first = self.before[table.settings]
            self.warnings.append(
                statement.message(
                    f"a second {table.keyword} (the first: line {first}); what both give counts as said here"
                )
            )
        else:
            self.before[table.settings] = statement.line

    def element(self, statement: Statement, table: grammar.Statement, values: dict[str, Any]) -> None:
        if not statement.id:
            self.errors.append(statement.message(f"it has no id; write {table.keyword}/1 with an id of 1 or more"))
            return
        missing = [n for n in table.required if n not in values]
        if missing:
            words = {item.key: item.name for item in reversed(table.grammar.items)}
            shown = ", ".join("its type" if n == "type" else words.get(n, n.upper()) for n in missing)
            self.errors.append(statement.message(f"{shown} is missing; add it"))
            return
        assert table.element is not None  # statements without one are settings
        self.least(statement, table, values)
        element = table.element(
            id=statement.id, name=statement.name, active=statement.active, source=statement.source(), **values
        )
        if statement.fields and table.own and not self.own_fields(statement, table, element):
            return
        if statement.units and hasattr(element, "view_units"):
            element.view_units = statement.units
        self.add(statement, element)

    def least(self, statement: Statement, table: grammar.Statement, values: dict[str, Any]) -> None:
        """What Adams requires and an element here has a default for: read all the same, and reported."""
        if table.keyword in NEED_FUNCTION and not ("function" in values or "routine" in values):
            self.warnings.append(statement.message("it has no FUNCTION, which is taken as 0; add it"))
        if table.keyword in ("VFORCE", "VTORQUE", "GFORCE") and not (
            {"function", "routine", "fx", "fy", "fz", "tx", "ty", "tz"} & set(values)
        ):
            self.warnings.append(statement.message("none of its components is given; all are taken as 0"))
        if table.keyword in ("SFORCE", "SPRINGDAMPER") and "kind" not in values:
            self.warnings.append(
                statement.message("neither TRANSLATIONAL nor ROTATIONAL is given; it is taken as TRANSLATIONAL")
            )
        if table.keyword == "SPRINGDAMPER" and "length" not in values:
            self.unstretched.add(statement.id or 0)
        if table.keyword == "MOTION" and "kind" in values:
            self.said.add(statement.id or 0)
        turned = [v for v in values.get("reuler") or () if abs(v) > FULL_TURN]
        if turned:
            self.warnings.append(
                statement.message(
                    f"REULER holds {turned[0]:g}, in radians, which is more than a turn; write {turned[0]:g}D where "
                    "degrees are meant"
                )
            )

    def own_fields(self, statement: Statement, table: grammar.Statement, element: Element) -> bool:
        """Fields that only Holonom knows, from the comment before the statement; false where they are broken."""
        try:
            found = json.loads(statement.fields)
            fields = {name: _tuples(value) for name, value in found.items() if name in table.own}
            for name, value in fields.items():
                words = misfit(type(element), name, value)
                if words:
                    raise ModelError(f"{name} is {shown(value)}, not {words}")
                before = getattr(element, name)
                setattr(element, name, {**before, **value} if isinstance(before, dict) else value)
        except (ValueError, AttributeError, RecursionError) as error:
            why = str(error) if isinstance(error, ModelError) else "it is not a table in JSON"
            self.errors.append(
                statement.message(f"the comment holonom_fields before it is broken ({why}); remove or fix it")
            )
            return False
        return True

    def foreign(self, statement: Statement, keyword: str, needed: bool) -> None:
        values = arguments_as_text(statement, self.errors)
        self.add(
            statement,
            Foreign(
                name=statement.name,
                source=statement.source(),
                statement=keyword,
                number=statement.id,
                arguments=values,
                needed=needed,
                active=statement.active,
            ),
        )

    def add(self, statement: Statement, element: Element) -> None:
        table = self.model.table(element.KIND)
        if element.id and element.id in table:
            other = table[element.id].source
            self.errors.append(statement.message(f"this id is taken already (line {other.line}); give it another id"))
            return
        self.model.add(element)

    # ---- the whole ------------------------------------------------------------------------------------------------
    def finish(self) -> None:
        """What needs the whole dataset: references, the kind of motions, the ground part."""
        model = self.model
        for marker in model.markers.values():
            if marker.part not in model.table(marker.body_kind):
                self.dangling(
                    marker, f"its body {marker.body_kind}/{marker.part} does not exist", marker.part, marker.body_kind
                )
        for element in list(model):
            for name, kind in element.REFERENCES.items():
                value = getattr(element, name)
                for number in value if isinstance(value, tuple) else (value,):
                    if number and number not in model.table(kind):
                        self.dangling(element, f"{name.upper()} = {number}: there is no {kind}/{number}", number, kind)
        for motion in model.table("MOTION").values():
            joint = model.joints.get(motion.joint) if motion.joint else None
            default = motion.id not in self.said  # what is written is left to the check of motions
            if joint is not None and joint.type == "TRANSLATIONAL" and motion.kind == "ROTATIONAL" and default:
                motion.kind = "TRANSLATIONAL"
        for spring in model.table("SPRINGDAMPER").values() if not self.errors else ():
            if spring.id in self.unstretched and (text := length_left_out(model, spring, "LENGTH = {}, or LENGTH = 0")):
                self.warnings.append(text)
        grounds = [p for p in model.parts.values() if p.ground]
        if len(grounds) > 1:
            self.errors.append(f"{grounds[1].source}: PART/{grounds[1].id}: a second GROUND part; only one is allowed")
        if not grounds:
            self.warnings.append(f"{self.path}: no PART has the argument GROUND")

    def dangling(self, element: Element, text: str, number: int, kind: str) -> None:
        close = difflib.get_close_matches(str(number), [str(k) for k in model_ids(self.model, kind)], n=1)
        hint = f"did you mean {close[0]}?" if close else "correct the id or add the statement"
        line = f"{element.source}: {element.KIND}/{element.id}: {text}; {hint}"
        if len(self.errors) < MAX_ERRORS:
            (self.warnings if self.lenient else self.errors).append(line)


def _of_scripts(word: str) -> bool:
    """Whether a keyword is that of a command, spelt with four letters or more."""
    return len(word) >= 4 and any(
        c.startswith(word.upper())
        for c in ("SIMULATE", "ACTIVATE", "DEACTIVATE", "STOP", "LINEAR", "RELOAD", "CONTROL")
    )


def model_ids(model: Model, kind: str) -> list[int]:
    return list(model.table(kind))[:20000] if kind in ELEMENT_TYPES else []


def arguments_as_text(statement: Statement, errors: list[str]) -> tuple[tuple[str, str], ...]:
    """All arguments as (NAME, text) pairs; a bare keyword has an empty text."""
    scanner = Scanner(statement, None)
    out: list[tuple[str, str]] = []
    while True:
        try:
            found = scanner.next()
        except ArgumentError as error:
            errors.append(statement.message(str(error), error.offset))
            continue
        if found is None:
            return tuple(out)
        name, _, value, _ = found
        out.append((name, value or ""))


def read_values(
    statement: Statement,
    table: grammar.Statement,
    errors: list[str],
    warnings: list[str],
    lenient: bool = False,
    partial: bool = False,
) -> dict[str, Any]:
    """Fields of one statement.  ``partial``: a redefinition, of which only the given fields count."""
    scanner = Scanner(statement, table.grammar)
    values: dict[str, Any] = {}
    extra: list[tuple[str, str]] = []
    flags: dict[str, str] = {}
    seen: dict[str, int] = {}
    while True:
        try:
            found = scanner.next()
        except ArgumentError as error:
            text = str(error)
            unknown = text.startswith("unknown argument") or NOT_HERE in text
            (warnings if lenient and unknown else errors).append(statement.message(text, error.offset))
            continue
        if found is None:
            break
        word, item, value, offset = found
        if item is None:
            extra.append((word, value or ""))
            continue
        if isinstance(item, Arg):
            if item.repeat:
                values.setdefault(item.key, []).append(value)
                continue
            if item.name in seen:
                errors.append(statement.message(f"{item.name} is given twice; remove one", offset))
                continue
            seen[item.name] = offset
            values[item.key] = value
        else:
            if item.key in flags and flags[item.key] != item.name:
                errors.append(
                    statement.message(f"{flags[item.key]} and {item.name} exclude each other; remove one", offset)
                )
                continue
            flags[item.key] = item.name
            values[item.key] = item.value
    if extra:
        values[table.extra] = tuple(extra)
    if table.finish:
        try:
            table.finish(values, partial)
        except ArgumentError as error:
            errors.append(statement.message(str(error)))
    return values

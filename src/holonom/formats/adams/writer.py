"""`write_adm`: a `Model` to an Adams solver dataset (.adm) that reads back to the same model.

Works from the tables of `grammar`, like the reader.  Layout as Adams View writes it: name comments, one
argument per line, lines shorter than 80 columns.  Numbers are written so that they read back exactly; angles in
degrees where that is exact.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
from pathlib import Path
from typing import Any

from ...model.base import Element, ModelError
from ...model.kinds import finite, misfits, shown
from ...model.model import Model
from ...model.outputs import Foreign
from ...model.parameter_data import to_data
from ...model.settings import RigidSettings
from . import grammar
from .arguments import Arg, Flag
from .reader import UNTITLED

WIDTH = 78
CHUNK = 20_000  # characters of a comment line
_ANGLES = ("REULER", "ANGLE", "ALIMIT", "ICROT")
_SECTIONS = {
    "PART": "PARTS",
    "MARKER": "MARKERS",
    "JOINT": "CONSTRAINTS",
    "SFORCE": "FORCES",
    "GRAPHICS": "GRAPHICS",
    "CONTACT": "CONTACTS",
    "MATRIX": "DATA STRUCTURES",
    "VARIABLE": "VARIABLES",
    "REQUEST": "REQUESTS",
    "SENSOR": "SENSORS",
    "MATERIAL": "MATERIALS",
}
_OPERAND = re.compile(r"[A-Za-z0-9_.)]")


def write_adm(model: Model, path: str | os.PathLike | None = None) -> str:
    """The dataset as text, also written to ``path`` when given.

    Raises `ModelError` for data that a dataset cannot represent (a number that is not finite, a line break in a text).
    Inactive elements are marked by a comment that Holonom reads and Adams ignores: for Adams, deactivate them in the
    command file. Flexible bodies become FLEX_BODY statements with their modes in a Holonom HDF5 file next to the
    dataset, which Adams cannot read.
    """
    if model.table("FLEXIBILITY"):
        from .flexible import unbend

        model = unbend(model, path, real, angle)
    out = [_clean(model.title) or UNTITLED, f"!holonom_model_name='{_clean(model.name)}'", *_rigid(model), "!"]
    out += _settings("UNITS", model.units, model.units.__class__(), always=("force", "mass", "length", "time"))
    for kind, table in model._tables.items():
        if table:
            out.append(_rule(_SECTIONS.get(kind, kind.replace("_", " "))))
        for element in table.values():
            out += _element(element)
    out.append(_rule("GRAVITATIONAL ACCELERATION"))
    out.append("ACCGRAV/")
    out += [f", {name} = {real(g)}" for name, g in zip(("IGRAV", "JGRAV", "KGRAV"), model.gravity)]
    out.append("!")
    out.append(_rule("ANALYSIS SETTINGS"))
    for keyword in ("INTEGRATOR", "EQUILIBRIUM", "KINEMATICS", "IC"):
        settings = getattr(model, grammar.STATEMENTS[keyword].settings)
        if settings != type(settings)():
            out += _settings(keyword, settings, type(settings)())
    for keyword, arguments in model.preferences.items():
        out.append(f"{keyword}/")
        for name, text in arguments:
            out += _raw(name, text)
        out.append("!")
    out += _parameters(model)
    out.append("END")
    text = "\n".join(out) + "\n"
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
    return text


# ---- statements ----------------------------------------------------------------------------------
def _rule(text: str) -> str:
    return f"!{f' {text} '.center(WIDTH, '-')}\n!"


def _clean(text: str) -> str:
    return " ".join(str(text).split()) if any(c in str(text) for c in "\r\n") else str(text).strip()


def _head(element: Element, keyword: str, number: int | None) -> list[str]:
    out = [f"adams_view_name='{_clean(element.name)}'".center(WIDTH).rstrip()]
    units = getattr(element, "view_units", "")
    if units:
        out.append(f"adams_view_units='{_clean(units)}'".center(WIDTH).rstrip())
    if not element.active:
        out.append("holonom_active='off'".center(WIDTH).rstrip())
    out += [f"holonom_fields='{text}'" for text in _own(element)]
    return [*("!" + line for line in out), f"{keyword}/{number if number is not None else ''}"]


def _rigid(model: Model) -> list[str]:
    """What the model gives of rigid contact, for which Adams has no statement, as a comment that a reader of ours takes
    back."""
    default = RigidSettings()
    said = {k: v for k, v in dataclasses.asdict(model.rigid).items() if v != getattr(default, k)}
    return [f"!holonom_rigid='{json.dumps(said)}'"] if said else []


def _parameters(model: Model) -> list[str]:
    """Named parameters, for which a dataset has no statement, as comments that a reader of ours takes back."""
    rows = to_data(model)
    if not rows:
        return []
    text = json.dumps(rows, ensure_ascii=True)
    pieces = [text[k : k + CHUNK] for k in range(0, len(text), CHUNK)]
    return [_rule("PARAMETERS"), *(f"!holonom_parameters='{piece}'" for piece in pieces), "!"]


def _own(element: Element) -> list[str]:
    """JSON, in pieces, of the fields that an Adams dataset cannot hold; a reader of ours takes them from the
    comment."""
    table = grammar.STATEMENTS.get(element.KIND)
    names = table.own if table is not None else ()
    if not names:
        return []
    data = element.to_dict()
    if element.KIND == "CONTACT":
        data = {**data, "joined": data.get("joined", False)}
        if data["joined"]:
            del data["joined"]  # what a dataset means
    own = {name: data[name] for name in names if name in data}
    if "arguments" in own:
        plain: dict[str, Any] = vars(element)["arguments"]
        own["arguments"] = {k: v for k, v in own["arguments"].items() if grammar.own_argument(k, plain[k])}
        if not own["arguments"]:
            del own["arguments"]
    if not own:
        return []
    text = json.dumps(own, ensure_ascii=True)
    return [text[k : k + CHUNK] for k in range(0, len(text), CHUNK)]


def _element(element: Element) -> list[str]:
    if isinstance(element, Foreign):
        out = _head(element, element.statement, element.number)
        for name, text in element.arguments:
            out += _raw(name, text)
        return [*out, "!"]
    table = grammar.STATEMENTS.get(element.KIND)
    if table is None:
        raise element.error("an Adams dataset has no statement for this kind of element")
    for _, sentence in misfits(element):
        raise element.error(sentence)
    defaults = {
        f.name: f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        for f in dataclasses.fields(element)
    }
    if "type" in table.required:
        words = [item.value for item in table.grammar.items if isinstance(item, Flag) and item.key == "type"]
        if vars(element)["type"] not in words:
            raise element.error(
                f"its type {shown(vars(element)['type'])} does not exist in a dataset; give one of {', '.join(words)}"
            )
    try:
        return [*_head(element, element.KIND, element.id), *_arguments(element, table, defaults), "!"]
    except ModelError as error:
        raise element.error(str(error)) from None


def _settings(keyword: str, settings: Any, defaults: Any, always: tuple[str, ...] = ()) -> list[str]:
    before = {f.name: getattr(defaults, f.name) for f in dataclasses.fields(defaults) if f.name not in always}
    return [f"{keyword}/", *_arguments(settings, grammar.STATEMENTS[keyword], before), "!"]


def _arguments(
    element: Any, table: grammar.Statement, defaults: dict[str, Any], only: set[str] | None = None
) -> list[str]:
    """Lines of the arguments that differ from ``defaults`` (or of the fields in ``only``)."""
    values = {
        f.name: getattr(element, f.name)
        for f in dataclasses.fields(element)
        if getattr(element, f.name) is not None and (only is None or f.name in only)
    }
    extra = values.pop(table.extra, ()) if table.extra else ()
    if table.spread:
        table.spread(element, values)
    blocks: list[tuple[list[str], bool]] = []  # (lines, is it an expression)
    for item in table.grammar.items:
        if item.key not in values:
            continue
        value = values[item.key]
        default = item.key in defaults and value == defaults[item.key] and type(value) is type(defaults[item.key])
        empty = isinstance(item, Arg) and item.kind == "expr" and value == ""
        if default and (not item.always or empty):
            continue
        if isinstance(item, Flag):
            if value == item.value and isinstance(value, bool) == isinstance(item.value, bool):
                blocks.append(([f", {item.name}"], False))
        elif item.repeat:
            blocks += [(_value(item, v), False) for v in value]
        else:
            blocks.append((_value(item, value), item.kind == "expr"))
    # what is kept as text comes first, where no list can swallow it; a backslash behind an expression that others
    # follow
    out = [line for name, text in extra for line in _raw(name, text)]
    for k, (lines, is_expression) in enumerate(blocks):
        if is_expression and k + 1 < len(blocks):
            lines[-1] += "\\"
        out += lines
    return out


# ---- values --------------------------------------------------------------------------------------
def real(value: Any) -> str:
    """Shortest text that reads back as the same number."""
    number = _finite(value)
    text = repr(number).upper()
    return text if "E" in text or len(text) < 18 else text


def _finite(value: Any) -> float:
    if not finite(value):
        raise ModelError(f"{shown(value)} cannot be written; give a finite number")
    return float(value)


def angle(value: Any) -> str:
    """An angle in radians: in degrees with suffix D where that reads back exactly, else in radians."""
    number = _finite(value)
    if number == 0.0 or abs(number) > 1e15:
        return real(number)
    for digits in (0, 6, 10, 12):
        degrees = round(math.degrees(number), digits)
        if math.radians(degrees) == number:
            text = repr(degrees).upper()
            return f"{text.removesuffix('.0')}D" if "E" not in text else real(number)
    return real(number)


def _value(item: Arg, value: Any) -> list[str]:
    start = f", {item.name} = "
    kind = item.kind
    write = angle if item.name in _ANGLES else real
    if kind == "expr":
        return wrap_expression(start, str(value))
    if kind in ("text", "line"):
        return _text(start, str(value), wrapped=kind == "line")
    if kind == "real":
        return [start + write(value)]
    if kind in ("int", "id"):
        return [f"{start}{int(value)}"]
    if kind == "reals":
        return _list(start, [write(v) for v in value])
    if kind == "ids":
        return _list(start, [str(int(v)) for v in value])
    if kind == "pair":
        words = ["" if v is None else write(v) for v in value]
        return [start + ", ".join(words if words[-1:] != [""] else words[:-1])]
    if kind == "word":
        return [start + str(value)]
    if kind == "words":
        return [start + ":".join(map(str, value))]
    if kind == "bool":
        return [start + ("ON" if value else "OFF")]
    if kind == "strings":
        bare = item.name.endswith(("ROUTINE", "INTERFACE"))
        return _list(start, [str(v) if bare else _quoted(str(v)) for v in value])
    if kind == "value":
        values = value if isinstance(value, (tuple, list)) else (value,)
        return _list(start, [_any(v) for v in values])
    raise AssertionError(kind)


def _any(value: Any) -> str:
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    if isinstance(value, int):
        return str(value)
    try:
        return (
            real(value)
            if not isinstance(value, str)
            else value
            if re.fullmatch(r"[A-Za-z_]\w*", value)
            else _quoted(value)
        )
    except (TypeError, ValueError) as error:
        raise ModelError(f"{value!r} cannot be written") from error


def _quoted(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise ModelError(f"the text {text[:40]!r} has a line break; write it on one line")
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text and "!" not in text:
        return f"'{text}'"
    raise ModelError(f"the text {text[:40]!r} has both types of quotes; use one")


def _text(start: str, text: str, wrapped: bool = False) -> list[str]:
    plain = text == text.strip() and not re.search(r"[!\r\n\x00]|=|&$|\\$|^[\"',]", text) and (wrapped or text)
    if not plain and text:
        return [start + _quoted(text)]
    out = []
    line = start + text
    while wrapped and len(line) > WIDTH:
        cut = max(
            (
                k
                for k in range(len(start) + 1, WIDTH)
                if line[k] == " " and line[k - 1] != " " and line[k + 1 : k + 2] not in (" ", ",")
            ),
            default=0,
        )
        if not cut or line[cut - 1] in "&\\":
            break
        out.append(line[:cut])
        line = ", " + line[cut + 1 :]
        start = ", "
    return [*out, line]


def _list(start: str, words: list[str]) -> list[str]:
    if not words:
        raise ModelError(f"{start.strip(' ,=')} is an empty list, which a dataset cannot hold; leave it out")
    out = []
    line = start
    for k, word in enumerate(words):
        if k == 0:
            line += word
        elif len(line) + 2 + len(word) <= WIDTH:
            line += ", " + word
        else:
            out.append(line)
            line = ", " + word
    return [*out, line]


def _raw(name: str, text: str) -> list[str]:
    if not text:
        return [f", {name}"]
    if re.search(r"[!\r\n\x00]", text) and not (text[0] == text[-1] == '"'):
        raise ModelError(f"argument {name}: the text {text[:40]!r} cannot be written in a dataset")
    # break at commas outside of parentheses and quotes
    words, depth, quote, begin = [], 0, "", 0
    for k, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'" and text.find(c, k + 1) > 0:
            quote = c
        elif c == "(":
            depth += 1
        elif c == ")":
            depth = max(0, depth - 1)
        elif c == "," and depth == 0 and text[k + 1 : k + 2] == " ":
            words.append(text[begin:k])
            begin = k + 2
    return _list(f", {name} = ", [*words, text[begin:]])


def wrap_expression(start: str, text: str) -> list[str]:
    """Lines of a function; broken at blanks, or with ``&`` where there are none, so that it reads back as it is."""
    text = " ".join(text.split())
    if re.search(r"[!\\=\x00]", text) or not text:
        raise ModelError(f"the function '{text[:40]}' cannot be written: it is empty or holds one of ! \\ =")
    out = []
    line, lead = start + text, len(start)
    while len(line) > WIDTH:
        cut = _blank(line, lead)
        if cut:
            out.append(line[:cut])
            line, lead = ", " + line[cut + 1 :], 2
            continue
        cut = next(
            (
                k
                for k in range(WIDTH - 2, lead, -1)
                if line[k] in ",(*/:" and line[k + 1] not in " ,*&" and not _in_quote(line, k)
            ),
            0,
        )
        if not cut:
            break
        out.append(line[: cut + 1] + "&")
        line, lead = line[cut + 1 :], 1
    return [*out, line]


def _blank(line: str, lead: int) -> int:
    for k in range(WIDTH - 1, lead, -1):
        if line[k] == " " and line[k - 1] != "&" and not _in_quote(line, k):
            if not (_OPERAND.match(line[k - 1]) and re.match(r"[A-Za-z0-9_.(]", line[k + 1])):
                return k
    return 0


def _in_quote(line: str, k: int) -> bool:
    return line.count('"', 0, k) % 2 == 1 or line.count("'", 0, k) % 2 == 1

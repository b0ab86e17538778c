"""Adams View command files with other values of their design variables."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

from ...model.base import ModelError
from ...model.model import Model
from ...model.parameters import SETTINGS
from .view_cmd import ViewSource, logical_lines, parse_cmd, without_comment
from .writer import real

_NUMBER = re.compile(r"(?<![\w.$])([A-Za-z_]\w{2,})\s*=[\s&]*([-+]?[\d.][-+.\w]*)")
_LINE_END = re.compile(r"(\r\n|\r|\n)")


def write_cmd(model: Model, path: str | os.PathLike | None = None) -> str:
    """The Adams View command file of a model with the present values of its design variables, as text, also written to
    ``path`` (UTF-8) when given.

    ``model``: of `read_cmd` with ``parameters``, and what `Model.with_parameters` or a study made of it.  Only the
    numbers behind ``real_value`` of changed variables are replaced; all other text, with its comments, macros and
    plots, is kept.  Ranges that are relative to the value move with it.  The new text is read and compared with the
    model.

    Raises ModelError for a model that does not come from such a file, and for one that differs from it in more than
    its design variables."""
    kept = vars(model).get("_parameters")
    source = None if kept is None else kept.source
    if not isinstance(source, ViewSource):
        raise ModelError(
            f"model '{model.name}' has no design variables of a command file; read it by "
            "read_view(path, parameters=True), or write a dataset by write_adams"
        )
    text = source.text
    values = {n: p.value for n, p in model.parameters.items() if n in source.keys}
    rows = [(*source.given[n], value) for n, value in values.items()]
    for line, old, new in sorted(rows, reverse=True):
        if new != old:
            text = _with_number(text, line, old, real(new), source.path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were given when the file was read
        again = parse_cmd(text, source.path, source.lenient, parameters=True)
    if {n: p.value for n, p in again.parameters.items()} != values:
        raise ModelError(f"{source.path}: the design variables cannot be replaced; write each as a command of its own")
    if where := _difference(model, again):
        raise ModelError(
            f"model '{model.name}' differs from its command file '{source.path}' in {where}, and not by a design "
            "variable; write a dataset by write_adams"
        )
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as handle:
            handle.write(text)
    return text


def _with_number(text: str, line: int, old: float, new: str, path: str) -> str:
    """Commands with another number behind ``real_value`` in the command that begins in a line.  Raises ModelError where
    that is not one plain number."""
    ends = [m.end() for m in _LINE_END.finditer(text)]
    starts = [0, *ends, len(text)]
    later = [at for at, _ in logical_lines(text) if at > line]
    first, last = starts[line - 1], starts[later[0] - 1] if later else len(text)
    found = [m for m in _NUMBER.finditer(_masked(text[first:last])) if "real_value".startswith(m[1].lower())]
    if len(found) != 1 or float(found[0][2]) != old:
        raise ModelError(f"{path}:{line}: the number of real_value cannot be replaced; write it on one line")
    at, end = found[0].span(2)
    return text[: first + at] + new + text[first + end :]


def _masked(text: str) -> str:
    """Text of the same length without what stands in quotes and comments."""
    out, quote = [], ""
    for piece in _LINE_END.split(text):
        before, quoted = quote, []
        code, quote = without_comment(piece, quote) if piece.strip() else (piece, quote)
        for c in code:  # as `without_comment`, which ends comments
            inside = before
            before = "" if before == c else c if not before and c in "\"'" else before
            quoted.append("x" if inside or before else c)
        out.append("".join(quoted) + " " * (len(piece) - len(code)))
    return "".join(out)


def _difference(one: Model, other: Model) -> str:
    """The first element or setting in which two models differ, or an empty text."""
    mine, theirs = ({(e.KIND, e.id): e.to_dict() for e in m} for m in (one, other))
    for key in dict.fromkeys([*mine, *theirs]):
        a, b = mine.get(key), theirs.get(key)
        if a != b:
            fields = [f".{n}" for n in a if a[n] != b.get(n)] if a and b else []
            return f"{key[0]}/{key[1]}{fields[0] if fields else ''}"
    for what in (*SETTINGS, "units"):
        if getattr(one, what) != getattr(other, what):
            return what
    return ""

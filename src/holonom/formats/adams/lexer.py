"""Lines of an Adams solver file to statements: comments, continuation, names, limits.

Grammar (Adams Solver manual, "Statement format"): the first line of a dataset is its title.  A statement is ``KEY/id``
followed by arguments; it continues while the next line begins with a comma (blanks before it allowed) or the line
ends with ``&``.  ``!`` begins a comment.  Adams View names the next statement in a comment ``!
adams_view_name='NAME'``.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from dataclasses import dataclass, field

from ...model.base import ModelError, Source

MAX_BYTES = 300_000_000
MAX_LINE = 100_000
MAX_STATEMENTS = 5_000_000
MAX_CONTINUATION = 2_000_000  # lines of one statement

_HEAD = re.compile(r"[ \t]*([A-Za-z_][A-Za-z_0-9]*)[ \t]*(?:/[ \t]*(?:([0-9]+)(?=[\s,]|$))?|(?=\n|$))")
_VIEW = re.compile(r"(adams_view_name|adams_view_units|holonom_active|holonom_fields)\s*=\s*'(.*)'", re.IGNORECASE)


@dataclass
class Statement:
    """One statement: keyword and id as written, and the text of its arguments (lines joined by newlines)."""

    keyword: str
    id: int | None
    text: str
    file: str
    line: int
    name: str = ""
    units: str = ""
    active: bool = True
    fields: str = ""  # JSON of the fields that Adams does not know
    starts: list[int] = field(default_factory=list)  # offset in text at which each line begins
    numbers: list[int] = field(default_factory=list)  # line number of each

    def line_at(self, offset: int) -> int:
        """Line number of a character of ``text``."""
        return self.numbers[max(0, bisect_right(self.starts, offset) - 1)] if self.numbers else self.line

    @property
    def label(self) -> str:
        return f"{self.keyword}/{self.id}" if self.id is not None else f"{self.keyword}"

    def source(self) -> Source:
        return Source(self.file, self.line)

    def message(self, text: str, offset: int | None = None) -> str:
        line = self.line if offset is None else self.line_at(offset)
        return f"{self.file}:{line}: {self.label}: {text}"


def read_text(path: str | os.PathLike) -> str:
    """Text of a file: UTF-8, or Latin-1 when it is not.  Raises `ModelError` when missing, too large or binary."""
    try:
        size = os.path.getsize(path)
        if size > MAX_BYTES:
            raise ModelError(f"{path}: the file has {size} bytes, more than the limit of {MAX_BYTES}; split it")
        with open(path, "rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error}); check the path") from error
    return decode(data, str(path))


def decode(data: bytes, path: str) -> str:
    zeros = data.count(b"\0")
    if zeros:  # FAST writes unset Fortran strings as zero bytes: they are blanks
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        if zeros * 10 > len(data):
            raise ModelError(f"{path}:{line}: this is not a text file ({zeros} zero bytes); give the .adm text file")
        data = data.replace(b"\0", b" ")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def split_lines(text: str) -> list[str]:
    """Lines by ``\\n``, ``\\r\\n`` or ``\\r`` only (other Unicode separators stay inside their line)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def strip_comment(line: str) -> tuple[str, str]:
    """(code, comment) of a line; a ``!`` inside double quotes is text."""
    at = line.find("!")
    if at < 0:
        return line, ""
    quote = line.find('"')
    if quote < 0 or quote > at:
        return line[:at], line[at + 1 :]
    inside = False
    for k, c in enumerate(line):
        if c == '"':
            inside = not inside
        elif c == "!" and not inside:
            return line[:k], line[k + 1 :]
    if inside:  # an unclosed quote: the first ! ends the code after all
        return line[:at], line[at + 1 :]
    return line, ""


def lex(text: str, path: str, errors: list[str], title: bool = True) -> tuple[str, list[Statement]]:
    """(title, statements).  Problems are appended to ``errors`` as ``file:line: ...``; lexing continues behind them."""
    lines = split_lines(text)
    heading = ""
    first = 0
    if title and lines:
        heading = lines[0].strip()
        first = 1
    statements: list[Statement] = []
    parts: list[tuple[int, str]] = []
    name = units = ""
    active = True
    own: list[str] = []
    glued = False  # the line before ended with &

    def close() -> None:
        nonlocal parts
        if parts:
            statement = _statement(parts, path, errors)
            if statement is not None:
                statement.name, statement.units, statement.active, statement.fields = names
                statements.append(statement)
        parts = []

    names = ("", "", True, "")
    for number in range(first, len(lines)):
        raw = lines[number]
        if len(raw) > MAX_LINE:
            errors.append(f"{path}:{number + 1}: the line has {len(raw)} characters, more than {MAX_LINE}; break it")
            continue
        code, comment = strip_comment(raw)
        if comment:
            found = _VIEW.search(comment)
            if found:
                what = found[1].lower()
                if what == "adams_view_name":
                    name = found[2].strip()
                elif what == "adams_view_units":
                    units = found[2].strip()
                elif what == "holonom_fields":
                    own.append(found[2])
                else:
                    active = found[2].lower() != "off"
        code = code.rstrip()
        stripped = code.lstrip()
        if not stripped:
            continue
        if stripped[0] == "," or glued:
            if not parts:
                errors.append(
                    f"{path}:{number + 1}: this line continues a statement, but none is open; remove its comma"
                )
                glued = stripped.endswith("&")
                continue
            if len(parts) >= MAX_CONTINUATION:
                errors.append(f"{path}:{number + 1}: the statement has more than {MAX_CONTINUATION} lines; shorten it")
                continue
        else:
            close()
            if len(statements) >= MAX_STATEMENTS:
                errors.append(f"{path}:{number + 1}: more than {MAX_STATEMENTS} statements; split the dataset")
                return heading, statements
            names = (name, units, active, "".join(own))
            name, units, active, own = "", "", True, []
        attached = glued  # text behind an & stays glued to it
        glued = stripped.endswith("&")
        if glued:
            code = code[:-1]
        if attached and stripped[0] != ",":
            before, text_before = parts[-1]
            parts[-1] = (before, text_before + "\x00")
        parts.append((number + 1, code))
    close()
    return heading, statements


def _statement(parts: list[tuple[int, str]], path: str, errors: list[str]) -> Statement | None:
    pieces: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    offset = 0
    for number, text in parts:
        starts.append(offset)
        numbers.append(number)
        if text.endswith("\x00"):
            piece = text[:-1]
        else:
            piece = text + "\n"
        pieces.append(piece)
        offset += len(piece)
    body = "".join(pieces)
    line = parts[0][0]
    head = _HEAD.match(body)
    if not head:
        shown = parts[0][1].strip().rstrip("\x00")[:40]
        mend = (
            "a comment begins with !"
            if shown.startswith(("#", "//", "$", "%", ";"))
            else "write KEYWORD/id, arguments, or begin a continuation with a comma"
        )
        errors.append(f"{path}:{line}: '{shown}' is not a statement; {mend}")
        return None
    keyword = head[1].upper()
    number = int(head[2]) if head[2] and len(head[2]) <= 18 else None
    if head[2] and number is None:
        errors.append(
            f"{path}:{line}: {keyword}/{head[2][:20]}...: this id has {len(head[2])} digits; use a smaller one"
        )
        return None
    end = head.end()
    return Statement(keyword, number, body[end:], path, line, starts=[s - end for s in starts], numbers=numbers)

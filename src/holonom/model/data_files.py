"""Numbers that a SPLINE or MATRIX names by FILE: read when they are wanted, next to the model, with bounds.

A SPLINE takes a time history in RPC III format (MTS; CHANNEL picks the signal, the first point stands at time zero) or
a table of text: rows of numbers by commas, semicolons, tabs or blanks, the first column x, ``CHANNEL = n`` the column
behind it.  In files with blocks, ``[NAME]`` and inside them ``(NAME)``, BLOCK names the one that is meant; lines before
its numbers are headings.  A MATRIX takes a file that begins with ADAMSMAT or ADAMSMAT2, each matrix with its Fortran
format, or the FSAVE layout of MATRIXx.  Source: Adams Solver manual, SPLINE and MATRIX statements.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .base import ModelError
from .paths import resolve
from .rpc_file import MAX_POINTS, RpcFile

MAX_BYTES = 256_000_000
MAX_VALUES = 20_000_000
MAX_COLUMNS = 10_000
MAX_EDITS = 10_000  # numbers of one record that a Fortran format may require
_COMMENT = tuple("#!$%")


@dataclass(frozen=True, eq=False)
class Points:
    """Data of a spline: x (n), one row of y for each z (a single row for a curve), and how it continues beyond them."""

    x: Any
    y: Any
    z: Any
    extrapolation: str


def spline_points(model: Any, spline: Any) -> Points:
    """The data of a SPLINE, from its file where it names one.  Raises `ModelError`."""
    how = "linear" if spline.linear_extrapolate else "parabolic"
    if spline.file is None:
        return Points(spline.x, spline.y, spline.z, how)
    try:
        if spline.x or spline.y:
            raise ModelError("FILE and X, Y exclude each other; remove one")
        path, stamp = _found(model, spline.file)
        if _begins(path, 6) == b"FORMAT":
            if spline.channel is None:
                raise ModelError(
                    f"CHANNEL is missing, which names the signal of an RPC III file ({path.name}); add CHANNEL = 1 "
                    "or more"
                )
            if spline.block is not None:
                raise ModelError(
                    f"BLOCK = {spline.block} names a block of a table, and {path.name} is an RPC III file; remove it"
                )
            x, y = _rpc(path, spline.channel, stamp)
            return Points(x, (y,), (), "linear" if spline.linear_extrapolate else "constant")
        x, y = _table(path, spline.block, spline.channel, stamp)
    except ModelError as error:
        raise spline.error(str(error)) from None
    return Points(x, (y,), (), how)


def matrix_values(model: Any, matrix: Any) -> np.ndarray:
    """The values (rows, columns) of a MATRIX, from its file where it names one.  Raises `ModelError`."""
    if matrix.file is None or matrix.values:
        if len(matrix.values) != matrix.rows * matrix.columns:
            raise matrix.error(f"has {len(matrix.values)} values for {matrix.rows} x {matrix.columns}")
        return np.reshape(np.asarray(matrix.values, float), (matrix.rows, matrix.columns))
    try:
        path, stamp = _found(model, matrix.file)
        found = _matrices(path, stamp)
        name = matrix.file_name
        if name is None and len(found) > 1:
            raise ModelError(f"{path.name} holds {len(found)} matrices ({_some(found)}); give NAME = one of them")
        key = next(iter(found)) if name is None else next((k for k in found if k.upper() == name.strip().upper()), None)
        if key is None:
            raise ModelError(f"{path.name} has no matrix NAME = {name}; it has {_some(found)}")
        values = found[key]
        if (matrix.rows or values.shape[0], matrix.columns or values.shape[1]) != values.shape:
            raise ModelError(
                f"{key} of {path.name} is {values.shape[0]} x {values.shape[1]}, not {matrix.rows} x {matrix.columns}; "
                "correct it"
            )
    except ModelError as error:
        raise matrix.error(str(error)) from None
    return values


def _some(names: Any) -> str:
    names = list(names)
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


def _found(model: Any, file: str) -> tuple[Path, tuple[int, int]]:
    """The file, and what gives a changed one from one that was read before."""
    path = resolve(model, file)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        missing = isinstance(error, FileNotFoundError)
        raise ModelError(
            f"there is no file {path}; copy it there" if missing else f"its file {path} cannot be read ({why})"
        ) from None
    if not path.is_file():
        raise ModelError(f"{path} is not a file; correct FILE")
    if status.st_size > MAX_BYTES:
        raise ModelError(f"{path} has {status.st_size} bytes, more than {MAX_BYTES}; cut out what is needed")
    return path, (status.st_mtime_ns, status.st_size)


def _begins(path: Path, count: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError as error:
        raise ModelError(f"its file {path} cannot be read ({error.strerror or error})") from None


def _text(path: Path, what: str) -> list[str]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ModelError(f"its file {path} cannot be read ({error.strerror or error})") from None
    if b"\0" in raw[:4096]:
        raise ModelError(f"{path.name} is neither {what}; a DAC or MATSAVE file is not read, convert it")
    return raw.decode("utf-8-sig", errors="replace").splitlines()


# ---- time histories in RPC III format --------------------------------------------------------------------------------
@functools.lru_cache(maxsize=64)
def _rpc(path: Path, channel: int, stamp: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of one channel (from 1 on)."""
    return RpcFile(path).values(channel)


# ---- tables of text --------------------------------------------------------------------------------------------------
@functools.lru_cache(maxsize=64)
def _table(path: Path, block: str | None, channel: int | None, stamp: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Columns x and y of the block."""
    parts = [p for p in _parts(path) if p[1]]
    if block is not None:
        wanted = block.strip().strip("[]()\"'").upper()
        names = [n for p in parts for n in p[0]]
        parts = [p for p in parts if wanted in p[0]]
        if not parts:
            raise ModelError(
                f"{path.name} has no BLOCK = {block} with numbers; "
                + (f"it has {_some(names)}" if names else "it has no blocks")
            )
    if not parts:
        raise ModelError(f"{path.name} holds no row of numbers; give a table of x and y, or an RPC III file")
    if len(parts) > 1:
        raise ModelError(
            f"{path.name} has {len(parts)} tables "
            f"({_some(' of '.join(reversed(p[0])) or 'the first' for p in parts)}); name one by BLOCK"
        )
    rows, lines = parts[0][1], parts[0][2]
    width = len(rows[0])
    for row, line in zip(rows, lines):
        if len(row) != width:
            raise ModelError(f"{path.name}, line {line}: {len(row)} numbers in a table of {width} columns; correct it")
    if width < 2:
        raise ModelError(f"{path.name} has one column only; a spline needs x and y in each row")
    if channel is None and width > 2:
        raise ModelError(f"{path.name} has {width - 1} columns behind x; name one by CHANNEL = 1 to {width - 1}")
    if channel is not None and not 1 <= channel <= width - 1:
        raise ModelError(f"CHANNEL = {channel}, and {path.name} has {width - 1} columns behind x; correct it")
    data = np.array([(row[0], row[channel or 1]) for row in rows])
    return data[:, 0], data[:, 1]


def _parts(path: Path) -> list[tuple[tuple[str, ...], list[list[float]], list[int]]]:
    """Tables of the file: names of block and block within it, rows, and the lines where they stand."""
    out: list[tuple[tuple[str, ...], list[list[float]], list[int]]] = [((), [], [])]
    outer = ""
    count = 0
    for number, text in enumerate(_text(path, "an RPC III file nor a table of text"), 1):
        line = text.strip()
        if not line or line.startswith(_COMMENT):
            continue
        if line[0] == "[" and line[-1] == "]":
            outer = line[1:-1].strip().upper()
            out.append(((outer,), [], []))
            continue
        if line[0] == "(" and line[-1] == ")":
            out.append(((*([outer] if outer else []), line[1:-1].strip().upper()), [], []))
            continue
        row = _row(line)
        if row is None:
            if out[-1][1] and line[0] != "{":
                raise ModelError(
                    f"{path.name}, line {number}: '{line[:40]}' is not a row of numbers; correct it, or mark a "
                    "comment by #"
                )
            continue  # a heading
        count += len(row)
        if len(row) > MAX_COLUMNS or count > 4 * MAX_POINTS:
            raise ModelError(
                f"{path.name}, line {number}: more than {MAX_COLUMNS} columns or {4 * MAX_POINTS} numbers; cut out "
                "what is needed"
            )
        out[-1][1].append(row)
        out[-1][2].append(number)
    return out


def _row(line: str) -> list[float] | None:
    if ";" in line:  # commas are then those of decimals
        words = line.replace(",", ".").split(";")
    elif "," in line:
        words = line.split(",")
    else:
        words = line.split()
    while words and not words[-1].strip():
        words.pop()
    try:
        row = [float(w.replace("D", "E").replace("d", "e")) for w in words]
    except ValueError:
        return None
    return row if row and all(map(math.isfinite, row)) else None


# ---- matrices --------------------------------------------------------------------------------------------------------
_FSAVE = re.compile(r"(.{10})([ \d]{5})([ \d]{5})([ \d]{5})(\(.*\))\s*$")


@functools.lru_cache(maxsize=16)
def _matrices(path: Path, stamp: tuple[int, int]) -> dict[str, np.ndarray]:
    lines = _text(path, "an ADAMSMAT nor a MATRIXx file")
    first = lines[0] if lines else ""
    try:
        if first.startswith("ADAMSMAT"):
            found = _adamsmat(lines)
        elif first.startswith("MATRIXx"):
            found = _fsave(lines, 1)
        elif _FSAVE.match(first):
            found = _fsave(lines, 0)
        else:
            raise ModelError(
                f"its first line is '{first.strip()[:40]}'; it must begin with ADAMSMAT, ADAMSMAT2 or MATRIXx"
            )
    except ModelError as error:
        raise ModelError(f"{path.name}: {error}") from None
    for name, values in found.items():
        if not np.isfinite(values).all():
            raise ModelError(f"{path.name}: {name} holds a value that is not finite; correct the file")
        values.setflags(write=False)
    return found


def _adamsmat(lines: list[str]) -> dict[str, np.ndarray]:
    """Header, number of matrices, their names; then for each: name, FULL RORDER or CORDER or SPARSE, rows, columns,
    number of values and the Fortran format of the values, or of row, column, value in turn."""
    at = 1

    def take() -> str:
        nonlocal at
        while at < len(lines) and not lines[at].strip():
            at += 1
        if at >= len(lines):
            raise ModelError("it ends too early; it may be cut off")
        at += 1
        return lines[at - 1]

    count = _whole(take().split()[0], "the number of matrices", at)
    names: list[str] = []
    while len(names) < count:
        names += take().split()
    if len(names) != count:
        raise ModelError(f"line {at}: {len(names)} names for {count} matrices; correct it")
    found: dict[str, np.ndarray] = {}
    for _ in range(count):
        row = take()
        place = at
        head, bracket, rest = row.partition("(")
        words = head.upper().split()
        if len(words) < 5 or not bracket:
            raise ModelError(
                f"line {place}: '{row.strip()[:60]}' must give name, FULL and RORDER or CORDER (or SPARSE), rows, "
                "columns, number of values and format"
            )
        name = head.split()[0]
        if name.upper() not in (n.upper() for n in names):
            raise ModelError(f"line {place}: {name} is not one of the names of line 3 ({_some(names)})")
        sparse = words[1] == "SPARSE"
        order = "RORDER" if sparse and words[2].isdigit() else words[2]
        if words[1] not in ("FULL", "SPARSE") or order not in ("RORDER", "CORDER"):
            raise ModelError(f"line {place}: '{words[1]} {words[2]}' must be FULL RORDER, FULL CORDER or SPARSE")
        rows, columns, number = (_whole(w, "a size", place) for w in words[-3:])
        if rows * columns > MAX_VALUES or number > MAX_VALUES:
            raise ModelError(f"line {place}: {rows} x {columns} is more than {MAX_VALUES} values")
        if not sparse and number != rows * columns:
            raise ModelError(f"line {place}: {number} values for {rows} x {columns}; give {rows * columns}")
        edits = _edits(bracket + rest, place)
        kinds = [e[0] for e in edits if e[0] != "X"]
        if sparse and kinds != ["I", "I", "F"] * (len(kinds) // 3):
            raise ModelError(
                f"line {place}: the format of a SPARSE matrix must be of row, column and value in turn, as "
                "(3(2I4,E20.12))"
            )
        values, at = _read(lines, at, edits, 3 * number if sparse else number)
        if not sparse:
            full = np.reshape(values, (rows, columns) if order == "RORDER" else (columns, rows))
            found[name] = np.ascontiguousarray(full if order == "RORDER" else full.T)
            continue
        dense = np.zeros((rows, columns))
        for r, c, v in np.reshape(values, (-1, 3)):
            if not (1 <= r <= rows and 1 <= c <= columns):
                raise ModelError(f"line {place}: position ({r:g}, {c:g}) lies outside of {rows} x {columns}")
            dense[int(r) - 1, int(c) - 1] = v
        found[name] = dense
    return found


def _fsave(lines: list[str], at: int) -> dict[str, np.ndarray]:
    """Each matrix: name (10), rows, columns, whether complex (5 each), format; its values by columns."""
    found: dict[str, np.ndarray] = {}
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        head = _FSAVE.match(lines[at])
        if not head:
            raise ModelError(
                f"line {at + 1}: '{lines[at].strip()[:60]}' must give name, rows, columns, 0 and format in the columns "
                "of FSAVE"
            )
        rows, columns, imaginary = (_whole(head[k].strip() or "0", "a size", at + 1) for k in (2, 3, 4))
        if imaginary:
            raise ModelError(f"line {at + 1}: {head[1].strip()} is complex; a matrix of a model is real")
        if rows * columns > MAX_VALUES:
            raise ModelError(f"line {at + 1}: {rows} x {columns} is more than {MAX_VALUES} values")
        values, at = _read(lines, at + 1, _edits(head[5], at + 1), rows * columns)
        found[head[1].strip()] = np.ascontiguousarray(np.reshape(values, (columns, rows)).T)
    if not found:
        raise ModelError("it holds no matrix")
    return found


def _whole(word: str, what: str, line: int) -> int:
    if not re.fullmatch(r"\d{1,9}", word):
        raise ModelError(f"line {line}: {what} is '{word[:20]}'; it must be a whole number")
    return int(word)


def _edits(text: str, line: int) -> list[tuple[str, int, int, int]]:
    """(kind I F X, width, decimals, scale) in turn, of a Fortran format as (3E20.12), (1P3E25.17), (3(2I3,F8.3))."""
    tokens = re.findall(
        r"\d{0,6}\(|\)|,|[+-]?\d{1,3}[Pp]|\d{0,6}[Xx]|\d{0,6}[IiFfEeDdGg]\d{1,4}(?:\.\d{1,3})?(?:[Ee]\d{1,3})?|\S",
        text.replace(" ", ""),
    )
    fault = ModelError(
        f"line {line}: the format {text.strip()[:40]} is not understood; use I, F, E, D, G and X, as (4E20.12)"
    )
    stack: list[tuple[int, list[tuple[str, int, int, int]]]] = []
    done: list[tuple[str, int, int, int]] | None = None
    scale = 0
    for token in tokens:
        if done is not None:
            raise fault
        if token.endswith("("):
            stack.append((int(token[:-1] or 1), []))
            if len(stack) > 5:
                raise fault
            continue
        if not stack:
            raise fault
        here = stack[-1][1]
        edit = re.fullmatch(r"(\d*)([IFEDG])(\d+)(?:\.(\d+))?(?:E\d+)?", token.upper())
        if token == ")":
            times, inner = stack.pop()
            if times * len(inner) > MAX_EDITS:
                raise fault
            if stack:
                stack[-1][1].extend(inner * times)
            else:
                done = inner * times
        elif re.fullmatch(r"[+-]?\d{1,3}P", token.upper()):
            scale = int(token[:-1])
        elif token.upper().endswith("X"):
            here.append(("X", int(token[:-1] or 1), 0, 0))
        elif edit:
            times = int(edit[1] or 1)
            if times > MAX_EDITS or not 0 < int(edit[3]) <= 400:
                raise fault
            here.extend([("I" if edit[2] == "I" else "F", int(edit[3]), int(edit[4] or 0), scale)] * times)
        elif token != ",":
            raise fault
        if len(here) > MAX_EDITS:
            raise fault
    if not done or not any(kind != "X" for kind, *_ in done):
        raise fault
    return done


def _read(lines: list[str], at: int, edits: list[tuple[str, int, int, int]], count: int) -> tuple[list[float], int]:
    """``count`` numbers from line ``at`` on, and the line behind them; each line is read by the format from its
    beginning."""
    out: list[float] = []
    while len(out) < count:
        if at >= len(lines):
            raise ModelError(f"it ends after {len(out)} of {count} values; it may be cut off")
        place = 0
        for kind, width, decimals, scale in edits:
            field = lines[at][place : place + width]
            place += width
            if kind == "X":
                continue
            if len(out) == count:
                break
            out.append(_number(field, kind, decimals, scale, at + 1))
        at += 1
    return out, at


def _number(field: str, kind: str, decimals: int, scale: int, line: int) -> float:
    text = field.replace(" ", "").upper().replace("D", "E")
    text = re.sub(r"(?<=[\d.])([+-]\d+)$", r"E\1", text)  # 1.5-3 is 1.5E-3 in Fortran
    try:
        value = float(text)
    except ValueError:
        raise ModelError(
            f"line {line}: '{field.strip()[:30]}' is not a number where the format puts one; correct the line or the "
            "format"
        ) from None
    if kind == "I":
        if "." in text or "E" in text:
            raise ModelError(f"line {line}: '{field.strip()[:30]}' is not an integer; correct the line or the format")
        return value
    if "E" not in text:
        value *= 10.0 ** (-scale)
    return value if "." in text else value * 10.0 ** (-decimals)

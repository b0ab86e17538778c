"""Measured curves from files: tables of text (.csv), MATLAB (.mat), TDMS of LabVIEW (.tdms), RPC III of MTS (.rsp,
.drv, .tim, .rpc)."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.bounded_file import read_bounded
from ..model.rpc_file import RpcFile
from .curves import Curve
from .population import library

MOST_BYTES = 1_000_000_000
RPC_FILES = (".rsp", ".drv", ".tim", ".rpc")
Name = str | int


def read_curve(
    path: str | Path, of: str, *, time: Name | None = None, value: Name | None = None, **options: Any
) -> Curve:
    """A curve from a file, by its ending.  Further options are those of `Curve`.

    A table (.csv; comma, semicolon or tabulator): columns ``time`` and ``value``, by name or by number from 0, by
    default the first two.  MATLAB (.mat up to version 7): the variables that they name.  TDMS (.tdms, LabVIEW; extra
    ``tdms``): ``value`` is "Group/Channel", or the name of a channel that one group has; ``time`` is a channel too,
    with numbers (s) or time stamps (then from the first one), by default the steps of the waveform (wf_increment,
    wf_start_offset).  RPC III (.rsp, .drv, .tim, .rpc): ``value`` is the number of a channel from 1, or its heading
    (DESC.CHAN_n); times are multiples of DELTA_T.

    Raises ModelError for a file that cannot be read, for a column, variable or channel that it does not have, and for
    values that are not numbers.

        hn.studies.read_curve("swing.csv", "pin.angle", time="t", value="angle", std=0.01)
    """
    p = Path(path)
    ending = p.suffix.lower()
    if ending == ".mat":
        x, y = _variables(p, read_bounded(p, MOST_BYTES, "cut it"), (time, value))
    elif ending == ".tdms":
        x, y = _tdms(p, time, value)
    elif ending in RPC_FILES:
        x, y = _rpc(p, time, 1 if value is None else value)
    else:
        x, y = _columns(p, 0 if time is None else time, 1 if value is None else value)
    return Curve(of, x, y, **options)


def _columns(p: Path, time: Name, value: Name) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of a table of text."""
    try:
        text = read_bounded(p, MOST_BYTES, "cut it").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError(f"'{p}' is not text in UTF-8") from None
    first = text.split("\n", 1)[0]
    comma = max(",;\t", key=first.count)
    lines = [line for line in csv.reader(io.StringIO(text), delimiter=comma) if any(c.strip() for c in line)]
    if not lines:
        raise ModelError(f"'{p}' is empty")
    head = [c.strip() for c in lines[0]]
    named = not all(_is_float(c) for c in head)
    columns = []
    for which in (time, value):
        if isinstance(which, str):
            if not named or head.count(which) != 1:
                if head.count(which) > 1:
                    raise ModelError(f"'{p}' has several columns {shown(which)}; give the number of one, from 0")
                hint = did_you_mean(which, head) if named else "; its first line has no names, give numbers"
                raise ModelError(f"'{p}' has no column {shown(which)}{hint}")
            which = head.index(which)
        if not 0 <= which < len(head):
            raise ModelError(f"'{p}' has {len(head)} columns; there is no column {which} (the first is 0)")
        columns.append(which)
    rows = []
    for number, line in enumerate(lines[named:], 1 + named):
        if len(line) > len(head) and any(c.strip() for c in line[len(head) :]):
            raise ModelError(
                f"'{p}', row {number}: {len(line)} cells, but the first line has {len(head)}; decimal commas need "
                "another separator, as ';'"
            )
        cells = [line[c].strip() if c < len(line) else "" for c in columns]
        if not all(_is_float(c) for c in cells):
            wrong = next(c for c in cells if not _is_float(c))
            raise ModelError(f"'{p}', row {number}: {shown(wrong)} is not a number")
        rows.append([float(c) for c in cells])
    if not rows:
        raise ModelError(f"'{p}' has no rows below its first line")
    times, values = np.array(rows).T
    return times, values


def _variables(path: Path, data: bytes, names: Sequence[Name | None]) -> list[np.ndarray]:
    """Vectors of a MATLAB file, of equal length.  Raises ModelError for what it does not have."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        held = {k: v for k, v in loadmat(io.BytesIO(data)).items() if k[:2] != "__"}
    except NotImplementedError:
        raise ModelError(f"'{path}' is a MATLAB file of version 7.3; save it with '-v7'") from None
    except (MatReadError, ValueError, TypeError, OSError, EOFError, KeyError, IndexError, zlib.error) as error:
        raise ModelError(f"'{path}' is not a MATLAB file ({error})") from None
    out = []
    for name in names:
        if not isinstance(name, str) or name not in held:
            hint = did_you_mean(name, held) if isinstance(name, str) else "; give its name"
            raise ModelError(f"'{path}' has no variable {shown(name)}{hint}")
        v = held[name]
        if v.dtype.kind not in "iuf" or v.size != max(v.shape, default=0):
            raise ModelError(f"'{path}': variable '{name}' must be a vector of numbers, got {v.dtype} of {v.shape}")
        out.append(v.ravel().astype(float))
    return out


def _tdms(path: Path, time: Name | None, value: Name | None) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a channel of a TDMS file."""
    nptdms = library("nptdms", "nptdms", "a TDMS file", extra="tdms")
    data = read_bounded(path, MOST_BYTES, "cut it")
    try:
        held = nptdms.TdmsFile.read(io.BytesIO(data))
        channels = {f"{g.name}/{c.name}": c for g in held.groups() for c in g.channels()}
    except Exception as error:  # noqa: BLE001  npTDMS raises whatever a wrong byte leads to
        raise ModelError(f"'{path}' is not a TDMS file ({type(error).__name__}: {error})") from None
    if not channels:
        raise ModelError(f"'{path}' is not a TDMS file, or has no channels")
    channel = channels[_channel(path, value, list(channels))]
    y = _numbers(path, channel)
    if time is None:
        step, start = channel.properties.get("wf_increment"), channel.properties.get("wf_start_offset", 0.0)
        if not step:
            raise ModelError(
                f"'{path}': channel '{channel.name}' has no wf_increment, so its times are unknown; name the channel "
                f"of times, time='...': {', '.join(channels)}"
            )
        return float(start) + np.arange(len(y)) * float(step), y
    stamps = channels[_channel(path, time, list(channels))]
    x = np.asarray(stamps[:])
    if x.dtype.kind == "M":
        x = (x - x[0]) / np.timedelta64(1, "s") if len(x) else np.zeros(0)
    else:
        x = _numbers(path, stamps)
    if len(x) != len(y):
        raise ModelError(f"'{path}': channel '{stamps.name}' has {len(x)} values, '{channel.name}' has {len(y)}")
    return x, y


def _numbers(path: Path, channel: Any) -> np.ndarray:
    try:
        y = np.asarray(channel[:])
    except Exception as error:  # noqa: BLE001  as above
        raise ModelError(f"'{path}': channel '{channel.name}' cannot be read ({error})") from None
    if y.dtype.kind not in "iuf" or not len(y):
        raise ModelError(f"'{path}': channel '{channel.name}' has no numbers")
    return y.astype(float)


def _channel(path: Path, name: Name | None, known: list[str]) -> str:
    """The full name of a channel.  Raises ModelError for none, and for several."""
    if not isinstance(name, str):
        given = "a channel is needed" if name is None else f"there is no channel {shown(name)}"
        raise ModelError(f"'{path}': {given}; name one of {', '.join(known)}")
    if name in known:
        return name
    found = [k for k in known if k.partition("/")[2] == name]
    if len(found) > 1:
        raise ModelError(f"'{path}': channel {shown(name)} is in several groups; write one of {', '.join(found)}")
    if not found:
        names = [*known, *(k.partition("/")[2] for k in known)]
        raise ModelError(f"'{path}': there is no channel {shown(name)}{did_you_mean(name, names)}")
    return found[0]


def _rpc(path: Path, time: Name | None, value: Name) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a channel of an RPC III file."""
    if time is not None:
        raise ModelError(f"'{path}': times of an RPC III file are multiples of its DELTA_T; leave time out")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(f"'{path}' is larger than {MOST_BYTES} bytes; cut it")
        file = RpcFile(path)
        if isinstance(value, str):
            names = [file.heading(k) for k in range(1, file.channels + 1)]
            if names.count(value) != 1:
                what = "several channels" if value in names else "no channel"
                raise ModelError(f"'{path}' has {what} {shown(value)}{did_you_mean(value, names)}")
            value = names.index(value) + 1
        if not 1 <= value <= file.channels:
            raise ModelError(f"'{path}' has {file.channels} channels; there is no channel {value} (the first is 1)")
        return file.values(value)
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror or error}") from None


def _is_float(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False

"""Time histories in RPC III format (MTS): of the headings of channels and of the numbers of one channel.

The header is of records of 128 bytes, a keyword of 32 and its value of 96, four to a block; groups of data follow, in
each of which every channel has PTS_PER_GROUP numbers in a row.  Short integers are scaled by SCALE.CHAN_n.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .base import ModelError

MAX_POINTS = 2_000_000
SHORT_FULL_SCALE = 32768.0


class RpcFile:
    """The header of a file, ``channels``, ``step`` (DELTA_T) and ``count`` of points of a channel.  Raises ModelError
    for a file that is not one, or of a form that is not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: dict[str, str] = {}
        size = path.stat().st_size
        with open(path, "rb") as file:
            raw = file.read(512)
            for record in _records(raw):
                self.header[record[0]] = record[1]
            blocks = self._number("NUM_HEADER_BLOCKS", int, 1)
            if 512 * blocks > size:
                raise ModelError(f"the RPC III file {path.name} ends within its header; it may be cut off")
            raw += file.read(512 * (blocks - 1))
        self.header.update(_records(raw))
        form = self._word("FORMAT").upper()
        if not form.startswith("BINARY"):
            raise ModelError(
                f"the RPC III file {path.name} is of FORMAT {form[:40]}, which is not read; write it as BINARY"
            )
        self._end = ">" if "BIG" in form else "<"
        self._begin = 512 * blocks
        self.channels = self._number("CHANNELS", int, 1)

    def _word(self, name: str) -> str:
        if name not in self.header:
            raise ModelError(f"the header of the RPC III file {self.path.name} has no {name}; write the file again")
        return self.header[name]

    def _number(self, name: str, kind: Any, least: float) -> Any:
        try:
            value = kind(float(self._word(name)) if kind is int else self._word(name))
        except (ValueError, OverflowError):
            value = math.nan
        if not (math.isfinite(value) and value >= least):
            raise ModelError(
                f"the header of the RPC III file {self.path.name} has {name} = {self._word(name)[:40]}; write the file "
                "again"
            )
        return value

    def heading(self, channel: int) -> str:
        """What the header calls a channel (DESC.CHAN_n), or nothing."""
        return self.header.get(f"DESC.CHAN_{channel}", "")

    def values(self, channel: int) -> tuple[np.ndarray, np.ndarray]:
        """Times, from zero, and values of one channel (from 1)."""
        path = self.path
        if not 1 <= channel <= self.channels:
            raise ModelError(
                f"CHANNEL = {channel}, and the RPC III file {path.name} has channels 1 to {self.channels}; correct it"
            )
        dt = self._number("DELTA_T", float, 0.0)
        if dt == 0.0:
            raise ModelError(f"the header of the RPC III file {path.name} has DELTA_T = 0; write the file again")
        frame, group, frames = (self._number(n, int, 1) for n in ("PTS_PER_FRAME", "PTS_PER_GROUP", "FRAMES"))
        count = frame * frames
        if count > MAX_POINTS:
            raise ModelError(
                f"the RPC III file {path.name} has {count} points, more than {MAX_POINTS}; cut out what is needed"
            )
        kind = self.header.get("DATA_TYPE", "SHORT_INTEGER").upper()
        if kind not in ("SHORT_INTEGER", "FLOATING_POINT"):
            raise ModelError(
                f"the RPC III file {path.name} has DATA_TYPE = {kind[:40]}; SHORT_INTEGER and FLOATING_POINT are read"
            )
        dtype = np.dtype(self._end + ("i2" if kind == "SHORT_INTEGER" else "f4"))
        pieces = []
        with open(path, "rb") as file:
            for k in range(-(-count // group)):
                want = min(group, count - k * group)
                file.seek(self._begin + ((k * self.channels) + channel - 1) * group * dtype.itemsize)
                piece = np.frombuffer(file.read(want * dtype.itemsize), dtype=np.uint8)
                if piece.size != want * dtype.itemsize:
                    raise ModelError(f"the RPC III file {path.name} ends within its data; it may be cut off")
                pieces.append(piece.view(dtype))
        y = np.concatenate(pieces).astype(float)
        if kind == "SHORT_INTEGER":
            y *= self._number(f"SCALE.CHAN_{channel}", float, -math.inf)
            if "INT_FULL_SCALE" in self.header:
                y *= self._number("INT_FULL_SCALE", float, 1.0) / SHORT_FULL_SCALE
        if not np.isfinite(y).all():
            raise ModelError(f"channel {channel} of {path.name} holds a value that is not finite; correct the file")
        return np.arange(count) * dt, y


def _records(raw: bytes) -> Iterator[tuple[str, str]]:
    for at in range(0, len(raw) - 127, 128):
        name, value = (
            part.split(b"\0", 1)[0].decode("latin-1").strip() for part in (raw[at : at + 32], raw[at + 32 : at + 128])
        )
        if name:
            yield name.upper(), value

"""Numbers inside of a page: base64 texts, as short as they can be without losing what a reader sees.

`pack` gives plain base64, marked with the shape of its array.  `embedded` writes what goes into a page: each of those
texts is replaced by differences along its rows, split by bytes and compressed (zlib), where that is shorter.
``templates/unpack.js`` reads both.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

FINE = 24  # bits of a curve's range that are kept where it is stored as whole numbers
SMALL = 200  # characters: shorter texts stay as they are


class Packed(str):
    """Base64 of an array (rows, columns) of items of ``size`` bytes; ``code``: what a page holds instead, made when it
    is requested."""

    size: int = 1
    columns: int = 1
    code: str = ""

    def short(self) -> str:
        """The text for a page."""
        if self.code or len(self) < SMALL:
            return self.code or str(self)
        words = np.frombuffer(base64.b64decode(self), f"<u{self.size}").reshape(-1, self.columns).T
        best = str(self)
        for order in (0, 1) if self.size <= 4 else (0,):
            text = f"~d{self.size},{self.columns},{order};{squeezed(difference(words, order))}"
            best = text if len(text) < len(best) else best
        return best


def pack(values: np.ndarray, dtype: str = "<f4") -> Packed:
    """Numbers in the data of a page."""
    array = np.ascontiguousarray(values, dtype)
    text = Packed(base64.b64encode(array.tobytes()).decode("ascii"))
    text.size = array.dtype.itemsize
    text.columns = int(np.prod(array.shape[1:])) or 1
    return text


def rounded(values: np.ndarray, bits: int, largest: float | None = None) -> np.ndarray:
    """Multiples of a power of two, not above 2^-bits of the largest: what a picture does not show is zero and packs
    well."""
    largest = float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0)) if largest is None else largest
    if not largest > 0 or not np.isfinite(largest):
        return values
    step = 2.0 ** (np.floor(np.log2(largest)) - bits)
    return np.round(values / step) * step


def pack_curve(values: np.ndarray) -> Packed:
    """One curve (n,) of 32-bit numbers; in a page as whole numbers of 2^-24 of its range, where that is as true as 32
    bits are for most of it."""
    text = pack(values)
    array = np.asarray(values, np.float32).astype(float)
    if len(array) < 20 or not np.isfinite(array).all():
        return text
    low, high = float(array.min()), float(array.max())
    largest = max(abs(low), abs(high))
    if high == low or np.median(np.abs(array)) < 1e-3 * largest:  # a spike: its step would be coarse for the rest
        return text
    step = largest * 2.0**-FINE
    whole = np.round(array / step).astype("<i4")
    best = text.short()
    for order in (1, 2):
        d = difference(whole.view("<u4")[None], order).view("<i4")
        zigzag = ((d << 1) ^ (d >> 31)).view("<u4")
        code = f"~q{order},{step!r};{squeezed(zigzag)}"
        best = code if len(code) < len(best) else best
    text.code = best
    return text


def difference(words: np.ndarray, order: int) -> np.ndarray:
    """Differences along the rows' direction (columns, rows), modulo the size of the words."""
    for _ in range(order):
        words = np.concatenate([words[:, :1], words[:, 1:] - words[:, :-1]], axis=1)
    return words


def squeezed(words: np.ndarray) -> str:
    """First all lowest bytes, then the next ones, ..., compressed, as base64."""
    raw = np.ascontiguousarray(words).view("u1").reshape(-1, words.dtype.itemsize).T.tobytes()
    return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")


def squeezed_text(text: str) -> str:
    """A script, compressed, as base64."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def safe_json(data: Any) -> str:
    """JSON that can stand inside a script element: no character that could close it or start markup; no NaN."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def embedded(data: Any) -> str:
    """`safe_json` of data whose packed numbers are shortened."""
    return safe_json(_shortened(data))


def _shortened(data: Any) -> Any:
    if isinstance(data, Packed):
        return data.short()
    if isinstance(data, dict):
        return {k: _shortened(v) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return [_shortened(v) for v in data]
    return data

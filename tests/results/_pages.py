"""Data that written pages hold, as a browser finds it."""

from __future__ import annotations

import base64
import json
import re
import zlib

import numpy as np

INTEGER_TYPES = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}


def plain(text):
    """Packed numbers of a page as plain base64, as templates/unpack.js reads them."""
    head, _, body = text[2:].partition(";")
    raw = np.frombuffer(zlib.decompress(base64.b64decode(body)), "u1")
    if text[1] == "q":
        order, step = head.split(",")
        z = raw.reshape(4, -1).T.copy().view("<u4")[:, 0]
        whole = ((z >> 1) ^ -(z & 1).astype("<u4")).view("<i4")
        for _ in range(int(order)):
            whole = np.cumsum(whole, dtype="<i4")
        out = (whole * float(step)).astype("<f4")
    else:
        size, columns, order = map(int, head.split(","))
        words = raw.reshape(size, -1).T.copy().view(INTEGER_TYPES[size]).reshape(columns, -1)
        for _ in range(order):
            words = np.cumsum(words, axis=1, dtype=INTEGER_TYPES[size])
        out = np.ascontiguousarray(words.T)
    return base64.b64encode(out.tobytes()).decode()


def plainly(data):
    if isinstance(data, str):
        return plain(data) if re.match(r"~[dq][^;]*;", data) else data
    if isinstance(data, dict):
        return {k: plainly(v) for k, v in data.items()}
    return [plainly(v) for v in data] if isinstance(data, list) else data


def unpack(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def embedded(page):
    """The viewer's data, as a browser finds it."""
    return plainly(
        json.loads(
            re.search(r'<script type="application/json" id="holonom-viewer-data">(.*?)</script>', page, re.S).group(1)
        )
    )


def curves_of(page):
    """Data of the plots."""
    return plainly(
        json.loads(
            re.search(r'<script type="application/json" id="holonom-curves">(.*?)</script>', page, re.S).group(1)
        )
    )


def drawn(curves, title):
    """Names of the curves of each plot with this title."""
    return [[name for name, _ in p["curves"]] for p in curves["plots"] if p["title"] == title]

"""Messages between the server and the solver's process: a table as JSON and a block of bytes, each with its length
before it.  Nothing is pickled."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

HEAD = struct.Struct("<II")
MAX_BYTES = 2**31


def packed(header: dict[str, Any], blob: bytes = b"") -> bytes:
    """One message."""
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    return HEAD.pack(len(text), len(blob)) + text + blob


def read(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message of a stream that waits; None at its end.  Raises ValueError for what is none."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    a, b = HEAD.unpack(head)
    if a + b > MAX_BYTES:
        raise ValueError("a message is too long")
    text, blob = stream.read(a), stream.read(b)
    if len(text) < a or len(blob) < b:
        return None
    return json.loads(text), blob

"""Opens HDF5 files whose writer was killed: takes the "open for writing" mark off a copy in memory.

HDF5 refuses a file that still bears this mark, and its reader of live files (SWMR) retries damaged blocks practically
for ever, so neither serves for a file that is not written any more.  Superblock: HDF5 File Format Specification 3.0,
II.A;
checksum: Bob Jenkins, lookup3.c (public domain), hashlittle with seed 0, as HDF5 uses it for metadata.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path

import h5py

from .disk import MAGIC, redo

SIGNATURE = b"\x89HDF\r\n\x1a\n"
FLAGS, BODY = 11, 44  # place of the consistency flags; bytes under the checksum with 8-byte addresses


def open_abandoned(path: Path, max_bytes: int) -> h5py.File:
    """The file in memory, its mark removed, its last block put in order (`_disk.redo`).  Raises OSError when it was
    closed or its superblock is damaged."""
    if path.stat().st_size > max_bytes:
        raise OSError(f"larger than {max_bytes} bytes")
    image = bytearray(path.read_bytes())
    staged = image.endswith(MAGIC)
    redo(image)
    if (
        image[:8] != SIGNATURE
        or len(image) < BODY + 4
        or image[8] != 3
        or image[9] != 8
        or not (image[FLAGS] or staged)
    ):
        raise OSError("it is cut off or not closed")
    if struct.unpack_from("<I", image, BODY)[0] != lookup3(bytes(image[:BODY])):
        raise OSError("its first block is damaged")
    image[FLAGS] = 0
    struct.pack_into("<I", image, BODY, lookup3(bytes(image[:BODY])))
    return h5py.File(io.BytesIO(image), "r")


def lookup3(data: bytes) -> int:
    """Jenkins' hashlittle(data, seed 0): 32-bit checksum."""
    mask = 0xFFFFFFFF

    def turn(x: int, k: int) -> int:
        return ((x << k) | (x >> (32 - k))) & mask

    a = b = c = (0xDEADBEEF + len(data)) & mask
    if not data:
        return c
    whole = (len(data) - 1) // 12 * 12  # the last 1 to 12 bytes are mixed differently
    for k in range(0, whole, 12):
        x, y, z = struct.unpack_from("<III", data, k)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        a = ((a - c) & mask) ^ turn(c, 4)
        c = (c + b) & mask
        b = ((b - a) & mask) ^ turn(a, 6)
        a = (a + c) & mask
        c = ((c - b) & mask) ^ turn(b, 8)
        b = (b + a) & mask
        a = ((a - c) & mask) ^ turn(c, 16)
        c = (c + b) & mask
        b = ((b - a) & mask) ^ turn(a, 19)
        a = (a + c) & mask
        c = ((c - b) & mask) ^ turn(b, 4)
        b = (b + a) & mask
    x, y, z = struct.unpack("<III", data[whole:].ljust(12, b"\0"))
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    for p, q, k in (
        ("c", "b", 14),
        ("a", "c", 11),
        ("b", "a", 25),
        ("c", "b", 16),
        ("a", "c", 4),
        ("b", "a", 14),
        ("c", "b", 24),
    ):
        v = {"a": a, "b": b, "c": c}
        v[p] = ((v[p] ^ v[q]) - turn(v[q], k)) & mask
        a, b, c = v["a"], v["b"], v["c"]
    return c

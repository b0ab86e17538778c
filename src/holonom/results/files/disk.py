"""Files below HDF5 whose errors of writing are known before HDF5 meets them, and which a killed process leaves whole.

HDF5 cannot release a file that it failed to write: each object reports the failure once more as it is closed, and the
library crashes when the process ends.  So HDF5 writes to a `CheckedFile`, which takes everything and keeps the first
error in ``error``; whoever writes requires it.

Staged, it holds back what HDF5 writes until `commit`, where HDF5 has brought its file into a whole state (after a
flush): first what lies beyond the end of the last state, then a record of what replaces parts of that state, with a
checksum, and last these parts themselves.  Where the disk is full the first two fail and the last state stays; where
the process is killed in the third, `redo` does it again when the file is read.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

PAGE = 4096
MAGIC = b"HNLREDO1"
TRAILER = struct.Struct("<QI8s")  # length and checksum of the record before it
PIECE = struct.Struct("<QQ")  # position and length of a replaced part


class CheckedFile(io.RawIOBase):
    """A new file for ``h5py.File(CheckedFile(path), "w")``.  ``staged``: hold back what is written until `commit`.
    Raises OSError where it cannot be made."""

    def __init__(self, path: str | os.PathLike, staged: bool = False) -> None:
        super().__init__()
        self._raw = open(path, "w+b", buffering=0)
        self.path = Path(path)
        self.staged = staged
        self.error: OSError | None = None
        self._pages: dict[int, bytearray] = {}  # held back
        self._size = self._at = 0
        self._whole = 0  # bytes of the last whole state

    # ---- what HDF5 calls ---------------------------------------------------------------------------------------------
    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer) -> int:
        view = memoryview(buffer).cast("B")
        n = max(0, min(len(view), self._size - self._at))
        done = 0
        while done < n:
            page, skip = divmod(self._at + done, PAGE)
            part = min(PAGE - skip, n - done)
            view[done : done + part] = self._page(page)[skip : skip + part]
            done += part
        self._at += n
        return n

    def write(self, data) -> int:
        view = memoryview(data).cast("B")
        n, done = len(view), 0
        if not self.staged and self.error is None:
            try:
                self._put(self._at, view)
            except OSError as problem:
                self.error = problem
        elif self.staged:
            while done < n:
                page, skip = divmod(self._at + done, PAGE)
                part = min(PAGE - skip, n - done)
                held = self._pages.get(page)
                if held is None:
                    held = self._pages[page] = bytearray(PAGE) if part == PAGE else bytearray(self._page(page))
                held[skip : skip + part] = view[done : done + part]
                done += part
        self._at += n
        self._size = max(self._size, self._at)
        return n

    def truncate(self, size: int | None = None) -> int:
        self._size = self._at if size is None else size
        if not self.staged and self.error is None:
            try:
                self._raw.truncate(self._size)
            except OSError as problem:
                self.error = problem
        return self._size

    def flush(self) -> None:
        """HDF5 requires it before its state is whole: see `commit`."""

    # ---- what the writer of a file calls -----------------------------------------------------------------------------
    def commit(self) -> None:
        """Put a whole state on disk; ``error`` states why that failed, and the state before is there then."""
        if self.error is not None or not self.staged:
            return
        new = {p: held for p, held in self._pages.items() if p * PAGE >= self._whole}
        old = {p: held for p, held in self._pages.items() if p not in new}
        try:
            for at, data in _runs(new, self._size):
                self._put(at, data)
            record = b"".join(PIECE.pack(at, len(data)) + data for at, data in _runs(old, self._size))
            self._put(max(self._size, self._whole), record + TRAILER.pack(len(record), zlib.crc32(record), MAGIC))
            for at, data in _runs(old, self._size):
                self._put(at, data)
        except OSError as problem:
            self.error = problem
            try:
                self._raw.truncate(self._whole)
            except OSError:  # what is behind the state does no harm
                pass
            return
        self._pages.clear()
        self._whole = self._size

    def close(self) -> None:
        """Put what is held back on disk and let the file go."""
        if self.closed:
            return
        self.commit()
        if self.staged and self.error is None:
            try:
                self._raw.truncate(self._whole)
            except OSError as problem:
                self.error = problem
        self._raw.close()
        super().close()

    def _page(self, page: int) -> bytes | bytearray:
        held = self._pages.get(page)
        if held is not None:
            return held
        if self._raw.closed:  # HDF5 releases an object late
            return bytes(PAGE)
        self._raw.seek(page * PAGE)
        return self._raw.read(PAGE).ljust(PAGE, b"\0")

    def _put(self, at: int, data) -> None:
        self._raw.seek(at)
        view, done = memoryview(data), 0
        while done < len(view):  # a disk that is nearly full takes a part first
            done += self._raw.write(view[done:]) or 0


def _runs(pages: dict[int, bytearray], size: int) -> list[tuple[int, bytes]]:
    """Pages that follow each other as one piece (position, bytes), none beyond the end of the file."""
    out: list[tuple[int, bytes]] = []
    first = -1
    parts: list[bytes] = []
    for page in sorted(pages):
        if page != first + len(parts):
            if parts:
                out.append((first * PAGE, b"".join(parts)))
            first, parts = page, []
        parts.append(bytes(pages[page]))
    if parts:
        out.append((first * PAGE, b"".join(parts)))
    return [(at, data[: max(0, size - at)]) for at, data in out if at < size]


def unfinished(path: Path) -> bool:
    """Whether a file ends with the record of a `CheckedFile.commit`: its writer was killed, or continues."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(MAGIC)))
        return file.read() == MAGIC


def redo(image: bytearray) -> None:
    """Do the last `CheckedFile.commit` of a file whose writer was killed again, in the copy ``image``; a damaged record
    leaves the state before."""
    if len(image) < TRAILER.size:
        return
    length, checksum, magic = TRAILER.unpack_from(image, len(image) - TRAILER.size)
    start = len(image) - TRAILER.size - length
    if magic != MAGIC or start < 0 or zlib.crc32(memoryview(image)[start : start + length]) != checksum:
        return
    record, k = bytes(image[start : start + length]), 0
    while k + PIECE.size <= len(record):
        at, n = PIECE.unpack_from(record, k)
        k += PIECE.size
        if k + n > len(record) or at + n > start:
            return
        image[at : at + n] = record[k : k + n]
        k += n

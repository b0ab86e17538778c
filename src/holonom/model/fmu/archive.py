"""The archive of an FMU, which is foreign: names and sizes are checked before anything is written.

Only the description, the binaries of this platform and the resources are ever unpacked.
"""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path, PurePosixPath

from ..base import ModelError, shown

MOST_BYTES = 2_000_000_000  # of all files of an archive, unpacked
MOST_FILES = 20_000
MOST_RATIO = 200  # of unpacked to packed bytes of a large file
LARGE = 10_000_000
BLOCK = 1 << 20


class Archive:
    """The files of an FMU, or of another ``kind`` of archive: ``names`` of files in it.  Raises `ModelError` for a file
    that is not a sound archive."""

    def __init__(self, path: Path, kind: str = "an FMU") -> None:
        self.path, self.kind = path, kind
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise ModelError(f"'{path}': there is no such file; give the path of {kind}") from None
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError) as error:
            raise ModelError(f"'{path}' is not {kind}: it cannot be read as a ZIP archive: {error}") from None
        try:
            self._check()
        except ModelError:
            self.close()
            raise
        self.names = frozenset(i.filename for i in self._zip.infolist() if not i.is_dir())

    @property
    def _what(self) -> str:
        return self.kind.partition(" ")[2]

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self) -> None:
        entries = self._zip.infolist()
        if len(entries) > MOST_FILES:
            raise ModelError(
                f"'{self.path}' contains {len(entries)} files; {self.kind} of at most {MOST_FILES} is read"
            )
        seen: set[str] = set()
        for entry in entries:
            name = entry.filename
            parts = PurePosixPath(name).parts
            if not parts or name[0] == "/" or "\\" in name or ":" in parts[0] or ".." in parts:
                self._refuse(entry, "leads out of its folder")
            if stat.S_ISLNK(entry.external_attr >> 16):
                self._refuse(entry, "is a link")
            if entry.flag_bits & 1:
                self._refuse(entry, "is encrypted")
            key = "/".join(parts).lower()
            if key in seen:
                self._refuse(entry, "is contained twice")
            seen.add(key)
            if entry.file_size > max(LARGE, MOST_RATIO * entry.compress_size):
                self._refuse(entry, f"unpacks {entry.compress_size} bytes to {entry.file_size}")
        total = sum(entry.file_size for entry in entries)
        if total > MOST_BYTES:
            raise ModelError(
                f"'{self.path}' unpacks to {total} bytes; {self.kind} of at most {MOST_BYTES} bytes is read"
            )

    def _refuse(self, entry: zipfile.ZipInfo, fault: str) -> None:
        raise ModelError(
            f"'{self.path}': the file {shown(entry.filename)} in it {fault}; the {self._what} is not opened"
        )

    def read(self, name: str, most: int) -> bytes:
        """All of one file of at most ``most`` bytes.  Raises `ModelError` for one that is absent, larger or damaged."""
        if name not in self.names:
            raise ModelError(f"'{self.path}' is not {self.kind}: it contains no {name}")
        try:
            with self._zip.open(name) as file:
                data = file.read(most + 1)
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
            raise self._damaged(name, error) from None
        if len(data) > most:
            raise ModelError(f"'{self.path}': {name} is larger than {most} bytes; the {self._what} is not opened")
        return data

    def unpack(self, folder: Path, *tops: str) -> None:
        """Write the files below the folders ``tops`` of the archive into ``folder``.  Raises `ModelError` for damaged
        ones, and where more is unpacked than the archive declares."""
        for entry in self._zip.infolist():
            if entry.is_dir() or not entry.filename.startswith(tuple(f"{top}/" for top in tops)):
                continue
            target = folder.joinpath(*PurePosixPath(entry.filename).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            left = entry.file_size
            try:
                with self._zip.open(entry) as source, open(target, "wb") as file:
                    while block := source.read(min(BLOCK, left + 1)):
                        left -= len(block)
                        if left < 0:
                            raise zipfile.BadZipFile("it is longer than declared")
                        file.write(block)
            except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
                raise self._damaged(entry.filename, error) from None
            except OSError as error:
                raise ModelError(f"'{self.path}': {entry.filename} cannot be unpacked: {error}") from None

    def _damaged(self, name: str, error: Exception) -> ModelError:
        return ModelError(f"'{self.path}': {name} in it is damaged: {error}; get the {self._what} again")

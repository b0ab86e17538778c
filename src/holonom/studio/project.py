"""The folder of a project: which files may be named, where the Studio keeps unsaved models and runs, and which server
may write.

Unsaved edits are kept in one file per document: that of a model with a file is named after the full path of the file,
that of a new model has a random number, so that no document overwrites another one and a copied folder inherits
nothing.  A lock file names the server that may write models; further servers of the same folder are read-only until one
takes over.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import socket
import tempfile
import threading
import time as clock
from pathlib import Path
from typing import Any

from ..model import ModelError
from ..model.base import shown

OWN = ".holonom"  # folder of the Studio in the project
UNSAVED = ".unsaved.json"
MAX_UNSAVED = 200  # unsaved models that are listed
MAX_KEPT_BYTES = 100_000_000  # of one unsaved model
BEAT = 2.0  # seconds between two signs of life in the lock file
#: what messages say instead of the system's words
FULL = {
    os.strerror(errno.ENOSPC): "the disk is full; free some space",
    os.strerror(errno.EDQUOT): "the disk quota is used up; free some space",
}
DENIED = tuple(os.strerror(n) for n in (errno.EACCES, errno.EPERM, errno.EROFS))
STALE = 60.0  # seconds without a sign of life after which the server of another machine is taken for dead


def write_whole(path: Path, data: bytes) -> None:
    """Put data into a file whole or not at all, also where several threads write it.  Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def digest_of(path: Path) -> str:
    """SHA-256 of the bytes of a file as text; empty where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def state_folder(folder: Path) -> Path:
    """The user's own folder for data about one project: its address, and all that a read-only project cannot hold.

    ``$XDG_STATE_HOME/holonom/studio`` (default ``~/.local/state``), else a folder for temporary files; mode 0700."""
    number = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    for root in (home / "holonom" / "studio", Path(tempfile.gettempdir()) / f"holonom-studio-{_user()}"):
        place = root / number
        with contextlib.suppress(OSError):
            root.mkdir(parents=True, exist_ok=True, mode=0o700)
            if hasattr(os, "getuid") and root.stat().st_uid != os.getuid():
                continue
            place.mkdir(exist_ok=True, mode=0o700)
            if _writable(place):
                return place
    return Path(tempfile.mkdtemp(prefix="holonom-studio-"))


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(exist_ok=True)
        probe = folder / f".probe-{secrets.token_hex(4)}"
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


class Project:
    """A project's folder.  ``home``: where the Studio keeps its files, ``.holonom`` in the project, or a folder of the
    user where the project is ``read_only``.

    Raises ModelError where ``.holonom`` is a link that leads out of the project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.id = secrets.token_hex(8)
        own = self.path(OWN)
        self.read_only = not _writable(own)
        self.home = state_folder(self.folder) if self.read_only else own
        #: the server that may write: None: this one, else what its lock gives
        self.holder: dict[str, Any] | None = None

    # ---- files ------------------------------------------------------------------------------------------------------
    def path(self, text: Any, folder: Path | None = None) -> Path:
        """A path in the project.  Raises ModelError for one outside of it, and for links without an end."""
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise ModelError(f"{shown(text)} is not a file name")
        try:
            path = ((folder or self.folder) / text.strip()).resolve()
            path.stat()
        except FileNotFoundError:
            pass
        except (OSError, RuntimeError) as error:  # links in a loop: RuntimeError before Python 3.13
            loop = isinstance(error, RuntimeError) or "symbolic link" in str(error)
            why = "it is a link that leads back to itself" if loop else getattr(error, "strerror", "") or str(error)
            raise ModelError(f"{shown(text)} cannot be opened: {why}") from None
        if not path.is_relative_to(self.folder):
            raise ModelError(f"{shown(text)} is outside of the project's folder; only files in it are read and written")
        return path

    def target(self, text: Any) -> Path:
        """A path in the project that a user names for a file to be written: not in the Studio's own folder.  Raises
        ModelError."""
        path = self.path(text)
        if path.is_relative_to(self.home.resolve()):
            raise ModelError(f"{shown(text)} is in the Studio's own folder, which is not shown; give another place")
        return path

    def own(self, name: str) -> Path:
        """A path in ``home``.  Raises ModelError where a link leads out of it, or the project's folder was moved."""
        if not self.read_only:
            self.there()
            return self.path(f"{OWN}/{name}")
        path = (self.home / name).resolve()
        if not path.is_relative_to(self.home.resolve()):
            raise ModelError(f"{shown(name)} is outside of the Studio's folder")
        return path

    @property
    def moved(self) -> str:
        """What to say where the project's folder is not there any more; empty: it is."""
        if self.folder.is_dir():
            return ""
        return (
            f"the project's folder '{self.folder.name}' was moved, renamed or removed; nothing can be saved: move it "
            "back, or end this Studio and start it in the new folder"
        )

    def there(self) -> None:
        """Raises ModelError where the project's folder was moved, renamed or removed."""
        if moved := self.moved:
            raise ModelError(moved)

    def named(self, path: Path) -> str:
        """A path as messages show it: from the project's folder, or from the Studio's own."""
        if path.is_relative_to(self.folder):
            return path.relative_to(self.folder).as_posix()
        return f"{OWN}/{path.relative_to(self.home).as_posix()}" if path.is_relative_to(self.home) else path.name

    def clean(self, text: str) -> str:
        """A message without folders of this machine: paths in the project begin at its folder, of others the last part
        remains; with a sentence for full disks, missing permissions and a folder that was moved."""
        denied = (
            f"permission is denied in the folder '{self.folder.name}'; make it writable for your user, or copy it and "
            "start the Studio in the copy"
        )
        moved = self.moved
        missing = {os.strerror(errno.ENOENT): moved} if moved else {}
        for words, sentence in {**FULL, **dict.fromkeys(DENIED, denied), **missing}.items():
            text = text.replace(words, sentence)
        for folder in (self.folder, self.home):
            text = text.replace(f"{folder}{os.sep}", "").replace(str(folder), folder.name)
        text = re.sub(r"(?<![\w.:/])/(?:[^\s/'\":]+/)+(?=[^\s/'\":])", "", text)
        return re.sub(r"(?<!\w)[A-Za-z]:\\(?:[^\s\\'\":]+\\)+(?=[^\s\\'\":])", "", text)

    def new_run(self) -> tuple[int, Path]:
        """Number and folder of the next run: no two servers get the same.  Raises OSError, ModelError."""
        runs = self.own("runs")
        runs.mkdir(exist_ok=True)
        number = max([0, *(int(p.name) for p in runs.iterdir() if p.name.isdigit())])
        while True:
            number += 1
            folder = self.own(f"runs/{number:04d}")
            with contextlib.suppress(FileExistsError):
                folder.mkdir()
                return number, folder

    # ---- unsaved models ---------------------------------------------------------------------------------------------
    def key(self, base: Path | None) -> str:
        """Name of the kept file of a document: by the full path of its file, or a random number."""
        if base is None:
            return f"new-{secrets.token_hex(4)}{UNSAVED}"
        number = hashlib.sha256(str(base).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return f"{base.name}-{number}{f'-{self.id}' if self.holder else ''}{UNSAVED}"

    def keep(self, key: str, data: dict[str, Any], base: Path | None) -> None:
        """Write an unsaved model, and a copy of the file on which its edits are based, as that may be changed by
        others.  Raises OSError, ModelError."""
        file = self.own(key)
        file.parent.mkdir(exist_ok=True)
        write_whole(file, json.dumps({**data, "session": self.id, "folder": str(self.folder)}).encode("utf-8"))
        digest = data.get("digest")
        if base is not None and digest:
            spare = self.spare(digest, base.name)
            if not spare.is_file():
                copy = base.read_bytes() if base.is_file() else b""
                if hashlib.sha256(copy).hexdigest() == digest:
                    spare.parent.mkdir(exist_ok=True)
                    write_whole(spare, copy)

    def spare(self, digest: str, name: str) -> Path:
        """The copy of a model's file with this digest."""
        return self.own(f"bases/{re.sub(r'[^0-9a-f]', '', digest)[:64]}{Path(name).suffix.lower()}")

    def drop(self, key: str) -> None:
        """Remove an unsaved model that is saved now."""
        self.own(key).unlink(missing_ok=True)

    def set_aside(self, key: str) -> None:
        """Give an unsaved model, where there is one of this key, a name that no other one takes."""
        with contextlib.suppress(OSError, ModelError):
            self.own(key).rename(self.own(f"{key.removesuffix(UNSAVED)}-{secrets.token_hex(4)}{UNSAVED}"))

    def unsaved(self) -> list[dict[str, Any]]:
        """Unsaved models, the newest first: ``key``, ``name``, ``file`` (from the project's folder; empty: none),
        ``elsewhere`` (it belongs to another folder), ``steps``, ``time`` (s), ``open`` (it was open when its server
        ended), ``damaged`` (it cannot be read).  Those that are open in another server at present are left out."""
        rows = []
        files = [p for p in self.home.glob(f"*{UNSAVED}") if not p.is_symlink() and p.is_file()]
        for file in sorted(files, key=lambda p: -p.stat().st_mtime)[:MAX_UNSAVED]:
            data = read_kept(file)
            damaged = data is None
            data = data or {"title": file.name.removesuffix(UNSAVED)}
            if self.holder and data.get("session") == self.holder.get("id") and data.get("open"):
                continue
            path = data.get("path")
            at = Path(path) if isinstance(path, str) and path else None
            here = at is not None and at.is_relative_to(self.folder)
            copied = at is None and data.get("folder", str(self.folder)) != str(self.folder)
            commands = data.get("commands")
            rows.append(
                {
                    "key": file.name,
                    "name": str(data.get("title") or data.get("name") or "model")[:200],
                    "file": at.relative_to(self.folder).as_posix() if at and here else (at.name if at else ""),
                    "elsewhere": (at is not None and not here) or copied,
                    "steps": len(commands) if isinstance(commands, list) else None,
                    "time": file.stat().st_mtime,
                    "open": bool(data.get("open")),
                    "damaged": damaged,
                }
            )
        return rows

    # ---- lock -------------------------------------------------------------------------------------------------------
    def _read_lock(self) -> dict[str, Any] | None:
        try:
            file = self.own("lock.json")
            with file.open("rb") as stream:
                data = json.loads(stream.read(10_000))
            data["beat"] = file.stat().st_mtime
            if data.get("host") == socket.gethostname() and data.get("folder", str(self.folder)) != str(self.folder):
                return None  # it came with a copy of the folder of another project
            return data if isinstance(data.get("id"), str) else None
        except (OSError, ValueError, TypeError, AttributeError, ModelError):
            return None

    def acquire(self, take: bool = False) -> bool:
        """Become the server that may write, where no other one is alive or with ``take``; whether it is."""
        other = self._read_lock()
        if other is not None and other["id"] != self.id and alive(other) and not take:
            self.holder = other
            return False
        self.holder = None
        about = {"id": self.id, "pid": os.getpid(), "host": socket.gethostname(), "since": clock.time()}
        about |= {"folder": str(self.folder)}
        with contextlib.suppress(OSError, ModelError):  # a folder that cannot be written is not written by another one
            write_whole(self.own("lock.json"), json.dumps(about).encode("utf-8"))
        return True

    def beat(self) -> bool:
        """A sign of life; whether another server has taken over, or has ended, since the last one."""
        other = self._read_lock()
        before = self.holder and self.holder["id"]
        if other is not None and other["id"] == self.id:
            self.holder = None
            with contextlib.suppress(OSError, ModelError):
                os.utime(self.own("lock.json"))
        elif other is not None and alive(other):
            self.holder = other
        else:  # the other one has ended, or somebody has removed the file
            self.acquire()
        return before != (self.holder and self.holder["id"])

    def release(self) -> None:
        """Let another server write."""
        other = self._read_lock()
        if other is not None and other["id"] == self.id:
            with contextlib.suppress(OSError, ModelError):
                self.own("lock.json").unlink(missing_ok=True)

    def writes(self) -> None:
        """Raises ModelError where another server may write and this one may not, or the folder was moved."""
        self.there()
        self.beat()
        if self.holder:
            raise ModelError(
                f"another Studio (process {self.holder.get('pid')}) has this project open, so this one is read-only; "
                "end the other one, or choose 'Take over'"
            )


def alive(lock: dict[str, Any]) -> bool:
    """Whether the server of a lock is there: another process of this machine, or a sign of life from another one."""
    pid = lock.get("pid")
    here = lock.get("host") == socket.gethostname()
    if not here or not isinstance(pid, int) or os.name == "nt":
        return clock.time() - lock.get("beat", 0.0) < (5.0 * BEAT if here else STALE)
    if pid == os.getpid() or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def read_kept(file: Path) -> dict[str, Any] | None:
    """What a kept file holds, None where it is damaged or too large."""
    try:
        if file.stat().st_size > MAX_KEPT_BYTES:
            return None
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def write_text(file: Path, text: str) -> None:
    """Put a text into a file of the Studio, whole or not at all."""
    file.parent.mkdir(exist_ok=True)
    write_whole(file, text.encode("utf-8"))

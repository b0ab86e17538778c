"""The store of a study: one SQLite file to which finished runs are appended, one row a run.

Rows are never changed or deleted: triggers of the database refuse it.  The journal is a write-ahead log, so that a
process that is killed at any moment leaves complete rows; a power cut may take the last few rows with it
(``synchronous=NORMAL``), which are then computed again.  Values are JSON texts and numbers; Python writes a float with
the digits that give the same bits when it is read.

The database has one table per concept: ``meta`` (format, definition of the study), ``stages`` (a design, an
optimisation: name, options and hash), ``runs``, ``losses`` (attempts that a worker process did not survive),
``outcomes`` (what a method concluded) and ``changes`` (accepted changes of code).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import shown
from ..model.calls import Guided
from ..results.files.targets import file_path

FORMAT = 1
# to get the lock of a store: readers that ask who writes (`writer`) have it for an instant, longer on a loaded machine
ATTEMPTS, PAUSE = 25, 0.04
OK, FAILED, REFUSED = "ok", "failed", "refused"
MAGIC = b"SQLite format 3\0"
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE stages (stage INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, options TEXT NOT NULL,
  started TEXT NOT NULL);
CREATE TABLE runs (stage INTEGER NOT NULL, number INTEGER NOT NULL, parameters TEXT NOT NULL, code TEXT NOT NULL,
  seed INTEGER NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL, time REAL, measures TEXT NOT NULL,
  energy_error REAL, warnings TEXT NOT NULL, attempts INTEGER NOT NULL, cpu REAL, wall REAL, finished TEXT NOT NULL,
  PRIMARY KEY (stage, number));
CREATE TABLE losses (id INTEGER PRIMARY KEY, stage INTEGER NOT NULL, number INTEGER NOT NULL, reason TEXT NOT NULL,
  happened TEXT NOT NULL);
CREATE TABLE outcomes (stage INTEGER PRIMARY KEY, outcome TEXT NOT NULL, finished TEXT NOT NULL);
CREATE TABLE changes (id INTEGER PRIMARY KEY, code TEXT NOT NULL, fingerprint TEXT NOT NULL, what TEXT NOT NULL,
  accepted TEXT NOT NULL);
"""
_TRIGGER = (
    "CREATE TRIGGER {table}_{what} BEFORE {what} ON {table} BEGIN "
    "SELECT RAISE(ABORT, 'rows of a study are never changed'); END;"
)
_COLUMNS = (
    "number, parameters, code, seed, status, message, time, measures, energy_error, warnings, attempts, cpu, wall, "
    "finished"
)


@dataclass
class Row(Guided):
    """One run.

    ``number``: position in its stage.  ``parameters``: name -> value.  ``code``: hash of model and code.  ``seed``: of
    the random numbers of this run.  ``status``: "ok", "failed", or "refused" before it ran; ``message``: the sentence
    of a failure, ``time``: the simulated time at which it failed.  ``measures``: name -> number.  ``energy_error``: the
    largest residual of the energy balance over the largest swing of an energy.  ``warnings``: of the run.
    ``attempts``: how often it was started.  ``cpu``, ``wall``: seconds.  ``finished``: when, UTC.
    """

    number: int
    parameters: dict[str, Any]
    code: str = ""
    seed: int = 0
    status: str = OK
    message: str = ""
    time: float | None = None
    measures: dict[str, float] = field(default_factory=dict)
    energy_error: float | None = None
    warnings: list[str] = field(default_factory=list)
    attempts: int = 1
    cpu: float | None = None
    wall: float | None = None
    finished: str = ""

    @property
    def ok(self) -> bool:
        """Whether the run gave its measures."""
        return self.status == OK

    def lasting(self) -> dict[str, Any]:
        """What two stores of the same study have in common to the last bit: all but clocks and attempts."""
        out = asdict(self)
        for key in ("attempts", "cpu", "wall", "finished"):
            del out[key]
        return out


def now() -> str:
    """UTC time as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _of_numpy(value: Any) -> Any:
    """A number of NumPy as one of Python, which JSON can hold."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not a number")


def dumps(value: Any) -> str:
    """JSON in one spelling only: keys in given order, no blanks, finite numbers."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_of_numpy)


def digest(value: Any) -> str:
    """Hash of what JSON can hold."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_of_numpy)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Store:
    """A file of runs.  ``write``: open it for appending, which one process at a time may do.

    Raises ModelError for a file that is not a store, is of another format, or is in use by another process.
    """

    def __init__(self, path: str | os.PathLike, write: bool = False) -> None:
        self.path = file_path(path, "a study is kept in a file", "pendulum.study")
        self._lock: Any = None
        if write:
            _own_file(self.path)
        fresh = not self.path.exists() or self.path.stat().st_size == 0
        if fresh and not write:
            raise ModelError(f"there is no study '{self.path}'; run it first, or check the path")
        try:
            if write:
                self._lock = _locked(self.path)
            self._db = self._opened(write)
            self._prepare(fresh and write)
            if write:
                self._file = _identity(self.path)
                _OPEN[self._file] = self.path
        except sqlite3.DatabaseError as error:
            self.close()
            raise ModelError(f"'{self.path}' is not a store of a study ({error}); give another path") from None
        except BaseException:
            self.close()
            raise

    def _opened(self, write: bool) -> sqlite3.Connection:
        """A connection; that of a reader cannot write rows."""
        db = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
        if write:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
        else:
            db.execute("PRAGMA query_only=ON")
        return db

    def _prepare(self, write: bool) -> None:
        """Tables of a new file; format of an old one."""
        db = self._db
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
        if not tables and (write or self._lock is not None):
            db.execute("BEGIN IMMEDIATE")  # a process that is killed here leaves an empty file, not half of the tables
            for statement in _TABLES.split(";"):
                if statement.strip():
                    db.execute(statement)
            for table in ("meta", "stages", "runs", "losses", "outcomes", "changes"):
                for what in ("UPDATE", "DELETE"):
                    db.execute(_TRIGGER.format(table=table, what=what))
            db.execute("INSERT INTO meta VALUES ('format', ?)", (str(FORMAT),))
            db.execute("COMMIT")
            tables = {"meta", "runs"}
        if not {"meta", "runs"} <= tables:
            raise ModelError(f"'{self.path}' is not a store of a study; give another path")
        version = self.meta("format")
        if version != str(FORMAT):
            raise ModelError(
                f"'{self.path}' is a store of format {version}, this version of Holonom reads format {FORMAT}; "
                "use the version that wrote it"
            )

    def close(self) -> None:
        """End the connection and release the file for other processes."""
        if getattr(self, "_db", None) is not None:
            self._db.close()
            self._db = _Closed(self.path)  # type: ignore[assignment]
        _OPEN.pop(getattr(self, "_file", None), None)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return isinstance(self._db, _Closed)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- reading ----------------------------------------------------------------------------------------------------
    def meta(self, key: str) -> str | None:
        """One text about the whole study."""
        found = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if found is None else found[0]

    def stages(self) -> list[dict[str, Any]]:
        """All stages in order: stage (number), key, name, options, started, runs, ok, finished."""
        out = []
        for stage, key, name, options, started in self._db.execute(
            "SELECT stage, key, name, options, started FROM stages ORDER BY stage"
        ):
            counts = dict(
                self._db.execute("SELECT status, COUNT(*) FROM runs WHERE stage = ? GROUP BY status", (stage,))
            )
            done = self._db.execute("SELECT finished FROM outcomes WHERE stage = ?", (stage,)).fetchone()
            out.append(
                {
                    "stage": stage,
                    "key": key,
                    "name": name,
                    "options": json.loads(options),
                    "started": started,
                    "counts": counts,
                    "finished": done[0] if done else None,
                }
            )
        return out

    def rows(self, stage: int | None = None, first: int = 0, end: int | None = None) -> Iterator[Row]:
        """Runs ``first`` to ``end`` (exclusive) of a stage in order of their numbers; of all stages where none is
        given."""
        where, values = "number >= ?", [first]
        if end is not None:
            where, values = where + " AND number < ?", [*values, end]
        if stage is not None:
            where, values = "stage = ? AND " + where, [stage, *values]
        for found in self._db.execute(f"SELECT {_COLUMNS} FROM runs WHERE {where} ORDER BY stage, number", values):
            row = list(found)
            for column in (1, 7, 9):
                row[column] = json.loads(row[column])
            yield Row(*row)

    def appended(self, after: int) -> Iterator[tuple[int, int, int, dict[str, Any], str, str, dict[str, float], str]]:
        """Runs in the order in which they were appended, those after a position (0: all): position, stage, number,
        parameters, status, message, measures, UTC time."""
        for at, stage, number, parameters, status, message, measures, finished in self._db.execute(
            "SELECT rowid, stage, number, parameters, status, message, measures, finished FROM runs WHERE rowid > ? "
            "ORDER BY rowid",
            (after,),
        ):
            yield at, stage, number, json.loads(parameters), status, message, json.loads(measures), finished

    def planned(self, stage: int) -> int | None:
        """How many runs the method of a stage has stated that it requests, or None."""
        found = self.meta(f"runs of stage {stage}")
        return None if found is None else int(found)

    def count(self, stage: int | None = None) -> int:
        """Number of finished runs."""
        where, values = ("", ()) if stage is None else (" WHERE stage = ?", (stage,))
        return self._db.execute("SELECT COUNT(*) FROM runs" + where, values).fetchone()[0]

    def failures(self, stage: int | None = None) -> list[tuple[str, int]]:
        """Sentences of failed and refused runs with their number, the commonest first."""
        where, values = ("", ()) if stage is None else (" AND stage = ?", (stage,))
        return self._db.execute(
            f"SELECT message, COUNT(*) FROM runs WHERE status != 'ok'{where} GROUP BY message "
            "ORDER BY COUNT(*) DESC, message",
            values,
        ).fetchall()

    def warnings(self, stage: int | None = None) -> list[tuple[str, int]]:
        """Warnings of runs with their number, the commonest first."""
        where, values = ("", ()) if stage is None else (" AND stage = ?", (stage,))
        return self._db.execute(
            "SELECT value, COUNT(*) FROM runs, json_each(runs.warnings) "
            f"WHERE runs.warnings != '[]'{where} GROUP BY value ORDER BY COUNT(*) DESC, value",
            values,
        ).fetchall()

    def losses(self) -> list[tuple[int, int, str, str]]:
        """Attempts that a worker process did not survive: stage, number of the run, reason, UTC time."""
        return self._db.execute("SELECT stage, number, reason, happened FROM losses ORDER BY id").fetchall()

    def outcome(self, stage: int) -> dict[str, Any] | None:
        """What the method of a stage concluded, or None while it is not finished."""
        found = self._db.execute("SELECT outcome FROM outcomes WHERE stage = ?", (stage,)).fetchone()
        return None if found is None else json.loads(found[0])

    def born(self) -> str | None:
        """When its study was begun, UTC: which study it is, also of files of one name."""
        found = self._db.execute("SELECT accepted FROM changes ORDER BY id LIMIT 1").fetchone()
        return None if found is None else found[0]

    def code(self) -> tuple[str, dict[str, str]] | None:
        """Hash and parts of the code that is in force: of the first run, or of the last change that was accepted."""
        found = self._db.execute("SELECT code, fingerprint FROM changes ORDER BY id DESC LIMIT 1").fetchone()
        return None if found is None else (found[0], json.loads(found[1]))

    def digest(self) -> str:
        """Hash of all that is the same in every execution of this study: stages, runs without their clocks and
        attempts, outcomes."""
        total = hashlib.sha256()
        for stage in sorted(self.stages(), key=lambda s: s["key"]):
            total.update(dumps([stage["key"], stage["name"], self.outcome(stage["stage"])]).encode())
            for row in self.rows(stage["stage"]):
                total.update(dumps(row.lasting()).encode())
        return total.hexdigest()

    # ---- appending --------------------------------------------------------------------------------------------------
    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        if getattr(self, "_file", None) is not None and _identity(self.path) != self._file:
            raise ModelError(
                f"the file '{self.path}' of the study was removed or replaced while the study is open; rows written "
                "now would be lost: close the study and open it again"
            )
        try:
            self._db.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise ModelError(
                f"cannot write to '{self.path}': {error}; finished runs are kept, run the study again when this is "
                "fixed"
            ) from None

    def set_meta(self, key: str, value: str) -> None:
        """Store a text about the whole study, once."""
        self._write("INSERT INTO meta VALUES (?, ?)", (key, value))

    def accept(self, code: str, fingerprint: dict[str, str], what: str) -> None:
        """Put code in force."""
        self._write(
            "INSERT INTO changes (code, fingerprint, what, accepted) VALUES (?, ?, ?, ?)",
            (code, dumps(fingerprint), what, now()),
        )

    def stage(self, key: str, name: str, options: dict[str, Any]) -> int:
        """Number of the stage with a key; a new one where there is none."""
        found = self._db.execute("SELECT stage FROM stages WHERE key = ?", (key,)).fetchone()
        if found is None:
            self._write(
                "INSERT INTO stages (key, name, options, started) VALUES (?, ?, ?, ?)",
                (key, name, dumps(options), now()),
            )
            found = self._db.execute("SELECT stage FROM stages WHERE key = ?", (key,)).fetchone()
        return found[0]

    def plan(self, stage: int, count: int) -> None:
        """Write how many runs a stage requests, once, for those who follow the study."""
        self._write("INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"runs of stage {stage}", str(count)))

    def add(self, stage: int, row: Row) -> None:
        """Append a finished run."""
        self._write(
            f"INSERT INTO runs (stage, {_COLUMNS}) VALUES ({', '.join('?' * 15)})",
            (
                stage,
                row.number,
                dumps(row.parameters),
                row.code,
                row.seed,
                row.status,
                row.message,
                row.time,
                dumps(row.measures),
                row.energy_error,
                dumps(row.warnings),
                row.attempts,
                row.cpu,
                row.wall,
                row.finished or now(),
            ),
        )

    def add_loss(self, stage: int, number: int, reason: str) -> None:
        """Append an attempt that a worker process did not survive."""
        self._write(
            "INSERT INTO losses (stage, number, reason, happened) VALUES (?, ?, ?, ?)", (stage, number, reason, now())
        )

    def conclude(self, stage: int, outcome: dict[str, Any]) -> None:
        """Append what the method of a stage concluded."""
        self._write("INSERT OR IGNORE INTO outcomes VALUES (?, ?, ?)", (stage, dumps(outcome), now()))


class _Closed:
    """The connection of a store that was closed: each use is an error."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def close(self) -> None:
        """Nothing is open."""

    def execute(self, *_: Any) -> Any:
        """Raises ModelError."""
        raise ModelError(f"the study '{self.path}' is closed; read its runs with holonom.studies.load('{self.path}')")


#: files that this process has open for writing
_OPEN: dict[Any, Path] = {}


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a path names; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _own_file(path: Path) -> None:
    """Raise ModelError for a path at which no store can be: in no folder, of another type of file, or open here."""
    if not path.parent.is_dir():
        raise ModelError(f"cannot write '{path}': there is no folder '{path.parent}'; make it, or give another path")
    if _identity(path) in _OPEN and path.exists():
        raise ModelError(
            f"the study '{path}' is open in this process already; use that one, or close it with study.close()"
        )
    try:
        with open(path, "rb") as file:
            head = file.read(len(MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror}") from None
    if head and head != MAGIC:
        raise ModelError(f"'{path}' is not a store of a study; give another path")


def _locked(path: Path) -> Any:
    """The file next to a store whose lock its writer holds; the operating system ends the lock with the process.

    Raises ModelError when another process holds it, and where the folder cannot be written."""
    lock = path.with_name(path.name + ".lock")
    try:
        file = open(lock, "ab+", buffering=0)  # noqa: SIM115
    except OSError as error:
        raise ModelError(f"cannot write '{path}' (its lock '{lock.name}'): {error.strerror}") from None
    for attempt in range(ATTEMPTS):
        if _take(file):
            break
        if attempt < ATTEMPTS - 1:
            time.sleep(PAUSE)
    else:
        file.close()
        raise ModelError(
            f"the study {shown(str(path))} is running in another process; wait for its end, or follow it with "
            f"'holonom study status {path}'"
        )
    with contextlib.suppress(OSError):
        file.truncate(0)
        file.write(str(os.getpid()).encode())
    return file


def _take(file: Any, shared: bool = False) -> bool:
    """Lock an open file for this process; whether no other one has it.  ``shared``: with others that ask so."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def writer(path: str | os.PathLike) -> int | None:
    """The process that writes a store: its number, 0 where that is not known; None where no process does."""
    lock = Path(path).with_name(Path(path).name + ".lock")
    try:
        with open(lock, "rb", buffering=0) as file:
            if _take(file, shared=True):
                return None  # the lock ends with the file
            file.seek(0)
            text = file.read(20)
    except FileNotFoundError:
        return None
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0

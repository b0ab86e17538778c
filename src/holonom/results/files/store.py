"""One HDF5 file per run: all arrays with units, the model, the settings and the solver's history.

Layout (format ``holonom-run-1``): root attributes ``format``, ``version`` (of Holonom), ``h5py``, ``complete``;
datasets ``model``, ``layout`` and ``tail`` are JSON text as bytes; ``time``, ``arrays/NAME``, ``history/FIELD``,
``extra/NAME`` have one row per output time (per solver step in ``history``) and the attribute ``units``.  Attributes
are text of fixed length. Nothing is pickled.
"""

from __future__ import annotations

import json
import os
import time as clock
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ...model import Model, ModelError
from ...model.reduced_body import ReducedBody
from .._data import COLUMNS, HISTORY_DTYPE, HISTORY_FIELDS, IMPACT_DTYPE, LISTS, PEAK_DTYPE, RunData, Segment
from ..run import Run
from .disk import CheckedFile, unfinished
from .recover import open_abandoned
from .targets import FOREIGN, file_path, named_path

FORMAT = "holonom-run-1"
MAX_BYTES = 16 * 2**30  # numbers of one run, unpacked
MAX_TEXT = 200_000_000  # model, layout or tail, unpacked
SIDES = ("constraint_i", "constraint_j", "force_i", "force_j")
CAUSE = "S96"  # UTF-8 of 24 characters
LIBRARY = ("v110", "v110")  # readable while it is written (SWMR) and by every HDF5 since 1.10
CHUNK_BYTES = 2**18


# ---- writing --------------------------------------------------------------------------------------------------------
def save(run: Run, path) -> None:
    """Write a run to ``path``; the file is written completely or not at all. `load` restores all numbers bit by bit."""
    path = file_path(path, "a run is saved to one HDF5 file", "run.h5", FOREIGN)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with CheckedFile(draft) as disk:
            with h5py.File(disk, "w", libver=LIBRARY) as file:
                _create(file, run.model, run.data)
                _append(file, [run.data])
                for number, one in enumerate(run.linear, start=1):
                    one.write(file.create_group(f"linear/{number:04d}"), model=False)
                _finish(
                    file,
                    run.data.counters,
                    run.data.segments,
                    run.info,
                    run.info.get("complete", True),
                    run.data.impacts,
                    run.data.peaks,
                )
            if disk.error is not None:
                raise disk.error
        os.replace(draft, path)
        run.file = path
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
    finally:
        with suppress(OSError):  # where there can be none
            draft.unlink(missing_ok=True)


class RunWriter:
    """Appends rows of a run to a file in blocks, so that an interrupted run leaves a readable file.

    ``layout``: a `RunData` whose columns say what the rows hold (its own rows are not written; optional energies and
    extra arrays are written only when ``layout`` has them).  A block goes to disk after ``rows`` rows or ``seconds``
    seconds, whichever comes first.  As a context manager it closes itself, and marks the run incomplete when an
    exception passes (Ctrl-C too).  A killed process loses at most the last block; `load` then gives the rest with
    ``info["complete"]`` False.  Raises ModelError where the file cannot be written, as on a full disk: it keeps the
    blocks before, and is closed.
    """

    def __init__(
        self,
        path,
        model: Model,
        layout: RunData,
        info: dict[str, Any] | None = None,
        *,
        rows: int = 256,
        seconds: float = 2.0,
    ) -> None:
        self.path = Path(path)
        self.info = dict(info or {})
        self.rows, self.seconds = rows, seconds
        self.counters: dict[str, int | float] = {}
        self.segments: list[Segment] = []
        self.written = 0
        self._waiting: list[RunData] = []
        self._since = clock.monotonic()
        try:
            self._disk = CheckedFile(self.path, staged=True)
        except OSError as problem:
            raise ModelError(f"cannot write '{self.path}': {problem.strerror or problem}") from None
        self._file: h5py.File | None = h5py.File(self._disk, "w", libver=LIBRARY)
        self._lists = {name: getattr(layout, name) for name in LISTS}
        _create(self._file, model, layout, chunk_rows=rows)
        _text(self._file, "start", _json({"info": self.info}))
        self._commit()

    @property
    def closed(self) -> bool:
        """Whether no more rows can be added."""
        return self._file is None

    def append(self, rows: RunData) -> None:
        """Add rows (and the solver steps in ``rows.history``); its columns must be those of the layout."""
        if self._file is None:
            raise ModelError(f"the run in '{self.path}' is closed; no rows can be added")
        for name, keys in self._lists.items():
            if getattr(rows, name) != keys:
                raise ModelError(f"these rows do not fit the run in '{self.path}': their {name} differ")
        self._waiting.append(rows)
        waiting = sum(len(r.time) for r in self._waiting)
        if waiting >= self.rows or clock.monotonic() - self._since > self.seconds:
            self.flush()

    def flush(self) -> None:
        """Put all rows so far on disk."""
        if self._file is None:
            return
        if self._waiting:
            _append(self._file, self._waiting)
            waiting = sum(len(rows.time) for rows in self._waiting)
            self._waiting.clear()
        else:
            waiting = 0
        self._commit()
        self.written += waiting
        self._since = clock.monotonic()

    def _commit(self) -> None:
        """Put the present state of the file on disk.  Raises ModelError, and closes the file, where that fails."""
        assert self._file is not None
        self._file.flush()
        self._disk.commit()
        if self._disk.error is not None:
            self._let_go()

    def _let_go(self) -> None:
        """Close the file, whatever it holds.  Raises ModelError when something of it could not be written."""
        assert self._file is not None
        self._file.close()
        self._file = None
        self._disk.close()
        problem = self._disk.error
        if problem is not None:
            if not self._disk.path.stat().st_size:
                self._disk.path.unlink(missing_ok=True)
            raise ModelError(
                f"cannot write '{self.path}': {problem.strerror or problem}; it holds the first {self.written} rows"
            )

    def close(
        self, *, counters=None, segments=None, info=None, complete: bool = True, impacts=None, peaks=None
    ) -> None:
        """Write what waits, the counters, segments, info, impacts and peaks, and close; further calls do nothing."""
        if self._file is None:
            return
        self.flush()
        info = {**self.info, **(info or {}), "complete": complete}
        _finish(self._file, counters or self.counters, segments or self.segments, info, complete, impacts, peaks)
        self._commit()
        self._let_go()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, kind, problem, trace) -> None:
        self.close(complete=kind is None)


def _json(value: Any) -> str:
    def plain(x):
        if isinstance(x, (np.ndarray, np.generic)):
            return x.tolist()
        if isinstance(x, (set, frozenset)):
            return sorted(x)
        return str(x)

    return json.dumps(value, default=plain)


def _text(group: h5py.Group, name: str, text: str) -> None:
    data = np.frombuffer(text.encode("utf-8"), np.uint8)
    if name in group:
        del group[name]
    group.create_dataset(name, data=data, compression="gzip", compression_opts=4 if len(data) else None)


def _growing(group: h5py.Group, name: str, shape: tuple[int, ...], dtype, units: str, rows: int) -> None:
    width = max(int(np.prod(shape)) * np.dtype(dtype).itemsize, 1)
    chunk = (max(1, min(rows, CHUNK_BYTES // width)), *(max(1, n) for n in shape))
    data = group.create_dataset(
        name,
        (0, *shape),
        dtype,
        maxshape=(None, *shape),
        chunks=chunk,
        compression="gzip",
        compression_opts=1,
        shuffle=True,
    )
    data.attrs["units"] = np.bytes_(units.encode("utf-8") or b" ")


def _create(file: h5py.File, model: Model, layout: RunData, chunk_rows: int = 1024) -> None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("holonom")
    except PackageNotFoundError:
        own = "unknown"
    for name, text in (("format", FORMAT), ("version", own), ("h5py", h5py.__version__)):
        file.attrs[name] = np.bytes_(text)
    file.attrs["complete"] = np.uint8(0)
    _text(file, "model", _json(ReducedBody.write_all(model, file)))
    columns = {name: getattr(layout, name) for name in LISTS}
    _text(file, "layout", _json({**columns, **{s: getattr(layout, s).tolist() for s in SIDES}}))
    symbol = model.units.symbol
    _growing(file, "time", (), "f8", symbol("time"), chunk_rows)
    arrays = file.create_group("arrays")
    for name, (_, _, quantity) in COLUMNS.items():
        if getattr(layout, name) is not None and 0 not in layout.shape(name)[1:]:  # HDF5 has no chunks of no width
            _growing(arrays, name, layout.shape(name)[1:], "f8", symbol(quantity), chunk_rows)
    extra = file.create_group("extra")
    for name, value in layout.extra.items():
        if value.dtype.kind not in "fiub":
            raise ModelError(f"extra array '{name}' cannot be stored: its kind {value.dtype} is not a number")
        _growing(extra, name.replace("/", "|"), value.shape[1:], value.dtype, "", chunk_rows)
    history = file.create_group("history")
    for name in HISTORY_FIELDS:
        units = symbol("time") if name in ("time", "step") else "s" if name == "cpu" else ""
        _growing(history, name, (), CAUSE if name == "cause" else HISTORY_DTYPE[name], units, 4096)


def _extend(dataset: h5py.Dataset, values: np.ndarray) -> None:
    if len(values):
        n = len(dataset)
        dataset.resize(n + len(values), axis=0)
        dataset[n:] = values


def _append(file: h5py.File, blocks: list[RunData]) -> None:
    """Time goes last: rows whose time is missing are not yet whole."""
    for rows in blocks:
        missing = {name.replace("|", "/") for name in file["extra"]} - set(rows.extra)
        if missing:
            raise ModelError(f"these rows lack the extra array '{sorted(missing)[0]}'")
    nan = lambda rows: np.full(len(rows.time), np.nan)
    for name, dataset in file["arrays"].items():
        values = [getattr(rows, name) for rows in blocks]
        _extend(dataset, np.concatenate([nan(r) if v is None else v for r, v in zip(blocks, values)]))
    for name, dataset in file["extra"].items():
        _extend(dataset, np.concatenate([rows.extra[name.replace("|", "/")] for rows in blocks]))
    log = np.concatenate([rows.history for rows in blocks])
    for name in HISTORY_FIELDS:
        column = log[name]
        _extend(file["history"][name], np.char.encode(column, "utf-8") if name == "cause" and len(column) else column)
    _extend(file["time"], np.concatenate([rows.time for rows in blocks]))


def _finish(file: h5py.File, counters, segments, info, complete, impacts=None, peaks=None) -> None:
    parts = [[s.kind, int(s.start), int(s.end), s.settings] for s in segments]
    _text(
        file,
        "tail",
        _json(
            {
                "counters": counters,
                "segments": parts,
                "info": info,
                "impacts": [list(row) for row in np.asarray([] if impacts is None else impacts, IMPACT_DTYPE).tolist()],
                "peaks": [
                    [v.tolist() if isinstance(v, np.ndarray) else v for v in row]
                    for row in np.asarray([] if peaks is None else peaks, PEAK_DTYPE).tolist()
                ],
            }
        ),
    )
    file.attrs["complete"] = np.uint8(bool(complete))


# ---- reading --------------------------------------------------------------------------------------------------------
def load(path, *, max_bytes: int = MAX_BYTES) -> Run:
    """Read a run from a file. The file is not trusted: formats, types and sizes are checked before anything is read.

    ``info["complete"]`` is False when the run was interrupted; its complete rows are read. Raises `ModelError` when the
    file is missing, not a run file, damaged, or larger than ``max_bytes`` when unpacked.
    """
    path = named_path(path, "a run is read from an HDF5 file", "run.h5")
    if not os.path.isfile(path):
        raise ModelError(
            f"'{path}' is a folder, not the file of a run" if os.path.isdir(path) else f"there is no file '{path}'"
        )
    if not h5py.is_hdf5(path):
        raise ModelError(f"'{path}' is not a Holonom run: it is not an HDF5 file")
    try:
        with _open(path, max_bytes) as file:
            return _read(file, path, max_bytes)
    except ModelError:
        raise
    except (
        OSError,
        KeyError,
        RuntimeError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
    ) as problem:
        raise ModelError(f"'{path}' is damaged or cut off and cannot be read ({problem})") from None


def _open(path: Path, max_bytes: int) -> h5py.File:
    if unfinished(path):
        return open_abandoned(path, max_bytes)
    try:
        return h5py.File(path, "r")
    except OSError:
        return open_abandoned(path, max_bytes)


def _dataset(group: h5py.Group, name: str, path: Path) -> h5py.Dataset:
    """A dataset that lives in this very file: no links elsewhere, no outside storage."""
    link = group.get(name, getlink=True)
    item = group.get(name) if isinstance(link, h5py.HardLink) else None
    if not isinstance(item, h5py.Dataset) or item.is_virtual or item.external:
        raise ModelError(f"'{path}' is damaged: it holds no plain table '{group.name.strip('/')}/{name}'")
    return item


def _attribute(file: h5py.File, name: str, kind: str) -> Any:
    """A small attribute of fixed length, else None.

    Text of variable length is never read: it lives in a heap without checksum, where libhdf5 can loop for ever.
    """
    if name not in file.attrs:
        return None
    found = file.attrs.get_id(name)
    if found.dtype.kind != kind or found.shape != () or found.dtype.itemsize > 64:
        return None
    return file.attrs[name]


def _group(file: h5py.File, name: str, path: Path) -> h5py.Group:
    item = file.get(name) if isinstance(file.get(name, getlink=True), h5py.HardLink) else None
    if not isinstance(item, h5py.Group):
        raise ModelError(f"'{path}' is damaged: it has no group '{name}'")
    return item


def _document(file: h5py.File, name: str, path: Path) -> Any:
    data = _dataset(file, name, path)
    if data.dtype != np.uint8 or data.ndim != 1 or data.size > MAX_TEXT:
        raise ModelError(f"'{path}' is damaged: '{name}' is not text or is larger than {MAX_TEXT} characters")
    return json.loads(data[:].tobytes().decode("utf-8"))


def _read(file: h5py.File, path: Path, max_bytes: int) -> Run:
    written = _attribute(file, "format", "S")
    written = written.decode("latin-1") if isinstance(written, bytes) else None
    if written != FORMAT:
        known = written is not None and written.startswith("holonom-run-")
        why = f"it has format '{written}' and this version reads '{FORMAT}'" if known else "its 'format' is not ours"
        raise ModelError(f"'{path}' is not a Holonom run that can be read here: {why}")
    arrays, extra, history = (_group(file, name, path) for name in ("arrays", "extra", "history"))
    tables = {name: _dataset(arrays, name, path) for name in arrays}
    extras = {name: _dataset(extra, name, path) for name in extra}
    steps = {name: _dataset(history, name, path) for name in HISTORY_FIELDS}
    times = _dataset(file, "time", path)
    unknown = set(tables) - set(COLUMNS)
    if unknown:
        raise ModelError(f"'{path}' holds an unknown table '{sorted(unknown)[0]}'")
    total = 0
    for name, table in [("time", times), *tables.items(), *extras.items(), *steps.items()]:
        if (
            table.ndim < 1
            or table.dtype.kind not in ("S" if name == "cause" else "fiub")
            or table.dtype.itemsize > 1024
        ):
            raise ModelError(f"'{path}' is damaged: table '{name}' holds {table.dtype} with {table.ndim} axes")
        total += int(np.prod([int(n) for n in table.shape], dtype=object)) * table.dtype.itemsize
    if total > max_bytes:
        raise ModelError(
            f"'{path}' holds {total / 2**30:.1f} GiB, above the limit of {max_bytes / 2**30:.1f}; raise max_bytes"
        )
    layout = _document(file, "layout", path)
    model = Model.from_dict(_document(file, "model", path), ReducedBody.read_all(file, str(path)))
    nt = min(len(t) for t in (times, *tables.values(), *extras.values()))
    ns = min(len(t) for t in steps.values())
    log = np.zeros(ns, HISTORY_DTYPE)
    for name, table in steps.items():
        column = table[:ns]
        log[name] = np.char.decode(column, "utf-8") if name == "cause" and ns else column
    tail: dict[str, Any] = {"counters": {}, "segments": [], "info": {}}
    if "tail" in file:
        tail = _document(file, "tail", path)
    elif "start" in file:
        tail["info"] = _document(file, "start", path)["info"]
    data = RunData(
        time=times[:nt],
        **{name: layout.get(name, []) for name in LISTS},  # files of older versions have no contacts
        **{name: layout[name] for name in SIDES},
        **{name: table[:nt] for name, table in tables.items()},
        history=log,
        counters=dict(tail["counters"]),
        impacts=np.array([tuple(row) for row in tail.get("impacts", [])], IMPACT_DTYPE),
        peaks=np.array([tuple(map(_inner, row)) for row in tail.get("peaks", [])], PEAK_DTYPE),
        segments=[_segment(row, nt, path) for row in tail["segments"]],
        extra={name.replace("|", "/"): table[:nt] for name, table in extras.items()},
    )
    info = dict(tail["info"])
    info["complete"] = bool(_attribute(file, "complete", "u"))
    run = Run._of_kept(model, data.freeze(), info)
    run.file = path
    if "linear" in file:
        from ..modes import Linear

        group = _group(file, "linear", path)
        run.linear = [Linear.read(_group(group, name, path), model) for name in sorted(group)]
    return run


def _inner(value: Any) -> Any:
    """A vector of a structured row as NumPy takes it."""
    return tuple(value) if isinstance(value, list) else value


def _segment(row: Any, nt: int, path: Path) -> Segment:
    kind, start, end, settings = row
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end):
        raise ModelError(f"'{path}' is damaged: an analysis covers rows {start} to {end}")
    return Segment(str(kind), min(start, nt), min(end, nt), dict(settings))

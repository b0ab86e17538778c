"""Systems that a simulation has built: one for each topology, not one for each analysis.

Another analysis takes the system that was built of the same drawing: its numbers are the same, and its arrays are put
back to what they were when it was built, so that it has the bits of a new one.  What the drawing is at a moment says
its *mark*, a digest of all that a system reads. A model whose functions are user routines is built again for each
analysis, since each is reported of its beginning (``call.initial``).
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...model import Model
from ...model.base import Element
from ...model.reduced_body import ReducedBody
from ...model.validate import validate
from ...system.build import System
from .memento import Memento

KEPT = 4  # systems that are kept; grains may be many: of their systems the last one
#: of a model, what no system reads
UNREAD = ("name", "title", "integrator", "equilibrium", "kinematics", "initial", "routines", "warnings", "scripts")

_fields: dict[type, tuple[str, ...]] = {}


class Systems:
    """See the module's text.  ``share``: False where there will be one analysis only, which saves the marks."""

    def __init__(self) -> None:
        self.share = True
        self._built: dict[bytes, tuple[System, Memento]] = {}

    def get(self, model: Model, **asked: Any) -> System:
        """The system of a model as it is now, with these arguments of `System`.  Raises ModelError for a model that
        cannot be one."""
        if not self.share:
            validate(model, asked.get("rigid", False))
            return System(model, **asked)
        key = mark(model, asked)
        plain = mark(model, {**asked, "initial": ""}) if asked.get("initial") else key
        kept = self._built.pop(key, None)
        if kept is not None and kept[0].model is model:
            system, fresh = self._built[key] = kept
            fresh.put_back()
            system.contacts.renew()
            return system
        validate(model, asked.get("rigid", False))
        system = System(model, **asked)
        if not _asks_routines(system):
            self._built[key if system.initial_rows else plain] = (
                system,
                Memento(system, system.y0, system.y_bodies, skip=_unkept(system)),
            )
            while len(self._built) > (KEPT if not system.grains else 1):
                del self._built[next(iter(self._built))]
        return system

    def forget(self, system: System) -> None:
        """A system whose tables are no longer those of its drawing is not taken again."""
        self._built = {key: kept for key, kept in self._built.items() if kept[0] is not system}

    @contextmanager
    def aside(self, system: System | None) -> Iterator[None]:
        """Another analysis may take this system meanwhile; afterwards it is as it was before."""
        if system is None or not any(kept is system for kept, _ in self._built.values()):
            yield
            return
        before = Memento(system, system.y0, system.y_bodies, skip=_unkept(system))
        try:
            yield
        finally:
            before.put_back()


def _unkept(system: System) -> tuple[Any, ...]:
    """Large work arrays, which `Contacts.renew` makes again."""
    return (system.contacts.W, system.contacts.sums) if system.contacts.on else ()


def _asks_routines(system: System) -> bool:
    return bool(system.functions.set.callbacks.functions or system._user_curves)


# ---- what the drawing is -------------------------------------------------------------------------------------------
def mark(model: Model, asked: dict[str, Any]) -> bytes:
    """Digest of all that a system of this model with these arguments reads: elements, units, gravity, settings of
    contact, the files that it names."""
    own = {name: value for name, value in vars(model).items() if name[:1] != "_" and name not in UNREAD}
    digest = _Digest()
    pickler = _Pickler(digest, pickle.HIGHEST_PROTOCOL)
    tables = {kind: table for kind, table in model._tables.items() if table}  # requesting a table may make an empty one
    pickler.dump((own, tables, sorted((name, _plain(value)) for name, value in asked.items()), _files(model)))
    return digest.hash.digest()


class _Digest:
    """A file that keeps the digest of what is written to it."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=32)

    def write(self, data: Any) -> int:
        self.hash.update(data)
        return len(data)


class _Pickler(pickle.Pickler):
    """Elements by their fields, without where they are written and what they keep for themselves; functions by what
    they are called."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Element):
            kind = type(obj)
            names = _fields.get(kind)
            if names is None:
                names = _fields[kind] = tuple(f.name for f in dataclasses.fields(kind) if f.name != "source")
            return _element, (kind.__name__, *(getattr(obj, name) for name in names))
        if isinstance(obj, ReducedBody):
            return _element, (obj.digest,)
        if callable(obj) and not isinstance(obj, type) and obj is not _element:
            return _element, (repr(obj),)
        return NotImplemented


def _element(*fields: Any) -> None:
    """Represents elements in a digest, which nobody reads back."""


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return sorted(value.items()) if isinstance(value, dict) else value


def _files(model: Model) -> list[tuple[str, int, int]]:
    """Files that elements name: their times and sizes, zeros where there is none."""
    folder = Path(model.path).resolve().parent if model.path else Path()
    out = []
    for table in model._tables.values():
        for e in table.values():
            file = getattr(e, "file", None)
            if isinstance(file, str) and file:
                try:
                    found = os.stat(folder / file)
                    out.append((file, found.st_mtime_ns, found.st_size))
                except OSError:
                    out.append((file, 0, 0))
    return out

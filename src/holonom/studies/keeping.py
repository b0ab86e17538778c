"""Full results of runs that a study keeps as files next to its store, by a rule and up to a size.

A worker writes the rows of a run to its file while it goes on, so a run that fails or whose process dies leaves what it
computed.  After its row is in the store, the rule decides whether its files remain.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.kinds import is_number, is_whole
from .store import REFUSED, Row

RULES = ("none", "all", "failed", "best")
_NAME = re.compile(r"(\d+)-(\d+)(?:-(.*))?\.h5")


@dataclass(frozen=True)
class Keep:
    """Which runs keep their full results.

    ``rule``: "none", "all", "failed", or "best": the ``count`` runs of a stage with the least (``largest``: largest)
    ``measure``.  ``size``: bytes of all kept files together; beyond it "best" gives up the worst ones, the other rules
    those with the highest numbers.  Raises ModelError for values that contradict each other."""

    rule: str = "none"
    measure: str = ""
    largest: bool = False
    count: int = 10
    size: float | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ModelError(f"keep: there is no rule {shown(self.rule)}{did_you_mean(self.rule, RULES)}")
        if (self.rule == "best") != bool(self.measure):
            what = "needs measure" if self.rule == "best" else "does not use measure"
            raise ModelError(f"keep: rule '{self.rule}' {what}, the name of one; 'best' keeps its best runs")
        if not is_whole(self.count) or self.count < 1:
            raise ModelError(f"keep: count must be a whole number from 1, got {shown(self.count)}")
        if self.size is not None and not (is_number(self.size) and 0 < self.size < math.inf):
            raise ModelError(f"keep: size must be a number of bytes above zero, got {shown(self.size)}")


def as_keep(given: Any) -> Keep:
    """A rule from its name, or a table ``{"rule": "best", "measure": "load", "count": 5}``."""
    if isinstance(given, Keep):
        return given
    if isinstance(given, str):
        return Keep(given)
    if not isinstance(given, Mapping):
        raise ModelError(f"keep: give one of {', '.join(RULES)}, or a table with rule and measure, got {shown(given)}")
    known = list(Keep.__dataclass_fields__)
    for key in given:
        if key not in known:
            raise ModelError(f"keep: unknown key {shown(key)}{did_you_mean(key, known)}")
    return Keep(**given)


@dataclass(frozen=True)
class KeptRun:
    """A kept file: ``stage``, ``number`` of its run, name of the ``analysis``, ``path``."""

    stage: int
    number: int
    analysis: str
    path: Path


def folder_of(store: Path) -> Path:
    """The folder of kept results of a store."""
    return store.with_name(store.name + ".runs")


def kept_runs(store: Path, stage: int | None = None) -> list[KeptRun]:
    """All kept files, in order of stages and numbers."""
    out = []
    folder = folder_of(store)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        found = _NAME.fullmatch(path.name)
        if found and stage in (None, int(found[1])):
            out.append(KeptRun(int(found[1]), int(found[2]), found[3] or "", path))
    return sorted(out, key=lambda k: (k.stage, k.number, k.analysis))


class Keeper:
    """The kept files of one stage."""

    def __init__(self, keep: Keep, store: Path, stage: int) -> None:
        self.keep, self.store, self.stage = keep, store, stage
        self.folder = folder_of(store)
        self._size = 0.0
        self._best: list[tuple[float, int]] = []

    def begin(self, rows: Iterable[Row]) -> None:
        """Make the folder, and apply the rule to runs that the store has: a study may have been killed between a row
        and its files.  Files of runs without a row are deleted.  Raises ModelError where the folder cannot be made."""
        if self.keep.rule == "none":
            return
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ModelError(f"cannot make the folder '{self.folder}': {error.strerror}") from None
        held = {k.number for k in kept_runs(self.store, self.stage)}
        self._size = sum(k.path.stat().st_size for k in kept_runs(self.store))
        for row in rows:
            if row.number in held:
                held.discard(row.number)
                self._judge(row)
        for number in held:
            self._delete(number)

    def stem(self, number: int) -> str | None:
        """The path of a run's files, without analysis and ending; None where nothing is kept."""
        return None if self.keep.rule == "none" else str(self.folder / f"{self.stage}-{number}")

    def forget(self, number: int) -> None:
        """Delete what a run has written that does not become a row."""
        self._size += sum(p.stat().st_size for p in self._files(number))
        self._delete(number)

    def settle(self, row: Row) -> None:
        """Keep or delete the files of a run whose row is in the store."""
        if self.keep.rule == "none" or row.status == REFUSED:
            return
        self._size += sum(p.stat().st_size for p in self._files(row.number))
        self._judge(row)

    def _judge(self, row: Row) -> None:
        rule = self.keep.rule
        if rule == "failed" and row.ok:
            self._delete(row.number)
        elif rule == "best":
            value = row.measures.get(self.keep.measure) if row.ok else None
            if value is None:
                self._delete(row.number)
                if row.ok and not self._best:
                    wanted = self.keep.measure
                    raise ModelError(
                        f"keep: run {row.number} has no measure {shown(wanted)}{did_you_mean(wanted, row.measures)}"
                    )
            else:
                self._best.append((-value if self.keep.largest else value, row.number))
                self._best.sort()
                while len(self._best) > self.keep.count:
                    self._delete(self._best.pop()[1])
        while self.keep.size is not None and self._size > self.keep.size and self._give_up():
            pass

    def _give_up(self) -> bool:
        """Delete the files of one run, to be within the size; whether there was one."""
        if self._best:
            self._delete(self._best.pop()[1])
            return True
        mine = [k.number for k in kept_runs(self.store, self.stage)]
        if mine:
            self._delete(max(mine))
        return bool(mine)

    def _files(self, number: int) -> list[Path]:
        names = (f"{self.stage}-{number}.h5", f"{self.stage}-{number}-*.h5")
        return [p for name in names for p in self.folder.glob(name)]

    def _delete(self, number: int) -> None:
        for path in self._files(number):
            self._size -= path.stat().st_size
            path.unlink()

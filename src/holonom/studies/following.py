"""What a study has done so far, read from its file while it runs, also by another process.

Rows of a store are appended and never changed, so each look reads the new ones only."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ..model import ModelError
from .optimize import FEASIBLE, LimitScale, as_limits
from .parameters import Space
from .reasons import common, deciding, reason, reasons
from .store import OK, Store, writer

MOST_SAMPLED = 1000  # runs of one reason, and ok ones, whose parameters are compared: evenly picked beyond
FEW = 500  # runs that are compared at each look
AGAIN = 1.1  # growth of their number at which they are compared again
MOST_MESSAGES = 1000  # of one reason that are remembered
RECENT = 200  # runs of which the rate is
GAP = 20.0  # of the median time between runs: a longer pause was an interruption, and does not enter the rate
LEAST_GAP = 60.0  # s, of these pauses
MOST_RANGES = 12  # measures whose ranges are kept
MOST_REASONS = 20


class Sample:
    """Values of parameters of runs, evenly picked where they are many."""

    def __init__(self, names: list[str]) -> None:
        self.values: dict[str, list[float]] = {n: [] for n in names}
        self.bounds: dict[str, tuple[float, float]] = {}  #: of all runs
        self.count, self._stride = 0, 1

    def add(self, parameters: Mapping[str, Any]) -> None:
        """One more run."""
        for name in self.values:
            low, high = self.bounds.get(name, (math.inf, -math.inf))
            self.bounds[name] = min(low, parameters[name]), max(high, parameters[name])
        if self.count % self._stride == 0:
            for name, values in self.values.items():
                values.append(parameters[name])
            if self.count == MOST_SAMPLED * self._stride:
                for values in self.values.values():
                    del values[1::2]
                self._stride *= 2
        self.count += 1


@dataclass
class Failure:
    """A reason why runs failed, with the parameters of those runs."""

    sample: Sample
    count: int = 0
    messages: dict[str, None] = field(default_factory=dict)
    compared: tuple[int, int] = (0, 0)
    deciding: str = ""

    def compare(self, ok: Sample, whole: bool) -> str:
        """The sentence on the parameter that decides (`reasons.deciding`): of the runs so far where they are few or
        ``whole``, else of those at the last comparison, unless there are many more."""
        now = self.count, ok.count
        limit = 1.0 if whole or sum(now) < FEW else AGAIN
        if any(a > limit * b for a, b in zip(now, self.compared)):
            self.compared, self.deciding = now, deciding(self.sample.values, ok.values)
        return self.deciding

    def add(self, message: str, parameters: Mapping[str, Any]) -> None:
        """One more run."""
        self.count += 1
        if len(self.messages) < MOST_MESSAGES:
            self.messages[message] = None
        self.sample.add(parameters)


class Best:
    """The best run of an optimisation so far, by objective and constraints on measures."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        given = options["objective"]
        self.names = [given] if isinstance(given, str) else list(given)
        self.squares = not isinstance(given, str)
        self.largest = bool(options.get("maximize"))
        self.limits = [(n, LimitScale(low, high)) for n, low, high in as_limits(options.get("subject_to"))]
        self.found: tuple[int, dict[str, Any], dict[str, float]] | None = None  #: number, parameters, measures
        self.formulas = False  #: whether a constraint is one that a row does not have

    def offer(self, number: int, parameters: dict[str, Any], measures: dict[str, float]) -> None:
        """One more run that succeeded."""
        if any(n not in measures for n in self.names):
            return
        for name, scale in self.limits:
            self.formulas |= name not in measures
            scale.meet(measures.get(name, 0.0))
        if self.found is None or self.rank(measures) < self.rank(self.found[2]):
            self.found = number, parameters, measures

    def rank(self, measures: Mapping[str, float]) -> tuple[float, float]:
        """Violation of the constraints and objective, to be minimised."""
        beyond = max((max(s.excesses(measures[n])) for n, s in self.limits if n in measures), default=0.0)
        return (beyond if beyond > FEASIBLE else 0.0), (-self.value(measures) if self.largest else self.value(measures))

    def value(self, measures: Mapping[str, float]) -> float:
        """The objective, of residuals the sum of their squares."""
        values = [measures[n] for n in self.names]
        return sum(v * v for v in values) if self.squares else values[0]

    def shown(self) -> dict[str, Any] | None:
        """For a table, None before the first run."""
        if self.found is None:
            return None
        number, parameters, measures = self.found
        what = f"sum of squares of {len(self.names)} residuals" if self.squares else self.names[0]
        return {
            "of": what,
            "value": self.value(measures),
            "run": number,
            "feasible": self.rank(measures)[0] == 0.0,
            "parameters": parameters,
            "formulas": self.formulas,
        }


class Progress:
    """What is known of one stage."""

    def __init__(self, options: Mapping[str, Any], name: str) -> None:
        self.counts: dict[str, int] = {}
        self.ranges: dict[str, tuple[float, int, float, int]] = {}  #: least, its run, largest, its run
        self.times: deque[str] = deque(maxlen=RECENT)
        self.best = Best(options) if name == "optimisation" and options.get("objective") else None

    def add(self, number: int, parameters: dict[str, Any], status: str, measures: dict[str, float], at: str) -> None:
        """One more run."""
        self.counts[status] = self.counts.get(status, 0) + 1
        self.times.append(at)
        if status != OK:
            return
        for name, value in measures.items():
            if name.startswith("d ") or (name not in self.ranges and len(self.ranges) >= MOST_RANGES):
                continue
            low, first, high, last = self.ranges.get(name, (math.inf, 0, -math.inf, 0))
            if value < low:
                low, first = value, number
            if value > high:
                high, last = value, number
            self.ranges[name] = low, first, high, last
        if self.best is not None:
            self.best.offer(number, parameters, measures)

    def rate(self) -> float | None:
        """Runs a second of the last ones, without what was before an interruption; None where one cannot say."""
        times = [datetime.fromisoformat(t).timestamp() for t in self.times]
        steps = [b - a for a, b in zip(times, times[1:])]
        if not steps:
            return None
        longest = max(LEAST_GAP, GAP * sorted(steps)[len(steps) // 2])
        after = max((k + 1 for k, step in enumerate(steps) if step > longest), default=0)
        span = times[-1] - times[after]
        return (len(times) - 1 - after) / span if span > 0.0 else None


class Following:
    """A study that is followed by its file."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._born: str | None = None
        self._begin([])

    def _begin(self, names: list[str]) -> None:
        self._read = 0
        self._names = names
        self._stages: dict[int, Progress] = {}
        self._ok = Sample(names)
        self._failures: dict[str, Failure] = {}

    def look(self) -> dict[str, Any]:
        """The state of the study, as JSON can hold it.

        ``writer``: number of the process that writes it (0: unknown), None where none does.  ``defined``: number of
        stages of its study file, 0 without one.  ``stages``: of each ``stage``, ``name``, ``options``, ``counts`` of
        runs by status, ``done``, ``total`` (None: unknown; ``most``: at most that many), ``rate`` (1/s), ``left`` (s),
        ``ranges`` of measures [name, least, its run, largest, its run], ``best``, ``finished``, ``message``.
        ``failures``: the commonest reasons, each with ``count``, ``text``, ``example``, ``at`` (ranges of parameters)
        and ``deciding``, the sentence on the parameter that decides.  ``warnings`` [count, text] of runs; ``losses``,
        attempts that ended with their worker process.  Raises ModelError where there is no study."""
        held = writer(self.path)
        with Store(self.path) as store:
            given = store.meta("parameters")
            if given is None:
                raise ModelError(f"'{self.path}' holds no study yet; run it first")
            space = Space.from_json(json.loads(given))
            if store.born() != self._born or space.ranged != self._names:
                self._begin(space.ranged)
                self._born = store.born()
            stages = store.stages()
            self._take(store, {s["stage"]: s for s in stages})
            losses = store.losses()
            definition = json.loads(store.meta("definition") or "{}")
            return {
                "writer": held,
                "parameters": [[p.name, p.unit] for p in space.parameters if p.varies],
                "defined": len(definition.get("stages") or ()),
                "stages": [self._stage(store, s, held is not None) for s in stages],
                "failures": self._reasons(held is None),
                "warnings": [[w.count, w.text] for w in reasons(store.warnings())[:MOST_REASONS]],
                "losses": len(losses),
                "last_loss": losses[-1][2] if losses else "",
            }

    def _take(self, store: Store, stages: Mapping[int, Mapping[str, Any]]) -> None:
        """The rows since the last look."""
        for row, stage, number, parameters, status, message, measures, at in store.appended(self._read):
            self._read = row
            if stage not in self._stages:
                known = stages.get(stage, {"options": {}, "name": ""})
                self._stages[stage] = Progress(known["options"], known["name"])
            self._stages[stage].add(number, parameters, status, measures, at)
            if status == OK:
                self._ok.add(parameters)
                continue
            key = reason(message)
            if key not in self._failures:
                self._failures[key] = Failure(Sample(self._names))
            self._failures[key].add(message, parameters)

    def _stage(self, store: Store, stage: Mapping[str, Any], running: bool) -> dict[str, Any]:
        progress = self._stages.get(stage["stage"]) or Progress(stage["options"], stage["name"])
        done, options = sum(progress.counts.values()), stage["options"]
        total, budget = store.planned(stage["stage"]), options.get("max_runs")
        most = total is None and isinstance(budget, int)
        total = budget if most else total
        rate = progress.rate() if running and not stage["finished"] else None
        outcome = store.outcome(stage["stage"]) or {}
        return {
            "stage": stage["stage"],
            "name": stage["name"],
            "options": {k: v for k, v in options.items() if isinstance(v, (str, int, float)) and v is not False},
            "counts": progress.counts,
            "done": done,
            "total": total,
            "most": most,
            "rate": rate,
            "left": (total - done) / rate if rate and total and total > done else None,
            "ranges": [[name, *found] for name, found in progress.ranges.items()],
            "best": progress.best.shown() if progress.best else None,
            "finished": stage["finished"],
            "message": str(outcome.get("message", "")),
            "outcome": outcome.get("parameters"),
        }

    def _reasons(self, whole: bool) -> list[dict[str, Any]]:
        found = sorted(self._failures.items(), key=lambda item: (-item[1].count, item[0]))
        return [
            {
                "count": one.count,
                "text": common(list(one.messages)),
                "example": next(iter(one.messages)),
                "at": [[name, low, high] for name, (low, high) in one.sample.bounds.items()],
                "deciding": one.compare(self._ok, whole),
            }
            for _, one in found[:MOST_REASONS]
        ]

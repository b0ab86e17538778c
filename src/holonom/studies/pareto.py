"""Pareto fronts: designs of which none is better in all objectives."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained
from ..model.kinds import is_number
from .optimize import METHODS, OPTIONS, as_limits, checked_method, search
from .store import Row

if TYPE_CHECKING:
    from .study import Study


def nondominated(F: np.ndarray) -> np.ndarray:
    """Which rows of objectives (n, m), all to be minimised, no other row betters: equal in all and less in one."""
    F = np.asarray(F, float)
    order = np.lexsort(F.T[::-1])
    kept: list[int] = []
    out = np.zeros(len(F), bool)
    for k in order:  # what dominates a row is before it in lexicographic order
        held = F[kept]
        if not ((held <= F[k]).all(axis=1) & (held < F[k]).any(axis=1)).any():
            kept.append(int(k))
            out[k] = True
    return out


@dataclass
class Front(Summary):
    """A Pareto front.

    ``objectives``: measure -> "min" or "max"; ``rows``: the runs on the front, by the first objective; ``message``: why
    the search ended; ``runs``, ``failed``: how many were requested, and failed."""

    objectives: dict[str, str]
    rows: list[Row] = field(repr=False)
    message: str
    runs: int
    failed: int
    stage: int = field(default=0, repr=False)

    def text(self) -> str:
        """Parameters and objectives of the runs on the front as a table, and why the search ended."""
        names = [*(self.rows[0].parameters if self.rows else ()), *self.objectives]
        cells = [
            [f"{v:.6g}" if is_number(v) else str(v) for v in ((r.parameters | r.measures)[n] for n in names)]
            for r in self.rows
        ]
        widths = [max(map(len, column)) for column in zip(names, *cells)]
        table = ["  ".join(c.rjust(w) for c, w in zip(line, widths)) for line in (names, *cells)]
        return "\n".join([*table, f"{self.message}; {self.runs} runs, {self.failed} failed"])

    @property
    def values(self) -> np.ndarray:
        """Objectives (n, m) of the front, as measured."""
        return np.array([[row.measures[name] for name in self.objectives] for row in self.rows])

    def _costs(self) -> np.ndarray:
        return self.values * [1.0 if goal == "min" else -1.0 for goal in self.objectives.values()]

    def knee(self) -> Row:
        """The run nearest to the best values of all objectives, each over its range on the front."""
        F = self._costs()
        spread = np.maximum(F.max(axis=0) - F.min(axis=0), 1e-300)
        return self.rows[int(np.argmin(np.linalg.norm((F - F.min(axis=0)) / spread, axis=1)))]

    def hypervolume(self, reference: Sequence[float]) -> float:
        """Area (two objectives) that the front dominates, up to a point that is worse than all of it.  Raises
        ModelError for more objectives, and for a reference of another length."""
        numbers = all(is_number(v) and math.isfinite(v) for v in reference)
        if len(self.objectives) != 2 or len(reference) != 2 or not numbers:
            raise ModelError(f"hypervolume: it takes two objectives and two numbers, got {shown(reference)}")
        signs = np.array([1.0 if goal == "min" else -1.0 for goal in self.objectives.values()])
        r, F = np.asarray(reference, float) * signs, self._costs()
        F = F[(F < r).all(axis=1)]
        F = F[np.lexsort(F.T[::-1])]
        edges = np.append(F[1:, 0], r[0])
        return float(((edges - F[:, 0]) * (r[1] - F[:, 1])).sum())


def check_objectives(objectives: Mapping[str, str]) -> None:
    """Raise ModelError unless these are two measures or more with their goals."""
    if not isinstance(objectives, Mapping) or len(objectives) < 2:
        raise ModelError(f"pareto: give two objectives or more, as {{'mass': 'min'}}, got {shown(objectives)}")
    for name, goal in objectives.items():
        if goal not in ("min", "max"):
            raise ModelError(f"pareto: the goal of '{name}' is 'min' or 'max', got {shown(goal)}")


@partial(explained, name="pareto", bound=True, strict=True)
def pareto(
    study: Study,
    objectives: Mapping[str, str],
    *,
    subject_to: Mapping[str, Any] | None = None,
    method: str = "nsga2",
    start: Mapping[str, Any] | None = None,
    max_runs: int = 5000,
    population: int | None = None,
) -> Front:
    """The designs of which none is better in all objectives (measure -> "min" or "max"), under constraints.

    ``method``: "nsga2", or "nsga3" for three objectives and more (both of pymoo); others as in `optimize.optimize`.
    Raises ModelError as that does."""
    check_objectives(objectives)
    several = [name for name, m in METHODS.items() if m.objectives == "several"]
    if method not in several:
        raise ModelError(f"pareto: there is no method {shown(method)}{did_you_mean(method, several)}")
    limits = as_limits(subject_to)
    options = {
        "objectives": dict(objectives),
        "method": method,
        "max_runs": max_runs,
        "population": population,
        "tolerance": 1e-9,
        "step": 1e-5,
    }
    checked_method(study.space.varied, method, limits, options)
    sign = [1.0 if goal == "min" else -1.0 for goal in objectives.values()]
    problem, stage, _, message = search(study, list(objectives), sign, limits, options, start)
    rows = [row for row in study.results(stage.number) if row.ok and problem.rank(row)[0] == 0.0]
    if rows:
        kept = nondominated(np.array([problem.values(row) for row in rows]))
        front = {tuple(row.parameters.items()): row for row, keep in zip(rows, kept) if keep}
        rows = sorted(front.values(), key=lambda row: tuple(problem.values(row)))
    stage.conclude({"front": [row.number for row in rows], "message": message, "runs": stage.position})
    return Front(dict(objectives), rows, message, stage.position, problem.failed, stage.number)


PARETO_OPTIONS = tuple(word for word in OPTIONS if word not in ("starts", "tolerance", "step"))

"""Finished runs of a study as a table: columns, the best, failures, files."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import counted
from .._warnings import warn_model
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import Guided
from ..results.files.targets import file_path
from .keeping import KeptRun, kept_runs
from .parameters import Space
from .reasons import Reason, deciding, reasons
from .reliability import Statistics, probability, statistics
from .store import Row, Store

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..results.run import Run
    from .surrogate import Surrogate

MOST_ROWS = 20  # of a table that is printed
WRITTEN = "a table of runs is written to a file"


class Results(Guided):
    """Runs of a stage, or of all stages of a store, in order.

    Rows are read from the file when they are needed, so that a table of 100,000 runs takes no memory."""

    def __init__(self, store: Store, space: Space | None = None, stage: int | None = None) -> None:
        import json

        self._store, self.stage = store, stage
        self._path, self._born = store.path.absolute(), store.born()
        if space is None:
            held = store.meta("parameters")
            if held is None:
                raise ModelError(f"'{store.path}' holds no study yet; run it first")
            space = Space.from_json(json.loads(held))
        self.space = space

    @property
    def store(self) -> Store:
        """The file of the runs.  One that the study has closed is opened again, for reading.  Raises ModelError where
        it is gone, or another study is at its path."""
        if self._store.closed:
            store = Store(self._path)
            if store.born() != self._born:
                store.close()
                raise ModelError(f"'{self._path}' holds another study than that of this table; run it again")
            self._store = store
        return self._store

    def __len__(self) -> int:
        return self.store.count(self.stage)

    def __iter__(self) -> Iterator[Row]:
        return self.store.rows(self.stage)

    @property
    def rows(self) -> list[Row]:
        """All runs."""
        return list(self)

    @property
    def names(self) -> list[str]:
        """Names of parameters and measures."""
        measures: dict[str, None] = {}
        for row in self:
            measures.update(dict.fromkeys(row.measures))
        return [*self.space.names, *measures]

    def __getitem__(self, name: str) -> np.ndarray:
        """A parameter or a measure of all runs (n,), NaN where a run does not have it.  Raises ModelError for a name
        of neither."""
        if not isinstance(name, str):
            raise ModelError(
                f"a table gives a column by its name, as table['{self.space.names[0]}'], not {shown(name)}; its runs "
                "are table.rows"
            )
        if name in self.space.names:
            return np.array([row.parameters[name] for row in self])
        found = [row.measures.get(name) for row in self]
        if found and all(v is None for v in found):
            raise ModelError(f"no run has a measure {shown(name)}{did_you_mean(name, self.names)}")
        return np.array([np.nan if v is None else v for v in found])

    def best(self, measure: str, largest: bool = False) -> Row:
        """The run with the least (or largest) value of a measure.  Raises ModelError where no run has it."""
        rows = [row for row in self if measure in row.measures]
        if not rows:
            raise ModelError(f"no run has a measure {shown(measure)}{did_you_mean(measure, self.names)}")
        return (max if largest else min)(rows, key=lambda row: row.measures[measure])

    def statistics(self, measure: str) -> Statistics:
        """Mean, standard deviation, quantiles of a measure, for samples of parameters with distributions."""
        return statistics(self[measure])

    def probability(
        self, measure: str, low: float | None = None, high: float | None = None
    ) -> tuple[float, float, float]:
        """Share of runs with a measure below ``low`` or above ``high``, and its 95 % confidence interval.  Runs that
        failed are left out, which a warning reports."""
        values = self[measure]
        if failed := int(np.isnan(np.asarray(values, float)).sum()):
            warn_model(
                f"probability of {shown(measure)}: {failed} of {counted(len(values), 'run')} have no value and are "
                "left out; if they count as failures of the machine, add them"
            )
        return probability(values, low, high)

    def fit(self, measure: str, kind: str = "kriging") -> Surrogate:
        """A surrogate of a measure, "quadratic", "rbf" or "kriging": see `surrogate.fit`."""
        from .surrogate import fit

        return fit(self, measure, kind)

    def effects(self, measure: str) -> list[tuple[str, float, float]]:
        """Main effects and interactions of a two-level design, the largest first: see `sensitivity.effects`."""
        from .sensitivity import effects

        every = list(self)
        rows = [row for row in every if measure in row.measures]
        if not rows:
            raise ModelError(f"no run has a measure {shown(measure)}{did_you_mean(measure, self.names)}")
        y = np.array([row.measures[measure] for row in rows])
        return effects([row.parameters for row in rows], self.space.names, y)

    def kept(self) -> list[KeptRun]:
        """Files of the full results that the study keeps, in order of stages and runs."""
        return kept_runs(self.store.path, self.stage)

    def load_run(self, number: int, analysis: str = "", stage: int | None = None) -> Run:
        """The kept `Run` of a run of a stage, by default of this table or the only one with such a file.  Raises
        ModelError where it is not kept, or several are and the analysis or the stage is open."""
        from ..results.files.store import load as load_file

        found = [k for k in kept_runs(self.store.path, self.stage if stage is None else stage) if k.number == number]
        named = [k for k in found if not analysis or k.analysis == analysis]
        if len(named) != 1:
            names = ", ".join(f"stage {k.stage} '{k.analysis}'" for k in found)
            which = f"run {number} keeps {names}; name one" if found else f"the results of run {number} are not kept"
            raise ModelError(f"'{self.store.path}': {which}")
        return load_file(named[0].path)

    @property
    def failed(self) -> list[Row]:
        """Runs that failed or were refused."""
        return [row for row in self if not row.ok]

    def reasons(self) -> list[Reason]:
        """Why runs failed, the commonest reason first: sentences that differ in their numbers are one reason."""
        return reasons(self.store.failures(self.stage))

    def failures(self) -> str:
        """Reasons why runs failed, the commonest first, with the ranges of parameters in which they occur, and the
        parameter that differs most between runs that failed and runs that did not."""
        every, lines, names = list(self), [], self.space.ranged
        ok = [row for row in every if row.ok]
        for why in self.reasons():
            lines.append(f"{why.count} x {why.text}")
            rows = [row for row in every if not row.ok and row.message in why.messages]
            if len(why.messages) > 1:
                lines.append(f"    for example run {rows[0].number}: {rows[0].message}")
            ranges = []
            for p in names:
                values = [row.parameters[p] for row in rows]
                ranges.append(f"{p} {min(values):.6g} to {max(values):.6g}")
            if ranges:
                lines.append("    at " + ", ".join(ranges))
            columns = ({n: [row.parameters[n] for row in some] for n in names} for some in (rows, ok))
            if difference := deciding(*columns):
                lines.append("    " + difference)
        return "\n".join(lines) or "no run failed"

    def status(self) -> str:
        """Stages and their runs, failures with their sentences, as text."""
        lines = [f"study {self.store.path}: {counted(len(self.space), 'parameter')}"]
        for s in self.store.stages():
            counts = ", ".join(f"{n} {status}" for status, n in s["counts"].items()) or "no runs yet"
            end = f"finished {s['finished']}" if s["finished"] else "not finished"
            lines.append(f"  stage {s['stage']}, {s['name']}: {counts}; {end}")
        if losses := self.store.losses():
            lines.append(f"  attempts that ended with their worker process: {len(losses)}; the last: {losses[-1][2]}")
        if self.store.failures(self.stage):
            lines += ["failed runs:", *("  " + line for line in self.failures().split("\n"))]
        if warned := reasons(self.store.warnings(self.stage)):
            lines += ["warnings of runs:", *(f"  {why.count} x {why.text}" for why in warned)]
        return "\n".join(lines)

    def text(self, most: int = MOST_ROWS) -> str:
        """The table as text, ``most`` rows."""
        names = self.names
        head = ["run", *names, "status"]
        cells = []
        for k, row in enumerate(self):
            if k == most:
                break
            both = {**row.parameters, **row.measures}
            shown_values = [_cell(both.get(n, "")) for n in names]
            cells.append(
                [
                    str(row.number),
                    *shown_values,
                    row.status if row.ok else f"{row.status}: {row.message.split('; ')[0]}",
                ]
            )
        widths = [max(len(line[c]) for line in [head, *cells]) for c in range(len(head) - 1)]
        lines = ["  ".join([*(w.rjust(n) for w, n in zip(line, widths)), line[-1]]).rstrip() for line in [head, *cells]]
        if len(self) > most:
            hidden = sum(1 for k, row in enumerate(self) if k >= most and not row.ok)
            lines.append(f"... and {len(self) - most} more runs" + (f", {hidden} of them failed" if hidden else ""))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def to_csv(self, path: str | Path) -> Path:
        """All runs with all digits.  Raises ModelError where the file cannot be written."""
        path = file_path(path, WRITTEN, "runs.csv", (".study", ".html", ".parquet", ".py"))
        names = self.names
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                out = csv.writer(file)
                words = ("run", "status", "message", "time", "energy_error", "seed", "attempts", "cpu")
                first, *others = _headings(words, names)
                out.writerow([first, *names, *others])
                for row in self:
                    both = {**row.parameters, **row.measures}
                    out.writerow(
                        [
                            row.number,
                            *(both.get(n, "") for n in names),
                            row.status,
                            row.message,
                            "" if row.time is None else row.time,
                            "" if row.energy_error is None else row.energy_error,
                            row.seed,
                            row.attempts,
                            row.cpu,
                        ]
                    )
        except OSError as error:
            raise ModelError(f"cannot write '{path}': {error.strerror}") from None
        return Path(path)

    def to_html(self, path: str | Path) -> Path:
        """One page with stages, failures, figures (history, parallel coordinates, scatter matrix, Pareto front,
        tornado) and runs, that needs no network.  Raises ModelError where the file cannot be written."""
        from .page import write_page

        return write_page(self, file_path(path, WRITTEN, "runs.html"))

    def to_dataframe(self) -> DataFrame:
        """A pandas DataFrame, a row a run."""
        import pandas as pd

        run, status, message, cpu = _headings(("run", "status", "message", "cpu"), self.names)
        return pd.DataFrame(
            [
                {run: r.number, **r.parameters, **r.measures, status: r.status, message: r.message, cpu: r.cpu}
                for r in self
            ]
        )

    def to_parquet(self, path: str | Path) -> Path:
        """All runs as a Parquet file.  Raises ModelError where pyarrow is not installed, or the file cannot be
        written."""
        path = file_path(path, WRITTEN, "runs.parquet", (".study", ".html", ".csv", ".py"))
        try:
            self.to_dataframe().to_parquet(path)
        except ImportError:
            raise ModelError("Parquet needs pyarrow; pip install holonom[parquet], or write a .csv file") from None
        except OSError as error:
            raise ModelError(f"cannot write '{path}': {error.strerror}") from None
        return Path(path)


def _headings(words: Sequence[str], names: Collection[str]) -> list[str]:
    """Headings of what a run has in addition to parameters and measures ``names``: other ones where those have them."""
    return [f"{word} of the run" if word in names else word for word in words]


def _cell(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.6g}"


def load(path: str | Path, stage: int | None = None) -> Results:
    """The finished runs of a store, while the study runs too.  Raises ModelError for a file that is not one."""
    return Results(Store(path), stage=stage)

"""Loads of joints and forces as a table: largest force and torque, their times and components, and root mean
squares."""

from __future__ import annotations

import csv
import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.html import LEFT, RIGHT, TABLE, pretty
from .._names import Named
from .sides import shares

MISSED = 0.05  # share by which output rows may be below a peak before a warning
RELEVANT = 1e-6  # of the largest load: smaller peaks that output rows miss are not named

#: one row for each joint, motion, force or contact; vectors are those at the time of the peak, on the I marker (side),
#: in ground axes.  Peaks are those along the steps of the solver (``along``), else those of the rows; ``row_force`` and
#: ``row_torque`` are always those of the rows
DTYPE = np.dtype(
    [
        ("element", "U80"),
        ("kind", "U24"),
        ("id", "i8"),
        ("peak_force", "f8"),
        ("force_time", "f8"),
        ("force", "f8", 3),
        ("rms_force", "f8"),
        ("peak_torque", "f8"),
        ("torque_time", "f8"),
        ("torque", "f8", 3),
        ("rms_torque", "f8"),
        ("point", "f8", 3),
        ("row_force", "f8"),
        ("row_torque", "f8"),
        ("along", "?"),
    ]
)


@dataclass
class Reactions(Named):
    """``rows``: structured array of DTYPE, the largest force first; ``units``: texts of force, torque and time.

    Root mean squares are time-weighted (exact for linear interpolation between rows). Displayed as a table in notebooks
    and terminals.
    """

    rows: np.ndarray
    units: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> np.void:
        """The row of an element by name (case does not count) or KIND/id."""
        low = str(name).strip().lower()
        for row in self.rows:
            if low in (str(row["element"]).lower(), f"{row['kind']}/{row['id']}".lower()):
                return row
        raise ModelError(
            f"there is no row of '{name}' in this table; it has {', '.join(map(str, self.rows['element'][:6]))}"
        )

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        f, m, s = (self.units.get(k, "") for k in ("force", "torque", "time"))
        head = [
            "element",
            f"peak force ({f})",
            f"at ({s})",
            *(f"F{c} ({f})" for c in "xyz"),
            f"r.m.s. force ({f})",
            f"peak torque ({m})",
            f"at ({s})",
            *(f"T{c} ({m})" for c in "xyz"),
            f"r.m.s. torque ({m})",
        ]
        body = [
            [
                str(r["element"]),
                r["peak_force"],
                r["force_time"],
                *r["force"],
                r["rms_force"],
                r["peak_torque"],
                r["torque_time"],
                *r["torque"],
                r["rms_torque"],
            ]
            for r in self.rows
        ]
        return head, [[v if isinstance(v, str) else float(v) for v in row] for row in body]

    def __str__(self) -> str:
        head, body = self._table()
        lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
        for row in body:
            name = row[0].replace("|", "\\|")
            lines.append(f"| {name} | " + " | ".join(f"{v:.5g}" for v in row[1:]) + " |")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, body = self._table()
        side = lambda k: RIGHT if k else LEFT
        ths = "".join(f'<th scope="col" style="{side(k)}">{html.escape(pretty(h))}</th>' for k, h in enumerate(head))
        rows = "".join(
            "<tr>"
            + "".join(
                f'<td style="{side(k)}">{html.escape(v if isinstance(v, str) else f"{v:.5g}")}</td>'
                for k, v in enumerate(row)
            )
            + "</tr>"
            for row in body[:200]
        )
        more = f"<p>{len(body) - 200} more rows are not shown.</p>" if len(body) > 200 else ""
        return f'<div style="overflow-x:auto"><table style="{TABLE}"><tr>{ths}</tr>{rows}</table></div>{more}'

    def csv(self, path: str | Path) -> Path:
        """Write the table as CSV with names and units; returns the path.  Raises ModelError where the file cannot be
        written."""
        head, body = self._table()
        path = Path(path)
        try:
            with path.open("w", newline="", encoding="utf-8") as stream:
                out = csv.writer(stream)
                out.writerow(head)
                out.writerows([v if isinstance(v, str) else repr(v) for v in row] for row in body)
        except OSError as problem:
            raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
        return path


def reactions(run: Any, *, forces: bool = False, contacts: bool = False) -> Reactions:
    """Loads of joints, motions and other constraints on their I markers; ``forces`` adds those of applied forces,
    ``contacts`` those of contacts on their I sides, with the point of application of the largest force. Elements that
    act on several markers (couplers, gears, general constraints) have a row for each additional marker, "NAME on
    MARKER".

    Peaks are the largest values over all solver steps where the run has them (`RunData.peaks`), since output rows can
    miss short impacts; for additional markers and for parts of a run (`Run.between`, `Run.segment`) they are taken from
    the output rows. Raises `ModelError` for a run without outputs.
    """
    if not len(run):
        raise ModelError("this run has no outputs, so there are no reactions to list")
    d, t = run.data, np.asarray(run.time, float)
    markers = run.model.table("MARKER")
    several = shares(run)
    found = []
    between = {(str(row["kind"]), int(row["id"])): row for row in d.peaks}
    for k, key in enumerate(d.contacts if contacts else ()):
        row = _row(key, key[2], t, d.contact_force[:, k], d.contact_torque[:, k])
        largest = int(np.argmax(np.nan_to_num(np.linalg.norm(d.contact_force[:, k], axis=1), nan=-1.0)))
        row["point"] = d.contact_point[largest, k]
        found.append(_raised(row, between.get(key[:2])))
    for table in ("constraint", "force") if forces else ("constraint",):
        ends = getattr(d, f"{table}_i")
        for k, key in enumerate(getattr(d, f"{table}s")):
            loads = (np.asarray(getattr(d, f"{table}_{what}"), float)[:, k] for what in ("force", "torque"))
            found.append(_raised(_row(key, key[2], t, *loads), between.get(key[:2])))
            for marker, wrench in several.get(key[:2], ()):
                if marker != ends[k]:
                    found.append(
                        _row(
                            key,
                            f"{key[2]} on {markers[marker].name or f'MARKER/{marker}'}",
                            t,
                            wrench[:, :3],
                            wrench[:, 3:],
                        )
                    )
    rows = np.array(found, DTYPE) if found else np.zeros(0, DTYPE)
    order = np.argsort(-np.nan_to_num(rows["peak_force"], nan=-1.0), kind="stable")
    return Reactions(rows[order], {k: run.units(k) for k in ("force", "torque", "time")})


def _row(key: Any, name: str, t: np.ndarray, force: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The row of an element, or of one of the markers on which it acts."""
    row = np.zeros((), DTYPE)
    row["element"], row["kind"], row["id"] = name, key[0], key[1]
    row["point"] = np.nan
    for what, values in (("force", force), ("torque", torque)):
        size = np.linalg.norm(values, axis=1)
        good = np.isfinite(size)
        if not good.any():
            row[f"peak_{what}"] = row[f"{what}_time"] = row[f"rms_{what}"] = np.nan
            row[what] = np.nan
            continue
        worst = int(np.argmax(np.where(good, size, -1.0)))
        row[f"peak_{what}"], row[f"{what}_time"], row[what] = size[worst], t[worst], values[worst]
        row[f"rms_{what}"] = rms(t[good], values[good])
    for what in ("force", "torque"):
        row[f"row_{what}"] = row[f"peak_{what}"]
    return row


def _raised(row: np.ndarray, peak: Any) -> np.ndarray:
    """The row with the peak along the steps (a row of `PEAK_DTYPE`; None: there is none) where that is larger."""
    if peak is None:
        return row
    row["along"] = True
    for what in ("force", "torque"):
        size = float(np.linalg.norm(peak[what]))
        if np.isfinite(size) and size > row[f"peak_{what}"]:
            row[f"peak_{what}"], row[f"{what}_time"], row[what] = size, peak[f"{what}_time"], peak[what]
            if what == "force" and np.isfinite(peak["point"]).all():
                row["point"] = peak["point"]
    return row


def step_peak(run: Any, key: Any, what: str) -> tuple[float, float] | None:
    """Size and time of the largest force or torque (``what``) of an element (kind, id) along the steps of the solver;
    None where the run does not have it (`RunData.peaks`)."""
    for peak in run.data.peaks:
        if (str(peak["kind"]), int(peak["id"])) == tuple(key[:2]):
            size = float(np.linalg.norm(peak[what]))
            return (size, float(peak[f"{what}_time"])) if np.isfinite([size, peak[f"{what}_time"]]).all() else None
    return None


def missed_peak(run: Any, key: Any, what: str, peak: float, time: float, rows: float) -> str:
    """The clause that names a peak along the steps of the solver that the output rows miss."""
    unit = run.units
    return (
        f"the largest {what} of {key[0]}/{key[1]}, {peak:.6g} {unit(what)} at {time:.6g} {unit('time')}, is between "
        f"output rows, which show {rows:.3g}"
    )


def rms(t: np.ndarray, values: np.ndarray) -> float:
    """Root of the mean over time of |v|^2 for v (nt, 3) on straight lines between rows."""
    h = np.diff(t)
    if not len(h) or not h.sum() > 0:
        return float(np.sqrt(np.mean(np.sum(values**2, axis=1))))
    a, b = values[:-1], values[1:]
    return float(np.sqrt(np.sum(h * np.sum(a * a + a * b + b * b, axis=1) / 3.0) / h.sum()))

"""Columns that yield in a building: fibre hinges at both ends of every column, and the study of a frame with elastic
and with yielding columns.

A column of height h, clamped between floors, in double curvature under the shear V has the moment M = V h / 2 at both
ends.  Hinges of the length h / 6 at the ends of a rigid column have, while they are elastic, exactly the stiffness
12 E I / h^3 of the column that bends everywhere (M. H. Scott, G. L. Fenves, J. Struct. Eng. 132 (2006) 244-252, for the
length): their curvature is kappa = 6 drift / h^2.  In a frame, girders take part of the drift, and the stiffness k of a
storey is its shear over its drift in the first mode; the hinge stays proportional to the drift.

The section is cut into fibres with the area a and the distance y from the axis, of which each yields by kinematic
hardening.  Since all of them follow the drift, a storey is a row of springs side by side,

    k_i = k a_i y_i^2 / sum a y^2,    F_i = k_i drift_y c / y_i,    drift_y = 2 f_y W_el / (h k) of each column,

c half of the depth, W_el the elastic modulus: the sum of F_i is 2 f_y W_pl / h a column.  What a building of elastic
columns has already is taken away by a force of the stiffness -k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..analyses.session.simulate import simulate
from ..model import ModelError
from ..model.base import did_you_mean, shown
from .building import LEVEL, Building
from .columns import Column, cells, heads
from .ground_motion import GroundMotion
from .steel_damper import STEELS, Steel

#: rolled sections by rectangles, m (EN 10365, without fillets): depth, breadth, flange, web
PROFILES = {"HEB200": (0.2, 0.2, 0.015, 0.009), "HEB300": (0.3, 0.3, 0.019, 0.011), "HEB400": (0.4, 0.3, 0.024, 0.0135)}
KNEE = 25.0  # of the springs: nearly bilinear
COLUMNS: tuple[Column, ...] = (
    ("roof", "roof mm", 1e3, 1),
    ("drift", "drift mm", 1e3, 1),
    ("storey", "in storey", 1.0, 0),
    ("ratio", "drift/height %", 100.0, 2),
    ("ductility", "drift/yield", 1.0, 2),
    ("left", "at end mm", 1e3, 1),
    ("shear", "base shear kN", 1e-3, 0),
    ("input", "input kJ", 1e-3, 1),
    ("yielded", "in columns kJ", 1e-3, 1),
    ("dampers", "in dampers kJ", 1e-3, 1),
)


def fibres(profile: str, flange: int = 2, web: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Distances y > 0 from the axis and areas (both sides together) of the fibres of a rolled section bent about its
    strong axis: so many layers of a flange and of the web.  Distances are those of the layers' radii of gyration, so
    that sum a y^2 is exact.  Raises `ModelError` for unknown names and odd numbers of layers of the web."""
    if profile not in PROFILES:
        raise ModelError(
            f"section is {shown(profile)}{did_you_mean(str(profile), PROFILES)}; give one of {', '.join(PROFILES)}"
        )
    if flange < 1 or web < 2 or web % 2:
        raise ModelError(f"layers are {shown(flange)} and {shown(web)}; give 1 or more, and an even number from 2 on")
    depth, breadth, thick, thin = PROFILES[profile]
    inner = 0.5 * depth - thick
    edges = np.concatenate([np.linspace(0.0, inner, web // 2 + 1), inner + thick * np.arange(1, flange + 1) / flange])
    width = np.where(np.arange(len(edges) - 1) < web // 2, thin, breadth)
    low, high = edges[:-1], edges[1:]
    return np.sqrt((high**3 - low**3) / (3.0 * (high - low))), 2.0 * width * (high - low)


def storey_stiffness(building: Building) -> np.ndarray:
    """(n,) shear over drift of each storey in the first mode."""
    shape = building.modes()[1][:, 0]
    shear = np.cumsum((building.K @ shape)[::-1])[::-1]
    return shear / np.diff(np.concatenate([[0.0], shape]))


def yielding_columns(
    building: Building,
    profile: str = "HEB400",
    count: int = 3,
    steel: Steel | str = "S355",
    *,
    flange: int = 2,
    web: int = 8,
) -> np.ndarray:
    """Let the columns of all storeys of a building yield: ``count`` columns of a ``profile`` in each, of a ``steel``
    (a name of `STEELS` or a `Steel`), by fibre hinges at both ends (M. H. Scott, G. L. Fenves, 2006).  Returns (n,) the
    drifts (length) at which they begin to yield, 2 f_y W_el / (h k).  Raises
    `ModelError` for unknown names, invalid counts, and columns that yield already."""
    steel = STEELS.get(steel, steel) if isinstance(steel, str) else steel
    if not isinstance(steel, Steel):
        raise ModelError(f"steel is {shown(steel)}{did_you_mean(str(steel), STEELS)}; give one of {', '.join(STEELS)}")
    if not (isinstance(count, (int, np.integer)) and count >= 1):
        raise ModelError(f"count is {shown(count)}; give a whole number from 1 on")
    if building.columns:
        raise ModelError("the columns of this building yield already; give another building")
    y, area = fibres(profile, flange, web)
    inertia, half = float(area @ y**2), 0.5 * PROFILES[profile][0]
    stiffness = storey_stiffness(building)
    first = count * 2.0 * steel.fy * inertia / half / building.heights / stiffness
    for storey, (k, drift) in enumerate(zip(stiffness, first), 1):
        placed = building.columns.setdefault(storey, [])
        put = lambda kind, storey=storey, placed=placed, **words: building._across(
            storey, placed, kind, None, f"columns {storey}.{len(placed) + 1}", words
        )
        for distance, share in zip(y, area * y**2 / inertia):
            put(
                "hysteretic_spring",
                stiffness=float(k * share),
                yield_force=float(k * share * drift * half / distance),
                hardening=steel.hardening,
                knee=KNEE,
            )
        length = LEVEL * float(building.heights[storey - 1])
        put(
            lambda i, j, name, k=float(k), length=length: building.model.sforce(
                i, j, f"{k!r}*(DM({i},{j})-{length!r})", name
            )
        )
    return first


@dataclass
class ColumnStudy(Summary):
    """``rows``: a dictionary a run, with ``record``, ``columns`` ("elastic" or the steel's name), ``placement`` of
    dampers (storeys), peaks ``roof``, ``drift`` and its ``storey``, ``ratio`` to the height, ``ductility`` (largest
    drift over that at which columns begin to yield), ``left``: largest drift at the end, ``shear`` at the base,
    energies ``input``, ``yielded`` (in columns) and ``dampers`` at the end; SI.  ``histories``: of each, time, drift
    and shear of the storey with the largest drift, roof."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    histories: list[dict[str, np.ndarray]] = field(default_factory=list)

    def text(self) -> str:
        """The table, a block a record."""
        lines = []
        for record in dict.fromkeys(r["record"] for r in self.rows):
            lines += [f"{record}:", f"  {'columns':10}{'dampers in':14}{heads(COLUMNS)}"]
            for r in (r for r in self.rows if r["record"] == record):
                where = ", ".join(map(str, r["placement"])) or "none"
                lines.append(f"  {r['columns']:10}{where:14}{cells(COLUMNS, r)}")
        return "\n".join(lines)

    def plot(self, path: Path | str) -> Path:
        """A row of pictures a record: roof, drift and loop of the storey with the largest drift.  Raises OSError where
        the file cannot be written."""
        from ..results.pictures.figures import Figure

        records = list(dict.fromkeys(r["record"] for r in self.rows))
        figure = Figure(figsize=(16.0, 4.4 * len(records)), layout="constrained")
        for axes, record in zip(figure.subplots(len(records), 3, squeeze=False), records):
            for r, h in zip(self.rows, self.histories):
                if r["record"] != record:
                    continue
                where = f", dampers in {', '.join(map(str, r['placement']))}" if r["placement"] else ""
                label, line = f"{r['columns']}{where}", "-" if r["columns"] == "elastic" else "--"
                axes[0].plot(h["time"], 1e3 * h["roof"], line, lw=1.0, label=label)
                axes[1].plot(h["time"], 1e3 * h["drift"], line, lw=1.0, label=f"{label}, storey {r['storey']}")
                axes[2].plot(1e3 * h["drift"], 1e-3 * h["shear"], line, lw=0.8, label=f"{label}, storey {r['storey']}")
            axes[0].set(title=f"{record}: roof", xlabel="time (s)", ylabel="displacement (mm)")
            axes[1].set(title="storey with the largest drift", xlabel="time (s)", ylabel="drift (mm)")
            axes[2].set(title="its columns", xlabel="drift (mm)", ylabel="shear (kN)")
            for ax in axes:
                ax.grid(alpha=0.3)
                ax.legend(fontsize=8)
        figure.savefig(path, dpi=90)
        return Path(path)


def column_study(
    build: Callable[[GroundMotion], Building],
    records: Sequence[GroundMotion],
    steel: Steel | str = "S355",
    *,
    profile: str = "HEB400",
    count: int = 3,
    placement: Sequence[int] = (),
    c: float = 8e5,
    exponent: float = 0.5,
    end: float | None = None,
    dt: float = 0.02,
    error: float = 1e-5,
    say: Callable[[str], None] = lambda text: None,
) -> ColumnStudy:
    """A building under records with elastic columns and with columns that yield (`yielding_columns`), without dampers
    and, where a ``placement`` (storeys) is given, with power dampers that share the constant ``c``.

    ``build``: of a record a `Building`; ``end``: s, by default that of each record.  Raises `ModelError` for an empty
    list of records and as `yielding_columns` does."""
    if not len(records):
        raise ModelError("records of a study is empty; give one or more")
    out = ColumnStudy()
    for number, record in enumerate(records, 1):
        for placed in ((), tuple(placement)) if placement else ((),):
            for word in ("elastic", steel.name if isinstance(steel, Steel) else steel):
                building = build(record)
                for storey in placed:
                    building.add_damper(storey, "power_damper", damping=c / len(placed), exponent=exponent)
                first = yielding_columns(build(record), profile, count, steel)
                if word != "elastic":
                    yielding_columns(building, profile, count, steel)
                stop = float(record.time[-1]) if end is None else end
                run = simulate(building.model, stop, dt=dt, integrator="RADAU5", error=error)
                found = building.results(run)
                peak = np.abs(found["drift"]).max(axis=0)
                worst = int(np.argmax(peak))
                row: dict[str, Any] = {
                    "record": record.name or f"record {number}",
                    "columns": word,
                    "placement": placed,
                    "roof": float(np.abs(found["displacement"][:, -1]).max()),
                    "drift": float(peak[worst]),
                    "storey": worst + 1,
                    "ratio": float((peak / building.heights).max()),
                    "ductility": float((peak / first).max()),
                    "left": float(np.abs(found["drift"][-1]).max()) if word != "elastic" else math.nan,
                    "shear": float(np.abs(found["base_shear"]).max()),
                    "input": float(found["input"][-1]),
                    "yielded": float(found["column_work"][-1].sum()),
                    "dampers": float(found["damper_work"][-1].sum()),
                }
                out.rows.append(row)
                out.histories.append(
                    {
                        "time": np.asarray(run.time),
                        "roof": found["displacement"][:, -1],
                        "drift": found["drift"][:, worst],
                        "shear": found["shear"][:, worst],
                    }
                )
                say(f"{row['record']}, {word} columns: drift {1e3 * row['drift']:.1f} mm")
    return out

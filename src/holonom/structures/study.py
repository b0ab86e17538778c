"""Studies of buildings with dampers: by placement, by constant and exponent, under several records; and methods of
integration on one linear building."""

from __future__ import annotations

import csv
import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..analyses.session.simulate import simulate
from ..model import ModelError
from ..model.base import shown
from .columns import Column, cells, heads
from .ground_motion import GroundMotion

COLUMNS: tuple[Column, ...] = (
    ("roof", "roof mm", 1e3, 1),
    ("drift", "drift mm", 1e3, 2),
    ("storey", "in storey", 1.0, 0),
    ("ratio", "drift/height %", 100.0, 3),
    ("acceleration", "acc. m/s2", 1.0, 2),
    ("shear", "base shear kN", 1e-3, 0),
    ("input", "input kJ", 1e-3, 1),
    ("dampers", "in dampers kJ", 1e-3, 1),
    ("share", "share %", 100.0, 1),
)


@dataclass
class DamperStudy(Summary):
    """``rows``: a dictionary a run, with ``record``, ``placement`` (storeys), ``c`` of all dampers together,
    ``exponent``, peaks ``roof`` (displacement of the roof), ``drift`` and its
    ``storey``, ``ratio`` to the height, ``acceleration`` of floors, ``shear`` at the base, energies ``input`` and
    ``dampers`` at the end and their ``share``; SI.
    ``drifts``: peak drifts (storeys,) of each; ``histories``: of each run with and without dampers at the middle
    constant: time, roof, energies."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    drifts: list[np.ndarray] = field(default_factory=list)
    histories: dict[tuple[str, tuple[int, ...]], dict[str, np.ndarray]] = field(default_factory=dict)
    storeys: int = 0

    def text(self) -> str:
        """The table, a block a record, and what the best of each did."""
        lines = []
        for record in dict.fromkeys(r["record"] for r in self.rows):
            rows = [r for r in self.rows if r["record"] == record]
            bare = rows[0]
            lines += [
                f"{record}:",
                f"  {'dampers in storeys':22}{'C (all)':>10}{'a':>6}{heads(COLUMNS)}",
            ]
            for r in rows:
                where = ", ".join(map(str, r["placement"])) or "none"
                constant = f"{r['c']:>10.3g}{r['exponent']:>6g}" if r["placement"] else f"{'':16}"
                lines.append(f"  {where:22}{constant}{cells(COLUMNS, r)}")
            if len(rows) > 1:
                best = min(rows[1:], key=lambda r: r["drift"])
                lines.append(
                    f"  least drift: dampers in {', '.join(map(str, best['placement']))}, C = {best['c']:.3g}, a = "
                    f"{best['exponent']:g}: "
                    f"{100 * (1 - best['drift'] / bare['drift']):.0f} % less drift, "
                    f"{100 * (1 - best['shear'] / bare['shear']):.0f} % less base shear"
                )
        return "\n".join(lines)

    def to_csv(self, path: Path | str) -> Path:
        """All rows, SI, with the peak drift of each storey.  Raises OSError where the file cannot be written."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            keys = ["record", "placement", "c", "exponent", *(key for key, *_ in COLUMNS)]
            out.writerow([*keys, *(f"drift {s + 1}" for s in range(self.storeys))])
            for r, drift in zip(self.rows, self.drifts):
                out.writerow(
                    [" ".join(map(str, r[k])) if k == "placement" else r[k] for k in keys] + [f"{d:.6g}" for d in drift]
                )
        return Path(path)

    def plot(self, path: Path | str) -> Path:
        """A row of pictures a record: roof with and without, drifts over the storeys by placement, drift by C and a,
        energies.  Raises OSError as `to_csv`."""
        from ..results.pictures.figures import Figure

        records = list(dict.fromkeys(r["record"] for r in self.rows))
        figure = Figure(figsize=(17.0, 4.2 * len(records)), layout="constrained")
        axes = figure.subplots(len(records), 4, squeeze=False)
        for row, record in zip(axes, records):
            found = [(r, d) for r, d in zip(self.rows, self.drifts) if r["record"] == record]
            kept = {k: v for k, v in self.histories.items() if k[0] == record}
            for (_, placed), h in kept.items():
                label = f"dampers in {', '.join(map(str, placed))}" if placed else "no dampers"
                row[0].plot(h["time"], 1e3 * h["roof"], lw=0.9, label=label)
            row[0].set(title=f"{record}: roof", xlabel="time (s)", ylabel="displacement (mm)")
            middle: dict[str, Any] = next((r for r, _ in found if r["placement"]), {})
            floors = np.arange(1, self.storeys + 1)
            done = set()
            for r, d in found:
                if (
                    r["placement"] in done
                    or r["placement"]
                    and (r["c"], r["exponent"]) != (middle["c"], middle["exponent"])
                ):
                    continue
                done.add(r["placement"])
                row[1].plot(
                    1e3 * d,
                    floors,
                    "k--" if not r["placement"] else "o-",
                    ms=3,
                    lw=1.2,
                    label=", ".join(map(str, r["placement"])) or "none",
                )
            row[1].set(title="peak drift, same C in all", xlabel="drift (mm)", ylabel="storey", yticks=floors)
            counts = {p: sum(r["placement"] == p for r, _ in found) for p in done if p}
            if counts:
                most = max(counts, key=lambda p: counts[p])
                for a in sorted({r["exponent"] for r, _ in found if r["placement"] == most}):
                    line = sorted(
                        (r["c"], r["drift"]) for r, _ in found if r["placement"] == most and r["exponent"] == a
                    )
                    row[2].plot(*np.array(line).T * np.array([[1e-6], [1e3]]), "o-", ms=3, label=f"a = {a:g}")
                row[2].set(
                    title=f"dampers in {', '.join(map(str, most))}",
                    xlabel="C of all dampers (MN (s/m)^a)",
                    ylabel="largest drift (mm)",
                )
                row[2].legend(fontsize=8)
            last = next((h for (_, p), h in kept.items() if p), None)
            if last is not None:
                for key, label in (("input", "input"), ("dampers", "dampers"), ("own", "own damping")):
                    row[3].plot(last["time"], 1e-3 * last[key], label=label)
                row[3].set(title="energy with dampers", xlabel="time (s)", ylabel="kJ")
                row[3].legend(fontsize=8)
            for ax in row:
                ax.grid(alpha=0.3)
            row[0].legend(fontsize=8)
            row[1].legend(fontsize=8, title="dampers in", title_fontsize=8)
        figure.savefig(path, dpi=100)
        return Path(path)


def damper_study(
    build: Callable[[GroundMotion], Any],
    records: Sequence[GroundMotion],
    placements: Sequence[Sequence[int]],
    c: Sequence[float],
    exponents: Sequence[float],
    *,
    end: float | None = None,
    dt: float = 0.02,
    error: float = 1e-5,
    all_of: bool = False,
    say: Callable[[str], None] = lambda text: None,
    **where: Any,
) -> DamperStudy:
    """Power dampers F = C sign(v) |v|^a in a building under records: without, by placement at the middle C and a, and
    by all C and a at the placement that did best.

    ``build``: of a record a `Building` or `Frame`; ``placements``: lists of storeys; ``c``: constants of all dampers
    together, N (s/m)^a, shared equally among the storeys of a
    placement, so that placements cost the same; ``exponents``; ``all_of``: every placement at every C and a; ``end``:
    s, by default that of each record;
    ``where``: further arguments of
    ``add_damper`` (``bay``, ``angle``).  Raises `ModelError` for empty lists and for what the building refuses."""
    for what, values in (("records", records), ("placements", placements), ("c", c), ("exponents", exponents)):
        if not len(values):
            raise ModelError(f"{what} of a study is empty; give one or more")
    if any(not len(p) for p in placements):
        raise ModelError("a placement is empty; the building without dampers is always computed, give storeys")
    names = [r.name or f"record {k + 1}" for k, r in enumerate(records)]
    if len(set(names)) < len(names):
        raise ModelError(f"records are named {shown(names)}; give each a name of its own")
    out = DamperStudy()
    middle = sorted(c)[len(c) // 2], sorted(exponents)[len(exponents) // 2]
    for record, name in zip(records, names):

        def one(
            placement: tuple[int, ...], constant: float, a: float, keep: bool, record=record, name=name
        ) -> dict[str, Any]:
            building = build(record)
            for storey in placement:
                building.add_damper(storey, "power_damper", damping=constant / len(placement), exponent=a, **where)
            stop = float(record.time[-1]) if end is None else end
            run = simulate(building.model, stop, dt=dt, integrator="RADAU5", error=error)
            found = building.results(run)
            peak = np.abs(found["drift"]).max(axis=0)
            out.storeys = len(peak)
            worst = int(np.argmax(peak))
            heights = getattr(building, "heights", None)
            if heights is None:
                heights = np.diff(building.places[:: building.bays + 1, 2])
            taken = found["damper_work"].sum(axis=1)
            put = found["input"]
            row = {
                "record": name,
                "placement": placement,
                "c": constant,
                "exponent": a,
                "roof": float(np.abs(found["displacement"][:, -1]).max()),
                "drift": float(peak[worst]),
                "storey": worst + 1,
                "ratio": float((peak / heights).max()),
                "acceleration": float(np.abs(found["acceleration"]).max()),
                "shear": float(np.abs(found["base_shear"]).max()),
                "input": float(put[-1]),
                "dampers": float(taken[-1]),
                "share": float(taken[-1] / put[-1]) if put[-1] > 0.0 else math.nan,
            }
            out.rows.append(row)
            out.drifts.append(peak)
            if keep:
                out.histories[name, placement] = {
                    "time": np.asarray(run.time),
                    "roof": found["displacement"][:, -1],
                    "input": put,
                    "dampers": taken,
                    "own": found["own_loss"],
                }
            say(f"{name}: dampers in {', '.join(map(str, placement)) or 'none'}: drift {1e3 * row['drift']:.2f} mm")
            return row

        one((), 0.0, 1.0, True)
        tried = {}
        for placement in map(tuple, placements):
            tried[placement] = one(placement, *middle, False)
        best = min(tried, key=lambda p: tried[p]["drift"])
        rest = itertools.product(tried if all_of else (best,), c, exponents)
        for placement, constant, a in rest:
            if (constant, a) != middle:
                one(placement, constant, a, False)
        one(best, *middle, True)
        out.rows.pop()
        out.drifts.pop()
    return out


@dataclass
class IntegratorStudy(Summary):
    """``rows``: dictionaries with ``method``, ``setting``, ``steps``, ``error`` (largest difference of a floor's
    displacement to superposition, over its largest), ``cpu`` seconds."""

    rows: list[dict[str, Any]]
    reference: float

    def text(self) -> str:
        """The table; orders of the methods with fixed steps, from the last two."""
        lines = [f"  {'method':22}{'setting':>16}{'steps':>9}{'error':>12}{'CPU s':>9}{'order':>8}"]
        last: dict[str, Any] = {}
        for r in self.rows:
            before = last.get(r["method"])
            order = ""
            if before is not None and r["step"] and before["step"]:
                order = f"{math.log(before['error'] / r['error']) / math.log(before['step'] / r['step']):.2f}"
            lines.append(
                f"  {r['method']:22}{r['setting']:>16}{r['steps']:>9}{r['error']:>12.2e}{r['cpu']:>9.2f}{order:>8}"
            )
            last[r["method"]] = r
        return "\n".join(lines)


def compare_integrators(
    building: Any,
    end: float,
    *,
    steps: Sequence[float] = (0.02, 0.01, 0.005, 0.0025),
    errors: Sequence[float] = (1e-4, 1e-6, 1e-8),
    say: Callable[[str], None] = lambda text: None,
) -> IntegratorStudy:
    """Newmark (beta 1/4, gamma 1/2) and HHT (alpha -0.1) with fixed ``steps`` (s), RADAU5 and DOP853 at ``errors``,
    against superposition of modes that are each exact.

    ``building``: a `Building` or `Frame` without dampers, under a record.  CPU: of the whole analysis, the second of
    two.  Raises `ModelError` for one with dampers or
    without a record."""
    if building.dampers or getattr(building, "columns", None):
        raise ModelError(
            "this building has dampers or columns that yield, so superposition does not hold; compare it without"
        )
    want = building.superposition()
    at = want["time"][want["time"] <= end * (1 + 1e-12)]
    scale = float(np.abs(want["displacement"]).max())
    dt = float(at[1] - at[0])
    stop = float(at[-1])
    rows = []
    cases: list[tuple[str, dict[str, Any], str, float]] = [
        (method, {"hmax": h, "hmin": h, "hinit": h, "error": 1e-8, **more}, f"h = {h:g} s", h)
        for method, more in (("NEWMARK", {"beta": 0.25, "gamma": 0.5}), ("HHT", {"alpha": -0.1}))
        for h in steps
    ]
    cases += [(method, {"error": e}, f"error {e:g}", 0.0) for method in ("RADAU5", "DOP853") for e in errors]
    for method, options, setting, h in cases:
        for _ in range(2):  # the first may compile
            began = time.process_time()
            run = simulate(building.model, stop, dt=dt, integrator=method, **options)
            cpu = time.process_time() - began
        found = building.results(run)["displacement"]
        wrong = float(np.abs(found - want["displacement"][: len(found)]).max()) / scale
        rows.append(
            {
                "method": method,
                "setting": setting,
                "step": h,
                "steps": int(run.counters.get("steps", len(run.history))),
                "error": wrong,
                "cpu": cpu,
            }
        )
        say(f"{method} {setting}: {wrong:.2e}")
    return IntegratorStudy(rows, scale)

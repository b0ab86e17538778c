"""A rope of steel over a pulley with weights that hang on both sides, pulled in two stages: forces over the segments,
shocks of the load, methods and dampings.

Load m_1 and counterweight m_2 balance each other and the strands at the start; the pull P on the counterweight moves
all of it by x,

    (m_1 + m_2 + m l + J/R^2) x'' = P + 2 m g x,    force at the load m_1 (g + x'')

(Atwood's machine with a rope of mass m per length and length l), R to the rope's axis.  What comes on top are shocks:
the rope is a polygon of segments, each of which strikes the groove as it enters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..contact.materials import Material, reduced_modulus, reduced_radius
from ..integrators.methods import METHODS
from ..model import Model
from .rope import rope_over_pulley
from .studies import G, Say, effort, guarded_run, ignore_text, method_words

#: s: the pull rises, is held, falls; the rope settles in its groove before
STAGES = ((0.3, 0.4, 0.6, 0.7), (1.0, 1.1, 1.3, 1.4))
LENGTH, RADIUS, OVER, BEHIND = 40.0, 10.0, 6, 64
STEEL = 7.85e-6  # kg/mm^3
YOUNG, SHEAR = 2e5, 8e4  # N/mm^2
#: of every method: corrector, iterations, and the highest order of those that change it
SETTINGS: dict[str, Any] = {"corrector": "modified", "maxit": 10}
KMAX, CONSTANT_STEP = 6, 1e-4  # -, s of the method with a constant step
SEGMENTS, JOINTS = (40, 47), (17, 104, 105)  # whose forces are kept over time, of 105 segments


@dataclass(frozen=True)
class HangingRope(Summary):
    """Parameters of the closed form: masses in kg, N, mm, s."""

    segments: int = 105
    load: float = 100.0
    pull: float = 980.0
    pulley: tuple[float, float] = (10.0, 3e4)

    @property
    def rope(self) -> float:
        """Mass of all segments."""
        return self.segments * STEEL * math.pi * RADIUS**2 * LENGTH

    @property
    def bottom(self) -> float:
        """Radius of the groove's bottom, mm."""
        return 0.5 * LENGTH / math.tan(0.5 * math.pi / OVER) - RADIUS

    @property
    def contact_stiffness(self) -> float:
        """K = 4/3 E* sqrt(R) of a segment on the bottom of the groove, N/mm^1.5 (K. L. Johnson, Contact Mechanics,
        1985, eq. 4.23): F = K depth^1.5, 1/R the sum of both curvatures, of the rope's section and the groove's
        bottom."""
        steel = Material("steel", 1e6 * YOUNG, 0.5 * YOUNG / SHEAR - 1.0, 1e9 * STEEL)
        return 4.0 / 3.0 * 1e-6 * reduced_modulus(steel, steel) * math.sqrt(reduced_radius(RADIUS, self.bottom))

    @property
    def counterweight(self) -> float:
        """Counterweight that balances the load and the longer strand below it."""
        return self.load + self.rope * (2 * BEHIND + OVER - self.segments) / self.segments

    @property
    def moved(self) -> float:
        """Total mass that moves with the rope."""
        return self.load + self.counterweight + self.rope + self.pulley[1] / (self.bottom + RADIUS) ** 2

    def motion(self, time: np.ndarray) -> np.ndarray:
        """(t, 2): speed of the load (mm/s) and force at it (N) at times, in any order, by SciPy on the module's
        equation."""
        from scipy.integrate import solve_ivp

        share = self.rope / self.segments / LENGTH

        def pull(t: float) -> float:
            rise = lambda a, b: (lambda u: u * u * (3.0 - 2.0 * u))(min(max((t - a) / (b - a), 0.0), 1.0))
            return self.pull * sum(rise(a, b) - rise(c, d) for a, b, c, d in STAGES)

        faster = lambda t, x: (1e3 * pull(t) + 2.0 * share * G * x) / self.moved
        at, where = np.unique(time, return_inverse=True)
        found = solve_ivp(
            lambda t, y: (y[1], faster(t, y[0])),
            (0.0, float(at[-1])),
            (0.0, 0.0),
            t_eval=at,
            rtol=1e-8,
            atol=1e-8,
            max_step=0.02,
        )
        a = np.array([faster(t, x) for t, x in zip(at, found.y[0])])
        return np.stack([found.y[1], 1e-3 * self.load * (G + a)], axis=1)[where]

    def model(self, damping: float, **more: Any) -> Model:
        """`rope_over_pulley` of steel on steel, friction 0.7 at rest and 0.57 in motion, a bore of 30 mm."""
        given: dict[str, Any] = {
            "stiffness": self.contact_stiffness,
            "young": YOUNG,
            "shear": SHEAR,
            "density": STEEL,
            "bending": 2e-4,
            "mu": (0.7, 0.57),
            "bore": 30.0,
            "brake": 0.0,
            "hold": 0.0,
            "gravity": G,
        }
        return rope_over_pulley(
            self.segments,
            behind=BEHIND,
            over=OVER,
            length=LENGTH,
            radius=RADIUS,
            load=self.load,
            pull=self.pull,
            pulley=self.pulley,
            stages=STAGES,
            counterweight=self.counterweight,
            damping=damping,
            **(given | more),
        )


def rope_study(
    segments: int = 105,
    methods: Sequence[str] = ("GSTIFF", "HHT"),
    dampings: Sequence[float] = (0.001, 0.008),
    *,
    error: float = 1e-3,
    end: float = 0.9,
    budget: float = 60.0,
    say: Say = ignore_text,
    **rope: Any,
) -> list[dict[str, Any]]:
    """`HangingRope` over dampings (shares of each stiffness, s) and methods ("GSTIFF", "GSTIFF/SI2" ...): rows with
    what `effort` gives, ``peaks`` (segments + 1,): largest force in each bushing from the load to the counterweight
    (N), ``peak`` and ``where`` of them, ``histories``: over ``time`` the forces (N) of the bushings `JOINTS`, of the
    `SEGMENTS` on the groove and across the rail of the load, ``shock``: largest force at the load in each of the two
    stages over that of `HangingRope.motion` (nan where the run did not reach it), ``speed`` of the load at the end over
    the closed form's; ``rope``: further arguments of `rope_over_pulley`.  Raises `ModelError` as these do."""
    drawn = HangingRope(segments)
    rows = []
    for damping in dampings:
        for method in methods:
            model = drawn.model(damping, **rope)
            found = guarded_run(model, end, end / 800.0, budget, error=error, **_options(method))
            row = {
                "damping": damping,
                "method": method,
                **effort(found),
                "peaks": np.zeros(segments + 1),
                "peak": math.nan,
                "where": 0,
                "shock": (math.nan, math.nan),
                "speed": math.nan,
                "histories": {},
            }
            run = found["run"]
            if run is not None and len(run.time) > 3:
                forces = np.stack(
                    [np.linalg.norm(run.force(f"joint {k + 1}").force.values, axis=1) for k in range(segments + 1)],
                    axis=1,
                )
                row["peaks"] = forces.max(axis=0)
                row["histories"] = {
                    "time": np.asarray(run.time),
                    **{f"joint {k}": forces[:, k - 1] for k in JOINTS if k <= segments + 1},
                    **{
                        f"segment {k}": np.asarray(run.contact(f"groove {k}").normal.values).ravel()
                        for k in SEGMENTS
                        if k <= segments
                    },
                    "rail": np.linalg.norm(run.joint("rail").force.values[:, 1:], axis=1),
                }
                row["where"] = int(np.argmax(row["peaks"])) + 1
                row["peak"] = float(row["peaks"].max())
                want = drawn.motion(run.time)
                row["shock"] = tuple(_shock(run.time, forces[:, 0], want[:, 1], stage) for stage in STAGES)
                row["speed"] = float(run.request("pull").values[-1, 3]) / want[-1, 0] if want[-1, 0] > 0.0 else math.nan
            rows.append(row)
            say(
                f"{damping:8g}{method:>12}{row['reached']:9.3f}{row['steps']:8}{row['rejected']:9}{row['cpu']:8.1f}"
                f"{row['peak']:10.0f}{row['where']:7}"
                f"{row['shock'][0]:9.3f}{row['shock'][1]:9.3f}{row['speed']:9.4f}  {row['outcome']}"
            )
    return rows


def _shock(
    time: np.ndarray, force: np.ndarray, expected: np.ndarray, stage: tuple[float, float, float, float]
) -> float:
    here = (time >= stage[0]) & (time <= stage[3])
    return float(force[here].max() / expected[here].max()) if time[-1] >= stage[3] - 1e-9 else math.nan


def _options(method: str) -> dict[str, Any]:
    """What a method of the table runs with."""
    words: dict[str, Any] = {**SETTINGS, **method_words(method)}
    if METHODS[words["integrator"]].one_corrector:
        del words["corrector"]
    if METHODS[words["integrator"]].multistep:
        words["kmax"] = KMAX
    if words["integrator"] == "CONSTANT_BDF":
        words["step"] = CONSTANT_STEP
    return words


def ranking(rows: Sequence[dict[str, Any]]) -> str:
    """Methods of a table by stability (how far they ran, then the share of rejected steps) and by speed (CPU seconds
    per simulated one), each from the best, as two lines."""
    by: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by.setdefault(row["method"], []).append(row)
    rejected = lambda m: sum(r["rejected"] for r in by[m]) / max(sum(r["rejected"] + r["steps"] for r in by[m]), 1)
    stable = sorted(by, key=lambda m: (-min(r["reached"] for r in by[m]), rejected(m)))
    cost = {m: sum(r["cpu"] for r in by[m]) / max(sum(r["reached"] for r in by[m]), 1e-9) for m in by}
    fast = sorted(by, key=lambda m: cost[m])
    return (
        f"stability: {', '.join(f'{m} ({100 * rejected(m):.1f} % rejected)' for m in stable)}\n"
        f"speed: {', '.join(f'{m} ({cost[m]:.0f} CPU s a second)' for m in fast)}"
    )


def plot_histories(rows: Sequence[dict[str, Any]], path: Path | str) -> Path:
    """Four figures on a page: forces of the segments on the groove over time (40 and 47 reach it in the second stage),
    the force across the rail of the load (its lateral shock), forces of the bushings over time, largest forces over the
    bushings; a colour a run, without runs that broke down.  Raises OSError where the file cannot be written."""
    from ..results.pictures.figures import Figure

    rows = [r for r in rows if r["outcome"] in ("ran", "budget")]

    figure = Figure(figsize=(15.0, 9.0), layout="constrained")
    axes = figure.subplots(2, 2)
    panels = (
        (axes[0, 0], [f"segment {k}" for k in SEGMENTS], "force of segments 40 and 47 on the groove"),
        (axes[0, 1], ["rail"], "lateral shock of the load: force across its rail"),
        (axes[1, 0], [f"joint {k}" for k in JOINTS], "forces of bushings 17, 104 and 105"),
    )
    for ax, keys, title in panels:
        for n, row in enumerate(rows):
            for style, key in zip(("-", "--", ":"), keys):
                found = row["histories"].get(key)
                if found is not None:
                    label = f"{key}, {row['method']}, damping {row['damping']:g}"
                    ax.plot(row["histories"]["time"], found, style, color=f"C{n}", lw=0.9, label=label)
        ax.set(title=title, xlabel="time (s)", ylabel="N")
    _peaks(axes[1, 1], rows)
    for ax in axes.ravel():
        ax.grid(alpha=0.3)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(fontsize=7, loc="upper left")
    figure.savefig(path, dpi=90)
    return Path(path)


def _peaks(ax: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Largest forces over the bushings, and the closed form at the load."""
    for n, r in enumerate(rows):
        ax.plot(
            np.arange(1, len(r["peaks"]) + 1),
            r["peaks"],
            color=f"C{n}",
            lw=1.0,
            label=f"{r['method']}, damping {r['damping']:g}, to {r['reached']:.2g} s",
        )
    ax.axhline(
        HangingRope().motion(np.linspace(0.0, 0.6, 200))[:, 1].max(),
        color="k",
        ls=":",
        label="at the load in the first stage, closed form",
    )
    ax.set(title="largest force in each bushing, from the load (1) to the counterweight", xlabel="bushing", ylabel="N")


ROPE_HEAD = (
    f"{'damping':>8}{'method':>12}{'reached':>9}{'steps':>8}{'rejected':>9}{'CPU s':>8}{'peak N':>10}{'joint':>7}"
    f"{'stage 1':>9}{'stage 2':>9}{'speed':>9}  outcome"
)

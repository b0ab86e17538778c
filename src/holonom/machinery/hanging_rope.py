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
from ..model import Model
from .rope import rope_over_pulley
from .studies import G, Say, effort, guarded_run, ignore_text, method_words

#: s: the pull rises, is held, falls; the rope settles in its groove before
STAGES = ((0.3, 0.4, 0.6, 0.7), (1.0, 1.1, 1.3, 1.4))
LENGTH, RADIUS, OVER, BEHIND = 40.0, 10.0, 6, 64
STEEL = 7.85e-6  # kg/mm^3


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
    def counterweight(self) -> float:
        """Counterweight that balances the load and the longer strand below it."""
        return self.load + self.rope * (2 * BEHIND + OVER - self.segments) / self.segments

    @property
    def moved(self) -> float:
        """Total mass that moves with the rope."""
        axis = 0.5 * LENGTH / math.tan(0.5 * math.pi / OVER)
        return self.load + self.counterweight + self.rope + self.pulley[1] / axis**2

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
        """`rope_over_pulley` of steel, friction 0.7 at rest and 0.57 in motion, a bore of 30 mm."""
        given: dict[str, Any] = {
            "young": 2e5,
            "shear": 8e4,
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
    what `effort` gives, ``peaks``
    (segments + 1,): largest force in each bushing from the load to the counterweight (N), ``peak`` and ``where`` of
    them, ``shock``: largest force at the load in each of the two stages over that of `HangingRope.motion` (nan where
    the run did not reach it), ``speed`` of the load at the end over the closed form's;
    ``rope``: further arguments of `rope_over_pulley`.  Raises `ModelError` as these do."""
    drawn = HangingRope(segments)
    rows = []
    for damping in dampings:
        for method in methods:
            model = drawn.model(damping, **rope)
            found = guarded_run(model, end, end / 800.0, budget, error=error, **method_words(method))
            row = {
                "damping": damping,
                "method": method,
                **effort(found),
                "peaks": np.zeros(segments + 1),
                "peak": math.nan,
                "where": 0,
                "shock": (math.nan, math.nan),
                "speed": math.nan,
            }
            run = found["run"]
            if run is not None and len(run.time) > 3:
                forces = np.stack(
                    [np.linalg.norm(run.force(f"joint {k + 1}").force.values, axis=1) for k in range(segments + 1)],
                    axis=1,
                )
                row["peaks"] = forces.max(axis=0)
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


def plot_peaks(rows: Sequence[dict[str, Any]], path: Path | str) -> Path:
    """Largest forces over the bushings, a line a run.  Raises OSError where the file cannot be written."""
    from ..results.pictures.figures import Figure

    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    ax = figure.subplots()
    for r in rows:
        ax.plot(
            np.arange(1, len(r["peaks"]) + 1),
            r["peaks"],
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
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    return Path(path)


ROPE_HEAD = (
    f"{'damping':>8}{'method':>12}{'reached':>9}{'steps':>8}{'rejected':>9}{'CPU s':>8}{'peak N':>10}{'joint':>7}"
    f"{'stage 1':>9}{'stage 2':>9}{'speed':>9}  outcome"
)

"""Campbell diagram: whirl frequencies over rotor speed."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError
from ._names import Named
from .modes import Linear

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LATERAL = 0.5  # share of a mode's motion across the axis from which on it counts as whirl


@dataclass
class Campbell(Named):
    """``speeds`` (k,) rad per time; ``whirl`` (k, n): whirl frequencies in the ground frame, rad per time, ascending,
    negative for backward whirl; ``others`` (k, m): frequencies of axial and torsional modes, ascending; NaN where one
    does not exist. ``linear``: the `Linear` of each speed, in the rotating frame."""

    speeds: np.ndarray
    whirl: np.ndarray
    others: np.ndarray
    linear: list[Linear] = field(default_factory=list, repr=False)

    def critical(self, order: float = 1.0) -> np.ndarray:
        """Speeds, ascending, at which a whirl frequency is ``order`` times the speed (1: unbalance), by linear
        interpolation."""
        out = []
        for column in self.whirl.T:
            gap = column - order * self.speeds
            for k in range(len(gap) - 1):
                a, b = gap[k], gap[k + 1]
                if a == 0.0 and self.speeds[k] != 0.0:
                    out.append(float(self.speeds[k]))
                elif a * b < 0.0:
                    out.append(float(self.speeds[k] + a / (a - b) * (self.speeds[k + 1] - self.speeds[k])))
        return np.array(sorted(out))

    def plot(self, axes: Any = None, orders: tuple[float, ...] = (1.0,)) -> Axes:
        """Frequencies over speed on matplotlib ``axes`` (created when none are given): forward whirl as solid lines,
        backward dashed, other modes dotted, and multiples of the speed; returns the axes."""
        from .pictures.figures import pyplot

        plt = pyplot()

        ax = plt.subplots()[1] if axes is None else axes
        for column in self.whirl.T:
            back = np.nanmedian(column) < 0.0
            ax.plot(self.speeds, np.abs(column), "--" if back else "-", color="C0" if back else "C3", lw=1.4)
        for column in self.others.T:
            ax.plot(self.speeds, column, ":", color="0.4", lw=1.2)
        top = ax.get_ylim()[1]
        for order in orders:
            ax.plot(self.speeds, order * self.speeds, color="0.6", lw=0.8)
        ax.set_ylim(0.0, top)
        ax.set(xlabel="speed, rad per time", ylabel="frequency, rad per time")
        return ax

    def to_csv(self, path: str | Path) -> Path:
        """One row per speed: speed, whirl frequencies, frequencies of other modes. Raises `ModelError` where it cannot
        be written."""
        path = Path(path)
        try:
            with open(path, "w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                names = [f"whirl {k + 1}" for k in range(self.whirl.shape[1])] + [
                    f"other {k + 1}" for k in range(self.others.shape[1])
                ]
                out.writerow(["speed", *names])
                out.writerows(np.column_stack([self.speeds, self.whirl, self.others]).tolist())
        except OSError as problem:
            raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
        return path


def whirl(linear: Linear, speed: float, axis: np.ndarray) -> tuple[list[float], list[float]]:
    """Frequencies in ground, of whirl about ``axis`` with their signs and of the other modes, of a linear analysis
    whose observer turns with ``speed``.

    With e1, e2 across the axis the motion of a point is z = u + i v = a exp(i w t) + b exp(-i w t), a = (u + i v) / 2
    and b* = (u - i v) / 2 of the complex shape; in ground z exp(i W t), that is W + w where a is the larger, and W - w
    where b is (Genta, Dynamics of Rotating Systems (2005), 2.2).
    """
    e1 = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(axis, e1)
    turning = np.trace(linear.inertia, axis1=1, axis2=2) / 3.0
    lateral, others = [], []
    for mode in linear.modes:
        w = abs(mode.value.imag)
        if mode.kind == "rigid" or w == 0.0:
            continue
        ahead = back = along = 0.0
        for part, weight in ((mode.shape[:, :3], linear.mass), (mode.shape[:, 3:], turning)):
            u, v = part @ e1, part @ e2
            ahead += float(weight @ np.abs(0.5 * (u + 1j * v)) ** 2)
            back += float(weight @ np.abs(0.5 * (u - 1j * v)) ** 2)
            along += float(weight @ np.abs(part @ axis) ** 2)
        if 2.0 * (ahead + back) < LATERAL * (2.0 * (ahead + back) + along):
            others.append(w)
        else:
            lateral.append(speed + w if ahead > back else speed - w)
    return lateral, others

"""The common front of all integrators: options, error weights, what a step reports, and how a failure is told."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model import ModelError
from ..system.faults import unbounded


class IntegrationError(ModelError):
    """The integration cannot go on.  ``time``: last good time; ``equation``: words that name row or body, or ''."""

    def __init__(self, message: str, time: float, equation: str = ""):
        super().__init__(message)
        self.time = time
        self.equation = equation


@dataclass
class Options:
    """What every integrator understands; None means its own default.

    ``error``: local error allowed, relative to the scales of `Scales`; ``hinit``, ``hmin``, ``hmax``: step sizes;
    ``kmax``: highest order; ``maxit``: corrector iterations; ``formulation``: I3 or SI2; ``corrector``: original or
    modified; ``fixed``: constant step hmax without error test.
    """

    error: float = 1e-6
    hinit: float | None = None
    hmin: float | None = None
    hmax: float | None = None
    kmax: int | None = None
    maxit: int | None = None
    formulation: str | None = None
    corrector: str = "original"
    alpha: float | None = None
    fixed: bool = False
    newton: float | None = None
    extra: dict = field(default_factory=dict)


@dataclass
class Step:
    """One accepted step and the trials before it: ``rejected`` lists (time, step, order, iterations, cause)."""

    t_old: float
    t: float
    h: float
    order: int
    iterations: int
    rejected: list[tuple[float, float, int, int, str]]


class Scales:
    """Sizes against which errors are measured, in groups: positions, rotations (1 rad), velocities, angular velocities,
    states.  Group maxima over all bodies, with floors from the extent of the model and its typical speed, so that the
    same machine in millimetres and in metres takes the same steps."""

    def __init__(self, system, y, span: float):
        points = [y[13 * k : 13 * k + 3] for k in range(system.nb)]
        points += [system.design(k).origin for k in range(min(len(system.frame_list), 2000)) if k]
        extent = float(np.ptp(np.array(points), axis=0).max()) if points else 1.0
        self.length = extent or 1.0
        v = y[: 13 * system.nb].reshape(-1, 13)
        g = float(np.linalg.norm(system.bodies.gravity))
        span = span or 1.0
        speed = max(float(np.abs(v[:, 7:10]).max(initial=0.0)), np.sqrt(g * self.length), self.length / span)
        spin = max(float(np.abs(v[:, 10:13]).max(initial=0.0)), speed / self.length)
        self.floor = 1e-3 * np.array([self.length, 0.0, speed, spin])
        self.nb, self.nx = system.nb, system.nx
        self.x = np.abs(y[13 * (system.nb + 1) :])

    def groups(self, y) -> np.ndarray:
        """(4,) scales of positions, rotations, velocities, angular velocities at y."""
        b = np.abs(y[: 13 * self.nb].reshape(-1, 13))
        if not self.nb:
            return np.ones(4)
        return np.array([b[:, :3].max(), 1.0, b[:, 7:10].max(), b[:, 10:13].max()]) + self.floor

    def states(self, y) -> np.ndarray:
        """(nx,) scales of the states: their largest size so far, plus one."""
        self.x = np.maximum(self.x, np.abs(y[13 * (self.nb + 1) :]))
        return self.x + 1.0

    def weights(self, y, error: float, out: np.ndarray) -> None:
        """out (ny,) <- 1 / (error * scale) of every component of the state vector; 0 for ground."""
        g = 1.0 / (error * self.groups(y))
        w = out[: 13 * self.nb].reshape(-1, 13)
        w[:, :3] = g[0]
        w[:, 3:7] = 2.0 * g[1]
        w[:, 7:10] = g[2]
        w[:, 10:13] = g[3]
        out[13 * self.nb : 13 * self.nb + 13] = 0.0
        out[13 * self.nb + 13 :] = 1.0 / (error * self.states(y))


def advice(message: str, time: float, system, row: int = -1) -> IntegrationError:
    """An error with the equation, the time, and what to try."""
    equation = system.row_words(row) if row >= 0 else ""
    where = f"; the equation is {equation}" if equation else ""
    source = unbounded(system)
    if source:
        where += f"; {source} gives no finite number there"
    return IntegrationError(
        f"{message} at time {time:.9g}{where}; the results so far are kept; try a smaller HMAX, a looser ERROR, or another integrator",
        time, equation,
    )  # fmt: skip

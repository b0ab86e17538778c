"""DOP853 behind the common front: step size control, stiffness test, dense output."""

from __future__ import annotations

import numpy as np

from . import dop853 as rk
from .entry import DENSE, RATE, STEP, enter, explicit_handle, settle, stepping_handle
from .stepper import Options, Scales, Step, advice

REDUNDANT = 1e-8  # a pivot below this share of the largest its row has had marks a redundant row
STIFF_LIMIT = 6.1  # boundary of the stability region on the negative real axis (Hairer-Wanner II, IV.2)


class DOP853:
    """Explicit Runge-Kutta of order 8; the default for models that are not stiff.

    ``stiff`` becomes true when the step has been limited by stability, not accuracy, in 15 steps of the last 30.
    """

    name = "DOP853"

    def __init__(self, system, options: Options):
        self.system = system
        self.options = options
        self.handle = explicit_handle(system)
        if system.assembled is not None:  # here rather than in `start`: it is part of setting up
            self.handle = self._choose_handle(*system.assembled)
        self.stages = system.stages
        self.statistics = {"steps": 0, "evaluations": 0, "rejected: error": 0, "rejected: singular": 0, "rejected: not a number": 0}
        self.stiff = False
        self._stiff_count = 0
        self._calm_count = 0
        self.worst_pivot = 1.0
        self.skipped = 0

    def start(self, t: float, y: np.ndarray, tend: float, h0: float | None = None) -> None:
        """Begin at (t, y), a state that fits the constraints; ``tend`` gives the time scale."""
        self.t, self.y = float(t), y
        self.tend = tend
        self.scales = Scales(self.system, y, tend - t, self.options)
        self.handle = self._choose_handle(self.t, y)
        self.restart(h0)

    def _choose_handle(self, t, y):
        return stepping_handle(self.system, t, y, self.options.extra.get("planar", True))

    def restart(self, h0: float | None = None) -> None:
        """Begin anew at the present time and state (after a discontinuity)."""
        settle(self.system, self.y, self.t, 1, self.stages.K[0], self.handle)
        self.statistics["evaluations"] += 1
        self.h = h0 or self.options.hinit or self._first_step()
        self._grow = 6.0
        self._dense_ready = self._stepped = False
        self.t_old = self.t

    def _first_step(self) -> float:
        """Hairer, Norsett, Wanner I, II.4, in our weights."""
        T, y, t = self.stages, self.y, self.t
        self.scales.weights(y, 1.0, T.weight)
        norm = lambda v: float(np.sqrt(np.mean((v * T.weight) ** 2)))
        d0, d1 = norm(y), norm(T.K[0])
        span = self.tend - t
        h0 = 1e-6 * span if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
        h0 = min(h0, span)
        T.ya[:] = y + h0 * T.K[0]
        enter(self.handle, RATE, y, t + h0, 0.0, REDUNDANT, 0, T.d)
        self.statistics["evaluations"] += 1
        d2 = norm(T.K[1] - T.K[0]) / h0
        most = max(d1, d2)
        h1 = max(1e-6 * span, 1e-3 * h0) if most <= 1e-15 else (0.01 * self.options.error**0.5 / most) ** (1 / 8)
        return min(100 * h0, h1, span)

    def step(self, tmax: float) -> Step:
        """One accepted step that does not pass ``tmax``.  Raises IntegrationError."""
        T, o = self.stages, self.options
        rejected: list = []
        if self._stepped:  # rates at the end of the last step begin the next; after a restart they are in place already
            T.K[0] = T.K[12]
        self.scales.weights(self.y, o.error, T.weight)
        while True:
            h = min(self.h, o.hmax) if o.hmax else self.h
            last = self.t + h >= tmax - 1e-12 * abs(tmax)
            if last:
                h = tmax - self.t
            if h <= 4e-16 * max(abs(self.t), abs(tmax)) or (o.hmin and h < o.hmin and not last):
                raise advice(f"the step became too small ({h:.3g})", self.t, self.system, cause=rejected[-1][4] if rejected else "error")
            err, skipped, pivot, stiff = enter(self.handle, STEP, self.y, self.t, h, REDUNDANT, 0, T.d)
            self.statistics["evaluations"] += 12
            self._user_failure()
            self.worst_pivot = min(self.worst_pivot, pivot) if pivot > 0 else self.worst_pivot
            if o.fixed and np.isfinite(err) and err < 1e29 and not err < 1.0:
                T.weight *= 1e-30  # fixed step: take it whatever the error says
                continue
            if err < 1.0:
                break
            cause = "singular" if not pivot > 0.0 else ("not a number" if not np.isfinite(err) else "error")
            self.statistics[f"rejected: {cause}"] += 1
            rejected.append((self.t, h, rk.ORDER, 0, cause))
            self.h = h * (0.1 if cause != "error" else max(0.2, 0.9 * err ** (-1 / 8)))
            self._grow = 1.0
            if len(rejected) > 60:
                raise advice("no step is accepted", self.t, self.system, cause=cause)
        self.t_old, self.t = self.t, self.t + h if not last else tmax
        self.h_done = h
        self._stepped = True
        self._dense_ready = False
        self.skipped = skipped
        self.statistics["steps"] += 1
        factor = 10.0 if err == 0.0 else 0.9 * err ** (-1 / 8)
        if not (last and h < 0.5 * self.h):  # a step cut short says little about the next
            self.h = h * min(self._grow, factor)
        self._grow = 6.0
        self._watch(stiff)
        return Step(self.t_old, self.t, h, rk.ORDER, 0, rejected)

    def _watch(self, stiff: float) -> None:
        if stiff > STIFF_LIMIT:
            self._stiff_count += 1
            self._calm_count = 0
            self.stiff = self.stiff or self._stiff_count >= 15
        else:
            self._calm_count += 1
            if self._calm_count >= 6:
                self._stiff_count = 0

    def _user_failure(self) -> None:
        if self.system.W.flags[0]:
            self.system.raise_user_error(self.t)

    def interpolate(self, t: float, out: np.ndarray) -> None:
        """State at a time inside the last step."""
        T = self.stages
        if t == self.t:
            out[:] = self.y
            return
        if not self._dense_ready:
            enter(self.handle, DENSE, self.y, self.t_old, self.h_done, REDUNDANT, 0, T.d)
            self.statistics["evaluations"] += 3
            self._dense_ready = True
        rk.interpolate(T, (t - self.t_old) / self.h_done, out)

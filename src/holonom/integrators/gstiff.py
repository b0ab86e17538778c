"""GSTIFF: Gear's backward differentiation formulas, orders 1 to 6, fixed coefficients, Nordsieck form.

Gear, Numerical Initial Value Problems in ODEs (1971); step and order control of Hindmarsh, LSODE (ACM SIGNUM 15 (1980)
10). The history is z_j = h^j y^(j)/j!, interpolated to the new step when the step changes.  With the prediction p
(Pascal's triangle times z) and the correction e = y - p_0 the new history is p_j + l_j e/l_0, and the leading
coefficient is 1/(l_0 h). Formulations, corrector: `bdf_corrector`.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import Entry, jit
from ..elements.bodies.motion_bounds import bound_series
from .bdf_corrector import BDF, MAXORD, WORTH, factor, finish_interpolation, history_norm

Nordsieck = namedtuple("Nordsieck", "Z P eold change coef bodies nx velocities")
Nordsieck.__doc__ = """Z (8, N) history; P (8, N) its prediction; eold, change (N) correction of the step before, work;
coef (7, 8): l of each order; bodies, nx states, velocities: they are in the error test."""


def coefficients() -> np.ndarray:
    """l (7, 8): row k holds l_0..l_k of the BDF of order k, scaled so that l_1 = 1 (LSODE, routine CFODE)."""
    out = np.zeros((MAXORD + 1, MAXORD + 2))
    pc = np.zeros(MAXORD + 2)
    pc[0] = 1.0
    for k in range(1, MAXORD + 1):
        for i in range(k, 0, -1):
            pc[i] = pc[i - 1] + k * pc[i]
        pc[0] *= k
        out[k, : k + 1] = pc[: k + 1] / pc[1]
    return out


@jit(entry="Handle(Nordsieck, Trial, Weights), int64, float64, float64, boolean")
def predict(handle, k, h, ratio, more):
    """History made that of a step ``ratio`` times as long, P <- Pascal's triangle times Z, value and rate to the
    corrector.

    more: order k is new; its row comes from the last correction.
    """
    H = view_S(handle)
    N = view_W(handle)
    Z = H.Z
    P = H.P
    if more:
        l = H.coef[k - 1, k - 1] / (H.coef[k - 1, 0] * k)
        for c in range(Z.shape[1]):
            Z[k, c] = H.eold[c] * l
    f = 1.0
    for j in range(k + 1):
        for c in range(Z.shape[1]):
            Z[j, c] *= f
            P[j, c] = Z[j, c]
        f *= ratio
    for c in range(Z.shape[1]):  # as a step of the new size would have had it
        H.eold[c] *= f
    for a in range(k):
        for j in range(k - 1, a - 1, -1):
            for c in range(Z.shape[1]):
                P[j, c] += P[j + 1, c]
    for c in range(Z.shape[1]):
        N.P0[c] = P[0, c]
        N.P1[c] = P[1, c] / h


@jit(entry="Handle(Nordsieck, Trial, Weights), int64")
def error_below(handle, k):
    """Local error of order k-1 from the history: (k-1)! |z_k|."""
    H = view_S(handle)
    f = 1.0
    for j in range(2, k):
        f *= j
    return f * history_norm(H.bodies, H.nx, H.Z[k], view_P(handle), H.velocities, view_W(handle).impulses)


@jit(entry="Handle(Nordsieck, Trial, Weights), int64, boolean, boolean")
def record(handle, k, down, up):
    """History after a step of order k.  Returns the local errors that order k-1 (if ``down``) and k+1 (if ``up``) would
    have had, else 0."""
    H = view_S(handle)
    N = view_W(handle)
    w = view_P(handle)
    less = 0.0
    more = 0.0
    if down:
        less = error_below(handle, k)
    if up:
        for c in range(H.Z.shape[1]):
            H.change[c] = N.e[c] - H.eold[c]
        more = history_norm(H.bodies, H.nx, H.change, w, H.velocities, N.impulses) / (k + 2.0)
    for j in range(k + 1):
        f = H.coef[k, j] / H.coef[k, 0]
        for c in range(H.Z.shape[1]):
            H.Z[j, c] = H.P[j, c] + f * N.e[c]
    for c in range(H.Z.shape[1]):
        H.eold[c] = N.e[c]
    return less, more


@jit(entry="Handle(Nordsieck, Trial, Weights), int64, float64, float64, float64[::1], float64[::1], float64[::1]")
def evaluate_history(handle, k, h, s, y, acc, yd):
    """State at time s*h after the point of the history (-1 <= s <= 0), accelerations and rates from the polynomial."""
    H = view_S(handle)
    Z = H.Z
    for c in range(y.shape[0]):
        v = Z[k, c]
        g = k * Z[k, c]
        for j in range(k - 1, -1, -1):
            v = v * s + Z[j, c]
            if j > 0:
                g = g * s + j * Z[j, c]
        y[c] = v
        yd[c] = g / h
    finish_interpolation(H.bodies, y, acc, yd)


# A step that differs by more from the one before is a new one: what other orders would do is judged k + 1 steps later,
# but after so many times k + 1 steps at the latest: steps that end at outputs may differ every time
CHANGED, LATEST = 0.1, 10
# a step that may grow so much at the start of a model with contacts will be bounded by them: order 2 comes first
PLENTY = 4.0


class GSTIFF(BDF):
    """Gear's BDF with variable step and order; formulation I3 (default), SI2 or SI1."""

    name = "GSTIFF"

    def __init__(self, system, options=None):
        super().__init__(system, options)
        self._series = Entry(bound_series)
        z, N = np.zeros, self.size
        self.H = Nordsieck(z((8, N)), z((8, N)), z(N), z(N), coefficients(), system.bodies, system.nx, self.stabilised)
        self.history = make_handle(self.H, self.N, self.weights)

    def _first_history(self, y, rates, h):
        H = self.H
        H.Z[:] = 0.0
        H.Z[0] = y
        H.Z[1] = h * rates
        H.eold[:] = 0.0
        self.hz, self._most = h, 1e4
        self._judge_after(2)
        self._raise = False

    def _judge_after(self, steps):
        """Order and step are judged again after so many steps."""
        self._wait, self._since = steps, 0

    def _predict(self, h):
        k, ratio = self.order, h / self.hz
        if abs(ratio - 1.0) > CHANGED:
            self._wait = max(self._wait, k + 1)
        predict(self.history, k, h, ratio, self._raise)
        self.hz, self._raise = h, False
        return 1.0 / (self.H.coef[k, 0] * h), 1.0 / (k + 1.0)

    def _record(self, h, size):
        k = self.order
        bounded = (
            h < 0.999 * self.h
        )  # by something else than accuracy, as in impacts: a longer step is no gain, order 2 is
        self._wait -= 1
        self._since += 1
        due = self._wait <= 0 or self._since >= LATEST * (k + 1)
        if self.fixed:
            record(self.history, k, False, False)
            if due and k < self.kmax:
                self._raise, self.order = True, k + 1
                self._judge_after(k + 2)
            return
        less, more = record(self.history, k, due and k > 1, due and k < self.kmax)
        same = factor(size / (k + 1.0), k, 1.2)
        even = factor(error_below(self.history, 3), 2, 1.2) if k > 2 else 0.0
        if WORTH * even > same and not due:
            self._fall(h, even)
        if not due:
            return
        down = factor(less, k - 1, 1.3) if k > 1 else 0.0
        up = factor(more, k + 1, 1.4) if k < self.kmax else 0.0
        best, new = max((same, k), (down, k - 1), (up, k + 1), key=lambda c: c[0])
        if k == 1 and self.touching and up >= 1.0 and (bounded or same > PLENTY):
            best, new = max(up, 1.1), 2
        elif new == 1 and bounded:
            best, new = same, k
        if WORTH * even > best:
            self._fall(h, even)
            return
        if best < 1.1:
            self._judge_after(3)
            return
        self._raise = new > k
        self.order = new
        self.h = h * min(best, self._most)
        self._most = 10.0
        self._judge_after(new + 1)

    def _fall(self, h, ratio):
        """Back to order 2 (see `BDF`)."""
        self.order, self._most = 2, 2.0
        self._judge_after(3)
        self.h = h * min(max(ratio, 0.5), 2.0)

    def _disturbed(self):
        self._judge_after(self.order + 1)
        self._most = 2.0

    def _lower(self, h, error, failures):
        k = self.order
        self._disturbed()
        ratio = factor(error, k, 1.2)
        if failures > 2 and k > 1:
            self.order, ratio = 1, min(ratio, 0.1)
        elif k > 1:
            down = factor(error_below(self.history, k), k - 1, 1.3)
            if down > ratio:
                ratio, self.order = min(down, 1.0), k - 1
        if failures > 1:
            ratio = min(ratio, 0.2)
        self.h = h * min(max(ratio, 0.1), 0.9)

    def motion_bounds(self, out, fine=False):
        j, s = np.arange(1, self.k_done + 1), self.h_done / self.hz
        self._series.call(
            self.system.bodies, self.H.Z, 1, self.k_done, j * s ** (j - 1) / self.hz, self.y, self.h_done, out
        )
        return True

    def interpolate(self, t, out, rates=None):
        yd = self.I.yd if rates is None else rates
        evaluate_history(self.history, self.k_done, self.hz, (t - self.t) / self.hz, out, self._acc, yd)

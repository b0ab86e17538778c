"""History of the BDF whose past steps may have any sizes: modified divided differences.

Krogh (1974); Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in DAEs (1996), sec. 5.2 (DASSL).
With psi_j = t_n - t_(n-j) the history is phi_0 = y_n, phi_j = psi_1 .. psi_j y[t_n, .., t_(n-j)], the backward
differences when steps are equal.  Primes belong to t_(n+1):

    beta_j = prod_(i<=j) psi'_i/psi_i,    gamma_j = sum_(i<=j) 1/psi'_i,    P0 = sum beta_j phi_j,    P1 = sum gamma_j
        beta_j phi_j

and with the correction e = y - P0 the new differences are phi'_(k+1) = e, phi'_j = beta_j phi_j + phi'_(j+1).  The
points are those of the solution whatever formula moved it, so the order may fall or rise at any step.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import Entry, jit
from ..elements.bodies.motion_bounds import bound_series
from .bdf_corrector import BDF, MAXORD, finish_interpolation, history_norm

Differences = namedtuple("Differences", "Z psi new beta sigma sum bodies nx velocities")
Differences.__doc__ = """Z (9, N): phi_0 to phi_8; psi, new (10): psi_j now and at the end of the step, psi_0 = 0; beta
(9); sigma (9): sigma_j |phi'_(j+1)| is the error of order j, j! h^(j+1)/(psi'_1 .. psi'_(j+1)); sum (N) work; bodies,
nx states; velocities: they are in the error test."""


@jit(entry="Handle(Differences, Trial, Weights), int64, float64")
def predict(handle, k, h):
    """Coefficients of a step h of order k, value and rate of the prediction to the corrector.

    Returns sum 1/psi'_i (i = 1..k), and alpha_(k+1) = h/psi'_(k+1).
    """
    H = view_S(handle)
    N = view_W(handle)
    H.new[0] = 0.0
    for j in range(1, H.new.shape[0]):
        H.new[j] = h + H.psi[j - 1]
    H.beta[0] = 1.0
    H.sigma[0] = 1.0
    for j in range(1, H.beta.shape[0]):
        H.beta[j] = H.beta[j - 1] * H.new[j] / H.psi[j]
        H.sigma[j] = j * H.sigma[j - 1] * h / H.new[j + 1]
    for c in range(N.P0.shape[0]):
        N.P0[c] = H.Z[0, c]
        N.P1[c] = 0.0
    g = 0.0
    for j in range(1, k + 1):
        g += 1.0 / H.new[j]
        b = H.beta[j]
        for c in range(N.P0.shape[0]):
            x = b * H.Z[j, c]
            N.P0[c] += x
            N.P1[c] += g * x
    return g, h / H.new[k + 1]


@jit(entry="Handle(Differences, Trial, Weights), int64, boolean")
def errors(handle, k, up):
    """Local errors that orders 2, k-2, k-1 and, if ``up``, k+1 would have had in the step just tried (0 where there is
    none)."""
    H = view_S(handle)
    N = view_W(handle)
    w = view_P(handle)
    safe = 0.0
    lower = 0.0
    less = 0.0
    more = 0.0
    for c in range(H.sum.shape[0]):
        H.sum[c] = N.e[c]
    for j in range(k, 1, -1):
        for c in range(H.sum.shape[0]):
            H.sum[c] += H.beta[j] * H.Z[j, c]
        if j > k - 2 or j == 3:
            v = H.sigma[j - 1] * history_norm(H.bodies, H.nx, H.sum, w, H.velocities, N.impulses)
            if j == k:
                less = v
            elif j == k - 1:
                lower = v
            if j == 3:
                safe = v
    if up:
        for c in range(H.sum.shape[0]):
            H.sum[c] = N.e[c] - H.beta[k + 1] * H.Z[k + 1, c]
        more = H.sigma[k + 1] * history_norm(H.bodies, H.nx, H.sum, w, H.velocities, N.impulses)
    return safe, lower, less, more


@jit(entry="Handle(Differences, Trial, Weights), int64")
def record(handle, k):
    """History after a step of order k."""
    H = view_S(handle)
    N = view_W(handle)
    Z = H.Z
    for c in range(Z.shape[1]):
        v = N.e[c]
        Z[k + 1, c] = v
        for j in range(k, -1, -1):
            v += H.beta[j] * Z[j, c]
            Z[j, c] = v
    for j in range(H.psi.shape[0]):
        H.psi[j] = H.new[j]


@jit(entry="Handle(Differences, Trial, Weights), int64, float64, float64[::1], float64[::1], float64[::1]")
def evaluate_history(handle, k, s, y, acc, yd):
    """State at time s <= 0 after the last point, accelerations and rates, from the polynomial of degree k."""
    H = view_S(handle)
    for c in range(y.shape[0]):
        y[c] = H.Z[0, c]
        yd[c] = 0.0
    p = 1.0
    d = 0.0
    for j in range(1, k + 1):
        x = (s + H.psi[j - 1]) / H.psi[j]
        d = d * x + p / H.psi[j]
        p *= x
        for c in range(y.shape[0]):
            y[c] += p * H.Z[j, c]
            yd[c] += d * H.Z[j, c]
    finish_interpolation(H.bodies, y, acc, yd)


class DifferencesBDF(BDF):
    """A BDF on this history; what is left to a method is its coefficients and its choice of order."""

    def __init__(self, system, options=None):
        super().__init__(system, options)
        self._series = Entry(bound_series)
        z, N = np.zeros, self.size
        self.H = Differences(
            z((MAXORD + 3, N)),
            z(MAXORD + 4),
            z(MAXORD + 4),
            z(MAXORD + 3),
            z(MAXORD + 3),
            z(N),
            system.bodies,
            system.nx,
            self.stabilised,
        )
        self.history = make_handle(self.H, self.N, self.weights)

    def _first_history(self, y, rates, h):
        H = self.H
        H.Z[:] = 0.0
        H.Z[0] = y
        H.Z[1] = h * rates
        H.psi[:] = h * np.arange(len(H.psi))  # a point behind the start, on the tangent
        self.rising, self._since, self._at = True, 0, 0  # steps since the last change, steps at this order

    def _store(self):
        record(self.history, self.order)
        self._since += 1
        self._at += 1

    def _climb(self):
        """A fixed step: only the order rises, up to the highest."""
        self._store()
        if self.order < self.kmax and self._at > self.order:
            self._change(self.order + 1)

    def _change(self, order, h=None):
        """Another order or step for the next trial."""
        if order != self.order:
            self._at = 0  # the difference above the new order is not known yet
        self.order, self._since = order, 0
        if h is not None:
            self.h = h

    def _disturbed(self):
        self._since, self.rising = 0, False

    def seed(self, t, points, h, order) -> None:
        """Take as history ``points`` (order + 2 or more, N), the solution at t, t - h, t - 2 h, ..., and continue with
        this order."""
        d = np.array(points, dtype=float)
        for j in range(1, len(d)):
            d[j:] = d[j - 1 : -1] - d[j:]
        k = min(len(d), len(self.H.Z))
        self.H.Z[:k] = d[:k]
        self.H.psi[:] = h * np.arange(len(self.H.psi))
        self.t = self.t_old = t
        self.y[:] = points[0][: len(self.y)]
        self.order = self.k_done = order
        self.h = self.h_done = self._last = h

    def motion_bounds(self, out, fine=False):
        k, psi = self.k_done, self.H.psi
        slopes = np.cumsum(
            1.0 / psi[1 : k + 1]
        )  # each factor (s + psi_(j-1)) / psi_j of the polynomials is at most 1 within the step
        self._series.call(self.system.bodies, self.H.Z, 1, k, slopes, self.y, self.h_done, out)
        return True

    def interpolate(self, t, out, rates=None):
        yd = self.I.yd if rates is None else rates
        evaluate_history(self.history, self.k_done, t - self.t, out, self._acc, yd)

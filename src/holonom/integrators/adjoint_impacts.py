"""The adjoint of an impact with restitution between smooth shapes, with the derivative of its time.

At the time where the gap g is zero velocities jump by the rows H of the joints and of the points that strike,

    u+ = u - M^-1 H^T L,   H M^-1 H^T L = D H u,   D = 1 for joints, 1 + e for points,

and the cotangent lam of the state behind it becomes (saltation; Hiskens, Pai, IEEE Trans. Circuits Syst. I 47 (2000)
204), with a the time derivatives of the state before and after,

    lam- = R^T lam - g_q mu,   mu = (R^T lam . a- - lam . a+) / g',

where R^T lam is, with s = (H M^-1 H^T)^-1 H M^-1 ubar and nu = M^-1 (ubar - H^T s),

    ubar - H^T D s  of velocities,   - L . d(H nu) - s . d(H w) - nu . dM (u+ - u) - s (H u) de  of all else,

w = u+ in rows of joints and e u + u+ in those of points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._handle import view_P, view_S, view_W
from .._jit import jit
from ..contact.pull import LAWS, point_gaps, pull_given, table_of
from ..elements.bodies import layout
from ..elements.bodies.coordinates import rates
from ..elements.bodies.layout import MOVES
from ..elements.bodies.mass import inverse_masses
from ..elements.bodies.pull import from_increments
from ..model import ModelError
from ..system.kernels import evaluate_constraints, evaluate_dynamics, evaluate_frames, factor_schur, rate
from ..system.pull import clear, pull_constraints, to_state
from . import runge_kutta as rk
from .explicit import REDUNDANT

NEAR = 1e-9  # of the size of the shapes: gap of a point that strikes
FITS = 1e-7  # of the speeds: what an impact by the rows above may differ from that of the run
SLOW = 1e-3  # of the speeds: an impact so slow has derivatives that are nearly one-sided


_HANDLE = "Handle(Tables, Work, Adjoint(Variable, Cotangents, ContactPull, Pull))"


@jit(entry=f"{_HANDLE}, {rk.MOST} * {_HANDLE}, float64, float64, float64[::1], float64[::1]")
def retake(handle, stages, t, h, y, out):
    """out <- the end of a step from (t, y) by h, without its projection."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    n = P.stages
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        factor_schur(S, W, REDUNDANT, 0)
    for s in range(n):
        rk.combine(P.Y[s], 1.0, y, P.K, P.A[s], s, h)
        rate(view_S(stages[s]), view_W(stages[s]), t + P.C[s] * h, P.Y[s], P.K[s], REDUNDANT, 1)
    rk.combine(out, 1.0, y, P.K, P.B, n, h)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1]")
def rates_at(handle, t, y, out):
    """out <- time derivative of a state; frames, rows and factor are those of it."""
    S = view_S(handle)
    W = view_W(handle)
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        factor_schur(S, W, REDUNDANT, 0)
    evaluate_dynamics(S, W, t, y, out)
    rates(S.bodies, y, W.acc, out)


@jit(entry=f"{_HANDLE}, float64{5 * ', float64[::1]'}")
def pull_joints(handle, t, y, nu, s, L, yb):
    """yb += - L . d(G nu) - s . d(G u) of the rows of joints at a state, at given velocities."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    evaluate_frames(S, W, y)
    evaluate_constraints(S, W, t, y)
    clear(P.out.body)
    for r in range(s.shape[0]):
        P.sg[r] = -s[r]
        W.plam[r] = -L[r]
    pull_constraints(S, W, P.pull, t, y, nu, P.none, P.sg, P.none, W.plam)
    for b in range(S.bodies.n):
        for c in range(MOVES):
            P.out.body[12 * b + MOVES + c] = 0.0
    to_state(S, P.pull, y, yb)


def _joint_rows(system: Any) -> np.ndarray:
    """G (m, moves of the bodies) at the state whose rows were evaluated last."""
    S, n = system.S, system.nb
    out = np.zeros((system.m, layout.MOVES * (n + 1)))
    for r in range(system.m):
        for q in range(int(S.rows.rp[r]), int(S.rows.rp[r + 1])):
            layout.moves(out[r])[int(S.rows.slot_body[q])] += system.W.rw.G[q]
    return out[:, : layout.MOVES * n]


class Impacts:
    """Adjoint of the impacts of a run; ``warnings``: of impacts that nearly graze."""

    def __init__(self, adjoint: Any) -> None:
        self.adjoint = adjoint
        self.system = adjoint.system
        self.warnings: list[str] = []

    def back(self, t0: float, y0: np.ndarray, t: float, after: np.ndarray, yb: np.ndarray) -> None:
        """yb of the state ``after`` an impact at t <- that of the state before it, to which a step leads from
        (t0, y0).  Raises ModelError for impacts that are of another kind."""
        a, system = self.adjoint, self.system
        n, contacts, P = system.nb, system.contacts, self.adjoint.P
        before = np.zeros_like(after)
        retake(a.handle, a.stages, t0, t - t0, y0, before)
        y = after.copy()
        layout.speeds(y, n)[:] = layout.speeds(before, n)
        before = y
        size = contacts._size()
        contacts.search(t, after)
        count = contacts.collect(t, after, NEAR * size)
        fa, fb = np.zeros_like(after), np.zeros_like(after)
        rates_at(a.handle, t, after, fa)
        rates_at(a.handle, t, before, fb)
        G = _joint_rows(system)
        u, v = layout.speeds(before, n).ravel(), layout.speeds(after, n).ravel()
        frames = len(contacts.S.sh.fr.body)
        N = np.zeros((count, layout.MOVES * n))
        place, turn = np.zeros((2, count, frames, 3))
        body = np.zeros((count, 12 * (n + 1)))
        for k in range(count):
            point_gaps(contacts.handle.address, k, t, after, contacts._R, body[k], place[k], turn[k])
            N[k] = body[k].reshape(n + 1, 12)[:n, : layout.MOVES].ravel()
        striking = np.flatnonzero(N @ u < -FITS * np.abs(N) @ np.abs(u))
        N, e = N[striking], np.array([contacts.S.p[contacts.W.near[contacts.W.pair[k], 0], 0] for k in striking])
        speed = N @ u
        H = np.vstack([G, N])
        mobility = inverse_masses(system.bodies)[:n].ravel()
        solve = np.linalg.pinv(H @ (mobility[:, None] * H.T), rcond=1e-11)
        D = np.concatenate([np.ones(len(G)), 1.0 + e])
        L = solve @ (D * (H @ u))
        scale = float(np.abs(u).max()) or 1.0
        if len(striking) != 1 or np.abs(u - mobility * (H.T @ L) - v).max() > FITS * scale:
            raise ModelError(
                f"at time {t:.6g} {len(striking)} points strike or the impact has friction: the derivative is known of "
                "one point that strikes alone, without friction; end before it, or give the contact a law (IMPACT)"
            )
        if -speed[0] < SLOW * scale:
            self.warnings.append(
                f"at time {t:.6g} a contact touches with speed {-speed[0]:.3g}, {-speed[0] / scale:.1g} of the "
                "fastest: the derivative is nearly that of one side"
            )
        ubar = layout.speeds(yb, n).ravel().copy()
        s = solve @ (H @ (mobility * ubar))
        nu = np.append(mobility * (ubar - H.T @ s), np.zeros(layout.MOVES))
        m, wanted = len(G), int(striking[0])
        out = yb.copy()
        layout.speeds(out, n)[:] = (ubar - H.T @ (D * s)).reshape(n, -1)
        if m:
            pull_joints(a.handle, t, after, nu, s[:m], L[:m], out)
        w = np.append(e[0] * u + v, np.zeros(layout.MOVES))
        more = np.zeros(12 * (n + 1))
        for force, virtual in ((-L[m], nu), (-s[m], w)):
            pull_given(
                contacts.handle.address, wanted, force, t, after, contacts._R, virtual, more, P.contact.place,
                P.contact.turn,
            )  # fmt: skip
        from_increments(n, after, more, out)
        moves = layout.moves(nu)[:n]
        change = (v - u).reshape(n, -1)
        P.mass[:] -= (moves[:, :3] * change[:, :3]).sum(axis=1)
        P.J[:] -= moves[:, 3:, None] * change[:, None, 3:]
        mu = (out @ fb - yb @ fa) / speed[0]
        from_increments(n, after, -mu * body[wanted], out)
        P.contact.place[:] -= mu * place[wanted]
        P.contact.turn[:] -= mu * turn[wanted]
        self._numbers(t, after, wanted, mu, (-L[m], nu), (-s[m], w), -s[m] * speed[0])
        yb[:] = out

    def _numbers(self, t: float, y: np.ndarray, k: int, mu: float, first: tuple, second: tuple, by_e: float) -> None:
        """Cotangents of numbers of contacts along directions: restitution, and sizes of shapes by differences."""
        contacts, c = self.system.contacts, self.adjoint.P.contact
        S, near = contacts.S, int(contacts.W.near[contacts.W.pair[k], 0])
        for d in range(len(c.bar)):
            lengths = []
            for r in np.flatnonzero(c.entries[:, 0] == d):
                which, at = int(c.entries[r, 1]), tuple(c.entries[r, 2:])
                if which >= LAWS:
                    lengths.append((table_of(S, which), at, c.weights[r]))
                elif which == 0 and at == (near, 0):
                    c.bar[d] += by_e * c.weights[r]
            if not lengths:
                continue
            h = 1e-6 * contacts._size() / max(abs(x[2]) for x in lengths)
            kept = [table.reshape(len(table), -1)[at] for table, at, _ in lengths]
            values = []
            for way in (h, -h):
                for (table, at, weight), value in zip(lengths, kept):
                    table.reshape(len(table), -1)[at] = value + way * weight
                contacts.collect(t, y, 1e3 * h * max(abs(x[2]) for x in lengths))
                values.append(self._value(k, mu, first, second, t, y))
            for (table, at, _), value in zip(lengths, kept):
                table.reshape(len(table), -1)[at] = value
            contacts.collect(t, y, NEAR * contacts._size())
            c.bar[d] += (values[0] - values[1]) / (2.0 * h)

    def _value(self, k: int, mu: float, first: tuple, second: tuple, t: float, y: np.ndarray) -> float:
        """- mu g + forces times (row . virtual velocities) of point k."""
        contacts, n = self.system.contacts, self.system.nb
        body, place = np.zeros(12 * (n + 1)), np.zeros((2, len(contacts.S.sh.fr.body), 3))
        gap = point_gaps(contacts.handle.address, k, t, y, contacts._R, body, place[0], place[1])
        row = body.reshape(n + 1, 12)[:, : layout.MOVES].ravel()
        return -mu * gap + sum(force * float(row @ virtual) for force, virtual in (first, second))

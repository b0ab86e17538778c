"""Surfaces of flexible bodies as constraints in steps of Moreau and Jean's scheme (`moreau_jean`), with rows of
`contact.surfaces.rows`.

Points whose gap is closed at the middle of a step get impulses r with the matrix A of the step (`_moreau_implicit`), W
= H A^-1 H^T:

    0 <= w_n  _|_  r_n >= 0,      r_t in the disk of radius mu r_n against w_t,      w = H u+ = H u_free + W r.

Nodes do not bounce: a flexible body bounces by its waves.  Where a surface has dents C next to its modes
(`contact.surfaces.dented`), which have no inertia, nothing is left to close at once, and the gap itself, less its dent
under the mean force r / h, is what cannot be negative, at the time theta of the step:

    0 <= g + h theta (theta w_n + (1 - theta) w_n before) + C r_n / h  _|_  r_n >= 0,

so that W gets C / (h theta)^2.  The stiffness of a SURFACE_CONTACT, its exponent and its damping have no part in
either.

With multipliers (`RigidSettings.surfaces`) gaps that stay closed have their second derivative appended to the
equations, r / h its multiplier,

    0 <= (w_n - w_n before) / h + 2 s w_n before + s^2 g  _|_  r_n >= 0,      s h = 1 / 5 (Baumgarte),

until r is zero; a gap closes with an impulse, as above.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._handle import make_handle
from .._warnings import WarningText
from ..contact.rigid.problem import make_problem
from ..contact.rigid.solvers import Settings, solve
from ..contact.surfaces.columns import (
    GIVEN,
    HELD,
    LAW_ACTS,
    MARGIN,
    MODE,
    MUTE,
    POINT_DATA,
    R_BARE,
    R_DIRECTION,
    R_FORCE,
    R_GAP,
    R_NORMAL,
    R_SHARE,
    R_WHICH,
    RESULTS,
)
from ..contact.surfaces.rows import enter_dents, enter_rows
from ..elements.bodies import layout
from ..flexible.mixed.complementarity import solve as pivot
from .stepper import IntegrationError

ROOM = 64  # points at first
DEEP = 1e-3  # of an edge: an overlap at the start that is reported
GRIPS = 8  # solutions until points rest and slide as their coefficients of friction say
NOISE = 1e-6  # share of the largest velocity without impulses that is no slip
AT_BOUND = 1e-4  # share of the friction at rest by which a point that slides may miss it
STABILISED = 0.2  # rate, per step, at which a gap that is kept closed by its second derivative returns to zero
D_GAP, D_NORMAL, D_POINT, D_WHICH, D_SHARE = 0, slice(1, 4), 4, 5, slice(6, 9)
Report = tuple[float, int, str]


class Side:
    """One SURFACE_CONTACT of a system: its tables, where its coordinates lie, and what its points got in the last step
    and since the last row."""

    def __init__(self, system: Any, k: int) -> None:
        ports, nb = system.ports, system.nb
        self.element, self.skin = ports.elements[k], ports._tables[k]
        self.frame = np.array(ports.frames[k], np.int64)
        self.own = ports.bent[k]
        places = layout.unknowns(nb) + self.own
        n = self.skin.S.big.shape[0]
        self.at_A = np.ascontiguousarray(places[:n])
        self.at_B = np.ascontiguousarray(places[n:]) if len(places) > n else np.zeros(1, np.int64)
        points = len(self.skin.S.place)
        self.step, self.sum = np.zeros((points, 4)), np.zeros((points, 4))
        self.last = np.zeros((points, RESULTS))
        self.slides = np.zeros(points, bool)  # points that slid at the end of the last step in which they were closed
        self.dented = bool(self.skin.S.dent.shape[0] + self.skin.S.dentB.shape[0])
        self.stored = 0.0
        self.data = np.zeros((0, POINT_DATA))  # of the points that are closed
        self.dents = np.zeros((0, 0))  # between these
        self.H = np.zeros((0, 0))

    def hold(self, mode: float) -> None:
        self.skin.S.par[MODE] = mode

    def give(self, forces: np.ndarray, stored: float, lost: float) -> None:
        """These forces (points, 4), normal and vector, act at the points until others are given."""
        W = self.skin.W
        at = np.flatnonzero(forces[:, 0] != 0.0)
        W.count[HELD] = len(at)
        W.given_at[: len(at)] = at
        W.given[: len(at)] = self.last[at]
        W.given[: len(at), R_NORMAL : R_FORCE + 3] = forces[at]
        W.balance[:] = stored, lost


class Surfaces:
    """All SURFACE_CONTACTs of a system in one step after the other; ``count``: points that are closed in the present
    one."""

    def __init__(self, system: Any, implicit: Any, theta: float, settings: Settings) -> None:
        self.system, self.implicit, self.theta, self.settings = system, implicit, theta, settings
        self.sides = [Side(system, k) for k, e in enumerate(system.ports.elements) if e.KIND == "SURFACE_CONTACT"]
        self.frames = make_handle(system.S.fr, (), ())
        self.multipliers = system.model.rigid.surfaces == "multipliers"
        for s in self.sides:
            if self.multipliers and s.dented:
                raise s.element.error(
                    "its local compliance has no inertia, so second derivatives of gaps do not determine forces; use "
                    "surfaces = impulses, or make_flexible without accuracy"
                )
        self.rows = 3 if any(s.element.grip > 0.0 for s in self.sides) else 1
        moves = system.bodies.moves
        self._H, self._data = np.zeros((ROOM * self.rows, moves)), np.zeros((ROOM, POINT_DATA))
        self.count, self.H, self.Z = 0, self._H[:0], self._H[:0]
        self.r = np.zeros((0, self.rows))
        self._on: set[tuple[int, int]] = set()
        self.since: float | None = None
        self.begins = True
        self.said: list[str] = []
        self.most = 0
        self.hold(MUTE)

    def hold(self, mode: float) -> None:
        for s in self.sides:
            s.hold(mode)

    def let_go(self) -> None:
        """Their laws act again."""
        self.hold(LAW_ACTS)

    def start(self, t: float) -> None:
        self.since = t
        for s in self.sides:
            s.sum[:] = s.step[:] = 0.0
            s.give(s.step, 0.0, 0.0)

    # ---- a step -----------------------------------------------------------------------------------------------------
    def collect(self, t: float, y: np.ndarray, u: np.ndarray, free: np.ndarray, h: float) -> int:
        """Points that are closed in a step of size h at t with the middle y, whose frames are current; u, free
        (moves,): velocities before it, and after it without impulses.  Raises IntegrationError where surfaces move too
        far in the step to be seen."""
        bodies, R = self.system.bodies, self.system.W.R
        parts = []
        for s in self.sides:
            q = np.concatenate([layout.coordinates(y, bodies)[s.own], layout.coordinate_rates(y, bodies)[s.own]])
            while True:
                n, left, v = enter_rows(
                    s.skin.address, self.frames, s.frame, R, q, s.at_A, s.at_B, h, self.rows, self._H, self._data
                )
                if n >= 0:
                    break
                self._data = np.zeros((2 * len(self._data), POINT_DATA))
                self._H = np.zeros((len(self._data) * self.rows, self._H.shape[1]))
            # deeper than half of its thickness the normal of a shape points out on the other side
            margin = min(float(s.skin.S.par[MARGIN]), s.skin.thin)
            if h * v > margin and (n or left < h * v):
                raise IntegrationError(
                    f"at time {t:.6g} {s.element.label}: surfaces move over each other by up to {h * v:.3g} in a step "
                    f"of {h:.3g}, more than the {margin:.3g} "
                    f"within which they are watched; a STEP of {0.5 * margin / v:.2g} is safe",
                    t,
                )
            data, H = self._data[:n], self._H[: n * self.rows]
            deep = -float(data[:, D_GAP].min(initial=0.0))
            if self.begins and not s.dented and deep > h * v + DEEP * s.skin.edge:
                self.said.append(
                    WarningText(
                        f"at time {t:.6g} {s.element.label}: surfaces overlap by {deep:.3g} before they move, and "
                        "stay so: "
                        "constraints open no overlaps; move the parts apart"
                    )
                )
            normal = H[:: self.rows]
            shut = data[:, D_GAP] <= 0.0
            if self.multipliers:
                shut |= s.step[data[:, D_POINT].astype(np.int64), 0] > 0.0
            if s.dented:
                w = normal @ u
                shut |= data[:, D_GAP] + h * (self.theta * (normal @ free - w) + 0.5 * w) <= 0.0
            s.data = data[shut].copy()
            s.H = H[np.repeat(shut, self.rows)].copy()
            if s.dented:
                s.dents = np.zeros((len(s.data), len(s.data)))
                enter_dents(s.skin.address, s.data, s.dents)
            parts.append(s.H)
        self.begins = False
        self.H = np.ascontiguousarray(np.vstack(parts)) if parts else self._H[:0]
        self.count = len(self.H) // self.rows
        self.most = max(self.most, self.count)
        self.Z = np.zeros_like(self.H)
        self.r = np.zeros((self.count, self.rows))
        if self.count:
            self.implicit.answer(self.H, self.Z)
        return self.count

    def entered(
        self, u: np.ndarray, free: np.ndarray, h: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of the closed points: q (n, rows) that a solver starts from, coefficients of friction (n,), impulses of the
        last step (n, rows) and what dents add to the Delassus matrix (n, n) of normal impulses."""
        q = (self.H @ free).reshape(-1, self.rows)
        before = (self.H @ u).reshape(-1, self.rows)
        mu, start, C = np.zeros(self.count), np.zeros_like(q), np.zeros((self.count, self.count))
        at = 0
        for s in self.sides:
            n = len(s.data)
            own = slice(at, at + n)
            mu[own] = s.element.mu
            points = s.data[:, D_POINT].astype(np.int64)
            known = s.step[points]
            if s.element.grip > s.element.mu:
                fast = np.hypot(*before[own, 1:].T) > s.element.transition
                mu[own][~np.where(known[:, 0] > 0.0, s.slides[points], fast)] = s.element.grip
            start[own, 0] = known[:, 0]
            if s.dented and n:
                g = s.data[:, D_GAP] - 0.5 * h * before[own, 0]
                q[own, 0] += g / (h * self.theta**2) + (1.0 - self.theta) / self.theta * before[own, 0]
                C[own, own] = s.dents / (h * self.theta) ** 2
            if self.multipliers and n:
                w = np.where(known[:, 0] > 0.0, before[own, 0], 0.0)
                q[own, 0] += (2.0 * STABILISED - 1.0) * w + np.where(
                    known[:, 0] > 0.0, STABILISED**2 / h * s.data[:, D_GAP], 0.0
                )
            at += n
        return q, mu, start, C

    def alone(self, u: np.ndarray, free: np.ndarray, h: float) -> Report:
        """Impulses where nothing else touches; ``free`` becomes the velocity behind them.  Returns residual, iterations
        and what has solved it."""
        q, mu, start, C = self.entered(u, free, h)
        W = self.H @ self.Z.T
        W[:: self.rows, :: self.rows] += C
        if self.rows == 1:
            n = self.count
            p = start[:, 0].copy()
            W = np.ascontiguousarray(0.5 * (W + W.T))
            turns = pivot(W, np.concatenate([q[:, 0], np.zeros(4)]), p, np.zeros(n, bool), np.zeros_like(W), 0.0, 1, n)
            self.r[:, 0] = p
            z = W @ p + q[:, 0]
            size = float(np.abs(q[:, 0]).max(initial=1e-300))
            report = (
                float(np.maximum(-z, np.minimum(np.abs(z), p * np.diag(W))).max(initial=0.0)) / size,
                int(turns),
                "pivots",
            )
        else:
            P = make_problem(self.count, self.rows, 0, np.zeros((1, layout.MOVES)), np.zeros(layout.MOVES))
            P.count[0], P.mu[:, 0], P.r[:] = self.count, mu, start
            for _ in range(GRIPS):
                found = solve(P, self.settings, W, q)
                self.r[:] = P.r
                if not self.broken(P.mu[:, 0], q, q + (W @ self.r.ravel()).reshape(q.shape)):
                    break
            report = float(found.residual), int(found.iterations), str(found.solver)
        free += self.Z.T @ self.r.ravel()
        return report

    def broken(self, mu: np.ndarray, free: np.ndarray, w: np.ndarray) -> int:
        """After a solution with impulses r and the velocities w (n, rows), ``free`` without impulses: points that
        rested and slide nevertheless get the coefficient of sliding, in mu (n,).  Returns how many; the problem has to
        be solved again where there are any."""
        if self.rows == 1:
            return 0
        slip, force = np.hypot(*w[:, 1:].T), np.hypot(*self.r[:, 1:].T)
        noise = NOISE * float(np.abs(free).max(initial=0.0))
        changed = at = 0
        for s in self.sides:
            own = slice(at, at + len(s.data))
            at += len(s.data)
            s.slides[s.data[:, D_POINT].astype(np.int64)] = slip[own] > noise
            if s.element.grip > s.element.mu:
                loose = (
                    (mu[own] > s.element.mu)
                    & (slip[own] > noise)
                    & (force[own] >= (1.0 - AT_BOUND) * mu[own] * self.r[own, 0])
                )
                mu[own][loose] = s.element.mu
                changed += int(loose.sum())
        return changed

    def push(self, u: np.ndarray) -> None:
        """u += what the impulses do."""
        u += self.Z.T @ self.r.ravel()

    def take(self, u: np.ndarray, behind: np.ndarray, h: float) -> None:
        """After the solution: forces of the step, energy that dents store, power that is lost."""
        theta, rows = self.theta, self.rows
        w = (self.H @ (theta * behind + (1.0 - theta) * u)).reshape(-1, rows) if self.count else np.zeros((0, rows))
        at = 0
        for s in self.sides:
            n = len(s.data)
            own = slice(at, at + n)
            at += n
            s.step[:] = 0.0
            stored, work = 0.0, float((w[own] * self.r[own]).sum())
            if n:
                r, data = self.r[own], s.data
                points = data[:, D_POINT].astype(np.int64)
                N = data[:, D_NORMAL]
                force = r[:, :1] * N
                if rows == 3:
                    a = _across(N)
                    force = force + r[:, 1:2] * a + r[:, 2:] * np.cross(N, a)
                s.step[points, 0], s.step[points, 1:] = r[:, 0], force
                dent = np.zeros(n)
                if s.dented:
                    dent = s.dents @ (r[:, 0] / h)
                    stored = 0.5 * float(dent @ r[:, 0]) / h
                last = s.last
                last[points, R_BARE], last[points, R_GAP] = data[:, D_GAP], data[:, D_GAP] + dent
                last[points, R_DIRECTION : R_DIRECTION + 3], last[points, R_WHICH] = N, data[:, D_WHICH]
                last[points, R_SHARE : R_SHARE + 3] = data[:, D_SHARE]
            s.give(s.step / h, stored, (s.stored - stored - work) / h)
            s.stored = stored

    def add(self) -> None:
        """The step before counts to the mean that is requested next."""
        for s in self.sides:
            s.sum += s.step

    def drop(self) -> None:
        """The last step is taken again, and counts already."""
        for s in self.sides:
            s.step[:] = 0.0

    # ---- results ----------------------------------------------------------------------------------------------------
    def mean(self, t: float, x: float, enough: float) -> bool:
        """Mean forces since they were last requested, until ``t`` a share x of the last step, act until `present`.
        False where no time has passed."""
        assert self.since is not None
        T = t - self.since
        if not T > enough:
            return False
        self._kept = [
            (s, s.skin.W.count[HELD], s.skin.W.given_at.copy(), s.skin.W.given.copy(), s.skin.W.balance.copy())
            for s in self.sides
        ]
        for s in self.sides:
            s.give((s.sum + x * s.step) / T, *s.skin.W.balance)
            s.sum[:] = -x * s.step
        self.since = t
        return True

    def present(self) -> None:
        """What acts in the present step acts again."""
        for s, count, at, rows, balance in self._kept:
            W = s.skin.W
            W.count[HELD], W.given_at[:], W.given[:], W.balance[:] = count, at, rows, balance


def _across(N: np.ndarray) -> np.ndarray:
    """(n, 3) unit vectors across N, those of `contact.surfaces.rows`."""
    zero = np.zeros(len(N))
    first = np.column_stack([zero, -N[:, 2], N[:, 1]])
    second = np.column_stack([N[:, 2], zero, -N[:, 0]])
    a = np.where(np.abs(N[:, :1]) < 0.6, first, second)
    return a / np.linalg.norm(a, axis=1)[:, None]


__all__ = ["GIVEN", "MUTE", "Surfaces"]

"""Checks a surface contact outside of the equations of motion: what acts at its points in a state, and how long a
step may be.

A step from a state in which nothing below the gap g is open may not move both sides by more over each other than g, or
w where that is more, a quarter of an edge or of half the thickness of the walls of rigid shapes, whichever is less, and
half of what is left of that half where the surface is deep in one: with the speed v of their frames at the farthest
point, what this has changed by in the last step, gravity, and what modes can do,

    v h + a h^2 / 2 + sum_j min(|q_j'| h, 2 (|q_j| + |q_j'| / w_j)) max |Phi_j| <= max(g, w).

So a body in free flight, whose steps are as long as the output allows, does not go through another one unseen, and
lands within w; what then acts is up to the error test of the integrator.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._jit import jit
from ..._with_numba import with_numba
from ...elements.bodies import layout
from ...elements.frames import make_frames
from .columns import DEEPEST, HELD, LAW_ACTS, LOST, MODE, R_BARE, RADIUS, RESULTS, TOUCHING
from .kernels import force

SHARE = 0.25  # of an edge, or of half the thickness of a shape, that surfaces may move over each other in a step
BURIED = 0.95  # of half the thickness of a shape, how deep a surface may be in it


@with_numba
def _calls():
    global view_S, _law
    from numba.types import none

    from ..._address import caller
    from ..._handle import view_S
    from .skin import LAW

    _law = caller(none, LAW)


@jit(
    entry=(
        "int64, Handle(Frames, (), ()), float64[::1], int64[::1], float64[:, ::1], float64, float64[::1], "
        "float64[::1], float64[::1], float64[::1]"
    )
)
def ask(address, frames, c, f, ref, t, u, x, W, out):
    """A law at its address, for Python."""
    _law(address, (c, f, view_S(frames), ref, t, u, x, W, out))


class Skin:
    """Tables of one contact (``S``, ``W``: `kernels`) at an ``address``; ``edge``: typical length of a side of its
    triangles; ``frequency``: of all modes that it sees;
    ``share`` (k, a): of each node of the region, ``ids`` (a,), in its points; ``thin``: half the thickness of the walls
    of the rigid shapes;
    ``wide``: of those whose width is known exactly."""

    def __init__(
        self,
        S: Any,
        W: Any,
        edge: float,
        frequency: np.ndarray,
        ids: np.ndarray,
        share: np.ndarray,
        thin: float = math.inf,
        wide: float = math.inf,
    ) -> None:
        from ..._handle import make_handle

        self.S, self.W = S, W
        self.thin, self.wide = thin, wide
        self.edge, self.frequency, self.ids, self.share = edge, frequency, ids, share
        self._handle = make_handle(S, W, ())
        self.address = self._handle.address
        self.fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 9)))
        self._frames = make_handle(self.fr, (), ())
        self._c, self._f, self._ref = np.array([float(self.address)]), np.arange(2), np.zeros((2, 3))
        self._none, self.wrench, self.modal = np.zeros(0), np.zeros(12), np.zeros(len(frequency) + 1)
        self._before: tuple[float, float] | None = None  # time and speed of the last check
        #: of what the surface meets: its points on the facets, and edges that cross
        self.back: Skin | None = None
        self.edges: Skin | None = None

    def ask(self, back: Skin | None, edges: Skin | None) -> None:
        """What acts is that of these, too."""
        self.back, self.edges = back, edges
        self.S.more[:] = [0 if skin is None else skin.address for skin in (back, edges)]

    def at(self, t: float, poses: Any, u: np.ndarray) -> np.ndarray:
        """What acts at the points that touch, (m, RESULTS) a view; poses: position, axes (3, 3), velocity, angular
        velocity of both frames in ground; u: all q, then all q'."""
        for k, (p, A, v, w) in enumerate(poses):
            self.fr.p[k], self.fr.A[k], self.fr.v[k], self.fr.w[k] = p, np.asarray(A).ravel(), v, w
        from ..._address import address_of
        from .skin import LAW

        ask(
            address_of(force, LAW),
            self._frames,
            self._c,
            self._f,
            self._ref,
            float(t),
            np.ascontiguousarray(u),
            self._none,
            self.wrench,
            self.modal,
        )
        return self.W.res[: self.W.count[TOUCHING], :RESULTS]

    def deepest(self, both: bool) -> float:
        """Largest depth at the last evaluation of its points, or of those of both sides; 0 where none touches."""
        skins = [self, self.back] if both and self.back is not None else [self]
        return max(-float(s.W.res[: s.W.count[TOUCHING], R_BARE].min(initial=0.0)) for s in skins)

    @property
    def acts(self) -> bool:
        """Did something touch at the last evaluation, or, of a constraint, in the last step?"""
        if self.S.par[MODE] != LAW_ACTS:
            return bool(self.W.count[HELD])
        return any(s.W.count[TOUCHING] > 0 for s in (self, self.back, self.edges) if s is not None)

    def acting(self) -> np.ndarray:
        """(m, 1 + RESULTS) of the points on which something acts at the last evaluation: which, and what."""
        n = int(self.W.count[TOUCHING])
        return np.column_stack([self.W.act[:n], self.W.res[:n]])

    def bearable(self, t: float, u: np.ndarray, weight: float) -> float:
        """Time after the last `at`, which was at (t, u), within which nothing can begin to act unseen; ``weight``: size
        of gravity."""
        n = len(self.frequency)
        fr = self.fr
        turn = fr.w[0] - fr.w[1]
        v = float(
            np.linalg.norm(fr.v[0] - fr.v[1] - np.cross(fr.w[1], fr.p[0] - fr.p[1]))
            + np.linalg.norm(turn) * self.S.par[RADIUS]
        )
        a = weight
        if self._before is not None and t > self._before[0]:
            a += abs(v - self._before[1]) / (t - self._before[0])
        self._before = t, v
        gap = float(self.W.sums[2])
        way = max(gap, min(SHARE * self.edge, SHARE * self.thin, 0.5 * (self.wide + min(gap, 0.0))))
        big = np.concatenate([self.S.big, self.S.bigB])[:n]
        q, rate = np.abs(u[:n]), np.abs(u[n:])
        swing = 2.0 * float(big @ (q + rate / self.frequency))
        if swing < 0.5 * way:
            way -= swing
        else:
            v += float(big @ rate)
        root = math.sqrt(v * v + 2.0 * a * way)
        return 2.0 * way / (v + root) if v + root > 0.0 else math.inf


def horizon(k: int, system: Any, skin: Skin, t: float, y: np.ndarray) -> float:
    """Time within which a contact cannot begin to act unseen.  Raises `ModelError` where facets are so deep in each
    other that they will no longer be found."""
    if skin.S.par[MODE] != LAW_ACTS:  # a constraint, whose steps are of one size
        return math.inf
    element, bodies = system.ports.elements[k], system.bodies
    poses = [system.ports.pose(k, which, y) for which in range(len(system.ports.frames[k]))]
    own = system.ports.bent[k]
    u = np.concatenate([layout.coordinates(y, bodies)[own], layout.coordinate_rates(y, bodies)[own]])
    skin.W.count[LOST] = 0
    skin.at(t, poses, u)
    deep = skin.deepest(element.onto is not None)
    if element.onto is not None and deep > 0.5 * skin.S.par[DEEPEST]:
        raise element.error(
            f"at time {t:.6g} the surfaces are {deep:.4g} deep in each other, more than an edge; raise its stiffness "
            f"of {element.stiffness:.4g}"
        )
    if element.onto is None and deep > BURIED * skin.wide:
        raise element.error(
            f"at time {t:.6g} its surface is {deep:.4g} deep in a shape that is {2.0 * skin.wide:.4g} thick and would "
            "come out on the other side; raise its "
            f"stiffness of {element.stiffness:.4g}"
        )
    if skin.W.count[LOST]:
        raise element.error(
            f"near time {t:.6g} no pressures fit the local compliance of its surfaces; give a lower stiffness than "
            f"{element.stiffness:.4g}"
        )
    return skin.bearable(t, u, float(np.linalg.norm(bodies.gravity)))

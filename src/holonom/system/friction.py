"""Joint friction of a whole system: loads from the multipliers, forces, rates of deformations, entries of the iteration
matrix."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.frames import add_wrench, project_tangent, scatter
from ..elements.joints import friction as law
from ..elements.vectors import cross, unrotate
from .reactions import constraint_wrench

Friction = namedtuple(
    "Friction",
    "t kind i j lo hi x n place offset reactive load out pos col row diag v b mu rate m W D KL CL g wr idx "
    "bar wanted virtual move none",
)
Friction.__doc__ = """t (k, columns): see `elements.joints.friction`; kind (k,); i, j frames; lo, hi rows of the joint;
x first state or -1; n components; place: among the wrenches; offset of the states in y; reactive: 1 when loads depend
on reactions; load (k, 2); out (k, 12) wrenches.  Places in the iteration matrix: pos (k, 144) both bodies, col (k, 36)
their rows with the columns of the states, row (k, 36) the rows of the states, diag (k, 9).  bar, wanted (k,
columns): cotangents of numbers, and 1 where one is wanted (`friction_pull`).  The rest is work: m (4, 3, 3)
derivatives; virtual (12), move (moves), none (rows of constraints; zeros)."""

_law = law.law
_law_tangent = law.law_tangent
_loads = law.loads
_direction = law.direction
_slip = law.slip
_spread = law.spread
_tangent = law.tangent
_slip_gradient = law.slip_gradient


@jit
def _evaluate(ft, k, S, W, y):
    """Slip, deformations, loads, coefficients, wrenches and rates of element k."""
    fr = S.fr
    i = ft.i[k]
    j = ft.j[k]
    what = ft.kind[k]
    n = ft.n[k]
    _slip(ft.t, k, what, i, j, fr, ft.v)
    for c in range(n):
        ft.b[c] = y[ft.offset + ft.x[k] + c] if ft.x[k] >= 0 else 0.0
    f0 = f1 = f2 = t0 = t1 = t2 = 0.0
    if ft.reactive > 0:
        constraint_wrench(S, W, ft.lo[k], ft.hi[k], i, j, ft.wr, 0)
        f0, f1, f2 = ft.wr[0, 0], ft.wr[0, 1], ft.wr[0, 2]
        t0, t1, t2 = ft.wr[0, 3], ft.wr[0, 4], ft.wr[0, 5]
    d0, d1, d2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    travel = d0 * fr.A[j, 2] + d1 * fr.A[j, 5] + d2 * fr.A[j, 8]
    _loads(ft.t, k, what, j, _direction(ft.t, k, i, j, fr), fr, (f0, f1, f2), (t0, t1, t2), travel, ft.load[k])
    _law(ft.t, k, n, ft.x[k] >= 0, ft.v, ft.b, ft.mu, ft.rate)
    _spread(ft.t, k, what, i, j, fr, ft.load[k], ft.mu, ft.out[k])


@jit(apart=True)
def friction_forces(S, W, t, y, yd):
    """F += friction; yd <- rates of the deformations.  Frames, rows and multipliers must be current."""
    ft = S.friction
    for k in range(ft.i.shape[0]):
        _evaluate(ft, k, S, W, y)
        w = ft.out[k]
        add_wrench(S.fr, W.R, ft.i[k], w[0], w[1], w[2], w[3], w[4], w[5], W.F)
        add_wrench(S.fr, W.R, ft.j[k], w[6], w[7], w[8], w[9], w[10], w[11], W.F)
        if ft.x[k] >= 0:
            for c in range(ft.n[k]):
                yd[ft.offset + ft.x[k] + c] = ft.rate[c]


@jit
def friction_wrenches(S, W, wr):
    """Wrenches of joint friction into wr."""
    ft = S.friction
    for k in range(ft.i.shape[0]):
        for c in range(12):
            wr.out[ft.place[k], c] = ft.out[k, c]


@jit
def _generalised(fr, R, f, W, o, out):
    """Wrench W[o:o+6] on frame f -> generalised force on its body, out[o:o+6]."""
    m0, m1, m2 = cross(fr.s[f, 0], fr.s[f, 1], fr.s[f, 2], W[o], W[o + 1], W[o + 2])
    out[o] = W[o]
    out[o + 1] = W[o + 1]
    out[o + 2] = W[o + 2]
    out[o + 3], out[o + 4], out[o + 5] = unrotate(R, fr.body[f], m0 + W[o + 3], m1 + W[o + 4], m2 + W[o + 5])


@jit(apart=True)
def friction_stiffness(S, W, t, y, K, C):
    """K -= dF/dq, C -= dF/du and the same of the rates, at constant loads."""
    ft = S.friction
    fr = S.fr
    R = W.R
    m = ft.m
    for k in range(ft.i.shape[0]):
        _evaluate(ft, k, S, W, y)
        i = ft.i[k]
        j = ft.j[k]
        what = ft.kind[k]
        n = ft.n[k]
        state = ft.x[k] >= 0
        _law_tangent(ft.t, k, n, state, ft.v, ft.b, m[0], m[1], m[2], m[3])
        for r in range(12):
            for c in range(12):
                ft.KL[r, c] = 0.0
                ft.CL[r, c] = 0.0
        w = ft.out[k]
        _tangent(ft.t, k, what, i, j, fr, ft.load[k], ft.mu, m[0], w, ft.D)
        ft.idx[0] = i
        ft.idx[1] = j
        project_tangent(fr, R, 2, ft.idx, w, ft.D, 2, ft.KL, ft.CL)
        scatter(ft.pos, k, 12, ft.KL, -1.0, K)
        scatter(ft.pos, k, 12, ft.CL, -1.0, C)
        if not state:
            continue
        for c in range(n):
            for a in range(n):
                ft.rate[a] = m[1, a, c]
            _spread(ft.t, k, what, i, j, fr, ft.load[k], ft.rate, ft.W)
            _generalised(fr, R, i, ft.W, 0, ft.g)
            _generalised(fr, R, j, ft.W, 6, ft.g)
            for r in range(12):
                K[ft.col[k, 12 * c + r]] -= ft.g[r]
            for a in range(n):
                K[ft.diag[k, 3 * a + c]] -= m[3, a, c]
            _slip_gradient(ft.t, k, what, c, i, j, fr, R, ft.D[0], ft.g)
            for a in range(n):
                x = m[2, a, c]
                for q in range(6):
                    K[ft.row[k, 12 * a + q]] -= x * ft.g[q]
                    C[ft.row[k, 12 * a + q]] -= x * ft.g[6 + q]
                    K[ft.row[k, 12 * a + 6 + q]] -= x * ft.g[12 + q]
                    C[ft.row[k, 12 * a + 6 + q]] -= x * ft.g[18 + q]


class FrictionBuilder:
    """FRICTION elements of one system: their table, states and positions in the iteration matrix.

    Made after the constraints are numbered and before the forces are; its states come after all others.
    """

    def __init__(self, system):
        self.system = system
        self.elements = []
        self.rows, self.kinds, self.states, self.start = [], [], [], []
        self.joint, self.travels = [], []
        where = {(c.element.KIND, c.element.id): c for c in system.constraints if c.element.KIND == "JOINT"}
        for e in system.model.table("FRICTION").values():
            if not e.active:
                continue
            joint = system._joint(e, e.joint)
            info = where["JOINT", joint.id]
            i, j = system.design(info.i), system.design(info.j)
            travel = float((i.origin - j.origin) @ j.axes[:, 2])
            self.elements.append(e)
            self.kinds.append(law.kind(e, joint))
            self.rows.append(law.row(e, joint, travel))
            self.travels.append(travel)
            self.joint.append(info)
            if e.effect == "SLIDING":
                self.start.append(-1)
            else:
                self.start.append(len(self.states))
                self.states += [("FRICTION", e.id, c + 1) for c in range(law.COUNT[self.kinds[-1]])]

    def build(self, m: int) -> Friction:
        """The table; m: number of rows of constraints."""
        s = self.system
        k = len(self.elements)
        I = lambda a: np.array(list(a), np.int64)
        z = np.zeros
        first = s.functions.nx - len(self.states)
        u = lambda c: z((k, c), np.uint32)
        return Friction(
            np.array(self.rows, float).reshape(-1, len(law.COLUMNS)),
            I(self.kinds),
            I(c.i for c in self.joint),
            I(c.j for c in self.joint),
            I(c.rows.start for c in self.joint),
            I(c.rows.stop for c in self.joint),
            I(first + x if x >= 0 else -1 for x in self.start),
            I(law.COUNT[q] for q in self.kinds),
            I(s.functions._wrench_index["FRICTION", e.id] for e in self.elements),
            s.bodies.end,
            int(any(law.reactive(t) for t in self.rows)),
            z((k, 2)),
            z((k, 12)),
            u(144),
            u(36),
            u(36),
            u(9),
            z(3),
            z(3),
            z(3),
            z(3),
            z((4, 3, 3)),
            z(12),
            z((12, 24)),
            z((12, 12)),
            z((12, 12)),
            z(24),
            z((1, 12)),
            z(2, np.int64),
            z((k, len(law.COLUMNS))),
            z((k, len(law.COLUMNS)), np.uint8),
            z(12),
            z(s.bodies.moves),
            z(m),
        )

    def request(self, pattern):
        """Require entries of the iteration matrix; the answer, called when positions are known, is the table with
        them."""
        ft = self.system.S.friction
        if not self.elements:
            return None
        body = self.system.S.fr.body
        pair = np.stack([body[ft.i], body[ft.j]], 1)
        pos = pattern.full(pair)
        bodies = pattern.unknown(pair).reshape(-1, 12)
        c = np.arange(3)
        state = np.where((ft.x[:, None] >= 0) & (c < ft.n[:, None]), pattern.state(ft.x[:, None] + c), -1)
        col = pattern.entries(bodies[:, None, :], state[:, :, None])
        row = pattern.entries(state[:, :, None], bodies[:, None, :], damping=True)
        diag = pattern.entries(state[:, :, None], state[:, None, :])

        def fill():
            places = {"pos": pos, "col": col, "row": row, "diag": diag}
            return ft._replace(
                **{k: np.ascontiguousarray(r.positions.reshape(getattr(ft, k).shape)) for k, r in places.items()}
            )

        return fill

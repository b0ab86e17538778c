"""Every term of the linearised equations against differences, for every type of element in the register.

At a random motion that meets the constraints, along a random direction: derivatives of forces and of G^T lam by
positions, velocities, states and multipliers (iteration matrix), of rows by positions (G), and along the motion
(phit, gamma).  A new type of element fails `test_no_type_of_element_escapes` until it is audited here or its audit
elsewhere is named.
"""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from _element_cases import CASES, FORCES, ROWS, machine
from _matrix_kernels import residual, stiffness
from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import state_at
from holonom.elements.joints.rows import multiply_G
from holonom.elements.kinds import FORCES as REGISTERED
from holonom.model.base import ELEMENT_TYPES
from holonom.system.build import System
from holonom.system.implicit import Implicit

TIME = 0.7
#: forces that are called through addresses and see frames alone
CALLED = {name for name, kind in REGISTERED.items() if kind.force is not None and kind.coordinates is None}
#: audited in another file, of all pairs of shapes, laws, bodies with coordinates
ELSEWHERE = {
    "elements/test_registered_forces.py": " ".join([*sorted(CALLED), "MODAL_DAMPING"]),
    "system/test_flexible_registry.py": "FLEXIBILITY FLEX_BODY ATTACHMENT",
    "system/test_nodes.py": "SLIDING_MASS MESH_POINT",
    "flexible/test_ancf_bodies.py": "ABSOLUTE_MESH FE_PART ROD",
    "contact/test_contact_friction.py": "CONTACT",
    "contact/test_surface_contact.py": "SURFACE_CONTACT",
}  # fmt: skip
#: without a derivative in the matrix, and why
WITHOUT = {
    "GRAINS FEEDER SINK": "explicit steps alone",
    "GSE UCON": "routines of Python: differences of the routine",
    "FMU": "programs of others, whose outputs count as given between communications",
    "SENSOR SWITCH": "change the equations between steps",
    "REQUEST GRAPHICS MATERIAL STRING PINPUT POUTPUT PSTATE FOREIGN RAIL_TRACK ROAD": "no force and no equation",
    "ARRAY MATRIX SPLINE CURVE": "data of others",
}


class Point:
    """The equations of a system at a motion that meets its constraints."""

    def __init__(self, model, seed=3):
        self.rng = rng = np.random.default_rng(seed)
        self.system = s = System(model)
        self.implicit = Implicit(s)
        self.S, self.W, self.I = self.implicit.S, self.implicit.W, self.implicit.I
        self.moves = s.bodies.moves
        self.free = np.zeros(self.moves, bool)
        self.free[self.implicit.pattern.moves] = True
        self.y, self.lam = s.y0.copy(), rng.normal(size=s.m)
        self.acc = self.free * rng.normal(size=self.moves)
        self.y = self.at(0.3 * self.free * rng.normal(size=self.moves), self.free * rng.normal(size=self.moves))
        for _ in range(30):
            self.evaluate(self.y)
            self.y = self.at(-self.least(self.W.rw.phi), np.zeros(self.moves))
        self.evaluate(self.y)
        assert np.abs(self.W.rw.phi).max(initial=0.0) < 1e-12
        speed = self.speed()
        self.y = self.at(np.zeros(self.moves), -self.least(self.times_G(speed) + self.W.rw.phit))

    def at(self, d, u, x=0.0):
        out = self.y.copy()
        state_at(self.S.bodies, self.y, d, u, out)
        out[self.S.bodies.end :] += x
        return out

    def evaluate(self, y, t=TIME, lam=0.0):
        """(values of bodies and states, of rows) with forces F - G^T lam."""
        I, p = self.I, self.implicit.pattern
        I.lam[:], I.acc[:], I.xd[:] = self.lam + lam, self.acc, 0.0
        residual(self.S, self.W, I, t, y, 0.0, 1.0, 1.0, 1.0)
        return I.res[: p.nq + self.system.nx].copy(), self.W.rw.phi.copy()

    def speed(self):
        return layout.all_speeds(self.y, self.S.bodies)

    def times_G(self, d):
        out = np.zeros(self.system.m)
        multiply_G(self.S.rows, self.W.rw.G, d, out)
        return out

    def least(self, value):
        """The smallest displacement along which the rows change by ``value``."""
        G = np.array([self.times_G(e) for e in np.eye(self.moves)]).T * self.free
        return np.linalg.lstsq(G, value, rcond=1e-9)[0] if self.system.m else np.zeros(self.moves)


SIX = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


def slope(f, exact):
    """Distance of ``exact`` from differences of f about 0, of the best of six steps: the error of six points falls
    with the sixth power until rounding, and the shortest stay on one side of the knots of curves."""
    rests = []
    for h in (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4):
        rests.append(np.abs(sum(w * f(k * h) for k, w in SIX.items()) / h - exact).max(initial=0.0))
    return min(rests)


def audit(model, seed=3):
    """Relative errors of the derivatives: by positions, velocities, states, multipliers; of rows; along the motion."""
    at = Point(model, seed)
    p, rng, n, nx = at.implicit.pattern, at.rng, at.moves, at.system.nx
    none = np.zeros(n)
    d, u = at.free * rng.normal(size=n), at.free * rng.normal(size=n)
    x, l = rng.normal(size=nx), rng.normal(size=at.system.m)
    at.evaluate(at.y)
    stiffness(at.S, at.W, at.I, TIME, at.y)
    K, C = (sp.csc_matrix((v[: p.nnz].copy(), p.indices, p.indptr), shape=(p.N, p.N)) for v in (at.I.K, at.I.C))
    G, phit, gamma = at.times_G(d), at.W.rw.phit.copy(), at.W.rw.gamma.copy()
    rate = at.times_G(at.speed()) + phit
    flat = lambda v: np.concatenate([v[p.moves], np.zeros(nx + at.system.m)])
    whole = slice(0, p.nq + nx)
    unknown = lambda x: np.concatenate([np.zeros(p.nq), x, np.zeros(at.system.m)])
    level = np.asarray(at.S.rows.level)
    held = level == 0
    force = lambda *args, **words: -at.evaluate(at.at(*args), **words)[0]
    size = 1.0 + np.abs(force(none, none)).max()
    out = {
        "positions": slope(lambda h: force(h * d, none), (K @ flat(d))[whole]) / size,
        "velocities": slope(lambda h: force(none, h * u), (C @ flat(u))[whole]) / size,
        "states": slope(lambda h: force(none, none, h * x), (K @ unknown(x))[whole]) / size,
        "rows": slope(lambda h: at.evaluate(at.at(h * d, none))[1][held], G[held]),
    }
    at.evaluate(at.y)
    G_all = np.array([at.times_G(e) for e in np.eye(n)]).T
    add = (G_all.T @ l)[p.moves] if at.system.m else np.zeros(p.nq)
    out["multipliers"] = slope(lambda h: force(none, none, lam=h * l), np.concatenate([add, np.zeros(nx)])) / size
    speed = at.speed()

    def rows_at(h):
        """Values of rows, and of their rates where these are the equation, after a time h without accelerations."""
        value = at.evaluate(at.at(h * speed, none), t=TIME + h)[1]
        return np.where(held, value, at.times_G(layout.all_speeds(at.at(h * speed, none), at.S.bodies)) + at.W.rw.phit)

    if at.system.m:
        first = np.where(held, rate, -gamma)
        out["along the motion"] = slope(lambda h: rows_at(h)[level < 2], first[level < 2])
        second = lambda h: ((rows_at(h) + rows_at(-h) - 2 * rows_at(0.0)) / h**2)[held]
        bend = lambda h: np.abs((4 * second(h) - second(2 * h)) / 3 + gamma[held]).max(initial=0.0)
        out["twice along the motion"] = min(map(bend, (1e-2, 5e-3, 2e-3)))
    return out


def fast(name):
    """The others are in other fast tests too (`test_implicit`, `test_force_stiffness`)."""
    return name.split()[0] in ("GCON", "PTCV", "CVCV")


@pytest.mark.parametrize("name", [n if fast(n) else pytest.param(n, marks=pytest.mark.slow) for n in CASES])
def test_every_term_is_the_derivative(name):
    errors = audit(machine(CASES[name]))
    assert {k: f"{v:.1e}" for k, v in errors.items() if not v < (1e-6 if k.startswith("twice") else 1e-8)} == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 10))
@pytest.mark.parametrize("name", [n for n in CASES if n.split()[0] in ROWS])
def test_every_term_at_other_motions(name, seed):
    errors = audit(machine(CASES[name]), seed)
    limits = dict.fromkeys(errors, 1e-7) | {"twice along the motion": 1e-5}
    if name.startswith("GCON"):  # second derivatives of functions are differences of gradients; they serve Newton alone
        limits["positions"] = 1e-4
    assert {k: f"{v:.1e}" for k, v in errors.items() if not v < limits[k]} == {}


def test_no_type_of_element_escapes():
    """Every type of element is audited here, or in a test that exists, or has a reason why it has no derivative."""
    here = {"JOINT", *FORCES, *ROWS}
    elsewhere = {kind for kinds in ELSEWHERE.values() for kind in kinds.split()}
    without = {kind for kinds in WITHOUT for kind in kinds.split()}
    assert not here & elsewhere and not here & without and not elsewhere & without
    assert {"PART", "POINT_MASS", "MARKER"} | here | elsewhere | without == set(ELEMENT_TYPES)
    for name in ELSEWHERE:
        assert (Path(__file__).parents[1] / name).is_file()

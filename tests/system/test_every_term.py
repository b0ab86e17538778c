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

import holonom as hn
from _matrix_kernels import residual, stiffness
from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import state_at
from holonom.elements.joints import JOINTS
from holonom.elements.joints.rows import multiply_G
from holonom.model.base import ELEMENT_TYPES
from holonom.system.build import System
from holonom.system.implicit import Implicit

TIME = 0.7
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 41)


def _ring(m, x=1.0, y=1.0):
    return m.curve(np.c_[x * np.cos(CIRCLE), y * np.sin(CIRCLE), 0 * CIRCLE], closed=True)


def _gear(m, a, b):
    one = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    two = m.revolute(b, m.ground, at=(1.5, 0, 0), axis=(0, 0, 1))
    m.gear(one, two, m.marker(m.ground, (0.6, 0, 0), euler=(0.0, -np.pi / 2, 0)))


def _coupler(m, a, b):
    one = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 1))
    two = m.translational(b, m.ground, at=(1.5, 0, 0), axis=(1, 0, 1))
    m.coupler([one, two], [1.0, -2.0])


def _motion(level, joint="revolute"):
    def build(m, a, b):
        m.motion(getattr(m, joint)(a, b, at=(1, 0.2, 0), axis=(0.2, 0.1, 1)), "0.3*SIN(3*TIME)", level=level)

    return build


def _motion_of(component):
    return lambda m, a, b: m.motion(None, "0.3*TIME**2", i="ma", j="mb", component=component)


LUGRE = dict(
    formulation="LUGRE", bristle_stiffness_coefficient=50.0, damping_coefficient=0.5, viscous_friction_coefficient=0.1,
    velocity_threshold_stribeck=5.0,
)  # fmt: skip


def _friction(joint, **more):
    """Loads from the preload: those from reactions count as held in the matrix (`system.friction`)."""

    def build(m, a, b):
        j = getattr(m, joint)(a, b, at=(1, 0.2, 0), axis=(0.2, 0.1, 1))
        words = dict(mu_static=0.3, mu_dynamic=0.2, stiction_transition_velocity=20.0, max_stiction_deformation=1.0)
        words |= dict(inputs=("PRELOAD",), force_preload=3.0, torque_preload=2.0, pin_radius=0.5, ball_radius=0.6)
        m.friction(j, **words, **more)

    return build


def _point_on_curve(m, a, b):
    m.point_on_curve("ma", m.marker(b, (0.1, 0.2, 0), euler=(0.3, 0.4, 0.1)), _ring(m, 1.3, 0.9))


def _curve_on_curve(m, a, b):
    i, j = m.marker(a, (0, 0, 0), euler=(0.2, 0, 0)), m.marker(b, (0, 0.1, 0))
    m.curve_on_curve(i, _ring(m, 0.5, 0.35), j, _ring(m, 0.6, 0.4))


def _linear_states(m, a, b):
    out = m.variable("DX(ma,mb)+0.3*VY(ma)")
    x, u, y = m.array("X"), m.array("U", variables=[out]), m.array("Y")
    m.linear_state_equations(x, m.matrix([[-1, 2], [-3, -0.5]]), u, m.matrix([[0.3], [1.0]]), y, m.matrix([[1.0, 2.0]]))
    m.sforce("ma", "mb", f"ARYVAL({y.id},1)")


def _transfer(m, a, b):
    x, u, y = m.array("X"), m.array("U", variables=[m.variable("DM(ma,mb)+VR(ma,mb)")]), m.array("Y")
    m.transfer_function(x, u, y, m.array("IC", numbers=[1.0, 0.5]), m.array("IC", numbers=[1.0, 0.7, 2.0]))
    m.sforce("ma", "mb", f"ARYVAL({y.id},1)")


def _controlled(m, a, b):
    m.control.function("travel", "DX(ma,mb)+0.2*VY(ma)")
    m.control.pid("servo", reference="0.3*SIN(TIME)", measurement="travel", kp=3.0, ki=2.0, kd=0.5)
    m.sforce("ma", "mb", "VARVAL(servo)")


FORCES = {
    "SFORCE": lambda m, a, b: m.sforce("ma", "mb", "-10*(DM(ma,mb)-.3)-VR(ma,mb)+2*DIF(1)"),
    "VFORCE": lambda m, a, b: m.vforce("ma", b, "VX(ma,mb)+1", "DY(ma,mg,mb)*2", "3*WX(mb)", rm="mb"),
    "VTORQUE": lambda m, a, b: m.vtorque("ma", m.ground, "VM(mp,ma)", "2", "AY(ma,mb)", rm="ma"),
    "GFORCE": lambda m, a, b: m.gforce(
        "mb", a, "1", "2*DZ(mp,ma,mb)", "3", "DM(mp,mb)", "WM(ma,mb)", "DIF(1)", rm="mg"
    ),
    "SPRINGDAMPER": [
        lambda m, a, b: m.spring_damper("ma", "mb", stiffness=100, damping=3, length=0.5),
        lambda m, a, b: m.torsion_spring("mb", "mg", stiffness=5, damping=0.3),
    ],
    "BUSHING": lambda m, a, b: m.bushing("ma", "mg", (10, 20, 30), (3, 4, 5), (1, 2, 3), (0.1, 0.2, 0.3)),
    "FIELD": lambda m, a, b: m.field("ma", "mg", kmatrix=np.diag([10, 20, 30, 3, 4, 5.0]) + 1.0, cratio=0.1),
    "BEAM": lambda m, a, b: m.beam("ma", "mb", 0.9, 1e-4, 1e-8, 1e-8, 1e-8, 1e6, 4e5, cratio=0.01),
    "VARIABLE": lambda m, a, b: (
        m.variable("DM(ma,mb)**2+0.3*VARVAL(2)+DIF(1)"),
        m.variable("COS(AZ(ma,mb))+0.1*VARVAL(1)*VARVAL(2)+VR(ma,mb)"),
        m.sforce("ma", "mb", "VARVAL(1)*DIF(1)+VARVAL(2)"),
    ),
    "DIFF": [
        lambda m, a, b: m.diff("DX(ma,mb,mg)*VY(ma,mg,mb)"),
        lambda m, a, b: (m.diff("DIF1(2)+DIF(2)-DX(ma,mb)", implicit=True, id=2), m.sforce("ma", "mb", "DIF(2)")),
    ],
    "LSE": _linear_states,
    "CONTROL": _controlled,
    "TFSISO": _transfer,
}
ROWS = {
    "COUPLER": _coupler,
    "GEAR": _gear,
    "JPRIM": lambda m, a, b: m.primitive("INPLANE", "ma", "mb"),
    "MOTION": [
        _motion("DISPLACEMENT"), _motion("VELOCITY"), _motion("ACCELERATION"), _motion("DISPLACEMENT", "cylindrical"),
        *map(_motion_of, ("X", "Y", "Z", "B1", "B2", "B3")),
    ],
    "FRICTION": [
        *map(_friction, ("revolute", "translational", "cylindrical", "spherical")),
        _friction("revolute", effect="SLIDING"), _friction("revolute", **LUGRE),
    ],
    "PTCV": _point_on_curve,
    "CVCV": _curve_on_curve,
    "GCON": [
        lambda m, a, b: m.constraint("DM(ma,mb)**2+0.3*DX(ma,mg,mb)*DY(mb,ma)-0.9*SIN(TIME)"),
        lambda m, a, b: m.constraint("AZ(ma,mb)+DZ(mp,mg)-0.3", i="ma"),
        lambda m, a, b: m.constraint("VX(ma,mb,mb)*DY(ma,mb)+0.4*WZ(mb)-0.3*DM(ma,mp)"),
        lambda m, a, b: m.constraint("VX(ma,mb,mb)*VY(ma)+WZ(mb)**2+0.3*VM(mp)*DM(ma,mp)-0.8"),
        lambda m, a, b: (m.constraint("DX(ma,mb)-DY(mp,mb)*DZ(ma)"), m.constraint("DM(mp,mg)-1")),
        lambda m, a, b: (m.variable("DM(ma,mb)*DX(ma)"), m.constraint("VARVAL(1)**2-0.2")),
    ],
}  # fmt: skip
#: audited in another file, of all pairs of shapes, laws, bodies with coordinates
ELSEWHERE = {
    "elements/test_registered_forces.py": (
        "MFORCE NFORCE BURGERS_DAMPER EXACT_BEAM HYDRAULIC_CYLINDER HYSTERETIC_SPRING MAXWELL_DAMPER MODAL_DAMPING "
        "POWER_DAMPER WHEEL_RAIL TYRE_BRUSH TYRE_FIALA TYRE_PAC2002 TYRE_MF6 TYRE_PAC89 TYRE_TMEASY TYRE_UA TYRE_USER"
    ),
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


def joint(kind):
    def build(m, a, b):
        more = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"diameter": 0.4}}.get(kind, {})
        if kind == "SCREW":
            m.screw("ma", "mb", **more)
        elif kind == "RACKPIN":
            m.rack_and_pinion("ma", "mb", **more)
        elif kind in ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"):
            m.primitive(kind, "ma", "mb")
        else:
            m.joint(kind, "ma", "mb")

    return build


def cases():
    yield from ((f"JOINT {kind}", joint(kind)) for kind in sorted(JOINTS))
    for kind, builds in {**FORCES, **ROWS}.items():
        several = builds if isinstance(builds, list) else [builds]
        yield from ((f"{kind} {k}" if k else kind, build) for k, build in enumerate(several))


CASES = dict(cases())


def machine(build):
    m = hn.Model()
    m.gravity = (0.3, -9.81, 1.0)
    a = m.part("a", 1.3, (1, 1.2, 0.7, 0.1, 0.05, -0.02), position=(0.5, 0.2, 0.1), euler=(0.3, 0.5, 0.2))
    b = m.part("b", 2.0, (1, 2, 1.5), position=(1.5, 0.4, -0.3), euler=(0.6, 0.4, -0.7))
    p = m.point_mass("p", 0.7, (0.2, 1, 1.0))
    m.marker(a, (0.1, 0.2, 0.3), euler=(0.2, 0.3, 0.4), name="ma")
    m.marker(b, (-0.2, 0.1, 0.3), euler=(1, 0.3, 0.4), name="mb")
    m.marker(m.ground, (0.3, 0.1, -0.2), euler=(0.5, 0.6, 0.1), name="mg")
    m.marker(p, (0, 0, 0), name="mp")
    m.diff("-2*DIF(1)+SIN(TIME)", ic=0.3)
    build(m, a, b)
    return m


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

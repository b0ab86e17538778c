"""Joints are measured at outputs from the places of their markers, whatever the equations that hold them say."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.checks.closed_joints import ClosedJoints
from holonom.system.build import System

BUILDERS = {
    "FIXED": lambda m, a, b: m.fixed(a, b, at=(1, 0, 0)),
    "REVOLUTE": lambda m, a, b: m.revolute(a, b, at=(1, 0, 0), axis=(0, 1, 0)),
    "SPHERICAL": lambda m, a, b: m.spherical(a, b, at=(1, 0, 0)),
    "TRANSLATIONAL": lambda m, a, b: m.translational(a, b, at=(1, 0, 0), axis=(0, 1, 0)),
    "CYLINDRICAL": lambda m, a, b: m.cylindrical(a, b, at=(1, 0, 0), axis=(0, 1, 0)),
    "PLANAR": lambda m, a, b: m.planar(a, b, at=(1, 0, 0), axis=(0, 1, 0)),
}
#: what each leaves free: moves (along x, along y) and a turn about x that open it or not
OPENS = {
    "FIXED": (1, 1, 1),
    "REVOLUTE": (1, 1, 1),
    "SPHERICAL": (1, 1, 0),
    "TRANSLATIONAL": (1, 0, 1),
    "CYLINDRICAL": (1, 0, 1),
    "PLANAR": (0, 1, 1),
}


@pytest.mark.parametrize("kind", BUILDERS)
@pytest.mark.parametrize("grounded", [True, False])
def test_gap_of_a_displaced_body(kind, grounded):
    """One body is moved by hand: the gap is what it was moved by, or nothing where the joint leaves that free."""
    m = hn.Model()
    a = m.part("a", 1.0, (1.0, 1.0, 1.0), (0.3, 0.2, 0.1))
    b = m.ground if grounded else m.part("b", 1.0, (1.0, 1.0, 1.0), (2.0, 0.5, 0.0))
    BUILDERS[kind](m, a, b)
    system = System(m)
    k = system.body_index["PART", a.id]
    for move, opens in enumerate(OPENS[kind]):
        said = []
        closed = ClosedJoints(system, said.append)
        y = system.y0.copy()
        closed.check(0.0, y)
        assert not said and closed.widest[0] < 1e-14
        if move < 2:
            y[13 * k + move] += 1e-3
        else:  # about x through the joint
            turn = np.array([np.cos(5e-4), np.sin(5e-4), 0.0, 0.0])
            w, x, p, q = y[13 * k + 3 : 13 * k + 7]
            v = turn[1]
            y[13 * k + 3 : 13 * k + 7] = (
                turn[0] * w - v * x,
                turn[0] * x + v * w,
                turn[0] * p - v * q,
                turn[0] * q + v * p,
            )
            r = y[13 * k : 13 * k + 3] - (1.0, 0.0, 0.0)
            c, s = np.cos(1e-3), np.sin(1e-3)
            y[13 * k + 1 : 13 * k + 3] = c * r[1] - s * r[2], s * r[1] + c * r[2]
        closed.check(1.0, y)
        assert closed.widest[0] == pytest.approx(1e-3 if opens else 0.0, rel=1e-5, abs=1e-9)
        assert len(said) == opens and (not said or "is open by 0.001 m" in str(said[0]))


def test_a_joint_that_its_equations_do_not_hold_is_reported(monkeypatch):
    """The J marker is moved after the equations were made: they hold, and the markers are apart."""
    m = hn.Model()
    a = m.part("arm", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    joint = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    run = hn.simulate(m, 0.2, 10)
    measured = run.info["joints measured"]
    assert measured["rows"] == 10 and measured["joints"] == 1 and measured["widest gap"] < 1e-9
    original = ClosedJoints.__init__

    def displaced(self, *args):
        original(self, *args)
        self.at[0, 1, 2] += 2e-4

    monkeypatch.setattr(ClosedJoints, "__init__", displaced)
    with pytest.warns(hn.ModelWarning, match=rf"{joint.label}.* is open by 0.0002 m"):
        hn.simulate(m, 0.2, 10)
    run = hn.simulate(m, 0.2, 10, referee=False)
    assert "joints measured" not in run.info


@pytest.mark.parametrize("integrator", ("DOP853", "GSTIFF", "HHT", "NEWMARK", "GENERALIZED_ALPHA", "RADAU5"))
def test_the_ground_is_where_it_is_with_every_method(integrator):
    """Some methods leave the state of the ground at zero in their outputs."""
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -9.81)
    rod = m.part("rod", 2.0, (0.1, 0.2, 0.2), position=(0.5, 0, 0))
    m.revolute(rod, m.ground, at=(0, 0, 0), axis=(0, 1, 0), name="pin")
    run = hn.simulate(m, end=0.02, steps=2, integrator=integrator)
    assert 0.0 <= run.info["joints measured"]["widest gap"] < 1e-6


@pytest.mark.parametrize("method", [{"integrator": "ABAM"}, {"integrator": "RKF45"}, {"formulation": "MINIMAL"}])
def test_ground_stays_where_it_is_in_independent_coordinates(method, recwarn):
    """A pendulum far from the origin: closed joints are no warning, and rows have the state of ground."""
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -9.80665)
    arm = m.part("arm", 1, (1, 1, 1), position=(1001.0, 0, 0))
    m.revolute(arm, m.ground, "pin", at=(1000.0, 0, 0), axis=(0, 1, 0))
    run = hn.simulate(m, end=0.05, steps=3, **method)
    assert not run.info["warnings"] and not [w for w in recwarn if issubclass(w.category, hn.ModelWarning)]

"""Planar mechanisms: found where they are, and solved in the plane with the same motion and the same reactions."""

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.integrators import Options, make_integrator
from holonom.system import planar as planes
from holonom.system.build import System

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
import machines  # noqa: E402


def plane_of(model):
    system = System(model)
    assemble(system)
    make_integrator("DOP853", system, Options())
    return system, system.workspace.plane


@pytest.mark.parametrize(
    "make, kept",
    [
        (lambda: machines.chain(5), 10),
        (lambda: machines.four_bars(3), 20),
        (machines.andrews, 20),
        (machines.slider_crank, None),
    ],
)
def test_planar_machines_are_found(make, kept):
    system, plane = plane_of(make())
    assert plane is not None
    assert plane.axis == 2
    if kept is not None:  # two rows a revolute
        assert plane.rows == kept
    assert np.all(plane.S.bodies.Minv[: system.nb, [2, 3, 4]] == 0.0)


@pytest.mark.parametrize("make", [machines.bricard, machines.governor, machines.heavy_top])
def test_spatial_machines_are_not(make):
    assert plane_of(make())[1] is None


def test_a_planar_start_that_nothing_holds_in_the_plane_is_spatial():
    """A double pendulum on spherical joints: planar at the start, but a disturbance would leave the plane."""
    m = hn.Model("balls")
    m.gravity = (0.0, -9.81, 0.0)
    before = m.ground
    for k in range(2):
        part = m.part(f"p{k}", 1.0, (0.1, 0.1, 0.1), (k + 0.5, 0, 0))
        m.spherical(part, before, at=(k, 0, 0))
        before = part
    assert plane_of(m)[1] is None


def crank(axis: int):
    """Crank and rocker in parallel planes, 0.1 apart, about ground axis ``axis``, with a spring and a torsional damper:
    joints carry moments across the plane."""
    turn = [np.eye(3)[[1, 2, 0]].T, np.eye(3)[[2, 0, 1]].T, np.eye(3)][axis]
    at = lambda *p: tuple(turn @ np.array(p, float))
    m = hn.Model(f"crank{axis}", units="SI")
    m.gravity = at(1.0, -9.81, 0.5)
    z = at(0, 0, 1)
    one = m.part("one", 1.0, (0.02, 0.03, 0.04), at(0.5, 0, 0), axes=turn)
    two = m.part("two", 0.7, (0.03, 0.01, 0.02), at(1.25, 0.2, 0.1), axes=turn)
    three = m.part("three", 0.7, (0.03, 0.01, 0.02), at(1.5, -0.2, 0.2), axes=turn)
    m.revolute(one, m.ground, "A", at=at(0, 0, 0), axis=z)
    m.revolute(two, one, "B", at=at(1, 0, 0.05), axis=z)
    m.revolute(three, two, "C", at=at(1.5, 0.4, 0.15), axis=z)
    m.revolute(three, m.ground, "D", at=at(1.5, -0.8, 0.2), axis=z)
    m.spring_damper(
        m.marker_at(two, at(1.2, 0.3, 0.1)),
        m.marker_at(m.ground, at(0.4, 0.8, 0.0)),
        stiffness=40.0,
        damping=0.5,
        length=0.5,
        name="S",
    )
    return m


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_same_motion_and_reactions_as_in_space(axis):
    system, plane = plane_of(crank(axis))
    assert plane is not None
    assert plane.axis == axis
    assert plane.rows == 8
    runs = [hn.simulate(crank(axis), end=1.0, steps=40, error=1e-9, planar=planar) for planar in (True, False)]
    for name in ("one", "two", "three"):
        a, b = (r.part(name) for r in runs)
        assert np.allclose(a.position.values, b.position.values, rtol=0, atol=1e-10)
        assert np.allclose(a.velocity.values, b.velocity.values, rtol=0, atol=1e-8)
        assert np.allclose(a.acceleration.values, b.acceleration.values, rtol=0, atol=1e-6)
    scale = max(np.abs(runs[1].joint(name).force.values).max() for name in "ABCD")
    assert (
        np.abs(runs[1].joint("A").torque.values).max() > 1e-2 * scale
    )  # there is something to compare out of the plane
    for name in "ABCD":
        a, b = (r.joint(name) for r in runs)
        assert np.allclose(a.force.values, b.force.values, rtol=0, atol=1e-8 * scale)
        assert np.allclose(a.torque.values, b.torque.values, rtol=0, atol=1e-8 * scale)


def test_spin_about_the_middle_axis_stays_in_the_plane():
    """Free, this body would tumble out of the plane from roundoff; held by a planar joint it cannot."""
    m = hn.Model("middle")
    part = m.part("plate", 1.0, (0.1, 0.3, 0.2), (0, 0, 0), angular_velocity=(0, 0, 60.0), velocity=(0.1, 0, 0))
    m.joint("PLANAR", m.marker(part), m.marker(m.ground))
    run = hn.simulate(m, end=5.0, steps=10, error=1e-8)
    assert np.abs(run.part("plate").angular_velocity.values[:, :2]).max() == 0.0
    assert np.allclose(run.part("plate").angular_velocity.values[:, 2], 60.0, rtol=1e-12)


@pytest.mark.parametrize(
    "name, formulation",
    [("HHT", None), ("GENERALIZED_ALPHA", "I3"), ("GSTIFF", "I3"), ("DSTIFF", "SI1"), ("RADAU5", None), ("ABAM", None)],
)
def test_implicit_methods_and_minimal_sets_take_the_same_steps_in_the_plane(name, formulation):
    """Fewer unknowns, same numbers: step for step and to roundoff, redundant loops included."""
    ends = []
    for planar in (True, False):
        system = System(crank(2))
        y = assemble(system).y
        stepper = make_integrator(name, system, Options(error=1e-6, formulation=formulation, extra={"planar": planar}))
        stepper.start(0.0, y, 0.3)
        while stepper.t < 0.3:
            stepper.step(0.3)
        ends.append((stepper.statistics["steps"], stepper.y.copy()))
        if planar and hasattr(stepper, "implicit"):
            assert stepper.implicit.pattern.size == 3 * 3 + 8
    assert ends[0][0] == ends[1][0]
    # other coordinates may be the independent ones of ABAM, the dependent ones are then closed to a share of the error
    # only
    assert np.allclose(ends[0][1], ends[1][1], rtol=0, atol=3e-8 if name == "ABAM" else 1e-9)


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("tilt", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
def test_columns_that_depend_on_others_are_never_independent(tilt, dense, monkeypatch):
    """Rows across the plane of a hinge that is tilted by a little: two for three coordinates, whatever the order in
    which they are eliminated and however small the angle."""
    if not dense:
        monkeypatch.setattr(planes, "DENSE", 0)
    rows = np.array([[0.5, -0.2, 0.0], [0.0, -tilt, -1.0], [0.0, 0.0, 0.0]])
    third = np.array([0.3, 0.4, 0.5])
    rng = np.random.default_rng(5)
    for _ in range(20):
        order, turned = rng.permutation(3), rng.permutation(3)
        matrix = sp.csr_matrix((rows * 10.0 ** rng.uniform(-3, 3, (3, 1)))[order][:, turned])
        assert not planes._independent_columns(matrix)
        whole = rows.copy()
        whole[2] = third
        assert planes._independent_columns(sp.csr_matrix(whole[order][:, turned]))


@pytest.mark.parametrize("dense", [True, False])
def test_random_columns_against_their_singular_values(dense, monkeypatch):
    """Entries of very different sizes: pivots of O^T O passed 15 % of the dependent ones."""
    if not dense:
        monkeypatch.setattr(planes, "DENSE", 0)
    rng, found = np.random.default_rng(1), {True: 0, False: 0}
    for _ in range(600):
        n = int(rng.integers(3, 8))
        whole = bool(rng.random() < 0.5)
        A = (
            rng.normal(size=(n + whole, n))
            * (rng.random((n + whole, n)) < 0.5)
            * 10.0 ** rng.uniform(-5, 0, (n + whole, n))
        )
        A[n - 1] = A[0] if not whole else A[n - 1]
        length = np.linalg.norm(A, axis=0)
        independent = planes._independent_columns(sp.csr_matrix(A))
        least = np.linalg.svd(A / length)[1].min() if (length > 0.0).all() else 0.0
        assert not independent if least < 0.9e-5 else independent or least < 1.1e-5
        found[independent] += 1
    assert min(found.values()) > 100

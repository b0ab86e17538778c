"""Minimal sets of coordinates: choice, renewal, redundant constraints, closing."""

import numpy as np
import pytest
from _explicit_machines import andrews_error, begin, energy, four_bar, integrate, machines, spread, violation

import holonom as hn
from holonom.elements.bodies.attitudes import inverse_tangent, inverse_tangent_rate, tangent, tangent_wide
from holonom.elements.bodies.rigid import move
from holonom.elements.vectors import turn_quaternion
from holonom.model import ModelError

TRIPLE_ROCKER = (1.0, 1.2, 1.3, 2.0)  # no link makes full turns: every one is at rest now and then
DRAG_LINK = (1.0, 0.8, 0.9, 0.3)  # all turn round


def test_tangent_of_the_exponential():
    rng = np.random.default_rng(1)
    for size in (1e-9, 0.05, 0.09, 0.11, 1.0, 3.0):
        a, b, acc = rng.standard_normal((3, 3))
        a *= size / np.linalg.norm(a)
        w = np.array(tangent_wide(*a, *b))
        assert np.allclose(tangent(*a, *b), w, rtol=0, atol=1e-14)
        assert np.allclose(inverse_tangent(*a, *w), b, rtol=0, atol=1e-12)
        q, e = np.array([1.0, 0, 0, 0]), 1e-6
        turn = []
        for s in (-e, e):
            p = q.copy()
            turn_quaternion(p, 0, *(a + s * b))
            turn.append(p)
        middle = q.copy()
        turn_quaternion(middle, 0, *a)
        d = (turn[1] - turn[0]) / (2 * e)  # q' = q w / 2
        w0 = 2 * (middle[0] * d[1:] - d[0] * middle[1:] - np.cross(middle[1:], d[1:]))
        assert np.allclose(w, w0, atol=1e-8)
        change = (np.array(inverse_tangent(*(a + e * b), *w)) - inverse_tangent(*(a - e * b), *w)) / (2 * e)
        assert np.allclose(inverse_tangent_rate(*a, *b, *w), change, atol=1e-7)


def test_andrews_on_one_coordinate():
    errors = []
    for tolerance in (1e-6, 1e-8, 1e-10):
        s = integrate(machines.andrews(), "RKF45", 0.03, error=tolerance)
        assert s.reduced.f == 1
        assert s.statistics["partitions"] == 1
        assert violation(s) < 1e-2 * tolerance
        errors.append(andrews_error(s.y))
    assert errors[1] < 1e-5
    assert errors[2] < 1e-7
    assert errors[2] < errors[1] / 10 < errors[0] / 100
    assert s.messages == ["independent coordinates at time 0: rotation about z of PART/2 'K1'"]


@pytest.mark.parametrize("name", ["ABAM", "RKF45", "DOPRI5"])
def test_four_bar_needs_new_coordinates(name):
    """Links of the triple rocker are at rest in turn, so no coordinate serves for long; DOP853 on all bodies agrees."""
    exact = integrate(four_bar(TRIPLE_ROCKER, 1.0, 3.0), "DOP853", 3.0, error=1e-12).y
    s, loss = spread(four_bar(TRIPLE_ROCKER, 1.0, 3.0), name, 3.0, error=1e-9, formulation="MINIMAL")
    assert s.statistics["partitions"] > 5
    assert len(s.messages) == s.statistics["partitions"]
    assert s.messages[1].startswith("new independent coordinates at time 0.39")
    assert loss < 2e-4
    assert np.abs(s.y - exact)[:26].max() < 2e-4
    assert violation(s) < 1e-10


@pytest.mark.parametrize("name", ["ABAM", "RKF45"])
def test_four_bar_through_full_turns(name):
    """Redundant in space (three rows of twenty), planar or not: the same motion."""
    angles = []
    exact = integrate(four_bar(DRAG_LINK, 0.7, 4.0), "DOP853", 3.0, error=1e-12).y
    for planar in (True, False):
        turn = []
        s = integrate(
            four_bar(DRAG_LINK, 0.7, 4.0),
            name,
            3.0,
            lambda s, turn=turn: turn.append(s.y[12] * (s.t - s.t_old)),
            error=1e-9,
            extra={"planar": planar},
        )
        assert sum(turn) > 4 * np.pi
        assert s.skipped == (0 if planar else 3)
        assert np.abs(s.y - exact)[:39].max() < 1e-5
        angles.append(s.y)
    assert np.allclose(*angles, atol=1e-7)


@pytest.mark.parametrize("name", ["ABAM", "RKF45"])
def test_bricard(name):
    """One freedom where Gruebler counts none; the redundant row is another one from position to place."""
    s, loss = spread(machines.bricard(), name, 5.0, error=1e-9)
    assert s.reduced.f == 1
    assert s.skipped == 1
    assert s.statistics["partitions"] > 1
    assert loss < 1e-5
    exact = integrate(machines.bricard(), "DOP853", 5.0, error=1e-12).y
    assert np.abs(s.y - exact)[:65].max() < 1e-5


def test_slider_crank_turns_on():
    """121 rad of crank against the quadrature of its invariant."""
    angle, rate = machines.slider_crank_exact(3.0, guess=121.8862774931)
    run = hn.simulate(machines.slider_crank(), end=3.0, dt=0.01, kind="dynamics", integrator="ABAM", error=1e-10)
    assert machines.plane_angle(run.part("crank"))[-1] == pytest.approx(angle, rel=2e-7)
    assert run.part("crank").angular_velocity.values[-1, 2] == pytest.approx(rate, rel=1e-6)


def test_without_constraints_everything_is_independent():
    m = hn.Model("free")
    m.gravity = (0.0, 0.0, -9.81)
    m.part("body", 2.0, (1.0, 2.0, 3.0), velocity=(1.0, 0.0, 5.0), angular_velocity=(0.1, 6.0, 0.1))
    m.point_mass("stone", 1.0, (5.0, 0.0, 0.0))
    s, loss = spread(m, "ABAM", 2.0, error=1e-9)
    assert s.reduced.f == 9
    assert loss < 1e-6 * energy(s)
    assert np.allclose(s.y[:3], (2.0, 0.0, 10.0 - 0.5 * 9.81 * 4), atol=1e-7)
    spin = np.array([1.0, 2.0, 3.0]) * s.y[10:13]
    assert np.linalg.norm(spin) == pytest.approx(np.linalg.norm([0.1, 12.0, 0.3]), rel=1e-7)


def test_driven_mechanism_has_no_independent_coordinate():
    m = machines.planar_loops("0.5*SIN(TIME)")
    s = integrate(m, "ABAM", 1.0, error=1e-8)
    assert s.reduced.f == 0
    assert violation(s) < 1e-9
    half = 0.5 * (0.5 * np.sin(1.0) + 0.5 * np.pi)
    assert abs(s.y[6] / s.y[3]) == pytest.approx(np.tan(half), rel=1e-8)


def test_driven_velocity_has_no_minimal_set():
    m = machines.double_pendulum()
    hip = next(j for j in m.joints.values() if j.name == "hip")
    m.motion(hip, "1", "drive", level="VELOCITY")
    with pytest.raises(ModelError, match="prescribes a velocity or an acceleration, so there is no minimal set"):
        begin(m, "ABAM", 1.0)


def test_words_name_the_coordinates():
    s = begin(machines.heavy_top(), "ABAM", 1.0)
    assert s.reduced.words() == ", ".join(f"rotation about {c} of PART/2 'top'" for c in "xyz")


def test_move_is_the_exponential():
    """`move` by a vector, then by its opposite: the parametrisation that `partition` assumes."""
    y = np.zeros(26)
    y[3] = 1.0
    move(1, y, np.array([0.0, 0, 0, 0.3, -0.2, 0.5, 0, 0, 0, 0, 0, 0]))
    move(1, y, np.array([0.0, 0, 0, -0.3, 0.2, -0.5, 0, 0, 0, 0, 0, 0]))
    assert np.allclose(y[3:7], (1, 0, 0, 0), atol=1e-15)

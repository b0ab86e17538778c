"""Reachable workspace and manipulability against closed forms: planar arms, limits, a slide, a five-bar loop."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom import ModelError
from holonom.recursive.reach import spread_evenly

L1, L2, L3 = 0.5, 0.3, 0.2


def planar(lengths=(L1, L2), limits=(), units="SI"):
    """A chain of hinges about y, drawn along x; the tip moves in the plane of x and z."""
    m = hn.Model("arm", units=units)
    before, x = m.ground, 0.0
    for k, length in enumerate(lengths):
        link = m.part(f"link{k}", 1.0, (0.1, 0.1, 0.1), (x + length / 2, 0, 0))
        low, high = limits[k] if k < len(limits) else (None, None)
        m.revolute(link, before, f"j{k}", at=(x, 0, 0), axis=(0, 1, 0), lower=low, upper=high)
        before, x = link, x + length
    return m, m.marker_at(before, (x, 0, 0))


def tip_of(q, lengths=(L1, L2)):
    angle = np.cumsum(q, axis=-1)
    return np.stack([(np.array(lengths) * np.cos(angle)).sum(-1), -(np.array(lengths) * np.sin(angle)).sum(-1)], -1)


def test_a_2r_arm_fills_its_annulus():
    m, tip = planar()
    found = hn.reachable_workspace(m, tip)
    assert found.tried == len(found.points) == 20000 and found.directions == 2
    np.testing.assert_allclose(found.points[:, [0, 2]], tip_of(found.q), atol=1e-14)
    np.testing.assert_allclose(found.manipulability, L1 * L2 * np.abs(np.sin(found.q[:, 1])), atol=1e-14)
    assert found.units == "m^2"
    assert found.radii((0, 0, 0)) == pytest.approx((L1 - L2, L1 + L2), abs=1e-10)
    # the share of the samples in each cell follows the density of the radius: 1 / (2 pi^2 l1 l2 |sin q2|) an area
    edge = 0.05
    centres, density, best = found.cells(edge)
    assert density.sum() == pytest.approx(1.0)
    r = np.hypot(centres[:, 0], centres[:, 2])
    inside = (r > 0.35) & (r < 0.65)
    sine = np.sqrt(np.maximum(1.0 - ((r**2 - L1**2 - L2**2) / (2 * L1 * L2)) ** 2, 1e-3))
    expected = edge**2 / (2 * math.pi**2 * L1 * L2 * sine)
    assert np.abs(density / expected - 1.0)[inside].mean() < 0.1
    assert (np.abs(best - L1 * L2 * sine) < 0.25 * L1 * L2)[inside].all()
    again = hn.reachable_workspace(m, tip, count=300)
    assert (again.q == found.q[:300]).all()


def test_limits_of_stops_and_given_ones():
    m, tip = planar(limits=[(-0.4, 0.6), (0.5, 2.0)])
    found = hn.reachable_workspace(m, tip, count=500)
    assert found.q[:, 0].min() >= -0.4 and found.q[:, 0].max() <= 0.6
    far = math.sqrt(L1**2 + L2**2 + 2 * L1 * L2 * math.cos(0.5))
    near = math.sqrt(L1**2 + L2**2 + 2 * L1 * L2 * math.cos(2.0))
    assert found.radii((0, 0, 0)) == pytest.approx((near, far), abs=1e-12)
    other = hn.reachable_workspace(m, tip, {"j1.angle": (1.0, 1.5)}, count=500)
    assert other.q[:, 1].min() >= 1.0 and other.q[:, 1].max() <= 1.5 and other.q[:, 0].max() <= 0.6
    assert (found.nearest(found.points[17] + 1e-9) == found.q[17]).all()


def test_a_3r_arm_reaches_a_disk_and_moves_in_two_directions():
    m, tip = planar((L1, L2, L3))
    found = hn.reachable_workspace(m, tip, count=1000)
    near, far = found.radii((0, 0, 0))
    assert near == pytest.approx(0.0, abs=1e-7) and far == pytest.approx(L1 + L2 + L3, abs=1e-10)
    angle = np.cumsum(found.q, axis=1)
    lengths = np.array([L1, L2, L3])
    J = np.array(
        [(-lengths * np.sin(angle))[:, ::-1].cumsum(1)[:, ::-1], (lengths * np.cos(angle))[:, ::-1].cumsum(1)[:, ::-1]]
    )
    J = J.transpose(1, 0, 2)
    np.testing.assert_allclose(
        found.manipulability, np.sqrt(np.linalg.det(J @ J.transpose(0, 2, 1))), rtol=1e-9, atol=1e-12
    )
    s = np.linalg.svd(J, compute_uv=False)
    np.testing.assert_allclose(found.condition, s[:, 0] / s[:, 1], rtol=1e-6)


@pytest.mark.parametrize("units, size, name", [("SI", 1.0, "m"), ("mm", 1000.0, "mm")])
def test_manipulability_and_its_units(units, size, name):
    m, tip = planar((L1 * size, L2 * size), units=units)
    q = [0.3, 0.8]
    found = hn.manipulability(m, tip, q)
    assert found.value == pytest.approx(L1 * L2 * math.sin(0.8) * size**2, rel=1e-12)
    assert found.units == f"{name}^2" and found.directions == 2
    assert found.condition == pytest.approx(found.singular_values[0] / found.singular_values[1])
    straight = hn.manipulability(m, tip, [0.3, 0.0])
    assert straight.condition == np.inf and straight.value < 1e-9 * size**2
    turning = hn.manipulability(m, tip, q, rows=[4])
    assert turning.units == "1" and turning.value == pytest.approx(math.sqrt(2.0))
    with pytest.raises(ModelError, match="mixes velocities and angular velocities.*give length="):
        hn.manipulability(m, tip, q, rows=[0, 2, 4])
    both = hn.manipulability(m, tip, q, rows=[0, 2, 4], length=0.2 * size)
    J = hn.JointCoordinates(m).jacobian(tip, q)[[0, 2, 4]] / [[0.2 * size], [0.2 * size], [1.0]]
    assert both.units == "1" and both.value == pytest.approx(math.sqrt(np.linalg.det(J.T @ J)))


def test_slides_and_angles_together_need_a_length():
    m = hn.Model("crane")
    mast = m.part("mast", 1.0, (0.1, 0.1, 0.1), (0, 0, 0))
    m.revolute(mast, m.ground, "turn", at=(0, 0, 0), axis=(0, 0, 1))
    boom = m.part("boom", 1.0, (0.1, 0.1, 0.1), (1, 0, 0))
    m.translational(boom, mast, "out", at=(0, 0, 0), axis=(1, 0, 0))
    tip = m.marker_at(boom, (1.0, 0, 0))
    with pytest.raises(ModelError, match="mixes slides and angles"):
        hn.reachable_workspace(m, tip)
    with pytest.raises(ModelError, match=r"out\.z is a distance without two limits"):
        hn.reachable_workspace(m, tip, length=1.0)
    found = hn.reachable_workspace(m, tip, {"out.z": (0.0, 0.5)}, length=2.0, count=200)
    assert found.radii((0, 0, 0)) == pytest.approx((1.0, 1.5), abs=1e-10)
    np.testing.assert_allclose(found.manipulability, 2.0 * (1.0 + found.q[:, 1]), rtol=1e-12)


def test_a_ball_joint_takes_all_attitudes():
    m = hn.Model("ball")
    rod = m.part("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    m.spherical(rod, m.ground, "ball", at=(0, 0, 0))
    found = hn.reachable_workspace(m, m.marker_at(rod, (1.0, 0, 0)), count=2000)
    assert np.allclose(np.linalg.norm(found.points, axis=1), 1.0)
    assert np.abs(found.points.mean(axis=0)).max() < 0.02
    np.testing.assert_allclose((found.points**2).mean(axis=0), 1 / 3, atol=0.01)  # evenly on the sphere
    assert found.directions == 2 and found.manipulability == pytest.approx(1.0)


def five_bar():
    """Two driven cranks on ground, 1 m apart, whose rods meet in a pin: planar parallel robot."""
    m = hn.Model("five-bar")
    a, b, joint = np.array([0.0, 0, 0]), np.array([1.0, 0, 0]), {}
    left, right = (
        a + 0.6 * np.array([math.cos(2.0), 0, math.sin(2.0)]),
        b + 0.6 * np.array([math.cos(1.0), 0, math.sin(1.0)]),
    )
    top = circles(left[[0, 2]], right[[0, 2]], 0.9)
    top = np.array([top[0], 0.0, top[1]])
    for name, foot, end in (("left", a, left), ("right", b, right)):
        crank = m.part(f"{name} crank", 1.0, (0.1, 0.1, 0.1), (foot + end) / 2)
        rod = m.part(f"{name} rod", 1.0, (0.1, 0.1, 0.1), (end + top) / 2)
        joint[name] = m.revolute(crank, m.ground, name, at=foot, axis=(0, -1, 0))
        m.revolute(rod, crank, f"{name} knee", at=end, axis=(0, -1, 0))
    tip = m.marker_at(m.parts["left rod"], top)
    m.spherical(m.parts["left rod"], m.parts["right rod"], "pin", at=top)
    return m, tip


def circles(p, q, r):
    """The upper point at distance r of two points in a plane, NaN where there is none."""
    half = 0.5 * (q - p)
    d = np.hypot(*half)
    with np.errstate(invalid="ignore"):
        h = np.sqrt(r * r - d * d)
    return 0.5 * (p + q) + h * np.array([-half[1], half[0]]) / d


def knees(q):
    """Ends of the cranks, for angles from the drawing."""
    a, b = 2.0 + q[0], 1.0 + q[1]
    return 0.6 * np.array([math.cos(a), math.sin(a)]), np.array([1.0, 0.0]) + 0.6 * np.array([math.cos(b), math.sin(b)])


def test_a_five_bar_reaches_what_two_circles_do():
    m, tip = five_bar()
    drives = ["left.angle", "right.angle"]
    with pytest.raises(ModelError, match="closes a loop; name the freedoms"):
        hn.reachable_workspace(m, tip)
    with pytest.raises(ModelError, match="has 2 freedoms as drawn, and 1 are actuated"):
        hn.reachable_workspace(m, tip, actuated=drives[:1])
    limits = {"left.angle": (-1.2, 1.5), "right.angle": (-1.5, 1.2)}
    found = hn.reachable_workspace(m, tip, limits, actuated=drives, count=150)
    at = [found.coordinates.index(name) for name in drives]
    expected = np.array([circles(*knees(q), 0.9) for q in found.q[:, at]])
    np.testing.assert_allclose(found.points[:, [0, 2]], expected, atol=1e-8)
    x = spread_evenly(150, 2) * [2.7, 2.7] + [-1.2, -1.5]
    closes = np.array([np.isfinite(circles(*knees(q), 0.9)).all() for q in x])
    assert 20 < closes.sum() < 150
    assert 0.9 * closes.sum() < len(found.points) <= closes.sum()
    h = 1e-6
    for q, value in zip(found.q[:5, at], found.manipulability):
        J = np.column_stack(
            [(circles(*knees(q + d), 0.9) - circles(*knees(q - d), 0.9)) / (2 * h) for d in h * np.eye(2)]
        )
        assert value == pytest.approx(abs(np.linalg.det(J)), rel=1e-6)


def test_plots_and_bad_input(tmp_path):
    m, tip = planar()
    found = hn.reachable_workspace(m, tip, count=300)
    for value in ("manipulability", "condition", "density"):
        found.plot(value=value, path=tmp_path / f"{value}.png")
        assert (tmp_path / f"{value}.png").stat().st_size > 5000
    figure = found.plot("xy", slab=(-0.1, 0.1))
    shown = figure.axes[0].images[0].get_array()
    assert np.isfinite(shown.filled(np.nan)).any() and np.isnan(shown.filled(np.nan)).any()
    for arguments, text in (
        ({"plane": "zz"}, "write 'xy', 'xz' or 'yz'"),
        ({"value": "w"}, "write 'manipulability', 'condition', 'density'"),
        ({"slab": (3.0, 4.0)}, "holds no point; they lie at"),
    ):
        with pytest.raises(ModelError, match=text):
            found.plot(**arguments)
    for arguments, text in (
        ({"rows": [0, 7]}, "give different numbers of 0 to 5"),
        ({"actuated": ["x"]}, "there is no freedom 'x'; choose from j0.angle, j1.angle"),
        ({"length": -1.0}, "give a positive length"),
        ({"count": 0}, "give at least one sample"),
        ({"limits": {"x": (0, 1)}}, "there is no coordinate 'x'"),
    ):
        with pytest.raises(ModelError, match=text):
            hn.reachable_workspace(m, tip, **arguments)
    with pytest.raises(ModelError, match="belongs to ground"):
        hn.manipulability(m, m.marker_at(m.ground, (0, 0, 0)))

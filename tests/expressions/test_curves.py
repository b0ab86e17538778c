import numpy as np
import pytest
from _expression_machine import Inputs, Machine
from scipy.interpolate import make_interp_spline

from holonom.expressions import Curve, CurveError, curve_point, explain, pack_curves

ANGLE = np.linspace(0.0, 2 * np.pi, 25)
CIRCLE = np.c_[2 * np.cos(ANGLE), 2 * np.sin(ANGLE), np.ones(25)]
PATH = np.array([[0, 0, 0], [1, 0.5, 0], [2, 0, 1], [3, 1, 1.5], [4, 0, 0], [5.5, 0, -1]], dtype=float)


def test_open_curve_is_the_spline_of_scipy():
    curve = Curve.through(PATH)
    oracle = make_interp_spline(np.linspace(-1, 1, 6), PATH, k=3)
    for alpha in np.linspace(-1.0, 0.999, 40):
        for order in range(4):
            assert curve.at(alpha)[order] == pytest.approx(oracle(alpha, order), rel=1e-10, abs=1e-9)
    for point, alpha in zip(PATH, np.linspace(-1, 1, 6)):
        assert curve.at(alpha)[0] == pytest.approx(point, abs=1e-13)


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("make", [Curve.through, Curve.control])
@pytest.mark.parametrize("closed", [False, True])
def test_continuity(order, make, closed):
    curve = make(CIRCLE, order=order, closed=closed)
    joints = curve.breaks if closed else curve.breaks[1:-1]
    scale = np.abs(curve.coefficients).max() * order**3
    for joint in joints:
        jump = np.abs(curve.at(joint - 1e-9) - curve.at(joint + 1e-9)).max(axis=1)
        assert (jump[: order - 1] < 1e-7 * scale).all()


def test_closed_curve_is_periodic_and_round():
    curve = Curve.through(CIRCLE, order=6, closed=True)
    for alpha in (-0.9, 0.0, 0.31):
        assert curve.at(alpha + 2.0) == pytest.approx(curve.at(alpha), abs=1e-9)
        assert curve.at(alpha - 6.0) == pytest.approx(curve.at(alpha), abs=1e-9)
        assert np.hypot(*curve.at(alpha)[0, :2]) == pytest.approx(2.0, rel=1e-5)
        assert curve.at(alpha)[1] @ curve.at(alpha)[0] == pytest.approx(0.0, abs=1e-3)
    assert curve.length() == pytest.approx(4 * np.pi, rel=1e-5)


def test_open_curve_goes_on_straight():
    curve = Curve.through(PATH, order=5)
    for end, beyond in ((-1.0, -1.4), (1.0, 2.5)):
        point, slope, *_ = curve.at(end)
        far = curve.at(beyond)
        assert far[0] == pytest.approx(point + (beyond - end) * slope, rel=1e-9, abs=1e-9)
        assert far[1] == pytest.approx(slope, rel=1e-9, abs=1e-9)
        assert not far[2:].any()


def test_order_two_is_a_polygon():
    curve = Curve.through(PATH, order=2)
    assert curve.at(-0.8)[0] == pytest.approx((PATH[0] + PATH[1]) / 2)
    assert curve.length() == pytest.approx(np.linalg.norm(np.diff(PATH, axis=0), axis=1).sum())


def test_chord_parameter_gives_even_speed():
    points = PATH[[0, 0, 0, 0, 0, 0]] + np.outer([0, 0.1, 1, 1.2, 5, 7], [1.0, 0, 0])
    speed = [Curve.through(points, parameter="chord").at(a)[1, 0] for a in np.linspace(-1, 1, 9)]
    assert speed == pytest.approx([3.5] * 9, rel=1e-9)


def test_control_points_are_approached():
    curve = Curve.control(PATH)
    assert curve.at(-1.0)[0] == pytest.approx(PATH[0])
    assert curve.at(1.0)[0] == pytest.approx(PATH[-1])
    assert np.abs(np.cross(curve.at(-1.0)[1], PATH[1] - PATH[0])).max() < 1e-12


def test_sampled_function():
    helix = lambda a: (np.cos(a), np.sin(a), 0.2 * a)
    curve = Curve.sampled(helix, 0.0, 7.0)
    assert (curve.low, curve.high) == (0.0, 7.0)
    for a in (0.0, 1.234, 6.9):
        exact = [[np.cos(a), np.sin(a), 0.2 * a], [-np.sin(a), np.cos(a), 0.2], [-np.cos(a), -np.sin(a), 0]]
        assert curve.at(a)[:3] == pytest.approx(np.array(exact), abs=1e-5)


@pytest.mark.parametrize("closed", [False, True])
def test_closest_point(closed):
    curve = Curve.through(CIRCLE if closed else PATH, closed=closed)
    rng = np.random.default_rng(3)
    fine = curve.points(20_001)
    for point in rng.uniform(-2.0, 5.0, (8, 3)):
        alpha, distance = curve.closest(point)
        assert distance == pytest.approx(np.linalg.norm(curve.at(alpha)[0] - point), rel=1e-9)
        assert distance <= np.linalg.norm(fine - point, axis=1).min() + 1e-12
        if closed or -1 < alpha < 1:
            assert abs((curve.at(alpha)[0] - point) @ curve.at(alpha)[1]) < 1e-6


@pytest.mark.parametrize(
    "points, options, message",
    [
        (PATH[:3], {}, "curve: at least four points are needed, got 3"),
        (PATH[:, :2], {}, "curve: points must have the shape (n, 3), not (6, 2)"),
        (PATH, {"closed": True}, "curve: the first and the last point of a closed curve must be equal"),
        (PATH, {"order": 7}, "curve: order 7 must lie between 2 and 6"),
        (PATH, {"order": 1}, "curve: order 1 must lie between 2 and 6"),
        (PATH * np.nan, {}, "curve: a point is not finite"),
        (PATH * 0, {}, "curve: all points are equal"),
        (PATH[[0, 1, 1, 2]], {"parameter": "chord", "name": "cam"}, "curve cam: two neighbouring points are equal"),
        (PATH, {"parameter": "arc"}, "curve: parameter is 'uniform' or 'chord', not 'arc'"),
    ],
)
def test_messages(points, options, message):
    with pytest.raises(CurveError) as error:
        Curve.through(points, **options)
    assert str(error.value) == message


def test_functions():
    curves = [Curve.through(PATH, order=6), Curve.through(CIRCLE, closed=True)]
    tables = pack_curves(curves)
    resolver = Inputs(curves=[4, "CAM"])
    out = np.empty((4, 3))
    for place, id in enumerate(("4", "cam")):
        for order in range(3):
            for component in (1, 2, 3):
                machine = Machine(f"CURVE(time*x, {order}, {component}, {id})", resolver, curves=tables)
                x, v, a = np.array([0.4, 0.6, 0, 0]), np.array([0.3, -0.2, 0, 0]), np.array([0.1, 0.2, 0, 0])
                curve_point(tables, place, 0.24, out)
                f, slopes = machine.gradient(*x)
                assert f == out[order, component - 1]
                assert explain(machine.program, x, machine.set) == f"the value is {f:.12g}"
                _, fd, fdd = machine.jet(x, v, a)
                h = 1e-4
                path = [machine(*(x + s * v + s * s / 2 * a)) for s in (-h, h)]
                scale = np.abs(curves[place].coefficients).max() * 100
                assert fd == pytest.approx((path[1] - path[0]) / (2 * h), abs=1e-6 * scale)
                assert fdd == pytest.approx((path[0] - 2 * f + path[1]) / h**2, abs=1e-5 * scale)
                assert fd == pytest.approx(slopes @ v, rel=1e-10, abs=1e-10)

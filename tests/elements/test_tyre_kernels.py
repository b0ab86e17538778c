"""The kernels that all tyres share, as plain Python with a law of our own: forces in space by the vectors of the text,
all columns of the tangent by differences, energies by the power of what moves."""

import numpy as np
import pytest
from moving_frames import assert_derivative, copy, moved, perturbed, random_frames
from scipy.spatial.transform import Rotation

from holonom._jit import Kernel, interpreted
from holonom.elements.forces.tyres import kernels
from holonom.elements.roads import surface

WHEEL, ROAD, STATES = 2, 1, 4
RADIUS, BELT = 0.31, 1.7
f = np.array([WHEEL, ROAD])


def bumpy(c, r, X, Y):
    """Height, slopes and friction of a road that is none of ours."""
    height = 0.01 + 0.11 * X - 0.07 * Y + 0.09 * X * X + 0.04 * X * Y
    return height, 0.11 + 0.18 * X + 0.04 * Y, -0.07 + 0.04 * X, 0.8 + 0.1 * X - 0.05 * Y


def inclined(c, r, X, Y):
    """A plane."""
    return 0.01 + 0.21 * X - 0.17 * Y, 0.21, -0.17, 0.8 + 0.1 * X


def of_road(monkeypatch, ask):
    """What the kernels ask is answered by a function."""
    for kernel in vars(surface).values():
        if isinstance(kernel, Kernel) and "ask" in interpreted(kernel).__globals__:
            monkeypatch.setitem(interpreted(kernel).__globals__, "ask", ask)


def numbers(rough=False):
    """Of a tyre on a road that is a belt, flat unless rough; its law has none."""
    c = np.zeros(surface.HEAD)
    c[surface.ROAD], c[surface.METHOD] = float(rough), surface.POINT
    c[surface.LAW_AT] = c[surface.ROAD_AT] = surface.HEAD
    c[surface.RADIUS], c[surface.BELT], c[surface.TURNS], c[surface.MU] = RADIUS, BELT, 1.0, 0.9
    return c


def law(address, given):
    """Quadratic in inputs and states, and other in each output; of numbers and of dual numbers."""
    _, s, x = given
    z = [*s, *x]
    out = []
    for k in range(12):
        value = 0.3 + 0.1 * k
        for i, one in enumerate(z):
            other = z[(i + k + 1) % len(z)]
            value = value + (0.7 - 0.13 * ((3 * i + 5 * k) % 11)) * one + 0.05 * ((i + 2 * k) % 7 - 3) * one * other
        out.append(value)
    return tuple(out)


@pytest.fixture(autouse=True)
def own_law(monkeypatch):
    monkeypatch.setitem(interpreted(kernels.solve).__globals__, "_law", law)
    monkeypatch.setitem(interpreted(kernels.law_slopes).__globals__, "_law_dual", law)
    of_road(monkeypatch, bumpy)


def scene(seed):
    """A wheel that leans and is turned, near the plane of a road that lies and moves anywhere."""
    rng = np.random.default_rng(seed)
    fr = random_frames(np.random.RandomState(seed), 4)
    road = fr.A[ROAD].reshape(3, 3)
    fr.A[WHEEL] = (road @ Rotation.from_euler("zxy", [0.4, -0.2, 0.7]).as_matrix()).ravel()
    fr.p[WHEEL] = fr.p[ROAD] + road @ [0.3, -0.2, 0.28]
    return fr, rng.normal(size=STATES) * 0.1


def seen(fr):
    """The vectors of the module's text: places, speeds and inputs of the law, in the axes of the road."""
    road, wheel = fr.A[ROAD].reshape(3, 3), fr.A[WHEEL].reshape(3, 3)
    apart = fr.p[WHEEL] - fr.p[ROAD]
    d, e = road.T @ apart, road.T @ wheel[:, 1]
    v = road.T @ (fr.v[WHEEL] - fr.v[ROAD] - np.cross(fr.w[ROAD], apart))
    w = road.T @ (fr.w[WHEEL] - fr.w[ROAD])
    omega = fr.w[WHEEL] @ wheel[:, 1]
    n = np.array([0.0, 0.0, 1.0])
    lean = np.arcsin(e @ n)
    x = np.cross(e, n) / np.cos(lean)
    y = np.cross(n, x)
    loaded = d @ n / np.cos(lean)
    c = -loaded * (n - np.sin(lean) * e) / np.cos(lean)
    slides = v + np.cross(w - omega * e, c) - [BELT, 0.0, 0.0]
    turn = np.cross(w, e) @ n / np.cos(lean)  # rate of the inclination
    rate = -(v @ n) / np.cos(lean) - loaded * np.tan(lean) * turn
    s = (RADIUS - loaded, rate, slides @ x, slides @ y, omega, lean, w @ n, 0.9)
    return road, d, v, w, (x, y, n, c), s


def wrench(fr, x, rough=False):
    W, rates = np.zeros(12), np.zeros(len(x))
    interpreted(kernels.force)(numbers(rough), f, fr, None, 0.0, 0.0, x, W, rates)
    return W, rates


def by_hand(fr, states):
    """Force and moment on the wheel in the axes of the road, and the outputs of the law."""
    road, d, v, w, (x, y, n, c), s = seen(fr)
    o = np.array(law(0, (None, s, (*states, *np.zeros(STATES - len(states))))))
    force = o[0] * x + o[1] * y + o[2] * n
    return road, force, o[3] * x + o[4] * y + o[5] * n + np.cross(c, force), o


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("states", [0, 2, STATES])
def test_forces_act_at_the_contact_point_and_back_on_the_road(seed, states):
    fr, x = scene(seed)
    x = x[:states]
    road, force, moment, o = by_hand(fr, x)
    W, rates = wrench(fr, x)
    force, moment = road @ force, road @ moment
    arm = fr.p[WHEEL] - fr.p[ROAD]
    assert W == pytest.approx([*force, *moment, *-force, *(-moment - np.cross(arm, force))], rel=1e-12)
    assert rates == pytest.approx(o[8 : 8 + states], rel=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_what_a_tyre_sees(seed):
    fr, x = scene(seed)
    *_, d, _, _, (_, _, _, c), s = seen(fr)
    o = by_hand(fr, x)[-1]
    out = np.zeros(23)
    interpreted(kernels.watch)(numbers(), f, fr, x, out)
    assert out == pytest.approx([*s, *o, *(d + c)], rel=1e-12)


@pytest.mark.parametrize("rough", [False, True])
@pytest.mark.parametrize("body", [WHEEL, ROAD])
@pytest.mark.parametrize("slot", [0, 1, 2, 3])
def test_tangent_by_differences(rough, body, slot):
    """Of place, turn, velocity and angular velocity of wheel and road, along each axis."""
    fr, x = scene(3 + rough)
    W, D = wrench(fr, x, rough)[0], np.zeros((12 + STATES, 24 + STATES))
    interpreted(kernels.tangent)(numbers(rough), f, fr, None, 0.0, 0.0, x, W, D)
    for axis in range(3):
        way = np.zeros((4, 18))
        way[body, 3 * slot + axis] = 1.0
        # positions and turns of the wheel, those of the road; velocities of the wheel, those of the road
        column = 12 * (slot // 2) + 6 * (body == ROAD) + 3 * (slot % 2) + axis
        assert_derivative(lambda h, way=way: np.concatenate(wrench(perturbed(fr, way, h), x, rough)), D[:, column])


def test_tangent_by_the_states():
    fr, x = scene(5)
    W, D = wrench(fr, x)[0], np.zeros((12 + STATES, 24 + STATES))
    interpreted(kernels.tangent)(numbers(), f, fr, None, 0.0, 0.0, x, W, D)
    for k in range(STATES):
        one = np.eye(STATES)[k]
        assert_derivative(lambda h, one=one: np.concatenate(wrench(fr, x + h * one)), D[:, 24 + k])


def test_a_law_that_does_not_read_the_turning_has_no_slope_by_it():
    """Without that word its columns are left out."""
    fr, x = scene(1)
    c = numbers()
    c[surface.TURNS] = 0.0
    L = np.ones((10, 12))
    s = seen(fr)[-1]
    interpreted(kernels.law_slopes)(c, s, x, L)
    assert not L[:, 6].any() and not L[:, 7].any() and L[:, :6].all()


@pytest.mark.parametrize("seed", range(3))
def test_energies_by_the_power_of_what_moves(seed):
    """Stored is what the law stores; lost is the power that neither the belt brings nor the spring takes."""
    fr, x = scene(seed)
    road, force, moment, o = by_hand(fr, x)
    _, _, v, w, _, s = seen(fr)
    W, out = wrench(fr, x)[0], np.zeros(3)
    interpreted(kernels.energies)(numbers(), f, copy(fr), None, 0.0, 0.0, x, W, out)
    belt = BELT * force[0]
    assert out == pytest.approx([o[6], belt - (force @ v + moment @ w) - o[7] * s[1], belt], rel=1e-9)


def test_energies_on_a_slope(monkeypatch):
    """The belt pushes along its surface, bent into the plane of the road; the spring moves as the road passes."""
    of_road(monkeypatch, inclined)
    fr, x = scene(4)
    c = numbers(True)

    def deflection(t):
        out = np.zeros(23)
        interpreted(kernels.watch)(c, f, moved(fr, t), x, out)
        return out[0]

    W, out = wrench(fr, x, True)[0], np.zeros(3)
    interpreted(kernels.energies)(c, f, copy(fr), None, 0.0, 0.0, x, W, out)
    road = fr.A[ROAD].reshape(3, 3)
    apart = fr.p[WHEEL] - fr.p[ROAD]
    _, slope, other, _ = inclined(None, None, 0.0, 0.0)
    n = np.array([-slope, -other, 1.0]) / np.sqrt(1.0 + slope**2 + other**2)
    along = np.array([n[2], 0.0, -n[0]]) / np.hypot(n[0], n[2])
    force, moment = road.T @ W[:3], road.T @ W[3:6]
    v = road.T @ (fr.v[WHEEL] - fr.v[ROAD] - np.cross(fr.w[ROAD], apart))
    w = road.T @ (fr.w[WHEEL] - fr.w[ROAD])
    seen_by_law = np.zeros(23)
    interpreted(kernels.watch)(c, f, fr, x, seen_by_law)
    stored, elastic = seen_by_law[14:16]
    rate = (deflection(1e-5) - deflection(-1e-5)) / 2e-5
    belt = BELT * (force @ along)
    assert out == pytest.approx([stored, belt - (force @ v + moment @ w) - elastic * rate, belt], rel=1e-6)

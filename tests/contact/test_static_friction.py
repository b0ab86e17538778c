"""Static and dynamic coefficients of friction of contacts that are constraints, against closed forms."""

import numpy as np
import pytest

import holonom as hn

G, STATIC, DYNAMIC = 9.81, 0.4, 0.25
METHODS = {"events": dict(contact="events"), "time-stepping": dict(contact="time-stepping", step=1e-3)}
EXACT = {"events": 1e-6, "time-stepping": 3e-3}


def slope(angle, speed=0.0, size=(0.1, 0.1, 0.1)):
    """A block on a slope that falls along x, with a speed along x."""
    m = hn.Model("slope")
    m.gravity = (G * np.sin(angle), 0, -G * np.cos(angle))
    block = m.part("block", 1.0, (0.002,) * 3, (0, 0, 0.05), velocity=(speed, 0, 0))
    m.contact(m.box(block, (0, 0, 0.05), size), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=(STATIC, DYNAMIC))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_limit_cycle_of_stick_and_slip(method):
    """A mass on a spring and a belt: it sticks up to the static bound, slides under the dynamic one."""
    more = dict(step=2e-3) if method == "time-stepping" else dict(error=1e-7)  # at 1e-6 the period is 1.07e-4 off
    k, belt = 100.0, 0.1
    m = hn.Model("belt")
    m.gravity = (0, 0, -G)
    block = m.part("block", 1.0, (0.01,) * 3, (0, 0, 0.05))
    moving = m.part("belt", 100.0, (100,) * 3, (0, 0, -0.05))
    m.motion(m.translational(moving, m.ground, "rail", at=(0, 0, -0.05), axis=(1, 0, 0)), f"{belt}*TIME")
    moving.vx, block.vx = belt, 0.0
    m.spring_damper(block.cm, m.marker_at(m.ground, (-1, 0, 0.05)), stiffness=k, damping=0, length=1.0)
    shapes = m.box(block, (0, 0, 0.05), (0.1, 0.1, 0.1)), m.box(moving, (0, 0, -0.05), (20, 1, 0.1))
    m.contact(*shapes, mu_static=STATIC, mu_dynamic=DYNAMIC)
    run = hn.simulate(m, 2.1, 2100 if method == "events" else 1050, **METHODS[method] | more)
    w, high, low = np.sqrt(k), STATIC * G, DYNAMIC * G
    a, b = (high - low) / k, belt / w  # where slip begins, about the place of rest under the dynamic coefficient
    period = 2.0 * (np.pi - np.arctan(a / b)) / w + 2.0 * a / belt
    x, t = run.part("block").position.values[:, 0], np.asarray(run.time)
    up = np.flatnonzero((x[:-1] < low / k) & (x[1:] >= low / k) & (t[1:] > 0.5))
    crossings = t[up] + (low / k - x[up]) / (x[up + 1] - x[up]) * (t[up + 1] - t[up])
    assert len(crossings) >= 2
    assert np.diff(crossings)[-1] == pytest.approx(period, rel=max(EXACT[method], 1e-4))
    assert x.max() == pytest.approx(low / k + np.hypot(a, b), rel=max(EXACT[method], 1e-4))


@pytest.mark.parametrize("method", METHODS)
def test_begins_to_slide_at_the_static_bound(method):
    """Pulled by a force that grows: x'' = (F - mu_d N) / m behind F = mu_s N."""
    m = slope(0.0)
    block, rate = m.table("PART")[2], 8.0
    m.sforce(
        m.marker_at(block, (0, 0, 0.0)), m.marker_at(m.ground, (-10, 0, 0.0)), f"{rate}*TIME", kind="TRANSLATIONAL"
    )
    run = hn.simulate(m, 1.0, 100, **METHODS[method])
    begin = STATIC * G / rate
    s = np.maximum(np.asarray(run.time) - begin, 0.0)
    x = 0.5 * (STATIC - DYNAMIC) * G * s**2 + rate * s**3 / 6.0
    assert run.part("block").position.values[:, 0] == pytest.approx(x, abs=EXACT[method] * x[-1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mu", [0.3, 0.45])
def test_slides_up_a_slope_and_stays_or_slides_back(method, mu):
    """tan of the slope lies between both coefficients: it stays where it stops; above both it slides back."""
    angle, v = np.arctan(mu), -1.0
    run = hn.simulate(slope(angle, v), 1.0, 100, **METHODS[method])
    t = np.asarray(run.time)
    up, down = G * (np.sin(angle) + DYNAMIC * np.cos(angle)), G * (np.sin(angle) - DYNAMIC * np.cos(angle))
    stop = -v / up
    x = np.where(t < stop, v * t + 0.5 * up * t**2, -0.5 * v * v / up + (mu > STATIC) * 0.5 * down * (t - stop) ** 2)
    assert run.part("block").position.values[:, 0] == pytest.approx(x, abs=1e-7 if method == "events" else 1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_rest_is_held_by_the_static_coefficient(method):
    """Dynamics and statics of a block at rest on a slope between both coefficients."""
    m = slope(np.arctan(0.35))
    run = hn.simulate(m, 0.3, 10, **METHODS[method])
    assert np.abs(run.part("block").position.values[:, 0]).max() < 1e-9
    still = hn.simulate(slope(np.arctan(0.35)), kind="statics", contact="events")
    assert abs(still.part("block").position.values[-1, 0]) < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_one_point_on_a_wheel_that_locks(method):
    """A ball with a brake torque that grows rolls until friction of rest is exceeded, then slides with the dynamic
    coefficient."""
    r, rate = 0.1, 2.0
    m = hn.Model("wheel")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, r), velocity=(3.0, 0, 0), angular_velocity=(0, 3.0 / r, 0))
    m.contact(m.sphere(ball, (0, 0, r), r), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=(STATIC, DYNAMIC))
    at, on_ground = (m.marker_at(b, (0, 0, r), z=(0, 1, 0)) for b in (ball, m.ground))
    m.sforce(at, on_ground, f"-{rate}*TIME", kind="ROTATIONAL", actiononly=True)
    run = hn.simulate(m, 0.6, 60, **METHODS[method])
    t, v = np.asarray(run.time), run.part("ball").velocity.values[:, 0]
    J, mass = 0.004, 1.0
    share = rate * r / (J + mass * r * r)  # m v' = -F, J w' = -M + F r, v = w r
    begin = STATIC * G / share
    rolls = 3.0 - 0.5 * share * t**2
    slides = 3.0 - 0.5 * share * begin**2 - DYNAMIC * G * (t - begin)
    assert 0.1 < begin < 0.5
    assert v == pytest.approx(np.where(t < begin, rolls, slides), abs=EXACT[method])

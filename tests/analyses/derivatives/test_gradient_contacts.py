"""Gradients through compliant contacts: closed forms of bounces, differences of runs, and what is refused."""

import numpy as np
import pytest
from test_gradient import SIX, check

import holonom as hn

K, M, V, Z, T = 2e5, 2.0, 2.0, 0.2, 0.2  # stiffness, mass, speed down, height of the ball over the plane, end


def ball(law="IMPACT", gravity=9.81, speed=V, across=0.0, **words):
    m = hn.Model("ball")
    m.gravity = (0, 0, -gravity)
    body = m.part("ball", mass=M, inertia=(0.02, 0.02, 0.02), position=(0, 0, 0.1 + Z))
    body.vz, body.vx = -speed, across
    radius = m.parameter("radius", 0.1)
    sphere = m.sphere(body, (0, 0, 0.1 + Z), radius)
    contact = m.contact(sphere, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), law, stiffness=K, **words)
    return m, body, contact


def test_a_linear_bounce_against_the_oscillator():
    """Free fall, m z'' = -m g - k z, free flight: differentiated with the times of both events."""
    m, body, contact = ball(exponent=1.0, damping=0.0, dmax=1e-3)

    def exact(k=K, mass=M, g=9.81, z=Z, v=V, radius=0.1):
        z = z + 0.1 - radius
        fall = (-v + np.sqrt(v * v + 2 * g * z)) / g
        u = -(v + g * fall)  # at the touch
        w, rest = np.sqrt(k / mass), -mass * g / k
        # z = rest + A cos(w t) + B sin(w t), A = -rest, B = u / w: it parts after twice the way to the lowest point
        touch = 2.0 * (np.pi - np.arctan2(-u / w, -rest)) / w
        t = T - fall - touch
        return -u * t - 0.5 * g * t * t, -u - g * t

    def slope(which, name, value):
        h = 2e-4 * value
        at = lambda s: exact(**{name: value + s * h})[which]
        return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)

    names = [contact.number("stiffness"), "PART/2.MASS", "GRAVITY(3)", "PART/2.QG(3)", "PART/2.VZ", "radius"]
    signs = [1, 1, -1, 1, -1, 1]
    known = [("k", K), ("mass", M), ("g", 9.81), ("z", Z), ("v", V), ("radius", 0.1)]
    for which, text in enumerate((f"DZ({body.cm})-0.1", f"VZ({body.cm})")):
        g = hn.gradient(m, hn.final(text), names, end=T, error=1e-11)
        assert g.value == pytest.approx(exact()[which], rel=1e-8)
        expected = [sign * slope(which, *one) for sign, one in zip(signs, known)]
        if which == 0:
            expected[-1] += 1.0  # the centre of the sphere is measured, not its lowest point
        assert g.vector == pytest.approx(expected, rel=2e-7, abs=1e-12)


def test_the_duration_of_an_impact_by_hertz():
    """Without gravity it leaves at the speed with which it came, after 2.9432 d / v, d = (5 m v^2 / (4 k))^(2/5): the
    duration goes as m^(2/5) k^(-2/5) v^(-1/5) (S. Timoshenko, J. Goodier, Theory of Elasticity, art. 141)."""
    from scipy.special import beta

    m, body, contact = ball(exponent=1.5, damping=0.0, dmax=1e-3, gravity=0.0)
    depth = (5 * M * V * V / (4 * K)) ** 0.4
    lasts = 2 * depth / V * 0.4 * beta(0.4, 0.5)
    names = [contact.number("stiffness"), "PART/2.MASS", "PART/2.VZ", "PART/2.QG(3)"]
    g = hn.gradient(m, hn.final(f"DZ({body.cm})-0.1"), names, end=T, error=1e-11)
    assert g.value == pytest.approx(V * (T - Z / V - lasts), rel=1e-9)
    # z = v (T - Z / v - lasts)
    exact = [0.4 * V * lasts / K, -0.4 * V * lasts / M, -T + lasts - 0.2 * lasts, -1.0]
    assert g.vector == pytest.approx(exact, rel=1e-6)


FRICTION = dict(mu_static=0.3, mu_dynamic=0.2, stiction_transition_velocity=0.5, friction_transition_velocity=1.0)


def test_a_spinning_ball_with_friction_along_a_random_direction():
    slow = dict(stiction_transition_velocity=0.05, friction_transition_velocity=0.1)  # it slides all the time
    m, body, contact = ball(exponent=1.5, damping=0.0, dmax=1e-3, across=3.0, **{**FRICTION, **slow})
    names = [contact.number(n).name for n in ("stiffness", "exponent", "mu_dynamic")]
    J = hn.final(f"DX({body.cm})+0.3*VZ({body.cm})+WY({body.cm})")
    check(m, J, [*names, "PART/2.MASS", "PART/2.QG", "PART/2.VX", "radius"], end=T, tolerance=2e-7, size=3e-5,
          error=1e-11)  # fmt: skip


def thrown_at_an_arm():
    """A part on a ball joint, turning, and one that flies at it."""
    m = hn.Model("two")
    m.gravity = (0, 0, -9.81)
    a = m.part("a", mass=2.0, inertia=(0.2, 0.3, 0.25), position=(0.5, 0, 0.1))
    m.spherical(a, m.ground, at=(0, 0, 0))
    a.wx, a.wz = 1.0, 0.3
    b = m.part("b", mass=1.5, inertia=(0.02, 0.02, 0.03), position=(0.62, 0.05, -0.25))
    b.vz = 3.0
    return m, a, b


@pytest.mark.slow
def test_two_spheres_on_a_ball_joint_by_all_that_decides():
    """Both move and turn; markers of both shapes, inertias and the law, by differences of runs."""
    m, a, b = thrown_at_an_arm()
    first, second = m.sphere(a, (0.6, 0.02, 0.1), 0.1), m.sphere(b, (0.62, 0.05, -0.25), 0.12)
    law = m.contact(first, second, "IMPACT", stiffness=1e5, exponent=1.0, damping=0.0, dmax=1e-3, **FRICTION)
    centres = [f"MARKER/{g.arguments['cm']}.QP" for g in m.table("GRAPHICS").values()]
    names = [law.number("stiffness").name, law.number("mu_dynamic").name, *centres]
    check(m, hn.final(f"DX({a.cm})+0.3*VZ({b.cm})+WY({b.cm})"), [*names, "PART/2.MASS", "PART/3.IP", "GRAVITY"],
          end=T, tolerance=1e-6, size=3e-5, error=1e-11)  # fmt: skip


def test_laws_that_remember_and_impacts_are_refused():
    m, body, contact = ball("LANKARANI_NIKRAVESH", exponent=1.5, restitution=0.8)
    with pytest.raises(hn.ModelError, match="LANKARANI_NIKRAVESH or its friction NONE remembers earlier states"):
        hn.gradient(m, hn.final(f"DZ({body.cm})"), "PART/2.MASS", end=T)
    m, body, contact = ball(exponent=1.5, damping=0.0, dmax=1e-3)
    with pytest.raises(hn.ModelError, match="onsets of contacts are not located in a gradient with HHT"):
        hn.gradient(m, hn.final(f"DZ({body.cm})"), "PART/2.MASS", end=T, integrator="HHT", events=True)
    x = f"DZ({body.cm})"
    m.vforce(body.cm, m.ground, fz=f"IF({x}-0.2: 1, 0, 0)", rm=m.marker(m.ground))
    for options in ({"integrator": "RADAU5"}, {"hmin": 1e-3, "hmax": 1e-3, "integrator": "RK4"}):
        with pytest.raises(hn.ModelError, match="VFORCE_1.* may jump where it branches"):
            hn.gradient(m, hn.final(x), "PART/2.MASS", end=T, **options)


def test_a_law_that_is_cut_off_says_how_many_digits_are_left():
    """IMPACT with damping pulls no body back: where its force is cut off, the derivative jumps."""
    m, body, contact = ball(exponent=1.5, damping=50.0, dmax=1e-3)
    g = hn.gradient(m, hn.final(f"DZ({body.cm})"), ["PART/2.MASS"], end=T)
    assert any("kinks of CONTACT" in w for w in g.warnings)


# ---- impacts ---------------------------------------------------------------------------------------------------------
def bouncing(e=0.93, speed=0.5, **words):
    m = hn.Model("bouncing")
    m.gravity = (0, 0, -9.81)
    body = m.part("ball", mass=M, inertia=(0.02, 0.02, 0.02), position=(0, 0, 1.1))
    body.vx, body.vz = speed, 0.0
    sphere = m.sphere(body, (0, 0, 1.1), m.parameter("radius", 0.1))
    return m, body, m.contact(sphere, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, **words)


def bounces(T, e=0.93, g=9.81, z=1.0, v=0.0):
    """Height over the lowest position, and its speed, after as many impacts as there are."""
    fall = (v + np.sqrt(v * v + 2 * g * z)) / g
    if fall > T:
        return z + v * T - 0.5 * g * T * T, v - g * T, 0
    u, t, count = e * (g * fall - v), T - fall, 1
    while t > 2 * u / g:
        t, u, count = t - 2 * u / g, e * u, count + 1
    return u * t - 0.5 * g * t * t, u - g * t, count


def test_a_ball_after_twenty_impacts_in_closed_form():
    m, body, contact = bouncing()
    T = 9.55
    assert bounces(T)[2] == 20
    names = [contact.number("restitution"), "GRAVITY(3)", "PART/2.QG(3)", "PART/2.VZ", "PART/2.VX"]
    g = hn.gradient(m, hn.final(f"DZ({body.cm})+DX({body.cm})"), names, end=T, contact="events")
    h = 1e-4

    def slope(**way):
        ((name, value),) = way.items()
        return sum(w * bounces(T, **{name: value + k * h})[0] for k, w in SIX.items()) / h

    exact = [slope(e=0.93), -slope(g=9.81), slope(z=1.0), slope(v=0.0), T]
    assert g.value == pytest.approx(bounces(T)[0] + 0.1 + 0.5 * T, rel=1e-9)
    assert g.vector == pytest.approx(exact, rel=1e-8)


def test_two_balls_exchange_what_they_have():
    """Of equal masses, e = 1: the end of the first is 1, 0 by the starts and 0, T by the speeds of the other's."""
    m = hn.Model("two balls")
    a, b = (m.part(n, mass=1.0, inertia=(1, 1, 1), position=(x, 0, 0)) for n, x in (("a", 0.0), ("b", 1.0)))
    a.vx, b.vx = 1.0, 0.0
    m.contact(m.sphere(a, (0, 0, 0), 0.1), m.sphere(b, (1, 0, 0), 0.1), restitution=1.0)
    names = ["PART/2.QG(1)", "PART/3.QG(1)", "PART/2.VX", "PART/3.VX"]
    g = hn.gradient(m, hn.final(f"DX({b.cm})"), names, end=2.0, contact="events")
    assert g.vector == pytest.approx([1.0, 0.0, 2.0, 0.0], abs=1e-9)


def test_an_impact_among_joints_along_a_random_direction():
    m, a, b = thrown_at_an_arm()
    law = m.contact(m.sphere(a, (0.6, 0.02, 0.1), 0.1), m.sphere(b, (0.62, 0.05, -0.25), 0.12), restitution=0.8)
    centres = [f"MARKER/{g.arguments['cm']}.QP" for g in m.table("GRAPHICS").values()]
    names = [law.number("restitution").name, *centres, "PART/2.MASS", "PART/2.IP", "PART/3.MASS", "GRAVITY"]
    J = hn.final(f"DX({a.cm})+0.3*VZ({b.cm})+WY({b.cm})")
    check(m, J, names, end=T, tolerance=2e-8, size=1e-4, error=1e-11, contact="events")


def test_impacts_without_a_derivative_are_refused():
    m, body, contact = bouncing(mu_static=0.3, mu_dynamic=0.3)
    final = hn.final(f"DZ({body.cm})")
    with pytest.raises(hn.ModelError, match="impacts with friction have no derivative"):
        hn.gradient(m, final, "PART/2.QG(3)", end=1.0, contact="events")
    m, body, contact = bouncing(e=0.3)
    with pytest.raises(hn.ModelError, match="a contact stays closed"):
        hn.gradient(m, hn.final(f"DZ({body.cm})"), "PART/2.QG(3)", end=2.0, contact="events")


@pytest.mark.parametrize("integrator, step", [("HHT", 5e-4), pytest.param("RADAU5", 2e-3, marks=pytest.mark.slow)])
def test_a_ball_that_is_pressed_down_with_implicit_methods(integrator, step):
    """It stays in contact: against differences of the same steps."""
    m, body, contact = ball(exponent=1.5, damping=20.0, dmax=1e-5, speed=0.02, across=0.5, **FRICTION)
    body.qg = (0.0, 0.0, 0.0999)
    names = [contact.number(n).name for n in ("stiffness", "damping", "mu_dynamic")]
    J = hn.final(f"DX({body.cm})+30*DZ({body.cm})+0.1*WY({body.cm})")
    fixed = {"hmin": step, "hmax": step, "newton": 1e-11, "error": 1e-6}
    check(m, J, [*names, "PART/2.MASS", "PART/2.VX"], 0.01, 1e-7, size=1e-3, integrator=integrator, **fixed)


@pytest.mark.slow
def test_a_bounce_with_radau():
    """Its steps run through the onset: the gradient by DOP853, which locates it, up to what its own warning says."""
    m, body, contact = ball(exponent=1.5, damping=0.0, dmax=1e-3)
    names = [contact.number("stiffness"), "PART/2.MASS", "GRAVITY(3)", "PART/2.VZ"]
    J = hn.final(f"DZ({body.cm})")
    exact = hn.gradient(m, J, names, end=T, error=1e-11).vector
    g = hn.gradient(m, J, names, end=T, integrator="RADAU5", error=1e-9)
    assert np.linalg.norm(g.vector - exact) < 1e-3 * np.linalg.norm(exact)
    assert any("error, since the steps pass kinks" in w for w in g.warnings)

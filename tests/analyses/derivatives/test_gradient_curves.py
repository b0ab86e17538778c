"""Gradients of runs with points on curves and curves on curves, against closed forms and an equation of one angle."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn


def test_the_speed_of_a_bead_at_the_bottom_of_a_parabola():
    """z = a x^2 is the curve itself, a cubic: v = sqrt(2 g a) x0 by energy, whatever the mass is."""
    a, g, x0 = 0.6, 9.81, 0.8
    model = hn.Model("bead")
    model.gravity = (0, 0, -g)
    bead = model.point_mass("bead", 0.3, (x0, 0, a * x0**2))
    x = np.linspace(-2.0, 2.0, 9)
    base = model.marker(model.ground)
    model.point_on_curve(model.marker(bead), base, model.curve(np.c_[x, 0 * x, a * x**2]))
    for integrator, tolerance in (("DOP853", 1e-8), ("RADAU5", 1e-7)):
        speed = hn.gradient(
            model,
            hn.peak(f"-VX({bead.cm})"),
            ["GRAVITY(3)", bead.number("mass")],
            end=0.6,
            integrator=integrator,
        )
        v = np.sqrt(2 * g * a) * x0
        assert speed.value == pytest.approx(v, rel=tolerance)
        assert speed["GRAVITY(3)"] == pytest.approx(-v / (2 * g), rel=tolerance)
        assert speed[bead.number("mass")] == pytest.approx(0.0, abs=tolerance)


def test_the_force_on_a_bead_on_a_parabola():
    """A component of the reaction at the end by gravity: x'' = -(2 a g x + 4 a^2 x x'^2) / (1 + 4 a^2 x^2), F = m x''.
    Its direction turns with the normal of the curve."""
    a, g, x0, m, end = 0.6, 9.81, 0.8, 0.3, 0.3
    model = hn.Model("bead")
    model.gravity = (0, 0, -g)
    bead = model.point_mass("bead", m, (x0, 0, a * x0**2))
    x = np.linspace(-2.0, 2.0, 9)
    base, on = model.marker(model.ground), model.marker(bead)
    model.point_on_curve(on, base, model.curve(np.c_[x, 0 * x, a * x**2]))

    def force(g):
        turn = lambda x, v: -(2 * a * g * x + 4 * a**2 * x * v**2) / (1 + 4 * a**2 * x**2)
        f = lambda t, y: (y[1], turn(*y))
        x, v = solve_ivp(f, (0, end), (x0, 0.0), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        return m * turn(x, v)

    h = 1e-2
    by_g = (8 * (force(g + h) - force(g - h)) - (force(g + 2 * h) - force(g - 2 * h))) / 12 / h
    found = hn.gradient(model, hn.final(f"FX({on.id},{base.id})"), ["GRAVITY(3)"], end=end)
    assert found.value == pytest.approx(force(g), rel=1e-8)
    assert found["GRAVITY(3)"] == pytest.approx(-by_g, rel=1e-7)


def ring(radius, n=121):
    t = np.linspace(0, 2 * np.pi, n)
    p = np.stack([radius * np.cos(t), 0 * t, 0 * t], 1)
    p[:, 1] = radius * np.sin(t)
    p[-1] = p[0]
    return p


def test_a_disc_that_slides_on_a_disc():
    """Its centre moves on a circle of radius L: phi'' = (g/L) sin(phi), phi from the top."""
    L, g, start, spin = 0.8, 9.81, 0.3, 0.5
    model = hn.Model("disc")
    model.gravity = (0, -g, 0)
    place = L * np.sin(start), L * np.cos(start), 0.0
    velocity = L * spin * np.cos(start), -L * spin * np.sin(start), 0.0
    disc = model.part("disc", 2.0, (0.1, 0.1, 0.1), position=place, velocity=velocity)
    model.planar(disc, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
    top, fixed = model.curve(ring(0.3), closed=True, order=6), model.curve(ring(0.5), closed=True, order=6)
    model.curve_on_curve(model.marker(disc), top, model.marker(model.ground), fixed)

    def angle(g, spin, end=0.6):
        f = lambda t, y: (y[1], g / L * np.sin(y[0]))
        y = solve_ivp(f, (0, end), (start, spin), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        return L * np.sin(y[0])

    h = 1e-3
    by_g = (8 * (angle(g + h, spin) - angle(g - h, spin)) - (angle(g + 2 * h, spin) - angle(g - 2 * h, spin))) / 12 / h
    x = hn.gradient(model, hn.final(f"DX({disc.cm})"), ["GRAVITY(2)", "PART/2.MASS"], end=0.6)
    assert x.value == pytest.approx(angle(g, spin), rel=1e-8)
    assert x["GRAVITY(2)"] == pytest.approx(-by_g, rel=1e-7)
    assert x["PART/2.MASS"] == pytest.approx(0.0, abs=1e-9)


def test_points_of_a_curve_are_refused_as_numbers():
    model = hn.Model("bead")
    bead = model.point_mass("bead", 0.3, (0.5, 0, 0))
    x = np.linspace(-1.0, 1.0, 5)
    curve = model.curve(np.c_[x, 0 * x, 0 * x])
    model.point_on_curve(model.marker(bead), model.marker(model.ground), curve)
    matrix = model.find("CURVE", curve).matrix
    with pytest.raises(hn.ModelError, match="points of curves"):
        hn.gradient(model, hn.final(f"DX({bead.cm})"), f"MATRIX/{matrix}.VALUES(2)", end=0.1)

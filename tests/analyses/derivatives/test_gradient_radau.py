"""Gradients of runs with RADAU5 on stiff models: closed forms, variational equations, Taylor remainder, order."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_gradient import SIX

import holonom as hn


def slider(k, c, m):
    """A block on a guide with a spring and a damper, drawn 0.1 m from where the spring is free."""
    model = hn.Model("slider")
    model.gravity = (0, 0, 0)
    k, c, m = (model.parameter(n, v) for n, v in (("k", k), ("c", c), ("m", m)))
    block = model.part("block", m, (0.1,) * 3, position=(1, 0, 0), velocity=(0.5, 0, 0))
    model.translational(block, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(block.cm, model.marker(model.ground), k, c, length=0.9)
    return model, hn.final(f"DX({block.cm})")


def place(k, c, m, time):
    a, b = np.roots([m, c, k]).astype(complex)
    x = (0.5 - 0.1 * b) / (a - b)
    return (0.9 + x * np.exp(a * time) + (0.1 - x) * np.exp(b * time)).real


def shares(values, time):
    """k dx/dk, c dx/dc, m dx/dm of the closed form."""
    h = 1e-3
    moved = lambda n, k: place(*(v * (1 + h * k * (n == j)) for j, v in enumerate(values)), time)
    return np.array([sum(w * moved(n, k) for k, w in SIX.items()) / h for n in range(3)])


def ours(values, time, **options):
    model, functional = slider(*values)
    g = hn.gradient(model, functional, ["k", "c", "m"], end=time, integrator="RADAU5", **options)
    return g.vector * values


def test_a_stiff_slider():
    """Rates of 217 and 2,283 /s over 3 ms."""
    values, time = (1e6, 5e3, 2.0), 0.003
    exact = shares(values, time)
    np.testing.assert_allclose(ours(values, time), exact, rtol=0, atol=1e-9 * np.abs(exact).max())


def test_the_error_of_fixed_steps_falls_with_the_order_of_the_method():
    values, time = (400.0, 8.0, 2.0), 0.6
    exact = shares(values, time)
    errors = [np.abs(ours(values, time, hmin=h, hmax=h, newton=1e-13) - exact).max() for h in (0.03, 0.015)]
    assert 25.0 < errors[0] / errors[1] < 40.0, errors


def van_der_pol(mu):
    model = hn.Model("van der Pol")
    model.gravity = (0, 0, 0)
    p = model.parameter("mu", mu)
    block = model.part("block", 1.0, (0.1,) * 3, position=(2, 0, 0))
    model.translational(block, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    x, v = f"DX({block.cm})", f"VX({block.cm})"
    model.vforce(block.cm, model.ground, fx=f"{p}*(1-{x}**2)*{v}-{x}", rm=model.marker(model.ground))
    return model, hn.final(x)


def test_van_der_pol_over_a_jump_against_variational_equations():
    mu, time = 20.0, 18.0

    def rates(t, y):
        x, v, a, b, e, f = y
        along = lambda a, b: -2 * mu * x * v * a + mu * (1 - x * x) * b - a
        return [v, mu * (1 - x * x) * v - x, b, along(a, b) + (1 - x * x) * v, f, along(e, f)]

    exact = solve_ivp(rates, (0, time), [2.0, 0, 0, 0, 1.0, 0], method="Radau", rtol=1e-11, atol=1e-12).y[:, -1]
    model, functional = van_der_pol(mu)
    g = hn.gradient(model, functional, ["mu", "PART/2.QG(1)"], end=time, integrator="RADAU5")
    assert g.value == pytest.approx(exact[0], rel=1e-9)
    np.testing.assert_allclose(g.vector, exact[[2, 4]], rtol=1e-8)


def test_the_remainder_of_a_taylor_series_falls_as_the_square():
    steps = {"end": 2.0, "integrator": "RADAU5", "hmin": 0.05, "hmax": 0.05, "newton": 1e-13}
    model, functional = van_der_pol(5.0)
    g = hn.gradient(model, functional, "mu", **steps)
    rest = []
    for h in (0.3, 0.03, 0.003):
        rest.append(hn.gradient(van_der_pol(5.0 + h)[0], functional, [], **steps).value - g.value - h * g["mu"])
    assert rest[0] / rest[1] == pytest.approx(100.0, rel=0.2) and rest[1] / rest[2] == pytest.approx(100.0, rel=0.03)


@pytest.mark.filterwarnings("ignore:.*have no influence")
def test_friction_of_two_pins_that_feels_reactions():
    """Against DOP853, whose transposed equations hold the loads that feel reactions."""
    m = hn.Model("pins")
    m.gravity = (0, 0, -9.81)
    a = m.part("a", mass=3.0, inertia=(0.12, 0.13, 0.14), position=(0.3, 0.1, 0.2))
    b = m.part("b", mass=0.5, inertia=(0.02, 0.03, 0.01), position=(0.6, 0.2, 0.2))
    a.wy, b.wy = -5.0, 3.0
    first = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    second = m.revolute(b, a, at=(0.4, 0.2, 0.2), axis=(0.2, 1, 0))
    words = dict(mu_static=0.3, mu_dynamic=0.2, stiction_transition_velocity=0.05, max_stiction_deformation=0.002)
    more = dict(friction_arm=0.02, bending_reaction_arm=5.0, torque_preload=0.1, effect="SLIDING")
    laws = [m.friction(j, **words, pin_radius=r, **more) for j, r in ((first, 0.03), (second, 0.02))]
    fields = ("mu_dynamic", "pin_radius", "torque_preload")
    names = [law.number(f).name for law in laws for f in fields] + ["PART/2.MASS"]
    J = hn.final(f"WY({a.cm})+0.2*DX({b.cm})")
    exact = hn.gradient(m, J, names, end=0.05, error=1e-11).vector
    g = hn.gradient(m, J, names, end=0.05, integrator="RADAU5", error=1e-10)
    np.testing.assert_allclose(g.vector, exact, rtol=0, atol=1e-7 * np.abs(exact).max())

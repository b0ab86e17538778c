"""A cart with a pole: the equations of Gymnasium's CartPole, a linear-quadratic regulator from the linearised machine,
and a swing-up built of blocks."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

import holonom as hn

CART, POLE, HALF, G = 1.0, 0.1, 0.5, 9.8
INERTIA = POLE * HALF**2 / 3  # of a thin rod about its centre


def cart_pole(upright=True):
    """Cart on a rail along x, with a pole that stands or hangs; angle of the joint, positive towards +x where it
    stands."""
    model = hn.Model("cart-pole", units="SI")
    model.gravity = (0, 0, -G)
    cart = model.part("cart", mass=CART, inertia=(1, 1, 1), position=(0, 0, 0))
    model.translational(cart, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    pole = model.part("pole", mass=POLE, inertia=(INERTIA, INERTIA, 1e-6), position=(0, 0, HALF if upright else -HALF))
    pin = model.revolute(pole, cart, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    for name, text in (
        ("x", f"DX({cart.cm})"),
        ("v", f"VX({cart.cm})"),
        ("angle", f"AZ({pin.i},{pin.j})"),
        ("rate", f"WZ({pin.i},{pin.j},{pin.j})"),
    ):
        model.variable(text, name)
    return model, cart


def accelerations(state, force):
    """Those of x and theta as Gymnasium's CartPole has them (Barto, Sutton, Anderson, 1983, without friction)."""
    _, _, theta, rate = state
    total = CART + POLE
    temp = (force + POLE * HALF * rate**2 * np.sin(theta)) / total
    turning = (G * np.sin(theta) - np.cos(theta) * temp) / (HALF * (4 / 3 - POLE * np.cos(theta) ** 2 / total))
    return temp - POLE * HALF * turning * np.cos(theta) / total, turning


def test_equations_of_gymnasium():
    """Forces that are held for 0.02 s, from the upright position until the pole has fallen."""
    model, cart = cart_pole()
    force = model.input("force")
    model.vforce(cart.cm, None, fx=f"VARVAL({force.id})")
    sim = hn.Simulation(model)
    sim.open(record="none", integrator="DOP853", error=1e-11)
    draw, state, largest = np.random.default_rng(4), np.zeros(4), 0.0
    for k in range(50):
        push = draw.choice([-10.0, 10.0])
        sim.set_input("force", push)
        sim.advance(0.02 * (k + 1))

        def rates(t, s, push=push):
            x, turning = accelerations(s, push)
            return [s[1], x, s[3], turning]

        state = solve_ivp(rates, (0, 0.02), state, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        got = [sim.output(name) for name in ("x", "v", "angle", "rate")]
        assert np.abs(got - state).max() < 1e-8
        largest = max(largest, abs(state[2]))
    assert largest > 1.0


def gains():
    """Feedback of x, v, angle and rate of a linear-quadratic regulator, from the linear equations in closed form."""
    total, length = CART + POLE, HALF * (4 / 3 - POLE / (CART + POLE))
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[0, 1] = A[2, 3] = 1.0
    A[3, 2], B[3, 0] = G / length, -1 / (total * length)
    A[1, 2], B[1, 0] = -POLE * HALF / total * A[3, 2], 1 / total - POLE * HALF / total * B[3, 0]
    S = solve_continuous_are(A, B, np.diag([1.0, 1.0, 10.0, 1.0]), [[0.1]])
    return A, B, (10.0 * B.T @ S)[0]


def test_regulator_from_the_linearised_machine():
    """Poles of the closed loop of blocks are those of the closed form."""
    A, B, K = gains()
    model, cart = cart_pole()
    model.control.sum("push", "x", "v", "angle", "rate", weights=list(-K))
    model.vforce(cart.cm, None, fx="VARVAL(push)")
    poles = np.sort_complex(hn.linearize(model).eigenvalues)
    assert np.abs(poles - np.sort_complex(np.linalg.eigvals(A - B @ [K]))).max() < 1e-6
    assert poles.real.max() < -0.3


@pytest.mark.slow
def test_swing_up_of_blocks():
    """From rest below: the cart feeds energy to the pole (Astrom and Furuta, 2000), and near the top a regulator
    catches it."""
    _, _, K = gains()
    model, cart = cart_pole(upright=False)
    block = model.control
    up, across = "-COS(angle)", "-SIN(angle)"  # of the angle from the upright position
    J = INERTIA + POLE * HALF**2
    block.function("energy", f"0.5*{J!r}*rate**2 + {POLE * G * HALF!r}*({up} - 1)")
    block.saturation("wanted", f"60*energy*rate*({up}) - 0.5*x - v + 2*(1 - STEP(TIME,0.1,0,0.2,1))", lower=-8, upper=8)
    turning = f"({POLE * HALF!r}*({G!r}*({across}) - wanted*({up}))/{J!r})"
    block.function("swing", f"{CART + POLE!r}*wanted + {POLE * HALF!r}*({turning}*({up}) - rate**2*({across}))")
    block.sum("hold", "x", "v", across, "rate", weights=list(-K))
    block.compare("near", f"{up} - 0.1*ABS(rate)", ">", 0.9, sample_time=0.01)
    block.select("push", "near", "hold", "swing")
    model.vforce(cart.cm, None, fx="VARVAL(push)")
    run = hn.simulate(model, end=15.0, steps=150, integrator="DOP853", error=1e-8)
    value = lambda name: np.asarray(run.variable(name).values)
    height = -np.cos(value("angle"))
    assert height[0] == pytest.approx(-1.0) and height[100:].min() > 0.999
    assert abs(value("x")[-1]) < 0.05 and abs(value("v")[-1]) < 0.05 and np.abs(value("x")).max() < 6.0

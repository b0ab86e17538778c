"""The machines of `tests/reference`, a four-bar with links of any length, and answers by independent equations."""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
import machines  # noqa: E402

from holonom.analyses.assemble import assemble  # noqa: E402
from holonom.elements.bodies.rigid import gravity_energy, kinetic_energy  # noqa: E402
from holonom.integrators import Options, make_integrator  # noqa: E402
from holonom.model import Model  # noqa: E402
from holonom.system.build import System  # noqa: E402

__all__ = ["machines"]


def begin(model, name: str, end: float, **options):
    """Stepper of a model at its assembled start."""
    system = System(model)
    y = assemble(system).y
    stepper = make_integrator(name, system, Options(**options))
    stepper.start(0.0, y.copy(), end)
    return stepper


def integrate(model, name: str, end: float, watch=None, **options):
    stepper = begin(model, name, end, **options)
    while stepper.t < end:
        stepper.step(end)
        if watch:
            watch(stepper)
    return stepper


def energy(stepper) -> float:
    bodies = stepper.system.bodies
    return kinetic_energy(bodies, stepper.y) + gravity_energy(bodies, stepper.y)


def spread(model, name: str, end: float, **options):
    """Stepper at the end, and the largest change of energy on the way."""
    seen = []
    first = energy(begin(model, name, end, **options))
    stepper = integrate(model, name, end, lambda s: seen.append(abs(energy(s) - first)), **options)
    return stepper, max(seen)


def violation(stepper) -> float:
    """Largest open constraint at the present state."""
    from holonom.integrators.entry import CONSTRAINTS, enter, explicit_handle

    system = stepper.system
    y = stepper.y.copy()
    enter(explicit_handle(system), CONSTRAINTS, y, stepper.t, 0.0, 1e-8, 0, system.workspace.stages.d)
    return float(np.abs(system.W.rw.phi).max())


# ---- double pendulum -------------------------------------------------------------------------------------------------
def double_pendulum_exact(times) -> np.ndarray:
    """Absolute angles and their rates (4, nt) of `machines.double_pendulum` by its Lagrange equations in the two
    angles."""

    def rate(t, s):
        a, b, u, v = s
        c, k = np.cos(a - b), np.sin(a - b)
        mass = np.array([[2.25, 0.5 * c], [0.5 * c, 1.25]])
        force = np.array([-0.5 * k * v * v - 15.0 * np.cos(a), 0.5 * k * u * u - 5.0 * np.cos(b)])
        return np.concatenate([[u, v], np.linalg.solve(mass, force)])

    return solve_ivp(rate, (0.0, max(times)), np.zeros(4), method="DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def double_pendulum_state(y) -> np.ndarray:
    a = [2 * np.arctan2(y[13 * k + 6], y[13 * k + 3]) for k in range(2)]
    return np.array([*a, y[12], y[25]])


# ---- heavy top -------------------------------------------------------------------------------------------------------
def heavy_top_exact(t: float) -> np.ndarray:
    """Centre of mass and angular velocity in body axes (6) of `machines.heavy_top` by Euler's equations about its
    tip."""
    mass, c = 15.0, np.array([0.0, 1.0, 0.0])
    J = np.diag([0.234375, 0.46875, 0.234375]) + mass * (np.eye(3) - np.outer(c, c))

    def rate(t, s):
        R, w = s[:9].reshape(3, 3), s[9:]
        torque = np.cross(c, R.T @ np.array([0.0, 0.0, -9.81 * mass]))
        W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(R @ W).ravel(), np.linalg.solve(J, torque - np.cross(w, J @ w))])

    start = np.concatenate([np.eye(3).ravel(), [0.0, 150.0, -4.61538]])
    s = solve_ivp(rate, (0.0, t), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return np.concatenate([s[:9].reshape(3, 3) @ c, s[9:]])


def heavy_top_state(y) -> np.ndarray:
    return np.concatenate([y[:3], y[10:13]])


# ---- mass on a spring ------------------------------------------------------------------------------------------------
def oscillator(k: float = 1e4, c: float = 20.0) -> Model:
    """1 kg on a spring and damper along x, stretched by 0.1 m."""
    m = Model("oscillator")
    m.gravity = (0.0, 0.0, 0.0)
    bob = m.point_mass("bob", 1.0, (1.1, 0.0, 0.0))
    m.spring_damper(m.marker(bob), m.marker(m.ground), stiffness=k, damping=c, length=1.0)
    return m


def oscillator_exact(t: float, k: float = 1e4, c: float = 20.0) -> np.ndarray:
    """Position and velocity along x."""
    d, w = 0.5 * c, np.sqrt(k - 0.25 * c * c)
    a, b = 0.1, 0.1 * d / w
    e = np.exp(-d * t)
    x = e * (a * np.cos(w * t) + b * np.sin(w * t))
    return np.array([1.0 + x, -d * x + e * w * (b * np.cos(w * t) - a * np.sin(w * t))])


def oscillator_state(y) -> np.ndarray:
    return np.array([y[0], y[7]])


# ---- four-bar --------------------------------------------------------------------------------------------------------
def four_bar(links, angle: float, rate: float) -> Model:
    """Crank, coupler, rocker and base of the given lengths, uniform rods of 1 kg; the crank at ``angle`` turns at
    ``rate``."""
    a, b, c, d = links
    D = np.array([d, 0.0])
    B = a * np.array([np.cos(angle), np.sin(angle)])
    r = D - B
    far = np.hypot(*r)
    turn = np.arctan2(r[1], r[0]) + np.arccos((b * b + far * far - c * c) / (2 * b * far))
    C = B + b * np.array([np.cos(turn), np.sin(turn)])
    across = lambda v: np.array([-v[1], v[0]])
    p, q, speed = across(C - B), across(C - D), rate * across(B)
    w2, w3 = np.linalg.solve(np.column_stack([p, -q]), -speed)
    model = machines._model("four_bar", (0.0, -9.81, 0.0))
    crank = machines.rod(model, "crank", (0.0, 0.0), B, velocity=0.5 * speed, rate=rate)
    coupler = machines.rod(model, "coupler", B, C, velocity=speed + 0.5 * w2 * p, rate=w2)
    rocker = machines.rod(model, "rocker", D, C, velocity=0.5 * w3 * q, rate=w3)
    for name, i, j, at in (
        ("A", crank, model.ground, (0.0, 0.0)),
        ("B", coupler, crank, B),
        ("C", rocker, coupler, C),
        ("D", rocker, model.ground, D),
    ):
        model.revolute(i, j, name, at=(*map(float, at), 0.0), axis=(0.0, 0.0, 1.0))
    return model


# ---- Andrews ---------------------------------------------------------------------------------------------------------
def andrews_error(y) -> float:
    """Largest relative error of the angles at 0.03 s, whole turns aside."""
    a = np.array([2 * np.arctan2(y[13 * k + 6], y[13 * k + 3]) for k in range(7)])
    q = np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])
    d = (q - machines.ANDREWS_END + np.pi) % (2 * np.pi) - np.pi
    return float(np.abs(d / machines.ANDREWS_END).max())

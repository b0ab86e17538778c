"""Small machines for the tests of integrators, and a reference that shares nothing with them but the model."""

import numpy as np

from holonom.elements.bodies import layout
from holonom.elements.bodies.rigid import Bodies, gravity_energy, kinetic_energy
from holonom.elements.bodies.tables import body_tables
from holonom.integrators import make_integrator
from holonom.integrators.entry import project_state
from holonom.integrators.stepper import Options
from holonom.model import Model
from holonom.system.build import System


def double_pendulum():  # BENCHMARKS.md, case 7
    m = Model()
    m.gravity = (0, -10, 0)
    a, b = m.part("a", 1.0, (1, 1, 1), position=(0.5, 0, 0)), m.part("b", 1.0, (1, 1, 1), position=(1.5, 0, 0))
    m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, a, at=(1, 0, 0), axis=(0, 0, 1))
    return m


def heavy_top(spin=150.0):  # BENCHMARKS.md, case 6
    m = Model()
    m.gravity = (0, 0, -9.81)
    W = (0, spin, -4.61538)
    p = m.part(
        "top", 15.0, (0.234375, 0.46875, 0.234375), position=(0, 1, 0), velocity=(4.61538, 0, 0), angular_velocity=W
    )
    m.spherical(p, m.ground, at=(0, 0, 0))
    return m


def oscillator(k, c=0.0, stretch=0.0):
    """1 kg on a spring of 1 m along x, stretched; nothing else acts."""
    m = Model()
    m.gravity = (0, 0, 0)
    p = m.part("mass", 1.0, (1, 1, 1), position=(1.0 + stretch, 0, 0))
    m.spring_damper(m.marker(p), m.marker(m.ground), stiffness=k, damping=c, length=1.0)
    return m


def spring_pendulum(k, c):
    """1 kg on a stiff, damped spring of 1 m, let go horizontally."""
    m = oscillator(k, c)
    m.gravity = (0, -9.81, 0)
    return m


def integrate(model, kind, end, watch=None, h=None, **options):
    """Run the integrator named ``kind`` to ``end``; ``h``: fixed step, corrector to roundoff."""
    system = System(model)
    if h:
        options = {"hmin": h, "hmax": h, "newton": 1e-12, "maxit": 30, **options}
    stepper = make_integrator(kind, system, Options(**options))
    stepper.start(0.0, system.y0.copy(), end)
    while stepper.t < end * (1 - 1e-12):
        stepper.step(end)
        if watch:
            watch(stepper)
    return stepper


def reference(model, end):
    """State and multipliers at ``end`` by DOP853, whose steps, matrices and projections are its own."""
    stepper = integrate(model, "DOP853", end, error=1e-13)
    project_state(stepper.system, stepper.y, end, 1)
    return stepper.y.copy(), stepper.system.W.lam.copy()


def differences(stepper, exact):
    """Largest errors of positions and attitudes, of velocities, and relative ones of multipliers."""
    y, lam = exact
    n = 13 * stepper.system.nb
    a, b = stepper.y[:n].reshape(-1, 13), y[:n].reshape(-1, 13)
    out = [np.abs(a[:, :7] - b[:, :7]).max(), np.abs(a[:, 7:] - b[:, 7:]).max()]
    return [*out, np.abs(stepper.lam - lam).max() / np.abs(lam).max()] if len(lam) else out


def rates(errors, ratio=2.0):
    """Orders seen between successive rows."""
    e = np.array(errors)
    return np.log(e[:-1] / e[1:]) / np.log(ratio)


def energy(stepper):
    return kinetic_energy(stepper.S.bodies, stepper.y) + gravity_energy(stepper.S.bodies, stepper.y)


def bricard():
    """IFToMM A04: five rods on a cube's edges, six revolutes, one freedom and always one redundant row, not always the
    same."""
    m = Model()
    m.gravity = (0, -9.81, 0)
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    before = m.ground
    for k in range(5):
        x = P[k + 1] - P[k]
        y = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.5 else np.array([1.0, 0.0, 0.0])
        turn = np.column_stack([x, y, np.cross(x, y)])
        rod = m.part(f"rod{k}", 1.0, (0.02 / 12, 1.01 / 12, 1.01 / 12), 0.5 * (P[k] + P[k + 1]), axes=turn)
        m.revolute(rod, before, at=P[k], axis=axes[k])
        before = rod
    m.revolute(before, m.ground, at=P[5], axis=axes[5])
    return m


def unit_bodies(n: int) -> Bodies:
    """Tables of n rigid bodies of mass and moments of inertia one, g along -z."""
    inverse = np.ones((n + 1, layout.MOVES))
    inverse[n] = 0.0
    bodies = body_tables(
        np.ones(n), np.ones((n, 3)), inverse, np.array([0, 0, -9.81]), (np.arange(n + 1) < n).astype(np.uint8)
    )
    return bodies._replace(metric=inverse.copy())

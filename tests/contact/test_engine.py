"""The engine: exact derivatives, action and reaction, energy of a bouncing ball against the closed form, and the search
for near pairs."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse import csc_matrix

import holonom as hn
from _matrix_kernels import residual, stiffness
from holonom.contact.call import FORCES, SUMS
from holonom.elements.bodies.rigid import move
from holonom.system.build import System
from holonom.system.implicit import Implicit


def heap(**parameters):
    """Three balls that press on each other, on a plane and inside a hollow, with rolling and spinning resistance."""
    rng = np.random.default_rng(0)
    m = hn.Model("heap")
    m.gravity = (0, 0, 0)
    balls = []
    for k, (place, radius) in enumerate((((0, 0, 0.098), 0.1), ((0.15, 0.02, 0.16), 0.09), ((0.05, 0.1, 0.22), 0.08))):
        body = m.part(f"b{k}", 1.0, (0.01, 0.02, 0.03), place)
        balls.append(m.sphere(body, np.array(place) + 0.005 * rng.normal(size=3), radius))
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    bowl = m.sphere(m.ground, (0.1, 0, 0.1), 0.3, inside=True)
    common = dict(
        stiffness=1e5,
        exponent=1.5,
        damping=10.0,
        dmax=1e-2,
        rolling_resistance=0.01,
        spinning_resistance=0.005,
        resistance_transition=0.5,
        **parameters,
    )
    m.contact(balls, balls, **common)
    m.contact(balls, [floor, bowl], **common)
    return m


@pytest.fixture(scope="module", params=["smooth", "COULOMB", "BRISTLE"])
def pressed(request):
    rubs = {
        "smooth": {},
        "COULOMB": dict(mu=(0.4, 0.3), stiction_transition_velocity=0.05, friction_transition_velocity=0.5),
        "BRISTLE": dict(
            mu=(0.4, 0.3),
            friction="BRISTLE",
            stiction_transition_velocity=0.05,
            friction_transition_velocity=0.5,
            friction_parameters={"tangential_stiffness": 1e4},
        ),
    }
    system = System(heap(**rubs[request.param]))
    implicit = Implicit(system)
    rng = np.random.default_rng(1)
    y = system.y0.copy()
    for b in range(system.nb):
        y[13 * b + 7 : 13 * b + 13] = 0.3 * rng.normal(size=6)
    system.contacts.search(0.0, y)
    implicit.follow()
    return system, implicit, y


def forces(implicit, y):
    S, W, I = implicit.S, implicit.W, implicit.I
    I.acc[:] = 0.0
    I.bias[:] = 0.0
    residual(S, W, I, 0.0, y, 1.0, 1.0, 1.0, 1.0)
    return -I.res.copy()


@pytest.mark.parametrize("what", ["positions", "velocities"])
def test_taylor(pressed, what):
    """d(force) = K dq + C du: the remainder falls with the cube of the step."""
    system, implicit, y = pressed
    n = system.nb
    forces(implicit, y)
    assert system.contacts.W.count[1] >= 3
    stiffness(implicit.S, implicit.W, implicit.I, 0.0, y)
    lu = implicit.lu
    data = implicit.I.K if what == "positions" else implicit.I.C
    D = csc_matrix((data[lu.source], lu.indices, lu.indptr), shape=(lu.n, lu.n))
    rng = np.random.default_rng(2)
    for _ in range(3):
        d = np.zeros(6 * n + 6)
        d[: 6 * n] = 0.1 * rng.normal(size=6 * n)
        errors = []
        for h in (1e-2, 1e-3, 1e-4):
            ends = []
            for s in (h, -h):
                z = y.copy()
                if what == "positions":
                    move(n, z, s * d)
                else:
                    z.reshape(-1, 13)[:, 7:] += s * d.reshape(-1, 6)
                ends.append(forces(implicit, z))
            slope = D @ d[: 6 * n]
            errors.append(np.abs((ends[0] - ends[1]) / (2 * h) - slope).max() / np.abs(slope).max())
        assert errors[2] < 2e-7
        assert errors[1] < 0.02 * errors[0] + 1e-8


def test_action_and_reaction(pressed):
    """Contacts among the balls leave momentum and moment of momentum alone."""
    system, _, y = pressed
    c = system.contacts
    c.sum(0.0, y)
    n = system.nb
    c.ask(FORCES, 0.0, y)
    F, R = c._none[: 6 * n].reshape(n, 6).copy(), c._R
    force = F[:, :3].sum(axis=0)
    torque = sum(np.cross(y[13 * b : 13 * b + 3], F[b, :3]) + R[b].reshape(3, 3) @ F[b, 3:] for b in range(n))
    c.ask(SUMS, 0.0, y)
    outside = c.sums[1]  # the contact with the ground
    assert np.abs(force - outside[:3]).max() < 1e-9 * np.abs(F).max()
    about = np.cross(outside[6:9], outside[:3]) + outside[3:6]
    assert np.abs(torque - about).max() < 1e-9 * np.abs(F).max()


def ball(**parameters):
    m = hn.Model("ball")
    m.gravity = (0, 0, -9.81)
    body = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, 0.06))
    m.contact(m.sphere(body, (0, 0, 0.06), 0.01), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **parameters)
    return m


def test_ball_bounces_as_its_closed_form_says():
    """Flight sqrt(8 h / g) and contact time by quadrature of 1/2 m v^2 = 1/2 m v0^2 + m g d - k d^2.5 / 2.5."""
    k, m, g, h = 2.89e5 * 1e3**1.5, 0.5, 9.81, 0.05
    run = hn.simulate(
        ball(stiffness=k, exponent=1.5, dmax=1e-4), end=1.0, steps=400, integrator="DOP853", error=1e-11, progress=False
    )
    total = run.energy["total"].values
    assert np.abs(total - total[0]).max() < 1e-6 * m * g * h  # in ten bounces
    v0 = np.sqrt(2 * g * h)
    deepest = (1.25 * m * v0**2 / k) ** 0.4
    for _ in range(50):
        deepest = (2.5 * (0.5 * m * v0**2 + m * g * deepest) / k) ** 0.4
    # d = deepest (1 - u^2) takes the root out of the integrand
    speed = lambda d: np.sqrt(max(v0**2 + 2 * g * d - 0.8 * k / m * d**2.5, 1e-300))
    time = 2 * quad(lambda u: 2 * deepest * u / speed(deepest * (1 - u * u)), 0, 1)[0]
    period = 2 * v0 / g + time
    bounces = np.floor((run.time - v0 / g) / period)
    phase = run.time - v0 / g - bounces * period - time  # since the end of the contact
    free = phase > 0
    z = v0 * phase - 0.5 * g * phase**2 + 0.01
    assert free.sum() > 300
    assert np.abs(run.part("ball").position.values[free, 2] - z[free]).max() < 2e-6


def test_far_pairs_are_not_near():
    m = hn.Model("row")
    balls = [m.sphere(m.part(f"b{k}", 1.0, (1, 1, 1), (3.0 * k, 0, 0)), (3.0 * k, 0, 0), 1.0) for k in range(30)]
    m.contact(balls, balls, stiffness=1e3, exponent=1.5, dmax=0.1)
    system = System(m)
    c = system.contacts
    assert c.defined == 435
    c.search(0.0, system.y0)
    assert len(c.near) == 0
    y = system.y0.copy()
    y[13 * 4] += 1.05  # the fifth ball against the sixth
    c.sum(0.0, y)
    assert [tuple(x[1:3]) for x in c.near] == [(4, 5)]
    assert c.sums[0, 13] == 1.0

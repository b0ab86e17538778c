"""Prisms that are not convex fall, tilted, on the end of a prism of the same profile (event-driven): their ends are
flat, with corners and edges that cross, and most of the points that touch are more than the support needs."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

W, SIZE, G, MASS = 0.3, 0.05, 9.81, 0.25
HALF = 0.5 * W
PROFILES = {
    "T": [(-0.5, -0.45), (0.5, -0.45), (0.5, W - 0.45), (HALF, W - 0.45), (HALF, 0.55), (-HALF, 0.55)]
    + [(-HALF, W - 0.45), (-0.5, W - 0.45)],
    "L": [(-0.35, -0.35), (0.65, -0.35), (0.65, W - 0.35), (W - 0.35, W - 0.35), (W - 0.35, 0.65), (-0.35, 0.65)],
    "U": [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (0.5 - W, 0.5), (0.5 - W, W - 0.5), (W - 0.5, W - 0.5)]
    + [(W - 0.5, 0.5), (-0.5, 0.5)],
    "cross": [(-HALF, -0.5), (HALF, -0.5), (HALF, -HALF), (0.5, -HALF), (0.5, HALF), (HALF, HALF), (HALF, 0.5)]
    + [(-HALF, 0.5), (-HALF, HALF), (-0.5, HALF), (-0.5, -HALF), (-HALF, -HALF)],
}


def falling(name, thick, turn, place, drop, mu, e):
    """A prism that is turned by ``turn``, its lowest point at the height ``drop`` over the end z = 0 of another one."""
    m = hn.Model("prisms")
    m.gravity = (0, 0, -G)
    profile = SIZE * np.array(PROFILES[name])
    fixed = m.extrusion(m.ground, profile, thick, at=(0, 0, -thick))
    A = turn.as_matrix()
    corners = np.vstack([np.column_stack([profile, np.full(len(profile), z)]) for z in (-0.5 * thick, 0.5 * thick)])
    at = np.array([*place, drop - float((corners @ A.T)[:, 2].min())])
    part = m.part("prism", MASS, (6e-5, 3e-5, 8e-5), at, axes=A)
    shape = m.extrusion(part, profile, thick, at=at - 0.5 * thick * A[:, 2], axis=A[:, 2], x=A[:, 0])
    m.contact(shape, fixed, mu=mu or None, restitution=e)
    return m


def fallen(model, end, error=1e-6):
    """The run, which must not gain energy."""
    run = hn.simulate(model, end, 10, contact="events", error=error, referee="strict")
    total = run.data.energy_kinetic + run.data.energy_gravity
    assert np.diff(total).max() < 1e-3 * np.ptp(total)
    return run


@pytest.mark.parametrize("name", ["T", "U"])
def test_a_tilted_prism_comes_to_rest_on_an_equal_one(name):
    """Flat on the other end: at half of its thickness, with few events."""
    turn = Rotation.from_rotvec((0.06, -0.03, 0.0))
    run = fallen(falling(name, 0.016, turn, (0.003, 0.003), 3e-3, 0.3, 0.2), 0.15)
    body = run.part("prism")
    assert body.position.values[-1, 2] == pytest.approx(0.008, abs=1e-9)
    assert np.abs(body.velocity.values[-1]).max() < 1e-9
    assert run.counters["impacts"] < 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_every_prism_that_falls_on_an_equal_one_goes_on(seed):
    """To the end, or to a state whose sliding friction has no solution (Painleve), which is reported."""
    random = np.random.default_rng([88, seed])
    name = list(PROFILES)[seed % 4]
    thick = float(random.choice([0.008, 0.016, 0.05, 0.1]))
    tilt, a = 10 ** random.uniform(-2.5, -0.3), random.uniform(0, 2 * np.pi)
    turn = Rotation.from_rotvec((tilt * np.cos(a), tilt * np.sin(a), 0.0))
    if seed // 4 % 2:
        turn = turn * Rotation.from_euler("z", random.uniform(0, 2 * np.pi))
    place, drop = 0.012 * random.normal(size=2), 10 ** random.uniform(-4, -2)
    mu, e = float(random.choice([0.0, 0.3, 0.8])), float(random.choice([0.0, 0.2, 0.6]))
    error = 10.0 ** -int(random.integers(5, 8))
    try:
        fallen(falling(name, thick, turn, place, drop, mu, e), 0.2, error)
    except IntegrationError as stop:
        assert "Painleve" in str(stop) and mu > 0.0

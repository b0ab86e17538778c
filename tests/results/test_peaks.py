"""Largest loads along the steps of the solver: the same whatever the number of output rows."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.results._data import PEAK_DTYPE
from holonom.results.files.store import load

MODELS = Path(hn.__file__).parent / "models"

K, R, RHO, G, FALL = 1e7, 0.02, 7850.0, 9.81, 0.1


def drop(**more):
    """An elastic ball that falls on a floor: a Hertz contact F = k d^1.5 without damping."""
    m = hn.Model("drop", "SI")
    m.gravity = (0, 0, -G)
    m.part("ball", shape=hn.shapes.sphere((0, 0, R + FALL), R), density=RHO)
    m.box(m.ground, at=(0, 0, -0.05), size=(1, 1, 0.1))
    m.contact(m.parts[2], m.ground, stiffness=K, exponent=1.5, damping=0.0, name="touch", **more)
    return m


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return [hn.simulate(drop(), end=0.2, steps=n, progress=False) for n in (7, 60)]


def test_the_peak_of_an_impact_does_not_depend_on_the_output_rows(runs):
    """Energy: m g (h + d) = 2/5 k d^2.5, F = k d^1.5."""
    m = RHO * 4 / 3 * np.pi * R**3
    d = 1e-4
    for _ in range(60):
        d = (2.5 * m * G * (FALL + d) / K) ** 0.4
    force, touch = K * d**1.5, np.sqrt(2 * FALL / G)  # the largest depth is 1.4716 d/v after the first touch
    for run in runs:
        row = run.reactions(contacts=True)["touch"]
        assert row["peak_force"] == pytest.approx(force, rel=0.01) and row["along"]
        assert row["force_time"] == pytest.approx(touch + 1.4716 * d / (G * touch), abs=2e-4)
        assert np.abs(row["point"][:2]).max() < 1e-9 and -1e-3 < row["point"][2] <= 1e-9
        assert row["force"][2] == pytest.approx(row["peak_force"], rel=1e-9)
        assert row["row_force"] < 0.5 * force  # what the rows have


def test_peaks_of_joints_and_motions_are_those_of_the_steps():
    """A pendulum from the horizontal: 3 m g in its pin at the lowest point, between two rows."""
    m = hn.Model("pendulum", "SI")
    m.gravity = (0, 0, -G)
    bob = m.part("bob", mass=2.0, inertia=(1e-9, 1e-9, 1e-9), position=(1.0, 0, 0))
    m.revolute(bob, m.ground, at=(0, 0, 0), axis=(0, 1, 0), name="pin")
    run = hn.simulate(m, end=1.0, steps=3, progress=False)
    row = run.reactions()["pin"]
    assert row["peak_force"] == pytest.approx(3 * 2.0 * G, rel=0.01)  # five points a step
    assert row["row_force"] < 0.96 * 3 * 2.0 * G
    fine = hn.simulate(m, end=1.0, steps=2000, progress=False)
    assert row["force_time"] == pytest.approx(float(fine.reactions()["pin"]["force_time"]), abs=0.05)


def test_peaks_are_stored_and_belong_to_the_whole_run(runs, tmp_path):
    run = runs[0]
    run.save(tmp_path / "a.h5")
    again = load(tmp_path / "a.h5")
    assert again.data.peaks.dtype == PEAK_DTYPE
    for name in PEAK_DTYPE.names:
        np.testing.assert_array_equal(again.data.peaks[name], run.data.peaks[name])
    part = run.between(0.0, 0.1)
    assert not len(part.data.peaks) and not part.reactions(contacts=True)["touch"]["along"]


def test_rows_alone_where_steps_are_not_followed():
    sim = hn.Simulation(drop(), progress=False)
    sim.work = False
    sim.dynamics(end=0.2, steps=7)
    run = sim.run()
    row = run.reactions(contacts=True)["touch"]
    assert not len(run.data.peaks) and not row["along"] and row["peak_force"] == row["row_force"]


def turned(n, angle):
    """Rodrigues' rotation about a unit vector."""
    K = np.cross(np.eye(3), n)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (1, 1, 0)])
def test_euler_angles_of_requests_alternate_at_their_singularity(axis):
    """A part turns about an axis across z, so that THETA passes 0 and 180 degrees: PSI and PHI change by 180 degrees
    and return.  The angles are those of the rotation."""
    m = hn.Model("m", "SI")
    a = m.part("a", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    i, j = m.marker(a), m.marker(m.ground)
    m.motion(m.revolute(a, m.ground, at=(0, 0, 0), axis=axis), "7*TIME")
    m.element("REQUEST", "q", kind="DISPLACEMENT", i=i.id, j=j.id)
    run = hn.simulate(m, end=4.0, steps=40, progress=False)
    psi, theta, phi = run.data.request_values[:, 0, 5:8].T
    assert max(np.abs(psi).max(), np.abs(phi).max()) < 1.5 * np.pi + 1e-6
    z, x = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    for t, p, q, r in zip(run.time, psi, theta, phi):
        true = turned(np.array(axis) / np.linalg.norm(axis), 7 * t)
        assert np.allclose(turned(z, p) @ turned(x, q) @ turned(z, r), true, atol=1e-6)


def test_euler_angles_at_the_pole_do_not_follow_rounding():
    """The crate of the crane hangs upright at first: THETA is rounding, and PSI and PHI were random and climbed to 800
    degrees.  They leave the pole by less than half a turn, and change by half a turn where the crate swings back."""
    run = hn.simulate(hn.read_adams(MODELS / "crane.adm"), end=0.6, steps=40, progress=False)
    psi, theta, phi = run.data.request_values[:, 2, 5:8].T
    at_pole = theta < 1e-9
    assert at_pole.sum() > 20 and not at_pole[-1]
    assert np.ptp(psi[at_pole]) < 1e-6 and np.ptp(phi[at_pole]) < 1e-6
    assert max(np.abs(psi).max(), np.abs(phi).max()) < 1.5 * np.pi + 1e-6
    assert np.cos(psi + phi) == pytest.approx(np.full(len(psi), np.cos(psi[0] + phi[0])), abs=1e-3)


def test_angles_of_hinges_still_count_their_turns():
    m = hn.Model("m", "SI")
    a = m.part("a", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    i, j = m.marker(a), m.marker(m.ground)
    m.motion(m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), "7*TIME")
    m.element("REQUEST", "q", kind="DISPLACEMENT", i=i.id, j=j.id)
    run = hn.simulate(m, end=4.0, steps=40, progress=False)
    assert run.data.request_values[-1, 0, 5] == pytest.approx(28.0)

"""Stored runs of Siconos (``shared/data/benchmarks/siconos_ref``) and the numbers of BENCHMARKS 19 to 21 against
ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS

G, E = 9.81, 0.9
ZENO = 8.578949178729


@pytest.fixture(scope="module")
def stored():
    folder = Path(__file__).resolve().parents[3] / "shared" / "data" / "benchmarks" / "siconos_ref"
    if not folder.is_dir():
        pytest.skip(f"{NEEDS}: no stored runs of Siconos here")
    return lambda name: np.loadtxt(folder / name, skiprows=1)


def ball(e: float = E) -> hn.Model:
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    b = m.part("ball", 1.0, (0.004, 0.004, 0.004), (0, 0, 1.1))
    m.contact(m.sphere(b, (0, 0, 1.1), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e)
    return m


def test_time_stepping_repeats_a_stored_run(stored):
    """The same scheme, step and theta give the same impacts in the same steps, overlaps left where they are."""
    ref = stored("BouncingBall__BouncingBallTS.ref")
    m = ball()
    m.rigid.stabilisation = "none"
    run = hn.simulate(m, 10.0, 2000, contact="time-stepping", step=0.005)
    z, v = run.part("ball").position.values[:, 2] - 0.1, run.part("ball").velocity.values[:, 2]
    first = ref[:, 0] < 2.5
    assert np.abs(z - ref[:, 1])[first].max() < 1e-11
    assert np.abs(v - ref[:, 2])[ref[:, 0] < 5.0].max() < 1e-8
    assert np.abs(v - ref[:, 2])[ref[:, 0] > 9.0].max() < 1e-8  # past the accumulation


def test_events_follow_a_stored_run(stored):
    ref = stored("BouncingBallEventDriven__BouncingBallED.ref")
    ref = ref[np.abs(ref[:, 0] / 0.005 - np.round(ref[:, 0] / 0.005)) < 1e-9]
    run = hn.simulate(ball(), 8.5, 1700, contact="events")
    rows = np.round(ref[:, 0] / 0.005).astype(int)
    z, v = run.part("ball").position.values[rows, 2] - 0.1, run.part("ball").velocity.values[rows, 2]
    assert np.abs(z - ref[:, 1]).max() < 1e-9
    assert np.abs(v - ref[:, 2])[ref[:, 0] < 8.4].max() < 1e-9
    assert len(run.impacts) > 40


def test_past_the_accumulation_by_time_stepping():
    """Restitution 0.9: bounces end at 8.5789 s; by steps of 1 ms in proportion to the step, with all energy gone and
    the weight carried."""
    ends, off = [], []
    for step in (2e-3, 1e-3):
        run = hn.simulate(ball(), 9.5, 950, contact="time-stepping", step=step)
        speed = np.abs(run.part("ball").velocity.values[:, 2])
        ends.append(run.time[np.flatnonzero(speed > 0.02)[-1]])  # the last bounces are those of single steps
        assert abs(run.part("ball").position.values[-1, 2] - 0.1) < 1e-6 and speed[-1] < 1e-9
        assert run.contact(1).normal.values[-1] == pytest.approx(G, rel=1e-9)
        off.append(abs(run.energy.dissipated.values[-1] / G - 1))
    print(ends, off)
    assert off[1] < 0.6 * off[0] < 0.03  # order one: what corrections of positions lift is not in it
    assert abs(ends[1] - ZENO) < 0.1


def test_a_tilted_stick_between_its_impacts(stored):
    """BENCHMARKS 21: time and speeds of the first impact of a frictionless stick by hand; before it the stored run in
    free fall."""
    ref = stored("ImpactingStick__ImpactingStick.ref")
    row = ref[np.argmin(np.abs(ref[:, 0] - 0.03))]
    t = row[0]
    c = np.cos(np.radians(45))
    assert row[2] == pytest.approx(0.5 * c + 0.01 + 0.1 * t - 5.0 * t * t, abs=1e-6)
    low = lambda t: 0.5 * c + 0.01 + 0.1 * t - 5.0 * t * t - 0.5 * np.cos(np.radians(45) + 0.1 * t)
    from scipy.optimize import brentq

    first = brentq(low, 0.01, 0.2)
    m = hn.Model("stick")
    m.gravity = (0, 0, -10.0)
    along = np.array([c, 0, c])
    end = np.array([0, 0, 0.01])
    stick = m.part("stick", 1.0, (1 / 12, 1 / 12, 1e-4), end + 0.5 * along)
    stick.vx, stick.vz, stick.wy = -0.5, 0.1, 0.1
    m.contact(m.point(stick, end), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=1.0)
    run = hn.simulate(m, 0.1, 20, contact="events", error=1e-11)
    hit = run.impacts[0]
    angle = np.radians(45) + 0.1 * first
    speed = 10 * first - 0.1 - 0.5 * np.sin(angle) * 0.1
    assert hit["time"] == pytest.approx(first, abs=1e-9)
    assert hit["velocity_before"] == pytest.approx(-speed, abs=1e-8) and hit["velocity_after"] == pytest.approx(
        speed, abs=1e-8
    )
    assert hit["normal_impulse"] == pytest.approx(2 * speed / (1 + 3 * np.sin(angle) ** 2), rel=1e-8)

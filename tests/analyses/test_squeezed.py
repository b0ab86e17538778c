"""Over-constrained impacts, and what overlaps at the start: one sentence each, results so far kept."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.session.simulation import Simulation

G = 9.81


def press(restitution: float) -> hn.Model:
    """A plate that a motion drives down at 1 m/s meets a ball that lies on the floor, after 0.3 s."""
    m = hn.Model("press")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 0.1))
    plate = m.part("plate", 1.0, (0.1,) * 3, (0, 0, 0.5))
    m.motion(m.translational(plate, m.ground, "rail", at=(0, 0, 0.5), axis=(0, 0, 1)), "-1*time", name="drive")
    jaws = [m.plane(m.ground, (0, 0, 0), (0, 0, 1)), m.plane(plate, (0, 0, 0.5), (0, 0, -1))]
    m.contact(m.sphere(ball, (0, 0, 0.1), 0.1), jaws, name="jaws", restitution=restitution)
    return m


@pytest.mark.parametrize(
    ("contact", "options", "late"), [("events", {}, 1e-6), ("time-stepping", {"step": 1e-3}, 5e-3)]
)
def test_what_is_squeezed_between_driven_parts_has_no_solution(contact, options, late):
    simulation = Simulation(press(0.2), progress=False)
    with pytest.raises(hn.ModelError, match="no(?s:.*)solution|no impulses satisfy") as error:
        simulation.dynamics(end=0.5, steps=50, contact=contact, **options)
    text = str(error.value)
    assert (
        "CONTACT/1 'jaws'" in text
        and "squeezed" in text
        and "the results so far are kept" in text
        and text.count("\n") == 0
    )
    run = simulation.run()
    assert 0.29 - 1e-9 < run.time[-1] < 0.3 + late
    assert np.abs(run.part("ball").position.values[:, 2] - 0.1).max() < late


def test_a_motion_that_turns_back_in_time_squeezes_nothing():
    m = press(0.0)
    m.find("MOTION", "drive").function = "-0.29*sin(3*time)"
    run = hn.simulate(m, 1.0, 100, contact="time-stepping", step=1e-3)
    assert np.abs(run.part("ball").position.values[:, 2] - 0.1).max() < 1e-6


def test_overlap_at_the_start_is_told_and_opened():
    m = hn.Model("deep")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 0.09))
    m.contact(m.sphere(ball, (0, 0, 0.09), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), name="floor")
    run = hn.simulate(m, 0.1, 10, contact="time-stepping", step=1e-3)
    assert any(
        "shapes overlap at the start: ball and ground (CONTACT/1 'floor') by 0.01 m" in text
        for text in run.info["messages"]
    )
    assert np.abs(run.part("ball").position.values[1:, 2] - 0.1).max() < 1e-6
    assert np.abs(run.part("ball").velocity.values).max() < 1e-9  # opening gives no speed
    with pytest.raises(
        hn.ModelError,
        match="shapes overlap, which rigid contact cannot have: ball and ground .* by 0.01 m; move the parts apart",
    ):
        hn.simulate(m, 0.1, 10, contact="events")
    m.find("CONTACT", "floor").initial = "resolve"
    run = hn.simulate(m, 0.1, 10, contact="events")
    assert np.abs(run.part("ball").position.values[:, 2] - 0.1).max() < 1e-8

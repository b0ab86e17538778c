"""Light bodies under heavy ones in event-driven runs."""

import numpy as np
import pytest

import holonom as hn


def pile(*masses):
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    boxes = []
    for k, mass in enumerate(masses):
        at = (0, 0, 0.1 + 0.2 * k)
        boxes.append(m.box(m.part(f"box {k + 1}", mass, (0.02 * mass,) * 3, at), at, (0.3, 0.3, 0.2)))
    m.contact(boxes[0], m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=0.3, name="floor")
    for lower, upper in zip(boxes, boxes[1:]):
        m.contact(lower, upper, mu=0.3)
    return m


@pytest.mark.parametrize("masses", [(1.0, 1e6), (1.0, 1e3, 1e6)])
def test_a_light_box_carries_one_a_million_times_as_heavy(masses):
    run = hn.simulate(pile(*masses), 0.1, 5, contact="events")
    assert not run.info["warnings"]
    assert np.ptp(run.data.body_position[:, :, 2], axis=0).max() < 1e-11
    assert run.contact("floor").force.values[-1, 2] == pytest.approx(9.81 * sum(masses), rel=1e-9)
    assert run.counters["steps"] < 50


def test_forces_that_cannot_be_computed_end_the_run_with_a_sentence():
    """The multipliers of a box of 1 kg under one of 1e9 kg are roundoff."""
    with pytest.raises(hn.ModelError, match="cannot be computed to better than .* masses that differ less"):
        hn.simulate(pile(1.0, 1e9), 0.1, 5, contact="events")

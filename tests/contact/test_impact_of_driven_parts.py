"""Impacts of parts that motions drive: the motion works, the contact only takes energy."""

import pytest

import holonom as hn

MASS, SPEED = 2.0, 1.5


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_the_work_of_the_motion_at_an_impact_is_input(e):
    """A driven plate strikes a ball at rest, which leaves at (1 + e) V: the motion does the work m (1 + e) V^2, the
    contact takes m (1 - e^2) V^2 / 2 of it."""
    m = hn.Model()
    plate = m.part("plate", 1.0, (1, 1, 1), (0, 0, 0), velocity=(SPEED, 0, 0))
    slide = m.translational(plate, m.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    m.motion(slide, f"{SPEED}*TIME")
    ball = m.part("ball", MASS, (0.01, 0.01, 0.01), (0.3, 0, 0))
    m.contact(m.box(plate, (0, 0, 0), (0.2, 1, 1)), m.sphere(ball, (0.3, 0, 0), 0.1), restitution=e)
    run = hn.simulate(m, 0.1, 20, contact="events")
    assert run.part("ball").velocity.values[-1, 0] == pytest.approx((1 + e) * SPEED, rel=1e-9)
    assert run.data.energy_input[-1] == pytest.approx(MASS * (1 + e) * SPEED**2, rel=1e-9)
    assert run.data.energy_dissipated[-1] == pytest.approx(0.5 * MASS * (1 - e * e) * SPEED**2, abs=1e-9)
    assert not [w for w in run.info["warnings"] if "gains energy" in str(w)] and run.audit().ok(1e-9)

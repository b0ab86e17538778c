"""Event-driven runs whose energy grows without a source end with an error; energy from a motion has one."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.contact.rigid_contact import RigidContact
from holonom.integrators.stepper import IntegrationError


def drop(restitution=0.5):
    m = hn.Model("drop")
    m.gravity = (0, 0, -9.81)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    ball = m.part("ball", 2.0, (0.01,) * 3, (0, 0, 0.5))
    m.contact(m.sphere(ball, (0, 0, 0.5), 0.1), floor, restitution=restitution)
    return m


def faulty(factor):
    """Impacts that return velocities times ``factor``, which nothing accounts for."""
    impact = RigidContact._impact

    def scaled(self, t, y, *rest):
        going = impact(self, t, y, *rest)
        y[7:10] *= factor
        return going

    return scaled


def test_a_run_whose_energy_grows_without_a_source_ends_with_time_and_pair(monkeypatch):
    monkeypatch.setattr(RigidContact, "_impact", faulty(4.0))
    with pytest.raises(IntegrationError) as error:
        hn.simulate(drop(), 2.0, 40, contact="events")
    text = str(error.value)
    assert "the energy has grown by" in text and "without a source" in text and "CONTACT_1" in text
    first = np.sqrt(2 * 0.4 / 9.81)
    assert first <= error.value.time < first + 0.2


def test_a_small_gain_is_reported_at_the_end(monkeypatch):
    monkeypatch.setattr(RigidContact, "_impact", faulty(1.2))
    run = hn.simulate(drop(0.9), 0.6, 40, contact="events")
    assert any("the energy has grown by" in str(w) for w in run.info["warnings"])


def test_energy_from_a_motion_has_a_source():
    """A light driven plate strikes a heavy ball at rest: all its energy comes from the motion."""
    m = hn.Model("bat")
    m.gravity = (0, 0, 0)
    bat = m.part("bat", 1e-3, (1e-6,) * 3, (0, 0, 0))
    m.motion(m.translational(bat, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0)), "TIME")
    ball = m.part("ball", 10.0, (0.04,) * 3, (0.3, 0, 0))
    m.contact(m.box(bat, (0, 0, 0), (0.1, 0.4, 0.4)), m.sphere(ball, (0.3, 0, 0), 0.1), restitution=0.5)
    run = hn.simulate(m, 0.5, 20, contact="events")
    assert run.part("ball").velocity.values[-1][0] == pytest.approx(1.5, rel=1e-9)

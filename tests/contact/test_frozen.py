"""A steady contact frozen into a force: equilibrium stays, what it no longer does is reported."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn


def block(mu=0.6, angle=0.3):
    """A block that rests on a slope by friction of bristles."""
    m = hn.Model("slope")
    m.gravity = (0, 0, -9.81)
    n = (-np.sin(angle), 0, np.cos(angle))
    part = m.part("block", 2.0, (0.01, 0.01, 0.01), tuple(0.05 * np.array(n)))
    law = {"law": "KELVIN_VOIGT", "stiffness": 1e5, "damping": 400.0, "mu": mu, "friction": "BRISTLE"}
    law |= {"friction_parameters": {"tangential_stiffness": 5e4, "tangential_damping": 200.0}}
    m.contact(m.sphere(part, tuple(0.05 * np.array(n)), 0.05), m.plane(m.ground, (0, 0, 0), n), name="foot", **law)
    return m, part


def rolling_free():
    m, part = block()
    m.primitive(
        "ORIENTATION", m.marker(part), m.marker(m.ground), name="upright"
    )  # it slides or rests, it does not roll
    return m


def test_the_force_holds_the_block_as_the_contact_did():
    m = rolling_free()
    run = hn.simulate(m, 1.0, 20, integrator="GSTIFF", error=1e-6)
    force = hn.freeze_contact(m, run, "foot")
    assert [float(f) for f in (force.fx, force.fy, force.fz)] == pytest.approx([0.0, 0.0, 2.0 * 9.81], abs=2e-3)
    assert not m.find("CONTACT", "foot").active
    (told,) = [w for w in m.warnings if "frozen" in w]
    assert "CONTACT/1 'foot' is frozen into GFORCE/1 'foot_frozen': 19.62" in told
    assert "nothing stops its parts from sinking in, slipping or lifting off" in told and "not steady" not in told
    again = hn.simulate(m, 0.5, 10)
    assert told in again.info["warnings"]
    assert np.abs(again.part("block").acceleration.values).max() < 2e-3
    m.gravity = (0, 0, -9.81 / 2)  # half of what it carries is gone: a contact would give way, the force does not
    assert hn.simulate(m, 0.1, 2).part("block").acceleration.values[-1, 2] == pytest.approx(9.81 / 2, abs=2e-3)


def test_an_unsteady_contact_is_told():
    m = rolling_free()
    run = hn.simulate(m, 0.02, 40, integrator="GSTIFF", error=1e-6)
    hn.freeze_contact(m, run, "foot", time=0.003)
    assert "it was not steady: over the last 10% of the time before it changed by" in m.warnings[-1]


def test_what_cannot_be_frozen_is_a_sentence():
    m = rolling_free()
    run = hn.simulate(m, 0.01, 2, integrator="GSTIFF", error=1e-6)
    with pytest.raises(hn.ModelError, match="it does not touch at time 0, so there is no force to freeze"):
        hn.freeze_contact(m, run, "foot", time=0.0)
    hn.freeze_contact(m, run, "foot")
    with pytest.raises(hn.ModelError, match="it is not active, so there is nothing to freeze"):
        hn.freeze_contact(m, run, "foot")

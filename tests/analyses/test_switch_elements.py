"""Elements switched on and off between analyses, from Python: every segment goes on from the state of the last."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn

G = 9.81


def model() -> hn.Model:
    """A mass of 1 kg on a slide, locked, with a spring, a damper-free force, a motion that is off, and a contact."""
    m = hn.Model("m", units="SI")
    m.gravity = (0.0, 0.0, -G)
    body = m.part("body", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1))
    m.translational(body, m.ground, "slide", at=(0, 0, 1), axis=(0, 0, 1))
    lift = m.sforce(
        m.marker_at(body, (0, 0, 1), z=(0, 0, 1)), m.marker_at(m.ground, (0, 0, 0), z=(0, 0, 1)), "2*9.81", "lift", actiononly=True
    )
    lift.active = False
    m.fixed(body, m.ground, "lock", at=(0, 0, 1))
    drive = m.motion("slide", "0.1*(TIME-0.4)", "drive")
    drive.active = False
    return m


def test_segments_of_joints_forces_and_motions():
    m = model()
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=0.1, steps=1)
    assert sim.deactivate("JOINT", "lock") == [m.find("JOINT", "lock")]
    sim.dynamics(end=0.2, steps=1)  # falls from rest
    sim.activate(m.find("SFORCE", "lift"))
    sim.dynamics(end=0.4, steps=1)  # pushed up by as much as it weighs
    run = sim.run()
    z = run.part("body").position.values[:, 2]
    v = run.part("body").velocity.values[:, 2]
    assert z[0] == z[1] == 1.0
    times = run.time.values if hasattr(run.time, "values") else np.asarray(run.time)
    at = lambda t: int(np.flatnonzero(np.abs(times - t) < 1e-12)[-1])
    assert z[at(0.2)] == pytest.approx(1.0 - 0.5 * G * 0.1**2, abs=1e-9)
    assert v[at(0.2)] == pytest.approx(-G * 0.1, abs=1e-9)
    assert z[-1] == pytest.approx(1.0 - 0.5 * G * 0.01 - G * 0.1 * 0.2 + 0.5 * G * 0.04, abs=1e-9)
    assert v[-1] == pytest.approx(G * 0.1, abs=1e-9)


def test_what_is_switched_is_found_or_refused():
    m = model()
    ball = m.sphere("body", (0, 0, 1), 0.1)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    for _ in range(3):
        m.contact(ball, floor, stiffness=1e5, exponent=1.5, joined=True, group="feet")
    m.contact(ball, floor, stiffness=1e5, exponent=1.5, joined=True)
    sim = hn.Simulation(m, progress=False)
    active = lambda: [c.active for c in m.table("CONTACT").values()]
    sim.deactivate("CONTACT", 2)
    assert active() == [True, False, True, True]
    sim.deactivate("CONTACT", "feet")
    assert active() == [False, False, False, True]
    sim.activate("CONTACT")
    assert active() == [True] * 4
    sim.deactivate(*m.contacts_of("feet"))
    assert active() == [False, False, False, True]
    with pytest.raises(hn.ModelError, match="no CONTACT/9"):
        sim.deactivate("CONTACT", 9)
    with pytest.raises(hn.ModelError, match="unknown kind of element 'KONTAKT'"):
        sim.deactivate("KONTAKT", 1)
    with pytest.raises(hn.ModelError, match="not an element of this simulation's model"):
        sim.deactivate(model().find("JOINT", "lock"))


def test_an_acting_contact_that_is_switched_off_tells_the_energy_that_it_stored():
    m = hn.Model("m", units="SI")
    ball = m.part("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.5), velocity=(0, 0, -2.0))
    k = 1e4
    m.contact(m.sphere(ball, (0, 0, 0.5), 0.5), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=k, exponent=1.5)
    m.request("R", functions=["CONTACT(1,0,4,0)", "CONTACT(1,1,4,0)", "CONTACT(1,0,1,0)"])
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=0.01, steps=4, error=1e-10)
    run = sim.run()
    depth = 0.5 - run.part("ball").position.values[-1, 2]
    speed = -run.part("ball").velocity.values[-1, 2]
    assert 0.01 < depth and speed > 0
    f2, f3, f4 = run.request("R").values[-1, 1:4]
    assert f2 == pytest.approx(k * depth**1.5, rel=1e-6) and f3 == pytest.approx(-f2, rel=1e-12) and f4 == pytest.approx(f2, rel=1e-12)
    sim.deactivate("CONTACT", 1)
    energy = 0.4 * k * depth**2.5
    assert energy == pytest.approx(2.0 - 0.5 * speed**2, rel=1e-5)  # what it had less what it has
    assert any(f"the energy {energy:.4g} N*m that it stores is lost" in text for text in sim.messages), sim.messages
    sim.dynamics(end=0.02, steps=1)  # through the floor, with the speed that it has
    assert sim.run().part("ball").position.values[-1, 2] == pytest.approx(0.5 - depth - 0.01 * speed, abs=1e-9)


def test_turns_are_counted_on_from_analysis_to_analysis():
    """A coupled wheel and AZ go on behind several turns, where an angle alone would be another one."""
    m = hn.Model()
    a, b = (m.part(name, 1.0, (1, 1, 1), position=(x, 0, 0)) for name, x in (("a", 0.0), ("b", 1.0)))
    ja, jb = (m.revolute(p, m.ground, at=(x, 0, 0), axis=(0, 0, 1)) for p, x in ((a, 0.0), (b, 1.0)))
    m.coupler((ja, jb), (1, 18))
    m.motion(ja, "10*time")
    m.variable(f"AZ({ja.i},{ja.j})", name="angle")
    sim = hn.Simulation(m, progress=False)
    for end in (1.0, 1.5, 2.0):
        sim.dynamics(end=end, steps=5)
        run = sim.run()
        assert run.variable("angle").values[-1] == pytest.approx(10 * end, abs=1e-6)
        assert run.part("b").euler.values[-1].sum() == pytest.approx(-10 * end / 18, abs=1e-6)

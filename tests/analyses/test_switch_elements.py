"""Elements switched on and off between analyses, from Python: every segment continues from the state of the last."""

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
        m.marker_at(body, (0, 0, 1), z=(0, 0, 1)),
        m.marker_at(m.ground, (0, 0, 0), z=(0, 0, 1)),
        "2*9.81",
        "lift",
        actiononly=True,
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
    assert (
        f2 == pytest.approx(k * depth**1.5, rel=1e-6)
        and f3 == pytest.approx(-f2, rel=1e-12)
        and f4 == pytest.approx(f2, rel=1e-12)
    )
    sim.deactivate("CONTACT", 1)
    energy = 0.4 * k * depth**2.5
    assert energy == pytest.approx(2.0 - 0.5 * speed**2, rel=1e-5)  # what it had less what it has
    assert any(f"the energy {energy:.4g} N*m that it stores is lost" in text for text in sim.messages), sim.messages
    sim.dynamics(end=0.02, steps=1)  # through the floor, with the speed that it has
    assert sim.run().part("ball").position.values[-1, 2] == pytest.approx(0.5 - depth - 0.01 * speed, abs=1e-9)


def test_turns_are_counted_on_from_analysis_to_analysis():
    """A coupled wheel and AZ continue behind several turns, where an angle alone would be another one."""
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


def hung() -> hn.Model:
    """A mass of 2 kg that four elements of force and a lock hold in a position where all of them are strained."""
    m = hn.Model("hung", units="SI")
    m.gravity = (0.0, 0.0, -G)
    body = m.part("body", 2.0, (0.1, 0.1, 0.1), position=(0.3, 0, 0))
    i, j = m.marker_at(body, (0.3, 0, 0)), m.marker_at(m.ground, (0, 0, 0))
    m.spring_damper(i, j, stiffness=200.0, length=0.1, name="spring")
    m.bushing(i, j, (100.0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), name="bush")
    m.fixed(body, m.ground, "lock", at=(0.3, 0, 0))
    return m


def test_springs_and_reactions_that_are_switched_off_are_told():
    """From a script: energies of springs in closed form, the reaction that holds weight and springs; then the mass
    continues at rest."""
    from holonom.formats import parse_acf

    text = (
        "SIM/DYN, END=0.1, STEPS=1\nDEACTIVATE/SPRINGDAMPER, ID=1\nDEACTIVATE/BUSHING, ID=1\nDEACTIVATE/JOINT, "
        "ID=1\nSIM/DYN, END=0.2, STEPS=1\nSTOP\n"
    )
    run = hn.run_script(parse_acf(text, "x.acf"), hung(), progress=False)
    spring, bush, lock = (t for t in run.info["messages"] if "switched off" in t)
    assert (
        spring
        == "SPRINGDAMPER/1 'spring' is switched off while it carries a force of 40 N, at time 0.1: the energy 4 N*m "
        "that it stores is lost"
    )
    assert "a force of 30 N" in bush and "the energy 4.5 N*m that it stores is lost" in bush
    force = np.hypot(70.0, 2.0 * G)  # the system as it was: both springs and the weight
    assert (
        f"a force of {force:.4g} N, at time 0.1: this vanishes at once, positions and velocities stay as they are"
        in lock
    )
    assert run.part("body").position.values[-1] == pytest.approx((0.3, 0, -0.5 * G * 0.1**2), abs=1e-9)


def test_many_that_are_switched_off_are_told_together():
    """Eight masses of 1 to 8 kg, each held by a joint, and five springs of 10 N/m drawn out by 1 to 5 m, let go by
    several commands in a row: the three largest by name; forces are weights and energies k x^2 / 2."""
    from holonom.formats import parse_acf

    m = hn.Model("many", units="SI")
    m.gravity = (0, 0, -G)
    for k in range(1, 9):
        b = m.part(f"b{k}", float(k), (1, 1, 1), (k, 0, 0))
        m.fixed(b, m.ground, f"lock{k}", at=(k, 0, 0))
    for k in range(1, 6):
        m.spring_damper(
            m.marker_at(m.find("PART", f"b{k}"), (k, 0, 0)),
            m.marker_at(m.ground, (k, 0, k)),
            stiffness=10.0,
            length=1e-9,
            name=f"spring{k}",
        )
    text = (
        "SIM/DYN, END=0.1, STEPS=1\nDEACTIVATE/SPRINGDAMPER, RANGE=1,5\nDEACTIVATE/JOINT, "
        "RANGE=1,6\nDEACTIVATE/JOINT, ID=7\n"
    )
    run = hn.run_script(
        parse_acf(text + "DEACTIVATE/JOINT, ID=8\nSIM/DYN, END=0.2, STEPS=1\nSTOP\n", "x.acf"), m, progress=False
    )
    springs, joints = (t for t in run.info["messages"] if "switched off" in t)
    assert springs.startswith(
        "5 elements are switched off while they act, at time 0.1: the energy 275 N*m that they store is lost, the "
        "most by "
    )
    assert [springs.index(f"'spring{k}' the energy {5 * k * k} N*m") for k in (5, 4, 3)] == sorted(
        springs.index(f"'spring{k}'") for k in (5, 4, 3)
    )
    assert springs.endswith("; and 2 more") and "spring2" not in springs
    assert joints.startswith(
        "8 elements are switched off while they carry forces or torques, at time 0.1: these vanish at once, "
        "positions and"
    )
    for k in (8, 7, 6):
        assert f"'lock{k}' a force of {k * G:.4g} N" in joints
    assert joints.endswith("; and 5 more") and "lock5" not in joints
    one = parse_acf(
        "SIM/DYN, END=0.1, STEPS=1\nDEACTIVATE/JOINT, ID=8\nSTOP\n", "x.acf"
    )  # the last command of a script is reported too
    assert any(
        "'lock8' is switched off while it carries a force" in t
        for t in hn.run_script(one, m, progress=False).info["messages"]
    )


def test_a_motion_that_is_switched_off_leaves_the_speed():
    m = model()
    m.find("JOINT", "lock").active = False
    m.find("MOTION", "drive").active = True
    m.gravity = (0, 0, 0)
    m.find("MOTION", "drive").function = "0.5*TIME**2"
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=0.4, steps=1)
    sim.deactivate("MOTION", "drive")
    assert any(
        "MOTION/1 'drive' is switched off while it carries a force of 1 N, at time 0.4: this vanishes" in t
        for t in sim.messages
    )
    sim.dynamics(end=0.5, steps=1)
    assert sim.run().part("body").velocity.values[-1, 2] == pytest.approx(0.4, abs=1e-9)


def test_a_joint_that_is_switched_on_acts_as_an_impact():
    """Two free bodies of 1 and 3 kg that meet in a ball joint: momentum and moment of momentum stay, the plastic impact
    takes its energy; both are reported.  A joint on ground gives the momentum that it gives."""
    m = hn.Model("meet", units="SI")
    m.gravity = (0, 0, 0)
    a = m.part("a", 1.0, (0.1, 0.2, 0.3), position=(-1, 0, 0), velocity=(2, 0, 1))
    b = m.part("b", 3.0, (0.4, 0.5, 0.6), position=(1, 0.5, 0), velocity=(-1, 0, 0))
    lock = m.spherical(
        m.marker_at(a, (-0.2, 0, -0.1)), m.marker_at(b, (0.1, 0, 0)), "lock"
    )  # at the origin at time 0.1
    pin = m.spherical(a, m.ground, "pin", at=(-1, 0, 0))
    lock.active = pin.active = False
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=0.1, steps=1)
    sim.activate(lock)
    sim.dynamics(end=0.2, steps=1)
    run = sim.run()

    def have(k):
        mass, J = (1.0, 3.0), ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
        get = lambda n: [getattr(run.part(p), n).values[k] for p in ("a", "b")]
        p, L, T = np.zeros(3), np.zeros(3), 0.0
        for m_, J_, r, v, w, q in zip(
            mass, J, get("position"), get("velocity"), get("angular_velocity"), get("quaternion")
        ):
            h = to_ground(q) @ np.diag(J_) @ to_ground(q).T @ w
            p, L, T = p + m_ * v, L + m_ * np.cross(r, v) + h, T + 0.5 * (m_ * v @ v + w @ h)
        return p, L, T

    from holonom.model.orientation import from_quaternion as to_ground

    (p0, L0, T0), (p1, L1, T1) = have(1), have(2)
    assert p1 == pytest.approx(p0, abs=1e-13) and L1 == pytest.approx(L0, abs=1e-12)
    assert p0 == pytest.approx((-1, 0, 1))
    assert T1 < T0 - 0.5
    jump = next(t for t in sim.messages if "JOINT/1 'lock'" in t)
    assert (
        f"{T0 - T1:.4g} N*m of kinetic energy are lost; the momentum of all parts is unchanged" in jump
        and "moved" not in jump
    )
    sim.activate(pin)  # where a was at the beginning: it is brought back there, and held
    sim.dynamics(end=0.3, steps=1)
    run = sim.run()
    jump = next(t for t in sim.messages if "JOINT/2 'pin'" in t)
    assert "parts are moved by up to" in jump and "ground supplies the momentum (" in jump


def test_a_contact_that_is_switched_on_in_the_other_shape_tells_how_deep():
    m = hn.Model("m", units="SI")
    m.gravity = (0, 0, 0)
    ball = m.part("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.6), velocity=(0, 0, -1.0))
    contact = m.contact(
        m.sphere(ball, (0, 0, 0.6), 0.5), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=1e4, exponent=1.5
    )
    contact.active = False
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=0.15, steps=1)
    sim.activate(contact)
    sim.dynamics(end=0.2, steps=1)
    text = next(t for t in sim.messages if "switched on" in t)
    energy = 0.4 * 1e4 * 0.05**2.5
    assert (
        "shapes overlap: ball and ground (CONTACT/1" in text
        and "by 0.05 m" in text
        and f"the energy {energy:.4g} N*m that they store" in text
    )
    assert sum("overlap" in t for t in sim.messages) == 1
    sim.deactivate(contact)
    contact.initial = "resolve"
    sim.activate(contact)
    before = sim.run().part("ball").velocity.values[-1, 2]
    sim.dynamics(end=0.21, steps=1)
    v = sim.run().part("ball").velocity.values[-1, 2]
    assert v == pytest.approx(before, abs=1e-9)  # nothing to push any more
    assert any("are moved apart" in t for t in sim.messages) == (before < 0)


@pytest.mark.parametrize(
    "law", [{"law": "GONTHIER", "restitution": 0.6}, {"law": "VISCOELASTIC", "g1": 0.5, "tau1": 1e-3}]
)
def test_contacts_remember_from_analysis_to_analysis(law, tmp_path):
    """An impact in three analyses is the impact in one: the speed of the impact and relaxed stress are carried over,
    through files too."""

    def bounce(ends, file=None):
        m = hn.Model("m", units="SI")
        m.gravity = (0, 0, 0)
        ball = m.part("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.51), velocity=(0, 0, -1.0))
        m.contact(
            m.sphere(ball, (0, 0, 0.51), 0.5),
            m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
            stiffness=1e6,
            exponent=1.5,
            **law,
        )
        sim = hn.Simulation(m, progress=False)
        for end in ends:
            sim.dynamics(end=end, steps=1, error=1e-9)
            if file is not None:
                sim.save(file)
                sim = hn.Simulation(m, progress=False)
                sim.reload(file)
        return sim.state().state["PART", ball.id][9]

    whole = bounce((0.03,))
    assert 0.3 < whole < 0.9
    assert bounce((0.0115, 0.0135, 0.03)) == pytest.approx(whole, abs=1e-6 if law["law"] == "GONTHIER" else 3e-5)
    assert bounce((0.0115, 0.0135, 0.03), tmp_path / "state.h5") == pytest.approx(whole, abs=3e-5)

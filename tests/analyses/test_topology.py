"""Elements that events switch on and off during one dynamic analysis: times and jumps against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn
from holonom.model.switches import Transition

G = 9.81


def audit(run) -> float:
    """Largest change of the energy that works do not explain."""
    e = run.energy
    return float(np.ptp(e["total"].values + e["dissipated"].values - e["input"].values))


def ball(restitution: float = 0.5) -> hn.Model:
    """1 kg on a vertical slide, 1 m above a stop."""
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    body = m.part("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1))
    slide = m.translational(body, m.ground, "slide", at=(0, 0, 1), axis=(0, 0, 1))
    m.stop(slide, lower=-1.0, restitution=restitution, name="floor")
    return m


def test_a_ball_comes_to_rest_on_its_stop():
    run = hn.simulate(ball(), 2.0, 100)
    table = run.switches
    t, v = np.sqrt(2 / G), 0.5 * np.sqrt(2 * G)
    expected = []
    for _ in table:
        expected.append(t)
        t, v = t + 2 * v / G, 0.5 * v
    assert len(table) > 15 and np.abs(table["time"] - expected).max() < 1e-12
    assert (table["target"][:-1] == "free").all() and table["target"][-1] == "low"
    assert table["energy"][:4] == pytest.approx(G * 0.75 * 0.25 ** np.arange(4), rel=1e-9)
    assert table["impulse"][0] == pytest.approx(1.5 * np.sqrt(2 * G), rel=1e-12)
    assert table["time"][-1] == pytest.approx(3 * np.sqrt(2 / G), abs=1e-5)  # the end of all bounces
    behind = run.time > table["time"][-1]
    assert np.abs(run.part("ball").position.values[behind]).max() < 1e-12
    assert run.motion("floor.low").force.values[behind][:, 2] == pytest.approx(G, rel=1e-12)
    assert (run.state_of("floor")[behind] == "low").all() and (
        run.state_of("floor")[run.time < table["time"][-1]] == "free"
    ).all()
    assert audit(run) < 1e-9
    rows = np.flatnonzero(run.time == table["time"][0])  # before and behind the first impact
    assert run.part("ball").velocity.values[rows, 2] == pytest.approx([-np.sqrt(2 * G), 0.5 * np.sqrt(2 * G)], rel=1e-9)


def test_the_model_is_as_it_was_and_runs_again_bit_by_bit():
    m = ball()
    text = m.to_json()
    first = hn.simulate(m, 1.4, 20)
    assert m.to_json() == text
    again = hn.simulate(hn.Model.from_json(text), 1.4, 20)
    assert (first.switches == again.switches).all()
    assert (first.part("ball").position.values == again.part("ball").position.values).all()


def test_the_table_of_switches_is_stored(tmp_path):
    run = hn.simulate(ball(0.2), 1.5, 20)
    run.save(tmp_path / "x.h5")
    again = hn.load(tmp_path / "x.h5")
    assert (again.switches == run.switches).all() and (again.state_of("floor") == run.state_of("floor")).all()


def discs(engaged: float = 0.25, **options) -> hn.Model:
    m = hn.Model("discs")
    a = m.part("a", 1.0, (1.5, 1.5, 2.0), angular_velocity=(0, 0, 10.0))
    b = m.part("b", 1.0, (2.0, 2.0, 3.0), position=(0, 0, 0.1))
    m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, m.ground, at=(0, 0, 0.1), axis=(0, 0, 1))
    m.clutch(i=a, j=b, at=(0, 0, 0), axis=(0, 0, 1), capacity=6.0, engaged=engaged, name="clutch", **options)
    return m


def test_two_discs_in_a_clutch():
    """Slip ends when 10 - 3 t = 2 t; then both turn at 4 rad/s: 60 of 100 J are lost."""
    run = hn.simulate(discs(), 4.0, 40)
    table = run.switches
    assert list(table["target"]) == ["forward", "stuck"]
    assert table["time"] == pytest.approx([0.25, 2.25], abs=1e-9)
    for name in "ab":
        assert run.part(name).angular_velocity.values[-1, 2] == pytest.approx(4.0, abs=1e-12)
    assert run.energy["dissipated"].values[-1] == pytest.approx(60.0, abs=1e-9) and audit(run) < 1e-9
    slipping = (run.time > 0.26) & (run.time < 2.2)
    assert run.force("clutch.forward").torque.values[slipping][:, 2] == pytest.approx(-6.0)
    assert np.abs(run.motion("clutch.stick").torque.values).max() < 1e-12  # nothing drives them


def test_a_brake_slips_when_the_torque_exceeds_its_capacity_and_holds_again():
    """Torque 3 sin(t) on a disc with a brake of 2: it breaks away where sin(t) = 2/3, and stops where its velocity has
    return to zero."""
    m = hn.Model("brake")
    disc = m.part("disc", 1.0, (0.5, 0.5, 1.0))
    joint = m.revolute(disc, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.sforce(joint.i, joint.j, "3*SIN(TIME)", kind="ROTATIONAL")
    m.clutch(joint, capacity=2.0, name="brake")
    run = hn.simulate(m, 3.8, 38, error=1e-9)
    table = run.switches
    assert list(table["target"]) == ["stuck", "forward", "stuck"]
    begin = np.arcsin(2 / 3)
    assert table["time"][1] == pytest.approx(begin, abs=1e-8)
    speed = lambda t: 3 * (np.cos(begin) - np.cos(t)) - 2 * (t - begin)
    low, high = 1.5, 4.0
    for _ in range(80):
        mid = 0.5 * (low + high)
        low, high = (mid, high) if speed(mid) > 0 else (low, mid)
    assert table["time"][2] == pytest.approx(low, abs=1e-8)
    stuck = run.time > low
    assert run.motion("brake.stick").torque.values[stuck][:, 2] == pytest.approx(-3 * np.sin(run.time[stuck]), abs=1e-9)
    assert np.ptp(run.joint(joint).torque.values) < 1e-9


def test_a_rope_breaks_at_its_force():
    """Pulled by 15 t^2 next to 20 N of weight, 50 N are reached at sqrt(2)."""
    m = hn.Model("rope")
    m.gravity = (0, 0, -10.0)
    mass = m.part("mass", 2.0, (0.1, 0.1, 0.1))
    rope = m.fixed(mass, m.ground, "rope", at=(0, 0, 0))
    m.vforce(m.marker_at(mass, (0, 0, 0)), m.ground, fz="-15*TIME**2", rm=m.marker_at(m.ground, (0, 0, 0)))
    m.request("R", functions=[f"FZ({rope.i},{rope.j})", f"JOINT({rope.id},0,4,0)"])
    m.breaking(rope, force=50.0)
    run = hn.simulate(m, 2.0, 20, error=1e-9)
    tb = run.switches["time"][0]
    assert tb == pytest.approx(np.sqrt(2), abs=1e-9)
    z = -5.0 * (2 - tb) ** 2 - 7.5 * ((16 - tb**4) / 12 - tb**3 / 3 * (2 - tb))
    assert run.part("mass").position.values[-1, 2] == pytest.approx(z, abs=1e-8)
    whole = run.state_of("rope.breaking") == "whole"
    assert run.joint("rope").force.values[whole][:, 2] == pytest.approx(20 + 15 * run.time[whole] ** 2, rel=1e-9)
    assert np.abs(run.joint("rope").force.values[~whole]).max() == 0.0
    assert (run.request("R").values[~whole, 1:3] == 0.0).all()


def pendulums(release=None) -> hn.Model:
    m = hn.Model("pendulums")
    m.gravity = (0, 0, -G)
    a = m.part("a", 1.0, (0.01, 0.01, 0.01), position=(1, 0, 0))
    b = m.part("b", 3.0, (0.02, 0.02, 0.02), position=(0, 0, -1))
    ja = m.revolute(a, m.ground, "ja", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute(b, m.ground, "jb", at=(0, 0, 0), axis=(0, 1, 0))
    m.lock(a, b, at=(0, 0, -1), when=f"AZ({ja.i},{ja.j})-PI/2", release=release, name="grab")
    return m


def test_a_pendulum_takes_another_along():
    """Plastic impact at the bottom: angular momentum about the pivot stays, I1 w1 = (I1 + I2) w."""
    run = hn.simulate(pendulums(), 0.8, 20, error=1e-9)
    I1, I2 = 1.01, 3.02
    w1 = np.sqrt(2 * G / I1)
    w = I1 * w1 / (I1 + I2)
    row = run.switches[0]
    assert row["energy"] == pytest.approx(0.5 * I1 * w1**2 - 0.5 * (I1 + I2) * w**2, rel=1e-7)
    behind = np.flatnonzero(run.time == row["time"])[-1]
    for name in "ab":
        assert run.part(name).angular_velocity.values[behind, 1] == pytest.approx(w, rel=1e-7)
    apart = run.part("a").position.values - run.part("b").position.values
    assert np.abs(apart[behind:]).max() < 1e-9  # where they were: both at the bottom
    assert run.counters["largest imbalance of momentum in impacts of switches"] < 1e-12
    assert audit(run) < 1e-7
    told = [text for text in run.info["messages"] if text.startswith("redundant with grab locked")]
    assert len(told) == 5 and any("repeats ja and jb" in text for text in told)


def test_what_is_locked_stays_so_in_the_next_analysis():
    sim = hn.Simulation(pendulums(1.5), progress=False)
    for end in (0.7, 1.0, 2.0):
        sim.dynamics(end=end, steps=10, error=1e-9)
    run = sim.run()
    apart = np.linalg.norm(run.part("a").position.values - run.part("b").position.values, axis=1)
    t = run.switches["time"]
    assert t[1] == pytest.approx(1.5, abs=1e-12) and len(t) == 2
    assert apart[(run.time > t[0]) & (run.time < 1.5)].max() < 1e-9
    assert [s.kind for s in run.segments] == ["dynamics"] * 3


def test_a_slider_with_a_pendulum_hits_a_stop():
    """Two coordinates: the impulse goes through the joint, M [dx', dtheta'] = [p, 0]."""
    m = hn.Model("crane")
    m1, m2, length, inertia, v, w, e = 2.0, 1.0, 0.5, 0.02, 1.0, 0.4, 0.6
    c, s = np.cos(0.5), np.sin(0.5)
    bob = (length * s, 0.0, -length * c)
    trolley = m.part("trolley", m1, (0.1, 0.1, 0.1), velocity=(v, 0, 0))
    mass = m.part(
        "mass",
        m2,
        (inertia,) * 3,
        position=bob,
        velocity=(v + w * length * c, 0, w * length * s),
        angular_velocity=(0, -w, 0),
    )
    slide = m.translational(trolley, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.revolute(mass, trolley, at=(0, 0, 0), axis=(0, -1, 0))
    m.stop(slide, upper=0.02, restitution=e, name="buffer")
    run = hn.simulate(m, 0.1, 10, error=1e-10)
    row = run.switches[0]
    k, behind = np.flatnonzero(run.time == row["time"])
    x = run.part("trolley").velocity.values[:, 0]
    spin = -run.part("mass").angular_velocity.values[:, 1]
    place = run.part("mass").position.values[k] - run.part("trolley").position.values[k]
    arm = m2 * -place[2]  # m2 l cos(theta)
    turn = m2 * length**2 + inertia
    effective = m1 + m2 - arm**2 / turn
    assert x[behind] == pytest.approx(-e * x[k], rel=1e-12)
    assert spin[behind] - spin[k] == pytest.approx(arm / turn * (1 + e) * x[k], rel=1e-11)
    assert row["impulse"] == pytest.approx(effective * (1 + e) * x[k], rel=1e-11)
    assert row["energy"] == pytest.approx(0.5 * effective * (1 - e**2) * x[k] ** 2, rel=1e-10)
    assert run.counters["largest imbalance of momentum in impacts of switches"] < 1e-12


def test_a_stop_opens_when_it_would_pull():
    """Pressed on its stop by its weight less 4 t: it leaves at G/4, with the acceleration that is too much from then
    on."""
    m = ball(0.0)
    slide = m.find("JOINT", "slide")
    m.vforce(slide.i, m.ground, fz="4*TIME", rm=m.marker_at(m.ground, (0, 0, 0)))
    run = hn.simulate(m, 4.0, 40, error=1e-9)
    table = run.switches
    assert list(table["target"]) == ["low", "free"]
    assert table["time"][1] == pytest.approx(G / 4, abs=1e-8)
    assert run.part("ball").position.values[-1, 2] == pytest.approx(4 / 6 * (4 - G / 4) ** 3, abs=1e-6)


@pytest.mark.parametrize("way", [1, -1])
def test_a_latch_catches_from_either_side_and_lets_go(way):
    m = hn.Model("latch")
    door = m.part("door", 1.0, (0.1, 0.1, 0.1), velocity=(way, 0, 0))
    slide = m.translational(door, m.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    m.spring_damper(m.marker_at(door, (0, 0, 0)), m.marker_at(m.ground, (-1, 0, 0)), stiffness=20.0, length=1.0)
    m.latch(slide, at=0.1 * way, release="TIME-1", name="latch")
    run = hn.simulate(m, 3.0, 30, error=1e-9)
    table = run.switches
    w = np.sqrt(20.0)
    assert list(table["target"][:2]) == ["caught", "open"]
    assert table["time"][:2] == pytest.approx([np.arcsin(0.1 * w) / w, 1.0], abs=1e-9)  # sin(w t) / w = 0.1
    held = (run.time > table["time"][0]) & (run.time < 1.0)
    assert run.part("door").position.values[held, 0] == pytest.approx(0.1 * way, abs=1e-12)
    assert run.motion("latch.catch").force.values[held, 0] == pytest.approx(2.0 * way, rel=1e-9)
    assert table["energy"][0] == pytest.approx(0.5 - 0.5 * 20 * 0.01, rel=1e-8)


def test_what_hangs_on_a_joint_goes_with_it():
    """A driven crank whose pin breaks: its motion is off too, and the part flies on with the speed that it had."""
    m = hn.Model("crank")
    crank = m.part("crank", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0))
    pin = m.revolute(crank, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(pin, "TIME**2", name="drive")
    m.breaking(pin, when=1.0)
    run = hn.simulate(m, 2.0, 20)
    assert run.part("crank").velocity.values[-1] == pytest.approx([-2 * np.sin(1), 2 * np.cos(1), 0], abs=1e-6)
    assert run.part("crank").angular_velocity.values[-1, 2] == pytest.approx(2.0, abs=1e-6)
    assert run.motion("drive").torque.values[-1, 2] == 0.0 and m.find("MOTION", "drive").active


# ---- what is refused ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change, words",
    [
        (
            lambda m: m.stop("slide", lower=-1, restitution=1.2),
            "restitution is 1.2; give a number from 0",
        ),
        (lambda m: m.stop("slide", lower=0.5), "lies beyond its low stop by 0.5"),
        (lambda m: m.stop("slide", lower=1, upper=0), "lower, 1, must lie below its upper, 0"),
        (lambda m: m.stop("slide"), "needs lower or upper"),
        (lambda m: m.breaking("slide"), "what breaks it is missing"),
        (lambda m: m.lock("slide"), "needs when"),
        (
            lambda m: m.switch({"a": m.parts[2], "b": ()}, [("a", "b", 0.1)]),
            "removes PART/2 'ball', which JOINT/1 'slide' holds",
        ),
        (lambda m: m.switch({"a": m.ground, "b": ()}, [("a", "b", 0.1)]), "is ground and cannot be switched"),
        (lambda m: m.switch({"a": (), "b": ()}, [("a", "c", 0.1)]), "names the state 'c', which is not one of a, b"),
        (
            lambda m: m.switch(
                {"a": (), "b": ()},
                [
                    ("a", "b", "TIME+"),
                ],
            ),
            "SWITCH/1 'SWITCH_1'",
        ),
        (
            lambda m: m.switch({"a": (), "b": ()}, [("a", "b", "1"), ("b", "a", "1")]),
            "have no end: each state is left at once",
        ),
    ],
)
def test_bad_switches_are_refused(change, words):
    m = hn.Model("m")
    body = m.part("ball", 1.0, (0.1, 0.1, 0.1), velocity=(0, 0, 1))
    m.translational(body, m.ground, "slide", at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(hn.ModelError, match=words.replace("(", "\\(")):
        change(m)
        hn.simulate(m, 1.0, 10)


def test_a_lock_that_closes_a_loop_that_does_not_fit_says_so_and_keeps_the_results():
    m = hn.Model("loop")
    body = m.part("body", 1.0, (0.1, 0.1, 0.1))
    slide = m.translational(body, m.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    m.motion(slide, "TIME", name="drive")
    m.lock(body, m.ground, when=0.5, name="grip")
    with pytest.raises(
        hn.ModelError, match="SWITCH/1 'grip'.*from free to locked cannot be carried out: no velocities fit"
    ) as found:
        hn.simulate(m, 1.0, 10)
    run = found.value.run
    assert run.time[-1] == pytest.approx(0.5) and run.part("body").position.values[-1, 0] == pytest.approx(0.5)


def test_states_of_our_own():
    """A mass is added by a joint between two states with conditions of their own; the words of a Transition."""
    m = hn.Model("m")
    a = m.part("a", 1.0, (0.1, 0.1, 0.1), velocity=(1, 0, 0))
    b = m.part("b", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0))
    coupling = m.fixed(a, b, "coupling", at=(1, 0, 0))
    m.switch(
        {"apart": (), "coupled": coupling},
        [Transition("apart", "coupled", ("DX(2,3)+1",), edge=True)],
        hold=[coupling],
        name="s",
    )
    i, j = a.cm, b.cm
    m.table("SWITCH")[1].transitions = (Transition("apart", "coupled", (f"DX({i},{j})+0.5",), edge=True),)
    run = hn.simulate(m, 1.0, 10)
    assert run.switches["time"][0] == pytest.approx(0.5, abs=1e-12)
    v = [run.part(name).velocity.values[-1, 0] for name in "ab"]
    assert v == pytest.approx([0.5, 0.5], rel=1e-12)
    assert run.part("b").position.values[-1, 0] - run.part("a").position.values[-1, 0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "integrator, error, near",
    [("GSTIFF", 1e-7, 1e-4), ("HHT", 1e-7, 1e-4), ("RADAU5", 1e-8, 1e-7), ("ABAM", 1e-8, 1e-5)],
)
def test_with_any_integrator(integrator, error, near):
    run = hn.simulate(ball(), 1.5, 20, integrator=integrator, error=error)
    t = np.sqrt(2 / G) * np.array([1, 2, 2.5, 2.75])
    assert run.switches["time"][:4] == pytest.approx(t, abs=near)
    assert run.switches["target"][-1] == "low" and abs(run.part("ball").position.values[-1, 2]) < 1e-9
    run = hn.simulate(discs(), 3.0, 20, integrator=integrator, error=error)
    assert run.switches["time"] == pytest.approx([0.25, 2.25], abs=near)
    assert run.part("a").angular_velocity.values[-1, 2] == pytest.approx(4.0, abs=near)


def test_what_is_locked_goes_into_saved_states(tmp_path):
    sim = hn.Simulation(pendulums(), progress=False)
    sim.dynamics(end=0.7, steps=5, error=1e-9)
    sim.save(tmp_path / "x.h5")
    sim.dynamics(end=1.0, steps=5, error=1e-9)
    again = hn.Simulation(pendulums(), progress=False)
    again.reload(tmp_path / "x.h5")
    again.dynamics(end=1.0, steps=5, error=1e-9)
    a, b = (s.run().part("b").position.values[-1] for s in (sim, again))
    assert np.abs(a - b).max() < 1e-10 and not len(again.run().switches)


def test_a_body_is_removed_with_the_joint_that_holds_it():
    """The payload of a spring drops out: the rest swings about its new position, 0.1962 (1 - cos 10 t)."""
    m = hn.Model("drop")
    m.gravity = (0, 0, -G)
    a = m.part("a", 1.0, (0.1, 0.1, 0.1))
    b = m.part("b", 2.0, (0.1, 0.1, 0.1), position=(0, 0, -1))
    hook = m.fixed(a, b, "hook", at=(0, 0, -0.5))
    m.spring_damper(
        m.marker_at(a, (0, 0, 0)), m.marker_at(m.ground, (0, 0, 5)), stiffness=100.0, length=5.0 - 3 * G / 100
    )
    m.switch({"with": (hook, b), "without": ()}, [("with", "without", 1.0)], name="drop")
    run = hn.simulate(m, 2.0, 20, error=1e-9)
    assert run.part("a").position.values[-1, 2] == pytest.approx(0.02 * G * (1 - np.cos(10.0)), abs=1e-7)
    gone = run.state_of("drop") == "without"
    assert (
        np.isnan(run.part("b").position.values[gone]).all() and np.isfinite(run.part("b").position.values[~gone]).all()
    )


def test_stops_that_are_met_and_left_at_one_instant_are_recorded():
    """The outer bar of two hits its stop and leaves it within one event: rows are those of the machine that runs."""
    m = hn.Model("bars")
    m.gravity = (0, 0, -G)
    upper = m.part("upper", 2.0, (0.03, 0.03, 0.002), position=(0.1, 0, 0.2))
    outer = m.part("outer", 1.0, (0.01, 0.01, 0.001), position=(0.1, 0, 0.55))
    m.revolute(upper, m.ground, "shoulder", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute(outer, upper, "elbow", at=(0.1, 0, 0.4), axis=(0, 1, 0), lower=-0.5, upper=0.5)
    run = hn.simulate(m, end=1.5, steps=50, error=1e-9)
    angle = run.joint("elbow").angle.values
    assert np.abs(angle).max() < 0.5 + 1e-9 and run.time[-1] == 1.5 and len(run.switches) > 3
    energy = run.energy.kinetic.values + run.energy.gravity.values
    assert np.diff(energy).max() < 1e-6 and energy[-1] < energy[0] - 0.1
    # moment of momentum about the shoulder: the torque of gravity is all there is between the impacts
    inside = np.flatnonzero(np.abs(angle) < 0.49)
    force = run.joint("shoulder").force.values
    acc = run.part("upper").acceleration.values * 2.0 + run.part("outer").acceleration.values * 1.0
    assert np.allclose(force[inside], acc[inside] + (0, 0, 3.0 * G), atol=1e-6)

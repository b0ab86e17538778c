"""Whole turns of angles are part of the state: conditions, joints, springs and statics go on counting where another
analysis, or a saved state, has ended.  Oracles are closed forms of one hinge with a moment of inertia of 1 kg m2."""

import json

import h5py
import numpy as np
import pytest

import holonom as hn

SPEED, STOP, STIFF = 12.0, 18.0, 1e4  # rad/s, rad (2.9 turns), N m/rad
#: of a stiff stop: there at STOP / SPEED, half a period of the spring later on the way back
BACK = 2.0 * STOP - SPEED * (3.0 - np.pi / np.sqrt(STIFF))

#: torque of a stop at 18 rad by each function that branches
FORMULAS = {
    "IF": "IF({az}-18:0,0,1E4*(18-{az}))",
    "MIN": "1E4*MIN(0,18-{az})",
    "MAX": "-1E4*MAX(0,{az}-18)",
    "DIM": "-1E4*DIM({az},18)",
    "ABS": "-5E3*(ABS({az}-18)+{az}-18)",
    "SIGN": "-5E3*({az}-18)*(1+SIGN(1,{az}-18))",
    "IMPACT": "-IMPACT(-{az},-{wz},-18,1E4,1,0,0.1)",
    "BISTOP": "BISTOP({az},{wz},-18,18,1E4,1,0,0.1)",
}
FORMULAS["IMPACT"] = FORMULAS["IMPACT"].replace("-IMPACT", "-1*IMPACT")


def hinge(torque=""):
    m = hn.Model("hinge")
    p = m.part("p", 2.0, (1, 1, 1), (0, 0, 0))
    p.wz = SPEED
    joint = m.revolute(p, m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1))
    if torque:
        at = f"({joint.i},{joint.j})"
        m.sforce(joint.i, joint.j, torque.format(az="AZ" + at, wz="WZ" + at), kind="ROTATIONAL")
    return m, joint


def in_two(m, **more):
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=1.0, steps=2, **more)
    sim.dynamics(end=3.0, steps=4, **more)
    return sim.run()


def angle(run, joint="a"):
    return run.joint(joint).angle.values[-1]


@pytest.mark.parametrize("kind", FORMULAS)
def test_a_condition_counts_the_turns_of_the_analysis_before(kind):
    assert angle(in_two(hinge(FORMULAS[kind])[0])) == pytest.approx(BACK, abs=1e-3)


def test_the_same_with_a_method_that_has_a_history():
    assert angle(in_two(hinge(FORMULAS["IF"])[0], integrator="GSTIFF", error=1e-7)) == pytest.approx(BACK, abs=1e-2)


def stop(m, joint):
    m.stop(joint, upper=STOP)


def lock(m, joint):
    m.lock(joint, when=f"AZ({joint.i},{joint.j})-18")


def latch(m, joint):
    m.latch(joint, at=STOP)


def lock_by_other_markers(m, joint):
    """An angle that nothing but the condition measures."""
    i, j = (m.marker(m.body_of(m.markers[end])) for end in (joint.i, joint.j))
    m.lock(joint, when=f"AZ({i},{j})-18")


@pytest.mark.parametrize("hold", [stop, lock, latch, lock_by_other_markers])
def test_a_switch_counts_the_turns_of_the_analysis_before(hold):
    m, joint = hinge()
    hold(m, joint)
    run = in_two(m)
    assert angle(run) == pytest.approx(STOP, abs=1e-6)
    assert run.switches["time"] == pytest.approx([STOP / SPEED], abs=1e-6)


def test_a_condition_counts_the_turns_under_another_state_of_a_switch():
    """A neighbour is locked for three turns of the hinge and released again: the system of the first state comes
    back."""
    m, joint = hinge(FORMULAS["MIN"])
    q = m.part("q", 2.0, (1, 1, 1), (5, 0, 0))
    m.lock(m.revolute(q, m.ground, "b", at=(5, 0, 0), axis=(0, 0, 1)), when=0.2, release=1.4)
    run = hn.simulate(m, end=3.0, steps=4)
    assert len(run.switches) == 2 and angle(run) == pytest.approx(BACK, abs=1e-3)


def closed(sim, path):
    sim.close()
    return sim


def deactivated(sim, path):
    sim.deactivate("SFORCE", "idle")
    return sim


def reloaded(sim, path):
    sim.save(path / "s.h5")
    fresh = hn.Simulation(sim.model.copy(), progress=False)
    fresh.reload(path / "s.h5")
    return fresh


def taken(sim, path):
    fresh = hn.Simulation(sim.model.copy(), progress=False)
    fresh.take(sim.state())
    return fresh


WAYS = [closed, deactivated, reloaded, taken]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hold", ["MIN", lock_by_other_markers])
def test_counting_goes_on_behind(way, hold, tmp_path):
    m, joint = hinge(FORMULAS[hold] if hold == "MIN" else "")
    m.sforce(joint.i, joint.j, "0*TIME", "idle", kind="ROTATIONAL")
    if hold != "MIN":
        hold(m, joint)
    sim = hn.Simulation(m, progress=False)
    sim.advance(1.0)
    sim = way(sim, tmp_path)
    sim.advance(3.0)
    assert angle(sim.run()) == pytest.approx(BACK if hold == "MIN" else STOP, abs=1e-3)


AXIAL = np.diag([0.0] * 5 + [1.0])
#: torque of -AZ of every force that reads an angle
LAWS = {
    "SFORCE": lambda m, j: m.sforce(j.i, j.j, f"-AZ({j.i},{j.j})", kind="ROTATIONAL"),
    "VTORQUE": lambda m, j: m.vtorque(j.i, None, tz=f"-AZ({j.i},{j.j})"),
    "SPRINGDAMPER": lambda m, j: m.torsion_spring(j.i, j.j, stiffness=1.0),
    "BUSHING": lambda m, j: m.bushing(j.i, j.j, rotational_stiffness=(0, 0, 1.0)),
    "FIELD": lambda m, j: m.field(j.i, j.j, kmatrix=AXIAL),
    "NFORCE": lambda m, j: m.nforce(j.i, j.j, stiffness=AXIAL),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("way", [closed, reloaded])
def test_a_force_counts_the_turns_of_the_analysis_before(way, law, tmp_path):
    """q'' = -q:  q = 12 sin t."""
    m, joint = hinge()
    LAWS[law](m, joint)
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=1.0, steps=2, error=1e-8)
    sim = way(sim, tmp_path)
    sim.dynamics(end=3.0, steps=2, error=1e-8)
    assert angle(sim.run()) == pytest.approx(SPEED * np.sin(3.0), abs=1e-5)


# ---- equilibria -----------------------------------------------------------------------------------------------------
def sprung(torque="10"):
    m, joint = hinge(torque)
    m.torsion_spring(joint.i, joint.j, stiffness=1.0, damping=3.0)
    return m, joint


@pytest.mark.parametrize("before", [0.0, 1.0])
def test_the_angle_of_an_equilibrium_is_that_of_its_torque(before):
    sim = hn.Simulation(sprung()[0], progress=False)
    if before:
        sim.dynamics(end=before, steps=5)
    sim.statics()
    run = sim.run()
    assert angle(run) == pytest.approx(10.0, abs=1e-6)
    assert run.spring(1).angle.values[-1] == pytest.approx(10.0, abs=1e-6)
    assert run.spring(1).axial_torque.values[-1] == pytest.approx(-10.0, abs=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_every_force_counts_turns_on_the_way_to_an_equilibrium(law):
    m, joint = hinge("10")
    LAWS[law](m, joint)
    assert angle(hn.simulate(m, kind="statics")) == pytest.approx(10.0, abs=1e-6)


@pytest.mark.parametrize(
    "way, turned", [("", 2.0), ("relaxing the machine dynamically", 60.0), ("gradually removing", 200.0)]
)
@pytest.mark.filterwarnings("ignore::holonom.ModelWarning")
def test_all_ways_to_an_equilibrium_count_turns(way, turned):
    m, joint = hinge("1")
    m.torsion_spring(joint.i, joint.j, stiffness=1.0 / turned, damping=0.1)
    run = hn.simulate(m, kind="statics")
    assert way in " ".join(run.info["messages"])
    assert [angle(run), run.spring(1).angle.values[-1]] == pytest.approx([turned] * 2, abs=1e-5)


def test_a_dynamic_analysis_counts_the_turns_of_an_equilibrium():
    m, joint = sprung("STEP(TIME,0,10,10,20)+1E4*MIN(0,12-{az})")
    sim = hn.Simulation(m, progress=False)
    sim.statics()
    sim.dynamics(end=20.0, steps=4)
    run = sim.run()
    assert run.joint("a").angle.values[0] == pytest.approx(10.0, abs=1e-6)
    assert angle(run) == pytest.approx(12.0 + 8.0 / 10001.0, abs=1e-4)


@pytest.mark.parametrize("rate", [1.0, 10.0, 40.0])
@pytest.mark.parametrize("steps", [3, 30])
def test_fast_motions_are_followed_from_equilibrium_to_equilibrium(rate, steps):
    """q2 = -q1 / 0.3, a torque of -k q2; no degree of freedom."""
    m, joint = hinge()
    q = m.part("q", 1.0, (1, 1, 1), (5, 0, 0))
    other = m.revolute(q, m.ground, "b", at=(5, 0, 0), axis=(0, 0, 1))
    m.coupler([joint, other], (1, 0.3))
    m.motion(joint, f"{rate}*TIME")
    m.torsion_spring(other.i, other.j, stiffness=1.0)
    run = hn.simulate(m, end=3.0, steps=steps, kind="quasistatics")
    expected = -rate * run.time / 0.3
    assert run.joint("a").angle.values == pytest.approx(rate * run.time, abs=1e-6)
    assert run.joint("b").angle.values == pytest.approx(expected, abs=1e-5)
    assert run.spring(1).angle.values == pytest.approx(expected, abs=1e-5)
    assert run.spring(1).axial_torque.values == pytest.approx(-expected, abs=1e-5)


# ---- saved states ---------------------------------------------------------------------------------------------------
def screw():
    m = hn.Model("m")
    p = m.part("p", 2.0, (1, 1, 1), (0, 0, 0))
    p.wz = SPEED
    m.screw(p, m.ground, 0.1, "j", at=(0, 0, 0), axis=(0, 0, 1))
    m.gravity = (0, 0, -9.81)
    return m


def spring():
    m, joint = hinge()
    m.torsion_spring(joint.i, joint.j, stiffness=1.0)
    return m


def by_angle():
    return hinge("-{az}")[0]


def coupled(travel):
    m, joint = hinge()
    q = m.part("p2", 1.0, (1, 1, 1), (5, 0, 0))
    make = m.translational if travel else m.revolute
    m.coupler([joint, make(q, m.ground, "b", at=(5, 0, 0), axis=(0, 0, 1))], (0.05, -1) if travel else (0.3, -1))
    return m


def coupled_travel():
    return coupled(True)


def coupled_turn():
    return coupled(False)


def rack():
    """The rack's angle is counted between frames that are no markers."""
    m, joint = hinge()
    q = m.part("p2", 1.0, (1, 1, 1), (0, -0.5, 0))
    m.rack_and_pinion(joint.i, m.translational(q, m.ground, "b", at=(0, -0.5, 0), axis=(1, 0, 0)).i, 1.0)
    return m


@pytest.mark.parametrize("way", [reloaded, taken])
@pytest.mark.parametrize("make", [rack, screw, spring, by_angle, coupled_travel, coupled_turn])
def test_a_saved_state_holds_whole_turns(make, way, tmp_path):
    whole, sim = (hn.Simulation(make(), progress=False) for _ in range(2))
    whole.dynamics(end=2.0, steps=4, error=1e-9)
    sim.dynamics(end=1.0, steps=2, error=1e-9)
    sim = way(sim, tmp_path)
    sim.dynamics(end=2.0, steps=2, error=1e-9)
    a, b = whole.run(), sim.run()
    for name in (p.name for p in a.model.parts.values() if not p.ground):
        for what in ("position", "velocity", "angular_velocity"):
            x, y = (getattr(run.part(name), what).values for run in (a, b))
            assert y[0] == pytest.approx(x[2], abs=1e-8) and y[-1] == pytest.approx(x[-1], abs=1e-6)
    for joint in a.model.joints.values():
        if joint.type == "REVOLUTE":
            assert angle(b, joint.name) == pytest.approx(angle(a, joint.name), abs=1e-6)


def pushed(named):
    m = hn.Model("m")
    p = m.part("p", 2.0, (1, 1, 1), (1, 0, 0))
    m.translational(p, m.ground, "t", at=(1, 0, 0), axis=(1, 0, 0))
    m.spring_damper(p.cm, m.marker(m.ground), 10, 1.0, length=1.0)
    u = m.variable("0.0", "u") if named else m.input("u")
    m.vforce(p.cm, None, fx=f"VARVAL({u.id})")
    sim = hn.Simulation(m, progress=False)
    sim.open(inputs=["u"] if named else [], error=1e-9)
    return sim


@pytest.mark.parametrize("way", [reloaded, taken])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("by", [None, 2.0])
def test_a_saved_state_holds_inputs_and_their_ramps(by, named, way, tmp_path):
    whole, sim = (pushed(named) for _ in range(2))
    for one in (whole, sim):
        one.set_input("u", 5.0, by)
        one.advance(1.0)
    sim = way(sim, tmp_path)
    for one in (whole, sim):
        one.advance(3.0)
    x = [one.run().part("p").position.values[-1, 0] for one in (whole, sim)]
    assert x[0] > 1.2 and x[1] == pytest.approx(x[0], abs=1e-6)


@pytest.mark.parametrize("way", [reloaded, taken])
def test_a_saved_state_holds_the_past_of_delays(way, tmp_path):
    def delayed():
        m = hn.Model("m")
        p = m.part("p", 2.0, (1, 1, 1), (1, 0, 0))
        m.translational(p, m.ground, "t", at=(1, 0, 0), axis=(1, 0, 0))
        p.vx = 1.0
        m.vforce(p.cm, None, fx=f"-4*DELAY(DX({p.cm}),0.3,1)")
        return hn.Simulation(m, progress=False)

    whole, sim = delayed(), delayed()
    whole.dynamics(end=2.0, steps=10, error=1e-9)
    sim.dynamics(end=0.77, steps=10, error=1e-9)
    sim = way(sim, tmp_path)
    kept = sim.state()
    sim.dynamics(end=2.0, steps=10, error=1e-9)
    x = whole.run().part("p").position.values[-1, 0]
    assert x == pytest.approx(-1.1523, abs=1e-4)
    assert sim.run().part("p").position.values[-1, 0] == pytest.approx(x, abs=1e-7)
    sim.take(kept)  # what has been integrated since is not in it
    sim.dynamics(end=2.0, steps=10, error=1e-9)
    assert sim.run().part("p").position.values[-1, 0] == pytest.approx(x, abs=1e-7)


def test_a_state_of_the_former_format_says_what_it_lacks(tmp_path):
    sim = hn.Simulation(screw(), progress=False)
    sim.dynamics(end=0.2, steps=2)
    sim.save(tmp_path / "old.h5")
    with h5py.File(tmp_path / "old.h5", "a") as file:
        file.attrs["format"] = "holonom-state-1"
        keys = json.loads(file["keys"][()].tobytes())
        for name in ("angles", "inputs", "named", "past"):
            keys.pop(name, None)
            if name in file:
                del file[name]
        del file["keys"]
        file["keys"] = np.frombuffer(json.dumps(keys).encode(), np.uint8)
    old = hn.Simulation(screw(), progress=False)
    old.reload(tmp_path / "old.h5")
    assert any("whole turns" in w and "DELAY" in w for w in old.warnings)
    assert old.time == pytest.approx(0.2)

"""SWITCHes and contacts as constraints in one analysis: times, impulses and forces against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn

G = 9.81
METHODS = [("events", {"error": 1e-9}, 1e-9, 1e-8), ("time-stepping", {"step": 1e-3}, 2e-3, 3e-2)]
each = pytest.mark.parametrize(("contact", "options", "late", "off"), METHODS, ids=["events", "time-stepping"])


def imbalance(run) -> float:
    return run.counters.get("largest imbalance of momentum in impacts of switches", 0.0)


def shelf(restitution: float = 0.0) -> hn.Model:
    """A ball lies on a shelf whose joint releases after 0.3 s, 1 m above the floor."""
    m = hn.Model("shelf")
    m.gravity = (0, 0, -G)
    board = m.part("board", 3.0, (0.02, 0.02, 0.04), position=(0, 0, 1.01))
    ball = m.part("ball", 1.0, (0.004, 0.004, 0.004), position=(0, 0, 1.12))
    plank = m.box(board, (0, 0, 1.01), (0.4, 0.4, 0.02))
    m.contact(m.sphere(ball, (0, 0, 1.12), 0.1), plank, mu=0.3, name="on the shelf", restitution=0.0)
    m.contact(plank, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=0.3, name="on the floor", restitution=restitution)
    m.breaking(m.fixed(board, m.ground, "bracket", at=(0, 0, 1.01)), when=0.3, name="bracket lets go")
    return m


@each
def test_a_shelf_falls_with_what_lies_on_it(contact, options, late, off):
    run = hn.simulate(shelf(), 1.0, 200, contact=contact, **options)
    hold, still = run.time < 0.29, run.time > 0.9
    bracket = run.joint("bracket").force.values[:, 2]
    first = run.time < 2 * options.get("step", 0.0)  # no step is behind its first row
    assert (
        np.abs(bracket[hold & ~first]).max() == pytest.approx(4 * G, rel=1e-6) and np.ptp(bracket[hold & ~first]) < 1e-6
    )
    assert run.switches["time"] == pytest.approx([0.3], abs=1e-12)
    assert imbalance(run) < 1e-12
    speed = np.sqrt(2 * G)
    end = 0.3 + np.sqrt(2 / G)
    hits = run.impacts[run.impacts["time"] > 0.31]
    assert abs(hits["time"][0] - end) < late
    floor = hits[np.abs(hits["time"] - hits["time"][0]) < 3e-3]
    floor = floor[floor["contact"] == "on the floor"]
    assert floor["normal_impulse"].sum() == pytest.approx(4 * speed, rel=max(off, 1e-9))
    assert run.energy.dissipated.values[-1] == pytest.approx(4 * G, rel=max(off, 1e-8))
    assert run.contact("on the shelf").force.values[still][:, 2] == pytest.approx(G, rel=1e-6)
    assert run.contact("on the floor").force.values[still][:, 2] == pytest.approx(4 * G, rel=1e-6)
    assert abs(run.part("ball").position.values[-1, 2] - 0.12) < 1e-5


def held_ball(restitution: float) -> hn.Model:
    m = hn.Model("held ball")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (0.004, 0.004, 0.004), position=(0, 0, 1.1))
    m.contact(m.sphere(ball, (0, 0, 1.1), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=restitution)
    m.breaking(m.fixed(ball, m.ground, "thread", at=(0, 0, 1.1)), when=0.25, name="cut")
    return m


@each
def test_a_ball_that_is_let_go_bounces(contact, options, late, off):
    run = hn.simulate(held_ball(0.5), 3.0, 300, contact=contact, **options)
    fall = np.sqrt(2 / G)
    expected = 0.25 + fall * np.array([1, 2, 2.5, 2.75])
    assert (np.abs(run.impacts["time"][:4] - expected) < late * np.arange(1, 5)).all()
    assert run.switches["time"] == pytest.approx([0.25], abs=1e-12)
    assert run.part("ball").position.values[-1, 2] == pytest.approx(0.1, abs=1e-6)
    assert run.contact(1).force.values[-1, 2] == pytest.approx(G, rel=1e-6)


def test_a_switch_within_a_step_is_met_exactly():
    """A step is cut where the switch falls into it: the flight behind it begins there."""
    run = hn.simulate(held_ball(0.5), 0.6, 60, contact="time-stepping", step=0.02)
    z = run.part("ball").position.values[:, 2]
    t = run.time
    assert 0.25 in t and np.abs(z - 1.1 + 0.5 * G * np.maximum(t - 0.25, 0) ** 2).max() < 1e-3
    nodes = np.isclose(((t - 0.25) / 0.02) % 1, 0) & (t >= 0.25)
    assert np.abs(z - 1.1 + 0.5 * G * (t - 0.25) ** 2)[nodes].max() < 1e-12


DOOR, START, SPEED = 1.0, np.radians(60.0), 1.5  # inertia about the hinge, angle, speed


def door() -> hn.Model:
    """A door that swings into its latch at 0, is released and pushed open, and meets a rigid bumper at 70 degrees."""
    m = hn.Model("door")
    c, s = np.cos(START), np.sin(START)
    leaf = m.part(
        "leaf",
        3.0,
        (0.1, 0.25, 0.25),
        position=(0.5 * c, 0.5 * s, 0),
        axes=[[c, -s, 0], [s, c, 0], [0, 0, 1]],
        velocity=(0.5 * SPEED * s, -0.5 * SPEED * c, 0),
        angular_velocity=(0, 0, -SPEED),
    )
    i = m.marker_at(leaf, (0, 0, 0), z=(0, 0, 1), x=(c, s, 0))
    hinge = m.revolute(i, m.marker_at(m.ground, (0, 0, 0), z=(0, 0, 1), x=(1, 0, 0)), "hinge")
    m.latch(hinge, at=0.0, release=1.0, name="latch")
    j = hinge.j
    m.sforce(i.id, j, "IF(TIME-1: 0, 0, 0.5)", "closer", kind="ROTATIONAL")
    r = 0.02
    knob = m.sphere(leaf, (0.9 * c, 0.9 * s, 0), r)
    a = np.radians(70.0)
    n = np.array([np.sin(a), -np.cos(a), 0])  # the plane that the knob touches when the door stands at 70 degrees
    m.contact(
        knob,
        m.plane(m.ground, 0.9 * np.array([np.cos(a), np.sin(a), 0]) - r * n, n),
        restitution=0.4,
        name="bumper",
        joined=True,
    )
    return m


@each
def test_a_door_between_latch_and_rigid_bumper(contact, options, late, off):
    run = hn.simulate(door(), 4.0, 400, contact=contact, **options)
    table = run.switches
    caught = START / SPEED
    assert [*table["target"][:2]] == ["caught", "open"]
    assert table["time"][0] == pytest.approx(caught, abs=late) and table["time"][1] == pytest.approx(1.0, abs=1e-12)
    assert table["energy"][0] == pytest.approx(0.5 * DOOR * SPEED**2, rel=max(off, 1e-8))
    met = 1.0 + np.sqrt(2 * np.radians(70) / 0.5)  # opened by 0.5 N m
    assert run.impacts["time"][0] == pytest.approx(met, abs=max(late, 1e-8))
    w = 0.5 * (met - 1)
    assert run.impacts["normal_impulse"][0] == pytest.approx(1.4 * DOOR * w / 0.9, rel=max(off / 10, 1e-7))
    assert imbalance(run) < 1e-12
    behind = run.time > met + 0.01
    rate = run.part("leaf").angular_velocity.values[:, 2]
    assert rate[behind][0] == pytest.approx(-0.4 * w + 0.5 * (run.time[behind][0] - met), abs=max(off / 5, 1e-6))


@each
def test_a_joint_breaks_by_what_lies_on_it(contact, options, late, off):
    """A weight is pressed down ever more; the bracket below gives way when it carries 30 N."""
    m = shelf()
    bracket = m.find("SWITCH", "bracket lets go")
    m.table("SWITCH").pop(bracket.id)
    ball = m.find("PART", "ball")
    m.breaking("bracket", force=50.0, name="overload")
    m.vforce(m.marker_at(ball, (0, 0, 1.12)), m.ground, fz="-20*TIME", rm=m.marker_at(m.ground, (0, 0, 0)))
    run = hn.simulate(m, 0.6, 60, contact=contact, **options)
    assert run.switches["time"][0] == pytest.approx((50 - 4 * G) / 20, abs=late)
    assert run.state_of("overload")[-1] == "broken"


@each
def test_a_stop_that_a_weight_holds_closed(contact, options, late, off):
    """A table that a force of 15 N lifts against its upper stop; a ball of 1 kg drops onto it and takes it down to the
    lower one."""
    m = hn.Model("table")
    m.gravity = (0, 0, -G)
    top = m.part("top", 1.0, (0.01, 0.01, 0.01))
    ball = m.part("ball", 1.0, (0.004, 0.004, 0.004), position=(0, 0, 0.3))
    slide = m.translational(top, m.ground, "slide", at=(0, 0, 0), axis=(0, 0, 1))
    m.stop(slide, lower=-0.1, upper=0.0, name="stop")
    m.vforce(m.marker_at(top, (0, 0, 0)), m.ground, fz="15", rm=m.marker_at(m.ground, (0, 0, 0)))
    m.contact(m.sphere(ball, (0, 0, 0.3), 0.1), m.box(top, (0, 0, -0.01), (0.4, 0.4, 0.02)), name="on it", mu=0.2)
    run = hn.simulate(m, 1.0, 100, contact=contact, **options)
    land = np.sqrt(2 * 0.2 / G)
    v, a = 0.5 * G * land, (2 * G - 15) / 2
    down = land + (-v + np.sqrt(v * v + 2 * a * 0.1)) / a
    assert list(run.switches["target"]) == ["high", "free", "low"]
    assert run.switches["time"] == pytest.approx([0.0, land, down], abs=max(1.5 * late, 1e-8))
    assert run.motion("stop.low").force.values[-1, 2] == pytest.approx(2 * G - 15, rel=1e-6)
    assert run.contact("on it").force.values[-1, 2] == pytest.approx(G, rel=1e-6)
    assert imbalance(run) < 1e-12


@each
def test_a_lock_between_bodies_that_stand_on_the_floor(contact, options, late, off):
    """A box slides into reach of another that rests, is locked to it, and both continue: momentum, friction of both, no
    rebound from the floor."""
    mu = 0.2
    m = hn.Model("lock")
    m.gravity = (0, 0, -G)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    boxes = []
    for k, (x, mass) in enumerate(((0.0, 1.0), (1.0, 2.0))):
        b = m.part(
            f"box {k}",
            mass,
            (0.02 * mass, 0.02 * mass, 0.02 * mass),
            position=(x, 0, 0.1),
            velocity=(3.0 * (k == 0), 0, 0),
        )
        m.contact(m.box(b, (x, 0, 0.1), (0.3, 0.3, 0.2)), floor, mu=mu, restitution=0.8, name=f"floor {k}")
        boxes.append(b)
    m.lock(*boxes, when=f"DX({boxes[0].cm},{boxes[1].cm})+0.5", name="hook")
    run = hn.simulate(m, 1.0, 100, contact=contact, **options)
    v = np.sqrt(9 - 2 * mu * G * 0.5)
    t = (3 - v) / (mu * G)
    assert run.switches["time"] == pytest.approx([t], abs=late)
    assert run.switches["energy"][0] == pytest.approx(0.5 * v * v * 2 / 3, rel=max(off, 1e-7))
    assert imbalance(run) < 1e-12
    rest = t + v / 3 / (mu * G)
    x = 0.5 + (v / 3) ** 2 / (2 * mu * G)
    assert run.part("box 0").position.values[-1, 0] == pytest.approx(x, abs=max(off / 10, 1e-7))
    z = np.array([run.part(f"box {k}").position.values[:, 2] for k in (0, 1)])
    assert np.abs(z - 0.1).max() < (1e-9 if contact == "events" else 2e-6)  # the lock makes nothing jump
    still = run.time > rest + 0.05
    assert np.abs(run.part("box 1").velocity.values[still]).max() < 1e-6


@each
def test_what_repeats_behind_a_switch_is_named(contact, options, late, off):
    m = hn.Model("rails")
    m.gravity = (0, 0, -G)
    floor = m.plane(m.ground, (0, 0, -5), (0, 0, 1))
    parts = []
    for k, y in enumerate((0.0, 1.0)):
        b = m.part(f"car {k}", 1.0 + k, (0.1, 0.1, 0.1), position=(0, y, 0), velocity=(1.0 - k, 0, 0))
        m.translational(b, m.ground, f"rail {k}", at=(0, y, 0), axis=(1, 0, 0))
        m.contact(m.sphere(b, (0, y, 0), 0.1), floor, joined=True)
        parts.append(b)
    m.lock(*parts, when=0.5, name="bar")
    run = hn.simulate(m, 1.0, 20, contact=contact, **options)
    told = [text for text in run.info["messages"] if text.startswith("redundant with bar locked")]
    assert len(told) == 5 and all("lock" in text or "bar" in text or "rail" in text for text in told), run.info[
        "messages"
    ]
    assert run.switches["energy"][0] == pytest.approx(0.5 - 0.5 / 3, rel=1e-6)
    assert run.part("car 1").velocity.values[-1, 0] == pytest.approx(1 / 3, rel=1e-6)
    assert imbalance(run) < 1e-12


@each
def test_a_contact_that_is_switched(contact, options, late, off):
    """A trap door: the floor acts until 1 s."""
    m = hn.Model("trap")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (0.004, 0.004, 0.004), position=(0, 0, 0.1))
    floor = m.contact(m.sphere(ball, (0, 0, 0.1), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
    m.switch({"closed": (floor,), "open": ()}, [("closed", "open", 1.0)], name="trap")
    run = hn.simulate(m, 1.5, 30, contact=contact, **options)
    z = run.part("ball").position.values[:, 2]
    assert np.abs(z - 0.1 + 0.5 * G * np.maximum(run.time - 1.0, 0) ** 2).max() < max(1e-6, 1e-8)
    m2 = hn.Model("trap")
    m2.gravity = (0, 0, -G)
    ball = m2.part("ball", 1.0, (0.004, 0.004, 0.004), position=(0, 0, 0.1))
    floor = m2.contact(m2.sphere(ball, (0, 0, 0.1), 0.1), m2.plane(m2.ground, (0, 0, 0), (0, 0, 1)))
    m2.switch({"open": (), "closed": (floor,)}, [("open", "closed", 0.2)], name="trap")
    if contact == "events":
        with pytest.raises(hn.ModelError, match=r"at time 0.2 shapes overlap.*ball and ground.*by 0.196"):
            hn.simulate(m2, 0.5, 10, contact=contact, **options)
    else:
        run = hn.simulate(m2, 0.5, 10, contact=contact, **options)
        assert any("overlap after a switch" in text and "0.196" in text for text in run.info["messages"])


def test_reruns_are_equal_bit_by_bit():
    for contact, options, _, _ in METHODS:
        m = door()
        text = m.to_json()
        a, b = (hn.simulate(x, 2.0, 20, contact=contact, **options) for x in (m, m))
        assert m.to_json() == text and len(a.switches)
        assert (a.part("leaf").position.values == b.part("leaf").position.values).all() and (
            a.switches == b.switches
        ).all()


def test_the_report_has_contacts_impacts_and_switches(tmp_path):
    run = hn.simulate(held_ball(0.5), 1.5, 150, contact="time-stepping", step=1e-3)
    assert not any("has no influence: IMPACT does not read it" in text for text in run.info["warnings"])
    text = run.report(tmp_path / "r.html", animation=False).read_text(encoding="utf-8")
    assert "Contacts: normal force" in text and '<section id="impacts">' in text and '<section id="switches">' in text
    rows = text.split('<section id="impacts">')[1].split("</section>")[0]
    assert rows.count("CONTACT_1") == len(run.impacts) > 2
    assert "cut" in text.split('<section id="switches">')[1].split("</section>")[0]
    run.save(tmp_path / "r.h5")
    again = type(run).load(tmp_path / "r.h5") if hasattr(type(run), "load") else hn.load(tmp_path / "r.h5")
    assert (again.impacts == run.impacts).all() and (again.switches == run.switches).all()


@each
def test_momentum_is_that_of_all_impulses_at_every_output(contact, options, late, off):
    """Also where outputs fall on ends of steps, between an impact and what follows; sizes: 40 N s, 40 N m.

    In time-stepping what meets something moves by theta = 1/(1 + e) in that step, so that gravity's work misses m g h
    (theta - 1/2) times the change of velocity."""
    for model, end, e in ((held_ball(0.5), 1.5, 0.5), (shelf(), 1.0, 0.0)):
        run = hn.simulate(model, end, round(end / 1e-3), contact=contact, **options)
        p = run.momentum
        assert float(np.abs(p.momentum - p.momentum[0] - p.impulse).max()) < 1e-11
        energy = run.energy
        off = (energy.total + energy.dissipated - energy.input).values
        misses = options.get("step", 0.0) * G * (1 / (1 + e) - 0.5) * run.impacts["normal_impulse"].sum()
        assert np.ptp(off) == pytest.approx(misses, rel=0.01, abs=1e-10)

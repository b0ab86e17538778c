"""Static equilibrium with contacts as constraints against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn

G = 9.81


def still(m: hn.Model, **options) -> hn.Run:
    return hn.simulate(m, kind="statics", contact=options.pop("contact", "time-stepping"), **options)


def table(z: float, **more) -> hn.Model:
    m = hn.Model("table")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 2.0, (0.01, 0.01, 0.01), position=(0, 0, z))
    m.contact(m.sphere(ball, (0, 0, z), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **more)
    return m


@pytest.mark.parametrize("z", [0.1, 0.7, 0.095])
@pytest.mark.parametrize("contact", ["events", "time-stepping"])
def test_a_ball_on_a_table(z, contact):
    run = still(table(z, mu=0.3, restitution=0.7), contact=contact)
    assert run.part("ball").position.values[-1] == pytest.approx([0, 0, 0.1], abs=1e-8)
    assert run.contact(1).force.values[-1] == pytest.approx([0, 0, 2 * G], abs=1e-6)
    assert any("overlap at the start" in text and "by 0.005 m" in text for text in run.info["messages"]) == (z < 0.1)


@pytest.mark.parametrize(("left", "right"), [(45, 45), (30, 60), (20, 35)])
def test_a_ball_in_a_groove(left, right):
    """N1 = W sin(b) / sin(a + b), N2 = W sin(a) / sin(a + b): walls that rise at a on the left, b on the right."""
    a, b = np.radians([left, right])
    m = hn.Model("groove")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 2.0, (0.01, 0.01, 0.01), position=(0.3, 0, 0.6))
    s = m.sphere(ball, (0.3, 0, 0.6), 0.1)
    for name, n in (("left", (np.sin(a), 0, np.cos(a))), ("right", (-np.sin(b), 0, np.cos(b)))):
        m.contact(s, m.plane(m.ground, (0, 0, 0), n), name=name)
    run = still(m)
    expected = 2 * G * np.array([np.sin(b), np.sin(a)]) / np.sin(a + b)
    assert [run.contact(n).normal.values[-1] for n in ("left", "right")] == pytest.approx(expected, rel=1e-6)
    # the centre is 0.1 from both walls
    c = run.part("ball").position.values[-1]
    assert c @ [np.sin(a), 0, np.cos(a)] == pytest.approx(0.1, abs=1e-8) and c @ [
        -np.sin(b),
        0,
        np.cos(b),
    ] == pytest.approx(0.1, abs=1e-8)


def test_a_beam_on_two_supports():
    """Supports 0.3 left and 0.5 right of the centre of mass: W 5/8 and W 3/8."""
    m = hn.Model("beam")
    m.gravity = (0, 0, -G)
    beam = m.part("beam", 4.0, (0.01, 0.4, 0.4), position=(0, 0, 0.26))
    box = m.box(beam, (0, 0, 0.26), (1.4, 0.1, 0.1))
    for name, x in (("left", -0.3), ("right", 0.5)):
        m.contact(m.cylinder(m.ground, (x, -0.2, 0.1), (x, 0.2, 0.1), 0.1), box, name=name, mu=0.3)
    run = still(m)
    assert run.contact("left").normal.values[-1] == pytest.approx(4 * G * 5 / 8, rel=1e-5)
    assert run.contact("right").normal.values[-1] == pytest.approx(4 * G * 3 / 8, rel=1e-5)
    assert run.part("beam").position.values[-1] == pytest.approx([0, 0, 0.25], abs=1e-3)
    assert run.part("beam").position.values[-1, 2] == pytest.approx(0.25, abs=1e-8)


@pytest.mark.parametrize("share", [0.98, 1.02])
def test_a_slider_on_a_slope(share):
    """Below the angle of friction it stays where it is; above it nothing holds it."""
    mu = 0.3
    angle = share * np.arctan(mu)
    m = hn.Model("slope")
    m.gravity = (G * np.sin(angle), 0, -G * np.cos(angle))
    box = m.part("box", 1.0, (0.01, 0.02, 0.02), position=(0, 0, 0.05))
    m.contact(m.box(box, (0, 0, 0.05), (0.4, 0.3, 0.1)), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=mu)
    if share > 1.0:
        with pytest.raises(
            hn.ModelError, match="nothing holds PART/2 'box', which moves away without end; try .* more friction"
        ):
            still(m)
        return
    run = still(m)
    assert run.part("box").position.values[-1] == pytest.approx([0, 0, 0.05], abs=1e-9)
    assert run.contact(1).force.values[-1] == pytest.approx([-G * np.sin(angle), 0, G * np.cos(angle)], abs=1e-6)


@pytest.mark.parametrize("share", [0.98, 1.02])
def test_a_ladder(share):
    """At angle a to the floor, smooth wall: it stands where the friction of the floor is at least 1 / (2 tan a)."""
    a, length, mass = np.radians(60), 2.0, 5.0
    m = hn.Model("ladder")
    m.gravity = (0, 0, -G)
    d = np.array([-np.cos(a), 0, np.sin(a)])
    c = 0.5 * length * d + np.array([length * np.cos(a), 0, 0])
    rod = m.part(
        "ladder",
        mass,
        (mass * length**2 / 12, mass * length**2 / 12, 1e-3),
        position=tuple(c),
        axes=np.column_stack([(0, 1, 0), np.cross(d, (0, 1, 0)), d]),
    )
    foot, top = m.sphere(rod, tuple(c - 0.5 * length * d), 1e-3), m.sphere(rod, tuple(c + 0.5 * length * d), 1e-3)
    m.contact(foot, m.plane(m.ground, (0, 0, -1e-3), (0, 0, 1)), mu=share * 0.5 / np.tan(a), name="floor")
    m.contact(top, m.plane(m.ground, (-1e-3, 0, 0), (1, 0, 0)), name="wall")
    run = still(m, maxit=1000)
    fallen = run.part("ladder").position.values[-1, 2] < 0.5 * length * np.sin(a) - 0.01
    assert fallen == (share < 1.0)
    if not fallen:
        assert run.contact("wall").normal.values[-1] == pytest.approx(
            mass * G * 0.5 * length * np.cos(a) / (length * np.sin(a) + 1e-3), rel=1e-5
        )
        assert run.contact("floor").normal.values[-1] == pytest.approx(mass * G, rel=1e-5)


def test_a_spring_presses_a_lever_on_its_stop():
    """A lever of 1 m on a hinge; a spring of 200 N/m pulled by 0.1 m at its end lifts it against a stop at 0.8 m."""
    m = hn.Model("lever")
    m.gravity = (0, 0, -G)
    lever = m.part("lever", 1.0, (0.01, 0.1, 0.1), position=(0.5, 0, 0))
    m.revolute(lever, m.ground, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    m.spring_damper(
        m.marker_at(lever, (1, 0, 0)), m.marker_at(m.ground, (1, 0, 1)), stiffness=200.0, length=0.9, name="spring"
    )
    m.contact(m.sphere(lever, (0.8, 0, 0), 0.02), m.plane(m.ground, (0, 0, 0.02), (0, 0, -1)), name="stop", joined=True)
    run = still(m)
    assert run.contact("stop").normal.values[-1] == pytest.approx((200 * 0.1 - 0.5 * G) / 0.8, rel=1e-6)
    assert run.joint("hinge").force.values[-1, 2] == pytest.approx(-(20 - G - (20 - 0.5 * G) / 0.8), rel=1e-5)


def test_a_chain_of_springs_is_let_down_onto_the_floor():
    """A mass on a spring hangs free or stands, whichever is higher: k (L - l0) and the floor share its weight."""
    for k, carried in ((1000.0, 0.0), (20.0, 2 * G - 20 * 0.4)):
        m = table(0.5)
        ball = m.find("PART", "ball")
        m.spring_damper(m.marker_at(ball, (0, 0, 0.5)), m.marker_at(m.ground, (0, 0, 1.0)), stiffness=k, length=0.5)
        run = still(m)
        height = max(0.5 - 2 * G / k, 0.1)
        assert run.part("ball").position.values[-1, 2] == pytest.approx(height, abs=1e-7)
        assert run.contact(1).normal.values[-1] == pytest.approx(carried, abs=1e-5)


def test_words():
    m = table(0.5)
    ball = m.find("PART", "ball")
    slide = m.translational(ball, m.ground, "slide", at=(0, 0, 0.5), axis=(0, 0, 1))
    m.table("CONTACT")[1].joined = True
    m.motion(slide, "-0.1*TIME", "drive")
    with pytest.raises(
        hn.ModelError,
        match="statics with contacts as constraints needs motions at rest, at time 0 drive.* moves; take contact = "
        "compliant",
    ):
        still(m)
    m = hn.Model("loose")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 2.0, (0.01, 0.01, 0.01), position=(0, 0, 1))
    m.contact(m.sphere(ball, (0, 0, 1), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, -1)))
    with pytest.raises(hn.ModelError, match="unknown option"):
        still(m, steps_of=3)


def test_settings_of_the_model_and_what_follows():
    m = table(0.3, restitution=0.5)
    m.rigid.method = "events"
    sim = hn.Simulation(m, progress=False)
    sim.statics()
    sim.dynamics(end=0.5, steps=10)
    run = sim.run()
    assert len(run.impacts) == 0
    assert np.abs(run.part("ball").position.values[:, 2] - 0.1).max() < 1e-8
    assert run.contact(1).force.values[-1, 2] == pytest.approx(2 * G, rel=1e-9)


def test_overlap_at_the_start_in_initial_conditions():
    m = table(0.08)
    m.rigid.method = "events"  # no stiffness is requested
    run = hn.simulate(m, kind="initial")
    assert any(
        "shapes overlap at the start: ball and ground (CONTACT/1 'CONTACT_1') by 0.02 m" in text
        for text in run.info["messages"]
    )
    run = hn.simulate(table(0.08, initial="resolve", stiffness=1e5, dmax=1e-4), kind="initial")
    assert run.part("ball").position.values[-1, 2] == pytest.approx(0.1, abs=1e-7)

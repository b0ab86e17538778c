"""Grains that go the fast way: the same answers as the general equations of motion, walls that move, parts that are
pushed."""

import numpy as np
import pytest

import holonom as hn
from holonom import Box, Model, ModelError
from holonom.analyses.grains.granular import law_of, unfit
from holonom.analyses.session.simulation import Simulation

# transition velocities so wide that friction does not chatter at these steps: h mu N / (m v_s) is below 1
LAW = dict(
    stiffness=1e5, damping=5.0, dmax=1e-6, mu=0.3, stiction_transition_velocity=0.05, friction_transition_velocity=0.1
)
EULER = dict(integrator="SEMI_IMPLICIT_EULER", hmax=1e-4)
ALL = ("position", "velocity", "spin", "quaternion", "contacts", "stress")


def heap(n=20, seed=3, **more):
    m = Model("heap")
    m.gravity = (0, 0, -9.81)
    r = np.linspace(0.04, 0.05, n)
    g = m.grains(
        Box((-0.2, -0.2, 0), (0.2, 0.2, 1.2)).random(r, seed=seed),
        r,
        "sand",
        density=1000.0,
        velocity=(0.3, 0.1, -1),
        record=ALL,
    )
    walls = [m.plane(m.ground, (0, 0, 0), (0, 0, 1))]
    walls += [m.plane(m.ground, (0.2 * x, 0.2 * y, 0), (-x, -y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    m.contact(g, **(LAW | more))
    m.contact(walls, g, **(LAW | more))
    return m


def both(model, end, steps=10, **options):
    """(granular, general) runs of two models that are alike."""
    return [hn.simulate(model(), end, steps=steps, grains=way, **(EULER | options)) for way in ("granular", "general")]


@pytest.mark.parametrize("integrator", ["SEMI_IMPLICIT_EULER", "VELOCITY_VERLET"])
def test_heap_agrees_with_the_general_engine(integrator):
    # the two predict the velocities that Verlet's forces require in different ways: their difference is of second order
    # in the step
    verlet = integrator == "VELOCITY_VERLET"
    a, b = both(heap, 0.24, integrator=integrator, hmax=2.5e-5 if verlet else 1e-4)
    tolerance = 1e-4 if verlet else 1e-5
    for name in ("position", "velocity", "spin"):
        x, y = (r.grains().values(name) for r in (a, b))
        assert np.abs(x - y).max() < tolerance * max(1.0, np.abs(y).max())
    q = (a.grains().values("quaternion") * b.grains().values("quaternion")).sum(axis=2)
    assert np.abs(q) == pytest.approx(1.0, abs=1e-3)
    assert b.data.contact_points[:, 1].max() >= 3
    for name in (
        "contact_force",
        "contact_normal",
        "contact_friction",
        "contact_depth",
        "contact_points",
        "contact_torque",
    ):
        x, y = (getattr(r.data, name)[:, 1] for r in (a, b))
        assert np.abs(x - y).max() <= 3e-3 * max(np.abs(y).max(), 1e-3)
    for name in ("energy_kinetic", "energy_gravity", "energy_elastic"):
        assert getattr(a.data, name) == pytest.approx(getattr(b.data, name), rel=3e-3, abs=1e-6)
    assert np.array_equal(a.grains().values("contacts"), b.grains().values("contacts"))
    x, y = (r.grains().values("stress") for r in (a, b))
    assert np.abs(x - y).max() < 3e-3 * np.abs(y).max()
    assert any("20 spheres by the granular solver" in text for text in a.info["messages"])


def test_threads_and_reruns_are_equal_to_the_bit():
    runs = [hn.simulate(heap(), 0.2, steps=4, threads=k, **EULER).grains().values("position") for k in (1, 2, 1)]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])


def stirred():
    """A paddle that is turned by a motion, and a tube that slides along its axis."""
    m = Model("stirrer")
    m.gravity = (0, 0, -9.81)
    g = m.grains(
        Box((-0.3, -0.3, 0.01), (0.3, 0.3, 0.5)).grid(0.05, spacing=1.1, count=50), 0.05, "sand", density=1000.0
    )
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    paddle = m.part("paddle", 2.0, (0.1, 0.1, 0.1), (0.0, 0.0, 0.1))
    hub = m.revolute(paddle, m.ground, at=(0, 0, 0.1), axis=(0, 0, 1))
    m.motion(hub, "4*time")
    blade = m.box(paddle, (0.1, 0.0, 0.1), (0.4, 0.02, 0.15), x=(1, 0.3, 0))
    tube = m.part("tube", 2.0, (0.1, 0.1, 0.1), (0.0, 0.0, 0.3))
    rail = m.translational(tube, m.ground, at=(0, 0, 0.3), axis=(1, 0, 0))
    m.motion(rail, "0.05*sin(10*time)")
    ring = m.cylinder(tube, (0, 0, 0), (0, 0, 0.6), 0.42, inside=True)
    m.contact(g, **LAW)
    m.contact(g, [floor, blade, ring], **LAW)
    return m


def test_walls_that_motions_drive():
    a, b = both(stirred, 0.15)
    x, y = (r.grains().values("position") for r in (a, b))
    assert np.abs(y - y[0]).max() > 0.05
    assert np.abs(x - y).max() < 1e-5
    assert a.part("paddle").angular_velocity.values[-1] == pytest.approx([0, 0, 4.0])
    assert a.data.body_position == pytest.approx(b.data.body_position, abs=1e-9)
    assert a.data.contact_force[:, 1] == pytest.approx(
        b.data.contact_force[:, 1], abs=2e-3 * np.abs(b.data.contact_force).max()
    )


def lid(h=0.0):
    """A heavy lid on a rail falls upon three spheres."""
    m = Model("lid")
    m.gravity = (0, 0, -10.0)
    g = m.grains([(0.3, 0, 0.1), (-0.2, 0.2, 0.1), (-0.2, -0.2, 0.1)], 0.1, "balls", mass=1.0)
    part = m.part("lid", 5.0, (1.0, 1.0, 1.0), (0, 0, 0.35 + h))
    m.translational(part, m.ground, at=(0, 0, 0.35), axis=(0, 0, 1))
    law = dict(stiffness=2e4, exponent=1.0, damping=60.0, dmax=1e-6)
    m.contact(g, **law)
    m.contact(g, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), name="floor", **law)
    m.contact(g, m.box(part, (0, 0, 0.3 + h), (1, 1, 0.1)), name="lid", **law)
    return m


def test_a_lid_that_falls_on_grains_comes_to_rest_upon_them():
    a, b = both(lid, 1.0, steps=50)
    assert a.data.body_position[:, 0] == pytest.approx(b.data.body_position[:, 0], abs=1e-9)
    # 50 N over three balls, on springs of 2e4; 80 N on the floor
    assert a.contact("lid").force.values[-1] == pytest.approx([0, 0, -50.0], abs=0.3)
    assert a.contact("floor").force.values[-1] == pytest.approx([0, 0, 80.0], abs=0.4)
    depth = 50 / 3 / 2e4 + 80 / 3 / 2e4
    assert a.data.body_position[-1, 0, 2] == pytest.approx(0.3 - depth, abs=1e-4)


def test_hertz_of_two_sizes_by_materials():
    m = Model("impact")
    r, rho, v = np.array([0.01, 0.02]), 7800.0, 0.5
    g = m.grains([(0, 0, 0), (0.030001, 0, 0)], r, density=rho, velocity=[(v, 0, 0), (0, 0, 0)])
    steel = 200e9 / (1 - 0.3**2) / 2
    m.contact(g, law="HERTZ", materials="steel")
    sim = Simulation(m, progress=False)
    sim.dynamics(end=6e-5, dt=2e-7, integrator="VELOCITY_VERLET", hmax=2e-8)
    run = sim.run()
    depth = run.data.contact_depth[:, 0]
    mass = 1 / (1 / g.masses).sum()
    radius = 1 / (1 / r).sum()
    modulus = law_of(m, m.table("CONTACT")[1]).modulus
    assert modulus is not None
    assert modulus == pytest.approx(steel, rel=0.1)  # steel of the table of materials
    want = (15 * mass * v**2 / (16 * modulus * np.sqrt(radius))) ** 0.4
    assert depth.max() == pytest.approx(want, rel=1e-3)
    p = (g.masses[:, None] * run.grains().values("velocity")[-1]).sum(axis=0)
    assert p == pytest.approx([g.masses[0] * v, 0, 0], abs=1e-12)
    energy = run.data.energy_kinetic + run.data.energy_elastic
    assert energy == pytest.approx(np.full(len(energy), energy[0]), rel=1e-4)


def test_analyses_follow_each_other_either_way():
    ways = (("granular", "general"), ("general", "granular"), ("general", "general"))
    ends = []
    for first, second in ways:
        sim = Simulation(heap(), progress=False)
        sim.dynamics(end=0.05, steps=2, grains=first, **EULER)
        sim.dynamics(end=0.1, steps=2, grains=second, **EULER)
        run = sim.run()
        assert run.time == pytest.approx([0, 0.025, 0.05, 0.05, 0.075, 0.1])
        ends.append(run.grains().values("position")[-1])
    assert ends[0] == pytest.approx(ends[2], abs=1e-6) and ends[1] == pytest.approx(ends[2], abs=1e-6)


SOLIDS = {
    "box": lambda m: m.box(m.ground, (0, 0, 0), (0.3, 0.2, 0.1), x=(1, 0.2, 0), z=(0.1, 0, 1)),
    "cylinder": lambda m: m.cylinder(m.ground, (-0.2, 0, 0), (0.2, 0.05, 0.02), 0.06),
    "capsule": lambda m: m.capsule(m.ground, (-0.1, 0, 0), (0.1, 0, 0.05), 0.06),
    "cone": lambda m: m.cone(m.ground, (0, 0, -0.1), (0, 0, 0.1), 0.2, 0.05),
    "bowl": lambda m: m.sphere(m.ground, (0, 0, 0.1), 0.25, inside=True),
    "hull": lambda m: m.hull(
        m.ground, [(0.2, 0, 0), (-0.2, 0.2, 0), (-0.2, -0.2, 0), (0, 0, 0.2), (0, 0, -0.1)], at=(0, 0, 0)
    ),
    "turned": lambda m: m.revolution(m.ground, [(0.06, -0.1), (0.16, -0.1), (0.4, 0.1), (0.3, 0.1)], at=(0, 0, 0)),
    "plate": lambda m: m.plane(m.ground, (0, 0, 0), (0.1, 0, 1), size=(0.3, 0.4)),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_every_kind_of_wall(kind):
    def model():
        m = Model(kind)
        m.gravity = (0, 0, -9.81)
        at = (
            Box((-0.2, -0.2, 0.1), (0.2, 0.2, 0.5)).random(0.03, 25, seed=1)
            if kind != "bowl"
            else Box((-0.1, -0.1, 0), (0.1, 0.1, 0.2)).random(0.02, 20)
        )
        g = m.grains(at, 0.02, density=2000.0, velocity=(0, 0, -1.0))
        m.contact(
            g,
            SOLIDS[kind](m),
            stiffness=5e4,
            exponent=1.5,
            damping=5.0,
            dmax=1e-5,
            mu=0.2,
            stiction_transition_velocity=0.05,
            friction_transition_velocity=0.1,
        )
        return m

    a, b = both(model, 0.2)
    x, y = (r.grains().values("position") for r in (a, b))
    assert b.data.contact_points.max() >= 1
    assert (
        np.quantile(np.abs(x - y).max(axis=(0, 2)), 0.9) < 1e-4
    )  # a few meet an edge or a rim, where shells and solids may differ


def test_what_cannot_go_the_fast_way_says_why():
    m = heap()
    with pytest.raises(
        ModelError,
        match="the granular solver cannot take these grains: DOP853 is not one of SEMI_IMPLICIT_EULER, VELOCITY_VERLET",
    ):
        hn.simulate(m, 0.1, integrator="DOP853", grains="granular")
    with pytest.raises(ModelError, match="unknown method 'fast' for grains"):
        hn.simulate(m, 0.1, grains="fast")
    m.table("CONTACT")[1].initial = "resolve"
    assert "requests that overlaps be resolved" in unfit(m, "SEMI_IMPLICIT_EULER")
    run = hn.simulate(m, 1e-3, steps=1, **EULER)
    assert any(
        text.startswith("grains are integrated with the general equations of motion: CONTACT/1")
        for text in run.info["messages"]
    )
    m = heap(law="LANKARANI_NIKRAVESH", damping=0.0, dmax=0.0, restitution=0.5)
    assert "its law LANKARANI_NIKRAVESH is not among IMPACT" in unfit(m, "SEMI_IMPLICIT_EULER")
    m = Model()
    g = m.grains([(0, 0, 0)], shape="BOX", dimensions=(1, 1, 1), mass=1.0)
    m.contact(g, **LAW)
    assert "are not spheres" in unfit(m, "VELOCITY_VERLET")
    with pytest.raises(ModelError, match="takes steps of one size; give it as STEP, or HMAX"):
        hn.simulate(heap(), 0.1, integrator="VELOCITY_VERLET")


def test_long_steps_and_overlaps_are_told():
    m = Model()
    g = m.grains([(0, 0, 0), (0.15, 0, 0)], 0.1, "sand", mass=1.0)
    m.contact(g, stiffness=1e6, exponent=1.0)
    run = hn.simulate(m, 1e-3, steps=1, integrator="SEMI_IMPLICIT_EULER", hmax=5e-4)
    text = " ".join(run.info["messages"])
    assert "grain 0 of sand and grain 1 of sand (CONTACT/1 'CONTACT_1') by 0.05 m" in text
    assert (
        "the step 0.0005 is long compared with the shortest time of a contact, 0.00222; a twentieth of that is safe, "
        "and "
        "above 0.00141 (2/pi of it)" in text
    )


def test_the_critical_step_is_where_a_lasting_contact_becomes_unstable():
    """omega h = 2 for semi-implicit Euler, that is 2/pi of the time of a contact: a ball that lies on a plane, one per
    cent off its rest."""
    for factor, stays in ((0.97, True), (1.03, False)):
        m = Model()
        m.gravity = (0, 0, -10.0)
        g = m.grains([(0, 0, 0.1 - 1.01e-5)], 0.1, mass=1.0)
        m.contact(g, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=1e6, exponent=1.0)
        h = factor * 2.0 / np.sqrt(1e6)
        sim = hn.Simulation(m, progress=False)
        sim.dynamics(end=100 * h, steps=100, integrator="SEMI_IMPLICIT_EULER", hmax=h)
        off = np.abs(sim.run().grains().values("position")[:, 0, 2] - (0.1 - 1e-5)).max()
        assert (off < 0.05 * 1e-5) == stays


def test_long_steps_are_told_of_laws_that_are_not_linear():
    """The time of an impact of the power law at the speed of a fall (holonom.granular.laws)."""
    m = Model()
    m.gravity = (0, 0, -10.0)
    g = m.grains([(0, 0, 0.1), (0, 0, 1.0)], 0.1, "sand", mass=1.0)
    m.contact(g, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=1e8, exponent=1.5)
    m.contact(g, stiffness=1e8, exponent=1.5)
    run = hn.simulate(m, 1e-3, steps=1, integrator="SEMI_IMPLICIT_EULER", hmax=5e-4)
    text = " ".join(run.info["messages"])
    assert (
        "the step 0.0005 is long compared with the shortest time of a contact" in text
        and "such a contact is unstable" in text
    )
    run = hn.simulate(m, 1e-3, steps=1, integrator="SEMI_IMPLICIT_EULER", hmax=2e-5)
    assert "is long compared with" not in " ".join(run.info["messages"])


BAD_NUMBERS = [
    (dict(mu_static=-0.1), "MU_STATIC must not be negative, it is -0.1"),
    (dict(restitution=1.2), "RESTITUTION_COEFFICIENT must lie between 0 and 1, it is 1.2"),
    (dict(stiffness=-1.0), "STIFFNESS must not be negative, it is -1"),
    (dict(rolling_resistance=-1e-3), "ROLLING_RESISTANCE must not be negative, it is -0.001"),
]


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize(("numbers", "text"), BAD_NUMBERS)
def test_bad_numbers_of_contacts_of_grains(numbers, text, rigid):
    m = Model()
    g = m.grains([(0, 0, 0), (1, 0, 0)], 0.1, mass=1.0)
    whole = {"stiffness": 1e5, "exponent": 1.0, "coulomb_friction": "ON"}
    with pytest.raises(ModelError) as found:
        m.contact(g, **{**whole, **numbers}, name="sand")
    assert "contact 'sand'" in str(found.value) and text in str(found.value)
    contact = m.contact(g, **whole, name="sand")
    for name, number in numbers.items():  # past the builder, as readers and editors do
        setattr(contact, name, number)
    way = dict(contact="time-stepping", hmax=1e-3) if rigid else dict(integrator="SEMI_IMPLICIT_EULER", hmax=1e-4)
    with pytest.raises(ModelError) as found:
        hn.simulate(m, 1e-3, steps=1, **way)
    assert "CONTACT/1 'sand'" in str(found.value) and text in str(found.value)


def test_what_spheres_may_pass_through_is_told_before_the_run():
    """By the step (two fifths of a diameter in one) and by softness (a thin plate gives way by more than a radius)."""
    m = Model("shot")
    m.gravity = (0, 0, 0)
    g = m.grains(
        Box((-0.2, -0.2, 0.5), (0.2, 0.2, 1.0)).grid(0.05, count=4),
        0.05,
        "shot",
        density=1000.0,
        velocity=(0, 0, -100.0),
    )
    m.contact(m.box(m.ground, (0, 0, 0), (1, 1, 0.01)), g, stiffness=1e4, damping=0.0, dmax=1e-6, exponent=1.0)
    run = hn.simulate(m, 4e-4, 1, integrator="SEMI_IMPLICIT_EULER", hmax=4e-4, grains="granular")
    told = " ".join(run.info["messages"])
    assert (
        "the smallest moves 0.8 of its radius in a step and could pass through what it meets; a step of 0.00025 is safe"
        in told
    )
    assert "spheres sink into surfaces by up to 14.5 of their radius" in told


def test_viscoelastic_grains_agree_with_the_general_engine():
    """A heap whose contacts relax: the granular solver and the general engine keep their branches apart, and agree to
    the step."""
    law = dict(law="VISCOELASTIC", stiffness=2e6, exponent=1.5, parameters=dict(g1=0.4, tau1=2e-3, g2=0.2, tau2=0.05))

    def few():
        m = Model("few")
        m.gravity = (0, 0, -9.81)
        g = m.grains(
            [(0, 0, 0.1), (0.03, 0, 0.31), (-0.02, 0.03, 0.53)],
            0.1,
            "balls",
            density=1000.0,
            velocity=(0, 0, -0.5),
            record=ALL,
        )
        m.contact(g, mu=0.2, stiction_transition_velocity=0.05, friction_transition_velocity=0.1, **law)
        m.contact(g, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **law)
        return m

    assert unfit(few(), "VELOCITY_VERLET") == ""
    a, b = both(few, 0.3, integrator="VELOCITY_VERLET", hmax=2e-5)
    x, y = (r.grains().values("position") for r in (a, b))
    assert np.abs(y - y[0]).max() > 0.03
    assert np.abs(x - y).max() < 2e-5
    assert a.data.energy_elastic == pytest.approx(
        b.data.energy_elastic, rel=5e-3, abs=2e-3 * b.data.energy_elastic.max()
    )
    assert any("3 spheres by the granular solver" in text for text in a.info["messages"])


@pytest.mark.parametrize("way", ["granular", "general"])
def test_grains_that_rest_do_not_overlap_at_the_start_of_the_next_analysis(way):
    """A grain lies on the floor, pressed in by m g / k; only the first analysis of a drawn state speaks of overlaps."""
    for height, overlaps in ((0.06, False), (0.049, True)):
        m = Model("rest")
        m.gravity = (0, 0, -9.81)
        g = m.grains([(0, 0, height)], [0.05], "grain", density=1000.0, record=ALL)
        m.contact(g, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **(LAW | {"damping": 50.0}))
        sim = Simulation(m, progress=False)
        for duration in (0.3, 0.05):
            sim.dynamics(duration=duration, steps=2, grains=way, **EULER)
        run = sim.run()
        assert run.grains().values("position")[-1, 0, 2] < 0.05  # pressed in
        found = [w for w in run.info["warnings"] if "overlap at the start" in w]
        assert len(found) == overlaps and all("at time 0 " in w for w in found)

"""Surfaces of parts that bend as constraints in steps of Moreau and Jean: waves in bars, Hertz, rest and sliding,
balance, what cannot be."""

import numpy as np
import pytest
from test_surface_contact import block, moments, total
from test_surface_contact_proof import LENGTH, RHO, SIDE, SPEED, E, R, column

import holonom as hn
from holonom.flexible import Material, mixed, rayleigh
from holonom.integrators.stepper import IntegrationError

STEEL = Material(E, 0.3, RHO)


def bars(step=1e-7, theta=0.6, surfaces="impulses", beta=2e-8, outputs=100):
    """A bar hits another one end on: the run, both parts, and the time that a wave takes there and back."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    gap, parts = 1e-6, []
    for k, x0 in enumerate((-LENGTH - gap, 0.0)):
        mesh = hn.flexible.box((x0, -SIDE / 2, -SIDE / 2), (x0 + LENGTH, SIDE / 2, SIDE / 2), (40, 1, 1), "hexahedron")
        parts.append(m.part(f"bar {k + 1}", 1.0, (1, 1, 1), (x0 + LENGTH / 2, 0, 0)))
        m.make_flexible(
            parts[-1],
            mesh,
            Material(E, 0.0, RHO),
            contact=("x+", "x-")[k],
            modes=38,
            damping=rayleigh(0, beta),
            geometric=False,
            invariants="constant",
        )
    parts[0].vx = SPEED
    m.surface_contact(*parts, name="hit")
    m.rigid.theta, m.rigid.surfaces = theta, surfaces
    T = 2 * LENGTH / np.sqrt(E / RHO)
    return hn.simulate(m, end=gap / SPEED + 1.6 * T, steps=outputs, contact="time-stepping", step=step), parts, T


@pytest.mark.slow
@pytest.mark.parametrize("theta, surfaces", [(0.6, "impulses"), (0.5, "impulses"), (0.5, "multipliers")])
def test_bars_are_those_of_st_venant(theta, surfaces):
    """Force rho c A v / 2 for the time 2 L / c, after which the bars have exchanged their speeds; momentum; energy,
    which theta = 1/2 keeps."""
    run, parts, T = bars(theta=theta, surfaces=surfaces)
    f, t = -run.force("hit").force.values[:, 0], run.time - 1e-6 / SPEED
    assert f[(t > 0.1 * T) & (t < 0.9 * T)].mean() == pytest.approx(
        RHO * np.sqrt(E / RHO) * SIDE**2 * SPEED / 2, rel=0.02
    )
    assert np.ptp(t[f > 0.01 * f.max()]) == pytest.approx(T, rel=0.02)
    assert [run.part(q).velocity.values[-1, 0] / SPEED for q in parts] == pytest.approx((0.0, 1.0), abs=0.03)
    p = sum(run.part(q).momentum.values for q in parts)
    assert np.abs(p - p[0]).max() < 1e-12 * p[0, 0]
    d = run.data
    grown = (d.energy_kinetic + d.energy_elastic + d.energy_dissipated) / d.energy_kinetic[0] - 1.0
    assert np.abs(grown).max() < (1e-4 if theta == 0.5 else 1e-2) and grown[-1] < 1e-5
    # rows are means, so that they add up to the impulse; nodes of both sides have what the bars have
    assert f.sum() * run.time[1] == pytest.approx(p[0, 0] - run.part(parts[0]).momentum.values[-1, 0], rel=1e-9)
    view = run.surface("hit")
    assert np.abs(view.force.values.sum(1)[:, 0] + f).max() < 1e-12 * f.max()
    assert np.abs(view.onto_force.values.sum(1)[:, 0] - f).max() < 1e-12 * f.max()
    # points on the faces of both ends share what acts at their corners as the solver leaves it
    assert view.touching[(t > 0.1 * T) & (t < 0.9 * T)].min() >= 4 and view.normal.values.min() >= 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "surfaces, method, theta", [("impulses", "moreau-jean", 0.6), ("multipliers", "multipliers", 0.5)]
)
def test_bars_are_those_of_mixed_coordinates(surfaces, method, theta):
    """Another code, with other modes and linear steps, by the same method; forces averaged over a fortieth of the
    contact, as light nodes rattle."""
    run, parts, T = bars(5e-8, theta, surfaces, 1e-7, 400)
    bodies = []
    for k, x0 in enumerate((-LENGTH - 1e-6, 0.0)):
        mesh = hn.flexible.box((x0, -SIDE / 2, -SIDE / 2), (x0 + LENGTH, SIDE / 2, SIDE / 2), (40, 1, 1), "hexahedron")
        bodies.append(mixed.space(mesh, Material(E, 0.0, RHO), mass="consistent", name=f"bar {k + 1}"))
    ends = ("x+", "x-")
    course = mixed.collide(
        mixed.Contact(*bodies, ends),
        [b.kept(s, 38) for b, s in zip(bodies, ends)],
        velocity=((SPEED, 0, 0), (0, 0, 0)),
        end=float(run.time[-1]),
        step=5e-8,
        damping=1e-7,
        method=method,
    )
    smooth = lambda x: np.convolve(x, np.ones(10) / 10, "same")
    until = np.concatenate([[0.0], np.cumsum(course.force[1:]) * 5e-8])
    other = np.concatenate([[0.0], np.diff(np.interp(run.time, course.time, until))]) / run.time[1]
    f = -run.force("hit").force.values[:, 0]
    assert mixed.correlation(smooth(f), smooth(other)) > 0.99
    assert f.sum() * run.time[1] == pytest.approx(course.impulse, rel=5e-3)


@pytest.mark.slow
def test_impact_of_dents_is_that_of_hertz():
    """A crowned block with one mode and the dents of 49 nodes: peak and duration, the impulse, the energy behind it;
    the law of the contact has no part in it."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    mesh, region, _ = column(3, 0.013 * R, 1e-7, 1.0, R)
    part = m.part("crowned", 1.0, (1, 1, 1), tuple(mesh.points.mean(0)))
    part.vz = -0.5
    m.make_flexible(part, mesh, STEEL, contact=region, geometric=False, invariants="constant", accuracy=0.02)
    m.surface_contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=1e3, name="hit")
    k = 4 / 3 * E / (1 - 0.3**2) * np.sqrt(R)
    peak, duration = k**0.4 * (1.25 * part.mass * 0.25) ** 0.6, 2.9432 * (25 / 16 * part.mass**2 / (k**2 * 0.5)) ** 0.2
    run = hn.simulate(m, end=1.2 * duration, steps=120, contact="time-stepping", step=2.5e-7)
    f, d = run.force("hit").force.values[:, 2], run.data
    assert f.max() == pytest.approx(peak, rel=0.05)
    assert np.ptp(run.time[f > 0.0]) == pytest.approx(duration, rel=0.03)
    assert f.sum() * run.time[1] == pytest.approx(2 * part.mass * 0.5, rel=1e-4)
    energy = d.energy_kinetic + d.energy_elastic + d.energy_dissipated
    assert energy[-1] == pytest.approx(energy[0], rel=2e-4)
    assert 0.0 < run.surface("hit").lacking < 0.02


@pytest.mark.slow
def test_a_block_falls_slides_and_rests():
    """Impulses are what momentum and weight require; friction is mu N while it slides; the weight at the end."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    part = block(m, bottom=0.0005, damping=0.05)
    part.vx = 0.05
    m.surface_contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=0.2, name="sole")
    run = hn.simulate(m, end=0.08, steps=40, contact="time-stepping", step=5e-5)
    f, v, t = run.force("sole").force.values, run.part(part).velocity.values, run.time
    got = f.sum(0) * t[1]
    assert got[2] == pytest.approx(4.0 * (9.81 * t[-1] + v[-1, 2]), rel=1e-6)
    assert got[0] == pytest.approx(4.0 * (v[-1, 0] - 0.05), rel=1e-3)
    assert (
        np.hypot(f[:, 0], f[:, 1]) <= 0.2 * f[:, 2] + 1e-9
    ).all()  # nodes may stick one by one while the block slides
    assert np.abs(f[:, 0] + 0.2 * f[:, 2]).min() < 1e-6
    assert f[-3:, 2].mean() == pytest.approx(39.24, rel=0.01) and abs(v[-1, 0]) < 1e-3  # it has come to rest
    assert np.ptp(total(run)) < 0.02 * 39.24 * 0.0005  # of the energy of the fall
    assert run.surface("sole").depth.values[-1] < 5e-6


@pytest.mark.slow
def test_impact_of_two_blocks_keeps_momentum():
    """They turn, with friction and meshes that do not match; no energy is made."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    upper, lower = block(m, "upper", 0.0005), block(m, "lower", -0.1, counts=(3, 3, 1), contact="z+")
    upper.vz, upper.vx, upper.wz = -1.0, 0.2, 0.5
    m.surface_contact(upper, lower, mu=0.3, name="hit", way="surface-to-surface")
    run = hn.simulate(m, end=0.004, steps=40, contact="time-stepping", step=1e-5)
    p, L = moments(run, upper, lower)
    force = run.force("hit").force.values
    assert force[:, 2].max() > 1e3 and np.abs(force[-1]).max() == 0.0  # they part
    assert np.abs(p - p[0]).max() < 1e-12 * np.abs(p[0]).max()
    assert np.abs(L - L[0]).max() < 1e-4 * np.abs(L[0]).max()
    e = total(run)
    assert np.abs(e / e[0] - 1.0).max() < 2e-2 and run.data.energy_dissipated[-1] > 0.0


@pytest.mark.slow
def test_beside_rigid_contacts_and_joints():
    """A rigid block on the floor next to one that bends, which a joint guides, and a rigid weight that rests on nothing
    but the joint: each carries its own."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    part = block(m, bottom=0.0001, damping=0.1)
    load = m.part("load", 2.0, (1, 1, 1), (0, 0, 0.2))
    m.fixed(part, load, at=(0, 0, 0.1001))
    m.translational(load, m.ground, at=(0, 0, 0.2), axis=(0, 0, 1))
    stiff = m.part("stiff", 3.0, (0.01, 0.01, 0.01), (1, 0, 0.05))
    m.box(stiff, (1, 0, 0.05), (0.1, 0.1, 0.1))
    m.contact(stiff, floor, mu=0.3, name="rigid")
    m.surface_contact(part, floor, name="sole")
    run = hn.simulate(m, end=0.1, steps=20, contact="time-stepping", step=1e-4)
    assert run.force("sole").force.values[-5:, 2].mean() == pytest.approx(6.0 * 9.81, rel=5e-3)
    assert run.contact("rigid").force.values[-1, 2] == pytest.approx(3.0 * 9.81, rel=1e-6)


@pytest.mark.slow
def test_a_stack_of_two_parts_that_bend_rests():
    """Each surface carries what lies above it."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    lower = block(m, "lower", -0.1, 0.15, (4, 4, 1), contact="z+", damping=0.1)
    upper = block(m, "upper", 0.0, counts=(3, 3, 1), damping=0.1)
    bent = m.table("FLEXIBILITY")[1]
    under = bent.body.nodes[np.abs(bent.points[:, 2] - bent.points[:, 2].min()) < 1e-9]
    m.surface_contact(lower, m.plane(m.ground, (0, 0, -0.1), (0, 0, 1)), region=under, mu=0.3, name="floor")
    m.surface_contact(upper, lower, mu=0.3, name="hit")
    run = hn.simulate(m, end=0.1, steps=10, contact="time-stepping", step=1e-4)
    assert run.force("hit").force.values[-1, 2] == pytest.approx(4.0 * 9.81, rel=1e-6)
    assert run.force("floor").force.values[-1, 2] == pytest.approx(13.0 * 9.81, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("flat", [True, False])
def test_a_region_that_misses_the_place_of_touch_shows(flat):
    """The region is the upper side, and the lower one falls through what is below: the view gives how deep."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    part = block(m, bottom=0.01, counts=(4, 4, 1), contact="z+")
    part.vz = -1.0
    onto = m.plane(m.ground, (0, 0, 0), (0, 0, 1)) if flat else block(m, "floor", -0.1, 0.15, (3, 3, 1), contact="z+")
    m.surface_contact(part, onto, name="hit")
    run = hn.simulate(m, end=0.018, steps=6, contact="time-stepping", step=1e-4)
    assert run.surface("hit").touching.max() == 0
    assert run.surface("hit").missed == pytest.approx(0.008, rel=1e-9)


def test_what_cannot_be():
    m = hn.Model()
    part = block(m, bottom=0.001)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    m.surface_contact(part, floor)
    with pytest.raises(
        hn.ModelError, match="are not supported where contacts are located as events; use contact = time-stepping"
    ):
        hn.simulate(m, end=0.1, steps=2, contact="events")
    m.rigid.surfaces = "forces"
    with pytest.raises(hn.ModelError, match="surfaces 'forces' is not one of impulses, multipliers"):
        hn.simulate(m, end=0.1, steps=2, contact="time-stepping")


@pytest.mark.slow
def test_steps_that_are_too_long_are_told():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    part = block(m, bottom=0.5)
    part.vz = -100.0
    m.surface_contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
    with pytest.raises(
        IntegrationError, match="surfaces move over each other by up to 0.2 in a step of 0.002.* a STEP of"
    ):
        hn.simulate(m, end=0.1, steps=2, contact="time-stepping", step=2e-3)
    ball = m.part("ball", 1.0, (1, 1, 1), (0, 0, 2.0))
    m.contact(m.sphere(ball, (0, 0, 2.0), 0.1), m.sphere(part, (0, 0, 0.6), 0.01))
    with pytest.raises(hn.ModelError, match="it is a shape on a flexible body, and contact = time-stepping takes"):
        hn.simulate(m, end=0.1, steps=2, contact="time-stepping", step=1e-5)

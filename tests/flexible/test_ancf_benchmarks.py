"""Published beams and plates through the Model, and what integrators, units, statics past limit points and linear
analysis make of full-gradient bodies."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, ancf_beam, ancf_plate

pytestmark = pytest.mark.slow


def spatial(n, L, section, *, E, nu, density=7850.0, **more):
    m = hn.Model()
    m.gravity = (0, 0, 0)
    return m, ancf_beam(
        m, [(0, 0, 0), (L, 0, 0)], section, E=E, nu=nu, density=density, elements=n, y=(0, 1, 0), **more
    )


def tip_at_rest(m, beam, L, force=(0, 0, 0), torque=(0, 0, 0), steps=4):
    """Displacement of the tip of a beam clamped at its beginning, loads that keep their directions, by
    quasi-statics."""
    m.fixed(beam.first, m.ground, at=(0, 0, 0))
    at, ground = m.marker(beam.last), m.marker(m.ground)
    if any(force):
        m.vforce(at, m.ground, *(f"{float(f)!r}*TIME" if f else "0" for f in force), rm=ground)
    if any(torque):
        m.vtorque(at, m.ground, *(f"{float(f)!r}*TIME" if f else "0" for f in torque), rm=ground)
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=steps)
    return sim.run().part(beam.last.name).position.values[-1] - [L, 0, 0]


def test_a_short_cantilever():
    """One element, Reissner's beam by shooting: (1.88849165e-7, 8.09903254e-4)."""
    k = 10 * 1.3 / (12 + 11 * 0.3)
    s = Section.rectangle(0.5, 0.1)
    m, beam = spatial(1, 2.0, Section(s.A, s.Iy, s.Iz, s.J, k, k), E=2.07e11, nu=0.3)
    tip = tip_at_rest(m, beam, 2.0, (0.0, 62500.0, 0.0), steps=1)
    assert tip[1] == pytest.approx(8.09903254e-4, rel=1e-6)


def test_bending_with_torsion():
    """Moments (0.5e6, 2e6, 0) N m: (-1.0944e-4, -1.8644e-4, -1.81174e-2)."""
    h, w = 0.2, 0.4
    Iy, Iz = h * w**3 / 12, w * h**3 / 12
    m, beam = spatial(16, 2.0, Section(h * w, Iy, Iz, 0.5768 * (Iy + Iz), 0.8331, 0.7961), E=2.07e11, nu=0.3)
    tip = tip_at_rest(m, beam, 2.0, torque=(0.5e6, 2e6, 0.0))
    assert tip == pytest.approx([-1.0944e-4, -1.8644e-4, -1.81174e-2], rel=5e-3)


@pytest.mark.parametrize("beta, tolerance", [(0, 1e-7), (30, 3e-5), (60, 3e-5), (90, 4e-5)])
def test_the_princeton_beam(beta, tolerance):
    """8.896 N, Reissner's beam by shooting, eight elements."""
    want = {
        0: (-1.355167926e-4, -0.01071276479, 0),
        30: (-0.007680972, -0.010207614, 0.079547377),
        60: (-0.020486718, -0.006742044, 0.129957859),
        90: (-0.02602148277, 0, 0.1462523572),
    }[beta]
    h, w, L = 12.3777e-3, 3.2024e-3, 0.508
    Iz, Iy = w * h**3 / 12, h * w**3 / 12
    m, beam = spatial(8, L, Section(h * w, Iy, Iz, 0.198 * (Iy + Iz), 1.0, 1.0), E=71.7e9, nu=0.31)
    c, s = np.cos(np.radians(beta)), np.sin(np.radians(beta))
    tip = tip_at_rest(m, beam, L, (0.0, -8.896 * c if beta < 90 else 0.0, 8.896 * s), steps=6)
    assert np.abs(tip - want).max() < tolerance


def test_frequencies_of_a_supported_beam():
    """Timoshenko: bending 95.604158, 331.934733, stretch 280.3225, torsion 319.3466 rad/s; free to turn about its
    axis."""
    inertia = 0.4**4 / 12
    m, beam = spatial(16, 2.0, Section(0.16, inertia, inertia, 0.8436 * 2 * inertia, 0.8436, 0.8436), E=1e9, nu=0.3)
    m.spherical(beam.first, m.ground, at=(0, 0, 0))
    m.primitive("INLINE", beam.last, m.ground, at=(2.0, 0, 0), axis=(1, 0, 0))
    w = np.sort(np.abs(hn.linearize(m).eigenvalues.imag))
    w = w[w > 1.0][::2][:6]
    assert w == pytest.approx([95.604158, 95.604158, 280.3225, 319.3466, 331.934733, 331.934733], rel=2e-3)


def test_a_moment_rolls_it_up():
    """2 pi EI/L closes a circle, in a plane and in space."""
    for plane in ("xy", None):
        m, beam = spatial(16, 10.0, Section(0.01, 1e-4 / 12, 1e-4 / 12, 1.4e-5, 1.0, 1.0), E=1e6, nu=0.0, plane=plane)
        tip = tip_at_rest(m, beam, 10.0, torque=(0.0, 0.0, 2 * np.pi * 1e6 * 1e-4 / 12 / 10), steps=16)
        assert np.linalg.norm(tip + [10.0, 0, 0]) < 9e-3


def test_a_plate_under_an_end_shear():
    """Sze, Liu, Lo (2004): 0.381 along and 2.493 up at P = 0.8, conforming, eight elements, clamped by joints."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    plate = ancf_plate(
        m, [(0, 0, 0), (10, 0, 0), (10, 1, 0), (0, 1, 0)], 0.1, E=1.2e6, nu=0.0, density=1.0, elements=(8, 1)
    )
    plate.clamp("u0")
    for p in plate.edge("u1"):
        m.vforce(m.marker(p), m.ground, "0", "0", "0.4*TIME", rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    run = sim.run()
    tip = run.part(plate.node(-1, 0).name).position.values[-1]
    assert [10 - tip[0], tip[2]] == pytest.approx([0.381, 2.493], rel=0.012)
    moment = run.mesh(plate).field("moment xx").values[-1]
    assert np.abs(moment).argmax() == 0 and np.abs(moment[0]) == pytest.approx(0.8 * 10, rel=0.15)


def test_a_deep_arch_snaps():
    """Clamped and hinged, 215 degrees, a load on its crown: limit load 8.97 EI/R^2 (DaDeppo, Schmidt 1975), by arc
    length."""
    R, half = 1.0, np.radians(107.5)
    a = np.linspace(half, -half, 33)
    points = np.column_stack([R * np.sin(a), R * np.cos(a), 0 * a])
    h = 0.01
    s = Section(h, h / 12, h**3 / 12, 1e-6, 0.9, 0.9)
    m = hn.Model()
    m.gravity = (0, 0, 0)
    E = 12.0 / h**3  # EI = 1
    arch = ancf_beam(m, points, s, E=E, nu=0.0, density=1.0, elements=24, plane="xy")
    m.fixed(arch.first, m.ground, at=tuple(points[0]))
    m.spherical(arch.last, m.ground, at=tuple(points[-1]))
    m.vforce(m.marker(arch.at(0.5 * arch.length)), m.ground, "0", "-10*TIME", "0", rm=m.marker(m.ground))
    found = hn.Simulation(m).path("time", end=1.0, points=400)
    assert found.limits and 10 * found.limits[0].parameter == pytest.approx(8.97, rel=0.01)


def swinging(units=None, f=1.0, integrator="RADAU5", error=1e-6):
    """A planar blade that falls, clamped to a hub that is driven; tip after 0.1 s, lengths times f."""
    m = hn.Model(units=units) if units else hn.Model()
    m.gravity = (0, -9.81 * f, 0)
    s = Section.rectangle(0.002 * f, 0.02 * f, shear=True)
    blade = ancf_beam(
        m, [(0, 0, 0), (0.4 * f, 0, 0)], s, E=7e10 / f**2, density=2700.0 / f**3, elements=4, plane="xy", damping=1e-4
    )
    hub = m.part("hub", 1.0, (1e-3 * f**2,) * 3, position=(0, 0, 0))
    joint = m.revolute(hub, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(joint, "20*TIME**2")
    m.fixed(blade.first, hub, at=(0, 0, 0))
    run = hn.simulate(m, end=0.1, steps=4, kind="dynamics", integrator=integrator, error=error)
    assert hn.Model.from_json(m.to_json()).to_json() == m.to_json()
    return run.part(blade.last.name).position.values[-1] / f


def test_integrators_and_units_agree():
    """RADAU5, HHT, generalised alpha and GSTIFF come to the same tip; so do millimetres."""
    want = swinging()
    assert np.linalg.norm(want - [0.4, 0, 0]) > 0.05
    for integrator, error in (("HHT", 1e-6), ("GENERALIZED_ALPHA", 1e-6), ("GSTIFF", 1e-6)):
        assert swinging(integrator=integrator, error=error) == pytest.approx(want, abs=2e-4)
    assert swinging(hn.Units(length="MILLIMETER"), 1e3) == pytest.approx(want, abs=1e-5)


def test_a_ball_rolls_off_a_plate():
    """A ball falls on a thin plate that is clamped on one edge: the plate gives way, pushes back, and the ball leaves
    it; momentum goes through joints."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    plate = ancf_plate(
        m,
        [(0, 0, 0), (0.3, 0, 0), (0.3, 0.1, 0), (0, 0.1, 0)],
        0.002,
        E=7e9,
        density=1200.0,
        elements=(3, 1),
        damping=1e-3,
    )
    plate.clamp("u0")
    ball = m.part("ball", 0.05, (1e-5,) * 3, position=(0.25, 0.05, 0.03))
    m.sphere(ball, (0.25, 0.05, 0.03), 0.01)
    plate.touch(ball, stiffness=1e5, name="on the plate")
    run = hn.simulate(m, end=0.15, steps=60, kind="dynamics", integrator="RADAU5", error=1e-5)
    force = np.abs(run.contact("on the plate").force.values[:, 2])
    assert force.max() > 1.0
    assert run.mesh(plate).nodes.values[:, -2:, 2].min() < -0.005
    d = run.data
    total = d.energy_kinetic + d.energy_gravity + d.energy_elastic + d.energy_dissipated
    assert np.ptp(total) < 5e-3 * d.energy_kinetic.max()


def test_a_free_plate_and_a_free_ball_hit_each_other():
    """Neither is held: momentum and angular momentum of both together to roundoff, energy with what is lost; the ball
    flies off, the plate rings and turns."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    corners = [(0, 0, 0), (0.2, 0, 0), (0.2, 0.1, 0), (0, 0.1, 0)]
    plate = ancf_plate(m, corners, 0.002, E=7e9, density=1200.0, elements=(3, 1), velocity=(0, 0, 0.5), name="plate")
    at, v = np.array([0.15, 0.05, 0.012]), np.array([0.1, 0.0, -1.5])
    ball = m.part("ball", 0.02, (8e-7,) * 3, position=tuple(at), velocity=tuple(v))
    m.sphere(ball, tuple(at), 0.01)
    plate.touch(ball, stiffness=2e4, damping=0.0, mu=0.3, name="hit")
    sim = hn.Simulation(m)
    sim.dynamics(end=0.02, steps=40, integrator="RADAU5", error=1e-7)
    run = sim.run()
    assert (
        np.abs(run.contact("hit").force.values[:, 2]).max() > 1.0
        and np.abs(run.contact("hit").force.values[-1]).max() == 0.0
    )
    d = run.data
    total = d.energy_kinetic + d.energy_elastic + d.energy_dissipated
    assert np.ptp(total) < 1e-3 * d.energy_kinetic.max() and d.energy_elastic[-1] > 1e-3 * d.energy_kinetic.max()
    # momentum of the plate by masses of its elements, as drawn one behind the other
    from holonom.elements.absolute import conforming_plate as kind
    from holonom.elements.absolute.lumping import unity

    e = run.mesh(plate).element
    cells = np.reshape(e.cells, (-1, 4))
    q0 = np.reshape(e.places, (-1, e.width))[cells].reshape(len(cells), -1)
    properties = np.reshape(e.properties, (len(cells), -1))
    share = np.einsum("eij,ej->ei", kind.masses(q0, properties, e.unit)[:, ::3, ::3], unity(kind, len(q0)))
    per = e.width // 3
    vectors = (per * cells[:, :, None] + np.arange(per)).reshape(len(cells), -1)
    rates = run.state(f"ABSOLUTE_MESH_{e.id}").values[:, 1::2].reshape(41, -1, 3)
    p = np.einsum("ei,teia->ta", share, rates[:, vectors]) + run.part("ball").momentum.values
    want = 1200.0 * 0.2 * 0.1 * 0.002 * np.array([0, 0, 0.5]) + 0.02 * v
    assert p[0] == pytest.approx(want, abs=1e-12) and np.abs(p - p[0]).max() < 1e-10 * np.abs(want).max()
    assert run.part("ball").velocity.values[-1, 2] > 0.2

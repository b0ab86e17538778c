"""Cables that touch along their axis, and loops: closed forms, momentum, what is idle, what cannot be."""

import time

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.flexible import Section, cable, rod
from holonom.integrators import Options, make_integrator
from holonom.system.build import System


def loop():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    R, EA, mass, n = 0.5, 2e5, 0.8, 16
    a = 2 * np.pi * np.arange(n) / n
    ring = cable(
        m, np.column_stack([R * np.cos(a), R * np.sin(a), 0 * a]), EA=EA, EI=1e-3, mass=mass, elements=n, closed=True
    )
    return m, ring, R, EA, mass, n


def test_points_of_a_loop():
    """They lie on it, across the seam too; its mass stays a narrow band."""
    m, ring, R, EA, mass, n = loop()
    assert ring.length == pytest.approx(2 * np.pi * R, rel=1e-4) and len(ring.places) == ring.mesh.nodes == n
    for s in (0.05, 1.0, ring.length - 0.05):
        place = ring.at(s).frame_in(m).origin
        phi = 2 * np.pi * s / ring.length
        assert place == pytest.approx([R * np.cos(phi), R * np.sin(phi), 0.0], abs=2e-4)
    assert ring.at(ring.length) is ring.first
    assert max(abs(a - b) for a, b in np.reshape(ring.mesh.cells, (-1, 2))) <= 2


@pytest.mark.slow
def test_a_loop_breathes():
    """A ring of a cable: sqrt(E / rho) / R."""
    m, ring, R, EA, mass, n = loop()
    w = np.abs(hn.linearize(m).eigenvalues.imag)
    assert np.abs(w / (np.sqrt(EA / mass) / R) - 1).min() < 1e-3


def test_surfaces_and_words():
    m = hn.Model()
    line = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e3, EI=0.1, mass=1.0, elements=5)
    with pytest.raises(hn.ModelError, match="needs a radius"):
        line.touch()
    with pytest.raises(hn.ModelError, match="give a whole number, 1 or more"):
        line.touch(radius=0.01, points=0)
    with pytest.raises(hn.ModelError, match="elements of a cable are 2; give a whole number from 3"):
        cable(m, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], EA=1e3, EI=0.1, mass=1.0, elements=2, closed=True)
    with pytest.raises(hn.ModelError, match="2 different points"):
        cable(m, [(0, 0, 0), (1, 0, 0), (0, 0, 0)], EA=1e3, EI=0.1, mass=1.0, closed=True)
    assert len(line.surface(0.01, points=3)) == 16 and line.surface(0.01, points=3) is line.surface(0.01, points=3)
    own = line.touch(radius=0.01, points=2)
    assert own.stiffness == pytest.approx(1e3 / 0.2 / 2)
    assert hn.Model.from_json(m.to_json()).to_json() == m.to_json()


def capstan(mu=0.3, points=1, n=24):
    """A cable half round a fixed drum, one end loaded, the other one drawn on: ratio of the tensions, and what it
    should be."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    R, r, load = 0.1, 0.001, 10.0
    step = (R + r) * np.pi / n
    arc = [((R + r) * np.cos(a), (R + r) * np.sin(a), 0.0) for a in np.linspace(0, np.pi, n + 1)]
    drawn = [(R + r, -step * k, 0.0) for k in (3, 2, 1)] + arc + [(-R - r, -step * k, 0.0) for k in (1, 2, 3, 4)]
    s = Section.round(r)
    rope = cable(
        m, drawn, EA=2e9 * s.A, EI=2e7 * s.Iy, mass=2000 * s.A, damping=1e-3, tension=load, elements=n + 7, radius=r
    )
    rope.touch(m.cylinder(m.ground, (0, 0, -0.03), (0, 0, 0.03), R), mu=mu, points=points)
    m.vforce(m.marker(rope.first), m.ground, "0", f"-{load}", "0", rm=m.marker(m.ground))
    slide = m.translational(rope.last, m.ground, at=drawn[-1], axis=(0, -1, 0))
    m.motion(slide, "0.05*TIME*STEP(TIME,0,0,0.012,1)")
    run = hn.simulate(m, end=0.06, steps=24, error=1e-4)
    pull = run.mesh(rope).section("axial force").values[-6:]
    return pull[:, -1].mean() / pull[:, 0].mean(), np.exp(mu * np.pi * R / (R + r))


@pytest.mark.slow
@pytest.mark.parametrize("mu, points, n", [(0.2, 1, 24), (0.3, 2, 24), (0.5, 1, 24), (0.3, None, 6), (0.3, None, 8)])
def test_a_cable_on_a_drum(mu, points, n):
    """Euler and Eytelwein: friction acts at the radius of the drum, tension at that of the axis; nodes half as far
    apart as the drum is wide, or near to each other."""
    found, want = capstan(mu, points, n)
    assert found == pytest.approx(want, rel=5e-3)


@pytest.mark.slow
def test_cables_and_rods_hit_each_other():
    """Two cables, and a cable and a rod, that cross, hit each other and part: momentum to roundoff, energy but for what
    the integrator leaves."""
    for other in ("cable", "rod"):
        m = hn.Model()
        m.gravity = (0, 0, 0)
        s = Section.round(0.01)
        low = cable(
            m,
            [(-0.2, 0.01, 0.0), (0.2, 0.03, 0.0)],
            s,
            E=1e8,
            density=1000.0,
            elements=5,
            velocity=(0, 0.1, 2.0),
            name="low",
        )
        ends = [(0.02, -0.2, 0.025), (0.05, 0.2, 0.03)]
        if other == "cable":
            high = cable(m, ends, s, E=1e8, density=1000.0, elements=5, velocity=(0.3, 0.1, -2.0), name="high")
        else:
            high = rod(m, ends, s, E=1e8, density=1000.0, elements=6, name="high")
            for p in high.parts:
                p.vx, p.vy, p.vz = 0.3, 0.1, -2.0
        low.touch(high, mu=0.3, damping=0.0)
        sim = hn.Simulation(m)
        sim.dynamics(end=0.02, steps=20, integrator="RADAU5", error=1e-6)
        run = sim.run()
        p = np.zeros((21, 3))
        for name in ("low", "high")[: 2 if other == "cable" else 1]:
            view = run.mesh(name)
            p += momentum_of(view, run.state(f"ABSOLUTE_MESH_{view.element.id}").values[:, 1::2].reshape(21, -1, 3))
        for q in high.parts if other == "rod" else ():
            p += run.part(q).momentum.values
        assert np.abs(run.contact("low touch").force.values).max() > 1.0
        assert np.abs(p - p[0]).max() < 1e-10 * 0.13 * 2.0
        d = run.data
        assert np.ptp(d.energy_kinetic + d.energy_elastic + d.energy_dissipated) < 2e-4 * d.energy_kinetic.max()


def momentum_of(view, rates):
    """(nt, 3) from rates (nt, vectors, 3): the integral of density over each shape, by consistent masses of
    elements."""
    from holonom.elements.absolute import cable as kind

    e = view.element
    cells = np.reshape(e.cells, (-1, 2))
    q0 = np.reshape(e.places, (-1, 6))[cells].reshape(len(cells), 12)
    own = kind.masses(q0, np.reshape(e.properties, (len(cells), -1)), e.unit)[:, ::3, ::3]
    share = np.einsum("eij,j->ei", own, [1.0, 0.0, 1.0, 0.0])
    at = (2 * cells[:, :, None] + np.arange(2)).reshape(len(cells), 4)
    return np.einsum("ei,teia->ta", share, rates[:, at])


@pytest.mark.slow
def test_a_belt_runs_round_two_pulleys():
    """A closed cable over two pulleys, the first one driven, a torque on the second: what friction carries, (T1 - T2)
    r, is that torque."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    r, R, gap, load = 0.002, 0.05, 0.2, 0.3
    a = np.linspace(0, np.pi, 17)
    right = np.column_stack([gap + (R + r) * np.sin(a), (R + r) * np.cos(a), 0 * a])
    left = np.column_stack([-(R + r) * np.sin(a), -(R + r) * np.cos(a), 0 * a])
    flat = np.linspace(0, gap, 6)[1:-1]
    top = np.column_stack([flat, np.full(4, R + r), 0 * flat])
    points = np.concatenate([top, right, (top * [1, -1, 1])[::-1], left])
    belt = cable(
        m,
        points,
        EA=2e4,
        EI=1e-4,
        mass=0.05,
        damping=1e-3,
        tension=40.0,
        elements=80,
        radius=r,
        closed=True,
        name="belt",
    )
    wheels = []
    for k, x in enumerate((0.0, gap)):
        wheel = m.part(f"pulley {k + 1}", 0.2, (1e-4, 1e-4, 2e-4), position=(x, 0, 0))
        joint = m.revolute(wheel, m.ground, at=(x, 0, 0), axis=(0, 0, 1))
        m.cylinder(wheel, (x, 0, -0.02), (x, 0, 0.02), R)
        wheels.append((wheel, joint))
        belt.touch(wheel, mu=0.5, name=f"on {k + 1}")
    m.motion(wheels[0][1], "-5*TIME*STEP(TIME,0,0,0.02,1)")
    m.vtorque(m.marker(wheels[1][0]), m.ground, "0", "0", f"{load}*STEP(TIME,0,0,0.02,1)", rm=m.marker(m.ground))
    run = hn.simulate(m, end=0.12, steps=24, error=1e-4)
    pull = run.mesh(belt).section("axial force").values[-8:].mean(0)
    at = run.mesh(belt).axis(2).values[-1][1::2]
    middle = (at[:, 0] > 0.3 * gap) & (at[:, 0] < 0.7 * gap)
    up, down = pull[middle & (at[:, 1] > 0)].mean(), pull[middle & (at[:, 1] < 0)].mean()
    assert abs(up - down) * (R + r) == pytest.approx(load, rel=0.03)
    spin = run.part("pulley 2").angular_velocity.values[-8:, 2].mean()
    assert spin == pytest.approx(-5.0, rel=0.03)


@pytest.mark.slow
def test_what_touches_nothing_costs_little():
    """Two hundred points that may touch, and none does: the search is less than half of a step."""
    times = {}
    for touching in (False, True):
        m = hn.Model()
        m.gravity = (0, 0, -9.81)
        line = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e4, EI=1e-2, mass=0.1, elements=200, radius=1e-3)
        m.spherical(line.first, m.ground, at=(0, 0, 0))
        line.surface()
        floor = m.plane(m.ground, at=(0, 0, -50.0), normal=(0, 0, 1))
        if touching:
            line.touch(floor, shape="capsule")
        system = System(m)
        options = Options(
            error=1e-3, hmax=1e-4, hmin=1e-4, fixed=True, newton=1e-7, jacobian="modified", extra={"rho": 0.8}
        )
        made = make_integrator("GENERALIZED_ALPHA", system, options)
        made.start(0.0, assemble(system).y, 1.0)
        made.step(1.0)
        rounds = []
        for _ in range(5):
            clock = time.process_time()
            for _ in range(50):
                made.step(1.0)
            rounds.append(time.process_time() - clock)
        times[touching] = min(rounds)
    assert times[True] < 1.5 * times[False]

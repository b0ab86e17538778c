"""Rods that touch: ropes on drums, belts, coils, impacts, against closed forms and balances; what cannot be."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, rod

EYE = np.eye(3)


def energy(run):
    d = run.data
    return d.energy_kinetic + d.energy_gravity + d.energy_elastic + d.energy_dissipated - d.energy_input


def capstan(
    mu=0.2, R=0.1, r=0.001, per=12, turns=0.5, load=10.0, pull=0.05, end=0.05, f=1.0, units="SI", turn=EYE, at=(0, 0, 0)
):
    """A rope ``turns`` round a fixed drum, one end loaded, the other one drawn on.  -> ratio of the tensions; lengths
    times ``f``, masses as they are."""
    m = hn.Model(units=units)
    m.gravity = (0, 0, 0)
    P = lambda x: tuple(f * (turn @ np.asarray(x, float) + at))
    Rc, step = R + r, np.pi / per
    beta = 2 * np.pi * turns
    angles = np.linspace(0, beta, round(beta / step) + 1)
    arc = (
        [Rc * np.array([np.cos(a), np.sin(a), 0.02 * a / step]) for a in angles]
        if turns > 0.9
        else [Rc * np.array([np.cos(a), np.sin(a), 0]) for a in angles]
    )
    off = np.array([-np.sin(beta), np.cos(beta), 0.0])
    near = [arc[0] - np.array([0, step * Rc * k, 0]) for k in (2, 1)]
    far = [arc[-1] + off * step * Rc * k for k in (1, 2, 3)]
    points = [P(x) for x in near + arc + far]
    rope = rod(
        m,
        points,
        Section.round(f * r),
        E=2e9 / f,
        density=2000.0 / f**3,
        damping=1e-3,
        straight=True,
        bending=0.01,
        tension=f * load,
        name="rope",
    )
    drum = m.cylinder(m.ground, P((0, 0, -0.05)), P((0, 0, 0.2)), f * R)
    rope.touch(drum, mu=mu, shape="sphere")
    m.vforce(
        rope.first.cm,
        m.ground,
        *(f"{v!r}" for v in (f * load * (turn @ (0.0, -1.0, 0.0))).tolist()),
        rm=m.marker(m.ground),
    )
    end_joint = m.translational(rope.last, m.ground, at=points[-1], axis=tuple(turn @ off))
    m.motion(end_joint, f"{f * pull!r}*TIME*STEP(TIME,0,0,{end / 5!r},1)")
    run = hn.simulate(m, end=end, steps=20, error=1e-4)
    T = rope.tension(run)
    return T[-5:, -1].mean() / T[-5:, 0].mean()


def test_a_rope_on_a_fixed_drum():
    """Euler and Eytelwein; friction acts at R, the tension at R + r: exp(mu beta R / (R + r))."""
    found = capstan()
    assert found == pytest.approx(np.exp(0.2 * np.pi * 0.1 / 0.101), rel=5e-3)
    from scipy.spatial.transform import Rotation

    again = capstan(
        f=1000.0, units="mm", turn=Rotation.from_rotvec((0.3, -1.1, 0.6)).as_matrix(), at=np.array([4.0, -2.0, 7.0])
    )
    assert again == pytest.approx(found, rel=1e-3)


def test_a_light_rope_is_no_chain_of_hinges():
    """A string under a tension ten thousand times 12 EI/l^2: n/2L sqrt(T/m'), discrete (lumped masses: sin(n pi/2N) for
    n pi/2N)."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    T, L, n, r = 50.0, 1.0, 20, 0.0005
    string = rod(
        m,
        [(0, 0, 0), (L, 0, 0)],
        Section.round(r),
        E=2e9,
        density=2000.0,
        elements=n,
        bending=0.01,
        tension=T,
        y=(0, 1, 0),
    )
    assert T > 1e4 * 12 * string.beams[0].EIy * n**2 / L**2
    for node, x in ((string.first, 0.0), (string.last, L)):
        m.fixed(node, m.ground, at=(x, 0, 0))
    found = hn.linearize(m).eigenvalues
    assert found.real.max() < 1e-6
    wave = np.sqrt(T / (2000.0 * np.pi * r * r) / (1 + T / (2e9 * np.pi * r * r)))  # stretched, it is lighter
    for k in (1, 2, 3):
        want = 2 * n / L * np.sin(k * np.pi / (2 * n)) * wave * (1 + T / (2e9 * np.pi * r * r))
        assert np.abs(np.abs(found.imag) / want - 1).min() < 2e-2


def test_a_closed_rod_is_a_ring():
    """Breathing of a ring: sqrt(E / rho) / R; bending in its plane (n = 2): 6/sqrt(5) sqrt(EI / m') / R^2 (Hoppe),
    lumped masses of 24 nodes."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    R, E, rho, n = 0.5, 2.1e11, 7850.0, 24
    s = Section.round(0.01)
    a = 2 * np.pi * np.arange(n) / n
    ring = rod(m, np.column_stack([R * np.cos(a), R * np.sin(a), 0 * a]), s, E=E, density=rho, closed=True)
    assert len(ring.parts) == len(ring.beams) == n
    w = np.abs(hn.linearize(m).eigenvalues.imag)
    for want in (np.sqrt(E / rho) / R, 6 / np.sqrt(5) * np.sqrt(E * s.Iz / (rho * s.A)) / R**2):
        assert np.abs(w / want - 1).min() < 1.5e-2


def test_impact_of_two_rods_keeps_momentum():
    """They cross, hit each other and part: momentum and moment of momentum to roundoff, energy but for the damping."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    rods = []
    for k, (a, b) in enumerate((((-0.2, 0.01, 0.0), (0.2, 0.03, 0.0)), ((0.02, -0.2, 0.025), (0.05, 0.2, 0.03)))):
        x = rod(m, [a, b], Section.round(0.01), E=1e8, density=1000.0, elements=6, name=f"rod {k + 1}")
        for p in x.parts:
            p.vx, p.vy, p.vz = 0.3 * k, 0.1, 2.0 - 4.0 * k
        rods.append(x)
    rods[0].touch(rods[1], mu=0.3, damping=0.0)
    run = hn.simulate(m, end=0.02, steps=20, integrator="RADAU5", error=1e-6)
    p, L = np.zeros((21, 3)), np.zeros((21, 3))
    for q in (*rods[0].parts, *rods[1].parts):
        part = run.part(q)
        p += part.momentum.values
        L += part.angular_momentum.values + np.cross(part.position.values, part.momentum.values)
    assert run.contact("rod 1 touch").force.values.__abs__().max() > 1.0
    assert np.abs(p[-1] - p[0]).max() < 1e-10 * np.abs(rods[0].mass * 7 * 2.0)
    assert np.abs(L - L[0]).max() < 1e-8
    assert np.ptp(energy(run)) < 1e-4 * run.data.energy_kinetic.max()


def test_a_rope_across_a_rope():
    """Two cords held at their ends press on each other by what the weight of the upper one leaves: both forces and the
    sag of both."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    r, E, rho = 0.004, 1e8, 1200.0
    low = rod(
        m,
        [(-0.3, 0, 0), (0.3, 0, 0)],
        Section.round(r),
        E=E,
        density=rho,
        elements=12,
        bending=0.05,
        tension=20.0,
        name="low",
    )
    high = rod(
        m,
        [(0, -0.3, 2 * r), (0, 0.3, 2 * r)],
        Section.round(r),
        E=E,
        density=rho,
        elements=12,
        bending=0.05,
        tension=10.0,
        name="high",
    )
    for cord in (low, high):
        for node, at in ((cord.first, cord.places[0]), (cord.last, cord.places[-1])):
            m.spherical(node, m.ground, at=tuple(at))
    m.vforce(high.parts[6].cm, m.ground, "0", "0", "-5", rm=m.marker(m.ground))
    low.touch(high, name="knot")
    sim = hn.Simulation(m)
    sim.statics()
    run = sim.run()
    force = run.contact("knot").force.values[-1]
    on = sum(run.joint(k).force.values[-1] for k in (3, 4))  # what holds the upper cord
    weight = rho * np.pi * r * r * 0.6 * 9.81
    assert abs(force[2]) > 1.0
    assert abs(abs(force[2]) + abs(on[2]) - 5.0 - weight) < 1e-6
    gap = run.part(high.parts[6]).position.values[-1, 2] - run.part(low.parts[6]).position.values[-1, 2]
    assert 2 * r - gap == pytest.approx(abs(force[2]) / low.hardness, rel=1e-3)


@pytest.mark.parametrize("what", ("plane", "cylinder"))
def test_a_falling_rope_loses_what_friction_and_damping_take(what):
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    rope = rod(
        m,
        [(-0.25, 0, 0.112), (0.35, 0, 0.112)],
        Section.round(0.005),
        E=1e8,
        density=3000.0,
        damping=1e-3,
        bending=0.05,
        elements=12,
    )
    on = (
        m.plane(m.ground, (0, 0, 0.1), (0, 0, 1))
        if what == "plane"
        else m.cylinder(m.ground, (0, -0.1, 0), (0, 0.1, 0), 0.1)
    )
    rope.touch(on, mu=0.3)
    run = hn.simulate(m, end=0.15, steps=15, error=1e-4)
    assert "integrator RADAU5" in " ".join(run.info["messages"])
    d = run.data
    assert np.ptp(energy(run)) < 5e-4 * np.ptp(d.energy_gravity)
    assert np.all(np.diff(d.energy_dissipated) > -1e-9) and d.energy_dissipated[-1] > 0.01 * np.ptp(d.energy_gravity)
    if what == "plane":
        assert d.energy_kinetic[-1] < 1e-8
        weight = 3000.0 * np.pi * 0.005**2 * 0.6 * 9.81
        assert run.contact("rod touch").force.values[-1] == pytest.approx([0, 0, weight], abs=1e-3 * weight)


def test_neighbours_do_not_touch_each_other():
    """A coil of two turns: neighbours along the axis never meet, turns that lie on each other do."""
    m = hn.Model()
    a = np.linspace(0, 4 * np.pi, 33)
    coil = rod(
        m,
        np.column_stack([0.1 * np.cos(a), 0.1 * np.sin(a), 0.02 * a / (2 * np.pi)]),
        Section.round(0.01),
        E=1e7,
        density=1000.0,
    )
    contact = coil.touch(mu=0.2)
    l = np.linalg.norm(coil.places[1] - coil.places[0])
    beside = int((np.pi * 0.01 + l) / l + 1e-9)
    assert len(contact.exclude) == sum(33 - k for k in range(1, beside + 1))
    ring = rod(
        m,
        [(0.1 * np.cos(x), 0.1 * np.sin(x), 1.0) for x in a[:16]],
        Section.round(0.01),
        E=1e7,
        density=1000.0,
        closed=True,
        name="ring",
    )
    assert len(ring.touch().exclude) == 16 * int((np.pi * 0.01 + 0.0391) / 0.0391 + 1e-9)
    assert coil.surface() is coil.surface() and len(coil.surface(0.01, "sphere")) == 33


def test_a_tube_is_as_thick_as_it_is():
    m = hn.Model()
    pipe = rod(m, [(0, 0, 0), (1, 0, 0)], Section.round(0.02, 0.015), E=1e9, density=1000.0)
    assert pipe.radius == pytest.approx(0.02)


def test_what_cannot_be_says_so():
    m = hn.Model()
    flat = rod(m, [(0, 0, 0), (1, 0, 0)], Section.rectangle(0.02, 0.01), E=1e9, density=1000.0, elements=4, name="leaf")
    ball = m.sphere(m.ground, (0, 0, 1), 0.1)
    for words, match in (
        (dict(), "leaf: its section is not round"),
        (dict(radius=-1.0), "leaf: radius -1"),
        (dict(radius=0.01, shape="cube"), "shape 'cube' of a surface"),
        (dict(radius=0.01, stifness=1.0), "stifness"),
        (dict(radius=0.01, stiffness="hard"), "stiffness of its contact is 'hard'"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            flat.touch(ball, **words)
    s = Section.round(0.01)
    for words, match in (
        (dict(closed=True), "a closed rod has 2 different points"),
        (dict(tension=1e9), "tension of a rod is 1000000000.0"),
        (dict(bending=0.0), "bending of a rod is 0.0"),
        (dict(closed=True, points=[(0, 0, 0), (1, 0, 0), (1, 1, 0)], elements=2), "elements of a closed rod are 2"),
    ):
        words = {"points": [(0, 0, 0), (1, 0, 0)], **words}
        with pytest.raises(hn.ModelError, match=match):
            rod(m, words.pop("points"), s, E=1e9, density=1000.0, **words)

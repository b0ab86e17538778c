"""Surfaces of flexible bodies against closed forms: Hertz, waves in bars, a rigid block on a spring; against
`flexible.mixed`; results at nodes."""

import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn
from holonom.flexible import Material, Mesh, mixed, rayleigh

E, RHO, R = 2.1e11, 7850.0, 0.05


def graded(count, inner, total, more):
    """``count`` equal steps up to ``inner``, then ``more`` that grow up to ``total``."""
    h = inner / count
    q = brentq(lambda q: h * q * (q**more - 1) / (q - 1) - (total - inner), 1.001, 10)
    return np.concatenate([np.linspace(0, inner, count + 1), inner + np.cumsum(h * q ** np.arange(1, more + 1))])


def column(edges, a, bottom, up=1.0, radius=None, width=None):
    """A block with fine edges around the middle of its surface at z = bottom, round of a radius (about y where it has a
    ``width``), with the region around the contact of half axis a, and the corners on its far side."""
    x = graded(edges, 1.4 * a, 8 * a, 5)
    x = np.concatenate([-x[:0:-1], x])
    deep = max(2, edges // 2)
    z = graded(deep, 1.4 * a * deep / edges, 16 * a, 6)
    y = x if width is None else np.array([0.0, width])
    lattice = hn.flexible.box((0, 0, 0), (1, 1, 1), (len(x) - 1, len(y) - 1, len(z) - 1), "hexahedron")
    i = np.rint(lattice.points * [len(x) - 1, len(y) - 1, len(z) - 1]).astype(int)
    X, Y, Z = x[i[:, 0]], y[i[:, 1]], z[i[:, 2]]
    near = np.abs(X) < 1.41 * a
    if radius is not None:
        Z = Z + (X**2 + (Y**2 if width is None else 0.0)) / (2 * radius) * (1 - Z / z[-1])
    if width is None:
        near &= np.abs(Y) < 1.41 * a
    cells = lattice.cells["hexahedron"]
    mesh = Mesh(
        np.column_stack([X, Y, bottom + up * Z]),
        {"hexahedron": cells if up > 0 else cells[:, [4, 5, 6, 7, 0, 1, 2, 3]]},
    )
    corner = (i[:, 2] == len(z) - 1) & np.isin(i[:, 0], (0, len(x) - 1)) & np.isin(i[:, 1], (0, len(y) - 1))
    return mesh, mesh.ids[(i[:, 2] == 0) & near], mesh.points[corner]


def held(m, name, found, nu, **choice):
    mesh, region, corners = found
    part = m.part(name, 1.0, (1, 1, 1), tuple(mesh.points.mean(0)))
    for c in corners:
        m.fixed(part, m.ground, at=tuple(c))
    m.make_flexible(
        part,
        mesh,
        Material(E, nu, RHO),
        contact=region,
        geometric=False,
        invariants="constant",
        **choice or dict(modes=0),
    )
    return part


def pressed(edges, flexible, line, nu, way="node-to-surface", **choice):
    """A round body pushed onto a flat one at rest: half axis and largest pressure of the parabola p^2 in addition to
    those of Hertz, less one."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a = 0.02 * R
    width = 2.8 * a / edges if line else None
    push = (1.6 if line else 2.0) * a * a / R
    upper = held(m, "round", column(edges, a, -push, 1.0, R, width), nu, **choice)
    onto = (
        held(m, "flat", column(edges + 1, a, 0.0, -1.0, None, width), nu, **choice)
        if flexible
        else m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    )
    m.surface_contact(upper, onto, name="touch", way=way, overlap=2 * push)
    sim = hn.Simulation(m)
    sim.statics()
    run = sim.run()
    view = run.surface("touch")
    total = run.force("touch").force.values[-1]
    assert view.force.values[-1].sum(0) == pytest.approx(total, rel=1e-6, abs=1e-6 * abs(total[2]))
    at = run.flexible("round").body
    x = at.places[[at.place[int(k)] for k in view.nodes]]
    r = np.abs(x[:, 0]) if line else np.hypot(x[:, 0], x[:, 1])
    if flexible:
        assert view.onto_force.values[-1].sum(0) == pytest.approx(-total, rel=1e-6, abs=1e-6 * abs(total[2]))
    modulus = E / (1 - nu**2) / (2.0 if flexible else 1.0)
    F = total[2]
    if line:
        F = F / width
        want = np.sqrt(4 * F * R / np.pi / modulus), np.sqrt(F * modulus / np.pi / R)
    else:
        half = (0.75 * F * R / modulus) ** (1 / 3)
        want = half, 1.5 * F / np.pi / half**2
    p = view.pressure.values[-1]
    inside = r < 0.8 * want[0]
    slope, level = np.polyfit(r[inside] ** 2, p[inside] ** 2, 1)  # p^2 = p0^2 (1 - r^2 / a^2)
    return np.sqrt(-level / slope) / want[0] - 1, np.sqrt(level) / want[1] - 1


def test_line_contact_of_hertz():
    """Half width and largest pressure on a rigid plane; without lateral contraction a thin slab is plane."""
    assert np.abs(pressed(10, False, True, 0.0)).max() < 0.02


@pytest.mark.slow
def test_line_contact_of_two_bodies_that_bend():
    """On a flat body of another mesh."""
    assert np.abs(pressed(10, True, True, 0.0, "surface-to-surface")).max() < 0.02


#: dents in place of modes of each node; nothing is fast here
AT_REST = dict(accuracy=0.5, shortest=1.0)


@pytest.mark.slow
def test_point_contact_of_hertz():
    """Half axis and largest pressure come nearer with the mesh, to 2 %, with 49, 81 and 169 nodes that may touch."""
    off = [np.abs(pressed(edges, False, False, 0.3, **AT_REST)).max() for edges in (3, 4, 6)]
    assert off[2] < 0.02 and off[2] < off[1] < off[0]


@pytest.mark.slow
def test_point_contact_of_two_bodies_that_bend():
    """On a flat body of another mesh, nearer with each mesh, to 2 %; with nodes alone as points a mesh that does not
    match passes no even pressure, which is reported."""
    off = [np.abs(pressed(edges, True, False, 0.3, "surface-to-surface", **AT_REST)).max() for edges in (3, 4, 5)]
    assert off[2] < 0.02 and off[2] < off[1] < off[0]
    with pytest.warns(
        UserWarning, match="where node-to-surface passes no even pressure .*; take way = surface-to-surface"
    ):
        assert np.abs(pressed(5, True, False, 0.3, **AT_REST)).max() > 0.02


@pytest.mark.slow
def test_dents_are_those_of_modes_of_each_node():
    """The same statics with three modes a node."""
    assert pressed(3, False, False, 0.3, **AT_REST) == pytest.approx(pressed(3, False, False, 0.3), abs=2e-3)


SIDE, LENGTH, SPEED = 0.01, 0.2, 0.5


def bars(cells, modes, second=LENGTH, beta=2e-8, way="node-to-surface", steps=400):
    """A bar hits another one end on."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    gap = 1e-6
    parts = []
    for k, (x0, x1) in enumerate(((-LENGTH - gap, -gap), (0.0, second))):
        count = round(cells * (x1 - x0) / LENGTH)
        mesh = hn.flexible.box((x0, -SIDE / 2, -SIDE / 2), (x1, SIDE / 2, SIDE / 2), (count, 1, 1), "hexahedron")
        parts.append(m.part(f"bar {k + 1}", 1.0, (1, 1, 1), ((x0 + x1) / 2, 0, 0)))
        m.make_flexible(
            parts[-1],
            mesh,
            Material(E, 0.0, RHO),
            contact=("x+", "x-")[k],
            modes=modes,
            damping=rayleigh(0, beta),
            geometric=False,
            invariants="constant",
        )
    parts[0].vx = SPEED
    touch = m.surface_contact(*parts, way=way, name="hit")
    T = 2 * LENGTH / np.sqrt(E / RHO)
    run = hn.simulate(m, end=gap / SPEED + 1.6 * T, steps=steps, integrator="RADAU5", error=1e-6)
    return run, parts, T, touch


@pytest.mark.slow
def test_impact_of_bars_is_that_of_st_venant():
    """Force rho c A v / 2 for the time 2 L / c, after which the bars have exchanged their speeds; momentum, energy,
    loads at the nodes."""
    run, parts, T, _ = bars(40, 38)
    f = -run.force("hit").force.values[:, 0]
    level = RHO * np.sqrt(E / RHO) * SIDE**2 * SPEED / 2
    t = run.time - 1e-6 / SPEED
    assert f[(t > 0.1 * T) & (t < 0.9 * T)].mean() == pytest.approx(level, rel=0.02)
    on = t[f > 0.01 * f.max()]
    assert on[-1] - on[0] == pytest.approx(T, rel=0.04)
    assert run.part(parts[0]).velocity.values[-1, 0] == pytest.approx(0.0, abs=0.02 * SPEED)
    assert run.part(parts[1]).velocity.values[-1, 0] == pytest.approx(SPEED, rel=0.02)
    p = sum(run.part(q).momentum.values for q in parts)
    assert np.abs(p - p[0]).max() < 1e-10 * p[0, 0]
    d = run.data
    assert np.ptp(d.energy_kinetic + d.energy_elastic + d.energy_dissipated) < 2e-4 * d.energy_kinetic[0]
    # what the view finds again at the nodes balances each bar, and the stress behind the front is that of the wave
    view = run.surface("hit")
    assert np.abs(view.force.values.sum(1)[:, 0] + f).max() < 1e-6 * f.max()
    for q in parts:
        loads = run.flexible(q).interface_loads()
        assert "hit" in loads.sources[0] and loads.residual.max() < 1e-6 * loads.scale
    stress = run.flexible(parts[1]).stress().sel(component="xx").values
    middle = np.abs(run.flexible(parts[1]).body.places[:, 0] - 0.25 * LENGTH) < 0.02 * LENGTH
    between = (t > 0.3 * T) & (t < 0.8 * T)  # the front has passed, what returns from the free end has not
    assert stress[np.ix_(between, middle)].mean() == pytest.approx(-level / SIDE**2, rel=0.03)


@pytest.mark.slow
def test_impact_of_bars_converges():
    for second, away, speeds in ((LENGTH, 0.01, (0.0, 1.0)), (2 * LENGTH, 0.025, (0.0, 0.5))):
        run, parts, T, _ = bars(100, 90, second, 1e-8)
        found = [run.part(q).velocity.values[-1, 0] / SPEED for q in parts]
        assert found == pytest.approx(speeds, abs=away)


@pytest.mark.slow
def test_impact_of_bars_is_that_of_mixed_coordinates():
    """Another code for the same bodies, with impulses in place of a penalty; forces averaged over a fortieth of the
    contact, as light nodes rattle."""
    run, parts, T, touch = bars(40, 60, beta=1e-7)
    f = -run.force("hit").force.values[:, 0]
    bodies = []
    for k, x0 in enumerate((-LENGTH - 1e-6, 0.0)):
        mesh = hn.flexible.box((x0, -SIDE / 2, -SIDE / 2), (x0 + LENGTH, SIDE / 2, SIDE / 2), (40, 1, 1), "hexahedron")
        bodies.append(mixed.space(mesh, Material(E, 0.0, RHO), mass="consistent", name=f"bar {k + 1}"))
    surfaces = ("x+", "x-")
    course = mixed.collide(
        mixed.Contact(*bodies, surfaces),
        [b.kept(s, 60) for b, s in zip(bodies, surfaces)],
        velocity=((SPEED, 0, 0), (0, 0, 0)),
        end=float(run.time[-1]),
        step=5e-8,
        damping=1e-7,
    )
    smooth = lambda x: np.convolve(x, np.ones(6) / 6, "same")
    other = smooth(np.interp(run.time, course.time, course.force))
    assert mixed.correlation(smooth(f), other) > 0.99
    assert np.trapezoid(f, run.time) == pytest.approx(course.impulse, rel=1e-2)


def test_rigid_limit_is_a_block_on_a_spring():
    """Ten thousand times as stiff as steel: half a sine of the layer's stiffness k A."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    gap, k = 1e-4, 1e8
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 0.05 + gap))
    block.vz = -1.0
    mesh = hn.flexible.box((-0.1, -0.1, gap), (0.1, 0.1, 0.1 + gap), (2, 2, 1), "hexahedron")
    m.make_flexible(block, mesh, Material(1e14, 0.3, 1000.0), contact="z-", modes=4)
    m.surface_contact(block, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=k, name="hit")
    run = hn.simulate(m, end=0.005, steps=100, integrator="RADAU5", error=1e-7)
    mass, stiffness = 4.0, k * 0.04
    w = np.sqrt(stiffness / mass)
    t = run.time - gap
    want = np.where((t > 0) & (w * t < np.pi), stiffness / w * np.sin(w * t), 0.0)
    assert np.abs(run.force("hit").force.values[:, 2] - want).max() < 1e-5 * want.max()
    assert run.surface("hit").depth.values.max() == pytest.approx(want.max() / stiffness, rel=1e-4)
    assert run.surface("hit").missed == 0.0


def test_a_block_in_flight_does_not_pass_through_a_floor():
    """Ten outputs over a flight of a metre: steps end before the floor."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 1.05))
    mesh = hn.flexible.box((-0.1, -0.1, 1.0), (0.1, 0.1, 1.1), (2, 2, 1), "hexahedron")
    m.make_flexible(block, mesh, Material(1e8, 0.3, 1000.0), contact="z-", modes=4, damping=0.05)
    m.surface_contact(block, m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
    run = hn.simulate(m, end=0.6, steps=3)
    assert run.data.body_position[-1, 0, 2] > 0.2


def struck(edges, speed=0.5, **choice):
    """A crowned block hits a rigid plane: the run, its mass, and the peak and the duration of Hertz's theory of
    impact."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    mesh, region, _ = column(edges, 0.013 * R, 1e-7, 1.0, R)
    part = m.part("crowned", 1.0, (1, 1, 1), tuple(mesh.points.mean(0)))
    part.vz = -speed
    m.make_flexible(part, mesh, Material(E, 0.3, RHO), contact=region, geometric=False, invariants="constant", **choice)
    m.surface_contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), name="hit")
    k = 4 / 3 * E / (1 - 0.3**2) * np.sqrt(R)
    peak, duration = (
        k**0.4 * (1.25 * part.mass * speed**2) ** 0.6,
        2.9432 * (25 / 16 * part.mass**2 / (k**2 * speed)) ** 0.2,
    )
    run = hn.simulate(m, end=1.2 * duration, steps=120, integrator="RADAU5", error=1e-5)
    return run, part.mass, peak, duration


def test_impact_of_dents_is_that_of_hertz():
    """Peak and duration (of a half space; the block is 27 half axes deep), twice the momentum, energy; the inertia of
    the dents would have taken little."""
    run, mass, peak, duration = struck(3, accuracy=0.02)
    f = run.force("hit").force.values[:, 2]
    assert f.max() == pytest.approx(peak, rel=0.05)
    assert np.ptp(run.time[f > 0.0]) == pytest.approx(duration, rel=0.04)
    assert np.trapezoid(f, run.time) == pytest.approx(2 * mass * 0.5, rel=1e-3)
    d = run.data
    assert np.ptp(d.energy_kinetic + d.energy_elastic + d.energy_dissipated) < 5e-4 * d.energy_kinetic[0]
    assert 0.0 < run.surface("hit").lacking < 0.02


@pytest.mark.slow
def test_impact_of_dents_is_that_of_modes_of_each_node():
    """One mode with the dents of 49 nodes next to three modes a node, with all their inertia."""
    (few, *_), (many, *_) = struck(3, accuracy=0.02), struck(3, modes=20)
    a, b = (r.force("hit").force.values[:, 2] for r in (few, many))
    assert few.flexible("crowned").body.modes < 8 and many.flexible("crowned").body.modes > 140
    assert mixed.correlation(a, b) > 0.999
    assert a.max() == pytest.approx(b.max(), rel=0.03) and few.part("crowned").velocity.values[-1, 2] == pytest.approx(
        0.5, rel=1e-3
    )


def test_an_accuracy_chooses_modes():
    """More for less; what it cannot reach, or does not go with, is reported; dents go through JSON, and to what modes
    that are off leave."""
    mesh = hn.flexible.box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.1), (4, 4, 2), "hexahedron")

    def made(**choice):
        m = hn.Model()
        m.make_flexible(
            m.part("block", 1.0, (1, 1, 1), (0, 0, 0.05)),
            mesh,
            Material(1e8, 0.3, 1000.0),
            geometric=False,
            **dict(contact="z-") | choice,
        )
        return m, m.table("FLEXIBILITY")[1].body

    (m, rough), (_, fine) = made(accuracy=0.2), made(accuracy=0.04)
    assert rough.modes < fine.modes
    # stiffness of the surface is the same with few modes as with many, and positive
    push = [
        np.einsum("ij,ijn->in", b.dent_normal, b.shapes[[b.place[int(k)] for k in b.dented], :3]) for b in (rough, fine)
    ]
    whole = [b.dents + (p / b.frequency**2) @ p.T for b, p in zip((rough, fine), push)]
    assert np.abs(whole[0] - whole[1]).max() < 1e-8 * np.abs(whole[0]).max()
    assert np.linalg.eigvalsh(fine.dents)[0] > 0.0 and np.linalg.eigvalsh(fine.inert)[0] > 0.0
    fewer = fine.selected(range(1, rough.modes + 1))
    assert np.abs(fewer.dents - rough.dents).max() < 1e-8 * rough.dents.max()
    assert np.abs(fewer.inert - rough.inert).max() < 1e-8 * rough.inert.max()
    again = hn.Model.from_dict(m.to_dict()).table("FLEXIBILITY")[1].body
    assert again == rough and np.array_equal(again.dents, rough.dents)
    with pytest.raises(hn.ModelError, match="node .* has no local compliance, so it would be too stiff"):
        m.surface_contact("block", m.plane(m.ground, (0, 0, -1), (0, 0, 1)), region=mesh.ids[mesh.groups["x-"]])
    for choice, sentence in (
        (dict(accuracy=0.02, modes=3), "with 3 modes the inertia of its local compliance may take"),
        (dict(accuracy=0.02, contact=None), "give these, and their region, contact="),
        (dict(accuracy=2.0), "accuracy is 2; give a number from 1e-4 to 0.5"),
        (dict(accuracy=0.02, shortest=0.0), "shortest is 0; give a positive time"),
        (dict(shortest=1.0), "shortest belongs to an accuracy"),
        (dict(accuracy=0.02, highest=1e4), "leave effective and highest out"),
    ):
        with pytest.raises(hn.ModelError, match=sentence):
            made(**choice)

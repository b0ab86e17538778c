"""Surfaces of parts that bend against closed forms: Hertz, waves in bars, a rigid block on a spring; against `flexible.mixed`; results at nodes."""

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
    """A block with fine edges around the middle of its surface at z = bottom, round of a radius (about y where it has a ``width``), with the region around
    the contact of half axis a, and the corners on its far side."""
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
    mesh = Mesh(np.column_stack([X, Y, bottom + up * Z]), {"hexahedron": cells if up > 0 else cells[:, [4, 5, 6, 7, 0, 1, 2, 3]]})
    corner = (i[:, 2] == len(z) - 1) & np.isin(i[:, 0], (0, len(x) - 1)) & np.isin(i[:, 1], (0, len(y) - 1))
    return mesh, mesh.ids[(i[:, 2] == 0) & near], mesh.points[corner]


def held(m, name, found, nu):
    mesh, region, corners = found
    part = m.part(name, 1.0, (1, 1, 1), tuple(mesh.points.mean(0)))
    for c in corners:
        m.fixed(part, m.ground, at=tuple(c))
    m.make_flexible(part, mesh, Material(E, nu, RHO), contact=region, modes=0, geometric=False, invariants="constant")
    return part


def pressed(edges, flexible, line, nu, way="node-to-surface"):
    """A round body pushed onto a flat one at rest: force, and pressure over the way from the middle."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a = 0.02 * R
    width = 2.8 * a / edges if line else None
    push = (1.6 if line else 2.0) * a * a / R
    upper = held(m, "round", column(edges, a, -push, 1.0, R, width), nu)
    onto = held(m, "flat", column(edges + 1, a, 0.0, -1.0, None, width), nu) if flexible else m.plane(m.ground, (0, 0, 0), (0, 0, 1))
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


@pytest.mark.slow
def test_point_contact_of_hertz():
    """Half axis and largest pressure come nearer with the mesh."""
    coarse, fine = pressed(3, False, False, 0.3), pressed(4, False, False, 0.3)
    assert np.abs(fine).max() < min(0.05, np.abs(coarse).max())


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
        m.make_flexible(parts[-1], mesh, Material(E, 0.0, RHO), contact=("x+", "x-")[k], modes=modes, damping=rayleigh(0, beta), geometric=False,
                        invariants="constant")  # fmt: skip
    parts[0].vx = SPEED
    touch = m.surface_contact(*parts, way=way, name="hit")
    T = 2 * LENGTH / np.sqrt(E / RHO)
    run = hn.simulate(m, end=gap / SPEED + 1.6 * T, steps=steps, integrator="RADAU5", error=1e-6)
    return run, parts, T, touch


def test_impact_of_bars_is_that_of_st_venant():
    """Force rho c A v / 2 for the time 2 L / c, after which the bars have exchanged their speeds; momentum, energy, loads at the nodes."""
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
    between = (t > 0.3 * T) & (t < 0.8 * T)  # the front has passed, what comes back from the free end has not
    assert stress[np.ix_(between, middle)].mean() == pytest.approx(-level / SIDE**2, rel=0.03)


@pytest.mark.slow
def test_impact_of_bars_converges():
    for second, away, speeds in ((LENGTH, 0.01, (0.0, 1.0)), (2 * LENGTH, 0.025, (0.0, 0.5))):
        run, parts, T, _ = bars(100, 90, second, 1e-8)
        found = [run.part(q).velocity.values[-1, 0] / SPEED for q in parts]
        assert found == pytest.approx(speeds, abs=away)


@pytest.mark.slow
def test_impact_of_bars_is_that_of_mixed_coordinates():
    """Another code for the same bodies, with impulses in place of a penalty; forces averaged over a fortieth of the contact, as light nodes rattle."""
    run, parts, T, touch = bars(40, 60, beta=1e-7)
    f = -run.force("hit").force.values[:, 0]
    bodies = []
    for k, x0 in enumerate((-LENGTH - 1e-6, 0.0)):
        mesh = hn.flexible.box((x0, -SIDE / 2, -SIDE / 2), (x0 + LENGTH, SIDE / 2, SIDE / 2), (40, 1, 1), "hexahedron")
        bodies.append(mixed.space(mesh, Material(E, 0.0, RHO), mass="consistent", name=f"bar {k + 1}"))
    surfaces = ("x+", "x-")
    course = mixed.collide(
        mixed.Contact(*bodies, surfaces), [b.kept(s, 60) for b, s in zip(bodies, surfaces)], velocity=((SPEED, 0, 0), (0, 0, 0)), end=float(run.time[-1]),
        step=5e-8, damping=1e-7,
    )  # fmt: skip
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

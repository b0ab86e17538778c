"""Cables in absolute nodal coordinates: derivatives by Taylor, published benchmarks, closed forms, conservation, and
what cannot be."""

import numpy as np
import pytest

import holonom as hn
from _iteration_matrix import check, momenta
from holonom.elements.absolute import cable as kind
from holonom.flexible import cable
from holonom.results.pages.animation import scene


def machine():
    """A damped cable between ground and a part, with forces, torques and springs on its points."""
    m = hn.Model()
    m.gravity = (0.4, -0.7, -9.81)
    c = cable(
        m,
        [(0, 0, 0), (0.5, 0.1, 0.2), (1.0, 0.0, 0.3)],
        EA=300.0,
        EI=2.0,
        mass=0.8,
        damping=0.02,
        elements=3,
        length=1.1,
    )
    weight = m.part("weight", 1.5, (0.1, 0.2, 0.3), position=(1.2, 0, 0.3))
    m.spherical(c.first, m.ground, at=(0, 0, 0))
    m.fixed(c.last, weight, at=(1.0, 0, 0.3))
    middle = m.marker(c.at(0.37), (0.02, 0.05, -0.03))
    m.vforce(middle, m.ground, "3*TIME", "5", "-2*DX(1,2)", rm=m.marker(m.ground))
    m.vtorque(middle, weight, "1", "2", "-1.5", rm=middle)
    ends = [m.marker_at(b, (0.6, 0.1, 0.2)) for b in (c.nearest((0.5, 0.1, 0.2)), weight)]
    m.bushing(
        *ends,
        stiffness=(30, 40, 50),
        rotational_stiffness=(1, 2, 3),
        damping=(1, 2, 3),
        rotational_damping=(0.1, 0.2, 0.3),
    )
    m.spring_damper(middle, m.marker(m.ground, (0, 0, 1)), stiffness=20, damping=1)
    return m, c


def test_taylor():
    """K and C of the iteration matrix, and gradients of rows, against differences of the residual along random
    directions."""
    check(machine()[0], far=0.1)


def tip_under_load(n, plane):
    """Tip of a clamped cable of a steel bar, F = 3 EI/L^2 at its end."""
    L, E, b = 2.0, 2.07e11, 0.1
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = cable(m, [(0, 0, 0), (L, 0, 0)], EA=E * b * b, EI=E * b**4 / 12, mass=78.5, elements=n, plane=plane)
    m.fixed(c.first, m.ground, at=(0, 0, 0))
    m.vforce(m.marker(c.last), m.ground, "0", f"{-3.0 * E * b**4 / 12 / L**2!r}*TIME", "0", rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    return sim.run().part(c.last.name).position.values[-1] - [L, 0.0, 0.0]


def test_a_cantilever_in_large_deflection():
    """EXUDYN's ObjectANCFCable2D, digits as printed for one and eight elements, and converged (Bernoulli-Euler with
    stretch): fifth order."""
    assert tip_under_load(1, None) == pytest.approx([-0.3622447298905, -0.9941447587250, 0.0], abs=1e-9)
    assert tip_under_load(8, "xy") == pytest.approx([-0.50850923657, -1.20719775609, 0.0], abs=1e-9)
    errors = [np.abs(tip_under_load(n, None) - [-0.508537304326, -1.207239854550, 0.0]).max() for n in (8, 16, 32)]
    assert errors[2] < 4e-8 and errors[0] > 30 * errors[1] > 900 * errors[2]


@pytest.mark.slow
def test_a_falling_cable():
    """Gerstmayr and Shabana's falling cable with a spin (Chrono's file, of an element with another strain): the middle
    node after 20 ms; energy to 1e-9."""
    f = 5.0
    d = 2.0 * np.sqrt(1e-6 / np.pi) * f
    A, second, E, rho = np.pi * d**2 / 4, np.pi * d**4 / 64, 1e9 / f**4, 8000 / f**2
    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    c = cable(m, [(0, 0, 0), (1, 0, 0)], EA=E * A, EI=E * second, mass=rho * A, elements=4, spin=(0, 4, 0))
    m.spherical(c.first, m.ground, at=(0, 0, 0))
    middle = c.at(0.5)
    run = hn.simulate(m, end=0.02, steps=4, kind="dynamics", integrator="RADAU5", error=1e-8)
    assert run.part(middle.name).position.values[-1, 1] == pytest.approx(-0.0019524, rel=5e-3)
    energy = run.energy
    assert np.ptp(energy.total.values) < 1e-9 * energy.kinetic.values.max()
    view = run.mesh()
    assert view.strain_energy.values == pytest.approx(energy.elastic.values, rel=1e-9, abs=1e-15)
    assert view.axis(2).values[:, 0] == pytest.approx(np.zeros((5, 3)), abs=1e-12) and view.axis(2).shape == (5, 9, 3)
    drawn = [b["name"] for b in scene(run)["bodies"] if b["kind"].startswith("ABSOLUTE_MESH")]
    pieces = [b["name"] for b in scene(run, pieces=True)["bodies"] if b["kind"].startswith("ABSOLUTE_MESH")]
    assert drawn == ["cable"] and pieces == ["cable"] * 32 and view.section("axial force").shape == (5, 4)
    assert view.nodes.values[-1, -1] == pytest.approx(run.part(c.last.name).position.values[-1])


@pytest.mark.slow
def test_it_flies_freely():
    """Momentum and energy of a cable that bends and turns in space without forces, far from the origin: Radau and an
    explicit method."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    s = np.linspace(0.0, 1.0, 7)
    curve = np.column_stack([s, 0.2 * np.sin(2 * s), 0.1 * s**2]) + [100.0, -50.0, 20.0]
    c = cable(m, curve, EA=500.0, EI=0.05, mass=0.1, elements=6, velocity=(0.3, 0.2, -0.1), spin=(1, 2, 6.0))
    for integrator in ("RADAU5", "DOP853"):
        sim = hn.Simulation(m)
        sim.dynamics(end=0.1, steps=2, integrator=integrator, error=1e-8)
        run = sim.run()
        found = momenta(sim, run)
        assert np.abs(np.ptp(found, axis=0)).max() < 1e-10 * np.abs(found[0]).max()
        assert np.ptp(run.energy.total.values) < 2e-7 * run.energy.kinetic.values.max()
        assert run.energy.elastic.values.max() > 1e-3 * run.energy.kinetic.values.max()
    assert c.length == pytest.approx(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum(), rel=0.01)


def test_rigid_motions_strain_nothing():
    """An element turned and moved by any amount: no energy, no force, no power where it turns in its plane."""
    q0 = np.concatenate([[0, 0, 0], [0.3, 0, 0], [0.5, 0, 0], [0.3, 0, 0]])
    rows = kind.rows(q0[None], np.array([[1e4, 5.0, 1.0, 0.1, 0.5, 0.0]]), 0.3)
    rng = np.random.default_rng(4)
    for _ in range(5):
        A = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        q, v, f = q0.reshape(4, 3) @ A.T, np.zeros(12), np.zeros(12)
        spin = rng.normal(size=3)
        v = np.cross(spin, q).ravel()
        q = (q + np.outer([1, 0, 1, 0], rng.normal(size=3))).ravel()
        kind.forces(rows, 0, q, v, f)
        assert np.abs(f).max() < 1e-9 and max(np.abs(kind.energies(rows, 0, q, v))) < 1e-20


@pytest.mark.slow
def test_frequencies():
    """Hinged and clamped in one plane, clamped in the other: Bernoulli's beam; and a string by its tension."""
    L, section = 2.0, hn.flexible.Section.round(0.01)
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = cable(m, [(0, 0, 0), (L, 0, 0)], section, E=2.1e11, density=7850.0, elements=8)
    m.revolute(c.first, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    m.fixed(c.last, m.ground, at=(L, 0, 0))
    w = hn.Simulation(m).linearize().eigenvalues.imag
    base = np.sqrt(2.1e11 * section.Iy / (7850.0 * section.A)) / L**2
    assert np.sort(w[w > 0])[:4] == pytest.approx(
        base * np.array([3.9266023, 4.7300407, 7.0685827, 7.8532046]) ** 2, rel=1e-3
    )
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = cable(m, [(0, 0, 0), (L, 0, 0)], EA=1e8, EI=0.0, mass=1.0, elements=8, tension=1e4, plane="xy")
    for end, x in ((c.first, 0.0), (c.last, L)):
        m.spherical(end, m.ground, at=(x, 0, 0))
    w = hn.Simulation(m).linearize().eigenvalues.imag
    assert np.sort(w[w > 0])[:3] == pytest.approx(np.pi / L * 100.0 * np.arange(1, 4) * (1 + 1e-4), rel=1e-3)


def hung(units=None, length=1.0, force=1.0, mass=1.0):
    """A slack cable between two supports in other units: factors of length, force and mass."""
    m = hn.Model(units=units) if units else hn.Model()
    m.gravity = (0.0, -9.80665 * length, 0.0)
    points = hn.flexible.catenary((0, 0, 0), (0.9 * length, 0.3 * length, 0), 1.3 * length, down=(0, -1, 0))
    c = cable(m, points, EA=1e6 * force, EI=1e-5 * force * length**2, mass=0.4 * mass / length, elements=40)
    m.spherical(c.first, m.ground, at=(0, 0, 0))
    m.spherical(c.last, m.ground, at=(0.9 * length, 0.3 * length, 0))
    sim = hn.Simulation(m)
    sim.statics()
    return sim.run(), c


def test_a_catenary_in_other_units():
    """Between two supports, statics: the curve and the tension of the chain, in metres and in millimetres, and the
    model from its JSON."""
    run, c = hung()
    axis = run.mesh().axis(2).values[-1]
    want = hn.flexible.catenary((0, 0, 0), (0.9, 0.3, 0), 1.3, down=(0, -1, 0), points=len(axis))
    assert axis == pytest.approx(want, abs=3e-3)
    tension = run.mesh().section("axial force").values[-1]
    fine = np.diff(hn.flexible.catenary((0, 0, 0), (0.9, 0.3, 0), 1.3, down=(0, -1, 0), points=4001), axis=0)[50::100]
    weight = 0.4 * 9.80665 * 1.3  # between the supports: what the ends carry, H of both
    level = weight / (fine[-1, 1] / fine[-1, 0] - fine[0, 1] / fine[0, 0]) * 0.975
    assert tension == pytest.approx(level * np.hypot(1.0, fine[:, 1] / fine[:, 0]), rel=0.01)
    other, _ = hung(hn.Units(length="MILLIMETER"), 1e3, 1.0, 1.0)
    assert other.mesh().axis(2).values[-1] == pytest.approx(1e3 * axis, abs=1e-3)
    assert other.mesh().section("axial force").values[-1] == pytest.approx(tension, rel=1e-4)
    model = c.model
    assert hn.Model.from_json(model.to_json()).to_json() == model.to_json()


@pytest.mark.slow
def test_a_distributed_load():
    """A simply supported cable under a load that is the same everywhere: 5 w L^4 / (384 EI), and its moment w L^2 /
    8."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e6, EI=20.0, mass=0.3, elements=8, plane="xy")
    m.spherical(c.first, m.ground, at=(0, 0, 0))
    m.primitive("INLINE", c.last, m.ground, at=(1, 0, 0), axis=(1, 0, 0))
    c.load(fy=-0.1)
    middle = c.at(0.5)
    sim = hn.Simulation(m)
    sim.statics()
    run = sim.run()
    assert run.part(middle.name).position.values[-1, 1] == pytest.approx(-5 * 0.1 / (384 * 20.0), rel=1e-4)
    assert run.mesh().section("bending moment", 9).values[-1].max() == pytest.approx(0.1 / 8, rel=1e-2)


@pytest.mark.slow
def test_it_falls_on_a_plane():
    """Balls on points of a cable that comes to rest on a plane: a quarter of its weight on each of the supports,
    about."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    c = cable(m, [(0, 0, 0.011), (1, 0, 0.011)], EA=1e4, EI=5.0, mass=0.5, damping=0.02, elements=4)
    floor = m.plane(m.ground, at=(0, 0, 0), normal=(0, 0, 1))
    for k in range(5):
        ball = m.sphere(c.at(0.25 * k), (0.25 * k, 0, 0.011), 0.01)
        m.contact(ball, floor, stiffness=1e5, exponent=1.5, damping=50, dmax=1e-4)
    run = hn.simulate(m, end=0.5, steps=10, kind="dynamics", integrator="HHT", error=1e-5)
    total = sum(run.contact(e).force.values[-1] for e in m.table("CONTACT").values())
    assert np.abs(total[2]) == pytest.approx(0.5 * 9.81, rel=1e-3)
    assert np.abs(run.mesh().axis(2).values[-1][:, 2] - 0.01).max() < 1e-3


def given(**more):
    return cable(hn.Model(), **{"points": [(0, 0, 0), (1, 0, 0)], "EA": 1e3, "EI": 1.0, "mass": 1.0} | more)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"points": [(0, 0, 0)]}, "two or more positions"),
        ({"points": [(0, 0, 0), (0, 0, 0), (1, 0, 0)]}, "points 1 and 2 of a cable lie at the same point"),
        ({"points": [(0, 0, 0), (1, 0, 0), (0.5, 0, 0)]}, "turns back on itself at its point 2"),
        ({"points": [(0, 0, 0), (np.nan, 0, 0)]}, "two or more"),
        ({"mass": -1.0}, "positive mass per length"),
        ({"EA": 0.0}, "positive force"),
        ({"EI": -1.0}, "not negative"),
        ({"elements": 0}, "whole number"),
        ({"elements": 2.5}, "whole number"),
        ({"length": -1.0}, "positive length"),
        ({"length": 1.0, "tension": 2.0}, "length and tension of a cable determine each other"),
        ({"tension": -2e3}, "larger than -EA"),
        ({"plane": "xyz"}, "one of xy, yz, zx"),
        ({"plane": "yz"}, "leaves it along x"),
        ({"damping": -1.0}, "damping"),
        ({"E": 1e9}, "no section"),
        ({"section": hn.flexible.Section.round(0.1)}, "section and EA"),
        ({"plane": "xy", "velocity": (0, 0, 1)}, "out of it"),
        ({"spin": (1, 2)}, "three numbers"),
        (
            {
                "EA": None,
                "EI": None,
                "mass": None,
                "section": hn.flexible.Section.rectangle(0.1, 0.2),
                "E": 1e9,
                "density": 1e3,
            },
            "same bending stiffness",
        ),
        (
            {
                "EA": None,
                "EI": None,
                "mass": None,
                "section": hn.flexible.Section.round(0.1),
                "E": 1e9,
                "density": -1.0,
            },
            "density of a cable",
        ),
    ],
)
def test_what_cannot_be(more, words):
    with pytest.raises(hn.ModelError, match=words):
        given(**more)


def test_broken_meshes_are_told():
    c = given()
    with pytest.raises(hn.ModelError, match="from 0 to 1"):
        c.at(1.5)
    for name, value, words in (
        ("cells", (0, 1, 1, 99), "nodes that there are not"),
        ("element", "noodle", "no elements of the kind"),
        ("places", (0.0,) * 12, "no direction"),
        ("properties", (1e3, 1.0, -1.0, 0.0, 0.1, 0.0) * 16, "mass of an element"),
        ("width", 5, "multiple of three"),
        ("unit", -1.0, "positive length"),
        ("held", (7,), "ground axes"),
        ("rates", (1.0,), "rates has 1"),
        ("properties", (1.0,), "do not fit"),
    ):
        twin = hn.Model.from_json(c.model.to_json())
        setattr(next(iter(twin.table("ABSOLUTE_MESH").values())), name, value)
        with pytest.raises(hn.ModelError, match=words):
            hn.simulate(twin, end=0.1, steps=1, kind="dynamics")
    with pytest.raises(hn.ModelError, match="does not reach"):
        hn.flexible.catenary((0, 0, 0), (1, 0, 0), 0.5)
    with pytest.raises(hn.ModelError, match="straight above"):
        hn.flexible.catenary((0, 0, 0), (0, 0, 1), 1.5)
    m = hn.Model()
    cable(m, [(0, 0, 0), (1, 0, 0)], EA=1.0, EI=1.0, mass=1.0, length=1.2)
    assert "begins compressed" in m.warnings[0]


@pytest.mark.slow
def test_its_twin_of_exact_beams():
    """A bent cantilever under a load in space, and its frequencies about that: the same by a rod of geometrically exact
    beams, masses lumped."""
    section, found = hn.flexible.Section.round(0.01), []
    for make, more in ((cable, {"elements": 16}), (hn.flexible.rod, {"elements": 32, "straight": True})):
        m = hn.Model()
        m.gravity = (0, 0, -9.81)
        one = make(m, [(0, 0, 0), (1, 0, 0)], section, E=2e9, density=1e3, **more)
        end = m.marker(one.last)
        m.fixed(one.first, m.ground, at=(0, 0, 0))
        m.vforce(end, m.ground, "0", "2*TIME", "-10*TIME", rm=m.marker(m.ground))
        sim = hn.Simulation(m)
        sim.quasistatics(end=1.0, steps=4)
        w = sim.linearize().eigenvalues.imag
        found.append((sim.run().part(one.last.name).position.values[-1], np.sort(w[w > 1.0])[:4]))
    assert found[0][0] == pytest.approx(found[1][0], abs=2e-5)
    assert found[0][1] == pytest.approx(found[1][1], rel=3e-3)


@pytest.mark.slow
def test_too_few_elements_are_told():
    """Rolled into half a circle by a moment: four elements turn by pi/4 each (silent), three by more, which is reported
    with the angle."""
    for n in (3, 4):
        m = hn.Model()
        m.gravity = (0, 0, 0)
        c = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e5, EI=1.0, mass=1.0, elements=n, plane="xy")
        m.fixed(c.first, m.ground, at=(0, 0, 0))
        m.vtorque(m.marker(c.last), m.ground, "0", "0", f"{np.pi}*TIME", rm=m.marker(m.ground))
        sim = hn.Simulation(m)
        sim.quasistatics(end=1.0, steps=10)
        told = [w for w in sim.run().info["warnings"] if "more elements" in w]
        assert len(told) == (1 if n == 3 else 0)
    assert not told

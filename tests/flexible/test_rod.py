"""Rods by geometrically exact beams: published benchmarks, closed forms, energy, and what cannot be."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, rod

EYE = np.eye(3)


def cantilever(L, section, n, E, nu=0.3, **options):
    m = hn.Model()
    m.gravity = (0, 0, 0)
    r = rod(m, [(0, 0, 0), (L, 0, 0)], section, E=E, nu=nu, density=7850.0, elements=n, y=(0, 1, 0), **options)
    m.fixed(r.first, m.ground, at=tuple(r.places[0]))
    return m, r


def bent(m, r, force=(0, 0, 0), moment=(0, 0, 0), steps=10):
    """Displacement of the tip under dead loads, in steps."""
    ramp = lambda v: tuple(f"{float(x)!r}*TIME" for x in v)
    m.gforce(r.last.cm, m.ground, *ramp(force), *ramp(moment), rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=steps)
    return sim.run().part(r.last.name).position.values[-1] - r.places[-1]


def test_a_cantilever_in_large_deflection():
    """EXUDYN's ANCF test, converged: Bernoulli-Euler with stretch, F = 3 EI/L^2."""
    E, h, L = 2.07e11, 0.1, 2.0
    I = h**4 / 12
    section = Section(h * h, I, I, 0.14 * h**4)
    errors = []
    for n in (8, 16):
        m, r = cantilever(L, section, n, E)
        errors.append(np.abs(bent(m, r, (0, -3 * E * I / L**2, 0)) - [-0.508537304, -1.20723985, 0.0]).max())
    assert errors[1] < 2e-3 and 3.5 < errors[0] / errors[1] < 4.5  # second order


def test_small_loads_are_exact_with_one_element():
    """Timoshenko's cantilever: (F L^3 / 3EI + F L / kGA), to second order of the load."""
    b, h, L, E, nu = 0.1, 0.5, 2.0, 2.07e11, 0.3
    ks = 10 * (1 + nu) / (12 + 11 * nu)
    section = Section(b * h, h * b**3 / 12, b * h**3 / 12, 1e-3, ky=ks, kz=ks)
    for n in (1, 3):
        m, r = cantilever(L, section, n, E, nu)
        found = bent(m, r, (0, 62500.0, 0), steps=1)
        G = E / (2 * (1 + nu))
        assert found[1] == pytest.approx(62500 * (L**3 / (3 * E * section.Iz) + L / (ks * G * section.A)), rel=1e-6)
        assert found[1] == pytest.approx(8.09903254e-4, rel=1e-5)  # Reissner's beam, exact


@pytest.mark.parametrize(
    ("beta", "want"),
    [
        (0, (-1.355167926e-4, -0.01071276479, 0.0)),
        (30, (-0.007680972, -0.010207614, 0.079547377)),
        (60, (-0.020486718, -0.006742044, 0.129957859)),
        (90, (-0.02602148277, 0.0, 0.1462523572)),
    ],
)
def test_the_princeton_beam(beta, want):
    """Reissner's beam, solved as a two-point problem to 1e-10: F = 8.896 N at an angle to the flat section."""
    L, h, w, E, nu = 0.508, 12.3777e-3, 3.2024e-3, 71.7e9, 0.31
    Iy, Iz = h * w**3 / 12, w * h**3 / 12
    section = Section(h * w, Iy, Iz, 0.198 * (Iy + Iz), ky=1.0, kz=1.0)
    m, r = cantilever(L, section, 16, E, nu)
    angle = np.radians(beta)
    found = bent(m, r, (0, -8.896 * np.cos(angle), 8.896 * np.sin(angle)), steps=4)
    assert np.abs(found - want).max() < 1e-3 * np.abs(want).max()


def test_general_bending_with_torsion():
    """Nachbagauer et al. (2011): tip moments about x and y."""
    L, h, w, E, nu = 2.0, 0.2, 0.4, 2.07e11, 0.3
    Iy, Iz = h * w**3 / 12, w * h**3 / 12
    section = Section(h * w, Iy, Iz, 0.5768 * (Iy + Iz), ky=0.8331, kz=0.7961)
    m, r = cantilever(L, section, 32, E, nu)
    found = bent(m, r, moment=(0.5e6, 2e6, 0), steps=2)
    assert found == pytest.approx([-1.0944e-4, -1.8644e-4, -1.81174e-2], rel=1e-3)


def test_it_rolls_up_to_a_circle():
    """Tip moment 2 pi EI / L: exactly a circle, a regular polygon of the nodes."""
    m, r = cantilever(10.0, Section.rectangle(0.02, 0.01), 20, 2.1e11)
    EI = 2.1e11 * 0.01 * 0.02**3 / 12
    found = bent(m, r, moment=(0, 0, 2 * np.pi * EI / 10.0), steps=20)
    assert np.abs(found - [-10.0, 0, 0]).max() < 1e-6


def test_frequencies_of_a_supported_beam():
    """EXUDYN, 256 elements: L = 2, square 0.4, simply supported, twist held at both ends: bending twice, stretch,
    torsion, bending twice."""
    h, E, nu = 0.4, 1e9, 0.3
    I = h**4 / 12
    section = Section(h * h, I, I, 0.8436 * 2 * I, ky=0.8436, kz=0.8436)
    m = hn.Model()
    m.gravity = (0, 0, 0)
    r = rod(m, [(0, 0, 0), (2, 0, 0)], section, E=E, nu=nu, density=7850.0, elements=24, y=(0, 1, 0))
    m.primitive("ATPOINT", m.marker(r.first), m.marker(m.ground))
    m.primitive("INLINE", m.marker(r.last), m.marker_at(m.ground, (2, 0, 0), z=(1, 0, 0)))
    for node, x in ((r.first, 0.0), (r.last, 2.0)):
        m.primitive(
            "PERPENDICULAR", m.marker_at(node, (x, 0, 0), z=(0, 1, 0)), m.marker_at(m.ground, (x, 0, 0), z=(0, 0, 1))
        )
    found = np.sort(np.abs(hn.linearize(m).eigenvalues.imag))
    for want in (95.6356, 280.3225, 319.3466, 332.2542):
        assert np.abs(found / want - 1).min() < 6e-3, want


def test_a_falling_rod_keeps_its_energy():
    """A slack chain of a rod, hung at one end, swings through large bending and torsion without loss, and with damping
    loses what is reported to be lost."""
    for damping in (0.0, 1e-3):
        m = hn.Model()
        m.gravity = (0, -9.81, 0)
        points = [(0.1 * k, 0.02 * np.sin(k), 0.03 * k) for k in range(9)]
        r = rod(m, points, Section.round(0.01), E=1e7, density=1000.0, damping=damping)
        m.spherical(r.first, m.ground, at=points[0])
        run = hn.simulate(m, end=0.4, steps=20, integrator="RADAU5", error=1e-8)
        e = run.data
        total = e.energy_kinetic + e.energy_gravity + e.energy_elastic + e.energy_dissipated
        assert np.ptp(total) < 1e-6 * e.energy_kinetic.max()
        assert (e.energy_dissipated[-1] > 1e-3 * e.energy_kinetic.max()) == (damping > 0.0)
        assert e.energy_elastic.max() > 1e-4 * e.energy_kinetic.max()


@pytest.mark.parametrize("seed", (1, 2))
def test_no_place_and_no_units_are_special(seed):
    from scipy.spatial.transform import Rotation

    found = []
    for Q, at, units, f in (
        (EYE, np.zeros(3), "SI", 1.0),
        (Rotation.random(random_state=seed).as_matrix(), np.array([30.0, -8, 5]), "mm", 1000.0),
    ):
        m = hn.Model(units=units)
        m.gravity = tuple(f * (Q @ (0, -9.81, 2.0)))
        P = lambda *x, Q=Q, at=at, f=f: tuple(f * (Q @ np.array(x) + at))
        s = Section(1e-4 * f**2, 1e-9 * f**4, 3e-9 * f**4, 3e-9 * f**4)
        r = rod(
            m,
            [P(0, 0, 0), P(0.3, 0, 0.1), P(0.5, 0.2, 0.1)],
            s,
            E=1e8 / f**2,
            density=1000.0 / f**3,
            elements=6,
            y=Q @ (0, 1, 0),
        )
        m.fixed(r.first, m.ground, at=tuple(r.places[0]))
        run = hn.simulate(m, end=0.2, steps=2, integrator="RADAU5", error=1e-8)
        found.append(Q.T @ (run.part(r.last.name).position.values[-1] / f - at))
    assert np.abs(found[0] - found[1]).max() < 1e-7
    assert np.linalg.norm(found[0] - [0.5, 0.2, 0.1]) > 0.01


def test_what_cannot_be_says_so():
    m = hn.Model()
    s = Section.round(0.01)
    for change, match in (
        (dict(points=[(0, 0, 0)]), "two or more positions"),
        (dict(points=[(0, 0, 0), (0, 0, 0), (1, 0, 0)]), "points 1 and 2 of a rod lie at the same point"),
        (dict(elements=0), "elements of a rod are 0"),
        (dict(E=-1.0), "E of a rod is -1"),
        (dict(y=(1, 0, 0)), "y of a rod points along it"),
        (dict(points=[(0, 0, 0), (1, 0, 0), (0.5, 0, 0)]), "turns back on itself"),
        (dict(damping=-1.0), "damping is -1; give zero or a positive number"),
    ):
        words = {"points": [(0, 0, 0), (1, 0, 0)], "E": 2e11, "density": 7850.0, **change}
        with pytest.raises(hn.ModelError, match=match):
            rod(m, words.pop("points"), s, **words)


@pytest.mark.parametrize("load", (0.0, 1e-6, 10.0))
def test_statics_of_a_curved_rod(load):
    """Unloaded it stays as drawn, though its forces are nothing but roundoff; a millionth of a newton bends it by a
    millionth of what one does: a quarter circle under F out of its plane sinks by F R^3 (pi / (4 EI) + (3 pi / 4 - 2) /
    GJ)."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a = np.linspace(0, np.pi / 2, 17)
    section, E = Section.round(0.01), 2e11
    r = rod(m, np.column_stack([np.cos(a), np.sin(a), 0 * a]), section, E=E, density=7850.0)
    m.fixed(r.first, m.ground, at=(1, 0, 0))
    m.vforce(r.last.cm, m.ground, "0", "0", f"{load}", rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.statics()
    tip = sim.run().part(r.last.name).position.values[-1]
    G = E / 2.6
    want = load * (np.pi / (4 * E * section.Iz) + (0.75 * np.pi - 2) / (G * section.J))
    assert tip[2] == pytest.approx(want, rel=5e-3, abs=1e-14) and tip[:2] == pytest.approx(
        [0.0, 1.0], abs=1e-12 + 0.01 * want
    )


@pytest.mark.slow
def test_a_rod_drawn_curved_and_straight_unloaded_springs_open():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a = np.linspace(0, np.pi / 2, 9)
    r = rod(
        m,
        np.column_stack([np.cos(a), np.sin(a), 0 * a]),
        Section.rectangle(0.02, 0.002),
        E=2e11,
        density=7850.0,
        straight=True,
    )
    m.fixed(r.first, m.ground, at=(1, 0, 0))
    sim = hn.Simulation(m)
    sim.statics()
    tip = sim.run().part(r.last.name).position.values[-1]
    assert np.linalg.norm(tip - [1, 0, 0]) == pytest.approx(16 * np.sin(np.pi / 32), rel=1e-9)

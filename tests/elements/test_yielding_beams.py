"""Beams whose sections yield: derivatives, bars of Timoshenko with closed forms of what yields, bending about two axes
against a fine section, and what cannot be."""

import numpy as np
import pytest

from holonom import Model, ModelError, Simulation
from holonom.elements.absolute import planar_beam, spatial_beam
from holonom.elements.absolute.assembly import Assembly
from holonom.elements.absolute.materials import Linear
from holonom.elements.absolute.section_laws import Fibres, Plastic
from holonom.flexible import Section, ancf_beam, cable

E, NU, Y, H = 2e11, 0.3, 3e8, 0.05
B, T = 0.02, 0.03  # along z and y of the section
STEEL = Plastic.bilinear(E, Y, H)
IRON = Linear(E, NU, 7850.0, 1e-3)


def planar(n, law=STEEL, L=1.0, layers=64):
    """n elements along x in the plane across z, clamped at the left."""
    places = np.zeros((n + 1, 9))
    places[:, 0], places[:, 3], places[:, 7] = np.linspace(0.0, L, n + 1), 1.0, 1.0
    own = () if law is None else Fibres.rectangle(B, T, law, layers).parameters
    numbers = np.concatenate([planar_beam.properties(T, B, IRON, length=L / n), own])
    mesh = Assembly(planar_beam, places, np.stack([np.arange(n), np.arange(1, n + 1)], 1), numbers)
    return mesh, sorted({0, 1, 6, 7, *range(2, 9 * n + 9, 3)})


def spatial(n, fibres=None, section=None, L=1.0):
    places = np.zeros((n + 1, 12))
    places[:, 0], places[:, 3], places[:, 7], places[:, 11] = np.linspace(0.0, L, n + 1), 1.0, 1.0, 1.0
    own = () if fibres is None else fibres.parameters
    numbers = np.concatenate(
        [spatial_beam.properties(section or Section.rectangle(T, B, shear=True), IRON, length=L / n), own]
    )
    return Assembly(spatial_beam, places, np.stack([np.arange(n), np.arange(1, n + 1)], 1), numbers), [
        0,
        1,
        2,
        *range(6, 12),
    ]


def of_one(kind, mesh, q, v):
    n = mesh.n
    f, K, C = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    kind.forces(mesh.data, 0, q, v, f)
    kind.stiffness(mesh.data, 0, q, v, K, C)
    return f, K, C


@pytest.mark.slow
@pytest.mark.parametrize("kind", [planar_beam, spatial_beam])
def test_forces_and_matrices_are_derivatives(kind):
    """Central differences past the corners of a third of the layers; below them all is as without a law; what goes in
    is stored or lost."""
    grid = Fibres.grid(T, B, STEEL, (6, 6))
    mesh, plain = (
        (planar(1, layers=8)[0], planar(1, None)[0]) if kind is planar_beam else (spatial(1, grid)[0], spatial(1)[0])
    )
    rng = np.random.default_rng(3)
    inside = np.tile(np.arange(3) != 2, len(mesh.drawn) // 3) if kind is planar_beam else 1.0
    d, v, bend = rng.normal(size=(3, len(mesh.drawn))) * inside
    small = mesh.drawn + 1e-4 * bend
    for a, b in zip(of_one(kind, mesh, small, v), of_one(kind, plain, small, v)):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9 * np.abs(b).max())
    q = mesh.drawn + 0.03 * bend
    f, K, C = of_one(kind, mesh, q, v)
    assert np.abs(f - of_one(kind, plain, q, v)[0]).max() > 0.05 * np.abs(f).max()
    at = lambda q, v: of_one(kind, mesh, q, v)[0]
    h = 1e-8
    assert np.abs((at(q + h * d, v) - at(q - h * d, v)) / (2 * h) + K @ d).max() < 1e-5 * np.abs(K @ d).max()
    assert np.abs((at(q, v + h * d) - at(q, v - h * d)) / (2 * h) + C @ d).max() < 1e-5 * np.abs(C @ d).max()
    kind.accept(mesh.data, 0, q)
    now, ahead = (kind.energies(mesh.data, 0, q + x * v, v) for x in (0.0, 1e-8))
    assert (ahead[0] - now[0]) / 1e-8 - now[1] == pytest.approx(-at(q, v) @ v, rel=1e-3)


@pytest.mark.slow
def test_a_short_cantilever_yields_and_springs_back():
    """Timoshenko's bar: shear and bending while elastic, and of the curvature that stays int k_p (L - x) dx by the
    section's own curve M(k), by quadrature."""
    from scipy.integrate import quad
    from scipy.optimize import brentq

    L, n = 0.3, 32
    mesh, held = planar(n, L=L)
    EI, first = E * B * T**3 / 12, 2 * Y / (E * T)

    def moment(k):  # rectangle of a bilinear material: core and both flanges, closed form
        return EI * k if k <= first else (1 - H) * Y * B * T**2 / 4 * (1 - (first / k) ** 2 / 3) + H * EI * k

    F = 1.4 * Y * B * T**2 / 6 / L
    load = np.zeros(9 * (n + 1))
    load[9 * n + 1] = -F
    down = mesh.rest(load, held, steps=4)
    back = mesh.rest(0 * load, held, start=down, steps=4)
    left = quad(
        lambda x: (brentq(lambda k: moment(k) - F * (L - x), 0.0, 1.0) - F * (L - x) / EI) * (L - x), 0.0, L, limit=200
    )[0]
    k, G = 10 * (1 + NU) / (12 + 11 * NU), E / (2 * (1 + NU))
    elastic = F * L**3 / (3 * EI) + F * L / (k * G * B * T)
    assert -back[9 * n + 1] == pytest.approx(left, rel=0.02) and left > 0.05 * elastic
    assert -down[9 * n + 1] == pytest.approx(elastic + left, rel=2e-3)


@pytest.mark.slow
def test_bending_about_two_axes():
    """Rolled by a moment along a slant axis, a beam in space has the moments of a fine section at its own stretch and
    curvatures, and keeps some curvature."""
    mesh, held = spatial(4, Fibres.grid(T, B, STEEL, (12, 12)))
    fine = np.linspace(-0.5, 0.5, 401)
    fine = 0.5 * (fine[1:] + fine[:-1])
    Yf, Zf = np.meshgrid(T * fine, B * fine, indexing="ij")
    law = lambda e: np.where(np.abs(e) <= Y / E, E * e, np.sign(e) * Y * (1 - H) + H * E * e)

    def section(k):  # N = 0
        from scipy.optimize import brentq

        stress = lambda e0: law(e0 + Zf * k[0] - Yf * k[1])
        e0 = brentq(lambda e0: stress(e0).mean(), -0.1, 0.1)
        return np.array([(Zf * stress(e0)).mean(), (-Yf * stress(e0)).mean()]) * B * T

    M = section(np.array([0.13, 0.08]))
    n = len(mesh.drawn)

    def turn(q, share):
        # virtual work of a moment along y and z of ground on the end's section, small rotations: on r_y (turn about z),
        # r_z (turn about y)
        f = np.zeros(n)
        f[-12 + 9] = share * M[0]
        f[-12 + 6] = -share * M[1]
        return f, None

    q = mesh.rest(turn, held, steps=6)
    values = spatial_beam.resultants(mesh.properties[0], 0.5, np.array([mesh.drawn[mesh.at[0]], q[mesh.at[0]]]))[1]
    assert values[0] == pytest.approx(0.0, abs=1e-3 * Y * B * T) and values[[4, 5]] == pytest.approx(M, rel=2e-2)
    tip = q[-12:-9]
    k = np.array([0.13, 0.08])
    assert tip[1:] == pytest.approx([0.5 * k[1], -0.5 * k[0]], rel=3e-2)
    back = mesh.rest(lambda q, share: (turn(q, 1.0 - share)[0], None), held, steps=6, start=q)
    stays = k - M / (E * B * T / 12 * np.array([B**2, T**2]))
    assert back[-12:-9][1:] == pytest.approx([0.5 * stays[1], -0.5 * stays[0]], rel=0.1) and np.abs(stays).min() > 5e-3


def test_fibres_in_space():
    """Areas and second moments of grids and discs; what is not a section, and what does not fit."""
    grid, disc = Fibres.grid(T, B, STEEL), Fibres.disc(0.01, STEEL, 0.006)
    for law, A, Iz, Iy in (
        (grid, B * T, B * T**3 / 12, T * B**3 / 12),
        (disc, np.pi * (1e-4 - 3.6e-5), *2 * (np.pi / 4 * (1e-8 - 0.006**4),)),
    ):
        y, z, a = (np.array(v) for v in (law.places, law.heights, law.areas))
        assert (a.sum(), a @ y**2, a @ z**2, a @ (y * z)) == pytest.approx((A, Iz, Iy, 0.0), rel=1e-9, abs=1e-18)
    bar = Section.rectangle(T, B, shear=True)
    make = lambda **more: ancf_beam(
        Model(), [(0, 0, 0), (1, 0, 0)], bar, **{"E": E, "density": 7850.0, "law": grid} | more
    )
    for words, call in (
        ("positions and heights", lambda: make(law=Fibres.rectangle(B, T, STEEL))),
        ("positions alone", lambda: make(plane="xy")),
        ("law of .* is 3", lambda: make(law=3)),
        ("the E 2e\\+11, and its section and material 1e\\+11", lambda: make(E=1e11)),
        ("second moment", lambda: make(law=Fibres.grid(B, T, STEEL))),
        ("yields in 'structural' alone", lambda: make(formulation="enhanced")),
        ("heights; give Fibres", lambda: cable(Model(), [(0, 0, 0), (1, 0, 0)], mass=1.0, plane="xy", law=grid)),
        ("not principal axes", lambda: Fibres(STEEL, (-1, 1), (1, 1), (-1, 1))),
    ):
        with pytest.raises(ModelError, match=words):
            call()
    assert make().mesh.law == grid.parameters


@pytest.mark.slow
def test_a_beam_yields_in_a_model():
    """Loaded past yielding and let go by statics: moments F (L - x), and none at the end; what springs back is
    Timoshenko's elastic deflection."""
    L, n = 0.3, 8
    m = Model()
    m.gravity = (0, 0, 0)
    bar = Section.rectangle(T, B, shear=True)
    b = ancf_beam(
        m,
        [(0, 0, 0), (L, 0, 0)],
        bar,
        E=E,
        density=7850.0,
        elements=n,
        plane="xy",
        law=Fibres.rectangle(B, T, STEEL, 32),
    )
    m.fixed(b.first, m.ground, at=(0, 0, 0))
    F = 1.4 * Y * B * T**2 / 6 / L
    m.vforce(m.marker(b.last), m.ground, "0", f"{-F!r}*MIN(TIME,2-TIME)", "0", rm=m.marker(m.ground))
    sim = Simulation(m)
    sim.quasistatics(end=2.0, steps=10)
    run = sim.run()
    moment = np.abs(run.mesh(b).section("bending moment").values)
    assert moment[5] == pytest.approx(F * L * (1 - (np.arange(n) + 0.5) / n), rel=1e-3) and moment[10].max() < 1e-3
    tip = -run.part(b.last.name).position.values[[5, 10], 1]
    k, G = 10 * (1 + NU) / (12 + 11 * NU), E / (2 * (1 + NU))
    assert tip[0] - tip[1] == pytest.approx(F * L**3 / (3 * E * B * T**3 / 12) + F * L / (k * G * B * T), rel=1e-3)
    assert tip[1] > 0.05 * tip[0]

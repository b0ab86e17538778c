"""Beams and plates of full gradients as bodies of a model: published tips, derivatives, conservation, loads, what
cannot be."""

import numpy as np
import pytest

import holonom as hn
from _iteration_matrix import check, momenta
from holonom.flexible import Section, ancf_beam, ancf_plate
from holonom.results.pictures.mesh_skin import skin

E, L, B = 2.07e11, 2.0, 0.1


def bar(y=B, z=B, k=1.0):
    """A section with shear coefficients of both directions."""
    s = Section.rectangle(y, z)
    return Section(s.A, s.Iy, s.Iz, s.J, k, k)


def bent(kind, plane=None, n=8, **more):
    """A cantilever under F = 3 EI/L^2 at its end by quasi-statics; run and beam."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    beam = ancf_beam(
        m, [(0, 0, 0), (L, 0, 0)], bar(), E=E, nu=0.0, density=7850.0, elements=n, plane=plane, y=(0, 1, 0), **more
    )
    m.fixed(beam.first, m.ground, at=(0, 0, 0))
    m.vforce(m.marker(beam.last), m.ground, "0", f"{-3 * E * B**4 / 12 / L**2!r}*TIME", "0", rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    return sim.run(), beam


@pytest.mark.slow
def test_a_planar_beam_in_a_model():
    """Reissner's cantilever by shooting (`reissner`), forces of its sections, and its strain energy against the
    audit's."""
    run, beam = bent("planar", "xy")
    tip = run.part(beam.last.name).position.values[-1] - [L, 0, 0]
    want, moments = reissner(3 * E * B**4 / 12 / L**2, (np.arange(8) + 0.5) * L / 8)
    assert tip[:2] == pytest.approx(want, abs=6e-5) and abs(tip[2]) < 1e-12
    view = run.mesh(beam)
    assert view.section("bending moment").values[-1] == pytest.approx(moments, abs=1e-2 * np.abs(moments).max())
    force, mesh = 3 * E * B**4 / 12 / L**2, view.axis(2).values[-1]
    turned = np.arctan2(*(mesh[2::2] - mesh[:-2:2])[:, [1, 0]].T)
    assert view.section("shear force").values[-1] == pytest.approx(-force * np.cos(turned), abs=3e-2 * force)
    assert view.section("axial force").values[-1] == pytest.approx(-force * np.sin(turned), abs=3e-2 * force)
    assert skin(view, np.array([len(run) - 1]))[2].max() == pytest.approx(6 * force * (L + tip[0]) / B**3, rel=2e-2)
    assert view.strain_energy.values[-1] == pytest.approx(run.energy.elastic.values[-1], rel=1e-9)
    model = beam.model
    assert hn.Model.from_json(model.to_json()).to_json() == model.to_json()


def reissner(force, at):
    """Tip displacement and moments at lengths ``at`` of a cantilever along x with a force down, Reissner's strains, by
    shooting (SciPy)."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    EA, GA, EI = E * B * B, 0.5 * E * B * B, E * B**4 / 12

    def end(moment):
        def slopes(s, y):
            x, h, a, k = y
            N, Q = -force * np.sin(a), -force * np.cos(a)  # along and across the section
            e, g = N / EA, Q / GA
            dx = (1 + e) * np.cos(a) - g * np.sin(a)
            dy = (1 + e) * np.sin(a) + g * np.cos(a)
            return [dx, dy, k / EI, force * dx]

        return solve_ivp(slopes, (0, L), [0, 0, 0, -moment], rtol=1e-11, atol=1e-12, t_eval=[*at, L]).y

    y = end(brentq(lambda m: end(m)[3, -1], 0.0, 3 * force * L))
    return np.array([y[0, -1] - L, y[1, -1]]), y[3, :-1]


def _points():
    plate = dict(E=1e6, density=1000.0)
    square = [(0, 0, 0), (1, 0, 0), (1, 0.5, 0), (0, 0.5, 0)]
    s = bar(0.02, 0.03)
    return {
        "planar_beam": lambda m, **o: ancf_beam(
            m, [(0, 0, 0), (1, 0, 0)], s, E=1e7, density=900.0, elements=2, plane="xy", damping=0.01, **o
        ),
        "spatial_beam": lambda m, **o: ancf_beam(
            m, [(0, 0, 0), (0.5, 0.1, 0.2), (1, 0, 0.3)], s, E=1e7, density=900.0, elements=2, damping=0.01, **o
        ),
        "thin": lambda m, **o: ancf_plate(m, square, 0.02, elements=(2, 1), formulation="thin", **plate, **o),
        "conforming": lambda m, **o: ancf_plate(
            m, square, 0.02, elements=(2, 1), formulation="conforming", **plate, **o
        ),
        "thick": lambda m, **o: ancf_plate(m, square, 0.02, elements=(2, 1), formulation="thick", **plate, **o),
    }


@pytest.mark.slow
@pytest.mark.parametrize("which", ["planar_beam", "spatial_beam", "thin", "conforming", "thick"])
def test_taylor_of_bodies(which):
    """K and C of the iteration matrix, and gradients of rows, against differences of the residual, with joints, torques
    and a bushing on points."""
    m = hn.Model()
    m.gravity = (0.3, -0.8, 0.0 if which == "planar_beam" else -9.81)
    body = _points()[which](m)
    first = body.first if "beam" in which else body.node(0, 0)
    last = body.last if "beam" in which else body.node(-1, -1)
    inside = body.at(0.37) if "beam" in which else body.at(0.37, 0.6)
    m.fixed(first, m.ground, at=tuple(first.frame_in(m).origin))
    weight = m.part("weight", 1.5, (0.1, 0.2, 0.3), position=(1.2, 0, 0.0))
    m.spherical(last, weight, at=tuple(last.frame_in(m).origin))
    here = m.marker(inside, (0.02, 0.05, -0.03))
    m.vforce(here, m.ground, "3*TIME", "5", "-2", rm=here)
    m.vtorque(here, weight, "1", "2", "-1.5", rm=here)
    ends = [m.marker_at(b, (0.6, 0.1, 0.2)) for b in (inside, weight)]
    m.bushing(
        *ends,
        stiffness=(30, 40, 50),
        rotational_stiffness=(1, 2, 3),
        damping=(1, 2, 3),
        rotational_damping=(0.1, 0.2, 0.3),
    )
    check(m)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["planar_beam", "spatial_beam", "thin", "conforming", "thick"])
def test_bodies_fly_freely(which):
    """Momentum, moment of momentum, and energy with the losses of dampers, of what bends and turns without forces."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    flat_ = which == "planar_beam"
    body = _points()[which](m, velocity=(0.3, 0.2, 0.0 if flat_ else -0.1), spin=(0, 0, 6.0) if flat_ else (1, 2, 6.0))
    sim = hn.Simulation(m)
    sim.dynamics(end=0.1, steps=4, integrator="RADAU5", error=1e-8)
    run = sim.run()
    found = momenta(sim, run)
    assert np.abs(np.ptp(found, axis=0)).max() < 1e-10 * np.abs(found[0]).max()
    d = run.data
    assert np.ptp(d.energy_kinetic + d.energy_elastic + d.energy_dissipated) < 2e-6 * d.energy_kinetic.max()
    assert d.energy_elastic.max() > 1e-6 * d.energy_kinetic.max()
    assert body.mesh.nodes > 2


def given(kind, **more):
    if kind == "beam":
        return ancf_beam(
            hn.Model(), **{"points": [(0, 0, 0), (1, 0, 0)], "section": bar(), "E": 1e9, "density": 1e3} | more
        )
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    return ancf_plate(hn.Model(), **{"points": square, "thickness": 0.01, "E": 1e9, "density": 1e3} | more)


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("beam", {"points": [(0, 0, 0)]}, "two or more positions"),
        ("beam", {"points": [(0, 0, 0), (0, 0, 0)]}, "lie at the same point"),
        ("beam", {"section": Section.rectangle(0.1, 0.1)}, "this element shears"),
        ("beam", {"section": 3.0}, "give a holonom.flexible.Section"),
        ("beam", {"E": -1.0}, "E of a beam in absolute coordinates is -1.0"),
        ("beam", {"density": None}, "density of a beam"),
        ("beam", {"elements": 0}, "whole number"),
        ("beam", {"plane": "yz"}, "leaves it along x"),
        ("beam", {"plane": "q"}, "one of xy, yz, zx"),
        ("beam", {"plane": "xy", "velocity": (0, 0, 1)}, "out of it"),
        ("beam", {"formulation": "thick"}, "choose one of structural, enhanced, continuum"),
        ("beam", {"y": (1, 0, 0)}, "points along it"),
        ("beam", {"radius": -1.0}, "not negative"),
        (
            "beam",
            {"points": [(0, 0, 0), (0.02, 0.02, 0), (0.04, 0, 0)], "section": bar(0.2, 0.2), "y": (0, 0.1, 1)},
            "is inverted",
        ),
        ("plate", {"points": [(0, 0, 0)] * 4}, "no length|without length"),
        ("plate", {"points": [(0, 0, 0), (1, 0, 0), (0.2, 0.2, 0), (0, 1, 0)]}, "is inverted"),
        ("plate", {"points": [(0, 0, 0)]}, "four corners"),
        ("plate", {"thickness": 0.0}, "thickness of a conforming plate is 0.0"),
        ("plate", {"elements": 4}, "two whole numbers"),
        ("plate", {"formulation": "fat"}, "choose one of conforming, thin, thick"),
        ("plate", {"E": None}, "E of a plate"),
        ("plate", {"density": -2.0}, "density of a plate"),
        ("plate", {"damping": "little"}, "damping of a plate in absolute coordinates is 'little'"),
        ("beam", {"y": "up"}, "give three numbers"),
        ("beam", {"plane": "xy", "y": (0, 0, 1)}, "leaves it along z"),
    ],
)
def test_what_no_body_can_be(kind, more, words):
    with pytest.raises(hn.ModelError, match=words):
        given(kind, **more)


def test_points_of_plates():
    """Their positions and axes as drawn, on a flat and on a curved plate; edges; words."""
    plate = given("plate", elements=(3, 2))
    assert plate.at(1 / 3, 0.5) is plate.node(1, 1) and plate.node(-1, -1) is plate.at(1.0, 1.0)
    assert [tuple(p.frame_in(plate.model).origin) for p in plate.edge("u1")] == [(1, 0, 0), (1, 0.5, 0), (1, 1, 0)]
    with pytest.raises(hn.ModelError, match="shares from 0 to 1"):
        plate.at(1.5, 0)
    with pytest.raises(hn.ModelError, match="not one of u0"):
        plate.edge("left")
    with pytest.raises(hn.ModelError, match="no node"):
        plate.node(4, 0)
    phi = np.linspace(0.0, np.pi / 2, 9)
    grid = [[(np.sin(a), y, 1 - np.cos(a)) for y in (0.0, 0.2, 0.4)] for a in phi]
    for form in ("conforming", "thick"):
        shell = ancf_plate(hn.Model(), grid, 0.01, E=1e9, density=1e3, elements=(6, 2), formulation=form)
        frame = shell.at(0.5, 0.25).frame_in(shell.model)
        assert frame.origin == pytest.approx([np.sin(np.pi / 4), 0.1, 1 - np.cos(np.pi / 4)], abs=2e-4)
        assert frame.axes == pytest.approx(
            np.array([[0.5**0.5, 0, -(0.5**0.5)], [0, 1, 0], [0.5**0.5, 0, 0.5**0.5]]), abs=2e-3
        )
    assert len(shell.surface()) == 12 and len(shell.surface("sphere", points=2)) == 48


def test_clamps_of_plates():
    """A joint a node, and one of the twist of conforming plates; a curved one on a body that moves is reported."""
    plate = given("plate", elements=(2, 2))
    assert len(plate.clamp("v0")) == 3 and len(plate.model.joints) == 6
    twists = {p.name for p in plate.model.table("MESH_POINT").values() if p.is_gradient(plate.mesh)}
    assert (
        twists == {p.name for p in plate.model.table("MESH_POINT").values() if p.name.endswith(".twist")}
        and len(twists) == 3
    )
    assert len(plate.clamp("u0")) == 2 and len(plate.model.joints) == 10  # the corner is held already
    for words, call in (
        ("lies between its nodes", lambda: plate.clamp([plate.at(0.3, 0.3)])),
        ("no points", lambda: plate.clamp([])),
        ("cannot touch itself", lambda: plate.touch(plate)),
        ("three numbers", lambda: plate.nearest((0, 0))),
        ("give numbers or expressions", lambda: plate.load(fz=np.nan)),
        ("is not an expression", lambda: plate.load(fz="3*(TIME")),
    ):
        with pytest.raises(hn.ModelError, match=words):
            call()
    phi = np.linspace(0.0, 1.0, 5)
    m = hn.Model()
    grid = [[((1 + y) * np.sin(a), y, (1 + y) * np.cos(a)) for y in (0.0, 0.2, 0.4)] for a in phi]
    cone = ancf_plate(m, grid, 0.01, E=1e9, density=1e3, elements=(4, 1))
    hub = m.part("hub", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="it is curved where it is clamped"):
        cone.clamp("u0", hub)

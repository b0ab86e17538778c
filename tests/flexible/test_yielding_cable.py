"""Cables that yield in a model: the path that statics and dynamics took, energy with what is lost, steps, saved states,
snapshots, and what cannot be."""

import numpy as np
import pytest

import holonom as hn
from _iteration_matrix import check
from holonom.flexible import MomentCurve, Plastic, cable

LAW = Plastic(((0.02, 0.04), (0.05, 0.07), (0.1, 0.09)), 0.2)


def whip(force="0", law=LAW, **more):
    """A cantilever of length 1 with a weight at its end."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e4, mass=0.1, elements=4, plane="xy", law=law, **more)
    weight = m.part("weight", 0.2, (1e-4,) * 3, position=(1, 0, 0))
    m.fixed(c.first, m.ground, at=(0, 0, 0))
    m.fixed(c.last, weight, at=(1, 0, 0))
    m.vforce(weight.cm, m.ground, "0", force, "0", rm=m.marker(m.ground))
    return m, c, weight


@pytest.mark.slow
def test_taylor_past_the_corners():
    """K and C of the iteration matrix by differences, where points have yielded."""
    check(whip("0.3*TIME", damping=0.01)[0], far=0.1)


@pytest.mark.slow
def test_statics_take_the_path():
    """Up, half down and up again: the same as at once; let go, what is left is what the sections kept (moments are
    zero, curvatures are not)."""
    ends = []
    for text in ("0.12*TIME", "0.12*(MIN(TIME,0.8)-MAX(0,MIN(TIME-0.8,0.1))*4+MAX(0,TIME-0.9)*6)"):
        m, c, weight = whip(text)
        sim = hn.Simulation(m)
        sim.quasistatics(end=1.0, steps=10)
        ends.append(sim.run().part("weight").position.values[-1])
    assert ends[1] == pytest.approx(ends[0], abs=1e-7) and ends[0][1] > 0.05
    m, c, weight = whip("0.12*MIN(TIME,2-TIME)")
    sim = hn.Simulation(m)
    sim.quasistatics(end=2.0, steps=10)
    view = sim.run().mesh(c)
    moment, kept, k = (view.section(w).values[-1] for w in ("bending moment", "plastic curvature", "curvature"))
    assert np.abs(moment).max() < 2e-2 * 0.09  # within an element curvature is linear, what is kept is not
    assert kept == pytest.approx(k, abs=1e-3) and k[0] > 0.05


@pytest.mark.slow
def test_frequencies_are_elastic():
    """Loaded past yielding, or let go: vibration about it is elastic, that of the straight cable but for its bent
    shape."""
    first = []
    for text, end in (("0", 1.0), ("0.12*MIN(TIME,2-TIME)", 2.0), ("0.12*TIME", 1.0)):
        sim = hn.Simulation(whip(text)[0])
        sim.quasistatics(end=end, steps=10)
        w = np.sort(np.abs(sim.linearize().eigenvalues.imag))
        first.append(w[w > 1.0][0])
        assert not any("not smooth" in text for text in sim.messages)
    assert first[1] == pytest.approx(first[0], rel=2e-3) and first[2] == pytest.approx(first[0], rel=1e-2)


@pytest.mark.slow
def test_energy_and_saved_states(tmp_path):
    """A weight that is hit: kinetic and stored energy and what is lost in yielding, by two methods; a saved state and a
    snapshot continue alike."""
    text = "2*STEP(TIME,0,0,0.05,1)*STEP(TIME,0.05,1,0.1,0)"
    m, c, weight = whip(text)
    found = {}
    for integrator, error in (("RADAU5", 1e-7), ("HHT", 1e-6)):
        run = hn.simulate(m, end=1.5, steps=150, kind="dynamics", integrator=integrator, error=error)
        found[integrator] = run.part("weight").position.values[-1]
        e = run.energy
        balance = e.total.values + e.dissipated.values - e.input.values
        assert np.abs(balance).max() < 5e-3 * e.kinetic.values.max()
        assert e.dissipated.values[-1] > 0.2 * e.kinetic.values.max() and np.diff(e.dissipated.values).min() > -1e-6
        assert run.mesh(c).strain_energy.values[-1] == pytest.approx(e.elastic.values[-1], rel=2e-2)
    assert found["HHT"] == pytest.approx(found["RADAU5"], abs=2e-3)
    sim = hn.Simulation(m)
    sim.dynamics(end=0.3, steps=30, integrator="RADAU5", error=1e-7)
    sim.save(tmp_path / "state.h5")
    other = hn.Simulation(hn.Model.from_json(m.to_json()))
    other.reload(tmp_path / "state.h5")
    for one in (sim, other):
        one.dynamics(end=0.6, steps=30, integrator="RADAU5", error=1e-7)
    a, b = (one.run().part("weight").position.values[-1] for one in (sim, other))
    assert a == pytest.approx(b, abs=1e-6)
    assert {k: v for k, v in sim.system.remembered().items()}[c.mesh.id] == pytest.approx(
        other.system.remembered()[c.mesh.id], abs=1e-6
    )


def given(**more):
    return cable(
        hn.Model(), **{"points": [(0, 0, 0), (1, 0, 0)], "EA": 1e3, "mass": 1.0, "law": LAW, "plane": "xy"} | more
    )


def test_what_cannot_yield():
    """Words of the maker, and of a mesh whose law is none or does not apply."""
    for more, words in (
        ({"EI": 1.0}, "law of bending and EI"),
        ({"plane": None}, "no plane"),
        ({"law": 3.0}, "law of a cable is 3.0"),
        ({"section": hn.flexible.Section.round(0.1), "E": 1.0, "density": 1.0, "EA": None, "mass": None}, "a section"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            given(**more)
    assert not given().model.warnings
    round_ = given(points=[(np.sin(a), 1 - np.cos(a), 0) for a in np.linspace(0.0, 1.0, 9)])
    assert "drawn with a curvature of 1.01 and yields at 0.02" in round_.model.warnings[0]
    curve = given(law=MomentCurve(((-1.0, -1.0), (0.0, 0.0), (1.0, 1.0))))
    assert curve.mesh.element == "planar_cable"
    for name, value, words in (
        ("law", LAW.parameters[:-1], "not those of (Plastic|Fibres)"),
        ("element", "cable", "take none|do not fit"),
        ("law", (3.0, 1.0, 1.0), "not those of (Plastic|Fibres)"),
    ):
        twin = hn.Model.from_json(given().model.to_json())
        mesh = next(iter(twin.table("ABSOLUTE_MESH").values()))
        setattr(mesh, name, value)
        with pytest.raises(hn.ModelError, match=words):
            hn.simulate(twin, end=0.1, steps=1, kind="dynamics")

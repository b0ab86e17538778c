"""Feeders and sinks, grains added and removed between analyses, parts taken out."""

import numpy as np
import pytest

import holonom as hn
from holonom import Box, Cylinder, HalfSpace, Model, ModelError
from holonom.analyses.session.simulation import Simulation
from holonom.results.pages.animation import scene

EULER = dict(integrator="SEMI_IMPLICIT_EULER", hmax=2e-4)
LAW = dict(stiffness=2e4, exponent=1.0, damping=3.0, dmax=1e-6)


def chute(**more):
    """Grains fall on a slope and run over its end."""
    m = Model("chute")
    m.gravity = (0, 0, -9.81)
    g = m.grains(np.zeros((0, 3)), np.zeros(0), "sand", density=2000.0)
    m.contact(g, **LAW)
    m.contact(g, m.plane(m.ground, (0, 0, 0), (0.5, 0, 1)), **LAW)
    feeder = dict(rate=200, radius=(0.008, 0.012), density=2000.0, velocity=(0, 0, -1), stop=0.5, count=70)
    m.feeder(g, Box((-0.1, -0.1, 0.3), (0.1, 0.1, 0.4)), name="bin", **(feeder | more))
    m.sink(HalfSpace((0.3, 0, 0), (-1, 0, 0)), name="end")
    return m


@pytest.mark.parametrize("way", ["granular", "general"])
def test_what_is_fed_is_there_or_taken(way, tmp_path):
    m = chute()
    run = hn.simulate(m, 0.8, steps=40, grains=way, **EULER)
    g, taken = run.grains("sand"), run.sink("end").grains.values
    assert len(g) == 70 and len(m.table("GRAINS")[1]) == 0  # the user's model stays as it was
    made = np.minimum(np.floor(200 * run.time * (1 + 1e-12)), 70)
    rows = np.searchsorted(run.time, run.time, side="right") - 1  # of equal times the last
    assert (g.count + taken)[rows] == pytest.approx(made[rows], abs=8)  # those due wait for the next look
    assert g.count[-1] + taken[-1] == 70 and taken[-1] > 20
    gone = ~g.exists[-1]
    assert run.sink("end").mass.values[-1] == pytest.approx(g.mass[gone].sum())
    p = g.values("position")
    for k in np.flatnonzero(gone):  # there without a break, then not
        there = np.flatnonzero(g.exists[:, k])
        assert len(there) == there[-1] - there[0] + 1 and p[there[-1], k, 0] > 0.0
    assert g.radius.min() >= 0.008 and g.radius.max() <= 0.012
    run.save(tmp_path / "run.h5")
    back = hn.load(tmp_path / "run.h5")
    assert np.array_equal(back.grains().exists, g.exists) and np.array_equal(
        back.sink("end").mass, run.sink("end").mass
    )
    assert len(scene(run)["grains"]) == 1


def test_feeding_repeats_and_goes_on_through_analyses():
    a = hn.simulate(chute(), 0.3, steps=3, **EULER).grains()
    sim = Simulation(chute(), progress=False)
    sim.dynamics(end=0.2, steps=2, **EULER)
    sim.dynamics(end=0.3, steps=1, **EULER)
    b = sim.run().grains()
    assert a.count[-1] == b.count[-1]
    assert np.array_equal(
        a.values("position")[-1],
        hn.simulate(chute(), 0.3, steps=3, **EULER).grains().values("position")[-1],
        equal_nan=True,
    )


def test_a_feeder_without_room_waits_and_says_so():
    m = chute(rate=20_000, stop=None, count=0, velocity=(0, 0, 0))
    run = hn.simulate(m, 0.04, steps=2, **EULER)
    assert any("'bin' has no space for" in text and "they wait" in text for text in run.info["messages"])
    g = run.grains()
    p, r = g.values("position")[-1], g.radius
    p, r = p[g.exists[-1]], r[g.exists[-1]]
    d = np.linalg.norm(p[:, None] - p[None], axis=2) - r[:, None] - r[None] + np.eye(len(r))
    assert d.min() > -0.005 and 100 < len(r) < 1500


@pytest.mark.parametrize("way", ["granular", "general"])
def test_grains_added_and_removed_by_hand(way):
    m = Model("by hand")
    m.gravity = (0, 0, -10.0)
    g = m.grains([(0, 0, 1), (1, 0, 1), (2, 0, 1)], 0.1, "balls", mass=1.0)
    m.contact(g, **LAW)
    sim = Simulation(m, progress=False)
    sim.dynamics(end=0.1, steps=1, grains=way, **EULER)
    assert sim.remove_grains(g, Box((0.9, -1, 0), (1.1, 1, 2))).tolist() == [1]
    assert sim.add_grains(g, [(0, 0, 5.0), (3, 0, 5.0)], 0.2, density=100.0, velocity=(0, 0, 2.0)).tolist() == [3, 4]
    sim.dynamics(end=0.2, steps=1, grains=way, **EULER)
    run = sim.run()
    view = run.grains()
    assert view.exists.tolist() == [[True] * 3 + [False] * 2] * 2 + [[True, False, True, True, True]] * 2
    z = view.values("position")[:, :, 2]
    assert z[1, 0] == z[2, 0] == pytest.approx(0.95, abs=2e-4)
    assert z[3, 3] == pytest.approx(5.0 + 0.2 - 0.05, abs=2e-4) and z[3, 2] == pytest.approx(0.8, abs=4e-4)
    assert view.mass[3] == pytest.approx(100 * 4 / 3 * np.pi * 0.2**3)
    assert len(g) == 3 and m.table("GRAINS")[1] is g
    with pytest.raises(ModelError, match="its grain 1 was removed before"):
        sim.remove_grains("balls", [1])
    with pytest.raises(ModelError, match="it has no grain 7; they are numbered from 0 to 4"):
        sim.remove_grains("balls", 7)
    with pytest.raises(ModelError, match="the radius of grain 0 must be positive"):
        sim.add_grains("balls", [(0, 0, 0)], -1.0, mass=1.0)


def test_parts_are_removed_unless_something_holds_them():
    m = Model("parts")
    m.gravity = (0, 0, -10.0)
    a, b, c = (m.part(n, 1.0, (1, 1, 1), (x, 0, 1)) for n, x in (("a", 0), ("b", 1), ("c", 2)))
    m.revolute(a, m.ground, name="hinge", at=(0, 0, 1), axis=(0, 1, 0))
    m.sforce(*(m.marker(p) for p in (b, m.ground)), "1", name="pull")
    balls = [m.sphere(p, p.qg, 0.1) for p in (a, b, c)]
    m.contact(balls, **LAW)
    only = m.contact(balls[2], m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **LAW)
    sim = Simulation(m, progress=False)
    sim.dynamics(end=0.1, steps=1, **EULER)
    with pytest.raises(
        ModelError, match="PART/2 'a': it cannot be removed: JOINT/1 'hinge' holds it; deactivate that first"
    ):
        sim.remove(a)
    with pytest.raises(ModelError, match="PART/3 'b': it cannot be removed: SFORCE/1 'pull' acts on it"):
        sim.remove("b")
    with pytest.raises(ModelError, match="the ground cannot be removed"):
        sim.remove(m.ground)
    sim.remove(c)
    assert c.active and only.active  # the user's model stays
    sim.dynamics(end=0.2, steps=1, **EULER)
    run = sim.run()
    z = run.data.body_position[:, 2, 2]
    assert np.isfinite(z[:2]).all() and np.isnan(z[2:]).all()
    assert run.part("b").position.values[-1, 0] != 1.0
    with pytest.raises(ModelError, match="PART/4 'c': it was removed before"):
        sim.remove("c")


BAD = [
    (dict(rate=-1), "its rate must be positive"),
    (dict(radius=(0.02, 0.01)), "its radius must be positive, the smallest one first"),
    (dict(density=0.0), "its density must be positive"),
    (dict(stop=-1.0), "it stops at -1, which is not after its start at 0"),
]


@pytest.mark.parametrize(("more", "text"), BAD)
def test_bad_feeders(more, text):
    with pytest.raises(ModelError, match=text):
        hn.simulate(chute(**more), 0.1, steps=1, **EULER)


def test_regions_of_feeders_and_json():
    m = chute()
    m.feeder("sand", Cylinder((0, 0, 1), (0, 0, 2), 0.1), rate=1.0, radius=0.01, density=1.0)
    twin = Model.from_json(m.to_json())
    assert twin.table("FEEDER") == m.table("FEEDER") and twin.table("SINK") == m.table("SINK")
    m.feeder("sand", HalfSpace((0, 0, 0), (0, 0, 1)), rate=1.0, radius=0.01, density=1.0)
    with pytest.raises(ModelError, match="its region has no end; give a Box or a Cylinder"):
        hn.simulate(m, 0.1, steps=1, **EULER)
    m = Model()
    m.grains(np.zeros((0, 3)), np.zeros(0), "sand", density=2000.0)
    with pytest.raises(ModelError, match="it has no grains; give positions, one row each, or a feeder"):
        hn.simulate(m, 0.1, steps=1, **EULER)

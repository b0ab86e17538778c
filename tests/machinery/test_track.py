"""Tracked vehicle side: its geometry, statics and accelerations against balances on paper."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import tracked_side
from holonom.machinery.track import ARM, IDLER, SHOE, SPROCKET, WHEEL, WHEELS, shoe_profile, sprocket_profile

SHOES, G = 63, 9.81


def masses(model):
    return {p.name: p.mass for p in model.table("PART").values() if p.mass}


def moved(model):
    """Mass that the hull's speed moves: the track runs round at that speed while it goes along with it."""
    pitches = SPROCKET["teeth"] * SHOE["pitch"]
    turning = 5 * WHEEL["inertia"][2] / WHEEL["radius"] ** 2 + IDLER["inertia"][2] / IDLER["radius"] ** 2
    turning += SPROCKET["inertia"][2] * (2 * math.pi / pitches) ** 2
    return sum(masses(model).values()) + SHOES * SHOE["mass"] + turning


def test_track_closes_and_nothing_overlaps():
    model = tracked_side()
    shoes = [model.find("PART", f"shoe {k + 1}").frame for k in range(SHOES)]
    centre, along = np.array([f.origin[:2] for f in shoes]), np.array([f.axes[:2, 0] for f in shoes])
    half = 0.5 * SHOE["pitch"] * along
    assert np.abs(centre + half - np.roll(centre - half, -1, axis=0)).max() < 1e-9
    turn = along[:, 0] * np.roll(along, -1, axis=0)[:, 1] - along[:, 1] * np.roll(along, -1, axis=0)[:, 0]
    assert np.arcsin(turn).sum() == pytest.approx(2 * math.pi, abs=1e-9)  # once round, and no shoe folds back
    idler = tuple(model.find("PART", "idler").frame.origin[:2])
    for place, radius in ((idler, IDLER["radius"]), *((w, WHEEL["radius"]) for w in WHEELS)):
        d = np.array(place) - centre
        u, v = np.abs((d * along).sum(axis=1)), np.abs(along[:, 0] * d[:, 1] - along[:, 1] * d[:, 0])
        gap = np.hypot(np.maximum(u - 0.5 * SHOE["wheel"], 0), np.maximum(v - 0.5 * SHOE["height"], 0)) - radius
        assert -1e-3 < gap.min() < 0.01
    from matplotlib.path import Path

    from holonom.model.shape import Profile

    points, bulge = sprocket_profile()
    teeth = Profile(points, True, bulge).polyline(0.01)
    pins = np.concatenate([centre + x * along for x in SHOE["pins"]])
    near = np.array([np.linalg.norm(teeth - p, axis=1).min() for p in pins])
    assert near.min() > SHOE["pin"] and not Path(teeth).contains_points(pins).any()
    assert (near < SHOE["pin"] + 0.02).sum() >= 10  # five shoes and more lie in the sprocket
    assert sum(len(c.igeom) * len(c.jgeom) for c in model.table("CONTACT").values()) == 10 * SHOES


def test_profiles():
    """Tips on the circle of the addendum, the middles of arcs where the JSON's circles lie; a shoe is as long below and
    above as its pads."""
    points, bulge = sprocket_profile()
    assert np.allclose(np.linalg.norm(points, axis=1), 0.2605, atol=1e-15)
    p, q, b = points[0], points[1], bulge[0]
    d = q - p
    bottom = 0.5 * (p + q) + 0.5 * b * np.array(
        [d[1], -d[0]]
    )  # sagitta = bulge times half the chord, right of the way if positive
    assert np.allclose(bottom, [0.3 - 0.089, 0.0], atol=1e-12)
    d = points[2] - q
    top = 0.5 * (q + points[2]) + 0.5 * bulge[1] * np.array([d[1], -d[0]])
    assert np.linalg.norm(top) == pytest.approx(0.2605, rel=1e-12)  # teeth end on that circle
    points, bulge = shoe_profile(0.004)
    assert bulge == pytest.approx([0, np.tan(np.pi / 8)] * 4)  # quarters of a circle
    assert np.abs(np.diff(points, axis=0, append=points[:1])[[1, 3, 5, 7], 1]) == pytest.approx([0.004] * 4)
    assert np.abs(np.diff(points, axis=0)[[1, 3, 5], 0]) == pytest.approx([0.004, 0.004, 0.004])
    points, _ = shoe_profile()
    low, high = points[points[:, 1] < 0], points[points[:, 1] > 0]
    assert (
        np.ptp(low[:, 0]) == pytest.approx(0.11)
        and np.ptp(high[:, 0]) == pytest.approx(0.10)
        and np.ptp(points[:, 1]) == pytest.approx(0.06)
    )


def test_at_rest():
    """After settling, statics: weight, arms and their torsion bars, idler and tensioner."""
    model = tracked_side(torque=0.0)
    sim = hn.Simulation(model)
    sim.dynamics(end=1.0, steps=10, integrator="GSTIFF", error=1e-4)
    sim.statics()
    run = sim.run()
    last = lambda view: view.values[-1]
    weight = G * sum(masses(model).values())
    ground = last(run.contact("ground").force)
    assert ground[1] == pytest.approx(weight, rel=1e-6)
    assert abs(ground[0]) < 1e-6 * weight
    assert np.abs(run.part("hull").velocity.values[-1]).max() == 0.0
    # moments about the pivot of an arm: torsion bar, weight, bearing of the wheel
    for k in range(5):
        bearing = last(run.joint(f"wheel bearing {k + 1}").force)  # on the wheel, from the arm
        bar = last(run.force(f"torsion bar {k + 1}").torque)[2]
        axes = last(run.part(f"arm {k + 1}").axes)[:2, :2]
        pivot = last(run.part(f"arm {k + 1}").position)[:2] + axes @ (np.array(ARM["pivot"]) - ARM["centre"])
        r = last(run.part(f"wheel {k + 1}").position)[:2] - pivot
        c = last(run.part(f"arm {k + 1}").position)[:2] - pivot
        moment = bar - c[0] * ARM["mass"] * G - (r[0] * bearing[1] - r[1] * bearing[0])
        assert abs(moment) < 1e-5 * abs(bar) and bar > 1000.0
    # idler, carrier and the shoes round them: pins cut in both strands, tensioner
    idler = last(run.part("idler").position)[0]
    place = np.array([last(run.part(f"shoe {k + 1}").position)[0] for k in range(SHOES)]) - idler - 0.25
    cut = np.flatnonzero(place * np.roll(place, -1) < 0)
    pull = sum(abs(last(run.constraint(f"pin {k + 1}").force)[0]) for k in cut)
    tensioner = -last(run.force("tensioner").force)[0]
    slide = last(run.joint("idler slide").force)[0]  # across the slide, which leans with the hull
    assert len(cut) == 2 and pull == pytest.approx(tensioner - slide, rel=1e-6) and abs(slide) < 50.0
    assert 15e3 < tensioner < 25e3


@pytest.mark.slow
def test_rolls_down_a_slope():
    """Work of the weight less the losses = kinetic energy of the moved mass; nothing goes through anything, the track
    stays on."""
    model = tracked_side(torque=0.0, slope=-0.2, pin_damping=0.0)
    run = hn.simulate(model, end=2.0, steps=400, integrator="GSTIFF", error=1e-5)
    x, speed = run.request("motion").values[:, 1], run.request("motion").values[:, 3]
    work = G * math.sin(0.2) * sum(masses(model).values()) * x - run.energy["dissipated"].values
    kinetic = 0.5 * moved(model) * speed**2
    early, late = ((run.time >= a) & (run.time <= a + 0.3) for a in (0.6, 1.7))
    gained = [v[late].mean() - v[early].mean() for v in (work, kinetic)]
    assert gained[0] > 5e3 and gained[0] == pytest.approx(gained[1], rel=0.01)
    for name in ("sprocket teeth", "wheels on track", "ground"):
        assert run.contact(name).depth.values.max() < 4e-3
    assert run.audit().segments[0].relative < 1e-3
    # the track stays round its wheels
    hull = run.request("motion").values[:, 1] + 2.006
    x = np.array([run.part(f"shoe {k + 1}").position.values[:, 0] for k in range(SHOES)]) - hull
    assert x.min() > -4.35 and x.max() < 0.33


def test_spins_on_ice():
    """The track slips under all wheels: traction is mu times weight, whatever the torque."""
    model = tracked_side(torque=6000.0, rise=(0.2, 0.4), ground={"mu": 0.05})
    run = hn.simulate(model, end=0.9, steps=180, integrator="GSTIFF", error=1e-4)
    speed, turning = run.request("motion").values[:, 3], -run.request("motion").values[:, 4]
    assert speed[-1] < 0.1 * turning[-1] * 10 * SHOE["pitch"] / (2 * math.pi)
    momentum = sum(m * run.part(name).velocity.values[:, 0] for name, m in masses(model).items())
    a = np.searchsorted(run.time, 0.4 - 1e-9)
    assert (momentum[-1] - momentum[a]) / 0.5 == pytest.approx(0.05 * G * sum(masses(model).values()), rel=0.01)


def test_bad_tracks():
    with pytest.raises(hn.ModelError, match="does not fit"):
        tracked_side(40)
    with pytest.raises(hn.ModelError, match="earlier to a later"):
        tracked_side(rise=(1.0, 1.0))
    with pytest.raises(hn.ModelError, match="must not be negative"):
        tracked_side(pin_damping=-1.0)
    with pytest.raises(hn.ModelError, match="right angle"):
        tracked_side(slope=2.0)

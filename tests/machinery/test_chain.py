"""Chain drive: its geometry."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import chain_drive, chain_study, silent_chain
from holonom.machinery.chain import _lay, _path, sprocket_arcs, sprocket_outline

PITCH, ROLLER = 12.7e-3, 8.5e-3


def arc(points, bulge):
    """Centre, radius and directions at both ends of the arc from the first point to the second."""
    a, b = points
    angle = 4 * math.atan(bulge)
    d = b - a
    centre = 0.5 * (a + b) + 0.5 / math.tan(0.5 * angle) * np.array([-d[1], d[0]])
    along = [math.copysign(1, bulge) * np.array([-(p - centre)[1], (p - centre)[0]]) for p in (a, b)]
    return centre, np.linalg.norm(a - centre), [v / np.linalg.norm(v) for v in along]


@pytest.mark.parametrize("teeth", [18, 36])
def test_arcs_of_a_sprocket(teeth):
    arcs = sprocket_arcs(teeth, PITCH, ROLLER)
    assert len(arcs) == 3 * teeth
    pitch_radius = 0.5 * PITCH / math.sin(math.pi / teeth)
    for k in range(teeth):
        first, last, seat = (arc(*arcs[3 * k + j]) for j in range(3))
        assert seat[1] == pytest.approx(0.505 * ROLLER + 7e-5, rel=1e-12)
        assert first[1] == pytest.approx(0.12 * ROLLER * (teeth + 2), rel=1e-9)
        g = 2 * math.pi * k / teeth
        assert np.allclose(seat[0], pitch_radius * np.array([math.cos(g), math.sin(g)]), atol=1e-15)
        # one way round: flank, seat, flank, tangent where they meet
        f, s, e = (arcs[3 * k + j][0] for j in (0, 2, 1))
        assert np.allclose(f[1], s[0], atol=1e-15) and np.allclose(s[1], e[0], atol=1e-15)
        assert np.allclose(first[2][1], seat[2][0], atol=1e-12) and np.allclose(seat[2][1], last[2][0], atol=1e-12)
        # material on the left: a tooth, so the way leads outward at its end
        assert e[1] @ e[1] > e[0] @ e[0]


def test_outline_of_a_sprocket_is_that_of_its_arcs():
    """One way round: flank, seat, flank, and straight over the tip to the next tooth."""
    arcs, (points, bulges) = sprocket_arcs(17, PITCH, ROLLER), sprocket_outline(17, PITCH, ROLLER)
    assert points.shape == (68, 2) and len(bulges) == 68
    for k in range(17):
        pieces = [arcs[3 * k + j] for j in (0, 2, 1)]
        for j, (ends, bulge) in enumerate(pieces):
            np.testing.assert_allclose(points[4 * k + j : 4 * k + j + 2], ends, atol=1e-15)
            assert bulges[4 * k + j] == bulge
        tip = np.hypot(*points[[4 * k + 3, (4 * k + 4) % 68]].T)
        assert bulges[4 * k + 3] == 0.0 and tip[0] == pytest.approx(tip[1], rel=1e-12)


@pytest.mark.parametrize("teeth, links", [((18, 36), 60), ((20, 80), 130), ((60, 15), 100)])
def test_pins_are_on_the_sprockets_as_far_as_an_open_belt(teeth, links):
    """Of all pairs of odd numbers of pins near the arcs of an open belt, those with which the free rollers are farthest
    from the pitch circles."""
    pins, distance, on, free = _path(links, teeth, PITCH, 8e-4)
    radii = [0.5 * PITCH / math.sin(math.pi / z) for z in teeth]
    lean = math.asin((radii[1] - radii[0]) / distance)
    arcs = [(math.pi - 2 * lean) / 2 / math.pi * teeth[0], (math.pi + 2 * lean) / 2 / math.pi * teeth[1]]
    assert np.abs(np.array(on) - 1 - arcs).max() < 2.5 and sum(on) + 2 * (free - 1) == links == len(pins)
    steps = np.linalg.norm(np.diff(pins, axis=0, append=pins[:1]), axis=1)
    np.testing.assert_allclose(steps, PITCH, rtol=1e-9)
    clear = lambda pins, distance: min(
        np.linalg.norm(pins - c, axis=1).min() - r for c, r in (((0, 0), radii[0]), ((distance, 0), radii[1]))
    )
    angles = [2 * math.pi / z for z in teeth]
    middle = [round(a / 2) for a in arcs]
    tried = [
        clear(*_lay(links, (middle[0] + i, middle[1] + j), angles, radii, PITCH, 8e-4))
        for i in range(-3, 4)
        for j in range(-3, 4)
    ]
    assert clear(pins, distance) == pytest.approx(max(tried), abs=1e-8 * PITCH)


@pytest.mark.parametrize("links", [60, 120, 240])
def test_chain_closes_and_nothing_overlaps(links):
    model = chain_drive(links)
    parts = [model.find("PART", f"link {k + 1}") for k in range(links)]
    place = np.array([p.frame.origin for p in parts])
    along = np.array([p.frame.axes[:, 0] for p in parts])
    assert np.abs(place + 0.5 * PITCH * along - np.roll(place - 0.5 * PITCH * along, -1, axis=0)).max() < 1e-9
    # a roller is as far from the centre of a sprocket as the seats say, or farther than the tips
    pins = place - 0.5 * PITCH * along
    for word, teeth in (("driver", 18), ("driven", 36)):
        centre = model.find("PART", word).frame.origin
        radius = 0.5 * PITCH / math.sin(math.pi / teeth)
        far = np.linalg.norm(pins - centre, axis=1)
        assert (np.abs(far - radius) < 1e-9).sum() >= teeth // 2
        assert far.min() > radius - 1e-9
    assert sum(len(c.igeom) * len(c.jgeom) for c in model.table("CONTACT").values()) == links * 54 * 3
    twice = chain_drive(links, idle=True)
    assert sum(len(c.igeom) * len(c.jgeom) for c in twice.table("CONTACT").values()) == 2 * links * 54 * 3


def test_bad_chains():
    with pytest.raises(hn.ModelError, match="even"):
        chain_drive(61)
    with pytest.raises(hn.ModelError, match="too short"):
        chain_drive(30)


def start_up(idle=False):
    sim = hn.Simulation(chain_drive(60, idle=idle))
    sim.dynamics(end=0.012, steps=20, integrator="GSTIFF", error=1e-6, units="off")
    run = sim.run()
    axes = [run.part(w).axes.values[:, :, 0] for w in ("driver", "driven")]
    return run, np.column_stack([np.unwrap(np.arctan2(a[:, 1], a[:, 0])) for a in axes])


def test_load_and_pins_of_a_chain():
    """The driven sprocket brakes with load[0] + load[1] w once it turns, each pin with its damping."""
    m = chain_drive(speed=50.0, load=(5.0, 0.6), joint_damping=2e-4)
    pins = [e for e in m.table("SPRINGDAMPER").values() if e.name.startswith("pin friction")]
    assert len(pins) == 60 and {e.ct for e in pins} == {2e-4} and {e.kt for e in pins} == {0.0}
    run = hn.simulate(m, end=1e-6, steps=1)
    assert run.force("load").torque.values[0, 2] == pytest.approx(-(5.0 + 0.6 * 50.0 * 18 / 36), rel=1e-6)


def test_start_up_and_idle_sprockets():
    """From rest: nothing overlaps, the chain takes the load; the same to the bit again; idle wheels are not felt."""
    run, angles = start_up()
    assert all(run.contact(f"{w} teeth").points.values[0] == 0 for w in ("driver", "driven"))
    assert sum(run.contact(f"{w} teeth").points.values[-1] for w in ("driver", "driven")) > 15
    assert (np.ptp(angles, axis=0) > (0.02, 0.005)).all()
    assert run.audit().segments[0].relative < 2e-3
    assert np.array_equal(start_up()[1], angles)
    twice, same = start_up(idle=True)
    assert all(twice.counters[k] == run.counters[k] for k in ("steps", "iterations", "matrices"))
    assert (
        np.abs(same - angles).max() < 1e-8
    )  # the size of the shapes, to which onsets are located, is another one; the error asked is 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("links", [120, 240])
def test_long_chains_carry_the_torque(links):
    run = hn.simulate(chain_drive(links, speed=49.5), end=0.15, steps=150, integrator="GSTIFF", error=1e-5)
    late = run.between(0.075, 0.15)
    speed = late.request("speeds").values[:, 1:3].mean(axis=0)
    assert speed[0] / speed[1] == pytest.approx(2.0, rel=0.01)
    far = run.part("driven").position.values[0, 0]
    place = np.array([late.part(f"link {k + 1}").position.values for k in range(links)])
    pull = np.array([np.linalg.norm(late.constraint(f"pin {k + 1}").force.values[:, :2], axis=1) for k in range(links)])
    middle = np.abs(place[..., 0] - 0.5 * far) < 0.1
    tight, slack = (pull[middle & ((place[..., 1] > 0) == above)].mean() for above in (True, False))
    assert (tight - slack) * 0.5 * PITCH / math.sin(math.pi / 18) == pytest.approx(10.0, rel=0.02)


@pytest.mark.parametrize("teeth", [12, 18, 36])
def test_walls_of_silent_sprockets(teeth):
    """ANSI B29.2: a gauge pin of 5/8 P touches both walls of a gap where sprockets measure D - P/8 csc(30 deg - 180 deg
    / z) + 5/8 P over it; teeth end at its outside diameter, and have faces of 30 - 360 / z degrees."""
    walls = [points for points, bulge in silent_chain.walls(teeth, PITCH)]
    points, bulges = silent_chain.outline(teeth, PITCH)
    assert (points == np.vstack(walls)).all() and (bulges == np.zeros(4 * teeth)).all()
    radius, opens = 0.5 * PITCH / math.sin(math.pi / teeth), math.radians(30.0) - math.pi / teeth
    gauge = np.array([radius - PITCH / 16 / math.sin(opens), 0.0]) if opens > 0.2 else None
    for (a, b), side in zip(walls[:2], (1, -1)):
        d = (b - a) / np.linalg.norm(b - a)
        left = np.array([-d[1], d[0]])
        assert max(np.hypot(*a), np.hypot(*b)) == pytest.approx(
            0.5 * PITCH * (1 / math.tan(math.pi / teeth) + 0.08), rel=1e-12
        )
        axis = -side * math.pi / teeth  # of the tooth next to
        assert abs(math.remainder(math.atan2(d[1], d[0]) - axis, math.pi)) == pytest.approx(
            math.radians(30.0 - 360.0 / teeth), abs=1e-12
        )
        assert (gauge - a) @ left == pytest.approx(-0.3125 * PITCH, rel=1e-12)  # material on the left
    with pytest.raises(hn.ModelError, match="12 teeth or more"):
        silent_chain.walls(11, PITCH)
    with pytest.raises(hn.ModelError, match="kind of a chain is 'silnt'.*silent"):
        chain_drive(kind="silnt")


def test_links_with_toes_stand_on_both_walls():
    """Where both pins lie on the pitch circle each toe touches one wall, and nothing else is touched or overlaps."""
    model = chain_drive(60, kind="silent")
    assert [len(c.igeom) for c in model.table("CONTACT").values()] == [120, 120]
    gaps = hn.Simulation(model)
    assert gaps.degrees_of_freedom() == 62
    found = gaps.system.contacts.gaps(0.0, gaps.system.y0)
    touching = np.abs(found) < 1e-12
    on = 0
    for word, teeth in (("driver", 18), ("driven", 36)):
        centre, radius = model.find("PART", word).frame.origin, 0.5 * PITCH / math.sin(math.pi / teeth)
        pins = [
            np.linalg.norm(
                (p := model.find("PART", f"link {k + 1}").frame).origin - 0.5 * PITCH * p.axes[:, 0] - centre
            )
            for k in range(60)
        ]
        seated = np.abs(np.array(pins) - radius) < 1e-9
        on += (seated & np.roll(seated, -1)).sum()
    assert (
        touching.sum() == pytest.approx(2 * on, abs=4) and found.min() > -1e-9
    )  # the first and the last link stand on one wall


@pytest.mark.slow
def test_silent_chain_beside_a_roller_chain():
    """Tight less slack strand is torque over radius, speeds are as the teeth; both types swing at multiples of the
    frequency of teeth, and little between."""
    for row in chain_study(end=0.1):
        assert row["pull"] == pytest.approx(row["expected"], rel=0.02) and row["ratio"] == pytest.approx(2.0, rel=2e-3)
        assert row["twice"] > 3.0 * row["between"]

"""Chain drive: its geometry."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import chain_drive
from holonom.machinery.chain import sprocket_arcs

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
        assert first[1] == pytest.approx(0.48 * ROLLER, rel=1e-12)
        g = 2 * math.pi * k / teeth
        assert np.allclose(seat[0], pitch_radius * np.array([math.cos(g), math.sin(g)]), atol=1e-15)
        # one way round: flank, seat, flank, tangent where they meet
        f, s, e = (arcs[3 * k + j][0] for j in (0, 2, 1))
        assert np.allclose(f[1], s[0], atol=1e-15) and np.allclose(s[1], e[0], atol=1e-15)
        assert np.allclose(first[2][1], seat[2][0], atol=1e-12) and np.allclose(seat[2][1], last[2][0], atol=1e-12)
        # material on the left: a tooth, so the way leads outward at its end
        assert e[1] @ e[1] > e[0] @ e[0]


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

"""Surfaces of flexible bodies between their nodes: nothing that fits between two nodes passes unseen."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, cable, rod
from holonom.flexible.along import pieces
from holonom.model.bounds import half_width, roundness
from holonom.model.shape import shape_of


def falling(kind, make, elements=12):
    """A cable or rod that falls flat on a shape: how deep its lowest position has come, and the largest force."""
    m = hn.Model("falling")
    m.gravity = (0, 0, -69.4)
    ends = [(-0.5, 0, 0.2), (0.5, 0, 0.2)]
    if kind == "cable":
        rope = cable(m, ends, EA=5e3, EI=0.01, mass=0.2, radius=0.005, damping=1e-3, elements=elements)
    else:
        rope = rod(m, ends, Section.round(0.005), E=6e7, density=2500.0, damping=1e-3, elements=elements)
    rope.touch(make(m), mu=0.3, name="touch")
    run = hn.simulate(m, 0.088, 40, integrator="RADAU5", error=1e-5)
    force = np.nanmax(np.abs(run.contact("touch").force.values))
    if kind == "cable":
        return run.mesh(rope).axis().values[-1], force
    return np.array([run.part(p).position.values[-1] for p in rope.parts]), force


#: shapes thinner than the distance of the nodes, between two of which they lie
THIN = {
    "drum": lambda m: m.cylinder(m.ground, (0.03, -0.1, 0), (0.03, 0.1, 0), 0.01),
    "ball": lambda m: m.sphere(m.ground, (0.035, 0, 0), 0.015),
    "plate": lambda m: m.box(m.ground, (0.03, 0, -0.05), (0.002, 0.2, 0.1)),
    "edge": lambda m: m.hull(
        m.ground,
        [(0.02, -0.1, -0.1), (0.02, 0.1, -0.1), (0.04, -0.1, -0.1), (0.04, 0.1, -0.1), (0.03, -0.1, 0), (0.03, 0.1, 0)],
    ),
}


@pytest.mark.parametrize(
    "kind, name",
    [
        (kind, name) if (kind, name) == ("cable", "drum") else pytest.param(kind, name, marks=pytest.mark.slow)
        for kind in ("cable", "rod")
        for name in THIN
    ],
)
def test_what_fits_between_nodes_is_touched(kind, name):
    """The axis hangs over it: at its place it is above."""
    axis, force = falling(kind, THIN[name])
    assert force > 1.0
    over = np.interp(0.03, axis[:, 0], axis[:, 2])
    assert over > -0.03  # straight between nodes that hang on both sides; what passes is at -0.069


def test_widths_of_shapes():
    m = hn.Model()
    solid = lambda g: shape_of(m, g)
    drum = solid(m.cylinder(m.ground, (0, -0.1, 0), (0, 0.1, 0), 0.02))
    disc = solid(m.cylinder(m.ground, (0, -0.001, 0), (0, 0.001, 0), 0.02))
    ring = solid(m.torus(m.ground, (0, 0, 0), (0, 0, 1), 0.1, 0.01))
    assert half_width(drum) == pytest.approx(0.02) and half_width(disc) == pytest.approx(0.001)
    assert half_width(disc, np.array([[1.0, 0.0, 0.0]])) == pytest.approx(0.02)
    assert half_width(ring) == roundness(ring) == pytest.approx(0.01)
    assert roundness(drum) == 0.02 and roundness(solid(m.box(m.ground, (0, 0, 0), (1, 2, 3)))) == 0.0
    assert half_width(solid(m.plane(m.ground, (0, 0, 0), (0, 0, 1)))) == np.inf
    bore = solid(m.cylinder(m.ground, (0, -0.1, 0), (0, 0.1, 0), 0.02, inside=True))
    assert half_width(bore) == roundness(bore) == np.inf
    assert half_width(solid(m.hull(m.ground, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]))) == 0.0
    assert pieces([drum], 0.02, 0.005) == ("sphere", 1)
    assert pieces([drum], 0.08, 0.005) == ("capsule", 4)
    assert pieces([drum], 0.08, 0.005, "sphere") == ("sphere", 4)
    assert pieces([disc], 0.02, 0.005) == ("capsule", 1)
    assert pieces([drum, disc], 1.0, 0.005) == ("capsule", 8)


def test_gaps_that_are_left_are_reported():
    m = hn.Model()
    rope = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e3, EI=0.1, mass=1.0, elements=5, radius=0.005, name="rope")
    ball = m.sphere(m.ground, (0.5, 0, -1), 0.01)
    rope.touch(ball)
    assert not [w for w in m.warnings if "rope" in w]
    rope.touch(ball, shape="sphere", points=1)
    assert "balls of radius 0.005 are 0.2 apart, and GRAPHICS/1 'GRAPHICS_1' fits between them" in m.warnings[-1]
    rope.touch(ball, shape="capsule", points=1)
    assert (
        "straight over 0.2 between two nodes, long for GRAPHICS/1 'GRAPHICS_1' with a radius of 0.01" in m.warnings[-1]
    )
    before = len(m.warnings)
    rope.touch(m.plane(m.ground, (0, 0, -1), (0, 0, 1)), shape="sphere", points=1)
    assert len(m.warnings) == before
    plate = hn.flexible.ancf_plate(
        m, [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], 0.01, E=1e6, density=1e3, elements=(2, 2)
    )
    plate.touch(m.sphere(m.ground, (0, 0, 2), 0.1), shape="sphere")
    assert len(m.warnings) == before
    plate.touch(m.sphere(m.ground, (0, 0, 2), 0.1), shape="sphere", points=1)
    assert "the balls of its surface leave gaps of 0.697" in m.warnings[-1]

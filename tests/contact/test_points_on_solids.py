"""Points and tiny balls against shapes that are not convex: their thickness of nothing requested infinitely many
evaluations."""

import numpy as np
import pytest
import trimesh

import holonom as hn

SHAPES = {
    "box": lambda m, b: m.box(b, (0, 0, 0), (0.2, 0.2, 0.2)),
    "extrusion": lambda m, b: m.extrusion(
        b, [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)], 0.2, at=(0, 0, -0.1), axis=(0, 0, 1)
    ),
    "mesh": lambda m, b: m.mesh(b, trimesh.creation.box((0.2, 0.2, 0.2))),
    "revolution": lambda m, b: m.revolution(
        b, [(0, -0.1), (0.1, -0.1), (0.1, 0.1), (0, 0.1)], at=(0, 0, 0), axis=(1, 0, 0)
    ),
    "torus": lambda m, b: m.torus(b, (0, 0, 0), (0, 1, 0), 0.08, 0.02),
}


@pytest.mark.parametrize("method", ["compliant", "events"])
@pytest.mark.parametrize("radius", [0.0, 1e-6])
@pytest.mark.parametrize("kind", list(SHAPES))
def test_a_point_bounces(kind, radius, method):
    """The velocity of two free bodies after an elastic impact along their centres, by momentum and energy."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a, b = m.part("a", 1.0, (1e-3,) * 3, (-0.4, 0, 0), velocity=(3.0, 0, 0)), m.part("b", 2.0, (1e-3,) * 3, (0, 0, 0))
    point = m.sphere(a, (-0.4, 0, 0), radius) if radius else m.point(a, (-0.4, 0, 0))
    m.contact(point, SHAPES[kind](m, b), stiffness=1e7, exponent=1.0, damping=0.0, dmax=1e-4, restitution=1.0)
    run = hn.simulate(m, 0.3, 20, contact=method)
    assert run.part("b").velocity.values[-1] == pytest.approx((2.0, 0, 0), abs=2e-3)
    assert run.counters["evaluations of gaps"] < 1000
    assert np.isfinite(run.part("a").position.values).all()

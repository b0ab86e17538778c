"""Volumes in closed form, and against the share of random points that the distances call inside."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from test_mesh import torus

from holonom.contact.shapes import profile as F
from holonom.contact.shapes.measure import signed_distances, volume
from holonom.model.bounds import bounds
from holonom.model.shape import circle


def solid(kind, par=(), **data):
    base = {"vertices": None, "triangles": None, "profile": None, "heights": None, "graphic": None}
    return SimpleNamespace(kind=kind, par=par, **{**base, **data})


RING = F.arcs([(1.3, 0.0), (1.0, 0.3), (0.7, 0.0), (1.0, -0.3)], [math.tan(math.pi / 8)] * 4)
SOLIDS = [
    (solid("SPHERE", (0.7, 0)), 4 / 3 * math.pi * 0.343),
    (solid("BOX", (0.5, 0.4, 0.3)), 0.48),
    (solid("CYLINDER", (0.5, 0.4, 0, 1)), 0.2 * math.pi),
    (solid("CAPSULE", (0.5, 0.4)), math.pi * 0.25 * (0.8 + 2 / 3)),
    (solid("FRUSTUM", (0.5, 0.2, 0.4)), math.pi * 0.8 / 3 * 0.39),
    (solid("ELLIPSOID", (0.5, 0.4, 0.3)), 4 / 3 * math.pi * 0.06),
    (solid("TORUS", (1.0, 0.3)), 2 * math.pi**2 * 0.09),
    (solid("EXTRUSION", (0.4, 0.0), profile=circle(0.5)), 0.2 * math.pi),
    (solid("REVOLUTION", (), profile=RING), 2 * math.pi**2 * 0.09),
    (solid("MESH", (), vertices=torus(number=12)[0], triangles=torus(number=12)[1]), None),
]


@pytest.mark.parametrize("number", range(len(SOLIDS)))
def test_volume(number):
    shape, want = SOLIDS[number]
    if want is not None:
        np.testing.assert_allclose(volume(shape), want, rtol=1e-12)
    centre, half, _ = bounds(shape)
    points = centre + np.random.default_rng(3).uniform(-1, 1, (6000, 3)) * half
    share = (signed_distances(shape, points) < 0).mean()
    assert abs(share * 8 * half.prod() / volume(shape) - 1) < 0.08


def test_nothing_inside():
    assert volume(solid("POINT")) == volume(solid("BOX", (1.0, 1.0, 0.0))) == 0.0
    assert volume(solid("HULL", vertices=np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.0)]))) < 1e-12
    assert volume(solid("CURVE", (0.0,), profile=F.polyline([(0, 0), (1, 0)], closed=False))) == 0.0
    assert volume(solid("PLANE", (0, 0))) == math.inf

"""Bodies whose sides are aligned meet.

A corner on a side face, or nearer to it than to the face that it came through, has entered that face; coaxial rods meet
by their ends, as do pins on extrusions.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz._solids import Solid, box_mesh, revolved_mesh

import holonom as hn

SPEED, E = 3.0, 0.5
WIDE, NARROW, THIN = (0.2, 0.2, 0.05), (0.2, 0.1, 0.05), (0.2, 0.2, 5e-4)
ROUND = revolved_mesh([(0, -0.05), (0.2, -0.05), (0.2, 0.05), (0, 0.05)], 16)
EXTRUDED = [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)]


def mesh(half):
    return Solid("MESH", box_mesh(half), 1.0)


#: the flying body, the body at rest, and how far one lies next to the other
PAIRS = {
    "meshes": (mesh(WIDE), mesh(WIDE), (0, 0)),
    "meshes along one side": (mesh(WIDE), mesh(WIDE), (0, 0.05)),
    "thin meshes": (mesh(THIN), mesh(THIN), (0, 0)),
    "box and mesh": (mesh(WIDE), Solid("BOX", WIDE, 1.0), (0, 0)),
    "narrow mesh on a box": (mesh(NARROW), Solid("BOX", WIDE, 1.0), (0, 0)),
    "polygon on a cylinder": (Solid("MESH", ROUND, 1.0), Solid("CYLINDER", (0.2, 0.05), 1.0), (0, 0)),
    "coaxial cylinders": (Solid("CYLINDER", (0.2, 0.05), 1.0), Solid("CYLINDER", (0.2, 0.05), 1.0), (0, 0)),
    "cylinders nearly coaxial": (Solid("CYLINDER", (0.2, 0.05), 1.0), Solid("CYLINDER", (0.2, 0.05), 1.0), (0.001, 0)),
    "extrusions end on end": (
        Solid("EXTRUSION", (EXTRUDED, 0.1), 1.0),
        Solid("EXTRUSION", (EXTRUDED, 0.1), 1.0),
        (0, 0),
    ),
    "extrusion and mesh": (Solid("EXTRUSION", (EXTRUDED, 0.1), 1.0), mesh(WIDE), (0, 0)),
    "pin on an extrusion": (Solid("CYLINDER", (0.05, 0.05), 1.0), Solid("EXTRUSION", (EXTRUDED, 0.1), 1.0), (0, 0)),
    "extrusion on a wide cylinder": (
        Solid("EXTRUSION", (EXTRUDED, 0.1), 1.0),
        Solid("CYLINDER", (0.4, 0.05), 1.0),
        (0, 0),
    ),
}
FAST = {
    ("meshes", "events"),
    ("meshes", "compliant"),
    ("narrow mesh on a box", "events"),
    ("polygon on a cylinder", "time-stepping"),
    ("coaxial cylinders", "events"),
    ("coaxial cylinders", "time-stepping"),
    ("cylinders nearly coaxial", "compliant"),
    ("extrusions end on end", "events"),
    ("pin on an extrusion", "events"),
    ("pin on an extrusion", "compliant"),
}


def options(method):
    if method == "compliant":
        return {}
    return {"contact": method} | ({"step": 1e-3} if method == "time-stepping" else {})


@pytest.mark.parametrize(
    "name, method",
    [
        pytest.param(name, method, marks=() if (name, method) in FAST else pytest.mark.slow)
        for name in PAIRS
        for method in ("events", "compliant", "time-stepping")
        if method != "compliant" or not name.startswith("extrusion")  # as fine meshes, minutes
    ],
)
def test_aligned_bodies_meet(name, method):
    """The relative velocity is reversed, by e, where the centres lie on one line; momentum is exchanged in any case."""
    first, second, beside = PAIRS[name]
    wall = 1e-3 if name == "thin meshes" else 0.1
    m = hn.Model("aligned")
    m.gravity = (0, 0, 0)
    bodies = []
    for solid, x, v in ((first, (*beside, -0.3), SPEED), (second, (0, 0, 0), 0.0)):
        part = m.part("ab"[len(bodies)], 1.0, (0.02,) * 3, x, velocity=(0, 0, v))
        bodies.append(solid.draw(m, part, x, np.eye(3)))
    stiffness = SPEED**2 / (0.2 * wall) ** 2  # an impact of equal bodies goes in by a seventh of the wall
    m.contact(*bodies, restitution=E, stiffness=stiffness, exponent=1.0, damping=0.0, dmax=0.01 * wall)
    run = hn.simulate(m, 0.6 / SPEED, 60, **options(method))
    v, w = (run.part(part).velocity.values[-1, 2] for part in "ab")
    assert v + w == pytest.approx(SPEED, rel=1e-6)
    assert w > 0.7 * SPEED * (1.0 if beside == (0, 0) else 0.9)
    assert run.part("a").position.values[-1, 2] < run.part("b").position.values[-1, 2]
    if beside == (0, 0):
        assert w - v == pytest.approx(SPEED * (1.0 if method == "compliant" else E), rel=1e-3)

"""Stacked bodies of one outline stay at rest: each corner lies on an edge or corner of the next body to roundoff, where
the direction from one to the other means nothing."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz._solids import Solid, box_mesh, revolved_mesh

import holonom as hn

HALF = (0.1, 0.1, 0.025)
OUTLINE = [(0, -0.025), (0.1, -0.025), (0.1, 0.025), (0, 0.025)]
MESH, BOX = Solid("MESH", box_mesh(HALF), 1.0), Solid("BOX", HALF, 1.0)
POLYGON, CYLINDER = Solid("MESH", revolved_mesh(OUTLINE, 16), 1.0), Solid("CYLINDER", (0.1, 0.025), 1.0)
STACKS = {
    "meshes": [MESH] * 4,
    "meshes and boxes": [MESH, BOX] * 2,
    "polygons and cylinders": [POLYGON, CYLINDER] * 2,
    "polygons": [POLYGON] * 3,
}
FAST = {("meshes", None), ("meshes", 1), ("meshes and boxes", 2)}


@pytest.mark.parametrize(
    "name, seed",
    [
        pytest.param(name, seed, marks=() if (name, seed) in FAST else pytest.mark.slow)
        for name in STACKS
        for seed in (None, 1, 2)
    ],
)
def test_stacks_of_one_outline_stay_at_rest(name, seed):
    """No position changes by more than roundoff, in any direction of gravity (seed: of the rotation of the scene)."""
    R = np.eye(3) if seed is None else Rotation.random(random_state=seed).as_matrix()
    m = hn.Model("stack")
    m.gravity = tuple(R @ [0, 0, -9.81])
    shapes = [m.plane(m.ground, (0, 0, 0), tuple(R[:, 2]))]
    for k, solid in enumerate(STACKS[name]):
        at = R @ [0, 0, 0.025 + 0.05 * k]
        part = m.part(f"b{k}", 3.0, R @ np.diag((0.01, 0.01, 0.02)) @ R.T, tuple(at))
        shapes.append(solid.draw(m, part, at, R))
    for lower, upper in zip(shapes, shapes[1:]):
        m.contact(lower, upper, mu=0.3)
    run = hn.simulate(m, 0.3, 5, contact="events")
    assert not run.info["warnings"]
    for k in range(len(STACKS[name])):
        x = run.part(f"b{k}").position.values
        assert np.abs(x - x[0]).max() < 1e-13

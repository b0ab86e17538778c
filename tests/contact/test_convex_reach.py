"""Convex shapes have the same gap whatever the reach, and none says that shapes which overlap are apart.

A box or cylinder of centimetres that lies a micrometre deep in a plate of metres: the search for the distance ends on a
flat simplex, and had taken the depth for a gap (1 to 2 % of these places had no point at small reach: a body that lay
on a plate was apart in one evaluation and deep in the next one, and runs stalled)."""

import numpy as np
import pytest
import scene as S
from scipy.spatial.transform import Rotation

from holonom.contact.shapes import pair
from holonom.contact.tables import GAP, SHAPE_TYPES

UPRIGHT = 3e-7  # gap that a cylinder may lack which stands upright above a plate
REACHES = (0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1)


def lowest(kind, par, turn):
    """Height of the lowest point below the centre."""
    down = -turn.as_matrix()[2]
    if kind == "BOX":
        return float(np.abs(down) @ np.array(par))
    if kind == "CYLINDER":
        return float(par[0] * np.hypot(down[0], down[1]) + par[1] * abs(down[2]))
    return float(np.linalg.norm(down * np.array(par)))


@pytest.mark.parametrize("kind", ["BOX", "CYLINDER", "ELLIPSOID"])
def test_gaps_on_large_plates(kind):
    random = np.random.default_rng(11)
    kernel = pair(*sorted((kind, "BOX"), key=SHAPE_TYPES.index))[0]
    for _ in range(300):
        par = random.uniform(0.04, 0.12, 3)
        numbers = (par[0], par[1], 0.0, 1.0) if kind == "CYLINDER" else tuple(par)
        plate = 10.0 ** random.uniform(0.0, 1.0), 10.0 ** random.uniform(0.0, 1.0), 10.0 ** random.uniform(-3.0, -1.0)
        # flat on the plate, nearly so, or anyhow
        turn = Rotation.from_rotvec(random.choice([0.0, 1e-6, 1e-3, 0.1]) * random.normal(size=3))
        turn = Rotation.random(random_state=int(random.integers(2**31))) if random.random() < 0.4 else turn
        want = random.choice([-1, 1]) * 10.0 ** random.uniform(-9, -5)
        at = (*random.uniform(-0.4, 0.4, 2), lowest(kind, par, turn) + want)
        body = (kind, numbers, at, turn.as_matrix())
        floor = ("BOX", plate, (0.0, 0.0, -plate[2]))
        sh = S.scene(*((body, floor) if SHAPE_TYPES.index(kind) <= SHAPE_TYPES.index("BOX") else (floor, body)))
        for reach in REACHES:
            rows = S.points(kernel, sh, reach=reach)
            if want < reach:
                assert len(rows), (kind, want, reach)
                error = rows[:, GAP].min() - want
                assert abs(error) < 1e-12 + 2e-4 * abs(want) or (want > 0.0 and -UPRIGHT < error < 0.0)
            else:
                assert not len(rows) or rows[:, GAP].min() >= reach - 1e-12

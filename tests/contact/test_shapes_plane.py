"""Planes against solids: the lowest point against sampled surfaces, rates, and manifolds whose forces come from an
energy."""

import numpy as np
import pytest
import scene as S

from holonom.contact.shapes import pair
from holonom.contact.tables import GAP, WEIGHT, N, P

SHAPES = {
    "BOX": (0.5, 0.4, 0.3),
    "ROUNDED_BOX": (0.35, 0.25, 0.15, 0.15),
    "CYLINDER": (0.4, 0.6, 0, 1),
    "CAPSULE": (0.3, 0.6),
    "FRUSTUM": (0.5, 0.2, 0.6),
    "ELLIPSOID": (0.5, 0.4, 0.3),
    "TORUS": (0.5, 0.2),
}
PLANE = ("PLANE", (), (0.1, 0.2, -0.1), (0.2, -0.1, 0.3))


def surface(kind, q, number=150):
    """Many points of the surface (its corners and rims among them), in its axes."""
    t = np.linspace(0, 2 * np.pi, 8 * number + 1)
    circle = np.stack([np.cos(t), np.sin(t), 0 * t], 1)
    if kind == "BOX":
        return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * q
    if kind in ("CYLINDER", "FRUSTUM"):
        r1, r2, h = (q[0], q[0], q[1]) if kind == "CYLINDER" else q
        return np.concatenate([r1 * circle - (0, 0, h), r2 * circle + (0, 0, h)])
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 4 * number), np.linspace(0, 2 * np.pi, 4 * number))
    if kind == "TORUS":
        r = q[0] + q[1] * np.cos(v)
        return np.stack([r * np.cos(u), r * np.sin(u), q[1] * np.sin(v)], -1).reshape(-1, 3)
    ball = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], -1).reshape(-1, 3)
    if kind == "ELLIPSOID":
        return ball * q
    if kind == "ROUNDED_BOX":
        return np.concatenate([q[3] * ball + surface("BOX", q[:3])[k] for k in range(8)])
    return np.concatenate([q[0] * ball - (0, 0, q[1]), q[0] * ball + (0, 0, q[1])])


@pytest.mark.parametrize("kind", SHAPES)
def test_lowest_point(kind):
    q = SHAPES[kind]
    kernel = pair("PLANE", kind)[0]
    cloud = surface(kind, q)
    plane = S._axes(PLANE[3])
    for turn in S.turns(4):
        sh = S.scene(PLANE, (kind, q, (0.3, 0.5, 0.4), turn))
        rows = S.points(kernel, sh)
        heights = ((cloud @ S._axes(turn).T + (0.3, 0.5, 0.4)) - PLANE[2]) @ plane[:, 2]
        deepest = rows[:, GAP].min()
        assert heights.min() >= deepest - 1e-12
        np.testing.assert_allclose(deepest, heights.min(), atol=2e-5)
        np.testing.assert_allclose(rows[:, N : N + 3], np.tile(-plane[:, 2], (len(rows), 1)), atol=1e-14)
        np.testing.assert_allclose(
            (rows[:, P : P + 3] - PLANE[2]) @ plane[:, 2], rows[:, GAP], atol=1e-14
        )  # P lies on the solid
        level = rows[np.argmin(rows[:, GAP])]
        assert len(S.points(kernel, sh, reach=level[GAP])) == 0
        one = S.points(kernel, sh, limit=1)
        np.testing.assert_allclose(one[0], level)


@pytest.mark.parametrize("kind", SHAPES)
def test_rates_and_invariance(kind):
    kernel = pair("PLANE", kind)[0]
    for height in (0.9, 0.35):
        for turn in S.turns(3, seed=4):
            sh = S.scene(PLANE, (kind, SHAPES[kind], (0.3, 0.5, height), turn))
            S.check_invariance(kernel, sh)
            if kind not in ("CYLINDER", "FRUSTUM", "TORUS"):
                S.check_rates(kernel, sh)
                continue
            rows = S.points(
                kernel, sh
            )  # the circles' lowest points; quarters of a cap's rim are tested together, below
            own = [k for k, r in enumerate(rows) if r[-1] < (1 if kind == "TORUS" else 4)]
            z = (sh.fr.p[1] - PLANE[2]) @ S._axes(PLANE[3])[:, 2]
            if z > 0.65:
                S.check_rates(kernel, sh, which=own)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("attitude", ["standing", "leaning", "lying", "any"])
def test_forces_are_the_gradient_of_an_energy(kind, attitude):
    """With F = w k d the sum over the points of k w d^2 / 2 is an energy: its gradient is the wrench of the points,
    whatever the attitude."""
    q = SHAPES[kind]
    kernel = pair("PLANE", kind)[0]
    turn = {
        "standing": (0, 1e-7, 0),
        "leaning": (0.02, -0.01, 0),
        "lying": (0, np.pi / 2 + 0.003, 0.4),
        "any": (1.0, 0.5, -0.8),
    }[attitude]
    sh = S.scene(("PLANE", ()), (kind, q, (0, 0, 0), turn))
    lowest = S.points(kernel, sh)[:, GAP].min()
    sh = S.moved(sh, 1, (0.3, 0.2, -lowest - 0.03))

    def energy(sh):
        rows = S.points(kernel, sh, reach=0.0)
        return 0.5 * (rows[:, WEIGHT] * rows[:, GAP] ** 2).sum()

    rows = S.points(kernel, sh, reach=0.0)
    force = -(rows[:, WEIGHT] * rows[:, GAP])[:, None] * -rows[:, N : N + 3]  # on b
    torque = np.cross(rows[:, P : P + 3] - sh.fr.p[1], force)
    wrench = np.concatenate([force.sum(0), torque.sum(0)])
    for c in range(6):
        step = np.zeros((2, 3))
        step[c // 3, c % 3] = 1e-6
        slope = (energy(S.moved(sh, 1, *step)) - energy(S.moved(sh, 1, *-step))) / 2e-6
        np.testing.assert_allclose(slope, -wrench[c], atol=2e-9)


def test_faces_and_lines_carry_the_whole_law():
    for kind, turn, number in (
        ("BOX", None, 4),
        ("CYLINDER", None, 4),
        ("CYLINDER", (np.pi / 2, 0, 0), 4),
        ("FRUSTUM", None, 4),
        ("CAPSULE", (np.pi / 2, 0, 0), 2),
    ):
        kernel = pair("PLANE", kind)[0]
        sh = S.scene(("PLANE", ()), (kind, SHAPES[kind], None, turn))
        low = S.points(kernel, sh)[:, GAP].min()
        rows = S.points(kernel, S.moved(sh, 1, (0, 0, -low - 0.01)), reach=0.0)
        assert len(rows) == number
        np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1)
        np.testing.assert_allclose(rows[:, GAP], -0.01, atol=1e-15)


def test_beside_a_rectangle_there_is_nothing():
    for kind, q in SHAPES.items():
        sh = S.scene(("PLANE", (0.4, 0.4)), (kind, q, (3, 0, 0)))
        assert len(S.points(pair("PLANE", kind)[0], sh)) == 0


def test_a_bore_cannot_touch_a_plane():
    assert len(S.points(pair("PLANE", "CYLINDER")[0], S.scene(("PLANE", ()), ("CYLINDER", (0.4, 0.6, 1, 0))))) == 0

"""For every pair of types of shapes: which points touch, and how deep, does not depend on how far a search reaches, and
no two points of a pair have one name.

Both faults were silent: a pair that had no point at the reach of the law was deep at that of the search, and to
`events` a second edge of one name was the first."""

import itertools

import numpy as np
import pytest
from fuzz._solids import ball_mesh, box_mesh
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.tables import FEATURE, GAP
from holonom.model.contact_pairs import kernel_module
from holonom.model.shape_kinds import SHAPES
from holonom.system.build import System

ORIGIN, Z = np.zeros(3), np.array([0.0, 0.0, 1.0])
SIZE = 1.3  # radius of a ball round each shape
REACHES = (0.0, 1e-8, 1e-6, 1e-4, 1e-2)
WIDE = 0.1
L = [(-0.4, -0.4), (0.6, -0.4), (0.6, 0.0), (0.0, 0.0), (0.0, 0.6), (-0.4, 0.6)]


def _frustum(r, m, p):
    return m.cone(p, -r.uniform(0.3, 0.7) * Z, 0.5 * Z, r.uniform(0.3, 0.8), r.choice([0.0, r.uniform(0.1, 0.7)]))


def _revolution(r, m, p):
    wall = r.uniform(0.05, 0.3)
    cup = [(0, -0.5), (0.6, -0.5), (0.6, 0.5), (0.6 - wall, 0.5), (0.6 - wall, wall - 0.5), (0, wall - 0.5)]
    return m.revolution(p, cup, at=ORIGIN, axis=Z)


def _curve(r, m, p):
    angle = np.linspace(0.0, 2.0 * np.pi, int(r.integers(4, 9)), endpoint=False)
    profile = r.uniform(0.4, 0.9, len(angle))[:, None] * np.c_[np.cos(angle), np.sin(angle)]
    return m.plane_curve(p, profile, width=6.0 * SIZE)  # a wall without end faces: touched at its sides only


#: a shape of each type about the origin of a part; a new type needs one
DRAW = {
    "POINT": lambda r, m, p: m.point(p, ORIGIN),
    "SPHERE": lambda r, m, p: m.sphere(p, ORIGIN, r.uniform(0.2, 0.9)),
    "PLANE": lambda r, m, p: m.plane(p, ORIGIN, Z),
    "BOX": lambda r, m, p: m.box(p, ORIGIN, r.uniform(0.2, 1.3, 3)),
    "ROUNDED_BOX": lambda r, m, p: m.rounded_box(p, ORIGIN, r.uniform(0.4, 1.3, 3), r.uniform(0.02, 0.18)),
    "CYLINDER": lambda r, m, p: m.cylinder(p, -r.uniform(0.1, 0.9) * Z, 0.3 * Z, r.uniform(0.2, 0.8)),
    "CAPSULE": lambda r, m, p: m.capsule(p, -r.uniform(0.1, 0.7) * Z, 0.3 * Z, r.uniform(0.1, 0.5)),
    "FRUSTUM": _frustum,
    "ELLIPSOID": lambda r, m, p: m.ellipsoid(p, ORIGIN, r.uniform(0.2, 0.9, 3)),
    "TORUS": lambda r, m, p: m.torus(p, ORIGIN, Z, r.uniform(0.5, 0.8), r.uniform(0.1, 0.3)),
    "HULL": lambda r, m, p: m.hull(p, _on_sphere(r, 12) * r.uniform(0.4, 1.0, 3)),
    "MESH": lambda r, m, p: m.mesh(p, ball_mesh(r) if r.random() < 0.5 else box_mesh((0.4, 0.5, 0.3))),
    "HEIGHT_FIELD": lambda r, m, p: m.height_field(
        p, r.uniform(0.0, 0.3, (4, 4)), 0.4, at=(-0.6, -0.6, 0.0), thickness=0.3
    ),
    "CURVE": _curve,
    "EXTRUSION": lambda r, m, p: m.extrusion(p, L, r.uniform(0.3, 1.0), at=-0.2 * Z, axis=Z),
    "REVOLUTION": _revolution,
}


def _on_sphere(random, n):
    p = random.normal(size=(n, 3))
    return p / np.linalg.norm(p, axis=1)[:, None]


def test_every_type_is_drawn():
    assert set(DRAW) == set(SHAPES)


class Stage:
    """One shape of each type on parts of their own, with contacts of all pairs; those not on stage are far away."""

    def __init__(self, random):
        m = hn.Model("stage")
        shapes = {}
        for name in DRAW:
            part = m.part(name, 1.0, (1.0, 2.0, 3.0), ORIGIN)
            shapes[name] = DRAW[name](random, m, part)
        self.pairs = [
            (a, b) for a, b in itertools.combinations_with_replacement(DRAW, 2) if a != b and kernel_module(a, b)
        ]
        for a, b in self.pairs:
            m.contact(shapes[a], shapes[b], stiffness=1.0)
        self.system = System(m)
        self.row = {name: 13 * self.system.body_index["PART", m.parts[name].id] for name in DRAW}
        self.local = {name: Rotation.from_matrix(self.system.local[row // 13].axes) for name, row in self.row.items()}

    def points(self, a, b, at, turn, reach):
        """(gaps, names) of the points of b, at ``at``, against a at the origin."""
        y = self.system.y0.copy()
        for k, (name, row) in enumerate(self.row.items()):
            y[row : row + 3] = 100.0 * (k + 1) * Z if name != "PLANE" else -1e5 * Z
        for name, p, q in ((a, ORIGIN, Rotation.identity()), (b, at, turn)):
            row = self.row[name]
            y[row : row + 3], y[row + 3 : row + 7] = p, np.roll((q * self.local[name]).as_quat(), 1)
        n = self.system.contacts.collect(0.0, y, reach)
        rows = self.system.contacts.W.pts[:n]
        return rows[:, GAP].copy(), rows[:, FEATURE].copy()

    def touch(self, a, b, way, turn):
        """How far along ``way`` b touches a."""
        low, high = 0.0, 2.0 * SIZE
        for _ in range(24):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if len(self.points(a, b, middle * way, turn, 0.0)[0]) else (low, middle)
        return high


def faults(seed, poses, offsets):
    """(Positions tried, what is wrong)."""
    random = np.random.default_rng([35, seed])
    stage, tried, found = Stage(random), 0, []
    for a, b in stage.pairs:
        if b == "PLANE":
            a, b = b, a
        for pose in range(poses):
            turn = Rotation.create_group("O")[int(random.integers(24))]
            turn = turn * Rotation.from_rotvec(10.0 ** random.uniform(-7, -1) * random.normal(size=3))
            if (seed + pose) % 2:
                turn = Rotation.from_quat(random.normal(size=4))
            way = (
                random.normal(size=3)
                if random.random() < 0.5
                else random.choice([-1.0, 1.0]) * np.eye(3)[random.integers(3)]
            )
            for name, z in ((a, Z), (b, turn.apply(Z))):
                if name == "CURVE":
                    way = way - (way @ z) * z
            if a == "PLANE":
                way = Z
            if not np.linalg.norm(way) > 1e-3:
                continue
            way = way / np.linalg.norm(way)
            h = stage.touch(a, b, way, turn)
            for offset in random.choice(offsets, 3, replace=False):
                at = (h + offset) * way
                full, names = stage.points(a, b, at, turn, WIDE)
                tried += 1
                if len(set(names)) < len(names):
                    found.append(("names", a, b, seed, pose, offset, names))
                for reach in REACHES:
                    gaps, _ = stage.points(a, b, at, turn, reach)
                    want = full[full < reach]
                    # of points that one and the same search finds to within roundoff, one may be on either side
                    close = np.abs(full - reach).min(initial=1.0) < 1e-10
                    if not close and (len(want) > 0) != (len(gaps) > 0):
                        found.append(("there", a, b, seed, pose, offset, reach, gaps, want))
                    elif len(want) and len(gaps) and abs(want.min() - gaps.min()) > 1e-9:
                        found.append(("depth", a, b, seed, pose, offset, reach, gaps.min(), want.min()))
    return tried, found


OFFSETS = (1e-5, 1e-7, -1e-9, -1e-8, -1e-7, -1e-6, -1e-5, -1e-4, -1e-3)


def test_points_of_all_pairs_do_not_depend_on_the_reach():
    tried, found = faults(0, 1, OFFSETS)
    assert tried > 300 and found == []


#: what is known to be wrong, by type, pair, seed and pose: gaps of meshes within 2e-9 of the reach are lost, and of an
#: edge whose middle is as deep as its ends (8e-7) the middle is left out where the ends are within the reach
KNOWN = {
    ("there", "CYLINDER", "MESH", 1, 0),
    ("there", "BOX", "CURVE", 4, 2),
    ("there", "BOX", "HEIGHT_FIELD", 7, 2),
}


@pytest.mark.slow
def test_points_of_all_pairs_do_not_depend_on_the_reach_in_many_poses():
    tried, found = zip(*(faults(seed, 4, OFFSETS) for seed in range(1, 12)))
    assert sum(tried) > 10_000
    assert {fault[:5] for fault in sum(found, [])} == KNOWN
    assert all(np.abs(np.concatenate(fault[7:])).max() < 1e-6 for fault in sum(found, []))

"""Gaps and normals of every pair of shapes at random placements, against distances of points of their surfaces.

A pair is put together so that it is some way apart, just touches or overlaps a little, by pushing one along a random
direction until the oracle (`_solids`: signed distances of some thousand points of each surface to the other shape)
reports this.  What is tried:

- apart: the minimum gap of the kernel is the distance of the surfaces, within what the oracle's sampling leaves open;
- overlapping: the kernel has a point with a negative gap (nothing is missed), and for two convex shapes its depth is
  the smallest translation that parts them, by their support functions;
- the minimum gap moves as  dg = n . (motion of a - motion of b at the point), by central differences along a random
  rigid motion;
- the same pair in the other order has the same gap.

Every tenth seed is a shape over a half-space, every tenth one in a bore or a hollow sphere, every twentieth one at a
bounded plane.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.call import SEARCH
from holonom.contact.tables import GAP, WEIGHT, N, P
from holonom.system.build import System

from . import Finding
from ._solids import PLANE, PRISM, SOLID_TYPES, random_solid

LIMIT = 20.0
SLICE = 10
CONVEX = ("SPHERE", "BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID", "HULL", PRISM)
MESHED = 0.004  # of the sizes: what shapes that meet as meshes may be off by (twice what messages of the run say)


class Pair:
    """Two solids on two parts, and what the kernel gives of them at any position."""

    def __init__(self, first, second, swap: bool):
        m = hn.Model(units="m")
        graphics = []
        for k, solid in enumerate((first, second)):
            part = m.part(f"body{k}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(3.0 * k, 0, 0))
            graphics.append(solid.draw(m, part, np.array([3.0 * k, 0, 0]), np.eye(3)))
        m.contact(*(graphics[::-1] if swap else graphics), stiffness=1.0)
        self.system = System(m)
        self.contacts = self.system.contacts
        self.y = self.system.y0.copy()

    def points(self, places, reach: float) -> np.ndarray:
        """Rows (as `contact.tables` has them) with a gap below reach; normals point from the second to the first
        solid."""
        for k, (p, q) in enumerate(places):
            o = 13 * self.system.body_index["PART", list(self.system.model.parts.keys())[k + 1]]
            axes = self.system.local[o // 13].axes  # principal ones
            self.y[o : o + 3] = p
            self.y[o + 3 : o + 7] = np.roll(Rotation.from_matrix(q.as_matrix() @ axes).as_quat(), 1)
        c = self.contacts
        c.ask(SEARCH, 0.0, self.y)
        n = c.collect(0.0, self.y, reach)
        rows = c.W.pts[:n].copy()
        if n and c.body[c.W.near[0, 1]] != self.system.body_index["PART", list(self.system.model.parts.keys())[1]]:
            rows[:, P : P + 3] += rows[:, [GAP]] * rows[:, N : N + 3]
            rows[:, N : N + 3] *= -1.0
        return rows


def across(point, here, there):
    """Points in the axes of one position, in those of another."""
    return there[1].inv().apply(here[1].apply(point) + here[0] - there[0])


def onto(solid, p):
    """Points moved to the surface of a solid along the gradient of its distance."""
    for _ in range(3):
        d = solid.distance(p)
        e = 1e-6
        g = np.stack([solid.distance(p + e * v) - solid.distance(p - e * v) for v in np.eye(3)], -1) / (2 * e)
        size = np.linalg.norm(g, axis=1)
        p = p - np.where(size > 0.5, d / np.maximum(size, 0.5), 0.0)[:, None] * g
    return p


def polished(solid, p, low: float, height, random) -> float:
    """Least height (a function of points in the axes of the solid) of points of its surface, from point p of height
    ``low`` on."""
    h = 0.1
    for _ in range(14):
        trial = onto(solid, p + h * random.normal(size=(24, 3)))
        trial = trial[np.abs(solid.distance(trial)) < 1e-7]
        if len(trial):
            d = height(trial)
            j = int(np.argmin(d))
            if d[j] < low:
                p, low = trial[j], float(d[j])
                continue
        h *= 0.4
    return low


def least(solids, places, clouds, random, fine: bool = True) -> float:
    """Least signed distance of points of each surface to the other solid: an upper bound of the gap."""
    best = np.inf
    for i in range(2):
        own, other = solids[i], solids[1 - i]
        d = other.distance(across(clouds[i], places[i], places[1 - i]))
        k = int(np.argmin(d))
        best = min(best, float(d[k]))
        if not fine:
            continue
        low = polished(
            own,
            clouds[i][k],
            float(d[k]),
            lambda q, other=other, i=i: other.distance(across(q, places[i], places[1 - i])),
            random,
        )
        best = min(best, low)
    return best


def support(solid, cloud, n):
    """Largest p . n over a convex solid."""
    d = solid.data
    rho = np.hypot(n[0], n[1])
    if solid.kind == "SPHERE":
        return d[0] * np.linalg.norm(n)
    if solid.kind in ("BOX", PRISM):
        return np.abs(n) @ np.asarray(d)
    if solid.kind == "ELLIPSOID":
        return np.linalg.norm(np.asarray(d) * n)
    if solid.kind == "CYLINDER":
        return d[0] * rho + d[1] * abs(n[2])
    if solid.kind == "CAPSULE":
        return d[0] * np.linalg.norm(n) + d[1] * abs(n[2])
    if solid.kind == "FRUSTUM":
        return max(d[0] * rho - d[2] * n[2], d[1] * rho + d[2] * n[2])
    return float((np.asarray(d) @ n).max())


def parting(solids, places, clouds) -> float:
    """- least translation that parts two convex solids that overlap: max over n of the separation along n."""

    def along(n):
        n = n / np.linalg.norm(n)
        a = support(solids[0], clouds[0], places[0][1].inv().apply(-n))
        b = support(solids[1], clouds[1], places[1][1].inv().apply(n))
        return float(n @ (places[0][0] - places[1][0]) - a - b)

    k = np.arange(600) + 0.5
    z, w = 1 - 2 * k / 600, np.pi * (1 + 5**0.5) * k
    ways = np.column_stack([np.sqrt(1 - z * z) * np.cos(w), np.sqrt(1 - z * z) * np.sin(w), z])
    found = sorted(((along(n), tuple(n)) for n in ways), reverse=True)[:6]
    best = found[0][0]
    for _, n in found:
        out = minimize(
            lambda x: -along(np.asarray(x)),
            n,
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 400},
        )
        best = max(best, -float(out.fun))
    return best


def against_a_plane(random, solids) -> str:
    """A shape over a half-space, upright or turned in any way: the minimum height of its surface, by points and then by
    the kernel."""
    solid = solids[0]
    pair = Pair(*solids, swap=bool(random.random() < 0.5))
    cloud = solid.surface(6000)
    turn = Rotation.random(random_state=int(random.integers(2**31)))
    if random.random() < 0.4:  # upright, or nearly, on any of its axes
        turn = Rotation.from_rotvec(
            random.choice([0.0, 1e-9, 1e-4, 1e-2]) * random.normal(size=3)
        ) * Rotation.from_euler("xyz", 0.5 * np.pi * random.integers(4, size=3))
    want = float(random.choice([0.1, 1e-3, -1e-3, -0.02])) * solid.radius
    height = lambda q: turn.apply(q)[:, 2]
    k = int(np.argmin(height(cloud)))
    low = polished(solid, cloud[k], float(height(cloud)[k]), height, random)
    places = [(np.array([0.2, -0.1, want - low]), turn), (np.zeros(3), Rotation.identity())]
    rows = pair.points(places, 2.0 * abs(want) + 0.1 * solid.radius)
    gap = float(rows[:, GAP].min()) if len(rows) else np.inf
    slack = 5e-4 * solid.radius  # of the points of the surface
    if abs(gap - want) > slack and (
        want > 0 or not gap < 0.0 or abs(gap - want) > slack + 0.02 * solid.radius * (solid.kind == "MESH")
    ):
        raise Finding(f"{solid.kind} on a plane: gap {gap:.6g} by the kernel, {want:.6g} by points of the surface")
    return "apart" if want > 0 else "overlap"


def in_a_bore(random, solid) -> str:
    """A shape in a long bore or (where it may) in a hollow sphere: the minimum distance of its surface from the
    wall."""
    round_all = solid.kind in ("SPHERE", "BOX", "CAPSULE", "HULL") and random.random() < 0.5
    far = (lambda q: np.linalg.norm(q, axis=1)) if round_all else (lambda q: np.hypot(q[:, 0], q[:, 1]))
    cloud = solid.surface(4000)
    turn = Rotation.random(random_state=int(random.integers(2**31)))
    R = float(random.uniform(1.3, 3.0)) * float(np.linalg.norm(cloud, axis=1).max())
    want = float(random.choice([0.1, 1e-3, -1e-3, -0.02])) * solid.radius
    way = random.normal(size=3) * (1.0, 1.0, float(round_all))
    way /= np.linalg.norm(way)
    low, high, p = 0.0, 2.0 * R, turn.apply(cloud)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if R - far(p + middle * way).max() < want else (middle, high)
    at = low * way
    room = lambda q: R - far(turn.apply(q) + at)
    k = int(np.argmin(room(cloud)))
    truth = polished(solid, cloud[k], float(room(cloud)[k]), room, random)
    m = hn.Model(units="m")
    part = m.part("body", mass=1.0, inertia=(1.0, 1.0, 1.0), position=at, axes=turn.as_matrix())
    wall = (
        m.sphere(m.ground, (0, 0, 0), R, inside=True)
        if round_all
        else m.cylinder(m.ground, (0, 0, -5 * R), (0, 0, 5 * R), R, inside=True)
    )
    m.contact(solid.draw(m, part, at, turn.as_matrix()), wall, stiffness=1.0)
    contacts = System(m).contacts
    y = contacts.system.y0.copy()
    contacts.ask(SEARCH, 0.0, y)
    n = contacts.collect(0.0, y, 2.0 * abs(want) + 0.2 * solid.radius)
    gap = float(contacts.W.pts[:n, GAP].min()) if n else np.inf
    slack = (8e-3 if contacts.stand_ins.notes or solid.kind == "MESH" else 1e-3) * R
    if abs(gap - truth) > slack:
        raise Finding(
            f"{solid.kind} in a {'hollow sphere' if round_all else 'bore'}: gap {gap:.6g} by the kernel, {truth:.6g} "
            "by points of the surface"
        )
    return "apart" if truth > 0 else "overlap"


def moved(place, d, turn, e):
    return place[0] + e * d, Rotation.from_rotvec(e * turn) * place[1]


def attempt(seed: int, kinds: tuple[str, str] | None = None) -> str:
    random = np.random.default_rng([seed, 11])
    if kinds is None and seed % 10 == 4:
        kinds = str(random.choice(SOLID_TYPES)), PLANE
    if kinds is None and seed % 10 == 9:
        return in_a_bore(random, random_solid(random, None, True))
    if kinds is None and seed % 20 == 13:
        kinds = str(random.choice(SOLID_TYPES)), PRISM
    solids = [random_solid(random, k, seed % 4 == 0) for k in (kinds or (None, None))]
    if kinds and kinds[1] == PLANE:
        return against_a_plane(random, solids)
    words = " and ".join(s.kind for s in solids)
    pair = Pair(*solids, swap=bool(random.random() < 0.5))
    clouds = [s.surface(1500 if "MESH" in words or "HULL" in words else 4000) for s in solids]
    turns = [Rotation.random(random_state=int(random.integers(2**31))) for _ in range(2)]
    way = random.normal(size=3)
    way /= np.linalg.norm(way)
    side = np.cross(way, random.normal(size=3)) * 0.3
    size = min(s.radius for s in solids)
    want = float(random.choice([0.1, 0.02, 1e-3, -1e-3, -0.01, -0.03])) * size
    at = lambda s: [(s * way + side, turns[0]), (np.zeros(3), turns[1])]
    low, high = 0.0, 1.1 * (solids[0].radius + solids[1].radius)
    if least(solids, at(high), clouds, random, False) < want:
        return "apart at once"
    for _ in range(12):  # the outermost position, roughly
        middle = 0.5 * (low + high)
        low, high = (middle, high) if least(solids, at(middle), clouds, random, False) < want else (low, middle)
    places = at(high)
    meshed = bool(pair.contacts.stand_ins.notes) or "MESH" in words
    slack = (MESHED if meshed else 2e-6) * (solids[0].radius + solids[1].radius)
    truth = least(solids, places, clouds, random)
    rows = pair.points(places, 2.0 * abs(want) + 4.0 * slack + 0.05 * size)
    gap = float(rows[:, GAP].min()) if len(rows) else np.inf
    if truth > max(want, 0.0) + 0.02 * size:
        return "missed each other"
    told = f"{words}: gap {gap:.6g} by the kernel, {truth:.6g} by points of the surfaces"
    if truth > 0.0:
        if abs(gap - truth) > slack:
            raise Finding(told)
    elif truth < -2.0 * slack and not gap < 0.0:
        raise Finding(f"{told}: the contact is missed")
    if all(s.kind in CONVEX for s in solids) and truth < 0.0:
        deep = parting(solids, places, clouds)
        if abs(gap - deep) > slack:
            raise Finding(
                f"{words}: gap {gap:.6g} by the kernel, {deep:.6g} by the smallest translation that parts them"
            )
    if len(rows):
        nearest = np.flatnonzero(
            rows[:, GAP] < rows[:, GAP].min() + 1e-9 * size
        )  # points of one line or face: the one that carries most
        k = int(nearest[np.argmax(rows[nearest, WEIGHT])])
        d, w = random.normal(size=(2, 3)), random.normal(size=(2, 3))
        e = 1e-6
        ends = []
        for s in (-e, e):
            there = pair.points([moved(x, d[i], w[i], s) for i, x in enumerate(places)], np.inf)
            ends.append(there[:, GAP].min() if len(there) else np.inf)
        n, foot = rows[k, N : N + 3], rows[k, P : P + 3]
        head = foot + rows[k, GAP] * n
        rate = n @ (d[0] + np.cross(w[0], head - places[0][0]) - d[1] - np.cross(w[1], foot - places[1][0]))
        scale = np.abs(d).max() + np.abs(w).max() * (solids[0].radius + solids[1].radius)
        slopes = ((ends[1] - rows[k, GAP]) / e, (rows[k, GAP] - ends[0]) / e)
        if not min(slopes) - 1e-3 * scale <= rate <= max(slopes) + 1e-3 * scale:
            raise Finding(
                f"{words}: the gap moves by {slopes[0]:.5g} and {slopes[1]:.5g}, the normal says {rate:.5g} (gap "
                f"{gap:.4g})"
            )
    return "apart" if truth > 0 else "overlap"


if __name__ == "__main__":
    import sys

    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            print(seed, attempt(seed), flush=True)
        except Exception as error:  # noqa: BLE001
            print(seed, "FINDING", type(error).__name__, error, flush=True)

"""Prisms whose axes are a little out of parallel, end on end and side by side: gaps of the kernel against the distance
of their surfaces, which are plain triangles here."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.tables import GAP
from holonom.model.polygons import ear_triangles
from holonom.system.build import System

W = 0.3
PROFILES = {
    "T": np.array([(-0.5, 0), (0.5, 0), (0.5, W), (W / 2, W), (W / 2, 1), (-W / 2, 1), (-W / 2, W), (-0.5, W)])
    - (0, 0.45),
    "L": np.array([(0, 0), (1, 0), (1, W), (W, W), (W, 1), (0, 1)]) - (0.35, 0.35),
}
APART, INSIDE = 1e-3, 2e-3


def surface(polygon, length):
    n = len(polygon)
    points = np.vstack([np.c_[polygon, np.full(n, z)] for z in (-0.5 * length, 0.5 * length)])
    caps = ear_triangles(polygon)
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, j + n), (i, j + n, i + n))]
    return points, np.vstack([caps[:, ::-1], caps + n, np.array(sides)])


def edges(points, triangles):
    e = np.unique(np.sort(np.vstack([triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1), axis=0)
    return points[e[:, 0]], points[e[:, 1]] - points[e[:, 0]]


def pierced(one, other):
    """Does an edge of one of two surfaces pass a triangle of the other?"""
    for (V, T), (X, U) in ((one, other), (other, one)):
        o, d = (x[:, None] for x in edges(V, T))
        a = X[U[:, 0]][None]
        e, f = X[U[:, 1]][None] - a, X[U[:, 2]][None] - a
        h = np.cross(d, f)
        det = (e * h).sum(-1)
        with np.errstate(all="ignore"):
            u = ((o - a) * h).sum(-1) / det
            q = np.cross(o - a, e)
            v, t = (d * q).sum(-1) / det, (f * q).sum(-1) / det
        if ((abs(det) > 1e-14) & (u > 0) & (v > 0) & (u + v < 1) & (t > 0) & (t < 1)).any():
            return True
    return False


def distance(one, other):
    """Least distance of two surfaces that do not meet."""
    least = np.inf
    for (V, _), (X, U) in ((one, other), (other, one)):
        a, b, c = (X[U[:, k]][None] for k in range(3))
        p = V[:, None]
        for s, e in ((a, b - a), (b, c - b), (c, a - c)):
            t = np.clip(((p - s) * e).sum(-1) / (e * e).sum(-1), 0, 1)
            least = min(least, np.linalg.norm(p - s - t[..., None] * e, axis=-1).min())
        n = np.cross(b - a, c - a)
        size = (n * n).sum(-1)
        v, w = (np.cross(p - a, c - a) * n).sum(-1) / size, (np.cross(b - a, p - a) * n).sum(-1) / size
        over = (v >= 0) & (w >= 0) & (v + w <= 1)
        least = min(least, np.where(over, abs(((p - a) * n).sum(-1)) / np.sqrt(size), np.inf).min())
    (p, u), (q, v) = edges(*one), edges(*other)
    r, u, v = p[:, None] - q[None], u[:, None], v[None]
    a, b, c, e, f = ((x * y).sum(-1) for x, y in ((u, u), (u, v), (u, r), (v, v), (v, r)))
    den = a * e - b * b
    s = np.clip(np.where(den > 1e-12 * a * e, (b * f - c * e) / np.where(den > 0, den, 1), 0), 0, 1)
    t = np.clip((b * s + f) / e, 0, 1)
    s = np.clip((b * t - c) / a, 0, 1)
    return min(least, np.linalg.norm(r + s[..., None] * u - t[..., None] * v, axis=-1).min())


class Pair:
    """Two equal prisms on two parts."""

    def __init__(self, name, length):
        self.surface = surface(PROFILES[name], length)
        m = hn.Model("prisms")
        shapes = []
        for k in range(2):
            at = np.array([3.0 * k, 0, 0])
            part = m.part(f"p{k}", 1.0, (1.0, 2.0, 3.0), at)
            shapes.append(m.extrusion(part, PROFILES[name], length, at=at - (0, 0, 0.5 * length)))
        m.contact(*shapes, stiffness=1.0)
        self.system = System(m)
        self.order = [self.system.body_index["PART", k] for k in list(m.parts.keys())[1:]]
        self.local = [Rotation.from_matrix(self.system.local[k].axes) for k in self.order]

    def least(self, at, turn, reach=0.05):
        y = self.system.y0.copy()
        for k, p, q in zip((0, 1), (np.zeros(3), at), (Rotation.identity(), turn)):
            o = 13 * self.order[k]
            y[o : o + 3], y[o + 3 : o + 7] = p, np.roll((q * self.local[k]).as_quat(), 1)
        n = self.system.contacts.collect(0.0, y, reach)
        return self.system.contacts.W.pts[:n, GAP].min(initial=np.inf)

    def touch(self, offset, way, turn):
        """How far along ``way`` the second prism touches the first one, coming from far away."""
        V, T = self.surface
        B = V @ turn.as_matrix().T + offset
        clear = lambda h: not pierced((B + h * way, T), self.surface)
        high = 4.0
        while clear(high - 0.02):
            high -= 0.02
        low = high - 0.02
        for _ in range(40):
            h = 0.5 * (low + high)
            low, high = (low, h) if clear(h) else (h, high)
        return high


@pytest.mark.parametrize("length", [0.3, 1.5])
@pytest.mark.parametrize("name", PROFILES)
def test_gaps_of_tilted_prisms_are_the_distance_of_their_surfaces(name, length):
    random, pair = np.random.default_rng(35), Pair(name, length)
    for k in range(16):
        tilt, a, b = 10 ** random.uniform(-3, -0.4), *random.uniform(0, 2 * np.pi, 2)
        turn = Rotation.from_rotvec((tilt * np.cos(a), tilt * np.sin(a), 0.0))
        if k % 4 > 1:
            turn = turn * Rotation.from_euler("z", random.uniform(0, 2 * np.pi))
        way = np.array([(0, 0, 1), (np.cos(b), np.sin(b), 0)][k % 2], float)
        offset = random.uniform(-0.2, 0.2, 3)
        offset -= way * (offset @ way)
        h = pair.touch(offset, way, turn)
        at = offset + (h + APART) * way
        true = distance((pair.surface[0] @ turn.as_matrix().T + at, pair.surface[1]), pair.surface)
        # slices miss what the tilt changes over half of their width
        missed = 1e-6 + (tilt * length / 18 + 0.5 * tilt**2 if k % 2 and tilt < 0.02 else 0.0)
        assert abs(pair.least(at, turn) - true) < missed, (k, tilt, true)
        deep = pair.least(offset + (h - INSIDE) * way, turn)
        assert -1.5 * INSIDE < deep < missed - 1e-4 * INSIDE, (k, tilt, deep)
        for by in (1e-12, 1e-14, 0.0, -1e-14, -1e-12):  # where they touch, whatever roundoff makes of their edges
            assert abs(pair.least(offset + (h + by) * way, turn)) < missed, (k, tilt, by)


def test_ends_that_lie_on_each_other_are_as_deep_as_they_overlap():
    """Edges that cross next to a corner which has the shorter way out are not a contact of their own: the depth is that
    of the overlap, not the offset of the profiles."""
    for name, turn in (("T", Rotation.identity()), ("L", Rotation.identity()), ("T", Rotation.from_euler("x", 1e-4))):
        pair = Pair(name, 0.3)
        for offset in ((0.03, 0.02), (0.14, -0.1), (0.0, 0.05), (0.2, 0.2)):
            gap = pair.least(np.array([*offset, 0.3 - INSIDE]), turn)
            assert -1.2 * INSIDE < gap < -0.8 * INSIDE, (name, offset, gap)

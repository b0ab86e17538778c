"""Thin-walled bodies that fly at each other: nothing may come out on the other side.

Plates, cups, angle sections, tubes and boxes with walls of 0.5 to 5 % of their size, as meshes, extrusions, bodies of revolution and boxes, straight, oblique and nested,
at 1 to 100 m/s.  Two free bodies without gravity: the first one flies along x at the second one, whose wall stands across its way, so that momentum must be
exchanged.  The law of compliant contact stores the energy of the impact within a fifth of the thinner wall.  The strict referee watches the run.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding

LIMIT = 60.0
SLICE = 4
THIN = ("plate", "plate mesh", "cup", "angle", "angle mesh", "tube")
FLYING = (*THIN, "ball", "box", "capsule")
METHODS = ("events", "compliant", "time-stepping")


def _prism(outline, h):
    """Corners and triangles of an angle section (six corners, counter-clockwise) from z = -h to h."""
    n = len(outline)
    corners = [(x, y, z) for z in (-h, h) for x, y in outline]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, n + i), (j, n + j, n + i))]
    return corners, [*((c, b, a) for a, b, c in caps), *((n + a, n + b, n + c) for a, b, c in caps), *sides]


def _turned(outline, sides):
    """A closed outline (r, z), counter-clockwise, turned about z, as corners and triangles."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    rings = [(0.0, 0.0, z) if r == 0.0 else None for r, z in outline]
    corners, number = [], np.zeros((sides, len(outline)), int)
    for k, (r, z) in enumerate(outline):
        for s, angle in enumerate(angles):
            if rings[k] is None or s == 0:
                number[s, k] = len(corners)
                corners.append((r * np.cos(angle), r * np.sin(angle), z))
            else:
                number[s, k] = number[0, k]
    triangles = []
    for s in range(sides):
        a, b = number[s], number[(s + 1) % sides]
        for k in range(len(outline)):
            j = (k + 1) % len(outline)
            triangles += [t for t in ((a[k], b[j], a[j]), (a[k], b[k], b[j])) if len(set(t)) == 3]
    return np.array(corners), triangles


class Scene:
    def __init__(self, seed: int):
        rng = np.random.default_rng([2811, seed])
        self.kinds = FLYING[rng.integers(len(FLYING))], THIN[rng.integers(len(THIN))]
        self.method = METHODS[rng.integers(len(METHODS))]
        self.size = 10.0 ** rng.uniform(-2, 0)
        self.t = self.size * 10.0 ** rng.uniform(np.log10(0.005), np.log10(0.05))
        self.speed = 10.0 ** rng.uniform(0, 2)
        straight = rng.random() < 0.4
        turn = lambda: np.eye(3) if straight else Rotation.from_euler("xyz", rng.uniform(-0.5, 0.5, 3)).as_matrix()
        self.axes = turn(), turn()
        self.spin = np.zeros(3) if straight or rng.random() < 0.5 else rng.normal(size=3) * 0.2 * self.speed / self.size
        self.start = np.array([-3.0 * self.size, *(0.15 * self.size * rng.uniform(-1, 1, 2))])
        self.error = 10.0 ** -rng.uniform(4, 8)
        self.mu = None if rng.random() < 0.5 else float(rng.uniform(0, 0.5))

    def add(self, m, part, kind, x, A):
        """A shape about x; walls across the x axis of A."""
        L, t = self.size, self.t
        if kind == "ball":
            return m.sphere(part, tuple(x), 0.3 * L)
        if kind == "box":
            return m.box(part, tuple(x), (0.4 * L, 0.3 * L, 0.5 * L), x=A[:, 0], z=A[:, 2])
        if kind == "capsule":
            return m.capsule(part, tuple(x - 0.3 * L * A[:, 2]), tuple(x + 0.3 * L * A[:, 2]), 0.2 * L)
        if kind == "plate":
            return m.box(part, tuple(x), (t, L, L), x=A[:, 0], z=A[:, 2])
        if kind == "tube":
            r = 0.5 * L
            return m.revolution(part, [(r - t, -r), (r, -r), (r, r), (r - t, r)], at=tuple(x), axis=A[:, 2])
        if kind == "angle":
            h = 0.5 * L
            outline = [(h, -h), (h, h), (-h, h), (-h, h - t), (h - t, h - t), (h - t, -h)]
            return m.extrusion(part, outline, L, at=tuple(x - h * A[:, 2]), axis=A[:, 2], x=A[:, 0])
        if kind == "angle mesh":
            h = 0.5 * L
            outline = [(h, h), (-h, h), (-h, h - t), (h - t, h - t), (h - t, -h), (h, -h)]
            corners, triangles = _prism(outline, h)
        elif kind == "cup":  # its bottom across x, its mouth towards +x
            r = 0.5 * L
            corners, triangles = _turned([(0, 0), (r, 0), (r, r), (r - t, r), (r - t, t), (0, t)], 24)
            corners = corners[:, [2, 0, 1]]
        else:
            h = 0.5 * L
            corners = [(a * 0.5 * t, b * h, c * h) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
            triangles = [
                (0, 1, 3),
                (0, 3, 2),
                (4, 6, 7),
                (4, 7, 5),
                (0, 4, 5),
                (0, 5, 1),
                (2, 3, 7),
                (2, 7, 6),
                (0, 2, 6),
                (0, 6, 4),
                (1, 5, 7),
                (1, 7, 3),
            ]
        return m.mesh(part, (np.asarray(corners) @ A.T + x, triangles))

    def model(self) -> hn.Model:
        m = hn.Model("walls")
        m.gravity = (0, 0, 0)
        I = 0.2 * self.size**2
        at = self.start, np.zeros(3)
        a = m.part("a", 1.0, (I,) * 3, tuple(at[0]), velocity=(self.speed, 0, 0), angular_velocity=tuple(self.spin))
        b = m.part("b", 1.0, (I,) * 3, (0, 0, 0))
        shapes = [self.add(m, p, k, x, A) for p, k, x, A in zip((a, b), self.kinds, at, self.axes)]
        stiffness = 0.5 * self.speed**2 / (0.2 * self.t) ** 2 * 2.0  # stores the energy of the impact in a fifth of the wall
        m.contact(*shapes, restitution=0.6, mu=self.mu, stiffness=stiffness, exponent=1.0, damping=0.0, dmax=0.02 * self.t)
        return m

    def options(self) -> dict:
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": 0.02 * self.size / self.speed}
        return {"error": self.error} | ({"contact": "events"} if self.method == "events" else {})


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.kinds[0]} on {s.kinds[1]}, {s.method} {s.options()}, {s.speed:.3g} m/s, walls of {s.t / s.size:.3g}"
    try:
        run = hn.simulate(s.model(), 6.0 * s.size / s.speed, 40, referee="strict", **s.options())
    except IntegrationError as error:
        text = " ".join(str(error).split())
        if "passed through" in text or "overlaps" in text:
            raise Finding(f"{what}: {text}") from None
        return "stopped: " + " ".join(text.split()[3:9])
    except hn.ModelError as error:
        if "cannot" in str(error) or "no contact" in str(error):
            return "refused"
        raise
    v = run.part("b").velocity.values[-1]
    if not np.linalg.norm(v) > 1e-3 * s.speed:
        raise Finding(f"{what}: the second body has not moved ({np.linalg.norm(v):.3g} m/s)")
    return s.method

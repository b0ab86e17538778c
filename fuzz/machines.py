"""Small machines as users draw them: hoppers, ribbed chutes, nested pots, chains and hooks of rings, ratchets, plates
in slots, bricks on bars, pegs in tubes and shaken boxes.

Shapes are drawn as they are or as meshes of the same, in metres or millimetres, near the origin or far from it; half of
the runs go back to a snapshot and must repeat its bits.  All three treatments of contact take part.  The oracle is
geometry on what the run returns: between any two rows the bodies are moved along by turns and straight lines, and inner
points of each solid stay out of the others; surface points lie no deeper than the method allows; rings that are linked
stay linked; what is in a closed box stays in it; the energy does not grow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

import holonom as hn
from holonom.integrators.stepper import IntegrationError
from holonom.model.polygons import ear_triangles

from . import Finding
from ._solids import Solid, polygon_distance, revolved_mesh
from ._stops import kind_of_stop

LIMIT = 90.0
SLICE = 0  # tests/contact/test_small_machines.py runs some
SCENES = ("hopper", "chute", "pots", "chain", "hook", "ratchet", "slot", "bars", "peg", "shaker")
METHODS = ("events", "time-stepping", "compliant")
G = 9.81
ROWS, AGAIN = 120, 5  # rows of a run, and those that are repeated from a snapshot
DEEP = {"events": 5e-3, "compliant": 5e-3, "time-stepping": 2e-2}  # of the thinner body: overlap that is allowed
LAW = 0.1  # of the thinnest wall: depth at which compliant contacts store the energy of the scene
CORES, SKIN = 24, 900  # inner points, and points of the surface, of each solid
FINE, MOST = 0.35, 40  # of the depth of inner points: motion between states that are checked, and how many at most
UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # of profiles (x, z), drawn along -y
GAINED = 2e-3  # of the energy of the scene: what a run may gain
STEP = 2e-3  # of the time of the scene: steps of time-stepping


def prism_mesh(line, half):
    """Corners and triangles of a prism along z."""
    n = len(line)
    corners = np.array([(x, y, z) for z in (-half, half) for x, y in line])
    caps = ear_triangles(np.array(line, float))
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, n + j), (i, n + j, n + i))]
    return corners, np.vstack([caps[:, ::-1], caps + n, np.array(sides)])


class Faceted:
    """Distances of the mesh of a turned outline: in the plane through the middle of the sector of a point."""

    def __init__(self, line, sides):
        self.line, self.sides = np.array(line, float), sides
        on_axis = self.line[:, 0] == 0.0
        if on_axis.any():
            k = int(np.flatnonzero(on_axis & np.roll(on_axis, 1))[0])  # the piece on the axis ends here
            q = np.roll(self.line, -k, axis=0)
            self.line = np.vstack([q, np.column_stack([-q[-2:0:-1, 0], q[-2:0:-1, 1]])])

    def __call__(self, p, scale):
        a = np.arctan2(p[:, 1], p[:, 0])
        width = 2.0 * np.pi / self.sides
        off = (a % width) - 0.5 * width
        r = np.hypot(p[:, 0], p[:, 1]) * np.cos(off) / math.cos(0.5 * width)
        return math.cos(0.5 * width) * polygon_distance(scale * self.line, np.column_stack([r, p[:, 2]]))


@dataclass
class Piece:
    """A solid on a body: at ``at`` with ``axes`` (columns) in the axes of the body; ``wall``: its least thickness."""

    solid: Solid
    at: np.ndarray
    axes: np.ndarray
    wall: float
    exact: object = None  # distance of a mesh, from its outline
    scale: float = 1.0
    kept: dict = field(default_factory=dict)

    def distance(self, p):
        """Signed distances of points in the axes of the solid."""
        if self.exact is None:
            return self.solid.distance(p)
        return self.exact(p, self.scale) if isinstance(self.exact, Faceted) else self.exact.distance(p)

    def local(self, p):
        return (p - self.at) @ self.axes

    def cores(self, rng_seed=5):
        """Inner points (n, 3) in the axes of the body, with their depths."""
        if "cores" not in self.kept:
            rng = np.random.default_rng(rng_seed)
            skin = self.solid.surface(SKIN)
            low, high = skin.min(0), skin.max(0)
            # in thin walls random points of the box are few: halves of chords between points of the surface too
            a, b = skin[rng.integers(len(skin), size=3000)], skin[rng.integers(len(skin), size=3000)]
            near = np.linalg.norm(a - b, axis=1) < 4 * self.wall
            p = np.vstack([low + (high - low) * rng.random((3000, 3)), 0.5 * (a + b)[near]])
            # inward from the surface, by random steps of the wall
            q = skin[rng.integers(len(skin), size=3000)] + self.wall * rng.normal(size=(3000, 3)) * 0.4
            p = np.vstack([p, q])
            d = -self.distance(p)
            good = d > 0.2 * self.wall
            p, d = p[good], d[good]
            take = [int(d.argmax())]
            away = np.linalg.norm(p - p[take[0]], axis=1)
            while len(take) < CORES:
                k = int((away * (d > 0.5 * np.median(d))).argmax())
                take.append(k)
                away = np.minimum(away, np.linalg.norm(p - p[k], axis=1))
            self.kept["cores"] = self.at + p[take] @ self.axes.T, d[take]
        return self.kept["cores"]

    def skin_box(self):
        """Corners of the box of the surface, in the axes of the solid."""
        if "box" not in self.kept:
            skin = self.solid.surface(SKIN)
            self.kept["box"] = skin.min(0), skin.max(0)
        return self.kept["box"]

    def skin(self):
        """Points of the surface (n, 3) in the axes of the body."""
        if "skin" not in self.kept:
            self.kept["skin"] = self.at + self.solid.surface(SKIN) @ self.axes.T
        return self.kept["skin"]


@dataclass
class Body:
    """A body of a scene: its solids, where it is and how it moves at the start, and what holds it; metres."""

    name: str
    pieces: list
    at: np.ndarray
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    fixed: bool = False
    v: np.ndarray = field(default_factory=lambda: np.zeros(3))
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))  # in ground axes
    mass: float = 1.0
    hinge: tuple | None = None  # (at, axis, torsion stiffness, preload)
    motion: tuple | None = None  # (amplitude, frequency) along x, with a translational joint

    @property
    def radius(self):
        """Of a ball about its origin that holds it."""
        return max(np.linalg.norm(p.at) + p.solid.radius for p in self.pieces)

    def inertia(self):
        """Of uniformly spread inner points, about the origin of the body, principal axes taken as those of the body."""
        rng = np.random.default_rng(3)
        p = np.vstack([q.at + rng.permutation(q.solid.surface(SKIN)) @ q.axes.T for q in self.pieces])
        s = (p**2).mean(0) * 0.6
        return self.mass * np.maximum([s[1] + s[2], s[0] + s[2], s[0] + s[1]], 1e-3 * s.sum())


# ---- solids ----------------------------------------------------------------------------------------------------------
def piece(solid, wall, at=(0, 0, 0), axes=None):
    return Piece(solid, np.array(at, float), np.eye(3) if axes is None else axes, wall)


def ball(r):
    return piece(Solid("SPHERE", (r,), r), 2 * r)


def block(x, y, z, at=(0, 0, 0), axes=None):
    return piece(Solid("BOX", (x, y, z), math.hypot(x, y, z)), 2 * min(x, y, z), at, axes)


def rod(r, h, at=(0, 0, 0), axes=None, kind="CYLINDER"):
    return piece(
        Solid(kind, (r, h), math.hypot(r, h) if kind == "CYLINDER" else r + h),
        2 * r if kind == "CAPSULE" else 2 * min(r, h),
        at,
        axes,
    )


def torus(R, r, axes=None):
    return piece(Solid("TORUS", (R, r), R + r), 2 * r, axes=axes)


def prism(line, length, wall, mesh, at=(0, 0, 0), axes=None):
    line = [tuple(map(float, p)) for p in line]
    r = math.hypot(max(math.hypot(*p) for p in line), 0.5 * length)
    solid = (
        Solid("MESH", prism_mesh(line, 0.5 * length), r) if mesh else Solid("EXTRUSION", (np.array(line), length), r)
    )
    p = piece(solid, wall, at, axes)
    p.exact = Solid("EXTRUSION", (np.array(line), length), r) if mesh else None
    return p


def turned(line, wall, mesh, sides=24):
    r = max(math.hypot(*p) for p in line)
    if mesh:
        c, t = revolved_mesh(line, sides)
        p = piece(Solid("MESH", (np.array(c), np.array(t)), r), wall)
        p.exact = Faceted(line, sides)
        return p
    return piece(Solid("REVOLUTION", line, r), wall)


def angle_section(a, t):
    """Outline with two legs of length a and thickness t."""
    c = 0.3 * a
    return [(-c, -c), (a - c, -c), (a - c, t - c), (t - c, t - c), (t - c, a - c), (-c, a - c)]


def cross_section(a, t):
    """Outline of a cross of width a whose bars are t thick."""
    h, t = 0.5 * a, 0.5 * t
    return [(-t, -h), (t, -h), (t, -t), (h, -t), (h, t), (t, t), (t, h), (-t, h), (-t, t), (-h, t), (-h, -t), (-t, -t)]


# ---- scenes ----------------------------------------------------------------------------------------------------------
class Scene:
    """The scene of a seed, of a ``kind`` and with a ``method`` where they are given; metres unless it is drawn in
    millimetres."""

    def __init__(self, seed: int, kind: str = "", method: str = ""):
        rng = self.rng = np.random.default_rng([9, 2911, seed])
        self.kind = kind or SCENES[seed % len(SCENES)]
        self.method = method or METHODS[rng.integers(3)]
        self.S = 10.0 ** rng.uniform(-2, 0)  # size in metres
        self.mm = rng.random() < 0.4
        self.far = self.S * 1000 * rng.normal(size=3) if rng.random() < 0.3 else np.zeros(3)
        self.restart = bool(rng.integers(4) > 1)  # from a snapshot
        self.mu = None if rng.random() < 0.3 else float(rng.uniform(0, 0.8))
        self.e = float(rng.choice([0.0, 0.2, 0.5, 0.8]))
        self.error = 10.0 ** -rng.uniform(4, 7)
        self.mesh = rng.random() < 0.5
        self.time = math.sqrt(self.S / G)  # unit of time
        self.end = self.time * rng.uniform(1.5, 5.0)
        # rows at ends of steps: between them velocities are not those of any state
        self.step = self.end / ROWS / math.ceil(self.end / ROWS / (STEP * self.time))
        self.inside: list = []
        self.linked: list = []
        self.bodies: list[Body] = []
        getattr(self, self.kind)()

    # ---- scenes (sizes in units of S) --------------------------------------------------------------------------------
    def add(self, name, pieces, at, axes=None, **more):
        """A body, from sizes in units of S to metres."""
        S = self.S
        for p in pieces:
            s = p.solid
            if s.kind in ("MESH", "EXTRUSION"):
                s.data = (np.asarray(s.data[0]) * S, s.data[1]) if s.kind == "MESH" else (s.data[0] * S, s.data[1] * S)
            elif s.kind == "REVOLUTION":
                s.data = np.array(s.data, float) * S
            else:
                s.data = tuple(S * x for x in s.data)
            s.radius *= S
            if isinstance(p.exact, Faceted):
                p.scale = S
            elif p.exact is not None:
                p.exact.data, p.exact.radius = (p.exact.data[0] * S, p.exact.data[1] * S), s.radius
            p.at, p.wall = p.at * S, p.wall * S
        b = Body(name, pieces, S * np.asarray(at, float), np.eye(3) if axes is None else axes, **more)
        self.bodies.append(b)
        return b

    def turn(self, much=1.0):
        """Random axes, turned by about so much."""
        return Rotation.from_rotvec(much * self.rng.normal(size=3)).as_matrix()

    def speed(self, v=0.5, w=2.0):
        """Random velocities in units of those of the scene."""
        g = math.sqrt(G * self.S)
        return {
            "v": v * g * self.rng.normal(size=3),
            "w": w / self.time * self.rng.normal(size=3) * (self.rng.random() < 0.7),
        }

    def item(self, r):
        """Pieces of a loose body within a ball of about r."""
        rng = self.rng
        kind = rng.choice(["ball", "box", "capsule", "coin", "L", "cross", "ring", "dumbbell"])
        mesh = rng.random() < 0.3
        if kind == "ball":
            return [ball(r)]
        if kind == "box":
            return [block(*(r * rng.uniform(0.3, 0.65, 3)))]
        if kind == "capsule":
            return [rod(0.4 * r, 0.55 * r, kind="CAPSULE")]
        if kind == "coin":
            return [rod(0.9 * r, r * rng.uniform(0.05, 0.3))]
        if kind == "L":
            t = r * rng.uniform(0.1, 0.4)
            return [prism(angle_section(1.2 * r, t), r * rng.uniform(0.3, 1.0), t, mesh)]
        if kind == "cross":
            t = r * rng.uniform(0.15, 0.5)
            return [prism(cross_section(1.6 * r, t), r * rng.uniform(0.2, 0.8), t, mesh)]
        if kind == "ring":
            return [torus(0.7 * r, 0.2 * r)]
        return [
            rod(0.2 * r, 0.5 * r, kind="CAPSULE"),
            piece(Solid("SPHERE", (0.4 * r,), 0.4 * r), 0.8 * r, (0, 0, 0.5 * r)),
            piece(Solid("SPHERE", (0.4 * r,), 0.4 * r), 0.8 * r, (0, 0, -0.5 * r)),
        ]

    def hopper(self):
        rng = self.rng
        t, r0 = rng.uniform(0.02, 0.1), rng.uniform(0.1, 0.45)
        slope = rng.uniform(0.3, 1.2)
        H = slope * (1 - r0)
        self.add(
            "funnel",
            [
                turned(
                    [(r0, 0), (r0 + t, 0), (1 + t, H), (1 + t, H + 1.5), (1, H + 1.5), (1, H)],
                    t * min(1, slope),
                    self.mesh,
                )
            ],
            (0, 0, 0),
            fixed=True,
        )
        self.add("floor", [block(2, 2, 0.1)], (0, 0, -1.0), fixed=True)
        z = H + 0.3
        for k in range(int(rng.integers(1, 4))):
            r = rng.uniform(0.15, 0.4)
            z += r
            self.add(
                f"item{k}", self.item(r), (*(0.3 * rng.normal(size=2).clip(-1, 1)), z), self.turn(), **self.speed(0.3)
            )
            z += r + 0.05

    def chute(self):
        rng = self.rng
        n, h, w = int(rng.integers(2, 6)), rng.uniform(0.03, 0.2), rng.uniform(0.02, 0.15)
        top = []
        for k in range(n):
            x = 2.0 * (k + 0.5) / n - 1
            top += (
                [(x - w, 0), (x - 0.5 * w * rng.random(), h), (x + 0.5 * w * rng.random() + 1e-3, h), (x + w, 0)]
                if w < 0.9 / n
                else [(x, h)]
            )
        line = [(-1.2, -0.15), (1.2, -0.15), (1.2, 0.0), *top[::-1], (-1.2, 0.0)]
        tilt = Rotation.from_euler("y", rng.uniform(0.1, 0.7)).as_matrix()
        self.add("chute", [prism(line, 2.0, min(0.15, w), self.mesh, axes=UPRIGHT)], (0, 0, 0), tilt, fixed=True)
        r = rng.uniform(0.1, 0.4)
        at = tilt @ np.array([-0.7, 0.1 * rng.normal(), h + 1.15 * r + 0.05])
        self.add("item", self.item(r), at, self.turn(), **self.speed(0.4))

    def pots(self):
        rng = self.rng
        t, H = rng.uniform(0.01, 0.06), rng.uniform(0.5, 1.5)
        pot = lambda R, H, t: [(0, 0), (R, 0), (R, H), (R - t, H), (R - t, t), (0, t)]
        free = rng.random() < 0.4
        gap = rng.uniform(0.02, 0.15)
        R = 0.5 - t - gap
        if free:
            self.add("table", [block(3, 3, 0.2)], (0, 0, -0.2), fixed=True)
        self.add("outer", [turned(pot(0.5, H, t), t, self.mesh)], (0, 0, 0.01 if free else 0), fixed=not free)
        self.add(
            "inner",
            [turned(pot(R, H, t), t, rng.random() < 0.5)],
            (0.3 * gap, 0, t + rng.uniform(0.3, 1.1) * H),
            self.turn(min(0.3 * gap, 0.05)),
            **self.speed(0.05, 0.3),
        )
        if rng.random() < 0.6:
            r = 0.6 * (R - t)
            self.add(
                "item", self.item(r), self.bodies[-1].at / self.S + (0, 0, t + H + r), self.turn(), **self.speed(0.1)
            )

    def chain(self):
        rng = self.rng
        r = rng.uniform(0.06, 0.2)
        d = rng.uniform(1.5, 1.95) * (1 - r)
        n = int(rng.integers(2, 5))
        for k in range(n):
            A = (
                Rotation.from_euler("z", 90 * (k % 2), degrees=True).as_matrix()
                @ Rotation.from_euler("x", 90, degrees=True).as_matrix()
            )
            more = {} if k == 0 else self.speed(0.3, 0.5)
            self.add(
                f"ring{k}",
                [
                    torus(1, r)
                    if not self.mesh
                    else turned(
                        [(1 + r * math.cos(a), r * math.sin(a)) for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)],
                        r,
                        True,
                        24,
                    )
                ],
                (0, 0, -k * d),
                A,
                fixed=k == 0,
                **more,
            )
            if k:
                self.linked.append((k - 1, k))

    def hook(self):
        rng = self.rng
        r = rng.uniform(0.04, 0.12)
        kind = rng.choice(["CAPSULE", "CYLINDER", "BOX"])

        def bar(a, b):
            a, b = np.array(a, float), np.array(b, float)
            z = (b - a) / np.linalg.norm(b - a)
            x = np.cross(z, (0, 1.0, 0)) if abs(z[1]) < 0.9 else np.cross(z, (1.0, 0, 0))
            x /= np.linalg.norm(x)
            A = np.column_stack([x, np.cross(z, x), z])
            h = 0.5 * np.linalg.norm(b - a)
            return block(r, r, h + r, 0.5 * (a + b), A) if kind == "BOX" else rod(r, h, 0.5 * (a + b), A, kind)

        self.add(
            "hook",
            [bar((0, 0, 1), (0, 0, 0)), bar((0, 0, 0), (0.8, 0, 0)), bar((0.8, 0, 0), (0.8, 0, 0.5))],
            (0, 0, 0),
            fixed=True,
        )
        R, q = rng.uniform(0.3, 0.7), rng.uniform(0.03, 0.1)
        A = Rotation.from_euler("y", 90, degrees=True).as_matrix()
        self.add(
            "ring",
            [torus(R, q)],
            (0.4, 0, r - R + q + 0.02 + max(0, (2 * R - 2 * r - 2 * q - 0.02)) * rng.uniform(0, 0.3)),
            A,
            **self.speed(0.2, 0.5),
        )

    def ratchet(self):
        rng = self.rng
        n, h = int(rng.integers(6, 16)), rng.uniform(0.06, 0.2)
        line = []
        for k in range(n):
            a = 2 * np.pi * k / n
            line += [(math.cos(a), math.sin(a)), ((1 - h) * math.cos(a + 0.02), (1 - h) * math.sin(a + 0.02))]
        line = line if rng.random() < 0.5 else [(x, -y) for x, y in line[::-1]]
        wheel = self.add(
            "wheel",
            [prism(line, 0.3, h, self.mesh)],
            (0, 0, 0),
            w=np.array([0, 0, float(rng.choice([-1, 1]) * rng.uniform(0.5, 6) / self.time)]),
        )
        wheel.hinge = (np.zeros(3), (0, 0, 1), 0.0, 0.0)
        a = rng.uniform(0.15, 0.4)  # pawl: from its pin to the tip on the wheel
        tip = np.array([0.0, 1 + 0.03, 0])
        pin = tip + np.array([-0.8 * math.cos(a), 0.8 * math.sin(a), 0])
        z = (tip - pin) / np.linalg.norm(tip - pin)
        axes = np.column_stack([z, np.cross((0, 0, 1.0), z), (0, 0, 1.0)])
        pawl = self.add("pawl", [block(0.4, 0.03, 0.1)], 0.5 * (tip + pin) + 0.05 * np.array([0, 1, 0]), axes, mass=0.1)
        pawl.hinge = (self.S * (pin + 0.05 * np.array([0, 1, 0])), (0, 0, 1), 0.1 * G * self.S, 0.2)

    def slot(self):
        rng = self.rng
        t = rng.uniform(0.01, 0.1)
        c = t * rng.uniform(0.02, 0.5)  # play
        w = 0.5 * (t + c)
        line = [(-0.5, -0.4), (0.5, -0.4), (0.5, 0.5), (w, 0.5), (w, 0), (-w, 0), (-w, 0.5), (-0.5, 0.5)]
        self.add(
            "channel",
            [prism(line, 2.0, 0.4 - w, self.mesh, axes=UPRIGHT)],
            (0, 0, 0),
            self.turn(rng.choice([0, 0.1])),
            fixed=True,
        )
        A = self.bodies[0].axes
        at = A @ np.array([0, 0.1, 0.28 + rng.uniform(0.0, 0.3)])
        v = math.sqrt(G * self.S)
        kind = rng.choice(["box", "mesh", "L"])
        if kind == "L":
            T = [
                (-0.5 * t, -0.25),
                (0.5 * t, -0.25),
                (0.5 * t, 0.25 - t),
                (0.35, 0.25 - t),
                (0.35, 0.25),
                (-0.5 * t, 0.25),
            ]
            pieces = [prism(T, 0.5, t, rng.random() < 0.3, axes=UPRIGHT)]
            at = at + A @ np.array([0, 0, 0.3])
            if w > 0.3:
                pieces = [block(0.5 * t, 0.25, 0.25)]
        else:
            pieces = (
                [block(0.5 * t, 0.25, 0.25)]
                if kind == "box"
                else [
                    prism(
                        [(-0.5 * t, -0.25), (0.5 * t, -0.25), (0.5 * t, 0.25), (-0.5 * t, 0.25)],
                        0.5,
                        t,
                        True,
                        axes=UPRIGHT,
                    )
                ]
            )
        self.add(
            "plate",
            pieces,
            at,
            A @ Rotation.from_euler("x", rng.uniform(0, 0.5)).as_matrix() if kind != "L" else A,
            v=A @ np.array([0, v * rng.uniform(-1, 1), 0]),
            w=A @ np.array([rng.uniform(-3, 3) / self.time, 0, 0]),
        )

    def bars(self):
        rng = self.rng
        n, r = int(rng.integers(2, 5)), rng.uniform(0.05, 0.15)
        kind = rng.choice(["CYLINDER", "CAPSULE", "BOX"])
        A = Rotation.from_euler("x", 90, degrees=True).as_matrix()
        for k in range(n):
            x = -0.8 + 1.6 * k / (n - 1)
            p = block(r, r, 0.8, axes=A) if kind == "BOX" else rod(r, 0.8, axes=A, kind=kind)
            tilt = Rotation.from_euler("y", 45 * (rng.random() < 0.5) + 0.01 * rng.normal(), degrees=True).as_matrix()
            self.add(f"bar{k}", [p], (x, 0, 0), tilt if kind == "BOX" else np.eye(3), fixed=True)
        z = 1.5 * r + 0.02
        for k in range(int(rng.integers(1, 4))):
            h = rng.uniform(0.04, 0.2)
            brick = (
                [block(rng.uniform(0.5, 1.1), rng.uniform(0.2, 0.5), h)]
                if rng.random() < 0.6
                else [
                    prism(
                        [(-0.9, -h), (0.9, -h), (0.9, h), (0.3, h), (0.3, 0), (-0.3, 0), (-0.3, h), (-0.9, h)],
                        0.6,
                        h,
                        self.mesh,
                        axes=UPRIGHT,
                    )
                ]
            )
            z += h + 0.15
            self.add(
                f"brick{k}", brick, (0.1 * rng.normal(), 0.1 * rng.normal(), z), self.turn(0.05), **self.speed(0.1, 0.2)
            )
            z += h + 0.1

    def peg(self):
        rng = self.rng
        R, t = 0.2, rng.uniform(0.02, 0.1)
        c = R * rng.uniform(0.01, 0.1)
        self.add("tube", [turned([(R, 0), (R + t, 0), (R + t, 1), (R, 1)], t, self.mesh, 48)], (0, 0, 0), fixed=True)
        self.add("floor", [block(1, 1, 0.1)], (0, 0, -0.3), fixed=True)
        r = (R * math.cos(math.pi / 48) if self.mesh else R) - c
        kind = rng.choice(["CYLINDER", "CAPSULE", "turned", "square"])
        h = rng.uniform(0.2, 0.5)
        if kind == "square":
            p = block(r / 1.4143, r / 1.4143, h)
        elif kind == "turned":
            p = turned([(0, -h), (0.8 * r, -h), (r, 0), (0.6 * r, h), (0, h)], r, rng.random() < 0.3)
        else:
            p = rod(r, h, kind=kind)
        z = 1 + h + (r if kind == "CAPSULE" else 0) - rng.uniform(-0.05, 0.3)
        self.add(
            "peg",
            [p],
            (0.2 * c, 0, z),
            Rotation.from_rotvec(0.3 * c * rng.normal(size=3)).as_matrix(),
            **self.speed(0.0, 0.2 * c),
        )

    def shaker(self):
        rng = self.rng
        t = rng.uniform(0.01, 0.1)
        sides = []
        for k in range(3):
            for s in (-1, 1):
                half, at = np.full(3, 0.5 + t), np.zeros(3)
                half[k], at[k] = 0.5 * t, s * (0.5 + 0.5 * t)
                sides.append(block(*half, at))
        a, f = rng.uniform(0.05, 0.5) * self.S, rng.uniform(0.3, 2.0) / self.time
        self.add("case", sides, (0, 0, 0), motion=(a, f))
        for k in range(int(rng.integers(1, 4))):
            self.add(
                f"item{k}",
                self.item(rng.uniform(0.1, 0.2)),
                ((-0.25 + 0.25 * k), 0.05 * rng.normal(), -0.2 + 0.2 * k),
                self.turn(),
                **self.speed(0.5),
            )
            self.inside.append(len(self.bodies) - 1)

    # ---- model ------------------------------------------------------------------------------------------------------
    def energy(self):
        S = self.S
        low = min(b.at[2] for b in self.bodies) - S
        out = 0.0
        for b in self.bodies:
            if b.fixed:
                continue
            v = np.linalg.norm(b.v)
            if b.motion:
                v += 2 * np.pi * b.motion[0] * b.motion[1]
            out += b.mass * (0.5 * v**2 + G * (b.at[2] - low)) + 0.5 * float(b.inertia() @ (b.axes.T @ b.w) ** 2)
        if any(b.motion for b in self.bodies):
            a, f = next(b.motion for b in self.bodies if b.motion)
            out += 4 * 0.5 * (2 * np.pi * a * f) ** 2 * 4
        return out

    def model(self):
        u = 1000.0 if self.mm else 1.0
        m = hn.Model(self.kind, units="mm" if self.mm else "SI")
        m.gravity = (0, 0, -G * u)
        shapes, parts = [], []
        for b in self.bodies:
            at = u * (b.at + self.far)
            if b.fixed:
                part = m.ground
            else:
                part = m.part(
                    b.name,
                    b.mass,
                    tuple(u * u * b.inertia()),
                    tuple(at),
                    axes=b.axes,
                    velocity=tuple(u * b.v),
                    angular_velocity=tuple(b.axes.T @ b.w),
                )
            rows = []
            for p in b.pieces:
                s = p.solid
                d = s.data
                scaled = Solid(
                    s.kind,
                    (np.asarray(d[0]) * u, d[1])
                    if s.kind == "MESH"
                    else (d[0] * u, d[1] * u)
                    if s.kind == "EXTRUSION"
                    else np.asarray(d) * u
                    if s.kind == "REVOLUTION"
                    else tuple(u * x for x in d),
                    s.radius * u,
                )
                rows.append(scaled.draw(m, part, at + b.axes @ p.at * u, b.axes @ p.axes))
            shapes.append(rows)
            parts.append(part)
            if b.hinge:
                pin, axis, k, angle = b.hinge
                j = m.revolute(part, m.ground, b.name + " pin", at=tuple(u * (pin + self.far)), axis=axis)
                if k:
                    m.torsion_spring(j.i, j.j, stiffness=k * u * u, damping=0.0, angle=-angle)
            if b.motion:
                j = m.translational(part, m.ground, "slide", at=tuple(at), axis=(1, 0, 0))
                m.motion(j, f"{u * b.motion[0]:.9g}*SIN({2 * np.pi * b.motion[1]:.9g}*TIME)")
        wall = min(p.wall for b in self.bodies for p in b.pieces)
        k = 2.0 * self.energy() / (LAW * wall) ** 2
        law = (
            {}
            if self.method != "compliant"
            else dict(stiffness=k, exponent=1.0, damping=0.1 * math.sqrt(k), dmax=0.02 * wall * u)
        )
        for i in range(len(self.bodies)):
            for j in range(i + 1, len(self.bodies)):
                if not (self.bodies[i].fixed and self.bodies[j].fixed):
                    m.contact(shapes[i], shapes[j], restitution=self.e, mu=self.mu, **law)
        return m, parts, u

    def options(self):
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": self.step}
        return {"error": self.error} | ({"contact": "events"} if self.method == "events" else {})

    def run(self, m):
        """A run of the model; some go back to a snapshot after `AGAIN` rows, and must repeat them to the bit."""
        if not self.restart:
            return hn.simulate(m, self.end, ROWS, referee="strict", **self.options())
        sim = hn.Simulation(m, referee="strict")
        sim.open(**self.options())
        moving = [b.name for b in self.bodies if not b.fixed]
        places = lambda: np.array([sim.state[name].position for name in moving])
        at = int(self.rng.integers(10, ROWS - 10))
        times = np.linspace(0, self.end, ROWS + 1)[1:]
        for t in times[:at]:
            sim.advance(float(t))
        before = sim.snapshot()
        for t in times[at : at + AGAIN]:
            sim.advance(float(t))
        first = places()
        sim.restore(before)
        for t in times[at:]:
            sim.advance(float(t))
            if t == times[at + AGAIN - 1]:
                off = np.abs(places() - first).max()
                if off > 0.0:
                    raise Finding(f"{self.what()}: a restored snapshot gives other positions, by {off:.3g}")
        return sim.run()

    def what(self):
        words = [self.kind, *(["mesh"] if self.mesh else []), f"size {self.S:.3g} m", "mm" if self.mm else "SI"]
        words += [*(["far"] if self.far.any() else []), *(["snapshot"] if self.restart else [])]
        return f"{' '.join(words)}, mu={self.mu}, e={self.e}, {self.method} {self.options()}"

    # ---- oracle -----------------------------------------------------------------------------------------------------
    def check(self, run, u, parts):
        n = len(run.time)
        X = [
            np.tile(b.at, (n, 1)) if b.fixed else run.part(p).position.values / u - self.far
            for b, p in zip(self.bodies, parts)
        ]
        Q = [
            Rotation.from_matrix(np.tile(b.axes, (n, 1, 1)))
            if b.fixed
            else Rotation.from_quat(
                run.data.body_quaternion[:, sum(not c.fixed for c in self.bodies[:k])][:, [1, 2, 3, 0]]
            )
            for k, b in enumerate(self.bodies)
        ]
        for b, x, q in zip(self.bodies, X, Q):
            if not np.isfinite(x).all() or not np.isfinite(q.as_quat()).all():
                raise Finding(f"{self.what()}: {b.name} has NaN")
        wall = min(p.wall for b in self.bodies for p in b.pieces)
        fast = max((np.linalg.norm(np.diff(x, axis=0), axis=1) / np.diff(run.time)).max() for x in X)
        allowed = DEEP[self.method] * min(b.radius for b in self.bodies)
        if self.method == "time-stepping":
            allowed += 2 * fast * self.step
        if self.method == "compliant":
            allowed += 1.5 * LAW * wall
        if self.far.any():
            allowed += 1e-9 * np.linalg.norm(self.far) / 1
        worst = (0.0, "", 0.0)
        for i, a in enumerate(self.bodies):
            for j, b in enumerate(self.bodies):
                if i == j or a.fixed and b.fixed:
                    continue
                worst = max(worst, self.pair(run.time, a, b, X[i], Q[i], X[j], Q[j]))
        if worst[0] > allowed:
            raise Finding(f"{self.what()}: {worst[1]} by {worst[0]:.4g} at {worst[2]:.6g}, {allowed:.3g} allowed")
        for i, j in self.linked:
            k = self.linking(X[i][-1], Q[i][-1], X[j][-1], Q[j][-1])
            if abs(k) < 0.5:
                raise Finding(f"{self.what()}: rings {i} and {j} are no longer linked ({k:.2f})")
        for i in self.inside:
            p = Q[0].inv().apply(X[i] - X[0])
            if np.abs(p).max() > 0.5 * self.S * 1.05:
                raise Finding(f"{self.what()}: {self.bodies[i].name} left the case")
        E = run.data.energy_kinetic + run.data.energy_gravity + run.data.energy_elastic - run.data.energy_input
        up = float((E - np.minimum.accumulate(E)).max()) if self.method != "compliant" else float(E.max() - E[0])
        e0 = self.energy() * u * u if not self.mm else self.energy() * 1e3  # N mm
        if up > GAINED * e0 * (5 if self.method == "compliant" else 1):
            raise Finding(f"{self.what()}: energy gains {up / e0:.3g} of what there is")
        return worst[0] / allowed

    def linking(self, x, q, y, r):
        """Gauss linking number of the circles of two tori."""
        t = np.linspace(0, 2 * np.pi, 240, endpoint=False)
        c = self.S * np.column_stack([np.cos(t), np.sin(t), 0 * t])
        a, b = x + q.apply(c), y + r.apply(c)
        da, db = np.roll(a, -1, 0) - a, np.roll(b, -1, 0) - b
        a, b = a + 0.5 * da, b + 0.5 * db
        d = a[:, None] - b[None]
        return float(
            (np.einsum("ijk,ijk->ij", d, np.cross(da[:, None], db[None])) / np.linalg.norm(d, axis=2) ** 3).sum()
            / (4 * np.pi)
        )

    def pair(self, t, a, b, xa, qa, xb, qb):
        """Deepest place of inner points of a in b between rows, and of points of the surface at some rows."""
        worst = (0.0, "", 0.0)
        reach = a.radius + b.radius
        close = np.linalg.norm(xa - xb, axis=1) < reach + 0.1 * self.S
        for p in a.pieces:
            cores, depth = p.cores()
            d = float(np.median(depth))
            for k in range(len(t)):
                if not (close[k] or k and close[k - 1]):
                    continue
                if k == 0 or np.allclose(xa[k], xa[k - 1]) and np.allclose(xb[k], xb[k - 1]) and k % 10:
                    states = [(xa[k], qa[k], xb[k], qb[k])]
                else:
                    turn = max(
                        (qa[k] * qa[k - 1].inv()).magnitude() * a.radius,
                        (qb[k] * qb[k - 1].inv()).magnitude() * b.radius,
                    )
                    way = np.linalg.norm(xa[k] - xa[k - 1]) + np.linalg.norm(xb[k] - xb[k - 1]) + turn
                    m = int(np.clip(np.ceil(way / (FINE * min(d, 0.5 * min(q.wall for q in b.pieces)))), 1, MOST))
                    s = (np.arange(m) + 1) / m
                    ta, tb = (Slerp([0, 1], Rotation.concatenate([q[k - 1], q[k]])) for q in (qa, qb))
                    states = [
                        (xa[k - 1] + f * (xa[k] - xa[k - 1]), ta(f), xb[k - 1] + f * (xb[k] - xb[k - 1]), tb(f))
                        for f in s
                    ]
                miss = (
                    0.0
                    if not 0 < k < len(t) - 1
                    else 0.25 * max(np.linalg.norm(np.diff(z[k - 1 : k + 2], 2, axis=0)) for z in (xa, xb))
                )
                pts = np.concatenate([rb.inv().apply(ra.apply(cores) + u - w) for u, ra, w, rb in states])
                for q in b.pieces:
                    loc = q.local(pts)
                    near = np.linalg.norm(loc, axis=1) < q.solid.radius
                    if not near.any():
                        continue
                    g = q.distance(loc[near])
                    dd = np.tile(depth, len(states))[near]
                    deep = np.where(g < 0, dd - g - 2 * miss, 0.0)
                    if deep.max() > worst[0]:
                        worst = (float(deep.max()), f"inner point of {a.name} in {b.name}", float(t[k]))
            for k in range(0, len(t), 4):
                if not close[k]:
                    continue
                pts = qb[k].inv().apply(qa[k].apply(p.skin()) + xa[k] - xb[k])
                for q in b.pieces:
                    loc = q.local(pts)
                    low, high = q.skin_box()
                    near = ((loc > low) & (loc < high)).all(1)
                    if not near.any():
                        continue
                    g = q.distance(loc[near])
                    if -g.min() > worst[0]:
                        worst = (float(-g.min()), f"surface of {a.name} in {b.name}", float(t[k]))
        return worst


def attempt(seed: int) -> str:
    scene = Scene(seed)
    model, parts, unit = scene.model()
    try:
        run = scene.run(model)
    except IntegrationError as error:
        return kind_of_stop(error)
    scene.check(run, unit, parts)
    return f"{scene.kind}, {scene.method}"

"""Bodies in hollow rooms that move, links of chains, and rings on rods: what is inside stays inside.

- ``plates``, ``shell``, ``can``, ``tube``: one to three bodies in a closed room made of six thin boxes, of a hollow
  mesh, of a hollow turned profile, or of a channel with a lid.  The room flies and tumbles, or a motion turns or
  shakes it;
- ``links``: two or three tori, each through the next, thrown or with the first one on a ball joint;
- ``ring``, ``bead``: a torus or a turned rectangle on a rod with balls at its ends.

Sizes of 1 cm to 10 m, up to a hundred sizes away from the origin; all three methods and several integrators.  The
oracle is topology on what the run returns: the centre of a body does not leave the room, linked circles stay linked
(one passes the disc of the other an odd number of times), the axis of the rod passes the ring.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._solids import box_mesh
from ._stops import kind_of_stop

LIMIT = 90.0
SLICE = 2
SCENES = ("plates", "can", "shell", "tube", "links", "ring", "bead")
METHODS = ("events", "compliant", "time-stepping")
INTEGRATORS = ("DOP853", "DOP853", "RADAU5", "DOPRI5", "GSTIFF")
CONTENTS = ("sphere", "box", "capsule", "cylinder", "ellipsoid", "hull", "torus", "mesh", "cone")
G = 9.81
DENSITY = 1000.0
ROWS = 60
ROUND = 721  # points of a circle whose links are counted


def linked(one: tuple, other: tuple) -> bool:
    """Does the circle ``one`` (centre, axis, radius) pass the disc of the other an odd number of times?"""
    (c, a, r), (d, b, s) = one, other
    u = np.cross(a, (1, 0, 0) if abs(a[0]) < 0.9 else (0, 1, 0))
    u /= np.linalg.norm(u)
    t = np.linspace(0.0, 2.0 * np.pi, ROUND)[:, None]
    p = c + r * (np.cos(t) * u + np.sin(t) * np.cross(a, u)) - d
    h = p @ b
    k = np.flatnonzero((h[:-1] > 0.0) != (h[1:] > 0.0))
    share = (h[k] / (h[k] - h[k + 1]))[:, None]
    return int((np.linalg.norm(p[k] + share * (p[k + 1] - p[k]), axis=1) < s).sum()) % 2 == 1


class Scene:
    def __init__(self, seed: int):
        self.rng = rng = np.random.default_rng([777, seed])
        self.kind = str(rng.choice(SCENES))
        self.method = str(rng.choice(METHODS))
        self.integrator = str(rng.choice(INTEGRATORS))
        self.mu = None if rng.random() < 0.4 else float(rng.uniform(0, 0.8))
        self.restitution = float(rng.choice([0.0, 0.3, 0.8]))
        self.error = float(10.0 ** -rng.uniform(4.5, 8.0))
        self.end = float(10.0 ** rng.uniform(-0.7, 0.3))
        self.size = L = float(10.0 ** rng.choice([0, 0, 0, -2, 1]))
        self.speed = float(10.0 ** rng.uniform(-0.5, 1.3) * L**0.5)
        self.spin = float(rng.choice([0, 1, 10, 60]))
        self.driven = bool(rng.random() < 0.4)
        self.unit = DENSITY * L**3
        self.model = m = hn.Model(self.kind)
        m.gravity = (0, 0, -G) if rng.random() < 0.7 else (0, 0, 0)
        self.at = L * rng.normal(size=3) * rng.choice([0, 1, 100])
        self.axes = self.turn()
        self.names: list[str] = []
        getattr(self, {"links": "_links", "ring": "_ring", "bead": "_ring"}.get(self.kind, "_room"))(m)

    def turn(self) -> np.ndarray:
        return Rotation.random(random_state=int(self.rng.integers(1 << 31))).as_matrix()

    def part(self, name: str, at, axes, mass: float, size: float, v, w):
        inertia = 0.4 * mass * size**2 * np.array([1.0, 1.0, 0.9])
        self.names.append(name)
        return self.model.part(
            name, mass, tuple(inertia), tuple(at), axes=axes, velocity=tuple(v), angular_velocity=tuple(w)
        )

    def contacts(self, pairs, energy: float, deep: float) -> None:
        """Of all pairs; a compliant law stores the energy in the depth ``deep``."""
        k = 2.5 * energy / deep**2.5
        law: dict[str, Any] = {"restitution": self.restitution}
        if self.method == "compliant":
            law = {"stiffness": k, "exponent": 1.5, "damping": 1e-3 * k**0.5, "dmax": 0.1 * deep}
        for i, j in pairs:
            self.model.contact(i, j, mu=self.mu, **law)

    def options(self) -> dict:
        if self.method == "time-stepping":
            share = 10.0 ** np.interp(np.log10(self.error), [-8.0, -4.5], [-1.0, 0.0])
            return {
                "contact": "time-stepping",
                "step": float(min(1e-3, self.end / 200) * share * min(1, self.size**0.5)),
            }
        options = {"integrator": self.integrator, "error": self.error}
        return options | ({"contact": "events"} if self.method == "events" else {})

    # ---- rooms ------------------------------------------------------------------------------------------------------
    def _room(self, m: hn.Model) -> None:
        rng, L, A, o = self.rng, self.size, self.axes, self.at
        self.half = half = 0.3 * L * rng.uniform(0.7, 1.3, 3)
        self.wall = wall = L * float(10.0 ** rng.uniform(-2.5, -1.0))
        if self.kind in ("can", "tube"):
            half[1] = half[0]
        mass = 10.0 * self.unit
        inertia = (mass * L * L,) * 3
        if self.driven:
            room, way = m.part("room", mass, inertia, tuple(o), axes=A), self.turn()[:, 0]
            if rng.random() < 0.5:
                m.motion(m.revolute(room, m.ground, at=tuple(o), axis=way), f"{rng.uniform(1, 15)}*TIME")
            else:
                shake = f"{L * rng.uniform(0.02, 0.2)}*SIN({rng.uniform(5, 60)}*TIME)"
                m.motion(m.translational(room, m.ground, at=tuple(o), axis=way), shake)
        else:
            v, w = 0.2 * self.speed * rng.normal(size=3), 0.3 * self.spin * rng.normal(size=3)
            room = m.part("room", mass, inertia, tuple(o), axes=A, velocity=tuple(v), angular_velocity=tuple(w))
        self._walls(m, room)
        n = int(rng.integers(1, 4))
        bodies, inner = [], half * ((0.7, 0.7, 1.0) if self.kind == "can" else 1.0)
        for k in range(n):
            size = inner.min() * rng.uniform(0.12, 0.3)
            free = np.maximum(inner / (n, 1, 1) - 1.02 * size, 0.0)
            at = o + A @ (np.array([(2 * k + 1 - n) * inner[0] / n, 0, 0]) + rng.uniform(-1, 1, 3) * free)
            B = self.turn()
            v, w = self.speed * rng.normal(size=3), self.spin * rng.normal(size=3)
            body = self.part(f"c{k}", at, B, 0.05 * self.unit * float(10.0 ** rng.uniform(-1, 1)), size, v, w)
            self._content(m, body, size, at, B)
            bodies.append(body)
        energy = self.unit * (n * (self.speed**2 + 0.5 * G * L) + 5.0 * (0.3 * self.speed + 0.3 * L * self.spin) ** 2)
        pairs = [(b, room) for b in bodies] + [(a, b) for i, a in enumerate(bodies) for b in bodies[:i]]
        self.contacts(pairs, energy, 0.06 * wall)

    def _walls(self, m: hn.Model, room) -> None:
        A, o, half, wall = self.axes, self.at, self.half, self.wall
        x, z = A[:, 0], A[:, 2]
        plate = lambda at, size: m.box(room, tuple(o + A @ np.array(at)), list(size), x=x, z=z)
        if self.kind == "plates":
            for k in range(3):
                size = 2.0 * (half + wall)
                size[k] = wall
                for side in (-1.0, 1.0):
                    plate(side * np.eye(3)[k] * (half[k] + 0.5 * wall), size)
        elif self.kind == "shell":
            (p, t), (q, u) = box_mesh(half + wall), box_mesh(half)
            m.mesh(room, (np.vstack([p, q]), np.vstack([t, u[:, ::-1] + len(p)])), at=o, x=x, z=z)
        elif self.kind == "can":
            r, h = half[0], half[2]
            outer = [(0, -h - wall), (r + wall, -h - wall), (r + wall, h + wall), (0, h + wall)]
            m.revolution(room, [*outer, (0, h), (r, h), (r, -h), (0, -h)], at=o, axis=z)
        else:
            r, h = half[0], half[2]
            out = r + wall
            channel = [(-out, -out), (out, -out), (out, r), (r, r), (r, -r), (-r, -r), (-r, r), (-out, r)]
            m.extrusion(room, channel, 2.0 * h, at=o - h * z, axis=z, x=x)
            plate((0, r + 0.5 * wall, 0), (2.0 * out, wall, 2.0 * h))
            for side in (-1.0, 1.0):
                plate((0, 0, side * (h + 0.5 * wall)), (2.0 * out, 2.0 * out, wall))

    def _content(self, m: hn.Model, b, r: float, at, B) -> None:
        """A shape within the radius r."""
        rng, x, z = self.rng, B[:, 0], B[:, 2]
        kind = str(rng.choice(CONTENTS))
        h = r * rng.uniform(0.2, 0.7)
        if kind == "sphere":
            m.sphere(b, at, r)
        elif kind == "box":
            m.box(b, at, list(2.0 * r * rng.uniform(0.2, 0.57, 3)), x=x, z=z)
        elif kind == "capsule":
            m.capsule(b, at - h * z, at + h * z, r - h)
        elif kind == "cylinder":
            m.cylinder(b, at - h * z, at + h * z, np.sqrt(r * r - h * h))
        elif kind == "ellipsoid":
            m.ellipsoid(b, at, list(r * rng.uniform(0.3, 1, 3)), x=x, z=z)
        elif kind == "hull":
            p = rng.normal(size=(10, 3))
            p *= rng.uniform(0.5, 1.0, (10, 1)) / np.linalg.norm(p, axis=1)[:, None]
            p -= p.mean(axis=0)
            m.hull(b, p * r / np.linalg.norm(p, axis=1).max(), at=at, x=x, z=z)
        elif kind == "torus":
            tube = r * rng.uniform(0.1, 0.4)
            m.torus(b, at, z, r - tube, tube)
        elif kind == "mesh":
            m.mesh(b, box_mesh(r * rng.uniform(0.3, 0.57, 3)), at=at, x=x, z=z)
        else:
            m.cone(b, at - 0.6 * h * z, at + 0.6 * h * z, 0.7 * r, 0.2 * r)

    # ---- links and rings --------------------------------------------------------------------------------------------
    def _links(self, m: hn.Model) -> None:
        rng, R = self.rng, 0.1 * self.size
        self.radius, tube, n = R, R * rng.uniform(0.08, 0.2), int(rng.integers(2, 4))
        bodies = []
        for k in range(n):
            at, z = self.at + np.array([1.2 * k * R, 0, 0]), np.array([0, 0, 1.0] if k % 2 == 0 else [0, 1.0, 0])
            axes = np.column_stack([(1, 0, 0), np.cross(z, (1, 0, 0)), z])
            v, w = 0.3 * self.speed * rng.normal(size=3), min(self.spin, 10.0) * rng.normal(size=3)
            bodies.append(self.part(f"l{k}", at, axes, 0.1 * self.unit, R, v, w))
            m.torus(bodies[-1], at, z, R, tube)
        if self.driven:
            m.spherical(bodies[0], m.ground, at=tuple(self.at))
        energy = 0.05 * self.unit * n * (self.speed**2 + G * self.size + (10.0 * R) ** 2)
        self.contacts([(a, b) for i, a in enumerate(bodies) for b in bodies[:i]], energy, 0.02 * tube)

    def _ring(self, m: hn.Model) -> None:
        rng, L, A, o = self.rng, self.size, self.axes, self.at
        R, z = 0.1 * L, A[:, 2]
        self.radius, self.long, tube, r = R, 0.4 * L, R * rng.uniform(0.1, 0.3), R * rng.uniform(0.1, 0.5)
        slow, low = min(self.spin, 10.0), o - self.long * z
        high = o + self.long * z
        rod = self.part(
            "rod",
            o,
            A,
            0.5 * self.unit,
            self.long,
            0.2 * self.speed * rng.normal(size=3),
            0.3 * slow * rng.normal(size=3),
        )
        (m.capsule if rng.random() < 0.5 else m.cylinder)(rod, low, high, r)
        for end in (low, high):
            m.sphere(rod, end, 1.3 * (R + tube))
        if self.driven:
            m.revolute(rod, m.ground, at=tuple(o), axis=tuple(A[:, 0]))
        v, w = 0.3 * self.speed * rng.normal(size=3), slow * rng.normal(size=3)
        ring = self.part("ring", o, A, 0.1 * self.unit, R, v, w)
        if self.kind == "ring":
            m.torus(ring, o, z, R, tube)
        else:
            m.revolution(ring, [(R - tube, -tube), (R + tube, -tube), (R + tube, tube), (R - tube, tube)], at=o, axis=z)
        self.contacts([(ring, rod)], 0.3 * self.unit * (self.speed**2 + 4.0 * G * L + (4.0 * L) ** 2), 0.02 * tube)

    # ---- oracle -----------------------------------------------------------------------------------------------------
    def fault(self, run) -> str:
        """What has left its place, or nothing."""
        place = {n: (run.part(n).position.values, run.part(n).axes.values) for n in self.names}
        circle = lambda n, k: (place[n][0][k], place[n][1][k][:, 2], self.radius)
        for k, t in enumerate(run.time):
            if self.kind == "links":
                for a, b in zip(self.names, self.names[1:]):
                    if not linked(circle(a, k), circle(b, k)):
                        return f"{a} and {b} are not linked any more at time {t:.6g}"
            elif self.kind in ("ring", "bead"):
                (c, n, R), (q, z, _) = circle("ring", k), circle("rod", k)
                if abs(z @ n) > 1e-3 and abs(u := (c - q) @ n / (z @ n)) < self.long:
                    if np.linalg.norm(q + u * z - c) > R:
                        return f"the ring is off the rod at time {t:.6g}"
            else:
                room = run.part("room")
                for name in self.names:
                    p = room.axes.values[k].T @ (place[name][0][k] - room.position.values[k])
                    across = (
                        np.hypot(p[0], p[1])
                        if self.kind == "can"
                        else np.abs(p[:2] / self.half[:2]).max() * self.half[0]
                    )
                    if across > self.half[0] or abs(p[2]) > self.half[2]:
                        return f"{name} has left the room at time {t:.6g}"
        return ""


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.kind} of {s.size:g} m, {s.method} {s.options()}"
    try:
        run = hn.simulate(s.model, s.end, ROWS, referee="strict", **s.options())
    except IntegrationError as error:
        text = " ".join(str(error).split())
        if "passed through" in text or "overlap" in text or "inside each other" in text:
            raise Finding(f"{what}: {text}") from None
        return kind_of_stop(error)
    if fault := s.fault(run):
        raise Finding(f"{what}: {fault}")
    return f"{s.kind}, {s.method}"

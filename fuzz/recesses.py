"""Bodies that fall into recesses of the ground and over its edges: notches, channels, steps, ridges and seats.

Boxes, round bodies, hulls, angle sections, random profiles and random turned bodies fall and turn, tilted at random, or
nearly parallel to the recess (10^-4 to 0.3 rad), where kernels of parallel profiles take turns with those of meshes.
The recess is an extrusion, a body of revolution or the mesh of the same.  The oracle is plain geometry on what the run
returns: points of either surface lie no deeper in the other solid than the method allows, and the energy never rises
above that at the start by more than the law may store.  The strict referee watches the run.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError
from holonom.model.polygons import ear_triangles

from . import Finding
from ._solids import Solid, falling_solid, random_solid, revolved_mesh, thin_solid
from ._stops import kind_of_stop

LIMIT = 90.0
SLICE = 2
BODIES = ("box", "cylinder", "capsule", "ellipsoid", "hull", "angle", "angle mesh", "tube", "profile", "turned")
RECESSES = ("notch", "channel", "step", "ridge", "seat")
METHODS = ("events", "time-stepping", "compliant")
DEEP = {"events": 5e-3, "compliant": 5e-3, "time-stepping": 2e-2}  # overlap that is allowed, of the size of the body
UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # axes of profiles in the plane y = 0, seen along -y
SIZE = 0.1
POINTS = 1500  # of each surface
G = 9.81


def outline(kind: str, wide: float, steep: float) -> list[tuple[float, float]]:
    """Closed outline (x, z) of a recess about x = 0, its bottom or ridge at z = 0; half width and height of its
    sides."""
    a, d, h, w = 4.0 * SIZE, 2.0 * SIZE, steep * SIZE, wide * SIZE
    if kind == "notch":
        return [(-a, -d), (a, -d), (a, h), (w, h), (0, 0), (-w, h), (-a, h)]
    if kind == "channel":
        return [(-a, -d), (a, -d), (a, h), (w, h), (w, 0), (-w, 0), (-w, h), (-a, h)]
    if kind == "step":
        return [(-a, -d), (a, -d), (a, 0), (0, 0), (0, h), (-a, h)]
    if kind == "ridge":
        return [(-a, -d - h), (a, -d - h), (w, -h), (0, 0), (-w, -h)]
    return [(0, -d), (a, -d), (a, h), (w, h), (w, 0), (0, 0)]


def drawn(line: list[tuple[float, float]], half: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners and triangles of an outline, counter-clockwise, from z = -half to half."""
    n = len(line)
    corners = np.array([(x, y, z) for z in (-half, half) for x, y in line])
    caps = ear_triangles(np.array(line, float))
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, n + j), (i, n + j, n + i))]
    return corners, np.vstack([caps[:, ::-1], caps + n, np.array(sides)])


class Scene:
    def __init__(self, seed: int):
        rng = np.random.default_rng([2906, seed])
        self.body = BODIES[rng.integers(len(BODIES))]
        self.recess = RECESSES[rng.integers(len(RECESSES))]
        self.method = METHODS[rng.integers(len(METHODS))]
        self.meshed = rng.random() < 0.5
        d = SIZE * rng.uniform(0.3, 0.9, 3)
        if self.body in ("angle", "angle mesh", "tube"):
            self.solid = thin_solid(self.body, 1.5 * SIZE, SIZE * float(rng.uniform(0.15, 0.5)))
        elif self.body in ("profile", "turned"):
            unit = random_solid(rng, {"profile": "EXTRUSION", "turned": "REVOLUTION"}[self.body])
            data = (unit.data[0] * SIZE, unit.data[1] * SIZE) if self.body == "profile" else unit.data * SIZE
            self.solid = Solid(unit.kind, data, unit.radius * SIZE)
        else:
            self.solid = falling_solid(self.body, d)
        line = outline(self.recess, float(rng.uniform(0.7, 2.5)), float(rng.uniform(0.5, 2.0)))
        if self.recess == "seat":
            corners, triangles = revolved_mesh(line, 24)
            mesh = Solid("MESH", (corners, np.array(triangles)), 6 * SIZE)
            self.ground = mesh if self.meshed else Solid("REVOLUTION", line, 6 * SIZE)
            self.frame = np.eye(3)
        else:
            mesh = Solid("MESH", drawn(line, 4 * SIZE), 8 * SIZE)
            self.ground = mesh if self.meshed else Solid("EXTRUSION", (line, 8 * SIZE), 8 * SIZE)
            self.frame = UPRIGHT
        if rng.random() < 0.4:
            self.A = Rotation.random(random_state=int(rng.integers(1 << 31))).as_matrix()
        else:
            tilt = 10.0 ** rng.uniform(-4, -0.5) * rng.normal(size=3)
            quarter = Rotation.create_group("O").as_matrix()[rng.integers(24)]
            self.A = Rotation.from_rotvec(tilt).as_matrix() @ quarter
        self.v = np.array([*(0.5 * rng.normal(size=2)), -rng.uniform(0, 1.0)])
        self.w = float(rng.choice([0.0, 1.0, 8.0])) * rng.normal(size=3)
        low = -float((self.solid.surface(POINTS) @ self.A.T)[:, 2].min())
        self.x = np.array([*(0.5 * SIZE * rng.normal(size=2)), 2.0 * SIZE + low + SIZE * rng.uniform(0.05, 1.0)])
        self.mu = None if rng.random() < 0.3 else float(rng.uniform(0, 0.8))
        self.restitution = float(rng.choice([0.0, 0.3, 0.7]))
        self.error = 10.0 ** -rng.uniform(4, 7)
        self.I = 0.3 * self.solid.radius**2 * rng.uniform(0.8, 1.2, 3)
        self.stiffness = 2.0 * self.energy() / (0.01 * SIZE) ** 2

    def energy(self) -> float:
        """At the start, above the deepest place of the recess; the mass is 1."""
        return 0.5 * float(self.v @ self.v + self.I @ (self.A.T @ self.w) ** 2) + G * float(self.x[2])

    def model(self) -> hn.Model:
        m = hn.Model("recess")
        m.gravity = (0, 0, -G)
        at, A = tuple(self.x), self.A
        part = m.part(
            "body", 1.0, tuple(self.I), at, axes=A, velocity=tuple(self.v), angular_velocity=tuple(A.T @ self.w)
        )
        shapes = self.solid.draw(m, part, at, A), self.ground.draw(m, m.ground, np.zeros(3), self.frame)
        m.contact(
            *shapes,
            restitution=self.restitution,
            mu=self.mu,
            stiffness=self.stiffness,
            exponent=1.0,
            damping=0.1 * self.stiffness**0.5,
            dmax=1e-3 * SIZE,
        )
        return m

    def options(self) -> dict:
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": 1e-3}
        return {"error": self.error} | ({"contact": "events"} if self.method == "events" else {})

    def allowed(self) -> float:
        """Depth that the method allows, in m."""
        deep = DEEP[self.method] * self.solid.radius
        if self.method == "time-stepping":
            return deep + 2e-3 * float(np.sqrt(2.0 * self.energy()))
        return deep + (0.015 * SIZE if self.method == "compliant" else 0.0)

    def depth(self, x: np.ndarray, A: np.ndarray) -> float:
        """How deep points of either surface lie in the other solid."""
        own = (x + self.solid.surface(POINTS) @ A.T) @ self.frame
        other = (self.ground.surface(4 * POINTS) @ self.frame.T - x) @ A
        other = other[np.linalg.norm(other, axis=1) < self.solid.radius]
        least = float(self.ground.distance(own).min())
        return -min(least, float(self.solid.distance(other).min()) if len(other) else 0.0)


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.body} in {'mesh of ' if s.meshed else ''}{s.recess}, {s.method} {s.options()}"
    try:
        run = hn.simulate(s.model(), 0.4, 20, referee="strict", **s.options())
    except IntegrationError as error:
        text = " ".join(str(error).split())
        if "passed through" in text or "overlap" in text or "inside each other" in text:
            raise Finding(f"{what}: {text}") from None
        return kind_of_stop(error)
    part = run.part("body")
    x, A = part.position.values, part.axes.values
    for k in range(len(run.time)):
        deep = s.depth(x[k], A[k])
        if deep > s.allowed():
            raise Finding(f"{what}: {deep / SIZE:.3g} of the size deep at time {run.time[k]:.4g}")
    d = run.data
    total = d.energy_kinetic + d.energy_gravity
    gained = float((total - total[0]).max()) / s.energy()
    told = any("energy" in text for text in run.info["messages"])
    if gained > 1e-2 and not told:
        raise Finding(f"{what}: gains {gained:.3g} of its energy and nothing is reported")
    return s.method

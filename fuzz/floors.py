"""Bounded floors under everything that bounces, tumbles, rolls and slides: nothing may come out below.

A ball, box, capsule, cylinder, hull or ellipsoid falls, is thrown or is laid on a floor of the ground with an edge: a
box, a plate, a cylinder, a hull, a bounded plane, a mesh or an extrusion.  Restitution 0 to 0.9, friction 0 to 1, ERROR
1e-4 to 1e-9, ends 0.5 to 5 s, all integrators, all three methods.  Explicit methods that follow regularised friction at
rest took 70 % of the CPU time of 20 % of the cases, after the body had come to rest: of these one in 30 keeps its end,
the others end at 0.5 to 0.8 s (the fall takes 0.4 s at most).  The oracle is plain geometry on what the run
returns: while the centre is over the floor (by more than the body's own size inside the edge) no point of its surface
lies deeper than the method allows, and the energy never rises above that at the start by more than the integrator's
error explains; in compliant contact it includes what the law stores at the lowest points, by the shares that they have
of it in closed form.  Where MuJoCo is installed, its distances between the same two shapes are a second, outside
witness.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.analyses.contact.refereeing import PassageError
from holonom.integrators.stepper import IntegrationError

from . import Finding, _witness
from ._solids import FALLING, FLOORS, Solid, falling_solid, floor_solid
from ._stops import kind_of_stop

LIMIT = 60.0
SLICE = 6
METHODS = ("events", "compliant", "events", "compliant", "time-stepping")
INTEGRATORS = ("DOP853", "DOP853", "DOPRI5", "RKF45", "RADAU5", "GSTIFF", "HHT", "ABAM")
DEEP = {
    "events": 5e-3,
    "compliant": 5e-3,
    "time-stepping": 2e-2,
}  # overlap that is not a finding, of the reach of the body
EXPONENT = 1.5  # of the compliant law
LEVEL = 0.15  # tilt of a face or edge below which its points share the law (theory, section 9)
FULL, EARLY = 1 / 30, 0.8  # share of the dear cases that keep their ends, and where the others end at the latest
WITHIN = 0.2  # of the floor: a law made for a plate stores the energy of the fall in that


class Scene:
    """One body over one floor whose upper side is z = 0, half as wide as ``wide``."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([1128, seed])
        self.body = FALLING[rng.integers(len(FALLING))]
        self.floor = FLOORS[rng.integers(len(FLOORS))]
        self.method = METHODS[rng.integers(len(METHODS))]
        self.integrator = INTEGRATORS[rng.integers(len(INTEGRATORS))]
        self.error = 10.0 ** -rng.uniform(
            4, 6 if self.integrator == "HHT" else 9
        )  # a method of second order has no end at 1e-9
        self.end = 10.0 ** rng.uniform(np.log10(0.5), np.log10(5.0))
        self.restitution = float(rng.choice([0.0, rng.uniform(0, 0.9), rng.uniform(0.3, 0.9)]))
        self.mu = None if rng.random() < 0.3 else float(rng.uniform(0, 1))
        explicit = self.integrator not in ("RADAU5", "GSTIFF", "HHT")
        if self.method == "compliant" and explicit and self.mu is not None:
            if np.random.default_rng([1128, seed, 1]).random() > FULL:  # the other draws of a seed stay what they were
                self.end = float(np.interp(np.log10(self.end), np.log10([0.5, 5.0]), [0.5, EARLY]))
        self.wide = rng.uniform(2.0, 6.0)
        d = rng.uniform(0.04, 0.12, 3)
        self.d = d
        self.A = Rotation.random(random_state=int(rng.integers(1 << 31))).as_matrix()
        self.reach = float(np.linalg.norm(d)) + (d[1] if self.body == "capsule" else 0.0)
        height = self.reach * 1.05 + (0.0 if rng.random() < 0.2 else rng.uniform(0, 0.8))
        self.x = np.array([*rng.uniform(-0.3, 0.3, 2), height])
        sideways = rng.choice([0.0, 0.3, 1.0]) * rng.normal(size=2)
        self.v = np.array([*sideways, 0.0 if rng.random() < 0.5 else -rng.uniform(0, 3)])
        self.w = rng.choice([0.0, 1.0, 6.0, 25.0]) * rng.normal(size=3)
        self.I = 0.2 * np.array([d[1] ** 2 + d[2] ** 2, d[0] ** 2 + d[2] ** 2, d[0] ** 2 + d[1] ** 2])
        self.stiffness = 10.0 ** rng.uniform(5, 7)
        self.deep = 0.002 if self.floor == "plate" else 0.1
        #: the law of compliant contact may be softer than the plate is thick, which must not be silent
        self.soft = self.floor == "plate" and rng.random() >= 0.8
        if self.floor == "plate" and not self.soft:
            self.stiffness = (EXPONENT + 1.0) * self.energy() / (WITHIN * self.deep) ** (EXPONENT + 1.0)

    def energy(self) -> float:
        """At the start, kinetic and above the floor; the mass is 1."""
        return 0.5 * float(self.v @ self.v + self.I @ (self.A.T @ self.w) ** 2) + 9.81 * float(self.x[2])

    def solids(self) -> tuple[Solid, Solid]:
        """The body and the floor."""
        return falling_solid(self.body, self.d), floor_solid(self.floor, self.wide, self.deep)

    def model(self) -> hn.Model:
        m = hn.Model("floor")
        m.gravity = (0, 0, -9.81)
        x, A = tuple(self.x), self.A
        b = m.part("body", 1.0, tuple(self.I), x, axes=A, velocity=tuple(self.v), angular_velocity=tuple(A.T @ self.w))
        body, floor = self.solids()
        shapes = body.draw(m, b, x, A), floor.draw(m, m.ground, (0, 0, -0.5 * self.deep), np.eye(3))
        m.contact(
            *shapes,
            restitution=self.restitution,
            mu=self.mu,
            stiffness=self.stiffness,
            exponent=EXPONENT,
            damping=0.03 * self.stiffness**0.5,
            dmax=min(1e-3, 0.1 * self.deep),
        )
        return m

    def allowed(self) -> float:
        """Depth that the method allows, in m."""
        deep = DEEP[self.method] * self.reach
        if self.method == "compliant":  # where one point has stored all the energy there is; shares: `stored`
            least = 1.0 if self.body in ("ball", "ellipsoid") else float(self.shares(np.eye(3)[None]).min())
            deep += ((EXPONENT + 1.0) * self.energy() / (least * self.stiffness)) ** (1.0 / (EXPONENT + 1.0))
        elif self.method == "time-stepping":
            deep += 2.0 * self.options()["step"] * np.sqrt(2.0 * self.energy())
        return deep

    def corners(self) -> np.ndarray:
        """Corners (n, 3) of a box or hull, ends (2, 3) of a capsule's axis, in its axes."""
        solid, _ = self.solids()
        d = np.asarray(solid.data, float)
        if self.body == "capsule":
            return np.array([(0.0, 0.0, -d[1]), (0.0, 0.0, d[1])])
        return d if self.body == "hull" else d * np.array(np.meshgrid(*[(-1, 1)] * 3)).T.reshape(-1, 3)

    def shares(self, axes: np.ndarray) -> np.ndarray:
        """The least shares (n, points) of the law that the corners of a box or hull, the ends of a capsule, or the
        lowest point of a cylinder have with axes (n, 3, 3).  On a plane they are constant.  On solids one point has the
        whole law where no edge, face, side or rim is within `LEVEL` of level."""
        up = np.abs(axes[:, 2, :])  # vertical parts of the axes of the body
        n = len(axes)
        if self.body == "cylinder":
            lying, standing = up[:, 2] < LEVEL, np.hypot(up[:, 0], up[:, 1]) < LEVEL
            on_solid = np.where(standing, 0.125, np.where(lying, 0.5, 1.0))[:, None]
            return np.full((n, 1), 0.25) if self.floor == "bounded plane" else on_solid
        turn = {"box": np.full(8, 0.25), "capsule": np.full(2, 0.5)}.get(self.body)
        if turn is not None and self.floor != "bounded plane":
            level = (up if self.body == "box" else up[:, 2:]) < LEVEL
            return np.repeat((0.5 ** np.minimum(level.sum(axis=1), 2))[:, None], len(turn), axis=1)
        if turn is None:
            mean, least = turns(self.corners())
            turn = mean if self.floor == "bounded plane" else least
        return np.tile(turn, (n, 1))

    def stored(self, p: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """Energy (n,) that the law has stored at the least, at positions (n, 3) and axes (n, 3, 3): of its points, or
        of the deepest one alone on solids; `DEEP` of the reach does not count."""
        if self.body in ("ball", "ellipsoid", "cylinder"):
            heights = lowest(self.solids()[0], p, axes)[:, None]
        else:
            heights = p[:, 2, None] + axes[:, 2, :] @ self.corners().T
            if self.body == "capsule":
                heights = heights - self.solids()[0].data[0]
        deep = np.maximum(-heights - DEEP["compliant"] * self.reach, 0.0)
        shares = np.ones_like(deep) if self.body in ("ball", "ellipsoid") else self.shares(axes)
        energy = shares * self.stiffness * deep ** (EXPONENT + 1.0) / (EXPONENT + 1.0)
        return energy.sum(axis=1) if self.floor == "bounded plane" else energy.max(axis=1)

    def options(self) -> dict:
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": 10.0 ** np.interp(np.log10(self.error), [-9, -4], [-3.3, -2.3])}
        options = {"integrator": self.integrator, "error": self.error}
        return options | ({"contact": "events"} if self.method == "events" else {})

    def over(self, p: np.ndarray) -> int:
        """How many rows of positions (n, 3) come before the body leaves the floor over its edge."""
        out = np.hypot(p[:, 0], p[:, 1]) if self.floor == "cylinder" else np.abs(p[:, :2]).max(axis=1)
        over = out < self.wide - 1.2 * self.reach
        return len(over) if over.all() else int(np.argmin(over))


def lowest(solid: Solid, p: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Height (n,) of the lowest point of a convex body at positions (n, 3) and axes (n, 3, 3)."""
    down = -axes[:, 2, :]  # of the ground in the axes of the body
    d = solid.data
    if solid.kind == "SPHERE":
        return p[:, 2] - d[0]
    if solid.kind == "ELLIPSOID":
        return p[:, 2] - np.linalg.norm(down * np.asarray(d), axis=1)
    if solid.kind in ("CAPSULE", "CYLINDER"):
        r = d[0] if solid.kind == "CAPSULE" else d[0] * np.hypot(down[:, 0], down[:, 1])
        return p[:, 2] - d[1] * np.abs(down[:, 2]) - r
    corners = (
        np.asarray(d, float)
        if solid.kind == "HULL"
        else np.abs(np.asarray(d)) * np.array(np.meshgrid(*[(-1, 1)] * 3)).T.reshape(-1, 3)
    )
    return p[:, 2] - (down @ corners.T).max(axis=1)


def turns(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part of a full turn that the faces of a hull turn at each of its corners: mean over its faces, and least."""
    hull = ConvexHull(points)
    faces: dict[tuple, set] = {}
    for corners, plane in zip(hull.simplices, hull.equations):
        faces.setdefault(tuple(np.round(plane, 6)), set()).update(int(i) for i in corners)
    found: list[list[float]] = [[] for _ in points]
    for plane, numbers in faces.items():
        face = np.array(sorted(numbers))
        n = np.array(plane[:3])
        x = points[face] - points[face].mean(axis=0)
        u = x[0] / np.linalg.norm(x[0])
        face = face[np.argsort(np.arctan2(x @ np.cross(n, u), x @ u))]
        side = np.roll(points[face], -1, axis=0) - points[face]
        side /= np.linalg.norm(side, axis=1)[:, None]
        for i, angle in zip(face, np.arccos(np.clip((side * np.roll(side, 1, axis=0)).sum(axis=1), -1.0, 1.0))):
            found[i].append(angle / (2.0 * np.pi))
    return np.array([np.mean(a) for a in found]), np.array([min(a) for a in found])


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.body} on {s.floor}, {s.method} {s.options()}"
    try:
        run = hn.simulate(s.model(), s.end, max(40, int(60 * s.end)), **s.options())
    except PassageError as error:
        if s.soft and s.method == "compliant":
            return "law softer than the plate, reported"
        raise Finding(f"{what}: {' '.join(str(error).split())}") from None
    except IntegrationError as error:
        return kind_of_stop(error)
    except hn.ModelError as error:
        if "cannot" in str(error) or "no contact" in str(error):
            return "refused"
        raise
    part = run.part("body")
    p, axes = part.position.values, part.axes.values
    last = s.over(p)  # once it has left the edge it may fall
    body, floor = s.solids()
    low = lowest(body, p[:last], axes[:last])
    allowed = s.allowed()
    if last and low.min() < -allowed:
        k = int(np.argmin(low))
        raise Finding(
            f"{what}: it is {-low[k]:.4g} m in the floor at time {run.time[k]:.4g}, {allowed:.4g} allowed; "
            f"{list(run.info['messages'])[2:4]}"
        )
    word = s.method
    if last and not _witness.missing() and s.floor != "plate":  # through a plate the way out is the other side
        flat = floor_solid("cylinder" if s.floor == "cylinder" else "box", s.wide, s.deep)
        gaps = _witness.Witness(body, flat, (0, 0, -0.5 * s.deep)).gaps(p[:last], run.data.body_quaternion[:last, 0])
        if gaps.min() < -allowed:
            k = int(np.argmin(gaps))
            raise Finding(
                f"{what}: MuJoCo finds it {-gaps[k]:.4g} m in the floor at time {run.time[k]:.4g}, {allowed:.4g} "
                "allowed"
            )
        far = np.abs(gaps - low).max()
        if far > 1e-3 * s.reach and gaps.min() > 0.0:
            raise Finding(
                f"{what}: MuJoCo's distance from the floor differs by {far:.3g} m from the height of the lowest point"
            )
        word += ", witnessed"
    v = part.velocity.values
    most = 0.5 * (v**2).sum(axis=1) + 9.81 * p[:, 2]
    if s.method == "compliant":
        w = np.einsum("nji,nj->ni", axes, part.angular_velocity.values)  # in the axes of the body
        most += 0.5 * (w**2) @ s.I + s.stored(p, axes)
    if float(most[:last].max(initial=0.0)) > s.energy() * (1.0 + 1e-3 + 100.0 * s.error) + 1e-6:
        raise Finding(f"{what}: energy rises from {s.energy():.6g} to {most.max():.6g}")
    return word

"""Short runs of small machines in which nothing may pass: the strict referee must be silent.

A body of any type of shape flies, falls, swings on a hinge, is pushed by a driven slide or pulled by a spring into
another one, which is fixed, free or turns on a hinge (only free ones are pushed); a third of the scenes have a third
body.  All three treatments of
contact and all integrators take part.  Runs are short (a few impacts, 0.1 to 0.3 s of CPU), so that many are tried.
The oracle of silence is geometry on the rows: balls about inner points of each solid, found by distances in closed
form, reach no deeper beyond the surface of another than the method allows.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._solids import SOLID_TYPES, Solid, random_solid
from ._stops import kind_of_stop

LIMIT = 20.0
SLICE = 12
METHODS = ("events", "compliant", "time-stepping")
INTEGRATORS = ("DOP853", "DOP853", "DOPRI5", "RKF45", "RADAU5", "GSTIFF", "HHT", "ABAM")
DRIVES = ("flies", "falls", "swings", "is pushed", "is pulled")
HELD = ("fixed", "free", "hinged")
DEEP = {"events": 5e-3, "compliant": 1e-2, "time-stepping": 2e-2}  # of the size of the smaller body
LAW = 0.02  # of the smaller body: depth at which compliant contacts store the energy of the scene
EXPONENT = 1.5
SHARED = 4.0  # points that the law may be shared by
G = 9.81
ROWS, CORES, TRIES = 24, 16, 600
STEPS = 400  # of time-stepping, in a run


def unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def inner_points(solid: Solid, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Up to `CORES` points inside a solid (n, 3), the deepest among them, and their depths."""
    p = solid.radius * rng.uniform(-1, 1, (TRIES, 3))
    depth = -solid.distance(p)
    deepest = depth.max()
    if not deepest > 0.0:
        return np.zeros((0, 3)), np.zeros(0)
    good = np.flatnonzero(depth > 0.3 * deepest)
    take = good[np.argsort(-depth[good])[:: max(1, len(good) // CORES)]][:CORES]
    return p[take], depth[take]


class Scene:
    """Two or three bodies of a seed; sizes in metres, masses about 1 kg."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([1430, seed])
        self.method = METHODS[rng.integers(len(METHODS))]
        self.integrator = INTEGRATORS[rng.integers(len(INTEGRATORS))]
        self.error = 10.0 ** -rng.uniform(4, 5.5 if self.integrator == "HHT" else 7)
        self.drive = DRIVES[rng.integers(len(DRIVES))]
        self.held = HELD[rng.integers(len(HELD))]
        self.restitution = float(rng.choice([0.0, 0.3, 0.6, 0.9]))
        self.mu = None if rng.random() < 0.6 else float(rng.uniform(0, 0.6))
        self.size = 10.0 ** rng.uniform(-2, 0)
        n = 2 if rng.random() < 0.67 else 3
        self.solids = [random_solid(rng, str(rng.choice(SOLID_TYPES))) for _ in range(n)]
        self.scale = self.size * rng.uniform(0.5, 1.0, n)
        self.turn = [Rotation.random(random_state=int(rng.integers(1 << 31))).as_matrix() for _ in range(n)]
        self.radius = np.array([s * x.radius for s, x in zip(self.scale, self.solids)])
        self.cores = []
        for s, solid in zip(self.scale, self.solids):
            p, depth = inner_points(solid, rng)
            self.cores.append((s * p, s * depth))
        self.least = max(min(float(d.max(initial=0.0)) for _, d in self.cores), 0.02 * float(self.radius.min()))
        apart = 1.02 * (self.radius[0] + self.radius[1])
        self.speed = np.sqrt(G * self.size) * 10.0 ** rng.uniform(-0.3, 0.7)
        way = np.array([0.0, 0.0, -1.0]) if self.drive == "falls" else unit(rng)
        across = np.cross(way, unit(rng))
        aside = rng.uniform(0, 0.5) * min(self.radius[:2]) * across / np.linalg.norm(across)
        self.way = way
        self.at = [-apart * way + aside, np.zeros(3)]
        self.v = [self.speed * way, np.zeros(3)]
        self.w = [k * self.speed / self.size * unit(rng) for k in rng.choice([0.0, 1.0, 4.0], n)]
        if n == 3:  # it comes from the other side
            self.at.append(1.02 * (self.radius[1] + self.radius[2]) * way + 0.2 * aside)
            self.v.append(-0.5 * self.speed * way)
        self.mass = 10.0 ** rng.uniform(-0.5, 0.5, n)
        self.inertia = [0.3 * m * r**2 * rng.uniform(0.8, 1.2, 3) for m, r in zip(self.mass, self.radius)]
        self.gravity = G if self.drive == "falls" or rng.random() < 0.3 else 0.0
        self.end = float(rng.uniform(1.5, 3.0) * (apart - 0.6 * sum(self.radius[:2])) / self.speed)
        self.end = max(self.end, 0.4 * apart / self.speed)
        self.axis = across / np.linalg.norm(across)

    def energy(self) -> float:
        """What can go into a contact: that of motion twice over, that of gravity over the sizes."""
        moving = sum(m * (v @ v) + float(i @ (w * w)) for m, i, v, w in zip(self.mass, self.inertia, self.v, self.w))
        return float(moving + 2.0 * self.mass.sum() * self.gravity * self.radius.sum() + self.mass[0] * self.speed**2)

    def start(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and angular velocity of a body at the start, in ground."""
        rest = np.zeros(3)
        if k != 0:
            return self.v[k], rest if k == 1 else self.w[k]
        if self.drive in ("is pushed", "is pulled"):
            return rest, rest
        if self.drive == "swings":
            w = self.axis * self.speed / (3.0 * self.radius[0])
            return np.cross(w, self.at[0] - self.pin()), w
        return self.v[0], self.w[0]

    def model(self) -> hn.Model:
        m = hn.Model("sound")
        m.gravity = (0, 0, -self.gravity)
        shapes, parts = [], []
        for k in range(len(self.solids)):
            x, A = self.at[k], self.turn[k]
            part = m.ground
            if k != 1 or self.held != "fixed":
                v, w = self.start(k)
                part = m.part(
                    f"body{k}",
                    self.mass[k],
                    tuple(self.inertia[k]),
                    tuple(x),
                    axes=A,
                    velocity=tuple(v),
                    angular_velocity=tuple(A.T @ w),
                )
            parts.append(part)
            shapes.append(self.scaled(k).draw(m, part, x, A))
        if self.held == "hinged":
            m.revolute(parts[1], m.ground, "pin", at=(0, 0, 0), axis=tuple(self.axis))
        if self.drive == "swings":
            m.revolute(parts[0], m.ground, "hinge", at=tuple(self.pin()), axis=tuple(self.axis))
        elif self.drive in ("is pushed", "is pulled"):
            slide = m.translational(parts[0], m.ground, "slide", at=tuple(self.at[0]), axis=tuple(self.way))
            travel = self.speed * self.end
            if self.drive == "is pushed" and self.held == "free":
                omega = np.pi / self.end
                m.motion(slide, f"{0.25 * travel:.9g}*(1-COS({omega:.9g}*TIME))")
            else:  # what is held cannot make way for a motion
                k = self.mass[0] * (2.0 * np.pi / self.end) ** 2 / 4.0
                m.spring_damper(
                    m.marker(parts[0], at=tuple(self.at[0])),
                    m.marker(m.ground, at=tuple(self.at[0] + 2.0 * travel * self.way)),
                    stiffness=k,
                    length=travel,
                )
        k = (EXPONENT + 1.0) * (self.energy() + self.drawn()) / (LAW * self.least) ** (EXPONENT + 1.0)
        law = dict(stiffness=k, exponent=EXPONENT, damping=0.02 * np.sqrt(k), dmax=0.1 * LAW * self.least)
        for i in range(len(shapes)):
            for j in range(i + 1, len(shapes)):
                m.contact(
                    shapes[i],
                    shapes[j],
                    restitution=self.restitution,
                    mu=self.mu,
                    joined=True,
                    **(law if self.method == "compliant" else {}),
                )
        return m

    def drawn(self) -> float:
        """Energy of the spring that pulls."""
        if self.drive not in ("is pushed", "is pulled"):
            return 0.0
        travel = self.speed * self.end
        return float(0.5 * self.mass[0] * (2.0 * np.pi / self.end) ** 2 / 4.0 * travel**2)

    def pin(self) -> np.ndarray:
        """Of the hinge on which the first body swings: its way there is tangent."""
        return self.at[0] - 3.0 * self.radius[0] * np.cross(self.way, self.axis)

    def scaled(self, k: int) -> Solid:
        """The solid of a body at its size."""
        s, solid = self.scale[k], self.solids[k]
        d, kind = solid.data, solid.kind
        if kind == "MESH":
            d = (np.asarray(d[0]) * s, d[1])
        elif kind == "EXTRUSION":
            d = (np.asarray(d[0]) * s, d[1] * s)
        elif kind in ("HULL", "REVOLUTION"):
            d = np.asarray(d) * s
        else:
            d = tuple(s * x for x in d)
        return Solid(kind, d, s * solid.radius)

    def options(self) -> dict:
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": self.end / STEPS}
        options = {"error": self.error}
        if self.method == "events":
            return options | {"contact": "events"}
        return options | {"integrator": self.integrator}

    def what(self) -> str:
        return f"{'-'.join(s.kind for s in self.solids)} {self.drive}, {self.held}, {self.method} {self.options()}"

    def deepest(self, run: hn.Run) -> tuple[float, str]:
        """How far balls about inner points reach beyond the surface of another body at a row, and where."""
        n = len(run.time)
        X, A, moving = [], [], 0
        for k in range(len(self.solids)):
            if k == 1 and self.held == "fixed":
                X.append(np.tile(self.at[k], (n, 1)))
                A.append(np.tile(self.turn[k], (n, 1, 1)))
                continue
            q = run.data.body_quaternion[:, moving]
            X.append(run.data.body_position[:, moving])
            A.append(Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_matrix())
            moving += 1
        worst = 0.0, ""
        for a in range(len(self.solids)):
            p, depth = self.cores[a]
            for b in range(len(self.solids)):
                if a == b:
                    continue
                ground = X[a][:, None] + np.einsum("nij,kj->nki", A[a], p)
                local = np.einsum("nji,nkj->nki", A[b], ground - X[b][:, None]).reshape(-1, 3)
                deep = np.tile(depth, n)
                near = np.linalg.norm(local, axis=1) < self.radius[b]
                if not near.any():
                    continue
                gap = self.scale[b] * self.solids[b].distance(local[near] / self.scale[b])
                over = np.where(gap < 0.0, deep[near] - gap, 0.0)
                k = int(over.argmax())
                if over[k] > worst[0]:
                    row = int(np.flatnonzero(near)[k]) // len(depth)
                    worst = float(over[k]), f"body{a} is {over[k]:.4g} m inside body{b} at {run.time[row]:.5g}"
        return worst

    def allowed(self) -> float:
        """Overlap that the method allows, in m."""
        deep = DEEP[self.method] * float(self.radius.min())
        if self.method == "compliant":
            deep += LAW * self.least * SHARED ** (1.0 / (EXPONENT + 1.0))
        elif self.method == "time-stepping":
            deep += 4.0 * self.speed * self.end / STEPS
        return deep


def attempt(seed: int) -> str:
    s = Scene(seed)
    try:
        run = hn.simulate(s.model(), s.end, ROWS, referee="strict", **s.options())
    except IntegrationError as error:
        text = " ".join(str(error).split())
        if "passed through" in text or "overlap" in text or "crossed" in text:
            raise Finding(f"{s.what()}: {text}") from None
        return kind_of_stop(error)
    except hn.ModelError as error:
        if "cannot" in str(error) or "no contact" in str(error):
            return "refused"
        raise
    worst, where = s.deepest(run)
    if worst > s.allowed():
        raise Finding(f"{s.what()}: {where}, {s.allowed():.4g} allowed, and the referee is silent")
    touched = bool((run.data.contact_points > 0).any()) or int(run.counters.get("onsets", 0)) > 0
    return f"{s.method}, {'touched' if touched or run.counters.get('impacts', 0) else 'silent, no touch seen'}"

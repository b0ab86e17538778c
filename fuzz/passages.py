"""Bodies that move while they are struck, and that are closed in: what no other generator has.

- ``tube``: two to five bodies, thrown at random, in a closed box of six plates of ground, which they must not leave;
- ``propeller``: two bodies fly along the axis of a wheel of one to four blades that a motion turns;
- ``conveyor``: a body falls on a plate that a motion moves up and down or to and fro, fast;
- ``behind``: two bodies that fly the same way at up to 300 m/s, the one behind faster by 0.1 to 20 m/s;
- ``switched``: a body falls on a plate whose contact a SWITCH turns on while it is above it, and off and on again
  before it comes back;
- ``long fall``: a body falls from up to 2 km on a plate of 1 cm.

All three methods.  The oracle is plain geometry on what the run returns: bodies stay on their side of plates, and
neither deeper than the method allows in plates and blades nor, where they fly along, past each other; in a frame that
flies along, ``behind`` must show the same motion.  The strict referee watches the run.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._solids import Solid, falling_solid
from ._stops import kind_of_stop

LIMIT = 60.0
SLICE = 2
SCENES = ("tube", "propeller", "conveyor", "behind", "switched", "long fall")
METHODS = ("events", "compliant", "time-stepping")
BODIES = ("ball", "box", "capsule", "cylinder", "ellipsoid")
G = 9.81
DEEP = {"events": 5e-3, "compliant": 5e-3, "time-stepping": 2e-2}  # of the reach of the body
LAW = 0.02  # of the reach: depth in which compliant contacts store the energy of the scene
ROWS = 60
POINTS = 1200  # of the surface of a body
ALIKE = 1e-4  # of the size: difference of the motions that two observers see


class Scene:
    def __init__(self, seed: int):
        self.rng = rng = np.random.default_rng([2911, seed])
        self.kind = SCENES[rng.integers(len(SCENES))]
        self.method = METHODS[rng.integers(len(METHODS))]
        self.mu = None if rng.random() < 0.4 else float(rng.uniform(0, 0.8))
        self.restitution = float(rng.choice([0.0, 0.3, 0.8]))
        self.error = 10.0 ** -rng.uniform(5, 8)
        self.gravity = (0.0, 0.0, -G)
        self.bodies: list[tuple[Solid, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self.plates: list[tuple[np.ndarray, np.ndarray]] = []  # middles and half sides of boxes of ground or `floor`
        self.end, self.speed, self.drift = 0.5, 1.0, np.zeros(3)
        getattr(self, "_" + self.kind.replace(" ", "_"))(rng)

    # ---- scenes -----------------------------------------------------------------------------------------------------
    def body(self, at, v, w, size: float = 0.05) -> None:
        rng = self.rng
        solid = falling_solid(BODIES[rng.integers(len(BODIES))], size * rng.uniform(0.4, 1.0, 3))
        A = Rotation.random(random_state=int(rng.integers(1 << 31))).as_matrix()
        self.bodies.append((solid, np.asarray(at, float), A, np.asarray(v, float), np.asarray(w, float)))

    def _tube(self, rng) -> None:
        n = int(rng.integers(2, 6))
        half = np.array([0.12 * n, 0.13, 0.13])
        t = 10.0 ** rng.uniform(-3, -1.7)
        for axis in range(3):
            for side in (-1.0, 1.0):
                h = half + t
                h[axis] = 0.5 * t
                at = np.zeros(3)
                at[axis] = side * (half[axis] + 0.5 * t)
                self.plates.append((at, h))
        self.half, self.speed = half, 10.0 ** rng.uniform(-0.5, 1.0)
        for k in range(n):
            v = self.speed * rng.normal(size=3) * (1.0, 0.3, 0.3)
            self.body((half[0] * ((2 * k + 1) / n - 1), 0, 0), v, rng.choice([0.0, 5.0]) * rng.normal(size=3), 0.06)
        self.end = min(0.4, 1.5 / self.speed)

    def _propeller(self, rng) -> None:
        self.blades = int(rng.integers(1, 5))
        self.turns = float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(0.5, 2.0))
        self.blade = np.array([0.2, 0.03, 10.0 ** rng.uniform(-3, -2)])  # half sides
        self.gravity = (0.0, 0.0, 0.0)
        self.speed = 10.0 ** rng.uniform(0, 1.3)
        for k in range(2):
            a = rng.uniform(0, 2 * np.pi)
            r = rng.uniform(0.12, 0.35)
            self.body((r * np.cos(a), r * np.sin(a), 0.15 + 0.15 * k), (0, 0, -self.speed), rng.normal(size=3), 0.04)
        self.end = 0.5 / self.speed

    def _conveyor(self, rng) -> None:
        self.way = "z" if rng.random() < 0.5 else "x"
        self.frequency = 10.0 ** rng.uniform(0, 1.5)
        self.amplitude = float(rng.uniform(0.2, 2.0)) * 0.3 / self.frequency
        self.plates.append((np.array([0, 0, -0.01]), np.array([3.0, 3.0, 0.01])))
        self.body((0, 0, 0.15 + 2.0 * self.amplitude), (0, 0, -rng.uniform(0, 3)), 3.0 * rng.normal(size=3))
        self.speed = 2 * np.pi * self.frequency * self.amplitude + 4.0
        self.end = 0.6

    def _behind(self, rng) -> None:
        self.gravity = (0.0, 0.0, 0.0)
        self.drift = 10.0 ** rng.uniform(0, 2.5) * np.array([1.0, 0, 0])
        gap = 10.0 ** rng.uniform(-1, 1)
        self.speed = gap
        off = 0.02 * rng.normal(size=2)
        self.body((0, 0, 0), (0, 0, 0), 2.0 * rng.normal(size=3))
        self.body((-0.2, *off), (gap, 0, 0), 2.0 * rng.normal(size=3))
        self.end = 0.5 / gap

    def _switched(self, rng) -> None:
        self.plates.append((np.array([0, 0, -0.005]), np.array([2.0, 2.0, 0.005])))
        v = float(rng.uniform(1.0, 5.0))
        self.body((0, 0, 0.3), (0, 0, -v), 4.0 * rng.normal(size=3))
        self.on = 0.5 * 0.15 / (v + 1.0)  # it is above the plate then
        self.end, self.speed = 0.5, v + 3.0
        self.restitution = 0.8

    def _long_fall(self, rng) -> None:
        height = 10.0 ** rng.uniform(1, 3.3)
        self.plates.append((np.array([0, 0, -0.005]), np.array([2.0, 2.0, 0.005])))
        self.body((0, 0, height), (0, 0, 0), np.zeros(3))
        self.speed = np.sqrt(2 * G * height)
        self.end = 1.05 * self.speed / G

    # ---- model ------------------------------------------------------------------------------------------------------
    def model(self, drift: np.ndarray | None = None) -> hn.Model:
        """The scene, flying along with ``drift``."""
        m = hn.Model(self.kind)
        m.gravity = self.gravity
        shapes, others = [], []
        for k, (solid, x, A, v, w) in enumerate(self.bodies):
            I = 0.3 * solid.radius**2 * np.array([1.0, 1.1, 0.9])
            fast = v if drift is None else v + drift
            p = m.part(f"b{k}", 1.0, tuple(I), tuple(x), axes=A, velocity=tuple(fast), angular_velocity=tuple(A.T @ w))
            shapes.append(solid.draw(m, p, x, A))
        owner = m.ground
        if self.kind == "conveyor":
            owner = m.part("floor", 10.0, (1.0, 1.0, 1.0), (0, 0, -0.01))
            axis = (0, 0, 1) if self.way == "z" else (1, 0, 0)
            rail = m.translational(owner, m.ground, "rail", at=(0, 0, -0.01), axis=axis)
            m.motion(rail, f"{self.amplitude:.12g}*SIN({2 * np.pi * self.frequency:.12g}*TIME)")
        elif self.kind == "propeller":
            owner = m.part("wheel", 5.0, (0.1, 0.1, 0.2), (0, 0, 0))
            m.motion(m.revolute(owner, m.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1)), f"{self.turns:.12g}*TIME")
            for k in range(self.blades):
                a = 2 * np.pi * k / self.blades
                at, x = 0.25 * np.array([np.cos(a), np.sin(a), 0]), (np.cos(a), np.sin(a), 0)
                others.append(m.box(owner, at, 2.0 * self.blade, x=x, z=(0, 0, 1)))
        others += [m.box(owner, at, 2.0 * half) for at, half in self.plates]
        law = {
            "mu": self.mu,
            "restitution": self.restitution,
            "stiffness": self.stiffness(),
            "exponent": 1.5,
            "damping": 0.0,
            "dmax": 1e-4,
        }
        contacts = []
        if others:
            contacts.append(m.contact(shapes, others, **law))
        if len(shapes) > 1:
            contacts.append(m.contact(shapes, shapes, **law))
        if self.kind == "switched":
            m.switch({"off": (), "on": tuple(contacts)}, [("off", "on", self.on)], name="trap")
        return m

    def energy(self) -> float:
        """Of all bodies in the frame of the scene, with that of driven parts per unit of mass."""
        high = max(x[2] for _, x, *_ in self.bodies) if self.kind != "tube" else 0.3
        most = max(float(v @ v) + float(w @ w) * s.radius**2 for s, _, _, v, w in self.bodies)
        return len(self.bodies) * (0.5 * max(most, self.speed**2) + G * high)

    def stiffness(self) -> float:
        """Stores the energy of the scene in `LAW` of the smallest body, or a fifth of the thinnest plate."""
        thin = [2.0 * h.min() for _, h in self.plates] + ([2.0 * self.blade.min()] if self.kind == "propeller" else [])
        deep = min([LAW * min(s.radius for s, *_ in self.bodies), *(0.2 * t for t in thin)])
        energy = self.energy()
        if self.kind == "propeller":  # a blade that hits at the speed of its end
            energy += (0.45 * self.turns) ** 2
        return 2.5 * energy / deep**2.5

    def options(self) -> dict:
        if self.method == "time-stepping":
            step = max(min(1e-3, 5e-3 / self.speed), self.end / 4000.0)  # long falls take no more steps than that
            return {"contact": "time-stepping", "step": float(step)}
        return {"error": self.error} | ({"contact": "events"} if self.method == "events" else {})

    def allowed(self, solid: Solid) -> float:
        deep = DEEP[self.method] * solid.radius
        if self.method == "time-stepping":
            return deep + 3.0 * self.options()["step"] * self.speed
        return deep + (1.5 * LAW * solid.radius if self.method == "compliant" else 0.0)


def poses(run, name: str):
    part = run.part(name)
    return part.position.values, part.axes.values


def check_plates(s: Scene, run, what: str) -> None:
    """Points of bodies in plates, and bodies on the other side of the plate below them."""
    floor = None if s.kind != "conveyor" else run.part("floor").position.values - (0, 0, -0.01)
    for k, (solid, *_) in enumerate(s.bodies):
        x, A = poses(run, f"b{k}")
        skin, allowed = solid.surface(POINTS), s.allowed(solid)
        for i, t in enumerate(run.time):
            p = x[i] + skin @ A[i].T - (0.0 if floor is None else floor[i])
            for at, half in s.plates:
                q = np.abs(p - at) - half
                deep = -float(q.max(axis=1).min())
                if deep > allowed:
                    raise Finding(
                        f"{what}: body {k} is {deep:.3g} m deep in a plate at time {t:.6g}, {allowed:.3g} allowed"
                    )
            if s.kind == "tube" and (np.abs(x[i]) > s.half).any():
                raise Finding(f"{what}: body {k} has left the closed tube at time {t:.6g}: {x[i]}")
            if s.kind != "tube" and s.plates and np.abs(x[i][:2]).max() < 1.5:
                height = x[i][2] - (0.0 if floor is None else floor[i][2])
                if height < -allowed:
                    raise Finding(f"{what}: body {k} is {-height:.3g} m below the plate at time {t:.6g}")


def check_blades(s: Scene, run, what: str) -> None:
    for k, (solid, *_) in enumerate(s.bodies):
        x, A = poses(run, f"b{k}")
        skin, allowed = solid.surface(POINTS), s.allowed(solid)
        if s.method == "time-stepping":
            allowed += 3.0 * s.options()["step"] * 0.45 * abs(s.turns)
        for i, t in enumerate(run.time):
            p = x[i] + skin @ A[i].T
            for b in range(s.blades):
                a = 2 * np.pi * b / s.blades + s.turns * t
                turn = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
                q = np.abs(p @ turn.T - (0.25, 0, 0)) - s.blade
                deep = -float(q.max(axis=1).min())
                if deep > allowed:
                    raise Finding(
                        f"{what}: body {k} is {deep:.3g} m deep in a blade at time {t:.6g}, {allowed:.3g} allowed"
                    )


def check_behind(s: Scene, run, what: str) -> None:
    """The one behind stays behind, unless it slides past on the side; a frame that flies along sees the same."""
    (a, *_), (b, *_) = s.bodies
    one, other = (poses(run, name) for name in ("b0", "b1"))
    skin, allowed = b.surface(POINTS), s.allowed(a)
    for i, t in enumerate(run.time):
        q = (other[0][i] + skin @ other[1][i].T - one[0][i]) @ one[1][i]
        near = np.linalg.norm(q, axis=1) < a.radius
        deep = -float(a.distance(q[near]).min()) if near.any() else 0.0
        if deep > allowed:
            raise Finding(f"{what}: they are {deep:.3g} m in each other at time {t:.6g}, {allowed:.3g} allowed")
    still = hn.simulate(s.model(), s.end, ROWS, referee="strict", **s.options())
    if s.method != "time-stepping" and s.error < 1e-6:
        for name in ("b0", "b1"):
            moved = poses(run, name)[0] - s.drift * run.time[:, None]
            # what an impact turns grows with time: the first half of the run
            off = float(np.abs(moved - poses(still, name)[0])[: ROWS // 2].max())
            if off > ALIKE * (1.0 + 1e3 * s.error * float(s.drift[0]) * s.end):
                raise Finding(
                    f"{what}: an observer who flies along at {s.drift[0]:.3g} m/s sees {name} {off:.3g} m off"
                )


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.kind}, {s.method} {s.options()}, {s.speed:.3g} m/s"
    drift = s.drift if s.kind == "behind" else None
    try:
        run = hn.simulate(s.model(drift), s.end, ROWS, referee="strict", **s.options())
        if s.kind == "propeller":
            check_blades(s, run, what)
        elif s.kind == "behind":
            check_behind(s, run, what)
        else:
            check_plates(s, run, what)
    except IntegrationError as error:
        text = " ".join(str(error).split())
        if "passed through" in text or "overlap" in text or "inside each other" in text:
            raise Finding(f"{what}: {text}") from None
        return kind_of_stop(error)
    return f"{s.kind}, {s.method}"

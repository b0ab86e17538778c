"""Bounded floors under everything that bounces, tumbles, rolls and slides: nothing may come out below.

A ball, box, capsule, cylinder, hull or ellipsoid falls, is thrown or is laid on a floor of the ground with an edge: a box, a plate, a cylinder, a hull, a bounded
plane, a mesh or an extrusion.  Restitution 0 to 0.9, friction 0 to 1, ERROR 1e-4 to 1e-9, ends 0.5 to 5 s, all integrators, all three methods.  The oracle is plain
geometry on what the run returns: while the centre is over the floor (by more than the body's own size inside the edge) it lies above its upper side, and the energy
never rises above that at the start by more than the integrator's error explains.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding

LIMIT = 60.0
SLICE = 6
BODIES = ("ball", "box", "capsule", "cylinder", "hull", "ellipsoid")
FLOORS = ("box", "plate", "cylinder", "hull", "bounded plane", "mesh", "extrusion")
METHODS = ("events", "compliant", "events", "compliant", "time-stepping")
INTEGRATORS = ("DOP853", "DOP853", "DOPRI5", "RKF45", "RADAU5", "GSTIFF", "HHT", "ABAM")
STOPS = ("contact = time-stepping", "try a smaller", "fails", "step")  # words of a run that ends with a sentence: not silent


class Scene:
    """One body over one floor whose upper side is z = 0, half as wide as ``wide``."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([1128, seed])
        self.body = BODIES[rng.integers(len(BODIES))]
        self.floor = FLOORS[rng.integers(len(FLOORS))]
        self.method = METHODS[rng.integers(len(METHODS))]
        self.integrator = INTEGRATORS[rng.integers(len(INTEGRATORS))]
        self.error = 10.0 ** -rng.uniform(4, 9)
        self.end = 10.0 ** rng.uniform(np.log10(0.5), np.log10(5.0))
        self.restitution = float(rng.choice([0.0, rng.uniform(0, 0.9), rng.uniform(0.3, 0.9)]))
        self.mu = None if rng.random() < 0.3 else float(rng.uniform(0, 1))
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

    def model(self) -> hn.Model:
        m = hn.Model("floor")
        m.gravity = (0, 0, -9.81)
        b = m.part(
            "body", 1.0, tuple(self.I), tuple(self.x), axes=self.A, velocity=tuple(self.v), angular_velocity=tuple(self.A.T @ self.w)
        )
        x, A, d = self.x, self.A, self.d
        if self.body == "ball":
            shape = m.sphere(b, tuple(x), self.reach)
        elif self.body == "box":
            shape = m.box(b, tuple(x), tuple(2 * d), x=A[:, 0], z=A[:, 2])
        elif self.body == "capsule":
            shape = m.capsule(b, tuple(x - d[0] * A[:, 2]), tuple(x + d[0] * A[:, 2]), d[1])
        elif self.body == "cylinder":
            shape = m.cylinder(b, tuple(x - d[0] * A[:, 2]), tuple(x + d[0] * A[:, 2]), d[1])
        elif self.body == "ellipsoid":
            shape = m.ellipsoid(b, tuple(x), tuple(d), x=A[:, 0], z=A[:, 2])
        else:
            corners = (
                np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0.5, 0.5, 0.5), (-0.5, 0.4, -0.6)]) * d
            )
            shape = m.hull(b, corners @ A.T + x)
        m.contact(shape, self._under(m), restitution=self.restitution, mu=self.mu, stiffness=self.stiffness, exponent=1.5,
                  damping=0.03 * self.stiffness**0.5, dmax=1e-3)  # fmt: skip
        return m

    def _under(self, m: hn.Model):
        g, w = m.ground, self.wide
        deep = 0.002 if self.floor == "plate" else 0.1
        if self.floor in ("box", "plate"):
            return m.box(g, (0, 0, -0.5 * deep), (2 * w, 2 * w, deep))
        if self.floor == "cylinder":
            return m.cylinder(g, (0, 0, -deep), (0, 0, 0), w)
        if self.floor == "bounded plane":
            return m.plane(g, (0, 0, 0), (0, 0, 1), size=(2 * w, 2 * w))
        if self.floor == "extrusion":
            return m.extrusion(g, [(-w, -w), (w, -w), (w, w), (-w, w)], deep, at=(0, 0, -deep), axis=(0, 0, 1))
        corners = [(x, y, z) for x in (-w, w) for y in (-w, w) for z in (-deep, 0.0)]
        if self.floor == "hull":
            return m.hull(g, corners)
        sides = [
            (0, 2, 6),
            (0, 6, 4),
            (1, 5, 7),
            (1, 7, 3),
            (0, 1, 3),
            (0, 3, 2),
            (4, 6, 7),
            (4, 7, 5),
            (0, 4, 5),
            (0, 5, 1),
            (2, 3, 7),
            (2, 7, 6),
        ]
        return m.mesh(g, (corners, sides))

    def lowest(self) -> float:
        """Least height of the body's centre above a floor that it lies on, less what a law lets it sink in."""
        least = self.reach if self.body == "ball" else min(self.d) if self.body in ("box", "ellipsoid") else min(self.d[:2])
        return 0.3 * min(least, float(self.d.min()))

    def options(self) -> dict:
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": 10.0 ** np.interp(np.log10(self.error), [-9, -4], [-3.3, -2.3])}
        options = {"integrator": self.integrator, "error": self.error}
        return options | ({"contact": "events"} if self.method == "events" else {})


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.body} on {s.floor}, {s.method} {s.options()}"
    try:
        run = hn.simulate(s.model(), s.end, max(40, int(60 * s.end)), **s.options())
    except IntegrationError as error:
        return "stopped: " + " ".join(str(error).split()[3:9])
    except hn.ModelError as error:
        if "cannot" in str(error) or "no contact" in str(error):
            return "refused"
        raise
    p = run.part("body").position.values
    over = (np.hypot(p[:, 0], p[:, 1]) if s.floor == "cylinder" else np.abs(p[:, :2]).max(axis=1)) < s.wide - 1.2 * s.reach
    last = len(over) if over.all() else int(np.argmin(over))  # once it has left the edge it may fall
    low = float(p[:last, 2].min()) if last else np.inf
    if low < s.lowest():
        k = int(np.argmin(p[:last, 2]))
        raise Finding(
            f"{what}: its centre is at z = {low:.4g} at time {run.time[k]:.4g}, over the floor; {list(run.info['messages'])[2:4]}"
        )
    v = run.part("body").velocity.values
    most = 0.5 * (v**2).sum(axis=1) + 9.81 * p[:, 2]
    spin = 0.5 * float(s.I @ (s.A.T @ s.w) ** 2)
    start = 0.5 * float(s.v @ s.v) + 9.81 * s.x[2] + spin
    if float(most[:last].max(initial=0.0)) > start * (1.0 + 1e-3 + 100.0 * s.error) + 1e-6:
        raise Finding(f"{what}: energy rises from {start:.6g} to {most.max():.6g}")
    return s.method

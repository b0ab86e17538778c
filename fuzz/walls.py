"""Thin-walled bodies that fly at each other: nothing may come out on the other side.

Plates, cups, angle sections, tubes and boxes with walls of 0.5 to 5 % of their size, as meshes, extrusions, bodies of
revolution and boxes, straight, oblique and nested, at 1 to 100 m/s.  Two free bodies without gravity: the first one
flies along x at the second one, whose wall stands across its way, so that momentum must be exchanged.  The law of
compliant contact stores the energy of the impact within a fifth of the thinner wall.  The strict referee watches the
run.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._solids import THIN, Solid, falling_solid, thin_solid
from ._stops import kind_of_stop

LIMIT = 60.0
SLICE = 4
FLYING = (*THIN, "ball", "box", "capsule")
METHODS = ("events", "compliant", "time-stepping")


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
        self.step = 10.0 ** rng.uniform(-2, -1) * self.size / self.speed

    def solid(self, kind: str) -> Solid:
        """A shape about its origin; walls across x."""
        L = self.size
        if kind == "ball":
            return falling_solid(kind, (0.3 * L, 0.0, 0.0))
        if kind == "box":
            return falling_solid(kind, (0.2 * L, 0.15 * L, 0.25 * L))
        return falling_solid(kind, (0.3 * L, 0.2 * L, 0.2 * L)) if kind == "capsule" else thin_solid(kind, L, self.t)

    def model(self) -> hn.Model:
        m = hn.Model("walls")
        m.gravity = (0, 0, 0)
        I = 0.2 * self.size**2
        at = self.start, np.zeros(3)
        a = m.part("a", 1.0, (I,) * 3, tuple(at[0]), velocity=(self.speed, 0, 0), angular_velocity=tuple(self.spin))
        b = m.part("b", 1.0, (I,) * 3, (0, 0, 0))
        shapes = [self.solid(k).draw(m, p, x, A) for p, k, x, A in zip((a, b), self.kinds, at, self.axes)]
        stiffness = (
            0.5 * self.speed**2 / (0.2 * self.t) ** 2 * 2.0
        )  # stores the energy of the impact in a fifth of the wall
        m.contact(
            *shapes, restitution=0.6, mu=self.mu, stiffness=stiffness, exponent=1.0, damping=0.0, dmax=0.02 * self.t
        )
        return m

    def options(self) -> dict:
        if self.method == "time-stepping":
            return {"contact": "time-stepping", "step": self.step}
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
        return kind_of_stop(error)
    except hn.ModelError as error:
        if "cannot" in str(error) or "no contact" in str(error):
            return "refused"
        raise
    v = run.part("b").velocity.values[-1]
    if not np.linalg.norm(v) > 1e-3 * s.speed:
        raise Finding(f"{what}: the second body has not moved ({np.linalg.norm(v):.3g} m/s)")
    return s.method

"""The scenes of `floors` from 1e-6 m to 1e4 m and from 1e-12 kg to 1e9 kg: the same motion in other units of length,
mass and time.

Lengths are multiplied by L, masses by M, gravity stays, so that times are multiplied by the root of L.  Nothing may
come out below the floor, at any size.
"""

from __future__ import annotations

import numpy as np

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._solids import falling_solid, floor_solid
from ._stops import kind_of_stop
from .floors import Scene, lowest

LIMIT = 60.0
SLICE = 4
BODY_TYPES = ("ball", "box", "capsule")
UNDER = ("box", "plate", "hull", "mesh")


class Scaled(Scene):
    def __init__(self, seed: int):
        super().__init__(seed)
        rng = np.random.default_rng([1129, seed])
        self.body, self.floor = BODY_TYPES[rng.integers(len(BODY_TYPES))], UNDER[rng.integers(len(UNDER))]
        self.L, self.M = 10.0 ** rng.uniform(-5, 5), 10.0 ** rng.uniform(-12, 9)
        self.end = min(self.end, 1.5)
        self.deep = 0.01 if self.floor == "plate" else 0.1

    def model(self) -> hn.Model:
        L, M = self.L, self.M
        T = np.sqrt(L)
        m = hn.Model("scaled")
        m.gravity = (0, 0, -9.81)
        x, A, deep = tuple(L * self.x), self.A, L * self.deep
        spin = tuple(A.T @ self.w / T)
        b = m.part(
            "body", M, tuple(M * L**2 * self.I), x, axes=A, velocity=tuple(self.v * L / T), angular_velocity=spin
        )
        body, floor = falling_solid(self.body, L * self.d), floor_solid(self.floor, L * self.wide, deep)
        shapes = body.draw(m, b, x, A), floor.draw(m, m.ground, (0, 0, -0.5 * deep), np.eye(3))
        # stores ten times the energy of the fall within a hundredth of the size; linear
        m.contact(
            *shapes,
            restitution=self.restitution,
            mu=self.mu,
            stiffness=M * 9.81 * 20.0 / (1e-4 * L),
            exponent=1.0,
            damping=0.0,
            dmax=1e-4 * L,
        )
        return m

    def allowed(self) -> float:
        """Depth that is not a finding, of the size L."""
        return 0.02 * self.reach

    def options(self) -> dict:
        options = super().options()
        return options | ({"step": options["step"] * np.sqrt(self.L)} if "step" in options else {})


def attempt(seed: int) -> str:
    s = Scaled(seed)
    what = f"{s.body} on {s.floor}, {s.L:.3g} m, {s.M:.3g} kg, {s.method} {s.options()}"
    try:
        run = hn.simulate(s.model(), s.end * np.sqrt(s.L), 60, referee="strict", **s.options())
    except IntegrationError as error:
        if "passed through" in str(error):
            raise Finding(f"{what}: {' '.join(str(error).split())}") from None
        return kind_of_stop(error)
    part = run.part("body")
    p, axes = part.position.values / s.L, part.axes.values
    last = s.over(p)
    low = lowest(falling_solid(s.body, s.d), p[:last], axes[:last])
    if last and low.min() < -s.allowed():
        raise Finding(f"{what}: it is {-low.min():.4g} of the size in the floor")
    return s.method

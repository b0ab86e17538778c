"""The scenes of `floors` from 1e-6 m to 1e4 m and from 1e-12 kg to 1e9 kg: the same motion in other units of length, mass and time.

Lengths are multiplied by L, masses by M, gravity stays, so that times are multiplied by the root of L.  Nothing may come out below the floor, at any size.
"""

from __future__ import annotations

import numpy as np

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from .floors import Scene

LIMIT = 60.0
SLICE = 4
KINDS = ("ball", "box", "capsule")
UNDER = ("box", "plate", "hull", "mesh")


class Scaled(Scene):
    def __init__(self, seed: int):
        super().__init__(seed)
        rng = np.random.default_rng([1129, seed])
        self.body, self.floor = KINDS[rng.integers(len(KINDS))], UNDER[rng.integers(len(UNDER))]
        self.L, self.M = 10.0 ** rng.uniform(-5, 5), 10.0 ** rng.uniform(-12, 9)
        self.end = min(self.end, 1.5)

    def model(self) -> hn.Model:
        L, M = self.L, self.M
        T = np.sqrt(L)
        m = hn.Model("scaled")
        m.gravity = (0, 0, -9.81)
        x, A, d, w = L * self.x, self.A, L * self.d, L * self.wide
        deep = L * (0.01 if self.floor == "plate" else 0.1)
        spin = tuple(A.T @ self.w / T)
        b = m.part("body", M, tuple(M * L**2 * self.I), tuple(x), axes=A, velocity=tuple(self.v * L / T), angular_velocity=spin)
        if self.body == "ball":
            shape = m.sphere(b, tuple(x), L * self.reach)
        elif self.body == "box":
            shape = m.box(b, tuple(x), tuple(2 * d), x=A[:, 0], z=A[:, 2])
        else:
            shape = m.capsule(b, tuple(x - d[0] * A[:, 2]), tuple(x + d[0] * A[:, 2]), d[1])
        corners = [(i, j, k) for i in (-w, w) for j in (-w, w) for k in (-deep, 0.0)]
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
        under = (m.mesh(m.ground, (corners, sides)) if self.floor == "mesh" else m.hull(m.ground, corners) if self.floor == "hull"
                 else m.box(m.ground, (0, 0, -0.5 * deep), (2 * w, 2 * w, deep)))  # fmt: skip
        # stores ten times the energy of the fall within a hundredth of the size; linear
        m.contact(shape, under, restitution=self.restitution, mu=self.mu, stiffness=M * 9.81 * 20.0 / (1e-4 * L), exponent=1.0,
                  damping=0.0, dmax=1e-4 * L)  # fmt: skip
        return m

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
        return "stopped: " + " ".join(str(error).split()[3:9])
    p = run.part("body").position.values / s.L
    over = np.abs(p[:, :2]).max(axis=1) < s.wide - 1.2 * s.reach
    last = len(over) if over.all() else int(np.argmin(over))
    if last and float(p[:last, 2].min()) < s.lowest():
        raise Finding(f"{what}: its centre is at z = {p[:last, 2].min():.4g} of the size, over the floor")
    return s.method

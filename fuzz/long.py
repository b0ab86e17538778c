"""Sixty seconds of small machines with contact: what is closed in stays in, what has a stop stays on its side of it.

A ball in a closed box of six walls; a pendulum between two blocks; a slider on a spring between two stops.  Hundreds of
impacts each.  The oracle is plain geometry, and the energy, which no impact and no friction may raise.
"""

from __future__ import annotations

import numpy as np

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._stops import kind_of_stop

LIMIT = 240.0
SLICE = 1
MACHINES = ("ball in a box", "pendulum", "slider")
METHODS = ("events", "compliant", "time-stepping")
END = 60.0


class Machine:
    def __init__(self, seed: int):
        rng = np.random.default_rng([60, seed])
        self.kind = MACHINES[seed % len(MACHINES)]
        self.method = METHODS[rng.integers(len(METHODS))]
        self.error = 10.0 ** -rng.uniform(4, 8)
        self.e = float(rng.uniform(0.7, 0.98))
        self.speed = rng.uniform(1.0, 6.0)
        self.way = rng.normal(size=3)
        self.way /= np.linalg.norm(self.way)
        self.thin = float(10.0 ** rng.uniform(-3, -1))
        self.mu = None if rng.random() < 0.5 else float(rng.uniform(0, 0.6))

    def model(self) -> hn.Model:
        m = hn.Model(self.kind)
        law = dict(restitution=self.e, mu=self.mu, stiffness=3e6, exponent=1.5, damping=100.0, dmax=1e-4)
        t = self.thin
        if self.kind == "ball in a box":
            m.gravity = (0, 0, -9.81)
            ball = m.part(
                "body", 1.0, (4e-3,) * 3, (0, 0, 0), velocity=tuple(self.speed * self.way), angular_velocity=(3, 1, 2)
            )
            sides = []
            for k in range(3):
                for s in (-1.0, 1.0):
                    at, size = np.zeros(3), np.full(3, 1.0 + 2 * t)
                    at[k], size[k] = s * (0.5 + 0.5 * t), t
                    sides.append(m.box(m.ground, tuple(at), tuple(size)))
            m.contact(m.sphere(ball, (0, 0, 0), 0.1), sides, **law)
        elif self.kind == "pendulum":
            m.gravity = (0, 0, -9.81)
            bob = m.part(
                "body",
                1.0,
                (4e-3,) * 3,
                (0, 0, -1.0),
                velocity=(self.speed, 0, 0),
                angular_velocity=(0, -self.speed, 0),
            )
            m.revolute(bob, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
            blocks = [m.box(m.ground, (s * (0.5 + 0.5 * t), 0, -0.9), (t, 0.5, 0.9)) for s in (-1, 1)]
            m.contact(m.sphere(bob, (0, 0, -1.0), 0.1), blocks, joined=True, **law)
        else:
            m.gravity = (0, 0, 0)
            slide = m.part("body", 1.0, (4e-3,) * 3, (0, 0, 0), velocity=(self.speed, 0, 0))
            m.translational(slide, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
            m.spring_damper(
                m.marker_at(slide, (0, 0, 0)), m.marker_at(m.ground, (0, 0, 1.0)), stiffness=40.0, length=1.0
            )
            stops = [m.box(m.ground, (s * (0.5 + 0.5 * t), 0, 0), (t, 0.5, 0.5)) for s in (-1, 1)]
            m.contact(m.box(slide, (0, 0, 0), (0.2, 0.2, 0.2)), stops, joined=True, **law)
        return m


def attempt(seed: int) -> str:
    s = Machine(seed)
    options = {"contact": "time-stepping", "step": 2e-3} if s.method == "time-stepping" else {"error": s.error}
    options |= {"contact": "events"} if s.method == "events" else {}
    what = f"{s.kind}, walls of {s.thin:.3g}, {s.method} {options}"
    try:
        run = hn.simulate(s.model(), END, 600, **options)
    except IntegrationError as error:
        if "passed through" in str(error):
            raise Finding(f"{what}: {' '.join(str(error).split())}") from None
        return kind_of_stop(error)
    p = run.part("body").position.values
    far = np.abs(p if s.kind == "ball in a box" else p[:, :1]).max()
    if far > 0.45:
        raise Finding(f"{what}: its centre is at {far:.4g}, its walls leave it 0.4")
    return s.method

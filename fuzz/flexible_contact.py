"""Cables, rods and flexible faces against drums, balls, plates and blocks, most of which fit between two nodes: nothing
may pass.

A cable or rod falls flat across a fixed shape; a small rigid body flies into the face of a free flexible block.  The
oracle is plain geometry: the axis of the cable stays above the middle of the shape where it crosses it, a rod does not
fall on, the body does not go into the block by more than its own radius, and the momentum of body and block is
conserved.
"""

from __future__ import annotations

import numpy as np

import holonom as hn
from holonom.flexible import Material, Section, cable, rod
from holonom.integrators.stepper import IntegrationError

from . import Finding
from ._stops import kind_of_stop

LIMIT = 120.0
SLICE = 1
TARGET_TYPES = ("face", "cable", "rod")
UNDER = ("drum", "ball", "plate")
FLYING = ("ball", "box", "capsule")
HALF, DEEP = 0.1, 0.1  # of the block: half its side, and its depth below z = 0


class Scene:
    def __init__(self, seed: int):
        rng = np.random.default_rng([2711, seed])
        self.kind = TARGET_TYPES[seed % len(TARGET_TYPES)]
        self.shape = (FLYING if self.kind == "face" else UNDER)[rng.integers(3)]
        self.radius = 10.0 ** rng.uniform(-2.2, -1.4)
        self.elements = int(rng.integers(2, 5) if self.kind == "face" else rng.integers(5, 12))
        self.speed = 10.0 ** rng.uniform(0, 1.4 if self.kind == "face" else 0.5)
        self.at = rng.uniform(-0.6, 0.6, 2)  # of half the width, of the block or of the cable
        self.E = 10.0 ** rng.uniform(7, 10)
        self.mass = 10.0 ** rng.uniform(-2.5, -1.3)
        self.error = 10.0 ** -rng.uniform(4, 6)
        self.x = 0.05 * self.at[0]

    def face(self) -> tuple[hn.Model, object, object]:
        """A block that is free, and the body that flies down to it."""
        m = hn.Model("face")
        m.gravity = (0, 0, 0)
        block = m.part("block", 1.0, (1, 1, 1), (0, 0, -0.5 * DEEP))
        mesh = hn.flexible.box(
            (-HALF, -HALF, -DEEP), (HALF, HALF, 0.0), (self.elements, self.elements, 1), "hexahedron"
        )
        m.make_flexible(block, mesh, Material(self.E, 0.3, 1000.0), contact="z+", modes=4)
        r = self.radius
        x = (*(HALF * self.at), 1.1 * r)
        inertia = (0.4 * self.mass * r * r,) * 3
        body = m.part("body", self.mass, inertia, x, velocity=(0, 0, -self.speed))
        if self.shape == "ball":
            shape = m.sphere(body, x, r)
        elif self.shape == "box":
            shape = m.box(body, x, (2 * r / 3**0.5,) * 3, x=(1, -1, 0), z=(1, 1, 1))  # on a corner
        else:
            shape = m.capsule(body, (x[0], x[1] - 0.5 * r, x[2]), (x[0], x[1] + 0.5 * r, x[2]), r)
        m.surface_contact(block, shape, name="hit")
        return m, block, body

    def rope(self) -> tuple[hn.Model, object]:
        """A cable or rod of 1 m that falls from the upper side of a shape at x, with its speed."""
        m = hn.Model(self.kind)
        m.gravity = (0, 0, -9.81)
        r, x = self.radius, self.x
        ends = [(-0.5, 0, 0.02), (0.5, 0, 0.02)]
        if self.kind == "cable":
            rope = cable(m, ends, EA=5e3, EI=0.01, mass=0.2, radius=0.005, damping=1e-3, elements=self.elements)
        else:
            rope = rod(m, ends, Section.round(0.005), E=6e7, density=2500.0, damping=1e-3, elements=self.elements)
        if self.shape == "drum":
            under = m.cylinder(m.ground, (x, -0.1, -r), (x, 0.1, -r), r)
        elif self.shape == "ball":
            under = m.sphere(m.ground, (x, 0, -r), r)
        else:
            under = m.box(m.ground, (x, 0, -0.05), (0.2 * r, 0.2, 0.1))
        for part in m.parts.values():
            if part is not m.ground:
                part.vz = -self.speed
        rope.touch(under, mu=0.3, name="touch")
        return m, rope


def attempt(seed: int) -> str:
    s = Scene(seed)
    what = f"{s.kind}, {s.elements} elements, {s.shape} of {s.radius:.3g}, {s.speed:.3g} m/s"
    options = {"integrator": "RADAU5", "error": s.error, "referee": "strict"}
    try:
        if s.kind == "face":
            m, block, body = s.face()
            run = hn.simulate(m, 0.1 * s.radius / s.speed + min(0.05, 0.1 / s.speed), 60, **options)
        else:
            m, rope = s.rope()
            run = hn.simulate(m, min(0.1, 0.02 / s.speed + 0.05), 40, **options)
    except IntegrationError as error:
        return kind_of_stop(error)
    if s.kind == "face":
        z = run.part(body).position.values[:, 2]
        if z.min() < -s.radius:
            raise Finding(f"{what}: its centre is {-z.min():.4g} m below the face, its radius is {s.radius:.4g}")
        p = run.part(body).momentum.values + run.part(block).momentum.values
        if np.abs(p - p[0]).max() > 1e-6 * s.mass * s.speed:
            raise Finding(
                f"{what}: momentum changes by {np.abs(p - p[0]).max() / (s.mass * s.speed):.3g} of what there was"
            )
        return "face" if run.part(body).velocity.values[-1, 2] > 0.0 else "face, in touch"
    if s.kind == "cable":
        axes = run.mesh(rope).axis().values
    else:
        axes = np.stack([run.part(p).position.values for p in rope.parts], axis=1)
    over = np.array([np.interp(s.x, axis[:, 0], axis[:, 2]) for axis in axes])
    middle = -0.5 * s.radius if s.shape != "plate" else -0.05
    if s.kind == "rod":  # straight between nodes that hang on both sides; what passes falls freely
        t = run.time[-1]
        middle = min(middle, -0.5 * (s.speed * t + 0.5 * 9.81 * t * t))
    if over.min() < middle - 0.01:
        raise Finding(f"{what}: its axis is at z = {over.min():.4g} at the shape, {middle:.4g} is allowed")
    return s.kind

"""Spheres by the hundred thousand: penalty contact with an explicit step, on threads; a CUDA path is tested in a
simulator only.  Arrays only, no model.

`Granular` holds the spheres and the walls and advances them; `Law` states what a contact answers; `Wall` is a rigid set
of planes, shells, boxes, spheres and triangles with a motion of its own; `statistics` measures stress, temperature,
packing and flow.

    g = Granular(Law(stiffness=1e5, damping=5.0, mu_static=0.3, mu_dynamic=0.3), step=2e-4, gravity=(0, 0, -9.81))
    g.add(positions, radius=0.05, density=1000.0)
    box = g.wall("box").box((-1, -1, 0), (1, 1, 4), open="top")
    g.advance(5000)
    g.pos, g.vel, box.force
"""

from __future__ import annotations

from .grains import Granular
from .laws import Law
from .walls import Wall

__all__ = ["Granular", "Law", "Wall"]

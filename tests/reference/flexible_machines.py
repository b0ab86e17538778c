"""Machines with flexible bodies, for tests and benchmarks."""

from __future__ import annotations

import numpy as np

import holonom as hn
from holonom.flexible import ReducedBody, Section, beam, reduce


def in_plane(body: ReducedBody, count: int) -> ReducedBody:
    """The lowest modes of a straight beam along x and y of ground that bend it in that plane or stretch it."""
    move = np.abs(body.shapes[:, :3]).max(axis=0)
    size = move.max(axis=0)
    twist = np.abs(body.shapes[:, 3:5]).max(axis=(0, 1))
    turn = np.abs(body.shapes[:, 5]).max(axis=0)
    good = (move[2] < 1e-6 * size) & (twist < 1e-6 * np.maximum(turn, size)) & (size > 0)
    return body.selected(1 + np.flatnonzero(good)[:count])


def four_bar(modes: int, damping: float = 0.005, thick: float = 0.012, geometric: bool = True) -> hn.Model:
    """Crank 0.1 m, steel coupler 0.5 m that bends in the plane, rocker 0.3 m, ground 0.4 m; the crank comes to 10 turns
    a second within 0.05 s."""
    a, b, d, al, w = 0.1, 0.3, 0.4, 0.3, 20 * np.pi
    A, D = a * np.array([np.cos(al), np.sin(al)]), np.array([d, 0.0])
    r = np.linalg.norm(D - A)
    angle = np.arctan2(*(D - A)[::-1]) + np.arccos((0.25 + r * r - b * b) / (2 * 0.5 * r))
    C = A + 0.5 * np.array([np.cos(angle), np.sin(angle)])
    at = lambda p: (float(p[0]), float(p[1]), 0.0)
    z = (0, 0, 1)
    r4 = "(time/0.05)**4*(2.5-time/0.05*(3-time/0.05))"
    ramp = f"{0.05 * w}*{r4}"
    m = hn.Model("four-bar")
    crank = m.part("crank", 0.1, (2e-3,) * 3, position=(0, 0, 0))
    coupler = m.part("coupler", 0.565, (1, 1, 1), position=at((A + C) / 2))
    rocker = m.part("rocker", 0.25, (2e-2,) * 3, position=at(D))
    motor = m.revolute(crank, m.ground, at=(0, 0, 0), axis=z)
    m.revolute(coupler, crank, at=at(A), axis=z)
    m.revolute(rocker, m.ground, at=at(D), axis=z)
    m.primitive("INLINE", m.marker_at(coupler, at(C)), m.marker_at(rocker, at(C), z=z))
    m.motion(motor, f"IF(time-0.05:{ramp},{ramp},{w}*(time-0.025))")
    bar = beam(at(A), at(C), Section.rectangle(thick, thick), E=2.1e11, density=7850.0, elements=24, y=(0, 0, 1))
    m.make_flexible(coupler, in_plane(reduce(bar, (), 140, geometric=geometric), modes), damping=damping)
    return m


def struck(modes: int, damping: float = 0.005) -> hn.Model:
    """A steel bar of 0.5 m on a hinge whose tip comes down on a stop with 1.5 m/s: an impact of a millisecond rings all
    modes, again and again."""
    m = hn.Model("struck bar")
    m.gravity = (0, -9.81, 0)
    p = m.part("bar", 0.942, (1, 1, 1), position=(0.25, 0, 0), velocity=(0, -0.75, 0), angular_velocity=(0, 0, -3.0))
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    bar = beam(
        (0, 0, 0), (0.5, 0, 0), Section.rectangle(0.012, 0.02), E=2.1e11, density=7850.0, elements=24, y=(0, 0, 1)
    )
    m.make_flexible(p, in_plane(reduce(bar, (), 140), modes), damping=damping)
    i, j = m.marker(m.attachment(p, 25)), m.marker_at(m.ground, (0.5, 0, 0))
    height = f"DY({i.id},{j.id})"
    m.vforce(i, j, fy=f"IMPACT({height},VY({i.id},{j.id}),-0.005,1E6,1.5,50,1E-4)", rm=j)
    return m

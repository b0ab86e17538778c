"""Models with flexible bodies, run once a session."""

from functools import cache

import numpy as np

import holonom as hn
from holonom.flexible import Section, beam

E, RHO, L = 2.1e11, 7850.0, 1.0
SECTION = Section.rectangle(0.02, 0.01)


def bar(E=E, section=SECTION, elements=20):
    return beam((0, 0, 0), (L, 0, 0), section, E=E, density=RHO, elements=elements, y=(0, 1, 0))


@cache
def swing(soft=100.0, damping=0.02, modes=3):
    """A soft bar on a ball joint with a bob fixed to its end, in space, far from the origin and turned: much of
    everything."""
    m = hn.Model("swing")
    m.gravity = (1.0, -9.0, 3.0)
    w = np.array([1.0, 2.0, 3.0])
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0), angular_velocity=w, velocity=np.cross(w, (0.5, 0, 0)))
    m.spherical(p, m.ground, at=(0, 0, 0))
    bob = m.part(
        "bob", 2.0, (0.1, 0.1, 0.1), position=(L, 0, 0.2), angular_velocity=w, velocity=np.cross(w, (L, 0, 0.2))
    )
    m.fixed(bob, p, at=(L, 0, 0))
    m.make_flexible(p, bar(E / soft), modes=modes, damping=damping)
    m.marker_at(p, (L, 0, 0), name="tip")
    return hn.simulate(m, end=0.1, steps=20, integrator="RADAU5", error=1e-7)


@cache
def cantilever(force=(0.0, -0.1, 0.03), torque=(0.002, 0.0, 0.0)):
    """Clamped at x = 0, loaded at x = L, at rest; loads so small that what is of second order does not count."""
    m = hn.Model("cantilever")
    m.gravity = (0, 0, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0))
    tip, still = m.marker_at(p, (L, 0, 0)), m.marker_at(m.ground, (L, 0, 0))
    names = ("fx", "fy", "fz", "tx", "ty", "tz")
    m.gforce(tip, still, **dict(zip(names, (str(v) for v in (*force, *torque)))))
    m.make_flexible(p, bar(), modes=2)
    return hn.simulate(m, end=0, kind="statics")


@cache
def blade(speed=20.0):
    """Turning about its end at a constant speed."""
    m = hn.Model("blade")
    p = m.part(
        "blade", 1.0, (1, 1, 1), position=(0.5, 0, 0), velocity=(0, 0.5 * speed, 0), angular_velocity=(0, 0, speed)
    )
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed}*time")
    m.make_flexible(p, bar(), modes=4)
    return hn.simulate(m, end=0.02, steps=10, integrator="RADAU5", error=1e-7)


def box(n=2, size=(1.0, 0.2, 0.1), modes=2):
    """A body with the surface of a box of n x n squares a side, made-up shapes and stresses: numbers to draw, no
    mechanics."""
    points, triangles = [], []
    for axis in range(3):
        for side in (-0.5, 0.5):
            first = len(points)
            for i in range(n + 1):
                for j in range(n + 1):
                    p = np.zeros(3)
                    p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = side, i / n - 0.5, j / n - 0.5
                    points.append(p * size)
            for i in range(n):
                for j in range(n):
                    a = first + i * (n + 1) + j
                    triangles += [(a, a + n + 1, a + 1), (a + 1, a + n + 1, a + n + 2)]
    points = np.array(points)
    a = len(points)
    shapes = np.zeros((a, 6, modes))
    stress = np.zeros((a, 6, modes))
    for j in range(modes):
        shapes[:, 1, j] = np.cos(np.pi * (j + 1) * points[:, 0]) - 0.3
        stress[:, 0, j] = 1e9 * points[:, 1] * np.cos(np.pi * (j + 1) * points[:, 0])
        stress[:, 3, j] = 1e7 * (j + 1)
    S, H = np.zeros((modes + 1, modes + 1, 3, 3)), np.zeros((modes + 1, modes + 1, 3))
    S[0, 0] = np.diag([0.02, 0.08, 0.09])
    return hn.flexible.ReducedBody(
        1.0,
        np.zeros(3),
        S[0, 0],
        100.0 * np.arange(1, modes + 1),
        S,
        H,
        np.arange(1, a + 1),
        points,
        shapes,
        faces=np.array(triangles),
        stress=stress,
    )

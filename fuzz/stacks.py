"""Throws and stacks of spheres, boxes, coins, capsules, dice and random hulls under events and under time-stepping.

What must hold whatever the scene: the event-driven run ends, either at the time requested or with a sentence that names
time-stepping; nothing is inside anything else (separating directions from support functions written here, not from the
kernels of contact); energy never grows; what rests on the floor rests on one of its faces, as it does in the run by
time-stepping.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import Finding

LIMIT = 30.0
SLICE = 4

G = 9.81
END, ROWS, STEP = 2.0, 80, 1e-3
# of the size: an overlap with the floor that ERROR (1e-6; rows between steps are interpolated) does not explain
DEEP = 5e-6
# of the size: the same of two bodies, whose contact points are only nearly on them where a line of contact becomes a
# point
BLENDED = 2e-4
GAINED = 1e-6  # of the energy at the start
STILL = 1e-3  # of sqrt(g size): speeds of something at rest
SCENE_TYPES = "throw", "drop", "tower", "balls", "heap"
SHAPES = "sphere", "box", "die", "coin", "capsule", "hull"


class Body(NamedTuple):
    """A convex body: ``points`` of its hull about the centre of mass, thickened by ``radius``; a coin has ``rim``
    (radius, half thickness)."""

    kind: str
    points: np.ndarray
    radius: float
    rim: tuple[float, float] | None
    mass: float
    inertia: tuple[float, float, float]
    faces: np.ndarray  # distances of its resting faces from the centre of mass
    shape: Any  # adds the graphic: (model, part, at, axes) -> Graphic


class Scene(NamedTuple):
    """``model``, its ``bodies`` in the order of the parts, ``size`` of the smallest, ``kind``, ``mu`` and ``e``."""

    model: Any
    bodies: list[Body]
    size: float
    kind: str
    mu: float
    e: float


# ---- bodies ----------------------------------------------------------------------------------------------------------
def body(rng: np.random.Generator, kind: str, size: float) -> Body:
    """A body of this kind of about this size, of density 1000."""
    if kind == "sphere":
        m = 1000 * 4 / 3 * np.pi * size**3
        return Body(
            kind,
            np.zeros((1, 3)),
            size,
            None,
            m,
            (0.4 * m * size**2,) * 3,
            np.array([size]),
            lambda model, part, at, A: model.sphere(part, at, size),
        )
    if kind in ("box", "die"):
        edges = np.full(3, size) if kind == "die" else size * rng.uniform(0.4, 1.6, 3)
        m = 1000 * float(np.prod(edges))
        corners = 0.5 * edges * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        inertia = tuple(float(m / 12 * (edges @ edges - s * s)) for s in edges)
        return Body(
            kind,
            corners,
            0.0,
            None,
            m,
            inertia,
            0.5 * edges,
            lambda model, part, at, A: model.box(part, at, tuple(edges), x=A[:, 0], z=A[:, 2]),
        )
    if kind == "coin":
        r, h = size, size * float(rng.uniform(0.05, 0.4))
        m = 1000 * np.pi * r * r * 2 * h
        across, about = m * (r * r / 4 + h * h / 3), m * r * r / 2
        return Body(
            kind,
            np.zeros((0, 3)),
            0.0,
            (r, h),
            m,
            (across, across, about),
            np.array([h, r]),
            lambda model, part, at, A: model.cylinder(part, at - h * A[:, 2], at + h * A[:, 2], r),
        )
    if kind == "capsule":
        r, h = 0.5 * size, size * float(rng.uniform(0.3, 1.0))
        rod, ball = 1000 * np.pi * r * r * 2 * h, 1000 * 4 / 3 * np.pi * r**3
        across = rod * (r * r / 4 + h * h / 3) + ball * (0.4 * r * r + h * h + 0.75 * h * r)
        about = 0.5 * rod * r * r + 0.4 * ball * r * r
        ends = np.array([[0, 0, -h], [0, 0, h]])
        return Body(
            kind,
            ends,
            r,
            None,
            rod + ball,
            (across, across, about),
            np.array([r]),
            lambda model, part, at, A: model.capsule(part, at - h * A[:, 2], at + h * A[:, 2], r),
        )
    return _hull(rng, size)


def _hull(rng: np.random.Generator, size: float) -> Body:
    from scipy.spatial import ConvexHull

    n = int(rng.integers(6, 14))
    directions = rng.normal(size=(n, 3))
    points = size * directions / np.linalg.norm(directions, axis=1)[:, None] * rng.uniform(0.7, 1.0, (n, 1))
    hull = ConvexHull(points)
    apexes = points[hull.simplices]
    volumes = np.einsum("ij,ij->i", apexes[:, 0], np.cross(apexes[:, 1], apexes[:, 2])) * np.sign(
        np.einsum("ij,ij->i", hull.equations[:, :3], np.cross(apexes[:, 1] - apexes[:, 0], apexes[:, 2] - apexes[:, 0]))
    )
    centre = (volumes[:, None] * apexes.mean(axis=1) * 0.75).sum(axis=0) / volumes.sum()
    points = points[hull.vertices] - centre
    volume = volumes.sum() / 6
    # inertia of tetrahedra from the centre
    C = np.zeros((3, 3))
    for (a, b, c), v in zip(apexes - centre, volumes):
        v = abs(np.linalg.det(np.array([a, b, c]))) * (1 if v > 0 else -1) / 6
        s = a + b + c
        C += v / 20 * (np.outer(a, a) + np.outer(b, b) + np.outer(c, c) + np.outer(s, s))
    inertia = 1000 * (np.trace(C) * np.eye(3) - C)
    J, P = np.linalg.eigh(inertia)
    if np.linalg.det(P) < 0:
        P[:, 0] = -P[:, 0]
    points = points @ P
    faces = np.unique(np.round(-ConvexHull(points).equations[:, 3], 12))
    return Body(
        "hull",
        points,
        0.0,
        None,
        float(1000 * volume),
        tuple(float(j) for j in J),
        faces,
        lambda model, part, at, A: model.hull(part, points, at=at, x=A[:, 0], z=A[:, 2]),
    )


# ---- scenes ----------------------------------------------------------------------------------------------------------
def scene(seed: int) -> Scene:
    """The scene of a seed."""
    import holonom as hn

    rng = np.random.default_rng([12, seed])
    kind = SCENE_TYPES[seed % len(SCENE_TYPES)]
    e = float(rng.choice([0.0, 0.0, 0.3, 0.5, 0.8, 0.9]))
    mu = float(rng.choice([0.0, 0.1, 0.3, 0.6, 1.0]))
    size = float(rng.choice([0.02, 0.1, 0.5]))
    speed = np.sqrt(G * size)
    m = hn.Model(f"{kind} {seed}")
    m.gravity = (0, 0, -G)
    bodies, shapes = [], []
    upright = kind == "tower"
    if kind == "balls":
        count, names = int(rng.integers(2, 8)), ["sphere"] * 8
    elif kind == "tower":
        count, names = int(rng.integers(2, 11)), [str(rng.choice(["box", "die", "coin"]))] * 10
    elif kind == "heap":
        count, names = int(rng.integers(2, 5)), [str(rng.choice(SHAPES)) for _ in range(5)]
    else:
        count, names = 1, [str(rng.choice(SHAPES[1:]))]
    height = 0.0
    for k in range(count):
        b = body(rng, names[k], size)
        A = np.eye(3) if upright or kind == "balls" else _rotation(rng)
        w = v = np.zeros(3)
        if kind == "throw":
            v, w = speed * rng.normal(size=3), speed / size * rng.normal(size=3)
        elif kind == "drop":
            A = A if rng.random() < 0.5 else _flat(b, A)
        low, high = (reach(b, A, s * np.array([0.0, 0.0, 1.0])) for s in (-1, 1))
        gap = size * float(rng.choice([0.0, 1e-6, 0.01, 0.1, 1.0])) if k else size * float(rng.choice([1e-3, 0.1, 1.0]))
        at = np.array(
            [*(0.05 * size * rng.normal(size=2) if kind in ("tower", "heap") else (0.0, 0.0)), height + gap + low]
        )
        height = at[2] + high
        part = m.part(f"{b.kind} {k + 1}", b.mass, b.inertia, at, axes=A, velocity=tuple(v), angular_velocity=tuple(w))
        shapes.append(b.shape(m, part, at, A))
        bodies.append(b)
    m.contact(shapes, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, mu=mu or None)
    if count > 1:
        m.contact(shapes, restitution=e, mu=mu or None)
    return Scene(m, bodies, size, kind, mu, e)


def _rotation(rng: np.random.Generator) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(rng.normal(size=4)).as_matrix()


def _flat(b: Body, A: np.ndarray) -> np.ndarray:
    """Upright, turned a little."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(0.02 * Rotation.from_matrix(A).as_rotvec()).as_matrix()


def reach(b: Body, A: np.ndarray, way: np.ndarray) -> float:
    """How far a body reaches from its centre along a unit direction."""
    local = A.T @ way
    if b.rim is not None:
        return b.rim[0] * float(np.hypot(local[0], local[1])) + b.rim[1] * abs(float(local[2]))
    return float((b.points @ local).max()) + b.radius


# ---- what must hold --------------------------------------------------------------------------------------------------
def depth(a: Body, pa: np.ndarray, A: np.ndarray, b: Body, pb: np.ndarray, B: np.ndarray) -> float:
    """How far two bodies are inside each other along the best separating direction that is found (negative: apart)."""
    over = lambda n: reach(a, A, -n) + reach(b, B, n) - float((pa - pb) @ n)
    far = pa - pb
    ways = [far / max(float(np.linalg.norm(far)), 1e-300)]
    ways += [s * M[:, k] for M in (A, B) for k in range(3) for s in (-1, 1)]
    ways += [
        s * c / n
        for i in range(3)
        for j in range(3)
        if (n := np.linalg.norm(c := np.cross(A[:, i], B[:, j]))) > 1e-9
        for s in (-1, 1)
    ]
    best = min(ways, key=over)
    least, step = over(best), 0.3
    if least <= 0.0:
        return least
    rng = np.random.default_rng(0)
    while least > 0.0 and step > 1e-7:  # a random descent on the sphere
        better = False
        for _ in range(30):
            n = best + step * rng.normal(size=3)
            n /= np.linalg.norm(n)
            d = over(n)
            if d < least:
                best, least, better = n, d, True
        if not better:
            step *= 0.5
    return least


def check(s: Scene, run: Any, told: bool = False, last: bool = True) -> tuple[float, float]:
    """Raise `Finding` where energy grows (unless the run has ``told`` so) or something overlaps in a run, its ``last``
    row too; returns the deepest overlap and the largest gain, as shares."""
    d = run.data
    energy = d.energy_kinetic + d.energy_gravity
    scale = float(np.ptp(energy) + energy[0] - energy.min() + 1e-3 * sum(b.mass for b in s.bodies) * G * s.size)
    gained = float(np.max(energy - np.minimum.accumulate(energy))) / scale
    if not (gained <= GAINED or told):
        k = int(np.argmax(energy - np.minimum.accumulate(energy)))
        raise Finding(f"energy grows by {gained:.2g} of what there was, at time {run.time[k]:.4g}")
    deepest = 0.0
    parts = [run.part(p.name) for p in s.model.parts.values() if p is not s.model.ground]
    places, axes = [p.position.values for p in parts], [p.axes.values for p in parts]
    down = np.array([0.0, 0.0, -1.0])
    for k in range(len(run.time) - (not last)):
        for i, b in enumerate(s.bodies):
            x, A = places[i][k], axes[i][k]
            deepest = max(deepest, (reach(b, A, down) - x[2]) / s.size)
            for j in range(i):
                o = s.bodies[j]
                y = places[j][k]
                if np.linalg.norm(x - y) < 4.0 * s.size:
                    deepest = max(deepest, DEEP / BLENDED * depth(b, x, A, o, y, axes[j][k]) / s.size)
        if not deepest <= DEEP:
            raise Finding(
                f"something is inside something else by {deepest / DEEP:.2g} of what is tolerated at time "
                f"{run.time[k]:.4g}"
            )
    return deepest, gained


def fastest(s: Scene, run: Any) -> float:
    """Largest speed at the end, of sqrt(g size)."""
    d = run.data
    w = np.abs(d.body_angular_velocity[-1]).max() * s.size
    return float(max(np.abs(d.body_velocity[-1]).max(), w) / np.sqrt(G * s.size))


def attempt(seed: int) -> str:
    """One scene by events, checked, and against time-stepping where both come to rest on the floor."""
    import holonom as hn
    from holonom.integrators.stepper import IntegrationError

    s = scene(seed)
    try:
        run = hn.simulate(s.model, END, ROWS, contact="events")
    except IntegrationError as error:
        if "time-stepping" not in str(error):
            raise Finding(f"the run ends without a way out: {error}") from None
        if error.run is not None and len(error.run.time) > 1:
            check(s, error.run, last=False)  # the sentence reports the state that ends it
        return "told"
    check(s, run, any("gains energy" in text for text in run.info["messages"]))
    if fastest(s, run) > STILL:
        return "moving"
    if len(s.bodies) == 1:
        b = s.bodies[0]
        z = run.data.body_position[-1, 0, 2]
        if np.abs(b.faces - z).min() > 1e-5 * s.size:
            raise Finding(f"at rest at the height {z:.9g}, which is none of its faces: {b.faces}")
    return "rested"

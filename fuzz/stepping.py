"""Random scenes of rigid contact by time-stepping: drums at any load, slopes and floors, belts, bullets and plates,
crowds in closed boxes, rods.

Oracles that know nothing of the contact engine: kinetic energy and potential of gravity never grow, momentum and
angular momentum of what nothing holds stay, what is inside (above, before) stays there, by the places of centres and
corners; rolling converges with order two by halving the step.
"""

from __future__ import annotations

import itertools

import numpy as np

import holonom as hn

from . import Finding
from ._solids import box_mesh

LIMIT = 60.0
SLICE = 9
GAIN = 1e-9  # energy that a step may give, of the largest there was
SHAPES = ("ball", "box", "rod", "can", "egg")


def attempt(seed: int) -> str:
    """One scene of the kind that the seed chooses."""
    rng = np.random.default_rng(seed)
    kinds = (_drum, _slope, _belt, _bullet, _crowd, _cloud, _rods, _order, _blade)
    kind = kinds[seed % len(kinds)]
    kind(rng)
    return kind.__name__[1:]


# ---- bodies --------------------------------------------------------------------------------------------------------
def _turned(rng) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def _body(m, rng, name, kind, at, size, velocity, spin):
    """A body of uniform density 1000; returns shape, points of its surface in its axes (n, 3), radius about them."""
    A = _turned(rng)
    a, b, c = size * rng.uniform(0.4, 1.0, 3)
    if kind == "ball":
        mass = 4000 / 3 * np.pi * a**3
        J, points, r = (0.4 * mass * a * a,) * 3, np.zeros((1, 3)), a
    elif kind == "box":
        mass = 8000 * a * b * c
        J = mass / 3 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        points, r = np.array(list(itertools.product((-a, a), (-b, b), (-c, c)))), 0.0
    elif kind == "egg":
        mass = 4000 / 3 * np.pi * a * b * c
        J = mass / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        d = rng.normal(size=(200, 3))
        points, r = d / np.linalg.norm(d, axis=1)[:, None] * [a, b, c], 0.0
    else:
        r, half = 0.4 * a, b
        mass = 2000 * np.pi * r * r * half
        J = mass / 12 * np.array([3 * r * r + 4 * half**2, 3 * r * r + 4 * half**2, 6 * r * r])
        points = np.array([(0, 0, -half), (0, 0, half)])
        if kind == "can":
            w = np.linspace(0, 2 * np.pi, 48, endpoint=False)
            points = np.array([(r * np.cos(x), r * np.sin(x), z) for x in w for z in (-half, half)])
    body = m.part(name, mass, tuple(J), tuple(at), axes=A, velocity=tuple(velocity), angular_velocity=tuple(spin))
    at = np.asarray(at, float)
    if kind == "ball":
        shape = m.sphere(body, at, a)
    elif kind == "box":
        shape = m.box(body, at, (2 * a, 2 * b, 2 * c), x=A[:, 0], z=A[:, 2])
    elif kind == "egg":
        shape = m.ellipsoid(body, at, (a, b, c), x=A[:, 0], z=A[:, 2])
    elif kind == "rod":
        shape = m.capsule(body, at - half * A[:, 2], at + half * A[:, 2], r)
    else:
        shape = m.cylinder(body, at - half * A[:, 2], at + half * A[:, 2], r)
        r = 0.0
    return shape, points, r


def _run(m, end, step, each=1):
    n = max(1, round(end / step))
    return hn.simulate(m, n * step, max(1, n // each), contact="time-stepping", step=step, progress=False)


def _energy(run, more=0.0):
    """Raise where energy grows by more than `GAIN`."""
    total = (run.energy.kinetic + run.energy.gravity).values
    scale = run.energy.kinetic.values.max() + np.ptp(run.energy.gravity.values) + more
    if not np.isfinite(total).all():
        raise Finding("energy is not a number")
    gained = np.diff(total).max(initial=0.0) / scale
    if gained > GAIN:
        k = int(np.argmax(np.diff(total)))
        raise Finding(f"energy grows by {gained:.2g} of its size at time {run.time[k + 1]:.6g}")
    return total


def _least(run, name, points, r, normal):
    """Least n . x over the surface of a body, by row."""
    part = run.part(name)
    x = part.position.values[:, None, :] + np.einsum("tij,pj->tpi", part.axes.values, points)
    return (x @ np.asarray(normal, float)).min(axis=1) - r


# ---- scenes --------------------------------------------------------------------------------------------------------
def _drum(rng):
    """Balls, thrown about in a drum between two ends."""
    m = hn.Model("drum")
    R = 10.0 ** rng.uniform(-2, 1)
    g = 9.81 * rng.choice([0.0, 0.1, 1.0, 10.0])
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    m.gravity = tuple(g * np.array([0, 0, -1.0]))
    load = 10.0 ** rng.uniform(-1, 2) * 9.81
    v = np.sqrt(load * R)
    step = 10.0 ** rng.uniform(-3, -1.5) * R / v
    shapes, radii = [], []
    side = np.linalg.svd(axis[None])[2][1:]
    for k in range(rng.integers(1, 5)):
        r = R * rng.uniform(0.03, 0.2)
        w = 2 * np.pi * (k + rng.uniform(0, 0.4)) / 4
        touching = rng.random() < 0.5
        at = (R - r) * (1.0 if touching else rng.uniform(0.5, 0.95)) * (np.cos(w) * side[0] + np.sin(w) * side[1])
        way = np.cross(axis, at / np.linalg.norm(at))
        velocity = v * rng.uniform(0.3, 1.0) * (way + (0.0 if touching else 0.5) * rng.normal(size=3))
        spin = -np.cross(-at / np.linalg.norm(at), velocity) / r if rng.random() < 0.5 else rng.normal(size=3) * v / R
        mass = 1000 * r**3
        body = m.part(
            f"ball {k}",
            mass,
            (0.4 * mass * r * r,) * 3,
            tuple(at),
            velocity=tuple(velocity),
            angular_velocity=tuple(spin),
        )
        shapes.append(m.sphere(body, at, r))
        radii.append(r)
    e, mu = rng.choice([0.0, 0.3, 0.9, 1.0]), rng.choice([0.0, 0.2, 1.0])
    m.contact(shapes, m.cylinder(m.ground, -20 * R * axis, 20 * R * axis, R, inside=True), restitution=e, mu=mu)
    if len(shapes) > 1:
        m.contact(shapes, restitution=e, mu=mu)
    run = _run(m, min(8 * R / v, 400 * step), step)
    _energy(run)
    for k, r in enumerate(radii):
        x = run.part(f"ball {k}").position.values
        out = np.linalg.norm(x - (x @ axis)[:, None] * axis, axis=1) + r - R
        out = out[np.cumprod(np.abs(x @ axis) < 19 * R).astype(bool)]  # behind the ends it may fall
        if out.max() > max(0.5 * r, 2.5 * v * step):
            raise Finding(f"ball {k} leaves the drum by {out.max() / r:.3g} of its radius")


def _slope(rng):
    """A body thrown on a slope, or on a thick box."""
    m = hn.Model("slope")
    size = 10.0 ** rng.uniform(-2, 0.5)
    g = 9.81 * rng.choice([0.1, 1.0, 20.0])
    v = np.sqrt(g * size)
    step = 10.0 ** rng.uniform(-2.7, -1.3) * np.sqrt(size / g)
    angle = rng.choice([0.0, rng.uniform(0, 0.5)])
    m.gravity = (g * np.sin(angle), 0, -g * np.cos(angle))
    kind = SHAPES[rng.integers(len(SHAPES))]
    at = rng.normal(size=3) * 0.1 * size + [0, 0, size * rng.uniform(1.75, 3.0)]
    shape, points, r = _body(m, rng, "body", kind, at, size, v * rng.normal(size=3), v / size * rng.normal(size=3) * 3)
    far = 500 * size
    floor = (
        m.plane(m.ground, (0, 0, 0), (0, 0, 1))
        if rng.random() < 0.5
        else m.box(m.ground, (0, 0, -far), (4 * far, 4 * far, 2 * far))
    )
    m.contact(shape, floor, restitution=rng.choice([0.0, 0.4, 0.9]), mu=rng.choice([0.0, 0.3, 1.0]))
    run = _run(m, min(10 * np.sqrt(size / g), 600 * step), step)
    _energy(run)
    low = _least(run, "body", points, r, (0, 0, 1)).min()
    speed = (
        np.abs(run.part("body").velocity.values).max() + size * np.abs(run.part("body").angular_velocity.values).max()
    )
    if low < -max(2.0 * speed * step, 1e-3 * size):
        raise Finding(
            f"the {kind} sinks in by {-low / size:.3g} of its size, {-low / (speed * step):.3g} of what it moves in "
            "a step"
        )


def _belt(rng):
    """A ball or a box on a belt that a motion drives: it takes the speed of the belt, without or against its start."""
    m = hn.Model("belt")
    size, mu = 10.0 ** rng.uniform(-2, 0), rng.uniform(0.2, 1.0)
    g = 9.81 * 10.0 ** rng.uniform(-1, 1)
    V, v = np.sqrt(g * size) * rng.uniform(-2, 2, 2)
    m.gravity = (0, 0, -g)
    box = rng.random() < 0.5
    mass = 1000 * size**3
    J = (mass / 6 * size**2,) * 3 if box else (0.1 * mass * size**2,) * 3
    body = m.part("body", mass, J, (0, 0, 0.5 * size), velocity=(v, 0, 0))
    belt = m.part("belt", 1.0, (1.0,) * 3)
    joint = m.translational(belt, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.motion(joint, f"{float(V)!r}*time")
    shape = m.box(body, (0, 0, 0.5 * size), (size,) * 3) if box else m.sphere(body, (0, 0, 0.5 * size), 0.5 * size)
    m.contact(shape, m.plane(belt, (0, 0, 0), (0, 0, 1)), mu=mu)
    slide = abs(V - v) / (mu * g) * (1.0 if box else 2.0 / 7.0)
    step = max(slide, 1e-3 * np.sqrt(size / g)) / rng.integers(20, 200)
    if box and mu * size > 0.8 * size:
        return
    run = _run(m, 1.5 * slide + 5 * step, step)
    want = V if box else v + (V - v) * 2.0 / 7.0
    have = run.part("body").velocity.values[-1, 0]
    if abs(have - want) > 1e-6 * (abs(V) + abs(v)) + (0.0 if not box else 1e-3 * abs(V - v)):
        raise Finding(f"the body goes with {have:.9g}, not {want:.9g}")
    if _least(run, "body", np.zeros((1, 3)), 0.5 * size, (0, 0, 1)).min() < -1e-3 * size:
        raise Finding("the body sinks into the belt")


def _sheet(m, body, half, wide):
    return m.mesh(body, box_mesh((half, wide, wide)))


def _bullet(rng):
    """Small fast things against a thin plate: a box, a disc, a closed mesh, a bounded plane's prism, a hull of the
    same; fixed, free or driven."""
    m = hn.Model("bullets")
    m.gravity = (0, 0, 0)
    wide, half = 1.0, 10.0 ** rng.uniform(-5, -2)
    step, e = 10.0 ** rng.uniform(-4, -2), rng.choice([0.0, 0.5, 1.0])
    way = rng.integers(3)
    plate = m.ground if way == 0 else m.part("plate", 1e3, (1e3,) * 3)
    U = 0.0
    if way == 2:
        U = -10.0 * rng.random()
        joint = m.translational(plate, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
        m.motion(joint, f"{float(U)!r}*time")
    target = rng.integers(4)
    if target == 0:
        t = m.box(plate, (0, 0, 0), (2 * half, 2 * wide, 2 * wide))
    elif target == 1:
        t = m.cylinder(plate, (-half, 0, 0), (half, 0, 0), wide)
    elif target == 2:
        t = _sheet(m, plate, half, wide)
    else:
        t = m.sphere(plate, (wide, 0, 0), wide)
    bullets, radii = [], []
    for k in range(rng.integers(1, 5)):
        r = 10.0 ** rng.uniform(-3.5, -2)
        v = np.array([10.0 ** rng.uniform(1, 3), *(rng.normal(size=2) * 3)])
        at = np.array([-0.05 - 0.3 * rng.random(), *(0.3 * rng.uniform(-1, 1, 2))])
        mass = 5000 * r**3
        body = m.part(f"b{k}", mass, (0.4 * mass * r * r,) * 3, tuple(at), velocity=tuple(v))
        bullets.append(m.sphere(body, at, r))
        radii.append(r)
    m.contact(bullets, t, restitution=e, mu=rng.choice([0.0, 0.3]))
    run = _run(m, 8 * step, step)
    if way != 2:
        _energy(run)
    centre = np.zeros((len(run.time), 3)) if way == 0 else run.part("plate").position.values
    tilt = np.broadcast_to(np.eye(3), (len(run.time), 3, 3)) if way == 0 else run.part("plate").axes.values
    for k in range(len(bullets)):
        x = np.einsum("tji,tj->ti", tilt, run.part(f"b{k}").position.values - centre)
        depth = x[:, 0] if target < 3 else wide - np.linalg.norm(x - [wide, 0, 0], axis=1)
        inside = np.hypot(x[:, 1], x[:, 2]) < 0.9 * wide
        if (depth[inside] > half if target < 3 else depth > radii[k]).any():
            raise Finding(f"bullet {k} is through the plate of kind {target}")


def _crowd(rng):
    """Bodies of all types thrown about in a closed box of thin plates."""
    m = hn.Model("crowd")
    g = rng.choice([0.0, 9.81, 100.0])
    m.gravity = (0, 0, -g)
    thin = 10.0 ** rng.uniform(-3.5, -1.5)
    walls = []
    for axis, sign in itertools.product(range(3), (-1.0, 1.0)):
        at, sides = np.zeros(3), np.full(3, 2.0 + 4 * thin)
        at[axis], sides[axis] = sign * (1.0 + thin), 2 * thin
        walls.append(m.box(m.ground, at, sides))
    step, speed = 10.0 ** rng.uniform(-3.3, -2), 10.0 ** rng.uniform(0, 2)
    shapes, kinds = [], []
    for k in range(rng.integers(1, 6)):
        at = np.array([(k % 2 - 0.5), (k // 2 % 2 - 0.5), (k // 4 - 0.5)])
        kind = SHAPES[rng.integers(len(SHAPES))]
        shape, points, r = _body(
            m, rng, f"b{k}", kind, at, 0.25, speed * rng.normal(size=3), speed * rng.normal(size=3)
        )
        shapes.append(shape)
        kinds.append((kind, points, r))
    e, mu = rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 0.4])
    m.contact(shapes, walls, restitution=e, mu=mu)
    if len(shapes) > 1:
        m.contact(shapes, restitution=e, mu=mu)
    run = _run(m, min(60 * step, 6.0 / speed), step)
    _energy(run)
    for k, (kind, _, _) in enumerate(kinds):
        x = np.abs(run.part(f"b{k}").position.values).max()
        if x > 1.0:
            raise Finding(f"the {kind} {k} has left the box: {x:.3g}")


def _cloud(rng):
    """Small fast balls that nothing holds: momentum, angular momentum, and nobody through anybody."""
    m = hn.Model("cloud")
    m.gravity = (0, 0, 0)
    n, shapes, masses, radii = int(rng.integers(2, 9)), [], [], []
    step, speed = 10.0 ** rng.uniform(-4, -2.5), 10.0 ** rng.uniform(1, 2.7)
    for k in range(n):
        r = 10.0 ** rng.uniform(-3, -1.5)
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        x = d * (0.2 + 0.15 * k)
        u = -d * speed * rng.uniform(0.3, 1.0) + rng.normal(size=3) * 0.02 * speed
        mass = 4000 * r**3
        body = m.part(
            f"b{k}",
            mass,
            (0.4 * mass * r * r,) * 3,
            tuple(x),
            velocity=tuple(u),
            angular_velocity=tuple(rng.normal(size=3) * 100),
        )
        shapes.append(m.sphere(body, x, r))
        masses.append(mass)
        radii.append(r)
    m.contact(shapes, restitution=rng.choice([0.0, 0.6, 1.0]), mu=rng.choice([0.0, 0.5]))
    run = _run(m, min(1.5 / speed, 300 * step), step)
    _energy(run)
    masses, radii = np.array(masses), np.array(radii)
    x = np.array([run.part(f"b{k}").position.values for k in range(n)])
    v = np.array([run.part(f"b{k}").velocity.values for k in range(n)])
    w = np.array([run.part(f"b{k}").angular_velocity.values for k in range(n)])
    p = np.einsum("k,kti->ti", masses, v)
    size = (masses[:, None] * np.linalg.norm(v[:, 0], axis=1)[:, None]).sum()
    if np.abs(p - p[0]).max() > 1e-10 * size:
        raise Finding(f"momentum changes by {np.abs(p - p[0]).max() / size:.2g} of its size")
    L = np.einsum("k,kti->ti", masses, np.cross(x, v)) + np.einsum("k,kti->ti", 0.4 * masses * radii**2, w)
    # impulses give none; what overlapped and is moved apart changes positions, by a part of a radius
    if np.abs(L - L[0]).max() > 0.1 * radii.max() * size:
        raise Finding(f"angular momentum changes by {np.abs(L - L[0]).max() / size:.2g} of momentum times length")
    for i, j in itertools.combinations(range(n), 2):
        d = x[j] - x[i]
        way = np.diff(d, axis=0)
        s = np.clip(-(d[:-1] * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-300), 0, 1)
        near = np.linalg.norm(d[:-1] + s[:, None] * way, axis=1).min() / (radii[i] + radii[j])
        if near < 0.3:
            raise Finding(
                f"balls {i} and {j} go through each other: {near:.3g} of the sum of their radii is left between the "
                "centres"
            )


def _rods(rng):
    """Two thin rods that fly across each other."""
    m = hn.Model("rods")
    m.gravity = (0, 0, 0)
    r, step = 10.0 ** rng.uniform(-4, -2), 10.0 ** rng.uniform(-4, -2.5)
    V = 10.0 ** rng.uniform(1, 2.5)
    shapes, kinds = [], ("capsule", "cylinder", "box")
    word = kinds[rng.integers(3)]
    for k, side in enumerate((-1.0, 1.0)):
        A = _turned(rng)
        if k == 0:
            A = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
        else:
            w = rng.uniform(0.3, 1.2)
            z = np.array([0, np.sin(w), np.cos(w)])
            z = z - 0.1 * rng.normal() * np.array([1.0, 0, 0])
            z /= np.linalg.norm(z)
            y = np.cross(z, [1.0, 0, 0])
            y /= np.linalg.norm(y)
            A = np.column_stack([np.cross(y, z), y, z])
        at = np.array([side * rng.uniform(0.1, 0.3), 0, 0])
        mass = 10.0
        body = m.part(
            f"r{k}",
            mass,
            (mass / 3 * 0.25, mass / 3 * 0.25, mass * r * r / 2),
            tuple(at),
            axes=A,
            velocity=(-side * V, 0, 0),
        )
        if word == "box":
            shapes.append(m.box(body, at, (2 * r, 2 * r, 1.0), x=A[:, 0], z=A[:, 2]))
        else:
            shapes.append(getattr(m, word)(body, at - 0.5 * A[:, 2], at + 0.5 * A[:, 2], r))
    m.contact(*shapes, restitution=rng.choice([0.0, 0.5, 1.0]), mu=rng.choice([0.0, 0.3]))
    run = _run(m, 0.45 / V, min(step, 0.1 / V))
    _energy(run)
    a, b = run.part("r0"), run.part("r1")
    za, zb = a.axes.values[:, :, 2], b.axes.values[:, :, 2]
    d, n = b.position.values - a.position.values, np.cross(za, zb)
    c = (za * zb).sum(axis=1)
    det = 1 - c * c
    s, t = (
        ((za * d).sum(axis=1) - c * (zb * d).sum(axis=1)) / det,
        (c * (za * d).sum(axis=1) - (zb * d).sum(axis=1)) / det,
    )
    over = (np.abs(s) < 0.45) & (np.abs(t) < 0.45) & (det > 0.01)
    side = (d * n).sum(axis=1) / np.sqrt(det)
    stays = np.cumprod(over).astype(bool)  # as long as they lie across each other
    if (side[stays] * np.sign(side[0]) < 0.0).any():
        raise Finding("the rods have gone through each other")


def _order(rng):
    """A ball that rolls in a lying drum, turned in space: order two by halving the step, whatever the load."""
    R = 10.0 ** rng.uniform(-2, 1)
    r = R * rng.uniform(0.02, 0.3)
    g = 9.81 * rng.choice([0.0, 0.1, 1.0, 10.0])
    a = R - r
    w = np.sqrt((10.0 ** rng.uniform(-1, 2) * 9.81 + 6 * g) / a)
    A, e = _turned(rng), rng.choice([0.0, 0.5])
    ends = []
    for n in (200, 400, 800):
        m = hn.Model("rolling")
        m.gravity = tuple(-g * A[:, 0])
        at, v = -a * A[:, 0], a * w * A[:, 1]
        ball = m.part(
            "ball", 1.0, (0.4 * r * r,) * 3, tuple(at), velocity=tuple(v), angular_velocity=tuple(a * w / r * A[:, 2])
        )
        m.contact(
            m.sphere(ball, at, r),
            m.cylinder(m.ground, -2 * R * A[:, 2], 2 * R * A[:, 2], R, inside=True),
            mu=20.0,
            restitution=e,
        )
        m.rigid.penetration = 1e-9 * r
        run = hn.simulate(m, 2.0 / w, 4, contact="time-stepping", step=2.0 / w / n, progress=False)
        ends.append(run.part("ball").position.values[-1])
    first, second = np.linalg.norm(ends[0] - ends[1]), np.linalg.norm(ends[1] - ends[2])
    if second > 1e-7 * R and np.log2(first / second) < 1.8:
        raise Finding(f"rolling is of order {np.log2(first / second):.3g}")
    if first > 0.01 * R:
        raise Finding(f"the step halved changes the position by {first / R:.3g} of the drum")


def _blade(rng):
    """A long blade that turns fast over balls: none is on its other side without having been struck."""
    m = hn.Model("blade")
    m.gravity = (0, 0, 0)
    half, w, step = 10.0 ** rng.uniform(-3.5, -2), 10.0 ** rng.uniform(1, 2.5), 10.0 ** rng.uniform(-3.5, -2.5)
    blade = m.part("blade", 50.0, (1.0, 17.0, 17.0), angular_velocity=(0, 0, w))
    m.revolute(m.ground, blade, at=(0, 0, 0), axis=(0, 0, 1))
    shape, balls = m.box(blade, (0, 0, 0), (2.0, 2 * half, 0.2)), []
    n = int(rng.integers(1, 4))
    for k in range(n):
        angle, far, r = 0.5 + 0.7 * k + 0.3 * rng.random(), rng.uniform(0.2, 0.8), 10.0 ** rng.uniform(-2.5, -1.5)
        at = far * np.array([np.cos(angle), np.sin(angle), 0])
        ball = m.part(f"b{k}", 5.0 * r, (2.0 * r**3,) * 3, tuple(at))
        balls.append(m.sphere(ball, at, r))
    m.contact(balls, shape, restitution=rng.choice([0.0, 0.5]), mu=0.0)
    end = (0.5 + 0.7 * n + 0.6) / w
    run = _run(m, end, min(step, 0.3 * end))
    for k in range(n):
        if np.linalg.norm(run.part(f"b{k}").velocity.values[-1]) < 0.02 * w:
            raise Finding(f"the blade has passed ball {k}")
    kinetic = run.energy.kinetic.values
    if np.diff(kinetic).max() > 1e-6 * kinetic[0]:
        raise Finding(f"energy grows by {np.diff(kinetic).max() / kinetic[0]:.2g}")

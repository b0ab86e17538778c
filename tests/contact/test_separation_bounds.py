"""The theorem of section 8 of docs/theory.md: times without contact after and before an evaluation, against the true
motion.

Two bodies move along given curves with given rotations.  One evaluation at the middle of the interval returns how long
nothing can touch after it, and how long nothing can have touched before it.  The oracle samples the same motion 10,000
times with distances of its own: closed forms for balls, separating axes for polyhedra (S. Gottschalk, M. Lin, D.
Manocha, SIGGRAPH 1996, 171), unions of boxes for bodies that are not convex.
"""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.analyses.contact.events import ContactEvents
from holonom.contact.event_functions import AHEAD, BEHIND
from holonom.contact.unilateral import SLACK, W_AHEAD, W_BEHIND
from holonom.elements.bodies.motion_bounds import ACCELERATION, BOUNDS, SPEED, SPIN, SPIN_RATE, TURN, TURN_RATE
from holonom.system.active_rows import ActiveRows

SAMPLES = 10_000
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


class Motion:
    """x(t) = c0 + c1 t + c2 t^2 + c3 t^3,  A(t) = exp(u f(t)) exp(v g(t)) A0 with cubics f, g without constant
    terms."""

    def __init__(self, rng, size, span, still):
        unit = lambda: (x := rng.normal(size=3)) / np.linalg.norm(x)
        fast = 0.0 if still else 10.0 ** rng.uniform(-1.5, 0.3)
        wild = 0.0 if still or rng.random() < 0.2 else 10.0 ** rng.uniform(-1, 0.5)
        self.x = np.array([np.zeros(3), *(size * fast * unit() / span**k * 0.5 ** (k - 1) for k in (1, 2, 3))])
        self.x[2:] *= rng.random((2, 1)) < 0.7
        self.u, self.v = unit(), unit()
        self.f, self.g = wild * rng.uniform(-1, 1, (2, 3)) / span ** np.arange(1, 4)
        self.A0 = Rotation.random(random_state=int(rng.integers(1 << 31)))

    def pose(self, t):
        """Positions (n, 3) and rotations (n, 3, 3) from the pose at t = 0."""
        p = np.array([t**k for k in range(4)]).T @ self.x
        powers = np.array([t, t**2, t**3]).T
        A = Rotation.from_rotvec(np.outer(powers @ self.f, self.u)) * Rotation.from_rotvec(
            np.outer(powers @ self.g, self.v)
        )
        return p, (A * self.A0).as_matrix()

    def rates(self, t):
        """Velocities (n, 3) and angular velocities in ground axes (n, 3)."""
        v = np.array([np.zeros_like(t), np.ones_like(t), 2 * t, 3 * t**2]).T @ self.x
        powers, slopes = np.array([t, t**2, t**3]).T, np.array([np.ones_like(t), 2 * t, 3 * t**2]).T
        first = Rotation.from_rotvec(np.outer(powers @ self.f, self.u))
        return v, np.outer(slopes @ self.f, self.u) + first.apply(np.outer(slopes @ self.g, self.v))

    def bounds(self, t):
        """A row of `motion_bounds`, sampled; A0 of the body is the identity in its model."""
        row = np.zeros(BOUNDS)
        v, w = self.rates(t)
        A = self.pose(t)[1] @ self.A0.as_matrix().T
        w = np.einsum("nji,nj->ni", A, w)
        step = t[1] - t[0]
        row[SPEED] = np.linalg.norm(v, axis=1).max()
        row[ACCELERATION] = np.linalg.norm(np.diff(v, axis=0), axis=1).max() / step
        row[SPIN : SPIN + 3] = np.abs(w).max(axis=0)
        row[SPIN_RATE : SPIN_RATE + 3] = np.abs(np.diff(w, axis=0)).max(axis=0) / step
        row[TURN] = np.linalg.norm(row[SPIN : SPIN + 3])
        row[TURN_RATE] = np.linalg.norm(row[SPIN_RATE : SPIN_RATE + 3])
        return 1.001 * row


class Shape:
    """``add(model, part, x, A)`` puts it on a part; ``boxes``: (centre, half sides) of a union of boxes, or a signed
    distance of points."""

    def __init__(self, add, radius, boxes=None, distance=None, wall=0.0):
        self.add, self.radius, self.boxes, self.distance, self.wall = add, radius, boxes, distance, wall


def _prism(section, caps, h):
    """Corners and triangles of a prism over a polygon (x, z), counter-clockwise seen from -y, from y = -h to h; caps:
    its triangles."""
    n = len(section)
    corners = np.array([(x, y, z) for y in (-h, h) for x, z in section])
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, n + i, j), (j, n + i, n + j))]
    return corners, [*caps, *((n + c, n + b, n + a) for a, b, c in caps), *sides]


def _shape(kind, rng, size):
    d = size * rng.uniform(0.1, 0.5, 3)
    r = float(np.linalg.norm(d))
    if kind == "ball":
        return Shape(lambda m, p, x, A: m.sphere(p, x, d[0]), d[0], distance=lambda q: np.linalg.norm(q, axis=1) - d[0])
    if kind == "box":
        return Shape(lambda m, p, x, A: m.box(p, x, 2 * d, x=A[:, 0], z=A[:, 2]), r, boxes=[(np.zeros(3), d)])
    if kind == "hull":
        return Shape(lambda m, p, x, A: m.hull(p, (CORNERS * d) @ A.T + x), r, boxes=[(np.zeros(3), d)])
    if kind == "plate":
        d[2] *= 0.01
        return Shape(lambda m, p, x, A: m.box(p, x, 2 * d, x=A[:, 0], z=A[:, 2]), r, boxes=[(np.zeros(3), d)])
    if kind == "capsule":
        h, a = d[0], d[1]
        far = lambda q: np.hypot(np.hypot(q[:, 0], q[:, 1]), np.maximum(np.abs(q[:, 2]) - h, 0.0)) - a
        return Shape(lambda m, p, x, A: m.capsule(p, x - h * A[:, 2], x + h * A[:, 2], a), h + a, distance=far)
    if kind == "cylinder":
        h, a = d[0], d[1]

        def far(q):
            s = np.array([np.hypot(q[:, 0], q[:, 1]) - a, np.abs(q[:, 2]) - h])
            return np.linalg.norm(np.maximum(s, 0.0), axis=0) + np.minimum(s.max(axis=0), 0.0)

        return Shape(
            lambda m, p, x, A: m.cylinder(p, x - h * A[:, 2], x + h * A[:, 2], a), float(np.hypot(h, a)), distance=far
        )
    if kind == "torus":
        a, b = 0.3 * d[0], d[0]
        far = lambda q: np.hypot(np.hypot(q[:, 0], q[:, 1]) - b, q[:, 2]) - a
        return Shape(lambda m, p, x, A: m.torus(p, x, A[:, 2], b, a), a + b, distance=far, wall=2 * a)
    # an angle of two plates
    w = 0.1 * d.min()
    boxes = [
        (np.array([0.0, 0.0, -d[2] + w]), np.array([d[0], d[1], w])),
        (np.array([-d[0] + w, 0.0, w]), np.array([w, d[1], d[2] - w])),
    ]
    section = (
        np.array(
            [
                (-1, -1),
                (1, -1),
                (1, -1 + 2 * w / d[2]),
                (-1 + 2 * w / d[0], -1 + 2 * w / d[2]),
                (-1 + 2 * w / d[0], 1),
                (-1, 1),
            ]
        )
        * d[[0, 2]]
    )
    if kind == "angle":
        corners, triangles = _prism(section, [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)], d[1])
        return Shape(lambda m, p, x, A: m.mesh(p, (corners @ A.T + x, triangles)), r, boxes=boxes, wall=2 * w)
    raise ValueError(kind)


def _apart_by_axes(pa, A, ha, pb, B, hb):
    """Largest separation of two boxes along the 15 axes that decide, at n poses: positive where they are apart."""
    d = pa - pb
    axes = [A[:, :, k] for k in range(3)] + [B[:, :, k] for k in range(3)]
    axes += [np.cross(A[:, :, i], B[:, :, j]) for i in range(3) for j in range(3)]
    best = np.full(len(d), -np.inf)
    for n in axes:
        length = np.linalg.norm(n, axis=1)
        n = n / np.maximum(length, 1e-9)[:, None]
        reach = np.abs(np.einsum("nij,ni->nj", A, n)) @ ha + np.abs(np.einsum("nij,ni->nj", B, n)) @ hb
        best = np.maximum(best, np.where(length > 1e-6, np.abs(np.einsum("ni,ni->n", d, n)) - reach, -np.inf))
    return best


def _ball_and_boxes(q, boxes):
    """Distance of points from a union of boxes, negative inside of one."""
    least = np.full(len(q), np.inf)
    for c, h in boxes:
        s = np.abs(q - c) - h
        least = np.minimum(least, np.linalg.norm(np.maximum(s, 0.0), axis=1) + np.minimum(s.max(axis=1), 0.0))
    return least


def _true_gap(a, b, first, second, t):
    """(n,) of at least the sign of the gap at the times t; shape a is a ball unless both have boxes."""
    (p, A), (q, B) = first.pose(t), second.pose(t)
    if a.boxes and b.boxes:
        out = np.full(len(t), np.inf)
        for (c, h), (e, k) in itertools.product(a.boxes, b.boxes):
            out = np.minimum(out, _apart_by_axes(p + A @ c, A, h, q + B @ e, B, k))
        return out
    local = np.einsum("nji,nj->ni", B, p - q)
    return (_ball_and_boxes(local, b.boxes) if b.boxes else b.distance(local)) - a.radius


CONVEX = [("ball", k) for k in ("ball", "box", "plate", "hull", "capsule", "cylinder")] + [
    ("box", "box"),
    ("box", "plate"),
    ("hull", "box"),
    ("hull", "hull"),
]
OTHERS = [("ball", "torus"), ("ball", "angle"), ("angle", "angle"), ("box", "angle")]


def _times(shapes, motions, size, span, bounds, rigid):
    """Times ahead and behind of one evaluation at the middle of the interval."""
    m = hn.Model("pair")
    m.gravity = (0, 0, 0)
    solids = []
    for name, of, motion in zip("ab", shapes, motions):
        part = m.part(name, 1.0, (0.7 * size**2, 0.8 * size**2, 0.9 * size**2), motion.x[0])
        solids.append(of.add(m, part, motion.x[0], motion.A0.as_matrix()))
    m.contact(*solids, stiffness=1e4, exponent=1.5, restitution=0.5)
    sim = hn.Simulation(m)
    sim.dynamics(end=1.0, steps=1, contact="events" if rigid else "compliant")
    system, y = sim.system, sim.y.copy()
    for k, motion in enumerate(motions):
        v, w = motion.rates(np.zeros(1))
        y[13 * k + 7 : 13 * k + 13] = [*v[0], *w[0]]
    bounds = np.vstack([bounds, np.zeros((system.nb + 1 - len(bounds), BOUNDS))])
    if not rigid:
        events = ContactEvents(system)
        events.begin(0.0, y, False)
        events.monitor.bounds[:] = bounds
        events._evaluate_gaps(0.0, y, span, span)
        return float(events.out[AHEAD]), float(events.out[BEHIND])
    rows = ActiveRows(system)
    rows.depth, rows.slow, rows.reach, rows.noise = 1e-12 * size, 0.0, size, (0.0, 0.0)
    rows.set([])
    rows.T.settings[SLACK] = 1e-12 * size
    rows.T.out[W_BEHIND] = span
    out = rows.event_function(0.0, y, span, bounds)
    times = float(out[W_AHEAD]), float(out[W_BEHIND])
    rows.release()
    return times


def _one(kinds, seed):
    """Times ahead and behind of one evaluation by method, times of true first touches on both sides, and the interval;
    None where they overlap at once."""
    rng = np.random.default_rng([seed, *(ord(c) for c in kinds[0] + kinds[1])])
    size, span = 10.0 ** rng.uniform(-2, 1), 10.0 ** rng.uniform(-2, 0)
    a, b = _shape(kinds[0], rng, size), _shape(kinds[1], rng, size * 10.0 ** rng.uniform(-0.3, 0.5))
    if rng.random() < 0.3:
        span *= 0.02
    first, second = Motion(rng, size, span, False), Motion(rng, size, span, rng.random() < 0.3)
    away = rng.normal(size=3)
    away /= np.linalg.norm(away)
    # as near as wanted: moved towards each other along a line by bisection on the oracle
    low, high = 0.0, 1.01 * (a.radius + b.radius)
    for _ in range(40):
        middle = 0.5 * (low + high)
        first.x[0] = middle * away
        low, high = (low, middle) if _true_gap(a, b, first, second, np.zeros(1))[0] > 0.0 else (middle, high)
    first.x[0] = (high + size * 10.0 ** rng.uniform(-4, -0.3)) * away
    if _true_gap(a, b, first, second, np.zeros(1))[0] <= 0.0:
        return None
    second.x[0] += (far := size * rng.choice([0.0, 100.0]) * away)
    first.x[0] += far

    around = np.linspace(-1.25 * span, 1.25 * span, 4001)
    bounds = np.array([motion.bounds(around) for motion in (first, second)])
    times = {
        method: _times((a, b), (first, second), size, span, bounds, method == "events")
        for method in ("compliant", "events")
    }
    touches = []
    allowed = 1e-9 * size + 0.11 * min(x.wall for x in (a, b) if x.wall) if a.wall or b.wall else 1e-9 * size
    for sign in (1.0, -1.0):
        t = np.linspace(0.0, 1.25 * span, SAMPLES)
        through = _true_gap(a, b, first, second, sign * t) < -allowed
        touches.append(float(t[np.argmax(through)]) if through.any() else np.inf)
    return times, touches, span


@pytest.mark.parametrize(
    "seeds",
    [range(4), *(pytest.param(r, marks=pytest.mark.slow) for r in (range(8), range(8, 40)))],
    ids=["few", "eight", "more"],
)
@pytest.mark.parametrize("kinds", CONVEX + OTHERS, ids="-".join)
def test_nothing_touches_within_the_times_of_an_evaluation(kinds, seeds):
    met, useful = {"compliant": 0, "events": 0}, {"compliant": 0, "events": 0}
    for seed in seeds:
        found = _one(kinds, seed)
        if found is None:
            continue
        by_method, touches, span = found
        for method, times in by_method.items():
            for what, time, touch in zip(("after", "before"), times, touches):
                assert time >= 0.0
                assert touch >= min(time, span), (method, kinds, seed, what, time, touch, span)
                met[method] += touch < span
                useful[method] += time > 0.05 * min(touch, span)
    assert min(met.values()) >= len(seeds) // 4  # the motions are such that there is something to find
    assert min(useful.values()) >= 3 * len(seeds) // 8  # and the times are not trivially short

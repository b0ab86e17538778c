"""Small scenes of rigid contact, as problems of one step: bodies with axes along ground's, contacts by points and
normals."""

import numpy as np

from holonom.contact.rigid import make_problem


class Scene:
    def __init__(self, d=3):
        self.d = d
        self.bodies = []  # mass, inertia (3), position
        self.u = []
        self.contacts = []

    def body(self, mass, inertia, position=(0.0, 0.0, 0.0), v=(0.0, 0.0, 0.0), w=(0.0, 0.0, 0.0)):
        inertia = np.broadcast_to(np.asarray(inertia, float), 3)
        self.bodies.append((np.r_[np.full(3, 1.0 / mass), 1.0 / inertia], np.asarray(position, float)))
        self.u.append(np.r_[v, w].astype(float))
        return len(self.bodies) - 1

    def box(self, mass, sides, position, **motion):
        a, b, c = np.square(sides)
        return self.body(mass, mass / 12 * np.array([b + c, a + c, a + b]), position, **motion)

    def ball(self, mass, radius, position, **motion):
        return self.body(mass, 0.4 * mass * radius**2, position, **motion)

    def contact(self, i, j, point, normal, mu=0.0, spin=0.0, roll=0.0, q=0.0, tangent=None):
        """Contact of body i with j (None: ground) at a point, normal towards i."""
        n = np.asarray(normal, float) / np.linalg.norm(normal)
        t = np.eye(3)[np.argmin(abs(n))] if tangent is None else np.asarray(tangent, float)
        t = t - n * (n @ t)
        t /= np.linalg.norm(t)
        self.contacts.append((i, j, np.asarray(point, float), np.array([n, t, np.cross(n, t)]), (mu, spin, roll), q))

    def problem(self, spare=0):
        nb, d, n = len(self.bodies), self.d, len(self.contacts)
        Minv = np.zeros((nb + 1, 6))
        u = np.zeros(6 * (nb + 1))
        for b in range(nb):
            Minv[b] = self.bodies[b][0]
            u[6 * b : 6 * b + 6] = self.u[b]
        P = make_problem(n + spare, d, nb, Minv, u)
        P.count[0] = n
        for k, (i, j, point, axes, mu, q) in enumerate(self.contacts):
            P.body[k] = i, nb if j is None else j
            for side, body, sign in ((0, i, 1.0), (6, j, -1.0)):
                if body is None:
                    continue
                arm = point - self.bodies[body][1]
                for e in range(d):
                    axis = axes[e % 3]
                    if e < 3:
                        P.H[k, e, side : side + 3] = sign * axis
                        P.H[k, e, side + 3 : side + 6] = sign * np.cross(arm, axis)
                    else:
                        P.H[k, e, side + 3 : side + 6] = sign * axis
            P.q[k, 0] = q
            P.mu[k] = mu
        return P


def boxes_on_slope(mu, angle, boxes=1, h=1e-3, mass=None, d=3, g=9.81):
    """Cubes of side 1 on each other, ground below, gravity tilted by an angle about y (down the slope: +x)."""
    s = Scene(d)
    dv = h * g * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    for b in range(boxes):
        s.box(1.0 if mass is None else mass[b], (1.0, 1.0, 1.0), (0.0, 0.0, b + 0.5), v=dv)
        for x in (-0.5, 0.5):
            for y in (-0.5, 0.5):
                s.contact(b, b - 1 if b else None, (x, y, b), (0, 0, 1), mu)
    return s.problem()


def random_balls(n, mu, seed=0, d=3, spin=0.0, roll=0.0, spread=0.02, h=1e-3):
    """A cubic packing of n^3 slightly displaced unit balls in an open box, with gravity: every near pair is a
    contact."""
    rng = np.random.default_rng(seed)
    s = Scene(d)
    at = {}
    for x in range(n):
        for y in range(n):
            for z in range(n):
                p = np.array([x, y, z]) + rng.uniform(-spread, spread, 3)
                v = rng.normal(0, 0.3 * h * 9.81, 3) + [0, 0, -h * 9.81]
                at[x, y, z] = s.ball(rng.uniform(0.5, 2.0), 0.5, p, v=v, w=rng.normal(0, 0.3 * h * 9.81, 3))
    position = lambda b: s.bodies[b][1]
    for (x, y, z), b in at.items():
        for e in np.eye(3, dtype=int):
            other = at.get((x + e[0], y + e[1], z + e[2]))
            if other is not None:
                gap = position(other) - position(b)
                s.contact(other, b, position(b) + gap / 2, gap, mu, spin, roll)
        if z == 0:
            s.contact(b, None, position(b) - [0, 0, 0.5], (0, 0, 1), mu, spin, roll)
        for axis, cell in ((0, x), (1, y)):
            for side, limit in ((1.0, 0), (-1.0, n - 1)):
                if cell == limit:
                    normal = side * np.eye(3)[axis]
                    s.contact(b, None, position(b) - 0.5 * normal, normal, mu, spin, roll)
    return s.problem()


def brick_wall(wide, high, mu, h=1e-3, g=9.81, tilt=0.0):
    """Bricks of 2 x 1 x 1 in bond, four points where two overlap; gravity tilted along the wall."""
    s = Scene()
    dv = h * g * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    rows = []
    for z in range(high):
        first = 0.0 if z % 2 == 0 else 1.0
        row = [(2 * k + first, s.box(1.0, (2, 1, 1), (2 * k + first, 0, z + 0.5), v=dv)) for k in range(wide)]
        for x, b in row:
            below = [(p, c) for p, c in rows[-1] if abs(p - x) < 2] if z else [(x, None)]
            for p, c in below:
                left, right = max(x, p) - 1, min(x, p) + 1
                for px in (left, right):
                    for py in (-0.5, 0.5):
                        s.contact(b, c, (px, py, z), (0, 0, 1), mu)
        rows.append(row)
    return s.problem()


def pairs_of_balls(n, mu, seed=0, h=1e-3):
    """Pairs of balls on the ground with random velocities: the Delassus matrix is regular."""
    rng = np.random.default_rng(seed)
    s = Scene()
    for k in range(n):
        s.ball(
            rng.uniform(0.5, 2.0),
            0.5,
            (k, 0, 0.5),
            v=rng.normal(0, 5 * h, 3) - [0, 0, 10 * h],
            w=rng.normal(0, 5 * h, 3),
        )
        s.contact(k, None, (k, 0, 0), (0, 0, 1), mu)
        if k % 2:
            s.contact(k, k - 1, (k - 0.5, 0, 0.5), (1, 0, 0), mu)
    return s.problem()


def copy(P):
    return P._replace(**{name: a.copy() for name, a in P._asdict().items()})

"""Flights of one body through another, for the contact referee: two shapes, aimed so that a point well inside the first
meets one well inside the second at half time, with the search switched off for this pair over all of the run or an
interval of it."""

from __future__ import annotations

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom._handle import make_handle
from holonom.analyses.dynamics.analysis import Dynamics
from holonom.contact.call import ENGINE_TABLES
from holonom.system.contacts import Contacts

LAW = {"stiffness": 1e6, "exponent": 1.5, "damping": 100.0, "dmax": 1e-4}
INNER = 0.6  # points are not farther from the middle of a wall than this share of its half thickness


def _ball(rng):
    r = rng.uniform(0.03, 0.2)
    return lambda m, b, p, A: m.sphere(b, p, r), INNER * r * _unit(rng) * rng.random(), r


def _box(rng, thin=None):
    h = rng.uniform(0.02, 0.2, 3)
    if thin is not None:
        h = np.array([*rng.uniform(0.1, 0.2, 2), thin])
    least = h.min()
    inner = (h - 0.4 * least) * rng.uniform(-1, 1, 3)
    return lambda m, b, p, A: m.box(b, p, tuple(2 * h), x=A[:, 0], z=A[:, 2]), inner, float(np.linalg.norm(h))


def _plate(rng):
    return _box(rng, 10 ** rng.uniform(-3.3, -2))


def _mesh_box(rng):
    h = np.array([*rng.uniform(0.1, 0.2, 2), 10 ** rng.uniform(-3.3, -2)])
    mesh = trimesh.creation.box(2 * h)
    inner = (h - 0.4 * h.min()) * rng.uniform(-1, 1, 3)
    return lambda m, b, p, A: m.mesh(b, mesh, at=p, x=A[:, 0], z=A[:, 2]), inner, float(np.linalg.norm(h))


def _round(rng, kind):
    r, half = rng.uniform(0.01, 0.1), rng.uniform(0.05, 0.25)
    ring = INNER * r * rng.random() * np.array([*_unit(rng)[:2], 0.0])
    inner = ring + np.array([0, 0, rng.uniform(-1, 1) * (half if kind == "capsule" else half - 0.4 * min(r, half))])
    make = lambda m, b, p, A: getattr(m, kind)(b, p - half * A[:, 2], p + half * A[:, 2], r)
    return make, inner, float(half + r)


def _ellipsoid(rng):
    a = rng.uniform(0.04, 0.2, 3)
    inner = INNER * a * _unit(rng) * rng.random()
    return lambda m, b, p, A: m.ellipsoid(b, p, tuple(a), x=A[:, 0], z=A[:, 2]), inner, float(a.max())


def _torus(rng):
    major = rng.uniform(0.08, 0.2)
    minor = rng.uniform(0.1, 0.4) * major
    u = rng.uniform(0, 2 * np.pi)
    inner = major * np.array([np.cos(u), np.sin(u), 0.0]) + INNER * minor * _unit(rng) * rng.random()
    return lambda m, b, p, A: m.torus(b, p, A[:, 2], major, minor), inner, major + minor


def _cup(rng, solid=False):
    t, r = 10 ** rng.uniform(-3.3, -2.2), 0.1
    profile = np.array([(0, 0), (r, 0), (r, r), (r - t, r), (r - t, t), (0, t)])
    u, w = rng.uniform(0, 2 * np.pi), 0.5 + 0.3 * rng.uniform(-1, 1)
    rho, z = ((r - t) * rng.random(), w * t) if rng.random() < 0.5 else (r - w * t, t + (r - 1.5 * t) * rng.random())
    if solid:
        make = lambda m, b, p, A: m.revolution(b, profile, at=p, axis=A[:, 2])
        return make, np.array([rho * np.cos(u), rho * np.sin(u), z]), 0.15
    sections = 24
    mesh = trimesh.creation.revolve(profile, sections=sections)
    mesh.merge_vertices()
    if mesh.volume < 0:
        mesh.invert()
    u = 2 * np.pi / sections * rng.integers(sections)  # in the plane of a seam, where the polygon is the circle
    return (
        lambda m, b, p, A: m.mesh(b, mesh, at=p, x=A[:, 0], z=A[:, 2]),
        np.array([rho * np.cos(u), rho * np.sin(u), z]),
        0.15,
    )


def _angle(rng):
    t, a, half = 10 ** rng.uniform(-3, -2), 0.1, 0.1
    profile = [(0, 0), (a, 0), (a, t), (t, t), (t, a), (0, a)]
    w, along = t * (0.5 + 0.3 * rng.uniform(-1, 1)), rng.uniform(2 * t, a - t)
    x, y = (along, w) if rng.random() < 0.5 else (w, along)
    make = lambda m, b, p, A: m.extrusion(b, profile, 2 * half, at=p - half * A[:, 2], axis=A[:, 2], x=A[:, 0])
    return make, np.array([x, y, (half - t) * rng.uniform(-1, 1)]), 0.2


def _hull(rng):
    points = 0.15 * np.array([_unit(rng) for _ in range(12)]) * rng.uniform(0.5, 1, (12, 1))
    inner = points.mean(axis=0)
    return lambda m, b, p, A: m.hull(b, points, at=p, x=A[:, 0], z=A[:, 2]), inner, 0.15


def _cone(rng):
    r, h = rng.uniform(0.05, 0.15), rng.uniform(0.1, 0.2)
    return (
        lambda m, b, p, A: m.cone(b, p - 0.5 * h * A[:, 2], p + 0.5 * h * A[:, 2], r),
        np.array([0, 0, -0.25 * h]),
        float(np.hypot(r, h)),
    )


MAKERS = {
    "ball": _ball,
    "box": _box,
    "plate": _plate,
    "mesh plate": _mesh_box,
    "cylinder": lambda g: _round(g, "cylinder"),
    "capsule": lambda g: _round(g, "capsule"),
    "ellipsoid": _ellipsoid,
    "torus": _torus,
    "cup": _cup,
    "turned cup": lambda g: _cup(g, True),
    "angle": _angle,
    "hull": _hull,
    "cone": _cone,
}


def _unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


class Flight:
    """One random flight; ``model``, ``options`` of `simulate`, ``off``: interval in which the search is off."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        self.kinds = [str(k) for k in rng.choice(list(MAKERS), 2)]
        (make_a, a, ra), (make_b, b, rb) = (MAKERS[k](rng) for k in self.kinds)
        self.method = str(rng.choice(["compliant", "events", "time-stepping"]))
        m = self.model = hn.Model(f"flight {seed}")
        m.gravity = (0, 0, 0)
        speed = 10 ** rng.uniform(-0.5, 1.5)
        v = speed * _unit(rng)
        half = 2.5 * (ra + rb) / speed
        turns = rng.choice([0.0, 1.0, 6.0]) / half
        spin_a, spin_b = turns * _unit(rng), turns * rng.random() * _unit(rng)
        free = bool(rng.random() < 0.5)
        if not free:
            spin_b = np.zeros(3)
        A, B = Rotation.random(random_state=rng).as_matrix(), Rotation.random(random_state=rng).as_matrix()
        at = lambda w: Rotation.from_rotvec(w * half).as_matrix()
        drift = 0.3 * speed * _unit(rng) if free else np.zeros(3)
        pb = rng.uniform(-1, 1, 3)
        meet = pb + drift * half + B @ at(spin_b) @ b
        pa = meet - A @ at(spin_a) @ a - (v + drift) * half
        J = (1e-2,) * 3
        part = m.part("a", 1.0, J, pa, axes=A, velocity=v + drift, angular_velocity=spin_a)
        other = m.part("b", 2.0, J, pb, axes=B, velocity=drift, angular_velocity=spin_b) if free else m.ground
        first, second = make_a(m, part, pa, A), make_b(m, other, pb, B)
        law = LAW if self.method == "compliant" else {"restitution": 0.5}
        m.contact(first, second, **law)
        if rng.random() < 0.4:  # a pair that continues to touch
            ball = m.part("c", 1.0, J, (5, 5, 5), velocity=(0, 0, -0.4 * half**-1))
            m.contact(m.sphere(ball, (5, 5, 5), 0.1), m.box(m.ground, (5, 5, 4.6), (1, 1, 0.2)), **law)
        self.end = 2.0 * half
        self.options = {"contact": self.method}
        if self.method == "time-stepping":
            self.options["step"] = self.end / rng.integers(40, 400)
        else:
            self.options["error"] = 10 ** rng.uniform(-8, -4)
            if self.method == "compliant":
                self.options["integrator"] = str(rng.choice(["DOP853", "DOPRI5", "RADAU5", "GSTIFF"]))
        self.off = 0.0, np.inf
        if rng.random() < 0.5:
            self.off = 0.3 * half * rng.random(), half * (1.05 + 0.9 * rng.random())
            if self.method != "time-stepping":
                self.options["hmax"] = self.end / 60


def sabotage(monkeypatch, flight: Flight) -> None:
    """The search knows nothing of the first two shapes while ``flight.off`` lasts; the referee does not notice."""
    build, advance = Contacts._build, Dynamics._advance

    def built(self):
        build(self)
        self.S = self.S._replace(excluded=np.array([-1], np.int64))
        self.handle = make_handle(self.S, self.W, ())
        self.addresses[ENGINE_TABLES] = self.handle.address

    def advanced(self, bar):
        c, t = self.system.contacts, self.stepper.t
        lo, hi = sorted(int(b) for b in c.body[:2])
        key = lo * (c.system.nb + 1) + hi if flight.off[0] <= t < flight.off[1] else -1
        if c.S.excluded[0] != key:
            c.S.excluded[0] = key
            c.W.lo[:] = np.inf  # the search begins anew
        return advance(self, bar)

    monkeypatch.setattr(Contacts, "_build", built)
    monkeypatch.setattr(Dynamics, "_advance", advanced)

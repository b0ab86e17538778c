"""Mechanisms with one closed loop, by every joint that may close it."""

import numpy as np

import holonom as hn


def closed_chain(kind, seed=3, armature=None):
    """Arms of four bodies from ground whose last two are joined by a joint of this kind, on springs, in motion."""
    r = np.random.default_rng(seed)
    m = hn.Model(f"closed by {kind}")
    m.gravity = (0.5, -1.0, -9.0)
    ends = []
    for arm in range(2):
        last = m.ground
        for k in range(2):
            spin = r.normal(size=3)
            body = m.part(f"b{arm}{k}", float(r.uniform(0.5, 3.0)), tuple(r.uniform(0.1, 0.19, 3)), r.normal(size=3))
            body.wx, body.wy, body.wz = spin
            pair = (body, last) if r.integers(2) else (last, body)
            joint = ("spherical", "cylindrical")[k]
            getattr(m, joint)(*pair, f"j{arm}{k}", at=r.normal(size=3), axis=r.normal(size=3))
            a, b = m.marker(body, at=0.4 * r.normal(size=3)), m.marker(m.ground, at=r.normal(size=3))
            m.spring_damper(a, b, stiffness=80.0, damping=3.0, length=0.3)
            last = body
        ends.append(last)
    at, axis = r.normal(size=3), r.normal(size=3)
    if kind in ("inline", "inplane", "orientation", "parallel", "perpendicular"):
        kinds = {"parallel": "PARALLEL_AXES"}
        m.primitive(kinds.get(kind, kind.upper()), *ends, "closing", at=at, axis=axis)
    elif armature:
        m.revolute(*ends, "closing", at=at, axis=axis, armature=armature)
    else:
        getattr(m, kind)(*ends, "closing", at=at, axis=axis)
    return m


CLOSED_BY = ("revolute", "spherical", "universal", "cylindrical", "translational", "planar", "fixed")
CLOSED_BY += ("inline", "inplane", "orientation", "parallel", "perpendicular")


def rods(lengths, angles, mass=1.0):
    """Planar chain of rods from the origin, hinged to each other and at its end to ground."""
    m = hn.Model("rods")
    m.gravity = (0, 0, -9.81)
    x, last = np.zeros(3), m.ground
    for k, (length, angle) in enumerate(zip(lengths, angles)):
        way = length * np.array([np.cos(angle), 0.0, np.sin(angle)])
        axes = np.column_stack([way / length, [0, 1, 0], np.cross(way / length, [0, 1, 0])])
        rod = m.part(f"rod{k}", mass, (0.001, mass * length**2 / 12, mass * length**2 / 12), x + way / 2, axes=axes)
        m.revolute(rod, last, f"pin{k}", at=x, axis=(0, 1, 0))
        x, last = x + way, rod
    m.revolute(last, m.ground, "closing", at=x, axis=(0, 1, 0))
    return m

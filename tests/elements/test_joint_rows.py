"""Rows of every joint: gradient and second derivative against finite differences, in random states off the
constraint."""

import math

import numpy as np
import pytest

from holonom import Model
from holonom.elements.bodies.rigid import move
from holonom.elements.joints import JOINTS
from holonom.integrators.entry import CONSTRAINTS, enter, explicit_handle
from holonom.system.build import System

MORE = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"pd": 0.4}}
PRIMITIVES = ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR")


def bodies(r):
    m = Model("rows")
    parts = [m.part(f"p{k}", 1.0, (1.0, 1.2, 1.4), position=r.normal(size=3), euler=r.normal(size=3)) for k in range(2)]
    return m, parts


def markers(m, parts, r):
    return [m.marker(p, at=r.normal(size=3), euler=r.normal(size=3)) for p in parts]


def joint(kind, r):
    m, parts = bodies(r)
    i, j = markers(m, parts, r)
    if kind in PRIMITIVES:
        m.primitive(kind, i, j)
    else:
        m.joint(kind, i, j, **MORE.get(kind, {}))
    return m


def motion(component, r):
    m, parts = bodies(r)
    i, j = markers(m, parts, r)
    m.motion(None, "0.3 + 0.2*TIME + SIN(TIME)", i=i, j=j, component=component)
    return m


def coupled(r):
    m, (a, b) = bodies(r)
    i, j = markers(m, (a, b), r)
    k, g = m.marker(a, at=r.normal(size=3)), m.marker(m.ground)
    m.coupler([m.cylindrical(i, j), m.revolute(k, g)], [0.7, -0.4], ["T", "R"])
    return m


def general(r):
    m, parts = bodies(r)
    i, j = markers(m, parts, r)
    m.constraint(f"DX({i.id},{j.id},{j.id})*DM({i.id},{j.id}) - SIN(AZ({i.id},{j.id})) - 0.2*TIME**2", i=i)
    return m


def ring(a, b, n=81):
    t = np.linspace(0, 2 * np.pi, n)
    p = np.stack([a * np.cos(t), b * np.sin(t), 0 * t], 1)
    p[-1] = p[0]
    return p


def on_curve(r):
    m, parts = bodies(r)
    curve = m.curve(ring(1.0, 0.7), closed=True, order=6)
    rm = m.marker(parts[1], at=r.normal(size=3), euler=r.normal(size=3))
    frame = m.body_of(rm).frame @ rm.frame
    m.point_on_curve(m.marker_at(parts[0], frame.origin + frame.axes @ [1.0, 0.0, 0.0]), rm, curve)
    return m


def curve_pair(r, tilt=0.4):
    """Two ellipses that touch, the second leaning about the common tangent."""
    m, parts = bodies(r)
    ci, cj = (m.curve(ring(a, b), closed=True, order=6) for a, b in ((0.8, 0.5), (1.3, 0.9)))
    jrm = m.marker(parts[1], at=r.normal(size=3), euler=r.normal(size=3))
    J = m.body_of(jrm).frame @ jrm.frame
    p = lambda u, a, b: (np.array([a * np.cos(u), b * np.sin(u), 0]), np.array([-a * np.sin(u), b * np.cos(u), 0]))
    pj, tj = p(0.7, 1.3, 0.9)
    pi, ti = p(2.0, 0.8, 0.5)
    tj, ti = tj / np.linalg.norm(tj), ti / np.linalg.norm(ti)
    z = np.array([0, 0, 1.0])
    nj, ni = np.cross(z, tj), np.cross(z, ti)
    tw = -tj
    nw = -nj * math.cos(tilt) + z * math.sin(tilt)
    A = J.axes @ np.stack([tw, nw, np.cross(tw, nw)], 1) @ np.stack([ti, ni, z], 1).T
    irm = m.marker_at(parts[0], J.origin + J.axes @ pj - A @ pi, axes=A)
    m.curve_on_curve(irm, ci, jrm, cj, i_ic=tuple(pi), j_ic=tuple(pj))
    return m


MODELS = {k: (lambda r, k=k: joint(k, r)) for k in (*JOINTS, *(p for p in PRIMITIVES if p not in JOINTS))}
MODELS |= {f"motion {c}": (lambda r, c=c: motion(c, r)) for c in ("X", "Y", "Z", "B1", "B2", "B3")}
MODELS |= {"coupler": coupled, "GCON": general, "PTCV": on_curve, "CVCV": curve_pair}


def evaluate(s, t, y):
    handle = explicit_handle(s)
    enter(handle, CONSTRAINTS, y, t, 0.0, 1e-8, 0, s.workspace.equations.stages.d)
    G = np.zeros((s.m, 12))
    for q, (row, body) in enumerate(zip(s.slot_row[:-1], s.slot_body[:-1])):
        G[row, 6 * body : 6 * body + 6] += s.W.rw.G[q]
    return s.W.rw.phi.copy(), G, s.W.rw.phit.copy(), s.W.rw.gamma.copy()


@pytest.mark.parametrize("name", MODELS)
def test_gradient_and_gamma(name):
    r = np.random.default_rng(7)
    s = System(MODELS[name](r))
    y = s.y0.copy()
    if name in ("PTCV", "CVCV"):  # their second derivatives hold on the constraint
        phi, G, _, _ = evaluate(s, 0.3, y)
        assert np.abs(phi).max() < 1e-6
        u = r.normal(size=12)
        u -= np.linalg.pinv(G) @ (G @ u)
    else:
        u = r.normal(size=12)
    for b in range(2):
        y[13 * b + 7 : 13 * b + 13] = u[6 * b : 6 * b + 6]
    t = 0.3

    def moved(d, dt=0.0):
        z = y.copy()
        full = np.zeros(18)
        full[:12] = d
        move(2, z, full)
        return evaluate(s, t + dt, z)

    evaluate(s, t, y)
    s.W.rw.angle_ref[:, 0] = s.W.rw.angle
    phi, G, phit, gamma = evaluate(s, t, y)
    h = 1e-5
    D = np.array([(moved(d)[0] - moved(-d)[0]) / (2 * h) for d in h * np.eye(12)]).T
    np.testing.assert_allclose(G, D, atol=2e-7 * max(1, np.abs(G).max()))
    rate = lambda dt: (lambda v: v[1] @ u + v[2])(moved(dt * u, dt))
    np.testing.assert_allclose((moved(h * u, h)[0] - moved(-h * u, -h)[0]) / (2 * h), G @ u + phit, atol=1e-7)
    np.testing.assert_allclose(gamma, -(rate(h) - rate(-h)) / (2 * h), atol=2e-6 * max(1, np.abs(gamma).max()))

"""The flexible slider-crank of Simeon (IVP test sets): a rod of two sine and two longitudinal shapes, undamped, over
0.1 s.

Its equations are written in a frame along the chord of the rod and are linear in it; ours float with the mean axes of
the same shapes.  Both differ in terms of second order, so that deflections may differ by about their share of the
length, 5e-3.
"""

import numpy as np
import pytest
import scipy.linalg as la

import holonom as hn
from holonom.model.flexible import Flexibility

L1, L2, E, H, RHO, SPEED = 0.15, 0.30, 2e11, 0.008, 7870.0, 150.0
#: at t = 0.1 s: amplitudes of the two sines, change of length
END = (1.893192783e-4, 2.375752010e-5, -8.36327376e-6)
START = (
    np.array([0, 0, 1.03339863e-5, 1.69327969e-5]),
    np.array([0.444896105, 4.63434311e-3, -1.78591076e-6, -2.68938672e-6]),
)
TURN = -74.9957670


def shapes(x):
    """(3, points, 4) two sines, two longitudinal parabolas (at the middle, at the end)."""
    s, o = x / L2, np.zeros_like(x)
    columns = (
        (o, np.sin(np.pi * s), o),
        (o, np.sin(2 * np.pi * s), o),
        (4 * s * (1 - s), o, o),
        (s * (2 * s - 1), o, o),
    )
    return np.moveaxis(np.array(columns), 0, 2)


def rigid(x):
    """(3, points, 3) motions in the plane, about the middle."""
    o = np.zeros_like(x)
    return np.moveaxis(np.array(((o + 1, o, o), (o, o + 1, o), (o, x - L2 / 2, o))), 0, 2)


def machine():
    points, weights = np.polynomial.legendre.leggauss(40)
    x, dm = 0.5 * L2 * (1 + points), 0.5 * L2 * weights * RHO * H * H
    inner = lambda a, b: np.einsum("cpi,p,cpj->ij", a, dm, b)
    stiff = E * H * H / L2
    K = stiff * la.block_diag(
        np.diag([np.pi**4 / 24, 2 * np.pi**4 / 3]) * (H / L2) ** 2, np.array([[16, -8], [-8, 7]]) / 3
    )
    R, F = rigid(x), shapes(x)
    C = la.solve(inner(R, R), inner(R, F))
    squares, V = la.eigh(K, inner(F - R @ C, F - R @ C))
    mode = lambda x: (shapes(x) - rigid(x) @ C) @ V
    phi = mode(x)
    s = np.stack([x - L2 / 2, 0 * x, 0 * x])
    u = np.concatenate([s[:, :, None], phi], axis=2)
    dots = np.einsum("p,apk,bpj->kjab", dm, u, u)
    S = np.trace(dots, axis1=2, axis2=3)[..., None, None] * np.eye(3) - 0.5 * (dots + dots.swapaxes(2, 3))
    cross = np.stack(
        [dots[..., 1, 2] - dots[..., 2, 1], dots[..., 2, 0] - dots[..., 0, 2], dots[..., 0, 1] - dots[..., 1, 0]],
        axis=-1,
    )
    # the start: displacement and velocity of each point, as a motion of the frame and of the modes
    d = shapes(x) @ START[0]
    place, q = la.solve(inner(R, R), inner(R, d[:, :, None]))[:, 0], inner(phi, d[:, :, None])[:, 0]
    velocity = np.stack([-TURN * d[1], SPEED * L1 + TURN * (x + d[0]), 0 * x]) + shapes(x) @ START[1]
    now = s + phi @ q
    B = np.concatenate([R[:, :, :2], np.stack([-now[1], now[0], 0 * x])[:, :, None], phi], axis=2)
    speed = la.solve(inner(B, B), inner(B, velocity[:, :, None]))[:, 0]

    m = hn.Model()
    J = dm @ s[0] ** 2
    rod = m.part(
        "rod",
        dm.sum(),
        (1e-6 * J, J, J),
        position=(L1 + L2 / 2 + place[0], place[1], 0),
        euler=(place[2], 0, 0),
        velocity=(speed[0], speed[1], 0),
        angular_velocity=(0, 0, speed[2]),
    )
    at = np.array([0, L2 / 4, L2 / 2, L2])
    table = np.zeros((4, 6, 4))
    table[:, :3] = mode(at).swapaxes(0, 1)
    flat = lambda a: tuple(np.ravel(a).tolist())
    places = np.stack([at - L2 / 2, 0 * at, 0 * at], axis=1)
    body = hn.flexible.ReducedBody(
        dm.sum(), np.zeros(3), np.diag((1e-6 * J, J, J)), np.sqrt(squares), S, cross, (1, 2, 3, 4), places, table
    )
    m.add(Flexibility(part=rod.id, body=body, damping=(0.0,) * 4, q=flat(q), speed=flat(speed[3:])))
    nodes = [m.marker(m.attachment(rod, k), name=f"n{k}") for k in (1, 2, 3, 4)]
    crank = m.part("crank", 0.36, (2.727e-3,) * 3, angular_velocity=(0, 0, SPEED))
    m.motion(m.revolute(crank, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{SPEED}*time")
    m.revolute(nodes[0], m.marker_at(crank, (L1, 0, 0)))
    slider = m.point_mass("slider", 0.075552, position=(0.450016933, 0, 0))
    m.primitive("ATPOINT", nodes[3], m.markers[slider.cm])
    m.primitive("INLINE", m.markers[slider.cm], m.marker_at(m.ground, (0, 0, 0), z=(1, 0, 0)))
    return m


@pytest.mark.parametrize("integrator", ("RADAU5", "DOP853"))
def test_against_published_values(integrator):
    run = hn.simulate(machine(), end=0.1, steps=100, integrator=integrator, error=1e-7)
    a, b, c, d = (run.marker(f"n{k}").position.values for k in (1, 2, 3, 4))
    along = (d - a) / np.linalg.norm(d - a, axis=1)[:, None]
    quarter, middle = (np.cross(along, x - a)[:, 2] for x in (b, c))
    size = np.abs(middle).max()
    assert 1.5e-3 < size < 1.8e-3
    second = quarter - middle * np.sin(np.pi / 4)
    length = np.linalg.norm(d - a, axis=1) - L2
    assert length[0] == pytest.approx(START[0][3], rel=1e-4)
    assert np.abs([middle[-1] - END[0], second[-1] - END[1], length[-1] - END[2]]).max() < 5e-3 * size
    assert middle[-1] == pytest.approx(END[0], rel=5e-3)

"""How much of a compliant law a lone corner carries: a box that falls on a corner, its diagonal upright, against its
balance of energy at every row, the deepest among them.

    share k d^(e + 1) / (e + 1) + T = m g (h + d)

On a plane the shares of corners are constant (theory, section 9), on other solids a corner that is tilted carries the
whole."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn

HALF, MASS, G, HEIGHT = (0.1, 0.1, 0.1), 2.0, 9.81, 0.05
K, EXPONENT = 1e6, 1.5
UPRIGHT = Rotation.align_vectors([(0, 0, 1)], [HALF])[0].as_matrix()  # a diagonal along z


def fall(kind, floor, axes, low):
    """The run of a box, or its hull, whose lowest point ``low`` below its middle falls by `HEIGHT`."""
    m = hn.Model("fall")
    m.gravity = (0, 0, -G)
    at = (0, 0, low + HEIGHT)
    body = m.part("body", MASS, (MASS * HALF[0] ** 2 * 2 / 3,) * 3, at, axes=axes)
    if kind == "box":
        shape = m.box(body, at, [2 * h for h in HALF], x=axes[:, 0], z=axes[:, 2])
    else:
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * HALF
        shape = m.hull(body, corners, at=at, x=axes[:, 0], z=axes[:, 2])
    if floor == "plane":
        ground = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    elif floor == "bounded plane":
        ground = m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=(2, 2))
    else:
        ground = m.box(m.ground, (0, 0, -0.5), (2, 2, 1))
    m.contact(shape, ground, stiffness=K, exponent=EXPONENT, damping=0.0, dmax=1e-3)
    end = 1.25 * np.sqrt(2 * HEIGHT / G)
    return hn.simulate(m, end, 300, integrator="DOP853", error=1e-9)


@pytest.mark.parametrize("kind", ["box", "hull"])
@pytest.mark.parametrize("floor, corner, face", [("plane", 0.25, 1.0), ("bounded plane", 0.25, 1.0), ("box", 1.0, 1.0)])
def test_depth_of_a_fall_by_its_balance_of_energy(kind, floor, corner, face):
    for share, axes, low in ((corner, UPRIGHT, np.linalg.norm(HALF)), (face, np.eye(3), HALF[2])):
        run = fall(kind, floor, axes, low)
        d = run.data
        deep = np.maximum(low - run.part("body").position.values[:, 2], 0.0)
        stored = share * K * deep ** (EXPONENT + 1) / (EXPONENT + 1)
        given = MASS * G * (HEIGHT + deep)
        touch = deep > 0.0
        assert touch.sum() > 10 and d.energy_kinetic[deep.argmax()] < 0.05 * given[0]  # it has come to its deepest
        np.testing.assert_allclose((stored + d.energy_kinetic)[touch], given[touch], rtol=1e-6)
        np.testing.assert_allclose(d.energy_elastic, stored, atol=1e-6 * given[0])  # the pair has what the body gave

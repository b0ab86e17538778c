"""Spheres (and points: spheres of no radius) against every analytic shape."""

import numpy as np
import scene as S

from holonom.contact.shapes import pair
from holonom.contact.tables import GAP, N, P


def test_sphere_against_sphere():
    kernel = pair("SPHERE", "SPHERE")[0]
    sh = S.scene(("SPHERE", (0.3,), (0.2, 0.5, 0.4)), ("SPHERE", (0.5,), (-0.1, 0.1, 0.2)))
    row = S.points(kernel, sh)[0]
    d = sh.fr.p[0] - sh.fr.p[1]
    np.testing.assert_allclose(row[GAP], np.linalg.norm(d) - 0.8, atol=1e-15)
    np.testing.assert_allclose(row[N : N + 3], d / np.linalg.norm(d), atol=1e-15)
    np.testing.assert_allclose(row[P : P + 3], sh.fr.p[1] + 0.5 * d / np.linalg.norm(d), atol=1e-15)
    S.check_rates(kernel, sh)
    S.check_invariance(kernel, sh)


def test_ball_in_a_hollow_ball():
    kernel = pair("SPHERE", "SPHERE")[0]
    sh = S.scene(("SPHERE", (0.3,), (0.1, 0.05, -0.1)), ("SPHERE", (0.5, 1), (0, 0, 0)))
    row = S.points(kernel, sh)[0]
    np.testing.assert_allclose(row[GAP], 0.2 - 0.15, atol=1e-15)
    S.check_rates(kernel, sh)
    other = S.scene(("SPHERE", (0.5, 1), (0, 0, 0)), ("SPHERE", (0.3,), (0.1, 0.05, -0.1)))
    back = S.points(kernel, other)[0]
    np.testing.assert_allclose(back[N : N + 3], -row[N : N + 3], atol=1e-14)
    np.testing.assert_allclose(back[P : P + 3], row[P : P + 3] + row[GAP] * row[N : N + 3], atol=1e-14)
    S.check_rates(kernel, other)


def test_sphere_on_a_plane():
    kernel = pair("SPHERE", "PLANE")[0]
    sh = S.scene(("SPHERE", (0.3,), (0.1, 0.2, 0.25)), ("PLANE", (), (0, 0, 0.1), (0.1, 0.2, 0.3)))
    S.check_rates(kernel, sh)
    S.check_invariance(kernel, sh)

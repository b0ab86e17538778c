"""BENCHMARKS case 8, RollingWheel of the Modelica Standard Library: one holonomic and two nonholonomic general
constraints."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import holonom as hn

R = 0.3


def wheel() -> hn.Model:
    """Disc of radius R on the plane z = 0, spin axis y of the body; the contact point is the lowest point of its
    rim."""
    m = hn.Model("rolling_wheel")
    m.gravity = (0, 0, -9.80665)
    p = m.part(
        "wheel", 2.0, (0.12, 0.06, 0.12), position=(0.2, 0.2, R), angular_velocity=(1, 5, 0), velocity=(5 * R, -R, 0)
    )
    m.marker(p, (0, 1, 0), name="axle")
    centre = m.markers[p.cm].id
    e = [f"D{c}(axle,{centre})" for c in "XYZ"]
    s = f"SQRT(1-{e[2]}**2)"
    d = [f"({R}*{e[2]}*{e[0]}/{s})", f"({R}*{e[2]}*{e[1]}/{s})", f"(-{R}*{s})"]  # from the centre to the contact point
    v = [f"V{c}({centre})" for c in "XYZ"]
    w = [f"W{c}({centre})" for c in "XYZ"]
    m.constraint(f"DZ({centre})+{d[2]}", i=centre, name="contact")
    m.constraint(f"{v[0]}+{w[1]}*{d[2]}-{w[2]}*{d[1]}", i=centre, name="no slip along x")
    m.constraint(f"{v[1]}+{w[2]}*{d[0]}-{w[0]}*{d[2]}", i=centre, name="no slip along y")
    return m


def end(error):
    run = hn.simulate(wheel(), end=4.0, steps=8, kind="dynamics", error=error)
    assert run.info["degrees_of_freedom"] == 3
    part = run.part("wheel")
    q = part.quaternion.values[-1]
    return part.position.values[-1, :2], Rotation.from_quat([*q[1:], q[0]]), np.ptp(run.energy["total"].values)


def rolling_disc(method: str, tolerance: float):
    """End position and attitude (3, 3) by SciPy, from the balance of moments about the contact point, three unknown w'
    and nothing of ours: I w' + (Ia - Il) (w' . n) n - m r x (r x w') = m r x (r' x w - g) - (Ia - Il) (w . n) w x n,  v
    = r x w, n the axle, r from the centre to the lowest point of the rim."""
    m, axial, across, g = 2.0, 0.06, 0.12, 9.80665
    z = np.array([0.0, 0.0, 1.0])
    hat = lambda a: np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])

    def rates(_, s):
        A, w = s[2:11].reshape(3, 3), s[11:]
        n = A[:, 1]
        dn = np.cross(w, n)
        k, dk = z - (z @ n) * n, -(z @ dn) * n - (z @ n) * dn
        length = np.linalg.norm(k)
        r, dr = -R * k / length, -R * (dk / length - k * (k @ dk) / length**3)
        inertia = across * np.eye(3) + (axial - across) * np.outer(n, n) - m * hat(r) @ hat(r)
        moment = m * np.cross(r, np.cross(dr, w) + g * z) - (axial - across) * (w @ n) * dn
        return np.concatenate([np.cross(r, w)[:2], (hat(w) @ A).ravel(), np.linalg.solve(inertia, moment)])

    start = np.concatenate([[0.2, 0.2], np.eye(3).ravel(), [1.0, 5.0, 0.0]])
    s = solve_ivp(rates, (0.0, 4.0), start, method=method, rtol=tolerance, atol=tolerance).y[:, -1]
    return s[:2], s[2:11].reshape(3, 3)


PUBLISHED = (0.16254678041, -2.23778480696)


def test_rolling_wheel():
    """Against equations of another kind, integrated by other code."""
    place, attitude, drift = end(1e-10)
    expected, axes = rolling_disc("DOP853", 1e-13)
    assert drift < 1e-7
    np.testing.assert_allclose(place, expected, atol=2e-8)
    np.testing.assert_allclose(attitude.as_matrix(), axes, atol=1e-7)


def test_published_values_of_rolling_wheel_carry_an_error_of_their_run():
    """They lie 4.6e-4 m from where both sets of equations converge to, as far as a multistep code at tolerance 1e-6
    does on this motion."""
    expected, axes = rolling_disc("DOP853", 1e-13)
    off = expected - PUBLISHED
    np.testing.assert_allclose(off, (4.567e-4, 1.705e-4), rtol=1e-3)
    multistep = np.abs(rolling_disc("BDF", 1e-6)[0] - expected).max()
    assert 0.1 < multistep / np.abs(off).max() < 10.0
    turned = Rotation.from_euler("ZYX", [0.668754946682, -0.965464984876, 2.09168313928])  # body-fixed z, y, x
    assert (Rotation.from_matrix(axes) * turned.inv()).magnitude() < 1e-3


def test_rolling_wheel_converges():
    best = end(1e-11)[0]
    errors = [np.abs(end(error)[0] - best).max() for error in (1e-5, 1e-7, 1e-9)]
    assert errors[2] < 1e-6 and errors[0] > 5 * errors[1] > 25 * errors[2]

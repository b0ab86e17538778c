"""References of the work-precision problems, from equations in reduced coordinates and SciPy's DOP853:

    python -m benchmarks.references            writes references.json next to this file

Rule: the equations are written by hand in angles (nothing of Holonom's is used), integrated with rtol = atol = 1e-13;
the difference from a run at 1e-12 is kept as ``settled``.  Published numbers are kept where they have as many digits.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp

G = 9.81


def solved(rate, start, end, place) -> tuple:
    """Position at the end, and how far it moves when the tolerance is ten times looser."""
    found = []
    for tolerance in (1e-12, 1e-13):
        s = solve_ivp(rate, (0.0, end), start, method="DOP853", rtol=tolerance, atol=tolerance)
        if not s.success:
            raise RuntimeError(s.message)
        found.append(np.asarray(place(s.y[:, -1]), float))
    return found[1].tolist(), float(np.abs(found[1] - found[0]).max())


def pendulum():
    """Angle from x; a point on a bar."""
    return solved(
        lambda t, y: [y[1], -G * np.cos(y[0])], [np.pi, 0.0], 10.0, lambda y: [np.cos(y[0]), np.sin(y[0]), 0.0]
    )


def four_bars(windows=40):
    """All uprights share one angle."""
    inertia = (windows + 1) / 3.0 + windows
    weight = (windows + 1) * 0.5 + windows
    return solved(
        lambda t, y: [y[1], -G * weight / inertia * np.cos(y[0])],
        [0.5 * np.pi, -1.0],
        10.0,
        lambda y: [np.cos(y[0]), np.sin(y[0]), 0.0],
    )


def governor(k, c):
    """Spin p, angle a of both arms below the horizontal, height z of the slider (IFToMM A05; balls belong to the
    arms)."""
    rho, width, cube, ball = 3000.0, 0.01, 0.1, 5.0
    m_rod, m_cube = rho * width**2, rho * cube**3
    m_arm = m_rod + ball
    x = (0.5 * m_rod + ball) / m_arm
    across = m_rod * (x - 0.5) ** 2 + ball * (1.0 - x) ** 2
    slender = m_rod / 12.0
    ix = slender * 2 * width**2
    iy = slender * (1.0 + width**2) + across
    hub = slender * 2 * width**2 + m_cube / 6.0 * cube**2
    hinge = iy + m_arm * x**2

    def rate(t, s):
        p, a, z, dp, da, dz = s
        sa, ca = np.sin(a), np.cos(a)
        inertia = hub + 2.0 * (ix * sa**2 + iy * ca**2 + m_arm * (0.05 + x * ca) ** 2)
        slope = 2.0 * (2.0 * (ix - iy) * sa * ca - 2.0 * m_arm * (0.05 + x * ca) * x * sa)
        dx, dh = 0.5 * ca, 1.0 - 0.5 * sa - z
        length = np.hypot(dx, dh)
        speed = (dx * (-0.5 * sa * da) + dh * (-0.5 * ca * da - dz)) / length
        force = k * (length - 0.5) + c * speed  # pulls
        by_a = (dx * (-0.5 * sa) + dh * (-0.5 * ca)) / length
        by_z = -dh / length
        return [
            dp,
            da,
            dz,
            -slope * da * dp / inertia,
            (0.25 * slope * dp**2 + m_arm * G * x * ca - force * by_a) / hinge,
            -G - 2.0 * force * by_z / m_cube,
        ]

    return solved(rate, [0.0, np.pi / 6, 0.5, 0.32 * np.pi, 0.0, 0.0], 10.0, lambda s: [0.0, 0.0, s[2]])


def heavy_top():
    """Euler's equations about the fixed point, attitude by quaternion."""
    m, inertia = 15.0, np.array([0.234375, 0.46875, 0.234375]) + np.array([15.0, 0.0, 15.0])

    def turned(q, v):
        w, u = q[0], q[1:]
        return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)

    def rate(t, s):
        q, w = s[:4], s[4:]
        down = turned(np.array([q[0], -q[1], -q[2], -q[3]]) / np.sqrt(q @ q), np.array([0.0, 0.0, -m * G]))
        torque = np.cross([0.0, 1.0, 0.0], down) - np.cross(w, inertia * w)
        dq = 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])
        return np.concatenate([dq, torque / inertia])

    return solved(
        rate,
        [1, 0, 0, 0, 0.0, 150.0, -4.61538],
        2.0,
        lambda s: turned(s[:4] / np.linalg.norm(s[:4]), np.array([0.0, 1.0, 0.0])),
    )


@njit
def _chain_rate(n, l, m, inertia, g, y, out):
    """Angles from x and their rates; each joint's force as A a + b in its acceleration, eliminated from the tip
    inwards."""
    a11, a12, a22, b1, b2 = 0.0, 0.0, 0.0, 0.0, 0.0
    k = np.empty((n, 3))
    for i in range(n - 1, -1, -1):
        c, s, w = np.cos(y[i]), np.sin(y[i]), y[n + i]
        ex, ey = -l * w * w * c, -l * w * w * s
        gx, gy = a11 * ex + a12 * ey + b1, a12 * ex + a22 * ey + b2
        px, py = -a11 * s + a12 * c, -a12 * s + a22 * c
        den = inertia + 0.25 * m * l * l + l * l * (-s * px + c * py)
        rx, ry = -0.5 * m * l * s + l * px, 0.5 * m * l * c + l * py
        r0 = 0.5 * m * l * (-0.5 * s * ex + c * (0.5 * ey + g)) + l * (-s * gx + c * gy)
        k[i, 0], k[i, 1], k[i, 2] = -rx / den, -ry / den, -r0 / den
        a11, a12, a22 = m + a11 + rx * k[i, 0], a12 + rx * k[i, 1], m + a22 + ry * k[i, 1]
        b1, b2 = 0.5 * m * ex + gx + rx * k[i, 2], m * (0.5 * ey + g) + gy + ry * k[i, 2]
    ax, ay = 0.0, 0.0
    for i in range(n):
        w = y[n + i]
        a = k[i, 0] * ax + k[i, 1] * ay + k[i, 2]
        out[i], out[n + i] = w, a
        c, s = np.cos(y[i]), np.sin(y[i])
        ax += -l * a * s - l * w * w * c
        ay += l * a * c - l * w * w * s


def chain(n, l=0.1, m=0.1, inertia=None, g=G, end=2.0):
    inertia = m * l * l / 12.0 if inertia is None else inertia

    def rate(t, y):
        out = np.empty(2 * n)
        _chain_rate(n, l, m, inertia, g, y, out)
        return out

    return solved(rate, np.zeros(2 * n), end, lambda y: [l * np.cos(y[:n]).sum(), l * np.sin(y[:n]).sum(), 0.0])


def _turn(axis, angle):
    """Rotation about a coordinate axis; also for complex angles."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3, dtype=np.result_type(c, float))
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def fourbar1():
    """One angle, which never turns back: its rate follows from the energy.  Bodies b1, b2, b3 are solid steel
    cylinders."""
    density, r = 7700.0, 0.025
    rods = [((0, 0, 0), (0, 0.5, 0.1)), ((1, 0, 0), (1, 0.2, 0)), ((1, 0.2, 0), (0, 0.5, 0.1))]
    masses, tensors, middles = [], [], []
    for p, q in np.asarray(rods, float):
        d = q - p
        length = np.linalg.norm(d)
        u = d / length
        m = density * np.pi * r * r * length
        masses.append(m)
        tensors.append(
            0.5 * m * r * r * np.outer(u, u) + m * (length**2 + 3 * r * r) / 12.0 * (np.eye(3) - np.outer(u, u))
        )
        middles.append(0.5 * (p + q))
    rod = np.array([-1.0, 0.3, 0.1])

    def placed(angle):
        """Centres and rotations from the start."""
        R1 = _turn(0, angle)
        tip = R1 @ np.array([0.0, 0.5, 0.1])
        end = np.array([np.sqrt(rod @ rod - (tip[1] - 0.2) ** 2 - tip[2] ** 2), 0.2, 0.0])
        d = tip - end
        # rod = Ry(a) Rz(b): b from the height, which Ry leaves alone; a from the rest
        flat = np.hypot(rod[0], rod[1])
        b = np.pi - np.arcsin(d[1] / flat) - np.arctan2(rod[1], rod[0])
        x = rod[0] * np.cos(b) - rod[1] * np.sin(b)
        den = x * x + rod[2] ** 2
        c, s = (d[0] * x + d[2] * rod[2]) / den, (d[0] * rod[2] - d[2] * x) / den
        Ry = np.array([[c, 0 * c, s], [0 * c, 1 + 0 * c, 0 * c], [-s, 0 * c, c]])
        return [R1 @ middles[0], end - np.array([0, 0.1, 0]), 0.5 * (tip + end)], [R1, np.eye(3), Ry @ _turn(2, b)]

    def mass_and_potential(angle):
        step = 1e-30
        P, A = placed(angle + 1j * step)
        total, potential = 0.0, 0.0
        for k in range(3):
            v = np.imag(P[k]) / step
            spin = np.imag(A[k]) / step @ np.real(A[k]).T
            w = np.real(A[k]).T @ np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
            total += masses[k] * v @ v + w @ tensors[k] @ w
            potential += masses[k] * 9.80665 * np.real(P[k][1])
        return total, potential

    m0, v0 = mass_and_potential(0.0)
    energy = 0.5 * m0 * 5.235987755982989**2 + v0

    def rate(t, y):
        m, v = mass_and_potential(y[0])
        return [np.sqrt(2.0 * (energy - v) / m)]

    return solved(rate, [0.0], 5.0, lambda y: _turn(0, y[0]) @ np.array([0.0, 0.5, 0.1]))


def bricard():
    """All rods 1 m, neighbouring axes at right angles: hinge angles alternate between a and b with (1 + cos a)(1 + cos
    b) = 1.

    The motion is that of a bead on this curve: state (a, b, u) with u its speed along the unit tangent.
    """
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    hinges = np.array([1, 2, 0, 1, 2, 0])
    rods = np.diff(P, axis=0)
    tensors = [np.diag([(1.01 if abs(d[k]) < 0.5 else 0.02) / 12.0 for k in range(3)]) for d in rods]

    def posed(signs, a, b):
        """Joint turns from the start, rotations, places of hinges."""
        turns = [signs[k] * ((a if k % 2 == 0 else b) - 0.5 * np.pi) for k in range(5)]
        R, p = np.eye(3), np.zeros(3)
        places, rotations = [p], []
        for k in range(5):
            R = R @ _turn(hinges[k], turns[k])
            p = p + R @ rods[k]
            rotations.append(R)
            places.append(p)
        return places, rotations

    a = 1.3
    b = np.arccos(1.0 / (1.0 + np.cos(a)) - 1.0)
    open_ = {}
    for code in range(32):
        signs = [1 if code >> k & 1 else -1 for k in range(5)]
        places, rotations = posed(signs, a, b)
        open_[tuple(signs)] = np.abs(places[5] - P[5]).max() + np.abs(rotations[4][:, 0] - [1, 0, 0]).max()
    signs = min(open_, key=open_.get)  # the side that closes
    if open_[signs] > 1e-12:
        raise RuntimeError("the loop does not close")

    def tangent(a, b):
        x = -(1 + np.cos(a)) * np.sin(b)
        y = (1 + np.cos(b)) * np.sin(a)
        n = np.sqrt(x * x + y * y)
        return x / n, y / n

    def mass_and_potential(a, b):
        ta, tb = tangent(a, b)
        places, rotations = posed(signs, a, b)
        total, potential = 0.0, 0.0
        w, v = np.zeros(3), np.zeros(3)  # of the rod's beginning
        for k in range(5):
            w = w + rotations[k][:, hinges[k]] * signs[k] * (ta if k % 2 == 0 else tb)
            d = places[k + 1] - places[k]
            centre = v + np.cross(w, 0.5 * d)
            body = rotations[k].T @ w
            total += centre @ centre + body @ tensors[k] @ body
            potential += G * 0.5 * (places[k] + places[k + 1])[1]
            v = v + np.cross(w, d)
        return total, potential

    def rate(t, s):
        a, b, u = s
        ta, tb = tangent(a, b)
        step = 1e-30
        m, v = mass_and_potential(a + 1j * step * ta, b + 1j * step * tb)
        return [u * ta, u * tb, -(0.5 * m.imag * u * u + v.imag) / step / m.real]

    def place(s):
        places, rotations = posed(signs, s[0], s[1])
        return places[3]

    return solved(rate, [0.5 * np.pi, 0.5 * np.pi, 0.0], 10.0, place)


def slider_crank():
    """Quadrature of the invariant: half J(theta) theta'^2 = M theta."""
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "reference"))
    import machines

    theta, _ = machines.slider_crank_exact(3.0, guess=machines.SLIDER_CRANK[3.0][0])
    return [0.1 * float(np.cos(theta)), 0.1 * float(np.sin(theta)), 0.0], 1e-12


def andrews():
    """Angle of the crank from the start, by the seven angles of the IVP test set and its constraints differentiated
    twice.

    The test set's own figure at 0.03 s, 15.81077119629904, is 1.2e-9 away from it.
    """
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
    from andrews import START, parts

    def rate(t, y):
        q, v = y[:7], y[7:]
        M, f, J, _ = parts(q, v)
        turning = parts(q + 1e-30j * v, v.astype(complex))[2].imag / 1e-30
        K = np.block([[M, J.T], [J, np.zeros((6, 6))]])
        return np.concatenate([v, np.linalg.solve(K, np.concatenate([f, -turning @ v]))[:7]])

    return solved(rate, np.concatenate([START, np.zeros(7)]), 0.03, lambda y: y[0] - START[0])


SOURCES = {
    "pendulum": pendulum,
    "four_bars": four_bars,
    "andrews": andrews,
    "bricard": bricard,
    "governor": lambda: governor(8e5, 4e4),
    "governor_soft": lambda: governor(4e3, 2e2),
    "heavy_top": heavy_top,
    "double_pendulum": lambda: chain(2, 1.0, 1.0, 1.0, 10.0, 3.0),
    "fourbar1": fourbar1,
    "slider_crank": slider_crank,
    "chain10": lambda: chain(10),
    "chain100": lambda: chain(100),
    "chain1000": lambda: chain(1000),
}


def main() -> None:
    out = {}
    for name, make in SOURCES.items():
        value, settled = make()
        out[name] = {"value": value, "settled": settled}
        print(name, value, f"settled {settled:.1e}", flush=True)
    text = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in out.items())
    (Path(__file__).resolve().parent / "references.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()

"""Modelica's Fourbar1 by quadrature: a mechanism of one freedom whose energy M(phi) phi'^2 / 2 + V(phi) is constant.

Nothing here is shared with the product: pins and slide in closed form, reduced mass by differences of the poses, time
by Fourier series of sqrt(M / (2 (E - V))), which is periodic.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

G, DENSITY, RADIUS = 9.80665, 7700.0, 0.025
START = 5.235987755982989  # rad/s of the crank
CRANK, FOOT = np.array([0.0, 0.5, 0.1]), np.array([1.0, 0.2, 0.0])  # ends of the coupler at the start
LENGTH = float(np.linalg.norm(FOOT - CRANK))
TILT = (FOOT - CRANK)[2] / LENGTH  # cosine between the coupler and its hinge axis, which is normal to y of the slide
STEP = 1e-3


def cylinder(length: float) -> tuple[float, float, float]:
    """Mass, moments of inertia along and across."""
    m = DENSITY * np.pi * RADIUS**2 * length
    return m, 0.5 * m * RADIUS**2, m * (length**2 + 3.0 * RADIUS**2) / 12.0


def pose(phi: float):
    """Ends of the coupler and its axes (columns, along first)."""
    c, s = np.cos(phi), np.sin(phi)
    C = np.array([0.0, c * CRANK[1] - s * CRANK[2], s * CRANK[1] + c * CRANK[2]])
    P = np.array([np.sqrt(LENGTH**2 - (C[1] - FOOT[1]) ** 2 - C[2] ** 2), FOOT[1], 0.0])
    d = (P - C) / LENGTH
    # hinge axis (sin b, 0, cos b) with d_x sin b + d_z cos b = TILT, of both solutions the one that the start continues
    # in
    side, across = np.arctan2(d[0], d[2]), np.arccos(TILT / np.hypot(d[0], d[2]))
    b = min((side - across, side + across), key=lambda x: abs(np.arctan2(np.sin(x), np.cos(x))))
    z = np.array([np.sin(b), 0.0, np.cos(b)])
    u = z - (z @ d) * d
    u /= np.linalg.norm(u)
    return C, P, np.column_stack([d, u, np.cross(d, u)])


def slope(f, phi: float):
    return (8.0 * (f(phi + STEP) - f(phi - STEP)) - (f(phi + 2 * STEP) - f(phi - 2 * STEP))) / (12.0 * STEP)


def reduced(phi: float) -> tuple[float, float]:
    """Reduced moment of inertia and potential energy."""
    (m1, _, across1), (m2, _, _), (m3, along3, across3) = (
        cylinder(float(np.linalg.norm(CRANK))),
        cylinder(0.2),
        cylinder(LENGTH),
    )
    centre = lambda x: 0.5 * (pose(x)[0] + pose(x)[1])
    travel, move = slope(lambda x: pose(x)[1], phi)[0], slope(centre, phi)
    axes = pose(phi)[2]
    W = slope(lambda x: pose(x)[2], phi) @ axes.T
    w = axes.T @ np.array([W[2, 1], W[0, 2], W[1, 0]])
    M = (
        across1
        + 0.25 * m1 * CRANK @ CRANK
        + m2 * travel**2
        + m3 * move @ move
        + along3 * w[0] ** 2
        + across3 * (w[1] ** 2 + w[2] ** 2)
    )
    return M, G * (0.5 * m1 * pose(phi)[0][1] + m3 * centre(phi)[1])


def energy(phi: float, rate: float) -> float:
    M, V = reduced(phi)
    return 0.5 * M * rate**2 + V


def after(time: float, samples: int = 1000) -> tuple[float, float]:
    """Angle of the crank and its rate."""
    E = energy(0.0, START)
    f = np.array([np.sqrt(M / (2.0 * (E - V))) for M, V in map(reduced, 2.0 * np.pi * np.arange(samples) / samples)])
    F = np.fft.rfft(f) / samples
    k = np.arange(1, samples // 2)
    elapsed = lambda phi: (
        F[0].real * phi + 2.0 * np.sum(F[1 : samples // 2] * (np.exp(1j * k * phi) - 1.0) / (1j * k)).real
    )
    phi = brentq(lambda x: elapsed(x) - time, 0.0, 100.0, xtol=1e-13)
    M, V = reduced(phi)
    return phi, float(np.sqrt(2.0 * (E - V) / M))

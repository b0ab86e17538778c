"""Measured-like curves of the shipped studies, by SciPy from written equations and not by Holonom."""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

STIFFNESS, RESTITUTION, DROP, ZERO = 2.13e6, 0.724, 0.3037, 6.2  # N/m^1.5, -, m, N
STD_HEIGHT, STD_FORCE = 2e-4, 4.0
MASS, G = 0.5, 9.81


def drop_test():
    """Times, height (m) and force (N) without noise: m z'' = F - m g with F = k d^1.5 (1 + D d'/v0), v0 the speed of
    each impact, D of Carvalho and Martins: D (1 + e) = ln((1 + D) / (1 - e D))."""
    e = RESTITUTION
    D = brentq(lambda D: D * (1 + e) - math.log((1 + D) / (1 - e * D)), 1e-6, 1 / e - 1e-9)
    times = np.arange(801) * 1e-3
    height, force = np.empty(801), np.zeros(801)
    t, y, free, v0 = 0.0, [DROP, 0.0], True, 1.0
    law = lambda z, v: STIFFNESS * max(-z, 0.0) ** 1.5 * (1 - D * v / v0)

    while t < 0.8:
        ends = lambda t, y: y[0]
        ends.terminal, ends.direction = True, -1.0 if free else 1.0
        rate = (lambda t, y: [y[1], -G]) if free else (lambda t, y: [y[1], law(*y) / MASS - G])
        found = solve_ivp(rate, (t, 0.81), y, "DOP853", rtol=1e-11, atol=1e-13, events=ends, dense_output=True)
        inside = (times >= t) & (times <= found.t[-1])
        height[inside], speed = found.sol(times[inside])
        force[inside] = 0.0 if free else [law(z, v) for z, v in zip(height[inside], speed)]
        t, y, free = found.t[-1], [0.0, found.y[1, -1]], not free
        v0 = abs(y[1])
    return times, height, force


def drop_test_file():
    """Text of the shipped file: with noise, and with the zero of the load cell."""
    times, height, force = drop_test()
    rng = np.random.default_rng(42)
    height = height + STD_HEIGHT * rng.standard_normal(len(times))
    force = force + ZERO + STD_FORCE * rng.standard_normal(len(times))
    rows = [f"{t:.3f},{z:.5f},{f:.1f}" for t, z, f in zip(times, height, force)]
    return "\n".join(["time (s),height (m),force (N)", *rows, ""])

"""The Whipple bicycle with the benchmark parameters of Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955.

x forward, y to the right, z down.  Four bodies, three revolutes; each wheel touches the plane z = 0 (one holonomic constraint) and
rolls without slip (two nonholonomic ones).
"""

from __future__ import annotations

import numpy as np

import holonom as hn

G = 9.81
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


def published(v: float) -> np.ndarray:
    """The four eigenvalues from the published matrices M q'' + v C1 q' + (g K0 + v^2 K2) q = 0."""
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ (G * K0 + v * v * K2), -inverse @ (v * C1)]])
    return np.linalg.eigvals(A)


def _roll(model, wheel, radius, name):
    axle = model.marker(wheel, (0.0, 1.0, 0.0), name=f"{name}_axle").id
    centre = wheel.cm
    e = [f"D{c}({axle},{centre})" for c in "XYZ"]
    s = f"SQRT(1-{e[2]}**2)"
    d = [f"(-{radius}*{e[2]}*{e[0]}/{s})", f"(-{radius}*{e[2]}*{e[1]}/{s})", f"({radius}*{s})"]  # centre to contact point
    v = [f"V{c}({centre})" for c in "XYZ"]
    w = [f"W{c}({centre})" for c in "XYZ"]
    model.constraint(f"DZ({centre})+{d[2]}", i=centre, name=f"{name}_contact")
    model.constraint(f"{v[0]}+{w[1]}*{d[2]}-{w[2]}*{d[1]}", i=centre, name=f"{name}_no_slip_along")
    model.constraint(f"{v[1]}+{w[2]}*{d[0]}-{w[0]}*{d[2]}", i=centre, name=f"{name}_no_slip_across")


def bicycle(speed: float) -> hn.Model:
    model = hn.Model("bicycle")
    model.gravity = (0.0, 0.0, G)
    base, trail, tilt = 1.02, 0.08, np.pi / 10
    rear, front = 0.3, 0.35
    v = (speed, 0.0, 0.0)
    R = model.part("rear_wheel", 2.0, (0.0603, 0.12, 0.0603), (0, 0, -rear), velocity=v, angular_velocity=(0, -speed / rear, 0))
    B = model.part("frame", 85.0, np.array([[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]]), (0.3, 0, -0.9), velocity=v)
    H = model.part("fork", 4.0, np.array([[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]), (0.9, 0, -0.7), velocity=v)
    F = model.part("front_wheel", 3.0, (0.1405, 0.28, 0.1405), (base, 0, -front), velocity=v, angular_velocity=(0, -speed / front, 0))
    y = (0.0, 1.0, 0.0)
    model.revolute(R, B, "rear_hub", at=(0, 0, -rear), axis=y)
    model.revolute(F, H, "front_hub", at=(base, 0, -front), axis=y)
    model.revolute(H, B, "head", at=(base + trail, 0, 0), axis=(np.sin(tilt), 0, np.cos(tilt)))
    _roll(model, R, rear, "rear")
    _roll(model, F, front, "front")
    return model

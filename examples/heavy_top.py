"""Heavy symmetric top in steady precession: a rotor that leans by 60 degrees and does not fall.

A disc spins on a shaft held by a ball joint.  Started with the exact precession speed it keeps its lean for ever; with
a wrong number anywhere (gyroscopic moments, Euler's equations, projection) it would nod.

Checked against the closed form: lean q, spin s about the axis, precession p about the vertical,
    (J3 - J1) p^2 cos q + J3 s p - m g h = 0
with J1 about the ball joint (Goldstein, Classical Mechanics, section 5.7).  The top tumbles through attitudes at which
Euler angles are singular; nothing happens there.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

MASS, H, R, G = 3.0, 0.25, 0.16, 9.80665
LEAN, SPIN = np.radians(60), 120.0
J3, JC = MASS * R**2 / 2, MASS * R**2 / 4
J1 = JC + MASS * H**2
END, STEPS = 4.0, 400


def precession():
    a, b, c = (J3 - J1) * np.cos(LEAN), J3 * SPIN, -MASS * G * H
    return float((-b + np.sqrt(b * b - 4 * a * c)) / (2 * a))  # the slow one


def build() -> hn.Model:
    model = hn.Model("heavy_top", units="SI")
    model.gravity = (0.0, 0.0, -G)
    model.integrator.error = 1e-9
    axis = np.array([np.sin(LEAN), 0, np.cos(LEAN)])
    axes = np.column_stack([[np.cos(LEAN), 0, -np.sin(LEAN)], [0, 1, 0], axis])
    p = precession()
    turning = SPIN * axis + p * np.array([0, 0, 1.0])  # in ground
    top = model.part(
        "top",
        MASS,
        (JC, JC, J3),
        H * axis,
        axes=axes,
        velocity=np.cross([0, 0, p], H * axis),
        angular_velocity=axes.T @ turning,
    )
    model.spherical(top, model.ground, "foot", at=(0, 0, 0))
    model.request("lean", functions={"F2": f"DZ({top.cm})", "F3": f"DX({top.cm})", "F4": f"DY({top.cm})"})
    drawing.rod(model, top, (0, 0, 0), 1.35 * H * axis, 0.008)
    drawing.rod(model, top, 0.96 * H * axis, 1.04 * H * axis, R)
    drawing.ball(model, top, 0.96 * H * axis + 0.8 * R * axes[:, 0], 0.03)
    drawing.rod(model, model.ground, (0, 0, -0.3), (0, 0, -0.01), 0.06, 0.012)
    drawing.rod(model, model.ground, (0, 0, -0.32), (0, 0, -0.3), 0.18)
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    z, x, y = run.request("lean").values[:, 1:4].T
    nod = np.abs(z - H * np.cos(LEAN)).max() / H
    turned = np.unwrap(np.arctan2(y, x))[-1]
    print(f"heavy top: precession {turned / END:.8f} rad/s, closed form {precession():.8f}; it nods by {nod:.1e}")
    assert nod < 1e-6
    assert abs(turned / END - precession()) < 1e-6 * precession()
    return float(turned / END)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

"""Slider-crank at constant speed: the pump or engine mechanism of every textbook.

A crank turns at 300 rpm and drives a piston through a connecting rod.  A motion takes away the last degree of freedom,
so this is a kinematic analysis; the driving torque comes out as the reaction of the motion.

Checked against closed forms: with crank radius r, rod length l and crank angle q the piston is at
    s = r cos q + sqrt(l^2 - r^2 sin^2 q),
and the driving torque is dE/dq of the kinetic energy E(q), written out below from the same formulas.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

R, L = 0.10, 0.35  # crank radius, rod length [m]
SPEED = 2 * np.pi * 5.0  # [rad/s]
CRANK, ROD, PISTON = 2.0, 1.5, 1.2  # masses [kg]
J_CRANK, J_ROD = 0.02, ROD * L**2 / 12  # about the axis of rotation, through each centre of mass [kg m^2]
END, STEPS = 0.4, 200


def build() -> hn.Model:
    model = hn.Model("slider_crank", units="SI")
    ground = model.ground
    z = (0, 0, 1)
    pin, slider = (R, 0, 0), (R + L, 0, 0)
    crank = model.part("crank", CRANK, (0.01, 0.01, J_CRANK))
    rod = model.part("rod", ROD, (0.001, J_ROD, J_ROD), (R + L / 2, 0, 0))
    piston = model.part("piston", PISTON, (0.001, 0.001, 0.001), slider)
    main = model.revolute(crank, ground, "main bearing", at=(0, 0, 0), axis=z)
    model.spherical(rod, crank, "crank pin", at=pin)  # ball and universal joint: no equation says a thing twice
    model.universal(model.marker_at(rod, slider, z=(0, 1, 0)), model.marker_at(piston, slider, z=z), "piston pin")
    model.translational(piston, ground, "cylinder", at=slider, axis=(1, 0, 0))
    model.motion(main, f"{SPEED!r}*TIME", "drive")
    model.request("piston", functions={"F2": f"DX({piston.cm})", "F3": f"VX({piston.cm})", "F4": f"ACCX({piston.cm})"})

    drawing.rod(model, crank, (0, 0, -0.05), (0, 0, -0.02), 0.14, color="steel")
    drawing.pin(model, crank, pin, z, 0.018, 0.09)
    drawing.beam(model, rod, pin, slider, 0.02, 0.035)
    drawing.pin(model, rod, pin, z, 0.032, 0.025)
    drawing.rod(model, piston, (R + L - 0.03, 0, 0), (R + L + 0.05, 0, 0), 0.055)
    drawing.rod(model, ground, (0, 0, -0.2), (0, 0, -0.05), 0.03)
    for side in (-0.075, 0.075):
        drawing.block(model, ground, (R + L - 0.06, side, -0.03), (0.36, 0.02, 0.04))
    return model


def closed_form(q):
    """Piston position, velocity, acceleration, and driving torque at crank angle q."""

    def coordinates(q):
        s, c = np.sin(q), np.cos(q)
        b = np.arcsin(R * s / L)  # the rod's lean
        x = R * c + L * np.cos(b)
        return x, b

    def energy(q):
        h = 1e-5
        (x1, b1), (x0, b0) = coordinates(q + h), coordinates(q - h)
        dx, db = (x1 - x0) / (2 * h), (b1 - b0) / (2 * h)
        b = coordinates(q)[1]
        gx, gy = -R * np.sin(q) - 0.5 * L * np.sin(b) * db, 0.5 * R * np.cos(q)  # of the rod's centre
        return 0.5 * SPEED**2 * (J_CRANK + PISTON * dx**2 + ROD * (gx**2 + gy**2) + J_ROD * db**2)

    s, c = np.sin(q), np.cos(q)
    root = np.sqrt(L**2 - (R * s) ** 2)
    x = R * c + root
    v = SPEED * (-R * s - R**2 * s * c / root)
    a = SPEED**2 * (-R * c - R**2 * (c * c - s * s) / root - (R**2 * s * c) ** 2 / root**3)
    torque = (energy(q + 1e-4) - energy(q - 1e-4)) / 2e-4
    return x, v, a, torque


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    x, v, a, torque = closed_form(SPEED * run.time)
    piston = run.request("piston").values
    # the motion's torque acts on the crank about z
    drive = run.motion("drive").torque.sel(axis="z").values
    errors = {
        "position": np.abs(piston[:, 1] - x).max() / np.ptp(x),
        "velocity": np.abs(piston[:, 2] - v).max() / np.ptp(v),
        "acceleration": np.abs(piston[:, 3] - a).max() / np.ptp(a),
        "torque": np.abs(drive - torque).max() / np.ptp(torque),
    }
    for name, error in errors.items():
        print(f"slider-crank: {name:12s} differs from the closed form by {error:.1e} of its range")
    print(f"slider-crank: largest driving torque {drive.max():.4f} N m")
    assert errors["position"] < 1e-10 and errors["velocity"] < 1e-9 and errors["acceleration"] < 1e-8
    assert errors["torque"] < 1e-6  # the reference takes two numerical derivatives
    return float(drive.max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

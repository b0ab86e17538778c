"""Flyball (Porter) governor: two balls on arms lift a sleeve against its weight as the spindle speeds up.

Spindle, two arms with balls, two links and a sleeve close two loops through the turning spindle.  A motion brings the
spindle to constant speed, a damper on the sleeve lets the transient die, and what remains is the equilibrium of a
rotating machine.

Checked against the closed form: at constant speed w the arm angle q makes the effective potential V(q) - w^2 I(q)/2
stationary, with V and I (the moment of inertia about the spindle) of all arms, links, balls and the sleeve.  For
massless rods this is Porter's formula  w^2 = (m + M)/m g/h,  printed next to it.
"""

import sys

import numpy as np
from scipy.optimize import brentq

import holonom as hn
from holonom.model import drawing

L, R = 0.25, 0.035  # length of arms and links, radius of a ball [m]
BALL, ARM, SLEEVE = 1.2, 0.10, 3.0  # masses; a link weighs as much as an arm [kg]
START, SPEED, G = np.radians(35), 14.5, 9.80665  # arm angle from straight down; rad/s
END, STEPS = 6.0, 240
ROD = ARM * L**2 / 12


def build() -> hn.Model:
    model = hn.Model("flyball_governor", units="SI")
    model.gravity = (0.0, 0.0, -G)
    ground, y, z = model.ground, np.array([0, 1, 0]), np.array([0, 0, 1])
    top, low = np.zeros(3), np.array([0, 0, -2 * L * np.cos(START)])

    spindle = model.part("spindle", 1.0, (0.02, 0.02, 0.001), (0, 0, -0.25))
    shaft = model.revolute(spindle, ground, "bearing", at=(0, 0, -0.6), axis=z)
    # the speed rises smoothly within 2.5 s; the integral of STEP is its angle, here by a velocity motion
    model.motion(shaft, f"STEP(TIME,0,0,2.5,{SPEED!r})", "drive", level="VELOCITY")
    drawing.rod(model, spindle, (0, 0, -0.6), (0, 0, 0.06), 0.010)
    drawing.ball(model, spindle, (0, 0, 0.07), 0.035)

    sleeve = model.part("sleeve", SLEEVE, (0.004, 0.004, 0.004), low)
    slide = model.translational(sleeve, spindle, "sleeve guide", at=low, axis=z)
    foot = model.marker_at(spindle, (0, 0, -0.6))  # the damper acts along the line from here to the sleeve
    model.sforce(slide.i, foot, f"-40*VZ({slide.i},{slide.j},{slide.j})", "sleeve damper", actiononly=False)
    drawing.rod(model, sleeve, low - [0, 0, 0.03], low + [0, 0, 0.015], 0.05)
    drawing.rod(model, sleeve, low - [0, 0, 0.06], low - [0, 0, 0.03], 0.03)

    for side in (1, -1):
        out = np.array([side * np.sin(START), 0, -np.cos(START)])
        ball = L * out
        name = "right" if side == 1 else "left"
        mass = ARM + BALL
        centre = (ARM * L / 2 + BALL * L) / mass
        about = ROD + ARM * (L / 2 - centre) ** 2 + BALL * (L - centre) ** 2  # rod and ball (a point mass)
        axes = np.column_stack([out, y, np.cross(out, y)])
        arm = model.part(f"{name} arm", mass, (1e-9, about, about), centre * out, axes=axes)
        model.revolute(arm, spindle, f"{name} pivot", at=top, axis=y)
        drawing.rod(model, arm, top, ball, 0.008)
        drawing.ball(model, arm, ball, 2 * R)
        d = (low - ball) / L
        axes = np.column_stack([d, y, np.cross(d, y)])
        link = model.part(f"{name} link", ARM, (1e-9, ROD, ROD), (ball + low) / 2, axes=axes)
        model.spherical(link, arm, f"{name} link ball joint", at=ball)
        model.universal(
            model.marker_at(link, low, z=np.cross(d, y)), model.marker_at(sleeve, low, z=y), f"{name} link pin"
        )
        drawing.rod(model, link, ball, low, 0.006)
    model.request("state", functions={"F2": f"DZ({sleeve.cm})", "F3": f"WZ({spindle.cm})"})
    drawing.rod(model, ground, (0, 0, -0.72), (0, 0, -0.6), 0.09, 0.05)
    drawing.block(model, ground, (0, 0, -0.73), (0.3, 0.3, 0.02))
    return model


def equilibrium(speed):
    """Arm angle where dV/dq = w^2/2 dI/dq."""

    def slope(q):
        s, c = np.sin(q), np.cos(q)
        # heights: arm centre -L c/2, ball -L c, link centre -3 L c/2, sleeve -2 L c
        dv = G * L * s * (2 * (ARM / 2 + BALL + 1.5 * ARM) + 2 * SLEEVE)
        di = (
            2 * (2 * BALL * L**2 + 2 * 2 * ARM * L**2 / 3) * s * c
        )  # two balls, two arms and two links: m L^2 s^2/3 each
        return dv - 0.5 * speed**2 * di

    return brentq(slope, 0.05, 1.5)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    state = run.request("state").values[-1]
    height, closed = state[1], -2 * L * np.cos(equilibrium(SPEED))
    porter = -2 * (BALL + SLEEVE) / BALL * G / SPEED**2
    print(
        f"governor: the sleeve rests at {height:.6f} m; closed form {closed:.6f} (Porter, rods without mass: "
        f"{porter:.4f})"
    )
    assert abs(state[2] - SPEED) < 1e-9
    assert abs(height - closed) < 1e-5
    return float(height)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

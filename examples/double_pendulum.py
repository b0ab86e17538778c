"""Double pendulum from a high start: chaos, with the energy as a witness.

Two rods on revolute joints, released at rest.  Nothing is dissipated, so the total energy must stay; and until chaos
has multiplied the last digits, the motion must agree with the classical equations in two angles (Landau & Lifshitz,
Mechanics, section 5), integrated here by SciPy, which knows nothing of joints.
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

import holonom as hn
from holonom.model import drawing

L1, L2, M1, M2, G = 0.8, 0.6, 2.0, 1.0, 9.80665
START = (2.2, 2.9)  # angles of the rods from straight down [rad]
END, STEPS = 5.0, 250


def build() -> hn.Model:
    model = hn.Model("double_pendulum", units="SI")
    model.gravity = (0.0, 0.0, -G)
    model.integrator.error = 1e-10
    y = (0, 1, 0)
    p = np.zeros(3)
    before = model.ground
    drawing.rod(model, before, (0, 0.12, 0), (0, 0.02, 0), 0.03)
    drawing.block(model, before, (0, 0.13, 0), (0.3, 0.02, 0.3))
    for name, angle, length, mass in (("upper", START[0], L1, M1), ("lower", START[1], L2, M2)):
        along = np.array([np.sin(angle), 0, -np.cos(angle)])
        q = p + length * along
        inertia = mass * length**2 / 12
        axes = np.column_stack([along, y, np.cross(along, y)])
        part = model.part(name, mass, (1e-4, inertia, inertia), (p + q) / 2, axes=axes)
        model.revolute(part, before, f"{name} pin", at=p, axis=y)
        drawing.beam(model, part, p, q, 0.02, 0.05, up=np.cross(along, y))
        drawing.pin(model, part, p, y, 0.035, 0.04)
        if name == "lower":
            drawing.ball(model, part, q, 0.06)
        before, p = part, q
    model.marker_at(before, p, name="tip")
    return model


def reference(times):
    """Positions (n, 2) of the tip: x and z."""
    a, b, c = (M1 / 3 + M2) * L1**2, M2 * L2**2 / 3, 0.5 * M2 * L1 * L2

    def rates(_, s):
        p, q, u, v = s
        d = p - q
        mass = [[a, c * np.cos(d)], [c * np.cos(d), b]]
        force = [
            -c * np.sin(d) * v * v - (M1 / 2 + M2) * G * L1 * np.sin(p),
            c * np.sin(d) * u * u - M2 / 2 * G * L2 * np.sin(q),
        ]
        return [u, v, *np.linalg.solve(mass, force)]

    s = solve_ivp(rates, (0, END), [*START, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-12).y
    return np.column_stack([L1 * np.sin(s[0]) + L2 * np.sin(s[1]), -L1 * np.cos(s[0]) - L2 * np.cos(s[1])])


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    tip = run.marker("tip").position.values[:, [0, 2]]
    difference = np.abs(tip - reference(run.time)).max()
    total = run.energy.total.values
    drift = np.abs(total - total[0]).max() / np.ptp(run.energy.gravity.values)
    print(
        f"double pendulum: tip within {difference:.1e} m of the classical equations after {END:g} s, energy drift "
        f"{drift:.1e}"
    )
    assert difference < 1e-6
    assert drift < 1e-9
    return float(tip[-1, 0])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

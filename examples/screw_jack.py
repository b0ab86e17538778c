"""Screw jack: a crank turns a screw, a platform with a load rises.

Checked against energy: without friction, torque times one turn lifts weight times pitch, T = (m g + m a) p / (2 pi),
and the torque that the motion needs must show that at every moment of the lift, inertia of the turning screw included.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

PITCH, LOAD, SCREW, J, G = 0.006, 900.0, 6.0, 0.01, 9.80665
TURNS, LIFT_TIME = 30.0, 4.0
END, STEPS = 5.0, 250


def build() -> hn.Model:
    model = hn.Model("screw_jack", units="SI")
    model.gravity = (0.0, 0.0, -G)
    ground, z = model.ground, np.array([0, 0, 1.0])
    screw = model.part("screw", SCREW, (0.2, 0.2, J), (0, 0, 0.2))
    table = model.part("table", LOAD, (40, 40, 40), (0, 0, 0.75))
    turn = model.revolute(screw, ground, "bearing", at=(0, 0, 0), axis=z)
    model.translational(table, ground, "column guide", at=(0.0, 0, 0.5), axis=z)
    thread = model.screw(
        table, screw, -PITCH, "thread", at=(0, 0, 0.5), axis=z
    )  # the table stays while the screw turns
    model.motion(turn, f"STEP5(TIME,0,0,{LIFT_TIME!r},{2 * np.pi * TURNS!r})", "crank")
    model.request(
        "table", functions={"F2": f"DZ({table.cm})-0.75", "F3": f"ACCZ({table.cm})", "F4": f"WDTZ({screw.cm})"}
    )
    assert thread.pitch == -PITCH
    drawing.rod(model, screw, (0, 0, -0.06), (0, 0, 0.75), 0.028)
    drawing.block(model, screw, (0.14, 0, -0.03), (0.28, 0.03, 0.02))
    drawing.rod(model, screw, (0.27, 0, -0.14), (0.27, 0, -0.03), 0.015)
    drawing.rod(model, table, (0, 0, 0.48), (0, 0, 0.53), 0.07)
    drawing.block(model, table, (0, 0, 0.545), (0.7, 0.5, 0.03))
    drawing.block(model, table, (0, 0, 0.77), (0.5, 0.4, 0.42))
    for x in (-0.3, 0.3):
        drawing.rod(model, ground, (x, 0.0, -0.3), (x, 0.0, 1.0), 0.02)
        drawing.block(model, table, (x, 0, 0.545), (0.08, 0.08, 0.08))
    drawing.block(model, ground, (0, 0, -0.31), (0.9, 0.6, 0.03))
    drawing.block(model, ground, (0, 0, 0.0), (0.66, 0.1, 0.04))
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    rise, a, spin = run.request("table").values[:, 1:4].T
    torque = run.motion("crank").torque.sel(axis="z").values
    exact = LOAD * (G + a) * PITCH / (2 * np.pi) + J * spin
    error = np.abs(torque - exact).max() / exact.max()
    print(
        f"screw jack: table rises {1e3 * rise[-1]:.6f} mm in {TURNS:g} turns, torque at rest {torque[-1]:.6f} N m "
        f"(m g p/2 pi = {LOAD * G * PITCH / (2 * np.pi):.6f}), greatest difference {error:.1e}"
    )
    assert abs(rise[-1] - TURNS * PITCH) < 1e-12
    assert error < 1e-9
    return float(torque.max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

"""Two-stage gearbox: a motor torque, a pair of spur gears (GEAR) and a belt drive (COUPLER) to a flywheel.

Checked against inertia equivalence: seen from the motor, the train has
    J = J1 + J2/n1^2 + J3/(n1 n2)^2,
and so turns with the constant acceleration T/J; the tooth force follows from the moments on the intermediate shaft.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

R1, R2 = 0.06, 0.18  # pitch radii of the pair: n1 = 3
N2 = 2.5  # belt drive
J1, J2, J3 = 0.004, 0.05, 0.9  # motor, intermediate shaft, flywheel [kg m^2]
TORQUE = 1.0  # at the motor [N m]
END, STEPS = 3.0, 90


def build() -> hn.Model:
    model = hn.Model("gear_train", units="SI")
    model.integrator.kind = "DOP853"
    ground, x = model.ground, np.array([1.0, 0, 0])
    y1, y2, y3 = 0.0, R1 + R2, R1 + R2 + 0.55
    motor = model.part("motor shaft", 3.0, (J1, 0.01, 0.01), (0, y1, 0))
    middle = model.part("intermediate shaft", 9.0, (J2, 0.05, 0.05), (0, y2, 0))
    wheel = model.part("flywheel", 40.0, (J3, 0.5, 0.5), (0.25, y3, 0))
    b1 = model.revolute(motor, ground, "motor bearing", at=(0, y1, 0), axis=x)
    b2 = model.revolute(middle, ground, "shaft bearing", at=(0, y2, 0), axis=x)
    b3 = model.revolute(wheel, ground, "wheel bearing", at=(0.25, y3, 0), axis=x)
    contact = model.marker_at(ground, (0, y1 + R1, 0), z=(0, 0, 1))  # z along the common velocity
    model.gear(b1, b2, contact, "spur gears")
    model.coupler((b2, b3), (1.0, -N2), name="belt")
    model.sforce(b1.i, b1.j, str(TORQUE), "motor torque", kind="ROTATIONAL")
    model.request("speeds", functions=[f"WX({p.cm})" for p in (motor, middle, wheel)])

    def gear(part, at, radius, width, teeth):
        drawing.pin(model, part, at, x, radius, width)
        for k in range(teeth):
            d = np.array([0, np.cos(2 * np.pi * k / teeth), np.sin(2 * np.pi * k / teeth)])
            drawing.block(model, part, at + radius * d, (width, 0.35 * np.pi * radius / teeth * 2, 0.024), x=x, z=d)

    gear(motor, np.array([0, y1, 0]), R1 - 0.004, 0.05, 12)
    gear(middle, np.array([0, y2, 0]), R2 - 0.004, 0.05, 36)
    drawing.rod(model, motor, (-0.2, y1, 0), (0.04, y1, 0), 0.02)
    drawing.rod(model, middle, (-0.04, y2, 0), (0.3, y2, 0), 0.02)
    drawing.pin(model, middle, (0.25, y2, 0), x, 0.08, 0.04)
    drawing.block(model, middle, (0.27, y2 + 0.06, 0), (0.004, 0.03, 0.03))
    drawing.ring(model, wheel, (0.25, y3, 0), x, 0.2, 0.03)
    for k in range(6):
        d = np.array([0, np.cos(np.pi * k / 3), np.sin(np.pi * k / 3)])
        drawing.rod(model, wheel, (0.25, y3, 0), np.array([0.25, y3, 0]) + 0.2 * d, 0.012)
    drawing.rod(model, wheel, (0.15, y3, 0), (0.35, y3, 0), 0.03)
    drawing.rod(model, ground, (-0.36, y1, 0), (-0.12, y1, 0), 0.09)  # the motor's housing
    drawing.block(model, ground, (0.0, 0.35, -0.32), (0.8, 1.1, 0.02))
    for at in ((-0.24, y1), (0.12, y2), (0.32, y3)):
        drawing.block(model, ground, (*at, -0.17), (0.05, 0.06, 0.3))
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    n1 = R2 / R1
    seen = J1 + J2 / n1**2 + J3 / (n1 * N2) ** 2
    expected = TORQUE / seen
    w1, w2, w3 = run.request("speeds").values[-1, 1:4]
    print(f"gear train: motor reaches {w1:.6f} rad/s after {END:g} s, closed form {expected * END:.6f}")
    print(f"gear train: ratios {w1 / w2:.9f} and {w2 / w3:.9f}")
    assert abs(w1 - expected * END) < 1e-8 * abs(w1)
    assert abs(w1 / w2 + n1) < 1e-9 and abs(w2 / w3 - N2) < 1e-9  # a pair of outer gears reverses
    return float(w1)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

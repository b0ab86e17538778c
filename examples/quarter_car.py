"""Quarter car on a wavy road: body and wheel on springs and dampers, the road a harmonic SHF.

The road part is moved by a motion; the tyre is a spring-damper between road and wheel, the suspension one between wheel
and body.  After the transient the body follows the road with an amplitude and phase that linear vibration theory gives
exactly:
    (-w^2 M + i w C + K) X = F,   F = (0, k_t + i w c_t) a.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

BODY, WHEEL = 320.0, 42.0  # [kg]
KS, CS, KT, CT = 21000.0, 1900.0, 190000.0, 120.0  # suspension, tyre
WAVE, FREQUENCY, G = 0.015, 1.6, 9.80665  # road amplitude [m], [Hz]
END, STEPS = 12.0, 1200


def build() -> hn.Model:
    model = hn.Model("quarter_car", units="SI")
    model.gravity = (0.0, 0.0, -G)
    model.integrator.error = 1e-9
    ground, z = model.ground, (0, 0, 1)
    road = model.part("road", 10.0, (1, 1, 1), (0, 0, 0))
    wheel = model.part("wheel", WHEEL, (1.2, 2.0, 1.2), (0, 0, 0.31))
    body = model.part("body", BODY, (60, 60, 60), (0, 0, 0.85))
    lifter = model.translational(road, ground, "road guide", at=(0, 0, 0), axis=z)
    model.motion(lifter, f"SHF(TIME,0,{WAVE!r},{2 * np.pi * FREQUENCY!r},0,0)", "road", level="DISPLACEMENT")
    model.translational(wheel, ground, "wheel guide", at=(0, 0, 0.31), axis=z)
    model.translational(body, ground, "body guide", at=(0, 0, 0.85), axis=z)
    contact, hub = model.marker_at(road, (0, 0, 0)), model.marker_at(wheel, (0, 0, 0.31))
    foot, mount = model.marker_at(wheel, (0, -0.16, 0.31)), model.marker_at(body, (0, -0.16, 0.75))
    # preloads carry the weight: the design position is the equilibrium
    model.spring_damper(hub, contact, KT, CT, 0.31, (BODY + WHEEL) * G, "tyre")
    model.spring_damper(mount, foot, KS, CS, 0.44, BODY * G, "suspension")
    model.request("heights", functions=[f"DZ({wheel.cm})-0.31", f"DZ({body.cm})-0.85", f"DZ({road.cm})"])

    drawing.ring(model, wheel, (0, 0, 0.31), (0, 1, 0), 0.24, 0.07)
    drawing.pin(model, wheel, (0, 0, 0.31), (0, 1, 0), 0.18, 0.10)
    drawing.rod(model, wheel, (0, 0, 0.31), (0, -0.22, 0.31), 0.03)
    drawing.block(model, body, (0, -0.1, 0.83), (1.1, 0.5, 0.16))
    drawing.block(model, body, (-0.05, -0.1, 1.04), (0.7, 0.44, 0.28))
    drawing.coil(model, foot, mount, 0.11, 8, 0.05)
    drawing.block(model, road, (0, 0, -0.02), (0.9, 0.4, 0.04))
    drawing.block(model, ground, (0, 0, -0.2), (1.4, 0.8, 0.02))
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    w = 2 * np.pi * FREQUENCY
    mass, damping = np.diag([WHEEL, BODY]), np.array([[CS + CT, -CS], [-CS, CS]])
    stiffness = np.array([[KS + KT, -KS], [-KS, KS]])
    response = np.linalg.solve(-w * w * mass + 1j * w * damping + stiffness, [(KT + 1j * w * CT) * WAVE, 0])
    late = run.time > END - 5  # eight whole periods, long after the transient
    t = run.time[late]
    heights = run.request("heights").values[late, 1:3]
    basis = np.column_stack([np.sin(w * t), np.cos(w * t), np.ones_like(t)])
    fit = np.linalg.lstsq(basis, heights, rcond=None)[0]
    amplitude = np.hypot(fit[0], fit[1])
    phase = np.arctan2(fit[1], fit[0])
    for name, found, angle, exact in zip(("wheel", "body"), amplitude, phase, response):
        print(
            f"quarter car: {name} amplitude {1e3 * found:.5f} mm, exact {1e3 * abs(exact):.5f} mm; "
            f"phase {np.degrees(angle):.4f} deg, exact {np.degrees(np.angle(exact)):.4f}"
        )
        assert abs(found - abs(exact)) < 1e-5 * abs(exact)
        assert abs(angle - np.angle(exact)) < 1e-5
    return float(amplitude[1])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

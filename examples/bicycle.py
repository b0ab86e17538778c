"""Bicycle without a rider's hands: stable by itself between two speeds, and the linear analysis states which.

Whipple's bicycle with the benchmark parameters of Meijaard, Papadopoulos, Ruina, Schwab (Proc. R. Soc. A 463 (2007)
1955): four rigid bodies, three hinges, two thin wheels that roll without slip (one holonomic and two nonholonomic
constraints each).  Linearised on its straight ride it has four eigenvalues that are not zero; they must be those of the
published matrices.  Then the bicycle is pushed sideways and left alone: what remains of its roll must swing and fade as
the weave eigenvalue says.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

G, SPEED = 9.81, 4.6  # [m/s^2], [m/s]
BASE, TRAIL, TILT = 1.02, 0.08, np.pi / 10
REAR, FRONT = 0.3, 0.35  # radii of the wheels
END, STEPS = 8.0, 800

# published: M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer)
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


def published(v: float) -> np.ndarray:
    """The four eigenvalues at speed v."""
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ (G * K0 + v * v * K2), -inverse @ (v * C1)]])
    return np.sort_complex(np.linalg.eigvals(A))


def roll(model: hn.Model, wheel, radius: float, name: str) -> None:
    """The lowest point of the rim touches the plane z = 0 and does not slip on it; y is the axle, z points down."""
    axle = model.marker(wheel, (0.0, 1.0, 0.0), name=f"{name}_axle").id
    centre = wheel.cm
    e = [f"D{c}({axle},{centre})" for c in "XYZ"]
    s = f"SQRT(1-{e[2]}**2)"
    d = [
        f"(-{radius}*{e[2]}*{e[0]}/{s})",
        f"(-{radius}*{e[2]}*{e[1]}/{s})",
        f"({radius}*{s})",
    ]  # centre to contact point
    v = [f"V{c}({centre})" for c in "XYZ"]
    w = [f"W{c}({centre})" for c in "XYZ"]
    model.constraint(f"DZ({centre})+{d[2]}", i=centre, name=f"{name}_contact")
    model.constraint(f"{v[0]}+{w[1]}*{d[2]}-{w[2]}*{d[1]}", i=centre, name=f"{name}_no_slip_along")
    model.constraint(f"{v[1]}+{w[2]}*{d[0]}-{w[0]}*{d[2]}", i=centre, name=f"{name}_no_slip_across")


def build(speed: float = SPEED) -> hn.Model:
    model = hn.Model("bicycle", units="SI")
    model.gravity = (0.0, 0.0, G)
    model.integrator.error = 1e-9
    v = (speed, 0.0, 0.0)
    hub, fork_end, y = np.array([0, 0, -REAR]), np.array([BASE, 0, -FRONT]), (0.0, 1.0, 0.0)
    steer = np.array([np.sin(TILT), 0.0, np.cos(TILT)])
    rear = model.part(
        "rear wheel", 2.0, (0.0603, 0.12, 0.0603), hub, velocity=v, angular_velocity=(0, -speed / REAR, 0)
    )
    frame = model.part("frame", 85.0, np.array([[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]]), (0.3, 0, -0.9), velocity=v)
    fork = model.part(
        "fork",
        4.0,
        np.array([[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]),
        (0.9, 0, -0.7),
        velocity=v,
    )
    front = model.part(
        "front wheel", 3.0, (0.1405, 0.28, 0.1405), fork_end, velocity=v, angular_velocity=(0, -speed / FRONT, 0)
    )
    model.revolute(rear, frame, "rear hub", at=hub, axis=y)
    model.revolute(front, fork, "front hub", at=fork_end, axis=y)
    head = np.array([BASE + TRAIL, 0.0, 0.0]) - 0.95 * steer
    model.revolute(fork, frame, "head", at=head, axis=steer)
    roll(model, rear, REAR, "rear")
    roll(model, front, FRONT, "front")
    saddle = model.marker_at(frame, (0.3, 0, -0.9), name="saddle")
    model.vforce(saddle, None, fy="60*(STEP(TIME,0.1,0,0.2,1)-STEP(TIME,0.2,0,0.3,1))", name="push")
    # the frame's own x axis: it yaws freely
    model.request("roll", functions=[f"WX({frame.cm},0,{frame.cm})"])

    for wheel, centre, radius in ((rear, hub, REAR), (front, fork_end, FRONT)):
        drawing.ring(model, wheel, centre, y, radius - 0.02, 0.02)
        drawing.pin(model, wheel, centre, y, 0.03, 0.1)
        for x, z in ((1, 0), (0, 1)):
            d = (radius - 0.02) * np.array([x, 0, z])
            drawing.rod(model, wheel, centre - d, centre + d, 0.004)
    seat, crank, top = np.array([0.18, 0, -0.95]), np.array([0.42, 0, -0.3]), head + 0.12 * steer
    for a, b in ((hub, crank), (crank, seat), (seat, head), (crank, top), (hub, seat)):
        drawing.rod(model, frame, a, b, 0.018)
    drawing.block(model, frame, seat + [0, 0, -0.04], (0.26, 0.14, 0.05))
    drawing.block(model, frame, (0.3, 0, -1.2), (0.25, 0.38, 0.5))  # the rider sits still
    drawing.rod(model, fork, head - 0.1 * steer, head + 0.22 * steer, 0.02)
    drawing.rod(model, fork, head + 0.22 * steer, fork_end, 0.014)
    drawing.rod(model, fork, head - 0.1 * steer + [0, -0.3, 0], head - 0.1 * steer + [0, 0.3, 0], 0.012)
    drawing.block(model, model.ground, (10.0, 0, 0.03), (44.0, 6.0, 0.02))
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    if model is None:
        speeds = np.linspace(3.0, 8.0, 51)
        locus = hn.root_locus(build, None, speeds)
        (weave, _), (capsize, _) = locus.crossings()
        print(f"bicycle: rides by itself from {weave:.3f} to {capsize:.3f} m/s, published 4.292 and 6.024")
        assert abs(weave - 4.29238253634111) < 1e-3 and abs(capsize - 6.02426201538837) < 1e-3
    model = model or build()
    linear = hn.linearize(model)
    found = np.sort_complex(linear.eigenvalues[linear.eigenvalues != 0])
    exact = published(SPEED)
    print(f"bicycle: eigenvalues at {SPEED} m/s within {np.abs(found - exact).max():.1e} 1/s of the published matrices")
    assert np.abs(found - exact).max() < 1e-7 * np.abs(exact).max()
    assert linear.stable

    run = hn.simulate(model, end=END, steps=STEPS)
    if report:
        run.report(report)
        linear.report(report.replace(".html", "_modes.html"))
    t, rate = run.time, run.request("roll").values[:, 1]
    late = t > 3.0
    basis = np.column_stack([np.exp(e * t[late]) for e in exact])
    free = np.linalg.lstsq(basis, rate[late].astype(complex), rcond=None)[0]
    left = np.abs(basis @ free - rate[late]).max() / np.abs(rate[late]).max()
    print(f"bicycle: after the push its roll is a sum of the four modes to {100 * left:.2f} %")
    assert left < 0.02
    weave = max(found, key=lambda e: e.imag)
    return float(weave.real)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

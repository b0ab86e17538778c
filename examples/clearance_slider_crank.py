"""Slider-crank with a worn pin between rod and slider: LANKARANI_NIKRAVESH contact of a pin in a bore, clearance c of
0.5 and 0.01 mm.

Parameters after Flores, Ambrosio, Claro and Lankarani (from memory): crank 50 mm, rod 120 mm, bearing radius 10 mm,
restitution 0.9, steel, K = 4/(3 (s_i + s_j)) sqrt(R_i R_j/(R_i - R_j)), s = (1 - nu^2)/E; the crank turns at 5000 rpm.
Checked: the pin stays in its bore; nothing is gained from impacts, and what the crank puts in is what the impacts take
(and the motion keeps); with the clearance going to zero slider and crank torque approach those of the mechanism
without, which kinematics gives in closed form.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

CRANK, ROD, SPEED = 0.05, 0.12, 5000 * 2 * np.pi / 60
BEARING, RESTITUTION, YOUNG, POISSON = 0.01, 0.9, 207e9, 0.3
CLEARANCES = (0.5e-3, 1e-5)
END, STEPS = 0.024, 2400  # two turns


def stiffness(c):
    s = (1 - POISSON**2) / YOUNG
    return 4 / (3 * 2 * s) * np.sqrt(BEARING * (BEARING - c) / c)


def slider(q):
    """Position, velocity and acceleration of an ideal slider, by the crank's angle."""
    h = CRANK * np.sin(q)
    b = np.sqrt(ROD**2 - h**2)
    dh, db = CRANK * np.cos(q), -h * CRANK * np.cos(q) / b
    ddb = -(dh * dh - h * h) / b - (h * dh) ** 2 / b**3
    return CRANK * np.cos(q) + b, SPEED * (-h + db), SPEED**2 * (-dh + ddb)


def build() -> hn.Model:
    model = hn.Model("clearance_slider_crank", units="SI")
    model.gravity = (0.0, 0.0, 0.0)
    model.integrator.kind, model.integrator.error = "DOP853", 1e-8
    ground, y = model.ground, (0, 1, 0)
    for row, c in enumerate(CLEARANCES):
        tag, base = f"c {1e3 * c:g}", np.array([0, 0.1 * row, 0])
        velocity = lambda x: (0, 0, SPEED * x)  # the crank starts along x, turning towards z
        crank = model.part(
            f"crank {tag}",
            0.3,
            (1e-4,) * 3,
            base + [CRANK / 2, 0, 0],
            velocity=velocity(CRANK / 2),
            angular_velocity=(0, -SPEED, 0),
        )
        rod = model.part(
            f"rod {tag}",
            0.21,
            (2.5e-4,) * 3,
            base + [CRANK + ROD / 2, 0, 0],
            velocity=velocity(CRANK / 2),
            angular_velocity=(0, SPEED * CRANK / ROD, 0),
        )
        pin = base + [CRANK + ROD, 0, 0]
        block = model.part(f"slider {tag}", 0.14, (1e-4,) * 3, pin)
        shaft = model.revolute(crank, ground, f"shaft {tag}", at=base, axis=(0, -1, 0))
        model.motion(shaft, f"{SPEED!r}*TIME", f"drive {tag}")
        model.revolute(rod, crank, f"crank pin {tag}", at=base + [CRANK, 0, 0], axis=y)
        model.translational(block, ground, f"guide {tag}", at=pin, axis=(1, 0, 0))
        half = np.array([0, 0.01, 0])
        journal = model.cylinder(rod, pin - half, pin + half, BEARING - c)
        bore = model.cylinder(block, pin - 1.2 * half, pin + 1.2 * half, BEARING, inside=True)
        model.contact(
            journal,
            bore,
            law="LANKARANI_NIKRAVESH",
            stiffness=stiffness(c),
            exponent=1.5,
            restitution=RESTITUTION,
            name=f"pin {tag}",
        )
        drawing.rod(model, crank, base, base + [CRANK, 0, 0], 0.008)
        drawing.rod(model, rod, base + [CRANK, 0, 0], pin, 0.005)
        drawing.block(model, ground, base + [CRANK / 2, 0, -0.07], (0.26, 0.05, 0.01))
        drawing.block(model, block, pin, (0.04, 0.012, 0.03))
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    q = SPEED * run.time
    place, speed, acceleration = slider(q)
    far = {}
    for c in CLEARANCES:
        tag = f"c {1e3 * c:g}"
        part, pin = run.part(f"slider {tag}"), run.contact(f"pin {tag}")
        off = np.abs(part.position.values[:, 0] - place).max()
        deep, touching = pin.depth.values.max(), (pin.points.values > 0).mean()
        rms = lambda found, ideal: float(np.sqrt(np.mean((found - ideal) ** 2)) / np.ptp(ideal))
        far[c] = rms(part.velocity.values[:, 0], speed), rms(part.acceleration.values[:, 0], acceleration)
        print(
            f"clearance {1e3 * c:g} mm: the slider is up to {1e3 * off:.4f} mm off, its speed and acceleration by "
            f"{far[c][0]:.2e} and {far[c][1]:.2e} "
            f"of their range (rms); the pin touches {100 * touching:.0f} % of the time, {pin.normal.values.max():.0f} "
            "N at most"
        )
        assert off < (c + deep) / np.sqrt(1 - (CRANK / ROD) ** 2) and deep < 1e-4  # along the slanting rod
        assert touching > 0.5
    loose, tight = (far[c] for c in CLEARANCES)
    assert tight[0] < 5e-3 and tight[0] < 0.2 * loose[0] and tight[1] < 0.2 * loose[1]
    assert (np.diff(run.energy["dissipated"].values) > -1e-6).all()
    print(f"clearance: {run.audit()}")
    assert run.audit().ok(1e-4)
    return tight[0]


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

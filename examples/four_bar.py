"""Four-bar linkage drawn with four revolute joints, as one would sketch it.

In space four parallel revolutes say three things twice: a spatial count gives -2 degrees of freedom, yet the linkage
turns. Holonom finds the three redundant equations, names them, and carries on.  The crank turns at constant speed.

Checked against Freudenstein's equation (Trans. ASME 77, 1955), which relates crank angle a and rocker angle b of a
four-bar with lengths d (ground), a1 (crank), a2 (coupler), a3 (rocker):
    k1 cos b - k2 cos a + k3 = cos(a - b),  k1 = d/a1, k2 = d/a3, k3 = (d^2 + a1^2 + a3^2 - a2^2)/(2 a1 a3).
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

GROUND, CRANK, COUPLER, ROCKER = 0.40, 0.12, 0.38, 0.26  # lengths [m]
SPEED = 2 * np.pi  # [rad/s]
END, STEPS = 1.0, 200


def build() -> hn.Model:
    model = hn.Model("four_bar", units="SI")
    model.gravity = (0.0, -9.80665, 0.0)
    ground = model.ground
    z = (0, 0, 1)
    a, b, d = np.array([0, 0, 0]), np.array([CRANK, 0, 0]), np.array([GROUND, 0, 0])
    reach = GROUND - CRANK  # from crank pin to the rocker's bearing at crank angle 0
    x = (COUPLER**2 - ROCKER**2 + reach**2) / (2 * reach)
    c = b + [x, np.sqrt(COUPLER**2 - x**2), 0]
    point = 0.5 * (b + c) + 0.18 * np.array([-(c - b)[1], (c - b)[0], 0]) / COUPLER  # a coupler point to trace

    def link(name, p, q, mass):
        length = np.linalg.norm(q - p)
        axes = np.column_stack([(q - p) / length, np.cross(z, (q - p) / length), z])
        inertia = (1e-4, mass * length**2 / 12, mass * length**2 / 12)
        part = model.part(name, mass, inertia, (p + q) / 2, axes=axes)
        drawing.beam(model, part, p, q, 0.012, 0.03)
        for end in (p, q):
            drawing.pin(model, part, end, z, 0.02, 0.02)
        return part

    crank, coupler, rocker = link("crank", a, b, 0.8), link("coupler", b, c, 2.0), link("rocker", d, c, 1.5)
    drawing.beam(model, coupler, 0.5 * (b + c), point, 0.012, 0.02)
    drawing.ball(model, coupler, point, 0.03)
    model.marker_at(coupler, point, name="coupler point")
    drive = model.revolute(crank, ground, "crank bearing", at=a, axis=z)
    model.revolute(coupler, crank, "crank pin", at=b, axis=z)
    model.revolute(coupler, rocker, "rocker pin", at=c, axis=z)
    rest = model.revolute(rocker, ground, "rocker bearing", at=d, axis=z)
    model.motion(drive, f"{SPEED!r}*TIME", "drive")
    # angles of the links against ground, and how they change
    beta0 = float(np.arctan2(*(c - d)[1::-1]))
    model.request("angles", functions={"F2": f"AZ({drive.i},{drive.j})", "F3": f"AZ({rest.i},{rest.j})+{beta0!r}"})
    for at in (a, d):
        drawing.rod(model, ground, at - [0, 0.09, 0], at, 0.05, 0.02)
    drawing.block(model, ground, (GROUND / 2, -0.1, 0), (GROUND + 0.14, 0.02, 0.12))
    return model


def freudenstein(alpha, beta):
    k1, k2 = GROUND / CRANK, GROUND / ROCKER
    k3 = (GROUND**2 + CRANK**2 + ROCKER**2 - COUPLER**2) / (2 * CRANK * ROCKER)
    return k1 * np.cos(beta) - k2 * np.cos(alpha) + k3 - np.cos(alpha - beta)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    angles = run.request("angles").values
    alpha, beta = angles[:, 1], angles[:, 2]
    error = np.abs(freudenstein(alpha, beta)).max()
    swing = np.degrees(np.ptp(beta))
    # extreme rocker positions: crank and coupler in line (law of cosines)
    lean = lambda r: np.arccos((GROUND**2 + ROCKER**2 - r**2) / (2 * GROUND * ROCKER))
    closed = np.degrees(lean(COUPLER + CRANK) - lean(COUPLER - CRANK))
    print("four-bar: " + "; ".join(run.info["redundant"]))
    print(
        f"four-bar: Freudenstein's equation holds within {error:.1e}; the rocker swings {swing:.3f} deg (closed form "
        f"{closed:.3f})"
    )
    assert error < 1e-10
    assert len(run.info["redundant"]) == 3 and run.info["degrees_of_freedom"] == 0
    assert abs(swing - closed) < 0.02  # output times fall next to the dead points
    return float(swing)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

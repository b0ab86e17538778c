"""Delta robot that picks and places: three driven arms carry a platform by parallelograms, which keep it level.

The hand moves between two trays over a safe height, each piece from rest to rest by a quintic polynomial.  The angles
of the arms are the closed form of inverse kinematics (Clavel 1991): the lower rod of an arm reaches from the elbow on a
circle around the shoulder to the platform,
    E cos q + F sin q = G,    E = 2 L u,  F = -2 L z,  G = u^2 + v^2 + z^2 + L^2 - l^2,
with the platform's joint at (u, v, z) from the shoulder: outwards, sideways, up.

Checked against the wanted path of the platform, whose attitude stays level though nothing but the six rods holds it,
and against work: what the three drives do between two moments of rest is what the height of all parts has gained.
"""

import sys

import numpy as np
from scipy.integrate import cumulative_simpson

import holonom as hn
from holonom.model import drawing

SHOULDER, ARM, ROD, HAND, WIDTH = 0.18, 0.28, 0.62, 0.06, 0.05  # radius, lengths, radius, half a parallelogram's width
PICK, PLACE, LIFT = np.array([0.16, 0.06, -0.62]), np.array([-0.14, -0.08, -0.60]), 0.09
PIECE = 0.16  # s, of a piece of the path
POINTS = [PICK, PICK + [0, 0, LIFT], PLACE + [0, 0, LIFT], PLACE, PLACE + [0, 0, LIFT], PICK + [0, 0, LIFT], PICK]
END, STEPS = PIECE * (len(POINTS) - 1), 480
ANGLES = np.radians([90.0, 210.0, 330.0])
PITCHES = 130  # intervals of the splines in a piece, whose knots are not at output times
MASSES = {"arm": 0.4, "rod": 0.05, "platform": 0.3}


def path(t: float) -> np.ndarray:
    """Where the middle of the platform is to be."""
    k = min(int(t / PIECE), len(POINTS) - 2)
    s = t / PIECE - k
    return POINTS[k] + (10 * s**3 - 15 * s**4 + 6 * s**5) * (POINTS[k + 1] - POINTS[k])


def directions(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Outwards and sideways, of an arm."""
    return np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])


def arm_angle(p: np.ndarray, angle: float) -> float:
    """Of an arm below the horizontal, elbow outwards: the inverse kinematics."""
    out, side = directions(angle)
    joint = p + HAND * out - SHOULDER * out
    u, v, z = joint @ out, joint @ side, joint[2]
    E, F = 2 * ARM * u, -2 * ARM * z
    G = u * u + v * v + z * z + ARM**2 - ROD**2
    middle, half = np.arctan2(F, E), np.arccos(G / np.hypot(E, F))
    return float(max(middle - half, middle + half, key=np.cos))


def elbow(q: float, angle: float) -> np.ndarray:
    out, _ = directions(angle)
    return SHOULDER * out + ARM * (np.cos(q) * out - np.sin(q) * np.array([0, 0, 1.0]))


def build() -> hn.Model:
    model = hn.Model("delta_robot", units="SI")
    model.gravity = (0, 0, -9.81)
    ground, p = model.ground, path(0.0)
    slim = lambda m, length: (m * length**2 / 12, m * length**2 / 12, m * 1e-4)
    platform = model.part("platform", MASSES["platform"], (3e-4, 3e-4, 5e-4), p)
    drawing.ring(model, platform, p, (0, 0, 1), HAND, 0.012)
    drawing.rod(model, platform, p, p - [0, 0, 0.05], 0.01, 0.02)
    drawing.ring(model, ground, (0, 0, 0.02), (0, 0, 1), SHOULDER, 0.02)
    for tray in (PICK, PLACE):
        drawing.block(model, ground, tray - [0, 0, 0.06], (0.14, 0.14, 0.01))
    times = np.linspace(0.0, END, PITCHES * (len(POINTS) - 1) + 1)
    for k, angle in enumerate(ANGLES):
        out, side = directions(angle)
        shoulder, q = SHOULDER * out, arm_angle(p, angle)
        end = elbow(q, angle)
        way = (end - shoulder) / ARM
        axes = np.column_stack([np.cross(side, way), side, way])
        arm = model.part(f"arm {k}", MASSES["arm"], slim(MASSES["arm"], ARM), (shoulder + end) / 2, axes=axes)
        drawing.beam(model, arm, shoulder, end, 0.03, 0.02)
        drawing.rod(model, arm, end - WIDTH * side, end + WIDTH * side, 0.008)
        pin = model.revolute(arm, ground, f"shoulder {k}", at=shoulder, axis=side)
        for name, across in (("left", WIDTH * side), ("right", -WIDTH * side)):
            a, b = end + across, p + HAND * out + across
            way = (b - a) / ROD
            tilt = np.cross(side, way)
            tilt /= np.linalg.norm(tilt)
            axes = np.column_stack([tilt, np.cross(way, tilt), way])
            rod = model.part(f"{name} rod {k}", MASSES["rod"], slim(MASSES["rod"], ROD), (a + b) / 2, axes=axes)
            drawing.rod(model, rod, a, b, 0.005)
            # the rod cannot spin about itself: its upper end has the two pins of a cross
            model.universal(rod, arm, f"{name} elbow {k}", at=a, axis=side, x=tilt)
            model.spherical(platform, rod, f"{name} wrist {k}", at=b)
        values = np.array([arm_angle(path(t), angle) for t in times])
        curve = model.spline(times, values - values[0], name=f"angle {k}")
        model.motion(pin, f"CUBSPL(TIME,0,{curve.id},0)", f"drive {k}")
    return model


def height(run) -> np.ndarray:
    """Potential energy of all parts over time."""
    parts = [e.name for e in run.model.parts if e.name != "ground"]
    return sum(9.81 * run.model.parts[n].mass * run.part(n).position.values[:, 2] for n in parts)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, error=1e-8, coordinates="joint")
    if report:
        run.report(report)
    platform = run.part("platform")
    off = max(np.linalg.norm(x - path(t)) for t, x in zip(run.time, platform.position.values))
    level = np.abs(platform.axes.values - np.eye(3)).max()
    drives = [run.motion(f"drive {k}") for k in range(3)]
    torques = np.array([d.effort.values for d in drives])
    speeds = np.array([d.rate.values for d in drives])
    work = cumulative_simpson((torques * speeds).sum(axis=0), x=run.time, initial=0.0)
    rests = slice(None, None, STEPS // (len(POINTS) - 1))
    gained = height(run)[rests] - height(run)[0]
    apart = np.abs(work[rests] - gained).max()
    print(
        f"delta robot: the platform is within {off:.1e} m of its path and level within {level:.1e} rad; drives turn up "
        f"to {np.abs(speeds).max():.1f} rad/s at {np.abs(torques).max():.1f} N m; their work between rests is the gain "
        f"in height, up to {np.ptp(gained):.2f} J, within {apart:.1e} J"
    )
    assert off < 1e-7 and level < 1e-6
    assert apart < 2e-6 * np.ptp(gained)
    return float(np.abs(torques).max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

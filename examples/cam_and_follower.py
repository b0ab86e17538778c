"""Eccentric cam and roller follower held by a spring, by a point-on-curve constraint (PTCV).

The cam is a disc of radius a, e off its shaft; the roller's centre runs on the curve of radius R = a + roller radius,
given to the model as a closed curve through points.  Checked against closed forms: the lift
    s = e sin q + sqrt(R^2 - e^2 cos^2 q),
and the force along the follower, from the spring, the weight and the inertia m s''.
A second follower next to it rides the same law as a motion from a spline (AKISPL): its force must agree.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

E, RADIUS, ROLLER = 0.018, 0.05, 0.015
R = RADIUS + ROLLER
MASS, K, PRELOAD, G = 0.6, 4000.0, 60.0, 9.80665
SPEED = 2 * np.pi * 4
END, STEPS = 0.5, 200


def lift(q):
    return E * np.sin(q) + np.sqrt(R**2 - (E * np.cos(q)) ** 2)


def build() -> hn.Model:
    model = hn.Model("cam_and_follower", units="SI")
    model.gravity = (0.0, 0.0, -G)
    ground, y, z = model.ground, (0, 1, 0), (0, 0, 1)
    # the cam turns about -y, so that the eccentric goes from x towards z: angle q
    cam = model.part("cam", 2.0, (0.002, 0.003, 0.002), (0, 0, 0))
    shaft = model.revolute(cam, ground, "shaft", at=(0, 0, 0), axis=(0, -1, 0))
    model.motion(shaft, f"{SPEED!r}*TIME", "drive")
    angle = np.linspace(0, 2 * np.pi, 181)
    profile = model.curve(
        np.column_stack([E + R * np.cos(angle), 0 * angle, R * np.sin(angle)]), closed=True, name="profile"
    )

    s0 = float(lift(0.0))
    followers = []
    for name, place in (("follower", 0.0), ("splined follower", 0.22)):
        at = np.array([0, place, s0])
        part = model.part(name, MASS, (1e-3, 1e-3, 1e-4), at)
        guide = model.translational(part, ground, f"{name} guide", at=at, axis=z)
        seat = model.marker_at(ground, (0, place, 0.25), z=z)
        model.spring_damper(part.cm, seat, stiffness=K, length=0.25 - s0, force=PRELOAD, name=f"{name} spring")
        followers.append((part, guide))
        drawing.rod(model, part, at + [0, 0, 0.02], at + [0, 0, 0.12], 0.008)
        drawing.pin(model, part, at, y, ROLLER, 0.016)
        drawing.block(model, part, at + [0, 0.014, 0.005], (0.012, 0.005, 0.045))
        drawing.block(model, part, at - [0, 0.014, -0.005], (0.012, 0.005, 0.045))
        drawing.pin(model, part, at + [0, 0, 0.1], z, 0.022, 0.006)
        drawing.coil(model, model.marker_at(part, at + [0, 0, 0.1]), seat, 0.034, 9)
        for side in (-0.017, 0.017):
            drawing.block(model, ground, (side, place, 0.155), (0.014, 0.05, 0.03))
        drawing.block(model, ground, (0, place, 0.26), (0.08, 0.05, 0.02))
    (riding, _), (splined, guide) = followers
    model.point_on_curve(riding.cm, cam.cm, profile, "roller on cam")

    knots = np.linspace(0, 2 * np.pi, 361)
    law = model.spline(knots, lift(knots) - s0, name="law")
    model.motion(guide, f"AKISPL(MOD({SPEED!r}*TIME,2*PI),0,{law.id})", "splined lift")
    model.request("lift", functions={"F2": f"DZ({riding.cm})", "F3": f"DZ({splined.cm})", "F4": f"ACCZ({riding.cm})"})

    for place in (0.0,):
        drawing.pin(model, cam, (E, place, 0), y, RADIUS, 0.02)
    drawing.rod(model, cam, (0, -0.05, 0), (0, 0.05, 0), 0.011)
    for place in (-0.05, 0.05):
        drawing.block(model, ground, (0, place, -0.045), (0.05, 0.016, 0.12))
    drawing.block(model, ground, (0, 0.09, -0.11), (0.2, 0.36, 0.02))
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    q = SPEED * run.time
    s = lift(q)
    h = 1e-4
    second = SPEED**2 * (lift(q + h) - 2 * s + lift(q - h)) / h**2
    spring = PRELOAD + K * (s - s[0])
    force = MASS * (second + G) + spring
    heights = run.request("lift").values
    along = run.constraint("roller on cam").force.sel(axis="z").values
    errors = {
        "lift": np.abs(heights[:, 1] - s).max() / np.ptp(s),
        "acceleration": np.abs(heights[:, 3] - second).max() / np.ptp(second),
        "contact force along the guide": np.abs(along - force).max() / np.ptp(force),
        "lift by AKISPL": np.abs(heights[:, 2] - s).max() / np.ptp(s),
    }
    for name, error in errors.items():
        print(f"cam: {name} differs from the closed form by {error:.1e} of its range")
    print(f"cam: smallest force along the follower {along.min():.3f} N (the roller stays on the cam)")
    assert errors["lift"] < 1e-6 and errors["acceleration"] < 1e-3 and errors["contact force along the guide"] < 1e-3
    assert errors["lift by AKISPL"] < 1e-5
    assert along.min() > 0
    return float(along.max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

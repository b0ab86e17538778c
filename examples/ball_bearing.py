"""Deep-groove ball bearing: nine balls between the grooves of two rings, a turning cage, a radial load; load
distribution after Stribeck and Sjovall.

Rings are profiles turned about the axis, their grooves arcs of 0.52 of the ball's diameter; HERTZ takes the stiffness
of each raceway from its curvatures (elliptic contact).  Checked at every row after the load has settled: the force of
each ball against
    Q = K (u cos psi - clearance/2)^1.5,  1/K^(2/3) = 1/K_i^(2/3) + 1/K_o^(2/3),
u the displacement of the inner ring; their sum against the load; and the largest one against Sjovall's integral, which
takes many balls for a continuous row.
"""

import sys

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

import holonom as hn
from holonom.contact import materials
from holonom.model import drawing

BALLS, BALL, PITCH, CONFORMITY, CLEARANCE = 9, 8e-3, 40e-3, 0.52, 10e-6  # diameters, diametral clearance [m]
LOAD, CAGE, RING_MASS = 2000.0, 2 * np.pi * 10, 0.2  # [N], [rad/s], [kg]
RADIUS, GROOVE = BALL / 2, CONFORMITY * BALL
INNER, OUTER = PITCH / 2 - RADIUS - CLEARANCE / 4, PITCH / 2 + RADIUS + CLEARANCE / 4  # bottoms of the grooves
STEEL = materials.MATERIALS["steel"]
BALL_MASS = STEEL.density * np.pi / 6 * BALL**3
END, STEPS, SETTLED = 0.02, 800, 0.012


def hertz(race):
    """Stiffness of a ball in a groove at radius ``race`` (negative: the outer ring)."""
    spot = materials.elliptic((RADIUS, RADIUS), (-GROOVE, race))
    return 4 / 3 * materials.reduced_modulus(STEEL, STEEL) * np.sqrt(spot.radius)


K_INNER, K_OUTER = hertz(INNER), hertz(-OUTER)
K = (K_INNER ** (-2 / 3) + K_OUTER ** (-2 / 3)) ** -1.5


def ring(bottom, rim, outer):
    """Profile (radius, height) and bulges of a ring with a groove; material on the left."""
    w, h = 0.35 * BALL, 0.7 * BALL
    side = -1 if outer else 1
    shoulder = bottom + side * (GROOVE - np.sqrt(GROOVE**2 - w**2))
    bulge = -np.tan(0.5 * np.arcsin(w / GROOVE))
    points = [
        (rim, -side * h),
        (shoulder, -side * h),
        (shoulder, -side * w),
        (shoulder, side * w),
        (shoulder, side * h),
        (rim, side * h),
    ]
    return points, [0, 0, bulge, 0, 0, 0]


def build() -> hn.Model:
    model = hn.Model("ball_bearing", units="SI")
    model.gravity = (0.0, 0.0, 0.0)
    model.integrator.kind, model.integrator.error = "DOP853", 1e-7
    ground, y = model.ground, (0, 1, 0)
    inner = model.part("inner ring", RING_MASS, (4e-5, 6e-5, 4e-5), (0, 0, 0))
    model.planar(inner, ground, "ring plane", at=(0, 0, 0), axis=y)
    model.vforce(
        inner.cm, fz=f"-STEP(TIME,0,0,{0.2 * END!r},{LOAD!r})", rm=model.marker_at(ground, (0, 0, 0)), name="load"
    )
    shapes = {}
    for name, body, bottom, rim, outer in (
        ("inner", inner, INNER, 10e-3, False),
        ("outer", ground, OUTER, 30e-3, True),
    ):
        points, bulge = ring(bottom, rim, outer)
        shapes[name] = model.revolution(body, points, at=(0, 0, 0), axis=y, bulge=bulge, name=name)
    cage = model.part("cage", 0.02, (1e-5, 1e-5, 1e-5), (0, 0, 0))
    model.motion(model.revolute(cage, ground, "cage axle", at=(0, 0, 0), axis=y), f"{CAGE!r}*TIME", "cage")
    for side in (-1, 1):
        drawing.ring(model, cage, (0, 0.35 * side * BALL, 0), y, 0.5 * PITCH, 0.08 * BALL)
    for n in range(BALLS):
        psi = 2 * np.pi * n / BALLS
        out = np.array(
            [-np.sin(psi), 0, -np.cos(psi)]
        )  # psi from the direction of the load; the cage turns towards rising psi
        at = 0.5 * PITCH * out
        ball = model.part(
            f"ball {n}",
            BALL_MASS,
            (0.1 * BALL_MASS * BALL**2,) * 3,
            at,
            velocity=CAGE * np.cross(y, at),
            angular_velocity=(0, CAGE, 0),
        )
        model.translational(ball, cage, f"pocket {n}", at=at, axis=out)
        sphere = model.sphere(ball, at, RADIUS)
        for name, k in (("inner", K_INNER), ("outer", K_OUTER)):
            model.contact(sphere, shapes[name], law="HERTZ", stiffness=k, damping=0.3, name=f"{name} {n}")
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    late = run.time > SETTLED
    u = -run.part("inner ring").position.values[late][:, [0, 2]]
    psi = 2 * np.pi * np.arange(BALLS) / BALLS + CAGE * run.time[late, None]
    found = np.array([run.contact(f"inner {n}").normal.values[late] for n in range(BALLS)]).T
    depth = np.maximum(u[:, :1] * np.sin(psi) + u[:, 1:] * np.cos(psi) - CLEARANCE / 2, 0)
    wanted = K * depth**1.5
    carried = (found * np.cos(psi)).sum(axis=1)
    print(
        f"bearing: balls differ from Q(u, psi) by {np.abs(found - wanted).max():.2f} N, their sum from the load by "
        f"{np.abs(carried - LOAD).max():.2f} N"
    )
    assert (
        np.abs(found - wanted).max() < 2e-3 * found.max()
    )  # balls are heavy a little, and contact lines lean with the ring
    assert np.abs(carried - LOAD).max() < 1e-3 * LOAD
    reach = lambda e: (
        quad(lambda p: max(0, 1 - (1 - np.cos(p)) / (2 * e)) ** 1.5 * np.cos(p), -np.pi, np.pi)[0] / (2 * np.pi)
    )
    row = lambda x: (
        BALLS * K * (x - CLEARANCE / 2) ** 1.5 * reach(0.5 * (1 - CLEARANCE / 2 / x))
    )  # Sjovall: load at displacement x
    shift = brentq(lambda x: row(x) - LOAD, 0.51 * CLEARANCE, 1e-3)
    most, sjovall = found.max(), K * (shift - CLEARANCE / 2) ** 1.5
    print(
        f"bearing: largest force {most:.1f} N, Sjovall {sjovall:.1f} N, Stribeck's 5 F/Z {5 * LOAD / BALLS:.1f} N; "
        f"the ring moves {1e6 * u[:, 1].min():.2f} to {1e6 * u[:, 1].max():.2f} um, Sjovall {1e6 * shift:.2f} um"
    )
    assert abs(most / sjovall - 1) < 0.02 and abs(most / (5 * LOAD / BALLS) - 1) < 0.1
    assert np.abs(u[:, 1] / shift - 1).max() < 0.02
    print(f"bearing: {run.audit()}")
    assert run.audit().ok(1e-4)
    assert (np.diff(run.energy["dissipated"].values) > -1e-9).all()
    return float(most)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

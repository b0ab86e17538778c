"""Hertz's classics: sphere on a plane, sphere in a cylinder, cylinder in a ring, crowned cam on a flat follower, by
laws from materials.

HERTZ takes 4/3 E* sqrt(R) d^1.5 with the equivalent R of the curvatures (elliptic integrals for the sphere in a bore
and the crowned cam), HERTZ_LINE Johnson's d(F) of parallel cylinders.  Checked against these forms, written out here:
at rest the depth under the weight and a load; falling, depth and force where the energy of the fall is stored; turning,
the cam's force F = m (z'' + g) + preload, the depth that belongs to it, and the lift of the follower, which is that of
a rigid cam less the depth.
"""

import sys

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import holonom as hn
from holonom.model import drawing

E, NU = 207e3, 0.292  # steel [N/mm^2]
MODULUS = E / (1 - NU**2) / 2
G, MASS, FALL, LOAD = 9806.65, 0.2, 2.0, 50.0  # [mm/s^2], [kg], [mm], [N]
BALL, BORE = 10.0, 11.0  # [mm]
ROLLER, RING, LENGTH = 10.0, 12.0, 8.0
CAM, CROWN, ECCENTRIC, SPEED, RATE, PRELOAD = 30.0, 12.0, 4.0, 2 * np.pi * 10, 2.0, 60.0
ALPHA = 2e-3  # [s/mm]
END, STEPS = 0.1, 8000


def equivalent(rx, ry):
    """Radius R in F = 4/3 E* sqrt(R) d^1.5 of principal relative radii rx >= ry (Johnson, Contact Mechanics, 4.2)."""
    A, B = 0.5 / rx, 0.5 / ry
    if rx == ry:
        return rx

    def sides(m):  # shares of A and B, m = 1 - (b/a)^2
        K, e = ellipk(m), ellipe(m)
        return (K - e) / m, (e / (1 - m) - K) / m

    m = brentq(lambda m: sides(m)[1] / sides(m)[0] - B / A, 1e-12, 1 - 1e-12)
    # a^2 = d sides[0]/(K A),  F = 2 pi E* a d/(3 K)
    return (np.pi / (2 * ellipk(m))) ** 2 * sides(m)[0] / (ellipk(m) * A)


POINT = {  # stiffness k of F = k d^1.5
    "sphere on plane": 4 / 3 * MODULUS * np.sqrt(BALL),
    "sphere in cylinder": 4 / 3 * MODULUS * np.sqrt(equivalent(1 / (1 / BALL - 1 / BORE), BALL)),
    "cam": 4 / 3 * MODULUS * np.sqrt(equivalent(CAM, CROWN)),
}


def line(force):
    """Depth of the roller in its ring under a force."""
    y = force / (np.pi * MODULUS * LENGTH)
    return y * (np.log(4 * (RING - ROLLER) / y) - 1)


def rest():
    """Depth of the cam under weight and preload."""
    return ((MASS * G / 1000 + PRELOAD) / POINT["cam"]) ** (2 / 3)


def build(fall: float = FALL) -> hn.Model:
    model = hn.Model("hertz_contacts", units="mm")
    model.gravity = (0.0, 0.0, -G)
    model.integrator.kind, model.integrator.error = "DOP853", 1e-9
    ground, z = model.ground, (0, 0, 1)

    def falling(name, x, height):
        at = np.array([x, 0, height + fall])
        body = model.part(name, MASS, (8, 8, 8), at)
        model.translational(body, ground, f"{name} guide", at=at, axis=z)
        model.vforce(body.cm, fz=repr(-LOAD), rm=model.marker_at(ground, (0, 0, 0)), name=f"{name} load")
        return body, at

    def touch(i, j, law, name, **more):
        model.contact(i, j, law=law, materials="steel", name=name, joined=True, **more)

    ball, at = falling("sphere on plane", 0, BALL)
    touch(model.sphere(ball, at, BALL), model.plane(ground, (0, 0, 0), z, size=40), "HERTZ", "sphere on plane")
    ball, at = falling("sphere in cylinder", 50, BALL)
    touch(
        model.sphere(ball, at, BALL),
        model.cylinder(ground, (50, -15, BORE), (50, 15, BORE), BORE, inside=True),
        "HERTZ",
        "sphere in cylinder",
    )
    roller, at = falling("cylinder in ring", 100, ROLLER)
    half = np.array([0, LENGTH / 2, 0])
    touch(
        model.cylinder(roller, at - half, at + half, ROLLER),
        model.cylinder(ground, (100, -10, RING), (100, 10, RING), RING, inside=True),
        "HERTZ_LINE",
        "cylinder in ring",
    )

    place = np.array([170.0, 0, 0])
    cam = model.part("cam", 0.3, (50, 80, 50), place)
    shaft = model.revolute(cam, ground, "shaft", at=place, axis=(0, -1, 0))
    model.motion(shaft, f"{SPEED!r}*TIME", "drive")
    at = place + [0, 0, CAM - rest() + 30]
    follower = model.part("follower", MASS, (20, 20, 20), at)
    model.translational(follower, ground, "follower guide", at=at, axis=z)
    model.spring_damper(
        model.marker_at(follower, at), model.marker_at(ground, at + [0, 0, 40]), RATE, 0.0, 40.0, PRELOAD, "spring"
    )
    disc = model.torus(cam, place + [ECCENTRIC, 0, 0], (0, 1, 0), CAM - CROWN, CROWN)
    touch(disc, model.plane(follower, at - [0, 0, 30], (0, 0, -1), size=60), "HERTZ", "cam", damping=ALPHA)
    drawing.rod(model, follower, at - [0, 0, 30], at, 4)
    drawing.pin(model, cam, place, (0, 1, 0), 8, 30)
    return model


def deepest(name):
    """Depth of the impact, and its force: the energy of the fall is stored."""
    push = LOAD + MASS * G / 1000
    if name in POINT:
        d = brentq(lambda d: POINT[name] * d**2.5 / 2.5 - push * (FALL + d), 1e-4, 1.0, xtol=1e-14)
        return d, POINT[name] * d**1.5
    work = lambda f: f * line(f) - quad(line, 0, f)[0]
    f = brentq(lambda f: work(f) - push * (FALL + line(f)), 10, 1e5, xtol=1e-9)
    return line(f), f


def peak(values):
    """Top of the parabola through the largest row and its neighbours."""
    k = int(np.argmax(values))
    a, b, c = values[k - 1 : k + 2]
    return b + (c - a) ** 2 / (8 * (2 * b - a - c))


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    still = hn.simulate(build(-1e-3), kind="statics")
    for name in ("sphere on plane", "sphere in cylinder", "cylinder in ring"):
        contact = still.contact(name)
        force, depth = contact.normal.values[-1], contact.depth.values[-1]
        exact = (force / POINT[name]) ** (2 / 3) if name in POINT else line(force)
        print(f"hertz: {name} at rest under {force:.3f} N, {1e3 * depth:.5f} um deep, closed form {1e3 * exact:.5f} um")
        assert abs(depth / exact - 1) < 1e-6
        assert abs(force - LOAD - MASS * G / 1000) < 1e-4 * force
    depth, press = still.contact("cam").depth.values[-1], PRELOAD + MASS * G / 1000
    press += RATE * (still.part("follower").position.values[-1, 2] - (CAM + 30 - rest()))
    print(
        f"hertz: cam at rest under {press:.3f} N, {1e3 * depth:.5f} um deep, closed form "
        f"{1e3 * (press / POINT['cam']) ** (2 / 3):.5f} um"
    )
    assert abs(depth / (press / POINT["cam"]) ** (2 / 3) - 1) < 1e-5

    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    for name in ("sphere on plane", "sphere in cylinder", "cylinder in ring"):
        d, f = deepest(name)
        depth, force = peak(run.contact(name).depth.values), peak(run.contact(name).normal.values)
        print(
            f"hertz: {name} falls, {depth / d:.5f} of the depth {1e3 * d:.3f} um and {force / f:.5f} of the force "
            f"{f:.1f} N in closed form"
        )
        assert abs(depth / d - 1) < 1e-4 and abs(force / f - 1) < 1e-4
    cam, q, late = run.contact("cam"), SPEED * run.time, run.time > 0.02
    force, depth, rate = cam.normal.values[late], cam.depth.values[late], cam.rate.values[late]
    law = POINT["cam"] * depth**1.5 * (1 + 1.5 * ALPHA * rate)
    z = run.part("follower").position.values[late, 2]
    lift = ECCENTRIC * np.sin(q[late]) + CAM + 30
    rigid = MASS / 1000 * (G - SPEED**2 * ECCENTRIC * np.sin(q[late])) + PRELOAD + RATE * (lift - CAM - 30)
    print(
        f"hertz: cam, force against its law {np.abs(force / law - 1).max():.1e}, against a rigid cam "
        f"{np.abs(force / rigid - 1).max():.1e}, "
        f"lift against a rigid cam less the depth {np.abs(z - lift + depth).max():.1e} mm"
    )
    assert np.abs(force / law - 1).max() < 1e-6
    assert np.abs(force / rigid - 1).max() < 2e-3
    assert np.abs(z - lift + depth).max() < 1e-6
    print(f"hertz: {run.audit()}")
    assert run.audit().ok(1e-4)
    return float(force.max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

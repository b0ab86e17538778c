"""Truck-mounted loader crane: 14 bodies, two closed loops, a telescope, a load on a rope, and compliant feet.

A knuckle-boom crane lifts a crate from the bed of its truck, slews it by 90 degrees, lowers the main boom, unfolds the
knuckle boom through its linkage, and runs the telescope out to 8.6 m.  Motions drive slewing ring, cylinders and
telescope (STEP5); the second telescope stage follows the first by a COUPLER.  The truck stands on four outriggers,
bushings on the ground, preloaded with what each carries at the start.

Checked against statics without any multibody code: the angles follow from the cylinder lengths by the law of cosines
(`pose` below), and each cylinder's force by virtual work,
    F = g sum_k m_k dh_k/dl,
which is the moment of all weights about the boom's pin over the cylinder's lever arm.  At the start this holds exactly;
at the end the crate still swings a little, which the average over the last swings takes out.  The feet must carry the
whole weight.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

G = 9.80665
BED, PIVOT = 1.20, 3.10  # heights of the truck's bed and of the boom's pivot [m]
A, B = np.array([0.0, PIVOT]), np.array([0.42, 1.75])  # boom pivot and foot of the lifting cylinder, (radius, height)
BOOM, KNUCKLE = 3.40, 2.60  # lengths of main boom and knuckle boom
C, F, J = (
    np.array([1.10, -0.30]),
    np.array([1.20, 0.42]),
    np.array([2.95, 0.20]),
)  # on the boom: cylinders, rocker's pivot
ROCKER, K = 0.65, np.array([0.25, 0.40])  # rocker length; pin of the push link on the knuckle boom
LINK = 1.155
STAGE = (0.30, 0.30)  # how far the telescope stages stick out at the start
ROPE, HOOK, SLING = 0.45, 0.36, 0.62  # rope length, hook block height, height of the slings
CRATE = (1.4, 1.1, 0.8)
MASS = {
    "truck": 11000.0, "column": 900.0, "boom": 650.0, "lift barrel": 120.0, "lift rod": 60.0, "knuckle": 420.0,
    "rocker": 28.0,
    "push link": 22.0, "fold barrel": 80.0, "fold rod": 40.0, "stage 1": 150.0, "stage 2": 110.0, "hook": 80.0,
    "crate": 1200.0,
}  # fmt: skip
BARREL, RODS = (1.55, 1.35), (1.5, 1.3)  # lengths of barrels and rods of both cylinders
START = (np.radians(63.0), np.radians(-115.0), 0.0)  # boom angle, knuckle against boom, travel of a stage
LIFTED = np.radians(-92.0)
GOAL = (np.radians(48.0), np.radians(-56.0), 1.5)
SLEW = -np.pi / 2
FEET = [(0.35, 2.35), (0.35, -2.35), (-4.3, 1.7), (-4.3, -1.7)]
FOOT = 1.5e7  # vertical stiffness of a foot [N/m]
END, STEPS = 30.0, 600


def turn(angle, v):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def lengths(alpha, delta):
    """Cylinder lengths that give a boom angle and a knuckle angle against the boom."""
    lift = np.linalg.norm(A + turn(alpha, C) - B)
    pin = np.array([BOOM, 0.0]) + turn(delta, K)
    d = np.linalg.norm(pin - J)
    corner = np.arccos((ROCKER**2 + d**2 - LINK**2) / (2 * ROCKER * d))
    top = J + turn(np.arctan2(*(pin - J)[::-1]) + corner, [ROCKER, 0.0])
    return lift, np.linalg.norm(top - F)


def pose(lift, fold, travel):
    """Points of the crane (radius, height) from the lengths of its cylinders: the law of cosines, twice; the travel is
    given.

    Also the centre of mass of every body (``centres``) and the boom angles.
    """
    corner = lambda a, b, c: np.arccos((a * a + b * b - c * c) / (2 * a * b))
    heading = lambda v: np.arctan2(v[1], v[0])
    alpha = heading(B - A) + corner(np.linalg.norm(B - A), np.linalg.norm(C), lift) - heading(C)
    rocker = heading(F - J) - corner(np.linalg.norm(F - J), ROCKER, fold)
    top = J + turn(rocker, [ROCKER, 0.0])  # in the boom's axes, as F, J, C
    knee = np.array([BOOM, 0.0])
    gap = np.linalg.norm(top - knee)
    delta = heading(top - knee) - corner(gap, np.linalg.norm(K), LINK) - heading(K)
    on_boom = lambda p: A + turn(alpha, p)
    p = {"A": A, "B": B, "C": on_boom(C), "D": on_boom(knee), "F": on_boom(F), "J": on_boom(J), "H": on_boom(top)}
    p["K"] = p["D"] + turn(alpha + delta, K)
    out = lambda s: p["D"] + turn(alpha + delta, [s, 0.0])
    p["E1"], p["E2"] = out(KNUCKLE + STAGE[0] + travel), out(KNUCKLE + sum(STAGE) + 2 * travel)
    middle = lambda a, b: 0.5 * (p[a] + p[b])
    along = lambda a, b, s: p[a] + (p[b] - p[a]) * s / np.linalg.norm(p[b] - p[a])
    centres = {
        "boom": on_boom(np.array([1.6, 0.0])),
        "lift barrel": along("B", "C", BARREL[0] / 2),
        "lift rod": along("C", "B", RODS[0] / 2),
        "knuckle": out(1.2),
        "rocker": middle("J", "H"),
        "push link": middle("H", "K"),
        "fold barrel": along("F", "H", BARREL[1] / 2),
        "fold rod": along("H", "F", RODS[1] / 2),
        "stage 1": out(KNUCKLE + STAGE[0] + travel - 1.15),
        "stage 2": out(KNUCKLE + sum(STAGE) + 2 * travel - 1.1),
        "hook": p["E2"] - [0, ROPE + HOOK / 2],
        "crate": p["E2"] - [0, ROPE + HOOK + SLING + CRATE[2] / 2],
    }
    return p, centres, alpha, delta


def cylinder_forces(lift, fold, travel):
    """Static forces of both cylinders and of the telescope drive by virtual work, positive where they push."""
    weight = lambda *lengths: sum(G * MASS[name] * c[1] for name, c in pose(*lengths)[1].items())
    h, at = 1e-5, np.array([lift, fold, travel])
    return [(weight(*(at + h * e)) - weight(*(at - h * e))) / (2 * h) for e in np.eye(3)]


def build() -> hn.Model:
    model = hn.Model("crane", units="SI")
    model.title = "Loader crane: slew, luff, unfold, telescope"
    model.gravity = (0.0, 0.0, -G)
    model.integrator.kind = "DOP853"  # ropes and feet are stiff, but not stiff enough for an implicit method to pay
    ground, z = model.ground, np.array([0.0, 0, 1])
    radial, across = np.array([-1.0, 0, 0]), np.array([0.0, -1, 0])  # at the start the boom points over the bed
    space = lambda p, side=0.0: radial * p[0] + z * p[1] + across * side
    start = lengths(START[0], START[1])
    p, centres, alpha, delta = pose(*start, START[2])
    beam_axes = lambda angle: np.column_stack(
        [space((np.cos(angle), np.sin(angle))), across, np.cross(space((np.cos(angle), np.sin(angle))), across)]
    )
    parts = {}

    def part(name, inertia, angle=0.0, at=None):
        at = space(centres[name]) if at is None else at
        parts[name] = model.part(name, MASS[name], inertia, at, axes=beam_axes(angle))
        return parts[name]

    rods = lambda name, length, r=0.15: (
        MASS[name] * r * r / 2,
        MASS[name] * length**2 / 12,
        MASS[name] * length**2 / 12,
    )
    heading = lambda a, b: float(np.arctan2(*(p[b] - p[a])[::-1]))
    truck = part("truck", (9e3, 3e4, 3.4e4), at=(-1.5, 0, 1.0))
    column = part("column", (500, 500, 120), at=(0, 0, 2.2))
    boom = part("boom", rods("boom", 3.6, 0.25), alpha)
    barrel1 = part("lift barrel", rods("lift barrel", BARREL[0]), heading("B", "C"))
    rod1 = part("lift rod", rods("lift rod", RODS[0]), heading("B", "C"))
    knuckle = part("knuckle", rods("knuckle", 2.8, 0.2), alpha + delta)
    rocker = part("rocker", rods("rocker", ROCKER), heading("J", "H"))
    link = part("push link", rods("push link", LINK), heading("H", "K"))
    barrel2 = part("fold barrel", rods("fold barrel", BARREL[1]), heading("F", "H"))
    rod2 = part("fold rod", rods("fold rod", RODS[1]), heading("F", "H"))
    stage1 = part("stage 1", rods("stage 1", 2.5), alpha + delta)
    stage2 = part("stage 2", rods("stage 2", 2.4), alpha + delta)
    hook = part("hook", (1.5, 1.5, 0.8))
    a, b, c = (MASS["crate"] / 12 * s * s for s in CRATE)
    crate = part("crate", (b + c, a + c, a + b))

    # joints: ball and cross joints where a flat sketch has pins, so that no equation says a thing twice
    slew = model.revolute(column, truck, "slewing ring", at=(0, 0, BED + 0.1), axis=z)
    model.revolute(boom, column, "boom pivot", at=space(p["A"]), axis=across)
    model.revolute(knuckle, boom, "knee", at=space(p["D"]), axis=across)
    model.revolute(rocker, boom, "rocker pivot", at=space(p["J"]), axis=across)
    model.spherical(link, rocker, "link on rocker", at=space(p["H"]))

    def cross(i, j, at, direction, name):
        model.universal(model.marker_at(i, at, z=np.cross(across, direction)), model.marker_at(j, at, z=across), name)

    cross(link, knuckle, space(p["K"]), space(p["K"] - p["H"]), "link on knuckle")
    drives = {}
    for name, barrel, rod, foot, pin, base, arm in (
        ("lift", barrel1, rod1, "B", "C", column, boom),
        ("fold", barrel2, rod2, "F", "H", boom, rocker),
    ):
        along = space(p[pin] - p[foot])
        cross(barrel, base, space(p[foot]), along, f"{name} cylinder foot")
        drives[name] = model.translational(rod, barrel, f"{name} cylinder", at=space(p[pin]), axis=along, x=across)
        model.spherical(rod, arm, f"{name} cylinder eye", at=space(p[pin]))
    out = space(p["E1"] - p["D"])
    tele1 = model.translational(stage1, knuckle, "telescope 1", at=space(p["E1"]), axis=out, x=across)
    tele2 = model.translational(stage2, stage1, "telescope 2", at=space(p["E2"]), axis=out, x=across)
    model.coupler((tele1, tele2), (1.0, -1.0), ("T", "T"), "telescope chains")

    middle, goal = lengths(START[0], LIFTED), lengths(*GOAL[:2])
    num = lambda v: repr(float(v))
    model.motion(slew, f"STEP5(TIME,4,0,15,{num(SLEW)})", "slew drive")
    model.motion(drives["lift"], f"STEP5(TIME,10,0,19,{num(goal[0] - start[0])})", "lift drive")
    model.motion(
        drives["fold"],
        f"STEP5(TIME,0.5,0,6,{num(middle[1] - start[1])})+STEP5(TIME,11,0,20,{num(goal[1] - middle[1])})",
        "fold drive",
    )
    model.motion(tele1, f"STEP5(TIME,13,0,22,{num(GOAL[2])})", "telescope drive")

    # the load: rope, hook block, four slings, and air
    tip, eye = space(p["E2"]), space(p["E2"] - [0, ROPE])
    rope = (model.marker_at(stage2, tip, name="tip"), model.marker_at(hook, eye))
    below = MASS["hook"] + MASS["crate"]
    model.spring_damper(rope[1], rope[0], 6e5, 4e3, ROPE, -below * G, "rope")
    ring = eye - [0, 0, HOOK]
    hang = model.marker_at(hook, ring)
    top = ring - [0, 0, SLING]
    corners = []
    for k, (sx, sy) in enumerate(((1, 1), (1, -1), (-1, -1), (-1, 1))):
        corner = top + 0.45 * (sx * CRATE[0] * radial + sy * CRATE[1] * across)
        length = float(np.linalg.norm(corner - ring))
        m = model.marker_at(crate, corner)
        model.spring_damper(m, hang, 4e5, 3e3, length, -MASS["crate"] * G / 4 * length / SLING, f"sling {k + 1}")
        corners.append(m)
    still = model.marker_at(ground, (0, 0, 0), name="origin")
    drag = [f"-260*V{c}({crate.cm},{still.id})" for c in "XYZ"]
    model.vforce(crate.cm, ground, *drag, rm=still, name="air drag")

    # feet: each carries its share at the start, as a plate on four equal springs has it
    bodies = [q for q in model.parts.values() if not q.ground]
    weight = sum(q.mass for q in bodies) * G
    moment = G * sum(q.mass * np.array(q.qg[:2]) for q in bodies)
    feet = np.array(FEET)
    plate = np.column_stack([np.ones(4), feet])
    share = plate @ np.linalg.solve(plate.T @ plate, [weight, *moment])
    for k, ((fx, fy), load) in enumerate(zip(FEET, share)):
        i, j = model.marker_at(truck, (fx, fy, 0.1)), model.marker_at(ground, (fx, fy, 0.1))
        model.bushing(
            i,
            j,
            (0.8e7, 0.8e7, FOOT),
            (1e5,) * 3,
            (1e5, 1e5, 2.5e5),
            (1e4,) * 3,
            (0, 0, float(load)),
            name=f"foot {k + 1}",
        )

    model.request(
        "cylinders",
        functions={
            f"F{n}": f"MOTION({model.find('MOTION', d).id},{jf},{comp},{rm})"
            for n, d, jf, comp, rm in (
                (2, "lift drive", 0, 4, drives["lift"].j),
                (3, "fold drive", 0, 4, drives["fold"].j),
                (4, "telescope drive", 0, 4, tele1.j),
            )
        },
        comment="axial force of both cylinders and of the telescope",
    )
    model.request("knee", kind="FORCE", i=model.find("JOINT", "knee").i, j=model.find("JOINT", "knee").j)
    model.request("crate", kind="DISPLACEMENT", i=crate.cm, j=still)
    _draw(model, parts, p, space, across, z, rope, ring, hang, corners, top)
    return model


def _draw(model, parts, p, space, across, z, rope, ring, hang, corners, top):
    d, at = drawing, lambda name: space(p[name])
    truck, column, boom, knuckle = (parts[n] for n in ("truck", "column", "boom", "knuckle"))
    red, grey, dark, steel, black, pale = "RED", "SILVER", "DIMGRAY", "WHITE", "BLACK", "LIGHTGRAY"
    for side in (0.45, -0.45):
        d.block(model, truck, (-1.2, side, 0.95), (7.4, 0.14, 0.26), color=dark)
    d.block(model, truck, (-2.85, 0, BED - 0.08), (4.5, 2.3, 0.12), color="STEEL")
    d.block(model, truck, (-5.08, 0, BED + 0.16), (0.05, 2.3, 0.4), color="STEEL")
    for side in (1.12, -1.12):
        d.block(model, truck, (-2.85, side, BED + 0.06), (4.5, 0.05, 0.2), color="STEEL")
    d.block(model, truck, (1.72, 0, 1.75), (1.5, 2.25, 1.7), color=steel)
    d.block(model, truck, (2.2, 0, 1.1), (0.9, 2.3, 0.8), color=steel)
    for side in (1.13, -1.13):
        d.block(model, truck, (1.95, side, 2.1), (0.75, 0.02, 0.6), color="MIDNIGHT_BLUE")
    d.block(model, truck, (2.62, 0, 0.75), (0.16, 2.35, 0.22), color=black)
    for side in (0.85, -0.85):
        d.rod(model, truck, (2.63, side, 1.05), (2.68, side, 1.05), 0.11, color="YELLOW")
    d.block(model, truck, (2.46, 0, 2.05), (0.06, 1.9, 0.7), color="MIDNIGHT_BLUE")
    d.block(model, truck, (0, 0, BED - 0.02), (0.9, 1.2, 0.24), color=dark)
    for x in (1.75, -2.7, -3.9):
        for side in (1.0, -1.0):
            d.pin(model, truck, (x, side, 0.5), (0, 1, 0), 0.5, 0.3, color=black)
            d.pin(model, truck, (x, side * 1.14, 0.5), (0, 1, 0), 0.22, 0.06, color=grey)
    for fx, fy in FEET:
        d.block(model, truck, (fx, fy / 2, 0.8), (0.24, abs(fy), 0.2), color=dark)
        d.rod(model, truck, (fx, fy, 0.14), (fx, fy, 1.1), 0.075, color="YELLOW")
        d.rod(model, truck, (fx, fy, 0.1), (fx, fy, 0.17), 0.24, 0.12, color="YELLOW")
        d.block(model, model.ground, (fx, fy, 0.04), (0.9, 0.9, 0.08), color=pale)
    d.rod(model, column, (0, 0, BED + 0.1), (0, 0, BED + 0.22), 0.46, color=red)
    d.rod(model, column, (0, 0, BED + 0.22), (0, 0, 2.2), 0.34, 0.24, color=red)
    d.block(model, column, (0, 0, 2.5), (0.36, 0.5, 0.8), color=red)
    for side in (0.22, -0.22):
        d.beam(
            model,
            column,
            space((0, 2.5), side),
            space((0, PIVOT + 0.14), side),
            0.06,
            0.34,
            up=space((1, 0)),
            color=red,
        )
        d.beam(model, column, space((0, 1.75), side * 0.6), space((0.5, 1.75), side * 0.6), 0.05, 0.22, color=red)
    d.pin(model, column, at("A"), across, 0.09, 0.56, color=grey)
    d.pin(model, column, at("B"), across, 0.06, 0.36, color=grey)
    # booms with lugs
    e = space(p["D"] - p["A"]) / BOOM
    n = np.cross(across, e) * (1 if np.cross(across, e) @ z > 0 else -1)
    d.beam(model, boom, at("A") - 0.1 * e, at("D") - 0.25 * e, 0.30, 0.38, up=n, color=red)
    for side in (0.18, -0.18):
        d.beam(
            model,
            boom,
            at("A") + 2.6 * e + side * across,
            at("D") + 0.08 * e + side * across,
            0.04,
            0.32,
            up=n,
            color=red,
        )
        d.beam(
            model,
            boom,
            at("J") - 0.25 * n + side * across,
            at("J") + 0.1 * n + side * across,
            0.04,
            0.24,
            up=e,
            color=red,
        )
        d.beam(
            model,
            boom,
            at("C") + 0.2 * n + 0.6 * side * across,
            at("C") - 0.08 * n + 0.6 * side * across,
            0.04,
            0.26,
            up=e,
            color=red,
        )
        d.beam(
            model,
            boom,
            at("F") - 0.3 * n + 0.6 * side * across,
            at("F") + 0.08 * n + 0.6 * side * across,
            0.04,
            0.26,
            up=e,
            color=red,
        )
    for name in ("C", "D", "F", "J"):
        d.pin(model, boom, at(name), across, 0.065, 0.44 if name in "DJ" else 0.3, color=grey)
    k = space(p["E2"] - p["D"])
    k = k / np.linalg.norm(k)
    m = np.cross(across, k) * (1 if np.cross(across, k) @ space(p["K"] - p["D"]) > 0 else -1)
    d.beam(model, knuckle, at("D") - 0.1 * k, at("D") + KNUCKLE * k, 0.27, 0.30, up=m, color=red)
    for side in (0.09, -0.09):
        d.beam(
            model,
            knuckle,
            at("K") - 0.35 * m + side * across,
            at("K") + 0.08 * m + side * across,
            0.04,
            0.28,
            up=k,
            color=red,
        )
    d.pin(model, knuckle, at("K"), across, 0.06, 0.3, color=grey)
    d.block(model, knuckle, at("D") + (KNUCKLE - 0.05) * k, (0.1, 0.33, 0.36), x=k, z=m, color=dark)
    for stage, end, width in (("stage 1", "E1", 0.22), ("stage 2", "E2", 0.17)):
        d.beam(model, parts[stage], at(end) - 2.2 * k, at(end), width, width + 0.04, up=m, color=grey)
        d.block(model, parts[stage], at(end) - 0.03 * k, (0.07, width + 0.05, width + 0.1), x=k, z=m, color=dark)
    d.pin(model, parts["stage 2"], at("E2"), across, 0.09, 0.3, color=dark)
    # cylinders, rocker, link
    for barrel, rod, foot, pin_, r, b, s in (
        ("lift barrel", "lift rod", "B", "C", 0.115, BARREL[0], RODS[0]),
        ("fold barrel", "fold rod", "F", "H", 0.085, BARREL[1], RODS[1]),
    ):
        u = at(pin_) - at(foot)
        u = u / np.linalg.norm(u)
        d.rod(model, parts[barrel], at(foot), at(foot) + b * u, r, color=dark)
        d.rod(model, parts[barrel], at(foot) + (b - 0.06) * u, at(foot) + b * u, 1.15 * r, color=grey)
        d.pin(model, parts[barrel], at(foot), across, 1.1 * r, 0.14, color=dark)
        d.rod(model, parts[rod], at(pin_) - s * u, at(pin_), 0.55 * r, color=steel)
        d.pin(model, parts[rod], at(pin_), across, 0.95 * r, 0.12, color=dark)
    for side in (0.13, -0.13):
        up = space(p["D"] - p["A"])
        d.beam(model, parts["rocker"], at("J") + side * across, at("H") + side * across, 0.035, 0.14, up=up, color=dark)
        d.beam(
            model,
            parts["push link"],
            at("H") + 1.35 * side * across,
            at("K") + 1.35 * side * across,
            0.035,
            0.13,
            up=up,
            color=dark,
        )
    d.pin(model, parts["rocker"], at("H"), across, 0.06, 0.4, color=grey)
    d.pin(model, parts["rocker"], at("J"), across, 0.075, 0.34, color=grey)
    # rope, hook block, crate
    eye = ring + HOOK * z
    d.rod(model, parts["hook"], eye - 0.02 * z, eye - 0.08 * z, 0.05, 0.11, color="YELLOW")
    d.pin(model, parts["hook"], eye - 0.14 * z, across, 0.12, 0.12, color=dark)
    d.rod(model, parts["hook"], eye - 0.32 * z, eye - 0.2 * z, 0.03, 0.05, color=dark)
    d.ring(model, parts["hook"], ring + 0.03 * z, across, 0.07, 0.022, color=black)
    d.rope(model, *rope, 0.03)
    for corner in corners:
        d.rope(model, corner, hang, 0.025)
    crate = parts["crate"]
    x, y = space((1.0, 0.0)), across
    centre = top - 0.5 * CRATE[2] * z
    d.block(model, crate, centre, np.array(CRATE) - [0.06, 0.06, 0.06], x=x, z=z, color="GOLD")
    slat = lambda offset, size: d.block(model, crate, centre + 0.5 * offset, size, x=x, z=z, color="BROWN")
    a, b, c = np.array(CRATE) - 0.05
    for u, v in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        slat(u * a * x + v * b * y, (0.09, 0.09, CRATE[2]))
        slat(u * a * x + v * c * z, (0.09, CRATE[1], 0.09))
        slat(u * b * y + v * c * z, (CRATE[0], 0.09, 0.09))


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    forces = run.request("cylinders").values[:, 1:4]
    late = run.time > END - 6.0  # two swings of the crate
    first = cylinder_forces(*lengths(*START[:2]), START[2])
    last = cylinder_forces(*lengths(*GOAL[:2]), GOAL[2])
    for k, name in enumerate(("lift cylinder", "fold cylinder", "telescope")):
        mean = forces[late, k].mean()
        print(
            f"crane: {name:13s} start {forces[0, k] / 1e3:9.3f} kN, statics {first[k] / 1e3:9.3f}; "
            f"end {mean / 1e3:9.3f} kN, statics {last[k] / 1e3:9.3f}"
        )
        assert abs(forces[0, k] - first[k]) < 1e-6 * max(map(abs, first))
        assert abs(mean - last[k]) < 5e-3 * max(map(abs, last))
    feet = sum(run.force(f"foot {k}").force.sel(axis="z").values for k in (1, 2, 3, 4))
    weight = sum(MASS.values()) * G
    print(f"crane: the feet carry {feet[late].mean() / 1e3:.3f} kN, the crane weighs {weight / 1e3:.3f} kN")
    assert abs(feet[0] - weight) < 1e-6 * weight and abs(feet[late].mean() - weight) < 1e-3 * weight
    reach = np.hypot(*run.marker("tip").position.values[-1, :2])
    p = pose(*lengths(*GOAL[:2]), GOAL[2])[0]
    print(f"crane: the tip reaches {reach:.4f} m, geometry {p['E2'][0]:.4f} m")
    assert abs(reach - p["E2"][0]) < 0.01  # the truck leans on its feet
    return float(forces[0, 0])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

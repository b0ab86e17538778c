"""What machines are made of, element by element, from their docstrings and from statics: see `_account`."""

import math
from types import SimpleNamespace

import numpy as np
from scipy.interpolate import Akima1DInterpolator

from _account import LEVEL, ZERO, Drawings, X, Y, Z, body, braked, pair, pair_of, point, smooth, spin, turned_to
from holonom.machinery import (
    FloatingCaliper,
    GearPair,
    bevel_pair,
    chain_drive,
    disc_brake_assembly,
    gear_pair,
    planetary_set,
    rope_over_pulley,
    tracked_side,
    two_stage_gearbox,
)

DRAWINGS = Drawings()
drawing = DRAWINGS.of


def touches(one, other, mu=None, slips=None, **fields):
    """Of a contact: two lists of shapes; ``mu`` static and dynamic, ``slips`` where they are reached."""
    out = {"igeom": one, "jgeom": other, **fields}
    if mu is not None:
        out |= {"coulomb_friction": "ON", "mu_static": mu[0], "mu_dynamic": mu[1]}
        out |= {"stiction_transition_velocity": slips[0], "friction_transition_velocity": slips[1]}
    return out


def shape(part, kind, at, axes=LEVEL, **more):
    return {"part": part, "shape": kind, "at": at, "axes": axes, **more}


# ---- disc brake: a piston of diameter d pushes pad and caliper apart with p A less the fluid's stiffness times travel
@drawing(
    disc_brake_assembly,
    brake=FloatingCaliper(
        piston=0.05,
        inner=0.08,
        outer=0.13,
        angle=0.9,
        back=0.009,
        thickness=0.024,
        mu=0.41,
        stiffness=0.8e8,
        fluid=3e7,
        wedge=1e-4,
        grid=(2, 3),
    ),
    pressure="3e6*TIME",
    speed=47.0,
    inertia=1.7,
    slip=0.03,
)
def disc_brake(found, brake, pressure, speed, inertia, slip):
    rings, sectors = 2, 3
    edges = np.linspace(0.08, 0.13, rings + 1)
    across = edges[1:] ** 2 - edges[:-1] ** 2
    radii = 2.0 / 3.0 * (edges[1:] ** 3 - edges[:-1] ** 3) / across
    angles = [-0.3, 0.0, 0.3]
    share = across / across.sum() / sectors
    y = sum(s * r * math.cos(a) for s, r in zip(share, radii) for a in angles)
    rm = float(radii @ share) * sectors
    half, lever = 0.012, 1.3 * 0.13
    bore, chamber = (0.0, y, half + 0.05), (0.0, y, half + 0.08)
    lean = math.atan(0.25 * 1e-4 / rm)
    travel = point(found, "caliper", chamber)
    other = point(found, "piston", chamber)
    out_of = float((travel[0] - other[0]) @ travel[3][:, 2])
    push = math.pi * 0.05**2 / 4.0 * 3e6 * 0.37 - 3e7 * out_of
    wheel = point(found, "disc", ZERO)
    drawn = {
        "PART disc": body(8.0, ZERO, (0.6 * 1.7, 0.6 * 1.7, 1.7), spin=(0, 0, 47.0)),
        "PART caliper": body(4.0, (0, lever, 0), (0.02,) * 3),
        "PART piston": body(0.4, bore, (2e-4,) * 3),
        "JOINT shaft": pair("disc", "ground", ZERO, Z, type="REVOLUTE"),
        "JOINT pins": pair("caliper", "ground", (0, lever, 0), Z, type="TRANSLATIONAL"),
        "JOINT bore": pair("piston", "caliper", bore, Z, type="TRANSLATIONAL"),
        "VARIABLE push": {"function": push},
        "VFORCE fluid": {
            **{"i": "piston", "i at": chamber, "i axes": LEVEL, "jfloat": "caliper"},
            **{"rm": "caliper", "rm at": chamber, "rm axes": LEVEL, "fz": -push},
        },
        "REQUEST brake": {
            "functions": {
                "F2": math.atan2(wheel[3][1, 0], wheel[3][1, 1]),
                "F3": wheel[2][2],
                "F4": None,
                "F5": out_of,
            }
        },
    }
    for side, sign, presses in (("inner", 1.0, "piston"), ("outer", -1.0, "caliper")):
        back = (0.0, y, sign * (half + 0.009))
        drawn[f"PART {side} pad"] = body(0.4, back, (3e-4,) * 3)
        drawn[f"BUSHING {side} abutment"] = pair(
            f"{side} pad", "ground", back, k=(2e9, 2e9, 0), c=(2e4, 2e4, 50), kt=(0, 0, 1e6), ct=(1, 1, 10)
        )
        drawn[f"JPRIM {side} seat"] = pair(f"{side} pad", presses, back, Z, type="INPLANE")
        normal = (-math.sin(lean), 0.0, sign * math.cos(lean))
        for k, (r, a) in enumerate((r, a) for r in radii for a in angles):
            s = share[k // 3]
            drawn[f"CONTACT {side} {k}"] = touches(
                [shape(f"{side} pad", "POINT", (r * math.sin(a), r * math.cos(a), sign * half), axes=None)],
                [shape("disc", "PLANE", (0, 0, sign * half), normal, sizes=(0.0, 0.0))],
                (0.41, 0.41),
                (0.5 * 0.03, 0.03),
                stiffness=0.8e8 * s,
                damping=0.1 * math.sqrt(0.8e8 * 0.4) * s,
                dmax=1e-6,
            )
    return drawn


# ---- rope of segments: a polygon round the pulley between two strands; what hangs below a joint is its tension
ROPE = {
    **{"segments": 13, "length": 36.0, "radius": 9.0, "over": 7, "behind": 4, "groove": (14.0, 17.0), "width": 100.0},
    **{"density": 1e-6, "young": 250.0, "shear": 80.0, "bending": 0.02, "damping": 2e-4, "load": 80.0, "brake": 200.0},
    **{"pull": 800.0, "hold": 30.0, "offset": 3.0, "pulley": (12.0, 4e4), "bore": 26.0, "gravity": 5000.0},
    **{"counterweight": 60.0, "stages": ((0.1, 0.5, 0.7, 0.9),)},
}


def rope_of_segments(found, counterweight, gravity, **g):
    n, L, R, over, behind = g["segments"], g["length"], g["radius"], g["over"], g["behind"]
    inner = 0.5 * L / math.tan(0.5 * math.pi / over) - R
    corner = 0.5 * L / math.sin(0.5 * math.pi / over)
    ahead = n - over - behind
    line = [(-L * (behind - k), -corner, g["offset"] * (1.0 - k / behind)) for k in range(behind)]
    line += [(corner * math.sin(math.pi * k / over), -corner * math.cos(math.pi * k / over), 0.0) for k in range(over)]
    line += [(-L * k, corner, 0.0) for k in range(ahead + 1)]
    line = np.array(line)
    mass = g["density"] * math.pi * R**2 * L
    thick, wide = 0.5 * mass * R**2, mass * (R**2 / 4.0 + L**2 / 12.0)
    area, second = math.pi * R**2, math.pi * R**4 / 4.0
    k = np.array([g["young"] * area, g["shear"] * area, g["shear"] * area]) / L
    kt = g["bending"] * np.array([g["shear"] * 2.0 * second, g["young"] * second, g["young"] * second]) / L
    far, near = line[0], line[-1]
    sled = far - 1.5 * L * X
    rides = point(found, "load", far)[1][0]
    # up within 0.1 s and down from 0.3 s on, and again from 0.8 s, unless stages are given
    step = smooth((0.37 - 0.1) / 0.4) if "stages" in g else 1.0 - smooth(0.7)
    pulled = -(g["hold"] + (g["pull"] - g["hold"]) * step)
    other = f"segment {n}" if not counterweight else "counterweight"
    at_end = near if not counterweight else near - 1.5 * L * X
    drawn = {
        "PART pulley": body(12.0, ZERO, (0.6 * 4e4, 0.6 * 4e4, 4e4)),
        "PART load": body(80.0, sled, (80e3,) * 3),
        "JOINT shaft": pair("pulley", "ground", ZERO, Z, type="REVOLUTE"),
        "JOINT rail": pair("load", "ground", far, X, type="TRANSLATIONAL"),
        "SPRINGDAMPER bearing": pair("pulley", "ground", ZERO, Z, kind="ROTATIONAL", ct=20.0),
        "SFORCE brake": pair("load", "ground", far, X, actiononly=1.0, function=-200.0 * math.tanh(rides / 20.0)),
        "VFORCE pull": {
            **{"i": other, "i at": at_end, "i axes": None, "jfloat": "ground", "fx": pulled},
            **{"rm": "ground", "rm at": ZERO, "rm axes": LEVEL},
        },
        "REQUEST pull": {"functions": {"F2": pulled, "F3": point(found, "load", sled)[0][0], "F4": rides}},
    }
    if gravity:
        drawn["GRAVITY of the model"] = {"g": (-gravity, 0.0, 0.0)}
    if counterweight:
        drawn["PART counterweight"] = body(60.0, at_end, (60e3,) * 3)
        drawn["JOINT counterweight rail"] = pair("counterweight", "ground", near, X, type="TRANSLATIONAL")
    lead = {"k": k, "c": 2e-4 * k, "kt": kt, "ct": 2e-4 * kt}
    # the groove: its bottom, its walls 14 to both sides, its rim 17 above, rounded by what is left beside the rope
    f = min(0.4 * R, 0.9 * (14.0 - R))
    # a bore of half the groove's radius unless one is given
    hole = 0.25 * inner if g["bore"] is None else 0.5 * g["bore"]
    groove = shape("pulley", "REVOLUTION", ZERO, None, sizes=None, points=groove_points(inner, f, hole), bulge=None)
    top = behind + over / 2.0  # joints from there hang on the other side
    last = ("load", far, LEVEL)
    for s in range(n + 1):
        below = 80.0 + s * mass if s < int(top) else counterweight + (n - s) * mass
        tension = 1e-3 * gravity * below + (0.0 if s < int(top) else 30.0)
        lead_in = {**lead, "force": (-tension, 0, 0)} if gravity else lead
        if s < n:
            a, b = line[s], line[s + 1]
            d = (b - a) / np.linalg.norm(b - a)
            up = np.cross(Z, d) / np.linalg.norm(np.cross(Z, d))
            axes = np.column_stack([d, up, np.cross(d, up)])
            J = axes @ np.diag([thick, wide, wide]) @ axes.T
            middle = 0.5 * (a + b)
            drawn[f"PART segment {s + 1}"] = body(mass, middle, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
            skin = shape(f"segment {s + 1}", "CAPSULE", middle, None, sizes=(R, 0.5 * float(np.linalg.norm(b - a))))
            drawn[f"CONTACT groove {s + 1}"] = touches(
                [skin], [groove], (0.3, 0.25), (50.0, 200.0), stiffness=1.5e4, exponent=1.5, damping=0.2, dmax=0.1
            )
            i, at, turned = f"segment {s + 1}", middle - 0.5 * L * d, axes
        elif counterweight:
            i, at, turned = "counterweight", near, turned_to(Z, -X)
        else:
            break
        drawn[f"BUSHING joint {s + 1}"] = pair(i, last[0], at, turned, last[1], last[2], **lead_in)
        if s < n:
            last = (f"segment {s + 1}", middle + 0.5 * L * d, axes)
    return drawn


def groove_points(inner, f, hole):
    """(radius, height) of the corners of the groove's rounded section: half as high as 14 above and below."""
    upper = [(inner, 14 - f), (inner + f, 14), (inner + 17 - f, 14), (inner + 17, 14 + f), (inner + 17, 50), (hole, 50)]
    return [(r, -h) for r, h in reversed(upper)] + upper


@drawing(rope_over_pulley, **ROPE)
def hanging_rope(found, **given):
    return rope_of_segments(found, **given)


ON_TABLE = {word: value for word, value in ROPE.items() if word != "stages"}


@drawing(
    rope_over_pulley, **{**ON_TABLE, "gravity": 0.0, "counterweight": 0.0, "segments": 14, "over": 6, "bore": None}
)
def rope_on_a_table(found, **given):
    return rope_of_segments(found, **given)


# ---- chain: pins lie where the links say; seats are held by their own tests
@drawing(
    chain_drive,
    links=32,
    teeth=(11, 17),
    pitch=0.0111,
    roller=0.007,
    mass=0.0093,
    torque=9.0,
    load=(4.0, 0.7),
    speed=31.0,
    slack=1e-3,
    inertia=(6e-4, 3e-3),
    joint_damping=2e-4,
    gravity=9.7,
)
def running_chain(found, links, teeth, pitch, roller, mass, torque, load, speed, slack, inertia, **more):
    r = [0.5 * pitch / math.sin(math.pi / n) for n in teeth]
    pins = np.array([found[f"{'JPRIM' if k == 0 else 'JOINT'} pin {k or links}"]["i at"] for k in range(links)])
    far = found["PART driven"]["centre"][0]
    assert np.allclose(np.linalg.norm(np.roll(pins, -1, axis=0) - pins, axis=1), pitch, rtol=1e-9)
    assert np.allclose(np.sign(np.diff(np.angle(pins[:, 0] - 0.5 * far + 1j * pins[:, 1]))).sum(), 2 - links + 1)
    on = [
        np.flatnonzero(np.isclose(np.hypot(pins[:, 0] - x, pins[:, 1]), a, rtol=1e-9))
        for x, a in ((0, r[0]), (far, r[1]))
    ]
    w = (speed, speed * teeth[0] / teeth[1])
    v = np.zeros((links, 3))
    for k in range(links):
        side = next((s for s in (0, 1) if k in on[s]), None)
        if side is not None:
            v[k] = np.cross((0, 0, w[side]), pins[k] - (far * side, 0, 0))
        else:
            d = pins[(k + 1) % links] - pins[k - 1]
            v[k] = -speed * r[0] * d / np.linalg.norm(d)
    about = 1.3 * mass * (pitch**2 + 0.012**2) / 12.0
    turns = [point(found, s, ZERO)[2][2] for s in ("driver", "driven")]
    drawn = {
        "GRAVITY of the model": {"g": (0.0, -more["gravity"], 0.0)},
        "PART driver": body(1.0, ZERO, (6e-4,) * 3, spin=(0, 0, w[0])),
        "PART driven": body(1.0, (far, 0, 0), (3e-3,) * 3, spin=(0, 0, w[1])),
        "JOINT driver shaft": pair("driver", "ground", ZERO, Z, type="REVOLUTE"),
        "JOINT driven shaft": pair("driven", "ground", (far, 0, 0), Z, type="REVOLUTE"),
        "JOINT plane of the chain": pair("link 1", "ground", pins[0], Z, type="PLANAR"),
        "SFORCE drive": pair("driver", "ground", ZERO, Z, kind="ROTATIONAL", function=9.0),
        "SFORCE load": pair(
            *("driven", "ground", (far, 0, 0), Z),
            **{"kind": "ROTATIONAL", "function": -4.0 * math.tanh(turns[1]) - 0.7 * turns[1]},
        ),
        "REQUEST speeds": {"functions": {"F2": turns[0], "F3": turns[1]}},
    }
    rollers = []
    for k in range(links):
        p, q = pins[k], pins[(k + 1) % links]
        u, s = v[k], v[(k + 1) % links]
        rate = np.cross(q - p, s - u)[2] / pitch**2
        drawn[f"PART link {k + 1}"] = body(mass, 0.5 * (p + q), (about,) * 3, 0.5 * (u + s), (0, 0, rate))
        word = "JOINT" if k + 1 < links else "JPRIM"
        kind = "REVOLUTE" if k + 1 < links else "INLINE"
        following = f"link {(k + 1) % links + 1}"
        drawn[f"{word} pin {k + 1}"] = pair(f"link {k + 1}", following, q, Z, type=kind)
        drawn[f"SPRINGDAMPER pin friction {k + 1}"] = pair(f"link {k + 1}", following, q, Z, kind="ROTATIONAL", ct=2e-4)
        rollers.append(shape(f"link {k + 1}", "CYLINDER", p, Z, sizes=(0.5 * roller, 0.3 * pitch, 0.0, 1.0)))
    for side, word in enumerate(("driver", "driven")):
        one = shape(word, "CURVE", (far * side, 0, 0), None, sizes=None, points=None, bulge=None)
        drawn[f"CONTACT {word} teeth"] = touches(
            *(rollers, [one] * (3 * teeth[side]), (0.1, 0.1), (0.05, 0.05)),
            **{"stiffness": 1e9, "exponent": 1.5, "damping": 200.0, "dmax": 2e-5},
        )
    return drawn


# ---- M113: Chrono's numbers; bars carry what the springs carry and what the track pulls; pins lie where shoes say
@drawing(
    tracked_side, torque=2500.0, rise=(0.2, 0.9), gravity=9.6, pin_damping=4.0, slope=0.11, ground={"stiffness": 1e8}
)
def track(found, torque, rise, gravity, pin_damping, slope, ground):
    shoes, pitch = 63, 0.154
    pins = np.array([found[f"{'JPRIM' if k == 0 else 'JOINT'} pin {k or shoes}"]["i at"] for k in range(shoes)])
    after = np.roll(pins, -1, axis=0)
    assert np.allclose(np.linalg.norm(after - pins, axis=1), pitch, rtol=1e-9)
    idler = np.array([found["PART idler"]["centre"][0], -0.12, 0.0])
    assert abs(idler[0] + 3.95) < 0.12
    wheels = [(x, -0.215) for x in (-0.655, -1.322, -1.989, -2.656, -3.322)]
    # of a shoe whose middle touches a wheel the pins are half a pitch off
    reach = lambda radius: math.hypot(radius + 0.03, 0.5 * pitch)
    circles = [
        ((0, 0), 0.5 * pitch / math.sin(math.pi / 10)),
        (idler[:2], reach(0.255)),
        *((w, reach(0.305)) for w in wheels),
    ]
    gaps = np.array([np.hypot(*(pins[:, :2] - c).T) - r for c, r in circles])
    assert gaps.min() > -3e-3  # chords cut the circles of the straight pieces by less
    # pins that lie on no circle hang on an arc of 85 mm between sprocket and idler, above both
    upper = [p for p, g in zip(pins, gaps.T) if g[:2].min() > 1e-6 and p[1] > 0.1]
    assert len(upper) > 15
    hull_mass = 0.5 * 7819.24
    hull_at = (-2.006, 0.406, 0.0)
    turn = point(found, "sprocket", ZERO)[2][2] - point(found, "hull", ZERO)[2][2]
    x, vel, _, _ = point(found, "hull", hull_at)
    slide = point(found, "carrier", idler), point(found, "hull", idler)
    drawn = {
        "GRAVITY of the model": {"g": (-gravity * math.sin(slope), -gravity * math.cos(slope), 0.0)},
        "PART hull": body(hull_mass, hull_at, (0.5 * 27287.61,) * 3),
        "PART sprocket": body(27.68, ZERO, (0.646, 0.646, 0.883)),
        "PART idler": body(25.76, idler, (0.618, 0.618, 1.12)),
        "PART carrier": body(10.0, idler, (0.04,) * 3),
        "JOINT plane of the hull": pair("hull", "ground", hull_at, Z, type="PLANAR"),
        "JOINT sprocket axle": pair("sprocket", "hull", ZERO, Z, type="REVOLUTE"),
        "JOINT idler slide": pair("carrier", "hull", idler, -X, type="TRANSLATIONAL"),
        "JOINT idler bearing": pair("idler", "carrier", idler, Z, type="REVOLUTE"),
        "JOINT plane of the track": pair("shoe 1", "ground", pins[0], Z, type="PLANAR"),
        "SPRINGDAMPER tensioner": pair(
            *("carrier", "hull", idler, None, idler + 0.5 * X, None),
            **{"kt": None, "k": 1e6, "c": 1.4e4, "length": 0.518, "force": 2e4},
        ),
        "SFORCE drive": pair(
            "sprocket", "hull", ZERO, Z, kind="ROTATIONAL", function=-2500.0 * smooth((0.37 - 0.2) / 0.7)
        ),
        "REQUEST motion": {
            "functions": {
                **{"F2": x[0], "F3": x[1], "F4": vel[0], "F5": turn},
                "F6": -float((slide[0][0] - slide[1][0]) @ slide[1][3][:, 0]),
            }
        },
    }
    # the bars: vertical equilibrium of the hull with what hangs on it and the track (half the tensioner's force in each
    # strand), in equal shares; moments of an arm and its wheel about its pivot
    way = {}
    for k in (0, 4):
        side = 1.0 if k == 0 else -1.0
        some = [p for p in pins if 0.15 < side * (p[0] - wheels[k][0]) < 0.47 and p[1] < wheels[k][1]]
        d = (some[-1] - some[0]) * side * math.copysign(1.0, (some[-1] - some[0])[0])
        d = d / np.linalg.norm(d)
        way[k] = 1e4 * np.array([d[0] - side, d[1]])
    pulls = [way.get(k, np.zeros(2)) for k in range(5)]
    share = ((hull_mass + 25.76 + 10.0 + 27.68) * gravity + sum(p[1] for p in pulls)) / 5.0
    rims = []
    for k, (px, py) in enumerate(wheels):
        at, pivot = np.array([px, py, 0.0]), np.array([px + 0.288, py + 0.134, 0.0])
        middle = at + (0.144, 0.067, 0)
        # about the pivot: the wheel is pressed down by share + weight of the arm, whose weight acts in its middle
        weight = 75.26 * gravity
        torque_of = 0.288 * (share + weight) - 0.144 * weight - 0.134 * pulls[k][0]
        drawn[f"PART wheel {k + 1}"] = body(35.56, at, (1.14, 1.14, 2.16))
        drawn[f"PART arm {k + 1}"] = body(75.26, middle, (0.37, 0.77, 0.77))
        drawn[f"JOINT wheel bearing {k + 1}"] = pair(f"wheel {k + 1}", f"arm {k + 1}", at, Z, type="REVOLUTE")
        drawn[f"JOINT arm pivot {k + 1}"] = pair(f"arm {k + 1}", "hull", pivot, Z, type="REVOLUTE")
        drawn[f"SPRINGDAMPER torsion bar {k + 1}"] = pair(
            f"arm {k + 1}", "hull", pivot, Z, kind="ROTATIONAL", kt=2.5e4, ct=500.0, torque=torque_of
        )
        rims.append(shape(f"wheel {k + 1}", "CYLINDER", at, Z, sizes=(0.305, 0.0905, 0.0, 1.0)))
    rims.append(shape("idler", "CYLINDER", idler, Z, sizes=(0.255, 0.09, 0.0, 1.0)))
    plates, rods, edges = [], [], []
    # a shoe of 60 mm height, 110 mm long on the ground and 100 mm under the wheels, rounded by 6 mm
    half = [(0.055 - 0.006, -0.03), (0.055, 0.006 - 0.03), (0.05, 0.03 - 0.006), (0.05 - 0.006, 0.03)]
    outline = [*half, *((-x, y) for x, y in reversed(half))]
    outline = [outline[-1], *outline[:-1]]
    for k in range(shoes):
        p, q = pins[k], after[k]
        d = (q - p) / pitch
        n, middle, name = np.cross(Z, d), 0.5 * (p + q), f"shoe {k + 1}"
        A = np.column_stack([d, n, Z])
        J = A @ np.diag([0.22, 0.25, 0.04]) @ A.T
        drawn[f"PART {name}"] = body(18.02, middle, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], 0, 0))
        plates.append(shape(name, "CURVE", middle, A, sizes=None, points=outline, bulge=None))
        rods += [shape(name, "CYLINDER", middle + o * d, Z, sizes=(0.015, 0.19, 0.0, 1.0)) for o in (0.0535, -0.061)]
        edges += [
            shape(name, "SPHERE", middle + s * 0.049 * d - 0.024 * n, None, sizes=(0.006, 0.0)) for s in (-1.0, 1.0)
        ]
        word = "JOINT" if k + 1 < shoes else "JPRIM"
        kind = "REVOLUTE" if k + 1 < shoes else "INLINE"
        following = f"shoe {(k + 1) % shoes + 1}"
        drawn[f"{word} pin {k + 1}"] = pair(name, following, q, Z, type=kind)
        drawn[f"SPRINGDAMPER pin friction {k + 1}"] = pair(name, following, q, Z, kind="ROTATIONAL", ct=4.0)
    # ten arcs of 89 mm about centres 300 mm from the axle are cut out of a disc of 260.5 mm
    lean = math.acos((0.2605**2 + 0.3**2 - 0.089**2) / (2.0 * 0.2605 * 0.3))
    turns = [0.2 * math.pi * k + s * lean for k in range(10) for s in (-1.0, 1.0)]
    cut = 0.2605 * np.column_stack([np.cos(turns), np.sin(turns)])
    teeth = shape("sprocket", "CURVE", ZERO, LEVEL, sizes=None, points=cut, bulge=None)
    soil = shape("ground", "PLANE", (0, pins[:, 1].min() - 0.03, 0), Y, sizes=None)
    law = {"exponent": 1.5, "damping": 2e4, "dmax": 1e-3}
    slips = (0.05, 0.1)
    drawn["CONTACT sprocket teeth"] = touches(rods, [teeth], (0.4, 0.4), slips, stiffness=2e8, **law)
    drawn["CONTACT wheels on track"] = touches(rims, plates, (0.4, 0.4), slips, stiffness=2e8, **law)
    drawn["CONTACT ground"] = touches(edges, [soil], (0.8, 0.8), slips, stiffness=1e8, **law)
    return drawn


# ---- gears: steel discs of the pitch circles, meshes as `add_mesh` says them -----------------------------------------
STEEL = 7.85e-6  # kg/mm^3


def disc(radius, width, inner=0.0):
    """Mass, inertia across and about the axis of a steel disc or ring."""
    mass = STEEL * math.pi * (radius**2 - inner**2) * width
    return mass, mass * (3.0 * (radius**2 + inner**2) + width**2) / 12.0, 0.5 * mass * (radius**2 + inner**2)


def turned(found, part, carrier, axis=Z, x=None):
    """Angle and speed of a part about an axis, against its carrier; ``x``: from where the angle is measured."""
    one, other = (point(found, p, ZERO) for p in (part, carrier))
    a = turned_to(axis, np.eye(3)[int(np.argmin(np.abs(axis)))] if x is None else x)
    R = (other[3] @ a).T @ one[3] @ a
    return math.atan2(R[1, 0], R[1, 1]), float((one[2] - other[2]) @ (other[3] @ a[:, 2]))


def flanks(
    found, name, pair, gears, carrier, load, inertia, damping, drive=1, phase=0.0, axes=(Z, Z), sense=None, x=None
):
    """What the variables of a mesh are in the motion of the account: stretch, force of both flanks, and net force."""
    r1, r2 = pair.base_radii
    sense = pair.sign if sense is None else sense
    (a1, w1), (a2, w2) = (turned(found, g, carrier, a, x) for g, a in zip(gears, axes))
    table = pair.mesh(load)
    at = (phase + drive * pair.teeth[0] * a1 / (2.0 * math.pi)) % 1.0
    law = lambda values: float(
        Akima1DInterpolator(np.concatenate([table.phase + k for k in (-2.0, -1.0, 0.0, 1.0, 2.0)]), np.tile(values, 5))(
            at
        )
    )
    k, e = law(table.stiffness), law(table.unloaded) if np.ptp(table.unloaded) else 0.0
    mean = float(table.stiffness.mean())
    c = 2.0 * damping * math.sqrt(mean / 1e3 / (r1**2 / inertia[0] + r2**2 / inertia[1]))
    d = drive * (r1 * a1 + sense * r2 * a2) - e
    rate = drive * (r1 * w1 + sense * r2 * w2)
    soft = 0.2 * load / mean
    over = pair.backlash * math.cos(pair.transverse_angle)
    bears = lambda x, v: k * x + c * v * smooth(x / soft) if x > 0.0 else 0.0
    ahead, behind = bears(d, rate), bears(-d - over, -rate)
    words = {"stretch": d, "drive flank": ahead, "back flank": behind, "force": ahead - behind}
    drawn = {f"VARIABLE {name} {w}": {"function": v} for w, v in words.items()}
    drawn[f"SPLINE {name} stiffness"] = {"x": None, "y": None}
    if np.ptp(table.unloaded):
        drawn[f"SPLINE {name} error"] = {"x": None, "y": None}
    return drawn, words


def mesh_forces(name, gears, carrier, centres, axes=(Z, Z)):
    """Where the forces of a mesh act; their texts are held by the rows of `add_mesh`."""
    drawn = {}
    for g, (gear, at, axis) in enumerate(zip(gears, centres, axes)):
        drawn[f"GFORCE {name} on gear {g + 1}"] = {
            **{"i": gear, "i at": at, "i axes": axis, "jfloat": carrier},
            **{"rm": carrier, "rm at": centres[0], "rm axes": axes[0]},
            **dict.fromkeys(("fx", "fy", "fz", "tx", "ty", "tz")),
        }
    return drawn


def ramp(speed, rise, t=0.37):
    """Angle of a speed that rises by the law of STEP... of the drive: evenly."""
    return 0.5 * speed * t * t / rise if t < rise else speed * (t - 0.5 * rise)


PAIR = GearPair((19, 31), 3.0, width=22.0, backlash=0.07, shift=(0.1, 0.05), helix=0.2)


@drawing(gear_pair, pair=PAIR, level="mesh", speed=70.0, torque=9e4, rise=0.6, damping=0.04)
def pair_of_gears(found, pair, level, speed, torque, rise, damping):
    far = PAIR.centre_distance
    a, b = (disc(PAIR.pitch_radii[g], 22.0) for g in (0, 1))
    drawn, words = flanks(
        *(found, "mesh", PAIR, ("pinion", "wheel"), "ground", torque / PAIR.base_radii[1], (a[2], b[2]), damping)
    )
    drawn |= mesh_forces("mesh", ("pinion", "wheel"), "ground", (ZERO, (far, 0, 0)))
    (a1, w1), (a2, w2) = (turned(found, g, "ground") for g in ("pinion", "wheel"))
    return drawn | {
        "PART pinion": body(a[0], ZERO, (a[1], a[1], a[2])),
        "PART wheel": body(b[0], (far, 0, 0), (b[1], b[1], b[2])),
        "JOINT pinion shaft": pair_of("pinion", ZERO),
        "JOINT wheel shaft": pair_of("wheel", (far, 0, 0)),
        "MOTION drive": {"joint": "pinion shaft", "function": ramp(70.0, 0.6)},
        "SFORCE load": braked("wheel", (far, 0, 0), 9e4 * smooth(0.37 / 0.6)),
        "REQUEST mesh": {"functions": {"F2": words["force"], "F3": words["stretch"]}},
        "REQUEST turned": {"functions": {"F2": a1, "F3": a2, "F4": w1, "F5": w2}},
    }


@drawing(
    two_stage_gearbox,
    first=PAIR,
    second=GearPair((17, 43), 4.0, width=35.0, shift=(0.2, 0.0), backlash=0.1),
    level="mesh",
    speed=250.0,
    rise=0.9,
    torque=3e5,
    coupling=1.7e6,
    motor=2.2e3,
    load=1.9e5,
    damping=0.06,
)
def gearbox(found, first, second, level, speed, rise, torque, coupling, motor, load, damping):
    a, b, c, d = (
        disc(first.pitch_radii[0], 22.0),
        disc(first.pitch_radii[1], 22.0),
        *(disc(second.pitch_radii[g], 35.0) for g in (0, 1)),
    )
    lay, step = first.centre_distance, 1.5 * 35.0
    out = lay + second.centre_distance
    drawn, one = flanks(
        *(found, "mesh 1", first, ("input", "layshaft"), "ground"),
        *(torque * 17.0 / 43.0 / first.base_radii[1], (a[2], b[2] + c[2]), damping),
    )
    more, two = flanks(
        *(found, "mesh 2", second, ("layshaft", "output"), "ground"),
        *(torque / second.base_radii[1], (b[2] + c[2], d[2] + load), damping, -1),
    )
    drawn |= more
    drawn |= mesh_forces("mesh 1", ("input", "layshaft"), "ground", (ZERO, (lay, 0, 0)))
    drawn |= mesh_forces("mesh 2", ("layshaft", "output"), "ground", ((lay, 0, step), (out, 0, step)))
    places = {
        "motor": (0, 0, -2.0 * step),
        "input": ZERO,
        "layshaft": (lay, 0, 0.5 * step),
        "output": (out, 0, step),
    }
    masses = {
        "motor": (a[0], a[1] + 0.5 * motor, a[2] + motor),
        "input": a,
        # both wheels half a step from its middle
        "layshaft": (b[0] + c[0], b[1] + c[1] + (b[0] + c[0]) * (0.5 * step) ** 2, b[2] + c[2]),
        "output": (d[0], d[1] + 0.5 * load, d[2] + load),
    }
    for word, at in places.items():
        m = masses[word]
        drawn[f"PART {word}"] = body(m[0], at, (m[1], m[1], m[2]))
        drawn[f"JOINT {word} shaft"] = pair_of(word, at)
    speeds = {f"F{k + 2}": turned(found, w, "ground")[1] for k, w in enumerate(places)}
    return drawn | {
        "MOTION drive": {"joint": "motor shaft", "function": ramp(250.0, 0.9)},
        "SPRINGDAMPER coupling": pair(
            *("input", "motor", (0, 0, -step), Z),
            # 2 % of the input gear's oscillation on it; N mm/rad are 1000 kg mm^2/s^2
            **{"kind": "ROTATIONAL", "kt": 1.7e6, "ct": 2.0 * 0.02 * math.sqrt(1.7e6 * a[2] / 1e3)},
        ),
        "SFORCE load": braked("output", (out, 0, step), -3e5),  # full after a fifth of the rise
        "REQUEST meshes": {
            "functions": dict(
                zip(("F2", "F3", "F4", "F5"), (one["force"], one["stretch"], two["force"], two["stretch"]))
            )
        },
        "REQUEST speeds": {"functions": speeds},
        "REQUEST angle": {"functions": {"F2": turned(found, "input", "ground")[0]}},
    }


def planets(found, held, driven, level, speed, torque, rise, module, width, damping=0.05, flow=1.0):
    sun, planet, ring, count = 22, 18, 58, 4
    outer = GearPair((sun, planet), module, width=width)
    inner = GearPair((planet, ring), module, width=width, internal=True)
    a = 0.5 * module * (sun + planet)
    # a ring from its pitch circle to 1.15 of its root circle
    masses = {
        "sun": disc(0.5 * module * sun, width),
        "ring": disc(1.15 * inner.root_radii[1], width, 0.5 * module * ring),
        "carrier": disc(a, 0.5 * width),
        "planet": disc(0.5 * module * planet, width),
    }
    places = {"sun": ZERO, "ring": (0, 0, -width), "carrier": (0, 0, width)}
    (third,) = set(places) - {held, driven}
    drawn = {}
    joints = {}
    for word, at in places.items():
        m = masses[word]
        drawn[f"PART {word}"] = body(m[0], at, (m[1], m[1], m[2]))
        if word == held:
            drawn[f"JOINT {word} held"] = pair(word, "ground", at, None, None, None, type="FIXED")
        else:
            drawn[f"JOINT {word} shaft"] = pair_of(word, ZERO)
            joints[word] = f"{word} shaft"
    # Willis: torques of sun, ring, carrier are as 22 : 58 : -80; the sun's is of the driven member's sense or not
    weight = {"sun": sun, "ring": ring, "carrier": -sun - ring}
    goes = -weight[third] / weight[driven]  # driven speed over that of the third
    load = torque * sun / abs(weight[third]) / count / outer.base_radii[0]
    nets = []
    for p in range(count):
        turn = 2.0 * math.pi * p / count
        at, name = a * np.array([math.cos(turn), math.sin(turn), 0.0]), f"planet {p + 1}"
        m = masses["planet"]
        drawn[f"PART {name}"] = body(m[0], at, (m[1], m[1], m[2]))
        drawn[f"JOINT {name} pin"] = pair_of(name, at, "carrier")
        if level == "ratio":
            continue
        way = 1 if weight[driven] > 0 else -1
        for word, mesh, gears, centres, drive, phase, inertias in (
            ("sun", outer, ("sun", name), (ZERO, at), way, -way * sun * p / count, ("sun", "planet")),
            ("ring", inner, (name, "ring"), (at, ZERO), -way, way * ring * p / count, ("planet", "ring")),
        ):
            some, words = flanks(
                *(found, f"{word} mesh {p + 1}", mesh, gears, "carrier", load),
                *(tuple(masses[w][2] for w in inertias), damping, drive, phase),
                x=at,
            )
            drawn |= some | mesh_forces(f"{word} mesh {p + 1}", gears, "carrier", centres)
            if word == "sun":
                nets.append(words["force"])
    rates = [turned(found, w, "ground")[1] for w in places] + [spin(found, "planet 1", "carrier")[2]]
    drawn |= {
        "MOTION drive": {"joint": joints[driven], "function": ramp(speed, rise)},
        "SFORCE load": braked(third, ZERO, -math.copysign(torque, goes * speed) * smooth(0.37 / rise)),
        "REQUEST speeds": {"functions": dict(zip(("F2", "F3", "F4", "F5"), rates))},
    }
    if nets:
        drawn["REQUEST sun meshes"] = {"functions": dict(zip(("F2", "F3", "F4", "F5"), nets))}
    return drawn


SET = {"module": 2.5, "width": 26.0, "speed": 90.0, "torque": 8e4, "rise": 0.5}


@drawing(planetary_set, sun=22, planet=18, ring=58, planets=4, held="ring", driven="sun", level="mesh", **SET)
def planetary_meshes(found, sun, planet, ring, **words):
    words.pop("planets")
    return planets(found, **words)


@drawing(planetary_set, sun=22, planet=18, ring=58, planets=4, held="sun", driven="carrier", level="ratio", **SET)
def planetary_ratio(found, sun, planet, ring, **words):
    words.pop("planets")
    drawn = planets(found, **words)
    # ring against carrier: z_r (w_r - w_c) = z_p w_p; sun against carrier: z_s (w_s - w_c) = -z_p w_p, one of them
    for p in range(4):
        pin = f"planet {p + 1} pin"
        drawn[f"COUPLER ring mesh {p + 1}"] = coupled({"ring shaft": 58.0, "carrier shaft": -58.0, pin: -18.0})
    drawn["COUPLER sun mesh 1"] = coupled({"carrier shaft": -22.0, "planet 1 pin": 18.0})
    return drawn


def coupled(scales):
    """Of a coupler: joints and their factors."""
    words = [f"joints {k + 1}" for k in range(len(scales))]
    return {**dict(zip(words, scales)), "scales": list(scales.values()), "types": None}


@drawing(
    bevel_pair,
    teeth=(17, 26),
    module=4.5,
    width=21.0,
    shaft_angle=1.3,
    spiral=0.3,
    hand=-1,
    level="mesh",
    speed=80.0,
    torque=7e4,
    rise=0.55,
    damping=0.03,
)
def bevel_gears(found, teeth, module, width, shaft_angle, spiral, hand, level, speed, torque, rise, damping):
    S = shaft_angle
    one = math.atan(math.sin(S) / (26.0 / 17.0 + math.cos(S)))
    cones = (one, S - one)
    outer = 0.5 * module * 17.0 / math.sin(one)
    length = outer - 0.5 * width
    axes = (Z, np.array([math.sin(S), 0.0, math.cos(S)]))
    radii = [length * math.sin(c) for c in cones]
    # virtual gears on the back cones: round(z / cos) teeth of the normal module at the middle
    virtual = GearPair(
        tuple(round(z / math.cos(c)) for z, c in zip(teeth, cones)),
        module * length / outer * math.cos(spiral),
        width=width,
        helix=spiral,
    )
    cos = math.cos(virtual.working_angle)
    real = SimpleNamespace(
        base_radii=[r * cos for r in radii],
        sign=1,
        teeth=teeth,
        mesh=virtual.mesh,
        backlash=virtual.backlash,
        transverse_angle=virtual.transverse_angle,
    )
    drawn, parts = {}, []
    for word, axis, c, r in zip(("pinion", "wheel"), axes, cones, radii):
        m = STEEL * math.pi * r**2 * width * math.cos(c)
        about = 0.5 * m * r**2
        across = 0.5 * about + m * width**2 / 12.0
        at = length * math.cos(c) * axis
        A = turned_to(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        J = A @ np.diag([across, across, about]) @ A.T
        drawn[f"PART {word}"] = body(m, at, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
        drawn[f"JOINT {word} shaft"] = pair_of(word, at, axis=axis)
        parts.append(about)
    # the wheel turns against the pinion: outside the cone of both the pitch point moves the same way
    some, words = flanks(
        *(found, "mesh", real, ("pinion", "wheel"), "ground", torque / real.base_radii[1], parts, damping),
        axes=axes,
        sense=1,
    )
    drawn |= some | mesh_forces("mesh", ("pinion", "wheel"), "ground", (ZERO, ZERO), axes)
    (a1, w1), (a2, w2) = (turned(found, g, "ground", a) for g, a in zip(("pinion", "wheel"), axes))
    at = length * math.cos(cones[1]) * axes[1]
    return drawn | {
        "MOTION drive": {"joint": "pinion shaft", "function": ramp(80.0, 0.55)},
        "SFORCE load": braked("wheel", at, 7e4 * smooth(0.37 / 0.55), axes[1]),
        "REQUEST mesh": {"functions": {"F2": words["force"], "F3": words["stretch"]}},
        "REQUEST turned": {"functions": {"F2": a1, "F3": a2, "F4": w1, "F5": w2}},
    }


# ---- by their ratio, and teeth in a ring -----------------------------------------------------------------------------
RING = GearPair((20, 57), 2.5, width=21.0, backlash=0.06, internal=True)


@drawing(gear_pair, pair=RING, level="contact", speed=60.0, torque=8e4, rise=0.5, friction=0.09, inertia=(150.0, 9e4))
def teeth_in_a_ring(found, pair, level, speed, torque, rise, friction, inertia):
    far = -0.5 * 2.5 * (57 - 20)
    drawn = shafts_of(found, RING, far, 60.0, 0.5, -8e4, inertia)
    back = 0.5 * 0.06 / (0.5 * 2.5 * 57)
    curves = [
        {"part": p, "shape": "CURVE", "at": (x, 0, 0), "axes": axes, "sizes": None, "points": None, "bulge": None}
        for p, x, axes in (
            ("pinion", 0.0, LEVEL),
            # turned back by half of the backlash, so that the flank that a positive turn drives touches
            ("wheel", far, turned_to(Z, (math.cos(back), -math.sin(back), 0.0))),
        )
    ]
    for c in curves:
        c["handles"] = None
    return drawn | {
        "CONTACT teeth": touches(
            *(curves[:1], curves[1:], (0.09, 0.09), (0.1, 10.0)),
            **{"stiffness": 2.89e5, "exponent": 1.5, "damping": 50.0, "dmax": 0.1},
        )
    }


def shafts_of(found, pair, far, speed, rise, torque, inertia=None):
    """Pinion and wheel on their shafts, drive and load."""
    drawn = {}
    for g, (word, x) in enumerate((("pinion", 0.0), ("wheel", far))):
        m = list(disc(pair.pitch_radii[g], pair.width))
        if pair.internal and g:
            m = list(disc(1.15 * pair.root_radii[1], pair.width, pair.pitch_radii[1]))
        if inertia is not None:  # never less across than a plate has
            m[2] = inertia[g]
            m[1] = max(m[1], 0.5 * inertia[g])
        drawn[f"PART {word}"] = body(m[0], (x, 0, 0), (m[1], m[1], m[2]))
        drawn[f"JOINT {word} shaft"] = pair_of(word, (x, 0, 0))
    (a1, w1), (a2, w2) = (turned(found, g, "ground") for g in ("pinion", "wheel"))
    return drawn | {
        "MOTION drive": {"joint": "pinion shaft", "function": ramp(speed, rise)},
        "SFORCE load": braked("wheel", (far, 0, 0), torque * smooth(0.37 / rise)),
        "REQUEST turned": {"functions": {"F2": a1, "F3": a2, "F4": w1, "F5": w2}},
    }


@drawing(gear_pair, pair=PAIR, level="ratio", speed=60.0, torque=8e4, rise=0.5)
def pair_by_its_ratio(found, pair, level, speed, torque, rise):
    drawn = shafts_of(found, PAIR, PAIR.centre_distance, 60.0, 0.5, 8e4)
    return drawn | {"COUPLER mesh": coupled({"pinion shaft": 19.0, "wheel shaft": 31.0})}


@drawing(gear_pair, pair=RING, level="ratio", speed=60.0, torque=8e4, rise=0.5)
def ring_by_its_ratio(found, pair, level, speed, torque, rise):
    drawn = shafts_of(found, RING, -0.5 * 2.5 * (57 - 20), 60.0, 0.5, -8e4)
    return drawn | {"COUPLER mesh": coupled({"pinion shaft": 20.0, "wheel shaft": -57.0})}

"""What a car and the rigs of its axles and tyres are made of, element by element, from their docstrings: see
`_account`."""

import importlib
import math
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scipy.interpolate import Akima1DInterpolator

import holonom as hn
from _account import LEVEL, ZERO, Drawings, X, Z, body, chance, given, pair, point, rotation, smooth
from _rows_vehicle import coupe
from holonom.vehicle import Controls, Scene, SpeedDriver
from holonom.vehicle.axle import Axle
from holonom.vehicle.rig import LOADS, Rig
from holonom.vehicle.tyre_rig import TyreRig

DRAWINGS = Drawings()
drawing = DRAWINGS.of
SIDES = (("left", 1.0), ("right", -1.0))
AIR = {"area": 1.9e6, "density": 1.25e-9, "drag": 0.31, "lift_front": -0.05, "lift_rear": 0.12}
TORQUE = [180e3, 260e3, 300e3, 310e3, 290e3, 230e3]
RPM = [1000, 2000, 3500, 5000, 6000, 7000]
STATE = {"engine speed": 333.0, "drive shaft twist": 0.013}


def drive_off(x, y, heading, **controls):
    """The coupe at the places of its drawing, not settled, with air, a seat and a limited-slip differential."""
    car = coupe(seat={"damping": 1.7})
    car.file.aero = dict(AIR)
    car.tyres = {w: car._tyre_file(w) for w in ("front", "rear")}
    car._rigs, car.gear, car.seats = {}, car._gear(2), {"front": 0.0, "rear": 0.0}
    m, *_ = car._draw("drawn")
    frames = {p.name: m.body_frame(p) for p in m.table("PART").values()}
    car._place = {n: (np.asarray(f.origin), np.asarray(f.axes)) for n, f in frames.items()}
    model = car.model(21.0, Controls(**{"hold": False, **controls}), Scene(position=(x, y), heading=heading))
    return model, {f"DIF({w})": v for w, v in STATE.items()}


def hubs():
    """Places and axes (columns: ahead, along the spin axis, up) of the wheels as drawn: toe turns their fronts in,
    camber their tops out."""
    out = {}
    for which, place, toe, camber in (("front", (0, 780, 292), 0.1, -0.8), ("rear", (-2680, 775, 294), 0.15, -1.2)):
        t, c = math.radians(toe), math.radians(camber)
        for s, side in SIDES:
            spin = np.array([side * math.sin(t) * math.cos(c), math.cos(t) * math.cos(c), -side * math.sin(c)])
            ahead = np.cross(spin, Z)
            ahead /= np.linalg.norm(ahead)
            at = np.array(place, float) * (1.0, side, 1.0)
            out[f"{which} {s}"] = at, np.column_stack([ahead, spin, np.cross(ahead, spin)])
    return out


@drawing(
    drive_off, x=3.0, y=-2.0, heading=0.3, throttle="0.6", brake="0.4", steer="0.2*TIME", servo=True, gears=[(0.1, 3)]
)
def car_under_way(found, x, y, heading, throttle, brake, steer, servo, gears):
    turn, shift = rotation(heading * Z), np.array([1e3 * x, 1e3 * y, 0.0])
    at = lambda p: turn @ np.asarray(p, float) + shift
    v = 21e3 * turn @ X
    tensor = lambda J, A: [*np.diag(A @ J @ A.T), *(A @ J @ A.T)[(0, 0, 1), (1, 2, 2)]]
    drawn = {w: None for w in found if w.split()[1] in ("front", "rear") and w != "PART ground"}  # of the axles
    cm = np.array([-1290.0, 0.0, 520.0])
    drawn["GRAVITY of the model"] = {"g": (0.0, 0.0, -9806.65)}
    drawn["PART chassis"] = body(1210.0, at(cm), tensor(np.diag([4.2e8, 1.8e9, 2.05e9]), turn), v)
    # a seat that is led up and down, whose spring carries its weight as drawn: g of the file, N of kg mm/s^2
    seat, g = at((200.0, 350.0, 500.0)), 9806.65
    drawn["PART seat"] = body(80.0, seat, (4e6,) * 3, v)
    drawn["JOINT seat slide"] = pair("seat", "chassis", seat, Z, type="TRANSLATIONAL")
    one, two = point(found, "seat", seat), point(found, "chassis", seat)
    up = two[3] @ Z
    lift = 80.0 * g * 1e-3 - 20.0 * (one[0] - two[0]) @ up - 1.7 * (one[1] - two[1]) @ up
    drawn["VFORCE seat spring"] = {
        **{"i": "seat", "i at": seat, "i axes": None, "jfloat": "chassis"},
        **{"rm": "chassis", "rm at": seat, "rm axes": Z, "fz": lift},
    }
    # air: half of the density times area and speed squared, on the ground, at the middle and over both axles
    centre = point(found, "chassis", at(cm))
    fast = float(centre[1] @ (centre[3] @ turn)[:, 0])
    half = 0.5 * 1.25e-9 * 1.9e6 * 1e-3 * fast * abs(fast)
    for name, place, axis, value in (
        ("air drag", -1340.0, "fx", -0.31),
        ("lift front", 0.0, "fz", -0.05),
        ("lift rear", -2680.0, "fz", 0.12),
    ):
        p = at((place, 0.0, 0.0))
        drawn[f"VFORCE {name}"] = {
            **{"i": "chassis", "i at": p, "i axes": turn},
            **{"rm": "chassis", "rm at": p, "rm axes": turn, axis: value * half},
        }
    # the engine: gears 2 to 3 at 0.1 s: clutch open within 0.1, gear changed within 0.2, closed within 0.3
    ratio, clutch = 1.55 * 3.45, smooth((0.37 - 0.3) / 0.1)
    w, twist = STATE["engine speed"], STATE["drive shaft twist"]
    rad = [r * math.pi / 30.0 for r in RPM]
    spins = {}
    for name, (place, A) in hubs().items():
        carrier = f"{name} knuckle"
        wheel, base = point(found, f"{name} wheel", at(place)), point(found, carrier, at(place))
        spins[name] = float((wheel[2] - base[2]) @ (base[3] @ turn @ A[:, 1]))
    mean = 0.5 * (spins["rear left"] + spins["rear right"])
    pedal = 0.6 * clutch
    torque = pedal * float(Akima1DInterpolator(rad, TORQUE)(w)) - (1.0 - pedal) * 0.12 * 310e3 * math.tanh(
        w / (0.5 * rad[0])
    )
    k = 1.2e7  # 12 kN m/rad, both shafts together
    grip = 0.02 + 0.98 * clutch * smooth((w / rad[0] - 0.6) / 0.5)
    slip = w / ratio - mean
    shafts = k * twist + 0.006 * k * grip * slip
    total = 0.94 * shafts
    drawn["SPLINE engine"] = {"x": rad, "y": [TORQUE]}
    drawn["VARIABLE drive shafts"] = {"function": shafts}
    drawn["VARIABLE drive torque"] = {"function": total}
    drawn["DIFF engine speed"] = {"function": (torque - shafts / ratio) / (160e3 * 1e-3), "ic": None}
    assert np.isclose(found["DIFF engine speed"]["ic"], 2.2 * 3.45 * 21e3 / (0.98 * 305.0)).all()
    drawn["DIFF drive shaft twist"] = {"function": slip - abs(slip) * k * twist / (1.5 * 310e3 * ratio * grip)}
    lock = 0.5 * (8e4 + 0.3 * abs(total)) * math.tanh((spins["rear left"] - spins["rear right"]) / 0.3)
    drawn["VARIABLE brake pedal"] = {"function": 0.4}
    for name, (place, A) in hubs().items():
        p, A, which = at(place), turn @ A, name.split()[0]
        R = 0.98 * {"front": 300.0, "rear": 305.0}[which]
        J = tensor(np.diag([6.5e5, 1.1e6, 6.5e5]), A)
        drawn[f"PART {name} wheel"] = body(20.0, p, J, v, 21e3 / R * A[:, 1])
        drawn[f"JOINT {name} bearing"] = pair(f"{name} wheel", f"{name} knuckle", p, A[:, 1], type="REVOLUTE")
        share = 0.6 if which == "front" else 0.4
        pads, valve = (float(chance(t)[0]) for t in found_names(found, name))
        spin = spins[name]
        rate = (spin - abs(spin) * pads) / (0.005 + 0.005 * abs(spin))
        drawn[f"VARIABLE {name} brake pads' rate"] = {"function": rate}
        drawn[f"DIFF {name} brake pads"] = {"function": rate}
        drawn[f"DIFF {name} valve"] = {"function": None, "ic": None}
        drawn[f"SFORCE {name} brake"] = pair(
            *(f"{name} wheel", f"{name} knuckle", p, A[:, 1]),
            **{"kind": "ROTATIONAL", "function": -0.5 * 4e6 * share * 0.4 * (pads + 0.002 * rate) * valve},
        )
        if which == "rear":
            way = -lock if "left" in name else lock
            drawn[f"SFORCE {name} drive"] = pair(
                f"{name} wheel", "chassis", p, A[:, 1], kind="ROTATIONAL", function=0.5 * total + way
            )
        drawn[f"TYRE_PAC2002 {name} tyre"] = {
            **{"i": f"{name} wheel", "i at": p, "i axes": A, "j": "ground", "j at": ZERO, "j axes": LEVEL},
            **{"mu": 0.8, "coefficients": None},
            **({} if "left" in name else {"mirror": None}),
        }
    hand = found["SFORCE driver's hands"]
    one, two = point(found, hand["i"], hand["i at"]), point(found, hand["j"], hand["j at"])
    B = hand["j axes"]
    M = (two[3] @ B).T @ one[3] @ B
    rate = float((one[2] - two[2]) @ (two[3] @ B)[:, 2])
    angle = math.atan2(M[1, 0], M[1, 1])
    drawn["VARIABLE steering command"] = {"input": True, "function": None}
    drawn["SFORCE driver's hands"] = {
        **hand,
        "function": 4e6 * (0.2 * 0.37 - angle) - 0.015 * 4e6 * rate,
    }
    assert hand["i"] == "front pinion" and hand["kind"] == "ROTATIONAL"
    return drawn


def found_names(found, name):
    """Texts of the states of pads and valve, by which their values are chosen."""
    order = [w for w in found if w.startswith("DIFF ")]
    return [f"DIF({order.index(f'DIFF {name} {w}') + 1})" for w in ("brake pads", "valve")]


# ---- the wheel of an axle on a rig -----------------------------------------------------------------------------------
STRUT = {
    "template": "trailing_arm",
    "hardpoints": {
        **{"arm_inner": [0.41, 0.45, 0.31], "arm_outer": [0.39, 0.66, 0.29], "wheel_centre": [0.0, 0.74, 0.33]},
        **{"spring_lower": [0.05, 0.57, 0.27], "spring_upper": [0.04, 0.53, 0.58]},
    },
    "wheel": {"radius": 0.31, "mass": 17.0, "toe": 0.4, "camber": -0.9},
    "parts": {"arm": {"mass": 9.0}},
    "spring": {"rate": 2e4, "load": 3000.0},
    "damper": {"rate": 1500.0},
}


def wheel_on_rig():
    m = hn.Model("rig")
    axle = Axle(m, m.ground, STRUT, "kinematic", "axle").build()
    rig = SimpleNamespace(model=m, axle=axle, radius=0.31, _patches=[], _supports=[], _inputs=[], _loads={})
    Rig._wheel(rig, axle.right, m.input("pad right"))
    assert [w.split()[0] for w in rig._loads] == list(LOADS) and len(rig._inputs) == len(LOADS)
    return m


@drawing(wheel_on_rig)
def wheel_on_a_pad(found):
    at = np.array([0.0, -0.74, 0.33])
    t, c = math.radians(0.4), math.radians(-0.9)
    spin = np.array([-math.sin(t) * math.cos(c), math.cos(t) * math.cos(c), math.sin(c)])
    ahead = np.cross(spin, Z) / np.linalg.norm(np.cross(spin, Z))
    A = np.column_stack([ahead, spin, np.cross(ahead, spin)])
    J = A @ np.diag([0.3, 0.5, 0.3]) @ A.T * 17.0 * 0.31**2
    low = at - 0.31 * A[:, 2]
    ours = ("wheel", "level", "pad", "loads on the patch", "brake", "loads on the carrier", "wheel bearing")
    ours = {f"axle right {w}" for w in ours}
    drawn = {w: None for w in found if w.split(" ", 1)[1] not in ours and w != "PART ground"}
    drawn["PART axle right wheel"] = body(17.0, at, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
    drawn["JOINT axle right wheel bearing"] = pair("axle right wheel", "axle right arm", at, spin, type="REVOLUTE")
    drawn["JPRIM axle right level"] = pair("axle right wheel", "ground", at, ahead, axes_j=Z, type="PERPENDICULAR")
    drawn["MOTION axle right pad"] = {
        **{"i": "axle right wheel", "i at": low, "i axes": None, "j": "ground", "j at": low, "j axes": LEVEL},
        **{"component": "Z", "function": given("pad right"), "kind": None},
    }
    load = {w: given(f"{w} {'patch' if w[0].islower() else 'carrier'} right") for w in LOADS}
    bar = point(found, "axle right wheel", low)  # a metre ahead of the patch
    arm = bar[3] @ ahead
    drawn["GFORCE axle right loads on the patch"] = {
        **{"i": "axle right wheel", "i at": low, "i axes": A},
        **{"fx": load["fx"] + load["fd"], "fy": load["fy"], "tz": load["mz"]},
    }
    drawn["GFORCE axle right loads on the carrier"] = {
        **{"i": "axle right arm", "i at": at, "i axes": A},
        **dict(zip(("fx", "fy", "fz", "tx", "ty", "tz"), (load[w] for w in LOADS[4:]))),
    }
    drawn["SFORCE axle right brake"] = pair(
        "axle right wheel",
        "axle right arm",
        at,
        spin,
        kind="ROTATIONAL",
        # the moment of the forces in the patch, a radius below, about the axle: what rolls is held
        function=0.31 * (load["fx"] * arm[0] + load["fy"] * arm[1]),
    )
    return drawn


# ---- a bench of tyres ------------------------------------------------------------------------------------------------
def bench(**words):
    rig = TyreRig(coupe()._tyre_file("front"))
    rig.forces = lambda load, kappa=0.0, **_: {"R_l": 291.0, "omega": 61.0 + 10.0 * kappa}
    return rig.bench(**words)


@drawing(bench, load=4e3, speed=17e3, alpha="0.1*TIME", gamma=0.07, kappa=0.2, drum=900.0)
def tyre_on_a_drum(found, load, speed, alpha, gamma, kappa, drum):
    return on_bench(found, 291.0 * math.cos(gamma), 63.0, -0.037, gamma, speed, drum)


@drawing(bench, height=295.0, speed=15e3, alpha=0.05, gamma=-0.04)
def tyre_on_a_belt(found, height, speed, alpha, gamma):
    return on_bench(found, height, speed / 310.0, -0.05, gamma, speed, None, drive=False)


def on_bench(found, height, omega, angle, gamma, speed, drum, drive=True):
    at, axis = np.array([0.0, 0.0, height]), np.array([0.0, math.cos(gamma), math.sin(gamma)])
    drawn = {
        "PART carrier": body(1.0, at, (1e6,) * 3),
        "PART wheel": body(10.0, at, (0.5e6, 0.9e6, 0.5e6), spin=omega * axis),
        "JOINT post": pair("carrier", "ground", at, Z, type="REVOLUTE"),
        "JOINT hub": pair("wheel", "carrier", at, axis, type="REVOLUTE"),
        "MOTION MOTION_1": {"joint": "post", "function": angle},
        "ROAD belt": None,
        "TYRE_PAC2002 tyre": {
            **{"i": "wheel", "i at": at, "i axes": np.column_stack([X, axis, np.cross(X, axis)])},
            **{"j": "ground", "j at": ZERO, "j axes": LEVEL, "road": None, "coefficients": None},
        },
    }
    belt = found["ROAD belt"]
    assert belt["belt"] == -speed and belt.get("sizes") == ({"radius": drum} if drum else None)
    assert belt.get("shape", "FLAT") == ("DRUM" if drum else "FLAT")
    if drive:
        drawn["MOTION drive"] = {"joint": "hub", "function": omega * 0.37}
    return drawn


# ---- plates of a shaker, and the road of a lane change ---------------------------------------------------------------
class Posts(Exception):
    """In place of the run."""


def plates():
    car = coupe()
    car._place = {f"{n} wheel": (place, A) for n, (place, A) in hubs().items()}
    seen = {}

    def model(speed, controls, scene):
        m = seen["m"] = hn.Model("posts", units="mm")
        roads = scene.road(m)
        assert list(roads) == list(car._order) and all(r.KIND == "ROAD" for r in roads.values())
        raise Posts

    car._order = ["front left", "front right", "rear left", "rear right"]
    car.model = model
    try:
        # the function; the package has one of the name of its module
        importlib.import_module("holonom.vehicle.ride").four_post(
            car, "warp", amplitude=0.003, low=0.7, high=17.0, duration=9.0
        )
    except Posts:
        return seen["m"]
    raise AssertionError


@drawing(plates)
def plates_of_a_shaker(found):
    drawn = {}
    for name, (place, _) in hubs().items():
        at = np.array([place[0], place[1], -50.0])
        drawn[f"PART {name} post"] = body(1.0, at, (1e5,) * 3)
        drawn[f"JOINT {name} post slide"] = pair(f"{name} post", "ground", at, Z, type="TRANSLATIONAL")
        drawn[f"MOTION {name} post"] = {"joint": f"{name} post slide", "kind": "TRANSLATIONAL", "function": None}
        road = found[f"ROAD {name} plate"]
        assert "kind" not in road and road["marker"] == f"{name} post"
        assert np.allclose(road["marker at"], (place[0], place[1], 0.0)) and np.allclose(road["marker axes"], LEVEL)
        drawn[f"ROAD {name} plate"] = None
    return drawn


# ---- a driver's feet: m (a + p e + i int e) and the air, by the map of the engine in the gear
PROFILE = [(0.0, 18.0), (1.0, 21.0), (2.0, 22.0), (4.0, 20.0), (6.0, 17.0)]


def feet(time_, p, i, d):
    car = coupe()
    car.file.aero = dict(AIR)
    car.gear = car._gear(3)
    m = hn.Model("feet", units="mm")
    chassis = m.part("chassis", 1210.0, (4.2e8, 1.8e9, 2.05e9), (-1290.0, 0.0, 520.0), velocity=(1.0, 0.0, 0.0))
    controls = SpeedDriver(PROFILE, p, i, d).pedals(car)
    for word in ("throttle", "brake"):
        m.variable(getattr(controls, word)(m, chassis), word)
    return m, {"DIF(speed error)": 140.0, "time": time_}


@drawing(feet, time_=0.37, p=1.3, i=0.21, d=0.0)
def feet_of_a_driver(found, time_, p, i, d):
    return pedals(found, time_, p, i)


@drawing(feet, time_=11.0, p=0.9, i=0.31, d=0.0)
def feet_after_the_profile(found, time_, p, i, d):
    """The last speed is held."""
    return pedals(found, time_, p, i)


def pedals(found, time_, p, i):
    rows = np.array(PROFILE)
    t, v = rows.T
    curve = Akima1DInterpolator([t[0] - 2, t[0] - 1, *t, t[-1] + 1, t[-1] + 2], [v[0], v[0], *v, v[-1], v[-1]])
    now = min(time_, 8.0)
    goes = point(found, "chassis", (-1290.0, 0.0, 520.0))
    speed = 1e-3 * float(goes[1] @ goes[3][:, 0])
    error = float(curve(now)) - speed
    wish = float(curve(now, 1)) + p * error + i * 0.140
    car = coupe()
    R = 0.305
    # rho A c / 2 in SI: 1.25 kg/m^3, 1.9 m^2
    force = car.file.mass.mass * wish + 0.5 * 1.25 * 1.9 * 0.31 * speed * abs(speed)
    torque = 1e3 * R * force
    ratio = 1.55 * 3.45
    n = min(max(RPM[0], ratio * speed / R * 30.0 / math.pi), RPM[-1])
    drag = 0.12 * 310e3 * ratio * 0.94
    full = ratio * 0.94 * float(Akima1DInterpolator(RPM, TORQUE)(n))
    return {
        "PART chassis": None,
        "SPLINE speed profile": {"x": None, "y": None},
        "SPLINE engine known": {"x": [r * math.pi / 30.0 for r in RPM], "y": [TORQUE]},
        "VARIABLE speed wished": {"function": 1e3 * float(curve(now))},
        "DIFF speed error": {"function": 1e3 * error / (1.0 + (error / 3.0) ** 2)},
        "VARIABLE torque wished": {"function": torque},
        "VARIABLE throttle": {"function": min(1.0, max(0.0, (torque + drag) / (full + drag)))},
        "VARIABLE brake": {"function": min(1.0, max(0.0, -(torque + drag) / 4e6))},
    }


# ---- a car that settles on its tyres, and an axle on its rig: what is run ----
def caught(module, work):
    """The model that a function gives to a simulation."""
    seen = []

    def run(model, **_):
        seen.append(model)
        raise Posts

    with mock.patch.object(importlib.import_module(module), "Simulation", run):
        try:
            work()
        except Posts:
            return seen[0]
    raise AssertionError


DEFLECTIONS, LOADS_OF_TYRE = [0.0, 5.0, 12.0, 21.0], [0.0, 1100.0, 2500.0, 4700.0]


def settling():
    car = coupe(seat={"damping": 1.7})
    car.seats = {"front": 3.0, "rear": -2.0}
    car._spring = lambda which: (DEFLECTIONS, [f * (1.1 if which == "rear" else 1.0) for f in LOADS_OF_TYRE])
    car._rig = lambda which: SimpleNamespace(radius=315.0 if which == "rear" else 310.0)
    return caught("holonom.vehicle.full_vehicle", car._settle)


@drawing(settling)
def car_that_settles(found):
    ours = ("guide", "heading", "steering wheel", "tyre", "level", "load")
    skip = lambda w: w.split()[0] in ("JPRIM", "MOTION") or w.split()[0] in ("SPLINE", "VFORCE") and w.endswith(ours)
    drawn = {w: None for w in found if not skip(w) and w != "PART ground"}
    cm = (-1290.0, 0.0, 520.0)
    drawn["JPRIM guide"] = pair("chassis", "ground", cm, None, axes_j=Z, type="INLINE")
    drawn["JPRIM heading"] = pair("chassis", "ground", cm, X, axes_j=np.array([0, 1.0, 0]), type="PERPENDICULAR")
    drawn["MOTION steering wheel"] = {"joint": "front steering wheel"}
    for name, (at, A) in hubs().items():
        which = name.split()[0]
        R = 315.0 if which == "rear" else 310.0
        more = 1.1 if which == "rear" else 1.0
        low = at - R * A[:, 2]
        drawn[f"SPLINE {name} tyre"] = {"x": DEFLECTIONS, "y": [[more * f for f in LOADS_OF_TYRE]]}
        drawn[f"SPLINE {name} tyre"]["linear_extrapolate"] = True
        drawn[f"JPRIM {name} level"] = pair(f"{name} wheel", "ground", at, A[:, 0], axes_j=Z, type="PERPENDICULAR")
        hub, rim = (point(found, f"{name} wheel", p)[0] for p in (at, low))
        # along the wheel's own radius the road is nearer than the free radius by the deflection; the account
        # reads all splines as Akima's
        deep = R * (1.0 - hub[2] / (hub[2] - rim[2]))
        load = more * float(Akima1DInterpolator(DEFLECTIONS, LOADS_OF_TYRE)(max(deep, 0.0)))
        drawn[f"VFORCE {name} load"] = {"i": f"{name} wheel", "i at": low, "i axes": None, "fz": load}
    for name in ("front", "rear"):
        assert found[f"VARIABLE {name} spring seat"]["function"] == {"front": 3.0, "rear": -2.0}[name]
    return drawn


def on_a_rig():
    made = []

    def work():
        rig = object.__new__(Rig)
        made.append(rig)
        rig.__init__(STRUT, "SI", lateral=2.5)

    m = caught("holonom.vehicle.rig", work)
    assert np.allclose(m.gravity, (0.0, 2.5, -9.80665))
    assert [v.name for v in made[0]._inputs[:2]] == ["pad left", "pad right"] and made[0].axle.name == "axle"
    return m


@drawing(on_a_rig)
def axle_on_its_rig(found):
    """Both wheels are there, each on its own pad; the wheel itself has its drawing."""
    for s in ("left", "right"):
        assert found[f"MOTION axle {s} pad"]["function"] == given(f"pad {s}")
        assert found[f"MOTION axle {s} pad"]["i"] == f"axle {s} wheel"
    return {w: None for w in found if w != "PART ground"}


# ---- a car that holds its speed: proportional and integral, half of the weight at most, let go within 0.1 s ----
@drawing(drive_off, x=0.0, y=0.0, heading=0.2, hold=23.0, until=0.3, throttle="0", brake="0", steer="0", servo=False)
def car_that_holds_its_speed(found, x, y, heading, hold, until, throttle, brake, steer, servo):
    car = coupe()
    turn = rotation(heading * Z)
    p, v, w, R = point(found, "chassis", turn @ np.array([-1290.0, 0.0, 520.0]))
    error = 23.0 - 1e-3 * float(v @ (R @ turn)[:, 0])
    mass, radius = car.file.mass.mass, 0.305
    wish = 2.0 * mass * radius * (error + 0.5 * 1e-3 * float(chance("DIF(1)")[0]))
    most = 0.5 * mass * 9.80665 * radius
    torque = most * math.tanh(wish / most) * (1.0 - smooth((0.37 - 0.3) / 0.1))
    drawn = {w: None for w in found if w != "PART ground"}
    assert "MOTION steering wheel angle" in found and "SFORCE driver's hands" not in found
    drawn["DIFF speed control"] = {"function": 1e3 * error}
    drawn["VARIABLE drive torque"] = {"function": 1e3 * torque}
    return drawn

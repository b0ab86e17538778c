"""Numbers of vehicles in closed form, SI: what drivers and manoeuvres ask of a car, springs and bars of axles."""

import functools
import importlib
import math
from types import SimpleNamespace
from unittest import mock

import numpy as np

import holonom as hn
from _built import Built, Row
from holonom.vehicle import Controls, Scene, SpeedDriver, Vehicle, handling, longitudinal, manoeuvres
from holonom.vehicle.axle import Axle

#: the module; the package has a function of that name
ride = importlib.import_module("holonom.vehicle.ride")
ROWS = []
START = 0.5  # s of straight driving before a manoeuvre


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def smooth(x):
    """STEP between 0 and 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def quintic(x):
    """STEP5 between 0 and 1."""
    x = min(max(x, 0.0), 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


# ---- manoeuvres: what they ask of the car --------------------------------------------------------------------------
class Asked:
    """A vehicle that only notes what it is asked for."""

    second = metre = newton = 1.0
    mode = "kinematic"

    def __init__(self):
        self.file = SimpleNamespace(name="car", wheelbase=2.6)
        self.units = hn.Model("SI").units
        self._place = {f"{w} {s} wheel": ((x, y, 0.3),) for w, x in (("front", 0.0), ("rear", -2.6)) for s, y in SIDES}

    def model(self, speed, controls="0", scene=None):
        self.speed, self.controls = speed, controls if isinstance(controls, Controls) else Controls(controls)
        self.scene = scene or Scene()
        m = self.drawn = hn.Model("asked", units="SI")
        chassis = m.part("chassis", 1000.0, (300.0, 1500.0, 1600.0), (0.0, 0.0, 0.5))
        read = lambda x: x(m, chassis) if callable(x) else x
        self.texts = {w: read(getattr(self.controls, w)) for w in ("steer", "throttle", "brake", "hold")}
        self.road = self.scene.road(m) if self.scene.road else None
        return m


SIDES = (("left", 0.75), ("right", -0.75))


class Stopped(Exception):
    """In place of the run."""


def asked(module, name, run="_simulate", **words):
    """The car that a manoeuvre has asked, and the title and the end of the run that it would have made."""
    car = Asked()
    with (
        mock.patch.object(module, run, side_effect=Stopped) as simulated,
        mock.patch.object(module, "steering_ratio", lambda _: 15.0, create=True),
        mock.patch.object(module, "reference_angle", lambda *_: 0.5, create=True),
    ):
        try:
            getattr(module, name)(car, **words)
        except Stopped:
            pass
    car.title = simulated.call_args.args[1]
    car.end = simulated.call_args.args[3]
    car.rate = (*simulated.call_args.args, 100.0)[4]
    return car


def at(car, word, *times):
    return [Built(car.drawn, TIME=t).value(car.texts[word]) for t in times]


HOOK = (0.4, 0.55, 0.8, 1.4, 1.75, 2.3, 4.6, 6.2, 9.0)


def hook_closed(speed, scale, rate, dwell, hold, sign=1.0):
    A = scale * 0.5
    rise = A / rate
    up, over = START + rise, START + rise + dwell
    back = over + 2.0 * rise + hold
    corners = [START, up, over, over + 2.0 * rise, back, back + 2.0]
    return [speed, START, back + 2.0, *(sign * np.interp(HOOK, corners, [0.0, A, A, -A, -A, 0.0]))]


row(
    "vehicle.fish_hook",
    lambda **words: asked(handling, "fish_hook", **words),
    {"speed": 22.0, "scale": 6.5, "rate": 12.0, "dwell": 0.25, "hold": 3.0},
    {"speed": 25.0, "scale": 5.0, "rate": 9.0, "dwell": 0.4, "hold": 2.5},
    lambda car: [car.speed, car.controls.until, car.end, *at(car, "steer", *HOOK)],
    hook_closed,
)
row(
    "vehicle.fish_hook",
    lambda angle: asked(handling, "fish_hook", angle=angle, speed=20.0, rate=10.0, dwell=0.3, left=False),
    {"angle": 3.0},
    {"angle": 4.0},
    lambda car: [car.speed, car.controls.until, car.end, *at(car, "steer", *HOOK)],
    lambda angle: hook_closed(20.0, 2.0 * angle, 10.0, 0.3, 3.0, -1.0),
)
DWELL = (0.3, 0.7, 1.0, 1.45, 1.6, 1.9, 2.2, 2.4, 2.6, 3.0)


def dwell_closed(speed, angle):
    out = []
    for t in np.array(DWELL) - START:
        held = 0.75 / 0.7  # of the period of 0.7 Hz, where the pause of half a second begins
        x = t if t < held else held if t < held + 0.5 else t - 0.5
        out.append(angle * math.sin(2.0 * math.pi * 0.7 * x) if 0.0 < t < 1.0 / 0.7 + 0.5 else 0.0)
    return [speed, START, START + 1.0 / 0.7 + 2.5, *out]


row(
    "vehicle.sine_with_dwell",
    lambda **words: asked(handling, "sine_with_dwell", **words),
    {"speed": 22.0, "angle": 2.0},
    {"speed": 25.0, "angle": 3.0},
    lambda car: [car.speed, car.controls.until, car.end, *at(car, "steer", *DWELL)],
    dwell_closed,
)
row(
    "vehicle.sine_with_dwell",
    lambda scale, most: asked(handling, "sine_with_dwell", scale=scale, most=most),
    {"scale": 5.0, "most": 2.2},
    {"scale": 4.0, "most": 2.0},
    lambda car: [car.speed, car.controls.until, car.end, *at(car, "steer", *DWELL)],
    lambda scale, most: dwell_closed(80.0 / 3.6, min(0.5 * scale, most)),
)
STEPS = (0.4, 0.53, 0.57, 0.7)
row(
    "vehicle.steer_step",
    lambda **words: asked(manoeuvres, "steer_step", **words),
    {"speed": 27.0, "angle": 0.8, "rise": 0.1, "hold": 3.0},
    {"speed": 20.0, "angle": 0.5, "rise": 0.15, "hold": 2.0},
    lambda car: [car.speed, car.end, *at(car, "steer", *STEPS)],
    lambda speed, angle, rise, hold: [
        *(speed, START + rise + hold),
        *(angle * quintic((t - START) / rise) for t in STEPS),
    ],
)
row(
    "vehicle.slow_ramp",
    lambda **words: asked(manoeuvres, "slow_ramp", **words),
    {"speed": 22.0, "rate": 0.2, "angle": 3.0},
    {"speed": 20.0, "rate": 0.3, "angle": 2.0},
    lambda car: [car.speed, car.end, *at(car, "steer", 0.4, 0.6, 2.0)],
    lambda speed, rate, angle: [speed, START + angle / rate, 0.0, rate * 0.1 * smooth(0.5), rate * 1.5],
)
row(
    "vehicle.straight_braking",
    lambda **words: asked(manoeuvres, "straight_braking", **words),
    {"speed": 27.0, "pedal": 0.6, "rise": 0.2, "end_speed": 2.0, "longest": 30.0},
    {"speed": 20.0, "pedal": 0.5, "rise": 0.3, "end_speed": 3.0, "longest": 20.0},
    lambda car: [
        *(car.speed, car.end, *at(car, "brake", 0.4, 0.55, 1.0)),
        next(iter(car.drawn.table("SENSOR").values())).value,
    ],
    lambda speed, pedal, rise, end_speed, longest: [
        *(speed, longest, 0.0, pedal * smooth(0.05 / rise), pedal, end_speed),
    ],
)


def split_measure(car):
    road = car.road
    out = [car.speed, car.controls.until, car.end, *at(car, "brake", 0.4, 0.55, 1.0), road.mu, road.patches[0][-1]]
    return [*out, next(iter(car.drawn.table("SENSOR").values())).value]


row(
    "vehicle.split_braking",
    lambda **words: asked(handling, "split_braking", **words),
    {"speed": 27.0, "left": 0.9, "right": 0.3, "pedal": 0.3, "rise": 0.2, "end_speed": 2.0, "longest": 30.0},
    {"speed": 20.0, "left": 0.8, "right": 0.2, "pedal": 0.4, "rise": 0.3, "end_speed": 3.0, "longest": 20.0},
    split_measure,
    lambda speed, left, right, pedal, rise, end_speed, longest: [
        *(speed, START, longest, 0.0, pedal * smooth(0.05 / rise), pedal, left, right, end_speed)
    ],
)


def circle_measure(car):
    b = Built(car.drawn, **{"TIME": 8.0, "VX(chassis)": 11.0, "WZ(chassis)": 0.08})
    (control,) = car.drawn.table("DIFF").values()
    return [car.speed, car.end, b.value(control.function), *at(car, "hold", 3.0, 10.0)]


row(
    "vehicle.steady_circle",
    lambda **words: asked(manoeuvres, "steady_circle", **words),
    {"radius": 100.0, "ay": 6.0, "rate": 0.15},
    {"radius": 80.0, "ay": 5.0, "rate": 0.2},
    circle_measure,
    lambda radius, ay, rate: [  # from 0.8 m/s^2 and 6 s on; the gain is that of a car of 2.7 m with a ratio of 15
        math.sqrt(0.8 * radius),
        6.0 + (ay - 0.8) / rate,
        1.8 * 15.0 * 2.7 / math.sqrt(0.8 * radius) * (11.0 / radius - 0.08),
        math.sqrt(0.8 * radius),
        math.sqrt(radius * (0.8 + rate * 4.0)),
    ],
)


def plank_measure(car):
    p = car.road
    return [car.speed, car.end, *(dict(p.sizes)[w] for w in ("start", "length", "height", "bevel"))]


for name, word, sign in (("kerb", "height", 1.0), ("pothole", "depth", -1.0)):
    row(
        f"vehicle.{name}",
        lambda name=name, **words: asked(ride, name, "_ride", **words),
        {"speed": 10.0, word: 0.08, "length": 1.0, "bevel": 0.01},
        {"speed": 12.0, word: 0.05, "length": 0.6, "bevel": 0.02},
        plank_measure,
        lambda speed, length, bevel, sign=sign, **height: [
            *(speed, (START * speed + 1.0 + length + 2.6) / speed + 1.0, START * speed + 1.0, length),
            *(sign * next(iter(height.values())), bevel),
        ],
    )

POSTS = {"heave": (1, 1, 1, 1), "pitch": (-1, -1, 1, 1), "roll": (1, -1, 1, -1), "warp": (1, -1, -1, 1)}


def posts_closed(amplitude, low, high, duration, mode="heave"):
    out = []
    for t in (1.5, 2.2, 9.0):
        x = max(0.0, t - 2.0)
        k = math.log(high / low) / duration
        now = low * math.exp(k * x)  # Hz; phase: its integral
        phase = 2.0 * math.pi * (now - low) / k
        lift = amplitude * min(1.0, 2.0 / now) * math.sin(phase) * smooth((t - 2.0) / 0.5)
        out += [s * lift for s in POSTS[mode]]
    return [0.0, duration + 4.0, *out]


for mode in POSTS:
    row(
        "vehicle.four_post",
        lambda mode=mode, **words: asked(ride, "four_post", "_ride", mode=mode, **words),
        {"amplitude": 0.002, "low": 0.5, "high": 20.0, "duration": 20.0},
        {"amplitude": 0.003, "low": 0.7, "high": 15.0, "duration": 16.0} if mode == "heave" else {"amplitude": 0.003},
        lambda car: [
            *(car.speed, car.end),
            *(
                Built(car.drawn, TIME=t).motion(f"{w} {s} post")
                for t in (1.5, 2.2, 9.0)
                for w in ("front", "rear")
                for s in ("left", "right")
            ),
        ],
        lambda mode=mode, **words: posts_closed(mode=mode, **words),
    )


# ---- coasting down: what is evaluated of a known deceleration ------------------------------------------------------
def coasted(mass, wheel, radius, F0, F1, F2):
    """The metrics of a car that is slowed down by F0 + F1 v + F2 v^2."""
    car = Asked()
    car.file.mass = SimpleNamespace(mass=mass)
    car._rolling_radius = lambda which: radius * (1.1 if which == "front" else 0.9)
    draw = car.model

    def model(*given):
        m = draw(*given)
        for name in ("front left", "front right", "rear left", "rear right"):
            m.part(f"{name} wheel", 20.0, (0.3, wheel, 0.3), (0.0, 0.0, 0.3))
        return m

    car.model = model
    v = np.linspace(33.0, 11.0, 60)
    slows = (F0 + F1 * v + F2 * v**2) / (mass + 4.0 * wheel / radius**2)
    signals = {"t": np.linspace(0.6, 30.0, 60), "speed": v, "ax": -slows, "x": np.linspace(0.0, 500.0, 60)}
    found = SimpleNamespace(name="coast", run=None, signals=signals)
    with mock.patch.object(longitudinal, "_simulate", return_value=found):
        return longitudinal.coast_down(car, 33.0, end_speed=11.0)


row(
    "vehicle.coast_down",
    coasted,
    {"mass": 1200.0, "wheel": 0.9, "radius": 0.3, "F0": 150.0, "F1": 2.0, "F2": 0.4},
    {"mass": 1500.0, "wheel": 1.4, "radius": 0.33, "F0": 120.0, "F1": 1.0, "F2": 0.5},
    lambda d: [d.metrics[w] for w in ("F0", "F1", "F2", "drag_area", "rolling_resistance", "effective_mass", "time")],
    lambda mass, wheel, radius, F0, F1, F2: [
        *(F0, F1, F2, F2 / (0.5 * 1.2), F0 / (mass * 9.80665), mass + 4.0 * wheel / radius**2, 30.0)
    ],
    rel=1e-7,
)


# ---- a driver's feet -----------------------------------------------------------------------------------------------
def feet(p, i, d, drag, mass, ahead, efficiency=0.9):
    m = hn.Model("feet", units="SI")
    chassis = m.part("chassis", mass, (1.0, 1.0, 1.0), (0.0, 0.0, 0.5))
    file = SimpleNamespace(
        name="car",
        aero={"drag": drag, "area": 2.0},
        drive={"engine": [[r, 150.0] for r in (1000, 2500, 4000, 6000)], "axle": "rear"}
        | ({} if efficiency is None else {"efficiency": efficiency}),
        brakes={"torque": 4000.0},
        mass=SimpleNamespace(mass=mass),
    )
    car = SimpleNamespace(
        file=file, units=m.units, second=1.0, metre=1.0, radii={"rear": 0.31, "front": 0.29}, gear=6.0
    )
    car._half_density = lambda: Vehicle._half_density(car)
    car.air_drag = lambda v: Vehicle.air_drag(car, v)
    controls = SpeedDriver([(0.0, 10.0), (10.0, 30.0)], p=p, i=i, d=d, feed_forward=ahead).pedals(car)
    return m, controls.throttle(m, chassis), controls.brake(m, chassis)


def feet_measure(made):
    m, throttle, brake = made
    state = {"TIME": 5.0, "VX(chassis)": 19.0, "DIF(speed error)": 0.8, "ACCX(chassis)": 0.5}
    drive = Built(m, **state)
    stop = drive.at(**{**state, "VX(chassis)": 26.0, "ACCX(chassis)": -3.0})
    return [drive.value(throttle), drive.value(brake), stop.value(throttle), stop.value(brake)]


def feet_closed(p, i, d, drag, mass, ahead, efficiency=0.9):
    out, passed = [], 1.0 if efficiency is None else efficiency
    for v, a in ((19.0, 0.5), (26.0, -3.0)):
        slope = 3.0 if ahead else 0.0  # of a cubic from 10 to 30 m/s in 10 s, level at its ends
        wish = slope + p * (20.0 - v) + i * 0.8 + d * (slope - a)
        air = 0.5 * 1.2 * drag * 2.0 * v * v if ahead else 0.0
        torque = 0.31 * (mass * wish + air)
        closed = 0.12 * 150.0 * 6.0 * passed  # what the engine takes without throttle
        full = 150.0 * 6.0 * passed
        out += [
            min(1.0, max(0.0, (torque + closed) / (full + closed))),
            min(1.0, max(0.0, -(torque + closed) / 4000.0)),
        ]
    return out


row(
    "vehicle.SpeedDriver",
    feet,
    {"p": 0.3, "i": 0.25, "d": 0.1, "drag": 0.4, "mass": 500.0, "ahead": True},
    {"p": 0.4, "i": 0.4, "d": 0.05, "drag": 0.6, "mass": 400.0, "ahead": False},
    feet_measure,
    feet_closed,
    rel=1e-7,
)


# ---- axles ---------------------------------------------------------------------------------------------------------
def axle(data, mode):
    m = hn.Model("axle", units="SI")
    Axle(m, m.ground, data, mode, "axle").build()
    return m


RUBBER = {"k": [1e6, 1e6, 2e5], "kt": [10.0, 10.0, 1.0]}
TRAILING = {
    "parts": {"arm": {"mass": 10.0}},
    "wheel": {"radius": 0.3},
    "spring": {"rate": 30000.0, "load": 4000.0},
    "damper": {"rate": 1500.0},
    "template": "twist_beam",
    "hardpoints": {
        "spring_lower": [-0.1, 0.55, 0.25],
        "spring_upper": [-0.1, 0.55, 0.55],
        "wheel_centre": [0.0, 0.75, 0.3],
        "pivot": [0.42, 0.6, 0.30],
        "shear_centre": [0.25, 0.0, 0.32],
    },
}


def beam(stiffness, damping, rate, load, rubbing, k, kt, tau):
    twist = {"stiffness": stiffness, "damping": damping}
    changed = {
        "twist": twist,
        "spring": {"rate": rate, "load": load},
        "damper": {"rate": rubbing},
        "bushings": {"pivot": {"k": list(k), "kt": list(kt), "damping": tau}},
    }
    return axle({**TRAILING, **changed}, "compliant")


def beam_measure(m):
    b = Built(m, **{"DM(axle left arm)": 0.28, "VR(axle left arm)": 0.2, "VARVAL": 0.0})
    e = b.named("SPRINGDAMPER", "axle twist")
    pivot = b.named("BUSHING", "axle left pivot")
    out = [e.kt, e.ct, *pivot.k, *pivot.kt, *pivot.c, *pivot.ct]
    return [*out, *(b.value(f.function) for f in m.table("SFORCE").values() if "left" in f.name)]


row(
    "vehicle.templates.twist_beam",
    beam,
    {
        "stiffness": 8000.0,
        "damping": 0.01,
        "rate": 3e4,
        "load": 4000.0,
        "rubbing": 1500.0,
        "k": (1e6, 2e6, 2e5),
        "kt": (10.0, 20.0, 1.0),
        "tau": 0.002,
    },
    {
        "stiffness": 6000.0,
        "damping": 0.02,
        "rate": 2e4,
        "load": 3000.0,
        "rubbing": 1200.0,
        "k": (8e5, 1.5e6, 3e5),
        "kt": (15.0, 25.0, 2.0),
        "tau": 0.003,
    },
    beam_measure,
    lambda stiffness, damping, rate, load, rubbing, k, kt, tau: [
        *(stiffness, stiffness * damping, *k, *kt, *(tau * np.array(k)), *(tau * np.array(kt))),
        load + rate * (0.3 - 0.28),  # drawn at 0.3 m with its load
        -rubbing * 0.2,
    ],
)


def steered(mode, **changed):
    data = hn.vehicle.read_vehicle("coupe").axle_data("front")
    for table, words in changed.items():
        data[table] = {**data.get(table, {}), **words}
    return axle(data, mode)


def rack_measure(m):
    b = Built(m, **{"AZ(axle pinion)": 0.02, "DZ(axle rack)": 0.05, "WZ(axle pinion)": 0.3, "VZ(axle rack)": 0.4})
    return [b.force("SFORCE", "axle torsion bar"), b.force("VFORCE", "axle rack force")[2]]


def rack_closed(torsion, damping, travel_per_turn):
    r = travel_per_turn / (2.0 * math.pi)  # tie rods in front of the wheels' centres
    torque = torsion * (0.02 - 0.05 / r) + torsion * damping * (0.3 - 0.4 / r)
    return [-torque, torque / r]


row(
    "vehicle.templates.steering",
    lambda **words: steered("compliant", steering=words),
    {"torsion": 80.0, "damping": 0.01, "travel_per_turn": 50.0},
    {"torsion": 60.0, "damping": 0.02, "travel_per_turn": 40.0},
    rack_measure,
    rack_closed,
)


def column(torsion, damping):
    """The sedan, whose steering has a column: the pinion's joint is another than that of the steering wheel."""
    data = hn.vehicle.read_vehicle("sedan").axle_data("front")
    data["steering"] = {**data["steering"], "torsion": torsion, "damping": damping, "travel_per_turn": 50.0}
    points = data["hardpoints"]
    return axle(data, "compliant"), 1.0 if points["tie_rod_outer"][0] > points["wheel_centre"][0] else -1.0


def column_measure(made):
    m, ahead = made
    parts = [p.name for p in m.table("PART").values()]
    assert "axle column shaft" in parts
    return np.multiply(rack_measure(m), [1.0, ahead]) if ahead > 0.0 else mirrored(m)


def mirrored(m):
    """With rods behind the wheels the rack goes the other way: its measures are turned."""
    b = Built(m, **{"AZ(axle pinion)": 0.02, "DZ(axle rack)": -0.05, "WZ(axle pinion)": 0.3, "VZ(axle rack)": -0.4})
    return [b.force("SFORCE", "axle torsion bar"), -b.force("VFORCE", "axle rack force")[2]]


row(
    "vehicle.templates.steering",
    column,
    {"torsion": 80.0, "damping": 0.01},
    {"torsion": 60.0, "damping": 0.02},
    column_measure,
    lambda torsion, damping: rack_closed(torsion, damping, 50.0),
)


def bar_measure(m):
    e = Built(m).named("SPRINGDAMPER", "axle anti-roll bar")
    return [e.kt, e.ct]


row(
    "vehicle.templates.anti_roll_bar",
    lambda **words: steered("kinematic", anti_roll_bar=words),
    {"stiffness": 450.0, "damping": 0.01},
    {"stiffness": 300.0, "damping": 0.02},
    bar_measure,
    lambda stiffness, damping: [stiffness, stiffness * damping],
)


# ---- parts and wheels of an axle: the right side is the mirror image -----------------------------------------------
def arms(mass, inertia, cm, toe, camber):
    part = {"mass": mass, "inertia": list(inertia), "cm": list(cm)}
    changed = {"parts": {"arm": part}, "twist": {"stiffness": 8000.0}}
    changed["wheel"] = {"radius": 0.3, "toe": toe, "camber": camber}
    m = hn.Model("axle", units="SI")
    return m, Axle(m, m.ground, {**TRAILING, **changed}, "kinematic", "axle").build()


def tensor_of(model, part):
    """(3, 3) inertia of a part in the axes of ground: ip has integrals of x y dm as products."""
    six = [*part.ip, 0.0, 0.0, 0.0][:6]
    J = np.diag(six[:3])
    for k, (i, j) in zip((3, 4, 5), ((0, 1), (0, 2), (1, 2))):
        J[i, j] = J[j, i] = -six[k]
    axes = np.asarray(model.body_frame(part).axes)
    return axes @ J @ axes.T


def arms_measure(made):
    m, a = made
    out = []
    for side in a.sides:
        part = side.carrier
        axes = np.asarray(m.body_frame(part).axes) @ np.asarray(side.hub.frame.axes)
        J = tensor_of(m, part)
        out += [part.mass, *np.diag(J), J[0, 1], J[0, 2], J[1, 2], *m.body_frame(part).origin, *axes.T.ravel()]
    return out


def arms_closed(mass, inertia, cm, toe, camber):
    """Toe turns the front of a wheel inwards, camber leans its top outwards; y of a hub is to the left on both sides,
    its x is level and ahead."""
    t, c = math.radians(toe), math.radians(camber)
    out = []
    for side in (1.0, -1.0):
        xx, yy, zz, xy, xz, yz = inertia
        spin = np.array([side * math.sin(t) * math.cos(c), math.cos(t) * math.cos(c), -side * math.sin(c)])
        ahead = np.cross(spin, [0.0, 0.0, 1.0])
        ahead /= np.linalg.norm(ahead)
        out += [mass, xx, yy, zz, -side * xy, -xz, -side * yz, cm[0], side * cm[1], cm[2]]
        out += [*ahead, *spin, *np.cross(ahead, spin)]
    return out


row(
    "vehicle.templates.parts",
    arms,
    {"mass": 10.0, "inertia": (0.2, 0.3, 0.4, 0.02, 0.03, -0.01), "cm": (0.2, 0.6, 0.3), "toe": 0.5, "camber": -1.0},
    {"mass": 8.0, "inertia": (0.2, 0.35, 0.4, 0.03, 0.02, -0.02), "cm": (0.1, 0.5, 0.2), "toe": 1.0, "camber": 0.7},
    arms_measure,
    arms_closed,
)


# ---- brakes and the speed control of a car --------------------------------------------------------------------------
def braked(torque, front_share):
    m = hn.Model("brakes", units="SI")
    wheels = {}
    for name in ("front left", "front right", "rear left", "rear right"):
        part = m.part(name, 20.0, (0.3, 0.9, 0.3), (0.0, 0.0, 0.3))
        wheels[name] = (part, m.revolute(part, m.ground, at=(0.0, 0.0, 0.3), axis=(0.0, 1.0, 0.0)), None, None)
    car = SimpleNamespace(file=SimpleNamespace(brakes={"torque": torque, "front_share": front_share}), second=1.0)
    Vehicle._brake(car, m, wheels, "0.5")
    return m


def braked_measure(m):
    """Pads that slip fully at a spin: z = 1, z' = 0 but for what the law of Dahl leaves."""
    names = ("front left", "front right", "rear left", "rear right")
    state = {f"DIF({n} brake pads)": 1.0 for n in names} | {f"WZ({n})": 50.0 for n in names}
    return [Built(m, **state).force("SFORCE", f"{n} brake") for n in names]


row(
    "vehicle.Vehicle",
    braked,
    {"torque": 4000.0, "front_share": 0.65},
    {"torque": 3000.0, "front_share": 0.7},
    braked_measure,
    lambda torque, front_share: [
        -0.5 * torque * 0.5 * s for s in (front_share, front_share, 1 - front_share, 1 - front_share)
    ],
)


def cruising(mass, radius, speed, until, hold):
    m = hn.Model("cruise", units="SI")
    chassis = m.part("chassis", mass, (1.0, 1.0, 1.0), (0.0, 0.0, 0.5))
    file = SimpleNamespace(mass=SimpleNamespace(mass=mass), g=9.81)
    car = SimpleNamespace(file=file, units=m.units, radii={"front": radius}, second=1.0, metre=1.0)
    return m, Vehicle._cruise(car, m, chassis, speed, hold or True, until, "front")


def cruise_measure(made):
    m, text = made
    state = {"VX(chassis)": 19.5, "DIF(speed control)": 0.3}
    b = Built(m, TIME=1.0, **state)
    return [b.value(text), b.at(TIME=3.05, **state).value(text), b.value(m.find("DIFF", "speed control").function)]


def cruise_closed(mass, radius, speed, until, hold):
    """m R (2 e + int e), half of the weight at most by tanh; let go over a tenth of a second."""
    error = (hold or speed) - 19.5
    wish = 2.0 * mass * radius * (error + 0.5 * 0.3)
    most = 0.5 * mass * 9.81 * radius
    torque = most * math.tanh(wish / most)
    return [torque, torque * (1.0 - smooth((3.05 - until) / 0.1)), error]


row(
    "vehicle.Vehicle",
    cruising,
    {"mass": 1200.0, "radius": 0.3, "speed": 20.0, "until": 3.0, "hold": 0.0},
    {"mass": 1500.0, "radius": 0.33, "speed": 21.0, "until": 3.02, "hold": 22.0},
    cruise_measure,
    cruise_closed,
)


# ---- leaf springs ----------------------------------------------------------------------------------------------------
def leaf_data(front, rear):
    points = {
        "leaf_front_eye": [front, 0.5, 0.35],
        "leaf_seat": [0.0, 0.5, 0.35],
        "leaf_rear_eye": [-rear, 0.5, 0.35],
        "shackle_upper": [-rear, 0.5, 0.55],
        "damper_lower": [0.0, 0.45, 0.3],
        "damper_upper": [0.0, 0.45, 0.7],
        "wheel_centre": [0.0, 0.75, 0.35],
    }
    return {
        "template": "leaf_axle",
        "hardpoints": points,
        "wheel": {"radius": 0.35},
        "damper": {"rate": 1500.0},
        "parts": {w: {"mass": 2.0} for w in ("axle", "leaf_front", "leaf_rear", "shackle")},
    }


def leaves(front, rear, rate, damping):
    data = leaf_data(front, rear)
    data["leaf"] = {"rate": rate, "damping": damping}
    return axle(data, "kinematic")


def leaves_measure(m):
    out = []
    for word in ("front", "rear"):
        part = f"axle left leaf {word}"
        b = Built(m, **{f"AZ({part})": 0.01, f"WZ({part})": 0.2})
        e = b.named("SFORCE", part)
        marker = m.table("MARKER")[int(e.i)]
        frame = m.body_frame(b.part(part))
        out += [b.value(e.function), *(frame.origin + frame.axes @ np.asarray(marker.frame.origin))]
    return out


def leaves_closed(front, rear, rate, damping):
    """A half leaf of length l gives the rate k l^-3 of both together; it hinges at a quarter of its length."""
    out = []
    for length, sign in ((front, 1.0), (rear, -1.0)):
        share = length**-3 / (front**-3 + rear**-3)
        k = rate * share * (0.75 * length) ** 2
        out += [-k * (0.01 + damping * 0.2), sign * 0.25 * length, 0.5, 0.35]
    return out


row(
    "vehicle.templates.leaf_axle",
    leaves,
    {"front": 0.6, "rear": 0.9, "rate": 4e4, "damping": 0.01},
    {"front": 0.7, "rear": 0.8, "rate": 3e4, "damping": 0.02},
    leaves_measure,
    leaves_closed,
)


def hinged(mode):
    """How the halves of a leaf hang on the axle and on the body."""
    data = {**leaf_data(0.6, 0.9), "leaf": {"rate": 4e4, "damping": 0.01}}
    data["bushings"] = {w: RUBBER for w in ("leaf_front_eye", "shackle_upper", "leaf_rear_eye")}
    m = axle(data, mode)
    return [{"REVOLUTE": 1, "CYLINDRICAL": 2, "SPHERICAL": 3}.get(e.type, 0) for e in leaf_joints(m)] + [
        len(m.table(kind)) for kind in ("BUSHING", "UCON", "GCON")
    ]


def leaf_joints(m):
    return [m.find("JOINT", f"axle {side} leaf {word}") for side in ("left", "right") for word in ("front", "rear")]


row(
    "vehicle.templates.leaf_axle",
    lambda mode: hinged(mode),
    {"mode": "kinematic"},
    {"mode": "compliant"},
    lambda found: found,
    # without rubber the front half slides along the axle where the axle rolls, both sides against each other
    lambda mode: [2, 1, 2, 1, 0, 0, 1] if mode == "kinematic" else [1, 1, 1, 1, 6, 0, 0],
)


# ---- a Pitman arm, an idler arm, a centre link ----------------------------------------------------------------------
def pitman(pivot, end, ratio, lean):
    data = hn.vehicle.read_vehicle("pickup").axle_data("front")
    data["hardpoints"] = {**data["hardpoints"], "pitman_pivot": list(pivot), "pitman_end": list(end)}
    data["steering"] = {**data["steering"], "ratio": ratio, "axis": [lean, 0.0, 1.0]}
    m = hn.Model("axle", units="mm")
    return m, Axle(m, m.ground, data, "kinematic", "axle").build().steering


def pitman_measure(made):
    m, steering = made
    b = Built(m)
    gear = b.named("COUPLER", "axle gear box")
    first = m.table("JOINT")[int(gear.joints[0])].name
    out = [steering.ratio, *gear.scales[:2], float(first.endswith("pitman pivot"))]
    for name in ("left pitman pivot", "right idler pivot", "left pitman end", "right pitman end"):
        marker = m.table("MARKER")[int(m.find("JOINT", f"axle {name}").i)]
        frame = m.body_frame(m.body_of(marker))
        out += [*(frame.origin + frame.axes @ np.asarray(marker.frame.origin))]
        if "pivot" in name:
            out += [*(frame.axes @ np.asarray(marker.frame.axes))[:, 2]]
    return out


def pitman_closed(pivot, end, ratio, lean):
    """The wheel turns ``ratio`` times the arm; with rods behind the axle and the arm to the rear both turn alike."""
    left, over = np.array([lean, 0.0, 1.0]) / math.hypot(lean, 1.0), np.array([1.0, -1.0, 1.0])
    out = [1.0 / ratio, 1.0, -1.0 / ratio, 1.0]
    return [*out, *pivot, *left, *(over * pivot), *left, *end, *(over * end)]


row(
    "vehicle.templates.steering",
    pitman,
    {"pivot": (-20.0, 330.0, 360.0), "end": (-180.0, 320.0, 345.0), "ratio": 16.0, "lean": 0.0},
    {"pivot": (-30.0, 320.0, 350.0), "end": (-170.0, 310.0, 340.0), "ratio": 14.0, "lean": 0.1},
    pitman_measure,
    pitman_closed,
)


# ---- wheels of a car ------------------------------------------------------------------------------------------------
def wheeled(mass, radius, inertia):
    """The front wheels of the coupe; without an inertia it is that of a ring and a disc."""
    file = hn.vehicle.read_vehicle("coupe")
    wheel = file.data["front"]["wheel"]
    wheel["mass"] = mass
    wheel.pop("inertia", None)
    if inertia:
        wheel["inertia"] = list(inertia)
    car = SimpleNamespace(file=file, mode="kinematic", units=hn.Model("u", units="mm").units)
    car.radii, car.seats = {"front": radius, "rear": 300.0}, {"front": 0.0, "rear": 0.0}
    car._seat = lambda m, chassis: Vehicle._seat(car, m, chassis)
    m, *_ = Vehicle._draw(car, "car")
    return m.find("PART", "front left wheel"), m


row(
    "vehicle.Vehicle",
    wheeled,
    {"mass": 18.0, "radius": 310.0, "inertia": ()},
    {"mass": 21.0, "radius": 300.0, "inertia": (5e5, 9e5, 6e5)},
    lambda made: [made[0].mass, *made[0].ip[:3]],
    lambda mass, radius, inertia: [
        mass,
        *(inertia or (0.3 * mass * radius**2, 0.5 * mass * radius**2, 0.3 * mass * radius**2)),
    ],
)


# ---- a car as it drives off: without its trim, so at the places of the drawing ---------------------------------------
SEAT = {"at": [200.0, 350.0, 500.0], "mass": 80.0, "rate": 20.0}


def coupe(**words):
    """The coupe with a seat and anti-lock brakes, not settled."""
    file = hn.vehicle.read_vehicle("coupe")
    file.seat = {**SEAT, **words.pop("seat", {})}
    file.brakes = {"torque": 4e6, "front_share": 0.6, "abs": words.pop("abs", {})}
    car = object.__new__(Vehicle)
    car.file, car.mode, car.mu, car.units = file, "kinematic", 0.8, file.units
    car.metre, car.newton, car.second = (1.0 / getattr(car.units, f"si_{w}") for w in ("length", "force", "time"))
    car.radii = {"front": 300.0, "rear": 305.0}
    car._rolling_radius = lambda which: 0.98 * car.radii[which]
    return car


@functools.cache
def ready():
    """The coupe at the places of its drawing, and these."""
    car = coupe()
    car.tyres = {w: car._tyre_file(w) for w in ("front", "rear")}
    car._rigs, car.gear, car.seats = {}, 4.0, {"front": 0.0, "rear": 0.0}
    m, *_ = car._draw("drawn")
    frames = {p.name: m.body_frame(p) for p in m.table("PART").values()}
    car._place = {n: (np.asarray(f.origin), np.asarray(f.axes)) for n, f in frames.items()}
    return car, frames


def driven_off(speed, x, y, heading):
    car, frames = ready()
    return car.model(speed, Controls(hold=False, servo=True), Scene(position=(x, y), heading=heading)), frames


def driven_measure(made):
    m, frames = made
    out = [float(len(m.table("PART")) == len(frames))]
    for name in ("chassis", "front left wheel", "rear right wheel", "seat"):
        part, frame = m.find("PART", name), m.body_frame(m.find("PART", name))
        out += [*frame.origin, *(np.asarray(frame.axes) @ np.asarray(frames[name].axes).T).ravel()]
        out += [part.vx, part.vy, 1.0 + part.vz, 1.0 + (part.wy or 0.0), 1.0 + (part.wx or 0.0)]
    b = Built(m, **{"AZ(front pinion)": 0.1, "WZ(front pinion)": 0.2, "VARVAL": 0.0})
    level = m.table("MARKER")[int(next(iter(m.table("TYRE_PAC2002").values())).j)].frame
    out += [*(1.0 + np.asarray(level.origin)), *(e.mu for e in m.table("TYRE_PAC2002").values())]
    axes = m.find("MARKER", "chassis axes")
    return [*out, *(1.0 + np.asarray(axes.frame.origin)), abs(b.force("SFORCE", "driver's hands"))]


def driven_closed(speed, x, y, heading):
    """Turned and shifted as a whole; wheels roll; the servo: 4000 N m/rad, damped over 15 ms."""
    _, frames = ready()
    c, s = math.cos(heading), math.sin(heading)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    out = [1.0]
    for name, R in (("chassis", 0.0), ("front left wheel", 294.0), ("rear right wheel", 298.9), ("seat", 0.0)):
        out += [*(turn @ frames[name].origin + [1e3 * x, 1e3 * y, 0.0]), *turn.ravel()]
        out += [1e3 * speed * c, 1e3 * speed * s, 1.0, 1.0 + (1e3 * speed / R if R else 0.0), 1.0]
    return [*out, 1.0, 1.0, 1.0, *[0.8] * 4, 1.0, 1.0, 1.0, 4e6 * (0.1 + 0.015 * 0.2)]


row(
    "vehicle.Vehicle.model",
    driven_off,
    {"speed": 20.0, "x": 3.0, "y": -2.0, "heading": 0.3},
    {"speed": 25.0, "x": 5.0, "y": -1.0, "heading": 0.5},
    driven_measure,
    driven_closed,
    rel=1e-9,
    dear=True,
)


def seated(mass, rate, damping):
    words = {"mass": mass, "rate": rate} | ({"damping": damping} if damping else {})
    car = coupe(seat=words)
    m = hn.Model("seat", units="mm")
    Vehicle._seat(car, m, m.part("chassis", 1000.0, (1e9, 1e9, 1e9), (0.0, 0.0, 500.0)))
    b = Built(m, **{"DZ(seat)": 3.0, "VZ(seat)": 20.0})
    seat = b.part("seat")
    joint = b.named("JOINT", "seat slide")
    marker = m.table("MARKER")[int(joint.i)]
    axis = np.asarray(m.body_frame(m.body_of(marker)).axes) @ np.asarray(marker.frame.axes)[:, 2]
    return [seat.mass, *seat.ip[:3], *b.place("seat"), *axis, b.force("VFORCE", "seat spring")[2]]


row(
    "vehicle.Vehicle",
    seated,
    {"mass": 80.0, "rate": 20.0, "damping": 0.0},
    {"mass": 70.0, "rate": 25.0, "damping": 1.5},
    lambda found: found,
    # 0.05 m^2 about each axis; the spring carries the weight as drawn; N, mm
    lambda mass, rate, damping: [
        *(mass, *[5e4 * mass] * 3, 200.0, 350.0, 500.0, 0.0, 0.0, 1.0),
        mass * hn.vehicle.read_vehicle("coupe").g * 1e-3 - rate * 3.0 - damping * 20.0,
    ],
    rel=1e-9,
)


def locking(slip, lag, least):
    words = {w: v for w, v in (("slip", slip), ("lag", lag), ("least_speed", least)) if v}
    car = coupe(abs=words)
    m = hn.Model("abs", units="mm")
    wheel = m.part("wheel", 20.0, (3e5, 9e5, 3e5), (0.0, 0.0, 300.0))
    Vehicle._abs(car, m, wheel, "WZ(1)", "front left")
    valve = m.find("DIFF", "front left valve")
    out = []
    for slips, speed in ((0.05, 2e4), (0.13, 2e4), (0.5, 1.6e3)):
        spin = (1.0 - slips) * math.hypot(speed, 0.1 * (least or 2e3)) / 294.0
        marker = next(iter(m.table("MARKER").values()))
        state = {"VX(wheel)": speed, f"WZ({m.table('PART')[marker.part].name})": spin, "DIF(front left valve)": 0.7}
        out.append(Built(m, **state).value(valve.function))
    return [valve.ic, *out] if hasattr(valve, "ic") else out


row(
    "vehicle.Vehicle",
    locking,
    {"slip": 0.0, "lag": 0.0, "least": 0.0},
    {"slip": 0.1, "lag": 0.03, "least": 2.5e3},
    lambda found: found[-3:],
    # opens below the slip (0.08 unless given), closes from twice of it on, within the lag (20 ms); open below 2 m/s
    lambda slip, lag, least: [
        (max(1.0 - smooth(s / (slip or 0.08) - 1.0), 1.0 - smooth(2.0 * math.hypot(v, 0.1 * low) / low - 1.0)) - 0.7)
        / (lag or 0.02)
        for low in [least or 2e3]
        for s, v in ((0.05, 2e4), (0.13, 2e4), (0.5, 1.6e3))
    ],
    rel=1e-9,
)


def joints_of_column(low, high, top):
    data = hn.vehicle.read_vehicle("sedan").axle_data("front")
    data["hardpoints"] = {**data["hardpoints"], **dict(zip(COLUMN, map(list, (low, high, top))))}
    m = axle_in_mm(data)
    out = []
    for name in ("axle steering wheel", "axle pinion", "axle upper column joint"):
        e = m.find("JOINT", name)
        for marker in (m.table("MARKER")[int(k)] for k in (e.i, e.j)):
            frame = m.body_frame(m.body_of(marker))
            out += [*(frame.origin + frame.axes @ np.asarray(marker.frame.origin))]
            out += [*(frame.axes @ np.asarray(marker.frame.axes))[:, 2]]
    return out


def axle_in_mm(data):
    m = hn.Model("axle", units="mm")
    Axle(m, m.ground, data, "kinematic", "axle").build()
    return m


COLUMN = "column_lower", "column_upper", "steering_wheel"
GEAR = np.array(hn.vehicle.read_vehicle("sedan").axle_data("front")["hardpoints"]["pinion"], float)


def column_closed(low, high, top):
    """Both revolute joints and the sides of the joint between them lie along their shafts."""
    low, high, top = (np.array(v) for v in (low, high, top))
    to_gear, along, to_top = ((b - a) / np.linalg.norm(b - a) for a, b in ((GEAR, low), (low, high), (high, top)))
    places = ((top, to_top), (top, to_top), (GEAR, to_gear), (GEAR, to_gear), (high, along), (high, to_top))
    return [v for at, axis in places for v in (*at, *axis)]


row(
    "vehicle.templates.steering",
    joints_of_column,
    {"low": (-330.0, 240.0, 330.0), "high": (-620.0, 330.0, 560.0), "top": (-900.0, 340.0, 700.0)},
    {"low": (-300.0, 230.0, 340.0), "high": (-600.0, 320.0, 570.0), "top": (-850.0, 350.0, 720.0)},
    lambda found: found,
    column_closed,
)

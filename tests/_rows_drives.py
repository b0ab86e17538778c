"""Numbers of manoeuvres in closed form, SI: cars that only note what they are asked for, or answer by a known law in
place of a run."""

import importlib
import math
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scipy.special import kv

import holonom as hn
from _built import Built, Row
from _rows_vehicle import START, Asked, Stopped, asked, at, quintic, ride, smooth
from holonom.vehicle import cornering_compliance, driver_study, handling, loads, longitudinal, manoeuvres
from holonom.vehicle.drivers import Driver, Path

ROWS = []
RATIO = 15.0  # of the steering
GAIN = 4.0  # yaw rate by the steer angle, of the single-track car


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def patched(module, **words):
    """The module with other functions, and the ratio and the gain of the car."""
    known = {"steering_ratio": lambda _: RATIO, "single_track": lambda *_: SimpleNamespace(yaw_gain=lambda _: GAIN)}
    return mock.patch.multiple(module, **{w: f for w, f in known.items() if hasattr(module, w)} | words)


def drive(metrics=(), **signals):
    """A drive of these signals over t."""
    return manoeuvres.Drive("drive", None, {w: np.asarray(v, float) for w, v in signals.items()}, dict(metrics))


# ---- steering found by trial runs -----------------------------------------------------------------------------------
def stepped(speed, ay, rise):
    """Of a car whose lateral acceleration follows the angle of its steering wheel at once, 7 m/s^2 a radian."""
    car, trials = Asked(), []

    def run(vehicle, name, model, end, rate):
        t = np.linspace(0.0, end, round(end * rate) + 1)
        steer = np.array([Built(car.drawn, TIME=x).value(car.texts["steer"]) for x in t])
        trials.append(steer[-1])
        signals = {"ay": 7.0 * steer, "yaw_rate": 0.3 * steer, "roll": 0.02 * steer, "sideslip": -0.01 * steer}
        return drive(t=t, steer=steer, **signals)

    with patched(manoeuvres, _simulate=run):
        return trials, manoeuvres.steer_step(car, speed, ay, rise=rise, hold=1.0).metrics


def stepped_measure(made):
    trials, m = made
    words = ("steady_ay", "steady_yaw_rate", "ay_gain", "yaw_rate_gain", "roll_gradient", "steady_sideslip")
    return [*trials, m["steering_wheel_angle"], *(m[w] for w in words)]


def stepped_closed(speed, ay, rise):
    """First the angle of the single-track car, then in proportion."""
    angle = ay / 7.0
    first = RATIO * ay / (speed * GAIN)
    return [first, angle, angle, ay, 0.3 * angle, 7.0, 0.3, 0.02 / 7.0, -0.01 * angle]


row(
    "vehicle.steer_step",
    lambda **words: stepped(rise=0.1, **words),
    {"speed": 27.0, "ay": 4.0},
    {"speed": 20.0, "ay": 3.0},
    stepped_measure,
    lambda **words: stepped_closed(rise=0.1, **words),
)


def response_times(rise):
    """90 % of the step and its half, on the rows of the run: quintic(x) = 0.9 in closed form by its root."""
    _, m = stepped(27.0, 4.0, rise)
    return [m["ay_response_time"], m["yaw_rate_response_time"]]


row(
    "vehicle.steer_step",
    lambda rise: rise,
    {"rise": 0.4},
    {"rise": 0.3},
    response_times,
    lambda rise: (
        [rise * (float(min(r.real for r in np.roots([6, -15, 10, 0, 0, -0.9]) if abs(r.imag) < 1e-9)) - 0.5)] * 2
    ),
    rel=2e-3,  # straight lines between rows of 5 ms
)


def reference(speed, ay):
    """Of a car whose lateral acceleration is 1.6 times the angle of its steering wheel."""
    given = []

    def ramp(vehicle, speed, *, angle):
        given.extend([speed, angle])
        steer = np.linspace(0.0, 1.3 * ay / 1.6, 200)
        return drive(t=steer, steer=steer, ay=1.6 * steer)

    with patched(handling, slow_ramp=ramp):
        return [*given, handling.reference_angle(Asked(), speed, ay), *given]


row(
    "vehicle.reference_angle",
    reference,
    {"speed": 22.0, "ay": 3.0},
    {"speed": 20.0, "ay": 2.5},
    lambda found: found,
    # the ramp goes to 1.8 times the angle of the single-track car
    lambda speed, ay: [ay / 1.6, *(speed, 1.8 * RATIO * ay / (speed * GAIN))],
)


def turning(radius, ay, pedal, rise, longest):
    """Of a car that turns by 0.2 times the angle of its steering wheel times its speed, then brakes."""
    car = Asked()

    def run(vehicle, name, model, end, rate):
        if name != "circle":
            car.end, car.title = end, name
            raise Stopped
        car.circle = end
        t = np.linspace(0.0, end, round(end * rate) + 1)
        steer = np.array([Built(car.drawn, TIME=x).value(car.texts["steer"]) for x in t])
        return drive(t=t, speed=np.full(len(t), car.speed), yaw_rate=0.02 * steer * car.speed)

    with patched(handling, _simulate=run):
        try:
            handling.braking_in_turn(car, radius, ay=ay, pedal=pedal, rise=rise, longest=longest)
        except Stopped:
            pass
    car.stop = [s.value for s in car.drawn.table("SENSOR").values()]
    return car


row(
    "vehicle.braking_in_turn",
    turning,
    {"radius": 100.0, "ay": 5.0, "pedal": 0.4, "rise": 0.2, "longest": 12.0},
    {"radius": 80.0, "ay": 4.0, "pedal": 0.3, "rise": 0.3, "longest": 10.0},
    lambda car: [
        *(car.speed, car.circle, car.end, car.controls.until, *at(car, "steer", 0.4, 1.0, 3.0)),
        *(*at(car, "brake", 5.4, 5.55, 6.0), car.stop[0]),
    ],
    lambda radius, ay, pedal, rise, longest: [
        *(math.sqrt(ay * radius), START + 5.0, START + 5.0 + longest, START + 5.0),
        *(quintic((t - START) / 1.5) / radius / 0.02 for t in (0.4, 1.0, 3.0)),
        *(0.0, pedal * smooth(0.05 / rise), pedal, 2.0),
    ],
)


# ---- frequency response ---------------------------------------------------------------------------------------------
TIMES = np.arange(0.0, 60.0, 0.02)


def waves(speed, ay, low, high, duration, segment, seed):
    """Steering within the second period of each block: even sums of sines between 0.75 low and 1.15 high, at whole
    numbers of turns in a segment, whose standard deviation is half of the angle of the linear car."""
    n = round(segment / 0.02)
    size = RATIO * ay / (speed * GAIN)
    random = np.random.default_rng(seed)
    out = [START + duration]
    for block in range(math.ceil((round(duration / 0.02) + 1) / (2 * n))):
        phases = 2.0 * math.pi * random.random(n // 2 + 1)
        lines = [k for k in range(1, n // 2) if 0.75 * low <= k / segment <= 1.15 * high]
        for share in (0.3, 0.62, 0.9):
            t = segment * (1.0 + share)
            if block * 2 * segment + t < duration:
                wave = sum(math.cos(2.0 * math.pi * k / segment * t + phases[k]) for k in lines)
                out.append(0.5 * size * wave / math.sqrt(0.5 * len(lines)))
    return out


def waves_read(speed, ay, low, high, duration, segment, seed):
    words = {"ay": ay, "low": low, "high": high, "duration": duration, "segment": segment, "seed": seed}
    with patched(handling):
        car = asked(handling, "frequency_response", speed=speed, **words)
    assert car.speed == speed
    times = [
        START + b * 2 * segment + segment * (1.0 + share)
        for b in range(math.ceil(duration / (2 * segment)))
        for share in (0.3, 0.62, 0.9)
        if b * 2 * segment + segment * (1.0 + share) < duration
    ]
    return [car.end, *at(car, "steer", *times)]


SHAKEN = {"speed": 27.0, "ay": 1.0, "low": 0.2, "high": 3.0, "duration": 24.0, "segment": 5.0, "seed": 1}
row(
    "vehicle.frequency_response",
    lambda **words: words,
    SHAKEN,
    {"speed": 20.0, "ay": 1.5, "low": 0.6, "high": 2.0, "duration": 30.0, "segment": 4.0, "seed": 2},
    lambda words: waves_read(**words),
    waves,
    rel=1e-7,
)
SWEPT = (0.8, 3.0, 9.0, 14.9)


def swept(speed, ay, low, high, duration):
    """From 0.7 low to 1.2 high by the same factor in equal times; the last two seconds are still."""
    end = duration - 2.0
    k = math.log(1.2 * high / (0.7 * low)) / end
    size = RATIO * ay / (speed * GAIN)
    out = [speed, START + duration]
    for x in SWEPT:
        t = min(x, end)
        turn = 2.0 * math.pi * 0.7 * low * (math.exp(k * t) - 1.0) / k
        out.append(size * math.sin(turn) * smooth(x / 0.5) * smooth((end - x) / 0.5))
    return out


def swept_read(**words):
    with patched(handling):
        return asked(handling, "frequency_response", kind="sweep", **words)


row(
    "vehicle.frequency_response",
    swept_read,
    {"speed": 27.0, "ay": 1.0, "low": 0.2, "high": 3.0, "duration": 18.0},
    {"speed": 20.0, "ay": 1.5, "low": 0.3, "high": 2.0, "duration": 16.0},
    lambda car: [car.speed, car.end, *at(car, "steer", *(START + t for t in SWEPT))],
    swept,
    rel=1e-6,
)


# ---- drives that a driver leads -------------------------------------------------------------------------------------
class Led:
    """In place of a simulation: a car of even acceleration along x, which drifts to the left from the start.  Its
    numbers are SI, those that it exchanges have ``metre`` and ``second``."""

    speed = slows = drift = begin = 0.0
    radius, ratio = 0.3, 1.0
    metre = second = 1.0

    def __init__(self, model, progress):
        self.time, self.asked, self.opened = 0.0, [], {}
        type(self).last = self

    def open(self, **words):
        self.opened = words | {"duration": words["duration"] / self.second}

    def set_input(self, name, value, by=None):
        self.asked.append((name, value, math.nan if by is None else by / self.second))
        if name == "gear ratio":
            self.ratio = value

    def advance(self, until):
        assert until > self.time * self.second - 1e-9
        self.time = until / self.second

    @property
    def now(self):
        return self.speed - self.slows * max(self.time - self.begin, 0.0)

    def way(self, t):
        return self.speed * t - 0.5 * self.slows * np.maximum(t - self.begin, 0.0) ** 2

    @property
    def state(self):
        at = np.array([self.way(self.time), 0.5 * self.drift * self.time**2, 0.0])
        spin = np.zeros(3)
        ahead = np.array([1.0, 0.0, 0.0, 0.0])
        body = SimpleNamespace(position=at * self.metre, quaternion=ahead, angular_velocity=spin)
        body.velocity = np.array([self.now, 0.0, 0.0]) * self.metre / self.second
        return {"chassis": body}

    def output(self, text):
        return self.now / self.radius * self.ratio / self.second

    def run(self):
        return None

    def close(self):
        pass


def led(**words):
    return type("Led", (Led,), words)


class Steady(Driver):
    def wish(self, path, o):
        return 0.1 * o.x


def followed(speed, end, slowest=0.0, slows=0.0, drift=0.0, limit=4.0):
    """(the car, its simulation, the drive)"""
    car = Asked()
    car.file.mass, car.file.chassis = SimpleNamespace(centre=np.zeros(3)), {"cm": (0.0, 0.0, 0.0)}
    Sim = led(speed=speed, slows=slows, drift=drift)
    words = {"end": end, "slowest": slowest, "limit": limit, "strict": False}
    with patched(manoeuvres, Simulation=Sim, signals=lambda *_: {}):
        d = manoeuvres.follow(car, Path([(0.0, 0.0), (200.0, 0.0)]), Steady(rate=1e3, most=1e3), speed, **words)
    return car, Sim.last, d


row(
    "vehicle.follow",
    lambda speed, end, slowest: followed(speed, end, slowest, slows=0.7),
    {"speed": 20.0, "end": 8.0, "slowest": 17.0},
    {"speed": 22.0, "end": 9.0, "slowest": 15.0},
    # as asked of the car; how long it may last; when it stopped; the last angle, by the place at the row before
    lambda made: [made[0].speed, made[1].opened["duration"], made[1].time, *made[1].asked[-1][1:]],
    lambda speed, end, slowest: [
        *(speed, end, (k := math.ceil((speed - slowest) / 0.7 / 0.02) * 0.02)),
        *(0.1 * (speed * (k - 0.02) - 0.35 * (k - 0.02) ** 2), k),
    ],
)
row(
    "vehicle.follow",
    lambda speed, drift: followed(speed, None, drift=drift),
    {"speed": 20.0, "drift": 0.0},
    {"speed": 22.0},
    lambda made: [made[0].speed, made[1].opened["duration"], made[1].time],
    # 1.3 times what the path takes; past its last point
    lambda speed, drift: [speed, 1.3 * 200.0 / speed, (math.floor(200.0 / speed / 0.02 + 1e-9) + 1) * 0.02],
)
row(
    "vehicle.follow",
    lambda limit: followed(20.0, 8.0, drift=0.31, limit=limit),
    {"limit": 2.0},
    {"limit": 3.0},
    lambda made: [made[1].time, float("lost the road" in made[2].stopped)],
    lambda limit: [math.ceil(math.sqrt(limit / 0.155) / 0.02) * 0.02, 1.0],
)


def changing(speed, part):
    """What a lane change asks of the drive along its path."""
    with mock.patch.object(manoeuvres, "follow", side_effect=Stopped) as asked_for:
        try:
            manoeuvres.lane_change(wide_car(1.8), Steady(), speed, part=part)
        except Stopped:
            pass
    (_, path, _, v), words = asked_for.call_args
    s = path.points
    return [v, float(words["hold"]), *s[0], *s[-1], s[:, 1].max(), float(words["strict"])]


def wide_car(width):
    car = Asked()
    centres = {"front": np.array([1.1, 0.0, 0.3]), "rear": np.array([-1.5, 0.0, 0.3])}
    car.file.data = {"width": width, "overhangs": [0.8, 0.9]}
    car.file.mass = SimpleNamespace(centre=np.array([-0.1, 0.0, 0.5]))
    car.file._centre = centres.get
    return car


def lanes(part, width=1.8):
    """(start, end, right, left) of each lane: ISO 3888-1:2018, 3888-2:2011."""
    first = 1.1 * width + 0.25
    low = -0.5 * first
    if part == 1:
        second, third = 1.2 * width + 0.25, 1.3 * width + 0.25
        return [
            (0, 15, low, low + first),
            (45, 70, low + 3.5, low + 3.5 + second),
            (95, 125, low, low + third),
        ]
    second, third = width + 1.0, max(1.3 * width + 0.25, 3.0)
    left = low + first + 1.0
    return [(0, 12, low, low + first), (25.5, 36.5, left, left + second), (49, 61, low, low + third)]


def changing_closed(speed, part):
    """From 30 m before to 30 m behind the lanes, from the middle of the first to that of the last; in between nearer
    to the first lane than the middle of the second, 0.35 of what is left there."""
    (_, _, a, b), (_, _, c, d), (_, last, e, f) = lanes(part)
    middle = lambda low, high: 0.5 * (low + high)
    return [speed, float(part == 1), -30.0, middle(a, b), last + 29.75, middle(e, f), middle(c, d), 0.0]


row(
    "vehicle.lane_change",
    changing,
    {"speed": 22.0, "part": 1},
    {"speed": 20.0, "part": 2},
    lambda found: found,
    changing_closed,
)


def course_read(course):
    cones = course.cones()
    m = hn.Model("course", units="SI")
    level = course.draw(m)
    flat = [*(1.0 + np.asarray(level.frame.origin)), *np.ravel(np.asarray(level.frame.axes))]
    out = [*np.ravel(course.sections), *course.outline, *cones.min(axis=0), *cones.max(axis=0), len(cones)]
    (box,) = (g.arguments for g in m.table("GRAPHICS").values() if g.type == "BOX")
    return [*out, len(m.table("GRAPHICS")), *flat, *(box[w] for w in "xyz")]


def course_closed(part, width):
    ways = lanes(part, width)
    low, high = (f(v for w in ways for v in w[2:]) for f in (min, max))
    # nose and tail are the overhangs before the front and behind the rear axle, from the centre of mass
    return [
        *np.ravel(ways),
        *(0.5 * width, 1.1 + 0.1 + 0.8, -0.1 + 1.5 + 0.9),
        *(0.0, low, ways[-1][1], high, 30, 30 + 1, 1.0, 1.0, 1.0, *np.eye(3).ravel()),
        *(30.0 + ways[-1][1] + 40.0, high - low + 4.0, 0.02),
    ]


row(
    "vehicle.iso_3888",
    lambda part, width: manoeuvres.iso_3888(wide_car(width), part),
    {"part": 1, "width": 1.8},
    {"part": 2, "width": 2.3},
    course_read,
    course_closed,
)


def compared(parts, speeds, step):
    """Drivers that hit a cone from a known speed on, and drive beside the teacher by a known distance."""
    beside = {"one": 0.1, "two": 0.35}
    drivers = {w: Steady() for w in beside}

    def change(vehicle, driver, speed, *, part):
        name = next(w for w, d in drivers.items() if d is driver)
        x = np.linspace(-30.0, 100.0, 50)
        d = drive(x=x, y=np.full(50, beside[name]))
        d.metrics.update(clean=float(speed <= MOST[name, part]), largest_steer=0.1 * speed + part)
        return d

    with mock.patch.object(driver_study, "lane_change", change):
        return driver_study.compare_drivers(Asked(), drivers, parts=parts, speeds=speeds, step=step)


MOST = {("one", 1): 21.35, ("two", 1): 16.1, ("one", 2): 13.35, ("two", 2): 14.7}


def compared_closed(parts, speeds, step):
    """Whole steps up to the most, or down to it."""
    out = [step]
    for part in parts:
        for name, off in (("one", 0.0), ("two", 0.25)):
            v = speeds[part]
            top = v + step * math.floor((MOST[name, part] - v) / step)
            out += [part, top, off, v, 0.1 * v + part]
    return out


row(
    "vehicle.compare_drivers",
    compared,
    {"parts": (1, 2), "speeds": {1: 18.0, 2: 11.0}, "step": 0.5},
    {"parts": (2,), "speeds": {1: 19.0, 2: 12.0}, "step": 0.7},
    lambda s: [s.step, *(r[w] for r in s.rows for w in ("course", "top", "beside", "speed", "steer"))],
    compared_closed,
)


# ---- acceleration through the gears ---------------------------------------------------------------------------------
GEARS, FINAL, PULL = (3.5, 2.0, 1.4, 1.0), 4.0, 3.0


def accelerated(top, speed, gear, shift, pause, longest, car=Asked, rounded=0.0, **more):
    """(simulation, drive) of a car that gains 3 m/s every second; ``rounded``: what its speed is too small by."""
    car = car()
    car.file.drive = {"engine": [[r, 150.0] for r in (1000, 2500, 4000, 6000)], "inertia": 0.2, "gears": list(GEARS)}
    car._gear = lambda g: GEARS[g - 1] * FINAL
    draw = car.model

    def model(*given):
        assert given[0] == speed
        m = draw(*given)
        m.diff("0", "engine speed")
        return m

    car.model = model
    units = {"metre": car.metre, "second": car.second}
    Sim = led(speed=speed, slows=-PULL, begin=START, ratio=car._gear(gear), **units)

    def signals(vehicle, run):
        assert vehicle is car and run is not car
        t = np.linspace(0.0, Sim.last.time, round(Sim.last.time / 0.02) + 1)
        fast = speed + PULL * np.maximum(t - START, 0.0) - rounded
        return {"t": t, "x": Sim.last.way(t) + 7.0, "speed": fast, "ax": np.sin(math.pi / 3.0 * t) - 0.7}

    def slip(vehicle, d):
        assert vehicle is car and d.name.startswith("car: ") and "t" in d.signals
        return 0.1

    with patched(longitudinal, Simulation=Sim, signals=signals, _largest_slip=slip):
        words = {"speed": speed, "gear": gear, "pause": pause, "longest": longest, **more}
        d = longitudinal.acceleration(car, top, **words, **({"shift": shift} if shift else {}))
    return Sim.last, d


def accelerated_measure(made):
    sim, d = made
    words = ("time", "distance", "time_to_60_km_h", "time_to_100_km_h", "time_over_400_m", "gear")
    words = (*(w for w in words if w in d.metrics), "largest_acceleration", "largest_slip")
    assert set(d.metrics) == set(words)
    asked_for = [v for name, value, by in sim.asked[1:] for v in (len(name), value, by)]
    return [*(sim.asked[0][1], sim.opened["duration"]), *(d.metrics[w] for w in words), *asked_for]


def accelerated_closed(top, speed, gear, shift, pause, longest):
    """Even acceleration: shifts where the engine of turns v i / R passes its most, on rows of 20 ms, half a second
    after the pedal or the shift before at the earliest; a third of a pause for the clutch to open, for the gear, and
    for the clutch to close.  Times to what is passed on the way."""
    grid = lambda t: math.ceil(t / 0.02 - 1e-9) * 0.02
    reach = lambda v: (v - speed) / PULL
    most = shift or 0.97 * 6000.0
    end = grid(START + reach(top))
    events = [("throttle", 1.0, START + 0.1)]
    g, ready = gear, START
    while g < len(GEARS):
        v = most * 2.0 * math.pi / 60.0 * 0.3 / (GEARS[g - 1] * FINAL)
        t = grid(max(START + reach(v), ready + 0.5))
        if t >= end:
            break
        g, ready = g + 1, t + pause
        third = pause / 3.0
        events += [("clutch", 0.0, t + third), ("gear ratio", GEARS[g - 1] * FINAL, t + 2 * third)]
        events += [("clutch", 1.0, t + pause)]
    way = speed * (end - START) + 0.5 * PULL * (end - START) ** 2
    far = (math.sqrt(speed**2 + 2.0 * PULL * 400.0) - speed) / PULL
    times = [reach(v) for v in (60.0 / 3.6, 100.0 / 3.6) if speed < v <= top]
    times += [far] if way >= 400.0 else []
    peaks = [1.0 - 0.7, 0.1]  # at 1.5 s
    asked_for = [v for n, value, by in events for v in (len(n), value, by)]
    return [0.0, longest, end - START, way, *times, g, *peaks, *asked_for]


row(
    "vehicle.acceleration",
    accelerated,
    {"top": 55.0, "speed": 0.0, "gear": 1, "shift": 5000.0, "pause": 0.3, "longest": 60.0},
    {"top": 53.0, "speed": 5.0, "gear": 2, "shift": 0.0, "pause": 0.6, "longest": 50.0},
    accelerated_measure,
    accelerated_closed,
    rel=1e-6,  # straight lines between rows of 20 ms
)
row(  # the engine turns too fast from the start; 100 km/h is passed before, 400 m are not reached
    "vehicle.acceleration",
    accelerated,
    {"top": 45.0, "speed": 30.0, "gear": 1, "shift": 5000.0, "pause": 0.31, "longest": 60.0},
    {"pause": 0.47},
    accelerated_measure,
    accelerated_closed,
    rel=1e-6,
)
row(  # 60 km/h are reached at the last row, to rounding
    "vehicle.acceleration",
    lambda speed: accelerated(60.0 / 3.6, speed, 1, 5900.0, 0.3, 60.0, rounded=4e-10),
    {"speed": 60.0 / 3.6 - 3.0 * 4.0},
    {"speed": 60.0 / 3.6 - 3.0 * 3.0},
    accelerated_measure,
    lambda speed: accelerated_closed(60.0 / 3.6, speed, 1, 5900.0, 0.3, 60.0),
    rel=1e-6,
)
row(
    "vehicle.coast_down",
    lambda **words: asked(longitudinal, "coast_down", **words),
    {"speed": 33.0, "end_speed": 11.0, "longest": 200.0},
    {"speed": 30.0, "end_speed": 12.0, "longest": 150.0},
    lambda car: [car.speed, car.end, car.controls.until, next(iter(car.drawn.table("SENSOR").values())).value],
    lambda speed, end_speed, longest: [speed, longest, 0.0, end_speed],
)


# ---- rides ----------------------------------------------------------------------------------------------------------
for name in ("kerb", "pothole", "four_post"):
    row(
        f"vehicle.{name}",
        lambda rate, name=name: asked(ride, name, "_ride", rate=rate),
        {"rate": 200.0},
        {"rate": 300.0},
        lambda car: [car.rate],
        lambda rate: [rate],
    )


def ridden(**words):
    with mock.patch.object(ride, "iso_road") as road:
        car = Asked()
        car.file.axle_data = lambda which: {"hardpoints": {"wheel_centre": [0.0, 0.77, 0.3]}}
        with mock.patch.object(ride, "_ride", side_effect=Stopped) as run:
            try:
                ride.ride(car, **words)
            except Stopped:
                pass
    (_, grade, length), more = road.call_args
    _, _, _, end, rate = run.call_args.args
    return [car.speed, ord(grade), length, *(more[w] for w in ("start", "track", "seed")), end, rate]


row(
    "vehicle.ride",
    ridden,
    {"speed": 22.0, "grade": "B", "length": 150.0, "seed": 1, "rate": 200.0},
    {"speed": 20.0, "grade": "C", "length": 120.0, "seed": 2, "rate": 300.0},
    lambda found: found,
    lambda speed, grade, length, seed, rate: [
        *(speed, ord(grade), length + 30.0, START * speed, 2.0 * 0.77, seed, START + length / speed, rate)
    ],
)


def rough(grade, length, start, lead, step, track, waviness, seed):
    m = hn.Model("road", units="mm")
    words = {"start": start, "lead": lead, "step": step, "track": track, "waviness": waviness, "seed": seed}
    return hn.vehicle.iso_road(m, grade, length, **words)


def rough_read(road):
    tables = {w: np.asarray(v, float) for w, v in dict(road.tables).items()}
    x, z = tables["x"], tables["z"]
    return [len(x), *x[:3], x[-1], *tables["y"], *z[[10, 60, -1]].ravel()]


def rough_closed(grade, length, start, lead, step, track, waviness, seed):
    """Sums of waves of amplitude sqrt(2 G df) with random phases, G falling by the waviness from that of the class at
    0.1 cycles/m, within 0.011 to 2.83 cycles/m; the right track follows the left one by the coherence of an isotropic
    surface; a cosine leads from flat into the road.  mm."""
    level = 16e-6 * 4.0 ** "ABCDEFGH".index(grade)
    n = 2 * math.ceil(0.5 * length / step) + 2
    f = np.arange(n // 2 + 1) / (n * step)
    band = (f >= 0.011) & (f <= 2.83)
    size = np.zeros(len(f))
    size[band] = np.sqrt(2.0 * level * (f[band] / 0.1) ** -waviness / (n * step))
    random = np.random.default_rng(seed)
    left, more = (2.0 * math.pi * random.random(len(f)) for _ in range(2))
    q = math.pi * track * f[band]
    g = np.zeros(len(f))
    h = 0.5 * waviness
    g[band] = 2.0 * q**h * kv(h, 2.0 * q) / math.gamma(h)
    count = math.floor(length / step + 1e-9) + 1
    out = [count, *(1e3 * (start + step * k) for k in (0, 1, 2, count - 1)), -500.0 * track, 500.0 * track]
    for k in (10, 60, count - 1):
        x = step * k
        wave = lambda phase, x=x: size * np.cos(2.0 * math.pi * f * x + phase)
        rise = 0.5 - 0.5 * math.cos(math.pi * min(x / lead, 1.0))
        right = (g * wave(left) + np.sqrt(1.0 - g * g) * wave(more)).sum()
        out += [1e3 * rise * right, 1e3 * rise * wave(left).sum()]
    return out


row(
    "vehicle.iso_road",
    rough,
    {
        "grade": "B",
        "length": 20.0,
        "start": 3.0,
        "lead": 5.0,
        "step": 0.1,
        "track": 1.5,
        "waviness": 2.0,
        "seed": 1,
    },
    {
        "grade": "C",
        "length": 24.0,
        "start": 4.0,
        "lead": 2.0,
        "step": 0.125,
        "track": 1.2,
        "waviness": 2.5,
        "seed": 2,
    },
    rough_read,
    rough_closed,
    rel=1e-7,
)


# ---- load cases, tyres, the linear car ------------------------------------------------------------------------------
def loaded(g, torque):
    car = Asked()
    car.file.brakes, car.file.mass, car.file.g = {"torque": torque}, SimpleNamespace(mass=1200.0), 9.81
    car.radii = {"front": 0.31, "rear": 0.33}
    with mock.patch.object(loads, "_simulate", side_effect=Stopped) as run:
        try:
            loads.load_cases(car, ["braking"], g=g)
        except Stopped:
            pass
    between = []
    times = np.linspace(0.0, 10.0, 101)
    ramp = drive(t=times, ay=-1.5 * times)
    ramp.run = SimpleNamespace(time=times, between=lambda *window: between.extend(window))
    with mock.patch.object(loads, "slow_ramp", lambda _: ramp):
        turn = loads.load_cases(car, ["cornering"], g=g).drives["cornering"]
    return [car.speed, *at(car, "brake", 0.4, 0.6, 1.0), *run.call_args.args[3:], *between, len(turn["ay"])]


row(
    "vehicle.load_cases",
    loaded,
    {"g": 0.8, "torque": 6000.0},
    {"g": 0.6, "torque": 8000.0},
    lambda found: found,
    lambda g, torque: [
        *(20.0, 0.0, 0.5 * (p := g * 1200.0 * 9.81 * 0.32 / torque), p, START + 0.8 * 20.0 / (9.81 * g), 200.0),
        *(0.0, (k := math.ceil(g * 9.80665 / 0.15)) * 0.1, k + 1),
    ],
)


def fitted(mu, mode, id):
    m = hn.Model("tyre", units="SI")
    wheel = m.part("wheel", 20.0, (0.3, 0.9, 0.3), (0.0, 0.0, 0.3))
    file = importlib.resources.files("holonom.vehicle") / "data" / "passenger.tir"
    e = hn.vehicle.tyre(m, m.marker(wheel), m.marker(m.ground), str(file), mu=mu, mode=mode, id=id)
    return [e.mu, e.mode, e.id]


row(
    "vehicle.tyre",
    fitted,
    {"mu": 1.0, "mode": 3, "id": 7},
    {"mu": 0.6, "mode": 4, "id": 9},
    lambda found: found,
    lambda mu, mode, id: [mu, mode, id],
)


def linear(speed, stiffness, moment, lag):
    """Of tyres whose forces are -C alpha times speed, on a car of 2.6 m."""
    car = Asked()
    car.mu = 0.9
    centres = {"front": (1.4, 0.0, 0.3), "rear": (-1.2, 0.0, 0.3)}
    car.file.mass = SimpleNamespace(mass=1200.0, inertia=np.diag([300.0, 1500.0, 1700.0]), centre=(0.1, 0.0, 0.5))
    car.file._centre = centres.get
    car.tyres = {w: SimpleNamespace(side="LEFT", which=w) for w in ("front", "rear")}
    car.loads = {f"{w} {s}": load for w, load in (("front", 3000.0), ("rear", 2500.0)) for s in ("left", "right")}

    class Tyre:
        def __init__(self, file, mirror, mu):
            self.share = mu * (1.0 if file.which == "front" else 1.3)

        def forces(self, load, alpha, speed):
            k = self.share * load * math.sin(alpha)
            return {"F_y": -stiffness * speed * k, "M_z": moment * k}

        def relaxation(self, load):
            return 0.2, lag * load

    with mock.patch.object(cornering_compliance, "TyreRig", Tyre):
        return cornering_compliance.single_track(car, speed)


row(
    "vehicle.single_track",
    linear,
    {"speed": 20.0, "stiffness": 1.0, "moment": 0.4, "lag": 1e-4},
    {"speed": 25.0, "stiffness": 1.2, "moment": 0.5, "lag": 2e-4},
    lambda c: [
        *(c.mass, c.inertia, c.front, c.rear, c.front_stiffness, c.rear_stiffness),
        *(c.front_trail, c.rear_trail, c.front_relaxation, c.rear_relaxation),
    ],
    lambda speed, stiffness, moment, lag: [
        *(1200.0, 1700.0, 1.3, 1.3, 0.9 * 2 * 3000.0 * stiffness * speed, 0.9 * 1.3 * 2 * 2500.0 * stiffness * speed),
        *(moment / (stiffness * speed), moment / (stiffness * speed), 3000.0 * lag, 2500.0 * lag),
    ],
    rel=1e-9,
)


class Rigid:
    """An axle that neither rolls nor steers nor yields: a force C times the angle, behind it by a trail; C goes with
    the speed, so that it is seen."""

    def __init__(self, vehicle, which, speed, moved):
        front = which == "front"
        self.C = (4000.0 if front else 5000.0) * speed
        self.trail, self.roll, self.moved = (0.03, 4e4, moved) if front else (0.02, 3e4, moved)
        patch = np.array([[1.4 if front else -1.2, y, 0.02] for y in (0.75, -0.75)])
        self.p, self.steer = SimpleNamespace(patch=patch), 1.0 / RATIO if front else 0.0
        self.rest = np.full((2, 6), -20.0 if front else -25.0)
        self.driven = 0.0

    def drive(self, force):
        self.driven = force

    def spinning(self):
        return 1.5

    def solve(self, effects):
        F = np.array([-self.C, self.C * self.steer, 0.0, 0.0, 0.0])
        return F, -self.trail * F, np.array([0.0, 0.0, -self.roll, 0.0, 0.0])


def bend(speed, drag):
    """The car of these axles in a bend."""
    car = Asked()
    car.file.mass = SimpleNamespace(mass=1200.0, centre=(0.1, 0.0, 0.52), loads=(3000.0, 2500.0))
    car.file.g = 9.81
    car._rig = lambda which: SimpleNamespace(forces=lambda load: {"M_y": -0.01 * load})
    car.air_drag = lambda v: drag * v * v
    car.shares = lambda: {"front": 1.0}
    bare = linear(speed, 1.0, 0.4, 1e-4)
    with patched(
        cornering_compliance,
        AxleInBend=Rigid,
        single_track=lambda *_: bare,
        rolling_car=lambda vehicle, axles, v: (axles, v),
    ):
        return cornering_compliance.cornering(car, speed), bare


def bend_read(made):
    c, bare = made
    axles, v = c.rolling
    t = c.track
    return [
        *(v, *c.shares["tyres"], c.roll_gradient, t.front_stiffness, t.rear_stiffness, t.front_trail, t.rear_trail),
        *(t.inertia - bare.inertia, t.front_relaxation / bare.front_relaxation, axles["front"].moved),
        *(axles["front"].driven, 1.0 + axles["rear"].driven, c.understeer_gradient),
    ]


def bend_closed(speed, drag):
    """Forces act behind the axles by their trails; the speed is held against rolling resistance and air."""
    C = 4000.0 * speed, 5000.0 * speed
    front, rear = 1.4 - 0.1 - 0.03, 1.2 + 0.1 + 0.02
    both = [1200.0 * rear / (front + rear) / C[0], 1200.0 * front / (front + rear) / C[1]]
    h = 0.52 - 0.02
    roll = 1200.0 * h / (7e4 - 1200.0 * h * 9.81)
    rolling = -0.01 * 2.0 * 5500.0
    pull = -0.5 * (2 * (-20.0 - 25.0) - drag * speed**2)
    bare = 0.9 * 2 * 3000.0 * speed
    return [
        *(speed, *both, roll, *C, 0.03, 0.02, 2.0 * 1.5, C[0] / bare, -0.5 * rolling / 2.6),
        *(pull, 1.0, both[0] - both[1]),
    ]


row(
    "vehicle.cornering",
    bend,
    {"speed": 20.0, "drag": 0.4},
    {"speed": 25.0, "drag": 0.6},
    bend_read,
    bend_closed,
)

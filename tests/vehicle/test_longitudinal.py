"""Acceleration, coasting down, differentials, anti-lock brakes: against equations of motion along a line, and the laws
of the driveline."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from _cars import balance

import holonom as hn
from holonom.model import ModelError
from holonom.vehicle import Controls, Scene, TyreRig, Vehicle, acceleration, coast_down, read_vehicle, straight_braking
from holonom.vehicle.manoeuvres import _simulate

AERO = {"aero": {"drag": 0.32, "area": 2.1e6}}


@pytest.fixture(scope="module")
def sedan():
    return read_vehicle("sedan").changed(AERO)


@pytest.mark.slow
def test_coast_down(sedan):
    """The drag and the rolling resistance that the car has are found by the evaluation."""
    car = Vehicle(sedan)
    d = coast_down(car, 100 / 3.6, end_speed=60 / 3.6)
    m = d.metrics
    assert m["drag_area"] == pytest.approx(0.32 * 2.1, rel=0.02)
    # a tyre of PAC2002 has M_y = F_z R_0 QSY1, on the arm of the loaded radius
    tyre = car.tyres["front"].coefficients
    mean = np.mean([tyre["QSY1"] * tyre["UNLOADED_RADIUS"] / car.radii[w] for w in ("front", "rear")])
    assert m["rolling_resistance"] == pytest.approx(mean, rel=0.03)
    late = d["t"] > 1.0
    assert (
        np.isclose(m["time"] - d["t"][late][0], np.trapezoid(1.0 / -d["ax"][late], -d["speed"][late]), rtol=1e-3)
        and balance(d) < 1e-3
    )


class Line:
    """The equation of motion of a car that drives with the front wheels, from the numbers of its files: SI."""

    def __init__(self, v, car):
        from scipy.interpolate import Akima1DInterpolator

        rpm, torque = np.array(v.drive["engine"]).T
        law = Akima1DInterpolator(rpm, torque * 1e-3)
        self.law = lambda w: law(np.clip(w * 30 / math.pi, rpm[0], rpm[-1]))
        # torque acts on the arm of the loaded radius, the wheel rolls on the effective one
        self.Re, self.Rl = car._rolling_radius("front") * 1e-3, car.radii["front"] * 1e-3
        self.J, self.eta = v.drive["inertia"] * 1e-6, v.drive["efficiency"]
        front, rear = (2.0 * v.data[w]["wheel"]["inertia"][1] * 1e-6 for w in ("front", "rear"))
        self.front, self.mass = front, v.mass.mass + rear / (self.Re * self.Rl)
        tyre, aero = car.tyres["front"].coefficients, AERO["aero"]
        roll = np.mean([tyre["QSY1"] * tyre["UNLOADED_RADIUS"] / car.radii[w] for w in ("front", "rear")])
        air = 0.5 * 1.2 * aero["drag"] * aero["area"] * 1e-6
        self.resist = lambda V: roll * v.mass.mass * 9.80665 + air * V * V
        # slip and radii of the driven wheels, whose load falls with the acceleration: by the tyre alone
        self.height = (v.mass.centre[2] + car.radii["front"] - v._centre("front")[2]) / v.wheelbase
        self.rig, self.load = TyreRig(car.tyres["front"]), car.loads["front left"]

    def reach(self, start, end, i):
        """Time from a speed to another in a gear of i turns of the engine per turn of the wheels: the wheels turn with
        w(V), which slip and radii give, and what turns takes J w' = J (dw/dV) V'."""
        V, kappa = np.linspace(start, end, 25), np.linspace(0.0, 0.15, 301)
        turns, arm = V / self.Re, np.full(25, self.Rl)
        for _ in range(10):
            drive = self.eta * i * self.law(turns * i) / arm - self.resist(V)
            rate = drive / (self.mass + (self.J * i**2 * self.eta + self.front) * np.gradient(turns, V) / arm)
            force = self.mass * rate + self.resist(V)
            for k, F in enumerate(force):
                at = self.rig.forces(self.load - 0.5 * F * self.height, kappa=kappa)
                slip = np.interp(0.5 * F, at["F_x"], kappa)
                rolling, arm[k] = (1e-3 * np.ravel(at[w])[0] for w in ("R_e", "R_l"))
                turns[k] = (1.0 + slip) * V[k] / rolling
        return np.trapezoid(1.0 / rate, V)


@pytest.mark.slow
@pytest.mark.parametrize("inertia", [120000.0, 480000.0])
def test_acceleration_in_one_gear(sedan, inertia):
    """Second gear from 35 km/h: the equation of motion of the whole car with its engine's inertia, in SciPy; all
    its numbers are those of the files."""
    v = sedan.changed({"drive.inertia": inertia})
    car = Vehicle(v)
    d = acceleration(car, 75 / 3.6, speed=35 / 3.6, gear=2, shifts=False)
    at = lambda V: np.interp(V, d["speed"], d["t"])
    wanted = Line(v, car).reach(38 / 3.6, 72 / 3.6, car._gear(2))
    assert at(72 / 3.6) - at(38 / 3.6) == pytest.approx(wanted, rel=0.005)
    assert balance(d) < 1e-3


@pytest.mark.slow
def test_acceleration_through_the_gears(sedan):
    """In each gear the time from one speed to another is that of the equation of motion, `Line`; the gears are shifted
    where they must, and the distance is the integral of the speed."""
    car = Vehicle(sedan)
    d = acceleration(car, 70 / 3.6)
    m = d.metrics
    line, at = Line(sedan, car), lambda V: np.interp(V, d["speed"], d["t"])
    # first gear while the clutch is shut, from what the engine's idle makes of the speed on to the shift; then second
    rpm = np.array(sedan.drive["engine"])[:, 0]
    shut = 1.3 * rpm[0] * math.pi / 30 / car._gear(1) * line.Re
    shift = 0.97 * rpm[-1] * math.pi / 30 / car._gear(1) * line.Re
    for start, end, gear in ((shut, 0.9 * shift, 1), (1.05 * shift, 65 / 3.6, 2)):
        assert at(end) - at(start) == pytest.approx(line.reach(start, end, car._gear(gear)), rel=0.01)
    assert m["gear"] == 2 and m["time_to_60_km_h"] < m["time"] and d["speed"][-1] == pytest.approx(70 / 3.6, rel=0.01)
    assert (
        np.isclose(m["distance"], np.trapezoid(d["speed"][d["t"] >= 0.5], d["t"][d["t"] >= 0.5]), rtol=2e-3)
        and balance(d) < 1e-3
    )
    again = _simulate(
        car, "rows of shifts", car.model(10.0, Controls(hold=False, throttle="1", gears=((0.2, 4), (1.0, 5)))), 2.5
    )
    rotor = again.run.model.find("DIFF", "engine speed")
    turns = np.asarray(again.run.state(f"DIFF_{rotor.id}"))
    wheel = np.asarray(again.tyre("front left tyre")["omega"])
    assert np.isclose(turns[-1] / wheel[-1], car._gear(5), rtol=0.01) and np.isclose(
        turns[90] / wheel[90], car._gear(4), rtol=0.02
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["open", "limited_slip"])
def test_differentials(sedan, kind):
    """On two frictions an open differential gives both wheels the same torque; one with limited slip moves preload / 2
    + lock / 2 of it to the slower."""
    v = sedan.changed({"drive.differential": kind, "drive.preload": 60000.0, "drive.lock": 0.3})
    car = Vehicle(v, gear=1)
    far = 1e7
    road = lambda m: m.road("FLAT", mu=1.0, patches=[(-far, far, -far, 0.0, 0.15)], edge=100.0)
    d = _simulate(
        car, "split", car.model(5.0, Controls(hold=False, throttle="0.6*STEP(TIME,0.1,0,0.3,1)"), Scene(road)), 1.2
    )
    drive = {s: np.asarray(d.run.force(f"front {s} drive").torque.values)[:, :] for s in ("left", "right")}
    size = {s: np.linalg.norm(drive[s], axis=1) for s in drive}
    spin = {s: d.tyre(f"front {s} tyre")["omega"] for s in drive}
    late = d["t"] > 0.8
    assert (spin["right"][late] > 1.3 * spin["left"][late]).all()  # the wheel on ice spins
    if kind == "open":
        assert np.allclose(size["left"], size["right"], rtol=1e-9)
    else:
        total = size["left"] + size["right"]
        assert np.allclose((size["left"] - size["right"])[late], (60000.0 + 0.3 * total[late]), rtol=1e-3)
    # what the halves give is the torque of the shafts times the mean spin, less what the differential's plates take
    power = size["left"] * spin["left"] + size["right"] * spin["right"]
    given = (size["left"] + size["right"]) * 0.5 * (spin["left"] + spin["right"])
    lost = given - power
    assert np.all(lost[late] >= -1e-9 * given[late].max()) and (kind == "limited_slip") == (
        lost[late].max() > 0.01 * given[late].max()
    )


@pytest.mark.slow
def test_anti_lock_brakes(sedan):
    """At full pedal no wheel locks, and the way is shorter than with locked wheels."""
    ways = {}
    for word, v in (("abs", sedan.changed({"brakes.abs": {}})), ("without", sedan)):
        d = straight_braking(Vehicle(v), 20.0, pedal=1.0)
        ways[word] = d.metrics["distance"]
        fast = d["speed"] > 5.0
        slow = min(
            float((d.tyre(f"{w} left tyre")["omega"] * 290.0 / d.tyre(f"{w} left tyre")["V_x"])[fast].min())
            for w in ("front", "rear")
        )
        assert (slow > 0.7) == (word == "abs") and balance(d) < 1e-3
    assert ways["abs"] < 0.95 * ways["without"]


def test_what_is_refused():
    bare = read_vehicle("sedan").changed({"drive.inertia": 0.0})
    car = type("V", (), {"file": bare})()
    with pytest.raises(ModelError, match="drive has no inertia"):
        acceleration(car)
    car = type("V", (), {"file": read_vehicle("sedan")})()
    with pytest.raises(ModelError, match="within the engine's map, 1000 to 6500"):
        acceleration(car, shift=9000)


# ---- what acts on a car, one at a time -------------------------------------------------------------------------------
class Known:
    """What a part of a vehicle is asked for: SI units, an air, a driveline, brakes."""

    metre = second = 1.0
    _half_density = Vehicle._half_density

    def __init__(self, m, **data):
        self.units = m.units
        self.file = SimpleNamespace(aero=data, drive=data, brakes=data, chassis={"cm": [0.0, 0.0, 0.5]})
        self.file._centre = lambda which: np.array([0.0 if which == "front" else -2.6, 0.7, 0.3])

    def _rolling_radius(self, which):
        return 0.3


def free(name="free"):
    m = hn.Model(name, units="SI")
    m.gravity = (0.0, 0.0, 0.0)
    return m


def test_air_drags_lifts_and_pitches():
    """rho A C v^2 / 2: drag at the middle of the wheelbase, lifts at the axles, on the ground; m, J of the body."""
    m, v = free(), 40.0
    body = m.part("chassis", 1200.0, (400.0, 1500.0, 1600.0), (0.0, 0.0, 0.5), velocity=(v, 0.0, 0.0))
    Vehicle._aero(Known(m, drag=0.32, area=2.1, lift_front=-0.1, lift_rear=0.25), m, body)
    run = hn.simulate(m, end=1e-5, steps=1)
    q = 0.5 * 1.2 * 2.1 * v**2  # of air of 1.2 kg/m^3
    force = q * np.array([-0.32, 0.0, 0.25 - 0.1])
    arms = [((-1.3, 0, -0.5), (-0.32, 0, 0)), ((0, 0, -0.5), (0, 0, -0.1)), ((-2.6, 0, -0.5), (0, 0, 0.25))]
    moment = q * sum(np.cross(r, c) for r, c in arms)
    found = run.part("chassis")
    assert np.allclose(found.acceleration.values[0], force / 1200.0, rtol=1e-6, atol=1e-9)
    assert np.allclose(found.angular_acceleration.values[0, 1], moment[1] / 1500.0, rtol=1e-6)
    thin = Known(m, drag=0.32, area=2.1, density=0.9)
    assert Vehicle.air_drag(thin, 30.0) == pytest.approx(0.5 * 0.9 * 2.1 * 0.32 * 900.0)


@pytest.mark.parametrize("kind", ["open", "limited_slip"])
def test_halves_of_a_differential(kind):
    """Half of an axle's share each; plates move half of preload and lock from the faster wheel to the slower one."""
    m = free()
    wheels, spins = {}, {}
    for side, y, spin in (("left", 0.7, 14.0), ("right", -0.7, 9.0)):
        part = m.part(f"front {side}", 20.0, (1.0, 1.0, 1.0), (0.0, y, 0.3), angular_velocity=(0.0, spin, 0.0))
        joint = m.revolute(part, m.ground, f"{side} hub", at=(0.0, y, 0.3), axis=(0.0, 1.0, 0.0))
        wheels[f"front {side}"] = (part, joint, None, None)
        spins[f"front {side}"] = f"WZ({joint.i},{joint.j},{joint.j})"
    known = Known(m, differential=kind, preload=60.0, lock=0.3)
    torque = m.variable("1000", "drive torque")
    Vehicle._differential(known, m, m.ground, SimpleNamespace(wheel={}), wheels, "front", 0.8, torque, spins)
    run = hn.simulate(m, end=1e-5, steps=1)
    moved = 0.5 * (60.0 + 0.3 * 800.0) if kind == "limited_slip" else 0.0
    for side, torque in (("left", 400.0 - moved), ("right", 400.0 + moved)):
        part = run.part(f"front {side}")
        assert part.angular_acceleration.values[0, 1] == pytest.approx(torque, rel=1e-4)


def test_valve_of_anti_lock_brakes():
    """At 1.5 times its slip the valve wants half of the pressure, reached with its lag; below its slip all (but
    for the root that keeps the speed from zero)."""
    m = free()
    texts = []
    for name, slip in (("front left", 0.15), ("front right", 0.05)):
        spin = (1.0 - slip) * 20.0 / 0.3
        wheel = m.part(name, 20.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.3), velocity=(20.0, 0.0, 0.0))
        known = Known(m, abs={"slip": 0.1, "lag": 0.02})
        texts.append("1" + Vehicle._abs(known, m, wheel, repr(spin), name))
    m.request("valves", functions=texts)
    run = hn.simulate(m, end=0.04, steps=4, error=1e-7)
    valves = run.request("valves").values
    assert np.allclose(valves[:, 1], 0.5 + 0.5 * np.exp(-run.time / 0.02), atol=1e-3)
    assert np.allclose(valves[:, 2], 1.0, atol=1e-5)


@pytest.mark.parametrize("throttle", ["1", "0.5"])
def test_engine_behind_its_gear_speeds_up_with_the_wheels(throttle):
    """J w' = T - M / i of the engine and J_w w' = efficiency M of what turns with the wheels: together i T efficiency
    over J_w + efficiency i^2 J; half a pedal gives half of the map less half of what the closed throttle takes."""
    m = free()
    wheel = m.diff("0", "wheels", ic=80.0)
    known = Known(m, engine=[[rpm, 200.0] for rpm in (1000, 2500, 4000, 6500)], inertia=0.15, efficiency=0.9)
    known.gear, known.newton = 4.0, 1.0
    known._gearbox = lambda m, gears: Vehicle._gearbox(known, m, gears)
    drive = Vehicle._engine(known, m, f"DIF({wheel.id})", 80.0, throttle, ())
    wheel.function = f"({drive})/10.0"
    m.request("speeds", functions=[f"DIF({wheel.id})", f"DIF({m.find('DIFF', 'engine speed').id})"])
    run = hn.simulate(m, end=0.5, steps=10, error=1e-8)
    table = run.request("speeds").values
    share = float(throttle)
    torque = share * 200.0 - (1.0 - share) * 0.12 * 200.0
    wanted = 4.0 * torque * 0.9 / (10.0 + 0.9 * 16.0 * 0.15)
    assert (table[-1, 1] - table[-4, 1]) / (run.time[-1] - run.time[-4]) == pytest.approx(wanted, rel=2e-3)
    assert table[-1, 2] == pytest.approx(4.0 * table[-1, 1], rel=1e-3)

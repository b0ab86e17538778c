"""Acceleration, coasting down, differentials, anti-lock brakes: against equations of motion along a line, and the laws
of the driveline."""

import math

import numpy as np
import pytest
from _cars import balance
from scipy.integrate import solve_ivp

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


@pytest.mark.slow
@pytest.mark.parametrize("inertia", [120000.0, 480000.0])
def test_acceleration_in_one_gear(sedan, inertia):
    """Second gear from 35 km/h: the equation of motion of the whole car with its engine's inertia, in SciPy; all
    its numbers are those of the files."""
    v = sedan.changed({"drive.inertia": inertia})
    car = Vehicle(v)
    d = acceleration(car, 75 / 3.6, speed=35 / 3.6, gear=2, shifts=False)
    rpm, torque = np.array(v.drive["engine"]).T
    from scipy.interpolate import Akima1DInterpolator

    law = Akima1DInterpolator(rpm, torque * 1e-3)
    # torque acts on the arm of the loaded radius, the wheel rolls on the effective one
    Re, Rl = car._rolling_radius("front") * 1e-3, car.radii["front"] * 1e-3
    i, J, eta = car._gear(2), inertia * 1e-6, v.drive["efficiency"]
    wheels = sum(2.0 * v.data[w]["wheel"]["inertia"][1] * 1e-6 for w in ("front", "rear"))
    mass = v.mass.mass + (wheels + J * i**2 * eta) / (Re * Rl)
    tyre, aero = car.tyres["front"].coefficients, AERO["aero"]
    roll = np.mean([tyre["QSY1"] * tyre["UNLOADED_RADIUS"] / car.radii[w] for w in ("front", "rear")])
    air = 0.5 * 1.2 * aero["drag"] * aero["area"] * 1e-6
    resist = lambda V: roll * v.mass.mass * 9.80665 + air * V * V
    # slip and radii of the driven wheels, whose load falls with the acceleration: by the tyre alone
    height = v.mass.centre[2] + car.radii["front"] - v._centre("front")[2]
    rig, kappa = TyreRig(car.tyres["front"]), np.linspace(0.0, 0.08, 161)

    def pull(V):
        slip, rolling, arm = 0.0, Re, Rl
        for _ in range(4):
            force = eta * i * law((1.0 + slip) * V / rolling * i * 30 / math.pi) / arm
            at = rig.forces(car.loads["front left"] - 0.5 * force * height / v.wheelbase, kappa=kappa)
            slip = np.interp(0.5 * force, at["F_x"], kappa)
            rolling, arm = (1e-3 * np.ravel(at[w])[0] for w in ("R_e", "R_l"))
        return force

    speeds = np.linspace(38 / 3.6, 72 / 3.6, 15)
    forces = [pull(V) for V in speeds]
    force = lambda V: np.interp(V, speeds, forces)
    reached = lambda t, y: y[0] - 72 / 3.6
    run = solve_ivp(
        lambda t, y: [(force(y[0]) - resist(y[0])) / mass], (0.0, 12.0), [38 / 3.6], rtol=1e-9, events=reached
    )
    wanted = run.t_events[0][0]
    at = lambda V: np.interp(V, d["speed"], d["t"])
    assert at(72 / 3.6) - at(38 / 3.6) == pytest.approx(wanted, rel=0.005)
    assert balance(d) < 1e-3


@pytest.mark.slow
def test_acceleration_through_the_gears(sedan):
    car = Vehicle(sedan)
    d = acceleration(car, 70 / 3.6)
    m = d.metrics
    assert (
        m["gear"] == 2
        and 3.0 < m["time"] < 8.0
        and m["time_to_60_km_h"] < m["time"]
        and d["speed"][-1] == pytest.approx(70 / 3.6, rel=0.01)
    )
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

"""Whole vehicles: against the linear single-track model, mirror images, energy, and the courses of standards."""

import itertools
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from _cars import balance, ideal
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom import simulate
from holonom.model import ModelError
from holonom.model.orientation import to_euler313
from holonom.vehicle import (
    Controls,
    Driver,
    Path,
    PreviewDriver,
    Scene,
    SingleTrack,
    StanleyDriver,
    Vehicle,
    VehicleFile,
    cornering,
    follow,
    iso_3888,
    lane_change,
    read_vehicle,
    single_track,
    slow_ramp,
    steady_circle,
    steer_step,
    straight_braking,
)
from holonom.vehicle.manoeuvres import _simulate, steering_ratio


@pytest.fixture(scope="module")
def coupe():
    return Vehicle("coupe")


# ---- at rest ---------------------------------------------------------------------------------------------------------
def test_rest(coupe):
    """Loads carry the weight about the centre of mass, and the car that is released stays where it is."""
    m = coupe.file.mass
    assert np.isclose(sum(coupe.loads.values()), m.mass * 9.80665, rtol=1e-6)
    front = coupe.loads["front left"] + coupe.loads["front right"]
    assert np.isclose(
        front / sum(coupe.loads.values()), (m.centre[0] + 2680.0) / 2680.0, rtol=1e-4
    )  # the body pitches a little
    d = _simulate(coupe, "straight", coupe.model(20.0), 0.6)
    assert (
        np.abs(d["roll"]).max() < 1e-9
        and np.abs(d["y"]).max() < 1e-9
        and np.abs(d["pitch"] - d["pitch"][0]).max() < 1e-3
    )
    z = d.run.part("chassis").position.values[:, 2]
    assert (
        np.abs(z - z[0]).max() < 1.5
    )  # mm: toe and camber of rolling wheels pull inward, which lifts the body by its roll centres


def test_masses_of_file():
    """Mass, centre and inertia of the whole against a sum over the parts of the model that is driven."""
    v = Vehicle("sedan", "compliant")
    model = v.model(0.0)
    bodies = [(p.mass, np.array(p.qg)) for p in model.table("PART").values() if not p.ground]
    mass = sum(b[0] for b in bodies)
    assert np.isclose(mass, v.file.mass.mass) and np.allclose(
        sum(b[0] * b[1] for b in bodies) / mass, v.file.mass.centre, atol=5.0
    )  # bushings give way, mm


# ---- the linear car --------------------------------------------------------------------------------------------------
def test_single_track_formulas():
    """Without trails the model has the formulas of books."""
    m, cf, cr, a, b = 1500.0, 1.1e5, 1.2e5, 1.2, 1.5
    car = SingleTrack(m, 2500.0, a, b, cf, cr)
    K = m * (b * cr - a * cf) / (2.7 * cf * cr)
    assert np.isclose(car.understeer_gradient, K, rtol=1e-6) and np.isclose(
        car.characteristic_speed, math.sqrt(2.7 / K), rtol=1e-6
    )
    assert np.isclose(car.yaw_gain(30.0), 30.0 / (2.7 + K * 900.0))
    t = np.linspace(0.0, 5.0, 501)
    y = car.step(30.0, t, np.where(t > 0.0, 0.01, 0.01))
    assert np.isclose(y[-1, 1], 0.01 * car.yaw_gain(30.0), rtol=1e-4) and np.isclose(
        y[-1, 2], 30.0 * y[-1, 1], rtol=1e-3
    )


@pytest.mark.slow
def test_against_single_track(tmp_path):
    """In the limit of small angles the car of joints, tyres and springs is the single-track model: gain, understeer,
    step response."""
    v = Vehicle(ideal(tmp_path))
    ratio = steering_ratio(v)
    need = []
    for speed in (12.0, 27.0):
        car = single_track(v, speed)
        d = steer_step(v, speed, angle=0.02, hold=1.6, error=1e-8)
        delta = d["steer"] / ratio
        y = car.step(speed, d["t"], delta)
        assert np.abs(d["yaw_rate"] - y[:, 1]).max() < 0.005 * np.abs(y[:, 1]).max()
        assert np.abs(d["ay"] - y[:, 2]).max() < 0.01 * np.abs(y[:, 2]).max()
        assert np.abs(d["sideslip"] - y[:, 0] / speed).max() < 0.01 * np.abs(y[:, 0] / speed).max()
        assert np.isclose(d["yaw_rate"][-1] / delta[-1], car.yaw_gain(speed), rtol=3e-3)
        need.append(d["speed"][-1] * delta[-1] / d["yaw_rate"][-1])
    K = (need[1] - need[0]) / (27.0**2 - 12.0**2)
    assert np.isclose(K, single_track(v, 20.0).understeer_gradient, rtol=0.01)


# ---- manoeuvres ------------------------------------------------------------------------------------------------------
def test_mirrored_runs_and_return(coupe):
    """Left and right alike to rounding; steering back to straight returns the state; energy balances."""
    left, right = (steer_step(coupe, 20.0, angle=a, hold=0.8) for a in (0.6, -0.6))
    for word, within in (
        ("y", 1e-9),
        ("heading", 1e-8),
        ("roll", 1e-8),
        ("sideslip", 1e-7),
        ("yaw_rate", 1e-6),
        ("ay", 1e-6),
    ):
        assert np.abs(left[word] + right[word]).max() < within * np.abs(left[word]).max(), word
    left = _simulate(coupe, "pulse", coupe.model(20.0, "0.6*STEP5(TIME,0.3,0,0.45,1)*STEP5(TIME,0.8,1,0.95,0)"), 3.2)
    for word in ("yaw_rate", "ay", "roll", "sideslip"):
        assert abs(left[word][-1] - left[word][20]) < 1e-4 * np.abs(left[word]).max(), word
    assert left["heading"][-1] > 0.1 and left["y"][-1] > 1.0 and left["ay"].max() > 3.0
    assert balance(left) < 1e-3


def test_braking(coupe):
    d = straight_braking(coupe, 20.0, pedal=0.5)
    m = d.metrics
    # torque over radius is the force while no wheel locks: 7 kN m / 2 at 292 mm for 1406 kg
    assert np.isclose(m["largest_deceleration"], 0.5 * 7000.0 / 0.293 / 1406.3, rtol=0.05)
    assert np.isclose(
        m["distance"], np.trapezoid(d["speed"][d["t"] >= 0.5 - 1e-9], d["t"][d["t"] >= 0.5 - 1e-9]), rtol=1e-3
    )
    assert abs(m["offset"]) < 1e-6 and d["speed"][-1] == pytest.approx(2.0, rel=1e-3) and m["pitch"] > 0.005
    with pytest.raises(ModelError, match="press harder"):
        straight_braking(coupe, 20.0, pedal=0.001, longest=1.0)


def test_steer_step_reaches_what_is_asked(coupe):
    d = steer_step(coupe, 22.0, 3.0, hold=1.5)
    m = d.metrics
    assert abs(m["steady_ay"] - 3.0) < 0.03 and np.isclose(m["steady_ay"], 22.0 * m["steady_yaw_rate"], rtol=0.02)
    assert 0.0 < m["yaw_rate_response_time"] < m["yaw_rate_peak_time"] < 1.0 and 0.0 < m["yaw_rate_overshoot"] < 0.5
    assert m["tb_factor"] == pytest.approx(m["yaw_rate_peak_time"] * abs(math.degrees(m["steady_sideslip"])))


def test_small_step_is_that_of_the_rig(coupe):
    """A small step of the steering wheel of the whole car against the single-track model with the axles' compliances
    of the K&C rig: steady yaw rate, roll, and the course of the yaw rate."""
    V = 22.0
    linear = cornering(coupe, V)
    d = steer_step(coupe, V, angle=0.05, hold=1.0)
    assert d.metrics["yaw_rate_gain"] == pytest.approx(linear.track.yaw_gain(V) / linear.ratio, rel=5e-3)
    assert d.metrics["roll_gradient"] == pytest.approx(linear.roll_gradient, rel=5e-3)
    yaw = linear.track.step(V, d["t"], d["steer"] / linear.ratio)[:, 1]
    assert np.abs(d["yaw_rate"] - yaw).max() < 0.06 * np.abs(yaw).max()  # the body's roll lags


@pytest.mark.slow
@pytest.mark.parametrize(
    "driver, part, speed", [(PreviewDriver(), 1, 80), (PreviewDriver(), 2, 55), (StanleyDriver(), 1, 80)]
)
def test_lane_changes(driver, part, speed):
    d = lane_change(Vehicle("sedan"), driver, speed / 3.6, part=part)
    assert d.metrics["clean"] == 1.0 and d.metrics["cones_hit"] == 0 and not d.stopped
    assert d.metrics["entry_speed"] == pytest.approx(speed / 3.6, rel=0.05) and balance(d) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("part, speed", [(1, 75), (2, 50)])
def test_lane_changes_with_bushings(part, speed):
    """Clean, and with a larger angle of the steering wheel than with joints: bushings add understeer."""
    soft, stiff = (
        lane_change(Vehicle("sedan", mode), PreviewDriver(), speed / 3.6, part=part)
        for mode in ("compliant", "kinematic")
    )
    assert soft.metrics["clean"] == stiff.metrics["clean"] == 1.0
    assert soft.metrics["largest_steer"] > 1.02 * stiff.metrics["largest_steer"]


@pytest.mark.slow
def test_a_driver_who_knows_the_suspension():
    """The linear car with roll steer and compliance takes the preview driver through at a speed at which the tyres'
    alone does not."""
    car = Vehicle("sedan", "compliant")
    one, two = (lane_change(car, PreviewDriver(), 87.5 / 3.6, suspension=s) for s in (True, False))
    assert (
        one.metrics["clean"] == 1.0
        and two.metrics["clean"] == 0.0
        and one.metrics["clearance"] > two.metrics["clearance"] + 0.05
    )


def handling_curve(car, d, after, at):
    """Mean steer angle of the front wheels less L / R, at lateral accelerations ``at``."""
    under = d["steer"] / steering_ratio(car) - car.file.wheelbase * car.units.si_length * d["yaw_rate"] / d["speed"]
    on = (d["t"] > after) & (d["ay"] < at[-1] + 0.3)
    return np.polyval(np.polyfit(d["ay"][on], under[on], 5), at)


@pytest.mark.slow
def test_circle_and_ramp():
    """One handling curve, whether the radius is constant or the speed: what the rate of either manoeuvre adds falls
    with the rate, and is extrapolated to none.  Gradients are slopes of these curves; a car that spins is reported."""
    car = Vehicle("sedan")
    at = np.linspace(1.5, 3.0, 7)
    circles = [steady_circle(car, 100.0, ay=3.5, rate=rate) for rate in (0.5, 0.25)]
    ramps = [slow_ramp(car, rate=math.radians(rate), angle=math.radians(60.0)) for rate in (13.5, 6.75)]
    fast, slow = (handling_curve(car, d, 6.5, at) for d in circles)
    quick, calm = (handling_curve(car, d, 0.9, at) for d in ramps)
    assert np.allclose(2.0 * slow - fast, 2.0 * calm - quick, rtol=0.025)
    circle, ramp = circles[1], ramps[1]
    for d, low, high in ((circle, 1.04, 0.95 * 3.5), (ramp, 0.5, 3.0)):
        ay = np.linspace(low, high, 40)
        slope = np.polyfit(ay, handling_curve(car, d, 6.0 if d is circle else 0.6, ay), 1)[0]
        assert d.metrics["understeer_gradient"] == pytest.approx(slope, rel=0.02)
    assert np.isclose(circle.metrics["roll_gradient"], ramp.metrics["roll_gradient"], rtol=0.01)
    assert not circle.stopped and np.isclose(1.0 / 100.0, circle["yaw_rate"][-1] / circle["speed"][-1], rtol=0.01)
    spun = slow_ramp(Vehicle("coupe"))
    assert "the car spins at" in spun.stopped and spun.metrics["largest_ay"] < 10.0


def test_courses(coupe):
    """Numbers of ISO 3888 for a width of 1.82 m, and the hit test on drives made up."""
    one, two = iso_3888(coupe, 1), iso_3888(coupe, 2)
    b = 1.82
    (a0, a1, l0, h0), (b0, b1, l1, h1), (c0, c1, l2, h2) = one.sections
    assert (a0, a1, b0, b1, c0, c1) == (0, 15, 45, 70, 95, 125)
    assert (
        np.allclose([h0 - l0, h1 - l1, h2 - l2], [1.1 * b + 0.25, 1.2 * b + 0.25, 1.3 * b + 0.25])
        and np.isclose(l1 - l0, 3.5)
        and l2 == l0
    )
    (a0, a1, l0, h0), (b0, b1, l1, h1), (c0, c1, l2, h2) = two.sections
    assert (a0, a1, b0, b1, c0, c1) == (0, 12, 25.5, 36.5, 49, 61) and np.allclose(
        [h1 - l1, l1 - h0, h2 - l2], [b + 1.0, 1.0, 3.0]
    )
    x = np.arange(-20.0, 150.0, 0.2)
    y = np.interp(x, *one.path().points.T)
    made = {"x": x, "y": y, "heading": np.gradient(y, x), "t": x}
    least, hit = one.clearance(made)
    assert hit == 0 and 0.0 < least < 0.2
    straight = {**made, "y": 0.0 * x, "heading": 0.0 * x}
    least, hit = one.clearance(straight)
    assert hit == 0 and np.isclose(least, -0.5 * b - one.sections[1][2])  # past all cones, and far from the side lane
    assert one.clearance({**straight, "y": 0.0 * x + 2.0})[1] == 15  # over the left row, the right one, the left one
    with pytest.raises(ModelError, match="part is 3"):
        iso_3888(coupe, 3)


def test_paths_and_drivers():
    """Positions on a path; the preview driver on a straight line and a circle: the steer angle of the linear car."""
    circle = Path([(60.0 * math.sin(a), 60.0 - 60.0 * math.cos(a)) for a in np.linspace(0.0, 2.5, 60)])
    assert np.isclose(circle.length, 150.0, rtol=1e-3)
    s, off, h = circle.locate(61.0 * math.sin(0.1), 60.0 - 61.0 * math.cos(0.1))
    assert np.isclose(s, 6.0, atol=0.02) and np.isclose(off, -1.0, atol=0.02) and np.isclose(h, 0.1, atol=0.01)
    assert np.allclose(circle.at(30.0), [60.0 * math.sin(0.5), 60.0 - 60.0 * math.cos(0.5)], atol=0.02)
    car = SingleTrack(1500.0, 2500.0, 1.2, 1.5, 1.1e5, 1.2e5)
    V = 15.0
    steady = -np.linalg.solve(*car.matrices(V))  # lateral speed and yaw rate per steer angle
    delta = V / 60.0 / steady[1]
    a = 0.5
    slip = steady[0] * delta / V
    o = hn.vehicle.Observation(
        0.0, 60.0 * math.sin(a), 60.0 - 60.0 * math.cos(a), a - slip, V, slip, V / 60.0, car, 16.0
    )
    circle.reset()
    circle._near = 100
    assert np.isclose(PreviewDriver().wish(circle, o) / 16.0, delta, rtol=0.03)
    slow = Driver(delay=0.1, rate=1.0, frequency=50.0)
    slow.wish = lambda path, o: 1.0
    angles = [slow.act(circle, o) for _ in range(60)]
    assert angles[:5] == [0.0] * 5 and np.isclose(angles[5], 0.02) and np.isclose(angles[-1], 1.0)


# ---- what is refused -------------------------------------------------------------------------------------------------
def test_lost(coupe):
    """A driver that loses the road is one sentence."""
    bend = Path([(0, 0), (8, 0), (14, 6), (14, 30)])
    with pytest.raises(ModelError) as error:
        follow(coupe, bend, PreviewDriver(frequency=20.0), 22.0, limit=2.0)
    assert "lost the road" in str(error.value) and "drive slower" in str(error.value) and "\n" not in str(error.value)


def test_bad_input(coupe, tmp_path):
    data = json.loads(json.dumps(read_vehicle("coupe").data))
    bare = {
        **data,
        "front": {**data["front"], "wheel": {k: v for k, v in data["front"]["wheel"].items() if k != "tyre"}},
    }
    torsen = {**data, "drive": {**data["drive"], "differential": "torsen"}}
    for words, ask in (
        ("front.wheel has no tyre", lambda: Vehicle(VehicleFile(bare, read_vehicle("coupe").path))),
        ("cannot be read", lambda: Vehicle(VehicleFile(data, tmp_path / "x.json"))),
        ("gear is 9; the vehicle has 6", lambda: Vehicle("coupe", gear=9)),
        ("give 'open' or 'limited_slip'", lambda: Vehicle(VehicleFile(torsen, read_vehicle("coupe").path)).model(10.0)),
        ("give a PreviewDriver", lambda: lane_change(coupe, "fast")),
        (
            "check the units of the tyre's file",
            lambda: Vehicle(read_vehicle("coupe").changed({"front.wheel.radius": 0.29})),
        ),
        ("Controls.throttle", lambda: Controls(throttle=None)),
        ("Controls.until is 'x'", lambda: Controls(until="x")),
        ("give rows (time, gear)", lambda: Controls(gears=5)),
        ("Scene.position", lambda: Scene(position="ab")),
        ("give a Scene", lambda: coupe.model(5.0, "0", {})),
        (
            "no road for the wheel 'front right'",
            lambda: coupe.model(5.0, "0", Scene(lambda m: {"front left": m.road("FLAT")})),
        ),
        (
            "between the wheels and above the ground",
            lambda: read_vehicle("coupe").changed({"chassis.cm": [-1290, 1200, 520]}).mass,
        ),
        ("none may exceed", lambda: read_vehicle("coupe").changed({"chassis.inertia": [1.0, 1.0, 3.0]}).mass),
        ("speed is 0; give a positive number", lambda: cornering(coupe, 0.0)),
        ("has no width", lambda: iso_3888(SimpleNamespace(file=SimpleNamespace(data={}, name="x"), units=coupe.units))),
        ("there is no signal 'steering'", lambda: _simulate(coupe, "a", coupe.model(5.0), 0.02)["steering"]),
        ("two or more points", lambda: Path([(0, 0)])),
        ("lie at the same point", lambda: Path([(0, 0), (0, 0)])),
        ("driver.rate", lambda: lane_change(coupe, PreviewDriver(rate=0.0))),
    ):
        with pytest.raises(ModelError) as error:
            ask()
        assert words in str(error.value), str(error.value)


def test_command(tmp_path):
    from typer.testing import CliRunner

    from holonom.cli import app

    out = CliRunner().invoke(
        app, ["vehicle", "drive", "coupe", "braking", "--speed", "30", "--plot", str(tmp_path / "b.png")]
    )
    assert out.exit_code == 0 and "mean deceleration" in out.output and (tmp_path / "b.png").stat().st_size > 20000
    assert CliRunner().invoke(app, ["vehicle", "drive", "coupe", "lane"]).exit_code == 2


@pytest.mark.slow
def test_a_car_that_is_dropped_on_its_roof_lies_there():
    """Turned over about x and let fall from 2 cm: at rest the road carries its weight, its roof is in it by no more
    than a corner may sink."""
    car = Vehicle("sedan")
    model = car.model(0.0, Controls("0", hold=False, throttle="0"), Scene(body_contact=True))
    over = np.diag([1.0, -1.0, -1.0])
    boxes = [g for g in model.table("GRAPHICS").values() if g.type == "BOX"]

    def corners(axes, origin):
        marks = [(model.markers[g.arguments["corner"]].frame, [g.arguments[k] for k in "xyz"]) for g in boxes]
        return np.array(
            [
                origin + axes @ (f.origin + f.axes @ (np.array(c) * size))
                for f, size in marks
                for c in itertools.product((0, 1), repeat=3)
            ]
        )

    chassis = next(p for p in model.parts.values() if p.name == "chassis")
    lowest = corners(over @ chassis.frame.axes, over @ chassis.frame.origin)[:, 2].min()
    lift = np.array([0.0, 0.0, 20.0 - lowest])
    for part in model.parts.values():
        if not part.ground:
            frame = part.frame
            part.qg, part.reuler = tuple((over @ frame.origin + lift).tolist()), to_euler313(over @ frame.axes)
            part.vx = part.vy = part.vz = part.wx = part.wy = part.wz = 0.0
    run = simulate(model, end=2.0, steps=20)
    part = run.part("chassis")
    assert np.linalg.norm(part.velocity.values[-1]) < 30.0  # mm/s: springs still swing
    force = run.contact("body on the road").force.values[-1]
    assert force[2] == pytest.approx(2 * sum(car.file.mass.loads), rel=0.05) and np.hypot(*force[:2]) < 0.05 * force[2]
    axes = Rotation.from_quat(part.quaternion.values[-1], scalar_first=True).as_matrix()
    ends = corners(axes, part.position.values[-1] - axes @ np.array(model.markers[chassis.cm].qp or (0, 0, 0)))
    assert -10.0 < ends[:, 2].min() < 0.0
    assert not [w for w in run.info["warnings"] if "only tyres touch the road" in w]


def test_contact_of_a_body_that_cannot_be():
    with pytest.raises(ModelError, match="plane at z = 0 only"):
        Scene(lambda m: m.road("FLAT"), body_contact=True)
    with pytest.raises(ModelError, match="give True or False"):
        Scene(body_contact=1)
    narrow = {k: v for k, v in read_vehicle("sedan").data.items() if k != "width"}
    with pytest.raises(ModelError, match="give 'width' and 'overhangs'"):
        Vehicle(VehicleFile(narrow)).model(1.0, scene=Scene(body_contact=True))

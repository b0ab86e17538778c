"""Vehicle files and keywords of the command line that are damaged: one sentence each, and what pedals do next to a held
speed and at rest."""

import copy
import inspect
import json

import numpy as np
import pytest

import holonom as hn
from holonom.vehicle import Controls, Vehicle
from holonom.vehicle.axle import Axle
from holonom.vehicle.command import MANOEUVRES, arguments
from holonom.vehicle.single_track import SingleTrack
from holonom.vehicle.vehicle_file import SHIPPED, VehicleFile

SEDAN = json.loads((SHIPPED / "sedan.json").read_text(encoding="utf-8"))
WRONG = ("abc", [], {}, None, True, [1, "x"])


def draw(data, axles=("front", "rear")):
    """All that is read of a vehicle file before it is driven."""
    v = VehicleFile(data)
    v.text()
    for which in axles:
        v.car(which)
        m = hn.Model(which, units=v.data.get("units", "SI"))
        Axle(m, m.ground, v.axle_data(which), "kinematic", which).build()


def tables(data, path=()):
    """Paths of the entries of tables, two deep."""
    for key, value in data.items():
        yield (*path, key)
        if isinstance(value, dict) and len(path) < 2 and key != "hardpoints":
            yield from tables(value, (*path, key))


@pytest.mark.parametrize("each", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "each"])
@pytest.mark.parametrize("part", sorted(set(SEDAN) - {"name", "notes"}))
def test_a_damaged_entry_is_an_error_with_its_name(part, each):
    """Each entry of each table in the place of other kinds of values, of which those of axles, which are built, take
    one in turn unless all are tried: read, or refused as text, never an error of Python's."""
    for k, path in enumerate(tables({part: SEDAN[part]})):
        for value in WRONG[k % len(WRONG) :][:1] if part in ("front", "rear") and not each else WRONG:
            data = copy.deepcopy(SEDAN)
            at = data
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = copy.deepcopy(value)
            try:
                VehicleFile(data).text() if part not in ("front", "rear") else draw(data, (part,))
            except hn.ModelError as error:
                assert len(str(error)) > 20


@pytest.mark.parametrize(
    "change, match",
    [
        ({"front": "abc"}, "front is 'abc'"),
        ({"units": ["mm"]}, "units is"),
        ({"front": {**SEDAN["front"], "template": ["mcpherson"]}}, "front: there is no template"),
        (
            {"front": {**SEDAN["front"], "wheel": {**SEDAN["front"]["wheel"], "inertia": "abc"}}},
            "front.wheel.inertia is 'abc'",
        ),
        ({"rear": {**SEDAN["rear"], "wheel": "abc"}}, "rear.wheel is 'abc'"),
    ],
)
def test_damaged_tables_are_named(change, match):
    with pytest.raises(hn.ModelError, match=match):
        draw({**SEDAN, **change})


@pytest.mark.parametrize("name", sorted(MANOEUVRES))
def test_values_of_set_must_fit(name):
    """A keyword in the place of a number, a list in the place of one value, no whole number: an error with the name,
    for every argument of every manoeuvre."""
    function, _ = MANOEUVRES[name]
    for word, parameter in inspect.signature(function).parameters.items():
        if word in ("vehicle", "options"):
            continue
        kinds = {k.strip() for k in str(parameter.annotation).split("|")}
        if kinds <= {"float", "int", "bool", "None"}:
            with pytest.raises(hn.ModelError, match=f"{word}='abc': .* must be"):
                arguments(function, {word: "abc"}, name)
        if not any(k in str(parameter.annotation) for k in ("Sequence", "tuple", "list")):
            with pytest.raises(hn.ModelError, match="must be"):
                arguments(function, {word: [1.0, 2.0]}, name)
        if "int" in kinds and "float" not in kinds:
            with pytest.raises(hn.ModelError, match="must be a whole number"):
                arguments(function, {word: 1.5}, name)
            assert arguments(function, {word: 2.0}, name)[word] == 2


def test_brakes_hold_a_car_on_a_slope_and_release_a_held_speed():
    """A slope of 15 %, the pedal down: it stands, by micrometres; and a pedal that is pressed while the speed is held
    slows the car down."""
    car = Vehicle("sedan")
    L = car.metre
    m = car.model(0.0, Controls(hold=False, brake="0.5"))
    g = np.linalg.norm(m.gravity)
    m.gravity = (-0.15 * g, 0.0, -np.sqrt(1 - 0.15**2) * g)
    run = hn.simulate(m, end=6.0 * car.second, steps=60, integrator="RADAU5")
    x, v = run.part("chassis").position.values[:, 0] / L, run.part("chassis").velocity.values[:, 0] / L * car.second
    assert abs(x[-1] - x[0]) < 0.05 and np.abs(v[-10:]).max() < 1e-4 and np.ptp(x[-20:]) < 1e-4
    spin = run.joint("front left bearing").angle.values
    assert abs(spin[-1] - spin[0]) < 0.1
    m = car.model(20.0, Controls(brake="0.4*STEP(TIME,0.2,0,0.3,1)"))
    run = hn.simulate(m, end=2.0 * car.second, steps=40, integrator="RADAU5")
    v = run.part("chassis").velocity.values[:, 0] / L * car.second
    slowed = (v[10] - v[-1]) / 1.5
    m = car.model(20.0, Controls(hold=False, brake="0.4*STEP(TIME,0.2,0,0.3,1)"))
    run = hn.simulate(m, end=2.0 * car.second, steps=40, integrator="RADAU5")
    v = run.part("chassis").velocity.values[:, 0] / L * car.second
    assert slowed > 2.0 and slowed == pytest.approx((v[10] - v[-1]) / 1.5, rel=0.02)


@pytest.mark.slow
def test_brakes_that_are_too_weak_take_their_torque_from_the_slope():
    """On a slope of 15 % the car rolls with (M + sum I/R^2) a = M g sin(slope) - resistance - T/R, T the pedal's share
    of the torque of the file and R a wheel's radius; the pedal that holds it follows from the same sum."""
    car = Vehicle("sedan")
    L = car.metre

    def roll(pedal):
        model = car.model(0.0, Controls(hold=False, throttle="0", brake=repr(float(pedal))))
        g = np.linalg.norm(model.gravity)
        model.gravity = (-0.15 * g, 0.0, -np.sqrt(1 - 0.15**2) * g)
        run = hn.simulate(model, end=1.5 * car.second, steps=30, integrator="RADAU5")
        t, v = run.time / car.second, run.part("chassis").velocity.values[:, 0] / L * car.second
        return model, run, v, np.polyfit(t[t > 0.7], v[t > 0.7], 1)[0]

    model, run, _, free = roll(0.0)
    wheels = [p for p in model.parts.values() if p.name.endswith("left wheel") or p.name.endswith("right wheel")]
    radius = np.mean([run.part(p.name).position.values[-1, 2] for p in wheels]) / L
    mass = sum(p.mass for p in model.parts.values() if not p.ground)
    moving = mass + sum(p.ip[1] for p in wheels) / L**2 / radius**2
    torque = car.file.brakes["torque"] / 1e3  # N mm -> N m
    for pedal in (0.03, 0.06):
        assert roll(pedal)[3] - free == pytest.approx(pedal * torque / radius / moving, rel=0.03)
    enough = -free * moving * radius / torque
    assert np.abs(roll(1.2 * enough)[2][-5:]).max() < 1e-3 < 0.02 < np.abs(roll(0.85 * enough)[2][-5:]).min()


# ---- tables and plots ------------------------------------------------------------------------------------------------
def test_every_metric_has_its_unit():
    """Each name that a manoeuvre gives, as its source writes it; a table shows the unit."""
    import re
    from importlib import import_module
    from pathlib import Path

    from holonom.vehicle.metric_units import unit_of, with_unit

    names = set()
    for module in (
        import_module(f"holonom.vehicle.{word}") for word in ("handling", "longitudinal", "manoeuvres", "ride")
    ):
        text = Path(module.__file__).read_text(encoding="utf-8")
        for call in re.findall(r"(?:metrics|\bm)\.update\((.*?)\)\s*(?:#|\n)", text, re.S):
            names |= set(re.findall(r"(?:^|[\s,(])([a-zA-Z]\w+)=(?!=)", call))
        names |= set(re.findall(r"metrics\[\"(\w+)\"\]", text)) | set(re.findall(r"\bm\[\"(\w+)\"\]", text))
    assert {"distance", "drag_area", "largest_roll", "two_wheel_lift", "responsive", "entry_speed"} <= names and len(
        names
    ) > 40
    names |= {
        "steady_yaw_rate",
        "ay_gain",
        "yaw_rate_response_time",
        "ay_peak_time",
        "ay_overshoot",
        "largest_steer",
        "load_variation_front",
        "least_load_rear",
        "damper_travel_front",
        "body_gain_front",
        "load_frequency_rear",
        "awz",
        "av",
        "vdv",
        "mtvv",
        "crest",
        "yaw_rate_phase_1_Hz",
        "bandwidth",
        "equivalent_time",
        "least_coherence",
        "largest_gain_ratio",
        "largest_gain_frequency",
        "understeer_gradient",
        "time_to_60_km_h",
        "time_over_400_m",
    }
    names -= {"after", "axis"}  # arguments of what is called there
    for name in sorted(names):
        unit_of(name)
    units = {"mean_deceleration": "m/s^2", "time_to_60_km_h": "s", "understeer_gradient": "rad/(m/s^2)",
        "largest_sideslip": "rad", "yaw_rate_gain": "1/s",
             "distance": "m", "largest_yaw_rate_ratio": "", "largest_ay": "m/s^2", "steady_yaw_rate": "rad/s",
             "least_load_left": "N", "pitch": "rad"}  # fmt: skip
    assert {name: unit_of(name) for name in units} == units
    assert with_unit("mean_deceleration") == "mean deceleration (m/s^2)" and with_unit("my_own") == "my own"


def test_braking_shows_deceleration_slip_and_pressure(tmp_path):
    """The page of a braking: what brakes are judged by, with units, and the table in SI."""
    d = hn.vehicle.straight_braking(Vehicle("sedan"), 10.0, pedal=0.4)
    figure = d.plot(tmp_path / "braking.png")
    titles = [ax.get_ylabel() for ax in figure.axes]
    assert titles == [
        "speed (km/h)",
        "deceleration (m/s²)",
        "slip (%)",
        "pressure by the pedal (%)",
        "brake torque (N m)",
        "speed (km/h)",
    ]
    line = lambda k: figure.axes[k].lines[0].get_ydata()
    assert line(1).max() == pytest.approx(d.metrics["largest_deceleration"]) and line(3).max() == pytest.approx(40.0)
    assert -30.0 < min(np.min(one.get_ydata()) for one in figure.axes[2].lines) < -0.5
    share, total = (
        SEDAN["brakes"]["front_share"],
        SEDAN["brakes"]["torque"] * d.run.model.units.si_force * d.run.model.units.si_length,
    )
    assert line(4).max() == pytest.approx(0.5 * share * total * 0.4, rel=0.02)
    assert "mean deceleration (m/s^2)" in d.text() and "distance (m)" in d.text()


@pytest.mark.parametrize(
    "name, given, match",
    [
        ("steer_step", {"speed": 0.0}, "speed is 0; give a positive number"),
        ("steer_step", {"ay": 0.0}, "ay is 0; a step"),
        ("steer_step", {"hold": -1.0}, "hold is -1"),
        ("slow_ramp", {"rate": 0.0}, "rate is 0"),
        ("steady_circle", {"ay": 0.5}, "ay is 0.5 m/s\\^2; give more than 1"),
        ("straight_braking", {"pedal": 5.0}, "pedal is 5; give a share"),
        ("straight_braking", {"end_speed": -3.0}, "end_speed is -3 m/s"),
        ("straight_braking", {"end_speed": 100.0}, "end_speed is 100 m/s and speed 27.7"),
        ("acceleration", {"top": -1.0}, "top is -1"),
        ("acceleration", {"top": 5.0, "speed": 10.0}, "top is 5 m/s and speed 10"),
        ("coast_down", {"end_speed": 500.0}, "end_speed is 500 m/s"),
        ("frequency_response", {"duration": 0.0}, "duration is 0"),
        ("sine_with_dwell", {"speed": 0.0}, "speed is 0"),
        ("fish_hook", {"hold": 0.0}, "hold is 0"),
        ("braking_in_turn", {"pedal": 0.0}, "pedal is 0; give a share"),
        ("split_braking", {"rise": 0.0}, "rise is 0"),
    ],
)
def test_numbers_of_manoeuvres_must_make_sense(name, given, match, sedan):
    with pytest.raises(hn.ModelError, match=match):
        getattr(hn.vehicle, name)(sedan, **given)


def test_braking_to_a_stop_stays_there(sedan):
    """The pedal down until the car stands: the distance is that of the deceleration, and it does not roll back."""
    d = hn.vehicle.straight_braking(sedan, 8.0, pedal=0.5, end_speed=0.0)
    start = float(d["speed"][np.argmin(np.abs(d["t"] - 0.5))])
    assert d["speed"][-1] < 0.01 and d.metrics["distance"] == pytest.approx(
        start**2 / (2 * d.metrics["mean_deceleration"]), rel=1e-6
    )
    m = sedan.model(4.0, Controls(hold=False, brake="0.5*STEP(TIME,0,0,0.2,1)"))
    run = hn.simulate(m, end=2.0 * sedan.second, steps=100, integrator="RADAU5")
    v = run.part("chassis").velocity.values[:, 0] / sedan.metre * sedan.second
    x = run.part("chassis").position.values[:, 0] / sedan.metre
    first = int(np.argmax(v <= 0.0))
    # the body swings back on its suspension, the car stays
    assert 0 < first < 100 and np.ptp(x[first:]) < 0.03 and np.abs(v[-15:]).max() < 0.02


@pytest.fixture(scope="module")
def sedan():
    return Vehicle("sedan")


@pytest.mark.parametrize(
    "given, match",
    [
        ({"throttle": 50}, "Controls.throttle is 50; give a share from 0 to 1"),
        ({"brake": "-1"}, "Controls.brake is -1; give a share from 0 to 1"),
        ({"gears": ((1.0, 2), (0.5, 3))}, "times must increase, but row 2"),
        ({"gears": ((1.0,),)}, "Controls.gears: row 1"),
        ({"gears": "automatic"}, "give rows"),
    ],
)
def test_pedals_and_gears_that_do_not_exist(given, match):
    with pytest.raises(hn.ModelError, match=match):
        Controls(**given)


@pytest.mark.parametrize(
    "change, match",
    [
        ({"front.sprng.rate": 30.0}, "there is no 'sprng'; did you mean 'spring'"),
        ({"front.spring.ratte": 30.0}, "front.spring: there is no 'ratte'; did you mean 'rate'"),
        ({"rear.wheel.tire": "x.tir"}, "rear.wheel: there is no 'tire'; did you mean 'tyre'"),
        ({"front.hardpoints.tie_rod_iner.2": 1.0}, "front.hardpoints.tie_rod_iner is"),
    ],
)
def test_changes_that_do_not_fit_are_refused_at_once(change, match):
    with pytest.raises(hn.ModelError, match=match):
        VehicleFile(SEDAN).changed(change)


@pytest.mark.parametrize(
    "change, match",
    [
        ({"front.hardpoints.wheel_centre": [0.0, 0.75, 0.3]}, "wheel_centre is 0.75 from .* 0.00075 m in units = 'mm'"),
        ({"units": "SI"}, "front.hardpoints.wheel_centre is 760 from the middle plane, which is 760 m"),
    ],
)
def test_hardpoints_in_other_units_than_the_file_are_refused(change, match):
    other = VehicleFile(SEDAN).changed(change)
    for use in (lambda: other.mass, lambda: other.axle_data("rear"), lambda: other.kc("front"), lambda: Vehicle(other)):
        with pytest.raises(hn.ModelError, match=match):
            use()


@pytest.mark.parametrize("speed", [0.0, -1.0, None])
def test_a_single_track_model_needs_a_speed(speed):
    car = SingleTrack(1000.0, 1500.0, 1.2, 1.4, 8e4, 9e4)
    with pytest.raises(hn.ModelError, match="speed is"):
        car.yaw_gain(speed)

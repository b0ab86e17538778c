"""Handling in open loop: frequency response against closed forms, timing and criteria of the standards' steering,
braking in a turn and on two frictions."""

import math

import numpy as np
import pytest
from _cars import balance, ideal
from scipy.integrate import solve_ivp
from scipy.signal import lsim, lti

from holonom.model import ModelError
from holonom.vehicle import (
    PreviewDriver,
    SingleTrack,
    Vehicle,
    braking_in_turn,
    fish_hook,
    frequency_response,
    pothole,
    read_vehicle,
    reference_angle,
    sine_with_dwell,
    single_track,
    split_braking,
)
from holonom.vehicle.command import arguments, pairs
from holonom.vehicle.handling import _noise, _sweep, _transfer
from holonom.vehicle.manoeuvres import steering_ratio


@pytest.fixture(scope="module")
def coupe():
    return Vehicle("coupe")


# ---- frequency response ----------------------------------------------------------------------------------------------
def test_response_of_the_single_track():
    """Gains against the equations of motion in SciPy, driven by a sine until it is steady; at rest the yaw gain."""
    car = SingleTrack(1500.0, 2500.0, 1.2, 1.5, 1.0e5, 1.2e5, 0.03, 0.04, 0.5, 0.6)
    V, f = 25.0, 1.3
    assert np.isclose(abs(car.response(V, np.array([1e-5]))["yaw_rate"][0]), car.yaw_gain(V), rtol=1e-6)

    def rates(t, x):
        v, r, Ff, Fr = x
        delta = math.sin(2 * math.pi * f * t)
        return [
            (Ff + Fr) / 1500.0 - V * r,
            ((1.2 - 0.03) * Ff - (1.5 + 0.04) * Fr) / 2500.0,
            V / 0.5 * (1.0e5 * (delta - (v + 1.2 * r) / V) - Ff),
            V / 0.6 * (-1.2e5 * (v - 1.5 * r) / V - Fr),
        ]

    t = np.linspace(10.0, 10.0 + 3.0 / f, 600, endpoint=False)
    run = solve_ivp(rates, (0.0, t[-1]), np.zeros(4), t_eval=t, rtol=1e-9, atol=1e-12)
    wave = np.exp(-2j * math.pi * f * t) * 2j / len(t)
    found = car.response(V, np.array([f]))
    ay = np.array([rates(a, x)[0] + V * x[1] for a, x in zip(t, run.y.T)])
    for word, y in (("yaw_rate", run.y[1]), ("ay", ay), ("sideslip", run.y[0] / V)):
        assert abs(found[word][0] - y @ wave) < 1e-5 * abs(found[word][0]), word


@pytest.mark.parametrize("kind, segment, within", [("random", 5.0, 1e-4), ("sweep", None, 0.01)])
def test_gains_from_histories(kind, segment, within):
    """What is computed from histories is the transfer function of the filter that made them; noise that the input did
    not make lowers the coherence."""
    fine = np.arange(0.0, 60.0, 0.002)
    x = _noise(fine, 0.2, 3.0, 5.0, 3) if kind == "random" else _sweep(fine, 0.2, 3.0)
    plant = lti([40.0], [1.0, 6.0, 80.0])
    y = lsim(plant, x, fine)[1][::10]
    x = x[::10]
    f, found = _transfer(x, {"y": y}, 50.0, segment)
    band = (f >= 0.2) & (f <= 3.0)
    true = plant.freqresp(2 * np.pi * f[band])[1]
    assert np.abs(found["y"][band] - true).max() < within * np.abs(true).max()
    assert found["coherence_y"][band].min() > 0.999
    if kind == "random":
        noisy = y + y.std() * np.random.default_rng(1).normal(size=len(y)) * 3.0
        assert (
            found["coherence_y"][band].mean() - _transfer(x, {"y": noisy}, 50.0, 5.0)[1]["coherence_y"][band].mean()
            > 0.1
        )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "sweep"])
def test_frequency_response_of_a_car(tmp_path, kind):
    """In the limit of small angles the full car of level arms has the gains and phases of the single-track model."""
    v = Vehicle(ideal(tmp_path))
    d = frequency_response(v, 25.0, ay=0.3, low=0.3, high=2.5, duration=40.0, kind=kind)
    for word, within in (("yaw_rate", 0.015), ("ay", 0.02), ("sideslip", 0.02)):
        true = d.linear[word]
        assert np.abs(d.response[word] - true).max() < within * np.abs(true).max(), word
    assert balance(d) < 1e-6
    assert d.metrics["least_coherence"] > 0.99 and np.isclose(
        d.metrics["yaw_rate_gain"], single_track(v, 25.0).yaw_gain(25.0) / steering_ratio(v), rtol=0.03
    )


# ---- sine with dwell, fish hook --------------------------------------------------------------------------------------
def steer_of_fmvss(t, A):
    """49 CFR 571.126 S7.9: 0.7 Hz, 500 ms pause at the second peak; t from the begin of steering."""
    f = 0.7
    third, end = 0.75 / f, 1.0 / f + 0.5
    wave = np.where(
        t < third, np.sin(2 * np.pi * f * t), np.where(t < third + 0.5, -1.0, np.sin(2 * np.pi * f * (t - 0.5)))
    )
    return A * np.where((t < 0.0) | (t > end), 0.0, wave)


@pytest.mark.slow
def test_sine_with_dwell(coupe):
    d = sine_with_dwell(coupe, angle=1.0)
    assert np.abs(d["steer"] - steer_of_fmvss(d["t"] - 0.5, 1.0)).max() < 0.01
    end = 0.5 + 1.0 / 0.7 + 0.5
    r = np.interp([end + 1.0, end + 1.75], d["t"], d["yaw_rate"])
    peak = d["yaw_rate"][(d["t"] > 1.2) & (d["t"] < end)].min()
    assert np.allclose([d.metrics["yaw_rate_ratio_1_00"], d.metrics["yaw_rate_ratio_1_75"]], r / peak, atol=1e-3)
    assert d.metrics["stable"] == 1.0 and 0.5 < d.metrics["displacement"] < 3.0
    assert balance(d) < 1e-6
    right = sine_with_dwell(coupe, angle=1.0, left=False)
    assert np.abs(d["yaw_rate"] + right["yaw_rate"]).max() < 1e-6 and np.isclose(
        d.metrics["displacement"], right.metrics["displacement"], rtol=1e-6
    )


@pytest.mark.slow
def test_fish_hook(coupe):
    d = fish_hook(coupe, 50 / 3.6, angle=2.0, hold=0.6)
    rate = np.gradient(d["roll"], d["t"])
    turned = 0.5 + 2.0 / math.radians(720.0)
    at = turned + d.metrics["dwell"]
    assert abs(np.interp(at, d["t"], rate)) < math.radians(2.5) and d["steer"].max() == pytest.approx(2.0, rel=1e-6)
    assert (
        d["steer"].min() == pytest.approx(-2.0, rel=1e-6) and d.metrics["two_wheel_lift"] == 0.0 and balance(d) < 1e-6
    )
    back = at + 2 * (turned - 0.5) + 0.6
    assert np.isclose(np.interp(back + 1.0, d["t"], d["steer"]), -1.0, atol=0.01)
    steered = fish_hook(coupe, 50 / 3.6, angle=2.0, hold=0.2, dwell=0.25)
    assert np.isclose(np.interp(turned + 0.24, steered["t"], steered["steer"]), 2.0)


@pytest.mark.slow
def test_reference_angle(coupe):
    """It is the angle of the slow ramp where that has 0.3 g."""
    from holonom.vehicle import slow_ramp

    A = reference_angle(coupe)
    d = slow_ramp(coupe, 80 / 3.6, angle=1.6 * A)
    assert np.interp(A, d["steer"], d["ay"]) == pytest.approx(0.3 * 9.80665, rel=0.03)


# ---- braking ---------------------------------------------------------------------------------------------------------
def deceleration_in_a_turn(car, d, begin, pedal):
    """Mean over a second from ``begin``: brake torque and rolling resistance over the loaded radius, side forces of
    both axles times their slip angles, on the mass and what turns with the wheels (m/s^2)."""
    file, R, tyre = car.file, car.radii["front"] * 1e-3, car.tyres["front"].coefficients
    mass, L = file.mass.mass, file.wheelbase * 1e-3
    a = abs(float(file._centre("front")[0] - file.mass.centre[0])) * 1e-3
    on = (d["t"] > begin - 1e-9) & (d["t"] < begin + 1.0 + 1e-9)
    t, V, r, slip, ay, steer = (d[w][on] for w in ("t", "speed", "yaw_rate", "sideslip", "ay", "steer"))
    front, rear = steer / steering_ratio(car) - slip - a * r / V, (L - a) * r / V - slip
    rise = np.clip((t - begin) / 0.2, 0.0, 1.0)
    force = pedal * rise**2 * (3.0 - 2.0 * rise) * file.data["brakes"]["torque"] * 1e-3 / R
    force += mass * 9.80665 * tyre["QSY1"] * tyre["UNLOADED_RADIUS"] * 1e-3 / R
    force += mass * ay * ((L - a) / L * front + a / L * rear)
    wheels = sum(2.0 * file.data[w]["wheel"]["inertia"][1] * 1e-6 for w in ("front", "rear"))
    return np.trapezoid(force / (mass + wheels / R**2), t)


@pytest.mark.slow
def test_braking_in_turn(coupe):
    d = braking_in_turn(coupe, 80.0, ay=4.0, pedal=0.15)
    m = d.metrics
    assert np.isclose(m["radius"], 80.0, rtol=0.01) and np.isclose(m["speed"] * m["yaw_rate"], 4.0, rtol=0.02)
    assert np.isclose(m["deceleration_1_s"], deceleration_in_a_turn(coupe, d, 5.5, 0.15), rtol=0.01)
    k = np.argmin(np.abs(d["t"] - 5.5))
    on = d["t"] >= d["t"][k]
    assert m["yaw_rate_ratio_1_s"] == pytest.approx(
        float(np.interp(6.5, d["t"], d["yaw_rate"] / d["speed"])) * m["radius"], rel=1e-3
    )
    assert np.ptp(d["steer"][on]) < 1e-9 and abs(m["deviation_1_s"]) < 1.0
    assert balance(d) < 1e-6
    mirrored = braking_in_turn(coupe, 80.0, ay=4.0, pedal=0.15, left=False)
    for word in ("yaw_rate_ratio_1_s", "deviation_1_s", "sideslip_change_1_s"):
        assert np.isclose(m[word], mirrored.metrics[word], rtol=1e-5), word


@pytest.mark.slow
def test_split_braking():
    """Wheels on ice and wheels on asphalt: the car turns to the side that holds; wheels on ice lock and slide."""
    sedan = Vehicle("sedan")
    d = split_braking(sedan, 20.0, left=0.9, right=0.3, pedal=0.3)
    assert d.metrics["heading_1_s"] > 0.01 and d.metrics["offset_1_s"] > 0.01
    history = d.tyre("front right tyre")
    k = int(np.argmin(np.abs(d["t"] - 1.2)))
    assert abs(history["omega"][k]) < 0.2 * d["speed"][k] / 0.29  # locks
    assert 0.2 < -history["F_x"][k] / history["F_z"][k] < 0.36  # friction of 0.3 times that of the measurement
    assert balance(d) < 1e-5
    turned = split_braking(sedan, 20.0, left=0.3, right=0.9, pedal=0.3)
    assert turned.metrics["heading_1_s"] == pytest.approx(-d.metrics["heading_1_s"], rel=1e-3)


@pytest.mark.slow
def test_split_braking_with_a_driver():
    driven = split_braking(Vehicle("sedan"), 20.0, left=0.9, right=0.3, pedal=0.3, driver=PreviewDriver())
    assert abs(driven.metrics["offset"]) < 0.3 and driven.metrics["largest_steer"] > 0.1 and not driven.stopped


# ---- changes, keywords of the command line
# ------------------------------------------------------------------------------
def test_changed():
    sedan = read_vehicle("sedan")
    new = sedan.changed(
        {"front.spring.rate": 30.0, "front.hardpoints.tie_rod_inner.2": 243.0, "aero.drag": 0.3, "aero.area": 2.1e6}
    )
    assert (
        new.data["front"]["spring"]["rate"] == 30.0
        and sedan.data["front"]["spring"]["rate"] == 25.0
        and "aero" not in sedan.data
    )
    assert new.data["front"]["hardpoints"]["tie_rod_inner"] == [-140, 330, 243.0] and new.aero["drag"] == 0.3
    for changes, words in (
        ({"front.spring.rate.x": 1.0}, "leads through it"),
        ({"front.hardpoints.pinion.7": 1.0}, "not an index of a list of 3"),
        ({"drives.axle": 1}, "did you mean 'drive'"),
        ({"aero.drag": 0.3}, "aero has no area"),
    ):
        with pytest.raises(ModelError) as error:
            sedan.changed(changes)
        assert words in str(error.value)


def test_words_of_the_command_line():
    assert pairs(["a=1", "b=1,2,3", "c=true", "d=open"], "--set") == {
        "a": 1.0,
        "b": [1.0, 2.0, 3.0],
        "c": True,
        "d": "open",
    }
    assert arguments(frequency_response, {"seed": 4.0, "high": 2.0}, "x") == {"seed": 4, "high": 2.0}
    assert isinstance(arguments(frequency_response, {"seed": 4.0}, "x")["seed"], int)
    with pytest.raises(ModelError, match="did you mean 'pedal'"):
        arguments(braking_in_turn, {"pedl": 1.0}, "braking-in-turn")
    assert arguments(pothole, {"side": "left"}, "pothole") == {"side": "left"}
    with pytest.raises(ModelError, match="give NAME=VALUE"):
        pairs(["a"], "--set")
    coupe = type("V", (), {"file": type("F", (), {"name": "x"})})
    with pytest.raises(ModelError, match="give 'random' or 'sweep'"):
        frequency_response(coupe, kind="pulse")
    with pytest.raises(ModelError, match="four segments"):
        frequency_response(coupe, duration=5.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_gradients_of_a_circle_that_is_known(side):
    """A car that steers L / R + K a at the wheels, rolls and drifts in proportion to a, whose speed rises, on a circle
    of 80 m to either side."""
    from types import SimpleNamespace

    from holonom.vehicle.manoeuvres import _gradients

    a = np.linspace(0.0, 5.0, 501)
    car = SimpleNamespace(
        _ratio=15.0, file=SimpleNamespace(wheelbase=2700.0), units=SimpleNamespace(si_length=1e-3, length="MILLIMETER")
    )
    speed = np.sqrt(np.maximum(80.0 * a, 1e-6))
    d = {
        "t": 0.1 * np.arange(501),
        "ay": side * a,
        "speed": speed,
        "yaw_rate": side * speed / 80.0,
        "steer": side * 15.0 * (2.7 / 80.0 + 0.004 * a),
        "roll": side * 0.012 * a,
        "sideslip": side * (0.02 - 0.005 * a),
    }
    found = _gradients(car, d, 1.0, 4.0)
    wanted = {"understeer_gradient": 0.004, "roll_gradient": 0.012, "sideslip_gradient": -0.005}
    assert found == pytest.approx(wanted)
    # at one speed all of the steering falls into both: L / V^2 + K of the wheels, of which L / V^2 is the circle's
    d["speed"], d["yaw_rate"] = np.full(501, 20.0), side * a / 20.0
    d["steer"] = side * 15.0 * (2.7 / 400.0 + 0.004) * a
    assert _gradients(car, d, 1.0, 4.0)["understeer_gradient"] == pytest.approx(0.004)

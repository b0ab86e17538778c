"""The linear car with what the suspension adds: against the car of level arms, where it adds nothing, and full cars in
the limit of small angles."""

import numpy as np
import pytest
from _cars import ideal
from scipy.integrate import solve_ivp

from holonom.model import ModelError
from holonom.vehicle import RollingCar, Vehicle, cornering, read_vehicle, steer_step
from holonom.vehicle.command import linear
from holonom.vehicle.manoeuvres import steering_ratio


def test_level_arms_add_nothing(tmp_path):
    """Parallel level arms, upright steering axes, tyres without camber thrust: the linear car is that of its tyres; on
    its rig, too, V / (L + K V^2) is its yaw gain."""
    car = Vehicle(ideal(tmp_path))
    found = cornering(car, 25.0)
    front, rear = found.shares["tyres"]
    assert front > 0.0 and rear > 0.0
    for word, (f, r) in found.shares.items():
        if word != "tyres":
            assert abs(f) < 0.01 * front and abs(r) < 0.01 * rear, word
    assert found.track.yaw_gain(25.0) == pytest.approx(found.tyres.yaw_gain(25.0), rel=0.01)
    L = car.file.wheelbase * car.units.si_length
    assert found.track.yaw_gain(25.0) == pytest.approx(25.0 / (L + found.understeer_gradient * 25.0**2), rel=1e-9)
    assert "whole car" in found.text() and found.roll_gradient > 0.0
    steady = found.rolling.gains()
    assert steady["yaw_rate"] * found.ratio == pytest.approx(found.track.yaw_gain(25.0), rel=1e-3)
    assert steady["ay"] == pytest.approx(25.0 * steady["yaw_rate"]) and steady["roll"] == pytest.approx(
        found.roll_gradient * steady["ay"]
    )
    assert all(damping > 0.0 for _, damping in found.rolling.modes())


def segel(t, x, wheel):
    """x' of the textbook's car: 1500 kg, sprung 1300 kg 0.4 m above its roll axis on the ground, roll stiffness and
    damping, roll steer of the rear, no lag."""
    v, r, phi, p = x
    V, front, rear = 20.0, 8e4 * (wheel(t) - (x[0] + 1.2 * r) / 20.0), -9e4 * ((v - 1.5 * r) / 20.0 + 0.05 * phi)
    M = np.array([[1500.0, 0.0, -520.0], [0.0, 2400.0, 0.0], [-520.0, 0.0, 600.0]])
    right = [
        front + rear - 1500.0 * V * r,
        1.2 * front - 1.5 * rear,
        (520.0 * 9.81 - 6e4) * phi - 4e3 * p + 520.0 * V * r,
    ]
    a = np.linalg.solve(M, right)
    return np.array([a[0], a[1], p, a[2]])


def test_rolling_car_of_a_textbook():
    """E, G, b with the forces as algebraic unknowns, next to SciPy's integration of the same car: step, response,
    modes."""
    E, G, b = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 3))
    E[0, [0, 3]], E[1, 1], E[2, 2], E[3, [0, 3]] = (1500.0, -520.0), 2400.0, 1.0, (-520.0, 600.0)
    G[0, [1, 4, 5]], G[1, [4, 5]], G[2, 3] = (1500.0 * 20.0, -1.0, -1.0), (-1.2, 1.5), -1.0
    G[3, [1, 2, 3]] = -520.0 * 20.0, 6e4 - 520.0 * 9.81, 4e3
    G[4, [0, 1, 4]], b[4, 0] = (8e4 / 20.0, 8e4 * 1.2 / 20.0, 1.0), 8e4
    G[5, [0, 1, 2, 5]] = 9e4 / 20.0, -9e4 * 1.5 / 20.0, 9e4 * 0.05, 1.0
    car = RollingCar(20.0, 0.5, E, G, b)
    wheel = lambda t: np.interp(t, [0.0, 0.1, 0.3], [0.0, 0.0, 0.02])
    t = np.linspace(0.0, 2.0, 201)
    x = solve_ivp(segel, (0.0, 2.0), np.zeros(4), t_eval=t, rtol=1e-9, atol=1e-12, args=(wheel,), max_step=0.01).y
    y = car.step(t, wheel(t))
    assert np.abs(y["yaw_rate"] - x[1]).max() < 1e-4 * np.abs(x[1]).max()
    assert np.abs(y["roll"] - x[2]).max() < 1e-4 * np.abs(x[2]).max()
    ay = np.array([(d := segel(s, q, wheel))[0] + 20.0 * q[1] - 0.5 * d[3] for s, q in zip(t, x.T)])
    assert np.abs(y["ay"] - ay)[1:].max() < 3e-3 * np.abs(ay).max()
    A = np.column_stack([segel(0.0, e, lambda t: 0.0) for e in np.eye(4)])
    B = segel(0.0, np.zeros(4), lambda t: 1.0)
    gain = np.linalg.solve(2j * np.pi * np.eye(4) - A, B)
    assert car.response(np.array([1.0]))["yaw_rate"][0] == pytest.approx(gain[1])
    s = np.linalg.eigvals(A)
    s = s[s.imag > 0.0]
    assert np.allclose(sorted(np.abs(s) / (2 * np.pi)), [f for f, _ in car.modes()])


def test_bad_speed():
    with pytest.raises(ModelError, match="--speed"):
        linear("sedan", "kinematic", -1.0, [], [], print)


def gains(car, speed, error):
    """Yaw rate gain of the full car by the steer angle, of steps to both sides, which cancels what it does straight
    ahead; and half of their difference over time."""
    one, two = (steer_step(car, speed, angle=a, hold=2.4, error=error) for a in (0.02, -0.02))
    n = min(len(one["t"]), len(two["t"]))
    half = {w: 0.5 * (one[w][:n] - two[w][:n]) for w in ("steer", "yaw_rate", "ay", "roll", "sideslip")}
    return half["yaw_rate"][-1] / half["steer"][-1] * steering_ratio(car), one["speed"][-1], {"t": one["t"][:n], **half}


def off(half, y):
    """Largest differences compared with the largest values."""
    return {w: np.abs(half[w] - v).max() / np.abs(half[w]).max() for w, v in y.items()}


@pytest.mark.slow
@pytest.mark.parametrize("mode, error, most", [("kinematic", 1e-8, 0.01), ("compliant", 1e-6, 0.02)])
def test_full_sedan_in_the_limit_of_small_angles(mode, error, most):
    """Yaw gain, understeer gradient, characteristic speed, roll gradient, step response of the sedan: tyres alone are
    19 to 40 % off.  On bushings the wheels ring."""
    car = Vehicle("sedan", mode)
    found = {V: cornering(car, V) for V in (12.0, 27.0)}
    need, wanted = [], []
    for V, linear_car in found.items():
        gain, speed, half = gains(car, V, error)
        assert linear_car.track.yaw_gain(speed) == pytest.approx(gain, rel=0.004)
        assert linear_car.roll_gradient == pytest.approx(half["roll"][-1] / half["ay"][-1], rel=0.003)
        found_off = off(half, linear_car.rolling.step(half["t"], half["steer"]))
        assert found_off["yaw_rate"] < most and found_off["roll"] < 0.011 and found_off["sideslip"] < 0.015, found_off
        assert found_off["ay"] < (0.01 if mode == "kinematic" else 0.05), found_off
        need.append(speed / gain)
        wanted.append(speed / linear_car.track.yaw_gain(speed))
    slopes = [
        (n[1] - n[0]) / (27.0**2 - 12.0**2) for n in (wanted, need)
    ]  # understeer gradients: of V / gain = L + K V^2
    speeds = [np.sqrt((n[0] - K * 12.0**2) / K) for n, K in zip((wanted, need), slopes)]
    assert slopes[0] == pytest.approx(slopes[1], rel=0.01) and speeds[0] == pytest.approx(speeds[1], rel=0.01)
    assert abs(found[27.0].tyres.yaw_gain(27.0) / (27.0 / need[1]) - 1.0) > 0.15


@pytest.mark.slow
def test_full_coupe_with_its_locked_differential():
    """A nearly neutral car, whose gain depends on the moment of its locked axle, loads on the rolling radii among it: 5
    % off without them."""
    car = Vehicle("coupe")
    gain, speed, half = gains(car, 27.0, 1e-8)
    found = cornering(car, 27.0)
    assert found.track.yaw_gain(speed) == pytest.approx(gain, rel=0.004)
    found_off = off(half, found.rolling.step(half["t"], half["steer"]))
    assert max(found_off.values()) < 0.01, found_off


@pytest.mark.slow
def test_single_track_where_the_body_hardly_rolls():
    """The plain single track is the limit of a car that does not roll: what it is off falls with the height of the
    body, to 0.5 %."""
    track_off = {}
    for height in (560.0, 400.0, 60.0):
        car = Vehicle(read_vehicle("sedan").changed({"chassis.cm": [-1075.0, 0.0, height]}))
        found = cornering(car, 27.0)
        t = np.linspace(0.0, 2.5, 501)
        wheel = 0.02 * np.clip((t - 0.5) / 0.1, 0.0, 1.0)
        y = found.rolling.step(t, wheel)["yaw_rate"]
        track_off[height] = np.abs(y - found.track.step(27.0, t, wheel / found.ratio)[:, 1]).max() / np.abs(y).max()
    assert track_off[560.0] > track_off[400.0] > track_off[60.0]
    _, _, half = gains(car, 27.0, 1e-8)
    y = found.track.step(27.0, half["t"], half["steer"] / found.ratio)
    found_off = off(half, {"yaw_rate": y[:, 1], "ay": y[:, 2], "sideslip": y[:, 0] / 27.0})
    assert max(found_off.values()) < 0.01, found_off


@pytest.mark.slow
def test_command(capsys):
    linear("sedan", "kinematic", 80.0, ["front.tie_rod_inner=0,0,5"], [], print)
    text = capsys.readouterr().out
    assert "roll steer" in text and "yaw rate gain at 80 km/h" in text

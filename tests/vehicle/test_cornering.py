"""The linear car with what the suspension adds: against the car of level arms, where it adds nothing, and full cars in the limit of small angles."""

import numpy as np
import pytest
from _cars import ideal

from holonom.model import ModelError
from holonom.vehicle import Vehicle, cornering, steer_step
from holonom.vehicle.command import linear
from holonom.vehicle.manoeuvres import steering_ratio


def test_level_arms_add_nothing(tmp_path):
    """Parallel level arms, upright steering axes, tyres without camber thrust: the linear car is that of its tyres; on its rig, too, V / (L + K V^2) is its yaw gain."""
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


def test_bad_speed():
    with pytest.raises(ModelError, match="--speed"):
        linear("sedan", "kinematic", -1.0, [], [], print)


def gains(car, speed, error):
    """Yaw rate gain of the full car by the steer angle, of steps to both sides, which cancels what it does straight ahead; and half of their difference over time."""
    one, two = (steer_step(car, speed, angle=a, hold=2.4, error=error) for a in (0.02, -0.02))
    n = min(len(one["t"]), len(two["t"]))
    half = {w: 0.5 * (one[w][:n] - two[w][:n]) for w in ("steer", "yaw_rate", "ay", "roll")}
    half["steer"] /= steering_ratio(car)
    return half["yaw_rate"][-1] / half["steer"][-1], one["speed"][-1], {"t": one["t"][:n], **half}


@pytest.mark.slow
@pytest.mark.parametrize("mode, error", [("kinematic", 1e-8), ("compliant", 1e-6)])
def test_full_sedan_in_the_limit_of_small_angles(mode, error):
    """Yaw gain, understeer gradient, characteristic speed, roll gradient, step response of the sedan: tyres alone are 19 to 40 % off."""
    car = Vehicle("sedan", mode)
    found = {V: cornering(car, V) for V in (12.0, 27.0)}
    need, wanted = [], []
    for V, linear_car in found.items():
        gain, speed, half = gains(car, V, error)
        assert linear_car.track.yaw_gain(speed) == pytest.approx(gain, rel=0.004)
        assert linear_car.roll_gradient == pytest.approx(half["roll"][-1] / half["ay"][-1], rel=0.003)
        y = linear_car.track.step(V, half["t"], half["steer"])
        assert np.abs(half["yaw_rate"] - y[:, 1]).max() < 0.04 * np.abs(half["yaw_rate"]).max()  # the roll of the body takes its time
        need.append(speed / gain)
        wanted.append(speed / linear_car.track.yaw_gain(speed))
    slopes = [(n[1] - n[0]) / (27.0**2 - 12.0**2) for n in (wanted, need)]  # understeer gradients: of V / gain = L + K V^2
    speeds = [np.sqrt((n[0] - K * 12.0**2) / K) for n, K in zip((wanted, need), slopes)]
    assert slopes[0] == pytest.approx(slopes[1], rel=0.01) and speeds[0] == pytest.approx(speeds[1], rel=0.01)
    assert abs(found[27.0].tyres.yaw_gain(27.0) / (27.0 / need[1]) - 1.0) > 0.15


@pytest.mark.slow
def test_command(capsys):
    linear("sedan", "kinematic", 80.0, ["front.tie_rod_inner=0,0,5"], [], print)
    text = capsys.readouterr().out
    assert "roll steer" in text and "yaw rate gain at 80 km/h" in text

"""Titles of drives, which stand over pictures and in tables: each number in the unit that is written behind it."""

from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from _rows_drives import accelerated, asked, drive, followed, patched, ride, turning
from _rows_vehicle import Asked
from holonom.vehicle import handling, loads, longitudinal, manoeuvres


def title(module, name, run="_simulate", **words):
    with patched(module, START=module.START):
        return asked(module, name, run, **words).title


def loaded(name, g):
    """A load case of a car of 1300 kg, whose lateral acceleration rises to 0.62 g."""
    car = Asked()
    car.file.mass, car.file.g, car.file.brakes = SimpleNamespace(mass=1300.0), 9.81, {"torque": 4e3}
    car.radii = {"front": 0.3, "rear": 0.3}
    run = SimpleNamespace(time=np.linspace(0.0, 1.0, 63), between=lambda a, b: None)
    found = drive(ay=9.80665 * np.linspace(0.0, 0.62, 63))
    found.run = run
    with (
        mock.patch.object(loads, "_simulate", lambda vehicle, title, *_, **__: SimpleNamespace(name=title)),
        mock.patch.object(loads, "slow_ramp", lambda _: found),
    ):
        return loads.CASES[name](car, g).name


def rough_ride(**words):
    car = Asked()
    car.file.axle_data = lambda which: {"hardpoints": {"wheel_centre": [0.0, 0.77, 0.3]}}
    with (
        mock.patch.object(ride, "_ride", lambda vehicle, title, *_, **__: SimpleNamespace(name=title)),
        mock.patch.object(ride, "_judge"),
    ):
        return ride.ride(car, **words).name


TITLES = {
    "steering step at 90 km/h": lambda: title(manoeuvres, "steer_step", speed=25.0, angle=0.5),
    "slow ramp of the steering wheel at 72 km/h": lambda: title(manoeuvres, "slow_ramp", speed=20.0),
    "steady circle of 80 m": lambda: title(manoeuvres, "steady_circle", radius=80.0),
    "braking from 108 km/h": lambda: title(manoeuvres, "straight_braking", speed=30.0),
    "frequency response at 108 km/h, sweep steering": lambda: title(
        handling, "frequency_response", speed=30.0, kind="sweep"
    ),
    "sine with dwell at 90 km/h, 172 degrees": lambda: title(handling, "sine_with_dwell", speed=25.0, angle=3.0),
    "fish hook at 72 km/h": lambda: title(handling, "fish_hook", speed=20.0),
    "braking from 90 km/h, friction 0.8 left, 0.25 right": lambda: title(
        handling, "split_braking", speed=25.0, left=0.8, right=0.25
    ),
    "braking in a turn of 80 m at 72 km/h": lambda: turning(80.0, 5.0, 0.4, 0.2, 12.0).title,
    "coasting down from 108 km/h": lambda: title(longitudinal, "coast_down", speed=30.0),
    "acceleration to 180 km/h": lambda: accelerated(50.0, 0.0, 1, 5000.0, 0.3, 60.0)[1].name,
    "along a path at 72 km/h": lambda: followed(20.0, 2.0)[2].name,
    "kerb of 80 mm at 36 km/h": lambda: title(ride, "kerb", "_ride", speed=10.0, height=0.08),
    "pothole of 60 mm at 54 km/h": lambda: title(ride, "pothole", "_ride", speed=15.0, depth=0.06),
    "road of class C at 72 km/h": lambda: rough_ride(speed=20.0, grade="C"),
    "four-post shaker, roll": lambda: title(ride, "four_post", "_ride", mode="roll"),
    "rolling straight at 36 km/h": lambda: loaded("rest", 1.0),
    "braking at 0.7 g from 72 km/h": lambda: loaded("braking", 0.7),
    "cornering at 0.50 g": lambda: loaded("cornering", 0.495),
    "cornering at 0.62 g": lambda: loaded("cornering", 0.8),
}


@pytest.mark.parametrize("text", TITLES)
def test_title_of_a_drive(text):
    assert TITLES[text]() == f"car: {text}"

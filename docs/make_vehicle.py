"""Figures and numbers of docs/vehicle.md.

python docs/make_vehicle.py            figures
python docs/make_vehicle.py --numbers  tables as well (a few minutes)
"""

import math
import sys
import time
from pathlib import Path

import holonom as hn
from holonom.vehicle.manoeuvres import _simulate

FIGURES = Path(__file__).parent / "figures"


def top_speed(car, driver, part, low, high):
    """The fastest whole 2.5 km/h that is driven without a cone, from below."""
    best = math.nan
    speed = low
    while speed <= high:
        d = hn.vehicle.lane_change(car, driver, speed / 3.6, part=part)
        if d.metrics["clean"] != 1.0:
            break
        best, speed = speed, speed + 2.5
    return best


def numbers():
    for name in ("sedan", "coupe"):
        for mode in ("kinematic", "compliant"):
            car = hn.vehicle.Vehicle(name, mode)
            model = car.model(22.0, "0.5*STEP5(TIME,1.0,0,1.1,1)")
            _simulate(car, "warm", model, 0.1)
            begin = time.process_time()
            d = _simulate(car, "timed", model, 3.0)
            cpu = (time.process_time() - begin) / 3.0
            linear = hn.vehicle.single_track(car, 22.0)
            ramp = hn.vehicle.slow_ramp(car)
            deg_g = 180.0 / math.pi * 9.80665
            cells = [
                cpu,
                linear.understeer_gradient * deg_g,
                *(ramp.metrics[w] * deg_g for w in ("understeer_gradient", "roll_gradient")),
                ramp.metrics["largest_ay"],
            ]
            print(f"| {name} | {mode} | {d.run.info['degrees_of_freedom']} | " + " | ".join(f"{c:.2f}" for c in cells), flush=True)
    for name in ("sedan", "coupe"):
        car = hn.vehicle.Vehicle(name)
        for driver in (hn.vehicle.PreviewDriver(), hn.vehicle.StanleyDriver()):
            print(
                name, type(driver).__name__, [top_speed(car, driver, part, low, 140.0) for part, low in ((1, 70.0), (2, 45.0))], flush=True
            )


def pictures():
    """Manoeuvres of a sedan with air drag and a seat."""
    v = hn.vehicle
    car = v.Vehicle(v.read_vehicle("sedan").changed({"aero": {"drag": 0.32, "area": 2.1e6}, "seat": {"at": [-1300.0, 350.0, 600.0]}}))
    for name, function, given in (
        ("ride", v.ride, {"grade": "C", "length": 80.0}), ("kerb", v.kerb, {}), ("four_post", v.four_post, {"duration": 16.0}),
        ("acceleration", v.acceleration, {}), ("braking_in_turn", v.braking_in_turn, {"pedal": 0.25}),
        ("sine_with_dwell", v.sine_with_dwell, {}), ("fish_hook", v.fish_hook, {}),
        ("split_braking", v.split_braking, {"driver": v.PreviewDriver()}), ("frequency_response", v.frequency_response, {}),
    ):  # fmt: skip
        function(car, **given).plot().savefig(FIGURES / f"{name}.png", dpi=60)


def main():
    pictures()
    car = hn.vehicle.Vehicle("sedan")
    hn.vehicle.lane_change(car, hn.vehicle.PreviewDriver(), 80 / 3.6).plot().savefig(FIGURES / "lane_change.png", dpi=80)
    hn.vehicle.steer_step(car).plot().savefig(FIGURES / "steer_step.png", dpi=80)
    if "--numbers" in sys.argv:
        numbers()


if __name__ == "__main__":
    main()

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
            print(
                f"| {name} | {mode} | {d.run.info['degrees_of_freedom']} | " + " | ".join(f"{c:.2f}" for c in cells),
                flush=True,
            )
    for name in ("sedan", "coupe"):
        car = hn.vehicle.Vehicle(name)
        for driver in (hn.vehicle.PreviewDriver(), hn.vehicle.StanleyDriver()):
            print(
                name,
                type(driver).__name__,
                [top_speed(car, driver, part, low, 140.0) for part, low in ((1, 70.0), (2, 45.0))],
                flush=True,
            )


def pictures():
    """Manoeuvres of a sedan with air drag and a seat."""
    v = hn.vehicle
    car = v.Vehicle(
        v.read_vehicle("sedan").changed(
            {"aero": {"drag": 0.32, "area": 2.1e6}, "seat": {"at": [-1300.0, 350.0, 600.0]}}
        )
    )
    for name, function, given in (
        ("ride", v.ride, {"grade": "C", "length": 80.0}),
        ("kerb", v.kerb, {}),
        ("four_post", v.four_post, {"duration": 16.0}),
        ("acceleration", v.acceleration, {}),
        ("braking_in_turn", v.braking_in_turn, {"pedal": 0.25}),
        ("sine_with_dwell", v.sine_with_dwell, {}),
        ("fish_hook", v.fish_hook, {}),
        ("split_braking", v.split_braking, {"driver": v.PreviewDriver()}),
        ("frequency_response", v.frequency_response, {}),
    ):
        function(car, **given).plot().savefig(FIGURES / f"{name}.png", dpi=60)


def linear_step():
    """A small step of the sedan's steering wheel next to the linear cars with and without roll."""
    v = hn.vehicle
    car, V = v.Vehicle("sedan"), 27.0
    one, two = (v.steer_step(car, V, angle=a, hold=2.0, error=1e-8) for a in (0.02, -0.02))
    full = {w: 0.5 * (one[w] - two[w]) for w in ("steer", "yaw_rate", "ay", "roll")}
    linear = v.cornering(car, V)
    roll = linear.rolling.step(one["t"], full["steer"])
    track = linear.track.step(V, one["t"], full["steer"] / linear.ratio)
    curves = []
    for word, unit, scale, plain in (
        ("yaw_rate", "deg/s", 180.0 / math.pi, track[:, 1]),
        ("ay", "m/s^2", 1.0, track[:, 2]),
        ("roll", "deg", 180.0 / math.pi, None),
    ):
        lines = [("full car", one["t"], scale * full[word]), ("linear, with roll", one["t"], scale * roll[word])]
        if plain is not None:
            lines.append(("single track", one["t"], scale * plain))
        curves.append((word.replace("_", " "), unit, lines))
    draw(curves)


def draw(curves):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    for axis, (word, unit, lines) in zip(axes, curves):
        for (label, t, y), style in zip(lines, ("-", "--", ":")):
            axis.plot(
                t,
                y,
                style,
                lw=2.2 if style == "-" else 1.6,
                label=label,
                color={"-": "#9bb8d3", "--": "#b33", ":": "#333"}[style],
            )
        axis.set(title=f"{word} ({unit})", xlabel="time (s)", xlim=(0.45, 2.0))
        axis.grid(alpha=0.3)
    axes[0].legend(loc="lower right")
    figure.savefig(FIGURES / "linear_step.png", dpi=80)


def main():
    pictures()
    linear_step()
    car = hn.vehicle.Vehicle("sedan")
    hn.vehicle.lane_change(car, hn.vehicle.PreviewDriver(), 80 / 3.6).plot().savefig(
        FIGURES / "lane_change.png", dpi=80
    )
    hn.vehicle.steer_step(car).plot().savefig(FIGURES / "steer_step.png", dpi=80)
    if "--numbers" in sys.argv:
        numbers()


if __name__ == "__main__":
    main()

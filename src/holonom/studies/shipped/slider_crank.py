"""A slider-crank with planted faults, found again from the torque of its drive: function of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

import holonom as hn
from holonom.studies import Curve, Experiment, diagnose

CRANK, ROD, SPEED = 0.10, 0.35, 30.0  # m, m, rad/s
TURN, SAMPLES = 2 * math.pi / SPEED, 72  # s of a turn, samples of it
TIMES = np.linspace(0.0, TURN, SAMPLES + 1)
NOISE = 0.01  # standard deviation of the sensor over that of the torque of a healthy machine
#: fault -> (healthy value, lowest, highest)
FAULTS = {
    "friction": (20.0, 20.0, 120.0),  # N s/m, of the piston
    "spring": (4000.0, 2000.0, 4000.0),  # N/m, of the piston's return spring
    "piston_mass": (1.2, 1.2, 1.6),  # kg, with a deposit
    "pin_mass": (0.3, 0.3, 0.8),  # kg, on the crank, out of balance
    "offset": (0.0, -4.0, 4.0),  # N m, of the torque sensor
}


def build() -> hn.Model:
    """The machine, healthy, with its faults as parameters."""
    model = hn.Model("slider-crank", units="SI")
    model.gravity = (0.0, -9.81, 0.0)
    p: dict[str, Any] = {
        name: model.parameter(name, v[0], bounds=v[1:]) for name, v in FAULTS.items() if name != "offset"
    }
    ground, z, end = model.ground, (0, 0, 1), (CRANK + ROD, 0, 0)
    crank = model.part("crank", 2.0, (0.01, 0.01, 0.02))
    pin = model.part("pin", p["pin_mass"], (1e-5, 1e-5, 1e-5), (CRANK, 0, 0))
    rod = model.part("rod", 1.5, (0.001, 0.015, 0.015), (CRANK + ROD / 2, 0, 0))
    piston = model.part("piston", p["piston_mass"], (0.001, 0.001, 0.001), end)
    model.fixed(pin, crank, at=(CRANK, 0, 0))
    main = model.revolute(crank, ground, "main", at=(0, 0, 0), axis=z)
    model.spherical(rod, crank, "big end", at=(CRANK, 0, 0))
    model.universal(model.marker_at(rod, end, z=(0, 1, 0)), model.marker_at(piston, end, z=z), "small end")
    guide = model.translational(piston, ground, "guide", at=end, axis=(1, 0, 0))
    model.motion(main, f"{SPEED!r}*TIME", "drive")
    model.spring_damper(guide.i, model.marker(ground, (1.0, 0, 0)), p["spring"], p["friction"], length=1.0 - ROD)
    return model


def torque(values: Mapping[str, float]) -> np.ndarray:
    """Torque of the drive (N m) over a turn, by simulation; ``values``: those that differ from the healthy machine."""
    run = hn.simulate(build().with_parameters(dict(values)), TURN, steps=SAMPLES, progress=False)
    return run["drive.torque"].values[:, 2]


@cache
def regressor() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Torque of the healthy machine and its derivatives by the faults.  Where the drive prescribes the motion, the
    torque is linear in masses, stiffness and damping, so that differences over the whole ranges are exact."""
    healthy, slopes = torque({}), {}
    for name, (nominal, low, high) in FAULTS.items():
        if name != "offset":
            end = high if nominal == low else low
            slopes[name] = (torque({name: end}) - healthy) / (end - nominal)
    return healthy, slopes


def predicted(v: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Torque of a machine with faults, by the regressor, and its derivatives."""
    healthy, slopes = regressor()
    total = healthy + sum((v[name] - FAULTS[name][0]) * slope for name, slope in slopes.items())
    return {"torque": total} | {f"d torque/d {name}": slope for name, slope in slopes.items()}


def found_fault(v: Mapping[str, int]) -> dict[str, float]:
    """One random machine: one or two faults of at least 15 % of their range, a turn that is simulated and measured with
    noise, and what `diagnose` makes of it: "right" (1 where it names just these), "faults", "found", and of the
    intervals of planted faults that were found their number and how many contain the truth ("intervals", "inside")."""
    rng = np.random.default_rng([20260, int(v["machine"])])
    names = rng.choice(list(FAULTS), rng.integers(1, 3), replace=False)
    truth = {name: nominal for name, (nominal, _, _) in FAULTS.items()}
    for name in names:
        nominal, low, high = FAULTS[name]
        end = high if nominal == low else low if nominal == high else rng.choice([low, high])
        truth[name] = nominal + rng.uniform(0.15, 1.0) * (end - nominal)
    std = NOISE * float(regressor()[0].std())
    seen = torque({n: truth[n] for n in names if n != "offset"}) + truth["offset"]
    curve = Curve("torque", TIMES, seen + std * rng.standard_normal(len(TIMES)), std=std, offset="offset")
    answer: Any = diagnose(Experiment(predicted, [curve]), FAULTS).best
    named = [name for name in answer.faults if name in names]
    inside = sum(answer.interval[n][0] <= truth[n] <= answer.interval[n][1] for n in named)
    return {
        "right": float(set(answer.faults) == set(names)),
        "faults": float(len(names)),
        "found": float(len(answer.faults)),
        "intervals": float(len(named)),
        "inside": float(inside),
    }

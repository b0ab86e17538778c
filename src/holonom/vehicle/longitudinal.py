"""Acceleration through the gears, and coasting down.  All numbers SI."""

from __future__ import annotations

import copy
import math
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analyses.session.simulation import Simulation
from ..model import ModelError
from .controls import Controls
from .full_vehicle import SIDES, TWO_PI, WHICH, Vehicle
from .manoeuvres import START, Drive, _simulate, _stop, integrator_of, panels, signals
from .template import curve_of, number_of, numbers_of, positive_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Straight(Drive):
    """A drive along a line, drawn as such."""

    def plot(self, path: str | FilePath | None = None) -> Figure:
        """Speed, acceleration, pitch, slips and loads over time, speed over the way; writes it to ``path`` and returns
        the figure."""
        t, way = self["t"], self["x"] - self["x"][0]
        force = self.run.model.units.si_force
        names = [f"{w} {s}" for w in WHICH for s in SIDES]
        tyres = {n: self.tyre(f"{n} tyre") for n in names}
        radius = {
            n: h["V_x"][0] / h["omega"][0] if h["omega"][0] else h["V_x"][-1] / h["omega"][-1] for n, h in tyres.items()
        }
        slip = lambda n: (
            100.0 * (tyres[n]["omega"] * radius[n] / np.maximum(tyres[n]["V_x"], 1e-2 * tyres[n]["V_x"].max()) - 1.0)
        )
        one = lambda y: [(t, y, "", {"color": "#1f4e79"})]
        moving = self["speed"] > 1.0
        return panels(
            self.name,
            [
                ("time (s)", "speed (km/h)", one(3.6 * self["speed"])),
                ("time (s)", "longitudinal acceleration (m/s²)", one(self["ax"])),
                ("time (s)", "pitch (deg)", one(57.29578 * self["pitch"])),
                ("way (m)", "speed (km/h)", [(way, 3.6 * self["speed"], "", {"color": "#1f4e79"})]),
                ("time (s)", "slip (%)", [(t[moving], slip(n)[moving], n, {}) for n in names if n.endswith("left")]),
                ("time (s)", "load (N)", [(t, tyres[n]["F_z"] * force, n, {}) for n in names]),
            ],
            path,
        )


def acceleration(
    vehicle: Vehicle,
    top: float = 100.0 / 3.6,
    *,
    speed: float = 0.0,
    gear: int = 1,
    shift: float | None = None,
    pause: float = 0.3,
    shifts: bool = True,
    longest: float = 60.0,
    **options: Any,
) -> Drive:
    """Full throttle from ``speed`` to ``top`` [m/s] in ``gear`` and those above it: at ``shift`` [engine speed in
    rev/min; default 0.97 of the end of its map] the throttle is released and the clutch opens for ``pause`` seconds.
    From standstill the clutch slips while the engine runs at idle.

    Metrics: time and distance from the pedal to ``top``, times to 60 and 100 km/h and over 400 m where they are
    reached, the largest acceleration, the largest slip of the driven wheels, the gear at the end.  Raises ModelError
    for a vehicle without engine or its inertia, and one that does not reach ``top``.
    """
    drive = vehicle.file.drive
    if drive.get("engine") is None or not drive.get("inertia"):
        raise ModelError(
            f"{vehicle.file.name}: drive has no {'inertia' if drive.get('engine') else 'engine'}, which an "
            "acceleration needs; give it"
        )
    if not number_of(top, "top", positive=True) > number_of(speed, "speed", least=0.0):
        raise ModelError(f"top is {top:g} m/s and speed {speed:g}; give a top above speed")
    positive_numbers(pause=pause, longest=longest)
    rpm, _ = curve_of(drive["engine"], "drive.engine")
    most = 0.97 * rpm[-1] if shift is None else number_of(shift, "shift", positive=True)
    if not rpm[0] < most <= rpm[-1]:
        raise ModelError(
            f"shift is {most:g}; give revolutions a minute within the engine's map, {rpm[0]:g} to {rpm[-1]:g}"
        )
    gears = numbers_of(drive.get("gears", [1.0]), "drive.gears")
    car = copy.copy(vehicle)
    car.gear = vehicle._gear(gear)
    T = vehicle.second
    model = car.model(
        number_of(speed, "speed", least=0.0),
        Controls(hold=False, gears="driver", throttle=lambda m, _: f"VARVAL({m.input('throttle').id})"),
    )
    rotor = model.find("DIFF", "engine speed")
    sim = Simulation(model, progress=False)
    sim.open(record="advance", duration=longest * T, **integrator_of(vehicle), **options)
    step, k, ready = 0.02, 0, START
    sim.set_input("throttle", 0.0)
    stopped = f"it does not reach {3.6 * top:.0f} km/h in {longest:g} s"
    while k * step < longest:
        t = k * step
        if abs(t - START) < 1e-9:
            sim.set_input("throttle", 1.0, by=(t + 0.1) * T)
        turns = float(sim.output(f"DIF({rotor.id})")) * T * 60.0 / TWO_PI
        if shifts and turns > most and t >= ready + 0.5 and gear < len(gears):
            gear += 1
            _shift(sim, vehicle, gear, t, pause)
            k, ready = k + math.ceil(pause / step), t + pause
        else:
            k += 1
            sim.advance(k * step * T)
        b = sim.state["chassis"]
        if float(np.hypot(*b.velocity[:2])) * vehicle.units.si_length / vehicle.units.si_time >= top:
            stopped = ""
            break
    run = sim.run()
    sim.close()
    if stopped:
        raise ModelError(f"{vehicle.file.name}: {stopped}; lower it, or give the engine more torque")
    d = Straight(f"{vehicle.file.name}: acceleration to {3.6 * top:.0f} km/h", run, signals(vehicle, run))
    way = d["x"] - float(np.interp(START, d["t"], d["x"]))
    at = lambda y, value: float(np.interp(value, y, d["t"])) - START if y[0] < value <= y[-1] + 1e-9 else math.nan
    d.metrics.update(time=float(d["t"][-1]) - START, distance=float(way[-1]))
    for name, y, value in (
        ("time_to_60_km_h", d["speed"], 60 / 3.6),
        ("time_to_100_km_h", d["speed"], 100 / 3.6),
        ("time_over_400_m", way, 400.0),
    ):
        if math.isfinite(at(y, value)):
            d.metrics[name] = at(y, value)
    d.metrics.update(
        largest_acceleration=float(d["ax"].max()), largest_slip=_largest_slip(vehicle, d), gear=float(gear)
    )
    return d


def _shift(sim: Simulation, vehicle: Vehicle, gear: int, t: float, pause: float) -> None:
    """Clutch open, gear changed, clutch closed, a third of the pause each."""
    T = vehicle.second
    for name, value, part in (("clutch", 0.0, 1), ("gear ratio", vehicle._gear(gear), 2), ("clutch", 1.0, 3)):
        until = (t + pause * part / 3.0) * T
        sim.set_input(name, value, by=until)
        sim.advance(until)


def _largest_slip(vehicle: Vehicle, d: Drive) -> float:
    """omega R_e / V_x - 1 of the driven wheels above 2 m/s."""
    out = 0.0
    for which in vehicle.shares():
        radius = vehicle._rolling_radius(which)
        for side in SIDES:
            h = d.tyre(f"{which} {side} tyre")
            fast = h["V_x"] > 2.0 * vehicle.metre / vehicle.second
            if fast.any():
                out = max(out, float((h["omega"][fast] * radius / h["V_x"][fast] - 1.0).max()))
    return out


def coast_down(
    vehicle: Vehicle,
    speed: float = 120.0 / 3.6,
    *,
    end_speed: float = 40.0 / 3.6,
    longest: float = 200.0,
    **options: Any,
) -> Drive:
    """Coasting in neutral from ``speed`` to ``end_speed`` [m/s] (ISO 10521-1, SAE J1263), without wind on a level road.

    Metrics: time, distance; running resistance F = F0 + F1 v + F2 v^2 [N, N s/m, N s^2/m^2] by least squares of the
    deceleration times the mass with that of the turning wheels, mass + sum of I / R^2; the drag area C_d A [m^2] = 2 F2
    / rho of a density of 1.2 kg/m^3; share of the weight at rest F0 / m g. Raises `ModelError` where ``end_speed`` is
    not reached within ``longest`` seconds.
    """
    positive_numbers(speed=speed, end_speed=end_speed, longest=longest)
    if not end_speed < speed:
        raise ModelError(f"end_speed is {end_speed:g} m/s and speed {speed:g}; give an end_speed below speed")
    model = vehicle.model(speed, Controls(until=0.0))
    _stop(model, vehicle, end_speed)
    found = _simulate(
        vehicle, f"{vehicle.file.name}: coasting down from {3.6 * speed:.0f} km/h", model, longest, 5.0, **options
    )
    d = Straight(found.name, found.run, found.signals)
    if d["speed"][-1] > 1.01 * end_speed:
        raise ModelError(
            f"{vehicle.file.name} still rolls with {3.6 * d['speed'][-1]:.0f} km/h after {longest:g} s; give "
            "longest=..., or a higher end_speed"
        )
    u = vehicle.units
    m = vehicle.file.mass.mass * u.si_mass
    wheels = [model.find("PART", f"{w} {s} wheel") for w in WHICH for s in SIDES]
    turning = sum(w.ip[1] for w in wheels) * u.si_mass * u.si_length**2
    radius = 0.5 * sum(vehicle._rolling_radius(w) for w in WHICH) * u.si_length
    effective = m + turning / radius**2
    late = d["t"] > START
    rows = np.vander(d["speed"][late], 3, increasing=True)
    F = np.linalg.lstsq(rows, -effective * d["ax"][late], rcond=None)[0]
    d.metrics.update(
        time=float(d["t"][-1]),
        distance=float(d["x"][-1] - d["x"][0]),
        F0=float(F[0]),
        F1=float(F[1]),
        F2=float(F[2]),
        drag_area=float(2.0 * F[2] / 1.2),
        rolling_resistance=float(F[0] / (m * 9.80665)),
        effective_mass=float(effective),
    )
    return d

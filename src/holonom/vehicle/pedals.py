"""A driver's feet: speed over time held by the throttle and the brake, PID with feed-forward, compiled into the model
as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import shown
from .controls import Controls
from .template import curve_of, number_of

WINDUP = 3.0  # m/s: errors beyond count little for the integral


@dataclass
class SpeedDriver(Summary):
    """Wished acceleration a = v_t' + p (v_t - v) + i int (v_t - v) dt + d (v_t' - v'); the pedals produce the force

        F = m a + rho A c_d v^2/2,

    the throttle by the engine map in the current gear (including engine drag), the brake the remainder.
    ``profile``: rows (time [s], speed [m/s]), Akima's curve through them, constant beyond; ``feed_forward`` False:
    without v_t' and the drag.  p [1/s], i [1/s^2], d [-].

    ``follow(..., controls=SpeedDriver(...).pedals(vehicle))``."""

    profile: Sequence[tuple[float, float]]
    p: float = 1.2
    i: float = 0.25
    d: float = 0.0
    feed_forward: bool = True

    def pedals(self, vehicle: Any) -> Controls:
        """Throttle and brake for `Vehicle.model`. Raises `ModelError` for an invalid profile or invalid gains, and for
        vehicles without engine or brakes."""
        rows = np.asarray(self.profile, float) if len(np.shape(self.profile)) == 2 else np.zeros((0, 0))
        if (
            rows.shape[1:] != (2,)
            or len(rows) < 2
            or not np.isfinite(rows).all()
            or not (np.diff(rows[:, 0]) > 0.0).all()
            or not (rows[:, 1] >= 0.0).all()
        ):
            raise ModelError(
                f"profile is {shown(self.profile)}; give two or more rows (time, speed) in s and m/s, times rising"
            )
        for word in ("p", "i", "d"):
            number_of(getattr(self, word), f"SpeedDriver.{word}", least=0.0)
        file = vehicle.file
        if file.drive.get("engine") is None:
            raise ModelError(f"{file.name}: drive has no engine; give its map as rows [rpm, torque at full throttle]")
        if "torque" not in file.brakes:
            raise ModelError(f"{file.name}: brakes has no torque; give that of all four at full pedal")
        brakes = number_of(file.brakes["torque"], "brakes.torque", positive=True)
        made: dict[int, tuple[str, str]] = {}

        def both(m: Any, chassis: Any) -> tuple[str, str]:
            if id(m) not in made:
                made[id(m)] = self._expressions(m, chassis, vehicle, rows, brakes)
            return made[id(m)]

        return Controls(
            hold=False, throttle=lambda m, chassis: both(m, chassis)[0], brake=lambda m, chassis: both(m, chassis)[1]
        )

    def _expressions(self, m: Any, chassis: Any, vehicle: Any, rows: np.ndarray, brakes: float) -> tuple[str, str]:
        u, file = vehicle.units, vehicle.file
        T, V = vehicle.second, vehicle.metre / vehicle.second
        ground = m.marker(m.ground)
        t = np.concatenate([[rows[0, 0] - 2.0, rows[0, 0] - 1.0], rows[:, 0], [rows[-1, 0] + 1.0, rows[-1, 0] + 2.0]])
        v = np.concatenate([[rows[0, 1]] * 2, rows[:, 1], [rows[-1, 1]] * 2])
        curve = m.spline((t * T).tolist(), (v * V).tolist(), name="speed profile")
        time = f"MIN(MAX(TIME,{float(t[0]) * T!r}),{float(t[-1]) * T!r})"
        speed = f"VX({chassis.cm},{ground.id},{chassis.cm})"
        target = m.variable(f"AKISPL({time},0,{curve.id})", "speed wished")
        error = f"(VARVAL({target.id})-{speed})"
        total = m.diff(f"{error}/(1+({error}/{WINDUP * V!r})**2)", "speed error")
        slope = f"AKISPL({time},0,{curve.id},1)" if self.feed_forward else "0"
        wish = f"{slope}+{self.p / T!r}*{error}+{self.i / T**2!r}*DIF({total.id})"
        if self.d:
            wish += f"+{self.d!r}*({slope}-ACCX({chassis.cm},{ground.id},{chassis.cm}))"
        to_force = u.si_mass * u.si_length / u.si_time**2 / u.si_force  # mass times length per time squared as a force
        air = ""
        if self.feed_forward and file.aero:
            air = f"+{vehicle.air_drag(1.0 / V)!r}*{speed}*ABS({speed})"
        axle = "rear" if file.drive.get("axle", "front") == "rear" else "front"
        radius = vehicle.radii[axle]
        torque = m.variable(f"{radius!r}*({file.mass.mass * to_force!r}*({wish}){air})", "torque wished")
        rpm, full = curve_of(file.drive["engine"], "drive.engine")
        turns = [r * 2.0 * np.pi / 60.0 / T for r in rpm]
        law = m.spline(turns, full, name="engine known")
        ratio = vehicle.gear * number_of(file.drive.get("efficiency", 1.0), "drive.efficiency", positive=True)
        drag = 0.12 * max(full) * ratio  # what a closed throttle takes (`Vehicle`)
        n = f"MIN({turns[-1]!r},MAX({turns[0]!r},{vehicle.gear!r}*{speed}/{radius!r}))"
        throttle = f"MIN(1,MAX(0,(VARVAL({torque.id})+{drag!r})/({ratio!r}*AKISPL({n},0,{law.id})+{drag!r})))"
        brake = f"MIN(1,MAX(0,-(VARVAL({torque.id})+{drag!r})/{brakes!r}))"
        return throttle, brake

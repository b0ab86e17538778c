"""Friction of rolling bearings, and the heat that it makes.

Palmgren (Grundlagen der Waelzlagertechnik, 1957) as Harris (Rolling Bearing Analysis, 4th ed. 2001, ch. 14) has it,
with n in 1/min, nu in mm^2/s, d_m in mm and torques in N mm:

    M = M0 + M1,     M0 = 1e-7 f0 (nu n)^(2/3) d_m^3   for nu n >= 2000,   160e-7 f0 d_m^3   below,     M1 = f1 P1 d_m,
        f1 = z (P0 / C0)^y.

M0 is of the lubricant and does not know the load, M1 is of the load and does not know the speed.  Heat is M w.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown

#: f0 of Harris' table 14.4, the middle where it has a range: kind -> lubrication -> f0
F0 = {
    "deep groove": {"grease": 1.35, "oil mist": 1.0, "oil bath": 2.0, "oil jet": 4.0},
    "angular contact": {"grease": 2.0, "oil mist": 1.7, "oil bath": 3.3, "oil jet": 6.6},
    "cylindrical roller": {"grease": 0.8, "oil mist": 2.15, "oil bath": 3.1, "oil jet": 3.1},
    "tapered roller": {"grease": 6.0, "oil mist": 3.0, "oil bath": 6.0, "oil jet": 9.0},
}
#: z and y of f1 (rollers: f1 itself, y = 0), Harris' tables 14.1 and 14.2, the middle where they have a range
F1 = {
    "deep groove": (0.0005, 0.55),
    "angular contact": (0.001, 0.33),
    "cylindrical roller": (0.0003, 0.0),
    "tapered roller": (0.0004, 0.0),
}


@dataclass(frozen=True)
class Bearing(Summary):
    """Heat of a rolling bearing, SI: m, N, m^2/s, rad/s.

    ``mean_diameter`` of bore and outside; ``f0`` of kind and lubrication; ``z``, ``y`` and ``static_rating`` C0 (N) of
    f1 = z (P0 / C0)^y, which is z where y = 0. `Bearing.of` takes them from tables.  Raises `ModelError` for invalid
    values.
    """

    mean_diameter: float
    f0: float
    z: float
    y: float = 0.0
    static_rating: float = 0.0

    def __post_init__(self) -> None:
        for name, good, wanted in (
            ("mean_diameter", self.mean_diameter > 0.0, "a positive length in m"),
            ("f0", self.f0 >= 0.0, "zero or a positive number"),
            ("z", self.z >= 0.0, "zero or a positive number"),
            ("static_rating", self.static_rating > 0.0 or not self.y, "the static load rating in N"),
        ):
            if not good:
                raise ModelError(f"{name} of a bearing is {shown(getattr(self, name))}; give {wanted}")
        if self.mean_diameter > 20.0:
            raise ModelError(f"mean_diameter of a bearing is {self.mean_diameter:g} m; give metres")

    @classmethod
    def of(cls, kind: str, lubrication: str, mean_diameter: float, static_rating: float = 0.0) -> Bearing:
        """With f0, z and y of Harris' tables: ``kind`` "deep groove", "angular contact" (30 to 40 degrees),
        "cylindrical roller", "tapered roller"; ``lubrication`` "grease", "oil mist", "oil bath", "oil jet".  Lengths in
        m, forces in N.  Raises `ModelError` for other keywords."""
        if kind not in F0:
            raise ModelError(f"kind of a bearing is {shown(kind)}; choose {', '.join(F0)}")
        if lubrication not in F0[kind]:
            raise ModelError(f"lubrication of a bearing is {shown(lubrication)}; choose {', '.join(F0[kind])}")
        return cls(mean_diameter, F0[kind][lubrication], *F1[kind], static_rating)

    def torque(self, speed: Any, load: Any, viscosity: Any, static_load: Any = None) -> np.ndarray:
        """M (N m) at ``speed`` (rad/s), P1 = ``load`` (N) and the ``viscosity`` of the oil (of the base oil of a
        grease) at its temperature (m^2/s); arrays too.

        ``static_load``: P0 of f1 (default: the load).  Raises `ModelError` for a negative load or viscosity.
        """
        speed, load, viscosity = np.abs(np.asarray(speed, float)), np.asarray(load, float), np.asarray(viscosity, float)
        if not (np.all(load >= 0.0) and np.all(viscosity >= 0.0)):
            raise ModelError("load and viscosity of a bearing must not be negative")
        if np.any(viscosity > 1.0):
            raise ModelError(
                f"the viscosity of a bearing is {float(viscosity.max()):g} m^2/s; give m^2/s (1 mm^2/s is 1e-6)"
            )
        product = viscosity * 1e6 * speed * 30.0 / math.pi
        drag = (
            1e-7
            * self.f0
            * np.where(product >= 2000.0, product ** (2.0 / 3.0), 160.0)
            * (self.mean_diameter * 1e3) ** 3
            * 1e-3
        )
        f1 = self.z
        if self.y:
            f1 = (
                self.z
                * ((load if static_load is None else np.asarray(static_load, float)) / self.static_rating) ** self.y
            )
        return np.where(speed > 0.0, drag, 0.0) + f1 * load * self.mean_diameter

    def heat(self, speed: Any, load: Any, viscosity: Any, static_load: Any = None) -> np.ndarray:
        """Heat (W), the torque times the speed; zero at rest.  Arguments as of `torque`.  Raises `ModelError` as that
        does."""
        return self.torque(speed, load, viscosity, static_load) * np.abs(np.asarray(speed, float))

    def mean_heat(self, time: Any, speed: Any, load: Any, viscosity: Any) -> float:
        """Mean heat (W) of a cycle: speed and load (t,) at times (t,), such as those of a run.  Raises `ModelError` for
        times that do not rise."""
        time = np.asarray(time, float)
        if time.ndim != 1 or len(time) < 2 or not time[-1] > time[0] or (np.diff(time) < 0.0).any():
            raise ModelError("a cycle needs at least two times that rise")
        return float(
            np.trapezoid(np.broadcast_to(self.heat(speed, load, viscosity), time.shape), time) / (time[-1] - time[0])
        )


def angular_contact_load(radial: Any, axial: Any, angle: float) -> np.ndarray:
    """P1 of an angular-contact ball bearing, max(0.9 F_a cot a - 0.1 F_r, F_r), contact ``angle`` in radians; forces in
    N (Harris, ch. 14)."""
    radial, axial = np.abs(np.asarray(radial, float)), np.abs(np.asarray(axial, float))
    return np.maximum(0.9 * axial / math.tan(angle) - 0.1 * radial, radial)


def viscosity(temperature: Any, at_40: float, at_100: float) -> np.ndarray:
    """Kinematic viscosity (m^2/s) of an oil at temperatures in degrees Celsius, from those at 40 and 100 degrees: log
    log (nu + 0.7) is linear in log T, nu in mm^2/s, T in kelvin (Walther; ASTM D341). Raises `ModelError` for a
    viscosity that does not decrease with temperature and for temperatures below absolute zero."""
    if not 0.0 < at_100 < at_40 < 1.0:
        raise ModelError(
            f"an oil has viscosities {shown(at_40)} at 40 and {shown(at_100)} at 100 degrees; give m^2/s, the second "
            "below the first"
        )
    kelvin = np.asarray(temperature, float) + 273.15
    if not np.all(kelvin > 0.0):
        raise ModelError("the temperature of an oil lies below absolute zero; give degrees Celsius")
    word = lambda nu: np.log10(np.log10(nu * 1e6 + 0.7))
    x = np.log10(kelvin)
    low, high = np.log10(313.15), np.log10(373.15)
    y = word(at_40) + (word(at_100) - word(at_40)) * (x - low) / (high - low)
    return (10.0 ** (10.0**y) - 0.7) * 1e-6

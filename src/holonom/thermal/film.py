"""Film coefficients from published correlations of Nusselt numbers: Nu = h L / k.

Properties of the fluid are those at the mean of the temperatures of surface and fluid.  SI, or any consistent units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .._summary import Summary
from .._warnings import warn_model
from ..model.base import ModelError, shown


@dataclass(frozen=True)
class Fluid(Summary):
    """``conductivity`` k, ``viscosity`` nu (kinematic), ``prandtl`` = nu / (diffusivity), ``expansion`` beta (per
    degree)."""

    conductivity: float
    viscosity: float
    prandtl: float
    expansion: float

    def __post_init__(self) -> None:
        for name in ("conductivity", "viscosity", "prandtl", "expansion"):
            if not getattr(self, name) > 0.0:
                raise ModelError(f"{name} of a fluid is {shown(getattr(self, name))}; give a positive number")


#: air of 300 K and one atmosphere, SI (Incropera & DeWitt, Fundamentals of Heat and Mass Transfer, table A.4)
AIR = Fluid(conductivity=0.0263, viscosity=15.89e-6, prandtl=0.707, expansion=1.0 / 300.0)


def rotating_cylinder(diameter: float, speed: float, fluid: Fluid = AIR) -> float:
    """Mean film of a horizontal cylinder that turns with ``speed`` (rad per time) in still fluid.

    Nu = 0.133 Re^(2/3) Pr^(1/3), Re = speed D^2 / (2 nu) of the speed of the surface, for Re up to 4.3e5 (Becker, Int.
    J. of Heat and Mass Transfer 6
    (1963) 1053-1062, as Bossmanns & Tu, Int. J. of Machine Tools and Manufacture 39 (1999) 1345-1366, have it for
    spindles).  Without the free convection that remains at standstill: take the larger of both.  Warns outside of 800
    to 4.3e5.  Raises `ModelError` for sizes that are not positive.
    """
    _positive(diameter=diameter)
    reynolds = abs(speed) * diameter**2 / (2.0 * fluid.viscosity)
    if speed and not 800.0 <= reynolds <= 4.3e5:
        warn_model(
            f"Reynolds number {reynolds:.3g} lies outside of 800 to 4.3e5, for which the correlation was measured"
        )
    return 0.133 * reynolds ** (2.0 / 3.0) * fluid.prandtl ** (1.0 / 3.0) * fluid.conductivity / diameter


def horizontal_cylinder(diameter: float, difference: float, fluid: Fluid = AIR, gravity: float = 9.80665) -> float:
    """Mean film of free convection at a long horizontal cylinder, ``difference``: of temperatures of surface and fluid.

    Nu = (0.60 + 0.387 Ra^(1/6) / (1 + (0.559 / Pr)^(9/16))^(8/27))^2 up to Ra = 1e12 (Churchill & Chu, Int. J. of Heat
    and Mass Transfer 18 (1975) 1049-1053). Raises `ModelError` for sizes that are not positive.
    """
    _positive(diameter=diameter, gravity=gravity)
    rayleigh = _rayleigh(diameter, difference, fluid, gravity)
    nusselt = (
        0.60 + 0.387 * rayleigh ** (1.0 / 6.0) / (1.0 + (0.559 / fluid.prandtl) ** (9.0 / 16.0)) ** (8.0 / 27.0)
    ) ** 2
    return nusselt * fluid.conductivity / diameter


def vertical_plate(height: float, difference: float, fluid: Fluid = AIR, gravity: float = 9.80665) -> float:
    """Mean film of free convection at a vertical plate, ``difference``: of temperatures of surface and fluid.

    Nu = (0.825 + 0.387 Ra^(1/6) / (1 + (0.492 / Pr)^(9/16))^(8/27))^2 for all Ra (Churchill & Chu, Int. J. of Heat and
    Mass Transfer 18 (1975) 1323-1329). Raises `ModelError` for sizes that are not positive.
    """
    _positive(height=height, gravity=gravity)
    rayleigh = _rayleigh(height, difference, fluid, gravity)
    nusselt = (
        0.825 + 0.387 * rayleigh ** (1.0 / 6.0) / (1.0 + (0.492 / fluid.prandtl) ** (9.0 / 16.0)) ** (8.0 / 27.0)
    ) ** 2
    return nusselt * fluid.conductivity / height


def _rayleigh(size: float, difference: float, fluid: Fluid, gravity: float) -> float:
    out = gravity * fluid.expansion * abs(difference) * size**3 * fluid.prandtl / fluid.viscosity**2
    if not math.isfinite(out):
        raise ModelError(f"the difference of temperatures is {shown(difference)}; give a number")
    return out


def _positive(**sizes: float) -> None:
    for name, value in sizes.items():
        if not value > 0.0:
            raise ModelError(f"{name} is {shown(value)}; give a positive number")

"""Cross-sections of beams, rods and cables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.quantities import Made, Quantity


@dataclass(frozen=True)
class Section(Summary):
    """Cross-section: ``A`` area, ``Iy``, ``Iz`` second moments about its axes y and z, ``J`` torsion constant, ``ky``,
    ``kz`` shear coefficients of forces along y and z (0: no shear deformation, Euler-Bernoulli); length units of the
    model.

    For stresses: ``fibres`` (k, 2): y and z of the evaluation points, from the centroid; ``Wt``: torsional section
    modulus, torque divided by the largest shear stress, which is used at all fibres (0: torsional shear stress is
    omitted). `round` and `rectangle` set both, and include the shear stress of transverse forces.
    """

    A: float
    Iy: float
    Iz: float
    J: float
    ky: float = 0.0
    kz: float = 0.0
    fibres: tuple[tuple[float, float], ...] = ()
    Wt: float = 0.0
    #: (k, 2, 3) shear stresses xy and xz of the fibres by Vy, Vz and T
    shears: tuple = field(default=(), repr=False)

    def __post_init__(self) -> None:
        try:
            fibres = tuple((float(y), float(z)) for y, z in self.fibres)
        except (TypeError, ValueError):
            raise ModelError(f"fibres of a section are {shown(self.fibres)}; give pairs of y and z") from None
        object.__setattr__(self, "fibres", fibres)
        if not self.Wt >= 0.0:
            raise ModelError(f"Wt of a section is {shown(self.Wt)}; give zero or a positive number")
        for name in ("A", "Iy", "Iz", "J"):
            if not getattr(self, name) > 0.0:
                raise ModelError(f"{name} of a section is {shown(getattr(self, name))}; give a positive number")
        for name in ("ky", "kz"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ModelError(f"{name} of a section is {shown(getattr(self, name))}; give a number from 0 to 1")

    @classmethod
    def round(cls, radius: float, hollow: float = 0.0, *, shear: bool = False) -> Section:
        """Circle or tube of outer ``radius`` and inner radius ``hollow`` (length). ``shear``: Timoshenko, coefficient
        0.9 (0.5 for a thin tube).

        Raises `ModelError` for an inner radius that is not smaller than the outer one.
        """
        if _of_parameters(radius, hollow):
            return Made(cls.round, (radius, hollow), {"shear": shear})  # type: ignore[return-value]
        if not radius > hollow >= 0.0:
            raise ModelError(f"a tube of radius {radius:g} cannot have a hole of radius {hollow:g}")
        I = math.pi * (radius**4 - hollow**4) / 4.0
        k = (0.9 - 0.4 * (hollow / radius) ** 2) if shear else 0.0
        A = math.pi * (radius**2 - hollow**2)
        across = (
            4.0 / 3.0 * (radius**2 + radius * hollow + hollow**2) / (radius**2 + hollow**2) / A
        )  # at the neutral axis
        fibres, shears = [], []
        for c, s in ((math.cos(a), math.sin(a)) for a in np.arange(8) * math.pi / 4.0):
            fibres.append((radius * c, radius * s))
            # along the rim, at (y, z) = r (c, s) in the direction (-s, c): of Vy as its share across the direction, of
            # Vz too
            along = (-s * across, c * across, radius / (2.0 * I))
            shears.append((tuple(-s * v for v in along), tuple(c * v for v in along)))
        return cls(A, I, I, 2.0 * I, k, k, tuple(fibres), 2.0 * I / radius, tuple(shears))

    @classmethod
    def rectangle(cls, y: float, z: float, *, shear: bool = False) -> Section:
        """Rectangle of sides ``y`` and ``z`` (length).  ``shear``: Timoshenko, coefficient 5/6.  Torsion constant after
        Roark (1975), table 20.

        Raises `ModelError` for sides that are not positive.
        """
        if _of_parameters(y, z):
            return Made(cls.rectangle, (y, z), {"shear": shear})  # type: ignore[return-value]
        if not (y > 0.0 and z > 0.0):
            raise ModelError(f"sides of a rectangle are {y:g} and {z:g}; give positive numbers")
        a, b = max(y, z), min(y, z)
        J = a * b**3 * (1.0 / 3.0 - 0.21 * b / a * (1.0 - (b / a) ** 4 / 12.0))
        k = 5.0 / 6.0 if shear else 0.0
        # torsion (Roark, table 20): the largest shear stress in the middle of the long sides; in that of the short ones
        # by what Timoshenko & Goodier, Theory of Elasticity (1951), art. 94, have for its series, within 0.5 %
        largest = (
            3.0
            / (a * b**2)
            * (1.0 + 0.6095 * b / a + 0.8865 * (b / a) ** 2 - 1.8023 * (b / a) ** 3 + 0.9100 * (b / a) ** 4)
        )
        short = largest * _short_side(b / a)
        on_y, on_z = (short, largest) if y >= z else (largest, short)  # in the middle of the sides y = const, z = const
        across = 1.5 / (y * z)
        fibres, shears = [], []
        for i in (1.0, -1.0):
            fibres += [(i * y / 2, 0.0), (0.0, i * z / 2), (i * y / 2, z / 2), (i * y / 2, -z / 2)]
            shears += [((0.0, 0.0, 0.0), (0.0, across, i * on_y)), ((across, 0.0, -i * on_z), (0.0, 0.0, 0.0))]
            shears += [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))] * 2
        return cls(y * z, y * z**3 / 12.0, z * y**3 / 12.0, J, k, k, tuple(fibres), 1.0 / largest, tuple(shears))

    @property
    def law(self) -> np.ndarray:
        """(k, 3, 6): stresses xx, xy, xz at each fibre, force / length^2, by N, Vy, Vz, T, My, Mz of the section."""
        out = np.zeros((len(self.fibres), 3, 6))
        for k, (y, z) in enumerate(self.fibres):
            out[k, 0, [0, 4, 5]] = 1.0 / self.A, z / self.Iy, -y / self.Iz
            if self.shears:
                out[k, 1:, 1:4] = self.shears[k]
            elif self.Wt:
                far = math.hypot(y, z) or 1.0
                out[k, 1, 3], out[k, 2, 3] = -z / far / self.Wt, y / far / self.Wt
        return out


def _of_parameters(*values: Any) -> bool:
    return any(isinstance(v, Quantity) for v in values)


def _short_side(ratio: float) -> float:
    """Shear stress of torsion in the middle of the short sides of a rectangle, as a share of that in the middle of the
    long ones; ``ratio`` of short to long side.  Series of Timoshenko & Goodier, art. 94."""
    n = np.arange(1, 4001, 2)
    h = np.minimum(np.pi * n / (2.0 * ratio), 300.0)  # b / 2a of the series, long side b
    long = 1.0 - 8.0 / np.pi**2 * np.sum(1.0 / (n**2 * np.cosh(h)))
    short = 8.0 / np.pi**2 * np.sum((-1.0) ** ((n - 1) // 2) * np.tanh(h) / n**2)
    return float(short / long)

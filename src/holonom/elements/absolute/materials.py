"""Materials of absolute nodal elements: what stress a Green-Lagrange strain has.

`Linear` is St Venant and Kirchhoff's, S = lambda tr(E) I + 2 mu E, with E, nu and the time ``tau`` of Kelvin and Voigt
(S + tau dS/dt). `MooneyRivlin` is

    W = c10 (J^-2/3 I1 - 3) + c01 (J^-4/3 I2 - 3) + k/2 (J - 1)^2,      S = 2 dW/dC,   C = 2 E + 1,   J^2 = I3 = det C

nearly incompressible with a bulk modulus k that is large compared with the shear modulus 2 (c10 + c01); c01 = 0 is the
neo-Hookean one.  Strains of a point are (E11, E22, E33, 2 E23, 2 E13, 2 E12), in the plane (E11, E22, 2 E12) with E33 =
0.  (M. Mooney, J. Appl. Phys. 11 (1940) 582-592; R. S. Rivlin, Phil. Trans. R. Soc. A 241 (1948) 379-397; penalty of
the volume: G. Orzechowski, J. Fraczek, Nonlinear Dyn. 82 (2015) 451-464.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._jit import jit
from ..._moved import former_attribute
from ...model.base import ModelError
from ..duals import along, real, sqrt

LINEAR, MOONEY_RIVLIN = 0, 1
#: names of the numbers of a material in properties of elements
MATERIAL = ("law", "a", "b", "c", "density", "tau")


@dataclass(frozen=True)
class Linear:
    """St Venant and Kirchhoff: ``E`` force/length^2, ``nu`` from -1 to 0.5 (both excluded), ``density`` mass/length^3,
    ``tau`` time of Kelvin and Voigt.

    Raises ModelError for numbers that no material has.
    """

    E: float
    nu: float = 0.3
    density: float = 0.0
    tau: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "E")
        if not -1.0 < self.nu < 0.5:
            raise ModelError(
                f"nu of a material is {self.nu:g}; give a number between -1 and 0.5, or a MooneyRivlin material for "
                "one that keeps its volume"
            )

    @property
    def parameters(self) -> tuple[float, ...]:
        """As data of elements have it (`material`)."""
        return (float(LINEAR), self.E, self.nu, 0.0, self.density, self.tau)

    numbers = former_attribute("numbers", "parameters")

    @property
    def mu(self) -> float:
        """Shear modulus."""
        return self.E / (2.0 * (1.0 + self.nu))

    @property
    def lam(self) -> float:
        """Lame's first constant."""
        return self.E * self.nu / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu))

    def solid(self) -> np.ndarray:
        """(6, 6) of strains in space."""
        D = np.zeros((6, 6))
        D[:3, :3] = self.lam
        D[range(6), range(6)] += [2.0 * self.mu] * 3 + [self.mu] * 3
        return D

    def plane(self, stress: bool) -> np.ndarray:
        """(3, 3) of strains in a plane: of plane stress, or of plane strain."""
        lam = 2.0 * self.lam * self.mu / (self.lam + 2.0 * self.mu) if stress else self.lam
        return np.array([[lam + 2.0 * self.mu, lam, 0.0], [lam, lam + 2.0 * self.mu, 0.0], [0.0, 0.0, self.mu]])


@dataclass(frozen=True)
class MooneyRivlin:
    """Rubber: ``c10``, ``c01`` and the bulk modulus ``k``, force/length^2; ``density`` mass/length^3.  Only elements
    with a law at each point of their volume take it (formulation "continuum").  Raises ModelError for numbers that no
    rubber has."""

    c10: float
    c01: float = 0.0
    k: float = 0.0
    density: float = 0.0
    tau: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "c10", "k")
        if not self.c01 >= 0.0:
            raise ModelError(f"c01 of a material is {self.c01:g}; give zero or a positive number")
        if self.tau:
            raise ModelError("a MooneyRivlin material has no tau; damp what it is fixed to, or take a Linear material")

    @property
    def parameters(self) -> tuple[float, ...]:
        """As data of elements have it (`material`)."""
        return (float(MOONEY_RIVLIN), self.c10, self.c01, self.k, self.density, self.tau)

    numbers = former_attribute("numbers", "parameters")

    @property
    def nu(self) -> float:
        """Poisson's ratio of small strains."""
        return (3.0 * self.k - 2.0 * self.mu) / (6.0 * self.k + 2.0 * self.mu)

    @property
    def mu(self) -> float:
        """Shear modulus of small strains."""
        return 2.0 * (self.c10 + self.c01)

    @property
    def E(self) -> float:
        """Modulus of small strains in uniaxial stress."""
        return 9.0 * self.k * self.mu / (3.0 * self.k + self.mu)


def material(numbers) -> Linear | MooneyRivlin:
    """The material of ``numbers``: law, three of the law, density, tau."""
    law, a, b, c, density, tau = (float(x) for x in numbers)
    return MooneyRivlin(a, b, c, density, tau) if law == MOONEY_RIVLIN else Linear(a, b, density, tau)


def known(what: str, given, *, rubber: bool = True) -> None:
    """Raises ModelError where ``given`` is not a material, or one that elements of this formulation cannot take."""
    if not isinstance(given, (Linear, MooneyRivlin)):
        raise ModelError(f"material of {what} is {given!r}; give a Linear or a MooneyRivlin material")
    if isinstance(given, MooneyRivlin) and not rubber:
        raise ModelError(
            f"{what} has a law of section, which a MooneyRivlin material is not; give formulation='continuum', or a "
            "Linear material"
        )


def _check(material, *names: str) -> None:
    for name in names:
        if not (getattr(material, name) > 0.0 and np.isfinite(getattr(material, name))):
            raise ModelError(f"{name} of a material is {getattr(material, name)!r}; give a positive number")
    for name in ("density", "tau"):
        if not (getattr(material, name) >= 0.0 and np.isfinite(getattr(material, name))):
            raise ModelError(f"{name} of a material is {getattr(material, name)!r}; give zero or a positive number")


@jit
def power(x, p):
    """x^p of a positive number."""
    r = real(x) ** p
    return along(x, r, p * r / real(x))


@jit
def _metric(e):
    """C of strains, in space or in a plane: c11, c22, c33, c23, c13, c12."""
    if len(e) == 3:
        return 1.0 + 2.0 * e[0], 1.0 + 2.0 * e[1], 1.0 + 0.0 * e[0], 0.0 * e[0], 0.0 * e[0], e[2]
    return 1.0 + 2.0 * e[0], 1.0 + 2.0 * e[1], 1.0 + 2.0 * e[2], e[3], e[4], e[5]


@jit
def hyperelastic_stress(c10, c01, k, w, e, s):
    """s += w dW/de."""
    a, b, c, x, y, z = _metric(e)
    I1 = a + b + c
    I2 = a * b + b * c + c * a - x * x - y * y - z * z
    # cofactors of C: derivative of its determinant
    A, B, D = b * c - x * x, a * c - y * y, a * b - z * z
    X, Y, Z = y * z - a * x, x * z - b * y, x * y - c * z
    I3 = a * A + z * Z + y * Y
    J = sqrt(I3)
    third = power(I3, -1.0 / 3.0)
    one, two = c10 * third, c01 * third * third
    three = -(one * I1 + 2.0 * two * I2) / (3.0 * I3) + 0.5 * k * (J - 1.0) / J
    w = 2.0 * w
    s[0] += w * (one + two * (b + c) + three * A)
    s[1] += w * (one + two * (a + c) + three * B)
    if len(e) == 3:
        s[2] += w * (three * Z - two * z)
        return
    s[2] += w * (one + two * (a + b) + three * D)
    s[3] += w * (three * X - two * x)
    s[4] += w * (three * Y - two * y)
    s[5] += w * (three * Z - two * z)


@jit
def hyperelastic_energy(c10, c01, k, e):
    """W of strains."""
    a, b, c, x, y, z = _metric(e)
    I1 = a + b + c
    I2 = a * b + b * c + c * a - x * x - y * y - z * z
    I3 = a * (b * c - x * x) + z * (x * y - c * z) + y * (x * z - b * y)
    third = power(I3, -1.0 / 3.0)
    J = sqrt(I3)
    return c10 * (third * I1 - 3.0) + c01 * (third * third * I2 - 3.0) + 0.5 * k * (J - 1.0) * (J - 1.0)

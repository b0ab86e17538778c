"""BEAM: massless uniform Timoshenko beam along x of J from J to I; a FIELD whose matrices come from the section.

With Py = 12 E Izz asy / (G A L^2), Pz = 12 E Iyy asz / (G A L^2), rest (L, 0, 0, 0, 0, 0), order x, y, z, a, b, c:
    K11 = E A / L      K22 = 12 Sy / L^2    K26 = K62 = -6 Sy / L    K66 = (4 + Py) Sy    Sy = E Izz / (L (1 + Py))
    K44 = G Ixx / L    K33 = 12 Sz / L^2    K35 = K53 = +6 Sz / L    K55 = (4 + Pz) Sz    Sz = E Iyy / (L (1 + Pz))
Damping is ``cratio`` K or the symmetric ``cmatrix`` (21 numbers: lower triangle by columns; or 36 in row order).
Source: Adams Solver manual, BEAM statement, FORMULATION = LINEAR (Timoshenko; NONLINEAR is `nonlinear_beam`, STRING
`string_beam`); Przemieniecki, Theory of Matrix Structural Analysis, section 5.6, end 2 with end 1 held. Kernels are
those of `field`.
"""

from __future__ import annotations

from .field import COLUMNS, energy, field_row, power, tangent, wrench

__all__ = ["COLUMNS", "energy", "power", "row", "stiffness", "takes", "tangent", "wrench"]
ELEMENT = "BEAM"


def takes(beam) -> bool:
    """Those of small rotations."""
    return beam.formulation.upper() not in ("NONLINEAR", "STRING")


def stiffness(beam) -> list[float]:
    """The 36 stiffnesses in row order."""
    E, G, A, L = beam.emodulus, beam.gmodulus, beam.area, beam.length
    shear = 12.0 / (G * A * L * L) * E if beam.asy or beam.asz else 0.0
    K = [0.0] * 36
    K[0] = E * A / L
    K[21] = G * beam.ixx / L
    for v, r, I, P, sign in (
        (1, 5, beam.izz, shear * beam.izz * beam.asy, -1.0),
        (2, 4, beam.iyy, shear * beam.iyy * beam.asz, 1.0),
    ):
        s = E * I / (L * (1.0 + P))
        K[7 * v] = 12.0 * s / (L * L)
        K[7 * r] = (4.0 + P) * s
        K[6 * v + r] = K[6 * r + v] = sign * 6.0 * s / L
    return K


def row(element, model=None) -> tuple[float, ...]:
    """Row of a `model.Beam` for the kernels of `field`."""
    if element.formulation.upper() != "LINEAR":
        raise element.error(f"formulation {element.formulation} is not supported; use LINEAR")
    if not element.length > 0.0:
        raise element.error(f"length must be positive, {element.length} given")
    if (element.asy or element.asz) and not element.gmodulus * element.area > 0.0:
        raise element.error("asy and asz need a positive gmodulus and area")
    K = stiffness(element)
    return field_row(K, damping(element, K), [0.0] * 6, [element.length, 0.0, 0.0, 0.0, 0.0, 0.0])


def damping(element, K) -> list[float]:
    """The 36 dampings in row order."""
    c = element.cmatrix
    if element.cratio is not None:
        return [element.cratio * x for x in K]
    if len(c) == 21:
        place = {(s, r): n for n, (r, s) in enumerate((r, s) for r in range(6) for s in range(r, 6))}
        return [c[place[max(r, s), min(r, s)]] for r in range(6) for s in range(6)]
    if len(c) in (0, 36):
        return list(c) or [0.0] * 36
    raise element.error(f"cmatrix needs 21 numbers, {len(c)} given")

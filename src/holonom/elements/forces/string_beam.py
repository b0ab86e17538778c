"""BEAM with FORMULATION = STRING: the linear beam, whose axis is also stretched where it is bent (von Karman's strain).

In axes of J, with the position (x, y, z) and the small turns (a, b, c) of I and the cubic shapes of a beam without
shear,

    d = x - L + S/2,   S = integral of (y'^2 + z'^2) = (36 y^2 - 6 L y c + 4 L^2 c^2  +  36 z^2 + 6 L z b + 4 L^2 b^2) /
        (30 L)
    U = U_linear(y, z, a, b, c) + EA d^2 / (2 L),      forces on I: -dU/d(x, y, z, a, b, c), less those of CRATIO or
        CMATRIX

so tension stiffens it across, compression buckles it, and bending shortens it: the geometric stiffness of J. S.
Przemieniecki, Theory of Matrix Structural Analysis (1968), section 15.3, with the tension that the beam has.  Adams'
manual calls STRING a simplified nonlinear theory and prints no equations; what is left out here are turns of the beam
as a whole against J, which the linear beam leaves out too.
"""

from __future__ import annotations

from .beam import damping, stiffness

RATES = ("VX", "VY", "VZ", "WX", "WY", "WZ")


def components(beam, i: int, j: int) -> list[str]:
    """The three forces and three torques on marker ``i`` in axes of ``j``, as runtime functions."""
    K, C, L = stiffness(beam), damping(beam, stiffness(beam)), beam.length
    number = lambda x: f"({float(x)!r})"
    y, z = (f"{name}({i},{j},{j})" for name in ("DY", "DZ"))
    a, b, c = (f"{name}({i},{j})" for name in ("AX", "AY", "AZ"))
    half = f"(36*({y}**2+{z}**2)+{number(6 * L)}*({z}*{b}-{y}*{c})+{number(4 * L * L)}*({b}**2+{c}**2))*{number(1 / (60 * L))}"  # noqa: E501
    pull = f"({number(K[0])}*(DX({i},{j},{j})-{number(L)}+{half}))"
    turns = number(1.0 / (30.0 * L))
    elastic = (
        pull,
        f"{number(K[7])}*{y}+{number(K[11])}*{c}+{pull}*(36*{y}-{number(3 * L)}*{c})*{turns}",
        f"{number(K[14])}*{z}+{number(K[16])}*{b}+{pull}*(36*{z}+{number(3 * L)}*{b})*{turns}",
        f"{number(K[21])}*{a}",
        f"{number(K[26])}*{z}+{number(K[28])}*{b}+{pull}*({number(4 * L * L)}*{b}+{number(3 * L)}*{z})*{turns}",
        f"{number(K[31])}*{y}+{number(K[35])}*{c}+{pull}*({number(4 * L * L)}*{c}-{number(3 * L)}*{y})*{turns}",
    )
    out = []
    for r, text in enumerate(elastic):
        lost = "".join(
            f"-{number(C[6 * r + s])}*{rate}({i},{j},{j}{f',{j}' if rate[0] == 'V' else ''})"
            for s, rate in enumerate(RATES)
            if C[6 * r + s]
        )
        out.append(f"-({text}){lost}")
    return out

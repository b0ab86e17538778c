"""TYRE_MF6: the Magic Formula of 2010 (MF-Tyre 6.1 and 6.2), with inflation pressure and turn slip, between a wheel and
a road.

Forces and moments in the contact patch (W axes of ISO 8855) after H. B. Pacejka, Tire and Vehicle Dynamics (2012),
4.3.2, equations 4.E1 to 4.E78, with the effects of inflation pressure and large camber of I. J. M. Besselink, A. J. C.
Schmeitz, H. B. Pacejka, "An improved Magic Formula/Swift tyre model that can handle inflation pressure changes",
Vehicle System Dynamics 48 (2010) S1, 337-352.  With dfz = (Fz - Fz0') / Fz0', Fz0' = LFZO FNOMIN, dp = (p - p0) / p0,
alpha* = tan(alpha), gamma* = sin(gamma):

    pure slip        F = D sin(C atan(B k - E (B k - atan(B k)))) + S_v,    B = K / (C D)
                     K_xk = Fz (PKX1 + PKX2 dfz) exp(PKX3 dfz) (1 + PPX1 dp + PPX2 dp^2)
                     K_ya = PKY1 Fz0' (1 + PPY1 dp) (1 - PKY3 |gamma*|) sin(PKY4 atan(Fz / Fz0' / ((PKY2 + PKY5
                         gamma*^2) (1 + PPY2 dp))))
    combined slip    F_x = G_xa F_x0,     F_y = G_yk F_y0 + S_vyk;  without coefficients of it, or where it is
        requested, by a friction ellipse (`magic.ellipse`)
    aligning         M_z = -t F_y' + M_zr + s F_x,    F_y' = G_yk F_y0 without camber and spin (4.E74); t, M_zr with the
        sign of V_x (4.E42, 4.E47)
    overturning      M_x of QSX1 to QSX14, PPMX1
    rolling          M_y = -R0 FNOMIN (QSY1 + QSY2 F_x / FNOMIN + QSY3 |V_x / V0| + QSY4 (V_x / V0)^4 + (QSY5 + QSY6 Fz
        / FNOMIN) gamma^2)
                           (Fz / FNOMIN)^QSY7 (p / p0)^QSY8 LMY, against the spin
    normal           Fz = (1 + Q_V2 |omega| R0 / V0 - (Q_FCX F_x / FNOMIN)^2 - (Q_FCY F_y / FNOMIN)^2) (1 + PFZ1 dp)
                          ((Q_FZ1 + Q_FZ3 gamma^2) rho / R0 + Q_FZ2 (rho / R0)^2) FNOMIN LCZ + VERTICAL_DAMPING rho',
                     Q_FZ1^2 = (VERTICAL_STIFFNESS R0 / FNOMIN)^2 - 4 Q_FZ2
    radii            R_omega = R0 (Q_RE0 + Q_V1 (R0 omega / V0)^2),   rho = R_omega - R_l,
                     R_e = R_omega - Fz0' / Cz (DREFF atan(BREFF Fz / Fz0') + FREFF Fz / Fz0'),   Cz =
                         VERTICAL_STIFFNESS (1 + PFZ1 dp)
    relaxation       sigma_x = |K_xk| / Cx,   sigma_y = |K_ya| / Cy,   Cx = LONGITUDINAL_STIFFNESS (1 + PCFX1 dfz +
        PCFX2 dfz^2) (1 + PCFX3 dp), Cy alike
    turn slip        phi = (psi' - eps omega sin(gamma)) / V of all that turns about the normal (mode 5): reduction
        factors zeta_1 to zeta_8 (4.9);
                     rolling backward bristles lean to the other side, so that the side force of phi changes its sign
                         and its moment does not

Load and forces depend on each other where Q_FCX or Q_FCY are given: their fixed point is taken after two passes,
extrapolated (Aitken), and a third.  Friction scales F_x, F_y by LMUX, LMUY and digressively their shifts (4.E8).  Slips
are those of the contact with its two states (`contact`); slips, inclination, load and pressure are kept within the
ranges of the file.  A tyre on the other side than it was measured is the mirror image.  Belt dynamics of MF-Swift
(rigid ring) are not here.

Energy: that of the vertical spring by rho of the unloaded radius without speed; all else counts as lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...._jit import jit
from ....model.base import did_you_mean
from ....model.builder.teaching import sound
from ....model.values import named_numbers, number
from ...duals import atan, clip, cos, exp, real, sign, sin, size, sqrt, tan
from .contact import SHORT, STIFF, at_least, edge, heading, pace, patch_slips, way
from .magic import bell, ellipse, magic
from .pac2002 import lacking_combined, without_combined
from .tyre import Tyre, calm, on, tyre_kind

DIGRESSIVE = 10.0  # A_mu of 4.E8
SMALL = 1e-6  # next to 1: keeps quotients finite

#: coefficients -> what they are without a file
COEFFICIENTS: dict[str, float] = {
    "UNLOADED_RADIUS": 0.0,
    "VERTICAL_STIFFNESS": 0.0,
    "VERTICAL_DAMPING": 0.0,
    "LONGITUDINAL_STIFFNESS": 0.0,
    "LATERAL_STIFFNESS": 0.0,
    "FNOMIN": 0.0,
    "LONGVL": 16.7,
    "VXLOW": 1.0,
    "INFLPRES": 200000.0,
    "NOMPRES": 200000.0,
    "BREFF": 8.4,
    "DREFF": 0.27,
    "FREFF": 0.07,
    "KPUMIN": -1.5,
    "KPUMAX": 1.5,
    "ALPMIN": -1.5,
    "ALPMAX": 1.5,
    "CAMMIN": -0.26,
    "CAMMAX": 0.26,
    "FZMIN": 0.0,
    "FZMAX": 0.0,
    "PRESMIN": 0.0,
    "PRESMAX": 1000000000000.0,
    **dict.fromkeys(
        "LFZO LCX LMUX LEX LKX LHX LVX LCY LMUY LEY LKY LKYC LKZC LHY LVY LTR LRES LXAL LYKA LVYKA LS LMX LVMX LMY "
        "LMP LCZ".split(),
        1.0,
    ),
    **dict.fromkeys(
        (
            "Q_V1 Q_V2 Q_FZ2 Q_FZ3 Q_FCX Q_FCY PFZ1 PCFX1 PCFX2 PCFX3 PCFY1 PCFY2 PCFY3 PCX1 PDX1 PDX2 PDX3 PEX1 PEX2 "
            "PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 "
            "PVX1 PVX2 PPX1 PPX2 PPX3 PPX4 RBX1 RBX2 RBX3 RCX1 REX1 REX2 RHX1 QSX1 QSX2 QSX3 QSX4 QSX5 QSX6 QSX7 QSX8 "
            "QSX9 QSX10 QSX11 QSX12 QSX13 QSX14 "
            "PPMX1 PCY1 PDY1 PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PEY5 PKY1 PKY2 PKY3 PKY5 PKY6 PKY7 PHY1 PHY2 PVY1 PVY2 PVY3 "
            "PVY4 PPY1 PPY2 PPY3 PPY4 PPY5 RBY1 "
            "RBY2 RBY3 RBY4 RCY1 REY1 REY2 RHY1 RHY2 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6 QSY1 QSY2 QSY3 QSY4 QSY5 QSY6 QSY8 "
            "QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QBZ10 "
            "QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 QDZ6 QDZ7 QDZ8 QDZ9 QDZ10 QDZ11 QEZ1 QEZ2 QEZ3 QEZ4 QEZ5 QHZ1 QHZ2 QHZ3 QHZ4 "
            "PPZ1 PPZ2 SSZ1 SSZ2 SSZ3 SSZ4 PDXP1 "
            "PDXP2 PDXP3 PKYP1 PDYP1 PDYP2 PDYP3 PDYP4 PHYP2 PHYP3 PHYP4 PECP2 QDTP1 QCRP1 QBRP1 QDRP2"
        ).split(),
        0.0,
    ),
    "Q_RE0": 1.0,
    "PKY4": 2.0,
    "QSY7": 1.0,
    "QCRP2": 0.1,
    "PHYP1": 1.0,
    "QDRP1": 1.0,
    "PECP1": 0.0,
}
#: of those that are not pure numbers: powers of length, force, time
DIMENSIONS = {
    "UNLOADED_RADIUS": (1, 0, 0), "VERTICAL_STIFFNESS": (-1, 1, 0), "VERTICAL_DAMPING": (-1, 1, 1),
    "LONGITUDINAL_STIFFNESS": (-1, 1, 0),
    "LATERAL_STIFFNESS": (-1, 1, 0), "FNOMIN": (0, 1, 0), "LONGVL": (1, 0, -1), "VXLOW": (1, 0, -1), "FZMIN": (0, 1, 0),
    "FZMAX": (0, 1, 0),
    "INFLPRES": (-2, 1, 0), "NOMPRES": (-2, 1, 0), "PRESMIN": (-2, 1, 0), "PRESMAX": (-2, 1, 0),
}  # fmt: skip
#: the order of the columns
ORDER = (
    "UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS",
    "FNOMIN", "LONGVL", "VXLOW", "INFLPRES",
    "NOMPRES", "BREFF", "DREFF", "FREFF", "KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX", "FZMIN", "FZMAX",
    "PRESMIN", "PRESMAX", "LFZO",
    "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LCY", "LMUY", "LEY", "LKY", "LKYC", "LKZC", "LHY", "LVY", "LTR", "LRES",
    "LXAL", "LYKA", "LVYKA", "LS",
    "LMX", "LVMX", "LMY", "LMP", "LCZ", "Q_RE0", "Q_V1", "Q_V2", "Q_FZ2", "Q_FZ3", "Q_FCX", "Q_FCY", "PFZ1", "PCFX1",
    "PCFX2", "PCFX3", "PCFY1", "PCFY2",
    "PCFY3", "PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PEX3", "PEX4", "PKX1", "PKX2", "PKX3", "PHX1", "PHX2",
    "PVX1", "PVX2", "PPX1", "PPX2",
    "PPX3", "PPX4", "RBX1", "RBX2", "RBX3", "RCX1", "REX1", "REX2", "RHX1", "QSX1", "QSX2", "QSX3", "QSX4", "QSX5",
    "QSX6", "QSX7", "QSX8", "QSX9",
    "QSX10", "QSX11", "QSX12", "QSX13", "QSX14", "PPMX1", "PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PEY3",
    "PEY4", "PEY5", "PKY1", "PKY2", "PKY3",
    "PKY4", "PKY5", "PKY6", "PKY7", "PHY1", "PHY2", "PVY1", "PVY2", "PVY3", "PVY4", "PPY1", "PPY2", "PPY3", "PPY4",
    "PPY5", "RBY1", "RBY2", "RBY3",
    "RBY4", "RCY1", "REY1", "REY2", "RHY1", "RHY2", "RVY1", "RVY2", "RVY3", "RVY4", "RVY5", "RVY6", "QSY1", "QSY2",
    "QSY3", "QSY4", "QSY5", "QSY6",
    "QSY7", "QSY8", "QBZ1", "QBZ2", "QBZ3", "QBZ4", "QBZ5", "QBZ9", "QBZ10", "QCZ1", "QDZ1", "QDZ2", "QDZ3", "QDZ4",
    "QDZ6", "QDZ7", "QDZ8", "QDZ9",
    "QDZ10", "QDZ11", "QEZ1", "QEZ2", "QEZ3", "QEZ4", "QEZ5", "QHZ1", "QHZ2", "QHZ3", "QHZ4", "PPZ1", "PPZ2", "SSZ1",
    "SSZ2", "SSZ3", "SSZ4", "PDXP1",
    "PDXP2", "PDXP3", "PKYP1", "PDYP1", "PDYP2", "PDYP3", "PDYP4", "PHYP1", "PHYP2", "PHYP3", "PHYP4", "PECP1", "PECP2",
    "QDTP1", "QCRP1", "QCRP2",
    "QBRP1", "QDRP1", "QDRP2",
)  # fmt: skip
(
    R0,
    CZ,
    KZ,
    CX,
    CY,
    FNOMIN,
    LONGVL,
    VXLOW,
    INFLPRES,
    NOMPRES,
    BREFF,
    DREFF,
    FREFF,
    KPUMIN,
    KPUMAX,
    ALPMIN,
    ALPMAX,
    CAMMIN,
    CAMMAX,
    FZMIN,
    FZMAX,
    PRESMIN,
    PRESMAX,
    LFZO,
    LCX,
    LMUX,
    LEX,
    LKX,
    LHX,
    LVX,
    LCY,
    LMUY,
    LEY,
    LKY,
    LKYC,
    LKZC,
    LHY,
    LVY,
    LTR,
    LRES,
    LXAL,
    LYKA,
    LVYKA,
    LS,
    LMX,
    LVMX,
    LMY,
    LMP,
    LCZ,
    Q_RE0,
    Q_V1,
    Q_V2,
    Q_FZ2,
    Q_FZ3,
    Q_FCX,
    Q_FCY,
    PFZ1,
    PCFX1,
    PCFX2,
    PCFX3,
    PCFY1,
    PCFY2,
    PCFY3,
    PCX1,
    PDX1,
    PDX2,
    PDX3,
    PEX1,
    PEX2,
    PEX3,
    PEX4,
    PKX1,
    PKX2,
    PKX3,
    PHX1,
    PHX2,
    PVX1,
    PVX2,
    PPX1,
    PPX2,
    PPX3,
    PPX4,
    RBX1,
    RBX2,
    RBX3,
    RCX1,
    REX1,
    REX2,
    RHX1,
    QSX1,
    QSX2,
    QSX3,
    QSX4,
    QSX5,
    QSX6,
    QSX7,
    QSX8,
    QSX9,
    QSX10,
    QSX11,
    QSX12,
    QSX13,
    QSX14,
    PPMX1,
    PCY1,
    PDY1,
    PDY2,
    PDY3,
    PEY1,
    PEY2,
    PEY3,
    PEY4,
    PEY5,
    PKY1,
    PKY2,
    PKY3,
    PKY4,
    PKY5,
    PKY6,
    PKY7,
    PHY1,
    PHY2,
    PVY1,
    PVY2,
    PVY3,
    PVY4,
    PPY1,
    PPY2,
    PPY3,
    PPY4,
    PPY5,
    RBY1,
    RBY2,
    RBY3,
    RBY4,
    RCY1,
    REY1,
    REY2,
    RHY1,
    RHY2,
    RVY1,
    RVY2,
    RVY3,
    RVY4,
    RVY5,
    RVY6,
    QSY1,
    QSY2,
    QSY3,
    QSY4,
    QSY5,
    QSY6,
    QSY7,
    QSY8,
    QBZ1,
    QBZ2,
    QBZ3,
    QBZ4,
    QBZ5,
    QBZ9,
    QBZ10,
    QCZ1,
    QDZ1,
    QDZ2,
    QDZ3,
    QDZ4,
    QDZ6,
    QDZ7,
    QDZ8,
    QDZ9,
    QDZ10,
    QDZ11,
    QEZ1,
    QEZ2,
    QEZ3,
    QEZ4,
    QEZ5,
    QHZ1,
    QHZ2,
    QHZ3,
    QHZ4,
    PPZ1,
    PPZ2,
    SSZ1,
    SSZ2,
    SSZ3,
    SSZ4,
    PDXP1,
    PDXP2,
    PDXP3,
    PKYP1,
    PDYP1,
    PDYP2,
    PDYP3,
    PDYP4,
    PHYP1,
    PHYP2,
    PHYP3,
    PHYP4,
    PECP1,
    PECP2,
    QDTP1,
    QCRP1,
    QCRP2,
    QBRP1,
    QDRP1,
    QDRP2,
    MODE,
    MIRROR,
    MU,
    SLIDE_DAMPING,
    Q_FZ1,
    TIGHT,
    ELLIPSE,
) = range(len(ORDER) + 7)


@dataclass
class Mf6Tyre(Tyre):
    """TYRE_MF6: tyre between a wheel and a road by the Magic Formula of 2010.

    ``coefficients``: by the names of property files, units of the model; ``mode``: 0 load only, 1 F_x and M_y, 2 F_y,
    M_x, M_z, 3 all without combined slip, 4 all, 5 with turn slip; ``mirror``: mounted on the other side than measured;
    ``mu``: friction of the road relative to that of the measurement; ``pressure``: of inflation, 0: that of the file;
    ``ellipse``: combined slip by a friction ellipse, whatever the coefficients (FE_METHOD of files).
    """

    KIND: ClassVar[str] = "TYRE_MF6"
    coefficients: dict[str, float] = field(default_factory=dict)
    mode: int = 4
    mirror: bool = False
    mu: float = 1.0
    pressure: float = 0.0
    ellipse: bool = False

    def faults(self, model):
        """Invalid values: unknown coefficients, sizes that are not positive."""
        yield from Tyre.faults(self, model)
        for name in self.coefficients:
            if name not in COEFFICIENTS:
                yield (
                    f"there is no coefficient '{name}' of MF-Tyre 6{did_you_mean(name, COEFFICIENTS, '; leave it out')}"
                )
        have = {**COEFFICIENTS, **self.coefficients}
        for name in ("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN", "VXLOW", "LFZO", "LCZ", "NOMPRES", "LONGVL"):
            if not have[name] > 0.0:
                yield f"{name} is {have[name]:g}; give a positive number"
        wanted = {1: ("PCX1", "PDX1", "PKX1"), 2: ("PCY1", "PDY1", "PKY1", "PKY2")}
        for name in (*wanted[1], *wanted[2]) if self.mode >= 3 else wanted.get(self.mode, ()):
            if have[name] == 0.0:
                yield f"{name} is missing or zero; its forces cannot be computed"
        if self.mode not in range(6):
            yield (
                f"mode is {self.mode}; give 0 (load only), 1 (longitudinal), 2 (lateral), 3 (both), 4 (combined "
                "slip), or 5 (with turn slip)"
            )
        if self.mu < 0.0 or self.pressure < 0.0:
            yield f"mu is {self.mu:g} and pressure {self.pressure:g}; give zero or positive numbers"
        if have["VERTICAL_STIFFNESS"] > 0.0 and have["FNOMIN"] > 0.0 and stiffness(have) is None:
            yield f"VERTICAL_STIFFNESS is too small compared with Q_FZ2 = {have['Q_FZ2']:g} for a deflection at FNOMIN"
        if self.mode == 5 and math.sin(0.5 * math.pi * have["QDRP1"]) == 0.0:
            yield f"QDRP1 is {have['QDRP1']:g}; its turn slip has no limit, give about 1"

    def lacking(self) -> str:
        """Which coefficients of combined slip it lacks, and what is computed without them."""
        return lacking_combined(self)


def stiffness(have: dict[str, float]) -> float | None:
    """Q_FZ1."""
    square = (have["VERTICAL_STIFFNESS"] * have["UNLOADED_RADIUS"] / have["FNOMIN"]) ** 2 - 4.0 * have["Q_FZ2"]
    return math.sqrt(square) if square > 0.0 else None


def tyre_mf6(
    model,
    i,
    j,
    coefficients: dict,
    *,
    mode: int = 4,
    mirror: bool = False,
    mu: float = 1.0,
    pressure: float = 0.0,
    ellipse: bool = False,
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
) -> Mf6Tyre:
    """Tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of forward travel)
    on ``j``, a road or a marker of a flat one (z axis up), by the Magic Formula of MF-Tyre 6.1 and 6.2;
    `holonom.elements.forces.tyres.mf6` has the equations.

    ``coefficients``: by the names of property files (`holonom.vehicle.read_tir`), lengths, forces and times in units of
    the model; what is missing is zero, of scale factors one.  ``mode``: 4 all forces with combined slip (5 with turn
    slip, 3 without, 2 lateral, 1 longitudinal, 0 load only); ``mirror``, ``mu``, ``pressure``, ``ellipse``: see
    `Mf6Tyre`; ``contact``, ``footprint``: see `Tyre`.  Raises `ModelError` for unknown names and sizes that are not
    positive.

        tyre = model.tyre_mf6(wheel_centre, road, hn.vehicle.read_tir("tyre.tir", model.units).coefficients)
    """
    given = {k.upper(): v for k, v in named_numbers(coefficients, "coefficients").items()}
    e = Mf6Tyre(
        id=id,
        name=name,
        **on(model, i, j, contact, footprint),
        coefficients=given,
        mode=mode,
        mirror=bool(mirror),
        mu=number(mu, "mu"),
        pressure=number(pressure, "pressure"),
        ellipse=bool(ellipse),
    )
    return model.add(sound(e, model))


def parameters(e, model):
    have = {**COEFFICIENTS, **e.coefficients}
    if not have["FZMAX"] > 0.0:
        have["FZMAX"] = 20.0 * have["FNOMIN"]
    if e.pressure:
        have["INFLPRES"] = e.pressure
    have["INFLPRES"] = min(max(have["INFLPRES"], have["PRESMIN"]), have["PRESMAX"])
    load = have["LFZO"] * have["FNOMIN"]
    soft = max(abs(have["PKX1"]), abs(have["PKY1"]), 1.0) * load / have["UNLOADED_RADIUS"]
    damping = calm(model, soft, load) if e.mode else 0.0
    tight = float(have["Q_FCX"] != 0.0 or have["Q_FCY"] != 0.0) if e.mode else 0.0
    # Q_FZ1 is in the place of the stiffness that it follows from
    own = [have[name] for name in ORDER]
    round_ = float(e.mode >= 4 and (e.ellipse or without_combined(have)))
    return [*own, float(e.mode), -1.0 if e.mirror else 1.0, e.mu, damping, stiffness(have), tight, round_]


@jit
def growth(c, omega):
    """R_omega - R0."""
    q = c[R0] * omega / c[LONGVL]
    return c[R0] * (c[Q_RE0] - 1.0 + c[Q_V1] * q * q)


@jit
def pressing(c):
    return (c[INFLPRES] - c[NOMPRES]) / c[NOMPRES]


@jit
def base_load(c, rho, omega, gamma):
    """The load of the spring without that of forces."""
    q = rho / c[R0]
    return (
        (1.0 + c[Q_V2] * size(omega) * c[R0] / c[LONGVL])
        * (1.0 + c[PFZ1] * pressing(c))
        * ((c[Q_FZ1] + c[Q_FZ3] * gamma * gamma) * q + c[Q_FZ2] * q * q)
        * c[FNOMIN]
        * c[LCZ]
    )


@jit
def coupled(c, base, omega, fx, fy):
    """The same with that of forces."""
    x = c[Q_FCX] * fx / c[FNOMIN]
    y = c[Q_FCY] * fy / c[FNOMIN]
    v = 1.0 + c[Q_V2] * size(omega) * c[R0] / c[LONGVL]
    return base * (v - x * x - y * y) / v


@jit
def log(x):
    """ln of a positive number."""
    r = real(x)
    return math.log(r) + (x - r) / r


@jit
def rolling_radius(c, fz, omega):
    load = c[LFZO] * c[FNOMIN]
    cz = c[CZ] * (1.0 + c[PFZ1] * pressing(c)) * c[LCZ]
    q = fz / load
    return c[R0] + growth(c, omega) - load / cz * (c[DREFF] * atan(c[BREFF] * q) + c[FREFF] * q)


@jit
def slopes(c, fz, gamma):
    """K_xk, K_ya, K_ya without camber, K_yg0 at a load > 0 and gamma*."""
    load = c[LFZO] * c[FNOMIN]
    d = fz / load - 1.0
    p = pressing(c)
    Kx = fz * (c[PKX1] + c[PKX2] * d) * exp(c[PKX3] * d) * (1.0 + (c[PPX1] + c[PPX2] * p) * p) * c[LKX]
    q = fz / load / (1.0 + c[PPY2] * p)
    g = gamma * gamma
    Ky = fz * 0.0
    Ky0 = fz * 0.0
    if c[PKY2] != 0.0:
        Ky = (
            c[PKY1]
            * load
            * (1.0 + c[PPY1] * p)
            * (1.0 - c[PKY3] * size(gamma))
            * sin(c[PKY4] * atan(q / (c[PKY2] + c[PKY5] * g)))
            * c[LKY]
        )
        Ky0 = c[PKY1] * load * (1.0 + c[PPY1] * p) * sin(c[PKY4] * atan(q / c[PKY2])) * c[LKY]
    return Kx, Ky, Ky0, fz * (c[PKY6] + c[PKY7] * d) * (1.0 + c[PPY5] * p) * c[LKYC]


@jit
def relaxation(c, fz, gamma):
    """sigma_x and sigma_y."""
    least = SHORT * c[R0]
    fz = clip(fz, 0.0, c[FZMAX])
    d = fz / (c[LFZO] * c[FNOMIN]) - 1.0
    p = pressing(c)
    Kx, Ky, Ky0, Kg = slopes(c, fz, sin(gamma))
    cx = c[CX] * (1.0 + c[PCFX1] * d + c[PCFX2] * d * d) * (1.0 + c[PCFX3] * p)
    cy = c[CY] * (1.0 + c[PCFY1] * d + c[PCFY2] * d * d) * (1.0 + c[PCFY3] * p)
    sx = size(Kx) / cx if real(cx) > 0.0 else fz * 0.0
    sy = size(Ky) / cy if real(cy) > 0.0 else fz * 0.0
    return at_least(sx, least), at_least(sy, least)


@jit
def full_sliding(c, fz, road):
    """Slips kappa and tan(alpha) from which the whole patch slides: 3 D / K."""
    if real(fz) <= 0.0:
        return edge(fz * 0.0), edge(fz * 0.0)
    fz = clip(fz, 0.0, c[FZMAX])
    d = fz / (c[LFZO] * c[FNOMIN]) - 1.0
    Kx, Ky, Ky0, Kg = slopes(c, fz, fz * 0.0)
    mu = 3.0 * fz * c[MU] * road
    x = mu * size(c[PDX1] + c[PDX2] * d) * c[LMUX] / size(Kx) if real(Kx) != 0.0 else mu / fz
    y = mu * size(c[PDY1] + c[PDY2] * d) * c[LMUY] / size(Ky) if real(Ky) != 0.0 else mu / fz
    return edge(x), edge(y)


@jit
def digressed(scale):
    return DIGRESSIVE * scale / (1.0 + (DIGRESSIVE - 1.0) * scale)


@jit(apart=True)
def side_force(c, fz, tana, gamma, Ky, Kg, mu, zeta2, turn, shift):
    """Pure side force at tan alpha and gamma*: F_y0, mu_y, B_y, S_Hy, S_Vy; ``shift``: S_Hy of spin in place of
    camber's where ``turn``."""
    load = c[LFZO] * c[FNOMIN]
    d = fz / load - 1.0
    p = pressing(c)
    g = gamma * gamma
    scale = c[LMUY] * mu
    low = digressed(scale)
    muy = (c[PDY1] + c[PDY2] * d) * (1.0 + (c[PPY3] + c[PPY4] * p) * p) * (1.0 - c[PDY3] * g) * scale
    svg = fz * (c[PVY3] + c[PVY4] * d) * gamma * c[LKYC] * low * zeta2
    svy = fz * (c[PVY1] + c[PVY2] * d) * c[LVY] * low * zeta2 + svg
    K = Ky if abs(real(Ky)) > SMALL * load else Ky * 0.0 + SMALL * load
    shy = (c[PHY1] + c[PHY2] * d) * c[LHY]
    if turn:
        shy = shy + shift - svg / K
    else:
        shy = shy + (Kg * gamma - svg) / K
    ay = tana + shy
    Dy = muy * fz * zeta2
    Cy = c[PCY1] * c[LCY]
    Ey = (c[PEY1] + c[PEY2] * d) * (1.0 + c[PEY5] * g - (c[PEY3] + c[PEY4] * gamma) * sign(ay)) * c[LEY]
    if real(Ey) > 1.0:
        Ey = Ey * 0.0 + 1.0
    By = Ky * 0.0
    fy = svy
    if abs(real(Dy)) > 0.0:
        By = Ky / (Cy * Dy)
        fy = magic(Dy, Cy, By, Ey, ay) + svy
    return fy, muy, By, shy, svy


@jit(apart=True)
def slip_forces(c, fz, kappa, tana, gamma, vx, omega, phi, phit, road):
    """F_x, F_y, M_x, M_y, M_z of a tyre on the side where it was measured, and the slip stiffnesses K_x, K_y (per unit
    of kappa and tan alpha)."""
    alpha = clip(atan(tana), c[ALPMIN], c[ALPMAX])
    kappa = clip(kappa, c[KPUMIN], c[KPUMAX])
    gamma = clip(gamma, c[CAMMIN], c[CAMMAX])
    fz = clip(fz, 0.0, c[FZMAX])
    zero = fz * 0.0 + kappa * 0.0 + alpha * 0.0 + gamma * 0.0 + vx * 0.0 + omega * 0.0 + road * 0.0 + phi * 0.0
    if real(fz) <= 0.0:
        return zero, zero, zero, zero, zero, zero, zero
    a = tan(alpha)
    ca = cos(alpha)
    g = sin(gamma)
    load = c[LFZO] * c[FNOMIN]
    d = fz / load - 1.0
    p = pressing(c)
    mode = int(c[MODE])
    turn = mode == 5
    mu = c[MU] * road
    fx = zero
    fy = zero
    mz = zero
    Kx, Ky, Ky0, Kg = slopes(c, fz, g)
    spin = c[R0] * phi
    forward = heading(c[VXLOW], vx)
    one = zero + 1.0
    zeta1, zeta2, zeta3, zeta5, zeta6 = one, one, one, one, one
    shift = zero
    eps = c[PECP1] * (1.0 + c[PECP2] * d)
    if turn:
        zeta1 = cos(atan(c[PDXP1] * (1.0 + c[PDXP2] * d) * cos(atan(c[PDXP3] * kappa)) * spin))
        turned = size(spin)
        root = sqrt(turned) if real(turned) > 1e-12 else turned * 0.0
        zeta2 = cos(atan(c[PDYP1] * (1.0 + c[PDYP2] * d) * cos(atan(c[PDYP3] * a)) * (turned + c[PDYP4] * root)))
        zeta3 = cos(atan(c[PKYP1] * spin * spin))
        zeta5 = cos(atan(c[QDTP1] * spin))
        zeta6 = cos(atan(c[QBRP1] * spin))
        DH = c[PHYP2] + c[PHYP3] * d
        if real(DH) != 0.0 and real(Ky0) != 0.0:
            BH = Kg / (1.0 - eps) / (c[PHYP1] * DH * Ky0)
            shift = magic(DH, c[PHYP1], BH, c[PHYP4], forward * spin)
        Ky = Ky * zeta3
    # longitudinal, pure (4.E9 to 4.E18)
    shx = (c[PHX1] + c[PHX2] * d) * c[LHX]
    if mode == 1 or mode >= 3:
        scale = c[LMUX] * mu
        svx = fz * (c[PVX1] + c[PVX2] * d) * c[LVX] * digressed(scale) * zeta1
        kx = kappa + shx
        Dx = (
            fz
            * (c[PDX1] + c[PDX2] * d)
            * (1.0 + (c[PPX3] + c[PPX4] * p) * p)
            * (1.0 - c[PDX3] * gamma * gamma)
            * scale
            * zeta1
        )
        Cx = c[PCX1] * c[LCX]
        Ex = (c[PEX1] + (c[PEX2] + c[PEX3] * d) * d) * (1.0 - c[PEX4] * sign(kx)) * c[LEX]
        if real(Ex) > 1.0:
            Ex = Ex * 0.0 + 1.0
        fx = svx + zero
        if abs(real(Dx)) > 0.0:
            fx = magic(Dx, Cx, Kx / (Cx * Dx), Ex, kx) + svx
        if mode >= 4 and c[ELLIPSE] == 0.0:
            # 4.E50 to 4.E57
            Ea = c[REX1] + c[REX2] * d
            if real(Ea) > 1.0:
                Ea = Ea * 0.0 + 1.0
            Ba = (c[RBX1] + c[RBX3] * g * g) * cos(atan(c[RBX2] * kappa)) * c[LXAL]
            fx = fx * bell(c[RCX1], Ba, Ea, a + c[RHX1]) / bell(c[RCX1], Ba, Ea, zero + c[RHX1])
    else:
        svx, kx, Dx = zero, zero, zero
    if mode >= 2:
        # lateral, pure (4.E19 to 4.E30)
        fy, muy, By, shy, svy = side_force(c, fz, a, g, Ky, Kg, mu, zeta2, turn, shift)
        pull, m0, b0, s0, v0 = side_force(c, fz, a, zero, Ky0, Kg, mu, one, False, zero)
        K = Ky if abs(real(Ky)) > SMALL * load else Ky * 0.0 + SMALL * load
        weight = one
        if c[ELLIPSE] != 0.0:
            sy = atan(a + shy)
            ox = kx + (svx / Kx if real(Kx) != 0.0 else zero)
            gx, weight = ellipse(fx - svx, fy - svy, kx, sin(sy), ox, sin(sy + svy / K), Kx, Ky, Dx, muy * fz * zeta2)
            fx = gx * fx
            fy = weight * fy
            pull = weight * pull
        elif mode >= 4:
            # 4.E58 to 4.E67
            Ek = c[REY1] + c[REY2] * d
            if real(Ek) > 1.0:
                Ek = Ek * 0.0 + 1.0
            turning = cos(atan(c[RBY2] * (a - c[RBY3]))) * c[LYKA]
            Bk = (c[RBY1] + c[RBY4] * g * g) * turning
            shk = c[RHY1] + c[RHY2] * d
            weight = bell(c[RCY1], Bk, Ek, kappa + shk) / bell(c[RCY1], Bk, Ek, shk + zero)
            svyk = (
                muy
                * fz
                * (c[RVY1] + c[RVY2] * d + c[RVY3] * g)
                * cos(atan(c[RVY4] * a))
                * zeta2
                * sin(c[RVY5] * atan(c[RVY6] * kappa))
                * c[LVYKA]
            )
            fy = weight * fy + svyk
            Bk = c[RBY1] * turning
            pull = pull * bell(c[RCY1], Bk, Ek, kappa + shk) / bell(c[RCY1], Bk, Ek, shk + zero)
        # aligning (4.E31 to 4.E49, 4.E71 to 4.E78)
        at = a + c[QHZ1] + c[QHZ2] * d + (c[QHZ3] + c[QHZ4] * d) * g
        ar = a + shy + svy / K
        grip = c[LMUY] * mu if real(c[LMUY] * mu) > 0.0 else one
        Bt = (c[QBZ1] + (c[QBZ2] + c[QBZ3] * d) * d) * (1.0 + c[QBZ4] * g + c[QBZ5] * size(g)) * c[LKY] / grip
        Et = (c[QEZ1] + (c[QEZ2] + c[QEZ3] * d) * d) * (
            1.0 + (c[QEZ4] + c[QEZ5] * g) * (2.0 / math.pi) * atan(Bt * c[QCZ1] * at)
        )
        if real(Et) > 1.0:
            Et = Et * 0.0 + 1.0
        Dt = (
            fz
            * c[R0]
            / load
            * (c[QDZ1] + c[QDZ2] * d)
            * (1.0 - c[PPZ1] * p)
            * c[LTR]
            * (1.0 + c[QDZ3] * size(g) + c[QDZ4] * g * g)
            * zeta5
        )
        Br = (c[QBZ9] * c[LKY] / grip + c[QBZ10] * By * c[PCY1] * c[LCY]) * zeta6
        camber = ((c[QDZ8] + c[QDZ9] * d) * (1.0 + c[PPZ2] * p) + (c[QDZ10] + c[QDZ11] * d) * size(g)) * c[LKZC]
        Dr = (c[QDZ6] + c[QDZ7] * d) * c[LRES] * zeta2
        if not turn:
            Dr = Dr + camber * g
        Dr = forward * fz * c[R0] * Dr * c[LMUY] * mu * ca
        Cr = one
        if turn:
            most = c[QCRP1] * muy * c[R0] * fz * sqrt(fz / load) * c[LMP]
            D = most / math.sin(0.5 * math.pi * c[QDRP1])
            if abs(real(D)) > 0.0:
                B = fz * c[R0] * camber / (c[QDRP1] * D * (1.0 - eps))
                Dr = Dr + magic(D, c[QDRP1], B, c[QDRP2] + zero, spin)
                q = most * (2.0 / math.pi) * atan(c[QCRP2] * c[R0] * size(phit)) * weight / (size(Dr) + SMALL * size(D))
                q = clip(q, -1.0 + SMALL, 1.0 - SMALL)
                Cr = (2.0 / math.pi) * (0.5 * math.pi - atan(q / sqrt(1.0 - q * q)))
        if mode >= 4:
            q = Kx / K * kappa
            at = sqrt(at * at + q * q) * (1.0 if real(at) >= 0.0 else -1.0)
            ar = sqrt(ar * ar + q * q) * (1.0 if real(ar) >= 0.0 else -1.0)
        arm = c[R0] * (c[SSZ1] + c[SSZ2] * fy / load + (c[SSZ3] + c[SSZ4] * d) * g) * c[LS] if mode >= 4 else zero
        mz = -forward * Dt * bell(c[QCZ1], Bt, Et, at) * ca * pull + Dr * cos(Cr * atan(Br * ar)) + arm * fx
    mx = zero
    if mode >= 2:
        n, s = fz / c[FNOMIN], fy / c[FNOMIN]
        square = c[QSX6] * n
        mx = c[R0] * fz * c[LMX] * (
            c[QSX1] * c[LVMX]
            - c[QSX2] * gamma * (1.0 + c[PPMX1] * p)
            + c[QSX3] * s
            + c[QSX4] * cos(c[QSX5] * atan(square * square)) * sin(c[QSX7] * gamma + c[QSX8] * atan(c[QSX9] * s))
            + c[QSX10] * atan(c[QSX11] * n) * gamma
        ) + c[R0] * c[LMX] * (fy * (c[QSX13] + c[QSX14] * size(gamma)) - fz * c[QSX12] * gamma * size(gamma))
    my = zero
    if mode == 1 or mode >= 3:
        turning = way(c[VXLOW], omega * c[R0])
        n, q = fz / c[FNOMIN], vx / c[LONGVL]
        my = (
            -c[R0]
            * c[FNOMIN]
            * c[LMY]
            * turning
            * (
                c[QSY1]
                + c[QSY2] * fx / c[FNOMIN]
                + c[QSY3] * size(q)
                + c[QSY4] * q * q * q * q
                + (c[QSY5] + c[QSY6] * n) * gamma * gamma
            )
            * exp(c[QSY7] * log(n))
            * (c[INFLPRES] / c[NOMPRES]) ** c[QSY8]
        )
    return fx, fy, mx, my, mz, Kx, Ky


@jit
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    m = c[MIRROR]
    push, stored = rho * 0.0, rho * 0.0
    if real(rho) > 0.0:
        k = (1.0 + c[PFZ1] * pressing(c)) * c[FNOMIN] * c[LCZ]
        q = rho / c[R0]
        push = k * (c[Q_FZ1] * q + c[Q_FZ2] * q * q)
        stored = k * c[R0] * q * q * (0.5 * c[Q_FZ1] + c[Q_FZ2] * q / 3.0)
    zero = (
        rho * 0.0
        + rate * 0.0
        + vx * 0.0
        + vsy * 0.0
        + omega * 0.0
        + gamma * 0.0
        + psi * 0.0
        + mu * 0.0
        + x[0] * 0.0
        + x[1] * 0.0
    )
    grown = rho + growth(c, omega)
    fz, base, damp = zero, zero, zero
    if real(rho) > 0.0 and real(grown) > 0.0:
        base = base_load(c, grown, omega, gamma)
        damp = c[KZ] * rate
        fz = base + damp
        if real(fz) <= 0.0:
            fz = zero
    fx, fy, mx, my, mz, Kx, Ky, vsx, du, dv = patch(c, fz, vx, vsy, omega, m * gamma, psi * m, mu, x[0], x[1])
    if c[TIGHT] != 0.0 and real(fz) > 0.0:
        first = coupled(c, base, omega, fx, fy) + damp
        if real(first) > 0.0:
            fx, fy, mx, my, mz, Kx, Ky, vsx, du, dv = patch(
                c, first, vx, vsy, omega, m * gamma, psi * m, mu, x[0], x[1]
            )
            second = coupled(c, base, omega, fx, fy) + damp
            bend = second - 2.0 * first + fz
            if abs(real(bend)) > 1e-12 * abs(real(fz)):
                best = second - (second - first) * (second - first) / bend
                # where passes do not close in, the last one stands
                second = best if real(fz) * 0.2 < real(best) < real(fz) * 2.0 else second
            fz = second if real(second) > 0.0 else zero
            fx, fy, mx, my, mz, Kx, Ky, vsx, du, dv = patch(c, fz, vx, vsy, omega, m * gamma, psi * m, mu, x[0], x[1])
    return fx, m * fy, fz, m * mx, my, m * mz, stored, push, du, dv, zero, zero


@jit(apart=True)
def patch(c, fz, vx, vsy, omega, gamma, psi, mu, u, v):
    """Forces at a load, of the tyre as measured, and rates of the states, which are those of the wheel as mounted."""
    m = c[MIRROR]
    vsx = vx - omega * rolling_radius(c, fz, omega)
    sx, sy = relaxation(c, fz, gamma)
    calm = c[SLIDE_DAMPING] / (c[LFZO] * c[FNOMIN] * STIFF)
    edge_x, edge_y = full_sliding(c, fz, mu)
    kappa, tana, du, dv = patch_slips(c[VXLOW], vx, vsx, vsy, u, v, sx, sy, edge_x, edge_y, calm, calm)
    phi, phit = psi * 0.0, psi * 0.0
    if c[MODE] == 5.0:
        load = c[LFZO] * c[FNOMIN]
        eps = c[PECP1] * (1.0 + c[PECP2] * (fz / load - 1.0))
        speed = pace(c[VXLOW], vx, vsx, vsy) + LOW * c[VXLOW]
        # gamma and psi' are those of the tyre as measured: so is the spin's share, since a mirror turns both
        phi = (psi - eps * omega * sin(gamma)) / speed
        phit = (psi - omega * sin(gamma)) / speed
    fx, fy, mx, my, mz, Kx, Ky = slip_forces(c, fz, kappa, m * tana, gamma, vx, omega, phi, phit, mu)
    return fx, fy, mx, my, mz, Kx, Ky, vsx, du, dv


LOW = 0.05  # of VXLOW: the minimum speed next to which turning is a turn slip

KIND = tyre_kind(Mf6Tyre, tyre_mf6, law, parameters, lambda e: e.coefficients["UNLOADED_RADIUS"], turns=True)

"""TYRE_PAC2002: Pacejka's Magic Formula in the form of 2002 (MF-Tyre 5.2), between a wheel and a flat road.

Forces and moments in the contact patch (W axes of ISO 8855) after H. B. Pacejka, Tyre and Vehicle Dynamics (2002),
4.3.2, equations 4.E1 to 4.E78 without turn slip, as
Adams writes them for PAC2002 (Adams/Tire, "Using the PAC2002 Tire Model"), with effects of pressure.  With dfz = (Fz -
Fz0') / Fz0', Fz0' = LFZO FNOMIN:

    pure slip        F = D sin(C atan(B k - E (B k - atan(B k)))) + S_v,    B = K / (C D),    k slip with its shift
    combined slip    F_x = G_x(alpha) F_x0,     F_y = G_y(kappa) F_y0 + S_vyk,     G = cos(C atan(B s - E (B s - atan(B
        s)))) / (the same at no slip)
                     E <= 1 in all of them; without coefficients of combined slip, or where it is requested, G_x and
                         G_y are those of a friction ellipse (`magic.ellipse`), S_vyk = 0
    aligning         M_z = -t (F_y - S_vyk) + M_zr + s F_x,      t, M_zr cosines of equivalent slips, with the sign of
        V_x (4.E42, 4.E47)
    overturning      M_x = R0 Fz (QSX1 - QSX2 gamma + QSX3 F_y / Fz0') LMX
    rolling          M_y = -R0 Fz (QSY1 + QSY2 F_x / Fz0' + QSY3 |V_x / V_r| + QSY4 (V_x / V_r)^4) LMY, against the
        spin; of files without these R0 (S_vx + K_x S_hx)
    normal           Fz = LCZ VERTICAL_STIFFNESS rho + VERTICAL_DAMPING rho', never pulling; or load curves over rho,
        monotone cubics (`curve`)
    rolling radius   R_e = R0 - rho_0 (DREFF atan(BREFF rho / rho_0) + FREFF rho / rho_0),    rho_0 = Fz0' / (LCZ
        VERTICAL_STIFFNESS)
    relaxation       sigma_x = Fz (PTX1 + PTX2 dfz) exp(PTX3 dfz) R0 / Fz0' LSGKP,
                     sigma_y = PTY1 sin(2 atan(Fz / (PTY2 Fz0'))) (1 - PKY3 |gamma|) R0 LFZO LSGAL

Slips are those of the contact with its two states (`contact`); where a file has no relaxation lengths they are a
hundredth and more of the radius (`SHORT`), so that slips are those of the
instant in addition to all motions of a car.  Slips, inclination and load are kept within the ranges of the file, as
Adams does. Below VXLOW slips have a part of the sliding velocity, which damps, and deflections are bounded (Pacejka
(2012), 8.6; `contact`), so that a parked car comes to rest.

A tyre that was measured on the other side than it is mounted is the mirror image: alpha, gamma, F_y, M_x, M_z change
their signs.

Energy: that of the vertical spring; all else is lost (rolling, sliding), or for a moment in the carcass, whose energy
counts as lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...._jit import jit
from ....model.base import did_you_mean
from ....model.builder.teaching import sound
from ....model.values import named_numbers, number, pairs
from ...duals import atan, clip, cos, exp, real, sign, sin, size, sqrt, tan
from .contact import SHORT, STIFF, at_least, edge, heading, patch_slips, way
from .curve import curve, curve_values
from .magic import bell, ellipse, magic
from .tyre import Tyre, calm, on, tyre_kind

#: coefficients -> what they are without a file; the order is that of the columns
COEFFICIENTS: dict[str, float] = {
    "UNLOADED_RADIUS": 0.0,
    "VERTICAL_STIFFNESS": 0.0,
    "VERTICAL_DAMPING": 0.0,
    "BREFF": 8.4,
    "DREFF": 0.27,
    "FREFF": 0.07,
    "FNOMIN": 0.0,
    "LONGVL": 16.7,
    "VXLOW": 1.0,
    "IP": 1.0,
    "IP_NOM": 1.0,
    "KPUMIN": -1.5,
    "KPUMAX": 1.5,
    "ALPMIN": -1.5,
    "ALPMAX": 1.5,
    "CAMMIN": -0.26,
    "CAMMAX": 0.26,
    "FZMIN": 0.0,
    "FZMAX": 0.0,
    **dict.fromkeys(
        (
            "LFZO LCX LEX LKX LHX LVX LMUX LGAX LCY LEY LKY LHY LVY LMUY LGAY LKYG LTR LRES LGAZ LXAL LYKA LVYKA LS "
            "LMX LMY LVMX LSGKP LSGAL "
            "LCZ"
        ).split(),
        1.0,
    ),
    **dict.fromkeys(
        (
            "PCX1 PDX1 PDX2 PDX3 PEX1 PEX2 PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2 PPX1 PPX2 PPX3 PPX4 RBX1 RBX2 "
            "RCX1 REX1 REX2 RHX1 PTX1 PTX2 PTX3 "
            "QSX1 QSX2 QSX3 PCY1 PDY1 PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PKY1 PKY2 PKY3 PHY1 PHY2 PHY3 PVY1 PVY2 PVY3 PVY4 "
            "PPY1 PPY2 PPY3 PPY4 "
            "RBY1 RBY2 RBY3 RCY1 REY1 REY2 RHY1 RHY2 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6 PTY1 PTY2 QSY1 QSY2 QSY3 QSY4 "
            "QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QBZ10 QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 QDZ6 QDZ7 QDZ8 QDZ9 QEZ1 QEZ2 QEZ3 QEZ4 QEZ5 "
            "QHZ1 QHZ2 QHZ3 QHZ4 "
            "SSZ1 SSZ2 SSZ3 SSZ4 QPZ1 QPZ2"
        ).split(),
        0.0,
    ),
}
#: lengths, forces ... among them: powers of length, force, time
DIMENSIONS = {
    "UNLOADED_RADIUS": (1, 0, 0),
    "VERTICAL_STIFFNESS": (-1, 1, 0),
    "VERTICAL_DAMPING": (-1, 1, 1),
    "FNOMIN": (0, 1, 0),
    "LONGVL": (1, 0, -1),
    "VXLOW": (1, 0, -1),
    "FZMIN": (0, 1, 0),
    "FZMAX": (0, 1, 0),
}
NAMES = (*COEFFICIENTS, "MODE", "MIRROR", "MU", "SLIDE_DAMPING", "ELLIPSE")
#: forces and the coefficients without which combined slip does not reduce them
COMBINED = {"F_x": ("RBX1", "RCX1"), "F_y": ("RBY1", "RCY1")}
(
    R0,
    CZ,
    KZ,
    BREFF,
    DREFF,
    FREFF,
    FNOMIN,
    LONGVL,
    VXLOW,
    IP,
    IP_NOM,
    KPUMIN,
    KPUMAX,
    ALPMIN,
    ALPMAX,
    CAMMIN,
    CAMMAX,
    FZMIN,
    FZMAX,
    LFZO,
    LCX,
    LEX,
    LKX,
    LHX,
    LVX,
    LMUX,
    LGAX,
    LCY,
    LEY,
    LKY,
    LHY,
    LVY,
    LMUY,
    LGAY,
    LKYG,
    LTR,
    LRES,
    LGAZ,
    LXAL,
    LYKA,
    LVYKA,
    LS,
    LMX,
    LMY,
    LVMX,
    LSGKP,
    LSGAL,
    LCZ,
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
    RCX1,
    REX1,
    REX2,
    RHX1,
    PTX1,
    PTX2,
    PTX3,
    QSX1,
    QSX2,
    QSX3,
    PCY1,
    PDY1,
    PDY2,
    PDY3,
    PEY1,
    PEY2,
    PEY3,
    PEY4,
    PKY1,
    PKY2,
    PKY3,
    PHY1,
    PHY2,
    PHY3,
    PVY1,
    PVY2,
    PVY3,
    PVY4,
    PPY1,
    PPY2,
    PPY3,
    PPY4,
    RBY1,
    RBY2,
    RBY3,
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
    PTY1,
    PTY2,
    QSY1,
    QSY2,
    QSY3,
    QSY4,
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
    QEZ1,
    QEZ2,
    QEZ3,
    QEZ4,
    QEZ5,
    QHZ1,
    QHZ2,
    QHZ3,
    QHZ4,
    SSZ1,
    SSZ2,
    SSZ3,
    SSZ4,
    QPZ1,
    QPZ2,
    MODE,
    MIRROR,
    MU,
    SLIDE_DAMPING,
    ELLIPSE,
) = range(len(NAMES))
CURVES = len(NAMES)


@dataclass
class Pac2002Tyre(Tyre):
    """TYRE_PAC2002: tyre between a wheel and a flat road by the Magic Formula of 2002.

    ``i``: marker at the wheel's centre, its y axis along the spin axis, to the left of forward travel; ``j``: marker of
    the road, its z axis up;
    ``coefficients``: by the
    names of property files, units of the model; ``mode``: 0 load only, 1 F_x and M_y, 2 F_y, M_x, M_z, 3 all without
    combined slip, 4 all; ``mirror``: mounted on the
    other side than measured; ``mu``: friction of the road relative to that of the measurement; ``load_curve``: rows of
    deflection and load in place of the stiffness, from (0, 0) on; ``bottoming``: such rows of what the rim adds;
    ``ellipse``: combined slip by a friction ellipse, whatever the coefficients (FE_METHOD of files).
    """

    KIND: ClassVar[str] = "TYRE_PAC2002"
    coefficients: dict[str, float] = field(default_factory=dict)
    mode: int = 4
    mirror: bool = False
    mu: float = 1.0
    load_curve: tuple[tuple[float, float], ...] = ()
    bottoming: tuple[tuple[float, float], ...] = ()
    ellipse: bool = False

    def faults(self, model):
        """Invalid values: unknown coefficients, sizes that are not positive."""
        yield from Tyre.faults(self, model)
        for name in self.coefficients:
            if name not in COEFFICIENTS:
                yield f"there is no coefficient '{name}' of PAC2002{did_you_mean(name, COEFFICIENTS, '; leave it out')}"
        have = {**COEFFICIENTS, **self.coefficients}
        for name in ("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN", "VXLOW", "LFZO", "LCZ", "IP_NOM"):
            if not have[name] > 0.0:
                yield f"{name} is {have[name]:g}; give a positive number"
        wanted = {1: ("PCX1", "PDX1", "PKX1"), 2: ("PCY1", "PDY1", "PKY1", "PKY2")}
        for name in (*wanted[1], *wanted[2]) if self.mode >= 3 else wanted.get(self.mode, ()):
            if have[name] == 0.0:
                yield f"{name} is missing or zero; its forces cannot be computed"
        if self.mode not in range(5):
            yield (
                f"mode is {self.mode}; give 0 (load only), 1 (longitudinal), 2 (lateral), 3 (both), or 4 "
                "(combined slip)"
            )
        for name in ("load_curve", "bottoming"):
            rows = getattr(self, name)
            if rows and (
                rows[0] != (0.0, 0.0)
                or len(rows) < 2
                or any(b[0] <= a[0] or b[1] < a[1] for a, b in zip(rows, rows[1:]))
            ):
                yield f"{name} must begin with (0, 0), with deflections that rise and loads that do not fall"
        if self.mu < 0.0:
            yield f"mu is {self.mu:g}; give zero or a positive number"

    def lacking(self) -> str:
        """Which coefficients of combined slip it lacks, and what is computed without them."""
        return lacking_combined(self)


def tyre_pac2002(
    model,
    i,
    j,
    coefficients: dict,
    *,
    mode: int = 4,
    mirror: bool = False,
    mu: float = 1.0,
    load_curve=(),
    bottoming=(),
    ellipse: bool = False,
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
) -> Pac2002Tyre:
    """Tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of forward travel)
    on the flat road of marker ``j`` (z axis up), by Pacejka's Magic Formula of 2002 with combined slip and relaxation;
    `holonom.elements.forces.tyres.pac2002` has the equations.

    ``coefficients``: by the names of property files (`holonom.vehicle.read_tir` reads them), lengths, forces and times
    in units of the model; what is missing is zero, of
    scale factors one.  ``mode``: 4 all forces with combined slip (3 without, 2 lateral, 1 longitudinal, 0 load only);
    ``mirror``: the mirror image, for a tyre that was
    measured on the other side; ``mu``: scales friction; ``load_curve``, ``bottoming``: rows of deflection and load,
    ``ellipse``: friction ellipse for combined slip, see `Pac2002Tyre`.  The deflections of the
    contact are two states.  Raises `ModelError` for unknown names and sizes that are not positive.

        tyre = model.tyre_pac2002(wheel_centre, road, hn.vehicle.read_tir("tyre.tir", model.units).coefficients)
    """
    given = {k.upper(): v for k, v in named_numbers(coefficients, "coefficients").items()}
    e = Pac2002Tyre(
        id=id,
        name=name,
        **on(model, i, j, contact, footprint),
        coefficients=given,
        mode=mode,
        mirror=bool(mirror),
        mu=number(mu, "mu"),
        load_curve=pairs(load_curve, "load_curve"),
        bottoming=pairs(bottoming, "bottoming"),
        ellipse=bool(ellipse),
    )
    return model.add(sound(e, model))


def without_combined(have: dict[str, float]) -> bool:
    """Whether coefficients give no information of combined slip."""
    return len(_pure(have)) == len(COMBINED)


def _pure(have: dict[str, float]) -> dict[str, list[str]]:
    """Forces that combined slip does not reduce, and which of their coefficients are missing or zero."""
    return {
        force: missing
        for force, names in COMBINED.items()
        if (missing := [name for name in names if have.get(name, 0.0) == 0.0])
    }


def lacking_combined(e) -> str:
    """What a tyre of the formulas of 2002 or 2010 does in place of coefficients of combined slip that it lacks, for
    `check`; empty where it lacks none."""
    found = _pure(e.coefficients)
    if e.mode < 4 or e.ellipse or not found:
        return ""
    words = f"its coefficients of combined slip lack {', '.join(name for names in found.values() for name in names)}"
    if len(found) == len(COMBINED):
        return f"{words}; a friction ellipse reduces F_x and F_y"
    return f"{words}, so that {next(iter(found))} is that of pure slip; give them, or ellipse=True (FE_METHOD of files)"


def parameters(e, model):
    have = {**COEFFICIENTS, **e.coefficients}
    if not have["FZMAX"] > 0.0:
        have["FZMAX"] = 20.0 * have["FNOMIN"]
    # stiffness of the contact patch against sliding at standstill, and the damping that goes with the mass on it
    load = have["LFZO"] * have["FNOMIN"]
    soft = max(abs(have["PKX1"]), abs(have["PKY1"]), 1.0) * load / have["UNLOADED_RADIUS"]
    damping = calm(model, soft, load) if e.mode else 0.0
    own = [*(have[name] for name in COEFFICIENTS), float(e.mode), -1.0 if e.mirror else 1.0, e.mu, damping]
    own.append(float(e.mode == 4 and (e.ellipse or without_combined(have))))
    return [*own, *curve_values(e.load_curve), *curve_values(e.bottoming)]


@jit(entry="float64[::1], float64")
def spring(c, rho):
    """Force and energy of the carcass and the rim at a deflection rho > 0."""
    k = c[LCZ] * c[CZ]
    f = k * rho
    e = 0.5 * k * rho * rho
    second = CURVES + 1
    if c[CURVES] > 0.0:
        f, e = curve(c, CURVES, rho)
        second += 4 * int(c[CURVES])
    if c[second] > 0.0:
        g, d = curve(c, second, rho)
        f = f + g
        e = e + d
    return f, e


@jit
def normal(c, rho, rate):
    """The load: of spring and damper, none where they would pull."""
    if real(rho) <= 0.0:
        return rho * 0.0
    f = spring(c, rho)[0] + c[KZ] * rate
    return f if real(f) > 0.0 else f * 0.0


@jit(entry="float64[::1], float64")
def rolling_radius(c, rho):
    rest = c[LFZO] * c[FNOMIN] / (c[LCZ] * c[CZ])
    q = rho / rest
    return c[R0] - rest * (c[DREFF] * atan(c[BREFF] * q) + c[FREFF] * q)


@jit
def relaxation(c, fz, gamma):
    """sigma_x and sigma_y."""
    load = c[LFZO] * c[FNOMIN]
    d = fz / load - 1.0
    sx = fz / load * (c[PTX1] + c[PTX2] * d) * exp(c[PTX3] * d) * c[R0] * c[LSGKP]
    sy = sx * 0.0
    if c[PTY2] != 0.0:
        sy = (
            c[PTY1]
            * sin(2.0 * atan(fz / (c[PTY2] * load)))
            * (1.0 - c[PKY3] * size(gamma))
            * c[R0]
            * c[LFZO]
            * c[LSGAL]
        )
    least = SHORT * c[R0]
    return at_least(sx, least), at_least(sy, least)


@jit
def full_sliding(c, fz, road):
    """Slips kappa and tan(alpha) from which the whole patch slides: 3 D / K."""
    load = c[LFZO] * c[FNOMIN]
    d = fz / load - 1.0
    mu = 3.0 * c[MU] * road
    along = size((c[PKX1] + c[PKX2] * d) * exp(c[PKX3] * d) * c[LKX])
    across = fz * 0.0
    if c[PKY2] != 0.0 and real(fz) > 0.0:
        across = size(c[PKY1] * load * sin(2.0 * atan(fz / (c[PKY2] * load))) / fz * c[LKY])
    x = mu * size(c[PDX1] + c[PDX2] * d) * c[LMUX] / along if real(along) > 0.0 else mu + along
    y = mu * size(c[PDY1] + c[PDY2] * d) * c[LMUY] / across if real(across) > 0.0 else mu + across
    return edge(x), edge(y)


@jit
def slip_forces(c, fz, kappa, tana, gamma, vx, omega, road):
    """F_x, F_y, M_x, M_y, M_z of a tyre on the side where it was measured, and the slip stiffnesses K_x, K_y (per unit
    of kappa and tan alpha)."""
    alpha = clip(atan(tana), c[ALPMIN], c[ALPMAX])
    kappa = clip(kappa, c[KPUMIN], c[KPUMAX])
    gamma = clip(gamma, c[CAMMIN], c[CAMMAX])
    fz = clip(fz, 0.0, c[FZMAX])
    zero = fz * 0.0 + kappa * 0.0 + alpha * 0.0 + gamma * 0.0 + vx * 0.0 + omega * 0.0 + road * 0.0
    if real(fz) <= 0.0:
        return zero, zero, zero, zero, zero, zero, zero
    load = c[LFZO] * c[FNOMIN]
    d = fz / load - 1.0
    p = c[IP] / c[IP_NOM] - 1.0
    mode = int(c[MODE])
    mu = c[MU] * road
    fx = zero
    fy = zero
    mz = zero
    # longitudinal, pure (4.E9 to 4.E18)
    Kx = fz * (c[PKX1] + c[PKX2] * d) * exp(c[PKX3] * d) * (1.0 + (c[PPX1] + c[PPX2] * p) * p) * c[LKX]
    shx = (c[PHX1] + c[PHX2] * d) * c[LHX]
    svx = fz * (c[PVX1] + c[PVX2] * d) * c[LVX] * c[LMUX] * mu
    if mode == 1 or mode >= 3:
        gx = gamma * c[LGAX]
        kx = kappa + shx
        Dx = (
            fz
            * size((c[PDX1] + c[PDX2] * d) * (1.0 + (c[PPX3] + c[PPX4] * p) * p) * (1.0 - c[PDX3] * gx * gx))
            * c[LMUX]
            * mu
        )
        Cx = c[PCX1] * c[LCX]
        Ex = (c[PEX1] + (c[PEX2] + c[PEX3] * d) * d) * (1.0 - c[PEX4] * sign(kx)) * c[LEX]
        if real(Ex) > 1.0:
            Ex = Ex * 0.0 + 1.0
        if real(Dx) > 0.0:
            fx = magic(Dx, Cx, Kx / (Cx * Dx), Ex, kx) + svx
    else:
        kx = zero
        Dx = zero
    # lateral, pure (4.E19 to 4.E30)
    gy = gamma * c[LGAY]
    Ky = zero
    if c[PKY2] != 0.0:
        Ky = (
            c[PKY1]
            * load
            * (1.0 + c[PPY1] * p)
            * sin(2.0 * atan(fz / (c[PKY2] * load * (1.0 + c[PPY2] * p))))
            * (1.0 - c[PKY3] * size(gy))
            * c[LKY]
        )
    svyk = zero
    if mode >= 2:
        shy = (c[PHY1] + c[PHY2] * d) * c[LHY] + c[PHY3] * gy * c[LKYG]
        svy = fz * ((c[PVY1] + c[PVY2] * d) * c[LVY] + (c[PVY3] + c[PVY4] * d) * gy * c[LKYG]) * c[LMUY] * mu
        ay = alpha + shy
        muy = (
            size((c[PDY1] + c[PDY2] * d) * (1.0 + (c[PPY3] + c[PPY4] * p) * p) * (1.0 - c[PDY3] * gy * gy))
            * c[LMUY]
            * mu
        )
        Dy = muy * fz
        Cy = c[PCY1] * c[LCY]
        Ey = (c[PEY1] + c[PEY2] * d) * (1.0 - (c[PEY3] + c[PEY4] * gy) * sign(ay)) * c[LEY]
        if real(Ey) > 1.0:
            Ey = Ey * 0.0 + 1.0
        By = zero
        if real(Dy) > 0.0:
            By = Ky / (Cy * Dy)
            fy = magic(Dy, Cy, By, Ey, ay) + svy
        # trail and residual moment (4.E31 to 4.E49)
        gz = gamma * c[LGAZ]
        grip = c[LMUY] * mu if real(c[LMUY] * mu) > 0.0 else mu * 0.0 + 1.0
        at_ = alpha + c[QHZ1] + c[QHZ2] * d + (c[QHZ3] + c[QHZ4] * d) * gz
        ar = alpha + shy + (svy / Ky if real(Ky) != 0.0 else zero)
        Bt = (c[QBZ1] + (c[QBZ2] + c[QBZ3] * d) * d) * (1.0 + c[QBZ4] * gz + c[QBZ5] * size(gz)) * c[LKY] / grip
        Et = (c[QEZ1] + (c[QEZ2] + c[QEZ3] * d) * d) * (
            1.0 + (c[QEZ4] + c[QEZ5] * gz) * (2.0 / math.pi) * atan(Bt * c[QCZ1] * at_)
        )
        if real(Et) > 1.0:
            Et = Et * 0.0 + 1.0
        Dt = (
            fz
            * (c[QDZ1] + c[QDZ2] * d)
            * (1.0 - c[QPZ1] * p)
            * (1.0 + (c[QDZ3] + c[QDZ4] * gz) * gz)
            * c[R0]
            / load
            * c[LTR]
        )
        Br = c[QBZ9] * c[LKY] / grip + c[QBZ10] * By * Cy
        Dr = (
            fz
            * c[R0]
            * c[LMUY]
            * mu
            * ((c[QDZ6] + c[QDZ7] * d) * c[LRES] + (c[QDZ8] + c[QDZ9] * d) * (1.0 + c[QPZ2] * p) * gz)
        )
        pull = fy
        arm = zero
        if c[ELLIPSE] != 0.0:
            ox = kx + (svx / Kx if real(Kx) != 0.0 else zero)
            oy = sin(ay + (svy / Ky if real(Ky) != 0.0 else zero))
            gx, gy = ellipse(fx - svx, fy - svy, kx, sin(ay), ox, oy, Kx, Ky, Dx, Dy)
            fx = gx * fx
            fy = gy * fy
            pull = fy
        elif mode == 4:
            # combined slip (4.E50 to 4.E66)
            Ex = c[REX1] + c[REX2] * d
            if real(Ex) > 1.0:
                Ex = Ex * 0.0 + 1.0
            Bx = c[RBX1] * cos(atan(c[RBX2] * kappa)) * c[LXAL]
            fx = fx * bell(c[RCX1], Bx, Ex, alpha + c[RHX1]) / bell(c[RCX1], Bx, Ex, zero + c[RHX1])
            Ek = c[REY1] + c[REY2] * d
            if real(Ek) > 1.0:
                Ek = Ek * 0.0 + 1.0
            Bk = c[RBY1] * cos(atan(c[RBY2] * (alpha - c[RBY3]))) * c[LYKA]
            shk = c[RHY1] + c[RHY2] * d
            Dk = Dy * (c[RVY1] + c[RVY2] * d + c[RVY3] * gamma) * cos(atan(c[RVY4] * alpha))
            svyk = Dk * sin(c[RVY5] * atan(c[RVY6] * kappa)) * c[LVYKA]
            pull = fy * bell(c[RCY1], Bk, Ek, kappa + shk) / bell(c[RCY1], Bk, Ek, shk + zero)
            fy = pull + svyk
        if mode == 4:
            arm = c[R0] * (c[SSZ1] + c[SSZ2] * fy / load + (c[SSZ3] + c[SSZ4] * d) * gamma) * c[LS]
            if real(Ky) != 0.0:
                q = Kx / Ky * kappa
                t = tan(at_)
                at_ = atan(sqrt(t * t + q * q)) * (1.0 if real(at_) >= 0.0 else -1.0)
                t = tan(ar)
                ar = atan(sqrt(t * t + q * q)) * (1.0 if real(ar) >= 0.0 else -1.0)
        trail = Dt * bell(c[QCZ1], Bt, Et, at_) * cos(alpha)
        mz = heading(c[VXLOW], vx) * (-trail * pull + Dr * cos(atan(Br * ar)) * cos(alpha)) + arm * fx
    # overturning and rolling (4.E69, 4.E70)
    mx = zero
    if mode >= 2:
        mx = c[R0] * fz * (c[QSX1] * c[LVMX] - c[QSX2] * gamma + c[QSX3] * fy / load) * c[LMX]
    my = zero
    if mode == 1 or mode >= 3:
        turning = way(c[VXLOW], omega * c[R0])
        if c[QSY1] == 0.0 and c[QSY2] == 0.0 and c[QSY3] == 0.0 and c[QSY4] == 0.0:
            my = -c[R0] * size(svx + Kx * shx) * c[LMY] * turning
        else:
            q = vx / c[LONGVL]
            my = (
                -c[R0]
                * fz
                * (c[QSY1] + c[QSY2] * fx / load + c[QSY3] * size(q) + c[QSY4] * q * q * q * q)
                * c[LMY]
                * turning
            )
    return fx, fy, mx, my, mz, Kx, Ky


@jit
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz = normal(c, rho, rate)
    push, stored = rho * 0.0, rho * 0.0
    if real(rho) > 0.0:
        push, stored = spring(c, rho)
    vsx = vx - omega * rolling_radius(c, rho)
    m = c[MIRROR]
    sx, sy = relaxation(c, fz, gamma)
    calm = c[SLIDE_DAMPING] / (c[LFZO] * c[FNOMIN] * STIFF)
    edge_x, edge_y = full_sliding(c, fz, mu)
    kappa, tana, du, dv = patch_slips(c[VXLOW], vx, vsx, vsy, x[0], x[1], sx, sy, edge_x, edge_y, calm, calm)
    fx, fy, mx, my, mz, Kx, Ky = slip_forces(c, fz, kappa, m * tana, m * gamma, vx, omega, mu)
    zero = fz * 0.0
    return fx, m * fy, fz, m * mx, my, m * mz, stored, push, du, dv, zero, zero


KIND = tyre_kind(Pac2002Tyre, tyre_pac2002, law, parameters, lambda e: e.coefficients["UNLOADED_RADIUS"])

"""The Magic Formulas of 2002 and 2010, written from the books as functions of arrays: what tests compare with."""

from collections import defaultdict

import numpy as np


def printed(p, Fz, k, a, g, Vx, head=None):
    """Pacejka (2002), 4.E9 to 4.E70, without turn slip, with the effects of pressure that PAC2002 has: arrays, one sign
    function, no ranges; ``head``: sign of V_x, where it is a smoothed one."""
    from numpy import arctan as atan
    from numpy import cos, exp, sign, sin, sqrt, tan

    scales = (
        "LFZO LCX LEX LKX LHX LVX LMUX LGAX LCY LEY LKY LHY LVY LMUY LGAY LKYG LTR LRES LGAZ LXAL LYKA LVYKA LS "
        "LMX LMY LVMX"
    ).split()
    p = defaultdict(float, {**dict.fromkeys(scales, 1.0), **p})
    R, F0 = p["UNLOADED_RADIUS"], p["LFZO"] * p["FNOMIN"]
    head = sign(Vx) if head is None else head
    d = (Fz - F0) / F0
    i = (p["IP"] - p["IP_NOM"]) / p["IP_NOM"] if p["IP_NOM"] else 0.0
    mf = lambda D, C, B, E, x: D * sin(C * atan(B * x - E * (B * x - atan(B * x))))
    cosine = lambda C, B, E, x: cos(C * atan(B * x - E * (B * x - atan(B * x))))
    # F_x0
    SHx = (p["PHX1"] + p["PHX2"] * d) * p["LHX"]
    kx = k + SHx
    Cx = p["PCX1"] * p["LCX"]
    mux = (
        (p["PDX1"] + p["PDX2"] * d)
        * (1 + p["PPX3"] * i + p["PPX4"] * i**2)
        * (1 - p["PDX3"] * (g * p["LGAX"]) ** 2)
        * p["LMUX"]
    )
    Dx = np.abs(mux) * Fz
    Ex = np.minimum((p["PEX1"] + p["PEX2"] * d + p["PEX3"] * d**2) * (1 - p["PEX4"] * sign(kx)) * p["LEX"], 1.0)
    Kx = Fz * (p["PKX1"] + p["PKX2"] * d) * exp(p["PKX3"] * d) * p["LKX"] * (1 + p["PPX1"] * i + p["PPX2"] * i**2)
    SVx = Fz * (p["PVX1"] + p["PVX2"] * d) * p["LVX"] * p["LMUX"]
    Fx0 = mf(Dx, Cx, Kx / (Cx * Dx), Ex, kx) + SVx
    # F_y0
    gy = g * p["LGAY"]
    SHy = (p["PHY1"] + p["PHY2"] * d) * p["LHY"] + p["PHY3"] * gy * p["LKYG"]
    ay = a + SHy
    Cy = p["PCY1"] * p["LCY"]
    muy = np.abs(
        (p["PDY1"] + p["PDY2"] * d) * (1 + p["PPY3"] * i + p["PPY4"] * i**2) * (1 - p["PDY3"] * gy**2) * p["LMUY"]
    )
    Dy = muy * Fz
    Ey = np.minimum((p["PEY1"] + p["PEY2"] * d) * (1 - (p["PEY3"] + p["PEY4"] * gy) * sign(ay)) * p["LEY"], 1.0)
    Ky0 = p["PKY1"] * F0 * (1 + p["PPY1"] * i) * sin(2 * atan(Fz / (p["PKY2"] * F0 * (1 + p["PPY2"] * i)))) * p["LKY"]
    Ky = Ky0 * (1 - p["PKY3"] * np.abs(gy))
    By = Ky / (Cy * Dy)
    SVy = Fz * ((p["PVY1"] + p["PVY2"] * d) * p["LVY"] + (p["PVY3"] + p["PVY4"] * d) * gy * p["LKYG"]) * p["LMUY"]
    Fy0 = mf(Dy, Cy, By, Ey, ay) + SVy
    # combined
    Ga = lambda x: cosine(
        p["RCX1"], p["RBX1"] * cos(atan(p["RBX2"] * k)) * p["LXAL"], np.minimum(p["REX1"] + p["REX2"] * d, 1.0), x
    )
    Fx = Fx0 * Ga(a + p["RHX1"]) / Ga(p["RHX1"])
    SHk = p["RHY1"] + p["RHY2"] * d
    Gk = lambda x: cosine(
        p["RCY1"],
        p["RBY1"] * cos(atan(p["RBY2"] * (a - p["RBY3"]))) * p["LYKA"],
        np.minimum(p["REY1"] + p["REY2"] * d, 1.0),
        x,
    )
    SVk = (
        muy
        * Fz
        * (p["RVY1"] + p["RVY2"] * d + p["RVY3"] * g)
        * cos(atan(p["RVY4"] * a))
        * sin(p["RVY5"] * atan(p["RVY6"] * k))
        * p["LVYKA"]
    )
    Fy = Fy0 * Gk(k + SHk) / Gk(SHk) + SVk
    if p["RBX1"] * p["RCX1"] == p["RBY1"] * p["RCY1"] == 0.0:  # nothing known of combined slip: friction ellipse
        Gx = 1 / sqrt(1 + ((Fx0 - SVx) / kx * sin(ay + SVy / Ky) / Dy) ** 2)
        Gy = 1 / sqrt(1 + ((Fy0 - SVy) / sin(ay) * (kx + SVx / Kx) / Dx) ** 2)
        Fx, Fy, SVk = Gx * Fx0, Gy * Fy0, 0.0
    # moments
    gz = g * p["LGAZ"]
    at = a + p["QHZ1"] + p["QHZ2"] * d + (p["QHZ3"] + p["QHZ4"] * d) * gz
    ar = a + SHy + SVy / Ky
    Bt = (
        (p["QBZ1"] + p["QBZ2"] * d + p["QBZ3"] * d**2)
        * (1 + p["QBZ4"] * gz + p["QBZ5"] * np.abs(gz))
        * p["LKY"]
        / p["LMUY"]
    )
    Ct = p["QCZ1"]
    Dt = (
        Fz
        * (p["QDZ1"] + p["QDZ2"] * d)
        * (1 + p["QDZ3"] * gz + p["QDZ4"] * gz**2)
        * R
        / F0
        * p["LTR"]
        * (1 - p["QPZ1"] * i)
    )
    Et = np.minimum(
        (p["QEZ1"] + p["QEZ2"] * d + p["QEZ3"] * d**2)
        * (1 + (p["QEZ4"] + p["QEZ5"] * gz) * 2 / np.pi * atan(Bt * Ct * at)),
        1.0,
    )
    Br = p["QBZ9"] * p["LKY"] / p["LMUY"] + p["QBZ10"] * By * Cy
    Dr = (
        Fz
        * ((p["QDZ6"] + p["QDZ7"] * d) * p["LRES"] + (p["QDZ8"] + p["QDZ9"] * d) * gz * (1 + p["QPZ2"] * i))
        * R
        * p["LMUY"]
    )
    eq = lambda x: atan(sqrt(tan(x) ** 2 + (Kx / Ky) ** 2 * k**2)) * sign(x)
    s = R * (p["SSZ1"] + p["SSZ2"] * Fy / F0 + (p["SSZ3"] + p["SSZ4"] * d) * g) * p["LS"]
    # 4.E42, 4.E47: the patch is entered from the other side rolling backward
    Mz = head * (-Dt * cosine(Ct, Bt, Et, eq(at)) * cos(a) * (Fy - SVk) + Dr * cos(atan(Br * eq(ar))) * cos(a)) + s * Fx
    Mx = R * Fz * (p["QSX1"] * p["LVMX"] - p["QSX2"] * g + p["QSX3"] * Fy / F0) * p["LMX"]
    V = Vx / p["LONGVL"]
    My = -R * Fz * (p["QSY1"] + p["QSY2"] * Fx / F0 + p["QSY3"] * np.abs(V) + p["QSY4"] * V**4) * p["LMY"]
    if not any(p[f"QSY{j}"] for j in (1, 2, 3, 4)):
        My = -R * np.abs(SVx + Kx * SHx) * p["LMY"]
    return {"F_x": Fx, "F_y": Fy, "M_x": Mx, "M_y": My, "M_z": Mz, "K_x": Kx, "K_y": Ky}


def book(p, Fz, k, alpha, gam, Vx, phi, phit, turn, head=1.0):
    """Pacejka (2012), 4.E1 to 4.E78 and 4.E79 to 4.E108 (turn slip), with the effects of pressure of Besselink,
    Schmeitz, Pacejka (2010): arrays; ``head``: sign of V_x (4.E42, 4.E47), where it may be a smoothed one."""
    from numpy import abs as mag
    from numpy import arccos, arctan, cos, exp, pi, sign, sin, sqrt, tan

    p = defaultdict(float, p)
    R0, V0 = p["UNLOADED_RADIUS"], p["LONGVL"]
    Fz0, Fz0_ = p["FNOMIN"], p["FNOMIN"] * p["LFZO"]
    df, dp = (Fz - Fz0_) / Fz0_, (p["INFLPRES"] - p["NOMPRES"]) / p["NOMPRES"]
    a, g, ca = tan(alpha), sin(gam), cos(alpha)
    curve = lambda D, C, B, E, x: D * sin(C * arctan(B * x - E * (B * x - arctan(B * x))))
    weight = lambda C, B, E, x, x0: (
        cos(C * arctan(B * x - E * (B * x - arctan(B * x)))) / cos(C * arctan(B * x0 - E * (B * x0 - arctan(B * x0))))
    )
    digress = lambda L: 10 * L / (1 + 9 * L)
    lx, ly = p["LMUX"], p["LMUY"]
    # turn slip
    s = R0 * phi
    eps = p["PECP1"] * (1 + p["PECP2"] * df)
    z0 = 0.0 if turn else 1.0
    z1 = z2 = z3 = z5 = z6 = 1.0
    if turn:
        z1 = cos(arctan(p["PDXP1"] * (1 + p["PDXP2"] * df) * cos(arctan(p["PDXP3"] * k)) * s))
        z2 = cos(
            arctan(
                p["PDYP1"] * (1 + p["PDYP2"] * df) * cos(arctan(p["PDYP3"] * a)) * (mag(s) + p["PDYP4"] * sqrt(mag(s)))
            )
        )
        z3, z5, z6 = cos(arctan(p["PKYP1"] * s**2)), cos(arctan(p["QDTP1"] * s)), cos(arctan(p["QBRP1"] * s))
    # F_x
    Kx = Fz * (p["PKX1"] + p["PKX2"] * df) * exp(p["PKX3"] * df) * (1 + p["PPX1"] * dp + p["PPX2"] * dp**2) * p["LKX"]
    mux = (p["PDX1"] + p["PDX2"] * df) * (1 + p["PPX3"] * dp + p["PPX4"] * dp**2) * (1 - p["PDX3"] * gam**2) * lx
    Cx, Dx = p["PCX1"] * p["LCX"], mux * Fz * z1
    kx = k + (p["PHX1"] + p["PHX2"] * df) * p["LHX"]
    Ex = np.minimum((p["PEX1"] + p["PEX2"] * df + p["PEX3"] * df**2) * (1 - p["PEX4"] * sign(kx)) * p["LEX"], 1)
    SVx = Fz * (p["PVX1"] + p["PVX2"] * df) * p["LVX"] * digress(lx) * z1
    Fx0 = curve(Dx, Cx, Kx / (Cx * Dx), Ex, kx) + SVx
    Bxa = (p["RBX1"] + p["RBX3"] * g**2) * cos(arctan(p["RBX2"] * k)) * p["LXAL"]
    Fx = Fx0 * weight(p["RCX1"], Bxa, np.minimum(p["REX1"] + p["REX2"] * df, 1), a + p["RHX1"], p["RHX1"])

    # F_y
    def Kya(g):
        inner = Fz / Fz0_ / ((p["PKY2"] + p["PKY5"] * g**2) * (1 + p["PPY2"] * dp))
        return (
            p["PKY1"]
            * Fz0_
            * (1 + p["PPY1"] * dp)
            * (1 - p["PKY3"] * mag(g))
            * sin(p["PKY4"] * arctan(inner))
            * p["LKY"]
        )

    Kyg = Fz * (p["PKY6"] + p["PKY7"] * df) * (1 + p["PPY5"] * dp) * p["LKYC"]
    Ky = Kya(g) * z3

    def Fy0(g, K, z2, z0, shift):
        SVg = Fz * (p["PVY3"] + p["PVY4"] * df) * g * p["LKYC"] * digress(ly) * z2
        SV = Fz * (p["PVY1"] + p["PVY2"] * df) * p["LVY"] * digress(ly) * z2 + SVg
        z4 = 1 + shift - SVg / K
        SH = (p["PHY1"] + p["PHY2"] * df) * p["LHY"] + ((Kyg * g - SVg) / K * z0 if z0 else z4 - 1)
        mu = (p["PDY1"] + p["PDY2"] * df) * (1 + p["PPY3"] * dp + p["PPY4"] * dp**2) * (1 - p["PDY3"] * g**2) * ly
        C, D, x = p["PCY1"] * p["LCY"], mu * Fz * z2, a + SH
        E = np.minimum(
            (p["PEY1"] + p["PEY2"] * df) * (1 + p["PEY5"] * g**2 - (p["PEY3"] + p["PEY4"] * g) * sign(x)) * p["LEY"], 1
        )
        return curve(D, C, K / (C * D), E, x) + SV, mu, K / (C * D), SH, SV

    shift = 0.0
    if turn:
        DH = p["PHYP2"] + p["PHYP3"] * df
        BH = Kyg / (1 - eps) / (p["PHYP1"] * DH * Kya(0.0))
        shift = curve(DH, p["PHYP1"], BH, p["PHYP4"], head * s)
    side, muy, By, SHy, SVy = Fy0(g, Ky, z2, z0, shift)
    plain = Fy0(0.0 * g, Kya(0.0 * g), 1.0, 1.0, 0.0)[0]
    lean = cos(arctan(p["RBY2"] * (a - p["RBY3"]))) * p["LYKA"]
    Eyk, SHk = np.minimum(p["REY1"] + p["REY2"] * df, 1), p["RHY1"] + p["RHY2"] * df
    Gyk = weight(p["RCY1"], (p["RBY1"] + p["RBY4"] * g**2) * lean, Eyk, k + SHk, SHk)
    DV = muy * Fz * (p["RVY1"] + p["RVY2"] * df + p["RVY3"] * g) * cos(arctan(p["RVY4"] * a)) * z2
    Fy = Gyk * side + DV * sin(p["RVY5"] * arctan(p["RVY6"] * k)) * p["LVYKA"]
    # M_z
    at = a + p["QHZ1"] + p["QHZ2"] * df + (p["QHZ3"] + p["QHZ4"] * df) * g
    ar = a + SHy + SVy / Ky
    Bt = (p["QBZ1"] + p["QBZ2"] * df + p["QBZ3"] * df**2) * (1 + p["QBZ4"] * g + p["QBZ5"] * mag(g)) * p["LKY"] / ly
    Ct = p["QCZ1"]
    Dt = (
        Fz
        * R0
        / Fz0_
        * (p["QDZ1"] + p["QDZ2"] * df)
        * (1 - p["PPZ1"] * dp)
        * p["LTR"]
        * (1 + p["QDZ3"] * mag(g) + p["QDZ4"] * g**2)
        * z5
    )
    Et = np.minimum(
        (p["QEZ1"] + p["QEZ2"] * df + p["QEZ3"] * df**2)
        * (1 + (p["QEZ4"] + p["QEZ5"] * g) * 2 / pi * arctan(Bt * Ct * at)),
        1,
    )
    Br = (p["QBZ9"] * p["LKY"] / ly + p["QBZ10"] * By * p["PCY1"] * p["LCY"]) * z6
    Kz = ((p["QDZ8"] + p["QDZ9"] * df) * (1 + p["PPZ2"] * dp) + (p["QDZ10"] + p["QDZ11"] * df) * mag(g)) * p["LKZC"]
    Dr = Fz * R0 * ((p["QDZ6"] + p["QDZ7"] * df) * p["LRES"] * z2 + Kz * g * z0) * ly * ca * head
    z7 = 1.0
    if turn:
        Mzinf = p["QCRP1"] * muy * R0 * Fz * sqrt(Fz / Fz0_) * p["LMP"]
        D = Mzinf / sin(0.5 * pi * p["QDRP1"])
        B = Fz * R0 * Kz / (p["QDRP1"] * D * (1 - eps))
        Dr = Dr + curve(D, p["QDRP1"], B, p["QDRP2"], s)
        z7 = (
            2
            / pi
            * arccos(
                np.minimum(Mzinf * 2 / pi * arctan(p["QCRP2"] * R0 * mag(phit)) * Gyk / (mag(Dr) + 1e-6 * D), 1 - 1e-6)
            )
        )
    eq = lambda x: sqrt(x**2 + (Kx / Ky * k) ** 2) * sign(x)
    t = Dt * cos(Ct * arctan(Bt * eq(at) - Et * (Bt * eq(at) - arctan(Bt * eq(at))))) * ca
    pull = plain * weight(p["RCY1"], p["RBY1"] * lean, Eyk, k + SHk, SHk)
    arm = R0 * (p["SSZ1"] + p["SSZ2"] * Fy / Fz0_ + (p["SSZ3"] + p["SSZ4"] * df) * g) * p["LS"]
    Mz = -head * t * pull + Dr * cos(z7 * arctan(Br * eq(ar))) + arm * Fx
    n, f = Fz / Fz0, Fy / Fz0
    Mx = R0 * Fz * p["LMX"] * (
        p["QSX1"] * p["LVMX"]
        - p["QSX2"] * gam * (1 + p["PPMX1"] * dp)
        + p["QSX3"] * f
        + p["QSX4"]
        * cos(p["QSX5"] * arctan((p["QSX6"] * n) ** 2))
        * sin(p["QSX7"] * gam + p["QSX8"] * arctan(p["QSX9"] * f))
        + p["QSX10"] * arctan(p["QSX11"] * n) * gam
    ) + R0 * p["LMX"] * (Fy * (p["QSX13"] + p["QSX14"] * mag(gam)) - Fz * p["QSX12"] * gam * mag(gam))
    v = Vx / V0
    My = (
        -R0
        * Fz0
        * p["LMY"]
        * (
            p["QSY1"]
            + p["QSY2"] * Fx / Fz0
            + p["QSY3"] * mag(v)
            + p["QSY4"] * v**4
            + (p["QSY5"] + p["QSY6"] * n) * gam**2
        )
    )
    return Fx, Fy, Mx, My * n ** p["QSY7"] * (p["INFLPRES"] / p["NOMPRES"]) ** p["QSY8"], Mz

"""Andrews' squeezing mechanism in the seven angles and the notation of the IVP test set, written by hand."""

import numpy as np
from numba import njit

M1, M2, M3, M4, M5, M6, M7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
I1, I2, I3, I4, I5, I6, I7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
XA, YA, XB, YB, XC, YC, C0, L0 = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072, 4530.0, 0.07785
D, DA, E, EA, RR, RA, SS, SA, SB = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043
SC, SD, TA, TB, U, UA, UB, ZF, ZT, FA, MOMENT = (
    0.018,
    0.02,
    0.02308,
    0.00916,
    0.04,
    0.01228,
    0.00449,
    0.02,
    0.04,
    0.01421,
    0.033,
)
START = [
    -0.0617138900142764496,
    0.0,
    0.45527981916307038,
    0.22266839016588588,
    0.48736497954384255,
    -0.22266839016588588,
    1.2305474445498212,
]


@njit(cache=True)
def parts(q, v):
    """Mass, force, constraint Jacobian and constraints in the notation of the IVP test set."""
    be, th, ga, ph, de, om, ep = q
    M, f, J, g = np.zeros((7, 7), q.dtype), np.zeros(7, q.dtype), np.zeros((6, 7), q.dtype), np.zeros(6, q.dtype)
    a4, a6 = E - EA, ZF - FA
    ct, sp, so = np.cos(th), np.sin(ph), np.sin(om)
    M[0, 0] = M1 * RA**2 + M2 * (RR**2 - 2 * DA * RR * ct + DA**2) + I1 + I2
    M[0, 1] = M[1, 0] = M2 * (DA**2 - DA * RR * ct) + I2
    M[1, 1] = M2 * DA**2 + I2
    M[2, 2] = M3 * (SA**2 + SB**2) + I3
    M[3, 3] = M4 * a4**2 + I4
    M[3, 4] = M[4, 3] = M4 * (a4**2 + ZT * a4 * sp) + I4
    M[4, 4] = M4 * (ZT**2 + 2 * ZT * a4 * sp + a4**2) + M5 * (TA**2 + TB**2) + I4 + I5
    M[5, 5] = M6 * a6**2 + I6
    M[5, 6] = M[6, 5] = M6 * (a6**2 - U * a6 * so) + I6
    M[6, 6] = M6 * (a6**2 - 2 * U * a6 * so + U**2) + M7 * (UA**2 + UB**2) + I6 + I7
    cg, sg = np.cos(ga), np.sin(ga)
    xd, yd = SD * cg + SC * sg + XB, SD * sg - SC * cg + YB
    length = np.sqrt((xd - XC) ** 2 + (yd - YC) ** 2)
    pull = -C0 * (length - L0) / length
    fx, fy = pull * (xd - XC), pull * (yd - YC)
    f[0] = MOMENT - M2 * DA * RR * v[1] * (v[1] + 2 * v[0]) * np.sin(th)
    f[1] = M2 * DA * RR * v[0] ** 2 * np.sin(th)
    f[2] = fx * (SC * cg - SD * sg) + fy * (SD * cg + SC * sg)
    f[3] = M4 * ZT * a4 * v[4] ** 2 * np.cos(ph)
    f[4] = -M4 * ZT * a4 * v[3] * (v[3] + 2 * v[4]) * np.cos(ph)
    f[5] = -M6 * U * a6 * v[6] ** 2 * np.cos(om)
    f[6] = M6 * U * a6 * v[5] * (v[5] + 2 * v[6]) * np.cos(om)
    sb, cb, sbt, cbt = np.sin(be), np.cos(be), np.sin(be + th), np.cos(be + th)
    cpd, spd, coe, soe = np.cos(ph + de), np.sin(ph + de), np.cos(om + ep), np.sin(om + ep)
    x, y = RR * cb - D * cbt, RR * sb - D * sbt
    g[0], g[1] = x - SS * sg - XB, y + SS * cg - YB
    g[2], g[3] = x - E * spd - ZT * np.cos(de) - XA, y + E * cpd - ZT * np.sin(de) - YA
    g[4], g[5] = x - ZF * coe - U * np.sin(ep) - XA, y - ZF * soe + U * np.cos(ep) - YA
    for k in (0, 2, 4):
        J[k, 0], J[k, 1] = -RR * sb + D * sbt, D * sbt
        J[k + 1, 0], J[k + 1, 1] = RR * cb - D * cbt, -D * cbt
    J[0, 2], J[1, 2] = -SS * cg, -SS * sg
    J[2, 3], J[2, 4], J[3, 3], J[3, 4] = -E * cpd, -E * cpd + ZT * np.sin(de), -E * spd, -E * spd - ZT * np.cos(de)
    J[4, 5], J[4, 6], J[5, 5], J[5, 6] = ZF * soe, ZF * soe - U * np.cos(ep), -ZF * coe, -ZF * coe - U * np.sin(ep)
    return M, f, J, g

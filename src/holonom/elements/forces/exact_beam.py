"""EXACT_BEAM: geometrically exact beam between two frames: any rotations and displacements, with stretch, shear,
bending and torsion (Reissner, Simo).

x axes of both frames run along the beam, from J to I, y and z are the principal axes of its section.  With the length
L, d = p_I - p_J, the rotation vector psi of A_J^T A_I and the middle attitude A_m = A_J exp(psi/2), strains and
curvatures in axes of the middle are

    l = A_m^T d,      gamma = (f(l), l_y, l_z) / L - gamma_0,      kappa = (psi - psi_0) / L,      energy U = L/2 (gamma
        . C gamma + kappa . D kappa)

with gamma_0 (of length one) and psi_0 of the beam as drawn (or of a straight one), C = diag(EA, k_y, k_z), D = diag(GJ,
EIy, EIz).  They do not change when all turns, and with u = psi/|psi|,
t = tan(|psi|/4), c = |psi|/2 / sin(|psi|/2), m = D kappa, n = (0, k_y gamma_y, k_z gamma_z) + EA gamma_x df/dl, q = l x
n

    force on I    -A_m n,         on J    A_m n
    torque on I   A_m (q/2 - t/2 q x u - S^-1 m),     on J   A_m (q/2 + t/2 q x u + S^-1 m),     S^-1 = c I + (1 - c) u
        u^T

(derivatives of U: A_m turns by the mean of both turns and half of t (their difference) x u, and psi by S^-1 of their
difference in axes of the middle.)

One point of integration, so that it does not lock; shear stiffnesses 1/k_y = 1/GAy + L^2/(12 EIz), 1/k_z = 1/GAz +
L^2/(12 EIy) give what bending within the element adds (residual bending flexibility), with which small deflections
under loads at nodes are exact, also of beams that do not shear (GA zero here).

What is stretched: f = l_x + (w_y l_y^2 + w_z l_z^2) / (|l| + l_x), w = 1 - (k/GA)^2.  Where all of 1/k is shear this is
Reissner's l_x; where all of it is bending within the element (w = 1) it is the distance of the ends |l|.  With l_x
there a rope under a tension above 12 EI/L^2 would turn its sections away from its axis and give way: shear that is none
cannot be pulled into buckling.

Damping: n + damping C gamma', m + damping D kappa' (Kelvin and Voigt), in time.  Two frames may turn by less than half
a turn against each other.

Sources: E. Reissner, ZAMP 23 (1972) 795-804; J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Engrg. 58 (1986)
79-116; invariance of strains: G. Jelenic, M. A. Crisfield, ibid. 171 (1999) 141-171; residual bending flexibility: R.
H. MacNeal, Comput. Struct. 8 (1978) 175-183.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._jit import jit
from ...model.base import Element
from ...model.builder.teaching import sound
from ...model.forces import IJ
from ...model.values import number_fields
from ..duals import SEED, atan, real, slope, sqrt
from ..kinds import ForceKind
from ..vectors import cross

SMALL = 1e-3  # square of the sine of half the angle below which its functions are series
FIELDS = ("length", "EA", "GJ", "EIy", "EIz", "GAy", "GAz", "damping")
LENGTH, STRETCH, SHEAR_Y, SHEAR_Z, TORSION, BEND_Y, BEND_Z, DAMPING, GAMMA, PSI, SHARE_Y, SHARE_Z = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    11,
    14,
    15,
)


@dataclass
class ExactBeam(Element):
    """EXACT_BEAM: geometrically exact beam from marker ``j`` to marker ``i``, whose x axes run along it.

    ``length``: of the unloaded beam; ``EA``, ``GJ``, ``EIy``, ``EIz``: stiffness in stretch, torsion and bending about
    y and z; ``GAy``, ``GAz``: in shear, with their coefficients, zero for
    beams that do not shear; ``damping``: time; ``straight``: unloaded it is straight, whatever the drawing shows.
    """

    KIND: ClassVar[str] = "EXACT_BEAM"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Beam"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    length: float = 0.0
    EA: float = 0.0
    GJ: float = 0.0
    EIy: float = 0.0
    EIz: float = 0.0
    GAy: float = 0.0
    GAz: float = 0.0
    damping: float = 0.0
    straight: bool = False

    def faults(self, model):
        """Invalid values: no length, no stiffness."""
        for name in ("length", "EA", "GJ", "EIy", "EIz"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        for name in ("GAy", "GAz", "damping"):
            if getattr(self, name) < 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"

    def losses(self) -> str:
        return "damped" if self.damping else ""

    def frequency(self, mi: float | None, mj: float | None) -> tuple[float, float]:
        """Of its stretching between two masses (0 or None: ground), each shared with another beam: rad per time, and
        the damping ratio."""
        w = math.sqrt(2.0 * self.EA / self.length * sum(1.0 / m for m in (mi, mj) if m))
        return w, 0.5 * self.damping * w


def exact_beam(
    model,
    i,
    j,
    *,
    EA: float,
    GJ: float,
    EIy: float,
    EIz: float,
    GAy: float = 0.0,
    GAz: float = 0.0,
    length: float | None = None,
    damping: float = 0.0,
    straight: bool = False,
    name: str = "",
    id: int = 0,
) -> ExactBeam:
    """Geometrically exact beam from marker ``j`` to marker ``i`` (x axes along it, y and z the principal axes of the
    section): any rotations, with stretch, shear, bending and torsion; `holonom.elements.forces.exact_beam` has the
    equations, `holonom.flexible.rod` makes a whole rod of them.

    ``EA``, ``GAy``, ``GAz``: force (GA zero: no shear); ``GJ``, ``EIy``, ``EIz``: force*length^2; ``length``: unloaded,
    by default the distance as drawn (another one stretches it as drawn); ``damping``: stresses of the rate of strain,
    time; ``straight``: unloaded it is straight; otherwise its directions are those of the drawing.  Raises `ModelError`
    for stiffnesses that are not positive.

        model.exact_beam(tip, root, EA=2e6, GJ=10.0, EIy=16.0, EIz=16.0)
    """
    i, j = model._marker(i), model._marker(j)
    if length is None:
        length = math.dist(model._place(i).origin, model._place(j).origin)
    given = number_fields(length=length, EA=EA, GJ=GJ, EIy=EIy, EIz=EIz, GAy=GAy, GAz=GAz, damping=damping)
    e = ExactBeam(id=id, name=name, i=i, j=j, straight=bool(straight), **given)
    return model.add(sound(e, model))


def values(e, model):
    L = e.length
    soft = lambda GA, EI: 1.0 / ((1.0 / GA if GA > 0.0 else 0.0) + L * L / (12.0 * EI))
    ky, kz = soft(e.GAy, e.EIz), soft(e.GAz, e.EIy)
    own = [L, e.EA, ky, kz, e.GJ, e.EIy, e.EIz, e.damping]
    shares = [1.0 - (k / GA) ** 2 if GA > 0.0 else 1.0 for k, GA in ((ky, e.GAy), (kz, e.GAz))]
    if e.straight:
        return [*own, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, *shares]
    a, b = model._place(e.i), model._place(e.j)
    rest = strains(tuple(np.ravel(a.axes)), tuple(np.ravel(b.axes)), tuple(a.origin - b.origin))
    d = (
        math.dist(a.origin, b.origin) or L
    )  # another length than that of the drawing: it is stretched as drawn, along the line of its unloaded ends
    stretch = stretched(shares[0], shares[1], rest[9], rest[10], rest[11])[0]
    return [*own, stretch / d, rest[10] / d, rest[11] / d, rest[12], rest[13], rest[14], *shares]


@jit(entry="float64, float64, float64, float64, float64")
def stretched(wy, wz, l0, l1, l2):
    """f(l) and its derivatives."""
    D = sqrt(l0 * l0 + l1 * l1 + l2 * l2)
    s = D + l0
    if not real(s) > 1e-12 * real(D):  # turned back on itself
        s = s + 1e-12 * D + 1e-300
    Q = wy * l1 * l1 + wz * l2 * l2
    x = Q / (s * (D + 1e-300))
    return l0 + Q / s, 1.0 - x, l1 / s * (2.0 * wy - x), l2 / s * (2.0 * wz - x)


@jit
def mean(x):
    """Half an angle over its sine, and tan(a/4) / sin(a/2), of the square x of the sine of half the angle a."""
    if real(x) < SMALL:
        return 1.0 + x * (1.0 / 6.0 + x * (3.0 / 40.0 + x * (5.0 / 112.0 + x * 35.0 / 1152.0))), 0.5 + x * (
            0.125 + x * (0.0625 + x * (5.0 / 128.0 + x * 7.0 / 256.0))
        )
    s = sqrt(x)
    c = sqrt(1.0 - x)
    return 2.0 * atan(s / (1.0 + c)) / s, 1.0 / (1.0 + c)


@jit(entry="9 * float64, 9 * float64, 3 * float64")
def strains(a, b, d):
    """Axes (row order) of I and J and d -> A_m (9), A_m^T d, psi, c, and tan(|psi|/4) over |psi|/2-sine: times the
    vector part of the quaternion it is t u."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b
    d0, d1, d2 = d
    # A_J^T A_I as a quaternion
    r00 = b0 * a0 + b3 * a3 + b6 * a6
    r11 = b1 * a1 + b4 * a4 + b7 * a7
    r22 = b2 * a2 + b5 * a5 + b8 * a8
    r21 = b2 * a1 + b5 * a4 + b8 * a7
    r12 = b1 * a2 + b4 * a5 + b7 * a8
    r02 = b0 * a2 + b3 * a5 + b6 * a8
    r20 = b2 * a0 + b5 * a3 + b8 * a6
    r10 = b1 * a0 + b4 * a3 + b7 * a6
    r01 = b0 * a1 + b3 * a4 + b6 * a7
    q = 0.5 * sqrt(1.0 + r00 + r11 + r22)
    q0 = 0.25 * (r21 - r12) / q
    q1 = 0.25 * (r02 - r20) / q
    q2 = 0.25 * (r10 - r01) / q
    c, g = mean(q0 * q0 + q1 * q1 + q2 * q2)
    # exp(psi/2): its quaternion (cos, sin u) of half of half the angle
    h = sqrt(0.5 * (1.0 + q))
    k = 0.5 / h
    h0 = k * q0
    h1 = k * q1
    h2 = k * q2
    e00 = 1.0 - 2.0 * (h1 * h1 + h2 * h2)
    e01 = 2.0 * (h0 * h1 - h * h2)
    e02 = 2.0 * (h0 * h2 + h * h1)
    e10 = 2.0 * (h0 * h1 + h * h2)
    e11 = 1.0 - 2.0 * (h0 * h0 + h2 * h2)
    e12 = 2.0 * (h1 * h2 - h * h0)
    e20 = 2.0 * (h0 * h2 - h * h1)
    e21 = 2.0 * (h1 * h2 + h * h0)
    e22 = 1.0 - 2.0 * (h0 * h0 + h1 * h1)
    m0 = b0 * e00 + b1 * e10 + b2 * e20
    m1 = b0 * e01 + b1 * e11 + b2 * e21
    m2 = b0 * e02 + b1 * e12 + b2 * e22
    m3 = b3 * e00 + b4 * e10 + b5 * e20
    m4 = b3 * e01 + b4 * e11 + b5 * e21
    m5 = b3 * e02 + b4 * e12 + b5 * e22
    m6 = b6 * e00 + b7 * e10 + b8 * e20
    m7 = b6 * e01 + b7 * e11 + b8 * e21
    m8 = b6 * e02 + b7 * e12 + b8 * e22
    return (
        m0,
        m1,
        m2,
        m3,
        m4,
        m5,
        m6,
        m7,
        m8,
        m0 * d0 + m3 * d1 + m6 * d2,
        m1 * d0 + m4 * d1 + m7 * d2,
        m2 * d0 + m5 * d1 + m8 * d2,
        2.0 * c * q0,
        2.0 * c * q1,
        2.0 * c * q2,
        c,
        g,
        q0,
        q1,
        q2,
    )


@jit
def spin_part(c, q0, q1, q2, x0, x1, x2):
    """S^-1 x = c x + (1 - c) u (u . x)"""
    s = q0 * q0 + q1 * q1 + q2 * q2
    if real(s) < 1e-30:
        return c * x0, c * x1, c * x2
    k = (1.0 - c) * (q0 * x0 + q1 * x1 + q2 * x2) / s
    return c * x0 + k * q0, c * x1 + k * q1, c * x2 + k * q2


@jit
def evaluate(c, pose, speed):
    """pose: axes of I and J (9 each) and d; speed: d', w of I and J.  -> force on I, torques on I and J, in ground;
    energy; power lost."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8, b0, b1, b2, b3, b4, b5, b6, b7, b8, d0, d1, d2 = pose
    (m0, m1, m2, m3, m4, m5, m6, m7, m8, l0, l1, l2, y0, y1, y2, k, g, q0, q1, q2) = strains(
        (a0, a1, a2, a3, a4, a5, a6, a7, a8), (b0, b1, b2, b3, b4, b5, b6, b7, b8), (d0, d1, d2)
    )
    L = c[LENGTH]
    f, f0, f1, f2 = stretched(c[SHARE_Y], c[SHARE_Z], l0, l1, l2)
    g0 = f / L - c[GAMMA]
    g1 = l1 / L - c[GAMMA + 1]
    g2 = l2 / L - c[GAMMA + 2]
    k0 = (y0 - c[PSI]) / L
    k1 = (y1 - c[PSI + 1]) / L
    k2 = (y2 - c[PSI + 2]) / L
    n0 = c[STRETCH] * g0
    n1 = c[SHEAR_Y] * g1
    n2 = c[SHEAR_Z] * g2
    t0 = c[TORSION] * k0
    t1 = c[BEND_Y] * k1
    t2 = c[BEND_Z] * k2
    energy = 0.5 * L * (n0 * g0 + n1 * g1 + n2 * g2 + t0 * k0 + t1 * k1 + t2 * k2)
    lost = energy * 0.0
    tq0 = g * q0
    tq1 = g * q1
    tq2 = g * q2
    if c[DAMPING] > 0.0:
        v0, v1, v2, w0, w1, w2, z0, z1, z2 = speed
        # angular velocities in axes of the middle: their mean and their difference
        s0 = 0.5 * (m0 * (w0 + z0) + m3 * (w1 + z1) + m6 * (w2 + z2))
        s1 = 0.5 * (m1 * (w0 + z0) + m4 * (w1 + z1) + m7 * (w2 + z2))
        s2 = 0.5 * (m2 * (w0 + z0) + m5 * (w1 + z1) + m8 * (w2 + z2))
        d0 = m0 * (w0 - z0) + m3 * (w1 - z1) + m6 * (w2 - z2)
        d1 = m1 * (w0 - z0) + m4 * (w1 - z1) + m7 * (w2 - z2)
        d2 = m2 * (w0 - z0) + m5 * (w1 - z1) + m8 * (w2 - z2)
        x0, x1, x2 = cross(tq0, tq1, tq2, d0, d1, d2)
        x0, x1, x2 = cross(s0 - 0.5 * x0, s1 - 0.5 * x1, s2 - 0.5 * x2, l0, l1, l2)
        e0 = (m0 * v0 + m3 * v1 + m6 * v2 - x0) / L
        e1 = (m1 * v0 + m4 * v1 + m7 * v2 - x1) / L
        e2 = (m2 * v0 + m5 * v1 + m8 * v2 - x2) / L
        r0, r1, r2 = spin_part(k, q0, q1, q2, d0, d1, d2)
        e0 = f0 * e0 + f1 * e1 + f2 * e2
        r0 = r0 / L
        r1 = r1 / L
        r2 = r2 / L
        h = c[DAMPING]
        lost = (
            h
            * L
            * (
                c[STRETCH] * e0 * e0
                + c[SHEAR_Y] * e1 * e1
                + c[SHEAR_Z] * e2 * e2
                + c[TORSION] * r0 * r0
                + c[BEND_Y] * r1 * r1
                + c[BEND_Z] * r2 * r2
            )
        )
        n0 = n0 + h * c[STRETCH] * e0
        n1 = n1 + h * c[SHEAR_Y] * e1
        n2 = n2 + h * c[SHEAR_Z] * e2
        t0 = t0 + h * c[TORSION] * r0
        t1 = t1 + h * c[BEND_Y] * r1
        t2 = t2 + h * c[BEND_Z] * r2
    n1 = n1 + f1 * n0
    n2 = n2 + f2 * n0
    n0 = f0 * n0
    x0, x1, x2 = cross(l0, l1, l2, n0, n1, n2)
    # t (q x u): the mean turn of the middle has half of it against u
    p0, p1, p2 = cross(x0, x1, x2, tq0, tq1, tq2)
    s0, s1, s2 = spin_part(k, q0, q1, q2, t0, t1, t2)
    s0 = s0 + 0.5 * p0
    s1 = s1 + 0.5 * p1
    s2 = s2 + 0.5 * p2
    i0 = 0.5 * x0 - s0
    i1 = 0.5 * x1 - s1
    i2 = 0.5 * x2 - s2
    j0 = 0.5 * x0 + s0
    j1 = 0.5 * x1 + s1
    j2 = 0.5 * x2 + s2
    return (
        -(m0 * n0 + m1 * n1 + m2 * n2),
        -(m3 * n0 + m4 * n1 + m5 * n2),
        -(m6 * n0 + m7 * n1 + m8 * n2),
        m0 * i0 + m1 * i1 + m2 * i2,
        m3 * i0 + m4 * i1 + m5 * i2,
        m6 * i0 + m7 * i1 + m8 * i2,
        m0 * j0 + m1 * j1 + m2 * j2,
        m3 * j0 + m4 * j1 + m5 * j2,
        m6 * j0 + m7 * j1 + m8 * j2,
        energy,
        lost,
    )


@jit
def pose_of(fr, i, j):
    A = fr.A
    return (
        A[i, 0],
        A[i, 1],
        A[i, 2],
        A[i, 3],
        A[i, 4],
        A[i, 5],
        A[i, 6],
        A[i, 7],
        A[i, 8],
        A[j, 0],
        A[j, 1],
        A[j, 2],
        A[j, 3],
        A[j, 4],
        A[j, 5],
        A[j, 6],
        A[j, 7],
        A[j, 8],
        fr.p[i, 0] - fr.p[j, 0],
        fr.p[i, 1] - fr.p[j, 1],
        fr.p[i, 2] - fr.p[j, 2],
    )


@jit
def speed_of(fr, i, j):
    return (
        fr.v[i, 0] - fr.v[j, 0],
        fr.v[i, 1] - fr.v[j, 1],
        fr.v[i, 2] - fr.v[j, 2],
        fr.w[i, 0],
        fr.w[i, 1],
        fr.w[i, 2],
        fr.w[j, 0],
        fr.w[j, 1],
        fr.w[j, 2],
    )


@jit
def turned(fr, f, axis, k, on):
    """Entry k of the axes of a frame, dual in its turn about an axis (``on`` SEED or zero)."""
    r = k // 3
    c = k % 3
    if r == (axis + 1) % 3:
        return complex(fr.A[f, k], -on * fr.A[f, 3 * ((axis + 2) % 3) + c])
    if r == (axis + 2) % 3:
        return complex(fr.A[f, k], on * fr.A[f, 3 * ((axis + 1) % 3) + c])
    return complex(fr.A[f, k], 0.0)


@jit
def dual(x, on):
    return complex(x, SEED if on else 0.0)


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    o = evaluate(c, pose_of(fr, f[0], f[1]), speed_of(fr, f[0], f[1]))
    W[0] = o[0]
    W[1] = o[1]
    W[2] = o[2]
    W[3] = o[3]
    W[4] = o[4]
    W[5] = o[5]
    W[6] = -o[0]
    W[7] = -o[1]
    W[8] = -o[2]
    W[9] = o[6]
    W[10] = o[7]
    W[11] = o[8]


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i = f[0]
    j = f[1]
    # of displacements only their difference counts, and so of velocities
    for column in range(15 if c[DAMPING] > 0.0 else 9):
        kind = column // 3
        a = column % 3
        on_i = SEED if kind == 1 else 0.0
        on_j = SEED if kind == 2 else 0.0
        pose = (
            turned(fr, i, a, 0, on_i),
            turned(fr, i, a, 1, on_i),
            turned(fr, i, a, 2, on_i),
            turned(fr, i, a, 3, on_i),
            turned(fr, i, a, 4, on_i),
            turned(fr, i, a, 5, on_i),
            turned(fr, i, a, 6, on_i),
            turned(fr, i, a, 7, on_i),
            turned(fr, i, a, 8, on_i),
            turned(fr, j, a, 0, on_j),
            turned(fr, j, a, 1, on_j),
            turned(fr, j, a, 2, on_j),
            turned(fr, j, a, 3, on_j),
            turned(fr, j, a, 4, on_j),
            turned(fr, j, a, 5, on_j),
            turned(fr, j, a, 6, on_j),
            turned(fr, j, a, 7, on_j),
            turned(fr, j, a, 8, on_j),
            dual(fr.p[i, 0] - fr.p[j, 0], column == 0),
            dual(fr.p[i, 1] - fr.p[j, 1], column == 1),
            dual(fr.p[i, 2] - fr.p[j, 2], column == 2),
        )
        speed = (
            dual(fr.v[i, 0] - fr.v[j, 0], column == 9),
            dual(fr.v[i, 1] - fr.v[j, 1], column == 10),
            dual(fr.v[i, 2] - fr.v[j, 2], column == 11),
            dual(fr.w[i, 0], column == 12),
            dual(fr.w[i, 1], column == 13),
            dual(fr.w[i, 2], column == 14),
            dual(fr.w[j, 0], False),
            dual(fr.w[j, 1], False),
            dual(fr.w[j, 2], False),
        )
        o = evaluate(c, pose, speed)
        enter(o, (0 if kind == 0 else 3 if kind == 1 else 9 if kind == 2 else 12 if kind == 3 else 15) + a, 1.0, D)
        if kind == 0:
            enter(o, 6 + a, -1.0, D)
        elif kind == 3:
            enter(o, 18 + a, -1.0, D)
    if c[DAMPING] > 0.0:
        for a in range(3):
            pose = lifted(pose_of(fr, i, j))
            s = speed_of(fr, i, j)
            speed = (
                dual(s[0], False),
                dual(s[1], False),
                dual(s[2], False),
                dual(s[3], False),
                dual(s[4], False),
                dual(s[5], False),
                dual(s[6], a == 0),
                dual(s[7], a == 1),
                dual(s[8], a == 2),
            )
            enter(evaluate(c, pose, speed), 21 + a, 1.0, D)


@jit
def lifted(q):
    """A pose of dual numbers without derivatives."""
    return (
        dual(q[0], False),
        dual(q[1], False),
        dual(q[2], False),
        dual(q[3], False),
        dual(q[4], False),
        dual(q[5], False),
        dual(q[6], False),
        dual(q[7], False),
        dual(q[8], False),
        dual(q[9], False),
        dual(q[10], False),
        dual(q[11], False),
        dual(q[12], False),
        dual(q[13], False),
        dual(q[14], False),
        dual(q[15], False),
        dual(q[16], False),
        dual(q[17], False),
        dual(q[18], False),
        dual(q[19], False),
        dual(q[20], False),
    )


@jit
def enter(o, column, sign, D):
    """A column of D <- derivatives of the wrenches."""
    D[0, column] = sign * slope(o[0])
    D[1, column] = sign * slope(o[1])
    D[2, column] = sign * slope(o[2])
    D[3, column] = sign * slope(o[3])
    D[4, column] = sign * slope(o[4])
    D[5, column] = sign * slope(o[5])
    D[6, column] = -sign * slope(o[0])
    D[7, column] = -sign * slope(o[1])
    D[8, column] = -sign * slope(o[2])
    D[9, column] = sign * slope(o[6])
    D[10, column] = sign * slope(o[7])
    D[11, column] = sign * slope(o[8])


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    o = evaluate(c, pose_of(fr, f[0], f[1]), speed_of(fr, f[0], f[1]))
    out[0] = o[9]
    out[1] = o[10]
    out[2] = 0.0


KIND = ForceKind(ExactBeam, exact_beam, force, tangent, energies, values)

"""Cable in a plane across an axis of ground: `cable` with a curvature that has a sign, and with laws of its section.

With a = r', c = r'', A = a.a and the axes 1, 2 of the plane, the next ones behind the held axis 0 (x: y, z; y: z, x; z:
x, y),

    axial strain   e = |a| - 1          curvature   k = (a_1 c_2 - a_2 c_1) / A, positive about the held axis
    V = int EA (e - e0)^2 / 2 + W(k) dx,    M = dW/dk + EI d k'

W = EI k^2/2, or that of a law (`section_laws`), whose plastic curvatures are kept in the data of elements, at each of
the three points of bending.  Of layers
(`Fibres`) the energy per length is one of e - e0 and k together, all of it at these three points.
Quadrature, prestress and Kelvin and Voigt's damping (time d) are those of `cable`, with which it agrees where no law is
given.

    dk/da = (c_2 - 2 k a_1, -c_1 - 2 k a_2)/A = g,   dk/dc = (-a_2, a_1)/A,
    d2k/da2 = -2 (a g^T + g a^T + k 1)/A
"""

from __future__ import annotations

import math

import numpy as np

from ..._jit import jit
from ...model.base import ModelError
from . import cable, section_laws
from .entries import ACCEPT, ENERGIES, FORCES, STIFFNESS
from .section_laws import FIBRES, energy, extent, moment, remember, section_energy, section_forces, section_remembers

NODES, PER_NODE = 2, 6
WHAT = "a planar cable"
SQUEEZED = 1e-3  # stretch below which nothing is left of it
#: behind them stand the numbers of a law, or none
PROPERTIES = ("EA", "EI", "mass", "damping", "length", "strain", "plane")
RESULTANTS = ("axial force", "bending moment", "strain", "curvature", "plastic curvature")
AXIAL, BENDING = cable.AXIAL, cable.BENDING

# a row of data: EA, EI, damping, e0, L, held axis, then of each axial point its weight and N' (4), of each bending
# point weight, N' (4), N'' (4), the law, what its points remember
HELD, HEAD = 5, 6
A_AT, B_AT = HEAD, HEAD + 5 * AXIAL
LAW_AT = B_AT + 9 * BENDING

masses, weights = cable.masses, cable.weights


def rows(q0: np.ndarray, properties: np.ndarray, unit: float = 1.0) -> np.ndarray:
    """(e, ..) constants of elements; properties (e, 7 + ..): EA force, EI force length^2, mass/length, damping time,
    unloaded length, strain without force, held axis 0 to 2, numbers of a law."""
    p = np.asarray(properties, float)
    law = p[:, len(PROPERTIES) :]
    if law.shape[1] and (law[:, 0] == section_laws.GRID).any():
        raise ModelError(f"the law of {WHAT}: it takes Fibres with positions alone, not with heights")
    own = max((section_laws.states(one) for one in law), default=0)
    out = np.zeros((len(p), LAW_AT + max(law.shape[1], 1) + BENDING * own))
    out[:, :LAW_AT] = cable.rows(q0, p[:, :6], unit)
    out[:, HELD] = p[:, 6]
    out[:, LAW_AT : LAW_AT + law.shape[1]] = law
    return out


@jit
def _kept(row, p):
    """Where what the p-th point of bending remembers stands."""
    own, n = extent(row, LAW_AT)
    return LAW_AT + own + p * n


@jit
def _sum(row, o, q, i):
    return row[o] * q[i] + row[o + 1] * q[3 + i] + row[o + 2] * q[6 + i] + row[o + 3] * q[9 + i]


@jit
def _bent(row, o, q, i, j):
    """a, c, 1/A and k at the bending point whose numbers begin at ``o``, axes i and j."""
    a1 = _sum(row, o + 1, q, i)
    a2 = _sum(row, o + 1, q, j)
    c1 = _sum(row, o + 5, q, i)
    c2 = _sum(row, o + 5, q, j)
    A = 1.0 / (a1 * a1 + a2 * a2)
    return a1, a2, c1, c2, A, (a1 * c2 - a2 * c1) * A


@jit(entry=FORCES)
def forces(data, e, q, v, f):
    """f (12) <- -dV/dq and forces of the dampers."""
    row = data[e]
    tau = row[2]
    i = (int(row[HELD]) + 1) % 3
    j = (i + 1) % 3
    layers = row[LAW_AT] == FIBRES
    for k in range(12):
        f[k] = 0.0
    for p in range(0 if layers else AXIAL):
        o = A_AT + 5 * p
        a1 = _sum(row, o + 1, q, i)
        a2 = _sum(row, o + 1, q, j)
        s = math.sqrt(a1 * a1 + a2 * a2)
        strain = s - 1.0 - row[3]
        if tau > 0.0:
            strain += tau * (a1 * _sum(row, o + 1, v, i) + a2 * _sum(row, o + 1, v, j)) / s
        x = -row[o] * row[0] * strain / s
        a1 *= x
        a2 *= x
        for k in range(4):
            f[3 * k + i] += row[o + 1 + k] * a1
            f[3 * k + j] += row[o + 1 + k] * a2
    for p in range(BENDING):
        o = B_AT + 9 * p
        a1, a2, c1, c2, A, k = _bent(row, o, q, i, j)
        g1 = (c2 - 2.0 * k * a1) * A
        g2 = (-c1 - 2.0 * k * a2) * A
        n1 = -a2 * A
        n2 = a1 * A
        M = row[1] * k
        if layers:
            s = 1.0 / math.sqrt(A)
            N, M, _, _, _, _, _, _, _ = section_forces(row, LAW_AT, _kept(row, p), 2, s - 1.0 - row[3], k, 0.0)
            if tau > 0.0:
                N += row[0] * tau * (a1 * _sum(row, o + 1, v, i) + a2 * _sum(row, o + 1, v, j)) / s
            N *= -row[o] / s
            for k in range(4):
                f[3 * k + i] += N * row[o + 1 + k] * a1
                f[3 * k + j] += N * row[o + 1 + k] * a2
        elif row[LAW_AT] != 0.0:
            M = moment(row, LAW_AT, _kept(row, p), k)[0]
        if tau > 0.0:
            M += (
                row[1]
                * tau
                * (
                    g1 * _sum(row, o + 1, v, i)
                    + g2 * _sum(row, o + 1, v, j)
                    + n1 * _sum(row, o + 5, v, i)
                    + n2 * _sum(row, o + 5, v, j)
                )
            )
        M *= -row[o]
        for k in range(4):
            f[3 * k + i] += M * (row[o + 1 + k] * g1 + row[o + 5 + k] * n1)
            f[3 * k + j] += M * (row[o + 1 + k] * g2 + row[o + 5 + k] * n2)


@jit(entry=STIFFNESS)
def stiffness(data, e, q, v, K, C):
    """K, C (12, 12) <- minus the derivatives of `forces` by q and v; returns whether there is a C, which else holds
    nothing of use."""
    row = data[e]
    tau = row[2]
    i = (int(row[HELD]) + 1) % 3
    j = (i + 1) % 3
    for k in range(12):
        for m in range(12):
            K[k, m] = 0.0
            C[k, m] = 0.0
    layers = row[LAW_AT] == FIBRES
    for p in range(0 if layers else AXIAL):
        o = A_AT + 5 * p
        a1 = _sum(row, o + 1, q, i)
        a2 = _sum(row, o + 1, q, j)
        s2 = a1 * a1 + a2 * a2
        s = math.sqrt(s2)
        w = row[o] * row[0]
        y = w * (s - 1.0 - row[3]) / s
        x = (w - y) / s2
        h11 = x * a1 * a1 + y
        h12 = x * a1 * a2
        h21 = h12
        h22 = x * a2 * a2 + y
        if tau > 0.0:
            b1 = _sum(row, o + 1, v, i)
            b2 = _sum(row, o + 1, v, j)
            d = w * tau / s2
            rate = (a1 * b1 + a2 * b2) / s2
            h11 += d * (a1 * (b1 - 2.0 * rate * a1)) + w * tau * rate
            h12 += d * a1 * (b2 - 2.0 * rate * a2)
            h21 += d * a2 * (b1 - 2.0 * rate * a1)
            h22 += d * (a2 * (b2 - 2.0 * rate * a2)) + w * tau * rate
            for k in range(4):
                for m in range(4):
                    n = d * row[o + 1 + k] * row[o + 1 + m]
                    C[3 * k + i, 3 * m + i] += n * a1 * a1
                    C[3 * k + i, 3 * m + j] += n * a1 * a2
                    C[3 * k + j, 3 * m + i] += n * a2 * a1
                    C[3 * k + j, 3 * m + j] += n * a2 * a2
        for k in range(4):
            for m in range(4):
                n = row[o + 1 + k] * row[o + 1 + m]
                K[3 * k + i, 3 * m + i] += n * h11
                K[3 * k + i, 3 * m + j] += n * h12
                K[3 * k + j, 3 * m + i] += n * h21
                K[3 * k + j, 3 * m + j] += n * h22
    for p in range(BENDING):
        o = B_AT + 9 * p
        a1, a2, c1, c2, A, k = _bent(row, o, q, i, j)
        g1 = (c2 - 2.0 * k * a1) * A
        g2 = (-c1 - 2.0 * k * a2) * A
        n1 = -a2 * A
        n2 = a1 * A
        M = row[1] * k
        T = row[1]
        N = 0.0
        EA = 0.0
        ES = 0.0
        if layers:
            N, M, _, EA, ES, _, T, _, _ = section_forces(
                row, LAW_AT, _kept(row, p), 2, 1.0 / math.sqrt(A) - 1.0 - row[3], k, 0.0
            )
        elif row[LAW_AT] != 0.0:
            M, T = moment(row, LAW_AT, _kept(row, p), k)
        # H, the second derivatives of k by a and c (those by c twice are zero)
        h11 = -2.0 * A * (2.0 * a1 * g1 + k)
        h12 = -2.0 * A * (a1 * g2 + a2 * g1)
        h22 = -2.0 * A * (2.0 * a2 * g2 + k)
        m11 = -2.0 * A * n1 * a1
        m12 = -2.0 * A * n1 * a2 - A  # of n_1 by a_2
        m21 = -2.0 * A * n2 * a1 + A
        m22 = -2.0 * A * n2 * a2
        # derivative of the moment by a and c: T (g, n), and that of the damper's, EI tau H v
        t1 = T * g1
        t2 = T * g2
        t3 = T * n1
        t4 = T * n2
        w = row[o]
        if layers:
            s = 1.0 / math.sqrt(A)
            z1 = a1 / s
            z2 = a2 / s
            t1 += ES * z1
            t2 += ES * z2
            # derivative of the axial force by a and c
            l1 = EA * z1 + ES * g1
            l2 = EA * z2 + ES * g2
            D = row[0] * tau
            if tau > 0.0:
                b1 = _sum(row, o + 1, v, i)
                b2 = _sum(row, o + 1, v, j)
                rate = z1 * b1 + z2 * b2
                N += D * rate
                l1 += D * (b1 - rate * z1) / s
                l2 += D * (b2 - rate * z2) / s
            y = N / s
            for r in range(4):
                for m in range(4):
                    n = w * row[o + 1 + r] * row[o + 1 + m]
                    nc = w * row[o + 1 + r] * row[o + 5 + m] * ES
                    K[3 * r + i, 3 * m + i] += n * (z1 * l1 + y * (1.0 - z1 * z1)) + nc * z1 * n1
                    K[3 * r + i, 3 * m + j] += n * (z1 * l2 - y * z1 * z2) + nc * z1 * n2
                    K[3 * r + j, 3 * m + i] += n * (z2 * l1 - y * z1 * z2) + nc * z2 * n1
                    K[3 * r + j, 3 * m + j] += n * (z2 * l2 + y * (1.0 - z2 * z2)) + nc * z2 * n2
                    if tau > 0.0:
                        n *= D
                        C[3 * r + i, 3 * m + i] += n * z1 * z1
                        C[3 * r + i, 3 * m + j] += n * z1 * z2
                        C[3 * r + j, 3 * m + i] += n * z2 * z1
                        C[3 * r + j, 3 * m + j] += n * z2 * z2
        if tau > 0.0:
            b1 = _sum(row, o + 1, v, i)
            b2 = _sum(row, o + 1, v, j)
            d1 = _sum(row, o + 5, v, i)
            d2 = _sum(row, o + 5, v, j)
            D = row[1] * tau
            M += D * (g1 * b1 + g2 * b2 + n1 * d1 + n2 * d2)
            t1 += D * (h11 * b1 + h12 * b2 + m11 * d1 + m21 * d2)
            t2 += D * (h12 * b1 + h22 * b2 + m12 * d1 + m22 * d2)
            t3 += D * (m11 * b1 + m12 * b2)
            t4 += D * (m21 * b1 + m22 * b2)
        for r in range(4):
            x1 = row[o + 1 + r] * g1 + row[o + 5 + r] * n1
            x2 = row[o + 1 + r] * g2 + row[o + 5 + r] * n2
            # M H over a and c of the row of this shape, along 1 and 2
            u11 = M * (row[o + 1 + r] * h11 + row[o + 5 + r] * m11)
            u12 = M * (row[o + 1 + r] * h12 + row[o + 5 + r] * m12)
            u13 = M * row[o + 1 + r] * m11
            u14 = M * row[o + 1 + r] * m21
            u21 = M * (row[o + 1 + r] * h12 + row[o + 5 + r] * m21)
            u22 = M * (row[o + 1 + r] * h22 + row[o + 5 + r] * m22)
            u23 = M * row[o + 1 + r] * m12
            u24 = M * row[o + 1 + r] * m22
            for m in range(4):
                na = w * row[o + 1 + m]
                nc = w * row[o + 5 + m]
                K[3 * r + i, 3 * m + i] += na * (x1 * t1 + u11) + nc * (x1 * t3 + u13)
                K[3 * r + i, 3 * m + j] += na * (x1 * t2 + u12) + nc * (x1 * t4 + u14)
                K[3 * r + j, 3 * m + i] += na * (x2 * t1 + u21) + nc * (x2 * t3 + u23)
                K[3 * r + j, 3 * m + j] += na * (x2 * t2 + u22) + nc * (x2 * t4 + u24)
                if tau > 0.0:
                    y1 = row[1] * tau * (na * g1 + nc * n1)
                    y2 = row[1] * tau * (na * g2 + nc * n2)
                    C[3 * r + i, 3 * m + i] += x1 * y1
                    C[3 * r + i, 3 * m + j] += x1 * y2
                    C[3 * r + j, 3 * m + i] += x2 * y1
                    C[3 * r + j, 3 * m + j] += x2 * y2
    return tau > 0.0


@jit(entry=ENERGIES)
def energies(data, e, q, v):
    """Strain energy of element e, and the power of its dampers and of what slides, which is not positive."""
    row = data[e]
    i = (int(row[HELD]) + 1) % 3
    j = (i + 1) % 3
    stored = 0.0
    power = 0.0
    layers = row[LAW_AT] == FIBRES
    for p in range(0 if layers else AXIAL):
        o = A_AT + 5 * p
        a1 = _sum(row, o + 1, q, i)
        a2 = _sum(row, o + 1, q, j)
        s = math.sqrt(a1 * a1 + a2 * a2)
        rate = (a1 * _sum(row, o + 1, v, i) + a2 * _sum(row, o + 1, v, j)) / s
        stored += 0.5 * row[o] * row[0] * (s - 1.0 - row[3]) ** 2
        power -= row[o] * row[0] * row[2] * rate * rate
    for p in range(BENDING):
        o = B_AT + 9 * p
        a1, a2, c1, c2, A, k = _bent(row, o, q, i, j)
        rate = A * (
            (c2 - 2.0 * k * a1) * _sum(row, o + 1, v, i)
            + (-c1 - 2.0 * k * a2) * _sum(row, o + 1, v, j)
            - a2 * _sum(row, o + 5, v, i)
            + a1 * _sum(row, o + 5, v, j)
        )
        if layers:
            s = 1.0 / math.sqrt(A)
            stretching = (a1 * _sum(row, o + 1, v, i) + a2 * _sum(row, o + 1, v, j)) / s
            x, y = section_energy(row, LAW_AT, _kept(row, p), 2, s - 1.0 - row[3], k, 0.0, stretching, rate, 0.0)
            stored += row[o] * x
            power += row[o] * (y - row[0] * row[2] * stretching * stretching)
        elif row[LAW_AT] != 0.0:
            x, y = energy(row, LAW_AT, _kept(row, p), k, rate)
            stored += row[o] * x
            power += row[o] * y
        else:
            stored += 0.5 * row[o] * row[1] * k * k
        power -= row[o] * row[1] * row[2] * rate * rate
    return stored, power


def law_place(row) -> int:
    """Where the law of a row stands, -1 where it has none."""
    return LAW_AT if row[LAW_AT] != section_laws.NONE else -1


def remembers(data: np.ndarray) -> bool:
    """Do elements with these data remember anything?"""
    return bool(((data[:, LAW_AT] == section_laws.PLASTIC) | (data[:, LAW_AT] == FIBRES)).any())


def kept(data: np.ndarray) -> np.ndarray:
    """What elements of one law remember (e, ..), a view."""
    if not (len(data) and remembers(data[:1])):
        return data[:, :0]
    own, n = extent.py_func(data[0], LAW_AT)
    return data[:, LAW_AT + own : LAW_AT + own + BENDING * n]


@jit(entry=ACCEPT)
def accept(data, e, q):
    """What element e remembers is brought up to the coordinates q (12)."""
    row = data[e]
    i = (int(row[HELD]) + 1) % 3
    for p in range(BENDING):
        _, _, _, _, A, k = _bent(row, B_AT + 9 * p, q, i, (i + 1) % 3)
        if row[LAW_AT] == FIBRES:
            section_remembers(row, LAW_AT, _kept(row, p), 2, 1.0 / math.sqrt(A) - 1.0 - row[3], k, 0.0)
        elif row[LAW_AT] != 0.0:
            remember(row, LAW_AT, _kept(row, p), k)


def resultants(properties: np.ndarray, xi: float, q: np.ndarray, unit: float = 1.0) -> np.ndarray:
    """(.., 5) axial force, bending moment, axial strain, curvature and plastic curvature (k - M/EI) at xi of an element
    with coordinates q (.., 12), moment and curvatures with their signs; of a plastic law q (nt, 12) stand one after the
    other from the start, and the section goes straight from each to the next."""
    p = np.asarray(properties, float)
    q = np.asarray(q, float)
    out = cable.resultants(p[:6], xi, q, unit)
    held = int(p[6])
    i, j = (held + 1) % 3, (held + 2) % 3
    vectors = q.reshape(*q.shape[:-1], 4, 3)
    _, d, b = cable.shapes(xi, float(p[4]), unit)
    a, c = np.einsum("i,...ij->...j", d, vectors), np.einsum("i,...ij->...j", b, vectors)
    k = (a[..., i] * c[..., j] - a[..., j] * c[..., i]) / (a * a).sum(axis=-1)
    N, M = out[..., 0], p[1] * k
    law = p[len(PROPERTIES) :]
    if len(law) and law[0] != section_laws.NONE:
        row = np.concatenate([law, np.zeros(section_laws.states(law))])
        flat = np.atleast_1d(k)
        strain = np.broadcast_to(np.atleast_1d(out[..., 2] - p[5]), flat.shape)
        values = np.empty((2, *flat.shape))
        for t, (e, one) in enumerate(zip(strain, flat)):
            if law[0] == FIBRES:
                values[:, t] = section_forces(row, 0, len(law), 2, e, one, 0.0)[:2]
                section_remembers(row, 0, len(law), 2, e, one, 0.0)
            else:
                values[1, t] = moment(row, 0, len(law), one)[0]
                remember(row, 0, len(law), one)
        M = values[1].reshape(k.shape)
        N = values[0].reshape(k.shape) if law[0] == FIBRES else N
    return np.stack([N, M, out[..., 2], k, k - M / p[1] if p[1] > 0.0 else 0.0 * k], axis=-1)


def faults(q, properties, unit: float = 1.0, q0=None) -> str:
    """A sentence about an element that has collapsed at coordinates ``q`` (e, 12), or ""."""
    now = np.asarray(q, float).reshape(-1, 4, 3)
    for e, (one, p) in enumerate(zip(now, np.atleast_2d(properties))):
        a = cable.shapes(np.linspace(0.0, 1.0, 5), float(p[4]), unit)[1].T @ one
        if not (np.linalg.norm(a, axis=1) > SQUEEZED).all():
            return f"element {e + 1} of {WHAT} has no length left; load it in smaller steps, or take shorter elements"
    return ""

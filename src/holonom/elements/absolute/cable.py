"""Cable in space: gradient-deficient, two nodes with a position and the gradient along the axis, cubic between them,
without twist.

With ' the derivative by the length x of the unloaded axis, a = r', c = r'', s = |a|, t = a / s and P = I - t t^T:

    axial strain   e = s - 1             curvature   k = P c / s = t'         (|k| = |r' x r''| / |r'|^2)
    V = int EA (e - e0)^2 / 2 + EI k.k / 2 dx

(Gerstmayr & Shabana, Nonlinear Dynamics 45 (2006) 109, with the strain of the text; the same measures as
ObjectANCFCable of Exudyn.)  The unloaded axis is straight, of the length of the element; e0 is the strain at which
there is no axial force (prestress, slack).  Axial force by five Gauss points, bending by
three: products of the cubic are integrated exactly where the element is straight, and there is no locking to be cured.

Kelvin and Voigt's damping with the time d: stresses of e + d e' and of k + d P k'.  P k' is the rate of the curvature
seen by sections that do not spin about the axis, of which a cable without twist knows nothing: in the plane it is
exact; a bent cable in space that turns about its own axis is damped as if its sections did not turn with it.
"""

from __future__ import annotations

import math

import numpy as np

from ..._jit import jit
from .entries import ENERGIES, FORCES, STIFFNESS

NODES, PER_NODE = 2, 6
PROPERTIES = ("EA", "EI", "mass", "damping", "length", "strain")
RESULTANTS = ("axial force", "bending moment", "strain", "curvature")
AXIAL, BENDING = 5, 3
N = NODES * PER_NODE

# a row of data: EA, EI, damping, e0, L, unit, then of each axial point its weight and N' (4), of each bending point
# weight, N' (4), N'' (4)
HEAD = 6
A_AT, B_AT = HEAD, HEAD + 5 * AXIAL
COLUMNS = B_AT + 9 * BENDING


def shapes(xi, L, unit: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """N, N', N'' (4, ..) at xi in (0, 1) of an element of the length L, over (r_1, unit r_1', r_2, unit r_2'); ' by
    length."""
    x, h = np.asarray(xi, float), np.asarray(L, float) / unit
    n = np.stack(
        np.broadcast_arrays(1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2))
    )
    d = (
        np.stack(
            np.broadcast_arrays(6 * x**2 - 6 * x, h * (1 - 4 * x + 3 * x**2), 6 * x - 6 * x**2, h * (3 * x**2 - 2 * x))
        )
        / L
    )
    b = (
        np.stack(np.broadcast_arrays(12 * x - 6, h * (6 * x - 4), 6 - 12 * x, h * (6 * x - 2)))
        / np.asarray(L, float) ** 2
    )
    return n, d, b


def _points(count: int) -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5 * (x + 1.0), 0.5 * w


def rows(q0: np.ndarray, properties: np.ndarray, unit: float = 1.0) -> np.ndarray:
    """(e, COLUMNS) constants of elements; properties (e, 6): EA force, EI force length^2, mass/length, damping time,
    unloaded length, strain without force."""
    p = np.asarray(properties, float)
    out = np.zeros((len(p), COLUMNS))
    out[:, :HEAD] = np.column_stack([p[:, 0], p[:, 1], p[:, 3], p[:, 5], p[:, 4], np.full(len(p), unit)])
    for k, (x, w) in enumerate(zip(*_points(AXIAL))):
        out[:, A_AT + 5 * k] = w * p[:, 4]
        out[:, A_AT + 5 * k + 1 : A_AT + 5 * k + 5] = shapes(x, p[:, 4], unit)[1].T
    for k, (x, w) in enumerate(zip(*_points(BENDING))):
        at = B_AT + 9 * k
        _, d, b = shapes(x, p[:, 4], unit)
        out[:, at] = w * p[:, 4]
        out[:, at + 1 : at + 5], out[:, at + 5 : at + 9] = d.T, b.T
    return out


def masses(q0: np.ndarray, properties: np.ndarray, unit: float = 1.0) -> np.ndarray:
    """(e, 12, 12) consistent masses."""
    p = np.asarray(properties, float)
    out = np.zeros((len(p), 4, 4))
    for x, w in zip(*_points(4)):
        n = shapes(x, p[:, 4], unit)[0]
        out += (w * p[:, 4] * p[:, 2])[:, None, None] * np.einsum("ie,je->eij", n, n)
    return np.einsum("eij,ab->eiajb", out, np.eye(3)).reshape(len(p), N, N)


def weights(properties: np.ndarray, xi: float, unit: float = 1.0) -> np.ndarray:
    """(2, 4) position and tangent at xi over the vectors of an element with these properties (6,)."""
    n, d, _ = shapes(xi, float(properties[4]), unit)
    return np.stack([n, d])


@jit(entry=FORCES)
def forces(data, e, q, v, f):
    """f (12) <- -dV/dq and forces of the dampers."""
    row = data[e]
    EA = row[0]
    EI = row[1]
    tau = row[2]
    e0 = row[3]
    for i in range(12):
        f[i] = 0.0
    for p in range(5):
        o = A_AT + 5 * p
        n0 = row[o + 1]
        n1 = row[o + 2]
        n2 = row[o + 3]
        n3 = row[o + 4]
        g0 = n0 * q[0] + n1 * q[3] + n2 * q[6] + n3 * q[9]
        g1 = n0 * q[1] + n1 * q[4] + n2 * q[7] + n3 * q[10]
        g2 = n0 * q[2] + n1 * q[5] + n2 * q[8] + n3 * q[11]
        s = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
        strain = s - 1.0 - e0
        if tau > 0.0:
            h0 = n0 * v[0] + n1 * v[3] + n2 * v[6] + n3 * v[9]
            h1 = n0 * v[1] + n1 * v[4] + n2 * v[7] + n3 * v[10]
            h2 = n0 * v[2] + n1 * v[5] + n2 * v[8] + n3 * v[11]
            strain += tau * (g0 * h0 + g1 * h1 + g2 * h2) / s
        x = -row[o] * EA * strain / s
        g0 *= x
        g1 *= x
        g2 *= x
        f[0] += n0 * g0
        f[1] += n0 * g1
        f[2] += n0 * g2
        f[3] += n1 * g0
        f[4] += n1 * g1
        f[5] += n1 * g2
        f[6] += n2 * g0
        f[7] += n2 * g1
        f[8] += n2 * g2
        f[9] += n3 * g0
        f[10] += n3 * g1
        f[11] += n3 * g2
    for p in range(3):
        o = B_AT + 9 * p
        n0 = row[o + 1]
        n1 = row[o + 2]
        n2 = row[o + 3]
        n3 = row[o + 4]
        b0 = row[o + 5]
        b1 = row[o + 6]
        b2 = row[o + 7]
        b3 = row[o + 8]
        g0 = n0 * q[0] + n1 * q[3] + n2 * q[6] + n3 * q[9]
        g1 = n0 * q[1] + n1 * q[4] + n2 * q[7] + n3 * q[10]
        g2 = n0 * q[2] + n1 * q[5] + n2 * q[8] + n3 * q[11]
        c0 = b0 * q[0] + b1 * q[3] + b2 * q[6] + b3 * q[9]
        c1 = b0 * q[1] + b1 * q[4] + b2 * q[7] + b3 * q[10]
        c2 = b0 * q[2] + b1 * q[5] + b2 * q[8] + b3 * q[11]
        A = 1.0 / (g0 * g0 + g1 * g1 + g2 * g2)
        u = (g0 * c0 + g1 * c1 + g2 * c2) * A  # part of r'' along r', in shares of r'
        # s k = P c
        m0 = c0 - u * g0
        m1 = c1 - u * g1
        m2 = c2 - u * g2
        z = (m0 * m0 + m1 * m1 + m2 * m2) * A  # k.k of the moment and the curvature
        if tau > 0.0:
            h0 = n0 * v[0] + n1 * v[3] + n2 * v[6] + n3 * v[9]
            h1 = n0 * v[1] + n1 * v[4] + n2 * v[7] + n3 * v[10]
            h2 = n0 * v[2] + n1 * v[5] + n2 * v[8] + n3 * v[11]
            d0 = b0 * v[0] + b1 * v[3] + b2 * v[6] + b3 * v[9]
            d1 = b0 * v[1] + b1 * v[4] + b2 * v[7] + b3 * v[10]
            d2 = b0 * v[2] + b1 * v[5] + b2 * v[8] + b3 * v[11]
            x = (g0 * h0 + g1 * h1 + g2 * h2) * A
            y = (g0 * d0 + g1 * d1 + g2 * d2) * A
            # s P k' = P c' - u P a' - m x;  w = P (c' - u a') - m x
            w0 = d0 - y * g0 - u * (h0 - x * g0) - x * m0
            w1 = d1 - y * g1 - u * (h1 - x * g1) - x * m1
            w2 = d2 - y * g2 - u * (h2 - x * g2) - x * m2
            t0 = m0 + tau * w0
            t1 = m1 + tau * w1
            t2 = m2 + tau * w2
            z = (m0 * t0 + m1 * t1 + m2 * t2) * A
            m0 = t0
            m1 = t1
            m2 = t2
        x = -row[o] * EI * A
        m0 *= x
        m1 *= x
        m2 *= x
        # with the moment m: on c it is m, on a it is -u m - (k.m) a
        z *= -row[o] * EI * A
        k0 = -u * m0 - z * g0
        k1 = -u * m1 - z * g1
        k2 = -u * m2 - z * g2
        f[0] += n0 * k0 + b0 * m0
        f[1] += n0 * k1 + b0 * m1
        f[2] += n0 * k2 + b0 * m2
        f[3] += n1 * k0 + b1 * m0
        f[4] += n1 * k1 + b1 * m1
        f[5] += n1 * k2 + b1 * m2
        f[6] += n2 * k0 + b2 * m0
        f[7] += n2 * k1 + b2 * m1
        f[8] += n2 * k2 + b2 * m2
        f[9] += n3 * k0 + b3 * m0
        f[10] += n3 * k1 + b3 * m1
        f[11] += n3 * k2 + b3 * m2


@jit(entry=STIFFNESS)
def stiffness(data, e, q, v, K, C):
    """K, C (12, 12) <- minus the derivatives of `forces` by q and v; returns whether there is a C, which else holds
    nothing of use."""
    row = data[e]
    tau = row[2]
    for i in range(12):
        for j in range(12):
            K[i, j] = 0.0
    # second derivatives H by r' (and r'') at a point, times the shapes, stand in rows of C until these are added row by
    # row
    for p in range(5):
        o = A_AT + 5 * p
        n0 = row[o + 1]
        n1 = row[o + 2]
        n2 = row[o + 3]
        n3 = row[o + 4]
        g = _combine((n0, n1, n2, n3), q)
        s2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2]
        s = math.sqrt(s2)
        w = row[o] * row[0]
        y = w * (s - 1.0 - row[3]) / s  # of the direction across
        x = (w - y) / s2
        for a in range(3):
            h = C[a]
            z = x * g[a]
            h[0] = z * g[0]
            h[1] = z * g[1]
            h[2] = z * g[2]
            h[a] += y
            for b in range(3):
                z = h[b]
                h[b] = n0 * z
                h[3 + b] = n1 * z
                h[6 + b] = n2 * z
                h[9 + b] = n3 * z
            _add(K[a], n0, h)
            _add(K[3 + a], n1, h)
            _add(K[6 + a], n2, h)
            _add(K[9 + a], n3, h)
    for p in range(3):
        o = B_AT + 9 * p
        n0 = row[o + 1]
        n1 = row[o + 2]
        n2 = row[o + 3]
        n3 = row[o + 4]
        m0 = row[o + 5]
        m1 = row[o + 6]
        m2 = row[o + 7]
        m3 = row[o + 8]
        g = _combine((n0, n1, n2, n3), q)
        c = _combine((m0, m1, m2, m3), q)
        w = row[o] * row[1]
        A1 = 1.0 / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        A2 = A1 * A1
        A3 = A2 * A1
        B = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        D = g[0] * c[0] + g[1] * c[1] + g[2] * c[2]
        al = w * (2.0 * D * D * A3 - B * A2)
        be = w * D * A2
        ga = w * A1
        z = 4.0 * (B - 3.0 * D * D * A1) * A3
        y = 4.0 * D * A3
        for a in range(3):
            h = C[a]
            k = C[3 + a]
            for b in range(3):
                # of EI k.k / 2 = EI (B / A - D^2 / A^2) / 2
                gg = w * (z * g[a] * g[b] + y * (g[a] * c[b] + c[a] * g[b]) - A2 * c[a] * c[b])
                gc = w * (y * g[a] * g[b] - A2 * (2.0 * g[a] * c[b] + c[a] * g[b]))
                cg = w * (y * g[a] * g[b] - A2 * (2.0 * c[a] * g[b] + g[a] * c[b]))
                cc = -w * A2 * g[a] * g[b]
                if a == b:
                    gg += al
                    gc -= be
                    cg -= be
                    cc += ga
                h[b] = n0 * gg + m0 * gc
                h[3 + b] = n1 * gg + m1 * gc
                h[6 + b] = n2 * gg + m2 * gc
                h[9 + b] = n3 * gg + m3 * gc
                k[b] = n0 * cg + m0 * cc
                k[3 + b] = n1 * cg + m1 * cc
                k[6 + b] = n2 * cg + m2 * cc
                k[9 + b] = n3 * cg + m3 * cc
            _add_both(K[a], n0, h, m0, k)
            _add_both(K[3 + a], n1, h, m1, k)
            _add_both(K[6 + a], n2, h, m2, k)
            _add_both(K[9 + a], n3, h, m3, k)
    if tau > 0.0:
        _damp(row, v, q, K, C)
        return True
    return False


@jit
def _add(row, n, h):
    for j in range(12):
        row[j] += n * h[j]


@jit
def _add_both(row, n, h, m, k):
    for j in range(12):
        row[j] += n * h[j] + m * k[j]


@jit
def _damp(row, v, q, K, C):
    """K += , C <- derivatives of the forces of dampers."""
    for i in range(12):
        for j in range(12):
            C[i, j] = 0.0
    for p in range(5):
        o = A_AT + 5 * p
        n = (row[o + 1], row[o + 2], row[o + 3], row[o + 4])
        g = _combine(n, q)
        h = _combine(n, v)
        A = 1.0 / _dot(g, g)
        rate = _dot(g, h) * A
        d = row[o] * row[0] * row[2]
        for a in range(3):
            for b in range(3):
                k = d * A * g[a] * (h[b] - 2.0 * rate * g[b])
                c = d * A * g[a] * g[b]
                if a == b:
                    k += d * rate
                for i in range(4):
                    for j in range(4):
                        K[3 * i + a, 3 * j + b] += n[i] * n[j] * k
                        C[3 * i + a, 3 * j + b] += n[i] * n[j] * c
    for p in range(3):
        o = B_AT + 9 * p
        n = (row[o + 1], row[o + 2], row[o + 3], row[o + 4])
        m = (row[o + 5], row[o + 6], row[o + 7], row[o + 8])
        _damp_bending(
            row[o] * row[1] * row[2], n, m, _combine(n, q), _combine(m, q), _combine(n, v), _combine(m, v), K, C
        )


@jit
def _combine(n, q):
    return (
        n[0] * q[0] + n[1] * q[3] + n[2] * q[6] + n[3] * q[9],
        n[0] * q[1] + n[1] * q[4] + n[2] * q[7] + n[3] * q[10],
        n[0] * q[2] + n[1] * q[5] + n[2] * q[8] + n[3] * q[11],
    )


@jit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def _damp_bending(w, n, b, g, c, h, d, K, C):
    """K, C += derivatives of the forces of damping at a point: g = r', c = r'', their rates h and d; see `forces`."""
    A = 1.0 / _dot(g, g)
    gc = _dot(g, c)
    gh = _dot(g, h)
    gd = _dot(g, d)
    u = gc * A
    x = gh * A
    y = gd * A
    m = (c[0] - u * g[0], c[1] - u * g[1], c[2] - u * g[2])
    z = u * x - y
    r = (
        d[0] + z * g[0] - u * h[0] - x * m[0],
        d[1] + z * g[1] - u * h[1] - x * m[1],
        d[2] + z * g[2] - u * h[2] - x * m[2],
    )
    rm = _dot(r, m)
    mm = _dot(m, m)
    Z = rm * A
    for e in range(6):
        by = e % 3
        first = e < 3  # the direction moves r', else r''
        i0 = 1.0 if by == 0 else 0.0
        i1 = 1.0 if by == 1 else 0.0
        i2 = 1.0 if by == 2 else 0.0
        a0 = i0 if first else 0.0
        a1 = i1 if first else 0.0
        a2 = i2 if first else 0.0
        dA = -2.0 * A * A * g[by] if first else 0.0
        du = (c[by] if first else g[by]) * A + gc * dA
        dm0 = i0 - a0 - du * g[0] - u * a0
        dm1 = i1 - a1 - du * g[1] - u * a1
        dm2 = i2 - a2 - du * g[2] - u * a2
        dx = (h[by] * A if first else 0.0) + gh * dA
        dy = (d[by] * A if first else 0.0) + gd * dA
        dz = du * x + u * dx - dy
        r0 = dz * g[0] + z * a0 - du * h[0] - dx * m[0] - x * dm0
        r1 = dz * g[1] + z * a1 - du * h[1] - dx * m[1] - x * dm1
        r2 = dz * g[2] + z * a2 - du * h[2] - dx * m[2] - x * dm2
        dZ = (r0 * m[0] + r1 * m[1] + r2 * m[2] + r[0] * dm0 + r[1] * dm1 + r[2] * dm2) * A + rm * dA
        for a in range(3):
            ra = r0 if a == 0 else (r1 if a == 1 else r2)
            ia = (a0 if a == 0 else (a1 if a == 1 else a2)) * Z
            on_c = w * (dA * r[a] + A * ra)
            on_g = -w * (dA * (u * r[a] + Z * g[a]) + A * (du * r[a] + u * ra + dZ * g[a] + ia))
            for i in range(4):
                f = n[i] * on_g + b[i] * on_c
                for j in range(4):
                    K[3 * i + a, 3 * j + by] += f * (n[j] if first else b[j])
    for i in range(4):
        pi = b[i] - u * n[i]
        for j in range(4):
            pj = b[j] - u * n[j]
            for a in range(3):
                for by in range(3):
                    k = (n[i] * n[j] * A * mm - pi * pj) * A * g[a] * g[by] - A * (
                        pi * n[j] * m[a] * g[by] + n[i] * pj * g[a] * m[by]
                    )
                    if a == by:
                        k += pi * pj
                    C[3 * i + a, 3 * j + by] += w * A * k


@jit(entry=ENERGIES)
def energies(data, e, q, v):
    """Strain energy of element e, and the power of its dampers, which is not positive."""
    row = data[e]
    stored = 0.0
    power = 0.0
    for p in range(5):
        o = A_AT + 5 * p
        n = (row[o + 1], row[o + 2], row[o + 3], row[o + 4])
        g = _combine(n, q)
        h = _combine(n, v)
        s = math.sqrt(_dot(g, g))
        rate = _dot(g, h) / s
        stored += 0.5 * row[o] * row[0] * (s - 1.0 - row[3]) ** 2
        power -= row[o] * row[0] * row[2] * rate * rate
    for p in range(3):
        o = B_AT + 9 * p
        n = (row[o + 1], row[o + 2], row[o + 3], row[o + 4])
        b = (row[o + 5], row[o + 6], row[o + 7], row[o + 8])
        g = _combine(n, q)
        c = _combine(b, q)
        h = _combine(n, v)
        d = _combine(b, v)
        A = 1.0 / _dot(g, g)
        u = _dot(g, c) * A
        m = (c[0] - u * g[0], c[1] - u * g[1], c[2] - u * g[2])
        x = _dot(g, h) * A
        z = u * x - _dot(g, d) * A
        r0 = d[0] + z * g[0] - u * h[0] - x * m[0]
        r1 = d[1] + z * g[1] - u * h[1] - x * m[1]
        r2 = d[2] + z * g[2] - u * h[2] - x * m[2]
        stored += 0.5 * row[o] * row[1] * _dot(m, m) * A
        power -= row[o] * row[1] * row[2] * (r0 * r0 + r1 * r1 + r2 * r2) * A
    return stored, power


def resultants(properties: np.ndarray, xi: float, q: np.ndarray, unit: float = 1.0) -> np.ndarray:
    """(.., 4) axial force, bending moment (size), axial strain, curvature (size) at xi of an element with coordinates q
    (.., 12).

    Where a stiff axis is bent, the cubic stretches and shortens in turn within an element; strain and axial force are
    those of the straight line along the element that fits best, which is what equilibrium sees.
    """
    EA, EI, _, _, L, e0 = np.asarray(properties, float)[:6]
    vectors = np.asarray(q, float).reshape(*np.shape(q)[:-1], 4, 3)
    _, d, b = shapes(xi, L, unit)
    a, c = np.einsum("i,...ij->...j", d, vectors), np.einsum("i,...ij->...j", b, vectors)
    k = np.linalg.norm(np.cross(a, c), axis=-1) / (a * a).sum(axis=-1)
    x, w = _points(AXIAL)
    strain = np.linalg.norm(np.einsum("ik,...ij->...kj", shapes(x, L, unit)[1], vectors), axis=-1) - 1.0
    strain = strain @ w + (strain @ (w * (x - 0.5))) * 12.0 * (xi - 0.5)
    return np.stack([EA * (strain - e0), EI * k, strain, k], axis=-1)

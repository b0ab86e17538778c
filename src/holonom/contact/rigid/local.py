"""Coulomb's law at one contact, the others held: solved exactly.

With the impulse at its old value r giving z, a new impulse r' gives z + W (r' - r), W the contact's own Delassus block.
Let the normal be eliminated where the contact is closed (z'_n = 0) and the tangents be turned to the principal axes of
what is left,

    g = W_nt / W_nn,   W_tt - g W_nn g^T = diag(l1, l2),     z'_k = b_k + l_k r'_k,   r'_n = a - g . r'_t,
    a = r_n + g . r_t - z_n / W_nn,                          b_k = z_k - g_k z_n - l_k r_k.

a <= 0: open, r' = 0.  Stick: r'_k = -b_k / l_k if inside the cone.  Slip: z'_t = -s r'_t, so r'_k(s) = -b_k / (l_k +
s), and the cone fixes s > 0: mu r'_n(s) = |r'_t(s)|.  That is the quartic of Bonnefon & Daviet (2011, "Quartic
formulation of Coulomb 3D frictional contact"), but one root s in (0, oo) is always there since mu r'_n - |r'_t| changes
sign, and Newton's method on mu r'_n / |r'_t| - 1, nearly linear in s as in trust regions (More & Sorensen 1983), finds
it in about three steps; a bracket keeps it safe.  Where one tangent is inert (planar models) its l is zero and the law
is the two-dimensional one, exactly.
"""

from __future__ import annotations

from math import sqrt

from ..._jit import jit

INERT = 1e-12  # a row whose mobility is below this part of its neighbours' cannot be moved by an impulse


@jit
def slip(b1, b2, l1, l2, g1, g2, a, mu):
    """(r1, r2, r_n): impulse on the cone, r_k = -b_k / (l_k + s), s > 0, sqrt(r1^2 + r2^2) = mu r_n, r_n = a - g .
    r."""
    bb = b1 * b1 + b2 * b2
    lm = (b1 * b1 * l1 + b2 * b2 * l2) / bb
    lo = 0.0
    hi = 0.0  # none yet
    s = sqrt(bb) / (mu * a) - lm
    floor = 1e-3 * lm + 1e-12 * (l1 + l2)
    if not s > floor:
        s = floor
    r1 = 0.0
    r2 = 0.0
    size = 1.0
    for _ in range(60):
        i1 = 1.0 / (l1 + s)
        i2 = 1.0 / (l2 + s)
        r1 = -b1 * i1
        r2 = -b2 * i2
        rr = r1 * r1 + r2 * r2
        size = sqrt(rr)
        rn = a - g1 * r1 - g2 * r2
        e = mu * rn / size - 1.0
        if -1e-13 < e < 1e-13:
            break
        if e < 0.0:
            lo = s
        else:
            hi = s
        k1 = r1 * i1
        k2 = r2 * i2
        de = mu / size * (g1 * k1 + g2 * k2 + rn * (r1 * k1 + r2 * k2) / rr)
        t = s - e / de
        if not (t > lo and (hi == 0.0 or t < hi)):
            t = 0.5 * (lo + hi) if hi > 0.0 else 2.0 * s + l1 + l2
        if t == s or (hi > 0.0 and hi - lo <= 4e-16 * hi):
            break
        s = t
    rn = a / (1.0 + mu * (g1 * r1 + g2 * r2) / size)  # the direction is found; its size is that of a closed contact
    return mu * rn * r1 / size, mu * rn * r2 / size, rn


@jit
def coulomb(z0, z1, z2, r0, r1, r2, mu, w, g1, g2, l1, l2):
    """New impulse (r_n, r_1, r_2) of one contact in the principal axes of its tangents; w = W_nn > 0."""
    a = r0 + g1 * r1 + g2 * r2 - z0 / w
    if not a > 0.0:
        return 0.0, 0.0, 0.0
    if not mu > 0.0:
        return a, 0.0, 0.0
    b1 = z1 - g1 * z0 - l1 * r1
    b2 = z2 - g2 * z0 - l2 * r2
    tiny = INERT * w * a
    s1 = 0.0
    s2 = 0.0
    stick = True
    if l1 > 0.0:
        s1 = -b1 / l1
    elif -tiny < b1 < tiny:
        b1 = 0.0
    else:
        stick = False
    if l2 > 0.0:
        s2 = -b2 / l2
    elif -tiny < b2 < tiny:
        b2 = 0.0
    else:
        stick = False
    if stick:
        n = a - g1 * s1 - g2 * s2
        if n >= 0.0 and s1 * s1 + s2 * s2 <= mu * mu * n * n:
            return n, s1, s2
    s1, s2, n = slip(b1, b2, l1, l2, g1, g2, a, mu)
    return n, s1, s2


@jit
def disk(z1, z2, r1, r2, radius, l1, l2):
    """New impulse (r_1, r_2) within a disk of fixed radius against the velocity z: the law of rolling and of given
    normal impulse."""
    if not radius > 0.0:
        return 0.0, 0.0
    b1 = z1 - l1 * r1
    b2 = z2 - l2 * r2
    s1 = -b1 / l1 if l1 > 0.0 else 0.0
    s2 = -b2 / l2 if l2 > 0.0 else 0.0
    if s1 * s1 + s2 * s2 <= radius * radius and (l1 > 0.0 or b1 == 0.0) and (l2 > 0.0 or b2 == 0.0):
        return s1, s2
    s1, s2, n = slip(b1, b2, l1, l2, 0.0, 0.0, radius, 1.0)
    return s1, s2


@jit
def principal(a, b, c, least, L, k, at):
    """Cosine, sine and eigenvalues of the block ((a, b), (b, c)) to L[k, at:at+4]; axes (cos, -sin), (sin, cos).  Below
    `least`: 0."""
    co = 1.0
    si = 0.0
    if b != 0.0:
        tau = (c - a) / (2.0 * b)
        t = 1.0 / (abs(tau) + sqrt(1.0 + tau * tau))
        if tau < 0.0:
            t = -t
        co = 1.0 / sqrt(1.0 + t * t)
        si = t * co
        a -= t * b
        c += t * b
    L[k, at] = co
    L[k, at + 1] = si
    L[k, at + 2] = a if a > least else 0.0
    L[k, at + 3] = c if c > least else 0.0


@jit
def factor(L, k, d, D):
    """The local block D (d, d) of contact k to its row of L: 0 W_nn; 1 g_1; 2 g_2; 3 cos; 4 sin; 5 l_1; 6 l_2; 7 mean
    W_tt; 8 W_ss; 9 cos, 10 sin, 11, 12 eigenvalues of rolling.  W_nn = 0 states that no impulse can act."""
    w = D[0, 0]
    L[k, 0] = w
    if d < 3:
        return
    t = 0.5 * (D[1, 1] + D[2, 2])
    if not w > INERT * t:
        L[k, 0] = 0.0
        return
    p = 0.5 * (D[0, 1] + D[1, 0])  # an implicit step's block need not be symmetric: any near one serves
    q = 0.5 * (D[0, 2] + D[2, 0])
    m = 0.5 * (D[1, 2] + D[2, 1])
    principal(D[1, 1] - p * p / w, m - p * q / w, D[2, 2] - q * q / w, INERT * max(w, t), L, k, 3)
    L[k, 1] = (L[k, 3] * p - L[k, 4] * q) / w
    L[k, 2] = (L[k, 4] * p + L[k, 3] * q) / w
    L[k, 7] = t
    if d == 6:
        L[k, 8] = D[3, 3] if D[3, 3] > 0.0 else 0.0
        principal(D[4, 4], 0.5 * (D[4, 5] + D[5, 4]), D[5, 5], INERT * max(D[4, 4], D[5, 5]), L, k, 9)

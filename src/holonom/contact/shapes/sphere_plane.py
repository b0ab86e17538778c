"""Sphere against a plane: half-space z <= 0 of the plane's frame, or its rectangle |x| <= hx, |y| <= hy seen from above."""

from __future__ import annotations

from ..._jit import jit
from ..tables import E1, FEATURE, GAP, UA, UB, VA, VB, WEIGHT, N, P


@jit
def contact(sh, a, b, reach, out, first, limit):
    fa = sh.frame[a]
    fb = sh.frame[b]
    p = sh.fr.p
    A = sh.fr.A
    d0 = p[fa, 0] - p[fb, 0]
    d1 = p[fa, 1] - p[fb, 1]
    d2 = p[fa, 2] - p[fb, 2]
    n0 = A[fb, 2]
    n1 = A[fb, 5]
    n2 = A[fb, 8]
    r = sh.par[a, 0]
    height = d0 * n0 + d1 * n1 + d2 * n2
    if height - r >= reach:
        return 0
    x = A[fb, 0] * d0 + A[fb, 3] * d1 + A[fb, 6] * d2
    y = A[fb, 1] * d0 + A[fb, 4] * d1 + A[fb, 7] * d2
    if sh.par[b, 0] > 0.0 and (abs(x) > sh.par[b, 0] or abs(y) > sh.par[b, 1]):
        return 0
    out[first, P] = p[fa, 0] - height * n0
    out[first, P + 1] = p[fa, 1] - height * n1
    out[first, P + 2] = p[fa, 2] - height * n2
    out[first, N] = n0
    out[first, N + 1] = n1
    out[first, N + 2] = n2
    out[first, GAP] = height - r
    out[first, WEIGHT] = 1.0
    for c in range(3):
        out[first, E1 + c] = A[fb, 3 * c]
    out[first, UA] = out[first, UA + 2] = r
    out[first, UA + 1] = 0.0
    out[first, VA] = out[first, VA + 2] = 1.0
    out[first, VA + 1] = 0.0
    out[first, UB] = out[first, UB + 2] = 1.0
    out[first, UB + 1] = 0.0
    out[first, VB] = out[first, VB + 1] = out[first, VB + 2] = 0.0
    out[first, FEATURE] = 0.0
    return 1

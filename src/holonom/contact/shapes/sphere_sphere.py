"""Sphere against sphere, from outside or inside a hollow one."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, FEATURE, GAP, UA, UB, VA, VB, WEIGHT, N, P


@jit
def contact(sh, a, b, reach, out, first, limit):
    fa = sh.frame[a]
    fb = sh.frame[b]
    p = sh.fr.p
    d0 = p[fa, 0] - p[fb, 0]
    d1 = p[fa, 1] - p[fb, 1]
    d2 = p[fa, 2] - p[fb, 2]
    ra = sh.par[a, 0]
    rb = sh.par[b, 0]
    ha = -1.0 if sh.par[a, 1] != 0.0 else 1.0  # hollow: material outside
    hb = -1.0 if sh.par[b, 1] != 0.0 else 1.0
    if ha < 0.0 and hb < 0.0:
        return 0
    far = ra + rb + reach
    square = d0 * d0 + d1 * d1 + d2 * d2
    if ha > 0.0 and hb > 0.0 and square >= far * far:
        return 0
    dist = math.sqrt(square)
    # signed radii: outward normals along the line of centres; gap = dist - ra - rb, hollow b: gap = rb - ra - dist
    if hb > 0.0 and ha > 0.0:
        gap = dist - ra - rb
        s = 1.0
    elif hb < 0.0:
        gap = rb - ra - dist
        s = -1.0
    else:
        gap = ra - rb - dist
        s = -1.0
    if gap >= reach:
        return 0
    if dist > 0.0:
        n0 = s * d0 / dist
        n1 = s * d1 / dist
        n2 = s * d2 / dist
    else:
        n0 = 0.0
        n1 = 0.0
        n2 = 1.0
    # point on b: its centre plus rb along the line of centres towards a's side
    along = rb * hb if ha > 0.0 else rb
    if ha < 0.0:  # a is the hollow: b touches it on its far side, seen from a's centre
        along = rb
    out[first, P] = p[fb, 0] + along * n0
    out[first, P + 1] = p[fb, 1] + along * n1
    out[first, P + 2] = p[fb, 2] + along * n2
    out[first, N] = n0
    out[first, N + 1] = n1
    out[first, N + 2] = n2
    out[first, GAP] = gap
    out[first, WEIGHT] = 1.0
    # any unit tangent
    if abs(n0) < 0.6:
        t0 = 0.0
        t1 = n2
        t2 = -n1
    else:
        t0 = -n2
        t1 = 0.0
        t2 = n0
    size = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    out[first, E1] = t0 / size
    out[first, E1 + 1] = t1 / size
    out[first, E1 + 2] = t2 / size
    out[first, UA] = out[first, UA + 2] = ra
    out[first, UA + 1] = 0.0
    out[first, VA] = out[first, VA + 2] = ha
    out[first, VA + 1] = 0.0
    out[first, UB] = out[first, UB + 2] = rb
    out[first, UB + 1] = 0.0
    out[first, VB] = out[first, VB + 2] = hb
    out[first, VB + 1] = 0.0
    out[first, FEATURE] = 0.0
    return 1

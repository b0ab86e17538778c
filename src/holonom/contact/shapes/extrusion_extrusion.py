"""Two extrusions with parallel axes, twisted or not: their profiles against each other in planes across the width
(helical gears).

The width that both share is cut into slices (9, the last row of the profile in ``seg`` states how many); in the middle
of each one profile meets the other as curves do.  A twisted surface r(t, z) = R(tau z) p(t) + z e_z has the normal (n,
n_z) with n_z = -tau n . (e_z x r), so that n_z/|n| is the tangent of the helix angle where the teeth meet: the force
has its axial part.  The gap across the teeth is the one in the plane times the cosine.  Conjugate surfaces have one
normal; others share the mean of both n_z.  The weight of a slice is its share of the narrower width.  Extrusions that
are not parallel, or that hardly overlap along their axes (ends on ends), meet as meshes; so do those whose profiles are
apart while their ends overlap elsewhere.  Ends lean with the angle t
between the axes: they reach as much as r sin t beyond the place where their axis ends (r: radius of the profile), and
slices know nothing of that. A CURVE is an extrusion without twist, or without end.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import unrotate
from ..tables import E1, FEATURE, GAP, WEIGHT, N, P
from ..traits import ENDLESS
from ._address import MESHED, by_meshes
from ._point import ALIGNED, axis, to_ground
from .curve_curve import curves, pose

POINTS = 36
EACH = 4  # points of a slice
END = 0.1  # share of the narrower width below which ends meet ends
# the same where the profiles are farther apart, or deeper in each other, than the ends are: it must be more than bodies
# may go in unseen between two evaluations of gaps
ENDS = 0.5
ON_END = 0.7  # cosine of the angle to the axis of b up to which a normal is that of an end
SKEW = 0.9  # cosine of the angle between axes that shapes without stand-ins can have


@jit
def finish(sh, a, b, out, k, ax, ay, z, ta, tb, c, s):
    """Row k from the axes of b's slice (turned by (c, s) about z) to ground; (ax, ay): axis of a in the axes of b."""
    x, y = out[k, P], out[k, P + 1]
    out[k, P], out[k, P + 1], out[k, P + 2] = c * x - s * y, s * x + c * y, z
    x, y = out[k, N], out[k, N + 1]
    n0, n1 = c * x - s * y, s * x + c * y
    x, y = out[k, E1], out[k, E1 + 1]
    out[k, E1], out[k, E1 + 1] = c * x - s * y, s * x + c * y
    px = out[k, P]
    py = out[k, P + 1]
    g = out[k, GAP]
    n2 = 0.5 * (tb * (n0 * py - n1 * px) + ta * (n0 * (py + g * n1 - ay) - n1 * (px + g * n0 - ax)))
    w = 1.0 / math.sqrt(1.0 + n2 * n2)
    out[k, N], out[k, N + 1], out[k, N + 2] = n0 * w, n1 * w, n2 * w
    out[k, GAP] = g * w
    to_ground(sh, b, out, k)


@jit
def widths(sh, a, b):
    """Half lengths of both, and by how much they twist, angle / length."""
    curve = ENDLESS[sh.kind[a]] >= 0
    ha = sh.par[a, 0]
    if curve:
        ha = 0.5 * ha if ha > 0.0 else math.inf
    return ha, sh.par[b, 0], 0.0 if curve else sh.par[a, 1], sh.par[b, 1]


@jit
def slices(sh, a, b, low, high, reach, out, first, limit):
    """Points of the profiles against each other in the slices of the width from ``low`` to ``high``, in axes of b."""
    x, y, z, c, s = pose(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    ha, hb, ta, tb = widths(sh, a, b)
    count = int(sh.seg[sh.first[b, 0] + sh.first[b, 1], 1])
    share = (high - low) / (count * 2.0 * min(ha, hb))
    n = 0
    for m in range(count):
        w = low + (high - low) * (m + 0.5) / count
        along = (w - z) / uz  # on the axis of a
        ax = x + along * ux
        ay = y + along * uy
        turn = tb * w
        cb = math.cos(turn)
        sb = math.sin(turn)
        turn = ta * along - turn
        cr = math.cos(turn)
        sr = math.sin(turn)
        got = curves(
            sh,
            a,
            b,
            cb * ax + sb * ay,
            cb * ay - sb * ax,
            c * cr - s * sr,
            c * sr + s * cr,
            reach,
            out,
            first + n,
            min(EACH, limit - n),
        )
        for k in range(first + n, first + n + got):
            finish(sh, a, b, out, k, ax, ay, w, ta, tb, cb, sb)
            out[k, WEIGHT] *= share
            out[k, FEATURE] = out[k, FEATURE] * count + m
        n += got
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    _, _, z, _, _ = pose(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    meshed = sh.par[a, MESHED] > 0.0 or sh.par[b, MESHED] > 0.0
    if not uz > (ALIGNED if meshed else SKEW):
        return by_meshes(sh, a, b, reach, out, first, limit)
    lean = math.sqrt(ux * ux + uy * uy) * sh.seg[sh.first[a, 0] + sh.first[a, 1], 2]
    ha, hb, _, _ = widths(sh, a, b)
    low = max(-hb, z - ha)
    high = min(hb, z + ha)
    if meshed and high - low < END * min(ha, hb) + lean:
        return by_meshes(sh, a, b, reach, out, first, limit) if low - high - lean < reach else 0
    if not low < high:
        return 0
    n = slices(sh, a, b, low, high, reach, out, first, limit)
    if meshed and high - low < ENDS * min(ha, hb) + lean:
        least = math.inf
        for k in range(first, first + n):
            least = min(least, out[k, GAP])
        if not abs(least) <= high - low:
            return by_meshes(sh, a, b, reach, out, first, limit)  # profiles in each other: they came by their ends
        if least > 0.0:  # do they touch elsewhere, by their ends?
            n = by_meshes(sh, a, b, reach, out, first, limit)
            fb = sh.frame[b]
            for k in range(first, first + n):
                _, _, along = unrotate(sh.fr.A, fb, out[k, N], out[k, N + 1], out[k, N + 2])
                if out[k, GAP] < 0.0 and abs(along) > ON_END:
                    return n
            return slices(sh, a, b, low, high, reach, out, first, limit)
    return n

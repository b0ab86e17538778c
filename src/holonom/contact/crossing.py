"""Would two shapes meet, or pass through each other, within a step in which every body moves with one velocity?

Conservative advancement (B. Mirtich, PhD thesis, Berkeley 1996), in the axes of the larger shape b of a pair.  In a
step (s from 0 to 1) the body of the smaller shape a moves by d_i and turns by the vector t_i, that of b by d_j and t_j.
With c the centre of a, r its radius, o_i and o_j the centres of the bodies, every point of a moves against b no faster
than

    U + A s,    U = |d_i + t_i x (c - o_i) - d_j - t_j x (c - o_j)| + |t_i - t_j| r,
    A = |t_i|^2 |c - o_i| + 2 |t_j| L + |t_j|^2 (|c - o_j| + L),    L = |d_i - d_j| + |t_i| |c - o_i|,

A being a bound of the acceleration of c in b's axes (relative, Coriolis', centripetal) while c moves by no more than L.
So a gap g lasts for ds = 2 g / (U + sqrt(U^2 + 2 A g)).  Of two convex shapes only the approach along the normal n of
the gap counts, because the plane that separates them moves with b:  U = max(0, -n . (relative velocity of c)) + |(t_i -
t_j) x n| r.  What turns about its own axis of revolution does not come nearer by that. Of meshes g is the distance of
the surfaces (`surface_distance`), since their kernels leave out what carries no force, and thick are their walls
(`walls`).

A pair is checked only if it may move by more than `SHARE` of its thickness (`thickness`): within that, the contact
problem of the step or of the next one finds the two on their own sides.
"""

from __future__ import annotations

import math

from .._handle import view_S, view_W
from .._jit import jit
from ..elements.bodies.at_point import displaced, lever, travel, turn
from ..elements.bodies.coordinates import rotations
from ..elements.frames import update_frames
from ..elements.vectors import cross, rotate
from .broad_phase import _centre, _extent
from .engine import _handle_at
from .shapes._address import call as pair
from .surface_distance import surface_distance
from .tables import GAP, NEAR, N
from .traits import HALF_SPACE, HULL, NO_CORE, OPEN, RING, ROLL, WALLED, ball, core, hollow, turned
from .walls import WALL, wall

SHARE = 0.5  # of the thickness of a pair: so far it may move in a step without being checked
# of the lesser half thickness of two meshes: a pair that moves by `SHARE` of that is not deeper than a fifth of the
# thinner one at the middle of a step
SEEN = 0.8
ADVANCES = 60  # of a pair; behind them the step is cut where the last one was
NOTHING = 1e-3  # of the thickness: a gap that is closed
END = 0.999  # of the step: what meets after that meets at its end
WHEN, MOVED, THICK, WHICH, CUT = range(5)  # what `crossing` gives


@jit
def _thin(sh, a):
    """Half of what shape a is thick where it is thinnest, of what may be hollow or slender half of its walls; 0 for
    points and open curves."""
    kind = sh.kind[a]
    least = min(sh.half[a, 0], sh.half[a, 1], sh.half[a, 2])
    if OPEN[kind] and sh.par[a, WALL] == 0.0:
        return 0.0
    if WALLED[kind] or ROLL[kind] == RING:
        return 0.5 * wall(sh, a)
    if core(sh, a) == HULL:
        return 0.3 * least
    if hollow(sh, a):
        return 0.25 * sh.par[a, 0]  # from inside: what has gone through is found so far outside
    return least


@jit
def thickness(sh, a, b):
    """What shapes a and b are thick together where they can pass through each other; a surface counts as nothing
    compared with a body."""
    if sh.half[a, 0] >= 1e300 or sh.half[b, 0] >= 1e300:
        return 1e300  # half-spaces have no far side
    x = _thin(sh, a)
    y = _thin(sh, b)
    if x == 0.0 and y == 0.0:
        return 0.1 * min(
            max(sh.half[a, 0], sh.half[a, 1], sh.half[a, 2]), max(sh.half[b, 0], sh.half[b, 1], sh.half[b, 2])
        )
    if x == 0.0 or y == 0.0:
        return max(x, y)
    if WALLED[sh.kind[a]] and WALLED[sh.kind[b]]:
        # corners of meshes that are deeper inside the other one are not seen at the middle of a step
        return SEEN * min(
            x, y, min(sh.half[a, 0], sh.half[a, 1], sh.half[a, 2]), min(sh.half[b, 0], sh.half[b, 1], sh.half[b, 2])
        )
    return min(x + y, 4.0 * min(x, y))


@jit
def _convex(sh, a):
    return (core(sh, a) != NO_CORE or HALF_SPACE[sh.kind[a]]) and not hollow(sh, a)


@jit
def _put(bodies, fr, f, y, d, s, q):
    """Frame f where it is after share s of the step; q (4): work."""
    r0, r1, r2 = displaced(bodies, y, d, s, fr.body[f], q)
    w, x, z, v = q[0], q[1], q[2], q[3]
    m00, m01, m02 = 1.0 - 2.0 * (z * z + v * v), 2.0 * (x * z - w * v), 2.0 * (x * v + w * z)
    m10, m11, m12 = 2.0 * (x * z + w * v), 1.0 - 2.0 * (x * x + v * v), 2.0 * (z * v - w * x)
    m20, m21, m22 = 2.0 * (x * v - w * z), 2.0 * (z * v + w * x), 1.0 - 2.0 * (x * x + z * z)
    s0, s1, s2 = fr.sb[f, 0], fr.sb[f, 1], fr.sb[f, 2]
    fr.p[f, 0] = r0 + m00 * s0 + m01 * s1 + m02 * s2
    fr.p[f, 1] = r1 + m10 * s0 + m11 * s1 + m12 * s2
    fr.p[f, 2] = r2 + m20 * s0 + m21 * s1 + m22 * s2
    for j in range(3):
        a0, a1, a2 = fr.Ab[f, j], fr.Ab[f, 3 + j], fr.Ab[f, 6 + j]
        fr.A[f, j] = m00 * a0 + m01 * a1 + m02 * a2
        fr.A[f, 3 + j] = m10 * a0 + m11 * a1 + m12 * a2
        fr.A[f, 6 + j] = m20 * a0 + m21 * a1 + m22 * a2


@jit
def _within(S, W, d):
    """Are all shapes, frames as they are, in the boxes that the list of near pairs was made with, and on their way to
    there or from there?"""
    sh = S.sh
    for a in range(W.order.shape[0]):
        f = sh.frame[a]
        b = sh.fr.body[f]
        if b == S.bodies.n or sh.half[a, 0] >= 1e300:
            continue
        t0, t1, t2 = turn(S.bodies, d, b)
        t = math.sqrt(t0**2 + t1**2 + t2**2)
        arm = 0.0
        for c in range(3):
            arm += (sh.fr.sb[f, c]) ** 2
        arm = math.sqrt(arm) + math.sqrt(sh.centre[a, 0] ** 2 + sh.centre[a, 1] ** 2 + sh.centre[a, 2] ** 2)
        pad = arm * min(0.125 * t * t, 2.0)
        least = min(sh.half[a, 0], sh.half[a, 1], sh.half[a, 2])
        if not ball(sh, a):
            pad += min(0.5 * t * sh.radius[a], sh.radius[a] - least)
        for c in range(3):
            x = _centre(sh, a, c)
            e = _extent(sh, a, c) + pad
            if not (x - e >= W.lo[a, c] and x + e <= W.hi[a, c]):
                return False
    return True


@jit
def _turn(bodies, R, d, b):
    """Rotation vector of body b in the step, in ground axes."""
    t0, t1, t2 = turn(bodies, d, b)
    return rotate(R, b, t0, t1, t2)


@jit(
    entry=(
        "int64, float64[::1], float64[::1], float64[::1], float64[:, ::1], float64, float64[:, ::1], "
        "float64[::1], float64[::1]"
    )
)
def crossing(address, y, d, end, R, closed, pts, q, out):
    """The first time (share of the step) at which the step must be cut so that no pair passes through another one: 1.0
    where it need not, -1.0 where the list of near pairs does not cover the step and has to be made again.

    y: state before the step, d: displacements of all bodies in it (ground, turning in body axes), ``end``: state behind
    it; R (nb+1, 9), pts (points, COLUMNS), q (4): work; ``closed``: a gap that is none, whatever the thickness.  A pair
    that is closed already at the start may move by `SHARE` of its thickness.
    ``out`` (CUT,): the time, how far that pair would move in the step, its thickness, and its number among near pairs.
    """
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    sh = S.sh
    fr = sh.fr
    bodies = S.bodies
    out[WHEN] = 1.0
    out[WHICH] = -1.0
    rotations(S.bodies, end, R)
    update_frames(fr, end, R)
    if not _within(S, W, d):
        return -1.0
    rotations(S.bodies, y, R)
    update_frames(fr, y, R)
    if not _within(S, W, d):
        return -1.0
    for k in range(W.count[NEAR]):
        a = W.near[k, 1]
        b = W.near[k, 2]
        thick = thickness(sh, a, b)
        if thick >= 1e300:
            continue
        convex = _convex(sh, a) and _convex(sh, b)
        small, large = (a, b) if sh.radius[a] <= sh.radius[b] else (b, a)
        fs = sh.frame[small]
        fl = sh.frame[large]
        i = fr.body[fs]
        j = fr.body[fl]
        r = 0.0 if ball(sh, small) else sh.radius[small]
        s = 0.0
        for advance in range(ADVANCES + 1):
            _put(bodies, fr, fs, y, d, s, q)
            _put(bodies, fr, fl, y, d, s, q)
            c0, c1, c2 = _centre(sh, small, 0), _centre(sh, small, 1), _centre(sh, small, 2)
            ti0, ti1, ti2 = _turn(bodies, R, d, i)  # turning about itself leaves the vector as it is
            tj0, tj1, tj2 = _turn(bodies, R, d, j)
            di0, di1, di2 = travel(bodies, d, i)
            dj0, dj1, dj2 = travel(bodies, d, j)
            p0, p1, p2 = lever(bodies, y, i, c0, c1, c2)
            p0, p1, p2 = p0 - s * di0, p1 - s * di1, p2 - s * di2
            g0, g1, g2 = lever(bodies, y, j, c0, c1, c2)
            g0, g1, g2 = g0 - s * dj0, g1 - s * dj1, g2 - s * dj2
            u0, u1, u2 = cross(ti0, ti1, ti2, p0, p1, p2)
            w0, w1, w2 = cross(tj0, tj1, tj2, g0, g1, g2)
            v0 = di0 + u0 - dj0 - w0
            v1 = di1 + u1 - dj1 - w1
            v2 = di2 + u2 - dj2 - w2
            # turning about own axes of revolution moves nothing
            e0, e1, e2 = ti0, ti1, ti2
            if turned(sh, small):
                A = fr.A
                x = e0 * A[fs, 2] + e1 * A[fs, 5] + e2 * A[fs, 8]
                e0, e1, e2 = e0 - x * A[fs, 2], e1 - x * A[fs, 5], e2 - x * A[fs, 8]
            t0, t1, t2 = tj0, tj1, tj2
            if turned(sh, large) or ball(sh, large):
                if ball(sh, large):
                    x = 1.0
                    h0, h1, h2 = t0, t1, t2
                else:
                    A = fr.A
                    x = t0 * A[fl, 2] + t1 * A[fl, 5] + t2 * A[fl, 8]
                    h0, h1, h2 = x * A[fl, 2], x * A[fl, 5], x * A[fl, 8]
                # the part of b's turning that moves nothing, about b's own centre
                z0, z1, z2 = _centre(sh, large, 0), _centre(sh, large, 1), _centre(sh, large, 2)
                m0, m1, m2 = cross(h0, h1, h2, c0 - z0, c1 - z1, c2 - z2)
                v0, v1, v2 = v0 + m0, v1 + m1, v2 + m2
                t0, t1, t2 = t0 - h0, t1 - h1, t2 - h2
            e0, e1, e2 = e0 - t0, e1 - t1, e2 - t2
            far_i = math.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
            far_j = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
            ti = math.sqrt(ti0 * ti0 + ti1 * ti1 + ti2 * ti2)
            tj = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
            L = math.sqrt((di0 - dj0) ** 2 + (di1 - dj1) ** 2 + (di2 - dj2) ** 2) + ti * far_i
            acc = ti * ti * far_i + 2.0 * tj * L + tj * tj * (far_j + L)
            turn = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2) * r
            U = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) + turn
            whole = U + 0.5 * acc
            if s == 0.0 and whole <= 1.01 * SHARE * thick:
                break
            rest = (1.0 - s) * (U + 0.5 * acc * (1.0 - s))
            none = max(closed, NOTHING * thick)
            z0 = c0 - _centre(sh, large, 0)
            z1 = c1 - _centre(sh, large, 1)
            z2 = c2 - _centre(sh, large, 2)
            apart = math.sqrt(z0 * z0 + z1 * z1 + z2 * z2) - sh.radius[small] - sh.radius[large]
            if apart > rest + none:
                break
            n = pair(S.kern[sh.kind[a], sh.kind[b]], (sh, a, b, rest + none, pts, 0, S.most[sh.kind[a], sh.kind[b]]))
            gap = rest + none
            m = -1
            for p in range(n):
                if pts[p, GAP] < gap:
                    gap = pts[p, GAP]
                    m = p
            if not convex:  # kernels of meshes leave features out that carry no force
                far = surface_distance(sh, a, b, gap, none)
                if 0.0 <= far < gap:
                    gap = far
                    m = max(m, 0)
            if m < 0:
                break
            if convex:
                n0, n1, n2 = pts[m, N], pts[m, N + 1], pts[m, N + 2]
                if small == b:
                    n0, n1, n2 = -n0, -n1, -n2
                x0, x1, x2 = cross(e0, e1, e2, n0, n1, n2)
                U = max(0.0, -(v0 * n0 + v1 * n1 + v2 * n2)) + math.sqrt(x0 * x0 + x1 * x1 + x2 * x2) * r
            if gap <= none or advance == ADVANCES:
                whole = U + 0.5 * acc
                if s == 0.0:
                    if whole > 1.01 * SHARE * thick and SHARE * thick / whole < out[WHEN]:
                        out[WHEN], out[MOVED], out[THICK], out[WHICH] = SHARE * thick / whole, whole, thick, k
                elif (1.0 - s) * whole + 0.5 * whole > SHARE * thick and s < END and s < out[WHEN]:
                    out[WHEN], out[MOVED], out[THICK], out[WHICH] = s, whole, thick, k
                break
            if U + acc <= 0.0:
                break
            s += 2.0 * gap / (U + math.sqrt(U * U + 2.0 * acc * gap))
            if s >= 1.0 or s >= out[WHEN]:
                break
    return out[WHEN]


@jit(entry="int64, float64[::1], float64[::1]")
def thin_shapes(address, thin, arm):
    """thin (n,): of every shape what it is thick at its thinnest, inf for half-spaces, a tenth of its size for
    surfaces; arm (n,): distance of its farthest point from the centre of its body, of a ball that of its centre."""
    S = view_S(_handle_at(address))
    sh = S.sh
    for a in range(thin.shape[0]):
        f = sh.frame[a]
        x = 0.0
        z = 0.0
        for c in range(3):
            x += sh.fr.sb[f, c] ** 2
            z += sh.centre[a, c] ** 2
        arm[a] = math.sqrt(x) + math.sqrt(z) + (0.0 if ball(sh, a) else sh.radius[a])
        if sh.half[a, 0] >= 1e300:
            thin[a] = 1e300
            arm[a] = 0.0
            continue
        thin[a] = _thin(sh, a)
        if thin[a] == 0.0:
            thin[a] = 0.1 * max(sh.half[a, 0], sh.half[a, 1], sh.half[a, 2])
        elif WALLED[sh.kind[a]]:
            thin[a] *= SEEN

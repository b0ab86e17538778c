"""Places of points and corners, and the list of points that may touch (`kernels`)."""

from __future__ import annotations

import math

from ..._jit import jit
from ..._with_numba import with_numba
from ...elements.vectors import cross, rotate, unrotate
from ..tables import GAP
from .columns import BESIDE, CANDIDATES, EVALUATIONS, MARGIN, NEAR, POINTS, RADIUS, SEARCHES


@with_numba
def _calls():
    global pair
    from ..shapes._address import call as pair


TURNED = 3.0  # times that a facet may move under a point next to it by what its corners move


@jit
def moved(place, phi, i, u, o):
    """place[i] + phi[i] u[o:]."""
    n = phi.shape[2]
    a = place[i, 0]
    b = place[i, 1]
    c = place[i, 2]
    X = phi[i, 0]
    Y = phi[i, 1]
    Z = phi[i, 2]
    for k in range(n):
        q = u[o + k]
        a += X[k] * q
        b += Y[k] * q
        c += Z[k] * q
    return a, b, c


@jit
def rate_of(phi, i, u, o):
    """phi[i] u[o:]."""
    a = 0.0
    b = 0.0
    c = 0.0
    for k in range(phi.shape[2]):
        a += phi[i, 0, k] * u[o + k]
        b += phi[i, 1, k] * u[o + k]
        c += phi[i, 2, k] * u[o + k]
    return a, b, c


@jit
def corner(S, W, c, u, o):
    """Corner c of B, in its axes, placed once an evaluation."""
    if W.stamp[c] != W.count[EVALUATIONS]:
        W.stamp[c] = W.count[EVALUATIONS]
        W.moved[c, 0], W.moved[c, 1], W.moved[c, 2] = moved(S.nodes, S.shapes, c, u, o)
    return W.moved[c, 0], W.moved[c, 1], W.moved[c, 2]


@jit
def put_shapes(S, fr, j):
    """Frames of the rigid shapes, on the frame j of their body."""
    p = S.sh.fr.p
    A = S.sh.fr.A
    for b in range(S.kern.shape[0]):
        x, y, z = rotate(fr.A, j, S.so[b, 0], S.so[b, 1], S.so[b, 2])
        p[b + 1, 0] = fr.p[j, 0] + x
        p[b + 1, 1] = fr.p[j, 1] + y
        p[b + 1, 2] = fr.p[j, 2] + z
        for c in range(3):
            x, y, z = rotate(fr.A, j, S.sA[b, c], S.sA[b, 3 + c], S.sA[b, 6 + c])
            A[b + 1, c] = x
            A[b + 1, 3 + c] = y
            A[b + 1, 6 + c] = z


@jit
def shape_gap(S, W, b, x, y, z, reach):
    """Gap of the point (x, y, z) over shape b, whose row in W.pts is returned too; a large number where it is not below
    the reach."""
    p = S.sh.fr.p
    p[0, 0] = x
    p[0, 1] = y
    p[0, 2] = z
    n = pair(S.kern[b], (S.sh, 0, b + 1, reach, W.pts, 0, POINTS))
    best = 1e300
    row = 0
    for k in range(n):
        if W.pts[k, GAP] < best:
            best = W.pts[k, GAP]
            row = k
    return best, row


# ---- the search ------------------------------------------------------------------------------------------------------
@jit
def left_over(S, W, fr, i, j, u):
    """How much further both sides may move before the list no longer holds all that may touch; none below zero."""
    if W.count[SEARCHES] == 0:
        return -1.0
    nA = S.big.shape[0]
    way = 0.0
    for k in range(nA):
        way += abs(u[k] - W.q0[k]) * S.big[k]
    for k in range(S.bigB.shape[0] if S.kern.shape[0] == 0 else 0):
        way += abs(u[nA + k] - W.q0[nA + k]) * S.bigB[k]
    a, b, c = unrotate(fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2])
    a -= W.pose[0]
    b -= W.pose[1]
    c -= W.pose[2]
    way += math.sqrt(a * a + b * b + c * c)
    turn = 0.0
    for q in range(3):
        a, b, c = unrotate(fr.A, j, fr.A[i, q], fr.A[i, 3 + q], fr.A[i, 6 + q])
        turn += (a - W.pose[3 + q]) ** 2 + (b - W.pose[6 + q]) ** 2 + (c - W.pose[9 + q]) ** 2
    way += math.sqrt(turn) * S.par[RADIUS]
    return W.pose[12] - way


@jit
def mark(S, W, fr, i, j, u):
    """The list is made here: pose and coordinates from which motion counts.  Returns how far facets, which are searched
    for undeformed, are bent at most."""
    nA = S.big.shape[0]
    W.count[SEARCHES] += 1
    W.pose[0], W.pose[1], W.pose[2] = unrotate(
        fr.A, j, fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    )
    for q in range(3):
        W.pose[3 + q], W.pose[6 + q], W.pose[9 + q] = unrotate(fr.A, j, fr.A[i, q], fr.A[i, 3 + q], fr.A[i, 6 + q])
    for k in range(nA):
        W.q0[k] = u[k]
    bent = 0.0
    for k in range(0 if S.kern.shape[0] > 0 else S.bigB.shape[0]):
        W.q0[nA + k] = u[nA + k]
        bent += abs(u[nA + k]) * S.bigB[k]
    return bent


@jit
def search(S, W, fr, i, j, u):
    """The list of points that may touch before either side has moved by the margin, those with the smallest gaps
    first."""
    bent = mark(S, W, fr, i, j, u)
    rigid = S.kern.shape[0] > 0
    margin = S.par[MARGIN]
    reach = margin + bent
    far = max(reach, S.par[RADIUS])
    least = far
    count = 0
    for k in range(S.place.shape[0]):
        x, y, z = moved(S.place, S.phi, k, u, 0)
        x, y, z = rotate(fr.A, i, x, y, z)
        x += fr.p[i, 0]
        y += fr.p[i, 1]
        z += fr.p[i, 2]
        g = 1e300
        if rigid:
            for b in range(S.kern.shape[0]):
                h, row = shape_gap(S, W, b, x, y, z, far)
                g = min(g, h)
            clear = g
        else:
            x, y, z = unrotate(fr.A, j, x - fr.p[j, 0], y - fr.p[j, 1], z - fr.p[j, 2])
            g, clear = _near_facets(S, W, k, x, y, z, reach, far)
        least = min(least, g)
        if g < reach:
            W.near[count] = k
            W.clear[count] = clear - TURNED * bent
            count += 1
    W.count[NEAR] = count
    sort(W.clear, W.near, count)
    # where nothing is near the list serves until something may be
    W.pose[12] = margin if count > 0 else max(margin, least - bent)


@jit
def sort(key, item, n):
    """Both in the order of the keys (Shell's sort)."""
    step = 1
    while step < n // 3:
        step = 3 * step + 1
    while step > 0:
        for a in range(step, n):
            v = key[a]
            k = item[a]
            b = a - step
            while b >= 0 and key[b] > v:
                key[b + step] = key[b]
                item[b + step] = item[b]
                b -= step
            key[b + step] = v
            item[b + step] = k
        step //= 3


@jit
def _near_facets(S, W, k, x, y, z, reach, far):
    """Facets within ``reach`` of a point in axes of B into the candidates of point k; returns the distance to the
    nearest of them, or ``far``, and how far it must move at least to lie under one."""
    low = 1e300
    clear = reach
    count = 0
    h = S.grid[3]
    d = reach + S.grid[3]  # no facet is larger than a cell
    nx = int(S.grid[4])
    ny = int(S.grid[5])
    nz = int(S.grid[6])
    x0 = max(0, int(math.floor((x - d - S.grid[0]) / h)))
    x1 = min(nx - 1, int(math.floor((x + d - S.grid[0]) / h)))
    y0 = max(0, int(math.floor((y - d - S.grid[1]) / h)))
    y1 = min(ny - 1, int(math.floor((y + d - S.grid[1]) / h)))
    z0 = max(0, int(math.floor((z - d - S.grid[2]) / h)))
    z1 = min(nz - 1, int(math.floor((z + d - S.grid[2]) / h)))
    for a in range(x0, x1 + 1):
        for b in range(y0, y1 + 1):
            for c in range(z0, z1 + 1):
                cell = (a * ny + b) * nz + c
                for q in range(S.head[cell], S.head[cell + 1]):
                    f = S.item[q]
                    away = (
                        math.sqrt((x - S.centre[f, 0]) ** 2 + (y - S.centre[f, 1]) ** 2 + (z - S.centre[f, 2]) ** 2)
                        - S.centre[f, 3]
                    )
                    low = min(low, away)
                    if away < reach:
                        clear = min(clear, _under(S, f, x, y, z))
                        if count + 1 < CANDIDATES:
                            W.cand[k, count + 1] = f
                        count += 1
    W.cand[k, 0] = count if count + 1 < CANDIDATES else -1
    if low < 1e299:
        return max(low, 0.0), clear
    # beyond the cells that were checked: as far as these reach, at least
    a0 = max(S.grid[0] - x, x - S.grid[0] - h * nx, 0.0)
    b0 = max(S.grid[1] - y, y - S.grid[1] - h * ny, 0.0)
    c0 = max(S.grid[2] - z, z - S.grid[2] - h * nz, 0.0)
    low = min(far, max(math.sqrt(a0 * a0 + b0 * b0 + c0 * c0) - h, reach))
    return low, low


@jit
def _under(S, f, x, y, z):
    """How far a point in axes of B must move at least to lie under facet f, or over its sides by what `meeting.meet`
    allows; not positive where it does."""
    a = S.tri[f, 0]
    b = S.tri[f, 1]
    c = S.tri[f, 2]
    e0, e1, e2 = S.nodes[b, 0] - S.nodes[a, 0], S.nodes[b, 1] - S.nodes[a, 1], S.nodes[b, 2] - S.nodes[a, 2]
    h0, h1, h2 = S.nodes[c, 0] - S.nodes[a, 0], S.nodes[c, 1] - S.nodes[a, 1], S.nodes[c, 2] - S.nodes[a, 2]
    d0, d1, d2 = x - S.nodes[a, 0], y - S.nodes[a, 1], z - S.nodes[a, 2]
    n0, n1, n2 = cross(e0, e1, e2, h0, h1, h2)
    size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if not size > 0.0:
        return 0.0
    away = (n0 * d0 + n1 * d1 + n2 * d2) / size
    # twice the areas that the foot makes with the sides, over the lengths of these
    v0, v1, v2 = cross(h0, h1, h2, n0, n1, n2)
    s = (v0 * d0 + v1 * d1 + v2 * d2) / (size * size)
    v0, v1, v2 = cross(n0, n1, n2, e0, e1, e2)
    w = (v0 * d0 + v1 * d1 + v2 * d2) / (size * size)
    away = max(away, (-s - BESIDE) * size / math.sqrt(h0 * h0 + h1 * h1 + h2 * h2))
    away = max(away, (-w - BESIDE) * size / math.sqrt(e0 * e0 + e1 * e1 + e2 * e2))
    h0 -= e0
    h1 -= e1
    h2 -= e2
    return max(away, (s + w - 1.0 - BESIDE) * size / math.sqrt(h0 * h0 + h1 * h1 + h2 * h2))

"""Cylinder against a profile turned about z, feature by feature: mantle, rims and end faces of the cylinder.

- mantle: the minimum distances of the profile from the axis of the cylinder where n . e = 0 between its ends
  (`rod_revolution.along`), less r;
- rims: the minimum distances on the two circles (`swept.circle`, a point that is moved round), as far as the direction
  -n to the profile lies between the axis and the radius there and the circle does not continue into the next face;
- rims that have crossed an edge of the profile: the minimum distances of the two circles, n along their common
  perpendicular, where no face of the edge lets the rim out on a shorter way: a log that lies across the end of a tube
  has its rim far behind the inner edge, and a hair below the face;
- end faces: the lowest points of the profile over the plane of the end (`plane_revolution.bottoms`) above the disc.

A point that is inside the cylinder belongs to the face that is nearest: to the mantle where r - rho < h - |u|.  Where a
point goes over from one feature to the other both have it for a while, with weights that vary smoothly, and `share_out`
sees to it that they carry once.  Where a rim is inside the material and none of all this holds (several edges at once)
all points of the rims are kept.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate
from ..tables import E1, FEATURE, GAP, UA, UB, WEIGHT, N, P
from ._address import ROLLED, by_meshes
from ._curve import CONVEX, before, place
from ._mesh import share_out
from ._plane import STANDS
from ._point import (
    aligned,
    axis,
    bracketed,
    centre,
    copy_row,
    diagonal,
    local,
    room,
    smooth,
    tangent,
    to_ground,
    vector,
)
from .plane_revolution import bottoms
from .rod_revolution import POINT_KINDS, rods
from .swept import FAR, ROOM, circle, slope

POINTS = 44
LINES, FACE, EDGES = 12, 8, 6  # points of the mantle, of an end face, of a rim that has crossed edges
SAMPLES = 24  # on a rim, where minimum distances from an edge are searched for
ON = 0.15, 0.25  # n . t on a rim from which, and at which, it continues into another face
LEAN = 0.02  # sine by which -n may leave the corner of a rim
NEARER = 0.3, 0.6  # of the way out over an edge: below it, the way out through one of its faces is the shorter one
HANDS = 0.8  # of the depth: how near the other face a point may be that still belongs to this one


@jit
def keep(out, first, n, k, weight):
    """Row first + k becomes row first + n with its weight times ``weight``: new number of rows."""
    if not weight > 0.0:
        return n
    if k != n:
        copy_row(out, first + n, first + k)
    out[first + n, WEIGHT] *= weight
    return n + 1


@jit
def apart(centre, a, b, r, R, Z, psi):
    """(f, f', f'') of f = half the square of the distance of the point at the angle psi of a rim from the circle (R, Z)
    about z."""
    cx, cy, cz = centre
    ax, ay, az = a
    bx, by, bz = b
    co = math.cos(psi)
    si = math.sin(psi)
    x, y, z = cx + r * (co * ax + si * bx), cy + r * (co * ay + si * by), cz + r * (co * az + si * bz)
    u, v, w = (
        r * (co * bx - si * ax),
        r * (co * by - si * ay),
        r * (co * bz - si * az),
    )  # first derivative; the second is c - x
    rho = max(math.sqrt(x * x + y * y), 1e-300)
    d = rho - R
    e = z - Z
    slope = (x * u + y * v) / rho
    bend = (u * u + v * v - slope * slope + x * (cx - x) + y * (cy - y)) / rho
    return 0.5 * (d * d + e * e), d * slope + e * w, slope * slope + d * bend + w * w + e * (cz - z)


@jit
def stays(bare, cost):
    """Weight of a crossing of two edges at a face of one of them: 0 where the other one, which faces it (bare:
    from 0 on), leaves through it at this share of the way over the edge."""
    return 1.0 - smooth(bare, -LEAN, -0.25 * LEAN) * (1.0 - smooth(cost, NEARER[0], NEARER[1]))


@jit
def crossed(sh, a, b, centre, axis, reach, out, first, n, limit):
    """Points where the rim about c (its outward axis m; axes of b) is past the edges of the profile: new number of
    points, in ground."""
    cx, cy, cz = centre
    mx, my, mz = axis
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    ax, ay, az = tangent(mx, my, mz)
    bx, by, bz = my * az - mz * ay, mz * ax - mx * az, mx * ay - my * ax
    step = 2.0 * math.pi / SAMPLES
    far = math.sqrt(cx * cx + cy * cy)
    for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
        R, Z = sh.seg[i, 1], sh.seg[i, 2]
        if sh.seg[i, 9] != CONVEX or abs(Z - cz) > r or R - far > r or far - R > r:
            continue
        j = before(sh, b, i)
        _, _, dx, dy, _, _ = place(sh, j, 1.0)
        size = math.sqrt(dx * dx + dy * dy)
        n0, n1 = dy / size, -dx / size
        dx, dy = sh.seg[i, 3], sh.seg[i, 4]
        size = math.sqrt(dx * dx + dy * dy)
        k0, k1 = dy / size, -dx / size
        for k in range(SAMPLES):
            low = k * step
            high = low + step
            _, f, _ = apart((cx, cy, cz), (ax, ay, az), (bx, by, bz), r, R, Z, low)
            _, g, _ = apart((cx, cy, cz), (ax, ay, az), (bx, by, bz), r, R, Z, high)
            if not (f < 0.0 and g >= 0.0):
                continue
            psi = 0.5 * (low + high)
            for _ in range(60):
                _, f, g = apart((cx, cy, cz), (ax, ay, az), (bx, by, bz), r, R, Z, psi)
                low, high, w = bracketed(low, high, psi, f, g)
                if abs(w - psi) < 1e-15:
                    break
                psi = w
            co, si = math.cos(psi), math.sin(psi)
            dx, dy, dz = co * ax + si * bx, co * ay + si * by, co * az + si * bz
            x, y, z = cx + r * dx, cy + r * dy, cz + r * dz
            rho = math.sqrt(x * x + y * y)
            gap = -math.sqrt((rho - R) ** 2 + (z - Z) ** 2)
            if not (gap < reach and gap < 0.0 and rho > 0.0):
                continue
            # outward normal of the profile, in its half-plane: from the rim, which is inside, to the edge
            nr, nz = (R - rho) / -gap, (Z - z) / -gap
            c, s = x / rho, y / rho
            px, py = R * c, R * s
            nx, ny = nr * c, nr * s
            radial = -(nx * dx + ny * dy + nz * dz)
            axial = -(nx * mx + ny * my + nz * mz)
            inner = min(n0 * nz - n1 * nr, nr * k1 - nz * k0)  # between the normals of the two faces
            # the edge is inside the cylinder
            t = (px - cx) * mx + (py - cy) * my + (Z - cz) * mz
            across = math.sqrt(max((px - cx) ** 2 + (py - cy) ** 2 + (Z - cz) ** 2 - t * t, 0.0))
            weight = smooth(min(min(radial, axial), inner), -LEAN, -0.25 * LEAN)
            if not weight > 0.0 or t > LEAN * -gap or t < -h or across > r + LEAN * -gap:
                continue
            tx, ty, tz = co * bx - si * ax, co * by - si * ay, co * bz - si * az
            for f0, f1 in ((n0, n1), (k0, k1)):
                fx, fy, fz = f0 * c, f0 * s, f1
                u, v = -(fx * dx + fy * dy + fz * dz), fx * tx + fy * ty + fz * tz
                bare = min(u, -(fx * mx + fy * my + fz * mz))
                cost = nr * f0 + nz * f1 + r * (math.sqrt(u * u + v * v) - u) / -gap  # at its deepest place
                weight *= stays(bare, cost)
            # the same for the faces of the cylinder, which the edge may leave: mantle, end
            u, v = -(dx * c + dy * s), dy * c - dx * s
            bare = min(-n0 * dz - n1 * u, u * k1 + dz * k0)
            cost = radial + 0.5 * v * v / (max(1.0 / r + u / R, 0.1 / r) * -gap)
            weight *= stays(bare, cost)
            u, v = -(mx * c + my * s), my * c - mx * s
            bare = min(-n0 * mz - n1 * u, u * k1 + mz * k0)
            cost = axial + R * (math.sqrt(u * u + v * v) - u) / -gap
            weight *= stays(bare, cost)
            if not weight > 0.0:
                continue
            k = room(out, first, n, limit, gap)
            if k < 0:
                continue
            local(out, k, px, py, Z, nx, ny, nz, gap, float(SAMPLES * (i - sh.first[b, 0]) + int(psi / step)))
            vector(out, k, E1, -nz * c, -nz * s, nr)
            diagonal(out, k, UB, 0.0, R, 1.0, nr)
            aligned(out, k, UA, tx, ty, tz, r, 0.0, radial, 1.0)
            to_ground(sh, b, out, k)
            out[k, WEIGHT] = weight
            n = max(n, k - first + 1)
    return n


@jit
def features(sh, a, b, all_of_rims, reach, out, first, limit):
    """(points, whether one of a rim was left out that overlaps).  all_of_rims: none is left out."""
    h = sh.par[a, 1]
    cx, cy, cz = centre(sh, a, b)
    ex, ey, ez = axis(sh, a, b)
    found = rods(sh, a, b, False, reach, out, first, min(limit, LINES))
    n = 0
    for k in range(found):
        i = first + k
        u = (out[i, P] - cx) * ex + (out[i, P + 1] - cy) * ey + (out[i, P + 2] - cz) * ez
        d = -out[i, GAP]
        out[i, FEATURE] *= 8.0 / POINT_KINDS  # 0 of the eight kinds of features
        to_ground(sh, b, out, i)
        n = keep(out, first, n, k, smooth(h - abs(u), HANDS * d, d) if d > 0.0 else 1.0)
    lost = False
    for side in range(2):
        sign = 2.0 * side - 1.0
        m0, m1, m2 = sign * ex, sign * ey, sign * ez
        if limit - n < FACE:
            break
        n = end_face(sh, a, b, (cx, cy, cz), (m0, m1, m2), side, reach, out, first, n, limit)
        if limit - n < 2 * ROOM:
            break
        n, left = rim(sh, a, b, side, all_of_rims, reach, out, first, n, limit)
        lost = lost or left
        start = n
        n = crossed(
            sh, a, b, (cx + h * m0, cy + h * m1, cz + h * m2), (m0, m1, m2), reach, out, first, n, min(limit, n + EDGES)
        )
        for k in range(start, n):
            out[first + k, FEATURE] = -8.0 * out[first + k, FEATURE] - 2.0 - side
    return n, lost


@jit
def end_face(sh, a, b, centre, axis, side, reach, out, first, n, limit):
    """Points of the profile over or below the disc of an end: new number of points, in ground.  c, m: centre of the
    cylinder and outward normal in the axes of b."""
    cx, cy, cz = centre
    m0, m1, m2 = axis
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    standing = 1.0 - smooth(math.sqrt(m0 * m0 + m1 * m1), STANDS[0], STANDS[1])
    found = bottoms(sh, b, m0, m1, m2, cx * m0 + cy * m1 + cz * m2 + h, reach, out, first + n, min(limit - n, FACE))
    for k in range(n, n + found):
        i = first + k
        d = -out[i, GAP]
        x, y, z = out[i, P] - cx, out[i, P + 1] - cy, out[i, P + 2] - cz
        t = x * m0 + y * m1 + z * m2
        inner = r - math.sqrt(max(x * x + y * y + z * z - t * t, 0.0))
        if standing > 0.0 and d > 0.0:
            # quarters of a circle, which turn with the tilt: where the disc covers part of it the rim has points
            u = (out[i, P + 2] - cz) / m2
            off = math.sqrt((cx + u * m0) ** 2 + (cy + u * m1) ** 2)
            whole = r - off - math.sqrt(out[i, P] ** 2 + out[i, P + 1] ** 2)
            inner += standing * (whole - inner)
        share = 0.0
        if inner >= 0.0 and d < h:
            share = smooth(inner, HANDS * d, d) if d > 0.0 else 1.0
        diagonal(out, i, UA, 1.0, 1.0, 0.0, 0.0)
        out[i, FEATURE] = 8.0 * out[i, FEATURE] + 3.0 + side
        to_ground(sh, b, out, i)
        n = keep(out, first, n, k, share)
    return n


@jit
def rim(sh, a, b, side, every, reach, out, first, n, limit):
    """(new number of points, whether one was left out that overlaps) of the rim on a side of the cylinder, in
    ground."""
    r = sh.par[a, 0]
    sign = 2.0 * side - 1.0
    f = sh.frame[a]
    gx, gy, gz = rotate(sh.fr.A, f, 0.0, 0.0, 1.0)
    h = sign * sh.par[a, 1]
    x, y, z = sh.fr.p[f, 0] + h * gx, sh.fr.p[f, 1] + h * gy, sh.fr.p[f, 2] + h * gz
    q = int(sh.par[a, ROLLED])
    if q <= 0:
        return n, False
    sh.par[q, 0] = r
    near, _ = slope(sh, q, b, x, y, z, gx, gy, gz, reach, out, first + n)
    sh.par[q, 0] = 0.0
    lost = False
    if near == FAR:
        return n, lost
    for k in range(n, circle(sh, q, b, f, (x, y, z), r, (1.0, 0.0), reach, out, first, n, limit)):
        i = first + k
        g = out[i, GAP]
        if not g < reach:
            continue
        dx = (out[i, P] + g * out[i, N] - x) / r
        dy = (out[i, P + 1] + g * out[i, N + 1] - y) / r
        dz = (out[i, P + 2] + g * out[i, N + 2] - z) / r
        radial = -(out[i, N] * dx + out[i, N + 1] * dy + out[i, N + 2] * dz)
        axial = -sign * (out[i, N] * gx + out[i, N + 1] * gy + out[i, N + 2] * gz)
        tx, ty, tz = gy * dz - gz * dy, gz * dx - gx * dz, gx * dy - gy * dx
        along = abs(out[i, N] * tx + out[i, N + 1] * ty + out[i, N + 2] * tz)
        share = 1.0 if every else smooth(min(radial, axial), -LEAN, -0.25 * LEAN) * (1.0 - smooth(along, ON[0], ON[1]))
        lost = lost or (share < 0.5 and g < 0.0)
        out[i, FEATURE] = 8.0 * out[i, FEATURE] + 5.0 + side
        n = keep(out, first, n, k, share)
    return n, lost


@jit
def contact(sh, a, b, reach, out, first, limit):
    if sh.par[a, 2] != 0.0:
        return by_meshes(sh, a, b, reach, out, first, limit)  # a bore
    limit = min(limit, POINTS)
    n, lost = features(sh, a, b, False, reach, out, first, limit)
    if lost:
        for k in range(first, first + n):
            lost = lost and not out[k, GAP] < 0.0
        if lost:  # so deep that no feature is the nearest: what is inside must not be lost
            n, lost = features(sh, a, b, True, reach, out, first, limit)
    share_out(out, first, n, 1.0)
    return n

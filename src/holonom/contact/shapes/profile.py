"""Plane curves as segments: polylines, arcs, splines, gear teeth and sprockets, and what kernels need of them.

Every builder gives a `model.shape.Profile` (points, bulges of arcs, handles of cubics), so that a curve is stored with
a model; `segments` cuts it into rows of the pool ``seg`` and `tables` adds the search tree.  Columns of a row (material
on the left):

    0     kind: 0 line or cubic x0 + x1 t + x2 t^2 + x3 t^3, 1 arc; t from 0 to 1
    1:3   first point x0            3:5  dx/dt there
    5:9   cubic: x2, x3             arc: 5 radius, 6 angle (both positive when it turns left: convex), 7:9 centre
    9     joint at its first point: 0 smooth, 1 corner (convex), 2 corner (concave), 3 free end, 4 on the axis of
        revolution
    10    the same at its last point
    11    number of the run that it belongs to: convex or concave, between sharp corners and changes of curvature, less
        than half a round
          (or the whole of a convex curve); a point of contact that slides along a run stays the same point

A last row, not counted in ``first``, has numbers of the whole curve (`tables`).
"""

from __future__ import annotations

import math

import numpy as np

from ...model.base import ModelError
from ...model.shape import Profile
from ..shape_kinds import contact_kind

LINE, ARC = 0, 1
SMOOTH, CONVEX, CONCAVE, FREE, AXIS = 0, 1, 2, 3, 4
KINK = 1e-4  # rad: joints that turn less are smooth
TURN = math.radians(45.0)  # most that one segment turns
SLICES = 9  # planes of an extrusion against an extrusion
FACE = 0.05  # a straight row of at least this share of the size of a curve is a face, not a chord of a polygon
TREE = 8  # curves of more segments get a search tree


# ---- builders --------------------------------------------------------------------------------------------------------
def polyline(points, closed: bool = True) -> Profile:
    """Straight lines through points (n, 2)."""
    return Profile(_points(points), closed)


def arcs(points, bulge, closed: bool = True) -> Profile:
    """Lines and arcs: ``bulge`` (n,) is the tangent of a quarter of the angle from each point to the next, 0:
    straight."""
    points = _points(points)
    bulge = np.asarray(bulge, float).reshape(-1)
    if len(bulge) not in (len(points), len(points) - (not closed)):
        raise ModelError(f"a profile of {len(points)} points has {len(bulge)} bulges; give one for each side")
    return Profile(points, closed, np.append(bulge, 0.0)[: len(points)])


def spline(points, closed: bool = True) -> Profile:
    """Cubic spline through points (n, 2): curvature continuous, periodic when closed."""
    return Profile(_points(points), closed, np.zeros(0), 4)


def _points(points) -> np.ndarray:
    p = np.asarray(points, float)
    if p.ndim != 2 or p.shape[1] != 2 or len(p) < 2 or not np.isfinite(p).all():
        raise ModelError("a profile is at least two rows of two finite numbers")
    return p


def involute(roll: float, base: float) -> np.ndarray:
    """Point of the involute of a circle (radius ``base``) that starts on the x axis, unrolled by the angle ``roll``."""
    c, s = math.cos(roll), math.sin(roll)
    return base * np.array([c + roll * s, s - roll * c])


def gear_data(
    module: float,
    teeth: int,
    pressure_angle: float = math.radians(20.0),
    backlash: float = 0.0,
    shift: float = 0.0,
    addendum: float = 1.0,
    dedendum: float = 1.25,
) -> dict[str, float]:
    """Radii of a spur gear: pitch, base, tip, root, and half the angle of a tooth on the base circle.

    ``backlash``: how much thinner a tooth is on the pitch circle; ``shift``: profile shift in modules (Maag's x)."""
    pitch = 0.5 * module * teeth
    half = 0.5 * math.pi / teeth + 2.0 * shift * math.tan(pressure_angle) / teeth - 0.5 * backlash / pitch
    return {
        "pitch": pitch,
        "base": pitch * math.cos(pressure_angle),
        "tip": pitch + (addendum + shift) * module,
        "root": pitch - (dedendum - shift) * module,
        "half": half + math.tan(pressure_angle) - pressure_angle,
    }


def involute_gear(
    module: float,
    teeth: int,
    pressure_angle: float = math.radians(20.0),
    backlash: float = 0.0,
    fillet: float = 0.25,
    shift: float = 0.0,
    addendum: float = 1.0,
    dedendum: float = 1.25,
) -> Profile:
    """Spur gear in its transverse plane, one tooth on the x axis: involutes, tip arcs, root arcs and fillets of
    ``fillet`` modules.

    ``backlash`` is the length by which a tooth is thinner on the pitch circle.  The flanks are cubics with the
    directions and the curvatures of the involute at their ends, 1e-10 of the module next to it.  Below the base circle
    the flank continues straight (no undercut).  A helical gear is this profile with the transverse module and pressure
    angle, extruded with a twist.
    """
    from scipy.optimize import brentq

    if not (module > 0 and teeth >= 4 and 0 < pressure_angle < 1):
        raise ModelError("a gear needs a positive module, four teeth or more and a pressure angle between 0 and 1 rad")
    d = gear_data(module, teeth, pressure_angle, backlash, shift, addendum, dedendum)
    base, tip, root, half = d["base"], d["tip"], d["root"], d["half"]
    if not 0 < root < tip or tip <= base:
        raise ModelError(
            f"a gear of {teeth} teeth has no flank between its root radius {root:.4g} and its tip radius {tip:.4g}"
        )
    last = math.sqrt((tip / base) ** 2 - 1.0)
    if half - (last - math.atan(last)) <= 0:
        raise ModelError("the teeth of this gear are pointed below the tip circle; reduce addendum or shift")
    least = 0.02 * last  # below this roll angle the flank continues along its tangent
    rho = fillet * module
    # fillet: centre on the circle root + rho, next to the flank by rho
    side = lambda roll: involute(roll, base) + rho * np.array([math.sin(roll), -math.cos(roll)])
    miss = lambda roll: float(np.hypot(*side(roll))) - (root + rho)
    line = None
    if miss(least) <= 0:
        start = brentq(miss, least, last, xtol=1e-15)
        centre = side(start)
    else:  # along the straight part: p + s t, s < 0
        start = least
        p, t = side(least), np.array([math.cos(least), math.sin(least)])
        along = -p @ t + math.sqrt(max((p @ t) ** 2 - p @ p + (root + rho) ** 2, 0.0))
        line = involute(least, base) + along * t
        centre = p + along * t
    foot = centre * root / math.hypot(*centre)
    rolls = [start]
    while rolls[-1] < last * (1 - 1e-12):
        step = (1e-10 * module / base * rolls[-1] / 8e-4) ** (1 / 6)  # their error is 8e-4 base step^6 / roll
        rolls.append(min(rolls[-1] + min(0.3 * rolls[-1], step), last))
    if len(rolls) > 2 and rolls[-1] - rolls[-2] < 0.3 * (rolls[-2] - rolls[-3]):
        del rolls[-2]
    flank = [involute(u, base) for u in rolls]
    handles = [_involute_handles(u, v, base) for u, v in zip(rolls[:-1], rolls[1:])]
    first = line if line is not None else flank[0]
    turn = _angle(centre - foot, centre - first)
    # right side of the tooth from the root outwards, then its mirror image from the tip inwards
    points, bulge, hands = [foot], [math.tan(0.25 * turn)], [np.zeros(4)]
    if line is not None:
        points.append(line)
        bulge.append(0.0)
        hands.append(np.zeros(4))
    points += flank
    bulge += [0.0] * len(handles)
    hands += handles
    n = len(points)
    spin = lambda p, a: np.array([math.cos(a) * p[0] - math.sin(a) * p[1], math.sin(a) * p[0] + math.cos(a) * p[1]])
    right = [spin(p, -half) for p in points]
    hands = [np.concatenate([spin(h[:2], -half), spin(h[2:], -half)]) for h in hands]
    angle = -math.atan2(right[-1][1], right[-1][0])
    bulge.append(math.tan(0.25 * 2 * angle))
    hands.append(np.zeros(4))
    mirror = np.array([1.0, -1.0])
    tooth = right + [p * mirror for p in right[::-1]]
    bulge += bulge[n - 2 :: -1]
    hands += [np.concatenate([h[2:] * mirror, h[:2] * mirror]) for h in hands[n - 2 :: -1]]
    low = math.atan2(tooth[-1][1], tooth[-1][0])
    space = 2 * math.pi / teeth - 2 * low
    if space <= 0:
        raise ModelError("the fillets of this gear meet below its root circle; give a smaller fillet")
    bulge.append(math.tan(0.25 * space))
    hands.append(np.zeros(4))
    steps = [2 * math.pi * k / teeth for k in range(teeth)]
    return Profile(
        np.array([spin(p, a) for a in steps for p in tooth]),
        True,
        np.tile(bulge, teeth),
        handles=np.array([np.concatenate([spin(h[:2], a), spin(h[2:], a)]) for a in steps for h in hands]),
    )


def _involute_handles(u: float, v: float, base: float) -> np.ndarray:
    """Handles of the cubic that has the ends, directions and curvatures of the involute between two roll angles (de
    Boor, Hoellig and Sabin, Computer Aided Geometric Design 4 (1987) 269): sixth order."""
    p, q = involute(u, base), involute(v, base)
    s, t = np.array([math.cos(u), math.sin(u)]), np.array([math.cos(v), math.sin(v)])
    cross = lambda a, b: a[0] * b[1] - a[1] * b[0]
    d, w = q - p, math.sin(v - u)
    a = b = (v - u) * base * (u + v) / 6.0
    for _ in range(50):  # w b = cross(s, d) - 3/2 k0 a^2, w a = cross(d, t) - 3/2 k1 b^2, by Newton
        k0, k1 = 1.5 / (base * u), 1.5 / (base * v)
        f = np.array([w * b - cross(s, d) + k0 * a * a, w * a - cross(d, t) + k1 * b * b])
        da, db = np.linalg.solve(np.array([[2 * k0 * a, w], [w, 2 * k1 * b]]), -f)
        a, b = a + da, b + db
        if abs(da) + abs(db) < 1e-15 * (abs(a) + abs(b)):
            break
    return np.concatenate([a * s, -b * t])


def _angle(a, b) -> float:
    """Angle from a to b, positive to the left."""
    return math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])


def sprocket(
    pitch: float,
    roller_radius: float,
    teeth: int,
    seat: float = 0.0,
    flank: float = 0.0,
    angle: float = 0.0,
    tip: float = 0.0,
) -> Profile:
    """Chain wheel after ISO 606, a gap on the x axis: seating arc, flank arcs and tip arc, all tangent but at the tip.

    ``seat``: radius of the seating arc (0: 0.505 of the roller's diameter, the smallest of the standard); ``flank``:
    radius of the flank arc (0: 0.12 d (z + 2)); ``angle``: of the seating arc (0: 140 deg - 90 deg / z); ``tip``: tip
    radius (0: in the middle of the standard's range).  Centres of seated rollers lie on the circle of radius
    `pitch_radius`.
    """
    if not (pitch > 0 and 0 < 2 * roller_radius < pitch and teeth >= 5):
        raise ModelError("a sprocket needs a positive pitch, a roller thinner than the pitch and five teeth or more")
    d = 2.0 * roller_radius
    seat = seat or 0.505 * d
    flank = flank or 0.12 * d * (teeth + 2)
    angle = angle or math.radians(140.0 - 90.0 / teeth)
    rp = pitch_radius(pitch, teeth)
    tip = tip or 0.5 * (2 * rp + 0.5 * (1.25 * pitch + pitch * (1 - 1.6 / teeth)) - d)
    if seat < roller_radius:
        raise ModelError(f"the seating radius {seat:.4g} is smaller than the roller's, {roller_radius:.4g}")
    step = 2 * math.pi / teeth
    centre = np.array([rp, 0.0])
    # the seating arc opens outwards: from its middle at rp - seat, half of `angle` to each side
    out = np.array(
        [-math.cos(0.5 * angle), math.sin(0.5 * angle)]
    )  # from the seat's centre to the end of the arc, upper side
    end = centre + seat * out
    middle = centre + (seat + flank) * out  # centre of the upper flank arc, inside the tooth
    # where the flank arc meets the tip circle, on the gap's side of the tooth
    dist = float(np.hypot(*middle))
    bearing = math.atan2(middle[1], middle[0])
    cosine = (dist**2 + tip**2 - flank**2) / (2 * dist * tip)
    if not abs(cosine) < 1:
        raise ModelError(
            "the flanks of this sprocket do not reach its tip circle; give a smaller tip radius or a larger flank "
            "radius"
        )
    swing = math.acos(cosine)
    high = bearing - swing
    if not 0 < high < 0.5 * step:
        raise ModelError("the teeth of this sprocket are pointed below the tip circle; give a smaller tip radius")
    top = tip * np.array([math.cos(high), math.sin(high)])
    turn = _angle(end - middle, top - middle)
    if turn <= 0:
        raise ModelError(
            "this sprocket has no flank between seat and tip; give a larger tip radius or a smaller seating angle"
        )
    mirror = np.array([1.0, -1.0])
    # counter-clockwise: lower flank inwards, seat, upper flank outwards, tip
    points = [top * mirror, end * mirror, end, top]
    bulge = [math.tan(0.25 * turn), -math.tan(0.25 * angle), math.tan(0.25 * turn), math.tan(0.25 * (step - 2 * high))]
    rows = []
    for k in range(teeth):
        c, s = math.cos(k * step), math.sin(k * step)
        rows += [np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]]) for p in points]
    return Profile(np.array(rows), True, np.tile(bulge, teeth))


def pitch_radius(pitch: float, teeth: int) -> float:
    """Radius of the circle on which the rollers of a chain lie on a sprocket."""
    return 0.5 * pitch / math.sin(math.pi / teeth)


# ---- segments --------------------------------------------------------------------------------------------------------
def segments(profile: Profile, turn: float = TURN, revolved: bool = False) -> np.ndarray:
    """Rows (n, 12) of the pool ``seg``; ``revolved`` leaves out what lies on the axis x = 0."""
    pieces = _spline_pieces(profile) if profile.order > 2 else _pieces(profile)
    size = float(np.ptp(profile.points, axis=0).max())
    rows = []
    for piece in pieces:
        rows += _cut(piece, turn)
    if not rows:
        raise ModelError("a profile has no segment of any length")
    out = np.zeros((len(rows), 12))
    out[:, :9] = rows
    closed = profile.closed
    if revolved:
        last = np.array([_end(r)[0] for r in out])
        on = (np.abs(out[:, 1]) <= 1e-9 * size) & (np.abs(last[:, 0]) <= 1e-9 * size)
        if on.all():
            raise ModelError("a profile that is revolved lies on its axis")
        if on.any() and closed:  # starts behind the axis
            k = int(np.flatnonzero(on & ~np.roll(on, -1))[0]) + 1
            out, on = np.roll(out, -k, axis=0), np.roll(on, -k)
            closed = False
        out = out[~on]
        last = np.array([_end(r)[0] for r in out])
    out[:, 9] = out[:, 10] = FREE
    for k in range(len(out) - (not closed)):
        n = (k + 1) % len(out)
        t, u = _end(out[k])[1], out[n, 3:5]
        if np.abs(_end(out[k])[0] - out[n, 1:3]).max() > 1e-9 * size:
            continue  # pieces of the surface that the axis parts
        kink = _angle(t, u)
        out[k, 10] = out[n, 9] = SMOOTH if abs(kink) < KINK else (CONVEX if kink > 0 else CONCAVE)
    if revolved:
        for k in range(len(out)):
            if out[k, 9] == FREE and abs(out[k, 1]) <= 1e-9 * size:
                out[k, 9] = AXIS
            if out[k, 10] == FREE and abs(last[k, 0]) <= 1e-9 * size:
                out[k, 10] = AXIS
    out[:, 11] = _runs(out, closed, revolved)
    return out


def _pieces(profile: Profile) -> list[np.ndarray]:
    """Rows (9) of lines, arcs and cubics, uncut."""
    p, n = profile.points, len(profile.points)
    out = []
    for k in range(n if profile.closed else n - 1):
        a, b = p[k], p[(k + 1) % n]
        beta = float(profile.bulge[k]) if len(profile.bulge) else 0.0
        if len(profile.handles) and profile.handles[k].any():
            h, g = 3 * profile.handles[k, :2], 3 * profile.handles[k, 2:]  # x' at 0, -x' at 1
            d = b - a
            out.append(np.concatenate([[LINE], a, h, 3 * d - 2 * h + g, h - g - 2 * d]))
        elif abs(beta) < 1e-9:
            if np.any(a != b):
                out.append(np.concatenate([[LINE], a, b - a, np.zeros(4)]))
        else:
            turn = 4.0 * math.atan(beta)
            chord = b - a
            centre = 0.5 * (a + b) + np.array([-chord[1], chord[0]]) * (0.5 / math.tan(0.5 * turn))
            out.append(_arc(a, centre, turn))
    return out


def _arc(a, centre, turn: float) -> np.ndarray:
    d = a - centre
    radius = math.copysign(float(np.hypot(*d)), turn)
    return np.concatenate([[ARC], a, turn * np.array([-d[1], d[0]]), [radius, turn], centre])


def _spline_pieces(profile: Profile) -> list[np.ndarray]:
    """Cubics of a spline; those of higher degree are replaced by cubics that share points and derivatives, eight a
    span."""
    from ...model.shape import spline_of

    curve, (low, high) = spline_of(profile)
    knots = np.unique(np.concatenate([curve.t[(curve.t > low) & (curve.t < high)], [low, high]]))
    if curve.k <= 3:
        out = []
        for u, v in zip(knots[:-1], knots[1:]):
            taylor = [curve(u, i) / math.factorial(i) * (v - u) ** i for i in range(4)]
            out.append(np.concatenate([[LINE], *taylor]))
        return out
    knots = np.unique(np.concatenate([np.linspace(u, v, 9) for u, v in zip(knots[:-1], knots[1:])]))
    p, t = curve(knots), curve(knots, 1)
    out = []
    for k in range(len(knots) - 1):
        h = knots[k + 1] - knots[k]
        d = p[k + 1] - p[k]
        out.append(
            np.concatenate([[LINE], p[k], h * t[k], 3 * d - h * (2 * t[k] + t[k + 1]), h * (t[k] + t[k + 1]) - 2 * d])
        )
    return out


def _cut(row: np.ndarray, turn: float) -> list[np.ndarray]:
    """A piece cut so that none turns more than ``turn``, and cubics at their inflections."""
    if row[0] == ARC:
        m = max(1, math.ceil(abs(row[6]) / turn - 1e-9))
        d = row[1:3] - row[7:9]
        out = []
        for k in range(m):
            c, s = math.cos(row[6] * k / m), math.sin(row[6] * k / m)
            out.append(_arc(row[7:9] + np.array([c * d[0] - s * d[1], s * d[0] + c * d[1]]), row[7:9], row[6] / m))
        return out
    a, b, c, d = row[1:3], row[3:5], row[5:7], row[7:9]
    if not (c.any() or d.any()):
        return [row]
    cross = lambda p, q: p[0] * q[1] - p[1] * q[0]
    # x' x x'' = 2 b x c + 6 t b x d + 6 t^2 c x d
    roots = np.roots([6.0 * cross(c, d), 6.0 * cross(b, d), 2 * cross(b, c)])
    at = [0.0, *sorted(r.real for r in roots if abs(r.imag) < 1e-12 and 1e-6 < r.real < 1 - 1e-6), 1.0]
    out = []
    for u, v in zip(at[:-1], at[1:]):
        t = np.linspace(u, v, 65)[:, None]
        directions = b + 2 * c * t + 3 * d * t * t
        turned = np.concatenate([[0.0], np.cumsum([abs(_angle(directions[i], directions[i + 1])) for i in range(64)])])
        m = max(1, math.ceil(1.01 * turned[-1] / turn))
        cuts = np.interp(turned[-1] * np.arange(1, m) / m, turned, t[:, 0])
        for x, y in zip([u, *cuts], [*cuts, v]):
            h = y - x
            part = [a + x * (b + x * (c + x * d)), h * (b + x * (2 * c + 3 * x * d)), h * h * (c + 3 * x * d), h**3 * d]
            out.append(np.concatenate([[LINE], *part]))
    return out


def _end(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Last point of a segment and dx/dt there."""
    return place(row, 1.0)[:2]


def place(row: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Point, first and second derivative of a segment at t (as `_curve.place` does it in kernels)."""
    if row[0] == ARC:
        d = row[1:3] - row[7:9]
        c, s = math.cos(row[6] * t), math.sin(row[6] * t)
        d = np.array([c * d[0] - s * d[1], s * d[0] + c * d[1]])
        return row[7:9] + d, row[6] * np.array([-d[1], d[0]]), -(row[6] ** 2) * d
    a, b, c, d = row[1:3], row[3:5], row[5:7], row[7:9]
    return a + t * (b + t * (c + t * d)), b + t * (2 * c + 3 * t * d), 2 * c + 6.0 * t * d


def sample(rows: np.ndarray, number: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Points and unit tangents at the middles of ``number`` parts of each segment."""
    both = [place(row, (k + 0.5) / number)[:2] for row in rows for k in range(number)]
    points, tangents = (np.array(x) for x in zip(*both))
    return points, tangents / np.linalg.norm(tangents, axis=1)[:, None]


def _runs(rows: np.ndarray, closed: bool, revolved: bool) -> np.ndarray:
    """Number of the run of each segment: of one sense of curvature, without sharp corners, turning less than half a
    round.  A closed convex curve is one run: it has one foot; a ring that is turned from it has several, a rod in its
    hole touches both of its edges."""
    bend, turn = np.zeros(len(rows), int), np.zeros(len(rows))
    for k, row in enumerate(rows):
        _, d, e = place(row, 0.5)
        kappa = d[0] * e[1] - d[1] * e[0]
        turn[k] = abs(_angle(row[3:5], place(row, 1.0)[1]))
        if abs(kappa) > 1e-9 * (d @ d):
            bend[k] = 1 if kappa > 0 else -1
    kink = [_angle(place(rows[k - 1], 1.0)[1], rows[k, 3:5]) if rows[k, 9] == CONVEX else 0.0 for k in range(len(rows))]
    whole = closed and not revolved and (bend >= 0).all() and (rows[:, 9] < CONCAVE).all()
    run = np.zeros(len(rows), int)
    if whole:
        return run
    sign, number, total = bend[0], 0, turn[0]
    for k in range(1, len(rows)):
        total += turn[k] + kink[k]
        sharp = rows[k, 9] >= CONCAVE or kink[k] > 0.5 or (kink[k] > 0 and sign < 0)
        if sharp or bend[k] * sign < 0 or total > math.pi:
            number += 1
            sign, total = bend[k], turn[k]
        elif bend[k] or kink[k]:
            sign = bend[k] or 1
        run[k] = number
    if (
        closed
        and number
        and rows[0, 9] < CONCAVE
        and kink[0] <= 0.5
        and sign * bend[0] >= 0
        and total + turn[run == 0].sum() < math.pi
    ):
        run[run == number] = 0
    return run


def tree(low: np.ndarray, high: np.ndarray, leaf: int = 1) -> np.ndarray:
    """Boxes (n, 8) over items in their order, a balanced binary tree in the order of a walk: 0:3 least, 3:6 greatest
    corner, 6 node that follows when this one is left out, 7 first item of a leaf (of ``leaf`` items at most), or -1."""
    n = len(low)
    out: list[list[float]] = []
    child: list[tuple[int, int]] = []
    stack = [(0, n, -1)]
    order: list[tuple[int, int]] = []
    # preorder: left child follows its parent
    while stack:
        a, b, parent = stack.pop()
        k = len(order)
        order.append((a, b))
        child.append((-1, -1))
        if parent >= 0:
            child[parent] = (child[parent][0], k) if child[parent][0] >= 0 else (k, -1)
        if b - a > leaf:
            m = (a + b + 1) // 2
            m = a + -(-(m - a) // leaf) * leaf if leaf > 1 else m
            stack.append((m, b, k))
            stack.append((a, m, k))
    out = [[0.0] * 8 for _ in order]
    follow = [0] * len(order)
    for k in range(len(order) - 1, -1, -1):
        a, b = order[k]
        left, right = child[k]
        if left < 0:
            box = [*low[a:b].min(axis=0), *high[a:b].max(axis=0)]
            follow[k] = k + 1
        else:
            u, v = out[left], out[right]
            box = [min(u[c], v[c]) for c in range(3)] + [max(u[c], v[c]) for c in range(3, 6)]
            follow[k] = follow[right]
        out[k] = [*box, float(follow[k]), float(a) if left < 0 else -1.0]
    return np.array(out)


def boxes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimum and maximum corners (n, 3) of segments, z = 0."""
    low, high = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
    for k, row in enumerate(rows):
        at = {0.0, 1.0}
        for c in range(2):
            if row[0] == ARC:
                d = row[1:3] - row[7:9]
                for q in range(-4, 5):  # where the derivative of x or y vanishes
                    t = (q * 0.5 * math.pi - math.atan2(d[1], d[0])) / row[6]
                    if 0 < t < 1:
                        at.add(t)
            else:
                for t in np.roots([3 * row[7 + c], 2 * row[5 + c], row[3 + c]]):
                    if abs(t.imag) < 1e-9 and 0 < t.real < 1:
                        at.add(float(t.real))
        p = np.array([place(row, t)[0] for t in at])
        low[k, :2], high[k, :2] = p.min(axis=0), p.max(axis=0)
    return low, high


def cones(nodes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Columns 2 and 5 of the tree of a curve: middle and half of the range of the direction of its tangents, convex
    corners included."""
    low, high = np.zeros(len(rows)), np.zeros(len(rows))
    angle = math.atan2(rows[0, 4], rows[0, 3])
    for k, row in enumerate(rows):
        directions = [place(row, t)[1] for t in (0.0, 0.25, 0.5, 0.75, 1.0)]
        turned = np.cumsum([0.0] + [_angle(u, v) for u, v in zip(directions[:-1], directions[1:])])
        before = _angle(place(rows[k - 1], 1.0)[1], directions[0]) if row[9] in (SMOOTH, CONVEX, CONCAVE) else 0.0
        if k:
            angle += before
        low[k], high[k] = angle + min(turned.min(), -max(before, 0.0)), angle + turned.max()
        angle += turned[-1]
    out = nodes.copy()
    at = nodes[:, 7].astype(int)
    for q in range(len(nodes)):
        k = at[q : int(nodes[q, 6])]
        k = k[k >= 0]
        a, b = low[k].min(), high[k].max()
        out[q, 2], out[q, 5] = 0.5 * (a + b), min(0.5 * (b - a) + 1e-6, math.pi)
    return out


def thickness(rows: np.ndarray, number: int = 3) -> float:
    """Least thickness of the material behind a closed curve along its normals (sampled): what a contact may not go
    through."""
    p, t = sample(rows, number)
    inward = np.column_stack([-t[:, 1], t[:, 0]])
    a, _ = sample(rows, 1)
    ends = np.array([_end(r)[0] for r in rows])
    starts = rows[:, 1:3]
    best = math.inf
    q = np.vstack([starts, a])
    r = np.vstack([a, ends])  # the curve as chords of its halves
    d = r - q
    for k in range(len(p)):
        w = q - p[k]
        det = inward[k, 0] * -d[:, 1] + inward[k, 1] * d[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (-w[:, 0] * d[:, 1] + w[:, 1] * d[:, 0]) / det
            u = (inward[k, 0] * w[:, 1] - inward[k, 1] * w[:, 0]) / det
        own = np.zeros(len(q), bool)
        own[k // number] = own[len(rows) + k // number] = True
        ok = np.isfinite(s) & (s > 0) & (u >= 0) & (u <= 1) & ~own
        if ok.any():
            best = min(best, float(s[ok].min()))
    return best if math.isfinite(best) else 0.0


def tables(profile: Profile, revolved: bool = False, slices: int = SLICES) -> dict:
    """Pools of a profile: ``seg`` with one more row at its end (0: half of the minimum thickness of the material,
    deeper contacts of two curves are none, 0 for open curves; 1: slices of an extrusion; 2: radius about the origin; 3:
    length from which a straight row is a face), ``node``, and ``first``, function of the offsets in the pools."""
    rows = segments(profile, revolved=revolved)
    nodes = cones(tree(*boxes(rows)), rows) if len(rows) > TREE else np.zeros((0, 8))
    last = np.zeros((1, 12))
    low, high = boxes(rows)
    radius = np.hypot(*np.maximum(np.abs(low), np.abs(high))[:, :2].T).max()
    last[0, :4] = (
        0.5 * thickness(rows) if profile.closed else 0.0,
        slices,
        radius,
        FACE * (high.max(axis=0) - low.min(axis=0)).max(),
    )
    return {
        "seg": np.vstack([rows, last]),
        "node": nodes,
        "first": lambda at: (at["seg"], len(rows), at["node"], len(nodes)),
    }


def pack(solid, sizes: dict[str, int]):
    """(first, pools) of a CURVE, EXTRUSION or REVOLUTION (`shapes.pack`)."""
    t = tables(solid.profile, contact_kind(solid.kind).turned)
    return t["first"](sizes), {"seg": t["seg"], "node": t["node"]}

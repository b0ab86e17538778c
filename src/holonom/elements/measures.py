"""Kinematic measures of the Adams function language: value, exact covectors and time derivatives over `Frames`.

Arguments are four frames.  With d = p_i - p_j, x_k an axis of frame k, l the frame in which vectors are differentiated:

    DX = d . x_k                                     DM = |d|                       INCANG = angle(p_i - p_j, p_k - p_j)
    VX = u . x_k,  u = v_i - v_j - w_l x d           VM = |u|                       VR = d . (v_i - v_j) / |d|
    WX = u . x_k,  u = w_i - w_j                     WM = |u|
    ACCX = u . x_k, u = a_i - a_j - al_l x d - 2 w_l x (v_i - v_j) + w_l x (w_l x d)    ACCM = |u|
    WDTX = u . x_k, u = al_i - al_j - w_l x (w_i - w_j)                                 WDTM = |u|
    AX = atan2(-z_i.y_j, z_i.z_j)    AY = atan2(z_i.x_j, z_i.z_j)      AZ = YAW = atan2(x_i.y_j, x_i.x_j)
    PSI = atan2(z_i.x_j, -z_i.y_j)   THETA = acos(z_i.z_j)             PHI = atan2(x_i.z_j, y_i.z_j)      (body 3-1-3)
    PITCH = asin(x_i.z_j)            ROLL = atan2(y_i.z_j, z_i.z_j)    (body 3-2-1, PITCH is minus the second angle)

Source: Adams Solver manual, page of each function (adams.thisaray.com/adams_solver/cfunc_ax.html and so on); its pages
for the Euler and yaw angles name the rotations only.  Missing frames are the ground frame, index 0.

Angles from atan2 run on without jumps: the result is the branch nearest to ``ref``, the value at the last accepted
step.  Where the middle angle of PSI, THETA, PHI or YAW, PITCH, ROLL passes its singularity, the other two change by pi:
of the two branches they take the one nearer to zero, so that they alternate and do not climb.
Where a measure has no derivative (DM, VM, WM, ACCM, WDTM at zero, VR at DM = 0, THETA at 0 and pi, PITCH at +-pi/2,
INCANG on a straight line, an angle whose atan2 arguments both vanish) the gradient is zero, and VR is zero;
such an angle keeps ``ref``, except PSI = atan2(x_i.y_j, x_i.x_j) with PHI = 0 when z_i and z_j are parallel to 1e-9,
the accuracy of positions.

Covectors: g[0:72] holds one per slot i, j, k, l (18 numbers each: dp, dtheta, dv, dw, da, dal, ground axes).
Slots may name the same frame; the caller adds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .._jit import jit
from ..model.orientation import to_quaternion
from .vectors import cross

EPS = 1e-24  # squared sine (atan2 arguments, unit vectors) below which an angle has no derivative


POLE = 1e-18  # squared sine of THETA below which PSI and PHI are those of parallel z axes: less is rounding
HALF_TURN = 1e-6  # a change of pi within so much is a passage of the singularity of three angles, not a rotation


class Measure(NamedTuple):
    """``level`` 0 displacement, 1 velocity, 2 acceleration; ``slots``: where Adams' arguments go in (i, j, k, l)."""

    code: int
    level: int
    unit: str
    slots: str
    is_angle: bool = False  # continuous: needs ``ref``


def _table() -> dict[str, Measure]:
    table = {}
    for f, (name, level, unit, magnitude, component) in enumerate(
        [
            ("D", 0, "length", "ij", "ijk"),
            ("V", 1, "velocity", "ijl", "ijkl"),
            ("W", 1, "angular_velocity", "ij", "ijk"),
            ("ACC", 2, "acceleration", "ijl", "ijkl"),
            ("WDT", 2, "angular_acceleration", "ijl", "ijkl"),
        ]
    ):
        for c, axis in enumerate("MXYZ"):
            table[name + axis] = Measure(4 * f + c, level, unit, component if c else magnitude)
    table["VR"] = Measure(20, 1, "velocity", "ijl")
    for c, name in enumerate("AX AY AZ PSI THETA PHI YAW PITCH ROLL".split()):
        table[name] = Measure(21 + c, 0, "angle", "ij", name not in ("THETA", "PITCH"))
    table["INCANG"] = Measure(30, 0, "angle", "ijk")
    return table


MEASURES: dict[str, Measure] = _table()
CODES: dict[str, int] = {name: m.code for name, m in MEASURES.items()}


def frames_of(name: str, args) -> tuple[int, int, int, int]:
    """Adams' arguments of measure ``name`` -> (i, j, k, l); missing ones are 0, the ground frame."""
    slots = MEASURES[name.upper()].slots
    least = 3 if name.upper() == "INCANG" else 1
    if not least <= len(args) <= len(slots):
        raise ValueError(f"{name.upper()} takes {least} to {len(slots)} markers, {', '.join(slots)}; {len(args)} given")
    given = dict(zip(slots, args))
    return tuple(given.get(s, 0) for s in "ijkl")


@jit
def _dot(A, i, a, j, b):
    """Axis a of frame i . axis b of frame j"""
    return A[i, a] * A[j, b] + A[i, 3 + a] * A[j, 3 + b] + A[i, 6 + a] * A[j, 6 + b]


@jit
def _arguments(code):
    """atan2 arguments of an angle: (axis of i, axis of j, sign) of the sine and of the cosine."""
    if code == 21:
        return 2, 1, -1.0, 2, 2, 1.0
    if code == 22:
        return 2, 0, 1.0, 2, 2, 1.0
    if code == 24:
        return 2, 0, 1.0, 2, 1, -1.0
    if code == 26:
        return 0, 2, 1.0, 1, 2, 1.0
    if code == 29:
        return 1, 2, 1.0, 2, 2, 1.0
    return 0, 1, 1.0, 0, 0, 1.0


@jit
def nearest(x, ref):
    """The branch x + 2 pi n nearest to ref."""
    return x + 2.0 * math.pi * math.floor((ref - x) / (2.0 * math.pi) + 0.5)


@jit
def angle(code, i, j, A, ref):
    """Value of an angle of two frames (codes 21-29), from the axes A = fr.A (a whole Frames costs 30 ns a call)."""
    if code == 25:
        return math.atan2(math.hypot(_dot(A, i, 2, j, 0), _dot(A, i, 2, j, 1)), _dot(A, i, 2, j, 2))
    if code == 28:
        return math.atan2(_dot(A, i, 0, j, 2), math.hypot(_dot(A, i, 0, j, 0), _dot(A, i, 0, j, 1)))
    a, b, u, e, f, v = _arguments(code)
    s = u * _dot(A, i, a, j, b)
    c = v * _dot(A, i, e, j, f)
    if s * s + c * c < (POLE if code == 24 or code == 26 else EPS):
        if code == 26:
            return nearest(0.0, ref)
        if code != 24:
            return ref
        s = _dot(A, i, 0, j, 1)
        c = _dot(A, i, 0, j, 0)
    x = nearest(math.atan2(s, c), ref)
    if code == 24 or code >= 26:  # where theta or pitch passes its singularity these change by pi in either direction
        jump = x - ref
        if abs(abs(jump) - math.pi) < HALF_TURN:
            other = x - math.copysign(2.0 * math.pi, jump)
            if abs(other) < abs(x) - HALF_TURN:
                return other
    return x


@jit
def angle_gradient(code, i, j, A):
    """Gradient of an angle (codes 21-29) with respect to dtheta_i; minus that of dtheta_j.  Zero where undefined."""
    a, b, u, e, f, v = _arguments(code)
    if code == 25:
        a, b = 2, 2
    elif code == 28:
        a, b = 0, 2
    s = u * _dot(A, i, a, j, b)
    c = v * _dot(A, i, e, j, f)
    # d(x_i . y_j) = (dtheta_i - dtheta_j) . (x_i x y_j)
    s0, s1, s2 = cross(A[i, a], A[i, 3 + a], A[i, 6 + a], A[j, b], A[j, 3 + b], A[j, 6 + b])
    if code == 25 or code == 28:  # d acos(s) = -ds / sqrt(1 - s^2),  d asin(s) = ds / sqrt(1 - s^2)
        q = s0 * s0 + s1 * s1 + s2 * s2  # = 1 - s^2 without cancellation, u = 1 for both codes
        if q < EPS:
            return 0.0, 0.0, 0.0
        q = (-1.0 if code == 25 else 1.0) / math.sqrt(q)
        return q * s0, q * s1, q * s2
    q = s * s + c * c
    if q < (POLE if code == 24 or code == 26 else EPS):
        return 0.0, 0.0, 0.0
    c0, c1, c2 = cross(A[i, e], A[i, 3 + e], A[i, 6 + e], A[j, f], A[j, 3 + f], A[j, 6 + f])
    c *= u / q
    s *= v / q
    return c * s0 - s * c0, c * s1 - s * c1, c * s2 - s * c2


@jit
def _difference(x, i, j):
    """Row i minus row j of an (n, 3) array"""
    return x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]


@jit
def _vector(family, i, j, l, fr):
    """The vector u of a family: 0 D, 1 V, 2 W, 3 ACC, 4 WDT (ground axes)."""
    w0, w1, w2 = fr.w[l, 0], fr.w[l, 1], fr.w[l, 2]
    if family == 2:
        return _difference(fr.w, i, j)
    if family == 4:
        d0, d1, d2 = _difference(fr.w, i, j)
        u0, u1, u2 = _difference(fr.al, i, j)
        c0, c1, c2 = cross(w0, w1, w2, d0, d1, d2)
        return u0 - c0, u1 - c1, u2 - c2
    d0, d1, d2 = _difference(fr.p, i, j)
    if family == 0:
        return d0, d1, d2
    v0, v1, v2 = _difference(fr.v, i, j)
    c0, c1, c2 = cross(w0, w1, w2, d0, d1, d2)
    if family == 1:
        return v0 - c0, v1 - c1, v2 - c2
    u0, u1, u2 = _difference(fr.a, i, j)
    e0, e1, e2 = cross(fr.al[l, 0], fr.al[l, 1], fr.al[l, 2], d0, d1, d2)
    # -2 w x v + w x (w x d) = w x (w x d - 2 v)
    c0, c1, c2 = cross(w0, w1, w2, c0 - 2.0 * v0, c1 - 2.0 * v1, c2 - 2.0 * v2)
    return u0 - e0 + c0, u1 - e1 + c1, u2 - e2 + c2


@jit
def _included(i, j, k, fr):
    """Included angle at j: (angle, gradient to p_i, gradient to p_k)."""
    a0, a1, a2 = _difference(fr.p, i, j)
    b0, b1, b2 = _difference(fr.p, k, j)
    m0, m1, m2 = cross(a0, a1, a2, b0, b1, b2)
    s = math.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    aa = a0 * a0 + a1 * a1 + a2 * a2
    bb = b0 * b0 + b1 * b1 + b2 * b2
    x = math.atan2(s, a0 * b0 + a1 * b1 + a2 * b2)
    if s * s <= EPS * aa * bb:
        return x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    c0, c1, c2 = cross(a0, a1, a2, m0, m1, m2)  # towards -b across a
    d0, d1, d2 = cross(m0, m1, m2, b0, b1, b2)
    aa = 1.0 / (aa * s)
    bb = 1.0 / (bb * s)
    return x, aa * c0, aa * c1, aa * c2, bb * d0, bb * d1, bb * d2


@jit(entry="int64, int64, int64, int64, int64, Frames, float64")
def measure_value(code, i, j, k, l, fr, ref):
    """Value of a measure."""
    if code < 20:
        u0, u1, u2 = _vector(code // 4, i, j, l, fr)
        c = code % 4
        if c == 0:
            return math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
        return fr.A[k, c - 1] * u0 + fr.A[k, 2 + c] * u1 + fr.A[k, 5 + c] * u2
    if code == 20:
        d0, d1, d2 = _difference(fr.p, i, j)
        r = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        v0, v1, v2 = _difference(fr.v, i, j)
        return (d0 * v0 + d1 * v1 + d2 * v2) / r if r > 0.0 else 0.0
    if code == 30:
        return _included(i, j, k, fr)[0]
    return angle(code, i, j, fr.A, ref)


@jit
def _pair(g, o, x0, x1, x2):
    """Add the vector x to the covector block o of slot i and -x to that of slot j."""
    g[o] += x0
    g[o + 1] += x1
    g[o + 2] += x2
    g[o + 18] -= x0
    g[o + 19] -= x1
    g[o + 20] -= x2


@jit
def _vector_gradient(family, i, j, l, fr, n0, n1, n2, g):
    """Add n . du to the covectors of i, j, l, for the vector u of `_vector`."""
    if family == 0:
        _pair(g, 0, n0, n1, n2)
        return
    if family == 2:
        _pair(g, 9, n0, n1, n2)
        return
    w0, w1, w2 = fr.w[l, 0], fr.w[l, 1], fr.w[l, 2]
    q0, q1, q2 = cross(w0, w1, w2, n0, n1, n2)  # w_l x n
    if family == 4:
        d0, d1, d2 = _difference(fr.w, i, j)
        _pair(g, 15, n0, n1, n2)
        _pair(g, 9, q0, q1, q2)
        g[63], g[64], g[65] = cross(n0, n1, n2, d0, d1, d2)
        return
    d0, d1, d2 = _difference(fr.p, i, j)
    c0, c1, c2 = cross(n0, n1, n2, d0, d1, d2)
    if family == 1:
        _pair(g, 6, n0, n1, n2)
        _pair(g, 0, q0, q1, q2)
        g[63] = c0
        g[64] = c1
        g[65] = c2
        return
    v0, v1, v2 = _difference(fr.v, i, j)
    _pair(g, 12, n0, n1, n2)
    _pair(g, 6, 2.0 * q0, 2.0 * q1, 2.0 * q2)
    b0, b1, b2 = cross(fr.al[l, 0], fr.al[l, 1], fr.al[l, 2], n0, n1, n2)
    e0, e1, e2 = cross(w0, w1, w2, q0, q1, q2)  # (n x w) x w
    _pair(g, 0, b0 + e0, b1 + e1, b2 + e2)
    g[69] = c0
    g[70] = c1
    g[71] = c2
    # dw . (2 n x v + (w x d) x n + d x (n x w))
    c0, c1, c2 = cross(w0, w1, w2, d0, d1, d2)
    c0, c1, c2 = cross(c0 - 2.0 * v0, c1 - 2.0 * v1, c2 - 2.0 * v2, n0, n1, n2)
    e0, e1, e2 = cross(q0, q1, q2, d0, d1, d2)
    g[63] = c0 + e0
    g[64] = c1 + e1
    g[65] = c2 + e2


@jit
def measure(code, i, j, k, l, fr, ref, g):
    """Value of a measure; fills its four covectors g[0:72] (module docstring)."""
    for s in range(72):
        g[s] = 0.0
    if code < 20:
        u0, u1, u2 = _vector(code // 4, i, j, l, fr)
        c = code % 4
        if c == 0:
            x = math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
            s = 1.0 / x if x > 0.0 else 0.0
            _vector_gradient(code // 4, i, j, l, fr, s * u0, s * u1, s * u2, g)
            return x
        n0 = fr.A[k, c - 1]
        n1 = fr.A[k, 2 + c]
        n2 = fr.A[k, 5 + c]
        _vector_gradient(code // 4, i, j, l, fr, n0, n1, n2, g)
        g[39], g[40], g[41] = cross(n0, n1, n2, u0, u1, u2)
        return n0 * u0 + n1 * u1 + n2 * u2
    if code == 20:
        d0, d1, d2 = _difference(fr.p, i, j)
        r = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if not r > 0.0:
            return 0.0
        v0, v1, v2 = _difference(fr.v, i, j)
        r = 1.0 / r
        d0 *= r
        d1 *= r
        d2 *= r
        x = d0 * v0 + d1 * v1 + d2 * v2
        _pair(g, 6, d0, d1, d2)
        _pair(g, 0, r * (v0 - x * d0), r * (v1 - x * d1), r * (v2 - x * d2))
        return x
    if code == 30:
        x, a0, a1, a2, b0, b1, b2 = _included(i, j, k, fr)
        _pair(g, 0, a0, a1, a2)
        g[18] -= b0
        g[19] -= b1
        g[20] -= b2
        g[36] = b0
        g[37] = b1
        g[38] = b2
        return x
    u0, u1, u2 = angle_gradient(code, i, j, fr.A)
    _pair(g, 3, u0, u1, u2)
    return angle(code, i, j, fr.A, ref)


@jit
def _dot_jet(fr, i, a, j, b):
    """Axis a of i . axis b of j, with first derivative and bias of the second (angular accelerations zero)."""
    e0, e1, e2 = fr.A[i, a], fr.A[i, 3 + a], fr.A[i, 6 + a]
    f0, f1, f2 = fr.A[j, b], fr.A[j, 3 + b], fr.A[j, 6 + b]
    v0, v1, v2 = fr.w[i, 0], fr.w[i, 1], fr.w[i, 2]
    w0, w1, w2 = fr.w[j, 0], fr.w[j, 1], fr.w[j, 2]
    p0, p1, p2 = cross(v0, v1, v2, e0, e1, e2)
    q0, q1, q2 = cross(w0, w1, w2, f0, f1, f2)
    a0, a1, a2 = cross(v0, v1, v2, p0, p1, p2)
    b0, b1, b2 = cross(w0, w1, w2, q0, q1, q2)
    return (
        e0 * f0 + e1 * f1 + e2 * f2,
        p0 * f0 + p1 * f1 + p2 * f2 + e0 * q0 + e1 * q1 + e2 * q2,
        a0 * f0 + a1 * f1 + a2 * f2 + e0 * b0 + e1 * b1 + e2 * b2 + 2.0 * (p0 * q0 + p1 * q1 + p2 * q2),
    )


@jit
def _atan2_jet(s, sd, sdd, c, cd, cdd):
    """First and second derivative of atan2(s, c); zero where both vanish."""
    q = s * s + c * c
    if not q > 0.0:
        return 0.0, 0.0
    x = (c * sd - s * cd) / q
    return x, (c * sdd - s * cdd - 2.0 * x * (s * sd + c * cd)) / q


@jit
def _norm_jet(x0, x1, x2, v0, v1, v2, a0, a1, a2):
    """|x| with its first and second derivative; derivatives zero at zero."""
    r = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    if not r > 0.0:
        return 0.0, 0.0, 0.0
    rd = (x0 * v0 + x1 * v1 + x2 * v2) / r
    return r, rd, (v0 * v0 + v1 * v1 + v2 * v2 + x0 * a0 + x1 * a1 + x2 * a2 - rd * rd) / r


@jit
def _component_jet(fr, k, c, u0, u1, u2, v0, v1, v2, a0, a1, a2):
    """Axis c of k . u with u' = v, u'' = a, and the axis turning with w_k (angular acceleration zero)."""
    w0, w1, w2 = fr.w[k, 0], fr.w[k, 1], fr.w[k, 2]
    e0, e1, e2 = fr.A[k, c], fr.A[k, 3 + c], fr.A[k, 6 + c]
    p0, p1, p2 = cross(w0, w1, w2, e0, e1, e2)
    q0, q1, q2 = cross(w0, w1, w2, p0, p1, p2)
    return (
        e0 * u0 + e1 * u1 + e2 * u2,
        e0 * v0 + e1 * v1 + e2 * v2 + p0 * u0 + p1 * u1 + p2 * u2,
        e0 * a0 + e1 * a1 + e2 * a2 + 2.0 * (p0 * v0 + p1 * v1 + p2 * v2) + q0 * u0 + q1 * u1 + q2 * u2,
    )


@jit
def _included_jet(i, j, k, fr):
    a0, a1, a2 = _difference(fr.p, i, j)
    b0, b1, b2 = _difference(fr.p, k, j)
    u0, u1, u2 = _difference(fr.v, i, j)
    v0, v1, v2 = _difference(fr.v, k, j)
    p0, p1, p2 = _difference(fr.ab, i, j)
    q0, q1, q2 = _difference(fr.ab, k, j)
    m0, m1, m2 = cross(a0, a1, a2, b0, b1, b2)
    d0, d1, d2 = cross(u0, u1, u2, b0, b1, b2)
    e0, e1, e2 = cross(a0, a1, a2, v0, v1, v2)
    f0, f1, f2 = cross(p0, p1, p2, b0, b1, b2)
    g0, g1, g2 = cross(u0, u1, u2, v0, v1, v2)
    h0, h1, h2 = cross(a0, a1, a2, q0, q1, q2)
    s, sd, sdd = _norm_jet(
        m0,
        m1,
        m2,
        d0 + e0,
        d1 + e1,
        d2 + e2,
        f0 + 2.0 * g0 + h0,
        f1 + 2.0 * g1 + h1,
        f2 + 2.0 * g2 + h2,
    )
    c = a0 * b0 + a1 * b1 + a2 * b2
    cd = u0 * b0 + u1 * b1 + u2 * b2 + a0 * v0 + a1 * v1 + a2 * v2
    cdd = p0 * b0 + p1 * b1 + p2 * b2 + a0 * q0 + a1 * q1 + a2 * q2 + 2.0 * (u0 * v0 + u1 * v1 + u2 * v2)
    xd, xdd = _atan2_jet(s, sd, sdd, c, cd, cdd)
    return math.atan2(s, c), xd, xdd


@jit
def angle_jet(code, i, j, fr, ref):
    """Value and derivatives of an angle (codes 21-29), as of `measure_jet`."""
    x = angle(code, i, j, fr.A, ref)
    if code == 25 or code == 28:
        s, sd, sdd = _dot_jet(fr, i, 2 if code == 25 else 0, j, 2)
        c = math.sin(x) if code == 25 else math.cos(x)
        if c * c < EPS:
            return x, 0.0, 0.0
        if code == 25:  # cos x = s
            xd = -sd / c
            return x, xd, -(sdd + s * xd * xd) / c
        xd = sd / c  # sin x = s
        return x, xd, (sdd + s * xd * xd) / c
    a, b, u, e, f, v = _arguments(code)
    s, sd, sdd = _dot_jet(fr, i, a, j, b)
    c, cd, cdd = _dot_jet(fr, i, e, j, f)
    if s * s + c * c < EPS:
        return x, 0.0, 0.0
    xd, xdd = _atan2_jet(u * s, u * sd, u * sdd, v * c, v * cd, v * cdd)
    return x, xd, xdd


@jit
def measure_jet(code, i, j, k, l, fr, ref):
    """Value, first derivative and *bias* of the next one: body accelerations zero, so a = fr.ab and al = 0.

    Displacement level: (x, x', bias of x'').  Velocity level: (x, bias of x', 0).  Acceleration level: (x, 0, 0).
    """
    if code < 12 or code == 20:
        v0, v1, v2 = _difference(fr.v, i, j)
        if code >= 8 and code < 12:
            u0, u1, u2 = _difference(fr.w, i, j)
            if code == 8:
                return math.sqrt(u0 * u0 + u1 * u1 + u2 * u2), 0.0, 0.0
            x, xd, xdd = _component_jet(fr, k, code - 9, u0, u1, u2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            return x, xd, 0.0
        d0, d1, d2 = _difference(fr.p, i, j)
        a0, a1, a2 = _difference(fr.ab, i, j)
        if code == 0 or code == 20:
            x, xd, xdd = _norm_jet(d0, d1, d2, v0, v1, v2, a0, a1, a2)
            if code == 0:
                return x, xd, xdd
            return xd, xdd, 0.0
        if code < 4:
            return _component_jet(fr, k, code - 1, d0, d1, d2, v0, v1, v2, a0, a1, a2)
        w0, w1, w2 = fr.w[l, 0], fr.w[l, 1], fr.w[l, 2]
        c0, c1, c2 = cross(w0, w1, w2, d0, d1, d2)
        e0, e1, e2 = cross(w0, w1, w2, v0, v1, v2)
        if code == 4:
            x, xd, xdd = _norm_jet(v0 - c0, v1 - c1, v2 - c2, a0 - e0, a1 - e1, a2 - e2, 0.0, 0.0, 0.0)
        else:
            x, xd, xdd = _component_jet(
                fr, k, code - 5, v0 - c0, v1 - c1, v2 - c2, a0 - e0, a1 - e1, a2 - e2, 0.0, 0.0, 0.0
            )
        return x, xd, 0.0
    if code < 20:
        return measure_value(code, i, j, k, l, fr, ref), 0.0, 0.0
    if code == 30:
        return _included_jet(i, j, k, fr)
    return angle_jet(code, i, j, fr, ref)


#: ORIENT systems 1-12 (body-fixed) and 13-24 (space-fixed): axes of the three rotations
SEQUENCES = "123 231 312 132 213 321 121 131 212 232 313 323".split()


def orient(system: int, component: int, i: int, j: int, fr, before=None) -> float:
    """ORIENT(system, component, i, j): orientation of frame i in frame j, for requests (value only, plain Python).

    Systems 1-12: body-fixed angles in the order of `SEQUENCES` (1-10 as in the manual), 13-24 the same space-fixed,
    27: Euler parameters e0..e3.  In Adams' results these keep their sign from one output to the next, e0 going below
    zero; give the four parameters of the output ``before`` to do the same, else e0 >= 0.
    """
    R = fr.A[j].reshape(3, 3).T @ fr.A[i].reshape(3, 3)
    if 1 <= system <= 24 and 1 <= component <= 3:
        axes = [int(c) - 1 for c in SEQUENCES[(system - 1) % 12]]
        if system > 12:  # space a-b-c is body c-b-a
            return float(_body_angles(R, axes[::-1])[3 - component])
        return float(_body_angles(R, axes)[component - 1])
    if system == 27 and 1 <= component <= 4:
        e = to_quaternion(R)
        return float(e[component - 1] if before is None or e @ before >= 0.0 else -e[component - 1])
    raise ValueError(f"ORIENT system {system}, component {component} is not known; systems are 1-24 and 27")


def _body_angles(R, axes):
    """Angles of the body-fixed rotation sequence ``axes`` (0, 1, 2) that makes R; the third is zero where they are not
    unique."""
    a, b, c = axes
    sign = 1.0 if (b - a) % 3 == 1 else -1.0
    if a == c:  # proper Euler angles: axis d completes (a, b, d)
        d = 3 - a - b
        second = math.atan2(math.hypot(R[a, b], R[a, d]), R[a, a])
        first, third = math.atan2(R[b, a], -sign * R[d, a]), math.atan2(R[a, b], sign * R[a, d])
        free = math.sin(second) < 1e-12
    else:
        second = math.atan2(sign * R[a, c], math.hypot(R[a, a], R[a, b]))
        first, third = math.atan2(-sign * R[b, c], R[c, c]), math.atan2(-sign * R[a, b], R[a, a])
        free = math.cos(second) < 1e-12
        d = c
    if free:
        first, third = math.atan2(sign * R[d, b], R[b, b]), 0.0
    return first, second, third

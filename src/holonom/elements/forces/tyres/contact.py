"""Where a wheel meets a flat road, how it slips there, and what the tyre's forces are to wheel and road (TYDEX W axes, ISO 8855).

The wheel's frame has its y axis along the spin axis e, to the left of forward travel; the road's frame has its z axis n up.  With s = e . n = sin(gamma)

    x = (e x n) / cos(gamma)    forward,        y = n x x    to the left,        gamma    inclination, positive where the top leans to the right (turn about x)
    R_l = h / cos(gamma)        loaded radius, h = (p - p_road) . n,             C = p - R_l (n - s e) / cos(gamma)        contact point
    rho = R0 - R_l              deflection (a thin disc), with its rate

    v_C = v + (w - omega e) x (C - p) - v_road(C)          velocity of the contact point of the wheel that does not spin,       omega = w . e
    V_x = v_C . x,   V_sy = v_C . y,   psi' = (w - w_road) . n

    kappa = -V_sx / |V_x|,   V_sx = V_x - omega R_e,        tan(alpha) = V_sy / |V_x|

Slips are those of a contact patch that lags behind: deflections u, v of the carcass are states with the relaxation lengths sigma,

    u' = -V_sx - V u / sigma_x,    v' = V_sy - V v / sigma_y,    kappa = u / sigma_x,    tan(alpha) = v / sigma_y

(Pacejka, Tire and Vehicle Dynamics (2012), 7.2.1, 8.6).  At standstill these are springs: a parked car stays where it is.  V is |V_x|, beside which sliding
counts only
where slips exceed all that tyres do (`MOST`), so that a tyre pushed sideways at rest slides and does not wind up.

All functions take numbers or dual numbers (`elements.duals`).
"""

from __future__ import annotations

from ...._jit import jit
from ...duals import SEED, asin, slope, sqrt
from ...vectors import cross

MOST = 5.0  # slip at which a tyre only slides
#: where the numbers of a frame begin, after its origin: `at`
AXES, VELOCITY, SPIN = 3, 12, 15
LEAST = 1e-5  # of the speed below which damping acts: where |V| is rounded off; a parked car creeps with this share of its slip


@jit
def dot(a0, a1, a2, b0, b1, b2):
    return a0 * b0 + a1 * b1 + a2 * b2


@jit
def meet(R0, p0, p1, p2, e0, e1, e2, v0, v1, v2, w0, w1, w2, q0, q1, q2, n0, n1, n2, r0, r1, r2, a0, a1, a2):
    """Wheel: centre p, axis e, v, w; road: origin q, normal n, v of it r, w of it a.  -> deflection and its rate, V_x, V_sy, omega, gamma, psi', C - p, C - q,
    x, y."""
    s = dot(e0, e1, e2, n0, n1, n2)
    k = 1.0 / sqrt(1.0 - s * s)
    x0, x1, x2 = cross(e0, e1, e2, n0, n1, n2)
    x0 = k * x0
    x1 = k * x1
    x2 = k * x2
    y0, y1, y2 = cross(n0, n1, n2, x0, x1, x2)
    d0 = p0 - q0
    d1 = p1 - q1
    d2 = p2 - q2
    h = dot(d0, d1, d2, n0, n1, n2)
    radius = h * k
    c0 = -radius * k * (n0 - s * e0)
    c1 = -radius * k * (n1 - s * e1)
    c2 = -radius * k * (n2 - s * e2)
    b0 = d0 + c0
    b1 = d1 + c1
    b2 = d2 + c2
    omega = dot(w0, w1, w2, e0, e1, e2)
    z0, z1, z2 = cross(w0 - omega * e0, w1 - omega * e1, w2 - omega * e2, c0, c1, c2)
    g0, g1, g2 = cross(a0, a1, a2, b0, b1, b2)
    u0 = v0 + z0 - r0 - g0
    u1 = v1 + z1 - r1 - g1
    u2 = v2 + z2 - r2 - g2
    # rates of h and s: the normal turns with the road, the axis with the wheel
    m0, m1, m2 = cross(a0, a1, a2, n0, n1, n2)
    f0, f1, f2 = cross(w0, w1, w2, e0, e1, e2)
    hd = dot(v0 - r0, v1 - r1, v2 - r2, n0, n1, n2) + dot(d0, d1, d2, m0, m1, m2)
    sd = dot(f0, f1, f2, n0, n1, n2) + dot(e0, e1, e2, m0, m1, m2)
    sink = -(k * hd + h * s * sd * k * k * k)
    return (
        R0 - radius, sink, dot(u0, u1, u2, x0, x1, x2), dot(u0, u1, u2, y0, y1, y2), omega, asin(s), dot(w0 - a0, w1 - a1, w2 - a2, n0, n1, n2),
        c0, c1, c2, b0, b1, b2, x0, x1, x2, y0, y1, y2,
    )  # fmt: skip


@jit
def spread(fx, fy, fz, mx, my, mz, c0, c1, c2, b0, b1, b2, x0, x1, x2, y0, y1, y2, n0, n1, n2):
    """Force (fx, fy, fz) at C and moment (mx, my, mz) along x, y, n -> wrenches on the wheel at its centre and on the road at its origin."""
    f0 = fx * x0 + fy * y0 + fz * n0
    f1 = fx * x1 + fy * y1 + fz * n1
    f2 = fx * x2 + fy * y2 + fz * n2
    m0 = mx * x0 + my * y0 + mz * n0
    m1 = mx * x1 + my * y1 + mz * n1
    m2 = mx * x2 + my * y2 + mz * n2
    t0, t1, t2 = cross(c0, c1, c2, f0, f1, f2)
    g0, g1, g2 = cross(b0, b1, b2, f0, f1, f2)
    return f0, f1, f2, m0 + t0, m1 + t1, m2 + t2, -f0, -f1, -f2, -m0 - g0, -m1 - g1, -m2 - g2


@jit
def lag(low, vx, vsx, vsy, u, v, sx, sy):
    """Rates of the deflections u, v.  V is a smooth maximum of |V_x| and sliding / `MOST`, by eighth powers: equal to |V_x| within roundoff where slips are
    small."""
    a = vx * vx
    b = (vsx * vsx + vsy * vsy) / (MOST * MOST) + (LEAST * low) ** 2
    a = a * a
    b = b * b
    speed = sqrt(sqrt(sqrt(a * a + b * b)))
    return -vsx - speed * u / sx, vsy - speed * v / sy


@jit
def fade(low, vx):
    """1 at standstill, 0 well above the speed ``low``."""
    q = vx / low
    return 1.0 / ((1.0 + q * q) * (1.0 + q * q))


@jit
def at(fr, f, column, k):
    """What number k of a frame (p, `AXES`, `VELOCITY`, `SPIN`) is, and its derivative by ``column`` of its perturbations (dp, dtheta: 0-5, dv, dw: 6-11)."""
    if k < AXES:
        return fr.p[f, k], 1.0 if column == k else 0.0
    if k < VELOCITY:
        d = 0.0
        if 3 <= column < 6:  # dtheta x axis
            i = (k - AXES) // 3
            c = (k - AXES) % 3
            a = column - 3
            if i == (a + 1) % 3:
                d = -fr.A[f, 3 * ((a + 2) % 3) + c]
            elif i == (a + 2) % 3:
                d = fr.A[f, 3 * ((a + 1) % 3) + c]
        return fr.A[f, k - AXES], d
    if k < SPIN:
        return fr.v[f, k - VELOCITY], 1.0 if column == k - 6 else 0.0
    return fr.w[f, k - SPIN], 1.0 if column == k - 6 else 0.0


@jit
def seen(fr, f, axis, column):
    """Origin, an axis, velocity and angular velocity of a frame, dual in one column of its perturbations (-1: none)."""
    a0, d0 = at(fr, f, column, 0)
    a1, d1 = at(fr, f, column, 1)
    a2, d2 = at(fr, f, column, 2)
    e0, g0 = at(fr, f, column, AXES + axis)
    e1, g1 = at(fr, f, column, AXES + 3 + axis)
    e2, g2 = at(fr, f, column, AXES + 6 + axis)
    v0, r0 = at(fr, f, column, VELOCITY)
    v1, r1 = at(fr, f, column, VELOCITY + 1)
    v2, r2 = at(fr, f, column, VELOCITY + 2)
    w0, s0 = at(fr, f, column, SPIN)
    w1, s1 = at(fr, f, column, SPIN + 1)
    w2, s2 = at(fr, f, column, SPIN + 2)
    return (
        complex(a0, SEED * d0), complex(a1, SEED * d1), complex(a2, SEED * d2), complex(e0, SEED * g0), complex(e1, SEED * g1), complex(e2, SEED * g2),
        complex(v0, SEED * r0), complex(v1, SEED * r1), complex(v2, SEED * r2), complex(w0, SEED * s0), complex(w1, SEED * s1), complex(w2, SEED * s2),
    )  # fmt: skip


@jit
def plain(fr, f, axis):
    """The same as numbers."""
    return (
        fr.p[f, 0], fr.p[f, 1], fr.p[f, 2], fr.A[f, axis], fr.A[f, 3 + axis], fr.A[f, 6 + axis],
        fr.v[f, 0], fr.v[f, 1], fr.v[f, 2], fr.w[f, 0], fr.w[f, 1], fr.w[f, 2],
    )  # fmt: skip


@jit
def side(column, road):
    """Of a column of a tangent of wheel and road, the one of the perturbations of the wheel, or of the road; -1 where it moves the other, or a state."""
    if column >= 24:
        return -1
    c = column % 12
    if road:
        return -1 if c < 6 else c - 6 + (6 if column >= 12 else 0)
    return -1 if c >= 6 else c + (6 if column >= 12 else 0)


@jit
def put(o, W):
    """Wrenches of both frames into W."""
    W[0] = o[0]
    W[1] = o[1]
    W[2] = o[2]
    W[3] = o[3]
    W[4] = o[4]
    W[5] = o[5]
    W[6] = o[6]
    W[7] = o[7]
    W[8] = o[8]
    W[9] = o[9]
    W[10] = o[10]
    W[11] = o[11]


@jit
def put_slopes(o, column, D):
    """Derivatives of wrenches and rates of the two states into a column of D."""
    D[0, column] = slope(o[0])
    D[1, column] = slope(o[1])
    D[2, column] = slope(o[2])
    D[3, column] = slope(o[3])
    D[4, column] = slope(o[4])
    D[5, column] = slope(o[5])
    D[6, column] = slope(o[6])
    D[7, column] = slope(o[7])
    D[8, column] = slope(o[8])
    D[9, column] = slope(o[9])
    D[10, column] = slope(o[10])
    D[11, column] = slope(o[11])
    D[12, column] = slope(o[12])
    D[13, column] = slope(o[13])


@jit
def power(f, fr, W):
    """Power of wrenches W on wheel and road."""
    out = 0.0
    for k in range(2):
        for i in range(3):
            out += W[6 * k + i] * fr.v[f[k], i] + W[6 * k + 3 + i] * fr.w[f[k], i]
    return out

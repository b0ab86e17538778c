"""Where a wheel meets a road, how it slips there, and what the tyre's forces are to wheel and road (TYDEX W axes, ISO
8855).

All values are in the axes of the road's marker.  The wheel has its centre at d, its spin axis e (y axis, to the left
of forward travel), a velocity v and an angular velocity w, both as the road sees them, and a spin omega about e.  The
road is a plane near the wheel, through the position q below it with the normal n
(`roads.surface` has how it comes about).  With s = e . n = sin(gamma)

    x = (e x n) / cos(gamma)    forward,        y = n x x    to the left,        gamma    inclination, positive where
        the top leans to the right (turn about x)
    R_l = h / cos(gamma)        loaded radius, h = (d - q) . n,                  c = -R_l (n - s e) / cos(gamma)
        from the centre to the contact point C
    rho = R0 - R_l              deflection (a thin disc), with its rate

    v_C = v + (w - omega e) x c - belt        velocity of the contact point of the wheel that does not spin, next to the
        surface of the road
    V_x = v_C . x,   V_sy = v_C . y,   psi' = w . n

    kappa = -V_sx / |V_x|,   V_sx = V_x - omega R_e,        tan(alpha) = V_sy / |V_x|

The rate of rho is that of the plane as it passes below the wheel: its turning is left out, for it is none on a flat
road, and a jump on a plank.

Slips are those of a contact patch that lags behind: deflections u, v of the carcass are states with the relaxation
lengths sigma,

    u' = -V_sx - V u / sigma_x,    v' = V_sy - V v / sigma_y,    kappa = u / sigma_x,    tan(alpha) = v / sigma_y

(Pacejka, Tire and Vehicle Dynamics (2012), 7.2.1, 8.6).  At standstill these are springs: a parked car stays where it
is.  At speed V is |V_x|; a wheel that only slides (spinning or pushed sideways at rest) reaches a slip of `MOST`.

Near standstill the deflections are bounded, as Pacejka demands in 8.6, so that a wheel that slides to rest does not
throw the car back.  With the slip ``edge`` from which the whole patch slides (3 mu Fz / K, K the slip stiffness), a
viscous slip w that saturates, and the share ``still`` (`fade`) of the law of standstill:

    q     |calm V_s| (1 + |V_s| / V_q)                    sliding velocity over the one whose viscous slip is that of
        full sliding
    w     calm V_s (1 + |V_s| / V_q) / sqrt(1 + q^2)      added to the slips: damps a parked car, and carries the
        friction of a patch that slides
    h     LOOSE + (1 - LOOSE) / (1 + q^4)                 the part of ``edge`` that deflections reach: all of it at
        rest, next to none while the patch slides
    V     smooth maximum of |V_x| and still |V_s| / (edge h) + (1 - still) |V_s| / MOST

A patch that sticks can hold the full friction force; a patch that slides stores next to no energy, which it could give
back after the stop.

All functions take numbers or dual numbers (`elements.duals`).
"""

from __future__ import annotations

from ...._jit import jit
from ...duals import asin, clip, real, sqrt
from ...roads.surface import under
from ...vectors import cross

MOST = 5.0  # slip at which a tyre only slides
# of the speed below which damping acts: where |V| is rounded off; a parked car creeps with this share of its slip
LEAST = 1e-5
LOOSE = 0.02  # of the deflection of full sliding: what a sliding patch keeps near standstill
# of the speed below which damping acts: V_q, where viscous slip begins to grow with the square of the sliding velocity
QUICK = 0.005
SHORT = 0.02  # of the radius: the smallest relaxation length
REST = 0.05  # of the speed below which damping acts: where rolling resistance changes its sign
STIFF = 15.0  # slip stiffness compared with the load, of any tyre: turns damping into a slip
DAMPING = 0.3  # ratio to critical of sliding at standstill, for the mass that the load weighs


@jit
def dot(a0, a1, a2, b0, b1, b2):
    return a0 * b0 + a1 * b1 + a2 * b2


@jit(apart=True)
def place(c, r, R0, d0, d1, d2, e0, e1, e2):
    """Geometry of the contact -> rho, gamma, mu, 1 / cos(gamma), h, slopes of the path of q in addition to those of the
    plane, n, x, y, c (road axes)."""
    w, wx, wy, sx, sy, mu = under(c, r, R0, d0, d1, d2, e0, e1, e2)
    q = 1.0 / sqrt(1.0 + sx * sx + sy * sy)
    n0 = -sx * q
    n1 = -sy * q
    n2 = q
    s = dot(e0, e1, e2, n0, n1, n2)
    k = 1.0 / sqrt(1.0 - s * s)
    x0, x1, x2 = cross(e0, e1, e2, n0, n1, n2)
    x0 = k * x0
    x1 = k * x1
    x2 = k * x2
    y0, y1, y2 = cross(n0, n1, n2, x0, x1, x2)
    # (d - q) . n, where q lies straight below the point of the wheel at (X, Y): `under` gives w for the plane continued
    # to below d
    h = (d2 - w) * n2
    radius = h * k
    c0 = -radius * k * (n0 - s * e0)
    c1 = -radius * k * (n1 - s * e1)
    c2 = -radius * k * (n2 - s * e2)
    return R0 - radius, asin(s), mu, k, h, (wx - sx) * q, (wy - sy) * q, n0, n1, n2, x0, x1, x2, y0, y1, y2, c0, c1, c2


@jit
def motion(g, belt, e0, e1, e2, v0, v1, v2, w0, w1, w2, omega):
    """Rate of rho, V_x, V_sy, psi' at the geometry g = `place`: linear in the velocities and the belt's."""
    rho, gamma, mu, k, h, ex, ey, n0, n1, n2, x0, x1, x2, y0, y1, y2, c0, c1, c2 = g
    s = dot(e0, e1, e2, n0, n1, n2)
    z0, z1, z2 = cross(w0 - omega * e0, w1 - omega * e1, w2 - omega * e2, c0, c1, c2)
    u0 = v0 + z0
    u1 = v1 + z1
    u2 = v2 + z2
    f0, f1, f2 = cross(w0, w1, w2, e0, e1, e2)
    hd = dot(v0, v1, v2, n0, n1, n2) - ex * v0 - ey * v1
    sd = dot(f0, f1, f2, n0, n1, n2)
    # the belt runs along the x axis of the road, bent into its plane: t = (n2, 0, -n0) / |t|
    t = belt / sqrt(n0 * n0 + n2 * n2)
    return (
        -(k * hd + h * s * sd * k * k * k),
        dot(u0, u1, u2, x0, x1, x2) - t * (n2 * x0 - n0 * x2),
        dot(u0, u1, u2, y0, y1, y2) - t * (n2 * y0 - n0 * y2),
        dot(w0, w1, w2, n0, n1, n2),
    )


@jit
def spread(g, fx, fy, fz, mx, my, mz):
    """Force (fx, fy, fz) at C and moment (mx, my, mz) along x, y, n -> force and moment on the wheel at its centre,
    road axes."""
    rho, gamma, mu, k, h, ex, ey, n0, n1, n2, x0, x1, x2, y0, y1, y2, c0, c1, c2 = g
    f0 = fx * x0 + fy * y0 + fz * n0
    f1 = fx * x1 + fy * y1 + fz * n1
    f2 = fx * x2 + fy * y2 + fz * n2
    t0, t1, t2 = cross(c0, c1, c2, f0, f1, f2)
    return (
        f0,
        f1,
        f2,
        mx * x0 + my * y0 + mz * n0 + t0,
        mx * x1 + my * y1 + mz * n1 + t1,
        mx * x2 + my * y2 + mz * n2 + t2,
    )


@jit
def pace(low, vx, vsx, vsy):
    """V of a wheel that is not near standstill: |V_x| within roundoff where slips are small."""
    return larger(vx * vx, (vsx * vsx + vsy * vsy) / (MOST * MOST) + (LEAST * low) ** 2)


@jit
def larger(a, b):
    """A smooth maximum of the roots of a and b, by their eighth powers."""
    a = a * a
    b = b * b
    return sqrt(sqrt(sqrt(a * a + b * b)))


@jit
def fade(low, vx, vsx, vsy):
    """1 at standstill without sliding, 0 well above the speed ``low``."""
    q = (vx * vx + vsx * vsx + vsy * vsy) / (low * low)
    return 1.0 / ((1.0 + q * q) * (1.0 + q * q))


@jit
def edge(slip):
    """A slip of full sliding within the bounds that the law of standstill allows."""
    return clip(slip, SHORT, MOST)


@jit
def sticking(low, vsx, vsy, qx, qy):
    """(1 + |V_s| / V_q) / sqrt(1 + q^2) and h of the law of standstill; ``qx``, ``qy``: viscous slips in addition to
    those of full sliding."""
    more = 1.0 + sqrt(vsx * vsx + vsy * vsy) / (QUICK * low)
    q = (qx * qx + qy * qy) * more * more
    return more / sqrt(1.0 + q), LOOSE + (1.0 - LOOSE) / (1.0 + q * q)


@jit
def patch_slips(low, vx, vsx, vsy, u, v, sx, sy, edge_x, edge_y, calm_x, calm_y):
    """kappa and tan(alpha) of the patch, rates of the deflections u, v; ``calm_x``, ``calm_y``: viscous slip per
    velocity, zero: without the law of standstill."""
    if calm_x == 0.0 and calm_y == 0.0:
        speed = pace(low, vx, vsx, vsy)
        return u / sx, v / sy, -vsx - speed * u / sx, vsy - speed * v / sy
    still = fade(low, vx, vsx, vsy)
    grow, h = sticking(low, vsx, vsy, calm_x * vsx / edge_x, calm_y * vsy / edge_y)
    ex = vsx / edge_x
    ey = vsy / edge_y
    a = (1.0 - still) / MOST
    b = still / h
    speed = larger(vx * vx, a * a * (vsx * vsx + vsy * vsy) + b * b * (ex * ex + ey * ey) + (LEAST * low) ** 2)
    w = still * grow
    return u / sx - calm_x * w * vsx, v / sy + calm_y * w * vsy, -vsx - speed * u / sx, vsy - speed * v / sy


@jit
def heading(low, vx):
    """The sign of the forward speed, without a jump: +-1 within roundoff at driving speeds, zero at rest."""
    return vx / larger(vx * vx, vx * 0.0 + (REST * low) ** 2)


@jit
def way(low, roll):
    """The sign of a rolling speed, without a jump."""
    return roll / sqrt(roll * roll + (REST * low) ** 2)


@jit
def at_least(x, least):
    """x, or a number where it is less."""
    return x if real(x) > least else x * 0.0 + least

"""TYRE_TMEASY: TMeasy, curves of five numbers along and across at the nominal load and at twice that.

    s_x = -V_sx / V_t,   s_y = -V_sy / V_t,   V_t = sqrt((R_e omega)^2 + small^2)
    curve     F(s) with the slope dF0 at no slip, its greatest value F_m at s_m, sliding with F_s from s_s on: s < s_m:
        s_m dF0 q / (1 + q (q + dF0 s_m / F_m - 2)),
              q = s / s_m; then two parabolas that meet with one slope, or, where these do not fit, F_m - (F_m - F_s)
                  q^2 (3 - 2 q)
    loads     forces and dF0 are parabolas through the origin and the values at both loads, slips straight lines
    combined  s = |(s_x / s_x^, s_y / s_y^, s_b)|, numbers of the curve by direction (cos, sin) = (s_x / s_x^, s_y /
        s_y^) / s,
              s_x^ = s_xm / (s_xm + s_ym) + (F_xm / dF_x0) / (F_xm / dF_x0 + F_ym / dF_y0), s_y^ alike;   F_x = F s_x /
                  (s_x^ s), F_y alike
    bore      s_b = -r_b w_n / V_t of all that turns about the normal, r_b = (l + b) / 6; torque r_b F s_b / s, which
        lags
    camber    s_c = -l |omega| sin(gamma) / (2 V_t) adds F / s s_c / 3 to F_y;  M_x = -b^2 c_z gamma / 12
    trail     M_z = -l n(s_y) F_y sgn(V_x),  n of n_0, s_0, s_E;   l = 2 sqrt(r_0 rho) length, b width of the contact
    radii     R_e = lambda r_0 + (1 - lambda) r_s,  lambda a straight line in Fz
    load      Fz = a_1 rho + a_2 rho^2 + d_z rho',  a_1 = sqrt(2 c_1^2 - c_2^2), a_2 = (c_2^2 - c_1^2) / (4 Fz_N):
        slopes c_1, c_2 at both loads

Forces come of deflections x, y of the tyre, which are states: F = c x + d x', with x' (V_t s^ d + F / s) = -V_t s^ c x
- V_s F / s, so that relaxation lengths follow from the stiffnesses (dynamics of first order).  They hold at standstill,
where dampers are added (those of files leave a parked car rocking for minutes) and a patch that slides keeps next to no
deflection, which would throw the car back (`contact`: c is divided by h there). Friction of the road next to
``friction`` scales F_m, F_s and the slips s_m, s_s.

G. Rill, Road Vehicle Dynamics (2012, 2020), chapter 3; G. Rill, "TMeasy - A Handling Tire Model based on a
three-dimensional slip approach" (2013); the form with two parabolas, and s_0, s_E of the trail, as in the open
implementation of Chrono (ChTMeasyTire), whose camber force is left out of the dynamics and is in it here.
Energy: that of the vertical spring; all else counts as lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...._jit import jit
from ....model.base import did_you_mean
from ....model.builder.teaching import sound
from ....model.values import named, number, number_fields
from ...duals import clip, real, sin, size, sqrt
from .contact import LEAST, QUICK, fade, heading, sticking, way
from .tyre import Tyre, calm, metre_per_second, on, tyre_kind

#: names of the numbers at a load: those of the curves along and across, of the trail
CURVES = (
    "dfx0",
    "fxm",
    "sxm",
    "fxs",
    "sxs",
    "dfy0",
    "fym",
    "sym",
    "fys",
    "sys",
    "nto0",
    "synto0",
    "syntoE",
    "rolling",
    "dynamic_radius",
)
FORCES = ("dfx0", "fxm", "fxs", "dfy0", "fym", "fys")
SIZES = ("radius", "width", "load", "stiffness", "stiffness_2", "damping", "cx", "cy", "dx", "dy", "friction", "slow")
R0, WIDTH, LOAD, CZ1, CZ2, KZ, CX, CY, DX, DY, FRICTION, SLOW = range(len(SIZES))
ONE = len(SIZES)
TWO = ONE + len(CURVES)
MIRROR, MU, SLOWEST_AT, CALM_X, CALM_Y = range(TWO + len(CURVES), TWO + len(CURVES) + 5)
DFX, FXM, SXM, FXS, SXS, DFY, FYM, SYM, FYS, SYS, NTO, SYN0, SYNE, ROLL, DYN = range(len(CURVES))
MOST_LOAD = 3.5  # of the nominal: where numbers of the curves end
MOST_GAMMA = 0.26  # rad
STRETCH = 0.66 * 6.283185307179586  # of the rolling radius: length over which the bore torque lags
SLOWEST = 0.25  # s: and the longest time, seconds
TURNING = 0.05  # of the slow speed: the smallest next to which turning is a slip


@dataclass
class TmeasyTyre(Tyre):
    """TYRE_TMEASY: TMeasy between the wheel of marker ``i`` and a road.

    ``radius``, ``width``; ``load``: the nominal one; ``stiffness``, ``stiffness_2``: vertical slopes at it and at twice
    that; ``damping``; ``cx``, ``cy``, ``dx``,
    ``dy``: of the tyre along and across; ``friction``: of the measurement; ``slow``: a speed; ``first``, ``second``:
    numbers of the curves (`CURVES`) at both loads.
    """

    KIND: ClassVar[str] = "TYRE_TMEASY"
    radius: float = 0.0
    width: float = 0.0
    load: float = 0.0
    stiffness: float = 0.0
    stiffness_2: float = 0.0
    damping: float = 0.0
    cx: float = 0.0
    cy: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    friction: float = 1.0
    slow: float = 0.0
    first: dict[str, float] = field(default_factory=dict)
    second: dict[str, float] = field(default_factory=dict)
    mu: float = 1.0
    mirror: bool = False

    def faults(self, model):
        """Invalid values: sizes that are not positive, curves that do not rise and fall in their order."""
        yield from Tyre.faults(self, model)
        for name in ("radius", "width", "load", "stiffness", "stiffness_2", "cx", "cy", "dx", "dy", "friction", "slow"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        if self.damping < 0.0 or self.mu < 0.0:
            yield f"damping is {self.damping:g} and mu {self.mu:g}; give zero or positive numbers"
        if 2.0 * self.stiffness**2 <= self.stiffness_2**2:
            yield (
                f"stiffness_2 is {self.stiffness_2:g}, {self.stiffness_2 / self.stiffness:.3g} times stiffness; give "
                "less than 1.41 times"
            )
        for what, have in (("first", self.first), ("second", self.second)):
            for name in have:
                if name not in CURVES:
                    others = f"; it has {', '.join(CURVES)}"
                    yield f"{what} has '{name}', which is not a number of a curve{did_you_mean(name, CURVES, others)}"
            for name in CURVES[:13]:
                if not have.get(name, 0.0) > 0.0:
                    yield f"{name} of {what} is {have.get(name, 0.0):g}; give a positive number"
            for axis in "xy":
                if have.get(f"s{axis}m", 0.0) >= have.get(f"s{axis}s", 1e300):
                    yield f"s{axis}m of {what} is {have[f's{axis}m']:g}, not below s{axis}s, {have[f's{axis}s']:g}"


def tyre_tmeasy(
    model,
    i,
    j,
    *,
    radius: float,
    width: float,
    load: float,
    stiffness: float,
    cx: float,
    cy: float,
    dx: float,
    dy: float,
    first: dict,
    second: dict,
    stiffness_2: float | None = None,
    damping: float = 0.0,
    friction: float = 1.0,
    slow: float | None = None,
    mu: float = 1.0,
    mirror: bool = False,
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
) -> TmeasyTyre:
    """TMeasy on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of forward
    travel) on ``j``, a road or a marker of a flat one (z axis up); `holonom.elements.forces.tyres.tmeasy` has the
    equations.

    ``first``, ``second``: numbers at ``load`` and at twice that: ``dfx0``, ``fxm``, ``sxm``, ``fxs``, ``sxs`` and those
    of y (forces, slips), ``nto0``, ``synto0``, ``syntoE`` (trail), ``rolling`` (resistance), ``dynamic_radius``
    (lambda); ``stiffness_2``: by default ``stiffness``; ``mirror`` changes nothing of TMeasy, which is symmetrical.
    Raises `ModelError` for sizes that are not positive and for invalid curves.
    """
    sizes = dict(
        radius=radius,
        width=width,
        load=load,
        stiffness=stiffness,
        stiffness_2=stiffness if stiffness_2 is None else stiffness_2,
        damping=damping,
        cx=cx,
        cy=cy,
        dx=dx,
        dy=dy,
        friction=friction,
        slow=metre_per_second(model) if slow is None else slow,
        mu=mu,
    )
    curves: dict[str, Any] = {
        what: {k: number(v, f"{k} of {what}") for k, v in named(rows, what).items()}
        for what, rows in (("first", first), ("second", second))
    }
    e = TmeasyTyre(
        id=id,
        name=name,
        **on(model, i, j, contact, footprint),
        **number_fields(**sizes),
        **curves,
        mirror=bool(mirror),
    )
    return model.add(sound(e, model))


def parameters(e, model):
    defaults = {"rolling": 0.0, "dynamic_radius": 0.5}
    row = lambda have: [have.get(name, defaults.get(name, 0.0)) for name in CURVES]
    second = model.units.si_time  # a time of the model in seconds
    damp = [max(calm(model, c, e.load) - d, 0.0) for c, d in ((e.cx, e.dx), (e.cy, e.dy))]
    return [
        *(getattr(e, name) for name in SIZES),
        *row(e.first),
        *row(e.second),
        -1.0 if e.mirror else 1.0,
        e.mu,
        SLOWEST / second,
        *damp,
    ]


@jit
def parabola(c, k, n):
    """A number of the curves at n nominal loads: through the origin and both values."""
    a, b = c[ONE + k], c[TWO + k]
    return n * (2.0 * a - 0.5 * b - (a - 0.5 * b) * n)


@jit
def straight(c, k, n):
    return c[ONE + k] + (c[TWO + k] - c[ONE + k]) * (n - 1.0)


@jit
def curve(s, df0, sm, fm, ss, fs):
    """F and F / s of a curve."""
    slope = df0 if real(df0) > real(2.0 * fm / sm) else 2.0 * fm / sm
    if real(s) >= real(ss):
        return fs, fs / s
    if real(s) < real(sm):
        q = s / sm
        share = slope / (1.0 + q * (q + slope * sm / fm - 2.0))
        return share * s, share
    a = (fm / sm) * (fm / sm) / (slope * sm)
    joint = sm + (fm - fs) / (a * (ss - sm))
    if real(joint) <= real(ss):
        if real(s) <= real(joint):
            f = fm - a * (s - sm) * (s - sm)
        else:
            f = fs + a * (joint - sm) / (ss - joint) * (ss - s) * (ss - s)
    else:
        q = (s - sm) / (ss - sm)
        f = fm - (fm - fs) * q * q * (3.0 - 2.0 * q)
    return f, f / s


@jit
def trail(sy, n0, s0, sE):
    """Pneumatic trail next to the length of the contact."""
    s = size(sy)
    last = sE if real(sE) > real(s0) else s0
    if real(s) >= real(last):
        return s * 0.0 + n0 * 0.0
    w = s0 / last
    if real(s) <= real(s0):
        q = s / s0
        return n0 * ((1.0 - w) * (1.0 - q) + w * (1.0 - (3.0 - 2.0 * q) * q * q))
    q = (last - s) / (last - s0)
    return -n0 * (1.0 - w) * (s - s0) / s0 * q * q


@jit
def slip_forces(c, fz, rho, sx, sy, sb, mu):
    """F / s of all, the normalising factors s_x^ and s_y^, F, length of the contact; at a load fz > 0."""
    n = fz / c[LOAD]
    if real(n) > MOST_LOAD:
        n = n * 0.0 + MOST_LOAD
    scale = mu * c[MU] / c[FRICTION]
    dfx, dfy = parabola(c, DFX, n), parabola(c, DFY, n)
    fxm, fym = scale * parabola(c, FXM, n), scale * parabola(c, FYM, n)
    fxs, fys = scale * parabola(c, FXS, n), scale * parabola(c, FYS, n)
    sxm, sym = scale * straight(c, SXM, n), scale * straight(c, SYM, n)
    sxs, sys = scale * straight(c, SXS, n), scale * straight(c, SYS, n)
    stiff_x, stiff_y = fxm / dfx, fym / dfy
    hx = sxm / (sxm + sym) + stiff_x / (stiff_x + stiff_y)
    hy = sym / (sxm + sym) + stiff_y / (stiff_x + stiff_y)
    x, y = sx / hx, sy / hy
    plane = x * x + y * y
    all_ = sqrt(plane + sb * sb)
    # squares of cosine and sine of the direction; of no slip half each
    cc = plane * 0.0 + 0.5
    if real(plane) > 0.0:
        cc = x * x / plane
    ss_ = 1.0 - cc
    df0 = sqrt(dfx * dfx * hx * hx * cc + dfy * dfy * hy * hy * ss_)
    fm = sqrt(fxm * fxm * cc + fym * fym * ss_)
    fs = sqrt(fxs * fxs * cc + fys * fys * ss_)
    sm = sqrt(sxm * sxm * cc / (hx * hx) + sym * sym * ss_ / (hy * hy))
    ss = sqrt(sxs * sxs * cc / (hx * hx) + sys * sys * ss_ / (hy * hy))
    f, share = curve(all_, df0, sm, fm, ss, fs)
    return share, hx, hy, f


@jit
def spring(c, rho):
    """Elastic force and its energy."""
    a1 = (2.0 * c[CZ1] * c[CZ1] - c[CZ2] * c[CZ2]) ** 0.5
    a2 = (c[CZ2] * c[CZ2] - c[CZ1] * c[CZ1]) / (4.0 * c[LOAD])
    return rho * (a1 + a2 * rho), rho * rho * (0.5 * a1 + a2 * rho / 3.0), a1 + 2.0 * a2 * rho


@jit
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, road = s
    zero = (
        rho * 0.0
        + rate * 0.0
        + vx * 0.0
        + vsy * 0.0
        + omega * 0.0
        + gamma * 0.0
        + psi * 0.0
        + road * 0.0
        + x[0] * 0.0
        + x[1] * 0.0
        + x[2] * 0.0
    )
    push, stored, cz = zero, zero, zero
    fz = zero
    if real(rho) > 0.0:
        push, stored, cz = spring(c, rho)
        fz = push + c[KZ] * rate
        if real(fz) <= 0.0:
            fz = zero
    low = LEAST * c[SLOW]
    n = fz / c[LOAD]
    lift = straight(c, DYN, n if real(n) < MOST_LOAD else n * 0.0 + MOST_LOAD)
    if real(lift) > 1.0:
        lift = lift * 0.0 + 1.0
    radius = lift * c[R0] + (1.0 - lift) * (c[R0] - rho)
    roll = radius * omega
    vt = sqrt(roll * roll + low * low)
    vsx = vx - roll
    if real(fz) <= 0.0 or real(road * c[MU]) <= 0.0:
        # nothing holds it: deflections vanish with their own dampers
        return (
            zero,
            zero,
            fz,
            zero,
            zero,
            zero,
            stored,
            push,
            -c[CX] / c[DX] * x[0],
            -c[CY] / c[DY] * x[1],
            -x[2] / c[SLOWEST_AT],
            zero,
        )
    g = clip(gamma, -MOST_GAMMA, MOST_GAMMA)
    length = 2.0 * sqrt(c[R0] * rho)
    bore = (length + c[WIDTH]) / 6.0
    vb = vt + TURNING * c[SLOW]
    sb = -bore * psi / vb
    sx, sy = -vsx / vt, -vsy / vt
    share, hx, hy, f = slip_forces(c, fz, rho, sx, sy, sb, road)
    # camber: a sliding velocity across of its own
    lean = 0.5 * length * size(omega) * sin(g) / 3.0
    tx, ty = vt * hx, vt * hy
    load = clip(n, 0.0, MOST_LOAD)
    scale = road * c[MU] / c[FRICTION]
    cx, cy, dx, dy = c[CX] + zero, c[CY] + zero, c[DX] + zero, c[DY] + zero
    most = scale * parabola(c, FXM, load)
    if (c[CALM_X] != 0.0 or c[CALM_Y] != 0.0) and real(most) > 0.0:
        still = fade(c[SLOW], vx, vsx, vsy)
        grow, h = sticking(c[SLOW], vsx, vsy, c[CALM_X] * vsx / most, c[CALM_Y] * vsy / most)
        stiffer = 1.0 + still * (1.0 / h - 1.0)
        cx, cy = stiffer * cx, stiffer * cy
        more = still * (1.0 + sqrt(vsx * vsx + vsy * vsy) / (QUICK * c[SLOW]))
        dx, dy = dx + more * c[CALM_X], dy + more * c[CALM_Y]
    du = (-tx * cx * x[0] - share * vsx) / (tx * dx + share)
    dv = (-ty * cy * x[1] - share * (vsy + hy * lean)) / (ty * dy + share)
    fx = cx * x[0] + dx * du
    fy = cy * x[1] + dy * dv
    dw = (bore * share * sb - x[2]) * (1.0 / c[SLOWEST_AT] + vt / (STRETCH * c[R0]))
    arm = trail(sy, straight(c, NTO, load), scale * straight(c, SYN0, load), scale * straight(c, SYNE, load))
    mx = -c[WIDTH] * c[WIDTH] * cz / 12.0 * g
    my = -straight(c, ROLL, load) * fz * (c[R0] - rho) * way(c[SLOW], roll)
    return fx, fy, fz, mx, my, x[2] - heading(c[SLOW], vx) * length * arm * fy, stored, push, du, dv, dw, zero


WORDS = ("longitudinal deflection of the tyre", "lateral deflection of the tyre", "bore torque")

KIND = tyre_kind(TmeasyTyre, tyre_tmeasy, law, parameters, lambda e: e.radius, words=WORDS, turns=True)

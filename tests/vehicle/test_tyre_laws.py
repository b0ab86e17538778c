"""Whole tyre laws at random states: forces, moments, load, energy and the rates of the deflections, compared with
formulas that are written here from the published text of each model.

States are drawn for wheels that roll forward and backward, brake and drive, are locked, spin, slide sideways, are at
rest and in the air; with camber, turning and friction of the road.  Laws run as plain Python: nothing is compiled.
"""

import math
from types import FunctionType

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import holonom as hn
from _tyre_formulas import book, printed
from _tyres import LOADS, MF6, PAC89, RIM, SCALES, TYRE, TYRES
from holonom._jit import interpreted
from holonom.elements.forces.tyres import brush, contact, fiala, magic, mf6, pac89, pac2002, tmeasy, ua

#: no two coefficients alike, so that none can stand for another
PAC89 = {k: v * (1.0 + 1e-3 * n) for n, (k, v) in enumerate(PAC89.items())}
#: element -> module of its law
LAWS = {
    "TYRE_BRUSH": brush,
    "TYRE_FIALA": fiala,
    "TYRE_MF6": mf6,
    "TYRE_PAC2002": pac2002,
    "TYRE_PAC89": pac89,
    "TYRE_TMEASY": tmeasy,
    "TYRE_UA": ua,
}
SLOW, GRAVITY = 1.3, 9.80665  # of `slow` and VXLOW; Earth's where a model has none
NAMES = ("F_x", "F_y", "F_z", "M_x", "M_y", "M_z", "energy", "push", "u'", "v'", "w'", "x'")


def states(count, seed, radius=0.3, relax=(0.3, 0.3), sink=0.05):
    """Inputs (rho, rho', V_x, V_sy, omega, gamma, psi', mu) and deflections (u, v, w, 0) of a law, as plain floats."""
    rng = np.random.default_rng(seed)
    for v in (0.0, 15.0, -15.0):  # at rest and straight ahead, without a slip across
        yield (0.02, 0.0, v, 0.0, v / radius, 0.0, 0.0, 0.9), (0.0, 0.0, 0.0, 0.0)
        yield (0.02, 0.0, v, 0.0, 0.0, 0.02, 0.0, 0.9), (0.05 * relax[0], 0.0, 0.0, 0.0)
    for sense in (1.0, -1.0):  # beyond all ranges of slips
        yield (
            (0.03, 0.0, 20.0, 1.0, 0.0, -0.1 * sense, 0.0, 0.9),
            (3.0 * sense * relax[0], 150.0 * sense * relax[1], 0.0, 0.0),
        )
    for k in range(count):
        rho = rng.uniform(-0.01, 0.0) if k % 9 == 0 else rng.uniform(0.002, sink)
        vx, slip = rng.choice((-1.0, 1.0)) * rng.uniform(3.0, 40.0), rng.uniform(-0.3, 0.3)
        if k % 4 == 1:  # rest, and creeping
            vx, slip = vx * 10.0 ** rng.uniform(-4.0, -1.0), rng.uniform(-2.0, 2.0)
        omega = vx * (1.0 + slip) / radius
        if k % 10 == 3:
            omega = 0.0
        if k % 10 == 7:
            omega = rng.uniform(-60.0, 60.0)
        side = vx * rng.uniform(-0.3, 0.3) if k % 3 else rng.uniform(-0.2, 0.2)
        gamma = rng.uniform(-0.15, 0.15) if k % 2 else rng.uniform(-0.4, 0.4)
        size = (0.05, 0.8, 0.05, 2.5)[k % 4]
        inputs = (rho, rng.uniform(-1.0, 1.0), vx, side, omega, gamma, rng.uniform(-3.0, 3.0), rng.uniform(0.3, 1.1))
        deflections = (
            rng.uniform(-size, size) * relax[0],
            rng.uniform(-size, size) * relax[1],
            rng.uniform(-9, 9),
            0.0,
        )
        yield tuple(map(float, inputs)), tuple(map(float, deflections))


def compare(module, build, want, seed, count=240, bound=1e-9, **drawn):
    """The law of a tyre at random states equals ``want(state, deflections)``, relative to its greatest outputs."""
    m = hn.Model()
    e = build(m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground))
    c, law = np.array(module.parameters(e, m), float), interpreted(module.law)
    at = list(states(count, seed, **drawn))
    found = np.array([law(c, s, x) for s, x in at])
    right = np.array([want(s, x) for s, x in at])
    # each situation on its own, so that small numbers near rest count
    fast, low = np.array([abs(s[2]) > 3.0 for s, _ in at]), np.array([s[0] <= 0.0 for s, _ in at])
    for group in (fast & ~low, ~fast & ~low, low):
        assert group.sum() > 5
        for k, name in enumerate(NAMES):
            wrong = np.abs(found[group, k] - right[group, k])
            scale = np.abs(right[group, k]).max()
            assert wrong.max() <= bound * max(scale, 1e-9), (name, at[int(np.flatnonzero(group)[wrong.argmax()])])
    return right


# ---- what the laws share ---------------------------------------------------------------------------------------------
def heading(vx):
    return vx / (vx**8 + (0.05 * SLOW) ** 8) ** 0.125


def way(roll):
    return roll / math.hypot(roll, 0.05 * SLOW)


def viscous(vsx, vsy, qx, qy):
    """(1 + |V_s| / V_q) / sqrt(1 + q^2) and h, V_q = 0.005 of the slow speed."""
    more = 1 + math.hypot(vsx, vsy) / (0.005 * SLOW)
    q = math.hypot(qx, qy) * more
    return more / math.sqrt(1 + q * q), 0.02 + 0.98 / (1 + q**4)


def still(vx, vsx, vsy):
    return 1 / (1 + ((vx**2 + vsx**2 + vsy**2) / SLOW**2) ** 2) ** 2


def lag(vx, vsx, vsy, u, v, relax, edge, calm):
    """kappa, tan(alpha), u', v': u' = -V_sx - V u / sigma (Pacejka (2012), 7.2.1, 8.6), with the law of standstill."""
    ex, ey = (min(max(e, 0.02), 5.0) for e in edge)
    grow, h = viscous(vsx, vsy, calm[0] * vsx / ex, calm[1] * vsy / ey)
    rest = still(vx, vsx, vsy)
    slides = (vsx**2 + vsy**2) * ((1 - rest) / 5) ** 2 + (rest / h) ** 2 * ((vsx / ex) ** 2 + (vsy / ey) ** 2)
    V = (vx**8 + (slides + (1e-5 * SLOW) ** 2) ** 4) ** 0.125
    return (
        u / relax[0] - calm[0] * rest * grow * vsx,
        v / relax[1] + calm[1] * rest * grow * vsy,
        -vsx - V * u / relax[0],
        vsy - V * v / relax[1],
    )


def calming(soft, load):
    """0.3 of the critical damping of the mass that the load weighs."""
    return 2 * 0.3 * math.sqrt(soft * load / GRAVITY)


def spring(rows, x):
    """The monotone cubic through rows and its integral, straight behind the last row."""
    f = PchipInterpolator(*np.array(rows, float).T)
    end, s = rows[-1][0], f.antiderivative()
    if x <= end:
        return float(f(x)), float(s(x))
    slope, z = float(f.derivative()(end)), x - end
    return float(f(end)) + slope * z, float(s(end)) + float(f(end)) * z + 0.5 * slope * z * z


#: of laws with one vertical stiffness
SIZES = dict(radius=0.3, stiffness=2e5, damping=900.0, relax_x=0.25, relax_y=0.4, slow=SLOW, rolling_resistance=0.004)


def simple(edge, slopes, forces, rows=()):
    """A law of fixed relaxation lengths: ``edge(fz, mu)``, slip stiffnesses at the calming load, ``forces(fz, rho,
    kappa, tana, gamma, V_s, mu, head)`` -> F_x, F_y, M_x, M_z."""
    soft = max(slopes[0] / 0.25, slopes[1] / 0.4)
    damp = calming(soft, 0.1 * 2e5 * 0.3)

    def law(s, x):
        rho, rate, vx, vsy, omega, gamma, psi, mu = s
        push, stored = spring(rows, rho) if rows else (2e5 * rho, 1e5 * rho * rho)
        push, stored = (push, stored) if rho > 0 else (0.0, 0.0)
        fz = max(push + 900.0 * rate, 0.0) if rho > 0 else 0.0
        vsx = vx - omega * (0.3 - rho)
        calm = damp / slopes[0], damp / slopes[1]
        kappa, tana, du, dv = lag(vx, vsx, vsy, x[0], x[1], (0.25, 0.4), edge(fz, mu), calm)
        fx = fy = mx = mz = 0.0
        if fz > 0:
            fx, fy, mx, mz = forces(fz, rho, kappa, tana, gamma, math.hypot(vsx, vsy), mu, heading(vx))
        return fx, fy, fz, mx, -0.004 * fz * way(0.3 * omega), mz, stored, push, du, dv, 0.0, 0.0

    return law


# ---- where wheel and road meet ---------------------------------------------------------------------------------------
def test_contact_of_a_disc_and_a_plane():
    """ISO 8855, TYDEX W axes: the lowest point of a disc on a tilted plane, its velocity, the rate of the deflection,
    and forces carried to the centre of the wheel."""
    rng = np.random.default_rng(18)
    for _ in range(40):
        sx, sy, more_x, more_y, z0 = rng.uniform(-0.4, 0.4, 5)
        e = np.array([rng.uniform(-0.5, 0.5), 1.0, rng.uniform(-0.6, 0.6)])
        e /= np.linalg.norm(e)
        d, v, w = np.array([*rng.uniform(-3, 3, 2), 0.0]), rng.uniform(-9, 9, 3), rng.uniform(-5, 5, 3)
        ground = z0 + sx * d[0] + sy * d[1]
        d[2] = ground + rng.uniform(0.2, 0.35)
        omega, belt, R0 = rng.uniform(-80, 80), rng.uniform(-5, 5), 0.33
        # the height below the wheel changes by other slopes than those of the plane: of a plank that is left
        under = lambda *a, at=(ground, sx + more_x, sy + more_y, sx, sy, 0.7): at
        plain = interpreted(contact.place)
        g = FunctionType(plain.__code__, {**plain.__globals__, "under": under})(None, None, R0, *d, *e)
        n = np.array([-sx, -sy, 1.0]) / math.sqrt(1 + sx**2 + sy**2)
        lean = math.asin(e @ n)
        x = np.cross(e, n) / math.cos(lean)
        y = np.cross(n, x)
        # steepest way down in the plane of the disc, as far as the ground
        down = -(n - (e @ n) * e) / math.cos(lean)
        reach = (d[2] - ground) * n[2] / -(down @ n)
        c = reach * down
        touch = d + c
        assert touch[2] == pytest.approx(z0 + sx * touch[0] + sy * touch[1], abs=1e-12) and abs(c @ e) < 1e-12
        assert np.array(g[:3]) == pytest.approx([R0 - reach, lean, 0.7], abs=1e-12)
        assert np.array(g[7:]) == pytest.approx([*n, *x, *y, *c], abs=1e-12)

        def deflection(t, d=d, v=v, e=e, w=w, n=n, ground=ground, slopes=(sx + more_x, sy + more_y)):
            turned = e + t * np.cross(w, e)
            height = d[2] + t * v[2] - ground - t * (slopes[0] * v[0] + slopes[1] * v[1])
            return 0.33 - height * n[2] / math.sqrt(1 - (turned @ n) ** 2)

        rate, vx, vsy, psi = interpreted(contact.motion)(g, belt, *e, *v, *w, omega)
        slides = v + np.cross(w - omega * e, c) - belt * np.array([n[2], 0.0, -n[0]]) / math.hypot(n[0], n[2])
        assert rate == pytest.approx((deflection(1e-5) - deflection(-1e-5)) / 2e-5, rel=1e-6, abs=1e-6)
        assert (vx, vsy, psi) == pytest.approx((slides @ x, slides @ y, w @ n), abs=1e-11)
        f, m = rng.uniform(-1, 1, (2, 3))
        force = f @ np.array([x, y, n])
        want = [*force, *(m @ np.array([x, y, n]) + np.cross(c, force))]
        assert interpreted(contact.spread)(g, *f, *m) == pytest.approx(want, abs=1e-12)


def test_slips_without_the_law_of_standstill():
    """A tyre without damping at rest: u' = -V_sx - |V_x| u / sigma; a wheel that only slides reaches a slip of 5."""
    slips = interpreted(contact.patch_slips)
    for vx, vsx, vsy, u, v in (
        (12.0, 0.5, -0.3, 0.02, 0.05),
        (-8.0, 0.2, 0.4, -0.01, 0.03),
        (0.0, 3.0, -4.0, 0.1, 0.2),
    ):
        V = abs(vx) if vx else math.hypot(vsx, vsy) / 5
        want = u / 0.25, v / 0.4, -vsx - V * u / 0.25, vsy - V * v / 0.4
        assert slips(SLOW, vx, vsx, vsy, u, v, 0.25, 0.4, 0.1, 0.2, 0.0, 0.0) == pytest.approx(want, rel=1e-8)
    assert [interpreted(contact.edge)(slip) for slip in (1e-3, 0.3, 7.0)] == [0.02, 0.3, 5.0]


# ---- Fiala -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rows", ((), LOADS))
def test_fiala(rows):
    """Adams/Tire, "Using the Fiala Handling Force Model"; E. Fiala, VDI-Zeitschrift 96 (1954) 973-979."""

    def forces(fz, rho, kappa, tana, gamma, vs, mu, head):
        U = 0.9 - (0.9 - 0.7) * min(math.hypot(kappa, tana), 1.0)
        grip = U * mu * fz
        k, a = abs(kappa), abs(tana)
        fx = 8e4 * k if k < grip / (2 * 8e4) else grip - grip**2 / (4 * 8e4 * k)
        if a < 3 * grip / 6e4:
            H = 1 - 6e4 * a / (3 * grip)
            fy, mz = grip * (1 - H**3), grip * 0.2 * (1 - H) * H**3
        else:
            fy, mz = grip, 0.0
        return math.copysign(fx, kappa), -math.copysign(fy, tana), 0.0, math.copysign(mz, tana) * head

    edge = lambda fz, mu: (3 * 0.9 * mu * fz / 8e4, 3 * 0.9 * mu * fz / 6e4)
    build = lambda m, i, j: m.tyre_fiala(
        i, j, **SIZES, cslip=8e4, calpha=6e4, umax=0.9, umin=0.7, width=0.2, load_curve=rows
    )
    compare(fiala, build, simple(edge, (8e4, 6e4), forces, rows), 11, sink=0.08 if rows else 0.05, relax=(0.25, 0.4))


# ---- UA --------------------------------------------------------------------------------------------------------------
def test_gim():
    """G. Gim, P. E. Nikravesh, Int. J. Vehicle Design 11 (1990) 589-618: pure and combined slip of the brush with two
    stiffnesses, by the share of the length that sticks."""

    def forces(fz, rho, kappa, tana, gamma, vs, mu, head):
        k = 1 + kappa if kappa > 0 else 1.0
        ss, sa = abs(kappa) / k, abs(tana) / k
        slip = max(math.hypot(ss, sa), 1e-300)
        grip = (0.9 - (0.9 - 0.7) * min(slip, 1.0)) * mu * fz
        gx, gy = grip * ss / slip, grip * sa / slip
        sn = math.hypot(8e4 * ss, 5e4 * sa) / (3 * grip)
        if sn >= 1:
            return math.copysign(gx, kappa), -math.copysign(gy, tana), 0.0, 0.0
        ln = 1 - sn
        slide = 1 - 3 * ln**2 + 2 * ln**3
        fx = 8e4 * ss * ln**2 + gx * slide
        fy = 5e4 * sa * ln**2 + gy * slide
        mz = (5e4 * sa * (-1 / 2 + 2 / 3 * ln) + 3 / 2 * gy * sn**2) * ln**2 * math.sqrt(8 * 0.3 * rho)
        return (
            math.copysign(fx, kappa),
            -math.copysign(fy, tana) - 3e3 * gamma * ln**2,
            0.0,
            math.copysign(mz, tana) * head,
        )

    edge = lambda fz, mu: (3 * 0.9 * mu * fz / 8e4, 3 * 0.9 * mu * fz / 5e4)
    build = lambda m, i, j: m.tyre_ua(i, j, **SIZES, cslip=8e4, calpha=5e4, cgamma=3e3, umax=0.9, umin=0.7)
    compare(ua, build, simple(edge, (8e4, 5e4), forces), 12, relax=(0.25, 0.4))


# ---- brush -----------------------------------------------------------------------------------------------------------
def test_brush():
    """Pacejka (2012), 3.2.3: bristles of one stiffness over a parabolic pressure, slips next to 1 + kappa (from 0.05
    on), friction that falls with the sliding velocity."""

    def forces(fz, rho, kappa, tana, gamma, vs, mu, head):
        sx, sy = kappa / max(1 + kappa, 0.05), tana / max(1 + kappa, 0.05)
        slip, grip = max(math.hypot(sx, sy), 1e-300), 0.9 * mu * fz / (1 + 0.01 * vs)
        theta = 8e4 * fz / 4000 * slip / (3 * grip)
        lean, trail = 0.0, 0.0
        if theta < 1:
            total = grip * (3 * theta - 3 * theta**2 + theta**3)
            lean = 0.3 * fz * gamma * (1 - theta) ** 2
            trail = 0.07 * math.sqrt(fz / 4000) / 3 * (1 - theta) ** 3 / (1 - theta + theta**2 / 3)
        else:
            total = grip
        fy = -total * sy / slip
        return total * sx / slip, fy - lean, 0.0, -trail * fy * head

    edge = lambda fz, mu: (3 * 0.9 * mu * 4000 / 8e4,) * 2
    build = lambda m, i, j: m.tyre_brush(
        i, j, **SIZES, slip_stiffness=8e4, load=4000.0, half_length=0.07, mu=0.9, fall=0.01, camber=0.3
    )
    compare(brush, build, simple(edge, (8e4, 8e4), forces), 13, relax=(0.25, 0.4))


# ---- the formula of 1989 ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode, mirror, side", ((3, False, 0.0), (4, True, 1.2e5), (4, False, 0.0)))
def test_pac89(mode, mirror, side):
    """E. Bakker, H. B. Pacejka, L. Lidner, SAE 890087: kN, degrees, percent; combined slip by the friction ellipse."""
    p, sense = PAC89, -1.0 if mirror else 1.0
    rad = math.pi / 180
    curve = lambda D, C, BCD, E, X: (
        D * math.sin(C * math.atan(BCD / (C * D) * X - E * (BCD / (C * D) * X - math.atan(BCD / (C * D) * X))))
    )
    Dx, Dy = (lambda F, a=a: p[a + "1"] * F**2 + p[a + "2"] * F for a in "ba")
    along = lambda F: (p["b3"] * F**2 + p["b4"] * F) * math.exp(-p["b5"] * F)
    across = lambda F: p["a3"] * math.sin(2 * math.atan(F / p["a4"]))

    def forces(fz, rho, kappa, tana, gamma, vs, mu, head):
        mu, tana, gamma = 0.85 * mu, sense * tana, sense * gamma
        F, bend = fz / 1e3, lambda a: min(max(a, -89.5), 89.5)
        k, a, g = 100 * min(max(kappa, -1.0), 1.0), bend(math.atan(tana) / rad), min(max(gamma, -0.17), 0.17) / rad
        X = k + p["b9"] * F + p["b10"]
        fx = mu * curve(Dx(F), p["b0"], along(F), p["b6"] * F**2 + p["b7"] * F + p["b8"], X)
        Y = bend(a + p["a9"] * F + p["a10"] + p["a8"] * g)
        fy = mu * curve(Dy(F), p["a0"], across(F) * (1 - p["a5"] * abs(g)), p["a6"] * F + p["a7"], Y)
        D = p["c1"] * F**2 + p["c2"] * F
        BCD = (p["c3"] * F**2 + p["c4"] * F) * (1 - p["c6"] * abs(g)) * math.exp(-p["c5"] * F)
        E = (p["c7"] * F**2 + p["c8"] * F + p["c9"]) * (1 - p["c10"] * abs(g))
        mz = mu * curve(D, p["c0"], BCD, E, bend(a + p["c11"] * g + p["c12"] * F + p["c13"]))
        mz += (p["c14"] * F**2 + p["c15"] * F) * g + p["c16"] * F + p["c17"]
        if mode == 4:
            sx, sy = X / 100, math.sin(Y * rad)
            fx, fy = (
                fx / math.sqrt(1 + (fx * sy / (sx * mu * Dy(F))) ** 2),
                fy / math.sqrt(1 + (fy * sx / (sy * mu * Dx(F))) ** 2),
            )
        fy = -(fy + p["a11"] * F * g + p["a12"] * F + p["a13"])
        y = fy / side if side else 0.0
        return fx, sense * fy, sense * fz * y, sense * (-head * mz - fx * y)

    def edge(fz, mu):
        F, mu = fz / 1e3, 3 * 0.85 * mu
        return (mu * Dx(F) / (100 * along(F)), mu * Dy(F) / (across(F) / rad)) if fz > 0 else (mu, mu)

    build = lambda m, i, j: m.tyre_pac89(
        i, j, PAC89, **SIZES, mode=mode, mirror=mirror, mu=0.85, lateral_stiffness=side
    )
    slopes = 100 * along(6.0), across(6.0) / rad
    compare(pac89, build, simple(edge, slopes, forces), 14, relax=(0.25, 0.4))


def test_friction_ellipse_at_no_slip():
    """Along one slip alone the ellipse takes the slope of the other: both forces go on without a jump at zero."""
    own = {k: v for k, v in PAC89.items() if k not in ("a8", "a9", "a10", "a11", "a12", "a13", "b9", "b10")}
    m = hn.Model()
    e = m.tyre_pac89(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), own, radius=0.3, stiffness=2e5)
    c, law = np.array(pac89.parameters(e, m), float), interpreted(pac89.slip_forces)
    for k, a in ((0.0, 0.1), (0.05, 0.0), (0.0, 0.0)):
        at, near = (law(c, 4000.0, k + h, a + h, 0.02, 0.8)[:2] for h in (0.0, 1e-7))
        assert at == pytest.approx(near, rel=1e-5, abs=0.05)
        # the slopes of both forces there (complex steps) are those next to it
        for direction, (dk, da) in enumerate(((1.0, 0.0), (0.0, 1.0))):
            step = 1e-40j
            slope = law(c, 4000.0, k + dk * step, a + da * step, 0.02, 0.8)[direction].imag / 1e-40
            two = [law(c, 4000.0, k + h * dk, a + h * da, 0.02, 0.8)[direction] for h in (2e-6, -2e-6)]
            assert slope == pytest.approx((two[0] - two[1]) / 4e-6, rel=1e-5)
    # of straight lines F = K s: G_x = 1 / sqrt(1 + (K_x o_y / D_y)^2), G_y alike
    ellipse = interpreted(magic.ellipse)
    Kx, Ky, Dx, Dy = 8e4, 6e4, 4e3, 3e3
    for sx, sy in ((0.02, -0.03), (0.0, 0.05), (-0.04, 0.0), (0.0, 0.0)):
        ox, oy = sx + 0.004, sy - 0.003
        want = 1 / math.hypot(1, Kx * oy / Dy), 1 / math.hypot(1, Ky * ox / Dx)
        assert ellipse(Kx * sx, Ky * sy, sx, sy, ox, oy, Kx, Ky, Dx, Dy) == pytest.approx(want, rel=1e-12)
    for none in ((0.0, Dy), (Dx, 0.0)):
        assert ellipse(1.0, 2.0, 0.1, 0.2, 0.1, 0.2, Kx, Ky, *none) == (1.0, 1.0)


#: curvatures on both sides of their limit of one
STEEP = {"PEX1": 1.0, "PEX2": 0.3, "PEY1": 0.95, "PEY2": 0.3, "PEY4": -2.0, "REX1": 1.0, "REX2": 0.3, "REY1": 1.0,
         "REY2": 0.3, "QEZ1": 0.9, "QEZ2": 0.4}  # fmt: skip


#: nothing of combined slip: a friction ellipse; nothing of rolling resistance: that of the shifted curve
BARE = {"RBX1": 0.0, "RBY1": 0.0, "QSY1": 0.0, "QSY2": 0.0, "QSY3": 0.0, "QSY4": 0.0}


# ---- the formula of 2002 ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "mirror, rows, rim, own",
    ((False, (), (), {}), (True, LOADS, RIM, {}), (False, (), RIM, {}), (True, (), (), STEEP), (False, (), (), BARE)),
)
def test_pac2002(mirror, rows, rim, own):
    """Pacejka (2002), 4.3.2, scale factors other than one, relaxation lengths, rolling radius, load curve and rim."""
    p = {**TYRE, **SCALES, "VXLOW": SLOW, "VERTICAL_DAMPING": 900.0, "LONGVL": 15.0, "BREFF": 8.0, "DREFF": 0.25}
    p |= {"FREFF": 0.1, "KPUMIN": -0.9, "KPUMAX": 0.8, "ALPMIN": -0.6, "ALPMAX": 0.5, "CAMMIN": -0.2, "CAMMAX": 0.25}
    p |= {"FZMAX": 9000.0, **own}
    sense, F0, R0, cz = -1.0 if mirror else 1.0, 1.1 * 4000.0, 0.3, 1.07 * 2e5
    damp = calming(22.0 * F0 / R0, F0)

    def law(s, x):
        rho, rate, vx, vsy, omega, gamma, psi, road = s
        push = stored = fz = 0.0
        if rho > 0:
            push, stored = spring(rows, rho) if rows else (cz * rho, cz * rho**2 / 2)
            more = spring(rim, rho) if rim else (0.0, 0.0)
            push, stored = push + more[0], stored + more[1]
            fz = max(push + 900.0 * rate, 0.0)
        q = rho / (F0 / cz)
        radius = R0 - F0 / cz * (0.25 * math.atan(8.0 * q) + 0.1 * q)
        d, mu = (fz - F0) / F0, 0.85 * road
        sx = fz * (2.0 + 0.3 * d) * math.exp(-0.2 * d) * R0 / F0 * p["LSGKP"]
        sy = 2.1 * math.sin(2 * math.atan(fz / (2.0 * F0))) * (1 - 0.3 * abs(gamma)) * R0 * p["LFZO"] * p["LSGAL"]
        relax = max(sx, 0.02 * R0), max(sy, 0.02 * R0)
        # slip of full sliding: 3 D / K
        ex = 3 * mu * abs(1.1 - 0.1 * d) * p["LMUX"] / abs((22.0 + 1.0 * d) * math.exp(0.2 * d) * p["LKX"])
        ey = 3 * mu
        if fz > 0:
            Ky = 16.0 * F0 * math.sin(2 * math.atan(fz / (1.7 * F0))) * p["LKY"]
            ey = 3 * mu * abs(0.95 - 0.15 * d) * p["LMUY"] * fz / Ky
        vsx, calm = vx - omega * radius, damp / (15.0 * F0)
        kappa, tana, du, dv = lag(vx, vsx, vsy, x[0], x[1], relax, (ex, ey), (calm, calm))
        out = [0.0] * 5
        if fz > 0:
            k, a = min(max(kappa, -0.9), 0.8), min(max(math.atan(sense * tana), -0.6), 0.5)
            g = min(max(sense * gamma, -0.2), 0.25)
            f = printed(
                {**p, "LMUX": p["LMUX"] * mu, "LMUY": p["LMUY"] * mu}, min(fz, 9000.0), k, a, g, vx, heading(vx)
            )
            out = [f["F_x"], sense * f["F_y"], sense * f["M_x"], f["M_y"] * way(R0 * omega), sense * f["M_z"]]
        return (*out[:2], fz, *out[2:], stored, push, du, dv, 0.0, 0.0)

    build = lambda m, i, j: m.tyre_pac2002(i, j, p, mirror=mirror, mu=0.85, load_curve=rows, bottoming=rim)
    compare(pac2002, build, law, 15, sink=0.07 if rows else 0.05, bound=1e-8)


@pytest.mark.parametrize("mode", (0, 1, 2, 3))
def test_modes_of_pac2002(mode):
    """0 load only, 1 along, 2 across, 3 both without combined slip."""
    p = {**TYRE, **SCALES, "LONGVL": 15.0}
    m = hn.Model()
    e = m.tyre_pac2002(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), p, mode=mode)
    c, law = np.array(pac2002.parameters(e, m), float), interpreted(pac2002.slip_forces)
    alone = {**p, "RVY6": 0.0, "RCX1": 1e-12, "RCY1": 1e-12, "SSZ1": 0.0, "SSZ2": 0.0, "SSZ3": 0.0, "SSZ4": 0.0}
    for load, k, a, g, vx in ((2000.0, 0.05, 0.1, 0.05, 12.0), (6000.0, -0.2, -0.04, -0.1, -20.0)):
        full = printed(alone, load, k, a, g, vx)
        side = printed(alone, load, 0.0, a, g, vx)  # the moment of the side force has no kappa in it
        fx, fy, mx, my, mz = law(c, load, k, math.tan(a), g, vx, 1e9, 1.0)[:5]
        want = [full["F_x"] if mode in (1, 3) else 0.0, full["F_y"] if mode >= 2 else 0.0]
        want += [full["M_x"] if mode >= 2 else 0.0, full["M_y"] if mode in (1, 3) else 0.0]
        want += [side["M_z"] if mode >= 2 else 0.0]
        assert (fx, fy, mx, my, mz) == pytest.approx(want, rel=1e-9, abs=1e-9)


# ---- the formula of 2010 ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "mode, mirror, coupled, own",
    ((4, True, True, {}), (5, False, True, {}), (5, True, False, {}), (4, False, True, STEEP)),
)
def test_mf6(mode, mirror, coupled, own):
    """Pacejka (2012), 4.3.2 with Besselink, Schmeitz, Pacejka (2010): the load that the forces themselves reduce,
    growth with speed, pressure, relaxation lengths from the stiffnesses, turn slip."""
    p = {**MF6, "VXLOW": SLOW, "VERTICAL_DAMPING": 900.0, "LCZ": 1.07, "KPUMIN": -0.9, "KPUMAX": 0.8, "ALPMIN": -0.6}
    p |= {"ALPMAX": 0.5, "CAMMIN": -0.2, "CAMMAX": 0.25, "FZMAX": 12000.0, **own}
    if not coupled:
        p |= {"Q_FCX": 0.0, "Q_FCY": 0.0}
    sense, R0, V0, F = -1.0 if mirror else 1.0, 0.33, 16.6, 4500.0
    F0, dp = 1.05 * F, (2.4 - 2.2) / 2.2
    cz = 2.2e5 * (1 + 0.7 * dp) * 1.07
    q1 = math.sqrt((2.2e5 * R0 / F) ** 2 - 4 * 14.0)
    calm = calming(25.0 * F0 / R0, F0) / (15.0 * F0)
    fixed = []

    def law(s, x):
        rho, rate, vx, vsy, omega, gamma, psi, road = s
        if mode == 5 and abs(vx) < 3.0:
            return None
        lean, turned, mu = sense * gamma, sense * psi, 0.85 * road
        grown = R0 * (0.998 - 1 + 6e-4 * (R0 * omega / V0) ** 2)
        push = stored = base = 0.0
        speed = 1 + 0.03 * abs(omega) * R0 / V0
        if rho > 0:
            stiff, q = F * (1 + 0.7 * dp) * 1.07, rho / R0
            push, stored = stiff * (q1 * q + 14.0 * q**2), stiff * R0 * (q1 * q**2 / 2 + 14.0 * q**3 / 3)
            q = (rho + grown) / R0
            base = stiff * ((q1 + 0.8 * gamma**2) * q + 14.0 * q**2) if rho + grown > 0 else 0.0

        def at(fz):
            """All outputs at a load."""
            n, d = fz / F0, (min(max(fz, 0.0), 12000.0) - F0) / F0
            load = min(max(fz, 0.0), 12000.0)
            radius = R0 + grown - F0 / cz * (0.25 * math.atan(8.0 * n) + 0.1 * n)
            vsx = vx - omega * radius
            Kx = load * (25.0 + 5.0 * d) * math.exp(-0.1 * d) * (1 - 0.8 * dp + 0.7 * dp**2) * p["LKX"]

            def Ky(g):
                inner = load / F0 / ((2.2 + 1.2 * g**2) * (1 + 1.1 * dp))
                return 22.0 * F0 * (1 + 0.35 * dp) * (1 - 0.2 * abs(g)) * math.sin(1.9 * math.atan(inner)) * p["LKY"]

            cx = 3.5e5 * (1 + 0.1 * d - 0.1 * d**2) * (1 + 0.2 * dp)
            cy = 1.6e5 * (1 - 0.2 * d + 0.07 * d**2) * (1 + 0.6 * dp)
            relax = max(Kx / cx, 0.02 * R0), max(Ky(math.sin(lean)) / cy, 0.02 * R0)
            edge = 0.0, 0.0
            if fz > 0:
                edge = (
                    3 * mu * load * abs(1.15 - 0.1 * d) * p["LMUX"] / Kx,
                    3 * mu * load * abs(1.0 - 0.13 * d) * p["LMUY"] / Ky(0.0),
                )
            kappa, tana, du, dv = lag(vx, vsx, vsy, x[0], x[1], relax, edge, (calm, calm))
            out = [0.0] * 5
            if fz > 0:
                phi = phit = 0.0
                if mode == 5:
                    V = (vx**8 + ((vsx**2 + vsy**2) / 25 + (1e-5 * SLOW) ** 2) ** 4) ** 0.125 + 0.05 * SLOW
                    eps = 0.5 * (1 + 0.1 * (fz / F0 - 1))
                    phi = (turned - eps * omega * math.sin(lean)) / V
                    phit = (turned - omega * math.sin(lean)) / V
                k, a = min(max(kappa, -0.9), 0.8), min(max(math.atan(sense * tana), -0.6), 0.5)
                g = min(max(lean, -0.2), 0.25)
                scaled = {**p, "LMUX": p["LMUX"] * mu, "LMUY": p["LMUY"] * mu}
                fx, fy, mx, my, mz = book(scaled, load, k, a, g, vx, phi, phit, mode == 5, heading(vx))
                out = [fx, fy, mx, my * way(R0 * omega), mz]
            return out, du, dv

        damp = 900.0 * rate
        fz = max(base * speed + damp, 0.0) if rho > 0 and rho + grown > 0 else 0.0
        out, du, dv = at(fz)
        if coupled and fz > 0:

            def reduced(out):
                return base * (speed - (-0.02 * out[0] / F) ** 2 - (0.2 * out[1] / F) ** 2) + damp

            # the fixed point of load and forces, as far as the law goes: two passes, Aitken, a third
            first = reduced(out)
            if first > 0:
                second = reduced(at(first)[0])
                bend = second - 2 * first + fz
                if abs(bend) > 1e-12 * fz:
                    best = second - (second - first) ** 2 / bend
                    second = best if 0.2 * fz < best < 2 * fz else second
                fz = max(second, 0.0)
                out, du, dv = at(fz)
                if fz > 500.0 and abs(vx) > 3.0:
                    fixed.append((reduced(out) - fz) / fz)
        return (
            out[0], sense * out[1], fz, sense * out[2], out[3], sense * out[4], stored, push, du, dv, 0.0, 0.0
        )  # fmt: skip

    m = hn.Model()
    e = m.tyre_mf6(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), p, mirror=mirror, mu=0.85, mode=mode)
    c, run = np.array(mf6.parameters(e, m), float), interpreted(mf6.law)
    pairs = [(run(c, s, x), law(s, x)) for s, x in states(200, 16, radius=0.33, relax=(0.4, 0.6))]
    found, want = (np.array([pair[k] for pair in pairs if pair[1] is not None]) for k in (0, 1))
    for k, name in enumerate(NAMES):
        assert np.abs(found[:, k] - want[:, k]).max() <= 1e-8 * max(np.abs(want[:, k]).max(), 1e-9), name
    if coupled:
        assert len(fixed) > 50 and np.median(np.abs(fixed)) < 1e-6


def test_friction_ellipse_of_mf6():
    """Of the forces of pure slip without camber, with and without vertical shifts: denominators are the slips from the
    zeros of both curves, numerators those from the zeros of the forces."""
    for shifts in (0.0, 1.3):
        p = {**MF6, "LVX": shifts, "LVY": shifts}
        m = hn.Model()
        e = m.tyre_mf6(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), p, mode=4, ellipse=True)
        c, law = np.array(mf6.parameters(e, m), float), interpreted(mf6.slip_forces)
        pure = {**p, "RVY6": 0.0, "RCX1": 1e-12, "RCY1": 1e-12}
        for load, k, a in ((3000.0, 0.05, -0.08), (6000.0, -0.1, 0.05), (4500.0, -0.03, -0.2)):
            d, dp = load / (1.05 * 4500.0) - 1, 2.4 / 2.2 - 1
            X, Y = book(pure, load, k, a, 0.0, 12.0, 0.0, 0.0, False)[:2]
            Dx = load * (1.15 - 0.1 * d) * (1 - 0.01 * dp - 0.4 * dp**2) * 0.95
            Dy = load * (1.0 - 0.13 * d) * (1 + 0.1 * dp - 0.1 * dp**2) * 0.93
            sx = k + (-0.002 + 0.0007 * d) * 0.9
            sy = math.atan(math.tan(a) + (0.002 + 0.001 * d) * 1.1)
            low = lambda mu: 10 * mu / (1 + 9 * mu)  # friction that counts for shifts
            VX, VY = load * (0.03 + 0.002 * d) * shifts * low(0.95), load * (0.02 + 0.007 * d) * shifts * low(0.93)
            at = lambda k, a, load=load, pure=pure: book(pure, load, k, a, 0.0, 12.0, 0.0, 0.0, False)[:2]
            h = 1e-6  # slip stiffnesses: slopes where the curves without shifts vanish
            x0, y0 = k - sx, math.atan(math.tan(a) - math.tan(sy))
            Kx = (at(x0 + h, a)[0] - at(x0 - h, a)[0]) / (2 * h)
            Ky = (at(k, y0 + h)[1] - at(k, y0 - h)[1]) / (2 * h) * math.cos(y0) ** 2
            Gx = 1 / math.hypot(1, (X - VX) / sx * math.sin(sy + VY / Ky) / Dy)
            Gy = 1 / math.hypot(1, (Y - VY) / math.sin(sy) * (sx + VX / Kx) / Dx)
            found = law(c, load, k, math.tan(a), 0.0, 12.0, 40.0, 0.0, 0.0, 1.0)[:2]
            assert found == pytest.approx((Gx * X, Gy * Y), rel=1e-7)


def test_moment_of_the_friction_ellipse_of_mf6():
    """Without residual moment and arm of F_x the moment falls as F_y does: the trail is that of the slips alone."""
    p = {**MF6, **{f"QDZ{k}": 0.0 for k in (6, 7, 8, 9, 10, 11)}, **{f"SSZ{k}": 0.0 for k in (1, 2, 3, 4)}}
    m, found = hn.Model(), []
    for own in ({**p, "RVY6": 0.0, "RCX1": 1e-12, "RCY1": 1e-12}, p):
        e = m.tyre_mf6(m.marker(m.part("", 1.0, (1, 1, 1))), m.marker(m.ground), own, mode=4, ellipse=own is p)
        c, law = np.array(mf6.parameters(e, m), float), interpreted(mf6.slip_forces)
        found.append(
            [law(c, 4000.0, k, math.tan(a), 0.0, 12.0, 40.0, 0.0, 0.0, 1.0) for k, a in ((0.05, -0.08), (-0.1, 0.05))]
        )
    for pure, both in zip(*found):
        assert abs(both[1]) < 0.95 * abs(pure[1])
        assert both[4] / pure[4] == pytest.approx(both[1] / pure[1], rel=1e-9)


# ---- no friction -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(set(TYRES) - {"TYRE_USER"}))
def test_a_road_without_friction_carries_the_load_alone(name):
    """mu = 0: no forces in the plane and no moment of them; the formula of 1989 keeps its shifts, which have no mu."""
    m = hn.Model()
    e = TYRES[name](m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground))
    module = LAWS[name]
    c, law = np.array(module.parameters(e, m), float), interpreted(module.law)
    for vx, omega in ((20.0, 70.0), (-5.0, -10.0), (0.0, 0.0)):
        out = law(c, (0.02, 0.0, vx, 0.3, omega, 0.03, 0.1, 0.0), (0.01, -0.02, 0.0, 0.0))
        assert np.isfinite(out).all() and out[2] > 1000.0 and out[0] == 0.0
        assert name == "TYRE_PAC89" or (out[1] == 0.0 and out[5] == 0.0)


# ---- TMeasy ----------------------------------------------------------------------------------------------------------
#: both kinds of falls behind the maximum: two parabolas, and the steep cubic that joins where these do not fit
FIRST = {"dfx0": 60e3, "fxm": 3500.0, "sxm": 0.17, "fxs": 2000.0, "sxs": 0.3, "dfy0": 48e3, "fym": 3200.0, "sym": 0.18,
       "fys": 2700.0, "sys": 0.82, "nto0": 0.178, "synto0": 0.19, "syntoE": 0.7, "rolling": 0.015,
       "dynamic_radius": 0.375}  # fmt: skip
SECOND = {"dfx0": 110e3, "fxm": 6500.0, "sxm": 0.16, "fxs": 4000.0, "sxs": 0.32, "dfy0": 70e3, "fym": 5800.0,
       "sym": 0.24, "fys": 4900.0, "sys": 0.91, "nto0": 0.19, "synto0": 0.25, "syntoE": 0.91, "rolling": 0.012,
       "dynamic_radius": 0.75}  # fmt: skip


def fall(s, df0, sm, fm, ss, fs):
    """G. Rill, TMeasy (2013), with the two parabolas of the open implementation in Chrono."""
    df0 = max(df0, 2 * fm / sm)
    if s < sm:
        q = s / sm
        return "rise", sm * df0 * q / (1 + q * (q + df0 * sm / fm - 2))
    if s >= ss:
        return "slide", fs
    a = (fm / sm) ** 2 / (df0 * sm)
    joint = sm + (fm - fs) / (a * (ss - sm))
    if joint <= ss:
        b = a * (joint - sm) / (ss - joint)
        return "parabolas", fm - a * (s - sm) ** 2 if s <= joint else fs + b * (ss - s) ** 2
    q = (s - sm) / (ss - sm)
    return "steep", fm - (fm - fs) * q**2 * (3 - 2 * q)


def trail(s, n0, s0, sE):
    """G. Rill, Road Vehicle Dynamics (2012), 3.3.6: the pneumatic trail next to the length of the contact."""
    s, sE = abs(s), max(s0, sE)
    w = s0 / sE
    if s <= s0:
        return n0 * (w * (1 - (3 - 2 * s / s0) * (s / s0) ** 2) + (1 - w) * (1 - s / s0))
    return -n0 * (1 - w) * (s - s0) / s0 * ((sE - s) / (sE - s0)) ** 2 if s < sE else 0.0


@pytest.mark.parametrize("dampers, soft", (((300.0, 400.0), False), ((60.0, 9000.0), True), ((9000.0, 8000.0), False)))
def test_tmeasy(dampers, soft):
    """G. Rill, Road Vehicle Dynamics (2012), chapter 3, and the slip approach in three dimensions (2013)."""
    seen = set()
    # a slope at no slip below 2 F_m / s_m is raised to that
    ONE, TWO = ({**row, "dfy0": v} if soft else row for row, v in ((FIRST, 30e3), (SECOND, 45e3)))
    calm = [max(calming(c, 3000.0) - d, 0.0) for c, d in zip((1.5e5, 1.2e5), dampers)]
    assert (calm[1] == 0.0) == (dampers[1] > 1000.0)

    def law(s, x):
        rho, rate, vx, vsy, omega, gamma, psi, road = s
        # load: slopes c_1 and c_2 at the nominal load and at twice that
        a1, a2 = math.sqrt(2 * 2.0e5**2 - 2.2e5**2), (2.2e5**2 - 2.0e5**2) / (4 * 3000.0)
        push = stored = fz = 0.0
        if rho > 0:
            push, stored = a1 * rho + a2 * rho**2, a1 * rho**2 / 2 + a2 * rho**3 / 3
            fz = max(push + 900.0 * rate, 0.0)
        mu = 0.85 * road / 0.95
        n = min(fz / 3000.0, 3.5)
        line = lambda name: ONE[name] + (TWO[name] - ONE[name]) * (n - 1)
        parabola = lambda name: n * (2 * ONE[name] - TWO[name] / 2 - (ONE[name] - TWO[name] / 2) * n)
        share = min(line("dynamic_radius"), 1.0)
        roll = (share * 0.3 + (1 - share) * (0.3 - rho)) * omega
        vt, vsx = math.hypot(roll, 1e-5 * SLOW), vx - roll
        cx, cy, dx, dy = 1.5e5, 1.2e5, *dampers
        if fz == 0.0:
            return 0, 0, fz, 0, 0, 0, stored, push, -cx * x[0] / dx, -cy * x[1] / dy, -x[2] / 0.25, 0
        length, width, g = 2 * math.sqrt(0.3 * rho), 0.2, min(max(gamma, -0.26), 0.26)
        bore = (length + width) / 6
        sx, sy, sb = -vsx / vt, -vsy / vt, -bore * psi / (vt + 0.05 * SLOW)
        # normalised slips and the curve of their direction
        sm, ss = ([mu * line(f"s{a}{what}") for a in "xy"] for what in "ms")
        fm, fs = ([mu * parabola(f"f{a}{what}") for a in "xy"] for what in "ms")
        df = [parabola(f"df{a}0") for a in "xy"]
        hat = [sm[k] / sum(sm) + (fm[k] / df[k]) / (fm[0] / df[0] + fm[1] / df[1]) for k in (0, 1)]
        px, py = sx / hat[0], sy / hat[1]
        slip = max(math.sqrt(px**2 + py**2 + sb**2), 1e-12)
        plane = math.hypot(px, py)
        turn = (px / plane, py / plane) if plane else (math.sqrt(0.5),) * 2
        mean = lambda v: math.hypot(v[0] * turn[0], v[1] * turn[1])
        over = lambda v: mean([v[0] / hat[0], v[1] / hat[1]])
        what, F = fall(slip, mean([df[0] * hat[0], df[1] * hat[1]]), over(sm), mean(fm), over(ss), mean(fs))
        seen.add(what)
        # deflections: F = c x + d x' = -F/s (V_s + V_t s^ x') / (V_t s^), which is linear in x'
        vq = math.hypot(vsx, vsy) / (0.005 * SLOW)
        if any(calm):
            most, rest = mu * parabola("fxm"), still(vx, vsx, vsy)
            h = viscous(vsx, vsy, calm[0] * vsx / most, calm[1] * vsy / most)[1]
            cx, cy = (1 + rest * (1 / h - 1)) * cx, (1 + rest * (1 / h - 1)) * cy
            dx, dy = dx + rest * (1 + vq) * calm[0], dy + rest * (1 + vq) * calm[1]
        lean = length * abs(omega) * math.sin(g) / 2 / 3
        du = (-vt * hat[0] * cx * x[0] - F / slip * vsx) / (vt * hat[0] * dx + F / slip)
        dv = (-vt * hat[1] * cy * x[1] - F / slip * (vsy + hat[1] * lean)) / (vt * hat[1] * dy + F / slip)
        fx, fy = cx * x[0] + dx * du, cy * x[1] + dy * dv
        dw = (bore * F * sb / slip - x[2]) * (1 / 0.25 + vt / (0.66 * 2 * math.pi * 0.3))
        arm = length * trail(sy, line("nto0"), mu * line("synto0"), mu * line("syntoE"))
        mx = -(width**2) * (a1 + 2 * a2 * rho) * g / 12
        my = -line("rolling") * fz * (0.3 - rho) * way(roll)
        return fx, fy, fz, mx, my, x[2] - arm * fy * heading(vx), stored, push, du, dv, dw, 0.0

    build = lambda m, i, j: m.tyre_tmeasy(
        i, j, radius=0.3, width=0.2, load=3000.0, stiffness=2.0e5, stiffness_2=2.2e5, damping=900.0, cx=1.5e5,
        cy=1.2e5, dx=dampers[0], dy=dampers[1], first=ONE, second=TWO, friction=0.95, mu=0.85, slow=SLOW,
    )  # fmt: skip
    compare(tmeasy, build, law, 17, count=300, sink=0.07, relax=(0.05, 0.05))
    assert seen == {"rise", "slide", "parabolas", "steep"}

"""`Law`: what two grains answer at a point; and the same laws as scalar functions that CPU kernels and GPU kernels
share.

The functions below take a row k of a table p (columns `KIND` ...) and numbers, and return numbers: no array is made, no
object touched, so one Python text compiles for the processor and, through `cuda`, for a GPU.  They agree with the laws
of the general contact
(`contact/laws`, `contact/friction`) of the same names, with which they share `contact/laws/formulas`.  Twice are
reported: COULOMB below its transition velocity (here in products of the square of the slip, there with the quotient),
VISCOELASTIC (here S is linear in a step, there a cubic) and the tangential spring (here deflection and damper are cut
at mu N at once, BRISTLE cuts them in turn and has derivatives).

Normal force N at depth d > 0 and rate v = d' (> 0 approaching), never negative; R reduced radius (1/R = 1/R_a + 1/R_b;
a wall counts flat), m reduced mass:

    IMPACT          k d^e + c STEP(d, 0, 0, dmax, 1) v
    LINEAR          k d + 2 zeta sqrt(k m) v                                zeta from the restitution, the same at every
        mass and speed
    HUNT_CROSSLEY   k d^e (1 + 3/2 alpha v)
    HERTZ           4/3 E sqrt(R) d^1.5 + alpha sqrt(m K) d^0.25 v          K = 4/3 E sqrt(R); alpha from the
        restitution
                    (Tsuji, Tanaka, Ishida, Powder Technology 71 (1992) 239: the same restitution at every mass and
                        speed)
    VISCOELASTIC    g S + sum of g_i h_i, S = k d^e, h_i' = S' - h_i / tau_i, g = 1 - sum of g_i (as
        `contact/laws/viscoelastic`: held at a
                    depth the force relaxes, under a load the depth creeps); within a step S is linear in time (Taylor,
                        Pister,
                    Goudreau, Int. J. Numer. Meth. Eng. 2 (1970) 45): of second order, stable however short tau is

Friction at slip s (velocity of a's material at the point against b's, in the tangent plane):

    NONE
    COULOMB         - mu(|s|) N s/|s|, mu as in `contact/friction/coulomb`: no force without slip
    VISCOUS         - min(ct |s|, mu N) s/|s|
    SPRING          a tangential spring kt with damper ct, that slips at mu N (Cundall, Strack, Geotechnique 29 (1979)
        47): true sticking
    MINDLIN         the same with kt = 8 G sqrt(R d) and, like HERTZ, damping by restitution (Mindlin, Deresiewicz 1953;
        the secant
                    stiffness of the increment, as in LIGGGHTS)

Rolling and spinning resistance: couples against the relative angular velocity, at most arm times N: arms
``rolling_resistance`` (a length, plus ``rolling_coefficient`` times R) and ``spinning_resistance``.  With SPRING and
MINDLIN rolling is an elastic-plastic spring (Ai, Chen, Rotter, Ooi, Powder Technology 206 (2011) 269, model C without
its damper; stiffness kt R^2), else tanh(w/w0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from .._jit import jit
from ..contact.laws.formulas import damping_at, power, restitution_of, sliding, smooth_sign
from ..contact.laws.formulas import stored as power_energy
from ..model.base import ModelError

# columns of a row
(
    KIND,
    K,
    EXP,
    DAMP,
    DMAX,
    FRICTION,
    MU_S,
    MU_D,
    VS,
    VD,
    KT,
    CT,
    ROLL,
    ROLL_R,
    SPIN,
    W0,
    MEMORY,
    CURVED,
    ROLLS,
    PER_VS,
) = range(20)
SHARE, TAU = 20, 24  # of four branches
COLUMNS = 28
BRANCHES = 4
IMPACT, LINEAR, HUNT_CROSSLEY, HERTZ, VISCOELASTIC = range(5)
NONE, COULOMB, VISCOUS, SPRING, MINDLIN = range(5)
NORMAL = {
    "IMPACT": IMPACT,
    "LINEAR": LINEAR,
    "HUNT_CROSSLEY": HUNT_CROSSLEY,
    "HERTZ": HERTZ,
    "VISCOELASTIC": VISCOELASTIC,
}
TANGENT = {"NONE": NONE, "COULOMB": COULOMB, "VISCOUS": VISCOUS, "SPRING": SPRING, "MINDLIN": MINDLIN}
#: numbers remembered at a contact: deflection of the tangential spring, of the rolling spring (ground axes), and
#: whether it touched; of VISCOELASTIC the forces h_i of its branches and S
REMEMBERED = 12
SPRING_AT, ROLL_AT, TOUCHED, BRANCH, LAST = 0, 3, 6, 7, 11
TURNS = 6  # so many first ones change their sign with the order of the two


def remembering(table: np.ndarray) -> bool:
    """Does a law of the table remember anything at a contact?"""
    return bool(table[:, MEMORY].any() or (table[:, KIND] == VISCOELASTIC).any())


@jit
def normal(p, k, d, v, R, im):
    """Normal force; im: 1/m_a + 1/m_b."""
    kind = p[k, KIND]
    if kind == IMPACT:
        F = p[k, K] * power(d, p[k, EXP]) + damping_at(p[k, DAMP], p[k, DMAX], d) * v
    elif kind == LINEAR:
        F = p[k, K] * d + p[k, DAMP] * math.sqrt(p[k, K] / im) * v
    elif kind == HUNT_CROSSLEY:
        F = p[k, K] * power(d, p[k, EXP]) * (1.0 + p[k, DAMP] * v)
    else:
        stiff = p[k, K] * math.sqrt(R)
        F = stiff * d * math.sqrt(d)
        if p[k, DAMP] != 0.0:
            F += p[k, DAMP] * math.sqrt(stiff / im * math.sqrt(d)) * v
    return max(F, 0.0)


@jit
def stored(p, k, d, R):
    """Elastic energy of the normal force at depth d."""
    kind = p[k, KIND]
    if kind == LINEAR:
        return 0.5 * p[k, K] * d * d
    if kind == HERTZ:
        return 0.4 * p[k, K] * math.sqrt(R) * d * d * math.sqrt(d)
    return power_energy(p[k, K] * power(d, p[k, EXP]), p[k, EXP], d)


@jit
def relaxing(p, k, d, h, mem, q):
    """Normal force of VISCOELASTIC; the branches move on by h."""
    S = p[k, K] * power(d, p[k, EXP])
    change = S - mem[q, LAST]
    g = 1.0
    F = 0.0
    for i in range(BRANCHES):
        w = p[k, SHARE + i]
        if w == 0.0:
            continue
        g -= w
        x = h / p[k, TAU + i]
        mean = -math.expm1(-x) / x if x > 0.0 else 1.0
        f = math.exp(-x) * mem[q, BRANCH + i] + mean * change
        mem[q, BRANCH + i] = f
        F += w * f
    mem[q, LAST] = S
    mem[q, TOUCHED] = 1.0
    return max(F + max(g, 0.0) * S, 0.0)


@jit
def held(p, k, d, R, mem, q):
    """Elastic energy of the normal force at depth d, with what the branches of VISCOELASTIC hold."""
    if p[k, KIND] != VISCOELASTIC:
        return stored(p, k, d, R)
    n = p[k, EXP]
    S = p[k, K] * power(d, n)
    s = 0.0
    y = 0.0
    F = S
    for i in range(BRANCHES):
        w = p[k, SHARE + i]
        if w != 0.0:
            z = max(0.0, S - mem[q, BRANCH + i])
            s += w * z
            F -= w * (S - mem[q, BRANCH + i])
            y += w * z * math.pow(z / p[k, K], 1.0 / n)
    if (
        F <= 0.0
    ):  # left faster than it recovers: what is still in the material does no work, and is lost while the surface is left  # noqa: E501
        ds = math.pow(s / p[k, K], 1.0 / n)
        x = min(1.0, d / ds)
        return max(0.0, n / (n + 1.0) * (y - s * ds)) * x * x * (3.0 - 2.0 * x)
    return max(0.0, (S * d + n * y) / (n + 1.0) - d * s)


@jit
def coulomb(p, k, square):
    """mu(u)/u of COULOMB at the slip speed u, given u^2."""
    x = square * p[k, PER_VS] * p[k, PER_VS]
    if x < 1.0:
        return p[k, MU_S] * p[k, PER_VS] * (1.5 - 0.5 * x)
    u = math.sqrt(square)
    return sliding(p[k, MU_S], p[k, MU_D], p[k, VS], p[k, VD], u) / u


@jit
def into_plane(x, y, z, n0, n1, n2):
    """A vector turned into the plane across n, at its old length."""
    a = x * n0 + y * n1 + z * n2
    old = x * x + y * y + z * z
    x -= a * n0
    y -= a * n1
    z -= a * n2
    new = x * x + y * y + z * z
    if new > 0.0:
        f = math.sqrt(old / new)
        return x * f, y * f, z * f
    return 0.0, 0.0, 0.0


@jit
def spring(p, k, N, d, R, im, s0, s1, s2, n0, n1, n2, h, mem, q):
    """Friction of SPRING and MINDLIN; the deflection in mem[q, 0:3] moves on by the slip during h."""
    kt = p[k, KT]
    ct = p[k, CT]
    if p[k, FRICTION] == MINDLIN:
        kt *= math.sqrt(R * d)
        ct *= math.sqrt(kt / im)
    x, y, z = into_plane(mem[q, SPRING_AT], mem[q, SPRING_AT + 1], mem[q, SPRING_AT + 2], n0, n1, n2)
    x += h * s0
    y += h * s1
    z += h * s2
    f0 = -kt * x - ct * s0
    f1 = -kt * y - ct * s1
    f2 = -kt * z - ct * s2
    size = math.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    if size > p[k, MU_S] * N:
        g = p[k, MU_D] * N / size
        f0 *= g
        f1 *= g
        f2 *= g
        x = -(f0 + ct * s0) / kt
        y = -(f1 + ct * s1) / kt
        z = -(f2 + ct * s2) / kt
    mem[q, SPRING_AT] = x
    mem[q, SPRING_AT + 1] = y
    mem[q, SPRING_AT + 2] = z
    mem[q, TOUCHED] = 1.0
    return f0, f1, f2


@jit
def rolling(p, k, N, d, R, w0, w1, w2, n0, n1, n2, h, mem, q):
    """Couple on a of rolling and spinning resistance; w: angular velocity of a against b."""
    wn = w0 * n0 + w1 * n1 + w2 * n2
    w0 -= wn * n0
    w1 -= wn * n1
    w2 -= wn * n2
    arm = p[k, ROLL] + p[k, ROLL_R] * R
    spin = 0.0
    if p[k, SPIN] != 0.0:
        spin = -N * p[k, SPIN] * smooth_sign(wn, p[k, W0]) * wn
    if p[k, MEMORY] != 0.0:
        if arm == 0.0:
            return spin * n0, spin * n1, spin * n2
        kr = p[k, KT] * R * R
        if p[k, FRICTION] == MINDLIN:
            kr *= math.sqrt(R * d)
        x, y, z = into_plane(mem[q, ROLL_AT], mem[q, ROLL_AT + 1], mem[q, ROLL_AT + 2], n0, n1, n2)
        x += h * w0
        y += h * w1
        z += h * w2
        size = kr * math.sqrt(x * x + y * y + z * z)
        if size > arm * N:
            g = arm * N / size
            x *= g
            y *= g
            z *= g
        mem[q, ROLL_AT] = x
        mem[q, ROLL_AT + 1] = y
        mem[q, ROLL_AT + 2] = z
        return spin * n0 - kr * x, spin * n1 - kr * y, spin * n2 - kr * z
    r = -N * arm * smooth_sign(math.sqrt(w0 * w0 + w1 * w1 + w2 * w2), p[k, W0])
    return r * w0 + spin * n0, r * w1 + spin * n1, r * w2 + spin * n2


@jit
def touch(p, k, d, R, im, n0, n1, n2, v0, v1, v2, h, mem, q):
    """Force on a at a point: normal n from b to a, depth d, v velocity of a's material against b's; h: how long the
    memory moves on."""
    vn = v0 * n0 + v1 * n1 + v2 * n2
    if p[k, KIND] == VISCOELASTIC:
        N = relaxing(p, k, d, h, mem, q)
    else:
        N = normal(p, k, d, -vn, R, im)
    f0 = N * n0
    f1 = N * n1
    f2 = N * n2
    kind = p[k, FRICTION]
    if kind != NONE:
        v0 -= vn * n0
        v1 -= vn * n1
        v2 -= vn * n2
        if kind >= SPRING:
            g0, g1, g2 = spring(p, k, N, d, R, im, v0, v1, v2, n0, n1, n2, h, mem, q)
            return N, f0 + g0, f1 + g1, f2 + g2
        square = v0 * v0 + v1 * v1 + v2 * v2
        if kind == COULOMB:
            g = N * coulomb(p, k, square)
        else:
            g = p[k, CT]
            if g * g * square > p[k, MU_D] * p[k, MU_D] * N * N:
                g = p[k, MU_D] * N / math.sqrt(square)
        f0 -= g * v0
        f1 -= g * v1
        f2 -= g * v2
    return N, f0, f1, f2


def _hertz_bounce(alpha: float) -> float:
    """Restitution of x'' = -max(0, x^1.5 + alpha x^0.25 x'): Tsuji's law in numbers without dimension."""
    from scipy.integrate import solve_ivp

    force = lambda x, v: max(0.0, x * math.sqrt(x) + alpha * math.sqrt(math.sqrt(x)) * v) if x > 0.0 else 0.0
    out = lambda t, y: (
        y[0] * math.sqrt(max(y[0], 0.0)) + alpha * math.sqrt(math.sqrt(max(y[0], 0.0))) * y[1] if y[1] < 0.0 else 1.0
    )
    out.terminal = True  # type: ignore[attr-defined]
    x0 = 1e-9
    done = solve_ivp(
        lambda t, y: (y[1], -force(y[0], y[1])), (0.0, 1e3), (x0, 1.0), "DOP853", rtol=1e-10, atol=1e-14, events=[out]
    )
    return -float(done.y[1, -1])


@cache
def damping_of(restitution: float, hertz: bool) -> float:
    """2 zeta of LINEAR, or alpha of HERTZ, whose restitution is the one wanted (0 < e <= 1)."""
    if restitution == 1.0:
        return 0.0
    from scipy.optimize import brentq

    if hertz:
        high = 1.0
        while _hertz_bounce(high) > restitution:
            high *= 2.0
        return float(brentq(lambda a: _hertz_bounce(a) - restitution, 0.0, high, xtol=1e-10))
    high = 1.0
    while restitution_of(high) > restitution:
        high *= 2.0
    return 2.0 * float(brentq(lambda z: restitution_of(z) - restitution, 0.0, high, xtol=1e-14))


@dataclass(frozen=True)
class Law:
    """What two materials answer where they touch; equations in `holonom.granular.laws`.

    normal: IMPACT | LINEAR | HUNT_CROSSLEY | HERTZ | VISCOELASTIC; friction: NONE | COULOMB | VISCOUS | SPRING |
    MINDLIN, or "" for COULOMB where a friction coefficient is given.

    stiffness: k, force/length^exponent (IMPACT, LINEAR, HUNT_CROSSLEY; of VISCOELASTIC at once); shares, times: g_i and
    tau_i of up to four branches of VISCOELASTIC; modulus: E of HERTZ, 1/E = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b;
    damping: c of IMPACT, alpha of HUNT_CROSSLEY; restitution: of LINEAR and HERTZ, 0 < e <= 1; dmax: depth at which the
    damping of IMPACT is full. mu_static, mu_dynamic: either serves for both; transition velocities as in CONTACT;
    tangential_stiffness (SPRING; unless given 2/7 of the stiffness of a linear law), tangential_damping; shear_modulus:
    G of MINDLIN, 1/G = (2 - nu_a)/G_a + (2 - nu_b)/G_b. Raises ModelError with one sentence for numbers that are
    missing, absurd, or not used by the law.
    """

    normal: str = "IMPACT"
    stiffness: float | None = None
    exponent: float | None = None
    damping: float | None = None
    dmax: float | None = None
    modulus: float | None = None
    restitution: float | None = None
    friction: str = ""
    mu_static: float | None = None
    mu_dynamic: float | None = None
    stiction_transition_velocity: float | None = None
    friction_transition_velocity: float | None = None
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    shear_modulus: float | None = None
    rolling_resistance: float = 0.0
    rolling_coefficient: float = 0.0
    spinning_resistance: float = 0.0
    rolling_transition_velocity: float = 1e-2
    shares: tuple[float, ...] = ()
    times: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.row()

    def row(self) -> np.ndarray:
        """The row of the table (`COLUMNS` numbers)."""
        kind, friction = self.normal.upper(), self.friction.upper()
        if kind not in NORMAL:
            raise ModelError(f"grains: there is no normal law {self.normal}; choose one of {', '.join(NORMAL)}")
        given = self.mu_static is not None or self.mu_dynamic is not None
        friction = friction or ("COULOMB" if given else "NONE")
        if friction not in TANGENT:
            raise ModelError(f"grains: there is no friction law {self.friction}; choose one of {', '.join(TANGENT)}")
        used = {
            "IMPACT": ("stiffness", "exponent", "damping", "dmax"),
            "LINEAR": ("stiffness", "restitution"),
            "HUNT_CROSSLEY": ("stiffness", "exponent", "damping"),
            "HERTZ": ("modulus", "restitution"),
            "VISCOELASTIC": ("stiffness", "exponent", "shares", "times"),
        }[kind]
        of_friction = {
            "NONE": (),
            "COULOMB": ("mu_static", "mu_dynamic", "stiction_transition_velocity", "friction_transition_velocity"),
            "VISCOUS": ("mu_static", "mu_dynamic", "tangential_damping"),
            "SPRING": ("mu_static", "mu_dynamic", "tangential_stiffness", "tangential_damping"),
            "MINDLIN": ("mu_static", "mu_dynamic", "shear_modulus"),
        }[friction]
        asked = {*used, *of_friction}
        for name in (
            "stiffness",
            "exponent",
            "damping",
            "dmax",
            "modulus",
            "restitution",
            "mu_static",
            "mu_dynamic",
            "shear_modulus",
            "stiction_transition_velocity",
            "friction_transition_velocity",
            "tangential_stiffness",
            "tangential_damping",
        ):
            if getattr(self, name) is not None and name not in asked:
                raise ModelError(
                    f"grains: law {kind} with friction {friction} does not use {name}: leave it out or choose "
                    "another law"
                )
        for name in ("shares", "times"):
            if len(getattr(self, name)) and name not in asked:
                raise ModelError(
                    f"grains: law {kind} with friction {friction} does not use {name}: leave it out or choose "
                    "another law"
                )
        p = np.zeros(COLUMNS)
        p[KIND], p[FRICTION] = NORMAL[kind], TANGENT[friction]
        p[EXP] = 1.0
        if kind == "HERTZ":
            p[K] = 4.0 / 3.0 * self._number("modulus", above=0.0)
            p[EXP] = 1.5
        else:
            p[K] = self._number("stiffness", above=0.0)
        if kind in ("IMPACT", "HUNT_CROSSLEY"):
            p[EXP] = self._number("exponent", 1.5 if kind == "HUNT_CROSSLEY" else 1.0, least=1.0)
            p[DAMP] = self._number("damping", 0.0, least=0.0) * (1.5 if kind == "HUNT_CROSSLEY" else 1.0)
            p[DMAX] = self._number("dmax", 0.0, least=0.0)
        elif kind == "VISCOELASTIC":
            p[EXP] = self._number("exponent", 1.5, least=1.0)
            self._branches(p)
        else:
            p[DAMP] = damping_of(self._number("restitution", 1.0, above=0.0, most=1.0), kind == "HERTZ")
        if friction != "NONE":
            if not given:
                raise ModelError(f"grains: friction {friction} needs mu_static or mu_dynamic")
            one = self.mu_static if self.mu_static is not None else self.mu_dynamic
            p[MU_S] = self._number("mu_static", one, least=0.0)
            p[MU_D] = self._number("mu_dynamic", p[MU_S] if self.mu_dynamic is None else None, least=0.0)
        if friction == "COULOMB":
            p[VS] = self._number("stiction_transition_velocity", 1e-3, above=0.0)
            p[VD] = self._number("friction_transition_velocity", max(p[VS], 1e-3), above=0.0)
            if p[VD] < p[VS]:
                raise ModelError(
                    f"grains: friction_transition_velocity {p[VD]:g} must not be below stiction_transition_velocity "
                    f"{p[VS]:g}"
                )
            p[PER_VS] = 1.0 / p[VS]
        if friction == "VISCOUS":
            p[CT] = self._number("tangential_damping", above=0.0)
        if friction == "SPRING":
            linear = p[EXP] == 1.0
            p[KT] = self._number("tangential_stiffness", 2.0 / 7.0 * p[K] if linear else None, above=0.0)
            p[CT] = self._number("tangential_damping", 0.0, least=0.0)
        if friction == "MINDLIN":
            if kind != "HERTZ":
                raise ModelError(
                    f"grains: friction MINDLIN requires the normal law HERTZ, not with {kind}: choose SPRING"
                )
            p[KT] = 8.0 * self._number("shear_modulus", above=0.0)
            p[CT] = p[DAMP] * math.sqrt(
                2.0 / 3.0
            )  # Tsuji's: the same multiple of sqrt(m k), k the tangent stiffness 3/2 K sqrt(d)
        p[MEMORY] = friction in ("SPRING", "MINDLIN")
        p[ROLL] = self._number("rolling_resistance", least=0.0)
        p[ROLL_R] = self._number("rolling_coefficient", least=0.0)
        p[SPIN] = self._number("spinning_resistance", least=0.0)
        p[W0] = self._number("rolling_transition_velocity", above=0.0)
        p[ROLLS] = bool(p[ROLL] or p[ROLL_R] or p[SPIN])
        p[CURVED] = bool(kind == "HERTZ" or p[ROLLS])  # whether it requests the reduced radius
        return p

    def _branches(self, p: np.ndarray) -> None:
        g, tau = np.asarray(self.shares, float), np.asarray(self.times, float)
        if g.ndim != 1 or g.shape != tau.shape or len(g) > BRANCHES:
            raise ModelError(
                f"grains: VISCOELASTIC takes shares and times of the same number of branches, at most {BRANCHES}"
            )
        if not (np.isfinite(g).all() and (g >= 0.0).all() and g.sum() <= 1.0 + 1e-12):
            raise ModelError(
                f"grains: the shares of VISCOELASTIC must be 0 or more and sum to at most 1, they sum to {g.sum():g}"
            )
        if not (np.isfinite(tau).all() and (tau > 0.0).all()):
            raise ModelError("grains: the times of VISCOELASTIC must be above 0")
        p[SHARE : SHARE + len(g)] = g
        p[TAU : TAU + BRANCHES] = 1.0
        p[TAU : TAU + len(tau)] = tau

    def _number(
        self,
        name: str,
        default: float | None = None,
        *,
        above: float | None = None,
        least: float | None = None,
        most: float | None = None,
    ) -> float:
        x = getattr(self, name)
        if x is None:
            x = default
        if x is None:
            raise ModelError(f"grains: law {self.normal.upper()} needs {name}")
        x = float(x)
        if (
            not math.isfinite(x)
            or (above is not None and x <= above)
            or (least is not None and x < least)
            or (most is not None and x > most)
        ):
            wanted = [
                f"above {above:g}" if above is not None else "",
                f"at least {least:g}" if least is not None else "",
                f"at most {most:g}" if most is not None else "",
            ]
            raise ModelError(f"grains: {name} must be {' and '.join(w for w in wanted if w) or 'finite'}, it is {x:g}")
        return x

    def contact_time(self, mass: float, R: float, speed: float | None = None) -> float:
        """How long an elastic impact of the reduced mass takes; laws that are not linear: at ``speed`` (1e-3 of a
        radius per ... not known: needed)."""
        p = self.row()
        if p[EXP] == 1.0:
            return math.pi * math.sqrt(mass / p[K])
        k = p[K] * math.sqrt(R) if p[KIND] == HERTZ else p[K]
        n = p[EXP]
        if not speed:
            raise ModelError(
                f"grains: the contact time of {self.normal.upper()} depends on the speed of the impact: give speed"
            )
        deep = (0.5 * (n + 1.0) * mass * speed**2 / k) ** (1.0 / (n + 1.0))
        x = 1.0 / (n + 1.0)
        return 2.0 * deep / speed * math.sqrt(math.pi) * math.gamma(1.0 + x) / math.gamma(0.5 + x)

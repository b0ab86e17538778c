"""WHEEL_RAIL: a wheel on a rail of a track.  `contact` has where and how they touch, `ellipse` Hertz's and Kalker's
numbers, `creep` the laws, `track` the line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...._jit import jit
from ....model.base import Element, ModelError
from ....model.builder.teaching import sound
from ....model.values import listed, number, number_matrix, whole, word_of
from ...duals import SEED, slope
from ...kinds import ForceKind
from ...vectors import cross, rotate
from ..passing import passing, time_to_pass
from ..tyres.kernels import moved, react, seed, seen
from . import contact as at
from .contact import local, patch, wrench
from .creep import CREEP_DUALS, CREEP_REAL, LAWS
from .curve import rail_in_track, resampled
from .ellipse import ellipse_table
from .track import SIDES, RailTrack

STEEPEST = math.radians(80.0)
BLEND = 2e-4  # m, over which the flange's share of the profile grows
MOST = 4000  # points of a profile

#: what `watch` writes of each patch, and before these s along the track, lateral position and height of the wheel's
# centre
#: in the track, roll and yaw of its axle, forward speed
WATCHED = ("depth", "normal", "x", "y", "z", "angle", "a", "b", "xi", "eta", "phi", "fx", "fy", "mz", "radius")
PLACED = ("s", "lateral", "height", "roll", "yaw", "speed", "Y", "Q")


@dataclass
class WheelRail(Element):
    """WHEEL_RAIL: the wheel of marker ``i`` (its centre, y axis along the axle, to the left of forward travel) on a
    rail of a RAIL_TRACK, whose marker is ``j``.

    ``side``: LEFT or RIGHT; ``radius``: at y = 0 of ``profile``, rows (y, dr): y away from the middle of the track, dr
    the radius beyond ``radius``;
    ``law``: of `creep`; ``mu``:
    friction, ``mu_share`` of which is left at high sliding speeds, falling with ``mu_rate`` (time/length); ``young``,
    ``poisson``: of both bodies;
    ``damping``: chi (time/length) of N = N0 (1 + chi delta');
    ``slow``: speed; ``smoothing``: eps (length); ``flange_angle``: slope of the profile from which on it is the flange
    (rad); ``reduction``: k_A, k_S of POLACH; ``elements``: n of
    FASTSIM; ``samples``: distance of the points of the profile; ``coefficients``: C_11, C_22, C_23, C_33 in place of
    Kalker's, which follow the ellipse.
    """

    KIND: ClassVar[str] = "WHEEL_RAIL"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    REFERENCES: ClassVar[dict[str, str]] = {"i": "MARKER", "j": "MARKER", "track": "RAIL_TRACK"}
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"side": SIDES, "law": tuple(LAWS)}
    i: int = 0
    j: int = 0
    track: int = 0
    side: str = "LEFT"
    radius: float = 0.0
    profile: tuple[tuple[float, float], ...] = ()
    law: str = "POLACH"
    mu: float = 0.3
    mu_share: float = 1.0
    mu_rate: float = 0.0
    young: float = 0.0
    poisson: float = 0.27
    damping: float = 0.0
    slow: float = 0.0
    smoothing: float = 0.0
    flange_angle: float = 0.0
    reduction: tuple[float, float] = (1.0, 1.0)
    elements: int = 10
    samples: float = 0.0
    coefficients: tuple[float, ...] = ()

    def faults(self, model):
        """Invalid values: sizes that are not positive, shares beyond one, a profile that is none."""
        for name in ("radius", "mu", "young", "slow", "smoothing", "samples"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        for name in ("damping", "mu_rate"):
            if getattr(self, name) < 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"
        if not 0.0 <= self.poisson <= 0.5:
            yield f"poisson is {self.poisson:g}; give a number from 0 to 0.5"
        if not 0.0 < self.mu_share <= 1.0:
            yield f"mu_share is {self.mu_share:g}; give a share above 0, up to 1"
        k = self.reduction
        if len(k) != 2 or not 0.0 < k[1] <= k[0] <= 1.0:
            yield f"reduction is {tuple(k)}; give k_A and k_S with 0 < k_S <= k_A <= 1"
        if self.coefficients and not (
            len(self.coefficients) == 4 and min(self.coefficients[:2]) > 0.0 and min(self.coefficients) >= 0.0
        ):
            yield (
                f"coefficients is {tuple(self.coefficients)}; give C_11, C_22, C_23, C_33, the first two above zero, "
                "or nothing for Kalker's"
            )
        if not 2 <= self.elements <= 200:
            yield f"elements is {self.elements}; give 2 to 200"
        if len(self.profile) < 5:
            yield f"profile has {len(self.profile)} points; give five or more rows (y, dr)"
        elif self.samples > 0.0 and np.ptp(np.asarray(self.profile, float)[:, 0]) / self.samples > MOST:
            yield f"samples is {self.samples:g}, which makes more than {MOST} points; give a larger distance"
        if self.track in model.table("RAIL_TRACK") and model.table("RAIL_TRACK")[self.track].marker != self.j:
            yield (
                f"its marker J is {self.j} and that of the track {model.table('RAIL_TRACK')[self.track].marker}; "
                "give the track alone"
            )

    def losses(self) -> str:
        return "damped"


def wheel_rail(
    model,
    i,
    track,
    *,
    side: str,
    radius: float,
    profile,
    law: str = "POLACH",
    mu: float = 0.3,
    mu_share: float = 1.0,
    mu_rate: float = 0.0,
    young: float | None = None,
    poisson: float = 0.27,
    damping: float | None = None,
    slow: float | None = None,
    smoothing: float | None = None,
    flange_angle: float = math.radians(40.0),
    reduction=(1.0, 1.0),
    elements: int = 10,
    samples: float | None = None,
    coefficients=(),
    name: str = "",
    id: int = 0,
) -> WheelRail:
    """The wheel of marker ``i`` (origin its centre, y axis along the axle, to the left of forward travel) on the LEFT
    or RIGHT rail of ``track`` (`rail_track`); `holonom.elements.forces.rails` has the equations.

    ``radius``: length; ``profile``: rows (y, dr) in units of the model, or one of `holonom.rail.profiles`; ``law``:
    LINEAR, JOHNSON_VERMEULEN, SHEN_HEDRICK_ELKINS, POLACH
    (default) or FASTSIM; ``young``: default 210 GPa; ``damping``: default 2 s/m; ``slow``: below which creepages no
    longer grow, default 0.1 m/s;
    ``smoothing``: default
    5 micrometres; ``samples``: default 0.25 mm; ``coefficients``: C_11, C_22, C_23, C_33 of another theory or a
    measurement in place of Kalker's.  Raises `ModelError` for invalid dimensions and profiles.

        model.wheel_rail(left, track, side="LEFT", radius=0.46, profile=hn.rail.s1002(), mu=0.35)
    """
    units = model.units
    metre, second = 1.0 / units.si_length, 1.0 / units.si_time
    found = track if isinstance(track, RailTrack) else model.find("RAIL_TRACK", track)
    if model.table("RAIL_TRACK").get(found.id) is not found:
        raise found.error("it is a track of another model; make one of this")
    points = profile.points(units) if hasattr(profile, "points") else profile
    pascal = 1.0 / (units.si_force / units.si_length**2)
    one = lambda value, default, what: default if value is None else number(value, what)
    e = WheelRail(
        id=id,
        name=name,
        i=model._marker(i),
        j=found.marker,
        track=found.id,
        side=word_of(side, "side", SIDES),
        radius=number(radius, "radius"),
        profile=tuple(tuple(r) for r in number_matrix(points, "profile", columns=2).tolist()),
        law=word_of(law, "law", tuple(LAWS)),
        mu=number(mu, "mu"),
        mu_share=number(mu_share, "mu_share"),
        mu_rate=number(mu_rate, "mu_rate"),
        young=one(young, 210e9 * pascal, "young"),
        poisson=number(poisson, "poisson"),
        damping=one(damping, 2.0 * second / metre, "damping"),
        slow=one(slow, 0.1 * metre / second, "slow"),
        smoothing=one(smoothing, 5e-6 * metre, "smoothing"),
        flange_angle=number(flange_angle, "flange_angle"),
        reduction=tuple(number(v, "reduction") for v in listed(reduction, "reduction", "two numbers")),  # type: ignore[arg-type]  # `faults` counts them
        elements=whole(elements, "elements"),
        samples=one(samples, 2.5e-4 * metre, "samples"),
        coefficients=tuple(number(v, "coefficients") for v in listed(coefficients, "coefficients", "numbers")),
    )
    return model.add(sound(e, model))


def wheel_points(e: WheelRail, metre: float) -> np.ndarray:
    """Points of the profile as `contact` reads them, of a left wheel: axial position, radius, slope, curvature, share
    of the flange."""
    rows = resampled(e.profile, e.samples, STEEPEST)
    share = np.zeros(len(rows))
    steep = np.flatnonzero((rows[:, 0] < 0.0) & (np.abs(rows[:, 2]) > math.tan(e.flange_angle)))
    if len(steep):
        edge = rows[steep.max(), 0]
        share = 1.0 / (1.0 + np.exp(np.clip((rows[:, 0] - edge) / (BLEND * metre), -50.0, 50.0)))
    return np.column_stack([rows[:, 0], e.radius + rows[:, 1], rows[:, 2], rows[:, 3], share])


def rail_nodes(track: RailTrack, step: float) -> tuple[float, np.ndarray]:
    """First y of the left rail in axes of the track, and its nodes (height, slope, curvature), evenly ``step``
    apart."""
    from scipy.interpolate import CubicHermiteSpline

    rows = resampled(
        rail_in_track(track.rail, track.gauge, track.gauge_depth, track.inclination) - [0.5 * track.gauge, 0.0],
        0.2 * step,
        STEEPEST,
    )
    rows[:, 0] += 0.5 * track.gauge
    y = np.arange(math.ceil(rows[0, 0] / step), math.floor(rows[-1, 0] / step) + 1) * step
    z = CubicHermiteSpline(rows[:, 0], rows[:, 1], rows[:, 2])
    return float(y[0]), np.column_stack([z(y), z(y, 1), np.interp(y, rows[:, 0], rows[:, 3])])


def ellipses(e: WheelRail) -> np.ndarray:
    """`ellipse_table` of the wheel's steel, with coefficients that were given at all ratios."""
    table = ellipse_table(e.poisson)
    if e.coefficients:
        table = table.copy()
        table[:, 6::2], table[:, 7::2] = np.log(np.maximum(e.coefficients, 1e-30)), 0.0
    return table


def values(e: WheelRail, model) -> list[float]:
    """Numbers of a wheel, a rail and a track."""
    metre = 1.0 / model.units.si_length
    track = model.table("RAIL_TRACK")[e.track]
    try:
        wheel = wheel_points(e, metre)
        first, rail = rail_nodes(track, 1e-4 * metre)
    except ModelError as error:
        raise e.error(str(error)) from None
    if e.side == "RIGHT":
        wheel = wheel[::-1] * [-1.0, 1.0, -1.0, 1.0, 1.0]
        first = -(first + 1e-4 * metre * (len(rail) - 1))
        rail = rail[::-1] * [1.0, -1.0, 1.0]
    head = np.zeros(at.HEAD)
    head[at.SIDE] = float(SIDES.index(e.side))
    head[at.MU], head[at.FALL], head[at.FALL_RATE] = e.mu, e.mu_share, e.mu_rate
    head[at.HARD] = 2.0 * math.pi / 3.0 * e.young / (2.0 * (1.0 - e.poisson**2))
    head[at.DAMPING], head[at.SLOW], head[at.EPS] = e.damping, e.slow, e.smoothing
    head[at.REACH] = math.sqrt(2.0 * math.pi * e.smoothing * 0.3 * metre)
    head[at.DS] = e.samples
    head[at.FLAT] = 0.05 / metre
    head[at.BEND] = 1.5e-4 * metre
    head[at.PATCHES] = 2.0 if wheel[:, 4].max() > 0.5 else 1.0
    head[at.SAMPLES], head[at.RAIL_NODES], head[at.RAIL_FIRST], head[at.RAIL_STEP] = (
        len(wheel),
        len(rail),
        first,
        1e-4 * metre,
    )
    from ...._address import address_of

    law = LAWS[e.law]
    head[at.LAW] = address_of(law, CREEP_REAL.arguments, CREEP_REAL.result)
    creep = [e.young / (2.0 * (1.0 + e.poisson)), *e.reduction, float(e.elements)]
    blocks = [head, creep, wheel.ravel(), rail.ravel(), ellipses(e).ravel(), track.parameters(metre)]
    starts = np.cumsum([0, *(len(b) for b in blocks)])
    head[at.CREEP_AT], head[at.SAMPLES_AT], head[at.RAIL_AT], head[at.ELLIPSE_AT], head[at.TRACK_AT] = starts[1:6]
    return np.concatenate(blocks).tolist()


def late(e: WheelRail, model, c) -> None:
    from ...._address import address_of

    c[at.LAW_DUAL] = address_of(LAWS[e.law], CREEP_DUALS.arguments, CREEP_DUALS.result)


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    z = seen(fr, f[0], f[1])
    f0, f1, f2, m0, m1, m2, energy = wrench(
        c, (z[0], z[1], z[2]), (z[3], z[4], z[5]), (z[6], z[7], z[8]), (z[9], z[10], z[11])
    )
    t0, t1, t2 = cross(z[0], z[1], z[2], f0, f1, f2)
    j = f[1]
    W[0], W[1], W[2] = rotate(fr.A, j, f0, f1, f2)
    W[3], W[4], W[5] = rotate(fr.A, j, m0, m1, m2)
    W[9], W[10], W[11] = rotate(fr.A, j, -m0 - t0, -m1 - t1, -m2 - t2)
    W[6], W[7], W[8] = -W[0], -W[1], -W[2]


@jit(_nrt=True)
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    z = seen(fr, i, j)
    J = np.zeros((6, 12))  # by d, turns of e, v, w, in the axes of the track's marker
    for k in range(12):
        t0, t1, t2 = cross(1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0, z[3], z[4], z[5])
        o = wrench(
            c,
            (z[0] + seed(k == 0), z[1] + seed(k == 1), z[2] + seed(k == 2)),
            (complex(z[3], SEED * t0), complex(z[4], SEED * t1), complex(z[5], SEED * t2)),
            (z[6] + seed(k == 6), z[7] + seed(k == 7), z[8] + seed(k == 8)),
            (z[9] + seed(k == 9), z[10] + seed(k == 10), z[11] + seed(k == 11)),
        )
        J[0, k] = slope(o[0])
        J[1, k] = slope(o[1])
        J[2, k] = slope(o[2])
        J[3, k] = slope(o[3])
        J[4, k] = slope(o[4])
        J[5, k] = slope(o[5])
    p0, p1, p2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    for column in range(24):
        a0, a1, a2, b0, b1, b2, c0, c1, c2, h0, h1, h2, q0, q1, q2 = moved(fr, i, j, column, z)
        o0, o1, o2, o3, o4, o5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(6):
            g = J[n]
            y = g[0] * a0 + g[1] * a1 + g[2] * a2 + g[3] * b0 + g[4] * b1 + g[5] * b2
            y += g[6] * c0 + g[7] * c1 + g[8] * c2 + g[9] * h0 + g[10] * h1 + g[11] * h2
            if n == 0:
                o0 = y
            elif n == 1:
                o1 = y
            elif n == 2:
                o2 = y
            elif n == 3:
                o3 = y
            elif n == 4:
                o4 = y
            else:
                o5 = y
        f0, f1, f2 = rotate(fr.A, j, o0, o1, o2)
        m0, m1, m2 = rotate(fr.A, j, o3, o4, o5)
        react(W, D, column, (p0, p1, p2), (q0, q1, q2), (f0, f1, f2), (m0, m1, m2))


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    z = seen(fr, f[0], f[1])
    g, d, e, v, w, s = local(c, (z[0], z[1], z[2]), (z[3], z[4], z[5]), (z[6], z[7], z[8]), (z[9], z[10], z[11]))
    out[0] = 0.0
    # along the motion
    t0, t1, t2 = cross(z[9], z[10], z[11], z[3], z[4], z[5])
    g, dd, de, dv, dw, s = local(
        c,
        (complex(z[0], SEED * z[6]), complex(z[1], SEED * z[7]), complex(z[2], SEED * z[8])),
        (complex(z[3], SEED * t0), complex(z[4], SEED * t1), complex(z[5], SEED * t2)),
        (z[6] + 0j, z[7] + 0j, z[8] + 0j),
        (z[9] + 0j, z[10] + 0j, z[11] + 0j),
    )
    rate = 0.0
    for part in range(int(c[at.PATCHES])):
        stored = at.elastic(c, part, dd[0], dd[1], de[0], de[1], de[2])
        out[0] += stored.real
        rate += slope(stored)
    power = 0.0
    for k in range(2):
        for i in range(3):
            power += W[6 * k + i] * fr.v[f[k], i] + W[6 * k + 3 + i] * fr.w[f[k], i]
    out[1] = -power - rate
    out[2] = 0.0


@jit(entry="float64[::1], int64[::1], Frames, float64[::1]")
def watch(c, f, fr, out):
    """`PLACED`, then `WATCHED` of each patch."""
    z = seen(fr, f[0], f[1])
    g, d, e, v, w, s = local(c, (z[0], z[1], z[2]), (z[3], z[4], z[5]), (z[6], z[7], z[8]), (z[9], z[10], z[11]))
    out[:] = 0.0
    out[0], out[1], out[2], out[3], out[4], out[5] = s, d[0], d[1], math.asin(e[2]), math.asin(-e[0]), v[0]
    for part in range(int(c[at.PATCHES])):
        p = patch(c, part, (d[0], d[1]), (e[0], e[1], e[2]), (v[0], v[1], v[2]), (w[0], w[1], w[2]))
        out[6] += p[1]
        out[7] += p[2]
        for k in range(15):
            out[8 + 15 * part + k] = p[7 + k]


def horizon(k: int, system, tables, t: float, y: np.ndarray) -> float:
    """Time within which the wheel rolls as far as its radius, or over two points of the irregularities: what it meets
    there, it meets in a step of its own, and its contact, far stiffer than errors of positions show, does not swing
    between steps."""
    e = system.ports.elements[k]
    track = system.model.table("RAIL_TRACK")[e.track]
    fine = 2.0 * track.spacing if len(track.irregularities) else e.radius
    return time_to_pass(passing(system, k, y), e.radius, 0.0, waves=(-math.inf, math.inf, min(e.radius, fine)))


KIND = ForceKind(
    WheelRail,
    wheel_rail,
    force,
    tangent,
    energies,
    values,
    late=late,
    horizon=horizon,
    laws=tuple((law, form) for law in LAWS.values() for form in (CREEP_REAL, CREEP_DUALS)),
)

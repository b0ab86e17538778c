"""PNEUMATIC_CYLINDER: a double-acting cylinder between two markers with pressure and temperature of the air in each
chamber as states, fed through a five-way valve.

With the length R from J (the barrel's eye) to I (the rod's eye) and the stroke s = R - length (0 fully in, ``stroke``
fully out):

    volumes       V_a = dead_a + area_a s,      V_b = dead_b + area_b (stroke - s)
    first law     V p' = gamma sum G + (gamma - 1) wall (T0 - T) - gamma p V'
    mass          T' = T (p'/p + V'/V - T/(p V) sum G/T_u)
    force on I    f = area_a (p_a - p0) - area_b (p_b - p0) - viscous s' + stops,  positive pushes apart
    orifices      G = R T_u m' = C p_u p_n (T_u/T_n)^(1/2) phi(p_d/p_u)   from the higher pressure p_u to the lower p_d
                  phi(r) = 1 for r <= b,  (1 - ((r - b)/(1 - b))^2)^(1/2) up to r = 0.999, then a line to phi(1) = 0
    valve         opening u > 0:  supply -> a,  b -> ambient;  u < 0:  supply -> b,  a -> ambient;  C = conductance |u|
    leakage       an orifice of conductance ``leakage`` between the chambers
    stops         stop_stiffness times the travel past either end

Pressures are absolute.  m' is a mass flow, R the gas constant, T_u the temperature of what flows; G, pressure times
volume over time, is all that the laws need of both.  p_n = 1 bar and T_n = 293.15 K are those of the sonic conductance
C of ISO 6358 (volume over time and pressure), b is the critical pressure ratio.  wall = 0 is adiabatic, and a large one
isothermal.

Source: ISO 6358-1:2013 (orifices, laminar flow near equal pressures); E. Richer, Y. Hurmuzlu, J. Dyn. Sys. Meas.
Control 122 (2000) 416 (chambers); P. Beater, Pneumatic Drives (2007), ch. 3 to 5.

Energy.  A chamber stores p V/(gamma - 1) and the work p0 V against the air around; what flows carries the enthalpy
gamma/(gamma - 1) G.  Supply, walls, friction, exhaust and machine balance exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..._jit import jit
from ...model.base import Element, ModelError
from ...model.builder.bodies import expression
from ...model.builder.teaching import sound
from ...model.forces import IJ
from ...model.values import number, number_fields
from ..kinds import ForceKind
from ._cylinder import drawing_faults, size_faults
from .line import along_line, line, line_column, line_rows, line_tangent

POSITIVE = ("area_a", "stroke", "dead_a", "dead_b", "supply", "ambient", "temperature", "pressure_a", "pressure_b")
NOT_NEGATIVE = ("area_b", "conductance", "leakage", "wall", "viscous", "stop_stiffness")
BAR, ATMOSPHERE = 1e5, 101325.0  # [Pa]: of sonic conductances; around
NORMAL = 293.15  # temperature of sonic conductances [K]
LAMINAR = 0.999  # ratio of pressures from which flow is linear (ISO 6358)


@dataclass
class PneumaticCylinder(Element):
    """PNEUMATIC_CYLINDER: double-acting cylinder from J (barrel) to I (rod) with pressure and temperature of both
    chambers as states; positive force pushes apart.

    ``area_a``, ``area_b``: piston and ring area; ``length``: DM(I, J) fully in; ``stroke``; ``dead_a``, ``dead_b``:
    volumes left at the ends; ``supply``, ``ambient``: absolute pressures; ``temperature`` of both [K];
    ``conductance``: sonic conductance of the open valve (ISO 6358, volume over time and pressure); ``critical``: its
    critical pressure ratio; ``leakage``: conductance past the piston; ``gamma``: ratio of specific heats; ``wall``:
    heat conductance of each chamber (power over K); ``viscous``: force*time/length; ``opening``: expression, 1 fully
    open to push out, -1 to pull in; ``stop_stiffness``: force/length; ``pressure_a``, ``pressure_b``: at the start.
    """

    KIND: ClassVar[str] = "PNEUMATIC_CYLINDER"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Pneumatic_Cylinder"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    area_a: float = 0.0
    area_b: float = 0.0
    length: float = 0.0
    stroke: float = 0.0
    dead_a: float = 0.0
    dead_b: float = 0.0
    supply: float = 0.0
    ambient: float = 0.0
    temperature: float = NORMAL
    conductance: float = 0.0
    critical: float = 0.3
    leakage: float = 0.0
    gamma: float = 1.4
    wall: float = 0.0
    viscous: float = 0.0
    opening: str = "0"
    stop_stiffness: float = 0.0
    pressure_a: float = 0.0
    pressure_b: float = 0.0

    def faults(self, model):
        """Invalid values: sizes that are not positive, ratios out of their range, a drawn distance without volume."""
        yield from size_faults(self, POSITIVE, NOT_NEGATIVE)
        if not 0.0 <= self.critical < LAMINAR:
            yield f"critical is {self.critical:g}; give a ratio from 0 to 0.9 (0.2 to 0.5 of valves)"
        if not self.gamma > 1.0:
            yield f"gamma is {self.gamma:g}; give the ratio of specific heats, 1.4 of air"
        yield from drawing_faults(self, model)

    def losses(self) -> str:
        return "driven"


def pneumatic_cylinder(
    model,
    i,
    j,
    *,
    area_a: float,
    area_b: float,
    stroke: float,
    supply: float,
    conductance: float,
    critical: float = 0.3,
    opening=0.0,
    length: float | None = None,
    dead_a: float | None = None,
    dead_b: float | None = None,
    ambient: float | None = None,
    temperature: float = NORMAL,
    leakage: float = 0.0,
    gamma: float = 1.4,
    wall: float = 0.0,
    viscous: float = 0.0,
    stop_stiffness: float | None = None,
    pressure_a: float | None = None,
    pressure_b: float | None = None,
    name: str = "",
    id: int = 0,
) -> PneumaticCylinder:
    """Double-acting pneumatic cylinder from marker ``j`` (barrel) to marker ``i`` (rod) with a five-way valve;
    `holonom.elements.forces.pneumatic_cylinder` has the equations.

    Areas, volumes and absolute pressures in the model's units.  ``conductance``: sonic conductance C of the open valve
    as in its data sheet (ISO 6358; 1 dm^3/(s bar) is 1e-8 m^3/(s Pa)), ``critical``: its b; ``wall``: heat conductance
    of each chamber to the surroundings, 0 adiabatic.  ``length``: distance of the markers fully in, by default as
    drawn; ``dead_a``, ``dead_b``: by default 5 % of the swept volumes; ``ambient``: by default 1.01325 bar, as are both
    pressures at the start; ``opening``: an expression or a number, 1 pushes out, -1 pulls in; ``stop_stiffness``: by
    default such that the force of the supply goes a thousandth of the stroke past the end.  Pressure and temperature of
    both chambers are states of the results.  Raises `ModelError` for sizes that are not positive and what is no
    expression.

        gripper = model.pneumatic_cylinder(rod_eye, barrel_eye, area_a=5e-4, area_b=4e-4, stroke=0.1, supply=7e5,
            conductance=2e-8, opening="STEP(TIME, 0, 0, 0.01, 1)")
    """
    i, j = model._marker(i), model._marker(j)
    given = dict(
        area_a=area_a,
        area_b=area_b,
        stroke=stroke,
        supply=supply,
        conductance=conductance,
        critical=critical,
        temperature=temperature,
        leakage=leakage,
        gamma=gamma,
        wall=wall,
        viscous=viscous,
    )
    sizes = number_fields(**given)
    swept = [max(sizes[a], 0.0) * sizes["stroke"] for a in ("area_a", "area_b")]
    around = ATMOSPHERE / model.units.si("modulus") if ambient is None else number(ambient, "ambient")
    defaults = dict(
        length=lambda: math.dist(model._place(i).origin, model._place(j).origin),
        dead_a=lambda: 0.05 * swept[0],
        dead_b=lambda: 0.05 * (swept[1] or swept[0]),
        ambient=lambda: around,
        stop_stiffness=lambda: 1e3 * sizes["supply"] * sizes["area_a"] / sizes["stroke"] if sizes["stroke"] else 0.0,
        pressure_a=lambda: around,
        pressure_b=lambda: around,
    )
    asked = dict(
        length=length,
        dead_a=dead_a,
        dead_b=dead_b,
        ambient=ambient,
        stop_stiffness=stop_stiffness,
        pressure_a=pressure_a,
        pressure_b=pressure_b,
    )
    sizes |= {name: defaults[name]() if value is None else number(value, name) for name, value in asked.items()}
    text = expression(opening, "opening")
    if callable(text):
        raise ModelError("opening is a Python function; give an expression, or VARVAL(id) of a variable that has one")
    made = model.add(sound(PneumaticCylinder(id=id, name=name, i=i, j=j, opening=text, **sizes), model))
    if made.supply < made.ambient:
        model.warn(
            f"{made.label}: supply is {made.supply:g}, below ambient, {made.ambient:g}: pressures are absolute; add "
            "the pressure around"
        )
    return made


NUMBERS = (
    "area_a",
    "area_b",
    "length",
    "stroke",
    "dead_a",
    "dead_b",
    "supply",
    "ambient",
    "temperature",
    "conductance",
    "critical",
    "leakage",
    "gamma",
    "wall",
    "viscous",
    "stop_stiffness",
)
(
    AREA_A,
    AREA_B,
    LENGTH,
    STROKE,
    DEAD_A,
    DEAD_B,
    SUPPLY,
    AMBIENT,
    TEMPERATURE,
    CONDUCTANCE,
    CRITICAL,
    LEAKAGE,
    GAMMA,
    WALL,
    VISCOUS,
    STOP,
    REFERENCE,
) = range(len(NUMBERS) + 1)


def values(e, model):
    return [*(getattr(e, name) for name in NUMBERS), BAR / model.units.si("modulus")]


def states(e, place):
    return e.pressure_a, e.temperature, e.pressure_b, e.temperature


def inputs(e, model):
    return (e.opening,)


@jit
def throttle(r, b):
    """phi(r) and its derivative."""
    if r <= b:
        return 1.0, 0.0
    if r >= LAMINAR:
        steep = -math.sqrt(1.0 - ((LAMINAR - b) / (1.0 - b)) ** 2) / (1.0 - LAMINAR)
        return steep * (r - 1.0), steep
    x = (r - b) / (1.0 - b)
    y = math.sqrt(1.0 - x * x)
    return y, -x / (y * (1.0 - b))


@jit
def flow(c, size, p, t, q, w):
    """G from a place (p, t) to a place (q, w) through an orifice of conductance ``size``, the temperature of what
    flows, and derivatives of G by p, q and that temperature."""
    forth = p >= q
    up, down, warm = (p, q, t) if forth else (q, p, w)
    r = down / up
    y, steep = throttle(r, c[CRITICAL])
    k = size * c[REFERENCE] * math.sqrt(warm / NORMAL)
    g = k * up * y
    by_up = k * (y - r * steep)
    by_down = k * steep
    if forth:
        return g, warm, by_up, by_down, 0.5 * g / warm
    return -g, warm, -by_down, -by_up, -0.5 * g / warm


@jit
def lines(c, u):
    """Pressures of the lines at a and at b."""
    return (c[SUPPLY], c[AMBIENT]) if u > 0.0 else (c[AMBIENT], c[SUPPLY])


@jit
def push(c, s, sd, pa, pb):
    """The force, and its derivative with respect to s."""
    f = c[AREA_A] * (pa - c[AMBIENT]) - c[AREA_B] * (pb - c[AMBIENT]) - c[VISCOUS] * sd
    if s < 0.0:
        return f - c[STOP] * s, -c[STOP]
    if s > c[STROKE]:
        return f - c[STOP] * (s - c[STROKE]), -c[STOP]
    return f, 0.0


@jit
def chamber(c, side, s):
    """Volume of a chamber, and its derivative by s."""
    if side == 0:
        return c[DEAD_A] + c[AREA_A] * s, c[AREA_A]
    return c[DEAD_B] + c[AREA_B] * (c[STROKE] - s), -c[AREA_B]


@jit
def rates(c, v, area, sd, p, t, g, n):
    """(p', T') of a chamber of volume v, V' = area sd; g: sum of G, n: of G over temperatures."""
    pd = (c[GAMMA] * g + (c[GAMMA] - 1.0) * c[WALL] * (c[TEMPERATURE] - t) - c[GAMMA] * p * area * sd) / v
    return pd, t * (pd / p + area * sd / v - n * t / (p * v))


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    r, sd, n = line(f[0], f[1], fr)
    s = r - c[LENGTH]
    along_line(push(c, s, sd, x[0], x[2])[0], n, W)
    across = flow(c, c[LEAKAGE], x[2], x[3], x[0], x[1])  # from b to a
    for side in range(2):
        v, area = chamber(c, side, s)
        p, warm = x[2 * side], x[2 * side + 1]
        if not (v > 0.0 and p > 0.0 and warm > 0.0):  # the piston has left the barrel: no number is right
            xd[2 * side] = xd[2 * side + 1] = math.nan
            continue
        feed = flow(c, c[CONDUCTANCE] * abs(u[0]), lines(c, u[0])[side], c[TEMPERATURE], p, warm)
        own = across[0] if side == 0 else -across[0]
        pd, td = rates(c, v, area, sd, p, warm, feed[0] + own, feed[0] / feed[1] + own / across[1])
        xd[2 * side], xd[2 * side + 1] = pd, td


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    r, sd, n = line(i, j, fr)
    s = r - c[LENGTH]
    value, slope = push(c, s, sd, x[0], x[2])
    line_tangent(i, j, fr, value, slope, -c[VISCOUS], D)
    line_column(c[AREA_A], n, 24, D)
    line_column(-c[AREA_B], n, 26, D)
    gamma = c[GAMMA]
    across = flow(c, c[LEAKAGE], x[2], x[3], x[0], x[1])
    for side in range(2):
        v, area = chamber(c, side, s)
        p, warm = x[2 * side], x[2 * side + 1]
        row, other = 12 + 2 * side, 24 + 2 * (1 - side)
        here = 24 + 2 * side
        feed = flow(c, c[CONDUCTANCE] * abs(u[0]), lines(c, u[0])[side], c[TEMPERATURE], p, warm)
        sign = 1.0 if side == 0 else -1.0
        total = feed[0] + sign * across[0]
        cold = feed[0] / feed[1] + sign * across[0] / across[1]
        pd, td = rates(c, v, area, sd, p, warm, total, cold)
        k = warm / (p * v)
        by_s = -pd * area / v
        by_sd = -gamma * p * area / v
        line_rows(i, j, fr, r, sd, n, by_s, by_sd, row, D)
        line_rows(
            i, j, fr, r, sd, n,
            warm * (by_s / p - area * area * sd / (v * v) + cold * k * area / v),
            warm * (by_sd / p + area / v), row + 1, D,
        )  # fmt: skip
        # of sums by pressures and temperatures of both chambers: own p, own T, those of the other
        mine = feed[0] <= 0.0  # what flows to the line has the temperature of this chamber
        g_p = feed[3] + sign * (across[3] if side == 0 else across[2])
        n_p = feed[3] / feed[1] + sign * (across[3] if side == 0 else across[2]) / across[1]
        g_t = feed[4] if mine else 0.0
        n_t = (feed[4] - feed[0] / feed[1]) / feed[1] if mine else 0.0
        from_b = across[0] >= 0.0
        warms = sign * across[4]
        cools = sign * (across[4] - across[0] / across[1]) / across[1]
        ours = from_b == (side == 1)
        if ours:
            g_t += warms
            n_t += cools
        g_q = sign * (across[2] if side == 0 else across[3])
        n_q = g_q / across[1]
        g_w = 0.0 if ours else warms
        n_w = 0.0 if ours else cools
        pd_p = (gamma * g_p - gamma * area * sd) / v
        pd_t = (gamma * g_t - (gamma - 1.0) * c[WALL]) / v
        D[row, here] += pd_p
        D[row, here + 1] += pd_t
        D[row, other] += gamma * g_q / v
        D[row, other + 1] += gamma * g_w / v
        D[row + 1, here] += warm * (pd_p / p - pd / (p * p) - n_p * k + cold * k / p)
        D[row + 1, here + 1] += td / warm + warm * (pd_t / p - n_t * k - cold / (p * v))
        D[row + 1, other] += warm * (gamma * g_q / (v * p) - n_q * k)
        D[row + 1, other + 1] += warm * (gamma * g_w / (v * p) - n_w * k)
        way = 1.0 if u[0] > 0.0 else -1.0 if u[0] < 0.0 else 0.0
        open = flow(c, c[CONDUCTANCE] * way, lines(c, u[0])[side], c[TEMPERATURE], p, warm)
        D[row, 28] += gamma * open[0] / v
        D[row + 1, 28] += warm * (gamma * open[0] / (v * p) - open[0] / open[1] * k)


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    r, sd, n = line(f[0], f[1], fr)
    s = r - c[LENGTH]
    over = s if s < 0.0 else max(s - c[STROKE], 0.0)
    out[0] = 0.5 * c[STOP] * over * over
    out[1] = c[VISCOUS] * sd * sd
    out[2] = 0.0
    for side in range(2):
        v = chamber(c, side, s)[0]
        p, warm = x[2 * side], x[2 * side + 1]
        out[0] += v * (p / (c[GAMMA] - 1.0) + c[AMBIENT])
        feed = flow(c, c[CONDUCTANCE] * abs(u[0]), lines(c, u[0])[side], c[TEMPERATURE], p, warm)
        carried = c[GAMMA] / (c[GAMMA] - 1.0) * feed[0]
        heat = c[WALL] * (c[TEMPERATURE] - warm)
        out[2] += max(carried, 0.0) + max(heat, 0.0)
        out[1] -= min(carried, 0.0) + min(heat, 0.0)


WORDS = (
    "pressure on the piston side",
    "temperature on the piston side",
    "pressure on the rod side",
    "temperature on the rod side",
)

KIND = ForceKind(
    PneumaticCylinder, pneumatic_cylinder, force, tangent, energies, values, states, inputs, state_words=WORDS
)

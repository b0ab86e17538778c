"""HYDRAULIC_CYLINDER: a double-acting cylinder between two markers with the pressures of its chambers as states, fed
through a four-way valve.

With the length R from J (the barrel's eye) to I (the rod's eye) and the stroke s = R - length (0 fully in, ``stroke``
fully out):

    volumes         V_a = dead_a + area_a s,      V_b = dead_b + area_b (stroke - s)
    pressures       V_a p_a' = bulk (Q_a - Q_l - area_a s'),      V_b p_b' = bulk (Q_b + Q_l + area_b s')
    force on I      f = area_a p_a - area_b p_b - viscous s' + stops,  along the line, positive pushes apart
    leakage         Q_l = leakage (p_a - p_b)                                             laminar, past the piston
    orifices        Q = G u phi(dp),   phi(x) = x / (x^2 + laminar^2)^(1/4)               turbulent, sign(x) sqrt|x| but
        for |x| < laminar
    valve           opening u > 0:  supply -> a,  b -> tank;   u < 0:  supply -> b,  a -> tank;   G = valve;  bypass: an
        orifice from b to a that is always open
    stops           stop_stiffness times the travel past either end, no more

Pressures are gauge.  G = Cd A sqrt(2/rho) of an orifice of area A.  phi is smooth where the flow reverses, as it is in
fact (laminar below a transition).  Oil does not boil here: a pressure that falls below minus one atmosphere, as in a
chamber that is torn open faster than its orifice fills it, is tension that real oil does not bear; check the states
of a run.

Source: H. E. Merritt, Hydraulic Control Systems (1967), ch. 3 (orifices, leakage), 5 (four-way valves), 6 (cylinders);
M. Jelali, A. Kroll, Hydraulic Servo-systems (2003), ch. 4; the smooth orifice: as in Borutzky, Barnard, Thoma, Simul.
Modelling Pract. Theory 10 (2002) 141.

Energy.  Oil of constant bulk modulus has the density rho0 exp(p/bulk); a volume V at p stores U = bulk V (e^(p/bulk) -
1 - p/bulk), and what flows in at p brings h = bulk (e^(p/bulk) - 1) per volume: then U' = h Q - p V' without remainder,
and supply, tank, orifices, leakage, friction and the machine balance exactly.
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

POSITIVE = ("area_a", "bulk", "stroke", "dead_a", "dead_b", "laminar")
NOT_NEGATIVE = ("area_b", "leakage", "viscous", "valve", "bypass", "stop_stiffness")


@dataclass
class HydraulicCylinder(Element):
    """HYDRAULIC_CYLINDER: double-acting cylinder from J (barrel) to I (rod) with two chamber pressures as states;
    positive force pushes apart.

    ``area_a``, ``area_b``: piston and ring area; ``length``: DM(I, J) fully in; ``stroke``; ``dead_a``, ``dead_b``:
    volumes left at the ends; ``bulk``: effective bulk modulus; ``leakage``: volume per time and pressure; ``viscous``:
    force*time/length; ``valve``, ``bypass``: volume per time and root of pressure; ``supply``, ``tank``: pressures;
    ``opening``: expression, 1 fully open to push out, -1 to pull in; ``laminar``: pressure drop below which orifices
    are laminar; ``stop_stiffness``: force/length; ``pressure_a``, ``pressure_b``: at the start.
    """

    KIND: ClassVar[str] = "HYDRAULIC_CYLINDER"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Hydraulic_Cylinder"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    area_a: float = 0.0
    area_b: float = 0.0
    length: float = 0.0
    stroke: float = 0.0
    dead_a: float = 0.0
    dead_b: float = 0.0
    bulk: float = 0.0
    leakage: float = 0.0
    viscous: float = 0.0
    valve: float = 0.0
    bypass: float = 0.0
    supply: float = 0.0
    tank: float = 0.0
    opening: str = "0"
    laminar: float = 0.0
    stop_stiffness: float = 0.0
    pressure_a: float = 0.0
    pressure_b: float = 0.0

    def faults(self, model):
        """Invalid values: sizes that are not positive."""
        yield from size_faults(self, POSITIVE, NOT_NEGATIVE)
        yield from drawing_faults(self, model)

    def losses(self) -> str:
        return "driven"


def hydraulic_cylinder(
    model,
    i,
    j,
    *,
    area_a: float,
    area_b: float,
    stroke: float,
    bulk: float,
    length: float | None = None,
    dead_a: float | None = None,
    dead_b: float | None = None,
    leakage: float = 0.0,
    viscous: float = 0.0,
    valve: float = 0.0,
    bypass: float = 0.0,
    supply: float = 0.0,
    tank: float = 0.0,
    opening=0.0,
    laminar: float | None = None,
    stop_stiffness: float | None = None,
    pressure_a: float = 0.0,
    pressure_b: float = 0.0,
    name: str = "",
    id: int = 0,
) -> HydraulicCylinder:
    """Double-acting hydraulic cylinder from marker ``j`` (barrel) to marker ``i`` (rod) with a four-way valve;
    `holonom.elements.forces.hydraulic_cylinder` has the equations.

    Areas, volumes, pressures and flows in the model's units (in mm, kg, N, s: pressure N/mm^2 = MPa, volume mm^3).
    ``length``: distance of the markers fully in, by default as drawn; ``dead_a``, ``dead_b``: by default 2 % of the
    swept volumes (of the piston side where a side has no area); ``opening``: an expression or a number, 1 pushes out,
    -1 pulls in; ``laminar``: by default a thousandth of the supply (a millionth of ``bulk`` without one);
    ``stop_stiffness``: by default such that the force of a pressure of bulk/100 goes a hundredth of the stroke past the
    end.  Both pressures are states of the results.  Raises `ModelError` for sizes that are not positive and what is no
    expression.

        boom = model.hydraulic_cylinder(rod_eye, barrel_eye, area_a=5e-3, area_b=3e-3, stroke=0.8, bulk=1.4e9,
            valve=2e-7, supply=21e6,
                                        opening="STEP(TIME, 0, 0, 0.2, 0.5)")
    """
    i, j = model._marker(i), model._marker(j)
    given = dict(
        area_a=area_a,
        area_b=area_b,
        stroke=stroke,
        bulk=bulk,
        leakage=leakage,
        viscous=viscous,
        valve=valve,
        bypass=bypass,
        supply=supply,
        tank=tank,
        pressure_a=pressure_a,
        pressure_b=pressure_b,
    )
    sizes = number_fields(**given)
    swept = [max(sizes[a], 0.0) * sizes["stroke"] for a in ("area_a", "area_b")]
    defaults = dict(
        length=lambda: math.dist(model._place(i).origin, model._place(j).origin),
        dead_a=lambda: 0.02 * swept[0],
        dead_b=lambda: 0.02 * (swept[1] or swept[0]),
        laminar=lambda: 1e-3 * sizes["supply"] if sizes["supply"] > 0.0 else 1e-6 * sizes["bulk"],
        stop_stiffness=lambda: sizes["bulk"] * sizes["area_a"] / sizes["stroke"] if sizes["stroke"] else 0.0,
    )
    asked = dict(length=length, dead_a=dead_a, dead_b=dead_b, laminar=laminar, stop_stiffness=stop_stiffness)
    sizes |= {name: defaults[name]() if value is None else number(value, name) for name, value in asked.items()}
    text = expression(opening, "opening")
    if callable(text):
        raise ModelError("opening is a Python function; give an expression, or VARVAL(id) of a variable that has one")
    made = model.add(sound(HydraulicCylinder(id=id, name=name, i=i, j=j, opening=text, **sizes), model))
    for low, high, reason in (
        ("supply", "tank", "oil then flows from the tank to the pump" if made.valve else ""),
        ("area_a", "area_b", "the ring on the rod's side is the smaller one"),
    ):
        if reason and getattr(made, high) > getattr(made, low):
            model.warn(
                f"{made.label}: {high} is {getattr(made, high):g}, above {low}, {getattr(made, low):g}: {reason}; "
                "correct them, or exchange them"
            )
    return made


VALUES = (
    "area_a",
    "area_b",
    "length",
    "stroke",
    "dead_a",
    "dead_b",
    "bulk",
    "leakage",
    "viscous",
    "valve",
    "bypass",
    "supply",
    "tank",
    "laminar",
    "stop_stiffness",
)
AREA_A, AREA_B, LENGTH, STROKE, DEAD_A, DEAD_B, BULK, LEAKAGE, VISCOUS, VALVE, BYPASS, SUPPLY, TANK, LAMINAR, STOP = (
    range(len(VALUES))
)


def values(e, model):
    return [getattr(e, name) for name in VALUES]


def states(e, place):
    return e.pressure_a, e.pressure_b


def inputs(e, model):
    return (e.opening,)


@jit
def orifice(x, laminar):
    """phi(x) and its derivative."""
    q = x * x + laminar * laminar
    root = math.sqrt(math.sqrt(q))
    return x / root, (1.0 - 0.5 * x * x / q) / root


@jit
def flows(c, u, pa, pb):
    """Volume per time into a and into b from the lines, into a from b past the piston, and the line pressures at which
    a and b hang."""
    la = c[SUPPLY] if u > 0.0 else c[TANK]
    lb = c[TANK] if u > 0.0 else c[SUPPLY]
    g = c[VALVE] * abs(u)
    qa = g * orifice(la - pa, c[LAMINAR])[0]
    qb = g * orifice(lb - pb, c[LAMINAR])[0]
    across = c[LEAKAGE] * (pb - pa) + c[BYPASS] * orifice(pb - pa, c[LAMINAR])[0]
    return qa, qb, across, la, lb


@jit
def push(c, s, sd, pa, pb):
    """The force, and its derivative with respect to s."""
    f = c[AREA_A] * pa - c[AREA_B] * pb - c[VISCOUS] * sd
    if s < 0.0:
        return f - c[STOP] * s, -c[STOP]
    if s > c[STROKE]:
        return f - c[STOP] * (s - c[STROKE]), -c[STOP]
    return f, 0.0


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    r, sd, n = line(f[0], f[1], fr)
    s = r - c[LENGTH]
    pa, pb = x[0], x[1]
    along_line(push(c, s, sd, pa, pb)[0], n, W)
    qa, qb, across, la, lb = flows(c, u[0], pa, pb)
    va = c[DEAD_A] + c[AREA_A] * s
    vb = c[DEAD_B] + c[AREA_B] * (c[STROKE] - s)
    if va > 0.0 and vb > 0.0:
        xd[0] = c[BULK] * (qa + across - c[AREA_A] * sd) / va
        xd[1] = c[BULK] * (qb - across + c[AREA_B] * sd) / vb
    else:  # the piston has left the barrel: no number is right
        xd[0] = math.nan
        xd[1] = math.nan


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    r, sd, n = line(i, j, fr)
    s = r - c[LENGTH]
    pa, pb = x[0], x[1]
    value, slope = push(c, s, sd, pa, pb)
    line_tangent(i, j, fr, value, slope, -c[VISCOUS], D)
    line_column(c[AREA_A], n, 24, D)
    line_column(-c[AREA_B], n, 25, D)
    qa, qb, across, la, lb = flows(c, u[0], pa, pb)
    g = c[VALVE] * abs(u[0])
    cross_slope = c[LEAKAGE] + c[BYPASS] * orifice(pb - pa, c[LAMINAR])[1]
    for side in range(2):
        area = c[AREA_A] if side == 0 else -c[AREA_B]
        v = c[DEAD_A] + c[AREA_A] * s if side == 0 else c[DEAD_B] + c[AREA_B] * (c[STROKE] - s)
        inflow = qa + across if side == 0 else qb - across
        line_pressure, p = (la, pa) if side == 0 else (lb, pb)
        e = c[BULK] / v
        rate = e * (inflow - area * sd)
        line_rows(i, j, fr, r, sd, n, -rate * area / v, -e * area, 12 + side, D)
        flow, steep = orifice(line_pressure - p, c[LAMINAR])
        D[12 + side, 24 + side] -= e * (g * steep + cross_slope)
        D[12 + side, 25 - side] += e * cross_slope
        D[12 + side, 26] += e * c[VALVE] * (flow if u[0] > 0.0 else -flow if u[0] < 0.0 else 0.0)


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    r, sd, n = line(f[0], f[1], fr)
    s = r - c[LENGTH]
    b = c[BULK]
    pa, pb = x[0], x[1]
    qa, qb, across, la, lb = flows(c, u[0], pa, pb)
    va = c[DEAD_A] + c[AREA_A] * s
    vb = c[DEAD_B] + c[AREA_B] * (c[STROKE] - s)
    ha = b * math.expm1(pa / b)
    hb = b * math.expm1(pb / b)
    over = s if s < 0.0 else max(s - c[STROKE], 0.0)
    out[0] = va * (ha - pa) + vb * (hb - pb) + 0.5 * c[STOP] * over * over
    out[2] = b * math.expm1(la / b) * qa + b * math.expm1(lb / b) * qb
    out[1] = out[2] - ha * qa - hb * qb + (hb - ha) * across + c[VISCOUS] * sd * sd


WORDS = ("pressure on the piston side", "pressure on the rod side")

KIND = ForceKind(
    HydraulicCylinder, hydraulic_cylinder, force, tangent, energies, values, states, inputs, state_words=WORDS
)

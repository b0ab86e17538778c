"""Tyres of Chrono's JSON files: FialaTire, Pac89Tire, Pac02Tire and PacejkaTire (which name a property file), MFTire,
TMeasyTire.

A file of PAC2002 names a property file, or has its coefficients in groups.  The files may have comments (`//`).
Theirs are metres, newtons, seconds.  ``Coefficient of Friction`` is that of the measurement, relative to which a road's
friction counts here: it changes nothing.  A TMeasyTire without curves is given those of a truck's or a passenger car's
tyre by its load index or bearing capacity, as Chrono does (G. Rill, "An Engineer's Guess on Tyre Model Parameter Made
Possible with TMeasy" (2015)).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.forces.tyres import tmeasy
from ..model import ModelError, Units
from ..model.base import shown
from ..model.bounded_file import read_bounded
from .tir import TyreFile, interpret, read_tir, scaled

MOST_BYTES = 4_000_000
#: entries that name a property file; what Chrono calls coefficients of PAC2002 otherwise
FILE_WORDS = ("TIR Specification File", "Pacejka Parameter File")
SPELLED = {"NOMINAL_WHEEL_LOAD": "FNOMIN"}
#: load in kg of load indices 0, 1, ... as in Chrono (ETRTO)
LOADS = (
    45, 46.5, 47.5, 48.7, 50, 51.5, 53, 54.5, 56, 58, 60, 61.5, 63, 65, 67, 69, 71, 73, 75, 77.5, 80, 82.5, 85, 87.5,
    90, 92.5, 95, 97.5, 100, 103, 106,
    109, 112, 115, 118, 121, 125, 128, 132, 136, 140, 145, 150, 155, 160, 165, 170, 175, 180, 185, 190, 195, 200, 206,
    212, 218, 224, 230, 236, 243, 250,
    257, 265, 272, 280, 290, 300, 307, 315, 325, 335, 345, 355, 365, 375, 387, 400, 412, 425, 437, 450, 462, 475, 487,
    500, 515, 530, 545, 560, 580, 600,
    615, 630, 650, 670, 690, 710, 730, 750, 775, 800, 825, 850, 875, 900, 925, 950, 975, 1000, 1030, 1060, 1090, 1120,
    1150, 1180, 1215, 1250, 1285, 1320,
    1360, 1400, 1450, 1500, 1550, 1600, 1650, 1700, 1750, 1800, 1850, 1900, 1950, 2000, 2060, 2120, 2180, 2240, 2300,
    2360, 2430, 2500, 2575, 2650, 2725,
    2800, 2900, 3000, 3075, 3150, 3250, 3350, 3450, 3550, 3650, 3750, 3875, 4000, 4125, 4250, 4375, 4500, 4625, 4750,
    4875, 5000, 5150, 5300, 5450, 5600,
    5850, 6000, 6150, 6300, 6500, 6700, 6900, 7100, 7300, 7500, 7750, 8000, 8250, 8500, 8750, 9000, 9250, 9500, 9750,
    10000, 10300, 10600, 10900, 11200,
    11500, 11800, 12150, 12500, 12850, 13200, 13600, 14000, 14500, 15000, 15500, 16000, 16500, 17000, 17500, 18000,
    18500,
)  # fmt: skip
#: curves of usual tyres next to the nominal load and twice that (forces), as in Chrono
_SLIPS = ("sxm", "sxs", "sym", "sys", "nto0", "synto0", "syntoE")
GUESS = {
    "Truck": (
        {"dfx0": 17.6866, "sxm": 0.12, "fxm": 0.88468, "sxs": 0.9, "fxs": 0.54397, "dfy0": 5.948, "sym": 0.38786,
        "fym": 0.77253, "sys": 0.82534, "fys": 0.71139,
         "nto0": 0.178, "synto0": 0.40726, "syntoE": 0.82534},
        {"dfx0": 13.8046, "sxm": 0.15, "fxm": 0.7479, "sxs": 0.95, "fxs": 0.50365, "dfy0": 5.506, "sym": 0.38786,
        "fym": 0.73048, "sys": 0.91309, "fys": 0.66823,
         "nto0": 0.19, "synto0": 0.40726, "syntoE": 0.91309},
    ),
    "Passenger": (
        {"dfx0": 18.6758, "sxm": 0.17, "fxm": 1.1205, "sxs": 0.9, "fxs": 0.8766, "dfy0": 14.9858, "sym": 0.18197,
        "fym": 1.0084, "sys": 0.82534, "fys": 0.83941,
         "nto0": 0.178, "synto0": 0.19107, "syntoE": 0.82534},
        {"dfx0": 20.1757, "sxm": 0.15, "fxm": 1.072, "sxs": 0.95, "fxs": 0.8245, "dfy0": 10.0505, "sym": 0.24472,
        "fym": 0.90003, "sys": 0.91309, "fys": 0.76782,
         "nto0": 0.19, "synto0": 0.25695, "syntoE": 0.91309},
    ),
}  # fmt: skip
#: full parameters of a TMeasyTire -> numbers of the curves
PARAMETERS = {
    "Longitudinal": {"Initial Slopes dFx/dsx [N]": "dfx0", "Maximum Fx Load [N]": "fxm", "Sliding Fx Load [N]": "fxs",
    "Slip sx at Maximum Fx": "sxm",
                     "Slip sx where sliding begins": "sxs"},
    "Lateral": {"Initial Slopes dFy/dsy [N]": "dfy0", "Maximum Fy Load [N]": "fym", "Sliding Fy Load [N]": "fys",
    "Slip sy at Maximum Fy": "sym",
                "Slip sy where sliding begins": "sys"},
    "Aligning": {"Normalized Trail at Zero Slip sy": "nto0", "Slip sy where Trail Changes Sign": "synto0",
    "Slip sy where Trail Tends to Zero": "syntoE"},
}  # fmt: skip
TEMPLATES = ("FialaTire", "Pac89Tire", "Pac02Tire", "PacejkaTire", "MFTire", "TMeasyTire")
DAMPING_RATIO = 0.05
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)


def read_chrono_tyre(path: str | Path, units: Units | None = None) -> TyreFile:
    """Read a tyre of a Chrono JSON file; ``units``: those of its numbers here (default SI).  Raises `ModelError` for
    what cannot be read, and for templates that are not supported."""
    path = Path(path)
    data = read_json(path, "a file of a tyre is not")
    kind = data.get("Template") if isinstance(data, dict) else None
    if kind not in TEMPLATES:
        raise ModelError(f"'{path}': its Template is {shown(kind)}; tyres of {', '.join(TEMPLATES)} can be computed")
    into = units if units is not None else Units()
    inline = isinstance(data.get("Longitudinal Coefficients"), dict)
    if kind in ("Pac02Tire", "PacejkaTire", "MFTire") and (
        FILE_WORDS[0] in data or FILE_WORDS[1] in data or not (inline or kind == "MFTire")
    ):
        return read_tir(_named(path, data), into)
    if inline and kind != "Pac89Tire":
        return interpret(path, _sections(data), {}, {}, into)
    if kind == "MFTire":
        sections = {
            str(k).upper(): {str(w).upper(): v for w, v in body.items()}
            for k, body in data.items()
            if isinstance(body, dict)
        }
        return interpret(path, sections, {}, {}, into)
    reader = {"FialaTire": _fiala, "Pac89Tire": _pac89, "TMeasyTire": _tmeasy}[kind]
    block = _Block(path, data)
    which, coefficients, arguments = reader(block)
    return TyreFile(
        str(path),
        {},
        {},
        into,
        kind,
        coefficients,
        unknown=tuple(block.unread()),
        model=which,
        arguments=scaled(arguments, (1.0 / into.si_length, 1.0 / into.si_force, 1.0 / into.si_time)),
    )


def read_json(path: Path, what: str) -> Any:
    """What a JSON file with comments holds; ``what``: of messages, as `read_bounded` has it.  Raises `ModelError` for
    what cannot be read."""
    text = read_bounded(path, MOST_BYTES, what).decode("utf-8", errors="replace")
    try:
        return json.loads(_TOKEN.sub(lambda m: m[0] if m[0][0] == '"' else "", text))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"'{path}' is not valid JSON: {str(error)[:120]}") from None


def _sections(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Groups of coefficients of a file that has those of PAC2002 itself, as sections of a property file."""
    word = lambda k: SPELLED.get(str(k).upper().replace(" ", "_"), str(k).upper().replace(" ", "_"))
    out = {
        word(group): {word(k): v for k, v in body.items()}
        for group, body in data.items()
        if isinstance(body, dict) and group != "Visualization"
    }
    return out | {
        "MODEL": {"PROPERTY_FILE_FORMAT": "PAC2002", "USE_MODE": data.get("Use Mode", 4.0), **out.get("MODEL", {})}
    }


def _named(path: Path, data: Mapping[str, Any]) -> Path:
    """The property file that it names: next to it, or below one of its folders."""
    name = data.get(FILE_WORDS[0]) or data.get(FILE_WORDS[1])
    if not isinstance(name, str) or not name:
        raise ModelError(f"'{path}': it names no property file; give 'TIR Specification File'")
    tried = [folder / name for folder in (path.parent, *list(path.parents)[:4])] + [path.parent / Path(name).name]
    for place in tried:
        if place.is_file():
            return place
    raise ModelError(f"'{path}': its property file '{name}' is neither below one of its folders nor next to it")


#: entries of tyres that change no force: names, pictures, what the vehicle takes, what has a lower priority than what
#: is read
IDLE = frozenset(
    (
        "Name",
        "Type",
        "Template",
        "Visualization",
        "Mass",
        "Inertia",
        "Inertia [kg.m2]",
        "Coefficient of Friction",
        "Visualization Width",
        "Vehicle Type",
        "Load Index",
        "Maximum Bearing Capacity [N]",
        "Inflation Pressure Design [Pa]",
        "Inflation Pressure Use [Pa]",
        "Rim Radius [m]",
        "Mass [kg]",
        "Use Mode",
    )
)


class _Block:
    """A table of a file, whose numbers are requested by name."""

    def __init__(self, path: Any, data: Mapping[str, Any], where: str = "") -> None:
        self.path, self.data, self.where = path, data, where
        self.read: dict[str, _Block | None] = {}  # names that were requested, with the tables among them

    def block(self, name: str) -> _Block:
        found = self.data.get(name)
        if not isinstance(found, dict):
            raise ModelError(f"'{self.path}': {self.where}'{name}' is missing or not a table")
        if self.read.get(name) is None:
            self.read[name] = _Block(self.path, found, f"{name}: ")
        return self.read[name]

    def unread(self) -> list[str]:
        """Entries that nothing requested, but for those that change no force."""
        out = []
        for name, value in self.data.items():
            if name in self.read:
                below = self.read[name]
                out += below.unread() if below is not None else []
            elif name not in IDLE and value not in (0, 0.0, "", None, [], {}):
                out.append(f"'{self.where}{name}'")
        return out

    def number(self, name: str, default: float | None = None) -> float:
        self.read.setdefault(name, None)
        value = self.data.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ModelError(f"'{self.path}': {self.where}'{name}' is {shown(value)}; give a number")
        return float(value)

    def pair(self, name: str) -> tuple[float, float]:
        self.read.setdefault(name, None)
        value = self.data.get(name)
        if (
            not isinstance(value, list)
            or len(value) != 2
            or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in value)
        ):
            raise ModelError(
                f"'{self.path}': {self.where}'{name}' is {shown(value)}; give two numbers, at the nominal load and at "
                "twice that"
            )
        return float(value[0]), float(value[1])

    def curve(self, name: str) -> tuple[tuple[float, float], ...]:
        self.read.setdefault(name, None)
        rows = self.data.get(name, [])
        if not isinstance(rows, list) or any(
            not isinstance(r, list) or len(r) != 2 or not all(isinstance(v, (int, float)) for v in r) for r in rows
        ):
            raise ModelError(f"'{self.path}': {self.where}'{name}' must have rows of a deflection and a load")
        return tuple((float(x), float(f)) for x, f in rows)


def _common(block: _Block, slope: str, damp: str) -> dict[str, Any]:
    radius = block.number("Unloaded Radius")
    curve = block.curve("Vertical Curve Data")
    stiffness = block.number(slope, curve[-1][1] / curve[-1][0] if curve and curve[-1][0] else None)
    out = dict(
        radius=radius,
        stiffness=stiffness,
        damping=block.number(damp, 0.0),
        rolling_resistance=block.number("Rolling Resistance", 0.0) * radius,
    )
    if curve:
        out["load_curve"] = curve
    return out


def _fiala(block: _Block):
    b = block.block("Fiala Parameters")
    out = _common(b, "Vertical Stiffness", "Vertical Damping")
    # without relaxation: a little, as all tyres here have
    relax = {
        name: b.number(word, 0.0) or 0.05 * out["radius"]
        for name, word in (("relax_x", "X Relaxation Length"), ("relax_y", "Y Relaxation Length"))
    }
    own = dict(
        width=b.number("Width"),
        cslip=b.number("CSLIP"),
        calpha=b.number("CALPHA"),
        umin=b.number("UMIN"),
        umax=b.number("UMAX"),
    )
    return "FIALA", {}, {**out, **own, **relax}


def _pac89(block: _Block):
    b = block.block("Design Parameters")
    out = _common(b, "Vertical Stiffness", "Vertical Damping")
    out["lateral_stiffness"] = b.number("Lateral Stiffness", 0.0)
    found = {}
    for group in ("Lateral Coefficients", "Longitudinal Coefficients", "Aligning Coefficients"):
        part = block.block(group)
        found.update({str(k).lower(): part.number(k) for k in part.data})
    return "PAC89", found, out


def _tmeasy(block: _Block):
    design = block.block("Design")
    radius, width, rim = (design.number(f"{n} [m]") for n in ("Unloaded Radius", "Width", "Rim Radius"))
    mass = design.number("Mass [kg]")
    if "Parameters" in block.data:
        p = block.block("Parameters")
        first, second = {}, {}
        for group, words in PARAMETERS.items():
            part = p.block(group)
            for word, name in words.items():
                first[name], second[name] = part.pair(word)
        if "Vertical" in p.data:
            return (
                "TMEASY",
                {},
                {
                    "radius": radius,
                    "width": width,
                    **_vertical(p.block("Vertical"), mass),
                    **_rows(block, first, second, (0.375, 0.75)),
                },
            )
        load, stiff, damp = p.block("Tire Load"), p.block("Tire Stiffness"), p.block("Tire Damping")
        vertical = stiff.pair("Vertical [N/m]")
        out = dict(
            load=load.number("Nominal Vertical Force [N]"),
            stiffness=vertical[0],
            stiffness_2=vertical[1],
            cx=stiff.number("Longitudinal [N/m]"),
            cy=stiff.number("Lateral [N/m]"),
            damping=damp.number("Vertical [Ns/m]"),
            dx=damp.number("Longitudinal [Ns/m]"),
            dy=damp.number("Lateral [Ns/m]"),
        )
        dynamic = p.pair("Dynamic Radius Weighting Coefficients")
    else:
        kind = "Truck" if block.data.get("Vehicle Type") == "Truck" else "Passenger"
        if "Load Index" in block.data:
            index = block.number("Load Index")
            if index != int(index) or not 0 <= index < len(LOADS):
                raise ModelError(
                    f"'{block.path}': its Load Index is {index:g}; give a whole number from 0 to {len(LOADS) - 1}"
                )
            most = LOADS[int(index)] * 9.81
        else:
            most = block.number("Maximum Bearing Capacity [N]")
        design_pressure, use = (
            block.number("Inflation Pressure Design [Pa]", 1.0),
            block.number("Inflation Pressure Use [Pa]", 1.0),
        )
        load = 0.5 * most * (use / design_pressure) ** 0.8
        stiffness = (
            2.0 * load / (0.16 * (radius - rim))
        )  # under its payload, twice the nominal load, it sinks by 16 % of the section's height
        first, second = (
            {k: v * (1.0 if k in _SLIPS else n * load) for k, v in row.items()}
            for row, n in zip(GUESS[kind], (1.0, 2.0))
        )
        out = dict(load=load, stiffness=stiffness, damping=_damper(stiffness, mass), **_carcass(stiffness, mass))
        dynamic = (0.375, 0.75)
    return "TMEASY", {}, {"radius": radius, "width": width, **out, **_rows(block, first, second, dynamic)}


def _damper(stiffness: float, mass: float) -> float:
    return DAMPING_RATIO * math.sqrt(stiffness * mass)


def _carcass(stiffness: float, mass: float) -> dict[str, float]:
    """Stiffnesses and dampers along and across that Chrono takes for usual tyres of a vertical stiffness."""
    cx, cy = 0.9 * stiffness, 0.8 * stiffness
    return dict(cx=cx, cy=cy, dx=_damper(cx, mass), dy=_damper(cy, mass))


def _vertical(p: _Block, mass: float) -> dict[str, float]:
    """Load and vertical spring of the newer form of full parameters: a stiffness, or a curve through which F = a_1 rho
    + a_2 rho^2 is fitted, as Chrono does."""
    load = p.number("Nominal Vertical Force [N]")
    rows = p.curve("Tire Spring Curve Data")
    if rows:
        x, f = np.array([row for row in rows if row[0] > 0.0]).T
        a, b = np.linalg.lstsq(np.column_stack([x, x * x]), f, rcond=None)[0]
        if not (a > 0.0 and a * a + 4.0 * b * load > 0.0):
            raise ModelError(
                f"'{p.path}': {p.where}'Tire Spring Curve Data' does not rise from zero on; give rows of a deflection "
                "and a load that do"
            )
        c1, c2 = math.sqrt(a * a + 4.0 * b * load), math.sqrt(max(a * a + 8.0 * b * load, 0.0))
    else:
        c1 = c2 = p.number("Vertical Tire Stiffness [N/m]")
    return dict(
        load=load,
        stiffness=c1,
        stiffness_2=c2,
        damping=p.number("Vertical Tire Damping [Ns/m]", _damper(c1, mass)),
        **_carcass(c1, mass),
    )


def _rows(
    block: _Block, first: dict[str, float], second: dict[str, float], dynamic: tuple[float, float]
) -> dict[str, Any]:
    """Numbers of the curves at both loads, with rolling resistance and the weights of the dynamic radius."""
    word = "Rolling Resistance Coefficients"
    if isinstance(block.data.get(word), list):
        rolling = block.pair(word)
    else:  # one for all loads
        rolling = (block.number(word if word in block.data else "Rolling Resistance Coefficient", 0.0),) * 2
    first |= {"rolling": rolling[0], "dynamic_radius": dynamic[0]}
    second |= {"rolling": rolling[1], "dynamic_radius": dynamic[1]}
    return {"first": first, "second": second}


def write_chrono_tyre(
    path: str | Path, tyre: Any, units: Units | None = None, *, mass: float = 1.0, inertia: Any = (1.0, 1.0, 1.0)
) -> Path:
    """Write a Fiala, PAC89 or TMeasy tyre as a Chrono JSON file in SI; ``units``: those of its numbers (default SI);
    ``mass``, ``inertia``: of the tyre, kg and kg m^2, which Chrono requires. Raises `ModelError` for other tyres and
    where it cannot be written."""
    of = units if units is not None else Units()
    to = (of.si_length, of.si_force, of.si_time)
    value = lambda name: scaled({name: getattr(tyre, name)}, to)[name]
    kind = getattr(tyre, "KIND", "")
    body: dict[str, Any] = {"Name": tyre.name or kind, "Type": "Tire"}
    plain = lambda: {
        "Unloaded Radius": value("radius"),
        "Vertical Stiffness": value("stiffness"),
        "Vertical Damping": value("damping"),
        "Rolling Resistance": value("rolling_resistance") / value("radius"),
        **({"Vertical Curve Data": [list(row) for row in value("load_curve")]} if tyre.load_curve else {}),
    }
    if kind == "TYRE_FIALA":
        body |= {"Template": "FialaTire", "Mass": mass, "Inertia": list(inertia)}
        body["Fiala Parameters"] = {
            **plain(),
            "Width": value("width"),
            "CSLIP": value("cslip"),
            "CALPHA": value("calpha"),
            "UMIN": tyre.umin,
            "UMAX": tyre.umax,
            "X Relaxation Length": value("relax_x"),
            "Y Relaxation Length": value("relax_y"),
        }
    elif kind == "TYRE_PAC89":
        body |= {"Template": "Pac89Tire", "Mass": mass, "Inertia": list(inertia)}
        body["Design Parameters"] = {**plain(), "Width": 0.2, "Lateral Stiffness": value("lateral_stiffness")}
        for group, letter in (
            ("Lateral Coefficients", "a"),
            ("Longitudinal Coefficients", "b"),
            ("Aligning Coefficients", "c"),
        ):
            body[group] = {k: v for k, v in tyre.coefficients.items() if k[0] == letter}
    elif kind == "TYRE_TMEASY":
        first, second = value("first"), value("second")
        body |= {"Template": "TMeasyTire", "Coefficient of Friction": tyre.friction}
        body["Design"] = {
            "Unloaded Radius [m]": value("radius"),
            "Width [m]": value("width"),
            "Rim Radius [m]": 0.6 * value("radius"),
            "Mass [kg]": mass,
            "Inertia [kg.m2]": list(inertia),
            "Roundness of Cross Section": 0.1,
        }
        rolling = [first.get("rolling", 0.0), second.get("rolling", 0.0)]
        body |= {"Rolling Resistance Coefficients": rolling}
        p: dict[str, Any] = {
            "Tire Load": {
                "Nominal Vertical Force [N]": value("load"),
                "Maximum Vertical Force [N]": tmeasy.MOST_LOAD * value("load"),
            },
            "Tire Stiffness": {
                "Longitudinal [N/m]": value("cx"),
                "Lateral [N/m]": value("cy"),
                "Vertical [N/m]": [value("stiffness"), value("stiffness_2")],
            },
            "Tire Damping": {
                "Longitudinal [Ns/m]": value("dx"),
                "Lateral [Ns/m]": value("dy"),
                "Vertical [Ns/m]": value("damping"),
            },
            "Dynamic Radius Weighting Coefficients": [
                first.get("dynamic_radius", 0.5),
                second.get("dynamic_radius", 0.5),
            ],
        }
        for group, words in PARAMETERS.items():
            p[group] = {word: [first[name], second[name]] for word, name in words.items()}
        body["Parameters"] = p
    else:
        raise ModelError(f"tyre is {shown(kind or tyre)}; a Fiala, PAC89 or TMeasy tyre can be written for Chrono")
    path = Path(path)
    try:
        path.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ModelError(f"cannot write '{path}': {error.strerror}") from None
    return path

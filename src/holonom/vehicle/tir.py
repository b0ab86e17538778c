"""Tyre property files (.tir, Tiem Orbit format): sections of words and tables, in units of their own.

A line of a section is ``WORD = value``, a text in quotes; tables have lines of numbers, with their heads in braces;
``$`` and ``!`` begin comments.  Files of others are
data: nothing in them is executed, and their size is bounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..elements.forces.tyres import mf6, pac89, pac2002, tmeasy
from ..model import Model, ModelError, Units
from ..model.base import close_word, shown
from ..model.bounded_file import read_bounded

if TYPE_CHECKING:
    from ..model.base import Element

MOST_BYTES = 4_000_000
#: words of units -> their size in SI
LENGTH = {"METER": 1.0, "METERS": 1.0, "M": 1.0, "MM": 1e-3, "MILLIMETER": 1e-3, "CM": 1e-2, "CENTIMETER": 1e-2,
    "INCH": 0.0254, "IN": 0.0254,
          "FOOT": 0.3048, "FT": 0.3048, "KM": 1e3}  # fmt: skip
FORCE = {"NEWTON": 1.0, "N": 1.0, "KILONEWTON": 1e3, "KNEWTON": 1e3, "KN": 1e3, "KILOGRAM_FORCE": 9.80665,
"KG_FORCE": 9.80665, "KPOND": 9.80665,
         "POUND_FORCE": 4.4482216152605,
         "LBF": 4.4482216152605, "POUND": 4.4482216152605, "DYNE": 1e-5,
         "OUNCE_FORCE": 0.27801385095378125}  # fmt: skip
TIME = {
    "SECOND": 1.0,
    "SEC": 1.0,
    "S": 1.0,
    "MILLISECOND": 1e-3,
    "MS": 1e-3,
    "MINUTE": 60.0,
    "MIN": 60.0,
    "HOUR": 3600.0,
}
ANGLE = {
    "RADIAN": 1.0,
    "RADIANS": 1.0,
    "RAD": 1.0,
    "DEGREE": math.pi / 180.0,
    "DEGREES": math.pi / 180.0,
    "DEG": math.pi / 180.0,
}
MASS = {
    "KG": 1.0,
    "KILOGRAM": 1.0,
    "GRAM": 1e-3,
    "TONNE": 1e3,
    "POUND_MASS": 0.45359237,
    "LBM": 0.45359237,
    "SLUG": 14.593902937206364,
}
PRESSURE = {
    "PASCAL": 1.0,
    "PA": 1.0,
    "KPASCAL": 1e3,
    "KPA": 1e3,
    "BAR": 1e5,
    "PSI": 6894.757293168361,
    "KSI": 6894757.293168361,
}
UNITS = {"LENGTH": LENGTH, "FORCE": FORCE, "TIME": TIME, "ANGLE": ANGLE, "MASS": MASS, "PRESSURE": PRESSURE}
#: other names of what `pac2002.COEFFICIENTS` has
ALIASES = {"LFZ0": "LFZO", "LKG": "LKYG", "LCZ": "LCZ", "LTR": "LTR"}
#: tables that the model reads
CURVE_BLOCKS = {"DEFLECTION_LOAD_CURVE": "load_curve", "BOTTOMING_CURVE": "bottoming"}
#: keywords of PAC2002 files that represent what is not computed where they are zero, or that give no information of
# forces
SILENT = {
    "FILE_TYPE",
    "FILE_VERSION",
    "FILE_FORMAT",
    "PROPERTY_FILE_FORMAT",
    "USE_MODE",
    "FITTYP",
    "MFSAFE1",
    "MFSAFE2",
    "MFSAFE3",
    "TYRESIDE",
    "WIDTH",
    "ASPECT_RATIO",
    "RIM_RADIUS",
    "RIM_WIDTH",
    "CONTACT_MODEL",
    "BELT_DYNAMICS",
    "BOTTOMING_RADIUS",
    "LMUV",
    "FE_METHOD",
    "MESSAGES",
    *UNITS,
}
PRESSURES = ("INFLPRES", "NOMPRES", "PRESMIN", "PRESMAX")
ANGLES = ("ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX")
RUNNING = ("PAC2002", "MF_05", "MF-TYRE", "MF_52")
NEWER = ("MF_60", "MF_61", "MF_62", "MF-SWIFT", "MF6", "PAC_MF61", "PAC_MF62", "USER")  # with FITTYP of 60 and on
MF5 = (5.0, 6.0, 21.0, 51.0, 52.0)  # FITTYP of MF-Tyre 5.2
PLAIN = {"FIALA": "FIALA", "UATIRE": "UA", "UA": "UA", "PAC89": "PAC89"}
#: keywords of files of few numbers -> arguments of builders, powers of length, force, time, angle
WORDS = {
    "UNLOADED_RADIUS": ("radius", 1, 0, 0, 0),
    "WIDTH": ("width", 1, 0, 0, 0),
    "VERTICAL_STIFFNESS": ("stiffness", -1, 1, 0, 0),
    "VERTICAL_DAMPING": ("damping", -1, 1, 1, 0),
    "ROLLING_RESISTANCE": ("rolling_resistance", 1, 0, 0, 0),
    "CSLIP": ("cslip", 0, 1, 0, 0),
    "CALPHA": ("calpha", 0, 1, 0, -1),
    "CGAMMA": ("cgamma", 0, 1, 0, -1),
    "UMIN": ("umin", 0, 0, 0, 0),
    "UMAX": ("umax", 0, 0, 0, 0),
    "RELAX_LENGTH_X": ("relax_x", 1, 0, 0, 0),
    "RELAX_LENGTH_Y": ("relax_y", 1, 0, 0, 0),
    "LATERAL_STIFFNESS": ("lateral_stiffness", -1, 1, 0, 0),
}
#: words that a model of few numbers takes in addition to the common ones
TAKEN = {
    "FIALA": ("width", "cslip", "calpha", "umin", "umax"),
    "UA": ("cslip", "calpha", "cgamma", "umin", "umax"),
    "PAC89": ("lateral_stiffness",),
}
#: arguments of all builders that take a few numbers and curves -> powers of length, force, time
POWERS = {
    **{name: powers for name, *powers, _ in WORDS.values()},
    "stiffness_2": (-1, 1, 0),
    "load": (0, 1, 0),
    "cx": (-1, 1, 0),
    "cy": (-1, 1, 0),
    "dx": (-1, 1, 1),
    "dy": (-1, 1, 1),
    "slip_stiffness": (0, 1, 0),
    "half_length": (1, 0, 0),
    "slow": (1, 0, -1),
}
COMMON = ("radius", "stiffness", "damping", "rolling_resistance", "relax_x", "relax_y")
#: words of MF-Tyre 6 files that give no information of what is computed here: belt, rim, road sampling, integration
SILENT_6 = {
    "N_TIRE_STATES", "USER_SUB_ID", "HMAX_LOCAL", "TIME_SWITCH_INTEG", "SWITCH_INTEG", "ROAD_INCREMENT",
    "ROAD_DIRECTION", "MASS", "IXX", "IYY", "IZZ", "BELT_MASS",
    "BELT_IXX", "BELT_IYY", "BELT_IZZ", "GRAVITY", "MC_CONTOUR_A", "MC_CONTOUR_B", "M_B", "I_BY", "I_BXZ", "I_AY",
    "I_AXZ", "C_BX", "C_RX", "C_BT0", "C_BY", "C_RY",
    "C_BGAM", "C_RP", "YAW_STIFFNESS", "FREQ_LONG", "FREQ_LAT", "FREQ_YAW", "FREQ_WINDUP", "DAMP_LONG", "DAMP_LAT",
    "DAMP_YAW", "DAMP_WINDUP", "DAMP_RESIDUAL",
    "DAMP_VLOW", "Q_BVX", "Q_BVT", "PCMZ1", "Q_RA1", "Q_RA2", "Q_RB1", "Q_RB2", "ELLIPS_SHIFT", "ELLIPS_LENGTH",
    "ELLIPS_HEIGHT", "ELLIPS_ORDER", "ELLIPS_MAX_STEP",
    "ELLIPS_NWIDTH", "ELLIPS_NLENGTH", "ENV_C1", "ENV_C2", "BOTTOM_OFFST", "BOTTOM_STIFF", "BOTTOM_STIFFNESS",
    "BOTTOM_OFFSET", "TYPE", "MANUFACTURER", "NOM_SEC_WIDTH",
}  # fmt: skip
_WORD = re.compile(r"([A-Za-z_][\w\-]*)\s*=\s*(.*)", re.ASCII)


#: models whose numbers are in the vehicle file itself, "tyre": {"model": "brush", ...}: builder of each, of which
#: they are arguments
TYRE_BUILDERS = {"FIALA": "tyre_fiala", "UA": "tyre_ua", "BRUSH": "tyre_brush", "USER": "tyre_user"}


@dataclass(frozen=True)
class TyreFile(Summary):
    """The contents of a property file: ``sections``: name -> keyword -> number or text; ``tables``: name -> rows; units
    of the file.

    ``format``: PROPERTY_FILE_FORMAT; ``model``: which tyre it is, PAC2002, MF6, FIALA, UA, PAC89 or TMEASY;
    ``coefficients``: its coefficients, in units of ``units``, with ``load_curve`` and ``bottoming`` (rows);
    ``arguments``: what the builders of the others take in addition; ``mode``: USE_MODE without its tens; ``side``:
    "LEFT", "RIGHT", or nothing; ``unknown``: entries that no tyre here reads, with values other than zero; ``empty``:
    entries without a value, which count as missing.
    """

    path: str
    sections: Mapping[str, Mapping[str, float | str]]
    tables: Mapping[str, tuple[tuple[float, ...], ...]]
    units: Units
    format: str = ""
    coefficients: Mapping[str, float] = field(default_factory=dict)
    load_curve: tuple[tuple[float, float], ...] = ()
    bottoming: tuple[tuple[float, float], ...] = ()
    mode: int = 4
    side: str = ""
    unknown: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    model: str = "PAC2002"
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def in_units(self, units: Units) -> TyreFile:
        """The same tyre with its coefficients, arguments and curves in other units, with all that was changed since
        the file was read.  Raises `ModelError` for a tyre of one's own (USER), whose parameters have unknown units."""
        if units == self.units:
            return self
        if self.model == "USER":
            raise ModelError(
                f"{self.path}: parameters of a custom tyre have units that only its function defines; give them in "
                "the units of the model"
            )
        of = self.units
        to = (of.si_length / units.si_length, of.si_force / units.si_force, of.si_time / units.si_time)
        powers = {"PAC2002": pac2002.DIMENSIONS, "MF6": mf6.DIMENSIONS}.get(self.model, {})
        curve = lambda rows: tuple((x * to[0], f * to[1]) for x, f in rows)
        return replace(
            self,
            units=units,
            coefficients={k: v * _scale(to, powers.get(k, NUMBER)) for k, v in self.coefficients.items()},
            arguments=scaled(self.arguments, to),
            load_curve=curve(self.load_curve),
            bottoming=curve(self.bottoming),
        )

    def element(
        self,
        model: Model,
        wheel: Any,
        road: Any,
        *,
        mirror: bool = False,
        mu: float = 1.0,
        mode: int | None = None,
        **options: Any,
    ) -> Element:
        """Add the tyre to a wheel of a model, whose units its numbers must have (`in_units`); the element.  ``mirror``:
        mounted on the other side than the one measured; ``mu``: friction relative to that of the measurement; ``mode``:
        forces, those of the file unless given; ``options`` as for the builder.  Raises `ModelError` where the builder
        does, and for a ``mode`` or ``mu`` of a tyre that has none."""
        if self.model in ("PAC2002", "MF6"):
            own: dict[str, Any] = {}
            if self.model == "PAC2002":
                own = {"load_curve": self.load_curve, "bottoming": self.bottoming}
            build: Any = model.tyre_pac2002 if self.model == "PAC2002" else model.tyre_mf6
            own |= self.arguments
            return build(
                wheel,
                road,
                self.coefficients,
                mode=self.mode if mode is None else mode,
                mirror=mirror,
                mu=mu,
                **own,
                **options,
            )
        given = dict(self.arguments)
        if self.model == "PAC89":
            build = model.tyre_pac89
            return build(
                wheel,
                road,
                self.coefficients,
                **given,
                mode=4 if mode is None else mode,
                mirror=mirror,
                mu=mu,
                **options,
            )
        if mode is not None:
            raise ModelError(f"mode is {mode}; a tyre of the model {self.model} has none, leave it out")
        if self.model == "TMEASY":
            return model.tyre_tmeasy(wheel, road, **given, mu=mu, mirror=mirror, **options)
        if mu != 1.0:  # friction of these is a number of theirs
            if self.model == "USER":
                raise ModelError(
                    f"mu is {mu:g}, and a custom tyre takes friction only from the road; give the road's, or a "
                    "coefficient of the function"
                )
            given |= {k: given[k] * mu for k in ("umin", "umax", "friction") if k in given}
        try:
            return getattr(model, TYRE_BUILDERS[self.model])(wheel, road, **given, **options)
        except ModelError as error:
            raise (error if self.sections else ModelError(f"{self.path}: {error}")) from None

    def spring(self) -> tuple[list[float], list[float]] | None:
        """Loads over deflections of a tyre at rest, where its law gives them without a wheel: that of PAC2002."""
        if self.model != "PAC2002":
            return None
        c = self.parameters()
        rho = np.linspace(0.0, 0.3 * c[pac2002.R0], 61)
        return rho.tolist(), [float(pac2002.spring(c, r)[0]) for r in rho]

    def rolling_radius(self, deflection: float) -> float | None:
        """Distance that a free wheel rolls per angle, at a deflection, where its law gives it: that of PAC2002."""
        return float(pac2002.rolling_radius(self.parameters(), deflection)) if self.model == "PAC2002" else None

    def parameters(self, units: Units | None = None) -> np.ndarray:
        """What the law of the tyre reads, in these units, by default those that its numbers have."""
        from ..elements.kinds import FORCES
        from ..elements.roads.surface import LAW_AT, ROAD_AT

        units = self.units if units is None else units
        model = Model("tyre", units=units)
        wheel, road = model.marker(model.ground), model.marker(model.ground)  # the law requires no wheel
        tyre: Any = self.in_units(units).element(model, wheel, road)
        e = replace(tyre, road=None)
        values = np.array(FORCES[e.KIND].values(e, model), float)
        return values[int(values[LAW_AT]) : int(values[ROAD_AT])]


NUMBER = (0, 0, 0)


def _scale(to: Sequence[float], powers: Iterable[int]) -> float:
    return math.prod(size**power for size, power in zip(to, powers))


def scaled(arguments: Mapping[str, Any], to: Sequence[float]) -> dict[str, Any]:
    """Arguments of builders in other units; ``to``: factors of lengths, forces and times."""
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        if name == "load_curve":
            out[name] = tuple((x * to[0], f * to[1]) for x, f in value)
        elif name in ("first", "second"):
            out[name] = {k: v * (to[1] if k in tmeasy.FORCES else 1.0) for k, v in value.items()}
        elif name in POWERS and value is not None:
            out[name] = value * _scale(to, POWERS[name])
        else:
            out[name] = value
    return out


def read_tir(path: str | Path, units: Units | None = None) -> TyreFile:
    """Read a tyre property file; ``units``: those of the coefficients (default SI), for instance ``model.units``.

    Raises `ModelError`, with file and line, for what cannot be read, for unknown units, and for property file formats
    that are not supported.
    """
    path = Path(path)
    return interpret(path, *_read(path), units)


def interpret(
    path: Any,
    sections: Mapping[str, Mapping[str, Any]],
    tables: Mapping[str, tuple],
    lines: Mapping,
    units: Units | None = None,
) -> TyreFile:
    """What a property file says, of its sections and tables; ``lines``: (section, word) -> line, for messages.  Raises
    `ModelError` as `read_tir` does."""
    into = units if units is not None else Units()
    own = {}
    for what, sizes in UNITS.items():
        word = str(sections.get("UNITS", {}).get(what, "")).upper()
        if word and word not in sizes:
            meant = close_word(word, sizes)
            raise ModelError(
                f"'{path}': {what} of [UNITS] is {shown(word)}"
                + (f"; did you mean {meant}?" if meant else f"; choose from {', '.join(sizes)}")
            )
        own[what] = sizes[word] if word else 1.0
    model = {k: v for name in ("MDI_HEADER", "MODEL") for k, v in sections.get(name, {}).items()}
    kind = str(model.get("PROPERTY_FILE_FORMAT", "")).upper()
    number = model.get("FITTYP", 0.0)
    fit = 0.0 if isinstance(number, str) else number
    if fit in MF5 and kind in ("", "USER"):
        kind = "MF_52"
    newer = kind in NEWER or kind == "" or fit >= 60.0
    if not (kind in RUNNING or kind in PLAIN or (newer and (fit >= 60.0 or kind in NEWER[:-1]))):
        known = ", ".join((*RUNNING, *NEWER[:3], *PLAIN))
        raise ModelError(f"'{path}': its PROPERTY_FILE_FORMAT is {shown(kind)}; tyres of {known} can be computed")
    to = (own["LENGTH"] / into.si_length, own["FORCE"] / into.si_force, own["TIME"] / into.si_time)
    if kind in PLAIN:
        return _plain(path, kind, sections, tables, lines, into, to, own["ANGLE"])
    law = mf6 if newer and kind not in RUNNING or fit >= 60.0 else pac2002
    silent = SILENT | SILENT_6 if law is mf6 else SILENT
    found: dict[str, float] = {}
    unknown, empty = [], []
    for section, words in sections.items():
        for word, value in words.items():
            name = ALIASES.get(word, word) if law is pac2002 else word
            if name in law.COEFFICIENTS and section not in ("MDI_HEADER", "UNITS"):
                if value == "":
                    empty.append(word)
                    continue
                if isinstance(value, str):
                    raise ModelError(
                        f"'{path}:{lines.get((section, word), 1)}': {word} is {shown(value)}; give a number"
                    )
                if name in PRESSURES:  # in the file's unit of pressure
                    found[name] = value * own["PRESSURE"] / (into.si_force / into.si_length**2)
                else:
                    size = _scale(to, law.DIMENSIONS.get(name, NUMBER))
                    found[name] = value * size * (own["ANGLE"] if name in ANGLES else 1.0)
            elif _unread(section, word, value, silent) and not (word[:1] == "L" and value == 1.0):
                unknown.append(word)
    curves = {}
    unknown += [f"a second [{name.replace(' (LINE', '] (line')}" for name in tables if " (LINE " in name]
    for name, rows in tables.items():
        if name in CURVE_BLOCKS:
            if any(len(row) != 2 for row in rows):
                raise ModelError(f"'{path}': rows of [{name}] must have a deflection and a load")
            curves[CURVE_BLOCKS[name]] = tuple((x * to[0], f * to[1]) for x, f in rows)
    use = model.get("USE_MODE", 4.0)
    if isinstance(use, str) or use != int(use) or int(abs(use)) % 10 > (5 if law is mf6 else 4):
        raise ModelError(f"'{path}': USE_MODE is {shown(use)}; give 0 to 4, with ten more for relaxation")
    side = str(model.get("TYRESIDE", "")).upper()
    ellipse = str(model.get("FE_METHOD", "NO")).upper()
    if ellipse not in ("YES", "NO"):
        raise ModelError(
            f"'{path}:{lines.get(('MODEL', 'FE_METHOD'), 1)}': FE_METHOD is {shown(model['FE_METHOD'])}; give 'YES' "
            "or 'NO'"
        )
    return TyreFile(
        str(path),
        sections,
        tables,
        into,
        kind,
        found,
        mode=int(abs(use)) % 10,
        side=side if side in ("LEFT", "RIGHT") else "",
        unknown=tuple(unknown),
        empty=tuple(empty),
        arguments={"ellipse": True} if ellipse == "YES" else {},
        model="MF6" if law is mf6 else "PAC2002",
        **({} if law is mf6 else curves),
    )


def _plain(path, kind, sections, tables, lines, into, to, angle) -> TyreFile:
    """A file of few numbers."""
    which = PLAIN[kind]
    found: dict[str, Any] = {}
    coefficients: dict[str, float] = {}
    unknown, empty = [], []
    for section, words in sections.items():
        for word, value in words.items():
            name, a, b, c, d = WORDS.get(word, ("", 0, 0, 0, 0))
            if value == "" and (name or word.lower() in pac89.NAMES):
                empty.append(word)
            elif which == "PAC89" and word.lower() in pac89.NAMES:
                if isinstance(value, str):
                    raise ModelError(
                        f"'{path}:{lines.get((section, word), 1)}': {word} is {shown(value)}; give a number"
                    )
                coefficients[word.lower()] = value
            elif name in COMMON or name in TAKEN[which]:
                if isinstance(value, str):
                    raise ModelError(
                        f"'{path}:{lines.get((section, word), 1)}': {word} is {shown(value)}; give a number"
                    )
                found[name] = value * to[0] ** a * to[1] ** b * to[2] ** c * angle**d
            elif _unread(section, word, value, SILENT):
                unknown.append(word)
    unknown += [f"a second [{name.replace(' (LINE', '] (line')}" for name in tables if " (LINE " in name]
    if "DEFLECTION_LOAD_CURVE" in tables:
        rows = tables["DEFLECTION_LOAD_CURVE"]
        if any(len(row) != 2 for row in rows):
            raise ModelError(f"'{path}': rows of [DEFLECTION_LOAD_CURVE] must have a deflection and a load")
        found["load_curve"] = tuple((x * to[0], f * to[1]) for x, f in rows)
    for name in ("relax_x", "relax_y"):  # none: a little, as all tyres here have
        if name in found and not found[name] > 0.0:
            found[name] = 0.05 * found.get("radius", 1.0)
    for name in ("radius", "stiffness"):
        if name not in found:
            word = next(w for w, row in WORDS.items() if row[0] == name)
            raise ModelError(f"'{path}': it has no {word}; a tyre of {kind} needs one")
    side = str(next((v["TYRESIDE"] for v in sections.values() if "TYRESIDE" in v), "")).upper()
    return TyreFile(
        str(path),
        sections,
        tables,
        into,
        kind,
        coefficients,
        side=side if side in ("LEFT", "RIGHT") else "",
        unknown=tuple(unknown),
        empty=tuple(empty),
        model=which,
        arguments=found,
    )


def _unread(section: str, word: str, value: Any, silent: set[str]) -> bool:
    """Whether an entry says something that no tyre here reads: a number, or a choice of the model; other texts describe
    the measurement."""
    if word in silent:
        return False
    return section == "MODEL" and value.upper() not in ("", "NO", "NONE") if isinstance(value, str) else value != 0.0


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, tuple], dict[tuple[str, str], int]]:
    text = read_bounded(path, MOST_BYTES, "a tyre property file is not").decode("latin-1")
    sections: dict[str, dict[str, Any]] = {}
    tables: dict[str, list[tuple[float, ...]]] = {}
    lines: dict[tuple[str, str], int] = {}
    section = ""
    for count, line in enumerate(text.splitlines(), 1):
        line = re.split(r"[$!]", line, maxsplit=1)[0].strip()
        if not line or line[0] in "{('\"":  # heads of tables, of blocks within a section, and loose texts
            continue
        if line[0] == "[":
            section = line.strip("[] ").upper()
            sections.setdefault(section, {})
            if section in tables:  # files of others do: their programs take the first
                section = f"{section} (LINE {count})"
            continue
        if not section:
            raise ModelError(
                f"'{path}:{count}': {shown(line)} is before the first section; a property file begins with one in "
                "brackets"
            )
        match = _WORD.fullmatch(line)
        if match:
            word, value = match[1].upper(), match[2].strip()
            if value[:1] in "'\"":
                sections[section][word] = value.strip("'\" ")
            else:
                sections[section][word] = _number(value) if _number(value) is not None else value
            lines[section, word] = count
            continue
        row = [_number(word) for word in line.replace(",", " ").split()]
        if None in row:
            raise ModelError(f"'{path}:{count}': {shown(line)} is neither WORD = value nor a row of numbers")
        tables.setdefault(section, []).append(tuple(v for v in row if v is not None))
    if not sections:
        raise ModelError(f"'{path}' has no section in brackets; it is not a tyre property file")
    return sections, {name: tuple(rows) for name, rows in tables.items()}, lines


def _number(text: str) -> float | None:
    try:
        value = float(text.replace("D", "E").replace("d", "e"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


#: sections of a file by the first of their words
HEADS = {
    "UNLOADED_RADIUS": "[DIMENSION]", "VERTICAL_STIFFNESS": "[VERTICAL]", "KPUMIN": "[LONG_SLIP_RANGE]",
    "ALPMIN": "[SLIP_ANGLE_RANGE]",
    "CAMMIN": "[INCLINATION_ANGLE_RANGE]", "FZMIN": "[VERTICAL_FORCE_RANGE]", "PRESMIN": "[INFLATION_PRESSURE_RANGE]",
    "LFZO": "[SCALING_COEFFICIENTS]",
    "PCX1": "[LONGITUDINAL_COEFFICIENTS]", "QSX1": "[OVERTURNING_COEFFICIENTS]", "PCY1": "[LATERAL_COEFFICIENTS]",
    "QSY1": "[ROLLING_COEFFICIENTS]",
    "QBZ1": "[ALIGNING_COEFFICIENTS]", "INFLPRES": "[OPERATING_CONDITIONS]", "Q_RE0": "[STRUCTURAL]",
    "PDXP1": "[TURNSLIP_COEFFICIENTS]",
}  # fmt: skip


def write_tir(path: str | Path, tyre: Any, units: Units | None = None) -> Path:
    """Write the coefficients of a `Pac2002Tyre`, an `Mf6Tyre`, a `FialaTyre` or a `UaTyre` (or of a `TyreFile` of the
    first two) as a property file in SI; ``units``: those that its numbers are in (default SI, of a `TyreFile` its own).
    Raises `ModelError` for other tyres and where it cannot be written."""
    of = units if units is not None else getattr(tyre, "units", Units())
    to = (of.si_length, of.si_force, of.si_time)
    kind = getattr(tyre, "KIND", "") or f"TYRE_{getattr(tyre, 'model', '')}"
    out = [
        "[MDI_HEADER]",
        "FILE_TYPE = 'tir'",
        "FILE_VERSION = 3.0",
        "FILE_FORMAT = 'ASCII'",
        "[UNITS]",
        "LENGTH = 'meter'",
        "FORCE = 'newton'",
        "ANGLE = 'radian'",
        "MASS = 'kg'",
        "TIME = 'second'",
        "[MODEL]",
    ]
    if kind in ("TYRE_FIALA", "TYRE_UA") and hasattr(tyre, "radius"):
        out += [f"PROPERTY_FILE_FORMAT = '{'FIALA' if kind == 'TYRE_FIALA' else 'UATIRE'}'", "[DIMENSION]"]
        for word, (name, a, b, c, _) in WORDS.items():
            if hasattr(tyre, name):
                out += ["[PARAMETER]"] if word == "VERTICAL_STIFFNESS" else []
                out.append(f"{word} = {getattr(tyre, name) * to[0] ** a * to[1] ** b * to[2] ** c!r}")
        curves: Any = (("DEFLECTION_LOAD_CURVE", tyre.load_curve),)
    elif kind in ("TYRE_PAC2002", "TYRE_MF6"):
        room = mf6 if kind == "TYRE_MF6" else pac2002
        scale = lambda name: _scale(to, room.DIMENSIONS.get(name, NUMBER))
        out += ["FITTYP = 62"] if room is mf6 else ["PROPERTY_FILE_FORMAT = 'PAC2002'"]
        out.append(f"USE_MODE = {10 + tyre.mode}")
        if getattr(tyre, "side", ""):
            out.append(f"TYRESIDE = '{tyre.side}'")
        first = ("LONGVL", "VXLOW", "IP", "IP_NOM")
        for name in (*first, *(n for n in room.COEFFICIENTS if n not in first)):
            if HEADS.get(name):
                out.append(HEADS[name])
            if name in tyre.coefficients:
                out.append(f"{name} = {tyre.coefficients[name] * scale(name)!r}")
        curves = (
            () if room is mf6 else (("DEFLECTION_LOAD_CURVE", tyre.load_curve), ("BOTTOMING_CURVE", tyre.bottoming))
        )
    else:
        raise ModelError(f"tyre is {shown(tyre)}; a PAC2002, MF6, Fiala or UA tyre can be written as a property file")
    if getattr(tyre, "ellipse", False) or getattr(tyre, "arguments", {}).get("ellipse"):
        out.insert(out.index("[MODEL]") + 1, "FE_METHOD = 'YES'")
    for head, rows in curves:
        if rows:
            out += [f"[{head}]", "{pen fz}", *(f"{x * to[0]!r} {f * to[1]!r}" for x, f in rows)]
    path = Path(path)
    try:
        path.write_text("\n".join(out) + "\n", encoding="ascii")
    except OSError as error:
        raise ModelError(f"cannot write '{path}': {error.strerror}") from None
    return path

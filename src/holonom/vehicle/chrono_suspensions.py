"""Suspensions of Chrono's JSON files as axles of a vehicle file: which table and word of theirs is which hardpoint and
part of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import shown
from .template import curve_of, number_of, numbers_of

TIE_ROD = 0.5  # kg; theirs are constraints without mass
BODY = ("Mass", "COM", "Inertia", "Moments of Inertia", "Products of Inertia", "Radius", "Width")
#: words that give no information here, or are read for all types
SUSPENSION = (
    "Name",
    "Type",
    "Template",
    "Vehicle-Frame Inertia",
    "Camber Angle (deg)",
    "Toe Angle (deg)",
    "Spindle",
    "Axle",
    "Spring",
    "Shock",
    "Tierod",
)
SPRING = ("Free Length", "Spring Coefficient", "Spring Curve Data", "Minimum Length", "Maximum Length")
SHOCK = ("Damping Coefficient", "Damping Curve Data")
JOINT = "Universal Joint Axis"  # of links: turns about the link, which no wheel sees


@dataclass(frozen=True)
class Kind(Summary):
    """``template`` of ours; ``points``: hardpoint -> (table, word); ``parts``: part -> table; ``bushings``: table ->
    hardpoints with its Bushing Data."""

    template: str
    points: Mapping[str, tuple[str, str]]
    parts: Mapping[str, str]
    bushings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def _ends(**names: str) -> dict[str, tuple[str, str]]:
    """Links: both ends."""
    return {
        k: v
        for ours, table in names.items()
        for k, v in ((f"{ours}_inner", (table, "Location Chassis")), (f"{ours}_outer", (table, "Location Upright")))
    }


def _arm(ours: str, table: str) -> dict[str, tuple[str, str]]:
    return {
        f"{ours}_front": (table, "Location Chassis Front"),
        f"{ours}_rear": (table, "Location Chassis Back"),
        f"{ours}_outer": (table, "Location Upright"),
    }


def _struts(low: str) -> dict[str, tuple[str, str]]:
    """Spring and damper from the body to the part that a keyword names."""
    return {
        f"{ours}_{end}": (table, word)
        for ours, table in (("spring", "Spring"), ("damper", "Shock"))
        for end, word in (("lower", low), ("upper", "Location Chassis"))
    }


SUSPENSIONS = {
    "DoubleWishbone": Kind(
        "double_wishbone",
        {
            **_arm("lower", "Lower Control Arm"),
            **_arm("upper", "Upper Control Arm"),
            **_ends(tie_rod="Tierod"),
            **_struts("Location Arm"),
        },
        {"lower_arm": "Lower Control Arm", "upper_arm": "Upper Control Arm", "knuckle": "Upright", "tie_rod": "Tierod"},
        {"Lower Control Arm": ("lower_front", "lower_rear"), "Upper Control Arm": ("upper_front", "upper_rear")},
    ),
    "MacPhersonStrut": Kind(
        "mcpherson",
        {
            **_arm("lower", "Control Arm"),
            **_ends(tie_rod="Tierod"),
            **_struts("Location Upright"),
            "strut_lower": ("Spring", "Location Upright"),
            "strut_top": ("Spring", "Location Chassis"),
        },
        {"lower_arm": "Control Arm", "knuckle": "Upright", "damper_rod": "Strut", "tie_rod": "Tierod"},
        {"Control Arm": ("lower_front", "lower_rear")},
    ),
    "MultiLink": Kind(
        "multi_link",
        {
            **_arm("upper", "Upper Arm"),
            **_ends(lateral="Lateral", trailing="Trailing Link", tie_rod="Tierod"),
            **_struts("Location Link"),
        },
        {
            "upper_arm": "Upper Arm",
            "knuckle": "Upright",
            "lateral_link": "Lateral",
            "trailing_link": "Trailing Link",
            "tie_rod": "Tierod",
        },
    ),
    "SemiTrailingArm": Kind(
        "semi_trailing_arm",
        {
            "arm_inner": ("Trailing Arm", "Location Chassis Inner"),
            "arm_outer": ("Trailing Arm", "Location Chassis Outer"),
            **_struts("Location Arm"),
        },
        {"arm": "Trailing Arm"},
    ),
    "ThreeLinkIRS": Kind(
        "three_link",
        {
            "arm_front": ("Trailing Arm", "Location Chassis"),
            "upper_inner": ("Upper Link", "Location Chassis"),
            "upper_outer": ("Upper Link", "Location Arm"),
            "lower_inner": ("Lower Link", "Location Chassis"),
            "lower_outer": ("Lower Link", "Location Arm"),
            **_struts("Location Arm"),
        },
        {"arm": "Trailing Arm", "upper_link": "Upper Link", "lower_link": "Lower Link"},
    ),
}


class Block:
    """A table of a file, whose errors name the file and the keyword."""

    def __init__(self, path: Path, data: Any, where: str = ""):
        self.path, self.where = path, where
        if not isinstance(data, Mapping):
            raise ModelError(f"'{path}': {where or 'the file'} is {shown(data)}; it must be a table")
        self.data = data

    def get(self, word: str) -> Any:
        if word not in self.data:
            raise ModelError(f"'{self.path}': {self.where + ' has' if self.where else 'it has'} no '{word}'; give it")
        return self.data[word]

    def named(self, word: str) -> str:
        return f"'{self.path}': {self.where + '.' if self.where else ''}{word}"

    def block(self, word: str) -> Block:
        return Block(self.path, self.get(word), f"{self.where + '.' if self.where else ''}{word}")

    def list(self, word: str) -> list[Any]:
        value = self.get(word)
        if not isinstance(value, list) or not value:
            raise ModelError(f"{self.named(word)} is {shown(value)}; it must be a list")
        return value

    def number(self, word: str, least: float | None = None) -> float:
        return number_of(self.get(word), self.named(word), least=least)

    def read_numbers(self, word: str, n: int) -> np.ndarray:
        return np.array(numbers_of(self.get(word), self.named(word), n))

    def inertia(self) -> list[float]:
        """Moments and, where there are any, products of inertia: in Chrono entries of the tensor, here integrals of x y
        dm, of the other sign."""
        moments = self.read_numbers("Inertia" if "Inertia" in self.data else "Moments of Inertia", 3).tolist()
        entries = self.read_numbers("Products of Inertia", 3) if "Products of Inertia" in self.data else np.zeros(3)
        return moments + (-entries).tolist() if entries.any() else moments


def note_unread(block: Block, words: Any, notes: list[str]) -> None:
    """Words that nothing here reads."""
    where = f"{block.where} of {block.path.name}" if block.where else block.path.name
    notes += [f"'{word}' of {where} is left out" for word in block.data if word not in words]


def read_suspension(s: Block, at: np.ndarray, notes: list[str]) -> dict[str, Any]:
    """An axle, without its wheels, of a suspension at a place of the vehicle.  Raises ModelError for types that no
    template here holds."""
    name = s.data.get("Template")
    if not isinstance(name, str) or name not in SUSPENSIONS:
        raise ModelError(
            f"'{s.path}' is a Suspension {shown(name)}; {', '.join(SUSPENSIONS)} can be read here, others have "
            "no template"
        )
    kind = SUSPENSIONS[name]
    _left_out(s, kind, notes)
    point = lambda block, word: (block.read_numbers(word, 3) + at).tolist()
    points = {ours: point(s.block(table), word) for ours, (table, word) in kind.points.items()}
    points["wheel_centre"] = point(s.block("Spindle"), "COM")
    spring, shock = s.block("Spring"), s.block("Shock")
    if "strut_top" in points and points["damper_upper"] != points["strut_top"]:
        notes.append(f"the damper of {s.path.name}, next to its strut in Chrono, acts between strut and knuckle")
    data = {
        "template": kind.template,
        "hardpoints": points,
        "parts": {ours: _part(s.block(table), at, notes) for ours, table in kind.parts.items()},
        "spring": _spring(spring),
        "damper": _damper(shock),
    }
    bushings = _bushings(s, kind, notes)
    if bushings:
        data["bushings"] = bushings
    if not s.data.get("Vehicle-Frame Inertia"):
        notes.append(
            "moments of inertia of arms, which Chrono has along their own axes, are taken along those of the vehicle"
        )
    if "Minimum Length" in spring.data or "Maximum Length" in spring.data:
        notes.append("minimum and maximum lengths of springs are not stops here")
    return data


def _left_out(s: Block, kind: Kind, notes: list[str]) -> None:
    """Keywords of the file and of its tables that are not read."""
    tables = {*kind.parts.values(), *(table for table, _ in kind.points.values()), "Spindle", "Axle"}
    note_unread(s, {*SUSPENSION, *tables}, notes)
    for table in sorted(tables & set(s.data)):
        words = (
            {*BODY, *SPRING, *SHOCK, "Bushing Data"}
            if table not in ("Spring", "Shock")
            else {*(SPRING if table == "Spring" else SHOCK), "Preload", "Curve Data", "Map Data"}
        )
        words |= {word for name, word in kind.points.values() if name == table} | {"Location Spindle"}
        note_unread(s.block(table), words | {w for w in s.block(table).data if w.startswith(JOINT)}, notes)


def _part(block: Block, at: np.ndarray, notes: list[str]) -> dict[str, Any]:
    if block.where == "Tierod":
        if block.data.get("Mass"):
            return {"mass": block.number("Mass")}
        notes.append(f"tie rods of {block.path.name}, which have no mass, have {TIE_ROD} kg")
        return {"mass": TIE_ROD}
    out: dict[str, Any] = {
        "mass": block.number("Mass"),
        "inertia": possible(block.inertia(), f"{block.where} of {block.path.name}", notes),
    }
    if "COM" in block.data:
        out["cm"] = (block.read_numbers("COM", 3) + at).tolist()
    return out


def possible(found: list[float], what: str, notes: list[str]) -> list[float]:
    """Moments of inertia that a body can have: the largest at most the sum of the others, which files of Chrono do not
    always keep."""
    if len(found) == 3:
        big = int(np.argmax(found))
        most = sum(found) - found[big]
        if found[big] > most:
            notes.append(
                f"{what} has a moment of inertia of {found[big]:g}, more than its others allow, and {most:g} instead"
            )
            found[big] = most
    return found


def _spring(block: Block) -> dict[str, Any]:
    """Chrono's curve is of pull over extension; here it is of push over compression."""
    if "Preload" in block.data:
        raise ModelError(f"{block.named('Preload')} cannot be read here; give a vehicle without it")
    free = block.number("Free Length")
    if "Spring Curve Data" in block.data:
        x, y = curve_of(block.data["Spring Curve Data"], block.named("Spring Curve Data"))
        return {"curve": [[-a, -b] for a, b in zip(x[::-1], y[::-1])], "free": free}
    return {"rate": block.number("Spring Coefficient"), "free": free}


def _damper(block: Block) -> dict[str, Any]:
    """Their curve is of pull over speed of extension, as ours."""
    for word in ("Curve Data", "Map Data"):
        if word in block.data:
            raise ModelError(f"{block.named(word)} cannot be read here; give a vehicle without it")
    if "Damping Curve Data" in block.data:
        x, y = curve_of(block.data["Damping Curve Data"], block.named("Damping Curve Data"))
        return {"curve": [[a, b] for a, b in zip(x, y)]}
    return {"rate": block.number("Damping Coefficient", least=0.0)}


def _bushings(s: Block, kind: Kind, notes: list[str]) -> dict[str, Any]:
    """Rubber for the compliant axle: theirs is one bushing in the middle of a hinge, here two in its eyes share it."""
    out: dict[str, Any] = {}
    for table, eyes in kind.bushings.items():
        if "Bushing Data" not in s.block(table).data:
            continue
        b = s.block(table).block("Bushing Data")
        note_unread(
            b, ("Stiffness Linear", "Damping Linear", "Stiffness Rotational", "Damping Rotational", "DOF"), notes
        )
        k, kt, c = (b.number(w, least=0.0) for w in ("Stiffness Linear", "Stiffness Rotational", "Damping Linear"))
        along = b.block("DOF").number("Stiffness Rotational", least=0.0) if "DOF" in b.data else 0.0
        if not k > 0.0:
            raise ModelError(f"{b.named('Stiffness Linear')} is {k:g}; give a positive number")
        one = {"k": [0.5 * k] * 3, "kt": [0.5 * kt, 0.5 * kt, 0.5 * along], "damping": c / k}
        out |= {eye: dict(one) for eye in eyes}
    if out:
        out["tie_rod_inner"] = {**one, "kt": [1.0, 1.0, 1.0]}  # a ball joint that does not spin
        notes.append(
            f"bushings of {s.path.name}, one in the middle of each hinge, are halved into its two eyes; the tie rod, "
            "if no steering holds it, has the last one"
        )
    return out

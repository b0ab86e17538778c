"""The vehicle file: one readable JSON or YAML of units, chassis, axles with hardpoints, brakes, drive, tyres.

Files of others are data: bounded size and depth, no aliases, nothing executed.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import Model, ModelError
from ..model.base import close_word, did_you_mean, shown
from ..model.bodies import combine_masses
from ..model.bounded_file import read_bounded
from .axle import KINEMATIC, TABLES_OF_AXLE, Axle
from .axle import WORDS as AXLE_WORDS
from .characteristics import Car
from .kc import KC
from .template import number_of, numbers_of, table_of, tensor

MOST_BYTES = 1_000_000
MOST_DEPTH = 12
WORDS = ("name", "notes", "units", "chassis", "front", "rear", "brakes", "drive", "aero", "seat", "width", "overhangs")
SHIPPED = Path(__file__).parent / "data"


@dataclass(frozen=True)
class MassSummary(Summary):
    """``mass``, ``centre`` (3,), ``inertia`` (3, 3) about it, axes of the vehicle; ``sprung``: mass of the chassis;
    ``loads``: of one wheel, front and rear, at rest; model units."""

    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    sprung: float
    loads: tuple[float, float]


def shipped() -> list[str]:
    """Names of the vehicles shipped with Holonom."""
    return sorted(p.stem for p in SHIPPED.glob("*.json"))


def read_vehicle(path: str | Path) -> VehicleFile:
    """Read a vehicle file (.json, .yaml, .yml), or one included with Holonom by its name ("sedan").

    Raises `ModelError` for files that cannot be read, unknown keywords (with a suggestion) and missing parts; data of
    axles are checked when their elements are created."""
    p = Path(path)
    if not p.suffix and not p.exists():
        if str(path) not in shipped():
            raise ModelError(
                f"'{path}' is neither a file nor a vehicle shipped with Holonom{did_you_mean(str(path), shipped())}"
            )
        p = SHIPPED / f"{path}.json"
    try:
        text = read_bounded(p, MOST_BYTES, "a vehicle file is not").decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"'{p}' is not text in UTF-8") from None
    if p.suffix.lower() in (".yaml", ".yml"):
        data = parse_yaml(text, p, "vehicle")
    elif p.suffix.lower() == ".json":
        data = parse_json(text, p)
    else:
        raise ModelError(f"'{p}' is neither .json nor .yaml; a vehicle file has one of these endings")
    try:
        return VehicleFile(data, p)
    except ModelError as error:
        raise ModelError(f"'{p}': {error}") from None


#: m, of a wheel from the middle plane: models on a scale of 1:20, and machines of mines
SMALLEST, LARGEST = 0.03, 20.0


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise ValueError(f"'{key}' is given twice in one table; remove one")
        out[key] = value
    return out


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def parse_json(text: str, path: Path) -> Any:
    """Contents of JSON in which no key of a table is given twice.  Raises ModelError for text that is not."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"'{path}' is not valid JSON: {str(error)[:200] or 'it is nested too deeply'}") from None


@cache
def _loader() -> Any:
    """A safe loader in which no key of a table is given twice, and numbers are those of YAML 1.2: 1e-3 is one, and what
    YAML 1.1 reads as another number than it shows (010 is 8, 1:30 is 90) is refused."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            known = []
            for key, _ in node.value:
                name = self.construct_object(key, deep=True)
                if name in known:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {shown(name)} is given twice", key.start_mark
                    )
                known.append(name)
            return super().construct_mapping(node, deep)

        def construct_yaml_int(self, node: Any) -> int:
            text = node.value.replace("_", "").lstrip("+-")
            if ":" in text or re.fullmatch(r"0\d+", text, re.ASCII):
                what = "a number to the base 60" if ":" in text else "an octal number"
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    f"YAML reads {node.value} as {what}; write the number plainly, or a text in quotes",
                    node.start_mark,
                )
            return super().construct_yaml_int(node)

        def construct_yaml_float(self, node: Any) -> float:
            if ":" in node.value:
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    f"YAML reads {node.value} as a number to the base 60; write a text in quotes",
                    node.start_mark,
                )
            return super().construct_yaml_float(node)

    Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
    Loader.add_constructor("tag:yaml.org,2002:float", Loader.construct_yaml_float)
    digits = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)[eE][-+]?\d+$", re.ASCII)
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", digits, list("-+.0123456789"))
    return Loader


def parse_yaml(text: str, path: Path, extra: str) -> Any:
    """Contents of plain YAML, without aliases.  ``extra``: of Holonom that installs PyYAML.  Raises ModelError for text
    that is not YAML, and without PyYAML."""
    try:
        import yaml
    except ImportError:
        raise ModelError(f"'{path}': YAML needs PyYAML; install holonom[{extra}], or write the file as JSON") from None
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise ModelError(
                    f"'{path}:{event.start_mark.line + 1}': aliases (*name) are not read; write the values"
                )
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH:
                raise ModelError(f"'{path}:{event.start_mark.line + 1}': it is nested too deeply")
        return yaml.load(text, Loader=_loader())  # derived from SafeLoader
    except yaml.YAMLError as error:
        raise ModelError(f"'{path}' is not valid YAML: {' '.join(str(error).split())[:200]}") from None


def _depth(value: Any, level: int = 0) -> None:
    if level > MOST_DEPTH:
        raise ModelError("the file is nested too deeply")
    for one in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        _depth(one, level + 1)


class VehicleFile:
    """A vehicle as it is in its file: ``data``, ``path`` (of files that it names), ``name``, ``units`` (of all its
    numbers; angles of wheels in degrees).

    Coordinates: x forward, y left, z up, one system for all; the ground is z = 0.  Raises `ModelError` for unknown
    keywords.
    """

    def __init__(self, data: Mapping[str, Any], path: str | Path | None = None):
        self.data = copy.deepcopy(table_of(data, "the vehicle", WORDS))
        _depth(self.data)
        self.path = Path(path) if path is not None else None
        self.name = str(self.data.get("name", self.path.stem if self.path else "vehicle"))
        for word in ("chassis", "front", "rear"):
            if word not in self.data:
                raise ModelError(f"'{word}' is missing; a vehicle has chassis, front and rear")
        for word in ("front", "rear"):
            axle = table_of(self.data[word], word, AXLE_WORDS)
            for part in ("wheel", "hardpoints", "spring", "damper"):
                if part in axle:
                    table_of(axle[part], f"{word}.{part}", TABLES_OF_AXLE.get(part))
            for point, at in axle.get("hardpoints", {}).items():
                numbers_of(at, f"{word}.hardpoints.{point}", 3)
        units = self.data.get("units", "SI")
        if not isinstance(units, str):
            raise ModelError(f"units is {shown(units)}; give the name of a system of units, as 'SI' or 'mm'")
        self.units = Model("units", units=units).units
        self.chassis = table_of(self.data["chassis"], "chassis", ("mass", "cm", "inertia"))
        for word in ("mass", "cm", "inertia"):
            if word not in self.chassis:
                raise ModelError(f"chassis has no {word}; give it" + (" (length)" if word == "cm" else ""))
        self.brakes = table_of(
            self.data.get("brakes", {}), "brakes", ("front_share", "torque", "front_torque", "rear_torque", "abs")
        )
        self.drive = table_of(
            self.data.get("drive", {}),
            "drive",
            (
                "axle",
                "engine",
                "gears",
                "final",
                "differential",
                "front_share",
                "lock",
                "inertia",
                "stiffness",
                "preload",
                "efficiency",
            ),
        )
        if self.drive.get("axle", "front") not in ("front", "rear", "all"):
            raise ModelError(f"drive.axle is {shown(self.drive['axle'])}; give 'front', 'rear' or 'all'")
        self.aero = table_of(self.data.get("aero", {}), "aero", ("drag", "area", "lift_front", "lift_rear", "density"))
        if self.aero and "area" not in self.aero:
            raise ModelError("aero has no area; give the frontal area (length^2) that its coefficients belong to")
        self.seat = table_of(self.data.get("seat", {}), "seat", ("at", "mass", "rate", "damping"))
        if self.seat and "at" not in self.seat:
            raise ModelError("seat has no position; give it, 'at' (x, y, z)")
        if self.seat.get("rate") and not self.seat.get("mass"):
            raise ModelError("seat has a rate but no mass; give the mass that sits on its spring")
        self._mass: MassSummary | None = None

    @property
    def g(self) -> float:
        """Gravity in units of the file."""
        return 9.80665 / self.units.si_length * self.units.si_time**2

    def axle_data(self, which: str) -> dict[str, Any]:
        """A copy of an axle's data with the load of its wheels, which follows from the masses, unless it is given for
        its springs."""
        if which not in ("front", "rear"):
            raise ModelError(f"there is no axle {shown(which)}; choose from front, rear")
        self._sizes()
        data = copy.deepcopy(self.data[which])
        spring = data.get("spring", {}) if isinstance(data, dict) else {}
        if (
            isinstance(data, dict)
            and "wheel_load" not in data
            and not (isinstance(spring, dict) and ({"load", "free"} & set(spring)))
        ):
            data["wheel_load"] = self.mass.loads[which == "rear"]
        return data

    def moved(self, axle: str, point: str, by: Any) -> VehicleFile:
        """A copy of the vehicle with a hardpoint of an axle moved by (dx, dy, dz), length. Raises `ModelError` for a
        point that does not exist."""
        data = copy.deepcopy(self.data)
        points = self.axle_data(axle)["hardpoints"]
        if point not in points:
            raise ModelError(f"{axle}.hardpoints: there is no '{point}'{did_you_mean(point, points)}")
        step = numbers_of(list(by), "by", 3)
        data[axle]["hardpoints"][point] = [a + b for a, b in zip(points[point], step)]
        return VehicleFile(data, self.path)

    def changed(self, changes: Mapping[str, Any]) -> VehicleFile:
        """A copy of the vehicle with other data: a path of keywords -> value, units of the file; numbers in a path are
        indices of a list, from 0.

            stiffer = sedan.changed({"front.spring.rate": 30.0, "drive.differential": "limited_slip",
                "front.hardpoints.tie_rod_inner.2": 243.0})

        Missing keywords are added. Raises `ModelError` for a path through a value that is not a table or list, and for
        unknown keywords."""
        data = copy.deepcopy(self.data)
        for path, value in changes.items():
            *tables, last = str(path).split(".")
            at: Any = data
            for k, word in enumerate(tables):
                at = at.setdefault(word, {}) if isinstance(at, dict) else at[_place(at, word, path)]
                if not isinstance(at, (dict, list)):
                    raise ModelError(
                        f"{'.'.join(tables[: k + 1])} is {shown(at)}; '{path}' leads through it: give a path of tables"
                    )
            key = last if isinstance(at, dict) else _place(at, last, path)
            at[key] = copy.deepcopy(value)
        return VehicleFile(data, self.path)

    def with_axle(self, which: str, other: VehicleFile) -> VehicleFile:
        """A copy of the vehicle with the "front" or "rear" axle of another one: its hardpoints, parts, springs, wheels
        and tyres, moved along x until the wheels' centres are where those of this vehicle were. Mass, brakes and drive
        stay this vehicle's. Raises `ModelError` for another word, and for vehicles in different units."""
        if which not in ("front", "rear"):
            raise ModelError(f"there is no axle {shown(which)}; choose from front, rear")
        if other.data.get("units", "SI") != self.data.get("units", "SI"):
            raise ModelError(
                f"'{other.name}' is in {other.data.get('units', 'SI')} and '{self.name}' in "
                f"{self.data.get('units', 'SI')}; give vehicle files in the same units"
            )
        axle = copy.deepcopy(other.data[which])
        step = float(self._centre(which)[0] - other._centre(which)[0])
        along = lambda at: [at[0] + step, *at[1:]]
        for table in (axle["hardpoints"], axle.get("right", {})):
            for point, at in table.items():
                table[point] = along(numbers_of(at, f"{which}.hardpoints.{point}", 3))
        for part in table_of(axle.get("parts", {}), f"{which}.parts").values():
            if "cm" in part:
                part["cm"] = along(numbers_of(part["cm"], f"{which}.parts", 3))
        tyre = axle.get("wheel", {}).get("tyre")
        if isinstance(tyre, str) and other.path is not None:  # a path of the other file's folder
            axle["wheel"]["tyre"] = str(other.path.parent.resolve() / tyre)
        return VehicleFile({**copy.deepcopy(self.data), which: axle}, self.path)

    @property
    def wheelbase(self) -> float:
        """Distance of the wheels' centres, front and rear, length."""
        return float(self._centre("front")[0] - self._centre("rear")[0])

    def _centre(self, which: str) -> np.ndarray:
        axle = table_of(self.data[which], which)
        points = table_of(axle.get("hardpoints", {}), f"{which}.hardpoints")
        if "wheel_centre" not in points:
            meant = close_word("wheel_centre", points)
            raise ModelError(
                f"{which}.hardpoints: 'wheel_centre' is missing" + (f"; did you mean it by '{meant}'?" if meant else "")
            )
        return np.array(numbers_of(points["wheel_centre"], f"{which}.hardpoints.wheel_centre", 3))

    def _sizes(self) -> None:
        """Raise for a wheel whose distance from the middle plane is that of no car."""
        for which in ("front", "rear"):
            half = abs(float(self._centre(which)[1]))
            metres = half * self.units.si_length
            if half and not SMALLEST < metres < LARGEST:
                raise ModelError(
                    f"{which}.hardpoints.wheel_centre is {half:g} from the middle plane, which is {metres:g} m in "
                    f"units = '{self.data.get('units', 'SI')}'; give the hardpoints in the units of the file, or "
                    "correct units"
                )

    @property
    def mass(self) -> MassSummary:
        """Mass, centre, inertia of the whole vehicle at the design position, and the loads of its wheels."""
        if self._mass is None:
            self._sizes()
            bodies = [
                (
                    number_of(self.chassis["mass"], "chassis.mass", positive=True),
                    np.array(numbers_of(self.chassis["cm"], "chassis.cm", 3)),
                    tensor(numbers_of(self.chassis["inertia"], "chassis.inertia", None)),
                )
            ]
            moments = np.linalg.eigvalsh(bodies[0][2])
            if not moments[0] > 0.0 or moments[2] > (1.0 + 1e-9) * (moments[0] + moments[1]):
                raise ModelError(
                    f"chassis.inertia has the principal moments {', '.join(f'{v:g}' for v in moments)}, which no body "
                    "can have: none may exceed the others' sum"
                )
            for which in ("front", "rear"):
                m = Model(which, units=self.data.get("units", "SI"))
                axle = Axle(
                    m, m.ground, {k: v for k, v in self.data[which].items() if k != "wheel_load"}, KINEMATIC, which
                ).build()
                for part in m.table("PART").values():
                    if not part.ground:
                        A = part.frame.axes
                        bodies.append((part.mass, np.array(part.qg), A @ tensor(list(part.ip)) @ A.T))
                wheel = axle.wheel
                if "mass" in wheel:
                    mass = number_of(wheel["mass"], f"{which}.wheel.mass", positive=True)
                    size = mass * axle.radius**2
                    J = tensor(
                        numbers_of(
                            wheel.get("inertia", [0.3 * size, 0.5 * size, 0.3 * size]), f"{which}.wheel.inertia", 3
                        )
                    )
                    bodies += [(mass, s.at("wheel_centre"), J) for s in axle.sides]
            if self.seat.get("rate"):
                mass = number_of(self.seat["mass"], "seat.mass", positive=True)
                bodies.append(
                    (
                        mass,
                        np.array(numbers_of(self.seat["at"], "seat.at", 3)),
                        0.05 * mass / self.units.si_length**2 * np.eye(3),
                    )
                )
            total, centre, J = combine_masses(bodies)
            front, rear = self._centre("front")[0], self._centre("rear")[0]
            if not front > rear:
                raise ModelError(
                    f"the front wheels (x = {front:g}) must be in front of the rear ones (x = {rear:g}): x "
                    "points forward"
                )
            share = (centre[0] - rear) / (front - rear)
            if not 0.0 < share < 1.0:
                raise ModelError(
                    f"the centre of mass (x = {centre[0]:g}) must lie between the axles (x = {front:g} and {rear:g}); "
                    "check chassis.cm"
                )
            half = max(abs(float(self._centre(w)[1])) for w in ("front", "rear"))
            if not abs(centre[1]) < half or not centre[2] > 0.0:
                raise ModelError(
                    f"the centre of mass (y = {centre[1]:g}, z = {centre[2]:g}) must lie between the wheels and above "
                    "the ground; check chassis.cm"
                )
            weight = total * _force(self.units) * self.g
            self._mass = MassSummary(
                float(total), centre, J, bodies[0][0], (0.5 * share * weight, 0.5 * (1.0 - share) * weight)
            )
        return self._mass

    def car(self, which: str) -> Car:
        """Data of the car for the characteristics of an axle."""
        front = which == "front"
        axle = self.drive.get("axle", "front")
        share = {"front": float(front), "rear": float(not front)}.get(axle)
        if share is None:
            share = number_of(self.drive.get("front_share", 0.5), "drive.front_share", least=0.0)
            share = share if front else 1.0 - share
        brakes = (
            number_of(self.brakes["front_share"], "brakes.front_share", least=0.0)
            if "front_share" in self.brakes
            else np.nan
        )
        return Car(self.wheelbase, float(self.mass.centre[2]), brakes if front else 1.0 - brakes, share, front)

    def kc(self, which: str, mode: str = KINEMATIC) -> KC:
        """Kinematics and compliance of an axle, at the load of the whole vehicle.  Raises ModelError as `KC` does."""
        return KC(self.axle_data(which), self.data.get("units", "SI"), mode, name=which, car=self.car(which))

    def text(self) -> str:
        """Masses as text."""
        m = self.mass
        kg, length, force = (self.units.symbol(w) for w in ("mass", "length", "force"))
        I = np.diag(m.inertia)
        return "\n".join(
            [
                f"{self.name}: wheelbase {self.wheelbase:.5g} {length}",
                f"  mass {m.mass:.6g} {kg} (chassis {m.sprung:.6g}), centre ({m.centre[0]:.5g}, {m.centre[1]:.5g}, "
                f"{m.centre[2]:.5g}) {length}",
                f"  inertia about it ({I[0]:.5g}, {I[1]:.5g}, {I[2]:.5g}) {kg} {length}^2",
                f"  load of a wheel: front {m.loads[0]:.6g} {force}, rear {m.loads[1]:.6g} {force}",
            ]
        )


def _place(values: list[Any], word: str, path: str) -> int:
    """The position in a list that a keyword of a path means."""
    if not word.isdecimal() or int(word) >= len(values):
        raise ModelError(
            f"'{path}': {shown(word)} is not an index of a list of {len(values)}; give a number from 0 to "
            f"{len(values) - 1}"
        )
    return int(word)


def _force(units: Any) -> float:
    """Force in model units of one unit of mass times length / time^2."""
    return units.si_mass * units.si_length / units.si_time**2 / units.si_force

"""Wheeled vehicles of Chrono's JSON files (Template WheeledVehicle) as a vehicle file: double wishbones, rack and pinion or Pitman arm, brakes, engine map and gears.

Theirs are metres, newtons, seconds, points of an axle beside its own place, inputs of the steering the angle of the pinion or of the Pitman arm.  What a vehicle file
has no word for is told in ``notes`` and warned of.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import shown
from ..results import _rotation as rotation
from .chrono_tyres import read_chrono_tyre, read_json
from .template import curve_of, number_of, numbers_of, tensor
from .tir import TyreFile, read_tir
from .tyre_rig import TyreRig
from .vehicle_file import VehicleFile, together

_BODY = ("Mass", "COM", "Inertia", "Moments of Inertia", "Products of Inertia", "Radius", "Width")
_ARM = (*_BODY, "Location Chassis Front", "Location Chassis Back", "Location Upright")
#: words of tables that are read, or that say nothing here
WORDS = {
    "vehicle": ("Name", "Type", "Template", "Chassis", "Axles", "Steering Subsystems", "Wheelbase", "Minimum Turning Radius", "Maximum Steering Angle (deg)",
                "Driveline"),
    "axle": ("Suspension Input File", "Suspension Location", "Steering Index", "Left Wheel Input File", "Right Wheel Input File", "Left Brake Input File",
             "Right Brake Input File"),
    "suspension": ("Name", "Type", "Template", "Vehicle-Frame Inertia", "Camber Angle (deg)", "Toe Angle (deg)", "Spindle", "Upright", "Upper Control Arm",
                   "Lower Control Arm", "Tierod", "Spring", "Shock", "Axle"),
    "Spindle": _BODY, "Upright": _BODY, "Upper Control Arm": _ARM, "Lower Control Arm": _ARM, "Axle": ("Inertia",),
    "Tierod": ("Mass", "Inertia", "Radius", "Location Chassis", "Location Upright"),
    "Spring": ("Location Chassis", "Location Arm", "Free Length", "Spring Coefficient", "Spring Curve Data", "Minimum Length", "Maximum Length"),
    "Shock": ("Location Chassis", "Location Arm", "Damping Coefficient"),
}  # fmt: skip
TIE_ROD = 0.5  # kg; theirs are constraints without mass


def read_chrono_vehicle(
    path: str | Path,
    tyre: str | Path,
    *,
    engine: str | Path | None = None,
    transmission: str | Path | None = None,
    root: str | Path | None = None,
) -> VehicleFile:
    """Read a wheeled vehicle of Chrono with two axles, on the tyres of a file.

    ``path``: file of the vehicle (Template WheeledVehicle); the files that it names are looked for under ``root``, by default the nearest of its own folders that
    holds them.  ``tyre``: Chrono JSON or .tir.  ``engine``: EngineSimpleMap, ``transmission``: AutomaticTransmissionSimpleMap; without them the car coasts.

        hmmwv = hn.vehicle.read_chrono_vehicle("hmmwv/vehicle/HMMWV_Vehicle.json", "hmmwv/tire/HMMWV_FialaTire.json")
        hmmwv.kc("front"); hn.vehicle.Vehicle(hmmwv)

    Returns a `VehicleFile` in SI units, z = 0 where tyres that carry nothing would stand (mean of both axles).  Masses of arms and uprights keep their moments about axes
    of the vehicle, spindles and tyres go to the wheels.  Raises `ModelError` for other templates and missing numbers, with file and word.
    """
    files = _Files(Path(path), None if root is None else Path(root))
    vehicle = files.read(files.path, "Vehicle", "WheeledVehicle")
    axles = vehicle.list("Axles")
    if len(axles) != 2:
        raise ModelError(f"'{files.path}': it has {len(axles)} axles; a vehicle here has two")
    notes: list[str] = []
    _told(vehicle, "vehicle", notes)
    tyre = Path(tyre).resolve()
    rubber = _Rubber(tyre, notes)
    sides, places = [], []
    for k, axle in enumerate(axles):
        block = _Block(files.path, axle, f"Axles[{k}]")
        suspension = files.named(block, "Suspension Input File", "Suspension", "DoubleWishbone")
        _told(block, "axle", notes)
        _told(suspension, "suspension", notes)
        for word in suspension.data:
            if isinstance(suspension.data[word], Mapping) and word in WORDS:
                _told(suspension.table(word), word, notes)
        for word in ("Wheel", "Brake"):
            left, right = (block.data.get(f"{side} {word} Input File") for side in ("Left", "Right"))
            if left != right:
                raise ModelError(
                    f"{block.named(f'Right {word} Input File')} is {shown(right)} beside {shown(left)} on the left; both sides of an axle here are alike"
                )
        at = block.numbers("Suspension Location", 3)
        places.append(at + suspension.table("Spindle").numbers("COM", 3))
        sides.append((block, suspension, at))
    order = np.argsort([-p[0] for p in places])
    ground = float(np.mean([p[2] for p in places])) - rubber.radius
    up = np.array([0.0, 0.0, -ground])
    data: dict[str, Any] = {"name": str(vehicle.data.get("Name", files.path.stem)), "units": "SI"}
    data["chassis"] = _chassis(files.named(vehicle.table("Chassis"), "Input File", "Chassis", "RigidChassis"), up)
    torque = {}
    for name, k in zip(("front", "rear"), order):
        block, suspension, at = sides[k]
        data[name] = _axle(suspension, at + up, files, block, rubber, notes)
        data[name]["wheel"]["tyre"] = str(tyre)
        if block.data.get("Steering Index", -1) != -1:
            if name == "rear":
                raise ModelError(f"'{files.path}': its rear axle is steered, which a vehicle here does not read from such files")
            rows = vehicle.list("Steering Subsystems")
            number = block.data["Steering Index"]
            if not isinstance(number, int) or not 0 <= number < len(rows):
                raise ModelError(f"'{files.path}': Steering Index is {shown(number)}; it has {len(rows)} steering subsystems")
            _steer(files, _Block(files.path, rows[number], f"Steering Subsystems[{number}]"), data[name], up, notes)
        if "Left Brake Input File" in block.data:
            torque[name] = 2.0 * files.named(block, "Left Brake Input File", "Brake", "BrakeSimple").number("Maximum Torque")
    if len(torque) == 2:
        total = sum(torque.values())
        data["brakes"] = {"torque": total, "front_share": torque["front"] / total}
    if engine is not None and transmission is not None:
        data["drive"] = _drive(files, vehicle, Path(engine), Path(transmission), order, notes)
    elif engine is not None or transmission is not None:
        raise ModelError("engine and transmission go together; give both files, or none")
    data["notes"] = "; ".join(dict.fromkeys(notes))
    for note in dict.fromkeys(notes):
        warnings.warn(f"{files.path.name}: {note}", stacklevel=2)
    return VehicleFile(data, files.path)


class _Block:
    """A table of a file, whose errors name the file and the word."""

    def __init__(self, path: Path, data: Any, where: str = ""):
        self.path, self.where = path, where
        if not isinstance(data, Mapping):
            raise ModelError(f"'{path}': {where or 'the file'} is {shown(data)}; it must be a table")
        self.data = data

    def _get(self, word: str) -> Any:
        if word not in self.data:
            raise ModelError(f"'{self.path}': {self.where + ' has' if self.where else 'it has'} no '{word}'; give it")
        return self.data[word]

    def named(self, word: str) -> str:
        return f"'{self.path}': {self.where + '.' if self.where else ''}{word}"

    def table(self, word: str) -> _Block:
        return _Block(self.path, self._get(word), f"{self.where + '.' if self.where else ''}{word}")

    def list(self, word: str) -> list[Any]:
        value = self._get(word)
        if not isinstance(value, list) or not value:
            raise ModelError(f"{self.named(word)} is {shown(value)}; it must be a list")
        return value

    def number(self, word: str, least: float | None = None) -> float:
        return number_of(self._get(word), self.named(word), least=least)

    def numbers(self, word: str, n: int) -> np.ndarray:
        return np.array(numbers_of(self._get(word), self.named(word), n))

    def inertia(self) -> list[float]:
        """Moments and, where there are any, products of inertia: in Chrono entries of the tensor, here integrals of x y dm, of the other sign."""
        moments = self.numbers("Inertia" if "Inertia" in self.data else "Moments of Inertia", 3).tolist()
        entries = self.numbers("Products of Inertia", 3) if "Products of Inertia" in self.data else np.zeros(3)
        return moments + (-entries).tolist() if entries.any() else moments


class _Files:
    """The vehicle's file and those that it names."""

    def __init__(self, path: Path, root: Path | None):
        self.path = path.resolve()
        self.roots = [root] if root is not None else list(self.path.parents)[:5]

    def named(self, block: _Block, word: str, kind: str, template: str = "") -> _Block:
        name = block._get(word)
        if not isinstance(name, str) or Path(name).is_absolute() or ".." in Path(name).parts:
            raise ModelError(f"{block.named(word)} is {shown(name)}; give a path below the folder of the data")
        for root in self.roots:
            if (root / name).is_file():
                return self.read(root / name, kind, template)
        raise ModelError(f"{block.named(word)}: '{name}' is below none of its folders; give root, the folder of the data")

    def read(self, path: Path, kind: str, template: str = "") -> _Block:
        data = read_json(path, "a file of a vehicle is not")
        block = _Block(path, data)
        if data.get("Type") != kind or template and data.get("Template") != template:
            given = f"{data.get('Type')} {data.get('Template', '')}".strip()
            raise ModelError(f"'{path}' is a {shown(given)}; a {kind} of template {template or 'any'} can be read here")
        return block


class _Rubber:
    """Radius, mass and moments of a tyre's file."""

    def __init__(self, path: Path, notes: list[str]):
        tyre: TyreFile = read_chrono_tyre(path) if path.suffix.lower() == ".json" else read_tir(path)
        self.radius = float(TyreRig(tyre).radius)
        self.mass, self.inertia = 0.0, np.zeros(3)
        block = _Block(path, read_json(path, "a file of a tyre is not") if path.suffix.lower() == ".json" else {})
        names = "Mass", "Inertia"
        if "Mass" not in block.data and "Design" in block.data:
            block, names = block.table("Design"), ("Mass [kg]", "Inertia [kg.m2]")
        if names[0] in block.data:
            self.mass, self.inertia = block.number(names[0], least=0.0), block.numbers(names[1], 3)
        else:
            notes.append(f"{path.name} gives no mass: tyres have none beside their wheels")


def _told(block: _Block, kind: str, notes: list[str]) -> None:
    """Words that nothing here reads."""
    where = f"{block.where} of {block.path.name}" if block.where else block.path.name
    notes += [f"'{word}' of {where} is left out" for word in block.data if word not in WORDS[kind]]


def _chassis(block: _Block, up: np.ndarray) -> dict[str, Any]:
    """Mass, centre and inertia of all components, less those that are void."""
    bodies = []
    for k, one in enumerate(block.list("Components")):
        part = _Block(block.path, one, f"Components[{k}]")
        frame, sign = part.table("Centroidal Frame"), -1.0 if part.data.get("Void") else 1.0
        A = rotation.matrices(frame.numbers("Orientation", 4))
        bodies.append((sign * part.number("Mass"), frame.numbers("Location", 3) + up, sign * A @ tensor(part.inertia()) @ A.T))
    if not sum(b[0] for b in bodies) > 0.0:
        raise ModelError(f"'{block.path}': masses of Components add up to nothing; they must be more")
    mass, centre, J = together(bodies)
    return {"mass": mass, "cm": centre.tolist(), "inertia": [J[0, 0], J[1, 1], J[2, 2], -J[0, 1], -J[0, 2], -J[1, 2]]}


def _axle(s: _Block, at: np.ndarray, files: _Files, axle: _Block, rubber: _Rubber, notes: list[str]) -> dict[str, Any]:
    """An axle on double wishbones."""
    upper, lower, rod, spring, shock = (s.table(w) for w in ("Upper Control Arm", "Lower Control Arm", "Tierod", "Spring", "Shock"))
    point = lambda block, word: (block.numbers(word, 3) + at).tolist()
    points = {
        "lower_front": point(lower, "Location Chassis Front"),
        "lower_rear": point(lower, "Location Chassis Back"),
        "lower_outer": point(lower, "Location Upright"),
        "upper_front": point(upper, "Location Chassis Front"),
        "upper_rear": point(upper, "Location Chassis Back"),
        "upper_outer": point(upper, "Location Upright"),
        "tie_rod_inner": point(rod, "Location Chassis"),
        "tie_rod_outer": point(rod, "Location Upright"),
        "spring_lower": point(spring, "Location Arm"),
        "spring_upper": point(spring, "Location Chassis"),
        "damper_lower": point(shock, "Location Arm"),
        "damper_upper": point(shock, "Location Chassis"),
        "wheel_centre": point(s.table("Spindle"), "COM"),
    }
    part = lambda block: {
        "mass": block.number("Mass"),
        "inertia": _possible(block.inertia(), f"{block.where} of {block.path.name}", notes),
        "cm": point(block, "COM"),
    }
    parts = {"lower_arm": part(lower), "upper_arm": part(upper), "knuckle": part(s.table("Upright")), "tie_rod": {"mass": TIE_ROD}}
    if rod.data.get("Mass"):
        parts["tie_rod"] = {"mass": rod.number("Mass")}
    else:
        notes.append(f"tie rods of {s.path.name}, which have no mass, have {TIE_ROD} kg")
    if not s.data.get("Vehicle-Frame Inertia"):
        notes.append("moments of inertia of arms, which Chrono has along their own axes, are taken along those of the vehicle")
    wheel, spindle = files.named(axle, "Left Wheel Input File", "Wheel"), s.table("Spindle")
    turning = wheel.numbers("Inertia", 3) + spindle.numbers("Inertia", 3) + rubber.inertia
    if "Axle" in s.data:
        turning[1] += s.table("Axle").number("Inertia", least=0.0)
        notes.append("the inertia of an axle's shaft turns with its wheel")
    for word in ("Camber Angle (deg)", "Toe Angle (deg)"):
        if s.data.get(word):
            notes.append(f"{word} of {s.path.name} is kept as that of the wheel")
    for block, words in ((spring, ("Preload",)), (shock, ("Curve Data", "Map Data", "Damping Curve Data"))):
        for word in words:
            if word in block.data:
                raise ModelError(f"{block.named(word)} cannot be read here; give a vehicle without it")
    if "Minimum Length" in spring.data or "Maximum Length" in spring.data:
        notes.append("least and greatest lengths of springs are no stops here")
    return {
        "template": "double_wishbone",
        "hardpoints": points,
        "parts": parts,
        "spring": _spring(spring),
        "damper": {"rate": shock.number("Damping Coefficient", least=0.0)},
        "wheel": {
            "radius": rubber.radius,
            "mass": wheel.number("Mass") + spindle.number("Mass") + rubber.mass,
            "inertia": _possible(turning.tolist(), f"the wheel on {s.path.name}, with tyre, spindle and shaft,", notes),
            "toe": float(s.data.get("Toe Angle (deg)", 0.0)),
            "camber": float(s.data.get("Camber Angle (deg)", 0.0)),
        },
    }


def _possible(found: list[float], what: str, notes: list[str]) -> list[float]:
    """Moments of inertia that a body can have: the largest at most the sum of the others, which files of Chrono do not always keep."""
    if len(found) == 3:
        big = int(np.argmax(found))
        most = sum(found) - found[big]
        if found[big] > most:
            notes.append(f"{what} has a moment of inertia of {found[big]:g}, more than its others allow, and {most:g} instead")
            found[big] = most
    return found


def _spring(block: _Block) -> dict[str, Any]:
    """Chrono's curve is of pull over extension; here it is of push over compression."""
    free = block.number("Free Length")
    if "Spring Curve Data" in block.data:
        x, y = curve_of(block.data["Spring Curve Data"], block.named("Spring Curve Data"))
        return {"curve": [[-a, -b] for a, b in zip(x[::-1], y[::-1])], "free": free}
    return {"rate": block.number("Spring Coefficient"), "free": free}


def _steer(files: _Files, block: _Block, axle: dict[str, Any], up: np.ndarray, notes: list[str]) -> None:
    """Rack and pinion, or Pitman arm, added to an axle."""
    s = files.named(block, "Input File", "Steering")
    at, A = block.numbers("Location", 3) + up, rotation.matrices(block.numbers("Orientation", 4))
    link = s.table("Steering Link")
    template = s.data.get("Template")
    if template == "RackPinion":
        axle["steering"] = {"template": "rack_and_pinion", "travel_per_turn": 2.0 * math.pi * s.table("Pinion").number("Radius")}
        axle["parts"] |= {"rack": {"mass": link.number("Mass"), "inertia": link.inertia()}, "pinion": {"mass": 0.1}}
    elif template == "PitmanArm":
        arm, pivot, end = s.table("Pitman Arm"), s.table("Revolute Joint"), s.table("Universal Joint")
        place = lambda table: (A @ table.numbers("Location", 3) + at).tolist()
        axle["hardpoints"] |= {"pitman_pivot": place(pivot), "pitman_end": place(end)}
        axle["steering"] = {"template": "pitman", "ratio": 1.0}
        axle["parts"] |= {"pitman_arm": {"mass": arm.number("Mass"), "inertia": arm.inertia()},
                          "centre_link": {"mass": link.number("Mass"), "inertia": link.inertia()}, "pinion": {"mass": 0.1}}  # fmt: skip
        tilt = math.degrees(math.acos(min(1.0, abs(float((A @ pivot.numbers("Direction", 3))[2])))))
        notes.append(f"the Pitman arm turns about a vertical pivot (Chrono's leans by {tilt:.1f} deg), and its idler arm mirrors it")
    else:
        raise ModelError(f"'{s.path}': its Template is {shown(template)}; steerings of RackPinion and PitmanArm can be read")
    notes.append("the steering wheel turns as the pinion or the Pitman arm: Chrono's files have no ratio")


def _drive(files: _Files, vehicle: _Block, engine: Path, gears: Path, order: np.ndarray, notes: list[str]) -> dict[str, Any]:
    """Engine map, gears and the driven axle."""
    e, t = files.read(engine, "Engine", "EngineSimpleMap"), files.read(gears, "Transmission", "AutomaticTransmissionSimpleMap")
    line = vehicle.table("Driveline")
    driven = line.list("Suspension Indexes")
    shafts = files.named(line, "Input File", "Driveline")
    if shafts.data.get("Template") not in ("ShaftsDriveline2WD", "ShaftsDriveline4WD"):
        raise ModelError(f"'{shafts.path}': its Template is {shown(shafts.data.get('Template'))}; ShaftsDriveline2WD and 4WD can be read")
    axle = "all" if len(driven) > 1 else "front" if driven[0] == order[0] else "rear"
    ratio = shafts.table("Gear Ratio")
    conical = ratio.number("Conical Gear" if axle != "all" else "Rear Conical Gear")
    rows = [r for r in zip(*curve_of(e.data.get("Map Full Throttle"), e.named("Map Full Throttle"))) if r[0] > 0.0 and r[1] > 0.0]
    forward = numbers_of(t.table("Gear Box")._get("Forward Gear Ratios"), t.named("Forward Gear Ratios"), None)
    notes.append("drag of the engine at closed throttle, torque converter and shift map are left out, and the differential is open")
    return {
        "axle": axle,
        "differential": "open",
        "engine": [list(r) for r in rows],
        "gears": [1.0 / g for g in forward],
        "final": 1.0 / conical,
    }

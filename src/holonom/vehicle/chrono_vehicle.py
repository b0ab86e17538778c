"""Wheeled vehicles of Chrono's JSON files (Template WheeledVehicle) as a vehicle file: suspensions
(`chrono_suspensions`), steering, brakes, engine map, gears.

Theirs are metres, newtons, seconds, points of an axle next to its own position, inputs of the steering the angle of the
pinion or of the Pitman arm.  What a vehicle file has no word for is reported in ``notes`` and warned of.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from .._warnings import warn_model
from ..model import ModelError
from ..model.base import shown
from ..model.bodies import combine_masses
from ..results import _rotation as rotation
from .chrono_suspensions import Block, note_unread, possible, read_suspension
from .chrono_tyres import read_chrono_tyre, read_json
from .template import curve_of, numbers_of, tensor
from .tir import TyreFile, read_tir
from .tyre_rig import TyreRig
from .vehicle_file import VehicleFile

#: words of tables that are read, or that give no information here
WORDS = {
    "vehicle": (
        "Name",
        "Type",
        "Template",
        "Chassis",
        "Axles",
        "Steering Subsystems",
        "Wheelbase",
        "Minimum Turning Radius",
        "Maximum Steering Angle (deg)",
        "Driveline",
    ),
    "axle": (
        "Suspension Input File",
        "Suspension Location",
        "Steering Index",
        "Left Wheel Input File",
        "Right Wheel Input File",
        "Left Brake Input File",
        "Right Brake Input File",
    ),
}


def read_chrono_vehicle(
    path: str | Path,
    tyre: str | Path,
    *,
    engine: str | Path | None = None,
    transmission: str | Path | None = None,
    root: str | Path | None = None,
) -> VehicleFile:
    """Read a wheeled vehicle of Chrono with two axles, on the tyres of a file.

    ``path``: file of the vehicle (Template WheeledVehicle); the files that it names are searched for under ``root``, by
    default the nearest of its own folders that holds them.  ``tyre``: Chrono JSON or .tir.  ``engine``:
    EngineSimpleMap, ``transmission``: AutomaticTransmissionSimpleMap; without them the car coasts.

        hmmwv = hn.vehicle.read_chrono_vehicle("hmmwv/vehicle/HMMWV_Vehicle.json", "hmmwv/tire/HMMWV_FialaTire.json")
        hmmwv.kc("front"); hn.vehicle.Vehicle(hmmwv)

    Returns a `VehicleFile` in SI units, z = 0 where tyres that carry nothing would stand (mean of both axles).  Masses
    of arms and uprights keep their moments about axes of the vehicle, spindles and tyres go to the wheels.  Raises
    `ModelError` for other templates and missing numbers, with file and word.
    """
    files = _Files(Path(path), None if root is None else Path(root))
    vehicle = files.read(files.path, "Vehicle", "WheeledVehicle")
    axles = vehicle.list("Axles")
    if len(axles) != 2:
        raise ModelError(f"'{files.path}': it has {len(axles)} axles; a vehicle here has two")
    notes: list[str] = []
    note_unread(vehicle, WORDS["vehicle"], notes)
    tyre = Path(tyre).resolve()
    rubber = _Rubber(tyre, notes)
    sides, places = [], []
    for k, axle in enumerate(axles):
        block = Block(files.path, axle, f"Axles[{k}]")
        suspension = files.named(block, "Suspension Input File", "Suspension")
        note_unread(block, WORDS["axle"], notes)
        for word in ("Wheel", "Brake"):
            left, right = (block.data.get(f"{side} {word} Input File") for side in ("Left", "Right"))
            if left != right:
                raise ModelError(
                    f"{block.named(f'Right {word} Input File')} is {shown(right)} and {shown(left)} on the left; "
                    "both sides of an axle here are alike"
                )
        at = block.read_numbers("Suspension Location", 3)
        places.append(at + suspension.block("Spindle").read_numbers("COM", 3))
        sides.append((block, suspension, at))
    order = np.argsort([-p[0] for p in places])
    ground = float(np.mean([p[2] for p in places])) - rubber.radius
    up = np.array([0.0, 0.0, -ground])
    data: dict[str, Any] = {"name": str(vehicle.data.get("Name", files.path.stem)), "units": "SI"}
    data["chassis"] = _chassis(files.named(vehicle.block("Chassis"), "Input File", "Chassis", "RigidChassis"), up)
    torque = {}
    for name, k in zip(("front", "rear"), order):
        block, suspension, at = sides[k]
        wheel = files.named(block, "Left Wheel Input File", "Wheel")
        data[name] = read_suspension(suspension, at + up, notes)
        data[name]["wheel"] = _wheel(wheel, suspension, rubber, notes)
        data[name]["wheel"]["tyre"] = str(tyre)
        if block.data.get("Steering Index", -1) != -1:
            if name == "rear":
                raise ModelError(
                    f"'{files.path}': its rear axle is steered, which a vehicle here does not read from such files"
                )
            rows = vehicle.list("Steering Subsystems")
            number = block.data["Steering Index"]
            if not isinstance(number, int) or not 0 <= number < len(rows):
                raise ModelError(
                    f"'{files.path}': Steering Index is {shown(number)}; it has {len(rows)} steering subsystems"
                )
            _steer(files, Block(files.path, rows[number], f"Steering Subsystems[{number}]"), data[name], up, notes)
        if "Left Brake Input File" in block.data:
            torque[name] = 2.0 * files.named(block, "Left Brake Input File", "Brake", "BrakeSimple").number(
                "Maximum Torque"
            )
    if len(torque) == 2:
        total = sum(torque.values())
        data["brakes"] = {"torque": total, "front_share": torque["front"] / total}
    if engine is not None and transmission is not None:
        data["drive"] = _drive(files, vehicle, Path(engine), Path(transmission), order, notes)
    elif engine is not None or transmission is not None:
        raise ModelError("engine and transmission go together; give both files, or none")
    data["notes"] = "; ".join(dict.fromkeys(notes))
    for note in dict.fromkeys(notes):
        warn_model(f"{files.path.name}: {note}")
    return VehicleFile(data, files.path)


class _Files:
    """The vehicle's file and those that it names."""

    def __init__(self, path: Path, root: Path | None):
        self.path = path.resolve()
        self.roots = [root] if root is not None else list(self.path.parents)[:5]

    def named(self, block: Block, word: str, kind: str, template: str = "") -> Block:
        name = block.get(word)
        if not isinstance(name, str) or Path(name).is_absolute() or ".." in Path(name).parts:
            raise ModelError(f"{block.named(word)} is {shown(name)}; give a path below the folder of the data")
        for root in self.roots:
            if (root / name).is_file():
                return self.read(root / name, kind, template)
        raise ModelError(
            f"{block.named(word)}: '{name}' is below none of its folders; give root, the folder of the data"
        )

    def read(self, path: Path, kind: str, template: str = "") -> Block:
        data = read_json(path, "a file of a vehicle is not")
        block = Block(path, data)
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
        block = Block(path, read_json(path, "a file of a tyre is not") if path.suffix.lower() == ".json" else {})
        names = "Mass", "Inertia"
        if "Mass" not in block.data and "Design" in block.data:
            block, names = block.block("Design"), ("Mass [kg]", "Inertia [kg.m2]")
        if names[0] in block.data:
            self.mass, self.inertia = block.number(names[0], least=0.0), block.read_numbers(names[1], 3)
        else:
            notes.append(f"{path.name} gives no mass: tyres have none in addition to their wheels")


def _wheel(wheel: Block, s: Block, rubber: _Rubber, notes: list[str]) -> dict[str, Any]:
    """Wheel, tyre, spindle and shaft as one body."""
    spindle = s.block("Spindle")
    turning = wheel.read_numbers("Inertia", 3) + spindle.read_numbers("Inertia", 3) + rubber.inertia
    if "Axle" in s.data:
        turning[1] += s.block("Axle").number("Inertia", least=0.0)
        notes.append("the inertia of an axle's shaft turns with its wheel")
    for word in ("Camber Angle (deg)", "Toe Angle (deg)"):
        if s.data.get(word):
            notes.append(f"{word} of {s.path.name} is kept as that of the wheel")
    return {
        "radius": rubber.radius,
        "mass": wheel.number("Mass") + spindle.number("Mass") + rubber.mass,
        "inertia": possible(turning.tolist(), f"the wheel on {s.path.name}, with tyre, spindle and shaft,", notes),
        "toe": float(s.data.get("Toe Angle (deg)", 0.0)),
        "camber": float(s.data.get("Camber Angle (deg)", 0.0)),
    }


def _chassis(block: Block, up: np.ndarray) -> dict[str, Any]:
    """Mass, centre and inertia of all components, less those that are void."""
    bodies = []
    for k, one in enumerate(block.list("Components")):
        part = Block(block.path, one, f"Components[{k}]")
        frame, sign = part.block("Centroidal Frame"), -1.0 if part.data.get("Void") else 1.0
        A = rotation.matrices(frame.read_numbers("Orientation", 4))
        bodies.append(
            (
                sign * part.number("Mass"),
                frame.read_numbers("Location", 3) + up,
                sign * A @ tensor(part.inertia()) @ A.T,
            )
        )
    if not sum(b[0] for b in bodies) > 0.0:
        raise ModelError(f"'{block.path}': masses of Components add up to zero; give positive masses")
    mass, centre, J = combine_masses(bodies)
    return {"mass": mass, "cm": centre.tolist(), "inertia": [J[0, 0], J[1, 1], J[2, 2], -J[0, 1], -J[0, 2], -J[1, 2]]}


def _steer(files: _Files, block: Block, axle: dict[str, Any], up: np.ndarray, notes: list[str]) -> None:
    """Rack and pinion, or Pitman arm, added to an axle."""
    s = files.named(block, "Input File", "Steering")
    at, A = block.read_numbers("Location", 3) + up, rotation.matrices(block.read_numbers("Orientation", 4))
    link = s.block("Steering Link")
    template = s.data.get("Template")
    if template == "RackPinion":
        axle["steering"] = {
            "template": "rack_and_pinion",
            "travel_per_turn": 2.0 * math.pi * s.block("Pinion").number("Radius"),
        }
        axle["parts"] |= {"rack": {"mass": link.number("Mass"), "inertia": link.inertia()}, "pinion": {"mass": 0.1}}
    elif template == "PitmanArm":
        arm, pivot, end = s.block("Pitman Arm"), s.block("Revolute Joint"), s.block("Universal Joint")
        place = lambda table: (A @ table.read_numbers("Location", 3) + at).tolist()
        axle["hardpoints"] |= {"pitman_pivot": place(pivot), "pitman_end": place(end)}
        up = A @ pivot.read_numbers("Direction", 3)
        if abs(up[1]) > 1e-6 * np.linalg.norm(up) or up[2] == 0.0:
            raise ModelError(
                f"'{s.path}': the Pitman arm's pivot leans to the side, by {shown(up.tolist())}; one that leans "
                "forward or backward can be read"
            )
        axle["steering"] = {"template": "pitman", "ratio": 1.0, "axis": [float(up[0] / up[2]), 0.0, 1.0]}
        axle["parts"] |= {
            "pitman_arm": {"mass": arm.number("Mass"), "inertia": arm.inertia()},
            "centre_link": {"mass": link.number("Mass"), "inertia": link.inertia()},
            "pinion": {"mass": 0.1},
        }
        notes.append("the idler arm mirrors the Pitman arm")
    else:
        raise ModelError(
            f"'{s.path}': its Template is {shown(template)}; steerings of RackPinion and PitmanArm can be read"
        )
    notes.append("the steering wheel turns as the pinion or the Pitman arm: Chrono's files have no ratio")


def _drive(
    files: _Files, vehicle: Block, engine: Path, gears: Path, order: np.ndarray, notes: list[str]
) -> dict[str, Any]:
    """Engine map, gears and the driven axle."""
    e, t = (
        files.read(engine, "Engine", "EngineSimpleMap"),
        files.read(gears, "Transmission", "AutomaticTransmissionSimpleMap"),
    )
    line = vehicle.block("Driveline")
    driven = line.list("Suspension Indexes")
    shafts = files.named(line, "Input File", "Driveline")
    if shafts.data.get("Template") not in ("ShaftsDriveline2WD", "ShaftsDriveline4WD"):
        raise ModelError(
            f"'{shafts.path}': its Template is {shown(shafts.data.get('Template'))}; ShaftsDriveline2WD and 4WD can "
            "be read"
        )
    axle = "all" if len(driven) > 1 else "front" if driven[0] == order[0] else "rear"
    ratio = shafts.block("Gear Ratio")
    conical = ratio.number("Conical Gear" if axle != "all" else "Rear Conical Gear")
    rows = [
        r
        for r in zip(*curve_of(e.data.get("Map Full Throttle"), e.named("Map Full Throttle")))
        if r[0] > 0.0 and r[1] > 0.0
    ]
    forward = numbers_of(t.block("Gear Box").get("Forward Gear Ratios"), t.named("Forward Gear Ratios"), None)
    notes.append(
        "drag of the engine at closed throttle, torque converter and shift map are left out, and the differential "
        "is open"
    )
    return {
        "axle": axle,
        "differential": "open",
        "engine": [list(r) for r in rows],
        "gears": [1.0 / g for g in forward],
        "final": 1.0 / conical,
    }

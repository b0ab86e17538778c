"""Vehicle files of a Studio."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

from ..model import ModelError
from ..model.base import shown
from .creation import typed
from .document import Document
from .forms import finite_number
from .processes import answered
from .project import write_whole
from .vehicles import AXLES, describe, manoeuvres, moved_vehicle

VEHICLE_SECONDS = 600.0  # that a vehicle may take to be built


class Vehicles:
    """Requests on vehicle files, as a part of `session.Session`."""

    def _vehicle_file(self, given: Any) -> str:
        """A vehicle file of the project, or the name of a shipped one.  Raises ModelError."""
        if given in shipped_vehicles():
            return str(given)
        path = self.path(given)
        if not path.is_file():
            raise ModelError(f"{shown(given)} is neither a file of the project nor one of {_words(shipped_vehicles())}")
        return str(path)

    async def _on_vehicle(self, message: dict) -> dict:
        """A model of a vehicle file that drives a manoeuvre, in a new file of the project, which is opened."""
        self._free()
        self.project.writes()
        speed, size = (finite_number(typed(message.get(name) or 0.0), name) for name in ("speed", "size"))
        request = {"do": "model", "file": self._vehicle_file(message.get("file")), "speed": speed, "size": size}
        request |= {name: str(message.get(name) or "") for name in ("manoeuvre", "mode")}
        request["points"] = message.get("points") or {}
        self.say("the vehicle is built; the first time takes longer")
        built = await answered("holonom.studio.vehicles", request, VEHICLE_SECONDS)
        asked = await self._leave(message)
        if asked is not None:
            return asked
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in str(built["name"]))[:60] or "vehicle"
        path = self._unused(stem, ".json")
        write_whole(path, built["model"].encode("utf-8"))
        self._put(await asyncio.to_thread(Document.open, path))
        self._settings |= {"end": built["end"], "steps": 500}
        self._afresh()
        loads = ", ".join(f"{name} {load:.5g}" for name, load in built["loads"].items())
        unit = self.document.model.units.symbol("force")
        self.say(f"wheel loads at rest: {loads} {unit}; markers at hardpoints have their names")
        for text in built["warnings"]:
            self.say(text, "warning")
        return {"file": path.name}

    async def _on_vehicle_page(self, message: dict) -> dict:
        """What the page of a vehicle shows first: its hardpoints, the standard manoeuvres and their drivers."""
        file = self._vehicle_file(message.get("file"))
        return {**await asyncio.to_thread(describe, file), **await asyncio.to_thread(manoeuvres)}

    def _vehicle_request(self, message: dict, do: str, names: tuple[str, ...]) -> dict[str, Any]:
        """A request to `vehicles` with the file, the hardpoints that were moved, and texts of a window."""
        request = {"do": do, "file": self._vehicle_file(message.get("file")), "points": message.get("points") or {}}
        return request | {name: str(message.get(name) or "") for name in names}

    async def _on_kc(self, message: dict) -> dict:
        """Kinematics and compliance of a vehicle file: characteristics and pictures of both axles, which the project
        keeps."""
        request = self._vehicle_request(message, "kc", ("mode",))
        found = await answered("holonom.studio.vehicles", request, VEHICLE_SECONDS)
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in Path(request["file"]).stem)[:60]
        with contextlib.suppress(ModelError, OSError):
            self.project.writes()
            for one in found["axles"]:
                write_whole(self.path(f"{stem}_kc_{one['axle']}.svg"), one["picture"].encode("utf-8"))
            self.say(f"saved {stem}_kc_front.svg and {stem}_kc_rear.svg")
        return {"name": found["name"], "axles": found["axles"]}

    async def _on_drive(self, message: dict) -> dict:
        """A standard manoeuvre of a vehicle file: metrics and curves."""
        request = self._vehicle_request(message, "drive", ("mode", "manoeuvre", "driver"))
        speed = message.get("speed")
        request["speed"] = finite_number(typed(speed), "speed") if speed not in (None, "") else ""
        request["compare"] = bool(message.get("compare"))
        return await answered("holonom.studio.vehicles", request, VEHICLE_SECONDS)

    async def _on_save_vehicle(self, message: dict) -> dict:
        """Write a vehicle file with hardpoints that were moved, and the tyre files that it names, into the project."""
        source, path = self._vehicle_file(message.get("source")), self.project.target(message.get("file"))
        if path.suffix.lower() != ".json":
            raise ModelError(f"{path.name}: a vehicle is written to a file that ends in .json")
        if path.exists() and not message.get("over"):
            return {"exists": self.project.named(path)}
        self.project.writes()
        vehicle = await asyncio.to_thread(moved_vehicle, source, message.get("points"))
        self._write_vehicle(path, vehicle.data, vehicle.path.parent if vehicle.path is not None else None)
        return {"file": self.project.named(path)}

    def _write_vehicle(self, path: Path, data: dict[str, Any], source: Path | None) -> None:
        """Write a vehicle file, and the tyre files that it names from the folder ``source``."""
        for axle in AXLES:
            tyre = data[axle].get("wheel", {}).get("tyre")
            if isinstance(tyre, str) and source is not None and (source / tyre).is_file():
                copy_to = self.path(str(path.parent / tyre))
                if not copy_to.exists():
                    copy_to.write_bytes((source / tyre).read_bytes())
        write_whole(path, json.dumps(data, indent=1).encode("utf-8"))
        self.say(f"saved {path.name}")


def shipped_vehicles() -> list[str]:
    """Names of the vehicle files that come with the package."""
    return sorted(p.stem for p in (Path(__file__).resolve().parents[1] / "vehicle" / "data").glob("*.json"))


def is_vehicle(path: Path) -> bool:
    """Whether a file is a vehicle file: not a model, with axles.  No other judgement: its reader has the sentences."""
    if path.suffix.lower() != ".json":
        return True
    try:
        data = json.loads(path.read_bytes()[: 16 * 2**20])
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "format" not in data and {"front", "rear", "chassis"} <= data.keys()


def _words(names: list[str]) -> str:
    return ", ".join(names)

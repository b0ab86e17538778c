"""What the start page of the Studio shows: shipped examples with their titles, and models of the project."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from ..formats.robots import FORMATS as ROBOTS

MODELS = Path(__file__).resolve().parents[1] / "models"
PICTURES = Path(__file__).resolve().parent / "web" / "examples"
ENDINGS = (".adm", ".json", ".cmd", *ROBOTS)
MAX_DEPTH = 3  # folders below the project
MAX_LISTED = 12
MAX_SEEN = 5000  # entries of folders that are looked at


@cache
def examples() -> list[dict[str, Any]]:
    """Name, title and whether there is a picture, of each shipped model."""
    rows = []
    for path in sorted(MODELS.glob("*.adm")):
        with path.open(encoding="utf-8") as file:
            title = file.readline().strip()
        picture = (PICTURES / f"{path.stem}.webp").is_file()
        rows.append({"name": path.stem, "title": title, "picture": picture})
    return rows


def models_of(folder: Path) -> list[dict[str, Any]]:
    """The newest models below a folder: ``file``, relative to it, and the ``time`` of their last change (s)."""
    found: list[tuple[float, str]] = []
    seen, waiting = 0, [(folder, 0)]
    while waiting and seen < MAX_SEEN:
        place, depth = waiting.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH:
                    waiting.append((Path(entry.path), depth + 1))
            elif Path(entry.name).suffix.lower() in ENDINGS:
                found.append((entry.stat().st_mtime, Path(entry.path).relative_to(folder).as_posix()))
    return [{"file": name, "time": time} for time, name in sorted(found, reverse=True)[:MAX_LISTED]]

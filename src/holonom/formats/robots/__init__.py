"""Robot description files: readers return a `holonom.model.Model`.

`FORMATS` is the register of formats by the ending of their files; a reader is loaded when a file of its format is read.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...model import Model
    from .mjcf.reader import read_mjcf
    from .sdf import read_sdf
    from .urdf import read_urdf
    from .usd import read_usd
    from .writers import write_mjcf, write_sdf, write_urdf


class RobotFormat(NamedTuple):
    """``title`` of a format, the ``module`` of this package with its reader, the function ``read``, and the function
    of `writers` that writes it, "" where there is none."""

    title: str
    module: str
    read: str
    write: str


_USD = RobotFormat("USD", "usd", "read_usd", "")
_MJCF = RobotFormat("MJCF", "mjcf.reader", "read_mjcf", "write_mjcf")
#: ending of a file -> its format
FORMATS = {
    ".urdf": RobotFormat("URDF", "urdf", "read_urdf", "write_urdf"),
    ".mjcf": _MJCF,
    ".xml": _MJCF,
    ".sdf": RobotFormat("SDF", "sdf", "read_sdf", "write_sdf"),
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _USD),
}
_MODULES = {found.read: found.module for found in FORMATS.values()}
_MODULES |= dict.fromkeys((found.write for found in FORMATS.values() if found.write), "writers")


def read_robot(path: str | Path) -> Model:
    """The model of a robot file by its ending.  Raises `ModelError` as the reader of the format does, KeyError for an
    ending that is not in `FORMATS`."""
    found = FORMATS[Path(path).suffix.lower()]
    return getattr(import_module(f".{found.module}", __name__), found.read)(path)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


__all__ = [
    "FORMATS",
    "RobotFormat",
    "read_mjcf",
    "read_robot",
    "read_sdf",
    "read_urdf",
    "read_usd",
    "write_mjcf",
    "write_sdf",
    "write_urdf",
]

"""Coordinates of joints."""

from __future__ import annotations

from typing import Any

#: types of joints that have coordinates, and which: ``slide`` is travel along two axes, ``angles`` are those of a cross
FREEDOMS = {
    "REVOLUTE": ("angle",), "TRANSLATIONAL": ("travel",), "CYLINDRICAL": ("angle", "travel"), "SCREW": ("angle", "travel"),
    "PLANAR": ("angle", "slide"), "UNIVERSAL": ("angles",), "HOOKE": ("angles",),
}  # fmt: skip


def turning(element: Any) -> bool:
    """Has this element an angle about z of its J marker that may run over many turns?"""
    if element.KIND == "JOINT":
        return "angle" in FREEDOMS.get(element.type, ())
    return element.KIND == "SPRINGDAMPER" and element.kind == "ROTATIONAL"

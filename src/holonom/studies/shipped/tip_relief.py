"""Tip relief of a pair of spur gears: function of the study of its transmission error under several loads."""

from __future__ import annotations

from collections.abc import Mapping

from holonom.machinery import GearPair

TEETH, MODULE, WIDTH = (23, 47), 3.0, 30.0  # -, mm, mm
LOADS = {"part": 2000.0, "nominal": 4000.0, "over": 5000.0}  # N, normal to the flanks
POINTS = 200  # of a period of the mesh


def teeth(v: Mapping[str, float]) -> dict[str, float]:
    """Transmission error, peak to peak (um), under each load and the largest of them, and the lowest number of pairs
    that bear at nominal load.  ``v``: "depth" of the relief at the tips (um), "length" from the tip in base pitches."""
    pair = GearPair(TEETH, MODULE, width=WIDTH, tip_relief=1e-3 * v["depth"], relief_length=v["length"])
    tables = {name: pair.mesh(load, POINTS) for name, load in LOADS.items()}
    out = {name: 1e3 * table.peak_to_peak for name, table in tables.items()}
    return out | {"largest": max(out.values()), "pairs": float(tables["nominal"].pairs.min())}

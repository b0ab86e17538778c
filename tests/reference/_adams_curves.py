"""Where the staged Adams data lie, and its printed curves with the width of their last digit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from _public_data import NEEDS

_PLACES = [p / "shared" / "data" for p in Path(__file__).resolve().parents[2:4]]  # in the checkout, or next to it
if "HOLONOM_DATA" in os.environ:
    _PLACES = [Path(os.environ["HOLONOM_DATA"])]
DATA = next((p for p in _PLACES if p.is_dir()), _PLACES[0])
ADAMS = DATA / "adams"


def need(path: Path) -> Path:
    """The path, or the test is skipped where the staged data are not there."""
    if not path.exists():
        pytest.skip(f"{NEEDS}: {path} is absent")
    return path


class Curve:
    """time (n), values (n, k) and ``half`` (n, k): half a unit of the last digit that Adams printed."""

    def __init__(self, path: Path):
        lines = need(path).read_text().splitlines()[3:]
        words = [line.split() for line in lines if line.strip()]
        table = np.array(words, dtype=float)
        self.time, self.values = table[:, 0], table[:, 1:]
        mantissas = [w.upper().split("E")[0].rstrip() for row in words for w in row[1:]]
        digits = max(
            len(m.lstrip("+-").replace(".", "").rstrip("0")) for m in mantissas
        )  # some tables were printed with 6
        exponent = np.array([[int(w.upper().split("E")[1]) for w in row[1:]] for row in words])
        self.half = 0.5 * 10.0 ** (exponent - (max(digits, 6) - 1))

    @property
    def range(self) -> float:
        """Largest span of a component, zero counted in: a constant reaction has its size for range, not its noise."""
        with_zero = np.vstack([self.values, np.zeros(self.values.shape[1])])
        return float(np.ptp(with_zero, axis=0).max())

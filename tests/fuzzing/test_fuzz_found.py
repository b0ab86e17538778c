"""Seeds at which a generator found a fault that is mended."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz import generator  # noqa: E402

FOUND = [
    # friction that sticks within an impact left e times the slip behind it, by time-stepping
    ("agreement", 20, "agrees"),
    ("agreement", 1060, "agrees"),
    ("agreement", 1094, "agrees"),
    # an ellipsoid against a coarse mesh, whose edges were not seen
    ("geometry", 40, "apart"),
    # contacts with grains and graphics that are not there, a negative mass, an inertia beyond any machine, line breaks in names
    ("readers", 218451, "with faults"),
    ("readers", 143323, "with faults"),
    ("readers", 365568, "with faults"),
    ("readers", 107749, "with faults"),
    ("readers", 113423, "with faults"),
]


@pytest.mark.parametrize("name, seed, word", FOUND)
def test_what_was_found_is_mended(name, seed, word):
    assert generator(name).attempt(seed) == word

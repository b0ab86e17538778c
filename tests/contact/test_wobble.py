"""What rocks high on its rim is not laid flat.

A small cylinder (100 mm) on a wide floor rocked 2 mm high, was brought to rest in mid-air and pulled 1.4 mm into the
floor, until 1 December 2026."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz import floors


def test_a_small_cylinder_rocks_on_a_wide_floor():
    assert "events" in floors.attempt(2002037)

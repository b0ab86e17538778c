"""Small machines of a random generator: three of each scene, with the strict referee and geometry on what they return.

More of them: ``python -m fuzz --only machines --first 1000 --count 500 --seconds 36000``.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz import machines


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3 * len(machines.SCENES)))
def test_small_machines(seed):
    assert machines.attempt(seed)

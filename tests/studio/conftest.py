"""What all tests of the Studio in a browser share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _open import browser  # noqa: E402


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found

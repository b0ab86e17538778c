"""Where HOLONOM_STRICT_REFEREE is set, as by `make test-all`, the strict referee watches the contacts of these tests;
tests that name a ``referee`` keep theirs."""

import os

import pytest

from holonom.analyses.session.simulation import Simulation


@pytest.fixture(autouse=True)
def strict_referee(monkeypatch):
    if os.environ.get("HOLONOM_STRICT_REFEREE"):
        monkeypatch.setattr(Simulation, "REFEREE", "strict")

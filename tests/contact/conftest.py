"""Contacts of these tests are watched by the strict referee, unless a test says otherwise."""

import os

import pytest

from holonom.analyses.session.simulation import Simulation


@pytest.fixture(autouse=True)
def strict_referee(monkeypatch):
    if not os.environ.get("R2_ON"):
        monkeypatch.setattr(Simulation, "REFEREE", "strict")

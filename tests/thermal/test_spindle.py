"""The study of the spindle, at one of its speeds: it asserts its own numbers."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("skfem", reason="scikit-fem is not installed (extra 'flex')")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "spindle_temperatures.py"


def test_spindle():
    spec = importlib.util.spec_from_file_location("example_spindle_temperatures", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    drift = example.main((6000,))
    assert drift == pytest.approx(20e-6, rel=0.02)  # what docs/thermal.md says

"""A short slice of every generator of ``make fuzz``."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import fuzz  # noqa: E402

from holonom.analyses.session.simulation import Simulation  # noqa: E402


@pytest.mark.parametrize("name", fuzz.names())
def test_slice(name, monkeypatch):
    monkeypatch.setattr(Simulation, "REFEREE", "strict")
    module = fuzz.generator(name)
    for seed in range(module.SLICE):
        module.attempt(seed)


def test_names_of_generators_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="no generator is called 'nothing'"):
        fuzz.generator("nothing")

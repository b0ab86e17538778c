"""A short slice of every generator of ``make fuzz``."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import fuzz  # noqa: E402

from holonom.analyses.session.simulation import Simulation  # noqa: E402

#: generators that take half a second and more for a case: how many run in the fast tests
FEW = {
    "flexible_contact": 0,
    "floors": 1,
    "geometry": 1,
    "mechanisms": 3,
    "passages": 1,
    "recesses": 1,
    "rooms": 1,
    "small_and_large": 2,
    "sound": 2,
    "stacks": 1,
    "stepping": 3,
    "touches": 5,
}


def attempts(name, first, end):
    module = fuzz.generator(name)
    for seed in range(first, end):
        module.attempt(seed)


@pytest.mark.parametrize("name", fuzz.names())
def test_slice(name, monkeypatch):
    monkeypatch.setattr(Simulation, "REFEREE", "strict")
    attempts(name, 0, FEW.get(name, fuzz.generator(name).SLICE))


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_rest_of_a_slice(name, monkeypatch):
    monkeypatch.setattr(Simulation, "REFEREE", "strict")
    assert FEW[name] < fuzz.generator(name).SLICE
    attempts(name, FEW[name], fuzz.generator(name).SLICE)


def test_names_of_generators_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="no generator is called 'nothing'"):
        fuzz.generator("nothing")

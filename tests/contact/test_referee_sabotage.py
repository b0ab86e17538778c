"""Passages made on purpose: the search is switched off for a pair, all the time or for an interval, and the referee
must report at least 999 of 1,000."""

import pytest
from referee_scenes import Flight, sabotage

import holonom as hn
from holonom.analyses.contact.refereeing import PassageError
from holonom.model import ModelError


def reported(seed: int) -> str:
    """Who ends the run of a flight: the referee, the solver (the search is on again while one is inside the other), or
    "" where nobody does."""
    flight = Flight(seed)
    with pytest.MonkeyPatch.context() as patch:
        sabotage(patch, flight)
        try:
            hn.simulate(flight.model, flight.end, 20, **flight.options)
        except PassageError:
            return "referee"
        except ModelError as error:
            assert "inside each other" in str(error), f"flight {seed}: {error}"
            return "solver"
    return ""


def missed(seeds) -> list[int]:
    return [seed for seed in seeds if not reported(seed)]


def test_passages_of_ten_flights_are_reported():
    assert missed(range(10)) == []


@pytest.mark.slow
def test_passages_of_a_thousand_flights_are_reported():
    lost = missed(range(1000, 2000))
    assert len(lost) <= 1, lost

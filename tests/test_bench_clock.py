"""Short times by a clock whose grain is longer than they are (`benchmarks/peers/clock.py`)."""

import importlib.util
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "benchmarks" / "peers" / "clock.py"
spec = importlib.util.spec_from_file_location("bench_clock", SOURCE)
bench_clock = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench_clock)


class Coarse:
    """A clock that shows whole ticks only; checking it costs ``look``."""

    def __init__(self, tick, look=1e-6):
        self.now, self.tick, self.look = 0.0, tick, look

    def __call__(self):
        self.now += self.look
        return int(self.now / self.tick) * self.tick

    def spend(self, seconds):
        self.now += seconds


@pytest.mark.parametrize("tick", [1e-7, 1e-3, 1e-2])
@pytest.mark.parametrize("cost", [2e-4, 1e-3, 7e-3, 0.3, 3.0])
@pytest.mark.parametrize("ahead", [True, False])
def test_short_times_by_a_coarse_clock(tick, cost, ahead):
    """Within two grains of a sample of fifty, whatever it costs to prepare a call; where that costs much and is taken
    off, of four."""
    clock = Coarse(tick)
    calls = []

    def prepare():
        clock.spend(0.2 * cost)
        return len(calls)

    def go(which):
        clock.spend(cost)
        calls.append(which)
        return "done"

    seconds, out = bench_clock.least(prepare, go, clock=clock, ahead=ahead)
    assert out == "done" and seconds == pytest.approx(cost, rel=0.05 if ahead else 0.09)
    assert len(calls) < 30_000 and (cost < 2.0 or len(calls) < 3)


def test_grain_of_a_clock():
    assert bench_clock.grain(Coarse(1e-2)) == pytest.approx(1e-2)
    assert 0.0 < bench_clock.grain() < 0.1

"""Conditions of functions that change back at once, again and again."""

import pytest

import holonom as hn


def test_a_force_that_chatters_is_told_once_and_counted():
    """Dry friction by SIGN: the block slows down by 2 m/s^2 from 1 m/s and stands from 0.53 s on, where the sign
    changes back all the time.  One sentence when that begins, one at the end."""
    m = hn.Model("dry", units="SI")
    m.gravity = (0, 0, 0)
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 0), velocity=(1.0, 0, 0))
    m.translational(block, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    i, j = m.marker_at(block, (0, 0, 0)), m.marker_at(m.ground, (0, 0, 0))
    m.vforce(i, j, fx=f"-SIGN(2, VX({i.id},{j.id})) + 0.1", name="dry")
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=0.55, steps=30, integrator="HHT", error=1e-3)
    run = sim.run()
    assert float(run.part("block").velocity[-1, 0]) == pytest.approx(0.0, abs=2e-3)
    first, last = (t for t in run.info["messages"] if "changes back at once" in t or "changed back at once" in t)
    assert "a condition of VFORCE/1 'dry' changes back at once, again and again" in first
    assert last.startswith("conditions of VFORCE/1 'dry' changed back at once ") and "more times up to time 0.5" in last
    sim.dynamics(end=0.57, steps=10, integrator="HHT", error=1e-3)  # the next analysis only counts
    later = [t for t in sim.messages[len(run.info["messages"]) :] if "at once" in t]
    assert len(later) == 1 and "more time" in later[0]

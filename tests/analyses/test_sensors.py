"""Sensors: located on the interpolant, then acted upon; times against free fall."""

import numpy as np
import pytest

import holonom as hn
from change_detectors import detect

G = 9.81


def falling(**actions):
    m = hn.Model()
    m.gravity = (0, 0, -G)
    p = m.part("stone", 1.0, (1, 1, 1))
    m.sensor(f"DZ({p.cm})", -2.0, "LE", error=1e-9, name="floor", **actions)
    m.vforce(p.cm, None, "0", "0", "0")
    return m


def test_halt_ends_the_run_where_the_sensor_fires():
    run = hn.simulate(falling(halt=True), end=3.0, steps=30, kind="dynamics", error=1e-9)
    assert run.time[-1] == pytest.approx(np.sqrt(2 * 2.0 / G), abs=1e-8)
    assert run.part("stone").position.values[-1, 2] == pytest.approx(-2.0, abs=1e-7)
    assert any("floor" in text for text in run.info["messages"])


def test_evaluate_is_kept_and_seen_by_functions_afterwards():
    m = falling(returns=True, evaluate="TIME")
    m.request("R", functions=["SENVAL(1)"])
    simulation = hn.Simulation(m)
    simulation.dynamics(end=3.0, steps=30, error=1e-9)
    assert simulation.returned and not simulation.halted
    simulation.dynamics(end=simulation.time + 0.1, steps=2, error=1e-9)
    assert simulation.run().data.request_values[-1, 0, 1] == pytest.approx(np.sqrt(2 * 2.0 / G), abs=1e-8)


def test_output_step_changes_after_the_sensor():
    run = hn.simulate(falling(dt=0.01), end=1.0, steps=4, kind="dynamics", error=1e-9)
    late = run.time[run.time > np.sqrt(2 * 2.0 / G) + 1e-9]
    assert np.allclose(np.diff(late)[:-1], 0.01)


def test_integration_goes_on_from_the_event_and_not_from_the_step_that_was_cut():
    """A force that a sensor switches on: after the restart the first rates must be those at the event."""
    m = hn.Model()
    p = m.part("sled", 1.0, (1, 1, 1))
    m.sensor("TIME", 0.5, "GE", error=1e-12, returns=False, evaluate="TIME")
    m.vforce(p.cm, None, "IF(SENVAL(1): 0, 0, 10)", "0", "0")
    run = hn.simulate(m, end=1.5, steps=3, kind="dynamics", error=1e-9)
    assert run.part("sled").velocity.values[-1, 0] == pytest.approx(10.0, abs=1e-8)
    assert run.part("sled").position.values[-1, 0] == pytest.approx(5.0, abs=1e-8)
    detect("force that a sensor switches: rejected", run.counters["rejected: error"])


def test_a_motion_goes_by_what_a_sensor_found_in_an_analysis_before():
    m = hn.Model()
    a = m.part("a", 1.0, (1, 1, 1))
    j = m.translational(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    motion = m.motion(j, "TIME")
    sensor = m.sensor("TIME", 0.25, "GE", 1e-9, returns=True, evaluate="10*TIME", name="quarter")
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=1.0, steps=10)
    assert sim.time == pytest.approx(0.25, abs=1e-6)
    sensor.value = 9.0  # it stays on, and does not fire again
    motion.function = f"0.1*SENVAL({sensor.id}) + (TIME - 0.25)"
    sim.dynamics(end=0.5, steps=10)
    assert sim.run().part("a").position.values[-1, 2] == pytest.approx(0.5, abs=1e-6)
    sensor.value = 0.25
    sensor.returns = False
    with pytest.raises(hn.ModelError, match="may fire within an analysis"):
        sim.dynamics(end=0.6, steps=10)


def test_a_sensor_that_is_off_has_no_value():
    """SENVAL of a deactivated sensor is zero, until it has fired again."""
    m = hn.Model("fall")
    m.gravity = (0, 0, -10.0)
    p = m.part("p", 1.0, (1, 1, 1))
    sensor = m.sensor(f"DZ({p.cm})", -1.0, "LE", error=1e-6, evaluate="TIME", returns=True)
    m.variable(f"SENVAL({sensor.id})", name="seen")
    sim = hn.Simulation(m)
    sim.dynamics(1.0, 10)
    assert sim.time == pytest.approx(np.sqrt(0.2), abs=1e-5)
    sim.deactivate(sensor)
    sim.dynamics(1.0, 5)
    sim.activate(sensor)
    sim.dynamics(1.2, 2)
    values = sim.run().variable("seen").values
    off = [s for s in sim.run().segments][1]
    assert values[0] == 0.0 and (values[off.start : off.end] == 0.0).all()

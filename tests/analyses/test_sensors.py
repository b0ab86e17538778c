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


# ---- EQ by change of sign, and analyses without integration ----------------------------------------------------------
def thrown(comparison, value, tolerance, upwards=4.0):
    """z = 4 t - 5 t^2: highest, 0.8, at 0.4."""
    m = hn.Model()
    m.gravity = (0, 0, -10.0)
    p = m.part("stone", 1.0, (1, 1, 1), velocity=(0, 0, upwards))
    m.sensor(f"DZ({p.cm})", value, comparison, error=tolerance, returns=True, name="s")
    return m


@pytest.mark.parametrize(
    "comparison, value, tolerance, expected",
    [
        ("EQ", -1.0, 1e-3, 1.0),
        ("EQ", -1.0, 1e-12, 1.0),
        ("LE", -1.0, 1e-3, 1.0),
        ("EQ", 0.35, 1e-3, 0.1),
        ("GE", 0.35, 1e-3, 0.1),
        ("EQ", 0.8 + 1e-5, 1e-3, 0.4),
        ("GE", 0.8 + 1e-5, 1e-3, 0.4),
        ("EQ", 0.9, 1e-3, None),
        ("EQ", 0.0, 1e-3, 0.8),
    ],
)
def test_a_sensor_fires_where_its_function_reaches_the_value(comparison, value, tolerance, expected):
    """A value that is passed is located exactly, whatever the tolerance; one that is only touched, within the tolerance
    of it."""
    simulation = hn.Simulation(thrown(comparison, value, tolerance))
    simulation.dynamics(end=1.2, steps=7, error=1e-9)
    assert simulation.returned == (expected is not None)
    touched = value > 0.8  # the function turns before it: found where it moves away again
    assert simulation.time == pytest.approx(expected or 1.2, abs=1e-5 if touched and expected else 1e-8)


def crank(function, comparison="GE", value=0.5, tolerance=1e-3, **actions):
    m = hn.Model()
    p = m.part("crank", 1.0, (1, 1, 1))
    j = m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(j, function)
    m.sensor(f"AZ({j.i},{j.j})", value, comparison, error=tolerance, name="s", **actions)
    return m


@pytest.mark.parametrize("comparison", ["GE", "EQ"])
def test_sensors_in_kinematics(comparison):
    run = hn.simulate(crank("TIME", comparison, returns=True), end=1.0, steps=3, kind="kinematics")
    assert run.time[-1] == pytest.approx(0.5, abs=1e-9) and len(run.time) == 3


def test_kinematics_goes_on_behind_a_sensor_with_its_output_step():
    run = hn.simulate(crank("TIME", dt=0.05), end=1.0, steps=2, kind="kinematics")
    assert run.time == pytest.approx([0.0, *np.arange(0.5, 1.001, 0.05)])


def test_kinematics_locates_a_sensor_after_turns():
    """Ten turns between two rows: angles are counted on through the search."""
    run = hn.simulate(crank("20*TIME", "EQ", 33.3, returns=True), end=3.0, steps=1, kind="kinematics")
    assert run.time[-1] == pytest.approx(33.3 / 20, abs=1e-9)


def test_senval_is_seen_in_kinematics():
    m = crank("IF(TIME-0.75: TIME, TIME, TIME)", value=0.5, evaluate="7*TIME")
    m.request("R", functions=["SENVAL(1)"])
    run = hn.simulate(m, end=1.0, steps=4, kind="kinematics")
    assert run.data.request_values[:, 0, 1] == pytest.approx(
        [0, 0, 0, 3.5, 3.5]
    )  # the row of the event is from before it, as in dynamics


def test_sensors_in_a_sequence_of_equilibria():
    """A mass on a spring of 100 N/m under a force of 10 N/s: 0.05 m at 0.5 s."""
    m = hn.Model()
    p = m.part("mass", 1.0, (1, 1, 1))
    m.translational(p, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.vforce(p.cm, None, f"-100*DX({p.cm})+10*TIME", "0", "0")
    m.sensor(f"DX({p.cm})", 0.05, "EQ", error=1e-4, returns=True, name="s")
    run = hn.simulate(m, end=1.0, steps=4, kind="quasistatics")
    assert run.time[-1] == pytest.approx(0.5, abs=1e-6)
    assert run.part("mass").position.values[-1, 0] == pytest.approx(0.05, abs=1e-7)

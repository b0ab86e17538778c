"""ERROR in model units: small vibrations are not lost, wherever the origin is and however many parts are at rest next
to them."""

import numpy as np
import pytest

import holonom as hn


def vibration(at=0.0, beside=0, units="mm"):
    """10 kg at 5 Hz with an amplitude of one model unit, x = cos(10 pi t), with other parts that are at rest."""
    m = hn.Model("vibration", units=units)
    m.gravity = (0, 0, 0)
    part = m.part("mass", 10.0, (1e4, 1e4, 1e4), (at + 1.0, 0, 0))
    m.translational(part, m.ground, at=(at, 0, 0), axis=(1, 0, 0))
    i, j = (m.marker_at(body, (x, 0, 0), z=(1, 0, 0)) for body, x in ((part, at + 1.0), (m.ground, at)))
    k = 10.0 * (10 * np.pi) ** 2 * (1e-3 if units == "mm" else 1.0)
    m.sforce(i, j, f"-{k!r}*DZ({i.id},{j.id},{j.id})", actiononly=True)
    for n in range(beside):
        m.translational(
            m.part(f"rest{n}", 1.0, (1, 1, 1), (at, 100.0 * n, 0)), m.ground, at=(at, 100.0 * n, 0), axis=(0, 1, 0)
        )
    return m


def moved(run, at):
    return run.part("mass").position.values[:, 0] - at


@pytest.mark.parametrize("method", ["GSTIFF", "WSTIFF", "DSTIFF", "HHT"])
def test_the_steps_do_not_depend_on_the_origin(method):
    runs = [hn.simulate(vibration(at), 0.5, 25, integrator=method, error=1e-4) for at in (0.0, 1e4)]
    assert runs[0].counters["steps"] == pytest.approx(runs[1].counters["steps"], rel=0.02)  # roundoff of positions
    a, b = (moved(run, at) for run, at in zip(runs, (0.0, 1e4)))
    assert np.abs(a - b).max() < 1e-4
    exact = np.cos(10 * np.pi * runs[0].time)
    assert np.abs(a - exact).max() < 0.05 and np.abs(a).max() == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize("method, error", [("GSTIFF", 1e-3), ("HHT", 1e-5)])
def test_a_small_vibration_is_not_lost_among_parts_at_rest(method, error):
    alone, among = (hn.simulate(vibration(1e3, n), 0.4, 4, integrator=method, error=error) for n in (0, 30))
    assert np.abs(moved(alone, 1e3) - moved(among, 1e3)).max() < 1e-3
    assert np.abs(moved(among, 1e3)[1:]).max() > 0.9
    assert among.counters["steps"] == pytest.approx(alone.counters["steps"], abs=2)


def test_errors_follow_what_is_asked():
    ends = []
    for error in (1e-3, 1e-4, 1e-5):
        run = hn.simulate(vibration(1e3), 1.0, 10, integrator="GSTIFF", error=error)
        ends.append(np.abs(moved(run, 1e3) - np.cos(10 * np.pi * run.time)).max())
    assert ends[0] < 0.1 and ends[1] < 0.2 * ends[0] and ends[2] < 0.2 * ends[1]


def test_a_small_machine_in_metres_keeps_scales_of_its_own():
    """A unit of a metre would let a machine of a centimetre do what it likes."""
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -9.81)
    bob = m.part("bob", 1e-3, (1e-9, 1e-9, 1e-9), (0.01, 0, 0))
    m.revolute(bob, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    fine = hn.simulate(m, 0.5, 20, integrator="DOP853", error=1e-11)
    run = hn.simulate(m, 0.5, 20, integrator="GSTIFF", error=1e-5)
    assert np.abs(run.part("bob").position.values - fine.part("bob").position.values).max() < 2e-5

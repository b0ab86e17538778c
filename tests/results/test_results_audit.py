import numpy as np
import pytest
from _fabricated_run import run

from holonom.model import Model
from holonom.results import Run, RunData, Segment, audit
from holonom.results.audit import is_conservative


def pendulum(leak=0.0, damped=False, **more):
    m = Model("pendulum")
    bob = m.part("BOB", 1.0, (1, 1, 1))
    m.spring_damper(m.marker(bob), m.marker(m.ground), stiffness=1.0, damping=1.0 if damped else 0.0)
    t = np.linspace(0, 3, 301)
    kinetic = 2 * np.sin(t) ** 2
    return Run(
        m,
        RunData(
            time=t, energy_kinetic=kinetic, energy_gravity=2 * np.cos(t) ** 2 + leak * t, energy_elastic=0 * t, **more
        ),
    )


def test_energy_that_stays():
    a = audit(pendulum())
    assert a.conservative and a.conclusive and a.ok(1e-12) and a.segments[0].scale == pytest.approx(2, rel=1e-3)
    assert "energy is kept within" in str(a)


def test_drift_is_found_with_its_time():
    a = pendulum(leak=0.01).audit()
    s = a.segments[0]
    assert s.max_drift == pytest.approx(0.03) and s.worst_time == 3.0 and not a.ok() and a.ok(0.02)
    assert a.relative == pytest.approx(0.03 / s.scale)


def test_recorded_works_balance():
    t = np.linspace(0, 3, 301)
    a = audit(pendulum(leak=0.5, damped=True, energy_input=0.7 * t + 5, energy_dissipated=0.2 * t))
    assert not a.conservative and a.reasons == ["1 damped SPRINGDAMPER"] and a.ok(1e-12)
    assert "energy and work balance" in str(a)
    wrong = audit(pendulum(leak=0.5, damped=True, energy_input=0.7 * t, energy_dissipated=0.3 * t))
    assert wrong.segments[0].max_residual == pytest.approx(0.3) and not wrong.ok(0.05)


def test_no_verdict_without_works():
    for works in ({}, {"energy_input": np.full(301, np.nan)}):
        a = audit(pendulum(leak=0.5, damped=True, **works))
        assert not a.conclusive and not a.ok(10.0) and "nothing follows" in str(a)


def test_each_dynamic_analysis_stands_alone():
    r = pendulum()
    r.data.segments = [
        Segment("statics", 0, 1),
        Segment("dynamics", 1, 100),
        Segment("kinematics", 100, 150),
        Segment("dynamics", 150, 301),
    ]
    r.data.energy_gravity[150:] += 7
    a = audit(r)
    assert len(a.segments) == 2 and a.ok(1e-12)
    r.data.segments = [Segment("statics", 0, 301)]
    assert "no dynamic analysis" in str(audit(r)) and not audit(r).ok()


def test_energies_not_recorded():
    a = audit(Run(Model("m"), RunData(time=[0.0, 1.0])))
    assert not a.ok() and "not recorded" in str(a)


def test_driven_models():
    fine, reasons = is_conservative(run(3).model)
    assert not fine and reasons == ["1 MOTION", "1 VFORCE"]
    m = run(3).model
    for kind in ("MOTION", "VFORCE"):
        m.table(kind)[1].active = False
    assert is_conservative(m) == (True, [])

"""Change to an implicit integrator where the model is stiff, and back when it is not any more."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn
from change_detectors import detect
from holonom.analyses.assemble import assemble
from holonom.integrators.entry import explicit_handle
from holonom.integrators.selection import choose
from holonom.integrators.stepper import IntegrationError, Step
from holonom.integrators.switching import STAY, WAIT, Switching, stable_step
from holonom.model.settings import IntegratorSettings
from holonom.system.build import System

DAMPER = "1+1E5*(STEP(TIME,2,0,2.1,1)-STEP(TIME,4,0,4.1,1))"


def sled(c):
    m = hn.Model()
    p = m.part("sled", 1.0, (1, 1, 1))
    m.translational(p, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.vforce(p.cm, None, f"10*SIN(5*TIME)-({c})*VX({p.cm})", "0", "0")
    return m


@pytest.mark.slow
def test_stiffness_that_comes_and_goes():
    """A damper a hundred thousand times as strong between 2 and 4 s: there, and only there, an implicit integrator."""
    run = hn.simulate(sled(DAMPER), end=7.0, steps=14, kind="dynamics", error=1e-6)
    changes = [t for t in run.info["messages"] if "switching to" in t]
    assert len(changes) == 2
    away, back = (float(t.split()[2]) for t in changes)
    assert "stability limits the step of DOP853: the model is stiff; switching to" in changes[0] and 2.0 < away < 2.1
    assert "the stiffness is gone; switching to DOP853" in changes[1] and 4.0 < back < 5.0
    detect("damper that comes and goes: steps", run.counters["steps"])
    step = lambda t, a, b: 0.0 if t < a else (1.0 if t > b else ((t - a) / (b - a)) ** 2 * (3 - 2 * (t - a) / (b - a)))
    c = lambda t: 1 + 1e5 * (step(t, 2, 2.1) - step(t, 4, 4.1))
    exact = solve_ivp(
        lambda t, y: [y[1], 10 * np.sin(5 * t) - c(t) * y[1]],
        (0, 7),
        [0, 0],
        "Radau",
        rtol=1e-9,
        atol=1e-11,
        max_step=0.05,
    )
    assert run.part("sled").position.values[-1, 0] == pytest.approx(exact.y[0, -1], abs=2e-5)
    asked = choose(IntegratorSettings(), "DOP853", {})
    assert not asked.free  # who requires an integrator gets it to the end


def prepared(model):
    system = System(model)
    assembly = assemble(system, 0.0, None)
    return system, assembly.y


def test_longest_stable_step():
    """6.1 over the eigenvalue: c/m of a damper, the frequency of a spring."""
    system, y = prepared(sled("2E4"))
    explicit_handle(system)
    assert stable_step(system, 0.0, y) == pytest.approx(0.9 * 6.1 / 2e4, rel=0.05)
    m = hn.Model()
    p = m.part("mass", 2.0, (1, 1, 1))
    m.vforce(p.cm, None, f"-8E6*DX({p.cm})", "0", "0")
    system, y = prepared(m)
    y[0] = 0.1
    assert stable_step(system, 0.0, y) == pytest.approx(0.9 * 6.1 / 2e3, rel=0.1)
    m = hn.Model()
    m.part("free", 1.0, (1, 1, 1))
    assert stable_step(*(lambda s, y: (s, 0.0, y))(*prepared(m))) > 1.0


class _Stepper:
    def __init__(self, stiff=False):
        self.stiff, self.t, self.y = stiff, 0.0, np.zeros(1)


def steps(n, h=1e-4, t=0.0):
    """One after another, made as they are taken."""
    return (Step(t + k * h, t + (k + 1) * h, h, 8, 0, []) for k in range(n))


def test_no_flip_flop(monkeypatch):
    """Where an implicit method is no gain, the explicit steps before the next try double; where stiffness comes and
    goes, the wait between two looks does; a short rest of the run is not worth a change."""
    stable = {"h": 1.0}
    monkeypatch.setattr("holonom.integrators.switching.stable_step", lambda system, t, y: stable["h"])
    watch = Switching(choose(IntegratorSettings(), None, {}), None)
    assert watch.after(_Stepper(), next(steps(1)), 1e3) is None
    assert watch.after(_Stepper(True), next(steps(1)), 0.01) is None  # 100 steps to go: not worth it
    kind, reason = watch.after(_Stepper(True), next(steps(1)), 1e3)
    assert kind != "DOP853" and "stability limits" in reason
    stays, waits = [], []  # explicit and implicit steps between changes
    for looks in (1, 1, 1, 2, 2):  # the first look leads back, or the second one
        stable["h"] = 1.0 if looks == 1 else 1e-4
        for k, s in enumerate(steps(100000), 1):
            if k == watch.wait + 1:
                stable["h"] = 1.0
            if watch.after(_Stepper(), s, 1e4):
                waits.append(k)
                break
        assert watch.kind == "DOP853"
        for k, s in enumerate(steps(100000), 1):
            if watch.after(_Stepper(True), s, 1e4):
                stays.append(k)
                break
    assert waits == [WAIT, WAIT, WAIT, 2 * WAIT, 4 * WAIT]
    assert stays == [STAY, 2 * STAY, 4 * STAY, 1, 1]
    stable["h"] = 3e-4  # only three times the implicit step: stay
    assert not any(watch.after(_Stepper(), s, 1e3) for s in steps(2000))
    assert watch.failed(IntegrationError("no", 0.0)) is None  # the implicit one has failed: nothing better is known


def test_an_asked_integrator_is_never_changed():
    watch = Switching(choose(IntegratorSettings(kind="GSTIFF"), None, {}), None)
    assert not watch.free and watch.after(_Stepper(True), next(steps(1)), 1e9) is None
    assert watch.failed(IntegrationError("no", 0.0)) is None


def test_a_model_that_is_stiff_next_to_a_young_contact_goes_to_an_implicit_method():
    """During the first contact of a ball steps are taken in the root of time, and their stiffness counts as well:
    121,109 steps once."""
    m = hn.Model("two")
    m.gravity = (0, 0, -9.81)
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 0.1))
    m.contact(
        m.sphere(ball, (0, 0, 0.1), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=1e5,
        exponent=1.5,
        damping=0.0,
    )
    gripper = m.part("gripper", 0.045, (1.3e-5, 1.3e-5, 0.74e-6), (1, 0, 0))
    gripper.wz = gripper.wx = 0.1
    m.bushing(
        m.marker_at(gripper, (1, 0, 0)),
        m.marker_at(m.ground, (1, 0, 0)),
        stiffness=(1e6,) * 3,
        damping=(1e4,) * 3,
        rotational_stiffness=(5.7e4,) * 3,
        rotational_damping=(573.0,) * 3,
    )
    run = hn.simulate(m, 1e-3, 10)
    assert any("the model is stiff; switching" in text for text in run.info["messages"])
    assert run.counters["steps"] < 200
    # the ball falls as if its contact were not there yet: d < 5e-6 m, 1e5 d^1.5 is a thousandth of its weight
    fall = run.part("ball").position.values[-1, 2] - 0.1
    assert fall == pytest.approx(-0.5 * 9.81 * 1e-6, rel=1e-3)


@pytest.mark.parametrize("speed", [1e-4, 1e-5])
def test_struck_rods_do_not_alternate(speed):
    """A wave about as small as the tolerance in an undamped rod: the step of DOP853 is limited by stability, that of
    RADAU5 by accuracy to about the same.  The default takes hardly more steps than DOP853 alone."""
    runs = []
    for integrator in (None, "DOP853"):
        m = hn.Model("struck")
        m.gravity = (0, 0, 0)
        section = hn.flexible.Section.rectangle(0.02, 0.01)
        rod = hn.flexible.rod(m, [(0, 0, 0), (1, 0, 0)], section, E=2.1e11, density=7850.0, elements=10)
        rail = m.translational(rod.parts[0], m.ground, at=(0, 0, 0), axis=(1, 0, 0))
        m.motion(rail, f"IF(TIME-0.01:0,0,{speed})", level="VELOCITY")
        runs.append(hn.simulate(m, 0.1, 20, integrator=integrator))
    ours, explicit = (run.counters["steps"] for run in runs)
    assert ours < 1.15 * explicit  # 1.35 times before
    far = speed * 0.09  # the rod goes on with the speed of the motion, its far end at up to twice that
    for run in runs:
        assert 0.5 * far < run.part(rod.parts[-1].name).position.values[-1, 0] - 1.0 < 1.5 * far

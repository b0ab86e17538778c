"""What FMUs do between steps: samples of control blocks, sensors, the past of delayed expressions, with the bits of the
simulation and of earlier states."""

import random
import shutil

import fmu_library
import numpy as np
import pytest

import holonom as hn
from holonom.model.control import SampleTime

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)


def cart():
    """A mass on a line, its position x, and the force of a VARIABLE named servo."""
    model = hn.Model("cart", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.translational(block, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    model.control.function("x", f"DX({block.cm})")
    model.vforce(block.cm, None, fx="VARVAL(servo)")
    return model


def servo():
    """A sampled controller with delay and jitter reads a sampled sensor with noise, at another rate."""
    model = cart()
    model.input("wanted", 0.5)
    model.control.sensor("seen", "x", noise=0.01, resolution=1e-3, sample_time=SampleTime(0.02, seed=3))
    model.control.pid(
        "servo", reference="wanted", measurement="seen", kp=6.0, ki=3.0, kd=4.0, filter=0.02, upper=2.0, lower=-5.0,
        sample_time=SampleTime(0.05, delay=0.013, jitter=0.02, seed=5),
    )  # fmt: skip
    return model


def late():
    """Forces by delayed positions: two delays of one expression, and one that varies."""
    model = cart()
    push = model.input("push", 1.0)
    x = "VARVAL(x)"
    model.variable(
        f"VARVAL({push.id}) - 20*DELAY({x}, 0.3, 0) - 5*DELAY({x}, 0.05, 0.1) - DELAY({x}, 0.1+0.05*SIN(TIME), 0)",
        "servo",
    )
    return model


def abrupt():
    """What is late jumps: an input, samples, what nothing locates, and an algebraic loop; and it has corners."""
    model = cart()
    push, c = model.input("push", 1.0), model.control
    c.gain("held", "-3*x", gain=1.0, sample_time=0.05)
    c.dead_time("late", "held", delay=0.07, before=0.4)
    c.function("echo", f"VARVAL({push.id}) - 0.5*DELAY(VARVAL(echo), 0.11, 0)")
    c.dead_time("wave", "ABS(SIN(9*TIME)) + IF(TIME-0.503: 0, 1, 1)", delay=0.2, before=0.0)
    c.function("moving", "DELAY(VARVAL(held), 0.16+0.05*SIN(3*TIME)+0.01*VARVAL(x), 0.3)")
    c.function("servo", "late + 0.2*echo - 0.3*wave - 2*DELAY(VARVAL(x), 0.13, 0) + 0.1*moving")
    return model


def watched():
    """A pendulum; sensors at its lowest position and at a speed, which end steps and keep values."""
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", mass=2.0, inertia=(0.001, 0.167, 0.167), position=(0.5, 0, 0))
    pin = model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    torque = model.input("torque")
    model.sforce(pin.i, pin.j, f"VARVAL({torque.id})", kind="ROTATIONAL")
    model.variable(f"AZ({pin.i},{pin.j})", "angle")
    low = model.sensor(f"DX({rod.cm})", 0.0, comparison="EQ", evaluate=f"WM({rod.cm})", returns=True)
    model.sensor(f"WM({rod.cm})", 5.0, comparison="GE", stepsize=1e-3)
    model.sensor("TIME", 2.55, comparison="GE", halt=True)
    model.variable(f"SENVAL({low.id})", "speed")
    return model


MACHINES = {
    "sampled": (servo, "wanted"),
    "delayed": (late, "push"),
    "abrupt": (abrupt, "push"),
    "sensors": (watched, "torque"),
}


def outputs_of(fmu):
    return [n for n, c in fmu.causality.items() if c == "output"]


def opened(make, **values):
    sim = hn.Simulation(make())
    for name, value in values.items():
        sim.set_input(name, value)
    sim.open(record="none", integrator="DOP853", events=False, coordinates="maximal")
    return sim


def reached(sim, t):
    """Advance to t, whatever sensors end in between."""
    while sim.time < t:
        sim.advance(t)


@pytest.mark.parametrize("name", MACHINES)
def test_equal_to_the_simulation(name, tmp_path):
    """All outputs have the bits of the simulation under an input that changes now and then; so has a run from an
    earlier state, and one from its bytes."""
    make, entry = MACHINES[name]
    fmu = fmu_library.Fmu2(hn.export_fmu(make(), tmp_path / "a.fmu"), tmp_path / "a")
    fmu.begin()
    sim, names, draw = opened(make), outputs_of(fmu), random.Random(1)
    rows, kept, size = [], [], 0.0125
    assert fmu.get(*names) == [sim.output(n) for n in names]
    for k in range(200):
        if k % 7 == 3:
            value = draw.uniform(-1.0, 1.0)
            fmu.set(**{entry: value})
            sim.set_input(entry, value)
        kept.append((fmu.keep(), fmu.get(entry)))
        fmu.step(k * size, size)
        reached(sim, k * size + size)
        rows.append(fmu.get(*names))
        assert rows[-1] == [sim.output(n) for n in names], k
    assert np.ptp(rows, axis=0).min() > 1e-2
    for _ in range(20):
        k = draw.randrange(190)
        state, again = kept[k][0], fmu.instance
        if k % 2:
            fmu.instance = fmu.open()
            fmu.begin()
            state = fmu.from_bytes(fmu.bytes_of(state))
        fmu.restore(state)
        for n in range(k, k + 5):
            fmu.set(**{entry: kept[n][1][0]})
            fmu.step(n * size, size)
            assert fmu.get(*names) == rows[n]
        if k % 2:
            fmu.close()
            fmu.instance = again
    fmu.close()


def test_the_first_sample_reads_what_inputs_are_at_the_start(tmp_path):
    """An input that is set before the simulation begins is what the first sample takes."""
    fmu = fmu_library.Fmu2(hn.export_fmu(servo(), tmp_path / "a.fmu"), tmp_path / "a")
    fmu.set(wanted=-0.7)
    fmu.begin()
    sim, names = opened(servo, wanted=-0.7), outputs_of(fmu)
    for k in range(20):
        fmu.step(k * 0.02, 0.02)
        sim.advance(k * 0.02 + 0.02)
        assert fmu.get(*names) == [sim.output(n) for n in names]
    fmu.close()


def test_ends_by_sensors(tmp_path):
    """FMI 3.0: a step ends early where a sensor requests it, if the importer allows that, at the root of the sensor;
    one that halts terminates.  FMI 2.0 has Discard for the latter."""
    path = hn.export_fmu(watched(), tmp_path / "three.fmu", fmi="3.0")
    fmu = fmu_library.Fmu3(path, tmp_path / "three", early=True)
    fmu.begin()
    sim, t, ends = opened(watched), 0.0, []
    while True:
        sim.advance(t + 0.2)
        t, early, terminated = fmu.step_on(t, 0.2)
        assert sim.time == t
        if terminated:
            break
        if early:
            ends.append(t)
            assert abs(fmu.get("angle")[0]) % np.pi == pytest.approx(np.pi / 2, abs=1e-7)
    assert len(ends) > 2 and t == pytest.approx(2.55, abs=1e-11)
    assert fmu.call_step(t, 0.1) == 3 and "a sensor has ended" in fmu.messages[-1]
    fmu.close()
    fmu = fmu_library.Fmu2(hn.export_fmu(watched(), tmp_path / "two.fmu"), tmp_path / "two")
    fmu.begin()
    fmu.step(0.0, 2.5)
    assert fmu.call_step(2.5, 0.5) == 2
    assert fmu.terminated() and fmu.last_time() == pytest.approx(2.55, abs=1e-11)
    fmu.close()


@pytest.mark.parametrize(
    ("make", "options", "sentence"),
    [
        (servo, {"kind": "me"}, "'seen', CONTROL/3 'servo': sampled blocks are not available in model exchange"),
        (late, {"kind": "cs,me"}, "DELAY is not available in model exchange; use co-simulation"),
        (watched, {"kind": "me"}, "sensors are not available in model exchange"),
    ],
)
def test_what_model_exchange_does_not_have_is_refused(tmp_path, make, options, sentence):
    with pytest.raises(hn.ModelError) as caught:
        hn.export_fmu(make(), tmp_path / "no.fmu", **options)
    assert sentence in str(caught.value)


def test_a_history_that_varies_is_refused(tmp_path):
    model = late()
    model.variable("DELAY(VARVAL(x), 0.2, SIN(TIME))", "before")
    with pytest.raises(hn.ModelError, match=r"the history of DELAY\(.*\) is not a number; give a number"):
        hn.export_fmu(model, tmp_path / "no.fmu")

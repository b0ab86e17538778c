"""Faults planted in closed forms and in a pendulum are named, with intervals that contain them; faults that act alike
are reported as such."""

import numpy as np
import pytest
from _curves import released

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Curve, Experiment, StudyParameter, diagnose

T = np.linspace(0.0, 3.0, 121)
FAULTS = {
    "loss": (0.0, 0.0, 0.6), "added": (0.0, 0.0, 1.0), "friction": (0.0, 0.0, 2.0), "bias": (0.0, -0.05, 0.05),
    "gain": (1.0, 0.7, 1.3),
}  # fmt: skip
STD = {"x": 1e-3, "force": 0.05}


def machine(v):
    """A mass of 2 kg on two springs of 25 N/m in parallel: position and force of the springs."""
    k = 50.0 * (1.0 - v["loss"])
    x = released({"m": 2.0 + v["added"], "k": k, "c": 1.0 + v["friction"]}, T)[0]
    return {"x": x, "force": k * x}


def measured(planted, rng, noise=STD):
    v = {n: f[0] for n, f in FAULTS.items()} | planted
    y = machine(v)
    y["x"] = v["gain"] * y["x"] + v["bias"]
    sensor = {"x": {"gain": "gain", "offset": "bias"}, "force": {}}
    return Experiment(machine, [
        Curve(n, T, y[n] + STD[n] * rng.standard_normal(len(T)), std=noise and noise[n], **sensor[n]) for n in y
    ])  # fmt: skip


@pytest.mark.parametrize("machines, least", [(20, 0.8), pytest.param(400, 0.93, marks=pytest.mark.slow)])
def test_random_machines(machines, least):
    """95 % of machines with one or two faults are diagnosed right; intervals contain ``least`` of the sizes, 97 % at
    most of a large sample."""
    rng = np.random.default_rng(11)
    right = inside = count = 0
    for _ in range(machines):
        names = rng.choice(list(FAULTS), rng.integers(1, 3), replace=False)
        planted = {}
        for n in names:
            healthy, low, high = FAULTS[n]
            sign = 1.0 if healthy == low else rng.choice([-1.0, 1.0])
            planted[n] = healthy + sign * rng.uniform(0.2, 0.8) * (high - healthy)
        found = diagnose(measured(planted, rng), FAULTS, derivatives="differences")
        if set(found.best.faults) == set(planted):
            right += 1
            count += len(planted)
            inside += sum(lo <= planted[n] <= hi for n, (lo, hi) in found.best.interval.items())
    print(f"{right} of {machines} right, {inside} of {count} sizes in their intervals")
    assert right >= 0.95 * machines
    assert least * count <= inside <= (count if machines < 100 else 0.97 * count)


@pytest.mark.parametrize("noise", [STD, None])
def test_healthy_machines(noise):
    """No fault is invented: at most one false alarm in 40; what would be noticed is reported."""
    rng = np.random.default_rng(12)
    alarms = 0
    for _ in range(20):
        found = diagnose(measured({}, rng, noise), FAULTS)
        alarms += bool(found.best.faults)
        assert found.explained is (True if noise else None)
    assert alarms <= 1
    assert "no fault" in found.text() or found.best.faults
    for n, size in found.detectable.items():
        twice = FAULTS[n][0] + 2 * size
        assert n in diagnose(measured({n: twice}, rng), FAULTS).best.faults


def pair(v):
    """Each spring of the two may lose its stiffness; only its own force shows which."""
    left, right = 25.0 * (1.0 - v["left"]), 25.0 * (1.0 - v["right"])
    x = released({"m": 2.0, "k": left + right, "c": 1.0 + v["friction"]}, T)[0]
    return {"x": x, "force": left * x, "speed": np.gradient(x, T)}


def test_springs_in_parallel_cannot_be_distinguished():
    healthy = {"left": 0.0, "right": 0.0, "friction": 0.0}
    y = pair(healthy | {"left": 0.3})["x"] + 1e-3 * np.random.default_rng(13).standard_normal(len(T))
    more = [Curve("speed", std=0.01), Curve("force", std=0.05)]
    test = Experiment(pair, Curve("x", T, y, std=1e-3), candidates=more)
    faults = {n: StudyParameter(n, 0.0, (0.0, 0.9)) for n in healthy}
    found = diagnose(test, faults)
    assert [set(s) for s in found.sets] == [{"left", "right"}]
    assert found.best.probability == pytest.approx(0.5, abs=0.05) and found.explained
    assert len(found.alternatives) == 1 and {*found.best.faults, *found.alternatives[0].faults} == {"left", "right"}
    assert set(found.candidates[0].separates) == {"left", "right"} and found.candidates[0].of == "force"
    assert "cannot be distinguished" in found.text() and "force of experiment 1 would separate" in found.text()
    assert found.best.sizes[found.best.faults[0]] == pytest.approx(0.3, abs=0.02)


def test_what_no_candidate_explains():
    """The right fault is not among the candidates."""
    rng = np.random.default_rng(14)
    test = measured({"added": 0.4}, rng)
    found = diagnose(test, {n: FAULTS[n] for n in ("bias", "friction")}, {"gain": 1.0, "loss": 0.0, "added": 0.0})
    assert found.explained is False and "no candidate explains" in found.text()


def pendulum(v):
    """A bar on a pin with a helper spring: lost stiffness, added mass at its end, viscous friction of the pin."""
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    bar = model.part("bar", 1.0, (0.001, 0.02, 0.02), position=(0.25, 0, 0))
    pin = model.revolute(bar, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    model.torsion_spring(pin.i, pin.j, 3.0 * (1.0 - v["loss"]), 0.02 + v["friction"], name="helper")
    tip = model.part("tip", 0.1 + v["added"], (1e-5, 1e-5, 1e-5), position=(0.5, 0, 0))
    model.fixed(tip, bar, at=(0.5, 0, 0))
    return model


OF_PENDULUM = {
    "loss": (0.0, 0.0, 0.6), "added": (0.0, 0.0, 0.2), "friction": (0.0, 0.0, 0.2), "bias": (0.0, -0.1, 0.1),
}  # fmt: skip


@pytest.mark.parametrize(
    "planted, most, among",
    [
        ({"loss": 0.2}, 1, ("loss", "bias")),
        pytest.param({"loss": 0.2}, 1, tuple(OF_PENDULUM), marks=pytest.mark.slow),
        pytest.param({"friction": 0.05, "bias": -0.02}, 2, tuple(OF_PENDULUM), marks=pytest.mark.slow),
    ],
)
def test_pendulum(planted, most, among):
    """Faults of a simulated pendulum, the sensor of whose angle may have an offset."""
    faults = {name: OF_PENDULUM[name] for name in among}
    truth = {n: f[0] for n, f in OF_PENDULUM.items()} | planted
    run = hn.simulate(pendulum(truth), end=1.0, steps=60, progress=False)
    times = np.asarray(run.time)
    noise = 0.002 * np.random.default_rng(15).standard_normal(len(times))
    y = np.asarray(run["pin.angle"].values) + truth["bias"] + noise
    test = Experiment(pendulum, Curve("pin.angle", times, y, std=0.002, offset="bias"),
                      analysis={"end": 1.0, "steps": 60})  # fmt: skip
    healthy = {name: f[0] for name, f in OF_PENDULUM.items() if name not in among}
    found = diagnose(test, faults, healthy, most=most)
    assert set(found.best.faults) == set(planted) and found.explained
    for n, v in planted.items():
        low, high = found.best.interval[n]
        assert low <= v <= high and high - low < 0.2 * abs(v)


def test_refusals():
    test = measured({}, np.random.default_rng(0))
    for faults, options, sentence in (
        ({"loss": (0.0, 0.5)}, {}, "fault 'loss': give \\(healthy value, lowest, highest\\)"),
        ({"loss": (0.9, 0.0, 0.5)}, {}, "outside of its bounds"),
        ({}, {}, "faults must be a table"),
        (FAULTS, {"most": 0}, "most must be a whole number"),
    ):
        with pytest.raises(ModelError, match=sentence):
            diagnose(test, faults, **options)

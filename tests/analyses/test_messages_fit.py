"""Messages fit their model: no alarm below the noise, no advice on what a model does not have, redundancy by joint,
peaks that integrators damp."""

from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.dynamics.work import gain


@pytest.mark.parametrize("place", [0.0, 3.0])
@pytest.mark.parametrize("end", [1e-4, 1e-2])
def test_no_alarm_for_energies_below_the_noise_of_what_is_in_play(end, place):
    """A gripper of 45 g sags by 0.4 um in a stiff bushing: 1e-7 J, wherever the origin of its potential energy is."""
    model = hn.Model("arm")
    model.gravity = (0, 0, -9.81)
    part = model.part("gripper", 0.045, (1.3e-5, 1.3e-5, 0.74e-6), (0, 0, place))
    i, j = model.marker_at(part, (0, 0, place)), model.marker_at(model.ground, (0, 0, place))
    model.bushing(
        i,
        j,
        stiffness=(1e6,) * 3,
        damping=(1e4,) * 3,
        rotational_stiffness=(5.7e4,) * 3,
        rotational_damping=(573.0,) * 3,
    )
    run = hn.simulate(model, end, 10)
    assert not run.info["warnings"]


def fake(kinetic, contacts=()):
    n = len(kinetic)
    zero = [0.0] * n
    rows = {
        "time": list(range(n)),
        "energy_kinetic": kinetic,
        "energy_gravity": zero,
        "energy_elastic": zero,
        "energy_input": zero,
        "energy_dissipated": zero,
        "contact_points": [np.ones(len(contacts))] * n,
    }
    return SimpleNamespace(rows=rows, contacts=[SimpleNamespace(label=name) for name in contacts])


def test_the_alarm_names_time_stepping_only_where_there_is_contact():
    assert "time-stepping" in gain(fake([1.0, 0.5, 1.2], ["CONTACT/1 'touch'"]), 0, 1e-6, "J")
    text = gain(fake([1.0, 0.5, 1.2]), 0, 1e-6, "J")
    assert "do not trust this run" in text and "time-stepping" not in text
    assert gain(fake([1.0, 0.5, 1.2]), 0, 1e-6, "J", work=1e6) is None  # the tolerance of what is in play


def test_loss_is_told_of_methods_that_damp():
    assert gain(fake([1.0, 0.5, 0.9]), 0, 1e-6, "J") is None
    assert "HHT has damped away 0.5 J" in gain(fake([1.0, 0.5, 0.9]), 0, 1e-6, "J", damps="HHT")
    assert gain(fake([1.0, 0.995, 0.99]), 0, 1e-6, "J", damps="HHT", work=1e6) is None


@pytest.mark.parametrize("method, error", [("HHT", 1e-4), ("GSTIFF", 1e-2), ("DOP853", None), ("RADAU5", None)])
def test_peaks_that_an_integrator_damps_are_reported(method, error):
    """A pendulum that swings by 0.2 rad for a minute: where energy is missing a warning reports this, by how much;
    methods that keep it give no information."""
    model = hn.Model("p")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", 2.0, (0.001, 0.02, 0.02), (np.sin(0.2), 0, -np.cos(0.2)))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    run = hn.simulate(model, 60.0, 600, integrator=method, **({"error": error} if error else {}))
    E = run.data.energy_kinetic + run.data.energy_gravity
    lost = float((E[0] - E).max() / np.ptp(run.data.energy_kinetic))
    told = [text for text in run.info["warnings"] if "has damped away" in text]
    assert bool(told) == (lost > 0.02), (lost, told)
    assert bool(told) == (method == "HHT") and all("HHT has damped away" in text for text in told)


@pytest.mark.parametrize("moves", [False, True])
def test_advice_on_a_model_that_cannot_be_put_together_names_only_what_it_has(moves):
    model = hn.Model("open")
    part = model.part("rod", 1.0, (1, 1, 1), (0, 0, 0))
    pin = model.revolute(part, model.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    model.joint("SPHERICAL", model.marker(part, (1, 0, 0)), model.marker(model.ground, (5, 0, 0)), "ball")
    if moves:
        model.motion(pin, "TIME", "drive")
        part.exact = ("X",)
    with pytest.raises(hn.ModelError, match="cannot be assembled") as caught:
        hn.simulate(model, 0.1, 2)
    text = str(caught.value)
    assert ("motions" in text) == moves and ("EXACT" in text) == moves and "(2)" in text


def scissors(stages: int) -> hn.Model:
    """A lift of two-armed stages on hinges: planar, in space."""
    model = hn.Model("lift")
    model.gravity = (0, 0, -9.80665)
    before = None
    for k in range(stages):
        arms = [model.part(f"{side}{k}", 1.0, (0.1, 0.1, 0.1), (0, 0, 0.5 + k)) for side in "ab"]
        model.revolute(*arms, f"cross{k}", at=(0, 0, 0.5 + k), axis=(0, 1, 0))
        if before is None:
            model.revolute(arms[0], model.ground, "foot", at=(-0.5, 0, 0), axis=(0, 1, 0))
            model.primitive("INPLANE", arms[1], model.ground, "slide", at=(0.5, 0, 0), axis=(0, 0, 1))
        else:
            model.revolute(arms[0], before[1], f"left{k}", at=(-0.5, 0, float(k)), axis=(0, 1, 0))
            model.revolute(arms[1], before[0], f"right{k}", at=(0.5, 0, float(k)), axis=(0, 1, 0))
        before = arms
    return model


def test_redundancy_is_summed_up_by_joint():
    few, some, many = scissors(3), scissors(4), scissors(9)
    for model, rows, sentences in ((few, 6, 6), (some, 9, 6)):
        run = hn.simulate(model, kind="initial")
        said = [text for text in run.info["messages"] if text.startswith("redundant: ")]
        assert (len(run.info["redundant"]), len(said)) == (rows, sentences)  # 3 equations a loop
        assert any(": 2 equations (" in text for text in said) == (rows > sentences)
    found = hn.check(many)
    assert len(found.redundant) == 24
    lines = str(found).splitlines()
    assert sum("repeat" in line for line in lines) == len(found.redundant_by_joint) == 16
    said = [text for text in hn.simulate(many, kind="initial").info["messages"] if text.startswith("redundant: ")]
    assert len(said) == 1 and f"{len(found.redundant)} of " in said[0] and "more" in said[0]

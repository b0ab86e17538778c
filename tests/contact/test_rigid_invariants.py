"""What holds in every scene of rigid contact: momentum in each step, contacts never give energy, reruns are equal to
the bit."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import holonom as hn

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def falling_house():
    return load("card_house").build(2, 0.25)


# model, end, step, contacts with the ground, share of the energy that may be gained: of solver and rounding; edges that
# turn about a point of contact feel it at the middle of the step, an error of the order of the step
SCENES = {
    "break": (lambda: load("billiards").build(), 0.4, 1e-3, ("cloth", "rails"), 1e-12),
    "row": (lambda: load("impact_row").build(), 0.15, 1e-3, (), 1e-12),
    "stack": (lambda: load("box_stack").build(5), 0.2, 5e-3, ("under box 1",), 1e-10),
    "dominoes": (lambda: load("dominoes").build(dominoes=8), 0.3, 1e-3, ("on the table",), 1e-3),
    "house that falls": (falling_house, 0.1, 1e-3, ("cards on the floor",), 1e-4),
}


def run_of(name):
    build, end, step, _, _ = SCENES[name]
    model = build()
    model.rigid.solver, model.rigid.iterations = (
        "NSGS",
        300,
    )  # sweeps add up rounding: a thousand leave 2e-12 of the momentum
    return hn.simulate(model, end, round(end / step), contact="time-stepping", step=step, progress=False)


@pytest.mark.parametrize("name", SCENES)
def test_momentum_energy_and_bits(name):
    _, _, step, ground, made = SCENES[name]
    run = run_of(name)
    mass = {p.name: p.mass for p in run.model.table("PART").values() if p.mass}
    momentum = sum(m * run.part(n).velocity.values for n, m in mass.items())
    size = sum(m * np.linalg.norm(run.part(n).velocity.values, axis=1) for n, m in mass.items()).max()
    outside = (
        sum(run.contact(n).force.values for n in ground) * step
        + sum(mass.values()) * np.asarray(run.model.gravity or (0, 0, 0)) * step
    )
    impulses = (
        sum(run.contact(n).normal.values for n in run.contacts) * step
    )  # a train of dominoes pushes more than it moves
    scale = max(size, impulses.max())
    np.testing.assert_allclose(
        np.diff(momentum, axis=0), np.broadcast_to(outside, momentum.shape)[1:], rtol=0, atol=1e-12 * scale
    )
    energy = run.energy
    lost = energy.dissipated.values
    total = (energy.kinetic + energy.gravity).values
    reference = energy.kinetic.values.max() + np.abs(energy.gravity.values).max()
    assert (np.maximum.accumulate(lost) - lost).max() <= made * reference
    assert (total - np.minimum.accumulate(total)).max() <= made * reference
    again = run_of(name)
    for n in mass:
        assert (run.part(n).position.values == again.part(n).position.values).all()
        assert (run.part(n).velocity.values == again.part(n).velocity.values).all()


def test_thin_dominoes_do_not_pass_through_each_other():
    """Plates of 1 mm whose edges move up to 5 mm in a step."""
    example = load("dominoes")
    thin = 1e-3
    model = example.build(dominoes=8, thick=thin)
    model.rigid.solver = "NSGS"
    run = hn.simulate(model, 0.4, 80, contact="time-stepping", step=5e-3, progress=False)
    x = np.array([run.part(name).position.values[:, 0] for name in run.bodies])
    z = np.array([run.part(name).position.values[-1, 2] for name in run.bodies])
    assert (np.diff(x, axis=0) > 0).all()
    assert (z < 0.45 * example.HEIGHT).all()  # all have fallen
    assert (z > 0).all()

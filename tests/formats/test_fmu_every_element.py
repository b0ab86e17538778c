"""FMUs of machines with one element of each type: the bits of the simulation, or a refusal that names the reason."""

import shutil

import fmu_library
import pytest

import holonom as hn
from _element_cases import CASES, machine
from _line_forces import LINE_FORCES
from _tyres import TYRES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
    ),
]
#: what no FMU can be, with a part of the sentence
REFUSED = {"GCON 3": "the initial velocities cannot be made to fit"}


def wheel(name):
    """A tyre that drops, rolls, slips and steers on a plane."""
    model = hn.Model()
    model.gravity = (0, 0, -9.81)
    body = model.part(
        "wheel", 300.0, (10, 18, 10), position=(0, 0, 0.29), velocity=(12.0, 0.4, 0), angular_velocity=(0.1, 45.0, 0.2)
    )
    TYRES[name](model, body.cm, model.marker(model.ground))
    return model


def line_force(name):
    """A force along a line between two parts that fly apart and turn."""
    model = hn.Model()
    a = model.part("a", 1.3, (1, 1.2, 0.7), position=(0, 0, 0), angular_velocity=(0.3, 0.1, 0.5))
    b = model.part("b", 2.0, (1, 2, 1.5), position=(0.9, 0.2, 0.1), velocity=(0.3, 0.1, 0))
    LINE_FORCES[name](model, a.cm, b.cm)
    return model


def check(model, tmp_path):
    outputs = {}
    for k, part in enumerate(p for p in model.parts.values() if p.cm):
        outputs |= {f"d{c}{k}": f"D{c.upper()}({part.cm})" for c in "xyz"}
        outputs |= {f"w{c}{k}": f"W{c.upper()}({part.cm})" for c in "xyz"}
    fmu = fmu_library.Fmu2(hn.export_fmu(model, tmp_path / "a.fmu", outputs=outputs), tmp_path / "a")
    fmu.begin()
    for name, text in outputs.items():
        model.variable(text, name)
    sim = hn.Simulation(model)
    sim.open(record="none", integrator="DOP853", events=False, coordinates="maximal")
    for k in range(10):
        fmu.step(k * 0.01, 0.01)
        sim.advance(k * 0.01 + 0.01)
        # curves on curves differ by rounding
        assert fmu.get(*outputs) == pytest.approx([sim.output(n) for n in outputs], rel=1e-13, abs=1e-15)
    fmu.close()


@pytest.mark.parametrize("name", CASES)
def test_elements(name, tmp_path):
    if name in REFUSED:
        with pytest.raises(hn.ModelError, match=REFUSED[name]):
            hn.export_fmu(machine(CASES[name]), tmp_path / "a.fmu", outputs={"x": "TIME"})
        return
    check(machine(CASES[name]), tmp_path)


@pytest.mark.parametrize("name", sorted(TYRES))
def test_tyres(name, tmp_path):
    check(wheel(name), tmp_path)


@pytest.mark.parametrize("name", sorted(LINE_FORCES))
def test_line_forces(name, tmp_path):
    check(line_force(name), tmp_path)

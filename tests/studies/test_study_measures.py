"""Measures against closed forms, and evaluations of models with several analyses."""

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from _models import as_drawn

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Measure

BUILD = f"{Path(__file__).with_name('_models.py')}:oscillator"
T = np.linspace(0.0, 2.0, 4001)


class Fake(dict):
    time, model = T, hn.Model("fake", units="SI")


def run(y):
    return Fake(y=xr.DataArray(y, dims=("time",) if y.ndim == 1 else ("time", "axis")))


@pytest.mark.parametrize(
    "reduce, given, value",
    [
        ("last", {}, 3 * math.sin(10.0) + 1), ("max", {}, 4.0), ("min", {}, -2.0), ("peak", {}, 4.0),
        ("range", {}, 6.0), ("mean", {}, 1 + 0.3 * (1 - math.cos(10.0))),
        ("integral", {}, 2 + 0.6 * (1 - math.cos(10.0))), ("frequency", {}, 2.5 / math.pi),
        ("at", {"at": 0.3}, 3 * math.sin(1.5) + 1), ("time of crossing", {"level": 2.5}, math.asin(0.5) / 5),
        ("time of max", {}, pytest.approx(math.pi / 10, abs=5e-4)),
        ("distance to curve", {"curve": [[0.5, 1.0], [3 * math.sin(2.5) + 1, 3 * math.sin(5.0) + 3]]}, math.sqrt(2.0)),
        ("max", {"start": 0.5, "end": 1.0}, 3 * math.sin(2.5) + 1),
        ("last", {"scale": 1e3}, 3e3 * math.sin(10.0) + 1e3),
    ],
)  # fmt: skip
def test_reductions_of_a_sine(reduce, given, value):
    """Oracle: integrals and zeros of 3 sin(5 t) + 1, written out."""
    assert Measure("y", reduce, **given)(run(3 * np.sin(5 * T) + 1)) == (
        value if type(value) is not float else pytest.approx(value, rel=2e-6)
    )


def test_rms_deviation_and_vectors():
    y = 3 * np.sin(5 * T) + 1
    mean = 1 + 0.3 * (1 - math.cos(10.0)) / 1.0
    square = 9 * (0.5 - math.sin(20.0) / 40) + 2 * mean - 1
    assert Measure("y", "rms")(run(y)) == pytest.approx(math.sqrt(square), rel=1e-6)
    assert Measure("y", "std")(run(y)) == pytest.approx(math.sqrt(square - mean**2), rel=1e-6)
    assert Measure("y", "max")(run(np.stack([3 * np.cos(T), 4 * np.cos(T)], 1))) == pytest.approx(5.0)


def test_what_measures_refuse():
    for text, arguments in [
        ("did you mean 'mean'", ("y", "meen")), ("'at' needs at", ("y", "at")),
        ("mode must be a whole", ("damped_frequency",)),
    ]:  # fmt: skip
        with pytest.raises(ModelError, match=text):
            Measure(*arguments)
    with pytest.raises(ModelError, match="level is used by 'time of crossing' only"):
        Measure("y", "max", level=1.0)
    y = run(np.sin(T))
    for text, m in [
        ("does not cross 5; it is between", Measure("y", "time of crossing", level=5.0)),
        ("does not reach the time 3", Measure("y", "at", at=3.0)),
        ("does not oscillate", Measure("y", "frequency")),
        ("start 5 is beyond the run from 0 to 2", Measure("y", "max", start=5.0)),
    ]:
        with pytest.raises(ModelError, match=text):
            m(y)
    with pytest.raises(ModelError, match="there is no mode 3"):
        Measure("damped_frequency", mode=3)(SimpleNamespace(modes=[1, 2]))


ANALYSES = [{"name": "free", "end": 6.0, "steps": 600}, {"name": "modes", "kind": "linear"}]
MEASURES = {
    "speed": Measure("guide.speed", "peak", analysis="free"),
    "swing": Measure("guide.travel", "frequency", analysis="free"),
    "mode": Measure("damped_frequency", mode=1, analysis="modes"),
}


def test_a_model_function_with_two_analyses(tmp_path):
    """Oracle: the linear oscillator."""
    with hn.Study(tmp_path / "a.study", BUILD, {"stiffness": (20.0, 200.0), "damping": (0.0, 8.0)}, workers=0,
                  measures=MEASURES, analyses=ANALYSES) as s:  # fmt: skip
        found = s.run([{"stiffness": 50.0, "damping": 0.0}, {"stiffness": 100.0, "damping": 4.0}])
        for row in found:
            k, c = row.parameters["stiffness"], row.parameters["damping"]
            f = math.sqrt(k / 2 - (c / 4) ** 2) / (2 * math.pi)
            assert row.ok, row.message
            assert row.measures["mode"] == pytest.approx(f, rel=1e-8)
            assert row.measures["swing"] == pytest.approx(f, rel=1e-3)
            assert row.energy_error < 1e-4
        assert found["speed"][0] == pytest.approx(0.1 * 5.0, rel=1e-3)
        wrong = s.run([{"stiffness": 50.0, "damping": 100.0}]).rows[0]
        assert "outside of its bounds" in wrong.message


def test_a_model_with_parameters_of_its_own_and_a_dataset(tmp_path):
    model = as_drawn()
    measures = {"mode": Measure("damped_frequency", mode=1)}
    with hn.Study(tmp_path / "a.study", model, workers=0, measures=measures, analyses={"kind": "linear"}) as s:
        assert s.space.parameters[0].unit == "N/m"
        own = s.run([{"stiffness": 100.0}])["mode"]
    assert own == pytest.approx(math.sqrt(50.0) / (2 * math.pi), rel=1e-8)
    hn.write_adams(model, tmp_path / "m.adm")
    number = model.find("SPRINGDAMPER", "spring").id
    parameters = {"k": hn.studies.StudyParameter("k", 50.0, (20.0, 200.0), address=f"SPRINGDAMPER/{number}.K")}
    with hn.Study(tmp_path / "b.study", tmp_path / "m.adm", parameters, workers=1, measures=measures,
                  analyses={"kind": "linear"}) as s:  # fmt: skip
        assert s.run([{"k": 100.0}])["mode"] == pytest.approx(own, rel=1e-8)


def test_measures_that_a_run_does_not_have(tmp_path):
    make = lambda name, **o: hn.Study(tmp_path / name, BUILD, {"stiffness": 50.0, "damping": 0.0}, workers=0, **o)
    with make("a.study", measures={"m": Measure("gude.speed", "max")}, analyses={"end": 0.1, "steps": 2}) as s:
        row = s.run([{}]).rows[0]
        assert row.status == "failed" and row.message.startswith("measure 'm': max of 'gude.speed': ")
    with pytest.raises(ModelError, match="there is no analysis 'modal'"):
        make("b.study", measures={"m": Measure("guide.speed", analysis="modal")}, analyses=ANALYSES)
    with pytest.raises(ModelError, match="analyses need measures"):
        make("b.study", analyses=ANALYSES)
    with pytest.raises(ModelError, match="unknown kind 'dynamic'; did you mean 'dynamics'"):
        make("b.study", measures=MEASURES, analyses={"kind": "dynamic"})


def test_damage_and_life_of_a_history():
    """Ten whole periods of one amplitude: nine and a half cycles of its range and two halves of half of it, by the
    formula of the curve; wrong use is a sentence."""
    y = 80.0 * np.sin(2 * math.pi * 5.0 * T)
    history = Fake(y=xr.DataArray(y, dims="time"))
    cycles = 2e6 * (60.0 / (80.0 * 1.5)) ** 5
    found = [Measure("y", r, sn="60,2e6,5", factor=1.5)(history) for r in ("damage", "life")]
    assert found[0] == pytest.approx((9.5 + 0.5**5) / cycles) and found[1] == pytest.approx(1 / found[0])
    half = Measure("y", "damage", sn="60,2e6,5", factor=1.5, end=1.0, scale=2.0)(history)
    assert half == pytest.approx(2 * (4.5 + 0.5**5) / cycles)
    pair = Fake(y=xr.DataArray(np.c_[y, y], dims=("time", "axis")), link=xr.DataArray(y, dims="time"))
    for text, make in [
        ("'life' needs sn", lambda: Measure("y", "life")),
        ("sn is used by 'damage' and 'life' only", lambda: Measure("y", "max", sn="60,2e6,5")),
        ("factor is used by 'damage' and 'life' only", lambda: Measure("y", "max", factor=2.0)),
        ("sn must be a text", lambda: Measure("y", "life", sn=60)),
        ("measure of 'y': sn '60,2e6': give STRESS,CYCLES,SLOPE", lambda: Measure("y", "life", sn="60,2e6")),
        ("measure of 'y': sn 'x': give STRESS,CYCLES,SLOPE", lambda: Measure("y", "damage", sn="x")),
        ("measure of 'y': .*-60", lambda: Measure("y", "life", sn="-60,2e6,5")),
        ("curve has one time; give two or more", lambda: Measure("y", "distance to curve", curve=[[0.0], [1.0]])),
        ("a magnitude has no sign", lambda: Measure("y", "life", sn="60,2e6,5")(pair)),
        ("do no damage", lambda: Measure("y", "life", sn="60,2e6,5,original", factor=0.1)(history)),
    ]:
        with pytest.raises(ModelError, match=text):
            make()


def test_stress_of_a_flexible_body():
    """A cantilever under a force at its tip: stress by moment over section modulus; names that do not exist."""
    width, height, L, force = 0.01, 0.02, 1.0, 1.0
    m = hn.Model("cantilever", units="SI")
    arm = m.part("arm", 1.0, (1.0, 1.0, 1.0), position=(0.5, 0, 0))
    m.fixed(arm, m.ground, "clamp", at=(0, 0, 0))
    section = hn.flexible.Section.rectangle(height, width)
    beam = hn.flexible.beam((0, 0, 0), (L, 0, 0), section, E=2.1e11, density=7850.0, y=(0, 1, 0), elements=8)
    m.make_flexible(arm, beam.reduced((1, 9), 0))
    m.vforce(m.marker_at(arm, (L, 0, 0)), m.ground, fy=force)
    run = hn.simulate(m, kind="statics", progress=False)
    root = Measure("arm.1.stress.xx", "peak")(run)
    assert root == pytest.approx(6 * force * L / (width * height**2), rel=1e-4)
    assert Measure("arm.von_mises", "max", scale=1e-6)(run) == pytest.approx(1e-6 * root, rel=1e-3)
    assert Measure("arm.5.stress.xx", "peak")(run) == pytest.approx(root / 2, rel=1e-4)
    for of, text in [("arm.stress.xx", "that of a node"), ("arm.99.von_mises", "99"), ("amr.von_mises", "amr")]:
        with pytest.raises(ModelError, match=text):
            Measure(of, "max")(run)
    with pytest.raises(ModelError, match="a magnitude has no sign"):
        Measure("arm.von_mises", "life", sn="ec3=80")(run)

"""What a study refuses instead of guessing: names, tuples, whole numbers, measures, curves, analyses, options."""

import numpy as np
import pytest
from _models import oscillator

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Curve, Experiment, Measure, StudyParameter, identify
from holonom.studies.pareto import Front
from holonom.studies.worker import MeasureError, checked

SPACE = {"stiffness": (20.0, 200.0), "damping": (0.5, 4.0)}
RUNS = [{"end": 0.1, "steps": 10}, {"end": 0.2, "steps": 10}]


def opened(tmp_path, function=lambda v: {"f": v["x"]}, space=None, **options):
    return hn.Study(tmp_path / "a.study", function, space or {"x": (0.0, 1.0)}, workers=0, **options)


@pytest.mark.parametrize(
    "space, text",
    [
        ({"x": (0, 1, 2)}, r"'x': a tuple is \(low, high\), got"),
        ({"x": (1,)}, r"a tuple is \(low, high\)"),
        ({"a": StudyParameter("b", 1.0)}, "'a' is given a StudyParameter named 'b'"),
    ],
)
def test_forms_of_parameters(tmp_path, space, text):
    with pytest.raises(ModelError, match=text):
        opened(tmp_path, space=space)


def test_whole_numbers_are_not_rounded():
    with pytest.raises(ModelError, match="'n' is a whole number: value must be one, got 1.5"):
        StudyParameter("n", 1.5, (0, 2), integer=True)
    with pytest.raises(ModelError, match="a bound must be one, got 0.51"):
        StudyParameter("n", bounds=(0.51, 3.49), integer=True)
    assert StudyParameter("n", 2.0, (0, 2), integer=True).value == 2


@pytest.mark.parametrize("value", ["3", True, np.True_, b"3", None])
def test_measures_are_numbers(value):
    with pytest.raises(MeasureError, match="measure 'f' must be a number"):
        checked({"f": value})


def test_no_measure_is_a_failure(tmp_path):
    with pytest.raises(MeasureError, match="no measures"):
        checked({})
    assert checked({"a": np.float64(1.0), "b": np.array(2.0), "c": 3}) == {"a": 1.0, "b": 2.0, "c": 3.0}


def test_a_measure_of_two_analyses_names_one(tmp_path):
    with pytest.raises(ModelError, match="measure 'x': it may be of 'run' or 'run 2'; give analysis="):
        opened(tmp_path, oscillator, SPACE, analyses=RUNS, measures={"x": Measure("guide.travel")})
    both = {"x": Measure("guide.travel"), "f": Measure("damped_frequency", mode=1)}
    opened(tmp_path, oscillator, SPACE, analyses=[RUNS[0], {"name": "modes", "kind": "linear"}], measures=both).close()


class History:
    """A run as a measure sees it."""

    def __init__(self, time, values):
        self.time, self._values = np.array(time), np.array(values)

    def __getitem__(self, name):
        return type("Found", (), {"dims": ("time",), "values": self._values})


def test_distance_to_a_curve_beyond_the_run():
    run = History([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    curve = [[0.0, 1.0, 5.0], [0.0, 3.0, 5.0]]
    with pytest.raises(ModelError, match="the curve from 0 to 5 extends beyond the run from 0 to 2"):
        Measure("a.b", "distance to curve", curve=curve)(run)
    assert Measure("a.b", "distance to curve", curve=curve, end=2.0)(run) == pytest.approx(np.sqrt(0.5 * (0 + 4.0)))
    for wrong, text in (([[1, 0], [0, 0]], "must ascend"), ([[0, 1], [0]], "as many values"), ("ab", "curve must be")):
        with pytest.raises(ModelError, match=text):
            Measure("a.b", "distance to curve", curve=wrong)


def test_the_end_of_a_measure_may_be_zero():
    assert Measure("a.b", "max", end=0.0)(History([-1.0, 0.0, 1.0], [1.0, 2.0, 9.0])) == 2.0


def test_options_of_optimisers_and_closed_tables(tmp_path):
    s = opened(tmp_path)
    with pytest.raises(ModelError, match="optimiser: there is no option 'maxiter'; did you mean 'max_runs'|no option"):
        s.minimize("f", maxiter=3)
    table = s.run([{"x": 0.5}])
    s.close()
    assert len(table["f"]) == 1  # read from the file again


def test_models_come_from_every_file_that_holds_one(tmp_path):
    """The files that `holonom run` reads, a robot file among them."""
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    fall = {"measures": {"distance": Measure("arm.position", "last")}, "analyses": [{"end": 0.1, "steps": 1}]}
    with opened(tmp_path, path, {"PART/2.MASS": (1.0, 2.0)}, **fall) as study:
        row = study.run([{"PART/2.MASS": 1.5}]).rows[0]
    assert row.measures.get("distance") == pytest.approx(0.5, abs=1e-3), row.message


def test_numbers_that_would_hide_an_answer():
    with pytest.raises(ModelError, match="scale is 0, so that the measure is 0 too"):
        Measure("guide.speed", scale=0.0)
    front = Front({"a": "min", "b": "min"}, [], "", 0, 0)
    with pytest.raises(ModelError, match="hypervolume: it takes two objectives and two numbers"):
        front.hypervolume((1.0, float("nan")))
    turning = Experiment(lambda v: {"y": np.exp(1j * v["a"] * np.arange(5))}, Curve("y", np.arange(5), np.ones(5)))
    with pytest.raises(ModelError, match="output 'y' has complex numbers"):
        identify(turning, {"a": (0.0, 1.0)})


def test_names_and_ranges_that_mean_two_things(tmp_path):
    with pytest.raises(ModelError, match="'pi' is a constant, and a name of this study; rename that"):
        opened(tmp_path, space={"pi": (0.0, 1.0), "x": (0.0, 1.0)}, derived={"c": "2 * pi * x"})
    with pytest.raises(ModelError, match="bounds -1e.308 to 1e.308 are too far apart for a number"):
        opened(tmp_path, space={"x": (-1e308, 1e308)})
    with opened(tmp_path, space={"x": (0.0, 1.0), "b": 2.0}) as study:
        same, other = study.run([{"x": 0.5, "b": 2.0}, {"x": 0.5, "b": 3.0}]).rows
    assert same.ok and other.status == "refused"
    assert other.message == "parameter 'b' is the constant 2, and 3 is given; give it bounds"


@pytest.mark.parametrize("kind", ["quadratic", "kriging", "rbf"])
def test_a_surrogate_of_a_constant_explains_nothing(tmp_path, kind):
    with opened(tmp_path, lambda v: {"f": 1.0 / 3.0}, {"x": (0.0, 1.0), "y": (0.0, 1.0)}) as study:
        made = study.run(hn.studies.full_factorial(3)).fit("f", kind)
    assert made.constant and np.isnan(made.q2) and "the same in all runs" in made.text()
    assert made({"x": 0.3, "y": 0.7}) == pytest.approx(1.0 / 3.0, rel=1e-12)

"""Hardpoints of vehicle files as parameters, characteristics of axles and metrics of manoeuvres as measures."""

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import StudyParameter

HEIGHT = "front.hardpoints.tie_rod_inner.2"
SPACE = {"z": StudyParameter("z", 238.0, (230.0, 250.0), address=HEIGHT)}
BUMP = {"name": "bump", "axle": "front", "sweep": "parallel", "x": [-40.0, 0.0, 40.0]}
MEASURES = {
    "steer": {"of": "bump.toe.left", "reduce": "range"}, "roll centre": "front.roll_centre_height",
    "slope": "front.bump_steer.right", "up": {"of": "bump.toe", "reduce": "at", "at": 20.0},
}  # fmt: skip


def opened(tmp_path, measures=MEASURES, analyses=(BUMP,), space=SPACE):
    sedan = hn.vehicle.read_vehicle("sedan")
    return hn.Study(tmp_path / "a.study", sedan, space, measures=measures, analyses=analyses, workers=0)


def test_characteristics_are_those_of_the_changed_file(tmp_path):
    with opened(tmp_path) as s:
        row = s.run([{"z": 242.0}]).rows[0]
        assert s.model({"z": 242.0}).data["front"]["hardpoints"]["tie_rod_inner"][2] == 242.0
    assert row.ok, row.message
    kc = hn.vehicle.read_vehicle("sedan").moved("front", "tie_rod_inner", (0, 0, 4.0)).kc("front")
    toe = kc.sweep("parallel", [-40.0, 0.0, 40.0])["toe"][:, 0]
    right = {
        "steer": np.ptp(toe), "roll centre": kc.design["roll_centre_height"], "slope": kc.design["bump_steer"][1],
        "up": 0.5 * (toe[1] + toe[2]),
    }  # fmt: skip
    assert row.measures == pytest.approx({k: float(v) for k, v in right.items()}, rel=1e-6)


@pytest.mark.slow
def test_bump_steer_and_a_manoeuvre(tmp_path):
    """The height at which the slope of the toe vanishes; understeer by a manoeuvre is that of the manoeuvre itself."""
    with opened(tmp_path) as s:
        start = s.run([{}]).rows[0].measures["slope"]
        found = s.minimize(["slope"], method="least_squares", max_runs=60, tolerance=1e-6)
    # a step of 1e-6 in x + 1 to 2, where x is the share of the range of z, changes a nearly linear slope by 1e-5
    assert found.converged and abs(found.measures["slope"]) < 1e-5 * abs(start)
    assert 238.0 < found.parameters["z"] < 246.0
    step = {"name": "step", "manoeuvre": "steer-step", "ay": 3.0}
    with hn.Study(tmp_path / "b.study", hn.vehicle.read_vehicle("sedan"), SPACE, analyses=step, workers=0,
                  measures={"overshoot": "step.yaw_rate_overshoot"}) as s:  # fmt: skip
        row = s.run([{}]).rows[0]
    drive = hn.vehicle.steer_step(hn.vehicle.Vehicle("sedan"), ay=3.0)
    assert row.ok, row.message
    assert row.measures["overshoot"] == pytest.approx(drive.metrics["yaw_rate_overshoot"], rel=1e-9)


@pytest.mark.parametrize(
    "measures, analyses, text",
    [
        ({"a": "bumb.toe"}, [BUMP], "'bumb.toe' begins with none of front, rear, bump; did you mean 'bump'"),
        (None, [BUMP], "measures must be a table"),
        ({"a": "bump.toe"}, [{**BUMP, "sweep": "paralel"}], "no sweep 'paralel'; did you mean 'parallel'"),
        ({"a": "bump.toe"}, [{**BUMP, "axle": "middle"}], "axle must be front or rear, got 'middle'"),
        ({"a": "bump.toe"}, [{"name": "x"}], "a table with name and sweep or manoeuvre"),
        ({"a": "bump.toe"}, [BUMP, BUMP], "two analyses are named 'bump'"),
        (
            {"a": "x.b"},
            [{"name": "x", "manoeuvre": "steer-stop"}],
            "no manoeuvre 'steer-stop'; did you mean 'steer-step'",
        ),
    ],
)
def test_what_it_refuses(tmp_path, measures, analyses, text):
    with pytest.raises(ModelError, match=text):
        opened(tmp_path, measures, analyses)


def test_characteristics_that_do_not_exist(tmp_path):
    with opened(tmp_path, {"a": "front.bump_stear"}, ()) as s:
        row = s.run([{}]).rows[0]
    assert (
        not row.ok and "measure 'a': there is no characteristic 'bump_stear'; did you mean 'bump_steer'" in row.message
    )

"""Load cases of a whole car: balance of every part, loads that statics and the weight demand, files.  The runs of one
car serve all tests."""

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cases():
    return hn.vehicle.load_cases(hn.vehicle.Vehicle("sedan"))


def test_every_part_balances_in_every_case(cases):
    """To roundoff, joints and DOP853: also what the coupler of rack and pinion does, and the general constraint that
    holds the twist beam across."""
    for case in cases.drives:
        for part in cases.parts:
            found = cases.loads(case, part)
            assert (
                found.residual.max() < 1e-8 * found.scale and found.moment_residual.max() < 1e-7 * found.moment_scale
            ), (case, part)
    assert "missing" not in cases.text(["rear left arm", "front rack", "chassis"])


def front_load(car, run, row):
    """Load of the front wheels that the motion of all parts demands: the road's moment about the rear contacts is the
    rate of the angular momentum of the parts and the moment of their weight."""
    at = {w: run.part(f"{w} left wheel").position.values[row] for w in ("front", "rear")}
    origin = at["rear"] - (0.0, 0.0, car.radii["rear"])
    moment = 0.0
    for part in (p for p in run.model.table("PART").values() if not p.ground):
        motion = run.part(part.name)
        arm, acceleration = motion.position.values[row] - origin, motion.acceleration.values[row]
        moment += part.mass * (arm[0] * (acceleration[2] + 9806.65) - arm[2] * acceleration[0])
        moment -= part.ip[1] * motion.angular_acceleration.values[row, 1]
    return 1e-3 * moment / (at["front"] - at["rear"])[0]


def test_wheels_carry_what_the_case_asks(cases):
    """At rest the weight; in braking what the motion of all parts demands; a kerb and a pothole load more than
    rest."""
    car = hn.vehicle.Vehicle("sedan")
    weight = car.file.mass.mass * 9.80665
    wheels = [w for w in cases.parts if w.endswith("wheel") and "steering" not in w]
    vertical = lambda case, row=-1: {
        w: cases.drives[case].run.force(f"{w.removesuffix(' wheel')} tyre").force.values[row, 2] for w in wheels
    }
    assert sum(vertical("rest").values()) == pytest.approx(weight, rel=1e-3)
    brake = cases.drives["braking"]
    row = int(np.argmin(brake["ax"]))
    load = vertical("braking", row)
    front = sum(v for w, v in load.items() if w.startswith("front"))
    assert front == pytest.approx(front_load(car, brake.run, row), rel=0.01)
    assert front > 1.2 * sum(v for w, v in vertical("rest").items() if w.startswith("front"))
    assert -brake["ax"].min() > 0.7 * 9.80665
    assert np.abs(cases.drives["cornering"]["ay"]).max() > 0.6 * 9.80665
    for case in ("pothole", "kerb"):
        most = max(np.linalg.norm(cases.loads(case, w).forces, axis=2).max() for w in wheels)
        assert most > 1.5 * max(vertical("rest").values())


def test_table_and_files(cases, tmp_path):
    part = next(p for p in cases.parts if "knuckle" in p or "strut" in p or "upright" in p)
    rows = cases.table(part)
    assert {"rest", "braking", "cornering", "pothole", "kerb"} < set(rows[0]) and part in cases.text([part])
    files = cases.export(tmp_path / "loads", [part])
    assert len(files) == 3 * 5 and all(f.stat().st_size > 500 for f in files)
    text = next(f for f in files if f.name.endswith("braking.bdf")).read_text()
    assert "FORCE*" in text and "LOAD*" in text and "largest force of" in text
    with pytest.raises(ModelError, match="did you mean 'braking'"):
        cases.loads("brakng", part)
    with pytest.raises(ModelError, match="load case"):
        hn.vehicle.load_cases(hn.vehicle.Vehicle("sedan"), ["jump"])

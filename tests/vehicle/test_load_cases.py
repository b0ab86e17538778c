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


def test_wheels_carry_what_the_case_asks(cases):
    """At rest the weight; braking and cornering move m a h/L and m a h/track; a kerb and a pothole load more than
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
    rest = sum(v for w, v in vertical("rest").items() if w.startswith("front"))
    u = car.units
    height = float(car.file.mass.centre[2]) + float(car.radii["front"]) - float(car.file._centre("front")[2])
    moved = -brake["ax"][row] / u.si_length * u.si_time**2 * car.file.mass.mass * height / car.file.wheelbase
    to_force = u.si_mass * u.si_length / u.si_time**2 / u.si_force
    assert front - rest == pytest.approx(moved * to_force, rel=0.15)  # the body still pitches
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

"""Reasons why runs failed: sentences that differ in numbers are one, and the parameter that decides is named."""

import pytest

import holonom as hn
from holonom.studies.reasons import reason, reasons


def test_numbers_do_not_make_a_reason_of_their_own():
    a = "it locks at PART/2 'rod3' (time 0.25); try (1) a smaller step 1e-3"
    b = "it locks at PART/2 'rod3' (time -1.5e-3); the corrector does not converge"
    other = "it locks at PART/3 'rod3' (time 0.25); try (1) a smaller step 1e-3"
    assert reason(a) == reason(b) != reason(other)
    first, second = reasons([(a, 2), (other, 4), (b, 3)])
    assert first.text == "it locks at PART/2 'rod3' (time -1.5e-3 to 0.25)" and first.count == 5 and first.example == a
    assert second.text == other and second.messages == {other}


def machine(v):
    """A run that fails where x + 0.1 y is large, each time with another number."""
    if v["x"] + 0.1 * v["y"] > 0.7:
        raise ValueError(f"no way on at {v['x'] * 10:.6f}; look there")
    return {"f": v["x"]}


@pytest.fixture
def study(tmp_path):
    with hn.Study(tmp_path / "a.study", machine, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, workers=0, progress=False) as s:
        yield s


def test_failures_are_one_line_with_the_parameter_that_decides(study):
    table = study.run(hn.studies.latin_hypercube(60))
    why, example, ranges, difference = table.failures().split("\n")
    assert why.startswith(f"{len(table.failed)} x ValueError: no way on at ") and " to " in why
    assert (
        example.strip().startswith("for example run ") and "; look there" in example and ranges.startswith("    at x ")
    )
    assert difference.strip().startswith("x differs most from runs that are ok: 80 % of these runs have x 0.")


def test_no_parameter_is_named_where_chance_decides(tmp_path):
    def coin(v, seed):
        if seed % 3 == 0:
            raise ValueError("bad luck")
        return {"f": 1.0}

    with hn.Study(tmp_path / "b.study", coin, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, workers=0, progress=False) as s:
        text = s.run(hn.studies.latin_hypercube(60)).failures()
    assert "x ValueError: bad luck" in text and "differs most" not in text


def test_warnings_of_runs_are_in_the_status_and_in_the_answer(tmp_path):
    def warned(v):
        from holonom._warnings import warn_model

        warn_model(f"it is only {v['x']:.5f} long")
        return {"f": (v["x"] - 0.3) ** 2}

    with hn.Study(tmp_path / "c.study", warned, {"x": (0.0, 1.0)}, workers=0, progress=False) as s:
        found = s.minimize("f")
        assert found.message.endswith("warning of this run: it is only 0.30000 long")
        assert f"  {found.runs} x it is only 0." in s.status()


def test_a_load_of_rounding_is_no_silent_measure():
    """The torque of a hinge about its own axis is zero; what the solver leaves of it is no measure."""
    model = hn.Model("bar", units="SI")
    model.gravity = (0, 0, -9.81)
    bar = model.part("bar", 1.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0))
    pin = model.revolute(bar, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    model.motion(pin, "1.3*TIME")
    run = hn.simulate(model, end=1.0, steps=20, progress=False)
    from holonom.studies import Measure

    loads = run.data.peaks["torque"]
    assert 0.0 < max(abs(v) for v in loads[0]) < 1e-12  # else there is nothing to report
    with pytest.warns(hn.ModelWarning, match=r"peak of 'pin.torque' is rounding: torques of JOINT/1"):
        Measure("pin.torque", "peak")(run)

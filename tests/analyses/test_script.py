"""Scripts: what each command does to the run, on one tiny pendulum."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.session.script import ScriptRunner, dataset_of
from holonom.formats import parse_acf, parse_adm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _tiny import SCRIPT, TINY  # noqa: E402


def play(text: str, **options):
    runner = ScriptRunner(parse_acf(text, "x.acf"), parse_adm(TINY, "tiny.adm"), progress=False, **options)
    return runner.run(), runner


def test_sensor_returns_then_redefined_statements_go_on():
    run, runner = play(SCRIPT)
    assert [s.kind for s in run.segments] == ["dynamics", "dynamics"]
    first, second = run.segment(0), run.segment(1)
    assert first.time[-1] == pytest.approx(0.2, abs=1e-9)  # the sensor returned; the script continued
    assert second.time == pytest.approx([0.2, 0.3, 0.4, 0.5])
    # gravity is off and a torque of 2.02 on an inertia of 1.01 turns the pendulum at 2 rad/s^2 from then on
    alpha = second.part("PART_2").angular_acceleration.values[:, 2]
    assert alpha == pytest.approx(2.0, rel=1e-5)
    w = second.part("PART_2").angular_velocity.values[:, 2]
    assert np.diff(w) == pytest.approx(0.2, rel=1e-5)
    # where the first ended, the second began
    p = run.part("PART_2").position.values
    assert p[first.time.size] == pytest.approx(p[first.time.size - 1], abs=1e-9)
    assert run.model.preferences["OUTPUT"] == (
        ("REQSAVE", ""),
    )  # states which files are written, see `results.files.adams_files`
    assert run.time[-1] == pytest.approx(0.5)  # nothing behind STOP was carried out
    assert runner.output == "tiny"


def test_the_callers_model_is_not_touched():
    model = parse_adm(TINY, "tiny.adm")
    before = model.to_dict()
    ScriptRunner(parse_acf(SCRIPT), model, progress=False).run()
    assert model.to_dict() == before
    twin = model.copy()
    twin.parts[2].mass = 5.0
    twin.integrator.error = 1.0
    assert model.to_dict() == before


def test_what_a_script_cannot_do_is_told_or_refused():
    run, runner = play(
        "CONTROL/FUNCTION=USER(1)\nsim/dyn, end=0.1, steps=1\nDEBUG/EPRINT\nRELOAD/SYSTEM, OUTPUT=b, STATES, "
        "BUFFER=c\n".replace("RELOAD", "SAVE/STATES, BUFFER=c\nRELOAD")
    )
    said = run.info["messages"]
    assert (
        "x.acf:1: CONTROL hands the simulation to a routine (CONSUB), which is not called: what it would simulate or "
        "change is left out" in said
    )
    assert "x.acf:3: DEBUG has no influence on the numbers and is ignored" in said
    assert run.info["output"] == "b"
    with pytest.raises(hn.ModelError, match=r"x.acf:2: a script runs one dataset, and this is its second \(b\)"):
        play("FILE/MODEL=a\nFILE/MODEL=b\n")


def test_pattern_of_simulate_reaches_the_corrector():
    rows = [
        play(f"int/gstiff, error=1e-4\nsim/dyn, end=0.1, steps=10, pattern={word}\n")[0].counters
        for word in ("T", "T:F:F:F:F:F:F:F:F:F")
    ]
    assert rows[0] != rows[1]


def test_halt_ends_everything():
    model = parse_adm(TINY.replace("RETURN", "HALT"), "tiny.adm")
    run = hn.run_script(parse_acf("sim/dyn, end=0.5, steps=10\nsim/dyn, end=1, steps=10\n"), model, progress=False)
    assert len(run.segments) == 1 and run.time[-1] == pytest.approx(0.2, abs=1e-9)


def test_settings_activation_and_past_ends():
    text = (
        "integrator/error=1e-8, hmax=0.01\ndeactivate/joint, id=1\ndeactivate/sensor, range=1, 9\nsim/dyn, end=0.1, "
        "steps=2\n"
        "activate/joint, id=1\nsim/dyn, end=0.05, steps=2\nlinear/eigensol\n"
    )
    run, runner = play(text)
    free = run.part("PART_2").position.values
    assert free[-1] == pytest.approx([1.0, -0.5 * 9.81 * 0.01, 0.0], abs=1e-9)  # the joint is off: it falls
    assert runner.simulation.model.integrator.error == 1e-8
    assert run.history["step"].max() <= 0.01 * (1 + 1e-12)
    assert any("x.acf:6: SIMULATE to 0.05 is ignored: the time is 0.1 already" in m for m in run.info["messages"])
    assert any("LINEAR/EIGENSOL at time 0.1 s: 1 modes" in m for m in run.info["messages"]) and len(run.linear) == 1


def test_initial_conditions_and_transient_of_a_driven_mechanism():
    model = parse_adm(TINY.replace("END\n", "MOTION/1, JOINT=1, ROTATION, FUNCTION=TIME\nEND\n"), "tiny.adm")
    run = hn.run_script(parse_acf("sim/initial\nsim/transient, end=0.1, steps=2\n"), model, progress=False)
    assert [s.kind for s in run.segments] == ["initial", "kinematics"]
    angle = np.arctan2(run.part("PART_2").position.values[-1, 1], run.part("PART_2").position.values[-1, 0])
    assert angle == pytest.approx(0.1, abs=1e-9)


def test_files_and_faults(tmp_path):
    (tmp_path / "tiny.adm").write_text(TINY)
    acf = tmp_path / "tiny.acf"
    acf.write_text("file/model=tiny\nsim/dyn, end=0.01, steps=1\n")
    assert dataset_of(hn.read_script(acf)) == tmp_path / "tiny.adm"
    assert hn.run_script(acf, progress=False).time[-1] == pytest.approx(0.01)
    with pytest.raises(hn.ModelError, match="names no dataset; add FILE/MODEL=name, or give the model"):
        hn.run_script(parse_acf("stop\n"))
    with pytest.raises(hn.ModelError, match="x.acf:1: there is no JOINT/5 to switch; correct the id"):
        play("deactivate/joint, id=5\n")
    with pytest.raises(hn.ModelError, match="x.acf:1: there is no VARIABLE/99 to redefine"):
        play("VARIABLE/99, FUNC=1\n")


def test_results_so_far_come_with_a_failure():
    with pytest.raises(hn.ModelError) as caught:
        play(
            "deactivate/sensor, id=7\nsim/dyn, end=0.1, steps=2\nVARIABLE/1, FUNC=VARVAL(9)\nsim/dyn, end=0.2, "
            "steps=2\n"
        )
    assert caught.value.run.time[-1] == pytest.approx(0.1)

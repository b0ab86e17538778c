"""What cannot be integrated: one sentence with the equation, the time, the last good state and three things to try; the
rows up to there are kept."""

import re

import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom import cli
from holonom.formats import parse_adm
from holonom.integrators.stepper import TRIES, IntegrationError


def stone(force="0", **more):
    m = hn.Model()
    p = m.part("stone", 1.0, (1, 1, 1))
    m.vforce(p.cm, None, force.replace("X0", f"DX({p.cm})").replace("V0", f"VX({p.cm})"), "0", "0")
    return m


def complete(text):
    """Time, last good state, three tries."""
    return "at time " in text and "last good state" in text and all(f"({k}) " in text for k in (1, 2, 3))


def test_a_force_that_ends_in_nothing():
    """SQRT(1 - t) has no value behind one second: the rows up to there come with the error, the last good state among
    them."""
    with pytest.raises(IntegrationError) as caught:
        hn.simulate(stone("10*SQRT(1-TIME)"), end=2.0, steps=10, integrator="DOP853", error=1e-6)
    error = caught.value
    assert complete(str(error)) and "VFORCE/1" in str(error) and "no finite number" in str(error)
    assert error.time == pytest.approx(1.0, abs=1e-3)
    assert error.run.time[-1] == pytest.approx(
        error.time, abs=1e-9
    )  # between two outputs: the last good state has its own row
    assert error.run.time[-2] == pytest.approx(0.8)
    v = error.run.part("stone").velocity.values[-1, 0]
    assert v == pytest.approx(20 / 3, rel=1e-4)
    assert error.run.info["stopped"] == str(error)


def test_a_step_that_may_not_be_small_enough():
    with pytest.raises(IntegrationError, match="HMIN") as caught:
        hn.simulate(stone("1000*SIN(300*TIME)"), end=5.0, steps=2, integrator="DOP853", error=1e-10, hmin=0.5)
    assert complete(str(caught.value)) and "step became too small" in str(caught.value)


def test_runaway():
    """x'' = x'^2 ends in a pole at t = 1 / v0."""
    m = stone("V0**2")
    m.parts[2].vx = 1.0
    with pytest.raises(IntegrationError) as caught:
        hn.simulate(m, end=2.0, steps=10, integrator="DOP853")
    assert complete(str(caught.value)) and caught.value.time == pytest.approx(1.0, abs=1e-3)


# implicit Euler with the step h solves (m - h^2 k) dx = ...; the stiffness is exactly m/h^2 behind 1.2 s
SINGULAR = r"""x
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=21, IP=1,1,1, QG=0.25,0,0
MARKER/21, PART=2
VFORCE/1, I=21, JFLOAT=10, RM=1, FX=IF(TIME-1.2: 0, 0, 4)*DX(21)\, FY=0\, FZ=0
MARKER/10, PART=1, FLOATING
END
"""


def test_a_singular_iteration_matrix():
    """The message names the equation, the time, the last good state and three things to try; rows end there."""
    with pytest.raises(IntegrationError) as caught:
        hn.simulate(parse_adm(SINGULAR, "s.adm"), end=3.0, steps=6, step=0.5, integrator="IMPLICIT_EULER")
    error = caught.value
    assert "the iteration matrix is singular at time 1; the equation is that of PART/2" in str(error) and complete(
        str(error)
    )
    assert "force balance about x" in error.equation and error.time == pytest.approx(1.0)
    assert "a check of the joints there" in str(error)  # the tries of this cause
    assert error.run.time == pytest.approx([0.0, 0.5, 1.0])
    assert error.run.part("PART_2").position.values[-1] == pytest.approx(
        [0.25, 0.0, 0.0]
    )  # at rest until the force sets in


def test_a_state_that_fails_is_named():
    dataset = SINGULAR.replace("END\n", "DIFF/7, IC=1.0, IMPLICIT, FUNCTION=IF(TIME-1.2: DIF1(7)-1, 0, 0)\nEND\n")
    with pytest.raises(IntegrationError, match="the equation is that of state 0, DIFF_7") as caught:
        hn.simulate(parse_adm(dataset.replace("0, 0, 4", "0, 0, 0"), "s.adm"), end=3.0, steps=6, integrator="HHT")
    assert complete(str(caught.value)) and 1.1 < caught.value.time < 1.3


def test_a_run_that_fails_midway_saves_its_results_from_the_command_line(tmp_path):
    (tmp_path / "s.adm").write_text(SINGULAR)
    words = [
        "run",
        str(tmp_path / "s.adm"),
        "--end",
        "3",
        "--steps",
        "6",
        "--integrator",
        "IMPLICIT_EULER",
        "--option",
        "step=0.5",
    ]
    result = CliRunner().invoke(cli.app, [*words, "--out", str(tmp_path / "out"), "--no-progress"])
    assert result.exit_code == 1 and "Traceback" not in result.output + result.stderr
    assert "the run failed: the iteration matrix is singular at time 1" in result.stderr and complete(result.stderr)
    run = hn.load(tmp_path / "out" / "run.h5")
    assert run.time == pytest.approx([0.0, 0.5, 1.0]) and "singular" in run.info["stopped"]


@pytest.mark.parametrize(
    "options", [{"steps": 0}, {"steps": 2.5}, {"dt": 0.0}, {"dt": -1.0}, {"end": 0.0}, {"end": float("nan")}]
)
def test_zero_steps(options):
    with pytest.raises(hn.ModelError, match="must be a positive|must be positive|does not lie after"):
        hn.simulate(stone(), **{"end": 1.0, **options})


def test_contradicting_joints():
    m = hn.Model()
    p = m.part("rod", 1.0, (1, 1, 1))
    m.revolute(p, m.ground, "near", at=(0, 0, 0), axis=(0, 0, 1))
    far = m.marker(m.ground, (5, 0, 0))
    near = m.marker(p, (1, 0, 0))
    m.joint("SPHERICAL", near, far, name="far")
    with pytest.raises(
        hn.ModelError, match=r"cannot be assembled at time 0: (near|far): .* stays open by .*\(1\).*\(2\).*\(3\)"
    ):
        hn.simulate(m, end=1.0)


def test_an_infinite_acceleration_at_the_start():
    with pytest.raises(
        hn.ModelError, match=r"PART/2 'stone'.*acceleration at time 0 is not a finite number.*VFORCE/1.*\(1\).*\(3\)"
    ):
        hn.simulate(stone("LOG(X0)"), end=1.0)


def test_every_cause_has_three_tries():
    assert all(len(set(tries)) == 3 for tries in TRIES.values())
    assert not any(re.search(r"[.;]$", text) for tries in TRIES.values() for text in tries)

"""Every integrator and formulation of the table can be chosen from Python, from a command file and from the command
line."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

import holonom as hn
from holonom import cli
from holonom.formats import parse_acf, parse_adm
from holonom.formats.adams import grammar
from holonom.integrators import INTEGRATORS
from holonom.integrators.selection import ALIASES, METHODS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# a pendulum of one joint under gravity: the small compiled form of the equations
PENDULUM = """pendulum
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=21, IP=0.01,0.01,0.01, QG=1,0,0
MARKER/20, PART=2, QP=-1,0,0
MARKER/21, PART=2
JOINT/1, REVOLUTE, I=20, J=1
ACCGRAV/JGRAV=-9.81
END
"""
END, STEP = 0.1, 5e-4
CHOICES = [(name, formulation) for name in INTEGRATORS for formulation in METHODS[name].formulations]
ONE_STEP_SIZE = {name for name in INTEGRATORS if METHODS[name].error is None} | {"CONSTANT_BDF"}
runner = CliRunner()


def tolerance(name):
    """Bound on the position: a first-order method with this step leaves about g t STEP / 2; others meet their error of
    1e-5."""
    return 5e-4 if METHODS[name].order == 1 else 2e-4


@pytest.fixture(scope="module")
def exact():
    """Position at the end, from the pendulum's own equation."""
    sol = solve_ivp(
        lambda t, y: [y[1], -9.81 / 1.01 * np.cos(y[0])], (0, END), [0, 0], "DOP853", rtol=1e-12, atol=1e-12
    )
    return np.array([np.cos(sol.y[0, -1]), np.sin(sol.y[0, -1]), 0.0])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("selectable")
    (folder / "pendulum.adm").write_text(PENDULUM)
    return folder


def check(run, name, formulation, exact):
    assert run.segments[0].settings["integrator"].upper() == name
    assert (run.segments[0].settings["formulation"] or METHODS[name].formulations[0]) == formulation
    assert any(m.startswith(f"integrator {name}") for m in run.info["messages"])
    assert run.time[-1] == pytest.approx(END)
    assert run.part("PART_2").position.values[-1] == pytest.approx(exact, abs=tolerance(name))


def options(name):
    return (
        {"step": STEP} if name in ONE_STEP_SIZE else {"error": 1e-5, "hmax": 0.01 if METHODS[name].order > 1 else STEP}
    )


@pytest.mark.parametrize(("name", "formulation"), CHOICES)
def test_from_python(name, formulation, exact):
    run = hn.simulate(
        parse_adm(PENDULUM, "p.adm"), end=END, steps=2, integrator=name, formulation=formulation, **options(name)
    )
    check(run, name, formulation, exact)


@pytest.mark.parametrize(("name", "formulation"), CHOICES)
def test_from_a_command_file(name, formulation, exact):
    """A fixed step is HMIN = HMAX there."""
    o = options(name)
    sizes = f"HMIN={o['step']}, HMAX={o['step']}" if "step" in o else f"ERROR={o['error']}, HMAX={o['hmax']}"
    text = f"INTEGRATOR/{name}, {formulation}, {sizes}\nsim/dyn, end={END}, steps=2\n"
    check(hn.run_script(parse_acf(text), parse_adm(PENDULUM, "p.adm"), progress=False), name, formulation, exact)


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        pytest.param(name, f, marks=[pytest.mark.slow] if f != METHODS[name].formulations[0] else [])
        for name, f in CHOICES
    ],
)
def test_from_the_command_line(name, formulation, exact, place):
    words = [
        "run",
        str(place / "pendulum.adm"),
        "--end",
        str(END),
        "--steps",
        "2",
        "--integrator",
        name,
        "--formulation",
        formulation,
    ]
    for key, value in options(name).items():
        words += ["--option", f"{key}={value}"]
    result = runner.invoke(cli.app, [*words, "--out", str(place / "out"), "--no-progress"])
    assert result.exit_code == 0, result.output + result.stderr
    check(hn.load(place / "out" / "run.h5"), name, formulation, exact)


def test_every_name_of_the_table_is_in_the_grammar():
    assert set(INTEGRATORS) <= set(grammar.INTEGRATORS)
    assert set(grammar.INTEGRATORS) <= set(INTEGRATORS) | set(ALIASES)


BAD = [
    ({"integrator": "GSTUFF"}, "INTEGRATOR/GSTUFF", "unknown integrator 'GSTUFF'; did you mean GSTIFF",
    "did you mean GSTIFF"),
    ({"integrator": "GSTIFF", "formulation": "SI7"}, "INTEGRATOR/GSTIFF, SI7",
    "FORMULATION = SI7 is not one of I3, SI2, SI1", "SI7"),
    ({"integrator": "DOP853", "formulation": "SI2"}, "INTEGRATOR/DOP853, SI2", "DOP853 has no formulation SI2", None),
    ({"error": 1e-40}, "INTEGRATOR/ERROR=1E-40", "ERROR = 1e-40 is impossible: roundoff", None),
    ({"error": -1e-3}, "INTEGRATOR/ERROR=-1E-3",
    r"ERROR = -0.001 is impossible; it must be a finite number, greater than 0", None),
    ({"hmax": 0.0}, "INTEGRATOR/HMAX=0", "HMAX = 0.0 is impossible", None),
    ({"steps": 0}, "", "the number of output steps must be a positive whole number, not 0", "STEPS must be 1 or more"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "statement", "message", "acf_message"), BAD)
def test_bad_input_is_refused_the_same_way_everywhere(bad, statement, message, acf_message, place):
    """From Python, from a command file and from the command line (exit code 2), before anything is integrated."""
    with pytest.raises(hn.ModelError, match=message):
        hn.simulate(parse_adm(PENDULUM, "p.adm"), end=END, **bad)
    with pytest.raises(hn.ModelError, match=acf_message or message):
        text = f"{statement}\nsim/dyn, end={END}, steps={bad.get('steps', 2)}\n"
        hn.run_script(parse_acf(text), parse_adm(PENDULUM, "p.adm"), progress=False)
    words = ["run", str(place / "pendulum.adm"), "--end", str(END), "--out", str(place / "none"), "--no-progress"]
    result = runner.invoke(cli.app, [*words, *(w for k, v in bad.items() for w in (f"--{k}", str(v)))])
    assert result.exit_code == 2 and "Traceback" not in result.stderr
    assert re.search(message, result.stderr), result.stderr
    assert not (place / "none" / "run.h5").exists()

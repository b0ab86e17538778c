"""Nothing is silently ignored: arguments that change nothing in a run are named in its messages, once each."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.formats import parse_acf, parse_adm
from holonom.integrators.selection import choose
from holonom.integrators.stepper import IntegrationError
from holonom.integrators.switching import Switching
from holonom.model.settings import IntegratorSettings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _tiny import TINY  # noqa: E402

DRIVEN = TINY.replace("END\n", "MOTION/1, JOINT=1, ROTATION, FUNCTION=TIME\nEND\n")
IDLE = {
    "initial": (
        "IC/ERROR=1E-3, VERROR=1E-3, AERROR=1E-3, MAXIT=7, AMAXIT=8, PATTERN=T:F",
        "sim/initial",
        [
            "IC: ERROR = 0.001",
            "IC: VERROR = 0.001",
            "IC: AERROR = 0.001",
            "IC: MAXIT = 7",
            "IC: AMAXIT = 8",
            "IC: PATTERN = T:F",
        ],
    ),
    "kinematics": (
        "KINEMATICS/ERROR=1E-3, AERROR=1E-2, MAXIT=7, ALIMIT=0.1",
        "sim/kin, end=0.1, steps=2\nsim/kin, end=0.2, steps=2",
        ["KINEMATICS: ERROR = 0.001", "KINEMATICS: AERROR = 0.01", "KINEMATICS: MAXIT = 7", "KINEMATICS: ALIMIT = 0.1"],
    ),
    "statics": (
        "EQUILIBRIUM/STABILITY=1E-4, METHOD=ALIGNED",
        "sim/statics",
        ["EQUILIBRIUM: STABILITY = 0.0001", "EQUILIBRIUM: METHOD = ALIGNED"],
    ),
}


@pytest.mark.parametrize("kind", IDLE)
def test_each_idle_argument_has_one_message(kind):
    statement, command, words = IDLE[kind]
    dataset = (DRIVEN if kind == "kinematics" else TINY).replace("END\n", statement + "\nEND\n")
    run = hn.run_script(parse_acf(command + "\n"), parse_adm(dataset, "tiny.adm"), progress=False)
    for word in words:
        said = [m for m in run.info["messages"] if m.startswith(word + " has no influence here and is ignored")]
        assert len(said) == 1, (word, run.info["messages"])


def test_kinematics_hmax_of_the_dataset_bounds_the_way_between_outputs():
    """A turn by 3 rad between two outputs: Newton follows the motion in steps of HMAX and ends at the right turn."""
    model = parse_adm(DRIVEN.replace("ROTATION, FUNCTION=TIME", "ROTATION, FUNCTION=30*TIME"), "tiny.adm")
    model.kinematics.hmax = 0.01
    x = hn.simulate(model, end=0.2, steps=2, kind="kinematics", error=1e-3, integrator="HHT")
    assert x.part("PART_2").position.values[-1] == pytest.approx([np.cos(6.0), np.sin(6.0), 0.0], abs=1e-9)
    said = " | ".join(x.info["messages"])
    assert "ERROR belongs to dynamic analyses and has no influence on this kinematic one" in said
    assert "INTEGRATOR = HHT has no influence on kinematics" in said
    model.kinematics.hmax = -1.0
    with pytest.raises(hn.ModelError, match="HMAX = -1.0 is impossible"):
        hn.simulate(model, end=0.2, steps=2, kind="kinematics")


def test_options_of_initial_conditions():
    run = hn.simulate(parse_adm(TINY, "tiny.adm"), kind="initial", error=1e-3, integrator="GSTIFF")
    said = " | ".join(run.info["messages"])
    assert (
        "ERROR belongs to dynamic analyses and has no influence on initial conditions" in said
        and "INTEGRATOR = GSTIFF" in said
    )


@pytest.mark.parametrize("name", ["error", "imbalance", "maxit", "tlimit", "alimit"])
def test_impossible_tolerances_of_statics(name):
    with pytest.raises(
        hn.ModelError, match=f"{name.upper()} = -1 is impossible; it must be a finite number, greater than 0"
    ):
        hn.simulate(parse_adm(TINY, "tiny.adm"), kind="statics", **{name: -1})
    with pytest.raises(hn.ModelError, match=f"{name.upper()} = 'small' is not a number"):
        hn.simulate(parse_adm(TINY, "tiny.adm"), kind="statics", **{name: "small"})


def test_dynamic_statics_relaxes_first():
    """EQUILIBRIUM/DYNAMIC: the machine comes to rest before Newton begins; the pendulum hangs straight down."""
    run = hn.simulate(parse_adm(TINY.replace("END\n", "EQUILIBRIUM/DYNAMIC\nEND\n"), "tiny.adm"), kind="statics")
    assert run.part("PART_2").position.values[-1] == pytest.approx([0.0, -1.0, 0.0], abs=1e-7)
    assert "statics: relaxing the machine dynamically, as EQUILIBRIUM/DYNAMIC requests" in run.info["messages"]


def test_what_belongs_to_the_datasets_method_is_said_to_go():
    dataset = IntegratorSettings(kind="GSTIFF", formulation="SI2", kmax=3, error=1e-5, pattern=(True, False))
    choice = choose(dataset, "DOP853", {})
    assert choice.notes == [
        "INTEGRATOR: FORMULATION = SI2, KMAX = 3, PATTERN = T:F belong to GSTIFF and are not used by DOP853"
    ]
    assert choice.options.error == 1e-5
    named = choose(IntegratorSettings(kind="SI2_GSTIFF"), "RK4", {"step": 1e-3})
    assert named.notes == ["INTEGRATOR: FORMULATION = SI2 belongs to GSTIFF and is not used by RK4"]
    assert not choose(dataset, "GSTIFF", {}).notes


def test_options_that_a_method_does_not_ask_for_are_said():
    idle = lambda name, **given: [
        n.split(" ")[0] for n in choose(IntegratorSettings(), name, given).idle if "no influence on" in n
    ]
    newton = {"maxit": 5, "corrector": "modified", "pattern": "T:F", "adaptivity": 1e-9, "newton": 1e-9}
    assert idle("DOP853", kmax=3, **newton) == ["KMAX", "MAXIT", "CORRECTOR", "PATTERN", "ADAPTIVITY", "NEWTON"]
    assert idle("RK4", step=1e-3, error=1e-6) == ["ERROR"]
    assert idle("ABAM", kmax=3, error=1e-6) == [] and idle("GSTIFF", kmax=3, **newton) == []
    assert idle("RADAU5", kmax=3, **newton) == ["KMAX", "CORRECTOR"]
    assert idle(None, **newton) == []  # an implicit method may follow


def test_no_other_method_is_tried_where_a_function_has_no_value():
    """An implicit method may get through what stops an explicit one, but not where the function itself has no value."""
    switching = Switching(choose(IntegratorSettings(), None, {}), None)
    assert switching.failed(IntegrationError("the step became too small", 0.1, source="VARIABLE/1")) is None
    assert switching.failed(IntegrationError("the step became too small", 0.1))[0] == "RADAU5"

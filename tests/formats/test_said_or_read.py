"""What Adams has and its files here do not is said in one sentence; what is read acts: files of linear analyses, yaw
and pitch, plant inputs and outputs, general constraints, balancing of forces, contact of points with surfaces."""

import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.formats import parse_acf, parse_adm
from holonom.results import export_res, read_res

MASS, ARM, TURN, G = 1.0, 0.5, 0.1, 9.80665
INERTIA = TURN + MASS * ARM**2  # about the hinge
BASE = f"""pendulum
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
ACCGRAV/JGRAV=-{G}
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1
PART/2, MASS={MASS}, CM=20, IP={TURN},{TURN},{TURN}, QG=0,-{ARM},0
MARKER/20, PART=2
MARKER/21, PART=2, QP=0,{ARM},0
JOINT/1, REVOLUTE, I=21, J=2
VARIABLE/1, FUNCTION=0
VARIABLE/2, FUNCTION=AZ(21,2)
SFORCE/1, ROTATIONAL, I=21, J=2, FUNCTION=VARVAL(1)
PINPUT/1, VARIABLES=1
POUTPUT/1, VARIABLES=2
REQUEST/1, DISPLACEMENT, I=21, J=2
RESULTS/XRF
"""
RUN = "SIMULATE/DYNAMICS, END=0.02, STEPS=2\n"
FRICTION = "FRICTION/1, JOINT=1, MU_STATIC=0.3, MU_DYNAMIC=0.2, PIN_RADIUS=0.01, FRICTION_ARM=0.01\n"


def run(extra="", script=RUN, folder=None, base=BASE):
    return hn.run_script(parse_acf(script), parse_adm(base + extra + "END\n", "t.adm"), folder=folder)


@pytest.mark.parametrize(
    "statement",
    ["SFORCE/9, TRANSLATIONAL, I=20, J=1, FUNCTION=1, {}", "SFORCE/9, TRANSLATIONAL, I=20, J=1, {}, FUNCTION=1",
     "VARIABLE/9, FUNCTION=1, {}", "VARIABLE/9, IC=1, {}, FUNCTION=1"],
)  # fmt: skip
@pytest.mark.parametrize("word", ["AUTOBALANCE", "AUTOBALANCE=ON", "AUTOBAL"])
def test_balancing_of_forces_is_named(statement, word):
    with pytest.raises(
        hn.ModelError, match="argument AUTOBALANCE is not computed .* hold what it balances by a MOTION"
    ):
        run(statement.format(word) + "\n")


@pytest.mark.parametrize("function", ["FX(21,2,2)-1", "SFORCE(1,0,4,2)"])
def test_constraints_on_forces_say_what_to_write(function):
    with pytest.raises(hn.ModelError, match="GCON/9 .*positions, velocities, states and time, not on forces; .* stiff"):
        run(f"GCON/9, FUNCTION={function}\n")


def test_constraints_on_states_hold():
    """An angle that is the state y' = 0.2 from 0."""
    found = run("DIFF/9, IC=0, FUNCTION=0.2\nGCON/9, FUNCTION=VARVAL(2)-DIF(9)\n")
    assert found.variable("VARIABLE_2").values[-1] == pytest.approx(0.2 * 0.02, abs=1e-9)


def test_constraints_on_variables_of_positions_and_time_hold():
    found = run("VARIABLE/3, FUNCTION=0.2*TIME\nGCON/9, FUNCTION=VARVAL(2)-VARVAL(3)\n")
    assert found.variable("VARIABLE_2").values[-1] == pytest.approx(0.2 * 0.02, abs=1e-9)


@pytest.mark.parametrize("statement", ["CVSF/9, I=20, J=1, CURVE=1, SURFACE=1", "PTSF/9, I=20, J=1, SURFACE=1",
    "SURFACE/9, PART=1"])  # fmt: skip
def test_contact_of_points_and_curves_with_surfaces_says_what_to_write(statement):
    with pytest.raises(hn.ModelError, match="is not computed in this version; .* FUNCTION of a GCON"):
        run(statement + "\n")


def test_files_of_linear_analyses(tmp_path):
    """A pendulum at rest: I a'' + m g L a = T."""
    script = "LINEAR/STATEMAT, FILE=s, FORMAT=MATLAB, PINPUT=1, POUTPUT=1\nLINEAR/MKB, FILE=m, PINPUT=1\n"
    run(script="SIMULATE/STATIC\n" + script, folder=tmp_path)
    A, B, C, D = (np.loadtxt(tmp_path / f"s{c}", ndmin=2) for c in "abcd")
    assert np.linalg.eigvals(A).imag.max() == pytest.approx(np.sqrt(MASS * G * ARM / INERTIA), rel=1e-7)
    assert (C @ np.linalg.solve(-A, B) + D)[0, 0] == pytest.approx(1.0 / (MASS * G * ARM), rel=1e-7)
    M, K, F = (float(np.loadtxt(tmp_path / f"m{c}")) for c in "mkf")
    assert K / M == pytest.approx(MASS * G * ARM / INERTIA, rel=1e-7) and F / M != 0.0


@pytest.mark.parametrize("word, angles", [("YPR", (0.3, 0.0, 0.0)), ("REQSAVE", None)])
def test_yaw_pitch_and_roll_of_requests(word, angles):
    """A request of displacements: the last three are yaw, pitch and roll with OUTPUT/YPR, else psi, theta and phi."""
    found = run(f"OUTPUT/{word}\nMOTION/1, JOINT=1, ROTATIONAL, FUNCTION=0.3\n")
    names, _ = found.request_components(found.data.requests[0])
    values = found.data.request_values[-1, 0, 5:8]
    if angles:
        assert names[5:8] == ("YAW", "PITCH", "ROLL") and values == pytest.approx(angles, abs=1e-9)
    else:
        assert names[5:8] == ("PSI", "THETA", "PHI") and values[0] + values[2] == pytest.approx(0.3, abs=1e-9)


def test_results_files_have_plants_and_say_what_they_lack(tmp_path):
    found = run(FRICTION, RUN + "LINEAR/EIGENSOL\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        export_res(found, tmp_path / "x.res")
    texts = [str(w.message) for w in caught if issubclass(w.category, hn.ModelWarning)]
    assert len(texts) == 2 and all(t.startswith("x.res: ") for t in texts)
    assert "eigenvalues and modes of 1 linear analyses are not in it" in texts[0] and "FRICTION" in texts[1]
    back = read_res(tmp_path / "x.res")
    for plant, letter, variable in (("PINPUT_1", "U1", "VARIABLE_1"), ("POUTPUT_1", "Y1", "VARIABLE_2")):
        assert np.array_equal(back.curve(plant, letter), back.curve(variable, "Q"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export_res(run(), tmp_path / "y.res")

"""Datasets whose answer is known in closed form: CURVE as a function, inertia that no body has."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.formats import parse_adm
from holonom.results.files.adams_res import export_res, read_res

HEAD = """title
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
PART/2, MASS=2, CM=20, IP=1,1,1
MARKER/20, PART=2
"""


def rows(function, count=41, columns=3):
    values = [function(a) for a in np.linspace(-1, 1, count)]
    text = ", ".join(",".join(repr(float(v)) for v in row) for row in values)
    return f"FULL=RORDER, ROWS={count}, COLUMNS={columns}, VALUES={text}"


def values(text, end=0.5, **more):
    return hn.simulate(parse_adm(HEAD + text + "END\n", "t.adm"), end=end, steps=5, **more).data.request_values[-1, 0]


def helix(a):
    return 2 * math.cos(math.pi * a), 3 * math.sin(math.pi * a), a


def test_curve_as_a_function_and_its_derivatives():
    """A helix: coordinates, first and second derivative at alpha = TIME; a spline of order 4 through 41 points."""
    text = f"MATRIX/1, {rows(helix)}\nCURVE/1, OPEN, MATRIX=1, CURVE_POINTS, ORDER=4\n"
    text += "REQUEST/1, F2=CURVE(TIME,0,1,1)\\F3=CURVE(TIME,0,2,1)\\F4=CURVE(TIME,1,2,1)\\F6=CURVE(TIME,2,1,1)\\F7=CURVE(TIME,1,3,1)\n"  # noqa: E501
    got = values(text, end=0.3)
    a = 0.3
    assert got[1:3] == pytest.approx((helix(a)[0], helix(a)[1]), abs=2e-5)
    assert got[3] == pytest.approx(3 * math.pi * math.cos(math.pi * a), abs=2e-3)
    assert got[5] == pytest.approx(-2 * math.pi**2 * math.cos(math.pi * a), rel=2e-2) and got[6] == pytest.approx(1.0)


def test_curves_that_no_function_names_are_not_read():
    """A second curve whose matrix has two columns does not keep a function of the first from running; names are ids or
    names."""
    two = rows(lambda a: (a, a), columns=2)
    text = (
        f"MATRIX/2, {two}\nCURVE/7, OPEN, MATRIX=2\nMATRIX/1, {rows(helix)}\nCURVE/1, OPEN, MATRIX=1, CURVE_POINTS, "
        "ORDER=4\n"
    )
    assert values(text + "REQUEST/1, F2=CURVE(0.5,0,2,1)\n")[1] == pytest.approx(3.0, abs=1e-9)
    with pytest.raises(hn.ModelError, match="there is no curve 9, used by CURVE"):
        values("REQUEST/1, F2=CURVE(0.5,0,2,9)\n")


def test_a_motion_along_a_curve():
    """A slider that a motion moves by a coordinate of a curve: a parabola, which the spline has exactly."""
    text = f"MATRIX/1, {rows(lambda a: (a, a * a, 0.0))}\nCURVE/1, OPEN, MATRIX=1, CURVE_POINTS, ORDER=4\n"
    text += "JOINT/1, TRANSLATIONAL, I=20, J=10\nMOTION/1, JOINT=1, TRANSLATIONAL, FUNCTION=CURVE(TIME,0,2,1)\n"
    text += "REQUEST/1, F2=DZ(20,10)\\F3=VZ(20,10)\\F4=ACCZ(20,10)\n"
    got = values(text)
    assert got[1:4] == pytest.approx((0.25, 1.0, 2.0), abs=1e-9)


def test_a_disk_whose_inertia_no_body_has():
    """On its axis only the third moment counts: w = torque t / I."""
    text = (
        "PART/3, MASS=0.25, CM=30, IP=0.00125, 0.00125, 0.0095\nMARKER/30, PART=3\nJOINT/1, REVOLUTE, I=30, J=10\n"
        "JOINT/2, FIXED, I=20, J=10\nSFORCE/1, ROTATIONAL, ACTIONONLY, I=30, J=10, FUNCTION=0.0095\nREQUEST/1, "
        "F2=WZ(30,10)\n"
    )
    with pytest.warns(hn.ModelWarning, match="no body has such an inertia"):
        assert values(text, end=1.0)[1] == pytest.approx(1.0, rel=1e-6)


# ---- DELAY -----------------------------------------------------------------------------------------------------------
def delayed(t):
    """y' = -y(t - 1), y = 1 before 0: 1 - t, then 1 - t + (t-1)^2/2, then - (t-2)^3/6 more (method of steps)."""
    return sum((-1) ** k * (t - k + 1) ** k / math.factorial(k) for k in range(int(t) + 2))


@pytest.mark.parametrize("end", [1.0, 2.0, 3.5])
def test_a_differential_equation_with_a_delay(end):
    got = values("DIFF/1, IC=1, FUNCTION=-DELAY(DIF(1),1,1)\nREQUEST/1, F2=DIF(1)\n", end=end, error=1e-8)
    assert got[1] == pytest.approx(delayed(end), abs=1e-7)


def test_a_delay_goes_on_in_the_next_analysis_and_in_outputs():
    model = parse_adm(
        HEAD + "DIFF/1, IC=1, FUNCTION=-DELAY(DIF(1),1,1)\nREQUEST/1, F2=DIF(1)\\F3=DELAY(DIF(1),0.5,7)\nEND\n", "t.adm"
    )
    simulation = hn.Simulation(model)
    for end in (0.7, 1.6, 2.5):
        simulation.dynamics(end=end, steps=3, error=1e-8)
    rows = simulation.run().data.request_values
    assert rows[-1, 0, 1:3] == pytest.approx((delayed(2.5), delayed(2.0)), abs=1e-7) and rows[0, 0, 2] == 7.0


def test_a_delay_in_steps_from_outside():
    """Stepped, put back, and stepped again: the past returns too."""
    model = parse_adm(HEAD + "DIFF/1, IC=1, FUNCTION=-DELAY(DIF(1),0.5,1)\nVARIABLE/1, FUNCTION=DIF(1)\nEND\n", "t.adm")
    simulation = hn.Simulation(model)
    simulation.open(error=1e-8)
    simulation.advance(0.7)
    moment = simulation.snapshot()
    simulation.advance(1.3)
    simulation.restore(moment)
    simulation.advance(1.3)
    t, tau = 1.3, 0.5
    exact = sum((-1) ** k * max(t - (k - 1) * tau, 0.0) ** k / math.factorial(k) for k in range(5))
    assert simulation.run().variable(1).values[-1] == pytest.approx(exact, abs=1e-6)


def test_the_history_is_a_function_of_time():
    """y' = (t - 1) for t < 1: the history TIME at t - 1; y(1) = -1/2."""
    got = values("DIFF/1, IC=0, FUNCTION=DELAY(DIF(1),1,TIME)\nREQUEST/1, F2=DIF(1)\n", end=1.0, error=1e-8)
    assert got[1] == pytest.approx(-0.5, abs=1e-8)


def test_a_delayed_control_of_a_mass():
    """A delayed measure of a moving marker: x = t, so the force is 3 (t - 0.25) after 0.25, and 0 before."""
    text = (
        "SFORCE/1, TRANSLATIONAL, ACTIONONLY, I=20, J=10, FUNCTION=0\nPART/3, MASS=1, CM=30, IP=1,1,1, "
        "VX=1\nMARKER/30, PART=3\n"
    )
    text += "VARIABLE/1, FUNCTION=3*DELAY(DX(30),0.25,0)\nREQUEST/1, F2=VARVAL(1)\n"
    assert values(text.split("\n", 1)[1], end=1.0)[1] == pytest.approx(3 * 0.75, abs=1e-9)


@pytest.mark.parametrize("delay", ["1+0*TIME", "1+0*DIF(1)"])
def test_a_delay_that_varies_and_does_not(delay):
    got = values(f"DIFF/1, IC=1, FUNCTION=-DELAY(DIF(1),{delay},1)\nREQUEST/1, F2=DIF(1)\n", end=3.5, error=1e-8)
    assert got[1] == pytest.approx(delayed(3.5), abs=1e-6)


def test_a_delay_that_grows_with_time():
    """The pantograph equation y' = -y(t/2), y(0) = 1 from t = 1 on: sum of (-t)^k / (k! 2^(k(k-1)/2)) (Fox, Mayers,
    Ockendon, Tayler, 1971)."""
    y = lambda t: sum((-t) ** k / (math.factorial(k) * 2 ** (k * (k - 1) / 2)) for k in range(25))
    history = "1-TIME+TIME**2/4-TIME**3/48+TIME**4/1536-TIME**5/122880+TIME**6/23592960"
    text = f"DIFF/1, IC={y(1.0)!r}, FUNCTION=-DELAY(DIF(1),(TIME+1)/2,{shifted(history)})\nREQUEST/1, F2=DIF(1)\n"
    assert values(text, end=2.0, error=1e-9)[1] == pytest.approx(y(3.0), abs=2e-7)


def shifted(text):
    """A function of the time since t = 0, where runs begin at t = 1."""
    return text.replace("TIME", "(TIME+1)")


def test_a_delay_that_depends_on_the_state():
    """y' = 1 with y(0) = 0 and z' = DELAY(y, 0.2 + 0.1 y, 0) = t - 0.2 - 0.1 t after 2/9: z(1) by integration."""
    text = "DIFF/1, IC=0, FUNCTION=1\nDIFF/2, IC=0, FUNCTION=DELAY(DIF(1),0.2+0.1*DIF(1),0)\nREQUEST/1, F2=DIF(2)\n"
    begin = 0.2 / 0.9
    assert values(text, end=1.0, error=1e-8)[1] == pytest.approx(0.45 * (1 - begin**2) - 0.2 * (1 - begin), abs=1e-6)


@pytest.mark.parametrize(
    "text, message",
    [
        ("DELAY(DIF(1),1)", "DELAY takes an expression, a delay and the history before the start, not 2 arguments"),
        ("DELAY(DIF(1),0.3-TIME,1)", "the delay of DELAY(DIF(1)) is "),
        ("DELAY(DIF(1),0,1)", "the delay of DELAY must be positive, it is 0"),
        ("DELAY(DIF(1),1,DIF(1))", "the history of DELAY must be a function of TIME alone"),
    ],
)
def test_delays_that_are_refused(text, message):
    with pytest.raises(hn.ModelError, match=message.replace("(", r"\(").replace(")", r"\)")):
        values(f"DIFF/1, IC=1, FUNCTION=-{text}\n")


# ---- files and angles that are requested -----------------------------------------------------------------------------
def test_yaw_pitch_and_roll_in_displacements():
    """OUTPUT/YPR: body 3-2-1 angles; a part turned by 0.3 about z, then 0.2 about y, then 0.1 about x."""
    z, y, x = 0.3, 0.2, 0.1
    rz = np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
    ry = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    rx = np.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]])
    axes = rz @ ry @ rx
    place = "QG=0,0,0, ZG={:.17g},{:.17g},{:.17g}, XG={:.17g},{:.17g},{:.17g}".format(*axes[:, 2], *axes[:, 0])
    text = f"PART/3, MASS=1, CM=30, IP=1,1,1, {place}\nMARKER/30, PART=3\nJOINT/1, FIXED, I=30, J=11\n"
    text += (
        f"MARKER/11, PART=1, ZP={','.join(map(repr, map(float, axes[:, 2])))}, "
        f"XP={','.join(map(repr, map(float, axes[:, 0])))}\n"
    )
    text += "REQUEST/1, DISPLACEMENT, I=30, J=10\n"
    run = hn.simulate(parse_adm(HEAD + text + "OUTPUT/REQSAVE, YPR\nEND\n", "t.adm"), end=0.1, steps=1)
    got = run.request(1)
    assert list(got.coords["component"].values[5:]) == ["YAW", "PITCH", "ROLL"]
    assert got.values[-1, 5:] == pytest.approx((z, -y, x), abs=1e-9)  # PITCH of Adams is the negative second angle
    plain = hn.simulate(parse_adm(HEAD + text + "OUTPUT/REQSAVE\nEND\n", "t.adm"), end=0.1, steps=1).request(1)
    assert list(plain.coords["component"].values[5:]) == ["PSI", "THETA", "PHI"]


def test_matrices_of_a_script_are_written_where_a_folder_is_given(tmp_path):
    from holonom.formats import parse_acf

    text = HEAD + "JOINT/1, REVOLUTE, I=20, J=10\nSPRINGDAMPER/1, ROTATIONAL, I=20, J=10, KT=4, CT=0.1\n"
    text += (
        "VARIABLE/1, FUNCTION=TIME\nVARIABLE/2, FUNCTION=AZ(20,10)\nPINPUT/1, VARIABLES=1\nPOUTPUT/1, "
        "VARIABLES=2\nEND\n"
    )
    script = "t\n\nSIMULATE/STATICS\nLINEAR/STATEMAT, FILE=state, FORMAT=MATLAB, PINPUT=1, POUTPUT=1\nSTOP\n"
    hn.run_script(parse_acf(script, "t.acf"), parse_adm(text, "t.adm"), folder=tmp_path)
    assert [p.name for p in tmp_path.iterdir()]
    with pytest.warns(
        hn.ModelWarning,
        match=r"the matrices of LINEAR/STATEMAT in 'state' are not written; give run_script\(..., folder=",
    ):
        hn.run_script(parse_acf(script, "t.acf"), parse_adm(text, "t.adm"))


def test_inputs_and_outputs_of_a_plant_in_the_results_file(tmp_path):
    text = "VARIABLE/1, FUNCTION=2*TIME\nVARIABLE/2, FUNCTION=3*TIME\nVARIABLE/3, FUNCTION=4*TIME\n"
    text += "PINPUT/1, VARIABLES=1\nPOUTPUT/1, VARIABLES=2, 3\n"
    run = hn.simulate(parse_adm(HEAD + text + "END\n", "t.adm"), end=0.5, steps=2)
    export_res(run, tmp_path / "a.res")
    found = read_res(tmp_path / "a.res")
    assert found.curve("PINPUT_1", "U1")[-1] == pytest.approx(1.0)
    assert [found.curve("POUTPUT_1", name)[-1] for name in ("Y1", "Y2")] == pytest.approx([1.5, 2.0])
    assert found.entities["POUTPUT_1"].type == "Plant_Output" and found.entities["POUTPUT_1"].labels == [
        "VARIABLE_2",
        "VARIABLE_3",
    ]

"""Command files: every form of command, the public files, errors, and the effect on a model."""

import pytest
from _adams_data import ADAMS, SCRIPTS
from test_adm_statements import BASE

from _public_data import NEEDS
from holonom.formats import parse_acf, parse_adm, read_acf, read_adm, write_acf
from holonom.model import ModelError, ModelErrors
from holonom.model.commands import Activate, Linear, Load, Other, Redefine, Save, Settings, Simulate, Stop, apply


def one(text):
    script = parse_acf(text)
    assert parse_acf(write_acf(script)).commands == script.commands
    assert len(script) == 1
    return script.commands[0]


@pytest.mark.skipif(not SCRIPTS, reason=f"{NEEDS}: {ADAMS} is absent")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.name)
def test_public_scripts(path, tmp_path):
    script = read_acf(path)
    assert isinstance(script.commands[0], Load) and isinstance(script.commands[-1], Stop)
    assert any(isinstance(c, Simulate) for c in script)
    write_acf(script, tmp_path / "a.acf")
    assert read_acf(tmp_path / "a.acf").commands == script.commands


@pytest.mark.skipif(not SCRIPTS, reason=f"{NEEDS}: {ADAMS} is absent")
def test_a_script_of_a_wind_turbine():
    script = read_acf(ADAMS / "nrel_fast/Test14_ADAMS_LIN.acf")
    assert script.commands[0] == Load("Test14_ADAMS", "Test14_ADAMS_LIN", True)
    assert script.commands[1] == Redefine("MOTION", 3150, {"level": "VELOCITY", "icdisp": 0.0})
    assert script.commands[4].fields == {"kind": "GSTIFF", "error": 0.001, "hmax": 0.005, "interpolate": True}
    assert script.commands[8] == Activate("JOINT", (), ((1301, 1310),), False)
    assert script.commands[-2] == Linear("EIGENSOL", (("COORDS", "1, 25"),))
    model = read_adm(ADAMS / "nrel_fast/Test14_ADAMS.adm")
    for command in script:
        if isinstance(command, (Settings, Activate, Redefine)):
            apply(command, model)
    assert model.integrator.kind == "GSTIFF" and model.table("MOTION")[3150].function == "3.141593E+00"
    off = {n for n, j in model.joints.items() if not j.active}
    assert 1305 in off and 1500 in off and len(off) == 10 + 1 + 3 * 15 and len(off) < len(model.joints)


@pytest.mark.skipif(not SCRIPTS, reason=f"{NEEDS}: {ADAMS} is absent")
def test_a_script_of_a_gearbox():
    script = read_acf(ADAMS / "adamspy/FRS5_doe_8_LAUL_analysis.acf")
    last = [c for c in script if isinstance(c, Redefine)][-1]
    assert last.fields["function"].startswith("IF(TIME-4.0: 0, 0, -PI*IF(") and last.line == 52
    assert [c.duration for c in script if isinstance(c, Simulate)][-3:] == [0.5, 0.5, 0.5]
    assert script.commands[1] == Settings("ACCGRAV", {"kgrav": 0.0})


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("file/model=a b", Load("a b")),
        ("FILE/MODEL=a, OUTPUT_PREFIX=b", Load("a", "b")),
        ("sim/dyn, end=2.0, dtout=.5", Simulate("DYNAMICS", end=2.0, dtout=0.5)),
        (
            "SIMULATE/KINEMATICS, DURATION=1, STEPS=10, PATTERN=T:F",
            Simulate("KINEMATICS", duration=1, steps=10, pattern=(True, False)),
        ),
        ("sim/stat", Simulate("STATICS")),
        ("sim/stat, end=1, steps=5", Simulate("QUASISTATIC", end=1, steps=5)),
        ("sim/tran, end=1", Simulate("TRANSIENT", end=1)),
        ("SIM/INITIAL", Simulate("INITIAL_CONDITIONS")),
        ("SIM/INITIAL, VELOCITY", Simulate("INITIAL_CONDITIONS", level="VELOCITY")),
        ("int/hht, err=1E-7", Settings("INTEGRATOR", {"kind": "HHT", "error": 1e-7})),
        ("kin/maxit=9", Settings("KINEMATICS", {"maxit": 9})),
        ("ic/aerror=1", Settings("IC", {"aerror": 1.0})),
        ("deactivate/sensor, ID=1,2, RANGE=5,7", Activate("SENSOR", (1, 2), ((5, 7),), False)),
        ("ACT/JOINT", Activate("JOINT")),
        ("VARIABLE/3, FUNC=1, LIST", Redefine("VARIABLE", 3, {"function": "1"})),
        ("EQUIL/LIST", Settings("EQUILIBRIUM")),
        ("output/reqsave", Other("OUTPUT", (("REQSAVE", ""),))),
        ("debug/eprint", Other("DEBUG", (("EPRINT", ""),))),
        ("PREFERENCES/CONTACT=RAPID", Other("PREFERENCES", (("CONTACT", "RAPID"),))),
        ("time/", Other("TIME")),
        ("SAVE/SYSTEM, FILE=a", Save((("SYSTEM", ""), ("FILE", "a")))),
        ("RELOAD/SYSTEM, FILE=a", Save((("SYSTEM", ""), ("FILE", "a")), True)),
        ("LINEAR/STATEMAT, FILE=abc, PINPUT=1", Linear("STATEMAT", (("FILE", "abc"), ("PINPUT", "1")))),
        ("STOP", Stop()),
        ("stop ! done", Stop()),
        (
            "MOTION/4, FUNC = -16+ &\n STEP5(time,1.9,0,2,16)",
            Redefine("MOTION", 4, {"function": "-16+ STEP5(time,1.9,0,2,16)"}),
        ),
        (
            "SFORCE/3, FUNCTION=USER(1)\\, ROUTINE=a::b",
            Redefine("SFORCE", 3, {"function": "USER(1)", "routine": "a::b"}),
        ),
        ("PART/2, VX=3, MASS=1", Redefine("PART", 2, {"vx": 3.0, "mass": 1.0})),
        ("ARRAY/2, NUMBERS=1,2,3", Redefine("ARRAY", 2, {"numbers": (1.0, 2.0, 3.0)})),
        ("GFORCE/1, FX=1\\ TZ=2", Redefine("GFORCE", 1, {"fx": "1", "tz": "2"})),
    ],
)
def test_commands(text, command):
    assert one(text) == command


def test_bare_names_and_positions():
    script = parse_acf("\n! comment\nmodel_a\nout.b-1\n\nSIM/STAT\n", "s.acf")
    assert script.commands == (Load("model_a", "out.b-1", True), Simulate("STATICS"))
    assert (script.commands[1].file, script.commands[1].line) == ("s.acf", 6)


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("crank\ncrank\nSIM/STAT", Load("crank", "crank", True)),  # no CRANK statement
        ("time\nSIM/STAT", Load("time", None, True)),
        ("motion\nstop\nSIM/STAT", Load("motion", "stop", True)),
        ("parts/gear.adm\nSIM/STAT", Load("parts/gear.adm", None, True)),
        ("model\nSTOP", Load("model", None, True)),
    ],
)
def test_the_first_line_is_a_name_and_no_keyword(text, load):
    script = parse_acf(text, "s.acf")
    assert script.commands[0] == load and len(script) == 2


def test_what_is_not_carried_out_is_told_when_the_script_is_read():
    text = (
        "SIM/INITIAL, DISPLACEMENT\nSIM/STAT, END=1, PATTERN=T:F\nSYSTEM/dir\nFILE/COMMAND=b\nSAVE/SYSTEM, FILE=a, "
        "TITLE=t\nTIRE/3, FILE=a"
    )
    warnings = parse_acf(text, "s.acf").warnings
    words = (
        "DISPLACEMENT alone is not computed",
        "PATTERN has no influence on QUASISTATIC",
        "operating system are not executed",
        "FILE/COMMAND=b is not executed",
        "SAVE: TITLE has no influence",
        "TIRE/3 is not part of what is computed",
    )
    assert len(warnings) == len(words)
    for k, (warning, word) in enumerate(zip(warnings, words), 1):
        assert warning.startswith(f"s.acf:{k}: ") and word in warning
    assert parse_acf("DEBUG/EPRINT\nTIME/\nOUTPUT/NOPRINT\nSIM/DYN, END=1, PATTERN=T:F").warnings == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sim/dyn", "s.acf:1: SIMULATE: DYNAMICS needs an end: add END = time or DURATION = time"),
        ("sim/dyn, end=1, dur=2", "END and DURATION are both given"),
        ("sim/dyn, end=1, steps=2, dtout=1", "DTOUT and STEPS are both given"),
        ("sim/dyn, end=1, dtout=-1", "DTOUT must be positive"),
        ("sim/dyn, dur=0", "DURATION must be positive"),
        ("sim/dyn, end=-1", "END must not be negative"),
        ("sim/dyn, end=1, steps=0", "STEPS must be 1 or more"),
        ("sim/dyn, end=1, stps=3", "unknown argument 'STPS'; did you mean STEPS?"),
        ("sim/dyn, stat, end=1", "excludes what is before it"),
        ("deact/joint, range=1", "RANGE takes pairs of ids"),
        ("deact/joint, range=5,2", "write the smaller id first"),
        ("deact/jint, id=1", "unknown argument 'JINT'; did you mean JOINT?"),
        ("deact/", "name what to switch"),
        ("sim/stat\nsimulait/1", "s.acf:2: SIMULAIT/1: unknown command; did you mean SIMULATE?"),
        ("linear/eigensoll", "did you mean EIGENSOL?"),
        ("linear/", "name the analysis first"),
        ("variable/1, func=sin(", "parenthesis is not closed"),
        ("variable/, func=1", "it has no id; write VARIABLE/id"),
    ],
)
def test_errors(text, message):
    with pytest.raises(ModelErrors) as caught:
        parse_acf(text, "s.acf")
    assert message in str(caught.value)


def test_lenient():
    script = parse_acf("frobnicate/1\nsim/stat", "s.acf", lenient=True)
    assert len(script) == 1 and "FROBNICATE/1: unknown command" in script.warnings[0]


def test_apply():
    model = parse_adm(BASE + "REQUEST/1, F2=TIME\\F3=1\nVARIABLE/7, IC=2, FUNCTION=1\nEND")
    apply(one("REQUEST/1, F3=2"), model)
    assert model.table("REQUEST")[1].functions == {"F2": "TIME", "F3": "2"}
    apply(one("VARIABLE/7, FUNC=TIME"), model)
    assert model.table("VARIABLE")[7].function == "TIME" and model.table("VARIABLE")[7].ic == 2
    apply(one("accgrav/kgrav=-9"), model)
    assert model.gravity == (0, 0, -9)
    assert apply(one("DEACT/REQUEST"), model)[0].active is False
    for text in ("VARIABLE/8, FUNC=1", "DEACT/JOINT, ID=3", "UNITS/TIME=SECOND"):
        with pytest.raises(ModelError):
            apply(one(text), model)

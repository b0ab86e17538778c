"""Files that RESULTS and OUTPUT require, against the layout of public files of Adams.

Public files (figures from them stand here): a part that falls freely, Adams 2022.1 (github.com/bthornton191, test.res);
a cart with a pendulum, Adams 2016 (Controls_Plant_1.res); a parallel robot, Adams 2015 and 2017
(github.com/kiterunner347/3-RPR-parallel--robot, RPR3.adm and .res, PM.req); camelot_1_pull0_offset0.req of adamspy.
"""

import random
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from holonom.analyses.session.progress import Progress
from holonom.formats import parse_acf, parse_adm
from holonom.model import ModelError, Units
from holonom.model.adams_output import LEFT_OUT, AdamsOutput
from holonom.results import export_req, export_res, read_res, write_adams_files
from holonom.results.files.export import read_req, unit_word

CAMELOT = Path(__file__).resolve().parents[3] / "shared" / "data" / "adams" / "adamspy" / "camelot_1_pull0_offset0.adm"
FALL = """Adams View model name: MODEL_1
UNITS/FORCE = POUND_FORCE, MASS = POUND_MASS, LENGTH = INCH, TIME = SECOND
PART/1, GROUND
PART/2, MASS = 3, CM = 1, IP = 1, 1, 1
MARKER/1, PART = 2
ACCGRAV/JGRAV = -386.0885827
"""
CART = """Adams View model name: Contorl_Automatic
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1, REULER = 90D, 90D, 0
PART/2, MASS = 0.5, CM = 20, IP = 1, 1, 1, QG = 0, 0, -0.1
MARKER/20, PART = 2, REULER = 90D, 90D, 0
MARKER/21, PART = 2
PART/3, MASS = 0.5, CM = 31, IP = 0.01, 0.02, 0.03, QG = 0, 0, -0.1
MARKER/30, PART = 3
MARKER/31, PART = 3, QP = 0.1, -0.3, 0
JOINT/1, TRANSLATIONAL, I = 20, J = 10
JOINT/2, REVOLUTE, I = 30, J = 21
SFORCE/1, TRANSLATIONAL, ACTIONONLY, I = 20, J = 10, FUNCTION = VARVAL(1)
VARIABLE/1, FUNCTION = 0
VARIABLE/2, FUNCTION = DX(20)
ACCGRAV/JGRAV = -9.80665
"""


@pytest.fixture(scope="module")
def fall():
    return hn.simulate(parse_adm(FALL + "RESULTS/XRF\nEND\n", "fall.adm"), 0.25, 25, progress=False)


@pytest.fixture(scope="module")
def cart():
    return hn.simulate(parse_adm(CART + "END\n", "cart.adm"), 0.5, 10, progress=False)


def test_a_part_that_falls_is_written_as_adams_writes_it(fall, tmp_path):
    export_res(fall, tmp_path / "test.res")
    text = (tmp_path / "test.res").read_text()
    # lines of the public file, as they are there
    for line in (
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<Results xmlns="http://www.mscsoftware.com/:xrf10">',
        '<StepMap name="map_001">',
        '<ModelInfo title="Adams View model name: MODEL_1" creationDate="-unknown-" checksum="-unknown-" />',
        '<Units angle="rad" length="inch" mass="pound_mass" time="sec" />',
        '<Entity name="time">',
        '<Component name="TIME" unitsValue="sec" id="1" />',
        '<Entity name="PART_2_XFORM" entity="PART_2" entType="Part" objectId="2">',
        '<Component name="X" unitsValue="inch" id="2" />',
        '<Component name="PHI" unitsValue="rad" id="7" />',
        '<Component name="VX" unitsValue="inch/sec" id="8" />',
        '<Component name="WZ" unitsValue="rad/sec" id="13" />',
        '<Component name="ACCX" unitsValue="inch/sec**2" id="14" />',
        '<Component name="WDZ" unitsValue="rad/sec**2" id="19" />',
        '<Step type="initialConditions">',
        '<Step type="dynamic">',
        "</Data>",
        '<TerminationStatus runTermObject="" runStatus="Successful" />',
    ):
        assert line in text.splitlines(), line
    read = read_res(tmp_path / "test.res")
    assert [b[:2] for b in read.blocks] == [("initialConditions_001", "initialConditions"), ("dynamic_001", "dynamic")]
    assert read.blocks[1][2:] == (1, 26) and read.time == pytest.approx(np.arange(26) * 0.01)
    # at 0.25 s: -12.06541299259351163, -96.52214567500006, -386.08858270000007; its position has an error of
    # integration of 1.5E-4
    assert read.curve("PART_2_XFORM", "Y")[-1] == pytest.approx(-12.06541299259351163, abs=2e-4)
    assert read.curve("PART_2_XFORM", "Y")[-1] == pytest.approx(-0.5 * 386.0885827 * 0.25**2, rel=1e-9)
    assert read.curve("PART_2_XFORM", "VY")[-1] == pytest.approx(-96.52214567500006, rel=1e-9)
    assert read.curve("PART_2_XFORM", "ACCY")[-1] == pytest.approx(-386.0885827, rel=1e-12)


def test_ids_run_as_in_the_file_of_a_cart_with_a_pendulum(cart, tmp_path):
    export_res(cart, tmp_path / "cart.res")
    read = read_res(tmp_path / "cart.res")
    first = {(e.name, e.type, e.id, e.components[0]): e.columns[0] + 1 for e in read.entities.values()}
    assert first == {
        ("time", "", None, "TIME"): 1,
        ("PART_2_XFORM", "Part", 2, "X"): 2,
        ("PART_3_XFORM", "Part", 3, "X"): 8,
        ("JOINT_1", "Joint", 1, "FX"): 38,
        ("JOINT_2", "Joint", 2, "FX"): 44,
        ("SFORCE_1", "Single_Component_Force", 1, "FX"): 50,
        ("VARIABLE_1", "ADAMS_Variable", 1, "Q"): 56,
        ("VARIABLE_2", "ADAMS_Variable", 2, "Q"): 57,
    }
    part = read.entities["PART_3_XFORM"]
    ids = {name: column + 1 for name, column in zip(part.components, part.columns)}
    assert (ids["VX"], ids["WZ"], ids["ACCX"], ids["WDZ"]) == (20, 25, 32, 37)
    assert read.entities["JOINT_1"].components == ["FX", "FY", "FZ", "TX", "TY", "TZ"]
    assert read.entities["JOINT_1"].units == ["newton"] * 3 + ["newton-meter"] * 3 and read.entities[
        "VARIABLE_1"
    ].units == [""]
    assert read.units == {"angle": "rad", "length": "meter", "mass": "kg", "time": "sec"}


def test_a_part_is_its_coordinate_system(cart, tmp_path):
    export_res(cart, tmp_path / "cart.res")
    read = read_res(tmp_path / "cart.res")
    origin = cart.marker("MARKER_30")  # at the origin of PART/3; its centre of mass is 0.3 m away
    for names, values in (
        (("X", "Y", "Z"), origin.position),
        (("VX", "VY", "VZ"), origin.velocity),
        (("ACCX", "ACCY", "ACCZ"), origin.acceleration),
        (("PSI", "THETA", "PHI"), origin.euler),
        (("WX", "WY", "WZ"), origin.angular_velocity),
    ):
        found = np.column_stack([read.curve("PART_3_XFORM", n) for n in names])
        assert found == pytest.approx(np.asarray(values), rel=1e-12, abs=1e-12)
    assert np.ptp(read.curve("PART_3_XFORM", "X")) > 0.01  # it moves
    joint = cart.joint("JOINT_2")
    assert read.curve("JOINT_2", "FY") == pytest.approx(joint.force.values[:, 1], rel=1e-15)
    assert read.curve("JOINT_2", "FY")[0] > 0.0  # carries the pendulum


def test_the_start_of_the_parallel_robot(tmp_path):
    # RPR3.adm, PART/2; the input of RPR3.res: -0.24402592301069184 0.19228769590998865 0.70999999999999996
    # -112.1476528294367796 0 0 (degrees)
    model = parse_adm(
        "t\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nPART/2, QG = -0.244025923, "
        "0.1922876959, 0.71\n"
        ", REULER = -112.1476528D, 0D, 0D, MASS = 3.737165669, CM = 10001, IP = 0.0023997083, 0.1767910774, "
        "0.1773214924\n"
        "MARKER/10001, PART = 2, QP = -0.1843106392, -0.0070680215, 2.673395493E-04, REULER = 179.1519373D, "
        "1.3131684D, -179.075555D\nEND\n",
        "t.adm",
    )
    export_res(hn.simulate(model, 0.01, 1, progress=False), tmp_path / "a.res")
    read = read_res(tmp_path / "a.res")
    start = [read.curve("PART_2_XFORM", n)[0] for n in ("X", "Y", "Z", "PSI", "THETA", "PHI")]
    assert start == pytest.approx(
        [-0.24402592301, 0.19228769591, 0.71, np.radians(-112.14765282943678), 0, 0], abs=1e-9
    )


#: as Adams 2015 writes: degrees, ids of a part apart, more numbers in the step of the input than there are components
PUBLIC = """<?xml version="1.0" encoding="UTF-8"?>
<Results xmlns="http://www.mscsoftware.com/:xrf10">
<Bibliography>
<Author user="-" name="-unknown name-" />
</Bibliography>
<Analysis name="Dynamic Analysis" executionDate="2020-12-13 17:55:50" Solver="Adams C++  Adams C++ Solver"  script="-unknown-">
<ModelInfo title="SOLIDWORKS Motion Mechanism" creationDate="-unknown-" checksum="-unknown-" />
<Units angle="deg" length="meter" mass="kg" time="sec" />
<StepMap name="map_001">
<Entity name="time">
<Component name="TIME" unitsValue="sec" id="1" />
</Entity>
<Entity name="a_XFORM" entity="a" entType="Part" objectId="2">
<Component name="X" unitsValue="meter" id="2" />
<Component name="VX" unitsValue="meter/sec" id="4" />
</Entity>
<Entity name="b_XFORM" entity="b" entType="Part" objectId="3">
<Component name="X" unitsValue="meter" id="3" />
<Component name="VX" unitsValue="meter/sec" id="5" />
</Entity>
</StepMap>
<Data name="modelInput_001" id="1">
<Step type="input">
0
1 2
0 0 0 0
</Step>
</Data>
<Data name="initialConditions_001" id="2">
<Step type="initialConditions">
0
1 2
3 4
</Step>
</Data>
<Data name="dynamic_001" id="3">
<Step type="dynamic">
0.04
1.12 2.16
3 4.0E-001
</Step>
</Data>
</Analysis>
</Results>
"""  # noqa: E501


def test_files_of_others_are_read(tmp_path):
    (tmp_path / "a.res").write_text(PUBLIC)
    read = read_res(tmp_path / "a.res")
    assert read.title == "SOLIDWORKS Motion Mechanism" and read.units["angle"] == "deg"
    assert read.blocks == [
        ("modelInput_001", "input", 0, 1),
        ("initialConditions_001", "initialConditions", 1, 2),
        ("dynamic_001", "dynamic", 2, 3),
    ]
    assert read.curve("a_XFORM", "VX")[1:].tolist() == [3.0, 3.0] and read.curve("b_XFORM", "X").tolist() == [
        2.0,
        2.0,
        2.16,
    ]
    assert read.curve("b_XFORM", "VX")[-1] == 0.4 and read.time.tolist() == [0.0, 0.0, 0.04]
    with pytest.raises(ModelError, match="no entity 'c'; it has time, a_XFORM, b_XFORM"):
        read.curve("c", "X")
    with pytest.raises(ModelError, match="no component 'Y'; it has X, VX"):
        read.curve("a_XFORM", "Y")


@pytest.mark.parametrize(
    "text, words",
    [
        ("hello", "this is not a results file in XML form"),
        (PUBLIC[:700], "the results file is broken"),
        (PUBLIC.replace('id="5"', 'id="4"'), "the id 4 of b_XFORM.VX is none, or is taken"),
        (PUBLIC.replace('id="5"', 'id="9"'), "do not count from 1"),
        (PUBLIC.replace("3 4.0E-001", "3"), "a step of dynamic_001 has 4 numbers for 5 components"),
        (PUBLIC.replace("3 4.0E-001", "3 four"), "the results file is broken"),
        (PUBLIC.replace("<Results", "<!DOCTYPE a><Results", 1), "have no document type"),
    ],
)
def test_broken_results_files_are_one_sentence(tmp_path, text, words):
    (tmp_path / "a.res").write_text(text)
    with pytest.raises(ModelError) as caught:
        read_res(tmp_path / "a.res")
    assert words in str(caught.value) and "a.res" in str(caught.value)
    with pytest.raises(ModelError, match="cannot be read"):
        read_res(tmp_path / "none.res")


def test_damaged_results_files_are_read_or_refused(tmp_path):
    rng = random.Random(4)
    refused = 0
    for _ in range(1500):
        data = bytearray(PUBLIC.encode())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[at] = rng.randrange(256)
            else:
                del data[at : at + rng.randint(1, 40)]
        (tmp_path / "a.res").write_bytes(data)
        try:
            read_res(tmp_path / "a.res")
        except ModelError:
            refused += 1
    assert 400 < refused < 1500


# ---- request files ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "units, line",
    [
        (Units.named("IPS"), "    0     INLBS_PFRACA 3.937007874015748E+01"),  # camelot_1_pull0_offset0.req
        (Units.named("MKS"), "    0     M_KGS_N_RACA 1.000000000000000E+00"),  # PM.req
        (Units.named("mm"), "    0     MMKGS_N_RACA 1.000000000000000E+03"),
    ],
)
def test_the_unit_word_of_request_files(units, line, tmp_path):
    model = parse_adm(
        "SOLIDWORKS Motion Mechanism\nPART/1, GROUND\nPART/2, MASS=1, CM=1, IP=1,1,1\nMARKER/1, PART=2\nEND\n", "t.adm"
    )
    model.units = units
    run = hn.simulate(model, 0.1, 1, progress=False)
    export_req(run, tmp_path / "a.req", empty=True)
    lines = (tmp_path / "a.req").read_text().splitlines()
    assert (
        lines[0].startswith(" A.R3    20")
        and lines[0].endswith("               0         0  3D")
        and len(lines[0]) == 58
    )
    assert (
        lines[1] == "SOLIDWORKS Motion Mechanism" + " " * 53
        and lines[2] == line
        and lines[3:] == ["   0.00000E+00", "   1.00000E-01"]
    )
    requests, times, values = read_req(tmp_path / "a.req")
    assert requests == [] and times.tolist() == [0.0, 0.1] and values.shape == (2, 0, 6)


@pytest.mark.skipif(not CAMELOT.is_file(), reason=f"{NEEDS}: {CAMELOT} is absent")
def test_the_unit_word_of_the_public_dataset():
    assert unit_word(hn.read_adams(CAMELOT).units) == "INLBS_PFRACA"


# ---- what is requested -----------------------------------------------------------------------------------------------
TURN = """a crank
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
PART/2, MASS=1, CM=20, IP=1,1,1
MARKER/20, PART=2
JOINT/1, REVOLUTE, I=20, J=10
MOTION/1, JOINT=1, ROTATIONAL, FUNCTION=TIME
REQUEST/1, DISPLACEMENT, I=20, J=10, COMMENT=turned by
REQUEST/2, F2=AZ(20,10)\\F3=TIME/3\\, CNAMES="", "angle", "third", RESULTS_NAME=mine, CLABELS="", "Angle", "t/3"
"""


def turn(more, script=None):
    model = parse_adm(TURN + more + "END\n", "somewhere/crank.adm")
    if script is None:
        return hn.simulate(model, 1.0, 4, progress=False)
    return hn.run_script(parse_acf(script, "x.acf"), model, progress=False)


def test_files_are_those_that_are_asked_for(tmp_path):
    ask = lambda more, script=None: sorted(f.name for f in write_adams_files(turn(more, script), tmp_path))
    assert ask("") == [] and not list(tmp_path.iterdir())
    assert ask("RESULTS/XRF\n") == ["crank.msg", "crank.out", "crank.res"]
    assert ask("OUTPUT/REQSAVE, GRSAVE, NOPRINT\n") == ["crank.msg", "crank.req"]
    assert (
        "OUTPUT: GRSAVE requests a graphics file (.gra), whose layout is not published"
        in (tmp_path / "crank.msg").read_text()
    )
    assert ask("RES/XRF\nOUT/REQ\n") == ["crank.msg", "crank.out", "crank.req", "crank.res"]
    script = "FILE/MODEL=crank, OUTPUT_PREFIX=fast/turned\nOUTPUT/REQSAVE\nSIM/KIN, END=1, STEPS=2\n"
    assert ask("", script) == [
        "turned.msg",
        "turned.out",
        "turned.req",
    ]  # the script asks, and gives the name; no other folder
    assert [f.name for f in write_adams_files(turn("RESULTS/XRF\n"), tmp_path, "../own")] == [
        "own.res",
        "own.out",
        "own.msg",
    ]
    assert not list(tmp_path.parent.glob("own.*"))


def test_contents_of_the_files(tmp_path):
    run = turn("RESULTS/XRF, COMMENT=a < b, DECIMALPLACES=3\nOUTPUT/REQSAVE, DSCALE=2\n")
    write_adams_files(run, tmp_path)
    read = read_res(tmp_path / "crank.res")
    assert read.entities["mine"].components == ["angle", "third"] and read.entities["mine"].labels == ["Angle", "t/3"]
    assert read.curve("mine", "third").tolist() == [0.0, 0.083, 0.167, 0.25, 0.333]  # DECIMALPLACES
    assert (
        read.blocks[-1] == ("kinematic_001", "kinematic", 1, 5)
        and "<Comment>\na &lt; b\n</Comment>" in (tmp_path / "crank.res").read_text()
    )
    requests, times, values = read_req(tmp_path / "crank.req")
    assert (
        requests == [(1, 1, "turned by"), (2, 5, "REQUEST_2")]
        and values[-1, 0, 3] == 1.0
        and values[-1, 1, 1] == pytest.approx(1 / 3, abs=1e-5)
    )
    table = (tmp_path / "crank.out").read_text().splitlines()
    at = table.index(" REQUEST/1   turned by")
    assert table[at + 2].split() == ["TIME", "MAG", "X", "Y", "Z", "NONE", "PSI", "THETA", "PHI"]
    assert [float(word) for word in table[at + 8].split()] == [1.0, 0, 0, 0, 0, 0, 1.0, 0, 0]
    said = (tmp_path / "crank.msg").read_text()
    for text in (
        "Model title: a crank",
        "Degrees of freedom: 0",
        "kinematics from 0 to 1 s, 5 output rows",
        "WARNING: OUTPUT: DSCALE = 2 has no influence and is ignored",
        "crank.req",
        "Termination status: finished",
    ):
        assert text in said


def test_parts_of_the_results_file_are_left_out(tmp_path):
    def entities(*words):
        export_res(turn(""), tmp_path / "a.res", left_out=words)
        return read_res(tmp_path / "a.res").entities

    assert list(entities()) == ["time", "PART_2_XFORM", "JOINT_1", "MOTION_1", "REQUEST_1", "mine"]
    assert list(entities("NOREACTIONFORCES", "NOREQUESTS")) == ["time", "PART_2_XFORM"]
    assert entities("NOVELOCITIES", "NOACCELERATIONS")["PART_2_XFORM"].components == [
        "X",
        "Y",
        "Z",
        "PSI",
        "THETA",
        "PHI",
    ]
    assert list(entities("NODISPLACEMENTS", "NOVELOCITIES", "NOACCELERATIONS"))[1] == "JOINT_1"


def test_words_of_results_and_output():
    of = lambda **given: AdamsOutput.of({k: tuple((w, "") for w in v) for k, v in given.items()})
    asked = of(RESULTS=("XRF", *LEFT_OUT))
    assert (
        asked.left_out == set(LEFT_OUT) and asked.notes == [] and asked.results and asked.tables and not asked.requests
    )
    assert (
        of(RESULTS=("FORMATTED",))
        .notes[0]
        .startswith("RESULTS without XRF requests a layout of Adams' own that is not published")
    )
    assert of(RESULTS=("XRF", "NO")).notes == ["RESULTS: NO has no influence and is ignored"]
    assert of(OUTPUT=("REQSAVE", "NOPRINT", "PRINT", "NOREQSAVE")) == of(OUTPUT=())
    wrong = AdamsOutput.of({"RESULTS": (("XRF", ""), ("DECIMALPLACES", "many"))})
    assert wrong.decimals is None and wrong.notes == [
        "RESULTS: DECIMALPLACES = many is not a number of decimal places; numbers are written in full"
    ]


# ---- progress --------------------------------------------------------------------------------------------------------
def test_progress_in_a_log(monkeypatch, capsys):
    clock = iter(float(n) for n in range(0, 1000, 4))
    monkeypatch.setattr("holonom.analyses.session.progress.clock.monotonic", lambda: next(clock))
    with Progress("log", 0.0, 10.0) as bar:
        for k in range(1, 11):
            bar.update(float(k), 0.5)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "holonom: progress: time 3 of 10 (30%), step 0.5, 12 s, about 28 s left",
        "holonom: progress: time 6 of 10 (60%), step 0.5, 24 s, about 16 s left",
        "holonom: progress: time 9 of 10 (90%), step 0.5, 36 s, about 4 s left",
    ]
    with Progress(None, 0.0, 1.0) as bar:  # without a terminal nothing, unless a log is requested
        for _ in range(9):
            bar.update(0.5, 0.1)
    assert capsys.readouterr().err == ""

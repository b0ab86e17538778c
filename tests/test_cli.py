"""The command line: what it writes and says, its exit codes, and that no fault shows a traceback."""

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom import cli

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _tiny import SCRIPT, TINY  # noqa: E402

runner = CliRunner()


def call(*words, code=0):
    result = runner.invoke(cli.app, [str(w) for w in words])
    assert result.exit_code == code, (result.exit_code, result.output, result.stderr)
    assert "Traceback" not in result.output + result.stderr
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tiny model, and the results of running it."""
    place = tmp_path_factory.mktemp("cli")
    (place / "tiny.adm").write_text(TINY.replace("SENSOR/7, FUNCTION=TIME, GE, VALUE=0.2, ERROR=1E-9, RETURN\n", ""))
    result = call("run", place / "tiny.adm", "--end", 0.3, "--steps", 6, "--out", place / "results", "--no-progress")
    assert "1 degree of freedom, no redundant" in result.output
    assert "integrator DOP853, error 1e-06: default until stability limits the step" in result.output
    assert "dynamics from 0 to 0.3 s, 7 output rows" in result.output
    assert " steps, 0 rejected" in result.output and "CPU s in the solver" in result.output
    assert f"results: {place / 'results' / 'run.h5'}" in result.output
    return place


def test_run_writes_what_was_simulated(folder):
    run = hn.load(folder / "results" / "run.h5")
    assert run.time == pytest.approx([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
    assert run.info["degrees_of_freedom"] == 1


def test_options_of_run(folder):
    result = call(
        "run",
        folder / "tiny.adm",
        "--end",
        0.1,
        "--dt",
        0.05,
        "--error",
        1e-8,
        "--hmax",
        0.01,
        "--report",
        "--out",
        folder / "more",
        "--no-progress",
    )
    assert "error 1e-08" in result.output
    run = hn.load(folder / "more" / "run.h5")
    assert len(run.time) == 3 and run.history["step"].max() <= 0.01 * (1 + 1e-12)
    assert "<html" in (folder / "more" / "report.html").read_text(encoding="utf-8")


def test_script_beside_the_dataset(tmp_path):
    (tmp_path / "tiny.adm").write_text(TINY)
    (tmp_path / "tiny.acf").write_text(SCRIPT)
    result = call("run", tmp_path / "tiny.adm", "--out", tmp_path / "r", "--no-progress")
    assert "dynamics from 0 to 0.2 s" in result.output and "dynamics from 0.2 to 0.5 s" in result.output
    result = call(
        "run", tmp_path / "tiny.adm", "--out", tmp_path / "r", "--end", 1, "--script", tmp_path / "tiny.acf", code=2
    )
    assert "--script and --end are both given; use one of them" in result.stderr


def test_a_script_runs_with_the_dataset_that_it_names(tmp_path):
    (tmp_path / "crank.adm").write_text(TINY)
    script = tmp_path / "later.acf"
    script.write_text("crank\nout\nSIM/DYN, END=0.1, STEPS=2\nCONTROL/FUNCTION=USER(1)\nLINEAR/EXPORT, FILE=a\nSTOP\n")
    result = call("run", script, "--out", tmp_path / "r", "--no-progress")
    assert "dynamics from 0 to 0.1 s, 3 output rows" in result.output
    for text in (
        "later.acf:4: CONTROL hands the simulation to a routine (CONSUB), which is not called",
        "later.acf:5: LINEAR/EXPORT",
    ):
        assert text in result.stderr and text in result.output
    out = call("check", script).output
    assert "later.acf: 5 commands" in out and "CONTROL hands the simulation" in out and "degrees of freedom: 1" in out
    assert (
        "is a script and states how long to simulate"
        in call("run", script, "--end", 1, "--out", tmp_path / "r", code=2).stderr
    )
    assert "is a script already" in call("run", script, "--script", script, "--out", tmp_path / "r", code=2).stderr
    assert "this is a script; give its dataset here" in call("convert", script, tmp_path / "a.json", code=2).stderr
    (tmp_path / "crank.adm").rename(tmp_path / "later.adm")
    result = call("run", script, "--out", tmp_path / "r", "--no-progress")
    assert "the script names the dataset 'crank.adm', which is not next to it; later.adm is taken" in result.stderr
    (tmp_path / "later.adm").rename(tmp_path / "other.adm")
    assert "put it there, or correct the name" in call("run", script, "--out", tmp_path / "r", code=2).stderr


def test_files_of_adams_are_written_where_the_dataset_asks(tmp_path):
    (tmp_path / "tiny.adm").write_text(
        TINY.replace("END\n", "RESULTS/XRF\nOUTPUT/REQSAVE, GRSAVE\nINTEGRATOR/GSTIFF, FIXIT=3\nEND\n")
    )
    result = call("run", tmp_path / "tiny.adm", "--end", 0.1, "--steps", 2, "--out", tmp_path / "r", "--no-progress")
    for ending in (".res", ".req", ".out", ".msg"):
        assert (
            f"file: {tmp_path / 'r' / 'tiny'}{ending}" in result.output and (tmp_path / "r" / f"tiny{ending}").is_file()
        )
    assert (
        "warning: OUTPUT: GRSAVE requests a graphics file (.gra)" in result.stderr
        and not (tmp_path / "r" / "tiny.gra").exists()
    )
    out = call("check", tmp_path / "tiny.adm").output
    assert "OUTPUT: GRSAVE requests a graphics file" in out and "INTEGRATOR: FIXIT = 3 has no influence here" in out
    call("export", tmp_path / "r", "--res", tmp_path / "again.res")
    first, again = (hn.results.read_res(p) for p in (tmp_path / "r" / "tiny.res", tmp_path / "again.res"))
    assert again.entities == first.entities and (again.values == first.values).all()
    text = (
        (tmp_path / "tiny.adm").read_text().replace("FUNCTION=0", "FUNCTION=LOG(0.05-TIME)").replace("RETURN", "PRINT")
    )
    (tmp_path / "tiny.adm").write_text(text)
    call("run", tmp_path / "tiny.adm", "--end", 1, "--steps", 20, "--out", tmp_path / "f", "--no-progress", code=1)
    assert "Termination status: failed" in (tmp_path / "f" / "tiny.msg").read_text()
    assert 'runStatus="Failed"' in (tmp_path / "f" / "tiny.res").read_text()


def test_command_file_with_its_own_script(tmp_path):
    """A pendulum whose mass, centre and inertia follow from a link of steel: half a period of small swings turns it to
    the other side."""
    w, d, length = 20.0, 10.0, 200.0
    bar, half, c = length * w * d, math.pi * (w / 2) ** 2 / 2 * d, 4 * (w / 2) / (3 * math.pi)
    volume = bar + 2 * half
    inertia = (
        bar * (length**2 + w**2) / 12
        + 2 * half * ((w / 2) ** 2 / 2 - c * c + (length / 2 + c) ** 2)
        + volume * (length / 2) ** 2
    )
    omega = math.sqrt(volume * 9806.65 * (length / 2) / inertia)
    (tmp_path / "swing.cmd").write_text(f"""
model create model_name = .swing
material create material_name = .swing.steel density = (7801.0(kg/meter**3))
marker create marker_name = .swing.ground.p location = 0, 0, 0
part create rigid_body name_and_position part_name = .swing.P location = 0, 0, 0 orientation = -89d, 0d, 0d
defaults coordinate_system default_coordinate_system = .swing.P
marker create marker_name = .swing.P.a location = 0, 0, 0
marker create marker_name = .swing.P.b location = {length}, 0, 0
geometry create shape link link_name = .swing.P.L i_marker = .swing.P.a j_marker = .swing.P.b width = {w} depth = {d}
part create rigid_body mass_properties part_name = .swing.P material_type = .swing.steel
constraint create joint revolute joint_name = .swing.J i_marker_name = .swing.P.a j_marker_name = .swing.ground.p
force create body gravitational gravity_field_name = gravity x_component_gravity = 0 y_component_gravity = -9806.65 z_component_gravity = 0
simulation script create sim_script_name = .swing.Last_Sim &
   commands = "simulation single_run transient type=auto_select initial_static=no end_time={math.pi / omega!r} number_of_steps=20 model_name=.swing"
""")  # noqa: E501
    result = call("run", tmp_path / "swing.cmd", "--error", 1e-8, "--out", tmp_path / "r", "--no-progress")
    assert "script Last_Sim of the model" in result.output
    run = hn.load(tmp_path / "r" / "run.h5")
    x = run.marker("b").position.values[:, 0]
    assert x[0] == pytest.approx(length * math.sin(math.radians(1))) and x[-1] == pytest.approx(-x[0], rel=1e-5)
    assert x[10] == pytest.approx(0.0, abs=1e-3 * x[0])


def test_export_report_compare(folder):
    results = folder / "results"
    result = call("export", results, "--csv", folder / "csv", "--req", folder / "out.req", "--tab", folder / "out.tab")
    assert "tables in" in result.output
    assert (folder / "csv" / "part_PART_2.csv").read_text().startswith("time [s],x [m],y [m],z [m]")
    assert (folder / "out.req").is_file() and (folder / "out.tab").is_file()
    assert "nothing to write; give --csv FOLDER" in call("export", results, code=2).stderr
    call("report", results, "--no-animation")
    assert (results / "report.html").stat().st_size > 10_000
    (folder / "again").mkdir()
    shutil.copy(results / "run.h5", folder / "again" / "run.h5")
    call("report", results, folder / "again", "--no-animation", "--out", folder / "two.html")
    assert '"runs":["results","again"]' in (folder / "two.html").read_text()
    call("export", results, "--reactions", folder / "loads.csv", "--gltf", folder / "a.glb")
    assert (folder / "loads.csv").read_text().startswith("element,peak force (N)") and (folder / "a.glb").read_bytes()[
        :4
    ] == b"glTF"
    result = call("compare", results, results / "run.h5", "--within", 1e-12)
    assert "largest difference 0 of range" in result.output
    call(
        "run",
        folder / "tiny.adm",
        "--end",
        0.3,
        "--steps",
        6,
        "--error",
        1e-12,
        "--out",
        folder / "rough",
        "--no-progress",
    )
    call("compare", results, folder / "rough", "--within", 1e-15, code=1)


def test_check(folder, tmp_path):
    out = call("check", folder / "tiny.adm").output
    assert "statements: 2 PART, 3 MARKER, 1 JOINT" in out and "units: meter, kilogram, newton, second" in out
    assert (
        "degrees of freedom: 1" in out and "redundant constraints: none" in out and out.endswith("the model can run\n")
    )
    more = (
        "MARKER/30, PART=2, QP=-1,0,0\nMARKER/31, PART=1\nJOINT/2, SPHERICAL, I=30, J=31\nSFORCE/2, ROTATIONAL, "
        "I=20, J=1, FUNC=USER(3)\n"
    )
    shapes = (
        "GRAPHICS/1, EXTERNAL, RM=30, FILE=away.xmt_txt, ELEMENT=lobe\nGRAPHICS/2, BOX, CORNER=31, X=1, Y=1, Z=-1\n"
    )
    (tmp_path / "m.adm").write_text(
        TINY.replace(
            "ACCGRAV",
            more + shapes + "CONTACT/5, IGEOM=1, JGEOM=2, STIFFNESS=1, EXPONENT=2, DAMPING=1, DMAX=1\nACCGRAV",
        )
    )
    out = call("check", tmp_path / "m.adm", code=2).output
    assert (
        "redundant constraints: 3" in out
        and "JOINT_2: translation along ground x repeats JOINT_1 [in Adams Xi-Xj in m.JOINT_2]" in out
    )
    assert "missing for a run: 2" in out and "away.xmt_txt is in a format that is not read" in out
    assert "user routine 'SFORCE/2' with parameters [3] is not registered" in out
    result = call("run", tmp_path / "m.adm", "--end", 0.1, "--out", tmp_path / "r", code=2)
    assert (
        "give --missing zero to run without them" in result.stderr
        and "away.xmt_txt is in a format that is not read" in result.stderr
    )
    assert (
        call(
            "run", tmp_path / "m.adm", "--end", 0.1, "--missing", "zero", "--no-progress", "--out", tmp_path / "r"
        ).output.count("left out:")
        == 2
    )


def test_convert_there_and_back(folder, tmp_path):
    call("convert", folder / "tiny.adm", tmp_path / "a.json")
    call("convert", tmp_path / "a.json", tmp_path / "b.adm")
    call("convert", tmp_path / "b.adm", tmp_path / "c.json")
    first, last = (hn.Model.from_json((tmp_path / n).read_text()) for n in ("a.json", "c.json"))
    assert {k: len(first.table(k)) for k in ("PART", "MARKER", "JOINT")} == {
        k: len(last.table(k)) for k in ("PART", "MARKER", "JOINT")
    }
    assert (
        "models are written as .json or .adm"
        in call("convert", folder / "tiny.adm", tmp_path / "x.urdf", code=2).stderr
    )


def test_version_and_help():
    out = call("version").output
    assert call("--version").output == out
    assert f"holonom {hn.__version__}, Python" in out and "kernel cache:" in out
    assert "Exit codes: 0 done; 1 a run failed part-way" in " ".join(call("--help").output.split())
    assert "--integrator" in call("run", "--help").output


OPEN = "MARKER/2, PART=1, QP=9,0,0\nMARKER/22, PART=2\nJOINT/2, SPHERICAL, I=22, J=2\nACCGRAV"  # cannot be reached
UNFINISHED = "function.adm:9: VARIABLE/1: FUNCTION: the expression ends too early at column 3"
BAD = {
    "no.adm": (None, "no.adm: there is no such file; check the path"),
    "empty.adm": ("", "the file holds no statement"),
    "word.adm": ("t\nGIZMO/3, MASS=1\nEND\n", "word.adm:2: GIZMO/3: unknown statement"),
    "mass.adm": (TINY.replace("MASS=1,", "MASS=-1,"), "mass.adm:5): its mass must be positive, it is -1"),
    "joint.adm": (TINY.replace("END\n", "MOTION/1, JOINT=8, ROTATION, FUNC=0\nEND\n"), "there is no JOINT/8"),
    "function.adm": (TINY.replace("FUNCTION=0", "FUNCTION=1+"), UNFINISHED),
    "open.adm": (TINY.replace("ACCGRAV", OPEN), "the initial position cannot be assembled at time 0: JOINT_"),
    "bin.adm": (b"\0\0\1\2" * 50, "this is not a text file"),
    "bad.json": ("{", "bad.json: this is not a Holonom model file"),
    "list.json": ("[1]", "list.json: this is not a Holonom model file"),
    "a.acf": ("stop\n", "a.acf: the script names no dataset; write FILE/MODEL=name"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_models_are_one_sentence_and_code_2(name, tmp_path):
    content, text = BAD[name]
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = call("run", path, "--end", 1, "--out", tmp_path / "r", "--no-progress", code=2)
    assert text in result.stderr, result.stderr
    assert all(
        line.startswith("holonom: ") or line.startswith("compiling kernels") for line in result.stderr.splitlines()
    )
    assert not (tmp_path / "r" / "run.h5").exists()


@pytest.mark.parametrize(
    "words, text",
    [
        (
            ("--end", "1", "--integrator", "GSTUFF"),
            "unknown integrator 'GSTUFF'; did you mean GSTIFF? The choices are GSTIFF, ",
        ),
        (("--end", "1", "--option", "ro=0.5"), "unknown option 'ro' of a simulation; did you mean rho?"),
        (("--end", "1", "--option", "rho"), "--option 'rho': give NAME=VALUE"),
        (("--end", "1", "--error", "-1"), "ERROR = -1.0 is impossible; it must be a finite number, greater than 0"),
        (("--end", "-1"), "the end time -1 does not lie after the present time 0"),
        (("--end", "nan"), "end time"),
        (("--end", "1", "--steps", "-3"), "the number of output steps must be a positive whole number, not -3"),
        (("--end", "1", "--steps", "0"), "the number of output steps must be a positive whole number, not 0"),
        (("--end", "1", "--dt", "0"), "the output interval must be positive, not 0"),
        (("--end", "1", "--steps", "5", "--dt", "0.1"), "--steps and --dt are both given; use one of them"),
        (("--end", "1", "--missing", "some"), "--missing some: choose 'error' or 'zero'"),
        (("--end", "1", "--analysis", "magic"), "unknown kind of analysis 'magic'"),
        ((), "there is no tiny.acf next to it, so the time to simulate is not known; give --end"),
        (("--script", "nowhere.acf"), "nowhere.acf: cannot be read"),
        (("--end", "soon"), "Invalid value for '--end'"),
        (("--fast",), "--fast"),
    ],
)
def test_bad_options_are_one_sentence_and_code_2(folder, words, text):
    result = call("run", folder / "tiny.adm", *words, "--out", folder / "bad", "--no-progress", code=2)
    assert text in result.stderr


def test_results_that_are_none(tmp_path):
    assert "holds no run.h5" in call("report", tmp_path, code=2).stderr
    (tmp_path / "run.h5").write_bytes(b"nothing")
    assert "it is not an HDF5 file" in call("report", tmp_path, code=2).stderr
    assert "there is no such file or folder" in call("compare", tmp_path / "x", tmp_path / "y", code=2).stderr


def test_internal_errors_hide_the_traceback_unless_asked(monkeypatch, folder):
    def broken(*args, **options):
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr("holonom.analyses.checks.check.check", broken)
    result = call("check", folder / "tiny.adm", code=4)
    assert "internal error: RuntimeError: a wheel came off; please report it" in result.stderr
    result = runner.invoke(cli.app, ["check", str(folder / "tiny.adm"), "--debug"])
    assert result.exit_code == 4 and "Traceback" in result.stderr


def test_failure_part_way_keeps_results(tmp_path):
    (tmp_path / "f.adm").write_text(TINY.replace("FUNCTION=0", "FUNCTION=LOG(0.05-TIME)").replace("RETURN", "PRINT"))
    result = call(
        "run", tmp_path / "f.adm", "--end", 1, "--steps", 100, "--out", tmp_path / "r", "--no-progress", code=1
    )
    assert "the run failed: the step became too small" in result.stderr and "last good state" in result.stderr
    assert "VARIABLE/1 'VARIABLE_1'" in result.stderr and "f.adm:9) gives no finite number there" in result.stderr
    run = hn.load(tmp_path / "r" / "run.h5")
    assert 0.03 < run.time[-1] <= 0.051


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs POSIX signals")
def test_interrupt_keeps_results(tmp_path, folder):
    """Ctrl-C in a run that would take hours."""
    words = [
        "run",
        str(folder / "tiny.adm"),
        "--end",
        "1e6",
        "--steps",
        "1000000",
        "--hmax",
        "0.1",
        "--out",
        str(tmp_path),
        "--no-progress",
    ]
    # a shell that put the tests in the background has switched SIGINT off for all its children
    code = (
        "import signal, sys; from holonom.cli import main; signal.signal(signal.SIGINT, signal.default_int_handler); "
    )
    code += f"sys.argv[1:] = {words!r}; print('on the way', flush=True); main()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "on the way\n"
    end = time.monotonic() + (20 if os.environ.get("CI") else 12)
    while time.monotonic() < end and not any(tmp_path.iterdir()):  # rows are written while it runs
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert "Traceback" not in err, err
    assert process.returncode == 3, (out, err)
    assert "interrupted: stopped by the user" in err
    if (tmp_path / "run.h5").exists():
        assert len(hn.load(tmp_path / "run.h5").time) > 1


def test_linear(folder, tmp_path):
    """A pendulum that hangs at rest would be stable; drawn level it is not in equilibrium, so statics comes first."""
    import numpy as np

    result = call(
        "linear",
        folder / "tiny.adm",
        "--statics",
        "--energy",
        1,
        "--output",
        "AZ(20,1)",
        "--state-space",
        tmp_path / "p.npz",
        "--csv",
        tmp_path / "t.csv",
        "--save",
        tmp_path / "l.h5",
        "--report",
        tmp_path / "r.html",
    )
    omega = np.sqrt(9.81 / 1.01)
    assert "1 degrees of freedom, 0 states of differential equations, stable at time 0 s" in result.output
    assert f"{omega / (2 * np.pi):14.8g}" in result.output and "gravity and reactions     100.000" in result.output
    with np.load(tmp_path / "p.npz") as data:
        assert np.linalg.eigvals(data["A"]) == pytest.approx(np.array([1j, -1j]) * omega)
    assert hn.Linear.load(tmp_path / "l.h5").outputs == ["AZ(20,1)"]
    assert (tmp_path / "r.html").stat().st_size > 10_000 and (tmp_path / "t.csv").is_file()
    assert "no VARIABLE named 'nothing'" in call("linear", folder / "tiny.adm", "--input", "nothing", code=2).stderr
    assert "give a positive number" in call("linear", folder / "tiny.adm", "--modes", 0, code=2).stderr


def test_linear_commands_of_a_script_write_into_the_folder(folder, tmp_path):
    script = tmp_path / "lin.acf"
    script.write_text("sim/statics\nlinear/eigensol, coords=1\nlinear/mkb, file=/somewhere/else/m\nstop\n")
    result = call("run", folder / "tiny.adm", "--script", script, "--out", tmp_path / "o", "--no-progress")
    assert "mode 1: undamped frequency 0.496" in result.output
    assert (tmp_path / "o" / "mk").is_file() and len(hn.load(tmp_path / "o" / "run.h5").linear) == 2


BALL = """ball on the floor
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
ACCGRAV/KGRAV = -9.81
PART/1, GROUND
MARKER/1, PART = 1
PART/2, MASS = 1, CM = 2, IP = 0.004, 0.004, 0.004, QG = 0, 0, 1.1
MARKER/2, PART = 2
GRAPHICS/1, PLANE, RM = 1, XMIN = -5, XMAX = 5, YMIN = -5, YMAX = 5
GRAPHICS/2, ELLIPSOID, CM = 2, XSCALE = 0.2, YSCALE = 0.2, ZSCALE = 0.2
CONTACT/1, IGEOM = 2, JGEOM = 1, IMPACT, STIFFNESS = 1e6, EXPONENT = 1.5, DAMPING = 100, DMAX = 1e-4
END
"""


def test_contacts_of_a_dataset_as_constraints(tmp_path):
    """The same CONTACT statement, without its stiffness: time of the first impact and the height of the first bounce,
    which is reached after 0.68 s."""
    (tmp_path / "ball.adm").write_text(BALL)
    out = tmp_path / "rigid"
    result = call(
        "run",
        tmp_path / "ball.adm",
        "--end",
        0.7,
        "--steps",
        700,
        "--contact",
        "time-stepping",
        "--restitution",
        0.5,
        "--hmax",
        1e-4,
        "--out",
        out,
        "--no-progress",
    )
    assert "MOREAU_JEAN" in result.output
    z = hn.load(out / "run.h5").part(2).position.values[:, 2] - 0.1
    first = (2 / 9.81) ** 0.5
    assert abs(int(z[:600].argmin()) / 1000 - first) < 2e-3
    assert z[int(1000 * first) + 5 :].max() == pytest.approx(0.25, abs=1e-3)
    text = call("run", tmp_path / "ball.adm", "--end", 1, "--contact", "stiff", code=2).stderr
    assert "method 'stiff' is not one of compliant, events, time-stepping" in text
    text = call(
        "run", tmp_path / "ball.adm", "--end", 1, "--contact", "time-stepping", "--restitution", 1.5, code=2
    ).stderr
    assert "restitution must lie between 0 and 1, it is 1.5" in text


def test_warmup_compiles_the_granular_lane():
    from holonom.warmup import warm

    name, work = list(warm())[-1]
    run = work()
    assert name == "grains" and any("4 spheres by the granular solver" in text for text in run.info["messages"])
    assert run.grains("balls").values("contacts")[-1].sum() > 0


def test_equations(folder):
    out = call("equations", folder / "tiny.adm").output
    assert "PART_2: force balance" in out and "Xi-Xj in tiny.JOINT_1" in out and "1 degree of freedom" in out


@pytest.mark.parametrize("name", ["box_stack", "painleve_rod"])
def test_demos_of_rigid_contact_run(name, tmp_path):
    """Their datasets state how contacts are treated; the script requests the degrees of freedom before it
    integrates."""
    result = call("demo", "--name", name, "--end", "0.02", "--no-progress", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name, says", [("study.py", "python study.py"), ("study.ipynb", "open it in Jupyter")])
def test_a_python_program_is_no_model(tmp_path, name, says):
    """One sentence, and nothing of what a reader of datasets would find in it."""
    (tmp_path / name).write_text("import holonom as hn\nmodel = hn.Model()\n" * 20)
    result = call("run", tmp_path / name, "--end", 1, code=2)
    said = (result.output + result.stderr).replace("\n", " ")
    assert says in said and "Unknown" not in said and len(said) < 600

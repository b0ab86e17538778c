"""Models as FMUs: equal to the simulation, back to an earlier state, refused where something is missing."""

import json
import random
import re
import runpy
import shutil
import subprocess
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import fmu_library
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

import holonom as hn
from holonom._shipped import Shipped
from holonom.cli import app
from holonom.fmu_runtimes import link_runtimes
from holonom.formats.fmu import export, runtime
from holonom.model.fmu import read_fmu
from holonom.warmup import bouncing_ball

MODELS = Path(hn.__file__).parent / "models"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)
pytestmark = needs_compiler


def pendulum():
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", mass=2.0, inertia=(0.001, 0.167, 0.167), position=(0.5, 0, 0))
    pin = model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    torque = model.input("torque")
    model.sforce(pin.i, pin.j, f"VARVAL({torque.id})", kind="ROTATIONAL")
    model.variable(f"AZ({pin.i},{pin.j})", "angle")
    model.variable(f"WZ({pin.i},{pin.j},{pin.j})", "rate")
    model.variable(f"FX({pin.i},{pin.j})", "fx")
    return model


def oscillator(units="SI"):
    model = hn.Model("oscillator", units=units)
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=2.0, inertia=(1, 1, 1), position=(0.1, 0, 0))
    model.translational(block, model.ground, "slide", at=(0.1, 0, 0), axis=(1, 0, 0))
    model.spring_damper(
        block.cm, model.marker(model.ground, (-1, 0, 0)), stiffness=50.0, damping=0.3, length=1.0, name="spring"
    )
    model.variable(f"DX({block.cm})", "x")
    return model


OPENED = {
    "RK4": {"integrator": "RK4", "hmax": 1e-3, "fixed": True},
    "DOP853": {"integrator": "DOP853", "events": False},
}


def exported(tmp_path, make, version="2.0", method="DOP853", exchange=False, **options):
    how = {"integrator": "RK4", "step": 1e-3} if method == "RK4" else {"integrator": method}
    path = hn.export_fmu(make(), tmp_path / "machine.fmu", fmi=version, **how, **options)
    return (fmu_library.Fmu2 if version == "2.0" else fmu_library.Fmu3)(path, tmp_path / "unpacked", exchange)


def opened(make, method="DOP853"):
    sim = hn.Simulation(make())
    sim.open(record="none", coordinates="maximal", **OPENED[method])
    return sim


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("method", OPENED)
def test_equal_to_the_simulation(tmp_path, method, version):
    """Every output of a pendulum that turns over, under a torque that changes at random, has the bits of the simulation
    with steps of one size; with error control the first step at a changed input may differ."""
    fmu = exported(tmp_path, pendulum, version, method)
    sim = opened(pendulum, method)
    fmu.begin()
    outputs = [n for n, c in fmu.causality.items() if c == "output"]
    assert outputs == ["angle", "rate", "fx"]
    draw = random.Random(1)
    turns = 0.0
    for k in range(200):
        if k % 7 == 3:
            torque = draw.uniform(-30.0, 30.0)
            fmu.set(torque=torque)
            sim.set_input("torque", torque)
        fmu.step(k * 0.02, 0.02)
        sim.advance(k * 0.02 + 0.02)
        got = fmu.get(*outputs)
        turns = max(turns, abs(got[0]))
        assert got == [sim.output(n) for n in outputs]
    assert turns > 2 * np.pi  # whole turns are counted
    fmu.close()


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_back_to_an_earlier_state(tmp_path, version):
    """At random times: keep the state, go on, return, go on again: all bytes of the state are those of the first way.
    Another instance goes on from the bytes alone."""
    fmu = exported(tmp_path, pendulum, version)
    fmu.begin()
    draw, t, h = random.Random(2), 0.0, 0.01
    for _ in range(100):
        for _ in range(draw.randrange(4)):
            fmu.step(t, h)
            t += h
        if draw.random() < 0.5:
            fmu.set(torque=draw.uniform(-3.0, 3.0))
        if draw.random() < 0.5:
            fmu.get("angle")
        kept, ways = fmu.keep(), []
        for _ in range(2):
            s = t
            for k in range(3):
                fmu.set(torque=0.1 * k)
                fmu.step(s, h)
                s += h
            end = fmu.keep()
            ways.append(fmu.bytes_of(end))
            fmu.free(end)
            fmu.set(torque=5.0)
            fmu.step(s, 3 * h)
            fmu.restore(kept)
        assert ways[0] == ways[1]
        data = fmu.bytes_of(kept)
        fmu.free(kept)
    first, fmu.instance = fmu.instance, fmu.open()
    fmu.begin()
    fmu.restore(fmu.from_bytes(data))
    for k in range(3):
        fmu.set(torque=0.1 * k)
        fmu.step(t + k * h, h)
    assert fmu.bytes_of(fmu.keep()) == ways[0]
    fmu.close()
    fmu.instance = first
    fmu.close()


def test_times_in_seconds_and_reset(tmp_path):
    """Times are in seconds in a model of milliseconds; after a reset the first run is repeated."""

    def make():
        return oscillator(hn.Units(time="MILLISECOND"))

    fmu = exported(tmp_path, make)
    sim = opened(make)
    values = []
    for _ in range(2):
        fmu.begin()
        fmu.step(0.0, 0.1)
        values.append(fmu.get("x")[0])
        fmu.ok("Reset")
    sim.advance(100.0)
    assert values == [sim.output("x")] * 2
    assert abs(values[0] - 0.1) > 1e-3
    fmu.close()


def test_the_file(tmp_path):
    """What the archive holds; equal models give equal files; it can be imported."""
    outputs = {"place in mm": "1000*VARVAL(x)"}
    one = hn.export_fmu(oscillator(), tmp_path / "one.fmu", outputs=outputs)
    before = one.read_bytes()
    assert hn.export_fmu(oscillator(), tmp_path / "one.fmu", outputs=outputs).read_bytes() == before
    with zipfile.ZipFile(one) as archive:
        assert sorted(archive.namelist()) == ["binaries/linux64/one.so", "modelDescription.xml", "resources/model.bin"]
        root = ET.fromstring(archive.read("modelDescription.xml"))
    assert [v.get("name") for v in root.find("ModelVariables")] == ["time", "'place in mm'"]
    assert root.find("CoSimulation").get("canGetAndSetFMUstate") == "true"


def test_in_a_model(tmp_path):
    """An exported oscillator as an element of another model gives the motion of the simulation."""
    path = hn.export_fmu(oscillator(), tmp_path / "machine.fmu")
    model = hn.Model("importer", units="SI")
    model.part("dummy", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.fmu(path, name="machine", outputs=["x"], step=0.1)
    run = hn.simulate(model, end=1.0, steps=10)
    sim = opened(oscillator)
    for k in range(1, 11):
        sim.advance(0.1 * k)
        assert run.variable("machine.x")[k] == pytest.approx(sim.output("x"), abs=1e-9)


def test_on_the_command_line(tmp_path):
    source, target = tmp_path / "machine.json", tmp_path / "machine.fmu"
    source.write_text(oscillator().to_json(), encoding="utf-8")
    more = ["--output", "x", "--output", "speed=VX(block.cm)"]
    more += ["--parameter", "spring.k", "--unit", "spring.k=stiffness", "--joint-end", "eye=block.cm"]
    done = CliRunner().invoke(app, ["fmu", str(source), str(target), *more, "--fmi", "3.0", "--kind", "cs,me"])
    assert done.exit_code == 0, done.output
    fmu = read_fmu(target)
    assert (
        fmu.outputs[:2] == ["x", "speed"]
        and "'eye.wz'" in fmu.outputs
        and fmu.version == "3.0"
        and read_fmu(target, "me").exchange
    )
    assert [fmu.variables[n].unit for n in ("x", "speed", "spring.k", "'eye.fx'")] == ["m", "m/s", "N/m", "N"]
    done = CliRunner().invoke(app, ["fmu", str(source), str(target), "--unit", "x"])
    assert done.exit_code and "there is no quantity '' (x)" in " ".join(done.output.split())


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_units(tmp_path, version):
    """Units of the model with their factors to SI: of states, of outputs that are one function, and as given."""
    make = lambda: oscillator("mm")
    given = {"spring.k": "stiffness"}
    more = {"parameters": ["spring.k", "spring.c"], "units": given, "fmi": version, "kind": "me"}
    fmu = read_fmu(
        hn.export_fmu(make(), tmp_path / "machine.fmu", outputs={"x": "", "twice": "2*DX(block.cm)"}, **more)
    )
    unit = lambda name: fmu.variables[name].unit
    assert unit("time") == "s" and unit("x") == "mm" and unit("twice") == "" == unit("spring.c")
    assert unit("block.w[1]") == "rad/s" and unit("block.p[1]") == "" and unit("der(block.v[2])") == "mm/s/s"
    assert (fmu.units["mm"].factor, fmu.units["mm"].exponents[:3]) == (1e-3, (1, 0, 0))
    stiffness = fmu.units[unit("spring.k")]
    assert (stiffness.factor, stiffness.exponents[:3]) == (pytest.approx(1e3), (0, 1, -2))
    assert fmu.scale(fmu.variables["x"], "m") == (pytest.approx(1e3), 0.0)
    with pytest.raises(hn.ModelError, match="units: there is no variable 'y'"):
        hn.export_fmu(make(), tmp_path / "no.fmu", units={"y": "length"})
    with pytest.raises(hn.ModelError, match="there is no quantity 'lenght' .x.; did you mean 'length'?"):
        hn.export_fmu(make(), tmp_path / "no.fmu", units={"x": "lenght"})


def test_binaries_of_the_installation(tmp_path, monkeypatch):
    """An export takes a binary from the installation without a C compiler; where no binary serves, it says so."""
    used = []
    find = export.runtime_for
    monkeypatch.setattr(export, "runtime_for", lambda *given: used.append(find(*given)) or used[-1])
    hn.export_fmu(pendulum(), tmp_path / "built.fmu")
    folder = tmp_path / "shipped" / runtime.FOLDER
    folder.mkdir(parents=True)
    for suffix in (".so", ".json"):
        shutil.copy(used[0].path.with_suffix(suffix), folder)
    monkeypatch.setattr(runtime, "compiler", lambda: "")
    monkeypatch.setattr(runtime, "cache_root", lambda: tmp_path / "empty")
    monkeypatch.setattr(runtime._shipped, "shipped", lambda: Shipped(tmp_path / "shipped", None, ""))
    hn.export_fmu(pendulum(), tmp_path / "shipped.fmu")
    assert used[1].path.parent == folder and used[1].token == used[0].token
    listed = next(folder.glob("*.json"))  # of a binary in the cache that may serve more than the pendulum
    known = json.loads(listed.read_text())
    known["kernels"] = [label for label in known["kernels"] if "pairs" not in label]
    listed.write_text(json.dumps(known))
    with pytest.raises(hn.ModelError, match=r"kernels of .*pairs.*\), and linking one needs a C compiler; install gcc"):
        hn.export_fmu(oscillator(), tmp_path / "none.fmu")
    monkeypatch.setattr(runtime._shipped, "shipped", lambda: Shipped(None, None, ""))
    with pytest.raises(hn.ModelError, match="no binary of compiled kernels on this machine serves this model"):
        hn.export_fmu(pendulum(), tmp_path / "none.fmu")


@pytest.mark.slow
def test_binaries_for_all_models(tmp_path, monkeypatch):
    """What `make wheel` links for the installation carries all kernels that the shipped crane calls."""
    linked = link_runtimes(tmp_path / runtime.FOLDER, 2)
    assert len(linked.runtimes) == 4 and not linked.reason  # without and with exact derivatives
    monkeypatch.setattr(runtime, "compiler", lambda: "")
    monkeypatch.setattr(runtime, "cache_root", lambda: tmp_path)
    for make in (pendulum, oscillator):
        (tmp_path / make.__name__).mkdir()
        sim, fmu = opened(make), exported(tmp_path / make.__name__, make)
        fmu.begin()
        names = [name for name, kind in fmu.causality.items() if kind == "output"]
        for k in range(10):
            sim.advance(k * 0.05 + 0.05)
            fmu.step(k * 0.05, 0.05)
            assert fmu.get(*names) == [sim.output(name) for name in names]
    hn.export_fmu(crane(), tmp_path / "crane.fmu", fmi="3.0", kind="cs,me")


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_parameters(tmp_path, version):
    """A stiffness that changes between steps has the bits of `Simulation.set_parameter`."""
    fmu = exported(tmp_path, oscillator, version, "RK4", parameters=["spring.k"])
    sim = opened(oscillator, "RK4")
    fmu.begin()
    assert fmu.causality["spring.k"] == "parameter" and fmu.get("spring.k") == [50.0]
    draw = random.Random(4)
    for k in range(40):
        if k % 5 == 2:
            stiffness = draw.uniform(10.0, 300.0)
            fmu.set(**{"spring.k": stiffness})
            sim.set_parameter("spring", "k", stiffness)
        fmu.step(k * 0.01, 0.01)
        sim.advance(k * 0.01 + 0.01)
        assert fmu.get("x") == [sim.output("x")]
    fmu.close()


def stop():
    """A ball on a one-sided spring: the force is an IF."""
    model = hn.Model("stop", units="SI")
    model.gravity = (0, 0, -9.80665)
    ball = model.part("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.3))
    foot = model.marker(model.ground, (0, 0, 0))
    model.translational(ball, model.ground, "slide", at=(0, 0, 0.3), axis=(0, 0, 1))
    model.vforce(ball.cm, model.ground, fz=f"IF(DZ({ball.cm},{foot.id}): -1E5*DZ({ball.cm},{foot.id}), 0, 0)")
    model.variable(f"DZ({ball.cm},{foot.id})", "height")
    return model


def bounce():
    """A ball on a plane."""
    model = hn.Model("bounce", units="SI")
    ball = model.part("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.3))
    plane = model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    model.contact(model.sphere(ball, (0, 0, 0.3), 0.1), plane, stiffness=1e5, damping=10.0, exponent=1.5, dmax=1e-4)
    model.variable("DZ(2)", "height")
    return model


def switched():
    """A spring that is switched off by time."""
    model = oscillator()
    spring = next(iter(model.table("SPRINGDAMPER").values()))
    model.switch({"held": [spring], "free": []}, [("held", "free", "TIME - 0.1")], name="release")
    return model


def steered():
    """Forces by a function and by an expression of Python."""
    model = oscillator()
    block = model.parts[2]
    model.sforce(block.cm, model.marker(model.ground), function=lambda call: -call.time, name="pull")
    return model


@pytest.mark.parametrize(
    ("make", "options", "sentence"),
    [
        (steered, {}, "SFORCE/1 'pull', routine 'sforce_1': routines in Python are not available"),
        (oscillator, {"platforms": "linux64, mac"}, "no platform 'mac'; choose from linux64, win64"),
        (oscillator, {"integrator": "GSTIFF"}, "integrator GSTIFF is not in the runtime; choose DOP853"),
        (switched, {}, "'release': each combination of elements that are on is a system of its own, which Python"),
        (bounce, {"contact": "events"}, "constraints (contact = events) are not in the runtime, since their impacts"),
        (
            bounce,
            {"integrator": "MOREAU_JEAN"},
            "(contact = time-stepping) are not in the runtime, since their impacts",
        ),
        (oscillator, {"fmi": "1.0"}, "fmi = '1.0' is not one of 2.0, 3.0"),
        (oscillator, {"kind": "se"}, "kind = 'se' is not one of cs (co-simulation), me (model exchange), cs,me"),
        (oscillator, {"outputs": ["y"]}, "there is no output 'y'; the VARIABLEs are x; for an expression give"),
        (oscillator, {"outputs": {"X": "TIME"}}, "output 'X' has the name of VARIABLE/1 'x'; choose another"),
        (oscillator, {"parameters": ["spring.colour"]}, "'spring' has no parameter 'colour'; choose from"),
        (
            bounce,
            {"events": True},
            "the beginning and end of contacts are not located in an FMU; leave events=True out",
        ),
    ],
)
def test_what_the_runtime_does_not_carry_is_refused(tmp_path, make, options, sentence):
    with pytest.raises(hn.ModelError) as caught:
        hn.export_fmu(make(), tmp_path / "no.fmu", **options)
    assert sentence in str(caught.value)
    assert not any(tmp_path.iterdir())


def test_outputs_by_their_own_names(tmp_path):
    """Names of VARIABLEs as a dictionary of names to the same names."""
    model = oscillator()
    model.variable("TIME", "clock")
    assert read_fmu(hn.export_fmu(model, tmp_path / "a.fmu", outputs={"clock": "clock", "x": "x"})).outputs == [
        "clock",
        "x",
    ]


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("2.0", "cs"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("3.0", "cs"), ("2.0", "cs,me"), ("3.0", "cs,me"))),
    ],
)
def test_outputs_that_follow_from_states_alone(tmp_path, version, kind):
    """The file states which outputs do not depend on inputs directly, as importers must know of loops."""
    model = oscillator()
    block, push = model.parts[2], model.input("push", 1.0)
    model.vforce(block.cm, None, fx=f"VARVAL({push.id})")
    outputs = {
        "x": "",
        "v": f"2*VX({block.cm})",
        "a": f"ACCX({block.cm})",
        "F": f"FX({block.cm})",
        "u": "3*VARVAL(push)",
    }
    outputs["work"] = f"VARVAL({push.id})*DX({block.cm})"
    outputs["where"] = [f"DX({block.cm})", f"DY({block.cm})"]
    if kind == "cs":  # what is late follows from the past, but by a delay that follows from an input
        outputs["late"] = f"DELAY(VARVAL({push.id})+DX({block.cm}),0.1,0)"
        outputs["slow"] = f"DELAY(DX({block.cm}),0.1+VARVAL({push.id})**2,0)"
    path = hn.export_fmu(model, tmp_path / "a.fmu", outputs=outputs, fmi=version, kind=kind)
    found = read_fmu(path, kind[-2:])
    assert found.fed == {"a", "F", "u", "work"} | ({"slow"} if kind == "cs" else set())
    fmpy = pytest.importorskip("fmpy")
    assert fmpy.read_model_description(str(path), validate=True).outputs[0].dependencies is not None


@pytest.mark.parametrize(
    "name, ends, sentence",
    [("a.zip", {}, r"a.zip' does not end in .fmu"), ("a.fmu", {"": "tip"}, "an end has the name ''; give each a text")],
)
def test_names_that_no_fmu_has(tmp_path, name, ends, sentence):
    with pytest.raises(hn.ModelError, match=sentence):
        hn.export_fmu(oscillator(), tmp_path / name, ends=ends)


def test_platforms(tmp_path, monkeypatch):
    """The archive has the binaries that are asked for; without a way to Windows that is an error."""
    path = hn.export_fmu(oscillator(), tmp_path / "a.fmu", fmi="3.0", platforms=["x86_64-linux"])
    names = [n for n in zipfile.ZipFile(path).namelist() if n.startswith("binaries/")]
    assert names == ["binaries/x86_64-linux/a.so"]
    monkeypatch.setattr(runtime, "cross_compiler", list)
    monkeypatch.setattr(
        runtime.Runtime, "binaries", lambda self, suffixes=(): [self.path] if ".dll" not in suffixes else []
    )
    with pytest.raises(
        hn.ModelError, match=r"no binary for Windows \(win64\).*pip install ziglang, or leave win64 out"
    ):
        hn.export_fmu(oscillator(), tmp_path / "b.fmu", platforms="linux64,win64")


def test_wrong_calls_are_reported(tmp_path):
    """Errors have a status and a message; the instance stays as it is."""
    fmu = exported(tmp_path, pendulum)
    fmu.begin()
    assert fmu.call("SetReal", fmu.instance, fmu._references(["angle"]), 1, (fmu_library.c_double * 1)(1.0)) == 3
    assert fmu.messages[-1] == "only inputs, states and parameters can be set"
    assert fmu.call("DoStep", fmu.instance, fmu_library.c_double(0), fmu_library.c_double(0), 1) == 3
    assert fmu.messages[-1] == "doStep: the size of the step must be positive"
    with pytest.raises(AssertionError):
        fmu.set(torque=float("nan"))
    fmu.step(0.0, 0.1)
    fmu.token = "{another}"
    assert not fmu.open().value
    fmu.close()


def four_bar():
    model = hn.read_adams(MODELS / "four_bar.adm")
    if not model.table("VARIABLE"):
        model.variable(f"DX({[p for p in model.parts.values() if p.cm][-1].cm})", "probe")
    return model


def crane():
    model = hn.read_adams(MODELS / "crane.adm")
    crate = next(p for p in model.parts.values() if p.name == "crate")
    foot = next(iter(model.joints.values()))
    for c in "XYZ":
        model.variable(f"D{c}({crate.cm})", f"crate_{c.lower()}")
    model.variable(f"FM({foot.i},{foot.j})", "foot_force")
    return model


@pytest.mark.slow
@pytest.mark.parametrize("method", OPENED)
@pytest.mark.parametrize("make", [pendulum, four_bar, crane, oscillator])
def test_in_a_process_without_python(tmp_path, make, method):
    """A C program loads the FMU: outputs have the bits of the simulation, and of 1000 returns to an earlier state none
    differs in a byte."""
    fmu = exported(tmp_path, make, "2.0", method)
    driver = tmp_path / "driver"
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))))
    source = Path(__file__).with_name("fmu_driver.c")
    subprocess.run([compiler, "-O1", "-w", "-o", str(driver), str(source), "-ldl"], check=True)
    library = next((fmu.folder / "binaries").rglob("*.so"))
    needed = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
    assert "python" not in needed
    outputs = [n for n, c in fmu.causality.items() if c == "output"]
    entry = next((fmu.references[n] for n, c in fmu.causality.items() if c == "input"), 0)
    run = subprocess.run(
        [str(driver), str(library), fmu.token, (fmu.folder / "resources").as_uri(), "50", "0.01", str(entry)]
        + [str(fmu.references[n]) for n in outputs],
        capture_output=True,
        text=True,
        env={},
    )
    print(make.__name__, method, run.stderr)
    assert run.returncode == 0, run.stderr
    rows = np.array([[float(v) for v in line.split()] for line in run.stdout.splitlines()])
    sim = opened(make, method)
    for k, row in enumerate(rows):
        if entry:
            sim.set_input("torque", (k % 5) - 2.0)
        sim.advance(k * 0.01 + 0.01)
        want = [sim.output(n.strip("'")) for n in outputs]
        # a first input changes the first step of error control
        np.testing.assert_allclose(row, want, rtol=0, atol=0 if method == "RK4" or not entry else 1e-11)


def ball():
    model = bouncing_ball()
    part = next(p for p in model.parts.values() if p.cm)
    model.variable(f"DZ({part.cm})", "height")
    return model


def sliding_ball():
    """Friction that remembers: its springs limit the steps from the first touch on."""
    model = hn.Model("ball", units="SI")
    model.gravity = (0, 0, -9.81)
    part = model.part("ball", 1.0, (0.004, 0.004, 0.004), (0, 0, 0.1001), velocity=(0.5, 0, 0))
    model.contact(
        model.sphere(part, (0, 0, 0.1001), 0.1),
        model.plane(model.ground, (0, 0, 0), (0, 0, 1)),
        law="KELVIN_VOIGT",
        stiffness=1e4,
        damping=1.0,
        mu=0.3,
        friction="BRISTLE",
        friction_parameters={"tangential_stiffness": 3e3},
    )
    model.variable(f"DX({part.cm})", "place")
    return model


def clearance():
    """A motion turns two cranks, whose sliders clatter in their bores: a bit of difference grows tenfold a touch."""
    model = hn.read_adams(MODELS / "clearance_slider_crank.adm")
    for part in [p for p in model.parts.values() if p.cm]:
        model.variable(f"DX({part.cm})", f"x_{part.id}")
    return model


def bending_four_bar():
    model = runpy.run_path(str(EXAMPLES / "flexible_four_bar.py"))["build"]()
    part = [p for p in model.parts.values() if p.cm][-1]
    model.variable(f"DX({part.cm})", "place")
    return model


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "steps", "size"),
    [
        (stop, 100, 0.02),
        (ball, 100, 0.01),
        (sliding_ball, 100, 5e-3),
        (four_bar, 100, 0.01),
        (clearance, 10, 1e-3),
        (bending_four_bar, 30, 2e-3),
    ],
)
def test_functions_that_switch_contacts_and_flexible_bodies(tmp_path, make, steps, size):
    """Every output has the bits of the simulation without events; a run from an earlier state has the bits of the
    first, and so has one of another instance, from the bytes of a state, when the first is gone."""
    fmu = exported(tmp_path, make)
    sim = opened(make)
    fmu.begin()
    outputs = [n for n, c in fmu.causality.items() if c == "output"]
    kept, rows = [], []
    for k in range(steps):
        kept.append(fmu.keep())
        fmu.step(k * size, size)
        sim.advance(k * size + size)
        rows.append(fmu.get(*outputs))
        assert rows[-1] == [sim.output(n.strip("'")) for n in outputs]
    assert np.ptp(rows) > 1e-3
    draw = random.Random(3)
    for _ in range(30):
        k = draw.randrange(steps)
        fmu.restore(kept[k])
        for n in range(k, min(k + 5, steps)):
            fmu.step(n * size, size)
            assert fmu.get(*outputs) == rows[n]
    data = [fmu.bytes_of(state) for state in kept]
    fmu.close()
    fmu.instance = fmu.open()
    fmu.begin()
    for k in draw.sample(range(steps), min(steps, 20)):
        fmu.restore(fmu.from_bytes(data[k]))
        assert fmu.bytes_of(fmu.keep()) == data[k]
        fmu.step(k * size, size)
        assert fmu.get(*outputs) == rows[k]
    fmu.close()


def rolling_ball():
    model = sliding_ball()
    ball = next(p for p in model.parts.values() if p.cm)
    model.variable(f"DZ({ball.cm}) - 0.1", "gap")
    model.variable(f"VX({ball.cm}) - 0.1*WY({ball.cm})", "slip")
    return model


@pytest.mark.slow
@pytest.mark.parametrize(("make", "h", "most"), [(rolling_ball, 5e-5, 3), (clearance, 2e-6, 2)])
def test_ten_thousand_returns(tmp_path, make, h, most):
    """At 10,000 moments of a run: go on by up to ``most`` steps, return, go on again: all bytes of the state are those
    of the first way.  The ball slides, rolls and sticks to the plane; two sliders clatter in their bores."""
    fmu = exported(tmp_path, make)
    fmu.begin()
    draw, t, gaps, slips = random.Random(5), 0.0, [], []
    for _ in range(10_000):
        kept, steps, ways = fmu.keep(), draw.randint(1, most), []
        for _ in range(2):
            for k in range(steps):
                fmu.step(t + k * h, h)
            after = fmu.keep()
            ways.append(fmu.bytes_of(after))
            fmu.free(after)
            fmu.restore(kept)
        assert ways[0] == ways[1]
        fmu.free(kept)
        fmu.step(t, h)
        t += h
        if make is rolling_ball:
            gap, slip = fmu.get("gap", "slip")
            gaps.append(gap)
            slips.append(slip)
    if make is rolling_ball:  # it falls, slides, and rolls: in stick, as the bristle swings, slip changes its sign
        touching = np.array(gaps) < 0.0
        assert 8000 < touching.sum() < 9990
        rolling = np.flatnonzero(np.diff(np.sign(slips)) != 0)
        assert len(rolling) > 5 and rolling[-1] - rolling[0] > 2000, (len(rolling), rolling[:3], rolling[-3:])
    fmu.close()


def sedan():
    """The shipped sedan with tyres at 20 m/s, whose steering wheel turns."""
    model = hn.vehicle.Vehicle("sedan").model(20.0, "0.3*STEP5(TIME,0.2,0,0.3,1)")
    body = max(model.parts.values(), key=lambda part: part.mass or 0.0)
    for c in "XYZ":
        model.variable(f"D{c}({body.cm})", f"body_{c.lower()}")
    return model


@pytest.mark.slow
def test_sedan_with_tyres(tmp_path):
    """The body has the bits of the simulation at each step while the car begins to turn, and after a return to an
    earlier state those of the first way."""
    path = hn.export_fmu(sedan(), tmp_path / "sedan.fmu", integrator="DOP853", outputs=["body_x", "body_y", "body_z"])
    fmu, sim = fmu_library.Fmu2(path, tmp_path / "unpacked", False), opened(sedan)
    fmu.begin()
    rows, kept = [], None
    for k in range(60):
        if k == 50:
            kept = fmu.keep()
        fmu.step(k * 0.01, 0.01)
        sim.advance(k * 0.01 + 0.01)
        rows.append(fmu.get("body_x", "body_y", "body_z"))
        assert rows[-1] == [sim.output(f"body_{c}") for c in "xyz"]
    assert abs(rows[-1][0] - rows[0][0]) > 0.9 * 20e3 * 0.59  # it drives
    assert abs(rows[-1][1] - rows[0][1]) > 1.0  # and turns [mm]
    fmu.restore(kept)
    for k in range(50, 60):
        fmu.step(k * 0.01, 0.01)
        assert fmu.get("body_x", "body_y", "body_z") == rows[k]
    fmu.close()


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_model_exchange(tmp_path, version):
    """SciPy integrates the states of a pendulum under a constant torque: the motion of the simulation, on the
    constraints though nothing but the rates holds it there. Directional derivatives are those of the closed form
    (J + m l^2) w' = M + m g l sin(a)."""
    fmu = exported(tmp_path, pendulum, version, exchange=True, kind="cs,me")
    fmu.begin()
    n = sum(name.startswith("der(") for name in fmu.references)
    assert n == 13
    x = fmu.states(n)
    fmu.set(torque=2.0)
    fmu.ok("EnterContinuousTimeMode")
    t = 0.0
    for _ in range(10):
        found = solve_ivp(fmu.rates, (t, t + 0.1), x, method="DOP853", rtol=1e-10, atol=1e-12)
        t, x = t + 0.1, found.y[:, -1]
        fmu.rates(t, x)
        fmu.accept()
    sim = opened(pendulum)
    sim.set_input("torque", 2.0)
    sim.advance(1.0)
    got = fmu.get("angle", "rate", "fx")
    np.testing.assert_allclose(got, [sim.output(name) for name in ("angle", "rate", "fx")], rtol=0, atol=2e-5)
    assert abs(np.linalg.norm(x[:3]) - 0.5) < 1e-7  # the pin holds
    inertia = 0.167 + 2.0 * 0.5**2
    assert fmu.derivative("der(rod.w[2])", "torque") == pytest.approx(1.0 / inertia, rel=1e-10)
    # a spin that does not fit the pin changes to J / (J + m l^2) of it: velocities are projected as by an impact
    assert fmu.derivative("rate", "rod.w[2]") == pytest.approx(0.167 / inertia, rel=1e-10)
    assert fmu.derivative("rod.w[2]", "rod.w[2]", seed=3.0) == pytest.approx(3.0, rel=1e-10)
    # along the motion der(w) changes by m g vx / (J + m l^2), as the weight turns the rod with the arm x
    states = [f"rod.{name}" for name in export.COMPONENTS]
    rates, speed = fmu.get(*(f"der({name})" for name in states)), fmu.get("rod.v[1]")[0]
    wanted = 2.0 * 9.80665 * speed / inertia
    assert abs(speed) > 0.1
    assert fmu.derivative("der(rod.w[2])", states, rates) == pytest.approx(wanted, rel=1e-10)
    if version == "3.0":
        found = fmu.adjoint("der(rod.w[2])", [*states, "torque"])
        assert np.dot(found[:-1], rates) == pytest.approx(wanted, rel=1e-10)
        assert found[-1] == pytest.approx(1.0 / inertia, rel=1e-10)
    before = fmu.states(n)
    assert before == list(x)  # as before
    fmu.close()


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_event_indicators(tmp_path, version):
    """A ball on a one-sided spring, in model exchange with one event indicator, which SciPy locates: energy is kept, as
    between events the branch is held."""
    fmu = exported(tmp_path, stop, version, exchange=True, kind="me")
    fmu.begin()
    n = 13
    x, t, end = np.array(fmu.states(n)), 0.0, 1.0
    height = 2  # r[3]; x[9] is v[3]

    def touch(t, x):
        fmu.rates(t, x)
        return fmu.indicators(1)[0]

    assert touch(0.0, x) == pytest.approx(0.3)
    touch.terminal = True
    contacts = 0
    while t < end:
        fmu.rates(t, x)
        fmu.ok("EnterContinuousTimeMode")
        first = solve_ivp(fmu.rates, (t, min(t + 1e-6, end)), x, method="DOP853", rtol=1e-9, atol=1e-10)
        t, x = first.t[-1], first.y[:, -1]
        fmu.rates(t, x)
        fmu.ok("EnterEventMode")
        fmu.ok("EnterContinuousTimeMode")
        found = solve_ivp(fmu.rates, (t, end), x, method="DOP853", rtol=1e-9, atol=1e-10, events=touch)
        t, x = found.t[-1], found.y[:, -1]
        contacts += found.status == 1
    assert contacts >= 2
    energy = 9.80665 * x[height] + 0.5 * x[9] ** 2 + (0.5e5 * x[height] ** 2 if x[height] < 0 else 0.0)
    assert energy == pytest.approx(9.80665 * 0.3, rel=1e-5)
    fmu.close()


def test_places_of_the_runtime_are_those_of_the_loop():
    """The runtime in C reads and writes the control array of the loop of steps by position."""
    from holonom.integrators import explicit_loop

    text = (Path(runtime.__file__).parent / "runtime.c").read_text(encoding="utf-8")
    names = re.search(r"enum \{ ([^}]*WANTED[^}]*) \}", text)[1]
    place = -1
    for entry in names.split(","):
        name, _, value = entry.partition("=")
        place = int(value) if value else place + 1
        assert getattr(explicit_loop, name.strip().rstrip("_")) == place, name
    assert len(re.findall(r"control\[(\w+)\]", text)) > 5
    assert set(re.findall(r"control\[(\w+)\]", text)) <= {n.partition("=")[0].strip() for n in names.split(",")}


def chain():
    """The shipped chain drive: 60 links on sprockets of 18 and 36 teeth, each roller against every seat and flank, a
    torque that the importer sets in addition."""
    model = hn.read_adams(MODELS / "chain_drive.adm")
    driver, driven = (next(p for p in model.parts.values() if p.name == name) for name in ("driver", "driven"))
    link = next(p for p in model.parts.values() if p.name == "link 5")
    torque = model.input("torque")
    model.vtorque(driver.cm, model.ground, tz=f"VARVAL({torque.id})")
    for name, text in (
        ("link_x", f"DX({link.cm})"),
        ("link_y", f"DY({link.cm})"),
        ("driver_speed", f"WZ({driver.cm})"),
        ("driven_speed", f"WZ({driven.cm})"),
        ("force", f"CONTACT({next(iter(model.table('CONTACT')))},0,1,0)"),
    ):
        model.variable(text, name)
    return model


@pytest.mark.slow
def test_chain_drive_with_contacts(tmp_path):
    """All outputs, the force of the teeth among them, have the bits of the simulation under a torque that comes and
    goes; so have those of another instance from the bytes of a state, which hold no more than the points in use."""
    fmu, sim = exported(tmp_path, chain), opened(chain)
    fmu.begin()
    outputs = [n for n, c in fmu.causality.items() if c == "output"]
    kept, rows = [], []
    for k in range(30):
        if k % 10 == 5:
            fmu.set(torque=float(k))
            sim.set_input("torque", float(k))
        kept.append(fmu.keep())
        fmu.step(k * 1e-3, 1e-3)
        sim.advance(k * 1e-3 + 1e-3)
        rows.append(fmu.get(*outputs))
        assert rows[-1] == [sim.output(n) for n in outputs]
    assert np.ptp(rows, axis=0)[:2].min() > 0.03 and max(row[-1] for row in rows) > 100.0  # it runs, and teeth press
    data = [fmu.bytes_of(state) for state in kept]
    assert len(data[0]) < 3e6
    for again in (False, True):
        if again:
            fmu.close()
            fmu.instance = fmu.open()
            fmu.begin()
        for k in (3, 22, 16):
            fmu.restore(fmu.from_bytes(data[k]))
            fmu.step(k * 1e-3, 1e-3)
            assert fmu.get(*outputs) == rows[k]
            assert fmu.bytes_of(fmu.keep()) == data[k + 1]
    fmu.close()

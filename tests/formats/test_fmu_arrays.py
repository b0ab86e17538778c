"""Arrays and the log of exported FMUs: one variable in FMI 3.0, scalars in 2.0, with the bits of the simulation."""

import ctypes
import shutil
from ctypes import c_char_p, c_double, c_int, c_size_t

import fmu_library
import numpy as np
import pytest

import holonom as hn
from holonom.model.fmu import read_fmu

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)
TIP = ["DX(tip)", "DY(tip)", "DZ(tip)"]
ARRAYS = {"force": 3, "bush.k": 3, "tip": 3, "one": 1}
RK4 = {"integrator": "RK4", "step": 1e-3}


def hung():
    """A body on a bushing, pushed by three inputs."""
    model = hn.Model("hung", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=2.0, inertia=(1, 2, 3), position=(0.1, 0.2, 0.3))
    model.marker(block, (0.1, 0.2, 0.8), name="tip")
    pivot = model.marker(model.ground, (0.1, 0.2, 0.3))
    model.bushing(
        block.cm,
        pivot,
        stiffness=(50.0, 60.0, 70.0),
        damping=(1.0, 1.0, 1.0),
        rotational_stiffness=(10.0, 20.0, 30.0),
        name="bush",
    )
    given = [f"VARVAL({model.input(n, start).id})" for n, start in (("fx", 0.0), ("fy", 1.5), ("fz", -2.0))]
    model.vforce(block.cm, model.ground, *given)
    model.variable("2*TIME", "clock")
    return model


def export(path, version, **more):
    return hn.export_fmu(
        hung(), path, {"force": ["fx", "fy", "fz"]}, {"tip": TIP, "clock": "", "one": ["WX(tip)"]},
        parameters=["bush.k"], units={"force": "force", "bush.k": "stiffness"}, fmi=version, **RK4, **more,
    )  # fmt: skip


class Arrays:
    """An FMU whose arrays are given and taken as a whole, whatever its version."""

    def __init__(self, path, folder, version, **more):
        self.version = version
        self.fmu = (fmu_library.Fmu2 if version == "2.0" else fmu_library.Fmu3)(path, folder, **more)

    def get(self, name):
        if self.version == "2.0":
            return self.fmu.get(*(f"{name}[{k + 1}]" for k in range(ARRAYS[name])))
        values = (c_double * ARRAYS[name])()
        self.fmu.ok("GetFloat64", self.fmu._references([name]), c_size_t(1), values, c_size_t(len(values)))
        return list(values)

    def set(self, name, numbers):
        if self.version == "2.0":
            self.fmu.set(**{f"{name}[{k + 1}]": v for k, v in enumerate(numbers)})
            return
        values = (c_double * len(numbers))(*numbers)
        self.fmu.ok("SetFloat64", self.fmu._references([name]), c_size_t(1), values, c_size_t(len(values)))

    def jacobian(self, unknown, known):
        """All elements by all elements."""
        if self.version == "2.0":
            element = lambda name: [f"{name}[{k + 1}]" for k in range(ARRAYS[name])]
            return [[self.fmu.derivative(u, k) for k in element(known)] for u in element(unknown)]
        n, m = ARRAYS[unknown], ARRAYS[known]
        references = self.fmu._references([unknown]), c_size_t(1), self.fmu._references([known]), c_size_t(1)
        columns, rows = [], []
        for seed in np.eye(m):
            out = (c_double * n)()
            self.fmu.ok("GetDirectionalDerivative", *references, (c_double * m)(*seed), c_size_t(m), out, c_size_t(n))
            columns.append(list(out))
        for seed in np.eye(n):
            out = (c_double * m)()
            self.fmu.ok("GetAdjointDerivative", *references, (c_double * n)(*seed), c_size_t(n), out, c_size_t(m))
            rows.append(list(out))
        assert np.array(rows) == pytest.approx(np.array(columns).T, rel=1e-9, abs=1e-12)
        return rows


def test_the_description(tmp_path):
    """Arrays of 3.0 with their size, units and start values; the same numbers one by one in 2.0."""
    new, old = (read_fmu(export(tmp_path / f"v{v[0]}.fmu", v)) for v in ("3.0", "2.0"))
    assert list(new.variables) == ["time", "force", "tip", "clock", "one", "bush.k"]
    shape = {n: (v.size, v.start, v.unit) for n, v in new.variables.items()}
    assert shape["force"] == (3, "0.0 1.5 -2.0", "N") and shape["bush.k"] == (3, "50.0 60.0 70.0", "N/m")
    assert shape["tip"] == (3, None, "m") and shape["one"] == (1, None, "rad/s") and shape["clock"][0] == 1
    named = [f"{n}[{k + 1}]" for n in ("force", "tip") for k in range(3)]
    assert list(old.variables) == ["time", *named, "clock", "one[1]", *(f"bush.k[{k}]" for k in (1, 2, 3))]
    assert old.variables["force[2]"].start == "1.5" and old.variables["bush.k[3]"].unit == "N/m"
    assert new.categories == old.categories == ("logEvents", "logStatusDiscard", "logStatusError")


def test_what_is_no_array_is_a_scalar(tmp_path):
    """A parameter, one that has another name, and the component of a vector; two parameters as an array."""
    more = {"fmi": "3.0", "outputs": {"clock": ""}, **RK4}
    model = hung()
    block = model.find("PART", "block")
    for name, length in (("left", 1.0), ("right", 2.0)):
        far = model.marker(model.ground, (0.1 - length, 0.2, 0.3))
        model.spring_damper(block.cm, far, stiffness=5.0 * length, damping=0.1, length=length, name=name)
    given = {"left.k": "left.k", "tight": "right.k", "pull": ["left.c", "right.c"], "bush.kt[2]": "bush.kt[2]"}
    for parameters in (given, ["left.k", "bush.kt[2]"]):
        table = read_fmu(hn.export_fmu(model, tmp_path / "a.fmu", parameters=parameters, **more)).variables
        assert (table["left.k"].start, table["left.k"].dimensions) == ("5.0", ())
        assert (table["bush.kt[2]"].start, table["bush.kt[2]"].dimensions) == ("20.0", ())
        if parameters is given:
            assert (table["tight"].start, table["tight"].dimensions) == ("10.0", ())
            assert (table["pull"].start, table["pull"].dimensions) == ("0.1 0.1", ((2, None),))


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_equal_to_the_simulation(tmp_path, version):
    """Inputs, parameters and outputs at once have the bits of the simulation; it goes back to an earlier state."""
    fmu = Arrays(export(tmp_path / "a.fmu", version), tmp_path / "a", version)
    sim = hn.Simulation(hung())
    sim.open(record="none", coordinates="maximal", integrator="RK4", hmax=1e-3, fixed=True)
    fmu.fmu.begin()
    assert fmu.get("force") == [0.0, 1.5, -2.0] and fmu.get("bush.k") == [50.0, 60.0, 70.0]
    rows, kept, draw = [], None, np.random.default_rng(3)
    for k in range(20):
        force, stiffness = draw.uniform(-5, 5, 3).tolist(), draw.uniform(20, 90, 3).tolist()
        if k == 10:
            kept = fmu.fmu.keep()
        fmu.set("force", force)
        for name, value in zip(("fx", "fy", "fz"), force):
            sim.set_input(name, value)
        if k % 4 == 1:
            fmu.set("bush.k", stiffness)
            sim.set_parameter("bush", "k", tuple(stiffness))
        fmu.fmu.step(k * 0.01, 0.01)
        sim.advance(k * 0.01 + 0.01)
        rows.append((force, stiffness, fmu.get("tip")))
        assert rows[-1][2] == [sim.output(text) for text in TIP] and fmu.get("one") == [sim.output("WX(tip)")]
    fmu.fmu.restore(kept)
    for k in range(10, 20):
        force, stiffness, tip = rows[k]
        fmu.set("force", force)
        if k % 4 == 1:
            fmu.set("bush.k", stiffness)
        fmu.fmu.step(k * 0.01, 0.01)
        assert fmu.get("tip") == tip
    fmu.fmu.close()


def test_wrong_numbers_of_values(tmp_path):
    fmu = Arrays(export(tmp_path / "a.fmu", "3.0"), tmp_path / "a", "3.0").fmu
    fmu.begin()
    for name, count in (("tip", 1), ("tip", 4), ("clock", 3)):
        given = fmu._references([name]), c_size_t(1), (c_double * 4)(), c_size_t(count)
        assert fmu.call("GetFloat64", fmu.instance, *given) == 3
        assert fmu.messages[-1] == "the number of values is not that of the variables"
    later = (ctypes.c_uint32 * 1)(fmu.references["tip"] + 1)  # an element has no reference of its own
    assert fmu.call("GetFloat64", fmu.instance, later, c_size_t(1), (c_double * 1)(), c_size_t(1)) == 3
    assert fmu.messages[-1] == "there is no variable with this reference"
    both, values = fmu._references(["clock", "tip"]), (c_double * 4)()
    fmu.ok("GetFloat64", both, c_size_t(2), values, c_size_t(4))
    assert list(values) == pytest.approx([0.0, 0.2, 0.4, 1.1], abs=1e-15)
    fmu.close()


def test_derivatives(tmp_path):
    """Of arrays by arrays, directional and adjoint, against scalars of 2.0 and closed forms."""
    found = {}
    for version in ("2.0", "3.0"):
        path = export(tmp_path / f"v{version[0]}.fmu", version, kind="cs,me")
        fmu = Arrays(path, tmp_path / version, version, exchange=True)
        fmu.fmu.begin()
        fmu.fmu.ok("EnterContinuousTimeMode")
        fmu.set("force", [1.0, 2.0, 3.0])
        known = [fmu.fmu.derivative(f"der(block.v[{k + 1}])", "block.r[1]") for k in range(3)]
        found[version] = fmu.jacobian("tip", "force"), known
        fmu.fmu.close()
    assert np.array(found["2.0"][0]) == pytest.approx(0.0, abs=1e-12)  # positions do not depend on forces
    assert found["3.0"][0] == found["2.0"][0] and found["3.0"][1] == pytest.approx(found["2.0"][1], rel=1e-12)
    assert found["3.0"][1] == pytest.approx([-25.0, 0.0, 0.0], abs=1e-9)  # -k/m


def test_back_in_a_model(tmp_path):
    """Lists as inputs, outputs by the name of the array."""
    path = export(tmp_path / "a.fmu", "3.0")
    model = hn.Model("importer", units="SI")
    fmu = model.fmu(path, {"force": ["3", "1", "-1"]}, ["tip"], parameters={"bush.k": [40, 50, 60]}, step=0.01)
    assert fmu.outputs == ("tip[1]", "tip[2]", "tip[3]")
    run = hn.simulate(model, end=0.2, steps=4)
    other = hung()
    other.find("BUSHING", "bush").k = (40.0, 50.0, 60.0)
    for name, text in (("fx", "3"), ("fy", "1"), ("fz", "-1")):
        v = other.find("VARIABLE", name)
        v.input, v.function = False, text
    ought = hn.Simulation(other)
    ought.open(record="none", error=1e-11)
    for k in range(1, 5):
        ought.advance(0.05 * k)
        for n, text in enumerate(TIP, 1):
            assert run.variable(f"{fmu.name}.tip[{n}]")[k] == pytest.approx(ought.output(text), abs=1e-9)


def test_in_fmpy(tmp_path):
    """A foreign importer finds no fault in the description, and reads and writes whole arrays."""
    fmpy = pytest.importorskip("fmpy")
    from fmpy.fmi3 import FMU3Slave
    from fmpy.validation import validate_fmu

    path = export(tmp_path / "a.fmu", "3.0", kind="cs,me")
    assert validate_fmu(str(path)) == []
    description = fmpy.read_model_description(str(path), validate=True)
    number = {v.name: v.valueReference for v in description.modelVariables}
    assert {v.name: v.shape for v in description.modelVariables if v.dimensions}["tip"] == (3,)
    folder = fmpy.extract(str(path), str(tmp_path / "unpacked"))
    slave = FMU3Slave(
        guid=description.guid, unzipDirectory=folder, instanceName="it",
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    slave.instantiate()
    slave.enterInitializationMode()
    slave.setFloat64([number["force"]], [1.0, 2.0, 3.0])
    slave.exitInitializationMode()
    slave.doStep(0.0, 0.1)
    found = slave.getFloat64([number["tip"]], nValues=3)
    sim = hn.Simulation(hung())
    sim.open(record="none", coordinates="maximal", integrator="RK4", hmax=1e-3, fixed=True)
    for name, value in zip(("fx", "fy", "fz"), (1.0, 2.0, 3.0)):
        sim.set_input(name, value)
    sim.advance(0.1)
    assert list(found) == [sim.output(text) for text in TIP]
    slave.terminate()
    slave.freeInstance()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"outputs": {"tip": []}}, "the output 'tip' is an empty list; give its members, or leave it out"),
        ({"outputs": {"tip": ["DX(tip)", ""]}}, "output 'tip[2]' is ''; give an expression"),
        ({"outputs": {"tip": ["DX(tip)", 3]}}, "output 'tip[2]' is 3; give an expression"),
        ({"outputs": {3: ["DX(tip)"]}}, "outputs: a name is 3; give a text"),
        ({"inputs": {"f": ["fx", "fx"]}}, "inputs: a VARIABLE is part of two of them; give each once"),
        ({"inputs": {"f": ["fx", "fq"]}}, "fq"),
        ({"inputs": {"clock": ["fx", "fy"]}, "outputs": ["clock"]}, "two variables of the FMU would be called 'clock'"),
        ({"parameters": {"a": ["bush.k", "bush.k"]}}, "parameter 'bush.k' is a vector; give it by itself, not in an"),
        ({"parameters": ["bush.k[4]"]}, "parameter 'bush.k[4]': k is (50.0, 60.0, 70.0); there is no such component"),
        ({"parameters": ["bush.colour"]}, "'bush' has no parameter 'colour'; choose from"),
        ({"parameters": ["bush"]}, "a parameter is 'bush'; give element and field, as 'spring.k'"),
        ({"parameters": [3]}, "a parameter is 3; give a text like 'spring.k'"),
        ({"units": {"forces": "force"}}, "units: there is no variable 'forces'"),
    ],
)
def test_arrays_that_are_refused(tmp_path, words, said):
    with pytest.raises(hn.ModelError) as error:
        hn.export_fmu(hung(), tmp_path / "no.fmu", fmi="3.0", **words)
    assert said in str(error.value)
    assert not any(tmp_path.iterdir())


# ---- log ------------------------------------------------------------------------------------------------------------
LOG_2 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, c_char_p, c_int, c_char_p, c_char_p, c_char_p)
LOG_3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, c_int, c_char_p, c_char_p)


def stopped():
    """A body in free flight that a sensor stops."""
    model = hn.Model("stopped", units="SI")
    model.gravity = (0, 0, -10)
    model.part("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.sensor("TIME", 0.15, comparison="GE", halt=True)
    model.variable("TIME", "clock")
    return model


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_log(tmp_path, version):
    """Errors are reported always, other categories while they are on; an unknown one is an error."""
    made = (fmu_library.Fmu2 if version == "2.0" else fmu_library.Fmu3)(
        hn.export_fmu(stopped(), tmp_path / "a.fmu", fmi=version), tmp_path / "a"
    )
    flag = c_int if version == "2.0" else ctypes.c_bool
    choose = lambda on, *names: made.call(
        "SetDebugLogging", made.instance, flag(on), c_size_t(len(names)),
        (c_char_p * len(names))(*names) if names else None,
    )  # fmt: skip
    made.begin()
    start = made.keep()
    runs = {}
    for name, chosen in (("off", ()), ("events", (b"logEvents",)), ("discards", (b"logStatusDiscard",)), ("all", None)):
        made.restore(start)
        made.messages.clear()
        assert choose(False) == 0
        if chosen is None or chosen:
            assert choose(True, *(chosen or ())) == 0
        made.call_step(0.0, 0.1)
        made.call_step(0.1, 0.1)
        runs[name] = list(made.messages)
    ends = ["time 0.15 s: a sensor ends the simulation"]
    ended = ["a sensor has ended the simulation"] if version == "2.0" else []
    assert runs == {"off": [], "events": ends, "discards": ended, "all": ends + ended}
    assert choose(True, b"logEvent") == 3 and made.messages[-1] == "there is no log category of this name"
    assert made.call_step(0.2, 0.1) == 3 and made.messages[-1] == "doStep: a sensor has ended the simulation"
    made.close()

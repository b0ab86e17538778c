"""Arrays whose sizes are structural parameters (FMI 3.0), types that hold few numbers, and the log of FMUs: C programs
of our own against closed forms."""

from __future__ import annotations

import json
import subprocess
import zipfile
from functools import cache

import numpy as np
import pytest
from tests.analyses._fmu_files import COMPILER, NEEDS

import holonom as hn
from holonom.model.fmu import read_fmu
from holonom.model.fmu.description import PLATFORMS, SUFFIX

pytestmark = pytest.mark.skipif(not COMPILER, reason=NEEDS)

#: x_i' = a_i x_i + u_i, y = x, n of them; 3.0: in arrays.  2.0: one of them, whose log has formats of C.
SOURCE = r"""
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { void *env, *log; uint64_t n; double a[9], u[9], x[9]; int8_t small; int state, on; long steps; } I;
enum { NEW, CONFIGURING, READY };
#define EXPORT __attribute__((visibility("default")))
static void advance(I *s, double h) {
  for (uint64_t i = 0; i < s->n; i++) s->x[i] = exp(s->a[i] * h) * s->x[i] + expm1(s->a[i] * h) / s->a[i] * s->u[i];
  s->steps++;
}
static I *make(void *env, void *log, int on) {
  I *s = calloc(1, sizeof *s);
  s->env = env; s->log = log; s->on = on; s->n = 2;
  for (int i = 0; i < 9; i++) { s->a[i] = -1 - i; s->u[i] = i; s->x[i] = 1; }
  return s;
}
static int choose(I *s, int on, size_t n, const char *const c[]) {
  if (n == 0) { s->on = on; return c ? 3 : 0; }
  for (size_t k = 0; k < n; k++) {
    if (!strcmp(c[k], "logSteps")) s->on = on;
    else if (strcmp(c[k], "logEvents")) return 3;
  }
  return 0;
}
#if FMI == 2
typedef void (*Log)(void *, const char *, int, const char *, const char *, ...);
typedef struct { Log log; void *a, *b, *c, *env; } Callbacks;
EXPORT void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const Callbacks *c, int v, int l) {
  return make(c->env, (void *)c->log, l);
}
EXPORT int fmi2SetDebugLogging(I *s, int on, size_t n, const char *const c[]) { return choose(s, on, n, c); }
EXPORT int fmi2SetupExperiment(I *s, int a, double b, double c, int d, double e) { return 0; }
EXPORT int fmi2EnterInitializationMode(I *s) { return 0; }
EXPORT int fmi2ExitInitializationMode(I *s) {
  ((Log)s->log)(s->env, "it", 1, "logStatusWarning", "the %s is %d%% full at %5.2f bar", "tank", 95, 2.5);
  return 0;
}
EXPORT int fmi2GetReal(I *s, const unsigned *r, size_t n, double *v) { *v = s->x[0]; return 0; }
EXPORT int fmi2SetReal(I *s, const unsigned *r, size_t n, const double *v) { s->u[0] = *v; return 0; }
EXPORT int fmi2DoStep(I *s, double t, double h, int n) {
  advance(s, h);
  if (s->on) ((Log)s->log)(s->env, "it", 0, "logSteps",
    "%ld: %.1f to %.*f s, %+d %lld %x %c %s %u %-4d| %08.3f %e %g %g %g", s->steps, t, 2, t + h, -7, -5000000000LL, 255,
    'z', "end", 4000000000u, 12, -1.5, 12.5, 0.1, 1e300, -0.25);
  if (t > 0.35) { ((Log)s->log)(s->env, "it", 3, "logStatusError", "pump %d is dry: %s", 3, "no oil"); return 3; }
  return 0;
}
EXPORT int fmi2Terminate(I *s) { return 0; }
EXPORT void fmi2FreeInstance(I *s) { free(s); }
#else
typedef void (*Log)(void *, int, const char *, const char *);
EXPORT void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool y,
    const unsigned *q, size_t m, void *env, Log log, void *update) { return make(env, (void *)log, l); }
EXPORT void *fmi3InstantiateModelExchange(const char *n, const char *g, const char *r, bool v, bool l, void *env,
    Log log) { return make(env, (void *)log, l); }
EXPORT int fmi3SetDebugLogging(I *s, bool on, size_t n, const char *const c[]) { return choose(s, on, n, c); }
EXPORT int fmi3EnterConfigurationMode(I *s) { if (s->state != NEW) return 3; s->state = CONFIGURING; return 0; }
EXPORT int fmi3ExitConfigurationMode(I *s) { if (s->state != CONFIGURING) return 3; s->state = NEW; return 0; }
EXPORT int fmi3EnterInitializationMode(I *s, bool a, double b, double c, bool d, double e) {
  s->state = READY;
  return 0;
}
EXPORT int fmi3ExitInitializationMode(I *s) { return 0; }
EXPORT int fmi3SetUInt64(I *s, const unsigned *r, size_t n, const uint64_t *v, size_t m) {
  if (s->state != CONFIGURING) return 3;
  s->n = *v;
  return 0;
}
static double *place(I *s, unsigned r) { return r == 2 ? s->a : r == 3 ? s->u : s->x; }
EXPORT int fmi3SetFloat64(I *s, const unsigned *r, size_t n, const double *v, size_t m) {
  if (m != n * s->n) return 3;
  for (size_t k = 0; k < n; k++) memcpy(place(s, r[k]), v + k * s->n, s->n * sizeof *v);
  return 0;
}
EXPORT int fmi3GetFloat64(I *s, const unsigned *r, size_t n, double *v, size_t m) {
  if (m != n * s->n) return 3;
  for (size_t k = 0; k < n; k++) memcpy(v + k * s->n, place(s, r[k]), s->n * sizeof *v);
  return 0;
}
EXPORT int fmi3SetInt8(I *s, const unsigned *r, size_t n, const int8_t *v, size_t m) { s->small = *v; return 0; }
EXPORT int fmi3GetInt8(I *s, const unsigned *r, size_t n, int8_t *v, size_t m) { *v = s->small; return 0; }
EXPORT int fmi3DoStep(I *s, double t, double h, bool n, bool *e, bool *end, bool *early, double *last) {
  *e = *end = *early = false;
  *last = t + h;
  advance(s, h);
  if (s->on) ((Log)s->log)(s->env, 0, "logSteps", "a step of 100%");
  return 0;
}
EXPORT int fmi3EnterEventMode(I *s) { return 0; }
EXPORT int fmi3EnterContinuousTimeMode(I *s) { return 0; }
EXPORT int fmi3UpdateDiscreteStates(I *s, bool *a, bool *b, bool *c, bool *d, bool *e, double *t) {
  *a = *b = *c = *d = *e = false;
  return 0;
}
EXPORT int fmi3GetNumberOfContinuousStates(I *s, size_t *n) { *n = s->n; return 0; }
EXPORT int fmi3GetNumberOfEventIndicators(I *s, size_t *n) { *n = 0; return 0; }
EXPORT int fmi3GetContinuousStates(I *s, double *x, size_t n) { memcpy(x, s->x, n * sizeof *x); return n != s->n; }
EXPORT int fmi3SetContinuousStates(I *s, const double *x, size_t n) {
  memcpy(s->x, x, n * sizeof *x);
  return n != s->n;
}
EXPORT int fmi3GetNominalsOfContinuousStates(I *s, double *x, size_t n) { while (n--) x[n] = 1; return 0; }
EXPORT int fmi3SetTime(I *s, double t) { return 0; }
EXPORT int fmi3CompletedIntegratorStep(I *s, bool n, bool *e, bool *t) { *e = *t = false; return 0; }
EXPORT int fmi3GetContinuousStateDerivatives(I *s, double *d, size_t n) {
  for (size_t i = 0; i < n; i++) d[i] = s->a[i] * s->x[i] + s->u[i];
  return 0;
}
EXPORT int fmi3Terminate(I *s) { return 0; }
EXPORT void fmi3FreeInstance(I *s) { free(s); }
#endif
"""
LOG = '<LogCategories><Category name="logEvents"/><Category name="logSteps"/></LogCategories>'
ARRAY = '<Dimension valueReference="1"/></Float64>'
TEXTS = {
    "2.0": '<fmiModelDescription fmiVersion="2.0" modelName="it" guid="token"><CoSimulation modelIdentifier="it" '
    f'canHandleVariableCommunicationStepSize="true"/>{LOG}<ModelVariables><ScalarVariable name="x" valueReference="1" '
    'causality="output"><Real/></ScalarVariable></ModelVariables><ModelStructure/></fmiModelDescription>',
    "3.0": '<fmiModelDescription fmiVersion="3.0" modelName="it" instantiationToken="token"><ModelExchange '
    'modelIdentifier="it"/><CoSimulation modelIdentifier="it" canHandleVariableCommunicationStepSize="true"/>'
    f'{LOG}<ModelVariables><UInt64 name="n" valueReference="1" causality="structuralParameter" start="2" min="1" '
    f'max="9"/><Float64 name="a" valueReference="2" causality="parameter" start="-1 -2">{ARRAY}<Float64 name="u" '
    f'valueReference="3" causality="input" start="0 1">{ARRAY}<Float64 name="y" valueReference="5" causality="output">'
    f'{ARRAY}<Float64 name="x" valueReference="4" initial="exact" start="1">{ARRAY}<Float64 name="der(x)" '
    f'valueReference="6" derivative="4">{ARRAY}<Int8 name="few" valueReference="7" causality="input" start="0"/>'
    '<Int8 name="seen" valueReference="8" causality="output"/></ModelVariables><ModelStructure><Output '
    'valueReference="5" dependencies=""/><Output valueReference="8"/><ContinuousStateDerivative valueReference="6"/>'
    "</ModelStructure></fmiModelDescription>",
}  # fmt: skip


@cache
def library(version):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "it.c"), Path(folder, "it.so")
        source.write_text(SOURCE)
        command = [COMPILER, "-O1", "-shared", "-fPIC", "-fvisibility=hidden", f"-DFMI={version[0]}", str(source)]
        subprocess.run([*command, "-o", str(target), "-lm"], check=True, capture_output=True)
        return target.read_bytes()


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    found = {}
    for version, text in TEXTS.items():
        path = found[version] = tmp_path_factory.mktemp("it") / "it.fmu"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("modelDescription.xml", text)
            file.writestr(f"binaries/{PLATFORMS[version][0]}/it{SUFFIX}", library(version))
    return found


def closed(rates, inputs, t):
    """x' = a x + u from 1."""
    a, u = np.array(rates)[:, None], np.array(inputs, float)[:, None]
    return np.exp(a * t) + u * np.expm1(a * t) / a


# ---- structural parameters ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["cs", "me"])
@pytest.mark.parametrize(("n", "rates"), [(None, None), (1, [-3.0]), (4, [-1.0, 0.5, -2.0, -4.0])])
def test_sizes_of_arrays(fmus, kind, n, rates):
    """Without a value the start values of the file, and inputs that are not connected keep those of the FMU."""
    parameters = {} if n is None else {"it.n": n, "it.a": rates}
    run = hn.cosimulate(
        {"it": fmus["3.0"]}, {}, 0.6, steps=3, kinds={"it": kind}, parameters=parameters, record=["it.x"], step=0.2
    )
    rates = rates or [-1.0, -2.0]
    ought = closed(rates, range(len(rates)), run.time)
    names = [f"it.y[{k + 1}]" for k in range(len(rates))] if n != 1 else ["it.y"]
    assert [s for s in run.signals if s.startswith("it.y")] == names
    assert np.array([run[s] for s in names]) == pytest.approx(ought, rel=1e-7 if kind == "me" else 1e-14)
    assert np.array_equal(run["it.x" if n == 1 else "it.x[1]"], run[names[0]])


@pytest.mark.parametrize("solver", ["own", "model"])
def test_sizes_in_a_model(fmus, solver):
    """With its states in the integrator, and after a model has been written and read."""
    model = hn.Model("m", units="SI")
    model.gravity = (0.0, 0.0, 0.0)
    words = {"kind": "me", "parameters": {"n": 3, "a": [-1.0, -2.0, -3.0]}}
    words |= {"solver": "model"} if solver == "model" else {"step": 0.1}
    model.fmu(fmus["3.0"], {"u": ["1", "2", "3"]}, {"y": ["p", "q", "r"]}, **words)
    again = hn.Model.from_json(model.to_json())
    for one in (model, again):
        run = hn.simulate(one, end=0.5, steps=5, error=1e-9)
        found = np.array([run.variable(name) for name in "pqr"])
        assert found == pytest.approx(closed([-1, -2, -3], [1, 2, 3], run.time), rel=1e-7)


def test_whole_arrays_are_connected(fmus):
    """Two in a row, each step held: element by element and as a whole the same."""
    two, rates = {"a": fmus["3.0"], "b": fmus["3.0"]}, {"a.n": 3, "b.n": 3}
    one = hn.cosimulate(two, {"b.u": "a.y"}, 0.4, steps=2, step=0.1, parameters=rates)
    single = {f"b.u[{k}]": f"a.y[{k}]" for k in (1, 2, 3)}
    other = hn.cosimulate(two, single, 0.4, steps=2, step=0.1, parameters=rates)
    for name in other.signals:
        assert np.array_equal(one[name], other[name])
    assert one["b.y[3]"][-1] != one["a.y[3]"][-1]


def test_wrong_sizes(fmus):
    path = fmus["3.0"]
    for parameters, connections, said in (
        ({"it.n": 12}, {}, "the structural parameter 'n' is 12; it must be between 1 and 9"),
        ({"it.n": 1.5}, {}, "the structural parameter 'n' is 1.5; give a whole number"),
        ({"it.n": True}, {}, "the structural parameter 'n' is True; give a whole number"),
        ({"it.n": "two"}, {}, "the structural parameter 'n' is 'two'; give a whole number"),
        ({"it.n": 3, "it.a": [1.0, 2.0]}, {}, "the parameter 'a' has 3 values, and 2 are given"),
        ({"it.m": 3}, {}, "there is no parameter 'm'"),
        ({"it.n": 3}, {"other.u": "it.y"}, "'it.y' has 3 values; connect them one by one, as it.y[1]"),
        ({}, {"other.u[3]": "it.y[1]"}, "u has 2 values; there is no u[3]"),
    ):
        with pytest.raises(hn.ModelError) as error:
            hn.cosimulate({"it": path, "other": path}, connections, 1.0, parameters=parameters)
        assert said in str(error.value)


def test_clocks_are_refused(fmus, tmp_path):
    """In co-simulation any, in model exchange those that the importer has to activate."""
    for causality, kinds in (("input", ("cs", "me")), ("output", ("cs",)), ("local", ())):
        clock = f'<Clock name="tick" valueReference="99" causality="{causality}" intervalVariability="triggered"/>'
        path = tmp_path / "clocks.fmu"
        with zipfile.ZipFile(fmus["3.0"]) as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                data = old.read(name)
                new.writestr(name, data.replace(b"</ModelVariables>", clock.encode() + b"</ModelVariables>"))
        for kind in ("cs", "me"):
            if kind not in kinds:
                assert read_fmu(path, kind).exchange == (kind == "me")
                continue
            with pytest.raises(hn.ModelError, match="has the clock tick, which the importer has to activate"):
                read_fmu(path, kind)


def test_arguments_of_other_types(fmus):
    path, fmu = fmus["3.0"], hn.Model("m").fmu
    for call, said in (
        (lambda: fmu(None), "path is None; give the path of an FMU"),
        (lambda: fmu(path, ["u"]), "inputs are ['u']; give a dictionary from names to values"),
        (lambda: fmu(path, "u"), "inputs are 'u'; give a dictionary"),
        (lambda: fmu(path, {}, 3), "outputs are 3; give a list of names"),
        (lambda: fmu(path, parameters=["n"]), "parameters are ['n']; give a dictionary"),
        (lambda: hn.cosimulate({"it": path}, {"it.u": 3}, 1.0), "connections: 'it.u' is connected with 3; give texts"),
    ):
        with pytest.raises(hn.ModelError) as error:
            call()
        assert said in str(error.value)


# ---- types that hold few numbers ------------------------------------------------------------------------------------
def test_numbers_that_do_not_fit_are_not_cut_off(fmus):
    """An Int8 would turn 150 into -106."""
    model = hn.Model("m", units="SI")
    model.variable("127.4 * TIME", "v")
    model.variable("200 * TIME", "w")
    model.variable("SQRT(0.4 - TIME)", "root")
    run = lambda name: hn.cosimulate({"m": model, "it": fmus["3.0"]}, {"it.few": f"m.{name}"}, 1.0, steps=4, step=0.25)
    assert run("v")["it.seen"] == pytest.approx([0, 0, 32, 64, 96])  # held at their last values
    with pytest.raises(hn.IntegrationError, match="'few' is of type Int8, -128 to 127, and 150 is given; limit it"):
        run("w")
    with pytest.raises((hn.ModelError, hn.IntegrationError), match="finite"):
        run("root")


# ---- log ------------------------------------------------------------------------------------------------------------
STEP_1 = "1: 0.0 to 0.20 s, -7 -5000000000 ff z end 4000000000 12  | -001.500 1.250000e+01 0.1 1e+300 -0.25"


def test_formats_of_messages(fmus):
    """Arguments of C in registers and on the stack, as `printf` writes them; errors and warnings come unasked."""
    for log in ({"it": True}, {"it": ["logSteps"]}, {"it": "all"}):
        with pytest.warns(hn.ModelWarning, match=r"\(warning\) logStatusWarning: the tank is 95% full at  2\.50 bar"):
            run = hn.cosimulate({"it": fmus["2.0"]}, {}, 0.4, steps=2, step=0.2, log=log)
        assert f"FMU 'it' reports logSteps: {STEP_1}" in run.messages
    for log in ({}, {"it": ["logEvents"]}):
        with pytest.warns(hn.ModelWarning, match="95% full"):
            run = hn.cosimulate({"it": fmus["2.0"]}, {}, 0.4, steps=2, step=0.2, log=log)
        assert not any("logSteps" in text for text in run.messages)
    with pytest.raises(
        hn.IntegrationError, match="returned 'error' during a step from 0.4 to 0.6 s: pump 3 is dry: no"
    ):
        hn.cosimulate({"it": fmus["2.0"]}, {}, 1.0, steps=5, step=0.2)


def test_messages_of_a_model(fmus):
    """Of 3.0 the text is as it is; equal ones are counted."""
    model = hn.Model("m", units="SI")
    model.fmu(fmus["3.0"], {"u": [0, 0], "few": 0}, ["y"], step=0.1, log=["logSteps"], name="tank")
    assert json.loads(model.to_json()) and hn.Model.from_json(model.to_json()).find("FMU", "tank").log == ("logSteps",)
    run = hn.simulate(model, end=0.5, steps=5)
    assert any(text == "FMU/1 'tank' reports logSteps: a step of 100% (5 times)" for text in run.info["messages"])


def test_categories_that_there_are_not(fmus):
    for log, said in (
        (["logStep"], "its log has no category 'logStep'; did you mean 'logSteps'?"),
        (["x"], "its log has no category 'x'; it has logEvents, logSteps"),
        (3, "log is 3; give True or a list of categories"),
    ):
        with pytest.raises(hn.ModelError) as error:
            hn.cosimulate({"it": fmus["2.0"]}, {}, 1.0, log={"it": log})
        assert said in str(error.value)
        with pytest.raises(hn.ModelError) as error:
            hn.Model("m").fmu(fmus["2.0"], log=log)
        assert said in str(error.value)
    with pytest.raises(hn.ModelError, match="there is no FMU 'other'"):
        hn.cosimulate({"it": fmus["2.0"]}, {}, 1.0, log={"other": True})

"""FMUs of our own for tests, compiled from one C source: a wheel under a spring, a digital controller, a gain, a
bouncing ball for model exchange, and what an FMU may do wrong.  Both versions have the same names."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path

from holonom.model.fmu.description import PLATFORMS, SUFFIX

COMPILER = shutil.which("cc") or shutil.which("gcc")
NEEDS = "needs a C compiler"

SOURCE = r"""
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
enum { WHEEL, CONTROLLER, GAIN, BALL };
typedef void (*Log2)(void *, const char *, int, const char *, const char *, ...);
typedef void (*Log3)(void *, int, const char *, const char *);
typedef struct {
  double x[3], u[2], du[2], y[2], p[6], t;
  int model, fault, exchange, kicked, asked;
  void *log, *env;
} I;
static const double START[4][6] = {{15000, 1000, 40, 150000, 0.1, 0}, {60, 12, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0},
  {9.81, 0.7, 0.5, 1, 0, 0}};
static I *make(void *log, void *env) {
  I *s = calloc(1, sizeof *s);
  s->model = MODEL; s->log = log; s->env = env;
  memcpy(s->p, START[MODEL], sizeof s->p);
  if (MODEL == BALL) s->x[0] = 1;
  return s;
}
static double force(const I *s, const double *x, double u) {
  return s->p[0] * (x[0] - x[2]) + s->p[1] * (x[1] - u);
}
static void rate(const I *s, double t, const double *x, double *d) {
  double u = s->u[0] + s->du[0] * t;
  d[0] = x[1]; d[1] = (-force(s, x, u) + s->p[3] * (s->p[4] - x[0])) / s->p[2]; d[2] = u;
}
static void outputs(I *s, double t) {
  if (s->model == WHEEL) { s->y[0] = force(s, s->x, s->u[0] + s->du[0] * t); s->y[1] = s->x[0]; }
  if (s->model == BALL) s->y[0] = s->x[0];
  if (s->model == GAIN) { s->y[0] = s->p[0] * s->u[0]; s->y[1] = s->u[1]; }
}
static int advance(I *s, double t, double h) {
  if (s->fault == 1 && t > 0.04) *(volatile int *)0 = 1;
  if (s->fault == 2 && t > 0.04) for (;;) sleep(1);
  if (s->fault == 4 && h > 0.004) return 2;
  if (s->fault == 6 && t > 0.04) _exit(3);
  if (s->fault == 3 && t > 0.04) return 3;
  if (s->model == CONTROLLER) s->y[0] = -s->p[0] * s->u[0] - s->p[1] * s->u[1];
  if (s->model == WHEEL) {
    int n = (int)ceil(h / 2e-4);
    double k = h / n;
    for (int i = 0; i < n; i++) {
      double a[3], b[3], c[3], d[3], x[3], at = i * k;
      rate(s, at, s->x, a);
      for (int j = 0; j < 3; j++) x[j] = s->x[j] + k / 2 * a[j];
      rate(s, at + k / 2, x, b);
      for (int j = 0; j < 3; j++) x[j] = s->x[j] + k / 2 * b[j];
      rate(s, at + k / 2, x, c);
      for (int j = 0; j < 3; j++) x[j] = s->x[j] + k * c[j];
      rate(s, at + k, x, d);
      for (int j = 0; j < 3; j++) s->x[j] += k / 6 * (a[j] + 2 * b[j] + 2 * c[j] + d[j]);
    }
  }
  outputs(s, h);
  s->u[0] += s->du[0] * h;
  s->du[0] = s->du[1] = 0;
  if (s->fault == 5 && t > 0.04) s->y[0] = NAN;
  return 0;
}
/* model exchange */
static int rates(I *s, double *d, size_t n) {
  double full[3];
  if (s->t > 0.04) {
    if (s->fault == 1) *(volatile int *)0 = 1;
    if (s->fault == 2) for (;;) sleep(1);
    if (s->fault == 3) return 3;
    if (s->fault == 6) _exit(3);
  }
  if (s->model == BALL) { full[0] = s->x[1]; full[1] = s->u[0] - s->p[0]; }
  else rate(s, 0, s->x, full);
  memcpy(d, full, n * sizeof *d);
  if (s->fault == 5 && s->t > 0.04) d[0] = NAN;
  return 0;
}
static double event(I *s) { /* the time of the next one */
  if (s->fault == 8) return s->t;
  if (s->x[0] <= 0 && s->x[1] < 0) { s->x[1] *= -s->p[1]; s->y[1] += 1; }
  if (s->asked == 1) { s->x[1] *= 2; s->asked = 2; }
  if (!s->kicked && s->t >= s->p[2]) { s->x[1] += s->p[3]; s->kicked = 1; }
  return s->kicked || s->model != BALL ? INFINITY : s->p[2];
}
static int step_event(I *s) { /* at the end of the first step to 0.2 s: the speed is doubled there */
  if (s->fault != 9 || s->asked || s->t < 0.2 - 1e-9) return 0;
  return s->asked = 1;
}
static double *where(I *s, unsigned r) {
  return r < 2 ? s->u + r : r < 12 ? s->y + (r - 10) : r < 30 ? s->p + (r - 20) : s->x + (r - 40) % 3;
}
#define EXPORT __attribute__((visibility("default")))
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define BOTH(f) NAME(NAME(fmi, FMI), f)
EXPORT int BOTH(EnterEventMode)(I *s) { return 0; }
EXPORT int BOTH(EnterContinuousTimeMode)(I *s) { return 0; }
EXPORT int BOTH(SetTime)(I *s, double t) { s->t = t; return 0; }
EXPORT int BOTH(SetContinuousStates)(I *s, const double *x, size_t n) { memcpy(s->x, x, n * sizeof *x); return 0; }
EXPORT int BOTH(GetContinuousStates)(I *s, double *x, size_t n) { memcpy(x, s->x, n * sizeof *x); return 0; }
EXPORT int BOTH(GetEventIndicators)(I *s, double *z, size_t n) { z[0] = s->x[0]; return 0; }
EXPORT int BOTH(GetNominalsOfContinuousStates)(I *s, double *x, size_t n) { while (n--) x[n] = 1; return 0; }
#if FMI == 2
typedef struct { Log2 log; void *a, *b, *c, *env; } Callbacks;
EXPORT void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const Callbacks *c, int v, int l) {
  if (strcmp(g, "token")) return NULL;
  I *s = make((void *)c->log, c->env);
  s->exchange = k == 0;
  return s;
}
typedef struct { int again, ended, nominals, values, timed; double next; } Info;
EXPORT int fmi2NewDiscreteStates(I *s, Info *e) {
  memset(e, 0, sizeof *e);
  e->next = event(s);
  e->timed = isfinite(e->next);
  return 0;
}
EXPORT int fmi2CompletedIntegratorStep(I *s, int n, int *e, int *t) { *e = step_event(s); *t = 0; return 0; }
EXPORT int fmi2GetDerivatives(I *s, double *d, size_t n) { return rates(s, d, n); }
EXPORT int fmi2SetupExperiment(I *s, int a, double b, double c, int d, double e) { s->p[5] = a ? b : -1; return 0; }
EXPORT int fmi2EnterInitializationMode(I *s) { return 0; }
EXPORT int fmi2ExitInitializationMode(I *s) { return 0; }
EXPORT int fmi2SetReal(I *s, const unsigned *r, size_t n, const double *v) {
  for (size_t i = 0; i < n; i++) *where(s, r[i]) = v[i];
  return 0;
}
EXPORT int fmi2GetReal(I *s, const unsigned *r, size_t n, double *v) {
  if (s->exchange || (s->model == GAIN && s->fault != 5) || (s->model == WHEEL && !s->x[0] && !s->x[1])) outputs(s, 0);
  for (size_t i = 0; i < n; i++) v[i] = *where(s, r[i]);
  return 0;
}
EXPORT int fmi2SetInteger(I *s, const unsigned *r, size_t n, const int *v) { s->fault = v[0]; return 0; }
EXPORT int fmi2SetRealInputDerivatives(I *s, const unsigned *r, size_t n, const int *o, const double *v) {
  for (size_t i = 0; i < n; i++) s->du[r[i]] = v[i];
  return 0;
}
EXPORT int fmi2DoStep(I *s, double t, double h, int n) {
  int status = advance(s, t, h);
  if (status == 3) ((Log2)s->log)(s->env, "it", 3, "error", "the hydraulic pressure is negative");
  return status;
}
EXPORT int fmi2GetBooleanStatus(I *s, int k, int *v) { *v = 0; return 0; }
EXPORT int fmi2GetFMUstate(I *s, void **v) { if (!*v) *v = malloc(sizeof *s); memcpy(*v, s, sizeof *s); return 0; }
EXPORT int fmi2SetFMUstate(I *s, void *v) { memcpy(s, v, sizeof *s); return 0; }
EXPORT int fmi2FreeFMUstate(I *s, void **v) { free(*v); *v = NULL; return 0; }
EXPORT int fmi2Terminate(I *s) { return 0; }
EXPORT void fmi2FreeInstance(I *s) { free(s); }
#else
EXPORT void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool y,
    const unsigned *q, size_t m, void *env, Log3 log, void *update) {
  return strcmp(g, "token") ? NULL : make((void *)log, env);
}
EXPORT void *fmi3InstantiateModelExchange(const char *n, const char *g, const char *r, bool v, bool l, void *env,
    Log3 log) {
  if (strcmp(g, "token")) return NULL;
  I *s = make((void *)log, env);
  s->exchange = 1;
  return s;
}
EXPORT int fmi3UpdateDiscreteStates(I *s, bool *a, bool *b, bool *c, bool *d, bool *e, double *t) {
  *a = *b = *c = *d = false;
  *t = event(s);
  *e = isfinite(*t);
  return 0;
}
EXPORT int fmi3CompletedIntegratorStep(I *s, bool n, bool *e, bool *t) {
  *e = step_event(s);
  *t = false;
  return 0;
}
EXPORT int fmi3GetContinuousStateDerivatives(I *s, double *d, size_t n) { return rates(s, d, n); }
EXPORT int fmi3GetNumberOfContinuousStates(I *s, size_t *n) { *n = s->model == BALL ? 2 : 3; return 0; }
EXPORT int fmi3GetNumberOfEventIndicators(I *s, size_t *n) { *n = s->model == BALL; return 0; }
EXPORT int fmi3EnterInitializationMode(I *s, bool a, double b, double c, bool d, double e) {
  s->p[5] = a ? b : -1;
  return 0;
}
EXPORT int fmi3ExitInitializationMode(I *s) { return 0; }
EXPORT int fmi3SetFloat64(I *s, const unsigned *r, size_t n, const double *v, size_t m) {
  for (size_t i = 0; i < n; i++) *where(s, r[i]) = v[i];
  return 0;
}
EXPORT int fmi3GetFloat64(I *s, const unsigned *r, size_t n, double *v, size_t m) {
  if (s->exchange || (s->model == GAIN && s->fault != 5) || (s->model == WHEEL && !s->x[0] && !s->x[1])) outputs(s, 0);
  for (size_t i = 0; i < n; i++) v[i] = *where(s, r[i]);
  return 0;
}
EXPORT int fmi3SetInt32(I *s, const unsigned *r, size_t n, const int32_t *v, size_t m) { s->fault = v[0]; return 0; }
EXPORT int fmi3DoStep(I *s, double t, double h, bool n, bool *e, bool *end, bool *early, double *last) {
  *e = *end = *early = false;
  *last = t + h;
  if (s->fault == 7 && t > 0.04) *end = true;
  int status = advance(s, t, h);
  if (status == 3) ((Log3)s->log)(s->env, 3, "error", "the hydraulic pressure is negative");
  return status;
}
EXPORT int fmi3GetFMUState(I *s, void **v) { if (!*v) *v = malloc(sizeof *s); memcpy(*v, s, sizeof *s); return 0; }
EXPORT int fmi3SetFMUState(I *s, void *v) { memcpy(s, v, sizeof *s); return 0; }
EXPORT int fmi3FreeFMUState(I *s, void **v) { free(*v); *v = NULL; return 0; }
EXPORT int fmi3Terminate(I *s) { return 0; }
EXPORT void fmi3FreeInstance(I *s) { free(s); }
#endif
"""

#: model -> inputs, outputs (names and units), parameters with start values
MODELS = {
    "wheel": ((("velocity", "m/s"),), (("force", "N"), ("height", "m")), {"k": 15000, "d": 1000, "m": 40, "road": 0.1}),
    "controller": ((("x", "m"), ("v", "m/s")), (("force", "N"),), {"kp": 60, "kd": 12}),
    "gain": ((("u", ""), ("w", "deg")), (("y", ""), ("z", "deg")), {"g": 2}),
    "ball": ((("u", ""),), (("h", "m"), ("bounces", "")), {"g": 9.81, "e": 0.7, "kick": 0.5, "dv": 1, "tolerance": 0}),
}
PARAMETERS = {"k": 20, "d": 21, "m": 22, "road": 24, "kp": 20, "kd": 21, "g": 20, "e": 21, "kick": 22, "dv": 23}
PARAMETERS["tolerance"] = 25
UNITS = """<UnitDefinitions><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit><Unit name="m"><BaseUnit m="1"/></Unit>
<Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit>
<Unit name="deg"><BaseUnit rad="1" factor="0.017453292519943295"/></Unit></UnitDefinitions>"""


def description(model: str, version: str, structure: str = "", element: str = "CoSimulation", **words: str) -> str:
    """The text of modelDescription.xml; ``words``: capabilities of its co-simulation, or of another ``element``."""
    new = version == "3.0"
    inputs, outputs, parameters = MODELS[model]
    rows = [(n, r, "input", u, 0) for r, (n, u) in enumerate(inputs)]
    rows += [(n, 10 + r, "output", u, None) for r, (n, u) in enumerate(outputs)]
    rows += [(n, PARAMETERS[n], "parameter", "", s) for n, s in parameters.items()]
    lines = []
    for name, ref, causality, unit, start in rows:
        given = (f' unit="{unit}"' if unit else "") + (f' start="{start}"' if start is not None else "")
        own = f'name="{name}" valueReference="{ref}" causality="{causality}"'
        lines.append(f"<Float64 {own}{given}/>" if new else f"<ScalarVariable {own}><Real{given}/></ScalarVariable>")
    states = {"wheel": 3, "ball": 2}.get(model, 0)
    for k in range(states):  # states, and their derivatives
        start = int(model == "ball" and k == 0)
        own = f'name="x{k}" valueReference="{40 + k}"', f'name="der(x{k})" valueReference="{43 + k}"'
        of = 40 + k if new else len(lines) + 1
        lines += (
            [f'<Float64 {own[0]} initial="exact" start="{start}"/>', f'<Float64 {own[1]} derivative="{of}"/>']
            if new
            else [
                f"<ScalarVariable {one}><Real{more}/></ScalarVariable>"
                for one, more in zip(
                    (f'{own[0]} initial="exact"', own[1]), (f' start="{start}"', f' derivative="{of}"')
                )
            ]
        )
    own = 'name="fault" valueReference="30" causality="parameter"'
    lines.append(f'<Int32 {own} start="0"/>' if new else f'<ScalarVariable {own}><Integer start="0"/></ScalarVariable>')
    state = "canGetAndSetFMUState" if new else "canGetAndSetFMUstate"
    exchange = element == "ModelExchange"
    if exchange and not new:
        structure += "<Derivatives>" + '<Unknown index="1"/>' * states + "</Derivatives>"
    words = {state: "true"} | ({} if exchange else {"canHandleVariableCommunicationStepSize": "true"}) | words
    if not new and not exchange:
        words = {"canInterpolateInputs": "true", **words}
    can = " ".join(f'{k}="{v}"' for k, v in words.items())
    token = 'instantiationToken="token"' if new else 'guid="token"'
    token += ' numberOfEventIndicators="1"' if model == "ball" and not new else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<fmiModelDescription fmiVersion="{version}" modelName="it" {token}>\n'
        f'<{element} modelIdentifier="{model}" {can}/>\n{UNITS}\n<ModelVariables>{"".join(lines)}</ModelVariables>\n'
        f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>\n"
    )


@cache
def library(model: str, version: str) -> bytes:
    """The compiled library."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "fmu.c"), Path(folder, "fmu.so")
        source.write_text(SOURCE)
        number = list(MODELS).index(model)
        subprocess.run(
            [COMPILER, "-O1", "-shared", "-fPIC", "-fvisibility=hidden", f"-DFMI={version[0]}", f"-DMODEL={number}",
             str(source), "-o", str(target), "-lm"],
            check=True, capture_output=True,
        )  # fmt: skip
        return target.read_bytes()


def write_fmu(folder: Path, model: str, version: str = "2.0", name: str = "", text: str = "", **words: str) -> Path:
    """An FMU in ``folder``; ``text``: another description; ``words``: other capabilities."""
    path = folder / f"{name or model}.fmu"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("modelDescription.xml", text or description(model, version, **words))
        file.writestr(f"binaries/{PLATFORMS[version][0]}/{model}{SUFFIX}", library(model, version))
    return path

"""An FMU that refuses to be instantiated gives its reason; one that is used twice in a model asks for a name."""

import subprocess
import zipfile

import pytest
from tests.analyses._fmu_files import COMPILER, NEEDS

import holonom as hn
from holonom.model.fmu.description import PLATFORMS, SUFFIX

pytestmark = pytest.mark.skipif(not COMPILER, reason=NEEDS)

SOURCE = r"""
#include <stdbool.h>
#include <stddef.h>
#define EXPORT __attribute__((visibility("default")))
#define WHY "resources/%s cannot be read (%d bytes)", "model.bin", 7
typedef struct { void (*log)(void *, const char *, int, const char *, const char *, ...); } Callbacks;
EXPORT void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const Callbacks *c, int v, int l) {
  c->log(0, n, 3, "logStatusError", WHY);
  return 0;
}
typedef void (*Log)(void *, int, const char *, const char *);
EXPORT void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool y,
    const unsigned *q, size_t m, void *env, Log log, void *update) {
  log(env, 3, "logStatusError", "resources/model.bin cannot be read (7 bytes)");
  return 0;
}
"""
HEAD = {"2.0": 'fmiVersion="2.0" modelName="it" guid="token"', "3.0": 'fmiVersion="3.0" modelName="it" '
        'instantiationToken="token"'}  # fmt: skip
VARIABLE = {
    "2.0": '<ScalarVariable name="x" valueReference="1" causality="output"><Real/></ScalarVariable>',
    "3.0": '<Float64 name="x" valueReference="1" causality="output"/>',
}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("it")
    (folder / "it.c").write_text(SOURCE)
    library = folder / "it.so"
    command = [COMPILER, "-shared", "-fPIC", "-fvisibility=hidden", str(folder / "it.c"), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True)
    found = {}
    for version, head in HEAD.items():
        path = found[version] = folder / f"it{version[0]}.fmu"
        text = '<CoSimulation modelIdentifier="it" canHandleVariableCommunicationStepSize="true"/><ModelVariables>'
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(
                "modelDescription.xml",
                f"<fmiModelDescription {head}>{text}{VARIABLE[version]}</ModelVariables><ModelStructure/>"
                "</fmiModelDescription>",
            )
            file.writestr(f"binaries/{PLATFORMS[version][0]}/it{SUFFIX}", library.read_bytes())
    return found


@pytest.mark.parametrize("version", HEAD)
def test_the_reason_of_an_fmu_that_cannot_be_instantiated(fmus, version):
    with pytest.raises(
        hn.ModelError, match=r"instantiated \(instantiation\): resources/model.bin cannot be read \(7 bytes"
    ):
        hn.cosimulate({"it": fmus[version]}, end=0.1, steps=1)


def test_an_fmu_twice_in_a_model(fmus):
    model = hn.Model("m", units="SI")
    model.fmu(fmus["2.0"], {}, ["x"])
    with pytest.raises(hn.ModelError, match="the output 'x' goes to 'it.x', a name that is taken.*name='second'"):
        model.fmu(fmus["2.0"], {}, ["x"])
    model.fmu(fmus["2.0"], {}, ["x"], name="second")
    with pytest.raises(hn.ModelError, match="goes to 'it.x', a name that is taken; give the VARIABLE itself"):
        model.fmu(fmus["2.0"], {}, {"x": "it.x"}, name="third")

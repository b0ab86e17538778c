"""Systems of FMUs in SSP files: written and read again, nested systems, parameter sets, files that are refused."""

import zipfile

import numpy as np
import pytest
from _fmu_files import COMPILER, NEEDS, write_fmu

import holonom as hn

pytestmark = pytest.mark.skipif(COMPILER is None, reason=NEEDS)

SPACES = " ".join(
    f'xmlns:{p}="http://ssp-standard.org/SSP1/SystemStructure{n}"'
    for p, n in (("ssc", "Common"), ("ssd", "Description"), ("ssv", "ParameterValues"))
)


def file(tmp_path, system, more=(), end=""):
    """An SSP file of two FMUs, with the text of its outermost system."""
    path = tmp_path / "it.ssp"
    with zipfile.ZipFile(path, "w") as archive:
        text = f'<ssd:SystemStructureDescription {SPACES} version="1.0" name="it"><ssd:System name="root">{system}'
        archive.writestr("SystemStructure.ssd", f"{text}</ssd:System>{end}</ssd:SystemStructureDescription>")
        for name in ("wheel", "gain"):
            archive.write(write_fmu(tmp_path, name), f"resources/{name}.fmu")
        for name, content in more:
            archive.writestr(name, content)
    return path


def component(name, more="", source=""):
    return f'<ssd:Component name="{name}" source="resources/{source or name}.fmu">{more}</ssd:Component>'


def connection(start, end, more=""):
    ends = []
    for which, port in (("start", start), ("end", end)):
        owner, _, connector = port.rpartition(".")
        ends.append((f'{which}Element="{owner}" ' if owner else "") + f'{which}Connector="{connector}"')
    return f"<ssd:Connection {' '.join(ends)}>{more}</ssd:Connection>"


def test_written_and_read_again(tmp_path):
    fmus = {name: write_fmu(tmp_path, name) for name in ("wheel", "gain")}
    given = hn.SystemStructure(
        fmus, {"gain.u": "wheel.height"}, {"gain.g": 3.0, "wheel.k": 14000.0, "gain.fault": 0}, end=0.2
    )
    system = hn.read_ssp(hn.write_ssp(tmp_path / "it.ssp", given), tmp_path / "unpacked")
    assert system.connections == given.connections and system.parameters == given.parameters and system.end == 0.2
    assert system.kinds == {"wheel": "cs", "gain": "cs"} and set(system.components) == set(fmus)
    found = hn.cosimulate(
        system.components,
        system.connections,
        system.end,
        4,
        step=0.05,
        parameters=system.parameters,
        kinds=system.kinds,
    )
    assert np.allclose(found["gain.y"], 3.0 * np.asarray(found["wheel.height"]), rtol=0, atol=1e-12)
    assert abs(found["wheel.height"]).max() > 0.01


def test_systems_in_systems_and_parameter_sets(tmp_path):
    """Connectors of systems pass signals on; values of the outer system come before those of a component."""
    values = '<ssv:ParameterSet name="p" version="1.0"><ssv:Parameters>{}</ssv:Parameters></ssv:ParameterSet>'
    real = '<ssv:Parameter name="{}"><ssv:Real value="{}"/></ssv:Parameter>'
    own = values.format(real.format("g", 5.0))
    bound = "<ssd:ParameterBindings><ssd:ParameterBinding>{}</ssd:ParameterBinding></ssd:ParameterBindings>"
    inner = (
        '<ssd:System name="inner"><ssd:Elements>'
        + component("gain", bound.format(f"<ssd:ParameterValues>{own}</ssd:ParameterValues>"))
        + f"</ssd:Elements><ssd:Connections>{connection('in', 'gain.u')}{connection('gain.y', 'out')}</ssd:Connections>"
        + "</ssd:System>"
    )
    outer = '<ssd:ParameterBindings><ssd:ParameterBinding source="resources/p.ssv"/></ssd:ParameterBindings>'
    links = (
        connection("wheel.height", "inner.in")
        + connection("inner.out", "second.u")
        + connection("speed", "wheel.velocity")
    )
    elements = f"<ssd:Elements>{component('wheel')}{inner}{component('second', source='gain')}</ssd:Elements>"
    sets = values.format(real.format("wheel.k", 1e4) + real.format("inner.gain.g", 7.0))
    path = file(tmp_path, f"{outer}{elements}<ssd:Connections>{links}</ssd:Connections>", [("resources/p.ssv", sets)])
    system = hn.read_ssp(path, tmp_path / "unpacked")
    assert system.connections == {"inner_gain.u": "wheel.height", "second.u": "inner_gain.y"}
    assert system.parameters == {"wheel.k": 1e4, "inner_gain.g": 7.0} and np.isnan(system.end)
    assert system.components["second"].is_file() and system.components["second"] == system.components["inner_gain"]


ELEMENTS = f"<ssd:Elements>{component('wheel')}{component('gain')}</ssd:Elements>"
LINKS = ELEMENTS + "<ssd:Connections>{}</ssd:Connections>"


@pytest.mark.parametrize(
    ("system", "end", "said"),
    [
        (f"<ssd:Elements>{component('none')}</ssd:Elements>", "", "the FMU 'resources/none.fmu' is not in the file"),
        (
            '<ssd:Elements><ssd:Component name="a" type="text/plain" source="x"/></ssd:Elements>',
            "",
            "of the type 'text/plain'",
        ),
        (
            f"<ssd:Elements>{component('wheel')}{component('wheel')}</ssd:Elements>",
            "",
            "a second component is called 'wheel'",
        ),
        (
            LINKS.format(connection("wheel.height", "gain.u", '<ssc:LinearTransformation factor="2"/>')),
            "",
            "<LinearTransf",
        ),
        (LINKS.format(connection("wheel.height", "gain.w")), "", "'height' is in m and 'w' in deg"),
        (LINKS.format(connection("wheel.height", "other.u")), "", "there is no element 'other'"),
        (LINKS.format(2 * connection("wheel.height", "gain.u")), "", "'u' of 'gain' is connected twice"),
        (ELEMENTS, '<ssd:DefaultExperiment startTime="1"/>', "startTime is not 0"),
        ("<ssd:SignalDictionaries/>", "", "signal dictionaries of SSP are not available"),
    ],
)
def test_files_that_are_refused(tmp_path, system, end, said):
    with pytest.raises(hn.ModelError) as error:
        hn.read_ssp(file(tmp_path, system, end=end), tmp_path / "unpacked")
    assert said in str(error.value)


def test_files_that_are_no_ssp(tmp_path):
    path = tmp_path / "it.ssp"
    path.write_bytes(b"text")
    with pytest.raises(hn.ModelError, match="is not an SSP file: it cannot be read as a ZIP archive"):
        hn.read_ssp(path, tmp_path)
    with pytest.raises(hn.ModelError, match="is not an SSP file: it contains no SystemStructure.ssd"):
        hn.read_ssp(write_fmu(tmp_path, "gain"), tmp_path)
    with pytest.raises(hn.ModelError, match="there is no variable 'gain.speed'; give component.variable"):
        hn.write_ssp(path, hn.SystemStructure({"gain": write_fmu(tmp_path, "gain")}, {"gain.u": "gain.speed"}))

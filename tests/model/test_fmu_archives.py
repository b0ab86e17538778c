"""FMUs are foreign files: archives that lead elsewhere or unpack to too much, damaged and unfit descriptions; each is
one sentence."""

import stat
import zipfile

import pytest

import holonom as hn
from holonom.model.fmu import read_fmu
from holonom.model.fmu.archive import Archive
from holonom.model.fmu.description import PLATFORMS, SUFFIX, variable_of

HERE = f"binaries/{PLATFORMS['2.0'][0]}/it{SUFFIX}"
PLAIN = (
    '<fmiModelDescription fmiVersion="{version}" modelName="it" guid="g" instantiationToken="g">{kind}{units}'
    "<ModelVariables>{variables}</ModelVariables></fmiModelDescription>"
)
REAL = '<ScalarVariable name="{name}" valueReference="{ref}" causality="{causality}"><Real {more}/></ScalarVariable>'


def text(version="2.0", kind='<CoSimulation modelIdentifier="it"/>', variables="", units=""):
    return PLAIN.format(version=version, kind=kind, variables=variables, units=units)


def real(name, ref, causality, more=""):
    return REAL.format(name=name, ref=ref, causality=causality, more=more)


def fmu(tmp_path, description=None, binary=HERE, more=()):
    path = tmp_path / "it.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        if description is not None:
            file.writestr("modelDescription.xml", description)
        file.writestr(binary, b"binary")
        for name, data in more:
            file.writestr(name, data)
    return path


def link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("../../etc/passwd", b"x", "'../../etc/passwd' in it leads out of its folder"),
        ("resources/../../x", b"x", "leads out of its folder"),
        ("/etc/passwd", b"x", "leads out of its folder"),
        ("resources\\..\\x", b"x", "leads out of its folder"),
        ("C:/windows/x", b"x", "leads out of its folder"),
        (link("resources/home"), b"/home", "is a link"),
        ("Resources/A", b"x", "is contained twice"),
        ("resources/bomb", b"\0" * 30_000_000, "unpacks"),
    ],
)
def test_archives_that_are_not_opened(tmp_path, name, data, said):
    path = fmu(tmp_path, text(), more=[("resources/a", b"x"), (name, data)])
    with pytest.raises(hn.ModelError, match=said.replace(".", r"\.")) as error:
        read_fmu(path)
    assert "it.fmu" in str(error.value) and "the FMU is not opened" in str(error.value)


def test_limits_of_size_and_number(tmp_path, monkeypatch):
    path = fmu(tmp_path, text(), more=[(f"resources/{k}", b"abcdefgh") for k in range(5)])
    monkeypatch.setattr("holonom.model.fmu.archive.MOST_FILES", 4)
    with pytest.raises(hn.ModelError, match="contains 7 files; an FMU of at most 4 is read"):
        read_fmu(path)
    monkeypatch.setattr("holonom.model.fmu.archive.MOST_FILES", 100)
    monkeypatch.setattr("holonom.model.fmu.archive.MOST_BYTES", 50)
    with pytest.raises(hn.ModelError, match="bytes; an FMU of at most 50 bytes is read"):
        read_fmu(path)


def test_a_file_that_is_longer_than_declared_is_not_unpacked(tmp_path):
    """The directory of the archive declares 100 bytes for a file of 100,000."""
    path = fmu(tmp_path, text(), more=[("resources/long", bytes(range(250)) * 400)])
    data = bytearray(path.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    data[central + 24 : central + 28] = (100).to_bytes(4, "little")
    path.write_bytes(data)
    with Archive(path) as archive, pytest.raises(hn.ModelError, match="resources/long in it is damaged"):
        archive.unpack(tmp_path / "out", "resources")
    out = tmp_path / "out/resources/long"
    assert not out.exists() or out.stat().st_size <= 100


def test_damaged_and_other_files(tmp_path):
    path = tmp_path / "a.fmu"
    with pytest.raises(hn.ModelError, match="there is no such file"):
        read_fmu(path)
    path.write_bytes(b"not an archive")
    with pytest.raises(hn.ModelError, match="is not an FMU: it cannot be read as a ZIP archive"):
        read_fmu(path)
    with pytest.raises(hn.ModelError, match=r"contains no modelDescription\.xml"):
        read_fmu(fmu(tmp_path))
    path = fmu(tmp_path, text())
    data = path.read_bytes().replace(b"PK\x03\x04", b"PK\x03\x05", 1)
    path.write_bytes(data)
    with pytest.raises(hn.ModelError, match=r"modelDescription\.xml in it is damaged"):
        read_fmu(path)


@pytest.mark.parametrize(
    ("description", "said"),
    [
        (text("1.0"), "is an FMU of FMI 1.0, which is not read; export it for FMI 2.0 or 3.0"),
        (
            text(kind='<ScheduledExecution modelIdentifier="it"/>'),
            "is an FMU for scheduled execution, without co-simulation or model exchange; export it",
        ),
        (text(kind='<CoSimulation modelIdentifier="../it"/>'), "modelIdentifier is '../it'; it must be an identifier"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]>" + text(), "it declares a document type or an entity"),
        ("<a></b>", "it is not valid XML"),
        ("<other/>", "its outermost element is <other>"),
        (text(variables=real("x", 0, "input") + real("x", 1, "input")), "a second variable is named 'x'"),
        (text(variables=real("x", "first", "input")), "valueReference of <ScalarVariable> is 'first'"),
        (text(kind='<CoSimulation modelIdentifier="it" canInterpolateInputs="yes"/>'), "is 'yes'; it must be true or"),
        (
            text(units='<UnitDefinitions><Unit name="n"><BaseUnit factor="0"/></Unit></UnitDefinitions>'),
            "the factor of the unit is 0",
        ),
    ],
)
def test_descriptions_that_are_refused(tmp_path, description, said):
    with pytest.raises(hn.ModelError) as error:
        read_fmu(fmu(tmp_path, description))
    assert said in str(error.value)


def test_binaries_of_other_platforms(tmp_path):
    with pytest.raises(hn.ModelError, match=f"has binaries for win64, not for {PLATFORMS['2.0'][0]}"):
        read_fmu(fmu(tmp_path, text(), binary="binaries/win64/it.dll"))
    with pytest.raises(hn.ModelError, match="has no binaries"):
        read_fmu(fmu(tmp_path, text(), binary="sources/it.c"))


def test_names_of_variables(tmp_path):
    found = read_fmu(fmu(tmp_path, text(variables=real("speed", 1, "input") + real("torque", 2, "output"))))
    assert found.inputs == ["speed"] and found.outputs == ["torque"]
    assert variable_of(found, "speed", "input")[0].reference == 1
    for name, causality, said in (
        ("sped", "input", "there is no input 'sped'; did you mean 'speed'?"),
        ("torque", "input", "there is no input 'torque' ('torque' is an output); it has speed"),
        ("x", "parameter", "there is no parameter 'x'; it has none"),
    ):
        with pytest.raises(hn.ModelError) as error:
            variable_of(found, name, causality)
        assert said in str(error.value)


def test_units_are_converted_or_refused(tmp_path):
    units = (
        '<UnitDefinitions><Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>'
        '<Unit name="rpm"><BaseUnit s="-1" rad="1" factor="0.10471975511965977"/></Unit></UnitDefinitions>'
    )
    variables = (
        real("speed", 1, "input", 'unit="rpm"') + real("heat", 2, "input", 'unit="degC"') + real("x", 3, "input")
    )
    found = read_fmu(fmu(tmp_path, text(variables=variables, units=units)))
    speed, heat, x = (variable_of(found, n, "input")[0] for n in ("speed", "heat", "x"))
    factor, offset = found.scale(speed, "rad/s")
    assert factor == pytest.approx(30 / 3.141592653589793, rel=1e-14) and offset == 0.0
    assert found.scale(speed, "") == (1.0, 0.0)
    for variable, unit, said in (
        (speed, "m/s", "speed is in rpm, and 'm/s' is a unit of another quantity"),
        (heat, "N", "heat is in degC, and 'N' is a unit of another quantity"),
        (x, "m", "x has no unit; leave out the unit 'm'"),
    ):
        with pytest.raises(hn.ModelError) as error:
            found.scale(variable, unit)
        assert said in str(error.value)


def test_arrays_have_the_size_of_their_dimensions(tmp_path):
    variables = (
        '<UInt64 name="n" valueReference="1" causality="structuralParameter" start="3"/>'
        '<Float64 name="u" valueReference="2" causality="input" start="0"><Dimension valueReference="1"/>'
        '<Dimension start="2"/></Float64>'
    )
    path = fmu(tmp_path, text("3.0", variables=variables), binary=f"binaries/{PLATFORMS['3.0'][0]}/it{SUFFIX}")
    found = read_fmu(path)
    assert found.variables["u"].size == 6
    assert variable_of(found, "u[6]", "input")[1] == 5
    with pytest.raises(hn.ModelError, match=r"u has 6 values; there is no u\[7\]"):
        variable_of(found, "u[7]", "input")


def test_the_type_that_is_read(tmp_path):
    """Co-simulation where the FMU has it, model exchange where it has that alone, or the one that is named."""
    both = '<CoSimulation modelIdentifier="it"/><ModelExchange modelIdentifier="it"/>'
    path = fmu(tmp_path, text(kind=both))
    assert not read_fmu(path).exchange and read_fmu(path, "me").exchange and not read_fmu(path, "cs").exchange
    with pytest.raises(hn.ModelError, match="kind is 'se'; it must be cs .co-simulation. or me .model exchange."):
        read_fmu(path, "se")
    path = fmu(tmp_path, text(kind='<ModelExchange modelIdentifier="it"/>'))
    assert read_fmu(path).exchange
    with pytest.raises(hn.ModelError, match="is an FMU for model exchange, without co-simulation; export it for"):
        read_fmu(path, "cs")

"""Calls of public functions with missing, unknown and unsuitable arguments: one sentence with public names."""

import inspect
import pickle
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.model.calls import explained

DOCS = Path(__file__).parents[2] / "docs"
DOTTED = re.compile(r"(?<![\w./-])(?:holonom|hn)((?:\.[A-Za-z_]\w*)+)")


def exists(name: str) -> bool:
    """Whether a dotted name below `holonom` is a module or an attribute."""
    parts, module = name.split("."), hn
    for k in range(1, len(parts) + 1):
        try:
            module = import_module(".".join(["holonom", *parts[:k]]))
        except ImportError:
            k -= 1
            break
    for part in parts[k:]:
        module = getattr(module, part, None)
    return module is not None


def test_names_on_pages_exist():
    found = {m[1][1:] for page in DOCS.rglob("*.md") for m in DOTTED.finditer(page.read_text())}
    assert len(found) > 100
    assert [n for n in sorted(found) if not exists(n)] == []


def functions():
    for package in (hn, hn.flexible):
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isfunction(value) and value.__module__ == package.__name__:
                yield pytest.param(value, name, id=name)


@pytest.mark.parametrize("function, name", list(functions()))
def test_functions_name_what_is_missing_or_unknown(function, name):
    parameters = list(inspect.signature(function).parameters.values())
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if needed:
        with pytest.raises(hn.ModelError, match=rf"^{name}: .*{needed[0].name}.* missing; give {needed[0].name}="):
            function()
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        with pytest.raises(hn.ModelError, match=rf"^{name}: there is no argument 'qqq'; choose from "):
            function(qqq=1)
    assert pickle.loads(pickle.dumps(function)) is function


def pendulum():
    m = hn.Model("m")
    a = m.part("a", 2.0, (0.01, 0.1, 0.1), (0.5, 0, 0))
    m.revolute(a, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return m


def test_objects_of_another_type(tmp_path):
    m = pendulum()
    with pytest.raises(hn.ModelError, match="^check: model must be a Model, got 3"):
        hn.check(3)
    with pytest.raises(hn.ModelError, match="^export_fmu: model must be a Model or a Simulation, got 'p.fmu'"):
        hn.export_fmu("p.fmu", m)
    with pytest.raises(hn.ModelError, match="^a study is kept in a file; the path is 3; give a text"):
        hn.Study(3, lambda x: x, {"x": (0, 1)}, workers=0)
    with pytest.raises(hn.ModelError, match="^find: reference is missing; give reference="):
        m.find("a")
    with pytest.raises(hn.ModelError, match="^cable: there is no argument 'diameter'"):
        hn.flexible.cable(m, [(0, 0, 0), (1, 0, 0)], diameter=0.01)


def test_errors_of_other_code_pass():
    with pytest.raises(KeyError, match="mine"):
        explained(lambda a: {}["mine"], "g")(1)


def test_methods_of_runs():
    run = hn.Run.__new__(hn.Run)
    for name, missing in (("plot", "folder"), ("report", "path"), ("export_csv", "folder")):
        with pytest.raises(hn.ModelError, match=f"^{name}: {missing} is missing; give {missing}="):
            getattr(run, name)()


def test_numpy_numbers_in_options_of_designs():
    from holonom.studies.store import digest, dumps

    assert dumps({"levels": np.int64(2)}) == '{"levels":2}' and digest(np.int64(2)) == digest(2)


ROBOT = """<robot name="r"><link name="world"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="sh" type="{}"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>{}</joint></robot>"""


def test_angles_in_degrees_of_joints():
    m = pendulum()
    b = m.part("b", 1.0, (1, 1, 1), (1, 0, 0))
    with pytest.raises(hn.ModelError, match='angle is 90 radians; .* give "90 deg" if it is in degrees, or 2.03541'):
        m.revolute(b, m.ground, "q", at=(1, 0, 0), axis=(0, 1, 0), angle=90)


def test_positions_of_robots(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT.format("revolute", '<limit lower="-1" upper="1" effort="1" velocity="1"/>'))
    with pytest.raises(hn.ModelError, match='is to start at 45, and its limits are -1 and 1; if it .* "45 deg"'):
        hn.read_urdf(file, positions={"sh": 45})
    with pytest.raises(hn.ModelError, match=r"^read_urdf: positions must be a mapping .*got \[0.5\]"):
        hn.read_urdf(file, positions=[0.5])
    with pytest.raises(hn.ModelError, match="^read_urdf: there is no argument 'units'"):
        hn.read_urdf(file, units="mm")
    with pytest.raises(hn.ModelError, match="positions: joint 'sh' is 'abc'; give a finite number"):
        hn.read_urdf(file, positions={"sh": "abc"})

    def turned(value):
        part = hn.read_urdf(file, positions={"sh": value}).find("PART", "arm")
        return part.to_dict()

    assert turned("45 deg") == turned(np.pi / 4)
    file.write_text(ROBOT.format("continuous", ""))
    with pytest.warns(hn.ModelWarning, match="'sh' is 45 radians .* if it is in degrees, give 0.785"):
        hn.read_urdf(file, positions={"sh": 45})

"""Joints between models and FMUs: against the whole machine, the order of the coupling, wrong calls."""

import shutil

import numpy as np
import pytest
from test_cosimulation_cut import OPTIONS, crane, pendulum

import holonom as hn

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)


def trolley():
    """What `crane` has without its load; a marker for the hook."""
    model = crane()
    model.remove(model.find("PART", "load"), with_users=True)
    for name in ("y", "of_load"):
        if name in {v.name for v in model.table("VARIABLE").values()}:
            model.remove(model.find("VARIABLE", name))
    model.marker_at(model.find("PART", "trolley"), (0, 0, 0), name="hook")
    model.variable("2*TIME", "end_of_line")
    return model


def load(tmp_path, fmi="2.0", units="SI", **options):
    """The load of `crane` as an FMU."""
    model, size = hn.Model("load", units=units), 1000.0 if units == "mm" else 1.0
    model.gravity = (0, 0, -9.81 * size)
    inertia = (0.02 * size**2,) * 3
    load = model.part(
        "load", 5.0, inertia, (0, 0, -size), velocity=(0.5 * size, 0.6 * size, 0), angular_velocity=(0.6, 0, 0)
    )
    model.marker_at(load, (0, 0, 0), name="top")
    model.variable(f"DY({load.cm})/{size}", "y")
    energy = f"0.5*5*VM({load.cm})**2 + 5*9.81*{size}*DZ({load.cm}) + 0.01*{size**2}*WM({load.cm})**2"
    model.variable(energy, "energy")
    return hn.export_fmu(model, tmp_path / "load.fmu", fmi=fmi, ends={"hook": "top"}, error=1e-11, **options)


HOOK = [("spherical", "load.hook", "trolley.hook")]


def together(path, end, steps, **options):
    parts = {"trolley": trolley(), "load": path}
    return hn.cosimulate(parts, joints=HOOK, end=end, steps=steps, options={"trolley": OPTIONS}, **options)


@pytest.mark.parametrize(
    ("fmi", "units", "error", "end"),
    [
        ("2.0", "mm", 1e-3, 0.2),
        pytest.param("2.0", "SI", 1e-5, 1.0, marks=pytest.mark.slow),
        pytest.param("3.0", "SI", 1e-3, 0.2, marks=pytest.mark.slow),
    ],
)
def test_a_crane_whose_load_is_an_fmu(tmp_path, fmi, units, error, end):
    """The requested error holds against the whole machine; the FMU of 3.0 takes its reactions in steps."""
    whole = hn.simulate(crane(), end=end, steps=2, **OPTIONS)
    both = together(load(tmp_path, fmi, units), end, 2, error=error)
    for signal, name in (("trolley.x", "x"), ("load.y", "y")):
        wanted = np.asarray(whole.variable(name))
        assert np.abs(both[signal] - wanted).max() < error * np.abs(wanted).max()
    assert both.statistics.estimate <= error and not both.statistics.jumps
    assert set(both.signals) >= {"trolley.x", "load.y", "load.energy", "trolley.end_of_line"}
    assert "" not in both.signals and len([n for n in both.signals if n.startswith("trolley.")]) == 3


def test_the_joint_creates_no_energy(tmp_path):
    both = together(load(tmp_path), 0.25, 5, step=0.025)
    energy = both["load.energy"] + both["trolley.of_trolley"]
    assert np.ptp(energy) < 2e-4 * np.ptp(both["trolley.of_trolley"])


def rods(tmp_path):
    """The two rods of `pendulum`: a model, and an FMU whose variables have names of another program."""
    whole = pendulum()
    upper = whole.copy()
    upper.remove(upper.find("PART", "rod2"), with_users=True)
    if "z2" in {v.name for v in upper.table("VARIABLE").values()}:
        upper.remove(upper.find("VARIABLE", "z2"))
    upper.marker_at(upper.find("PART", "rod1"), (1, 0, 0), z=(0, 1, 0), name="tip")
    lower = hn.Model("rod2", units="SI")
    lower.gravity = (0, 0, -9.81)
    rod = lower.part("rod2", mass=2.0, inertia=(0.001, 0.1, 0.1), position=(1.5, 0, 0))
    at = lower.marker_at(rod, (1, 0, 0), z=(0, 1, 0), name="eye")
    lower.variable(f"DZ({rod.cm})", "z2")
    path = hn.export_fmu(lower, tmp_path / "rod2.fmu", ends={"left": at}, outputs=["z2"], error=1e-11)
    return whole, upper, path


@pytest.mark.slow
def test_order_of_the_coupling(tmp_path):
    """Errors against the whole machine fall with the fourth power of the step, by a hinge too."""
    whole, upper, path = rods(tmp_path)
    wanted = hn.simulate(whole, end=0.2, steps=2, **OPTIONS)
    errors = []
    for step in (0.05, 0.025):
        joints = [("revolute", "b.left", "a.tip")]
        both = hn.cosimulate(
            {"a": upper, "b": path}, joints=joints, end=0.2, steps=2, step=step, options={"a": OPTIONS}
        )
        found = {"z1": both["a.z1"], "z2": both["b.z2"]}
        errors.append(max(np.abs(found[z] - wanted.variable(z)).max() for z in found))
    assert np.log2(errors[0] / errors[1]) > 3.6
    assert errors[1] < 2e-5


def test_wrong_joints_are_sentences(tmp_path):
    path = load(tmp_path)
    parts = {"trolley": trolley(), "load": path}
    for joints, ends, sentence in (
        ([("ball", "load.hook", "trolley.hook")], None, "there is no type 'ball'; choose one of cylindrical, fixed"),
        ([("spherical", "lod.hook", "trolley.hook")], None, "'lod.hook' does not begin with the name of a component"),
        ([("spherical", "load.hook", "trolley.hok")], None, "'trolley' has no marker 'hok'; did you mean 'hook'?"),
        ([("spherical", "load.eye", "trolley.hook")], None, "the end 'load.eye' lacks its input fx: "),
        ([("spherical", "load.hook", "load.hook")], None, "'load.hook' is an end of two joints"),
        (["spherical"], None, "joints: 'spherical'; give (type, end of I, end of J), all texts"),
        (HOOK, {"load.hock": {}}, "ends: 'load.hock' is no end of a joint; did you mean 'load.hook'?"),
        (HOOK, {"load.hook": {"force": "f"}}, "ends: 'load.hook': there is no 'force'; choose from fx, fy"),
        (HOOK, {"trolley.hook": {"fx": "f"}}, "ends: 'trolley.hook' is a marker of a model"),
    ):
        with pytest.raises(hn.ModelError) as caught:
            hn.cosimulate(parts, joints=joints, ends=ends, end=0.1, steps=1)
        assert sentence in str(caught.value)
    with pytest.raises(hn.ModelError, match="joints take no connections"):
        hn.cosimulate(parts, {"load.hook.fx": "trolley.x"}, joints=HOOK, end=0.1, steps=1)
    with pytest.raises(hn.ModelError, match="in different units, and joints need the same"):
        hn.cosimulate({"a": trolley(), "b": hn.Model("b", units="mm")}, joints=HOOK, end=0.1, steps=1)
    moved = trolley()
    moved.find("PART", "trolley").qg = (0.1, 0.0, 0.0)
    with pytest.raises(hn.ModelError, match="the positions of its two sides differ by 0.1 at the start"):
        hn.cosimulate({"trolley": moved, "load": path}, joints=HOOK, end=0.1, steps=1)

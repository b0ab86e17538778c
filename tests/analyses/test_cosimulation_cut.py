"""A machine that is cut at joints: against the whole machine, its energy, the order of the coupling."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn

OPTIONS = {"integrator": "DOP853", "error": 1e-11}


def pendulum():
    """Two rods that hang on each other by a hinge."""
    model = hn.Model("double", units="SI")
    model.gravity = (0, 0, -9.81)
    held, x = model.ground, 0.0
    for k in (1, 2):
        rod = model.part(f"rod{k}", mass=float(k), inertia=(0.001, 0.1, 0.1), position=(x + 0.5, 0, 0))
        model.revolute(rod, held, f"pin{k}", at=(x, 0, 0), axis=(0, 1, 0))
        model.variable(f"DZ({rod.cm})", f"z{k}")
        held, x = rod, x + 1.0
    return model


def crane():
    """A trolley between springs, and a load that hangs on it by a ball joint and swings in space."""
    model = hn.Model("crane", units="SI")
    model.gravity = (0, 0, -9.81)
    trolley = model.part("trolley", mass=20.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0.5, 0, 0))
    model.translational(trolley, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    model.vforce(trolley.cm, None, fx=f"-400*DX({trolley.cm})")
    load = model.part("load", 5.0, (0.02, 0.02, 0.02), (0, 0, -1), velocity=(0.5, 0.6, 0), angular_velocity=(0.6, 0, 0))
    model.spherical(load, trolley, "hook", at=(0, 0, 0))
    model.variable(f"DX({trolley.cm})", "x")
    model.variable(f"DY({load.cm})", "y")
    energy = f"0.5*5*VM({load.cm})**2 + 5*9.81*DZ({load.cm}) + 0.01*WM({load.cm})**2"
    model.variable(energy, "of_load")
    model.variable(f"10*VM({trolley.cm})**2 + 200*DX({trolley.cm})**2", "of_trolley")
    return model


def cut(model, joint, end, steps, **options):
    names = {"double": ("rod1", "rod2"), "crane": ("trolley", "load")}[model.name]
    return hn.cosimulate(model, cut=joint, end=end, steps=steps, options=dict.fromkeys(names, OPTIONS), **options)


def test_order_of_the_coupling():
    """Errors against the whole machine fall with the fourth power of the step."""
    whole = hn.simulate(pendulum(), end=0.2, steps=2, **OPTIONS)
    errors = []
    for step in (0.05, 0.025):
        both = cut(pendulum(), "pin2", 0.2, 2, step=step)
        errors.append(max(np.abs(both[f"rod{k}.z{k}"] - whole.variable(f"z{k}")).max() for k in (1, 2)))
    assert np.log2(errors[0] / errors[1]) > 3.6
    assert errors[1] < 2e-5


@pytest.mark.parametrize(
    ("error", "end"),
    [(1e-3, 0.2), pytest.param(1e-3, 1.0, marks=pytest.mark.slow), pytest.param(1e-5, 1.0, marks=pytest.mark.slow)],
)
def test_error_of_a_crane_cut_at_its_hook(error, end):
    """The requested error holds against the whole machine, and the joint stays closed."""
    whole = hn.simulate(crane(), end=end, steps=2, **OPTIONS)
    both = cut(crane(), "hook", end, 2, error=error)
    for signal, name in (("trolley.x", "x"), ("load.y", "y")):
        wanted = np.asarray(whole.variable(name))
        assert np.abs(both[signal] - wanted).max() < error * np.abs(wanted).max()
    assert both.statistics.estimate <= error and not both.statistics.jumps


def test_the_coupling_creates_no_energy():
    """Energy of both sides over ten steps."""
    both = cut(crane(), "hook", 0.25, 5, step=0.025)
    energy = both["load.of_load"] + both["trolley.of_trolley"]
    assert np.ptp(energy) < 2e-4 * np.ptp(both["trolley.of_trolley"])


@pytest.mark.slow
def test_small_error_of_a_truck(monkeypatch):
    """A quarter truck over a step of the road against the matrix exponential: a small error does not lead to
    the smallest possible steps."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))
    from benchmarks.coupling import MACHINES, measure

    off, steps, calls, _ = measure(MACHINES["truck"], "joint, error control", 1e-6)
    assert off < 1e-6 and steps < 300 and calls < 4_500


@pytest.mark.slow
def test_calls_of_a_truck_with_fixed_steps(monkeypatch):
    """Two calls of each side a step, with a measured matrix: a tenth of what fixed steps at the spring take for an
    error of 1e-6 (14,120 and 16,360, docs/fmi.md)."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))
    from benchmarks.coupling import MACHINES, measure

    off, steps, calls, _ = measure(MACHINES["truck"], "joint, fixed step", 1e-6, 1 / 340)
    assert off < 1e-6 and steps == 340 and calls < 1_500


def driven():
    model = pendulum()
    model.motion("pin2", "TIME")
    return model


def tied():
    model = pendulum()
    a, b = (model.find("PART", name) for name in ("rod1", "rod2"))
    model.spring_damper(a.cm, b.cm, stiffness=1.0, damping=0.0)
    return model


@pytest.mark.parametrize(
    ("make", "joint", "sentence"),
    [
        (pendulum, "pin1", "one of its sides is the ground; cut at a joint between two parts"),
        (pendulum, "pin3", "cut: there is no joint 'pin3'; did you mean"),
        (tied, "pin2", "its two parts are still connected by other joints or forces when it is cut"),
        (driven, "pin2", "acts on it, so that the machine cannot be cut there"),
        (pendulum, [], "cut: there is no joint to cut the machine at"),
    ],
)
def test_where_a_machine_cannot_be_cut(make, joint, sentence):
    with pytest.raises(hn.ModelError) as caught:
        hn.cosimulate(make(), cut=joint, end=1.0, steps=5)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("function", "value", "comparison", "action"),
    [
        ("DX({load})", 0.1, "GE", {"halt": True}),
        ("DY({load})", 0.03, "GE", {"returns": True}),
        ("DX({trolley})", 0.08, "GE", {"halt": True}),
        ("VARVAL({y})", 0.03, "GE", {"halt": True}),
        ("TIME", 0.1234, "GE", {"halt": True}),
    ],
)
def test_a_sensor_of_either_side_ends_the_run_when_that_of_the_whole_does(function, value, comparison, action):
    """Time and place are those of the whole machine, and all sides end there."""
    ends = []
    for _ in range(2):
        model = crane()
        names = {p.name: p.cm for p in model.table("PART").values() if p.name in ("load", "trolley")}
        names["y"] = model.find("VARIABLE", "y").id
        model.sensor(function.format(**names), value, comparison, error=1e-9, **action)
        ends.append(model)
    whole = hn.simulate(ends[0], end=0.3, steps=3, **OPTIONS)
    both = cut(ends[1], "hook", 0.3, 3, error=1e-4)
    assert 0.0 < whole.time[-1] < 0.29
    assert both.time[-1] == pytest.approx(whole.time[-1], abs=1e-5)
    assert "sensor" in both.messages[-1] and both.messages[-1] in both.runs["load"].info["messages"]
    for side, name in (("trolley", "x"), ("load", "y")):
        assert both.runs[side].time[-1] == both.time[-1]
        assert both[f"{side}.{name}"][-1] == pytest.approx(whole.variable(name).values[-1], abs=1e-5)


@pytest.mark.parametrize("function", ["DX({load},{trolley})", "VARVAL({x})-VARVAL({y})"])
def test_a_sensor_of_both_sides_is_refused(function):
    model = crane()
    names = {p.name: p.cm for p in model.table("PART").values() if p.name in ("load", "trolley")}
    names |= {n: model.find("VARIABLE", n).id for n in "xy"}
    model.sensor(function.format(**names), 0.2)
    with pytest.raises(hn.ModelError, match="SENSOR/1.*reads more than one side of the cut \\(trolley, load\\)"):
        cut(model, "hook", 0.3, 3)


def swinging(kind, units="SI", z=(0, 1, 0), x=(1, 0, 0)):
    """Two bodies that swing in space, joined at the middle; ``z``, ``x``: of the marker of the second one."""
    size = 1000.0 if units == "mm" else 1.0
    model = hn.Model("swinging", units=units)
    model.gravity = (0, 3.0 * size, -9.0 * size)
    first = model.part("a", 1.0, [v * size**2 for v in (0.002, 0.1, 0.11)], (0.5 * size, 0, 0))
    second = model.part("b", 2.0, [v * size**2 for v in (0.05, 0.1, 0.12)], (1.4 * size, 0.1 * size, 0))
    model.spherical(first, model.ground, at=(0, 0, 0))
    i = model.marker_at(second, (size, 0, 0), z=z, x=x)
    j = model.marker_at(first, (size, 0, 0), z=(0, 1, 0), x=(1, 0, 0))
    model.joint(kind, i, j, name="middle")
    for part in (first, second):
        for axis in "XYZ":
            model.variable(f"D{axis}({part.cm})/{size}", f"{part.name}{axis}")
            model.variable(f"W{axis}({part.cm})", f"w{part.name}{axis}")
    return model


def errors(model, **options):
    """Of all signals of a cut machine, against the whole one; its statistics."""
    whole = hn.simulate(model, end=0.2, steps=2, **OPTIONS)
    both = hn.cosimulate(model, cut="middle", end=0.2, steps=2, options={"a": OPTIONS, "b": OPTIONS}, **options)
    found = {name.partition(".")[2]: values for name, values in both.signals.items()}
    assert len(found) == 12
    return np.array([np.abs(v - whole.variable(n).values).max() for n, v in found.items()]), both.statistics


@pytest.mark.parametrize(
    ("kind", "z", "x"),
    [("FIXED", (0, 1, 0), (-1, 0, 0)), ("TRANSLATIONAL", (0, -1, 0), (1, 0, 0)), ("REVOLUTE", (0, -1, 0), (1, 0, 0))],
)
def test_axes_may_point_against_each_other(kind, z, x):
    """As they may in a joint of a whole machine: the same errors and calls as of equal axes."""
    equal, usual = errors(swinging(kind), step=0.05)
    against, found = errors(swinging(kind, z=z, x=x), step=0.05)
    assert np.abs(against - equal).max() < 1e-6
    assert found.calls == usual.calls


def test_the_unit_of_length_does_not_change_the_coupling():
    """Rotations are closed as exactly in millimetres as in metres."""
    (metres, one), (millimetres, other) = (errors(swinging("REVOLUTE", u), error=1e-3) for u in ("SI", "mm"))
    assert max(metres.max(), millimetres.max()) < 1e-3
    assert one.steps == other.steps
    assert one.estimate == pytest.approx(other.estimate, rel=0.1)


def side(gap=0.0, x=(1, 0, 0)):
    model = hn.Model("side", units="SI")
    body = model.part("body", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.marker_at(body, (gap, 0, 0), z=(0, 1, 0), x=x, name="end")
    return model


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"gap": 0.1}, "the positions of its two sides differ by 0.1 at the start; move one of them, or start from"),
        (
            {"x": (np.cos(0.35), 0, -np.sin(0.35))},
            "the directions of its two sides differ by 0.343 at the start; turn one of them, or start from",
        ),
    ],
)
def test_sides_that_do_not_fit_at_the_start_say_what_differs(other, sentence):
    with pytest.raises(hn.ModelError) as caught:
        hn.cosimulate({"a": side(), "b": side(**other)}, joints=[("fixed", "b.end", "a.end")], end=0.2, steps=2)
    assert sentence in str(caught.value)


def test_a_fixed_step_that_is_too_long_ends_the_run():
    with pytest.raises(hn.IntegrationError, match="the joints of the cut are not closed at .*; give a smaller step"):
        cut(pendulum(), "pin2", 8.0, 2, step=4.0)


def test_steps_of_a_fixed_size_take_no_error():
    with pytest.raises(hn.ModelError, match="steps of a fixed size control no error; give one of them"):
        hn.cosimulate({}, end=1.0, error=1e-3, step=0.01)

import numpy as np
import pytest
from _fabricated_run import model, run, travel

import holonom as hn
from holonom.model import Model, ModelError, Units
from holonom.results import Run, RunData, compare, compare_table
from holonom.results import _rotation as rotation


def test_a_run_does_not_differ_from_itself():
    c = compare(run(), run())
    assert c.max_relative == 0.0 and c.within() and not c.only_a and not c.only_b
    assert {r.name for r in c} >= {
        "ROTOR.position.x",
        "ROTOR.attitude",
        "HINGE.torque.z",
        "REACH.MAG",
        "RAMP",
        "energy.total",
    }


def test_difference_size_time_and_range():
    a, b = run(), run()
    b.data.body_position[57, 0, 1] += 0.25
    c = compare(a, b, "ROTOR.position")
    row = c["rotor.position.Y"]
    assert [r.name for r in c][0] == "ROTOR.position.y" and len(c) == 3
    assert row.difference == pytest.approx(0.25) and row.time == a.time[57] and row.unit == "mm"
    assert row.range == pytest.approx(np.ptp(travel(a.time)[0], axis=0).max())
    assert row.rms == pytest.approx(0.25 / np.sqrt(201))
    assert not c.within(relative=1e-3) and c.within(absolute=0.26) and c.max_relative == row.relative


def test_other_output_times_are_interpolated():
    c = compare(run(201), run(337), ["ROTOR.position", "ROTOR.velocity", "ROTOR.attitude", "HINGE"])
    assert c["ROTOR.position.x"].relative < 1e-8 and c["ROTOR.attitude"].difference < 1e-6
    assert c["HINGE.force.x"].difference < 1e-5  # linear: h^2/8
    assert len(compare(run(11, 2.0), run(11, 1.0)).times) == 6
    with pytest.raises(ModelError, match="no time in common"):
        compare(run(5, 1.0), run(5, 3.0, 2.0))


def test_attitude_is_compared_as_an_angle():
    a, b = run(), run()
    turn = rotation.product(np.array([np.cos(5e-6), np.sin(5e-6), 0, 0]), b.data.body_quaternion[:, 0])
    b.data.body_quaternion[:, 0] = -turn  # the opposite sign is the same attitude
    assert compare(a, b)["ROTOR.attitude"].difference == pytest.approx(1e-5, rel=1e-9)


def test_the_same_machine_in_metres():
    a = run(21)
    m = model()
    m.units = Units.named("SI")
    for marker in m.markers.values():
        marker.qp = tuple(x / 1000 for x in marker.qp)
    b = run(21, m=m)
    for name in ("body_position", "body_velocity", "body_acceleration", "constraint_torque", "force_torque"):
        setattr(b.data, name, getattr(b.data, name) / 1000)
    for name in ("kinetic", "gravity", "elastic", "dissipated", "input"):
        setattr(b.data, f"energy_{name}", getattr(b.data, f"energy_{name}") / 1000)
    assert compare(a, b).max_relative < 1e-14


def test_what_one_side_lacks_is_named():
    a, b = run(11), run(11)
    b.data.body_acceleration[:] = np.nan
    b.data.variables = [("VARIABLE", 1, "SLOPE")]
    b = Run(b.model, b.data)
    c = compare(a, b)
    assert "ROTOR.acceleration" in c.only_a and "RAMP" in c.only_a and c.only_b == ["SLOPE"]
    assert "Only in the first: " in c.markdown()
    b.data.body_velocity[4, 0, 0] = np.nan
    assert np.isnan(compare(a, b).max_relative) and not compare(a, b).within(relative=10)
    with pytest.raises(ModelError, match="did you mean 'ROTOR.position'"):
        compare(a, b, "ROTOR.positions")


def test_reference_curves():
    r = run()
    t = np.linspace(0.1, 1.9, 31)
    exact = travel(t)[0]
    c = compare_table(r, t, {"ROTOR.position": exact, "ROTOR.velocity.x": travel(t)[1][:, 0], "ramp": t})
    assert c.max_relative < 1e-8 and len(c) == 5
    holes = exact.copy()
    holes[3] = np.nan
    holes[7, 2] += 1
    row = compare_table(r, t, {"ROTOR.position": holes})["ROTOR.position.z"]
    assert row.difference == pytest.approx(1, abs=1e-6) and row.time == t[7]
    with pytest.raises(ModelError, match="did you mean"):
        compare_table(r, t, {"ROTOR.positon": exact})
    with pytest.raises(ModelError, match="has shape"):
        compare_table(r, t, {"ROTOR.position": exact[:5]})


def test_tables_for_people():
    from rich.console import Console

    c = compare(run(), run(201))
    text = str(c)
    assert text.startswith("| curve | unit |") and "more curves differ less" in text
    with Console(record=True, width=120, file=open("/dev/null", "w")) as console:
        console.print(c)
    assert "max difference" in console.export_text()


def test_a_constant_quantity_is_judged_by_its_size():
    m = Model("m")
    a, b = (Run(m, RunData(time=[0.0, 1.0], variables=["V"], variable_values=[[v], [v]])) for v in (10.0, 10.1))
    assert compare(a, b).max_relative == pytest.approx(0.01)
    zero = Run(m, RunData(time=[0.0, 1.0], variables=["V"], variable_values=np.zeros((2, 1))))
    assert compare(zero, a).max_relative == np.inf and compare(zero, zero).max_relative == 0


def shipped(name, **options):
    from importlib.resources import files

    import holonom as hn

    return hn.simulate(
        hn.read_adams(str(files("holonom") / "models" / f"{name}.adm")), end=1.0, steps=50, kind="dynamics", **options
    )


@pytest.mark.parametrize("name", ["slider_crank", "flyball_governor", "double_pendulum"])
def test_roundoff_does_not_decide_and_a_real_difference_does(name):
    """Reactions and motions that are zero come out as roundoff, which no tolerance brings to an agreement."""
    a, b = shipped(name, error=1e-6), shipped(name, error=1e-8)
    c = compare(a, b)
    assert c.within(relative=1e-3) and c.max_relative < 1e-3
    if name != "double_pendulum":  # the roundoff is there
        assert max(r.difference / r.range for r in c if r.range > 0) > 0.1
    if c.max_relative > 0:
        assert not c.within(relative=0.1 * c.max_relative)
    k = int(np.argmax(np.ptp(b.data.constraint_force, axis=0).max(axis=1)))
    b.data.constraint_force = b.data.constraint_force.copy()
    b.data.constraint_force[20, k] *= 1.01
    assert not compare(a, b).within(relative=1e-3)


def test_one_unit_does_not_hide_another():
    """A request of displacement: angles next to lengths of a thousand millimetres; components of functions have nothing
    in common."""
    a, b = run(), run()
    for r in (a, b):
        r.data.request_values[:] = 0.0
        r.data.request_values[:, 0, 1] = 1000 * np.sin(r.time)  # REACH.X
        r.data.request_values[:, 0, 5] = 0.1 * np.sin(r.time)  # REACH.PSI
        r.data.request_values[:, 1, 1] = 1000 * np.sin(r.time)
        r.data.request_values[:, 1, 2] = 0.1 * np.sin(r.time)
    b.data.request_values[:, 0, 5] *= 1.05
    b.data.request_values[:, 1, 2] *= 1.05
    c = compare(a, b)
    assert c["REACH.PSI"].relative == pytest.approx(0.05, rel=0.1) and c["CUSTOM.load"].relative == pytest.approx(
        0.05, rel=0.1
    )
    assert not c.within(relative=1e-2)


def test_runs_that_share_a_part_of_their_time_or_curves_are_not_within():
    def pendulum(end, name="p"):
        m = hn.Model("m")
        m.gravity = (0, 0, -9.81)
        m.revolute(m.part(name, 2.0, (1, 1, 1), (1, 0, 0)), m.ground, "t", at=(0, 0, 0), axis=(0, 1, 0))
        return hn.simulate(m, end=end, steps=round(10 * end))

    a, b, c = pendulum(1.0), pendulum(0.5), pendulum(1.0, "q")
    assert a.compare(pendulum(1.0)).within(relative=1e-9)
    for one, other in ((a, b), (b, a)):
        shared = one.compare(other)
        assert not shared.within(relative=1e-3) and "goes from 0 to" in str(shared) and "from 0 to" in repr(shared)
        assert one.compare(other, times=[0.2, 0.5]).within(relative=1e-3)
    assert not a.compare(c).within(relative=1e-9)
    assert a.compare(c, "t.*").within(relative=1e-9)

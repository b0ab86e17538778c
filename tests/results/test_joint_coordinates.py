"""Coordinates of joints, motions and springs against closed forms and against functions of requests."""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import holonom as hn
from holonom.model import ModelError
from holonom.results import compare, quantities

TAU = 2 * math.pi


def rotor(function, units="mm"):
    m = hn.Model("rotor", units=units)
    p = m.part("ROTOR", 1.0, (1.0, 1.0, 2.0), (0.0, 0.0, 0.0))
    a, b = m.marker(p, (0, 0, 0)), m.marker(m.ground, (0, 0, 0))
    m.revolute(a, b, "HINGE")
    if function:
        m.motion("HINGE", function, "DRIVE")
    m.request("TURNS", functions={"F2": f"AZ({a.id},{b.id})", "F3": f"WZ({a.id},{b.id},{b.id})"})
    return m


@pytest.mark.parametrize("kind", ["kinematics", "dynamics"])
def test_fifty_turns_with_ten_outputs(kind):
    run = hn.simulate(rotor(f"{10 * math.pi}*time"), end=10.0, steps=10, kind=kind)
    hinge = run.joint("hinge")
    np.testing.assert_allclose(hinge.angle, 10 * math.pi * run.time, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(hinge.degrees, 1800.0 * run.time, rtol=1e-12, atol=1e-9)
    assert hinge.degrees.attrs["units"] == "deg" and hinge.angle.attrs["units"] == "rad"
    np.testing.assert_allclose(hinge.angular_velocity, 10 * math.pi, rtol=1e-12)
    np.testing.assert_allclose(run.motion("DRIVE").value, run.request("TURNS").sel(component="F2"), atol=1e-9)


def test_a_rotor_that_runs_up_turns_as_far_as_it_should_between_outputs():
    """angle = alpha t^2/2: the rate changes by many turns a step of the kinematic analysis, whose steps are the
    outputs."""
    run = hn.simulate(rotor("0.5*62*time**2"), end=10.0, steps=7, kind="kinematics")
    np.testing.assert_allclose(run.joint("HINGE").angle, 31.0 * run.time**2, rtol=1e-11)
    np.testing.assert_allclose(run.request("TURNS").sel(component="F2"), 31.0 * run.time**2, rtol=1e-11)
    np.testing.assert_allclose(run.joint("HINGE").angular_acceleration, 62.0, rtol=1e-9)


def test_half_a_turn_from_rest_within_one_output():
    """At an output half a turn away from where the rate points, an angle has two branches."""
    run = hn.simulate(rotor(f"{math.pi}*time**2"), end=10.0, steps=10)
    np.testing.assert_allclose(run.joint("HINGE").angle, math.pi * run.time**2, rtol=1e-11)


def test_between_outputs_and_in_a_file(tmp_path):
    run = hn.simulate(rotor("0.5*62*time**2"), end=2.0, steps=7, kind="kinematics")
    run.save(tmp_path / "r.h5")
    back = hn.load(tmp_path / "r.h5")
    assert np.array_equal(back.joint("HINGE").angle, run.joint("HINGE").angle)
    fine = run.at(np.linspace(0.0, 2.0, 29))  # four times a second, 10 turns between two rows at the end
    left = fine.joint("HINGE").angle.values - 31.0 * fine.time**2
    assert np.abs(left).max() < math.pi  # the attitude between such rows is not known, the turns are
    assert np.array_equal(back.between(1.0, 2.0).joint("HINGE").angle, run.joint("HINGE").angle[run.time >= 1.0])


def test_a_run_without_counted_turns_says_when_its_output_is_too_coarse():
    run = hn.simulate(rotor("20*sin(2*time)"), end=10.0, steps=1000, kind="kinematics")
    run.data.angles, run.data.angle_values = [], np.zeros((len(run), 0))
    np.testing.assert_allclose(run.joint("HINGE").angle, 20 * np.sin(2 * run.time), atol=1e-9)
    run = hn.simulate(rotor("20*sin(2*time)"), end=10.0, steps=9, kind="kinematics")
    np.testing.assert_allclose(run.joint("HINGE").angle, 20 * np.sin(2 * run.time), atol=1e-9)
    run.data.angles, run.data.angle_values = [], np.zeros((len(run), 0))
    with pytest.warns(UserWarning, match="HINGE' turns too far between the output times"):
        _ = run.joint("HINGE").angle


def test_pendulum_by_elliptic_functions():
    """sin(angle/2) = k sn(K - w t), k = sin(a/2), released at rest from a."""
    g, length, a = 9.81, 0.7, 2.5
    m = hn.Model("pendulum")
    m.gravity = (0.0, -g, 0.0)
    p = m.part("BOB", 1.0, (1e-12, 1e-12, 1e-12), (length * math.sin(a), -length * math.cos(a), 0.0))
    m.revolute(m.marker(p, (-length * math.sin(a), length * math.cos(a), 0)), m.marker(m.ground, (0, 0, 0)), "HINGE")
    run = hn.simulate(m, end=5.0, steps=50, error=1e-10)
    k, w = math.sin(a / 2), math.sqrt(g / length)
    sn = ellipj(ellipk(k * k) - w * run.time, k * k)[0]
    exact = 2 * np.arcsin(k * sn)
    np.testing.assert_allclose(run.joint("HINGE").angle, exact - a, atol=1e-6)  # the markers are parallel at the start
    energy = w * w * (np.cos(exact) - math.cos(a))
    np.testing.assert_allclose(run.joint("HINGE").angular_velocity.values ** 2, 2 * energy, atol=1e-5)
    np.testing.assert_allclose(run.joint("HINGE").angular_acceleration, -w * w * np.sin(exact), atol=1e-5)
    np.testing.assert_array_equal(run.joint("HINGE").angle[0], 0.0)


def test_the_first_row_is_the_assembled_state():
    m = hn.read_adams(str(_shipped("slider_crank")))
    first = hn.simulate(m, kind="initial")
    run = hn.simulate(m, end=0.01, steps=3, kind="dynamics")
    assert np.array_equal(run.data.body_position[0], first.data.body_position[0])
    assert np.array_equal(run.data.body_quaternion[0], first.data.body_quaternion[0])
    assert np.array_equal(run.data.body_velocity[0], first.data.body_velocity[0])


def _shipped(name):
    from importlib.resources import files

    return files("holonom") / "models" / f"{name}.adm"


def test_a_screw_travels_its_pitch_each_turn():
    m = hn.Model("jack", units="mm")
    p = m.part("NUT", 1.0, (1.0, 1.0, 2.0), (0.0, 0.0, 0.0))
    a, b = m.marker(p, (0, 0, 0)), m.marker(m.ground, (0, 0, 0))
    m.screw(a, b, 5.0, "THREAD")
    m.cylindrical(m.marker(p, (0, 0, 0)), m.marker(m.ground, (0, 0, 0)), "SLEEVE")
    m.motion("SLEEVE", "30*time", "DRIVE")
    run = hn.simulate(m, end=4.0, steps=5)
    thread = run.joint("THREAD")
    np.testing.assert_allclose(thread.angle, 30 * run.time, atol=1e-9)
    np.testing.assert_allclose(np.abs(thread.travel), 5.0 * thread.angle / TAU, atol=1e-9)
    np.testing.assert_allclose(np.abs(thread.speed), 5.0 * 30 / TAU, rtol=1e-10)
    assert thread.travel.attrs["units"] == "mm" and thread.speed.attrs["units"] == "mm/s"
    assert set(thread.coordinates()) == {"angle", "angular_velocity", "travel", "speed"}


def test_joints_measure_as_functions_do():
    """Shipped mechanisms: AZ and WZ of every joint that turns, DZ and VZ of every one that slides, in the axes of J."""
    for name in ("slider_crank", "screw_jack"):
        m = hn.read_adams(str(_shipped(name)))
        wanted = []
        for joint in list(m.joints.values()):
            i, j = joint.i, joint.j
            f = {"F2": f"AZ({i},{j})", "F3": f"WZ({i},{j},{j})", "F4": f"DZ({i},{j},{j})", "F6": f"VZ({i},{j},{j},{j})"}
            wanted.append((joint, m.request(f"of {joint.name}", functions=f)))
        run = hn.simulate(m, end=0.5, steps=20)
        seen = set()
        for joint, request in wanted:
            view, values = run.joint(joint), run.request(request).values
            for freedom, pair in (("angle", ("angle", "angular_velocity")), ("travel", ("travel", "speed"))):
                if freedom in view.freedoms:
                    k = 1 if freedom == "angle" else 3
                    np.testing.assert_allclose(getattr(view, pair[0]), values[:, k], atol=1e-9)
                    np.testing.assert_allclose(getattr(view, pair[1]), values[:, k + (1 if k == 1 else 2)], atol=1e-8)
                    seen.add(freedom)
        assert seen == {"angle", "travel"}, name


def test_universal_joint_rates_are_those_of_its_angles():
    run = hn.simulate(hn.read_adams(str(_shipped("universal_drive"))), end=1.0, steps=2000)
    found = [
        run.joint(k[2])
        for k in run.data.constraints
        if k[0] == "JOINT" and run.joint(f"JOINT/{k[1]}").freedoms == ("angles",)
    ]
    assert found
    for joint in found:
        slope = np.gradient(joint.angles.values, run.time, axis=0, edge_order=2)
        swing = np.abs(joint.angle_rates.values).max()
        np.testing.assert_allclose(joint.angle_rates.values, slope, atol=1e-3 * swing + 1e-9)


def test_power_of_a_motion_is_the_work_put_in():
    m = rotor("3*sin(2*time)")
    run = hn.simulate(m, end=2.0, steps=2000, kind="dynamics")
    power = run.motion("DRIVE").power
    assert power.attrs["units"] == "W" and run.energy.input.attrs["units"] == "J"
    work = np.concatenate([[0.0], np.cumsum(np.diff(run.time) * 0.5 * (power.values[1:] + power.values[:-1]))])
    np.testing.assert_allclose(
        work, run.energy.input, atol=2e-6 * np.ptp(run.energy.input.values)
    )  # of the trapezoidal rule
    inertia = 2.0 * 1e-6  # kg mm^2 in kg m^2
    np.testing.assert_allclose(
        run.energy.kinetic, 0.5 * inertia * run.joint("HINGE").angular_velocity.values ** 2, rtol=1e-9, atol=1e-18
    )


def test_springs_have_length_and_force():
    m = hn.Model("spring", units="mm")
    p = m.part("MASS", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 30.0))
    a, b = m.marker(p, (0, 0, 0)), m.marker(m.ground, (0, 0, 0))
    m.translational(a, b, "GUIDE")
    m.spring_damper(a, b, stiffness=2.0, damping=0.01, length=20.0, name="COIL")
    m.request("COIL", functions={"F2": f"DM({a.id},{b.id})", "F3": f"VR({a.id},{b.id})"})
    run = hn.simulate(m, end=0.5, steps=40)
    coil = run.spring("COIL")
    assert float(coil.length[0]) == 30.0
    np.testing.assert_allclose(coil.length, run.request("COIL").values[:, 1], rtol=1e-12)
    np.testing.assert_allclose(coil.length_rate, run.request("COIL").values[:, 2], atol=1e-9)
    np.testing.assert_allclose(
        coil.line_force, -2.0 * (coil.length.values - 20.0) - 0.01 * coil.length_rate.values, rtol=1e-9, atol=1e-9
    )
    with pytest.raises(ModelError, match="is TRANSLATIONAL and has no angle; it has length"):
        _ = coil.angle


def test_torsion_spring_counts_turns():
    m = rotor("")
    hinge = m.joints[1]
    m.motion("HINGE", "8*time", "DRIVE")
    m.torsion_spring(hinge.i, hinge.j, stiffness=3.0, damping=0.5, name="WINDING")
    run = hn.simulate(m, end=10.0, steps=9)
    np.testing.assert_allclose(run.spring("WINDING").angle, 8 * run.time, atol=1e-9)
    np.testing.assert_allclose(run.spring("WINDING").axial_torque, -24 * run.time - 4.0, rtol=1e-9)


def test_what_a_joint_does_not_have_is_said():
    m = rotor("")
    run = hn.simulate(m, end=0.1, steps=1)
    with pytest.raises(ModelError, match=r"HINGE' \(REVOLUTE\) has no travel; it has angle"):
        _ = run.joint("HINGE").travel


def test_columns_in_tables(tmp_path):
    run = hn.simulate(rotor("3*time"), end=1.0, steps=2)
    run.export_csv(tmp_path)
    head = (tmp_path / "joint_HINGE.csv").read_text().splitlines()[0]
    assert head == "time [s],fx [N],fy [N],fz [N],tx [N*mm],ty [N*mm],tz [N*mm],angle [rad],angular_velocity [rad/s]"
    head = (tmp_path / "motion_DRIVE.csv").read_text().splitlines()[0]
    assert head.endswith("value [rad],rate [rad/s],effort [N*mm],power [W]")
    assert "energy.kinetic [J]" in (tmp_path / "energy.csv").read_text().splitlines()[0]


def test_contacts_in_tables_and_comparisons(tmp_path):
    m = hn.read_adams(str(_shipped("ball_on_plate")))
    run = hn.simulate(m, end=0.02, steps=20, progress=False)
    name = run.contacts[0]
    columns = {label for q in quantities(run) if q.table == "contact" for label in q.labels}
    assert {f"{name}.normal", f"{name}.friction", f"{name}.force.x", f"{name}.point.z", f"{name}.depth"} <= columns
    assert f"{name}.normal" in {r.name for r in compare(run, run)}
    run.export_csv(tmp_path)
    table = next(tmp_path.glob("contact_*.csv")).read_text().splitlines()
    assert table[0].startswith("time [s],fx [") and "normal [" in table[0] and "points" in table[0]


def test_turns_go_on_through_analyses():
    sim = hn.Simulation(rotor("20*time"))
    sim.dynamics(end=3.0, steps=2)
    sim.dynamics(end=7.0, steps=3)
    run = sim.run()
    np.testing.assert_allclose(run.joint("HINGE").angle, 20 * run.time, atol=1e-9)


def test_a_planar_joint_has_two_travels_and_an_angle():
    m = hn.Model("table")
    p = m.part("P", 1.0, (1, 1, 1), (0, 0, 0))
    a, b = m.marker(p, (0, 0, 0)), m.marker(m.ground, (0, 0, 0))
    m.planar(a, b, "TABLE")
    m.motion(None, "3*time", "TURN", i=a, j=b, component="B3")
    m.motion(None, "0.5*time**2", "PUSH", i=a, j=b, component="X")
    p.vy = 2.0
    run = hn.simulate(m, end=4.0, steps=6)
    t, table = run.time, run.joint("TABLE")
    np.testing.assert_allclose(table.angle, 3 * t, atol=1e-12)
    np.testing.assert_allclose(table.slide, np.stack([0.5 * t * t, 2 * t], 1), atol=1e-9)
    np.testing.assert_allclose(table.slide_velocity, np.stack([t, 2 + 0 * t], 1), atol=1e-9)
    np.testing.assert_allclose(run.motion("PUSH").effort, 1.0, rtol=1e-12)
    np.testing.assert_allclose(run.motion("PUSH").power, t, atol=1e-12)


def test_motions_of_a_body_sequence_reach_what_they_say():
    """Three motions B1, B2, B3 between slanted markers: values and rates as given, torque about each axis times its
    rate the power."""
    m = hn.Model("gimbal")
    p = m.part("P", 1.0, (1, 2, 3), (0, 0, 0))
    a, b = m.marker(p, (0, 0, 0), euler=(0.2, 0.3, 0.4)), m.marker(m.ground, (0, 0, 0), euler=(0.1, 0.5, 0.2))
    m.joint("SPHERICAL", a, b, "BALL")
    functions = {
        "B1": ("3*time", lambda t: 3 * t, lambda t: 3 + 0 * t),
        "B2": ("0.5*sin(time)", lambda t: 0.5 * np.sin(t), lambda t: 0.5 * np.cos(t)),
        "B3": ("2*time+sin(2*time)", lambda t: 2 * t + np.sin(2 * t), lambda t: 2 + 2 * np.cos(2 * t)),
    }
    for component, (text, *_) in functions.items():
        m.motion(None, text, component, i=a, j=b, component=component)
    run = hn.simulate(m, end=5.0, steps=100)
    for component, (_, value, rate) in functions.items():
        motion = run.motion(component)
        np.testing.assert_allclose(motion.value, value(run.time), atol=1e-12)
        np.testing.assert_allclose(motion.rate, rate(run.time), atol=1e-12)
        np.testing.assert_allclose(motion.effort * motion.rate, motion.power, atol=1e-11)
    with pytest.raises(ModelError, match=r"BALL' \(SPHERICAL\) has no angle; .euler has the attitude"):
        _ = run.joint("BALL").angle


def test_angles_without_rates_or_with_gaps_do_not_freeze():
    """Rates that were not recorded once froze an angle silently."""
    from holonom.results.views.joint import unwrapped

    t = np.linspace(0.0, 4.0, 81)
    whole = 7.0 * t + 0.3 * np.sin(t)
    principal = np.angle(np.exp(1j * whole))
    rate, second = 7.0 + 0.3 * np.cos(t), -0.3 * np.sin(t)
    out, doubt = unwrapped(principal, t, rate, second)
    assert np.allclose(out, whole, atol=1e-12) and not doubt
    out, doubt = unwrapped(principal, t, np.full(81, np.nan), np.full(81, np.nan))
    assert np.allclose(out, whole, atol=1e-12) and doubt
    gap = principal.copy()
    gap[30:33] = np.nan
    out, doubt = unwrapped(gap, t, rate, second)
    assert np.isnan(out[30:33]).all() and np.allclose(
        np.delete(out, [30, 31, 32]), np.delete(whole, [30, 31, 32]), atol=1e-12
    )

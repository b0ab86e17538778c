import numpy as np
import pytest
from _fabricated_run import PRECESSION, SPIN, TILT, attitude, model, run, travel

from holonom.model import ModelError
from holonom.model.orientation import euler313, from_quaternion, to_euler313
from holonom.results import Run, RunData
from holonom.results import _rotation as rotation


def derivative(values, t):
    """Fourth-order central differences at rows 2 .. -2."""
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * (t[1] - t[0]))


def test_quaternions_matrices_and_euler_angles_agree():
    rng = np.random.default_rng(1)
    q = rng.normal(size=(50, 4))
    m = rotation.matrices(q)
    for k in range(50):
        np.testing.assert_allclose(m[k], from_quaternion(q[k]), atol=1e-15)
        np.testing.assert_allclose(rotation.euler313(m)[k], to_euler313(m[k]), atol=1e-15)
    flat = np.array([euler313(0.4, 0.0, 0.3), np.diag([1.0, -1.0, -1.0])])  # theta 0 and pi
    np.testing.assert_allclose(rotation.euler313(flat), [to_euler313(a) for a in flat], atol=1e-15)


def test_part_histories_carry_units_and_axes():
    r = run()
    part = r.part("rotor")
    position, velocity, _ = travel(r.time)
    np.testing.assert_array_equal(part.position, position)
    np.testing.assert_array_equal(part.velocity.sel(axis="x"), velocity[:, 0])
    assert part.position.dims == ("time", "axis") and list(part.position.axis.values) == ["x", "y", "z"]
    assert part.position.attrs["units"] == "mm" and part.velocity.attrs["units"] == "mm/s"
    assert part.angular_acceleration.attrs["units"] == "rad/s^2" and part.position.time.attrs["units"] == "s"
    angles = np.unwrap(part.euler.values, axis=0)
    expected = np.stack([PRECESSION * r.time, np.full(len(r), TILT), SPIN * r.time], 1)
    np.testing.assert_allclose(angles, expected, atol=1e-12)


@pytest.mark.parametrize("reference", ["ROTOR", "rotor", 2, "2", "PART/2", "part/2", ".rotor.ROTOR"])
def test_parts_by_name_id_and_kind(reference):
    assert run(5).part(reference).name == "ROTOR"


def test_quaternion_rate_is_the_angular_velocity():
    r = run(401, 0.4)
    q, w, alpha = attitude(r.time)
    np.testing.assert_allclose(derivative(q, r.time), rotation.rate(q, w)[2:-2], atol=1e-9)
    np.testing.assert_allclose(derivative(w, r.time), alpha[2:-2], atol=1e-7)


@pytest.mark.parametrize("name", ["TIP", "ROTOR.cm"])
def test_marker_velocity_and_acceleration_are_derivatives_of_its_position(name):
    r = run(801, 0.8)
    tip = r.marker(name)
    np.testing.assert_allclose(derivative(tip.position.values, r.time), tip.velocity[2:-2], atol=1e-6)
    np.testing.assert_allclose(derivative(tip.velocity.values, r.time), tip.acceleration[2:-2], atol=1e-5)


def test_marker_place_and_axes():
    r = run(7)
    body = from_quaternion(r.part("ROTOR").quaternion.values[3])
    tip = r.marker("TIP")
    arm = np.array([7.0, 1.0, -4.0]) - np.array([3.0, -2.0, 1.0])  # from the centre of mass, body axes
    np.testing.assert_allclose(tip.position[3], r.part("ROTOR").position[3] + body @ arm, atol=1e-12)
    np.testing.assert_allclose(tip.axes[3], body @ euler313(0.3, 0.5, -0.2), atol=1e-12)
    np.testing.assert_allclose(r.marker("ROTOR.cm").position, r.part("ROTOR").position, atol=1e-12)
    np.testing.assert_allclose(
        r.part("ROTOR").origin[3], r.part("ROTOR").position[3] - body @ [3.0, -2.0, 1.0], atol=1e-12
    )
    assert r.part("ROTOR").marker("TIP").position.equals(tip.position)


def test_ground_markers_stand_still_and_floating_markers_sit_at_i():
    r = run(9)
    np.testing.assert_allclose(r.marker("FOOT").position, np.tile([1.0, 2.0, 3.0], (9, 1)), atol=1e-15)
    assert not r.marker("FOOT").velocity.any()
    assert not r.part("ground").position.any() and not r.part(1).velocity.any()
    floating = r.model.table("VFORCE")[1].jfloat
    np.testing.assert_allclose(r.marker(floating).position, r.marker("TIP").position, atol=1e-12)
    assert not r.marker(floating).velocity.any()  # the point of ground that is there


def test_floating_markers_of_curves_are_where_the_run_says():
    r = run(9)
    loose = r.model.floating_marker(r.model.parts[2])
    with pytest.raises(ModelError, match="nothing in this run places it"):
        r.marker(loose).position  # noqa: B018
    r.data.extra[f"marker/{loose.id}"] = r.marker("TIP").position.values
    np.testing.assert_allclose(r.marker(loose).velocity, r.marker("TIP").velocity, atol=1e-10)


def test_reactions_in_other_axes_keep_their_size_and_turn_back():
    r = run()
    hinge = r.joint("HINGE")
    local = hinge.in_axes("TIP")
    axes = r.marker("TIP").axes.values
    np.testing.assert_allclose(np.einsum("tij,tj->ti", axes, local.force), hinge.force, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(local.torque, axis=1), np.linalg.norm(hinge.torque, axis=1), atol=1e-12)
    foot = euler313(0.1, 1.1, 0.4)
    np.testing.assert_allclose(hinge.in_axes("FOOT").force, hinge.force.values @ foot, atol=1e-12)
    assert (
        local.force.attrs["units"] == "N"
        and local.torque.attrs["units"] == "N*mm"
        and "TIP" in local.force.attrs["axes"]
    )


def test_action_equals_reaction_about_any_point():
    r = run(31)
    hinge = r.joint("HINGE")
    np.testing.assert_array_equal(hinge.on_j.force, -hinge.force)
    i, j = r.marker("TIP").position.values, r.marker("FOOT").position.values
    total = hinge.torque + np.cross(i, hinge.force) + hinge.on_j.torque + np.cross(j, hinge.on_j.force)
    np.testing.assert_allclose(total, 0, atol=1e-11)
    np.testing.assert_allclose(hinge.on_j.on_j.torque, hinge.torque)


def test_motion_force_request_variable_state():
    r = run(11)
    np.testing.assert_allclose(r.motion("DRIVE").torque, 2 * r.joint(1).torque)
    np.testing.assert_allclose(r.force("SPRING").force, 2 * r.joint("HINGE").force)
    assert r.force("VFORCE/1").name == "PUSH"
    reach, custom = r.request("REACH"), r.request("CUSTOM")
    assert list(reach.component.values) == ["MAG", "X", "Y", "Z", "NONE", "PSI", "THETA", "PHI"]
    assert reach.sel(component="X").units == "mm" and reach.sel(component="PHI").units == "rad"
    assert (
        list(custom.component.values)[:4] == ["F1", "speed", "load", "F4"]
        and custom.sel(component="speed").units == "mm/s"
    )
    assert custom.attrs["title"] == "own components"
    np.testing.assert_array_equal(r.variable("ramp"), r.time)
    np.testing.assert_array_equal(r.state("LSE_1[1]"), 3 * r.time)
    assert r.state("lse_1").shape == (11, 2)
    np.testing.assert_allclose(r.energy.total, 1e-3 * (3 + 0.5 * r.time))  # the model is in mm and N
    assert r.energy.total.attrs["units"] == "J"


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda r: r.part("ROTER"), "did you mean 'ROTOR'"),
        (lambda r: r.part(9), "with id 9"),
        (lambda r: r.part(None), "give a name, an id"),
        (lambda r: r.joint("HNGE"), "did you mean 'HINGE'"),
        (lambda r: r.force(1), "SPRINGDAMPER/1' or 'VFORCE/1"),
        (lambda r: r.request("REACHED"), "did you mean 'REACH'"),
        (lambda r: r.variable("X"), "it has RAMP"),
        (lambda r: r.state("DIFF_2"), "did you mean 'DIFF_1'"),
        (lambda r: r.marker("TAP"), "did you mean 'tip'"),
        (lambda r: r.part("BEAD").marker("TIP"), "sits on PART/2"),
        (lambda r: r.at(3.0), "outside this run"),
        (lambda r: r.at([0.5, np.nan]), "outside this run"),
        (lambda r: r.segment(4), "no segment 4"),
        (lambda r: r.between(5, 6), "no output time"),
    ],
)
def test_unknown_names_and_times_are_refused_with_advice(ask, message):
    with pytest.raises(ModelError, match=message):
        ask(run(5))


def test_shapes_are_checked():
    with pytest.raises(ModelError, match=r"body_position must have shape \(2, 1, 3\)"):
        RunData(time=[0, 1], bodies=[("PART", 1, "a")], body_position=np.zeros((2, 3)))
    with pytest.raises(ModelError, match="constraint_i"):
        RunData(time=[0.0], constraint_i=[1])


def test_what_is_not_recorded_is_nan():
    data = RunData(time=[0.0, 1.0], bodies=[("PART", 2, "ROTOR")])
    r = Run(model(), data)
    assert np.isnan(r.part("ROTOR").position).all() and "dissipated" not in r.energy


def test_interpolation_is_of_fourth_order():
    fine = np.linspace(0.3, 1.7, 57)
    exact_r, exact_v, _ = travel(fine)
    exact_q, *_ = attitude(fine)
    errors = []
    for n in (101, 201):
        at = run(n).at(fine)
        q = at.part("ROTOR").quaternion.values
        errors.append(
            [
                np.abs(at.part("ROTOR").position - exact_r).max(),
                np.abs(at.part("ROTOR").velocity - exact_v).max(),
                np.minimum(np.abs(q - exact_q).max(1), np.abs(q + exact_q).max(1)).max(),
            ]
        )
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1, atol=1e-14)
    assert np.all(np.log2(np.divide(*errors)) > 3.6)


def test_interpolation_hits_rows_exactly_and_takes_the_later_of_two():
    r = run(21)
    assert r.at(r.time).data.body_position.tobytes() == r.data.body_position.tobytes()
    at = r.at([*r.time, 2.0])._rows(slice(0, 21))
    np.testing.assert_array_equal(at.data.body_position, r.data.body_position)
    np.testing.assert_array_equal(at.data.body_quaternion, r.data.body_quaternion)
    np.testing.assert_array_equal(at.data.constraint_force, r.data.constraint_force)
    assert len(r.at(0.5)) == 1
    step = Run(
        r.model, RunData(time=[0.0, 1.0, 1.0, 2.0], variables=["RAMP"], variable_values=[[0.0], [1.0], [5.0], [7.0]])
    )
    np.testing.assert_allclose(step.at([0.5, 1.0, 1.5, 2.0]).variable("RAMP"), [0.5, 5.0, 6.0, 7.0])


def test_runs_join_and_part_again():
    m = model()
    first, second = run(11, 1.0, m=m), run(21, 3.0, 1.0, m=m)
    joined = Run.concatenate([first, second])
    assert len(joined) == 32 and [(s.start, s.end) for s in joined.segments] == [(0, 11), (11, 32)]
    assert joined.counters["evaluations"] == 84 and len(joined.history) == 12
    for k, part in enumerate((first, second)):
        np.testing.assert_array_equal(joined.segment(k).data.body_velocity, part.data.body_velocity)
    np.testing.assert_array_equal(
        joined.between(1.5, 2.0).time, second.time[(second.time >= 1.5) & (second.time <= 2.0)]
    )
    with pytest.raises(ModelError, match="time falls"):
        Run.concatenate([second, first])
    second.data.variables = [("VARIABLE", 1, "OTHER")]
    with pytest.raises(ModelError, match="their variables differ"):
        Run.concatenate([first, second])


def test_dataset_of_everything():
    ds = run(5).to_xarray()
    assert ds.body_position.dims == ("time", "body", "axis") and ds.body_position.attrs["units"] == "mm"
    np.testing.assert_allclose(ds.body_position.sel(body="BEAD", axis="y"), 5 + ds.time)
    assert list(ds.constraint_kind.values) == ["JOINT", "MOTION"]
    assert ds.contact_gap.shape == (5, 2)


def test_summary():
    r = run()
    text = repr(r)
    assert len(r) == 201
    for words in ("'rotor'", "201 times", "0 to 2 s", "2 bodies", "dynamics (201)", "5 steps, 1 rejected", "ROTOR"):
        assert words in text


def test_angle_rates_and_momenta_of_a_spinning_rotor():
    """A symmetric rotor (I1 = 1, I3 = 2, mass 2, in kg and mm: impulses in N s have a factor 1e-3) in steady
    precession: the closed forms of Lagrange's top."""
    part = run().part("ROTOR")
    np.testing.assert_allclose(part.euler_rates.values, np.tile([PRECESSION, 0.0, SPIN], (201, 1)), atol=1e-12)
    spin = 2.0 * (SPIN + PRECESSION * np.cos(TILT))
    expected = np.array([PRECESSION * np.sin(TILT) ** 2 + spin * np.cos(TILT), 0.0, spin]) * 1e-3
    np.testing.assert_allclose(part.euler_momenta.values, np.tile(expected, (201, 1)), atol=1e-14)
    np.testing.assert_allclose(part.momentum.values, 2e-3 * part.velocity.values, rtol=1e-15)
    L = part.angular_momentum.values
    np.testing.assert_allclose(L[:, 2], expected[0], atol=1e-14)
    across = expected[2] * np.sin(TILT) - 1e-3 * PRECESSION * np.sin(TILT) * np.cos(TILT)
    np.testing.assert_allclose(np.hypot(L[:, 0], L[:, 1]), abs(across), atol=1e-14)
    assert part.momentum.attrs["units"] == "N*s" and part.euler_momenta.attrs["units"] == "N*mm*s"
    bead = run().part("BEAD")
    np.testing.assert_array_equal(bead.angular_momentum, 0.0)
    assert np.isnan(bead.euler_rates.values).all()  # its axes stay those of ground: psi and phi are not apart
    with pytest.raises(ModelError, match="is ground, which has no momentum"):
        run().part("ground").momentum  # noqa: B018

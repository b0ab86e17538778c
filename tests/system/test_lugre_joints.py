"""FRICTION with FORMULATION = LUGRE against an integration of its published equations, in steady slip, before slip, in
statics, from datasets."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from holonom import Model, simulate
from holonom.formats import parse_adm, parse_cmd
from holonom.model import ModelError
from holonom.model.idle import idle
from holonom.model.joints import Friction
from holonom.system.build import System

LOAD, MU_S, MU_D, S0, S1, S2, VS = 10.0, 0.4, 0.25, 4000.0, 20.0, 0.3, 0.02
LUGRE = dict(
    formulation="LUGRE",
    mu_static=MU_S,
    mu_dynamic=MU_D,
    bristle_stiffness_coefficient=S0,
    damping_coefficient=S1,
    viscous_friction_coefficient=S2,
    velocity_threshold_stribeck=VS,
    decay_exponent_stribeck=1.5,
)


def stribeck(v):
    return MU_D + (MU_S - MU_D) * np.exp(-((np.abs(v) / VS) ** 1.5))


def mu(v, z):
    rate = v - S0 * np.abs(v) / stribeck(v) * z
    return S0 * z + S1 * rate + S2 * v, rate


def block(**more):
    """1 kg in a slide along x, pressed by a preload."""
    m = Model("block", units="SI")
    part = m.part("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = m.translational(part, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.friction(joint, force_preload=LOAD, inputs=("PRELOAD",), **{**LUGRE, **more})
    return m, part


@pytest.mark.parametrize("speed", [0.005, 0.02, 0.3, -0.05])
def test_steady_slip(speed):
    m, part = block()
    m.motion(m.joints[1], f"{speed}*TIME")
    force = simulate(m, end=0.6, steps=6, error=1e-8).force("FRICTION_1").force.values[-1, 0]
    assert force == pytest.approx(-math.copysign(LOAD, speed) * (stribeck(speed) + S2 * abs(speed)), rel=2e-4)


def test_stick_slip_is_that_of_the_equations():
    """Pulled by a spring whose end moves: the published equations, integrated by themselves."""
    m, part = block()
    m.sforce(part.cm, m.marker_at(m.ground, (0, 0, 0)), "0")
    m.gforce(part.cm, m.ground, fx=f"60*(0.08*TIME-DX({part.cm}))", rm=m.marker_at(m.ground, (0, 0, 0)))
    m.table("SFORCE").clear()
    run = simulate(m, end=1.5, steps=150, error=1e-9)

    def rhs(t, y):
        friction, rate = mu(y[1], y[2])
        return [y[1], 60 * (0.08 * t - y[0]) - LOAD * friction, rate]

    exact = solve_ivp(rhs, (0, 1.5), [0, 0, 0], "Radau", t_eval=np.asarray(run.time), rtol=1e-10, atol=1e-12)
    x = run.part("block").position.values[:, 0]
    assert np.ptp(np.diff(x)) > 1e-3  # it sticks and slips
    np.testing.assert_allclose(x, exact.y[0], atol=2e-6)


def test_a_load_below_the_static_one_is_held_by_the_bristles():
    m, part = block()
    m.gforce(part.cm, m.ground, fx="3.2*STEP(TIME,0,0,0.2,1)", rm=m.marker_at(m.ground, (0, 0, 0)))
    run = simulate(m, end=2.0, steps=40)
    x = run.part("block").position.values[:, 0]
    assert 3.2 / (LOAD * S0) <= x[-1] < 2e-3 and abs(x[-1] - x[-10]) < 2e-5


def test_sliding_and_turning_share_the_friction():
    """Cylindrical joint: the friction opposes the vector of both slips; the equations with vectors, integrated by
    themselves."""
    m = Model("rod", units="SI")
    part = m.part(
        "rod",
        mass=1.0,
        inertia=(0.1, 0.1, 0.004),
        position=(0, 0, 0),
        velocity=(0, 0, 0.5),
        angular_velocity=(0, 0, 12.0),
    )
    joint = m.cylindrical(part, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction(joint, force_preload=LOAD, torque_preload=LOAD * 0.05, pin_radius=0.05, inputs=("PRELOAD",), **LUGRE)
    run = simulate(m, end=0.12, steps=60, error=1e-9)

    def rhs(t, y):
        v, z = np.array([y[1], 0.05 * y[3]]), y[4:]
        u = np.linalg.norm(v)
        rate = v - S0 * u / stribeck(u) * z
        f = S0 * z + S1 * rate + S2 * v
        return [y[1], -LOAD * f[0], y[3], -LOAD * 0.05 * f[1] / 0.004, *rate]

    exact = solve_ivp(
        rhs, (0, 0.12), [0, 0.5, 0, 12.0, 0, 0], "Radau", t_eval=np.asarray(run.time), rtol=1e-10, atol=1e-12
    ).y
    np.testing.assert_allclose(run.part("rod").velocity.values[:, 2], exact[1], atol=2e-5)
    np.testing.assert_allclose(run.part("rod").angular_velocity.values[:, 2], exact[3], atol=2e-4)


@pytest.mark.parametrize("integrator", ["GSTIFF", "HHT", "RADAU5"])
def test_implicit_methods_agree(integrator):
    ends = []
    for method in (integrator, "DOP853"):
        m, part = block()
        m.gforce(part.cm, m.ground, fx="6*SIN(9*TIME)", rm=m.marker_at(m.ground, (0, 0, 0)))
        run = simulate(m, end=1.0, steps=10, integrator=method, error=1e-6 if method != "DOP853" else 1e-9)
        ends.append(run.part("block").position.values[-1, 0])
    assert ends[0] == pytest.approx(ends[1], abs=2e-4)


def test_statics_hold_up_to_the_static_coefficient():
    """A load of 3.9 N is held by at most 4 N; 7 N moves it on against a spring of 100 N/m until 4 N are left."""
    for pull, place in ((3.9, 3.9 / (LOAD * S0 + 100.0)), (7.0, 0.03)):
        m, part = block()
        m.spring_damper(part.cm, m.marker_at(m.ground, (-1, 0, 0)), stiffness=100.0, damping=0.0, length=1.0)
        m.gforce(part.cm, m.ground, fx=repr(pull), rm=m.marker_at(m.ground, (0, 0, 0)))
        assert simulate(m, kind="statics").part("block").position.values[-1, 0] == pytest.approx(place, abs=1e-6)


HEAD = (
    "title\nPART/1, GROUND\nPART/2, MASS = 1, CM = 20, IP = 1, 1, 1\nMARKER/10, PART = 1\nMARKER/20, PART = "
    "2\nJOINT/1, REVOLUTE, I = 20, J = 10\n"
)
GIVEN = (
    ", BRISTLE_STIFFNESS_COEFFICIENT = 40, DAMPING_COEFFICIENT = 2, VISCOUS_FRICTION_COEFFICIENT = 0.1"
    ", VELOCITY_THRESHOLD_STRIBECK = 3, DECAY_EXPONENT_STRIBECK = 1.2"
)


def test_datasets_and_commands():
    model = parse_adm(HEAD + f"FRICTION/1, JOINT = 1, FORMULATION = LUGRE{GIVEN}\nEND\n", "t.adm")
    f = model.table("FRICTION")[1]
    numbers = (
        f.bristle_stiffness_coefficient,
        f.damping_coefficient,
        f.viscous_friction_coefficient,
        f.velocity_threshold_stribeck,
        f.decay_exponent_stribeck,
    )
    assert (
        f.formulation == "LUGRE"
        and numbers == (40, 2, 0.1, 3, 1.2)
        and f.extra == ()
        and not [w for w in idle(model) if "LUGRE" in w]
    )
    told = idle(parse_adm(HEAD + f"FRICTION/1, JOINT = 1{GIVEN}\nEND\n", "t.adm"))
    assert any("BRISTLE_STIFFNESS_COEFFICIENT" in w and "no influence without FORMULATION = LUGRE" in w for w in told)
    commands = (
        "model create model_name = m\nmarker create marker_name = .m.ground.g location = 0, 0, 0\n"
        "part create rigid_body name_and_position part_name = .m.A location = 0, 0, 0\n"
        "marker create marker_name = .m.A.a location = 0, 0, 0\nconstraint create joint revolute joint_name = .m.J "
        "i_marker_name = .m.A.a j_marker_name = .m.ground.g\n"
        "force create element_like friction friction_name = .m.F joint_name = .m.J formulation = lugre "
        "bristle_stiffness_coefficient = 40 damping_coefficient = 2 "
        "velocity_threshold_stribeck = 3\n"
    )
    f = parse_cmd(commands, "c.cmd", lenient=False).table("FRICTION")[1]
    assert (f.formulation, f.bristle_stiffness_coefficient, f.damping_coefficient, f.velocity_threshold_stribeck) == (
        "LUGRE",
        40,
        2,
        3,
    )


@pytest.mark.parametrize(
    "more, text",
    [
        (
            {"bristle_stiffness_coefficient": 0.0},
            "BRISTLE_STIFFNESS_COEFFICIENT is 0; FORMULATION = LUGRE needs a positive number",
        ),
        ({"velocity_threshold_stribeck": -1.0}, "VELOCITY_THRESHOLD_STRIBECK is -1"),
        ({"damping_coefficient": -1.0}, "DAMPING_COEFFICIENT is -1"),
        ({"effect": "SLIDING"}, "EFFECT = SLIDING belongs to FORMULATION = ORIGINAL"),
        ({"formulation": "DAHL"}, "FORMULATION is DAHL; choose ORIGINAL or LUGRE"),
    ],
)
def test_what_cannot_be(more, text):
    with pytest.raises(ModelError, match=text):
        simulate(block(**more)[0], end=0.1, steps=1)


def test_its_coefficients_have_no_defaults():
    """One sentence, wherever a model without them comes from and whatever is built of it."""
    text = "FRICTION.*: BRISTLE_STIFFNESS_COEFFICIENT is 0; FORMULATION = LUGRE needs a positive number"

    def slide():
        m = Model("slide", units="SI")
        part = m.part("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
        return m, m.translational(part, m.ground, at=(0, 0, 0), axis=(1, 0, 0))

    m, joint = slide()
    with pytest.raises(ModelError, match=text):
        m.friction(joint, formulation="LUGRE")
    m, joint = slide()
    m.add(Friction(joint=joint.id, formulation="lugre"))
    with pytest.raises(ModelError, match=text):
        System(m)
    with pytest.raises(ModelError, match=text):
        simulate(m, end=0.1, steps=1)
    with pytest.raises(ModelError, match=text):
        simulate(parse_adm(HEAD + "FRICTION/1, JOINT = 1, FORMULATION = LUGRE\nEND\n", "t.adm"), end=0.1, steps=1)

"""Tangents in place of adjoints: the same derivatives to rounding, chosen by cost."""

import numpy as np
import pytest
import test_gradient_flexible as flexible
import test_gradient_meshes as meshes
from test_gradient import OF_PARTS, OF_SPRING, four_bar, places, two

import holonom as hn
from holonom.analyses.derivatives import gradient as g


def both(model, functionals, names, tolerance=1e-12, **options):
    """Tables by adjoints and by tangents, which agree to rounding."""
    one = hn.sensitivities(model, functionals, names, mode="adjoint", **options)
    other = hn.sensitivities(model, functionals, names, mode="tangent", **options)
    size = np.abs(one.matrix).max(axis=0)
    apart = np.abs(other.matrix - one.matrix).max(axis=0)
    assert (size > 0.0).all() and (apart <= tolerance * size).all(), apart / size
    assert one.warnings == other.warnings
    return one


def test_tangents_equal_adjoints():
    """Joints, springs, states, functions, friction that feels reactions, hardpoints, initial velocities, reactions."""
    m, a, b = two("revolute")
    m.friction(
        m.joints[2], mu_static=0.03, mu_dynamic=0.02, formulation="LUGRE", bristle_stiffness_coefficient=5.0,
        damping_coefficient=0.05, viscous_friction_coefficient=0.01, velocity_threshold_stribeck=0.3, pin_radius=0.05,
    )  # fmt: skip
    m.diff(f"VX({b.cm})-DIF(1)", ic=0.2)
    force = m.vforce(b.cm, m.ground, fx="3*DIF(1)", fz=f"-0.4*VZ({b.cm})", rm=m.marker(m.ground))
    J = {
        "x": hn.final(f"DX({b.cm})"),
        "pin": hn.value_at("JOINT(2,0,4,0)", 0.1),
        "swing": hn.integral(f"DZ({b.cm})**2"),
        "curve": hn.least_squares(f"DY({b.cm})", [0.05, 0.1, 0.2], [0.3, 0.3, 0.3]),
    }
    names = [*OF_PARTS, *OF_SPRING, *places(m, m.find("SPRINGDAMPER", 1)), f"VFORCE/{force.id}.FX(1)"]
    names += ["FRICTION/1.MU_DYNAMIC", "DIFF/1.IC", "PART/2.VY"]
    # pulls of constants of functions and of friction are differences themselves, with their rounding
    tolerance = np.full(len(hn.gradient(m, J["x"], names, end=0.01).vector), 1e-11)
    tolerance[[-4, -3]] = 2e-9
    both(m, J, names, tolerance, end=0.2)


def loop():
    """The four-bar with a hardpoint h, and a marker of its coupler."""
    m, parts, joints, P = four_bar()
    m.parameter("h", P[2], moves=[joints[2]])
    return m, m.marker(parts[1], (0.1, 0, 0))


def test_a_redundant_loop_and_its_start():
    m, tip = loop()
    names = ["PART/3.MASS", "SPRINGDAMPER/1.K", f"MARKER/{m.joints[2].i}.QP(1)"]
    both(m, [hn.final(f"DX({tip})+DZ({tip})"), hn.peak(f"VX({tip})")], names, end=0.2)


def test_coordinates_of_meshes():
    """A cable with a load: by its moduli and damping (whose pulls are differences, to 1e-11), and by all else."""
    m, rope, load, middle = meshes.swinging()
    J = [meshes.of_motion(load, middle), hn.final(f"ACCY({middle})+JOINT(1,0,4,0)")]
    names = ["E", "damping", "density", "GRAVITY", "PART/2.MASS", "SPRINGDAMPER/1.K", f"MARKER/{middle.id}.QP"]
    tolerance = np.array([1e-11] * 3 + [1e-12] * 8)
    table = both(m, J, names, tolerance, end=0.03)
    assert np.isfinite(table.matrix).all()


def test_coordinates_of_modes():
    """A flexible bar on a pin with a load, forces on its modes, by its damping and all else."""
    m, part, body, load, tip, middle = flexible.hanging()
    J = [flexible.of_tip(tip), hn.value_at(f"VY({middle})", 0.01)]
    names = [n for n in flexible.numbers(m, body, middle) if "FY(" not in n and "SCALE" not in n]
    both(m, J, names, end=0.03)


def test_the_coordinate_of_a_sliding_mass():
    m = hn.Model("m")
    m.gravity = (0.2, 0, -9.81)
    cart = m.part("cart", 3.0, (0.1, 0.2, 0.3), position=(0, 0, 0))
    m.revolute(cart, m.ground, at=(0, 0, 0.5), axis=(0, 1, 0))
    mass = m.sliding_mass(cart, (0, 0, 0.2), mass=2.0, stiffness=80.0, damping=0.5, length=0.1, travel=0.3)
    names = [*(mass.number(f).name for f in ("mass", "stiffness", "damping", "length")), "PART/2.MASS", "GRAVITY(3)"]
    both(m, [hn.final(f"WY({cart.cm})"), hn.integral(f"DX({cart.cm})**2")], names, end=0.1)


def test_the_cheaper_one_is_chosen(monkeypatch):
    """52 numbers of state: a curve of 40 points costs less by tangents, one number by its adjoint."""
    chosen = []
    tangents = g.tangents
    monkeypatch.setattr(g, "tangents", lambda *given: (chosen.append(1), tangents(*given))[1])
    m, tip = loop()
    hn.sensitivities(m, [hn.final(f"DX({tip})")], ["h"], end=0.1, error=1e-6)
    assert not chosen
    curve = {f"{t:.3f}": hn.value_at(f"DX({tip})", float(t)) for t in np.linspace(0.01, 0.1, 40)}
    table = hn.sensitivities(m, curve, ["h"], end=0.1, error=1e-6)
    assert chosen and table.matrix.shape == (40, 3)
    one = hn.gradient(m, curve["0.100"], ["h"], end=0.1, error=1e-6)
    assert table.matrix[-1] == pytest.approx(one.vector, rel=1e-6)


def test_a_derivative_that_is_not_finite_is_no_silent_result():
    m, tip = loop()
    endless = hn.final(f"DX({tip})").apply(lambda x: x, lambda x: np.inf)
    with pytest.raises(hn.ModelError, match="derivative by h is not finite: the steps magnify"):
        hn.gradient(m, endless, ["h"], end=0.05)


def test_what_has_no_tangents_is_refused():
    m, tip = loop()
    J = [hn.final(f"DX({tip})")]
    with pytest.raises(hn.ModelError, match="no tangents of implicit methods"):
        hn.sensitivities(m, J, ["h"], end=0.05, mode="tangent", integrator="RADAU5", error=1e-4)
    with pytest.raises(hn.ModelError, match="mode is 'forward'; choose auto, adjoint, tangent"):
        hn.sensitivities(m, J, ["h"], end=0.1, mode="forward")

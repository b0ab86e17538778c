"""Gradients of runs with implicit methods: the transpose of their own steps, against differences at fixed steps."""

import re

import numpy as np
import pytest
from test_gradient import OF_PARTS, OF_SPRING, check, four_bar, places, two

import holonom as hn

METHODS = ("RADAU5", "HHT", "GENERALIZED_ALPHA", "NEWMARK", "IMPLICIT_EULER")
FIXED = {"hmin": 0.004, "hmax": 0.004, "newton": 1e-10, "error": 1e-6}
OF_RADAU = {"hmin": 0.012, "hmax": 0.012, "newton": 1e-12, "error": 1e-6}
BOTH = pytest.mark.parametrize("integrator, tolerance, fixed", [("HHT", 1e-7, FIXED), ("RADAU5", 1e-8, OF_RADAU)])


@pytest.mark.parametrize("integrator", METHODS)
def test_numbers_of_a_mechanism_with_each_method(integrator):
    m, a, b = two("revolute")
    tip = m.marker(b, (0.12, 0, 0.01))
    spring = m.find("SPRINGDAMPER", "spring")
    functional = hn.final(f"DX({tip})") + 0.3 * hn.value_at(f"WZ({tip})*DY({tip})", 0.05) + hn.integral(f"VM({tip})**2")
    names = [*OF_PARTS, *OF_SPRING, *places(m, spring)]
    if integrator == "RADAU5":
        check(m, functional, names, 0.12, 1e-8, integrator=integrator, **OF_RADAU)
    else:
        check(m, functional, names, 0.12, 1e-7, integrator=integrator, **FIXED)


@pytest.mark.parametrize("joint", ["universal", "planar", "translational"])
def test_joints_and_positions_of_forces(joint):
    m, a, b = two(joint)
    tip = m.marker(b, (0.12, 0, 0.01))
    at = places(m, m.find("SPRINGDAMPER", "spring"))
    check(m, hn.final(f"DX({tip})+DZ({tip})"), [*OF_PARTS, *at], 0.12, 1e-7, integrator="HHT", **FIXED)


@BOTH
def test_a_redundant_loop_with_a_hardpoint(integrator, tolerance, fixed):
    m, parts, joints, P = four_bar()
    m.parameter("h", P[2], moves=[joints[2]])
    tip = m.marker(parts[1], (0.1, 0, 0))
    names = ["h", "PART/3.MASS", "SPRINGDAMPER/1.K"]
    check(m, hn.final(f"DX({tip})+DZ({tip})"), names, 0.12, tolerance, integrator=integrator, **fixed)


@BOTH
def test_states_functions_and_motions(integrator, tolerance, fixed):
    m, a, b = two()
    i, j = m.marker(a, (0.1, 0, 0)), m.marker(b, (0, 0.1, 0.02))
    k = m.parameter("k", 40.0)
    d = m.diff(f"-3*DIF(1)+DM({i},{j})+0.1*VR({i},{j})", ic=0.2, id=1)
    m.sforce(i, j, f"-{k}*(DM({i},{j})-0.3)**3-VR({i},{j})*SIN(TIME+1)-DIF({d})")
    m.bushing(
        m.marker(a, (0.1, 0.02, 0)), m.marker(b, (-0.1, 0, 0.03)), (100, 200, 300), (1, 2, 3), (1, 2, 3), (0.1,) * 3
    )
    c = m.part("c", mass=1.5, inertia=(0.03, 0.05, 0.04), position=(1.1, 0.0, 0.0))
    l = m.translational(c, m.ground, at=(1.0, 0, 0), axis=(1, 0.2, 0))
    m.motion(l, "0.3*SIN(3*TIME)")
    m.spring_damper(m.marker(b), m.marker(c, (-0.02, 0.1, 0)), 80.0, 1.0, 0.3)
    names = ["k", *OF_PARTS, "DIFF/1.FUNCTION(1)", "DIFF/1.IC", "BUSHING/1.K", f"MARKER/{i.id}.QP"]
    functional = hn.final(f"DX({b})") + hn.integral(f"DIF({d})*VX({b})")
    check(m, functional, names, 0.12, tolerance, integrator=integrator, **fixed)


def test_a_stiff_model_with_error_control_is_near_the_explicit_one():
    m, a, b = two("revolute")
    m.torsion_spring(*(m.find("JOINT", "joint").ports[:2]), 2e4, 20.0)
    functional = hn.final(f"DX({m.marker(b, (0.12, 0, 0.01))})")
    names = ["PART/3.MASS", "SPRINGDAMPER/1.K", "GRAVITY"]
    stiff = hn.gradient(m, functional, names, end=0.2, integrator="HHT")
    exact = hn.gradient(m, functional, names, end=0.2)
    error = np.linalg.norm(stiff.vector - exact.vector) / np.linalg.norm(exact.vector)
    told = float(re.search("about ([0-9.e+-]+) of the size", " ".join(stiff.warnings))[1])
    assert 0.2 * error < told < 5 * error
    np.testing.assert_allclose(stiff.vector, exact.vector, rtol=0.02, atol=2e-3 * np.abs(exact.vector).max())


def test_methods_without_an_adjoint_are_refused():
    m, a, b = two()
    for options, sentence in (
        ({"integrator": "GSTIFF"}, "GSTIFF has no adjoint; choose DOP853, .*RADAU5"),
        ({"integrator": "RADAU5", "formulation": "SI2"}, "gradient takes no formulation"),
        ({"integrator": "HHT", "group": "SE3"}, "steps on SE3 have no adjoint"),
        ({"integrator": "HHT", "formulation": "SI2"}, "gradient takes no formulation"),
    ):
        with pytest.raises(hn.ModelError, match=sentence):
            hn.gradient(m, hn.final(f"DX({b})"), "PART/2.MASS", end=0.1, **options)

"""Gradients of runs with inertias of drives (armature of joints): about a fixed axis they are inertias of the body."""

import numpy as np
import pytest
from test_gradient import check

import holonom as hn

A = 0.004


def pendulum(armature=None, more=0.0):
    model = hn.Model("pendulum")
    model.gravity = (0, 0, -9.81)
    rod = model.part("rod", 2.0, (0.02, 0.03 + more, 0.015), (0.3, 0.0, -0.2), velocity=(0.1, 0.0, 0.15))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0), armature=armature)
    return model, f"DX({rod.cm})+0.3*VZ({rod.cm})"


def test_a_drive_is_an_inertia_about_a_fixed_axis():
    names = ["PART/2.IP(2)", "PART/2.MASS", "GRAVITY(3)", "PART/2.QG(1)"]
    model, text = pendulum(A)
    ours = hn.gradient(model, hn.final(text), ["JOINT/1.ARMATURE", *names], end=0.6)
    same, text = pendulum(more=A)
    theirs = hn.gradient(same, hn.final(text), names, end=0.6)
    assert ours.vector[1:] == pytest.approx(theirs.vector, rel=1e-8)
    assert ours["JOINT/1.ARMATURE"] == pytest.approx(theirs["PART/2.IP(2)"], rel=1e-8)


def test_drives_of_an_arm_whose_axes_cross():
    model = hn.Model("arm")
    model.gravity = (0.5, -1.0, -9.0)
    one = model.part("one", 2.0, (0.05, 0.06, 0.03), (0.2, 0.0, 0.1))
    two = model.part("two", 1.5, (0.03, 0.02, 0.04), (0.5, 0.1, 0.2), angular_velocity=(0.1, 0.4, 0.2))
    three = model.part("three", 1.0, (0.02, 0.02, 0.03), (0.7, 0.3, 0.2))
    model.revolute(one, model.ground, at=(0, 0, 0), axis=(0, 0.3, 1), armature=0.05)
    pin = model.revolute(two, one, at=(0.4, 0, 0.1), axis=(0, 1, 0.2), armature=0.03)
    model.translational(three, two, at=(0.6, 0.2, 0.2), axis=(1, 0.5, 0), armature=0.4)
    model.torsion_spring(pin.i, pin.j, stiffness=3.0, damping=0.1)
    names = [*(f"JOINT/{k}.ARMATURE" for k in (1, 2, 3)), "PART/2.MASS", "PART/3.IP", "GRAVITY", "SPRINGDAMPER/1.KT"]
    check(model, hn.final(f"DX({three.cm})+0.1*VY({two.cm})"), names, end=0.3)
    g = hn.sensitivities(model, [f"DX({three.cm})", f"DY({two.cm})"], names, end=0.1, mode="tangent")
    other = hn.sensitivities(model, [f"DX({three.cm})", f"DY({two.cm})"], names, end=0.1, mode="adjoint")
    assert np.abs(g.matrix - other.matrix).max() < 1e-12 * np.abs(g.matrix).max()


def test_drives_with_implicit_methods_are_refused():
    model, text = pendulum(A)
    with pytest.raises(hn.ModelError, match="inertias of drives .* derivative with HHT yet; choose DOP853"):
        hn.gradient(model, hn.final(text), ["PART/2.MASS"], end=0.1, integrator="HHT")

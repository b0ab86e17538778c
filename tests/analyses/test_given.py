"""Initial values that the user gives are what the run begins with, or a warning states which are not, over all joints,
frames of reference and units."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.analyses.checks.given import not_kept
from holonom.system.build import System

AT, AXIS, CROSS = (0.1, -0.2, 0.3), (0.3, 1.0, 0.2), (1.0, 0.0, -1.5)
JOINTS = [
    "revolute",
    "translational",
    "cylindrical",
    "spherical",
    "planar",
    "fixed",
    "universal",
    "hooke",
    "constant_velocity",
    "screw",
]
PRIMITIVES = ["INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "ATPOINT"]
V, W = (0.5, -0.3, 0.8), (1.0, 2.0, -0.7)


def machine(kind: str, v=V, w=W, units: str = "SI", offset=(0.0, 0.0, 0.0)) -> hn.Model:
    """A part held to ground by one joint, with all six velocities."""
    scale = {"SI": 1.0, "mm": 1000.0}[units]
    o = np.asarray(offset, float) * scale
    model = hn.Model("p", units=units)
    size = scale**2
    part = model.part("rod", 2.0, (0.01 * size, 0.167 * size, 0.16 * size), o + np.array([0.5, 0.1, 0.0]) * scale)
    part.vx, part.vy, part.vz = (float(x) * scale for x in v)
    part.wx, part.wy, part.wz = map(float, w)
    at = tuple(o + np.array(AT) * scale)
    if kind in PRIMITIVES:
        model.primitive(kind, part, model.ground, at=at, axis=AXIS, x=CROSS)
    else:
        more = {"pitch": 0.1 * scale} if kind == "screw" else {"x": CROSS} if kind in ("universal", "hooke") else {}
        getattr(model, kind)(part, model.ground, at=at, axis=AXIS, **more)
    return model


def began(model: hn.Model):
    system = System(model, initial=True)
    y = assemble(system).y
    return system, y, not_kept(system, y)


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize("kind", JOINTS + PRIMITIVES)
def test_velocities_against_a_joint_are_reported_and_those_that_fit_are_not(kind, units):
    _, y, told = began(machine(kind, units=units))
    assert len(told) == 1 and "PART/2 'rod': its initial velocity is not kept" in told[0]
    assert "given vx = 0.5" in told[0] or "given vx = 500" in told[0] or "given wx = 1" in told[0]
    scale = {"SI": 1.0, "mm": 1000.0}[units]
    system = System(machine(kind, units=units), initial=True)
    spin = system.local[0].axes @ y[10:13]
    _, z, told = began(machine(kind, y[7:10] / scale, spin, units=units))
    assert not told
    np.testing.assert_allclose(z[7:13], y[7:13], rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "planar", "INLINE"])
@pytest.mark.parametrize("offset", [(100.0, 0.0, 0.0), (1e4, -7e3, 3e3)])
def test_what_they_are_fitted_to_does_not_depend_on_the_origin(kind, offset):
    """The size of a machine is that of the box around it, wherever it stands."""
    near, y, _ = began(machine(kind))
    far, z, _ = began(machine(kind, offset=offset))
    assert far.extent == pytest.approx(near.extent, rel=1e-9)
    np.testing.assert_allclose(z[7:13], y[7:13], atol=1e-8)


def test_markers_to_which_functions_refer_do_not_change_the_size_of_a_machine():
    model = machine("revolute", offset=(100.0, 0.0, 0.0))
    size = System(model).extent
    model.sforce(
        model.marker("rod", (0, 0, 0)), model.marker(model.ground, (0, 0, 0)), f"DX({model.parts[2].cm},1)", "pull"
    )
    assert System(model).extent == pytest.approx(size)


def test_a_wheel_on_its_axle_has_the_size_of_its_inertia():
    model = hn.Model("wheel")
    part = model.part("wheel", 2.0, (0.5, 0.5, 1.0), (7.0, 0, 0))
    model.revolute(part, model.ground, at=(7.0, 0, 0), axis=(0, 0, 1))
    assert System(model).extent == pytest.approx(np.sqrt(0.5))


def test_two_speeds_of_a_slider_crank_that_disagree():
    """The speed of the crank that is given in full is compared in its own axes, whatever the assembly makes of it."""
    model = hn.Model("slider-crank")
    crank = model.part("crank", 1.0, (0.01, 0.01, 0.01), (0.0, 0.1, 0.0))
    rod = model.part("rod", 1.0, (0.01, 0.02, 0.02), (0.2, 0.1, 0.0))
    slider = model.part("slider", 1.0, (0.01, 0.01, 0.01), (0.4, 0.0, 0.0))
    model.revolute(crank, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
    model.revolute(rod, crank, at=(0, 0.2, 0), axis=(0, 0, 1))
    model.revolute(rod, slider, at=(0.4, 0, 0), axis=(0, 0, 1))
    model.translational(slider, model.ground, at=(0.4, 0, 0), axis=(1, 0, 0))
    crank.wz, slider.vx = 10.0, -2.0  # at this angle of the rod the slider moves with -0.2 wz
    assert not began(model)[2]
    slider.vx = 3.0
    told = began(model)[2]
    assert any("'slider'" in text and "given vx = 3" in text for text in told) and any(
        "given wz = 10" in text for text in told
    )


def test_a_mechanism_without_freedom_reports_what_its_motion_overrides():
    model = machine("revolute", v=(0, 0, 0), w=(0, 0, 0))
    part = model.parts[2]
    part.vx = part.vy = part.vz = part.wx = part.wy = part.wz = None
    model.motion(next(iter(model.joints.values())), "2*TIME", "drive")
    assert not began(model)[2]
    part.wy = 7.0
    with pytest.warns(
        hn.ModelWarning, match="'rod': its initial velocity is not kept: given wy = 7, the run begins with wy = 1.881"
    ):
        run = hn.simulate(model, 0.1, 2)
    assert any("given wy = 7" in text for text in run.info["warnings"])
    assert any("given wy = 7" in text for text in hn.check(model).warnings)


def test_axes_of_other_markers():
    """Velocities given along VM and about WM are compared there."""
    for against in (False, True):
        model = hn.Model("p")
        part = model.part("rod", 2.0, (0.01, 0.2, 0.2), (0.5, 0, 0))
        tilted = model.marker(model.ground, (0, 0, 0), z=(1, 0, 0), x=(0, 1, 0))
        model.revolute(part, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
        part.vm = part.wm = tilted.id
        part.vx, part.wy = 1.0, 1.0 if against else 2.0  # along ground y, about ground z
        told = began(model)[2]
        assert bool(told) == against
        assert not told or "given vx = 1" in told[0]


def test_point_masses_and_modes_of_motion():
    model = hn.Model("p")
    mass = model.point_mass("bob", 1.0, (1, 0, 0), velocity=(3.0, 0, 0))
    model.joint("SPHERICAL", model.marker(mass, (0, 0, 0)), model.marker(model.ground, (1, 0, 0)), "ball")
    assert began(model)[2] == [
        "POINT_MASS/1 'bob': its initial velocity is not kept: given vx = 3, vy = 0, vz = 0, the run begins with vx = "
        "0, vy = 0, vz = 0 m/s; "
        "joints and motions do not allow the one given: give one that fits them, or leave components out, which then "
        "follow"
    ]


@pytest.mark.parametrize("other", [False, True])
def test_initial_conditions_that_a_motion_overrides(other):
    """``other``: a joint whose initial conditions hold stands next to it, so that the model is assembled twice."""
    model = hn.Model("p")
    part = model.part("rod", 2.0, (0.01, 0.2, 0.2), (0.5, 0, 0))
    pin = model.joint("REVOLUTE", part, model.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1), icrot=(0.3, 2.0))
    if other:
        more = model.part("more", 2.0, (0.01, 0.2, 0.2), (0.5, 0, 0))
        model.joint("REVOLUTE", more, model.ground, "free", at=(0, 0, 0), axis=(0, 0, 1), icrot=(0.1, -1.0))
    assert not hn.check(model).warnings and not hn.simulate(model, 0.01, 1).info["warnings"]
    model.motion(pin, "TIME", "drive")
    told = "JOINT/1 'pin': its initial angle or its rate has no influence: MOTION/1 'drive'"
    assert any(told in text for text in hn.check(model).warnings)
    assert any(told in text for text in hn.simulate(model, 0.01, 1).info["warnings"])


def test_many_parts_are_summed_up_and_statics_has_no_velocities():
    model = hn.Model("row")
    for k in range(9):
        part = model.part(f"p{k}", 1.0, (1, 1, 1), (k, 0, 0))
        part.vx = 1.0
        model.fixed(part, model.ground, at=(k, 0, 0))
    system, y, told = began(model)
    assert len(told) == 6 and told[-1] == "initial velocities of 4 more parts are not kept"
    assert not not_kept(system, y, "statics")

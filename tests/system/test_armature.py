"""Inertias of drives (`armature` of joints) in both numberings, in analyses and in robot files.

Oracles: the same pendulum with that inertia in its body; a rotor of its own that a coupler turns with the joint; closed
forms.  MuJoCo's humanoid: `tests/formats/test_mjcf.py`.
"""

import warnings

import numpy as np
import pytest

import holonom as hn

A = 0.004  # kg m^2
L2 = 0.3**2 + 0.2**2
ACROSS = np.eye(3) - np.outer([0.0, 0.3, 1.0], [0.0, 0.3, 1.0]) / (0.3**2 + 1.0)  # the axis of the first joint


def pendulum(armature=None, more=0.0):
    model = hn.Model("pendulum")
    model.gravity = (0, 0, -9.81)
    rod = model.part("rod", 2.0, (0.02, 0.03 + more, 0.015), (0.3, 0.0, -0.2))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0), armature=armature)
    return model


METHODS = {
    "DOP853": {"error": 1e-11},
    "joint": {"coordinates": "joint", "error": 1e-11},
    "RKF45": {"integrator": "RKF45", "error": 1e-10},
    "ABAM": {"integrator": "ABAM", "error": 1e-10},
    "RADAU5": {"integrator": "RADAU5", "error": 1e-10},
    "GSTIFF": {"integrator": "GSTIFF", "error": 1e-8},
    "SI2": {"integrator": "GSTIFF", "formulation": "SI2", "error": 1e-8},
    "HHT": {"integrator": "HHT", "error": 1e-8},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_drive_moves_as_the_same_inertia_about_a_fixed_axis(method):
    options = dict(end=0.6, steps=6, progress=False, **METHODS[method])
    run, same = (hn.simulate(m, **options) for m in (pendulum(A), pendulum(more=A)))
    accuracy = 1e-9 if options["error"] <= 1e-10 else 2e-5
    for of in (lambda r: r.joint("pin").angle, lambda r: r.energy["kinetic"], lambda r: r.joint("pin").force):
        ours, theirs = of(run).values, of(same).values
        assert np.abs(ours - theirs).max() < accuracy * np.abs(theirs).max()
    # what the drive takes is the reaction about the axis:  a q'', from rest m g x / (J + m l^2 + a)
    turned = abs(run.joint("pin").torque.values[0, 1])
    assert turned == pytest.approx(A * 2.0 * 9.81 * 0.3 / (0.03 + 2.0 * L2 + A), rel=1e-7)
    assert np.abs(same.joint("pin").torque.values[:, 1]).max() < 1e-9


def arm(drives, loop=False, rotors=False):
    """Two hinges and a slider with axes that cross in space; ``loop``: tied back to ground by a rod.  ``rotors``: for
    each inertia a wheel of its own, coupled to the joint, in place of it."""
    model = hn.Model("arm")
    model.gravity = (0.5, -1.0, -9.0)
    one = model.part("one", 2.0, (0.05, 0.06, 0.03), (0.2, 0.0, 0.1))
    two = model.part("two", 1.5, (0.03, 0.02, 0.04), (0.5, 0.1, 0.2))
    three = model.part("three", 1.0, (0.02, 0.02, 0.03), (0.7, 0.3, 0.2))
    given = dict(zip(("first", "second", "third"), drives))
    inertia = lambda name: None if rotors else given[name]
    joints = [
        model.revolute(one, model.ground, "first", at=(0, 0, 0), axis=(0, 0.3, 1), armature=inertia("first")),
        model.revolute(two, one, "second", at=(0.4, 0, 0.1), axis=(1, 1, 0.2), armature=inertia("second")),
        model.translational(three, two, "third", at=(0.7, 0.3, 0.2), axis=(0.2, 1, -0.5), armature=inertia("third")),
    ]
    if loop:
        rod = model.part("rod", 0.5, (0.01, 0.01, 0.01), (0.85, 0.15, -0.1))
        model.spherical(rod, three, "ball", at=(0.7, 0.3, 0.2))
        model.universal(rod, model.ground, "cross", at=(1.0, 0.0, -0.4), axis=(1, 0, 0), x=(0, 1, 0))
    for joint in joints if rotors else ():
        wheel = model.part(f"wheel {joint.name}", 1.0, (1.0, 1.0, given[joint.name]), (5, 5, 5))
        axle = model.revolute(wheel, model.ground, f"axle {joint.name}", at=(5, 5, 5), axis=(0, 0, 1))
        model.coupler([axle, joint], (1.0, -1.0), ("R", "T" if joint.type == "TRANSLATIONAL" else "R"))
    return model


@pytest.mark.parametrize("loop", [False, True])
def test_a_drive_is_a_rotor_that_a_coupler_turns(loop):
    drives = (0.3, 0.1, 0.8)
    options = dict(end=0.4, steps=4, error=1e-11, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hn.ModelWarning)  # no body has the inertia of the wheels
        want = hn.simulate(arm(drives, loop, rotors=True), **options)
    for coordinates in ("maximal", "joint"):
        run = hn.simulate(arm(drives, loop), coordinates=coordinates, **options)
        for name in ("first", "second"):
            assert run.joint(name).angle.values == pytest.approx(want.joint(name).angle.values, abs=2e-9)
        assert run.joint("third").travel.values == pytest.approx(want.joint("third").travel.values, abs=2e-9)
        assert run.energy["kinetic"].values == pytest.approx(want.energy["kinetic"].values, rel=1e-8)
        assert np.ptp(run.energy["total"].values) < 1e-8 * np.abs(run.energy["total"].values).max()
        # the reaction of the joint is that of the other model and, about its axis, what the drive takes
        for part in ("force", "torque"):
            ours, theirs = (getattr(r.joint("first"), part).values for r in (run, want))
            if part == "torque":
                ours, theirs = ours @ ACROSS, theirs @ ACROSS
            assert ours == pytest.approx(theirs, abs=1e-7 * np.abs(theirs).max())


def test_statics_and_small_motions():
    """An equilibrium does not feel a drive, whatever ran before; the frequency is sqrt(m g l / (J + m l^2 + a))."""
    model = pendulum(A)
    sim = hn.Simulation(model)
    sim.dynamics(end=0.1, steps=1)
    sim.statics()
    found = sim.linearize()
    w = np.sqrt(2.0 * 9.81 * np.sqrt(L2) / (0.03 + 2.0 * L2 + A))
    assert np.abs(found.eigenvalues).max() == pytest.approx(w, rel=1e-8)
    assert hn.check(pendulum(A)).degrees_of_freedom == 1


def test_a_stop_returns_the_momentum_of_the_drive():
    """A pendulum with a drive bounces as one whose body has its inertia."""
    options = dict(end=0.8, steps=8, error=1e-10, progress=False)
    runs = []
    for model in (pendulum(A), pendulum(more=A)):
        model.stop("pin", upper=0.5, restitution=0.6)
        runs.append(hn.simulate(model, **options))
    run, same = runs
    angle = run.joint("pin").angle.values
    assert 0.4 < angle.max() < 0.5 + 1e-9 and np.diff(angle).min() < -0.05  # it bounces
    assert run.joint("pin").angle.values == pytest.approx(same.joint("pin").angle.values, abs=1e-8)
    assert run.energy["kinetic"].values == pytest.approx(same.energy["kinetic"].values, rel=1e-7)


def test_files_keep_drives(tmp_path):
    model = arm((0.3, 0.1, 0.8))
    hn.write_adams(model, tmp_path / "arm.adm")
    for again in (hn.read_adams(tmp_path / "arm.adm"), hn.Model.from_json(model.to_json())):
        assert [j.armature for j in again.joints.values()] == [0.3, 0.1, 0.8]
    hn.write_mjcf(model, tmp_path / "arm.xml")
    again = hn.read_mjcf(tmp_path / "arm.xml")
    assert sorted(j.armature for j in again.joints.values()) == pytest.approx([0.1, 0.3, 0.8])
    with pytest.warns(hn.ModelWarning, match="armature of joint 'first'"):
        hn.write_urdf(model, tmp_path / "arm.urdf")


def test_drives_that_cannot_be_are_refused():
    model = hn.Model("wrong")
    part = model.part("part", 1.0, (1, 1, 1), (0, 0, 0))
    joint = model.spherical(part, model.ground, "ball", at=(0, 0, 0), armature=0.1)
    with pytest.raises(hn.ModelError, match="'ball'.*armature.*revolute, translational or screw joints; leave it out"):
        hn.simulate(model, end=0.1, steps=1, progress=False)
    model.remove(joint)
    model.revolute(part, model.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1), armature=-1.0)
    with pytest.raises(hn.ModelError, match="'pin'.*armature is -1; give zero or a positive inertia"):
        hn.simulate(model, end=0.1, steps=1, progress=False)

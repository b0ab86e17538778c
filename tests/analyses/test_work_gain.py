"""What is reported of a run whose energy grows without a source: when, by how much, and which contacts touch."""

from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.dynamics.work import free_play, gain, play, roundoff


def recorder(kinetic, points, dissipated=None):
    n = len(kinetic)
    zero = [0.0] * n
    rows = {
        "time": list(range(n)),
        "energy_kinetic": kinetic,
        "energy_gravity": zero,
        "energy_elastic": zero,
        "energy_input": zero,
        "energy_dissipated": dissipated or zero,
        "contact_points": [np.array(p) for p in points],
    }
    names = [SimpleNamespace(label=f"CONTACT/{k} 'pair{k}'") for k in range(1, len(points[0]) + 1)]
    return SimpleNamespace(rows=rows, contacts=names)


def test_it_names_the_contacts_that_touch():
    text = gain(recorder([1.0, 0.5, 1.2], [[0, 0], [0, 3], [0, 0]]), 0, 1e-6, "J")
    assert "at time 2 the energy has grown by 0.2 J" in text and "CONTACT/2 'pair2'" in text and "pair1" not in text
    text = gain(recorder([1.0, 0.5, 1.2], [[0] * 6] * 3), 0, 1e-6, "J")  # between outputs: all, in short
    assert "'pair4' and 2 more" in text
    text = gain(recorder([1.0, 0.5, 1.2], [[], [], []]), 0, 1e-6, "J")
    assert "contact in" not in text


@pytest.mark.parametrize("kinetic, lost", [([1.0, 0.5, 1.002], None), ([1.0, 0.4, 0.9], [0.0, 0.6, 0.1])])
def test_what_is_within_the_tolerance_or_paid_is_not_told(kinetic, lost):
    assert gain(recorder(kinetic, [[1]] * 3, lost), 0, 1e-6, "J") is None


def test_what_dampers_took_does_not_come_back():
    """The kinetic energy falls, but dampers are reported to have taken more than that."""
    assert gain(recorder([1.0, 0.5, 0.5], [[1]] * 3, [0.0, 0.8, 0.8]), 0, 1e-6, "J") is not None


def test_energy_that_falls_is_not_said_to_grow():
    """Velocities that jitter at a loose ERROR make the works of dampers larger than what the energy loses: 9.7 kJ for
    1.2 kJ in a wind turbine."""
    text = gain(recorder([5.0, 4.5, 4.0], [[]] * 3, [0.0, 2.0, 9.0]), 0, 1e-6, "J")
    assert (
        "have taken 9 J" in text
        and "the energy has fallen by 1 J only" in text
        and "grown" not in text
        and "ERROR" in text
    )
    assert "grown by 0.5 J without a source" in gain(recorder([5.0, 5.5, 5.5], [[]] * 3, [0.0, 0.0, 0.0]), 0, 1e-6, "J")


def test_rounding_in_free_flight_is_no_gain():
    assert gain(recorder([3.0, 3.0 - 4e-16, 3.0 + 4e-16], [[0]] * 3), 0, 1e-6, "J") is None
    # the tolerance of 50 steps: a body that turns freely keeps its energy no better, however little that changes
    assert gain(recorder([3.0, 3.0 - 2e-5, 3.0 + 2e-5], [[0]] * 3), 0, 1e-6, "J") is None
    assert gain(recorder([3.0, 3.0, 3.0 + 2e-4], [[0]] * 3), 0, 1e-6, "J") is not None


@pytest.mark.parametrize("spin", [(1.0, 2.0, 3.0), (0.01, 5.0, 0.0), (3.0, 1.0, 2.0)])
def test_a_body_that_turns_freely_gains_nothing(spin):
    """Its energy is (1 w_x^2 + 2 w_y^2 + 3 w_z^2) / 2 for ever: what drifts within the tolerance is no gain, although
    it is all that changes."""
    m = hn.Model("free")
    m.gravity = (0, 0, 0)
    m.part("p", 1.0, (1.0, 2.0, 3.0), (0, 0, 0), angular_velocity=spin)
    run = hn.simulate(m, 10, 100)
    energy = (np.array([1.0, 2.0, 3.0]) @ np.square(spin)) / 2
    assert run.energy.total.values == pytest.approx(np.full(101, energy), rel=5e-5)
    assert not [t for t in run.info["messages"] if "energy has grown" in t]


@pytest.mark.parametrize("method", [None, "GSTIFF", "RKF45"])
def test_a_block_that_friction_keeps_stuck_gains_nothing(method):
    """1 kg on a rail with friction, at rest and pushed by nothing: its energies are 1e-34 to 1e-12 N*mm, of a weight of
    9.8 N."""
    m = hn.Model("stuck", units="MMKS")
    m.gravity = (0, 0, -9806.65)
    b = m.part("b", 1.0, (100, 100, 100), (0, 0, 0))
    m.friction(m.translational(b, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0)), mu_static=0.5, mu_dynamic=0.3)
    m.vforce(m.marker_at(b, (0, 0, 0)), m.ground, fx="0", name="pull")
    run = hn.simulate(m, 0.5, 30, integrator=method)
    assert run.energy.kinetic.values.max() < 1e-10
    assert not [t for t in run.info["messages"] if "energy has grown" in t]


def test_roundoff_is_that_of_weights_and_forces():
    m = hn.Model("s")
    m.gravity = (0, 0, 0)
    b = m.part("b", 1.0, (1, 1, 1), (2, 0, 0))
    m.spring_damper(m.marker_at(b, (2, 0, 0)), m.marker_at(m.ground, (0, 0, 0)), stiffness=50.0, length=1.0)
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(end=1e-9, steps=1)
    assert roundoff(sim.system) == pytest.approx(1e-12 * 50.0 * 2.0)  # 50 N over 2 m
    assert gain(recorder([3e-11, 3e-11, 9e-11], [[0]] * 3), 0, 1e-6, "J", roundoff(sim.system)) is None
    assert gain(recorder([3e-11, 3e-11, 3e-10], [[0]] * 3), 0, 1e-6, "J", roundoff(sim.system)) is not None


@pytest.mark.parametrize("locked", [True, False])
def test_forces_that_constraints_carry_do_not_hide_a_gain(locked):
    """A torque of 1e9 N m on a hinge that a motion locks does no work: the tolerance of energies does not count it.
    Against a spring that holds it, it does."""
    m = hn.Model("pitch")
    m.gravity = (0, 0, -10.0)
    arm = m.part("arm", 1.0, (1, 1, 1), (0.5, 0, 0))
    hinge = m.revolute(arm, m.ground, "pitch", at=(0, 0, 0), axis=(0, 0, 1))
    m.sforce(hinge.i, hinge.j, "1e9", kind="ROTATIONAL")
    swing = m.part("swing", 1.0, (1, 1, 1), (2.5, 0, 0))
    m.revolute(swing, m.ground, "swing", at=(2, 0, 0), axis=(0, 1, 0))
    if locked:
        m.motion(hinge, "0", "lock")
    else:
        m.torsion_spring(hinge.i, hinge.j, 1e12, angle=-1e-3)
    sim = hn.Simulation(m, progress=False)
    sim.open()
    sim.advance(1e-3)
    sizes = play(sim.system), free_play(sim.system, sim.y)
    assert sizes[0] == pytest.approx(1e9, rel=1e-6)
    assert sizes[1] < 100.0 if locked else 0.5e9 < sizes[1] <= 1e9


def test_what_a_large_force_hides_is_asked_again():
    rows = recorder([1.0, 0.5, 1.2], [[]] * 3)
    asked = []
    free = lambda: asked.append(1) or 0.1
    assert gain(rows, 0, 1e-6, "J", work=1e9) is None
    assert "grown by 0.2 J" in gain(rows, 0, 1e-6, "J", work=1e9, free=free) and asked == [1]
    assert gain(recorder([1.0, 0.5, 0.9], [[]] * 3, [0.0, 0.5, 0.1]), 0, 1e-6, "J", work=1e9, free=free) is None
    assert asked == [1]

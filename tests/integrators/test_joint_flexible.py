"""Flexible bodies in joint coordinates: the same states, reactions, modal coordinates and energies as in maximal ones,
closed forms, and the energy of a chain."""

import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.recursive.entry import FORWARD, READ, enter_tree, make_recursion
from holonom.recursive.tree import tree_of
from holonom.system.build import System


def beam_of(m, part, start, end, modes=2, section=(0.03, 0.02), E=2e9, **options):
    own = hn.flexible.Section.rectangle(*section)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its mass becomes that of the beam
        return m.make_flexible(part, hn.flexible.beam(start, end, own, E=E, density=2000.0), modes=modes, **options)


def chain(links=3, damping=0.0, first="spherical", **options):
    """Flexible links one behind the other, the joints about two axes, a rigid bob at the end."""
    m = hn.Model(f"chain of {links} flexible links")
    m.gravity = (0, 0, -9.81)
    above, parts = m.ground, []
    for k in range(links):
        part = m.part(f"link{k}", 1.0, (1, 1, 1), position=(k + 0.5, 0, 0))
        if k == 0 and first == "spherical":
            m.spherical(part, above, "j0", at=(0, 0, 0))
        else:
            m.revolute(part, above, f"j{k}", at=(k, 0, 0), axis=((0, 1, 0), (0.3, 0, 1))[k % 2])
        above = part
        parts.append(part)
    bob = m.part("bob", 0.5, (0.01, 0.02, 0.02), position=(links, 0, 0))
    m.fixed(bob, above, "hold", at=(links, 0, 0))
    for k, part in enumerate(parts):
        beam_of(m, part, (k, 0, 0), (k + 1, 0, 0), damping=damping, **options)
    return m


def with_forces(m):
    """A spring between two attachments, a force that depends on the motion, a state of a differential equation."""
    parts = {p.name: p for p in m.parts.values()}
    a, b = m.marker_at(parts["link0"], (0.5, 0, 0)), m.marker_at(parts["link2"], (3, 0, 0), name="tip")
    m.spring_damper(a, b, stiffness=50.0, damping=1.0, length=2.0)
    m.diff("1.0 - 2.0*DIF(1)", name="lag")
    m.vforce(b, None, fy=f"3*DIF(1) - 0.5*VY({b.id})", fz="SIN(3*TIME)")
    return m


def both(m, end, error, steps=6):
    """Runs in joint and in maximal coordinates, and the largest difference of all that they hold, as a share."""
    runs = [
        hn.simulate(m, end=end, steps=steps, error=error, integrator="DOP853", progress=False, coordinates=c)
        for c in ("joint", "maximal")
    ]
    said = runs[0].info["messages"]
    assert any(text.startswith("joint coordinates: requested") for text in said), said
    a, b = (vars(run.data) for run in runs)
    shares = {}
    for name, x in a.items():
        if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size and not name.startswith("solver"):
            shares[name] = np.nanmax(np.abs(x - b[name])) / max(1.0, np.nanmax(np.abs(x)))
    assert len(shares) > 10
    return runs, shares


#: shares by which accelerations, the roughest of the results, may differ; everything else by a hundredth of that
ROUGH = {1e-6: 0.1, 1e-8: 1e-4, 1e-10: 1e-6}


@pytest.mark.parametrize("error", ROUGH)
def test_states_reactions_modes_and_energies_are_those_of_all_bodies(error):
    """All arrays of the results; modal coordinates, reactions and energies as shares of their own size."""
    runs, shares = both(with_forces(chain(damping=0.02)), 0.3, error)
    assert all(share < ROUGH[error] * (1.0 if "acceleration" in name else 0.01) for name, share in shares.items())
    for values in (
        lambda run: run.state("FLEXIBILITY_2").values,
        lambda run: run.joint("j1").force.values,
        lambda run: run.joint("j1").torque.values,
        lambda run: run.marker("tip").position.values,
        lambda run: run.energy.elastic.values,
    ):
        a, b = (np.asarray(values(run)) for run in runs)
        assert np.abs(a).max() > 0.01 and np.abs(a - b).max() < 0.01 * ROUGH[error] * np.abs(a).max()


def test_a_conservative_chain_keeps_its_energy():
    run = hn.simulate(chain(), end=0.5, steps=50, error=1e-10, integrator="DOP853", coordinates="joint", progress=False)
    assert run.audit().ok and "joint coordinates: requested" in run.info["messages"]
    energy = run.energy
    assert np.ptp(energy.elastic.values) > 0.1 and np.ptp(energy.kinetic.values) > 10.0
    assert np.ptp(energy.total.values) < 1e-10 * np.ptp(energy.kinetic.values)


def test_loops_and_motions_over_flexible_bodies():
    """A chain between two pins whose first joint is driven: the motion is a coordinate that is given, a hinge
    that closes the loop equations over attachments."""
    m = chain(first="revolute")
    bob = next(p for p in m.parts.values() if p.name == "bob")
    m.motion(m.joints[1], "0.4*(1-COS(5*TIME))")
    m.spherical(bob, m.ground, "closing", at=(3, 0, 0))
    runs, shares = both(m, 0.2, 1e-8)
    assert "6 equations of JOINT/3 'j2', MOTION/1 'MOTION_1'" in " ".join(runs[0].info["messages"])
    assert all(share < 1e-6 for share in shares.values())
    assert np.ptp(runs[0].state("FLEXIBILITY_1").values) > 1e-3


def test_vibration_of_a_beam_on_a_hinge():
    """Frequencies of a slender beam that is pinned at one end and free at the other, from differences of the
    accelerations of the tree: (b L)^2 sqrt(E I / (m L^4)), tan b L = tanh b L, and the free turn about the hinge."""
    m = hn.Model("pinned and free")
    m.gravity = (0, 0, 0)
    bar = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.revolute(bar, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    m.marker_at(bar, (1, 0, 0), name="tip")
    b, h, E = 0.012, 0.005, 7e10
    beam_of(m, bar, (0, 0, 0), (1, 0, 0), modes=12, E=E, section=(b, h), damping=0.0)
    system = System(m)
    tree = tree_of(system).tree
    handle = make_recursion(system, tree)
    P = handle.P

    def accelerations(k, d):
        P.work.y[:] = system.y0
        enter_tree(handle, READ, 0.0, 0, 0.0, 0.0, 0.0)
        P.q[k] += d
        assert enter_tree(handle, FORWARD, 0.0, 0, 0.0, 0.0, 0.0) > 0.0
        return P.work.acc.copy()

    slopes = np.array([(accelerations(k, 1e-6) - accelerations(k, -1e-6)) / 2e-6 for k in range(tree.nq)]).T
    squares = np.linalg.eigvals(-slopes)
    found = np.sort(np.sqrt(squares.real.clip(0.0)))
    assert found[0] < 1.0
    for roots, inertia in (((3.926602, 7.068583), b**3 * h / 12), ((1.875104, 4.694091, 7.854757), b * h**3 / 12)):
        for root in roots:
            expected = root**2 * np.sqrt(E * inertia / (2000.0 * b * h))
            assert np.abs(found / expected - 1.0).min() < 5e-4


def test_auto_and_the_default_choose_joint_coordinates():
    m = chain(1)
    run = lambda **options: hn.simulate(m, end=0.01, steps=1, progress=False, **options).info["messages"]
    assert "joint coordinates: the joints form a tree" in run(integrator="DOP853")
    assert "joint coordinates: the joints form a tree" in run(integrator="DOP853", coordinates="auto")
    m = chain(1, modes=14)
    assert run(integrator="DOP853") == run(integrator="DOP853", coordinates="maximal")
    said = run(integrator="DOP853", coordinates="auto")
    assert "maximal coordinates: 20 modes of a flexible body cost less there" in said
    said = run(integrator="RADAU5", error=1e-6, coordinates="auto")
    assert any(
        text.startswith("maximal coordinates: ATTACHMENT/1 'link0.1' has coordinates of its own") for text in said
    )

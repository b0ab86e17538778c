"""Reactions of redundant joints: unique, of minimum norm, independent of the order of the joints; or refused by
name."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.assemble import assemble, constraint_matrix
from holonom.system.build import System
from holonom.system.multipliers import minimum_norm, null_space, torque_rows

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
import machines  # noqa: E402


def door(order=(0, 1)):
    """A door of 10 kg on two hinges, 0.5 m above and below its centre, 0.4 m next to it."""
    m = hn.Model("door")
    m.gravity = (0.0, 0.0, -10.0)
    leaf = m.part("leaf", 10.0, (1.0, 1.0, 0.5), (0.4, 0, 0))
    for k in order:
        m.revolute(leaf, m.ground, f"hinge{k}", at=(0, 0, (0.5, -0.5)[k]), axis=(0, 0, 1))
    return m


@pytest.mark.parametrize("make", [machines.bricard, machines.andrews, lambda: machines.four_bars(4), door])
def test_least_norm_is_that_of_the_pseudo_inverse(make):
    system = System(make())
    assemble(system)
    G = constraint_matrix(system).toarray()
    load = G.T @ system.W.lam
    N = null_space(system)
    assert N.shape[1] == system.m - np.linalg.matrix_rank(
        G * np.sqrt(system.S.bodies.Minv[: system.nb].ravel()), tol=1e-7
    )
    assert np.allclose(G.T @ N, 0.0, atol=1e-8 * np.abs(G).max())
    assert minimum_norm(system) == N.shape[1]
    scale = np.where(torque_rows(system), 1.0 / system.extent, 1.0)
    expected = (np.linalg.pinv(G.T / scale, rcond=1e-10) @ load) / scale
    assert np.allclose(system.W.lam, expected, atol=1e-8 * np.abs(expected).max())


def test_hinges_of_a_door_share_its_weight_in_any_order():
    """By symmetry 50 N each, and the couple of 40 N m is carried by horizontal forces and bearing moments alike on
    both."""
    wrenches = []
    for order in ((0, 1), (1, 0)):
        run = hn.simulate(door(order), end=0.1, steps=2, redundant="minimum-norm")
        f = [run.joint(f"hinge{k}").force.values[-1] for k in (0, 1)]
        t = [run.joint(f"hinge{k}").torque.values[-1] for k in (0, 1)]
        wrenches.append(np.concatenate([*f, *t]))
        assert np.allclose([abs(f[0][2]), abs(f[1][2])], 50.0, rtol=1e-9)
        assert np.allclose(t[0], t[1], atol=1e-9)
        couple = np.cross((0, 0, 0.5), f[0]) + np.cross((0, 0, -0.5), f[1]) + t[0] + t[1]
        assert np.allclose(np.abs(couple), (0, 40.0, 0), atol=1e-8)
    assert np.allclose(wrenches[0], wrenches[1], atol=1e-9)


def test_redundant_constraints_are_refused_when_asked():
    with pytest.raises(hn.ModelError, match="redundant.*hinge1"):
        hn.simulate(door(), end=0.1, steps=2, redundant="refuse")


def test_unknown_treatment_is_refused():
    with pytest.raises(hn.ModelError, match="basic, minimum-norm, refuse"):
        hn.simulate(door(), end=0.1, steps=2, redundant="ignore")


def slider_crank():
    m = hn.Model("slider-crank")
    m.gravity = (0, 0, -9.81)
    crank, rod, piston = (
        m.part(n, 1.0, (0.01,) * 3, (x, 0, z))
        for n, x, z in (("crank", 0.05, 0.03), ("rod", 0.25, 0.03), ("piston", 0.4, 0))
    )
    m.revolute(crank, m.ground, "A", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute(rod, crank, "B", at=(0.1, 0, 0.06), axis=(0, 1, 0))
    m.revolute(piston, rod, "C", at=(0.4, 0, 0), axis=(0, 1, 0))
    m.translational(piston, m.ground, "D", at=(0.4, 0, 0), axis=(1, 0, 0))
    return m


def parallelogram():
    m = hn.Model("parallelogram")
    m.gravity = (0, 0, -9.81)
    cranks = [m.part(f"crank{k}", 1.0, (0.1,) * 3, (float(k), 0, 0.5)) for k in range(3)]
    top = m.part("top", 1.0, (0.1,) * 3, (1.0, 0, 1.0))
    for k, crank in enumerate(cranks):
        m.revolute(crank, m.ground, f"low{k}", at=(k, 0, 0), axis=(0, 1, 0))
        m.revolute(top, crank, f"high{k}", at=(k, 0, 1), axis=(0, 1, 0))
    return m


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF", "HHT"])
@pytest.mark.parametrize("make", [door, slider_crank, parallelogram, machines.bricard])
def test_what_is_named_redundant_carries_nothing(make, integrator):
    """The rows that the messages name are those whose multipliers are zero, and what joints carry balances the same
    forces as in any other choice."""
    sim = hn.Simulation(make())
    system = sim.prepare()
    named = sim.assembly.redundant.dropped
    assert named and system.workspace.named == sorted(named)
    assert (sim.assembly.lam[named] == 0.0).all() and np.abs(sim.assembly.lam).max() > 1.0
    words = {text.split(":")[1].strip() for text in sim.messages if text.startswith("redundant: ")}
    assert words == {system.row_words(r).split(":")[0] for r in named}
    sim.dynamics(0.05, 2, integrator=integrator)
    assert np.abs(sim.system.W.lam[named]).max() < 1e-12 * np.abs(sim.system.W.lam).max()
    G = constraint_matrix(sim.system).toarray()
    load = G.T @ sim.system.W.lam
    minimum_norm(sim.system)
    assert np.allclose(G.T @ sim.system.W.lam, load, atol=1e-9 * np.abs(load).max())


def test_reactions_of_a_door_are_statically_determined():
    """The lower hinge carries the weight, both the couple of 40 N m as horizontal forces 1 m apart; no hinge bends."""
    run = hn.simulate(door(), end=0.1, steps=2)
    force = {k: run.joint(f"hinge{k}").force.values[-1] for k in (0, 1)}
    assert {abs(round(f[2], 9)) for f in force.values()} == {0.0, 100.0}
    assert all(abs(abs(f[0]) - 40.0) < 1e-9 for f in force.values())
    assert all(np.abs(run.joint(f"hinge{k}").torque.values[-1]).max() < 1e-10 for k in (0, 1))

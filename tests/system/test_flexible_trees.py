"""Modes as columns of the joints' motions: accelerations of trees with flexible bodies against the equations of all
bodies, at random states."""

import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.elements.bodies import layout
from holonom.integrators.entry import PROJECT, RATE, enter, explicit_handle
from holonom.integrators.joint_set import small_modes
from holonom.recursive.entry import FORWARD, PLACE, READ, enter_tree, make_recursion
from holonom.recursive.flexible import MEMBER, ROOT
from holonom.recursive.tree import names, refusal, tree_of
from holonom.system.build import System

KINDS = ("revolute", "translational", "cylindrical", "universal", "spherical", "planar", "fixed", "hooke")
SECTION = hn.flexible.Section.rectangle(0.1, 0.07)


def bend(m, part, start, end, modes=3, **options):
    """The part becomes a beam from start to end, in ground."""
    beam = hn.flexible.beam(start, end, SECTION, E=2e9, density=2000.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its mass becomes that of the beam
        return m.make_flexible(part, beam, modes=modes, **options)


def random_tree(seed, n=5, invariants="full", geometric=True, drive=False):
    """Beams of three nodes with markers, and rigid bodies, on each other by all kinds of joints; one of them floats."""
    r = np.random.default_rng(seed)
    m = hn.Model(f"flexible tree {seed}")
    m.gravity = (1.0, -2.0, -9.0)
    places = [(m.ground, [np.zeros(3)])]
    beams = []
    for k in range(n):
        start, way = r.normal(size=3), r.normal(size=3)
        way /= np.linalg.norm(way)
        rigid = k % 3 == 2
        body = m.part(
            f"b{k}", float(r.uniform(0.5, 3.0)), tuple(r.uniform(0.1, 0.19, 3)), position=start, euler=r.normal(size=3)
        )
        own = [start, start + 0.5 * way, start + way]
        kind = KINDS[int(r.integers(len(KINDS)))]
        if k != 3:
            parent, there = places[int(r.integers(len(places)))]
            pair = (body, parent) if r.integers(2) else (parent, body)
            at = own[int(r.integers(3))] if parent is m.ground or rigid else there[int(r.integers(len(there)))]
            joint = getattr(m, kind)(*pair, f"j{k}", at=at, axis=r.normal(size=3))
            if drive and kind in ("revolute", "translational"):
                m.motion(joint, "0.3*SIN(2*TIME)")
        places.append((body, own))
        if not rigid:
            beams.append((body, start, start + way))
    a, b = (m.marker_at(places[k][0], places[k][1][2]) for k in (n, n // 2))
    m.spring_damper(a, b, stiffness=30.0, damping=2.0, length=0.4)
    m.vforce(m.marker_at(places[2][0], places[2][1][1]), None, fx="3", fz="SIN(3*TIME)")
    for body, start, end in beams:
        bend(m, body, start, end, invariants=invariants, geometric=geometric, damping=0.02)
    return m


def of_all_bodies(system, y):
    """Gap of the rows, their speed and accelerations by the equations of all bodies at the state y."""
    handle = explicit_handle(system)
    stages = system.workspace.equations.stages
    enter(handle, PROJECT, y.copy(), 0.0, 0.0, 1e-8, 0, stages.d)
    stages.ya[:] = y
    enter(handle, RATE, y, 0.0, 0.0, 1e-8, 0, stages.d)
    W = system.W
    speed = np.zeros(system.m)
    u = layout.all_speeds(y, system.bodies)[: 6 * (system.nb + 1)].reshape(-1, 6)
    np.add.at(speed, system.slot_row[:-1], (W.rw.G[:-1] * u[system.slot_body[:-1]]).sum(axis=1))
    return W.rw.phi.copy(), speed, W.acc.copy()


def accelerations(m, seed, bent=0.2):
    """(own, those of all bodies) accelerations at a random state, at which each mode moves the ends of beams by a few
    percent of the size of the model."""
    system = System(m)
    assert not refusal(system, modes=True) and not tree_of(system).rest
    tree = tree_of(system).tree
    handle = make_recursion(system, tree)
    run = lambda mode: enter_tree(handle, mode, 0.0, 0, 0.0, 0.0, 0.0)
    P = handle.P
    P.work.y[:] = system.y0
    run(READ)
    r = np.random.default_rng(seed)
    coordinates, _ = names(system, tree_of(system).links)
    q, v = r.normal(size=tree.nq), r.normal(size=tree.nv)
    for i in tree.flexible.roots:
        size = bent * small_modes(system, int(tree.flexible.carrier[i]))
        q[tree.coordinate[tree.halt[i] : tree.step[i + 1]]] *= size
        v[tree.last[i] : tree.first[i + 1]] *= 10 * size
    for k in np.flatnonzero([name.endswith(".q0") for name in coordinates]):
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    P.q[:], P.v[:] = q, v
    run(PLACE)
    y = P.work.y.copy()
    other = System(m)
    phi, speed, acc = of_all_bodies(other, y)
    assert np.abs(phi).max(initial=0.0) < 1e-11 and np.abs(speed).max(initial=0.0) < 1e-10
    assert run(FORWARD) > 0.0
    own = system.W.acc.copy()
    P.q[:] = q + 0.1  # what is read goes on from angles near by
    P.work.y[:] = y
    run(READ)
    signs = q - P.q
    for k in np.flatnonzero([name.endswith(".q0") for name in coordinates]):
        signs[k : k + 4] = q[k : k + 4] - P.q[k : k + 4] * np.sign(P.q[k : k + 4] @ q[k : k + 4])
    assert np.abs(signs).max() < 1e-10 and np.abs(P.v - v).max() < 1e-10
    return system, own, acc


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_accelerate_as_all_bodies_do(seed):
    options = ({}, {"invariants": "constant"}, {"geometric": False})[seed % 3]
    system, own, acc = accelerations(random_tree(seed, **options), seed)
    roles = [link.role for link in tree_of(system).links]
    assert roles.count(ROOT) == 4 and roles.count(MEMBER) > 4
    scale = max(1.0, np.abs(acc).max())
    assert np.abs(own - acc).max() < 1e-10 * scale

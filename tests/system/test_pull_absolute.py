"""Transposed derivatives of meshes in absolute nodal coordinates and of what acts on their points, against
differences."""

import numpy as np
import pytest

import holonom as hn
from holonom._six_points import AT, WEIGHTS
from holonom.elements.bodies import layout
from holonom.elements.bodies.absolute_pull import make_slopes
from holonom.elements.bodies.mesh_tables import factor_band, with_rows
from holonom.integrators.adjoint_impacts import rates_at
from holonom.integrators.adjoint_linear import LinearAdjoint, transposed
from holonom.system.build import System

SECTION = hn.flexible.Section.rectangle(0.1, 0.06, shear=True)


def hang(m, point, where, k):
    """A part on a joint at a point, next to a torque and a force of springs there."""
    part = m.part(f"load {k}", 0.5 + 0.1 * k, (0.1, 0.12, 0.15), position=np.add(where, (0.1, 0.05, -0.2)))
    joint = (m.fixed, m.spherical, m.universal, m.revolute)[k % 4]
    joint(part, point, at=np.add(where, (0.03, 0.0, 0.02)), **({} if k % 4 < 2 else {"axis": (0.2, 1.0, 0.1)}))


def push(m, point, where):
    near = m.marker(m.ground, np.add(where, (0.1, 0.1, 0.05)))
    m.bushing(m.marker(point, (0.02, 0.01, 0.03)), near, (20, 30, 40), (1, 2, 3), (2.0, 3.0, 4.0), (0.1, 0.2, 0.3))


def meshes(m):
    """A mesh of each kind: its first point has a joint, its last one a bushing."""
    beam = dict(E=1e4, density=30.0, elements=2, damping=0.02)
    cable = hn.flexible.cable(m, [(0, 0, 0), (1, 0.2, 0.1)], EA=200.0, EI=2.0, mass=0.4, elements=2, damping=0.03)
    law = hn.flexible.MomentCurve(((-1.0, -2.0), (0.0, 0.0), (1.0, 2.0), (2.0, 3.2)))
    tape = hn.flexible.cable(
        m, [(0, 1, 0), (1, 1.1, 0)], EA=200.0, mass=0.4, elements=2, damping=0.03, plane="xy", law=law
    )
    yield cable, cable.first, cable.at(0.7), (0, 0, 0), (0.6, 0.14, 0.07)
    yield tape, tape.first, tape.last, (0, 1, 0), (1, 1.1, 0)
    planar = hn.flexible.ancf_beam(m, [(0, 2, 0), (1, 2.2, 0)], SECTION, plane="xy", **beam)
    yield planar, planar.first, planar.last, (0, 2, 0), (1, 2.2, 0)
    for k, formulation in enumerate(("structural", "enhanced", "continuum")):
        y = 3.0 + k
        space = hn.flexible.ancf_beam(m, [(0, y, 0), (1, y + 0.2, 0.1)], SECTION, formulation=formulation, **beam)
        yield space, space.first, space.at(0.4), (0, y, 0), (0.4, y + 0.08, 0.04)
    for k, formulation in enumerate(("thin", "conforming", "thick")):
        y = 6.0 + k
        corners = [(0, y, 0), (1, y, 0.1), (1, y + 0.5, 0.1), (0, y + 0.5, 0)]
        sheet = hn.flexible.ancf_plate(
            m, corners, 0.05, E=1e4, density=30.0, elements=(2, 1), damping=0.02, formulation=formulation
        )
        yield sheet, sheet.node(0, 0), sheet.at(0.7, 0.4), (0, y, 0), (0.7, y + 0.2, 0.07)


def machine():
    m = hn.Model("meshes")
    m.gravity = (0.3, -0.4, -9.0)
    for k, (_, first, last, start, end) in enumerate(meshes(m)):
        if k == 1:  # of a mesh in a plane, within it
            m.revolute(m.part("wheel", 0.5, (0.1, 0.1, 0.1), position=start), first, at=start, axis=(0, 0, 1))
            m.bushing(
                m.marker(last), m.marker(m.ground, end), (20, 30, 40), (1, 2, 3), (2.0, 3.0, 4.0), (0.1, 0.2, 0.3)
            )
            continue
        hang(m, first, start, k)
        push(m, last, end)
    return m


@pytest.fixture(scope="module")
def point():
    """System, adjoint, a random state, whose constraints need not be satisfied, and cotangents of its rates."""
    system = System(machine())
    rng = np.random.default_rng(6)
    y = system.y0 + 0.04 * rng.normal(size=len(system.y0))
    layout.ground(y, system.nb)[:] = layout.ground(system.y0, system.nb)
    mesh = system.bodies.carriers.meshes
    first, tail = 13 * (system.nb + 1), system.bodies.tail
    for at in (first, first + tail):  # what is held does not move
        y[at : at + tail][mesh.held != 0] = system.y0[at : at + tail][mesh.held != 0]
    adjoint = LinearAdjoint(system, [np.zeros(t.shape, np.uint8) for t in system.S.pairs.t], ())
    kb = rng.normal(size=len(y))
    for b in layout.nodes(system.bodies):
        layout.body(kb, b)[:] = 0.0
    layout.ground(kb, system.nb)[:] = 0.0
    directions = []
    for q, block in enumerate(mesh.blocks):
        if block.data.size:
            directions.append({q: ways_of(block.data, rng)})
    # lengths of vectors, so that the mass stays positive
    count, wide = mesh.m.shape
    scale = np.append(rng.normal(size=count), np.zeros(wide))
    sums = scale[:count, None] + scale[np.arange(count)[:, None] + np.arange(wide)]
    directions.append({"m": 0.2 * mesh.m * sums, "mass": rng.normal(size=mesh.mass.shape)})
    slopes = make_slopes(mesh, directions)
    mesh.asked[0] = slopes.address
    yb = np.zeros_like(y)
    transposed(adjoint.handle, 0.3, y, kb, np.zeros(0), yb, 0)
    return system, adjoint, y, kb, yb, slopes, directions


def ways_of(data, rng):
    """A change of numbers that are no counts."""
    return np.where(data == np.round(data), 0.0, data * rng.normal(size=data.shape))


def check(point, change, ours, size):
    """``ours`` against six-point differences of kb . f, the best of four steps, next to their rounding; ``change(h)``
    moves the state or numbers, and returns the state; ``size``: of the terms of ours."""
    system, adjoint, y, kb = point[:4]

    def value(h):
        f = np.zeros_like(y)
        rates_at(adjoint.handle, 0.3, change(h), f)
        rounding.append(1e-14 * float(np.abs(kb) @ np.abs(f)) / 1e-3)
        return float(kb @ f)

    rounding: list[float] = []
    apart = [abs(sum(w * value(k * h) for k, w in zip(AT, WEIGHTS)) / h - ours) for h in (1e-3, 3e-4, 1e-4, 3e-5)]
    change(0.0)
    assert min(apart) < 1e-8 * size + max(rounding) < 1e-3 * size, (min(apart) / size, max(rounding) / size)


@pytest.mark.parametrize("what", ["bodies", "coordinates", "rates"])
def test_by_states(point, what):
    system, adjoint, y, kb, yb, _, _ = point
    first, tail = 13 * (system.nb + 1), system.bodies.tail
    where = {"bodies": slice(0, first - 13), "coordinates": slice(first, first + tail),
             "rates": slice(first + tail, first + 2 * tail)}[what]  # fmt: skip
    free = system.bodies.carriers.meshes.held == 0
    for seed in range(4):
        v = np.zeros_like(y)
        v[where] = np.random.default_rng(seed).normal(size=len(v[where])) * (1.0 if what == "bodies" else free)
        check(point, lambda h, v=v: y + h * v, float(yb @ v), float(np.abs(yb) @ np.abs(v)))


def test_points_are_no_coordinates(point):
    system, adjoint, y, kb, yb = point[:5]
    nodes = layout.nodes(system.bodies)
    assert len(nodes) == 22
    assert not np.concatenate([layout.body(yb, b) for b in nodes]).any()


@pytest.mark.parametrize("k", range(8))
def test_by_numbers_of_elements_and_masses(point, k):
    system, adjoint, y, kb, yb, slopes, directions = point
    mesh, bar = system.bodies.carriers.meshes, slopes.S.bar
    assert len(bar) == len(directions) == 8
    tables = {q: mesh.m if q == "m" else mesh.mass if q == "mass" else mesh.blocks[q].data for q in directions[k]}
    kept = {q: table.copy() for q, table in tables.items()}
    factors = mesh.U.copy(), mesh.D.copy(), mesh.P.copy()

    def change(h):
        for q, table in tables.items():
            table[:] = kept[q] + h * directions[k][q]
        if "m" in tables:
            mesh.U[:], mesh.D[:] = factor_band(mesh.m)
            used = np.zeros(len(mesh.points.turn), bool)
            used[mesh.points.inverse >= 0] = True
            mesh.P[:] = with_rows(mesh, used).P
        return y

    check(point, change, float(bar[k]), max(abs(float(bar[k])), 1.0))
    mesh.U[:], mesh.D[:], mesh.P[:] = factors


def test_by_gravity(point):
    system, adjoint, y, kb, yb = point[:5]
    kept, way = system.bodies.gravity.copy(), np.array([1.0, -2.0, 0.5])

    def change(h):
        system.bodies.gravity[:] = kept + h * way
        return y

    check(point, change, float(adjoint.P.gravity @ way), float(np.abs(adjoint.P.gravity) @ np.abs(way)))

"""Transposed derivatives of flexible bodies, their attachments and sliding masses, against differences.

The machine of `test_flexible_registry` has a joint or a force of each type on an attachment of one flexible body; here
it has sliding masses too, with joints on these.
"""

import numpy as np
import pytest
from test_flexible_registry import machine

from holonom._six_points import AT, WEIGHTS
from holonom.elements.bodies import layout
from holonom.elements.bodies.carrier_pull import NUMBERS
from holonom.integrators.adjoint_impacts import rates_at
from holonom.integrators.adjoint_linear import LinearAdjoint, transposed
from holonom.system.build import System


def with_masses():
    """The machine, its bar full of inertia of second order, and a part with two masses that carry something."""
    m = machine()
    m.gravity = (0.3, -0.4, -9.0)
    cart = m.part("cart", 3.0, (0.3, 0.4, 0.5), position=(0, 2, 0))
    for k, axis in enumerate(((1, 0.2, 0.1), (0.1, 1, 0.3))):
        place = (0.1 * k, 2.1, 0.2)
        mass = m.sliding_mass(cart, place, axis, mass=0.7 + k, stiffness=30.0, damping=0.4, length=0.05)
        hook = m.part(f"hook {k}", 0.5, (0.1, 0.12, 0.15), position=(0.1 * k, 2.3, 0.0))
        if k == 0:
            m.spherical(hook, mass, at=(0.1, 2.2, 0.2))
        else:
            m.bushing(m.marker(mass), m.marker(hook, (0.1, 0, 0)), (20, 30, 40), (1, 2, 3), (0.1,) * 3, (0.1,) * 3)
    return m


@pytest.fixture(scope="module")
def point():
    """System, adjoint, a random state, whose constraints need not be satisfied, and cotangents of its rates."""
    system = System(with_masses())
    rng = np.random.default_rng(6)  # at 5 rows of joints nearly depend on each other: steps of 1e-6 would be needed
    y = system.y0 + 0.05 * rng.normal(size=len(system.y0))
    layout.ground(y, system.nb)[:] = layout.ground(system.y0, system.nb)
    system.ports.differentiate(np.zeros(len(system.ports.S.value), np.uint8))
    adjoint = LinearAdjoint(system, [np.zeros(t.shape, np.uint8) for t in system.S.pairs.t], ())
    kb = rng.normal(size=len(y))
    for b in layout.nodes(system.bodies):
        layout.body(kb, b)[:] = 0.0
    layout.ground(kb, system.nb)[:] = 0.0
    yb = np.zeros_like(y)
    transposed(adjoint.handle, 0.3, y, kb, np.zeros(0), yb, 0)
    return system, adjoint, y, kb, yb


def check(point, change, ours, size):
    """``ours`` against six-point differences of kb . f, the best of four steps, next to their rounding; ``change(h)``
    moves the state or numbers, and returns the state; ``size``: of the terms of ours."""
    system, adjoint, y, kb, yb = point

    def value(h):
        f = np.zeros_like(y)
        rates_at(adjoint.handle, 0.3, change(h), f)
        rounding.append(1e-14 * float(np.abs(kb) @ np.abs(f)) / 1e-3)
        return float(kb @ f)

    rounding: list[float] = []
    apart = [abs(sum(w * value(k * h) for k, w in zip(AT, WEIGHTS)) / h - ours) for h in (1e-3, 3e-4, 1e-4, 3e-5)]
    change(0.0)
    assert min(apart) < 1e-8 * size + max(rounding) < 1e-3 * size, (min(apart) / size, max(rounding) / size)


@pytest.mark.parametrize("what", ["bodies", "coordinates", "rates", "states"])
def test_by_states(point, what):
    system, adjoint, y, kb, yb = point
    first, tail = 13 * (system.nb + 1), system.bodies.tail
    where = {"bodies": slice(0, first - 13), "coordinates": slice(first, first + tail),
             "rates": slice(first + tail, first + 2 * tail), "states": slice(first + 2 * tail, None)}[what]  # fmt: skip
    v = np.zeros_like(y)
    v[where] = np.random.default_rng(1).normal(size=len(v[where]))
    check(point, lambda h: y + h * v, float(yb @ v), float(np.abs(yb) @ np.abs(v)))


def test_nodes_are_no_coordinates(point):
    system, adjoint, y, kb, yb = point
    nodes = layout.nodes(system.bodies)
    assert len(nodes) > 30
    assert not np.concatenate([layout.body(yb, b) for b in nodes]).any()


@pytest.mark.parametrize("what", ["stiffness", "damping", "length", "mass", "base", "axis"])
def test_by_numbers_of_coordinates(point, what):
    system, adjoint, y, kb, yb = point
    c = system.bodies.carriers
    table = getattr(c, what)
    column = ("stiffness", "damping", "length", "mass", "base", "axis").index(what)
    columns = [column] if column < 4 else list(range(4 + 3 * (column - 4), 7 + 3 * (column - 4)))
    way = np.random.default_rng(2).normal(size=table.shape) * (1.0 + np.abs(table))
    if column > 2:  # of masses that slide
        modes = np.concatenate([np.arange(lo + n, hi) for lo, hi, n in zip(c.ptr, c.ptr[1:], c.masses)])
        way[modes] = 0.0
    if what == "axis":  # which stays of unit length
        way -= np.einsum("ki,ki->k", way, table)[:, None] * table
    kept = table.copy()
    bar = adjoint.P.carried.reshape(-1, NUMBERS)[:, columns] * way.reshape(len(table), -1)

    def change(h):
        table[:] = kept + h * way
        if what == "axis":
            table[:] = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-300)
        return y

    check(point, change, float(bar.sum()), float(np.abs(bar).sum()))


def test_by_mass_inertia_and_gravity(point):
    system, adjoint, y, kb, yb = point
    bodies, P = system.bodies, adjoint.P
    b = int(bodies.carriers.body[0])
    kept = bodies.mass[b], bodies.J[b].copy(), bodies.gravity.copy()

    def change(h):
        bodies.mass[b] = kept[0] + h
        bodies.J[b] = kept[1] + h * np.array([0.3, -0.2, 0.4])
        bodies.gravity[:] = kept[2] + h * np.array([1.0, -2.0, 0.5])
        return y

    terms = np.array([P.mass[b], *(np.diag(P.J[b]) * (0.3, -0.2, 0.4)), *(P.gravity * (1.0, -2.0, 0.5))])
    check(point, change, float(terms.sum()), float(np.abs(terms).sum()))

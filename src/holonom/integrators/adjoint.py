"""What adjoints of all methods share: arrays of pulls, the start, and how numbers open the constraints."""

from __future__ import annotations

import numpy as np

from .._address import address_of
from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.carrier import numbers_of_carriers
from ..elements.bodies.carrier_pull import NUMBERS
from ..elements.jets import Cotangents
from ..system.kernels import evaluate_constraints, evaluate_frames
from ..system.pull import ContactPull, Pull, clear, pull_constraints, pull_projection

_HANDLE = "Handle(Tables, Work, Pull(Cotangents, ContactPull))"


def pulls_of(handle):
    """The tables and work of the handle of an adjoint with its `Pull` alone, of one type whatever the method."""
    return make_handle(handle.S, handle.W, handle.P.pull)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64, boolean, boolean, boolean")
def start(handle, t, y, yb, eps, velocities, positions, impulses):
    """`pull_projection` with the bodies of another handle: of the assembly of a start."""
    pull_projection(view_S(handle), view_W(handle), view_P(handle), t, y, yb, eps, velocities, positions, impulses)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1]")
def closing(handle, t, y, weights):
    """Cotangents of weighted values of rows (m,) at a state, of numbers alone, added to P."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    evaluate_frames(S, W, y)
    evaluate_constraints(S, W, t, y)
    clear(P.out.body)
    pull_constraints(S, W, P, t, y, P.nu, weights, P.none, P.none, P.none)


def contact_arrays(system, directions):
    """`ContactPull` with cotangents of numbers along directions, each a dictionary {(table, row, column): weight} of
    tables of `contact.pull.NUMBER_TABLES`."""
    z, contacts = np.zeros, system.contacts
    address, frames = np.zeros(1, np.int64), 0
    entries, weights, steps = [], [], z(len(directions))
    if contacts.on:
        from ..contact.pull import ENTRY, LAWS, NUMBER_TABLES, STEP, contact_pull

        address[0] = 0 if contacts.rigid else address_of(contact_pull, ENTRY)
        frames = len(contacts.S.sh.fr.body)
        for k, direction in enumerate(directions):
            sizes = []
            for (name, r, c), weight in direction.items():
                table = NUMBER_TABLES.index(name)
                entries.append((k, table, r, c))
                weights.append(weight)
                value = abs(float(getattr(contacts.S, name)[r, c])) if table < LAWS else 1.0
                sizes.append(abs(weight) / (value or 1.0))
            lengths = any(NUMBER_TABLES.index(key[0]) >= LAWS for key in direction)
            steps[k] = (-STEP if lengths else STEP) / max(sizes)
    whole = np.array(entries, np.int64).reshape(-1, 4)
    return ContactPull(
        address,
        z(system.bodies.moves),
        z((frames, 3)),
        z((frames, 3)),
        whole,
        np.array(weights, float),
        z(len(weights)),
        steps,
        z(len(directions)),
    )


def pull_arrays(system, wanted, constants, directions=()):
    """Results and work of pulls.

    ``wanted``: arrays like the tables of pair forces, 1 where a number's cotangent is taken by differences of its law;
    ``constants``: places of constants of functions whose cotangents are wanted; ``directions``: see
    `contact_arrays`.
    """
    S, z = system.S, np.zeros
    n, moves, m = system.nb, system.bodies.moves, system.m
    frames = len(S.fr.body) if len(S.fn.gcon_row) else 0
    shapes = [(len(S.fr.body), 3), (len(S.fr.body), 3), (n,), (n, 3, 3), (3,), (len(constants),)]
    shapes += [(NUMBERS * numbers_of_carriers(S.bodies).shape[0],), (m,), *(t.shape for t in S.pairs.t)]
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    numbers = z(int(ends[-1]))
    tables = [numbers[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes)]
    place, turn, mass, J, gravity, constant, carried, drive, *pairs = tables
    return Pull(
        out=Cotangents(z(12 * (n + 1)), place, turn), mass=mass, J=J, gravity=gravity, pairs=tuple(pairs),
        wanted=tuple(wanted), constants=np.asarray(constants, np.int64), constant=constant,
        carried=carried, drive=drive, numbers=numbers, load=z(moves), given=z(moves),
        nu=z(moves), sg=z(m), abar=z(moves), lbar=z(m), minus=z(m), slopes=z(m), z=z(moves), none=z(m),
        krylov=z((2 * len(S.friction.i) + 3 if S.friction.reactive else 0, 2, m)),
        fbar=z(len(system.functions.set.functions)),
        ibar=z(max(len(system.functions.set.inputs), 1)), g=z(72),
        laws=z((len(system.functions.wrench_elements), 12)), tangent=z((12, 24)), wrench=z(12), virtual=z(12),
        h=z(12), contact=contact_arrays(system, directions),
        still=z((frames, 12)), jets=z((6, frames, 6)), products=z((11, 9)),
    )  # fmt: skip

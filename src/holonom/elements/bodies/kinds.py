"""Types of bodies whose masses couple their coordinates, and their operations (`coupled.OPERATIONS`).

A type lists its kernels here once, each (tables of carriers, bodies, arguments ..).  Kernels of all bodies find them by
the addresses in ``bodies.coupled``; types that a model does not have are not compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from ..._address import when_called
from ..._handle import make_handle, view_S, view_W
from ..._jit import Kernel, jit
from . import absolute, absolute_pull, carrier, carrier_nodes, carrier_pull
from .coupled import COLUMNS, DATA_ADDRESS, INDEX, OPERATIONS, WIDTH
from .layout import MOVES
from .rigid import Bodies


class BodyType(NamedTuple):
    """``has``: whether tables of carriers have bodies of this type; ``operations``: a kernel for each operation that it
    has."""

    name: str
    has: Callable[[Any], bool]
    operations: dict[str, Kernel]


BODY_TYPES = (
    BodyType(
        "carriers",
        lambda c: len(c.body) > 0,
        {
            "prepare": carrier_nodes.prepare,
            "solve": carrier.solve,
            "multiply": carrier.multiply,
            "give": carrier.give,
            "give_motion": carrier.give_motion,
            "respond": carrier.respond_one,
            "products": carrier.products,
            "place": carrier_nodes.place,
            "lead_nodes": carrier_nodes.lead_nodes,
            "bound_nodes": carrier_nodes.bound_nodes,
            "forces": carrier.forces,
            "condense": carrier_nodes.condense,
            "energies": carrier.energies,
            "power": carrier.damped,
            "momenta": carrier.momenta,
            "stiffness": carrier.stiffness,
            "prepare_slopes": carrier_nodes.prepare_slopes,
            "load_nodes": carrier_nodes.load_nodes,
            "mass_entries": carrier.mass_entries,
            "complete": carrier_pull.complete_accelerations,
            "give_loads": carrier_pull.give_loads,
            "pull_moved": carrier_pull.pull_moved,
            "pull_nodes": carrier_pull.pull_nodes,
            "pull_inertia": carrier_pull.pull_inertia,
        },
    ),
    BodyType(
        "meshes",
        lambda c: c.meshes.size > 0,
        {
            "prepare": absolute.prepare,
            "solve": absolute.solve,
            "multiply": absolute.multiply,
            "give": absolute.give,
            "give_motion": absolute.give_motion,
            "respond": absolute.respond_one,
            "products": absolute.products,
            "place": absolute.place,
            "lead_nodes": absolute.lead_nodes,
            "bound_nodes": absolute.bound_nodes,
            "forces": absolute.forces,
            "condense": absolute.condense,
            "energies": absolute.energies,
            "power": absolute.damped,
            "momenta": absolute.momenta,
            "stiffness": absolute.stiffness,
            "prepare_slopes": absolute.prepare_slopes,
            "load_nodes": absolute.load_nodes,
            "mass_entries": absolute.mass_entries,
            "complete": absolute_pull.complete_accelerations,
            "give_loads": absolute_pull.give_loads,
            "pull_moved": absolute_pull.pull_moved,
            "pull_nodes": absolute_pull.pull_nodes,
            "pull_inertia": absolute_pull.pull_inertia,
        },
    ),
    BodyType(
        "nodes of both",
        lambda c: True,
        {
            "add_bias": carrier_nodes.add_bias,
            "add_acceleration": carrier_nodes.add_acceleration,
            "turn_rows": carrier_nodes.turn_rows,
            "turn_frames": carrier_nodes.turn_frames,
            "leave_nodes_out": carrier_nodes.leave_nodes_out,
            "clear_nodes": carrier_nodes.clear_nodes,
            "note_cubic": carrier_nodes.note_cubic,
            "note_series": carrier_nodes.note_series,
            "note_stages": carrier_nodes.note_stages,
            "condense_matrix": carrier_nodes.condense_entries,
            "gradients": carrier_nodes.gradients,
        },
    ),
)


@cache
def empty_handle():
    """A handle on tables without a body, of the types of all others."""
    z = np.zeros
    bodies = Bodies(
        n=0,
        mass=z(0),
        J=z((0, 3)),
        Minv=z((1, MOVES)),
        gravity=z(3),
        rotates=z(1, np.uint8),
        plane=z((0, 3), np.uint32),
        metric=z((1, MOVES)),
        end=0,
        moves=0,
        tail=0,
        coupled=z((0, WIDTH), np.int64),
    )
    carriers = carrier.make_carriers((), (), [0], (), (z(0), z((0, 3)), z((0, 3)), z(0), z(0), z(0)))
    return make_handle(bodies, carriers, ())


def _kind() -> types.Type:
    return empty_handle()._numba_type_


@intrinsic
def tables_at(typingctx, address):
    """The handle of bodies and carriers at an address of ``bodies.coupled``."""
    kind = _kind()

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(types.int64), codegen


@cache
def _by_address(kernel: Kernel) -> Kernel:
    """The kernel with the address of tables in place of these."""

    @jit
    def run(address, *given):
        tables = tables_at(address)
        return kernel(view_W(tables), view_S(tables), *given)

    return run


def operations(kind: BodyType) -> Iterator[tuple[int, Kernel, types.Type, tuple]]:
    """(column of ``bodies.coupled``, kernel, types of its result and of its arguments) of each form of the operations
    of a type of body.  Nothing is compiled."""
    for name, kernel in kind.operations.items():
        result, *forms = OPERATIONS[name]
        for k, form in enumerate(forms):
            if form is not None:
                yield COLUMNS[name] + k, _by_address(kernel), result, (INDEX, types.StarArgTuple.from_types(form))


def attach(bodies: Bodies, carriers: Any) -> Bodies:
    """Bodies with tables of ``carriers``, None for none, and the addresses of their operations, which are compiled when
    they are called first."""
    if carriers is None:
        return bodies._with(np.zeros((0, WIDTH), np.int64))
    present = [kind for kind in BODY_TYPES if kind.has(carriers)]
    out = bodies._with(np.zeros((len(present), WIDTH), np.int64), carriers, attach)
    out._handle = make_handle(out, carriers, (), empty_handle())
    out.coupled[:, DATA_ADDRESS] = out._handle.address
    absolute.connect(carriers.meshes, _kind())
    for row, kind in zip(out.coupled, present):
        for column, kernel, result, arguments in operations(kind):
            row[column] = when_called(kernel, arguments, result)
    return out

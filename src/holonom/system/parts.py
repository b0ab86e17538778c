"""The optional parts of the equations of motion, and their operations (`part_calls.OPERATIONS`).

A part is declared here once.  Its tables stand in `kernels.Tables` and are empty where a model does not have it;
kernels of the whole find it by its addresses in ``S.parts``, which are zero then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types

from .._address import when_called
from .._handle import RefType, _take
from .._jit import Kernel
from ..contact.call import MATRIX, VECTOR
from . import curves, friction, friction_pull, functions, kernels, motions, output_kernels, pairs, port_entry, reactions
from .part_calls import OPERATIONS


class Part:
    """A part by its ``name``, and the kernel of each operation that it has."""

    def __init__(self, name: str, **operations: Kernel):
        unknown = operations.keys() - OPERATIONS.keys()
        if unknown:
            raise ValueError(f"{name}: there is no operation '{min(unknown)}'; choose from {', '.join(OPERATIONS)}")
        self.name, self.operations = name, operations


#: in the order in which they act
PARTS = (
    Part("motions", prescribe=motions.motion_values),
    Part("curves", rows=curves.curve_rows, stiffness=curves.curve_stiffness),
    Part(
        "pairs",
        forces=pairs.pair_forces,
        stiffness=pairs.pair_stiffness,
        accept=pairs.accept_pairs,
        wrenches=reactions.pair_wrenches,
        energy=output_kernels.elastic_energy,
        power_out=output_kernels.viscous_power,
    ),
    Part(
        "functions",
        rows=functions.function_rows,
        forces=functions.function_forces,
        stiffness=functions.function_stiffness,
        accept=functions.accept_present,
        wrenches=reactions.function_wrenches,
        power_in=output_kernels.driving_power,
    ),
    Part(
        "ports",
        forces=port_entry.port_forces,
        stiffness=port_entry.port_matrix,
        accept=port_entry.accept_ports,
        wrenches=port_entry.port_wrenches,
        balance=port_entry.port_energies,
        pull=port_entry.pull_ports,
        pull_wrenches=port_entry.pull_port_wrenches,
    ),
    Part(
        "friction",
        forces=friction.friction_forces,
        stiffness=friction.friction_stiffness,
        wrenches=friction.friction_wrenches,
        power_out=output_kernels.friction_power,
        pull=friction_pull.pull_friction,
        loads=friction_pull.friction_loads,
    ),
    Part("feedback", repeat=kernels.iterate_lagged),
)


@cache
def _arguments(S: types.Type, W: types.Type, wr: types.Type) -> dict[str, tuple]:
    """(result, types of the arguments) of each operation."""
    time, S, W = types.float64, RefType(S), RefType(W)
    return {
        "prescribe": (types.none, S, W, time),
        "rows": (types.none, S, W, time, VECTOR),
        "forces": (types.none, S, W, time, VECTOR, VECTOR),
        "repeat": (types.none, S, W, time, VECTOR, VECTOR),
        "stiffness": (types.none, S, W, time, VECTOR, VECTOR, VECTOR),
        "accept": (types.none, S, W),
        "wrenches": (types.none, S, W, RefType(wr)),
        "energy": (types.float64, S, W),
        "power_in": (types.float64, S, W, VECTOR),
        "power_out": (types.float64, S, W, VECTOR),
        "balance": (types.none, S, W, time, VECTOR, VECTOR),
        "pull": (types.none, S, W, time, *(VECTOR,) * 7, MATRIX, MATRIX),
        "pull_wrenches": (types.none, S, W, time, VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, MATRIX, MATRIX),
        "loads": (types.none, S, W, VECTOR, VECTOR, VECTOR),
    }


_TYPES: dict[tuple, types.Type] = {}


def _type_of(value: tuple) -> types.Type:
    """As Numba's ``typeof``, which asks each of three hundred arrays: once for each form of the tuple."""
    form: list = []
    _take(value, form, [])
    key = tuple(form)
    if key not in _TYPES:
        _TYPES[key] = typeof(value)
    return _TYPES[key]


def no_parts() -> np.ndarray:
    """``S.parts`` of a system without any."""
    return np.zeros((len(PARTS), len(OPERATIONS)), np.int64)


def operations(S: Any, W: Any, wr: Any) -> Iterator[tuple[str, int, Kernel, types.Type, tuple]]:
    """(part, column of ``S.parts``, kernel, types of its result and of its arguments) of each operation of each part,
    for tables of the types of these.  Nothing is compiled."""
    form = _arguments(_type_of(S), _type_of(W), _type_of(wr))
    for part in PARTS:
        for k, name in enumerate(OPERATIONS):
            if name in part.operations:
                result, *arguments = form[name]
                yield part.name, k, part.operations[name], result, tuple(arguments)


def connect(S: Any, W: Any, wr: Any, present: Collection[str]) -> None:
    """Fill the addresses of the operations of the parts that are ``present``; each is compiled when it is called
    first."""
    unknown = set(present) - {p.name for p in PARTS}
    if unknown:
        raise ValueError(f"there is no part '{min(unknown)}'")
    if not present:
        return
    row = {part.name: k for k, part in enumerate(PARTS)}
    for name, k, kernel, result, arguments in operations(S, W, wr):
        if name in present:
            S.parts[row[name], k] = when_called(kernel, arguments, result)

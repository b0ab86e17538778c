"""Exact derivatives of an FMU by the transposed equations of motion: `ExactDerivatives`.

A row of the Jacobian of the rates x' = f(P(x)) + g (P(x) - x) and of the outputs at P(x) is a cotangent,

    xbar = P^T ((df/dx)^T w + g w + (doutputs/dx)^T v) - g w,

with w and v of rates and outputs (`system.pull`).  Terms of the size of P(x) - x are left out: the derivative is that
at the point P(x).
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..._handle import Handle, make_handle
from ...analyses.derivatives.cotangents import Cotangents
from ...analyses.derivatives.supported import check_model, check_system, no_derivative_of
from ...elements.bodies import layout
from ...elements.jets import Cotangents as FrameCotangents
from ...integrators.adjoint_linear import LinearAdjoint
from ...integrators.explicit import REDUNDANT
from ...model import ModelError
from ...system.functions import FORCE
from ...system.names import INPUT, VALUE
from .image import Image

NOT_EXACT = -2  # in the table of variables


def reason_against(system: Any) -> str:
    """Why a system has no exact derivatives here; "" where it has."""
    try:
        check_model(system.model)
        check_system(system)
    except ModelError as error:
        return str(error)
    s = system.functions.set
    ours = {k for key, k in s._input_index.items() if key[0] == INPUT}
    if any(ours & set(s.flat[f]) for f in system.S.fn.gcon_f):
        return "inputs in general constraints (GCON)"
    return ""


class ExactDerivatives:
    """Handles and arrays of the pulls of a system that is open.  ``parameters``: (table, row, column) of the pair
    forces that importers may change; ``numbers``: ids of the inputs."""

    def __init__(self, system: Any, parameters: list[tuple[int, int, int]]):
        self.system, self.out = system, system.outputs
        found = Cotangents(system, [])
        for table, row, column in parameters:
            found.wanted[table][row, column] = 1
        P = LinearAdjoint(system, found.wanted, []).P
        ny, outputs = len(system.y0), self.out.set
        none = np.zeros((0, 0))
        self.P = P._replace(K=none, Y=none, Kb=none, Yb=none)
        self._nodes = set(layout.nodes(system.bodies).tolist())
        frames = len(self.out.S.fr.body)
        own = FrameCotangents(P.out.body, np.zeros((frames, 3)), np.zeros((frames, 3)))
        theirs = {
            "out": own, "fbar": np.zeros(len(outputs.functions)), "ibar": np.zeros(max(len(outputs.inputs), 1))
        }  # fmt: skip
        self.of_outputs = self.P._replace(**theirs, pull=P.pull._replace(**theirs))
        self.adjoint = make_handle(system.S, system.W, self.P)
        self.measured = make_handle(self.out.S, self.out.W, self.of_outputs, like=self.adjoint)
        self.weights, self.row = np.zeros(ny), np.zeros(ny)
        self.values = np.zeros(max(len(outputs.functions), 1))

    @property
    def roots(self) -> dict[str, Handle | np.ndarray]:
        """Arrays and handles that belong to the block."""
        return {
            "adjoint": self.adjoint,
            "measured": self.measured,
            "scratch.weights": self.weights,
            "scratch.values": self.values,
            "scratch.row": self.row,
        }

    def of_input(self, image: Image, number: int) -> tuple[int, int]:
        """Positions of the cotangents of an input: of the equations of motion, of outputs; -1: it is not read there."""
        key = (INPUT, number, VALUE)
        at = []
        for functions, P in ((self.system.functions.set, self.P), (self.out.set, self.of_outputs)):
            k = functions._input_index.get(key, -1)
            at.append(-1 if k < 0 else image.offset(P.ibar) + 8 * k)
        return at[0], at[1]

    def of_parameter(self, image: Image, table: int, row: int, column: int) -> tuple[int, int]:
        """Position of the cotangent of a parameter."""
        bar = self.P.pairs[table]
        return image.offset(bar) + 8 * (row * bar.shape[1] + column), -1

    def of_output(self, function: int) -> tuple[int, int]:
        """The row of an output: its function, where all forces that it reads have a derivative."""
        s = self.out.set
        read = {at for k in s.flat[function] if s.inputs[k].kind == FORCE for at, _, _ in s.inputs[k].sources}
        return (NOT_EXACT if any(no_derivative_of(self.system, at) for at in read) else function), -1

    def of_rate(self, at: int) -> tuple[int, int]:
        """The row of a rate; the states of nodes follow from the coordinates of their flexible bodies."""
        return (NOT_EXACT if at // layout.STATE in self._nodes else 0), -1

    def head(self, image: Image, variables: int) -> bytes:
        """Positions of handles and arrays, numbers of functions of outputs and of variables, the pivot of rows that
        repeat others."""
        own: list[Handle | np.ndarray] = [self.adjoint, self.measured, self.weights, self.values, self.row]
        return struct.pack(HEAD, *map(image.offset, own), len(self.out.set.functions), variables, REDUNDANT)


HEAD = "7qd"
NONE = struct.pack(HEAD, *[-1] * 5, 0, 0, REDUNDANT)  # of an FMU without exact derivatives

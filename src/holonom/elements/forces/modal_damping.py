"""MODAL_DAMPING: viscous damping between the modes of flexible bodies, by a whole matrix.

Q = -D q', on the coordinates q of the modes of one flexible body or of several together; D is symmetric and takes
energy only.  The ratios of a FLEXIBILITY are those of the modes of the free body, whose matrix is diagonal; a body that
joints hold has other modes, and the matrix that gives these a ratio is full
(`analyses.linear.assembled_damping`).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..._jit import jit
from ..._with_numba import with_numba
from ...model.base import Element, ModelError, shown
from ...model.builder.teaching import sound
from ..kinds import ForceKind

SKEW = 1e-9  # share of its largest number by which a matrix may not be symmetric
GIVES = 1e-9  # share of its largest eigenvalue by which one may be negative

DampingTables = namedtuple("DampingTables", "matrix")
DampingTables.__doc__ = """matrix (n, n): force over velocity of the coordinates of modes."""


@with_numba
def _views():
    global HANDLE, types, view_S, tables_at
    from numba import types
    from numba.extending import intrinsic

    from ..._handle import make_handle, view_S

    HANDLE = make_handle(DampingTables(np.zeros((1, 1))), (), ())._numba_type_

    @intrinsic
    def tables_at(typingctx, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(HANDLE))

        return HANDLE(types.int64), codegen


@dataclass
class ModalDamping(Element):
    """MODAL_DAMPING: ``matrix`` (n n numbers, row by row) between the modes of ``flexibilities`` (ids), of all in turn.

    ``i``: marker of the centre of mass of the part of the first.
    """

    KIND: ClassVar[str] = "MODAL_DAMPING"
    ROLE: ClassVar[str] = "force"
    SWITCHABLE: ClassVar[bool] = True
    REFERENCES: ClassVar[dict[str, str]] = {"i": "MARKER", "flexibilities": "FLEXIBILITY"}
    i: int = 0
    flexibilities: tuple[int, ...] = ()
    matrix: tuple[float, ...] = ()

    def losses(self) -> str:
        return "damped"

    def faults(self, model: Any) -> Iterator[str]:
        """Sizes that do not fit, and matrices that are not symmetric or give energy."""
        found = [model.table("FLEXIBILITY").get(k) for k in self.flexibilities]
        if not found or any(b is None or b.body is None for b in found):
            return  # the reference is reported
        if len(set(self.flexibilities)) != len(found):
            yield "it names a flexible body twice; name each once"
        for bent in found:
            if self.active and not bent.active:
                yield f"its {bent.label} is not active; deactivate both or neither"
            if bent.formulation != "floating":
                yield (
                    f"{bent.label} has the formulation {bent.formulation}; modal damping needs the formulation floating"
                )
        n = sum(b.modes for b in found)
        if len(self.matrix) != n * n:
            yield f"its matrix has {len(self.matrix)} numbers; the {n} modes of its flexible bodies need {n * n}"
            return
        D = np.reshape(np.array(self.matrix, float), (n, n))
        if not np.all(np.isfinite(D)):
            yield "its matrix has numbers that are not finite; give finite ones"
            return
        size = float(np.abs(D).max(initial=0.0))
        if np.abs(D - D.T).max(initial=0.0) > SKEW * size:
            yield "its matrix is not symmetric; give the symmetric part"
            return
        least = np.linalg.eigvalsh(D)
        if least[0] < -GIVES * max(float(least[-1]), 0.0):
            yield (
                f"its matrix has the eigenvalue {least[0]:.3g} and would add energy; give one without negative "
                "eigenvalues"
            )


def modal_damping(model: Any, parts: Any, matrix: Any, *, name: str = "", id: int = 0) -> ModalDamping:
    """Viscous damping between the modes of flexible bodies: Q = -D q'.

    ``parts``: one flexible part or a list; ``matrix`` (n, n): symmetric, without negative eigenvalues, force over
    velocity of the coordinates of their modes (all of the first part, then of the next; these have mass one, so its
    unit is 1 / time).  It is added to the ratios of `make_flexible`.  For a ratio of the assembled machine see
    `holonom.assembled_damping`.  Raises `ModelError` for rigid parts and matrices that do not fit.

        model.modal_damping(beam, 2.0 * np.eye(4))
    """
    bodies = [model._body(p) for p in (parts if isinstance(parts, (list, tuple)) else [parts])]
    found = []
    for body in bodies:
        bent = model._flexibility_of(body)
        if bent is None:
            raise body.error("it is rigid and has no modes; make it flexible first (model.make_flexible)")
        found.append(bent)
    try:
        numbers = np.asarray(matrix, float)
    except (TypeError, ValueError):
        raise ModelError(f"matrix is {shown(matrix)}; give numbers (n, n)") from None
    if not bodies:
        raise ModelError("parts is empty; give one flexible part or more")
    element = ModalDamping(
        id=id,
        name=name,
        i=bodies[0].cm,
        flexibilities=tuple(b.id for b in found),
        matrix=tuple(map(float, numbers.ravel())),
    )
    return model.add(sound(element, model))


def values(e, model):
    return (0.0,)


def coordinates(e, model):
    table = model.table("FLEXIBILITY")
    return [table[k] for k in e.flexibilities]


def tables(e, system):
    """A handle on the matrix."""
    from ..._handle import make_handle

    n = round(len(e.matrix) ** 0.5)
    return make_handle(DampingTables(np.ascontiguousarray(np.reshape(np.array(e.matrix, float), (n, n)))), (), ())


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    D = view_S(tables_at(int(c[0]))).matrix
    n = D.shape[0]
    for k in range(12):
        W[k] = 0.0
    for m in range(n):
        total = 0.0
        for k in range(n):
            total += D[m, k] * u[n + k]
        xd[m] = -total


@jit
def tangent(c, f, fr, ref, t, u, x, W, out):
    D = view_S(tables_at(int(c[0]))).matrix
    n = D.shape[0]
    for m in range(n):
        for k in range(n):
            out[12 + m, 24 + n + k] -= D[m, k]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    D = view_S(tables_at(int(c[0]))).matrix
    n = D.shape[0]
    lost = 0.0
    for m in range(n):
        for k in range(n):
            lost += u[n + m] * D[m, k] * u[n + k]
    out[0] = 0.0
    out[1] = lost
    out[2] = 0.0


KIND = ForceKind(ModalDamping, modal_damping, force, tangent, energies, values, coordinates=coordinates, tables=tables)

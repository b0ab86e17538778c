"""A damping ratio of the modes of the assembled machine, by a matrix between the modes of its flexible bodies.

Of the undamped machine about a position, mode k has the frequency w_k and, with modal mass one, moves the coordinates
of the flexible bodies by p_k.  Of its potential energy the share

    s_k = sum_j (W_j p_kj)^2 / w_k^2,      W_j: frequencies of the free bodies,

is that of the flexible bodies (springs, bushings and gravity have the rest).  The matrix D of MODAL_DAMPING with

    p_k . D p_l = 2 ratio s_k w_k  (k = l),   0  (k != l)

gives each mode the ratio times this share, as material damping does (Ungar & Kerwin, J. Acoust. Soc. Am. 34 (1962)
954).  D = P^+T diag P^+ with the pseudoinverse P^+ of the p_k of all modes with a share above `ELASTIC`: symmetric,
without negative eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._summary import Summary
from ...model import Model, ModelError
from ...model.base import shown
from ...model.kinds import finite, is_number
from ..session.simulation import Simulation

ELASTIC = 0.01  # share of the potential energy of a mode, from which it counts as one of flexible bodies
DEPENDENT = 1e-8  # singular value over the largest, below which the shapes of modes are dependent
MISSED = 0.05  # of the ratio, by which a mode may miss it before it is reported


@dataclass(frozen=True)
class AssembledDamping(Summary):
    """``element``: the MODAL_DAMPING; of the modes of the machine with a share of flexible bodies ``frequency`` (k,)
    rad per time, ``elastic`` (k,): that share of their potential energy, ``ratio`` (k,): damping ratio that the matrix
    gives."""

    element: Any
    frequency: np.ndarray
    elastic: np.ndarray
    ratio: np.ndarray


def assembled_damping(
    model: Model, ratio: float, parts: Any = None, *, statics: bool = False, name: str = ""
) -> AssembledDamping:
    """Set the damping ratios of the modes of the assembled mechanism: ``ratio`` (0.02 is 2 %) times the fraction of the
    flexible bodies in the potential energy of each mode.

    ``parts``: flexible parts, by default all. The modes are those of the assembled initial position, or after
    ``statics``. Call it after all joints, forces and parts have been added: later elements are not considered. Damping
    ratios given to `make_flexible` are added to it: leave them at 0. Warns where the ratio of a mode differs from the
    target by more than 5 %, which happens for modes that differ only by rigid-body motion. Raises `ModelError` for
    models without flexible parts, and rolling wheels or driven velocities.

        model.make_flexible(beam, elements, damping=0.0)
        model.fixed(beam, model.ground, at=(0, 0, 0))
        hn.assembled_damping(model, 0.02)
    """
    if not (is_number(ratio) and finite(ratio) and 0.0 < ratio < 1.0):
        raise ModelError(
            f"ratio of the damping is {shown(ratio)}; give a number above 0 and below 1 (two per cent are 0.02)"
        )
    table = [b for b in model.table("FLEXIBILITY").values() if b.active and b.body is not None]
    if parts is not None:
        bodies = [model.find("PART", p) for p in (parts if isinstance(parts, (list, tuple)) else [parts])]
        for body in bodies:
            if not any(b.part == body.id for b in table):
                raise body.error("it is rigid and has no modes; make it flexible first (model.make_flexible)")
        table = [b for b in table if any(b.part == body.id for body in bodies)]
    if not table:
        raise ModelError(
            "the model has no flexible parts whose modes could be damped; make one flexible first (model.make_flexible)"
        )
    for b in table:
        if b.formulation != "floating":
            raise b.error(
                f"its formulation is {b.formulation}; damping of the assembled machine needs the formulation floating"
            )
    frequency, moves = _modes(model, table, statics)
    own = np.concatenate([b.frequency for b in table])
    share = ((own[:, None] * moves) ** 2).sum(axis=0) / frequency**2
    chosen = share > ELASTIC
    frequency, moves, share = frequency[chosen], moves[:, chosen], np.minimum(share[chosen], 1.0)
    if not len(frequency):
        raise ModelError("no mode of the machine has potential energy in its flexible parts; there is nothing to damp")
    P = np.linalg.pinv(moves, rcond=DEPENDENT)  # (k, n)
    D = (P.T * (2.0 * ratio * share * frequency)) @ P
    D = 0.5 * (D + D.T)
    got = np.einsum("nk,nm,mk->k", moves, D, moves) / (2.0 * frequency)
    element = model.modal_damping([model.table("PART")[b.part] for b in table], D, name=name)
    worst = int(np.argmax(np.abs(got - ratio * share)))
    if abs(got[worst] - ratio * share[worst]) > MISSED * ratio:
        model.warn(
            f"{element.label}: the mode of {frequency[worst]:.6g} rad per time gets a damping ratio of "
            f"{got[worst]:.3g} in place of {ratio * share[worst]:.3g}: "
            "its shape is not independent of those of other modes"
        )
    for b in table:
        if np.any(np.array(b.damping) > 0.0):
            model.warn(
                f"{element.label}: {b.label} has damping ratios of its free modes up to {max(b.damping):.3g}, which "
                "are added; set them to 0"
            )
    return AssembledDamping(element, frequency, share, got)


def _modes(model: Model, table: list[Any], statics: bool) -> tuple[np.ndarray, np.ndarray]:
    """(k,) frequencies of the vibrations of the undamped machine, and (n, k) how they move the coordinates of the
    flexible bodies, with modal mass one."""
    sim = Simulation(model, progress=False)
    sim.work = False
    if statics:
        sim.statics()
    found = sim.linearize(damping=False)
    nq, nu = found.nq, found.nu
    if nq != nu:
        raise ModelError(
            "rolling wheels or driven velocities leave the machine without modes of position; give the matrix "
            "(model.modal_damping)"
        )
    K = -found.A[nq : nq + nu, :nq]
    squares, V = np.linalg.eigh(0.5 * (K + K.T))
    rows = []
    for b in table:
        own = [k for k, key in enumerate(found.bodies) if key[:2] == ("FLEXIBILITY", b.id)]
        rows.append(found.shapes[own, 0, :] / b.largest()[:, None])
    still = squares > 1e-9 * max(float(squares[-1]), 0.0) if len(squares) else np.zeros(0, bool)
    return np.sqrt(squares[still]), np.concatenate(rows)[:, :nq] @ V[:, still]

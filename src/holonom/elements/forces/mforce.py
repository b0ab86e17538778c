"""MFORCE: a distribution of forces on a flexible body, scaled by an expression of time and states.

With s the scale, f the forces of the distribution on the coordinates of the modes, F its resultant and M its moment
about the centre of mass, both in axes of the part and of the undeformed body,

    Q_q += s f,      force s A F at the centre of mass,      torque s A M,      A the axes of the floating frame

so that the distribution turns with the frame (follower loads, as pressures are).  Of forces F_k at nodes with positions
x_k and shapes phi_kj: f_j = sum_k phi_kj . F_k.  Where ``jfloat`` is given its part takes the reaction of force and
torque.  Source: Adams Solver manual, MFORCE statement; Shabana, Dynamics of Multibody Systems (2013), ch. 5.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._jit import jit
from ...model.base import ModelError, shown
from ...model.builder.teaching import sound
from ...model.flexible import LACKING
from ...model.flexible_loads import nodal_loads, pressed
from ...model.forces import MForce
from ...model.values import formula, vector, whole
from ..kinds import ForceKind
from ..vectors import cross, rotate


def modal_force(
    model,
    part,
    scale="1",
    *,
    load=None,
    nodes=None,
    pressure=None,
    acceleration=None,
    case: int | None = None,
    reaction=None,
    name: str = "",
    id: int = 0,
) -> MForce:
    """A distribution of forces on a flexible body, times ``scale``, an expression of time and states; it turns with
    the part.  Give one of

    ``load`` (n,): forces on the coordinates of the modes; the rigid body feels none of it;
    ``nodes``: id of a node -> (3,) force or (6,) force and moment on it, axes of the part;
    ``pressure``: on the triangles of the surface, a number for all of them or (faces,) one each, positive inwards,
    force / length^2;
    ``acceleration`` (3,): of all of its mass, axes of the part, length / time^2, as a gravity that turns with it;
    ``case``: a load case of its body, from 1 (`ReducedBody.loads`).

    ``reaction``: a marker of another part that takes the reaction of the resultant.  Raises `ModelError` for rigid
    parts, nodes that are not there and loads of other sizes.

        model.modal_force(wing, "1000*sin(20*time)", nodes={21: (0, 0, 1.0)})
    """
    body = model._body(part)
    flexibility = model._flexibility_of(body)
    if flexibility is None:
        raise body.error("it is rigid and has no modes; make it flexible first (model.make_flexible), or use a GFORCE")
    ways = {"load": load, "nodes": nodes, "pressure": pressure, "acceleration": acceleration, "case": case}
    given = [k for k, v in ways.items() if v is not None]
    if len(given) != 1:
        raise ModelError(f"{' and '.join(given) or 'no distribution'} given; give one of {', '.join(ways)}")
    n = flexibility.modes
    force, moment, loads = np.zeros(3), np.zeros(3), None
    if load is not None:
        try:
            modal = np.asarray(load, float).ravel()
        except (TypeError, ValueError):
            raise ModelError(f"load is {shown(load)}; give {n} numbers, one for each mode") from None
        if modal.shape != (n,):
            raise ModelError(f"load has {modal.size} numbers; {n} modes require {n}")
    elif case is not None:
        case = whole(case, "case")
        cases = len(flexibility.body.loads)
        if not 1 <= case <= cases:
            raise ModelError(f"case is {case}; its body has {f'load cases 1 to {cases}' if cases else 'no load cases'}")
        row, A = flexibility.body.loads[case - 1], flexibility.turn
        force, moment, modal = A @ row[:3], A @ row[3:6], row[6:]
    elif acceleration is not None:
        # shapes hold no momentum: such a field moves the rigid body alone
        force, modal = flexibility.body.mass * np.array(vector(acceleration, "acceleration")), np.zeros(n)
    else:
        own = flexibility.body
        loads = nodal_loads(nodes) if nodes is not None else pressed(own.nodes, flexibility.points, own.faces, pressure)
        force, moment, modal = resultant(flexibility, loads)
    cm = model.find("MARKER", body.cm)
    element = MForce(
        id=id,
        name=name,
        flexibility=flexibility.id,
        i=cm.id,
        jfloat=None if reaction is None else model._marker(reaction),
        scale=formula(scale, "scale"),
        load=tuple(float(v) for v in modal),
        force=vector(force),
        moment=vector(moment),
        case=case or 0,
    )
    model.add(sound(element, model))
    if loads is not None:
        _warn_of_missing(model, body, flexibility, element, loads)
    return element


def _warn_of_missing(model: Any, body: Any, flexibility: Any, element: MForce, loads: Mapping[int, np.ndarray]) -> None:
    """Warn once a part where its modes lack more than `LACKING` of the static deflection under loads on nodes (axes of
    the part)."""
    elements, text = flexibility.elements, f"{body.label}: its modes lack "
    if elements is None or any(w.startswith(text) for w in model.warnings):
        return
    own = {int(k) for k in elements.nodes}
    A = model.body_frame(body).axes
    turned = {
        k: (row.reshape(2, 3) @ A.T).ravel() for k, row in loads.items() if k in own
    }  # interface nodes of spiders are exact
    if elements.freedoms == 3:
        turned = {k: row[:3] for k, row in turned.items()}
    share = elements.missing_share(flexibility.body, elements.load(turned)) if turned else 0.0
    if share > LACKING:
        model.warn(
            f"{text}{share:.2g} of the static deflection under {element.label}; keep its shape: make_flexible(..., "
            f"loads=[{{'pressure': 1.0}}]), or nodes"
        )


def resultant(flexibility: Any, loads: Mapping[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Force, moment about the centre of mass, and forces on the coordinates of the modes, of loads (6,) on nodes; all
    in axes of the part.

    Raises `ModelError` for nodes that are not there."""
    body, A = flexibility.body, flexibility.turn
    missing = [n for n in loads if n not in body.place]
    if missing:
        raise ModelError(f"there is no node {missing[0]}; its body has {len(body.nodes)} nodes")
    at = np.array([body.place[n] for n in loads])
    rows = np.array(list(loads.values())).reshape(-1, 2, 3) @ A  # axes of the body
    modal = np.einsum("ki,kij->j", rows.reshape(-1, 6), body.shapes[at])
    moment = (rows[:, 1] + np.cross(body.places[at] - body.centre, rows[:, 0])).sum(axis=0)
    return A @ rows[:, 0].sum(axis=0), A @ moment, modal


def values(e, model):
    return (*e.force, *e.moment)


def inputs(e, model):
    return (e.scale,)


def modal(e, model):
    return model.table("FLEXIBILITY")[e.flexibility], e.load


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    i, j = f[0], f[1]
    W[0], W[1], W[2] = rotate(fr.A, i, u[0] * c[0], u[0] * c[1], u[0] * c[2])
    W[3], W[4], W[5] = rotate(fr.A, i, u[0] * c[3], u[0] * c[4], u[0] * c[5])
    a, b, d = cross(fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2], W[0], W[1], W[2])
    for k in range(3):
        W[6 + k] = -W[k]
    W[9] = -W[3] - a
    W[10] = -W[4] - b
    W[11] = -W[5] - d


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    i, j = f[0], f[1]
    for o in range(0, 6, 3):  # theta_i x F, theta_i x M
        D[o, 4] += W[o + 2]
        D[o, 5] -= W[o + 1]
        D[o + 1, 3] -= W[o + 2]
        D[o + 1, 5] += W[o]
        D[o + 2, 3] += W[o + 1]
        D[o + 2, 4] -= W[o]
        D[o, 24], D[o + 1, 24], D[o + 2, 24] = rotate(fr.A, i, c[o], c[o + 1], c[o + 2])
    L0, L1, L2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    for col in (3, 4, 5, 24):
        a0, a1, a2 = cross(L0, L1, L2, D[0, col], D[1, col], D[2, col])
        for r in range(3):
            D[6 + r, col] = -D[r, col]
        D[9, col] = -D[3, col] - a0
        D[10, col] = -D[4, col] - a1
        D[11, col] = -D[5, col] - a2
    for k in range(2):  # -dL x F
        col = 6 * k
        sign = 1.0 if k == 0 else -1.0
        D[9, col + 1] -= sign * W[2]
        D[9, col + 2] += sign * W[1]
        D[10, col] += sign * W[2]
        D[10, col + 2] -= sign * W[0]
        D[11, col] -= sign * W[1]
        D[11, col + 1] += sign * W[0]


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    out[0] = 0.0
    out[1] = 0.0
    out[2] = 0.0
    for q in range(2):
        for k in range(3):
            out[2] += W[6 * q + k] * fr.v[f[q], k] + W[6 * q + 3 + k] * fr.w[f[q], k]


KIND = ForceKind(MForce, modal_force, force, tangent, energies, values, inputs=inputs, modal=modal)

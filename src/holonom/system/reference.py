"""Continuous angles: where counting starts, and how it goes on from one owner to the next.

Whole turns are part of the state: equations of motion, outputs and conditions count them, each from its last accepted
step.  What they have counted is known by what is measured (`counted_angles`), so that another system, another analysis
and a saved state continue with it (`continue_angles`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._jit import FEW, briefly
from ..elements.bodies.coordinates import rotations
from ..elements.forces.pair_kinds import PAIR_KINDS
from ..elements.frames import update_frames
from ..elements.joints.rows import ANGLE, DISTANCE, ELEVATION, _elevation
from ..elements.measures import CODES, measure_value


def choose_turns(system) -> None:
    """Angles that a function of time holds start on the turn that is nearest to its value (rows and motions must be
    current).

    An angle drawn at -pi and asked to be +pi is met, and so is a motion that has made many turns when an analysis
    continues.
    """
    rows, rw = system.S.rows, system.W.rw
    terms = np.bincount(rows.tr, minlength=rows.m + 1)
    for k in range(len(rw.angle)):
        r = rows.tr[k]
        if rows.tk[k] != DISTANCE and terms[r] == 1 and rows.motion[r] >= 0 and rows.level[r] == 0:
            wanted = rw.motion[rows.motion[r], 0] / rows.ts[k]
            if np.isfinite(wanted) and rows.tk[k] == ELEVATION:  # its branch is that which is nearer
                rw.angle_ref[k] = wanted, 0.0
            elif np.isfinite(wanted):
                turns = np.round((wanted - rw.angle[k]) / (2 * np.pi))
                rw.angle_ref[k] = rw.angle[k] + 2 * np.pi * turns, 0.0  # the angle and its rate there


class Count(NamedTuple):
    """One continuous angle: ``array``[``row``, ``column``] is its value when it was last accepted, the next column its
    rate where ``rated``; ``keys``: what it is, the first for its own element, by which another owner knows it."""

    keys: tuple[tuple, ...]
    array: np.ndarray
    row: int
    column: int
    rated: bool


def _markers(owner) -> dict[int, int]:
    """Frame of an owner -> number of its marker."""
    return {0: 0} | {frame: number for number, frame in owner._marker_frame.items()}


def function_angles(owner) -> Iterator[tuple[tuple, int]]:
    """(key, row of ``W.f.ref``) of the continuous angles that functions measure.  The key is the measure and its
    markers: the same angle is one angle, wherever a function, a spring or an output measures it."""
    marker, inp = _markers(owner), owner.S.fn.inputs
    for k in range(len(inp.kind)):
        i, j = marker.get(int(inp.a[k])), marker.get(int(inp.b[k]))
        if inp.ref[k] >= 0 and i is not None and j is not None:
            yield ("angle", int(inp.code[k]), i, j), int(inp.ref[k])


def _counted(owner) -> Iterator[Count]:
    """The continuous angles of a system: of functions, constraints, springs, bushings and other forces; of functions
    only where the owner has frames of its own (`Outputs`)."""
    S, W = owner.S, owner.W
    for key, r in function_angles(owner):
        yield Count((key,), W.f.ref, r, 0, True)
    if not hasattr(owner, "constraints"):
        return
    marker = _markers(owner)
    element = {r: (c.element.KIND, c.element.id, r - c.rows.start) for c in owner.constraints for r in c.rows}
    term: Counter = Counter()
    for k in range(len(W.rw.angle_ref)):
        r = int(S.rows.tr[k])
        own, ends = element.get(r), (marker.get(int(S.rows.ti[k])), marker.get(int(S.rows.tj[k])))
        term[r] += 1
        if S.rows.tk[k] != DISTANCE:
            keys: tuple[tuple, ...] = (("constraint", *own, term[r]),) if own is not None else ()
            keys += (("constraint", *ends),) if None not in ends else ()
            yield Count(keys, W.rw.angle_ref, k, 0, True)
    pairs = S.pairs
    for kind, a, b in zip(PAIR_KINDS, pairs.first, pairs.first[1:]) if pairs is not None else ():
        for k in range(a, b) if kind.law.TURNS else ():
            yield from _projected(marker, int(pairs.i[k]), int(pairs.j[k]), pairs.ref, k)
    for i, j, k in owner.ports.turning() if owner.ports.elements else ():
        yield from _projected(marker, i, j, owner.ports.W.ref, k)


def _projected(marker: dict[int, int], i: int, j: int, array: np.ndarray, row: int) -> Iterator[Count]:
    """AX, AY and AZ of frame i in frame j."""
    ends = marker.get(i), marker.get(j)
    if None not in ends:
        for c in range(3):
            yield Count((("angle", CODES["AX"] + c, *ends),), array, row, c, False)


def counted_angles(*owners) -> dict[tuple, float]:
    """Values of continuous angles by what is measured, for others that measure the same (`take_angles`).  Where several
    owners count an angle, that of the first is taken; owners that are None are passed over."""
    angles: dict[tuple, float] = {}
    for owner in owners:
        for count in _counted(owner) if owner is not None else ():
            for key in count.keys:
                angles.setdefault(key, float(count.array[count.row, count.column]))
    return angles


def take_angles(owner, angles: dict[tuple, float]) -> None:
    """Continue counting turns where others ended; angles that they did not have stay as they are."""
    for count in _counted(owner):
        key = next((key for key in count.keys if key in angles), None)
        if key is not None:
            count.array[count.row, count.column] = angles[key]
            if count.rated:
                count.array[count.row, count.column + 1] = 0.0


def present_angles(system) -> dict[tuple, float]:
    """`counted_angles` of a system, its outputs and the conditions of its SWITCHes."""
    return counted_angles(system, system.workspace.outputs, system.workspace.guards)


def continue_angles(system, angles: dict[tuple, float]) -> None:
    """`take_angles` for a system, its outputs and the conditions of its SWITCHes."""
    take_angles(system, angles)
    for owner in (system.workspace.outputs, system.workspace.guards):
        if owner is not None:
            owner.continue_angles(angles)


def accept_reference(system, y: np.ndarray) -> None:
    """Take the present branch of every continuous angle at y, where nothing moves, as its reference: in the equations
    of motion and in outputs."""
    S, W = system.S, system.W
    turning = system.ports.turning() if system.ports.elements else ()
    if not (len(W.rw.angle_ref) or len(W.f.ref) or len(S.pairs.i) or turning):  # nothing reads the frames
        accept_outputs(system, y)
        return
    _place_frames(system.bodies, S.fr, y, W.R)
    for k in range(len(W.rw.angle_ref)):
        i, j = S.rows.ti[k], S.rows.tj[k]
        if S.rows.tk[k] == ELEVATION:
            W.rw.angle_ref[k] = _elevation(S.fr, i, j, W.rw.angle_ref[k, 0])[0], 0.0
        elif S.rows.tk[k] == ANGLE:
            x, yj, xj = S.fr.A[i][0::3], S.fr.A[j][1::3], S.fr.A[j][0::3]
            raw = float(np.arctan2(x @ yj, x @ xj))
            ref = W.rw.angle_ref[k, 0]
            W.rw.angle_ref[k, 1] = 0.0
            W.rw.angle_ref[k, 0] = raw + 2 * np.pi * np.round((ref - raw) / (2 * np.pi))
    _accept_functions(S.fn, S.fr, W.f)
    accept_outputs(system, y)
    if len(S.pairs.i):
        from .pairs import accept_turns

        accept_turns(S.pairs, S.fr)
    for i, j, k in turning:
        for c in range(3):
            ref = system.ports.W.ref
            ref[k, c] = measure_value(CODES["AX"] + c, i, j, 0, 0, S.fr, ref[k, c])


def accept_outputs(system, y: np.ndarray) -> None:
    """The same in outputs alone."""
    outputs = system.workspace.outputs
    if outputs is not None and outputs.set._refs:
        _place_frames(system.bodies, outputs.S.fr, y, outputs.W.R)
        _accept_functions(outputs.S.fn, outputs.S.fr, outputs.W.f)


def _place_frames(bodies, fr, y: np.ndarray, R: np.ndarray) -> None:
    """R and frames at y."""
    size = len(fr.body) + bodies.n
    if len(bodies.coupled):  # nodes are placed through addresses, which plain Python does not call
        size = FEW + 1
    briefly(rotations, size, bodies, y, R)
    briefly(update_frames, size, fr, y, R)


def _accept_functions(fn, fr, f) -> None:
    inp = fn.inputs
    for k in np.flatnonzero(inp.ref >= 0):
        r = inp.ref[k]
        f.ref[r, 0] = measure_value(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], fr, f.ref[r, 0])
        f.ref[r, 1] = 0.0

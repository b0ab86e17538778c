"""Continuous angles: where counting starts."""

from __future__ import annotations

import numpy as np

from ..elements.forces.pair_kinds import PAIR_KINDS
from ..elements.joints.rows import ANGLE, DISTANCE, ELEVATION, _elevation
from ..elements.measures import measure_value


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


def _counted(owner, word: str = ""):
    """(key by markers, array, row) of the continuous angles of a system: constraints, functions, springs and bushings;
    with a ``word`` of functions only, over frames of their own (`Outputs`)."""
    S, W = owner.S, owner.W
    marker = {frame: number for number, frame in owner._marker_frame.items()}
    marker[-1] = -1
    inp = S.fn.inputs
    for k in range(len(inp.kind)):
        if inp.ref[k] >= 0:
            key = tuple(marker.get(int(f[k]), -int(f[k]) - 2) for f in (inp.a, inp.b, inp.c, inp.d))
            yield (word or "function", int(inp.code[k]), *key), W.f.ref, int(inp.ref[k])
    if word:
        return
    for k in range(len(W.rw.angle_ref)):
        key = marker.get(int(S.rows.ti[k])), marker.get(int(S.rows.tj[k]))
        if S.rows.tk[k] != DISTANCE and None not in key:
            yield ("constraint", *key), W.rw.angle_ref, k
    pairs = S.pairs
    for kind, a, b in zip(PAIR_KINDS, pairs.first, pairs.first[1:]):
        for k in range(a, b) if kind.law.TURNS else ():
            key = marker.get(int(pairs.i[k])), marker.get(int(pairs.j[k]))
            if None not in key:
                yield (kind.name, *key), pairs.ref, k


def counted_angles(owner, word: str = "") -> dict:
    """How far continuous angles have come, for another system of the same machine (`take_angles`)."""
    return {key: array[k].copy() for key, array, k in _counted(owner, word)}


def take_angles(owner, angles: dict, word: str = "") -> None:
    """Continue counting turns where another system ended; angles that it did not have stay as they are."""
    for key, array, k in _counted(owner, word):
        if key in angles:
            array[k] = angles[key]
            if array.shape[1] == 2:
                array[k, 1] = 0.0  # the rate there


def accept_reference(system, y: np.ndarray) -> None:
    """Take the present branch of every continuous angle as its reference (frames must be current)."""
    S, W = system.S, system.W
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
    inp = S.fn.inputs
    for k in range(len(inp.kind)):
        if inp.ref[k] >= 0:
            r = inp.ref[k]
            W.f.ref[r, 0] = measure_value(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, W.f.ref[r, 0])
            W.f.ref[r, 1] = 0.0
    if len(S.pairs.i):
        from .pairs import accept_turns

        accept_turns(S.pairs, S.fr)

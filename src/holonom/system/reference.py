"""Continuous angles: where counting starts."""

from __future__ import annotations

import numpy as np

from ..elements.measures import measure_value


def accept_reference(system, y: np.ndarray) -> None:
    """Take the present branch of every continuous angle as its reference (frames must be current)."""
    S, W = system.S, system.W
    for k in range(len(W.rw.angle_ref)):
        i, j = S.rows.ti[k], S.rows.tj[k]
        if S.rows.tk[k] == 0:
            x, yj, xj = S.fr.A[i][0::3], S.fr.A[j][1::3], S.fr.A[j][0::3]
            raw = float(np.arctan2(x @ yj, x @ xj))
            ref = W.rw.angle_ref[k]
            W.rw.angle_ref[k] = raw + 2 * np.pi * np.round((ref - raw) / (2 * np.pi))
    if S.fn is not None:
        inp = S.fn.inputs
        for k in range(len(inp.kind)):
            if inp.ref[k] >= 0:
                r = inp.ref[k]
                W.f.ref[r] = measure_value(inp.code[k], inp.a[k], inp.b[k], inp.c[k], inp.d[k], S.fr, W.f.ref[r])
    if S.pairs is not None:
        from .pairs import accept_pairs

        accept_pairs(S.pairs, S.fr)

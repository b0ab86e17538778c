"""Forces between two frames (springs, bushings, fields, beams): batches of each kind over its own table."""

from __future__ import annotations

from collections import namedtuple

from .._jit import jit
from ..elements.forces import bushing, field, spring_damper, torsion_spring
from ..elements.forces.relative import accept
from ..elements.frames import project_tangent, scatter

# t (n, columns); i, j frames; ref (n, 3) angles at the last accepted step; out (n, 12) wrenches; pos (n, 144) positions
Batch = namedtuple("Batch", "t i j ref out pos")
Pairs = namedtuple("Pairs", "spring torsion bushing field W D KL CL idx")

KINDS = {"spring": spring_damper, "torsion": torsion_spring, "bushing": bushing, "field": field}

_spring_all = spring_damper.add_all
_torsion_all = torsion_spring.add_all
_bushing_all = bushing.add_all
_field_all = field.add_all
_spring_tangent = spring_damper.tangent
_torsion_stiffness = torsion_spring.add_stiffness
_bushing_tangent = bushing.tangent
_field_tangent = field.tangent


@jit
def pair_forces(pairs, fr, R, F):
    b = pairs.spring
    _spring_all(b.t, b.i, b.j, fr, R, b.ref, F, b.out)
    b = pairs.torsion
    _torsion_all(b.t, b.i, b.j, fr, R, b.ref, F, b.out)
    b = pairs.bushing
    _bushing_all(b.t, b.i, b.j, fr, R, b.ref, F, b.out)
    b = pairs.field
    _field_all(b.t, b.i, b.j, fr, R, b.ref, F, b.out)


@jit
def accept_pairs(pairs, fr):
    """The present angles become the reference from which angles run on."""
    accept(pairs.torsion.i, pairs.torsion.j, fr, pairs.torsion.ref)
    accept(pairs.bushing.i, pairs.bushing.j, fr, pairs.bushing.ref)
    accept(pairs.field.i, pairs.field.j, fr, pairs.field.ref)


@jit
def _begin(pairs):
    for r in range(12):
        pairs.W[r] = 0.0
        for c in range(24):
            pairs.D[r, c] = 0.0
        for c in range(12):
            pairs.KL[r, c] = 0.0
            pairs.CL[r, c] = 0.0


@jit
def _end(pairs, b, k, fr, R, K, C):
    pairs.idx[0] = b.i[k]
    pairs.idx[1] = b.j[k]
    project_tangent(fr, R, 2, pairs.idx, pairs.W, pairs.D, 2, pairs.KL, pairs.CL)
    scatter(b.pos, k, 12, pairs.KL, -1.0, K)
    scatter(b.pos, k, 12, pairs.CL, -1.0, C)


@jit
def pair_stiffness(pairs, fr, R, K, C):
    """K -= dF/dq, C -= dF/du of all pair forces."""
    b = pairs.spring
    for k in range(b.i.shape[0]):
        _begin(pairs)
        _spring_tangent(b.t, k, b.i[k], b.j[k], fr, b.ref, pairs.W, pairs.D)
        _end(pairs, b, k, fr, R, K, C)
    b = pairs.torsion
    _torsion_stiffness(b.t, b.i, b.j, fr, R, b.ref, pairs.W, b.pos, K, C)
    b = pairs.bushing
    for k in range(b.i.shape[0]):
        _begin(pairs)
        _bushing_tangent(b.t, k, b.i[k], b.j[k], fr, b.ref, pairs.W, pairs.D)
        _end(pairs, b, k, fr, R, K, C)
    b = pairs.field
    for k in range(b.i.shape[0]):
        _begin(pairs)
        _field_tangent(b.t, k, b.i[k], b.j[k], fr, b.ref, pairs.W, pairs.D)
        _end(pairs, b, k, fr, R, K, C)

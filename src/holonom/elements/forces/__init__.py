"""Pair forces: one file per kind, all with the same small interface.

    COLUMNS                               name, meaning, unit of each column of the float table ``t`` (n, len(COLUMNS))
    row(element, model)                   one row of the table, in the model's (consistent) units
    wrench(t, k, i, j, fr, ref, W)        W[0:6] force and torque on frame i, W[6:12] on j: at their origins, in ground
    tangent(t, k, i, j, fr, ref, W, D)    also D[12, 24] = dW / d(p_i, theta_i, p_j, theta_j, v_i, w_i, v_j, w_j)
    energy(t, k, i, j, fr, ref)           potential energy of springs and preloads; NaN where none exists
    power(t, k, i, j, fr, ref, W)         power of (springs and preloads, dampers) on both bodies; W as `wrench` left it
    add_all(t, i, j, fr, R, ref, Q, out)  all elements: out (n, 12) the wrenches, Q the generalised forces they add to

Element k acts between frames i and j (integers in `wrench`, arrays (n,) in `add_all`).  ``ref`` (n, 3) holds the angles
AX, AY, AZ at the last accepted step, so that angles run on; `accept(i, j, fr, ref)` updates it after a step.
"""

from . import beam, bushing, field, spring_damper, torsion_spring
from .relative import accept

__all__ = ["accept", "beam", "bushing", "field", "spring_damper", "torsion_spring"]

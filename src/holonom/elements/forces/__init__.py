"""Forces.  Those between two frames that machines have by the thousand are compiled into the equations of motion; a
file of such a kind has

    COLUMNS                               name, meaning, unit of each column of the float table ``t`` (n, len(COLUMNS))
    ELEMENT, takes(element)               kind of the drawing that it makes rows of, and whether of this one
    TURNS                                 True: its angles run on, it reads ``ref``
    row(element, model)                   one row of the table, in the model's (consistent) units
    wrench(t, k, i, j, fr, ref, W)        W[0:6] force and torque on frame i, W[6:12] on j: at their origins, in ground
    tangent(t, k, i, j, fr, ref, W, D)    also D[12, 24] = dW / d(p_i, theta_i, p_j, theta_j, v_i, w_i, v_j, w_j)
    energy(t, k, i, j, fr, ref)           potential energy of springs and preloads; NaN where none exists
    power(t, k, i, j, fr, ref, W)         power of (springs and preloads, dampers) on both bodies; W as `wrench` left it

and, only where many of these numbers are always zero, what the loops of `system.pairs` would do with them, without the
zeros:

    add_all(t, i, j, fr, R, ref, Q, out)                 forces of all elements: out (n, 12) the wrenches, Q the
        generalised forces they add to
    add_stiffness(t, i, j, fr, R, ref, W, pos, K, C)     K -= dF/dq, C -= dF/du at positions pos (n, 144)

Element k acts between frames i and j (integers in `wrench`, arrays (n,) in `add_all`).  ``ref`` (n, 3) holds the angles
AX, AY, AZ at the last accepted step, so that angles run on; `accept(i, j, fr, ref)` updates it after a step.
`pair_kinds` is their register.

All other forces are of `elements.kinds`, which states what their files have.
"""

from . import beam, bushing, field, spring_damper, torsion_spring
from .relative import accept

__all__ = ["accept", "beam", "bushing", "field", "spring_damper", "torsion_spring"]

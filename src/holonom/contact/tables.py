"""Tables of the contact room: kinds of shapes, what is stored of a shape, and the columns of a contact point.

A shape is fixed to a frame; all its numbers are in the axes of that frame.  A pair kernel (`shapes`) writes contact points
of two shapes, one row of `COLUMNS` each; laws and friction see depth, rate and slip of a point, never a shape.
"""

from __future__ import annotations

from collections import namedtuple

#: kinds of shapes; a pair kernel is written for kind a <= kind b
KINDS = ("POINT", "SPHERE", "PLANE", "BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID", "TORUS", "HULL", "MESH", "HEIGHT_FIELD",
         "CURVE", "EXTRUSION", "REVOLUTION")  # fmt: skip
(POINT, SPHERE, PLANE, BOX, CYLINDER, CAPSULE, FRUSTUM, ELLIPSOID, TORUS, HULL, MESH, HEIGHT_FIELD, CURVE, EXTRUSION,
 REVOLUTION) = range(len(KINDS))  # fmt: skip

PARAMETERS = 16

Shapes = namedtuple("Shapes", "fr kind frame par first vert tri node link seg radius centre half")
Shapes.__doc__ = """One row a shape.  fr: Frames of the shapes; kind (n,); frame (n,) index into fr; par (n, 16) numbers of the kind;
first (n, 4): offsets and counts in the pools; pools: vert (nv, 3), tri (nt, 3) int64, node (nn, 8), link (nl, 4) int64, seg (ns, 12);
radius (n,), centre (n, 3): bounding sphere; half (n, 3): half sides of the box around the centre, inf where unbounded."""

# columns of a contact point (see `kinematics` for what the curvatures mean)
P, N, GAP, WEIGHT, E1, UA, VA, UB, VB, FEATURE = 0, 3, 6, 7, 8, 11, 14, 17, 20, 23
COLUMNS = 24

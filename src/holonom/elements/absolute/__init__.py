"""Elements in absolute nodal coordinates: one file a kind, and the register from which meshes
(`elements.bodies.absolute`) make their loops.

A mesh is a body whose coordinates are places of its nodes in ground and gradients of the position there, vectors of
three numbers each, node by node: [r, g_1, g_2, ..].  Gradients are multiplied by a length, the ``unit`` of the mesh, so
that all coordinates are lengths: g = unit dr/dx.  The mass is constant.

A file of a kind has

* ``NODES``, ``PER_NODE``: nodes of an element, and coordinates of a node; n = NODES PER_NODE; ``PROPERTIES``: names of
  its numbers (density, stiffness, ..)
* ``rows(q0, properties, unit) -> (e, R)``: constants of elements for kernels, from their coordinates where they are
  unloaded (e, n) and properties
  (e, len(PROPERTIES)); ``masses(q0, properties, unit) -> (e, n, n)``: their consistent masses, mass units of the model
* ``weights(properties, xi, unit) -> (1 + gradients, NODES PER_NODE / 3)``: how the position, and the gradients from
  which axes are made (the first along the axis), at the local coordinate xi follow from the vectors of an element with
  these properties
* kernels, q and v coordinates and rates (n,) of element e, nothing allocated:
  ``forces(data, e, q, v, f)``: f (n) <- -dV/dq and forces of dampers;
  ``stiffness(data, e, q, v, K, C)``: K, C (n, n) <- minus the derivatives of these by q and v, K exact; returns whether
      there
  is a C, which else may hold anything;
  ``energies(data, e, q, v)``: strain energy, and power of the dampers (negative)
* ``resultants(properties, xi, q, unit)``: what results show at xi for coordinates q (.., n), in the order of
  ``RESULTANTS``
* of what remembers (plastic bending) ``remembers(data) -> bool`` and the kernel ``accept(data, e, q)``, which brings
  the data up to q; ``kept(data)``: a view (.., ..) of what it wrote; ``law_place(row)``: where the numbers of its law
  stand, -1 for none

Rows of a kind may be longer than others of it; what is behind is zero.

`assembly` puts elements together without a model.
"""

from __future__ import annotations

from . import cable, conforming_plate, planar_beam, planar_cable, spatial_beam, thick_plate, thin_plate

#: in the order in which forces are added
ABSOLUTE_ELEMENTS = (cable, planar_beam, spatial_beam, thin_plate, conforming_plate, thick_plate, planar_cable)
NAMES = tuple(kind.__name__.rsplit(".", 1)[-1] for kind in ABSOLUTE_ELEMENTS)

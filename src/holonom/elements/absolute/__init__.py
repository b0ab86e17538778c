"""Elements in absolute nodal coordinates, a file a kind: `planar_beam`, `spatial_beam`, `thin_plate`, `conforming_plate`, `thick_plate`.

A file of a kind has ``NODES``, ``PER_NODE``, ``PROPERTIES``, ``RESULTANTS``; ``rows``, ``masses``, ``unity``, ``weights``, ``resultants``, ``faults`` in NumPy;
and the kernels ``forces``, ``stiffness``, ``energies``, ``stress``.  `assembly` puts them together without a model.
"""

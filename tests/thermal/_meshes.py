"""Meshes for the tests of heat, by few words."""

import numpy as np

import holonom as hn


def box(size, counts, kind="hexahedron", origin=(0, 0, 0)):
    """Groups x-, x+, y-, ..."""
    return hn.flexible.box(origin, np.add(origin, size), counts, kind)


def tube(inner, outer, length, counts, kind="hexahedron20", origin=(0, 0, 0)):
    """Along z, of cells radial, around, along; groups bore, surface, start, end."""
    radial, around, along = counts
    return hn.flexible.cylinder(origin, np.add(origin, (0, 0, length)), outer, inner, (along, radial, around), kind)

"""Vibration of what has yielded: about where it is a section is elastic, to both sides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...elements.absolute import ABSOLUTE_ELEMENTS
from ...elements.absolute.section_laws import harden
from ...elements.bodies.absolute import accept, remembering


@contextmanager
def elastic(bodies, y: np.ndarray) -> Iterator[None]:
    """Meshes that remember are brought up to y and yield no further; afterwards they are as they were.

    Without that a section that stands on its corner would be soft to one side and stiff to the other, and have no slope
    there.
    """
    kept = [(block.data, block.data.copy(), ABSOLUTE_ELEMENTS[k].law_place) for k, block in remembering(bodies)]
    accept(bodies, y)
    for data, _, place in kept:
        for row in data:
            if (at := place(row)) >= 0:
                harden(row, at)
    try:
        yield
    finally:
        for data, before, _ in kept:
            data[:] = before

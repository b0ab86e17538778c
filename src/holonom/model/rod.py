"""A rod as one element: the parts that are its nodes, the beams between them, and its section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .base import Element, shown


@dataclass
class RodElement(Element):
    """ROD: the parts and beams that form a rod, for results and pictures; dynamics is that of its parts and beams.

    ``parts``: its nodes, from end to end; ``beams``: between them, one less, or as many where it is ``closed``; ``A``,
    ``Iy``, ``Iz``: area and second moments of its section; ``fibres`` (2 k,): y and z of points of the section, and
    ``law`` (18 k,): for each of them stresses xx, xy, xz by N, Vy, Vz, T, My, Mz; both empty where stresses are not
    known.
    """

    KIND: ClassVar[str] = "ROD"
    REFERENCES: ClassVar[dict[str, str]] = {"parts": "PART", "beams": "EXACT_BEAM"}

    parts: tuple[int, ...] = ()
    beams: tuple[int, ...] = ()
    closed: bool = False
    A: float = 0.0
    Iy: float = 0.0
    Iz: float = 0.0
    fibres: tuple[float, ...] = ()
    law: tuple[float, ...] = ()

    def faults(self, model: Any) -> Iterator[str]:
        want = len(self.parts) - (0 if self.closed else 1)
        if want < 1 or len(self.beams) != want:
            yield f"it has {len(self.beams)} beams between {len(self.parts)} nodes; give one between each two"
        for name in ("A", "Iy", "Iz"):
            if not getattr(self, name) > 0.0:
                yield f"{name} of its section is {shown(getattr(self, name))}; give a positive number"
        if len(self.fibres) % 2 or len(self.law) != 9 * len(self.fibres):
            yield (
                f"it has {len(self.fibres)} numbers of fibres and {len(self.law)} of their law; give two and "
                "eighteen a fibre"
            )
        elif not np.all(np.isfinite([*self.fibres, *self.law])):
            yield "a number of its fibres or of their law is not finite; fix it"

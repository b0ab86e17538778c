"""Forces between two frames that are compiled into the equations of motion, a table of parameters a kind: the register
that `system.pairs` makes its loops from.

A chain of a thousand springs or bushings pays for no call an element; the price is that another kind compiles the
equations of motion again.  A force that is not used by the thousand is better of the other sort (`elements.kinds`),
called through its address.  What a file of either sort has is reported in the package.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from . import beam, bushing, field, spring_damper, torsion_spring


class PairKind(NamedTuple):
    """``law``: the file of its kernels; ``sources``: files that make rows of its table of elements (``ELEMENT``,
    ``takes``, ``row``)."""

    name: str
    law: ModuleType
    sources: tuple[ModuleType, ...]


#: in the order in which forces are added and wrenches are kept
PAIR_KINDS = (
    PairKind("spring", spring_damper, (spring_damper,)),
    PairKind("torsion", torsion_spring, (torsion_spring,)),
    PairKind("bushing", bushing, (bushing,)),
    PairKind("field", field, (field, beam)),
)

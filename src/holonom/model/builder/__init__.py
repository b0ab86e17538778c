"""Builder methods of `Model`: one per element type, with the names that engineers use."""

from __future__ import annotations

from ..feeding import Feeding
from ..fmu import Fmus
from ..grains import Bulk
from ..solids import Solids
from ..switches import Switches
from .bodies import Bodies
from .control import Controlled
from .flexible import Flexible
from .forces import Forces
from .joints import Joints
from .kinds import Kinds
from .outputs import Outputs
from .placement import Placement
from .states import States
from .teaching import teach

for _methods in (Bulk, Feeding, Fmus, Solids, Switches):
    teach(_methods)


class Builder(
    Joints, Forces, States, Outputs, Placement, Bulk, Feeding, Fmus, Solids, Switches, Flexible, Controlled, Kinds
):
    """Mixin of `Model`.  Lengths, forces, times in the model's units; angles in radians; every method returns its
    element.

    Directions (``axis``, ``z``, ``x``) and points (``at``) of joints and markers are in ground axes at the design
    position unless a method specifies otherwise. An element is passed as the object itself, by id or by name. Invalid
    arguments raise `ModelError` in the line of the call, with the element, the argument, the value and the fix.
    """


__all__ = ["Bodies", "Builder", "Kinds"]

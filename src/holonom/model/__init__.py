"""The definition of a mechanical system: plain data that is validated, written to JSON and read back."""

from . import absolute, bodies, feeding, flexible, forces, grains, joints, outputs, rod, states, switches  # noqa: F401  (fill the registry KINDS)
from .base import KINDS, Element, ModelError, ModelErrors, Source
from .model import Model
from .settings import Units

__all__ = ["KINDS", "Element", "Model", "ModelError", "ModelErrors", "Source", "Units"]

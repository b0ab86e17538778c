"""The definition of a mechanical system: plain data that is validated, written to JSON and read back."""

from .._moved import former_names
from . import absolute, bodies, control, feeding, flexible, fmu, forces, grains, joints, outputs, rod, states, switches  # noqa: F401  (fill the registry ELEMENT_TYPES)
from .base import ELEMENT_TYPES, Element, ModelError, ModelErrors, Source
from .model import Model
from .settings import Units

__all__ = ["ELEMENT_TYPES", "Element", "Model", "ModelError", "ModelErrors", "Source", "Units"]

__getattr__ = former_names(__name__, {"KINDS": "ELEMENT_TYPES"})

"""FMUs (Functional Mock-up Interface 2.0 and 3.0): their archive, their description, and the element of a model."""

from .description import FmuDescription, read_fmu
from .element import FMU, Fmus, fmu_faults

__all__ = ["FMU", "FmuDescription", "Fmus", "fmu_faults", "read_fmu"]

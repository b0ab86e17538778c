"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`."""

from .model.abaqus import read_abaqus
from .model.ansys import read_ansys
from .model.beams import Section, beam
from .model.finite_elements import FiniteElements, Modal, reduce

__all__ = ["FiniteElements", "Modal", "Section", "beam", "read_abaqus", "read_ansys", "reduce"]

"""Robot description files: readers return a `holonom.model.Model`."""

from .urdf import read_urdf

__all__ = ["read_urdf"]

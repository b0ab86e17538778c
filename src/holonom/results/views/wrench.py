"""Force and torque of constraints and applied forces."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...model import ModelError
from .._names import Named

if TYPE_CHECKING:
    import xarray as xr

    from .._data import Key
    from ..run import Run


class WrenchView(Named):
    """Force and torque of a constraint or an applied force on its I marker (at the I marker's origin)."""

    def __init__(self, run: Run, table: str, key: Key, axes_of: Any = None, on_j: bool = False) -> None:
        self.run, self.key = run, key
        self.kind, self.id, self.name = key
        self._table, self._axes_of, self._on_j = table, axes_of, on_j

    def __repr__(self) -> str:
        side, axes = "J" if self._on_j else "I", "ground" if self._axes_of is None else f"MARKER/{self._axes_of.id}"
        return f"<{self.kind}/{self.id} '{self.name}': wrench on {side}, axes of {axes}, {len(self.run)} times>"

    @property
    def _index(self) -> int:
        return getattr(self.run.data, f"{self._table}s").index(self.key)

    @property
    def i(self) -> int:
        """Id of the I marker (0: none)."""
        return int(getattr(self.run.data, f"{self._table}_i")[self._index])

    @property
    def j(self) -> int:
        """Id of the J marker (0: none)."""
        return int(getattr(self.run.data, f"{self._table}_j")[self._index])

    @cached_property
    def _wrench(self) -> tuple[np.ndarray, np.ndarray]:
        k, d = self._index, self.run.data
        force, torque = getattr(d, f"{self._table}_force")[:, k], getattr(d, f"{self._table}_torque")[:, k]
        if self._on_j:
            arm = self.run.marker(self.i)._motion[0] - self.run.marker(self.j)._motion[0]
            force, torque = -force, -(torque + np.cross(arm, force))
        if self._axes_of is not None:
            axes = self.run.marker(self._axes_of)._motion[1]
            force, torque = np.einsum("tji,tj->ti", axes, force), np.einsum("tji,tj->ti", axes, torque)
        return force, torque

    @property
    def force(self) -> xr.DataArray:
        """Dims (time, axis)."""
        return self.run._vector(self._wrench[0], "force", f"{self.name}.force", self._axes_name)

    @property
    def torque(self) -> xr.DataArray:
        """Dims (time, axis), about the origin of the marker on which it acts."""
        return self.run._vector(self._wrench[1], "torque", f"{self.name}.torque", self._axes_name)

    @property
    def _axes_name(self) -> str:
        return "ground" if self._axes_of is None else f"MARKER/{self._axes_of.id} '{self._axes_of.name}'"

    def in_axes(self, marker: Any) -> Self:
        """The same wrench with components along the axes of ``marker`` as they are at each time."""
        return type(self)(self.run, self._table, self.key, self.run.marker(marker).element, self._on_j)

    @property
    def on_j(self) -> Self:
        """The reaction on the J marker, its torque about J's origin (forces between two markers only)."""
        if not (self.i and self.j):
            raise ModelError(f"{self.kind}/{self.id} '{self.name}' does not name both an I and a J marker")
        return type(self)(self.run, self._table, self.key, self._axes_of, not self._on_j)

"""Temperatures of a body over time, the heats that made them, and whether these add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, close_word, shown

if TYPE_CHECKING:
    import xarray as xr
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    from .conduction import Conduction, Where


@dataclass(frozen=True)
class HeatBalance(Summary):
    """What went in by each condition, and what is stored: energies since the start, or powers of a steady state
    (``stored`` zero).

    ``heat``: name -> heat into the body, negative out of it; ``inside``: name -> heat from one side to the other of
    contacts and links, onto the first; ``residual`` = sum of ``heat`` - ``stored``; ``scale``: sum of their sizes;
    ``relative`` = |residual| / scale.
    """

    heat: dict[str, float]
    inside: dict[str, float]
    stored: float
    residual: float
    scale: float

    @property
    def relative(self) -> float:
        return abs(self.residual) / self.scale if self.scale > 0.0 else 0.0

    def ok(self, tolerance: float = 1e-9) -> bool:
        """Whether heat in = heat out + stored within a share of all heats."""
        return self.relative <= tolerance

    def __str__(self) -> str:
        lines = [f"{name}: {value:.6g}" for name, value in self.heat.items()]
        lines += [f"{name}: {value:.6g} within" for name, value in self.inside.items()]
        return "\n".join(
            [
                *lines,
                f"stored: {self.stored:.6g}",
                f"residual: {self.residual:.2g}, {self.relative:.2g} of the sum of all",
            ]
        )


@dataclass(frozen=True, eq=False)
class Temperatures(Summary):
    """Temperatures of all nodes at output times.

    ``conduction``: of which they are; ``time`` (t,); ``values`` (t, a), in the order of ``mesh.points``; ``powers`` (t,
    n): of each condition of ``conduction.names`` into the body at these times; ``counters``: steps, rejected ones,
    matrices factored.
    """

    conduction: Conduction
    time: np.ndarray
    values: np.ndarray
    powers: np.ndarray
    sums: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)
    through: np.ndarray = field(default_factory=lambda: np.zeros(0, bool), repr=False)
    counters: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<temperatures of {self.values.shape[1]} nodes at {len(self.time)} times: {self.values.min():.6g} to "
            f"{self.values.max():.6g}>"
        )

    def at(self, point: Any) -> np.ndarray:
        """(t,) at a point (3,), by the shape functions of its cell.  Raises `ModelError` for a point outside of the
        mesh."""
        nodes, weights = self.conduction.locate(point)
        return self.values[:, nodes] @ weights

    def node(self, node: int) -> np.ndarray:
        """(t,) of a node by its id.  Raises `ModelError` for an unknown one."""
        found = np.flatnonzero(np.asarray(self.conduction.mesh.ids) == node)
        if not len(found):
            raise ModelError(
                f"the mesh has no node {shown(node)}; its ids run from {min(self.conduction.mesh.ids)} to "
                f"{max(self.conduction.mesh.ids)}"
            )
        return self.values[:, found[0]]

    def mean(self, where: Where = None) -> np.ndarray:
        """(t,) mean over the faces in a position; over the volume of the body where none is given.  Raises `ModelError`
        for a position without faces."""
        weights = self.conduction.volume if where is None else self.conduction._over(self.conduction.faces(where))
        return self.values @ (weights / weights.sum())

    def largest(self, where: Where = None) -> np.ndarray:
        """(t,) of the hottest node in a position.  Raises `ModelError` for an unknown one."""
        return self.values[:, self.conduction.nodes(where)].max(1)

    def power(self, name: str) -> np.ndarray:
        """(t,) of a condition into the body, negative out of it; of contacts and links onto their first side.  Raises
        `ModelError` for an unknown name."""
        names = self.conduction.names
        if name not in names:
            meant = close_word(name, names)
            raise ModelError(
                f"there is no condition '{name}'; "
                + (f"did you mean '{meant}'?" if meant else f"there are {', '.join(names) or 'none'}")
            )
        return self.powers[:, names.index(name)]

    def audit(self, row: int = -1) -> HeatBalance:
        """Heat balance (in, out, stored) from the start to an output time; for a steady state, of powers."""
        names = self.conduction.names
        values = self.powers[row] if self.sums is None else self.sums[0][row]
        stored = 0.0 if self.sums is None else float(self.sums[1][row])
        through = np.zeros(len(names), bool)
        through[: len(self.through)] = self.through
        heat = {n: float(v) for n, v, t in zip(names, values, through) if not t}
        inside = {n: float(v) for n, v, t in zip(names, values, through) if t}
        scale = sum(abs(v) for v in heat.values()) + abs(stored)
        return HeatBalance(heat, inside, stored, sum(heat.values()) - stored, scale)

    def to_xarray(self) -> xr.Dataset:
        """``temperature`` (time, node) with ids of nodes, and ``power`` (time, condition)."""
        import xarray as xr

        return xr.Dataset(
            {"temperature": (("time", "node"), self.values), "power": (("time", "condition"), self.powers)},
            {"time": self.time, "node": np.asarray(self.conduction.mesh.ids), "condition": self.conduction.names},
        )

    def picture(
        self,
        path: str | Path | None = None,
        *,
        row: int = -1,
        displacement: np.ndarray | None = None,
        scale: float = 1.0,
        ax: Any = None,
        label: str = "temperature",
        view: tuple[float, float] = (20.0, -60.0),
        limits: tuple[float, float] | None = None,
        where: Where = None,
    ) -> Poly3DCollection:
        """The faces of the mesh coloured by their temperature at an output time; the collection of Matplotlib, saved
        where a ``path`` is given.

        ``displacement`` (a, 3), length, times ``scale``: of nodes, for a deformed picture; ``view``: elevation and
        azimuth in degrees; ``limits`` of the colours; ``where``: a position whose faces are drawn alone.  Raises
        `ModelError` for a position without faces.
        """
        from .picture import draw

        return draw(self, path, row, displacement, scale, ax, label, view, limits, where)

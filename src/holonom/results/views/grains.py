"""Results of the grains of one element, and bulk quantities of a granular medium.

Stress: each grain carries the moment of its contact forces, and a region the mean of those in it,

    sigma = 1/V sum over grains of (sum over contacts of (c - r) f  -  m v' v')        (tension positive)

f the force on the grain at c, r its centre, v' its velocity less the mean (J. Christoffersen, M. M. Mehrabadi, S.
Nemat-Nasser, J. Appl. Mech. 48 (1981) 339; C. S. Chang, Int. J. Solids Struct. 26 (1990)).  Granular temperature: T =
mean of v' . v' / 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import ModelError
from ...model.region import Region, region
from .._names import Named

if TYPE_CHECKING:
    import xarray as xr

    from ...model.grains import Grains
    from ..run import Run

XYZ = ("x", "y", "z")
SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
SAMPLES = 40_000  # points at which a packing fraction is checked


class GrainsView(Named):
    """Grains of one element over time: arrays (time, grain, ...), NaN where a grain does not exist.

    ``element``: the `model.Grains`, whose rows are the grains; ``radius`` (n,) of spheres, or of the ball around each,
    ``mass`` (n,).
    """

    def __init__(self, run: Run, element: Grains) -> None:
        self.run, self.element = run, element
        self.id, self.name = element.id, element.name

    def __repr__(self) -> str:
        return (
            f"<GRAINS/{self.id} '{self.name}': {len(self.element)} of shape {self.element.shape}, {len(self.run)} "
            "times>"
        )

    def __len__(self) -> int:
        return len(self.element)

    def values(self, name: str) -> np.ndarray:
        """One recorded array (nt, n, ...), of "position", "velocity", "spin", "quaternion", "contacts", "stress".
        Raises ModelError."""
        found = self.run.data.extra.get(f"grains/{self.id}/{name}")
        if found is None:
            raise ModelError(
                f"{self.element.label}: this run holds no {name} of grains; name it in record = (...) of model.grains"
            )
        return found

    def _view(self, name: str, dims: dict[str, Any], quantity: str, title: str = "") -> xr.DataArray:
        return self.run._array(self.values(name), ("grain", *dims), dims, quantity, f"{self.name}.{title or name}")

    @property
    def position(self) -> xr.DataArray:
        """Centres of mass, dims (time, grain, axis)."""
        return self._view("position", {"axis": list(XYZ)}, "length")

    @property
    def velocity(self) -> xr.DataArray:
        """Of centres of mass, dims (time, grain, axis)."""
        return self._view("velocity", {"axis": list(XYZ)}, "velocity")

    @property
    def spin(self) -> xr.DataArray:
        """Angular velocity in ground axes, dims (time, grain, axis)."""
        return self._view("spin", {"axis": list(XYZ)}, "angular_velocity")

    @property
    def quaternion(self) -> xr.DataArray:
        """From the axes of the shape to ground, scalar first, dims (time, grain, quaternion)."""
        return self._view("quaternion", {"quaternion": list("wxyz")}, "none")

    @property
    def exists(self) -> np.ndarray:
        """(nt, n): which grains exist."""
        return np.isfinite(self.values(self.element.record[0]).reshape(len(self.run), len(self), -1)).all(axis=2)

    @property
    def count(self) -> np.ndarray:
        """(nt,): number of grains."""
        return self.exists.sum(axis=1)

    @property
    def radius(self) -> np.ndarray:
        """Distance of the farthest point from the centre, in the length unit of the model."""
        return self.element.sizes * self.element.reach

    @property
    def mass(self) -> np.ndarray:
        """In the mass unit of the model."""
        return self.element.masses

    # ---- statistics -----------------------------------------------------------------------------------------------
    def _inside(self, where: Any) -> np.ndarray:
        """(nt, n): which grains have their centre in a region; all that exist where it is None."""
        there = self.exists
        if where is None:
            return there
        p = self.values("position")
        return there & where.contains(p.reshape(-1, 3)).reshape(p.shape[:2])

    def coordination(self, where: Any = None, rattlers: bool = True) -> np.ndarray:
        """(nt,): mean number of contact points per grain in a region; ``rattlers`` False omits grains with fewer than
        two."""
        number, inside = self.values("contacts"), self._inside(_region(where))
        inside = inside & (number >= (0 if rattlers else 2))
        return _mean(np.where(inside, number, 0.0).sum(axis=1), inside.sum(axis=1))

    def temperature(self, where: Any = None) -> np.ndarray:
        """(nt,): granular temperature, squared velocity: a third of the mean squared velocity fluctuation."""
        inside = self._inside(_region(where))
        return _mean((self._fluctuation(inside)[1] ** 2).sum(axis=(1, 2)) / 3, inside.sum(axis=1))

    def _fluctuation(self, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean velocity (nt, 3) of the grains ``inside``, and what theirs differ from it (nt, n, 3), zero elsewhere."""
        v = np.where(inside[:, :, None], self.values("velocity"), 0.0).astype(float)
        mean = v.sum(axis=1) / np.maximum(inside.sum(axis=1), 1)[:, None]
        return mean, np.where(inside[:, :, None], v - mean[:, None], 0.0)

    def stress(self, where: Any, kinetic: bool = True) -> xr.DataArray:
        """Mean stress in a region, dims (time, row, column), tension positive; ``kinetic``: include the contribution of
        velocity fluctuations."""
        box = _region(where)
        inside = self._inside(box)
        six = np.where(inside[:, :, None], self.values("stress"), 0.0).astype(float).sum(axis=1)
        total = np.zeros((len(self.run), 3, 3))
        for k, (i, j) in enumerate(SIX):
            total[:, i, j] = total[:, j, i] = six[:, k]
        if kinetic and "velocity" in self.element.record:
            v = self._fluctuation(inside)[1]
            total -= np.einsum("tni,tnj,n->tij", v, v, self.mass * self.run.model.units.mass_factor)
        axes = {"row": list(XYZ), "column": list(XYZ)}
        out = self.run._array(total / box.volume, ("row", "column"), axes, None, f"{self.name}.stress")
        out.attrs["units"] = f"{self.run.units('force')}/{self.run.units('length')}^2"
        return out

    def packing(self, where: Any, rows: Any = slice(None)) -> np.ndarray:
        """(rows,): packing fraction of spheres in a region, sampled at 40,000 points of a low-discrepancy sequence
        (error about 1e-3).

        For shapes other than spheres: the volume of the grains whose centre is inside, divided by that of the region.
        """
        box = _region(where)
        positions = self.values("position")[rows].astype(float)
        positions = positions.reshape(-1, *positions.shape[-2:])
        if not self.element.by_radius:
            inside = np.array([box.contains(p) & np.isfinite(p).all(axis=1) for p in positions])
            return inside @ self.element.volumes / box.volume
        from scipy.spatial import cKDTree
        from scipy.stats import qmc

        low, high = box.bounds()
        points = low + qmc.Halton(3, scramble=False).random(SAMPLES) * (high - low)
        points = points[box.contains(points)]
        tree, radius, most = cKDTree(points), self.radius, float(self.radius.max())
        out = np.zeros(len(positions))
        for k, p in enumerate(positions):
            near = np.flatnonzero(
                np.isfinite(p).all(axis=1) & (p > low - most).all(axis=1) & (p < high + most).all(axis=1)
            )
            hit = np.zeros(len(points), bool)
            for found in tree.query_ball_point(p[near], radius[near]):
                hit[found] = True
            out[k] = hit.mean()
        return out

    def passed(self, at: Any, normal: Any) -> np.ndarray:
        """(nt,): net mass that has passed the plane since the start (along its normal minus against it), counted from
        row to row."""
        n = np.asarray(normal, float) / np.linalg.norm(np.asarray(normal, float))
        side = (self.values("position").astype(float) - np.asarray(at, float)) @ n > 0.0
        there = self.exists
        step = (side[1:].astype(float) - side[:-1].astype(float)) * (there[1:] & there[:-1])
        return np.concatenate([[0.0], np.cumsum(step @ self.mass)])

    def flow_rate(self, at: Any, normal: Any, start: float | None = None, end: float | None = None) -> float:
        """Mass flow rate through a plane: slope of the least-squares line of `passed` from ``start`` to ``end``."""
        t = self.run.time
        use = (t >= (t[0] if start is None else start)) & (t <= (t[-1] if end is None else end))
        if use.sum() < 2:
            raise ModelError(
                f"{self.element.label}: fewer than two output times lie in the span of the flow rate; give more outputs"
            )
        return float(np.polyfit(t[use], self.passed(at, normal)[use], 1)[0])

    def repose(self, row: int = -1, axis: int = 2, low: float = 0.15, high: float = 0.75, bins: int = 24) -> float:
        """Angle of repose (radians) of a heap at an output row: the slope of a line through its surface (the highest
        grain in each of ``bins`` rings about the axis through the centre of mass) between the fractions ``low`` and
        ``high`` of the height; ``axis``: the vertical axis."""
        p = self.values("position")[row].astype(float)
        ok = np.isfinite(p).all(axis=1)
        p, r = p[ok], self.radius[ok]
        across = [k for k in range(3) if k != axis]
        middle = np.average(p[:, across], axis=0, weights=self.mass[ok])
        radial = np.linalg.norm(p[:, across] - middle, axis=1)
        top = p[:, axis] + r
        foot = float((p[:, axis] - r).min())
        width = float(np.quantile(radial, 0.99)) / bins
        ring = np.minimum((radial / width).astype(int), bins)
        height = np.array([top[ring == k].max() if (ring == k).any() else np.nan for k in range(bins)]) - foot
        place = (np.arange(bins) + 0.5) * width
        peak = np.nanmax(height)
        use = np.isfinite(height) & (height > low * peak) & (height < high * peak)
        if use.sum() < 3:
            raise ModelError(f"{self.element.label}: the heap has too few grains on its flank for an angle of repose")
        return float(np.arctan(-np.polyfit(place[use], height[use], 1)[0]))


def _region(where: Any) -> Any:
    return None if where is None else where if isinstance(where, Region) else region(where)


def _mean(total: np.ndarray, number: np.ndarray) -> np.ndarray:
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def grains(run: Run, reference: Any = None) -> GrainsView:
    """Positions, velocities and statistics of GRAINS; the name may be omitted if the model has only one."""
    table = run.model.table("GRAINS")
    if reference is None:
        if len(table) != 1:
            raise ModelError(f"the model has {len(table)} elements of GRAINS; name one of them")
        reference = next(iter(table.values()))
    return GrainsView(run, run.model.find("GRAINS", reference))


def sink(run: Run, reference: Any) -> xr.Dataset:
    """Number of ``grains`` that a SINK has removed since the start, and their ``mass``, dims (time)."""
    import xarray as xr

    e = run.model.find("SINK", reference)
    names = {"grains": ("count", "none"), "mass": ("mass", "mass")}
    return xr.Dataset(
        {n: run._array(run.data.extra[f"sinks/{e.id}/{k}"], (), {}, q, f"{e.name}.{n}") for n, (k, q) in names.items()}
    )

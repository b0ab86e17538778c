"""Feeders and sinks: they add grains to a model and remove them while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .base import Element, ModelError, shown
from .region import Region, _three, region
from .values import number_tuple


@dataclass
class Feeder(Element):
    """FEEDER: creates grains of a GRAINS element at random positions in a ``region``, ``rate`` per unit of time from
    ``start`` to ``stop``.

    ``radius``: minimum and maximum radius of spheres (or scale of other shapes), uniformly distributed; ``density`` of
    the grains; ``velocity``: their initial velocity; ``count``: maximum number (0: no limit); ``seed`` of positions and
    sizes. A grain for which there is no free space is created later.
    """

    KIND: ClassVar[str] = "FEEDER"
    REFERENCES: ClassVar[dict[str, str]] = {"grains": "GRAINS"}

    grains: int = 0
    region: tuple = ()
    rate: float = 0.0
    radius: tuple[float, float] = (0.0, 0.0)
    density: float = 0.0
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    start: float = 0.0
    stop: float | None = None
    count: int = 0
    seed: int = 0

    @property
    def place(self) -> Region:
        return region(self.region)


@dataclass
class Sink(Element):
    """SINK: removes grains whose centre enters a ``region`` (a box, a cylinder, or the half-space behind a plane) and
    counts them.

    ``grains``: ids of GRAINS; none: all.
    """

    KIND: ClassVar[str] = "SINK"
    REFERENCES: ClassVar[dict[str, str]] = {"grains": "GRAINS"}

    region: tuple = ()
    grains: tuple[int, ...] = ()

    @property
    def place(self) -> Region:
        return region(self.region)


def feeder_faults(model: Any, e: Feeder) -> Iterator[str]:
    try:
        place = e.place
        if not math.isfinite(place.volume):
            yield "its region has no end; give a Box or a Cylinder"
    except ModelError as error:
        yield str(error)
        return
    if not e.grains:
        yield "it names no GRAINS; give the element that its grains belong to"
    if not e.rate > 0.0:
        yield f"its rate must be positive, it is {e.rate:g} grains a time"
    if not (e.density > 0.0):
        yield f"its density must be positive, it is {e.density:g}"
    low, high = e.radius
    if not 0.0 < low <= high:
        yield f"its radius must be positive, the smallest one first, it is {low:g} to {high:g}"
    if e.stop is not None and not e.stop > e.start:
        yield f"it stops at {e.stop:g}, which is not after its start at {e.start:g}"
    if e.count < 0:
        yield f"count must be 0 (no limit) or more, it is {e.count}"
    if e.seed < 0:
        yield f"seed must be 0 or more, it is {e.seed}"


def sink_faults(model: Any, e: Sink) -> Iterator[str]:
    try:
        e.place  # noqa: B018  (raises for a value that is not a region)
    except ModelError as error:
        yield str(error)


def _region(value: Any) -> tuple:
    """Data of a region.  Raises `ModelError` for what is none."""
    if not isinstance(value, Region):
        raise ModelError(f"region is {shown(value)}; give a Box, a Cylinder or a HalfSpace")
    return value.to_data()


class Feeding:
    """Mixin of `Model`: feeders and sinks."""

    # provided by Model
    def add(self, element: Any) -> Any: ...
    def find(self, kind: str, reference: Any) -> Any: ...

    def feeder(
        self,
        grains: Any,
        region: Region,
        rate: float,
        radius: Any,
        *,
        density: float,
        velocity=(0.0, 0.0, 0.0),
        start: float = 0.0,
        stop: float | None = None,
        count: int = 0,
        seed: int = 0,
        name: str = "",
        id: int = 0,
    ) -> Feeder:
        """Create ``rate`` grains per unit of time in a ``region`` (a `Box` or `Cylinder`); ``radius``: one number, or
        the minimum and the maximum.

        ``grains``: the GRAINS element to which they are added (`model.grains` with initial grains, or without
        positions). See `Feeder`.

        Lengths, times, mass / length^3 in model units. Raises `ModelError` for unknown GRAINS and for values that are
        not vectors; other faults are reported by `check`.
        """
        sizes = number_tuple(radius if np.ndim(radius) else (radius,), "radius")
        if len(sizes) > 2 or not sizes:
            raise ModelError(f"radius is {shown(radius)}; give one number, or the minimum and the maximum")
        return self.add(
            Feeder(
                id=id,
                name=name,
                grains=self.find("GRAINS", grains).id,
                region=_region(region),
                rate=float(rate),
                radius=(sizes[0], sizes[-1]),
                density=float(density),
                velocity=_three(velocity, "the velocity of a feeder"),
                start=float(start),
                stop=stop,
                count=int(count),
                seed=int(seed),
            )
        )

    def sink(self, region: Region, grains: Any = (), name: str = "", id: int = 0) -> Sink:
        """Remove grains that enter a ``region``: of all GRAINS, or of those given.

        Raises `ModelError` for unknown GRAINS; lengths of the region are in model units.
        """
        some = grains if isinstance(grains, (list, tuple)) else (grains,)
        return self.add(
            Sink(id=id, name=name, region=_region(region), grains=tuple(self.find("GRAINS", g).id for g in some))
        )

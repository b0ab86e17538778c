"""RAIL_TRACK: two rails along a line of straights, transitions and curves with cant, and their irregularities.

The line starts at the origin of ``marker`` along its x axis (z up).  ``sections`` are rows (length, curvature at the
end, cant at the end): curvature (1 / length, positive to the left) and cant (height of the right rail over the left
one: positive in a curve to the left) run linearly from the end of the row before, from zero at the start; so
curves have clothoids for transitions.  Before and behind all rows the track continues straight, with the cant that it
has there.

At the position s the track has the axes t along the line, n across it to the left, in the plane of the rails' tops, u
up: heading psi = integral of the curvature, turned by
-asin(cant / spread) about t, ``spread`` the distance of the rails' middles.  Points of the line are cubic between nodes
`step` apart, headings and cants between them likewise.

Irregularities move each rail by (y, z) in these axes: tables over s, evenly apart, cubic (Catmull and Rom) between,
zero outside of their range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....model.base import Element, shown
from ....model.builder.teaching import sound
from ....model.values import listed, number, number_matrix
from .line import FIRST, HEAD, NODES, PER_NODE, ROUGH_COUNT, ROUGH_FIRST, ROUGH_STEP, STEP_, STRAIGHT, STRIDE, frame

SIDES = ("LEFT", "RIGHT")


@dataclass
class RailTrack(Element):
    """RAIL_TRACK: two rails along a line that starts at ``marker`` along its x axis (z up).

    ``sections``: rows (length, curvature at the end, cant at the end); ``gauge``: distance of the rails' gauge faces,
    measured ``gauge_depth`` below their tops;
    ``rail``: profile of the left one, rows (y, z), y = 0 at its middle and positive away from the track's middle, z = 0
    at its top, before it is inclined by ``inclination`` (tangent) towards the middle; ``spread``: distance of the
    rails' middles, for the cant; ``irregularities``: rows (y left, z left, y right, z right) over s, ``spacing`` apart
    from ``first`` on.
    """

    KIND: ClassVar[str] = "RAIL_TRACK"
    REFERENCES: ClassVar[dict[str, str]] = {"marker": "MARKER"}
    marker: int = 0
    gauge: float = 0.0
    gauge_depth: float = 0.0
    inclination: float = 0.0
    spread: float = 0.0
    rail: tuple[tuple[float, float], ...] = ()
    sections: tuple[tuple[float, float, float], ...] = ()
    irregularities: tuple[tuple[float, float, float, float], ...] = ()
    spacing: float = 0.0
    first: float = 0.0

    def faults(self, model):
        """Invalid values: sizes that are not positive, a cant beyond the spread, a profile that is none."""
        for name in ("gauge", "spread"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive length"
        if not 0.0 <= self.gauge_depth < self.gauge:
            yield f"gauge_depth is {self.gauge_depth:g}; give a length from zero on, 14 mm with most rails"
        if not abs(self.inclination) < 0.2:
            yield f"inclination is {self.inclination:g}; give a tangent, 1/40 or 1/20 with most tracks"
        if len(self.rail) < 5:
            yield f"rail has {len(self.rail)} points; give a profile of five or more rows (y, z)"
        for row in self.sections:
            if len(row) != 3 or not row[0] > 0.0:
                yield (
                    f"a row of sections is {shown(tuple(row))}; give (length > 0, curvature at its end, cant at "
                    "its end)"
                )
            elif self.spread > 0.0 and not abs(row[2]) < 0.5 * self.spread:
                yield (
                    f"a cant is {row[2]:g}, more than half of the spread {self.spread:g}; give the height of one "
                    "rail over the other"
                )
        if len(self.irregularities) and (not self.spacing > 0.0 or len(self.irregularities) < 4):
            yield (
                f"irregularities have {len(self.irregularities)} rows and the spacing {self.spacing:g}; give four "
                "rows or more and a positive spacing"
            )

    def length(self) -> float:
        """Of all sections together."""
        return float(sum(row[0] for row in self.sections))

    def line(self, metre: float = 1.0) -> tuple[float, np.ndarray]:
        """Spacing of the nodes of the line and the nodes (n, 8): X, Y, heading, sine of the roll and their rates along
        the line, in axes of the marker; about ``metre`` apart."""
        return _line(self.sections, self.spread, metre)

    def parameters(self, metre: float = 1.0) -> np.ndarray:
        """What `at` reads; ``metre``: in units of the model."""
        line = self.line(metre)
        rough = np.asarray(self.irregularities, float).reshape(-1, 4)
        head = np.zeros(HEAD)
        head[FIRST], head[STEP_], head[NODES] = 0.0, line[0], len(line[1])
        head[ROUGH_FIRST], head[ROUGH_STEP], head[ROUGH_COUNT] = self.first, self.spacing, len(rough)
        head[STRAIGHT] = float(not self.sections)
        head[STRIDE] = max(1.0, math.isqrt(len(line[1])))
        return np.concatenate([head, line[1].ravel(), rough.ravel()])

    def frame(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """Position and axes (rows t, n, u) of the track at s, in the axes of its marker."""
        x = frame(self.parameters(), float(s))
        return np.array(x[:3]), np.array(x[3:]).reshape(3, 3)


def _line(sections: Any, spread: float, metre: float) -> tuple[float, np.ndarray]:
    """Spacing of the nodes and the nodes themselves (n, `PER_NODE`)."""
    rows = np.asarray(sections, float).reshape(-1, 3)
    if not len(rows):
        return metre, np.array([[0, 0, 0, 0, 1, 0, 0, 0], [metre, 0, 0, 0, 1, 0, 0, 0]], float)
    total = rows[:, 0].sum()
    count = int(min(max(math.ceil(total / metre), 8), 20000))
    h = total / count
    s = h * np.arange(count + 1)
    ends = np.concatenate([[0.0], np.cumsum(rows[:, 0])])
    curvature = np.concatenate([[0.0], rows[:, 1]])
    cant = np.concatenate([[0.0], rows[:, 2]])
    turned = np.concatenate([[0.0], np.cumsum(0.5 * (curvature[:-1] + curvature[1:]) * rows[:, 0])])

    def heading(at):
        k = np.clip(np.searchsorted(ends, at, side="right") - 1, 0, len(rows) - 1)
        d = at - ends[k]
        return turned[k] + curvature[k] * d + 0.5 * (curvature[k + 1] - curvature[k]) * d * d / rows[k, 0]

    gauss, weights = np.polynomial.legendre.leggauss(4)
    inside = s[:-1, None] + 0.5 * h * (gauss + 1.0)
    psi = heading(inside)
    out = np.zeros((count + 1, PER_NODE))
    out[1:, 0] = np.cumsum(0.5 * h * (np.cos(psi) @ weights))
    out[1:, 1] = np.cumsum(0.5 * h * (np.sin(psi) @ weights))
    out[:, 2] = heading(s)
    out[:, 3] = -np.interp(s, ends, cant) / spread
    out[:, 4], out[:, 5] = np.cos(out[:, 2]), np.sin(out[:, 2])
    out[:, 6] = np.interp(s, ends, curvature)
    out[1:-1, 7] = 0.5 * (out[2:, 3] - out[:-2, 3]) / h
    return h, out


def rail_track(
    model,
    marker: Any = None,
    *,
    rail,
    gauge: float | None = None,
    gauge_depth: float | None = None,
    inclination: float = 1.0 / 40.0,
    spread: float | None = None,
    sections: Any = (),
    irregularities: Any = (),
    spacing: float = 0.0,
    first: float = 0.0,
    name: str = "",
    id: int = 0,
) -> RailTrack:
    """Two rails along a line that starts at ``marker`` (z up, x along the track; by default a new one at the origin of
    ground).

    ``rail``: profile of the left rail, rows (y, z) in units of the model, or one of `holonom.rail.profiles`; ``gauge``
    (default 1.435 m), measured ``gauge_depth`` (14 mm) below
    the tops; ``inclination``: tangent towards the middle, default 1/40; ``spread``: distance of the rails' middles
    (default the gauge + 65 mm); ``sections``: rows
    (length, curvature at the end, cant at the end), the curvature positive to the left; ``irregularities``: rows (y
    left, z left, y right, z right), ``spacing`` apart
    from s = ``first`` on.  Raises `ModelError` for invalid dimensions.

        track = model.rail_track(rail=hn.rail.uic60(), sections=[(50, 0, 0), (40, 1 / 500, 0.1), (200, 1 / 500, 0.1)])
    """
    metre = 1.0 / model.units.si_length
    points = rail.points(model.units) if hasattr(rail, "points") else rail
    frame = model._marker(marker) if marker is not None else model.marker(model.ground).id
    width = 1.435 * metre if gauge is None else number(gauge, "gauge")

    def rows(given, what, columns):
        given = listed(given, what, "rows of numbers")
        return tuple(tuple(r) for r in number_matrix(given, what, columns=columns).tolist()) if given else ()

    e = RailTrack(
        id=id,
        name=name,
        marker=frame,
        gauge=width,
        gauge_depth=0.014 * metre if gauge_depth is None else number(gauge_depth, "gauge_depth"),
        inclination=number(inclination, "inclination"),
        spread=width + 0.065 * metre if spread is None else number(spread, "spread"),
        rail=rows(points, "rail", 2),
        sections=rows(sections, "sections", 3),
        irregularities=rows(irregularities, "irregularities", 4),
        spacing=number(spacing, "spacing"),
        first=number(first, "first"),
    )
    return model.add(sound(e, model))

"""Profiles of wheels and rails: S1002, 60E1 (UIC 60), cones, files, smoothing.

A profile is a row of points (y, z) in metres, y across the track and away from its middle, for the left wheel or rail;
the right one is its mirror image.  Of a wheel z is the radius beyond the nominal one (the flange, at negative y, has
the largest); of a rail z is the height, zero at the top.

S1002 (EN 13715, earlier UIC 510-2 and ERRI B 112): zones A to H of a line, two polynomials, arcs and a line, y = 0 at
the tape circle, 70 mm from the back of the flange.  The numbers are
those that H. Netter (DLR) handed out with the equations of the standard.

60E1 (EN 13674-1, earlier UIC 860): arcs of 300, 80 and 13 mm that touch each other 20.456 and 52.053 mm apart, then a
side of 1 : 20.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..elements.forces.rails.curve import arc
from ..model import ModelError, Units
from ..model.base import shown
from ..model.bounded_file import read_bounded

MOST_BYTES = 20_000_000
FORMS = ("auto", "columns", "miniprof", "simpack")


@dataclass(frozen=True)
class Profile(Summary):
    """``name``; ``rows`` (n, 2): y and z in metres (`holonom.rail.profiles`); ``wheel``: whether it is of a wheel."""

    name: str
    rows: np.ndarray
    wheel: bool

    def points(self, units: Units) -> np.ndarray:
        """The rows in units of a model."""
        return self.rows / units.si_length

    def at(self, y) -> np.ndarray:
        """z at positions y: a cubic spline over the points where y increases, NaN outside."""
        from scipy.interpolate import CubicSpline

        _, p = arc(self.rows)
        middle = np.argmin(np.abs(p[:, 0]))
        rising = np.diff(p[:, 0]) > 0.0
        low = np.flatnonzero(~rising[:middle]).max(initial=-1) + 1
        high = middle + (np.flatnonzero(~rising[middle:]).min(initial=len(rising) - middle))
        return CubicSpline(*p[low : high + 1].T, extrapolate=False)(np.asarray(y, float))

    def smoothed(self, deviation: float) -> Profile:
        """A smoothing spline through the points: ``deviation`` (metres): permitted root mean square distance from
        them."""
        from scipy.interpolate import make_splprep

        if not deviation > 0.0:
            raise ModelError(
                f"deviation is {deviation:g}; give a positive length in metres, some micrometres for a measured profile"
            )
        s, p = arc(self.rows)
        spline, _ = make_splprep(list(p.T), u=s, s=len(p) * deviation**2)
        return replace(
            self, name=f"{self.name}, smoothed", rows=np.array(spline(np.linspace(s[0], s[-1], max(len(p), 400)))).T
        )

    def shifted(self, y: float = 0.0, z: float = 0.0) -> Profile:
        """The profile moved by (y, z) metres."""
        return replace(self, rows=self.rows + [y, z])


#: zone: from, to (mm)
ZONES = {
    "H": (-70.0, -62.764705882),
    "G": (-62.764705882, -49.662510381),
    "F": (-49.662510381, -39.764473993),
    "E": (-39.764473993, -38.426669071),
    "D": (-38.426669071, -35.0),
    "C": (-35.0, -26.0),
    "B": (-26.0, 32.15796),
    "A": (32.15796, 60.0),
}
_B = (
    0.0,
    -3.358537058e-02,
    1.565681624e-03,
    -2.810427944e-05,
    5.844240864e-08,
    -1.562379023e-08,
    5.309217349e-15,
    -5.957839843e-12,
    2.646656573e-13,
)
_C = (
    4.320221063e03,
    1.038384026e03,
    1.065501873e02,
    6.051367875,
    2.054332446e-01,
    4.169739389e-03,
    4.687195829e-05,
    2.252755540e-07,
)


def s1002_height(y) -> np.ndarray:
    """Radius beyond the nominal one of S1002 at positions y from -70 to 60, both in millimetres; NaN outside."""
    y = np.asarray(y, float)
    circle = lambda c, r, m, sign: c + sign * np.sqrt(np.maximum(r * r - (y + m) ** 2, 0.0))
    forms = {
        "A": 1.364323640 - 0.066666667 * y,
        "B": np.polynomial.polynomial.polyval(y, _B),
        "C": -np.polynomial.polynomial.polyval(y, _C),
        "D": circle(16.446, 13.0, 26.210665, -1.0),
        "E": -93.576667419 - 2.747477419 * y,
        "F": circle(8.834924130, 20.0, 58.558326413, 1.0),
        "G": circle(16.0, 12.0, 55.0, 1.0),
        "H": circle(9.519259302, 20.5, 49.5, 1.0),
    }
    out = np.full(y.shape, np.nan)
    for zone, (low, high) in ZONES.items():
        inside = (low <= y) & (y <= high)
        out[inside] = forms[zone][inside]
    return out


def s1002(step: float = 2e-4) -> Profile:
    """The wheel profile S1002, a point about every ``step`` metres along its arc."""
    y = np.linspace(-69.99, 60.0, 20001)
    z = s1002_height(y)
    s = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(y), np.diff(z)))])
    places = np.interp(np.linspace(0.0, s[-1], max(int(s[-1] / (1e3 * step)), 50)), s, y)
    return Profile("S1002", 1e-3 * np.column_stack([places, s1002_height(places)]), True)


def arcs(radii, widths, side: float, depth: float, step: float) -> np.ndarray:
    """Right half of a symmetric head (rows y, z): arcs of ``radii`` from the top outward that touch each other at the
    half ``widths``, then a side of the slope ``side`` down to
    ``depth``."""
    y0, z0 = 0.0, 0.0  # where an arc begins
    angle = 0.0
    rows = [[0.0, 0.0]]
    last = math.atan(side)
    for k, r in enumerate(radii):
        cy, cz = y0 - r * math.sin(angle), z0 - r * math.cos(angle)
        end = math.asin((widths[k] - cy) / r) if k < len(widths) else last
        for a in np.linspace(angle, end, max(int(r * (end - angle) / step), 2) + 1)[1:]:
            rows.append([cy + r * math.sin(a), cz + r * math.cos(a)])
        y0, z0, angle = *rows[-1], end
    length = (z0 + depth) / math.sin(last)
    for d in np.linspace(0.0, length, max(int(length / step), 2) + 1)[1:]:
        rows.append([y0 + d * math.cos(last), z0 - d * math.sin(last)])
    return np.array(rows)


def uic60(step: float = 2e-4) -> Profile:
    """The head of the rail 60E1 (UIC 60), a point about every ``step`` metres."""
    right = arcs((0.300, 0.080, 0.013), (0.020456 / 2, 0.052053 / 2), 20.0, 0.030, step)
    return Profile("60E1", np.concatenate([right[:0:-1] * [-1.0, 1.0], right]), False)


def cone(conicity: float, width: float = 0.13, flange: float = 0.0) -> Profile:
    """A conical wheel: z = -``conicity`` y over ``width`` metres."""
    if not abs(conicity) < 0.5 or not width > 0.0:
        raise ModelError(
            f"conicity is {conicity:g} and width {width:g}; give a tangent below 0.5 and a positive width in metres"
        )
    y = np.linspace(-0.5 * width, 0.5 * width, 201)
    return Profile(f"cone 1 : {1 / conicity:g}" if conicity else "cylinder", np.column_stack([y, -conicity * y]), True)


def round_head(radius: float, width: float = 0.06) -> Profile:
    """A rail whose head is a circular arc of ``radius`` metres and ``width``."""
    if not radius > 0.5 * width > 0.0:
        raise ModelError(
            f"radius is {radius:g} and width {width:g}; give a radius above half of the width, both in metres"
        )
    y = np.linspace(-0.5 * width, 0.5 * width, 401)
    return Profile(f"arc of {radius:g} m", np.column_stack([y, np.sqrt(radius**2 - y**2) - radius]), False)


# ---- files -----------------------------------------------------------------------------------------------------------
_NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?$")


def read_profile(
    path: str | Path,
    *,
    wheel: bool,
    unit: str = "mm",
    form: str = "auto",
    down: bool | None = None,
    mirror: bool = False,
) -> Profile:
    """A profile from a file of text.

    ``form``: "columns" (two numbers a row, y and z; lines without numbers are skipped), "miniprof" (the header of
    MiniProf, rows x y below ``XYPOINTS``... or below the header), "simpack"
    (``point.begin`` to ``point.end`` of a .prw or .prr, its unit factor read, z downwards), "auto" by what the file
    has.  ``unit`` of the rows where the file does not say: "mm", "m" or
    "in"; ``down``: z points down (default: in Simpack files); ``mirror``: y points towards the middle of the track.

    Rows become those of `holonom.rail.profiles`: y away from the middle, of a wheel the radius, of a rail the height.
    Raises `ModelError` for files that cannot be read, have no rows or numbers that are none.
    """
    form = str(form).lower()
    if form not in FORMS:
        raise ModelError(f"form is {shown(form)}; give one of {', '.join(FORMS)}")
    lengths = {"mm": 1e-3, "m": 1.0, "in": 0.0254}
    if unit not in lengths:
        raise ModelError(f"unit is {shown(unit)}; give mm, m or in")
    where = Path(path)
    text = read_bounded(where, MOST_BYTES, "a profile is not").decode("utf-8", errors="replace")
    lines = text.splitlines()
    low = text.lower()
    if form == "auto":
        form = (
            "simpack"
            if "point.begin" in low
            else ("miniprof" if "xypoints" in low or "profilealignment" in low else "columns")
        )
    scale = lengths[unit]
    if form == "simpack":
        found = re.search(r"^\s*units\.len\.f\s*=\s*([-+.\deE]+)", text, re.M)
        if found:
            factor = float(found.group(1)) if _NUMBER.match(found.group(1)) else 0.0
            if not factor > 0.0:
                raise ModelError(f"'{where}': units.len.f is {shown(found.group(1))}; give a positive number")
            scale = 1.0 / factor
        begin = next((k for k, line in enumerate(lines) if line.strip().lower().startswith("point.begin")), None)
        end = next((k for k, line in enumerate(lines) if line.strip().lower().startswith("point.end")), None)
        if begin is None or end is None or end < begin:
            raise ModelError(f"'{where}' has no rows between point.begin and point.end; give another form")
        lines = lines[begin + 1 : end]
        down = True if down is None else down
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.split("!")[0].replace(",", " ").replace(";", " ").split()
        if len(words) < 2 or not _NUMBER.match(words[0]):
            continue
        if not _NUMBER.match(words[1]):
            raise ModelError(f"'{where}', row {number}: {shown(line.strip()[:60])} is not two numbers")
        rows.append([float(w.lower().replace("d", "e")) for w in words[:2]])
    if len(rows) < 5:
        raise ModelError(f"'{where}' has {len(rows)} rows of two numbers; a profile has five or more")
    p = scale * np.array(rows)
    if mirror:
        p[:, 0] = -p[:, 0]
    # a wheel's z is the radius, downwards; a rail's is the height
    if bool(down) != wheel:
        p[:, 1] = -p[:, 1]
    _, p = arc(p)
    return Profile(where.stem, p, wheel)


def named(what: Any, wheel: bool) -> Profile:
    """A profile by its word, or as it is.  Raises ModelError for unknown keywords."""
    if isinstance(what, Profile):
        if what.wheel != wheel:
            raise ModelError(
                f"{what.name} is a profile of a {'wheel' if what.wheel else 'rail'}; give one of a "
                f"{'wheel' if wheel else 'rail'}"
            )
        return what
    word = str(what).lower()
    known = {"s1002": s1002} if wheel else {"uic60": uic60, "60e1": uic60}
    if word in known:
        return known[word]()
    if Path(str(what)).is_file():
        return read_profile(str(what), wheel=wheel)
    raise ModelError(
        f"there is no {'wheel' if wheel else 'rail'} profile {shown(what)}; give {', '.join(known)}, a profile or "
        "a file"
    )

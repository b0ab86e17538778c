"""Laws of sections: the moment that a curvature k has, where it is not EI k, alone or with the axial force.

`Plastic`
    springs in parallel, one elastic and others that slide at a moment of their own (Iwan 1966; Besseling 1958; Masing's
        rule follows):

        M = k_0 k + sum_i k_i (k - p_i),   |k_i (k - p_i)| <= m_i

    p_i, the plastic curvatures, are what a section remembers.  A first loading is a line with corners, M(k), which is
        concave; a load that turns back
    follows it twice as large.  One sliding spring next to the elastic one is the bilinear law with kinematic hardening.
        Within a step of an integrator the p_i
    follow from those at its beginning (return mapping, exact where curvature goes one way within it); at the beginning
        of each step they are brought up to
    date.
`MomentCurve`
    an elastic curve through points, which may fall: sections that flatten (tape springs), strands, hoses.
`Fibres`
    layers of a section, each with a law of stress over strain (one of the two above), at y from the middle, of the area
        A:

        strain of a layer e - y k,      N = sum A s,   M = -sum A y s,

    so that axial force and bending yield together: of a rectangle |M|/M_p = 1 - (N/N_p)^2 in the limit.  Of beams in
        space they have positions y and z, the strain is
    e + z k_y - y k_z, and bending about both axes yields with N.

Sources: W. D. Iwan, J. Appl. Mech. 33 (1966) 893-900; J. C. Simo, T. J. R. Hughes, Computational Inelasticity (1998),
chapter 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..._jit import jit
from ..._moved import former_attribute
from ...model.base import ModelError, shown
from ..intervals import below

NONE, PLASTIC, CURVE, FIBRES, GRID = 0, 1, 2, 3, 4
SLIDERS = 32  # at most
KNOTS = 512  # at most
LAYERS = 1024  # at most
COUNT, NUMBERS = 1, 2  # positions behind that of the law itself
WHOLE = 1.0 + 1e-12  # what is brought up to date is elastic


def _pairs(points, what: str, least: int, most: int) -> np.ndarray:
    try:
        at = np.array(points, float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.ndim != 2 or at.shape[1] != 2 or not least <= len(at) <= most or not np.all(np.isfinite(at)):
        raise ModelError(
            f"points of {what} are {shown(points)}; give {least} to {most} pairs of a curvature and a moment"
        )
    if not np.all(np.diff(at[:, 0]) > 0.0):
        raise ModelError(
            f"curvatures of {what} do not rise from point to point; sort them, and leave out what is there twice"
        )
    return at


@dataclass(frozen=True)
class Plastic:
    """Elastic-plastic bending: ``points`` ((k_1, M_1), ..) of the first loading from (0, 0) on, curvature 1/length and
    moment; straight lines between them.

    ``stiffness``: M/k behind the last point, none by default (a hinge).  Slopes fall from line to line.  Raises
    `ModelError` for a curve that is none of springs that slide.

        Plastic(((0.02, 40.0),))  # elastic up to 40, then a hinge
    """

    points: Sequence[tuple[float, float]]
    stiffness: float = 0.0

    def __post_init__(self) -> None:
        at = np.vstack([[0.0, 0.0], _pairs(self.points, "a plastic law", 1, SLIDERS)])
        if not at[1, 0] > 0.0:
            raise ModelError(
                "the first curvature of a plastic law is not positive; begin with the point where it yields"
            )
        if not (isinstance(self.stiffness, (int, float, np.number)) and 0.0 <= self.stiffness < np.inf):
            raise ModelError(
                f"stiffness of a plastic law behind its last point is {shown(self.stiffness)}; give zero or a positive "
                "number"
            )
        slopes = np.append(np.diff(at[:, 1]) / np.diff(at[:, 0]), self.stiffness)
        if not (slopes[-1] >= 0.0 and np.all(np.diff(slopes) < 0.0)):
            k = int(np.argmax(np.diff(slopes) >= 0.0)) + 1
            raise ModelError(
                f"a plastic law gets no softer behind its point {k}, or falls; give moments that rise ever more "
                "slowly, or a MomentCurve, which is elastic"
            )
        object.__setattr__(self, "points", tuple((float(k), float(m)) for k, m in at[1:]))

    @classmethod
    def bilinear(cls, EI: float, yields: float, hardening: float = 0.0) -> Plastic:
        """``EI`` force length^2 up to the moment ``yields``, ``hardening`` (0 to 1) times EI behind it: kinematic
        hardening."""
        for name, value in (("EI", EI), ("yields", yields)):
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < np.inf:
                raise ModelError(f"{name} of a plastic law is {shown(value)}; give a positive number")
        if (
            isinstance(hardening, bool)
            or not isinstance(hardening, (int, float, np.number))
            or not 0.0 <= hardening < 1.0
        ):
            raise ModelError(
                f"hardening of a plastic law is {shown(hardening)}; give a share of EI, from 0 to less than 1"
            )
        return cls(((yields / EI, yields),), hardening * EI)

    @classmethod
    def rectangle(
        cls, wide: float, thick: float, E: float, yields: float, hardening: float = 0.0, lines: int = 12
    ) -> Plastic:
        """A rectangular bar (``thick`` in the plane of bending) of a material that yields at the stress ``yields`` and
        has ``hardening`` times E behind that:

            M = (1 - h) wide thick^2/4 yields (1 - (k_y/k)^2/3) + h EI k,   k > k_y = 2 yields/(E thick)

        as so many ``lines``, the last point at 0.9983 of the full plastic part.  Raises `ModelError`.
        """
        for name, value in (("wide", wide), ("thick", thick), ("E", E), ("stress at which it yields", yields)):
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < np.inf:
                raise ModelError(f"{name} of a plastic bar is {shown(value)}; give a positive number")
        if not (isinstance(hardening, (int, float)) and 0.0 <= hardening < 1.0):
            raise ModelError(
                f"hardening of a plastic bar is {shown(hardening)}; give a share of E, from 0 to less than 1"
            )
        if isinstance(lines, bool) or not isinstance(lines, int) or not 2 <= lines <= SLIDERS:
            raise ModelError(f"lines of a plastic bar are {shown(lines)}; give a whole number from 2 to {SLIDERS}")
        EI, first, full = E * wide * thick**3 / 12.0, 2.0 * yields / (E * thick), 0.25 * wide * thick**2 * yields
        k = first / np.linspace(1.0, np.sqrt(0.005), lines)  # equal steps of the elastic core
        M = (1.0 - hardening) * full * (1.0 - (first / k) ** 2 / 3.0) + hardening * EI * k
        return cls(tuple(zip(k.tolist(), M.tolist())), hardening * EI)

    @property
    def EI(self) -> float:
        """Stiffness before it yields, force length^2."""
        return self.points[0][1] / self.points[0][0]

    @property
    def parameters(self) -> tuple[float, ...]:
        """As meshes have it: law, how many slide, stiffness of the elastic spring, those of the sliding ones, their
        moments."""
        at = np.vstack([[0.0, 0.0], self.points])
        slopes = np.append(np.diff(at[:, 1]) / np.diff(at[:, 0]), self.stiffness)
        k = -np.diff(slopes)
        return (float(PLASTIC), float(len(k)), float(slopes[-1]), *map(float, k), *map(float, k * at[1:, 0]))

    numbers = former_attribute("numbers", "parameters")


@dataclass(frozen=True)
class MomentCurve:
    """Elastic bending by a curve: ``points`` ((k, M), ..), curvature 1/length and moment, through which a smooth curve
    goes (cubics that make no new hills, Fritsch and Carlson 1980, or with ``slopes`` dM/dk at the points), straight on
    behind its ends.  M is zero at k = 0.  Raises `ModelError`.

        MomentCurve(((-1.0, -2.0), (0.0, 0.0), (1.0, 2.0), (2.0, 2.5)))
    """

    points: Sequence[tuple[float, float]]
    slopes: Sequence[float] | None = None

    def __post_init__(self) -> None:
        at = _pairs(self.points, "a moment curve", 2, KNOTS)
        if not at[0, 0] <= 0.0 <= at[-1, 0] or abs(self._curve(at)(0.0)) > 1e-9 * np.abs(at[:, 1]).max():
            raise ModelError(
                "a moment curve has a moment at the curvature 0, or does not reach it; give points on both sides, and "
                "(0, 0)"
            )
        if not self._curve(at)(0.0, 1) > 0.0:
            raise ModelError(
                "a moment curve does not rise at the curvature 0: the straight section would not be stable; fix its "
                "points there"
            )

    def _curve(self, at: np.ndarray):
        from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

        if self.slopes is None:
            return PchipInterpolator(*at.T)
        slopes = np.asarray(self.slopes, float)
        if slopes.shape != (len(at),) or not np.all(np.isfinite(slopes)):
            raise ModelError(
                f"a moment curve of {len(at)} points has slopes {shown(self.slopes)}; give a number for each point"
            )
        return CubicHermiteSpline(*at.T, slopes)

    @property
    def EI(self) -> float:
        """Stiffness of the straight section, force length^2."""
        return float(self._curve(np.array(self.points, float))(0.0, 1))

    @property
    def parameters(self) -> tuple[float, ...]:
        """As meshes have it: law, how many points, their curvatures, moments, slopes, energies."""
        at = np.array(self.points, float)
        curve = self._curve(at)
        whole = curve.antiderivative()
        energy = whole(at[:, 0]) - whole(0.0)
        return (
            float(CURVE),
            float(len(at)),
            *map(float, np.concatenate([at[:, 0], at[:, 1], curve(at[:, 0], 1), energy])),
        )

    numbers = former_attribute("numbers", "parameters")


@dataclass(frozen=True)
class Fibres:
    """A section of layers: ``law`` of stress over strain (`Plastic` or `MomentCurve`, of strain and stress in place of
    curvature and moment), ``places`` of the layers from the section's middle, across the axis in the plane of bending
    (positive to the left of the axis, seen against the held one), length, and their ``areas``, length^2; ``heights``:
    their positions along z, of beams in space, where ``places`` are along y.

    Raises `ModelError` for layers that are none, and positions that are not measured from the centroid.

        steel = Plastic.bilinear(2.1e11, 3e8, 0.01)  # stress over strain
        Fibres.rectangle(0.02, 0.01, steel)
    """

    law: Plastic | MomentCurve
    places: Sequence[float]
    areas: Sequence[float]
    heights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.law, (Plastic, MomentCurve)):
            raise ModelError(
                f"the law of layers is {shown(self.law)}; give a Plastic or a MomentCurve, of stress over strain"
            )
        try:
            y, A = np.array(self.places, float), np.array(self.areas, float)
            z = y if self.heights is None else np.array(self.heights, float)
        except (TypeError, ValueError):
            y = A = z = np.zeros(0)
        if (
            y.ndim != 1
            or y.shape != A.shape
            or z.shape != y.shape
            or not 2 <= len(y) <= LAYERS
            or not np.all(np.isfinite([y, A, z]))
        ):
            raise ModelError(
                f"places of layers are {shown(self.places)} and areas {shown(self.areas)}; give a number of both for "
                f"each of 2 to {LAYERS} layers"
            )
        if not A.min() > 0.0 or not min(np.ptp(y), np.ptp(z)) > 0.0:
            raise ModelError(
                "areas of layers are not all positive, or all layers lie at the same point; give a section that has a "
                "height"
            )
        off = max((float(A @ a / A.sum()) for a in (y, z)), key=abs)
        if abs(off) > 1e-9 * np.ptp(y):
            raise ModelError(
                f"the centroid of the layers lies at {off:.6g} and not at 0; measure their positions from there"
            )
        object.__setattr__(self, "places", tuple(map(float, y)))
        object.__setattr__(self, "areas", tuple(map(float, A)))
        if self.heights is not None:
            if abs(A @ (y * z)) > 1e-9 * A.sum() * np.ptp(y) * np.ptp(z):
                raise ModelError(
                    "y and z are not principal axes of the layers; turn them until the sum of A y z is zero"
                )
            object.__setattr__(self, "heights", tuple(map(float, z)))

    @classmethod
    def rectangle(cls, wide: float, thick: float, law: Plastic | MomentCurve, layers: int = 16) -> Fibres:
        """A rectangular bar, ``thick`` in the plane of bending, of layers at Gauss points (elastic bending is
        exact)."""
        _sides((("wide", wide), ("thick", thick)), layers)
        x, w = np.polynomial.legendre.leggauss(layers)
        return cls(law, tuple(0.5 * thick * x), tuple(0.5 * thick * wide * w))

    @classmethod
    def round(cls, radius: float, law: Plastic | MomentCurve, hole: float = 0.0, layers: int = 16) -> Fibres:
        """A round bar, or with a ``hole`` (radius) a tube, of layers between chords at even angles, with the area, and
        the second moment, that each cuts out."""
        _sides((("radius", radius),), layers)
        _hollow(hole, radius)

        def parts(edges):  # areas and first moments of a disc below these heights
            def of(r):
                s = np.clip(edges / r, -1.0, 1.0)
                return r**2 * (s * np.sqrt(1.0 - s**2) + np.arcsin(s)), -2.0 / 3.0 * r**3 * (1.0 - s**2) ** 1.5

            outer, inner = of(radius), of(hole) if hole > 0.0 else (0.0, 0.0)
            return np.diff(outer[0] - inner[0]), np.diff(outer[1] - inner[1])

        A, first = parts(-radius * np.cos(np.linspace(0.0, np.pi, layers + 1)))
        y = first / A
        second = 0.25 * np.pi * (radius**4 - hole**4)
        y *= np.sqrt(second / (A @ y**2))
        return cls(law, 0.5 * (y - y[::-1]), 0.5 * (A + A[::-1]))

    @classmethod
    def grid(
        cls, along_y: float, along_z: float, law: Plastic | MomentCurve, layers: tuple[int, int] = (8, 8)
    ) -> Fibres:
        """A rectangular bar in space, of fibres at Gauss points along y and z."""
        for n in layers:
            _sides((("side along y", along_y), ("side along z", along_z)), n)
        (x, v), (z, w) = (np.polynomial.legendre.leggauss(n) for n in layers)
        Y, Z = np.meshgrid(0.5 * along_y * x, 0.5 * along_z * z, indexing="ij")
        return cls(law, tuple(Y.ravel()), tuple(0.25 * along_y * along_z * np.outer(v, w).ravel()), tuple(Z.ravel()))

    @classmethod
    def disc(
        cls, radius: float, law: Plastic | MomentCurve, hole: float = 0.0, layers: tuple[int, int] = (4, 16)
    ) -> Fibres:
        """A round bar or tube in space, of fibres on circles at Gauss points of the squares of their radii (bending is
        exact while elastic), at even angles."""
        for n in layers:
            _sides((("radius", radius),), n)
        _hollow(hole, radius)
        if layers[1] < 4:
            raise ModelError(f"circles of a bar of layers have {layers[1]} fibres; give 4 or more")
        x, w = np.polynomial.legendre.leggauss(layers[0])
        r = np.sqrt(hole**2 + 0.5 * (radius**2 - hole**2) * (x + 1.0))
        t = 2.0 * np.pi * (np.arange(layers[1]) + 0.5) / layers[1]
        A = np.repeat(0.5 * np.pi * (radius**2 - hole**2) * w / layers[1], layers[1])
        return cls(law, tuple(np.outer(r, np.cos(t)).ravel()), tuple(A), tuple(np.outer(r, np.sin(t)).ravel()))

    @property
    def yields(self) -> float:
        """Curvature at which its outermost layer yields where nothing stretches it, 1/length; without end of one that
        is elastic."""
        return self.law.points[0][0] / float(np.abs(self.places).max()) if isinstance(self.law, Plastic) else np.inf

    @property
    def EA(self) -> float:
        """Stretching stiffness before it yields, force."""
        return float(self.law.EI * np.sum(self.areas))

    @property
    def EI(self) -> float:
        """Bending stiffness before it yields, force length^2."""
        return float(self.law.EI * np.dot(self.areas, np.square(self.places)))

    @property
    def parameters(self) -> tuple[float, ...]:
        """As meshes have it: law, how many layers, their positions (y, then z), their areas, the law of each."""
        kind = FIBRES if self.heights is None else GRID
        return (
            float(kind),
            float(len(self.places)),
            *self.places,
            *(self.heights or ()),
            *self.areas,
            *self.law.parameters,
        )

    numbers = former_attribute("numbers", "parameters")


def _sides(sizes, layers) -> None:
    for name, value in sizes:
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < np.inf:
            raise ModelError(f"{name} of a bar of layers is {shown(value)}; give a positive number")
    if isinstance(layers, bool) or not isinstance(layers, (int, np.integer)) or not 2 <= layers <= LAYERS:
        raise ModelError(f"layers of a bar are {shown(layers)}; give a whole number from 2 to {LAYERS}")


def _hollow(hole, radius) -> None:
    if isinstance(hole, bool) or not isinstance(hole, (int, float, np.number)) or not 0.0 <= hole < radius:
        raise ModelError(
            f"the hole of a tube has the radius {shown(hole)}; give a number from 0 to less than {radius:g}"
        )


@jit
def extent(row, o):
    """How many numbers the law at ``row[o:]`` has, and how many a point with it remembers."""
    n = int(row[o + COUNT])
    layers = 1
    before = 0
    if int(row[o]) >= FIBRES:
        layers = n
        before = NUMBERS + (int(row[o]) - 1) * n
        o += before
        n = int(row[o + COUNT])
    if int(row[o]) == PLASTIC:
        return before + NUMBERS + 1 + 2 * n, layers * n
    return before + NUMBERS + 4 * n, 0


def states(numbers) -> int:
    """How many numbers a point with this law remembers."""
    return extent.py_func(numbers, 0)[1] if len(numbers) and numbers[0] != NONE else 0


def harden(row: np.ndarray, o: int) -> None:
    """What slides in the law at ``row[o:]`` slides no more."""
    if row[o] >= FIBRES:
        o += NUMBERS + int(row[o] - 1) * int(row[o + COUNT])
    if row[o] == PLASTIC:
        n = int(row[o + COUNT])
        row[o + NUMBERS + 1 + n : o + NUMBERS + 1 + 2 * n] = np.inf


def faults(numbers) -> str:
    """One sentence about invalid values, or ""."""
    if not len(numbers):
        return ""
    p = np.asarray(numbers, float)
    if p[0] in (FIBRES, GRID):
        n = int(p[COUNT]) if len(p) > COUNT and 1 < p[COUNT] <= LAYERS else 0
        behind = NUMBERS + int(p[0] - 1) * n
        own = p[behind:]
        if not n or not len(own) or own[0] >= FIBRES or not p[behind - n : behind].min() > 0.0:
            return "its layers are not those of Fibres; use its parameters (holonom.flexible)"
        return faults(own)
    n = int(p[COUNT]) if len(p) > COUNT and 0 < p[COUNT] <= KNOTS else 0
    if p[0] not in (PLASTIC, CURVE) or n < 1 or len(p) != (3 + 2 * n if p[0] == PLASTIC else NUMBERS + 4 * n):
        return "its parameters are not those of Plastic, MomentCurve or Fibres; use theirs (holonom.flexible)"
    if p[0] == PLASTIC and not (p[2] >= 0.0 and p[3:].min() > 0.0):
        return "stiffness or moments of what slides in it are not positive; use the parameters of Plastic"
    if p[0] == CURVE and not (n > 1 and np.all(np.diff(p[NUMBERS : NUMBERS + n]) > 0.0)):
        return "curvatures of its points do not rise; use the parameters of MomentCurve"
    return ""


@jit
def _piece(row, o, n, k):
    """Of the piece of a curve on which k lies: where it begins, its length h, the share of it at k, M at its start, the
    change of M, h dM/dk at both ends."""
    i = o + below(row, o, n, k)
    h = row[i + 1] - row[i]
    a = row[i + n]
    return i, h, (k - row[i]) / h, a, row[i + n + 1] - a, h * row[i + 2 * n], h * row[i + 2 * n + 1]


@jit(entry="float64[::1], int64, int64, float64")
def moment(row, o, s, k):
    """M and dM/dk at the curvature k of the law at ``row[o:]``, with what is remembered at ``row[s:]``."""
    n = int(row[o + COUNT])
    o += NUMBERS
    if int(row[o - NUMBERS]) == PLASTIC:
        M = row[o] * k
        T = row[o]
        for i in range(n):
            x = row[o + 1 + i] * (k - row[s + i])
            most = row[o + 1 + n + i]
            if x > WHOLE * most:
                M += most
            elif x < -WHOLE * most:
                M -= most
            else:
                M += x
                T += row[o + 1 + i]
        return M, T
    if k <= row[o]:
        return row[o + n] + row[o + 2 * n] * (k - row[o]), row[o + 2 * n]
    if k >= row[o + n - 1]:
        return row[o + 2 * n - 1] + row[o + 3 * n - 1] * (k - row[o + n - 1]), row[o + 3 * n - 1]
    i, h, x, a, d, p, q = _piece(row, o, n, k)
    two = 3.0 * d - 2.0 * p - q
    three = p + q - 2.0 * d
    return a + x * (p + x * (two + x * three)), (p + x * (2.0 * two + 3.0 * x * three)) / h


@jit
def energy(row, o, s, k, rate):
    """Energy stored at the curvature k per length, and power of what slides at its ``rate``, which is not positive."""
    n = int(row[o + COUNT])
    o += NUMBERS
    if int(row[o - NUMBERS]) == PLASTIC:
        E = 0.5 * row[o] * k * k
        lost = 0.0
        for i in range(n):
            stiff = row[o + 1 + i]
            x = stiff * (k - row[s + i])
            most = row[o + 1 + n + i]
            if x * WHOLE >= most:
                lost -= most * max(rate, 0.0)
                x = most
            elif x * WHOLE <= -most:
                lost += most * min(rate, 0.0)
                x = -most
            E += 0.5 * x * x / stiff
        return E, lost
    if k <= row[o]:
        d = k - row[o]
        return row[o + 3 * n] + d * (row[o + n] + 0.5 * d * row[o + 2 * n]), 0.0
    if k >= row[o + n - 1]:
        d = k - row[o + n - 1]
        return row[o + 4 * n - 1] + d * (row[o + 2 * n - 1] + 0.5 * d * row[o + 3 * n - 1]), 0.0
    i, h, x, a, d, p, q = _piece(row, o, n, k)
    two = (3.0 * d - 2.0 * p - q) / 3.0
    three = 0.25 * (p + q - 2.0 * d)
    return row[i + 3 * n] + h * x * (a + x * (0.5 * p + x * (two + x * three))), 0.0


@jit(entry="float64[::1], int64, int64, float64")
def remember(row, o, s, k):
    """What is remembered at ``row[s:]`` is brought up to the curvature k."""
    if int(row[o]) != PLASTIC:
        return
    n = int(row[o + COUNT])
    o += NUMBERS
    for i in range(n):
        reach = row[o + 1 + n + i] / row[o + 1 + i]
        row[s + i] = min(max(row[s + i], k - reach), k + reach)


# ---- layers: m = 2 strains of the axis (e, k) of those in a plane, 3 (e, k_y, k_z) in space --------------------------
@jit
def strain_of(row, o, i, m, e, k, l):
    """Strain of the i-th layer."""
    n = int(row[o + COUNT])
    y = row[o + NUMBERS + i]
    return e - y * k if m == 2 else e + row[o + NUMBERS + n + i] * k - y * l


@jit(entry="float64[::1], int64, int64, int64, float64, float64, float64")
def section_forces(row, o, s, m, e, k, l):
    """N, M_1, M_2 of the layers at ``row[o:]``, which remember at ``row[s:]``, and the derivatives 00, 01, 02, 11, 12,
    22 by e, k, l."""
    n = int(row[o + COUNT])
    law = o + NUMBERS + m * n
    own = extent(row, law)[1]
    N = 0.0
    M1 = 0.0
    M2 = 0.0
    t00 = 0.0
    t01 = 0.0
    t02 = 0.0
    t11 = 0.0
    t12 = 0.0
    t22 = 0.0
    for i in range(n):
        stress, T = moment(row, law, s + i * own, strain_of(row, o, i, m, e, k, l))
        A = row[law - n + i]
        y = -row[o + NUMBERS + i]
        one = y if m == 2 else row[o + NUMBERS + n + i]
        two = 0.0 if m == 2 else y
        N += A * stress
        M1 += A * stress * one
        M2 += A * stress * two
        t00 += A * T
        t01 += A * T * one
        t02 += A * T * two
        t11 += A * T * one * one
        t12 += A * T * one * two
        t22 += A * T * two * two
    return N, M1, M2, t00, t01, t02, t11, t12, t22


@jit
def section_energy(row, o, s, m, e, k, l, de, dk, dl):
    """Energy stored in the layers per length, and power of what slides."""
    n = int(row[o + COUNT])
    law = o + NUMBERS + m * n
    own = extent(row, law)[1]
    E = 0.0
    lost = 0.0
    for i in range(n):
        a, b = energy(row, law, s + i * own, strain_of(row, o, i, m, e, k, l), strain_of(row, o, i, m, de, dk, dl))
        E += row[law - n + i] * a
        lost += row[law - n + i] * b
    return E, lost


@jit(entry="float64[::1], int64, int64, int64, float64, float64, float64")
def section_remembers(row, o, s, m, e, k, l):
    """What the layers remember is brought up to the strains of the axis."""
    n = int(row[o + COUNT])
    law = o + NUMBERS + m * n
    own = extent(row, law)[1]
    for i in range(n):
        remember(row, law, s + i * own, strain_of(row, o, i, m, e, k, l))

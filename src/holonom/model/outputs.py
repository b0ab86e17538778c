"""Requests, sensors, graphics, and statements kept as written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .base import Element


@dataclass
class Request(Element):
    """REQUEST: ``kind`` DISPLACEMENT, VELOCITY, ACCELERATION or FORCE between I and J in axes of RM, or up to eight
    ``functions`` keyed F1..F8, or a USER call."""

    KIND: ClassVar[str] = "REQUEST"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"kind": ("DISPLACEMENT", "VELOCITY", "ACCELERATION", "FORCE")}
    REFERENCES: ClassVar[dict[str, str]] = {"i": "MARKER", "j": "MARKER", "rm": "MARKER"}
    kind: str | None = None
    i: int | None = None
    j: int | None = None
    rm: int | None = None
    functions: dict[str, str] = field(default_factory=dict)
    function: str | None = None  # USER(...)
    routine: str | None = None
    title: str = ""
    comment: str = ""
    cnames: tuple[str, ...] = ()
    cunits: tuple[str, ...] = ()
    ctypes: tuple[str, ...] = ()
    clabels: tuple[str, ...] = ()
    results_name: str = ""


@dataclass
class Sensor(Element):
    """SENSOR: acts when ``function`` is EQ, GE or LE ``value`` within ``tolerance``."""

    KIND: ClassVar[str] = "SENSOR"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"comparison": ("EQ", "GE", "LE")}
    function: str = "0"
    routine: str | None = None
    value: float = 0.0
    tolerance: float = 1e-3  # ERROR
    comparison: str = "EQ"  # EQ | GE | LE
    evaluate: str | None = None
    evaluate_routine: str | None = None
    halt: bool = False
    returns: bool = False  # RETURN
    print: bool = False
    restart: bool = False
    codgen: bool = False
    yydump: bool = False
    bisection: bool = False
    time_error: float | None = None
    dt: float | None = None
    stepsize: float | None = None
    angle: bool = False


#: arguments of GRAPHICS that name markers
MARKERS_OF_GRAPHICS = ("cm", "corner", "rm", "crm", "i", "j", "emarker", "points", "outline", "markers")


@dataclass
class Graphic(Element):
    """GRAPHICS: ``type`` BOX CYLINDER FRUSTUM ELLIPSOID TORUS CIRCLE ARC OUTLINE FORCE SPDP EXTERNAL CURVE PLANE POINT,
    and of our own EXTRUSION, REVOLUTION and those of the register of shapes (`model.shape_kinds`); ``arguments`` the
    lower-case arguments as numbers, tuples, or text.  `model.shape` states which are solids that can touch.
    """

    KIND: ClassVar[str] = "GRAPHICS"
    type: str = "BOX"
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def markers(self) -> list[int]:
        """Ids of the markers that it names."""
        found = [v for name, v in self.arguments.items() if name.lower() in MARKERS_OF_GRAPHICS]
        rows = [n for v in found for n in (v if isinstance(v, tuple) else (v,))]
        return [int(n) for n in rows if isinstance(n, (int, float))]


@dataclass
class Material(Element):
    """MATERIAL: density, Young's modulus, Poisson's ratio in model units."""

    KIND: ClassVar[str] = "MATERIAL"
    density: float | None = None
    youngs_modulus: float | None = None
    poissons_ratio: float | None = None
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass
class Foreign(Element):
    """A statement that is understood and kept, but that this version cannot run (SURFACE, FE_NODE, TIRE, ...).

    ``statement`` is its keyword; ``needed`` states whether a run without it would be wrong (then it is refused).
    """

    KIND: ClassVar[str] = "FOREIGN"
    statement: str = ""
    #: the id as written (``id`` counts the foreign statements of a model)
    number: int | None = None  # type: ignore[assignment]
    arguments: tuple[tuple[str, str], ...] = ()
    needed: bool = True

    @property
    def label(self) -> str:
        """``FEMDATA/1 (model.adm:10)``: as the statement is written, not as it is counted here."""
        number = "" if self.number is None else f"/{self.number}"
        name = f" '{self.name}'" if self.name and not self.name.startswith("FOREIGN_") else ""
        return f"{self.statement}{number}{name}" + (f" ({self.source})" if self.source else "")

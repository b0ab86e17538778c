"""Variables, differential equations, control blocks and data tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Element


@dataclass
class Variable(Element):
    """VARIABLE: an algebraic quantity; implicit loops between variables are solved with them. ``input``: its function
    is a number, which `Simulation.set_input` changes while the simulation is stepped."""

    KIND: ClassVar[str] = "VARIABLE"
    function: str = "0"
    routine: str | None = None
    ic: float = 0.0
    input: bool = False


@dataclass
class Diff(Element):
    """DIFF: y' = function, or 0 = function(y, y') when ``implicit``; ``ic`` = y(0) and optionally y'(0)."""

    KIND: ClassVar[str] = "DIFF"
    function: str = "0"
    routine: str | None = None
    implicit: bool = False
    ic: tuple[float, ...] = (0.0,)
    static_hold: bool = False


@dataclass
class Array(Element):
    """ARRAY: ``kind`` IC (numbers), X, Y (states and outputs of blocks, ``size``) or U (ids of variables)."""

    KIND: ClassVar[str] = "ARRAY"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"kind": ("IC", "X", "Y", "U")}
    USES: ClassVar[dict[str, str]] = {"variables": "VARIABLE"}
    kind: str = "IC"
    size: int | None = None
    numbers: tuple[float, ...] = ()
    variables: tuple[int, ...] = ()
    view_units: str = ""


@dataclass
class LinearStateEquations(Element):
    """LSE: x' = A x + B u, y = C x + D u; ``x``, ``u``, ``y``, ``ic`` are ids of arrays, ``a``.. of matrices."""

    KIND: ClassVar[str] = "LSE"
    REFERENCES: ClassVar[dict[str, str]] = {
        "x": "ARRAY",
        "u": "ARRAY",
        "y": "ARRAY",
        "ic": "ARRAY",
        "a": "MATRIX",
        "b": "MATRIX",
        "c": "MATRIX",
        "d": "MATRIX",
    }
    x: int = 0
    u: int | None = None
    y: int | None = None
    ic: int | None = None
    a: int = 0
    b: int | None = None
    c: int | None = None
    d: int | None = None
    static_hold: bool = False


@dataclass
class TransferFunction(Element):
    """TFSISO: y/u = num(s)/den(s), coefficients in ascending powers of s, held by two IC arrays."""

    KIND: ClassVar[str] = "TFSISO"
    REFERENCES: ClassVar[dict[str, str]] = {
        "x": "ARRAY",
        "u": "ARRAY",
        "y": "ARRAY",
        "numerator": "ARRAY",
        "denominator": "ARRAY",
    }
    x: int = 0
    u: int = 0
    y: int = 0
    numerator: int = 0
    denominator: int = 0
    static_hold: bool = False


@dataclass
class GeneralStateEquations(Element):
    """GSE: x' = f(x, u, t), y = g(x, u, t) from a registered Python function; ``xd`` are sampled states."""

    KIND: ClassVar[str] = "GSE"
    USES: ClassVar[dict[str, str]] = dict.fromkeys(("x", "u", "y", "ic", "xd", "icd"), "ARRAY")
    x: int | None = None
    u: int | None = None
    y: int | None = None
    ic: int | None = None
    xd: int | None = None
    icd: int | None = None
    ns: int = 0
    no: int = 0
    nd: int = 0
    sample_period: float | None = None
    sample_offset: float = 0.0
    implicit: bool = False
    static_hold: bool = False
    function: str = ""
    routine: str | None = None
    interface: tuple[str, ...] = ()  # INTERFACE: names of the routines for derivatives, outputs, updates, sampling
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass
class Spline(Element):
    """SPLINE: ``x`` (n), one ``y`` row per ``z`` value (a single row for a curve), or a ``file`` that holds them (see
    `data_files`)."""

    KIND: ClassVar[str] = "SPLINE"
    x: tuple[float, ...] = ()
    y: tuple[tuple[float, ...], ...] = ()
    z: tuple[float, ...] = ()
    linear_extrapolate: bool = False
    file: str | None = None
    block: str | None = None  # BLOCK: table of the file
    channel: int | None = None  # CHANNEL: signal of an RPC III file, or column behind x of a table
    routine: str | None = None
    view_units: str = ""  # unit of the values, as Adams View notes it
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass
class Curve(Element):
    """CURVE: spline through (CURVE) or controlled by (CONTROL) the points of a matrix, alpha in [minpar, maxpar]."""

    KIND: ClassVar[str] = "CURVE"
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"points": ("CURVE", "CONTROL")}
    REFERENCES: ClassVar[dict[str, str]] = {"matrix": "MATRIX"}
    closed: bool = False
    matrix: int | None = None
    points: str = "CURVE"  # CURVE | CONTROL
    order: int = 4
    minpar: float = -1.0
    maxpar: float = 1.0
    tension: float | None = None
    function: str | None = None
    routine: str | None = None


@dataclass
class Matrix(Element):
    """MATRIX: dense values in row order here, whatever the dataset used, or a ``file`` that holds them (see
    `data_files`)."""

    KIND: ClassVar[str] = "MATRIX"
    rows: int = 0
    columns: int = 0
    values: tuple[float, ...] = ()
    file: str | None = None
    file_name: str | None = None  # NAME= inside the file
    order: str = "RORDER"  # how it was written: RORDER | CORDER | SPARSE
    view_units: str = ""


@dataclass
class String(Element):
    """STRING: text that user routines read."""

    KIND: ClassVar[str] = "STRING"
    text: str = ""


@dataclass
class PInput(Element):
    """PINPUT: list of variables that are inputs of a linearisation."""

    KIND: ClassVar[str] = "PINPUT"
    USES: ClassVar[dict[str, str]] = {"variables": "VARIABLE"}
    variables: tuple[int, ...] = ()


@dataclass
class POutput(Element):
    """POUTPUT: list of variables that are outputs of a linearisation."""

    KIND: ClassVar[str] = "POUTPUT"
    USES: ClassVar[dict[str, str]] = {"variables": "VARIABLE"}
    variables: tuple[int, ...] = ()


@dataclass
class PState(Element):
    """PSTATE: list of variables (displacements, angles) that serve as coordinates of a linearisation."""

    KIND: ClassVar[str] = "PSTATE"
    USES: ClassVar[dict[str, str]] = {"variables": "VARIABLE"}
    variables: tuple[int, ...] = ()

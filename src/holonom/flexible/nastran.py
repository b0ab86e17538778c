"""Finite elements and superelements that Nastran wrote: grids and elements of the bulk data, and matrices as DMIG
entries or ASCII OP4 files.

Free, small (8 columns) and large (16 columns) fields with continuations behind their entry; GRID with coordinate
systems by three points or grids
(CORD2R, CORD2C, CORD2S, CORD1R, CORD1C, CORD1S), GRDSET, SPOINT, DMIG (square or symmetric, real), the connectivity of
solids, shells and lines, PLOTEL.
Syntax: MSC Nastran Quick Reference Guide, bulk data entries.  OP2 files are not read: write the matrices with
``EXTSEOUT(STIFFNESS, MASS, DMIGPCH)`` or ``PARAM, EXTOUT, DMIGPCH``, or as OP4 with
``ASSIGN OUTPUT4='k.op4', FORM=FORMATTED``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from .._summary import Summary
from ..model.base import ModelError
from . import skin
from .finite_elements import FiniteElements
from .superelement import Superelement

MOST_BYTES = 2 * 2**30  # of a file that is read
MOST_FILES = 50  # that INCLUDE each other
MOST_POINTS = 2_000_000
#: name of an entry -> shape, fields before the nodes, how many nodes
ELEMENTS = {
    "CTETRA": (skin.TETRAHEDRON, 2, 10),
    "CPYRAM": (skin.PYRAMID, 2, 13),
    "CPENTA": (skin.NASTRAN_WEDGE, 2, 15),
    "CHEXA": (skin.NASTRAN_BRICK, 2, 20),
    "CTRIA3": (skin.TRIANGLE, 2, 3),
    "CTRIA6": (skin.TRIANGLE, 2, 6),
    "CTRIAR": (skin.TRIANGLE, 2, 3),
    "CQUAD4": (skin.QUADRILATERAL, 2, 4),
    "CQUAD8": (skin.QUADRILATERAL, 2, 8),
    "CQUADR": (skin.QUADRILATERAL, 2, 4),
    "CBAR": (skin.LINE, 2, 2),
    "CBEAM": (skin.LINE, 2, 2),
    "CROD": (skin.LINE, 2, 2),
    "CTUBE": (skin.LINE, 2, 2),
    "CONROD": (skin.LINE, 1, 2),
    "PLOTEL": (skin.LINE, 1, 2),
}
_READ = {"GRID", "GRDSET", "SPOINT", "DMIG", "CORD1R", "CORD1C", "CORD1S", "CORD2R", "CORD2C", "CORD2S", *ELEMENTS}
#: entries with mass or stiffness that are in no mesh
LEFT_OUT = {
    "CONM1", "CONM2", "CMASS1", "CMASS2", "CMASS3", "CMASS4", "CELAS1", "CELAS2", "CELAS3", "CELAS4", "CBUSH",
    "CBUSH1D", "CGAP", "CWELD", "CFAST", "CSEAM", "RBAR",
    "RBE1", "RBE2", "RBE3", "RROD", "CSHEAR", "CBEND", "CTRIAX", "CTRIAX6", "CQUADX", "NSM", "NSM1", "NSML", "NSML1",
    "MPC",
}  # fmt: skip
_REAL = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[EeDd]([+-]?\d{1,4})|([+-]\d{1,4}))?$")


@dataclass
class Deck(Summary):
    """What the entries of a bulk data file define."""

    grids: dict[int, tuple] = field(default_factory=dict)  # id -> (CP, x, CD, position in files)
    systems: dict[int, tuple] = field(
        default_factory=dict
    )  # id -> (kind, RID, points (3, 3), position), of CORD1x None and three grids
    scalars: set[int] = field(default_factory=set)
    connectivity: list[tuple[str, str, int, tuple[int, ...]]] = field(
        default_factory=list
    )  # name, position in files, property, grids (0: none)
    matrices: dict[str, _Matrix] = field(default_factory=dict)
    default: tuple[str, str] = ("", "")  # GRDSET
    found: dict[int, tuple] = field(default_factory=dict)  # systems in basic: kind, origin, axes
    left_out: dict[str, int] = field(default_factory=dict)  # entries of `LEFT_OUT` -> how many
    files: int = 0


@dataclass
class _Matrix:
    form: int
    where: str
    refused: str = ""  # why it is not a stiffness or mass: decks hold loads and dampings besides
    rows: list[tuple[int, int]] = field(default_factory=list)  # (point, component) of each entry
    columns: list[tuple[int, int]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


def read_nastran(
    path: str | Path,
    stiffness: str | Path | None = None,
    mass: str | Path | None = None,
    *,
    names: tuple[str, str] = ("KAAX", "MAAX"),
) -> FiniteElements | Superelement:
    """Finite elements, or a superelement, of a Nastran bulk data or punch file, in the units of the file, which are to
    be consistent ones.

    ``stiffness``, ``mass``: files with the matrices, DMIG entries (bulk data, punch) or ASCII OP4 (default: the deck
    itself, then the file of the same name that ends in .pch); ``names``: of the two DMIG matrices.  Displacements in
    other systems than the basic one (CD of GRID) are turned.

    Grids have their six degrees of freedom, or, of solids, the first three.  Where matrices belong to fewer grids than
    the elements, or to scalar points besides (SPOINT: coordinates of modes, as of ``ASET1`` and ``QSET1``), the body is
    a superelement (`Superelement`) with all its coordinates of modes; else `FiniteElements`.  An OP4 matrix has the
    degrees of freedom of all grids, by their ids, six each or three, and then the scalar points.

    Raises `ModelError`, with file and line, for what cannot be read, for matrices that are absent, complex or of other
    forms, and for degrees of freedom that do not fit.
    """
    path = Path(path)
    deck = Deck()
    read_bulk(path, deck)
    files: list[Path | None] = [None if f is None else Path(f) for f in (stiffness, mass)]
    if files[0] is None and names[0].upper() not in deck.matrices:
        punch = next((p for ending in (".pch", ".PCH") if (p := path.with_suffix(ending)).exists() and p != path), None)
        files = [punch if f is None else f for f in files]
    matrices = []
    for name, file, what in zip(names, files, ("stiffness", "mass")):
        if file is not None and file.suffix.lower() == ".op4":
            matrices.append(_op4(file, deck))
            continue
        source = deck
        if file is not None and file != path and name.upper() not in deck.matrices:
            read_bulk(file, deck)
        if name.upper() not in source.matrices:
            there = ", ".join(sorted(source.matrices)) or "no DMIG at all"
            raise ModelError(
                f"'{file or path}' has no DMIG matrix {name} for the {what}, but {there}; give {what}= its file, and "
                "names="
            )
        found = source.matrices[name.upper()]
        if found.refused:
            raise ModelError(f"{found.where}: DMIG {name} is not a valid {what}: {found.refused}")
        matrices.append(found)
    return _assemble(path, deck, *matrices)


# ---- entries ---------------------------------------------------------------------------------------------------------
def read_bulk(path: Path, deck: Deck) -> None:
    """Enter the entries of a file and of those that it includes.  Raises `ModelError`, with file and line."""
    for where, name, fields in _entries(path, deck):
        try:
            _enter(deck, where, name, fields)
        except (ValueError, IndexError, OverflowError) as error:
            text = ", ".join(f for f in fields if f)[:60]
            raise ModelError(f"{where}: {name} {text}: {error or 'a field is missing'}; correct the entry") from None


def _entries(path: Path, deck: Deck) -> Iterator[tuple[str, str, list[str]]]:
    """(file:line, name, fields behind the name) of each entry that is read; continuations are joined."""
    deck.files += 1
    if deck.files > MOST_FILES:
        raise ModelError(f"'{path}': more than {MOST_FILES} files include each other")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(
                f"'{path}' has {path.stat().st_size / 2**30:.1f} GiB, above the limit of {MOST_BYTES / 2**30:.0f}"
            )
        handle = open(path, encoding="latin-1")
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    with handle:
        where, name, fields = "", "", []
        bulk = not any(line.lstrip().upper().startswith(("BEGIN BULK", "BEGIN SUPER")) for line in handle)
        handle.seek(0)
        for count, line in enumerate(handle, 1):
            line = line.rstrip("\n\r")
            cut = line.find("$")
            line = (line if cut < 0 else line[:cut]).rstrip()
            if not line:
                continue
            begins = line.lstrip().upper()
            if begins.startswith("BEGIN"):
                bulk = True
                continue
            if not bulk:
                continue
            if begins.startswith("ENDDATA"):
                break
            if begins.startswith("INCLUDE"):
                if name in _READ:
                    yield where, name, fields
                name = ""
                inner = path.parent / line.strip()[7:].strip().strip("'\"")
                yield from _entries(inner, deck)
                continue
            if "," in line:
                words = [w.strip() for w in line.split(",")]
                head = words[0]
                size = 4 if head.endswith("*") or head.startswith("*") else 8
                # what is behind the fields of a line is the mark of its continuation
                data = (words[1:] + [""] * size)[:size]
                more = head == "" or head[0] in "+*-"
            else:
                line = line.expandtabs(8)
                head = line[:8].strip()
                wide = head.endswith("*") or head.startswith("*")
                size, step = (4, 16) if wide else (8, 8)
                data = [line[8 + step * k : 8 + step * (k + 1)].strip() for k in range(size)]
                more = head == "" or head[0] in "+*-"
            if more:
                if not name:
                    continue
                fields += data
                continue
            if name in _READ:
                yield where, name, fields
            where, name, fields = f"{path}:{count}", head.rstrip("*_").strip().upper(), data  # meshio writes CHEXA_
            if name in LEFT_OUT:
                deck.left_out[name] = deck.left_out.get(name, 0) + 1
        if name in _READ:
            yield where, name, fields


def _whole(text: str, default: int | None = None) -> int:
    if not text and default is not None:
        return default
    if not re.fullmatch(r"[+-]?\d{1,12}", text):
        raise ValueError(f"'{text[:20]}' is not an integer")
    return int(text)


def _number(text: str, default: float | None = None) -> float:
    """A real field: 1.5, 1.5E3, 1.5D3, 1.5+3.  Whole numbers are none in Nastran, but no harm."""
    if not text and default is not None:
        return default
    found = _REAL.match(text)
    if found is None:
        raise ValueError(f"'{text[:20]}' is not a number")
    return float(f"{found[1]}E{found[2] or found[3] or 0}")


def _enter(deck: Deck, where: str, name: str, f: list[str]) -> None:
    f = [*f, *[""] * 8]
    if name == "DMIG":
        _enter_matrix(deck, where, f[:-8])
    elif name == "GRID":
        number = _whole(f[0])
        grid = f[1], (_number(f[2], 0.0), _number(f[3], 0.0), _number(f[4], 0.0)), f[5]
        if number in deck.grids and deck.grids[number][:3] == grid:  # the same again, as punch files repeat the deck
            return
        if number in deck.grids or number in deck.scalars:
            raise ValueError(f"there is a point {number} already")
        deck.grids[number] = *grid, where
        if len(deck.grids) > MOST_POINTS:
            raise ValueError(f"more than {MOST_POINTS} grids")
    elif name == "GRDSET":
        deck.default = f[1], f[5]
    elif name == "SPOINT":
        words = [w for w in f if w]
        if len(words) == 3 and words[1].upper() == "THRU":
            first, last = _whole(words[0]), _whole(words[2])
            if not 0 < first <= last < first + MOST_POINTS:
                raise ValueError("the numbers around THRU do not rise")
            deck.scalars |= set(range(first, last + 1))
        else:
            deck.scalars |= {_whole(w) for w in words}
    elif name in ELEMENTS:
        shape, before, most = ELEMENTS[name]
        nodes = tuple(_whole(w, 0) for w in f[before : before + most])
        if any(k <= 0 for k in nodes[: shape.corners]):
            raise ValueError(f"it needs {shape.corners} grids")
        region = _whole(f[1], 0) if before == 2 else 0
        deck.connectivity.append((name, where, region, nodes if most > shape.corners else nodes[: shape.corners]))
    elif name.startswith("CORD1"):
        for k in range(0, 8, 4):  # an entry may define two
            if f[k]:
                deck.systems[_whole(f[k])] = name[-1], None, tuple(_whole(w) for w in f[k + 1 : k + 4]), where
    else:
        points = np.array([_number(w, 0.0) for w in f[2:11]]).reshape(3, 3)
        deck.systems[_whole(f[0])] = name[-1], _whole(f[1], 0), points, where


def _enter_matrix(deck: Deck, where: str, f: list[str]) -> None:
    name = f[0].upper()
    if f[1] == "0":
        form, kind, polar = _whole(f[2]), _whole(f[3]), _whole(f[5], 0)
        if name in deck.matrices:
            raise ValueError(f"there is a matrix {name} already ({deck.matrices[name].where})")
        why = f"it has the form {form}; write a symmetric matrix (6) or a square one (1)" if form not in (1, 6) else ""
        why = "it is complex; write a real matrix (type 1 or 2)" if kind not in (1, 2) or polar else why
        deck.matrices[name] = _Matrix(form, where, why)
        return
    matrix = deck.matrices.get(name)
    if matrix is None:
        raise ValueError(f"a column before the entry with 0 that gives the form of {name}")
    if matrix.refused:
        return
    column = _whole(f[1]), _whole(f[2], 0)
    for k in range(4, len(f), 4):
        if not f[k]:
            continue
        matrix.rows.append((_whole(f[k]), _whole(f[k + 1], 0)))
        matrix.columns.append(column)
        matrix.values.append(_number(f[k + 2]))


# ---- coordinate systems ----------------------------------------------------------------------------------------------
def _system(deck: Deck, number: int, above: tuple[int, ...] = ()) -> tuple[str, np.ndarray, np.ndarray]:
    """Kind (R, C, S), origin and axes (columns) of a coordinate system in the basic one."""
    if number == 0:
        return "R", np.zeros(3), np.eye(3)
    if number in deck.found:
        return deck.found[number]
    if number in above:
        raise ModelError(f"{deck.systems[number][3]}: coordinate system {number} is defined by itself; correct RID")
    if number not in deck.systems:
        raise ModelError(f"there is no coordinate system {number} (CORD1R, CORD2R, ...); add it to the deck")
    kind, reference, points, where = deck.systems[number]
    if len(above) > 100:
        raise ModelError(f"{where}: more than a hundred coordinate systems are defined by each other")
    if reference is None:
        strange = next((g for g in points if g not in deck.grids), None)
        if strange is not None:
            raise ModelError(f"{where}: coordinate system {number} references GRID {strange}, which is not in the deck")
        a, b, c = (grid_position(deck, g, (*above, number)) for g in points)
    else:
        base = _system(deck, reference, (*above, number))
        a, b, c = (_position(base, p) for p in points)
    z = b - a
    size = np.linalg.norm(z)
    y = np.cross(z, c - a)
    if not (size > 0.0 and np.linalg.norm(y) > 1e-12 * size * np.linalg.norm(c - a)):
        raise ModelError(f"{where}: the three points of coordinate system {number} lie on a line; correct them")
    z, y = z / size, y / np.linalg.norm(y)
    deck.found[number] = kind, a, np.column_stack([np.cross(y, z), y, z])
    return deck.found[number]


def grid_position(deck: Deck, grid: int, above: tuple[int, ...] = ()) -> np.ndarray:
    """Basic coordinates (3,) of a grid.  Raises `ModelError` for a coordinate system that is not defined."""
    cp, x, _, where = deck.grids[grid]
    try:
        system = _whole(cp or deck.default[0], 0)
    except ValueError as error:
        raise ModelError(f"{where}: GRID {grid}: {error}; correct CP") from None
    return _position(_system(deck, system, above), x)


def _position(system, x) -> np.ndarray:
    """Position in basic of coordinates in a system: x, y, z; R, theta, z; R, theta, phi (degrees)."""
    kind, origin, axes = system
    x = np.asarray(x, float)
    if kind == "C":
        angle = np.deg2rad(x[1])
        x = np.array([x[0] * np.cos(angle), x[0] * np.sin(angle), x[2]])
    elif kind == "S":
        theta, phi = np.deg2rad(x[1:])
        x = x[0] * np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
    return origin + axes @ x


def _directions(system, place: np.ndarray) -> np.ndarray:
    """Axes (columns, basic) of displacements at a place: of x, y, z, or of the coordinates there."""
    kind, origin, axes = system
    if kind == "R":
        return axes
    s = axes.T @ (place - origin)
    phi = np.arctan2(s[1], s[0])
    along, around = np.array([np.cos(phi), np.sin(phi), 0.0]), np.array([-np.sin(phi), np.cos(phi), 0.0])
    if kind == "C":
        return axes @ np.column_stack([along, around, [0.0, 0.0, 1.0]])
    theta = np.arctan2(np.hypot(s[0], s[1]), s[2])
    up = np.array([0.0, 0.0, 1.0])
    return axes @ np.column_stack(
        [np.sin(theta) * along + np.cos(theta) * up, np.cos(theta) * along - np.sin(theta) * up, around]
    )


# ---- together --------------------------------------------------------------------------------------------------------
def _assemble(path: Path, deck: Deck, *matrices) -> FiniteElements | Superelement:
    used: set[tuple[int, int]] = set()
    for A in matrices:
        if isinstance(A, _Matrix):
            used |= {*A.rows, *A.columns}
    if any(not isinstance(A, _Matrix) for A in matrices):
        if used:
            raise ModelError(f"'{path}': one matrix is of DMIG and the other of OP4; give both of one kind")
        used = {(g, c) for g in deck.grids for c in range(1, 7)} | {(s, 0) for s in deck.scalars}
        size = matrices[0].shape[0]
        if matrices[1].shape != matrices[0].shape:
            raise ModelError(
                f"stiffness is {size} x {size} and mass {matrices[1].shape[0]} x {matrices[1].shape[1]}; give two of "
                "one size"
            )
        if size == 3 * len(deck.grids):
            used = {(g, c) for g in deck.grids for c in (1, 2, 3)}
        elif size != len(used):
            raise ModelError(
                f"an OP4 matrix is {size} x {size}; {len(deck.grids)} grids and {len(deck.scalars)} scalar points have "
                f"{len(used)} freedoms"
            )
    scalars = sorted({p for p, c in used if c == 0 or (p in deck.scalars and p not in deck.grids)})
    strange = [
        p for p, c in sorted(used) if (p not in deck.grids and c not in (0, 1)) or (p in deck.grids and not 1 <= c <= 6)
    ]
    absent = [p for p, c in sorted(used) if c and p not in deck.grids and p not in deck.scalars]
    if strange or absent:
        p = (absent or strange)[0]
        raise ModelError(
            f"'{path}': the matrices name a freedom of point {p}, which is neither a GRID nor an SPOINT of the "
            "deck; give "
            f"the "
            "deck with it"
        )
    mistaken = [s for s in scalars if s in deck.grids]
    if mistaken:
        raise ModelError(f"'{path}': the matrices name GRID {mistaken[0]} without a component; give one from 1 to 6")
    ids = sorted({p for p, c in used if p in deck.grids})
    have: dict[int, set[int]] = {g: set() for g in ids}
    for p, c in used:
        if p in have:
            have[p].add(c)
    freedoms = 3 if all(h <= {1, 2, 3} for h in have.values()) else 6
    short = [g for g in ids if len(have[g]) < freedoms]
    if not ids or short:
        what = (
            f"GRID {short[0]} has the degrees of freedom {sorted(have[short[0]])}"
            if short
            else "the matrices belong to no grid"
        )
        raise ModelError(
            f"'{path}': {what}; all grids need their six degrees of freedom, or all the first three (ASET1, 123456, "
            f"...)"
        )
    places = np.zeros((len(ids), 3))
    turns: list[np.ndarray] = []
    for k, g in enumerate(ids):
        _, _, cd, where = deck.grids[g]
        try:
            cd = _whole(cd or deck.default[1], 0)
        except ValueError as error:
            raise ModelError(f"{where}: GRID {g}: {error}; correct CD") from None
        if cd < 0:
            raise ModelError(f"{where}: GRID {g} is a fluid point (CD = {cd}); a body has none")
        places[k] = grid_position(deck, g)
        turns += [_directions(_system(deck, cd), places[k])] * (freedoms // 3)
    index = {(g, c + 1): freedoms * k + c for k, g in enumerate(ids) for c in range(freedoms)}
    first = freedoms * len(ids)
    for k, s in enumerate(scalars):
        index[s, 0] = index[s, 1] = first + k
    size = first + len(scalars)
    turn = sp.block_diag([*turns, sp.identity(len(scalars))] if scalars else turns, format="csc")
    K, M = ((turn @ _sparse(A, index, size) @ turn.T).tocsc() for A in matrices)
    place = {g: k for k, g in enumerate(ids)}
    elements = [(ELEMENTS[name][0], nodes) for name, _, _, nodes in deck.connectivity]
    lines, faces = skin.drawn(elements, place, places)
    inside = {n for _, nodes in elements for n in nodes if n} - set(ids)
    if not scalars and not inside:
        return FiniteElements(ids, places, K, M, lines, faces=faces)
    if freedoms == 3:
        raise ModelError(
            f"'{path}': the grids of the superelement have three degrees of freedom; tie the boundary to grids with "
            f"six (RBE2, "
            "RBE3, ASET1 123456)"
        )
    return Superelement(ids, places, K, M, lines, faces)


def _sparse(A, index: dict[tuple[int, int], int], size: int) -> sp.csc_matrix:
    if not isinstance(A, _Matrix):
        return A
    rows = np.fromiter((index[r] for r in A.rows), np.int64, len(A.rows))
    columns = np.fromiter((index[c] for c in A.columns), np.int64, len(A.columns))
    out = sp.csc_matrix((np.array(A.values), (rows, columns)), shape=(size, size))
    if A.form == 6:
        if len(rows) and not (np.all(rows >= columns) or np.all(rows <= columns)):
            # of a symmetric matrix one triangle is written, in any order of points; a pair of both is twice the same
            pairs = {(r, c) for r, c in zip(rows.tolist(), columns.tolist()) if r != c}
            twice = next(((r, c) for r, c in pairs if (c, r) in pairs), None)
            if twice is not None:
                raise ModelError(
                    f"{A.where}: both triangles of a symmetric matrix (form 6) are written; write one, or form 1"
                )
        out = (out + out.T - sp.diags(out.diagonal())).tocsc()
    return out


# ---- OP4 -------------------------------------------------------------------------------------------------------------
def _op4(path: Path, deck: Deck) -> sp.csc_matrix:
    """The first matrix of an ASCII OP4 file, dense or sparse (BIGMAT or not), real.  Format: MSC Nastran DMAP guide,
    OUTPUT4."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(
                f"'{path}' has {path.stat().st_size / 2**30:.1f} GiB, above the limit of {MOST_BYTES / 2**30:.0f}"
            )
        with open(path, encoding="ascii", errors="strict") as file:
            return _op4_matrix(path, file)
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ModelError(
            f"'{path}' is a binary OP4 file; write it as text (ASSIGN OUTPUT4=..., FORM=FORMATTED)"
        ) from None
    except (ValueError, IndexError):
        raise ModelError(f"'{path}' is not ASCII OP4 matrix, or it is cut off") from None


def _op4_matrix(path: Path, file) -> sp.csc_matrix:
    head = file.readline().rstrip("\n")
    columns, rows, form, kind = (int(head[8 * k : 8 * k + 8]) for k in range(4))
    if kind not in (1, 2):
        raise ModelError(f"'{path}' holds a complex matrix; write a real one")
    layout = re.search(r"1P,\s*(\d+)E(\d+)\.", head)
    across, width = (int(layout[1]), int(layout[2])) if layout else (5, 16)
    if abs(rows) != columns or not 0 < columns <= 200_000 or not 0 < across < 100 or not 0 < width < 100:
        raise ModelError(f"'{path}' holds a matrix of {abs(rows)} x {columns}; stiffness and mass are square")
    where: list[tuple[int, int]] = []
    values: list[float] = []
    column = row = 0
    for line in file:
        line = line.rstrip()
        if "." in line:  # a line of numbers, which go down from the row that the line before them gave
            if not row:
                raise ValueError("numbers without a row")
            for k in range(min(across, -(-len(line) // width))):
                values.append(_number(line[width * k : width * (k + 1)].strip()))
                where.append((row - 1, column - 1))
                row += 1
            continue
        integers = [int(w) for w in line.split()]
        if len(integers) == 3:  # a column, and its first row (none: strings follow) and words
            column, row = integers[:2]
            if column > columns:
                break
        elif len(integers) == 2:  # a string of a large matrix: words + 1, row
            row = integers[1]
        elif len(integers) == 1:  # a string: row + 65536 (words + 1)
            row = integers[0] % 65536
        else:
            raise ValueError("no record")
    else:
        raise ValueError("cut off")
    at = np.array(where, np.int64).reshape(-1, 2)
    if len(at) and (at.min() < 0 or at.max() >= columns):
        raise ValueError("a row outside")
    return sp.csc_matrix((np.array(values), (at[:, 0], at[:, 1])), shape=(columns, columns))

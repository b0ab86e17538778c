"""Finite elements that Abaqus wrote: nodes and elements of the input file, and the matrices of ``*MATRIX OUTPUT`` or
``*SUBSTRUCTURE MATRIX OUTPUT``.

The matrices are those of the free body, without boundary conditions.  ``FORMAT=COORDINATE``: lines
``row, column, value``, three degrees of freedom a node in the order of the nodes' numbers (nodes without elements have
rows of zeros and are left out).  ``FORMAT=MATRIX INPUT``: lines ``node, freedom, node, freedom, value``, three degrees
of freedom a node or six.  ``OUTPUT FILE=USER DEFINED`` of a substructure: a ``*USER ELEMENT, LINEAR`` with its retained
nodes and ``*MATRIX`` of both types, lower triangles by rows; nodes that are not in the input file carry coordinates of
modes (Abaqus Keywords Guide, *MATRIX, *USER ELEMENT).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..model.base import ModelError
from . import skin
from .abaqus_deck import read_deck
from .finite_elements import FiniteElements
from .superelement import Superelement

MOST_FREEDOMS = 20_000  # of a substructure, whose matrices are full
#: beginning of an element type -> shape; quadratic ones have more nodes
SHAPES = (
    ("C3D4", skin.TETRAHEDRON),
    ("C3D10", skin.TETRAHEDRON),
    ("C3D5", skin.PYRAMID),
    ("C3D6", skin.WEDGE),
    ("C3D15", skin.WEDGE),
    ("C3D8", skin.BRICK),
    ("C3D20", skin.BRICK),
    ("C3D27", skin.BRICK),
    ("SC6", skin.WEDGE),
    ("SC8", skin.BRICK),
    ("S3", skin.TRIANGLE),
    ("STRI3", skin.TRIANGLE),
    ("STRI65", skin.TRIANGLE),
    ("S4", skin.QUADRILATERAL),
    ("S8", skin.QUADRILATERAL),
    ("B31", skin.LINE),
    ("B32", skin.LINE),
    ("B33", skin.LINE),
    ("T3D2", skin.LINE),
)


def read_abaqus(
    path: str | Path, stiffness: str | Path | None = None, mass: str | Path | None = None
) -> FiniteElements | Superelement:
    """Finite elements of an Abaqus input file of one instance, in the units of the file, which are to be consistent
    ones.

    ``stiffness``, ``mass``: the matrices (default: the files next to it that are named as it is, with STIF1.mtx and
    MASS1.mtx behind, as Abaqus names them, or _STIF1.mtx).  A file of a substructure holds both: give it as
    ``stiffness``; the body is then a `Superelement`, with six degrees of freedom a retained node.  Triangles of the
    surface are drawn.  Raises `ModelError`, with file and line, for nodes, elements and entries that cannot be read,
    and for matrices that do not fit the nodes.
    """
    path = Path(path)
    nodes, elements = _mesh(path)
    files = []
    for given, what in ((stiffness, "STIF1"), (mass, "MASS1")):
        file = (
            Path(given)
            if given is not None
            else next((f for m in ("", "_", "-") if (f := path.with_name(f"{path.stem}{m}{what}.mtx")).exists()), None)
        )
        if file is None and files and _is_substructure(files[0]):
            file = files[0]
        if file is None:
            raise ModelError(
                f"'{path}': there is no matrix {path.stem}_{what}.mtx next to it; give stiffness= and mass="
            )
        files.append(file)
    if _is_substructure(files[0]):
        return _substructure(files, nodes, elements)
    ids = np.array(sorted(nodes))
    places = np.array([nodes[k] for k in ids])
    tables: list[np.ndarray] = []
    matrices: list[sp.csc_matrix] = []
    for file in files:
        tables.append(_table(file))
        if tables[-1].shape[1] != tables[0].shape[1]:
            raise ModelError(f"'{file}' has a different format from '{files[0]}'; write both in one")
        if tables[-1].shape[1] == 3:
            matrices.append(_matrix(file, tables[-1], 3 * len(ids)))
    freedoms = 3 if matrices or max(t[:, [1, 3]].max() for t in tables) <= 3 else 6
    K, M = matrices or (_matrix(f, _numbered(f, t, ids, freedoms), freedoms * len(ids)) for f, t in zip(files, tables))
    used = np.flatnonzero((np.abs(K.diagonal()) + np.abs(M.diagonal())).reshape(-1, freedoms).any(axis=1))
    number = {int(ids[k]): i for i, k in enumerate(used)}
    keep = (freedoms * used[:, None] + np.arange(freedoms)).ravel()
    places = places[used]
    lines, faces = skin.drawn(elements, number, places)
    return FiniteElements(
        [int(k) for k in ids[used]], places, K[keep][:, keep].tocsc(), M[keep][:, keep].tocsc(), lines, faces=faces
    )


def _shape(kind: str) -> skin.Shape | None:
    """Shape of an element type such as C3D10M, S4R or C3D8RH."""
    for name, shape in SHAPES:
        if kind.startswith(name) and not kind[len(name) : len(name) + 1].isdigit():
            return shape
    return None


def _mesh(path: Path) -> tuple[dict[int, np.ndarray], list[tuple[skin.Shape, tuple[int, ...]]]]:
    """Nodes by their numbers, and elements that can be drawn, with the numbers of their nodes, of a file of one
    instance."""
    instances = read_deck(path)
    if len(instances) > 1:
        raise ModelError(
            f"'{path}' has {len(instances)} instances, whose matrices Abaqus numbers by itself; write a job of one "
            "instance, or a flat file"
        )
    scope = instances[0].scope
    if not scope.nodes:
        raise ModelError(f"'{path}' has no *NODE; give the input file of the job that wrote the matrices")
    elements = []
    for kind, nodes, where in scope.elements.values():
        shape = _shape(kind)
        if shape is not None:
            if len(nodes) < shape.corners:
                raise ModelError(f"{where}: an element {kind} has {len(nodes)} nodes; give all of them")
            elements.append((shape, nodes))
    return scope.nodes, elements


def _table(path: Path) -> np.ndarray:
    """Lines of three numbers (FORMAT=COORDINATE) or five (MATRIX INPUT)."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            table = np.loadtxt((line.replace(",", " ") for line in file if not line.startswith("*")), ndmin=2)
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ModelError(f"'{path}' holds no lines of row, column, value: {error}") from None
    if table.shape[1] not in (3, 5) or not len(table) or not np.all(np.isfinite(table)):
        raise ModelError(
            f"'{path}' holds no lines of row, column, value (FORMAT=COORDINATE), nor of node, freedom, node, "
            "freedom, value"
        )
    return table


def _numbered(path: Path, table: np.ndarray, ids: np.ndarray, freedoms: int) -> np.ndarray:
    """The table by rows and columns, of one by nodes and degrees of freedom."""
    out = np.zeros((len(table), 3))
    for k, (node, freedom) in enumerate(((0, 1), (2, 3))):
        place = np.minimum(np.searchsorted(ids, table[:, node]), len(ids) - 1)
        strange = np.flatnonzero(
            (ids[place] != table[:, node]) | (table[:, freedom] < 1) | (table[:, freedom] > freedoms)
        )
        if len(strange):
            n, f = table[strange[0], [node, freedom]]
            raise ModelError(
                f"'{path}' has the freedom {f:g} of node {n:g}; the input file has no such node, or nodes have "
                f"{freedoms} freedoms"
            )
        out[:, k] = freedoms * place + table[:, freedom]
    out[:, 2] = table[:, 4]
    return out


def _matrix(path: Path, table: np.ndarray, size: int) -> sp.csc_matrix:
    """Matrix of lines ``row column value`` from one; where all are of one triangle, the other is the same."""
    row, column = table[:, 0].astype(np.int64) - 1, table[:, 1].astype(np.int64) - 1
    if min(row.min(), column.min()) < 0 or max(row.max(), column.max()) >= size:
        raise ModelError(
            f"'{path}' has entry {max(row.max(), column.max()) + 1}, the nodes have {size} degrees of freedom; give "
            f"the matrices "
            "of this input file"
        )
    out = sp.csc_matrix((table[:, 2], (row, column)), shape=(size, size))
    if np.all(row >= column) or np.all(row <= column):
        out = (out + out.T - sp.diags(out.diagonal())).tocsc()
    return out


# ---- substructures ---------------------------------------------------------------------------------------------------
def _is_substructure(path: Path) -> bool:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return any(line.upper().startswith("*USER ELEMENT") for line, _ in zip(file, range(1000)))
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror or error}") from None


def _substructure(files: list[Path], nodes: dict[int, tuple[float, ...]], elements) -> Superelement:
    """Superelement of one file with both matrices, or of two."""
    found: dict[str, np.ndarray] = {}
    retained: list[int] = []
    freedoms: list[list[int]] = []
    for path in dict.fromkeys(files):
        these, active, matrices = _user_element(path)
        if retained and (these, active) != (retained, freedoms):
            raise ModelError(
                f"'{path}' has other retained nodes than '{files[0]}'; write both matrices of one substructure"
            )
        retained, freedoms = these, active
        found |= matrices
    for what in ("STIFFNESS", "MASS"):
        if what not in found:
            raise ModelError(
                f"'{files[0]}' has no *MATRIX, TYPE={what}; write both (*SUBSTRUCTURE MATRIX OUTPUT, STIFFNESS=YES, "
                "MASS=YES)"
            )
    names = [(n, f) for n, active in zip(retained, freedoms) for f in active]
    for what, A in found.items():
        if len(A) != len(names) * (len(names) + 1) // 2:
            raise ModelError(
                f"'{files[0]}': *MATRIX, TYPE={what} has {len(A)} numbers; {len(names)} degrees of freedom require "
                f"{len(names) * (len(names) + 1) // 2}"
            )
    grids = [n for n in retained if n in nodes]
    short = next((n for n in grids if [f for m, f in names if m == n] != [1, 2, 3, 4, 5, 6]), None)
    if short is not None or not grids:
        what = (
            f"node {short} does not have all degrees of freedom 1 to 6"
            if short is not None
            else "none of its nodes is in the input file"
        )
        raise ModelError(
            f"'{files[0]}': {what}; retain all six of the nodes on which joints and forces act (*RETAINED NODAL DOFS)"
        )
    order = np.array(
        [k for g in grids for k, (n, _) in enumerate(names) if n == g]
        + [k for k, (n, _) in enumerate(names) if n not in nodes]
    )
    K, M = (_full(found[w], len(names))[np.ix_(order, order)] for w in ("STIFFNESS", "MASS"))
    index = {n: k for k, n in enumerate(grids)}
    places = np.array([nodes[n] for n in grids])
    lines, faces = skin.drawn(elements, index, places)
    return Superelement(grids, places, sp.csc_matrix(K), sp.csc_matrix(M), lines, faces)


def _full(triangle: np.ndarray, n: int) -> np.ndarray:
    out = np.zeros((n, n))
    out[np.tril_indices(n)] = triangle
    return out + np.tril(out, -1).T


def _user_element(path: Path) -> tuple[list[int], list[list[int]], dict[str, np.ndarray]]:
    """Retained nodes, the degrees of freedom of each, and lower triangles by rows, of a file with one user element."""
    nodes: list[int] = []
    active: dict[int, list[int]] = {}
    matrices: dict[str, list[float]] = {}
    section, listed = "", False
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            for count, text in enumerate(file, 1):
                line = text.strip()
                words = [w.strip() for w in line.lstrip("*").split(",") if w.strip()]
                try:
                    if line.startswith("**"):
                        if line.upper().replace("*", "").strip() == "ELEMENT NODES":
                            listed = True
                        elif listed and words and all(w.lstrip("+-").isdigit() for w in words):
                            nodes += [int(w) for w in words]
                        else:
                            listed = False
                    elif line.startswith("*"):
                        listed = False
                        keyword = words[0].upper() if words else ""
                        given = dict(w.upper().replace(" ", "").split("=", 1) for w in words[1:] if "=" in w)
                        section = (
                            "USER"
                            if keyword == "USER ELEMENT"
                            else given.get("TYPE", "")
                            if keyword == "MATRIX"
                            else ""
                        )
                        if section == "USER" and active:
                            raise ModelError(
                                f"{path}:{count}: a second user element; give the file of one substructure"
                            )
                    elif section == "USER" and words:
                        numbers = [int(w) for w in words]
                        first, numbers = (1, numbers) if not active else (numbers[0], numbers[1:])
                        active[first] = numbers
                    elif section and words:
                        matrices.setdefault(section, []).extend(float(w) for w in words)
                        if len(matrices[section]) > MOST_FREEDOMS**2 // 2:
                            raise ModelError(
                                f"{path}:{count}: more than {MOST_FREEDOMS} degrees of freedom; retain fewer nodes"
                            )
                except ValueError:
                    raise ModelError(
                        f"{path}:{count}: '{line[:40]}' is not a line of a substructure's matrices"
                    ) from None
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror or error}") from None
    if not nodes or not active:
        raise ModelError(
            f"'{path}' does not give its nodes ('** ELEMENT NODES') and their degrees of freedom (*USER ELEMENT)"
        )
    freedoms: list[list[int]] = []
    for k in range(len(nodes)):
        freedoms.append(active[k + 1] if k + 1 in active else freedoms[-1])
    return nodes, freedoms, {what: np.array(values) for what, values in matrices.items()}

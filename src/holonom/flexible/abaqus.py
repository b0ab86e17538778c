"""Finite elements that Abaqus wrote: nodes and elements of the input file, and the matrices of ``*MATRIX OUTPUT, FORMAT=COORDINATE``.

The matrices are those of the free body, without boundary conditions, three freedoms a node in the order of the nodes' numbers (nodes without elements
have rows of zeros and are left out).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..model.base import ModelError
from .finite_elements import FiniteElements

MOST_NODES = 2_000_000
#: edges of elements, by places of their nodes: corners, of quadratic elements as well
EDGES = {
    "C3D4": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    "C3D6": ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)),
    "C3D8": ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
}
CORNERS = {"C3D10": "C3D4", "C3D15": "C3D6", "C3D20": "C3D8"}


def read_abaqus(path: str | Path, stiffness: str | Path | None = None, mass: str | Path | None = None) -> FiniteElements:
    """Finite elements of an Abaqus input file of one instance, in the units of the file, which are to be consistent ones.

    ``stiffness``, ``mass``: the matrices (default: the files beside it that are named as it is, with STIF1.mtx and MASS1.mtx behind, as Abaqus names them,
    or _STIF1.mtx).  Raises `ModelError`, with file and line, for nodes, elements and entries that cannot be read, and for matrices that do not fit the
    nodes.
    """
    path = Path(path)
    nodes, lines = _mesh(path)
    matrices = []
    for given, what in ((stiffness, "STIF1"), (mass, "MASS1")):
        file = (
            Path(given)
            if given is not None
            else next((f for m in ("", "_", "-") if (f := path.with_name(f"{path.stem}{m}{what}.mtx")).exists()), None)
        )
        if file is None:
            raise ModelError(f"'{path}': there is no matrix {path.stem}_{what}.mtx beside it; give stiffness= and mass=")
        matrices.append(_matrix(file, 3 * len(nodes)))
    K, M = matrices
    ids = np.array(sorted(nodes))
    places = np.array([nodes[k] for k in ids])
    used = np.flatnonzero((np.abs(K.diagonal()) + np.abs(M.diagonal())).reshape(-1, 3).any(axis=1))
    number = {int(ids[k]): i for i, k in enumerate(used)}
    keep = (3 * used[:, None] + np.arange(3)).ravel()
    pairs = {(number[a], number[b]) for a, b in lines if a in number and b in number}
    return FiniteElements(
        [int(k) for k in ids[used]],
        places[used],
        K[keep][:, keep].tocsc(),
        M[keep][:, keep].tocsc(),
        np.array(sorted(pairs)).reshape(-1, 2),
    )


def _mesh(path: Path) -> tuple[dict[int, tuple[float, ...]], set[tuple[int, int]]]:
    """Nodes by their numbers, and pairs of nodes that an edge of an element joins."""
    nodes: dict[int, tuple[float, ...]] = {}
    lines: set[tuple[int, int]] = set()
    keyword, kind = "", ""
    row: list[int] = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for count, text in enumerate(file, 1):
                line = text.strip()
                if line.startswith("**") or not line:
                    continue
                if line.startswith("*"):
                    words = [w.strip() for w in line[1:].split(",")]
                    keyword, row = words[0].upper(), []
                    given = dict(w.upper().replace(" ", "").split("=", 1) for w in words[1:] if "=" in w)
                    kind = given.get("TYPE", "").rstrip("RHIM")
                    continue
                if keyword not in ("NODE", "ELEMENT"):
                    continue
                try:
                    if keyword == "NODE":
                        number, *place = line.rstrip(",").split(",")
                        if int(number) in nodes:
                            raise ModelError(f"{path}:{count}: there is a node {int(number)} already; a body is one instance")
                        nodes[int(number)] = tuple(float(v) for v in place[:3]) + (0.0,) * (3 - len(place))
                        if len(nodes) > MOST_NODES:
                            raise ModelError(f"{path}:{count}: more than {MOST_NODES} nodes")
                    else:
                        row += [int(v) for v in line.rstrip(",").split(",")]
                        if line.endswith(","):
                            continue
                        lines |= {
                            (min(row[1 + a], row[1 + b]), max(row[1 + a], row[1 + b])) for a, b in EDGES.get(CORNERS.get(kind, kind), ())
                        }
                        row = []
                except (ValueError, IndexError):
                    rest = "x, y, z" if keyword == "NODE" else "nodes"
                    raise ModelError(f"{path}:{count}: '{line[:40]}' is no {keyword.lower()}; give its number and its {rest}") from None
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    if not nodes:
        raise ModelError(f"'{path}' has no *NODE; give the input file of the job that wrote the matrices")
    return nodes, lines


def _matrix(path: Path, size: int) -> sp.csc_matrix:
    """Matrix of lines ``row column value`` from one; where all are of one triangle, the other is the same."""
    try:
        table = np.loadtxt(path, ndmin=2)
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ModelError(f"'{path}' holds no lines of row, column, value: {error}") from None
    if table.shape[1] != 3 or not np.all(np.isfinite(table)):
        raise ModelError(f"'{path}' holds no lines of row, column, value (FORMAT=COORDINATE)")
    row, column = table[:, 0].astype(np.int64) - 1, table[:, 1].astype(np.int64) - 1
    if min(row.min(), column.min()) < 0 or max(row.max(), column.max()) >= size:
        raise ModelError(
            f"'{path}' has entry {max(row.max(), column.max()) + 1}, the nodes have {size} freedoms; give the matrices of this input file"
        )
    out = sp.csc_matrix((table[:, 2], (row, column)), shape=(size, size))
    if np.all(row >= column) or np.all(row <= column):
        out = (out + out.T - sp.diags(out.diagonal())).tocsc()
    return out

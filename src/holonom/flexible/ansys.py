"""Finite elements that Ansys wrote: matrices as Matrix Market files (``*EXPORT, K, MMF, ...``), the nodal map and the
table of nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..model.base import ModelError
from .finite_elements import FiniteElements


def read_ansys(
    nodes: str | Path, stiffness: str | Path, mass: str | Path, order: str | Path | None = None
) -> FiniteElements:
    """Finite elements of a free body, in the units of the files, which are to be consistent ones.

    ``nodes``: a table with number, x, y, z a line (a first line of words is skipped; commas may represent points
    between tabs or blanks); ``stiffness``, ``mass``: Matrix Market files of all degrees of freedom, three a node or
    six;
    ``order``: Matrix Market file with the number of the node of each row of nodes (default: the order of the table).
    Raises `ModelError`, with the file, for what cannot be read and for sizes that do not fit.
    """
    places = _nodes(Path(nodes))
    ids = list(places) if order is None else _order(Path(order))
    missing = [k for k in ids if k not in places]
    if missing:
        raise ModelError(f"'{order}' references node {missing[0]}, which '{nodes}' does not have")
    K, M = (_market(Path(f)) for f in (stiffness, mass))
    for file, A in ((stiffness, K), (mass, M)):
        if (
            not sp.issparse(A)
            or A.shape[0] != A.shape[1]
            or A.shape[0] not in (3 * len(ids), 6 * len(ids))
            or A.shape != K.shape
        ):
            raise ModelError(
                f"'{file}' is {' x '.join(map(str, A.shape))}; {len(ids)} nodes have three degrees of freedom each, "
                f"or six"
            )
    return FiniteElements(ids, np.array([places[k] for k in ids]), K.tocsc(), M.tocsc(), np.zeros((0, 2), int))


def _market(path: Path) -> sp.csc_matrix | np.ndarray:
    """A Matrix Market file, real or integer: sparse of ``coordinate``, dense of ``array``.  (SciPy's reader can end the
    process on damaged files.)"""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            head = file.readline().lower().split()
            line = file.readline()
            while line.startswith("%") or (line and not line.strip()):
                line = file.readline()
            form, kind, symmetry = (*head[2:5], "", "", "")[:3]
            if head[:2] != ["%%matrixmarket", "matrix"] or form not in ("coordinate", "array"):
                raise ValueError("its first line is not that of one")
            if kind not in ("real", "double", "integer") or symmetry not in ("general", "symmetric"):
                raise ValueError(f"it is {kind} {symmetry}; write a real or integer one, general or symmetric")
            sizes = [int(w) for w in line.split()]
            table = np.loadtxt(file, ndmin=2, comments="%")
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror or error}") from None
    except (ValueError, OverflowError, MemoryError) as error:
        raise ModelError(f"'{path}' is not a Matrix Market file: {' '.join(str(error).split())}") from None
    rows, columns = (*sizes, 0, 0)[:2]
    wanted = (sizes[2], 3) if form == "coordinate" and len(sizes) == 3 else (rows * columns, 1)
    if (
        len(sizes) != (3 if form == "coordinate" else 2)
        or not 0 < min(rows, columns) <= max(rows, columns) < 2**31
        or table.shape != wanted
    ):
        raise ModelError(
            f"'{path}' is not a Matrix Market file: it says {' '.join(map(str, sizes))} and has {len(table)} lines"
        )
    if form == "array":
        if symmetry != "general":
            raise ModelError(f"'{path}' is a symmetric array; write a general one, or coordinates")
        return table.reshape(columns, rows).T
    at = table[:, :2]
    if not (np.all(at >= 1) and np.all(at <= (rows, columns)) and np.all(at == np.floor(at))):
        raise ModelError(f"'{path}' has entries outside of its {rows} rows and {columns} columns")
    i, j = (at - 1).astype(np.int64).T
    out = sp.csc_matrix((table[:, 2], (i, j)), shape=(rows, columns))
    return out if symmetry == "general" else (out + out.T - sp.diags(out.diagonal())).tocsc()


def _order(path: Path) -> list[int]:
    table = _market(path)
    values = np.ravel(table.toarray() if sp.issparse(table) else table)
    if not np.all(np.isfinite(values)) or np.any(values != np.floor(values)) or np.abs(values).max() > 2**53:
        raise ModelError(f"'{path}' has no node numbers")
    return [int(k) for k in values]


def _nodes(path: Path) -> dict[int, tuple[float, ...]]:
    out: dict[int, tuple[float, ...]] = {}
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
    for count, line in enumerate(text.splitlines(), 1):
        words = line.replace(",", ".").split() if "\t" in line or " " in line.strip() else line.split(",")
        if not words:
            continue
        try:
            number, place = int(words[0]), tuple(float(w) for w in words[1:4])
        except ValueError:
            if count == 1:
                continue
            raise ModelError(f"{path}:{count}: '{line[:40]}' is not a node; give number, x, y, z") from None
        if len(place) < 3 or number in out:
            raise ModelError(
                f"{path}:{count}: node {number} {'is there already' if number in out else 'has no x, y, z'}"
            )
        out[number] = place
    if not out:
        raise ModelError(f"'{path}' has no nodes; give a table with number, x, y, z a line")
    return out

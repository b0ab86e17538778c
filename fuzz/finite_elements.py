"""Damaged decks and matrices of Nastran, Abaqus and Ansys, reduced bodies, and FLEX_BODY statements: read, or refused
with a sentence."""

from __future__ import annotations

import random
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from holonom.flexible import FiniteElements, ReducedBody, Section, beam, read_abaqus, read_ansys, read_nastran
from holonom.formats import parse_adm
from holonom.model import ModelError

from ._texts import damage
from ._through import attempt_to
from .files import wounded

LIMIT = 10.0
SLICE = 60
DATASET = """seed
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
MARKER/11, PART=1, FLOATING
FLEX_BODY/2, QG=0,0,0, REULER=10D,20D,30D, VX=1, WZ=2, VM=10, EXACT=X:Y, CRATIO=IF(FXFREQ-100:0.01,0,0.1*FXMODE**0)\\
, MNF_FILE=a.mnf
MARKER/20, FLEX_BODY=2, NODE_ID=1
MARKER/21, FLEX_BODY=2, NODE_ID=3, QP=1,0.1,0, REULER=10D,0,0
JOINT/1, REVOLUTE, I=20, J=10
MFORCE/1, FLEX_BODY=2, JFLOAT=11, CASE_INDEX=1, SCALE=SIN(TIME)
END
"""


@lru_cache(maxsize=1)
def mesh() -> FiniteElements:
    fe = beam((0, 0, 0), (1, 0.2, 0), Section.rectangle(0.02, 0.01), E=1e10, density=7850.0, elements=2)
    return FiniteElements([1, 2, 3], fe.places, fe.K, fe.M, fe.lines)


@lru_cache(maxsize=1)
def files() -> dict[str, str]:
    """Sound files of each format."""
    fe = mesh()
    size = fe.K.shape[0]
    points = [(n, c) for n in fe.nodes for c in range(1, 7)]
    rows = list(zip(fe.nodes, fe.places.tolist()))
    out = {
        "grids": "CORD2R,7,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
        + "".join(f"GRID,{n},7,{x!r},{y!r},{z!r},7\n" for n, (x, y, z) in rows)
    }
    dmig, labels, triangles = "", {}, []
    for name, A in (("KAAX", fe.K.toarray()), ("MAAX", fe.M.toarray())):
        dmig += f"DMIG*   {name:<16}{0:>16}{6:>16}{2:>16}\n*       {0:>16}\n"
        for j, (g, c) in enumerate(points):
            dmig += f"DMIG*   {name:<16}{g:>16}{c:>16}\n"
            dmig += "".join(
                f"*       {points[i][0]:>16}{points[i][1]:>16}{A[i, j]:>16.9E}\n" for i in range(j, size) if A[i, j]
            )
        labels[name] = "".join(
            f"{points[i][0]},{points[i][1]},{points[j][0]},{points[j][1]},{float(A[i, j])!r}\n"
            for i, j in zip(*np.nonzero(A))
        )
        triangles.append((name, ", ".join(f"{float(v)!r}" for v in A[np.tril_indices(size)])))
    out["deck"] = f"CEND\nBEGIN BULK\nSPOINT,1001,THRU,1003\nCBAR,1,1,1,2\nCTRIA3,2,1,1,2,3\n{dmig}ENDDATA\n"
    out["inp"] = (
        "*NODE\n"
        + "".join(f"{n}, {x}, {y}, {z}\n" for n, (x, y, z) in zip(fe.nodes, fe.places.tolist()))
        + "*ELEMENT, TYPE=B33\n1, 1, 2\n2, 2, 3\n"
    )
    out["K"], out["M"] = labels["KAAX"], labels["MAAX"]
    kinds = {"KAAX": "STIFFNESS", "MAAX": "MASS"}
    out["sub"] = "*USER ELEMENT, NODES=3, LINEAR\n** ELEMENT NODES\n** 1, 2, 3\n1, 2, 3, 4, 5, 6\n" + "".join(
        f"*MATRIX,TYPE={kinds[name]}\n{text}\n" for name, text in triangles
    )
    out["table"] = "node x y z\n" + "".join(
        f"{n}\t{x}\t{y}\t{z}\n" for n, (x, y, z) in zip(fe.nodes, fe.places.tolist())
    )
    return out


@lru_cache(maxsize=1)
def body() -> tuple[ReducedBody, bytes]:
    modal = mesh().reduced((1, 3), 2)
    modal = ReducedBody(
        **{n: getattr(modal, n) for n in modal.__dataclass_fields__}
        | {"loads": np.ones((1, 6 + modal.modes)), "units": "m, N, s"}
    )
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.h5"
        modal.save(path)
        return modal, path.read_bytes()


def attempt(seed: int) -> str:
    rng = random.Random(seed)
    pick = rng.random()
    hurt = lambda text: damage(text, rng) if rng.random() < 0.8 else text
    with tempfile.TemporaryDirectory() as name:
        folder, sound = Path(name), files()
        write = lambda file, text: (folder / file).write_text(text, encoding="utf-8", errors="replace")
        if pick < 0.4:
            write("a.bdf", hurt(sound["grids"]) + hurt(sound["deck"]))
            return _read(lambda: read_nastran(folder / "a.bdf"))
        if pick < 0.6:
            write("a.inp", hurt(sound["inp"]))
            for file, text in (("aSTIF1.mtx", "K"), ("aMASS1.mtx", "M")):
                write(file, hurt(sound[text]))
            return _read(lambda: read_abaqus(folder / "a.inp"))
        if pick < 0.75:
            write("a.inp", sound["inp"])
            write("z.mtx", hurt(sound["sub"]))
            return _read(lambda: read_abaqus(folder / "a.inp", folder / "z.mtx"))
        if pick < 0.8:
            write("nodes.txt", hurt(sound["table"]))
            for file, A in (("K.mmf", mesh().K), ("M.mmf", mesh().M)):
                entries = A.tocoo()
                rows = "".join(
                    f"{i + 1} {j + 1} {float(v)!r}\n" for i, j, v in zip(entries.row, entries.col, entries.data)
                )
                write(file, hurt(f"%%MatrixMarket matrix coordinate real general\n18 18 {entries.nnz}\n{rows}"))
            return _read(lambda: read_ansys(folder / "nodes.txt", folder / "K.mmf", folder / "M.mmf"))
        if pick < 0.9:
            (folder / "a.h5").write_bytes(wounded(body()[1], rng))
            return "read" if _sentence(lambda: ReducedBody.read(folder / "a.h5")) is not None else "refused"
        found = attempt_to(
            "a refusal of a FLEX_BODY", lambda: parse_adm(hurt(DATASET), "seed.adm", flexible={2: body()[0]})
        )
        return "refused" if found is None else "read"


def _sentence(read: Any) -> Any:
    """HDF5 and SciPy have words of their own for what is wrong; ours name the file before them."""
    try:
        return read()
    except ModelError as error:
        if not str(error).strip():
            raise
        return None


def _read(read: Any) -> str:
    elements = _sentence(read)
    if elements is None:
        return "refused"
    return "refused" if _sentence(lambda: elements.reduced(list(elements.nodes)[:1], 2)) is None else "read"

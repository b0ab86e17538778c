"""Damaged meshes, geometry files, request files, results files of Adams and results: read, or refused with a
sentence."""

from __future__ import annotations

import random
import struct
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from holonom.formats import parse_adm
from holonom.formats.geometry_file import apply_geometry_file
from holonom.model import Model, ModelError
from holonom.model.mesh import check_mesh, read_mesh
from holonom.results import Run, RunData, export_res, load, read_res
from holonom.results.files.export import read_req
from holonom.results.files.state import read_state

from ._texts import MANY, ODD, damage
from ._through import attempt_to

LIMIT = 10.0
SLICE = 40
CORNERS = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
GEOMETRY = """GRAPHICS_1 = "a.stl"
GRAPHICS_2 = { mesh = "a.stl", scale = 0.5, repair = true }
GRAPHICS_3 = { type = "CYLINDER", radius = 2.0, length = 10.0, at = [0, 0, -5], euler = [90, 0, 0] }
"GRAPHICS_*" = { type = "SPHERE", radius = 3.0 }
s1 = { type = "MESH", vertices = [[0,0,0],[9,0,0],[0,9,0],[0,0,9]], triangles = [[0,2,1],[0,1,3],[0,3,2],[1,2,3]], convex = true }
7 = { type = "EXTRUSION", profile = [[0,0],[5,0],[5,5]], length = 2, bulge = [0, 0.1, 0] }
8 = { type = "HEIGHT_FIELD", heights = [[0,1],[1,2]], dx = 1, dy = 1 }
5 = { type = "REVOLUTION", profile = [[1,0],[5,0],[5,5]], order = 2 }
"""  # noqa: E501
REQUESTS = "A.R1 x\ntitle\n2\n1 1 2 3 0 first\n2 1 2 3 0 second\n" + "".join(
    f" {t} " + "1.0 " * 12 + "\n" for t in (0.0, 0.5, 1.0)
)


@lru_cache(maxsize=1)
def meshes() -> dict[str, bytes]:
    """A tetrahedron in every format."""
    p = np.array(CORNERS, np.float32)
    binary = (
        bytes(80)
        + struct.pack("<I", 4)
        + b"".join(struct.pack("<12fH", 0, 0, 0, *p[f].ravel().tolist(), 0) for f in FACES)
    )
    facet = lambda f: (
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in p[f].tolist())
        + "endloop\nendfacet\n"
    )
    rows = "".join(f"{x} {y} {z}\n" for x, y, z in CORNERS)
    faces = "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES)
    obj = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(
        f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES
    )
    ply = (
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement "
        "face 4\n"
        f"property list uchar int vertex_indices\nend_header\n{rows}{faces}"
    )
    return {
        "a.stl": binary,
        "b.stl": ("solid a\n" + "".join(map(facet, FACES)) + "endsolid a\n").encode(),
        "a.obj": obj.encode(),
        "a.off": f"OFF\n4 4 6\n{rows}{faces}".encode(),
        "a.ply": ply.encode(),
    }


@lru_cache(maxsize=1)
def machine() -> Model:
    return parse_adm(MANY, "seed.adm")


@lru_cache(maxsize=1)
def results() -> bytes:
    """A run of one body at rest, as a file holds it."""
    m = Model("still")
    part = m.part("A", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    n = 5
    still = lambda: np.zeros((n, 1, 3))
    data = RunData(
        time=np.linspace(0, 1, n),
        bodies=[part],
        body_position=still(),
        body_quaternion=np.tile([1.0, 0, 0, 0], (n, 1, 1)),
        body_velocity=still(),
        body_acceleration=still(),
        body_angular_velocity=still(),
        body_angular_acceleration=still(),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.h5"
        Run(m, data, {}).save(path)
        return path.read_bytes()


@lru_cache(maxsize=1)
def results_file() -> bytes:
    """A results file of Adams, as `export_res` writes it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.res"
        (Path(name) / "run.h5").write_bytes(results())
        export_res(load(Path(name) / "run.h5"), path)
        return path.read_bytes()


def wounded(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, lost, doubled or cut off."""
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(raw) + 1)
        pick = rng.randrange(5)
        if pick == 0:
            raw = raw[:at]
        elif pick == 1:
            raw[at : at + rng.randint(1, 20)] = b""
        elif pick == 2:
            raw[at:at] = rng.choice(ODD).encode("utf-8", "replace")
        elif pick == 3:
            raw[at : at + 4] = struct.pack("<f", rng.choice((np.inf, np.nan, 1e38, -1e38, 1e-38)))
        elif raw:
            raw[min(at, len(raw) - 1)] = rng.randrange(256)
    return bytes(raw)


def attempt(seed: int) -> str:
    rng = random.Random(seed)
    pick = rng.random()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if pick < 0.5:
            return mesh(folder, rng)
        if pick < 0.75:
            return geometry(folder, rng)
        if pick < 0.80:
            path = folder / "a.res"
            path.write_bytes(wounded(results_file(), rng))
            return "refused" if refused(lambda: read_res(path)) else "read"
        if pick < 0.87:
            path = folder / "a.req"
            path.write_text(damage(REQUESTS, rng), encoding="utf-8", errors="replace")
            return "refused" if refused(lambda: read_req(path)) else "read"
        path = folder / "run.h5"
        path.write_bytes(wounded(results(), rng))
        return "refused" if refused(lambda: read_state(path) if rng.random() < 0.2 else load(path)) else "read"


def refused(read) -> bool:
    """HDF5 and numbers in columns have words of their own for what is wrong; ours name the file before them."""
    try:
        read()
    except ModelError as error:
        return bool(str(error).strip())
    return False


def mesh(folder: Path, rng: random.Random) -> str:
    kind, data = rng.choice(list(meshes().items()))
    path = folder / kind
    path.write_bytes(
        wounded(data, rng) if rng.random() < 0.5 else damage(data.decode("latin-1"), rng).encode("latin-1", "replace")
    )
    found = None
    try:  # the reader of another library says in its own words what it does not like
        found = read_mesh(path)
    except ModelError as error:
        if not str(error).startswith(kind):
            raise
    if found is None:
        return "refused"
    return (
        "refused"
        if attempt_to("a refusal of a mesh", lambda: check_mesh(*found, repair=rng.random() < 0.5)) is None
        else "read"
    )


def geometry(folder: Path, rng: random.Random) -> str:
    (folder / "a.stl").write_bytes(meshes()["a.stl"])
    path = folder / "geometry.toml"
    lines = GEOMETRY.splitlines()
    text = "\n".join(rng.sample(lines, rng.randint(1, 3)))
    path.write_text(damage(text, rng) if rng.random() < 0.9 else text, encoding="utf-8", errors="replace")
    model = machine().copy()
    try:
        return (
            "read"
            if attempt_to("a refusal of a geometry file", lambda: apply_geometry_file(model, path))
            else "refused"
        )
    except ModelError:
        return "refused"

"""Run by itself, in a process of its own: gmsh is under the GPL and is not imported by Holonom.

``python gmsh_script.py task.npz out.npz``: the task holds ``path`` of a STEP, IGES or BREP file, or ``points`` (a, 3)
and ``triangles`` (t, 3) of a closed surface, and ``size``, ``order``, ``angle``, ``scale``, ``most``.  What fails
is one line on the standard error; the exit status is then 2.
"""

import math
import sys

import numpy as np


def main(task: str, out: str) -> None:
    """Mesh the task and write points, tetrahedra, and the nodes of each surface and volume."""
    import gmsh

    with np.load(task, allow_pickle=False) as given:
        given = {k: given[k] for k in given.files}
    gmsh.initialize(argv=["gmsh", "-nopopup"], readConfigFiles=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("General.NumThreads", 1)
    if "path" in given:
        _of_drawing(gmsh, str(given["path"]))
    else:
        _of_triangles(gmsh, given["points"], given["triangles"], float(given["angle"]))
    low, high = np.array(gmsh.model.getBoundingBox(-1, -1)).reshape(2, 3)
    size = float(given["size"]) / float(given["scale"]) if given["size"] > 0.0 else np.linalg.norm(high - low) / 20.0
    volumes = gmsh.model.getEntities(3)
    if not volumes:
        raise RuntimeError("it bounds no volume")
    if "path" in given:  # a regular tetrahedron of side h has h^3 / (6 sqrt 2)
        count = sum(gmsh.model.occ.getMass(*v) for v in volumes) / size**3 * 8.5
        if count > given["most"]:
            raise RuntimeError(
                f"tetrahedra of size {size:g} would be about {count:.2g}, more than {int(given['most'])}; give a "
                "larger size"
            )
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.2 * size)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 12 if "path" in given else 0)
    gmsh.model.mesh.generate(3)
    order = int(given["order"])
    if order == 2:
        # edges follow the surfaces of a drawing; facets are flat as they are, and so are cells that would fold
        gmsh.option.setNumber("Mesh.SecondOrderLinear", 0 if "path" in given else 1)
        gmsh.option.setNumber("Mesh.HighOrderOptimize", 1 if "path" in given else 0)
        gmsh.model.mesh.setOrder(2)
        if (
            "path" in given
            and min(gmsh.model.mesh.getElementQualities(gmsh.model.mesh.getElementsByType(11)[0], "minDetJac")) <= 0.0
        ):
            gmsh.model.mesh.setOrder(1)
            gmsh.option.setNumber("Mesh.SecondOrderLinear", 1)
            gmsh.model.mesh.setOrder(2)
    tags, points, _ = gmsh.model.mesh.getNodes()
    number = np.full(int(tags.max()) + 1, -1)
    number[tags.astype(int)] = np.arange(len(tags))
    result = {"points": points.reshape(-1, 3) * float(given["scale"])}
    tables, first = [], 0
    for _, tag in volumes:
        _, nodes = gmsh.model.mesh.getElementsByType(4 if order == 1 else 11, tag)
        table = number[nodes.astype(int)].reshape(-1, 4 if order == 1 else 10)
        if order == 2:
            table = table[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]]
        tables.append(table)
        result[f"region volume {tag}"] = np.arange(first, first + len(table))
        first += len(table)
    result["tetra" if order == 1 else "tetra10"] = np.vstack(tables)
    for _, tag in gmsh.model.getEntities(2) if "path" in given else ():
        result[f"group surface {tag}"] = number[gmsh.model.mesh.getNodes(2, tag, includeBoundary=True)[0].astype(int)]
    np.savez(out, **result)
    gmsh.finalize()


def _of_drawing(gmsh, path: str) -> None:
    gmsh.model.occ.importShapes(path)
    gmsh.model.occ.synchronize()
    volumes = gmsh.model.getEntities(3)
    if len(volumes) > 1:  # common faces are one
        gmsh.model.occ.fragment(volumes[:1], volumes[1:])
        gmsh.model.occ.synchronize()


def _of_triangles(gmsh, points, triangles, angle: float) -> None:
    tag = gmsh.model.addDiscreteEntity(2)
    gmsh.model.mesh.addNodes(2, tag, np.arange(1, len(points) + 1), points.ravel())
    gmsh.model.mesh.addElementsByType(tag, 2, [], triangles.ravel() + 1)
    gmsh.model.mesh.classifySurfaces(angle, True, True, math.pi)
    gmsh.model.mesh.createGeometry()
    loop = gmsh.model.geo.addSurfaceLoop([t for _, t in gmsh.model.getEntities(2)])
    gmsh.model.geo.addVolume([loop])
    gmsh.model.geo.synchronize()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Exception as error:
        sys.stderr.write(" ".join(str(error).split()) or type(error).__name__)
        sys.exit(2)

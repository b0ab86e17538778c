"""Figure of docs/flexible.md: meshes of solids and shells, a mode with its stress, and spiders.

python docs/make_flexible_meshes.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

import holonom as hn

STEEL = hn.flexible.Material(2.1e11, 0.3, 7850.0)
DRAWING = """
import gmsh, math
gmsh.initialize(readConfigFiles=False)
gmsh.option.setNumber("General.Terminal", 0)
occ = gmsh.model.occ
foot, wall = occ.addBox(0, 0, 0, 80, 50, 8), occ.addBox(0, 0, 0, 8, 50, 60)
body, _ = occ.fuse([(3, foot)], [(3, wall)])
holes = [(3, occ.addCylinder(x, y, -1, 0, 0, 10, 5)) for x, y in ((60, 12), (60, 38))] + [(3, occ.addCylinder(-1, 25, 40, 10, 0, 0, 12))]
occ.cut(body, holes)
occ.synchronize()
gmsh.write({path!r})
"""  # noqa: E501


def von_mises(s: np.ndarray) -> np.ndarray:
    """Of stresses (a, 6)."""
    x, y, z, xy, yz, zx = s.T
    return np.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3.0 * (xy**2 + yz**2 + zx**2))


def draw(axes, body, q, largest: float, title: str, view, edges: bool = True) -> None:
    """Body with its displacement of so much at most, coloured by stress."""
    u = body.shapes[:, :3] @ q
    at = body.places + largest * u / np.linalg.norm(u, axis=1).max()
    colour = von_mises(body.stress @ q)[body.faces].mean(1)
    faces = Poly3DCollection(
        at[body.faces], facecolors=plt.cm.viridis(colour / np.quantile(colour, 0.995)), linewidths=0
    )
    axes.add_collection3d(faces)
    tied = len(body.nodes) - len(body.interfaces)
    legs = (body.lines >= tied).any(1)
    if edges:
        axes.add_collection3d(Line3DCollection(at[body.lines[~legs]], colors="k", linewidths=0.25))
    if legs.any():
        axes.add_collection3d(Line3DCollection(at[body.lines[legs]], colors="crimson", linewidths=0.4))
    low, high = at.min(0), at.max(0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]), title=title)
    axes.set_box_aspect(high - low)
    axes.view_init(*view)
    axes.set_axis_off()


def bracket(axes) -> None:
    """A drawing, filled by gmsh, and its lowest mode."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bracket.step"
        subprocess.run([sys.executable, "-c", DRAWING.format(path=str(path))], check=True, stdout=subprocess.DEVNULL)
        mesh = hn.flexible.mesh_surface(path, size=0.006, scale=1e-3)
    body = hn.flexible.reduce(hn.flexible.solid(mesh, STEEL), [], 3)
    draw(
        axes,
        body,
        np.eye(body.modes)[0],
        0.006,
        f"STEP, gmsh: {len(mesh.points)} nodes\nmode 1, {body.frequency[0] / 2 / np.pi:.0f} Hz",
        (28, 35),
    )


def bush(axes) -> None:
    """A bush, a spider in half of its bore, one on its far end."""
    mesh = hn.flexible.cylinder((0, 0, 0), (0, 0, 0.1), 0.05, 0.02, (8, 3, 24))
    bore = mesh.groups["bore"]
    low = mesh.ids[bore[mesh.points[bore, 2] < 0.051]].tolist()
    fe = hn.flexible.solid(mesh, STEEL).tied(
        hn.flexible.spider(low, at=(0, 0, -0.04)), hn.flexible.spider(mesh.group("end"))
    )
    ids = [s.id for s in fe.spiders]
    body = hn.flexible.reduce(fe, ids, 4, geometric=False)
    load = body.shapes[body.place[ids[0]]].T @ [0, 1.0, 0, 0, 0, 0] + body.shapes[body.place[ids[1]]].T @ [
        0,
        -1.0,
        0,
        -0.14,
        0,
        0,
    ]
    draw(
        axes, body, load / body.frequency**2, 0.012, "rigid spiders, a force across\nat the end of the shaft", (18, 20)
    )


def twisted(axes) -> None:
    """MacNeal and Harder's twisted beam."""
    flat = hn.flexible.plate((0, -0.55, 0), (12, 0, 0), (0, 1.1, 0), (36, 4))
    x, y, _ = flat.points.T
    turn = np.pi / 2 * x / 12
    mesh = hn.flexible.Mesh(np.column_stack([x, y * np.cos(turn), y * np.sin(turn)]), flat.cells, groups=flat.groups)
    fe = hn.flexible.shell(mesh, hn.flexible.Material(29e6, 0.22, 1.0), 0.32)
    fe = fe.tied(hn.flexible.spider(mesh.group("along-")), hn.flexible.spider(mesh.group("along+")))
    ids = [s.id for s in fe.spiders]
    body = hn.flexible.reduce(fe, ids, 4, geometric=False)
    load = body.shapes[body.place[ids[1]]].T @ [0, 0, 1.0, 0, 0, 0] + body.shapes[body.place[ids[0]]].T @ [
        0,
        0,
        -1.0,
        0,
        12.0,
        0,
    ]
    draw(
        axes,
        body,
        load / body.frequency**2,
        1.0,
        "shell, 36 x 4 quadrilaterals\ntwisted, a force at its end",
        (22, -62),
    )


def main() -> None:
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", subplot_kw={"projection": "3d"})
    for draw_one, a in zip((bracket, bush, twisted), axes):
        draw_one(a)
    path = Path(__file__).parent / "figures" / "flexible_meshes.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()

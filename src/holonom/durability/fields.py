"""Damage and life at each node of a mesh.

What is counted of the six stresses ("method"):

- "von_mises_signed": von Mises' stress with the sign of the principal stress that is largest in size.  Sign changes of
  a shear that turns make jumps.
- "max_abs_principal": the principal stress that is largest in size.
- "critical_plane": the stress normal to each of many planes, every ten degrees, and the plane with the most damage.  On
  a surface whose normal is known the planes stand on it (free surface); elsewhere their normals cover a half sphere.

Nodes are taken in blocks whose stresses fit in ``memory``, and each history is counted by one kernel as soon as it is
summed; nothing of the size (time, nodes, 6) is made of modal stresses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._summary import Summary
from .._warnings import warn_model
from ..model.base import ModelError, shown
from ..model.kinds import all_numbers, not_negative, positive
from . import kernels
from ._words import word
from .curves import SNCurve
from .mean_stress import UNCORRECTED, MeanStress
from .strain_life import StrainLife
from .stress import ModalStress, normals, surface_of

METHODS = {
    "von_mises_signed": kernels.SIGNED_MISES,
    "max_abs_principal": kernels.PRINCIPAL,
    "critical_plane": kernels.PLANE,
}
RESIDUES = {"half": kernels.HALF, "repeat": kernels.REPEAT, "none": kernels.OPEN}
SIX = ("xx", "yy", "zz", "xy", "yz", "zx")
MEMORY = 64 * 2**20  # bytes of stresses that are summed at a time
JUMP = 0.2  # share of the swing from which a jump of the sign is reported


@dataclass(frozen=True, eq=False)
class Life(Summary):
    """Damage per pass at each node.

    ``damage`` (a,); ``nodes`` (a,) ids; ``swing`` (a,): largest range of what was counted, unit of stress; ``plane``
    (a, 3): normal of the critical plane
    (zero with other methods); ``method``; ``points`` (a, 3) or None and ``faces`` (.., 3): for pictures; ``duration``
    of a pass in the unit of time, or None; ``warnings``: sentences, of nodes where the mean stress reaches the strength
    among them (damage there is infinite, life zero).
    """

    damage: np.ndarray
    nodes: np.ndarray
    swing: np.ndarray
    plane: np.ndarray
    method: str
    points: np.ndarray | None = None
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    duration: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def life(self) -> np.ndarray:
        """(a,) passes to failure, infinite where there is no damage."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.damage

    @property
    def time(self) -> np.ndarray:
        """(a,) time to failure, in the unit of time of the run.  Raises `ModelError` where the duration of a pass is
        not known."""
        if self.duration is None:
            raise ModelError("the duration of a pass is not known; give duration= to life(..)")
        return self.life * self.duration

    @property
    def worst(self) -> int:
        """Id of the node with the highest damage."""
        return int(self.nodes[int(np.argmax(self.damage))])

    def hot_spots(self, count: int = 10) -> list[dict[str, Any]]:
        """The nodes with the highest damage: node, damage, life in passes, stress range, plane."""
        order = np.argsort(-self.damage, kind="stable")[:count]
        return [
            {
                "node": int(self.nodes[k]),
                "damage": float(self.damage[k]),
                "life": float(self.life[k]),
                "swing": float(self.swing[k]),
                "plane": self.plane[k],
            }
            for k in order
        ]

    def plot(self, **options: Any):
        """Picture of the life on the mesh; see `plots.plot_life`."""
        from .plots import plot_life

        return plot_life(self, **options)

    def _repr_html_(self) -> str:
        """Hot spots as a table, and the life on the mesh: in notebooks, and for ``run.report(path, more={"Fatigue":
        life})``."""
        import base64
        import html
        import io

        rows = "".join(
            f"<tr><td>{s['node']}</td><td>{s['damage']:.4g}</td><td>{s['life']:.4g}</td><td>{s['swing']:.4g}</td></tr>"
            for s in self.hot_spots()
        )
        out = (
            f"<p>Counted: {html.escape(self.method)}; least life {self.life.min():.4g} passes, at node "
            f"{self.worst}.</p>"
        )
        out += "".join(f"<p>{html.escape(text)}</p>" for text in self.warnings)
        out += (
            "<table><tr><th>Node</th><th>Damage of a pass</th><th>Life (passes)</th><th>Largest range of "
            f"stress</th></tr>{rows}</table>"
        )
        if self.points is not None and len(self.faces):
            picture = io.BytesIO()
            self.plot().savefig(picture, format="png", dpi=90)
            out += (
                '<p><img alt="life on the mesh" '
                f'src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"></p>'
            )
        return out

    def __repr__(self) -> str:
        text = f"Life({len(self.nodes)} nodes, {self.method}: least {self.life.min():.4g} passes at node {self.worst})"
        return "\n".join([text, *(f"  warning: {w}" for w in self.warnings)])


def half_sphere(step: float = 10.0) -> np.ndarray:
    """Normals (p, 3) of planes about ``step`` degrees apart that cover a half sphere, the other half being the same
    planes."""
    out = [np.array([[0.0, 0.0, 1.0]])]
    rows = int(round(90.0 / step))
    for k in range(1, rows + 1):
        polar = np.radians(90.0 * k / rows)
        around = np.pi if k == rows else 2.0 * np.pi
        count = max(1, int(round(np.degrees(around) * np.sin(polar) / step)))
        a = around * np.arange(count) / count
        out.append(
            np.column_stack([np.sin(polar) * np.cos(a), np.sin(polar) * np.sin(a), np.full(count, np.cos(polar))])
        )
    return np.vstack(out)


def on_surface(normal: np.ndarray, step: float = 10.0) -> np.ndarray:
    """Normals (p, 3) of planes that stand on a surface, every ``step`` degrees."""
    along = np.cross(normal, np.eye(3)[int(np.abs(normal).argmin())])
    along /= np.linalg.norm(along)
    across = np.cross(normal, along)
    a = np.pi * np.arange(int(round(180.0 / step)))[:, None] / int(round(180.0 / step))
    return np.cos(a) * along + np.sin(a) * across


def life(
    stress: Any,
    material: SNCurve | StrainLife,
    *,
    method: str = "max_abs_principal",
    mean: MeanStress | None = None,
    factor: float = 1.0,
    residue: str = "half",
    hysteresis: float = 0.0,
    surface: Any = None,
    step: float = 10.0,
    nodes: Any = (),
    points: Any = None,
    faces: Any = None,
    duration: float | None = None,
    memory: int = MEMORY,
) -> Life:
    """Damage and life at each node for stress histories.

    ``stress``: array (time, a, 6) of xx, yy, zz, xy, yz, zx (a DataArray brings its nodes and times along), or a
    `ModalStress`;
    ``material``: S-N curve (with ``mean`` a correction of the mean stress) or strain-life with Neuber's rule;
    ``method``: "max_abs_principal", "von_mises_signed" or "critical_plane"; ``factor`` on the stress; ``residue``:
    "half", "repeat", "none" as in `rainflow`; ``hysteresis``: smallest range that counts, unit of stress after the
    factor; ``surface`` (a, 3): normals for the planes of "critical_plane" (rows of zeros: not on a surface; default:
    from the faces, where there are some); ``step``: degrees between planes; ``nodes`` (a,), ``points`` (a, 3),
    ``faces`` (.., 3): ids, positions and triangles
    (by position) of an array; ``duration`` of a pass; ``memory``: bytes of stresses at a time.

    Raises `ModelError` for arrays of another shape or with numbers that are not finite, and for unknown keywords.
    """
    code = METHODS[word("method", method, METHODS)]
    rest = RESIDUES[word("residue", residue, RESIDUES)]
    positive(step=step, memory=memory)
    if step > 90.0:
        raise ModelError(f"step is {step:g} degrees; give 90 or less, 10 is usual")
    all_numbers(factor=factor)
    not_negative(hysteresis=hysteresis)
    if duration is not None:
        positive(duration=duration)
    strained = isinstance(material, StrainLife)
    if strained:
        if mean is not None:
            raise ModelError(
                "strain-life has a correction of its own; give StrainLife(correction=...) and leave mean out"
            )
        curve, law, table = (np.ones(1), np.ones(1), np.ones(2)), material.coefficients(), UNCORRECTED
    elif isinstance(material, SNCurve):
        curve, law, table = material.coefficients(), np.zeros(9), material.mean_table(mean)
    else:
        raise ModelError(f"material is {shown(material)}; give an SNCurve or a StrainLife")
    whole: Any = stress
    if not isinstance(stress, ModalStress):
        whole = _Array(stress, nodes, points, faces)
    elif len(nodes) or points is not None or faces is not None:
        raise ModelError("a ModalStress has nodes, points and faces of its own; give them there")
    n, a, _ = whole.shape
    if n < 2:
        raise ModelError(f"the stress has {n} times; cycles need two at least")
    planes, begin, end = _planes(code, whole, surface, step, a)
    damage, plane, swing, jump = np.empty(a), np.empty(a, np.int64), np.empty(a), np.empty(a)
    x, y, at, stack = np.empty(n), np.empty(n + 1), np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)
    first, last = np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)
    loops = (stack, first, last, np.empty(n + 2), np.empty((4, n + 2)))
    local = (np.empty(n + 2), np.empty(n + 2))
    size = max(1, int(memory // (48 * n)))
    for k in range(0, a, size):
        b = slice(k, min(k + size, a))
        sigma = whole.block(b.start, b.stop)
        if factor != 1.0:
            sigma *= factor
        kernels.node_damages(
            sigma,
            code,
            (planes, begin[b], end[b]),
            (rest, float(hysteresis), strained),
            law,
            (*curve, table),
            (x, y, at),
            loops,
            local,
            (damage[b], plane[b], swing[b], jump[b]),
        )
        del sigma  # before the next one is made
    warnings = []
    over = np.flatnonzero(np.isinf(damage))
    if len(over):
        why = "the stress is beyond all numbers"
        if strained:
            why = f"the mean stress reaches sf' = {material.sigma_f:g}"
        elif mean is not None:
            why = f"the mean stress reaches the limit {mean.value:g} of {mean.name}"
        warnings.append(
            f"at {len(over)} of {a} nodes, the first of them {whole.nodes[over[0]]}, {why}: there is no life left, "
            "damage is infinite there"
        )
    matters = damage > 1e-6 * np.max(
        damage, initial=0.0, where=np.isfinite(damage)
    )  # where stress is next to nothing its roundoff jumps
    loose = np.flatnonzero((jump > JUMP * swing) & matters)
    if len(loose):
        warnings.append(
            f"at {len(loose)} of {a} nodes, the first of them {whole.nodes[loose[0]]}, the sign of what is counted "
            "jumps while the stress does not (a shear "
            "that turns): damage there is too large; the method critical_plane has no such jumps"
        )
    if duration is None and whole.time is not None and whole.time[-1] > whole.time[0]:
        duration = float(whole.time[-1] - whole.time[0])
    for text in warnings:
        warn_model(text)
    normal = planes[np.maximum(plane, 0)] if code == kernels.PLANE else np.zeros((a, 3))
    return Life(
        damage, np.asarray(whole.nodes), swing, normal, method, whole.points, whole.faces, duration, tuple(warnings)
    )


class _Array:
    """A history (time, a, 6) as `life` reads it."""

    def __init__(self, stress: Any, nodes: Any, points: Any, faces: Any) -> None:
        try:
            self.values = np.asarray(getattr(stress, "values", stress), float)
        except (TypeError, ValueError):
            raise ModelError(
                f"the stress is {shown(stress)}; give an array (time, nodes, 6) or a ModalStress"
            ) from None
        if self.values.ndim != 3 or self.values.shape[2] != 6 or not self.values.shape[1]:
            raise ModelError(
                f"the stress has the shape {self.values.shape}; give (time, nodes, 6): xx, yy, zz, xy, yz, zx"
            )
        self.shape = self.values.shape
        self.time: np.ndarray | None = None
        coordinates = getattr(stress, "coords", {})  # of an xarray.DataArray
        if "component" in coordinates and list(map(str, coordinates["component"].values)) != list(SIX):
            raise ModelError(
                f"components of the stress are {shown(list(map(str, coordinates['component'].values)))}; give them as "
                f"{', '.join(SIX)}"
            )
        if not len(nodes) and "node" in coordinates and np.shape(coordinates["node"].values) == (self.shape[1],):
            nodes = coordinates["node"].values
        if "time" in coordinates and np.shape(coordinates["time"].values) == (self.shape[0],):
            self.time = np.asarray(coordinates["time"].values, float)
        self.nodes = np.arange(1, self.shape[1] + 1) if not len(nodes) else np.asarray(nodes, np.int64)
        if len(self.nodes) != self.shape[1]:
            raise ModelError(f"{len(self.nodes)} ids of nodes do not fit {self.shape[1]} nodes with stresses")

        self.points, self.faces = surface_of(points, faces, self.shape[1])

    def block(self, begin: int, end: int) -> np.ndarray:
        out = np.array(self.values[:, begin:end].transpose(1, 2, 0), order="C")
        if not np.all(np.isfinite(out)):
            bad = int(np.flatnonzero(~np.isfinite(out).all(axis=(1, 2)))[0])
            raise ModelError(
                f"the stress at node {self.nodes[begin + bad]} has numbers that are not finite; the run did not end "
                "well, or leave the node out"
            )
        return out


def _planes(code: int, whole: Any, surface: Any, step: float, a: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normals of all planes, and where those of each node begin and end."""
    if code != kernels.PLANE:
        if surface is not None:
            raise ModelError("normals of the surface are for the method critical_plane; leave them out, or choose it")
        return np.zeros((1, 3)), np.zeros(a, np.int64), np.ones(a, np.int64)
    sphere = half_sphere(step)
    if surface is None and whole.points is not None and len(whole.faces):
        surface = normals(whole.points, whole.faces)
    if surface is None:
        return sphere, np.zeros(a, np.int64), np.full(a, len(sphere))
    surface = np.asarray(surface, float)
    if surface.shape != (a, 3) or not np.all(np.isfinite(surface)):
        raise ModelError(
            f"normals of the surface have the shape {surface.shape}; give ({a}, 3), zeros for nodes that are not on it"
        )
    size = np.linalg.norm(surface, axis=1)
    sets, begin, end, at = [sphere], np.zeros(a, np.int64), np.full(a, len(sphere)), len(sphere)
    for k in np.flatnonzero(size > 0.0):
        sets.append(on_surface(surface[k] / size[k], step))
        begin[k], end[k] = at, at + len(sets[-1])
        at = int(end[k])
    return np.vstack(sets), begin, end

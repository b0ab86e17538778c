"""Results of a rod: its axis, section forces and moments, and stresses at points of its section.

Of each beam the run holds the wrench (F, T) on its I marker.  With the arm d from J to I, the section checking I has
the force -F, and the moments -T at I and
-(T + d x F) at J; along the beam they run on a straight line.  They are given in axes of the middle of the beam, half
the turn from J to I: x along it, y and z of the section.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...model import ModelError
from .._names import Named

if TYPE_CHECKING:
    import xarray as xr

    from ...model.rod import RodElement
    from ..run import Run

#: of each word its dimension and how it follows from forces (.., 3) and moments (.., 3) of the sections
SECTION = {
    "axial force": ("force", lambda f, m: f[..., 0]),
    "shear force": ("force", lambda f, m: np.linalg.norm(f[..., 1:], axis=-1)),
    "torsion": ("torque", lambda f, m: m[..., 0]),
    "bending moment": ("torque", lambda f, m: np.linalg.norm(m[..., 1:], axis=-1)),
    "Vy": ("force", lambda f, m: f[..., 1]),
    "Vz": ("force", lambda f, m: f[..., 2]),
    "My": ("torque", lambda f, m: m[..., 1]),
    "Mz": ("torque", lambda f, m: m[..., 2]),
}
STRESSES = ("von Mises", "normal")


class RodView(Named):
    """A rod over time: ``element`` its `model.rod.RodElement`. ``s``: unloaded length from its beginning; axial forces
    are positive in tension."""

    def __init__(self, run: Run, element: RodElement) -> None:
        self.run, self.element, self.name = run, element, element.name
        table = run.model.table("EXACT_BEAM")
        self._beams = [table[b] for b in element.beams]
        cut = next((b for b in self._beams if not b.active or (b.KIND, b.id, b.name) not in run.data.forces), None)
        if cut is not None:
            raise element.error(
                f"its {cut.label} is not active or not in this run, so it is not a rod any more; request its parts and "
                "beams one by one"
            )
        #: (n + 1,) unloaded length up to the ends of the beams
        self.ends = np.concatenate([[0.0], np.cumsum([b.length for b in self._beams])])

    def __repr__(self) -> str:
        return f"<ROD/{self.element.id} '{self.name}': {len(self._beams)} beams, {len(self.run)} times>"

    @cached_property
    def places(self) -> np.ndarray:
        """(nt, nodes, 3) places of its nodes, length."""
        return np.stack([self.run.part(f"PART/{p}").position.values for p in self.element.parts], axis=1)

    def axis(self) -> xr.DataArray:
        """Positions of its nodes, dims (time, s, axis), length; for a closed rod the first is repeated at the end."""
        at = np.concatenate([self.places, self.places[:, :1]], axis=1) if self.element.closed else self.places
        return self.run._array(at, ("s", "axis"), {"s": self.ends, "axis": list("xyz")}, "length", f"{self.name}.axis")

    @cached_property
    def _sections(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Forces (nt, n, 3) and moments (nt, n, 2, 3) at the ends J and I of each beam, in axes of its middle; these
        (nt, n, 3, 3) in ground."""
        run = self.run
        wrench = [run.force(b)._wrench for b in self._beams]
        ends = [[run.marker(b.j)._motion[:2], run.marker(b.i)._motion[:2]] for b in self._beams]
        F, T = (np.stack([w[k] for w in wrench], axis=1) for k in (0, 1))
        pj, aj, pi, ai = (np.stack([e[side][k] for e in ends], axis=1) for side in (0, 1) for k in (0, 1))
        turn = np.einsum("tnji,tnjk->tnik", aj, ai)
        known = np.isfinite(turn).all(axis=(2, 3))
        half = np.full(known.shape + (3, 3), np.nan)
        half[known] = Rotation.from_rotvec(0.5 * Rotation.from_matrix(turn[known]).as_rotvec()).as_matrix()
        axes = np.einsum("tnij,tnjk->tnik", aj, half)
        moments = np.stack([-(T + np.cross(pi - pj, F)), -T], axis=2)
        return np.einsum("tnji,tnj->tni", axes, -F), np.einsum("tnji,tnkj->tnki", axes, moments), axes

    def section(self, what: str, ends: bool = False) -> xr.DataArray:
        """A force or moment of the sections along the axis, dims (time, s): "axial force", "shear force", "torsion",
        "bending moment" (resultant of both transverse components), or "Vy", "Vz", "My", "Mz" along and about the axes
        of the section; in the middle of each beam, or (``ends``) at both its ends, where s of inner nodes occurs twice.
        Raises `ModelError` for another keyword.

            tension = run.rod("rope").section("axial force")
        """
        if what not in SECTION:
            raise ModelError(f"a rod has no {what!r} along it; choose one of {', '.join(SECTION)}")
        dimension, of = SECTION[what]
        f, m, _ = self._sections
        if ends:
            s = np.column_stack([self.ends[:-1], self.ends[1:]]).ravel()
            values = of(np.repeat(f, 2, axis=1), m.reshape(len(m), -1, 3))
        else:
            s, values = 0.5 * (self.ends[1:] + self.ends[:-1]), of(f, m.mean(axis=2))
        return self.run._array(values, ("s",), {"s": s}, dimension, f"{self.name}.{what}")

    @cached_property
    def _law(self) -> np.ndarray:
        """(k, 3, 6) of its section.  Raises `ModelError` where there is none."""
        e = self.element
        if not e.law:
            raise e.error(
                "its section has no points at which stresses are known; give Section(..., fibres=...), or "
                "Section.round or Section.rectangle"
            )
        return np.reshape(e.law, (-1, 3, 6))

    def _at_fibres(self, rows: Any = slice(None)) -> np.ndarray:
        """(rows, nodes, k, 3) stresses xx, xy, xz at the fibres of each node (of a closed rod the first comes once), on
        the side where they are larger."""
        f, m, _ = self._sections
        six = np.concatenate([np.broadcast_to(f[rows, :, None], m[rows].shape), m[rows]], axis=-1)
        both = np.einsum("kcj,tnsj->tnskc", self._law, six)
        n = len(self._beams)
        first, second = both[:, :, 0], both[:, :, 1]  # at the beginning and at the end of each beam
        if self.element.closed:
            before, after = np.roll(second, 1, axis=1), first
        else:
            before, after = (
                np.concatenate([first[:, :1], second], axis=1),
                np.concatenate([first, second[:, n - 1 :]], axis=1),
            )
        larger = (_size(before).max(axis=2) > _size(after).max(axis=2))[..., None, None]
        return np.where(larger, before, after)

    def stress(self, what: str = "von Mises") -> xr.DataArray:
        """Largest stress of the points of its section at each node, dims (time, s), force / length^2: "von Mises", from
        tension, bending, shear and torsion, or "normal", N/A + My z/Iy - Mz y/Iz of largest magnitude, with its sign.
        Nodes of a closed rod occur once.

        Stresses are those of a solid section: for a rope with a fraction of a solid rod's bending stiffness, this
        fraction of the bending stress. Raises `ModelError` for another keyword, and for a section without points where
        stresses are known.
        """
        if what not in STRESSES:
            raise ModelError(f"a rod has no stress {what!r}; choose {' or '.join(STRESSES)}")
        at = self._at_fibres()
        if what == "von Mises":
            values = _size(at).max(axis=2)
        else:
            normal = at[..., 0]
            values = np.take_along_axis(normal, np.abs(np.nan_to_num(normal)).argmax(axis=2)[..., None], axis=2)[..., 0]
        units = self.run.model.units
        unit = f"{units.symbol('force')}/{units.symbol('length')}^2"
        s = self.ends[:-1] if self.element.closed else self.ends
        return self.run._array(values, ("s",), {"s": s}, None, f"{self.name}.stress", {"units": unit})


def _size(stress: np.ndarray) -> np.ndarray:
    """Von Mises stress of (.., 3): xx, xy, xz."""
    return np.sqrt(stress[..., 0] ** 2 + 3.0 * (stress[..., 1] ** 2 + stress[..., 2] ** 2))


def recorded(run: Any) -> list[RodView]:
    """Views of the rods whose nodes and forces the run holds."""
    out = []
    held = {(kind, ident) for kind, ident, _ in run.data.bodies}
    for e in run.model.table("ROD").values():
        if e.active and all(("PART", p) in held for p in e.parts):
            try:
                out.append(RodView(run, e))
            except ModelError:  # a beam is not active: its pieces are drawn as all parts are
                continue
    return out


def rod(run: Run, reference: Any = None) -> RodView:
    """Axis, forces and moments in sections, and stresses of a rod (`flexible.rod`); the name may be omitted if the
    model has only one.

    Raises `ModelError` for an unknown name, and where the run has no forces of its beams."""
    table = run.model.table("ROD")
    if reference is None:
        if len(table) != 1:
            raise ModelError(f"the model has {len(table)} rods; name one of them")
        reference = next(iter(table.values()))
    return RodView(run, run.model.find("ROD", getattr(reference, "element", reference)))

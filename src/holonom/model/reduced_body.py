"""A body of finite elements after its reduction to modes: what a model, its JSON and result files keep of it, and the
file for it alone.

The file is HDF5 with one dataset a field of `ReducedBody`, of the shapes that are there, the attribute ``format`` =
"holonom-reduced-body-1", and ``units`` where they are known. Nothing in it is executed, and sizes are checked before
anything is read.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .base import ModelError, shown
from .settings import FORCE, LENGTH, SYMBOL, TIME

FORMAT = "holonom-reduced-body-1"
MOST_BYTES = 4 * 2**30  # of a file that is read
INLINE = 300_000  # numbers up to which a body is in the JSON of its model
NEAR = 1e-3  # of the size of a body: nodes that are as near
ALIKE = 1e-6  # asymmetry of tables, compared with their largest number, that counts as roundoff of who wrote them

#: field -> its axes, by letters: n modes, m = n + 1, a nodes, i interfaces, b nodes with bends, l lines, f faces, s
#: nodes with stresses (a, or none), c load cases of w = n + 6 numbers, p stations of beams, k fibres of each, r loads
#: of residuals (6 and 6 an interface), v = r + 12 + n, t and u as s and p, or none; d nodes with dents
AXES = {
    "mass": "", "centre": "3", "inertia": "33", "frequency": "n", "S": "mm33", "H": "mm3", "nodes": "a", "places": "a3",
    "shapes": "a6n",
    "interfaces": "i", "bent": "b", "bends": "b3nn", "lines": "l2", "faces": "f3", "stress": "s6n", "loads": "cw",
    "section": "p6n", "station": "p", "triad": "p33", "fibre": "pk2", "law": "pk36",
    "stress_residual": "t6r", "section_residual": "u6v", "dented": "d", "dent_normal": "d3", "dents": "dd",
    "inert": "dd",
}  # fmt: skip
WHOLE = ("nodes", "interfaces", "bent", "lines", "faces", "station", "dented")


#: methods that files of higher rooms do, entered by the root: name -> function of a body
TOOLS: dict[str, Any] = {}


#: words for units of files: of ours, of symbols and of names
UNITS = {
    "length": LENGTH | {SYMBOL[n]: v for n, v in LENGTH.items() if n in SYMBOL},
    "force": FORCE | {SYMBOL[n]: v for n, v in FORCE.items() if n in SYMBOL},
    "time": TIME | {SYMBOL[n]: v for n, v in TIME.items() if n in SYMBOL},
}


def _none(*shape: int, kind: type = float) -> Any:
    return field(default_factory=lambda: np.zeros(shape, kind))


@dataclass(frozen=True, eq=False)
class ReducedBody:
    """Modes of a free body, u = sum_j q_j phi_j in a frame that floats with it (`elements.bodies.modes`), in axes of
    its own.

    n modes, a nodes.  Consistent units: mass in force time^2 / length, and modes mass-orthonormal in it.

    ``mass``; ``centre`` (3,) of mass; ``inertia`` (3, 3) about it; ``frequency`` (n,) rad per time, of the free modes;
    ``S`` (n + 1, n + 1, 3, 3), ``H`` (n + 1, n + 1, 3): the tables over pairs of shapes, of which the first is the
    position from the centre of mass; ``nodes`` (a,) their ids; ``places`` (a, 3) length; ``shapes`` (a, 6, n):
    displacement along x, y, z and rotation about these, of each mode;
    ``interfaces``: ids of nodes whose static shapes are among the modes; ``bent`` (b,) ids and ``bends`` (b, 3, n, n):
    second derivatives of the displacements of these nodes; ``lines`` (.., 2) and ``faces`` (.., 3): by position in
    ``nodes``, between which it is drawn; ``stress`` (a, 6, n) or (0, 6, n): xx, yy, zz, xy, yz, zx at each node for q =
    1, force / length^2.

    ``loads`` (c, 6 + n): load cases: force (3) and moment about the centre of mass (3), and forces on the coordinates
    of the modes.

    Of beams, at p stations (a node has one, or one for each direction that meets there): ``section`` (p, 6, n) the
    forces N, Vy, Vz and moments T, My, Mz of the section for q = 1, on the side that x points to, in the axes of the
    section, which are the columns of ``triad`` (p, 3, 3); ``station`` (p,): the node, by position; ``fibre`` (p, k, 2):
    y and z of k points of the section; ``law`` (p, k, 3, 6): their stresses xx, xy, xz by those six.

    ``stress_residual`` (a, 6, r) and ``section_residual`` (p, 6, r + 12 + n), or none: the same for unit loads, what no
    mode carries of them
    (`holonom.flexible`'s ``residual``); r = 6 + 6 i: of W_x^2, W_y^2, W_z^2, W_x W_y, W_y W_z, W_z W_x, then forces and
    moments on each interface. Sections have loads of the mass between nodes behind them: unit accelerations g - r''
    (3), W' (3), again the six products of W, and q'' (n).

    ``dented`` (d,): ids of nodes of the surface that give way under forces inwards along ``dent_normal`` (d, 3) more
    than the modes give, by ``dents`` (d, d), length / force, and what the inertia of these dents takes from that,
    ``inert`` (d, d) times the second rate of the forces (`holonom.flexible`'s ``dents``).

    ``units``: of length, force and time, as "mm, N, s", where they are known: `Model.make_flexible` then converts it to
    those of the model.
    ``file``: where it is kept, if anywhere.  Bodies are equal where all their numbers and units are.
    """

    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    frequency: np.ndarray
    S: np.ndarray
    H: np.ndarray
    nodes: np.ndarray
    places: np.ndarray
    shapes: np.ndarray
    interfaces: np.ndarray = _none(0, kind=np.int64)
    bent: np.ndarray = _none(0, kind=np.int64)
    bends: np.ndarray = _none(0)
    lines: np.ndarray = _none(0, 2, kind=np.int64)
    faces: np.ndarray = _none(0, 3, kind=np.int64)
    stress: np.ndarray = _none(0)
    loads: np.ndarray = _none(0)
    section: np.ndarray = _none(0)
    station: np.ndarray = _none(0, kind=np.int64)
    triad: np.ndarray = _none(0)
    fibre: np.ndarray = _none(0)
    law: np.ndarray = _none(0)
    stress_residual: np.ndarray = _none(0)
    section_residual: np.ndarray = _none(0)
    dented: np.ndarray = _none(0, kind=np.int64)
    dent_normal: np.ndarray = _none(0, 3)
    dents: np.ndarray = _none(0, 0)
    inert: np.ndarray = _none(0, 0)
    units: str = ""
    file: str = ""

    #: finite elements that it was reduced from, where this session has them: what its modes lack is required of them.
    # In
    #: no file, as is ``reduced_as``, the body in the units of these elements where it was converted
    elements = None
    reduced_as = None

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("elements", "reduced_as", "_missing")}

    def __post_init__(self) -> None:
        n = np.size(self.frequency)
        p, r = np.size(self.station), 6 + 6 * np.size(self.interfaces)
        for name, empty in (
            ("bends", (0, 3, n, n)),
            ("stress", (0, 6, n)),
            ("loads", (0, 6 + n)),
            ("section", (0, 6, n)),
            ("triad", (0, 3, 3)),
            ("fibre", (p, 0, 2)),
            ("law", (p, 0, 3, 6)),
            ("stress_residual", (0, 6, r)),
            ("section_residual", (0, 6, r + 12 + n)),
        ):
            if not np.size(getattr(self, name)):
                object.__setattr__(self, name, np.zeros(empty))
        for name in AXES:
            if name == "mass":
                continue
            kind = np.int64 if name in WHOLE else np.float64
            try:
                array = np.array(getattr(self, name), kind)
            except (TypeError, ValueError, OverflowError):
                raise ModelError(f"{name} of a reduced body is {shown(getattr(self, name))}; give numbers") from None
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "mass", float(self.mass))

    # ---- what it is --------------------------------------------------------------------------------------------------
    @property
    def modes(self) -> int:
        """Number of modes."""
        return len(self.frequency)

    @cached_property
    def place(self) -> dict[int, int]:
        """Id of a node -> its position in ``nodes``."""
        return {int(node): k for k, node in enumerate(self.nodes)}

    @cached_property
    def digest(self) -> str:
        """Of all its numbers, hexadecimal."""
        out = hashlib.blake2b(digest_size=20)
        for name in AXES:
            value = np.asarray(getattr(self, name))
            if name in LATER and not value.size:  # as it was before there were such tables
                continue
            out.update(f"{name}{value.shape}".encode())
            out.update(np.ascontiguousarray(value).tobytes())
        if self.units:
            out.update(self.units.encode())
        return out.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReducedBody) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"ReducedBody({len(self.nodes)} nodes, {self.modes} modes, {self.file or 'in memory'})"

    def __deepcopy__(self, memo: Any) -> ReducedBody:
        return self  # its arrays cannot be written

    @cached_property
    def stress_points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where stress is known: node of each point, by position (s,), number of its fibre, -1 for a node of a solid
        (s,), and the stress there for q = 1
        (s, 6, n): xx, yy, zz, xy, yz, zx in axes of the body, force / length^2.  Without points where nothing gives the
        stress."""
        if len(self.stress):
            return np.arange(len(self.nodes)), np.full(len(self.nodes), -1), self.stress
        k = self.fibre.shape[1]
        return np.repeat(self.station, k), np.tile(np.arange(k), len(self.station)), self._of_sections(self.section)

    @cached_property
    def point_residuals(self) -> np.ndarray:
        """(s, 6, m) stress at `stress_points` for unit loads, what no mode carries of it (``stress_residual``,
        ``section_residual``); m = 0 where it is not known."""
        if len(self.stress):
            return self.stress_residual if len(self.stress_residual) else np.zeros((len(self.stress), 6, 0))
        if not len(self.section_residual):
            return np.zeros((len(self.stress_points[0]), 6, 0))
        return self._of_sections(self.section_residual)

    def _of_sections(self, forces: np.ndarray) -> np.ndarray:
        """Stresses (p k, 6, m) of all fibres by forces (p, 6, m) of the sections."""
        own = np.einsum("pkcs,psn->pkcn", self.law, forces)
        x, y, z = (self.triad[:, :, c] for c in range(3))
        out = np.zeros((*self.fibre.shape[:2], 6, forces.shape[2]))
        for c, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))):
            for part, tensor in enumerate(
                (x[:, i] * x[:, j], x[:, i] * y[:, j] + y[:, i] * x[:, j], x[:, i] * z[:, j] + z[:, i] * x[:, j])
            ):
                out[:, :, c] += tensor[:, None, None] * own[:, :, part]
        return out.reshape(-1, 6, forces.shape[2])

    def faults(self) -> list[str]:
        """Invalid values, one sentence each."""
        sizes: dict[str, int] = {
            "n": self.modes,
            "m": self.modes + 1,
            "w": self.modes + 6,
            "a": len(self.nodes),
            "s": len(self.stress),
        }
        if sizes["s"]:
            sizes["s"] = sizes["a"]
        sizes |= {
            "t": sizes["s"] and len(self.stress_residual) and sizes["a"],
            "r": 6 + 6 * len(self.interfaces),
            "v": 18 + 6 * len(self.interfaces) + self.modes,
        }
        sizes["u"] = len(self.section_residual) and len(self.station)
        for name, axes in AXES.items():
            shape = np.shape(getattr(self, name))
            free = tuple(
                sizes.setdefault(c, shape[k] if k < len(shape) else 0) if c.isalpha() else int(c)
                for k, c in enumerate(axes)
            )
            if shape != free:
                return [
                    f"{name} has {' x '.join(map(str, shape)) or 'one'} numbers; {self.modes} modes and "
                    f"{len(self.nodes)} nodes require {free}"
                ]
            if not np.all(np.isfinite(getattr(self, name))):
                return [f"{name} has numbers that are not finite"]
        out = []
        try:
            self.scales()
        except ModelError as error:
            out.append(str(error))
        if not self.modes:
            out.append("it has no modes; leave it out where the part is rigid")
        if not self.mass > 0.0:
            out.append(f"its mass is {self.mass:g}; it must be positive")
        largest = float(np.abs(self.inertia).max())
        if np.abs(self.inertia - self.inertia.T).max() > ALIKE * largest:
            out.append("its inertia must be symmetric")
        elif np.linalg.eigvalsh(self.inertia)[0] < -ALIKE * largest:
            out.append(
                f"its inertia is impossible: a principal moment is {np.linalg.eigvalsh(self.inertia)[0]:g}; correct it"
            )
        if len(self.place) < len(self.nodes):
            out.append("two of its nodes have the same id")
        for name in ("lines", "faces"):
            pairs = getattr(self, name)
            if pairs.size and not (0 <= pairs.min() and pairs.max() < len(self.nodes)):
                out.append(f"{name} must be numbers from 0 to {len(self.nodes) - 1}")
        if self.station.size and not (0 <= self.station.min() and self.station.max() < len(self.nodes)):
            out.append(f"station must be numbers from 0 to {len(self.nodes) - 1}")
        for name in ("interfaces", "bent", "dented"):
            strange = [int(k) for k in getattr(self, name) if int(k) not in self.place]
            if strange:
                out.append(f"{name} name node {strange[0]}, which it does not have")
        for k, w in enumerate(self.frequency):
            if not w > 0.0:
                out.append(
                    f"the frequency of mode {k + 1} is {w:g}; it must be positive: a mode without frequency is a rigid "
                    "motion or leads to one"
                )
        for name in ("dents", "inert"):
            table = getattr(self, name)
            if np.abs(table - table.T).max(initial=0.0) > ALIKE * np.abs(table).max(initial=0.0) or not np.all(
                np.diag(table) >= 0.0
            ):
                out.append(f"{name} must be symmetric, without negative numbers on the diagonal")
        if np.abs(self.S - self.S.transpose(1, 0, 2, 3)).max() > ALIKE * np.abs(self.S).max():
            out.append("S must be the same for both orders of a pair of shapes")
        if np.abs(self.H + self.H.transpose(1, 0, 2)).max() > ALIKE * max(np.abs(self.H).max(), np.abs(self.S).max()):
            out.append("H must change its sign with the order of a pair of shapes")
        return out

    # ---- other forms of it -------------------------------------------------------------------------------------------
    def selected(self, modes: Any) -> ReducedBody:
        """The body with only these modes, numbered from 1, in this order; residuals of unit loads are not known for the
        selection.

        Raises `ModelError` for a mode that does not exist or occurs twice.
        """
        chosen = [int(k) for k in modes]
        wrong = next((k for k in chosen if not 1 <= k <= self.modes), None)
        if wrong is not None:
            raise ModelError(f"there is no mode {wrong}; it has modes 1 to {self.modes}")
        if not chosen or len(set(chosen)) < len(chosen):
            raise ModelError(
                "no mode is selected; leave one on" if not chosen else "a mode is selected twice; name each once"
            )
        at = np.array(chosen) - 1
        gone = np.setdiff1d(np.arange(self.modes), at)
        rows = [self.place[int(k)] for k in self.dented]
        push = np.einsum(
            "ij,ijn->in", self.dent_normal, self.shapes[rows, :3][:, :, gone]
        )  # what modes that are off have had of dents goes to these
        with_place = np.concatenate([[0], at + 1])
        out = replace(
            self,
            frequency=self.frequency[at],
            S=self.S[np.ix_(with_place, with_place)],
            H=self.H[np.ix_(with_place, with_place)],
            shapes=self.shapes[:, :, at],
            bends=self.bends[:, :, at][:, :, :, at],
            stress=self.stress[:, :, at],
            loads=self.loads[:, np.concatenate([np.arange(6), at + 6])],
            section=self.section[:, :, at],
            stress_residual=np.zeros(0),
            section_residual=np.zeros(0),
            file="",
            dents=self.dents + (push / self.frequency[gone] ** 2) @ push.T,
            inert=self.inert + (push / self.frequency[gone] ** 4) @ push.T,
        )
        object.__setattr__(out, "elements", self.elements)
        return out

    def lost(self, modes: Any) -> tuple[float, int, str]:
        """Largest fraction of the compliance of an interface that is lost when only these modes (numbered from 1) are
        kept: fraction, node, and along or about which axis. The compliance is that of the free body, sum phi^2 / w^2;
        zero without interfaces."""
        worst = (0.0, 0, "")
        off = np.setdiff1d(np.arange(self.modes), np.array([int(k) - 1 for k in modes], int))
        for node in self.interfaces.tolist():
            compliance = (self.shapes[self.place[node]] / self.frequency) ** 2
            total = compliance.sum(axis=1)
            # directions in which the body does not bend at all are roundoff
            size = np.repeat([total[:3].max(), total[3:].max()], 3)
            share = np.where(total > 1e-9 * size, compliance[:, off].sum(axis=1) / np.maximum(total, 1e-300), 0.0)
            k = int(share.argmax())
            if share[k] > worst[0]:
                worst = float(share[k]), int(node), f"{'along' if k < 3 else 'about'} {'xyz'[k % 3]}"
        return worst

    def scales(self) -> tuple[float, float, float]:
        """Units of length, force and time in metre, newton and second; 1 where the units are not known. Raises
        `ModelError` for unknown units."""
        return unit_scales(self.units) if self.units else (1.0, 1.0, 1.0)

    def with_units(self, units: str) -> ReducedBody:
        """The same numbers, declared to be in these units (length, force, time, such as "mm, N, s")."""
        out = replace(self, units=units)
        object.__setattr__(out, "elements", self.elements)
        return out

    def in_units(self, units: Any) -> ReducedBody:
        """The body in the units of a model (`model.settings.Units`), consistent ones: masses in force time^2 / length.

        A body without units is returned unchanged. Raises `ModelError` for unknown units, and where the mass unit of
        the model is not consistent with force, length and time (UCONSF given)."""
        if not self.units:
            return self
        if units.uconsf is not None:
            raise ModelError(
                f"it is of the units {self.units} and the model has a UCONSF of its own; convert it, or leave its "
                "units out"
            )
        length, force, time = (a / b for a, b in zip(self.scales(), (units.si_length, units.si_force, units.si_time)))
        if max(abs(v - 1.0) for v in (length, force, time)) < 1e-12:
            return self
        mass = force * time**2 / length
        root = np.sqrt(mass)  # modes are mass-orthonormal in the new units: q' = length root q
        shapes = self.shapes / root
        shapes[:, 3:] /= length
        loads = self.loads * force
        loads[:, 3:6] *= length
        loads[:, 6:] /= root
        S, H = self.S.copy(), self.H.copy()
        for table in (S, H):  # positions count as length, shapes as length / q
            table[0] *= root * length
            table[1:, 0] *= root * length
        S[0, 0] *= root * length
        H[0, 0] *= root * length
        # of residuals: loads of unit products of W, of interfaces; and of sections those of the mass between nodes
        count = len(self.interfaces)
        by_loads = np.concatenate(
            [np.full(6, time**2), np.tile(np.repeat([1.0 / force, 1.0 / (force * length)], 3), count)]
        )
        by_mass = np.concatenate(
            [np.full(3, time**2 / length), np.full(9, time**2), np.full(self.modes, time**2 / (length * root))]
        )
        of_section = np.repeat([force, force * length], 3)[:, None]
        of_law = np.repeat([1.0 / length**2, 1.0 / length**3], 3)
        out = replace(
            self,
            section=self.section * of_section / (length * root),
            fibre=self.fibre * length,
            law=self.law * of_law,
            stress_residual=self.stress_residual * force / length**2 * by_loads,
            section_residual=self.section_residual * of_section * np.concatenate([by_loads, by_mass]),
            mass=self.mass * mass,
            centre=self.centre * length,
            inertia=self.inertia * mass * length**2,
            frequency=self.frequency / time,
            S=S,
            H=H,
            places=self.places * length,
            shapes=shapes,
            bends=self.bends / (length * mass),
            stress=self.stress * force / (length**3 * root),
            loads=loads,
            dents=self.dents * length / force,
            inert=self.inert * length * time**2 / force,
            units="",
            file="",
        )
        object.__setattr__(out, "reduced_as", self)
        return out

    # ---- files -------------------------------------------------------------------------------------------------------
    def save(self, path: str | Path) -> ReducedBody:
        """Write it to an HDF5 file; returns the body with that ``file``, which models reference in their JSON. Raises
        `ModelError` where it cannot be written."""
        import h5py

        try:
            with h5py.File(path, "w") as file:
                self.write(file)
        except OSError as error:
            raise ModelError(f"'{path}' cannot be written: {error}") from None
        return replace(self, file=str(path))

    @classmethod
    def read(cls, path: str | Path) -> ReducedBody:
        """The body that `save` wrote. Raises `ModelError` for a file that cannot be read or is not such a body."""
        import h5py

        try:
            with h5py.File(path, "r") as file:
                return replace(cls.of_group(file, str(path)), file=str(path))
        except (
            OSError,
            RuntimeError,
            KeyError,
            ValueError,
            TypeError,
            OverflowError,
            MemoryError,
            UnicodeError,
        ) as error:  # of damaged files
            raise ModelError(f"'{path}' cannot be read: {' '.join(str(error).split())}") from None

    def write(self, group: Any) -> None:
        """Datasets in a group of an HDF5 file."""
        group.attrs["format"] = np.bytes_(FORMAT)
        if self.units:
            group.attrs["units"] = np.bytes_(self.units)
        for name in AXES:
            value = np.asarray(getattr(self, name))
            packed = {"compression": "gzip", "compression_opts": 4, "shuffle": True} if value.size > 100 else {}
            group.create_dataset(name, data=value, **packed)

    @classmethod
    def of_group(cls, group: Any, path: str) -> ReducedBody:
        """The body in a group of an HDF5 file.  Raises `ModelError`."""
        import h5py

        # text of variable length is never read: libhdf5 can loop for ever in its heap
        def attribute(name: str) -> bytes:
            kind = group.attrs.get_id(name).dtype if name in group.attrs else None
            return bytes(group.attrs[name]) if kind is not None and kind.kind == "S" and kind.itemsize <= 64 else b""

        written = attribute("format")
        if written != FORMAT.encode():
            raise ModelError(f"'{path}' is not a reduced body: its format is not '{FORMAT}'")
        found, total = {}, 0
        for name in group:
            data = (
                group.get(name) if name in AXES and isinstance(group.get(name, getlink=True), h5py.HardLink) else None
            )
            if (
                not isinstance(data, h5py.Dataset)
                or data.is_virtual
                or data.external
                or data.dtype.kind not in "iuf"
                or data.dtype.itemsize > 8
            ):
                raise ModelError(f"'{path}' has {shown(name)}, which is not a table of a reduced body")
            total += int(np.prod([int(n) for n in data.shape], dtype=object)) * 8
            found[name] = data
        if total > MOST_BYTES:
            raise ModelError(f"'{path}' holds {total / 2**30:.1f} GiB, above the limit of {MOST_BYTES / 2**30:.0f}")
        absent = [f.name for f in fields(cls) if f.name in AXES and f.name not in found and f.name not in OPTIONAL]
        if absent:
            raise ModelError(f"'{path}' has no table '{absent[0]}' of a reduced body")
        if "mass" in found and found["mass"].shape != ():
            raise ModelError(f"'{path}': mass is a table; it must be one number")
        body = cls(
            **{name: data[()] for name, data in found.items()}, units=attribute("units").decode("ascii", "replace")
        )
        for text in body.faults():
            raise ModelError(f"'{path}': {text}")
        return body

    @classmethod
    def write_all(cls, model: Any, file: Any) -> dict[str, Any]:
        """`Model.to_dict` for an HDF5 file that holds the bodies next to it, in groups named by their digests."""
        bodies: dict[str, ReducedBody] = {}
        out = model.to_dict(bodies)
        for digest, body in bodies.items():
            body.write(file.create_group(f"reduced_bodies/{digest}"))
        return out

    @classmethod
    def read_all(cls, file: Any, path: str) -> dict[str, ReducedBody]:
        """By their digests, the bodies that `write_all` left.  Raises `ModelError`."""
        import h5py

        if "reduced_bodies" not in file:
            return {}
        links = [
            file.get("reduced_bodies", getlink=True),
            *(file["reduced_bodies"].get(k, getlink=True) for k in file["reduced_bodies"]),
        ]
        if not all(isinstance(link, h5py.HardLink) for link in links):
            raise ModelError(f"'{path}' is damaged: its bodies are links to elsewhere")
        out = {digest: cls.of_group(file["reduced_bodies"][digest], path) for digest in file["reduced_bodies"]}
        wrong = [digest for digest, body in out.items() if body.digest != digest]
        if wrong:
            raise ModelError(f"'{path}' is damaged: its body {wrong[0]} is another one")
        return out

    # ---- pictures ----------------------------------------------------------------------------------------------------
    def show_modes(self, path: str | Path, **options: Any) -> Path:
        """Write the mode shapes with their frequencies to a page (.html) or a picture (.png);
        `results.pages.body_modes.show_modes` for ``options`` and what raises."""
        return TOOLS["show_modes"](self, path, **options)

    # ---- plain data --------------------------------------------------------------------------------------------------
    def to_plain(self) -> dict[str, Any]:
        """For the JSON of a model: its file and digest, or all its numbers.  Raises `ModelError` for a large body
        without a file."""
        if self.file:
            return {"file": self.file, "digest": self.digest}
        size = sum(np.size(getattr(self, name)) for name in AXES)
        if size > INLINE:
            raise ModelError(
                f"it has {size} numbers, too many for the text of a model; keep it in a file of its own first: "
                "flexibility.body = flexibility.body.save('body.h5')"
            )
        out = {
            name: np.asarray(getattr(self, name)).tolist()
            for name in AXES
            if name not in OPTIONAL or np.size(getattr(self, name))
        }
        return {**out, "units": self.units} if self.units else out

    @classmethod
    def of_plain(cls, data: Any) -> ReducedBody:
        """The body that `to_plain` wrote.  Raises `ModelError`."""
        if isinstance(data, ReducedBody):
            return data
        if isinstance(data, dict) and set(data) == {"file", "digest"} and isinstance(data["file"], str):
            body = cls.read(data["file"])
            if body.digest != data["digest"]:
                raise ModelError(
                    f"'{data['file']}' holds another body than the one that the model was written with; bring that back"
                )
            return body
        strange = sorted(set(data) - {*AXES, "units"}) if isinstance(data, dict) else []
        if not isinstance(data, dict) or strange or "mass" not in data:
            raise ModelError(
                f"its body is {shown(strange[0] if strange else data)}; give the tables of a reduced body, or file and "
                "digest"
            )
        absent = [name for name in AXES if name not in data and name not in OPTIONAL]
        if absent:
            raise ModelError(f"its body has no table '{absent[0]}'")
        if not isinstance(data.get("units", ""), str):
            raise ModelError(f"the units of its body are {shown(data['units'])}; give a text, as 'mm, N, s'")
        try:
            return cls(**data)
        except (TypeError, ValueError):
            raise ModelError(f"mass of its body is {shown(data['mass'])}; give a number") from None


def unit_scales(units: Any) -> tuple[float, float, float]:
    """Units of length, force and time of a text such as 'mm, N, s' in metre, newton and second.  Raises `ModelError`
    for units that are none."""
    words = [w.strip() for w in units.split(",")] if isinstance(units, str) else []
    out = []
    for what, word in zip(UNITS, words):
        value = UNITS[what].get(word, UNITS[what].get(word.upper()))
        if value is None:
            raise ModelError(f"its unit of {what} is {shown(word)}; give length, force and time, as 'mm, N, s'")
        out.append(value)
    if len(words) != 3:
        raise ModelError(f"its units are {shown(units)}; give length, force and time, as 'mm, N, s'")
    return out[0], out[1], out[2]


def nearest_node(nodes: Any, places: np.ndarray, at: Any, preferred: Any = ()) -> int:
    """Id of the node nearest to a point; of two whose distances differ by less than a thousandth of the size of the
    body the one that is preferred."""
    nodes = np.asarray(nodes, np.int64)
    away = np.linalg.norm(places - np.asarray(at, float), axis=1)
    near = away <= away.min() + NEAR * np.linalg.norm(np.ptp(places, axis=0))
    chosen = near & np.isin(nodes, np.asarray(list(preferred), np.int64))
    return int(nodes[np.where(chosen if chosen.any() else near, away, np.inf).argmin()])


LATER = (
    "loads",
    "section",
    "station",
    "triad",
    "fibre",
    "law",
    "stress_residual",
    "section_residual",
    "dented",
    "dent_normal",
    "dents",
    "inert",
)
OPTIONAL = ("interfaces", "bent", "bends", "lines", "faces", "stress", *LATER)

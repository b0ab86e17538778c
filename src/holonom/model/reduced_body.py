"""A body of finite elements after its reduction to modes: what a model, its JSON and result files keep of it, and the file for it alone.

The file is HDF5 with one dataset a field of `ReducedBody`, of the shapes that stand there, and the attribute ``format`` = "holonom-reduced-body-1".
Nothing in it is executed, and sizes are looked at before anything is read.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .base import ModelError, shown

FORMAT = "holonom-reduced-body-1"
MOST_BYTES = 4 * 2**30  # of a file that is read
INLINE = 300_000  # numbers up to which a body stands in the JSON of its model
NEAR = 1e-3  # of the size of a body: nodes that are as near
ALIKE = 1e-6  # asymmetry of tables, beside their largest number, that counts as roundoff of who wrote them

#: field -> its axes, by letters: n modes, m = n + 1, a nodes, i interfaces, b nodes with bends, l lines, f faces, s nodes with stresses (a, or none)
AXES = {
    "mass": "", "centre": "3", "inertia": "33", "frequency": "n", "S": "mm33", "H": "mm3", "nodes": "a", "places": "a3", "shapes": "a6n",
    "interfaces": "i", "bent": "b", "bends": "b3nn", "lines": "l2", "faces": "f3", "stress": "s6n",
}  # fmt: skip
WHOLE = ("nodes", "interfaces", "bent", "lines", "faces")


def _none(*shape: int, kind: type = float) -> Any:
    return field(default_factory=lambda: np.zeros(shape, kind))


@dataclass(frozen=True, eq=False)
class ReducedBody:
    """Modes of a free body, u = sum_j q_j phi_j in a frame that floats with it (`elements.bodies.modes`), in axes of its own.

    n modes, a nodes.  Consistent units: mass in force time^2 / length, and modes mass-orthonormal in it.

    ``mass``; ``centre`` (3,) of mass; ``inertia`` (3, 3) about it; ``frequency`` (n,) rad per time, of the free modes;
    ``S`` (n + 1, n + 1, 3, 3), ``H`` (n + 1, n + 1, 3): the tables over pairs of shapes, of which the first is the place from the centre of mass;
    ``nodes`` (a,) their ids; ``places`` (a, 3) length; ``shapes`` (a, 6, n): displacement along x, y, z and rotation about these, of each mode;
    ``interfaces``: ids of nodes whose static shapes are among the modes; ``bent`` (b,) ids and ``bends`` (b, 3, n, n): second derivatives of the
    displacements of these nodes; ``lines`` (.., 2) and ``faces`` (.., 3): by place in ``nodes``, between which it is drawn;
    ``stress`` (a, 6, n) or (0, 6, n): xx, yy, zz, xy, yz, zx at each node for q = 1, force / length^2.

    ``file``: where it is kept, if anywhere.  Bodies are equal where all their numbers are.
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
    file: str = ""

    def __post_init__(self) -> None:
        n = np.size(self.frequency)
        for name, empty in (("bends", (0, 3, n, n)), ("stress", (0, 6, n))):
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
        """How many modes there are."""
        return len(self.frequency)

    @cached_property
    def place(self) -> dict[int, int]:
        """Id of a node -> its place in ``nodes``."""
        return {int(node): k for k, node in enumerate(self.nodes)}

    @cached_property
    def digest(self) -> str:
        """Of all its numbers, hexadecimal."""
        out = hashlib.blake2b(digest_size=20)
        for name in AXES:
            value = np.asarray(getattr(self, name))
            out.update(f"{name}{value.shape}".encode())
            out.update(np.ascontiguousarray(value).tobytes())
        return out.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReducedBody) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"ReducedBody({len(self.nodes)} nodes, {self.modes} modes, {self.file or 'in memory'})"

    def __deepcopy__(self, memo: Any) -> ReducedBody:
        return self  # its arrays cannot be written

    def faults(self) -> list[str]:
        """What cannot be, one sentence each.  Raises nothing."""
        sizes: dict[str, int] = {"n": self.modes, "m": self.modes + 1, "a": len(self.nodes), "s": len(self.stress)}
        if sizes["s"]:
            sizes["s"] = sizes["a"]
        for name, axes in AXES.items():
            shape = np.shape(getattr(self, name))
            free = tuple(sizes.setdefault(c, shape[k] if k < len(shape) else 0) if c.isalpha() else int(c) for k, c in enumerate(axes))
            if shape != free:
                return [
                    f"{name} has {' x '.join(map(str, shape)) or 'one'} numbers; {self.modes} modes and {len(self.nodes)} nodes ask for {free}"
                ]
            if not np.all(np.isfinite(getattr(self, name))):
                return [f"{name} has numbers that are not finite"]
        out = []
        if not self.modes:
            out.append("it has no modes; leave it out where the part is rigid")
        if not self.mass > 0.0:
            out.append(f"its mass is {self.mass:g}; it must be positive")
        if len(self.place) < len(self.nodes):
            out.append("two of its nodes have the same id")
        for name in ("lines", "faces"):
            pairs = getattr(self, name)
            if pairs.size and not (0 <= pairs.min() and pairs.max() < len(self.nodes)):
                out.append(f"{name} must be numbers from 0 to {len(self.nodes) - 1}")
        for name in ("interfaces", "bent"):
            strange = [int(k) for k in getattr(self, name) if int(k) not in self.place]
            if strange:
                out.append(f"{name} name node {strange[0]}, which it has not")
        for k, w in enumerate(self.frequency):
            if not w > 0.0:
                out.append(
                    f"the frequency of mode {k + 1} is {w:g}; it must be positive: a mode without frequency is a rigid motion or leads to one"
                )
        if np.abs(self.S - self.S.transpose(1, 0, 2, 3)).max() > ALIKE * np.abs(self.S).max():
            out.append("S must be the same for both orders of a pair of shapes")
        if np.abs(self.H + self.H.transpose(1, 0, 2)).max() > ALIKE * max(np.abs(self.H).max(), np.abs(self.S).max()):
            out.append("H must change its sign with the order of a pair of shapes")
        return out

    # ---- files ---------------------------------------------------------------------------------------------------------
    def save(self, path: str | Path) -> ReducedBody:
        """Write it to an HDF5 file; the body with that ``file``, which models name in their JSON.  Raises `ModelError` where it cannot be written."""
        import h5py

        try:
            with h5py.File(path, "w") as file:
                self.write(file)
        except OSError as error:
            raise ModelError(f"'{path}' cannot be written: {error}") from None
        return replace(self, file=str(path))

    @classmethod
    def read(cls, path: str | Path) -> ReducedBody:
        """The body that `save` wrote.  Raises `ModelError`, with the file, for what cannot be read or is no such body."""
        import h5py

        try:
            with h5py.File(path, "r") as file:
                return replace(cls.of_group(file, str(path)), file=str(path))
        except OSError as error:
            raise ModelError(f"'{path}' cannot be read: {error}") from None

    def write(self, group: Any) -> None:
        """Datasets in a group of an HDF5 file."""
        group.attrs["format"] = np.bytes_(FORMAT)
        for name in AXES:
            value = np.asarray(getattr(self, name))
            packed = {"compression": "gzip", "compression_opts": 4, "shuffle": True} if value.size > 100 else {}
            group.create_dataset(name, data=value, **packed)

    @classmethod
    def of_group(cls, group: Any, path: str) -> ReducedBody:
        """The body in a group of an HDF5 file.  Raises `ModelError`."""
        import h5py

        # text of variable length is never read: libhdf5 can loop for ever in its heap
        kind = group.attrs.get_id("format").dtype if "format" in group.attrs else None
        written = group.attrs["format"] if kind is not None and kind.kind == "S" and kind.itemsize <= 64 else b""
        if written != FORMAT.encode():
            raise ModelError(f"'{path}' is no reduced body: its format is not '{FORMAT}'")
        found, total = {}, 0
        for name in group:
            data = group.get(name) if name in AXES and isinstance(group.get(name, getlink=True), h5py.HardLink) else None
            if (
                not isinstance(data, h5py.Dataset)
                or data.is_virtual
                or data.external
                or data.dtype.kind not in "iuf"
                or data.dtype.itemsize > 8
            ):
                raise ModelError(f"'{path}' has {shown(name)}, which is no table of a reduced body")
            total += int(np.prod([int(n) for n in data.shape], dtype=object)) * 8
            found[name] = data
        if total > MOST_BYTES:
            raise ModelError(f"'{path}' holds {total / 2**30:.1f} GiB, above the limit of {MOST_BYTES / 2**30:.0f}")
        absent = [f.name for f in fields(cls) if f.name in AXES and f.name not in found and f.name not in OPTIONAL]
        if absent:
            raise ModelError(f"'{path}' has no table '{absent[0]}' of a reduced body")
        if "mass" in found and found["mass"].shape != ():
            raise ModelError(f"'{path}': mass is a table; it must be one number")
        body = cls(**{name: data[()] for name, data in found.items()})
        for text in body.faults():
            raise ModelError(f"'{path}': {text}")
        return body

    @classmethod
    def write_all(cls, model: Any, file: Any) -> dict[str, Any]:
        """`Model.to_dict` for an HDF5 file that holds the bodies beside it, in groups named by their digests."""
        bodies: dict[str, ReducedBody] = {}
        out = model.to_dict(bodies)
        for digest, body in bodies.items():
            body.write(file.create_group(f"bodies/{digest}"))
        return out

    @classmethod
    def read_all(cls, file: Any, path: str) -> dict[str, ReducedBody]:
        """By their digests, the bodies that `write_all` left.  Raises `ModelError`."""
        import h5py

        if "bodies" not in file:
            return {}
        links = [file.get("bodies", getlink=True), *(file["bodies"].get(k, getlink=True) for k in file["bodies"])]
        if not all(isinstance(link, h5py.HardLink) for link in links):
            raise ModelError(f"'{path}' is damaged: its bodies are links to elsewhere")
        out = {digest: cls.of_group(file["bodies"][digest], path) for digest in file["bodies"]}
        wrong = [digest for digest, body in out.items() if body.digest != digest]
        if wrong:
            raise ModelError(f"'{path}' is damaged: its body {wrong[0]} is another one")
        return out

    # ---- plain data ------------------------------------------------------------------------------------------------------
    def to_plain(self) -> dict[str, Any]:
        """For the JSON of a model: its file and digest, or all its numbers.  Raises `ModelError` for a large body without a file."""
        if self.file:
            return {"file": self.file, "digest": self.digest}
        size = sum(np.size(getattr(self, name)) for name in AXES)
        if size > INLINE:
            raise ModelError(
                f"it has {size} numbers, too many for the text of a model; keep it in a file of its own first: flexibility.body = flexibility.body.save('body.h5')"
            )
        return {name: np.asarray(getattr(self, name)).tolist() for name in AXES if name not in OPTIONAL or np.size(getattr(self, name))}

    @classmethod
    def of_plain(cls, data: Any) -> ReducedBody:
        """The body that `to_plain` wrote.  Raises `ModelError`."""
        if isinstance(data, ReducedBody):
            return data
        if isinstance(data, dict) and set(data) == {"file", "digest"} and isinstance(data["file"], str):
            body = cls.read(data["file"])
            if body.digest != data["digest"]:
                raise ModelError(f"'{data['file']}' holds another body than the one that the model was written with; bring that back")
            return body
        strange = sorted(set(data) - set(AXES)) if isinstance(data, dict) else []
        if not isinstance(data, dict) or strange or "mass" not in data:
            raise ModelError(f"its body is {shown(strange[0] if strange else data)}; give the tables of a reduced body, or file and digest")
        absent = [name for name in AXES if name not in data and name not in OPTIONAL]
        if absent:
            raise ModelError(f"its body has no table '{absent[0]}'")
        try:
            return cls(**data)
        except (TypeError, ValueError):
            raise ModelError(f"mass of its body is {shown(data['mass'])}; give a number") from None


def nearest_node(nodes: Any, places: np.ndarray, at: Any, preferred: Any = ()) -> int:
    """Id of the node nearest to a point; of two whose distances differ by less than a thousandth of the size of the body the one that is preferred."""
    nodes = np.asarray(nodes, np.int64)
    away = np.linalg.norm(places - np.asarray(at, float), axis=1)
    near = away <= away.min() + NEAR * np.linalg.norm(np.ptp(places, axis=0))
    chosen = near & np.isin(nodes, np.asarray(list(preferred), np.int64))
    return int(nodes[np.where(chosen if chosen.any() else near, away, np.inf).argmin()])


OPTIONAL = ("interfaces", "bent", "bends", "lines", "faces", "stress")

"""Results of a linear analysis by the names of the model: eigenvalues, mode shapes, energies, state matrices,
animation."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg as sla

from .._summary import short
from ..linalg.eigen import eigenvalues_of_states
from ..model import Model, ModelError
from ..model.reduced_body import ReducedBody
from . import _rotation as rotation
from ._data import AXES, Key, RunData, Segment
from ._names import Named
from .files.targets import FOREIGN, file_path
from .run import Run
from .state_space import StateSpace


@dataclass
class Mode(Named):
    """One mode, or one pair of conjugate eigenvalues (the one with positive imaginary part).

    ``value``: eigenvalue [1/time]; ``kind``: "oscillating", "real" (overdamped or diverging) or "rigid" (eigenvalue
    zero, ``multiplicity`` of its Jordan chain: 2 for a free motion).  ``shape`` (nb, 6) complex: translation of each
    part's centre of mass and small rotation, ground axes, scaled so that the largest translation is 1 and real (the
    largest rotation in a mode without translation); ``rate`` (nb, 6): the velocities that go with it; ``state``: over
    the coordinates of `Linear.A`; ``x``: changes of the states of differential equations.
    """

    number: int
    value: complex
    kind: str
    multiplicity: int
    shape: np.ndarray = field(repr=False)
    rate: np.ndarray = field(repr=False)
    state: np.ndarray = field(repr=False)
    x: np.ndarray = field(repr=False)

    @property
    def undamped_frequency(self) -> float:
        """|λ|/2π: cycles per unit of time, Hz when time is in seconds."""
        return abs(self.value) / (2.0 * np.pi)

    @property
    def damped_frequency(self) -> float:
        """Im λ/2π."""
        return abs(self.value.imag) / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re λ/|λ|; 1 and -1 for real eigenvalues, 0 for rigid-body modes."""
        return -self.value.real / abs(self.value) + 0.0 if self.value != 0 else 0.0

    @property
    def time_constant(self) -> float:
        """-1/Re λ: time in which the motion falls to 1/e (negative: in which it grows e-fold)."""
        return -1.0 / self.value.real if self.value.real else np.inf

    @property
    def stability(self) -> str:
        """ "stable", "unstable", or "marginal" where the real part is zero to within rounding."""
        if self.kind == "rigid" or abs(self.value.real) <= 1e-8 * abs(self.value):
            return "marginal"
        return "stable" if self.value.real < 0.0 else "unstable"


@dataclass
class Linear(Named):
    """Small motions of a mechanism about an operating point; result of `holonom.linearize` and `Simulation.linearize`.

    ``A``, ``B``, ``C``, ``D``: over the coordinates (a, b, x) of `analyses.linear.linearisation` (mass-orthonormal
    directions of position and velocity, then the states of differential equations); `state_space` gives them over
    coordinates with names.  ``shapes``
    (nb, 6, nq): change of position of each body along a, ground axes; ``rates`` (nb, 6, n): change of velocity along
    (a, b, x).
    ``force_change`` (nf, 2, 6, n): change of the generalised force of each applied force on its two bodies
    ``force_bodies``.
    """

    model: Model
    time: float
    bodies: list[Key]
    position: np.ndarray = field(repr=False)
    quaternion: np.ndarray = field(repr=False)
    mass: np.ndarray = field(repr=False)
    inertia: np.ndarray = field(repr=False)
    shapes: np.ndarray = field(repr=False)
    rates: np.ndarray = field(repr=False)
    A: np.ndarray = field(repr=False)
    B: np.ndarray = field(repr=False)
    C: np.ndarray = field(repr=False)
    D: np.ndarray = field(repr=False)
    x_names: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    forces: list[Key] = field(default_factory=list)
    force_bodies: Any = field(default=None, repr=False)
    force_change: Any = field(default=None, repr=False)
    user_states: list[str] = field(default_factory=list)
    user_rows: Any = field(default=None, repr=False)
    extent: float = 1.0
    pace: float = 0.0  # 1/time in which the terms of the equations of motion would move the machine by its extent
    spin: Any = field(default=None, repr=False)
    warnings: list[str] = field(default_factory=list)
    listing: list[str] = field(default_factory=list, repr=False)  # tables that a script requested
    wanted: list[Any] = field(default_factory=list, repr=False)  # (kind, name, format) of the files that it requested

    # ---- sizes ------------------------------------------------------------------------------------------------------
    @property
    def nq(self) -> int:
        """Number of position degrees of freedom."""
        return self.shapes.shape[2]

    @property
    def nx(self) -> int:
        """States of differential equations."""
        return len(self.x_names)

    @property
    def nu(self) -> int:
        """Number of velocity degrees of freedom; fewer than `nq` with rolling wheels or driven velocities."""
        return len(self.A) - self.nq - self.nx

    # ---- modes ------------------------------------------------------------------------------------------------------
    @cached_property
    def modes(self) -> list[Mode]:
        """All modes: rigid-body modes first, then by undamped frequency."""
        scale, limit = self._units()
        found = eigenvalues_of_states(self.A, scale, limit)
        out: list[Mode] = []
        for k, length in enumerate(found.chains):
            out.append(self._mode(len(out) + 1, 0.0, found.zero[:, k].astype(complex), length))
        for k, value in enumerate(found.values):
            if value.imag >= 0.0:
                out.append(self._mode(len(out) + 1, value, found.vectors[:, k], 1))
        return out

    def _units(self) -> tuple[np.ndarray, float]:
        """Units of the coordinates (a, b, x), and what counts as zero: what the terms of the equations cancel to by
        rounding."""
        stiff = np.linalg.norm(self.A[self.nq : self.nq + self.nu, : self.nq], axis=0)
        stiff = stiff[stiff > 0.0]
        rate = max(self.pace, float(np.sqrt(np.median(stiff))) if len(stiff) else 0.0)
        rate = rate or float(np.linalg.norm(self.A[self.nq :, self.nq :])) or 1.0
        scale = np.concatenate([np.ones(self.nq), np.full(self.nu, rate), np.ones(self.nx)])
        for _ in range(
            3
        ):  # a pressure in Pa next to metres: of states that act and are acted on, units in which they do both alike
            for k in range(self.nq + self.nu, len(self.A)):
                into, out = self.A[k] * scale / scale[k], self.A[:, k] / scale * scale[k]
                into[k] = out[k] = 0.0
                ratio = np.linalg.norm(into), np.linalg.norm(out)
                if min(ratio) > 0.0 and not 1e-3 < ratio[0] / ratio[1] < 1e3:
                    scale[k] *= 2.0 ** np.round(0.5 * np.log2(ratio[0] / ratio[1]))
        return scale, 1e-10 * self.pace + 1e-13 * float(np.linalg.norm(self.A * scale / scale[:, None]))

    def _mode(self, number: int, value: complex, s: np.ndarray, multiplicity: int) -> Mode:
        value = complex(value)
        shape = self.shapes @ s[: self.nq]
        size = np.abs(shape)
        largest = size[:, :3].max(initial=0.0)
        if largest > 1e-9 * self.extent * size[:, 3:].max(initial=0.0) and largest > 0.0:
            pick = np.argmax(
                size[:, :3] > (1 - 1e-9) * largest
            )  # the first of equals, so that rounding does not choose
            scale = shape[:, :3].reshape(-1)[pick]
        elif size.max(initial=0.0) > 0.0:
            pick = np.argmax(size[:, 3:] > (1 - 1e-9) * size[:, 3:].max())
            scale = shape[:, 3:].reshape(-1)[pick]
        else:  # only velocities or states take part
            pick = np.argmax(np.abs(s) > (1 - 1e-9) * np.abs(s).max())
            scale = s[pick]
        s = s / scale
        kind = "rigid" if value == 0 else ("oscillating" if value.imag else "real")
        return Mode(
            number, value, kind, multiplicity, self.shapes @ s[: self.nq], self.rates @ s, s, s[len(s) - self.nx :]
        )

    @property
    def eigenvalues(self) -> np.ndarray:
        """All eigenvalues, both of each conjugate pair, in the order of `modes`; zeros with their multiplicity."""
        out: list[complex] = []
        for mode in self.modes:
            if mode.kind == "rigid":
                out += [0.0] * mode.multiplicity
            else:
                out += [mode.value, mode.value.conjugate()] if mode.value.imag else [mode.value]
        return np.array(out, complex)

    @property
    def stable(self) -> bool:
        """Whether no eigenvalue has a positive real part (beyond rounding)."""
        return all(m.stability != "unstable" for m in self.modes)

    def mode(self, number: int) -> Mode:
        """Mode by its number in the table, from 1."""
        if not 1 <= number <= len(self.modes):
            raise ModelError(f"there is no mode {number}; this analysis has {len(self.modes)}")
        return self.modes[number - 1]

    # ---- energies ---------------------------------------------------------------------------------------------------
    def kinetic_energy(self, number: int) -> np.ndarray:
        """Fraction of each part in the kinetic energy of a mode (nb, 9), with sum 1: X Y Z of translation, RXX RYY RZZ
        RXY RXZ RYZ of rotation about the ground axes (for a rigid-body mode, displacements are used as velocities)."""
        mode = self.mode(number)
        u = mode.rate if mode.kind != "rigid" else mode.shape
        w = u[:, 3:]
        out = np.zeros((len(self.bodies), 9))
        out[:, :3] = self.mass[:, None] * np.abs(u[:, :3]) ** 2
        for c, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
            out[:, 3 + c] = (1.0 if i == j else 2.0) * self.inertia[:, i, j] * (w[:, i].conj() * w[:, j]).real
        total = out.sum()
        return out / total if total > 0.0 else out

    def strain_energy(self, number: int) -> tuple[np.ndarray, float]:
        """Fraction of each applied force in the potential energy of a mode (nf,), and the remainder: gravity, the
        geometric stiffness of reactions, and the terms of a moving operating point. Their sum is 1; all are zero for a
        mode without stiffness."""
        mode = self.mode(number)
        a = mode.state[: self.nq]
        total = -0.5 * float(np.real(a.conj() @ self._mix @ self.A[self.nq : self.nq + self.nu, : self.nq] @ a))
        each = -0.5 * self._power(mode.shape, self.force_change[..., : self.nq] @ a)
        if abs(total) <= 1e-12 * abs(each).sum() or total == 0.0:
            return each / each.sum() if each.sum() else each, 0.0
        return each / total, 1.0 - float(each.sum()) / total

    def dissipated_energy(self, number: int) -> np.ndarray:
        """Fraction of each applied force in the power that a mode dissipates through changes of velocity (nf,);
        negative where it gains power."""
        mode = self.mode(number)
        b = slice(self.nq, self.nq + self.nu)
        each = -0.5 * self._power(mode.rate, self.force_change[..., b] @ mode.state[b])
        total = np.abs(each).sum()
        return each / total if total > 0.0 else each

    @property
    def _mix(self) -> np.ndarray:
        """N_q^T M N_u."""
        momentum = np.concatenate(
            [
                self.mass[:, None, None] * self.shapes[:, :3],
                np.einsum("bij,bjk->bik", self.inertia, self.shapes[:, 3:]),
            ],
            1,
        )
        return np.einsum("bck,bcl->kl", momentum, self.rates[:, :, self.nq : self.nq + self.nu])

    def _power(self, d: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """Re conj(d) . Q of every force, over its two bodies."""
        d = np.vstack([d, np.zeros((1, 6))])[self.force_bodies] if len(self.forces) else np.zeros((0, 2, 6))
        return np.einsum("fsc,fsc->f", d.conj(), Q).real

    # ---- matrices over coordinates with names -----------------------------------------------------------------------
    @cached_property
    def _coordinates(self) -> tuple[np.ndarray, list[str], list[str]]:
        """(T, names of positions, names of velocities): named states = T (a, b, x)."""
        nq, nu = self.nq, self.nu
        weight = np.tile([1.0 / self.extent] * 3 + [1.0] * 3, len(self.bodies))
        rows = self.shapes.reshape(6 * len(self.bodies), nq)  # of a model without bodies there are none
        labels = [f"{name}.{axis}" for _, _, name in self.bodies for axis in AXES]
        user = (
            np.zeros((0, nq))
            if self.user_rows is None
            else np.asarray(self.user_rows, float).reshape(len(self.user_states), nq)
        )
        chosen, names = _independent(user, list(self.user_states), np.zeros((0, nq)), nq)
        picked, more = _independent(rows * weight[:, None], labels, chosen, nq)
        at = [labels.index(n) for n in more]
        T = np.zeros_like(self.A)
        T[:nq, :nq] = np.vstack([chosen, rows[at]])
        names = names + more
        if nu == nq:  # velocities of the same coordinates
            T[nq : nq + nu, : nq + nu] = T[:nq, :nq] @ self.A[:nq, : nq + nu]
            if nq == 0 or np.linalg.cond(T[nq : nq + nu, nq : nq + nu]) < 1e10:
                T[nq + nu :, nq + nu :] = np.eye(self.nx)
                return T, names, [f"d({n})/dt" for n in names]
        free = self.rates.reshape(-1, len(self.A))
        _, speeds = _independent(free[:, nq : nq + nu] * weight[:, None], labels, np.zeros((0, nu)), nu)
        at = [labels.index(n) for n in speeds]
        T[nq : nq + nu] = free[at]
        T[nq + nu :] = 0.0
        T[nq + nu :, nq + nu :] = np.eye(self.nx)
        return T, names, [f"velocity of {n}" for n in speeds]

    @property
    def states(self) -> list[str]:
        """Names of the states of `state_space`: changes of coordinates of parts (translations of the centre of mass,
        small rotations about ground axes) or of the requested VARIABLEs, their rates, then states of differential
        equations."""
        _, q, u = self._coordinates
        return [*q, *u, *self.x_names]

    def state_space(self, inputs: Any = None, outputs: Any = None) -> StateSpace:
        """A, B, C, D over named states (`states`); ``inputs``, ``outputs``: names or numbers of inputs and outputs of
        this analysis; default: all."""
        T = self._coordinates[0]
        inverse = np.linalg.inv(T) if len(T) else T
        # rates of T s: T is constant at the operating point
        whole = StateSpace(
            T @ self.A @ inverse,
            T @ self.B,
            self.C @ inverse,
            self.D,
            self.states,
            list(self.inputs),
            list(self.outputs),
            self.model.units.symbol("time"),
        )
        i = range(len(self.inputs)) if inputs is None else [whole._index("inputs", k) for k in _listed(inputs)]
        o = range(len(self.outputs)) if outputs is None else [whole._index("outputs", k) for k in _listed(outputs)]
        i, o = list(i), list(o)
        return StateSpace(
            whole.A,
            whole.B[:, i].reshape(len(T), len(i)),
            whole.C[o].reshape(len(o), len(T)),
            whole.D[np.ix_(o, i)],
            whole.states,
            [self.inputs[k] for k in i],
            [self.outputs[k] for k in o],
            whole.time_unit,
        )

    def mkb(self) -> dict[str, Any]:
        """M q'' + B q' + K q = F u over named coordinates: a dict with M, B, K (nq, nq), F (nq, inputs) and
        ``coordinates``.

        Raises ModelError for models with rolling constraints or states of differential equations, for which this form
        does not exist.
        """
        nq = self.nq
        if self.nx or self.nu != nq:
            raise ModelError(
                "mass, damping and stiffness matrices exist only without states of differential equations and velocity "
                "constraints"
            )
        names = self._coordinates[1]
        A = self.A
        aq, au, uq, uu = A[:nq, :nq], A[:nq, nq:], A[nq:, :nq], A[nq:, nq:]
        T = self._coordinates[0][:nq, :nq]
        inv = np.linalg.inv(T)
        back = np.linalg.inv(au)
        # a' = aq a + au b  =>  b = au^-1 (a' - aq a);  a'' = aq a' + au (uq a + uu b)
        damping = -(aq + au @ uu @ back)
        stiffness = -(au @ uq - au @ uu @ back @ aq)
        momentum = np.concatenate(
            [
                self.mass[:, None, None] * self.shapes[:, :3],
                np.einsum("bij,bjk->bik", self.inertia, self.shapes[:, 3:]),
            ],
            1,
        )
        mass = inv.T @ np.einsum("bck,bcl->kl", momentum, self.shapes) @ inv
        return {
            "M": mass,
            "B": mass @ T @ damping @ inv,
            "K": mass @ T @ stiffness @ inv,
            "F": mass @ T @ au @ self.B[nq:],
            "coordinates": names,
        }

    # ---- tables -----------------------------------------------------------------------------------------------------
    def table(self) -> list[dict[str, Any]]:
        """One dict per mode: mode, undamped_frequency, damping_ratio, real, imaginary, kind, stability,
        multiplicity."""
        return [
            {
                "mode": m.number,
                "undamped_frequency": m.undamped_frequency,
                "damping_ratio": m.damping_ratio,
                "real": m.value.real + 0.0,
                "imaginary": m.value.imag + 0.0,
                "kind": m.kind,
                "stability": m.stability,
                "multiplicity": m.multiplicity,
            }
            for m in self.modes
        ]

    @property
    def frequency_unit(self) -> str:
        """Unit of frequencies: Hz, or 1 / time unit of the model."""
        unit = self.model.units.symbol("time")
        return "Hz" if unit == "s" else f"1/{unit}"

    def text(self, modes: int | None = None) -> str:
        """The table of eigenvalues as text."""
        rows = self.table()[:modes]
        lines = [
            f"{'mode':>5} {'undamped':>14} {'damping':>13} {'real part':>15} {'imaginary':>15}",
            f"{'':>5} {self.frequency_unit:>14} {'ratio':>13} {'':>15} {'part':>15}",
        ]
        for r in rows:
            note = "" if r["kind"] != "rigid" else f"  rigid body ({'double ' * (r['multiplicity'] == 2)}zero)"
            note += "  unstable" if r["stability"] == "unstable" else ""
            sign = "±" if r["kind"] == "oscillating" else " "
            imaginary = f"{sign}{r['imaginary']:.8g}"
            lines.append(
                f"{r['mode']:5d} {r['undamped_frequency']:14.8g} {r['damping_ratio']:13.6g} {r['real']:15.8g} "
                f"{imaginary:>15}{note}"
            )
        if modes is not None and modes < len(self.modes):
            lines.append(f"      ... and {len(self.modes) - modes} more")
        return "\n".join(lines)

    def coordinates_text(self, number: int) -> str:
        """Table of a mode's coordinates: magnitude and phase (degrees) of each part's six components."""
        mode = self.mode(number)
        head = (
            f"mode {number}: undamped frequency {mode.undamped_frequency:.8g} {self.frequency_unit}, damping ratio "
            f"{mode.damping_ratio:.6g}"
        )
        lines = [head, f"{'part':<24}" + "".join(f"{a:>22}" for a in AXES)]
        for (_, _, name), row in zip(self.bodies, mode.shape):
            values = "".join(f"{abs(v):13.5g} {np.degrees(np.angle(v)) if abs(v) > 1e-12 else 0.0:8.2f}" for v in row)
            lines.append(f"{name[:24]:<24}{values}")
        return "\n".join(lines)

    def energy_text(self, number: int) -> str:
        """Energies of a mode in per cent, by part and by force."""
        mode = self.mode(number)
        lines = [
            f"mode {number}: undamped frequency {mode.undamped_frequency:.8g} {self.frequency_unit}; per cent of its "
            "energy"
        ]
        lines.append(
            f"{'kinetic':<24}{'total':>9}"
            + "".join(f"{c:>9}" for c in ("X", "Y", "Z", "RXX", "RYY", "RZZ", "RXY", "RXZ", "RYZ"))
        )
        for (_, _, name), row in zip(self.bodies, 100 * self.kinetic_energy(number)):
            lines.append(f"{name[:24]:<24}{row.sum():9.3f}" + "".join(f"{v:9.3f}" for v in row))
        strain, rest = self.strain_energy(number)
        lost = self.dissipated_energy(number)
        lines.append(f"{'forces':<24}{'strain':>9}{'dissipative':>13}")
        for (_, _, name), s, d in zip(self.forces, 100 * strain, 100 * lost):
            lines.append(f"{name[:24]:<24}{s:9.3f}{d:13.3f}")
        lines.append(f"{'gravity and reactions':<24}{100 * rest:9.3f}")
        return "\n".join(lines)

    def print(self, modes: int | None = None) -> None:
        """Print the table of eigenvalues with rich."""
        from rich.console import Console
        from rich.table import Table

        table = Table(title=f"{self.model.name}: {len(self.modes)} modes at time {self.time:.6g}")
        for name in ("mode", f"undamped / {self.frequency_unit}", "damping ratio", "real part", "imaginary part", ""):
            table.add_column(name, justify="right" if name else "left")
        for r in self.table()[:modes]:
            note = (
                f"rigid body (×{r['multiplicity']})"
                if r["kind"] == "rigid"
                else ("unstable" if r["stability"] == "unstable" else "")
            )
            sign = "±" if r["kind"] == "oscillating" else ""
            table.add_row(
                str(r["mode"]),
                f"{r['undamped_frequency']:.6g}",
                f"{r['damping_ratio']:.4g}",
                f"{r['real']:.6g}",
                f"{sign}{r['imaginary']:.6g}",
                note,
            )
        Console().print(table)

    def __str__(self) -> str:
        return self.text(20)

    def __repr__(self) -> str:
        found = [m.undamped_frequency for m in self.modes if m.undamped_frequency == m.undamped_frequency]
        span = f", {min(found):.4g} to {max(found):.4g} {self.frequency_unit}" if found else ""
        return (
            f"<Linear of model {short(self.model.name)} at time {self.time:.6g}: {len(self.modes)} modes{span}; "
            "print() shows a table>"
        )

    # ---- files ------------------------------------------------------------------------------------------------------
    def to_csv(self, path: str | Path) -> Path:
        """Table of eigenvalues, one row per mode, then the magnitude and phase of every part's six components."""
        path = Path(path)
        names = [
            f"{name}.{axis} {part}" for _, _, name in self.bodies for axis in AXES for part in ("magnitude", "phase")
        ]
        with _open(path) as file:
            out = csv.writer(file)
            out.writerow([*(self.table()[0] if self.modes else ()), *names])
            for row, mode in zip(self.table(), self.modes):
                z = mode.shape.ravel()
                out.writerow([*row.values(), *np.column_stack([np.abs(z), np.angle(z)]).ravel()])
        return path

    def save(self, path: str | Path) -> Path:
        """Write everything to an HDF5 file; `Linear.load` restores it bit by bit."""
        import h5py

        path = file_path(path, "a linear analysis is saved to one HDF5 file", "modes.h5", FOREIGN)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with h5py.File(path, "w") as file:
                self.write(file)
        except OSError as problem:
            raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
        return path

    def write(self, group: Any, model: bool = True) -> None:
        """Write into an open HDF5 group."""
        group.attrs["format"] = np.bytes_("holonom-linear-1")
        words = {name: getattr(self, name) for name in ("time", "extent", "pace", *WORDS)}
        if model:
            words["model"] = ReducedBody.write_all(self.model, group)
        data = np.frombuffer(json.dumps(words).encode("utf-8"), np.uint8)
        group.create_dataset("words", data=data, compression="gzip")
        for name in ARRAYS:
            value = getattr(self, name)
            if value is not None:
                group.create_dataset(name, data=np.asarray(value))
        table = self.table()
        for name in ("undamped_frequency", "damping_ratio", "real", "imaginary"):  # for readers that know no more
            group.create_dataset(f"table/{name}", data=np.array([row[name] for row in table], float))

    @classmethod
    def load(cls, path: str | Path) -> Linear:
        """Read what `save` wrote.  Raises ModelError for another file."""
        import h5py

        try:
            with h5py.File(path, "r") as file:
                return cls.read(file)
        except (OSError, KeyError, ValueError, TypeError, AttributeError, IndexError) as problem:
            raise ModelError(f"'{path}' is not the result of a linear analysis: {problem}") from None

    @classmethod
    def read(cls, group: Any, model: Model | None = None) -> Linear:
        """Read from an open HDF5 group; ``model`` where it was written without."""
        words = json.loads(_plain(group, "words").tobytes().decode("utf-8"))
        model = model if model is not None else Model.from_dict(words["model"], ReducedBody.read_all(group, "the file"))
        words.pop("model", None)
        for name in ("bodies", "forces"):
            words[name] = [(str(k), int(i), str(n)) for k, i, n in words[name]]
        arrays: dict[str, Any] = {name: _plain(group, name) for name in ARRAYS if name in group}
        out = cls(model=model, **words, **arrays)
        n, nb = len(out.A), len(out.bodies)
        if out.A.shape != (n, n) or out.shapes.shape[:2] != (nb, 6) or out.rates.shape != (nb, 6, n) or out.nu < 0:
            raise ValueError("its tables do not fit together")
        return out

    def write_files(self, folder: str | Path) -> list[Path]:
        """Write into ``folder`` the files that a script's LINEAR command requested; only the last part of their names
        counts."""
        out: list[Path] = []
        for kind, name, format in self.wanted:
            path = Path(folder) / Path(name.replace("\\", "/")).name
            out += self.state_space().save(path, format) if kind == "STATEMAT" else self.save_mkb(path)
        return out

    def save_mkb(self, path: str | Path) -> list[Path]:
        """Text files PATHm, PATHk, PATHb, PATHf with the matrices of `mkb`, one row a line, and PATHst with the
        coordinates."""
        path = Path(path)
        found = self.mkb()
        files = []
        try:
            for key in "MKBF":
                files.append(path.with_name(path.name + key.lower()))
                np.savetxt(files[-1], found[key], fmt="%24.16e")
            files.append(path.with_name(path.name + "st"))
            files[-1].write_text(
                "\n".join([*found["coordinates"], *(f"input {name}" for name in self.inputs)]) + "\n", encoding="utf-8"
            )
        except OSError as problem:
            raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
        return files

    # ---- pictures ---------------------------------------------------------------------------------------------------
    def run(
        self,
        number: int,
        *,
        amplitude: float | None = None,
        periods: float = 1.0,
        frames: int = 48,
        period: float | None = None,
    ) -> Run:
        """A mode as a short run: ``periods`` of it with ``frames`` pictures each; the duration of a period is that of
        the mode, or ``period``.

        ``amplitude``: largest translation of parts and of nodes with markers (in a mode without translation: largest
        rotation in radians); by default a tenth of the size of the mechanism, less where a part would rotate by more
        than half a radian. Damping is not shown. A real mode is shown as an oscillation whose period is its time
        constant.
        """
        mode = self.mode(number)
        z = self._with_nodes(mode.shape)
        big, turn = np.abs(z[:, :3]).max(initial=0.0), np.abs(z[:, 3:]).max(initial=0.0)
        if not max(big, turn) > 0.0:
            raise ModelError(f"mode {number} moves no part; there is nothing to animate")
        if amplitude is None:
            scale = min(0.1 * self.extent / big if big else np.inf, 0.5 / turn if turn else np.inf)
        else:
            scale = amplitude / (big if big > 1e-9 * self.extent * turn else turn)
        rate = 2.0 * np.pi / period if period else abs(mode.value.imag) or abs(mode.value.real) or 2.0 * np.pi
        count = max(int(round(periods * frames)), 2) + 1
        time = np.linspace(0.0, periods * 2.0 * np.pi / rate, count)
        phase = np.exp(1j * rate * time)[:, None, None]
        d = np.real(scale * z[None] * phase)
        v = np.real(1j * rate * scale * z[None] * phase)
        half = 0.5 * np.linalg.norm(d[..., 3:], axis=-1, keepdims=True)
        q = rotation.product(
            np.concatenate([np.cos(half), 0.5 * d[..., 3:] * np.sinc(half / np.pi)], -1),
            np.broadcast_to(self.quaternion, (count, *self.quaternion.shape)),
        )
        own = [
            k for k, key in enumerate(self.bodies) if key[0] != "FLEXIBILITY"
        ]  # modes of flexible bodies are states, not bodies
        states, values = self._modal_states(d[..., 0], v[..., 0])
        data = RunData(
            time=time,
            bodies=[self.bodies[k] for k in own],
            body_position=(self.position + d[..., :3])[:, own],
            body_quaternion=q[:, own],
            body_velocity=v[:, own, :3],
            body_angular_velocity=v[:, own, 3:],
            segments=[Segment("linear", 0, count, {"mode": number})],
            states=states,
            state_values=values,
        )
        info = {
            "messages": [
                f"mode {number}: {mode.undamped_frequency:.6g} {self.frequency_unit}, damping ratio "
                f"{mode.damping_ratio:.4g}"
            ]
        }
        return Run._of_kept(self.model, data, info)

    def _with_nodes(self, shape: np.ndarray) -> np.ndarray:
        """A mode shape (nb, 6) with the motion of nodes of flexible bodies, which follows from those of part and
        modes."""
        out = shape.copy()
        rows: dict[tuple[str, int], list[int]] = {}
        for k, (kind, ident, _) in enumerate(self.bodies):
            rows.setdefault((kind, ident), []).append(k)
        for e in self.model.table("FLEXIBILITY").values():
            if not e.active or len(rows.get(("FLEXIBILITY", e.id), ())) != e.modes:
                continue
            (part,) = rows["PART", e.part]
            A = rotation.matrices(self.quaternion[part])
            q = shape[rows["FLEXIBILITY", e.id], 0] / e.largest()
            for node in self.model.table("ATTACHMENT").values():
                if node.flexibility == e.id and ("ATTACHMENT", node.id) in rows:
                    (k,) = rows["ATTACHMENT", node.id]
                    moves = e.shape(node.node)[1] @ q
                    arm = self.position[k] - self.position[part]
                    out[k, :3] = shape[part, :3] + np.cross(shape[part, 3:], arm) + A @ moves[:3]
                    out[k, 3:] = shape[part, 3:] + A @ moves[3:]
        return out

    def _modal_states(self, way: np.ndarray, speed: np.ndarray) -> tuple[list[str], np.ndarray]:
        """Coordinates and rates of the modes of flexible bodies, as a run names them; ``way``, ``speed`` (nt, bodies):
        a mode's largest displacement."""
        states, columns = [], []
        for e in self.model.table("FLEXIBILITY").values():
            rows = [k for k, key in enumerate(self.bodies) if key[:2] == ("FLEXIBILITY", e.id)]
            if e.active and len(rows) == e.modes:
                sizes = e.largest()
                for k, row in enumerate(rows):
                    states += [f"FLEXIBILITY_{e.id}[{2 * k}]", f"FLEXIBILITY_{e.id}[{2 * k + 1}]"]
                    columns += [way[:, row] / sizes[k], speed[:, row] / sizes[k]]
        return states, np.column_stack(columns) if columns else np.zeros((len(way), 0))

    def animate(
        self, number: int, path: str | Path, *, amplitude: float | None = None, period: float = 2.0, **options: Any
    ) -> Path:
        """Write the animation of a mode, slowed to ``period``, to an HTML file
        (`results.pages.animation.write_animation` for ``options``)."""
        from .pages.animation import write_animation

        mode = self.mode(number)
        title = (
            f"{self.model.name}: mode {number}, {mode.undamped_frequency:.5g} {self.frequency_unit}, damping ratio "
            f"{mode.damping_ratio:.3g}"
        )
        return write_animation(
            self.run(number, amplitude=amplitude, periods=3, period=period), path, **{"title": title, **options}
        )

    def report(self, path: str | Path, *, modes: int = 6, **options: Any) -> Path:
        """Write an HTML page with the table of eigenvalues, and animation, coordinates and energies of the first
        ``modes`` modes that move parts."""
        from .pages.modes_report import write_modes_report

        return write_modes_report(self, path, modes=modes, **options)


WORDS = ("bodies", "x_names", "inputs", "outputs", "forces", "user_states", "warnings", "listing", "wanted")
ARRAYS = (
    "position",
    "quaternion",
    "mass",
    "inertia",
    "shapes",
    "rates",
    "A",
    "B",
    "C",
    "D",
    "force_bodies",
    "force_change",
    "user_rows",
    "spin",
)


MAX_BYTES = 2**31


def _plain(group: Any, name: str) -> np.ndarray:
    """A table of numbers that lives in this very file; the file is not trusted."""
    import h5py

    link = group.get(name, getlink=True)
    item = group.get(name) if isinstance(link, h5py.HardLink) else None
    if (
        not isinstance(item, h5py.Dataset)
        or item.is_virtual
        or item.external
        or item.dtype.kind not in "fiu"
        or item.nbytes > MAX_BYTES
    ):
        raise ValueError(f"it holds no plain table '{name}'")
    return item[()]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _open(path: Path) -> Any:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "w", encoding="utf-8", newline="")
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None


def _independent(rows: np.ndarray, names: list[str], before: np.ndarray, count: int) -> tuple[np.ndarray, list[str]]:
    """Rows and names that, with the rows ``before``, make ``count`` independent ones: by size of what the earlier ones
    leave."""
    if len(before):
        q = np.linalg.qr(before.T)[0]
        left = rows - rows @ q @ q.T
    else:
        left = rows
    need = count - len(before)
    if not len(rows) or need <= 0:
        return rows[:0], []
    _, R, pivot = sla.qr(left.T, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    chosen = [int(pivot[k]) for k in range(min(need, len(size))) if size[k] > 1e-9 * max(size[0], 1e-300)]
    chosen.sort()
    return rows[chosen], [names[k] for k in chosen]

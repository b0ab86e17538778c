"""x' = A x + B u, y = C x + D u: a linear system with names, its frequency response, and its files; continuous, or
sampled: x(k+1) = A x(k) + B u(k)."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as sla

from ..elements.control.linear import companion
from ..linalg.eigen import finite_eigenvalues
from ..model import ModelError
from ..model.base import shown
from ..model.kinds import is_number
from ..model.quantity_text import unit_of
from ..model.values import number, number_matrix
from . import feedback as loops
from . import loop_plots
from ._names import Named
from .step_figures import StepFigures, step_figures

if TYPE_CHECKING:
    from control import StateSpace as ControlStateSpace
    from matplotlib.figure import Figure
    from scipy.signal import StateSpace as SciPyStateSpace


@dataclass
class StateSpace(Named):
    """A (n, n), B (n, m), C (p, n), D (p, m) with the names of states, inputs and outputs; time in ``time_unit``.
    ``dt``: sample time of a sampled system, 0 of a continuous one."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    time_unit: str = "s"
    dt: float = 0.0

    def __post_init__(self) -> None:
        self.A, self.B, self.C, self.D = (np.atleast_2d(np.asarray(a, float)) for a in (self.A, self.B, self.C, self.D))
        n, m, p = len(self.A), self.B.shape[1], len(self.C)
        if self.A.shape != (n, n) or self.B.shape != (n, m) or self.C.shape != (p, n) or self.D.shape != (p, m):
            raise ModelError(
                f"A {self.A.shape}, B {self.B.shape}, C {self.C.shape} and D {self.D.shape} do not fit together"
            )
        for name, count in (("states", n), ("inputs", m), ("outputs", p)):
            if not getattr(self, name):
                setattr(self, name, [f"{name[:-1]}_{k + 1}" for k in range(count)])

    def __repr__(self) -> str:
        kind = f"sampled with {self.dt:g} {self.time_unit}, " if self.dt else ""
        return (
            f"StateSpace: {kind}{len(self.states)} states, inputs {', '.join(self.inputs) or 'none'}, outputs "
            f"{', '.join(self.outputs) or 'none'}"
        )

    # ---- other libraries --------------------------------------------------------------------------------------------
    def to_scipy(self) -> SciPyStateSpace:
        """The same as ``scipy.signal.StateSpace``."""
        from scipy.signal import StateSpace as Other

        return Other(self.A, self.B, self.C, self.D, **({"dt": self.dt} if self.dt else {}))

    def to_control(self) -> ControlStateSpace:
        """The same as ``control.StateSpace`` of python-control, with names; raises ModelError where that is not
        installed.

        python-control has no unit of time: its numbers are in ``time_unit``, which the system carries as an attribute
        for `from_control`; what python-control computes from it does not."""
        try:
            import control
        except ImportError:
            raise ModelError("python-control is not installed; run: pip install control (or use to_scipy)") from None
        system = control.StateSpace(
            self.A, self.B, self.C, self.D, self.dt, states=self.states, inputs=self.inputs, outputs=self.outputs
        )
        system.time_unit = self.time_unit
        return system

    @classmethod
    def from_control(cls, system: Any, time_unit: str | None = None) -> StateSpace:
        """A system of python-control (``control.StateSpace``, or a transfer function, which it converts), with its
        names and sample time. ``time_unit``: by default that of `to_control`, and "s" of any other system, since
        python-control has none. Raises `ModelError` for anything else, and for a sample time that is not specified."""
        unit = str(time_unit or getattr(system, "time_unit", "s"))
        if not hasattr(system, "A"):
            try:
                import control

                system = control.ss(system)
            except (ImportError, TypeError, ValueError) as problem:
                raise ModelError(f"this is not a system of python-control ({problem}); give a StateSpace") from None
        if system.dt is True:
            raise ModelError("the system is sampled with an unspecified sample time; give its dt a number")
        return cls(
            system.A,
            system.B,
            system.C,
            system.D,
            list(system.state_labels),
            list(system.input_labels),
            list(system.output_labels),
            unit,
            float(system.dt or 0.0),
        )

    @classmethod
    def from_transfer_function(
        cls, numerator: Any, denominator: Any, dt: float = 0.0, name: str = "", time_unit: str = "s"
    ) -> StateSpace:
        """num/den in falling powers of s (1/``time_unit``), or of z with a sample time ``dt``; ``name`` of the output.
        Raises `ModelError` where the numerator has a higher degree."""
        A, B, C, D = companion(numerator, denominator)
        return cls(A, B, C, D, [], [f"{name}_input"] if name else [], [name] if name else [], time_unit, dt)

    # ---- connections ------------------------------------------------------------------------------------------------
    __array_ufunc__ = None  # matrices and NumPy's numbers leave products with a system to it

    def __mul__(self, first: StateSpace | float | np.ndarray) -> StateSpace:
        """This system after ``first``, as in products of transfer functions; ``first`` may be a number or a matrix of
        gains."""
        if is_number(first):
            return loops.scaled(self, _gain(first))
        return loops.series(self._operand(first, "multiplied by"), self)

    def __rmul__(self, second: float | np.ndarray) -> StateSpace:
        """A number or a matrix of gains after this system."""
        if is_number(second):
            return loops.scaled(self, _gain(second))
        return loops.series(self, self._operand(second, "multiplied by"))

    def __truediv__(self, divisor: float) -> StateSpace:
        """This system with its outputs divided by a number. Raises `ModelError` for zero and for another system."""
        if not is_number(divisor) or not _gain(divisor):
            raise ModelError(f"a system cannot be divided by {shown(divisor)}; give a number that is not zero")
        return loops.scaled(self, 1.0 / _gain(divisor))

    def __add__(self, other: StateSpace | float | np.ndarray) -> StateSpace:
        """Sum of the outputs of two systems with common inputs; a number is a static gain of a system with one input
        and one output."""
        return loops.parallel(self, self._operand(other, "added to"))

    __radd__ = __add__

    def __sub__(self, other: StateSpace | float | np.ndarray) -> StateSpace:
        """Difference of the outputs of two systems with common inputs."""
        return loops.parallel(self, loops.scaled(self._operand(other, "subtracted from"), -1.0))

    def __rsub__(self, other: float | np.ndarray) -> StateSpace:
        """A static gain less this system."""
        return -self + other

    def __neg__(self) -> StateSpace:
        """This system with its outputs negated."""
        return loops.scaled(self, -1.0)

    def _operand(self, other: Any, what: str) -> StateSpace:
        if isinstance(other, StateSpace):
            return other
        if is_number(other) and self.D.shape == (1, 1):
            return loops.static(self, _gain(other))
        if isinstance(other, (np.ndarray, list, tuple)):
            return loops.static(self, number_matrix(other, "a matrix of gains"))
        p, m = self.D.shape
        gains = " or a number" if self.D.shape == (1, 1) else f", or a matrix of gains for its {p} outputs, {m} inputs"
        raise ModelError(f"a StateSpace cannot be {what} {shown(other)}; give a StateSpace{gains}")

    def in_time_unit(self, unit: str) -> StateSpace:
        """The same system with time in another unit ("s", "ms", "min", ...). Raises `ModelError` for an unknown one."""
        factor = _seconds(unit) / _seconds(self.time_unit)  # old units in a new one
        rates = (1.0, 1.0) if self.dt else (factor, factor)
        names = list(self.states), list(self.inputs), list(self.outputs)
        A, B = rates[0] * self.A, rates[1] * self.B
        return StateSpace(A, B, self.C, self.D, *names, unit, self.dt / factor)

    def feedback(self, back: StateSpace | float | np.ndarray | None = None, sign: float = -1.0) -> StateSpace:
        """The loop closed by ``back`` (1 by default); `holonom.results.feedback.feedback`."""
        return loops.feedback(self, None if back is None else self._operand(back, "closed by"), sign)

    def select(self, outputs: Any = None, inputs: Any = None) -> StateSpace:
        """The system of some outputs and inputs, by names or numbers."""
        i, o = (
            list(range(len(getattr(self, kind))))
            if asked is None
            else [self._index(kind, r) for r in (asked if isinstance(asked, (list, tuple)) else [asked])]
            for kind, asked in (("inputs", inputs), ("outputs", outputs))
        )
        names = [self.inputs[k] for k in i], [self.outputs[k] for k in o]
        return StateSpace(
            self.A, self.B[:, i], self.C[o], self.D[np.ix_(o, i)], list(self.states), *names, self.time_unit, self.dt
        )

    def discretize(self, period: float, method: str = "zoh", prewarp: float = 0.0) -> StateSpace:
        """The sampled system (units of time); `holonom.results.feedback.discretize`."""
        return loops.discretize(self, period, method, prewarp)

    def margins(self) -> loops.Margins:
        """Stability margins of this loop transfer function under negative feedback."""
        return loops.margins(self)

    def step_response(self, times: Any, input: Any = 0) -> np.ndarray:
        """Outputs (nt, p) after a unit step of an input from rest."""
        return loops.step_response(self, times, input)

    def step_figures(self, output: Any = 0, input: Any = 0) -> StepFigures:
        """Final value, rise and settling time, overshoot and its time of a step response."""
        return step_figures(self, output, input)

    def gain_locus(self, gains: Any) -> np.ndarray:
        """Poles (ng, n) of the loop closed by each of ``gains``."""
        return loops.gain_locus(self, gains)

    def plot_bode(self, frequency: Any = None, axes: Any = None) -> Figure:
        """Bode diagram of a loop with its margins (frequencies in cycles per unit of time)."""
        return loop_plots.bode(self, frequency, axes)

    def plot_nyquist(self, frequency: Any = None, axes: Any = None) -> Figure:
        """Nyquist diagram of a loop (no units)."""
        return loop_plots.nyquist(self, frequency, axes)

    def plot_nichols(self, frequency: Any = None, axes: Any = None) -> Figure:
        """Nichols diagram of a loop (dB over degrees)."""
        return loop_plots.nichols(self, frequency, axes)

    def plot_root_locus(self, gains: Any, axes: Any = None) -> Figure:
        """Root locus over feedback gains (1 / time)."""
        return loop_plots.root_locus(self, gains, axes)

    def plot_step(self, times: Any, output: Any = 0, input: Any = 0, axes: Any = None) -> Figure:
        """Step response of one path over time."""
        return loop_plots.step(self, times, output, input, axes)

    # ---- answers ----------------------------------------------------------------------------------------------------
    @property
    def poles(self) -> np.ndarray:
        """Eigenvalues of A."""
        return finite_eigenvalues(self.A, np.eye(len(self.A))).values

    @property
    def zeros(self) -> np.ndarray:
        """Invariant zeros: s where [A - s I, B; C, D] loses rank. The numbers of inputs and outputs must be equal.

        A pencil that is singular for every s (a transfer function of zero) has none: an empty array.
        """
        from ..linalg.eigen import SingularPencil

        n, m, p = len(self.A), self.B.shape[1], len(self.C)
        if m != p:
            raise ModelError(f"zeros need as many inputs as outputs, not {m} and {p}")
        # Scaled so that rows of inputs and outputs compare with A: infinite zeros must stay far away.
        b = np.linalg.norm(self.A) / max(float(np.linalg.norm(self.B)), 1e-300)
        c = np.linalg.norm(self.A) / max(float(np.linalg.norm(self.C)), float(np.linalg.norm(self.D)), 1e-300)
        E = np.zeros((n + m, n + m))
        E[:n, :n] = np.eye(n)
        matrix = np.block([[self.A, b * self.B], [c * self.C, b * c * self.D]])
        try:
            return _reduced_zeros(matrix, n)
        except SingularPencil:
            return np.zeros(0, complex)

    def response(self, s: Any) -> np.ndarray:
        """Transfer matrix C (s I - A)^-1 B + D (ns, p, m) at complex ``s`` (z of a sampled system)."""
        s = np.atleast_1d(np.asarray(s, complex))
        T, Z = sla.schur(self.A, "complex") if len(self.A) else (np.zeros((0, 0), complex), np.zeros((0, 0), complex))
        right, left = Z.conj().T @ self.B, self.C @ Z
        x = np.empty((len(s), *right.shape), complex)
        for k in reversed(range(len(T))):  # (s I - T) x = right from below, all s at once
            x[:, k] = (right[k] + T[k, k + 1 :] @ x[:, k + 1 :]) / (s - T[k, k])[:, None]
        return self.D + left @ x

    def frequency_response(self, frequency: Any) -> np.ndarray:
        """Transfer matrix (nf, p, m) at frequencies in cycles per unit of time (Hz when time is in seconds)."""
        s = 2j * np.pi * np.asarray(frequency, float)
        return self.response(np.exp(s * self.dt) if self.dt else s)

    def transfer_function(self, output: Any = 0, input: Any = 0) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator of one path, in falling powers of s, leading denominator coefficient 1.

        Polynomials are for small systems: beyond some ten states use `response`.
        """
        i, o = self._index("inputs", input), self._index("outputs", output)
        path = StateSpace(self.A, self.B[:, [i]], self.C[[o]], self.D[[o]][:, [i]])
        poles, zeros = self.poles, path.zeros
        den = np.real(np.poly(poles)) if len(poles) else np.ones(1)
        num = np.real(np.poly(zeros)) if len(zeros) else np.ones(1)
        # The gain from a point away from all of them.
        far = 1.0 + 2.0 * max([1.0, *np.abs(poles), *np.abs(zeros)])
        gain = path.response(far)[0, 0, 0] * np.prod([far - p for p in poles]) / np.prod([far - z for z in zeros])
        return float(np.real(gain)) * num, den

    def psd(self, frequency: Any, density: Any) -> np.ndarray:
        """Spectral densities of the outputs (nf, p): H S H^H, real diagonal.

        ``density``: one-sided density of the inputs over ``frequency``, a number or (nf,) for uncorrelated inputs of
        equal density, (nf, m) for uncorrelated inputs, or (nf, m, m) for cross densities.
        """
        f = np.asarray(frequency, float)
        m = self.B.shape[1]
        S = np.asarray(density, float if not np.iscomplexobj(density) else complex)
        if S.ndim < 2:
            S = np.broadcast_to(S.reshape(-1, 1), (len(f), m)) if S.ndim else np.full((len(f), m), S)
        if S.shape[:2] != (len(f), m) or S.ndim > 3 or (S.ndim == 3 and S.shape[2] != m):
            raise ModelError(
                f"the density must have shape ({len(f)},), ({len(f)}, {m}) or ({len(f)}, {m}, {m}), not "
                f"{np.shape(density)}"
            )
        H = self.frequency_response(f)
        return (
            np.einsum("fpi,fi,fpi->fp", H, S, H.conj()).real
            if S.ndim == 2
            else np.einsum("fpi,fij,fpj->fp", H, S, H.conj()).real
        )

    def rms(self, frequency: Any, density: Any) -> np.ndarray:
        """Root mean square (p,) of the outputs: the root of the area under `psd` (trapezoidal rule)."""
        return np.sqrt(np.trapezoid(self.psd(frequency, density), np.asarray(frequency, float), axis=0))

    def white_noise_rms(self, density: float = 1.0) -> np.ndarray:
        """Root mean square (p,) of the outputs under uncorrelated white noise of one-sided density ``density`` at every
        input.

        From the Lyapunov equation A X + X A^T + B W B^T = 0. Raises ModelError for a system that is not stable, and
        for direct feedthrough (D not zero), where the result is infinite.
        """
        if self.dt:
            raise ModelError("the answer to white noise is of continuous systems, and this one is sampled")
        if np.any(self.poles.real >= 0.0):
            raise ModelError("the system is not stable, so its answer to noise grows without bound")
        if np.any(self.D):
            raise ModelError(
                "an input reaches an output directly (D is not zero), so the answer to white noise is infinite"
            )
        X = sla.solve_continuous_lyapunov(self.A, -0.5 * density * self.B @ self.B.T)
        return np.sqrt(np.einsum("pi,ij,pj->p", self.C, X, self.C))

    def plot(self, frequency: Any, output: Any = 0, input: Any = 0, axes: Any = None) -> Figure:
        """Bode diagram of one path on two matplotlib axes (made when none are given); returns the figure."""
        from .pictures.figures import pyplot

        plt = pyplot()

        i, o = self._index("inputs", input), self._index("outputs", output)
        h = self.frequency_response(frequency)[:, o, i]
        top, low = plt.subplots(2, 1, sharex=True)[1] if axes is None else axes
        top.loglog(frequency, np.abs(h))
        low.semilogx(frequency, np.degrees(np.unwrap(np.angle(h))))
        top.set(ylabel="gain", title=f"{self.outputs[o]} over {self.inputs[i]}")
        low.set(
            ylabel="phase / deg",
            xlabel="frequency / Hz" if self.time_unit == "s" else f"frequency / cycles per {self.time_unit}",
        )
        for ax in (top, low):
            ax.grid(True, which="both", alpha=0.3)
        return top.figure

    def _index(self, kind: str, reference: Any) -> int:
        names = getattr(self, kind)
        if isinstance(reference, str):
            low = [n.lower() for n in names]
            if reference.lower() not in low:
                raise ModelError(f"there is no {kind[:-1]} '{reference}'; choose one of {', '.join(names) or '(none)'}")
            return low.index(reference.lower())
        if not 0 <= reference < len(names):
            raise ModelError(f"there are {len(names)} {kind}; there is no number {reference}")
        return int(reference)

    # ---- files ------------------------------------------------------------------------------------------------------
    def save(self, path: str | Path, format: str | None = None) -> list[Path]:
        """Write the matrices; returns the files.  ``format``: by default from the extension:

        npz (.npz, NumPy), mat (.mat, MATLAB 5), MATLAB (text files PATHa, PATHb, PATHc, PATHd, one row a line, and
        PATHst with the names, as Adams writes them), MATRIXX (one text file in the FSAVE layout of MATRIXx).
        """
        path = Path(path)
        kind = (format or path.suffix.lstrip(".") or "MATLAB").upper()
        matrices = {"a": self.A, "b": self.B, "c": self.C, "d": self.D}
        names = {k: np.array(getattr(self, k), dtype=str) for k in ("states", "inputs", "outputs")}
        try:
            if kind == "NPZ":
                np.savez(
                    path,
                    A=self.A,
                    B=self.B,
                    C=self.C,
                    D=self.D,
                    states=names["states"],
                    inputs=names["inputs"],
                    outputs=names["outputs"],
                    dt=self.dt,
                    time_unit=self.time_unit,
                )
                return [path if path.suffix == ".npz" else path.with_name(path.name + ".npz")]
            if kind == "MAT":
                from scipy.io import savemat

                words = {k: np.array(list(v), dtype=object) for k, v in names.items()}
                rest = {"dt": self.dt, "time_unit": self.time_unit}
                savemat(path, {**{k.upper(): v for k, v in matrices.items()}, **words, **rest}, appendmat=False)
                return [path]
            if kind == "MATLAB":
                files = []
                for k, value in matrices.items():
                    files.append(path.with_name(path.name + k))
                    np.savetxt(files[-1], value, fmt="%24.16e")
                files.append(path.with_name(path.name + "st"))
                lines = [
                    f"{word} {n + 1}: {name}"
                    for word in ("states", "inputs", "outputs")
                    for n, name in enumerate(getattr(self, word))
                ]
                files[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
                return files
            if kind == "MATRIXX":
                text = []
                for k, value in matrices.items():
                    text.append(f"{k.upper():<10}{value.shape[0]:5d}{value.shape[1]:5d}{0:5d}{'(1P3E25.17)':<20}")
                    column = value.T.ravel()
                    text += ["".join(f"{v:25.17E}" for v in column[n : n + 3]) for n in range(0, len(column), 3)]
                path.write_text("\n".join(text) + "\n", encoding="utf-8")
                return [path]
        except OSError as problem:
            raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
        raise ModelError(
            f"unknown format '{format or path.suffix}' of state matrices; choose npz, mat, MATLAB or MATRIXX"
        )

    @classmethod
    def load(cls, path: str | Path) -> StateSpace:
        """Read A, B, C, D of a .npz or .mat file (MATLAB 5 to 7.2), with names and sample time where it has them.

        Raises `ModelError` for a file without these matrices, of another format or with matrices that do not fit."""
        path = Path(path)
        try:
            if path.suffix.lower() == ".npz":
                with np.load(path, allow_pickle=False) as file:
                    data = {k: file[k] for k in file.files}
            elif path.suffix.lower() == ".mat":
                from scipy.io import loadmat

                data = loadmat(path, appendmat=False)
            else:
                raise ModelError(f"'{path}' has an unknown format; give a .npz or .mat file")
        except (OSError, ValueError, NotImplementedError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as problem:
            raise ModelError(f"cannot read state matrices from '{path}': {problem}") from None
        found = {k.upper(): v for k, v in data.items() if k.upper() in ("A", "B", "C", "D")}
        missing = [k for k in "ABCD" if k not in found]
        if missing:
            raise ModelError(f"'{path}' has no matrix {', '.join(missing)}; save A, B, C and D")
        for k, value in found.items():
            if not np.issubdtype(np.asarray(value).dtype, np.number) or np.iscomplexobj(value):
                raise ModelError(f"{k} of '{path}' is not a matrix of real numbers")
        n, m, p = len(found["A"]), found["D"].shape[-1], len(found["D"])
        shaped = [
            np.reshape(found[k], s) if np.size(found[k]) == s[0] * s[1] else found[k]
            for k, s in (("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m)))
        ]
        words = lambda name: [str(np.ravel(v)[0]) if np.size(v) else "" for v in np.ravel(data.get(name, []))]
        dt = float(np.ravel(data.get("dt", [0.0]))[0])
        unit = str(np.ravel(data.get("time_unit", ["s"]))[0])
        A, B, C, D = shaped
        return cls(A, B, C, D, words("states"), words("inputs"), words("outputs"), unit, dt)


def _gain(value: Any) -> float:
    return number(value, "the gain")


def _seconds(unit: str) -> float:
    """Length of a unit of time."""
    size, dimension = unit_of(unit)
    if dimension[:4] != unit_of("s")[1][:4]:
        raise ModelError(f"'{unit}' is no unit of time; give 's', 'ms', 'min' or 'h'")
    return size


def _reduced_zeros(matrix: np.ndarray, n: int) -> np.ndarray:
    """Finite s where [A - s I, B; C, D] is singular, by compressing D away (A. Emami-Naeini, P. Van Dooren, Automatica
    18 (1982)).

    Each pass either finds D regular, when the zeros are the eigenvalues of A - B D^-1 C, or finds outputs without D and
    turns them into constraints on the state, which takes states and infinite zeros away.
    """
    from ..linalg.eigen import SingularPencil

    A, B, C, D = matrix[:n, :n], matrix[:n, n:], matrix[n:, :n], matrix[n:, n:]
    tol = 1e-12 * max(float(np.linalg.norm(matrix)), 1e-300)
    while True:
        n, m = A.shape[0], B.shape[1]
        if m == 0:
            return finite_eigenvalues(A, np.eye(n)).values
        U, s, _ = np.linalg.svd(D)
        r = int(np.sum(s > tol))
        if r == m:
            return finite_eigenvalues(A - B @ np.linalg.solve(D, C), np.eye(n)).values
        C, D = U.T @ C, U.T @ D
        low = C[r:]  # rows without D: low x = 0
        _, t, Vt = np.linalg.svd(low)
        rank = int(np.sum(t > tol))
        if rank < m - r:
            raise SingularPencil("the transfer matrix is singular for every s")
        V = np.vstack([Vt[rank:], Vt[:rank]]).T  # states left, then those that the outputs pin
        A, B, C = V.T @ A @ V, V.T @ B, C[:r] @ V
        k = n - rank
        # The pinned states are zero, so their rates are: they are the new outputs.
        A, B, C, D = A[:k, :k], B[:k], np.vstack([C[:, :k], A[k:, :k]]), np.vstack([D[:r], B[k:]])

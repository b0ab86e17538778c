"""Regressors of inertial parameters: efforts of a machine are linear in the masses, first moments and inertias of its
bodies.  Which combinations of these an experiment can determine at all (base parameters), and what they are.

Of a body with angular velocity w, angular acceleration a, and acceleration b of the origin of its frame less gravity
(all in its axes), force and moment about this origin are

    F = m b + (a x + w x w x) mc,    M = mc x b + I a + w x (I w)

with mass m, first moment mc = m (x, y, z) and inertia I about the origin: linear in ten numbers.  Jacobians carry them
to the freedoms of the machine (Khalil and Dombre, Modeling, Identification and Control of Robots, 2002, 12.3); of loops
the rows are those of the drives, by the velocities that the loops allow.  Columns that depend on columns before them
are grouped with these (Gautier, J. Robotic Systems 8, 1991).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .._summary import Summary
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained, explained_class
from ..model.kinds import is_number, is_whole
from ..recursive.kinematics import JointKinematics
from ..system.part_calls import FORCES

if TYPE_CHECKING:
    from ..recursive.kinematics import BodyMotions

WORDS = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
DEPENDENT = 1e-8  # of a column of length one, what is not in the columns before it, that counts as nothing
CLOSED = 1e-11  # of loops, over the size of the machine
STEP = 1e-3  # displacement of the differences of the rows of loops


@explained_class
@dataclass(repr=False)
class BaseParameters(Summary):
    """Combinations of inertial parameters that the efforts depend on, as few as possible.

    ``names``: all parameters, "link.mx"; ``independent``: indices of the columns that lead a combination;
    ``combination`` (b, n): base parameters = combination @ parameters; ``without_effect``: names of parameters that
    no motion of the machine feels; ``condition``: of the columns of length one of the sample."""

    names: list[str]
    independent: list[int]
    combination: np.ndarray = field(repr=False)
    without_effect: list[str]
    condition: float

    def __len__(self) -> int:
        return len(self.independent)

    def expression(self, k: int) -> str:
        """Base parameter ``k`` as a sum, "arm.Izz + 0.25 link.m"."""
        row = self.combination[k]
        terms = [self.names[self.independent[k]]]
        for j in np.flatnonzero(np.abs(row) > 1e-9 * np.abs(row).max()):
            if j != self.independent[k]:
                size = "" if math.isclose(abs(row[j]), 1.0, rel_tol=1e-9) else f"{abs(row[j]):.6g} "
                terms.append(f"{'-' if row[j] < 0 else '+'} {size}{self.names[j]}")
        return " ".join(terms)

    def text(self) -> str:
        """The combinations, a line each, and what has no effect."""
        lines = [self.expression(k) for k in range(len(self))]
        if self.without_effect:
            lines.append(f"without effect: {', '.join(self.without_effect)}")
        return "\n".join(lines)

    __str__ = text


@explained_class
@dataclass(repr=False)
class InertiaEstimate(Summary):
    """Base parameters from measured efforts.

    ``base``: which combinations; ``values``, ``std``, ``interval`` (``level``): of each; ``noise``: standard deviation
    of each effort, given or estimated; ``misfit``: root mean square residual over the noise; ``condition``: of the
    weighted columns of length one, large where the motion excites some combinations little."""

    base: BaseParameters
    values: np.ndarray
    std: np.ndarray
    interval: np.ndarray
    level: float
    noise: np.ndarray
    misfit: float
    condition: float

    def text(self) -> str:
        """The base parameters with their intervals, a line each."""
        lines = [
            f"{v:12.6g} +- {s:9.3g}  {low:.6g} to {high:.6g}  {self.base.expression(k)}"
            for k, (v, s, (low, high)) in enumerate(zip(self.values, self.std, self.interval))
        ]
        return "\n".join([*lines, f"misfit {self.misfit:.3g} of the noise, condition {self.condition:.3g}"])

    __str__ = text


@explained_class
class InertiaRegressor:
    """The efforts of a machine as a linear function of the inertial parameters of its bodies.

    ``model``: rigid bodies and joints; MOTIONs are left out.  ``drives``: of a machine with loops, the names of the
    freedoms that are driven ("main.angle"), which determine all others; of a tree all freedoms are.  Parameters of a
    body are its mass, first moments and inertias in the axes of the part about the origin of the part, in model units;
    of a joint with an armature this is one more.

    ``names``: of the parameters; ``freedoms``: of the efforts; ``values``: parameters of the model as it is.

    Raises ModelError for flexible bodies, for forces other than gravity (they are not linear in these parameters:
    remove them from the model, and subtract their effort from what was measured), and for drives that do not determine
    the machine.

        regressor = hn.studies.InertiaRegressor(robot)
        print(regressor.base())
        found = regressor.identify(q, v, acceleration, torques)
    """

    def __init__(self, model: Model, drives: Sequence[str] | None = None) -> None:
        self.joints = joints = JointKinematics(model)
        if joints.system.S.parts[:, FORCES].any():
            raise ModelError(
                f"regressor of '{model.name}': forces other than gravity act on its bodies; remove them from the model "
                "and subtract their effort from the measured ones"
            )
        system, tree = joints.system, joints._tree
        self._gravity, self._factor = np.asarray(system.bodies.gravity, float), float(model.units.mass_factor)
        self._geared = np.flatnonzero(np.asarray(tree.armature))
        self.names, values = [], []
        for b in np.asarray(tree.body):
            place, m = system.local[b], float(system.bodies.mass[b])
            self.names += [f"{system.body_elements[b].name}.{word}" for word in WORDS]
            values += _parameters(m, place.origin, place.axes @ np.diag(system.bodies.J[b]) @ place.axes.T)
        self.names += [f"{joints.freedoms[k]}.armature" for k in self._geared]
        self.values = np.array([*values, *np.asarray(tree.armature)[self._geared]]) / self._factor
        self._drives = self._driven(drives)
        self.freedoms = [joints.freedoms[k] for k in self._drives]

    def _driven(self, drives: Sequence[str] | None) -> list[int]:
        joints = self.joints
        gaps, _ = joints.gaps(joints.q, motions=False)
        if not len(gaps):
            if drives is not None and list(drives) != list(joints.freedoms):
                raise ModelError(
                    "regressor: the machine has no loops, so all of its freedoms are drives; leave them out"
                )
            return list(range(joints.nv))
        if not drives or isinstance(drives, str):
            raise ModelError(
                f"regressor: the machine has loops; give drives, as ['{joints.freedoms[0]}'], those of "
                f"{', '.join(joints.freedoms)} that are driven"
            )
        for name in drives:
            if name not in joints.freedoms or name not in joints.coordinates:
                known = [n for n in joints.freedoms if n in joints.coordinates]
                raise ModelError(f"regressor: there is no freedom {shown(name)}{did_you_mean(name, known)}")
        chosen = [joints.freedoms.index(name) for name in drives]
        _, G = joints.gaps(joints.q, motions=False)
        rest = [k for k in range(joints.nv) if k not in chosen]
        rank, whole = (np.linalg.matrix_rank(A, tol=1e-9 * np.abs(G).max()) for A in (G[:, rest], G))
        if rank < len(rest):
            raise ModelError(
                f"regressor: {', '.join(drives)} leave {len(rest) - rank} freedoms of the machine open; add drives"
            )
        if whole > rank:
            raise ModelError(
                f"regressor: {', '.join(drives)} depend on each other through the loops; give fewer drives"
            )
        return chosen

    def matrix(self, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike) -> np.ndarray:
        """Rows Y (freedoms, parameters) with efforts = Y @ parameters, for one sample; (k, freedoms, parameters) for k
        rows.  Of a tree ``q`` (nq), ``v`` and ``acceleration`` (nv) are in joint coordinates; of loops they are those
        of the drives, and rows follow each other in a continuous motion from the design position.  Raises ModelError
        for other shapes, and where a loop cannot be closed."""
        size = self.joints.nq if self._tree else len(self._drives)
        rows = [np.asarray(x, float) for x in (q, v, acceleration)]
        one = rows[0].ndim == 1
        Q, V, A = (np.atleast_2d(x) for x in rows)
        for word, X, width in (("q", Q, size), ("v", V, len(self._drives)), ("acceleration", A, len(self._drives))):
            if X.shape != (len(Q), width) or not np.isfinite(X).all():
                raise ModelError(
                    f"regressor: {word} must be finite numbers of shape ({len(Q)}, {width}), got {X.shape}"
                )
        out, place = np.zeros((len(Q), len(self._drives), len(self.names))), self.joints.q
        for k in range(len(Q)):
            if self._tree:
                motion, full, across = self.joints.body_motions(Q[k], V[k]), A[k], None
            else:
                place = self._close(place, Q[k])
                across, full, rates = self._carry(place, V[k], A[k])
                motion = self.joints.body_motions(place, rates)
            Y = self._efforts(motion, full)
            out[k] = Y if across is None else across.T @ Y
        return out[0] if one else out

    @property
    def _tree(self) -> bool:
        return len(self._drives) == self.joints.nv

    def _close(self, q: np.ndarray, drives: np.ndarray) -> np.ndarray:
        """Coordinates at which the loops are closed, from those nearby."""
        joints = self.joints
        q = q.copy()
        q[[joints.coordinates.index(name) for name in self.freedoms]] = drives
        rest = [k for k in range(joints.nv) if k not in self._drives]
        for _ in range(50):
            gaps, G = joints.gaps(q, motions=False)
            if np.abs(gaps).max() <= CLOSED * max(1.0, float(np.abs(q).max())):
                return q
            d = np.zeros(joints.nv)
            d[rest] = np.linalg.lstsq(G[:, rest], -gaps, rcond=1e-10)[0]
            q = joints.moved(q, d / max(1.0, float(np.abs(d).max()) / 0.5))
        text = ", ".join(f"{n} = {x:g}" for n, x in zip(self.freedoms, drives))
        raise ModelError(f"regressor: the loops cannot be closed at {text}; take smaller steps, or another position")

    def _carry(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocities of all freedoms for unit ones of the drives (nv, drives); accelerations and rates of all."""
        joints, chosen = self.joints, self._drives
        rest = [k for k in range(joints.nv) if k not in chosen]
        G = joints.gaps(q, motions=False)[1]
        across = np.zeros((joints.nv, len(chosen)))
        across[chosen] = np.eye(len(chosen))
        across[rest] = -np.linalg.lstsq(G[:, rest], G[:, chosen], rcond=1e-10)[0]
        rates = across @ v
        full = across @ a
        if fastest := float(np.abs(rates).max()):
            h = STEP / fastest
            at = {k: joints.gaps(joints.moved(q, k * h * rates), motions=False)[1] for k in (-2, -1, 1, 2)}
            change = (8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) @ rates / (12.0 * h)
            full[rest] -= np.linalg.lstsq(G[:, rest], change, rcond=1e-10)[0]
        return across, full, rates

    def _efforts(self, motion: BodyMotions, acceleration: np.ndarray) -> np.ndarray:
        """Rows (nv, parameters) of all freedoms of the tree."""
        out = np.zeros((self.joints.nv, len(self.names)))
        for k, (R, J, bias, spin) in enumerate(zip(motion.axes, motion.jacobians, motion.bias, motion.spins)):
            b = R.T @ (J[:3] @ acceleration + bias[:3] - self._gravity)
            a, w = R.T @ (J[3:] @ acceleration + bias[3:]), R.T @ spin
            wrench = np.zeros((6, 10))
            wrench[:3, 0] = b
            wrench[:3, 1:4] = _cross(a) + _cross(w) @ _cross(w)
            wrench[3:, 1:4] = -_cross(b)
            wrench[3:, 4:] = _inertia(a) + _cross(w) @ _inertia(w)
            turned = np.vstack([R @ wrench[:3], R @ wrench[3:]])
            out[:, 10 * k : 10 * k + 10] = J.T @ turned
        for k, freedom in enumerate(self._geared, 10 * len(motion.axes)):
            out[freedom, k] = acceleration[freedom]
        return self._factor * out

    def base(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        *,
        count: int | None = None,
        seed: int = 0,
    ) -> BaseParameters:
        """Base parameters: those of given samples, by default of ``count`` random motions, which are all that any
        motion can determine.  Raises ModelError where only some of ``q``, ``v`` and ``acceleration`` are given."""
        given = [x is not None for x in (q, v, acceleration)]
        if any(given) and not all(given):
            raise ModelError("regressor: give q, v and acceleration, or none of them")
        if count is not None and (not is_whole(count) or count < 1):
            raise ModelError(f"regressor: count must be a whole number from 1, got {shown(count)}")
        if all(given):
            Y = self.matrix(q, v, acceleration)  # type: ignore[arg-type]
        else:
            Y = self._random(len(self.names) + 10 if count is None else count, seed)
        return _base(Y.reshape(-1, len(self.names)), self.names)

    def _random(self, count: int, seed: int) -> np.ndarray:
        """Rows of random motions: of loops along one path of the drives, so that each sample can be closed."""
        rng, k = np.random.default_rng(seed), len(self._drives)
        V, A = rng.standard_normal((2, count, k))
        joints = self.joints
        if self._tree:
            Q = np.array([joints.moved(joints.q, rng.uniform(-2.0, 2.0, joints.nv)) for _ in range(count)])
            return self.matrix(Q, V, A)
        start = np.array([joints.q[joints.coordinates.index(n)] for n in self.freedoms])
        way = 0.15 * np.sin(np.outer(np.linspace(0.0, 6.0, count), 1.0 + np.arange(k)))
        return self.matrix(start + way, V, A)

    @partial(explained, name="identify", bound=True)
    def identify(
        self,
        q: ArrayLike,
        v: ArrayLike,
        acceleration: ArrayLike,
        efforts: ArrayLike,
        *,
        std: ArrayLike | None = None,
        level: float = 0.95,
    ) -> InertiaEstimate:
        """Base parameters by weighted least squares of measured ``efforts`` (k, freedoms), with intervals.  ``std``:
        noise of each effort, by default estimated from the residuals.  Position, rate and acceleration count as
        exact: filter them, or take them from a periodic motion.  Raises ModelError for other shapes, and for fewer
        samples than base parameters."""
        from scipy.stats import norm, t

        Y = np.atleast_3d(self.matrix(np.atleast_2d(q), np.atleast_2d(v), np.atleast_2d(acceleration)))
        tau = np.atleast_2d(np.asarray(efforts, float))
        if tau.shape != Y.shape[:2] or not np.isfinite(tau).all():
            raise ModelError(f"regressor: efforts must be finite numbers of shape {Y.shape[:2]}, got {tau.shape}")
        if not is_number(level) or not 0.0 < level < 1.0:
            raise ModelError(f"regressor: level must be between 0 and 1, got {shown(level)}")
        base = _base(Y.reshape(-1, len(self.names)), self.names)
        W = Y[:, :, base.independent]
        count, dof = W.shape[2], tau.size - W.shape[2]
        if dof < 1:
            raise ModelError(f"regressor: {tau.size} efforts cannot determine {count} base parameters; measure more")
        noise = np.ones(tau.shape[1])
        if std is not None:
            noise = np.broadcast_to(np.asarray(std, float), noise.shape).astype(float)
            if not (noise > 0.0).all():
                raise ModelError(f"regressor: std must be above zero, got {shown(std)}")
        for _ in range(1 if std is not None else 10):
            values, inverse, condition = _solved((W / noise[:, None]).reshape(-1, count), (tau / noise).ravel())
            residual = tau - W @ values
            if std is None:
                share = (len(tau) * len(noise) - count) / (len(tau) * len(noise))
                noise = np.maximum(
                    np.sqrt((residual**2).mean(axis=0) / share), 1e-14 * np.abs(tau).max(axis=0) + 1e-300
                )
        spread = np.sqrt(np.diag(inverse))
        factor = float(norm.ppf(0.5 + 0.5 * level) if std is not None else t.ppf(0.5 + 0.5 * level, dof))
        ends = np.column_stack([values - factor * spread, values + factor * spread])
        misfit = math.sqrt(float(((residual / noise) ** 2).sum()) / dof)
        return InertiaEstimate(base, values, spread, ends, level, noise, misfit, condition)


def _solved(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Least squares: solution, inverse of A'A, condition of the columns of length one."""
    size = np.linalg.norm(A, axis=0)
    U, s, Vt = np.linalg.svd(A / size, full_matrices=False)
    x = (Vt.T @ ((U.T @ b) / s)) / size
    return x, (Vt.T / s**2) @ Vt / np.outer(size, size), float(s[0] / s[-1])


def _base(W: np.ndarray, names: list[str]) -> BaseParameters:
    """Independent columns in order, and what the others add to them."""
    size = np.linalg.norm(W, axis=0)
    felt = size > 1e-12 * max(float(size.max(initial=0.0)), 1e-300)
    Q = np.zeros((len(W), 0))
    independent: list[int] = []
    for j in np.flatnonzero(felt):
        column = W[:, j] / size[j]
        for _ in range(2):  # twice is enough (Giraud, Langou and Rozloznik, 2005)
            column = column - Q @ (Q.T @ column)
        left = float(np.linalg.norm(column))
        if left > DEPENDENT:
            independent.append(int(j))
            Q = np.column_stack([Q, column / left])
    lead = W[:, independent]
    combination = np.zeros((len(independent), len(names)))
    if independent:
        scale = size[independent]
        combination = np.linalg.lstsq(lead / scale, W, rcond=None)[0] / scale[:, None]
        combination[np.abs(combination) * scale[:, None] < 1e-9 * np.maximum(size, 1e-300)] = 0.0
        combination[:, independent] = np.eye(len(independent))
    combination[:, ~felt] = 0.0
    s = np.linalg.svd(lead / size[independent], compute_uv=False) if independent else np.ones(1)
    silent = [n for n, f in zip(names, felt) if not f]
    return BaseParameters(names, independent, combination, silent, float(s[0] / s[-1]))


def _parameters(m: float, c: np.ndarray, I: np.ndarray) -> list[float]:
    """Ten numbers of a body: of mass, centre of mass and inertia about it, in the axes of the part."""
    I = I + m * ((c @ c) * np.eye(3) - np.outer(c, c))
    return [m, *(m * c), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]


def _cross(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _inertia(w: np.ndarray) -> np.ndarray:
    """I w as a matrix times (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    x, y, z = w
    return np.array([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])

"""Types of force from outside of the package in gradients: their tangents are compared with differences first.

A gradient multiplies by the tangent that a type of force states (`elements.kinds`); a wrong one would give a wrong
derivative silently, where a run with it only takes more iterations.  So each such force is examined where the run
begins and at states around it, by central differences of six points of what its law gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..._handle import make_handle
from ..._six_points import AT, WEIGHTS
from ...elements.frames import WRENCH, make_frames
from ...elements.kinds import FORCES, SHIPPED
from ...model import ModelError
from ...system.port_kernels import law_alone, tangent_alone

SAMPLES = 4
STEP = 1e-4  # of the size of what is changed
DIFFERENCE = 1e-5  # of the largest derivative by the same thing
#: shipped types whose law is a function from outside
BY_FUNCTION = frozenset({"TYRE_USER"})
THINGS = ("position", "angle", "velocity", "angular velocity")


def is_own(name: str) -> bool:
    """Whether the elements of a KIND are forces of a type from outside that a gradient can take: of frames, states and
    inputs alone."""
    kind = FORCES.get(name)
    return (
        kind is not None
        and kind.force is not None
        and name not in SHIPPED
        and kind.tables is None
        and kind.coordinates is None
        and kind.modal is None
    )


def own_kinds() -> list[str]:
    """KINDs of those that are registered."""
    return [name for name in FORCES if is_own(name)]


def check_tangents(system: Any) -> None:
    """Raise ModelError for the first force of a type, or by a function, from outside whose tangent is not the
    derivative of its law."""
    for k, element in enumerate(system.ports.elements):
        if is_own(element.KIND) or element.KIND in BY_FUNCTION:
            _Law(system, k, element).check()


class _Law:
    """The law of force number ``k`` of a system as a function of one vector: displacements of its frames (turns about
    ground axes), their velocities, states, inputs."""

    def __init__(self, system: Any, k: int, element: Any):
        ports = system.ports
        ports.find_tangents()
        self.element, self.number = element, k
        self.n, self.x = len(ports.frames[k]), ports.start[k]
        S, W = ports.S, ports.W
        self.first, self.at, self.state = int(S.first[k]), int(S.input_at[k] + 2 * S.bent_at[k]), int(S.state_at[k])
        self.u = W.u[self.at : self.at + int(S.input_at[k + 1] - S.input_at[k])].copy()
        frame = S.frame.copy()
        frame[self.first : self.first + self.n] = np.arange(self.n)
        fr = make_frames(np.zeros(self.n), np.zeros((self.n, 3)), np.zeros((self.n, 9)))
        arrays = {n: np.zeros_like(getattr(W, n)) for n in ("u", "ref", "W", "D", "xd")}
        # tables and work of its own: frames that are moved here are not those of the machine
        self.S = S._replace(fr=fr, frame=frame, offset=0, value=S.value.copy())
        self.W = W._replace(**arrays)
        self.handle = make_handle(self.S, self.W, ())
        self.states = np.zeros(int(S.state_at[-1]) + 1)
        poses = [ports.pose(k, q, system.y0) for q in range(self.n)]
        self.p, self.A, self.v, self.w = (np.array([pose[i] for pose in poses]) for i in range(4))
        length = system.extent
        gravity = float(np.linalg.norm(system.model.gravity))
        speed = max(float(np.abs(self.v).max()), np.sqrt(gravity * length), float(np.abs(self.w).max()) * length)
        speed = speed or length * system.model.units.si_time
        some = lambda values: np.maximum(np.abs(values), 1e-3)
        self.sizes = np.concatenate(
            [
                np.tile([length] * 3 + [1.0] * 3, self.n),
                np.tile([speed] * 3 + [speed / length] * 3, self.n),
                some(self.x),
                some(self.u),
            ]
        )

    def _put(self, d: np.ndarray) -> None:
        n, nx, fr = self.n, len(self.x), self.S.fr
        moved, rates = d[: WRENCH * n].reshape(n, WRENCH), d[WRENCH * n : 2 * WRENCH * n].reshape(n, WRENCH)
        fr.p[:], fr.v[:], fr.w[:] = self.p + moved[:, :3], self.v + rates[:, :3], self.w + rates[:, 3:]
        fr.A[:] = (Rotation.from_rotvec(moved[:, 3:]).as_matrix() @ self.A).reshape(n, 9)
        self.states[self.state : self.state + nx] = self.x + d[12 * n : 12 * n + nx]
        self.W.u[self.at : self.at + len(self.u)] = self.u + d[12 * n + nx :]

    def values(self, d: np.ndarray) -> np.ndarray:
        """Forces and torques on the frames, then rates of the states."""
        self._put(d)
        law_alone(self.handle.address, self.number, 0.0, self.states)
        first = WRENCH * self.first
        return np.append(self.W.W[first : first + WRENCH * self.n], self.W.xd[: len(self.x)])

    def tangent(self, d: np.ndarray) -> np.ndarray:
        """What the type states of their derivatives."""
        self.values(d)
        tangent_alone(self.handle.address, self.number, 0.0, self.states)
        return self.W.D[: WRENCH * self.n + len(self.x), : len(d)].copy()

    def column(self, d: np.ndarray, k: int, step: float) -> np.ndarray:
        """Their derivative by one component, where turns follow each other."""
        out = np.zeros(WRENCH * self.n + len(self.x))
        q, c = divmod(k, 6)
        for point, weight in zip(AT, WEIGHTS):
            there = d.copy()
            if k < WRENCH * self.n and c >= 3:
                turn = np.zeros(3)
                turn[c - 3] = point * step
                at = slice(WRENCH * q + 3, WRENCH * (q + 1))
                there[at] = (Rotation.from_rotvec(turn) * Rotation.from_rotvec(d[at])).as_rotvec()
            else:
                there[k] += point * step
            out += weight * self.values(there)
        return out / step

    def check(self) -> None:
        """Raise ModelError where the tangent is not the derivative."""
        draw = np.random.default_rng(1)
        around = np.concatenate(
            [np.tile([0.01] * 3 + [0.05] * 3, self.n), np.full(len(self.sizes) - WRENCH * self.n, 0.3)]
        )
        for _ in range(SAMPLES):
            d = around * self.sizes * draw.uniform(-1.0, 1.0, len(self.sizes))
            D, W = self.tangent(d), self.values(d)
            if not (np.isfinite(D).all() and np.isfinite(W).all()):
                raise self.element.error(
                    "its law or its tangent is not finite near the start of the run, so that a gradient cannot take it"
                )
            for k, size in enumerate(self.sizes):
                for step in (STEP * size, 1e-2 * STEP * size):  # the second where a kink lies within the first
                    real = self.column(d, k, step)
                    noise = 1e2 * np.finfo(float).eps * np.abs(W) / step
                    off = np.abs(D[:, k] - real) - noise - DIFFERENCE * max(np.abs(D[:, k]).max(), np.abs(real).max())
                    if off.max() <= 0.0:
                        break
                else:
                    row = int(off.argmax())
                    raise ModelError(
                        f"{self.element.label}: its tangent states {D[row, k]:.6g} as derivative of {self._row(row)} "
                        f"by {self._thing(k)}, and differences of its force give {real[row]:.6g}: a gradient would be "
                        "wrong; "
                        + (
                            "compute its function with sin, sqrt, sign, ... of holonom.elements.duals throughout"
                            if self.element.KIND in BY_FUNCTION
                            else "correct the tangent of this type of force"
                        )
                    )

    def _row(self, row: int) -> str:
        q, c = divmod(row, 6)
        if q >= self.n:
            return f"the rate of state {row - WRENCH * self.n}"
        return f"the {'force' if c < 3 else 'torque'} {'xyz'[c % 3]} on frame {q}"

    def _thing(self, k: int) -> str:
        q, c = divmod(k, 6)
        if k >= 12 * self.n:
            k -= 12 * self.n
            return f"state {k}" if k < len(self.x) else f"input {k - len(self.x)}"
        return f"the {THINGS[2 * (q // self.n) + c // 3]} {'xyz'[c % 3]} of frame {q % self.n}"

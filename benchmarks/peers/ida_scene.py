"""SUNDIALS' IDA on hand-written equations, stabilised index 2: a solver, no multibody engine; Andrews' mechanism and
the pendulum."""

import numpy as np
import sksundae
from andrews import START, parts
from clock import least
from numba import njit
from scene import Scene, arguments, levels
from sksundae.ida import IDA

a = arguments()
scene = Scene(a["scene"])


@njit(cache=True)
def andrews(y, yp, r):
    """y: 7 positions, 7 velocities, 6 multipliers, 6 of the stabilisation."""
    M, f, J, g = parts(y[:7], y[7:14])
    r[:7] = yp[:7] - y[7:14] + J.T @ y[20:26]
    r[7:14] = M @ yp[7:14] - f + J.T @ y[14:20]
    r[14:20] = g
    r[20:26] = J @ y[7:14]


@njit(cache=True)
def pendulum(y, yp, r):
    r[0] = yp[0] - y[2] + y[5] * y[0]
    r[1] = yp[1] - y[3] + y[5] * y[1]
    r[2] = yp[2] + y[4] * y[0]
    r[3] = yp[3] + y[4] * y[1] + 9.81
    r[4] = 0.5 * (y[0] ** 2 + y[1] ** 2 - 1.0)
    r[5] = y[0] * y[2] + y[1] * y[3]


def run(tolerance):
    if scene.data["name"] == "andrews":
        y0, yp0 = np.zeros(26), np.zeros(26)
        y0[:7] = START
        M, f, J, _ = parts(y0[:7], y0[7:14])
        s = np.linalg.lstsq(np.block([[M, J.T], [J, np.zeros((6, 6))]]), np.concatenate([f, np.zeros(6)]), rcond=None)[
            0
        ]
        yp0[7:14], y0[14:20] = s[:7], s[7:]
        kernel, small, algebraic = (
            andrews,
            np.concatenate([np.full(7, tolerance), np.full(7, 100 * tolerance), np.full(12, 1e3)]),
            range(14, 26),
        )
        value = lambda y: y[0] - START[0]
    else:
        y0, yp0 = np.array([-1.0, 0, 0, 0, 0, 0]), np.array([0, 0, 0, -9.81, 0, 0])
        kernel, small, algebraic = pendulum, np.array([tolerance] * 4 + [1e3] * 2), range(4, 6)
        value = lambda y: [y[0], y[1], 0.0]
    kernel(y0, yp0, np.zeros_like(y0))
    solver = lambda: IDA(
        lambda t, y, yp, r: kernel(y, yp, r),
        rtol=tolerance,
        atol=small,
        algebraic_idx=list(algebraic),
        max_num_steps=500000,
    )
    solver().solve([0, 1e-3 * scene.end], y0, yp0)  # compiles for the arrays that IDA hands over
    cpu, out = least(solver, lambda ida: ida.solve([0, scene.end], y0, yp0))
    if not out.success:
        raise RuntimeError(str(out.message))
    return {
        "cpu": cpu,
        "steps": int(getattr(out, "nsteps", 0) or 0),
        "values": [value(out.y[-1])],
        "version": sksundae.__version__,
        "settings": f"stabilised index 2, compiled residual, {tolerance:g}",
    }


levels(a, run)

"""Optional parts of the equations of motion as the kernels of the whole call them: through the addresses in
``S.parts``.

``S.parts`` (parts, operations) int64: a row for each part of `parts.PARTS`, a column for each operation; zero where a
model does not have the part, or the part does not have the operation.  What is absent is never compiled.  Nothing of a
part is imported here, so that its edits do not make the integrators compile again.
"""

from __future__ import annotations

from numba import types

from .._address import referrer
from .._jit import jit

#: operation -> what it does; all take the tables S and the work W behind a handle, (t, y): time and state
OPERATIONS = {
    "prescribe": "(S, W, t): values that depend on time alone",
    "rows": "(S, W, t, y): rows of constraints; frames and joints are current",
    "forces": "(S, W, t, y, yd): F += forces, yd <- rates of states",
    "repeat": "(S, W, t, y, yd): forces that depend on what they cause, evaluated until both agree",
    "stiffness": "(S, W, t, y, K, C): K, C -= derivatives of the forces by coordinates and velocities",
    "accept": "(S, W): the present branches of continuous angles become the reference",
    "wrenches": "(S, W, wr): wrenches of the last evaluation into wr",
    "energy": "(S, W) -> potential energy",
    "power_in": "(S, W, y) -> power put in",
    "power_out": "(S, W, y) -> power on the bodies, negative where it is lost",
    "balance": "(S, W, t, y, out): out (3) += energy stored, power lost, power put in",
    "pull": "(S, W, t, y, kb, yb, nu, fbar, lbar, body, place, turn): cotangents of nu . F and kb . x' (`pull_parts`)",
    "pull_wrenches": "(S, W, t, y, yb, given, fbar, body, place, turn): cotangents of wrenches (`pull_part_wrenches`)",
    "loads": "(S, W, y, nu, lbar): lbar += (dF/dlam)^T nu, of forces that multipliers make",
}
(
    PRESCRIBE,
    ROWS,
    FORCES,
    REPEAT,
    STIFFNESS,
    ACCEPT,
    WRENCHES,
    ENERGY,
    POWER_IN,
    POWER_OUT,
    BALANCE,
    PULL,
    PULL_WRENCHES,
    LOADS,
) = range(len(OPERATIONS))

_do = referrer(types.none)
_value = referrer(types.float64)


@jit
def prescribe(S, W, t):
    for p in range(S.parts.shape[0]):
        if S.parts[p, PRESCRIBE] != 0:
            _do(S.parts[p, PRESCRIBE], (S, W, t))


@jit
def add_rows(S, W, t, y):
    for p in range(S.parts.shape[0]):
        if S.parts[p, ROWS] != 0:
            _do(S.parts[p, ROWS], (S, W, t, y))


@jit
def add_forces(S, W, t, y, yd):
    for p in range(S.parts.shape[0]):
        if S.parts[p, FORCES] != 0:
            _do(S.parts[p, FORCES], (S, W, t, y, yd))


@jit
def repeat_forces(S, W, t, y, yd):
    for p in range(S.parts.shape[0]):
        if S.parts[p, REPEAT] != 0:
            _do(S.parts[p, REPEAT], (S, W, t, y, yd))


@jit
def add_stiffness(S, W, t, y, K, C):
    for p in range(S.parts.shape[0]):
        if S.parts[p, STIFFNESS] != 0:
            _do(S.parts[p, STIFFNESS], (S, W, t, y, K, C))


@jit
def accept_references(S, W):
    for p in range(S.parts.shape[0]):
        if S.parts[p, ACCEPT] != 0:
            _do(S.parts[p, ACCEPT], (S, W))


@jit
def add_wrenches(S, W, wr):
    for p in range(S.parts.shape[0]):
        if S.parts[p, WRENCHES] != 0:
            _do(S.parts[p, WRENCHES], (S, W, wr))


@jit
def potential_energy(S, W):
    out = 0.0
    for p in range(S.parts.shape[0]):
        if S.parts[p, ENERGY] != 0:
            out += _value(S.parts[p, ENERGY], (S, W))
    return out


@jit
def power_in(S, W, y):
    out = 0.0
    for p in range(S.parts.shape[0]):
        if S.parts[p, POWER_IN] != 0:
            out += _value(S.parts[p, POWER_IN], (S, W, y))
    return out


@jit
def power_out(S, W, y):
    out = 0.0
    for p in range(S.parts.shape[0]):
        if S.parts[p, POWER_OUT] != 0:
            out += _value(S.parts[p, POWER_OUT], (S, W, y))
    return out


@jit
def add_balance(S, W, t, y, out):
    for p in range(S.parts.shape[0]):
        if S.parts[p, BALANCE] != 0:
            _do(S.parts[p, BALANCE], (S, W, t, y, out))


@jit
def pull_parts(S, W, t, y, kb, yb, nu, fbar, lbar, body, place, turn):
    """Cotangents of the power nu . F of the forces of parts in the virtual displacement nu, and of kb . x', the rates
    of their states: of states to yb, of values of functions to fbar, of multipliers that loads are made of to lbar, of
    bodies and of positions and directions of frames to body, place, turn (`elements.jets.Cotangents`), of their own
    numbers to their tables.  Frames, functions and multipliers must be current."""
    for p in range(S.parts.shape[0]):
        if S.parts[p, PULL] != 0:
            _do(S.parts[p, PULL], (S, W, t, y, kb, yb, nu, fbar, lbar, body, place, turn))


@jit
def pull_part_wrenches(S, W, t, y, yb, given, fbar, body, place, turn):
    """Cotangents of the wrenches of forces of parts times ``given``, one row (12) for each wrench of the system; what
    the others mean: see `pull_parts`."""
    for p in range(S.parts.shape[0]):
        if S.parts[p, PULL_WRENCHES] != 0:
            _do(S.parts[p, PULL_WRENCHES], (S, W, t, y, yb, given, fbar, body, place, turn))


@jit
def pull_loads(S, W, y, nu, lbar):
    """lbar += (dF/dlam)^T nu: what forces in the virtual displacement nu feel of multipliers."""
    for p in range(S.parts.shape[0]):
        if S.parts[p, LOADS] != 0:
            _do(S.parts[p, LOADS], (S, W, y, nu, lbar))

"""How the equations of motion reach forces of registered types: through the addresses in ``S.ports``, zero where a
model has none.

Nothing of their loop is imported here, so that its edits do not make the integrators compile again.
"""

from __future__ import annotations

from numba import types

from .._address import caller
from .._jit import jit
from ..contact.call import INDEX, MATRIX, VECTOR

#: see `port_kernels.ENTRY`
_ARGUMENTS = (INDEX, INDEX, types.float64, VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR)
_entry = caller(INDEX, _ARGUMENTS)
#: see `port_pull.ENTRY`
_PULL = (INDEX, types.float64, *(VECTOR,) * 4, MATRIX, VECTOR, MATRIX, VECTOR, MATRIX, MATRIX)
_pull = caller(INDEX, _PULL)
FORCES, ENERGIES, ACCEPT, WRENCHES = range(4)  # as in `port_kernels`
#: what ``S.ports`` holds (int64): addresses of the loop, of its tables, of its derivatives and of its pull, zero where
#: there are none
LOOP, DATA_ADDRESS, DERIVATIVES, PULL = range(4)
ADDRESSES = 4


@jit
def port_forces(S, W, t, y, yd):
    """F += forces; yd <- rates of their states.  Frames and functions must be current."""
    if S.ports[LOOP] != 0:
        _entry(S.ports[LOOP], (S.ports[DATA_ADDRESS], FORCES, t, y, yd, W.R, W.F, W.F, W.F, W.F))


@jit
def port_matrix(S, W, t, y, K, C):
    """K, C += derivatives of the forces of the last evaluation, which was at (t, y)."""
    if S.ports[DERIVATIVES] != 0:
        _entry(S.ports[DERIVATIVES], (S.ports[DATA_ADDRESS], FORCES, t, y, y, W.R, W.F, K, C, W.F))


@jit
def port_energies(S, W, t, y, out):
    """out (3) += energy stored, power lost, power put in, of the last evaluation, which was at (t, y)."""
    if S.ports[LOOP] != 0:
        _entry(S.ports[LOOP], (S.ports[DATA_ADDRESS], ENERGIES, t, y, y, W.R, W.F, W.F, W.F, out))


@jit
def accept_ports(S, W):
    """Angles at the frames as they are become those from which they run on."""
    if S.ports[LOOP] != 0:
        _entry(S.ports[LOOP], (S.ports[DATA_ADDRESS], ACCEPT, 0.0, W.F, W.F, W.R, W.F, W.F, W.F, W.F))


@jit
def port_wrenches(S, W, wr):
    """Wrenches of the last evaluation among all of the system."""
    if S.ports[LOOP] != 0:
        _entry(S.ports[LOOP], (S.ports[DATA_ADDRESS], WRENCHES, 0.0, W.F, W.F, W.R, W.F, W.F, W.F, W.F))


@jit
def pull_ports(S, W, t, y, kb, yb, nu, fbar, lbar, body, place, turn):
    """See `part_calls.pull_parts`."""
    if S.ports[PULL] != 0:
        none = W.R[:0]
        _pull(S.ports[PULL], (S.ports[DATA_ADDRESS], t, y, kb, yb, nu, none, fbar, W.R, body, place, turn))


@jit
def pull_port_wrenches(S, W, t, y, yb, given, fbar, body, place, turn):
    """See `part_calls.pull_part_wrenches`."""
    if S.ports[PULL] != 0:
        _pull(S.ports[PULL], (S.ports[DATA_ADDRESS], t, y, y, yb, y, given, fbar, W.R, body, place, turn))

"""Types of arguments of the kernels that contacts call through their addresses (`_address`)."""

from __future__ import annotations

from numba import types

VECTOR = types.float64[::1]
MATRIX = types.float64[:, ::1]
INDEX = types.int64

#: entries of the engine: address of its tables, mode, time, state, rotations, forces, K, C -> number of points that act
ENGINE_ARGUMENTS = (INDEX, INDEX, types.float64, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR)
FORCES, ACCEPT, GAPS, SUMS, SEARCH, COLLECT = range(6)
#: what ``S.contacts`` of the equations of motion holds (int64): addresses of entries and of their tables, zero where
#: there are none
ENGINE, ENGINE_TABLES, ACTIVE, ACTIVE_TABLES, DERIVATIVES = range(5)
ADDRESSES = 5

#: the entry of `unilateral`: address of its tables, mode, time, state, rotations, a span of time -> what the mode
#: counts
ACTIVE_ARGUMENTS = (INDEX, INDEX, types.float64, VECTOR, MATRIX, types.float64)
ROWS, SLIDE, POINTS_ONLY, EVENTS, LIST, FILL, PUBLISH, RENEW = range(8)

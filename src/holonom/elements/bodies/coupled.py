"""Bodies whose masses couple their coordinates, as the kernels of all bodies call them: through the addresses in
``bodies.coupled``.

``bodies.coupled`` (types, 1 + operations) int64: a row for each type of body that a model has (`kinds.BODY_TYPES`),
first the address of its tables, then one for each operation, zero where the type has none.  A model of rigid bodies
alone has no rows.  Nothing of a type is imported here, so that its edits do not make the integrators compile again.

Vectors and matrices of some operations are complex where the stages of Radau ask for them; these have a second address.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types

from ..._address import REAL, caller, choosing
from ..._handle import RefType
from ..._jit import jit
from ..frames import make_frames

INDEX = types.int64
VECTOR, MATRIX, COMPLEX = types.float64[::1], types.float64[:, ::1], types.complex128[::1]
_LISTS, _PLACES, _FLAG = types.int64[::1], types.uint32[::1], types.boolean
_FRAMES = RefType(typeof(make_frames(np.zeros(1), np.zeros((1, 3)), np.zeros((1, 9)))))


class Operation(NamedTuple):
    """What a type of body does: types of the result and of the arguments behind the tables, and those with complex
    vectors, None where there are none."""

    result: types.Type
    arguments: tuple
    complex_arguments: tuple | None = None


_ENERGIES = types.UniTuple(REAL, 3)
OPERATIONS = {
    # masses, and their factors, at the state y with rotations R
    "prepare": Operation(types.none, (VECTOR, MATRIX)),
    # M^-1 F, kept for `give`
    "solve": Operation(types.none, (VECTOR,), (COMPLEX,)),
    # scale M u, kept for `give`
    "multiply": Operation(types.none, (REAL, VECTOR), (types.complex128, COMPLEX)),
    # numbers in u <- what is kept, or added to it; of motions: nodes go with their carriers
    "give": Operation(types.none, (VECTOR, _FLAG), (COMPLEX, _FLAG)),
    "give_motion": Operation(types.none, (VECTOR, _FLAG), (COMPLEX, _FLAG)),
    # u += M^-1 of the impulse f[o:] on body b alone
    "respond": Operation(types.none, (INDEX, VECTOR, INDEX, VECTOR)),
    # Lx, D += what these bodies are in G M^-1 G^T: slot_body, ptr, slots, G, dest, diag, Lx, D
    "products": Operation(types.none, (_PLACES, _PLACES, _PLACES, MATRIX, _PLACES, _PLACES, VECTOR, VECTOR)),
    # states of nodes in y <- what follows from the coordinates of their carriers; moves u of nodes likewise
    "place": Operation(types.none, (VECTOR,)),
    "lead_nodes": Operation(types.none, (VECTOR,), (COMPLEX,)),
    # accelerations of nodes that coordinates do not make: in rates yd, in ab[k] of the body body[k], in right sides of
    # rows, in frames
    "add_bias": Operation(types.none, (VECTOR,)),
    "add_acceleration": Operation(types.none, (_PLACES, MATRIX)),
    "turn_rows": Operation(types.none, (_LISTS, _PLACES, MATRIX, VECTOR)),
    "turn_frames": Operation(types.none, (MATRIX, _FRAMES)),
    # nodes have no errors of their own: weights (n, ..) and moves become zero
    "leave_nodes_out": Operation(types.none, (MATRIX,)),
    "clear_nodes": Operation(types.none, (VECTOR,)),
    # bounds of accelerations of coordinates (`motion_bounds`), and rows of nodes made of them
    "note_cubic": Operation(types.none, (VECTOR, VECTOR, VECTOR, VECTOR, REAL)),
    "note_series": Operation(types.none, (MATRIX, INDEX, INDEX, VECTOR)),
    "note_stages": Operation(types.none, (MATRIX, INDEX, REAL)),
    "bound_nodes": Operation(types.none, (VECTOR, REAL, MATRIX)),
    # F += forces next to those of rigid bodies; forces on nodes become forces on their carriers
    "forces": Operation(types.none, (VECTOR, VECTOR)),
    "condense": Operation(types.none, (VECTOR,)),
    # kinetic, of gravity, stored; power of dampers; momentum added to out (`momentum`)
    "energies": Operation(_ENERGIES, (VECTOR,)),
    "power": Operation(REAL, (VECTOR,)),
    "momenta": Operation(types.none, (VECTOR, VECTOR)),
    # the iteration matrix: derivatives of `forces`; derivatives of nodes brought to coordinates, in three steps; mass;
    # gradients
    "stiffness": Operation(types.none, (VECTOR, VECTOR, VECTOR)),
    "prepare_slopes": Operation(types.none, (VECTOR,)),
    "condense_matrix": Operation(types.none, (VECTOR, VECTOR)),
    "load_nodes": Operation(types.none, (VECTOR, VECTOR)),
    "mass_entries": Operation(
        types.none,
        (REAL, REAL, REAL, VECTOR, VECTOR, VECTOR),
        (REAL, types.complex128, types.complex128, VECTOR, VECTOR, COMPLEX),
    ),
    "gradients": Operation(types.none, (VECTOR,), (COMPLEX,)),
    # transposed derivatives (`carrier_pull`): accelerations of nodes in a vector; forces on nodes that `condense` kept;
    # y, x, f, rates, body, yb, bar; y, body, yb, bar; y, acc, nu, whole, gravity, body, yb, bar
    "complete": Operation(types.none, (VECTOR,)),
    "give_loads": Operation(types.none, (VECTOR,)),
    "pull_moved": Operation(types.none, (VECTOR, VECTOR, VECTOR, _FLAG, VECTOR, VECTOR, VECTOR)),
    "pull_nodes": Operation(types.none, (VECTOR, VECTOR, VECTOR, VECTOR)),
    "pull_inertia": Operation(types.none, (VECTOR, VECTOR, VECTOR, _FLAG, VECTOR, VECTOR, VECTOR, VECTOR)),
}


def _columns() -> dict[str, int]:
    """Column of ``bodies.coupled`` of each operation; that of its complex form follows."""
    out, k = {}, 1
    for name, operation in OPERATIONS.items():
        out[name] = k
        k += 1 if operation.complex_arguments is None else 2
    return out


DATA_ADDRESS = 0
COLUMNS = _columns()
WIDTH = 1 + len(OPERATIONS) + sum(o.complex_arguments is not None for o in OPERATIONS.values())


def _call(name: str):
    """Intrinsic that calls an operation: (address, (tables, arguments ..)), or (address, address of the complex form,
    the same)."""
    result, arguments, other = OPERATIONS[name]
    if other is None:
        return caller(result, (INDEX, *arguments))
    return choosing(result, (INDEX, *arguments), (INDEX, *other))


PREPARE = COLUMNS["prepare"]
_prepare = _call("prepare")
SOLVE = COLUMNS["solve"]
_solve = _call("solve")
MULTIPLY = COLUMNS["multiply"]
_multiply = _call("multiply")
GIVE = COLUMNS["give"]
_give = _call("give")
GIVE_MOTION = COLUMNS["give_motion"]
_give_motion = _call("give_motion")
RESPOND = COLUMNS["respond"]
_respond = _call("respond")
PRODUCTS = COLUMNS["products"]
_products = _call("products")
PLACE = COLUMNS["place"]
_place = _call("place")
LEAD_NODES = COLUMNS["lead_nodes"]
_lead_nodes = _call("lead_nodes")
ADD_BIAS = COLUMNS["add_bias"]
_add_bias = _call("add_bias")
ADD_ACCELERATION = COLUMNS["add_acceleration"]
_add_acceleration = _call("add_acceleration")
TURN_ROWS = COLUMNS["turn_rows"]
_turn_rows = _call("turn_rows")
TURN_FRAMES = COLUMNS["turn_frames"]
_turn_frames = _call("turn_frames")
LEAVE_NODES_OUT = COLUMNS["leave_nodes_out"]
_leave_nodes_out = _call("leave_nodes_out")
CLEAR_NODES = COLUMNS["clear_nodes"]
_clear_nodes = _call("clear_nodes")
NOTE_CUBIC = COLUMNS["note_cubic"]
_note_cubic = _call("note_cubic")
NOTE_SERIES = COLUMNS["note_series"]
_note_series = _call("note_series")
NOTE_STAGES = COLUMNS["note_stages"]
_note_stages = _call("note_stages")
BOUND_NODES = COLUMNS["bound_nodes"]
_bound_nodes = _call("bound_nodes")
FORCES = COLUMNS["forces"]
_forces = _call("forces")
CONDENSE = COLUMNS["condense"]
_condense = _call("condense")
MOMENTA = COLUMNS["momenta"]
_momenta = _call("momenta")
STIFFNESS = COLUMNS["stiffness"]
_stiffness = _call("stiffness")
MASS_ENTRIES = COLUMNS["mass_entries"]
_mass_entries = _call("mass_entries")
GRADIENTS = COLUMNS["gradients"]
_gradients = _call("gradients")
ENERGIES = COLUMNS["energies"]
_energies = _call("energies")
POWER = COLUMNS["power"]
_power = _call("power")
PREPARE_SLOPES = COLUMNS["prepare_slopes"]
_prepare_slopes = _call("prepare_slopes")
CONDENSE_MATRIX = COLUMNS["condense_matrix"]
_condense_matrix = _call("condense_matrix")
LOAD_NODES = COLUMNS["load_nodes"]
_load_nodes = _call("load_nodes")
COMPLETE = COLUMNS["complete"]
_complete = _call("complete")
GIVE_LOADS = COLUMNS["give_loads"]
_give_loads = _call("give_loads")
PULL_MOVED = COLUMNS["pull_moved"]
_pull_moved = _call("pull_moved")
PULL_NODES = COLUMNS["pull_nodes"]
_pull_nodes = _call("pull_nodes")
PULL_INERTIA = COLUMNS["pull_inertia"]
_pull_inertia = _call("pull_inertia")


@jit
def prepare_coupled(bodies, y, R):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PREPARE] != 0:
            _prepare(t[k, PREPARE], (t[k, DATA_ADDRESS], y, R))


@jit
def solve_coupled(bodies, F):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, SOLVE] != 0:
            _solve(t[k, SOLVE], t[k, SOLVE + 1], (t[k, DATA_ADDRESS], F))


@jit
def multiply_coupled(bodies, scale, u):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, MULTIPLY] != 0:
            _multiply(t[k, MULTIPLY], t[k, MULTIPLY + 1], (t[k, DATA_ADDRESS], scale, u))


@jit
def give_coupled(bodies, u, add):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, GIVE] != 0:
            _give(t[k, GIVE], t[k, GIVE + 1], (t[k, DATA_ADDRESS], u, add))


@jit
def give_coupled_motion(bodies, u, add):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, GIVE_MOTION] != 0:
            _give_motion(t[k, GIVE_MOTION], t[k, GIVE_MOTION + 1], (t[k, DATA_ADDRESS], u, add))


@jit
def respond_coupled(bodies, b, f, o, u):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, RESPOND] != 0:
            _respond(t[k, RESPOND], (t[k, DATA_ADDRESS], b, f, o, u))


@jit
def coupled_products(bodies, slot_body, ptr, slots, G, dest, diag, Lx, D):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PRODUCTS] != 0:
            _products(t[k, PRODUCTS], (t[k, DATA_ADDRESS], slot_body, ptr, slots, G, dest, diag, Lx, D))


@jit
def place_coupled(bodies, y):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PLACE] != 0:
            _place(t[k, PLACE], (t[k, DATA_ADDRESS], y))


@jit
def lead_nodes(bodies, u):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, LEAD_NODES] != 0:
            _lead_nodes(t[k, LEAD_NODES], t[k, LEAD_NODES + 1], (t[k, DATA_ADDRESS], u))


@jit
def add_coupled_bias(bodies, yd):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, ADD_BIAS] != 0:
            _add_bias(t[k, ADD_BIAS], (t[k, DATA_ADDRESS], yd))


@jit
def add_coupled_acceleration(bodies, body, ab):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, ADD_ACCELERATION] != 0:
            _add_acceleration(t[k, ADD_ACCELERATION], (t[k, DATA_ADDRESS], body, ab))


@jit
def turn_coupled_rows(bodies, slot_row, slot_body, G, gamma):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, TURN_ROWS] != 0:
            _turn_rows(t[k, TURN_ROWS], (t[k, DATA_ADDRESS], slot_row, slot_body, G, gamma))


@jit
def turn_coupled_frames(bodies, R, fr):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, TURN_FRAMES] != 0:
            _turn_frames(t[k, TURN_FRAMES], (t[k, DATA_ADDRESS], R, fr))


@jit
def leave_nodes_out(bodies, weights):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, LEAVE_NODES_OUT] != 0:
            _leave_nodes_out(t[k, LEAVE_NODES_OUT], (t[k, DATA_ADDRESS], weights))


@jit
def clear_nodes(bodies, d):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, CLEAR_NODES] != 0:
            _clear_nodes(t[k, CLEAR_NODES], (t[k, DATA_ADDRESS], d))


@jit
def note_cubic(bodies, y0, y1, a0, a1, h):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, NOTE_CUBIC] != 0:
            _note_cubic(t[k, NOTE_CUBIC], (t[k, DATA_ADDRESS], y0, y1, a0, a1, h))


@jit
def note_series(bodies, Z, first, count, slope):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, NOTE_SERIES] != 0:
            _note_series(t[k, NOTE_SERIES], (t[k, DATA_ADDRESS], Z, first, count, slope))


@jit
def note_stages(bodies, K, stages, factor):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, NOTE_STAGES] != 0:
            _note_stages(t[k, NOTE_STAGES], (t[k, DATA_ADDRESS], K, stages, factor))


@jit
def bound_nodes(bodies, y1, h, out):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, BOUND_NODES] != 0:
            _bound_nodes(t[k, BOUND_NODES], (t[k, DATA_ADDRESS], y1, h, out))


@jit
def coupled_forces(bodies, y, F):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, FORCES] != 0:
            _forces(t[k, FORCES], (t[k, DATA_ADDRESS], y, F))


@jit
def condense_coupled(bodies, F):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, CONDENSE] != 0:
            _condense(t[k, CONDENSE], (t[k, DATA_ADDRESS], F))


@jit
def coupled_momenta(bodies, y, out):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, MOMENTA] != 0:
            _momenta(t[k, MOMENTA], (t[k, DATA_ADDRESS], y, out))


@jit
def coupled_stiffness(bodies, y, K, C):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, STIFFNESS] != 0:
            _stiffness(t[k, STIFFNESS], (t[k, DATA_ADDRESS], y, K, C))


@jit
def coupled_mass(bodies, scale, convected, bent, y, acc, data):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, MASS_ENTRIES] != 0:
            _mass_entries(
                t[k, MASS_ENTRIES], t[k, MASS_ENTRIES + 1], (t[k, DATA_ADDRESS], scale, convected, bent, y, acc, data)
            )


@jit
def coupled_gradients(bodies, data):
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, GRADIENTS] != 0:
            _gradients(t[k, GRADIENTS], t[k, GRADIENTS + 1], (t[k, DATA_ADDRESS], data))


@jit
def prepare_slopes(bodies, y):
    """V of all nodes (`nodes`), with `prepare_coupled` at the state y."""
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PREPARE_SLOPES] != 0:
            _prepare_slopes(t[k, PREPARE_SLOPES], (t[k, DATA_ADDRESS], y))


@jit
def coupled_node_stiffness(bodies, y, K, C):
    """Derivatives by places and velocities of nodes in K and C become those by coordinates of their carriers."""
    t = bodies.coupled
    prepare_slopes(bodies, y)
    for k in range(t.shape[0]):
        if t[k, CONDENSE_MATRIX] != 0:
            _condense_matrix(t[k, CONDENSE_MATRIX], (t[k, DATA_ADDRESS], K, C))
    for k in range(t.shape[0]):
        if t[k, LOAD_NODES] != 0:
            _load_nodes(t[k, LOAD_NODES], (t[k, DATA_ADDRESS], y, K))


@jit
def coupled_energies(bodies, y):
    """Kinetic energy, energy in gravity, stored energy of what coupled bodies have next to rigid ones."""
    t = bodies.coupled
    kinetic = gravity = stored = 0.0
    for k in range(t.shape[0]):
        if t[k, ENERGIES] != 0:
            a, b, c = _energies(t[k, ENERGIES], (t[k, DATA_ADDRESS], y))
            kinetic += a
            gravity += b
            stored += c
    return kinetic, gravity, stored


@jit(entry="Bodies, int64, float64[::1]")
def energies_of_type(bodies, k, y):
    """The same of the k-th type that there is."""
    return _energies(bodies.coupled[k, ENERGIES], (bodies.coupled[k, DATA_ADDRESS], y))


@jit
def coupled_power(bodies, y):
    """Power of their dampers."""
    t = bodies.coupled
    out = 0.0
    for k in range(t.shape[0]):
        if t[k, POWER] != 0:
            out += _power(t[k, POWER], (t[k, DATA_ADDRESS], y))
    return out


# ---- transposed derivatives ------------------------------------------------------------------------------------------
@jit
def complete_accelerations(bodies, acc):
    """acc of nodes <- their whole accelerations, at the last evaluation."""
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, COMPLETE] != 0:
            _complete(t[k, COMPLETE], (t[k, DATA_ADDRESS], acc))


@jit
def loads_of_nodes(bodies, F):
    """F of nodes <- the forces on them that were condensed last."""
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, GIVE_LOADS] != 0:
            _give_loads(t[k, GIVE_LOADS], (t[k, DATA_ADDRESS], F))


@jit
def pull_coupled_moves(bodies, y, x, f, rates, body, yb, bar):
    """Cotangents of f . (J x + b) of nodes, moves J of motions x and, where ``rates``, accelerations b."""
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PULL_MOVED] != 0:
            _pull_moved(t[k, PULL_MOVED], (t[k, DATA_ADDRESS], y, x, f, rates, body, yb, bar))


@jit
def pull_coupled_nodes(bodies, y, body, yb, bar):
    """Cotangents of nodes, 12 a body, become those of coordinates."""
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PULL_NODES] != 0:
            _pull_nodes(t[k, PULL_NODES], (t[k, DATA_ADDRESS], y, body, yb, bar))


@jit
def pull_coupled_inertia(bodies, y, acc, nu, whole, gravity, body, yb, bar):
    """Cotangents of nu . (F - M u') next to those of rigid bodies; of - nu . M u' alone where not ``whole``."""
    t = bodies.coupled
    for k in range(t.shape[0]):
        if t[k, PULL_INERTIA] != 0:
            _pull_inertia(t[k, PULL_INERTIA], (t[k, DATA_ADDRESS], y, acc, nu, whole, gravity, body, yb, bar))

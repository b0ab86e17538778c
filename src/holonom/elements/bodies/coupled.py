"""Bodies whose masses couple their coordinates: what the other kernels of this room ask of them, compiled away where there are none.

They stand in `Bodies.carriers`, None in models that have none: carriers, and behind them meshes in absolute coordinates (`absolute`), each with the kernels
of its file; those of what a model has not are compiled away.
"""

from __future__ import annotations

from numba import types

from ..._jit import overload
from . import absolute, carrier, carrier_nodes


def _kinds(carriers) -> tuple[bool, bool]:
    """Of the type of `Bodies.carriers`: whether there are carriers, and whether there are meshes."""
    if isinstance(carriers, types.NoneType):
        return False, False
    table = getattr(carriers, "target", carriers)  # kernels see a reference to the table
    meshes = dict(zip(table.fields, table.types))["meshes"]
    if isinstance(meshes, types.NoneType):
        return True, False
    return meshes.instance_class is not absolute.LoneMeshes, True


def prepare_coupled(carriers, bodies, y, R):
    """Masses of coupled bodies, and their factors, at the state y with rotations R."""


def solve_coupled(carriers, bodies, F):
    """M^-1 F of coupled bodies, kept for `give_coupled`."""


def multiply_coupled(carriers, bodies, scale, u):
    """scale M u of coupled bodies, kept for `give_coupled`."""


def give_coupled(carriers, bodies, u, add):
    """Numbers of coupled bodies in u <- what is kept, or added to it."""


def respond_coupled(carriers, bodies, b, f, o, u):
    """u += M^-1 of the impulse f[o:] on body b alone, where it is a coupled one."""


def give_coupled_motion(carriers, bodies, u, add):
    """`give_coupled` of velocities, accelerations or displacements: nodes go with their carriers."""


def place_coupled(carriers, bodies, y):
    """States of nodes in y <- what follows from the coordinates of their carriers."""


def add_coupled_bias(carriers, bodies, yd):
    """Rates of the velocities of nodes += what they are where coordinates of carriers do not accelerate."""


def add_coupled_acceleration(carriers, body, ab):
    """ab[k] += acceleration of the node body[k] where coordinates of carriers do not accelerate."""


def leave_nodes_out(carriers, weights):
    """weights (n, ..) of bodies <- zero for nodes, which have no errors of their own."""


def lead_nodes(carriers, bodies, u):
    """Moves of nodes in u <- what follows from those of their carriers."""


def clear_nodes(carriers, d):
    """Moves of nodes in d become zero: they have no errors of their own."""


def note_cubic(carriers, bodies, y0, y1, a0, a1, h):
    """Bounds of accelerations of coordinates, kept for `bound_nodes`, as `motion_bounds.bound_cubic` has them."""


def note_series(carriers, bodies, Z, first, count, slope):
    """The same as `motion_bounds.bound_series` has them."""


def note_stages(carriers, bodies, K, stages, factor):
    """The same as `motion_bounds.bound_stages` has them."""


def bound_nodes(carriers, bodies, y1, h, out):
    """Rows of nodes in ``out`` (`motion_bounds`), from those of their carriers and what was kept."""


def condense_coupled(carriers, bodies, F):
    """Forces on nodes become forces on their carriers."""


def coupled_node_stiffness(carriers, bodies, y, K, C):
    """Derivatives by places and velocities of nodes become those by coordinates of their carriers."""


def coupled_gradients(carriers, data):
    """Gradients with respect to nodes in the iteration matrix become those with respect to their carriers."""


def coupled_products(carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D):
    """Lx, D += what coupled bodies are in G M^-1 G^T."""


def coupled_forces(carriers, bodies, y, F):
    """F += forces of coupled bodies beside those of rigid ones: gravity, what velocities make, springs of their own."""


def coupled_stiffness(carriers, bodies, y, K, C):
    """K, C -= derivatives of `coupled_forces`."""


def coupled_mass(carriers, bodies, scale, convected, bent, y, acc, data):
    """data += M (scale + convected [W]) + bent d(M acc)/dq."""


def coupled_energies(carriers, bodies, y):
    """Kinetic energy, energy in gravity, stored energy of what coupled bodies have beside rigid ones."""


def coupled_power(carriers, bodies, y):
    """Power of their dampers."""


def coupled_momenta(carriers, bodies, y, out):
    """Their momentum, see `momentum`."""


def turn_coupled_rows(carriers, slot_row, slot_body, G, gamma):
    """Right sides of rows -= what angular accelerations of nodes make that do not come from coordinates of carriers."""


def turn_coupled_frames(carriers, R, fr):
    """Accelerations of frames += the same."""


@overload(turn_coupled_rows)
def _turn_coupled_rows(carriers, slot_row, slot_body, G, gamma):
    if not any(_kinds(carriers)):
        return lambda carriers, slot_row, slot_body, G, gamma: None
    return lambda carriers, slot_row, slot_body, G, gamma: carrier_nodes.turn_rows(carriers, slot_row, slot_body, G, gamma)


@overload(turn_coupled_frames)
def _turn_coupled_frames(carriers, R, fr):
    if not any(_kinds(carriers)):
        return lambda carriers, R, fr: None
    return lambda carriers, R, fr: carrier_nodes.turn_frames(carriers, R, fr)


@overload(prepare_coupled)
def _prepare_coupled(carriers, bodies, y, R):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y, R: None
    if not rigid:
        return lambda carriers, bodies, y, R: absolute.prepare_nodes(carriers, bodies, y)

    def prepare(carriers, bodies, y, R):
        carrier.prepare(carriers, bodies, y, R)
        carrier_nodes.prepare_nodes(carriers, bodies, y)

    if not meshed:
        return prepare

    def both(carriers, bodies, y, R):
        carrier.prepare(carriers, bodies, y, R)
        carrier_nodes.prepare_nodes(carriers, bodies, y)
        absolute.prepare_nodes(carriers, bodies, y)

    return both


@overload(solve_coupled)
def _solve_coupled(carriers, bodies, F):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, F: None
    if not meshed:
        return lambda carriers, bodies, F: carrier.solve(carriers, bodies, F)
    if not rigid:
        return lambda carriers, bodies, F: absolute.solve(carriers, bodies, F)

    def both(carriers, bodies, F):
        carrier.solve(carriers, bodies, F)
        absolute.solve(carriers, bodies, F)

    return both


@overload(multiply_coupled)
def _multiply_coupled(carriers, bodies, scale, u):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, scale, u: None
    if not meshed:
        return lambda carriers, bodies, scale, u: carrier.multiply(carriers, bodies, scale, u)
    if not rigid:
        return lambda carriers, bodies, scale, u: absolute.multiply(carriers, bodies, scale, u)

    def both(carriers, bodies, scale, u):
        carrier.multiply(carriers, bodies, scale, u)
        absolute.multiply(carriers, bodies, scale, u)

    return both


@overload(give_coupled)
def _give_coupled(carriers, bodies, u, add):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, u, add: None
    if not meshed:
        return lambda carriers, bodies, u, add: carrier.give(carriers, bodies, u, add)
    if not rigid:
        return lambda carriers, bodies, u, add: absolute.give(carriers, bodies, u, add)

    def both(carriers, bodies, u, add):
        carrier.give(carriers, bodies, u, add)
        absolute.give(carriers, bodies, u, add)

    return both


@overload(respond_coupled)
def _respond_coupled(carriers, bodies, b, f, o, u):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, b, f, o, u: None
    if not meshed:
        return lambda carriers, bodies, b, f, o, u: carrier.respond_one(carriers, bodies, b, f, o, u)
    if not rigid:
        return lambda carriers, bodies, b, f, o, u: absolute.respond_one(carriers, bodies, b, f, o, u)

    def both(carriers, bodies, b, f, o, u):
        carrier.respond_one(carriers, bodies, b, f, o, u)
        absolute.respond_one(carriers, bodies, b, f, o, u)

    return both


@overload(coupled_products)
def _coupled_products(carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D: None
    if not meshed:
        return lambda carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D: carrier.products(
            carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D
        )
    if not rigid:
        return lambda carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D: absolute.products(
            carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D
        )

    def both(carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D):
        carrier.products(carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D)
        absolute.products(carriers, bodies, slot_body, ptr, slots, G, dest, diag, Lx, D)

    return both


@overload(coupled_forces)
def _coupled_forces(carriers, bodies, y, F):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y, F: None
    if not meshed:
        return lambda carriers, bodies, y, F: carrier.forces(carriers, bodies, y, F)
    if not rigid:
        return lambda carriers, bodies, y, F: absolute.forces(carriers, bodies, y, F)

    def both(carriers, bodies, y, F):
        carrier.forces(carriers, bodies, y, F)
        absolute.forces(carriers, bodies, y, F)

    return both


@overload(coupled_stiffness)
def _coupled_stiffness(carriers, bodies, y, K, C):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y, K, C: None
    if not meshed:
        return lambda carriers, bodies, y, K, C: carrier.stiffness(carriers, bodies, y, K, C)
    if not rigid:
        return lambda carriers, bodies, y, K, C: absolute.stiffness(carriers, bodies, y, K, C)

    def both(carriers, bodies, y, K, C):
        carrier.stiffness(carriers, bodies, y, K, C)
        absolute.stiffness(carriers, bodies, y, K, C)

    return both


@overload(coupled_mass)
def _coupled_mass(carriers, bodies, scale, convected, bent, y, acc, data):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, scale, convected, bent, y, acc, data: None
    if not meshed:
        return lambda carriers, bodies, scale, convected, bent, y, acc, data: carrier.mass_entries(
            carriers, bodies, scale, convected, bent, y, acc, data
        )
    if not rigid:
        return lambda carriers, bodies, scale, convected, bent, y, acc, data: absolute.mass_entries(carriers, scale, data)

    def both(carriers, bodies, scale, convected, bent, y, acc, data):
        carrier.mass_entries(carriers, bodies, scale, convected, bent, y, acc, data)
        absolute.mass_entries(carriers, scale, data)

    return both


@overload(coupled_energies)
def _coupled_energies(carriers, bodies, y):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y: (0.0, 0.0, 0.0)
    if not meshed:
        return lambda carriers, bodies, y: carrier.energies(carriers, bodies, y)
    if not rigid:
        return lambda carriers, bodies, y: absolute.energies(carriers, bodies, y)

    def both(carriers, bodies, y):
        a, b, c = carrier.energies(carriers, bodies, y)
        d, e, f = absolute.energies(carriers, bodies, y)
        return a + d, b + e, c + f

    return both


@overload(coupled_power)
def _coupled_power(carriers, bodies, y):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y: 0.0
    if not meshed:
        return lambda carriers, bodies, y: carrier.damped(carriers, bodies, y)
    if not rigid:
        return lambda carriers, bodies, y: absolute.damped(carriers, bodies, y)
    return lambda carriers, bodies, y: carrier.damped(carriers, bodies, y) + absolute.damped(carriers, bodies, y)


@overload(coupled_momenta)
def _coupled_momenta(carriers, bodies, y, out):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y, out: None
    if not meshed:
        return lambda carriers, bodies, y, out: carrier.momenta(carriers, bodies, y, out)
    if not rigid:
        return lambda carriers, bodies, y, out: absolute.momenta(carriers, bodies, y, out)

    def both(carriers, bodies, y, out):
        carrier.momenta(carriers, bodies, y, out)
        absolute.momenta(carriers, bodies, y, out)

    return both


@overload(give_coupled_motion)
def _give_coupled_motion(carriers, bodies, u, add):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, u, add: None
    if not meshed:
        return lambda carriers, bodies, u, add: carrier.give_motion(carriers, bodies, u, add)
    if not rigid:
        return lambda carriers, bodies, u, add: absolute.give_motion(carriers, bodies, u, add)

    def both(carriers, bodies, u, add):
        carrier.give_motion(carriers, bodies, u, add)
        absolute.give_motion(carriers, bodies, u, add)

    return both


@overload(place_coupled)
def _place_coupled(carriers, bodies, y):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y: None
    if not meshed:
        return lambda carriers, bodies, y: carrier_nodes.place(carriers, bodies, y)
    if not rigid:
        return lambda carriers, bodies, y: absolute.place(carriers, bodies, y)

    def both(carriers, bodies, y):
        carrier_nodes.place(carriers, bodies, y)
        absolute.place(carriers, bodies, y)

    return both


@overload(condense_coupled)
def _condense_coupled(carriers, bodies, F):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, F: None
    if not meshed:
        return lambda carriers, bodies, F: carrier_nodes.condense(carriers, bodies, F)
    if not rigid:
        return lambda carriers, bodies, F: absolute.condense(carriers, bodies, F)

    def both(carriers, bodies, F):
        carrier_nodes.condense(carriers, bodies, F)
        absolute.condense(carriers, bodies, F)

    return both


@overload(lead_nodes)
def _lead_nodes(carriers, bodies, u):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, u: None
    if not meshed:
        return lambda carriers, bodies, u: carrier_nodes.lead_nodes(carriers, bodies, u)
    if not rigid:
        return lambda carriers, bodies, u: absolute.lead_nodes(carriers, bodies, u)

    def both(carriers, bodies, u):
        carrier_nodes.lead_nodes(carriers, bodies, u)
        absolute.lead_nodes(carriers, bodies, u)

    return both


@overload(bound_nodes)
def _bound_nodes(carriers, bodies, y1, h, out):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y1, h, out: None
    if not meshed:
        return lambda carriers, bodies, y1, h, out: carrier_nodes.bound_nodes(carriers, bodies, y1, h, out)
    if not rigid:
        return lambda carriers, bodies, y1, h, out: absolute.bound_nodes(carriers, bodies, y1, h, out)

    def both(carriers, bodies, y1, h, out):
        carrier_nodes.bound_nodes(carriers, bodies, y1, h, out)
        absolute.bound_nodes(carriers, bodies, y1, h, out)

    return both


@overload(coupled_node_stiffness)
def _coupled_node_stiffness(carriers, bodies, y, K, C):
    rigid, meshed = _kinds(carriers)
    if not rigid and not meshed:
        return lambda carriers, bodies, y, K, C: None
    if not meshed:
        return lambda carriers, bodies, y, K, C: carrier_nodes.node_stiffness(carriers, bodies, y, K, C)

    def meshes(carriers, bodies, y, K, C):
        absolute.prepare_slopes(carriers, bodies, y)
        carrier_nodes.condense_matrix(carriers.nodes, K, C)
        absolute.load_nodes(carriers, K)

    def both(carriers, bodies, y, K, C):
        absolute.prepare_slopes(carriers, bodies, y)
        carrier_nodes.node_stiffness(carriers, bodies, y, K, C)
        absolute.load_nodes(carriers, K)

    return both if rigid else meshes


@overload(add_coupled_bias)
def _add_coupled_bias(carriers, bodies, yd):
    if not any(_kinds(carriers)):
        return lambda carriers, bodies, yd: None
    return lambda carriers, bodies, yd: carrier_nodes.add_bias(carriers, bodies, yd)


@overload(coupled_gradients)
def _coupled_gradients(carriers, data):
    if not any(_kinds(carriers)):
        return lambda carriers, data: None
    return lambda carriers, data: carrier_nodes.gradients(carriers, data)


@overload(add_coupled_acceleration)
def _add_coupled_acceleration(carriers, body, ab):
    if not any(_kinds(carriers)):
        return lambda carriers, body, ab: None
    return lambda carriers, body, ab: carrier_nodes.add_acceleration(carriers, body, ab)


@overload(leave_nodes_out)
def _leave_nodes_out(carriers, weights):
    if not any(_kinds(carriers)):
        return lambda carriers, weights: None
    return lambda carriers, weights: carrier_nodes.leave_nodes_out(carriers, weights)


@overload(clear_nodes)
def _clear_nodes(carriers, d):
    if not any(_kinds(carriers)):
        return lambda carriers, d: None
    return lambda carriers, d: carrier_nodes.clear_nodes(carriers, d)


@overload(note_cubic)
def _note_cubic(carriers, bodies, y0, y1, a0, a1, h):
    if not any(_kinds(carriers)):
        return lambda carriers, bodies, y0, y1, a0, a1, h: None
    return lambda carriers, bodies, y0, y1, a0, a1, h: carrier_nodes.note_cubic(carriers, bodies, y0, y1, a0, a1, h)


@overload(note_series)
def _note_series(carriers, bodies, Z, first, count, slope):
    if not any(_kinds(carriers)):
        return lambda carriers, bodies, Z, first, count, slope: None
    return lambda carriers, bodies, Z, first, count, slope: carrier_nodes.note_series(carriers, bodies, Z, first, count, slope)


@overload(note_stages)
def _note_stages(carriers, bodies, K, stages, factor):
    if not any(_kinds(carriers)):
        return lambda carriers, bodies, K, stages, factor: None
    return lambda carriers, bodies, K, stages, factor: carrier_nodes.note_stages(carriers, bodies, K, stages, factor)

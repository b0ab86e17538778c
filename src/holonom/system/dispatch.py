"""Optional parts of the equations: a table that is None costs nothing and its kernels are not even compiled."""

from __future__ import annotations

from numba import types

from .._jit import overload
from ..elements.joints.rows import PRESENT


def add_pair_forces(pairs, fr, R, F):
    """F += springs, bushings, fields, beams."""


def add_function_forces(fn, S, W, t, y, yd):
    """F += forces given by functions and those of registered kinds; yd <- rates of the states."""


def evaluate_motions(motions, S, W, t):
    """Values, rates and second derivatives of the motion functions at time t."""


def evaluate_curves(curves, S, W):
    """Rows of points on curves and of curves on curves."""


def evaluate_function_rows(fn, S, W, t, y):
    """Rows of general constraints."""


def add_pair_stiffness(pairs, fr, R, K, C):
    """K, C += derivatives of pair forces."""


def add_function_stiffness(fn, S, W, t, y, K, C):
    """K, C += derivatives of function forces, state equations, registered forces and joint friction."""


def add_friction(friction, S, W, y, yd):
    """F += friction of joints; yd <- rates of its deformations."""


def gather_friction(friction, wr, S, W):
    """Wrenches of joint friction and of registered forces into wr."""


def repeat_lagged(fn, friction, S, W, t, y, yd):
    """Forces that depend on reactions or accelerations: evaluate again until they agree with what they cause."""


@overload(add_friction)
def _friction_forces(friction, S, W, y, yd):
    if isinstance(friction, types.NoneType):
        return lambda friction, S, W, y, yd: None
    from .friction import friction_forces

    return lambda friction, S, W, y, yd: friction_forces(friction, S, W, y, yd)


@overload(gather_friction)
def _gather_friction(friction, wr, S, W):
    if isinstance(friction, types.NoneType):
        return lambda friction, wr, S, W: None
    from .friction import friction_wrenches
    from .port_entry import gather_ports

    def both(friction, wr, S, W):
        friction_wrenches(friction, wr)
        gather_ports(S, W)

    return both


@overload(repeat_lagged)
def _repeat_lagged(fn, friction, S, W, t, y, yd):
    if isinstance(fn, types.NoneType):
        if isinstance(friction, types.NoneType):
            return lambda fn, friction, S, W, t, y, yd: None
        from .kernels import iterate_lagged

        return lambda fn, friction, S, W, t, y, yd: iterate_lagged(S, W, t, y, yd) if friction.reactive > 0 else None
    from .kernels import iterate_lagged

    if isinstance(friction, types.NoneType):
        return lambda fn, friction, S, W, t, y, yd: iterate_lagged(S, W, t, y, yd) if fn.has_force + fn.has_acc > 0 else None

    def both(fn, friction, S, W, t, y, yd):
        if fn.has_force + fn.has_acc + friction.reactive > 0:
            iterate_lagged(S, W, t, y, yd)

    return both


@overload(add_pair_forces)
def _pair_forces(pairs, fr, R, F):
    if isinstance(pairs, types.NoneType):
        return lambda pairs, fr, R, F: None
    from .pairs import pair_forces

    return lambda pairs, fr, R, F: pair_forces(pairs, fr, R, F)


def gather_functions(fn, wr, first):
    """Wrenches of function forces into wr; returns the next free place."""


def gather_pairs(pairs, wr, first):
    """Wrenches of pair forces into wr."""


def accept_references(fn, pairs, S, W):
    """Continuous angles of functions and pair forces: the present branch becomes the reference."""


@overload(accept_references)
def _accept_references(fn, pairs, S, W):
    from .functions import accept_functions
    from .pairs import accept_pairs
    from .port_entry import accept_ports

    if isinstance(fn, types.NoneType):
        if isinstance(pairs, types.NoneType):
            return lambda fn, pairs, S, W: None
        return lambda fn, pairs, S, W: accept_pairs(pairs, S.fr)
    if isinstance(pairs, types.NoneType):
        return lambda fn, pairs, S, W: accept_functions(fn, S, W, W.rw.clock[PRESENT])

    def both(fn, pairs, S, W):
        accept_functions(fn, S, W, W.rw.clock[PRESENT])
        accept_pairs(pairs, S.fr)
        accept_ports(S, W)

    return both


def add_port_energies(fn, S, W, t, y, out):
    """What registered forces store, lose and put in, added to out (3)."""


@overload(add_port_energies)
def _port_energies(fn, S, W, t, y, out):
    if isinstance(fn, types.NoneType):
        return lambda fn, S, W, t, y, out: None
    from .port_entry import port_energies

    return lambda fn, S, W, t, y, out: port_energies(S, W, t, y, out)


def damper_power(pairs, fr):
    """Power of the dampers of pair forces."""


def function_power(fn, S, W, y):
    """Power of function forces."""


def rubbing_power(friction, fr):
    """Power of joint friction."""


@overload(damper_power)
def _damper_power(pairs, fr):
    if isinstance(pairs, types.NoneType):
        return lambda pairs, fr: 0.0
    from .output_kernels import viscous_power

    return lambda pairs, fr: viscous_power(pairs, fr)


@overload(function_power)
def _function_power(fn, S, W, y):
    if isinstance(fn, types.NoneType):
        return lambda fn, S, W, y: 0.0
    from .output_kernels import driving_power

    return lambda fn, S, W, y: driving_power(fn.vforce, S, W, y)


@overload(rubbing_power)
def _rubbing_power(friction, fr):
    if isinstance(friction, types.NoneType):
        return lambda friction, fr: 0.0
    from .output_kernels import friction_power

    return lambda friction, fr: friction_power(friction, fr)


def pair_energy(pairs, fr):
    """Potential energy of pair forces."""


@overload(pair_energy)
def _pair_energy(pairs, fr):
    if isinstance(pairs, types.NoneType):
        return lambda pairs, fr: 0.0
    from .output_kernels import elastic_energy

    return lambda pairs, fr: elastic_energy(pairs, fr)


@overload(gather_functions)
def _gather_functions(fn, wr, first):
    if isinstance(fn, types.NoneType):
        return lambda fn, wr, first: first
    from .reactions import vector_force_wrenches

    def both(fn, wr, first):
        vector_force_wrenches(wr, first, fn.vforce)
        return first + fn.vforce.i.shape[0]

    return both


@overload(gather_pairs)
def _gather_pairs(pairs, wr, first):
    if isinstance(pairs, types.NoneType):
        return lambda pairs, wr, first: None
    from .reactions import copy_wrenches

    return lambda pairs, wr, first: copy_wrenches(wr, first, pairs.out)


@overload(evaluate_motions)
def _motions(motions, S, W, t):
    if isinstance(motions, types.NoneType):
        return lambda motions, S, W, t: None
    from .motions import motion_values

    return lambda motions, S, W, t: motion_values(motions, W, t)


@overload(evaluate_curves)
def _curves(curves, S, W):
    if isinstance(curves, types.NoneType):
        return lambda curves, S, W: None
    from ..elements.joints.curves import evaluate_curve_pairs, evaluate_curve_rows

    def both(curves, S, W):
        evaluate_curve_rows(S.rows, W.rw, curves, S.fr, W.R)
        evaluate_curve_pairs(S.rows, W.rw, curves, S.fr, W.R)

    return both


@overload(add_pair_stiffness)
def _pair_stiffness(pairs, fr, R, K, C):
    if isinstance(pairs, types.NoneType):
        return lambda pairs, fr, R, K, C: None
    from .pairs import pair_stiffness

    return lambda pairs, fr, R, K, C: pair_stiffness(pairs, fr, R, K, C)


@overload(add_function_forces)
def _function_forces(fn, S, W, t, y, yd):
    if isinstance(fn, types.NoneType):
        return lambda fn, S, W, t, y, yd: None
    from .functions import function_forces
    from .port_entry import port_forces

    def both(fn, S, W, t, y, yd):
        function_forces(fn, S, W, t, y, yd)
        port_forces(S, W, t, y, yd)

    return both


@overload(evaluate_function_rows)
def _function_rows(fn, S, W, t, y):
    if isinstance(fn, types.NoneType):
        return lambda fn, S, W, t, y: None
    from .functions import function_rows

    return lambda fn, S, W, t, y: function_rows(fn, S, W, t, y)


@overload(add_function_stiffness)
def _function_stiffness(fn, S, W, t, y, K, C):
    tables = getattr(S, "target", S)  # a tuple, or a `handle.Ref` of one
    frictional = not isinstance(tables.types[tables.fields.index("friction")], types.NoneType)
    if isinstance(fn, types.NoneType):
        if not frictional:
            return lambda fn, S, W, t, y, K, C: None
        from .friction import friction_stiffness

        return lambda fn, S, W, t, y, K, C: friction_stiffness(S.friction, S, W, y, K, C)
    from .functions import function_stiffness
    from .port_entry import port_matrix

    if not frictional:

        def without(fn, S, W, t, y, K, C):
            function_stiffness(fn, S, W, t, y, K, C)
            port_matrix(S, W, t, y, K, C)

        return without
    from .friction import friction_stiffness

    def both(fn, S, W, t, y, K, C):
        function_stiffness(fn, S, W, t, y, K, C)
        port_matrix(S, W, t, y, K, C)
        friction_stiffness(S.friction, S, W, y, K, C)

    return both

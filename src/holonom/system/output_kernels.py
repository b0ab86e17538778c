"""Kernels of what a run reports: energies and powers, wrenches and output functions at one point of time.

They stand apart from `outputs`, which reads models: the key of a compiled kernel is that of all sources that its file
reaches.
"""

from __future__ import annotations

import math

import numpy as np

from .._handle import view_P, view_S, view_W
from .._jit import Kernel, jit
from ..elements.bodies.at_point import angular_velocity, centre_velocity, lever
from ..elements.bodies.coordinates import rotations
from ..elements.bodies.coupled import add_coupled_acceleration, coupled_energies, coupled_power
from ..elements.bodies.mass import row_speed
from ..elements.bodies.rigid import gravity_energy, kinetic_energy
from ..elements.frames import update_frames
from ..elements.measures import angle, angle_jet
from ..elements.vectors import cross
from .functions import MEASURE, TIME, accept_functions, evaluate_force_inputs, evaluate_functions, evaluate_inputs
from .pairs import over_pair_kinds
from .part_calls import add_balance, potential_energy, power_in, power_out
from .reactions import gather_wrenches


def _storing(law) -> Kernel:
    energy = law.energy

    @jit
    def loop(x, pairs, t, a, b, fr):
        ref = pairs.ref[a:b]
        for k in range(b - a):
            x += energy(t, k, pairs.i[a + k], pairs.j[a + k], fr, ref)
        return x

    return loop


def _damping(law) -> Kernel:
    power = law.power

    @jit
    def loop(x, pairs, t, a, b, fr):
        ref = pairs.ref[a:b]
        for k in range(b - a):
            x += power(t, k, pairs.i[a + k], pairs.j[a + k], fr, ref, pairs.out[a + k])[1]
        return x

    return loop


_energy_of_all = over_pair_kinds(_storing)
_damping_of_all = over_pair_kinds(_damping)


@jit
def elastic_energy(S, W):
    """Potential energy of all pair forces; NaN where an element has none."""
    return _energy_of_all(0.0, S.pairs, S.fr)


@jit
def viscous_power(S, W, y):
    """Power of the dampers of all pair forces on the bodies, <= 0."""
    return _damping_of_all(0.0, S.pairs, S.fr)


@jit
def wrench_power(fr, k, W, o):
    """Power of the wrench W[o : o + 6] on frame k."""
    p = 0.0
    for c in range(3):
        p += W[o + c] * fr.v[k, c] + W[o + 3 + c] * fr.w[k, c]
    return p


@jit
def force_power(S, W, y, k):
    """Power of the force that function k gives, with that of its reaction."""
    fr = S.fr
    vf = S.fn.vforce
    i = vf.i[k]
    p = wrench_power(fr, i, vf.out[k], 0)
    b = vf.react[k]
    if b >= 0:  # the same wrench reversed, at the same point, on the body of the reaction
        w0, w1, w2 = angular_velocity(S.bodies, W.R, y, b)
        s0, s1, s2 = lever(S.bodies, y, b, fr.p[i, 0], fr.p[i, 1], fr.p[i, 2])
        v0, v1, v2 = centre_velocity(S.bodies, y, b)
        c0, c1, c2 = cross(w0, w1, w2, s0, s1, s2)
        p -= vf.out[k, 0] * (v0 + c0) + vf.out[k, 1] * (v1 + c1) + vf.out[k, 2] * (v2 + c2)
        p -= vf.out[k, 3] * w0 + vf.out[k, 4] * w1 + vf.out[k, 5] * w2
    return p


@jit
def driving_power(S, W, y):
    """Power of the forces that functions give."""
    p = 0.0
    for k in range(S.fn.vforce.i.shape[0]):
        p += force_power(S, W, y, k)
    return p


@jit(entry="Handle(Tables, Work, OutputParts(Tables, Work, Wrenches)), float64[::1], int64[::1]")
def power_of_forces(handle, y, which):
    """Power of the forces ``which`` (rows) that functions give, where the system has just been evaluated."""
    P = view_P(handle)
    p = 0.0
    for k in which:
        p += force_power(P.S, P.W, y, k)
    return p


@jit
def friction_power(S, W, y):
    """Power of joint friction, <= 0 but for the bristles."""
    ft = S.friction
    fr = S.fr
    p = 0.0
    for k in range(ft.i.shape[0]):
        p += wrench_power(fr, ft.i[k], ft.out[k], 0) + wrench_power(fr, ft.j[k], ft.out[k], 6)
    return p


@jit
def powers(S, W, y, out):
    """out[3] <- power put in by motions (what their reactions do) and function forces; out[4] <- power lost in dampers
    and joint friction."""
    p = 0.0
    for r in range(S.rows.m):
        if S.rows.compliance[r] == 0.0:  # what a drive takes is its kinetic energy
            p -= W.lam[r] * row_speed(S.rows, W.rw.G, r, y)
    out[3] = p + power_in(S, W, y)
    out[4] = -power_out(S, W, y) - coupled_power(S.bodies, y)


@jit
def energies(S, W, y, out):
    """out <- kinetic, gravity, elastic energy; frames must be current."""
    kinetic, gravity, stored = coupled_energies(S.bodies, y)
    out[0] = kinetic_energy(S.bodies, y) + kinetic
    for r in range(S.rows.m):
        if S.rows.compliance[r] != 0.0:
            out[0] += 0.5 * row_speed(S.rows, W.rw.G, r, y) ** 2 / S.rows.compliance[r]
    out[1] = gravity_energy(S.bodies, y) + gravity
    out[2] = potential_energy(S, W) + stored


@jit
def of_ports(P, t, y):
    """What forces of registered types store, put in and lose, added to the energies and powers."""
    for c in range(3):
        P.ports[c] = 0.0
    add_balance(P.S, P.W, t, y, P.ports)
    P.energy[2] += P.ports[0]
    P.energy[3] += P.ports[2]
    P.energy[4] += P.ports[1]


@jit(entry="Handle(Tables, Work, OutputParts(Tables, Work, Wrenches)), float64, float64[::1]")
def evaluate_outputs(handle, t, y):
    """Wrenches, output functions and energies at a point where the system has just been evaluated.

    The handle holds the tables with the frames and functions of outputs; its parts those of the equations of motion.
    """
    P = view_P(handle)
    So = view_S(handle)
    Wo = view_W(handle)
    S, W, energy = P.S, P.W, P.energy
    gather_wrenches(P.wr, S, W)
    update_frames(So.fr, y, Wo.R)
    add_coupled_acceleration(So.bodies, So.fr.body, So.fr.ab)
    evaluate_inputs(So.fn, So, Wo, t, y)
    evaluate_force_inputs(So.fn, So.fr, Wo)
    evaluate_functions(So.fn, So, Wo)
    accept_functions(So.fn, So, Wo, t)
    energies(S, W, y, energy)
    powers(S, W, y, energy)
    of_ports(P, t, y)


VALUES, ACCEPT = 1, 2


@jit(entry="Handle(Tables, Work, OutputParts(Tables, Work, Wrenches)), float64, float64[::1], int64")
def sample(handle, t, y, what):
    """At (t, y), between evaluations of the system: VALUES of all functions, ACCEPT the turns of continuous angles, or
    both."""
    So = view_S(handle)
    Wo = view_W(handle)
    rotations(So.bodies, y, Wo.R)
    update_frames(So.fr, y, Wo.R)
    add_coupled_acceleration(So.bodies, So.fr.body, So.fr.ab)
    evaluate_inputs(So.fn, So, Wo, t, y)
    if what & VALUES:
        evaluate_functions(So.fn, So, Wo)
    if what & ACCEPT:
        accept_functions(So.fn, So, Wo, t)


def _counting(sampler: Kernel) -> Kernel:
    @jit(entry="Handle(Tables, Work, OutputParts(Tables, Work, Wrenches)), float64, float64[::1]")
    def count(handle, t, y):
        """Accept the angles at (t, y); whole turns of those in ``turning`` are the ones nearest to the mean of the
        rates at both ends times the span.  Returns whether that is doubtful."""
        P = view_P(handle)
        f = view_W(handle).f
        span = t - f.clock[0]
        for n in range(P.turning.shape[0]):
            P.before[n, 0] = f.ref[P.turning[n], 0]
            P.before[n, 1] = f.ref[P.turning[n], 1]
        sampler(handle, t, y, ACCEPT)
        doubtful = False
        for n in range(P.turning.shape[0]):
            r = P.turning[n]
            said = 0.5 * span * (P.before[n, 1] + f.ref[r, 1])
            f.ref[r, 0] += 2.0 * math.pi * np.rint((said - (f.ref[r, 0] - P.before[n, 0])) / (2.0 * math.pi))
            doubtful = doubtful or abs(said - (f.ref[r, 0] - P.before[n, 0])) > 2.0
        return doubtful

    return count


count_turns = _counting(sample)


# ---- outputs that are angles only ------------------------------------------------------------------------------------
# Most models measure no more than the turns of their joints: these do without the machine of expressions, a quarter of
# what a first run compiles
@jit
def evaluate_turns(So, Wo, t):
    """Inputs of functions, where all measures are angles."""
    inp = So.fn.inputs
    f = Wo.f
    for k in range(inp.kind.shape[0]):
        if inp.kind[k] == MEASURE:
            ref = 0.0
            if inp.ref[k] >= 0:
                ref = f.ref[inp.ref[k], 0] + f.ref[inp.ref[k], 1] * (t - f.clock[0])
            f.x[k] = angle(inp.code[k], inp.a[k], inp.b[k], So.fr.A, ref)
        elif inp.kind[k] == TIME:
            f.x[k] = t


@jit
def accept_turns(So, Wo, t):
    """`accept_functions`, where all measures are angles."""
    inp = So.fn.inputs
    f = Wo.f
    for k in range(inp.kind.shape[0]):
        r = inp.ref[k]
        if r >= 0:
            f.ref[r, 0] = f.x[k]
            x, f.ref[r, 1], xdd = angle_jet(inp.code[k], inp.a[k], inp.b[k], So.fr, f.x[k])
    f.clock[0] = t


@jit
def follow_turns(So, Wo, t, y):
    """Values of all functions, and the turns of their angles accepted."""
    update_frames(So.fr, y, Wo.R)
    evaluate_turns(So, Wo, t)
    accept_turns(So, Wo, t)


@jit(entry="Handle(Tables, Work, OutputParts(Tables, Work, Wrenches)), float64, float64[::1]")
def evaluate_turning_outputs(handle, t, y):
    """`evaluate_outputs`, where all functions are angles."""
    P = view_P(handle)
    gather_wrenches(P.wr, P.S, P.W)
    follow_turns(view_S(handle), view_W(handle), t, y)
    energies(P.S, P.W, y, P.energy)
    powers(P.S, P.W, y, P.energy)
    of_ports(P, t, y)


@jit(entry="Handle(Tables, Work, OutputParts(Tables, Work, Wrenches)), float64, float64[::1], int64")
def sample_turns(handle, t, y, what):
    """`sample` with ACCEPT, where all functions are angles."""
    So = view_S(handle)
    Wo = view_W(handle)
    rotations(So.bodies, y, Wo.R)
    follow_turns(So, Wo, t, y)


count_simple_turns = _counting(sample_turns)

"""Linearisation of a machine at its present state: the equations of small motions about it, on the constraints.

Small motions of a body are dr of its centre of mass and a small turn dtheta, both in ground axes, and the changes dv,
dw of its velocity and angular velocity.  With v, w those of the operating point they obey

    dr' = dv,     dtheta' = dw + w x dtheta,     dv' and dw': the derivatives of the accelerations,     dx' = df,

restricted to what the constraints allow.  With G the constraint matrix (rows of positions G_q; rows of positions and
velocities G_u, which is longer where rolling wheels or driven velocities are) and N_q, N_u bases of their null spaces,
orthonormal in the mass metric (rank revealing, so redundant rows do no harm),

    dq = N_q a,     du = N_u b + P a,     P: the smallest change of velocity that keeps  G u + dphi/dt = 0,
    while dq moves,

the state (a, b, x) has as many numbers as the machine has freedoms: s' = A s.  Motions keep their course.

The derivatives are taken of the index-1 equations of motion themselves, accelerations from M u' + G^T lam = F and G u'
= gamma, by central differences along these directions with three step sizes (Romberg), the step being cut until the
three agree.  Nothing is left out that way: the geometric stiffness of reactions, gyroscopic and circulatory terms,
curves, user routines, forces that depend on reactions.  Before that the directions are turned to those of soft and of
stiff motions, so that the noise of a stiff spring does not drown a soft mode.

About a moving operating point the equations are frozen at the present time (as Adams does).  That is exact where
nothing changes in ground axes: an axisymmetric rotor, a wheel that rolls straight ahead.  For a machine that turns as a
whole, ``rm`` names a
marker: the small motions are then seen by an observer who turns with it (RM of Adams' LINEAR).

Inputs are added to their VARIABLEs, u = function + du, so loops that the model closes stay closed.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...elements.bodies.absolute import near_masses
from ...elements.bodies.carrier import mass_motions
from ...elements.bodies.mass import coupled_masses, movable, on_carriers, uncoupled
from ...integrators.entry import CONSTRAINTS, RATE, enter, explicit_handle, project_state
from ...linalg.eigen import nullspace
from ...model import Model, ModelError
from ...model.states import Diff, Variable
from ...recursive.small_motions import SmallMotions, no_small_motions
from ...results import _rotation as rotation
from ...results.modes import Linear
from ...system.flags import USER_FAILED
from ..dynamics.due import due_changes
from ..dynamics.past import refuse
from ..ked import vibrating
from ..session.inputs import Inputs
from ..session.recorder import Recorder
from .elastic import elastic

RANK = 1e-8  # a row nearer than this to those before it is redundant
FIRST = 2e-3  # first step of the differences, in units of the machine's size (radians, extent, typical speed)
CUTS = (1.0, 0.1, 1e-2, 1e-3)
AGREE = 1e-9  # the three step sizes agree
TURNING = 0.01  # spin compared with the lowest frequency of a flexible body, from which it counts
SMOOTH = 1e-4  # worse agreement is reported
SPREAD = 1e7  # of stiffnesses: rounding of the largest is no longer small compared with the least
EXACT = 1e-6  # differences of forces that disagree more with their derivatives replace them
REFINE = 3000  # directions are turned to stiff and soft ones up to this many


class Point:
    """A system at an operating point (t, y), and how it answers to small changes of its state.

    Changes are rows (rows, 12) of dr, dtheta, dv, dw a body, ground axes, and (nx,) of the states.  Behind those of the
    nb bodies are rows for the coordinates of the tail (`layout`), six of these and of their rates a row; where there
    are none, rows is nb.  Rows of nodes do not count.
    """

    def __init__(self, system, t: float, y: np.ndarray, spin: np.ndarray):
        if len(system.S.fn.gcon_x):
            raise ModelError(
                "a linear analysis has no terms for constraints that read states (DIF, or ARYVAL of an X array); "
                "deactivate these GCON, or write the state as a function of positions and time"
            )
        self.system, self.t = system, float(t)
        self.handle = explicit_handle(system)
        project_state(system, y, t, 3)
        self._check()
        self.y = y.copy()
        n = self.n = system.nb
        self.nx = system.nx
        self.rows = n + system.bodies.tail // layout.MOVES
        body = layout.rows(y, n)
        R = system.W.R[:n].reshape(n, 3, 3).copy()
        self.R = np.concatenate([R, np.tile(np.eye(3), (self.rows - n, 1, 1))])
        self.q = body[:, layout.QUATERNION] / np.linalg.norm(body[:, layout.QUATERNION], axis=1, keepdims=True)
        self.v = body[:, layout.VELOCITY].copy()
        self.w = np.concatenate([np.einsum("bij,bj->bi", R, body[:, layout.SPIN]), np.zeros((self.rows - n, 3))])
        self.spin = spin
        self.turns = layout.turning(system.bodies)
        self.mass = system.bodies.mass[:n]
        c = system.bodies.carriers
        #: mass of all
        self.weight = float(self.mass.sum()) if c is None else float(self.mass.sum() + c.meshes.mass.sum())
        self.J = np.einsum("bij,bj,bkj->bik", R, np.where(self.turns[:, None], system.bodies.J[:n], 0.0), R)
        apart = lambda table: np.concatenate([table[:n], table[n + 1 :]])  # without ground
        self.free = apart(movable(system.bodies)).ravel()
        #: roots of inverse masses and moments; where masses couple coordinates, of those that each has by itself
        self.root = np.sqrt(apart(uncoupled(system.bodies)))
        self.coupled = coupled_masses(system.bodies, R)
        self.level = np.asarray(system.S.rows.level)
        L = self.length = system.extent
        g = float(np.linalg.norm(system.bodies.gravity))
        fastest = max(np.abs(self.v).max(initial=0.0), L * np.abs(self.w).max(initial=0.0))
        self.speed = max(fastest, np.sqrt(g * L), 1e-3 * L) if n else 1.0
        self.outputs = system.outputs
        self.forces = _Wrenches(self)

    def _check(self) -> None:
        if self.system.W.flags[USER_FAILED]:
            self.system.raise_user_error(self.t)

    # ---- evaluations ------------------------------------------------------------------------------------------------
    def moved(self, d: np.ndarray, x: np.ndarray, h: float) -> np.ndarray:
        """State vector at the operating point changed by h (d, x)."""
        y = self.y.copy()
        b = layout.rows(y, self.n)
        n = self.n
        bodies = self.system.bodies
        layout.coordinates(y, bodies)[:] += h * d[n:, :6].ravel()
        layout.coordinate_rates(y, bodies)[:] += h * d[n:, 6:].ravel()
        d = d[:n]
        b[:, :3] += h * d[:, :3]
        turn = h * d[:, 3:6]
        half = 0.5 * np.linalg.norm(turn, axis=1, keepdims=True)
        q = np.hstack([np.cos(half), 0.5 * turn * np.sinc(half / np.pi)])
        b[:, layout.QUATERNION] = rotation.product(q, self.q)
        b[:, layout.VELOCITY] += h * d[:, 6:9]
        R = rotation.matrices(b[:, layout.QUATERNION])
        b[:, layout.SPIN] = np.einsum("bji,bj->bi", R, self.w[:n] + h * d[:, 9:12])
        y[bodies.end :] += h * x
        return y

    def rates(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (rows, 6), ground axes, and rates of the states (nx,)."""
        T = self.system.workspace.stages
        T.ya[:] = y
        enter(self.handle, RATE, y, self.t, 0.0, 1e-8, 0, T.d)
        self._check()
        n = self.n
        acc = layout.speeds(T.K[1], n).copy()
        R = self.system.W.R[:n].reshape(n, 3, 3)
        acc[:, 3:] = np.einsum("bij,bj->bi", R, acc[:, 3:])
        bodies = self.system.bodies
        return np.concatenate([acc, layout.moves(layout.coordinate_rates(T.K[1], bodies))]), T.K[1][bodies.end :].copy()

    def sample(self, y: np.ndarray) -> np.ndarray:
        """Everything that is differentiated, as one vector: accelerations, rates of states, variables, forces'
        wrenches."""
        acc, xd = self.rates(y)
        self.outputs.evaluate(self.t, y)
        self._check()
        return np.concatenate([acc.ravel(), xd, self.outputs.variable_values, self.forces.generalised(y).ravel()])

    def sample_forces(self, tree: SmallMotions, way: np.ndarray) -> np.ndarray:
        """The forces' wrenches alone, with coordinates and rates of a tree changed by ``way`` (2, nv)."""
        y = tree.evaluate_moved(way[0], way[1], self.t)
        self.outputs.evaluate(self.t, y)
        self._check()
        return self.forces.generalised(y).ravel()

    def constraint_speed(self, y: np.ndarray) -> np.ndarray:
        """G u + dphi/dt (m,), zero in rows that do not bind velocities."""
        s = self.system
        enter(self.handle, CONSTRAINTS, y, self.t, 0.0, 1e-8, 0, s.workspace.stages.d)
        self._check()
        G = s.W.rw.G[:-1]
        u = layout.speeds(y.reshape(-1), self.n + 1)
        u = np.vstack([u[: self.n], np.zeros((1, layout.MOVES))])
        v = (
            np.bincount(s.slot_row[:-1], np.einsum("sc,sc->s", G, u[s.slot_body[:-1]]), s.m)
            if len(G)
            else np.zeros(s.m)
        )
        return np.where(self.level < 2, v + s.W.rw.phit, 0.0)

    def gradients(self) -> np.ndarray:
        """G (m, 6 rows) at the operating point over dr and dtheta divided by the roots of mass and moments: body
        axes."""
        s = self.system
        enter(self.handle, CONSTRAINTS, self.y, self.t, 0.0, 1e-8, 0, s.workspace.stages.d)
        G = np.zeros((s.m, self.rows + 1, layout.MOVES))
        np.add.at(G, (s.slot_row[:-1], s.slot_body[:-1]), s.W.rw.G[:-1])
        G = on_carriers(s.bodies, G.reshape(s.m, layout.MOVES * (self.rows + 1))).reshape(G.shape)
        G = np.concatenate([G[:, : self.n], G[:, self.n + 1 :]], axis=1)
        return (G * self.root).reshape(s.m, layout.MOVES * self.rows)

    def ground(self, z: np.ndarray) -> np.ndarray:
        """Columns z (6 rows, k) over the coordinates of `gradients` as changes (rows, 6, k) in ground axes."""
        z = z.reshape(self.rows, layout.MOVES, z.shape[1]) * self.root[:, :, None]
        return np.concatenate([z[:, :3], np.einsum("bij,bjk->bik", self.R, z[:, 3:])], axis=1)

    def momentum(self, d: np.ndarray) -> np.ndarray:
        """M d of changes (rows, 6, k)."""
        n = self.n
        out = np.concatenate(
            [self.mass[:, None, None] * d[:n, :3], np.einsum("bij,bjk->bik", self.J, d[:n, 3:])], axis=1
        )
        if not self.coupled:
            return out
        out = np.concatenate([out, np.zeros_like(d[n:])]).reshape(layout.MOVES * self.rows, -1)
        z = d.reshape(out.shape)
        for where, M in self.coupled:
            out[where] = M @ z[where]
        return out.reshape(d.shape)

    # ---- differences ------------------------------------------------------------------------------------------------
    def slope(self, f, d: np.ndarray, x: np.ndarray, weigh, size_of_terms) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivative of f along (d, x); in the norms that ``weigh`` gives, by how much the step sizes disagree beyond
        rounding, and the size of what is noise in it.

        ``size_of_terms``: in those norms, that of the terms which f adds up: what rounding is measured by.

        Romberg's table over steps h, h/2, h/4; h is cut to a tenth until it agrees with itself (splines, contacts,
        friction have small scales of their own), and the best is kept.
        """
        L, V, n = self.length, self.speed, self.n
        size = max(
            np.abs(d[:n, :3]).max(initial=0.0) / L,
            np.abs(d[:n, 3:6]).max(initial=0.0),
            np.abs(d[:n, 6:9]).max(initial=0.0) / V,
            np.abs(d[:n, 9:12]).max(initial=0.0) * L / V,
            np.abs(d[n:, :6]).max(initial=0.0) / L,
            np.abs(d[n:, 6:]).max(initial=0.0) / V,
            np.abs(x / np.maximum(np.abs(self.y[self.system.bodies.end :]), 1.0)).max(initial=0.0),
        )
        if size == 0.0:
            return np.zeros_like(f(self.y)), np.zeros(len(size_of_terms)), np.zeros(len(size_of_terms))
        here = f(self.y)
        best, least, noise, share = None, np.zeros(0), np.zeros(0), np.inf
        for cut in CUTS:
            h = cut * FIRST / size
            ahead, behind = ([f(self.moved(d, x, s * h / k)) for k in (1, 2, 4)] for s in (1, -1))
            D = [(p - m) * (0.5 * k / h) for p, m, k in zip(ahead, behind, (1, 2, 4))]
            a, b = (4 * D[1] - D[0]) / 3, (4 * D[2] - D[1]) / 3
            c = (16 * b - a) / 15
            if not np.all(np.isfinite(c)):
                continue
            change, length = weigh(c - b), weigh(c)
            error = np.maximum(change - 3e-14 * size_of_terms / h, 0.0)
            part = float((error / np.maximum(length, 1e-300)).max(initial=0.0))
            if part < share:
                best, least, share = c, error, part
                # A kink right here: the second difference falls like h, not like h^2.
                bend = [weigh(ahead[q] + behind[q] - 2.0 * here) for q in (0, 2)]
                kink = np.where((bend[1] > 0.2 * bend[0]) & (bend[1] > 1e-12 * size_of_terms), 2.0 * bend[1] / h, 0.0)
                least = np.maximum(error, kink)
                noise = np.minimum(30.0 * change, 1e-10 * length + 5e-15 * size_of_terms / h)
            if part <= AGREE:
                break
        if best is None:
            raise ModelError(
                f"the model cannot be linearised at time {self.t:.6g}: accelerations near the operating point are not "
                "finite numbers"
            )
        return best, least, noise


class _Wrenches:
    """Generalised forces of the applied forces of a system on the two bodies of each: about their centres, ground
    axes."""

    def __init__(self, point: Point):
        s = self.system = point.system
        self.nc = len(s.constraints)
        self.elements = list(s.functions.wrench_elements[self.nc :])
        k = len(self.elements)
        frame = np.zeros((k, 2), np.int64)  # where each wrench acts
        body = np.full((k, 2), s.nb, np.int64)
        of = s.S.fr.body
        at = 0
        vf = s.S.fn.vforce
        for n in range(len(vf.i)):  # the reaction is held at I
            frame[at] = vf.i[n]
            body[at] = of[vf.i[n]], vf.react[n] if vf.react[n] >= 0 else s.nb
            at += 1
        for b in (s.S.pairs, s.S.friction):
            for i, j in zip(b.i, b.j):
                frame[at] = i, j
                body[at] = of[i], of[j]
                at += 1
        for frames in s.ports.frames:  # what acts on each, and the reaction to it at the last
            for f in frames[:-1]:
                frame[at] = f, frames[-1]
                body[at] = of[f], of[frames[-1]]
                at += 1
        self.frame, self.body = frame, body

    def generalised(self, y: np.ndarray) -> np.ndarray:
        """(k, 2, 6) at the last evaluation, which was at y; zero on ground."""
        s = self.system
        k = len(self.elements)
        if not k:
            return np.zeros((0, 2, layout.MOVES))
        out = s.wrenches.out[self.nc : self.nc + k].reshape(k, 2, layout.MOVES).copy()
        centre = layout.places(y, s.nb + 1)
        out[:, :, 3:] += np.cross(s.S.fr.p[self.frame] - centre[self.body], out[:, :, :3])
        out[self.body == s.nb] = 0.0
        return out


def _spin(sim, rm) -> np.ndarray:
    """Angular velocity of a marker, ground axes."""
    if rm is None:
        return np.zeros(3)
    system = sim.system
    marker = sim.model.find("MARKER", rm)
    b = system.body_of(marker)
    if b == system.nb:
        return np.zeros(3)
    state = layout.body(sim.y, b)
    return rotation.matrices(state[layout.QUATERNION]) @ state[layout.SPIN]


def linearize_simulation(sim, *, inputs=None, outputs=None, states=None, rm=None, damping: bool = True) -> Linear:
    """Small motions about the present state: eigenvalues, modes, state matrices (`Linear`).

    ``inputs``, ``outputs``: VARIABLEs, or PINPUT and POUTPUT elements, by name, id or themselves (default: all
    PINPUT and POUTPUT of the model); an output may also be an expression.  ``states``: VARIABLEs that serve as
    coordinates of the state matrices.  ``rm``: a marker that turns with the machine.  ``damping`` False leaves out
    all that depends on velocities.
    """
    vibrating(sim, other="linear analysis")
    with sim.systems.aside(sim.system):  # the present one may be taken, and an analysis that is open continues with it
        answer = _linearize(sim, _Plan(sim.model, inputs, outputs, states, sim), rm, damping)
    sim.linear.append(answer)
    return answer


def _linearize(sim, plan: _Plan, rm, damping: bool) -> Linear:
    twin = copy.copy(sim)
    twin.model = plan.model
    twin.recorder = Recorder(plan.model)
    twin.messages = []
    twin._prepared, twin._stepping, twin.inputs = None, None, Inputs(plan.model)
    twin.carried = copy.copy(sim.carried)
    twin.carried.state, twin.carried.angles = dict(sim.carried.state), dict(sim.carried.angles)
    system = twin.prepare("linear")
    refuse(
        system, "a linear analysis", "eigenvalues of a delayed system are roots of an equation with exp(-s delay); run"
    )
    if sim.system is None:  # the first analysis: its assembly is the present state
        sim.messages += [m for m in twin.messages if m not in sim.messages]
    with elastic(system.bodies, twin.y):
        point = Point(system, sim.time, twin.y.copy(), _spin(twin, rm))
        blocks = _Blocks(point, plan, damping)
        answer = blocks.answer(sim, plan)
    if blocks.worst > SMOOTH:
        answer.warnings.append(
            f"the model is not smooth at time {sim.time:.6g}: differences with several steps disagree by "
            f"{blocks.worst:.1g} of their size "
            f"({blocks.where}); a kink of an IF, a contact or friction may lie at this point"
        )
    if rm is None:
        answer.warnings += _turning(system, twin.y)
    answer.warnings += due_changes(twin, system, sim.time, twin.y, "linear")
    for text in answer.warnings:
        sim.warn(f"linear: {text}")
    return answer


def _turning(system, y: np.ndarray) -> list[str]:
    """Flexible bodies and turn, seen from ground: the plane in which they bend turns with them."""
    out = []
    for e in system.model.table("FLEXIBILITY").values():
        if e.active:
            spin = float(np.linalg.norm(layout.spins(y, system.nb)[system.body_index["PART", e.part]]))
            if spin > TURNING * float(np.min(e.frequency)):
                out.append(
                    f"{e.label} turns with {spin:.4g} rad per time, and what it is made of is seen from ground: "
                    "frequencies across its axis are right only for "
                    "a body that is the same all round; give rm = a marker on it"
                )
    return out


class _Plan:
    """A copy of the model in which inputs are states that are at rest, and outputs are variables; the model itself
    where there are none."""

    def __init__(self, model: Model, inputs, outputs, states, sim):
        plain = not any(model.table(kind) for kind in ("PINPUT", "POUTPUT")) and inputs is None and outputs is None
        twin = self.model = model if plain and not any(c.given for c in sim.inputs.courses.values()) else model.copy()
        sim.inputs.bake(twin, sim.time)
        self.inputs = self._variables(model, "PINPUT", inputs)
        self.input_names = [v.name for v in self.inputs]
        self.input_states = []
        for v in self.inputs:
            own = twin.table("VARIABLE")[v.id]
            moved = copy.copy(own)
            moved.id, moved.name = 0, f"{own.name}_without_input"
            twin.add(moved)
            state = twin.add(Diff(name=f"{own.name}_input", function="0", static_hold=True))
            own.function, own.routine, own.input = f"VARVAL({moved.id})+DIF({state.id})", None, False
            self.input_states.append(("DIFF", state.id))
        self.outputs = self._outputs(twin, outputs)
        self.output_names = [name for name, _ in self.outputs]
        self.user_states = [(v.name, v.id) for v in self._variables(model, "PSTATE", states)]

    @staticmethod
    def _variables(model: Model, kind: str, asked) -> list[Any]:
        """VARIABLE elements of a list of variables, of PINPUT or POUTPUT elements, or of all those in the model
        (None)."""
        if asked is None:
            asked = list(model.table(kind).values()) if kind != "PSTATE" else []
        out: list[Any] = []
        for item in asked if isinstance(asked, (list, tuple)) else [asked]:
            if getattr(item, "KIND", "") == kind or (isinstance(item, str) and item.upper().startswith(f"{kind}/")):
                element = model.find(kind, item if not isinstance(item, str) else item[len(kind) + 1 :])
                found = [model.find("VARIABLE", v) for v in element.variables]
            else:
                if isinstance(item, str) and item.upper().startswith("VARIABLE/"):
                    item = item[9:]
                found = [model.find("VARIABLE", item)]
            for v in found:
                if not v.active:
                    raise v.error("it is not active, so it cannot be an input, output or state of a linear analysis")
            out += [v for v in found if v not in out]
        return out

    def _outputs(self, model: Model, asked) -> list[tuple[str, int]]:
        """(name, id of the variable) of every output; a text that names no variable is an expression."""
        if asked is None:
            asked = list(model.table("POUTPUT").values())
        out = []
        for item in asked if isinstance(asked, (list, tuple)) else [asked]:
            try:
                found = self._variables(model, "POUTPUT", [item])
            except ModelError:
                if not isinstance(item, str) or item.strip().replace("_", "").replace(".", "").isalnum():
                    raise
                found = [model.add(Variable(name=item, function=item))]
            out += [(v.name, v.id) for v in found]
        return out


class _Blocks:
    """The matrices over the coordinates (a, b, x) of the tangent space; see the text of this module."""

    def __init__(self, point: Point, plan: _Plan, damping: bool):
        p = self.point = point
        self.worst, self.where, self.unlike = 0.0, "", np.inf
        keys = list(p.system.functions.states)
        held = (*plan.input_states, *p.system.functions.discrete)  # constant from sample to sample
        self.own = np.array([k for k, key in enumerate(keys) if key not in held], np.int64)
        self.entered = [keys.index(key) for key in plan.input_states]
        self.state_names = [
            f"{keys[k][0]}_{keys[k][1]}" + (f"[{keys[k][2] - 1}]" if len(keys[k]) > 2 else "") for k in self.own
        ]
        variable = {v.id: k for k, v in enumerate(p.outputs.variables)}
        self.output_rows = [variable[number] for _, number in plan.outputs]
        self.user_rows = [variable[number] for _, number in plan.user_states]
        self.tree = None if no_small_motions(p.system, p.y) else self._small_motions()
        if self.tree is not None and self._follow_tree(self.tree):
            self._differentiate()
            if self.tree.loops and self.unlike <= EXACT:
                self.unlike = self._compare_one_way()
        if self.tree is None or self.unlike > EXACT:
            self.tree = None
            self._bases()
            self._turn()
            self._differentiate()
        if not damping:
            b = slice(self.nq, self.nq + self.nu)
            self.A[:, b], self.A[: self.nq, b] = 0.0, self.mix
            self.A[: self.nq, : self.nq] = 0.0
            self.dQ[..., b] = 0.0

    def _small_motions(self) -> SmallMotions | None:
        try:
            return SmallMotions(self.point.system, self.point.t, self.point.y)
        except np.linalg.LinAlgError:  # something moves no mass
            return None

    def _compare_one_way(self) -> float:
        """How far the exact derivatives of the accelerations are from a difference of the equations of all bodies,
        along one direction in which each of them counts alike, as a share of their sizes."""
        p = self.point
        ahead = self.exact[self.nq :]
        size = np.linalg.norm(ahead, axis=0)
        way = np.cos(np.arange(1.0, len(size) + 1.0)) / np.maximum(size, 1e-6 * size.max(initial=0.0) or 1.0)
        a, b = way[: self.nq], way[self.nq :]
        changes = np.hstack([self.Nq @ a, self.P @ a + self.Nu @ b])
        Mu = p.momentum(self.Nu)
        along = lambda c: np.einsum("bck,bc->k", Mu, layout.moves(c[: layout.MOVES * p.rows]))
        norm = lambda c: np.array([np.linalg.norm(along(c))])
        c, error, noise = p.slope(p.sample, changes, np.zeros(p.nx), norm, np.array([self.mechanical]))
        terms = float(np.linalg.norm(size * way))
        return max(float(np.linalg.norm(along(c) - ahead @ way) - error[0] - noise[0]), 0.0) / max(terms, 1e-300)

    def _bases(self) -> None:
        p = self.point
        G = p.gradients()
        free = p.free
        whole = lambda Y: np.vstack([Y, np.zeros((1, Y.shape[1]))])[np.where(free, np.cumsum(free) - 1, -1)]
        null = lambda rows: self._orthonormal(p.ground(whole(nullspace(G[rows][:, free], RANK))))
        holonomic = p.level == 0
        self.Nq = null(holonomic)
        self.simple = bool(holonomic.all())  # the same directions for changes of position and of velocity
        self.Nu = self.Nq if self.simple else null(p.level < 2)
        self.nq, self.nu, self.nx = self.Nq.shape[2], self.Nu.shape[2], len(self.own)
        self.P = np.zeros_like(self.Nq)
        if p.system.m and self.nq:
            norm = lambda v: np.array([np.abs(v).max(initial=0.0)])
            still, x, terms = np.zeros((p.rows, layout.MOVES)), np.zeros(p.nx), np.array([p.speed])
            turn = lambda d: p.slope(p.constraint_speed, np.hstack([d, still]), x, norm, terms)[0]
            tiny = 1e-11 * p.speed / p.length * np.abs(self.Nq).max(initial=1.0)
            any_way = np.cos(
                np.arange(1.0, self.nq + 1.0)
            )  # a direction that is special to no machine: nothing moves there, so nowhere
            if np.abs(turn(self.Nq @ any_way)).max() <= tiny:
                return
            c = np.column_stack([turn(self.Nq[:, :, k]) for k in range(self.nq)])
            rows = p.level < 2
            g = G[rows][:, free]
            length = np.linalg.norm(g, axis=1)
            good = length > 0.0
            z = np.linalg.lstsq(g[good] / length[good, None], -c[rows][good] / length[good, None], rcond=RANK)[0]
            self.P = p.ground(whole(z))
            if p.coupled:  # the smallest in the metric of masses: nothing along the directions that are free
                self.P -= np.einsum("bck,kl->bcl", self.Nu, np.einsum("bck,bcl->kl", p.momentum(self.Nu), self.P))

    def _follow_tree(self, tree: SmallMotions) -> bool:
        """Bases, and the rates of a and b, from the joint coordinates: changes of these and of their rates are
        ``ways`` (2, nv, ns).  False where rounding of stiff directions would drown soft ones."""
        p = self.point
        n = p.n
        B = tree.basis
        V, spread = self._stiff_and_soft(B.T @ tree.effort[0] @ B, True)
        if spread > SPREAD:
            return False
        B = B @ V
        N = self.Nq = self.Nu = tree.motion @ B
        self.simple = True
        self.nq = self.nu = N.shape[2]
        self.nx = 0
        M = p.momentum(N)
        along = lambda d: np.tensordot(M, d, ((0, 1), (0, 1)))
        U = tree.speed @ B
        mixed = along(U) if U.any() else np.zeros((self.nq, self.nq))
        self.P = U - N @ mixed
        none = np.zeros_like(B)
        self.ways = np.array([np.hstack([B, none]), np.hstack([-B @ mixed, B])])
        ahead = -B.T @ (tree.effort[0] @ self.ways[0] + tree.effort[1] @ self.ways[1])
        for change, way in zip(tree.acceleration, self.ways):
            if change.any():
                ahead += along(change) @ way
        by_rate = np.eye(self.nq)
        by_position = np.zeros_like(by_rate)
        around = lambda w, d: np.cross(w[:, :, None], d, axis=1)
        if self.P.any() or p.w.any() or p.spin.any():
            qd = self.P.copy()
            qd[:, 3:] += around(p.w, N[:, 3:])
            spin = np.broadcast_to(p.spin, (n, 3))
            for part in (layout.TRAVEL, layout.TURN):
                qd[:, part] -= around(spin, N[:, part])
            by_position = along(qd)
            by_position[np.abs(by_position) < 1e-14 * np.abs(qd).max(axis=(0, 1)) * np.sqrt(p.mass.sum())] = 0.0
            turned = np.concatenate([self.P, N], axis=2)
            for part in (layout.TRAVEL, layout.TURN):
                turned[:, part] = around(spin, turned[:, part])
            ahead -= along(turned)
        self.exact = np.vstack([np.hstack([by_position, by_rate]), ahead])
        return True

    def _orthonormal(self, N: np.ndarray) -> np.ndarray:
        """The directions N (rows, 6, k) made orthonormal in the metric of masses, where these couple coordinates."""
        if not self.point.coupled or not N.shape[2]:
            return N
        L = np.linalg.cholesky(np.einsum("bck,bcl->kl", N, self.point.momentum(N)))
        return N @ np.linalg.inv(L).T

    def _turn(self) -> None:
        """Turn the directions to stiff and soft ones, by a stiffness from plain central differences."""
        p = self.point
        if not 1 < self.nq <= REFINE or not self.nu:
            return
        Mu = p.momentum(self.Nu)
        K = np.empty((self.nu, self.nq))
        x = np.zeros(p.nx)
        for k in range(self.nq):
            d = np.hstack([self.Nq[:, :, k], self.P[:, :, k]])
            size = max(
                np.abs(d[: p.n, :3]).max() / p.length,
                np.abs(d[: p.n, 3:6]).max(),
                np.abs(d[p.n :, :6]).max(initial=0.0) / p.length,
            )
            h = 0.01 * FIRST / size
            ahead, behind = (p.rates(p.moved(d, x, s * h))[0] for s in (1, -1))
            K[:, k] = np.einsum("bck,bc->k", Mu, (behind - ahead) / (2.0 * h))
        if not np.all(np.isfinite(K)):
            return
        V, _ = self._stiff_and_soft(K, self.simple)
        self.Nq = self.Nq @ V
        self.P = self.P @ V
        if self.simple:
            self.Nu = self.Nq

    @staticmethod
    def _stiff_and_soft(K: np.ndarray, simple: bool) -> tuple[np.ndarray, float]:
        """Directions from stiff to soft ones of a stiffness K, as columns, and how many times stiffer the first is than
        the last; those that are, where it is nearly even.  ``simple``: columns and rows of K are for the same
        directions."""
        if simple:
            values, V = np.linalg.eigh(0.5 * (K + K.T))
        else:
            _, values, Vt = np.linalg.svd(K)
            V = Vt.T
        size = np.abs(values)
        most = size.max(initial=0.0)
        spread = most / max(size.min(), 1e-300) if most > 0.0 else 1.0
        return (V if spread >= 1e3 else np.eye(K.shape[1])), spread

    def _differentiate(self) -> None:
        p = self.point
        n, nq, nu, nx = p.n, self.nq, self.nu, self.nx
        ns = nq + nu + nx
        k = len(p.forces.elements)
        nv = len(p.outputs.variables)
        project = lambda N, d: np.einsum("bck,bc->k", N, d)
        Mq, Mu = p.momentum(self.Nq), p.momentum(self.Nu)
        self.mix = np.einsum("bck,bcl->kl", Mq, self.Nu)
        nothing = np.zeros((p.rows, layout.MOVES))
        doubts: list = []
        p.rates(p.y)
        G = p.gradients()
        p.outputs.evaluate(p.t, p.y)
        acting = np.abs(p.forces.generalised(p.y)).max(axis=(0, 1), initial=0.0)
        gyro = np.cross(p.w[:n], np.einsum("bij,bj->bi", p.J, p.w[:n]))
        root = p.root[:n]
        weight = np.linalg.norm(p.system.bodies.gravity) * np.sqrt(p.weight)
        mechanical = (
            np.linalg.norm(np.abs(G).T @ np.abs(p.system.W.lam))
            + weight
            + np.linalg.norm(root[:, 3:] * np.abs(gyro).max(initial=0.0))
        )
        mechanical += (root * acting).max(initial=0.0)
        self.mechanical = float(mechanical)
        self.pace = float(np.sqrt(mechanical / (p.length * np.sqrt(p.weight)))) if n else 0.0
        terms = np.array([mechanical, 1.0 + np.abs(p.y[p.system.bodies.end :]).max(initial=0.0)])

        width = layout.MOVES * p.rows

        def weigh(c):
            acc = layout.moves(c[:width])
            return np.array([np.linalg.norm(project(Mu, acc)), np.linalg.norm(c[width : width + p.nx])])

        tree = self.tree
        pulls, unlike = np.zeros((nq, ns)), np.zeros(ns)
        if tree is not None:
            for change, way in zip(tree.force, self.ways):
                if change.any():
                    pulls += np.tensordot(self.Nq, change, ((0, 1), (0, 1))) @ way
        strength = np.linalg.norm(pulls, axis=0)
        strength = np.maximum(strength, max(1e-6 * strength.max(initial=0.0), 1e-300))

        def pull(c):
            """Generalised forces along N of the wrenches at the end of c."""
            out = np.zeros((n + 1, layout.MOVES))
            np.add.at(out, p.forces.body, c[len(c) - 12 * k :].reshape(k, 2, layout.MOVES))
            return np.tensordot(self.Nq, out[:n], ((0, 1), (0, 1)))

        def follow_tree(i, dq, du, dx):
            """Variables and forces along way i, whose part of the matrix is exact."""
            way = self.ways[:, :, i]
            if k and not nv:
                size = max(np.abs(dq[:, :3]).max() / p.length, np.abs(dq[:, 3:]).max()) or (
                    max(np.abs(du[:, :3]).max(), p.length * np.abs(du[:, 3:]).max()) / p.speed
                )
                h = CUTS[1] * FIRST / size
                ahead, behind = (p.sample_forces(tree, s * h * way) for s in (1, -1))
                c = (ahead - behind) / (2.0 * h)
                if np.linalg.norm(pull(c) - pulls[:, i]) < 0.1 * EXACT * strength[i] + 1e-14 * mechanical / h:
                    return c
            if not (k or nv):
                return np.zeros(0)
            sizes = lambda c: np.append(weigh(c), np.linalg.norm(pull(c)))
            c, error, noise = p.slope(p.sample, np.hstack([dq, du]), dx, sizes, np.append(terms, mechanical))
            doubts.append((error, sizes(c), self._moving(dq, du, dx)))
            unlike[i] = max(np.linalg.norm(pull(c) - pulls[:, i]) - error[2] - noise[2], 0.0) / strength[i]
            return c[width + p.nx :]

        def column(i, dq, du, dx):
            if tree is not None:
                rest = follow_tree(i, dq, du, dx)
                return self.exact[:, i], rest[:nv], rest[nv:]
            c, error, noise = p.slope(p.sample, np.hstack([dq, du]), dx, weigh, terms)
            qd = du.copy()
            qd[:, 3:] += np.cross(p.w, dq[:, 3:])
            acc = layout.moves(c[:width]).copy()
            for part in (layout.TRAVEL, layout.TURN):
                qd[:n, part] -= np.cross(p.spin, dq[:n, part])
                acc[:n, part] -= np.cross(p.spin, du[:n, part])
            xd = c[width : width + p.nx][self.own]
            rest = c[width + p.nx :]
            doubts.append((error, weigh(c), self._moving(dq, du, dx)))
            # What is noise becomes zero: otherwise it would be scaled up into eigenvalues of rigid-body motions.
            parts = [
                (project(Mq, qd), 1e-14 * np.abs(qd).max(initial=0.0) * np.sqrt(p.mass.sum())),
                (project(Mu, acc), noise[0]),
                (xd, noise[1]),
            ]
            return np.concatenate([np.where(np.abs(v) > limit, v, 0.0) for v, limit in parts]), rest[:nv], rest[nv:]

        def state(s):
            dx = np.zeros(p.nx)
            dx[s] = 1.0
            return nothing, nothing, dx

        ways = [(self.Nq[:, :, i], self.P[:, :, i], np.zeros(p.nx)) for i in range(nq)]
        ways += [(nothing, self.Nu[:, :, i], np.zeros(p.nx)) for i in range(nu)]
        ways += [state(s) for s in (*self.own, *self.entered)]
        total = ns + len(self.entered)
        whole = np.zeros((ns, total))
        variables, forces = np.zeros((nv, total)), np.zeros((12 * k, total))
        for i, way in enumerate(ways):
            whole[:, i], variables[:, i], forces[:, i] = column(i, *way)
        self.unlike = float(unlike.max(initial=0.0))
        self.worst, self.where = 0.0, ""
        top = np.array([length for _, length, _ in doubts]).max(axis=0, initial=0.0) if doubts else 0.0
        for error, length, words in doubts:
            share = float((error / np.maximum(np.maximum(length, 1e-6 * top), 1e-300)).max(initial=0.0))
            if share > self.worst:
                self.worst, self.where = share, words
        self.A, self.B = whole[:, :ns], whole[:, ns:]
        self.C, self.D = variables[self.output_rows, :ns], variables[self.output_rows, ns:]
        self.user = variables[self.user_rows, :nq]
        self.dQ = forces[:, :ns].reshape(k, 2, 6, ns)
        p.rates(p.y)  # leave the system at the operating point
        p.outputs.evaluate(p.t, p.y)

    def _moving(self, dq, du, dx) -> str:
        if np.any(dx):
            k = int(np.argmax(np.abs(dx)))
            return (
                "a change of a state"
                if k not in self.own
                else f"a change of {self.state_names[list(self.own).index(k)]}"
            )
        d = dq if np.any(dq) else du
        b = int(np.argmax(np.abs(d[:, :3]).max(axis=1) + self.point.length * np.abs(d[:, 3:]).max(axis=1)))
        of = self.point.system.carrier_of(b)
        return (
            f"{'a displacement' if np.any(dq) else 'a change of velocity'} of "
            f"{self.point.system.body_elements[of].label}"
        )

    def answer(self, sim, plan: _Plan) -> Linear:
        from ...model.orientation import to_quaternion

        p = self.point
        s = p.system
        du = np.concatenate([self.P, self.Nu, np.zeros((p.rows, 6, self.nx))], axis=2)
        key = lambda e: (e.KIND, e.id, e.name)
        dq = np.concatenate([self.Nq, np.zeros((p.rows, 6, du.shape[2] - self.nq))], axis=2)
        bodies, axes = [key(e) for e in s.body_elements], [p.R[b] @ s.local[b].axes.T for b in range(p.n)]
        forces, force_bodies, force_change = [key(e) for e in p.forces.elements], p.forces.body, self.dQ
        place, mass, inertia = layout.places(p.y, p.n), p.mass, p.J
        shapes, rates = self.Nq[: p.n], du[: p.n]
        if s.bodies.carriers is not None and s.bodies.carriers.meshes.size:  # points of meshes go with these
            shapes, rates, mass = shapes.copy(), rates.copy(), mass.copy()
            nodes = s.bodies.carriers.nodes
            own = nodes.body[len(nodes.which) :]
            mass[own] = near_masses(s.bodies.carriers.meshes)
            tail = lambda d: d[p.n :].reshape(-1, d.shape[2])
            for k, b in enumerate(own, len(nodes.which)):
                at = layout.followed(s.bodies, k) - layout.MOVES * (p.n + 1)
                J, V = nodes.J[k][:, : len(at)], nodes.V[k][:, : len(at)]
                moves, speeds = J @ tail(dq)[at], J @ tail(du)[at] + V @ tail(dq)[at]
                # turns of the point in its own axes; its angular velocity, too, whose change in ground has what turns
                # it besides
                w = p.R[b].T @ p.w[b]
                speeds[3:] += np.cross(moves[3:], w, axisa=0, axisc=0) if np.any(w) else 0.0
                for out, new in ((shapes, moves[:, : self.nq]), (rates, speeds)):
                    out[b, :3], out[b, 3:] = new[:3], p.R[b] @ new[3:]
        if s.tail:  # masses in parts count as bodies, their springs as forces: they carry their share of a mode
            place, mass, inertia, shapes, rates = (a.copy() for a in (place, mass, inertia, shapes, rates))
            springs = []
            for m, (b, at, moves, speeds, spring) in enumerate(mass_motions(s.bodies, p.y, p.R, dq, du)):
                e = s.tail[s.sliding[m]]
                row = s.body_index.get((e.KIND, e.id))
                weight = s.bodies.carriers.mass[m]
                if row is None:
                    row = len(bodies)
                    bodies.append(key(e))
                    axes.append(axes[b] @ s.model.markers[e.marker].frame.axes)
                    place, mass = np.vstack([place, at]), np.append(mass, weight)
                    inertia, shapes = (
                        np.concatenate([inertia, np.zeros((1, 3, 3))]),
                        np.concatenate([shapes, moves[None, :, : self.nq]]),
                    )
                    rates = np.concatenate([rates, speeds[None]])
                else:
                    mass[row], shapes[row], rates[row] = weight, moves[:, : self.nq], speeds
                forces.append(key(e))
                springs.append(((row, b), spring))
            sizes = {e.id: e.largest() for e in s.model.table("FLEXIBILITY").values() if e.active}
            for i in s.modal:  # of a mode its largest displacement is along x of a body of its own
                e, k, b = s.tail[i], s.tail_numbers[i], s.carrier_of(p.n + i // layout.MOVES)
                size = sizes[e.id][k]
                moves, speeds, pull = np.zeros((6, self.nq)), np.zeros((6, du.shape[2])), np.zeros((2, 6, du.shape[2]))
                moves[0], speeds[0] = (
                    size * d[p.n :].reshape(-1, d.shape[2])[i][: m.shape[1]] for d, m in ((dq, moves), (du, speeds))
                )
                pull[0, 0] = (
                    -e.frequency[k]
                    * (e.frequency[k] * dq[p.n :].reshape(-1, dq.shape[2])[i] + 2.0 * e.damping[k] * speeds[0] / size)
                    / size
                )
                forces.append((e.KIND, e.id, f"{e.name} mode {k + 1}"))
                springs.append(((len(bodies), b), pull))
                bodies.append(forces[-1])
                axes.append(axes[b])
                place, mass = np.vstack([place, place[b]]), np.append(mass, 1.0 / size**2)
                inertia, shapes = np.concatenate([inertia, np.zeros((1, 3, 3))]), np.concatenate([shapes, moves[None]])
                rates = np.concatenate([rates, speeds[None]])
            ground = lambda table: np.where(table == p.n, len(bodies), table)
            force_bodies = ground(force_bodies).reshape(-1, 2)
            if springs:
                force_bodies = np.concatenate([force_bodies, [ends for ends, _ in springs]])
                force_change = np.concatenate([force_change, [change for _, change in springs]])
        return Linear(
            model=sim.model.copy(),
            time=p.t,
            bodies=bodies,
            position=place.copy(),
            quaternion=np.array([to_quaternion(A) for A in axes]).reshape(-1, 4),
            mass=mass.copy(),
            inertia=inertia,
            shapes=shapes,
            rates=rates,
            A=self.A,
            B=self.B,
            C=self.C,
            D=self.D,
            x_names=list(self.state_names),
            inputs=list(plan.input_names),
            outputs=list(plan.output_names),
            forces=forces,
            force_bodies=force_bodies,
            force_change=force_change,
            user_states=[name for name, _ in plan.user_states],
            user_rows=self.user,
            extent=p.length,
            pace=self.pace,
            spin=p.spin,
        )

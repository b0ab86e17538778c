"""Static equilibrium: positions, states and multipliers with  F(q, 0, x, t) = G^T lam,  phi(q, t) = 0,  f(q, 0, x, t) =
0.

Newton's method with a bounded step, made robust by pseudo-transient continuation (Kelley and Keyes, SIAM J. Numer.
Anal. 35
(1998) 508): the matrix is  s M + K  bordered by G, where s falls with the imbalance and goes to zero near the solution.
Large s follows the motion of the machine in honey, and so settles at a *stable* equilibrium; s = 0 is Newton.  When
that does not converge, dynamic relaxation takes over: the machine moves under its forces and is stopped at each peak of
kinetic energy (Cundall 1976), until it rests; Newton finishes.  The third route is a homotopy: forces that hold the
machine where it is are taken away little by little, R(q) = (1 - s) R(q0), and the path from s = 0 to 1 is followed by
its arc length (Crisfield, Comput. Struct. 13 (1981) 55), past points where s turns back (snap-through); what it finds
may be unstable, and that is reported. When all fail, the direction in which the forces push and the tangent stiffness
gives way gives what nothing holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.sparse import csc_matrix

from ..._summary import Summary
from ..._warnings import WarningText
from ...elements.bodies import layout
from ...elements.bodies.absolute import accept
from ...elements.bodies.coordinates import retract
from ...elements.bodies.mass import diagonal, kinetic
from ...integrators.entry import project_state
from ...integrators.entry import rest as forces_at_rest
from ...integrators.methods import NUMBERINGS
from ...integrators.selection import one_of, positive, suggestion
from ...integrators.stepper import IntegrationError
from ...linalg.lu import SingularMatrix
from ...model import ModelError
from ...system.flags import USER_FAILED
from ...system.implicit import Implicit
from ...system.reference import accept_outputs, accept_reference, continue_angles, present_angles
from .friction import StaticFriction
from .joint_equilibrium import MOST_FREEDOMS, JointEquilibrium, no_joint_equilibrium

CHECKED = 400  # coordinates up to which an equilibrium is checked for stability
# share of stresses of a mesh that counts as a force where there is no other: a thousandth of its imbalance is roundoff
CANCELLED = 1e-10
# the same of beams, of EA times the extent over their length: positions are known to 1e-16 of it, strains that much
# worse
ROUNDED = 1e-9
OPTIONS = ("error", "imbalance", "maxit", "tlimit", "alimit", "coordinates")


@dataclass
class Equilibrium(Summary):
    """``y``: state at rest; ``iterations``; ``imbalance``: largest residual relative to the largest force;
    ``method``."""

    y: np.ndarray
    iterations: int
    imbalance: float
    method: str


class _Problem:
    def __init__(self, system):
        self.system = system
        self.implicit = Implicit(system, condensed=True)
        self.I = self.implicit.I
        S = self.implicit.S
        self.driven = np.flatnonzero((S.rows.level > 0) & (S.rows.compliance == 0.0))  # at rest in statics
        #: slots of inertias of drives, which nothing accelerates
        self.inert = np.flatnonzero(S.rows.compliance[S.rows.slot_row[:-1]])
        self.search = not self.implicit.tree
        self.nq, self.nx = self.implicit.pattern.nq, self.implicit.pattern.nx
        self.columns = self.implicit.pattern.moves
        L = system.extent
        rotation = layout.turns(system.bodies).ravel()[self.columns]
        self.length = np.where(rotation, L, 1.0)  # a torque over L compares with a force
        self.held = self._held()
        self.friction = StaticFriction(system, self.implicit.S)
        meshes = [e for e in system.model.table("ABSOLUTE_MESH").values() if e.active]
        self.unit = max((e.unit for e in meshes), default=0.0)
        #: the largest mass of a body
        self.mass = float(system.bodies.mass.max(initial=0.0))
        self.weight = 0.0
        #: forces in beams whose millionth is roundoff
        self.stress = max(
            (ROUNDED * e.EA * system.extent / e.length for e in system.model.table("EXACT_BEAM").values() if e.active),
            default=0.0,
        )
        if meshes:
            whole = system.bodies.carriers.meshes.mass
            self.mass = max(self.mass, float(whole.sum()) / len(meshes))
            self.weight = float(whole.max() * np.linalg.norm(system.bodies.gravity))

    def _held(self) -> np.ndarray:
        """States that statics does not change (STATIC_HOLD)."""
        model, out = self.system.model, []
        for key in self.system.functions.states:
            if key in self.system.functions.discrete:
                out.append(True)
            elif key[0] == "DIFF":
                out.append(model.table("DIFF")[key[1]].static_hold)
            elif key[0] in ("FRICTION", "CONTROL", "FMU"):
                out.append(False)  # see `static_friction`
            else:
                blocks = [
                    b
                    for kind in ("LSE", "TFSISO", "GSE")
                    for b in model.table(kind).values()
                    if getattr(b, "x", None) == key[1]
                ]
                out.append(any(b.static_hold for b in blocks))
        return np.array(out, bool)

    def linearise(self, t, y, s) -> None:
        """Residual and matrix of the static equations at (t, y), whose velocities become zero, with the mass matrix
        times s added."""
        layout.stop(y, self.system.bodies)
        again = True
        while again:
            self.I.acc[:] = 0.0
            self.implicit.linearise(t, y, s, 1.0, 0.0, 1.0)
            again = self.implicit.follow()  # other pairs are near there
            self.I = self.implicit.I
        self.I.res[self.nq + self.nx :][self.driven] = 0.0
        self.I.data[self.I.im.gmap[self.inert].ravel()] = 0.0
        if self.system.W.flags[USER_FAILED]:
            self.system.raise_user_error(t)
        if self.held.any():
            self.I.res[self.nq : self.nq + self.nx][self.held] = 0.0
        self.friction.apply(self.I, self.nq, y)

    def imbalance(self) -> tuple[float, float, float]:
        """(force imbalance, scale of forces, constraint and state residual)"""
        res = self.I.res
        F = self.system.W.F  # what is left after the reactions
        force = np.abs(res[: self.nq] / self.length).max(initial=0.0)
        reactions = np.abs(self.I.lam).max(initial=0.0)
        gravity = (self.system.bodies.mass * np.linalg.norm(self.system.bodies.gravity)).max(initial=0.0)
        wrenches = max(np.abs(self.system.wrenches.out).max(initial=0.0), np.abs(F).max(initial=0.0))
        scale = max(reactions, gravity, wrenches, 1e-12)
        scale = max(scale, self.stress)
        if self.unit:  # of a mesh that is not loaded forces are what is left of stresses that cancel
            scale = max(scale, self.weight, CANCELLED * self.unit * float(np.abs(self.I.K).max()))
        rest = np.abs(res[self.nq :]).max(initial=0.0)
        return float(force), float(scale), float(rest)

    def step(self, tlimit: float, alimit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        lu, I = self.implicit.lu, self.I
        lu.factor(I.data)
        if self.search:
            o = self.nq + self.nx
            skipped = self.system.W.skip[self.implicit.S.ldl.place] != 0
            I.res[o:][skipped] = 0.0
        sol = lu.solve(I.res, I.data)
        d = np.zeros(self.system.bodies.moves)
        d[self.columns] = sol[: self.nq]
        b = np.abs(layout.moves(d))
        big = max(b[:, :3].max() / tlimit, b[:, 3:].max() / alimit, 1.0)
        return d / big, sol[self.nq : self.nq + self.nx] / big, sol[self.nq + self.nx :], big

    # ---- for the third route, and for the reason of a failure -------------------------------------------------------
    def factor(self, t, y, s) -> None:
        """Linearise at y, with the mass matrix times s added, and factor.  Raises SingularMatrix and ValueError."""
        self.linearise(t, y, s)
        self.implicit.lu.factor(self.I.data)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Solution with the factors of the last `factor`; redundant rows stay at zero."""
        if self.search:
            right = right.copy()
            right[self.nq + self.nx :][self.system.W.skip[self.implicit.S.ldl.place] != 0] = 0.0
        return self.implicit.lu.solve(right, self.I.data).copy()

    def go(self, y: np.ndarray, sol: np.ndarray) -> np.ndarray:
        """The state moved by a solution, multipliers with it."""
        system = self.system
        y = y.copy()
        d = np.zeros(system.bodies.moves)
        d[self.columns] = sol[: self.nq]
        retract(system.bodies, y, d)
        y[system.bodies.end :] += sol[self.nq : self.nq + self.nx]
        self.set_multipliers(self.I.lam + sol[self.nq + self.nx :])
        accept_reference(system, y)
        return y

    def inertia(self) -> np.ndarray:
        """Mass or moment of inertia of each coordinate."""
        return diagonal(self.system.bodies)[self.columns]

    def set_multipliers(self, lam: np.ndarray) -> None:
        self.I.lam[:] = lam
        self.system.W.lam[:] = lam

    def weigh(self, sol: np.ndarray) -> np.ndarray:
        """Displacements as pure numbers: translations over the extent of the machine, rotations, states."""
        rotation = layout.turns(self.system.bodies).ravel()[self.columns]
        return np.concatenate(
            [np.where(rotation, sol[: self.nq], sol[: self.nq] / self.system.extent), sol[self.nq : self.nq + self.nx]]
        )


class TooFar(Exception):
    """Motions go too far for Newton's method in one go: they are to be followed in smaller pieces of time."""


def equilibrium(
    system, t: float, y: np.ndarray, settings, say=print, pieces: bool = False, announce=None, **options
) -> Equilibrium:
    """Static equilibrium near ``y``.  Settings as EQUILIBRIUM; raises ModelError naming the body that finds no
    balance, and with ``pieces``, where motions move the machine and Newton's method does not converge, `TooFar`.

    ``coordinates`` among the options: "maximal" (default), "joint" or "auto" (`joint_equilibrium`); ``announce``, by
    default ``say``, is given the text that states which are used and why.

    Angles are counted on the way, in the equations and in outputs; where there is no equilibrium they are as before."""
    accept(system.bodies, y)
    problem = _Problem(system)
    try:
        result = _balance(problem, t, y, settings, say, options, pieces, announce)
        problem.friction.limit_deformations(result.y)
        accept(system.bodies, result.y)
    finally:
        problem.friction.end()
    return result


def _balance(
    problem: _Problem, t: float, y: np.ndarray, settings, say, options: dict, pieces: bool = False, announce=None
) -> Equilibrium:
    system = problem.system

    def get(name: str, default: float) -> float:
        value = options.pop(name, None)
        value = getattr(settings, name, None) if value is None else value
        return default if value is None else positive(name, value)

    asked = options.get("imbalance", getattr(settings, "imbalance", None)) is not None
    error, imbalance, maxit = get("error", 1e-4), get("imbalance", 1e-4), int(get("maxit", 100))
    enough = (error, imbalance) if asked else None  # requested by name it counts in model units, as EQUILIBRIUM has it
    tlimit, alimit = float(get("tlimit", 0.2 * system.extent)), float(get("alimit", 0.3))
    wanted = options.pop("coordinates", None)
    numbering = NUMBERINGS[0] if wanted is None else one_of("coordinates", wanted, NUMBERINGS)
    if options:
        name = sorted(options)[0]
        raise ModelError(
            f"unknown option '{name}' of a static analysis{suggestion(name, OPTIONS)}; choose one of "
            f"{', '.join(OPTIONS)}"
        )
    if getattr(settings, "dynamic", False):  # EQUILIBRIUM/DYNAMIC: relaxation first; Newton then finishes
        say("statics: relaxing the machine dynamically, as EQUILIBRIUM/DYNAMIC requests")
        y = _rest(system, t, y, maxit, say)
    reactions, angles = system.W.lam.copy(), present_angles(system)

    def return_to_start() -> None:
        """To where the machine is: the next way to an equilibrium counts turns from there."""
        continue_angles(system, angles)
        accept_reference(system, y)

    problem.friction.begin(y)
    x = slice(system.bodies.end, None)
    begun, iterations, stable = y, 0, False
    if numbering != NUMBERINGS[0]:
        found, iterations, text = _in_joint_coordinates(system, t, y, numbering, maxit)
        (announce or say)(text)
        if found is None:
            return_to_start()
            problem.set_multipliers(reactions)
        else:
            begun, stable = found, True
    result = _newton(problem, t, begun, x, maxit, tlimit, alimit, error, imbalance, enough=enough)
    iterations += result[1]
    if result[0] is not None:
        for _ in range(0 if stable else 4):  # an equilibrium on a hilltop is left for a valley
            downhill = _unstable(problem, t, result[0])
            if downhill is None:
                break
            mu, direction = downhill
            say("statics: the equilibrium found is unstable; continuing to a stable one")
            held, turns = system.W.lam.copy(), present_angles(system)
            away = problem.go(result[0], direction)
            other = _newton(problem, t, away, x, maxit, tlimit, alimit, error, imbalance, 2.0 * mu, enough)
            iterations += other[1]
            if other[0] is None:
                say(WarningText("statics: no stable equilibrium was found near it"))
                problem.set_multipliers(held)
                continue_angles(system, turns)
                back = _newton(problem, t, result[0], x, maxit, tlimit, alimit, error, imbalance, enough=enough)
                if back[0] is None:
                    raise ModelError(
                        f"no static equilibrium was found at time {t:.6g}: the one that was found is unstable and not "
                        "well determined, "
                        f"and there is no stable one near it; {_reason(problem, t, result[0])}"
                    )
                result = back
                break
            result = other
        return Equilibrium(result[0], iterations, result[2], "Newton")
    multipliers = system.W.lam.copy()
    return_to_start()
    if pieces and _driven(problem, t, y):
        problem.set_multipliers(reactions)
        raise TooFar
    say(f"statics: Newton did not balance the forces within {maxit} iterations; relaxing the machine dynamically")
    relaxed = _relax(system, t, y, maxit)
    if relaxed is not None:
        problem.friction.begin(relaxed)
        result = _newton(problem, t, relaxed, x, maxit, tlimit, alimit, error, imbalance, enough=enough)
        iterations += result[1]
        if result[0] is not None:
            return Equilibrium(result[0], iterations, result[2], "dynamic relaxation, then Newton")
    return_to_start()
    say("statics: the machine does not come to rest; gradually removing the forces that hold it at the start")
    problem.set_multipliers(multipliers)
    end, steps = follow(problem, t, y, maxit)
    iterations += steps
    if end is not None:
        result = _newton(problem, t, end, x, maxit, tlimit, alimit, error, imbalance, enough=enough)
        iterations += result[1]
        if result[0] is not None:
            say(WarningText("statics: an equilibrium at the end of the path; it may be unstable"))
            return Equilibrium(result[0], iterations, result[2], "arc length, then Newton")
    problem.set_multipliers(multipliers)
    return_to_start()
    raise ModelError(f"no static equilibrium was found at time {t:.6g}: {_reason(problem, t, y)}")


def _in_joint_coordinates(
    system, t: float, y: np.ndarray, numbering: str, maxit: int
) -> tuple[np.ndarray | None, int, str]:
    """Stable equilibrium found in joint coordinates, whose reactions are then those of the system, or None; the
    iterations; which coordinates are used and why, as text."""
    why = no_joint_equilibrium(system, y)
    if why:
        return None, 0, f"statics: maximal coordinates: {why}"
    run = system.workspace
    search = run.joint_equilibrium = run.joint_equilibrium or JointEquilibrium(system)
    why = search.misplaced(y)
    if numbering == "auto" and search.joints.nv > MOST_FREEDOMS:
        why = why or f"the matrices of {search.joints.nv} freedoms are full, and cost more than those of all bodies"
    if why:
        return None, 0, f"statics: maximal coordinates: {why}"
    found, iterations = search.find(t, y, maxit)
    if found is None:
        return None, iterations, f"statics: maximal coordinates: in joint coordinates {search.why}"
    forces_at_rest(system, found, t)
    reason = "requested" if numbering == "joint" else f"{search.joints.nv} freedoms"
    return found, iterations, f"statics: joint coordinates: {reason}"


def _driven(problem: _Problem, t: float, y: np.ndarray) -> bool:
    """Do motions move the machine from y to where it is at time t?"""
    problem.linearise(t, y.copy(), 0.0)
    gaps = problem.I.res[problem.nq + problem.nx :]
    return bool(np.abs(gaps).max(initial=0.0) > 1e-6 * problem.system.extent)


def follow(problem: _Problem, t: float, start: np.ndarray, maxit: int) -> tuple[np.ndarray | None, int]:
    """The path R(q) = (1 - s) R(q0) from s = 0 to 1 by its arc length, from multipliers as they stand: (state or None,
    steps)."""
    nf = problem.nq + problem.nx
    y = start.copy()
    origin = layout.places(y, problem.system.nb).copy()
    problem.linearise(t, y, 0.0)
    load = problem.I.res.copy()
    load[nf:] = 0.0  # constraints hold from the beginning
    s, length = 0.0, 0.05
    before: tuple[np.ndarray, float] | None = None
    for count in range(20 * maxit):
        lam = problem.I.lam.copy()
        try:
            problem.factor(t, y, 0.0)
            tangent = problem.solve(load)
            dq = problem.weigh(tangent)
            norm = float(np.sqrt(dq @ dq + 1.0))
            if not np.isfinite(norm):
                return None, count
            ahead = 1.0 if before is None or before[0] @ dq + before[1] > 0 else -1.0
            ds = ahead * length / norm
            last = s + ds >= 1.0
            point = _correct(problem, t, y, s, 1.0 - s if last else ds, tangent, load, last)
        except (SingularMatrix, ValueError):
            point = None
        if point is None:
            length *= 0.5
            problem.set_multipliers(lam)
            accept_reference(problem.system, y)
            if length < 1e-7:
                return None, count
            continue
        y, ds, moved, iterations = point
        s += ds
        before = (moved, ds)
        if last:
            return y, count + 1
        if (
            abs(s) > 1e3
            or np.abs(layout.places(y, problem.system.nb) - origin).max(initial=0.0) > 1e3 * problem.system.extent
        ):
            return None, count
        if iterations <= 4:
            length = min(1.5 * length, 0.3)
    return None, 20 * maxit


def _correct(problem, t, y, s, ds, tangent, load, fixed):
    """Newton back to the path, across the tangent (or at constant s): (state, change of s, displacement, iterations) or
    None."""
    nf = problem.nq + problem.nx

    def factored(y, ds):
        problem.factor(t, y, 0.0)
        right = problem.I.res.copy()
        right[:nf] -= (1.0 - s - ds) * load[:nf]
        return right

    return back_to_path(problem, y, ds, tangent, factored, lambda y, ds, iteration: load, fixed, 12, 1e-12, 1e-8)


def back_to_path(problem, y, ds, tangent, factored, load, fixed, most, floor, tight):
    """From y by ``ds`` of the parameter along the tangent, and by Newton back to a path of equilibria, across the
    tangent (or, ``fixed``, at this parameter):
    (state, change of the parameter, displacement, iterations) or None where it goes further than twice the step, or in
    ``most`` iterations not below ``tight``.

    ``factored(y, ds)`` factors the matrix and gives the residual, ``load(y, ds, iteration)`` its derivative by the
    parameter (not asked where fixed)."""
    moved = problem.weigh(ds * tangent)
    reach = float(np.sqrt(moved @ moved + ds * ds))
    y = problem.go(y, ds * tangent)
    for iteration in range(most):
        by = None if fixed else load(y, ds, iteration)
        step = problem.solve(factored(y, ds))
        change = 0.0
        if not fixed:
            across = problem.solve(by)
            divisor = float(moved @ problem.weigh(across) + ds)
            change = -float(moved @ problem.weigh(step)) / divisor if divisor != 0.0 else 0.0
            step = step + change * across
        size = problem.weigh(step)
        big = float(np.sqrt(size @ size + change * change))
        if not big < 2.0 * reach + floor:
            return None
        y = problem.go(y, step)
        moved = moved + size
        ds += change
        if big < tight:
            return y, ds, moved, iteration + 1
    return None


def _unstable(problem: _Problem, t: float, y: np.ndarray) -> tuple[float, np.ndarray] | None:
    """(size of the most negative eigenvalue of K over M, a displacement along it) on the constraints; None where there
    is none.

    Dense, so for models of up to `CHECKED` coordinates; states of differential equations are at rest.
    """
    nq, o = problem.nq, problem.nq + problem.nx
    if not 0 < nq <= CHECKED or not problem.inertia().min() > 0.0:
        return None
    problem.linearise(t, y, 0.0)
    pattern = problem.implicit.pattern
    lu = problem.implicit.lu
    A = csc_matrix((problem.I.data[lu.source], lu.indices, lu.indptr), shape=(lu.n, lu.n))
    root = 1.0 / np.sqrt(problem.inertia())
    K = A[:nq, :nq].toarray() * root[:, None] * root
    Z = null_space(A[o:, :nq].toarray() * root) if pattern.N > o else np.eye(nq)
    if not Z.shape[1] or not np.isfinite(K).all():
        return None
    B = Z.T @ K @ Z
    values, vectors = np.linalg.eigh(0.5 * (B + B.T))
    if values[0] >= -1e-9 * np.abs(values).max():
        return None
    sol = np.zeros(pattern.N)
    sol[:nq] = root * (Z @ vectors[:, 0])
    return float(-values[0]), sol * (0.1 / np.abs(problem.weigh(sol)).max())


def _reason(problem: _Problem, t: float, y: np.ndarray) -> str:
    """Who prevents an equilibrium: the direction in which the unbalanced forces push and the tangent stiffness gives
    way.

    With the mass matrix M times a small c added, powers of (K + c M)^-1 M bring out of the accelerations M^-1 R the
    part along which K is softest.  When the way to a balance along it is many times the extent of the machine, nothing
    holds it.
    """
    system, nq = problem.system, problem.nq
    tries = "try a larger MAXIT, smaller TLIMIT and ALIMIT, or start from a position nearer to the equilibrium"
    problem.linearise(t, y, 0.0)
    force, scale, _ = problem.imbalance()
    right = problem.I.res.copy()
    worst = problem.implicit.equation_words(int(np.argmax(np.abs(right[:nq] / problem.length)))) if nq else "nothing"
    plain = f"the imbalance is {force / scale:.3g} of the largest force where it starts, worst in {worst}; {tries}"
    mass = problem.inertia()
    if not mass.min(initial=np.inf) > 0.0:
        return plain
    c = 1e-9 * force / (mass.max(initial=1e-300) * system.extent)
    try:
        problem.factor(t, y, c)
        x = np.zeros(len(right))
        x[:nq] = right[:nq] / mass
        for _ in range(4):
            load = np.zeros(len(right))
            load[:nq] = mass * x[:nq]
            x = problem.solve(load)
            x /= np.abs(problem.weigh(x)).max()
        load[:nq] = mass * x[:nq]
        answer = problem.solve(load)
    except (SingularMatrix, ValueError, ZeroDivisionError, FloatingPointError):
        return plain
    q = x[:nq]
    inertia = float(q @ (mass * q))
    push = float(q @ right[:nq])
    growth = float(q @ (mass * answer[:nq])) / inertia
    stiffness = inertia * (1.0 / growth - c) if growth else np.inf
    if not np.isfinite(stiffness) or abs(push) < 1e-3 * force * system.extent * np.abs(problem.weigh(x)).max():
        return plain
    if abs(stiffness) * 100.0 > abs(push):  # unit displacements are as large as the machine
        return plain
    d = layout.zero_moves(system.bodies)
    d.ravel()[problem.columns] = q * np.sign(push)
    share = np.abs(d) / np.where(layout.turns(system.bodies), 1.0, system.extent)
    body, axis = np.unravel_index(int(np.argmax(share)), share.shape)
    if body > system.nb:
        return (
            f"nothing holds {system.tail_words(layout.MOVES * (int(body) - system.nb - 1) + int(axis))}, and the "
            f"forces push it ({worst} is off by {force:.3g}); "
            "try (1) a spring (stiffness) that holds it, (2) a dynamic analysis instead"
        )
    label = system.body_elements[body].label
    vector = d[body, :3] if axis < 3 else d[body, 3:]
    direction = _direction(vector, "its" if axis >= 3 else "the ground's")
    what = f"against moving along {direction}" if axis < 3 else f"against turning about {direction}"
    with_it = [
        system.body_elements[b].name
        for b in np.flatnonzero(share[: system.nb].max(1) > 0.5 * share[body, axis])
        if b != body
    ]
    more = f" (and with it {', '.join(with_it[:3])}{', ...' if len(with_it) > 3 else ''})" if with_it else ""
    return (
        f"nothing holds {label}{more} {what}, and the forces push it that way ({worst} is off by {force:.3g}); "
        "try (1) a joint, spring or contact that holds it, (2) a dynamic analysis instead, (3) another starting "
        "position"
    )


def _direction(vector: np.ndarray, whose: str) -> str:
    """ "its x axis", or the vector where it lies along no axis."""
    unit = vector / np.linalg.norm(vector)
    k = int(np.argmax(np.abs(unit)))
    if abs(unit[k]) > 0.99:
        return f"{whose} {'-' if unit[k] < 0 else ''}{'xyz'[k]} axis"
    return f"({unit[0]:.2g}, {unit[1]:.2g}, {unit[2]:.2g}) in {whose} axes"


def _newton(problem: _Problem, t, start, x, maxit, tlimit, alimit, error, limit, s=None, enough=None):
    """(state or None, iterations, imbalance); ``s``: the first share of the mass matrix; ``enough``: the last
    correction and the force left over, in model units, that a user is content with."""
    system, I = problem.system, problem.I
    L = system.extent
    y = start.copy()
    I.lam[:] = system.W.lam
    nb = system.nb
    ratio = np.inf
    big = 1.0  # by how much the last step was cut short
    touching, refused, calm, saved = system.contacts.on, 0, 0, (y, I.lam)
    # of s: some mass is left where nothing holds and nothing pushes (a ball on a table), or the matrix were singular
    least = 0.0
    before = moved = np.inf
    for k in range(maxit):
        problem.linearise(t, y, 0.0 if s is None else s)
        force, scale, rest = problem.imbalance()
        if s is None:  # mass times s comparable with the stiffness of the machine
            mass = problem.mass if nb else 1.0
            s = force / max(mass * tlimit, 1e-300)
            problem.linearise(t, y, s)
        ratio = force / scale
        if not np.isfinite(force):
            return None, k, np.inf
        if enough and k and big == 1.0 and moved <= enough[0] and force <= enough[1] and rest <= 1e-6 * L:
            layout.stop(y, system.bodies)
            return y, k, ratio
        if (
            touching and ratio < 1e-9 and rest <= 1e-9 * L
        ):  # balanced; a ball on a table may turn by any angle, so steps gives no information
            calm += 1
            if calm == 3:
                layout.stop(y, system.bodies)
                return y, k + 1, ratio
        if (
            touching and k and force > 3.0 * before and s > 0.0 and refused < 12
        ):  # far into a contact: back, and more slowly
            refused += 1
            y[:] = saved[0]
            I.lam[:] = system.W.lam[:] = saved[1]
            accept_reference(system, y)
            s *= 8.0
            problem.linearise(t, y, s)
            force = before
        elif k and force > 2.0 * before:
            s = max(4.0 * s, 1e-6 * scale / L)
            problem.linearise(t, y, s)
        elif k:
            s = s * min(max(force / max(before, 1e-300), 0.1), 2.0) if big == 1.0 else s
            if ratio < 1e-3 and big == 1.0 and not enough:
                s = least
        before = force
        if touching:
            saved = y.copy(), I.lam.copy()
            refused = max(refused - 1, 0) if refused < 12 else 0
        try:
            d, dx, lam, big = problem.step(tlimit, alimit)
        except (SingularMatrix, ValueError):
            if s <= least and ratio < 1e-2:
                least = max(100.0 * least, 1e-9 * scale / (L * max(problem.mass, 1e-300)))
                s = least
                big = 2.0
                continue
            s = max(10.0 * s, 1e-6 * scale / (L * max(problem.mass if nb else 1.0, 1.0, 1e-300)))
            big = 2.0
            if k > 5 and not np.isfinite(s):
                return None, k, ratio
            continue
        if not np.all(np.isfinite(d)):
            return None, k, ratio
        retract(system.bodies, y, d)
        y[x] += dx
        I.lam[:] += lam
        system.W.lam[:] = I.lam
        accept_reference(system, y)
        moved = np.abs(d).max(initial=0.0)
        step = max(np.abs(layout.moves(d)[:, :3]).max(initial=0.0) / L, np.abs(layout.moves(d)[:, 3:]).max(initial=0.0))
        if step < min(error, 1e-6) and big == 1.0 and s <= least:
            problem.linearise(t, y, 0.0)
            force, scale, rest = problem.imbalance()
            if force / scale <= max(min(limit, 1e-6), 1e-9) or step < 1e-12:
                layout.stop(y, system.bodies)
                return y, k + 1, force / scale
        if (
            step < 1e-3 and (force / scale < 1e-2 or step < 1e-12) and not enough
        ):  # where forces cancel all of them are roundoff, and their ratio gives no information
            s = least
    return None, maxit, ratio


def _rest(system, t, y, maxit, say) -> np.ndarray:
    relaxed = _relax(system, t, y, maxit)
    if relaxed is None:
        say(WarningText("statics: the machine does not come to rest; Newton starts where it was"))
    return y if relaxed is None else relaxed


def _relax(system, t, y, maxit) -> np.ndarray | None:
    """Motion stopped at every peak of kinetic energy until little is left of it; None when the machine flies away,
    with turns as they were before."""
    angles = present_angles(system)
    relaxed = _moved(system, t, y, maxit)
    continue_angles(system, angles if relaxed is None else present_angles(system))
    return relaxed


def _moved(system, t, y, maxit) -> np.ndarray | None:
    from ...integrators import Options, make_integrator

    y = y.copy()
    layout.stop(y, system.bodies)
    g = float(np.linalg.norm(system.bodies.gravity))
    span = 10.0 * np.sqrt(system.extent / g) if g > 0 else 1.0
    first = None
    clock = t
    origin = layout.places(y, system.nb).copy()
    stepper = make_integrator("HHT", system, Options(error=1e-2))
    for _ in range(8 * maxit):
        try:
            stepper.start(clock, y, clock + span, 1e-4 * span)
        except IntegrationError:
            return None
        last, best, peak = 0.0, y, 0.0
        for _ in range(400):
            try:
                stepper.step(clock + span)
            except IntegrationError:
                return None
            accept_outputs(system, stepper.y)
            e = kinetic(system.bodies, stepper.y)
            if e < last:
                break
            last, best = e, stepper.y.copy()
            peak = e
            if stepper.t >= clock + span:
                break
        y = best.copy()
        if not np.abs(layout.places(y, system.nb) - origin).max(initial=0.0) < 100.0 * system.extent:
            return None
        layout.stop(y, system.bodies)
        first = peak if first is None else max(first, peak)
        if peak <= 1e-8 * first:
            break
    project_state(system, y, t, 2)
    return y

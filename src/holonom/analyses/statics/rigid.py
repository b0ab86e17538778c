"""Static equilibrium with contacts as constraints: F + G^T lam + H^T r = 0, gaps and normal forces >= 0, one of them
zero, |r_t| <= mu r_n.

The machine moves as in honey: steps of Moreau and Jean's scheme (theta = 1, no restitution) that all start from rest,
while time is held,

    (M / h^2 + K) dq = F + G^T lam + H^T r,      0 <= g + H_n dq  _|_  r_n >= 0,      friction in its cone against H_t
        dq,

so that h grows from a walk along the forces to Newton's method on the constraints that hold (pseudo-transient
continuation as in `statics`; with contacts: proximal point iteration, Rockafellar, SIAM J. Control Optim. 14 (1976)
877).  What comes to rest satisfies the conditions of equilibrium to the accuracy of the contact solver.  Without
friction it is a stable position; friction holds a machine in many positions, and the one that is found is where it
comes to rest from the present one: what can stay where it is stays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...contact.rigid.solvers import Settings
from ...contact.tables import FORCE, GAP, HELD, POINTS
from ...elements.bodies import layout
from ...integrators.entry import CONSTRAINTS, enter, explicit_handle
from ...integrators.moreau_jean import MoreauJean
from ...integrators.selection import positive, suggestion
from ...integrators.stepper import IntegrationError, Options
from ...model import ModelError
from ...system.multipliers import torque_rows
from ...system.reference import accept_outputs
from ..contact.overlap import settle_overlaps
from .equilibrium import OPTIONS, Equilibrium

BALANCED = 1e-8  # forces left over, of the largest
STILL = 1e-9  # displacement of a step, of the size of the machine
RESTING = 1e-9  # velocity of a motion, of the size of the machine in its natural time, that counts as none
GROWS, SHRINKS = 1.5, 0.4
SLOP, DEEP = 1e-10, 1e-9  # depths that are left alone, and that are too deep, of the size of the shapes
STEPS = 40  # steps for each iteration that MAXIT allows
AWAY = 20.0  # extents of the machine: what moves so far is held by nothing


def rest(system: Any, t: float, y: np.ndarray, settings: Any, say: Any = print, **options: Any) -> Equilibrium:
    """The equilibrium near ``y``; options and ``settings`` (EQUILIBRIUM) as in `statics.equilibrium`.  Raises
    ModelError."""
    for name in sorted(set(options) - set(OPTIONS)):
        raise ModelError(
            f"unknown option '{name}' of a static analysis{suggestion(name, OPTIONS)}; choose one of "
            f"{', '.join(OPTIONS)}"
        )

    def get(name: str, default: float) -> float:
        value = options.get(name)
        value = getattr(settings, name, None) if value is None else value
        return default if value is None else positive(name, value)

    asked = any(v is not None for v in (options.get("imbalance"), getattr(settings, "imbalance", None)))
    error, enough = get("error", 1e-4), get("imbalance", 1e-4)
    steps = STEPS * int(get("maxit", 100))
    L, contacts, nb = system.extent, system.contacts, system.nb
    size = contacts._size() if contacts.on else L
    tlimit, alimit = min(get("tlimit", 0.2 * L), max(0.2 * size, 0.05 * L)), get("alimit", 0.3)
    _at_rest(system, t, y)
    settle_overlaps(system, t, y, say)
    stepper = _stepper(system, size)
    stepper.reach = max(size, 0.5 * L)
    stepper.start(t, y.copy(), np.inf)
    y = stepper.y
    state = layout.rows(y, nb)
    origin = state[:, :3].copy()
    g = float(np.linalg.norm(system.bodies.gravity))
    weight = (system.bodies.mass * g).max(initial=0.0)
    h = 0.1 * np.sqrt(L / g) if g > 0.0 else 0.1 / system.model.units.si_time
    last, calm, ratio = np.inf, 0, np.inf
    for k in range(steps):
        before = y.copy()
        try:
            stepper.relax(h)
        except IntegrationError as problem:
            raise ModelError(f"no static equilibrium was found at time {t:.6g}: {problem}") from None
        moved = h * state[:, layout.SPEED]
        far = max(np.abs(moved[:, :3]).max(initial=0.0) / tlimit, np.abs(moved[:, 3:]).max(initial=0.0) / alimit)
        if not np.isfinite(y).all() or far > 1.0:
            y[:] = before
            h *= SHRINKS if not np.isfinite(far) else min(SHRINKS, 0.9 / np.sqrt(far))
            if h < 1e-12:
                break
            continue
        accept_outputs(system, y)
        left = _left(system, moved / h**2)
        force = float(left.max(initial=0.0))
        scale = max(weight, float(np.abs(system.wrenches.out).max(initial=0.0)), _largest(contacts), 1e-12)
        ratio = force / scale
        step = max(np.abs(moved[:, :3]).max(initial=0.0) / L, np.abs(moved[:, 3:]).max(initial=0.0))
        done = (
            (force <= enough and step <= error)
            if asked
            else (ratio <= BALANCED and step <= STILL and _depth(contacts) <= DEEP * size)
        )
        calm = calm + 1 if done else 0
        if calm == 3:
            return _found(stepper, k + 1, ratio)
        if np.abs(state[:, :3] - origin).max(initial=0.0) > AWAY * L:
            break
        h *= SHRINKS if ratio > 1.01 * last else GROWS
        last = ratio
    worst = system.body_elements[int(np.argmax(_left(system, state[:, layout.SPEED] / h)))].label
    if np.abs(state[:, :3] - origin).max(initial=0.0) > AWAY * L:
        raise ModelError(
            f"no static equilibrium was found at time {t:.6g}: nothing holds {worst}, which moves away without end; "
            "try (1) a joint, spring, contact or "
            "more friction that holds it, (2) another starting position, (3) a dynamic analysis"
        )
    raise ModelError(
        f"no static equilibrium with contacts as constraints was found at time {t:.6g} in {steps} steps: the imbalance "
        f"is {ratio:.3g} of the largest "
        f"force, worst at {worst}; try (1) a larger MAXIT, (2) a starting position nearer to rest, (3) a dynamic "
        "analysis until it rests, or "
        "contact = compliant"
    )


def _stepper(system: Any, size: float) -> MoreauJean:
    """The scheme without restitution, at theta = 1, on the contacts of this system."""
    model, rigid = system.model, system.model.rigid
    model.rigid = replace(rigid, theta=1.0, sleep=False, penetration=SLOP * size, impact_law="NEWTON")
    if system.contacts.on:
        system.contacts.S.p[:, [0, 2]] = 0.0
    try:
        stepper = MoreauJean(system, Options(hmax=1.0))
    finally:
        model.rigid = rigid
    stepper.settings = Settings(
        rigid.solver, min(rigid.tolerance or 1e-10, 1e-10), max(rigid.iterations or 0, 5000), threads=rigid.threads
    )
    return stepper


def _at_rest(system: Any, t: float, y: np.ndarray) -> None:
    """Raise for motions that drive something at time t: this statics cannot stop them."""
    if not system.m:
        return
    z = y.copy()
    layout.speeds(z, system.nb)[:] = 0.0
    enter(explicit_handle(system), CONSTRAINTS, z, t, 0.0, 1e-8, 0, system.workspace.stages.d)
    rw = system.W.rw
    size = np.where(torque_rows(system), 1.0, system.extent)  # rows are angles or lengths
    gravity = float(np.linalg.norm(system.bodies.gravity))
    pace = np.sqrt(gravity / system.extent) or system.model.units.si_time  # without weights 1 rad/s
    drive = np.maximum(np.abs(rw.phit) / pace, np.abs(rw.gamma) / pace**2) / size
    if drive.max() > RESTING:
        words = system.row_words(int(np.argmax(drive)))
        raise ModelError(
            f"statics with contacts as constraints needs motions at rest, at time {t:.6g} {words} moves; take contact "
            "= compliant for this analysis, or a "
            "motion that rests at that time"
        )


def _left(system: Any, acceleration: np.ndarray) -> np.ndarray:
    """Force, or torque over the extent of the machine, that is left over at each body."""
    b, n = system.bodies, system.nb
    a = np.abs(acceleration[:n])
    return np.maximum(
        (b.mass[:n, None] * a[:, :3]).max(axis=1, initial=0.0),
        (b.J[:n] * a[:, 3:]).max(axis=1, initial=0.0) / system.extent,
    )


def _largest(contacts: Any) -> float:
    if not contacts.on:
        return 0.0
    n = int(contacts.W.count[POINTS])
    return float(np.abs(contacts.W.pd[:n, FORCE : FORCE + 3]).max(initial=0.0))


def _depth(contacts: Any) -> float:
    """Of the deepest point, where the last step began."""
    n = int(contacts.W.count[POINTS]) if contacts.on else 0
    return float(-contacts.W.pts[:n, GAP].min(initial=0.0))


def _found(stepper: MoreauJean, steps: int, ratio: float) -> Equilibrium:
    system = stepper.system
    y = stepper.y.copy()
    layout.speeds(y, system.nb)[:] = 0.0
    if system.contacts.on:
        system.contacts.hold(HELD)
    return Equilibrium(y, steps, ratio, "steps from rest, contacts as constraints")

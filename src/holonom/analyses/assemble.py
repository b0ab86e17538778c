"""Assembly: initial positions, velocities and accelerations that fit all constraints.

Positions: the change from the user's values that is smallest in a weighted norm, subject to phi = 0, by Newton's method
with the change counted from the start (Adams theory: the constrained minimum); velocities: one linear solve of the same
kind; accelerations and multipliers: from the equations of motion.  Norm: sum of w (dr / L)^2 + w dtheta^2, L the
extent of the model, w the body's assembly weights, 1 unless given.  Coordinates with an exact flag do not move;
velocities that the user gave are kept, those left free follow them; where not all of those given fit they weigh 10^6
times more. A state that is carried over from an analysis before changes as by an
impact: by the impulses of the constraints on the masses, so that parts which only each other hold keep their momentum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements.bodies import layout
from ..elements.bodies.coordinates import moved
from ..elements.bodies.mass import inverse_masses, lengths, movable, on_carriers
from ..elements.joints.rows import DOT1, POINT, TWIST
from ..integrators.entry import CONSTRAINTS, CORRECT, VELOCITY, enter, explicit_handle, project_state, weighted_handle
from ..linalg.rank import RankReport, independent_rows
from ..model import ModelError
from ..system.build import INITIAL_RATES, System
from ..system.faults import unbounded
from ..system.flags import GIVEN_WEIGHTS, USER_FAILED
from ..system.multipliers import basic, dropped_rows, null_space, torque_rows
from ..system.reference import accept_reference, choose_turns
from .checks.advice import driven, pinned, try_
from .checks.parallelism import unparallel

EPS = 1e-9
ROUNDED = 1e-15  # of the distance from the origin: gaps are known to so much
# redundant rows above which they are named as the elimination finds them: moving loads to others costs time at every
# output
MANY = 40
NAMED = 6  # redundant equations, and joints with them, that are reported one by one
SLOW = 1e-3  # extents of the model (radians) a second: what velocities at rest are measured by
TOLD = 1e-3  # a model whose parts are moved by more than this share of its extent (times ten: radians) was drawn open
RUNAWAY = (
    1e4  # velocities that follow from those given are at most so many times as large, or these are not kept exactly
)


@dataclass
class Assembly:
    """A fitted state.  ``moved``: largest translation and rotation from the user's values; ``redundant``: rank report;
    ``dof``: degrees of freedom; ``residual``: largest constraint violation left."""

    y: np.ndarray
    yd: np.ndarray
    lam: np.ndarray
    moved: tuple[float, float]
    residual: float
    dof: int
    redundant: RankReport | None = None
    impulses: np.ndarray | None = None  # (m,) multipliers of the velocity projection: M (u+ - u) = -G^T impulses
    #: inverse weights (rows, 6) with which positions and velocities were fitted; None without constraints
    weights: tuple[np.ndarray, np.ndarray] | None = None
    opened: str = (
        ""  # which part was moved by how much because which joint was drawn open; empty where nothing moved to speak of
    )


def _weights(system: System, exact: bool = True) -> np.ndarray:
    """Inverse weights of dr and dtheta of each body: lengths in units of the model's extent, over the weights that its
    body has; 0 where exact."""
    L = system.extent
    w = layout.zero_moves(system.bodies)
    w[system.nb + 1 :] = (system.tail_lengths() ** 2).reshape(-1, layout.MOVES)
    w[system.parts : system.nb] = [L * L] * 3 + [1.0] * 3  # grains
    for k, body in enumerate(system.body_elements):
        w[k, :3] = L * L
        w[k, 3:] = 1.0 if body.KIND == "PART" else 0.0
        if given := getattr(body, "assembly_weight", ()):  # X, Y, Z and, of a part, the attitude
            w[k] /= (*given[:3], *(given[-1],) * 3)
        if not exact or body in system.node_elements:
            continue
        for c, name in enumerate("XYZ"):
            if name in body.exact:
                w[k, c] = 0.0
        if {"PSI", "THETA", "PHI"} <= set(body.exact):
            w[k, 3:] = 0.0
    return w


def assemble(
    system: System,
    t: float = 0.0,
    y: np.ndarray | None = None,
    tolerance: float = 1e-12,
    maxit: int = 100,
    carried: bool = False,
    report: RankReport | None = None,
) -> Assembly:
    """Fit positions, velocities, accelerations at time t; ``carried``: y comes from an analysis before, weights are
    masses.

    ``report``: what is known of redundant rows (None: they are searched for).
    Raises ModelError naming the constraint that cannot be met.
    """
    y0 = (system.y0 if y is None else y).copy()
    y, drawn = y0.copy(), y0.copy()
    S, W = system.S, system.W
    L = system.extent
    opened = np.zeros(0)
    total = np.zeros(system.bodies.moves)  # change since y0
    before = np.zeros_like(total)  # changes before y0 was set anew
    d = np.zeros_like(total)
    handle = explicit_handle(system)
    most = lambda d, part: float(np.abs(layout.moves(d)[:, part]).max())
    do = lambda mode, eps=EPS, by=handle: enter(by, mode, y, t, 0.0, eps, 0, d)
    impulses = np.zeros(system.m)
    by_speed = np.zeros(0)
    if system.m:
        weights = inverse_masses(system.bodies) if carried else _weights(system)
        do(CONSTRAINTS)
        choose_turns(system)
        accept_reference(system, y)
        last = np.inf
        for iteration in range(maxit):
            do(CONSTRAINTS)
            accept_reference(
                system, y
            )  # angles are followed through every turn: an initial angle may be half a turn away
            size = np.abs(W.rw.phi).max()
            if not iteration:
                opened = W.rw.phi.copy()
            if not np.isfinite(size):
                raise ModelError(
                    f"{system.row_words(int(np.argmax(~np.isfinite(W.rw.phi))))} gives no finite value at the initial "
                    "position"
                )
            enough = tolerance * L + ROUNDED * float(np.abs(layout.places(y, system.nb)).max(initial=0.0))
            if W.gap[0] < enough and size < 1e-9 * max(L, 1.0) and last < tolerance * 1e3:  # the same in any units
                break
            if iteration % 10 == 9:  # after large turns the tangent at the start is no longer that of here: count anew
                before += total
                total[:] = 0.0
                y0[:] = y
            # change counted from the start: G d_total = G total - phi
            W.rw.phi[:] -= _times(system, total)
            with fresh_pivots(system, not carried):
                do(CORRECT, by=weighted_handle(system, weights))
            step = d - total
            big = max(most(step, layout.TURN) / 0.5, most(step, layout.TRAVEL) / (0.5 * L), 1.0)
            step /= big
            total += step
            last = max(most(step, layout.TRAVEL) / L, most(step, layout.TURN))
            y[:] = y0
            moved(S.bodies, y, total)
        do(CONSTRAINTS)
        size = np.abs(W.rw.phi).max()
        if size > 1e-8 * max(L, 1.0):
            r = int(np.argmax(np.abs(W.rw.phi)))
            text = (
                f"the initial position cannot be assembled at time {t:.6g}: {system.row_words(r)} stays open by "
                f"{W.rw.phi[r]:.3g}; "
            )
            raise ModelError(
                text
                + _dead_centre(system, handle, t, drawn)
                + try_(
                    f"other markers of this joint{', or its parts without EXACT' if pinned(system.model) else ''}",
                    f"fewer constraints: joints {'and motions ' if driven(system.model) else ''}may contradict "
                    "each other",
                    "parts that start nearer to where they fit",
                )
            )
        accept_reference(system, y)
        if not system.free_rates:  # else `started` fits them without the positions that are given at the start
            impulses, by_speed = _fit_velocities(system, y, t, weights, carried, do)
    W.scale[:] = W.gscale[:] = 0.0
    yd = np.zeros_like(y)
    project_state(system, y, t, 0, yd)
    if W.flags[USER_FAILED]:
        system.raise_user_error(t)
    if not np.all(np.isfinite(W.acc)):
        b = int(np.argmax(~np.isfinite(W.acc)) // 6)
        source = unbounded(system)
        raise ModelError(
            f"{system.body_elements[b].label}: its acceleration at time {t:.6g} is not a finite number"
            + (f" ({source} gives none)" if source else "")
            + "; try (1) forces on it without roots of negative numbers and divisions by zero there, (2) another "
            "starting position, "
            "(3) mass and inertia where the part has none"
        )
    way = np.abs(layout.moves(total + before))
    report = redundancy(system) if report is None else report
    if report and report.dropped:
        if len(report.dropped) > MANY:
            report = as_dropped(system, report)
        system.workspace.named = sorted(report.dropped)
        basic(system)
    dof = int(system.dof_total - (report.rank if report else 0))
    residual = float(np.abs(W.rw.phi).max(initial=0.0))
    system.workspace.assembled = t, y
    return Assembly(
        y,
        yd,
        W.lam.copy(),
        (float(way[:, :3].max(initial=0)), float(way[:, 3:].max(initial=0))),
        residual,
        dof,
        report,
        impulses,
        (weights, by_speed) if by_speed.size else None,
        "" if carried or not system.m else _drawn_open(system, opened, way),
    )


def velocity_weights(system: System) -> np.ndarray:
    """Inverse weights (rows, 6) of velocities, whether they are given or not."""
    return _weights(system, exact=False)


def _fit_velocities(
    system: System, y: np.ndarray, t: float, weights: np.ndarray, carried: bool, do: Callable[..., Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of ``y`` that fit the constraints: those given are kept where that can be, else they weigh 10^6 times
    more than the others.  Returns the multipliers of the projection and its inverse weights; ``do``: calls a kernel of
    `integrators.entry`."""
    S, W, L = system.S, system.W, system.extent
    given = weights if carried else velocity_weights(system)
    known = np.zeros_like(given, bool)
    for k, body in enumerate(system.body_elements if not carried else ()):
        for c, name in enumerate(("vx", "vy", "vz", "wx", "wy", "wz")):
            known[k, c] = getattr(body, name, None) is not None
    wanted = y.copy()
    # speeds in extents of the model a second next to radians a second: the same decisions in any units
    of_body = np.array([1.0 / L] * 3 + [1.0] * 3)
    of_row = np.where(torque_rows(system), 1.0, 1.0 / L)
    largest = np.abs(layout.speeds(wanted, system.nb) * of_body).max(initial=0.0)
    for share in (0.0, 1e-6) if known.any() else (1.0,):
        y[:] = wanted
        by_speed = np.where(known, share * given, given)
        with fresh_pivots(system, not carried):
            do(VELOCITY, 1e-14, weighted_handle(system, by_speed))
            impulses = W.plam[: system.m].copy()
        v = layout.all_speeds(y, S.bodies)
        open_ = np.abs(_times(system, v) + W.rw.phit) * of_row * (np.asarray(S.rows.level) < 2)
        asked = np.abs(W.rw.phit * of_row).max()
        fast = np.abs(layout.moves(v)[: system.nb + 1] * of_body).max()
        size = max(fast, asked, largest, SLOW)
        if open_.max() <= 1e-10 * size and fast <= RUNAWAY * max(largest, asked):
            break
    if open_.max() > 1e-6 * size:
        r = int(np.argmax(open_))
        why = unparallel(system, y)
        raise ModelError(
            f"the initial velocities cannot be made to fit at time {t:.6g}: {system.row_words(r)} is violated by "
            f"{open_[r] / of_row[r]:.3g}; "
            + (f"{why}; or " if why else "")
            + try_(
                "initial velocities without EXACT" if pinned(system.model) else "",
                *(
                    (
                        "motions that do not contradict each other",
                        "a motion that starts at the velocity of its joint",
                    )
                    if driven(system.model)
                    else ()
                ),
                "fewer constraints: joints may contradict each other",
            )
        )
    return impulses, by_speed


def started(system: System, state: Assembly, build: Callable[[str], System], t: float = 0.0) -> tuple[System, Assembly]:
    """The system without the rows of initial conditions, and its state at the start.

    ``system``, ``state``: those with all rows of initial conditions, assembled; ``build(rows)``: a system of the same
    model.  Where a joint's initial position is given and its rate is not, velocities are fitted again, without that
    row, to those that the bodies are given."""
    first = state
    if system.free_rates:
        y, given = state.y.copy(), layout.rows(system.y0, system.nb)
        for part in (layout.VELOCITY, layout.SPIN):
            layout.rows(y, system.nb)[:, part] = given[:, part]
        system = build(INITIAL_RATES)
        system.y0[:] = y
        state = assemble(system, t, y)
    y = state.y
    system = build("")
    system.y0[:] = y
    state = assemble(system, t, y)
    state.opened = first.opened or state.opened
    return system, state


def _dead_centre(system: System, handle: Any, t: float, y: np.ndarray) -> str:
    """A message where an initial position cannot be reached since nothing moves its joint as drawn (``y``)."""
    if not system.initial_rows:
        return ""
    enter(handle, CONSTRAINTS, y, t, 0.0, EPS, 0, np.zeros(system.bodies.moves))
    report = redundancy(system)
    for r, parts in zip(report.dropped, report.combinations) if report is not None else ():
        for q in (r, *(p for p, _ in parts)):
            if system.rows[q].name == "initial condition":
                return (
                    f"{_owner(system, q)} cannot leave its position as drawn, which is a dead centre or held by other "
                    "joints; draw the mechanism a little away from it, on the side that is meant; or "
                )
    return ""


def _drawn_open(system: System, phi: np.ndarray, moved: np.ndarray) -> str:
    """Which part was moved most, by how much, and which constraint was open most at the design position (``phi``: its
    rows there)."""
    L, unit = system.extent, system.model.units.symbol("length")
    far = np.maximum(moved[: system.nb, :3].max(axis=1) / L, 0.1 * moved[: system.nb, 3:].max(axis=1))
    if not far.max(initial=0.0) > TOLD:
        return ""
    b = int(np.argmax(far))
    angular = torque_rows(system)
    r = int(np.argmax(np.abs(phi) * np.where(angular, 1.0, 1.0 / L)))
    if system.rows[r].name == "initial condition":  # the user wants it elsewhere
        return ""
    its = system.constraint_of(r)
    where, rows = (system.row_words(r), [r]) if its is None else (its.element.label, [*its.rows])
    apart = [q for q in rows if system.rows[q].kind == POINT]  # of origins that shall coincide: all that parts them
    gap = f"{float(np.linalg.norm(phi[apart if r in apart else [r]])):.4g} {'(of an angle)' if angular[r] else unit}"
    way, turn = float(np.linalg.norm(moved[b, :3])), float(np.linalg.norm(moved[b, 3:]))
    return (
        f"the model was drawn open: {where} by {gap}; the assembly moved "
        f"{system.body_elements[b].label if b < len(system.body_elements) else 'a grain'} "
        f"by {way:.4g} {unit} and {turn:.4g} rad (EXACT keeps a part where it is)"
    )


def _times(system: System, z: np.ndarray) -> np.ndarray:
    """G z at the last evaluation, z (bodies.moves)."""
    G = constraint_matrix(system)
    return G @ z[: G.shape[1]]


@contextmanager
def fresh_pivots(system: System, by_size: bool):
    """Pivots of what is projected with other weights than the masses (`weighted_handle`) are measured by themselves.

    ``by_size``: the weights are those of sizes already, and what is exact cannot move: no row is judged by the metric
    of the bodies next to it."""
    flags = system.W.flags
    system.W.scale[:] = 0.0
    flags[GIVEN_WEIGHTS] = by_size
    try:
        yield
    finally:
        system.W.scale[:] = 0.0
        flags[GIVEN_WEIGHTS] = 0


def constraint_matrix(system: System):
    """Sparse G (m, 6 nb) at the last evaluation; (m, bodies.moves), over the coordinates of carriers, where rows act on
    nodes of these."""
    import scipy.sparse as sp

    if layout.has_nodes(system.bodies):
        G = np.zeros((system.m, *movable(system.bodies).shape))
        np.add.at(G, (system.slot_row[:-1], system.slot_body[:-1]), system.W.rw.G[:-1])
        return sp.csr_matrix(on_carriers(system.bodies, G.reshape(system.m, -1)))
    G, body, row = system.W.rw.G[:-1], system.slot_body[:-1], system.slot_row[:-1]
    r = np.repeat(row, layout.MOVES)
    c = layout.columns(body).ravel()
    return sp.csr_matrix((G.ravel(), (r, c)), shape=(system.m, layout.MOVES * system.nb))


def redundancy(system: System) -> RankReport | None:
    """Rank report of the constraints at the last evaluation, lengths in units of the model's extent; without inertias
    of drives, which constrain nothing."""
    binding = np.flatnonzero(system.S.rows.compliance == 0.0)
    if not len(binding):
        return None
    G, n, priority = constraint_matrix(system), system.parts, _priority(system)
    if len(binding) < system.m:
        G, priority = G[binding], priority[binding]
    if layout.has_nodes(system.bodies):
        own = np.flatnonzero(layout.free(system.bodies))
        weights = lengths(system.bodies, system.extent).ravel()[own]
        return _of_rows(independent_rows(G.toarray()[:, own], weights=weights, priority=priority), binding)
    if n < system.nb:  # nothing holds grains
        G = G[:, : layout.MOVES * n]
    J = G.toarray() if system.m * n < 4_000_000 / 6 else G
    w = np.tile([system.extent**2] * 3 + [1.0] * 3, n)
    return _of_rows(independent_rows(J, weights=w, priority=priority), binding)


def _of_rows(report: RankReport, rows: np.ndarray) -> RankReport:
    """The report on some ``rows``, by their numbers in the system."""
    number = lambda which: [int(rows[r]) for r in which]
    combinations = [[(int(rows[r]), c) for r, c in parts] for parts in report.combinations]
    return RankReport(report.rank, number(report.kept), number(report.dropped), combinations, report.pivots)


def as_dropped(system: System, report: RankReport) -> RankReport:
    """The report in terms of the rows that the elimination leaves out (`multipliers.dropped_rows`): joint by joint, the
    last joint of a loop loses all it repeats."""
    dropped = sorted(dropped_rows(system).tolist())
    if len(dropped) != len(report.dropped) or dropped == sorted(report.dropped):
        return report
    N = null_space(system)  # a column for each of dropped_rows, which rise
    G = constraint_matrix(system)
    length = np.sqrt(np.asarray(G.multiply(G).sum(axis=1)).ravel())
    combinations = []
    for k, r in enumerate(dropped):
        share = -N[:, k] * length
        parts = np.flatnonzero(np.abs(share) > 1e-7 * np.abs(share).max())
        combinations.append([(int(q), float(-N[q, k])) for q in parts if q != r])
    kept = [r for r in range(system.m) if r not in set(dropped)]
    return RankReport(len(kept), kept, dropped, combinations, report.pivots)


def _priority(system: System) -> np.ndarray:
    """Which rows go first when some repeat others: translations before rotations, and of a joint's rotations the last
    one first.  So a repeated equation is named where Adams names it ("Zi.Xj in JOINT_2"), and reactions stay forces
    where they can.
    """
    out = np.zeros(system.m, np.int64)
    for number, c in enumerate(system.constraints):
        for r in c.rows:
            if system.rows[r].kind in (DOT1, TWIST):
                out[r] = system.m * (1 + number) + c.rows.stop - r
    return out


def redundancy_words(system: System, report: RankReport | None) -> list[str]:
    """ "JOINT_7: rotation about its z axis repeats JOINT_3 and JOINT_5" for every redundant row."""
    return [
        f"{system.row_words(row)} {_repeated(names, bool(parts))} [in Adams {system.row_adams(row)}]"
        for row, names, parts in _redundant(system, report)
    ]


def redundancy_by_joint(system: System, report: RankReport | None) -> list[str]:
    """The same, where it were more than `NAMED` sentences with one for each joint, motion or other constraint, which
    may repeat several equations."""
    if report is None or len(report.dropped) <= NAMED:
        return redundancy_words(system, report)
    found: dict[str, list[tuple[int, list[str], Any]]] = {}
    for one in _redundant(system, report):
        found.setdefault(_owner(system, one[0]), []).append(one)
    lines = []
    for owner, rows in found.items():
        names = list(dict.fromkeys(name for _, some, _ in rows for name in some))
        words = [system.row_words(row).partition(": ")[2] for row, _, _ in rows]
        head = f"{owner}: {words[0]}" if len(rows) == 1 else f"{owner}: {len(rows)} equations ({', '.join(words)})"
        notation = ", ".join(system.row_adams(row) for row, _, _ in rows)
        lines.append(
            f"{head} {_repeated(names, any(parts for _, _, parts in rows), len(rows) > 1)} [in Adams {notation}]"
        )
    return lines


def redundancy_said(system: System, report: RankReport | None) -> list[str]:
    """What a run says of redundant constraints: a message for each of a few joints, or one for all."""
    lines = redundancy_by_joint(system, report)
    if len(lines) <= NAMED or report is None:
        return lines
    owners = Counter(_owner(system, row) for row in report.dropped)
    shown = ", ".join(f"{name} ({n})" for name, n in owners.most_common(NAMED))
    return [
        f"{len(report.dropped)} of {system.m} equations, of {len(owners)} constraints, repeat others: {shown} and "
        f"{len(owners) - NAMED} more "
        "(run.info['redundant'] and the check of the model list them)"
    ]


def _redundant(system: System, report: RankReport | None) -> Iterator[tuple[int, list[str], Any]]:
    """Redundant rows, names of what each repeats next to its own element, and the rows that make it up."""
    for row, parts in zip(report.dropped, report.combinations) if report is not None else ():
        own = _owner(system, row)
        yield row, [name for name in dict.fromkeys(_owner(system, r) for r, _ in parts) if name != own], parts


def _owner(system: System, row: int) -> str:
    return system.row_words(row).split(":")[0]


def _repeated(names: list[str], parts: bool, many: bool = False) -> str:
    s = "" if many else "s"
    return (
        f"repeat{s} {_and(names)}"
        if names
        else f"repeat{s} its own equations"
        if parts
        else f"constrain{s} nothing that can move"
    )


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]

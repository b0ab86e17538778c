"""Positions of a mechanism at which its constraints lose rank: where it locks, where it may continue in more than one
way, and joints that open.

Rows are compared as geometry: with g their gradients, P the metric of sizes (`elements.bodies.rigid.Bodies`),

    N = diag(1/|g|_P) G P^(1/2) = U diag(s) V^T,      n = U[:, k], z = V[:, k],

k the last singular value that is not zero for good (rows that repeat others everywhere).  Along a smooth motion s_k =
n^T N z passes through zero with n and z continuous, so between two near positions it has changed its sign where (n .
n')(z . z') < 0, though each singular value decomposition makes it positive (analytic singular values: Bunse-Gerstner,
Byers, Mehrmann, Nichols, Numer. Math. 60 (1991) 1; detection of branches by a change of sign: Allgower, Georg,
Introduction to Numerical Continuation Methods (2003), ch. 8).  At such a position velocities need n^T (G u + phit) = 0:
a motion with n^T phit not zero cannot be followed, the mechanism locks; else it branches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._warnings import WarningText
from ...elements.bodies import layout
from ...elements.bodies.coordinates import moved
from ...elements.bodies.mass import movable, on_carriers
from ...integrators.entry import CONSTRAINTS, CORRECT, enter, explicit_handle
from ...integrators.stepper import IntegrationError
from ...system.kernels import TREE
from .advice import driven, try_
from .jumps import jumping_motions
from .parallelism import unparallel

MOST = 300  # rows of a system whose singular values are checked
ZERO = 1e-6  # singular value of a row that repeats others
NEAR = 3e-2  # singular value of a position that explains why a run cannot continue
WAY, RISE, MOST_WAYS = 0.1, 1.5, 6  # next to a singular position NEAR doubles along a move of WAY of the bodies' size
BRANCH = 1e-5  # singular value at which a motion has passed a position where it may continue in several ways
GATE = 0.05  # smallest pivot, as a share of its largest so far, of a position at which it is worth to look
LOCKS = 1e-3  # velocity that a motion requires along a lost direction, as a share of all that motions require
TOLD = 10  # messages of each kind
CLOSED, OPENED = (
    1e-7,
    1e-5,
)  # gaps in units of the model's extent: above the first an output is closed better, above the second it is not given
ROUNDOFF = 1e-12  # and in units of the largest coordinate


class Position(NamedTuple):
    """A state with its smallest singular value and the vectors of it."""

    t: float
    y: np.ndarray
    value: float
    n: np.ndarray
    z: np.ndarray
    values: np.ndarray


def tolerance(system: Any, y: np.ndarray, share: float = OPENED) -> float:
    """Gap of a joint, in units of length, that counts as closed."""
    far = float(np.abs(layout.places(y, system.nb)).max(initial=0.0))
    return share * system.extent + ROUNDOFF * far


def gaps(system: Any) -> np.ndarray:
    """Gap of each row (m,) at the last evaluation as `kernels.find_gap` has it; zero for rows of velocities and of
    contacts."""
    S, rw, joints = system.S, system.W.rw, system.constraints[-1].rows.stop if system.constraints else 0
    square = (rw.G[:-1] ** 2 * S.bodies.metric[system.slot_body[:-1]]).sum(axis=1)
    size = np.sqrt(np.bincount(system.slot_row[:-1], square, minlength=system.m))
    out = np.abs(rw.phi) / np.where(size > 0.0, size, 1.0)
    out[(size == 0.0) | (np.asarray(S.rows.level) != 0)] = 0.0
    out[joints:] = 0.0
    return out


def check(system: Any, t: float, y: np.ndarray) -> None:
    """Raise IntegrationError when a joint is open at the last evaluation, which was at (t, y)."""
    limit = tolerance(system, y)
    if system.W.gap[0] <= limit:
        return
    found = gaps(system)
    r = int(np.argmax(np.where(np.isfinite(found), found, np.inf)))
    if found[r] <= limit:
        return
    raise opened(system, t, y, r, float(found[r]))


def opened(system: Any, t: float, y: np.ndarray, r: int, gap: float) -> IntegrationError:
    """The error of row ``r`` that is open by ``gap`` (length)."""
    unit = system.model.units.symbol("length")
    joint = system.row_words(r).split(":")[0]
    why = explanation(system, t, y)
    return IntegrationError(
        f"{joint} is open by {gap:.3g} {unit} at time {t:.9g} ({system.row_words(r)}); {why + '; ' if why else ''}the "
        "results before are kept; "
        + try_(
            "motions that require less where the mechanism cannot follow them" if driven(system.model) else "",
            "a smaller ERROR or HMAX",
            f"joints {'and motions ' if driven(system.model) else ''}that do not contradict each other",
        ),
        t,
        equation=system.row_words(r),
    )


def _scaled(system: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """N of the last evaluation, its rows, and their lengths; in the plane of a planar mechanism."""
    plane = system.workspace.plane
    S = plane.S if plane else system.S
    rows = np.asarray(S.rows.on, np.int64)
    rows = rows[S.rows.compliance[rows] == 0.0]
    weight = np.sqrt(S.bodies.metric * movable(S.bodies))
    N = np.zeros((system.m, system.bodies.moves))
    columns = layout.columns(system.slot_body[:-1])
    np.add.at(N, (system.slot_row[:-1, None], columns), system.W.rw.G[:-1])
    N = on_carriers(S.bodies, N) * weight.ravel()
    N = N[rows][:, weight.ravel() > 0.0]
    size = np.sqrt((N * N).sum(axis=1))
    N /= np.where(size > 0.0, size, 1.0)[:, None]
    return N, rows, size


def constraints_at(system: Any, t: float, y: np.ndarray) -> None:
    """Frames, rows and W.gap of the whole system at (t, y); nothing is accepted."""
    enter(explicit_handle(system), CONSTRAINTS, y, t, 0.0, 1e-8, 0, system.workspace.stages.d)


def close(system: Any, t: float, y: np.ndarray, most: int = 12, handle: Any = None) -> float:
    """Newton's method for positions at time t, which moves y; returns the gap that is left.

    ``handle``: tables with other weights than the masses (`integrators.entry.weighted_handle`)."""
    handle, d = explicit_handle(system) if handle is None else handle, np.zeros(system.bodies.moves)
    aim = 1e-12 * system.extent + 1e-15 * float(np.abs(layout.places(y, system.nb)).max(initial=0.0))
    for _ in range(most):
        enter(handle, CONSTRAINTS, y, t, 0.0, 1e-8, 0, d)
        if not system.W.gap[0] > aim:
            break
        enter(handle, CORRECT, y, t, 0.0, 1e-8, 0, d)
        moved(system.bodies, y, d)
    enter(handle, CONSTRAINTS, y, t, 0.0, 1e-8, 0, d)
    return float(system.W.gap[0])


def explanation(system: Any, t: float, y: np.ndarray) -> str:
    """As text, why a run cannot continue at (t, y): axes out of parallel, motions whose speed jumps, what locks, what
    branches; empty where the position is regular."""
    return unparallel(system, y) or jumping_motions(system, t) or _cause(system, t, y)[1]


def locked(system: Any, t: float, y: np.ndarray) -> bool:
    """Is (t, y) a position where motions require what the mechanism cannot do?"""
    return _cause(system, t, y)[0]


def _cause(system: Any, t: float, y: np.ndarray) -> tuple[bool, str]:
    if not system.m or system.m > MOST or not np.isfinite(y).all():
        return False, ""
    constraints_at(system, t, y)
    N, rows, size = _scaled(system)
    if not np.isfinite(N).all():
        return False, ""
    U, s, _ = np.linalg.svd(N)
    s = np.concatenate([s, np.zeros(len(rows) - len(s))])
    asked = np.where(size > 0.0, system.W.rw.phit[rows] / np.where(size > 0.0, size, 1.0), 0.0)
    motions = np.array([system.rows[r].motion >= 0 for r in rows])
    near = U[:, s < NEAR]
    if not near.shape[1]:
        return False, ""
    share = near @ (near.T @ np.where(motions, asked, 0.0))
    if np.linalg.norm(share) > LOCKS * np.linalg.norm(asked) > 0.0:
        names = _names(system, rows, np.where(motions, np.abs(share), 0.0))
        return True, f"the mechanism locks there: it cannot follow {names} any further"
    if (s > ZERO).sum() == (s >= NEAR).sum():  # only rows that repeat others everywhere
        return False, ""
    if not _approached(system, t, y, motions, s):
        return False, ""
    worst = U[:, int((s > ZERO).sum()) - 1]
    return (
        False,
        f"the mechanism is near a singular configuration: {_names(system, rows, np.abs(worst))} constrain "
        "the same motion",
    )


def _approached(system: Any, t: float, y: np.ndarray, motions: np.ndarray, values: np.ndarray) -> bool:
    """Whether the smallest singular value that is not zero rises on the ways that the joints leave, as next to a
    singular position.  Where it stays, the lengths of the mechanism make it small everywhere."""
    k = int((values > ZERO).sum()) - 1
    constraints_at(system, t, y)
    N, _, _ = _scaled(system)
    _, s, V = np.linalg.svd(N[~motions])
    weight = np.sqrt(system.S.bodies.metric * movable(system.S.bodies)).ravel()
    free = V[int((s > ZERO).sum()) :][:MOST_WAYS]
    for way in (*free, *-free):
        d, z = np.zeros(system.bodies.moves), y.copy()
        d[: len(weight)][weight > 0.0] = WAY * way * weight[weight > 0.0]
        moved(system.bodies, z, d)
        constraints_at(system, t, z)
        other = np.linalg.svd(_scaled(system)[0], compute_uv=False)
        if len(other) > k and other[k] > RISE * values[k]:
            constraints_at(system, t, y)
            return True
    constraints_at(system, t, y)
    return False


def _names(system: Any, rows: np.ndarray, weight: np.ndarray, most: int = 4) -> str:
    """Names of the elements whose rows have the largest weights."""
    names: list[str] = []
    for k in np.argsort(-weight, kind="stable"):
        if weight[k] < 0.1 * weight.max():
            break
        name = system.row_words(int(rows[k])).split(":")[0]
        if name not in names:
            names.append(name)
    text = names[:most]
    return ", ".join(text) + (" and others" if len(names) > most else "")


class Watch:
    """Follows the steps of an analysis: gives rows that are left out or taken back, and singular positions that are
    passed."""

    def __init__(self, system: Any, say: Any):
        self.system, self.say = system, say
        self.on = bool(system.m) and system.S.rule != TREE
        self.m = system.m
        self.counts = {"rows": 0, "positions": 0}
        self.reported: set = set()
        self.rank = self.size = 0
        self.begin()

    def begin(self) -> None:
        """Another system, or a jump of the state."""
        self.open: tuple[float, np.ndarray] | None = None
        self.last: list[tuple[float, np.ndarray, float]] = []
        self.largest = 0.0
        self._skip: bytes | None = None
        self._dropped: set[int] = set()

    def _say_once(self, kind: str, text: str) -> None:
        self.counts[kind] += 1
        if self.counts[kind] <= TOLD:
            self.say(
                type(text)(
                    text + ("; further messages of this type are suppressed" if self.counts[kind] == TOLD else "")
                )
            )

    def step(self, stepper: Any, t: float, y: np.ndarray) -> None:
        """After an accepted step of ``stepper`` to (t, y), None where the tables of the system have been settled there.
        Raises IntegrationError when a row was left out and a joint opened by it."""
        if not self.on or self.system.m != self.m:  # rows of contacts come and go
            return
        S, W = (self.system.S, self.system.W) if stepper is None else stepper.tables
        skip = W.skip.tobytes()
        if skip != self._skip:
            self._rows(S, W, t, y, self._skip is None)
            self._skip = skip
        ratio = float(W.gap[3]) if stepper is None else stepper.pivot_ratio
        self.largest = max(self.largest, ratio)
        last = self.last
        last.append((t, y.copy(), ratio))
        if len(last) == 3:
            if (
                last[1][2] <= last[0][2]
                and last[1][2] <= last[2][2]
                and last[1][2] < GATE * self.largest
                and self.system.m <= MOST
            ):
                a, b, c = (self.position(t, y) for t, y, _ in last)
                for p, q in ((a, b), (b, c)):
                    self.between(p, q)
                    if self.open is not None:
                        raise self.locks(*self.open)
            del last[0]

    def _rows(self, S: Any, W: Any, t: float, y: np.ndarray, first: bool) -> None:
        """Other rows than before are left out."""
        out = np.zeros(self.system.m, bool)
        on = np.asarray(S.rows.on, np.int64)
        out[on] = W.skip[np.asarray(S.ldl.place, np.int64)[on]] != 0
        now = set(np.flatnonzero(out).tolist())
        gone, back = now - self._dropped, self._dropped - now
        fewer = len(now) - len(self._dropped)
        self._dropped = now
        if first:
            return
        words = lambda some: (
            ", ".join(self.system.row_words(r) for r in sorted(some)[:4]) + (" and others" if len(some) > 4 else "")
        )
        if gone and not {("gone", r) for r in gone} <= self.reported:
            self.reported |= {("gone", r) for r in gone}
            singular = (
                ": the position is singular, and how the mechanism continues from it is not unique" if fewer > 0 else ""
            )
            self._say_once(
                "rows",
                WarningText(
                    f"at time {t:.6g} {words(gone)} repeats what other constraints hold and is left out from here "
                    f"on{singular}"
                )
                if fewer > 0 or not back
                else f"at time {t:.6g} {words(gone)} is left out in place of {words(back)}: one repeats the other",
            )
        if back and not {("back", r) for r in back} <= self.reported:
            self.reported |= {("back", r) for r in back}
            singular = (
                ": the position before was singular, and how the mechanism continues from such a position is not unique"
                if fewer < 0
                else ""
            )
            self._say_once(
                "rows", f"at time {t:.6g} {words(back)} no longer repeats other constraints and holds again{singular}"
            )
        constraints_at(self.system, t, y)
        check(self.system, t, y)

    # ---- singular positions ------------------------------------------------------------------------------------------
    def position(self, t: float, y: np.ndarray) -> Position:
        """Smallest singular value at (t, y), a closed position."""
        constraints_at(self.system, t, y)
        N, *_ = _scaled(self.system)
        U, s, V = np.linalg.svd(N, full_matrices=False)
        if len(s) != self.size:  # an integrator that is new has found that the mechanism moves in a plane
            self.rank, self.size = 0, len(s)
        self.rank = max(self.rank, int((s > ZERO).sum()))
        k = max(self.rank - 1, 0)
        return Position(t, y, float(s[k]), U[:, k], V[k], s)

    def between(self, a: Position, b: Position) -> float | None:
        """Time of a singular position between two near ones, which is reported; None where there is none.

        Where the mechanism cannot be closed on the way it locks: ``open`` is then the last time at which it can, with
        its state.
        """
        self.open = None
        if not _turned(a, b):
            return None
        for _ in range(40):
            if min(a.value, b.value) < BRANCH or b.t - a.t <= 1e-14 * abs(b.t):
                break
            x = min(max(a.value / (a.value + b.value), 0.1), 0.9)
            middle = self._middle(a, b, x)
            if middle is None:
                self.open = self._edge(a, b, x)
                return self.open[0]
            if middle.value < BRANCH:  # there its vectors are any
                a = middle
                break
            if _turned(a, middle):
                b = middle
            elif _turned(middle, b):
                a = middle
            else:  # the vectors turn without a zero of the value
                return None
        best = a if a.value < b.value else b
        if best.value > 10.0 * BRANCH:
            return None
        self.tell(best)
        return best.t

    def locks(self, t: float, y: np.ndarray) -> IntegrationError:
        """The error of a mechanism that cannot be closed after (t, y)."""
        why = explanation(self.system, t, y) or "the mechanism cannot be closed after it"
        moves = driven(self.system.model)
        ways = try_(
            "motions that require less" if moves else "",
            "other lengths of its parts",
            "forces in place of motions"
            if moves
            else "axes of joints that are parallel where the mechanism needs them to be",
            "a smaller HMAX",
        )
        return IntegrationError(
            f"a step has passed a position at time {t:.9g} that cannot be passed: {why}; the results before are kept; "
            f"{ways}",
            t,
        )

    def tell(self, at: Position) -> None:
        """A position where the motion may continue in several ways."""
        constraints_at(self.system, at.t, at.y)
        _, rows, _ = _scaled(self.system)
        names = _names(self.system, rows, np.abs(at.n))
        self._say_once(
            "positions",
            WarningText(
                f"at time {at.t:.6g} the mechanism passes a singular position, in which {names} constrain the "
                "same motion: "
                "how it continues is not "
                "unique there; it continues along the smooth continuation of what was before"
            ),
        )

    def _edge(self, a: Position, b: Position, x: float) -> tuple[float, np.ndarray]:
        """The last position after ``a`` that can be closed, when that at a fraction x of the way to ``b`` cannot."""
        low, best = 0.0, a
        while x - low > 1e-9:
            y = 0.5 * (low + x)
            middle = self._middle(a, b, y)
            if middle is None:
                x = y
            else:
                low, best = y, middle
        return best.t, best.y

    def _middle(self, a: Position, b: Position, x: float) -> Position | None:
        """The closed position at a fraction x of the way."""
        t = a.t + x * (b.t - a.t)
        y = a.y.copy()
        n = self.system.nb
        p, q, r = (layout.rows(v, n) for v in (a.y, b.y, y))
        sign = np.where((p[:, layout.QUATERNION] * q[:, layout.QUATERNION]).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        r[:, :3] = p[:, :3] + x * (q[:, :3] - p[:, :3])
        r[:, layout.QUATERNION] = p[:, layout.QUATERNION] + x * (
            sign * q[:, layout.QUATERNION] - p[:, layout.QUATERNION]
        )
        r[:, layout.QUATERNION] /= np.linalg.norm(r[:, layout.QUATERNION], axis=1, keepdims=True)
        if not close(self.system, t, y) <= tolerance(self.system, y):
            return None
        return self.position(t, y)


def _turned(a: Position, b: Position) -> bool:
    """Has the smallest singular value changed its sign from a to b, as far as its vectors can be followed?"""
    n, z = float(a.n @ b.n), float(a.z @ b.z)
    return n * z < 0.0 and min(abs(n), abs(z)) > 0.3

"""Shapes that overlap when an analysis starts: said with depth and names, or (``initial = "resolve"``) moved apart.

Parts are moved along the normals as little as their masses weigh: each pair in turn by d = M^-1 J^T depth / (J M^-1
J^T), J the row of the normal at the deepest point, then all onto the constraints, until no gap is negative (projection
as in M. Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235, without friction and at rest).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...contact.event_functions import EVENT_DATA, IMPACT, PAIR_DATA, event_function, impact
from ...contact.shape_kinds import ROWS
from ...contact.tables import C_STORED
from ...elements.bodies import layout
from ...elements.bodies.mass import mobility
from ...elements.bodies.motion_bounds import BOUNDS
from ...elements.bodies.rigid import move
from ...integrators.entry import project_state
from ...model import ModelError
from ...model.shape_kinds import shape_kind

SWEEPS = 200
SHOWN = 5  # pairs named in a message
LEFT = 1e-9  # gap left between them, of the size of the shapes
NONE = 1e-11  # of that size: a depth that is none
ROUNDING = 1e-14  # of how far the parts are from the origin: rounding of their positions


def overlaps(system: Any, t: float, y: np.ndarray, depth: float = 0.0) -> list[tuple[int, float]]:
    """(near pair, depth) of all pairs that overlap by more than ``depth`` at (t, y), deepest first."""
    c = system.contacts
    n = _look(c, t, y)
    gap = c.W.gap[:n]
    return [(int(k), float(-gap[k])) for k in np.argsort(gap, kind="stable") if gap[k] < -depth]


def rounding(system: Any, y: np.ndarray) -> float:
    """The depth up to which an overlap is no more than rounding of positions and sizes."""
    far = float(np.abs(layout.places(y, system.nb)).max(initial=0.0))
    return NONE * system.contacts._size() + ROUNDING * max(far, float(system.extent))


def _look(c: Any, t: float, y: np.ndarray) -> int:
    R = c._R
    c.place(y)
    still = np.zeros((len(R), BOUNDS))
    return event_function(
        c.handle.address,
        t,
        y,
        R,
        0.0,
        still,
        0.0,
        (np.zeros(0, np.int64), np.zeros(0), 0),
        0.0,
        np.zeros((0, PAIR_DATA)),
        np.zeros(EVENT_DATA),
    )


# ---- shapes so deep inside each other that their kernel sees nothing -------------------------------------------------
WITNESSES = 60  # corners of a mesh that are tried
WORK = 20_000_000  # corners times triangles, of all pairs: some seconds
SURE = 5.0  # deviations of the meshes that represent shapes, and
DEEP = 0.01  # of the smaller size: what lies deeper is inside


def buried(system: Any) -> tuple[list[int], int]:
    """Near pairs (of the last `_look`) of which no contact is seen although corners of one lie inside the other, and
    how many were not checked because `WORK` was done.

    Kernels of shapes that are not convex go from feature to feature and see nothing where one is deep inside the
    other."""
    from ...contact.shapes.stand_in import hollow, mesh

    c = system.contacts
    sh = c.S.sh
    place = lambda s: (sh.fr.p[sh.frame[s]], sh.fr.A[sh.frame[s]].reshape(3, 3))
    meshes: dict[int, Any] = {}

    def corners(s: int) -> Any:
        if s not in meshes:
            try:
                meshes[s] = mesh(c.solids[s], 100.0)
            except ModelError:
                meshes[s] = None
        return meshes[s]

    out: list[int] = []
    left, missed = WORK, 0
    for k in np.flatnonzero(c.W.gap[: c.near.shape[0]] > 0.0):
        a, b = (int(v) for v in c.near[k, 1:3])
        if max(a, b) >= len(c.solids):
            continue
        kinds = c.solids[a].kind, c.solids[b].kind
        if not all(shape_kind(kind).body for kind in kinds) or all(ROWS[kind].core for kind in kinds):
            continue
        (p, A), (q, B) = place(a), place(b)
        apart = np.abs(p + A @ sh.centre[a] - q - B @ sh.centre[b]) - np.abs(A) @ sh.half[a] - np.abs(B) @ sh.half[b]
        if not (apart < 0.0).all() or hollow(c.solids[a]) or hollow(c.solids[b]):
            continue
        if left < 0:
            missed += 1
            continue
        first, second = corners(a), corners(b)
        if first is None or second is None:
            continue
        size = min(float(sh.half[a].min()), float(sh.half[b].min()))
        least = max(SURE * (first[2] + second[2]), DEEP * size)
        for (points, _, _), here, (other, triangles, _), there in (
            (first, (p, A), second, (q, B)),
            (second, (q, B), first, (p, A)),
        ):
            some = (points[:: max(1, len(points) // WITNESSES)] @ here[1].T + here[0] - there[0]) @ there[1]
            some = some[((some > other.min(axis=0)) & (some < other.max(axis=0))).all(axis=1)]
            left -= len(some) * len(triangles)
            if _deepest(some, other, triangles) > least:
                out.append(int(k))
                break
    return out, missed


def _deepest(points: np.ndarray, corners: np.ndarray, triangles: np.ndarray) -> float:
    """How deep the deepest of some points lies inside a closed mesh, from below; 0 where none does.

    In NumPy: `measure.signed_distances` would compile a kernel at the start of runs that never need it.  Inside: a
    solid angle of 4 pi (A. Van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125)."""
    best = 0.0
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    for x in points:
        u, v, w = a - x, b - x, c - x
        lu, lv, lw = (np.linalg.norm(e, axis=1) for e in (u, v, w))
        top = np.einsum("ij,ij->i", u, np.cross(v, w))
        bottom = (
            lu * lv * lw
            + np.einsum("ij,ij->i", u, v) * lw
            + np.einsum("ij,ij->i", v, w) * lu
            + np.einsum("ij,ij->i", w, u) * lv
        )
        if abs(2.0 * np.arctan2(top, bottom).sum()) < 2.0 * np.pi:
            continue
        # the nearest face, from below: its plane, and how far its corners are next to the foot
        height = np.abs(np.einsum("ij,ij->i", u, normal))
        reach = np.sqrt(np.maximum(np.minimum(np.minimum(lu, lv), lw) ** 2 - height**2, 0.0))
        side = np.maximum.reduce([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)])
        best = max(best, float(np.hypot(height, np.maximum(reach - side, 0.0)).min()))
    return best


def words(system: Any, pairs: list[tuple[int, float]]) -> str:
    """The pairs with the names of contact and parts, in model units."""
    c = system.contacts
    units = system.model.units
    out = []
    for k, depth in pairs[:SHOWN]:
        contact, a, b = (int(v) for v in c.W.near[k, :3])
        i, j = (c.body_name(s) for s in (a, b))
        out.append(f"{i} and {j} ({c.elements[contact].label}) by {depth:.4g} {units.symbol('length')}")
    more = f", and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
    return ", ".join(out) + more


def settle_overlaps(system: Any, t: float, y: np.ndarray, say: Any, woken: set[int] | None = None) -> None:
    """Report the overlaps at the start, and move apart what requires it (``y`` changes): of all contacts, or of those
    ``woken`` (ids) that are switched on in the middle of a simulation.  Raises ModelError when that fails."""
    c = system.contacts
    if not c.on or (woken is not None and not woken):
        return
    mine = lambda pairs: [p for p in pairs if woken is None or c.elements[int(c.W.near[p[0], 0])].id in woken]
    none = rounding(system, y)
    found = mine(overlaps(system, t, y, none))
    inside, missed = buried(system)
    lost = mine([(k, 0.0) for k in inside])
    if missed and woken is None:
        say(
            WarningText(
                f"{missed} pairs of shapes that may start deep inside each other were not checked: their meshes are "
                "too fine for it"
            )
        )
    if lost:
        names = ", ".join(f"{c.pair_names(k)} ({c.elements[int(c.W.near[k, 0])].label})" for k, _ in lost[:SHOWN])
        say(
            WarningText(
                f"at time {t:.6g} shapes are so deep inside each other that their contact is not detected: "
                f"{names}; they "
                "will pass through each other until "
                "they have parted; move the parts in the model"
            )
        )
    if not found:
        return
    asks = [c.elements[int(c.W.near[k, 0])].initial == "resolve" for k, _ in found]
    stay = [p for p, asked in zip(found, asks) if not asked]
    first = words(system, [p for p, asked in zip(found, asks) if asked])
    if stay and woken is None:
        stored = 0.0 if getattr(system, "rigid", False) else float(c.sum(t, y)[:, C_STORED].sum())
        energy = (
            f"; their contacts begin with {stored:.4g} {system.model.units.symbol('energy')} of energy"
            if stored > 0.0
            else ""
        )
        say(WarningText(f"at time {t:.6g} shapes overlap at the start: {words(system, stay)}{energy}"))
    elif stay:
        text = words(system, stay)
        stored = c.sum(t, y)[:, C_STORED]
        kept = sum(float(x) for e, x in zip(c.elements, stored) if woken is None or e.id in woken)
        say(
            WarningText(
                f"at time {t:.6g} contacts are switched on whose shapes overlap: {text}; the energy "
                f"{kept:.4g} {system.model.units.symbol('energy')} that they store comes in at once"
            )
        )
    if not any(asks):
        return
    left = LEFT * c._size()
    out = np.zeros(IMPACT)
    d = np.zeros(system.bodies.moves)
    inverse = mobility(system.bodies)
    for _ in range(SWEEPS):
        todo = [
            p for p in mine(overlaps(system, t, y, none)) if c.elements[int(c.W.near[p[0], 0])].initial == "resolve"
        ]
        if not todo:
            say(WarningText(f"at time {t:.6g} shapes that overlap are moved apart: {first}"))
            return
        keys = [int(c.W.key[k]) for k, _ in todo]
        for key in keys:
            n = _look(c, t, y)
            k = int(np.searchsorted(c.W.key[:n], key))
            if k >= n or c.W.key[k] != key:
                continue
            impact(c.handle.address, k, c._R, y, out)
            if not out[10] < 0.0 or not out[0] > 0.0:
                continue
            push = (left - out[10]) * out[0]
            normal, point = out[4:7], out[7:10]
            d[:] = 0.0
            for shape, sign in ((int(c.W.near[k, 1]), 1.0), (int(c.W.near[k, 2]), -1.0)):
                b = int(c.body[shape])
                if b == system.nb:
                    continue
                arm = np.cross(point - layout.body(y, b)[layout.PLACE], normal)
                own = layout.move(d, b)
                own[layout.TRAVEL] += sign * push * inverse[b, layout.TRAVEL] * normal
                own[layout.TURN] += sign * push * inverse[b, layout.TURN] * (c._R[b].reshape(3, 3).T @ arm)
            move(system.nb, y, d)
        if system.m:
            project_state(system, y, t, 3)
    rest = mine(overlaps(system, t, y, none))
    if not rest:
        return
    raise ModelError(
        f"shapes that overlap at time {t:.6g} cannot be moved apart as the joints and their neighbours stand: "
        f"{words(system, rest)}; "
        "move the parts in the model, or set INITIAL = report to begin with the overlap"
    )

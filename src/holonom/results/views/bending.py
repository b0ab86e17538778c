"""How far parts bent in a run, compared with their size: modes are for small deformations."""

from __future__ import annotations

from typing import Any

import numpy as np

# displacement compared with the largest distance of two nodes, up to which linear modes are a model of the body
SMALL = 0.05

# rad between the ends of an element of a cable; rolled into half a circle, its moments are then 3 % off (0.7 % at half
# of it)
FOLDED = 0.8
SLOW = 0.1  # spin compared with the first frequency up to which what it does to modes, its square, is small


def bending(run: Any, flexibility: Any) -> tuple[float, float, int]:
    """Of a FLEXIBILITY: largest displacement of a node in the floating frame as a share of the size of the part, its
    time, and the node.

    ``run``: a `Run` with the states of its modes.  Raises `ModelError` where it has none.
    """
    state = run.state(f"FLEXIBILITY_{flexibility.id}").values
    size = float(np.linalg.norm(np.ptp(flexibility.points, axis=0)))
    shapes = flexibility.body.shapes[:, :3]
    way = [np.linalg.norm(state[:, ::2] @ shape.T, axis=1).max(initial=0.0) for shape in shapes]
    node = int(np.argmax(way))
    when = int(np.linalg.norm(state[:, ::2] @ shapes[node].T, axis=1).argmax())
    return float(way[node]) / size, float(np.asarray(run.time)[when]), int(flexibility.nodes[node])


def small_deformation_warnings(run: Any) -> list[str]:
    """One message for each part that left the range of small deformations."""
    out = []
    for e in run.model.table("FLEXIBILITY").values():
        if (
            not e.active
            or not len(np.asarray(run.time))
            or f"FLEXIBILITY_{e.id}" not in {n.split("[")[0] for n in run.states}
        ):
            continue
        out += _spinning(run, e)
        share, time, node = bending(run, e)
        if share > SMALL:
            out.append(
                f"{e.label} deflects by {100 * share:.0f} % of its size at time {time:.6g} (node {node}); modes are "
                f"for "
                "small deformations, to about "
                f"{100 * SMALL:.0f} %: what is computed beyond is a linear body's"
            )
    return out


def folded(run: Any) -> list[str]:
    """One message for each cable in absolute coordinates that turned so far within one of its elements that they are
    too long for its shape."""
    from .mesh import recorded

    out = []
    for view in recorded(run):
        e = view.element
        if not view.is_cable or not len(view._q):
            continue
        slope = view._q.reshape(len(view._q), e.nodes, 2, 3)[:, :, 1]
        slope = slope / np.maximum(np.linalg.norm(slope, axis=2, keepdims=True), 1e-300)
        cosine = np.einsum("teak,teak->te", *(slope[:, view.cells[:, [k]]] for k in (0, 1)))
        turn = np.arccos(np.clip(cosine, -1.0, 1.0))
        k, cell = np.unravel_index(int(np.nanargmax(turn)), turn.shape)
        if turn[k, cell] > FOLDED:
            out.append(
                f"{e.label} turns by {turn[k, cell]:.2g} rad within its element {cell + 1} at time "
                f"{float(run.time[k]):.6g}; from about {FOLDED:g} on moments there are "
                "off by some percent, and peak forces of a cable that is folded double by a fifth and more: give it "
                "more elements"
            )
    return out


def _spinning(run: Any, e: Any) -> list[str]:
    """A message for a body whose modes give no centrifugal and Coriolis forces (a superelement), where it spins so
    fast that they count."""
    body = e.body
    if body.S[1:].any() or body.H.any():
        return []
    spin = np.linalg.norm(run.part(run.model.parts[e.part].name).angular_velocity.values, axis=1)
    share = float(spin.max(initial=0.0) / body.frequency[0])
    if not share > SLOW:
        return []
    return [
        f"{e.label} spins with {100 * share:.0f} % of its first frequency at time "
        f"{float(np.asarray(run.time)[int(spin.argmax())]):.6g}; its matrices do not give "
        f"centrifugal and Coriolis forces on its modes, which count from about {100 * SLOW:.0f} %: reduce its mesh "
        "here instead (holonom.flexible.reduce)"
    ]

"""Limits of joint coordinates by the stops of a model."""

from __future__ import annotations

import numpy as np

from .kinematics import JointKinematics


def stop_limits(joints: JointKinematics) -> dict[str, tuple[float, float]]:
    """Limits of coordinates by the stops of the model (``lower``, ``upper`` of joints, `Model.stop`)."""
    model, first = joints.model, joints._tree.first
    own: dict[int, range] = {
        link.element.id: range(first[i], first[i + 1])
        for i, link in enumerate(joints.links)
        if link.element is not None and link.element.KIND == "JOINT"
    }
    out: dict[str, tuple[float, float]] = {}
    for switch in model.table("SWITCH").values():
        for motion in model.table("MOTION").values():
            side = motion.name[len(switch.name) :] if motion.name.startswith(f"{switch.name}.") else ""
            turns = motion.kind == "ROTATIONAL"
            stopped = [k for k in own.get(motion.joint, ()) if bool(joints.turns[k]) == turns]
            if side not in (".low", ".high") or len(stopped) != 1 or not switch.active:
                continue
            name = joints.freedoms[stopped[0]]
            low, high = out.get(name, (-np.inf, np.inf))
            value = float(motion.function)
            out[name] = (max(low, value), high) if side == ".low" else (low, min(high, value))
    return out

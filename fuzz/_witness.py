"""MuJoCo as an outside witness of distances between two convex shapes: it shares no code with Holonom.

Only its geometry is asked, at the poses that a run of Holonom returns: `mj_geomDistance`, by its own GJK and EPA
(MuJoCo 4.0).  MuJoCo is optional
(``pip install mujoco``); without it nothing is witnessed, which `missing` says.
"""

from __future__ import annotations

import numpy as np

from ._solids import PRISM, Solid

try:
    import mujoco
except ImportError:
    mujoco = None

FAR = 1e3  # of the larger shape: distances are measured up to there


def missing() -> str:
    """Why nothing is witnessed; empty where MuJoCo is installed."""
    return (
        "" if mujoco is not None else "MuJoCo is not installed (pip install mujoco): distances have no outside witness"
    )


def _geom(solid: Solid, name: str, assets: list[str]) -> str:
    d = solid.data
    join = lambda values: " ".join(f"{float(x):.17g}" for x in values)
    if solid.kind == "HULL":
        assets.append(f'<mesh name="{name}" vertex="{join(np.asarray(d, float).ravel())}"/>')
        return f'<geom name="{name}" type="mesh" mesh="{name}"/>'
    kind = "box" if solid.kind == PRISM else solid.kind.lower()
    return f'<geom name="{name}" type="{kind}" size="{join(d)}"/>'


def convex(solid: Solid) -> bool:
    """Can MuJoCo draw this shape as it is?"""
    return solid.kind in ("SPHERE", "BOX", "CAPSULE", "CYLINDER", "ELLIPSOID", "HULL", PRISM)


class Witness:
    """Distances of a body from a fixed shape whose origin is at ``at`` (3)."""

    def __init__(self, body: Solid, fixed: Solid, at):
        assets: list[str] = []
        geoms = _geom(body, "body", assets), _geom(fixed, "fixed", assets)
        place = " ".join(f"{float(x):.17g}" for x in at)
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><asset>{"".join(assets)}</asset><worldbody><body pos="{place}">{geoms[1]}</body>'
            '<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 '
            f'1"/>{geoms[0]}</body></worldbody></mujoco>'
        )
        self.data = mujoco.MjData(self.model)
        self.pair = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in ("body", "fixed")]
        self.far = FAR * max(body.radius, fixed.radius)

    def gaps(self, positions: np.ndarray, quaternions: np.ndarray) -> np.ndarray:
        """Signed distances (n,) at positions (n, 3) and quaternions (n, 4), w first; negative where the shapes
        overlap."""
        out, line = np.empty(len(positions)), np.zeros(6)
        for k, (x, q) in enumerate(zip(positions, quaternions)):
            self.data.qpos[:3], self.data.qpos[3:] = x, q
            mujoco.mj_kinematics(self.model, self.data)
            out[k] = mujoco.mj_geomDistance(self.model, self.data, *self.pair, self.far, line)
        return out

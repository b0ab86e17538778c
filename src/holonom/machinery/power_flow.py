"""Efficiency of planetary sets from that of their meshes (Willis; H. W. Mueller, Die Umlaufgetriebe (1998); VDI 2157),
and runs next to it.

With i0 = (w_s - w_c)/(w_r - w_c) = -z_r/z_s and the efficiency eta0 of the set with its carrier held, what the sun puts
into the rolling of the teeth (seen from the carrier) comes out at the ring times eta0, or the other way round:

    T_r = -i0 eta0^w T_s,      w = sign T_s (w_s - w_c),      T_c = -T_s - T_r,      eta = -T_out w_out / (T_in w_in)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..analyses.session.simulate import simulate
from ..model.base import ModelError, shown
from .gear_mesh import GearPair, MeshTable
from .gear_train import planetary_set, willis

MEMBERS = ("sun", "ring", "carrier")
ARRANGEMENTS = tuple((held, driven) for held in ("ring", "carrier", "sun") for driven in MEMBERS if driven != held)


def mesh_loss(pair: GearPair, mesh: MeshTable, friction: float) -> float:
    """Share of its power that a pair loses whose ``mesh`` is that of its load: friction times sliding, by the shares of
    load of the teeth that bear."""
    arms = mesh.sliding
    return float(friction * abs((arms[0] / pair.base_radii[0] - arms[1] / pair.base_radii[1]).mean()))


def _speeds(sun: int, ring: int, held: str, driven: str) -> tuple[dict[str, float], str]:
    """Speeds of the members over that of the driven one, and which is the third."""
    (third,) = set(MEMBERS) - {held, driven}
    return {held: 0.0, driven: 1.0, third: 1.0 / willis(sun, ring, held, driven)}, third


def planetary_efficiency(sun: int, ring: int, held: str, driven: str, basic: float) -> float:
    """Power of the third member over that of the ``driven`` one; ``basic``: efficiency with the carrier fixed; negative
    for a self-locking set.

    Raises `ModelError` for other members and invalid efficiencies.

        planetary_efficiency(24, 72, "ring", "sun", 0.98)
    """
    if not 0.0 < basic <= 1.0:
        raise ModelError(f"basic is {shown(basic)}; give an efficiency above 0, up to 1")
    speed, third = _speeds(sun, ring, held, driven)
    i0 = -ring / sun
    for way in (1.0, -1.0):
        torque = {"sun": 1.0, "ring": -i0 * basic**way}
        torque["carrier"] = -torque["sun"] - torque["ring"]
        sign = math.copysign(1.0, torque[driven])  # the driven member puts power in
        if sign * (speed["sun"] - speed["carrier"]) * way > 0.0:
            return -torque[third] * speed[third] / (torque[driven] * speed[driven])
    raise ModelError(f"a set of {sun} and {ring} teeth with its {held} held cannot turn")


def planetary_study(
    sun: int = 24,
    planet: int = 24,
    ring: int = 72,
    *,
    friction: float = 0.06,
    torque: float = 5e4,
    speed: float = 10.0,
    say: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """Every member of a set held and every other driven, by teeth with stiffness and friction: rows with ``held``,
    ``driven``, ``ratio`` and ``willis``, ``efficiency`` of the run (at ``speed`` of the sun against the carrier, rad/s:
    losses by vibration increase with it) and ``expected`` by `planetary_efficiency` from the losses of both meshes.
    Raises `ModelError` as `planetary_set`."""
    rows = []
    for held, driven in ARRANGEMENTS:
        rates, third = _speeds(sun, ring, held, driven)
        turns = speed / abs(rates["sun"] - rates["carrier"])
        model = planetary_set(
            sun,
            planet,
            ring,
            held=held,
            driven=driven,
            level="mesh",
            speed=turns,
            torque=torque,
            friction=friction,
            damping=0.2,
        )
        onto = {"sun": 1.0, "ring": ring / sun, "carrier": (sun + ring) / sun}
        outer, inner = (
            GearPair((sun, planet), 2.0, width=30.0),
            GearPair((planet, ring), 2.0, width=30.0, internal=True),
        )
        load = torque / onto[third] / 3 / outer.base_radii[0]
        basic = math.prod(1.0 - mesh_loss(pair, pair.mesh(load), friction) for pair in (outer, inner))
        mesh = 2.0 * math.pi / sun / speed
        end = 0.08 + 12.0 * mesh
        run = simulate(model, end, 1200, integrator="RADAU5", error=1e-7)  # at 1e-6 losses are up to 5 % off
        late = run.time > end - 8.0 * mesh
        speeds = dict(zip(MEMBERS, (run.request("speeds").values[late, 1 + k].mean() for k in range(3))))
        given = abs(run.motion("drive").torque.values[late, 2].mean() * turns)
        row = {
            "held": held,
            "driven": driven,
            "ratio": float(speeds[driven] / speeds[third]),
            "willis": willis(sun, ring, held, driven),
            "efficiency": float(torque * abs(speeds[third]) / given),
            "expected": planetary_efficiency(sun, ring, held, driven, basic),
            "basic": basic,
        }
        rows.append(row)
        if say is not None:
            say(
                f"{held:9}{driven:9}{row['ratio']:10.4f}{row['willis']:10.4f}"
                f"{100.0 * row['efficiency']:12.3f}{100.0 * row['expected']:11.3f}"
            )
    return rows


PLANETARY_HEAD = f"{'held':9}{'driven':9}{'ratio':>10}{'Willis':>10}{'run, %':>12}{'formula':>11}"

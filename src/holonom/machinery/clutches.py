"""Disc clutches: what they carry, how they engage, what heat that makes; where a pad begins to groan.

    capacity     T = mu F r_m n of n faces;  r_m as of a disc brake's pads (even pressure or even wear)
    engagement   I_1 w_1' = T_1 - T,  I_2 w_2' = T - T_2  while it slips, T rising evenly in ``rise`` and then constant:
        slip s = w_1 - w_2 falls as
                 s' = T_1/I_1 + T_2/I_2 - T (1/I_1 + 1/I_2);  heat: the integral of T s
                 without outer torques and rise: t = I_r s_0/T, heat I_r s_0^2/2, with I_r = I_1 I_2/(I_1 + I_2)
    groan        a pad on a disc with mu(v) = mu_k + (mu_s - mu_k) exp(-v/v_s) slides steadily only above  v* = v_s ln(N
        (mu_s - mu_k)/(v_s c))

Sources: R. G. Budynas, J. K. Nisbett, Shigley's Mechanical Engineering Design, ch. 16; C. Gao et al., Wear 173 (1994)
1-12, for stick-slip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .._summary import Summary
from ..model import Model
from ..model.base import ModelError
from .brakes import DiscBrake, _positive


@dataclass(frozen=True)
class DiscClutch(Summary):
    """``inner``, ``outer`` radii of the linings, axial ``force``, ``mu``, ``faces`` in contact,
    ``pressure``: "even" or "wear".  Consistent units. Raises `ModelError` for invalid values."""

    inner: float
    outer: float
    force: float
    mu: float = 0.3
    faces: int = 2
    pressure: str = "wear"

    def __post_init__(self) -> None:
        _positive("disc clutch", inner=self.inner, outer=self.outer, force=self.force, mu=self.mu, faces=self.faces)
        DiscBrake(1.0, self.inner, self.outer, self.mu, pressure=self.pressure)  # same radii, same sentences

    @property
    def radius(self) -> float:
        """At which friction acts."""
        return DiscBrake(1.0, self.inner, self.outer, self.mu, pressure=self.pressure).radius

    @property
    def capacity(self) -> float:
        """Torque capacity."""
        return self.mu * self.force * self.radius * self.faces


@dataclass(frozen=True)
class Engagement(Summary):
    """``time`` at which slipping ends, ``speed`` of both sides then, ``heat`` made of slip."""

    time: float
    speed: float
    heat: float


def engagement(
    capacity: float,
    inertias: tuple[float, float],
    speeds: tuple[float, float],
    *,
    driving: float = 0.0,
    load: float = 0.0,
    rise: float = 0.0,
) -> Engagement:
    """Engagement of a clutch of this ``capacity`` between two ``inertias`` with initial ``speeds``, in closed form;
    ``driving`` torque on the first, ``load`` against the second, the capacity rises linearly over the time ``rise``.
    Raises `ModelError` for numbers that are not positive, and for a clutch that never sticks."""
    a, b = inertias
    _positive("clutch", capacity=capacity, inertia=min(a, b))
    slip = speeds[0] - speeds[1]
    if slip <= 0.0 or rise < 0.0:
        raise ModelError(
            f"the first side turns with {speeds[0]:g} and the second with {speeds[1]:g}, rise is {rise:g}; "
            "give a faster first side and a rise of zero or more"
        )
    outer, inner = driving / a + load / b, capacity * (1.0 / a + 1.0 / b)
    held = inner - outer
    time = heat = turned = 0.0
    if rise > 0.0:  # slip = slip0 + outer t - inner t^2 / (2 rise)
        ends = (outer + math.sqrt(outer**2 + 2.0 * inner * slip / rise)) * rise / inner
        t = min(ends, rise)
        heat = capacity / rise * (0.5 * slip * t**2 + outer * t**3 / 3.0 - inner * t**4 / (8.0 * rise))
        turned = 0.5 * capacity * t**2 / rise
        slip += outer * t - 0.5 * inner * t**2 / rise
        time = t
        if ends <= rise:
            slip = 0.0
    if slip > 1e-14 * abs(speeds[0] - speeds[1]):
        if not held > 0.0:
            raise ModelError(
                f"a clutch of {capacity:g} never holds against a driving torque of {driving:g} and a load of {load:g}; "
                "give more capacity"
            )
        t = slip / held
        heat += 0.5 * capacity * slip * t
        turned += capacity * t
        time += t
    return Engagement(time, speeds[1] + (turned - load * time) / b, heat)


def clutch_rig(
    capacity: float,
    inertias: tuple[float, float],
    speeds: tuple[float, float],
    *,
    driving: float = 0.0,
    load: float = 0.0,
    rise: float = 0.0,
    name: str = "clutch rig",
) -> Model:
    """The same system as a model, SI: parts "first" and "second" on joints "first shaft", "second shaft" along z, a
    clutch with exact sticking; request "clutch" (both speeds). Raises `ModelError` as `engagement` does."""
    engagement(capacity, inertias, speeds, driving=driving, load=load, rise=rise)
    model = Model(name)
    model.gravity = (0, 0, 0)
    parts, joints = [], []
    for k, (word, J, w) in enumerate(zip(("first", "second"), inertias, speeds)):
        z = 0.1 * k
        parts.append(
            model.part(word, 10.0 * J, (0.6 * J, 0.6 * J, J), (0, 0, z), angular_velocity=(0.0, 0.0, float(w)))
        )
        model.cylinder(parts[-1], (0, 0, z - 0.03), (0, 0, z + 0.03), 0.15, color=("STEEL_BLUE", "GOLD")[k])
        joints.append(model.revolute(parts[-1], model.ground, f"{word} shaft", at=(0, 0, z), axis=(0, 0, 1)))
    for joint, torque, word in zip(joints, (driving, -load), ("driving", "load")):
        if torque:
            model.sforce(joint.i, joint.j, f"{float(torque)!r}", word, kind="ROTATIONAL", actiononly=True)
    carried = f"{float(capacity)!r}*MIN(TIME/{float(rise)!r},1)" if rise else float(capacity)
    model.clutch(i=parts[0], j=parts[1], at=(0, 0, 0.05), axis=(0, 0, 1), capacity=carried, name="clutch")
    model.request("clutch", functions=[f"WZ({j.i},{j.j},{j.j})" for j in joints])
    return model


def groan_speed(*, normal: float, mu_static: float, mu_kinetic: float, decay: float, damping: float) -> float:
    """Speed of the disc below which a pad of `pad_on_disc` sticks and slips; 0 where it never does.  Raises
    `ModelError` for numbers that are not positive."""
    _positive("pad", normal=normal, mu_static=mu_static, mu_kinetic=mu_kinetic, decay=decay, damping=damping)
    return max(0.0, decay * math.log(max(normal * (mu_static - mu_kinetic) / (decay * damping), 1e-300)))

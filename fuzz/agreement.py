"""One impact of a random body on a plane, by events and by time-stepping with a falling step: the same law (Newton,
Coulomb), so the same velocities.

Without gravity a body flies at the plane and leaves it; where it strikes once only, its velocities behind the impact by
time-stepping come nearer to those of the located impact as the step falls, and without friction both have the closed
form J = -(1 + e) v_n / (n^T W n).
"""

from __future__ import annotations

import numpy as np

from . import Finding
from .stacks import SHAPES, _rotation, body, reach

LIMIT = 20.0
SLICE = 3
NEAR = 2e-3  # of the speed: what is left at the smaller step
SHAPE_TYPES = tuple(kind for kind in SHAPES if kind != "coin")


def attempt(seed: int) -> str:
    """One body, one impact."""
    import holonom as hn

    rng = np.random.default_rng([34, seed])
    b = body(rng, str(rng.choice(SHAPE_TYPES)), 0.1)
    A = _rotation(rng)
    v = np.array([*rng.normal(size=2), -rng.uniform(0.5, 2.0)])
    w = rng.normal(size=3) * 3.0
    e, mu = float(rng.choice([0.0, 0.5, 0.9, 1.0])), float(rng.choice([0.0, 0.3]))
    low = reach(b, A, np.array([0.0, 0.0, -1.0]))

    def model():
        m = hn.Model(f"impact {seed}")
        m.gravity = (0, 0, 0)
        at = np.array([0.0, 0.0, low + 0.02])
        part = m.part("body", b.mass, b.inertia, at, axes=A, velocity=tuple(v), angular_velocity=tuple(w))
        m.contact(b.shape(m, part, at, A), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, mu=mu or None)
        return m

    end = 0.1
    run = hn.simulate(model(), end, 20, contact="events")
    times = np.unique(run.impacts["time"]) if len(run.impacts) else np.zeros(0)
    if len(times) != 1 or times[0] > 0.8 * end:
        return "none" if not len(times) else "several"
    hit = run.impacts[0]
    if mu == 0.0 and len(run.impacts) == 1:
        n = np.array([0.0, 0.0, 1.0])
        k = int(np.searchsorted(run.time, times[0]))
        J = b.mass * (run.data.body_velocity[k, 0] - v) @ n
        if abs(J - hit["normal_impulse"]) > 1e-9 * abs(J) or abs(
            hit["velocity_after"] + e * hit["velocity_before"]
        ) > 1e-9 * abs(hit["velocity_before"]):
            raise Finding(f"the impulse {hit['normal_impulse']:.12g} does not fit momentum {J:.12g} or restitution {e}")
    if hit["energy_lost"] < -1e-9 * b.mass * float(
        v @ v
    ):  # Newton's law with friction (Kane): determined by the run, and not followed by time-stepping
        return "gains"
    goal = np.r_[run.data.body_velocity[-1, 0], 0.1 * run.data.body_angular_velocity[-1, 0]]
    size = float(np.linalg.norm(v))
    off: list[float] = []
    for step in (1e-3, 1e-4, 1e-5):  # the last for corners that strike one after the other within a step of the others
        other = hn.simulate(model(), end, 20, contact="time-stepping", step=step)
        off.append(
            float(
                np.abs(
                    np.r_[other.data.body_velocity[-1, 0], 0.1 * other.data.body_angular_velocity[-1, 0]] - goal
                ).max()
            )
        )
        if off[-1] <= NEAR * size:
            return "agrees"
    if not off[-1] <= max(NEAR * size, 0.3 * off[-2]):
        raise Finding(
            f"{b.kind}, e {e}, mu {mu}: time-stepping is off by {', '.join(f'{x:.3g}' for x in off)} at 1e-3, 1e-4 and "
            "1e-5 s"
        )
    return "agrees"

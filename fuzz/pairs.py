"""Random impacts of two free shapes without loss: a compliant law without damping and friction.

Momentum is kept, and energy: what a run gains without saying so, naming the contact, is a finding.  What it loses where
the nearest features change without continuity is not, as long as it is reported.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn

from . import Finding
from ._solids import random_solid

LIMIT = 60.0
SLICE = 6
GAIN = 1e-3  # of the energy at the start (or fifty times ERROR, if that is more): what may be gained silently
INTEGRATORS = (None, None, None, "DOP853", "RADAU5", "GSTIFF")
ERRORS = (1e-4, 1e-6, 1e-8)
LAWS = ("IMPACT", "IMPACT", "HUNT_CROSSLEY", "KELVIN_VOIGT")


def scene(seed: int, kinds: tuple[str, str] | None = None):
    """(model, options of the run, energy at the start, words) of a seed."""
    random = np.random.default_rng([seed, 7])
    first, second = (random_solid(random, k, seed % 4 == 0) for k in (kinds or (None, None)))
    m = hn.Model(units="m")
    turn = [Rotation.random(random_state=int(random.integers(2**31))).as_matrix() for _ in range(2)]
    speed = float(random.uniform(0.5, 3.0))
    way = random.normal(size=3)
    way /= np.linalg.norm(way)
    across = np.cross(way, random.normal(size=3))
    across /= np.linalg.norm(across)
    start = 1.05 * (first.radius + second.radius)
    miss = float(random.uniform(0.0, 0.5)) * (first.radius + second.radius)
    places = np.zeros(3), -start * way + miss * across
    energy = 0.0
    graphics, parts = [], []
    for k, solid in enumerate((first, second)):
        mass = float(10 ** random.uniform(-0.5, 0.5))
        inertia = 0.3 * mass * solid.radius**2 * random.uniform(0.8, 1.2, 3)
        v = speed * way if k else np.zeros(3)
        w = random.normal(size=3) * float(random.choice([0.0, 0.5, 2.0])) * speed
        part = m.part(
            f"body{k}", mass=mass, inertia=inertia, position=places[k], axes=turn[k], velocity=v, angular_velocity=w
        )
        energy += 0.5 * mass * float(v @ v) + 0.5 * float(w @ (inertia * w))
        parts.append((mass, inertia, v, w))
        graphics.append(solid.draw(m, part, places[k], turn[k]))
    # so stiff that the energy of the approach goes into a depth of so much of the smaller
    mass = parts[0][0] * parts[1][0] / (parts[0][0] + parts[1][0])
    depth = float(10 ** random.uniform(-2.2, -1.3)) * min(first.radius, second.radius)
    law = str(random.choice(LAWS))
    exponent = 1.0 if law == "KELVIN_VOIGT" else float(random.choice([1.0, 1.5, 2.2]))
    stiffness = 0.5 * mass * speed**2 * (exponent + 1.0) / depth ** (exponent + 1.0)
    numbers = {"stiffness": stiffness} | ({} if law == "KELVIN_VOIGT" else {"exponent": exponent})
    if random.random() < 0.5:
        graphics.reverse()
    m.contact(*graphics, law=law, name="meeting", **numbers)
    error = float(random.choice(ERRORS))
    options = {"error": error, "end": float(2.6 * start / speed), "steps": 50}
    method = INTEGRATORS[int(random.integers(len(INTEGRATORS)))]
    if method is not None:
        options["integrator"] = method
    words = f"{first.kind} and {second.kind}, {law} {exponent:g}, depth {depth:.2g}, {method or 'default'} at {error:g}"
    return m, options, energy, words


def attempt(seed: int, kinds: tuple[str, str] | None = None) -> str:
    m, options, energy, words = scene(seed, kinds)
    run = hn.simulate(m, progress=False, **options)
    data = run.data
    touched = bool((data.contact_points > 0).any()) or bool(run.counters.get("onsets", 0))
    total = data.energy_kinetic + data.energy_elastic
    off = (total - energy) / energy
    told = [text for text in run.info["messages"] if "energy" in text and "meeting" in text]
    tolerance = min(max(50.0 * options["error"], GAIN), 0.01)
    if not np.isfinite(total).all():
        raise Finding(f"{words}: energy is not a number")
    if off.max() > tolerance and not told:
        raise Finding(f"{words}: gains {off.max():.3g} of its energy and nothing is reported")
    if off.max() > 0.02:
        raise Finding(f"{words}: gains {off.max():.3g} of its energy (told)")
    p = data.momentum
    size = sum(
        mass * np.linalg.norm(data.body_velocity[:, k], axis=1).max()
        for k, mass in enumerate(x.mass for x in list(m.parts.values())[1:])
    )
    if np.abs(p - p[0]).max() > tolerance * size:
        raise Finding(f"{words}: momentum is off by {np.abs(p - p[0]).max() / size:.2g}")
    free = off[
        (data.contact_points == 0).all(axis=1)
    ]  # while they touch, what a jump of the depth took is still in the account of the pair
    if free.size and free.min() < -tolerance and not told:
        raise Finding(f"{words}: loses {-free.min():.3g} of its energy and nothing is reported")
    return ("told" if told else "kept") if touched else "missed each other"


if __name__ == "__main__":
    import signal
    import sys

    def stop(*_):
        raise TimeoutError("too long")

    signal.signal(signal.SIGALRM, stop)
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        m, options, energy, words = scene(seed)
        signal.alarm(40)
        try:
            run = hn.simulate(m, progress=False, **options)
            total = run.data.energy_kinetic + run.data.energy_elastic
            off = (total - energy) / energy
            print(
                seed,
                f"{off.max():+.2e} {off.min():+.2e} end {off[-1]:+.2e}",
                int(run.counters.get("onsets", 0)),
                len(run.data.history),
                words,
                flush=True,
            )
        except Exception as error:
            print(seed, "ERROR", type(error).__name__, str(error)[:150], words, flush=True)

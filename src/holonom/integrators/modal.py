"""Which integrator suits flexible bodies: what their frequencies are, and what these require of an integrator.

An explicit method has to take steps of the highest frequency, whether that mode moves or not; a Radau step costs about
as much as one of DOP853 and is as long as the motion allows.  So the highest frequency stands against the fastest
motion that is to be followed anyway: the lowest mode of the part where that is highest, and the spins.  The step of
Radau falls with the fifth root of the error requested, that of an explicit method at its limit not at all.  This
decides how a run begins; the steps that are taken decide how it continues (`switching`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..elements.bodies import layout
from .dop853 import DOP853

RATIO = 10.0  # of the highest frequency and the fastest motion, from which on Radau begins, for the error `AT`
AT = 1e-6
SHORT = 100  # explicit steps of a whole run that no other method is worth
LIGHT = 0.01  # damping ratio below which backward differences of order above 2 feel the frequency
WORTH = 100  # explicit steps still to go, limited by stability, that are worth a change
BACK = 1.0  # the stable explicit step over the implicit one from which on the explicit method is no dearer
# steps so many times that of the highest mode of the free parts need no closer look: joints lower frequencies, by less
# than that
FAR = 4.0


class Spectrum(NamedTuple):
    """Of all flexible bodies: ``lowest`` frequency of the part where that is highest, ``highest`` of all, ``damping``
    least ratio; rad per time.
    ``rods``: there are some among them."""

    lowest: float
    highest: float
    damping: float
    rods: bool = False


def spectrum(system: Any) -> Spectrum | None:
    """Frequencies of the free flexible bodies and of the elements of rods, None where there is neither."""
    if system is None:
        return None
    lowest, highest, damping = rods(system)
    any_rod = highest > 0.0
    c = system.bodies.carriers
    if c is not None and c.modes.count.any():
        for lo, hi, masses in zip(c.ptr[:-1], c.ptr[1:], c.masses):
            if lo + masses == hi:
                continue
            w = np.sqrt(c.stiffness[lo + masses : hi])
            lowest, highest = max(lowest, float(w.min())), max(highest, float(w.max()))
            damping = min(damping, float((c.damping[lo + masses : hi] / (2.0 * w)).min()))
    elif not any_rod:
        return None
    return Spectrum(lowest, highest, damping, any_rod)


def rods(system: Any) -> tuple[float, float, float]:
    """Lowest and highest rate and the minimum damping ratio of forces that know theirs (`frequency` of their class:
    beams of rods), zeros and infinity without.

    A chain of n equal ones has its lowest frequency at about 1/n of the highest: faster motion is not expected to be
    followed.
    """
    highest, damping, number = 0.0, np.inf, 0
    model = system.model
    for element in system.ports.elements:
        ask = getattr(element, "frequency", None)
        if ask is None:
            continue
        masses = [model.body_of(model.markers[m]).mass for m in element.ports]
        w, ratio = ask(*masses)
        number += 1
        # an explicit method feels the rate of a strongly damped vibration, which is more than its frequency
        highest, damping = max(highest, w * max(1.0, 2.0 * ratio)), min(damping, ratio)
    return (highest / number if number else 0.0), highest, damping


def begin_implicit(found: Spectrum, system: Any, y: np.ndarray, span: float, error: float) -> str | None:
    """Why RADAU5 is to begin a run of so long a ``span`` from the state y, as text; None where DOP853 is."""
    spin = max((float(np.linalg.norm(layout.body(y, b)[layout.SPIN])) for b in range(system.nb)), default=0.0)
    motion = max(found.lowest, spin)
    if found.highest * span < SHORT * DOP853.stable:
        return None
    ratio = found.highest / motion
    if ratio < RATIO * (AT / error) ** 0.2:
        return None
    return (
        f"modes go up to {found.highest / (2 * np.pi):.3g} per time, {ratio:.0f} times the fastest motion to be "
        "followed; free to change"
    )


def note(found: Spectrum, choice: Any, multistep: bool) -> str | None:
    """Message for users who request backward differences of flexible bodies almost without damping."""
    most = choice.options.kmax
    if not multistep or found.damping >= LIGHT or (most is not None and most <= 2) or choice.kind == "ABAM":
        return None
    return (
        f"{choice.kind}: orders above 2 are unstable for vibrations that are damped as little as modes here (ratio "
        f"{found.damping:.2g}); their steps follow "
        "the highest one, or it grows. Take RADAU5 (or leave the integrator out), KMAX = 2, or damping = 0.01"
    )

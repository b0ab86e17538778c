"""A block that rocks from edge to edge: Housner's loss at each impact, and rest when the impacts have accumulated.

A block of half width b and half height h, tan(alpha) = b / h, is released tilted by 0.3 alpha.  It turns about one
lower edge until the other strikes; without rebound (restitution 0) and without slip the angular velocity behind the
impact is 1 - 3/2 sin^2(alpha) of that before
(G. W. Housner, Bull. Seismol. Soc. Am. 53 (1963) 403).  About its edge it obeys 4/3 R theta'' = -g sin(alpha - theta).
"""

import sys

import numpy as np
from scipy.integrate import quad

import holonom as hn

B, H, DEPTH, MASS, G, MU = 0.1, 0.2, 0.1, 12.0, 9.81, 2.0
ALPHA, R = np.arctan(B / H), np.hypot(B, H)
START = 0.3 * ALPHA
END, STEPS = 1.2, 240


def build() -> hn.Model:
    model = hn.Model("rocking_block", units="SI")
    model.rigid.method = "events"
    model.gravity = (0.0, 0.0, -G)
    c, s = np.cos(START), np.sin(START)
    x, z = np.array([c, 0, -s]), np.array([s, 0, c])
    centre = np.array([B, 0, 0]) - B * x + H * z  # turned about its right edge
    inertia = MASS / 12 * np.array([DEPTH**2 + 4 * H * H, 4 * B * B + 4 * H * H, 4 * B * B + DEPTH**2])
    block = model.part("block", MASS, tuple(inertia), centre, axes=np.column_stack([x, (0, 1, 0), z]))
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=0.8)
    model.contact(
        model.box(block, centre, (2 * B, DEPTH, 2 * H), x=x, z=z), floor, restitution=0.0, mu=MU, name="block on floor"
    )
    return model


def fall() -> float:
    """Time from rest at the start to the first impact, from the energy of the turn about the edge."""
    speed = lambda a: np.sqrt(1.5 * G / R * (np.cos(ALPHA - START) - np.cos(ALPHA - a)))  # a: tilt
    return quad(lambda u: 2 * u / speed(START - u * u), 0.0, np.sqrt(START), epsabs=1e-11)[0]


def main(model: hn.Model | None = None) -> float:
    run = hn.simulate(model or build(), END, STEPS, contact="events", error=1e-9)
    hits = run.impacts[run.impacts["normal_impulse"] > 1e-9]
    times, first = np.unique(hits["time"], return_index=True)
    assert abs(times[0] - fall()) < 1e-8, times[0] - fall()
    # the edge that strikes has the speed 2 b w; that of one impact is 1 - 3/2 sin^2 of what the last one left
    lost = 1 - 1.5 * np.sin(ALPHA) ** 2
    before = -hits["velocity_before"][first]
    ratios = before[1:6] / before[:5]
    print(
        f"ratio of the speeds of impacts {ratios}, Housner {lost:.6f}; {len(times)} impacts, the last at "
        f"{times[-1]:.6f} s"
    )
    assert np.abs(ratios - lost).max() < 1e-6
    rest = run.time > times[-1] + 1e-3
    assert rest.any() and np.abs(run.part("block").velocity.values[rest]).max() < 1e-6
    assert np.allclose(run.contact("block on floor").normal.values[rest], MASS * G, rtol=1e-6)
    return float(times[0])


if __name__ == "__main__":
    print(main())
    if "--animate" in sys.argv:
        hn.simulate(build(), END, STEPS, contact="events").animate("rocking_block.html")

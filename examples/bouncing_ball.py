"""A ball that bounces to its end: infinitely many impacts in finite time, located one by one, their sum extrapolated,
and rest after it.

Dropped from 1 m with restitution 0.9 the ball hits the floor at t_k = T (1 + 2 (e + ... + e^(k-1))), T = sqrt(2 h / g),
and comes to rest at T (1 + e) / (1 - e) = 8.578949178729 s.
"""

import sys

import numpy as np

import holonom as hn

HEIGHT, RADIUS, E, G = 1.0, 0.05, 0.9, 9.81
END, STEPS = 10.0, 1000
FALL = np.sqrt(2 * HEIGHT / G)
LAST = FALL * (1 + E) / (1 - E)


def build() -> hn.Model:
    model = hn.Model("bouncing_ball", units="SI")
    model.rigid.method = "events"
    model.gravity = (0.0, 0.0, -G)
    ball = model.part("ball", 0.5, (0.4 * 0.5 * RADIUS**2,) * 3, (0, 0, HEIGHT + RADIUS))
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=0.6)
    model.contact(model.sphere(ball, (0, 0, HEIGHT + RADIUS), RADIUS), floor, restitution=E, name="ball on floor")
    return model


def main(model: hn.Model | None = None) -> float:
    sim = hn.Simulation(model or build())
    sim.dynamics(end=END, steps=STEPS, contact="events")
    run = sim.run()
    k = np.arange(len(run.impacts))
    exact = FALL * (1 + 2 * E * (1 - E**k) / (1 - E))
    off = np.abs(run.impacts["time"] - exact).max()
    end = float(next(m for m in sim.messages if "accumulate" in m).split("ends at ")[1].split()[0])
    print(f"{len(run.impacts)} impacts, times to {off:.1e} s; end of the series {end:.12f} s, exactly {LAST:.12f} s")
    assert off < 1e-9 and abs(end - LAST) < 1e-8
    rest = run.time > LAST
    assert np.abs(run.part("ball").position.values[rest, 2] - RADIUS).max() < 1e-12
    assert np.abs(run.contact("ball on floor").normal.values[rest] - 0.5 * G).max() < 1e-10
    return float(run.impacts["time"][4])


if __name__ == "__main__":
    print(main())
    if "--animate" in sys.argv:
        hn.simulate(build(), END, STEPS, contact="events").animate("bouncing_ball.html")

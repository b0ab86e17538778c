"""Ball on a plate: IMPACT with four dampings, K = 2.89e5 N/mm^1.5, exponent 1.5, full damping at 0.1 mm.

Four balls of 0.5 kg fall 50 mm, side by side.  Without damping the bounce continues for ever; with 0.5, 5 and 50 N s/mm
the heights decay, the faster the larger the damping.  Checked: energy of the undamped ball, depth and force of its
first impact in closed form,
    k d^2.5 / 2.5 = m g (h + d),
and the restitution of every ball against an integration of m d'' = m g - F(d, d') by itself.  Next to it stands what
Lankarani and Nikravesh's argument (the loss along the undamped path) predicts: right while little is lost.
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import holonom as hn
from holonom.contact.laws.bounce import lankarani_nikravesh_estimate
from holonom.model import drawing

K, EXPONENT, DMAX = 2.89e5, 1.5, 0.1  # [N/mm^1.5], [mm]
DAMPINGS = (0.0, 0.5, 5.0, 50.0)  # [N s/mm]
MASS, RADIUS, DROP, G = 0.5, 10.0, 50.0, 9806.65  # [kg], [mm], [mm/s^2]
M = MASS / 1000  # [N s^2/mm]
END, STEPS = 1.0, 1000


def build() -> hn.Model:
    model = hn.Model("ball_on_plate", units="mm")
    model.gravity = (0.0, 0.0, -G)
    model.integrator.kind, model.integrator.error = "DOP853", 1e-10
    plate = model.plane(model.ground, (60, 0, 0), (0, 0, 1))
    drawing.block(model, model.ground, (60, 0, -2), (170, 50, 4))
    for n, damping in enumerate(DAMPINGS):
        at = np.array([40.0 * n, 0.0, RADIUS + DROP])
        ball = model.part(f"ball {damping:g}", MASS, (0.4 * MASS * RADIUS**2,) * 3, at)
        model.contact(
            model.sphere(ball, at, RADIUS),
            plate,
            name=f"contact {damping:g}",
            stiffness=K,
            exponent=EXPONENT,
            damping=damping,
            dmax=DMAX,
        )
    return model


def force(d, v, damping):
    """IMPACT, by the book."""
    x = min(max(d / DMAX, 0.0), 1.0)
    return max(0.0, K * max(d, 0.0) ** EXPONENT + damping * x * x * (3 - 2 * x) * v)


def restitution(damping, speed):
    """Speed out over speed in of one impact under gravity."""
    leave = lambda t, y: y[0]
    leave.terminal, leave.direction = True, -1
    r = solve_ivp(
        lambda t, y: (y[1], G - force(y[0], y[1], damping) / M),
        (0, 1),
        (0, speed),
        "DOP853",
        rtol=1e-12,
        atol=1e-14,
        events=leave,
        first_step=1e-7,
    )
    return -r.y_events[0][0][1] / speed


def levels(run, damping):
    """Energy of a ball, over its mass and from the height where it touches: one number a flight, or without damping all
    rows in flight."""
    ball, pressed = run.part(f"ball {damping:g}"), run.contact(f"contact {damping:g}").normal.values > 0
    energy = 0.5 * ball.velocity.values[:, 2] ** 2 + G * (ball.position.values[:, 2] - RADIUS)
    if damping == 0.0:
        return energy[~pressed]
    jumps = np.abs(np.diff(energy, prepend=energy[0])) > 1e-7 * energy[0]  # an impact may lie between two rows
    return np.array([np.median(flight) for flight in np.split(energy, np.flatnonzero(jumps)) if len(flight) > 3])


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    simulation = hn.Simulation(model or build())
    touch = np.sqrt(2 * DROP / G)
    simulation.dynamics(end=touch - 2e-5, steps=100)
    simulation.dynamics(end=touch + 4.8e-4, steps=500)  # the first impact row by row
    simulation.dynamics(end=END, steps=STEPS)
    run = simulation.run()
    if report:
        run.report(report)

    energy, speed, decay = levels(run, 0.0), np.sqrt(2 * G * DROP), []
    bounces = int((END / touch - 1) / 2) + 1
    loss = np.abs(energy / energy[0] - 1).max() / bounces
    print(f"ball on plate: undamped, {bounces} bounces, energy changes by {loss:.1e} a bounce")
    assert bounces == 5 and loss < 1e-6
    deepest = brentq(lambda d: K * d ** (EXPONENT + 1) / (EXPONENT + 1) - M * G * (DROP + d), 1e-3, 1.0, xtol=1e-14)
    depth, peak = (float(getattr(run.contact("contact 0"), what).values.max()) for what in ("depth", "normal"))
    print(
        f"ball on plate: an undamped impact goes {depth:.6f} mm deep and peaks at {peak:.2f} N, "
        f"closed form {deepest:.6f} mm and {K * deepest**EXPONENT:.2f} N"
    )
    assert abs(depth / deepest - 1) < 2e-5 and abs(peak / (K * deepest**EXPONENT) - 1) < 3e-5  # rows 1 us apart

    for damping in DAMPINGS[1:]:
        before, after = np.sqrt(levels(run, damping)[:2])
        e, exact = after / before, restitution(damping, speed)
        estimate = lankarani_nikravesh_estimate((K, EXPONENT, damping, DMAX), speed, M)
        print(
            f"ball on plate: damping {damping:g} N s/mm, restitution {e:.6f}, by itself {exact:.6f}, "
            f"Lankarani-Nikravesh {estimate:.4f}"
        )
        assert abs(e - exact) < 1e-5
        decay.append(e)
    assert 1 > decay[0] > decay[1] > decay[2] > 0
    print(f"ball on plate: {run.audit()}")
    assert run.audit().ok(1e-5)
    assert (np.diff(run.energy.dissipated.values) > -1e-6 * M * G * DROP).all()
    assert all(run.part(f"ball {damping:g}").position.values[:, 2].min() > RADIUS - 2 * deepest for damping in DAMPINGS)
    return float(decay[1])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

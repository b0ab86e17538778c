"""Break shot at pool by time-stepping: cue ball into a rack of fifteen, on cloth, between cushions; and what single
balls must do.

Balls of 57 mm and 170 g: restitution 0.95 and friction 0.06 among them, 0.2 and a rolling resistance of 0.01 radius on
the cloth, 0.8 at cushions. Three more balls of the same kind, each alone, give closed forms:

- struck without spin a ball slides, then rolls: sliding ends at  t = v/(g (7/2 mu - 5/2 c)),  c the arm over the radius
  (0.01), with the speed v - mu g t  (5/7 v for c = 0), and rolling ends after  v_roll^2/(2 a),  a = 5/7 c g;
- two balls that meet at the cut angle f without gravity: normal impulse  m (1 + e) v cos(f)/2,  friction the smaller of
  mu times that and the m v sin(f)/7  that stops slip: the throw of the object ball, to 1e-12.

Checked too: in every step of the break the momentum of all balls changes by the impulses of cloth and cushions only, to
1e-12 of the cue ball's.
"""

import sys

import numpy as np

import holonom as hn

RADIUS, MASS, G = 0.028575, 0.17, 9.81  # [m], [kg], [m/s^2]
E_BALL, MU_BALL, E_RAIL, MU_RAIL = 0.95, 0.06, 0.8, 0.2
MU_CLOTH, ARM = 0.2, 0.01  # of sliding; of rolling, over the radius
SPEED, SINGLE, CUT = 8.0, 1.0, np.radians(30)  # [m/s] of the break, of the ball alone; of the pair
LENGTH, BREADTH = 2.54, 1.27  # [m] of the table
END, STEPS = 0.8, 800
STEP = 1e-3  # [s]


def ball(model, name, at, velocity=(0, 0, 0)):
    body = model.part(name, MASS, (0.4 * MASS * RADIUS**2,) * 3, at, velocity=velocity)
    return model.sphere(body, at, RADIUS, name=f"{name} shape")


def build() -> hn.Model:
    """The break."""
    model = hn.Model("billiards")
    model.rigid.method = "time-stepping"
    model.gravity = (0, 0, -G)
    cloth = model.plane(
        model.ground, (0, 0, 0), (0, 0, 1), size=(LENGTH + 0.2, BREADTH + 0.2), x=(1, 0, 0), name="cloth"
    )
    balls = [ball(model, "cue", (-0.25 * LENGTH, 0.004, RADIUS), (SPEED, 0, 0))]
    gap = 1e-4  # between the balls of the rack
    for row in range(5):
        for k in range(row + 1):
            at = (
                0.25 * LENGTH + row * (2 * RADIUS + gap) * np.sqrt(0.75),
                (k - 0.5 * row) * (2 * RADIUS + gap),
                RADIUS,
            )
            balls.append(ball(model, f"ball {len(balls)}", at))
    sides = (
        ((-0.5 * LENGTH, 0), (1, 0)),
        ((0.5 * LENGTH, 0), (-1, 0)),
        ((0, -0.5 * BREADTH), (0, 1)),
        ((0, 0.5 * BREADTH), (0, -1)),
    )
    rails = [
        model.plane(
            model.ground,
            (*at, RADIUS),
            (*n, 0),
            size=(LENGTH if n[1] else BREADTH, 2 * RADIUS),
            x=(n[1], n[0], 0),
            name=f"rail {k + 1}",
        )
        for k, (at, n) in enumerate(sides)
    ]
    model.contact(balls, name="balls", restitution=E_BALL, mu=MU_BALL)
    model.contact(balls, cloth, name="cloth", mu=MU_CLOTH, rolling_resistance=ARM * RADIUS)
    model.contact(balls, rails, name="rails", restitution=E_RAIL, mu=MU_RAIL)
    return model


def alone(arm: float = ARM) -> hn.Model:
    """One ball on cloth, struck through its centre."""
    model = hn.Model("ball_alone")
    model.rigid.method = "time-stepping"
    model.gravity = (0, 0, -G)
    cue = ball(model, "cue", (0, 0, RADIUS), (SINGLE, 0, 0))
    model.contact(cue, model.plane(model.ground, (0, 0, 0), (0, 0, 1)), mu=MU_CLOTH, rolling_resistance=arm * RADIUS)
    return model


def pair() -> hn.Model:
    """Two balls that meet at the cut angle, without gravity; the line of their centres is x."""
    model = hn.Model("pair")
    model.rigid.method = "time-stepping"
    start = -0.02 * np.array([np.cos(CUT), np.sin(CUT), 0]) - [2 * RADIUS, 0, 0]
    model.contact(
        ball(model, "cue", start, (SINGLE * np.cos(CUT), SINGLE * np.sin(CUT), 0)),
        ball(model, "object", (0, 0, 0)),
        restitution=E_BALL,
        mu=MU_BALL,
    )
    return model


def step_through(model: hn.Model, end: float, step: float = STEP) -> hn.Run:
    model.rigid.tolerance = 1e-13
    model.rigid.solver = "NSGS"
    return hn.simulate(model, end, round(end / step), contact="time-stepping", step=step, progress=False)


def rolling(arm: float) -> tuple[float, float, float]:
    """Time and speed at which sliding ends, way to the stop."""
    t = SINGLE / (G * (3.5 * MU_CLOTH - 2.5 * arm))
    v = SINGLE - MU_CLOTH * G * t
    return t, v, SINGLE * t - 0.5 * MU_CLOTH * G * t * t + v * v / (2 * 5 / 7 * arm * G) if arm else np.inf


def check_alone() -> None:
    t, v, _ = rolling(0.0)
    run = step_through(alone(0.0), 0.5)
    end = float(run.part("cue").velocity.values[-1, 0])
    print(f"billiards: rolls at {end:.6f} m/s, 5/7 is {v:.6f}")
    assert abs(end / v - 1) < 1e-6
    t, v, way = rolling(ARM)
    run = step_through(alone(), t + v / (5 / 7 * ARM * G) + 0.1, 2e-3)
    x = run.part("cue").position.values[:, 0]
    print(f"billiards: stops after {x[-1] - x[0]:.4f} m, closed form {way:.4f} m")
    assert abs((x[-1] - x[0]) / way - 1) < 2e-3
    assert np.abs(run.part("cue").velocity.values[-1]).max() < 1e-9


def check_pair() -> None:
    run = step_through(pair(), 0.1)
    one, two = run.part("cue"), run.part("object")
    k = int(np.argmax(np.linalg.norm(two.velocity.values, axis=1) > 0)) - 1
    v = one.velocity.values[k]
    line = (
        two.position.values[k] - one.position.values[k] - 0.5 * STEP * v
    )  # of the centres, at the middle of the step in which they meet
    line /= np.linalg.norm(line)
    speed, across = float(v @ line), v - (v @ line) * line
    normal = MASS * (1 + E_BALL) * speed / 2
    friction = min(MU_BALL * normal, MASS * float(np.linalg.norm(across)) / 7)
    throw = (normal * line + friction * across / np.linalg.norm(across)) / MASS
    off = max(np.abs(two.velocity.values[-1] - throw).max(), np.abs(one.velocity.values[-1] - v + throw).max())
    angle = np.degrees(np.arctan(friction / normal))
    print(
        f"billiards: the object ball is thrown by {angle:.3f} deg at a cut of "
        f"{np.degrees(np.arccos(speed / SINGLE)):.2f} deg, off by {off:.1e}"
    )
    assert off < 1e-12


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    check_alone()
    check_pair()
    run = step_through(model or build(), END)
    if report:
        run.report(report)
    momentum = MASS * sum(run.part(n).velocity.values for n in run.bodies)
    outside = sum(run.contact(n).force.values for n in ("cloth", "rails")) * STEP
    weight = len(run.bodies) * MASS * np.array([0, 0, -G]) * STEP
    off = np.abs(np.diff(momentum, axis=0) - outside[1:] - weight).max() / (MASS * SPEED)
    energy = (run.energy.kinetic + run.energy.gravity).values
    rise = np.diff(energy).max() / energy[0]
    x = np.array([run.part(n).position.values[-1] for n in run.bodies])
    inside = (np.abs(x[:, 0]) < 0.5 * LENGTH).all() and (np.abs(x[:, 1]) < 0.5 * BREADTH).all()
    print(
        f"billiards: break, momentum off by {off:.1e}, energy rises by {rise:.1e} at most, lowest centre off by "
        f"{np.abs(x[:, 2] - RADIUS).max():.1e} m; "
        f"{run.counters}"
    )
    assert off < 1e-12
    assert rise < 1e-12
    assert inside
    return float(energy[round(0.2 / STEP)])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

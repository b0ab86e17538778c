"""Row of twenty dominoes on a table, by time-stepping: how fast the wave runs, for three spacings.

Each domino (48 x 24 x 7.5 mm) turns about its lower front edge, which the table's friction holds; those that have
fallen lean on the next and push it
(D. E. Shaw, Am. J. Phys. 46 (1978) 640; J. M. J. van Leeuwen, Am. J. Phys. 78 (2010) 721).  Without friction between
them the train of k dominoes has one degree of freedom: energy is kept until the next is hit, and the impact without
restitution keeps the momentum along it, w+ = w (K - 1)/K, K = sum of (dtheta_i/dtheta_head)^2.  Checked: time of each
impact against the quadrature of that law, the speed of the wave and how it falls with the spacing, and that no domino
has gone through another: they are thin and the step is fixed.
"""

import sys

import numpy as np

import holonom as hn

HEIGHT, THICK, WIDTH, MASS, G = 0.048, 0.0075, 0.024, 0.009, 9.81  # [m], [kg], [m/s^2]
PITCH = 0.024  # [m] from domino to domino
PITCHES = (0.016, 0.036)  # [m] the other spacings
DOMINOES = 20
PUSH = 5.0  # [rad/s] of the first
MU_TABLE = 1.0
END, STEPS = 0.6, 600
STEP = 1e-3  # [s]


def build(pitch: float = PITCH, dominoes: int = DOMINOES, thick: float = THICK) -> hn.Model:
    model = hn.Model("dominoes")
    model.rigid.method = "time-stepping"
    model.gravity = (0, 0, -G)
    table = model.plane(
        model.ground, (0.5 * dominoes * pitch, 0, 0), (0, 0, 1), size=2 * dominoes * pitch, name="table"
    )
    edges = np.array([thick, WIDTH, HEIGHT])
    boxes = []
    for k in range(dominoes):
        at = (k * pitch, 0, 0.5 * HEIGHT)
        start = (
            {"velocity": (0.5 * PUSH * HEIGHT, 0, 0.5 * PUSH * thick), "angular_velocity": (0, PUSH, 0)}
            if k == 0
            else {}
        )
        body = model.part(f"domino {k + 1}", MASS, MASS / 12 * (np.sum(edges**2) - edges**2), at, **start)
        boxes.append(model.box(body, at, edges, name=f"box {k + 1}"))
    model.contact(boxes, table, name="on the table", mu=MU_TABLE)
    for k in range(dominoes - 1):
        model.contact(boxes[k], boxes[k + 1], name=f"{k + 1} on {k + 2}")
    return model


def ideal(pitch: float, dominoes: int = DOMINOES, thick: float = THICK) -> np.ndarray:
    """Times at which each domino hits the next."""

    def train(theta, k):
        angles, rates = [theta], [np.ones_like(theta)]
        for _ in range(k - 1):
            before = angles[-1]
            angles.append(before + np.arcsin((pitch * np.cos(before) - thick) / HEIGHT))
            rates.append(rates[-1] * (1 - pitch / HEIGHT * np.sin(before) / np.cos(angles[-1] - before)))
        fall = 0.5 * G * sum(HEIGHT * np.cos(a) + thick * np.sin(a) for a in angles)
        return fall, sum(r * r for r in rates)

    inertia, hit = (HEIGHT**2 + thick**2) / 3, np.arcsin((pitch - thick) / HEIGHT)
    x, weight = np.polynomial.legendre.leggauss(40)
    theta = np.append(0.5 * hit * (1 + x), hit)
    w, t, times = PUSH, 0.0, []
    for k in range(1, dominoes + 1):
        fall, K = train(np.zeros(1), k)
        energy = 0.5 * inertia * w * w * K + fall
        fall, K = train(theta, k)
        speed = np.sqrt(2 * (energy - fall) / (inertia * K))
        t += float(np.sum(0.5 * hit * weight / speed[:-1]))
        times.append(t)
        K = train(np.zeros(1), k + 1)[1][0]
        w = speed[-1] * (K - 1) / K
    return np.array(times)


def hits(run: hn.Run, pitch: float, thick: float = THICK) -> np.ndarray:
    """Times at which dominoes pass the angle at which they touch the next."""
    hit, times = np.arcsin((pitch - thick) / HEIGHT), []
    for name in run.bodies:
        axes = run.part(name).axes.values
        angle = np.arctan2(axes[:, 0, 2], axes[:, 2, 2])
        k = int(np.argmax(angle >= hit))
        times.append(np.interp(hit, angle[k - 1 : k + 1], run.time[k - 1 : k + 1]) if k else np.nan)
    return np.array(times)


def speeds(run: hn.Run, pitch: float) -> tuple[float, float]:
    """Of the wave over the second half of the row: as it ran, as theory says."""
    half = DOMINOES // 2
    away = (DOMINOES - 2 - half) * pitch
    seen, theory = hits(run, pitch), ideal(pitch)
    return away / (seen[-2] - seen[half]), away / (theory[-2] - theory[half])


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    number = 0.0
    for pitch in (PITCH, *PITCHES):
        first = pitch == PITCH
        end = END if first else round(float(ideal(pitch)[-1]) + 0.02, 3)
        row = (model or build()) if first else build(pitch)
        row.rigid.solver = "NSGS"
        run = hn.simulate(row, end, round(end / STEP), contact="time-stepping", step=STEP, progress=False)
        if report and first:
            run.report(report)
        seen, theory = speeds(run, pitch)
        early = np.abs(hits(run, pitch)[:6] - ideal(pitch)[:6]).max()
        x = np.array([run.part(name).position.values[:, 0] for name in run.bodies])
        print(
            f"dominoes: spacing {1e3 * pitch:g} mm, wave {seen:.4f} m/s, theory {theory:.4f}, "
            f"{seen / np.sqrt(G * HEIGHT):.3f} sqrt(g h); "
            f"first six impacts off by {1e3 * early:.2f} ms; largest residual "
            f"{run.counters['largest contact residual']:.0e}"
        )
        assert abs(seen / theory - 1) < 0.03
        assert early < 2.5e-3
        assert (np.diff(x, axis=0) > 0.5 * THICK).all()
        number = number or seen
    return number


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

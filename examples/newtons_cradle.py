"""Newton's cradle: five steel balls in a row, by HERTZ from the material; one in, one out, and two in, two out.

Four cradles: one and two balls released, with gaps of 0.1 mm between the balls at rest, and without.  With gaps the
impacts follow each other, each of two equal balls, so momentum and energy leave one outcome only: the speed goes from
ball to ball and as many balls leave as came. Touching balls are pressed all at once; momentum and energy no longer
decide, elasticity does, and the other balls do not quite
stop: the speeds are those of the chain m x'' = k (d_left^1.5 - d_right^1.5), integrated by itself.
The balls hang on rods, so that all of a cradle lie in one plane.
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

import holonom as hn
from holonom.contact import materials
from holonom.model import drawing

RADIUS, MASS, LENGTH, ANGLE, GAP, G = 0.02, 0.26, 0.3, np.radians(30), 1e-4, 9.80665
INERTIA = 0.4 * MASS * RADIUS**2
DROP = LENGTH * (1 - np.cos(ANGLE))
SPEED = np.sqrt(2 * MASS * G * DROP / (MASS + INERTIA / LENGTH**2))  # of a released ball at the bottom
CRADLES = {"one, gaps": (1, GAP), "two, gaps": (2, GAP), "one": (1, 0.0), "two": (2, 0.0)}  # released, gap
END, STEPS = 1.14, 1140
AFTER = 0.281  # all have hit once and are still at the bottom


def build() -> hn.Model:
    model = hn.Model("newtons_cradle", units="SI")
    model.gravity = (0.0, 0.0, -G)
    model.integrator.kind, model.integrator.error = "DOP853", 1e-9
    y = (0, 1, 0)
    for row, (name, (released, gap)) in enumerate(CRADLES.items()):
        shapes = []
        for n in range(5):
            top = np.array([n * (2 * RADIUS + gap), 0.15 * row, LENGTH])
            angle = ANGLE if n < released else 0.0
            at = top - LENGTH * np.array([np.sin(angle), 0, np.cos(angle)])
            ball = model.part(f"{name} {n + 1}", MASS, (INERTIA,) * 3, at)
            model.revolute(ball, model.ground, f"{name} pivot {n + 1}", at=top, axis=y)
            shapes.append(model.sphere(ball, at, RADIUS, name=f"{name} {n + 1}"))
            drawing.rod(model, ball, top, at, 0.0012)
        for a, b in zip(shapes, shapes[1:]):
            model.contact(a, b, law="HERTZ", materials="steel", name=f"{a.name} on {b.name[-1]}")
        drawing.rod(model, model.ground, top - [0.2, 0, 0], top + [0.04, 0, 0], 0.004)
    return model


def chain(released, gap):
    """Speeds of five free balls after the impact, the first ones at SPEED, as shares of it."""
    steel = materials.MATERIALS["steel"]
    k = 4 / 3 * materials.reduced_modulus(steel, steel) * np.sqrt(RADIUS / 2)
    mass = MASS + INERTIA / LENGTH**2  # what a ball on its rod opposes to a push
    v = np.where(np.arange(5) < released, SPEED, 0.0)

    def rates(t, y):
        f = np.zeros(6)
        f[1:5] = k * np.maximum(y[:4] - y[1:5] - gap, 0.0) ** 1.5
        return np.concatenate([y[5:], (f[:5] - f[1:]) / mass])

    r = solve_ivp(rates, (0, 2e-3), np.concatenate([np.zeros(5), v]), "DOP853", rtol=1e-11, atol=1e-15, max_step=2e-6)
    return r.y[5:, -1] / SPEED


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    row = np.searchsorted(run.time, AFTER)
    for name, (released, gap) in CRADLES.items():
        found = np.array([run.part(f"{name} {n + 1}").velocity.values[row, 0] for n in range(5)]) / SPEED
        wanted = chain(released, gap)
        ideal = np.where(np.arange(5) >= 5 - released, 1.0, 0.0)
        print(f"cradle, {name}: speeds after the impact {np.round(found, 4)}, by itself {np.round(wanted, 4)}")
        assert abs(found.sum() - released) < 1e-3 and abs(found @ found - released) < 1e-4
        assert np.abs(found - wanted).max() < 2e-3
        if gap:
            assert np.abs(found - ideal).max() < 1e-3
            back = [run.part(f"{name} {n + 1}").position.values[run.time > 0.9, 2].max() for n in range(5)]
            print(
                f"cradle, {name}: heights when they have come back {np.round(np.array(back) / DROP, 5)} of the release"
            )
            assert np.abs(np.array(back) / DROP - ideal[::-1]).max() < 1e-3
    print(f"cradle: {run.audit()}")
    assert run.audit().ok(1e-5)
    return float(run.part("one, gaps 5").position.values[:, 2].max() / DROP)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

"""A ball that falls onto a plate, as a laser and a load cell see it: function of the study of a drop test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import holonom as hn

MASS, RADIUS = 0.5, 0.02  # kg, m
END, STEPS = 0.8, 800  # s; samples of both sensors are 1 ms apart


def fall(v: Mapping[str, float]) -> dict[str, Any]:
    """Height of the ball above the plate (m) and force on the plate (N), each as times and values.

    ``v``: "stiffness" of the contact (MN/m^1.5, with an exponent of 1.5), its "restitution", and "drop" (m)."""
    model = hn.Model("drop test", units="SI")
    model.gravity = (0.0, 0.0, -9.81)
    top = v["drop"] + RADIUS
    ball = model.part("ball", MASS, (0.4 * MASS * RADIUS**2,) * 3, (0.0, 0.0, top))
    plate = model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    model.contact(
        model.sphere(ball, (0.0, 0.0, top), RADIUS),
        plate,
        name="plate",
        law="CARVALHO_MARTINS",
        stiffness=1e6 * v["stiffness"],
        exponent=1.5,
        restitution=v["restitution"],
    )
    run = hn.simulate(model, END, steps=STEPS, integrator="DOP853", error=1e-7, progress=False)
    height = run["ball.position"].values[:, 2] - RADIUS
    return {"height": (run.time, height), "force": (run.time, run["plate.force"].values[:, 2])}

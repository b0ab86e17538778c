"""A car pulls away: engine, dry clutch, gear and final drive, wheels, and the mass of the car, with exact sticking of
the clutch.

The engine turns with 200 rad/s when the clutch closes with the capacity C.  It slips until both sides turn alike, then
it is a constraint: no stiffness, no creeping.  After 4 s the engine's torque rises above what the clutch can carry, and
it slips again; when the torque falls it holds again.

Checked against closed forms, with E and V the inertias of engine and of all behind the clutch, seen at its shaft:
  first slip ends at t = w0 / ((C - T) / E + C / V), with the speed C t / V; the energy C w0 t / 2 is lost as heat
  it slips again when T(t) V / (E + V) exceeds C.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

ENGINE, SHAFT, MASS, RADIUS, RATIO = 0.25, 0.05, 1200.0, 0.3, 9.0
BEHIND = SHAFT + MASS * (RADIUS / RATIO) ** 2
SPEED, CAPACITY, TORQUE, MORE = 200.0, 220.0, 120.0, 300.0
CLOSE = 0.1
RISE, FALL, SWELL = 4.0, 5.0, 0.5  # times at which the torque begins to rise and to fall, and how long it takes
END, STEPS = 7.0, 700


def build() -> hn.Model:
    m = hn.Model("clutch_driveline")
    flat = lambda inertia: (0.6 * inertia, 0.6 * inertia, inertia)
    turned = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # z of the shafts is the x axis of ground
    engine = m.part("engine", 20.0, flat(ENGINE), axes=turned, position=(0, 0, 0), angular_velocity=(0, 0, SPEED))
    shaft = m.part("shaft", 5.0, flat(SHAFT), axes=turned, position=(0.3, 0, 0))
    wheels = m.part(
        "wheels", 1.0, (1e-6, 1e-6, 1e-6), position=(1.5, 0, -0.2)
    )  # their inertia is in the mass of the car
    car = m.part("car", MASS, (500.0, 1500.0, 1500.0), position=(1.0, 0, 0.3))
    crank = m.revolute(engine, m.ground, "crank", at=(0, 0, 0), axis=(1, 0, 0))
    gearbox = m.revolute(shaft, m.ground, "gearbox", at=(0.3, 0, 0), axis=(1, 0, 0))
    axle = m.revolute(wheels, m.ground, "axle", at=(1.5, 0, -0.2), axis=(0, 1, 0))
    road = m.translational(car, m.ground, "road", at=(1.0, 0, 0.3), axis=(1, 0, 0))
    m.coupler((gearbox, axle), (1.0, -RATIO), name="gears")
    m.coupler((axle, road), (RADIUS, -1.0), ("R", "T"), name="rolling")
    torque = f"{TORQUE}+STEP(TIME,{RISE},0,{RISE + SWELL},{MORE - TORQUE})-STEP(TIME,{FALL},0,{FALL + SWELL},{MORE - TORQUE})"  # noqa: E501
    m.sforce(crank.i, crank.j, torque, "combustion", kind="ROTATIONAL")
    m.clutch(i=engine, j=shaft, at=(0.15, 0, 0), axis=(1, 0, 0), capacity=CAPACITY, engaged=CLOSE, name="clutch")
    for body, a, b, radius in (
        (engine, -0.4, -0.02, 0.12),
        (engine, 0.08, 0.14, 0.13),
        (shaft, 0.16, 0.22, 0.12),
        (shaft, 0.22, 1.45, 0.02),
    ):
        drawing.rod(m, body, (a, 0, 0), (b, 0, 0), radius)
    for y in (-0.7, 0.6):
        drawing.rod(m, wheels, (1.5, y, -0.2), (1.5, y + 0.1, -0.2), RADIUS)
    drawing.rod(m, wheels, (1.5, -0.7, -0.2), (1.5, 0.7, -0.2), 0.03)
    drawing.block(m, car, (0.9, 0, 0.5), (2.6, 1.3, 0.3))
    drawing.block(m, m.ground, (1.0, 0, -0.55), (6.0, 2.5, 0.1), color="grey")
    return m


def main(model: hn.Model | None = None) -> float:
    run = hn.simulate(model or build(), END, STEPS, error=1e-8)
    table = run.switches
    assert list(table["target"]) == ["forward", "stuck", "forward", "stuck"], table
    w0 = SPEED + TORQUE / ENGINE * CLOSE
    slip = w0 / ((CAPACITY - TORQUE) / ENGINE + CAPACITY / BEHIND)
    assert np.allclose(table["time"][:2], [CLOSE, CLOSE + slip], rtol=0, atol=1e-7), (table["time"], slip)
    at = lambda t: int(np.argmin(np.abs(run.time - t)))
    k = at(table["time"][1])
    together = CAPACITY * slip / BEHIND
    for name in ("engine", "shaft"):
        assert abs(run.part(name).angular_velocity.values[k, 0] - together) < 1e-6 * together
    share = CAPACITY * (ENGINE + BEHIND) / BEHIND  # engine torque at which the clutch gives way
    x = (share - TORQUE) / (MORE - TORQUE)
    s = min(r.real for r in np.roots([-2.0, 3.0, 0.0, -x]) if abs(r.imag) < 1e-9 and 0 <= r.real <= 1)
    assert abs(table["time"][2] - (RISE + s * SWELL)) < 1e-6, (table["time"][2], RISE + s * SWELL)
    e = run.energy
    heat = -np.trapezoid(run.force("clutch.forward").torque.values[:, 0] * slip_speed(run), run.time)
    first = 0.5 * CAPACITY * w0 * slip
    assert np.ptp(e["total"].values + e["dissipated"].values - e["input"].values) < 1e-6 * e["total"].values.max()
    print(
        f"slips for {slip:.4f} s ({first / 1e3:.1f} of {heat / 1e3:.1f} kJ of heat), then {together:.1f} rad/s; slips "
        f"again at {table['time'][2]:.4f} s"
    )
    return float(table["time"][2])


def slip_speed(run) -> np.ndarray:
    return run.part("engine").angular_velocity.values[:, 0] - run.part("shaft").angular_velocity.values[:, 0]


if __name__ == "__main__":
    sys.exit(not main())

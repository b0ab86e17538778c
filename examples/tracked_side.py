"""One side of a tracked vehicle (M113): 63 shoes, sprocket, idler with tensioner, five road wheels on torsion bars,
ground.

It settles for half a second, then the sprocket is driven by 3 kN m.  Checked: the ground carries the weight; the
tensioner balances both strands at the idler; the hull goes ten pitches for a turn of the sprocket, less the slip; the
kinetic energy is that of hull, wheels and twice the mass of the track (its lower strand stands, its upper one runs at
twice the speed); traction is mass times acceleration; torque times angle is what is stored and lost.
"""

import sys

import numpy as np

import holonom as hn
from holonom.machinery import tracked_side
from holonom.machinery.track import IDLER, SHOE, SPROCKET, WHEEL

SHOES, TORQUE, GRAVITY = 63, 3000.0, 9.81
END, STEPS = 2.5, 500
FROM = 1.2  # s: the torque is constant from 1 s on


def build() -> hn.Model:
    return tracked_side(SHOES, torque=TORQUE, gravity=GRAVITY)


def idler_strands(run: hn.Run) -> np.ndarray:
    """Pull of both strands on idler, carrier and what lies round them (times,): pins cut 0.3 m in front of the
    idler."""
    place = (
        np.array([run.part(f"shoe {k + 1}").position.values[:, :2] for k in range(SHOES)])
        - run.part("idler").position.values[:, :2]
    )
    pull = np.array([run.constraint(f"pin {k + 1}").force.values[:, 0] for k in range(SHOES)])
    cut = (place[..., 0] - 0.3) * (np.roll(place, -1, axis=0)[..., 0] - 0.3) < 0  # pin k joins shoe k and the next one
    return np.abs(pull * cut).sum(axis=0)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    model = model or build()
    defined = sum(len(c.igeom) * len(c.jgeom) for c in model.table("CONTACT").values())
    mass = sum(p.mass for p in model.table("PART").values() if p.mass)
    run = hn.simulate(model, end=END, steps=STEPS, integrator="GSTIFF", error=1e-5)
    if report:
        run.report(report)
    steady = run.time >= FROM
    q = run.request("motion").values
    t, x, speed, turning = run.time[steady], q[steady, 1], q[steady, 3], -q[steady, 4]
    ground = run.contact("ground").force.values
    acting = sum(run.contact(n).points.values[steady] for n in ("sprocket teeth", "wheels on track", "ground"))

    weight = ground[run.time >= 0.3, 1].mean() / (mass * GRAVITY)
    tensioner = -run.force("tensioner").force.values[:, 0]
    quiet = (run.time > 0.4) & (run.time < 0.5)
    idler = idler_strands(run)[quiet].mean() / tensioner[quiet].mean()
    per_turn = 2 * np.pi * (x[-1] - x[0]) / np.trapezoid(turning, t)
    pitches = SPROCKET["teeth"] * SHOE["pitch"]
    moved = mass + SHOES * SHOE["mass"]  # the track runs round at the hull's speed while it goes along with it
    for part, count in ((WHEEL, 5), (IDLER, 1)):
        moved += count * part["inertia"][2] / part["radius"] ** 2
    moved += SPROCKET["inertia"][2] * (2 * np.pi / pitches) ** 2
    energy = run.energy
    kinetic = energy["kinetic"].values[steady].mean() / (0.5 * moved * speed**2).mean()
    acceleration = (speed[-1] - speed[0]) / (t[-1] - t[0])
    traction = np.trapezoid(ground[steady, 0], t) / (t[-1] - t[0])
    most = TORQUE * 2 * np.pi / pitches
    depth = max(run.contact(n).depth.values.max() for n in ("sprocket teeth", "wheels on track", "ground"))
    print(f"track: {defined} contacts defined, {acting.mean():.1f} act; {run.counters['steps']} steps for {END:g} s")
    print(f"track: mean force on the ground over weight {weight:.4f}; depth at most {1e3 * depth:.2f} mm")
    print(
        f"track: tensioner {tensioner[quiet].mean():.0f} N before, {tensioner[steady].mean():.0f} N while driven; "
        f"strands over tensioner {idler:.4f}"
    )
    print(
        f"track: {per_turn:.4f} m for a turn of the sprocket, {pitches:.4f} m are ten pitches: slip "
        f"{100 * (1 - per_turn / pitches):.2f} %"
    )
    print(
        f"track: acceleration {acceleration:.3f} m/s^2; traction {traction:.0f} N of {most:.0f} N, over mass "
        f"{traction / mass:.3f} m/s^2"
    )
    print(f"track: kinetic energy over that of {moved:.0f} kg at the hull's speed {kinetic:.4f}")
    print(f"track: {run.audit()}")
    assert defined == SHOES * 10 and 25 < acting.mean() < 50
    assert abs(weight - 1) < 0.01 and depth < 4e-3
    assert abs(idler - 1) < 0.02
    assert 0.0 < 1 - per_turn / pitches < 0.01
    assert abs(kinetic - 1) < 0.02
    assert abs(mass * acceleration / traction - 1) < 0.02  # but for what the hull swings against the rest
    assert 0.5 * most < traction < most * mass / moved  # without losses it would be the last one
    assert run.audit().segments[0].relative < 1e-3
    return float(x[-1])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

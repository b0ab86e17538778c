"""Card house of three storeys at rest for a minute: leaning pairs held up by friction alone, by time-stepping.

Playing cards (88 x 58 x 0.3 mm, 1.8 g, the edges of leaning ones round) lean against each other at 20 degrees from the
vertical, lying cards bridge their tops.  Statics of one leaning card of weight w under a load V on its top, moments
about its foot: the other card pushes with H = (w/2 + V) t, where t is tan(angle) but for the roundness, and the foot
carries  w + V,  so a pair needs the friction

    mu = t (w/2 + V)/(w + V),      t = 2 a sin(angle)/(2 a cos(angle) + r):

half of t where it stands alone, all of it under a great load (2 a: from edge to edge, r: radius of the edges).

Checked: a single pair stands 1 % above its limit and falls 1 % below; the house represents 60 s at steps of 10 ms and
moves by less than a micrometre; its floor carries its weight.
"""

import sys

import numpy as np

import holonom as hn

LENGTH, WIDTH, THICK = 0.088, 0.058, 0.0003  # [m] a playing card
MASS, G = 0.0018, 9.81  # [kg], [m/s^2]
ANGLE = np.radians(20)  # of the leaning cards from the vertical
MU = 0.5
END, STEPS = 60.0, 120
STEP = 0.01  # [s] of the time-stepping


def pair_friction(load: float = 0.0) -> float:
    """Least friction of a leaning pair, load: on each upper corner over the weight of a card."""
    arm, r = LENGTH - THICK, 0.5 * THICK
    return arm * np.sin(ANGLE) / (arm * np.cos(ANGLE) + r) * (0.5 + load) / (1.0 + load)


def add_card(model: hn.Model, name: str, x: float, z: float, along) -> list:
    """A card with its length along a direction in the plane of x and z; returns its shapes: the faces, two round edges
    where it leans."""
    u = np.asarray(along, float)
    axes = np.array([u, (0, 1, 0), np.cross(u, (0, 1, 0))]).T
    edges = np.array([LENGTH, WIDTH, THICK])
    centre, r = np.array([x, 0, z]), 0.5 * THICK
    card = model.part(name, MASS, MASS / 12 * (np.sum(edges**2) - edges**2), centre, axes=axes)
    leans = u[2] > 0
    shapes = [model.box(card, centre, edges - [THICK * leans, 0, 0], x=axes[:, 0], z=axes[:, 2], name=f"{name} faces")]
    for side, word in ((-1, "foot"), (1, "top")) if leans else ():
        end = centre + side * (0.5 * LENGTH - r) * u
        across = np.array([0, 0.5 * WIDTH - r, 0])
        shapes.append(model.capsule(card, end - across, end + across, r, name=f"{name} {word}"))
    return shapes


def build(storeys: int = 3, mu: float = MU) -> hn.Model:
    model = hn.Model("card_house")
    model.rigid.method = "time-stepping"
    model.gravity = (0, 0, -G)
    s, c = np.sin(ANGLE), np.cos(ANGLE)
    arm, r = 0.5 * LENGTH - 0.5 * THICK, 0.5 * THICK  # from the centre of a card to the centre of its round edge
    pitch = LENGTH + 0.5 * THICK  # of the apexes
    cards, z = [], 0.0
    for storey in range(1, storeys + 1):
        pairs = storeys + 1 - storey
        for k in range(pairs):
            x = (k - 0.5 * (pairs - 1)) * pitch
            cards += add_card(model, f"left {storey}.{k + 1}", x - r - arm * s, z + r + arm * c, (s, 0, c))
            cards += add_card(model, f"right {storey}.{k + 1}", x + r + arm * s, z + r + arm * c, (-s, 0, c))
        z += 2 * (r + arm * c)
        for k in range(pairs - 1):
            cards += add_card(model, f"lying {storey}.{k + 1}", (k - 0.5 * (pairs - 2)) * pitch, z + r, (1, 0, 0))
        z += THICK
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=0.4, name="floor")
    model.contact(cards, floor, name="cards on the floor", mu=mu)
    model.contact(cards, name="cards", mu=mu)
    return model


def moved(run: hn.Run) -> float:
    """Greatest way of a card's centre from where it was built."""
    return max(float(np.linalg.norm(np.ptp(run.part(name).position.values, axis=0))) for name in run.bodies)


def stand(model: hn.Model, end: float, steps: int) -> hn.Run:
    model.rigid.solver = "NSGS"  # a step in a hundred requires 1000 sweeps; linear algebra for 350 rows would cost more
    return hn.simulate(model, end, steps, contact="time-stepping", step=STEP, progress=False)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    limit = pair_friction()
    above, below = (moved(stand(build(1, factor * limit), 1.0, 10)) for factor in (1.01, 0.99))
    print(
        f"card house: a pair alone needs mu = {limit:.4f}; 1 % above it moves {above:.1e} m in a second, 1 % below "
        f"{below:.1e} m"
    )
    assert above < 1e-8 and below > 0.02
    run = stand(model or build(), END, STEPS)
    if report:
        run.report(report)
    floor = run.contact("cards on the floor").force.values[-1, 2]
    weight = MASS * G * len(run.bodies)
    print(
        f"card house: moved {moved(run):.1e} m in {END:g} s; the floor carries {floor / weight:.9f} of the weight; "
        f"{run.counters}"
    )
    assert moved(run) < 1e-6
    assert abs(floor / weight - 1) < 1e-6
    assert run.counters["largest contact residual"] < 1e-5
    return floor


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

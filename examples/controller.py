"""A cart-pole that a controller in Python keeps upright, through the stepping interface.

Fifty times a second the program asks the simulation for the place of the cart, the tilt of the pole and their rates,
and sets the force on the cart, which is held until the next time.  The gains come from the textbook's equations of
motion, linear about upright (M cart, m pole, l half its length):
    (M + m) x'' + m l q'' = u,   m l x'' + 4/3 m l^2 q'' = m g l q,
by the Riccati equation of the sampled plant z(k+1) = A z(k) + B u(k).  After a faint shove the simulation must follow
the sampled closed loop z(k+1) = (A - B K) z(k) to the digits that are left by what is not linear; after a hard one it
must come to rest, upright, where it is commanded to.
"""

import sys

import numpy as np
from scipy.linalg import expm, solve_discrete_are

import holonom as hn
from holonom.model import drawing

CART, POLE, HALF, G = 1.0, 0.3, 0.5, 9.80665  # [kg], [kg], [m], [m/s^2]
PERIOD, END = 0.02, 8.0  # of the controller [s]
GOAL = 0.8  # where the cart is commanded to go [m]


def build(shove: float = 4.0) -> hn.Model:
    """Upright, the pole turning with ``shove`` [rad/s]."""
    model = hn.Model("cart_pole", units="SI")
    model.gravity = (0.0, 0.0, -G)
    thick = POLE * (2 * HALF) ** 2 / 12
    cart = model.part("cart", CART, (0.01, 0.01, 0.01), (0, 0, 0))
    pole = model.part(
        "pole", POLE, (thick, thick, 1e-5), (0, 0, HALF), velocity=(shove * HALF, 0, 0), angular_velocity=(0, shove, 0)
    )
    model.translational(cart, model.ground, "track", at=(0, 0, 0), axis=(1, 0, 0))
    model.revolute(pole, cart, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    force = model.input("force")
    model.vforce(cart.cm, model.marker(model.ground, (0, 0, 0)), fx=f"VARVAL({force.id})", name="drive")
    drawing.block(model, cart, (0, 0, 0), (0.3, 0.16, 0.1))
    drawing.rod(model, pole, (0, 0, 0), (0, 0, 2 * HALF), 0.015)
    drawing.pin(model, pole, (0, 0, 0), (0, 1, 0), 0.03, 0.2)
    drawing.block(model, model.ground, (0.4, 0, -0.08), (2.4, 0.2, 0.02))
    return model


def sampled() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B of the sampled plant and the gains K; z = (x, q, x', q')."""
    mass = np.array([[CART + POLE, POLE * HALF], [POLE * HALF, 4 / 3 * POLE * HALF**2]])
    rate = np.zeros((5, 5))
    rate[:2, 2:4] = np.eye(2)
    rate[2:4, :2] = np.linalg.solve(mass, [[0, 0], [0, POLE * G * HALF]])
    rate[2:4, 4] = np.linalg.solve(mass, [1, 0])
    both = expm(rate * PERIOD)
    A, B = both[:4, :4], both[:4, 4:]
    Q, R = np.diag([10.0, 10.0, 1.0, 1.0]), np.eye(1)
    S = solve_discrete_are(A, B, Q, R)
    return A, B, np.linalg.solve(R + B.T @ S @ B, B.T @ S @ A)


def balance(model: hn.Model, goal: float = 0.0, record: str = "none") -> tuple[hn.Simulation, np.ndarray]:
    """Step the model under control; the simulation, and z at each sample."""
    gains = sampled()[2]
    sim = hn.Simulation(model)
    sim.open(integrator="RK4", step=PERIOD / 10, record=record)
    hinge = model.find("JOINT", "hinge")
    asked = ["track", "hinge", f"VX({model.find('PART', 'cart').cm})", f"WZ({hinge.i},{hinge.j},{hinge.j})"]
    rows = []
    for k in range(round(END / PERIOD)):
        z = sim.output(asked)
        rows.append(z)
        sim.set_input("force", -gains @ (z - [goal, 0, 0, 0]))
        sim.advance((k + 1) * PERIOD)
    return sim, np.array([*rows, sim.output(asked)])


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    A, B, K = sampled()
    closed = A - B @ K
    faint = 1e-4
    found = balance(build(faint))[1]
    exact = [np.array([0, 0, found[0, 2], faint])]
    for _ in found[1:]:
        exact.append(closed @ exact[-1])
    off = abs(found - exact).max() / abs(np.array(exact)).max()
    slow = abs(np.linalg.eigvals(closed)).max()
    print(
        f"controller: slowest mode {np.log(slow) / PERIOD:.4f} 1/s; simulation and sampled closed loop differ by "
        f"{off:.1e} of their size"
    )
    assert off < 1e-8

    sim, rows = balance(model or build(), GOAL, "advance")
    print(
        f"tilt up to {np.degrees(abs(rows[:, 1]).max()):.2f} deg, at the end {abs(rows[-1, 1]):.1e} rad, "
        f"{abs(rows[-1, 0] - GOAL):.1e} m from its goal"
    )
    assert np.radians(15) < abs(rows[:, 1]).max() < np.radians(60)
    assert abs(rows[-1, 1]) < 1e-3 and abs(rows[-1, 0] - GOAL) < 1e-3
    if report:
        sim.run().report(report)
    return float(abs(rows[:, 1]).max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

"""Structures that stand by friction, against statics: the smallest friction of card houses by linear programming,
weights in a stack."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import holonom as hn

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


house = load("card_house")
stack = load("box_stack")


def forces_of(storeys):
    """Contacts of a house in its plane, from its drawing alone: (card above or left, card below or right or None,
    point, normal)."""
    s, c = np.sin(house.ANGLE), np.cos(house.ANGLE)
    arm, r = 0.5 * (house.LENGTH - house.THICK), 0.5 * house.THICK
    pitch = house.LENGTH + r
    centres, contacts = {}, []
    z = 0.0
    for storey in range(1, storeys + 1):
        pairs = storeys + 1 - storey
        for k in range(pairs):
            x = (k - 0.5 * (pairs - 1)) * pitch
            left, right = (f"{side} {storey}.{k + 1}" for side in ("left", "right"))
            below = None if storey == 1 else f"lying {storey - 1}.{k + 1}"
            centres[left], centres[right] = (x - r - arm * s, z + r + arm * c), (x + r + arm * s, z + r + arm * c)
            contacts.append((left, below, (x - r - 2 * arm * s, z), (0, 1)))
            contacts.append((right, below, (x + r + 2 * arm * s, z), (0, 1)))
            contacts.append((left, right, (x, z + r + 2 * arm * c), (-1, 0)))
        z += 2 * (r + arm * c)
        for k in range(pairs - 1):
            lying = f"lying {storey}.{k + 1}"
            x = (k - 0.5 * (pairs - 2)) * pitch
            centres[lying] = (x, z + r)
            contacts.append((lying, f"right {storey}.{k + 1}", (x - 0.5 * pitch + r, z), (0, 1)))
            contacts.append((lying, f"left {storey}.{k + 2}", (x + 0.5 * pitch - r, z), (0, 1)))
        z += house.THICK
    return centres, contacts


def can_stand(storeys, mu):
    """Whether forces within the cones of friction hold every card: a linear programme without an aim."""
    centres, contacts = forces_of(storeys)
    row = {name: 3 * k for k, name in enumerate(centres)}
    A, b = np.zeros((3 * len(centres), 2 * len(contacts))), np.zeros(3 * len(centres))
    for k in row.values():
        b[k + 1] = 1.0  # weight of a card
    for j, (first, second, point, normal) in enumerate(contacts):
        for side, body in ((1, first), (-1, second)):
            if body is None:
                continue
            dx, dz = (np.asarray(point) - centres[body]) / house.LENGTH
            for column, d in ((2 * j, normal), (2 * j + 1, (normal[1], -normal[0]))):
                k = row[body]
                A[k : k + 3, column] += side * np.array([d[0], d[1], dx * d[1] - dz * d[0]])
    cone = np.zeros((2 * len(contacts), 2 * len(contacts)))
    for j in range(len(contacts)):
        cone[2 * j, 2 * j : 2 * j + 2] = -mu, 1
        cone[2 * j + 1, 2 * j : 2 * j + 2] = -mu, -1
    bounds = [(0, None), (None, None)] * len(contacts)
    return (
        linprog(np.zeros(2 * len(contacts)), cone, np.zeros(2 * len(contacts)), A, b, bounds, method="highs").status
        == 0
    )


def least_friction(storeys):
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if can_stand(storeys, middle) else (middle, high)
    return high


def test_a_pair_needs_half_the_tangent():
    assert least_friction(1) == pytest.approx(house.pair_friction(), rel=1e-6)


@pytest.mark.parametrize("storeys", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_houses_stand_and_fall_where_statics_says(storeys):
    mu = least_friction(storeys)
    above, below = (house.moved(house.stand(house.build(storeys, factor * mu), 0.5, 5)) for factor in (1.02, 0.98))
    assert above < 1e-7
    assert below > 1e-4


@pytest.mark.parametrize("step", [0.005, 0.01])
def test_a_stack_carries_its_weights_and_stays(step):
    m = stack.build()
    m.rigid.tolerance = 1e-9
    r = hn.simulate(m, 2.0, 20, contact="time-stepping", step=step, progress=False)
    for k in range(stack.BOXES):
        force = r.contact(f"under box {k + 1}").force.values[-1]
        assert force == pytest.approx([0, 0, (stack.BOXES - k) * stack.MASS * stack.G], abs=1e-5)
        assert np.abs(np.ptp(r.part(f"box {k + 1}").position.values, axis=0)).max() < 1e-7

"""Belt drive of a closed rod: geometry, torque and tensions, elastic creep, bad input."""

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import belt_drive
from holonom.machinery.belt import _outline
from holonom.model import ModelError


def test_the_outline_is_that_of_an_open_belt():
    for A, B in ((0.1, 0.05), (0.05, 0.1), (0.07, 0.07)):
        p = np.array(_outline(A, B, 0.4, np.arcsin((A - B) / 0.4), 400))
        steps = np.linalg.norm(np.roll(p, -1, axis=0) - p, axis=1)
        assert np.ptp(steps) < 2e-4 * steps.max()
        far = np.hypot(p[:, 0], p[:, 1]), np.hypot(p[:, 0] - 0.4, p[:, 1])
        assert far[0].min() == pytest.approx(A, rel=1e-6) and far[1].min() == pytest.approx(B, rel=1e-6)


def test_bad_belts():
    with pytest.raises(hn.ModelError, match="overlap at a distance"):
        belt_drive((0.1, 0.2), 0.3)
    with pytest.raises(hn.ModelError, match="too rough"):
        belt_drive(elements=8)
    with pytest.raises(hn.ModelError, match="tension of a belt drive must be positive"):
        belt_drive(tension=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("model, method, over", [("rod", "HHT", 1.25), ("cable", None, 1.06)])
def test_torque_and_creep(model, method, over):
    """Torque by friction to 1e-2; creep (T1 - T2) / (EA + T1) with ten elements a half circle: a rod touches at its
    nodes alone, as a polygon."""
    m = belt_drive(model=model)
    run = hn.simulate(m, end=0.5, steps=100, integrator=method, error=1e-3)
    c = run.contact("follower")
    moment = np.cross(c.point.values - [0.3, 0, 0], c.force.values)[:, 2] + c.torque.values[:, 2]
    late = run.time > 0.3
    assert abs(moment[late].mean()) == pytest.approx(4.0, rel=1e-2)
    w = [run.part(name).angular_velocity.values[late, 2].mean() for name in ("driver", "follower")]
    creep = 1 - w[1] / w[0]
    theory = (4.0 / 0.051) / (2e8 * 4e-5 + 137.0)
    assert theory < creep < over * theory


def test_only_the_law_whose_stiffness_is_known_is_given_one():
    """Points of a cable are counted, and a rod's contact has none to count; another law keeps the numbers that it has
    by itself."""
    stiffness = lambda **words: next(iter(belt_drive(**words).table("CONTACT").values())).stiffness
    assert stiffness() == pytest.approx(2 * stiffness(model="cable")) and stiffness() == pytest.approx(
        3 * stiffness(model="cable", points=3)
    )
    with pytest.raises(ModelError, match="the law IMPACT has no parameter 'points'"):
        belt_drive(points=2)
    for law in ("HERTZ", "FLORES"):
        m, words = hn.Model(), {"restitution": 0.5} if law == "FLORES" else {}
        ball = m.sphere(m.part("ball", 1.0, (1, 1, 1)), (0, 0, 1), 0.5)
        alone = m.contact(ball, m.box(m.ground, (0, 0, -1), (1, 1, 1)), law, **words)
        assert stiffness(law=law, **words) == alone.stiffness
    for points in (0, "a", 1.5):
        with pytest.raises(ModelError, match="give a whole number, 1 or more"):
            belt_drive(model="cable", points=points)

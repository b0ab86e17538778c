"""Random states at a reset: motion from them against equations of motion, seeds, loops, what is refused."""

import numpy as np
import pytest

import holonom as hn

pytest.importorskip("gymnasium")
HALF, POLE, CART, G = 0.5, 0.1, 1.0, 9.81
INERTIA = POLE * HALF**2 / 3


def cart_pole(initial=None, **options):
    model = hn.Model("cart_pole", units="SI")
    model.gravity = (0, 0, -G)
    cart = model.part("cart", CART, (1, 1, 1), (0, 0, 0))
    pole = model.part("pole", POLE, (INERTIA, INERTIA, 1e-6), (0, 0, HALF))
    model.translational(cart, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    pin = model.revolute(pole, cart, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    force = model.input("force")
    model.vforce(cart.cm, None, fx=f"VARVAL({force.id})")
    seen = [f"DX({cart.cm})", f"VX({cart.cm})", f"AZ({pin.i},{pin.j})", f"WZ({pin.i},{pin.j},{pin.j})"]
    return hn.gym.Environment(
        model,
        inputs={"force": (-10, 10)},
        outputs=seen,
        period=0.02,
        reward=lambda seen, action: 0.0,
        initial=initial,
        **options,
    )


def drawn(draw):
    return {
        "rail.z": (draw.uniform(-1, 1), draw.uniform(-1, 1)),
        "pin.angle": (draw.uniform(-2.5, 2.5), draw.uniform(-2, 2)),
    }


def episode(env, seed):
    seen, _ = env.reset(seed=seed)
    out = [seen]
    out += [env.step([np.sin(k)])[0] for k in range(20)]
    return np.array(out, float)


def by_hand(start):
    """RK4 at a tenth of a millisecond."""

    def rate(s, force):
        _, v, angle, w = s
        c = POLE * HALF * np.cos(angle)
        matrix = [[CART + POLE, c], [c, INERTIA + POLE * HALF**2]]
        right = [force + POLE * HALF * w**2 * np.sin(angle), POLE * G * HALF * np.sin(angle)]
        a, b = np.linalg.solve(matrix, right)
        return np.array([v, a, w, b])

    s, out, h = np.array(start), [start], 1e-3
    for k in range(20):
        for _ in range(20):
            a = rate(s, np.sin(k))
            b = rate(s + h / 2 * a, np.sin(k))
            c = rate(s + h / 2 * b, np.sin(k))
            d = rate(s + h * c, np.sin(k))
            s = s + h / 6 * (a + 2 * b + 2 * c + d)
        out.append(s)
    return np.array(out)


@pytest.mark.parametrize("options", [{}, {"integrator": "DOP853", "error": 1e-9}])
def test_motion_from_random_states(options):
    """Observations are rounded to single precision."""
    env = cart_pole(drawn, **options)
    assert env.coordinates == ["rail.z", "pin.angle"]
    runs = [episode(env, seed) for seed in (1, 2, 1)]
    assert np.array_equal(runs[0], runs[2]) and np.abs(runs[0] - runs[1]).max() > 0.1
    wanted = drawn(np.random.default_rng(1))
    assert np.abs(runs[0][0] - [*wanted["rail.z"], *wanted["pin.angle"]]).max() < 1e-6
    for run in runs[:2]:
        assert np.abs(run - by_hand(run[0])).max() < 5e-6 * np.abs(run).max()


def test_one_state_that_is_given():
    env = cart_pole(drawn)
    seen, _ = env.reset(options={"initial": {"pin.angle": 0.3}})
    assert np.abs(seen - [0, 0, 0.3, 0]).max() < 1e-6
    plain = cart_pole()
    assert not plain.reset()[0].any() and plain.reset(options={"initial": {"rail.z": (0.5, 1.0)}})[0][1] == 1.0
    assert not plain.reset()[0].any()


def test_loops_are_closed():
    """A crank that turns a rocker: all joints stay closed at each start."""
    model = hn.Model("four-bar", units="SI")
    crank = model.part("crank", 1.0, (0.01, 0.01, 0.01), (0.0, 0.0, 0.1))
    rod = model.part("rod", 1.0, (0.1, 0.1, 0.1), (0.25, 0.0, 0.2))
    rocker = model.part("rocker", 1.0, (0.01, 0.01, 0.01), (0.5, 0.0, 0.1))
    torque = model.input("torque")
    pin = model.revolute(crank, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute(rod, crank, "knee", at=(0, 0, 0.2), axis=(0, 1, 0))
    model.revolute(rocker, model.ground, "seat", at=(0.5, 0, 0), axis=(0, 1, 0))
    last = model.spherical(rod, rocker, "last", at=(0.5, 0, 0.2))
    model.sforce(pin.i, pin.j, f"VARVAL({torque.id})", kind="ROTATIONAL")
    seen = [f"AZ({pin.i},{pin.j})", f"DM({last.i},{last.j})", f"VM({last.i},{last.j})"]
    env = hn.gym.Environment(
        model,
        inputs={"torque": (-1, 1)},
        outputs=seen,
        period=0.01,
        reward=lambda seen, action: 0.0,
        initial=lambda draw: {"pin.angle": (draw.uniform(-0.5, 0.5), 1.0)},
    )
    angles = []
    for seed in range(4):
        angle, gap, rate = env.reset(seed=seed)[0]
        assert gap < 1e-9 and rate < 1e-9
        angles.append(angle)
    assert np.ptp(angles) > 0.1


def test_coordinates_that_do_not_fit():
    env = cart_pole()
    for given, said in (
        ({"pin.angel": 1.0}, "there is no coordinate 'pin.angel'; did you mean 'pin.angle'?"),
        ({"x": 1.0}, "there is no coordinate 'x'; there are rail.z, pin.angle"),
        ({"rail.z": (1.0, 2.0, 3.0)}, "give its value, or (value, rate)"),
        ({"rail.z": np.nan}, "give its value, or (value, rate)"),
    ):
        with pytest.raises(hn.ModelError) as error:
            env.reset(options={"initial": given})
        assert said in str(error.value)

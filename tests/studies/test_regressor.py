"""Regressors of inertial parameters against inverse dynamics, energies and published numbers of base parameters."""

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import InertiaRegressor


def arm(axes, points, gravity=(0, 0, -9.81), **more):
    """A chain of bodies on pins with given axes at given points, with scattered inertias."""
    model = hn.Model("arm", units="SI")
    model.gravity = gravity
    rng, before, pins = np.random.default_rng(5), model.ground, []
    for k, (axis, at) in enumerate(zip(axes, points), 1):
        centre = np.array(at) + rng.uniform(-0.3, 0.3, 3)
        body = model.part(f"link{k}", rng.uniform(1, 3), tuple(rng.uniform(0.2, 0.3, 3)), position=tuple(centre))
        pins.append(model.revolute(body, before, f"pin{k}", at=at, axis=axis, **more))
        before = body
    return model, pins


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def test_efforts_are_those_of_inverse_dynamics():
    """Parameters of the model times the regressor, for a spatial arm with an armature and a sliding joint."""
    model, _ = arm([Z, Y, X], [(0, 0, 0), (0.2, 0, 0.5), (0.7, 0.1, 0.5)], armature=0.4)
    tip = model.part("tip", 0.7, (0.02, 0.03, 0.04), position=(1.0, 0.2, 0.4))
    model.translational(tip, model.find("PART", "link3"), "slide", at=(0.9, 0.2, 0.4), axis=(0.6, 0, 0.8))
    regressor, tree = InertiaRegressor(model), hn.JointCoordinates(model)
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1.5, 1.5, (3, 6, tree.nv))
    efforts = regressor.matrix(q, v, a) @ regressor.values
    assert np.abs(efforts - tree.inverse_dynamics(q, v, a)).max() < 1e-11
    assert regressor.matrix(q[0], v[0], a[0]) @ regressor.values == pytest.approx(efforts[0], abs=1e-12)
    base = regressor.base()
    lead = base.combination @ regressor.values
    assert np.abs(regressor.matrix(q, v, a)[..., base.independent] @ lead - efforts).max() < 1e-8


@pytest.mark.parametrize(
    "axes, points, gravity, count",
    [
        # a pendulum with a level pin: inertia and two first moments; with an upright one the inertia alone
        ([Y], [(0, 0, 0)], (0, 0, -9.81), 3),
        ([Z], [(0, 0, 0)], (0, 0, -9.81), 1),
        # planar arm of two links, level and upright plane: 4 and 6 (Khalil and Dombre, 2002)
        ([Z, Z], [(0, 0, 0), (0.5, 0, 0)], (0, 0, -9.81), 4),
        ([Y, Y], [(0, 0, 0), (0.5, 0, 0)], (0, 0, -9.81), 6),
        # PUMA 560, six joints: 36 (Mayeda, Yoshida and Osuka, IEEE Trans. Robot. Autom. 6, 1990)
        (
            [Z, Y, Y, Z, Y, Z],
            [(0, 0, 0), (0, 0.2, 0.7), (0.43, 0.05, 0.7), (0.45, 0.05, 0.9), (0.45, 0.05, 1.13), (0.45, 0.05, 1.3)],
            (0, 0, -9.81),
            36,
        ),
    ],
)
def test_numbers_of_base_parameters(axes, points, gravity, count):
    model, _ = arm(axes, points, gravity)
    regressor = InertiaRegressor(model)
    base = regressor.base()
    assert len(base) == count
    rng = np.random.default_rng(1)
    q, v, a = rng.uniform(-1.5, 1.5, (3, 20, len(axes)))
    W = regressor.matrix(q, v, a)
    grouped = W[..., base.independent] @ base.combination
    assert np.abs(grouped - W).max() < 1e-8 * np.abs(W).max()


def test_combinations_of_the_planar_arm():
    """Level plane, links 0.5 m: Izz1 + m2 / 4, Izz2, and the first moments of the second link, in their names."""
    model = hn.Model("arm", units="SI")
    model.gravity = (0, 0, -9.81)
    one = model.part("one", 2.0, (0.1, 0.2, 0.3))
    two = model.part("two", 1.0, (0.1, 0.2, 0.3), position=(0.5, 0, 0))
    model.revolute(one, model.ground, "shoulder", at=(0, 0, 0), axis=Z)
    model.revolute(two, one, "elbow", at=(0.5, 0, 0), axis=Z)
    base = InertiaRegressor(model).base()
    assert [base.expression(k) for k in range(4)] == ["one.Izz + 0.25 two.m", "two.mx", "two.my", "two.Izz"]
    assert "one.m" in base.without_effect and "two.mz" in base.without_effect
    assert "one.Izz + 0.25 two.m" in str(base)


CRANK, ROD = 0.10, 0.35


def crank():
    """A slider-crank in the x, y plane under gravity along y."""
    model = hn.Model("slider-crank", units="SI")
    model.gravity = (0.0, -9.81, 0.0)
    end = (CRANK + ROD, 0, 0)
    wheel = model.part("crank", 2.0, (0.01, 0.01, 0.02), position=(0.01, 0.02, 0))
    rod = model.part("rod", 1.5, (0.001, 0.015, 0.015), position=(CRANK + ROD / 2, 0.01, 0))
    piston = model.part("piston", 1.2, (0.001, 0.001, 0.001), position=end)
    model.revolute(wheel, model.ground, "main", at=(0, 0, 0), axis=Z)
    model.revolute(rod, wheel, "big end", at=(CRANK, 0, 0), axis=Z)
    model.revolute(piston, rod, "small end", at=end, axis=Z)
    model.translational(piston, model.ground, "guide", at=end, axis=X)
    return model


def test_a_loop_against_energies():
    """Torque of the drive by the derivative of the energy, column by column."""
    regressor = InertiaRegressor(crank(), drives=["main.angle"])
    q = np.linspace(0.0, 6.0, 40)
    w, acc = 3.0 + np.sin(q), 2.0 * np.cos(3.0 * q)
    Y = regressor.matrix(q[:, None], w[:, None], acc[:, None])[:, 0]
    lean = lambda q: -np.arcsin(CRANK / ROD * np.sin(q))  # of the rod
    travel = lambda q: CRANK * np.cos(q) + ROD * np.cos(lean(q)) - CRANK - ROD  # of the piston
    rate = lambda f, h=1e-3: lambda q: (8 * (f(q + h) - f(q - h)) - (f(q + 2 * h) - f(q - 2 * h))) / (12 * h)

    def torque(x, y, angle, words):
        """Rows of m, mx, my, Izz of a body whose origin is at x(q), y(q) and which has turned by angle(q): energy
        T = 1/2 w^2 [m (x'^2 + y'^2) + 2 mx (-x' s + y' c) a' - 2 my (x' c + y' s) a' + Izz a'^2] and
        V = 9.81 (m y + mx s + my c)."""
        dx, dy, da = rate(x), rate(y), rate(angle)
        half = {
            "m": lambda q: 0.5 * (dx(q) ** 2 + dy(q) ** 2),
            "mx": lambda q: (-dx(q) * np.sin(angle(q)) + dy(q) * np.cos(angle(q))) * da(q),
            "my": lambda q: -(dx(q) * np.cos(angle(q)) + dy(q) * np.sin(angle(q))) * da(q),
            "Izz": lambda q: 0.5 * da(q) ** 2,
        }
        height = {"m": y, "mx": lambda q: np.sin(angle(q)), "my": lambda q: np.cos(angle(q)), "Izz": lambda q: 0 * q}
        return [2 * half[n](q) * acc + rate(half[n])(q) * w**2 + 9.81 * rate(height[n])(q) for n in words]

    words = ("m", "mx", "my", "Izz")
    zero = lambda q: 0.0 * q
    turned = lambda a, x, y: (x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a))
    along = lambda k: lambda q: turned(q, 0.01, 0.02)[k]  # of the origin of each part, at its position
    coupler = lambda k: lambda q: turned(q, CRANK, 0.0)[k] + turned(lean(q), ROD / 2, 0.01)[k]
    seen = {
        "crank": torque(along(0), along(1), lambda q: q, words),
        "rod": torque(coupler(0), coupler(1), lean, words),
        "piston": torque(travel, zero, zero, words),
    }
    for body, rows in seen.items():
        for name, row in zip(words, rows):
            mine = Y[:, regressor.names.index(f"{body}.{name}")]
            assert np.abs(mine - row).max() < 1e-6 * max(np.abs(row).max(), 1.0), (body, name)
    base = regressor.base()
    # as many as the columns of the energies are independent
    columns = np.array([row for rows in seen.values() for row in rows]).T
    size = np.linalg.norm(columns, axis=0)
    s = np.linalg.svd(columns[:, size > 1e-9] / size[size > 1e-9], compute_uv=False)
    assert len(base) == int((s > 1e-6 * s[0]).sum())


def test_estimates_cover_the_truth():
    """Two links in an upright plane with 1 % noise: 95 % of the intervals contain the base parameters."""
    model, _ = arm([Y, Y], [(0, 0, 0), (0.5, 0, 0)])
    regressor = InertiaRegressor(model)
    t = np.linspace(0, 6, 80)[:, None]
    angle = np.hstack([np.sin(1.7 * t) + 0.5 * np.sin(4.1 * t), np.cos(2.3 * t) - 0.4 * np.sin(5.2 * t)])
    rate = np.hstack([1.7 * np.cos(1.7 * t) + 2.05 * np.cos(4.1 * t), -2.3 * np.sin(2.3 * t) - 2.08 * np.cos(5.2 * t)])
    acc = np.hstack(
        [-2.89 * np.sin(1.7 * t) - 8.405 * np.sin(4.1 * t), -5.29 * np.cos(2.3 * t) + 10.816 * np.sin(5.2 * t)]
    )
    clean = hn.JointCoordinates(model).inverse_dynamics(angle, rate, acc)
    rng, inside = np.random.default_rng(2), []
    std = 0.01 * clean.std(axis=0)
    for k in range(30):
        noisy = clean + std * rng.standard_normal(clean.shape)
        found = regressor.identify(angle, rate, acc, noisy, std=std if k % 2 else None)
        truth = found.base.combination @ regressor.values
        inside += list((found.interval[:, 0] <= truth) & (truth <= found.interval[:, 1]))
        assert found.noise == pytest.approx(std, rel=0.35) and 0.75 < found.misfit < 1.25
    assert len(inside) == 180 and 0.91 <= np.mean(inside) <= 0.985
    assert "link1.Iyy" in found.text() and found.condition < 1e3


def test_what_is_refused():
    model, pins = arm([Y, Y], [(0, 0, 0), (0.5, 0, 0)])
    regressor = InertiaRegressor(model)
    with pytest.raises(ModelError, match=r"v must be finite numbers of shape \(1, 2\), got \(1, 3\)"):
        regressor.matrix([0, 0], [0, 0, 0], [0, 0])
    with pytest.raises(ModelError, match="1 efforts cannot|2 efforts cannot determine"):
        regressor.identify([[0.1, 0.2]], [[1, 2]], [[1, 2]], [[1, 2]])
    with pytest.raises(ModelError, match="no loops, so all of its freedoms are drives"):
        InertiaRegressor(model, drives=["pin1.angle"])
    with pytest.raises(ModelError, match="the machine has loops; give drives"):
        InertiaRegressor(crank())
    with pytest.raises(ModelError, match="there is no freedom 'main.angel'; did you mean 'main.angle'"):
        InertiaRegressor(crank(), drives=["main.angel"])
    with pytest.raises(ModelError, match="depend on each other through the loops"):
        InertiaRegressor(crank(), drives=["main.angle", "big end.angle"])
    model.spring_damper(pins[1].i, model.marker(model.ground, (1, 1, 1)), 10.0, 1.0, length="drawn")
    with pytest.raises(ModelError, match="forces other than gravity act on its bodies"):
        InertiaRegressor(model)

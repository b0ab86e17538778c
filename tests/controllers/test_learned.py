"""Fuzzy controllers and neural networks against evaluation with NumPy."""

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError

value = lambda found, name: np.asarray(found.variable(name).values)
tri = lambda a, b, c: lambda u: np.clip(np.minimum((u - a) / (b - a), (c - u) / (c - b)), 0, 1)
left = lambda c, d: lambda u: np.clip((d - u) / (d - c), 0, 1)
right = lambda a, b: lambda u: np.clip((u - a) / (b - a), 0, 1)

SETS = {
    "neg": ("trapezoid", -9, -9, -1, 0),
    "zero": ("triangle", -1, 0, 1),
    "pos": ("trapezoid", 0, 1, 9, 9),
}
GRADES = {"neg": left(-1, 0), "zero": tri(-1, 0, 1), "pos": right(0, 1)}
OUT = {"down": ("triangle", -2, -1, 0), "stay": ("triangle", -1, 0, 1), "up": ("triangle", 0, 1, 2)}
OUT_GRADES = {"down": tri(-2, -1, 0), "stay": tri(-1, 0, 1), "up": tri(0, 1, 2)}
RULES = [
    (("neg", "neg"), "up"),
    (("zero", None), "stay"),
    (("pos", "pos"), "down", 0.7),
    (("neg", "pos"), "stay"),
    (("pos", "zero"), "down"),
]


def signals():
    model = hn.Model("signals", units="SI")
    model.control.function("e", "1.5*SIN(3*TIME)")
    model.control.function("r", "1.2*COS(5*TIME)")
    return model


def run(model):
    found = hn.simulate(model, end=2.0, steps=40, integrator="RK4", step=0.05)
    return found, value(found, "e"), value(found, "r")


@pytest.mark.parametrize("conjunction", ["min", "product"])
def test_mamdani(conjunction):
    model = signals()
    model.control.fuzzy(
        "y", "e", "r", sets=[SETS, SETS], rules=RULES, output=OUT, range=(-2.0, 2.0), conjunction=conjunction
    )
    found, e, r = run(model)
    both = np.minimum if conjunction == "min" else np.multiply
    points = np.linspace(-2, 2, 101)
    exact = []
    for a, b in zip(e, r):
        mu = np.zeros(101)
        for (first, second), out, *weight in RULES:
            w = GRADES[first](a)
            w = both(w, GRADES[second](b)) if second else w
            mu = np.maximum(mu, both((weight or [1.0])[0] * w, OUT_GRADES[out](points)))
        exact.append(points @ mu / mu.sum() if mu.sum() else 0.0)
    assert abs(value(found, "y") - exact).max() < 1e-12


def test_sugeno_continuous_and_sampled():
    rules = [(("neg", None), (1.0, 0.5, -0.2)), (("zero", "pos"), 2.0), (("pos", "neg"), (-1.0, 0, 0.3), 0.5)]
    smooth = {"low": ("gauss", -1.0, 0.6), "mid": ("bell", 0.7, 2.0, 0.1), "high": ("sigmoid", 4.0, 0.8)}
    model = signals()
    model.control.fuzzy("y", "e", "r", sets=[SETS, SETS], rules=rules, conjunction="product")
    model.control.fuzzy("s", "e", sets=[smooth], rules=[("low", 3.0), ("mid", 1.0), ("high", -2.0)], sample_time=0.05)
    found, e, r = run(model)
    w = np.array([GRADES["neg"](e), GRADES["zero"](e) * GRADES["pos"](r), 0.5 * GRADES["pos"](e) * GRADES["neg"](r)])
    f = np.array([1 + 0.5 * e - 0.2 * r, 2 + 0 * e, -1 + 0.3 * r])
    exact = np.where(w.sum(0) > 0, (w * f).sum(0) / np.maximum(w.sum(0), 1e-300), 0)
    assert abs(value(found, "y") - exact).max() < 1e-12
    w = np.array(
        [np.exp(-0.5 * ((e + 1) / 0.6) ** 2), 1 / (1 + abs((e - 0.1) / 0.7) ** 4), 1 / (1 + np.exp(-4 * (e - 0.8)))]
    )
    exact = (w.T @ [3.0, 1.0, -2.0]) / w.sum(0)
    assert abs(value(found, "s")[1:] - exact[:-1]).max() < 1e-12


def test_networks():
    rng = np.random.default_rng(3)
    layers = [
        (rng.normal(size=(8, 2)), rng.normal(size=8), "tanh"),
        (rng.normal(size=(7, 8)), rng.normal(size=7), "relu"),
        (rng.normal(size=(5, 7)), rng.normal(size=5), "softplus"),
        (rng.normal(size=(4, 5)), rng.normal(size=4), "sigmoid"),
        (rng.normal(size=(3, 4)), rng.normal(size=3), "leaky_relu"),
        (rng.normal(size=(2, 3)), rng.normal(size=2), "linear"),
    ]
    model = signals()
    model.control.neural("net", "e", "r", layers=layers, offset=(0.1, -0.2), scale=(2.0, 0.5))
    found, e, r = run(model)
    a = np.array([(e - 0.1) * 2.0, (r + 0.2) * 0.5])
    functions = {
        "tanh": np.tanh,
        "relu": lambda z: np.maximum(z, 0),
        "softplus": lambda z: np.logaddexp(0, z),
        "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
        "leaky_relu": lambda z: np.where(z > 0, z, 0.01 * z),
        "linear": lambda z: z,
    }
    for W, b, name in layers:
        a = functions[name](W @ a + b[:, None])
    for k in range(2):
        assert abs(value(found, f"net.y{k + 1}") - a[k]).max() < 1e-12 * (1 + abs(a).max())


def test_a_network_in_a_loop_has_exact_derivatives():
    """Linear analysis through a network that stabilises a mass."""
    model = hn.Model("cart", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=2.0, inertia=(1, 1, 1))
    model.translational(block, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    W1, W2 = np.array([[1.0, 0.3], [-0.5, 0.8]]), np.array([[-3.0, -2.0]])
    model.control.neural(
        "push", f"DX({block.cm})", f"VX({block.cm})", layers=[(W1, [0.0, 0.0], "tanh"), (W2, [0.0], "linear")]
    )
    model.vforce(block.cm, None, fx="VARVAL(push)")
    k, d = (W2 @ W1)[0]
    assert abs(np.sort_complex(hn.linearize(model).eigenvalues) - np.sort_complex(np.roots([2.0, -d, -k]))).max() < 1e-8


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda c: c.fuzzy("f", 1, sets=[], rules=[]), "sets are given for 0 inputs"),
        (lambda c: c.fuzzy("f", 1, sets=[SETS], rules=[("pos", 1.0), ("poss", 0.0)]), "did you mean 'pos'"),
        (lambda c: c.fuzzy("f", 1, sets=[{"a": ("triangel", 0, 1, 2)}], rules=[]), "did you mean 'triangle'"),
        (lambda c: c.fuzzy("f", 1, sets=[{"a": ("triangle", 0, 2, 1)}], rules=[]), "must increase"),
        (lambda c: c.fuzzy("f", 1, sets=[SETS], rules=[("pos", "up")], output=OUT, range=(1, 1)), "range is"),
        (lambda c: c.neural("n", 1, layers=[([[1, 2]], [0], "tanh")]), "layer 1: W is 1 x 2"),
        (lambda c: c.neural("n", 1, layers=[([[1]], [0], "tanhh")]), "did you mean 'tanh'"),
    ],
)
def test_mistakes(build, text):
    with pytest.raises(ModelError, match=text):
        build(hn.Model("m").control)

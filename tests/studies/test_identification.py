"""Identification against linear regression, closed forms, Monte Carlo, and planted parameters of models."""

import math

import numpy as np
import pytest
from _curves import derivatives, released
from _models import oscillator
from scipy.optimize import brentq
from scipy.stats import chi2, f, t

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Curve, Experiment, StudyParameter, identify, read_curve

T = np.linspace(0.0, 3.0, 61)
TRUE = {"m": 2.0, "k": 50.0, "c": 1.5}
BOUNDS = {"m": (0.5, 5.0), "k": (20.0, 120.0), "c": (0.1, 5.0)}


def line(values):
    return {"y": values["a"] + values["b"] * T, "d y/d a": np.ones_like(T), "d y/d b": T}


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("how", ["auto", "differences"])
def test_straight_line(known, how):
    """Estimate, covariance and intervals of linear regression."""
    noise = 0.2 * np.random.default_rng(1).standard_normal(len(T))
    y = 1.0 + 2.0 * T + noise
    X = np.column_stack([np.ones_like(T), T])
    found = identify(Experiment(line, Curve("y", T, y, std=0.2 if known else None)), {"a": (-5, 5), "b": (-5, 5)},
                     derivatives=how)  # fmt: skip
    best, squares = np.linalg.lstsq(X, y, rcond=None)[:2]
    variance = 0.04 if known else float(squares[0]) / (len(T) - 2)
    covariance = variance * np.linalg.inv(X.T @ X)
    q = 1.959963984540054 if known else t.ppf(0.975, len(T) - 2)
    assert list(found.parameters.values()) == pytest.approx(best, rel=1e-7)
    assert found.covariance == pytest.approx(covariance, rel=1e-6)
    half = q * covariance[1, 1] ** 0.5
    assert found.interval["b"] == pytest.approx((best[1] - half, best[1] + half), rel=1e-6)
    correlation = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    assert found.correlation[0, 1] == pytest.approx(correlation, rel=1e-6)
    assert found.rank == 2 and found.undetermined == [] and found.converged
    assert ("exact" in found.derivatives) == (how == "auto")
    both = found.profile("b")  # of a linear model that of the covariance
    assert (both.low, both.high) == pytest.approx(found.interval["b"], rel=1e-4) and not both.better


def swing(values):
    x, speed = released(values, T)
    return {"x": x, "speed": speed, "force": values["k"] * x, "weight": np.full_like(T, 9.81 * values["m"])}


def test_covariance_of_an_oscillator():
    """Mass known: estimate within its own standard deviation, covariance from exact derivatives of the closed form."""
    y = swing(TRUE)["x"] + 1e-3 * np.random.default_rng(2).standard_normal(len(T))
    found = identify(Experiment(swing, Curve("x", T, y, std=1e-3)), BOUNDS | {"m": 2.0})
    at = {**TRUE, **found.parameters}
    J = derivatives(lambda v: released(v, T)[0], at, ["k", "c"]) / 1e-3
    covariance = np.linalg.inv(J.T @ J)
    assert found.names == ["k", "c"]
    assert found.covariance == pytest.approx(covariance, rel=1e-4)
    off = np.array([found.parameters[n] - TRUE[n] for n in found.names])
    assert off @ np.linalg.solve(covariance, off) < chi2.ppf(0.999, 2)
    assert found.misfit == pytest.approx(1.0, abs=0.25) and not found.notes


@pytest.mark.parametrize("noise", [1e-6, 1e-3])
def test_what_cannot_be_told_apart_and_what_separates_it(noise):
    """A free oscillation depends on k/m and c/m: m, k and c may grow together.  A force or a weight fixes them, the
    speed does not."""
    y = swing(TRUE)["x"] + noise * np.random.default_rng(3).standard_normal(len(T))
    more = [Curve("speed", std=1e-4), Curve("force", std=0.05), Curve("weight", std=0.1)]
    test = Experiment(swing, Curve("x", T, y, std=noise), candidates=more, name="release")
    found = identify(test, BOUNDS)
    assert found.rank == 2 and len(found.undetermined) == 1
    group = found.undetermined[0]
    assert set(group.parameters) == {"m", "k", "c"} and group.structural
    assert group.directions[0] == pytest.approx({"m": 0.01, "k": 0.01, "c": 0.01}, rel=1e-3)
    assert found.parameters["k"] / found.parameters["m"] == pytest.approx(25.0, rel=50 * noise)
    assert all(math.isinf(s) for s in found.std.values()) and "m, k, c cannot be distinguished" in found.text()
    by = {c.of: c for c in found.candidates}
    assert found.candidates[-1].of == "speed" and by["speed"].separates == []
    assert set(by["force"].separates) == set(by["weight"].separates) == {"m", "k", "c"}
    J = derivatives(lambda v: released(v, T)[0], found.parameters, ["m", "k", "c"]) / noise
    F = derivatives(lambda v: v["k"] * released(v, T)[0], found.parameters, ["m", "k", "c"]) / 0.05
    std = np.sqrt(np.diag(np.linalg.inv(J.T @ J + F.T @ F)))
    assert list(by["force"].std.values()) == pytest.approx(std, rel=1e-2)


def test_two_experiments_separate_what_one_does_not():
    """A second test with a known mass in addition, which its function adds."""

    def loaded(values):
        return {"x": released({**values, "m": values["m"] + values["added"]}, T)[0]}

    rng = np.random.default_rng(4)
    tests = [
        Experiment(loaded, Curve("x", T, loaded({**TRUE, "added": a})["x"] + 1e-4 * rng.standard_normal(len(T)),
                                 std=1e-4), values={"added": a})
        for a in (0.0, 1.0)
    ]  # fmt: skip
    found = identify(tests, BOUNDS, start={"m": 1.5, "k": 40.0, "c": 1.0})
    assert found.rank == 3 and not found.undetermined
    for n, v in TRUE.items():
        assert abs(found.parameters[n] - v) < 4 * found.std[n] < 0.05 * v
    assert identify(tests[0], BOUNDS).rank == 2


def test_a_parameter_without_effect():
    y = swing(TRUE)["x"]
    found = identify(
        Experiment(swing, Curve("x", T, y, std=1e-3)), {"k": (20, 120), "idle": (0, 1), "m": 2.0, "c": 1.5}
    )
    assert [u.parameters for u in found.undetermined] == [("idle",)] and math.isinf(found.std["idle"])
    assert found.std["k"] < 1.0 and "idle has no effect" in str(found)


@pytest.mark.parametrize("known", [True, False])
def test_coverage(known):
    """95 % intervals of a decay contain the true values in 95 % of 300 noisy samples, within three binomial standard
    deviations."""
    times = np.linspace(0.0, 2.0, 15)
    truth = {"a": 1.0, "k": 1.3}

    def decay(v):
        e = np.exp(-v["k"] * times)
        return {"y": v["a"] * e, "d y/d a": e, "d y/d k": -v["a"] * times * e}

    rng, inside, count = np.random.default_rng(5), np.zeros(2), 300
    for _ in range(count):
        y = decay(truth)["y"] + 0.03 * rng.standard_normal(len(times))
        test = Experiment(decay, Curve("y", times, y, std=0.03 if known else None))
        found = identify(test, {"a": (0, 3), "k": (0, 5)}, tolerance=1e-6)
        inside += [lo <= truth[n] <= hi for n, (lo, hi) in found.interval.items()]
    assert np.abs(inside / count - 0.95).max() < 3 * math.sqrt(0.95 * 0.05 / count), inside / count


def test_profile_of_a_curved_model():
    """a exp(-k t) with few samples: the profile against that in which a is eliminated in closed form."""
    times = np.array([0.1, 0.4, 0.9, 1.5])
    y = np.array([0.93, 0.55, 0.33, 0.05])

    def squares(k):
        e = np.exp(-k * times)
        return float(np.sum((y - (e @ y) / (e @ e) * e) ** 2))

    found = identify(
        Experiment(lambda v: {"y": v["a"] * np.exp(-v["k"] * times)}, Curve("y", times, y)), {"a": (0, 5), "k": (0, 20)}
    )
    limit = squares(found.parameters["k"]) * (1 + f.ppf(0.95, 1, 2) / 2)
    low, high = (brentq(lambda k: squares(k) - limit, end, found.parameters["k"]) for end in (0, 20))
    got = found.profile("k")
    assert (got.low, got.high) == pytest.approx((low, high), rel=1e-3)
    assert high - found.parameters["k"] > 1.2 * (found.parameters["k"] - low)  # not that of the covariance
    wide = identify(Experiment(swing, Curve("x", T, swing(TRUE)["x"], std=1e-3)), BOUNDS).profile("m")
    assert wide.open_low and wide.open_high


def test_noise_of_curves_in_different_units():
    """The noise of each curve is found, a hundred times larger in one, and weighs it."""
    rng, times = np.random.default_rng(6), np.linspace(0, 3, 400)
    x, speed = released(TRUE, times)
    curves = [
        Curve("x", times, x + 1e-3 * rng.standard_normal(400)),
        Curve("speed", times, speed + 0.1 * rng.standard_normal(400)),
    ]
    model = lambda v: dict(zip(("x", "speed"), released(v, times)))
    found = identify(Experiment(model, curves), BOUNDS | {"m": 2.0})
    assert found.noise["x"] == pytest.approx(1e-3, rel=0.1) and found.noise["speed"] == pytest.approx(0.1, rel=0.1)
    given = [Curve(c.of, times, c.values, std=found.noise[c.of]) for c in curves]
    again = identify(Experiment(model, given), BOUNDS | {"m": 2.0})
    assert again.parameters == pytest.approx(found.parameters, rel=1e-4)


def test_sensor_with_delay_gain_and_offset():
    """They are identified like other parameters, and cost no runs of their own."""
    fine = np.linspace(-0.5, 3.5, 4001)
    rng = np.random.default_rng(7)
    y = 1.1 * released(TRUE, T - 0.03)[0] + 0.02 + 1e-4 * rng.standard_normal(len(T))
    curve = Curve("x", T, y, std=1e-4, shift="delay", gain="gain", offset="offset").part(0.2)
    test = Experiment(lambda v: {"x": (fine, released(v, fine)[0])}, curve)
    space = {"k": (30, 80), "c": (0.5, 4.0), "m": 2.0, "delay": (-0.1, 0.1), "gain": (0.5, 2.0), "offset": (-0.1, 0.1)}
    found = identify(test, space)
    for n, v in {"k": 50.0, "c": 1.5, "delay": 0.03, "gain": 1.1, "offset": 0.02}.items():
        assert abs(found.parameters[n] - v) < 4 * found.std[n] < 0.02 * abs(v), n
    assert found.runs < 60
    coarse = np.linspace(-0.5, 3.5, 60)
    doubtful = identify(Experiment(lambda v: {"x": (coarse, released(v, coarse)[0])}, curve), space)
    assert any("interpolation between outputs" in n for n in doubtful.notes)


def test_doubts_are_reported():
    """A model that lacks a term, and an estimate at its bound."""
    y = swing(TRUE)["x"]
    wrong = identify(Experiment(swing, Curve("x", T, y, std=1e-3)), {"k": (20, 120), "m": 2.0, "c": 0.0})
    assert any("times the noise" in n for n in wrong.notes) and any("successive residuals" in n for n in wrong.notes)
    edge = identify(Experiment(swing, Curve("x", T, y, std=1e-3)), {"k": (20, 45), "m": 2.0, "c": (0.1, 5)})
    assert edge.parameters["k"] == 45.0 and math.isnan(edge.std["k"]) and "at its bound" in edge.text()


def test_failed_runs_are_avoided():
    """The first long step ends where the model does not exist."""

    def fragile(v):
        if v["k"] < 48.0:
            raise ModelError("the loop cannot be closed")
        return swing(v)

    test = Experiment(fragile, Curve("x", T, swing(TRUE)["x"], std=1e-3))
    found = identify(test, {"k": (20, 120), "m": 2.0, "c": 1.5}, start={"k": 49.0})
    assert found.parameters["k"] == pytest.approx(50.0, rel=1e-6)
    with pytest.raises(ModelError, match="the run at the start of the identification fails: the loop"):
        identify(test, {"k": (20, 120), "m": 2.0, "c": 1.5}, start={"k": 30.0})


def test_several_starts_leave_a_local_minimum():
    y = np.sin(9.0 * T)
    test = Experiment(lambda v: {"y": np.sin(v["w"] * T)}, Curve("y", T, y, std=0.01))
    assert abs(identify(test, {"w": (1, 20)}, start={"w": 3.0}).parameters["w"] - 9.0) > 1
    assert identify(test, {"w": (1, 20)}, start={"w": 3.0}, starts=16).parameters["w"] == pytest.approx(9.0, rel=1e-6)


def test_model_by_histories():
    """Stiffness and damping of a model from its speed."""
    times = np.linspace(0, 1.0, 51)
    v = {"stiffness": 60.0, "damping": 1.5}
    y = released({"m": 2.0, "k": 60.0, "c": 1.5}, times)[1] + 1e-3 * np.random.default_rng(8).standard_normal(51)
    test = Experiment(oscillator, Curve("guide.speed", times, y, std=1e-3), analysis={"end": 1.0, "steps": 200})
    found = identify(test, {"stiffness": (20.0, 200.0), "damping": (0.0, 10.0)})
    for n in v:
        assert abs(found.parameters[n] - v[n]) < 4 * found.std[n] < 0.1 * v[n]
    at = {"m": 2.0, "k": found.parameters["stiffness"], "c": found.parameters["damping"]}
    J = derivatives(lambda w: released(w, times)[1], at, ["k", "c"]) / 1e-3
    assert found.covariance == pytest.approx(np.linalg.inv(J.T @ J), rel=1e-3)


def test_model_by_expressions():
    """Exact derivatives: the covariance of the closed form to six digits; addresses in place of parameters."""
    model = hn.Model("oscillator", units="SI")
    k = model.parameter("stiffness", 50.0, bounds=(20.0, 200.0), unit="N/m")
    mass = model.part("mass", 2.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    spring = model.spring_damper(guide.i, model.marker(model.ground, (1.0, 0, 0)), k, 1.5, length=1.0)
    times = np.linspace(0.05, 1.0, 20)
    y = released({"m": 2.0, "k": 60.0, "c": 1.5}, times)[0]
    test = Experiment(model, Curve(f"DX({mass.cm})", times, y, std=1e-3, expression=True), analysis={"end": 1.0})
    damping = StudyParameter("damping", bounds=(0.0, 10.0), address=f"SPRINGDAMPER/{spring.id}.C")
    found = identify(test, {"stiffness": (20.0, 200.0), "damping": damping}, derivatives="exact")
    assert found.parameters == pytest.approx({"stiffness": 60.0, "damping": 1.5}, rel=1e-5)
    J = derivatives(lambda w: released(w, times)[0], {"m": 2.0, "k": 60.0, "c": 1.5}, ["k", "c"]) / 1e-3
    assert found.covariance == pytest.approx(np.linalg.inv(J.T @ J), rel=1e-5)
    assert found.derivatives == "exact derivatives"


def test_curve_of_a_file(tmp_path):
    path = tmp_path / "swing.csv"
    path.write_text("t;angle;note\n0;1.5;a\n0.5;2.5;b\n\n1;3.5;c\n")
    c = read_curve(path, "pin.angle", time="t", value="angle", std=0.1)
    assert list(c.times) == [0, 0.5, 1] and list(c.values) == [1.5, 2.5, 3.5]
    assert list(c.part(0.4).times) == [0.5, 1]
    (tmp_path / "plain.csv").write_text("0,1\n1,2\n")
    assert list(read_curve(tmp_path / "plain.csv", "x").values) == [1, 2]
    for options, sentence in (
        ({"time": "T"}, "has no column 'T'; did you mean 't'"),
        ({"time": "when"}, "has no column 'when'; choose from t, angle, note"),
        ({"value": 7}, "has 3 columns; there is no column 7"),
        ({"value": "note"}, "row 2: 'a' is not a number"),
    ):
        with pytest.raises(ModelError, match=sentence):
            read_curve(path, "x", **options)
    with pytest.raises(ModelError, match="cannot be read"):
        read_curve(tmp_path / "none.csv", "x")


def of(curve, options=None, b=(0, 1)):
    return identify(Experiment(line, curve), {"a": (0, 1), "b": b}, **(options or {}))


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Curve("x", [0, 1], [1.0]), "curve 'x': 2 times and 1 values"),
        (lambda: Curve("x", [0, 0], [1.0, 2.0]), "times must ascend"),
        (lambda: Curve("x", [0, 1], [1.0, math.nan]), "values must be a list of finite numbers"),
        (lambda: Curve("x", [0, 1], [1.0, 2.0], std=0), "std must be above zero"),
        (lambda: Experiment(line, Curve("x", [0, 1])), "curve 'x' has no values"),
        (lambda: Experiment(hn.Model("m"), Curve("x", [0], [1.0])), "a model needs an analysis"),
        (lambda: of(Curve("z", T, T)), "no output 'z'"),
        (lambda: of(Curve("y", T, T), b=[1, 2]), "'b' is discrete"),
        (lambda: of(Curve("y", [1], [1.0]), b=1.0), "1 sample cannot determine"),
        (lambda: of(Curve("y", T, T, shift="d")), "no parameter 'd'"),
        (lambda: identify(Experiment(line, Curve("y", T, T), parameters=["c"]), {"a": (0, 1)}), "no parameter 'c'"),
        (lambda: of(Curve("y", T, T), {"derivatives": "exakt"}), "did you mean 'exact'"),
        (lambda: of(Curve("y", T, T), {"level": 95}), "level must be between"),
        (lambda: identify(Experiment(lambda v: {"y": (T, T)}, Curve("y", T + 1, T)), {"a": (0, 1)}), "beyond the run"),
    ],
)  # fmt: skip
def test_refusals(make, sentence):
    with pytest.raises(ModelError, match=sentence):
        make()


def test_curves_of_matlab_files(tmp_path):
    from scipy.io import savemat

    t, x = np.linspace(0, 1, 11), np.arange(11, dtype=np.int16)
    savemat(tmp_path / "a.mat", {"t": t, "x": x, "two": np.ones((2, 3)), "words": "abc"}, do_compression=True)
    found = hn.studies.read_curve(tmp_path / "a.mat", "pin.angle", time="t", value="x", std=0.1)
    assert (found.times == t).all() and (found.values == x).all() and found.std == 0.1
    whole = (tmp_path / "a.mat").read_bytes()
    (tmp_path / "cut.mat").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "new.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x89HDF" * 100)
    (tmp_path / "text.mat").write_text("t,x\n0,1\n")
    for name, time, value, text in [
        ("a.mat", "t", "y", "no variable 'y'"), ("a.mat", "t", "two", "must be a vector of numbers"),
        ("a.mat", "t", "words", "must be a vector of numbers"), ("a.mat", 0, "x", "no variable 0; give its name"),
        ("cut.mat", "t", "x", "not a MATLAB file"), ("text.mat", "t", "x", "not a MATLAB file"),
        ("new.mat", "t", "x", "version 7.3; save it with '-v7'"),
    ]:  # fmt: skip
        with pytest.raises(ModelError, match=text):
            hn.studies.read_curve(tmp_path / name, "pin.angle", time=time, value=value)

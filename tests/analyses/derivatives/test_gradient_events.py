"""Gradients of runs with events: branches of functions and sensors, against closed forms and differences of runs."""

import numpy as np
import pytest
from test_gradient import SIX

import holonom as hn

BASE = {"m": 2.0, "g": -9.81, "switch": 0.5, "rest": 0.45, "k": 300.0, "F": 40.0, "z0": 1.0}


def slopes(function, base, names):
    out = []
    for n in names:
        h = 2e-4 * abs(base[n])
        out.append(sum(w * function(**{**base, n: base[n] + k * h}) for k, w in SIX.items()) / h)
    return np.array(out)


def falling():
    """A mass that falls; below the height of the switch a spring with a preload acts on it."""
    model = hn.Model("falling mass")
    model.gravity = (0, 0, -9.81)
    ball = model.part("ball", 2.0, (0.1,) * 3, position=(0, 0, 1.0))
    model.translational(ball, model.ground, at=(0, 0, 1), axis=(0, 0, 1))
    z = f"DZ({ball.cm})"
    return model, ball, z


def on_a_spring(m, g, switch, rest, k, F, z0, end=0.45):
    begins = np.sqrt(2 * (z0 - switch) / -g)
    w, middle = np.sqrt(k / m), rest + (F + m * g) / k
    t = end - begins
    return middle + (switch - middle) * np.cos(w * t) + g * begins / w * np.sin(w * t)


def test_a_spring_that_a_height_switches_on():
    """Force and its slope jump at a height that is a constant of the function, a parameter, or of a VARIABLE."""
    model, ball, z = falling()
    force = model.vforce(
        ball.cm, model.ground, fz=f"IF({z}-0.5: 300*(0.45-{z})+40, 0, 0)", rm=model.marker(model.ground)
    )
    numbers = ["PART/2.MASS", "GRAVITY(3)", *(f"VFORCE/{force.id}.FZ({k})" for k in (1, 3, 2, 4)), "PART/2.QG(3)"]
    g = hn.gradient(model, hn.final(z), numbers, end=0.45)
    assert g.value == pytest.approx(on_a_spring(**BASE), abs=1e-10)
    exact = slopes(on_a_spring, BASE, ("m", "g", "switch", "rest", "k", "F", "z0"))
    assert g.vector == pytest.approx(exact, rel=1e-9) and not g.warnings
    # without the derivative of the time of the event the height of the switch would have none
    assert abs(g.vector[2]) > 0.1

    model, ball, z = falling()
    height = model.parameter("height", 0.5)
    model.vforce(
        ball.cm, model.ground, fz=f"IF({height}-{z}: 0, 0, 300*({height}-0.05-{z})+40)", rm=model.marker(model.ground)
    )
    g = hn.gradient(model, hn.final(z), ["height"], end=0.45)
    assert g["height"] == pytest.approx(exact[2] + exact[3], rel=1e-9)


@pytest.mark.parametrize("integrator, error, tolerance", [("RADAU5", 1e-9, 1e-9), ("HHT", 1e-8, 2e-4)])
def test_the_same_spring_with_an_implicit_method(integrator, error, tolerance):
    """The step within which the height is reached is taken again and ends there; HHT is of order 2."""
    model, ball, z = falling()
    force = model.vforce(
        ball.cm, model.ground, fz=f"IF({z}-0.5: 300*(0.45-{z})+40, 0, 0)", rm=model.marker(model.ground)
    )
    numbers = ["PART/2.MASS", "GRAVITY(3)", *(f"VFORCE/{force.id}.FZ({k})" for k in (1, 3, 2, 4)), "PART/2.QG(3)"]
    g = hn.gradient(model, hn.final(z), numbers, end=0.45, integrator=integrator, error=error)
    exact = slopes(on_a_spring, BASE, ("m", "g", "switch", "rest", "k", "F", "z0"))
    assert g.vector == pytest.approx(exact, rel=tolerance)


@pytest.mark.slow
def test_many_branches_of_a_mechanism_with_an_implicit_method():
    """Against DOP853, whose own error is 2e-8 there (BISTOP has kinks where its damping sets in)."""
    model, J = double_pendulum()
    names = ["stop", "limit", "until", "PART/2.MASS"]
    exact = hn.gradient(model, J, names, end=0.6, error=1e-12).vector
    g = hn.gradient(model, J, names, end=0.6, integrator="RADAU5")
    assert g.vector == pytest.approx(exact, abs=3e-7 * np.abs(exact).max())
    g = hn.gradient(model, J, names, end=0.6, integrator="GENERALIZED_ALPHA", error=1e-8)
    assert g.vector == pytest.approx(exact, abs=3e-4 * np.abs(exact).max())
    with pytest.raises(hn.ModelError, match="NEWMARK has no numerical damping.*RADAU5"):
        hn.gradient(model, J, names, end=0.6, integrator="NEWMARK")


def test_a_sensor_that_ends_the_run():
    """Time, speed and integral at the height of the sensor; T = sqrt(2 (z0 - h)/g)."""
    model, ball, z = falling()
    height = model.parameter("height", 0.2)
    model.sensor(z, height, "LE", error=1e-6, halt=True)
    base = {"g": -9.81, "h": 0.2, "z0": 1.0}
    T = lambda g, h, z0: np.sqrt(2 * (z0 - h) / -g)
    cases = {
        "time": (hn.final("TIME"), T),
        "speed": (hn.final(f"VZ({ball.cm})"), lambda g, h, z0: g * T(g, h, z0)),
        "both": (hn.final(f"TIME**2*VZ({ball.cm})"), lambda g, h, z0: g * T(g, h, z0) ** 3),
        "integral": (hn.integral(z), lambda g, h, z0: z0 * T(g, h, z0) + g * T(g, h, z0) ** 3 / 6),
        "peak": (hn.peak(f"-VZ({ball.cm})"), lambda g, h, z0: -g * T(g, h, z0)),
        "before": (hn.value_at(z, 0.3), lambda g, h, z0: z0 + 0.045 * g),
    }
    table = hn.sensitivities(
        model, {n: f for n, (f, _) in cases.items()}, ["GRAVITY(3)", "height", "PART/2.QG(3)"], end=2.0
    )
    for k, (name, (_, exact)) in enumerate(cases.items()):
        assert table.values[name] == pytest.approx(exact(**base), rel=1e-10), name
        assert table.matrix[k] == pytest.approx(slopes(exact, base, base), rel=1e-9, abs=1e-11), name
    with pytest.raises(hn.ModelError, match="needs time 1.*a sensor ends the run at 0.40"):
        hn.gradient(model, hn.value_at(z, 1.0), "height", end=2.0)
    with pytest.raises(hn.ModelError, match="a sensor ends the run have no derivative|where a sensor ends the run"):
        hn.gradient(model, hn.final(f"ACCZ({ball.cm})"), "height", end=2.0)


@pytest.mark.parametrize("integrator, error, tolerance", [("RADAU5", 1e-10, 1e-8), ("HHT", 1e-8, 1e-4)])
def test_a_sensor_that_ends_a_run_with_an_implicit_method(integrator, error, tolerance):
    """A mass on a spring falls to the height of the sensor: z = r + (z0 - r) cos w t, r = rest + m g/k."""
    model, ball, z = falling()
    model.sensor(z, 0.8, "LE", error=1e-6, halt=True)
    k = model.parameter("k", 20.0)
    model.vforce(ball.cm, model.ground, fz=f"-{k}*({z}-0.9)", rm=model.marker(model.ground))
    base = {"g": -9.81, "h": 0.8, "k": 20.0, "z0": 1.0}

    def swing(g, h, k, z0):
        r, w = 0.9 + 2.0 * g / k, np.sqrt(k / 2.0)
        t = np.arccos((h - r) / (z0 - r)) / w
        return t, w * (r - z0) * np.sin(w * t), r * t + (z0 - r) * np.sin(w * t) / w

    wanted = {"time": hn.final("TIME"), "speed": hn.final(f"VZ({ball.cm})"), "integral": hn.integral(z)}
    names = ["GRAVITY(3)", "SENSOR/1.VALUE", "k", "PART/2.QG(3)"]
    table = hn.sensitivities(model, wanted, names, end=2.0, integrator=integrator, error=error)
    for n, name in enumerate(wanted):
        assert table.values[name] == pytest.approx(swing(**base)[n], rel=tolerance), name
        exact = slopes(lambda **at: swing(**at)[n], base, base)  # noqa: B023
        assert table.matrix[n] == pytest.approx(exact, rel=tolerance, abs=tolerance * np.abs(exact).max()), name


def test_a_sensor_that_does_not_end_the_run_has_no_influence():
    model, ball, z = falling()
    plain = hn.gradient(model, hn.final(z), ["GRAVITY(3)"], end=0.4)
    model.sensor(z, 0.7, "LE", error=1e-6, returns=True)
    model.sensor(z, 0.5, "LE", error=1e-6, stepsize=1e-3)
    g = hn.gradient(model, hn.final(z), ["GRAVITY(3)"], end=0.4)
    assert g["GRAVITY(3)"] == pytest.approx(plain["GRAVITY(3)"], rel=1e-10) == pytest.approx(0.08, rel=1e-10)
    kept = model.sensor(z, 0.6, "LE", error=1e-6, evaluate=z)
    model.vforce(ball.cm, model.ground, fz=f"SENVAL({kept.id})", rm=model.marker(model.ground))
    with pytest.raises(hn.ModelError, match="SENVAL"):
        hn.gradient(model, hn.final(z), ["GRAVITY(3)"], end=0.4)


def thrown(v0, g, h, F, m, end):
    """Speed after a flight in which a force F acts upwards above the height h."""
    up = np.sqrt(v0**2 - 2 * g * h)
    return -up - g * (end - (v0 - up) / g - 2 * up / (g - F / m))


@pytest.mark.parametrize("high, warned", [(1e-2, False), (1e-5, True)])
def test_a_flight_that_nearly_grazes(high, warned):
    """The derivative grows as 1/root of the height above the switch."""
    base = {"v0": 4.0, "g": 9.81, "h": 16.0 / 19.62 - high, "F": 12.0, "m": 2.0, "end": 0.9}
    model = hn.Model("thrown")
    model.gravity = (0, 0, -9.81)
    ball = model.part("ball", 2.0, (0.1,) * 3, position=(0, 0, 0), velocity=(0, 0, 4.0))
    h = model.parameter("h", base["h"])
    z = f"DZ({ball.cm})"
    model.vforce(ball.cm, model.ground, fz=f"IF({z}-{h}: 0, 12, 12)", rm=model.marker(model.ground))
    g = hn.gradient(model, hn.final(f"VZ({ball.cm})"), ["h"], end=0.9, error=1e-12, hmax=2e-3)
    up = np.sqrt(16.0 - 19.62 * base["h"])
    exact = 2 * 9.81 / up * (1 - 9.81 / (9.81 - 6.0))
    assert g.value == pytest.approx(thrown(**base), rel=1e-9)
    assert g["h"] == pytest.approx(exact, rel=1e-7 if not warned else 1e-4)
    assert any("grazes" in text for text in g.warnings) == warned


def test_conditions_in_one_instant():
    """Two masses that do not feel each other have a derivative; two whose forces multiply have none."""
    model = hn.Model("two masses")
    model.gravity = (0, 0, -9.81)
    h = model.parameter("h", 0.5)
    balls = [model.part(f"ball {k}", m, (0.1,) * 3, position=(k, 0, 1.0)) for k, m in enumerate((1.0, 2.0))]
    z, w = (f"DZ({b.cm})" for b in balls)
    floor = model.marker(model.ground)
    for ball, own in zip(balls, (z, w)):
        model.vforce(ball.cm, model.ground, fz=f"IF({own}-{h}: 30, 0, 0)", rm=floor)
    J = hn.final(f"{z}+{w}")
    g = hn.gradient(model, J, ["h", "PART/3.QG(3)"], end=0.4)
    v, left = np.sqrt(9.81), 0.4 - np.sqrt(1 / 9.81)
    assert g["h"] == pytest.approx((30.0 + 15.0) / v * left, rel=1e-9)
    assert g["PART/3.QG(3)"] == pytest.approx(1.0 - 15.0 / v * left, rel=1e-9)
    model.vforce(balls[0].cm, model.ground, fz=f"IF({z}-{h}: 1, 0, 0)*IF({w}-{h}: 30, 0, 0)", rm=floor)
    with pytest.raises(hn.ModelError, match="in the same instant"):
        hn.gradient(model, J, ["h", "PART/3.QG(3)"], end=0.4)


def test_a_condition_that_returns_at_once_is_refused():
    """Dry friction by SIGN at rest."""
    model, ball, z = falling()
    model.gravity = (0, 0, -2.0)
    model.vforce(ball.cm, model.ground, fz=f"-10*SIGN(1,VZ({ball.cm}))", rm=model.marker(model.ground))
    with pytest.raises(hn.ModelError, match="changed back at once|touches zero"):
        hn.gradient(model, hn.final(z), ["GRAVITY(3)"], end=0.02, error=1e-4)


def double_pendulum(**values):
    """Two links on skew axes with a stop (BISTOP), a torque by IF of a velocity, one by ABS, and one for a time."""
    model = hn.Model("double pendulum")
    model.gravity = (0, 0, -9.81)
    value = {"stop": 0.35, "limit": 1.0, "until": 0.23, **values}
    p = {n: model.parameter(n, v) for n, v in value.items()}
    upper = model.part("upper", 1.2, (0.02, 0.03, 0.01), position=(0.3, 0, 0))
    lower = model.part("lower", 0.8, (0.01, 0.02, 0.015), position=(0.8, 0.1, 0))
    first = model.revolute(upper, model.ground, at=(0, 0, 0), axis=(0, 1, 0.2))
    second = model.revolute(lower, upper, at=(0.6, 0, 0), axis=(0.1, 1, 0))
    a, b = (f"AZ({j.i},{j.j})" for j in (first, second))
    va = f"WZ({first.i},{first.j},{first.j})"
    stop, limit, until = p["stop"], p["limit"], p["until"]
    text = f"BISTOP({b},0,-{stop},{stop},200.0,2.0,0.0,0.01)-0.4*ABS({b}-0.1)+IF({va}-{limit}: 0.2, 0, -1.5)"
    model.sforce(second.i, second.j, text, kind="ROTATIONAL")
    model.sforce(first.i, first.j, f"IF(TIME-{until}: 2.0, 0, -1.0)", kind="ROTATIONAL")
    return model, hn.final(f"DX({lower.cm})+0.2*VZ({lower.cm})")


@pytest.mark.parametrize("name, h", [("stop", 1e-3), pytest.param("until", 1e-3, marks=pytest.mark.slow)])
def test_many_branches_of_a_mechanism(name, h):
    """Against six-point differences of runs whose events are located anew."""
    model, J = double_pendulum()
    g = hn.gradient(model, J, ["stop", "limit", "until", "PART/2.MASS"], end=0.6, error=1e-11)
    value = model.parameters[name].value
    theirs = sum(
        w * hn.gradient(model.with_parameters({name: value + k * h}), J, [], end=0.6, error=1e-12).value
        for k, w in SIX.items()
    )
    assert g[name] == pytest.approx(theirs / h, rel=2e-7)


def test_a_parameter_in_a_condition_of_two_numbers():
    """F = max(a - 30 t, 1): dz(T)/da = (T t1 - t1^2 / 2) / m with t1 = (a - 1) / 30.  The condition has more constants
    than the text that its carrier has while conditions are read."""
    model = hn.Model("slider")
    model.gravity = (0, 0, 0)
    block = model.part("block", 2.0, (0.1,) * 3, position=(0, 0, 0.4))
    model.translational(block, model.ground, at=(0, 0, 0.4), axis=(0, 0, 1))
    a = model.parameter("a", 5.0)
    model.vforce(block.cm, model.ground, fz=f"MAX({a}-30*TIME,1)", rm=model.marker(model.ground))
    g = hn.gradient(model, hn.final(f"DZ({block.cm})"), ["a"], end=0.6)
    t1 = 4.0 / 30.0
    assert g["a"] == pytest.approx((0.6 * t1 - 0.5 * t1**2) / 2.0, rel=1e-8)

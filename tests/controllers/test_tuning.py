"""Tuning rules, the relay experiment and environments for learning."""

import numpy as np
import pytest

import holonom as hn
from holonom.control import relay_experiment, simc, ultimate_point, ziegler_nichols, ziegler_nichols_step
from holonom.model import ModelError


def test_rules():
    assert ziegler_nichols(10.0, 2.0) == {"form": "ideal", "kp": 6.0, "ti": 1.0, "td": 0.25}
    assert ziegler_nichols(10.0, 2.0, "p")["ti"] is None
    assert ziegler_nichols_step(2.0, 1.0, 4.0, "pid") == {"form": "ideal", "kp": 2.4, "ti": 2.0, "td": 0.5}
    assert simc(2.0, 10.0, 1.0) == {"form": "ideal", "kp": 2.5, "ti": 8.0, "td": 0.0}
    assert simc(2.0, 10.0, 1.0, second=3.0, closed=4.0) == {"form": "series", "kp": 1.0, "ti": 10.0, "td": 3.0}
    with pytest.raises(ModelError, match="give closed"):
        simc(1.0, 1.0, 0.0)
    with pytest.raises(ModelError, match="period is -1"):
        ziegler_nichols(1.0, -1.0)


def test_simc_gives_the_margins_that_it_promises():
    """Lag with dead time, closed = dead_time, ti = time_constant: the loop is e^(-s)/(2 s), gain margin pi, phase
    margin 90 degrees - 1/2 rad (Skogestad 2003, table 1)."""
    rules = simc(3.0, 5.0, 1.0)
    model = hn.Model("plant", units="SI")
    model.control.lag("lag", "drive", gain=3.0, time_constant=5.0)
    model.control.dead_time("out", "lag", delay=1.0, pade=10)
    model.control.pid("controller", "0 - out", **rules)
    model.input("drive")
    loop = hn.linearize(model, inputs="drive", outputs="-VARVAL(controller)").state_space().margins()
    assert abs(loop.gain - np.pi) < 1e-5 and abs(loop.phase - (90.0 - np.degrees(0.5))) < 1e-4


def tanks(**ports):
    model = hn.Model("tanks", units="SI")
    model.control.lag("first", "valve", gain=2.0, time_constant=10.0)
    model.control.lag("second", "first", time_constant=4.0)
    model.control.lag("level", "second", time_constant=1.0)
    model.control.pid("valve", **ports or {"reference": 0.0, "measurement": "level"}, kp=1.0)
    return model


@pytest.mark.slow
def test_relay_experiment_of_an_error_is_that_of_a_measurement():
    found, same = (
        relay_experiment(tanks(**ports), "valve", amplitude=0.5, end=80.0, sample_time=0.02, integrator="DOP853")
        for ports in ({}, {"error": "-level"})
    )
    assert abs(same.gain / found.gain - 1) < 1e-9 and abs(same.period / found.period - 1) < 1e-9


def test_relay_experiment_finds_the_ultimate_point():
    gain, period = ultimate_point(
        hn.StateSpace.from_transfer_function([2.0], np.polymul(np.polymul([10, 1], [4, 1]), [1, 1]))
    )
    # phase: atan 10w + atan 4w + atan w = pi  at  w^2 = 15/40
    assert abs(period - 2 * np.pi / np.sqrt(15 / 40)) < 1e-9
    assert abs(gain - np.prod(np.sqrt(1 + np.array([100, 16, 1]) * 15 / 40)) / 2) < 1e-9
    found = relay_experiment(tanks(), "valve", amplitude=0.5, end=60.0, sample_time=0.04, integrator="DOP853")
    assert abs(found.gain / gain - 1) < 0.1 and abs(found.period / period - 1) < 0.05
    with pytest.raises(ModelError, match="switched on"):
        relay_experiment(tanks(), "valve", amplitude=0.5, end=5.0, sample_time=0.02, integrator="DOP853")
    with pytest.raises(ModelError, match="takes the place of a PID"):
        relay_experiment(tanks(), "first", amplitude=0.5, end=5.0)


def squared_error(gains):
    """Integral of the squared error after a unit step of the reference of 1/(s + 1)^2 with a PI controller."""
    model = hn.Model("loop", units="SI")
    model.control.lag("first", "servo", time_constant=1.0)
    model.control.lag("second", "first", time_constant=1.0)
    kp, ki = gains["kp"], gains["ki"]
    model.control.pid("servo", reference=1.0, measurement="second", form="parallel", kp=kp, ki=ki)
    model.control.integrator("squares", "(1 - second)**2")
    run = hn.simulate(model, end=60.0, steps=2, integrator="DOP853", error=1e-9, progress=False)
    return {"cost": float(run.variable("squares").values[-1])}


@pytest.mark.slow
def test_genetic_tuning(tmp_path):
    """A genetic algorithm over runs finds the gains of least squared error. By Parseval's theorem (James, Nichols and
    Phillips, 1947, appendix: order 3) it is  (ki (3 + kp) + 2) / (2 ki (2 (1 + kp) - ki)),  which is least at the
    largest gain kp = 5 with ki = 3/2, where it is 4/9."""
    pytest.importorskip("pymoo", reason="needs the extra studies")
    closed = lambda kp, ki: (ki * (3 + kp) + 2) / (2 * ki * (2 * (1 + kp) - ki))
    assert squared_error({"kp": 2.0, "ki": 0.7})["cost"] == pytest.approx(closed(2.0, 0.7), rel=1e-6)
    with hn.Study(
        tmp_path / "tuned.study", squared_error, {"kp": (0.5, 5.0), "ki": (0.2, 4.0)}, workers=0, seed=1
    ) as study:
        found = study.minimize("cost", method="genetic", population=20, max_runs=200)
    kp, ki = found.parameters["kp"], found.parameters["ki"]
    assert found.value == pytest.approx(closed(kp, ki), rel=1e-6)
    assert closed(kp, ki) < 4 / 9 * 1.01
    assert kp == pytest.approx(5.0, abs=0.1) and ki == pytest.approx(1.5, abs=0.3)


def pole():
    model = hn.Model("pole", units="SI")
    model.gravity = (0, 0, -9.81)
    rod = model.part("rod", mass=0.3, inertia=(0.025, 0.025, 1e-5), position=(0, 0, 0.5))
    model.revolute(rod, model.ground, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    torque, start = model.input("torque"), model.input("wind")
    hinge = model.find("JOINT", "hinge")
    model.sforce(hinge.i, hinge.j, f"VARVAL({torque.id})+VARVAL({start.id})", kind="ROTATIONAL")
    return model


def test_environment():
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gym")
    from gymnasium.utils.env_checker import check_env

    env = hn.gym.Environment(
        pole(),
        inputs={"torque": (-2.0, 2.0)},
        outputs=["hinge"],
        period=0.02,
        reward=lambda seen, action: 1.0 - float(seen[0]) ** 2,
        failed=lambda seen: abs(float(seen[0])) > 1.0,
        end=1.0,
        randomize=lambda rng: {"wind": 0.05 * rng.standard_normal()},
    )
    check_env(env, skip_render_check=True)
    rows = []
    for _ in range(2):
        seen, _ = env.reset(seed=4)
        row = [seen]
        for k in range(50):
            seen, reward, over, late, info = env.step(np.array([0.3 * np.sin(0.4 * k)], np.float32))
            row.append(seen)
            if over or late:
                break
        rows.append(np.array(row))
    assert np.array_equal(*rows) and abs(info["time"] - 1.0) < 1e-9 and late
    assert isinstance(env, gymnasium.Env)


def test_environment_mistakes():
    pytest.importorskip("gymnasium", reason="needs the extra gym")
    with pytest.raises(ModelError, match="limits of input 'torque'"):
        hn.gym.Environment(pole(), inputs={"torque": (1, -1)}, outputs=["hinge"], period=0.1, reward=lambda s, a: 0.0)

"""Control blocks and environments refuse what has no effect or cannot be, where it is written, in one sentence."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError

SETS = {"low": ("trapezoid", -1, -1, 0, 1), "high": ("trapezoid", 0, 1, 9, 9)}
RULES = [("low", 0.0), ("high", 1.0)]
ONE = {"A": [[-1]], "B": [[1]], "C": [[1]]}
LAG = {"numerator": [1], "denominator": [1, 1]}
CASES = [
    (lambda c: c.transfer_function("a", 1.0, numerator=[], denominator=[1, 1]), "numerator is empty"),
    (lambda c: c.transfer_function("a", 1.0, numerator=[1], denominator=[]), "denominator is empty"),
    # initial values
    (lambda c: c.state_space("a", 1.0, **ONE, initial=[1, 2]), "initial holds 2 numbers; give 1, one for each state"),
    (lambda c: c.transfer_function("a", 1.0, **LAG, initial=(1, 2)), "initial holds 2 numbers; give 1"),
    (
        lambda c: c.transfer_function("a", 1.0, **LAG, initial=(1, 2), sample_time=0.1),
        "initial holds 2 numbers; give 1",
    ),
    (lambda c: c.pid("a", 1.0, kp=1, ki=1, initial=(1, 2, 3)), "initial holds 3 numbers; give 1"),
    (lambda c: c.pid("a", 1.0, kp=1, initial=0.5), "initial holds 1 number; give none, since it has no states"),
    (lambda c: c.unit_delay("a", 1.0, samples=3, initial=(1, 2), sample_time=0.1), "initial holds|give"),
    (
        lambda c: c.state_machine("a", [(1, "TIME", 2), (2, "1", 1)], initial=7, sample_time=0.1),
        "initial is 7.*from 1, 2",
    ),
    (
        lambda c: c.state_machine("a", [(1, "TIME", 2)], initial=2, sample_time=0.1),
        "initial is 2.*no transition leaves",
    ),
    (lambda c: c.state_machine("a", [(1, "TIME", 1.3)], sample_time=0.1), "a next state is 1.3.*whole numbers"),
    # tables
    (lambda c: c.lookup("a", "TIME", x=[2, 1, 0], y=[1, 2, 3]), r"x must increase, and its value 2 \(1\) follows 2"),
    (lambda c: c.lookup("a", "TIME", x=[0, 1, 1, 2, 3], y=[1, 2, 3, 4, 5]), r"its value 3 \(1\) follows 1"),
    (lambda c: c.lookup("a", "TIME", "100*TIME", x=[0, 1], y=[1, 2]), "v is .* no effect without z"),
    # arguments without effect
    (
        lambda c: c.transfer_function("a", 1.0, **LAG, method="tustin"),
        "method is 'tustin', which has no effect.*sample_time",
    ),
    (lambda c: c.state_space("a", 1.0, **ONE, prewarp=3.0), "prewarp is 3.*no effect.*sample_time"),
    (lambda c: c.lag("a", 1.0, time_constant=1.0, method="zoh"), "method is 'zoh', which has no effect"),
    (lambda c: c.integrator("a", 1.0, method="backward"), "method is 'backward', which has no effect"),
    (lambda c: c.pid("a", 1.0, kp=1, ki=1, method="trapezoidal"), "method is 'trapezoidal', which has no effect"),
    (lambda c: c.transfer_function("a", 1.0, **LAG, sample_time=0.1, prewarp=3.0), "prewarp has no effect with.*'zoh'"),
    (lambda c: c.rate_limit("a", 1.0, rising=1.0, lag=0.1, sample_time=0.1), "lag is 0.1.*no effect for a sampled"),
    (lambda c: c.dead_time("a", 1.0, delay=1.0, before=2.0, pade=2), "before is 2.*no effect with pade"),
    (lambda c: c.pid("a", 1.0, kp=1, ki=1, anti_windup="clamping"), "anti_windup is 'clamping'.*without limits"),
    (lambda c: c.pid("a", 1.0, kp=1, ki=1, tracking=0.5), "tracking is 0.5.*no effect without back-calculation"),
    (lambda c: c.fuzzy("a", 1.0, sets=[SETS], rules=RULES, range=(0, 1)), "range is .*no effect without the sets"),
]


@pytest.mark.parametrize("make, said", CASES)
def test_mistakes_are_sentences(make, said):
    model = hn.Model("m", units="SI")
    with pytest.raises(ModelError, match=said) as error:
        make(model.control)
    assert "\n" not in str(error.value) and not model.table("CONTROL") and not model.table("SPLINE")


def test_what_is_right_is_accepted():
    c = hn.Model("m", units="SI").control
    c.transfer_function("a", 1.0, **LAG, initial=2.0)
    c.transfer_function("b", 1.0, **LAG, sample_time=0.1, method="tustin", prewarp=3.0)
    c.pid("c", 1.0, kp=1, ki=1, kd=1, initial=(1, 2))
    c.pid("d", 1.0, kp=1, ki=1, upper=1.0, anti_windup="clamping")
    c.pid("e", 1.0, kp=1, ki=1, lower=-1.0, tracking=0.5)
    c.state_machine("f", [(1, "TIME", 2), (2, "1", 3)], initial=2, sample_time=0.1)  # 3 is an end
    c.lookup("g", "TIME", "1", x=[0, 1], y=[[1, 2], [3, 4]], z=[0, 1])
    c.unit_delay("h", 1.0, samples=3, initial=0.5, sample_time=0.1)
    c.relay("i", 1.0, initial=1.0, sample_time=0.1)


def test_files_with_blocks_that_do_not_fit_are_refused():
    model = hn.Model("m", units="SI")
    block = model.control.transfer_function("a", 1.0, **LAG)
    block.initial = (1.0, 2.0)
    assert [text for text in block.faults(model)] == ["initial holds 2 numbers; give 1, one for each state"]


def test_tables_beyond_their_ends_and_shoulders():
    """What the page says: the line through the last two points; a grade of 1 for all that is above."""
    model = hn.Model("m", units="SI")
    x, y = [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0]
    model.control.lookup("table", "TIME", x=x, y=y, cubic=True, beyond="extend")
    model.control.fuzzy("high", "100 + TIME", sets=[SETS], rules=RULES)
    run = hn.simulate(model, end=5.0, steps=5, integrator="DOP853", progress=False)
    assert run.variable("table").values[-2:] == pytest.approx([14.0, 19.0], abs=1e-12)  # 9 + 5 (x - 3)
    assert run.variable("high").values == pytest.approx(np.ones(6))


def test_actions_have_a_number_for_each_input():
    pytest.importorskip("gymnasium", reason="needs the extra gym")
    model = hn.Model("g", units="SI")
    model.gravity = (0, 0, 0)
    body = model.part("b", mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.translational(body, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    model.input("force")
    model.vforce(body.cm, None, fx="VARVAL(force)")
    words = {"inputs": {"force": (-10, 10)}, "outputs": [f"DX({body.cm})"], "period": 0.02, "reward": lambda s, a: 0.0}
    env = hn.gym.Environment(model, **words)
    env.reset(seed=1)
    for wrong in ([1.0, 2.0], [], [[1.0, 2.0]], "push", None, math.nan, [math.inf], {"force": 1.0}):
        with pytest.raises(ModelError, match="^action "):
            env.step(wrong)
    for right in ([4.0], np.array([4.0], np.float32), 4.0):
        env.reset()
        assert env.step(right)[0][0] == pytest.approx(0.5 * 2.0 * 0.02**2, rel=1e-6)  # F/m t^2/2
    with pytest.raises(ModelError, match="bounds hold 2 numbers for 1 outputs"):
        hn.gym.Environment(model, **words, bounds=([-1, -1], [1, 1]))

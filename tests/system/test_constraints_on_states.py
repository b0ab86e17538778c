"""Constraints (GCON) whose functions read states: differential equations and blocks in front of a mechanism."""

import numpy as np
import pytest

import holonom as hn

MASS = 2.0


def slider(function, *, velocity=0.0, start=0.0):
    """A body on a horizontal guide, tied by ``function``, in which {x} and {v} are its place and speed."""
    model = hn.Model(units="SI")
    body = model.part("body", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(start, 0, 0), velocity=(velocity, 0, 0))
    marker = model.marker(body, name="m")
    model.translational(body, model.ground, at=(0, 0, 0), axis=(1, 0, 0), name="guide")
    return model, model.constraint(function.format(x=f"DX({marker:d})", v=f"VX({marker:d})"), i=marker, name="tie")


def place(run):
    return run.part("body").position.values[:, 0], run.part("body").velocity.values[:, 0]


@pytest.mark.parametrize(
    "options",
    [{}, {"integrator": "RADAU5"}, {"integrator": "GSTIFF"}, {"integrator": "GSTIFF", "formulation": "SI2"},
     {"integrator": "HHT"}],
)  # fmt: skip
def test_a_body_follows_a_state(options):
    """x = 2 s through a VARIABLE, s'' = -9 s as two equations: s = cos 3 t, and the constraint carries m x''."""
    model, tie = slider("{x} - VARVAL(1)", start=2.0)
    model.diff("DIF(2)", ic=1.0, id=1)
    model.diff("-9*DIF(1)", ic=0.0, id=2)
    model.variable("2*DIF(1)", id=1)
    run = hn.simulate(model, end=1.0, steps=20, error=1e-7, **options)
    x, v = place(run)
    t = run.time
    assert x == pytest.approx(2 * np.cos(3 * t), abs=2e-4) and v == pytest.approx(-6 * np.sin(3 * t), abs=2e-3)
    if not options:
        assert x == pytest.approx(2 * np.cos(3 * t), abs=1e-6)
        force = run.constraint("tie").force.values[:, 0]
        assert np.abs(force) == pytest.approx(np.abs(MASS * 18 * np.cos(3 * t)), rel=1e-5, abs=1e-4)


def test_the_state_may_depend_on_where_the_body_is():
    """x = s, s' = 1 - x: x = 1 - exp(-t)."""
    model, _ = slider("{x} - DIF(1)", velocity=1.0)
    marker = next(m.id for m in model.markers.values() if m.name == "m")
    model.diff(f"1 - DX({marker})", ic=0.0, id=1)
    run = hn.simulate(model, end=2.0, steps=10)
    assert place(run)[0] == pytest.approx(1 - np.exp(-run.time), abs=1e-6)


def test_outputs_and_states_of_a_block():
    """A transfer function 1/(1 + 0.5 p) of TIME: t - 0.5 (1 - exp(-2 t)), once as its state and once as its output."""
    for array in (1, 3):
        model, _ = slider(f"{{x}} - ARYVAL({array}, 1)")
        model.variable("TIME", id=1)
        model.array("X", size=1, id=1)
        model.array("U", variables=[1], id=2)
        model.array("Y", size=1, id=3)
        top, bottom = (model.array("IC", numbers=n) for n in ([1.0], [1.0, 0.5]))
        model.transfer_function(1, 2, 3, top, bottom)
        run = hn.simulate(model, end=1.0, steps=5)
        exact = run.time - 0.5 * (1 - np.exp(-2 * run.time))
        assert place(run)[0] == pytest.approx(exact, abs=1e-6)
        assert place(run)[1] == pytest.approx(1 - np.exp(-2 * run.time), abs=1e-6)


def test_a_speed_that_is_a_state_of_speeds():
    """v = s, s' = -3 v: v = exp(-3 t)."""
    model, _ = slider("{v} - DIF(1)", velocity=1.0)
    marker = next(m.id for m in model.markers.values() if m.name == "m")
    model.diff(f"-3*VX({marker})", ic=1.0, id=1)
    run = hn.simulate(model, end=1.0, steps=10)
    x, v = place(run)
    assert v == pytest.approx(np.exp(-3 * run.time), abs=1e-6)
    assert x == pytest.approx((1 - np.exp(-3 * run.time)) / 3, abs=1e-6)


def test_equilibrium_is_that_of_the_state():
    model, _ = slider("{x} - DIF(1)")
    model.diff("0.3 - DIF(1)", ic=0.0, id=1)
    run = hn.simulate(model, kind="statics")
    assert run.part("body").position.values[-1, 0] == pytest.approx(0.3, abs=1e-8)


def test_kinematics_integrates_states_and_speeds():
    model, _ = slider("{x} - DIF(1)")
    model.diff("TIME", ic=0.0, id=1)
    run = hn.simulate(model, kind="kinematics", end=2.0, steps=4)
    assert place(run)[0] == pytest.approx(run.time**2 / 2, abs=1e-7)
    model, _ = slider("{v} - TIME")
    run = hn.simulate(model, kind="kinematics", end=2.0, steps=4)
    assert place(run)[0] == pytest.approx(run.time**2 / 2, abs=1e-7)


@pytest.mark.parametrize(
    "function, rate, text",
    [
        ("{x} - DIF(1)", "-VX({m})", "DIFF/1 depends on velocities, and the constraint is one of positions"),
        ("{v} - DIF(1)", "ACCX({m})", "DIFF/1 depends on forces or accelerations"),
        ("{x} - DIF(1)", "FX({m})", "DIFF/1 depends on forces or accelerations"),
        ("{x} - VARVAL(3)", "0", "VARIABLE/3, which is defined by an equation in itself"),
    ],
)
def test_what_a_row_cannot_follow_is_refused(function, rate, text):
    model, _ = slider(function)
    marker = next(m.id for m in model.markers.values() if m.name == "m")
    model.diff(rate.format(m=marker), ic=0.0, id=1)
    model.variable("0.5*VARVAL(3) + TIME", id=3)
    with pytest.raises(hn.ModelError, match=text):
        hn.simulate(model, end=0.1, steps=1)


def test_linear_analyses_say_that_they_have_no_terms_for_them():
    model, _ = slider("{x} - DIF(1)")
    model.diff("-DIF(1)", ic=0.0, id=1)
    with pytest.raises(hn.ModelError, match="no terms for constraints that read states"):
        hn.linearize(model)

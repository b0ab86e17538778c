"""Mechanisms that lock, positions that branch, joints that are open."""

import numpy as np
import pytest

import holonom as hn
from holonom._warnings import WarningText
from holonom.analyses.assemble import assemble
from holonom.analyses.checks.singular import Watch, check, constraints_at, explanation
from holonom.integrators.stepper import IntegrationError
from holonom.system.build import System


def four_bar(lengths, angle, function, branch=1.0):
    """Crank, coupler, rocker, ground link in the x-y plane, the crank at an angle."""
    crank, coupler, rocker, ground = lengths
    A = crank * np.exp(1j * angle)
    d = ground - A
    x = (coupler**2 - rocker**2 + abs(d) ** 2) / (2 * abs(d))
    B = A + d / abs(d) * (x + 1j * branch * np.sqrt(max(coupler**2 - x**2, 0.0)))
    m = hn.Model("four_bar")
    places = [np.array([z.real, z.imag, 0.0]) for z in (0j, A, B, complex(ground))]
    bars = [
        m.part(n, 1.0, (0.1,) * 3, tuple(0.5 * (p + q)))
        for n, p, q in zip(("crank", "coupler", "rocker"), places[:-1], places[1:])
    ]
    for name, i, j, p in zip("OABD", [*bars, m.ground], [m.ground, *bars], places):
        m.revolute(i, j, name, at=tuple(p), axis=(0, 0, 1))
    if function is not None:
        m.motion("O", function, "drive")
    return m


LOCKING = (1.0, 1.2, 0.9, 2.0)
AT = np.arccos((1.0 + 4.0 - 2.1**2) / 4.0)  # of the crank when coupler and rocker are in line


@pytest.mark.parametrize("method", [None, "RKF45", "DOP853", "RADAU5"])
def test_a_driven_four_bar_locks_where_geometry_says(method):
    options = {} if method is None else {"integrator": method}
    with pytest.raises(hn.ModelError, match=r"lock.*drive") as found:
        hn.simulate(four_bar(LOCKING, 0.5, "TIME"), 3.0, 30, **options)
    run = found.value.run
    if method is None:
        assert run.time[-1] == pytest.approx(AT - 0.5, abs=1e-8)
    else:
        assert found.value.time == pytest.approx(AT - 0.5, abs=1e-3)
    assert len(run) >= int((AT - 0.5) / 0.1)


def test_a_lock_that_is_left_again_before_the_next_output_is_seen():
    top = AT - 0.5 + 1e-3
    with pytest.raises(hn.ModelError, match="drive"):
        hn.simulate(four_bar(LOCKING, 0.5, f"{top!r}*SIN(TIME)"), 3.0, 3)


def test_driven_and_free_parallelograms_tell_that_they_branch():
    run = hn.simulate(four_bar((1.0, 2.0, 1.0, 2.0), 0.3, "-TIME"), 1.0, 13)
    told = [text for text in run.info["messages"] if "not unique" in text]
    assert told and float(told[0].split()[2]) == pytest.approx(0.3, abs=1e-4)
    coupler = run.part("coupler")
    assert np.abs(coupler.axes.values - np.eye(3)).max() < 1e-6  # the smooth continuation
    free = four_bar((1.0, 2.0, 1.0, 2.0), 0.3, None)
    free.parts[2].wz = -2.0
    run = hn.simulate(free, 0.5, 20, hmax=0.02)
    assert any("not unique" in text for text in run.info["messages"])


def test_regular_mechanisms_tell_nothing():
    for lengths in ((0.5, 2.0, 1.5, 2.0), (1.0, 2.01, 1.0, 2.0)):
        run = hn.simulate(four_bar(lengths, 0.9, "TIME"), 1.0 if lengths[0] == 1.0 else 7.0, 40)
        assert not any("not unique" in text for text in run.info["messages"])


def test_an_open_joint_is_named():
    system = System(four_bar(LOCKING, 0.5, None))
    y = assemble(system).y
    constraints_at(system, 0.0, y)
    check(system, 0.0, y)
    y[13] += 0.01
    constraints_at(system, 0.0, y)
    with pytest.raises(IntegrationError, match=r"[AB] is open by 0.00\d+ m at time 0 \("):
        check(system, 0.0, y)


def pushed_pendulum(function):
    m = hn.Model("pushed")
    m.gravity = (0, 0, -9.81)
    slider = m.part("slider", 1.0, (1e-2,) * 3)
    bob = m.part("bob", 1.0, (1e-2,) * 3, position=(0, 0, -0.5))
    rail = m.translational(slider, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    m.revolute(bob, slider, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.motion(rail, function, "drive")
    return m


@pytest.mark.parametrize("formulation", ["SI1", "SI2"])
def test_a_speed_that_jumps_is_named_and_no_joint_blamed(formulation):
    """ASIN(SIN(w t)) is a triangle of slopes +-w, which turn round at pi/(2 w)."""
    with pytest.raises(hn.ModelError, match="the speed of MOTION/1 'drive' jumps by -0.[34]") as found:
        hn.simulate(pushed_pendulum("0.01*ASIN(SIN(20*TIME))"), 0.2, 20, integrator="GSTIFF", formulation=formulation)
    assert "singular" not in str(found.value) and found.value.time == pytest.approx(np.pi / 40, abs=1e-4)


def test_small_singular_values_of_a_regular_mechanism_explain_nothing():
    """The rows of two joints on bodies of long arms and small inertia are nearly parallel everywhere; a parallelogram
    is nearly singular next to the position in line alone."""
    system = System(pushed_pendulum("0.01*TIME"))
    assert explanation(system, 0.0, assemble(system).y) == ""
    near = System(four_bar((1.0, 2.0, 1.0, 2.0), 1e-3, None))
    assert "singular configuration" in explanation(near, 0.0, assemble(near).y)


def test_redundant_rows_that_are_exchanged_are_no_warning():
    """One equation of a spatial four-bar's hinges repeats others: which one is left out may change along the way, and
    the mechanism does not; a row that is left out in addition is a warning."""
    system = System(four_bar(LOCKING, 0.5, None))
    y = assemble(system).y
    said: list[str] = []
    watch = Watch(system, said.append)
    place = np.asarray(system.S.ldl.place, np.int64)
    rows = np.asarray(system.S.rows.on, np.int64)[:2]

    def leave_out(*chosen):
        system.W.skip[place[rows]] = np.isin(rows, chosen)
        watch._rows(system.S, system.W, 0.1, y.copy(), False)

    leave_out(rows[0])
    assert len(said) == 1 and isinstance(said[0], WarningText) and "is left out from here on" in said[0]
    leave_out(rows[1])
    assert len(said) == 3 and not any(isinstance(text, WarningText) for text in said[1:])
    assert "is left out in place of " in said[1]

"""Decisions on lengths do not depend on the size of a machine: micrometres, millimetres, metres and kilometres."""

import numpy as np
import pytest

import holonom as hn

SIZES = [1e-6, 1e-3, 1.0, 1e3]


def slider(size, low, units="SI"):
    """A slider under gravity with a stop at ``low`` of its travel, which starts at 0."""
    m = hn.Model("slider", units=units)
    m.gravity = (0.0, 0.0, -10.0 * size)
    part = m.part("slider", 1.0, (size**2,) * 3, position=(0.0, 0.0, 0.0))
    slide = m.translational(part, m.ground, "slide", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    m.stop(slide, lower=low * size, restitution=0.5)
    return m


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize("size", SIZES)
def test_a_start_beyond_a_stop_is_refused_at_any_size(size, units):
    with pytest.raises(hn.ModelError, match="lies beyond its low stop"):
        hn.simulate(slider(size, 1e-3, units), 0.1, 2)


@pytest.mark.parametrize("size", SIZES)
def test_rebounds_are_those_of_the_free_fall_at_any_size(size):
    """Dropped from 0.2 with 10 units of length per second squared: stop at 0.2 s, then 1 unit of velocity upwards."""
    run = hn.simulate(slider(size, -0.2), 0.3, 3, error=1e-9)
    assert list(run.switches["time"]) == pytest.approx([0.2], abs=1e-7)
    assert run.part("slider").position.values[-1, 2] / size == pytest.approx(-0.2 + 0.1 - 0.5 * 10 * 0.1**2, abs=1e-7)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("speed, moves", [(1e-4, True), (1e-13, False)])
def test_statics_with_rigid_contact_want_motions_at_rest_at_any_size(size, speed, moves):
    m = hn.Model("press")
    m.gravity = (0.0, 0.0, -10.0 * size)
    ball = m.part("ball", 1.0, (0.01 * size**2,) * 3, position=(0.0, 0.0, 0.1 * size))
    m.contact(m.sphere(ball, (0.0, 0.0, 0.1 * size), 0.1 * size), m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
    arm = m.part("arm", 1.0, (size**2,) * 3, position=(size, 0.0, 0.0))
    slide = m.translational(arm, m.ground, "slide", at=(size, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    m.motion(slide, f"{speed * size!r}*TIME", "drive")
    if moves:
        with pytest.raises(hn.ModelError, match="needs motions at rest"):
            hn.simulate(m, kind="statics", contact="events")
    else:
        run = hn.simulate(m, kind="statics", contact="events")
        assert run.part("ball").position.values[-1, 2] == pytest.approx(0.1 * size, rel=1e-6)


def test_markers_of_a_machine_of_micrometres_do_not_coincide():
    """A spring between markers half a nanometre apart in a machine of a micrometre."""
    m = hn.Model("gripper")
    a = m.part("a", 1e-15, (1e-27,) * 3, position=(1e-7, 0.0, 0.0))
    i, j = m.marker_at(a, (1e-7, 0.0, 0.0)), m.marker_at(m.ground, (1e-7 + 5e-10, 0.0, 0.0))
    m.spring_damper(i, j, stiffness=1e-3, length=1e-10)
    m.sforce(i, j, "1e-9")
    assert not [w for w in m.warnings if "coincide" in w]


def test_the_size_of_results_does_not_depend_on_the_unit():
    times = [hn.simulate(slider(size, -0.2), 1.0, 4, error=1e-9).switches["time"] for size in SIZES]
    for other in times[1:]:
        assert np.allclose(other, times[0], atol=1e-6)

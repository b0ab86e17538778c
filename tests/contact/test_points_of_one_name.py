"""Two minima of the gap on one face have one name but for the order of their gaps, which changes as one of them closes:
points that are closed stay where they are.

A ring falls slantwise on a horizontal cylinder across its middle, without rebound: it touches at one side, turns about
that and lies down on the other one.  The first impact is that of a free fall; the course is the same however the ring
has been turned about its axis (which moves where its circle begins) and to whichever side it slants; at the end the
ring rests at the height R_c + r."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn

R, THIN, DRUM, FALL, G = 0.3, 0.03, 0.4, 0.01, 9.81


def lies_down(turn, tilt):
    """Times and places of the impacts and the run."""
    slant = Rotation.from_rotvec((0, tilt, 0)).as_matrix()
    axes = slant @ Rotation.from_rotvec((0, 0, turn)).as_matrix()
    at = (0, 0, DRUM + THIN + R * abs(np.sin(tilt)) + FALL)
    m = hn.Model("ring")
    m.gravity = (0, 0, -G)
    part = m.part("ring", 1.0, (0.05, 0.05, 0.09), at, axes=axes)
    drum = m.cylinder(m.ground, (-1, 0, 0), (1, 0, 0), DRUM)
    m.contact(m.torus(part, at, tuple(slant[:, 2]), R, THIN), drum, restitution=0.0)
    return hn.simulate(m, 0.2, 40, contact="events", error=1e-6)


@pytest.mark.parametrize("turn", [0.0, 1.7, 4.0])
def test_a_closed_point_stays_where_it_is_as_another_one_of_its_face_closes(turn):
    first = None
    for tilt in (0.1, -0.1):
        run = lies_down(turn, tilt)
        assert not run.info["warnings"]
        times = np.array([impact[0] for impact in run.impacts])
        sides = np.sign([impact[6] for impact in run.impacts])
        assert times[0] == pytest.approx(np.sqrt(2.0 * FALL / G), rel=1e-6)
        lower = np.sign(tilt)  # the side that was lower is closed, and is struck too as the other one touches
        assert sides[0] == lower and sorted(sides[1:]) == [-1.0, 1.0]  # both at one time
        assert times[2] == times[1]
        if first is not None:
            np.testing.assert_allclose(times[:2], first, rtol=1e-5)
        first = times[:2]
        assert run.part("ring").position.values[-1] == pytest.approx((0, 0, DRUM + THIN), abs=1e-9)

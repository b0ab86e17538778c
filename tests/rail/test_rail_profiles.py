"""Profiles: equations against printed positions, files, smoothing, what is refused."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar
from scipy.spatial import cKDTree

from holonom import Units
from holonom.elements.forces.rails.curve import arc, rail_in_track
from holonom.model import ModelError
from holonom.rail import Profile, cone, read_profile, s1002, uic60
from holonom.rail.profiles import ZONES, s1002_height

#: UIC 60 canted by 1 : 40, positions (y outward, z down) of the profile of the Manchester contact benchmark,
#: which E. Vollebregt's CONTACT carries, in mm
CANTED = np.array(
    [
        (-43.121819, 15.168459),
        (-42.279813, 10.954110),
        (-39.951087, 7.0580034),
        (-33.656069, 3.0611091),
        (-25.177173, 1.2996045),
        (-17.237161, 0.49595173),
        (-6.7933312, 0.077060361),
        (0.231267, 8.45e-5),
        (5.7130580, 0.087819551),
        (10.877897, 0.48213909),
        (16.104185, 1.2270576),
        (20.097329, 2.1224756),
        (24.178011, 4.4074141),
        (26.938697, 7.5726169),
        (28.484524, 11.201549),
        (28.847176, 13.369234),
    ]
)


def test_zones_of_s1002_join():
    """Heights to 0.2 micrometres (the printed digits of zone C), slopes to 1e-3, at all joints; the tape circle, the
    flange of 28 mm, its angle of 70 degrees."""
    edges = sorted({e for zone in ZONES.values() for e in zone})[1:-1]
    h = 1e-6
    for e in edges:
        below, above = s1002_height([e - h, e - 2 * h]), s1002_height([e + h, e + 2 * h])
        assert abs(below[0] - above[0]) < 2e-4
        assert abs((below[0] - below[1]) / h - (above[1] - above[0]) / h) < 1.5e-3
    assert s1002_height([0.0])[0] == 0.0
    y = np.linspace(-70, 60, 130001)
    z = s1002_height(y)
    assert z.max() == pytest.approx(28.0, abs=1e-6) and y[z.argmax()] == pytest.approx(-55.0, abs=1e-3)
    assert np.degrees(np.arctan(-(s1002_height([-39.0]) - s1002_height([-39.1]))[0] / 0.1)) == pytest.approx(
        70.0, abs=1e-3
    )
    assert np.isnan(s1002_height([-71.0, 61.0])).all()


def test_head_of_60e1():
    """72 mm wide 14.1 mm below the top, as the drawing specifies; and, canted, the profile of the Manchester benchmark
    within 0.04 mm, but for where that begins."""
    rail = uic60().rows * 1e3
    assert rail[0] == pytest.approx([-rail[-1, 0], -30.0], abs=1e-9) and rail[-1, 1] == pytest.approx(-30.0, abs=1e-9)
    slope = np.diff(rail[-9:], axis=0)
    assert -slope[:, 1] / slope[:, 0] == pytest.approx(20.0, rel=1e-6)  # the side
    right = rail[rail[:, 0] > 30]
    assert np.interp(14.1, -right[:, 1], right[:, 0]) == pytest.approx(36.0, abs=0.02)
    canted = rail_in_track(uic60().rows, 1.435, 0.014, 1 / 40) * 1e3 - [717.5, 0.0]
    s, p = arc(canted)
    tree = cKDTree(CubicSpline(s, p)(np.linspace(0, s[-1], 60001)))
    away = lambda shift: tree.query(CANTED * [1, -1] + [shift, 0])[0].max()
    best = minimize_scalar(away, bounds=(42.9, 43.2), method="bounded")
    assert best.fun < 0.04


def test_units_and_smoothing():
    profile = s1002()
    assert profile.points(Units(length="MILLIMETER"))[:, 1].max() == pytest.approx(28.0, abs=1e-3)
    rng = np.random.default_rng(2)
    rough = Profile("measured", profile.rows + rng.normal(scale=1e-5, size=profile.rows.shape), True)
    y = np.linspace(-0.02, 0.05, 50)
    exact = 1e-3 * s1002_height(1e3 * y)
    smooth = rough.smoothed(1e-5).at(y)
    assert np.sqrt(np.mean((smooth - exact) ** 2)) < 4e-6
    with pytest.raises(ModelError, match="deviation is 0"):
        profile.smoothed(0.0)


def test_files(tmp_path):
    y = np.linspace(-0.06, 0.055, 400)
    z = 1e-3 * s1002_height(1e3 * y)
    plain = tmp_path / "wheel.txt"
    plain.write_text("# y  z\n" + "\n".join(f"{1e3 * a:.6f}, {-1e3 * b:.6f}" for a, b in zip(y, z)))
    found = read_profile(plain, wheel=True)
    assert found.at([0.01])[0] == pytest.approx(1e-3 * s1002_height([10.0])[0], abs=1e-8)
    simpack = tmp_path / "wheel.prw"
    rows = "\n".join(f"{1e3 * a:+.8E}\t{1e3 * b:+.8E}" for a, b in zip(y[::-1], z[::-1]))
    simpack.write_text(
        f"header.begin\n type = 1\nheader.end\nspline.begin\n units.len.f = +1.0e+03 ! f\n point.begin\n{rows}\n "
        "point.end\nspline.end\n"
    )
    again = read_profile(simpack, wheel=True)
    assert np.abs(again.at([-0.01, 0.02]) - found.at([-0.01, 0.02])).max() < 1e-8
    plain.write_text("1 2\n3 x\n")
    with pytest.raises(ModelError, match="row 2: '3 x' is not two numbers"):
        read_profile(plain, wheel=True)
    plain.write_text("1 2\n3 4\n")
    with pytest.raises(ModelError, match="has 2 rows"):
        read_profile(plain, wheel=False)
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        read_profile(tmp_path / "none.txt", wheel=True)
    with pytest.raises(ModelError, match="form is 'dxf'"):
        read_profile(plain, wheel=True, form="dxf")


def test_refused():
    with pytest.raises(ModelError, match="conicity is 2"):
        cone(2.0)

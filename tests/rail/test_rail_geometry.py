"""Contact geometry and equivalent conicity: closed forms, the tables of EN 15302, CONTACT on the Manchester contact
benchmark."""

import math

import _kalker
import numpy as np
import pytest
from scipy.optimize import fsolve

from holonom.model import ModelError
from holonom.rail import cone, conicity, contact_geometry, klingel_wavelength, round_head, s1002, uic60

#: differences of radii of the pair wheel B, rail A of UIC 519 and EN 15302 (annex E), mm, every 0.1 mm: 0.05 y up to
#: 2.9, then
BEYOND = (
    1.950, 2.003, 2.057, 2.112, 2.167, 2.224, 2.281, 2.339, 2.397, 2.457, 2.517, 2.578, 2.640, 2.702, 2.766, 2.830,
    2.895, 2.961, 3.027, 3.095, 3.163, 3.232, 3.302,
    3.372, 3.444, 3.516, 3.589, 3.663, 3.737, 3.813, 3.889, 3.966, 4.044, 4.123,
)  # fmt: skip


def test_conicity_of_en_15302():
    """Its printed conicities at eight amplitudes."""
    half = np.array([0.005 * k for k in range(1, 30)] + list(BEYOND))
    r = np.concatenate([-half[::-1], [0.0], half])
    y = 0.1 * np.arange(-len(half), len(half) + 1)
    amplitudes = np.array([1.0, 2.0, 3.1, 3.2, 3.4, 4.0, 5.0, 6.0])
    found = conicity(y, r, amplitudes, nominal=460.0, distance=1500.0)
    assert np.abs(found - [0.025, 0.025, 0.097, 0.128, 0.172, 0.241, 0.283, 0.302]).max() < 6e-4
    # off the middle by a constant: the same about where it runs straight
    moved = conicity(y + 0.4, r, 2.0, nominal=460.0, distance=1500.0)
    assert moved == pytest.approx(0.025, rel=1e-9)


def test_conicity_of_a_hollow_wheel():
    """Delta r = 2 g (x + k x^3) about a middle between two points of the table: 3/4 k A^2 more by the harmonic, 3/5 by
    the straight line, Duffing's period by Klingel's equation."""
    y = np.linspace(-8e-3, 8e-3, 3202)
    x, g, k, a = y - 0.3e-3, 0.1, 3e4, 4e-3
    r = 2 * g * (x + k * x**3)
    theta = (np.arange(4000) + 0.5) * np.pi / 8000  # x'^2 = w^2 (a^2 - x^2) (1 + k (a^2 + x^2)/2)
    period = 4 * np.mean(1 / np.sqrt(1 + k * a**2 * (1 + np.sin(theta) ** 2) / 2)) * np.pi / 2
    even = np.linspace(-1, 1, 2001)  # 3/5, but for its ends
    for method, share in (("harmonic", 0.75), ("regression", np.mean(even**4) / np.mean(even**2))):
        assert conicity(y, r, a, method=method) == pytest.approx(g * (1 + share * k * a**2), rel=2e-5)
    assert conicity(y, r, a) == pytest.approx(g * (2 * np.pi / period) ** 2, rel=2e-5)
    few = slice(None, None, 100)  # half a step of the table is 0.25 mm: the middle is found between its points
    coarse = conicity(y[few], 2 * g * x[few], 2e-3, method="harmonic")
    assert coarse == pytest.approx(g, rel=1e-9)


def test_cone_on_an_arc():
    """Wickens: gamma (l + R gamma) / (l - r0 gamma), l half of the distance of the points of contact; a cone's
    wavelength is Klingel's."""
    g = contact_geometry(cone(0.05), round_head(0.3), y=np.arange(-20, 21) * 2e-4)
    half = _kalker.arm(0.3, 0.06, 0.05, 1 / 40)
    assert g.points[20][0][0].rail == pytest.approx(half - 0.5 * 1.435, abs=2e-6)
    wanted = 0.05 * (half + 0.3 * 0.05) / (half - 0.46 * 0.05)
    for method in ("klingel", "regression", "harmonic"):
        assert g.conicity(0.003, method) == pytest.approx(wanted, rel=1e-4)
    assert g.wavelength(0.002) == pytest.approx(klingel_wavelength(wanted), rel=1e-4)
    flat = contact_geometry(cone(0.05), round_head(0.08), y=[-0.001, 0, 0.001], inclination=0.0)
    assert flat.angle[1] == pytest.approx(np.arctan(0.05), abs=1e-4)


@pytest.mark.parametrize("y", [0.0, 1e-3])
def test_two_cones_that_differ(y):
    """Wheels of slopes 0.05 and 0.08, radii 0.46 and 0.459 on arcs of 0.3 m: two lines that touch two circles."""
    slopes, radii, middle = (0.05, 0.08), (0.46, 0.459), _kalker.arm(0.3, 0.06, 0.0, 1 / 40)

    def lines(z, roll):
        for slope, radius, side in zip(slopes, radii, (1.0, -1.0)):
            # of the left wheel, and of the right one in the mirror: a point and the direction across
            c, s = math.cos(side * roll), math.sin(side * roll)
            point = np.array([side * y + 0.75 * c + radius * s, z + 0.75 * s - radius * c])
            along = np.array([c - slope * s, s + slope * c]) / math.hypot(1.0, slope)
            yield point, along

    def gaps(x):
        # heights of the circles' highest points seen along the normals of the lines
        return [(p - [middle, -0.3]) @ np.array([-a[1], a[0]]) - 0.3 for p, a in lines(*x)]

    z, roll = fsolve(gaps, [0.46, 0.0], xtol=1e-13)
    g = contact_geometry(cone(0.05), round_head(0.3), y=[y], right=cone(0.08), radius=0.46, right_radius=0.459)
    assert (g.height[0], g.roll[0]) == pytest.approx((z, roll), abs=2e-7)
    assert g.angle[0] == pytest.approx([math.atan2(a[1], a[0]) for _, a in lines(z, roll)], abs=1e-4)


def test_s1002_on_uic60():
    """0.18 at 3 mm on 1435 mm and 1 : 40 (0.17 to 0.18 is what the literature has), little at 1 : 20; symmetric; the
    flange at 6 mm touches at two points."""
    g = contact_geometry()
    assert g.conicity(0.003) == pytest.approx(0.177, abs=0.003)
    for values in (g.difference, g.roll):  # but for the positions where the point of contact jumps
        assert np.sort(np.abs(values + values[::-1]))[:-4].max() < 2e-6
    steep = contact_geometry(inclination=1 / 20)
    assert steep.conicity(0.003) < 0.02
    assert max(len(p[0]) for p in g.points) >= 2
    assert np.degrees(g.angle.max()) == pytest.approx(70.0, abs=0.5)  # the flange


@pytest.mark.parametrize(
    "y, yaw, wheel, ahead, roll",
    [
        (5.0, 12.0, 13.1136, 9.1066, 3.554e-4),
        (5.5, 13.2, 13.7601, 10.0266, 4.777e-4),
        (6.0, 14.4, 14.3878, 10.9471, 6.272e-4),
    ],
)
def test_manchester_contact_benchmark(y, yaw, wheel, ahead, roll):
    """Case A-2.2: what CONTACT (E. Vollebregt) prints for the wheel that moves off its rail: position on the wheel,
    position along the track, roll; its rail stands 0.07 mm further in than 60E1 on 1435 mm."""
    g = contact_geometry(y=[1e-3 * y], yaw=1e-3 * yaw)
    point = g.points[0][1][0]
    assert 1e3 * point.wheel == pytest.approx(wheel, abs=0.08)
    assert abs(1e3 * point.ahead) == pytest.approx(ahead, abs=0.005)
    assert g.roll[0] == pytest.approx(roll, abs=2.5e-5)


def test_refused():
    y = np.linspace(-1, 1, 11)
    with pytest.raises(ModelError, match="nothing centres"):
        conicity(y, -y, 0.5)
    with pytest.raises(ModelError, match="ends before the amplitude"):
        conicity(y, y, 1.5)
    for method in ("klingel", "regression"):
        with pytest.raises(ModelError, match=r"ends before the amplitude 1.05; give positions from -0.75 to 1.35"):
            conicity(y, y - 0.3, 1.05, method=method)
    with pytest.raises(ModelError, match="lies off its rail"):
        contact_geometry(y=[0.2])
    with pytest.raises(ModelError, match="touches at the edge of a profile"):
        contact_geometry(cone(0.15), round_head(0.3), y=[0.0])
    with pytest.raises(ModelError, match="there is no wheel profile 's1003'"):
        contact_geometry("s1003")
    with pytest.raises(ModelError, match="is a profile of a rail"):
        contact_geometry(uic60())
    with pytest.raises(ModelError, match="lengths here are in metres"):
        contact_geometry(s1002(), radius=460)


def test_command(tmp_path, capsys):
    """`holonom rail conicity`: its table, its curves, a sentence for a gauge in metres."""
    from typer.testing import CliRunner

    from holonom.cli import app

    run = CliRunner()
    out = run.invoke(
        app, ["rail", "conicity", "--reach", "6", "--plot", str(tmp_path / "c.png"), "--csv", str(tmp_path / "c.csv")]
    )
    assert out.exit_code == 0
    table = np.loadtxt(tmp_path / "c.csv", delimiter=",", skiprows=1)
    assert table.shape == (121, 12) and (tmp_path / "c.png").stat().st_size > 10000
    found = run.invoke(app, ["rail", "conicity", "--gauge", "1.435"])
    assert found.exit_code == 2

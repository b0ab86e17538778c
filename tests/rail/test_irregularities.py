"""Irregularities: printed spectra, the periodogram of what is made, files, sections of curves."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.rail import curve, make_irregularities, read_irregularities, spectral_density, spectrum, uic60


def test_spectra_by_hand():
    o = 0.5
    assert spectrum("FRA 6", "level", o) == pytest.approx(0.25e-4 * 0.0339 * 0.8245**2 / (o**2 * (o**2 + 0.8245**2)))
    assert spectrum("FRA 4", "alignment", o) == pytest.approx(
        0.25e-4 * 0.3027 * 0.8245**2 / (o**2 * (o**2 + 0.8245**2))
    )
    assert spectrum("ERRI low", "level", o) == pytest.approx(
        4.032e-7 * 0.8246**2 / ((o**2 + 0.0206**2) * (o**2 + 0.8246**2))
    )
    assert spectrum("ERRI high", "alignment", 0.0) == pytest.approx(6.125e-7 / 0.0206**2)
    shape = o**2 + 0.8245**2
    assert spectrum("FRA 2", "cross", o) == pytest.approx(1e-4 * 1.0181 * 0.8245**2 / shape / (o**2 + 0.9308**2))
    shape = (o**2 + 0.0206**2) * (o**2 + 0.8246**2) * (o**2 + 0.438**2)
    assert spectrum("ERRI high", "cross", o) == pytest.approx(1.5**2 / 0.75**2 * 1.08e-6 * 0.8246**2 * o**2 / shape)
    rough = [spectrum(f"FRA {k}", "level", o) for k in range(1, 7)]
    assert (np.diff(rough) < 0).all()


@pytest.mark.parametrize("name", ["FRA 4", "ERRI high"])
def test_records_have_their_spectrum(name):
    """Each harmonic as the class specifies, nothing outside of the wavelengths, the variance the integral; repeatable,
    other with another seed."""
    made = make_irregularities(name, 800.0, seed=3)
    for kind in ("level", "alignment", "cross"):
        omega, density = spectral_density(getattr(made, kind), made.spacing)
        inside = (omega >= 2 * math.pi / 100.0 - 1e-9) & (omega <= 2 * math.pi + 1e-9)
        assert np.abs(density[inside] / spectrum(name, kind, omega[inside]) - 1.0).max() < 1e-8
        assert density[~inside].max() < 1e-12 * density.max()
        step = omega[1] - omega[0]
        assert np.var(getattr(made, kind)) == pytest.approx((density * step).sum(), rel=1e-9)
    again, other = make_irregularities(name, 800.0, seed=3), make_irregularities(name, 800.0, seed=4)
    assert (again.level == made.level).all() and np.abs(other.level - made.level).max() > 1e-4
    only = make_irregularities(name, 800.0, seed=3, kinds=("cross",), ramp=30.0)
    assert not only.level.any() and only.cross[0] == 0.0 and np.allclose(only.cross[200:-200], made.cross[200:-200])


def test_rails_follow():
    """Rows of rails give the four quantities back; a wheel that is set on the track sees them."""
    made = make_irregularities("FRA 3", 100.0)
    yl, zl, yr, zr = made.rows().T
    assert np.allclose(0.5 * (zl + zr), made.level) and np.allclose(zl - zr, made.cross) and np.allclose(yl, yr)
    m = hn.Model("rough")
    track = m.rail_track(rail=uic60(), **made.arguments(m.units))
    w = m.wheel_rail(
        m.part("w", 1.0, (1, 1, 1), (0, 0, 0)).cm, track, side="RIGHT", radius=0.46, profile=hn.rail.s1002()
    )
    from holonom.elements.forces.rails.contact import TRACK_AT, local
    from holonom.elements.forces.rails.wheel_rail import values

    c = np.array(values(w, m))
    assert c[int(c[TRACK_AT])] == 0.0
    found = local(c, (30.25, -0.75, 0.46), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert found[1] == pytest.approx((-0.75 - yr[121], 0.46 - zr[121]), abs=1e-12)


def test_curves():
    """Length, heading and cant of a curve: the end of a clothoid and the circle by their integrals."""
    m = hn.Model("curve")
    track = m.rail_track(
        rail=uic60(),
        sections=curve(300.0, straight=20.0, transition=40.0, length=100.0, cant=0.12, out=0.0, left=False),
    )
    turned = 0.5 * 40.0 / 300.0 + 100.0 / 300.0
    place, axes = track.frame(160.0)
    assert math.atan2(axes[0, 1], axes[0, 0]) == pytest.approx(-turned, abs=1e-12)
    assert axes[1, 2] == pytest.approx(0.12 / 1.5, abs=1e-12)  # a curve to the right raises the left rail
    from scipy.integrate import quad

    psi = lambda s: 0.0 if s < 20 else -((s - 20) ** 2) / (2 * 40 * 300) if s < 60 else -(20 / 300 + (s - 60) / 300)
    exact = [quad(lambda s, f=f: f(psi(s)), 0, 160, points=(20, 60), epsabs=1e-11)[0] for f in (math.cos, math.sin)]
    assert np.abs(place[:2] - exact).max() < 1e-8
    behind, _ = track.frame(170.0)
    assert np.hypot(*(behind - place)[:2]) == pytest.approx(10.0, abs=1e-9)


def test_files(tmp_path):
    path = tmp_path / "record.csv"
    s = np.arange(0, 50, 0.5)
    path.write_text("s,yl,zl,yr,zr\n" + "\n".join(f"{a},{math.sin(a)},2,{math.sin(a)},1" for a in s))
    found = read_irregularities(path)
    assert (
        found.spacing == pytest.approx(0.5)
        and np.allclose(found.alignment, 1e-3 * np.sin(s))
        and np.allclose(found.cross, 1e-3)
        and np.allclose(found.level, 1.5e-3)
    )
    path.write_text("\n".join(f"{0.1 * k:.1f} {k} {2 * k}" for k in range(8)))
    found = read_irregularities(path, columns=("s", "level", "gauge"), spacing=0.1, unit="m")  # 0.7 / 0.1 rounds down
    assert found.level == pytest.approx(np.arange(8.0)) and found.gauge == pytest.approx(2 * np.arange(8.0))
    path.write_text("0 1\n1 2\n0.5 3\n2 1\n")
    with pytest.raises(ModelError, match="s does not rise"):
        read_irregularities(path, columns=("s", "level"))
    path.write_text("0 1\n1 2\nx 3\n2 1\n")
    with pytest.raises(ModelError, match="line 3: 'x 3' is not a row"):
        read_irregularities(path, columns=("s", "level"))


def test_refused():
    with pytest.raises(ModelError, match="no spectrum 'FRA 7'"):
        make_irregularities("FRA 7", 100.0)
    with pytest.raises(ModelError, match="2 spacing <= short"):
        make_irregularities("FRA 1", 100.0, wavelengths=(0.1, 50.0))
    with pytest.raises(ModelError, match="kind is 'gauge'"):
        spectrum("FRA 1", "gauge", 1.0)

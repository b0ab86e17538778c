"""Campbell diagrams against the closed form of an overhung disc on a shaft without mass (Genta, Dynamics of Rotating
Systems (2005), ch. 2).

With z = u + i v the deflection and t its slope, M z'' - i W G z' + K z = 0, G = diag(0, Ip), and K that of the end of a
cantilever.
"""

import numpy as np
import pytest

import holonom as hn

L, D, E, MASS, ACROSS, ALONG = 0.4, 0.02, 2.1e11, 8.0, 0.03, 0.055


def closed(speed):
    """Frequencies of whirl, rising."""
    EI = E * np.pi * D**4 / 64
    K = EI * np.array([[12 / L**3, -6 / L**2], [-6 / L**2, 4 / L]])
    M, G = np.diag([MASS, ACROSS]), np.diag([0.0, ALONG * speed])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), 1j * np.linalg.solve(M, G)]])
    return np.sort((np.linalg.eigvals(A) / 1j).real)


def overhung(axis=(1.0, 0.0, 0.0), at=(0.0, 0.0, 0.0), swap=False):
    """Hub, a shaft of a ten-thousandth of the density of steel, a disc."""
    x, at = np.asarray(axis) / np.linalg.norm(axis), np.asarray(at, float)
    y = np.cross(x, (0.3, 0.5, -0.8))
    y /= np.linalg.norm(y)
    place = lambda s: tuple(at + s * x)
    m = hn.Model("overhung")
    m.gravity = (0, 0, 0)
    hub = m.part("hub", 1.0, (1e-3,) * 3, position=place(0.0))
    shaft = m.part("shaft", 1.0, (1e-3,) * 3, position=place(L / 2))
    spread = ACROSS * np.eye(3) + (ALONG - ACROSS) * np.outer(x, x)
    disc = m.part("disc", MASS, spread, position=place(L))
    hinge = m.revolute(*((m.ground, hub) if swap else (hub, m.ground)), at=place(0.0), axis=tuple(x))
    m.motion(hinge, "0", name="drive")
    m.fixed(shaft, hub, at=place(0.0))
    m.fixed(shaft, disc, at=place(L))
    bar = hn.flexible.beam(
        place(0.0), place(L), hn.flexible.Section.round(D / 2), E=E, density=0.785, y=tuple(y), elements=8
    )
    m.make_flexible(shaft, bar, modes=0)
    return m


@pytest.mark.parametrize("turned", (False, True))
def test_overhung_disc(turned):
    """Gyroscopic splitting; a rotor that lies askew in space far from the origin, with the motion of ground against it,
    is the same."""
    m = overhung((0.3, -0.7, 0.5), (20.0, -30.0, 10.0), swap=True) if turned else overhung()
    speeds = (0.0, 100.0, 400.0, 1000.0)
    sign = -1.0 if turned else 1.0  # the motion turns ground's marker
    found = hn.campbell(m, "drive", [sign * s for s in speeds])
    for speed, row in zip(speeds[1:], found.whirl[1:]):
        exact = closed(speed)
        near = np.array([row[np.abs(row - sign * w).argmin()] for w in exact]) * sign
        assert near == pytest.approx(exact, rel=2e-5)
    still = closed(0.0)[2:]
    assert np.abs(np.abs(found.whirl[0])[:, None] / still - 1.0).min(axis=0).max() < 1e-5
    assert np.all(found.others > 0.0)


def test_critical_speed():
    """The unbalance meets a forward whirl where K - W^2 (M - G/W) is singular; a disc wider than a sphere has no second
    one."""
    found = hn.campbell(overhung(), "drive", np.linspace(90.0, 130.0, 5))
    K = E * np.pi * D**4 / 64 * np.array([[12 / L**3, -6 / L**2], [-6 / L**2, 4 / L]])
    squares = np.linalg.eigvals(np.linalg.solve(np.diag([MASS, ACROSS - ALONG]), K)).real
    assert found.critical() == pytest.approx(np.sqrt(squares[squares > 0.0]), rel=1e-4)


def test_files_and_pictures(tmp_path):
    found = hn.campbell(overhung(), "drive", (0.0, 50.0))
    lines = found.to_csv(tmp_path / "c.csv").read_text().splitlines()
    assert lines[0].startswith("speed,whirl 1") and len(lines) == 3
    assert len(found.plot().lines) >= 5


def test_what_cannot_be_is_said():
    m = overhung()
    with pytest.raises(hn.ModelError, match="at least one speed"):
        hn.campbell(m, "drive", [])
    with pytest.raises(hn.ModelError, match="finite"):
        hn.campbell(m, "drive", [np.nan])
    with pytest.raises(hn.ModelError, match="rm is the marker"):
        hn.campbell(m, "drive", [1.0], rm=1)
    m.table("MOTION")[1].kind = "TRANSLATIONAL"
    with pytest.raises(hn.ModelError, match="rotational motion"):
        hn.campbell(m, "drive", [1.0])

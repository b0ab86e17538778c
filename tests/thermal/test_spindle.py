"""The study of the spindle at one of its speeds, which asserts closed forms of its own, against a model of another
kind: rings of the shaft and an unrolled shell of the housing by finite volumes, whose films, oil and friction of
bearings are written out from their sources."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("skfem", reason="scikit-fem is not installed (extra 'flex')")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "spindle_temperatures.py"
AMBIENT, CELLS, AROUND = 20.0, 2, 24  # cells in 20 mm along, and around the housing


def resistance(at, other, conductivity):
    """From the surface at radius ``at`` of a ring to its mean temperature, per area: heat that enters there evenly and
    leaves the volume evenly, no heat at the ``other`` surface:  T = q a / (k (a^2 - b^2)) (r^2 / 2 - b^2 ln r)."""
    r = np.linspace(at, other, 2001)
    T = at / (at**2 - other**2) * (0.5 * r**2 - other**2 * np.log(r))
    return abs(T[0] - np.trapezoid(T * r, r) / np.trapezoid(r, r)) / conductivity


def torque(warm, speed):
    """Palmgren (Harris, 4th ed., ch. 14), N m: f0 1.7, f1 = 0.001 (P / C0)^0.33, d_m 77.5 mm, C0 29 kN, contact of 30
    degrees under 400 N along and 150 N across; Walther's oil of 32 mm^2/s at 40 and 5.4 at 100 degrees."""
    double = lambda nu: np.log10(np.log10(nu + 0.7))
    steep = (double(32.0) - double(5.4)) / np.log10(373.15 / 313.15)
    oil = 10**10 ** (double(32.0) - steep * np.log10((warm + 273.15) / 313.15)) - 0.7
    load = 0.9 * 400.0 / np.tan(np.radians(30.0)) - 0.1 * 150.0
    of_load = 0.001 * (load / 29e3) ** 0.33 * load * 77.5
    return 1e-3 * (1e-7 * 1.7 * (oil * speed) ** (2 / 3) * 77.5**3 + of_load)


def shells(speed):
    """Axial drift (m), heat and temperature of the rear and the front bearing, at ``speed`` (1/min)."""
    shaft_k, iron_k, shaft_way, iron_way = 45.0, 50.0, 1.17e-5, 1.05e-5
    bore, shaft, hole, outside = 0.013, 0.030, 0.0475, 0.075
    w, dz, turn = speed * np.pi / 30, 0.02 / CELLS, 2 * np.pi / AROUND
    z = (np.arange(20 * CELLS) + 0.5) * dz
    rows = np.arange(2 * CELLS, 17 * CELLS)  # the housing, from 0.04 to 0.34 m
    N, shell = len(z), len(rows) * AROUND
    angle = (np.arange(AROUND) + 0.5) * turn - np.pi  # from the foot, which takes a sixth of the circumference
    section, strip = np.pi * (shaft**2 - bore**2), 0.5 * (outside**2 - hole**2) * turn
    # Becker (1963), Re of the surface's speed; Churchill & Chu (1975)
    film = 0.133 * (2 * w * shaft**2 / 15.89e-6) ** (2 / 3) * 0.707 ** (1 / 3) * 0.0263 / (2 * shaft)
    rayleigh = lambda skin: 9.80665 / 300 * max(skin - AMBIENT, 1.0) * (2 * outside) ** 3 * 0.707 / 15.89e-6**2
    spread = (1 + (0.559 / 0.707) ** (9 / 16)) ** (8 / 27)
    still = lambda skin: (0.6 + 0.387 * rayleigh(skin) ** (1 / 6) / spread) ** 2 * 0.0263 / (2 * outside)
    inner, outer = resistance(shaft, bore, shaft_k), resistance(hole, outside, iron_k)
    back = resistance(outside, hole, iron_k)
    seats = [np.arange(k * CELLS, (k + 1) * CELLS) for k in (3, 15)]
    cell = lambda i, j: N + (i - rows[0]) * AROUND + j % AROUND
    face = lambda s, i: N + shell + (s * CELLS + i) * (AROUND + 1)  # of the shaft, then those of the housing
    warm, skin = np.array([40.0, 40.0]), 30.0
    for _ in range(60):
        G, q = np.zeros((face(2, 0), face(2, 0))), np.zeros(face(2, 0))

        def link(a, b, g, G=G):
            G[[a, b], [a, b]] += g
            G[[a, b], [b, a]] -= g

        def cool(a, g, G=G, q=q):
            G[a, a] += g
            q[a] += g * AMBIENT

        for i in range(N):
            if i:
                link(i - 1, i, shaft_k * section / dz)
            if z[i] < 0.04 or z[i] > 0.34:
                cool(i, 2 * np.pi * shaft * dz / (1 / film + inner))
        for i in rows:
            for j in range(AROUND):
                a, on = cell(i, j), still(skin) + 500.0 * (abs(angle[j]) < np.pi / 6)
                if i > rows[0]:
                    link(a, cell(i - 1, j), iron_k * strip / dz)
                link(a, cell(i, j + 1), iron_k * dz * np.log(outside / hole) / turn)
                cool(a, outside * turn * dz / (1 / on + back))
                if i == rows[-1]:  # the flange
                    cool(a, strip / (1 / 500.0 + 0.5 * dz / iron_k))
                if 0.08 < z[i] < 0.30:  # a film on either side of the air between
                    link(i, a, shaft * turn * dz / (2 / film + inner + outer * shaft / hole))
        heat = torque(warm, speed) * w
        for s, seat in enumerate(seats):
            for k, i in enumerate(seat):
                on, share = face(s, k), 0.5 * heat[s] / CELLS
                link(i, on, 2 * np.pi * shaft * dz / inner)
                q[on] += share
                for j in range(AROUND):
                    link(cell(i, j), on + 1 + j, hole * turn * dz / outer)
                    link(on, on + 1 + j, 4.0 / CELLS / AROUND)  # 4 W/K through the balls
                    q[on + 1 + j] += share / AROUND
        T = np.linalg.solve(G, q)
        faces, housing = T[N + shell :].reshape(2, CELLS, AROUND + 1), T[N : N + shell].reshape(-1, AROUND).mean(1)
        last, warm = warm, 0.5 * (faces[:, :, 0].mean(1) + faces[:, :, 1:].mean((1, 2)))
        skin = housing.mean()
        if np.abs(warm - last).max() < 1e-3:
            break
        warm = 0.5 * (warm + last)
    # from the middle of the front seat: the nose to the right, the flange to the left of the housing's end
    ahead = shaft_way * (T[:N][z > 0.31] - AMBIENT).sum() - iron_way * (housing[z[rows] > 0.31] - AMBIENT).sum()
    return ahead * dz, heat, warm


def test_spindle():
    """Heat, temperatures of the bearings and drift of the finite elements are those of the shells; the table of
    docs/thermal.md has 20.0 um."""
    spec = importlib.util.spec_from_file_location("example_spindle_temperatures", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    drift, heat, warm = shells(6000)
    found = example.main((6000,))
    assert found == pytest.approx(drift, rel=0.02) and f"{1e6 * found:.1f}" == "20.0"
    _, power, bearings, _ = example.settle(example.build(), 6000 * np.pi / 30)
    assert [power[name] for name in ("rear", "front")] == pytest.approx(heat, rel=0.015)
    assert [bearings[name] for name in ("rear", "front")] == pytest.approx(warm, abs=0.8)

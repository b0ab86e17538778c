"""Stresses of bodies on mixed coordinates, the page of a collision, and the commands: waves in bars, Lame's ring, what
the page promises."""

import base64
import csv
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.flexible import Material, mixed
from holonom.flexible.mixed.stresses import von_mises
from holonom.results.pages.collision import scene_of, write_collision

pytest.importorskip("skfem")


@pytest.fixture(scope="module")
def wave():
    """Flat bars, and the time at which the wave is half way along both."""
    contact = mixed.flat_bars(60, 2.0)
    want = mixed.st_venant(contact)
    run = mixed.collide(
        contact,
        velocity=((0, 1.0), (0, 0)),
        end=0.25 * want.duration,
        step=0.25 * want.duration / 60,
        theta=0.5,
        samples=60,
    )
    return contact, want, run


def test_the_wave_in_a_bar(wave):
    """Behind the front rho c v / 2, ahead of it nothing (St Venant)."""
    contact, want, run = wave
    for k, body in enumerate((contact.one, contact.other)):
        s = mixed.stresses(body, run.displacements(k))[-1]
        z = np.abs(body.places[:, 1])
        behind, ahead = (z > 0.01) & (z < 0.07), z > 0.125
        plateau = -0.5 * 7850.0 * want.wave
        assert s[behind, 1].mean() == pytest.approx(plateau, rel=0.01)
        assert np.abs(s[ahead, 1]).max() < 0.05 * abs(plateau) and np.abs(s[behind][:, [0, 3]]).max() < 0.02 * abs(
            plateau
        )
        assert von_mises(s)[behind].mean() == pytest.approx(abs(plateau), rel=0.01)


def test_stresses_of_given_displacements():
    """A ring under Lame's displacement B r + C / r, a strip under uniform strains in both plane states; a body in space
    is reported."""
    steel = Material(2e11, 0.3, 7850.0)
    body = mixed.axisymmetric(mixed.grid(np.linspace(1.0, 2.0, 41), [0.0, 0.05, 0.1]), steel)
    r = body.places[:, 0]
    u = np.column_stack([1e-4 * r + 2e-4 / r, 0 * r])
    s = mixed.stresses(body, u)
    inside = (r > 1.1) & (r < 1.9)
    mu, lam = 2e11 / 2.6, 2e11 * 0.3 / (1.3 * 0.4)
    rr, tt = 1e-4 - 2e-4 / r**2, 1e-4 + 2e-4 / r**2
    for k, want in ((0, lam * (rr + tt) + 2 * mu * rr), (3, lam * (rr + tt) + 2 * mu * tt), (1, lam * (rr + tt))):
        assert s[inside, k] == pytest.approx(want[inside], rel=2e-3)
    for state, across in (("stress", 0.0), ("strain", lam * (3e-4 - 1e-4))):
        strip = mixed.plane(mixed.grid([0, 0.1, 0.3], [0, 0.1, 0.2]), steel, state=state)
        x, y = strip.places.T
        s = mixed.stresses(strip, np.column_stack([3e-4 * x + 2e-4 * y, -1e-4 * y]))
        assert s[:, 3] == pytest.approx(np.full(9, across), abs=1.0) and s[:, 2] == pytest.approx(np.full(9, mu * 2e-4))
        if state == "stress":
            assert s[:, 0] == pytest.approx(np.full(9, 2e11 / 0.91 * (3e-4 - 0.3 * 1e-4)))
    block = mixed.space(hn.flexible.box((0, 0, 0), (1, 1, 1), (1, 1, 1), "hexahedron"), steel)
    with pytest.raises(hn.ModelError, match="not made of quadrilaterals"):
        mixed.stresses(block, np.zeros((8, 3)))


def test_the_page(wave, tmp_path):
    """Vertices of the page, displaced, are nodes of the course; colours its stresses; a path that is not a page is
    refused."""
    contact, _, run = wave
    data = scene_of(run, "bars")
    item = data["flexible"][1]
    number = lambda name, dtype: np.frombuffer(base64.b64decode(item[name]), dtype).astype(float)
    shapes = number("phi", "<i2").reshape(len(item["modes"]), item["count"], 3) * np.array(item["unit"])[:, None, None]
    u = np.einsum("j,jvc->vc", number("q", "<f4").reshape(len(run.sampled), -1)[-1], shapes)
    a = len(contact.other.places)
    rest = number("p", "<f4").reshape(-1, 3)[-a:]  # the second cut: all nodes, upwards
    assert rest == pytest.approx(
        np.column_stack([contact.other.places[:, 1], 0 * u[-a:, 0], contact.other.places[:, 0]]), abs=1e-6
    )
    want = run.displacements(1)[-1]
    assert u[-a:][:, [2, 0]] == pytest.approx(want, abs=5e-4 * np.abs(want).max())
    vm = (number("vm", "<u1").reshape(-1, item["count"])[-1, -a:] / 254) ** 2 * item["top"]
    assert vm == pytest.approx(
        von_mises(mixed.stresses(contact.other, run.displacements(1)))[-1], abs=0.005 * item["top"]
    )
    json.dumps(data, allow_nan=False)
    page = write_collision(
        run, tmp_path / "bars.html", facts=[("more <than> this", "1")], renderer="canvas"
    ).read_text()
    assert "more &lt;than&gt; this" in page and re.search("contact force, N: 0 to", page)
    with pytest.raises(hn.ModelError, match="ends in .html"):
        write_collision(run, tmp_path / "bars.vtk")
    block = mixed.space(
        hn.flexible.box((0, 0, 0), (1, 1, 1), (2, 2, 2), "hexahedron"), Material(1e8, 0.3, 1e3), name="a"
    )
    floor = mixed.space(
        hn.flexible.box((0, 0, -1), (1, 1, 0), (2, 2, 2), "hexahedron"), Material(1e8, 0.3, 1e3), name="b"
    ).hold("z-")
    hit = mixed.collide(
        mixed.Contact(block, floor, ("z-", "z+")), velocity=((0, 0, -1.0), (0, 0, 0)), end=1e-3, step=1e-4
    )
    data = scene_of(hit, "blocks")
    assert "vm" not in data["flexible"][0] and any("body in space" in w for w in data["missing"])


def test_flat_bars_from_the_command_line(tmp_path):
    told = CliRunner().invoke(
        app, ["flexible", "bars", "--flat", "--cells", "30", "--report", str(tmp_path / "flat.html")]
    )
    assert told.exit_code == 0, told.output
    force = next(line for line in told.output.splitlines() if "force, N" in line).split()
    assert (
        float(force[-2]) == pytest.approx(float(force[-3]), rel=2e-3)
        and (tmp_path / "flat.html").stat().st_size > 50_000
    )
    told = CliRunner().invoke(app, ["flexible", "bars", "--mesh", "coarse"])
    assert told.exit_code == 2 and "give uniform, graded or fine" in told.output
    told = CliRunner().invoke(app, ["flexible", "bars", "--flat", "--cells", "1"])
    assert told.exit_code == 2 and "whole number from 2 on" in told.output


@pytest.mark.slow
def test_the_study_from_the_command_line(tmp_path):
    """140 rows; on the uniform mesh, which touches in one node, one ring and seven modes hold, as published one node
    does."""
    table, plot = tmp_path / "runs.csv", tmp_path / "runs.png"
    told = CliRunner().invoke(
        app, ["flexible", "study", "--mesh", "uniform", "--csv", str(table), "--plot", str(plot), "--workers", "1"]
    )
    assert told.exit_code == 0 and "140 runs" in told.output and plot.stat().st_size > 10_000
    rows = list(csv.reader(table.open()))
    assert len(rows) == 141 and all(float(r[4]) > 0.99 for r in rows[1:])

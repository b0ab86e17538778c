"""Modes as little runs and pages: the motion is the mode's, the page draws and stays offline."""

import numpy as np
import pytest
from _browser import Browser, find_chromium

import holonom as hn
from holonom.model import Model, ModelError, drawing
from holonom.results import _rotation
from holonom.results.modes import Linear
from holonom.results.pages.animation import three_js


@pytest.fixture(scope="module")
def linear():
    """Two parts by hand, no solver: a free slide of both, a tilt of the second against the first with a phase."""
    model = Model("pair")
    for k in range(2):
        part = model.part(f"p{k}", 1.0 + k, (1.0, 2.0, 3.0), (float(k), 0, 0))
        drawing.block(model, part, (float(k), 0, 0), (0.8, 0.2, 0.2))
    shapes = np.zeros((2, 6, 2))
    shapes[:, 0, 0] = 3**-0.5
    shapes[1, 5, 1] = 3**-0.5
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, -16.0, 0, -0.8]])
    rates = np.concatenate([np.zeros((2, 6, 2)), shapes], axis=2)
    keys = [("PART", p.id, p.name) for p in model.parts.values() if not p.ground]
    return Linear(
        model=model,
        time=0.0,
        bodies=keys,
        position=np.array([[0, 0, 0], [1.0, 0, 0]]),
        quaternion=np.array([[1.0, 0, 0, 0]] * 2),
        mass=np.array([1.0, 2.0]),
        inertia=np.array([np.diag([1.0, 2.0, 3.0])] * 2),
        shapes=shapes,
        rates=rates,
        A=A,
        B=np.zeros((4, 0)),
        C=np.zeros((0, 4)),
        D=np.zeros((0, 0)),
        force_bodies=np.zeros((0, 2), int),
        force_change=np.zeros((0, 2, 6, 4)),
    )


def test_modes_of_a_hand_made_matrix(linear):
    slide, tilt = linear.modes
    assert slide.kind == "rigid" and slide.multiplicity == 2 and slide.shape[:, 0] == pytest.approx([1, 1])
    assert tilt.value == pytest.approx(-0.4 + 1j * np.sqrt(16 - 0.16)) and tilt.shape[1, 5] == pytest.approx(1)
    assert tilt.damping_ratio == pytest.approx(0.1) and tilt.time_constant == pytest.approx(2.5)
    assert linear.kinetic_energy(2)[1, 5] == pytest.approx(1.0) and linear.kinetic_energy(1)[:, 0] == pytest.approx(
        [1 / 3, 2 / 3]
    )
    assert linear.strain_energy(2)[1] == pytest.approx(1.0)


def test_a_mode_is_a_run(linear):
    run = linear.run(2, amplitude=0.3, periods=2, frames=40)
    rate = linear.mode(2).value.imag
    assert run.time[-1] == pytest.approx(4 * np.pi / rate) and len(run) == 81
    q = run.part("p1").quaternion.values
    angle = 2 * np.arctan2(q[:, 3], q[:, 0])
    assert angle == pytest.approx(0.3 * np.cos(rate * run.time), abs=1e-12)
    assert np.ptp(run.part("p0").position.values) == 0.0
    slow = linear.run(1, amplitude=0.2, period=2.0)
    assert slow.part("p1").position.values[:, 0] == pytest.approx(1 + 0.2 * np.cos(np.pi * slow.time))
    assert np.abs(_rotation.matrices(q)[:, 2, 2] - 1).max() < 1e-12
    with pytest.raises(ModelError, match="there is no mode 3"):
        linear.run(3)


def test_files(linear, tmp_path):
    back = Linear.load(linear.save(tmp_path / "l.h5"))
    assert back.text() == linear.text()
    import h5py

    with h5py.File(tmp_path / "l.h5", "r+") as file:
        del file["A"]
        file["A"] = np.eye(3)
    with pytest.raises(ModelError, match="do not fit together"):
        Linear.load(tmp_path / "l.h5")
    with h5py.File(tmp_path / "l.h5", "r+") as file:
        del file["A"]
        file["A"] = h5py.ExternalLink("/etc/hostname", "A")
    with pytest.raises(ModelError, match="no plain table 'A'"):
        Linear.load(tmp_path / "l.h5")


@pytest.mark.skipif(find_chromium() is None, reason="chromium is not installed, so no page was opened")
@pytest.mark.parametrize(
    "renderer",
    [pytest.param("three", marks=pytest.mark.skipif(three_js() is None, reason="trimesh is not installed")), "canvas"],
)
def test_page_draws_the_modes(linear, tmp_path, renderer):
    linear.model.title = "<b>pair</b> & co"
    path = linear.report(tmp_path / "modes.html", renderer=renderer)
    with Browser(path, height=900) as b:
        b.wait("document.querySelector('[data-ready]')")
        assert (
            b.js("holonomViewers.length") == 1
            and b.js("document.querySelector('h1').textContent") == "<b>pair</b> & co: linear analysis"
        )
        b.js("holonomViewers[0].pause(); holonomViewers[0].setTime(0)")
        first = b.screenshot(selector=".hv-stage canvas")
        b.js("holonomViewers[0].setTime(1.0)")  # half a period later
        second = b.screenshot(selector=".hv-stage canvas")
        assert (np.abs(first - second).max(axis=2) > 0.1).mean() > 1e-3
        assert b.requests == [path.resolve().as_uri()] and b.errors == []


def test_animation_file(linear, tmp_path):
    page = linear.animate(2, tmp_path / "m.html", renderer="canvas").read_text()
    assert "mode 2, 0.63662 Hz, damping ratio 0.1" in page
    assert isinstance(hn.Linear, type)

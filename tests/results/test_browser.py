"""The pages in a real browser without a window: they draw, they move, they require nothing.

Needs chromium (Debian: ``apt-get install chromium``); skipped, saying so, where there is none.
"""

from __future__ import annotations

import numpy as np
import pytest
from _browser import Browser, find_chromium
from _fabricated import slider_crank, tumbling_box

from holonom.results.pages.animation import three_js, write_animation
from holonom.results.pages.report import write_report

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="chromium is not installed, so no page was opened")
needs_three = pytest.mark.skipif(three_js() is None, reason="trimesh (holonom[report]) is not installed")
PAINTERS = [pytest.param("three", marks=needs_three), "canvas"]
MOSTLY = [
    PAINTERS[0],
    pytest.param("canvas", marks=pytest.mark.slow),
]  # the canvas, in what the animation alone shows already, is left to the long tests


def ready(browser: Browser) -> None:
    browser.wait("document.querySelector('[data-ready]')")
    assert browser.js("document.querySelector('.hv').dataset.ready") == "yes", browser.errors


def drawn(picture: np.ndarray) -> float:
    """Share of pixels that are coloured (neither background, grid, text nor grey ground)."""
    return float((np.ptp(picture, axis=2) > 0.2).mean())


def change(a: np.ndarray, b: np.ndarray) -> float:
    return float((np.abs(a - b).max(axis=2) > 0.1).mean())


def clean(browser: Browser, path) -> None:
    assert browser.requests == [path.resolve().as_uri()]
    assert browser.errors == []


@pytest.mark.parametrize("renderer", PAINTERS)
def test_animation_draws_scrubs_plays_and_stays_offline(tmp_path, renderer):
    path = write_animation(slider_crank(), tmp_path / "a.html", renderer=renderer)
    with Browser(path) as b:
        ready(b)
        assert ("three.js" in b.js("holonomViewers[0].painter")) == (renderer == "three")
        b.js("holonomViewers[0].setTime(0)")
        first = b.screenshot(selector=".hv-stage canvas")
        assert drawn(first) > 0.01
        # the slider of the page itself, as a user moves it
        b.enter(".hv-slider", 0.2, "input")
        assert b.js("holonomViewers[0].time") == pytest.approx(0.4)
        assert b.js("document.querySelector('.hv-time').textContent").startswith("0.4 / 2 s")
        second = b.screenshot(selector=".hv-stage canvas")
        assert change(first, second) > 0.005
        b.js("holonomViewers[0].setTime(0)")
        assert change(first, b.screenshot(selector=".hv-stage canvas")) < 1e-4
        # play, then pause
        b.js("document.querySelector('.hv-play').click()")
        b.wait("holonomViewers[0].time > 0.2")
        b.js("document.querySelector('.hv-play').click()")
        stopped = b.js("holonomViewers[0].time")
        b.wait_until_idle()
        assert b.js("holonomViewers[0].time") == stopped
        clean(b, path)


@pytest.mark.parametrize("renderer", MOSTLY)
def test_controls_of_the_animation(tmp_path, renderer):
    path = write_animation(slider_crank(), tmp_path / "a.html", renderer=renderer)
    with Browser(path) as b:
        ready(b)
        picture = lambda: b.screenshot(selector=".hv-stage canvas")
        b.js("holonomViewers[0].setTime(0.3)")
        before = picture()
        # hide all bodies, the forces and springs
        b.js("document.querySelectorAll('.hv-bodies input').forEach(i => i.click())")
        b.js(
            "[...document.querySelectorAll('.hv-group label')].filter(l => /forces|Springs|axes/.test(l.textContent))"
            ".forEach(l => l.querySelector('input').click())"
        )
        assert drawn(picture()) < 0.001 < drawn(before)
        b.js("document.querySelectorAll('.hv-bodies input').forEach(i => i.click())")
        shown = picture()
        # reactions, markers
        for text in ("Reactions", "Markers"):
            old = picture()
            b.tick(text)
            assert change(old, picture()) > 1e-4
        # highlight, trace, view, zoom
        old = picture()
        b.js("document.querySelector('.hv-bodies button').click()")
        assert change(old, picture()) > 1e-3
        b.enter(".hv-side [aria-label='Point to trace']", "b1")
        b.js("holonomViewers[0].setTime(1.5)")
        assert (np.abs(picture() - np.array([0xD9, 0x44, 0x3F]) / 255).max(axis=2) < 0.12).sum() > 40
        assert len(b.js("document.querySelector('.hv-here').textContent").split(",")) == 3
        b.js("holonomViewers[0].setTime(0.3)")
        for button in ("X", "Y", "Z", "Persp.", "Fit"):
            b.js(f"[...document.querySelectorAll('.hv-views button')].find(e => e.textContent === '{button}').click()")
            assert drawn(picture()) > 0.001
        b.js(
            "document.querySelector('canvas').dispatchEvent(new WheelEvent('wheel', {deltaY: -500, cancelable: true}))"
        )
        assert change(shown, picture()) > 0.01
        clean(b, path)


def test_a_mesh_of_a_file_is_drawn(tmp_path):
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    (tmp_path / "tetra.stl").write_text(
        "solid t\n"
        + "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join("vertex {} {} {}\n".format(*vertices[k]) for k in face)
            + "endloop\nendfacet\n"
            for face in faces
        )
    )
    run = tumbling_box()
    run.model.graphic("EXTERNAL", rm=run.model.marker("box", (0, 0, 0)).id, file="tetra.stl")
    path = write_animation(run, tmp_path / "a.html", folder=tmp_path)
    with Browser(path) as b:
        ready(b)
        assert drawn(b.screenshot(selector=".hv-stage canvas")) > 0.004
        assert b.js("!document.querySelector('.hv-missing')")
        assert b.js(  # saving a picture: what the canvas gives right after drawing is not blank
            "(() => { let url; HTMLAnchorElement.prototype.click = function () { url = this.href; };"
            "[...document.querySelectorAll('.hv-views button')].find(e => e.textContent === 'PNG').click();"
            "return url.startsWith('data:image/png') && url.length > 5000; })()"
        )
        clean(b, path)


def test_dragging_turns_and_shift_dragging_moves(tmp_path):
    path = write_animation(tumbling_box(), tmp_path / "a.html")
    with Browser(path) as b:
        ready(b)
        for shift, what in ((0, "azimuth"), (8, "target[0]")):
            before = b.js(f"holonomViewers[0].cam.{what}")
            for kind, x in (("mousePressed", 300), ("mouseMoved", 360), ("mouseReleased", 360)):
                b.call(
                    "Input.dispatchMouseEvent",
                    type=kind,
                    x=x,
                    y=320,
                    button="left",
                    buttons=1,
                    clickCount=1,
                    modifiers=shift,
                )
            assert b.js(f"holonomViewers[0].cam.{what}") != before
        clean(b, path)


@needs_three
def test_interpolation_between_frames_is_a_rotation_and_a_straight_line(tmp_path):
    run = tumbling_box(3)  # half a turn in two frames: lerp of quaternions without slerp would be visibly off
    path = write_animation(run, tmp_path / "a.html", renderer="canvas")
    with Browser(path) as b:
        ready(b)
        b.js("holonomViewers[0].setTrace({body: 0, o: [0.1, 0, 0]})")
        b.js("holonomViewers[0].setTime(0.25)")
        got = [
            float(v.split()[0].replace("−", "-"))
            for v in b.js("document.querySelector('.hv-here').textContent").split(",")
        ]
    from holonom.model.orientation import from_quaternion

    axis = np.array([1, 2, 2]) / 3
    turn = from_quaternion([np.cos(0.5), *(np.sin(0.5) * axis)])
    centre = run.data.body_position[:2, 0].mean(axis=0)
    assert np.allclose(got, centre + turn @ [0.1, 0, 0], atol=2e-4)


@needs_three
def test_without_webgl_the_canvas_takes_over(tmp_path):
    path = write_animation(slider_crank(), tmp_path / "a.html", renderer="three")
    with Browser(path, webgl=False) as b:
        ready(b)
        assert b.js("holonomViewers[0].painter") == "2D canvas"
        assert drawn(b.screenshot(selector=".hv-stage canvas")) > 0.01
        assert "no WebGL" in b.js("document.querySelector('.hv-missing').textContent")
        assert b.requests == [path.resolve().as_uri()]


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.slow), True])
def test_report_in_light_and_dark(tmp_path, dark):
    run = slider_crank()
    run.model.warnings.append("</script><script>document.title = 'broken'</script>")
    path = write_report(run, tmp_path / "r.html")
    with Browser(path, dark=dark) as b:
        ready(b)
        assert b.js("document.title") == "slider crank"
        page = b.screenshot(selector="body")
        assert (page[5, 5].mean() < 0.2) == dark
        assert drawn(b.screenshot(selector=".hv-stage canvas")) > 0.01
        ink = b.js("getComputedStyle(document.querySelector('.plot-legend .plot-chip')).color")
        assert ink == b.js("getComputedStyle(document.body).color")
        assert b.js("document.documentElement.scrollWidth <= innerWidth")
        clean(b, path)

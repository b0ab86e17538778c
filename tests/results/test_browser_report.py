"""The report in a real browser: what a reader clicks on, and how it looks on wide and narrow screens.

Needs chromium (Debian: ``apt-get install chromium``); skipped, saying so, where there is none.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from _browser import Browser, find_chromium
from _fabricated import slider_crank

import holonom as hn
from holonom.results.pages.animation import three_js
from holonom.results.pages.report import write_report

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="chromium is not installed, so no page was opened")
needs_three = pytest.mark.skipif(three_js() is None, reason="trimesh (holonom[report]) is not installed")
MOSTLY = [
    pytest.param("three", marks=needs_three),
    pytest.param("canvas", marks=pytest.mark.slow),
]  # what the canvas draws is in test_browser
NAME = "<script>alert(1)</script>"
AMBER, PURPLE = np.array([227, 154, 18]) / 255, np.array([163, 25, 127]) / 255


@pytest.fixture(scope="module")
def ball():
    model = hn.Model("drop", units="SI")
    model.gravity = (0.0, 0.0, -9.80665)
    body = model.part(NAME, 2.0, (0.008, 0.008, 0.008), (0.3, 0, 0.101))
    model.contact(
        model.sphere(body, (0.3, 0, 0.101), 0.1),
        model.plane(model.ground, (0, 0, 0), (0, 0, 1)),
        law="IMPACT",
        stiffness=1e8,
        exponent=1.5,
        damping=500.0,
        dmax=1e-4,
        name="on the plane",
    )
    return hn.simulate(model, end=0.6, steps=60, integrator="GSTIFF", error=1e-6)


def ready(b):
    b.wait("document.querySelector('[data-ready]')")
    assert b.js("document.querySelector('.hv').dataset.ready") == "yes", b.errors


def click(b, body):
    """Click with the mouse on the centre of a body in the picture."""
    b.js("document.querySelector('.hv').scrollIntoView({behavior: 'instant'})")
    b.wait_until_idle()
    x, y = b.js(
        f"(() => {{ const p = holonomViewers[0].seen({body}), r = document.querySelector('.hv "
        "canvas').getBoundingClientRect();"
        "return [p[0] + r.x, p[1] + r.y]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        b.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
    b.wait_until_idle()


def like(picture, colour):
    """Pixels of about one hue, in light and in shade."""
    size = np.linalg.norm(picture, axis=2)
    along = (picture @ colour) / np.where(size > 0, size, 1) / np.linalg.norm(colour)
    return int(((along > 0.985) & (size > 0.35)).sum())


@pytest.mark.parametrize("renderer", MOSTLY)
def test_a_click_on_a_body_shows_its_name_and_its_curves(tmp_path, ball, renderer):
    path = write_report(ball, tmp_path / "r.html", renderer=renderer)
    with Browser(path, width=1400, height=900) as b:
        ready(b)
        b.js("holonomViewers[0].setTime(0.5)")
        b.js("holonomPlots.choose(1)")  # the contact, so that a click has something to change
        assert b.js("holonomPlots.chosen.kind") == "CONTACT"
        before = b.screenshot(selector=".hv-stage canvas")
        click(b, 0)
        assert b.js("holonomViewers[0].chosen") == 0 and b.js("holonomPlots.chosen.name") == NAME
        assert b.js("document.querySelector('.hv-label b').textContent") == NAME
        assert b.js("document.querySelector('.inspector h3').textContent") == NAME
        assert np.abs(before - b.screenshot(selector=".hv-stage canvas")).max(axis=2).mean() > 1e-3  # it is marked
        rows = b.js(
            "[...document.querySelectorAll('.inspector tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        )
        place = next(r for r in rows if r[0].startswith("z"))
        z = float(ball.part(NAME).position.sel(time=0.5, method="nearest")[2])
        assert float(place[1]) == pytest.approx(z, rel=1e-4)  # the value now, at the time of the picture
        b.js("holonomViewers[0].setTime(0)")
        again = b.js("[...document.querySelectorAll('.inspector tbody tr')].map(r => r.children[1].textContent)")
        assert float(again[rows.index(place)]) == pytest.approx(0.101, rel=1e-4)
        click(b, 0)
        assert b.js("holonomViewers[0].chosen") == -1 and b.js("document.querySelector('.hv-label').hidden")
        assert b.errors == [] and b.requests == [path.resolve().as_uri()]


@pytest.mark.parametrize("renderer", MOSTLY)
def test_contact_forces_can_be_shown_and_hidden(tmp_path, ball, renderer):
    path = write_report(ball, tmp_path / "r.html", renderer=renderer)
    with Browser(path, width=1400, height=900) as b:
        ready(b)
        picture = lambda: b.screenshot(selector=".hv-stage canvas")
        b.js("holonomViewers[0].setTime(0)")
        assert like(picture(), PURPLE) == 0  # in the air nothing acts
        b.js("holonomViewers[0].setTime(0.5)")
        shown = picture()
        assert like(shown, AMBER) > 60 and like(shown, PURPLE) > 20
        b.tick("Contact forces")
        assert like(picture(), AMBER) < 0.1 * like(shown, AMBER)
        b.tick("Contact points")
        bare = picture()
        assert like(bare, PURPLE) == 0
        b.js("holonomPlots.choose(1)")  # chosen, the arrow of the contact is seen even so
        assert (
            b.js("holonomPlots.chosen.kind") == "CONTACT" and (np.abs(bare - picture()).max(axis=2) > 0.2).sum() > 100
        )


@needs_three
def test_shadows_and_edges_can_be_switched(tmp_path):
    path = write_report(slider_crank(), tmp_path / "r.html")
    with Browser(path) as b:
        ready(b)
        b.js("holonomViewers[0].setTime(0.3)")
        for name in ("Shadows", "Edges"):
            before = b.screenshot(selector=".hv-stage canvas")
            b.tick(name)
            after = b.screenshot(selector=".hv-stage canvas")
            darker = (before.mean(axis=2) < after.mean(axis=2) - 0.04).mean()
            assert darker > 1e-3, name


@pytest.mark.parametrize(
    "width, dark",
    [
        (1400, False),
        (400, True),
        *(pytest.param(*other, marks=pytest.mark.slow) for other in ((400, False), (1400, True))),
    ],
)
def test_wide_and_narrow_light_and_dark(tmp_path, ball, width, dark):
    for k, run in enumerate((slider_crank(), ball)):
        path = write_report(run, tmp_path / f"{k}.html")
        with Browser(path, width=width, height=800, dark=dark) as b:
            ready(b)
            b.wait_until_idle()
            assert b.js("document.documentElement.scrollWidth <= innerWidth")
            small = b.js(
                "[...document.querySelectorAll('body *')].filter(e => e.textContent.trim() && "
                "e.getClientRects().length &&"
                "[...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) && "
                "!/^(SCRIPT|STYLE|OPTION)$/.test(e.tagName) &&"
                "parseFloat(getComputedStyle(e).fontSize) < 11).map(e => e.textContent.slice(0, 30))"
            )
            assert small == []
            b.js("holonomPlots.finish()")
            wide = b.js(
                "[...document.querySelectorAll('.plot-stage canvas')].filter(s => s.clientWidth > innerWidth - "
                "20).length"
            )
            assert wide == 0
            ink, back = b.js(
                "[...['color', 'backgroundColor']].map(k => getComputedStyle(document.body)[k].match(/\\d+/g).slice(0, "
                "3).map(Number))"
            )
            assert (sum(ink) > sum(back)) == dark and abs(sum(ink) - sum(back)) > 400
            assert b.errors == []


def test_plots_and_picture_share_their_time(tmp_path):
    path = write_report(slider_crank(), tmp_path / "r.html")
    with Browser(path, width=1100) as b:
        ready(b)
        b.js("holonomPlots.finish()")
        b.js("holonomViewers[0].setTime(1.5)")
        plot = "document.querySelector('figure[data-plot] .plot-stage')"
        place = lambda: b.js(
            "(e => e.left - "
            f"{plot}.querySelector('.u-over').getBoundingClientRect().left)({plot}.querySelector('.plot-now').getBoundingClientRect())"
        )
        left = place()
        b.js("holonomViewers[0].setTime(0.5)")
        assert place() < left - 20
        where = b.js(
            f"(() => {{ const e = {plot}.querySelector('.u-over'); e.scrollIntoView({{behavior: 'instant', block: "
            f"'center'}});"
            "const r = e.getBoundingClientRect(); return [r.x, r.y]; })()"
        )
        mouse = lambda kind, x: b.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=where[0] + x,
            y=where[1] + 80,
            button="left",
            buttons=1,
            clickCount=1,
        )
        mouse("mousePressed", left)
        mouse("mouseReleased", left)
        assert b.js("holonomViewers[0].time") == pytest.approx(1.5, abs=0.02) and place() == pytest.approx(
            left, abs=1.5
        )
        mouse("mousePressed", left)  # on its line now: a drag moves the time
        mouse("mouseMoved", left - 100)
        mouse("mouseReleased", left - 100)
        assert place() == pytest.approx(left - 100, abs=2) and b.js("holonomViewers[0].time") < 1.4
        assert b.errors == []


def test_a_legend_hides_and_shows_curves_and_tells_values(tmp_path):
    path = write_report(slider_crank(), tmp_path / "r.html", animation=False)
    with Browser(path, width=1100) as b:
        b.js("holonomPlots.finish()")
        plot = "[...holonomPlots.drawn].find(p => p.element === document.querySelector('figure[data-plot]'))"
        count = lambda: b.js(f"{plot}.u.series.slice(1).filter(s => s.show).length")
        names = b.js(
            "[...document.querySelector('figure[data-plot]').querySelectorAll('.plot-chip')].map(c => c.textContent)"
        )
        before = count()
        assert before == len(names) > 1
        b.js("document.querySelector('figure[data-plot] .plot-chip').click()")
        assert count() == before - 1
        b.js("document.querySelector('figure[data-plot] .plot-chip').click()")
        assert count() == before
        x, y = b.js(
            "(() => { const e = document.querySelector('figure[data-plot] .u-over'); e.scrollIntoView({behavior: "
            "'instant', block: 'center'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + 60]; })()"
        )
        b.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        b.wait_until_idle()
        tip = b.js("document.querySelector('figure[data-plot] .plot-tip').textContent")
        assert all(name in tip for name in names if not name.startswith("rejected")), json.dumps(tip)
        assert b.errors == []


def test_the_panel_of_the_picture_opens_on_narrow_screens(tmp_path):
    path = write_report(slider_crank(), tmp_path / "r.html", renderer="canvas")
    with Browser(path, width=400, height=800) as b:
        ready(b)
        assert b.js("document.querySelector('.hv-side').hidden")
        b.js("[...document.querySelectorAll('.hv-views button')].pop().click()")
        b.wait_until_idle()
        side, stage = b.js(
            "['.hv-side', '.hv-stage'].map(s => document.querySelector(s).getBoundingClientRect().toJSON())"
        )
        assert side["width"] > 200 and side["left"] >= stage["left"] and side["right"] <= stage["right"] + 1
        assert side["bottom"] <= stage["bottom"] + 1 and b.js("document.documentElement.scrollWidth <= innerWidth")

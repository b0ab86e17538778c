"""What a report shows first: the largest loads; and what it shows last."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.results.pages.report_curves import Curves

sys.path.insert(0, str(Path(__file__).parents[1] / "studio"))
from _open import browser, until  # noqa: E402


def pendulum():
    """A rod that is let go horizontally: the largest force of its hinge is 5/2 m g at the lowest point."""
    model = hn.Model("pendulum", "SI")
    model.gravity = (0, 0, -10.0)
    rod = model.part("rod", mass=2.0, inertia=(1e-6, 1 / 6, 1 / 6), position=(0.5, 0, 0))
    model.revolute(rod, model.ground, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    ball = model.part("ball", shape=hn.shapes.sphere((3, 0, 0.11), 0.1), density=100.0)
    model.plane(model.ground, (3, 0, 0), (0, 0, 1), size=1.0)
    model.contact(ball, model.ground, "IMPACT", "touch", stiffness=1e5, damping=10.0, dmax=1e-3)
    return hn.simulate(model, end=1.0, steps=500, progress=False)


@pytest.fixture(scope="module")
def run():
    return pendulum()


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    return run.report(tmp_path_factory.mktemp("first") / "report.html", renderer="canvas")


def test_largest_loads_are_first_and_the_solver_is_last(run, page):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"<section id=\"[^\"]*\"><h2>([^<]*)</h2>", text)
    assert [h for h in headings if h != "Warnings"][0] == "Largest loads" and headings[-1] == "Solver"
    row = re.search(
        r"<tr><th scope=row>hinge</th><td>JOINT/1</td><td class=n>([^<]*)</td><td class=n>([^<]*)</td>", text
    )
    assert float(row[1]) == pytest.approx(2.5 * 2.0 * 10.0, rel=1e-4)
    assert re.search(r"Fastest body</th><td>2\.7\d* m/s at .*: rod", text)
    assert "<th scope=row>touch</th><td>CONTACT/1</td>" in text


def test_the_first_element_is_the_one_that_carries_most(run):
    curves = Curves(run)
    curves.gather()
    assert curves.elements[curves.data()["first"]]["name"] == "hinge"
    model = hn.Model("free", "SI")
    model.part("still", 1.0, (1, 1, 1), (0, 0, 0))
    model.part("fast", 1.0, (1, 1, 1), (1, 0, 0), velocity=(0, 3, 0))
    curves = Curves(hn.simulate(model, end=0.1, steps=10, progress=False))
    curves.gather()
    assert curves.elements[curves.data()["first"]]["name"] == "fast"


def test_counts_are_steps(run):
    curves = Curves(run)
    curves.gather()
    assert np.ptp(run.data.contact_points) > 0
    counted = [p for p in curves.plots if p.get("modes") == ["steps"]]
    assert len(counted) == 1 and "points" in counted[0]["title"].lower()


@pytest.mark.slow
def test_accessible_printed_and_scrolled_on_a_phone(page):
    """axe has nothing to say at three widths in both themes; a table that is wider than a phone says so; on paper
    curves are as wide as the text, without tips."""
    axe = __import__("importlib.resources").resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
    with browser() as chromium:
        for width in (400, 1280):
            for scheme in ("light", "dark"):
                seen = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
                seen.goto(page.as_uri())
                until(seen, "!!window.holonomPlots")
                seen.evaluate("window.holonomPlots.finish()")
                seen.locator(".plot button:has-text('⋯'):visible").first.click()
                found = seen.evaluate(
                    axe + "; axe.run(document).then((r) => r.violations.map("
                    "(v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)]))"
                )
                assert not found, (width, scheme, found)
                if width == 400:
                    assert seen.evaluate(
                        "document.querySelector('#largest-loads .scroll:last-of-type').classList.contains('more')"
                    )
                    assert seen.evaluate("document.documentElement.scrollWidth") <= 400
                seen.close()
        seen = chromium.new_page(viewport={"width": 1280, "height": 900})
        seen.goto(page.as_uri())
        until(seen, "!!window.holonomPlots")
        seen.evaluate("dispatchEvent(new Event('beforeprint'))")
        seen.emulate_media(media="print")
        wide = seen.evaluate(
            "[...document.querySelectorAll('.figures .plot canvas')].map((c) => c.getBoundingClientRect().width)"
        )
        assert wide and min(wide) > 560
        assert seen.evaluate("[...document.querySelectorAll('.plot-tip')].every((t) => !t.getClientRects().length)")
        pdf = seen.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert "@page" in page.read_text(encoding="utf-8")  # margins, also where the browser has none
        assert not seen.locator("footer").is_visible()  # alone on a last page
        seen.close()

"""Three tasks of an engineer, in clicks and seconds: the largest reaction of a four-bar, a changed cylinder of the
crane against the original one, and the reason why a joint is redundant.

Clicks are those of the mouse that the page receives, entries the fields that are typed into.  Seconds are the
machine's and are printed (``pytest -s``), not limited."""

import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

COUNTED = (
    "addEventListener('pointerdown', (e) => (window.clicks += e.isTrusted), true);"
    "addEventListener('change', (e) => (window.entries += e.isTrusted && e.target.type === 'text'), true);"
)


@pytest.fixture
def page(chromium, tmp_path):
    with studio(tmp_path) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate(f"window.clicks = window.entries = 0; {COUNTED}")
        page.project = tmp_path
        yield page
        assert not page.faults


@contextmanager
def task(page, name, clicks, entries):
    """A task that takes at most so many clicks and entries."""
    page.evaluate("window.clicks = window.entries = 0")
    begun = time.monotonic()
    yield
    found = page.evaluate("[window.clicks, window.entries]")
    print(f"\n{name}: {found[0]} clicks, {found[1]} entries, {time.monotonic() - begun:.1f} s", end="")
    assert found[0] <= clicks and found[1] <= entries, (name, found)


def run(page):
    page.evaluate("delete document.body.dataset.results")
    page.locator("#run").click()
    until(page, "document.body.dataset.results", 600)
    assert page.evaluate("document.body.dataset.problem") == ""


@pytest.mark.slow
def test_a_four_bar_and_its_largest_reaction(page):
    with task(page, "four-bar, largest reaction", clicks=3, entries=0):
        page.locator("#template-four_bar").click()
        until(page, "studio.tree.items.has('MOTION/1') && studio.view.version === studio.file.version", 120)
        run(page)
        page.locator("#tab-peaks").click()
        until(page, "document.querySelectorAll('#peaks tbody tr').length > 3")
        name = page.locator("#peaks tbody tr .link").first.text_content()
        force = float(page.locator("#peaks tbody tr td[data-value]").first.get_attribute("data-value"))
    page.evaluate("studio.link.ask('save', { file: 'four_bar.json' })")
    soon(page, lambda: (page.project / "four_bar.json").is_file())
    model = hn.Model.from_json((page.project / "four_bar.json").read_text())
    end, steps = (float(page.locator(f"#run-{n}").input_value()) for n in ("end", "steps"))
    rows = hn.simulate(model, end=end, steps=int(steps), progress=False).reactions(forces=True, contacts=True).rows
    largest = max(rows, key=lambda row: row["peak_force"])
    assert name == largest["element"] and force == pytest.approx(largest["peak_force"], rel=1e-9)


@pytest.mark.slow
def test_another_stroke_of_the_crane_against_the_original_one(page):
    with task(page, "crane, changed drive, two runs compared", clicks=10, entries=4):
        page.locator("#example-crane").click()
        until(page, "studio.file.file === 'crane.adm' && studio.view.version === studio.file.version", 120)
        for name, value in (("end", "12"), ("steps", "60")):
            page.locator(f"#run-{name}").fill(value)
            page.keyboard.press("Tab")
        run(page)
        page.locator("#search").fill("lift drive")
        page.locator("#tree .row:has-text('lift drive')").first.click()
        field = page.locator("#p-MOTION-function")
        field.fill("STEP5(TIME,10,0,19,-0.1)")
        field.press("Enter")
        until(page, "studio.file.undo.includes('MOTION/')")
        run(page)
        page.locator("#tab-plots").click()
        page.locator("[aria-label='Filter quantities']").fill("lift cylinder.travel")
        page.locator("#plots [data-curve='lift cylinder.travel']").click()
        page.locator("#plots summary:has-text('Runs')").click()
        page.locator("#plots [data-run='1']").click()
        until(page, "studio.results.pages.drawn[0] && studio.results.pages.drawn[0].o.series.length === 2")
        series = page.evaluate("studio.results.pages.drawn[0].o.series.length")
    assert series == 2  # both runs


@pytest.mark.slow
def test_why_a_joint_is_redundant(page):
    with task(page, "redundant joint of a slider-crank", clicks=3, entries=0):
        page.locator("#template-slider_crank").click()
        until(page, "/[1-9]\\d* redundant/.test(document.getElementById('status').textContent)", 300)
        page.locator("#status .link.unsure").click()
        line = page.locator("#console .line:has-text('redundant: ') .link").first
        joint = line.text_content()
        line.click()
        until(page, "[...studio.chosen].some((k) => k.startsWith('JOINT/') || k.startsWith('MOTION/'))")
    chosen = page.evaluate("studio.tree.items.get([...studio.chosen][0])[2]")
    assert chosen == joint

"""Parameters in a table with sliders, studies of them, and results that are opened alone."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until  # noqa: E402


def machine():
    """A mass on a spring whose stiffness is a number of the spring, pushed by a design variable."""
    model = hn.Model("mass", "SI")
    block = model.part("block", 1.0, (0.1, 0.1, 0.1), (0, 0, 1))
    model.translational(block, model.ground, "guide", at=(0, 0, 1), axis=(0, 0, 1))
    model.variable("5.0", name="push")
    top, low = model.marker_at(block, (0, 0, 1)), model.marker_at(model.ground, (0, 0, 0))
    model.spring_damper(top, low, stiffness=100.0, length=1.0, name="spring")
    model.vforce(top, None, fz="VARVAL(1)", name="load")
    return model


@pytest.fixture(scope="module")
def page(shop):
    (shop.folder / "mass.json").write_text(machine().to_json())
    hn.simulate(machine(), end=1.0, steps=20, progress=False).save(shop.folder / "mass.h5")
    page = shop.opened("mass.json", 1280, 800)
    yield page
    assert not page.faults


def test_a_parameter_is_set_by_its_slider_and_undone(page):
    page.locator("#tab-parameters").click()
    until(page, "!!document.querySelector('[data-parameter=\"SPRINGDAMPER/1.k\"]')")
    field = page.locator("[data-parameter='VARIABLE/1']")
    assert field.input_value() == "5"
    field.fill("7.5")
    field.press("Enter")
    until(page, "studio.file.undo.includes('VARIABLE/1')")
    slider = page.locator("tr[data-key='SPRINGDAMPER/1.k'] input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    until(page, "studio.file.undo.includes('SPRINGDAMPER/1')")
    value = page.evaluate("studio.link.ask('parameters')")["rows"]
    found = {r[0]: r[2] for r in value}
    assert (found["VARIABLE/1"], found["SPRINGDAMPER/1.k"]) == pytest.approx((7.5, 101.0))
    for _ in range(2):
        steps = page.evaluate("studio.file.steps")
        page.evaluate("studio.link.ask('undo')")
        until(page, f"studio.file.steps === {steps} - 1")
    assert page.evaluate("!studio.file.changed")


def highest(page, run):
    """Largest displacement of the block in a run, by its curve."""
    return page.evaluate(
        "async (n) => { const r = studio.results.runs.get(n);"
        " const q = r.quantities.find((x) => x[1].endsWith('block.position'));"
        " const c = await studio.results.series({ run: n, q: q[0], component: 2 }); return Math.max(...c.y) - 1; }",
        run,
    )


@pytest.mark.slow
def test_a_study_has_a_table_and_its_curves_lie_over_each_other(page):
    """The displacement of the mass grows with the force; the model is as before."""
    page.locator("#tab-parameters").click()
    until(page, "!!document.getElementById('sweep-key')")
    page.locator("#sweep-key").select_option("VARIABLE/1")
    for name, value in (("from", 5), ("to", 10), ("count", 2)):
        page.locator(f"#sweep-{name}").fill(str(value))
    page.locator("#run-end").fill("0.3")
    page.locator("#run-steps").fill("30")
    for n, (quantity, reduction) in enumerate((("spring.force", "peak"), ("block.position.z", "max"))):
        if page.locator(".measure").count() <= n:
            page.locator("#measure-add").click()
        page.locator(f"[aria-label='Quantity of measure {n + 1}']").fill(quantity)
        page.locator(f"[aria-label='Reduction of measure {n + 1}']").select_option(reduction)
    while page.locator(".measure").count() > 2:
        page.locator(".measure button").last.click()
    page.locator("#sweep").click()
    until(page, "document.body.dataset.study", 600)
    assert page.evaluate("document.body.dataset.study") == "ended", page.locator("#sweep-state").text_content()
    runs = [int(n) for n in page.evaluate("document.body.dataset.sweep").split(",")]
    assert len(runs) == 2 and page.evaluate("studio.file.steps") == 0
    rise = [highest(page, n) for n in runs]
    assert rise[1] == pytest.approx(2 * rise[0], rel=1e-4) and rise[0] == pytest.approx(0.1, rel=0.02)
    cells = page.evaluate("[...document.querySelectorAll('#study td[data-value]')].map((d) => +d.dataset.value)")
    assert cells[1] - 1 == pytest.approx(rise[0], rel=1e-6) and cells[3] - 1 == pytest.approx(rise[1], rel=1e-6)
    assert cells[2] == pytest.approx(2 * cells[0], rel=1e-4)
    assert page.locator("#study .study-plot .u-over").count() == 1
    page.locator("#study tr[data-row='1'] button:has-text('Use')").click()
    until(page, "document.querySelector(\"[data-parameter='VARIABLE/1']\").value === '10'")
    page.evaluate("studio.undo('undo')")
    until(page, "studio.file.steps === 0")
    page.locator("#study-compare").click()
    until(page, "studio.results.open === 'plots' && studio.results.pages.compare.size === 2")


@pytest.mark.slow
def test_a_study_of_two_parameters_that_fails_says_why(page):
    page.locator("#tab-parameters").click()
    until(page, "!!document.getElementById('sweep-2-key')")
    page.locator("#sweep-2-key").select_option("SPRINGDAMPER/1.k")
    page.locator("#sweep-2-count").fill("2")
    page.locator("#sweep-count").fill("2")
    page.locator("[aria-label='Quantity of measure 1']").fill("sprung.force")
    page.evaluate("delete document.body.dataset.study")
    page.locator("#sweep").click()
    until(page, "document.body.dataset.study", 600)
    assert page.locator("#study tbody tr").count() == 4
    why = page.locator("#study td.bad").first.get_attribute("title")
    assert "sprung" in why and "spring" in why
    page.locator("[aria-label='Quantity of measure 1']").fill("spring.force")
    page.locator("#sweep-2-key").select_option("")
    page.locator("#sweep-from").fill("7")
    page.locator("#sweep-to").fill("7")
    page.locator("#sweep").click()
    soon(page, lambda: "give two different numbers" in page.locator("#notice").text_content())


def test_what_is_being_typed_survives_a_change_of_the_model(page):
    """The table follows each change; half a number, its caret and the bar of the sweep stay."""
    page.locator("#tab-parameters").click()
    stiffness, push = (page.locator(f"[data-parameter='{key}']") for key in ("SPRINGDAMPER/1.k", "VARIABLE/1"))
    until(page, "!!document.getElementById('sweep-key')")
    steps = page.evaluate("studio.file.steps")
    page.locator("#sweep-from").fill("12")
    page.locator("#sweep-count").fill("4")
    push.fill("6.2")
    page.keyboard.press("ArrowLeft")
    for value in ("150", "100"):  # not by undo, which takes what is typed first
        page.evaluate(f"studio.edit({{ do: 'set', kind: 'SPRINGDAMPER', id: 1, field: 'k', value: '{value}' }}, true)")
        until(page, f"document.querySelector('[data-parameter=\"SPRINGDAMPER/1.k\"]').value === '{value}'")
        at = page.evaluate("[document.activeElement.dataset.parameter, document.activeElement.selectionStart]")
        assert at == ["VARIABLE/1", 2] and push.input_value() == "6.2"
        assert page.locator("#sweep-from").input_value() == "12" and page.locator("#sweep-count").input_value() == "4"
    page.keyboard.press("Enter")
    until(page, f"studio.file.steps === {steps} + 3")
    page.evaluate("studio.link.ask('undo')")
    until(page, f"studio.file.steps === {steps} + 2")
    until(page, "document.querySelector('[data-parameter=\"VARIABLE/1\"]').value === '5'")
    assert stiffness.input_value() == "100"


def test_results_open_alone(page):
    page.evaluate("studio.link.ask('open', { file: 'mass.h5' })")
    until(page, "studio.file.file === 'mass.h5' && studio.results.run && studio.results.run.rows === 21")
    soon(page, "studio.tree.items.has('SPRINGDAMPER/1') && !document.getElementById('player').hidden")
    page.locator("#tab-peaks").click()
    until(page, "!!document.querySelector('#peaks tr[data-element]')")
    page.keyboard.press("Control+s")
    until(page, "!!document.querySelector('dialog #a-file')")
    assert not page.locator("#a-file").input_value().endswith(".h5")
    page.keyboard.press("Escape")

"""Parameters in a table with sliders and a sweep; results that are opened alone."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402


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
def page(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parameters")
    (folder / "mass.json").write_text(machine().to_json())
    hn.simulate(machine(), end=1.0, steps=20, progress=False).save(folder / "mass.h5")
    with studio(folder, folder / "mass.json") as address:
        page = window(chromium, address, 1280, 800)
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


def test_a_sweep_draws_runs_over_each_other(page):
    """The displacement of the mass grows with the force; the model is as before."""
    page.locator("#tab-parameters").click()
    until(page, "!!document.getElementById('sweep-key')")
    page.locator("#sweep-key").select_option("VARIABLE/1")
    page.locator("#sweep-from").fill("5")
    page.locator("#sweep-to").fill("10")
    page.locator("#sweep-count").fill("2")
    page.locator("#run-end").fill("0.3")
    page.locator("#run-steps").fill("30")
    page.locator("#sweep").click()
    until(page, "document.body.dataset.sweep", 120)
    runs = page.evaluate("document.body.dataset.sweep").split(",")
    assert len(runs) == 2 and page.evaluate("studio.file.steps") == 0
    lowest = [
        page.evaluate(
            "async (n) => { const r = studio.results.runs.get(n);"
            " const q = r.quantities.find((x) => x[1].endsWith('block.position'));"
            " const c = await studio.results.series({ run: n, q: q[0], component: 2 }); return Math.max(...c.y) - 1; }",
            int(n),
        )
        for n in runs
    ]
    assert lowest[1] == pytest.approx(2 * lowest[0], rel=1e-4) and lowest[0] == pytest.approx(0.1, rel=0.02)


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
    for edit, value in (
        ("studio.edit({ do: 'set', kind: 'SPRINGDAMPER', id: 1, field: 'k', value: '150' }, true)", "150"),
        ("studio.link.ask('undo')", "100"),
    ):
        page.evaluate(edit)
        until(page, f"document.querySelector('[data-parameter=\"SPRINGDAMPER/1.k\"]').value === '{value}'")
        at = page.evaluate("[document.activeElement.dataset.parameter, document.activeElement.selectionStart]")
        assert at == ["VARIABLE/1", 2] and push.input_value() == "6.2"
        assert page.locator("#sweep-from").input_value() == "12" and page.locator("#sweep-count").input_value() == "4"
    page.keyboard.press("Enter")
    until(page, f"studio.file.steps === {steps} + 1")
    page.evaluate("studio.link.ask('undo')")
    until(page, f"studio.file.steps === {steps}")
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

"""Panels that are drawn anew while somebody works in them: what is half typed, the caret, scroll positions, marked text
and open folds stay; a change of the model by another window is no reason to type again."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until  # noqa: E402

#: types into each field of a box, lets the model change meanwhile, and names the fields that lost something
TYPE = """async ([box, named, way]) => {
  const r = studio.results, lost = [], pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const fields = `${box} :is(input:is([type=text], [type=search], :not([type])), textarea)`;
  const find = (n) => [...document.querySelectorAll(fields)].filter((e) => !e.disabled && e.checkVisibility())[n];
  const again = {
    parameters: () => ((r.parameters.drawn = null), r.parameters.show()), // as if rows had come
    plots: () => r.list(), draw: () => studio.draw.show(),
  }[way];
  const change = async () => {
    const rows = [...studio.tree.items.values()].filter((row) => named.includes(`${row[0]}/${row[1]}`));
    studio.hear({ ...studio.file, event: "changed", model: studio.model, rows });
    await again?.(); await studio.editor.shown; await pause(190);
  };
  let count = 0;
  for (let n = 0; find(n); n++) {
    let i = find(n);
    const name = i.id || i.getAttribute("aria-label"), first = i.value;
    i.focus(); i.setSelectionRange(0, 0); document.execCommand("insertText", false, "7");
    const typed = [i.value, i.selectionStart];
    await change();
    i = find(n);
    if (i.value !== typed[0]) lost.push(`${name}: text ${i.value}, typed ${typed[0]}`);
    else if (document.activeElement !== i) lost.push(`${name}: focus on ${document.activeElement.id}`);
    else if (i.selectionStart !== typed[1]) lost.push(`${name}: caret at ${i.selectionStart}`);
    i.value = first; i.dispatchEvent(new Event("input", { bubbles: true })); i.blur(); count++; await pause(20);
  }
  return [count, lost];
}"""


def machine():
    """Two parts, a joint, a motion, a spring and a design variable."""
    model = hn.Model("machine", "SI")
    model.gravity = (0, 0, -9.81)
    arm = model.part("arm", 1.0, (0.1, 0.1, 0.1), (0, 0, 0))
    block = model.part("block", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    hinge = model.revolute(arm, model.ground, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    model.motion(hinge, "1.0*TIME", name="drive")
    model.spring_damper(
        model.marker_at(block, (0.5, 0, 0)), model.marker_at(arm, (0, 0, 0)), stiffness=100.0, length=0.5, name="spring"
    )
    for n in range(40):
        model.variable(f"{n + 1.0}", name=f"number {n}")
    return model


@pytest.fixture(scope="module")
def page(shop):
    (shop.folder / "redraw.json").write_text(machine().to_json())
    page = shop.opened("redraw.json", 1280, 800)
    until(page, "document.body.dataset.checked === String(studio.file.version)")
    yield page
    assert not page.faults


@pytest.mark.parametrize(
    "element", ["model", "PART/2", "JOINT/1", "MOTION/1", "SPRINGDAMPER/1", "VARIABLE/1", "MARKER/1"]
)
def test_properties_keep_what_is_being_typed(page, element):
    page.evaluate("(k) => { studio.choose([k]); return studio.editor.shown; }", element)
    count, lost = page.evaluate(TYPE, ["#editor", [element], ""])
    assert count and not lost
    assert page.evaluate("studio.file.steps") == 0  # nothing was taken that nobody has ended


def test_other_panels_keep_what_is_being_typed(page):
    page.evaluate("studio.results.tab('parameters')")
    until(page, "document.querySelectorAll('#parameters tr').length > 20")
    count, lost = page.evaluate(TYPE, ["#parameters :is(.study-bar, .chart-tools)", [], "parameters"])
    assert count == 6 and not lost
    page.evaluate("studio.results.tab('plots')")
    count, lost = page.evaluate(TYPE, ["#plots", [], "plots"])
    assert count == 1 and not lost
    page.evaluate("studio.draw.start('link')")
    count, lost = page.evaluate(TYPE, [".draw-row", [], "draw"])
    assert count >= 4 and not lost
    page.evaluate("studio.draw.stop()")
    count, lost = page.evaluate(TYPE, ["#bar", [], ""])
    assert count >= 2 and not lost
    assert page.evaluate("studio.file.steps") == 0


def test_text_that_was_begun_before_a_redraw_is_taken_after_it(page):
    """A browser sends no change for what a script has put into a field."""
    page.evaluate("(studio.choose(['PART/3']), studio.editor.shown)")
    field = page.locator("#p-PART-mass")
    field.fill("2.5")
    page.evaluate("(studio.editor.refresh(null), studio.editor.shown)")
    assert field.input_value() == "2.5"
    field.press("Tab")
    until(page, "studio.file.undo.includes('PART/3')")
    assert page.evaluate("studio.file.steps") == 1
    page.evaluate("studio.link.ask('undo')")
    until(page, "!studio.file.steps")
    soon(page, field.input_value, "1")
    # what is typed for one part does not get into another one
    field.fill("9.75")
    page.evaluate("(studio.choose(['PART/2']), studio.editor.shown)")
    assert field.input_value() == "1"
    page.evaluate("studio.link.ask('undo')")
    soon(page, "studio.file.steps", 0)


def test_a_refused_text_stays_until_it_is_corrected(page):
    page.evaluate("(studio.choose(['PART/3']), studio.editor.shown)")
    field = page.locator("#p-PART-mass")
    field.fill("heavy")
    field.press("Tab")
    soon(page, "document.getElementById('p-PART-mass-fault').textContent.length > 0")
    page.evaluate("(studio.editor.refresh(null), studio.editor.shown)")
    assert field.input_value() == "heavy"
    soon(page, "document.getElementById('p-PART-mass-fault').textContent.length > 0")
    field.press("Escape")
    soon(page, field.input_value, "1")


def test_scroll_marked_text_and_folds_stay(page):
    page.evaluate("studio.results.tab('script')")
    until(page, "document.querySelector('#script pre')")
    marked = page.evaluate(
        "(() => { const t = document.querySelector('#script pre').firstChild, r = document.createRange();"
        " r.setStart(t, 10); r.setEnd(t, 30); getSelection().removeAllRanges(); getSelection().addRange(r);"
        " return getSelection().toString(); })()"
    )
    page.evaluate("(studio.results.scripted = '', studio.results.script())")
    assert len(marked) == 20 and page.evaluate("getSelection().toString()") == marked
    page.evaluate("(studio.results.tab('parameters'), studio.results.parameters.show())")
    page.evaluate("document.getElementById('parameters').scrollTop = 200")
    page.evaluate("(studio.results.parameters.drawn = null, studio.results.parameters.show())")
    assert page.evaluate("document.getElementById('parameters').scrollTop") == 200
    page.set_viewport_size({"width": 1280, "height": 420})
    page.evaluate("(studio.choose(['JOINT/1']), studio.editor.shown)")
    page.evaluate(
        "(() => { const d = document.querySelector('#editor details'); d.open = true;"
        " document.getElementById('editor').scrollTop = 60; })()"
    )
    page.evaluate("(studio.editor.refresh(null), studio.editor.shown)")
    assert page.evaluate(
        "[document.querySelector('#editor details').open, document.getElementById('editor').scrollTop]"
    ) == [True, 60]


def test_a_server_that_was_away_leaves_the_settings_of_the_run_and_the_choice(page):
    page.locator("#run-end").fill("3.5")
    page.evaluate("(studio.choose(['JOINT/1']), studio.editor.shown)")
    page.evaluate("(document.body.dataset.ready = '', studio.link.socket.close())")
    until(page, "document.body.dataset.ready === '1'")
    assert page.locator("#run-end").input_value() == "3.5" and page.evaluate("[...studio.chosen]") == ["JOINT/1"]

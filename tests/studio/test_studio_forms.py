"""Forms in the browser: shapes from a sketch and control blocks are made with what the form starts with, run settings
reach the run, and plots are whole on small screens."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until  # noqa: E402

pytestmark = pytest.mark.slow


def machine():
    model = hn.Model("pendulum", "SI")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", shape=hn.shapes.box((0.5, 0, 0), (1, 0.1, 0.1)), density=1000.0)
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return model


@pytest.fixture(scope="module")
def page(shop):
    (shop.folder / "pendulum.json").write_text(machine().to_json())
    page = shop.opened("pendulum.json", 1280, 800)
    yield page
    assert not page.faults


def created(page, form, **given):
    """Open a form, fill fields, press Create; the number of steps grows."""
    steps = page.evaluate("studio.file.steps")
    page.evaluate("(form) => void studio.create(form)", form)
    for name, text in given.items():
        page.locator(f"dialog #a-{name}").fill(text)
    page.locator("#dialog-ok").click()
    soon(page, lambda: page.evaluate("studio.file.steps") == steps + 1 or page.locator("dialog .fault").text_content())
    assert page.evaluate("studio.file.steps") == steps + 1, page.locator("dialog .fault").text_content()
    soon(page, "!document.querySelector('dialog')")  # it goes with the answer, which follows the change


def ran(page):
    page.locator("#run-end").fill("0.5")
    page.locator("#run-steps").fill("10")
    page.evaluate("delete document.body.dataset.results")
    page.locator("#run").click()
    until(page, "document.body.dataset.results", 600)


@pytest.mark.parametrize("form", ["part_extrusion", "part_revolution", "part_cone", "part_torus", "part_rounded_box"])
def test_a_shape_is_made_by_the_first_values_of_its_form(page, form):
    created(page, form)
    page.evaluate("studio.undo('undo')")
    until(page, "studio.file.steps === 0")


def test_a_controller_is_made_and_edited_by_clicks(page):
    created(page, "control.pid", name="servo", error="1 - STEP(TIME, 0, 0, 1, 1)", kp="2", ki="0.5")
    until(page, "studio.chosen.has('CONTROL/1') && !!document.getElementById('p-CONTROL-inputs')")
    assert page.locator("#p-CONTROL-inputs").input_value() == "1 - STEP(TIME, 0, 0, 1, 1)"
    field = page.locator("#editor [data-name='kp']")
    field.fill("3.5")
    field.press("Enter")
    until(page, "studio.file.steps === 2")
    script = page.evaluate("studio.link.ask('script', { settings: studio.settings() })")["text"]
    assert "model.control.pid(name='servo'" in script and "'kp': (3.5,)" in script
    for _ in range(2):
        page.evaluate("studio.undo('undo')")
    until(page, "studio.file.steps === 0")


def test_joint_coordinates_of_the_run_settings_reach_the_run(page):
    page.locator("#run-settings").click()
    page.locator("#r-coordinates").select_option("joint")
    page.locator("#r-error").fill("1e-8")
    page.locator("#dialog-ok").click()
    until(page, "document.getElementById('run-settings').classList.contains('own')")
    ran(page)
    settings = page.evaluate("studio.results.run.settings")
    assert settings["coordinates"] == "joint" and settings["error"] == 1e-8
    assert "coordinates='joint'" in page.evaluate("studio.link.ask('script', { settings: studio.settings() })")["text"]


@pytest.mark.parametrize("size", [(1024, 720), (1280, 800), (1920, 1080)])
def test_a_plot_is_whole_on_every_screen(page, size):
    """The cell of a plot, with its axes, lies within what the panel shows."""
    if not page.evaluate("!!studio.results.run"):
        ran(page)
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    curve = {"curves": [{"name": "pin.force", "part": "|magnitude|"}], "x": None, "state": {}}
    page.evaluate("(pages) => studio.link.ask('pages', { pages })", [{"name": "One", "plots": [curve, curve]}])
    page.evaluate("studio.results.tab('plots')")
    inside = (
        "(() => { const g = document.querySelector('#plots .canvas').getBoundingClientRect();"
        " const c = document.querySelector('#plots .cell'), r = c.getBoundingClientRect();"
        " const p = c.querySelector('.plot').getBoundingClientRect();"
        " return p.height > 120 && r.top >= g.top - 1 && p.bottom <= g.bottom + 1 && r.bottom <= innerHeight; })()"
    )
    soon(page, inside)


#: selects whose choice, and fields of numbers whose value, is wider than they are
CUT = """() => [...document.querySelectorAll('select, #parameters input[type=text], #editor input[inputmode=decimal]')]
  .filter((e) => e.getClientRects().length).filter((e) => {
    const s = getComputedStyle(e), pen = document.createElement('canvas').getContext('2d'); pen.font = s.font;
    const select = e.tagName === 'SELECT', text = select ? e.selectedOptions[0]?.text || '' : e.value;
    const room = e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight) - (select ? 16 : 0);
    return pen.measureText(text).width > room + 1; })
  .map((e) => `${e.id || e.getAttribute('aria-label')}: ${e.selectedOptions?.[0]?.text ?? e.value}`)"""


@pytest.mark.parametrize("width, height", [(1024, 720), (1280, 800), (1920, 1080)])
def test_no_choice_and_no_number_is_cut_on_any_screen(shop, width, height):
    page = shop.opened("crane.adm", width, height)
    soon(page, "document.getElementById('bar').clientHeight < 60")  # the tools are in one line
    for key, tab in (("model", "console"), ("PART/15", "peaks"), ("JOINT/3", "parameters")):
        page.evaluate("(key) => studio.choose([key], false, true)", key)
        page.evaluate("(tab) => studio.results.tab(tab)", tab)
        until(page, "studio.editor.key && document.querySelectorAll('#editor input').length > 0")
        if tab == "parameters":
            until(page, "document.querySelectorAll('#parameters tbody tr').length > 9")
        soon(page, CUT, [])
    page.evaluate("studio.results.tab('console')")

"""In the browser: commands are about the values that are shown, also half typed, refused or sent to a lost server."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import holonom as hn
from holonom.studio.document import read

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

pytestmark = pytest.mark.slow
FIELD = "#p-SPRINGDAMPER-k"


def machine():
    """A block that a spring, stretched by 0.1 m, pulls along a guide."""
    m = hn.Model("cart", "SI")
    block = m.part("block", shape=hn.shapes.box((0.4, 0, 0), (0.1, 0.1, 0.1)), density=3000.0)
    i, j = m.marker_at(block, (0.4, 0, 0)), m.marker_at(m.ground, (0, 0, 0))
    m.translational(block, m.ground, at=(0.4, 0, 0), axis=(1, 0, 0), name="guide")
    m.spring_damper(i, j, stiffness=2.5, length=0.3, name="spr")
    return m


def k(page):
    rows = page.evaluate("studio.link.ask('element', {kind: 'SPRINGDAMPER', id: 1})")["element"]["rows"]
    return next(r["value"] for r in rows if r["name"] == "k")


def chosen(page):
    page.evaluate("studio.choose(['SPRINGDAMPER/1'])")
    page.locator(FIELD).wait_for()


@pytest.fixture
def page(chromium, tmp_path):
    file = tmp_path / "cart.json"
    file.write_text(machine().to_json())
    with studio(tmp_path, file) as address:
        page = window(chromium, address)
        page.evaluate("studio.end.value = '0.01'; studio.steps.value = '10'")
        chosen(page)
        yield page
        page.close()


def saved(tmp_path):
    return read(tmp_path / "cart.json").table("SPRINGDAMPER")[1].k


def test_every_command_takes_the_typed_value_first(page, tmp_path):
    field = page.locator(FIELD)
    field.fill("20")
    page.keyboard.press("Control+Enter")
    until(page, "document.body.dataset.results === '1'", 240)
    found = page.evaluate("studio.link.ask('peaks', {run: 1})")["peaks"]
    assert found["along"]  # the guide, which has no load, misses no peak
    assert next(r["force"] for r in found["rows"] if r["name"] == "spr") == pytest.approx(
        2.0, rel=1e-3
    )  # 20 N/m by 0.1 m
    assert page.evaluate("document.activeElement.id") == FIELD[1:] and k(page) == 20
    page.evaluate("studio.results.peaksOf = 1; studio.results.peakData = {rows: [], noise: {}}; studio.results.peaks()")
    soon(page, "document.querySelector('#peaks').textContent.includes('no loads to list')")
    field.fill("30")
    page.keyboard.press("Control+s")
    soon(page, lambda: saved(tmp_path) == 30)
    until(page, "!studio.file.changed")
    page.locator("#tab-parameters").click()  # a field of another panel
    number = page.locator("[data-parameter='SPRINGDAMPER/1.k']")
    number.fill("40")
    page.keyboard.press("Control+s")
    soon(page, lambda: saved(tmp_path) == 40)
    steps = page.evaluate("studio.file.steps")
    page.locator("#search").focus()  # the field is left: that is no second edit
    assert page.evaluate("studio.file.steps") == steps == 3
    field.fill("50")
    page.evaluate("studio.link.ask('undo')")  # as the palette and the menu ask for it
    soon(page, lambda: k(page), 40)
    soon(page, f"document.querySelector('{FIELD}').value", "40")
    assert page.evaluate("studio.file.redo").startswith("k of SPRINGDAMPER/1")


def test_undo_goes_on_after_the_text_that_it_took_back(page):
    """In a field, the first undo is that of the text; when that is as it was, the next one is of the model."""
    field = page.locator(FIELD)
    for value in ("20", "30"):
        field.fill(value)
        field.press("Enter")
        soon(page, lambda value=value: k(page) == float(value))
    field.press("Control+a")
    page.keyboard.type("9")
    page.keyboard.press("Control+z")
    soon(page, f"document.querySelector('{FIELD}').value", "30")
    assert k(page) == 30
    page.keyboard.press("Control+z")
    soon(page, lambda: k(page) == 20)
    soon(page, f"document.querySelector('{FIELD}').value", "20")
    page.keyboard.press("Control+y")
    soon(page, f"document.querySelector('{FIELD}').value", "30")


def test_text_that_nothing_can_take_any_more_is_reported(page, tmp_path):
    page.locator(FIELD).fill("77")
    page.evaluate("studio.link.socket.send(JSON.stringify({ do: 'new', name: 'other', n: 1e6 }))")  # by another window
    soon(page, "document.querySelector('#notice').textContent.startsWith(\"'77' was typed in Stiffness\")")


def test_a_refused_value_stops_runs_and_files_with_its_name(page, tmp_path):
    field = page.locator(FIELD)
    field.fill("2,5")
    for keys, begin in (("Control+Enter", "The run has not started"), ("Control+s", "The model was not saved")):
        page.keyboard.press(keys)
        words = soon(page, f"document.querySelector('#notice').textContent.startsWith('{begin}') && notice.textContent")
        assert "Stiffness does not take '2,5'" in words and "2.5" in words.split("'2,5'", 1)[1]
    page.locator("#run").click()  # the field was left, its text is still refused
    page.wait_for_timeout(300)
    assert page.evaluate("studio.results.runs.size") == 0 and not page.evaluate("!!studio.running")
    field.focus()
    field.fill("2.75")
    page.keyboard.press("Control+s")
    soon(page, lambda: saved(tmp_path) == 2.75)


def test_a_typed_value_survives_a_reload(page):
    page.on("dialog", lambda d: d.accept())
    for value in (4.5, 5.5):
        page.locator(FIELD).fill(str(value))
        page.reload(wait_until="commit")
        page.wait_for_selector("body[data-ready='1']")
        soon(page, lambda value=value: k(page) == value)
        chosen(page)
    asked = []
    page.on("dialog", lambda d: asked.append(d.type))
    page.locator(FIELD).click()  # a browser asks nothing where nobody has touched the page
    page.locator(FIELD).fill("6,5")
    until(page, f"document.querySelector('{FIELD}').getAttribute('aria-invalid') === 'true'")
    page.reload(wait_until="commit")
    assert asked == ["beforeunload"]  # it cannot be taken


def test_the_page_after_its_server_was_killed_during_a_run(chromium, tmp_path):
    file = tmp_path / "cart.json"
    file.write_text(machine().to_json())

    def serve():
        command = [sys.executable, "-m", "holonom", "studio", "--no-browser", str(file)]
        with (tmp_path / "said").open("w") as out:
            return subprocess.Popen(command, cwd=tmp_path, stdout=out, stderr=out, start_new_session=True)

    server = serve()
    try:
        page = chromium.new_page()
        soon(page, lambda: "token=" in (tmp_path / "said").read_text())
        words = next(w for w in (tmp_path / "said").read_text().split() if "token=" in w)
        page.close()
        page = window(chromium, words)
        chosen(page)
        page.evaluate("studio.end.value = '1e6'; studio.steps.value = '1000000'; studio.run()")
        until(page, "studio.running?.part > 0 && !studio.meter.hidden", 240)
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        until(page, "document.body.dataset.connected === ''")
        field = page.locator(FIELD)
        field.fill("8.5")
        field.press("Enter")
        until(page, f"document.querySelector('{FIELD}').getAttribute('aria-invalid') === 'true'")
        server = serve()
        until(page, "document.body.dataset.connected === '1'")
        soon(page, lambda: k(page) == 8.5)
        soon(page, f"document.querySelector('{FIELD}').value", "8.5")
        assert page.evaluate("studio.meter.hidden && !studio.running && studio.clock.textContent === ''")
        assert "Run 1 ended with its server" in page.locator("#console").inner_text()
        assert [r["number"] for r in page.evaluate("studio.link.ask('runs')")["runs"]] == [1]
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()

"""In the browser: no digit of a field is cut off, axes have prefixes, peaks and runs say what they are."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

pytestmark = pytest.mark.slow
CUT = """() => [...document.querySelectorAll('#editor input[type=text]')]
    .filter((e) => e.scrollWidth > e.clientWidth + 2).map((e) => e.id + ' = ' + e.value)"""


def machine():
    m = hn.Model("drop", "SI")
    m.gravity = (0, 0, -9.81)
    m.part("ball", shape=hn.shapes.sphere((1e-9 / 3, 2.0 / 3, 0.12), 0.02), density=7850.0, velocity=(1e-17, 0, 0))
    m.box(m.ground, at=(0, 0.6, -0.05), size=(1, 1, 0.1))
    m.contact(m.parts[2], m.ground, stiffness=1e11, exponent=1.5, damping=0.0, name="touch")
    return m


def test_fields_axes_peaks_and_stale_runs(chromium, tmp_path):
    file = tmp_path / "drop.json"
    file.write_text(machine().to_json())
    with studio(tmp_path, file) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.choose(['PART/2'])")
        soon(page, "document.querySelectorAll('#editor input[type=text]').length > 6")
        assert page.evaluate(CUT) == []
        field = page.locator("#p-PART-qg")
        assert field.input_value().endswith("e-10") and len(field.input_value()) <= 9
        field.focus()
        assert float(field.input_value()) == machine().parts[2].qg[0]  # all digits with the cursor in it
        page.locator("#p-PART-qg-1").focus()
        page.keyboard.press("Tab")
        assert not page.evaluate("studio.file.changed")  # nothing was typed
        inertia = page.locator("[aria-label=Ixx]")
        inertia.fill("4.3e-5")
        inertia.press("Enter")
        until(page, "studio.file.undo.startsWith('ip')")
        page.keyboard.press("Control+z")
        until(page, "!studio.file.changed")

        page.locator("#run-end").fill("0.2")
        page.locator("#run-steps").fill("2000")
        page.locator("#run").click()
        soon(page, "document.body.dataset.results === '1'", seconds=180)
        page.locator("#tab-peaks").click()
        row = page.locator("#peaks [data-element='CONTACT/1']")
        assert "*" in row.inner_text() and "0.6667" in row.inner_text()
        page.evaluate("studio.choose(['PART/2'])")
        page.locator("#tab-plots").click()
        page.locator("#plots label").filter(has_text="position.x").first.click()
        soon(page, "document.querySelector('.plot-ylabel')?.textContent.endsWith('(pm)')")
        assert page.evaluate("document.querySelector('#stale').hidden")
        page.evaluate("studio.edit({do: 'set', kind: 'PART', id: 2, field: 'mass', value: '1'})")
        soon(page, "!document.querySelector('#stale').hidden")
        assert "mass of PART/2" in page.locator("#stale").get_attribute("title")
        page.locator("#tab-peaks").click()
        soon(page, "document.querySelector('#stale-note').textContent.includes('mass of PART/2')")
        assert not page.faults

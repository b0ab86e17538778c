"""The Studio in a real browser: the crane by a mechanical engineer, a four-bar by forms, the keyboard alone, both
themes."""

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until, window  # noqa: E402


@pytest.fixture(scope="module")
def place(shop):
    yield shop.address, shop.folder
    assert not shop.page.faults


@pytest.fixture
def chromium(shop):
    return shop.chromium


def settled(page):
    """Wait until the last edit has been checked."""
    until(page, "document.body.dataset.checked === String(studio.file.version)")


def run(page, end, steps):
    before = page.evaluate("document.body.dataset.results || ''")
    page.locator("#run-end").fill(str(end))
    page.locator("#run-steps").fill(str(steps))
    page.locator("#run").click()
    until(page, f"(document.body.dataset.results || '') !== '{before}'", 180)
    soon(page, "document.body.dataset.problem", "")


def choose(page, name):
    page.locator("#search").fill(name)
    page.locator("#tree .row", has=page.get_by_text(name, exact=True)).first.click()


def test_an_engineer_changes_a_cylinder_of_the_crane(place, shop):
    """Opens it, changes the stroke of the lift cylinder, runs it, reads the peak force, saves a script: the script
    prints the same number."""
    _, folder = place
    page = shop.opened("crane.adm")
    settled(page)
    assert "18 degrees of freedom" in page.locator("#status").text_content()
    choose(page, "lift drive")
    stroke = page.locator("#p-MOTION-function")
    assert "STEP5" in stroke.input_value()
    stroke.fill("STEP5(TIME,1,0,4,-0.12")
    until(page, "document.getElementById('p-MOTION-function-fault').textContent.includes('expected')")
    stroke.fill("STEP5(TIME,1,0,4,-0.12)")
    stroke.press("Enter")
    until(page, "studio.file.changed")
    settled(page)
    run(page, 2, 40)
    page.locator("#tab-peaks").click()
    cell = page.locator("#peaks tr[data-element='JOINT/9'] td").nth(1)
    seen = float(cell.get_attribute("data-value"))
    assert seen > 1e4 and cell.text_content() == f"{seen:.6g}"
    page.locator("#tab-script").click()
    assert "'lift drive').function = 'STEP5(TIME,1,0,4,-0.12)'" in page.locator("#script pre").text_content()
    page.get_by_role("button", name="Save as a script").click()
    page.locator("#a-file").fill("mine.py")
    page.locator("#dialog-ok").click()
    until(page, "document.getElementById('notice').textContent.includes('mine.py')")
    import os

    source = str(Path(hn.__file__).resolve().parents[1])
    printed = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
        check=True,
    ).stdout
    assert float(re.search(r"JOINT/9 .*: peak force (\S+) N", printed)[1]) == seen
    # back again: nothing is left to undo, and the file is as it was
    page.locator("#undo").click()
    until(page, "!studio.file.changed && studio.undoButton.disabled")


LENGTHS = (0.1, 0.35, 0.25, 0.4)  # crank, coupler, rocker, ground


def coupler_angle(crank):
    """Of a four-bar with its crank at the origin and its ground along x, in closed form (Freudenstein): open branch."""
    a, b, c, d = LENGTHS
    k1, k2, k3 = d / a, d / b, (c * c - d * d - a * a - b * b) / (2 * a * b)
    p, q, r = (
        math.cos(crank) - k1 + k2 * math.cos(crank) + k3,
        -2 * math.sin(crank),
        k1 + (k2 - 1) * math.cos(crank) + k3,
    )
    return 2 * math.atan2(-q - math.sqrt(q * q - 4 * p * r), 2 * p)


def fill(page, **values):
    for name, value in values.items():
        for n, one in enumerate(value if isinstance(value, (list, tuple)) else [value]):
            page.locator(f"#a-{name}{f'-{n}' if n else ''}").fill(str(one))


def create(page, title, **values):
    page.locator("#menu-create").click()
    page.get_by_role("menuitem", name=title, exact=True).click()
    fill(page, **values)
    steps = page.evaluate("studio.file.steps")
    page.locator("#dialog-ok").click()
    until(page, f"studio.file.steps === {steps} + 1 && !document.querySelector('dialog')", 20)


@pytest.mark.slow
def test_a_four_bar_by_forms_has_the_coupler_angle_of_the_textbook(place, chromium):
    address, folder = place
    page = window(chromium, address)
    page.keyboard.press("Control+o")
    page.keyboard.press("Escape")
    page.locator("#menu-file").click()
    page.get_by_role("menuitem", name="New model").click()
    fill(page, name="four-bar")
    page.locator("#dialog-ok").click()
    until(page, "studio.model.name === 'four-bar'")
    a, b, _, d = LENGTHS
    start = 1.0
    tip = (a * math.cos(start), a * math.sin(start), 0.0)
    beta = coupler_angle(start)
    knee = (tip[0] + b * math.cos(beta), tip[1] + b * math.sin(beta), 0.0)
    assert math.hypot(knee[0] - d, knee[1]) == pytest.approx(LENGTHS[2], rel=1e-12)
    for name, ends in (("crank", ((0, 0, 0), tip)), ("coupler", (tip, knee)), ("rocker", (knee, (d, 0, 0)))):
        create(
            page,
            "Link (rod with round ends)",
            name=name,
            a=list(map(repr, ends[0])),
            b=list(map(repr, ends[1])),
            radius=0.01,
        )
    for name, i, j, at in (
        ("A", "crank", "ground", (0, 0, 0)),
        ("B", "coupler", "crank", tip),
        ("C", "coupler", "rocker", knee),
        ("D", "rocker", "ground", (d, 0, 0)),
    ):
        create(page, "Revolute", name=name, i=i, j=j, at=list(map(repr, at)))
    create(page, "Motion of a joint", name="drive", joint="A", function="2*PI*TIME")
    settled(page)
    assert page.evaluate("document.body.dataset.dof") == "0" and page.get_by_text("redundant constraints").count()
    run(page, 1, 100)
    page.locator("#tab-plots").click()
    choose(page, "B")
    curve = page.locator("[data-curve='B.angle']")
    curve.check()
    page.wait_for_selector("#plots .u-over")
    values = page.evaluate("Array.from([...studio.results.data.values()].at(-1).y)")
    crank = start + 2 * np.pi * np.linspace(0, 1, 101)
    want = np.unwrap([coupler_angle(c) for c in crank]) - crank
    got = np.array(values)
    assert np.abs((got - got[0]) - (want - want[0])).max() < 1e-6
    page.keyboard.press("Control+Shift+S")
    page.locator("#a-file").fill("four-bar.adm")
    page.locator("#dialog-ok").click()
    until(page, "!studio.file.changed && studio.file.file === 'four-bar.adm'")
    again = hn.read_adams(folder / "four-bar.adm")
    assert [j.name for j in again.joints.values()] == ["A", "B", "C", "D"]
    while page.evaluate("studio.file.steps"):
        n = page.evaluate("studio.file.steps")
        page.keyboard.press("Control+z")
        until(page, f"studio.file.steps === {n} - 1")
    assert page.evaluate("studio.tree.items.size") == 1  # ground is left
    for _ in range(8):
        n = page.evaluate("studio.file.steps")
        page.keyboard.press("Control+y")
        until(page, f"studio.file.steps === {n} + 1")
    soon(page, "studio.tree.items.has('MOTION/1')")
    assert not page.faults
    page.close()


@pytest.mark.slow
def test_with_the_keyboard_alone(place, chromium):
    address, _ = place
    page = window(chromium, address)
    page.evaluate("studio.link.ask('open', {file: 'four_bar.adm'})")
    until(page, "studio.model.name === 'four_bar'")
    page.keyboard.press("Control+f")
    page.keyboard.type("crank")
    page.keyboard.press("ArrowDown")
    for _ in range(8):
        page.keyboard.press("ArrowDown")
        if page.evaluate("[...studio.chosen][0]") == "PART/2":
            break
    soon(page, "[...studio.chosen]", ["PART/2"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#p-PART-mass")
    until(page, "document.activeElement.closest('#editor')")
    page.keyboard.press("F6")
    for _ in range(150):  # past the tool bars
        if page.evaluate("document.activeElement.id") == "p-PART-mass":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("-1")
    until(page, "document.getElementById('p-PART-mass-fault').textContent.includes('positive')")
    page.keyboard.press("Control+a")
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    until(page, "studio.file.undo.startsWith('mass')")
    page.keyboard.press("Control+z")
    until(page, "!studio.file.undo.startsWith('mass')")
    page.locator("#tree").focus()
    page.keyboard.press("h")
    soon(page, "studio.view.hidden.has('PART/2')")
    page.keyboard.press("Shift+H")
    soon(page, "studio.view.hidden.size", 0)
    page.keyboard.press("Delete")
    page.wait_for_selector("dialog[open]")
    assert "would go with it" in page.locator("dialog").text_content()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open] >> text=undo, redo")
    page.keyboard.press("Escape")
    assert not page.faults
    page.close()


EVIL = "<img src=x onerror=window.hit=1>"


def test_names_are_never_markup(place, shop):
    """In tree, properties, console, dialogs, status, menus; in forms and tables of an earlier run in the long test
    below."""
    page = shop.opened("four_bar.adm")
    page.evaluate(
        "(name) => studio.edit({do: 'create', method: 'part', arguments: {name, mass: 1, inertia: [1, 1, 1]}})", EVIL
    )
    choose(page, EVIL)
    page.wait_for_selector("#p-PART-mass")
    page.evaluate(
        "(name) => { studio.tell(name); studio.results.line({text: name, kind: 'error', time: 0}); "
        "studio.status(name); }",
        EVIL,
    )
    page.evaluate("studio.context({left: 300, bottom: 300, focus() {}})")
    page.keyboard.press("Escape")
    page.locator("#tree").focus()
    page.keyboard.press("Delete")
    page.locator("dialog[open]", has_text=EVIL).locator("#dialog-ok").click()
    until(page, f"![...studio.tree.items.values()].some((r) => r[2] === {EVIL!r})")
    assert page.evaluate("window.hit") is None and page.locator("img").count() == 0
    page.evaluate("studio.link.ask('undo').then(() => studio.link.ask('undo'))")
    until(page, "!studio.file.changed")


@pytest.mark.slow
def test_names_of_a_run_are_never_markup(place, shop):
    """Joints, parts and pages of evil names: in lists of quantities, legends, tables, the report, and what is saved as
    SVG and CSV."""
    page = shop.opened("four_bar.adm")
    for kind, number in (("PART", 2), ("PART", 3), ("JOINT", 1), ("MARKER", 3), ("MOTION", 1)):
        page.evaluate(
            "([kind, id, name]) => studio.edit({do: 'rename', kind, id, name})", [kind, number, f"{EVIL}{kind}{number}"]
        )
    page.evaluate("(name) => studio.edit({do: 'model', field: 'name', value: name})", EVIL)
    run(page, 0.2, 10)
    pages = [
        {"name": EVIL, "plots": [{"curves": [{"name": f"{EVIL}JOINT1.force", "part": "x"}], "x": None, "state": {}}]}
    ]
    page.evaluate("(pages) => studio.link.ask('pages', { pages })", pages)
    page.locator("#tab-plots").click()
    until(page, "studio.results.pages.drawn[0]?.u")
    page.evaluate("studio.choose(['JOINT/1'], false, true)")
    svg, csv = page.evaluate("[studio.results.pages.drawn[0].svg(), studio.results.pages.drawn[0].csv()]")
    assert "<img" not in svg and "&lt;img src=x" in svg and EVIL in csv
    look = (
        "(svg) => { const d = new DOMParser().parseFromString(svg, 'image/svg+xml');"
        " return [d.querySelectorAll('img, parsererror').length, d.documentElement.tagName]; }"
    )
    assert page.evaluate(look, svg) == [0, "svg"]
    for table in ("peaks", "reactions", "now"):
        page.evaluate(f"studio.results.table = '{table}'; studio.results.tab('peaks')")
        until(page, "document.querySelectorAll('#peaks tbody tr').length > 3")
    page.evaluate("studio.results.tab('script')")
    page.wait_for_selector("#script pre")
    page.evaluate("studio.link.ask('export', {run: studio.results.run.number, file: 'evil.html', over: true})")
    assert page.evaluate("window.hit") is None and page.locator("img").count() == 0
    other = shop.chromium.new_page()
    other.goto((place[1] / "evil.html").as_uri())
    other.wait_for_timeout(3000)
    assert other.evaluate("window.hit") is None and EVIL in other.text_content("body")
    other.close()
    while page.evaluate("studio.file.steps"):
        n = page.evaluate("studio.file.steps")
        page.evaluate("studio.link.ask('undo')")
        until(page, f"studio.file.steps === {n} - 1")

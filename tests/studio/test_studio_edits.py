"""Building in the Studio: handles, copies and mirror images, forms for contacts, splines and inputs, points picked in
the picture, distance and angle."""

import math
import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until  # noqa: E402


def machine():
    """A block and a ball in front of the camera, nothing else."""
    model = hn.Model("blocks", "SI")
    model.part("block", shape=hn.shapes.box((0, 0, 0), (1.0, 1.0, 1.0)), density=1000.0)
    model.part("ball", shape=hn.shapes.sphere((3, 0, 0), 0.5), density=1000.0)
    return model


@pytest.fixture(scope="module")
def page(shop):
    (shop.folder / "blocks.json").write_text(machine().to_json())
    yield shop.opened("blocks.json")
    assert not shop.page.faults


def undone(page):
    while page.evaluate("studio.file.steps"):
        n = page.evaluate("studio.file.steps")
        page.evaluate("studio.link.ask('undo')")
        until(page, f"studio.file.steps === {n} - 1")
    drawn(page)


def drawn(page):
    """Wait until the picture of the last edit is there."""
    until(page, "studio.view.version === studio.file.version")


def pixel(page, x, y, z):
    """Where a point of ground is on the screen."""
    return page.evaluate(
        "(p) => { const v = studio.view, r = v.canvas.getBoundingClientRect(), o = v.table.origin, q = "
        "v.sectionPlane.normal.clone();"
        " q.set(p[0] - o[0], p[1] - o[1], p[2] - o[2]);"
        " v.camera.updateMatrixWorld(); q.project(v.camera); return [r.left + (q.x + 1) / 2 * r.width, r.top + (1 - "
        "q.y) / 2 * r.height]; }",
        [x, y, z],
    )


def qg(page, number):
    rows = page.evaluate(f"studio.link.ask('element', {{kind: 'PART', id: {number}}})")["element"]["rows"]
    return next(r["value"] for r in rows if r["name"] == "qg")


def front(page):
    page.locator("#canvas").focus()
    page.keyboard.press("5") if page.evaluate("studio.view.camera === studio.view.first.perspective") else None
    page.keyboard.press("1")
    page.keyboard.press("f")


def test_handles_move_a_part_and_undo_takes_it_back(page):
    front(page)
    page.evaluate("studio.choose(['PART/2'])")
    page.keyboard.press("g")
    soon(page, "studio.view.gizmo.controls.object !== undefined && studio.view.gizmo.mode === 'translate'")
    before = qg(page, 2)
    size = page.evaluate(
        "(() => { const g = studio.view.gizmo.controls; studio.view.tick(); return "
        "g.getHelper().children[0].gizmo.translate.children[0].scale.x; })()"
    )
    a, b = pixel(page, 0.35 * size, 0, 0), pixel(page, 0.35 * size + 1.0, 0, 0)
    page.mouse.move(*a)
    page.mouse.move(a[0] + 1, a[1])
    soon(page, "studio.view.gizmo.controls.axis", "X")
    page.mouse.down()
    page.mouse.move(0.5 * (a[0] + b[0]), a[1], steps=3)
    page.mouse.move(b[0] + 1, b[1], steps=3)
    page.mouse.up()
    until(page, "studio.file.undo.startsWith('move')")
    after = qg(page, 2)
    assert after[0] - before[0] == pytest.approx(1.0, abs=0.03) and after[1:] == before[1:]
    drawn(page)
    soon(page, "studio.view.gizmo.proxy.position.x + studio.view.table.origin[0]", pytest.approx(after[0], abs=1e-6))
    page.keyboard.press("g")
    page.keyboard.press("Control+z")
    until(page, "!studio.file.changed")
    assert qg(page, 2) == before
    undone(page)


def test_moved_copied_and_mirrored_by_numbers(page):
    page.evaluate("studio.choose(['PART/2'])")
    page.keyboard.press("Control+d")
    page.locator("#a-name").fill("second")
    page.locator("#a-by-1").fill("2")
    for field, text in (("angle", "9,5"), ("about", "1 m")):  # not moved as if nothing had been typed
        before = page.locator(f"#a-{field}").input_value()
        page.locator(f"#a-{field}").fill(text)
        page.locator("#dialog-ok").click()
        soon(page, f"document.querySelector('dialog[open] form > .fault').textContent.includes(\"is '{text}'\")")
        page.locator(f"#a-{field}").fill(before)
    page.locator("#a-angle").fill("90")
    page.locator("#dialog-ok").click()
    until(page, "[...studio.chosen][0] === 'PART/4'")
    row = page.evaluate("studio.link.ask('element', {kind: 'PART', id: 4})")["element"]
    values = {r["name"]: r["value"] for r in row["rows"]}
    assert (
        row["name"] == "second"
        and values["qg"] == pytest.approx([0, 2, 0], abs=1e-12)
        and sum(values["reuler"]) == pytest.approx(math.pi / 2)
    )
    page.evaluate("studio.context({left: 300, bottom: 300, focus() {}})")
    page.get_by_role("menuitem", name="Mirror ...").click()
    page.locator("#a-name").fill("third")
    for n, (at, normal) in enumerate(((0, 0), (0, 1), (0, 0))):
        page.locator(f"#a-at{f'-{n}' if n else ''}").fill(str(at))
        page.locator(f"#a-normal{f'-{n}' if n else ''}").fill(str(normal))
    page.locator("#dialog-ok").click()
    until(page, "[...studio.chosen][0] === 'PART/5'")
    assert qg(page, 5) == pytest.approx([0, -2, 0], abs=1e-12)
    text = page.evaluate("studio.link.ask('script', {settings: {kind: 'initial'}})")["text"]
    assert "model.duplicate(model.find('PART', 'block')" in text and "model.mirror(model.find('PART', 'second')" in text
    undone(page)


def test_points_and_directions_are_picked_in_the_picture(page):
    front(page)
    page.locator("#menu-create").click()
    page.get_by_role("menuitem", name="Marker", exact=True).click()
    page.locator("#a-body").fill("block")
    page.get_by_role("button", name="Pick At (ground)").click()
    page.mouse.click(*pixel(page, 0.2, -0.5, 0.1))
    page.wait_for_selector("dialog[open]")
    at = [float(page.locator(f"#a-at{s}").input_value()) for s in ("", "-1", "-2")]
    assert at == pytest.approx([0.2, -0.5, 0.1], abs=0.02) and at[1] == -0.5
    page.get_by_role("button", name="Pick Axis z (ground)").click()
    page.mouse.click(*pixel(page, 0.2, -0.5, 0.1))
    page.wait_for_selector("dialog[open]")
    assert [float(page.locator(f"#a-z{s}").input_value()) for s in ("", "-1", "-2")] == pytest.approx(
        [0, -1, 0], abs=1e-6
    )
    page.locator("#dialog-ok").click()
    until(page, "studio.file.undo.startsWith('create MARKER')")
    undone(page)


@pytest.mark.slow
def test_contact_spline_and_input_by_forms(page):
    for title, fields in (
        ("Contact", {"i": "PART/2", "j": "PART/3", "stiffness": "1e6", "mu": "0.3"}),
        ("Spline", {"x": "0, 1, 2", "y": "0; 1; 4"}),
        ("Input", {"name": "throttle", "value": "0.5"}),
    ):
        steps = page.evaluate("studio.file.steps")
        page.locator("#menu-create").click()
        page.get_by_role("menuitem", name=title, exact=True).click()
        for name, value in fields.items():
            page.locator(f"#a-{name}").fill(value)
        page.locator("#dialog-ok").click()
        until(page, f"studio.file.steps === {steps} + 1 && !document.querySelector('dialog')")
    text = page.evaluate("studio.link.ask('script', {settings: {kind: 'initial'}})")["text"]
    model, space = machine(), {}
    lines = [line for line in text.splitlines() if line.startswith(("model.contact(", "model.spline(", "model.input("))]
    exec("\n".join(lines), {"model": model, "hn": hn}, space)
    (contact,) = model.table("CONTACT").values()
    assert (contact.model, contact.stiffness, contact.mu_static, contact.coulomb_friction) == (
        "IMPACT",
        1e6,
        0.3,
        "ON",
    ) and contact.igeom != contact.jgeom
    assert (
        next(iter(model.table("SPLINE").values())).y == ((0.0, 1.0, 4.0),) and model.find("VARIABLE", "throttle").input
    )
    undone(page)


@pytest.mark.slow
def test_an_element_of_another_kind_by_its_fields(page):
    """A primitive joint: its markers by a name and by picking in the tree; what is missing is reported in the form."""
    page.evaluate(
        "studio.edit({do: 'create', method: 'marker_at', arguments: {name: 'peg', body: ['PART', 3], at: [3, 0, 0]}})"
    )
    page.locator("#menu-create").click()
    page.get_by_role("menuitem", name="Joint primitive").click()
    page.locator("#p-new-JPRIM-type").select_option("INLINE")
    page.locator("#p-new-JPRIM-i").fill("peg")
    page.locator("#dialog-ok").click()
    until(page, "document.querySelector('dialog > form > .fault').textContent.includes('J')")
    page.locator("dialog .field", has=page.locator("#p-new-JPRIM-j")).get_by_role("button", name="Pick").click()
    number = page.evaluate("[...studio.tree.items.values()].find((r) => r[0] === 'MARKER' && r[1] !== 1)[1]")
    page.evaluate(f"studio.choose(['MARKER/{number}'])")
    page.wait_for_selector("dialog[open]")
    page.locator("#dialog-ok").click()
    until(page, "studio.tree.items.has('JPRIM/1') && !document.querySelector('dialog')")
    rows = {
        r["name"]: r["value"]
        for r in page.evaluate("studio.link.ask('element', {kind: 'JPRIM', id: 1})")["element"]["rows"]
    }
    assert rows["type"] == "INLINE" and rows["j"] == number
    text = page.evaluate("studio.link.ask('script', {settings: {kind: 'initial'}})")["text"]
    assert "model.element('JPRIM'" in text
    undone(page)


@pytest.mark.slow
def test_a_table_of_numbers_with_its_curve(page):
    """A spline: a cell, a row, cells of a spreadsheet; x that falls is reported; the points of a curve are those of its
    matrix."""
    page.evaluate("studio.edit({do: 'create', method: 'spline', arguments: {name: 's', x: '0, 1, 2', y: '0, 1, 4'}})")
    page.evaluate(
        "studio.edit({do: 'create', method: 'curve', arguments: {name: 'cam', points: '1 0 0\\n0, 1, 0\\n-1;0;0', "
        "closed: true}})"
    )
    until(page, "studio.tree.items.has('CURVE/1')")
    page.evaluate("studio.choose(['SPLINE/1'])")
    page.locator("#p-table").click()
    page.wait_for_selector(".table-plot .u-over")
    cell = lambda n, name="y": page.locator(f"dialog [aria-label='{name}, row {n}']")
    cell(2).fill("1.5")
    cell(3, "x").fill("0.5")
    until(page, "document.querySelector('.table-editor .fault').textContent.includes('x must rise: row 3')")
    page.locator("#dialog-ok").click()
    until(page, "[...document.querySelectorAll('dialog .fault')].at(-1).textContent.includes('Correct')")
    cell(3, "x").fill("2")
    cell(3).focus()
    page.keyboard.press("Enter")  # behind the last row another one
    page.evaluate(
        "(() => { const d = new DataTransfer(); d.setData('text/plain', '3\\t9\\r\\n4\\t16\\r\\n'); const e = "
        "{clipboardData: d, bubbles: true, cancelable: true};"
        " document.querySelector(\"dialog [aria-label='x, row 4']\").dispatchEvent(new ClipboardEvent('paste', "
        "e)); })()"
    )
    page.locator("#dialog-ok").click()
    until(page, "!document.querySelector('dialog')")
    got = page.evaluate("studio.link.ask('numbers', {kind: 'SPLINE', id: 1})")["numbers"]
    assert got == {"x": [0, 1, 2, 3, 4], "y": [[0, 1.5, 4, 9, 16]], "z": []}
    page.evaluate("studio.choose(['CURVE/1'])")
    page.locator("#p-table").click()
    cell(1, "z").fill("0.25")
    page.locator("#dialog-ok").click()
    until(page, "!document.querySelector('dialog')")
    assert page.evaluate("studio.link.ask('numbers', {kind: 'MATRIX', id: 1})")["numbers"]["values"] == [
        1,
        0,
        0.25,
        0,
        1,
        0,
        -1,
        0,
        0,
    ]
    undone(page)


def test_distance_and_angle_are_measured(page):
    front(page)
    page.keyboard.press("m")
    for point in ((-0.4, -0.5, -0.4), (0.4, -0.5, -0.4), (0.4, -0.5, 0.4)):
        page.mouse.click(*pixel(page, *point))
    soon(page, "studio.view.measured.distance", pytest.approx(0.8, abs=0.02))
    soon(page, "studio.view.measured.angle", pytest.approx(90.0, abs=1.5))
    page.keyboard.press("m")

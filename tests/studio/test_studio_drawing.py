"""Mechanisms drawn by clicks: a four-bar, a slider-crank and a ball in a bowl; only settings of a run are typed."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until  # noqa: E402


@pytest.fixture(scope="module")
def drawing(shop):
    """The window with no model that was read, in front of the plane x, z."""
    shop.page.set_viewport_size({"width": 1280, "height": 800})
    yield shop.page, shop.folder
    shop.page.keyboard.press("Escape")
    assert not shop.page.faults


@pytest.fixture
def page(drawing):
    """The same window with a new model in SI, gravity along -z."""
    page, _ = drawing
    page.evaluate("studio.link.ask('new', { name: 'drawn', units: 'SI' })")
    until(page, "studio.file.steps === 0 && studio.view.version === studio.file.version")
    page.evaluate(
        "studio.start.close(); studio.draw.looked = false;"
        "studio.edit({do: 'model', field: 'gravity', value: [0, 0, -9.80665]})"
    )
    until(page, "studio.file.steps === 1")
    return page


def tool(page, name, **options):
    """Choose a tool of the tool bar and its options, with the mouse."""
    if page.evaluate("document.body.dataset.tool || ''") != name:
        page.locator(f"#tool-{name}").click()
    soon(page, "document.body.dataset.tool", name)
    for option, value in options.items():
        page.locator(f"#d-{option}").select_option(value)


def still(page):
    """Wait until the picture has the size of its panel and shows the model."""
    until(
        page,
        "(() => { const r = studio.view.canvas.getBoundingClientRect();"
        " return Math.abs(studio.view.first.aspect - r.width / r.height) < 1e-6 && !studio.loading; })()",
    )


def click(page, *points):
    """Click points (x, z) of the drawing plane; they snap to what the picture shows there."""
    still(page)
    for x, z in points:
        at = page.evaluate(
            "([x, z]) => { const d = studio.draw, p = d.origin.negate(); p.x += x; p.z += z;"
            " studio.view.camera.updateMatrixWorld(); return d.pixel(p); }",
            [x, z],
        )
        page.mouse.move(at[0] + 1, at[1])
        page.mouse.move(*at)
        page.mouse.click(*at)


def made(page, act):
    """Do something that makes an element, and wait until it is drawn and chosen."""
    steps = page.evaluate("studio.file.steps")
    act()
    until(page, f"studio.file.steps > {steps} && studio.draw.points.length === 0", 20)
    until(page, "studio.view.version === studio.file.version && !studio.loading")


def zoom(page, span):
    """Show about ``span`` around (0.4 span, 0)."""
    still(page)
    page.evaluate(
        "(w) => { const v = studio.view, a = studio.draw.origin; v.projection(false); v.look('Front');"
        " v.controls.target.set(0.4 * w - a.x, -a.y, -a.z); v.camera.position.set(0.4 * w - a.x, -a.y - 3 * w, -a.z);"
        " const h = 0.5 * w, r = h * v.first.aspect, o = v.first.ortho;"
        " Object.assign(o, { top: h, bottom: -h, left: -r, right: r, zoom: 1 });"
        " v.first.ortho.updateProjectionMatrix(); v.controls.update(); }",
        span,
    )


def names(page, kind):
    return page.evaluate(f"[...studio.tree.items.values()].filter((r) => r[0] === '{kind}').map((r) => r[2])")


def ran(page, end, steps):
    page.locator("#run-end").fill(str(end))
    page.locator("#run-steps").fill(str(steps))
    page.locator("#run").click()
    until(page, "document.body.dataset.run === 'ended'", 180)
    soon(page, "document.body.dataset.problem", "")
    until(page, "studio.results.motion && studio.results.run")


def way(page, key):
    """Positions (rows, 3) of a body in the run shown, in ground."""
    return np.array(
        page.evaluate(
            "(key) => { const m = studio.results.motion, o = studio.view.table.origin, n = m.keys.length;"
            " const k = m.keys.findIndex((q) => q.join('/') === key);"
            " const at = (r, c) => m.poses[7 * (r * n + k) + c] + o[c];"
            " return Array.from({ length: m.n }, (_, r) => [0, 1, 2].map((c) => at(r, c))); }",
            key,
        )
    )


def test_a_slider_crank_is_drawn_by_clicks(page):
    """Crank 0.1, rod 0.3: the travel of the slider is twice the crank, and its place is that of the textbook."""
    tool(page, "link")
    zoom(page, 0.6)
    made(page, lambda: click(page, (0, 0), (0.1, 0)))
    made(page, lambda: click(page, (0.1, 0), (0.4, 0)))
    tool(page, "box")
    made(page, lambda: click(page, (0.36, -0.02), (0.44, 0.02)))
    assert names(page, "PART") == ["ground", "link", "link 2", "box"]
    tool(page, "joint", drive="speed")
    made(page, lambda: click(page, (0, 0)))
    until(page, "studio.tree.items.has('MOTION/1')")
    tool(page, "joint", drive="none")
    made(page, lambda: click(page, (0.1, 0)))
    made(page, lambda: click(page, (0.4, 0)))
    tool(page, "joint", type="translational", first="PART/4", second="PART/1")
    made(page, lambda: click(page, (0.4, 0), (0.5, 0)))
    page.keyboard.press("Escape")
    assert page.evaluate("document.body.dataset.tool === undefined")
    until(page, "document.body.dataset.checked === String(studio.file.version)")
    pairs = page.evaluate(
        "Promise.all([1, 2, 3, 4].map((id) => studio.link.ask('element', {kind: 'JOINT', id})"
        ".then((r) => r.element.rows.find((x) => x.name === 'type').value)))"
    )
    assert pairs == ["REVOLUTE", "REVOLUTE", "REVOLUTE", "TRANSLATIONAL"]
    ran(page, 1, 40)
    found = way(page, "PART/4")
    turn = np.linspace(0, 2 * math.pi, len(found))
    assert found[:, 0] == pytest.approx(0.1 * np.cos(turn) + np.sqrt(0.09 - (0.1 * np.sin(turn)) ** 2), abs=2e-6)
    assert np.abs(found[:, 1:]).max() < 2e-6


def test_a_four_bar_is_drawn_by_clicks(page):
    """Every hinge holds: distances of the pins stay those of the links, and the crank goes round."""
    a, b, c, d = (0.0, 0.0), (0.0, 0.1), (0.3, 0.2), (0.4, 0.0)
    tool(page, "link")
    zoom(page, 0.7)
    for ends in ((a, b), (b, c), (c, d)):
        made(page, lambda ends=ends: click(page, *ends))
    tool(page, "joint", drive="speed")
    made(page, lambda: click(page, a))
    until(page, "studio.tree.items.has('MOTION/1')")
    tool(page, "joint", drive="none")
    for pin in (b, c, d):
        made(page, lambda pin=pin: click(page, pin))
    page.keyboard.press("Escape")
    until(page, "document.body.dataset.checked === String(studio.file.version)")
    ran(page, 1, 40)
    crank, rocker = way(page, "PART/2"), way(page, "PART/4")
    assert np.linalg.norm(crank, axis=1) == pytest.approx(np.full(len(crank), 0.05), abs=2e-6)
    length = 0.5 * math.hypot(0.1, 0.2)
    assert np.linalg.norm(rocker - [0.4, 0, 0], axis=1) == pytest.approx(np.full(len(rocker), length), abs=2e-6)
    coupler = way(page, "PART/3")
    pin = 2 * crank  # the end of the crank, whose centre is in its middle
    assert np.linalg.norm(coupler - pin, axis=1) == pytest.approx(
        np.full(len(pin), 0.5 * math.hypot(0.3, 0.1)), abs=2e-6
    )
    assert crank[:, 0].max() == pytest.approx(0.05, abs=1e-4) and crank[:, 0].min() == pytest.approx(-0.05, abs=1e-4)


@pytest.mark.slow
def test_a_ball_in_a_bowl_is_drawn_by_clicks(page):
    """Let go at the side it swings through the lowest point and up the other side, and stays on the sphere of its
    centre."""
    tool(page, "bowl")
    zoom(page, 0.9)
    page.evaluate(
        "studio.view.controls.target.x -= 0.3; studio.view.camera.position.x -= 0.3; studio.view.controls.update()"
    )
    made(page, lambda: click(page, (0, 0), (0.3, 0)))
    tool(page, "ball")
    made(page, lambda: click(page, (0.16, -0.16), (0.2, -0.16)))
    page.evaluate("studio.view.look('Iso')")
    tool(page, "contact")
    still(page)
    spots = page.evaluate(
        "(() => { const d = studio.draw, o = d.origin, T = o.constructor; studio.view.camera.updateMatrixWorld();"
        " return [[0.16, 0, -0.16], [0, 0.2, -0.23]].map((p) => d.pixel(new T(...p).sub(o))); })()"
    )
    steps = page.evaluate("studio.file.steps")
    for at in spots:
        page.mouse.click(*at)
    until(page, f"studio.file.steps > {steps}")
    page.keyboard.press("Escape")
    assert names(page, "CONTACT") == ["contact"]
    until(page, "document.body.dataset.checked === String(studio.file.version)")
    ran(page, 1, 200)
    found = way(page, "PART/2")
    assert found[:, 0].min() < -0.1 and found[0, 0] == pytest.approx(0.16, abs=1e-3)
    late = found[len(found) // 4 :]
    assert np.linalg.norm(late, axis=1) == pytest.approx(np.full(len(late), 0.26), abs=0.02)


def test_a_spring_between_picked_points_makes_its_own_markers(page):
    """One step: undo takes the spring and both markers away; the script builds them again."""
    tool(page, "box")
    zoom(page, 0.9)
    made(page, lambda: click(page, (0.1, 0.1), (0.3, 0.2)))
    tool(page, "spring")
    before = len(names(page, "MARKER"))
    made(page, lambda: click(page, (0.2, 0.15), (0.2, -0.2)))
    assert names(page, "SPRINGDAMPER") == ["spring"] and len(names(page, "MARKER")) == before + 2
    text = page.evaluate("studio.link.ask('script', {settings: {kind: 'initial'}})")["text"]
    assert "model.spring_damper(" in text and "model.marker_at(model.find('PART', 'box')" in text and "'drawn'" in text
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    until(page, "!studio.tree.items.has('SPRINGDAMPER/1')")
    assert len(names(page, "MARKER")) == before


def test_an_outline_is_extruded_copied_and_repeated(page):
    """The mass is that of area, depth and density; a row of three copies is one step."""
    tool(page, "extrusion")
    zoom(page, 0.9)
    page.locator("#d-depth").fill("0.1")
    page.locator("#d-density").fill("1000")
    made(page, lambda: click(page, (0, 0), (0.2, 0), (0.2, 0.1), (0, 0)))
    rows = page.evaluate("studio.link.ask('element', {kind: 'PART', id: 2})")["element"]["rows"]
    value = {r["name"]: r["value"] for r in rows}
    assert value["mass"] == pytest.approx(0.5 * 0.2 * 0.1 * 0.1 * 1000) and value["qg"][1] == pytest.approx(
        0, abs=1e-12
    )
    page.keyboard.press("Escape")
    page.evaluate("studio.choose(['PART/2'])")
    tool(page, "row")
    made(page, lambda: click(page, (0, 0), (0, 0.2)))
    assert len(names(page, "PART")) == 5
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    until(page, "!studio.tree.items.has('PART/5')")
    assert len(names(page, "PART")) == 2


def test_every_command_is_found_by_its_name(page):
    """The palette draws, creates, and finds elements; a word that an engineer uses finds the tool."""
    page.keyboard.press("Control+k")
    page.locator("#palette-input").fill("hinge")
    assert page.locator(".command .name").first.text_content() == "Joint"
    page.keyboard.press("Enter")
    soon(page, "document.body.dataset.tool", "joint")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.locator("#palette-input").fill("no such thing")
    assert "No command" in page.locator("#palette-list").text_content()
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('dialog')")


def test_the_start_page_has_templates_examples_and_a_guide(drawing):
    """A new window begins with it; a template is a model that moves; the guide goes from an empty model to a number."""
    page, folder = drawing
    page.evaluate("studio.start.open()")
    until(page, "!studio.start.box.hidden")
    assert page.locator("#start-examples .card").count() > 20
    page.locator("#template-spring_mass").click()
    until(
        page, "studio.tree.items.has('SPRINGDAMPER/1') && document.body.dataset.checked === String(studio.file.version)"
    )
    assert page.evaluate("document.body.dataset.dof") == "1"
    page.evaluate("studio.start.open()")
    until(page, "!studio.start.box.hidden")
    page.locator("#start-guide").click()
    until(page, "!document.getElementById('guide').hidden && studio.guide.n === 0")
    for n in range(8):
        until(page, f"studio.guide.n === {n} && studio.view.version === studio.file.version && !studio.loading")
        page.locator("#guide-do").click()
    until(page, "studio.guide.n === 8")
    assert (
        names(page, "JOINT")[:4] == ["hinge", "hinge 2", "hinge 3", "slider joint"] and len(names(page, "MOTION")) == 1
    )
    until(page, "document.body.dataset.checked === String(studio.file.version)")
    assert page.evaluate("document.body.dataset.dof") == "0"
    page.locator("#guide-end").click()

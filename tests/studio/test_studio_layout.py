"""Panels that are docked by the mouse and stay there, a second view of the machine, and what lies under the pointer."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until, window  # noqa: E402

FRONT, BACK = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def machine():
    model = hn.Model("two boxes", "SI")
    model.gravity = (0, 0, -9.80665)
    front = model.part("front box", shape=hn.shapes.box(FRONT, (0.2, 0.2, 0.2)), density=1000.0)
    back = model.part("back box", shape=hn.shapes.box(BACK, (0.2, 0.2, 0.2)), density=1000.0)
    for part, y in ((front, 0), (back, 1)):
        model.revolute(part, model.ground, f"hinge {y}", at=(-0.3, y, 0), axis=(0, 1, 0))
    return model


@pytest.fixture(scope="module")
def page(shop):
    (shop.folder / "boxes.json").write_text(machine().to_json())
    page = shop.opened("boxes.json", 1280, 800)
    yield page
    page.evaluate("studio.layout.reset(); studio.view.second.toggle(false)")
    assert not page.faults


def middle(page, selector):
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, *ends):
    page.mouse.move(*start)
    page.mouse.down()
    for end in ends:
        page.mouse.move(*end, steps=4)
    page.mouse.up()


def point_of(page, eye, at):
    """Where a point of ground is on the screen, in one of the views."""
    return page.evaluate(
        "([eye, at]) => { const v = studio.view, e = eye === 'second' ? v.second.eye : v.first, o = v.table.origin;"
        " e.camera.updateMatrixWorld(); return e.pixel(e.controls.target.clone().set(...at.map((x, k) => x - o[k])));"
        " }",
        [eye, list(at)],
    )


def test_panels_are_dragged_to_a_side_hidden_and_remembered(page, shop):
    wide = page.evaluate("document.getElementById('view').clientWidth")
    drag(page, middle(page, "#dock-of-bottom"), (700, 300), (1240, 400))
    until(page, "document.getElementById('dock-right').contains(document.getElementById('bottom'))")
    assert page.evaluate("getComputedStyle(document.getElementById('dock-below')).display") == "none"
    page.locator("#dock-of-left").click()
    page.get_by_role("menuitem", name="Hide").click()
    until(page, f"document.getElementById('view').clientWidth !== {wide}")
    assert not page.locator("#tree").is_visible() and not page.locator("#split-left").is_visible()
    page.locator("#dock-of-right").click()
    page.get_by_role("menuitem", name="Below the picture").click()
    until(page, "document.getElementById('dock-below').contains(document.getElementById('editor'))")
    soon(
        page, "Math.abs(document.getElementById('canvas').clientWidth - document.getElementById('view').clientWidth)", 0
    )
    page.evaluate("studio.choose(['PART/2'], false, true)")
    until(page, "!!document.getElementById('p-PART-mass')")  # panels work wherever they are
    docks = page.evaluate("document.body.dataset.docks")
    assert docks == "hidden below right"

    other = window(shop.chromium, shop.address, 1280, 800, storage_state=page.context.storage_state())
    assert other.evaluate("document.body.dataset.docks") == docks  # as they were left
    assert not other.faults
    other.close()

    page.keyboard.press("Control+k")
    page.locator("#palette-input").fill("panels as delivered")
    page.keyboard.press("Enter")
    until(page, "document.body.dataset.docks === 'left right below'")
    assert page.locator("#tree").is_visible()
    soon(page, f"document.getElementById('view').clientWidth === {wide}")


@pytest.mark.parametrize("where", ["left", "right", "below"])
def test_the_results_alone_wherever_they_are_docked(page, where):
    page.evaluate(f"studio.layout.dock('bottom', '{where}')")
    page.locator("#max-bottom").click()
    until(page, "document.getElementById('bottom').clientWidth === innerWidth")
    assert not page.locator("#view").is_visible() and not page.locator("#tree").is_visible()
    page.locator("#max-bottom").click()
    until(page, "document.getElementById('view').clientWidth > 300")
    page.evaluate("studio.layout.reset()")


def test_a_second_view_draws_picks_and_is_remembered(page, shop):
    page.locator("#two-views").click()
    until(page, "studio.view.second.on && document.getElementById('second').clientWidth > 200")
    page.locator("#second-pick").select_option("Top")
    drawn = (
        "(() => { const c = document.getElementById('second'), d = c.getContext('2d').getImageData(0, 0, c.width,"
        " c.height).data; let n = 0; for (let k = 3; k < d.length; k += 4) n += d[k] > 200; return n; })()"
    )
    soon(page, lambda: page.evaluate(drawn) > 500)
    page.evaluate("studio.view.second.eye.zoom(1.8); studio.view.first.zoom(1.8)")  # below the tool bar
    ends = [point_of(page, eye, BACK) for eye in ("first", "second")]
    half = page.evaluate("document.getElementById('second').getBoundingClientRect().left")
    assert ends[0][0] < half < ends[1][0]
    page.mouse.click(*ends[1])
    until(page, "studio.chosen.has('PART/3')")
    before = page.evaluate("studio.view.first.camera.position.toArray()")
    there = page.evaluate("studio.view.second.eye.camera.position.toArray()")
    drag(page, (half + 60, 300), (half + 110, 340))
    soon(page, lambda: page.evaluate("studio.view.second.eye.camera.position.toArray()") != there)
    assert page.evaluate("studio.view.first.camera.position.toArray()") == before  # each has a camera of its own
    page.locator("#second").focus()
    page.keyboard.press("1")
    until(page, "document.getElementById('second-pick').value === 'Front'")
    page.keyboard.press("5")
    until(page, "studio.view.second.eye.camera === studio.view.second.eye.ortho")

    other = window(shop.chromium, shop.address, 1280, 800, storage_state=page.context.storage_state())
    assert other.evaluate("studio.view.second.on && document.getElementById('second-pick').value") == "Front"
    other.close()
    page.locator("#second-tools button[aria-label='Close']").click()
    until(page, "!studio.view.second.on && document.getElementById('canvas').clientWidth > 600")


def test_a_point_is_drawn_in_the_second_view(page):
    page.evaluate("studio.view.second.toggle(true)")
    page.locator("#second-pick").select_option("Top")
    page.evaluate("studio.view.second.eye.zoom(1.8)")
    before = page.evaluate("studio.file.steps")
    page.evaluate("studio.draw.start('marker')")
    page.mouse.move(*point_of(page, "second", BACK))
    page.mouse.click(*point_of(page, "second", BACK))
    until(page, f"studio.file.steps === {before + 1}")
    page.evaluate("studio.draw.stop(); studio.undo('undo'); studio.view.second.toggle(false)")
    until(page, f"studio.file.steps === {before}")


def test_what_lies_under_the_pointer_is_listed(page):
    page.evaluate(
        "studio.choose([]); studio.view.look('Front'); studio.view.projection(false); studio.view.fit();"
        " studio.view.first.zoom(1.8)"
    )
    at = point_of(page, "first", FRONT)
    page.mouse.click(*at, button="right")
    page.get_by_role("menuitem", name="back box PART/3").click()
    until(page, "studio.chosen.size === 1 && studio.chosen.has('PART/3')")
    # a menu on one of several chosen elements keeps them: two markers are measured by it
    page.evaluate("studio.choose(['PART/2', 'PART/3'], true)")
    page.evaluate("studio.choose([]); studio.choose(['PART/2']); studio.choose(['PART/3'], true)")
    page.mouse.click(*at, button="right")
    page.get_by_role("menuitem", name="Isolate").click()
    until(page, "studio.chosen.size === 2 && !studio.view.hidden.has('PART/2') && !studio.view.hidden.has('PART/3')")
    page.evaluate("studio.view.all(); studio.view.projection(true); studio.choose([])")


def test_drawing_that_is_ended_while_its_edit_is_refused(page):
    page.evaluate(
        "(async () => { const d = studio.draw; d.start('link'); d.points = [d.exact([5, 0, 0]), d.exact([6, 0, 0])];"
        " d.values.density = 'heavy'; const done = d.finish(); d.stop(); await done; d.values.density = undefined; })()"
    )
    assert not page.faults and "heavy" in page.locator("#notice").text_content()


def test_joints_of_a_message_about_redundant_constraints_are_chosen_by_a_click(page):
    page.locator("#tab-console").click()
    words = "redundant: hinge 0: rotation about its x axis repeats hinge 1, hinge 10"
    page.evaluate("(text) => studio.results.line({ text, kind: 'warning', time: 0 })", words)
    links = page.locator("#console .line").last.locator(".link")
    assert links.all_text_contents() == ["hinge 0", "hinge 1"]  # there is no hinge 10
    links.nth(1).click()
    until(page, "studio.chosen.size === 1 && studio.chosen.has('JOINT/2')")
    page.evaluate("studio.choose([])")


def test_parameters_of_a_model_without_any_survive_an_edit(page):
    page.locator("#tab-parameters").click()
    until(page, "!!document.querySelector('#parameters .empty')")
    before = page.evaluate("studio.file.steps")
    page.evaluate("studio.edit({ do: 'set', kind: 'PART', id: 2, field: 'mass', value: '9' })")
    until(page, f"studio.file.steps === {before + 1}")
    page.wait_for_timeout(400)  # the table is drawn again 150 ms after an edit
    page.evaluate("studio.undo('undo')")
    until(page, f"studio.file.steps === {before}")
    assert not page.faults


@pytest.mark.parametrize("width", [800, 1024, 1280])
def test_the_page_has_a_heading_at_every_width(page, width):
    page.set_viewport_size({"width": width, "height": 720})
    assert page.get_by_role("heading", level=1, name="Holonom").count() == 1


@pytest.mark.parametrize("width", [1024, 1280])
def test_the_status_bar_does_not_overlap_during_a_run(page, width):
    page.set_viewport_size({"width": width, "height": 720})
    boxes = page.evaluate("""() => {
        const s = studio;
        s.state = { degrees_of_freedom: 2, redundant: ["a", "b"], opened: true, bodies: 1, equations: 1234 };
        s.file = { ...s.file, file: "a folder/with/a model of a rather long name.json", changed: true }; s.status();
        s.meter.hidden = false; s.clock.textContent = "0.1234 s, preparing for 12 s, about 34 s more";
        const seen = [...document.querySelectorAll("#status-line > :not(.grow), #status > progress, #run-time")];
        const found = seen.map((e) => e.getBoundingClientRect()).filter((r) => r.width).map((r) => [r.left, r.right]);
        const text = s.line.textContent; s.progress(); return { found, text };
    }""")
    found = sorted(boxes["found"])
    assert "1 moving body" in boxes["text"] and "2 redundant constraints" in boxes["text"]
    assert len(found) >= 4 and found[-1][1] <= width
    assert all(a[1] <= b[0] + 0.5 for a, b in zip(found, found[1:])), found

"""What an engineer meets: words instead of keywords, help in place, sentences that a click follows, frames by keys,
panels alone, traces, differences in plots, and how fast a run is."""

import re
import sys
from importlib import resources
from pathlib import Path

import pytest

import holonom as hn
from holonom.model.base import ELEMENT_TYPES
from holonom.studio.properties import properties
from holonom.studio.terms import TERMS

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until  # noqa: E402


def machine():
    model = hn.Model("pendulum", "SI")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", shape=hn.shapes.capsule((0, 0, 0), (1, 0, 0), 0.03), density=1000.0)
    model.revolute(rod, model.ground, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    model.spring_damper(rod.cm, model.marker_at(model.ground, (0, 0, 1)), stiffness=10.0, length=1.0, name="spring")
    return model


@pytest.fixture(scope="module")
def page(shop):
    (shop.folder / "words.json").write_text(machine().to_json())
    page = shop.opened("words.json", 1280, 800)
    page.locator("#run-end").fill("1")
    page.locator("#run-steps").fill("50")
    before = page.evaluate("document.body.dataset.results || ''")
    page.locator("#run").click()
    until(page, f"(document.body.dataset.results || '') !== '{before}'", 180)
    until(page, "studio.results.motion && studio.results.run")
    yield page
    assert not page.faults


def test_every_term_is_of_a_field():
    for kind, name in TERMS:
        kinds = [ELEMENT_TYPES[kind]] if kind else list(ELEMENT_TYPES.values())
        assert any(name in getattr(k, "__dataclass_fields__", {}) for k in kinds), (kind, name)


def test_only_fields_that_the_type_uses():
    model = machine()
    rows = {r["name"]: r for r in properties(model, model.find("SPRINGDAMPER", "spring"))["rows"]}
    assert rows["k"]["used"] and not rows["kt"]["used"] and rows["length"]["label"] == "Free length"
    rows = {r["name"]: r for r in properties(model, model.find("JOINT", "hinge"))["rows"]}
    assert not rows["pitch"]["used"] and rows["i"]["label"] == "First marker"
    names = [r["group"] for r in properties(model, model.find("PART", "rod"))["rows"]]
    assert names.index("Mass") < names.index("Position") < names.index("Initial conditions")


def test_words_help_and_a_remedy(page):
    page.evaluate("studio.choose(['SPRINGDAMPER/1'], false, true)")
    until(page, "!!document.getElementById('p-SPRINGDAMPER-k')")
    assert page.locator("label[for='p-SPRINGDAMPER-k']").text_content() == "Stiffness K N/m"
    assert page.locator("#p-unused").count() == 1 and not page.locator("#p-SPRINGDAMPER-kt").is_visible()
    page.evaluate("studio.choose(['PART/2'], false, true)")
    until(page, "!!document.getElementById('p-PART-mass')")
    why = page.locator("#editor .why").first
    why.click()
    assert page.locator("#editor .about:not([hidden])").count() == 1
    choice = page.evaluate(
        "(() => { const e = { kind: 'MOTION', id: 1, rows: [{ name: 'kind', kind: 'choice', value: 'TRANSLATIONAL',"
        " words: ['TRANSLATIONAL', 'ROTATIONAL'] }] }; const box = studio.editor.remedies(e, 'this joint has no"
        " translation; choose ROTATIONAL'); "
        " return [...box.querySelectorAll('button')].map((b) => b.dataset.value); })()"
    )
    assert choice == ["ROTATIONAL"]


def test_frames_by_keys_loop_trace_and_following(page):
    page.locator("#canvas").focus()
    page.evaluate("studio.results.seek(0)")
    for _ in range(3):
        page.keyboard.press(".")
    assert page.evaluate("studio.results.time") == pytest.approx(0.06)
    page.keyboard.press("[")
    page.keyboard.press(">")
    page.keyboard.press("]")
    page.keyboard.press(",")
    assert page.evaluate("studio.results.time") == pytest.approx(0.24)
    assert page.evaluate("studio.results.range") == pytest.approx([0.06, 0.26])
    page.evaluate("studio.results.time = 0.259; studio.results.advance(0.01)")
    assert page.evaluate("studio.results.time") == pytest.approx(0.06)
    page.locator("#loop-range").click()
    assert page.evaluate("studio.results.range === null")
    page.evaluate("studio.choose(['PART/2']); studio.view.trace('PART/2'); studio.view.follow('PART/2')")
    assert page.evaluate("studio.view.traces.get('PART/2').geometry.attributes.position.count") == 51
    before = page.evaluate("studio.view.controls.target.toArray()")
    moved = page.evaluate(
        "(() => { const v = studio.view, p = () => v.matrices[v.index.get('PART/2')].elements.slice(12, 15);"
        " const a = p(); studio.results.seek(0.5); const b = p(); return b.map((v, k) => v - a[k]); })()"
    )
    after = page.evaluate("studio.view.controls.target.toArray()")
    assert [b - a for a, b in zip(before, after)] == pytest.approx(moved, abs=1e-6) and abs(moved[2]) > 0.05
    page.evaluate("studio.view.home()")
    assert page.evaluate("studio.view.traces.size") == 0


def test_a_joint_is_plotted_by_its_menu_and_differences_are_told(page):
    page.evaluate("studio.choose(['JOINT/1']); studio.context({left: 300, bottom: 300, focus() {}})")
    page.get_by_role("menuitem", name="Plot its force over time").click()
    until(page, "studio.results.pages.drawn[0]?.u && document.querySelector('#plots .u-over')")
    told = page.evaluate(
        "(() => { const p = studio.results.pages.drawn[0]; p.pin(0.2);"
        " p.u.setCursor({ left: p.u.valToPos(0.5, 'x'), top: 10 });"
        " p.point(); return p.tip.textContent; })()"
    )
    assert "Δ 0.3" in told
    page.evaluate("studio.results.pages.drawn[0].pin()")
    page.evaluate("studio.results.pages.drawn[0].menu()")
    page.locator("#plots input[aria-label='From of the axis below']").fill("0.4")
    page.locator("#plots input[aria-label='From of the axis below']").press("Tab")
    soon(page, "studio.results.pages.drawn[0].zoom[0]", pytest.approx(0.4))
    page.evaluate("studio.results.pages.drawn[0].menu(); studio.results.pages.clear(); studio.results.tab('console')")


def test_two_markers_are_measured_by_the_menu(page):
    model = machine()
    spring = model.find("SPRINGDAMPER", "spring")
    page.evaluate(
        "([i, j]) => { studio.choose([`MARKER/${i}`]); studio.choose([`MARKER/${j}`], true);"
        " studio.context({ left: 300, bottom: 300, focus() {} }); }",
        [spring.i, spring.j],
    )
    page.get_by_role("menuitem", name="Measure their distance over time").click()
    until(page, "[...studio.tree.items.values()].some((r) => r[0] === 'REQUEST' && r[2].startsWith('distance '))")
    before = page.evaluate("studio.results.run.number")
    page.locator("#run").click()
    until(page, f"studio.results.run.number > {before} && document.body.dataset.run === 'ended'", 180)
    first = page.evaluate(
        "(async () => { const r = studio.results.run, q = r.quantities.findIndex((q) => q[1].startsWith('distance '));"
        " const parts = r.quantities[q][4], out = []; for (const k of parts.keys()) out.push([parts[k],"
        " (await studio.results.series({ run: r.number, q: r.quantities[q][0], component: k })).y[0]]);"
        " return out; })()"
    )
    assert max(abs(v) for _, v in first) == pytest.approx(1.25**0.5)  # rod.cm at (0.5, 0, 0), the other at (0, 0, 1)
    page.evaluate("studio.undo('undo')")
    until(page, "![...studio.tree.items.values()].some((r) => r[0] === 'REQUEST')")


def test_panels_alone_and_names_on_hover(page):
    height = page.evaluate("document.getElementById('view').clientHeight")
    page.locator("#max-view").click()
    until(page, f"document.getElementById('view').clientHeight > {height} + 150")
    assert page.evaluate("localStorage.getItem('holonom-max')") == "view"
    page.locator("#max-view").click()
    soon(page, "document.getElementById('view').clientHeight", height)
    page.locator("#max-bottom").click()
    until(page, "document.getElementById('bottom').clientHeight > 500")
    page.locator("#max-bottom").click()
    soon(page, "document.getElementById('view').clientHeight", height)
    page.evaluate("studio.view.home(); studio.view.look('Front'); studio.view.fit()")
    page.wait_for_timeout(100)
    x, y = page.evaluate(
        "(() => { const v = studio.view; v.camera.updateMatrixWorld();"
        " const p = studio.draw.origin.constructor; return studio.draw.pixel(new p().setFromMatrixPosition("
        "v.matrices[v.index.get('PART/2')])); })()"
    )
    for k in range(3):
        page.mouse.move(x + k, y)
    soon(
        page, "!document.getElementById('hover').hidden && document.getElementById('hover').textContent.includes('rod')"
    )


def test_how_fast_a_run_is(page):
    words = page.evaluate(
        "(() => { const old = studio.running; studio.running = { settings: { kind: 'auto', end: 10 }, time: 2,"
        " since: [performance.now() - 4000, 0] }; const text = studio.pace(); studio.running = old; return text; })()"
    )
    found = re.fullmatch(r", 2(\.\d)?× slower than real time, (\d+) s left", words)
    assert found and 16 <= int(found[2]) <= 24


@pytest.mark.slow
def test_what_creates_is_accessible(page):
    """axe has nothing to say of the start page, a drawing tool, the palette and the parameters, in both themes."""
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
    states = {
        "start": "studio.start.open()",
        "tool": "studio.start.close(); studio.draw.start('joint')",
        "parameters": "studio.draw.stop(); studio.results.tab('parameters'); studio.choose(['PART/2'], false, true)",
        "palette": "document.getElementById('find-command').click()",
    }
    for theme in ("light", "dark"):
        page.evaluate(f"studio.theme('{theme}')")
        for name, act in states.items():
            page.evaluate(act)
            page.wait_for_timeout(400)
            found = page.evaluate(
                axe + "; axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html.slice(0, 200)]))"
            )
            assert not found, (theme, name, found)
        page.keyboard.press("Escape")

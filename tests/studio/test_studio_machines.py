"""Machines of many parts in the Studio: opened, checked, played, edited while they run; a run through its panels by
the keyboard alone."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import chain_drive

sys.path.insert(0, str(Path(__file__).parent))
from _open import example, soon, studio, until, window  # noqa: E402

LINKS, SPHERES = 240, 10_000


@pytest.fixture(scope="module")
def place(tmp_path_factory, chromium):
    folder = tmp_path_factory.mktemp("many")
    file = example("crane", folder)
    example("four_bar", folder)
    (folder / "chain.json").write_text(chain_drive(LINKS, speed=48.0).to_json())
    balls = hn.Model("balls", "SI")
    balls.grains(np.random.default_rng(1).uniform(-0.5, 0.5, (SPHERES, 3)), 0.005, "balls", density=2500.0)
    (folder / "balls.json").write_text(balls.to_json())
    with studio(folder, file) as address:
        yield address, folder


@pytest.fixture(scope="module")
def page(place, chromium):
    page = window(chromium, place[0], 1100, 760)
    yield page
    assert not page.faults
    page.close()


def opened(page, name):
    """Open a model through the dialog, and wait for its picture and its check."""
    page.keyboard.press("Control+o")
    page.locator("dialog .files button", has_text=f"{name}").first.click()
    until(page, f"studio.file.file.startsWith('{name}') && !document.querySelector('dialog')", 120)
    until(
        page,
        "document.body.dataset.checked === String(studio.file.version) && studio.view.version === studio.file.version",
        180,
    )


def begun(page, end, steps):
    page.locator("#run-end").fill(str(end))
    page.locator("#run-steps").fill(str(steps))
    page.locator("#run").click()


def ended(page, before):
    until(page, f"!studio.running && (document.body.dataset.results || '') !== '{before}'", 400)
    soon(page, "document.body.dataset.problem", "")


def number(page):
    return page.evaluate("document.body.dataset.results || ''")


def places(page):
    return page.evaluate("studio.view.matrices.map((m) => [...m.elements])")


@pytest.mark.slow
def test_an_edit_during_a_run_is_of_the_next_one_and_all_is_undone(page, place):
    """The crane: a mass is changed while it is computed; that run has the old one, the next one the new; undo of all
    gives the file."""
    opened(page, "crane.adm")
    before, first = number(page), page.evaluate("JSON.stringify([...studio.tree.items.values()])")
    mass = (
        "studio.link.ask('element', {kind: 'PART', id: 2}).then((r) => r.element.rows.find((x) => x.name === "
        "'mass').value)"
    )
    old = page.evaluate(mass)
    begun(page, 60, 6000)
    until(page, "studio.running?.keys && studio.running.time > 0.2", 240)
    page.locator("#pause").click()
    until(page, "studio.running.paused")
    page.locator("#search").fill("PART/2")
    page.locator("#tree .row", has_text=page.evaluate("studio.tree.items.get('PART/2')[2]")).first.click()
    box = page.locator("#p-PART-mass")
    box.fill(repr(1.5 * old))
    box.press("Enter")
    until(page, "studio.file.undo.startsWith('mass')")
    page.locator("#p-name").fill("renamed while it runs")
    page.locator("#p-name").press("Enter")
    until(page, "studio.file.steps === 2")
    page.locator("#stop").click()  # what there is until the pause is kept
    ended(page, before)
    n = int(number(page))
    assert hn.load(place[1] / ".holonom" / "runs" / f"{n:04d}" / "run.h5").model.parts[2].mass == old
    begun(page, 0.1, 5)
    ended(page, str(n))
    again = hn.load(place[1] / ".holonom" / "runs" / f"{n + 1:04d}" / "run.h5").model.parts[2]
    assert again.mass == 1.5 * old and again.name == "renamed while it runs"
    page.locator("#search").fill("")
    page.locator("#canvas").focus()
    for left in (1, 0):
        page.keyboard.press("Control+z")
        until(page, f"studio.file.steps === {left}")
    assert not page.evaluate("studio.file.changed") and page.evaluate("studio.undoButton.disabled")
    assert page.evaluate(mass) == old and page.evaluate("JSON.stringify([...studio.tree.items.values()])") == first


@pytest.mark.slow
def test_a_chain_of_240_links_is_opened_and_runs(page, place):
    opened(page, "chain.json")
    assert page.evaluate("studio.view.bodies.length") == LINKS + 3  # with ground and the sprockets
    assert f"{LINKS + 2} moving bodies" in page.locator("#status").text_content()
    before, drawn = number(page), places(page)
    begun(page, 0.002, 4)
    ended(page, before)
    run = hn.load(place[1] / ".holonom" / "runs" / f"{int(number(page)):04d}" / "run.h5")
    page.evaluate("studio.results.play(false); studio.results.seek(0.002)")
    seen, origin = np.array(places(page)), np.array(page.evaluate("studio.view.table.origin"))
    keys = page.evaluate("studio.view.bodies.map((b) => [b.kind, b.id])")
    for k, (kind, number_, _) in enumerate(run.data.bodies):
        at = seen[keys.index([kind, number_]), 12:15] + origin
        assert at == pytest.approx(run.data.body_position[-1, k], abs=1e-6)
    assert np.abs(seen - np.array(drawn)).max() > 1e-4  # it continued
    page.locator("#tab-peaks").click()
    until(page, "document.querySelectorAll('#peaks tbody tr').length > 240")
    page.evaluate("studio.results.tab('console')")


@pytest.mark.slow
def test_ten_thousand_spheres_are_drawn_and_turned(page):
    opened(page, "balls.json")
    count = "studio.view.bulk[0].object.geometry"
    soon(page, f"{count}.attributes.position.count", SPHERES)
    page.evaluate("studio.view.resolve(2)")  # as on a machine that is late
    soon(page, f"{count}.drawRange.count", SPHERES // 4)
    sample = np.array(page.evaluate(f"[...{count}.attributes.position.array.slice(0, 3 * {SPHERES // 4})]")).reshape(
        -1, 3
    )
    assert (
        np.abs(sample.mean(axis=0)).max() < 0.03 and np.abs(sample.std(axis=0) - 12**-0.5).max() < 0.02
    )  # some of all, everywhere
    until(page, f"studio.view.coarse === 0 && {count}.drawRange.count === {SPHERES}", 20)  # at rest all are there
    every = np.array(page.evaluate(f"[...{count}.attributes.position.array]")).reshape(-1, 3) + page.evaluate(
        "studio.view.table.origin"
    )
    want = np.random.default_rng(1).uniform(-0.5, 0.5, (SPHERES, 3))
    assert np.abs(every[np.lexsort(every.T)] - want[np.lexsort(want.astype("f4").T)]).max() < 1e-6


@pytest.mark.slow
def test_panels_by_the_keyboard_alone(page):
    """Open, run, tick a curve, name its page, open the table and the script, export: without a mouse."""
    opened(page, "four_bar.adm")
    before = number(page)
    page.keyboard.press("Control+Enter")
    ended(page, before)
    page.locator("#tab-plots").focus()  # by F6 and Tab, as below
    page.keyboard.press("Enter")

    def reach(what, most=150):
        for _ in range(most):
            if page.evaluate(f"!!document.activeElement?.matches({what!r})"):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {what}")

    reach("#plots .pick input[type=search]")
    page.keyboard.type("angle")
    reach("#plots .list input[type=checkbox]")
    page.keyboard.press("Space")
    until(page, "studio.results.pages.drawn[0]?.u")
    page.locator("#tab-plots").focus()
    reach("#plots .page-tabs button")
    page.keyboard.press("F2")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Control+a")
    page.keyboard.type("angles")
    page.keyboard.press("Enter")
    until(page, "studio.results.pages.pages[0].name === 'angles' && !document.querySelector('dialog')")
    for _ in range(12):
        page.keyboard.press("F6")
        if page.evaluate("!!document.activeElement?.closest('#bottom')"):
            break
    soon(page, "!!document.activeElement?.closest('#bottom')")
    page.locator("#tab-peaks").focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#peaks tbody tr').length > 3")
    reach("#peaks tbody button")
    page.keyboard.press("Enter")
    soon(page, "studio.chosen.size", 1)
    reach_player = page.locator("#export")
    reach_player.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".menu .item")
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('.menu') && document.activeElement.id === 'export'")
    page.locator("#canvas").focus()
    page.keyboard.press("Space")
    until(page, "studio.results.playing")
    page.keyboard.press("Space")
    until(page, "!studio.results.playing")

"""Results in the Studio: pages of plots kept with the project, runs over each other, what is worked out of curves,
phase plots, tables, what is exported."""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, until, window  # noqa: E402


@pytest.fixture(scope="module")
def place(shop):
    """The project and the numbers of two runs of the four-bar: as it is, and with a heavier coupler."""
    # plots that another test has left with the project
    (shop.folder / ".holonom" / "four_bar.adm.pages.json").unlink(missing_ok=True)
    page, numbers = shop.opened("four_bar.adm", 1400, 900), []
    for heavier in (False, True):
        if heavier:
            page.evaluate(
                "studio.edit({do: 'set', kind: 'PART', id: 3, field: 'mass', value: String(2 * MASS)})".replace(
                    "MASS", mass(page)
                )
            )
        before = page.evaluate("document.body.dataset.results || ''")
        page.locator("#run-end").fill("1")
        page.locator("#run-steps").fill("127")
        page.locator("#run").click()
        until(page, f"(document.body.dataset.results || '') !== '{before}'", 180)
        soon(page, "document.body.dataset.problem", "")
        numbers.append(int(page.evaluate("document.body.dataset.results")))
    yield shop.address, shop.folder, numbers
    page.evaluate("studio.link.ask('undo')")
    until(page, "!studio.file.changed")


@pytest.fixture(scope="module")
def page(shop, place):
    shop.page.locator("#tab-plots").click()
    yield shop.page
    assert not shop.page.faults


def mass(page):
    return page.evaluate(
        "studio.link.ask('element', {kind: 'PART', id: 3}).then((r) => String(r.element.rows.find((x) => x.name === "
        "'mass').value))"
    )


def stored(place, which):
    """The first or the second of the two runs."""
    return hn.load(place[1] / ".holonom" / "runs" / f"{place[2][which - 1]:04d}" / "run.h5")


def kept(place):
    """Plots of the first page as the project keeps them; the page saves a moment after each change."""
    return json.loads((place[1] / ".holonom" / "four_bar.adm.pages.json").read_text())[0]["plots"]


def drawn(page, n=0):
    """What a plot of the page shows: name -> (x, y)."""
    until(page, f"studio.results.pages.drawn[{n}]?.u")
    found = page.evaluate(f"studio.results.pages.drawn[{n}].curves().map((c) => [c.name, [...c.x], [...c.y]])")
    return {name: (np.array(x), np.array(y, float)) for name, x, y in found}


def curve(page, name):
    """The row of a quantity in the list."""
    page.locator("#plots .pick input[type=search]").fill(name.rsplit(".", 1)[0].removesuffix(".|mag|"))
    return page.locator(f"#plots label[data-row='{name}']").first


def dragged(page):
    """Drag the torque of the motor into the plots; its name."""
    name = page.evaluate(
        "studio.results.run.quantities.find((q) => q[1].endsWith('.torque') && q[2][0] === 'MOTION')[1]"
    )
    curve(page, f"{name}.z").drag_to(page.locator("#plots .canvas"))
    until(page, "studio.results.pages.drawn[0]?.u")
    return name


@pytest.fixture
def plot(page):
    """The page has a plot, whichever tests ran before in this process."""
    if not page.evaluate("studio.results.pages.drawn.length"):
        dragged(page)


def test_a_quantity_is_dragged_into_a_plot_and_kept_with_the_project(page, place):
    name = dragged(page)
    run = stored(place, 2)
    soon(
        page,
        lambda: [
            np.array_equal(x, run.time) and np.array_equal(y, run.curve(f"{name}.z").values)
            for x, y in drawn(page).values()
        ],
        [True],
    )
    force = curve(page, f"{name.rsplit('.', 1)[0]}.force.x")
    force.locator("input").check()  # newtons have no position on an axis of newton metres
    until(page, "studio.results.pages.drawn.length === 2")
    names = lambda: [[c["name"] for c in p["curves"]] for p in kept(place)]
    soon(page, names, [[name], [f"{name.rsplit('.', 1)[0]}.force"]])
    page.locator("#plots .cell-close").nth(1).click()
    until(page, "studio.results.pages.drawn.length === 1")


def test_a_quantity_of_another_unit_dropped_on_a_plot_has_an_axis_on_the_right(page, place, plot):
    name = page.evaluate("studio.results.pages.pages[0].plots[0].curves[0].name")
    run, other = (
        stored(place, 2),
        page.evaluate("studio.results.run.quantities.find((q) => q[1].endsWith('.force') && q[2]?.[0] === 'JOINT')[1]"),
    )
    page.evaluate("(c) => studio.results.pages.put([c], 0, 'second')", {"name": other, "part": "x"})
    until(page, "studio.results.pages.drawn.length === 1 && studio.results.pages.drawn[0]?.u?.scales.y2")
    scales = page.evaluate(
        "['y', 'y2'].map((k) => { const s = studio.results.pages.drawn[0].u.scales[k]; return [s.min, s.max]; })"
    )
    for (low, high), values in zip(scales, (run.curve(f"{name}.z").values, run.curve(f"{other}.x").values)):
        pad = 0.04 * np.ptp(values)  # each axis is that of its own curve
        assert (low, high) == pytest.approx((values.min() - pad, values.max() + pad), rel=1e-6)
    soon(page, "studio.results.pages.drawn[0].u.series.map((s) => s.scale)", ["x", "y", "y2"])
    labels = page.locator("#plots .plot-ylabel").first.text_content()
    assert labels.startswith("torque (N·m)") and "force (N)" in labels
    svg, head = page.evaluate(
        "[studio.results.pages.drawn[0].svg(), studio.results.pages.drawn[0].csv().split('\\r\\n')[0]]"
    )
    assert "torque (N·m)" in svg and "force (N)" in svg and head.endswith(f"{name}.z (N·m),{other}.x (N)")
    soon(page, lambda: [len(p["curves"]) for p in kept(place)], [2])
    page.evaluate("studio.results.pages.off(studio.results.pages.pages[0].plots[0].curves[1])")
    until(page, "studio.results.pages.drawn[0]?.u && !studio.results.pages.drawn[0].u.scales.y2")


def test_runs_stand_over_each_other_and_their_difference_is_that_of_numpy(page, place, plot):
    page.evaluate("studio.results.pages.heads()")
    page.locator(".runs summary").click()
    first, second = place[2]
    page.locator(f"[data-run='{first}']").check()
    until(page, "studio.results.pages.drawn[0]?.raw.length === 2")
    page.locator(".runs summary").click()
    name = page.evaluate("studio.results.pages.pages[0].plots[0].curves[0].name")
    one, two = (stored(place, n).curve(f"{name}.z").values for n in (1, 2))
    assert np.abs(one - two).max() > 1e-3 * np.abs(one).max()
    page.locator("#plots .plot-button", has_text="⋯").first.click()
    page.locator(".plot-panel select").nth(1).select_option("1")
    shown = lambda: [y for _, y in drawn(page).values()]
    soon(page, lambda: len(shown()) == 1 and np.allclose(shown()[0], two - one, rtol=1e-12, atol=1e-12))
    page.locator(".plot-panel select").nth(1).select_option("-1")
    page.locator(".plot-panel select").nth(0).select_option("derivative")
    derived = lambda: next(y for k, (_, y) in drawn(page).items() if k.endswith(f"run {second}"))
    want = np.gradient(two, stored(place, 2).time)
    soon(page, lambda: np.allclose(derived()[1:-1], want[1:-1], rtol=1e-9, atol=1e-9 * np.abs(want).max()))
    soon(page, lambda: kept(place)[0]["state"]["change"], "derivative")
    page.locator(".plot-panel select").nth(0).select_option("")
    page.locator("#plots .plot-button", has_text="⋯").first.click()


def test_a_click_in_a_plot_moves_the_machine_and_the_player_the_line(page, plot):
    box = page.locator("#plots .plot-over").first.bounding_box()
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 20)
    soon(page, "studio.results.time", pytest.approx(0.25, abs=0.01))
    page.evaluate("studio.results.seek(0.75)")
    soon(page, "studio.results.pages.drawn[0].now", 0.75)


@pytest.mark.slow
def test_curves_over_each_other_follow_the_player(page, place, plot):
    name = page.evaluate("studio.results.pages.pages[0].plots[0].curves[0].name")
    page.locator("#plots .cell-axis").first.click()
    page.get_by_role("menuitem", name=f"{name}.x", exact=True).click()
    until(page, "studio.results.pages.drawn[0]?.o.phase")
    run = stored(place, 2)
    page.evaluate("studio.results.seek(studio.results.data.values().next().value.t[64])")
    at = page.evaluate(
        "(() => { const d = studio.results.pages.drawn[0]; return d.place(d.list[0], studio.results.time); })()"
    )
    assert at == [run.curve(f"{name}.x").values[64], run.curve(f"{name}.z").values[64]]
    page.locator("#plots .cell-axis").first.click()
    page.get_by_role("menuitem", name="time", exact=True).click()
    until(page, "studio.results.pages.drawn[0] && !studio.results.pages.drawn[0].o.phase")


def test_tables_of_reactions_are_those_of_the_run(page, place):
    run = stored(place, 2)
    page.locator("#tab-peaks").click()
    page.locator("#table-pick").select_option("reactions")
    table = run.reactions(forces=True)
    row = table.rows[0]
    cells = page.locator(f"#peaks tr[data-element='{row['kind']}/{row['id']}'] td")
    until(page, "document.querySelectorAll('#peaks thead th').length === 13")
    values = [float(cells.nth(k).get_attribute("data-value")) for k in range(1, 7)]
    assert values == pytest.approx([row["peak_force"], row["force_time"], *row["force"], row["rms_force"]], rel=1e-12)
    page.evaluate("studio.results.seek(studio.results.motion.times[40])")
    page.locator("#table-pick").select_option("now")
    until(page, "document.querySelectorAll('#peaks thead th').length === 7")
    key = (str(row["kind"]), int(row["id"]))
    k = [c[:2] for c in run.data.constraints].index(key)
    cells = page.locator(f"#peaks tr[data-element='{key[0]}/{key[1]}'] td")
    soon(
        page,
        lambda: [float(cells.nth(n).get_attribute("data-value")) for n in range(1, 4)],
        list(run.data.constraint_force[40, k]),
    )
    page.locator("#tab-plots").click()


@pytest.mark.slow
def test_a_film_gltf_and_report_are_written_into_the_project(page, place):
    folder = place[1]
    for item, file, more in (
        ("Film (GIF) ...", "a.gif", {"fps": "5"}),
        ("Motion as glTF (.glb) ...", "a.glb", {}),
        ("Report (HTML) ...", "a.html", {}),
    ):
        page.locator("#export").click()
        page.get_by_role("menuitem", name=item).click()
        page.locator("#a-file").fill(file)
        for name, value in more.items():
            page.locator(f"#a-{name}").fill(value)
        page.locator("#dialog-ok").click()
        until(page, f"document.getElementById('notice').textContent === 'Written: {file}'", 120)
    with Image.open(folder / "a.gif") as film:
        assert film.n_frames == 6 and film.size == (640, 480)
    assert struct.unpack_from("<4sI", (folder / "a.glb").read_bytes()) == (b"glTF", 2)
    assert "<!doctype html>" in (folder / "a.html").read_text()[:40]
    answer = page.evaluate(
        "studio.link.ask('export', {run: RUN, file: '../b.gif'}).catch((e) => e.message)".replace(
            "RUN", str(place[2][1])
        )
    )
    assert (
        "outside" in answer
        and page.evaluate("studio.link.ask('export', {run: RUN, file: 'a.gif'})".replace("RUN", str(place[2][1])))[
            "exists"
        ]
        == "a.gif"
    )


@pytest.mark.slow
def test_pages_come_back_in_another_window_and_earlier_runs_too(page, place, shop):
    other = window(shop.chromium, place[0])
    soon(other, "studio.results.pages.pages", page.evaluate("studio.results.pages.pages"))
    other.locator("#tab-plots").click()
    other.locator("#page-new").click()
    until(page, "studio.results.pages.pages.length === 2")
    assert not other.faults
    other.close()

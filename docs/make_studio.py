"""Pictures of the Studio for its pages, at three sizes in both themes, and what axe-core says of each:

    python docs/make_studio.py [folder [part ...]]

Parts: drawing, edit, bending, views, screens, study, studies (all of them without a name).

Needs Chromium, Playwright and axe-playwright-python (the extra ``test``).  The crane is run for two seconds; its plots,
tables, script and properties are checked.
"""

from __future__ import annotations

import io
import sys
import tempfile
from importlib import resources
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tests" / "studio")]
from _open import browser, example, studio, until, window  # noqa: E402

SIZES = {1280: 800, 1920: 1080, 800: 900}
#: of the pictures that compare widths and themes, and the width at which the page shows them
SCREENS = {1024: 720, 1280: 800, 1920: 1080}
SHOWN = 760
KEPT = {
    (1280, "dark", "plots"): "plots",
    (1280, "light", "tables"): "tables",
    (1280, "light", "script"): "script",
    (1280, "light", "plots"): "studio",
    (1920, "light", "plots"): "wide",
    (800, "dark", "plots"): "narrow",
}
#: what is checked: name -> what the page does before
VIEWS = {
    "plots": "studio.choose(['JOINT/9'], false, true); studio.results.tab('plots')",
    "tables": "studio.results.table = 'reactions'; studio.results.tab('peaks')",
    "script": "studio.results.tab('script')",
    "part": "studio.choose(['PART/15'], false, true); studio.view.gizmo.set('translate')",
}
PAGES = [
    {
        "name": "Lift",
        "plots": [
            {"curves": [{"name": "lift cylinder eye.force", "part": "|magnitude|"}], "x": None, "state": {}},
            {"curves": [{"name": "lift cylinder eye.force", "part": c} for c in "xyz"], "x": None, "state": {}},
            {
                "curves": [{"name": "crate (PART/15).position", "part": "z"}],
                "x": {"name": "crate (PART/15).position", "part": "x"},
                "state": {},
            },
            {
                "curves": [{"name": "lift cylinder eye.force", "part": "|magnitude|"}],
                "x": None,
                "state": {"change": "derivative"},
            },
        ],
    }
]


AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()


def table(page, folder: Path) -> None:
    """A spline in its table, with its curve."""
    page.evaluate("studio.theme('light')")
    x = [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]
    given = {"name": "bump stop", "x": ", ".join(map(str, x)), "y": ", ".join(f"{2e5 * v + 4e7 * v**3:.6g}" for v in x)}
    page.evaluate("(given) => studio.edit({do: 'create', method: 'spline', arguments: given})", given)
    until(page, "studio.tree.items.has('SPLINE/1')")
    page.evaluate("studio.choose(['SPLINE/1'], false, true)")
    page.locator("#p-table").click()
    page.wait_for_selector(".table-plot .u-over")
    page.wait_for_timeout(600)
    save(page, folder, "table")
    page.keyboard.press("Escape")
    page.evaluate("studio.link.ask('undo')")


def save(page, folder: Path, name: str, width: int = 0) -> None:
    """What the page shows, as a picture of the documentation; ``width``: of the picture, where it is smaller."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    if width and picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    picture.save(folder / f"{name}.webp", quality=78)


def complaints(page) -> list:
    """What axe-core says of a page."""
    page.evaluate(AXE + "; 1")
    return page.evaluate(
        "axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 140)]))"
    )


def ran(page) -> None:
    """The crane runs for two seconds, with its pages of plots."""
    page.evaluate("(pages) => studio.link.ask('pages', { pages })", PAGES)
    page.locator("#run-end").fill("2")
    page.locator("#run-steps").fill("80")
    page.locator("#run").click()
    until(page, "document.body.dataset.results", 400)
    until(page, "studio.results.run && studio.results.motion", 60)


def screens(chromium, folder: Path) -> int:
    """The crane with its largest loads and one plot, at three widths in both themes; returns the complaints."""
    project, wrong = Path(tempfile.mkdtemp()), 0
    with studio(project, example("crane", project)) as address:
        page = window(chromium, address, 1280, 800)
        ran(page)
        page.evaluate("studio.choose(['JOINT/9'], false, true); studio.results.tab('plots'); studio.results.seek(1.2)")
        page.wait_for_timeout(6500)  # the note that the run has ended is gone
        for width, height in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                page.evaluate(f"studio.theme('{theme}')")
                page.wait_for_timeout(2500)
                save(page, folder, f"screen-{width}-{theme}", SHOWN)
                found = complaints(page)
                print(f"{width} {theme} screen: {len(found)} complaints {found or ''}", flush=True)
                wrong += len(found)
        print(f"screens: errors of the console: {page.faults}")
        wrong += len(page.faults)
        page.close()
    return wrong


def study(chromium, folder: Path) -> int:
    """The parameters of a mass on a spring with a study of two of them; returns the complaints."""
    with studio(Path(tempfile.mkdtemp())) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.theme('light'); studio.start.template('spring_mass')")
        until(page, "studio.tree.items.has('SPRINGDAMPER/1') && studio.view.version === studio.file.version")
        page.evaluate("document.documentElement.style.setProperty('--bottom', '58vh')")
        page.locator("#tab-parameters").click()
        until(page, "!!document.getElementById('sweep-2-key')")
        page.locator("#sweep-key").select_option("SPRINGDAMPER/1.k")
        page.locator("#sweep-2-key").select_option("SPRINGDAMPER/1.c")
        for name, value in (("sweep-count", 4), ("sweep-2-count", 2), ("run-end", 0.5), ("run-steps", 100)):
            page.locator(f"#{name}").fill(str(value))
        page.locator("#sweep").click()
        until(page, "document.body.dataset.study", 600)
        page.evaluate("studio.view.fit()")
        page.wait_for_timeout(6500)  # the note has gone
        save(page, folder, "parameters")
        wrong = complaints(page)
        print(f"study: {len(wrong)} complaints {wrong or ''}; {page.faults}", flush=True)
        page.close()
    return len(wrong)


def panels(page, folder: Path) -> None:
    """Two views, with the results docked on the right."""
    page.evaluate("studio.theme('light'); studio.layout.dock('bottom', 'right'); studio.view.second.toggle(true)")
    page.evaluate("studio.results.tab('peaks'); studio.choose(['JOINT/9'], false, true); studio.results.seek(1.2)")
    until(page, "document.querySelectorAll('#peaks tbody tr').length > 3")
    page.wait_for_timeout(1200)
    save(page, folder, "panels")
    page.evaluate("studio.layout.reset(); studio.view.second.toggle(false)")


def vehicle(page, folder: Path) -> None:
    """The page of a vehicle with a hardpoint that was moved, and its kinematics and compliance."""
    page.evaluate("studio.theme('light'); studio.vehicles.open('sedan')")
    field = page.locator("[data-point='front.tie_rod_inner'][data-component='2']")
    field.fill(str(float(field.input_value()) + 10.0))
    field.press("Tab")
    page.locator("#vehicle-kc-run").click()
    until(page, "document.querySelectorAll('#vehicle-kc img').length === 2", 400)
    page.wait_for_timeout(800)
    save(page, folder, "vehicle")
    page.evaluate("studio.vehicles.close()")


def edit(chromium, folder: Path) -> None:
    """A function of the crane that is not finished, with its error."""
    project = Path(tempfile.mkdtemp())
    with studio(project, example("crane", project)) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.theme('light')")
        until(page, "/18 degrees of freedom/.test(document.body.textContent)")
        page.evaluate("studio.choose(['MOTION/2'], false, true)")
        page.locator("#p-MOTION-function").fill("STEP5(TIME,10,0,19,-0.15")
        until(page, "/found the end/.test(document.body.textContent)")
        page.wait_for_timeout(900)
        save(page, folder, "edit")
        page.keyboard.press("Escape")
        page.close()


def bending(chromium, folder: Path) -> None:
    """A four-bar linkage whose coupler is flexible, coloured by its stress."""
    from examples.flexible_four_bar import build

    project = Path(tempfile.mkdtemp())
    file = project / "flexible_four_bar.json"
    file.write_text(build().to_json(), encoding="utf-8")
    with studio(project, file) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.theme('light')")
        until(page, "!/checking the model/.test(document.body.textContent)")
        page.locator("#run-end").fill("0.1")
        page.locator("#run-steps").fill("100")
        page.locator("#run").click()
        until(page, "document.body.dataset.results", 240)
        until(page, "studio.results.run && studio.results.motion", 60)
        page.evaluate("studio.results.tab('console'); studio.results.seek(0.08)")
        page.wait_for_timeout(6000)  # the note that the run has ended is gone
        save(page, folder, "bending")
        page.close()


def drawing(chromium, folder: Path) -> None:
    """The start page, and a slider-crank while it is drawn."""
    with studio(Path(tempfile.mkdtemp())) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.theme('light'); studio.view.show.symbols = true")
        until(page, "!/checking the model/.test(document.body.textContent)")
        page.wait_for_timeout(1500)
        save(page, folder, "start")
        page.locator("#template-slider_crank").click()
        until(page, "studio.tree.items.has('MOTION/1') && studio.view.version === studio.file.version")
        until(page, "!/checking the model/.test(document.body.textContent)")
        page.locator("#tool-joint").click()
        page.wait_for_timeout(800)
        at = page.evaluate("(() => { const d = studio.draw, p = d.origin.negate(); p.x += 0.4; return d.pixel(p); })()")
        page.mouse.move(at[0] + 1, at[1])
        page.mouse.move(*at)
        page.wait_for_timeout(600)
        save(page, folder, "drawing")
        page.keyboard.press("Escape")
        page.close()


def views(chromium, folder: Path) -> int:
    """The crane at three sizes in both themes; returns how many complaints there are."""
    project, wrong, first = Path(tempfile.mkdtemp()), 0, True
    with studio(project, example("crane", project)) as address:
        for width, height in SIZES.items():
            page = window(chromium, address, width, height)
            if first:
                ran(page)
                first = False
            until(page, "studio.results.run && studio.results.motion", 60)
            page.evaluate("document.documentElement.style.setProperty('--bottom', '52vh')")
            for theme in ("light", "dark"):
                page.evaluate(f"studio.theme('{theme}')")
                for name, act in VIEWS.items():
                    page.evaluate(f"{act}; studio.results.seek(1.2)" if name != "part" else act)
                    page.wait_for_timeout(900)
                    kept = KEPT.get((width, theme, name))
                    if kept:
                        save(page, folder, kept)
                    found = complaints(page)
                    print(f"{width} {theme} {name}: {len(found)} complaints {found or ''}", flush=True)
                    wrong += len(found)
                page.evaluate("studio.view.gizmo.mode && studio.view.gizmo.set(studio.view.gizmo.mode)")
            if width == 1280:
                table(page, folder)
            if width == 1920:
                panels(page, folder)
                vehicle(page, folder)
            print(f"{width}: errors of the console: {page.faults}")
            wrong += len(page.faults)
            page.close()
    return wrong


def studies(chromium, folder: Path) -> int:
    """The page of studies with one that has ended; returns how many complaints there are."""
    import json

    import holonom as hn

    project = Path(tempfile.mkdtemp())
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    length = model.parameter("length", 0.5, bounds=(0.25, 1.0), unit="m")
    rod = model.part("rod", 2.0, (0.001, 0.01, 0.01), position=(length, 0, 0))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    (project / "pendulum.json").write_text(model.to_json(), encoding="utf-8")
    given = {
        "model": "pendulum.json",
        "analyses": {"end": 0.6, "steps": 60},
        "measures": {"load": {"of": "pin.force", "reduce": "peak"}, "angle": {"of": "pin.angle", "reduce": "last"}},
        "parameters": {
            "length": {"bounds": [0.25, 1.0], "unit": "m"},
            "PART/2.MASS": {"bounds": [1.0, 3.0], "unit": "kg"},
        },
        "where": ["length <= 0.9"],
        "workers": 1,
        "stages": [{"design": "latin_hypercube", "count": 60}, {"tornado": 0.5}, {"minimize": "load"}],
    }
    (project / "swing.json").write_text(json.dumps(given), encoding="utf-8")
    wrong = 0
    with studio(project, project / "swing.json") as address:
        page = window(chromium, address, 1280, 900)
        page.locator("#study-start").click()
        until(page, "document.body.dataset.studyState === 'finished'", 300)
        until(page, "document.body.dataset.studyFigures === document.body.dataset.studyRuns", 60)
        for theme in ("dark", "light"):
            page.evaluate(f"studio.theme('{theme}')")
            page.wait_for_timeout(600)
            found = complaints(page)
            print(f"studies {theme}: {len(found)} complaints {found or ''}", flush=True)
            wrong += len(found)
        save(page, folder, "studies")
        print(f"errors of the console: {page.faults}")
        wrong += len(page.faults)
        page.close()
    return wrong


PARTS = {part.__name__: part for part in (drawing, edit, bending, views, screens, study, studies)}


def main(folder: Path, names: list[str]) -> int:
    """Make the pictures of some parts; returns how many complaints there are."""
    with browser() as chromium:
        return sum(PARTS[name](chromium, folder) or 0 for name in names or PARTS)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "studio"
    place.mkdir(parents=True, exist_ok=True)
    sys.exit(1 if main(place, sys.argv[2:]) else 0)

"""The documentation as a whole: links, navigation, gallery, reference, what is printed on pages, the site itself."""

import importlib
import importlib.util
import inspect
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
MODELS = ROOT / "src" / "holonom" / "models"
FENCE = re.compile(r"^( *)```.*?^\1```[^\n]*$", re.M | re.S)
name_of = lambda page: str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name


# ---- links ----------------------------------------------------------------------------------------------------------
def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"(`+)[^`\n]+?\1", "", FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Anchors of headings as GitHub and the site make them, and those given by hand."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    out = set(re.findall(r'(?:id|name)="([^"]+)"', text))
    for title in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        out.add(re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-"))
    return out


def faults(page: Path) -> list[str]:
    """Links of a page to files, pictures or anchors that are not there."""
    text, out = prose(page), []
    targets = re.findall(r"\]\(<?([^)\s>]+)>?(?: +\"[^\"]*\")?\)", text) + re.findall(
        r'<(?:img|a)\b[^>]*?(?:src|href)="([^"]+)"', text
    )
    targets += re.findall(r"^\[[^\]]+\]: +(\S+)", text, re.M)
    for target in targets:
        if re.match(r"(https?|mailto):", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        if not there.is_file():
            out.append(f"{target}: no such file")
        elif anchor and there.suffix == ".md" and anchor not in anchors(there):
            out.append(f"{target}: {there.name} has no heading of that anchor")
    return out


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links(page):
    assert faults(page) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "there.md").write_text("# A heading, and `code`\n\n```\n# none\n```\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md) [b](there.md#a-heading-and-code) [c](gone.md) [d](there.md#none) ![e](gone.png) [f](#here) "
        "[g](#nowhere)\n"
        '<img src="lost.png"> `[h](code.md)` [i](https://example.org/none)\n\n## Here\n\n```\n[j](fence.md)\n```\n'
    )
    assert [f.split(":")[0] for f in faults(page)] == ["gone.md", "there.md#none", "gone.png", "#nowhere", "lost.png"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_lists_are_lists_in_the_site(page):
    """Markdown of the site begins a list only after an empty line, GitHub's anywhere."""
    lines = FENCE.sub("", page.read_text(encoding="utf-8")).splitlines()
    item = re.compile(r" *([-*+]|\d+\.) ")
    for above, line in zip(lines, lines[1:]):
        if item.match(line) and above.strip() and not item.match(above) and not above.startswith("  "):
            raise AssertionError(f"an empty line is missing above: {line}")


# ---- navigation, gallery, reference ----------------------------------------------------------------------------------
def test_the_navigation_follows_the_subjects_of_the_index():
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    by_nav = [re.findall(r"[\w/.-]+\.md", part) for part in re.split(r"^  - ", nav, flags=re.MULTILINE)[1:]]
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    by_index = [re.findall(r"\]\(([\w/.-]+\.md)", part) for part in index.split("\n## ")[1:]]
    by_index = [[{"../CHANGELOG.md": "changelog.md"}.get(page, page) for page in pages] for pages in by_index]
    assert [[p for p in pages if p != "index.md"] for pages in by_nav[:-1]] == by_index[:-1]
    assert by_nav[-1][0] == by_index[-1][0] == "api/index.md"


def test_every_page_is_in_the_navigation():
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"[\w/.-]+\.md", nav)
    written = {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")} | {
        "changelog.md"
    }  # this one is CHANGELOG.md
    assert len(set(listed)) == len(listed)
    assert set(listed) == written


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("make_gallery", DOCS / "make_gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gallery_is_fresh(gallery):
    """``python docs/make_gallery.py`` writes it, and the pictures that are missing."""
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery.page()
    pictures = {p.stem: p.stat().st_size for p in gallery.PICTURES.iterdir()}
    assert sorted(pictures) == gallery.names()
    assert max(pictures.values()) < gallery.LARGEST and sum(pictures.values()) < 1_000_000


def test_pictures_show_something(gallery):
    """No picture is empty: a viewer that failed leaves one colour and a grid."""
    image = pytest.importorskip("PIL.Image", reason="Pillow comes with Matplotlib")
    import numpy as np

    for name in gallery.names():
        with image.open(gallery.PICTURES / f"{name}.webp") as picture:
            assert picture.size == (gallery.WIDTH, gallery.HEIGHT)
            a = np.asarray(picture.convert("RGB"), float)
        other = np.abs(a - a[:4, :4].mean(axis=(0, 1))).max(axis=2) > 70  # grid lines are paler
        assert other.mean() > 0.01, f"{name}: {other.mean():.4f} of the picture is not background"


def test_text_of_docstrings_is_no_markup(gallery):
    assert gallery.plain("a_b * c < `d_e`\n    x = y*z\nend") == "a\\_b \\* c \\< `d_e`\n\n    x = y*z\n\nend"


def directives() -> list[str]:
    return [
        word
        for p in (DOCS / "api").glob("*.md")
        for word in re.findall(r"^::: (\S+)", p.read_text(encoding="utf-8"), re.M)
    ]


def test_reference_has_every_public_name():
    """Each directive leads to an object, and what `holonom` exports, what a `Run` returns and the settings of a model
    are among them."""
    import holonom as hn
    from holonom import durability, formats, machinery, rail, results, structures, studies, vehicle
    from holonom.model import settings

    found = []
    for path in directives():
        module, _, name = path.rpartition(".")
        found.append(getattr(importlib.import_module(module), name))
        assert getattr(found[-1], "__module__", module) == module and found[-1].__doc__, path  # a module has none
    assert len(set(map(id, found))) == len(found)
    wanted = [getattr(hn, name) for name in hn.__all__] + [
        getattr(m, name) for m in (machinery, durability) for name in m.__all__
    ]
    wanted += [
        thing
        for m in (studies, structures, vehicle, results, formats, rail)
        for thing in (getattr(m, name) for name in m.__all__)
        if isinstance(thing, type) or inspect.isfunction(thing)
    ]
    wanted += [c for c in vars(settings).values() if isinstance(c, type) and c.__name__.endswith("Settings")]
    model = hn.Model()
    wanted += [
        type(getattr(model, s)) for s in ("integrator", "equilibrium", "kinematics", "initial", "rigid", "units")
    ]
    pages = [f.__name__ for f in found if inspect.ismodule(f)]  # with their functions and classes
    shown = lambda w: any(w is f for f in found) or (not inspect.ismodule(w) and w.__module__ in pages)
    wanted = [getattr(w, "__wrapped__", w) for w in wanted]  # of functions whose calls are explained (`model.calls`)
    assert [w.__name__ for w in wanted if not shown(w)] == []


def test_packages_of_pages_are_attributes_of_holonom():
    """Each ``hn.package.name`` that a page writes exists, and its package is a public name, so that no other import is
    needed."""
    import holonom as hn

    pages = "\n".join(
        p.read_text(encoding="utf-8") for p in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    )
    used = set(re.findall(r"\bhn\.([a-z_]+)\.([A-Za-z_]\w*)", pages))
    names = {package for package, _ in used if (ROOT / "src/holonom" / package).is_dir()}
    assert {"results", "studies"} <= names <= set(hn.__all__)
    for package, name in used:
        if package in names:
            assert hasattr(getattr(hn, package), name), f"hn.{package}.{name}"


def test_reference_has_every_method_of_a_model():
    """By the classes that define them; and what a class says of itself is there to be read."""
    import holonom as hn
    from holonom.model.builder import Kinds

    shown = set(directives())
    for name in dir(hn.Model):
        if name[0] != "_":
            home = next(c for c in hn.Model.__mro__ if name in vars(c))
            home = getattr(hn.Model, name) if home is Kinds else home  # its function is in the file of the kind
            assert f"{home.__module__}.{home.__qualname__}" in shown, name
    assert [n for n in dir(hn.Run) if n[0] != "_" and not getattr(hn.Run, n).__doc__] == []


def test_reference_has_every_element_that_a_builder_returns():
    """By the annotations of the builder's methods."""
    from holonom.model import ELEMENT_TYPES, Model

    classes = {c.__name__ for c in ELEMENT_TYPES.values()}
    returned = {
        str(getattr(Model, n).__annotations__.get("return", ""))
        for n in dir(Model)
        if callable(getattr(Model, n)) and n[0] != "_"
    }
    wanted = {w for text in returned for w in re.findall(r"\w+", text)} & classes
    assert len(wanted) > 20
    assert wanted <= {path.rpartition(".")[2] for path in directives()}


# ---- what is printed on pages ----------------------------------------------------------------------------------------
def test_five_minutes_print_what_the_page_shows(tmp_path, monkeypatch):
    """Every ``text`` block is what the ``python`` block above it prints: words alike, numbers in their digits."""
    page = DOCS / "five-minutes.md"
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    names, printed, compared = {}, "", 0
    for kind, text in blocks:
        if kind == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(text, str(page), "exec"), names)
            printed = out.getvalue()
        elif kind == "text":
            steps = re.compile(r"solver: \d+ steps, \d+ rejected")  # of the method, not of the machine
            assert steps.sub("solver", printed) == steps.sub("solver", text)
            compared += 1
    assert compared == 3
    # the angle on the page, by the equation of the pendulum
    import numpy as np
    from scipy.integrate import solve_ivp

    rate = 2.0 * 9.80665 * 0.5 / (0.167 + 2.0 * 0.25)
    fall = solve_ivp(lambda t, y: [y[1], rate * np.cos(y[0])], (0, 0.3), [0, 0], rtol=1e-10, atol=1e-12).y[0, -1]
    shown = float(re.search(r"at 0.3 s it is ([\d.]+) degrees", page.read_text(encoding="utf-8"))[1])
    assert shown == pytest.approx(np.degrees(fall), abs=0.01)


def lines_of(page: Path) -> list[list[str]]:
    """Command lines of `holonom` on a page, as words."""
    text = "\n".join(re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S))
    return [shlex.split(line, comments=True)[1:] for line in text.splitlines() if line.startswith("holonom ")]


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "five-minutes.md"], ids=name_of)
def test_command_lines_run(page, tmp_path, monkeypatch):
    """Each command line of the page, one after the other, where a shipped machine is called `machine`."""
    from typer.testing import CliRunner

    from holonom.cli import app

    monkeypatch.chdir(tmp_path)
    for suffix in (".adm", ".acf"):
        shutil.copy(MODELS / f"slider_crank{suffix}", tmp_path / f"machine{suffix}")
    lines = lines_of(page)
    assert lines
    for words in lines:
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, f"holonom {' '.join(words)}\n{result.output}"
    if page.name == "README.md":
        assert {words[0] for words in lines} >= {"demo", "check", "run"} and (
            tmp_path / "results" / "report.html"
        ).exists()


# ---- the site --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built as `make docs` does: a warning of MkDocs is a failure."""
    tmp_path = tmp_path_factory.mktemp("built")
    for module in ("mkdocs", "material", "mkdocstrings_handlers.python"):
        try:
            importlib.import_module(module)
        except ImportError:
            pytest.skip(f"{module} is not installed: `make docs` installs the extra 'docs'")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "site"


@pytest.mark.slow  # the site takes half a minute to build
def test_pages_pass_axe(site):
    """Contrast, names and landmarks of pages of each type, wide and narrow, light and dark; none is wider than its
    window."""
    sync = pytest.importorskip("playwright.sync_api").sync_playwright
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    chromium = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if chromium is None:
        pytest.skip("Chromium is not installed")
    found = []
    with sync() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme, width in (("light", 1400), ("dark", 400)):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            for name in ("index", "command-line", "contact", "studies", "api/elements-forces"):
                page.goto((site / f"{name}.html").as_uri())
                page.wait_for_timeout(300)  # names are given by a script
                violations = [(v["id"], v["nodes"][0]["target"]) for v in axe.run(page).response["violations"]]
                found += [(name, scheme, width, *v) for v in violations]
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    found.append((name, scheme, width, "wider than its window"))
        browser.close()
    assert found == []


@pytest.mark.slow
def test_the_site_is_complete(site):
    """No page fetches anything from a network; the reference has its methods, with arguments as lists."""
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    fetched = re.compile(
        r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//[^"]*"|<link\b[^>]*rel="(?:stylesheet|preconnect|icon)"[^>]*href="(?:https?:)?//[^"]*"'
    )
    for page in pages:
        assert fetched.search(page.read_text(encoding="utf-8")) is None, page.name
    model = "".join(p.read_text(encoding="utf-8") for p in (site / "api").glob("model*.html"))
    for method in (
        "builder.joints.Joints.revolute",
        "builder.forces.Forces.sforce",
        "solids.Solids.contact",
        "grains.Bulk.grains",
        "switches.Switches.stop",
    ):
        assert f'id="holonom.model.{method}"' in model
    assert "Joints.find" not in model and "Bodies.find" not in model  # a stand-in for the method of Model
    analyses = (site / "api" / "analyses.html").read_text(encoding="utf-8")
    assert "<li><code>end</code>: end time" in analyses  # arguments are items of a list
    assert 'href="examples/crane.html"' in (site / "gallery.html").read_text(encoding="utf-8")

"""What is published: metadata in one position each, a description that needs no repository, parts that are optional."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import holonom

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_version_is_written_once():
    assert "version" in PROJECT["project"]["dynamic"] and "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "holonom.__version__"}
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)[1]
    assert cited == holonom.__version__


def test_all_names_every_extra_of_users():
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.fullmatch(r"holonom\[(.+)\]", everything)[1].split(","))
    assert named == set(extras) - {"all", "test", "docs", "dev"}
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert [name for name in named if f"| `{name}` |" not in page] == []


def test_declared_versions_of_python_are_those_of_the_tests():
    declared = {c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if ":: Python :: 3." in c}
    assert "3.11" in declared and PROJECT["project"]["requires-python"] == ">=3.11"


@pytest.mark.parametrize("url", ["", "https://example.org/someone/holonom"])
def test_the_description_needs_no_repository(url):
    described = module(ROOT / "setup.py").long_description
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = described(readme, url)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all(t.startswith("https://") for t in targets)
    assert len(targets) == (len(re.findall(r"\]\(([^)\s]+)\)", readme)) if url else 0)
    code = re.findall(r"```.*?```", readme, re.S)
    assert re.findall(r"```.*?```", text, re.S) == code
    assert ("/raw/main/docs/pictures/" in text) == bool(url)
    assert (
        re.search(r"the README.*\(", described("see [the README](a.md) ![p](b.png) [x](https://y.z)", url)) or not url
    )
    assert "[x](https://y.z)" in described("[x](https://y.z)", url)


WITHOUT = """
import sys
for name in ("matplotlib", "trimesh"):
    sys.modules[name] = None  # as if they were not installed
import holonom as hn
import holonom.results, holonom.cli
from holonom.model.base import ModelError
try:
    import holonom.results.pictures.plots
except ModelError as error:
    print(error)
"""


def test_curves_name_their_extra_where_matplotlib_is_missing():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=300)
    assert done.stdout == "curves and reports need Matplotlib; run: pip install 'holonom[report]'\n", done.stderr


def test_matplotlib_is_imported_in_one_place():
    """Any other import would end with an ImportError where the extra is missing."""
    there = {
        path.name
        for path in (ROOT / "src").rglob("*.py")
        if re.search(
            r"^(?!\s*from matplotlib.backends.backend_svg)\s*(import|from) matplotlib",
            re.sub(r"^if TYPE_CHECKING:\n(?:[ ]{4}.*\n|\n)+", "", path.read_text(), flags=re.M),
            re.M,
        )
    }
    assert there == {"figures.py"}


@pytest.mark.slow
def test_sdist_and_wheel_pass_their_checks(tmp_path):
    """sdist and plain wheel are built without a network and checked by twine and check-wheel-contents."""
    for name in ("build", "twine", "check_wheel_contents"):
        pytest.importorskip(name)
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        release = module(ROOT / "tools" / "release.py")
    finally:
        sys.path.remove(str(ROOT / "tools"))
    files = release.built(tmp_path)
    assert sorted(f.suffix for f in files) == [".gz", ".whl"]
    release.checked(files)


def test_change_notes_are_named_as_they_are_collected():
    types = {t["directory"] for t in PROJECT["tool"]["towncrier"]["type"]}
    names = [p.name for p in (ROOT / "changes").glob("*.md") if p.name != "README.md"]
    assert [n for n in names if n.count(".") != 2 or n.split(".")[1] not in types] == []
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "<!-- towncrier release notes start -->" in text and f"## {holonom.__version__}" in text

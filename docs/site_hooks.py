"""What `mkdocs` is reported beyond mkdocs.yml: pages that are made of files outside docs/, and links to these."""

from __future__ import annotations

import importlib.util
import logging
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
#: files outside docs/ that have a page of their own in the site
PAGES = {"../CHANGELOG.md": "changelog.md", "../README.md": "index.md"}
LINK = re.compile(r"\]\((\.\./[^)\s#]+)")
log = logging.getLogger("mkdocs.hooks.holonom")


def gallery() -> Any:
    spec = importlib.util.spec_from_file_location("make_gallery", HERE / "make_gallery.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_files(files: Any, config: Any) -> Any:
    """The changes and the code of each example become pages."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    made = gallery()
    for name in made.names():
        files.append(File.generated(config, f"examples/{name}.md", content=made.code_page(name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that leave docs/ lead to the page that represents the file; a file without one is a fault."""

    def there(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), match.group(1)))
        if not target.startswith("../"):
            return match.group(0)
        place = PAGES.get(target) or re.sub(r"^\.\./(examples/\w+)\.py$", r"\1.md", target)
        if place.startswith("../"):
            log.warning(f"{page.file.src_uri}: {match.group(1)} leads to a file that has no page in the site")
        return f"]({posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or '.')}"

    return LINK.sub(there, markdown)

"""What `pyproject.toml` leaves to the build: the long description and the addresses of the project.

The README links to files of the repository, which a package index does not have.  The publisher names the place of the
repository in the environment variable HOLONOM_URL; links and pictures then become absolute.  Without it links become
their text, and pictures are left out.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:)([^)\s]+)\)")


def long_description(text: str, url: str = "") -> str:
    """The README without links to files that are not in the package; with absolute ones where ``url`` is given."""

    def changed(match: re.Match[str]) -> str:
        picture, label, target = match.groups()
        if url and not target.startswith("#"):
            return f"{picture}[{label}]({url.rstrip('/')}/{'raw' if picture else 'blob'}/main/{target})"
        return "" if picture else label

    return re.sub(r"\n{3,}", "\n\n", LINK.sub(changed, text))


def addresses(url: str) -> dict[str, str]:
    """Named addresses of the project, of its repository."""
    place = url.rstrip("/")
    return {"Source": place, "Changes": f"{place}/blob/main/CHANGELOG.md"} if place else {}


if __name__ == "__main__":
    site = os.environ.get("HOLONOM_URL", "")
    setup(
        long_description=long_description((ROOT / "README.md").read_text(encoding="utf-8"), site),
        long_description_content_type="text/markdown",
        project_urls=addresses(site),
    )

"""The public Adams files and what is known about them."""

import re
from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
ADAMS = SHARED / "adams"
DATASETS = sorted(ADAMS.glob("**/*.adm")) if ADAMS.is_dir() else []
SCRIPTS = sorted(ADAMS.glob("**/*.acf")) if ADAMS.is_dir() else []
COMMANDS = sorted(ADAMS.glob("**/*.cmd")) if ADAMS.is_dir() else []


def expected_counts() -> dict[str, tuple[dict[str, int], dict[str, int]]]:
    """Per file: counts of statements and of joint types, from the table of ADM_KEYWORDS.md."""
    out = {}
    for row in (SHARED / "ADM_KEYWORDS.md").read_text().splitlines():
        cells = [c.strip() for c in row.split("|")]
        if len(cells) >= 6 and cells[1].startswith("adams/") and cells[1].endswith(".adm"):
            pairs = [dict((k, int(n)) for k, n in re.findall(r"(\w+):(\d+)", cell)) for cell in (cells[3], cells[4])]
            out[cells[1]] = (pairs[0], pairs[1])
    return out


def plain(model) -> dict:
    """The model as plain data without the places of its statements."""
    data = model.to_dict()
    for rows in data["elements"].values():
        for row in rows:
            row.pop("source", None)
    return data

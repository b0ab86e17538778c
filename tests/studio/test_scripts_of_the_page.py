"""Scripts of the page: a name that is imported means one thing in its file."""

import re
from pathlib import Path

import pytest

import holonom.studio

WEB = Path(holonom.studio.__file__).with_name("web")
IMPORTED = re.compile(r"^import \{([^}]*)\}", re.MULTILINE)


def hidden(text):
    """Imported names that a script declares again, where the imported one cannot be called."""
    names = {n.split(" as ")[-1].strip() for found in IMPORTED.findall(text) for n in found.split(",")} - {""}
    declared = r"\b(?:const|let|var)\b[^;\n]*?(?<![\w.$]){0}\s*=(?![=>])|\bfunction {0}\b"
    return sorted(n for n in names if re.search(declared.format(re.escape(n)), text))


@pytest.mark.parametrize("file", sorted(WEB.glob("*.js")), ids=lambda f: f.stem)
def test_no_imported_name_is_declared_again(file):
    assert hidden(file.read_text(encoding="utf-8")) == []


def test_a_hidden_import_is_found():
    text = (
        'import { number, wanted as asked } from "./dom.js";\nfunction table() { const at = 1, number = () => at; }\n'
    )
    assert hidden(text) == ["number"]
    assert (
        hidden(text.replace("number =", "asked =")) == ["asked"] and hidden(text.replace(", number =", ", n =")) == []
    )

"""Prose that users and developers read: docstrings, comments and messages of the source, README and pages keep to
plain engineering English.

The table lists phrases that are not written any more, with what is written instead.  Phrases with a limit above zero
are being replaced: the test fails when their number grows, and the limit goes down with each pass."""

import ast
import bisect
import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("src/holonom", "examples", "benchmarks", "fuzz", "tools")

#: phrase -> (pattern, what to write, how many are left in Python sources, how many on pages)
PHRASES = {
    "is told": (r"\b(?:is|are|be|was|were|not) told\b", "is reported, a warning is issued", 1, 0),
    "told": (r"\b(?:told|tells|tell)\b", "reported, reports, gives; distinguish for tell apart", 12, 0),
    "without a word": (r"\bwithout a word\b", "silently", 0, 0),
    "beside": (r"\bbeside\b", "next to, in addition to, compared with", 7, 0),
    "parts that bend": (
        r"\b(?:parts?|surfaces?|bod(?:y|ies)) (?:that|which) bends?\b",
        "flexible bodies, flexible surfaces",
        0,
        0,
    ),
    "is no number": (
        r"\b(?:is|are) no (?:number|text|list|function|element|body|part|node|JSON|file|model|marker|shape|table)s?\b",
        "is not a number",
        2,
        0,
    ),
    "which it has not": (
        r"\b(?:it|they|\}'?|that|which|this one) (?:has|have) not(?=[,.;:]| ?$)",
        "does not have",
        0,
        0,
    ),
    "sizes that cannot be": (
        r"\b(?:sizes|numbers|values|counts|what) (?:that )?cannot be(?=[,.;:]| and |$)",
        "invalid, out of range",
        1,
        0,
    ),
    "mend it": (r"(?<![\w{])mend(?:s|ed|ing)?\b(?!\})", "fix, correct", 0, 0),
    "as asked": (r"\bas asked\b|\basked for\b", "requested, target, as requested", 4, 0),
    "asks for": (r"\basks? for\b", "requires, requests", 6, 0),
    "looked at": (r"\blook(?:s|ed)? at\b", "checked, evaluated", 6, 0),
    "what is said": (r"\b(?:is|are|be|was) said\b", "is reported, is specified", 4, 0),
    "says nothing": (r"\bsays? (?:so|nothing)\b", "reports this, gives no information", 0, 0),
    "honest numbers": (r"\bhonest(?:ly)?\b", "measured, verified", 0, 0),
    "that nobody put in": (r"\bthat nobody (?:put|sees|is)\b", "spurious", 0, 0),
    "slip of the pen": (r"\bslips? of the pen\b", "misspelt", 0, 0),
    "least distance": (r"\bleast distances?\b", "minimum distance, clearance", 0, 0),
    "lets go": (r"\blets? go\b", "releases", 2, 0),
    "who sleeps": (r"(?:^|[.:] )Who (?:sleeps|asks|makes)\b|^who sleeps", "a noun phrase", 0, 0),
}

#: terms of the field and ordinary English that contain a phrase: removed from a text before it is searched
EXCEPTIONS = re.compile(
    r"bending|bend radius|steady bend|bend of (?:a|the) road"  # of beams, and of roads
    r"|[Tt]here (?:is|are|was|were|be) no|(?:is|are) no (?:longer|more|less)"
    r"|``[^`]*``|`[^`]*`"  # names in code
)


#: a comment, or a string without its prefix: outside of them neither # nor quotes occur (`tokenize` takes five times as
#: long)
TOKEN = re.compile(r"""#[^\n]*|(\"{3}|'{3}|"|')(?:[^\\"']|\\.|(?!\1)["'])*\1""", re.S)


def _prose(path: Path):
    """(line, text) of docstrings, comments and strings with a blank in them; of a page its text without blocks of code,
    links and code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        text = re.sub(r"```.*?```", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S)
        yield from enumerate(re.sub(r"\]\([^)]*\)", "]", text).split("\n"), 1)
        return
    line, last = 1, 0
    for token in TOKEN.finditer(text):
        line, last = line + text.count("\n", last, token.start()), token.start()
        if token[0][0] == "#" or " " in token[0].strip():
            yield line, " ".join(token[0].split())


def _files(pages: bool) -> list[Path]:
    if pages:
        return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [p for folder in SOURCES for p in sorted((ROOT / folder).rglob("*.py"))]


@pytest.fixture(scope="module", params=[False, True], ids=["source", "pages"])
def texts(request):
    pages = request.param
    return pages, [
        (f"{path.relative_to(ROOT)}:{line}", EXCEPTIONS.sub(" ", text))
        for path in _files(pages)
        for line, text in _prose(path)
    ]


def test_no_phrase_of_the_table_is_new(texts):
    """No phrase of the table occurs more often than its limit."""
    pages, lines = texts
    wrong = []
    ends = list(itertools.accumulate(len(text) + 1 for _, text in lines))
    whole = "\n".join(text for _, text in lines)
    for phrase, (pattern, instead, *limits) in PHRASES.items():
        found = [
            lines[bisect.bisect_right(ends, match.start())][0] for match in re.finditer(pattern, whole, re.I | re.M)
        ]
        if len(found) > limits[pages]:
            wrong.append(
                f"'{phrase}': {len(found)} of at most {limits[pages]}; write {instead}. {', '.join(found[-8:])}"
            )
    assert not wrong, "\n".join(wrong)


def test_messages_count_in_the_right_number():
    """No text of the source has a fixed plural right behind the number 1."""
    wrong = []
    perhaps = re.compile(r"""1[\s"'f]*(?:bodies|parts|constraints|forces|contacts|messages)""")
    for path in _files(False):
        source = path.read_text(encoding="utf-8")
        if not perhaps.search(source):  # in one text, or in parts of one; spares the parser most files
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if re.search(r"(?<![\d.,/^*-])\b1 (?:bodies|parts|constraints|forces|contacts|messages)\b", node.value):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.value[:60]!r}")
    assert not wrong, "\n".join(wrong)


def test_no_module_names_a_table_after_nothing():
    """``KINDS``, ``TABLES`` and the like have had eleven meanings; a table is named after its content."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {name.id}"
        for path in _files(False)
        for source in [path.read_text(encoding="utf-8")]
        if "KINDS" in source or "TABLES" in source
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for name in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(name, ast.Name) and name.id in ("KINDS", "TABLES")
    ]
    assert not wrong, wrong


def test_the_table_reads_as_it_should():
    """Each pattern finds its own phrase, so that no limit is met by a pattern that finds nothing."""
    for phrase, (pattern, *_) in PHRASES.items():
        assert re.search(pattern, EXCEPTIONS.sub(" ", phrase), re.I), phrase

"""Random statements of a dataset by its grammar: arguments of their kind, of another kind, or absurd."""

from __future__ import annotations

import random

from holonom.expressions import FUNCTIONS
from holonom.formats.adams import grammar
from holonom.formats.adams.arguments import Arg

NUMBERS = (
    "0",
    "1",
    "-1",
    "0.5",
    "2",
    "10",
    "90D",
    "1e3",
    "1e-3",
    "1e30",
    "1e300",
    "-1e300",
    "1e-300",
    "4.78",
    "1e100",
    "1.0D+03",
)
IDS = (
    "1",
    "2",
    "3",
    "4",
    "9",
    "20",
    "21",
    "22",
    "30",
    "31",
    "32",
    "40",
    "1",
    "21",
    "31",
    "0",
    "99",
    "-1",
    "1000000000",
)
WORDS = ("ABC", "X", "ALL", "OFF", "(", '"a b"', "", "1", "T", "R", "END", "90D", "=", "PHI")
KEYWORDS = tuple(k for k, s in grammar.STATEMENTS.items())
MARKER_MEASURES = (
    "DX",
    "DY",
    "DZ",
    "DM",
    "VX",
    "VZ",
    "VM",
    "VR",
    "WX",
    "WZ",
    "AX",
    "AZ",
    "PSI",
    "PHI",
    "YAW",
    "ACCX",
    "WDTX",
    "INCANG",
    "FX",
    "FM",
    "TZ",
)
ELEMENTS = (
    "JOINT",
    "MOTION",
    "CONTACT",
    "FRICTION",
    "SFORCE",
    "GFORCE",
    "BEAM",
    "BUSH",
    "SPDP",
    "FIELD",
    "PTCV",
    "JPRIM",
    "VTORQ",
    "NFORCE",
    "CVCV",
)
STATES = ("VARVAL", "DIF", "DIF1", "ARYVAL", "SENVAL", "PINVAL", "POUVAL")
SCALARS = tuple(FUNCTIONS)


def function(rng: random.Random, depth: int = 0) -> str:
    """A function of the dataset, mostly well formed."""
    pick = rng.random()
    if depth > 3 or pick < 0.25:
        return rng.choice(
            (
                "TIME",
                "MODE",
                "PI",
                "0",
                "1",
                "-1",
                "2",
                "1e308",
                "0.5",
                "30D",
                "UNKNOWN(1)",
                "1/0",
                "SQRT(-1)",
                "(1)",
                "DTOR",
            )
        )
    inner = lambda: function(rng, depth + 1)
    if pick < 0.4:
        marks = ",".join(
            rng.choice(IDS[:15] if rng.random() < 0.8 else IDS) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4)))
        )
        return f"{rng.choice(MARKER_MEASURES)}({marks})"
    if pick < 0.5:
        return f"{rng.choice(ELEMENTS)}({','.join(rng.choice(('0', '1', '1', '2', '3', '21', '-1', '99', 'TIME')) for _ in range(rng.choice((1, 3, 4, 4, 5))))})"  # noqa: E501
    if pick < 0.57:
        return f"{rng.choice(STATES)}({','.join(rng.choice(('1', '1', '2', '3', '5', '0', '-1', '1.5', 'TIME', 'x')) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))))})"  # noqa: E501
    if pick < 0.75:
        f = FUNCTIONS[rng.choice(SCALARS)]
        n = (
            min(f.least + (rng.randint(0, 2) if f.most > f.least else 0), 8)
            if rng.random() < 0.85
            else rng.randint(0, 8)
        )
        return f"{f.name}({','.join(inner() for _ in range(n))})"
    if pick < 0.8:
        return f"IF({inner()}{rng.choice((':', ':', ','))}{inner()},{inner()},{inner()})"
    if pick < 0.83:
        return rng.choice(
            (
                "USER(1,2,3)",
                "USER()",
                "x",
                "'a'",
                "ORIENT(1,1,20,21)",
                "FOO(1)",
                "SWITCH(1)",
                "LOC(1)",
                ".m.A",
                "VARVAL",
                "IF(1)",
            )
        )
    if pick < 0.95:
        return f"{inner()}{rng.choice(('+', '-', '*', '/', '**', '++', '*-'))}{inner()}"
    return f"({inner()})"


def value(rng: random.Random, item: Arg) -> str:
    kind = item.kind
    if rng.random() < 0.06:
        kind = rng.choice(("int", "id", "ids", "real", "reals", "expr", "word", "text"))
    if kind == "expr":
        return function(rng) + "\\"
    if kind in ("id", "int"):
        return rng.choice(IDS)
    if kind == "real":
        return rng.choice(NUMBERS)
    if kind in ("ids", "reals", "pair", "value"):
        n = rng.choice(item.counts) if item.counts and rng.random() < 0.9 else rng.choice((1, 1, 1, 2, 3, 4, 6))
        return ", ".join(
            rng.choice(IDS if kind == "ids" or (kind == "value" and rng.random() < 0.3) else NUMBERS) for _ in range(n)
        )
    if kind in ("word", "words"):
        chosen = rng.choice(item.choices) if item.choices and rng.random() < 0.8 else rng.choice(WORDS)
        return chosen if kind == "word" or rng.random() < 0.6 else f"{chosen}:{rng.choice(item.choices or WORDS)}"
    if kind == "bool":
        return rng.choice(("ON", "OFF", "MAYBE", "1"))
    return rng.choice(("a b", '"q"', "x.y", "a, b", "1", "", "GFOSUB", "lib::sub", "<script>"))


def statement(rng: random.Random) -> str:
    keyword = rng.choice(KEYWORDS)
    table = grammar.STATEMENTS[keyword]
    items = list(table.grammar.items)
    needed = [i for i in items if isinstance(i, Arg) and i.key in table.required]
    flags = [i for i in items if not isinstance(i, Arg)]
    given = [i for i in needed if rng.random() < 0.93]
    if flags and (any(f.key in table.required for f in flags) or rng.random() < 0.5):
        given.append(rng.choice(flags))
    if keyword == "MARKER":
        given.append(next(i for i in items if i.name == "PART"))
    if keyword == "PART" and rng.random() < 0.8:
        given += [i for i in items if i.name in ("MASS", "CM", "IP")]
    if any(i.name == "FUNCTION" for i in items) and rng.random() < 0.8:
        given += [i for i in items if i.name == "FUNCTION"]
    given += rng.sample(items, min(len(items), rng.choice((0, 1, 2, 3, 5, 8))))
    seen: dict[str, None] = {}
    out = []
    for item in given:
        if item.name in seen and rng.random() < 0.97:
            continue
        seen[item.name] = None
        out.append(f"{item.name} = {value(rng, item)}" if isinstance(item, Arg) else item.name)
    rng.shuffle(out)
    number = "" if table.settings else rng.choice(("1", "5", "9", "22", "77", "99", "1000000000", "0", "21", ""))
    return f"{keyword}/{number}, " + rng.choice((", ", "\n, ")).join(out) + "\n"

"""Damaged and random datasets through `check` with assembly: dearer than `readers`, since each new mixture of elements
is compiled."""

from __future__ import annotations

import random

from holonom.formats import parse_adm

from ._statements import statement
from ._texts import BASE, damage, small
from ._through import attempt_to, through

LIMIT = 10.0
SLICE = 0  # tests/test_fuzz.py assembles damaged machines whose kernels are there


def attempt(seed: int) -> str:
    rng = random.Random(seed)
    text = damage(rng.choice(small()), rng) if rng.random() < 0.7 else BASE + statement(rng) + statement(rng) + "END\n"
    model = attempt_to("an error of the dataset", lambda: parse_adm(text, "damaged.adm", True))
    return "refused" if model is None else through(model, rng, building=0.0, again=0.0, assembly=1.0)

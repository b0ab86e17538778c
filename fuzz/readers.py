"""Damaged and random datasets, scripts, command files and model files, through reading, checks, writing and
building."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from holonom.cli import read_model
from holonom.formats import parse_acf, parse_adm, parse_cmd, write_acf
from holonom.formats.adams import view_cmd

from . import Finding
from ._json import damaged_model
from ._statements import statement
from ._texts import BASE, COMMANDS, damage, datasets, scripts
from ._through import attempt_to, sentences, through

LIMIT = 20.0
SLICE = 60
FULL, LOOPS = view_cmd.MAX_COMMANDS, 1500


def attempt(seed: int) -> str:
    rng = random.Random(seed)
    kind = rng.random()
    if kind < 0.4:
        return random_dataset(rng)
    if kind < 0.65:
        return dataset(damage(rng.choice(datasets()), rng), rng)
    if kind < 0.75:
        return script(damage(rng.choice(scripts()), rng), rng)
    if kind < 0.9:
        return commands(damage(COMMANDS, rng), rng)
    return model_file(rng)


def random_dataset(rng: random.Random) -> str:
    text = BASE + "".join(statement(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 6)))) + "END\n"
    return dataset(damage(text, rng) if rng.random() < 0.1 else text, rng)


def dataset(text: str, rng: random.Random) -> str:
    """Small models are built more often."""
    model = attempt_to("an error of the dataset", lambda: parse_adm(text, "damaged.adm", rng.random() < 0.5))
    if model is None:
        return "refused"
    return through(model, rng, building=1.0 if len(text) < 3000 else 0.1)


def script(text: str, rng: random.Random) -> str:
    found = attempt_to("an error of the script", lambda: parse_acf(text, "damaged.acf", rng.random() < 0.5))
    if found is None:
        return "refused"
    sentences(found.warnings, "a warning")
    written = attempt_to("a refusal to write", lambda: write_acf(found))
    if written is not None:
        twin = attempt_to("a refusal of what was written", lambda: parse_acf(written))
        if twin is None or twin.commands != found.commands:
            raise Finding("the script that was written reads back as another one")
    return "read"


def commands(text: str, rng: random.Random) -> str:
    """Damage makes loops without end; one in fifty may run until the reader's own limit, the others a while only."""
    view_cmd.MAX_COMMANDS = LOOPS if rng.random() < 0.98 else FULL
    try:
        model = attempt_to("an error of the command file", lambda: parse_cmd(text, "damaged.cmd", rng.random() < 0.7))
    finally:
        view_cmd.MAX_COMMANDS = FULL
    return "refused" if model is None else through(model, rng, building=0.3)


def model_file(rng: random.Random) -> str:
    text = damaged_model(rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.json"
        path.write_text(text, encoding="utf-8", errors="replace")
        model = attempt_to("an error of the model file", lambda: read_model(path))
    return "refused" if model is None else through(model, rng, building=0.3)

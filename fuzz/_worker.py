"""A process that tries one seed after another: ``python -m fuzz._worker NAME FIRST SECONDS COUNT|-``.

It prints lines of JSON: the limit of the generator, one for each case, and one when it ends because its time or count
is over.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
import warnings

from . import Finding, generator


def tried(module, seed: int, limit: float | None) -> tuple[str | None, str, float]:
    """Finding (or None), word for the counts, CPU seconds of one case."""
    start = time.process_time()
    finding, word = None, "fine"
    try:
        word = str(module.attempt(seed) or "fine")
    except Finding as error:
        finding = str(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001
        place = traceback.extract_tb(error.__traceback__)[-1]
        finding = f"{type(error).__name__}: {error} ({place.filename.rsplit('holonom/', 1)[-1]}:{place.lineno})"
    cpu = time.process_time() - start
    if finding is None and limit is not None and cpu > limit:
        finding = f"takes {cpu:.1f} s of CPU ({limit:g} allowed)"
    return finding, word, cpu


def main() -> None:
    name, first, seconds, count = sys.argv[1:5]
    module = generator(name)
    if "holonom" in sys.modules:  # loaded by the generator
        from holonom.analyses.session.simulation import Simulation

        Simulation.REFEREE = "strict"
    warnings.simplefilter("ignore")
    # what a case prints must not be taken for a report, nor fill the pipe
    report, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"limit": float(module.LIMIT)}), file=report, flush=True)
    end = time.monotonic() + float(seconds)
    seed = int(first)
    left = None if count == "-" else int(count)
    while (time.monotonic() < end) and left != 0:
        finding, word, cpu = tried(
            module, seed, None if seed == int(first) else module.LIMIT
        )  # the first case compiles
        print(json.dumps({"seed": seed, "finding": finding, "word": word, "cpu": cpu}), file=report, flush=True)
        seed += 1
        left = None if left is None else left - 1
    print(json.dumps({"over": True}), file=report, flush=True)


if __name__ == "__main__":
    main()

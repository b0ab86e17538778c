"""Robot files below a folder, read and run: which are read, with how many warnings, which are refused and why.

    make bench CASE=robot_files ARGS="/path/to/robots"

Prints a table in Markdown.  A file that ends in anything but a model or one sentence of ours is marked as raw.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import holonom as hn

READERS = {".urdf": hn.read_urdf, ".sdf": hn.read_sdf, ".world": hn.read_sdf, ".xml": hn.read_mjcf}
DURATION = 0.02  # s
LONGEST = 100  # characters of a sentence


def is_robot(path: Path) -> bool:
    if path.suffix not in READERS:
        return path.suffix == ".xacro"
    return path.suffix != ".xml" or "<mujoco" in path.read_text(errors="replace")


def short(error: Exception, path: Path) -> str:
    text = str(error).replace(str(path), path.name).replace("|", "/").splitlines()[0]
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def tried(path: Path) -> tuple[str, str, str]:
    """What became of a file: outcome, contents, remarks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = READERS.get(path.suffix, hn.read_urdf)(path)
        except hn.ModelError as error:
            return "refused", "", short(error, path)
        except Exception as error:  # what is searched for
            return "raw", "", f"{type(error).__name__}: {short(error, path)}"
    warned = len(caught)
    contents = f"{len(model.table('PART')) - 1} parts, {len(model.table('JOINT'))} joints"
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            run = hn.simulate(model, end=DURATION, steps=2, progress=False)
            outcome, remark = "runs", ""
            contents += f", {hn.check(model).degrees_of_freedom} freedoms"
            del run
        except hn.ModelError as error:
            outcome, remark = "read", short(error, path)
        except Exception as error:
            outcome, remark = "raw", f"{type(error).__name__}: {short(error, path)}"
    return outcome, contents, (f"{warned} warnings" if warned != 1 else "1 warning") + (f"; {remark}" if remark else "")


def main(arguments: list[str]) -> None:
    counts: Counter = Counter()
    print("| file | outcome | contents | remarks |")
    print("|---|---|---|---|")
    for folder in map(Path, arguments):
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and is_robot(p)):
            begin = time.process_time()
            outcome, contents, remarks = tried(path)
            counts[outcome] += 1
            print(f"| `{path.relative_to(folder)}` | {outcome} | {contents} | {remarks} |", flush=True)
            if time.process_time() - begin > 20.0:
                print(f"{path}: {time.process_time() - begin:.0f} CPU s", file=sys.stderr)
    print(", ".join(f"{n} {outcome}" for outcome, n in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1:])

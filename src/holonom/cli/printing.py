"""Output of commands about a run, and options given as pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .application import MAX_LEFT_OUT, MAX_LINES

if TYPE_CHECKING:
    from ..results import Run


def make_folder(path: Path) -> None:
    from ..model import ModelError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(f"{path}: the folder cannot be made ({error.strerror}); give another one with --out") from None


def report_folder(result: Run) -> dict[str, Any]:
    """Meshes lie next to the model."""
    return {"folder": Path(result.model.path).parent} if result.model.path else {}


def print_summary(result: Run, seconds: float) -> None:
    """What ran, how, and how the solver fared."""
    from .._summary import counted
    from ..results.refereed import referee_words

    info, counters = result.info, result.counters
    unit = result.units("time")
    dof = info.get("degrees_of_freedom")
    redundant = info.get("redundant", [])
    print(
        f"model {result.model.name}: {counted(info.get('bodies', 0), 'body')}, "
        f"{counted(info.get('equations', 0), 'constraint equation')}, "
        f"{dof} degree{'s' * (dof != 1)} of freedom, {len(redundant) or 'no'} redundant"
    )
    warned = set(info.get("warnings", ()))  # they are on standard error
    messages = [m for m in info.get("messages", []) if m not in warned and not m.startswith("degrees of freedom:")]
    left_out = [m for m in messages if m.startswith("left out:")]
    said = [*left_out[:MAX_LEFT_OUT], *(m for m in messages if m not in left_out)]
    if len(left_out) > MAX_LEFT_OUT:
        said.insert(MAX_LEFT_OUT, f"left out: ... and {len(left_out) - MAX_LEFT_OUT} more")
    for text in said[:MAX_LINES]:
        print(f"  {text}")
    if len(said) > MAX_LINES:
        print(f"  ... and {len(said) - MAX_LINES} more messages (in the report)")
    for s in result.segments:
        if s.end > s.start:
            print(
                f"{s.kind} from {result.time[s.start]:.6g} to {result.time[s.end - 1]:.6g} {unit}, {s.end - s.start} "
                "output rows"
            )
    history = result.history
    if len(history):
        accepted = int((history["cause"] == "").sum())
        causes: dict[str, int] = {}
        for cause in history["cause"][history["cause"] != ""].tolist():
            causes[cause] = causes.get(cause, 0) + 1
        why = " (" + ", ".join(f"{n} {c}" for c, n in causes.items()) + ")" if causes else ""
        print(f"{accepted} steps, {len(history) - accepted} rejected{why}")
    if referee_words(result):
        print(f"contact referee: {referee_words(result)}")
    numbers = [f"{name} {value:.6g}" for name, value in counters.items() if name != "cpu seconds"]
    if numbers:
        print("counters: " + ", ".join(numbers))
    if "cpu seconds" in counters:
        print(f"{counters['cpu seconds']:.3g} CPU s in the solver, {seconds:.3g} s in all")

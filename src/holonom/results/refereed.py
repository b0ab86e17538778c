"""What a run says of the contact referee."""

from __future__ import annotations

from typing import Any


def referee_words(run: Any) -> str:
    """One line, such as "on, no passage in 3159 steps; 11 shapes, 390 reference points"; empty for runs without
    contacts."""
    seen = run.info.get("referee")
    if not seen:
        return ""
    if seen.get("mode") == "off":
        return "off: nothing checked that bodies do not pass through each other"
    if not seen.get("steps"):
        return f"{seen.get('mode')}, no step checked"
    found = seen.get("finding")
    text = (
        f"{seen['mode']}, {'PASSAGE FOUND' if found else 'no passage'} in {seen['steps']} steps; {seen['shapes']} "
        f"shapes, {seen['reference points']} reference points"
    )
    coarse = seen.get("steps sampled too coarsely")
    return text + (f"; {coarse} steps sampled too coarsely" if coarse else "")

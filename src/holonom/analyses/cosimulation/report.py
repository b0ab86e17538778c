"""What a co-simulation has cost and how large its error may be, as messages."""

from __future__ import annotations

from ..._warnings import WarningText
from .master import Master


def report(master: Master) -> list[str]:
    """One message on steps, calls and error, and a warning where signals have jumped."""
    s = master.statistics
    if not s.steps and not s.calls:
        return []
    calls = ", ".join(f"{label} {count}" for label, count in s.calls.items())
    cost = f"co-simulation: {s.steps} steps, {s.repeated} repeated; calls: {calls}"
    if s.estimate == s.estimate:
        how = f"estimated coupling error {s.estimate:.2g} of the sizes of the signals (requested {master.error:g})"
    elif not master.coupled:
        how = "no continuous signal is connected, so there is no coupling error"
    else:
        why = "steps are fixed" if master.step is not None else "not every component can return to an earlier state"
        how = (
            f"the coupling error is not controlled, as {why}; extrapolated signals differed by up to "
            f"{s.indicator:.2g} of their sizes"
        )
    out: list[str] = [f"{cost}; {how}"]
    if s.jumps:
        out.append(
            WarningText(
                f"signals of the co-simulation jump or depend on a smaller step than the smallest ({s.jumps} times, "
                f"first at time {s.first_jump:.6g}), where the coupling error is not controlled; a digital controller "
                "is coupled with sampled=True"
            )
        )
    return out

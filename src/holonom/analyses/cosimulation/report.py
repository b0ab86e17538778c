"""What a co-simulation has cost and how large its error may be, as messages."""

from __future__ import annotations

from ..._warnings import WarningText
from .master import Master


def _longer(master: Master) -> list[str]:
    """A warning for each sample time, and for a step, that is longer than the run."""
    least = master.span * (1.0 + 1e-9)
    out: list[str] = [
        WarningText(
            f"{c.label}: its sample time {c.period:g} is longer than the run of {master.span:g}, so it acts once only; "
            "give a shorter sample time or a longer run"
        )
        for c in master.components
        if c.period > least
    ]
    if master.step is not None and master.step > least:
        out.append(
            WarningText(
                f"the communication step {master.step:g} is longer than the run of {master.span:g}, so that steps end "
                "at output times only; give a shorter step or a longer run"
            )
        )
    return out


def report(master: Master) -> list[str]:
    """One message on steps, calls and error, and warnings where signals have jumped and times are longer than the
    run; then what components have said."""
    s = master.statistics
    said = [text for c in master.components for text in c.report()]
    if not s.steps and not s.calls:
        return said
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
    out: list[str] = [f"{cost}; {how}", *_longer(master)]
    if s.jumps:
        out.append(
            WarningText(
                f"signals of the co-simulation jump or depend on a smaller step than the smallest ({s.jumps} times, "
                f"first at time {s.first_jump:.6g}), where the coupling error is not controlled; a digital controller "
                "is coupled with sampled=True"
            )
        )
    return out + said

"""CPU seconds of something short, by a clock that may be coarse: some machines count CPU in ticks of 10 ms, whatever
resolution they state.

Nothing of Holonom: peers have Pythons of their own.
"""

from __future__ import annotations

import time

LEAST, GRAINS = 0.02, 50  # seconds, and grains of the clock, that one sample must last
MOST = 4096  # repeats in one sample


def grain(clock=time.process_time, times: int = 5) -> float:
    """Smallest rise of a clock seen in ``times`` rises, by checking it as fast as it can be read."""
    smallest = float("inf")
    before = clock()
    while times:
        now = clock()
        if now > before:
            smallest = min(smallest, now - before)
            times -= 1
            before = now
    return smallest


def least(prepare, go, enough=0.5, most=8, ahead=True, clock=time.process_time):
    """Least CPU seconds of ``go(prepare())`` over a few samples, and what the last call returned.

    A sample is as many calls, one after another (at most `MOST`), as last 50 grains of the clock and 20 ms, divided by
    their number; what they need is prepared before (``ahead``), or, where that is not possible, each time, and what the
    preparations alone take is taken off.  Three samples at least, until they last ``enough`` together or are ``most``;
    a single one where it takes over 2 s.
    """
    need = max(LEAST, GRAINS * grain(clock))
    count, seconds, total = 1, [], 0.0
    while len(seconds) < 3 or (total < enough and len(seconds) < most):
        ready = [prepare() for _ in range(count)] if ahead else None
        begin = clock()
        for k in range(count):
            out = go(ready[k] if ahead else prepare())
        took = clock() - begin
        if not ahead:
            begin = clock()
            for _ in range(count):
                prepare()
            took -= clock() - begin
        if took < need and count < MOST:  # too short to be reported: more of them, and this sample does not count
            count = min(MOST, max(2 * count, int(1.2 * count * need / took) + 1 if took > 0.2 * need else 0))
            continue
        if took <= 0.0:
            raise RuntimeError(f"{count} calls take no time that the clock shows")
        seconds.append(took / count)
        total += took
        if took > 2.0:
            break
    return min(seconds), out

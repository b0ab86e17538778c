"""What the referee of contact costs: whole runs with and without it, in turn.

    make bench CASE=referee                               chain drive, tracked vehicle, heap of 1,000 boxes
    make bench CASE=referee ARGS="--scenes chain --repeats 5"
    make bench CASE=referee ARGS="--mode strict"          what tests and fuzz generators run with

Each scene runs alternately with ``referee=False`` and with the referee; CPU seconds are those of the analysis, the
smallest of several runs, without building and compiling.  ``over`` is the ratio of the two less one.  ``inside`` is the
CPU time between entering and leaving the referee, making it included, as a share of that of the analysis, the smallest
of the same runs: it depends little on what else the machine does, and leaves out what the referee costs elsewhere
(caches).  The results of both runs are compared: the referee changes no bit of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import holonom as hn
from holonom.analyses.contact.refereeing import Refereeing
from holonom.machinery import chain_drive, tracked_side

from .run import machine, versions

AIM = 0.03  # of the run


def heap(side: int = 10) -> hn.Model:
    """side^3 boxes of 0.1 m, turned a little and apart by a fifth of that, above a plane."""
    m = hn.Model("heap")
    m.gravity = (0.0, 0.0, -9.81)
    random = np.random.default_rng(5)
    boxes = []
    for k in range(side**3):
        i, j, h = k % side, k // side % side, k // side**2
        at = (0.12 * i, 0.12 * j, 0.07 + 0.12 * h)
        turn = 0.1 * random.normal(size=3)
        body = m.part(f"box {k}", 1.0, (1.0 / 600.0,) * 3, at, velocity=(0.0, 0.0, -0.5), angular_velocity=tuple(turn))
        boxes.append(m.box(body, at, (0.1, 0.1, 0.1)))
    floor = m.plane(m.ground, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    m.contact(boxes, [floor], mu=0.4, name="floor")
    m.contact(boxes, boxes, mu=0.4, name="boxes")
    return m


#: model, end, options
SCENES: dict[str, tuple[Callable[[], hn.Model], float, dict]] = {
    "chain": (lambda: chain_drive(60, speed=48.0), 0.05, {"integrator": "GSTIFF", "error": 1e-5, "hmax": 1e-3}),
    "track": (lambda: tracked_side(63), 0.1, {"integrator": "GSTIFF", "error": 1e-5}),
    "heap": (heap, 0.15, {"contact": "time-stepping", "step": 2e-3}),
}
#: what is called of it along a run
CALLED = "__init__", "step", "judge"


class Inside:
    """CPU seconds spent in the referee while this is entered."""

    def __enter__(self) -> Inside:
        self.seconds, self._depth = 0.0, 0
        self._plain = {name: getattr(Refereeing, name) for name in CALLED}
        for name, call in self._plain.items():
            setattr(Refereeing, name, self._timed(call))
        return self

    def __exit__(self, *_) -> None:
        for name, call in self._plain.items():
            setattr(Refereeing, name, call)

    def _timed(self, call: Callable) -> Callable:
        def timed(*args, **options):
            if self._depth:
                return call(*args, **options)
            self._depth, begin = 1, time.process_time()
            try:
                return call(*args, **options)
            finally:
                self.seconds += time.process_time() - begin
                self._depth = 0

        return timed


def run(scene: str, mode: bool | str) -> tuple[float, float, hn.Run]:
    """(CPU seconds of the analysis, share of it inside the referee, the run)."""
    model, end, options = SCENES[scene]
    with Inside() as inside:
        done = hn.simulate(model(), end, 10, referee=mode, **options)
    seconds = float(done.data.counters["cpu seconds"])
    return seconds, inside.seconds / seconds, done


def main(arguments: list[str]) -> None:
    p = argparse.ArgumentParser(prog="referee")
    p.add_argument("--scenes", default=",".join(SCENES))
    p.add_argument("--repeats", type=int, default=5)
    p.add_argument("--mode", default="on", choices=("on", "strict"))
    a = p.parse_args(arguments)
    mode: bool | str = True if a.mode == "on" else "strict"
    print(f"{machine()}; {versions()}; referee {a.mode}, smallest of {a.repeats}")
    for scene in a.scenes.split(","):
        for choice in (False, mode):  # kernels are compiled, shapes are known
            run(scene, choice)
        cpu: dict[bool, list[float]] = {False: [], True: []}
        shares, rows = [], {}
        for _ in range(a.repeats):
            for on in (False, True):
                seconds, share, done = run(scene, mode if on else False)
                cpu[on].append(seconds)
                rows[on] = done.data.body_position
                shares += [share] if on else []
        without, with_it = (min(cpu[on]) for on in (False, True))
        counts = done.info["referee"]
        same = "equal" if np.array_equal(rows[False], rows[True]) else "DIFFERENT"
        print(
            f"referee {scene}: cpu_without = {without:.3f}, cpu_with = {with_it:.3f}, over = "
            f"{100.0 * (with_it / without - 1.0):.2f} %, inside = {100.0 * min(shares):.2f} % (aim {100.0 * AIM:g}); "
            f"positions {same}; {counts['steps']} steps, {counts['poses']} poses, {counts['reference points']} points",
            flush=True,
        )

"""Ammunition feeder FRS5 (110 contacts, 338 forces) run as its own script says, against the log of the Adams run (2019,
HHT I3).

    make bench CASE=frs5 ARGS="--until 1.6 --data ../shared/data/adams/adamspy"

The bodies of the dataset's Parasolid file are not there: stand-ins from tests/data/adams_contact/frs5.toml take their
positions (docs/ adams-contact-models.md), so from the time on when cartridges meet the frame both runs are of
mechanisms that differ.  One line for each command of the script: steps, iterations of the corrector and CPU in addition
to those of Adams' log; kernels are compiled before.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[1]
NAME = "FRS5_doe_8_LAUL_analysis"
#: iterations of the three static analyses, and (end, steps, evaluations, CPU seconds) of each dynamic one, from the
#: .msg file; None: not in it.  The one that ends at 1.5432 s is stopped by a sensor, as is that to 3.4681 s (and a
#: second one of 5e-6 s behind it).
STATICS = (63, 11, 11)
DYNAMICS = ((1.5, 9040, 28955, 177.0), (1.543154, None, None, 90.0), (2.0, 33168, 149436, 1079.0),
    (3.468145, 82623, 387628, 3073.0),
            (3.46815, None, None, 13.0), (4.0, 2397, 5462, 59.0), (4.5, 18631, 82264, 671.0),
            (5.0, 16262, 69197, 573.0),
            (5.5, 22590, 99733, 670.0))  # fmt: skip


class Count:
    """Steps and work of all integrators, and CPU; ``every``: a line each so many model seconds."""

    def __init__(self, every: float | None):
        self.every = every
        self.steps = self.iterations = self.rejected = 0
        self.first = time.process_time()
        self.next = every or np.inf

    def hook(self, cls) -> None:
        original, count = cls.step, self

        def step(stepper, tmax):
            done = original(stepper, tmax)
            count.steps += 1
            count.iterations += done.iterations
            count.rejected += len(done.rejected)
            if done.t >= count.next - 1e-9:
                count.line(done.t, done.h)
            return done

        cls.step = step

    def line(self, t: float, h: float) -> None:
        cpu = time.process_time() - self.first
        print(
            f"frs5 time={t:.4f} steps={self.steps} iterations={self.iterations} rejected={self.rejected} cpu={cpu:.1f} "
            f"step={h:.2e}",
            flush=True,
        )
        while self.next <= t + 1e-9:
            self.next += self.every


def _compile(make, script) -> float:
    """CPU seconds of a run of the statics and two steps of dynamics, which compiles what the others need."""
    from holonom.model.commands import Simulate

    start = time.process_time()
    run = make(quiet=True)
    for command in script:
        dynamic = isinstance(command, Simulate) and command.end is not None
        run.carry_out(dataclasses.replace(command, end=5e-4) if dynamic else command)
        if dynamic:
            break
    return time.process_time() - start


def main(arguments: list[str] | None = None) -> None:
    import holonom as hn
    from holonom.analyses.session.script import ScriptRunner
    from holonom.formats.adams.script import read_acf
    from holonom.formats.geometry_file import apply_geometry_file
    from holonom.integrators import newton
    from holonom.model.commands import Simulate

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=str(HERE.parent / "shared" / "data" / "adams" / "adamspy"))
    parser.add_argument("--until", type=float, default=5.5, help="end of the run (model seconds)")
    parser.add_argument("--every", type=float, help="a line each so many model seconds")
    parser.add_argument("--error", type=float)
    parser.add_argument("--hmax", type=float)
    parser.add_argument("--integrator")
    parser.add_argument("--contacts", default="active", help="contact_activation")
    parser.add_argument("--keep", help="file for the results")
    given = parser.parse_args(arguments)
    data = Path(given.data)
    if not (data / f"{NAME}.adm").is_file():
        print(f"frs5: {data / NAME}.adm is not here; nothing was run")
        return
    script = read_acf(data / f"{NAME}.acf")
    options = {
        k: v
        for k, v in (("error", given.error), ("hmax", given.hmax), ("integrator", given.integrator))
        if v is not None
    }
    if given.contacts != "active":
        options["contact_activation"] = given.contacts

    def make(**more) -> ScriptRunner:
        model = hn.read_adams(data / f"{NAME}.adm")
        apply_geometry_file(model, HERE / "tests" / "data" / "adams_contact" / "frs5.toml")
        return ScriptRunner(script, model, progress=False, **more, **options)

    print(f"frs5 compilation cpu={_compile(make, script):.1f}", flush=True)
    start = time.process_time()
    run = make(quiet=False, keep=given.keep)
    print(f"frs5 reading cpu={time.process_time() - start:.1f}")
    count = Count(given.every)
    count.hook(newton.ImplicitStepper)
    statics, dynamics, found = list(STATICS), list(DYNAMICS), 0
    for command in script:
        cpu, before = time.process_time(), (count.steps, count.iterations, count.rejected)
        simulates = isinstance(command, Simulate)
        if simulates and command.kind != "STATICS":
            begin = run.simulation.time
            if begin >= given.until - 1e-9:
                break
            end = command.end if command.end is not None else begin + command.duration
            command = dataclasses.replace(command, end=min(end, given.until), duration=None)
        alive = run.carry_out(command)
        cpu = time.process_time() - cpu
        counters = run.simulation.recorder.counters
        if simulates and command.kind == "STATICS":
            print(
                f"frs5 statics iterations={counters['static iterations'] - found} adams_iterations={statics.pop(0)} "
                f"cpu={cpu:.1f}",
                flush=True,
            )
            found = counters["static iterations"]
        elif simulates:
            now = (count.steps, count.iterations, count.rejected)
            steps, iterations, rejected = (a - b for a, b in zip(now, before))
            end, *theirs = dynamics.pop(0) if dynamics else (None, None, None, None)
            words = [
                f"{name}={value:g}"
                for name, value in zip(("adams_end", "adams_steps", "adams_iterations", "adams_cpu"), (end, *theirs))
                if value
            ]
            print(
                f"frs5 dynamics {begin:.4f} to {run.simulation.time:.4f} steps={steps} iterations={iterations} "
                f"rejected={rejected} cpu={cpu:.1f} " + " ".join(words),
                flush=True,
            )
        if not alive:
            break
    result = run.simulation.run()
    print(result)
    causes = {k.removeprefix("rejected: "): v for k, v in result.counters.items() if k.startswith("rejected") and v}
    print(
        f"frs5 total steps={count.steps} iterations={count.iterations} cpu={time.process_time() - start:.1f} rejected "
        f"{causes}"
    )
    contacts = np.asarray(result.data.contact_normal)
    print(
        f"frs5 contacts acting most={int((contacts > 0).sum(1).max())} ever={int((contacts > 0).any(0).sum())} of "
        f"{contacts.shape[1]}"
    )


if __name__ == "__main__":
    main()

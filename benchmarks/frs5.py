"""Ammunition feeder FRS5 (110 contacts, 338 forces) run as its own script says, against the log of the Adams run (2019, HHT I3).

    make bench CASE=frs5 ARGS="--until 1.6 --data ../shared/data/adams/adamspy"

The bodies of the dataset's Parasolid file are not there: stand-ins from tests/data/adams_contact/frs5.toml take their places (docs/
adams-contact-models.md).  One line for each of Adams' lines: steps, evaluations (iterations of the corrector) and CPU from the
beginning of the phase.  The first line of each phase counts compilation apart.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[1]
NAME = "FRS5_doe_8_LAUL_analysis"
#: (phase's beginning, lines of (time, steps, evaluations, CPU seconds from the beginning of the phase)), from the .msg file
ADAMS = (
    (0.0, ((0.15, 638, 1321, 7.5), (0.3, 1238, 2530, 14.5), (0.45, 1839, 3802, 21.8), (0.6, 2447, 5089, 29.7), (0.75, 3047, 6312, 37.2),
           (0.9, 3729, 8469, 48), (1.05, 4483, 11046, 62), (1.2, 5136, 12564, 72), (1.35, 5787, 14132, 83), (1.5, 9040, 28955, 177))),
    (1.543154, ((1.58815, 3138, 13708, 100), (1.63315, 6487, 29005, 212), (1.67815, 9691, 43345, 320), (1.99315, 32649, 147013, 1061))),
    (2.0, ((2.15, 11024, 50315, 365), (2.3, 22077, 101032, 744), (2.9, 67001, 311617, 2423), (3.05, 77446, 363332, 2873),
           (3.2, 81551, 385030, 3057), (3.35, 82153, 386345, 3073))),
)  # fmt: skip


class Count:
    """Steps and work of all integrators, and CPU, in bins of model time."""

    def __init__(self, every: float):
        self.every, self.rows = every, []
        self.steps = self.its = self.matrices = self.rejected = 0
        self.cpu = self.first = time.process_time()
        self.next = every

    def hook(self, cls) -> None:
        original, count = cls.step, self

        def step(stepper, tmax):
            before = stepper.statistics["matrices"]
            done = original(stepper, tmax)
            count.steps += 1
            count.its += done.iterations
            count.rejected += len(done.rejected)
            count.matrices += stepper.statistics["matrices"] - before
            if done.t >= count.next - 1e-9:
                count.line(done.t, done.h)
            return done

        cls.step = step

    def line(self, t: float, h: float) -> None:
        now = time.process_time()
        print(f"frs5 time={t:.4f} steps={self.steps} evaluations={self.its} matrices={self.matrices} rejected={self.rejected} "
              f"cpu={now - self.first:.1f} step={h:.2e}", flush=True)  # fmt: skip
        self.rows.append((t, self.steps, self.its, now - self.first))
        while self.next <= t + 1e-9:
            self.next += self.every


def main(arguments: list[str] | None = None) -> None:
    import holonom as hn
    from holonom.analyses.script import ScriptRunner
    from holonom.formats.adams.script import read_acf
    from holonom.formats.geometry_file import apply_geometry_file
    from holonom.integrators import newton
    from holonom.model.commands import Simulate

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=str(HERE.parent / "shared" / "data" / "adams" / "adamspy"))
    parser.add_argument("--until", type=float, default=1.6, help="end of the run (model seconds)")
    parser.add_argument("--every", type=float, default=0.05)
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
    start = time.process_time()
    model = hn.read_adams(data / f"{NAME}.adm")
    apply_geometry_file(model, HERE / "tests" / "data" / "adams_contact" / "frs5.toml")
    script = read_acf(data / f"{NAME}.acf")
    options = {k: v for k, v in (("error", given.error), ("hmax", given.hmax), ("integrator", given.integrator)) if v is not None}
    if given.contacts != "active":
        options["contact_activation"] = given.contacts
    run = ScriptRunner(script, model, progress=False, quiet=False, keep=given.keep, **options)
    print(f"frs5 reading cpu={time.process_time() - start:.1f}")
    count = Count(given.every)
    count.hook(newton.ImplicitStepper)
    for command in script:
        cpu = time.process_time()
        simulates = isinstance(command, Simulate)
        if simulates and command.end is not None:
            if run.simulation.time >= given.until - 1e-9:
                break
            command = dataclasses.replace(command, end=min(command.end, given.until))
        before = run.simulation.time
        alive = run.carry_out(command)
        if simulates:
            print(f"frs5 {command.kind} {before:.4f} to {run.simulation.time:.6f} cpu={time.process_time() - cpu:.1f}", flush=True)
        if not alive:
            break
    result = run.simulation.run()
    print(result)
    contacts = np.asarray(result.data.contact_normal)
    print(f"frs5 contacts acting most={int((contacts > 0).sum(1).max())} ever={int((contacts > 0).any(0).sum())} of {contacts.shape[1]}")


if __name__ == "__main__":
    main()

"""Fatigue of a loader crane: the load spectrum of its lifting cylinder, and the life of the weld at the cylinder's
foot.

The crane that ships (`crane.py`) lifts a crate, slews, unfolds and reaches out, which it does forty times a day.  The
force of the lifting cylinder in a run is counted by rainflow as a signal that repeats; the lug at its foot carries it
over 800 mm^2 and is welded, category 71 of EN 1993-1-9.

Checked against statics without any multibody code: the same force by virtual work along the poses of the run
(`crane.cylinder_forces`).  Its largest range is that of the run to 2 %, for what swings is small compared with what is
lifted; damage rises with the fifth power, so that the swings of the crate cost no more than 10 %.  And one large cycle
a pass does nearly all of it, so that the equivalent range is that cycle's.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np

import holonom as hn

END, STEPS = 30.0, 1200
AREA = 800e-6  # of the lug [m^2]
A_DAY, DAYS = 40, 250
SLOPE = 5.0


def crane():
    """The example that builds the crane, for its statics."""
    spec = importlib.util.spec_from_file_location("example_crane", Path(__file__).with_name("crane.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build() -> hn.Model:
    return hn.read_adams(Path(hn.__file__).parent / "models" / "crane.adm")


def statics(run: hn.Run) -> np.ndarray:
    """Force of the lifting cylinder by virtual work at each pose of a run."""
    statics = crane()
    lift, fold = statics.lengths(*statics.START[:2])
    way = lambda joint: run.joint(joint).travel.values - run.joint(joint).travel.values[0]
    poses = zip(lift + way("lift cylinder"), fold + way("fold cylinder"), way("telescope 1"))
    return np.array([statics.cylinder_forces(*p)[0] for p in poses])


def main(report: str | None = None) -> float:
    fatigue = hn.durability
    run = hn.simulate(build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    force = fatigue.signal(run, "cylinders.F2")
    still = statics(run)
    cycles, slow = fatigue.rainflow(force, "repeat"), fatigue.rainflow(still, "repeat")
    print(
        f"durability: the cylinder's force goes through {cycles.range.max() / 1e3:.2f} kN, statics "
        f"{slow.range.max() / 1e3:.2f} kN"
    )
    assert abs(cycles.range.max() / slow.range.max() - 1.0) < 0.02
    ratio = fatigue.relative_damage({"run": force, "statics": still}, "statics", SLOPE, residue="repeat")["run"]
    print(f"durability: with its swings the crate does {ratio:.3f} times the damage of slow lifts")
    assert 1.0 < ratio < 1.1
    one = cycles.equivalent_range(SLOPE, 1)
    assert abs(one / cycles.range.max() - 1.0) < 1e-3

    weld = fatigue.eurocode3(71, units=run.model.units)
    year = fatigue.damage(cycles.times(A_DAY * DAYS), weld, factor=1.0 / AREA)
    stress = cycles.range.max() / AREA
    print(f"durability: {stress / 1e6:.1f} MPa, category 71: {year.life:.1f} years of {A_DAY} lifts a day")
    # category 71, slope 3: the one cycle of every lift, by hand
    assert abs(year.life / (2e6 * (71e6 / stress) ** 3 / (A_DAY * DAYS)) - 1.0) < 1e-3
    return year.life


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

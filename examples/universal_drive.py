"""Shaft drive through a universal joint: why one joint shakes and two do not.

A motion turns the input shaft at constant speed; an intermediate shaft follows through a Hooke joint bent by 30
degrees, and an output shaft through a second one that bends back (a Z arrangement with the forks in line).

Checked against the classical formula for one joint, with bend b and input angle q of the fork from the plane of the
shafts,
    w2/w1 = cos b / (1 - sin^2 b cos^2 q),
and against the two joints cancelling: the output turns as evenly as the input.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

BEND, SPEED = np.radians(30), 2 * np.pi
END, STEPS = 1.0, 200


def build() -> hn.Model:
    model = hn.Model("universal_drive", units="SI")
    ground, x, y = model.ground, np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    slope = np.array([np.cos(BEND), 0, np.sin(BEND)])
    p0, p1 = np.zeros(3), 0.6 * slope
    shafts = []
    for name, start, along, length in (("input", -0.4 * x, x, 0.4), ("middle", p0, slope, 0.6), ("output", p1, x, 0.4)):
        axes = np.column_stack([np.cross(y, along), y, along])
        centre = start + 0.5 * length * along
        part = model.part(name, 2.0, (0.03, 0.03, 0.002), centre, axes=axes)
        shafts.append(part)
        drawing.rod(model, part, start + 0.06 * along, start + (length - 0.06) * along, 0.02)
        drawing.block(model, part, start + 0.5 * length * along + 0.03 * y, (0.1, 0.02, 0.015), x=along)
        for end, inward, fork in ((start, 1, name != "input"), (start + length * along, -1, name != "output")):
            if fork:
                across = y if name == "middle" else np.cross(y, along)
                for side in (0.045, -0.045):
                    drawing.block(
                        model,
                        part,
                        end + 0.03 * inward * along + side * across,
                        (0.08, 0.012, 0.04),
                        x=along,
                        z=np.cross(along, across),
                    )
                drawing.block(
                    model, part, end + 0.065 * inward * along, (0.012, 0.1, 0.04), x=along, z=np.cross(along, across)
                )
    first, middle, last = shafts
    b1 = model.revolute(first, ground, "input bearing", at=-0.4 * x, axis=x)
    b2 = model.cylindrical(last, ground, "output bearing", at=p1 + 0.4 * x, axis=x)
    # z of a universal joint's markers: the two arms of the cross; the middle shaft's forks both carry the y arm
    model.universal(model.marker_at(middle, p0, z=y), model.marker_at(first, p0, z=(0, 0, 1)), "first cross")
    model.universal(model.marker_at(last, p1, z=(0, 0, 1)), model.marker_at(middle, p1, z=y), "second cross")
    model.motion(b1, f"{SPEED!r}*TIME", "drive")
    along_middle = model.marker_at(ground, p0, z=slope)
    model.request(
        "speeds",
        functions={
            "F2": f"WX({first.cm})",
            "F3": f"WZ({middle.cm},{along_middle.id},{along_middle.id})",
            "F4": f"WX({last.cm})",
            "F6": f"AZ({b1.i},{b1.j})",
        },
    )
    for at in (-0.3 * x, p1 + 0.3 * x):
        drawing.block(model, ground, at - [0, 0, 0.06], (0.05, 0.08, 0.1))
        drawing.rod(model, ground, at - [0, 0, 0.4], at - [0, 0, 0.1], 0.03)
    assert b2.type == "CYLINDRICAL"  # it lets the drive find its length
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    w1, w2, w3, _, q = run.request("speeds").values[:, 1:6].T
    exact = np.cos(BEND) / (1 - np.sin(BEND) ** 2 * np.cos(q) ** 2)
    error = np.abs(w2 / w1 - exact).max()
    print(
        f"universal drive: w2/w1 between {min(w2 / w1):.6f} and {max(w2 / w1):.6f} (cos b = {np.cos(BEND):.6f}, "
        "1/cos b = "
        f"{1 / np.cos(BEND):.6f}), formula holds within {error:.1e}; output uneven by {np.abs(w3 / w1 - 1).max():.1e}"
    )
    assert error < 1e-9
    assert np.abs(w3 / w1 - 1).max() < 1e-9
    return float(max(w2 / w1))


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)

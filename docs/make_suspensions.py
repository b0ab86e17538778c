"""Figures and the table of characteristics of docs/suspensions.md.

python docs/make_suspensions.py            figures, and prints the table of docs/suspensions.md
"""

from pathlib import Path

import holonom as hn
from holonom.vehicle.characteristics import TABLE

FIGURES = Path(__file__).parent / "figures"


def table() -> str:
    """The characteristics as a table of Markdown."""
    rows = ["| | characteristic | unit | | definition | source |", "|---|---|---|---|---|---|"]
    for k, c in enumerate(TABLE.values(), 1):
        rows.append(f"| {k} | `{c.name}` | {c.unit or '-'} | {'side' if c.sides else 'axle'} | {c.words} | {c.source} |")
    return "\n".join(rows)


def main():
    sedan = hn.vehicle.read_vehicle("sedan")
    joints, rubber = sedan.kc("front"), sedan.kc("front", "compliant")
    joints.plot(None, rubber, title="Sedan, front axle: joints and bushings").savefig(FIGURES / "kc_front.png", dpi=75)
    before, after = sedan.kc("front"), sedan.moved("front", "tie_rod_inner", (0, 0, 5)).kc("front")
    before.name, after.name = "as in the file", "inner tie rods 5 mm higher"
    before.plot(None, after, title="Sedan, front axle: the inner tie rods 5 mm higher").savefig(FIGURES / "kc_moved.png", dpi=75)
    print(table())


if __name__ == "__main__":
    main()

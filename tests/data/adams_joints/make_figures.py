"""Copies each fiftieth printed row of Adams' result curves into figures.txt: ``python make_figures.py FOLDER``, where
FOLDER has the files ``Revolute_Case01_ADAMS_Pos.txt`` and so on of Project Chrono (BSD-3-Clause),
``data/testing/joints``."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
CASES = (
    "Revolute_Case01",
    "Cylindrical_Case01",
    "Cylindrical_Case02",
    "Prismatic_Case01",
    "Prismatic_Case02",
    "Spherical_Case01",
    "Universal_Case01",
    "Universal_Case02",
    "Distance_Case01",
    "Distance_Case03",
    "TranSpring_Case02",
    "RotSpring_Case02",
    "LinActuator_Case01",
    "LinActuator_Case02",
    "RevSpherical_Case01",
    "RevSpherical_Case02",
)
QUANTITIES = ("Pos", "Vel", "Acc", "Quat", "Avel", "Aacc", "Rforce", "Rtorque", "RforceA", "RforceP", "Rforce_Body1")
HEAD = """# What Adams printed for one body and one joint under gravity: every fiftieth row of the result curves in Project Chrono's
# repository (data/testing/joints, BSD-3-Clause, commit 7689fbc02d12c5419fa6acad8791100fd89979dd), digits as printed.
# case  quantity  time  values
"""  # noqa: E501


def main(folder: Path) -> None:
    lines = [HEAD]
    for case in CASES:
        for quantity in QUANTITIES:
            path = folder / f"{case}_ADAMS_{quantity}.txt"
            if path.is_file():
                rows = path.read_text().splitlines()[3:]
                lines += [f"{case} {quantity} {' '.join(rows[k].split())}\n" for k in range(0, len(rows), 50)]
    (HERE / "figures.txt").write_text("".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

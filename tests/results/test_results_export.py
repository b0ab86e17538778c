import csv
import datetime
import re

import numpy as np
import pytest
from _fabricated_run import run

from holonom.model import Model, ModelError
from holonom.results import Run, RunData, export_csv, export_req, export_tab
from holonom.results.files.export import read_req, safe_name

HEADER = re.compile(r"(?P<name>.+?)( \[(?P<unit>[^\]]+)\])?$")


def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        head, *rows = list(csv.reader(f))
    return [(m["name"], m["unit"]) for m in map(HEADER.match, head)], np.array(rows, float)


def test_one_table_per_element(tmp_path):
    r = run(21)
    paths = export_csv(r, tmp_path / "out")
    assert {p.name for p in paths} == {
        "part_ROTOR.csv",
        "point_mass_BEAD.csv",
        "joint_HINGE.csv",
        "motion_DRIVE.csv",
        "springdamper_SPRING.csv",
        "vforce_PUSH.csv",
        "request_REACH.csv",
        "request_CUSTOM.csv",
        "variables.csv",
        "states.csv",
        "energy.csv",
    }
    for path in paths:
        head, values = table(path)
        assert head[0] == ("time", "s") and values.shape == (21, len(head))
        np.testing.assert_array_equal(values[:, 0], r.time)


def test_headers_with_units_parse_back_and_numbers_are_exact(tmp_path):
    r = run(21)
    export_csv(r, tmp_path)
    head, values = table(tmp_path / "part_ROTOR.csv")
    columns = {name: (unit, values[:, k]) for k, (name, unit) in enumerate(head)}
    assert len(columns) == len(head) == 1 + 15 + 4 + 3 + 3 + 9
    for name, quantity, unit in [
        ("x", "position", "mm"),
        ("vy", "velocity", "mm/s"),
        ("wz", "angular_velocity", "rad/s"),
        ("alphax", "angular_acceleration", "rad/s^2"),
    ]:
        assert columns[name][0] == unit
        axis = name[-1]
        np.testing.assert_array_equal(columns[name][1], getattr(r.part("ROTOR"), quantity).sel(axis=axis))
    np.testing.assert_array_equal(columns["psi"][1], r.part("ROTOR").euler[:, 0])
    head, values = table(tmp_path / "joint_HINGE.csv")
    assert head[1:] == [
        ("fx", "N"),
        ("fy", "N"),
        ("fz", "N"),
        ("tx", "N*mm"),
        ("ty", "N*mm"),
        ("tz", "N*mm"),
        ("angle", "rad"),
        ("angular_velocity", "rad/s"),
    ]
    np.testing.assert_array_equal(values[:, 6], r.joint("HINGE").torque[:, 2])
    head, _ = table(tmp_path / "request_CUSTOM.csv")
    assert head[1:4] == [("F1", None), ("speed", "mm/s"), ("load", "N")]
    head, _ = table(tmp_path / "energy.csv")
    assert ("energy.total", "J") in head


def test_file_names_are_safe():
    taken = set()
    assert [safe_name(n, taken) for n in ("a/../b", "A_.._B", "", "...", "con", "x" * 300, "Größe ")] == [
        "a_.._b",
        "A_.._B_2",
        "unnamed",
        "unnamed_2",
        "_con",
        "x" * 100,
        "Gr_e",
    ]


def test_hostile_names_stay_in_the_folder(tmp_path):
    m = Model("m")
    data = RunData(time=[0.0], requests=[("REQUEST", 1, "../../x"), ("REQUEST", 2, "..\\x"), ("REQUEST", 3, "=cmd()")])
    m.request("../../x", functions={"F2": "1"}).cnames = ("=1+1", 'a"b,c')
    paths = export_csv(Run(m, data), tmp_path / "in")
    assert all(p.parent == tmp_path / "in" and p.exists() for p in paths)
    head, _ = table(paths[0])
    assert head[1][0] == "'=1+1" and head[2][0] == 'a"b,c'


def test_tab(tmp_path):
    r = run(11)
    export_tab(r, tmp_path / "a.tab", ["ROTOR.position", "RAMP"])
    lines = (tmp_path / "a.tab").read_text().splitlines()
    assert lines[0] == '"Holonom: rotor"'
    assert lines[1].split("\t") == [
        '"TIME"',
        '"ROTOR.position.x"',
        '"ROTOR.position.y"',
        '"ROTOR.position.z"',
        '"RAMP"',
    ]
    assert lines[2].split("\t") == ['"s"', '"mm"', '"mm"', '"mm"', '"-"']
    numbers = np.array([line.split("\t") for line in lines if line[0] in "0123456789+-."], float)  # as Adams reads it
    np.testing.assert_allclose(numbers[:, 1:4], r.part("ROTOR").position, rtol=1e-14, atol=1e-14)
    export_req(r, tmp_path / "b.tab")
    assert len((tmp_path / "b.tab").read_text().splitlines()[1].split("\t")) == 17


def test_request_file(tmp_path):
    r = run(11)
    r.data.request_values[3, 1, 6] = -1.23456789e-101
    export_req(r, tmp_path / "a.req", digits=9, date=datetime.datetime(2026, 1, 31, 12))
    lines = (tmp_path / "a.req").read_text().splitlines()
    assert lines[0] == " A.R3    2026-01-31 12:00:00               0         0  3D" and len(lines[1]) == 80
    assert lines[2].split()[0] == "2" and float(lines[2].split()[2]) == pytest.approx(1000.0)
    requests, time, values = read_req(tmp_path / "a.req")
    assert requests == [(1, 1, "REACH"), (2, 5, "own components")]
    np.testing.assert_allclose(time, r.time, rtol=1e-9)
    np.testing.assert_allclose(values, r.data.request_values[:, :, [1, 2, 3, 5, 6, 7]], rtol=1e-9)
    export_req(r, tmp_path / "b.req")
    assert (tmp_path / "b.req").read_text().splitlines()[5] == "   0.00000E+00"  # the time line of Adams itself
    with pytest.raises(ModelError, match="no requests"):
        export_req(Run(Model("m"), RunData(time=[0.0])), tmp_path / "c.req")
    (tmp_path / "d.req").write_text("hello\n")
    with pytest.raises(ModelError, match="not an ASCII request file"):
        read_req(tmp_path / "d.req")


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot write"):
        export_csv(run(3), tmp_path / "file")
    with pytest.raises(ModelError, match="cannot write"):
        export_tab(run(3), tmp_path / "file" / "a.tab")


def test_csv_has_angle_rates_and_momenta(tmp_path):
    r = run(5)
    r.export_csv(tmp_path)
    with open(tmp_path / "part_ROTOR.csv") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[3]["py [N*s]"]) == r.part("ROTOR").momentum.values[3, 1]
    assert float(rows[2]["p_phi [N*mm*s]"]) == r.part("ROTOR").euler_momenta.values[2, 2]
    assert float(rows[2]["psi_rate [rad/s]"]) == r.part("ROTOR").euler_rates.values[2, 0]

"""Impacts are reported in the names that the user gave, whichever method finds them."""

import csv

import numpy as np
import pytest

import holonom as hn
from holonom.results._data import IMPACT_DTYPE
from holonom.results.views.impacts import named_impacts

G = 9.80665


def drop():
    """A ball that meets a table and a wall."""
    m = hn.Model("drop")
    m.gravity = (0.0, 0.0, -G)
    ball = m.part("marble", 0.1, (1e-5,) * 3, (0.0, 0.0, 0.3), velocity=(1.0, 0.0, 0.0))
    skin = m.sphere(ball, (0.0, 0.0, 0.3), 0.05, name="skin")
    top = m.plane(m.ground, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), name="table top")
    m.contact(
        m.plane(m.ground, (0.4, 0.0, 0.0), (-1.0, 0.0, 0.0), name="wall face"),
        skin,
        name="wall",
        restitution=0.5,
        stiffness=1e6,
    )
    m.contact(skin, top, name="on the table", restitution=0.5, stiffness=1e6)
    return m


@pytest.mark.parametrize("options", [{"contact": "events"}, {"contact": "time-stepping", "step": 1e-3}])
def test_impacts_by_name(options, tmp_path):
    run = hn.simulate(drop(), 0.5, 50, **options)
    rows = run.impacts
    assert len(rows) > 2 and set(rows["contact"]) == {"wall", "on the table"}
    first = rows[0]  # falls 0.25 m
    assert abs(first["time"] - np.sqrt(0.5 / G)) < 2e-3
    names = ("contact", "body_i", "body_j", "shape_i", "shape_j")
    assert tuple(first[list(names)].tolist()) == ("on the table", "marble", run.model.ground.name, "skin", "table top")
    hit = run.contact("wall").impacts
    assert hit["shape_i"][0] == "wall face" and hit["body_j"][0] == "marble" and hit["contact_id"][0] == 1
    assert len(hit) + len(run.contact("on the table").impacts) == len(rows)
    run.save(tmp_path / "r.h5")
    assert (hn.load(tmp_path / "r.h5").impacts == rows).all()
    with open(
        next(p for p in run.export_csv(tmp_path / "csv") if p.name == "impacts.csv"), newline="", encoding="utf-8"
    ) as file:
        table = list(csv.reader(file))
    assert table[0][:2] == ["time [s]", "contact"] and table[1][1] == "on the table" and len(table) == len(rows) + 1
    text = run.report(tmp_path / "r.html", animation=False).read_text(encoding="utf-8")
    assert "skin (marble) and table top" in text.split('<section id="impacts">')[1]


def test_numbers_without_an_element_are_named_by_them():
    """Rows of a run whose model has lost elements, and grains."""
    m = hn.Model("grains")
    sand = m.grains([(0.0, 0.0, 1.0)], 0.1, "sand", mass=1.0)
    rows = np.zeros(2, IMPACT_DTYPE)
    rows["contact"], rows["shape_i"], rows["shape_j"] = 7, (-1 - sand.id * 2**32 - 5, 0), 9
    out = named_impacts(m, rows)
    assert out["contact"].tolist() == ["CONTACT/7"] * 2 and out["shape_j"].tolist() == ["GRAPHICS/9"] * 2
    assert (
        out["body_i"].tolist() == ["grain 5 of sand", ""] and named_impacts(m, rows[:0]).dtype.names == out.dtype.names
    )

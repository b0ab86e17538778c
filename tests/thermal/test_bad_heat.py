"""Bad input of conduction: one sentence that names the position and the fix."""

import numpy as np
import pytest
from _meshes import box

import holonom as hn
from holonom.flexible import Material, Mesh
from holonom.thermal import Conduction, join

pytest.importorskip("skfem", reason="scikit-fem is not installed (extra 'flex')")
STEEL = Material(2.1e11, 0.3, 7850.0, conductivity=50.0, specific_heat=460.0, expansion=1.2e-5)
MESH = box((1.0, 0.1, 0.1), (3, 1, 1))


def bar():
    return Conduction(MESH, STEEL)


def held():
    out = bar()
    out.temperature("x-", 100.0)
    return out


def steady(change):
    heat = bar()
    change(heat)
    return heat.steady()


def flat():
    points = MESH.points.copy()
    points[:, 2] = 0.0
    return Conduction(Mesh(points, MESH.cells), STEEL)


def unheld(heat):
    heat.flux("x-", 1200.0)
    heat.heat("x+", -2.0)


def two(change=lambda heat: None):
    heat = Conduction(join(one=MESH, other=box((1.0, 0.1, 0.1), (2, 1, 1), origin=(1.0, 0, 0))), STEEL)
    heat.temperature("one.x-", 100.0)
    heat.heat("other.x+", 7.0)
    change(heat)
    return heat.steady()


CASES = {
    "no conductivity": (
        lambda: Conduction(MESH, Material(2.1e11, 0.3, 7850.0)),
        "material has no conductivity; give Material",
    ),
    "no specific heat": (
        lambda: Conduction(MESH, Material(1.0, 0.3, 1.0, conductivity=1.0)).transient(1.0),
        "no specific heat; give",
    ),
    "no material": (lambda: Conduction(MESH, {"x-": STEEL}), "3 cells of kind hexahedron belong to none of group 'x-'"),
    "two materials": (lambda: Conduction(join(a=MESH), {"a": STEEL, "a.all": STEEL}), "no group 'a.all'"),
    "word for material": (lambda: Conduction(MESH, "steel"), "material is 'steel'; give a Material"),
    "flat cells": (flat, "cell 0 near .* has no size; fix the mesh"),
    "inside out": (lambda: Conduction(Mesh(MESH.points * (1, 1, -1), MESH.cells), STEEL), "turned inside out"),
    "no solids": (
        lambda: Conduction(Mesh(MESH.points, {"quad": MESH.cells["hexahedron"][:, :4]}), STEEL),
        "no solids and no thickness",
    ),
    "thickness": (lambda: Conduction(MESH, STEEL, thickness=-1.0), "thickness is -1.0; give a positive"),
    "unbalanced": (lambda: steady(unheld), "no steady state: 10 of power more goes in than can leave; give one"),
    "unheld": (lambda: bar().steady(), "any temperature of it is a solution"),
    "apart": (
        lambda: two(),
        r"prescribes a part of 12 nodes \(other\), .*: 7 of power more goes in than can leave; give one, or a contact "
        r"or link",
    ),
    "group": (lambda: bar().temperature("x*", 1.0), "no group 'x\\*'; "),
    "no face": (lambda: bar().flux([0, 1], 1.0), "2 nodes, but no face of the boundary"),
    "no node": (lambda: bar().temperature([], 1.0), "a position is \\[\\]|no node lies in"),
    "strange node": (lambda: bar().temperature([0, 99], 1.0), "has node 99; positions are 0 to 15"),
    "no mask": (lambda: bar().temperature(lambda p: p[0], 1.0), "must return a mask"),
    "no cells": (lambda: bar().generate(1.0, "x-"), "no cell has all its nodes in group 'x-'"),
    "outside": (lambda: bar().source((3.0, 0, 0), 1.0), "lies 2 outside of the mesh"),
    "no point": (lambda: bar().source("here", 1.0), "a point is 'here'; give three numbers"),
    "no mesh": (lambda: Conduction("mesh.msh", STEEL), "mesh is 'mesh.msh'; give a holonom.flexible.Mesh"),
    "negative film": (
        lambda: bar().convection("x+", -5.0, 20.0),
        "film coefficient of convection 'convection x\\+' is -5 at time 0",
    ),
    "film that falls": (lambda: fall(), "film coefficient of convection 'convection x\\+' is -"),
    "negative conductance": (
        lambda: bar().contact("x-", "x+", -5.0, reach=2.0),
        "conductance of contact 'contact x-' is -5",
    ),
    "far contact": (
        lambda: bar().contact("x-", "x+", 5.0),
        "is closer than 1 to group 'x\\+', beyond its reach of 0.05",
    ),
    "emissivity": (
        lambda: bar().radiation("x+", 1.3, 300.0, zero=0.0),
        "emissivity of radiation .* is 1.3; it lies between 0 and 1",
    ),
    "cold ambient": (
        lambda: bar().radiation("x+", 0.5, -3.0, zero=0.0),
        "is -3, below absolute zero, which is 0 in this scale; give zero=0 for kelvin",
    ),
    "cold surface": (lambda: cold(), "temperature of its surface is -20 at time 0, below absolute zero"),
    "expression": (lambda: bar().temperature("x-", "20+*time"), "temperature of 'temperature x-': "),
    "unknown in expression": (lambda: named(), "it reads SPEED; there is time alone here"),
    "not a value": (lambda: bar().temperature("x-", [1.0, 2.0, 3.0]), "give a number, an expression in time, a table"),
    "infinite": (lambda: bar().temperature("x-", np.inf), "is inf; give a number"),
    "times of a table": (lambda: bar().temperature("x-", [(1.0, 2.0), (0.0, 3.0)]), "times of its table must rise"),
    "function": (lambda: text(), "its function must return a number"),
    "name": (lambda: twice(), "there is a condition 'a' already"),
    "end": (lambda: held().transient(-1.0), "end is -1.0; give a positive time"),
    "neither": (lambda: held().transient(), "give the end, or the times of output"),
    "steps": (lambda: held().transient(1.0, 0), "steps is 0; give a whole number"),
    "times": (lambda: held().transient(times=[0.0, 0.0]), "give at least two that rise"),
    "method": (lambda: held().transient(1.0, method="euler"), "choose TR-BDF2 or theta"),
    "theta": (lambda: held().transient(1.0, method="theta", theta=0.2), "theta is 0.2; give a number from 0.5 to 1"),
    "error": (lambda: held().transient(1.0, error=0.0), "error is 0.0; give a positive"),
    "start": (lambda: held().transient(1.0, start=[1.0, 2.0]), "one for each of the 16 nodes"),
    "table": (
        lambda: Conduction(MESH, STEEL, conductivity=[(0.0, 1.0), (1.0, -1.0)]),
        "give rows of temperature and positive conductivity",
    ),
    "group of a table": (
        lambda: Conduction(MESH, STEEL, conductivity={"x": [(0.0, 1.0)]}),
        "given for group 'x', which has no material",
    ),
    "modes of radiation": (lambda: glowing().modes(), "thermal modes are of a linear body"),
    "no meshes": (join, "join combines meshes"),
}


def fall():
    heat = bar()
    heat.convection("x+", "10 - time", 20.0)
    return heat.transient(30.0)


def glowing():
    heat = bar()
    heat.radiation("x+", 0.5, 300.0, zero=0.0)
    return heat


def cold():
    return glowing().transient(10.0, start=-20.0)


def named():
    heat = bar()
    heat.temperature("x-", "20 + speed*time")
    return heat.steady()


def text():
    heat = bar()
    heat.temperature("x-", lambda t: "hot")
    return heat.steady()


def twice():
    heat = bar()
    heat.flux("x-", 1.0, name="a")
    heat.flux("x+", 1.0, name="a")


@pytest.mark.parametrize("case", CASES)
def test_told(case):
    act, words = CASES[case]
    with pytest.raises(hn.ModelError, match=words) as told:
        act()
    assert "\n" not in str(told.value)


def test_what_was_refused_leaves_nothing():
    heat = held()
    for act in (
        lambda: heat.link("x-", "x+", -1.0),
        lambda: heat.convection("x+", -1.0, 20.0),
        lambda: heat.temperature("x+", "DX(1,2)"),
        lambda: heat.flux("w", 1.0),
        lambda: heat.contact("x-", "x+", -1.0, reach=2.0),
        lambda: heat.radiation("x+", 2.0, 300.0, zero=0.0),
    ):
        with pytest.raises(hn.ModelError):
            act()
    assert heat.names == ["temperature x-"] and heat.steady().values.min() == pytest.approx(100.0)


def test_a_held_part_needs_no_contact():
    assert two(lambda heat: heat.link("one.x+", "other.x-", 2.0)).audit().ok()
    assert two(lambda heat: heat.convection("other.x+", 10.0, 20.0)).audit().ok()

"""Constants of functions that programs of runs merge or leave out: equal ones, zero, one, whole powers."""

import math

import numpy as np
import pytest
from test_gradient import check

import holonom as hn
from holonom.expressions import Number, ProgramSet, compile_expression, parse, value
from holonom.expressions.nodes import OwnNumber


def sliding(law, speed=0.3):
    m = hn.Model("m")
    m.gravity = (0, 0, 0)
    block = m.part("block", 2.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0), velocity=(speed, 0, 0))
    m.translational(block, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    x, v = f"DX({block.cm})", f"VX({block.cm})"
    m.vforce(block.cm, m.ground, fx=law.format(x=x, v=v), rm=m.marker(m.ground))
    return m, x


def test_equal_constants_zero_one_and_powers():
    m, x = sliding("-2*({x}-1)-2*{v}-1*{x}**2+0*{x}+0.5*SIN(2*TIME+0)")
    names = [f"VFORCE/1.FX({k})" for k in range(1, 10)]
    J = hn.final(x) + hn.integral(f"{x}**2")
    check(m, J, names, 0.4, 1e-8, size=1e-2)


def test_a_threshold_equal_to_another_constant():
    """A force of 2 on a mass of 2 from x = 2 on: x(1) = x0 + v + late^2/2, late = 1 - t1, t1 = 1.5/v."""
    m, x = sliding("IF({x}-2: 0, 0, 2)", 4.0)
    g = hn.gradient(m, hn.final(x), ["VFORCE/1.FX(1)", "VFORCE/1.FX(4)", "VFORCE/1.FX(2)"], end=1.0)
    t1, late = 0.375, 0.625
    assert g.value == pytest.approx(4.5 + 0.5 * late**2, rel=1e-9)
    before = t1**2 / 4 + t1 * late / 2 + late * t1**2 / 16
    assert g.vector == pytest.approx([-late / 4, late**2 / 4, before], rel=1e-8)


def test_constants_of_a_motion():
    m = hn.Model("m")
    part = m.part("part", 2.0, (0.1, 0.1, 0.1), position=(0, 0, 0))
    rail = m.translational(part, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.motion(rail, "1*TIME**2+1*SIN(1*TIME)+0*TIME")
    g = hn.gradient(m, hn.final(f"DX({part.cm})"), [f"MOTION/1.FUNCTION({k})" for k in (1, 3, 4, 5)], end=0.8)
    assert g.vector == pytest.approx([0.64, math.sin(0.8), 0.8 * math.cos(0.8), 0.8], rel=1e-9)


def test_programs_keep_numbers_of_their_own():
    """The same value, another number in the program; rules for 0 and 1 do not apply."""

    class NoInputs:
        def input(self, name, args):
            return 0

    def own(node, tag):
        return OwnNumber(node.value, (tag,), column=node.column)

    tree = parse("2*TIME+2+0*TIME")
    usual = compile_expression(tree, NoInputs())
    marked = type(tree)("+", tree.left, type(tree.right)("*", own(tree.right.left, 1), tree.right.right))
    kept = compile_expression(marked, NoInputs())
    assert isinstance(tree.right.left, Number) and len(kept.constants) == len(usual.constants)
    assert sorted(kept.constants) == [0.0, 2.0]
    programs = ProgramSet([kept])
    programs.arrays.numbers[list(kept.constants).index(0.0)] = 5.0
    assert value(programs.arrays, 0, np.array([3.0]), programs.work()) == pytest.approx(2 * 3 + 2 + 5 * 3)

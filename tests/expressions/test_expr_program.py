import numpy as np
import pytest
from _expression_machine import Inputs, Machine

from holonom.expressions import (
    ExpressionError,
    Name,
    UnknownFunction,
    compile_expression,
    evaluate,
    explain,
    parse,
    switch_nodes,
    to_text,
)


def compiled(text, **options):
    return compile_expression(parse(text), Inputs(**options))


@pytest.mark.parametrize(
    "text, message",
    [
        ("1 + 2*DXX(3)", "unknown function 'DXX' at column 7; did you mean DX?"),
        ("tim*2", "unknown name 'TIM' at column 1; did you mean TIME?"),
        ("SINE(1)", "unknown function 'SINE' at column 1; did you mean SIN?"),
        ("QQQQ(1)", "unknown function 'QQQQ' at column 1"),
        ("SIN(1, 2)", "SIN takes 1 argument, not 2, at column 1"),
        ("STEP(time, 0)", "STEP takes 5 arguments, not 2, at column 1"),
        ("1 + MAX(time)", "MAX takes 2 to 255 arguments, not 1, at column 5"),
        ("STEP(time, 1, 0, 1, 5)", "STEP needs x0 and x1 to differ at column 1"),
        ("IMPACT(x, y, 1, 1, 2, 3, 0)", "the penetration d of IMPACT must be positive at column 26"),
        ("SWEEP(time, 1, 0, 1, 0, 2, 1)", "SWEEP needs x1 > x0 at column 1"),
        ("CURVE(time, 3, 1, 1)", "the order of a derivative must be a whole number from 0 to 2 at column 13"),
        ("CURVE(time, 0, 4, 1)", "the component of CURVE must be a whole number from 1 to 3 at column 16"),
        ("CURVE(time, 0, 1, 7)", "there is no curve 7, used by CURVE at column 1"),
        ("INTERP(time, 2, 1)", "the method of INTERP is 1 (linear) or 3 (cubic) at column 14"),
        ("AKISPL(time, 0, x+1)", "the id of a spline must be a whole number from 0 to 2147483648 at column 18"),
        ("'abc' + 1", "a string has no value: 'abc' at column 1"),
    ],
)
def test_messages(text, message):
    with pytest.raises(ExpressionError) as error:
        compiled(text)
    assert str(error.value) == message


def test_unknown_names_carry_the_suggestion():
    with pytest.raises(UnknownFunction) as error:
        compiled("DXX(3)")
    assert (error.value.name, error.value.suggestion, error.value.column) == ("DXX", "DX", 1)


def test_a_resolver_may_say_why():
    class Fussy(Inputs):
        def input(self, name, args):
            raise ExpressionError("marker 7 does not exist")

    with pytest.raises(ExpressionError) as error:
        compile_expression(parse("2*DX(7)"), Fussy())
    assert str(error.value) == "marker 7 does not exist at column 3"


def test_constants_are_folded_and_equal_parts_shared():
    assert len(compiled("SIN(PI/2) + 2*3**2 - STEP(1, 0, 0, 2, 1)").code) == 0
    program = compiled("SIN(x*y)**2 + SIN(x*y) + x*y")
    assert len(program.code) == 5
    assert program.inputs == (1, 2)
    assert compiled("SIN(1) + 2*PI").inputs == ()


def test_inputs_are_distinct_and_in_order():
    program = compiled("y*time + DX(tip, base)*y + time")
    assert program.inputs == (2, 0, 3)
    assert {to_text(n): i for n, i in program.sources.items()} == {"Y": 2, "TIME": 0, "DX(TIP, BASE)": 3}


def test_sharing_does_not_cross_branches():
    machine = Machine("IF(x: SIN(y), COS(y), SIN(y)*2) + SIN(y) + IF(x: COS(y), SIN(y), 1)")
    for x in (-1.0, 0.0, 1.0):
        expected = evaluate(machine.node, {"X": x, "Y": 0.3})
        assert machine(0, x, 0.3, 0) == pytest.approx(expected, rel=1e-15)


def test_nested_conditions():
    machine = Machine("IF(x: IF(y: 1, 2, 3), IF(y: 4, 5, 6), IF(y: 7, 8, 9))")
    found = [machine(0, x, y, 0) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    assert found == list(range(1, 10))


def test_explain_names_the_value():
    machine = Machine("2*x")
    assert explain(machine.program, np.array([0.0, 1.5, 0, 0])) == "the value is 3"


def test_evaluate_needs_all_inputs():
    with pytest.raises(ExpressionError, match="no value was given for Y at column 3"):
        evaluate(parse("x+y"), {"X": 1.0})


@pytest.mark.parametrize(
    "text, switches",
    [
        ("SIN(x)*2", []),
        ("IF(x - 1: 0, 0, ABS(y))", ["X - 1", "Y"]),
        ("MAX(x, y, 0)", ["X - Y", "X", "Y"]),
        ("STEP(time, 1, 0, 2, 5) + STEP5(time, 2, 0, 3, 1)", ["TIME - 1", "TIME - 2", "TIME - 3"]),
        ("SIGN(x, y)", ["Y", "X"]),
        ("MOD(time, 2)", ["SIN(PI*(TIME/2))"]),
        ("NINT(x)", ["COS(PI*X)"]),
        ("DIM(x, 3)", ["X - 3"]),
        ("ABS(-1)", []),
        ("SWEEP(time, 1, 0, 1, 5, 2, 0.1)", ["TIME", "TIME - (0 + 0.1)", "TIME - 5"]),
    ],
)
def test_switches(text, switches):
    assert [to_text(n) for n in switch_nodes(parse(text))] == switches


def test_switches_of_contacts_vanish_at_the_events():
    onset, full, cut = switch_nodes(parse("IMPACT(x, y, 1, 100, 2, 50, 0.1)"))
    at = lambda node, x, y: evaluate(node, {"X": x, "Y": y})
    assert at(onset, 1.0, 0.3) == 0.0
    assert at(full, 0.9, 0.3) == pytest.approx(0.0, abs=1e-15)
    assert at(cut, 0.5, 0.5) == pytest.approx(0.0, abs=1e-12)
    both = switch_nodes(parse("BISTOP(x, y, 1, 2, 100, 2, 50, 0.1)"))
    assert len(both) == 6
    assert at(both[3], 2.0, 0.0) == 0.0
    for node in both:
        compile_expression(node, Inputs())


def test_long_sum_compiles():
    machine = Machine("+".join(["x*time"] * 4000))
    assert machine(2.0, 0.5, 0, 0) == pytest.approx(4000.0)
    assert Name("X") in machine.program.sources

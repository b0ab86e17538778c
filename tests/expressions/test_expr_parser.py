import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holonom.expressions import (
    Binary,
    Call,
    ExpressionError,
    If,
    Name,
    Number,
    String,
    Unary,
    parse,
    to_text,
    walk,
)

A, B, C = Name("A"), Name("B"), Name("C")


@pytest.mark.parametrize(
    "text, tree",
    [
        ("a + b*c", Binary("+", A, Binary("*", B, C))),
        ("a - b - c", Binary("-", Binary("-", A, B), C)),
        ("a/b/c", Binary("/", Binary("/", A, B), C)),
        ("a**b**c", Binary("**", A, Binary("**", B, C))),
        ("-a**b", Unary("-", Binary("**", A, B))),
        ("a**-b", Binary("**", A, Unary("-", B))),
        ("-a*b", Binary("*", Unary("-", A), B)),
        ("+a", A),
        ("--a", Unary("-", Unary("-", A))),
        ("if(a: b, c, 1)", If(A, B, C, Number(1.0))),
        ("IF(a, b, c, 1)", If(A, B, C, Number(1.0))),
        ("dx(.model.part.mar, tip)", Call("DX", (Name(".MODEL.PART.MAR"), Name("TIP")))),
        ("user(1, 'lib::fun')", Call("USER", (Number(1.0), String("lib::fun")))),
        ("f()", Call("F", ())),
        (" TIME\n\t* 2", Binary("*", Name("TIME"), Number(2.0))),
    ],
)
def test_tree(text, tree):
    assert parse(text) == tree
    assert parse(to_text(tree)) == tree


@pytest.mark.parametrize(
    "text, number",
    [
        ("1", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1.0D+03", 1000.0),
        ("2.5d0", 2.5),
        ("1E-4", 1e-4),
        ("2D3", 2000.0),
        ("2d-3", 2e-3),
        ("90D", math.pi / 2),
        ("30.0d", math.radians(30.0)),
        ("1.5E1", 15.0),
    ],
)
def test_numbers(text, number):
    assert parse(text) == Number(number)
    assert parse(f"{text}*a").left == Number(number)


def test_columns_point_at_the_text():
    tree = parse("1 + DX(tip)")
    assert [n.column for n in walk(tree)] == [3, 1, 5, 8]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the expression ends too early at column 1"),
        ("1+", "the expression ends too early at column 3"),
        ("DX(1,,2)", "expected a number, a name or '(' but found ',' at column 6"),
        ("a^2", "unexpected '^' (write '**' for a power) at column 2"),
        ("a<b", "unexpected '<' (the language has no relations; use IF(a-b: ...)) at column 2"),
        ("3x", "'3x' is not a number at column 1"),
        ("90D2.5", "'90D2.' is not a number at column 1"),
        ("((1)", "expected ')' to close the '(' of column 1 but found the end at column 5"),
        ("SIN(1", "expected ')' after the arguments of SIN but found the end at column 6"),
        ("1 2", "unexpected '2' after the expression at column 3"),
        ("IF(1, 2)", "IF(expr: e1, e2, e3) takes 4 arguments, not 2, at column 1"),
        ("SIN(1: 2)", "expected ')' after the arguments of SIN but found ':' at column 6"),
        ("'abc", 'unexpected "\'" (the string has no end) at column 1'),
        ("1e999", "the number 1e999 is too large at column 1"),
        ("(" * 500, "more than 100 levels of parentheses at column 101"),
        ("-" * 500 + "1", "more than 200 levels of nesting at column 500"),
        ("a**" * 500 + "a", "more than 100 levels of parentheses at column 302"),
    ],
)
def test_messages(text, message):
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert str(error.value) == message
    assert isinstance(error.value, ValueError)


def test_long_text_is_refused():
    with pytest.raises(ExpressionError, match="at most 65536 characters"):
        parse("1+" * 40_000 + "1")


def test_long_sums_make_no_deep_tree():
    tree = parse("+".join(["a-b"] * 8000))
    assert parse(to_text(tree)) == tree
    assert sum(n == A for n in walk(tree)) == 8000


numbers = st.floats(0.0, 1e300, allow_nan=False).map(Number)
names = st.sampled_from(["A", "TIME", ".MODEL.PART_1.MAR", "X1"]).map(Name)


def deeper(node):
    return st.one_of(
        st.builds(Unary, st.just("-"), node),
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/", "**"]), node, node),
        st.builds(Call, st.sampled_from(["SIN", "DX", "F_1"]), st.lists(node, max_size=3).map(tuple)),
        st.builds(If, node, node, node, node),
    )


@given(st.recursive(numbers | names | st.just(String("a b")), deeper, max_leaves=25))
@settings(max_examples=200, deadline=None)
def test_round_trip(tree):
    assert parse(to_text(tree)) == tree


pieces = st.sampled_from(
    ["(", ")", ",", ":", "+", "-", "*", "**", "/", "IF(", "SIN(", "x", "1.5", "2D", "1e5", ".", "'", '"', " ", "^", "é"]
)


@given(st.text(max_size=80) | st.lists(pieces, max_size=60).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_text_parses_or_raises_expression_error(text):
    try:
        tree = parse(text)
    except ExpressionError as error:
        assert str(error)
    else:
        assert parse(to_text(tree)) == tree


@pytest.mark.parametrize("piece", ["(", "-", "a**", "SIN(", "IF(a:", "a+", "a*", "1,", "((a)+", "9", "."])
def test_time_is_bounded(piece):
    text = (piece * 65_536)[:65_536]
    begin = time.process_time()
    try:
        parse(text)
    except ExpressionError:
        pass
    assert time.process_time() - begin < 3.0

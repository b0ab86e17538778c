"""Designs against their published sizes and properties; what a design or a table cannot be."""

import numpy as np
import pytest

import holonom as hn
from holonom.studies import designs
from holonom.studies.parameters import Space

UNIT = {f"x{k}": (0.0, 1.0) for k in range(4)}


@pytest.mark.parametrize(("k", "points"), [(3, 12), (4, 24), (5, 40), (6, 48), (7, 56)])
def test_box_behnken(k, points):
    """Sizes of Box and Behnken (1960), table 1, without centres; each factor as often, all pairs uncorrelated, and
    every coefficient of a quadratic surface can be told."""
    X = designs.box_behnken_matrix(k, 1)
    assert len(X) == points + 1 and set(np.unique(X)) == {-1.0, 0.0, 1.0}
    assert len(set(abs(X).sum(0))) == 1 and np.array_equal(X.T @ X, X[:, 0] @ X[:, 0] * np.eye(k))
    pairs = [X[:, a] * X[:, b] for a in range(k) for b in range(a)]
    assert np.linalg.matrix_rank(np.column_stack([np.ones(len(X)), X, X**2, *pairs])) == 1 + 2 * k + len(pairs)


@pytest.mark.parametrize("k", [3, 7, 11, 15, 19, 23])
def test_plackett_burman(k):
    """Orthogonal and balanced: main effects are told from each other and from the mean."""
    X = designs.plackett_burman_matrix(k)
    assert X.shape == (k + 1, k) and np.array_equal(X.T @ X, (k + 1) * np.eye(k)) and not X.sum(0).any()


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (lambda: designs.full_factorial({"x9": 2}), "there is no parameter 'x9'"),
        (lambda: designs.fractional_factorial("a b ab a"), "'x0' and 'x3' always change together"),
        (lambda: designs.fractional_factorial("aa b c d"), "'x0' never changes"),
        (lambda: designs.as_design([{"x0": float("nan")}]), "parameter 'x0' is nan; give a finite number"),
    ],
)
def test_designs_that_say_nothing_are_refused(design, words):
    with pytest.raises(hn.ModelError, match=words):
        design().points(Space(UNIT))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x0,x1,x0\n1,2,3\n", "column 'x0' is given twice"),
        ("x0,x1\n1,2,3\n", "row 1 has not as many cells as the first line, 2"),
        ("x0,x1\n1,2\n1\n", "row 2 has not as many cells as the first line, 2"),
    ],
)
def test_tables_that_are_not_whole_are_refused(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(hn.ModelError, match=words):
        designs.read_points(tmp_path / "t.csv")


@pytest.mark.parametrize("design", [designs.latin_hypercube, designs.sobol, designs.halton, designs.random])
def test_samples_follow_distributions(design):
    """Mean and deviation of a normal distribution; cut at bounds, of its tail between them."""
    space = Space(
        {
            "a": hn.studies.StudyParameter("a", distribution=hn.studies.Normal(5.0, 1.0)),
            "b": hn.studies.StudyParameter("b", bounds=(5.0, 20.0), distribution=hn.studies.Normal(5.0, 1.0)),
            "c": (0.0, 1.0),
        }
    )
    a, b, c = np.array([[p[n] for n in "abc"] for p in design(512).points(space, 3)]).T
    assert a.mean() == pytest.approx(5.0, abs=0.2) and a.std() == pytest.approx(1.0, abs=0.1)
    assert b.min() >= 5.0 and b.mean() == pytest.approx(5.0 + np.sqrt(2 / np.pi), abs=0.1)
    assert c.mean() == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(
    "design, count",
    [(hn.studies.full_factorial(2), 4), (hn.studies.plackett_burman(), 4), (hn.studies.latin_hypercube(5), 5),
     (hn.studies.central_composite(), 9)],
)  # fmt: skip
def test_a_number_is_a_constant(tmp_path, design, count):
    space = {"a": (0.0, 1.0), "c": 5.0, "b": (0.0, 2.0)}
    f = lambda v: {"f": (v["a"] - 0.25) ** 2 + v["b"] + v["c"]}
    with hn.Study(tmp_path / "a.study", f, space, workers=0) as s:
        rows = s.run(design)
        assert len(rows) == count and set(rows["c"]) == {5.0}
        assert len({(r.parameters["a"], r.parameters["b"]) for r in rows}) == count
        found = s.minimize("f")
        assert found.value == pytest.approx(5.0) and found.parameters["c"] == 5.0

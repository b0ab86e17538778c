"""Counting against the tables of ASTM E1049-85 (2017), two Python packages where they are installed, and rules that
hold for every signal."""

import time

import numpy as np
import pytest

import holonom as hn
from holonom import durability as hd

#: figures 4 to 7 of the standard
ASTM = (-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0)
#: figure 2 and figure 3, read off
LEVELS = (-0.8, 1.3, 0.7, 3.4, 0.7, 2.5, -1.4, -0.5, -2.3, -2.2, -2.6, -2.4, -3.3, 1.5, 0.6, 3.4, -0.5)
PEAKS = (0.0, 1.5, 0.5, 3.5, 0.5, 2.5, -1.5, -0.5, -2.5, -2.0, -2.7, -2.5, -3.5, 1.5, 0.5, 3.5, -0.5)


def noise(n=2000, seed=3):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(size=n)) * 0.1 + rng.normal(size=n)


def test_rainflow_of_the_standard():
    cycles = hd.rainflow(ASTM)
    assert cycles.table().tolist() == [[3, 0.5], [4, 1.5], [6, 0.5], [8, 1.0], [9, 0.5]]
    closed = cycles.count == 1.0
    assert (cycles.start[closed], cycles.end[closed]) == ([-1.0], [3.0]) and (
        cycles.first[closed],
        cycles.last[closed],
    ) == ([4], [5])
    assert sorted(cycles.mean.tolist()) == [-1.0, -0.5, 0.0, 0.5, 1.0, 1.0, 1.0]


def test_repeating_history_of_the_standard():
    for method in ("three_point", "four_point"):
        cycles = hd.rainflow(ASTM, "repeat", method=method)
        assert cycles.table().tolist() == [[3, 1], [4, 1], [7, 1], [9, 1]]
        assert {tuple(sorted(p)) for p in zip(cycles.start, cycles.end)} == {(-1, 3), (-2, 1), (-3, 4), (-4, 5)}


def test_other_counts_of_the_standard():
    assert hd.range_pairs(ASTM).table().tolist() == [[3, 1], [4, 1], [6, 1], [8, 1]]
    assert hd.simple_ranges(ASTM).table().tolist() == [[3, 0.5], [4, 1], [6, 1], [7, 0.5], [8, 1]]
    levels, counts = hd.level_crossings(LEVELS, [-3, -2, -1, 0, 1, 2, 3])
    assert counts.tolist() == [1, 1, 2, 2, 5, 3, 2] and levels.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    values, counts = hd.peaks(PEAKS)
    assert values.tolist() == [-3.5, -2.7, -2.5, -1.5, 1.5, 2.5, 3.5] and counts.tolist() == [1, 1, 1, 1, 2, 1, 2]
    values, counts = hd.peaks(PEAKS, between_crossings=True)
    assert values.tolist() == [-3.5, 3.5] and counts.tolist() == [1, 2]
    values, counts = hd.peaks(np.array(PEAKS) + 7.0, 7.0, between_crossings=True)
    assert values.tolist() == [3.5, 10.5] and counts.tolist() == [1, 2]


def test_points_between_turns_change_nothing():
    x = np.array(ASTM)
    fine = np.interp(np.linspace(0, 8, 161), np.arange(9), x)
    doubled = np.repeat(x, 3)
    for y in (fine, doubled):
        assert hd.rainflow(y).table().tolist() == hd.rainflow(x).table().tolist()
        assert hd.range_pairs(y).table().tolist() == hd.range_pairs(x).table().tolist()
    assert (
        hd.level_crossings(np.interp(np.linspace(0, 16, 1601), np.arange(17), LEVELS), [-3, -2, -1, 0, 1, 2, 3])[1]
        == [1, 1, 2, 2, 5, 3, 2]
    ).all()
    assert (fine[hd.rainflow(fine).first] == hd.rainflow(x).start).all()


@pytest.mark.parametrize("seed", range(6))
def test_three_points_and_four_points_agree(seed):
    fine = noise(500, seed)
    x = np.round(fine, 1)  # equal ranges among them, of which two halves are one
    for residue in ("half", "repeat", "none"):
        x = fine if residue == "none" else x
        a, b = (hd.rainflow(x, residue, method=m).table() for m in ("three_point", "four_point"))
        assert a.shape == b.shape and np.abs(a - b).max() < 1e-9, residue


@pytest.mark.parametrize("seed", range(4))
def test_what_holds_for_every_signal(seed):
    x = noise(400, seed)
    at, turns = hd.turning_points(x)
    d = np.diff(turns)
    assert np.all(d[1:] * d[:-1] < 0) and at[0] == 0 and at[-1] == len(x) - 1
    # ranges are shared out: half cycles carry one range each, cycles two
    cycles = hd.rainflow(x)
    assert 2 * cycles.total == len(at) - 1
    assert cycles.range.max() == np.ptp(x)
    # level crossings follow from the cycles of a repeating signal: each crosses the levels in it once upwards and once
    # downwards
    closed = hd.rainflow(x, "repeat")
    levels, counts = hd.level_crossings(np.append(x, x[0]), 7, reference=-1e9)
    inside = (np.minimum(closed.start, closed.end) < levels[:, None]) & (
        np.maximum(closed.start, closed.end) >= levels[:, None]
    )
    assert (inside.sum(axis=1) == counts).all() and counts.max() > 10
    # a shift moves means, a factor stretches ranges
    other = hd.rainflow(2.0 * x + 7.0)
    assert np.allclose(other.range, 2.0 * cycles.range) and np.allclose(other.mean, 2.0 * cycles.mean + 7.0)
    # where a repeating signal begins does not matter
    assert np.allclose(hd.rainflow(np.roll(x, 77), "repeat").table(), closed.table())


def test_hysteresis_leaves_small_swings_out():
    x = noise(3000)
    h = 1.5
    _, turns = hd.turning_points(x, h)
    assert np.abs(np.diff(turns)).min() > h
    some, all_ = hd.rainflow(x, hysteresis=h), hd.rainflow(x)
    assert some.total < 0.5 * all_.total and some.range.max() == all_.range.max()
    large = lambda c: np.sort(c.range[c.count == 1.0][c.range[c.count == 1.0] > 2 * h])
    assert np.allclose(large(some), large(all_))
    assert len(hd.rainflow(x, hysteresis=100.0)) == 0


def test_package_rainflow():
    rainflow = pytest.importorskip("rainflow", reason="the package rainflow is not installed")
    assert np.array(rainflow.count_cycles(ASTM)).tolist() == hd.rainflow(ASTM).table().tolist()
    for seed in range(3):
        x = noise(1500, seed)
        theirs = np.array(sorted((r, m, c) for r, m, c, *_ in rainflow.extract_cycles(x)))
        ours = hd.rainflow(x)
        assert np.allclose(theirs, np.array(sorted(zip(ours.range, ours.mean, ours.count))))


def test_package_fatpack():
    fatpack = pytest.importorskip("fatpack", reason="the package fatpack is not installed")
    x = noise(1500)
    _, turns = hd.turning_points(x)
    pairs, residue = fatpack.find_rainflow_cycles(turns)
    ours = hd.rainflow(x, "none", method="four_point")
    assert np.allclose(np.sort(np.abs(pairs[:, 1] - pairs[:, 0])), np.sort(ours.range))
    assert len(residue) - 1 == len(hd.rainflow(x, "half", method="four_point")) - len(ours)


def test_matrices_and_spectrum():
    cycles = hd.rainflow(noise(), "repeat")
    for matrix in (cycles.from_to(64), cycles.range_mean(64), cycles.range_mean([0, 1, 20], [-30, 0, 30])):
        assert matrix.counts.sum() == pytest.approx(cycles.total)
        assert matrix.counts.shape == (len(matrix.rows) - 1, len(matrix.columns) - 1)
    m = cycles.from_to(16)
    assert m.counts[0].sum() == cycles.count[cycles.start < m.rows[1]].sum() and not np.diag(m.counts)[:2].any()
    wide = cycles.from_to(400).cycles()
    assert wide.pseudo_damage(5) == pytest.approx(cycles.pseudo_damage(5), rel=0.02)
    assert cycles.range_mean(400).cycles().pseudo_damage(5) == pytest.approx(cycles.pseudo_damage(5), rel=0.02)
    one = hd.Matrix(np.array([[0.0, 3.0]]), np.array([2.0, 6.0]), np.array([0.0, 10.0, 20.0]), "range", "mean").cycles()
    assert (one.start[0], one.end[0], one.count[0]) == (13.0, 17.0, 3.0)
    ranges, count = cycles.exceedance()
    assert count[-1] == cycles.total and np.all(np.diff(ranges) < 0) and count[0] == 1.0
    assert count[np.searchsorted(-ranges, -2.0, side="right") - 1] == cycles.count[cycles.range >= 2.0].sum()
    with pytest.raises(hn.ModelError, match="do not hold all values"):
        cycles.from_to([0.0, 1.0])


def test_duty():
    a, b = hd.rainflow(ASTM, "repeat"), hd.rainflow(noise(), "repeat")
    duty = hd.combine([(a, 100), (b, 3)])
    assert duty.total == 100 * a.total + 3 * b.total
    assert duty.pseudo_damage(4) == pytest.approx(100 * a.pseudo_damage(4) + 3 * b.pseudo_damage(4))
    # an amplitude that occurs so often does the same damage
    assert 1e5 * duty.equivalent_amplitude(4, 1e5) ** 4 == pytest.approx(duty.pseudo_damage(4))
    assert a.scaled(-2.0).equivalent_range(3) == pytest.approx(2.0 * a.equivalent_range(3))


def test_a_million_points():
    x = np.random.default_rng(0).normal(size=1_000_000)
    hd.rainflow(x[:10])
    begin = time.process_time()
    cycles = hd.rainflow(x)
    assert cycles.total > 3e5 and time.process_time() - begin < 2.0


def test_constant_and_short_signals():
    for residue in ("half", "repeat", "none"):
        for method in ("three_point", "four_point"):
            assert len(hd.rainflow([2.0, 2.0, 2.0], residue, method=method)) == 0
    assert hd.rainflow([0.0, 1.5]).table().tolist() == [[1.5, 0.5]]
    assert hd.rainflow([0.0, 1.5], "repeat").table().tolist() == [[1.5, 1.0]]
    assert hd.rainflow([3.0, 3.0]).equivalent_range(3) == 0.0 and hd.rainflow([3.0, 3.0]).table().shape == (0, 2)
    assert hd.peaks([1.0, 2.0])[0].size == 0 and hd.range_pairs([1.0, 2.0]).total == 0
    assert hd.rainflow([3.0, 3.0]).from_to(4).counts.sum() == 0


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hd.rainflow([]), "has 0 values; cycles need two"),
        (lambda: hd.rainflow([1.0]), "has 1 values"),
        (lambda: hd.rainflow([0.0, np.nan, 1.0, np.inf]), "2 values that are not finite, the first at position 1"),
        (lambda: hd.rainflow(np.zeros((4, 3))), r"shape \(4, 3\); give one component"),
        (lambda: hd.rainflow("abc"), "give a history of numbers"),
        (lambda: hd.rainflow(ASTM, "repaet"), "unknown residue 'repaet'.*did you mean repeat"),
        (lambda: hd.rainflow(ASTM, method="threepoint"), "did you mean three_point"),
        (lambda: hd.rainflow(ASTM, hysteresis=-1.0), "hysteresis is -1.0"),
        (lambda: hd.level_crossings(ASTM, [3, 2]), "give rising numbers"),
        (lambda: hd.rainflow(ASTM).from_to(0), "number of classes"),
        (lambda: hd.rainflow(ASTM).times(0), "repeats is 0"),
        (lambda: hd.rainflow(ASTM).equivalent_range(-3), "slope is -3; give a positive"),
        (lambda: hd.combine([]), "without blocks"),
        (lambda: hd.combine([(ASTM, 3)]), "give pairs of cycles"),
        (lambda: hd.rainflow(ASTM, hysteresis="1"), "hysteresis is '1'"),
        (lambda: hd.rainflow(ASTM).scaled("2"), "factor is '2'"),
        (lambda: hd.rainflow(ASTM).from_to(["a", "b"]), "classes is"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(hn.ModelError, match=words):
        call()

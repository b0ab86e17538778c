"""Large islands in slabs: the same bits on any number of threads, the same answer as the sweeps in one order."""

import threading

import numpy as np
import pytest
from rigid_scenes import boxes_on_slope, copy, random_balls

from holonom.contact.rigid import Settings, slabs, solve, solvers


def busy_threads(monkeypatch):
    """Threads of the process that were seen in the sweeps, by number of the thread that they were reported to be."""
    seen = {}
    kernel = slabs.gauss_seidel_slabs

    class Spy:
        outer = None

        def __call__(self, *args):
            seen[args[-2]] = threading.get_ident()
            return kernel(*args)

    kernel.outer  # noqa: B018  compiled before threads meet
    monkeypatch.setattr(slabs, "gauss_seidel_slabs", Spy())
    return seen


@pytest.mark.parametrize("d, mu", [(3, 0.5), (1, 0.0)])
def test_threads_change_no_bit(monkeypatch, d, mu):
    monkeypatch.setattr(solvers, "LARGE", 500)
    seen = busy_threads(monkeypatch)
    P = random_balls(9, mu, d=d)
    answers = []
    for threads in (1, 2, 3):
        Q = copy(P)
        seen.clear()
        report = solve(Q, Settings("NSGS", tolerance=1e-6, iterations=150, threads=threads))
        assert sorted(seen) == list(range(threads))
        assert len(set(seen.values())) == threads  # each on a thread of its own
        answers.append((Q.r.tobytes(), Q.u.tobytes(), Q.z.tobytes(), report.residual, report.iterations))
    assert answers[0] == answers[1] == answers[2]


def test_slabs_give_the_answer_of_plain_sweeps(monkeypatch):
    P, Q = random_balls(8, 0.5), random_balls(8, 0.5)
    assert solve(P, Settings("NSGS", 1e-11, 2000)).converged
    monkeypatch.setattr(solvers, "LARGE", 500)
    seen = busy_threads(monkeypatch)
    assert solve(Q, Settings("NSGS", 1e-11, 2000)).converged
    assert seen
    np.testing.assert_allclose(P.u, Q.u, rtol=0, atol=1e-10 * np.abs(P.u).max() + 1e-12)
    assert (Q.order[: Q.count[0]] != P.order[: P.count[0]]).any()
    assert (np.sort(Q.order[: Q.count[0]]) == np.arange(Q.count[0])).all()


def test_compact_islands_are_left_whole(monkeypatch):
    """Two boxes and the ground: no two slabs that do not touch."""
    monkeypatch.setattr(solvers, "LARGE", 2)
    seen = busy_threads(monkeypatch)
    P = boxes_on_slope(0.5, 0.2, 2)
    assert solve(P, Settings("NSGS", 1e-8, 500, threads=2)).converged and not seen


def test_a_slab_is_far_from_all_but_the_next(monkeypatch):
    P = random_balls(9, 0.5)
    monkeypatch.setattr(solvers, "LARGE", 500)
    cuts = []
    original = slabs.cut

    def cut(P, s, *rest):
        made = original(P, s, *rest)
        cuts.append((made, rest[-1].copy(), P.order.copy()))
        return made

    monkeypatch.setattr(slabs, "cut", cut)
    solve(P, Settings("NSGS", 1e-6, 10))
    (made, start, order), ground = cuts[0], len(P.Minv) - 1
    assert made >= 4
    bodies = [set(P.body[order[start[b] : start[b + 1]]].ravel()) - {ground} for b in range(2 * made - 1)]
    for group in (bodies[:made], bodies[made:]):  # what runs at the same time shares no body
        assert sum(map(len, group)) == len(set().union(*group))
    assert start[2 * made - 1] == P.count[0]
    assert max(np.diff(start[: made + 1])) < 0.5 * P.count[0]


def test_tolerance_goes_by_the_size_of_the_island():
    """What is not given is 1e-8 for a few contacts and 1e-3 for a pile; what is given holds for both."""
    few, pile = random_balls(4, 0.5), random_balls(8, 0.5)
    assert few.count[0] < solvers.MOST < pile.count[0]
    for P, most in ((few, 1e-8), (pile, 1e-3)):
        report = solve(copy(P), Settings("NSGS", None, None))
        assert report.converged and report.residual <= most
        assert solve(copy(P), Settings("NSGS", 1e-6, 1000)).residual <= 1e-6
    assert solve(copy(pile), Settings("NSGS", None, None)).residual > 1e-8
    assert not solve(copy(pile), Settings("NSGS", 1e-8, 5)).converged

"""A study that is followed by its file: counts, reasons, rate and best design are those of the whole file."""

import json
import threading

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import following
from holonom.studies.following import Following, Sample
from holonom.studies.store import Row, Store, writer


def beam(v):
    if v["h"] > 1.6:
        raise ModelError(f"the beam of height {v['h']:.3f} does not fit; lower it")
    return {"mass": v["b"] * v["h"], "stress": 6.0 / (v["b"] * v["h"] ** 2)}


SIZES = {"b": (0.1, 2.0), "h": (0.1, 2.0)}


def test_every_look_has_what_the_whole_file_has(tmp_path):
    """One that looks after every 7 runs sees the same in the end as one that looks once, and the same as the results:
    counts, ranges, reasons with the parameter that decides, the best design by objective and constraints."""
    often, path, seen = Following(tmp_path / "a.study"), tmp_path / "a.study", []
    with pytest.raises(ModelError, match="there is no study"):
        often.look()

    def counted(v):
        if len(seen) % 7 == 3:
            seen.append(often.look())
        else:
            seen.append(None)
        return beam(v)

    with hn.Study(path, counted, SIZES, workers=0, progress=False, definition={"stages": [1, 2]}) as study:
        table = study.run(hn.studies.latin_hypercube(90))
        limits = {"stress": (None, 6.0), "h - 4*b": (None, 0)}
        found = study.minimize("mass", subject_to=limits, method="differential_evolution", max_runs=200)
        held = study.results()
        one = Following(path).look()
        assert often.look() == one and one["writer"] is not None
        middle = next(s for s in seen if s and s["stages"] and s["stages"][0]["done"] > 40)
        assert middle["stages"][0]["total"] == 90 and middle["stages"][0]["finished"] is None
        assert middle["stages"][0]["rate"] > 0.0 and middle["stages"][0]["left"] > 0.0 and middle["defined"] == 2
    design, search = one["stages"]
    ok = [row for row in table if row.ok]
    assert design["counts"] == {"ok": len(ok), "failed": 90 - len(ok)} and design["done"] == design["total"] == 90
    masses = {row.measures["mass"]: row.number for row in ok}
    assert design["ranges"][0] == ["mass", min(masses), masses[min(masses)], max(masses), masses[max(masses)]]
    assert (search["total"], search["most"], search["left"]) == (200, True, None)
    assert search["best"]["value"] == found.value and search["best"]["run"] == found.number
    assert (
        search["best"]["parameters"] == found.parameters and search["best"]["feasible"] and search["best"]["formulas"]
    )
    (why,) = one["failures"]
    (same,) = held.reasons()
    assert (why["count"], why["text"]) == (same.count, same.text) and why["example"] in same.messages
    assert f"    {why['deciding']}" in held.failures().split("\n") and why["deciding"].startswith("h differs most")
    assert Following(path).look()["writer"] is None
    json.dumps(one, allow_nan=False)


def test_rate_and_time_left_are_those_of_the_last_runs(tmp_path):
    """Runs of 2 s each, with an hour of interruption: the rate is 0.5 per s, and the time left that of the rest."""
    with Store(tmp_path / "a.study", write=True) as store:
        store.set_meta("parameters", json.dumps([{"name": "a", "value": 0.5, "bounds": [0.0, 1.0]}]))
        stage = store.stage("key", "Sobol", {"count": 100})
        store.plan(stage, 100)
        store.plan(stage, 100)  # a study that goes on states it again
        for k in range(40):
            at = 2 * k + (3600 if k >= 25 else 0)
            clock = f"2026-11-30T{1 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.000+00:00"
            store.add(stage, Row(k, {"a": 0.01 * k}, measures={"y": 1.0 * k}, finished=clock))
        (found,) = Following(tmp_path / "a.study").look()["stages"]
    assert found["rate"] == pytest.approx(0.5) and found["left"] == pytest.approx(120.0)


def test_another_study_at_the_same_path_begins_anew(tmp_path):
    followed = Following(tmp_path / "a.study")
    for space in (SIZES, {"b": (0.0, 1.0), "h": (0.0, 1.0)}):
        with hn.Study(tmp_path / "a.study", beam, space, workers=0, progress=False) as study:
            study.run([{"b": 0.5, "h": 0.5}])
        assert followed.look()["stages"][0]["done"] == 1
        (tmp_path / "a.study").unlink()


def test_a_sample_is_evenly_picked(monkeypatch):
    monkeypatch.setattr(following, "MOST_SAMPLED", 10)
    sample = Sample(["a"])
    for k in range(1000):
        sample.add({"a": float(k)})
    steps = {b - a for a, b in zip(sample.values["a"], sample.values["a"][1:])}
    assert len(steps) == 1 and 5 <= len(sample.values["a"]) <= 11 and sample.bounds["a"] == (0.0, 999.0)


def test_who_asks_for_the_writer_does_not_keep_it_away(tmp_path):
    """Readers that ask again and again; the study is opened and closed meanwhile, and no second writer is let in."""
    path, on, answers = tmp_path / "a.study", True, set()

    def ask():
        while on:
            answers.add(writer(path))

    with Store(path, write=True):
        pass
    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for _ in range(30):
            with Store(path, write=True):
                pass
    finally:
        on = False
        thread.join()
    import os

    assert answers <= {None, 0, os.getpid()} and answers

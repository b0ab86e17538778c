"""Full results that a study keeps: by rule, up to a size, after a kill."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from _models import as_drawn

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Measure
from holonom.studies.keeping import Keeper, as_keep, folder_of, kept_runs
from holonom.studies.store import Row

POINTS = [{"stiffness": k} for k in (30.0, 50.0, 120.0, 90.0)]


def opened(tmp_path, keep, **options):
    measures = {"last": Measure("guide.speed"), "speed": Measure("guide.speed", "peak")}
    swing = {"name": "swing", "end": 0.5, "steps": 20}
    return hn.Study(
        tmp_path / "a.study", as_drawn(), measures=measures, analyses=swing, workers=0, keep=keep, **options
    )


def numbers(tmp_path):
    return [k.number for k in kept_runs(tmp_path / "a.study")]


@pytest.mark.parametrize(
    "keep, kept",
    [("all", [0, 1, 2, 3]), ({"rule": "best", "measure": "speed", "largest": True, "count": 2}, [2, 3]),
     *(pytest.param(*case, marks=pytest.mark.slow) for case in (
         ("none", []), ("failed", []), ({"rule": "best", "measure": "speed", "count": 1}, [0]),
         ({"rule": "all", "size": 1.0}, [])))],
)  # fmt: skip
def test_rules(tmp_path, keep, kept):
    with opened(tmp_path, keep) as s:
        table = s.run(POINTS)
        assert numbers(tmp_path) == kept == [k.number for k in table.kept()]
        if kept:  # what is kept is the run of the row
            run = table.load_run(kept[-1])
            assert np.abs(run["guide.speed"].values).max() == table.rows[kept[-1]].measures["speed"]
            assert table.kept()[0].analysis == "swing"
        with pytest.raises(ModelError, match="the results of run 9 are not kept"):
            table.load_run(9)


def broken(values, keep):
    if keep:
        Path(keep).write_text("halfway")
    if values["x"] > 0.5:
        raise ValueError("too far")
    return {"f": values["x"]}


def test_failed_runs_and_functions_with_files(tmp_path):
    points = [{"x": x} for x in (0.1, 0.9, 0.3, 0.7)]
    with hn.Study(tmp_path / "a.study", broken, {"x": (0.0, 1.0)}, workers=1, keep="failed") as s:
        s.run(points)
        assert numbers(tmp_path) == [1, 3] and s.results().kept()[0].path.read_text() == "halfway"
    with hn.Study(tmp_path / "b.study", broken, {"x": (0.0, 1.0)}, workers=0) as s:
        s.run(points)
    assert not folder_of(tmp_path / "b.study").exists()


def test_a_kill_between_a_row_and_its_files(tmp_path):
    """Files of runs without a row, and of runs that the rule gives up, are deleted when the study goes on."""
    keep = {"rule": "best", "measure": "speed", "count": 2}
    with opened(tmp_path, keep) as s:
        s.run(POINTS)
        right = numbers(tmp_path)
        folder, key = folder_of(s.path), 1
        for number in (2, 3, 7):
            (folder / f"{key}-{number}-swing.h5").write_bytes(b"left over")
        s.run(POINTS)
        assert numbers(tmp_path) == right == [0, 1]


def test_sizes(tmp_path):
    """Beyond the size the worst, or the highest numbers, go."""

    def left(keep, values):
        store = tmp_path / f"{len(list(tmp_path.iterdir()))}.study"
        keeper = Keeper(as_keep(keep), store, 1)
        keeper.begin([])
        for number, value in enumerate(values):
            Path(f"{keeper.stem(number)}-a.h5").write_bytes(b"x" * 100)
            keeper.settle(Row(number, {}, measures={"f": value}))
        return [k.number for k in kept_runs(store)]

    assert left({"rule": "all", "size": 250}, [1, 2, 3, 4]) == [0, 1]
    assert left({"rule": "best", "measure": "f", "size": 250}, [3, 1, 4, 2]) == [1, 3]
    assert left({"rule": "best", "measure": "f", "largest": True, "count": 3}, [3, 1, 4, 2]) == [0, 2, 3]


def test_the_best_design_opens_as_a_model(tmp_path):
    with opened(tmp_path, "none") as s:
        with pytest.raises(ModelError, match="no parameter 'stiffnes'; did you mean 'stiffness'"):
            s.model({"stiffnes": 1.0})
        model = s.model({"stiffness": 120.0})
        assert model.parameters["stiffness"].value == 120.0
        assert hn.simulate(model, end=0.5, steps=20, progress=False)["guide.speed"].values[-1] == pytest.approx(
            s.run([{"stiffness": 120.0}]).rows[0].measures["last"], rel=1e-12
        )
    with hn.Study(tmp_path / "f.study", lambda v: {"f": v["x"]}, {"x": (0, 1)}, workers=0) as s:
        with pytest.raises(ModelError, match="it has no model"):
            s.model()


@pytest.mark.parametrize(
    "keep, text",
    [("bets", "no rule 'bets'; did you mean 'best'"), ("best", "rule 'best' needs measure"),
     (3, "keep: give one of none"),
     ({"rule": "all", "measure": "f"}, "rule 'all' does not use measure"), ({"rules": "all"}, "unknown key 'rules'"),
     ({"rule": "all", "size": -1}, "size must be a number of bytes"),
     ({"rule": "best", "measure": "f", "count": 0}, "count must be a whole number from 1")],
)  # fmt: skip
def test_what_it_refuses(tmp_path, keep, text):
    with pytest.raises(ModelError, match=text):
        opened(tmp_path, keep)


@pytest.mark.parametrize("own", [False, True])
def test_a_full_disk_is_no_property_of_a_run(tmp_path, monkeypatch, own):
    """Files that cannot be written end the study with a sentence; its finished runs stay, and the run is computed
    again."""
    import errno

    room = SimpleNamespace(left=2)

    def full():
        room.left -= 1
        if room.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    def function(v, keep):
        full()
        Path(keep).write_text("results")
        return {"f": v["x"]}

    def save(run, path, *args, **options):
        try:
            full()
        except OSError as error:
            raise ModelError(f"cannot write '{path}': {error.strerror}") from None
        return whole(run, path, *args, **options)

    whole = hn.Run.save
    monkeypatch.setattr(hn.Run, "save", save)
    model = hn.Model("m", units="SI")
    part = model.part("mass", 1.0, (1.0, 1.0, 1.0))
    model.translational(part, model.ground, "guide", at=(0, 0, 0), axis=(1, 0, 0))
    model.vforce(part.cm, model.ground, fx=model.parameter("x", 1.0, bounds=(0.0, 1.0)))
    simulated = {"measures": {"f": Measure("guide.speed")}, "analyses": {"end": 0.1, "steps": 20}}
    options = {"keep": "all", "workers": 0, "progress": False} | ({} if own else simulated)
    design = [{"x": v} for v in (0.2, 0.4, 0.6, 0.8)]
    opened = lambda: hn.Study(tmp_path / "a.study", function if own else model, {"x": (0.0, 1.0)}, **options)
    with opened() as s, pytest.raises(ModelError, match="run 2 cannot write its files.*No space.*finished runs are"):
        s.run(design)
    held = hn.studies.load(tmp_path / "a.study")
    assert len(held) == 2 and [k.number for k in held.kept()] == [0, 1]
    room.left = 100
    with opened() as s:
        found = s.run(design)
        assert [row.status for row in found] == ["ok"] * 4 and [k.number for k in found.kept()] == [0, 1, 2, 3]
        assert own or all(len(found.load_run(n).time) == 21 for n in range(4))

"""Studies that ship with Holonom, run from the command line."""

import math
import os

import numpy as np
import pytest
from scipy.stats import norm
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.studies.study_file import SHIPPED, read_study_file, shipped_studies

pytest.importorskip("yaml")


def call(*words, code=0):
    result = CliRunner().invoke(app, ["study", *map(str, words)])
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture
def here(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def test_list_and_names(here):
    names = [name for name, _ in shipped_studies()]
    assert names == ["bump_steer", "crane", "four_bar"] and all(about.endswith(".") for _, about in shipped_studies())
    assert call("list").output.count("\n") >= 3
    assert "did you mean 'crane'" in " ".join(call("run", "crame", code=2).stderr.split())
    for name in names:
        read_study_file(SHIPPED / f"{name}.yaml")


def test_crane(here):
    """Sizes, tolerances and probability against closed forms and a sample of the law of cosines."""
    call("run", "crane")
    held = hn.studies.load(here / "crane.study")
    digest = held.store.digest()
    call("resume", "crane")
    assert hn.studies.load(here / "crane.study").store.digest() == digest
    robust, tolerances, reliability = (held.store.outcome(k) for k in (1, 2, 3))

    def boom(base, arm, length, incline):
        angle = np.arccos((base**2 + arm**2 - length**2) / (2 * base * arm))
        return np.degrees(angle) - incline, base * arm * np.sin(angle) / length

    elevation, lever = boom(1.2, 2.0, 2.06852, 31.0)
    assert elevation == pytest.approx(45.0, abs=1e-4)
    force = 6.0 * math.cos(math.radians(elevation)) / lever  # of a load of 1
    # 3 deviations of load and bore: the bore's are small, so its share is linear
    d = robust["parameters"]["bore"]
    pressure = lambda load, bore: 1e3 * load * force / (math.pi / 4 * bore**2)
    slope = np.array([pressure(1.0, d), (pressure(20, d + 1e-4) - pressure(20, d - 1e-4)) / 2e-4 * 0.2])
    assert pressure(20, d) + 3 * np.linalg.norm(slope) == pytest.approx(22.0, rel=1e-3) and robust["feasible"]
    t = tolerances["tolerances"] | {"incline": 0.05}
    middle = {"base": 1.2, "arm": 2.0, "length": 2.06852, "incline": 31.0}
    rng = np.random.default_rng(0)
    y = boom(*(m + t[n] / 3 * rng.standard_normal(400_000) for n, m in middle.items()))[0]
    assert 3 * y.std() + abs(y.mean() - 45.0) == pytest.approx(0.25, rel=0.01) and tolerances["feasible"]
    right = norm.sf(22.0 * math.pi / 4 * 80.0**2 / 1e3 / force - 20.0)
    assert reliability["probability"] == pytest.approx(right, rel=1e-3)


@pytest.mark.slow
def test_four_bar(here):
    """The path again by intersecting circles of coupler and rocker."""
    from holonom.studies.shipped.four_bar import ANGLES, POINTS

    call("run", "four_bar")
    best = hn.studies.load(here / "four_bar.study").store.outcome(1)
    v = best["parameters"]
    total = 0.0
    for angle, target in zip(ANGLES, POINTS):
        p = v["crank"] * np.array([math.cos(angle), math.sin(angle)])
        q = np.array([v["ground"], 0.0])
        r = np.linalg.norm(q - p)
        along = (v["coupler"] ** 2 - v["rocker"] ** 2 + r * r) / (2 * r)
        e = (q - p) / r
        joint = p + along * e + math.sqrt(v["coupler"] ** 2 - along**2) * np.array([-e[1], e[0]])
        c = (joint - p) / v["coupler"]
        point = p + v["along"] * c + v["across"] * np.array([-c[1], c[0]])
        total += ((point - target) ** 2).sum()
    assert total == pytest.approx(best["measures"]["error"], rel=1e-6) and best["feasible"] and total < 0.01
    links = sorted(v[n] for n in ("ground", "crank", "coupler", "rocker"))
    assert links[0] == v["crank"] and links[0] + links[3] <= links[1] + links[2] + 1e-6


@pytest.mark.slow
def test_bump_steer(here):
    """Three optimisers on hardpoints: each betters the sedan as it is, and the two by derivatives agree."""
    call("run", "bump_steer")
    held = hn.studies.load(here / "bump_steer.study")
    outcomes = [held.store.outcome(k) for k in (1, 2, 3)]
    first = held.rows[0].measures["toe"]
    assert all(o["feasible"] and o["measures"]["toe"] < 0.2 * first for o in outcomes)

"""The page on forces of one's own, followed to the letter: its files written, its machine run."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.elements import kinds
from holonom.model import ELEMENT_TYPES
from holonom.model.builder import Kinds
from holonom.results.audit import is_conservative

PAGE = Path(__file__).parents[1] / "docs" / "own-forces.md"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    names = {}
    for title, text in re.findall(
        r'^```python title="(\w+\.py)"\n(.*?)^```', PAGE.read_text(encoding="utf-8"), re.M | re.S
    ):
        (folder / title).write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        for title in ("machine.py", "proof.py"):
            exec(compile((folder / title).read_text(encoding="utf-8"), title, "exec"), names)
        yield names
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("bouc_wen", None)
        kinds.FORCES.pop("BOUC_WEN", None)
        ELEMENT_TYPES.pop("BOUC_WEN", None)
        if "bouc_wen" in vars(Kinds):
            delattr(Kinds, "bouc_wen")


def test_the_page_runs_and_its_energy_balances(page):
    assert page["balance"][0] > 0.5


def test_the_kind_is_in_json_results_audit_and_linear_analysis(page):
    model, run = page["model"], page["run"]
    twin = hn.Model.from_json(model.to_json())
    assert [e.to_dict() for e in twin] == [e.to_dict() for e in model]
    again = hn.simulate(twin, end=2.0, steps=200)
    assert np.array_equal(again.data.body_position, run.data.body_position)
    assert is_conservative(model) == (False, ["1 damped BOUC_WEN"])
    with pytest.raises(hn.ModelError, match="gamma is 1, less than"):
        model.bouc_wen(page["seat"].cm, page["floor"], alpha=1.0, beta=3.0, gamma=1.0)


@pytest.mark.parametrize(
    "method, options", [("RADAU5", {}), ("GSTIFF", {"formulation": "SI2"}), ("DOP853", {}), ("RK4", {"hmax": 2e-4})]
)
def test_integrators_agree_with_scipy(page, method, options):
    from scipy.integrate import solve_ivp

    def rates(t, y):
        z, v, s = y
        f = -300 * v - 2000 * (z - 0.45) - 60 * s
        return [v, f / 70, 20 * v - 50 * abs(v) * s - 50 * v * abs(s)]

    exact = solve_ivp(rates, (0, 2), [0.5, 0, 0], rtol=1e-11, atol=1e-12, max_step=1e-3).y[:, -1]
    run = hn.simulate(page["model"], end=2.0, steps=50, integrator=method, error=1e-7, **options)
    assert run.data.body_position[-1, 0, 2] == pytest.approx(exact[0], abs=2e-6)
    assert run.state("BOUC_WEN_1[0]")[-1] == pytest.approx(exact[2], abs=1e-4)

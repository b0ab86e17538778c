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


def test_its_gradient_is_that_of_scipy(page):
    """By numbers of the law and by the mass, with the tangent that the page gives."""
    from scipy.integrate import solve_ivp

    def height(c, alpha, gamma, mass):
        def rates(t, y):
            z, v, s = y
            f = -c * v - 2000 * (z - 0.45) - alpha * s
            return [v, f / mass, 20 * v - gamma * abs(v) * s - 50 * v * abs(s)]

        return solve_ivp(rates, (0, 0.5), [0.5, 0, 0], rtol=1e-12, atol=1e-14, max_step=1e-3).y[0, -1]

    model = page["model"]
    damper = model.find("BOUC_WEN", "damper")
    numbers = [model.number(damper, "c"), model.number(damper, "alpha"), model.number(damper, "gamma")]
    mass = model.number(model.find("PART", 2), "mass")
    seat = page["seat"]
    found = hn.gradient(model, hn.final(f"DZ({seat.cm})"), [*numbers, mass], end=0.5, error=1e-10)
    values = np.array([300.0, 60.0, 50.0, 70.0])
    for k, value in enumerate(values):
        step = 1e-3 * value * np.eye(4)[k]
        high, low = (height(*(values + s * step)) for s in (1.0, -1.0))
        assert found.vector[k] == pytest.approx((high - low) / (2e-3 * value), rel=1e-4, abs=1e-9)


def test_a_wrong_tangent_gives_no_gradient(page, monkeypatch):
    from dataclasses import replace

    from holonom._jit import jit

    right = kinds.FORCES["BOUC_WEN"]

    @jit
    def half(c, f, fr, ref, t, u, x, W, D):
        D[0, 0] = 0.5 * c[1]

    monkeypatch.setitem(kinds.FORCES, "BOUC_WEN", replace(right, tangent=half))
    model = page["model"]
    number = model.number(model.find("BOUC_WEN", "damper"), "c")
    with pytest.raises(hn.ModelError, match=r"BOUC_WEN/1 'damper': its tangent states .* correct the tangent"):
        hn.gradient(model, hn.final(f"DZ({page['seat'].cm})"), [number], end=0.1)

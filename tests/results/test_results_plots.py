import numpy as np
import pytest
from _fabricated_run import run

from holonom.model import Model, ModelError
from holonom.results import HISTORY_DTYPE, Run, RunData
from holonom.results.pictures.plots import (
    POINTS,
    _thin,
    plot_energy,
    plot_parts,
    plot_reactions,
    plot_request,
    plot_steps,
    save_all,
)


def legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def many(n=100):
    m = Model("many", units="mm")
    parts = [m.part(f"P{k}") for k in range(n)]
    t = np.linspace(0, 1, 50)
    position = np.sin(9 * t)[:, None, None] * np.arange(n)[None, :, None] * np.ones(3)
    return Run(m, RunData(time=t, bodies=parts, body_position=position))


def test_standard_figures_are_written(tmp_path):
    paths = save_all(run(), tmp_path / "figs", dpi=40)
    assert [p.stem for p in paths] == [
        "parts_position",
        "parts_velocity",
        "reactions",
        "forces",
        "energy",
        "steps",
        "request_REACH",
        "request_CUSTOM",
    ]
    assert all(p.read_bytes()[:4] == b"\x89PNG" and p.stat().st_size > 3000 for p in paths)
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot write"):
        save_all(run(3), tmp_path / "file")


def test_axes_carry_units():
    fig = plot_parts(run(), quantity="acceleration")
    assert [ax.get_ylabel() for ax in fig.axes] == ["x [mm/s²]", "y [mm/s²]", "z [mm/s²]"]
    assert fig.axes[-1].get_xlabel() == "time [s]"
    assert [ax.get_ylabel() for ax in plot_reactions(run()).axes] == ["force [N]", "torque [N·mm]"]


def test_of_a_hundred_parts_the_largest_are_drawn():
    fig = plot_parts(many())
    assert legend(fig.axes[0]) == [f"P{k}" for k in range(93, 100)] + ["+ 93 smaller"]
    assert all(len([c for c in ax.lines if len(c.get_xdata())]) == 7 for ax in fig.axes)
    assert legend(plot_parts(many(), ["P3", "p4"]).axes[0]) == ["P3", "P4"]


def test_curves_show_the_numbers():
    r = run(31)
    line = plot_reactions(r, ["HINGE"]).axes[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), np.linalg.norm(r.joint("HINGE").force, axis=1))
    drift = plot_energy(r).axes[1].lines[0].get_ydata()
    np.testing.assert_allclose(drift, 0, atol=1e-14)


def test_steps_mark_rejections_by_cause():
    h = np.zeros(5000, HISTORY_DTYPE)
    h["time"], h["step"], h["order"], h["iterations"] = np.linspace(0, 1, 5000), 1e-3, 3, 2
    h["cause"][::10] = "error test"
    h["cause"][5::100] = "newton"
    fig = plot_steps(Run(Model("m"), RunData(time=[0.0, 1.0], history=h)))
    assert legend(fig.axes[0]) == ["accepted", "rejected: error test (500)", "rejected: newton (50)"]
    assert fig.axes[0].get_yscale() == "log"


def test_requests_split_by_unit():
    fig = plot_request(run(5), "CUSTOM")
    assert [ax.get_ylabel() for ax in fig.axes] == ["value", "value [mm/s]", "value [N]"]


def test_thinning_keeps_peaks():
    t = np.linspace(0, 1, 100_000)
    y = np.sin(40 * t)
    y[54_321] = 9.0
    x, z = _thin(t, y)
    assert len(x) < 1.2 * POINTS and z.max() == 9.0 and x[0] == 0 and x[-1] == 1 and np.all(np.diff(x) > 0)


@pytest.mark.parametrize("n", [0, 1])
def test_runs_without_length(n, tmp_path):
    r = run(2)
    short = Run(r.model, r.data.take(slice(0, n)))
    assert save_all(short, tmp_path, dpi=30)

"""Arithmetic with histories against closed forms and SciPy; tables of reactions; phase plots."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import xarray as xr
from _fabricated import slider_crank
from _fabricated_run import run
from scipy import integrate, signal

from holonom import results
from holonom.model import ModelError
from holonom.results import (
    Run,
    curve,
    derivative,
    difference,
    filtered,
    integral,
    moving_mean,
    peaks,
    psd,
    reactions,
    resampled,
    spectrum,
    write_csv,
)
from holonom.results.curves import integral_unit, rate_unit


def history(t, y, unit="mm", name="y", second="s"):
    return xr.DataArray(
        y,
        {"time": xr.DataArray(t, dims=("time",), attrs={"units": second})},
        ("time",),
        name=name,
        attrs={"units": unit},
    )


def uneven(n=400, end=2.0):
    return np.sort(np.concatenate([[0.0, end], np.random.default_rng(3).uniform(0, end, n - 2)]))


def test_curves_by_name():
    r = run(51)
    assert np.array_equal(r.curve("ROTOR.position.y").values, r.part("ROTOR").position.values[:, 1])
    assert r.curve("rotor.position").dims == ("time", "component") and r.curve("rotor.position").attrs["units"] == "mm"
    assert (
        np.array_equal(r.curve("PART/2.position.y"), r.curve("ROTOR.position.y"))
        and r.curve("energy.kinetic").attrs["units"] == "J"
    )
    with pytest.raises(
        ModelError, match="no curve of this run is named 'ROTR.position'; did you mean 'ROTOR.position'"
    ):
        r.curve("ROTR.position")


def test_derivative_of_a_parabola_is_exact_on_uneven_times():
    t = uneven()
    d = derivative(history(t, 3 * t**2 - t + 5))
    assert np.allclose(d.values[1:-1], (6 * t - 1)[1:-1], atol=1e-9) and d.attrs["units"] == "mm/s"
    rough = derivative(history(uneven(4000), np.sin(5 * uneven(4000))))
    assert np.allclose(rough.values[5:-5], 5 * np.cos(5 * uneven(4000))[5:-5], atol=1e-3)


def test_derivative_is_one_sided_at_a_repeated_time():
    t = np.array([0.0, 1, 2, 2, 3, 4])
    y = np.array([0.0, 1, 2, 10, 7, 4])  # slope 1, a jump, slope -3
    assert derivative(history(t, y)).values == pytest.approx([1, 1, 1, -3, -3, -3])


@pytest.mark.parametrize("name", ["derivative", "integral", "resampled", "spectrum", "peaks"])
def test_what_is_not_a_curve(name):
    for value in (5, [1.0, 2.0], np.zeros(3)):
        with pytest.raises(ModelError, match="is not a curve: give a history of a run"):
            getattr(results, name)(value)


def test_integral_and_its_derivative():
    t = uneven()
    c = history(t, np.exp(-t), "N")
    got = integral(c, start=2.0)
    assert (
        np.allclose(got.values, 2 + integrate.cumulative_trapezoid(np.exp(-t), t, initial=0))
        and got.attrs["units"] == "N*s"
    )
    assert np.allclose(got.values, 3 - np.exp(-t), atol=3e-5)


@pytest.mark.parametrize(
    "unit, rate, area",
    [
        ("m", "m/s", "m*s"),
        ("m/s", "m/s^2", "m"),
        ("mm/s^2", "mm/s^3", "mm/s"),
        ("", "1/s", "s"),
        ("N*mm", "N*mm/s", "N*mm*s"),
        ("mm/s^3", "mm/s^4", "mm/s^2"),
        ("1/s", "1/s^2", ""),
    ],
)
def test_units_of_rates_and_areas(unit, rate, area):
    assert rate_unit(unit, "s") == rate and integral_unit(unit, "s") == area


def test_filters_pass_and_stop():
    t = np.linspace(0, 4, 4001)
    slow, fast = np.sin(2 * np.pi * 2 * t), 0.3 * np.sin(2 * np.pi * 80 * t)
    c = history(t, slow + fast)
    middle = slice(400, -400)
    assert np.allclose(filtered(c, 20).values[middle], slow[middle], atol=1e-3)
    assert np.allclose(filtered(c, 20, "highpass").values[middle], fast[middle], atol=1e-3)
    wanted = signal.sosfiltfilt(signal.butter(3, [50, 120], btype="bandpass", fs=1000, output="sos"), slow + fast)
    assert np.allclose(filtered(c, (50, 120), "bandpass", order=3).values, wanted, atol=1e-12)
    rough = filtered(history(uneven(4000, 4.0), np.sin(2 * np.pi * 2 * uneven(4000, 4.0))), 20)
    assert np.allclose(rough.values[400:-400], np.sin(2 * np.pi * 2 * uneven(4000, 4.0))[400:-400], atol=5e-3)
    for cut, kind, words in (
        (600, "lowpass", "not below half the sampling rate, 500"),
        (5, "low", "unknown filter"),
        (5, "bandpass", "two rising"),
        (-1, "lowpass", "above zero"),
    ):
        with pytest.raises(ModelError, match=words):
            filtered(c, cut, kind)


def test_moving_mean_is_exact_for_straight_lines_and_sines():
    t = uneven(3000)
    assert np.allclose(moving_mean(history(t, 3 - 2 * t), 0.3).values, 3 - 2 * t, atol=1e-12)
    w, T = 7.0, 0.2
    got = moving_mean(history(t, np.sin(w * t)), T).values
    inner = (t > T) & (t < 2 - T)
    assert np.allclose(got[inner], (np.sin(w * t) * np.sin(w * T / 2) / (w * T / 2))[inner], atol=2e-5)


def test_spectrum_shows_amplitudes_and_psd_the_variance():
    n, rate = 4000, 500.0
    t = np.arange(n) / rate
    y = 4 * np.sin(2 * np.pi * 25 * t) + 1.5 * np.cos(2 * np.pi * 100 * t) + 9
    s = spectrum(history(t, y, "N"))
    assert s.frequency.attrs["units"] == "Hz" and s.attrs["units"] == "N"
    assert float(s.sel(frequency=25, method="nearest")) == pytest.approx(4, rel=1e-9)
    assert float(s.sel(frequency=100, method="nearest")) == pytest.approx(1.5, rel=1e-9)
    assert float(spectrum(history(t, y), detrend=False, window="boxcar")[0]) == pytest.approx(9)
    noise = np.random.default_rng(5).normal(0, 2, n)
    p = psd(history(t, noise, "m/s^2"))
    assert p.attrs["units"] == "(m/s^2)^2/Hz" and float(np.trapezoid(p.values, p.frequency.values)) == pytest.approx(
        4, rel=0.06
    )
    f, wanted = signal.welch(noise, rate, nperseg=500)
    assert np.allclose(psd(history(t, noise), segment=1.0).values, wanted) and np.allclose(
        psd(history(t, noise), segment=1.0).frequency, f
    )
    assert psd(history(t, noise, "N", second="ms")).attrs["units"] == "N^2/(1/ms)"
    with pytest.raises(ModelError, match="has gaps"):
        spectrum(history(t, np.where(t > 1, np.nan, y)))


def test_peaks_of_a_decaying_oscillation():
    t = np.linspace(0, 5, 20001)
    y = np.exp(-0.3 * t) * np.cos(2 * np.pi * t)
    found = peaks(history(t, y))
    assert len(found) == 4 and np.diff(found["time"]) == pytest.approx(1.0, abs=1e-3)
    assert np.log(found["value"][:-1] / found["value"][1:]) == pytest.approx(0.3, rel=1e-3)  # the decrement
    assert len(peaks(history(t, y), count=2)) == 2 and peaks(history(t, y), valleys=True)["value"][0] == pytest.approx(
        -np.exp(-0.15), rel=5e-3
    )


def test_differences_of_curves_and_of_runs():
    t = np.linspace(0, 1, 11)
    d = difference(history(t, t**2), history(np.linspace(-1, 0.5, 40), np.zeros(40)))
    assert d.time.values == pytest.approx(t[:6]) and d.values == pytest.approx(t[:6] ** 2)
    with pytest.raises(ModelError, match="'y' is in mm, 'z' in N"):
        difference(history(t, t), history(t, t, "N", "z"))
    with pytest.raises(ModelError, match="no time in common"):
        difference(history(t, t), history(t + 5, t))
    a, b = run(201), run(101)  # the other has half the outputs: cubic with recorded rates
    b.data.body_position[:, 0, 1] += 0.25
    gap = a.difference(b, "ROTOR.position")
    assert np.allclose(gap.values[:, 1], -0.25, atol=1e-4) and np.allclose(gap.values[:, [0, 2]], 0, atol=1e-3)
    assert gap.attrs["units"] == "mm" and len(gap) == 201
    metres = run(201)
    metres.model = a.model.copy()
    metres.model.units = type(a.model.units)(length="METER")
    metres = Run(metres.model, metres.data, metres.info)
    assert a.difference(metres, "ROTOR.position.x").values == pytest.approx(-999 * a.curve("ROTOR.position.x").values)


def test_resampled_keeps_straight_lines_and_refuses_nonsense():
    t = uneven(50)
    c = resampled(history(t, 2 * t), 0.25)
    assert c.time.values == pytest.approx(np.arange(9) * 0.25) and c.values == pytest.approx(0.5 * np.arange(9))
    with pytest.raises(ModelError, match="longer than the curve"):
        resampled(history(t, t), 5.0)


def test_csv_of_curves(tmp_path):
    r = run(11)
    path = write_csv(tmp_path / "c.csv", r.curve("ROTOR.position"), r.curve("energy.kinetic"))
    rows = list(csv.reader(path.open()))
    assert rows[0] == [
        "time [s]",
        "ROTOR.position.x [mm]",
        "ROTOR.position.y [mm]",
        "ROTOR.position.z [mm]",
        "energy.kinetic [J]",
    ]
    assert np.array_equal(np.array(rows[1:], float)[:, 3], r.part("ROTOR").position.values[:, 2])  # every digit
    with pytest.raises(ModelError, match="another grid"):
        write_csv(tmp_path / "d.csv", r.curve("energy.kinetic"), run(12).curve("energy.kinetic"))


def test_table_of_reactions(tmp_path):
    r = run(2001)  # force (sin t, cos t, 2), torque (t, 0, exp -t)
    table = reactions(r)
    row = table["hinge"]
    assert row["peak_force"] == pytest.approx(np.sqrt(5)) and row["rms_force"] == pytest.approx(np.sqrt(5), rel=1e-6)
    assert (
        row["peak_torque"] == pytest.approx(np.hypot(2, np.exp(-2)))
        and row["torque_time"] == 2.0
        and row["torque"] == pytest.approx([2, 0, np.exp(-2)])
    )
    mean = integrate.quad(lambda t: t**2 + np.exp(-2 * t), 0, 2)[0] / 2
    assert row["rms_torque"] == pytest.approx(np.sqrt(mean), rel=1e-6)
    assert len(table) == 2 and len(r.reactions(forces=True)) == 4 and table.rows["element"][0] == "HINGE"
    assert "peak force (N)" in str(table) and "HINGE" in table._repr_html_()
    rows = list(csv.reader(table.csv(tmp_path / "r.csv").open()))
    assert rows[0][:3] == ["element", "peak force (N)", "at (s)"] and float(rows[1][1]) == pytest.approx(np.sqrt(5))
    with pytest.raises(ModelError, match="no row of 'nothing'"):
        table["nothing"]


def test_phase_plots():
    from holonom.results.pictures.plots import plot_phase

    r = slider_crank()
    fig = plot_phase(r, "JOINT_1.angle", "JOINT_1.angular_velocity")
    line = fig.axes[0].lines[0]
    assert np.array_equal(line.get_xdata(), curve(r, "JOINT_1.angle")) and "rad" in fig.axes[0].get_xlabel()
    low, high = fig.axes[0].get_xlim()
    assert (
        low <= line.get_xdata().min() and high >= line.get_xdata().max() and high - low < 1.2 * np.ptp(line.get_xdata())
    )
    with pytest.raises(ModelError, match="choose one, as 'crank.position.x'"):
        plot_phase(r, "crank.position", "crank.velocity.x")
    with pytest.raises(ModelError, match="one axis cannot hold mm and mm/s"):
        plot_phase(r, "JOINT_1.angle", ["crank.position.x", "crank.velocity.x"])

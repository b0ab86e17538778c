"""The plots of a report in a real browser: zoom, values worked out, several runs, what is saved, keys; and contrast and
labels by axe-core.

Needs chromium (Debian: ``apt-get install chromium``); skipped, saying so, where there is none.
"""

from __future__ import annotations

import csv
import io
import json
from importlib import resources
from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
import pytest
from _browser import Browser, find_chromium
from _fabricated import slider_crank
from _pages import plainly, unpack
from scipy import signal

from holonom.results.pages.data import embedded, pack, pack_curve
from holonom.results.pages.report import write_report

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="chromium is not installed, so no page was opened")
ENERGIES = "[...holonomPlots.drawn].find(p => p.o.title === 'Energies')"
EVIL = "=2+3</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """One page of two runs, the second of which has a fifth more kinetic energy."""
    run, other = slider_crank(), slider_crank()
    other.data.energy_kinetic *= 1.2
    path = write_report(
        run, tmp_path_factory.mktemp("plots") / "r.html", renderer="canvas", others={EVIL: other}, label="first"
    )
    with Browser(path, width=1280, height=900) as b:
        b.wait("document.querySelector('[data-ready]')")
        b.js("holonomPlots.finish()")
        yield run, b
        assert b.errors == [] and [r for r in b.requests if not r.startswith("data:")] == [path.resolve().as_uri()]


def curves(b):
    return {
        c["name"]: (np.array(c["x"]), np.array(c["y"], float))
        for c in b.js(
            f"{ENERGIES}.curves().map(c => ({{name: c.name, x: [...c.x], y: [...c.y].map(v => Number.isFinite(v) ? v : "
            f"null)}}))"
        )
    }


def test_two_runs_stand_over_each_other_and_their_difference_is_told(page):
    run, b = page
    found = curves(b)
    assert {"kinetic · first", f"kinetic · {EVIL}"} <= set(found)
    x, y = found[f"kinetic · {EVIL}"]
    kinetic = run.energy["kinetic"].values
    assert np.allclose(x, run.time, atol=1e-6) and np.allclose(y, 1.2 * kinetic, rtol=1e-5, atol=1e-6 * kinetic.max())
    words = b.js("document.getElementById('runs').textContent")
    assert (
        "energy.kinetic" in words
        and EVIL in words
        and b.js("document.querySelectorAll('#runs img, #curves img').length") == 0
    )
    first = b.js(f"{ENERGIES}.raw.findIndex(s => s.name === 'kinetic · first')")
    b.js(f"void {ENERGIES}.set({{reference: {first}}})")
    try:
        assert np.allclose(
            curves(b)[f"kinetic · {EVIL} − kinetic · first"][1], 0.2 * kinetic, rtol=1e-4, atol=2e-6 * kinetic.max()
        )
        assert b.js(f"{ENERGIES}.element.querySelector('.plot-ylabel').textContent").startswith(
            "difference of energy (J)"
        )
    finally:
        b.js(f"void {ENERGIES}.set({{reference: -1}})")


def test_derivative_integral_spectrum_and_filter_are_those_of_numpy(page):
    _, b = page
    n, rate = 1024, 200.0
    t = np.arange(n) / rate
    y = 3 * np.sin(2 * np.pi * 12.5 * t) + 0.5 * np.sin(2 * np.pi * 50 * t) + 2.0
    b.js(f"window.probe = {{x: Float64Array.from({t.tolist()}), y: Float64Array.from({y.tolist()}), mode: 'line'}}; 1")
    work = lambda call: [np.array(c) for c in b.js(f"(s => [[...s.x], [...s.y]])(holonomPlot.numbers.{call})")]
    assert np.allclose(work("changed(probe, 'derivative')")[1][1:-1], np.gradient(y, t)[1:-1], rtol=1e-9, atol=1e-9)
    f, density = work("changed(probe, 'psd')")
    want = signal.welch(y, rate, nperseg=n // 4, detrend="constant")
    assert np.allclose(f, want[0]) and np.allclose(density, want[1], rtol=1e-9, atol=1e-12 * want[1].max())
    area = np.concatenate([[0], np.cumsum((y[1:] + y[:-1]) / 2 / rate)])
    assert np.allclose(work("changed(probe, 'integral')")[1], area, atol=1e-9)
    f, a = work("changed(probe, 'spectrum')")
    window = signal.windows.hann(n, sym=False)
    wanted = 2 * np.abs(np.fft.rfft(window * (y - y.mean())))[: n // 2] / window.sum()
    wanted[0] /= 2
    assert (
        np.allclose(a, wanted, atol=1e-9)
        and f[np.argmax(a)] == pytest.approx(12.5, abs=0.2)
        and a.max() == pytest.approx(3, rel=0.02)
    )
    smooth = work("filtered(probe, 'lowpass', 25)")[1]
    wanted = signal.filtfilt(*signal.butter(2, 25, fs=rate), y)
    assert np.allclose(smooth[100:-100], wanted[100:-100], atol=1e-6)


def test_packed_numbers_are_read_as_they_were_written(page):
    """All types and shapes, short and long, as the page's script reads them."""
    _, b = page
    rng = np.random.default_rng(2)
    walk = np.cumsum(rng.normal(size=(300, 7)), axis=0)
    cases = [
        (walk, "<f4", "Float32Array"),
        (walk[:, 0], "<f8", "Float64Array"),
        (100 * walk, "<i2", "Int16Array"),
        (np.abs(walk) * 900, "<u2", "Uint16Array"),
        (rng.integers(0, 255, (301, 3)), "<u1", "Uint8Array"),
        (rng.integers(-1, 9, (200, 5)), "<i4", "Int32Array"),
        (walk[:3], "<f4", "Float32Array"),
        (rng.integers(0, 2**32, 500), "<u4", "Uint32Array"),
        (np.where(walk > 5, np.nan, walk), "<f4", "Float32Array"),
    ]
    for values, dtype, kind in cases:
        code = json.loads(embedded([pack(values, dtype)]))[0]
        got = b.js(f"[...holonomUnpack({json.dumps(code)}, {kind})].map(v => Number.isNaN(v) ? 'nan' : v)")
        wanted = np.asarray(values).astype(dtype).ravel().astype(float)
        assert np.array_equal(np.array(got, float), wanted, equal_nan=True), (dtype, code[:20])
    for values in (
        walk[:, 0],
        1e-9 * walk[:, 1] - 3,
        np.exp(walk[:, 2]),
        1e30 * walk[:, 3],
        np.sin(np.arange(30.0)),
        np.where(np.arange(300) == 50, 1e9, 1.0),
    ):
        code = json.loads(embedded([pack_curve(values)]))[0]
        got = np.array(b.js(f"[...holonomUnpack({json.dumps(code)}, Float32Array)]"))
        assert np.abs(got - values).max() <= 2.0**-23 * np.abs(values).max()
        assert np.array_equal(unpack(plainly(code), "<f4"), got.astype("<f4"))
    spike = unpack(plainly(code), "<f4")
    assert spike[0] == 1.0 and spike[50] == 1e9  # what is next to a spike is as true as ever


@pytest.mark.parametrize(
    "title, unit, rate, area",
    [("Energies", "J", "J/s", "J·s"), ("Speed of the centres of mass", "mm/s", "mm/s²", "mm")],
)
def test_units_of_axes_follow(page, title, unit, rate, area):
    _, b = page
    plot = f"[...holonomPlots.drawn].find(p => p.o.title === '{title}')"
    for change, wanted in (("", unit), ("derivative", rate), ("integral", area), ("spectrum", unit)):
        b.js(f"void {plot}.set({{change: '{change}'}})")
        b.wait_until_idle()
        y, x = b.js(f"['.plot-ylabel', '.plot-xlabel'].map(s => {plot}.element.querySelector(s).textContent)")
        assert f"({wanted})" in y and x.startswith("frequency (Hz)" if change == "spectrum" else "time (s)"), (y, x)
    b.js(f"void {plot}.set({{change: ''}})")


def test_zoom_values_in_view_and_keys(page):
    run, b = page
    b.js(f"{ENERGIES}.setZoom(0.5, 1.0); {ENERGIES}.element.querySelector('[aria-label^=\"Zoom, change\"]').click()")
    try:
        assert b.js(f"{ENERGIES}.zoom") == pytest.approx([0.5, 1.0])
        rows = b.js(
            f"[...{ENERGIES}.panel.querySelectorAll('tbody tr')].map(r => [...r.children].map(c => c.textContent))"
        )
        row = next(r for r in rows if r[0] == "kinetic · first")
        kinetic = run.energy["kinetic"].sel(time=slice(0.5, 1.0))
        assert float(row[1].replace("−", "-")) == pytest.approx(float(kinetic.min()), rel=1e-4)
        assert float(row[2]) == pytest.approx(float(kinetic.max()), rel=1e-4)
        b.js(f"{ENERGIES}.stage.focus()")
        b.js("holonomViewers[0].setTime(0.75)")
        b.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
        assert b.js("holonomViewers[0].time") == pytest.approx(0.755, abs=1e-6)  # a hundredth of what is in view
        b.call("Input.dispatchKeyEvent", type="keyDown", key="0")
        b.wait_until_idle()
        assert b.js(f"{ENERGIES}.zoom") == pytest.approx([run.time[0], run.time[-1]])
    finally:
        b.js(f"{ENERGIES}.reset(); {ENERGIES}.panel && {ENERGIES}.menu()")


def test_what_is_saved(page):
    run, b = page
    rows = list(csv.reader(io.StringIO(b.js(f"{ENERGIES}.csv()"))))
    assert rows[0][0] == "time (s)" and "kinetic · first (J)" in rows[0] and len(rows) == len(run.time) + 1
    column = np.array([float(r[rows[0].index("kinetic · first (J)")]) for r in rows[1:]])
    assert np.allclose(column, run.energy["kinetic"].values, rtol=1e-5, atol=1e-6 * column.max())
    b.js(f"{ENERGIES}.list[0].name = '=2+3'")
    assert "'=2+3 (J)" in b.js(f"{ENERGIES}.csv()").splitlines()[0]  # no formula of a spreadsheet
    b.js(f"{ENERGIES}.build()")
    svg = ElementTree.fromstring(b.js(f"{ENERGIES}.svg()"))  # well formed, names are text
    texts = [e.text for e in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert (
        "Energies" in texts
        and any(EVIL in t for t in texts if t)
        and not [e for e in svg.iter() if e.tag.endswith(("img", "script"))]
    )
    assert b.js(f"{ENERGIES}.png().then(a => a.slice(0, 22))") == "data:image/png;base64,"


def test_without_scripts_pictures_stand(page, tmp_path):
    run, _ = page
    text = write_report(run, tmp_path / "r.html", animation=False).read_text()
    svg = ElementTree.fromstring(text.split("<figcaption>Energies</figcaption><noscript>")[1].split("</noscript>")[0])
    paths = [e.get("d") for e in svg.iter("path")]
    assert len(paths) >= 3 and all(p.startswith("M") and p.count("L") > 20 for p in paths)
    assert "kinetic" in "".join(svg.itertext()) and "energy (J): " in "".join(svg.itertext())


@pytest.mark.skipif(
    find_spec("axe_playwright_python") is None,
    reason="axe-playwright-python is not installed, so axe-core did not check the page",
)
@pytest.mark.parametrize("dark", [False, True])
def test_contrast_and_labels_pass_axe(page, dark):
    _, b = page
    b.call(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    )
    b.js(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text() + "; 1")
    b.js(f"{ENERGIES}.panel || {ENERGIES}.menu(); {ENERGIES}.set({{filter: 'lowpass', width: 5}}); 1")
    found = b.js(
        "axe.run(document).then(r => r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), "
        "v.nodes[0].failureSummary]))"
    )
    b.js(f"{ENERGIES}.menu(); {ENERGIES}.set({{filter: ''}}); 1")
    assert found == []


def test_a_quantity_colours_bodies_and_draws_arrows(page):
    _, b = page
    b.js("holonomViewers[0].setTime(0.6)")
    picture = lambda: b.screenshot(selector=".hv-stage canvas")
    plain = picture()
    b.js("holonomViewers[0].shown.set('colors', 'velocity')")
    coloured = picture()
    assert np.abs(plain - coloured).max(axis=2).mean() > 1e-3 and not b.js("document.querySelector('.hv-key').hidden")
    assert b.js("document.querySelector('.hv-key').textContent").startswith("0speed, mm/s")
    b.js("holonomViewers[0].shown.set('arrows', 'velocity')")
    assert np.abs(picture() - coloured).max(axis=2).mean() > 1e-4
    b.js("holonomViewers[0].shown.set('colors', ''); holonomViewers[0].shown.set('arrows', '')")
    assert np.abs(plain - picture()).max() < 0.02

"""Whatever writes a file makes the folder it is to lie in."""

import numpy as np
import pytest

import holonom as hn


@pytest.fixture(scope="module")
def run():
    model = hn.Model("ball", units="SI")
    model.point_mass("ball", 1.0, (0, 0, 1.0))
    model.gravity = (0, 0, -9.80665)
    return hn.simulate(model, end=0.1, steps=4, progress=False)


WRITERS = {
    "run.h5": lambda run, path: run.save(path),
    "run.html": lambda run, path: run.report(path),
    "run.glb": lambda run, path: run.export_gltf(path),
    "model.adm": lambda run, path: hn.write_adams(run.model, path),
    "curve.csv": lambda run, path: __import__("holonom.results.curves", fromlist=["x"]).write_csv(
        path, run.energy.kinetic
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_folder_is_made(run, tmp_path, name):
    path = tmp_path / "a new" / "folder" / name
    WRITERS[name](run, path)
    assert path.stat().st_size > 100


def test_peaks_of_a_spectrum():
    """Two sines on an exact grid of frequencies: peaks at 5 and 12 Hz with amplitudes 3 and 1."""
    import xarray as xr

    from holonom.results.curves import peaks, spectrum

    t = np.arange(2000) / 1000
    curve = xr.DataArray(
        3 * np.sin(2 * np.pi * 5 * t) + np.sin(2 * np.pi * 12 * t),
        {"time": ("time", t, {"units": "s"})},
        ("time",),
        name="x",
        attrs={"units": "m"},
    )
    found = peaks(spectrum(curve))
    assert found.dtype.names[0] == "frequency"
    assert found["frequency"] == pytest.approx([5.0, 12.0]) and found["value"] == pytest.approx([3.0, 1.0], rel=1e-3)
    assert peaks(curve).dtype.names[0] == "time"

"""Results cannot be written to by accident; tables have rows; a copy of a model is a copy."""

import copy

import numpy as np
import pytest

import holonom as hn


@pytest.fixture(scope="module")
def ran():
    model = hn.Model("p")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", 2.0, (0.001, 0.167, 0.167), (0.5, 0, 0))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return hn.simulate(model, 0.1, 4)


@pytest.mark.parametrize("back", [False, True])
def test_arrays_of_a_run_are_read_only(ran, back, tmp_path):
    if back:
        ran.save(tmp_path / "run.h5")
        ran = hn.load(tmp_path / "run.h5")
    d = ran.data
    arrays = [
        ran.time,
        ran.history,
        d.impacts,
        *(v for v in vars(d).values() if isinstance(v, np.ndarray) and v.dtype.kind == "f"),
        *d.extra.values(),
    ]
    arrays += [
        ran.part("rod").position.values,
        ran.part("rod").euler.values,
        ran.joint("pin").angle.values,
        ran.marker(2).velocity.values,
    ]
    for array in arrays:
        assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only|is a view"):
        ran.part("rod").position[0] = 1.0
    assert ran.part("rod").position.copy().values.flags.writeable


def test_a_table_has_a_row_for_each_time(ran):
    table = ran.to_dataframe()
    assert len(table) == len(ran.time) and table.index.name == "time"
    assert np.array_equal(table["rod.position.z"], ran.part("rod").position.values[:, 2])
    assert np.allclose(table["pin.angle"], ran.joint("pin").angle.values, rtol=1e-12)
    assert table.attrs["units"]["pin.force.x"] == ran.units("force")
    assert len(ran.to_xarray().to_dataframe())  # what there is none of does not empty it


def test_names_of_several_kinds_do_not_replace_each_other():
    model = hn.Model("p")
    for _ in range(2):
        model.point_mass("twin", 1.0, (0, 0, 1))
    run = hn.simulate(model, 0.1, 2)
    table = run.to_dataframe()
    assert {"twin.position.x", "POINT_MASS/2 twin.position.x"} <= set(table.columns)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, hn.Model.copy])
def test_copies_of_a_model_are_models_of_their_own(ran, way):
    model = ran.model
    twin = way(model)
    twin.part("another", 1.0, (1, 1, 1))
    twin.find("PART", "rod").mass = 7.0
    twin.warn("of the copy")
    assert (
        model.find("PART", "rod").mass == 2.0
        and "another" not in [p.name for p in model.parts.values()]
        and not model.warnings
    )
    assert len(hn.simulate(twin, 0.01, 1)) == 2

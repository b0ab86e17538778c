"""All public datasets are read to the end, counted, and written so that they read back to the same model."""

import pytest
from _adams_data import ADAMS, DATASETS, SHARED, expected_counts, plain

from _public_data import NEEDS
from holonom.formats import parse_adm, read_adm, write_adm
from holonom.model import Model

pytestmark = pytest.mark.skipif(not DATASETS, reason=f"{NEEDS}: {ADAMS} is absent")
NAMES = [str(p.relative_to(SHARED)) for p in DATASETS]


def test_there_are_29_datasets():
    assert len(DATASETS) == 29
    assert set(NAMES) == set(expected_counts())


@pytest.mark.parametrize("name", NAMES)
def test_counts_round_trip_and_json(name):
    path = SHARED / name
    model = read_adm(path)
    assert model.warnings == []
    statements, joints = expected_counts()[name]
    foreign = [e.statement for e in model.table("FOREIGN").values()]
    for keyword, count in statements.items():
        if keyword in ("INTEGRATOR", "EQUILIBRIUM"):
            kind = {"INTEGRATOR": "integrator", "EQUILIBRIUM": "equilibrium"}[keyword]
            assert getattr(model, kind) != type(getattr(model, kind))()
        elif keyword in ("RESULTS", "PREFERENCES", "OUTPUT"):
            assert keyword in model.preferences
        elif keyword in foreign:
            assert foreign.count(keyword) == count
        else:
            assert len(model.table(keyword)) == count, keyword
    types = [e.type for kind in ("JOINT", "JPRIM") for e in model.table(kind).values()]
    for kind, count in joints.items():
        assert types.count(kind) == count
    assert all(e.source.line > 1 and e.source.file == str(path) for e in model)

    text = write_adm(model)
    again = parse_adm(text, str(path))
    assert plain(again) == plain(model)
    assert write_adm(again) == text
    assert Model.from_json(model.to_json()).to_dict() == model.to_dict()


def test_values_of_a_wind_turbine():
    model = read_adm(ADAMS / "nrel_fast/Test02_ADAMS.adm")
    assert model.units.force == "KILONEWTON"
    field = model.table("FIELD")[1101]
    assert field.kmatrix[7] == 1.8795e8 and field.kmatrix[11] == -9.3929e7 and field.length[0] == 0.9995238
    assert model.table("GFORCE")[11010].function == "USER( 1, 1 )"
    assert model.table("GSE")[1].sample_period == 1.0
    outline = next(g for g in model.table("GRAPHICS").values() if g.type == "OUTLINE")
    assert outline.arguments["points"] == (5121, 5122, 5123, 5124, 5125, 5121)
    assert model.table("FRICTION")[3151].inputs == ("PRELOAD",)
    assert any(s.text == "" for s in model.table("STRING").values())  # an unset Fortran string of zero bytes


def test_values_of_a_drill_string():
    model = read_adm(ADAMS / "adamspy/test_analysis_1.adm")
    force = model.table("GFORCE")[9006301]
    assert force.fz == "-2E7*(DIF(8002)-DIF(8001)) -2E5*(DIF1(8002)-DIF1(8001))" and force.tz == "0"
    user = model.table("GFORCE")[9000000]
    assert user.function.endswith("0, 1, 0, 1, 0.55, 1.05)") and user.routine == "adrill_solver::BitForces"
    coordinates = model.table("MATRIX")[9000]
    assert coordinates.order == "CORDER" and coordinates.values[3:6] == (0.0, 0.0, 252.0)
    assert model.integrator.extra == () and model.integrator.alpha == -0.25 and model.integrator.corrector == "MODIFIED"
    assert model.table("LSE")[1].static_hold and model.table("GSE")[990].interface[3] == "adrill_solver::gse_samp"
    assert model.gravity == (0.0, 0.0, 27.26041837)

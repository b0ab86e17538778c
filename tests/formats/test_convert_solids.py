"""`holonom convert` from command files to datasets: solids with profiles keep mass, shape and what their contacts
do."""

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.contact.tables import GAP, N, P
from holonom.formats import read_adm, read_cmd
from holonom.model.shape import shape_of
from holonom.system.build import System

TEXT = """model create model_name = .m
defaults units length = mm mass = kg force = newton time = second angle = degrees
material create material_name = .m.steel density = 7.8E-6 youngs_modulus = 2.07E5 poissons_ratio = 0.29
force create body gravitational gravity_field_name = .m.gravity x_component_gravity = 0 y_component_gravity = 0 z_component_gravity = -9806.65
marker create marker_name = .m.ground.base location = 0, 0, 0
geometry create shape plane plane_name = .m.ground.floor ref_marker_name = .m.ground.base x_minimum = -3000 x_maximum = 3000 y_minimum = -3000 y_maximum = 3000
part create rigid_body name_and_position part_name = .m.A location = 10, 20, 0.5 orientation = 30, 0, 0
marker create marker_name = .m.A.ref location = 10, 20, 0.5 orientation = 30, 0, 0
geometry create shape {shape}
part modify rigid_body mass_properties part_name = .m.A material_type = .m.steel
contact create contact_name = .m.hit i_geometry_name = .m.A.bar j_geometry_name = .m.ground.floor stiffness = 1E5 damping = 10 exponent = 1.5 dmax = 0.1
"""  # noqa: E501
EXTRUSION = (
    "extrusion extrusion_name = .m.A.bar reference_marker = .m.A.ref relative_to = .m.A.ref "
    "length_along_z_axis = 40 points_for_profile = "
)
ANGLE = ((0, 0), (60, 0), (60, 10), (10, 10), (10, 50), (0, 50))
TURNED = ((20, 0), (30, 0), (30, 40), (20, 40))
points = lambda rows, z=0.0: ", ".join(f"{x}, {y}, {z}" for x, y in rows)
REVOLUTION = (
    "revolution revolution_name = .m.A.bar reference_marker = .m.A.ref relative_to = .m.A.ref angle_extent = "
    "360 points_for_profile = "
)
# what is drawn, its volume in mm^3, its height above the marker at the bottom
CASES = {
    "closed": (EXTRUSION + points([*ANGLE, ANGLE[0]]), 40_000, 0),
    "open": (EXTRUSION + points(ANGLE), 40_000, 0),
    "clockwise": (EXTRUSION + points([*ANGLE[::-1], ANGLE[-1]]), 40_000, 0),
    "above its marker": (EXTRUSION + points([*ANGLE, ANGLE[0]], 3.0), 40_000, 3),
    "in ground's axes": (EXTRUSION.replace(" relative_to = .m.A.ref", "") + points([*ANGLE, ANGLE[0]], 0.5), 40_000, 0),
    "turned": (REVOLUTION + ", ".join(f"{r}, 0, {z}" for r, z in [*TURNED, TURNED[0]]), np.pi * 500 * 40, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_solids_with_profiles_survive(name, tmp_path):
    shape, volume, above = CASES[name]
    source, target, back = tmp_path / "m.cmd", tmp_path / "m.adm", tmp_path / "again.adm"
    source.write_text(TEXT.format(shape=shape))
    for one, two in ((source, target), (target, back)):
        done = CliRunner().invoke(app, ["convert", str(one), str(two)])
        assert done.exit_code == 0, done.output
    models = read_cmd(source), read_adm(target), read_adm(back)
    first = models[0].find("PART", "A")
    assert first.mass == pytest.approx(7.8e-6 * volume, rel=1e-12)
    rows, ends = [], []
    for m in models:
        part, graphic = m.find("PART", "A"), m.find("GRAPHICS", "bar")
        assert part.mass == pytest.approx(first.mass, rel=1e-14) and part.ip == pytest.approx(
            first.ip, rel=1e-12, abs=1e-9
        )
        assert graphic.type == models[0].find("GRAPHICS", "bar").type
        assert shape_of(m, graphic).kind == shape_of(models[0], models[0].find("GRAPHICS", "bar")).kind
        contacts = System(m).contacts
        found = contacts.W.pts[: contacts.collect(0.0, contacts.system.y0.copy(), 10.0)].copy()
        assert len(found) and found[:, GAP].min() == pytest.approx(0.5 + above, abs=1e-9)
        rows.append(found[np.lexsort(found[:, P : P + 3].T.round(9))])
        ends.append(hn.simulate(m, 0.015, 60, integrator="HHT"))
    for found, run in zip(rows[1:], ends[1:]):
        np.testing.assert_allclose(
            found[:, [*range(P, P + 3), *range(N, N + 3), GAP]],
            rows[0][:, [*range(P, P + 3), *range(N, N + 3), GAP]],
            atol=1e-9,
        )
        np.testing.assert_allclose(run.part("A").position.values, ends[0].part("A").position.values, atol=1e-9)
        np.testing.assert_allclose(
            run.contact("hit").force.values, ends[0].contact("hit").force.values, rtol=1e-6, atol=1e-6
        )
    if not above:
        assert ends[0].contact("hit").force.values[:, 2].max() > 10.0  # it has landed: 0.5 mm take 10 ms

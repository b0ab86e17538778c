"""STEP files become bodies of their solids; without Open CASCADE a sentence says what to install."""

import asyncio
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from holonom.model import ModelError
from holonom.model.mesh import check_mesh
from holonom.studio.step_solids import read_step_solids

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

SIZE, HOLE, RADIUS, MOVED = (40.0, 30.0, 20.0), 5.0, 8.0, (100.0, 0.0, 50.0)  # mm
PLATE = math.prod(SIZE) - math.pi * HOLE**2 * SIZE[2]
BALL = 4.0 / 3.0 * math.pi * RADIUS**3


def write_assembly(path):
    """A plate with a hole, and a ball that is moved in the assembly."""
    pytest.importorskip("OCP", reason="Open CASCADE is not installed (pip install holonom[cad])")
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopLoc import TopLoc_Location
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    axis = gp_Ax2(gp_Pnt(SIZE[0] / 2, SIZE[1] / 2, -1.0), gp_Dir(0, 0, 1))
    plate = BRepAlgoAPI_Cut(
        BRepPrimAPI_MakeBox(*SIZE).Shape(), BRepPrimAPI_MakeCylinder(axis, HOLE, SIZE[2] + 2.0).Shape()
    ).Shape()
    document = TDocStd_Document(TCollection_ExtendedString("step"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    whole, place = tool.NewShape(), gp_Trsf()
    place.SetTranslation(gp_Vec(*MOVED))
    for name, shape, at in (
        ("plate", plate, TopLoc_Location()),
        ("ball", BRepPrimAPI_MakeSphere(RADIUS).Shape(), TopLoc_Location(place)),
    ):
        label = tool.AddShape(shape, False)
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        tool.AddComponent(whole, label, at)
    tool.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document)
    writer.Write(str(path))


def volume_of(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def test_solids_of_an_assembly_are_closed_at_their_places(tmp_path):
    write_assembly(tmp_path / "two.step")
    found = {name: rest for name, *rest in read_step_solids(tmp_path / "two.step")}
    assert set(found) == {"plate", "ball"}
    for name, volume in (("plate", PLATE), ("ball", BALL)):
        points, triangles, exact = found[name]
        check_mesh(points, triangles, False)  # closed, and faces outward
        assert exact == pytest.approx(volume, rel=1e-9)
        assert volume_of(points, triangles) == pytest.approx(volume, rel=0.02)
    centre = found["ball"][0].mean(axis=0)
    assert centre == pytest.approx(MOVED, abs=0.1 * RADIUS)
    (tmp_path / "no.step").write_text("ISO-10303-21;\nnothing")
    with pytest.raises(ModelError, match="not a STEP file|no solids"):
        read_step_solids(tmp_path / "no.step")


def test_without_open_cascade_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "OCP.STEPCAFControl", None)
    monkeypatch.setitem(sys.modules, "OCP.BRepGProp", None)
    with pytest.raises(ModelError, match=r"pip install 'holonom\[cad\]'"):
        read_step_solids(tmp_path / "any.step")


def test_what_a_browser_gives_is_read_or_refused(tmp_path):
    from test_projects import Client

    client = Client(tmp_path)

    async def work():
        with pytest.raises(ModelError, match=r"STEP files need Open CASCADE|is not a STEP file|no solids"):
            await client.session.take_step("../../broken.step", b"ISO-10303-21;")
        await client.end()

    asyncio.run(work())
    assert not list(tmp_path.glob("meshes/*"))


@pytest.mark.slow
def test_bodies_of_a_step_file_by_the_menu(chromium, tmp_path):
    write_assembly(tmp_path / "two.step")
    folder = tmp_path / "project"
    folder.mkdir()
    with studio(folder) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.start.close()")
        page.locator("#menu-file").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("menuitem", name="Import a STEP file ...").click()
        chooser.value.set_files(tmp_path / "two.step")
        soon(page, "document.querySelectorAll('dialog[open] input[type=checkbox]').length", 2, 120)
        page.locator("#a-density").fill("1000")
        page.locator("#dialog-ok").click()
        until(page, "studio.file.steps === 1 && studio.chosen.size === 2")
        rows = page.evaluate("studio.link.ask('element', { kind: 'PART', id: 2 })")["element"]["rows"]
        mass = next(r["value"] for r in rows if r["name"] == "mass")
        assert float(mass) == pytest.approx(PLATE * 1e-9 * 1000.0, rel=0.02)
        names = [r["name"] for r in json.loads(page.evaluate("JSON.stringify([...studio.view.bodies])"))]
        assert {"plate", "ball"} <= set(names)
        page.evaluate("studio.undo('undo')")  # all of them are one step
        until(page, "studio.file.steps === 0")
        assert not page.faults

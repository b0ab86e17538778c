"""Meshes of the user's computer: taken through the browser into the folder of the model, with mass and script."""

import asyncio
import json
import struct
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from holonom.model import ModelError

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until  # noqa: E402

#: a tetrahedron with three edges of length 60, 30 and 20 along the axes: volume 60 * 30 * 20 / 6
CORNERS = ((0, 0, 0), (60, 0, 0), (0, 30, 0), (0, 0, 20))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
VOLUME = 60 * 30 * 20 / 6


def stl(faces=FACES):
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *(v for n in f for v in CORNERS[n]), 0) for f in faces)
    return b"\0" * 80 + struct.pack("<I", len(faces)) + rows


def obj():
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    return "\n".join(lines).encode()


def post(address, name, data, token=None):
    place, _, own = address.partition("/?token=")
    url = f"{place}/mesh?name={urllib.request.quote(name)}"
    head = {"Authorization": f"Bearer {own if token is None else token}"}
    return json.loads(urllib.request.urlopen(urllib.request.Request(url, data, head)).read())


@pytest.fixture
def client(tmp_path):
    from test_projects import Client

    return Client(tmp_path)


def test_a_mesh_is_kept_beside_the_model_and_no_other_file_is_touched(client, tmp_path):
    take = client.session.take_mesh
    first = take("wedge.STL", stl())
    assert first == {"file": "meshes/wedge.stl", "size": [60.0, 30.0, 20.0], "triangles": 4, "closed": ""}
    assert take("wedge.stl", stl()) == first  # the same file once more
    other = take("wedge.stl", obj_as_other := stl(FACES[:3]))
    assert other["file"] == "meshes/wedge-2.stl" and other["closed"]  # a face is missing
    assert (tmp_path / "meshes/wedge.stl").read_bytes() == stl()
    assert (tmp_path / "meshes/wedge-2.stl").read_bytes() == obj_as_other
    assert take("a/b\\c/../wedge.obj", obj())["file"] == "meshes/wedge.obj"
    for name in ("x.py", "..", ".stl", "stl", "a.stl/", "mesh.adm", ""):
        with pytest.raises(ModelError, match="is not a mesh"):
            take(name, stl())
    for name in ("broken.stl", "broken.obj"):
        with pytest.raises(ModelError, match=name):
            take(name, b"\0nonsense")
        assert not (tmp_path / "meshes" / name).exists()
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file() and ".holonom" not in p.parts) == [
        "wedge-2.stl",
        "wedge.obj",
        "wedge.stl",
    ]


def test_a_link_out_of_the_project_is_not_followed(client, tmp_path_factory, tmp_path):
    outside = tmp_path_factory.mktemp("outside")
    (tmp_path / "meshes").symlink_to(outside, target_is_directory=True)
    with pytest.raises(ModelError, match="outside of the project"):
        client.session.take_mesh("wedge.stl", stl())
    assert not list(outside.iterdir())


def test_mass_of_a_mesh_of_a_new_model_and_its_script(client, tmp_path, monkeypatch):
    """The folder of a model without a file is that of the project, wherever the server was started."""
    (elsewhere := tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(elsewhere)

    async def work():
        file = client.session.take_mesh("wedge.stl", stl())["file"]
        arguments = {"name": "wedge", "mesh": file, "scale": 0.001, "density": 7850}
        answer = await client.ask("edit", command={"do": "create", "method": "part_mesh", "arguments": arguments})
        assert "error" not in answer, answer
        part = next(p for p in client.session.document.model.parts.values() if p.name == "wedge")
        assert part.mass == pytest.approx(7850 * VOLUME * 1e-9, rel=1e-12)
        assert "here / 'meshes/wedge.stl'" in answer["script"]
        await client.end()

    asyncio.run(work())


def test_meshes_come_only_from_who_has_the_token(tmp_path):
    with studio(tmp_path) as address:
        assert post(address, "wedge.stl", stl())["triangles"] == 4
        for token in ("", "wrong"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                post(address, "other.stl", stl(), token)
        with pytest.raises(urllib.error.HTTPError, match="400"):
            post(address, "x.py", b"print()")
        assert [p.name for p in (tmp_path / "meshes").iterdir()] == ["wedge.stl"]


def test_a_mesh_is_chosen_in_the_form_and_dropped_into_the_picture(shop):
    page = shop.page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("studio.link.ask('new', { name: 'meshes', units: 'SI' })")
    until(page, "studio.file.steps === 0 && studio.view.version === studio.file.version")
    page.evaluate("studio.start.close(); void studio.create('part_mesh')")
    page.locator("#a-mesh-file").set_input_files({"name": "wedge.stl", "mimeType": "", "buffer": stl()})
    soon(page, "document.getElementById('a-mesh').value", "meshes/wedge.stl")
    assert "60 × 30 × 20" in page.locator("#a-mesh-about").text_content()
    page.locator("#a-scale").fill("0.001")
    page.locator("#a-density").fill("1000")
    page.locator("#dialog-ok").click()
    until(page, "[...studio.tree.items.values()].some((r) => r[0] === 'PART' && r[1] > 1)")
    until(page, "studio.view.version === studio.file.version && studio.view.triangles === 4")
    page.evaluate(
        "(text) => { const d = new DataTransfer(); d.items.add(new File([text], 'tip.obj'));"
        " document.getElementById('canvas').dispatchEvent(new DragEvent('drop', { dataTransfer: d, bubbles: true,"
        " cancelable: true })); }",
        obj().decode(),
    )
    soon(page, "document.getElementById('a-mesh')?.value", "meshes/tip.obj")
    page.locator("#dialog-ok").click()
    soon(page, "[...studio.tree.items.values()].filter((r) => r[0] === 'PART').length", 3)
    assert not page.faults

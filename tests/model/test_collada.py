"""COLLADA meshes: groups of faces, nodes of the scene, units, and files that are broken."""

import numpy as np
import pytest

import holonom as hn
from holonom.model.mesh import read_mesh

CORNERS = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1"
QUADS = "0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7".split()
TRIANGLES = [q for k in range(0, 24, 4) for q in (*QUADS[k : k + 3], QUADS[k], *QUADS[k + 2 : k + 4])]


def faces(kind):
    """A cube with a second input, whose numbers do not count."""
    pair = lambda numbers: " ".join(f"{n} 0" for n in numbers)
    inputs = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#none" offset="1"/>'
    if kind == "triangles":
        return f'<triangles count="12">{inputs}<p>{pair(TRIANGLES)}</p></triangles>'
    if kind == "polylist":
        return f'<polylist count="6">{inputs}<vcount>4 4 4 4 4 4</vcount><p>{pair(QUADS)}</p></polylist>'
    return f"<polygons>{inputs}{''.join(f'<p>{pair(QUADS[k : k + 4])}</p>' for k in range(0, 24, 4))}</polygons>"


def file(tmp_path, kind="triangles", scene="", unit="", corners=CORNERS):
    text = f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset>{unit}<up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="s">
    <float_array id="a" count="24">{corners}</float_array><technique_common><accessor source="#a" count="8" stride="3"/>
    </technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
    {faces(kind)}</mesh></geometry></library_geometries>
    <library_controllers><controller id="c"><skin source="#g"/></controller></library_controllers>{scene}</COLLADA>"""
    path = tmp_path / "mesh.dae"
    path.write_text(text, encoding="utf-8")
    return path


def volume(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


@pytest.mark.parametrize("kind", ["triangles", "polylist", "polygons"])
def test_faces_of_every_kind(tmp_path, kind):
    points, triangles = read_mesh(file(tmp_path, kind))
    assert len(triangles) == 12 and volume(points, triangles) == pytest.approx(1.0)


def test_nodes_and_units(tmp_path):
    scene = """<library_visual_scenes><visual_scene id="w"><node><translate>1 2 3</translate><rotate>0 0 1 90</rotate>
    <node><scale>2 1 1</scale><instance_geometry url="#g"/></node></node>
    <node><matrix>1 0 0 9 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_controller url="#c"/></node>
    </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene>"""
    points, triangles = read_mesh(file(tmp_path, scene=scene, unit='<unit meter="0.01" name="cm"/>'))
    assert len(triangles) == 24 and volume(points, triangles) == pytest.approx(3e-6)
    assert points[:8].min(axis=0) == pytest.approx([0.00, 0.02, 0.03]) and points[:8].max(axis=0) == pytest.approx(
        [0.01, 0.04, 0.04]
    )
    assert points[8:].min(axis=0) == pytest.approx([0.09, 0, 0])


def test_a_part_has_such_a_mesh(tmp_path):
    m = hn.Model("cube")
    part = m.part("cube", 1.0, (1, 1, 1), (0, 0, 0))
    shape = m.mesh(part, str(file(tmp_path)))
    assert shape.volume == pytest.approx(1.0) if hasattr(shape, "volume") else shape is not None


@pytest.mark.parametrize(
    "change, match",
    [
        (lambda t: t.replace('source="#s"', 'source="#x"'), "'#x' is not in the file"),
        (lambda t: t.replace("0 1 1</float", "</float"), "too short"),
        (lambda t: t.replace("</COLLADA>", ""), "is broken"),
        (lambda t: t.replace("<p>0 0", "<p>99 0"), "a point that is not there"),
        (lambda t: t.replace('<?xml version="1.0"?>', '<?xml version="1.0"?><!DOCTYPE x>'), "document type"),
        (lambda t: t.replace(CORNERS, CORNERS.replace("1", "nan")), "not finite"),
    ],
)
def test_broken_files(tmp_path, change, match):
    path = file(tmp_path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(hn.ModelError, match=match):
        read_mesh(path)

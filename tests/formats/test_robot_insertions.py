"""Unknown elements and attributes at every place of a robot file are named or refused."""

import copy
import xml.etree.ElementTree as ET

import pytest
from _robots import quiet, reported

import holonom as hn

INERTIA = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
URDF = f"""<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="a"/><link name="b"><inertial><origin xyz="0 0 1"/><mass value="1"/>{INERTIA}</inertial>
<visual><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
<collision><origin xyz="0 0 1"/><geometry><sphere radius="1"/></geometry></collision></link><link name="c"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1"/><dynamics damping="1"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint></robot>"""
MJCF = """<mujoco model="m"><option gravity="0 0 -9.81"/><worldbody><body name="b" pos="0 0 1">
<joint name="j" type="hinge" axis="0 1 0" damping="1"/><geom type="sphere" size="0.1" mass="1"/>
</body></worldbody></mujoco>"""
SDF = """<sdf version="1.7"><model name="m"><link name="b"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="v"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry>
<material><script><uri>u</uri><name>n</name></script><ambient>1 0 0 1</ambient></material></visual>
<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>
<joint name="j" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""
READ = {"urdf": hn.read_urdf, "xml": hn.read_mjcf, "sdf": hn.read_sdf}


def silent(root, read, path, options):
    """Places where an unknown child or attribute is neither named, nor part of an element that is named."""
    missed = []
    for i, place in enumerate(root.iter()):
        for what in ("child", "attribute"):
            changed = copy.deepcopy(root)
            element = list(changed.iter())[i]
            if what == "child":
                ET.SubElement(element, "zzzq")
            else:
                element.set("zzzq", "1")
            path.write_bytes(ET.tostring(changed))
            said = reported(read, path, **options)
            above = {child: parent for parent in changed.iter() for child in parent}
            named = "zzzq" in said
            while not named and element in above:
                named = f"<{element.tag}>" in said
                element = above[element]
            if not named:
                missed.append((place.tag, what))
    return missed


CASES = [("urdf", URDF, "collision"), ("urdf", URDF, "visual"), ("xml", MJCF, None)]
CASES += [("sdf", SDF, "collision"), ("sdf", SDF, "visual")]


@pytest.mark.parametrize("ending, text, shapes", CASES, ids=[f"{ending}-{shapes}" for ending, _, shapes in CASES])
def test_what_is_inserted_anywhere_is_named(ending, text, shapes, tmp_path):
    options = {"shapes": shapes} if shapes else {}
    path = tmp_path / f"r.{ending}"
    path.write_text(text)
    quiet(READ[ending], path, **options)  # not refused as it stands
    assert silent(ET.fromstring(text), READ[ending], path, options) == []

"""SDF files: against the same machine in other formats and closed forms, frames, refusals, what is named."""

import math
import random
import re
import warnings
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from _robots import public_files_read, quiet, reported

import holonom as hn


def write(tmp_path, body, name="m.sdf", version="1.9"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<?xml version="1.0"?>\n<sdf version="{version}">{body}</sdf>')
    return path


def model(body, name="m"):
    return f'<model name="{name}">{body}</model>'


def link(name, pose="0 0 0 0 0 0", rest="", mass=1.0, at="0 0 0 0 0 0", inertia=0.01):
    tensor = f"<ixx>{inertia}</ixx><iyy>{inertia}</iyy><izz>{inertia}</izz>"
    return (
        f'<link name="{name}"><pose>{pose}</pose><inertial><pose>{at}</pose><mass>{mass}</mass><inertia>{tensor}'
        f"</inertia></inertial>{rest}</link>"
    )


def joint(name, kind, parent, child, axis="0 1 0", rest="", pose="0 0 0 0 0 0"):
    return (
        f'<joint name="{name}" type="{kind}"><pose>{pose}</pose><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>{axis}</xyz>{rest}</axis></joint>"
    )


quietly = partial(quiet, hn.read_sdf)
reports = partial(reported, hn.read_sdf)


ARM = model(
    link("a", "0 0 1 0 0 0.4", mass=2.0, at="0.3 0 0 0.2 0 0", inertia=0.02)
    + link("b", "0.5 0 0 0 0 0.2", at="0 0 -0.2 0 0 0").replace("<pose>0.5", '<pose relative_to="a">0.5')
    + joint("p", "revolute", "world", "a", rest="<dynamics><damping>0.1</damping><spring_stiffness>2</spring_stiffness>"
            "<spring_reference>0.3</spring_reference></dynamics>")
    + joint("q", "revolute", "a", "b", "1 0 0", pose="0 0 0.1 0 0.3 0")
)  # fmt: skip
SAME = """<mujoco><compiler angle="radian" eulerseq="XYZ"/><worldbody><body pos="0 0 1" euler="0 0 0.4">
  <joint name="p" axis="0 1 0" damping="0.1" stiffness="2" springref="0.3"/>
  <inertial pos="0.3 0 0" mass="2" diaginertia="0.02 0.02 0.02"/>
  <body pos="0.5 0 0" euler="0 0 0.2"><joint name="q" axis="0.955336489125606 0 -0.2955202066613396" pos="0 0 0.1"/>
    <inertial pos="0 0 -0.2" mass="1" diaginertia="0.01 0.01 0.01"/></body></body></worldbody></mujoco>"""


def test_the_same_arm_in_two_formats_swings_alike(tmp_path):
    (tmp_path / "m.xml").write_text(SAME)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = hn.read_mjcf(tmp_path / "m.xml", positions={"p": 0.2, "q": -0.4})
    mine = quietly(write(tmp_path, ARM), positions={"p": 0.2, "q": -0.4})
    ends = []
    for one in (mine, other):
        run = hn.simulate(one, end=0.3, steps=1, error=1e-10, integrator="DOP853", progress=False)
        ends.append([run.joint(n).angle.values[k] for n in ("p", "q") for k in (0, -1)])
    assert ends[0] == pytest.approx(ends[1], abs=1e-8) and abs(ends[0][1] - 0.2) > 0.05
    assert ends[0][0] == pytest.approx(0.2) and ends[0][2] == pytest.approx(-0.4)


def test_loops_screws_universals_and_mimics(tmp_path):
    rod = lambda name, at: link(name, at, at="0 0 0.25 0 0 0")
    loop = model(
        rod("a", "0 0 0 0 0 0") + rod("c", "1 0 0 0 0 0") + link("b", "0 0 0.5 0 0 0", at="0.5 0 0 0 0 0")
        + joint("ja", "revolute", "world", "a") + joint("jc", "revolute", "world", "c")
        + joint("jb", "revolute", "a", "b") + joint("jd", "revolute", "c", "b", pose="1 0 0 0 0 0")
        + link("s", "3 0 0 0 0 0") + '<joint name="screw" type="screw"><parent>world</parent><child>s</child>'
        "<screw_thread_pitch>0.2</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>"
        + link("m", "4 0 0 0 0 0", at="0 0 0.25 0 0 0")
        + joint("mimic", "revolute", "world", "m", rest='<mimic joint="ja"><multiplier>2</multiplier><reference>0.1'
                "</reference></mimic>")
    )  # fmt: skip
    made = quietly(write(tmp_path, loop), positions={"ja": 0.3, "mimic": 0.4})
    assert hn.check(made).degrees_of_freedom == 2
    run = hn.simulate(made, end=0.2, steps=2, progress=False)
    a, c, m = (run.joint(n).angle.values for n in ("ja", "jc", "mimic"))
    assert a[0] == pytest.approx(0.3) and np.allclose(a, c, atol=1e-8) and a[-1] > 0.35
    assert np.allclose(m, 2 * (a - 0.1), atol=1e-8)
    pivot = model(link("a", "0 0 0 0 0 0", at="0 0 -1 0 0 0") + joint("u", "universal", "world", "a").replace(
        "</joint>", "<axis2><xyz>1 0 0</xyz></axis2></joint>"))  # fmt: skip
    assert hn.check(quietly(write(tmp_path, pivot))).degrees_of_freedom == 2


def test_frames_are_resolved(tmp_path):
    """Nested models, frames attached to each other, a placement frame, degrees, quaternions, an included model."""
    (tmp_path / "box").mkdir()
    write(tmp_path, model(link("l", "0 0 1 0 0 0"), "box"), "box/model.sdf")
    body = f"""<world name="w"><gravity>0 0 -3</gravity>
      <model name="A"><pose degrees="true">1 0 0 0 0 90</pose>{link("l", "1 0 0 0 0 0")}
        <frame name="f" attached_to="l"><pose>0 0 2 0 0 0</pose></frame>
        <model name="B"><pose relative_to="f">0 1 0 0 0 0</pose>{link("k", "0 0 0.5 0 0 0")}</model></model>
      <include><uri>model://box</uri><name>one</name>
        <pose rotation_format="quat_xyzw">0 5 0 0.7071067811865476 0 0 0.7071067811865476</pose></include>
      <model name="P" placement_frame="c"><pose>0 0 9 0 0 0</pose>{link("c", "0 0 4 0 0 0")}</model>
      <model name="S"><static>true</static>{link("s", "7 0 0 0 0 0")}</model></world>"""
    made = quietly(write(tmp_path, body))
    assert made.gravity == pytest.approx((0, 0, -3))
    at = {p.name: tuple(round(float(x), 9) for x in p.position) for p in made.parts.values() if not p.ground}
    assert at == {"A::l": (1, 1, 0), "A::B::k": (0, 1, 2.5), "one::l": (0, 4, 0), "P::c": (0, 0, 9)}


def test_inertias_from_shapes(tmp_path):
    shape = lambda g, more="": f'<collision name="c"><pose>0 0 1 0 0 0</pose>{more}<geometry>{g}</geometry></collision>'
    box = "<box><size>1 2 3</size></box>"
    body = f'<link name="a"><inertial auto="true"><density>10</density></inertial>{shape(box)}</link>'
    (part,) = [p for p in quietly(write(tmp_path, model(body))).parts.values() if p.name == "a"]
    assert part.mass == pytest.approx(60) and part.position == pytest.approx((0, 0, 1))
    assert np.diag(part.inertia) == pytest.approx((5 * 13, 5 * 10, 5 * 5))


def test_all_public_files_are_read_or_refused_with_a_sentence():
    assert public_files_read(hn.read_sdf, "sdf") >= 27


TWO = link("a") + link("b")


@pytest.mark.parametrize(
    ("body", "words"),
    (
        ("", "it has no model and no world"),
        (model("") + model("", "n"), "it has 2 worlds and models"),
        (model(""), "it has no link"),
        (model("<include><uri>absent</uri></include>"), "it has no link; the model 'absent' is left out: "),
        (model(link("a") + link("a")), "a second 'a' in this model"),
        (model(link("world")), "the name 'world' is reserved"),
        (model(TWO + joint("p", "revolut", "a", "b")), "did you mean revolute?"),
        (model(TWO + joint("p", "revolute", "a", "a")), "joint 'p' connects 'a' with itself"),
        (model(TWO + joint("p", "revolute", "a", "bb")), "child is 'bb', which is no link"),
        (model(TWO + joint("p", "revolute", "a", "b", "0 0 0")), "the axis of joint 'p' has no length"),
        (model(TWO + '<joint name="p" type="ball"><child>a</child></joint>'), "joint 'p' has no <parent>"),
        (model(link("a", mass=-1)), "the mass of link 'a' is -1 kg"),
        (model(link("a", inertia=-1)), "has the principal moment -1 kg"),
        (model(link("a", "0 0 0")), "<pose> is '0 0 0'; give 6 numbers"),
        (model(link("a").replace("<pose>", '<pose relative_to="x">', 1)), "relative_to is 'x'"),
        (model(link("a").replace("<pose>", '<pose relative_to="a">', 1)), "relative to itself"),
        (model('<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>' + link("a")
               + joint("p", "revolute", "f", "a")), "itself by way of others"),
    ),
)  # fmt: skip
def test_bad_files_are_refused_with_file_and_line(tmp_path, body, words):
    with pytest.raises(hn.ModelError) as found:
        quietly(write(tmp_path, body))
    assert words in str(found.value) and "m.sdf" in str(found.value)


def test_models_that_are_absent_or_outside_are_named(tmp_path):
    write(tmp_path, model(link("a"), "x"), "x.sdf")
    for uri in ("../x.sdf", "nowhere", "model://nowhere"):
        body = model(link("a") + f"<include><uri>{uri}</uri></include>")
        said = reports(write(tmp_path / "deep", body), root=tmp_path / "deep")
        assert f"the model '{uri}' is left out" in said
    loop = model(link("a") + "<include><uri>m.sdf</uri></include>")
    assert "itself by way of others" in reports(write(tmp_path, loop)) or "a second" in reports(tmp_path / "m.sdf")


EVERYTHING = f"""<world name="w"><gravity>0 0 -9.8</gravity><physics type="ode"/><light name="l" type="point"/>
  <model name="m"><static>false</static><pose>0 0 1 0 0 0</pose>{
    link(
        "a",
        rest="<gravity>true</gravity>"
        '<visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual>'
        '<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry><surface/></collision>',
    )
}
  {link("b")}<frame name="f" attached_to="a"><pose>0 0 0 0 0 0</pose></frame>
  {
    joint(
        "p",
        "revolute",
        "a",
        "b",
        rest="<limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>1</damping></dynamics>",
    )
}<plugin name="q" filename="z"/></model></world>"""


def inserted(text, rng, n):
    """The text with an attribute, or an element, that does not exist, and its name."""
    word = f"strange{n}"
    at = rng.choice([m.end() for m in re.finditer(r"<(?!/)\w+", text)])
    if rng.random() < 0.5:
        return f'{text[:at]} {word}="1"{text[at:]}', word
    tag, close = re.findall(r"<(\w+)$", text[:at])[0], text.index(">", at)
    if text[close - 1] == "/":
        return f"{text[: close - 1]}><{word}/></{tag}>{text[close + 1 :]}", word
    return f"{text[: close + 1]}<{word}/>{text[close + 1 :]}", word


def test_nothing_is_dropped_silently(tmp_path):
    """Each tag and attribute that is added at random is read, refused or named, or is part of an element that is named
    as a whole, or of the kind of shape that was not wanted."""
    rng = random.Random(5)
    for n in range(100):
        text, word = inserted(EVERYTHING, rng, n)
        said = reports(write(tmp_path, text))
        parents = [e for e in ElementTree.fromstring(text).iter() if e.tag == word or word in e.attrib]
        assert parents
        tags = {e.tag for e in ElementTree.fromstring(text).iter() if e.find(f".//{word}") is not None
                or any(word in c.attrib for c in e.iter())}  # fmt: skip
        named = {re.sub(r"^[0-9]+ ", "", item) for item in re.split(", |: ", said)}
        ok = word in said or {f"<{tag}>" for tag in tags} & named or "visual" in tags or "must have one shape" in said
        assert ok, (text, said)


def test_damaged_files_end_in_a_sentence(tmp_path):
    data = write(tmp_path, EVERYTHING).read_bytes()
    rng = random.Random(3)
    for _ in range(150):
        bad = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(bad))
            kind = rng.random()
            if kind < 0.5:
                bad[at] = rng.randrange(256)
            elif kind < 0.75:
                del bad[at : at + rng.randint(1, 20)]
            else:
                bad[at:at] = bad[at : at + rng.randint(1, 20)]
        (tmp_path / "bad.sdf").write_bytes(bytes(bad))
        reports(tmp_path / "bad.sdf")


def test_limits_without_an_end_are_none(tmp_path):
    body = link("a", at="1 0 0 0 0 0") + joint("p", "revolute", "world", "a", rest="<limit><lower>-inf</lower>"
        "<upper>1e16</upper></limit>")  # fmt: skip
    made = quietly(write(tmp_path, model(body)))
    assert not made.table("SWITCH")
    run = hn.simulate(made, end=0.1, steps=1, progress=False)
    assert math.isfinite(run.joint("p").angle.values[-1])

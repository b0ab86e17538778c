"""A rigid part becomes a beam in absolute coordinates; axes from CSV files."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, ancf_part, read_axis

FLAT = Section.rectangle(0.01, 0.02, shear=True)


def pendulum():
    m = hn.Model("arm")
    m.gravity = (0, -9.81, 0)
    arm = m.part("arm", 2.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0))
    m.revolute(arm, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    weight = m.part("weight", 1.0, (0.01, 0.01, 0.01), position=(1, 0, 0))
    m.fixed(arm, weight, at=(1, 0, 0))
    m.marker_at(arm, (0.375, 0.03, 0.0), x=(0, 1, 0), z=(0, 0, 1), name="sensor")
    return m, arm


def test_what_is_on_a_part_goes_on_the_beam():
    """Places and axes of all markers stay; the part and the marker of its mass are gone; the model holds together and goes to JSON."""
    m, arm = pendulum()
    before = {k.id: m.body_frame(k) @ k.frame for k in m.markers.values() if k.part == arm.id and k.body_kind == "PART" and k.id != arm.cm}
    beam = ancf_part(m, "arm", [(0, 0, 0), (1, 0, 0)], FLAT, E=2.1e11, density=7850.0, elements=4, plane="xy")
    assert "arm" not in [p.name for p in m.parts.values()] and beam.mesh.name == "arm" and len(before) == 3
    for k, world in before.items():
        now = m.body_frame(m.markers[k]) @ m.markers[k].frame
        assert now.origin == pytest.approx(world.origin, abs=1e-12) and now.axes == pytest.approx(world.axes, abs=1e-12)
    on = [m.markers[k].part for k in before]
    assert on[:2] == [beam.first.id, beam.last.id] and on[2] == beam.at(0.375).id
    assert hn.Model.from_json(m.to_json()).to_json() == m.to_json()


def test_what_cannot_become_a_beam():
    m, arm = pendulum()
    line = [(0, 0, 0), (1, 0, 0)]
    given = dict(E=2.1e11, density=7850.0)
    with pytest.raises(hn.ModelError, match="ground cannot bend"):
        ancf_part(m, m.ground, line, FLAT, **given)
    arm.vy = 1.0
    with pytest.raises(hn.ModelError, match="it starts with vy"):
        ancf_part(m, arm, line, FLAT, **given)
    arm.vy = None
    with pytest.raises(hn.ModelError, match="take holonom.flexible.ancf_part"):
        m.make_flexible(arm, None, formulation="ANCF")
    m.make_flexible(arm, hn.flexible.beam((0, 0, 0), (1, 0, 0), Section.round(0.01), E=2.1e11, density=7850.0, elements=4), modes=1)
    with pytest.raises(hn.ModelError, match="bends by modes already"):
        ancf_part(m, arm, line, FLAT, **given)


@pytest.mark.slow
def test_a_stiff_arm_swings_as_the_rigid_one():
    """The same pendulum, rigid with the mass of the section, and as a beam: the weight after 0.5 s within what a stiff beam bends."""
    ends = []
    for bends in (False, True):
        m, arm = pendulum()
        mass = 7850.0 * FLAT.A
        arm.mass, arm.ip = mass, (1e-4, mass / 12, mass / 12 + 1e-4, 0, 0, 0)
        if bends:
            ancf_part(m, arm, [(0, 0, 0), (1, 0, 0)], FLAT, E=2.1e12, density=7850.0, elements=4, plane="xy", damping=1e-5)
        run = hn.simulate(m, end=0.5, steps=5, kind="dynamics", integrator="RADAU5", error=1e-6)
        ends.append(run.part("weight").position.values[-1])
    assert np.linalg.norm(ends[1] - ends[0]) < 2e-3 and np.linalg.norm(ends[0] - [1, 0, 0]) > 0.5


def test_axes_from_files(tmp_path):
    file = tmp_path / "hose.csv"
    file.write_text("x,y,z\n0,0,0\n# a comment\n500,100,0\n1000,0,50\n")
    assert read_axis(file, 1e-3) == pytest.approx(np.array([[0, 0, 0], [0.5, 0.1, 0], [1, 0, 0.05]]))
    file.write_text("0;0\n1;2\n")
    assert read_axis(file).tolist() == [[0, 0, 0], [1, 2, 0]]
    for text, words in (
        ("0,0,0\n1,b,0\n", "line 2: '1, b, 0' is no place"), ("0,0,0\n", "1 places"), ("0,0,0\n1,2\n", "line 2: 2 numbers"),
        ("1,2,3,4\n", "line 1: 4 numbers"), ("0,0,nan\n1,1,1\n", "line 1: 3 numbers"),
    ):  # fmt: skip
        file.write_text(text)
        with pytest.raises(hn.ModelError, match=words):
            read_axis(file)
    with pytest.raises(hn.ModelError, match="cannot be read"):
        read_axis(tmp_path / "none.csv")

"""A rigid part becomes a beam in absolute coordinates; axes from CSV files."""

import numpy as np
import pytest

import holonom as hn
from holonom.elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from holonom.elements.absolute.assembly import Assembly
from holonom.flexible import Section, ancf_beams, ancf_part, read_axis

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
    """Positions and axes of all markers stay; the part and the marker of its mass are gone; the model holds together
    and goes to JSON."""
    m, arm = pendulum()
    before = {
        k.id: m.body_frame(k) @ k.frame
        for k in m.markers.values()
        if k.part == arm.id and k.body_kind == "PART" and k.id != arm.cm
    }
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
    with pytest.raises(hn.ModelError, match="ground cannot be flexible"):
        ancf_part(m, m.ground, line, FLAT, **given)
    arm.vy = 1.0
    with pytest.raises(hn.ModelError, match="it starts with vy"):
        ancf_part(m, arm, line, FLAT, **given)
    arm.vy = None
    with pytest.raises(hn.ModelError, match="take holonom.flexible.ancf_part"):
        m.make_flexible(arm, None, formulation="ANCF")
    m.make_flexible(
        arm, hn.flexible.beam((0, 0, 0), (1, 0, 0), Section.round(0.01), E=2.1e11, density=7850.0, elements=4), modes=1
    )
    with pytest.raises(hn.ModelError, match="has modes already"):
        ancf_part(m, arm, line, FLAT, **given)


def of(beam):
    """Its elements without a model, and the coordinates that are held: clamped at its beginning, in the plane across
    z."""
    mesh = beam.mesh
    kind = ABSOLUTE_ELEMENTS[NAMES.index(mesh.element)]
    out = Assembly(
        kind,
        np.reshape(mesh.places, (mesh.nodes, -1)),
        np.reshape(mesh.cells, (-1, 2)),
        mesh.element_parameters(2),
        mesh.unit,
    )
    width = mesh.width
    return out, sorted(
        {
            *range(3),
            *(range(6, 9) if width == 9 else range(6, 12)),
            *(range(2, width * mesh.nodes, 3) if width == 9 else ()),
        }
    )


def chain(n=4, L=1.0, heavy=0.25, more=None):
    """Parts joined by BEAMs from ground along x, drawn from both sides in turn; a tool on the last but one, a weight at
    the end."""
    m = hn.Model("blade")
    m.gravity = (0, -9.81, 0)
    parts = [m.ground] + [m.part(f"p{k}", heavy, (1e-4,) * 3, position=(k * L / n, 0, 0)) for k in range(1, n + 1)]
    b, h, E, nu = 0.02, 0.01, 2.1e11, 0.3
    for k, (one, two) in enumerate(zip(parts, parts[1:])):
        x = (1.0, 0, 0) if k % 2 == 0 else (-1.0, 0, 0)
        ends = [m.marker_at(p, (s * L / n, 0, 0), x=x, z=(0, 0, 1)) for p, s in ((one, k), (two, k + 1))]
        j, i = ends if k % 2 == 0 else ends[::-1]
        numbers = {"asy": 1.2, "asz": 1.2, "cratio": 1e-4} | (more or {}).get(k, {})
        m.beam(
            i,
            j,
            L / n,
            b * h,
            1.0 * b * h**3 / 3,
            h * b**3 / 12,
            b * h**3 / 12,
            E,
            E / (2 * (1 + nu)),
            name=f"beam {k}",
            **numbers,
        )
    tool = m.part("tool", 0.1, (1e-5,) * 3, position=((n - 1) * L / n, 0.05, 0))
    m.fixed(tool, parts[-2], at=((n - 1) * L / n, 0.05, 0))
    return m, parts


def test_beams_become_one_beam():
    """A line of BEAMs: parts between them go, what is on them stays where it is; section, mass and stiffness by closed
    forms (F L^3/3EI with shear)."""
    m, parts = chain()
    joint = next(iter(m.joints.values()))
    place = (m.body_frame(m.markers[joint.j]) @ m.markers[joint.j].frame).origin
    beam = ancf_beams(m, plane="xy")
    assert [p.name for p in m.parts.values() if not p.ground] == ["p4", "tool"] and not m.table("BEAM")
    marker = m.markers[joint.j]
    assert marker.body_kind == "MESH_POINT" and (m.body_frame(marker) @ marker.frame).origin == pytest.approx(
        place, abs=1e-12
    )
    joints = [j for j in m.joints.values() if j is not joint]
    assert [sorted(m.markers[k].body_kind for k in (j.i, j.j)) for j in joints] == [["MESH_POINT", "PART"]] * 2
    mesh, held = of(beam)
    assert mesh.mass().toarray()[::9, ::9].sum() == pytest.approx(0.75)
    EI, GA, F = 2.1e11 * 0.02 * 0.01**3 / 12, 2.1e11 / 2.6 * 0.02 * 0.01 / 1.2, 1e-3
    load = np.zeros(9 * beam.mesh.nodes)
    load[-8] = F
    q = mesh.rest(load, held)
    assert q[-8] == pytest.approx(F / (3 * EI) + F / GA, rel=1e-6)
    assert beam.mesh.element_parameters(2)[0, -1] == 1e-4 and m.to_json() == hn.Model.from_json(m.to_json()).to_json()


def test_what_is_no_line_of_beams():
    with pytest.raises(hn.ModelError, match="no BEAM"):
        ancf_beams(hn.Model())
    m, parts = chain()
    with pytest.raises(hn.ModelError, match="2 lines"):
        ancf_beams(m, ["beam 0", "beam 2"])
    for more, words in (
        ({1: {"asy": 1.0}}, "asy is 1 and that of"),
        ({2: {"cmatrix": np.eye(6), "cratio": None}}, "cmatrix|cratio"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            ancf_beams(chain(more=more)[0])
    m, parts = chain()
    for p in parts[1:]:
        p.vx = 1.0
    with pytest.raises(hn.ModelError, match="starts with vx"):
        ancf_beams(m)
    assert len(m.table("BEAM")) == 4 and "ABSOLUTE_MESH" not in {e.KIND for e in m}
    m, parts = chain()
    m.marker_at(parts[2], (0.5, 0.2, 0), name="off")
    a, b = (m.marker_at(p, (0.5, 0, 0), x=(1, 0, 0), z=(0, 0, 1)) for p in (parts[2], parts[4]))
    m.beam(b, a, 0.5, 2e-4, 1e-9, 1e-9, 1e-9, 2e11, 8e10)
    with pytest.raises(hn.ModelError, match="more than two BEAMs meet on it"):
        ancf_beams(m)


def test_a_part_of_finite_elements_in_absolute_coordinates():
    """make_flexible with formulation ANCF: the beam that its elements are made of, with the same deflection and
    mass."""
    m, arm = pendulum()
    bar = hn.flexible.beam((0, 0, 0), (1, 0, 0), FLAT, E=2.1e11, density=7850.0, elements=6)
    beam = m.make_flexible(arm, bar, formulation="ANCF")
    assert "arm" not in [p.name for p in m.parts.values()] and len(beam.lengths) == 6
    mesh, held = of(beam)
    assert mesh.mass().toarray()[::12, ::12].sum() == pytest.approx(7850.0 * FLAT.A)
    load = np.zeros(12 * beam.mesh.nodes)
    load[-10] = 1e-3
    q = mesh.rest(load, held)
    assert q[-10] == pytest.approx(1e-3 / (3 * 2.1e11 * FLAT.Iy), rel=2e-3)
    m, arm = pendulum()
    corner = hn.flexible.beam((0, 0, 0), (1, 0, 0), FLAT, E=2.1e11, density=7850.0, via=[(0.5, 0.1, 0)], elements=2)
    with pytest.raises(hn.ModelError, match="take holonom.flexible.ancf_part"):
        m.make_flexible(arm, corner, formulation="ANCF")
    with pytest.raises(hn.ModelError, match="damping is of modes"):
        m.make_flexible(arm, bar, formulation="ANCF", damping=0.01)


@pytest.mark.slow
def test_a_stiff_arm_swings_as_the_rigid_one():
    """The same pendulum, rigid with the mass of the section, and as a beam: the weight after 0.5 s within what a stiff
    beam bends."""
    ends = []
    for bends in (False, True):
        m, arm = pendulum()
        mass = 7850.0 * FLAT.A
        arm.mass, arm.ip = mass, (1e-4, mass / 12, mass / 12 + 1e-4, 0, 0, 0)
        if bends:
            ancf_part(
                m, arm, [(0, 0, 0), (1, 0, 0)], FLAT, E=2.1e12, density=7850.0, elements=4, plane="xy", damping=1e-5
            )
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
        ("0,0,0\n1,b,0\n", "line 2: '1, b, 0' is not a position"),
        ("0,0,0\n", "1 positions"),
        ("0,0,0\n1,2\n", "line 2: 2 numbers"),
        ("1,2,3,4\n", "line 1: 4 numbers"),
        ("0,0,nan\n1,1,1\n", "line 1: 3 numbers"),
    ):
        file.write_text(text)
        with pytest.raises(hn.ModelError, match=words):
            read_axis(file)
    with pytest.raises(hn.ModelError, match="cannot be read"):
        read_axis(tmp_path / "none.csv")

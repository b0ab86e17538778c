"""Spiders against the full matrices with the same ties, on parts, and those that cannot be."""

import numpy as np
import pytest
import scipy.linalg as la

import holonom as hn
from holonom.flexible import Material, Section, beam, box, cylinder, reduce, solid, spider

pytest.importorskip("skfem")
STEEL = Material(2.1e11, 0.3, 7850.0)


def tube(kind="rigid", counts=(2, 1, 8)):
    """A bush with a shaft in its bore at one end, and its other end face held."""
    mesh = cylinder((0, 0, 0), (0, 0, 0.1), 0.05, 0.02, counts, "hexahedron20")
    low = [int(k) for k in np.asarray(mesh.ids)[mesh.groups["bore"]] if mesh.points[k - 1, 2] < 0.051]
    fe = solid(mesh, STEEL).tied(spider(low, at=(0, 0, 0.01), kind=kind), spider(mesh.group("end"), kind=kind))
    return fe, [s.id for s in fe.spiders]


def moved(body, at, held, load):
    """Displacement and rotation (6,) of a node under a load (6,) that another holds."""
    a, b = (body.shapes[body.place[k]] for k in (at, held))
    arm = np.array(body.places[body.place[at]]) - body.places[body.place[held]]
    # what holds it: the opposite wrench about the other node; statics of the free body between the two, as seen from
    # the held node
    hold = -np.concatenate([load[:3], load[3:] + np.cross(arm, load[:3])])
    q = (a.T @ load + b.T @ hold) / body.frequency**2
    d, e = a @ q, b @ q
    return d - np.concatenate([e[:3] + np.cross(e[3:], arm), e[3:]])


@pytest.mark.parametrize("kind", ("rigid", "distributing"))
def test_statics_are_those_of_the_full_matrices(kind):
    """Displacement of the shaft in the bore, the end face held, by Lagrange multipliers on the full matrices."""
    fe, (shaft, end) = tube(kind)
    K = fe.K.toarray()
    size = len(K)
    number = {k: i for i, k in enumerate(fe.nodes)}
    rows, right = [], []
    motions = {}
    for s in fe.spiders:
        own = [number[k] for k in s.nodes]
        if kind == "rigid":  # six further unknowns
            motions[s.id] = size + 6 * len(motions)
            for k in own:
                r = fe.places[k] - s.at
                for c in range(3):
                    row = np.zeros(size + 12)
                    row[3 * k + c] = 1.0
                    row[motions[s.id] + c] = -1.0
                    row[motions[s.id] + 3 : motions[s.id] + 6] = -np.array([np.cross(e, r)[c] for e in np.eye(3)])
                    rows.append(row)
        else:  # sum (u_k - u - w x r_k) = 0 and its moment
            motions[s.id] = size + 6 * len(motions)
            fit = np.zeros((6, size + 12))
            for k in own:
                r = fe.places[k] - s.at
                D = np.zeros((3, size + 12))
                D[:, 3 * k : 3 * k + 3] = np.eye(3)
                D[:, motions[s.id] : motions[s.id] + 3] = -np.eye(3)
                D[:, motions[s.id] + 3 : motions[s.id] + 6] = -np.array([np.cross(e, r) for e in np.eye(3)]).T
                fit[:3] += D
                fit[3:] += np.cross(r[:, None], D, axis=0)
            rows += list(fit / np.abs(fit).max())
    G = np.array(rows)
    hold = np.zeros((6, size + 12))
    hold[:, motions[end] : motions[end] + 6] = np.eye(6)
    G = np.vstack([G, hold]) * np.abs(K).max()
    right = np.zeros(len(G))
    big = np.block([[np.pad(K, ((0, 12), (0, 12))), G.T], [G, np.zeros((len(G), len(G)))]])
    body = reduce(fe, (shaft, end), 3, geometric=False)
    assert set(body.interfaces) == {shaft, end} and body.stress.shape[0] == len(fe.nodes) + 2
    # loads in balance are to be exact: the inertia of the free body drops out of them
    for load in (np.array([1e5, 2e4, -3e4, 0, 0, 0]), np.array([0, 0, 0, 1e3, -2e3, 3e3])):
        force = np.zeros(size + 12)
        force[motions[shaft] : motions[shaft] + 6] = load
        exact = la.solve(big, np.concatenate([force, right]))
        want = exact[motions[shaft] : motions[shaft] + 6]
        assert moved(body, shaft, end, load) == pytest.approx(
            want, rel=1e-6, abs=1e-6 * np.abs(want[: 3 if load[0] else 6]).max()
        )


def test_rigid_is_stiffer():
    stiff = {}
    for kind in ("rigid", "distributing"):
        fe, (shaft, end) = tube(kind)
        stiff[kind] = moved(reduce(fe, (shaft, end), 2, geometric=False), shaft, end, np.array([1e5, 0, 0, 0, 0, 0]))[0]
    assert 0 < stiff["rigid"] < 0.9 * stiff["distributing"]


def test_clamped_bar():
    """A cantilever held by its end face: frequencies of Timoshenko's beam, of all types of interfaces the rigid spider
    within 1 %."""
    mesh = box((0, -0.02, -0.01), (1, 0.02, 0.01), (16, 1, 1))
    section = Section.rectangle(0.04, 0.02, shear=True)

    def first(elements, **options):
        m = hn.Model()
        p = m.part("bar", 6.28, (1, 1, 1), position=(0.5, 0, 0))
        m.fixed(p, m.ground, at=(0, 0, 0))
        m.make_flexible(p, elements, modes=4, **options)
        assert not m.warnings
        return np.sort(np.abs(hn.linearize(m).eigenvalues.imag))[[0, 2]]

    exact = first(beam((0, 0, 0), (1, 0, 0), section, E=2.1e11, density=7850.0, y=(0, 1, 0)))
    assert first(solid(mesh, STEEL), interfaces=[spider(mesh.group("x-"))]) == pytest.approx(exact, rel=1e-2)


def test_markers_go_to_spiders_where_a_node_is_as_near():
    """The node of a spider in the middle of a face, where a node of the mesh is as well."""
    mesh = box((0, -0.02, -0.01), (1, 0.02, 0.01), (2, 2, 1))
    m = hn.Model()
    p = m.part("bar", 6.28, (1, 1, 1), position=(0.5, 0, 0))
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    e = m.make_flexible(
        p, mesh, STEEL, modes=2, interfaces=[spider(mesh.group("x-"), id=900), spider(mesh.group("x+"), id=901)]
    )
    assert m.marker_at(p, (1, 0, 0)).part != 0 and not m.warnings
    assert {a.node for a in m.table("ATTACHMENT").values()} == {900, 901} == set(e.body.interfaces.tolist())
    q = m.part("other", 6.28, (1, 1, 1), position=(0.5, 0, 0))
    for word in ({"interfaces": [900]}, {"highest": 1e3}, {"effective": 0.5}):
        with pytest.raises(hn.ModelError, match=f"a reduced body has its modes already; leave {next(iter(word))} out"):
            m.make_flexible(q, e.body, **word)


def test_energy_is_kept():
    """A pendulum of a solid with a rigid and a distributing spider, 0.2 s."""
    mesh = box((0, -0.02, -0.01), (0.5, 0.02, 0.01), (6, 1, 1))
    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    p = m.part("bar", 3.14, (1, 1, 1), position=(0.25, 0, 0))
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    ends = [spider(mesh.group("x-")), spider(mesh.group("x+"), kind="distributing")]
    m.make_flexible(p, mesh, Material(2.1e9, 0.3, 7850.0), modes=4, interfaces=ends)
    run = hn.simulate(m, end=0.2, steps=10, integrator="RADAU5", error=1e-8)
    e = run.energy.total.values
    assert np.abs(e - e[0]).max() < 1e-8 * np.abs(run.energy.kinetic.values).max()


def test_rotating_bar():
    """Flapping and lagging of a blade held by its root over its speed, as a beam and as a solid, seen from its hub:
    lagging^2 = flapping^2 - speed^2 for a section with the same second moments (Wright, Smith, Thresher & Wang 1982:
    3.5160, 5.5850 at speeds 0, 4)."""
    h = 0.01
    scale = np.sqrt(7850.0 * h**2 / (2.1e11 * h**4 / 12))
    mesh = box((0, -h / 2, -h / 2), (1, h / 2, h / 2), (24, 1, 1))
    body = None
    for speed, flap in ((0.0, 3.5160), (4.0, 5.5850)):
        m = hn.Model()
        hub = m.part("hub", 1.0, (1, 1, 1), angular_velocity=(0, 0, speed / scale))
        p = m.part(
            "blade",
            0.785,
            (1, 1, 1),
            position=(0.5, 0, 0),
            velocity=(0, 0.5 * speed / scale, 0),
            angular_velocity=(0, 0, speed / scale),
        )
        m.motion(m.revolute(hub, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed / scale}*time")
        m.fixed(p, hub, at=(0, 0, 0))
        if body is None:
            fe = solid(mesh, STEEL).tied(spider(mesh.group("x-")))
            body = reduce(fe, [fe.spiders[0].id], 6)
        m.make_flexible(p, body)
        w = scale * np.sort(np.abs(hn.linearize(m, rm=m.marker_at(hub, (0, 0, 0))).eigenvalues.imag))[[0, 2]]
        assert w[1] == pytest.approx(flap, rel=6e-3)
        assert w[1] ** 2 - w[0] ** 2 == pytest.approx(speed**2, abs=2e-3)


def test_stiffness_by_stress_turns_with_the_body():
    """Of a body in balance under a force on a spider with a long arm, a rigid turn w needs the work that its loads do
    not do on w x (w x r) / 2: stresses and arms."""
    from holonom.flexible import reduction

    mesh = box((0, 0, 0), (1, 0.3, 0.2), (3, 2, 1))
    fe = solid(mesh, STEEL).tied(spider(mesh.group("x-"), at=(-0.4, 0.3, 0.2)))
    R = fe.rigid(np.zeros(3))
    total = R.T @ (fe.M @ R)
    centre = np.array([total[5, 1], total[3, 2], total[4, 0]]) / total[0, 0]
    tied = reduction._Tied(fe, fe.K, fe.M, centre)
    force = np.array([3e5, -1e5, 2e5])
    load = np.zeros(len(tied.R))
    load[tied.of[len(fe.nodes)][:3]] = force
    u = tied.nodes(reduction._supported(tied)(load[:, None]))[:, 0]
    inertia = -fe.M @ (fe.rigid(centre) @ np.linalg.solve(tied.R.T @ (tied.M @ tied.R), tied.R.T @ load))
    turn = tied.R[:, 3:]
    Kg = tied.nodes(turn).T @ (fe.geometric(u) @ tied.nodes(turn)) + turn.T @ (tied.arms(u, inertia) @ turn)
    f = np.vstack([inertia.reshape(-1, 3), force])
    r = np.vstack([fe.places, fe.spiders[0].at]) - centre
    exact = np.sum(f * r) * np.eye(3) - 0.5 * (f.T @ r + r.T @ f)
    assert Kg == pytest.approx(exact, rel=1e-8, abs=1e-8 * np.abs(exact).max())


def test_pieces_are_joined():
    """Two blocks apart, joined by one rigid spider: one body, with the rigid motions of one."""
    a, b = (box((x, 0, 0), (x + 1, 1, 1), (1, 1, 1), "hexahedron") for x in (0.0, 1.5))
    from holonom.flexible import Mesh

    mesh = Mesh(
        np.vstack([a.points, b.points]), {"hexahedron": np.vstack([a.cells["hexahedron"], b.cells["hexahedron"] + 8])}
    )
    fe = solid(mesh, STEEL)
    near = [k for k, p in zip(fe.nodes, fe.places) if 0.9 < p[0] < 1.6]
    body = reduce(fe.tied(spider(near)), [17], 3)
    assert body.mass == pytest.approx(15700.0) and body.frequency.min() > 1.0
    assert len(body.lines) == len(fe.lines) + 8


def test_spiders_of_beams():
    """Six degrees of freedom a node: one node tied is what it is itself."""
    fe = beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), E=2.1e11, density=7850.0, elements=8)
    plain, tied = reduce(fe, [1], 6), reduce(fe.tied(spider([1], id=50)), [50], 6)
    assert tied.frequency == pytest.approx(plain.frequency, rel=1e-9)
    assert np.abs(tied.shapes[-1]) == pytest.approx(np.abs(plain.shapes[0]), rel=1e-6, abs=1e-9)
    assert np.abs(tied.bends[0]) == pytest.approx(
        np.abs(plain.bends[0]), rel=1e-6, abs=1e-6 * np.abs(plain.bends).max()
    )


def test_what_cannot_be_says_so():
    mesh = box((0, 0, 0), (1, 1, 1), (1, 1, 1), "hexahedron")
    fe = solid(mesh, STEEL)
    for call, text in (
        (lambda: spider([1, 2, 3], kind="soft"), "kind of a spider is 'soft'; give rigid or distributing"),
        (lambda: spider([]), "nodes of a spider are .*; give ids of nodes, one or more"),
        (lambda: spider("bore"), "nodes of a spider are 'bore'"),
        (lambda: spider([1, 2, 3], at=(0, 0)), "at of a spider is .*; give x, y, z"),
        (lambda: fe.tied(spider([1, 2, 99])), "ties node 99, which is not among the 8 nodes"),
        (lambda: fe.tied(spider([1, 2])), "spider 9 ties 2 nodes on a line"),
        (lambda: fe.tied(spider(mesh.group("x-")), spider(mesh.group("y-"))), "is tied rigidly by spiders 9 and 10"),
        (lambda: fe.tied(spider(mesh.group("x-"), id=3)), "has the id 3 of another node"),
        (lambda: fe.tied([1, 2, 3]), "is not a spider; give holonom.flexible.spider"),
        (lambda: reduce(fe.tied(spider(mesh.group("x-"))), [10], 2), "there is no node 10 among its 9 nodes"),
    ):
        with pytest.raises(hn.ModelError, match=text):
            call()

"""A run keeps the model that it was made with: whatever is done to the model later, its results have the same bits.

Runs are deterministic, so that two of the same model have the same results: those of the second are read after the
model was changed, those of the first before.
"""

import hashlib
import html
import json
import re

import h5py
import numpy as np
import pytest

import holonom as hn
from holonom import ModelError


def machine() -> hn.Model:
    """A pendulum on a spring that touches a table, and a crank that a motion turns."""
    m = hn.Model("kept")
    m.gravity = (0, 0, -9.80665)
    k = m.parameter("k", 40.0)
    rod = m.part("rod", 2.0, (0.02, 0.1, 0.1), (0.5, 0, 0))
    tip = m.marker(rod, (0.5, 0, 0), name="tip")
    hook = m.marker(m.ground, (0.9, 0, 1.0), name="hook")
    ball = m.sphere(rod, (0.5, 0, 0), 0.1, name="ball")
    table = m.box(m.ground, at=(1.0, 0, -0.6), size=(2, 2, 1.0), name="table")
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.spring_damper(tip, hook, stiffness=k, damping=0.5, length=0.4, name="spring")
    m.contact(ball, table, stiffness=1e4, exponent=1.5, damping=10.0, dmax=0.01, joined=True, name="touch")
    crank = m.part("crank", 1.0, (0.01, 0.01, 0.01), (-1, 0, 0))
    m.revolute(crank, m.ground, "axle", at=(-1, 0, 0), axis=(0, 0, 1))
    m.motion("axle", "2*time", name="drive")
    m.point_mass("bead", 0.3, (0, 1, 0))
    m.request("reach", kind="DISPLACEMENT", i=tip, j=hook)
    m.variable("time**2", name="ramp")
    m.preferences["OUTPUT"] = ()
    return m


CHANGES = {
    "mass": lambda m: setattr(m.parts["rod"], "mass", 7.0),
    "inertia": lambda m: setattr(m.parts["rod"], "ip", (0.5, 0.6, 0.7)),
    "position of a marker": lambda m: setattr(m.markers["tip"], "qp", (0.1, 0.2, 0.3)),
    "position of a part": lambda m: setattr(m.parts["crank"], "qg", (5.0, 5.0, 5.0)),
    "centre of mass": lambda m: setattr(m.markers[m.parts["rod"].cm], "qp", (0.2, 0.0, 0.1)),
    "size of a shape": lambda m: m.find("GRAPHICS", "ball").arguments.update(xscale=0.8),
    "number of a contact": lambda m: setattr(m.find("CONTACT", "touch"), "active", False),
    "stiffness": lambda m: setattr(m.find("SPRINGDAMPER", "spring"), "k", 900.0),
    "units": lambda m: setattr(m, "units", "mm"),
    "gravity": lambda m: setattr(m, "gravity", (1.0, 2.0, 3.0)),
    "name": lambda m: (setattr(m, "name", "other"), setattr(m, "title", "another title")),
    "name of a part": lambda m: m.rename("rod", "bar"),
    "name of a joint": lambda m: m.rename("pin", "hinge"),
    "name without rename": lambda m: setattr(m.joints["axle"], "name", "shaft"),
    "removed request": lambda m: m.remove("reach"),
    "removed part": lambda m: m.remove("crank", with_users=True),
    "another part": lambda m: m.part("later", 1.0, (1, 1, 1)),
    "outputs": lambda m: m.preferences.update(OUTPUT=(("YPR", ""),)),
    "settings": lambda m: setattr(m.integrator, "error", 1.0),
    "warnings": lambda m: m.warnings.append("a later warning"),
}


def numbers(value) -> str:
    value = np.asarray(value)
    return f"{value.dtype.str} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"


def of(view) -> dict:
    """All that a view shows: its public properties."""
    out = {}
    for name in sorted(n for n in dir(type(view)) if n[:1] != "_" and isinstance(getattr(type(view), n), property)):
        try:
            value = getattr(view, name)
        except (ModelError, AttributeError) as error:
            value = f"{type(error).__name__}: {error}"
        out[name] = (
            [numbers(value.values), dict(value.attrs)] if hasattr(value, "attrs") else re.sub(r"0x\w+", "", repr(value))
        )
    return out


def page(path) -> str:
    """A page without what depends on the clock."""
    text = html.unescape(path.read_text(encoding="utf-8"))
    text = re.sub(r"(CPU time[^<]*</th>\s*<td>)[^<]*", r"\1", text)
    return re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "", text)


def views(run, folder, pages: bool = False) -> dict:
    """What each way to look at a run shows; ``pages``: those that take longer, too."""
    folder.mkdir()
    out: dict = {}
    for table, view in (
        ("bodies", run.part), ("constraints", run.constraint), ("forces", run.force), ("contacts", run.contact),
    ):  # fmt: skip
        for kind, number, name in getattr(run.data, table):
            out[f"{table} {name}"] = of(view(f"{kind}/{number}")), repr(view(f"{kind}/{number}"))
    for marker in run.model.markers:
        out[f"marker {marker.name}"] = of(run.marker(marker.id))
    out["joint"], out["spring"], out["motion"] = of(run.joint("pin")), of(run.spring("spring")), of(run.motion("drive"))
    out["request"] = numbers(run.request("reach").values), run.request_components("reach")
    out["variable"] = numbers(run.variable("ramp").values)
    out["energy"] = {n: [numbers(v), v.attrs] for n, v in run.energy.items()}
    out["momentum"] = {n: [numbers(v), v.attrs] for n, v in run.momentum.items()}
    out["audit"], out["momentum audit"] = str(run.audit()), str(run.momentum_audit())
    out["reactions"] = str(run.reactions(forces=True, contacts=True))
    out["part loads"] = run.part_loads("rod", strict=False).text()
    out["clearance"] = repr(run.clearance("rod", "ground"))
    out["curve"] = numbers(run.curve("rod.position")), run.curve("rod.position").attrs
    out["table"] = run.to_dataframe().to_csv(), run.to_dataframe().attrs
    out["dataset"] = {n: numbers(v) for n, v in run.to_xarray().variables.items() if v.dtype.kind in "fi"}
    out["repr"] = repr(run), [run.bodies, run.constraints, run.forces, run.contacts, run.requests, run.variables]
    out["units"] = [run.units(q) for q in ("length", "force", "mass", "time", "energy")]
    late = run.time[-1]
    out["at"] = [numbers(r.part("rod").momentum) for r in (run.at(0.7 * late), run.between(0.0, 0.6 * late))]
    run.export_csv(folder / "tables")
    out["csv"] = {p.name: p.read_text() for p in sorted((folder / "tables").iterdir())}
    run.save(folder / "run.h5")
    with h5py.File(folder / "run.h5") as file:
        out["file"] = json.dumps(hn.load(folder / "run.h5").model.to_dict(), sort_keys=True), sorted(file)
    if not pages:
        return out
    run.export_gltf(folder / "run.glb")
    out["film"] = hashlib.sha256((folder / "run.glb").read_bytes()).hexdigest()
    run.animate(folder / "animation.html")
    out["animation"] = page(folder / "animation.html")
    run.report(folder / "report.html")
    out["report"] = page(folder / "report.html")
    return out


def differences(a: dict, b: dict) -> list[str]:
    return [name for name in a if a[name] != b[name]]


def dynamics(m):
    return hn.simulate(m, 0.08, 4)


def stepped(m):
    """Between the last step and the results there is time for changes."""
    sim = hn.Simulation(m)
    sim.open()
    sim.advance(0.04)
    sim.advance(0.08)
    return sim


def results(made):
    return made.run() if isinstance(made, hn.Simulation) else made


@pytest.mark.parametrize("way", [dynamics, stepped, lambda m: hn.simulate(m, kind="initial")])
def test_a_changed_model_changes_no_run(way, tmp_path):
    model = machine()
    pages = way is dynamics
    before = views(results(way(model)), tmp_path / "a", pages)
    second = way(model)
    for name, change in CHANGES.items():
        if name != "warnings" or way is dynamics:  # those of a simulation are collected until its results are taken
            change(model)
    after = views(results(second), tmp_path / "b", pages)
    assert [name for name in before if before[name] != after[name]] == []


@pytest.mark.slow
def test_each_change_would_be_seen(tmp_path):
    """Results that followed their model would show each of these changes; so the test before this one can fail."""
    model = machine()
    run = dynamics(model)
    before = views(run, tmp_path / "a")
    unseen = []
    for number, (name, change) in enumerate(CHANGES.items()):
        follows = run.between(0.0, 1.0)
        follows.model = model.copy()
        change(follows.model)
        try:
            if views(follows, tmp_path / str(number)) == before:
                unseen.append(name)
        except (ModelError, KeyError):  # what was renamed or removed is no longer found
            pass
    assert unseen == ["warnings"]  # which are in reports


@pytest.mark.parametrize("kind", ["statics", "kinematics", "quasistatics"])
def test_other_analyses_keep_the_model_too(kind):
    m = hn.Model("kept")
    m.gravity = (0, 0, -9.80665)
    rod = m.part("rod", 2.0, (0.02, 0.1, 0.1), (0.5, 0, 0))
    m.marker(rod, (0.3, 0.1, 0.2), name="tip")
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    if kind == "kinematics":
        m.motion("pin", "time", name="drive")
    else:
        m.spring_damper(m.markers["tip"], m.marker(m.ground, (0, 0, 1)), stiffness=400.0, length=0.5)
    times = {} if kind == "statics" else {"end": 0.2, "steps": 2}
    runs = [hn.simulate(m, kind=kind, **times) for _ in range(2)]
    shown = lambda run: [
        of(run.part("rod")),
        of(run.marker("tip")),
        of(run.joint("pin")),
        str(run.reactions()),
        repr(run),
    ]
    before = shown(runs[0])
    rod.mass, rod.ip, m.markers["tip"].qp, m.units = 5.0, (1.0, 1.0, 1.0), (0.0, 0.0, 9.0), "mm"
    m.rename("pin", "hinge")
    assert shown(runs[1]) == before


def test_a_linear_analysis_keeps_the_model(tmp_path):
    m = machine()
    m.remove("touch")
    found = [hn.linearize(m) for _ in range(2)]
    shown = lambda r, path: [
        str(r.table() if callable(getattr(r, "table", None)) else r), repr(r), r.frequency_unit, r.model.to_dict(),
        numbers(r.animation(1).part("rod").momentum.values) if hasattr(r, "animation") else "",
    ]  # fmt: skip
    before = shown(found[0], tmp_path / "a")
    for name in ("mass", "units", "name", "name of a part", "position of a marker", "removed part"):
        CHANGES[name](m)
    assert shown(found[1], tmp_path / "b") == before


@pytest.mark.parametrize("result", [hn.check, hn.equations])
def test_what_is_said_of_a_model_stays(result):
    m = machine()
    m.remove("touch")
    one, two = result(m), result(m)
    before = str(one), repr(one)
    m.units, m.name = "mm", "other"
    m.remove("crank", with_users=True)
    assert (str(two), repr(two)) == before


def test_a_model_made_of_a_run_is_the_callers(tmp_path):
    """`holonom.Run` copies, too; and changes of ``run.model`` change this run alone."""
    m = machine()
    run = dynamics(m)
    again = hn.Run(m, run.data)
    momentum = again.part("rod").momentum.values.copy()
    m.parts["rod"].mass = 50.0
    assert np.array_equal(again.part("rod").momentum.values, momentum)
    again.model.parts["rod"].mass = 4.0
    assert np.array_equal(again.part("rod").momentum.values, 2.0 * momentum)
    assert np.array_equal(run.part("rod").momentum.values, momentum) and m.parts["rod"].mass == 50.0


def test_elements_of_the_model_are_found_in_its_run():
    m = machine()
    run = dynamics(m)
    elements = [e for e in m if e.KIND in ("PART", "POINT_MASS", "JOINT", "MARKER", "CONTACT", "REQUEST")]
    position = run.marker("tip").position.values
    m.rename("rod", "bar"), m.rename("tip", "end")
    m.markers["end"].qp = (0.0, 0.0, 0.0)
    for e in elements:
        assert getattr(run[e], "id", e.id) == e.id
    assert run[m.parts["bar"]].name == "rod" and np.array_equal(run.marker(m.markers["end"]).position.values, position)
    with pytest.raises(ModelError, match="has nothing named 'bar'"):
        run["bar"]
    assert np.array_equal(run["rod"].position.values, run.part(m.parts["bar"]).position.values)
    assert (
        run.part(m.ground).name == run[m.ground].name == "ground"
        and run.clearance("rod", m.ground).names[1] == "ground"
    )
    gone = m.joints["pin"]
    m.remove(gone, with_users=True)
    assert run.joint(gone).name == "pin"


def test_elements_of_another_model_are_refused():
    m = machine()
    run = dynamics(m)
    later = m.part("later", 1.0, (1, 1, 1))
    spot = m.marker(later, (0, 0, 0))
    twin = m.copy()
    strange = machine().parts["rod"]
    for element in (later, spot, strange):
        for view in (run.part, run.marker, run.__getitem__):
            with pytest.raises(ModelError, match="rod|later|MARKER"):
                view(element)
    # in two copies the same id may mean two elements
    mine, other = m.part("mine", 1.0, (1, 1, 1)), twin.part("other", 1.0, (1, 1, 1))
    assert mine.id == other.id
    newer = hn.simulate(m, 0.01, 1)
    assert newer.part(mine).name == "mine"
    with pytest.raises(ModelError, match="other.*not in model 'kept'"):
        newer.part(other)
    assert newer.part(twin.parts["rod"]).name == "rod"


def test_a_removed_element_cannot_be_built_upon():
    m = machine()
    crank = m.parts["crank"]
    m.remove(crank, with_users=True)
    with pytest.raises(ModelError, match="crank.*not in model 'kept'.*removed"):
        m.find("PART", crank)


def test_parameters_changed_on_the_way_are_in_the_run():
    """`set_parameter` changes the model of the simulation; runs that were taken before keep their number."""
    m = machine()
    m.remove("touch")
    sim = hn.Simulation(m)
    sim.open()
    sim.advance(0.02)
    first = sim.run()
    sim.set_parameter("SPRINGDAMPER/1", "k", 80.0)
    sim.advance(0.04)
    second = sim.run()
    m.find("SPRINGDAMPER", 1).k = 1.0
    assert [r.model.find("SPRINGDAMPER", 1).k for r in (first, second, sim.run())] == [40.0, 80.0, 80.0]


def test_a_change_between_two_analyses_belongs_to_the_second():
    m = machine()
    sim = hn.Simulation(m)
    sim.dynamics(end=0.02, steps=1)
    first = sim.run()
    m.parts["rod"].mass = 4.0
    assert sim.run().model.parts["rod"].mass == 2.0
    sim.dynamics(end=0.04, steps=1)
    assert (first.model.parts["rod"].mass, sim.run().model.parts["rod"].mass) == (2.0, 4.0)


def test_a_copy_shares_no_dictionary():
    m = machine()
    twin = m.copy()
    twin.find("GRAPHICS", "ball").arguments["xscale"] = 9.0
    twin.find("CONTACT", "touch").parameters["x"] = 9.0
    assert m.find("GRAPHICS", "ball").arguments != twin.find("GRAPHICS", "ball").arguments
    assert m.find("CONTACT", "touch").parameters != twin.find("CONTACT", "touch").parameters


def test_what_follows_a_run_may_change_the_model():
    """A function that is called with each row changes the model while the run goes on."""
    m = machine()
    plain = dynamics(m).part("rod").momentum.values
    followed = hn.simulate(m, 0.08, 4, follow=lambda t, row: setattr(m.parts["rod"], "mass", 3.0))
    assert np.array_equal(followed.part("rod").momentum.values, plain)

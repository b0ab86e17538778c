"""Design variables of Adams View command files as parameters: a model at other values is what the file gives with the
number written into it by hand."""

import pytest

import holonom as hn
from holonom.formats import parse_cmd

FILE = """model create model_name = m
defaults units length = mm force = newton mass = kg time = second angle = deg
variable create variable_name = .m.L units = "length" range = -20, 20 delta_type = percent_relative real_value = 300
variable create variable_name = .m.k range = 1.0, 9.0 real_value = 5.0
variable create variable_name = .m.load range = -0.5, 0.5 delta_type = relative use_range = yes real_value = 2.0
variable create variable_name = .m.free range = 0, 1 use_range = no real_value = 0.5
variable create variable_name = .m.half real_value = (.m.L / 2)
variable create variable_name = .m.twice real_value = 1.0
variable modify variable_name = .m.twice real_value = 3.0
variable create variable_name = .m.count integer_value = 2
part create rigid_body name_and_position part_name = .m.rod location = 0, 0, 0
marker create marker_name = .m.rod.cm location = (.m.half), 0, 0
part create rigid_body mass_properties part_name = .m.rod mass = (.m.load) center_of_mass_marker = .m.rod.cm &
  ixx = 1000 iyy = (.m.load * .m.L**2 / 12) izz = (.m.load * .m.L**2 / 12)
marker create marker_name = .m.ground.o location = 0, 0, 0
marker create marker_name = .m.rod.o location = 0, 0, 0
constraint create joint revolute joint_name = .m.pin i_marker_name = .m.rod.o j_marker_name = .m.ground.o
marker create marker_name = .m.rod.tip location = (.m.L), 0, 0
marker create marker_name = .m.ground.hook location = 300, 100, 0
force create element_like translational_spring_damper spring_damper_name = .m.sp i_marker_name = .m.rod.tip &
  j_marker_name = .m.ground.hook stiffness = (.m.k) damping = 0.01 displacement_at_preload = 100 preload = 0
force create body gravitational gravity_field_name = grav x_component = 0 y_component = {g} z_component = 0
"""
PLAIN = FILE.format(g="-9806.65")


def elements(model):
    return [e.to_dict() for e in model]


def test_which_variables_are_parameters_and_their_bounds():
    model = parse_cmd(PLAIN, parameters=True)
    found = {n: (p.value, p.low, p.high) for n, p in model.parameters.items()}
    assert found == {
        "L": (300.0, 240.0, 360.0),
        "k": (5.0, 1.0, 9.0),
        "load": (2.0, 1.5, 2.5),
        "free": (0.5, None, None),
    }
    assert parse_cmd(PLAIN).parameters == {}  # only where they are asked for


def test_other_values_are_those_of_the_file_with_other_numbers():
    model = parse_cmd(PLAIN, parameters=True)
    by_hand = PLAIN.replace("real_value = 300", "real_value = 330").replace("real_value = 5.0", "real_value = 7.5")
    wanted = parse_cmd(by_hand.replace("real_value = 2.0", "real_value = 1.75"))
    other = model.with_parameters({"L": 330.0, "k": 7.5, "load": 1.75})
    assert elements(other) == elements(wanted)
    assert elements(model) == elements(parse_cmd(PLAIN))  # as it was
    assert elements(other.with_parameters({"L": 300.0, "k": 5.0, "load": 2.0})) == elements(model)
    with pytest.raises(hn.ModelError, match="outside of its bounds 240 to 360"):
        model.with_parameters({"L": 500.0})


def test_what_a_parameter_of_a_file_cannot_decide():
    text = FILE.format(g="(-9806.65 * .m.free)")
    model = parse_cmd(text, parameters=True)
    with pytest.raises(hn.ModelError, match="gravity follows from"):
        model.with_parameters({"free": 0.6})
    more = PLAIN + "if condition = (.m.free > 0.7)\n  marker create marker_name = .m.rod.extra\nend\n"
    model = parse_cmd(more, parameters=True)
    with pytest.raises(hn.ModelError, match="makes other elements than before"):
        model.with_parameters({"free": 0.8})
    two = PLAIN + "variable create variable_name = .other.k real_value = 1.0\n"
    with pytest.warns(hn.ModelWarning, match=r"variable .other.k does not become a parameter"):
        assert parse_cmd(two, parameters=True).parameters["k"].value == 5.0


def test_what_is_added_later_follows():
    model = parse_cmd(PLAIN, parameters=True)
    tip = model.find("MARKER", 4)
    model.spring_damper(tip, model.find("MARKER", 5), stiffness=1.0, length="drawn")
    longer = model.with_parameters({"L": 330.0})
    assert longer.find("SPRINGDAMPER", 2).length == pytest.approx((30.0**2 + 100.0**2) ** 0.5, rel=1e-12)


@pytest.mark.slow
def test_gradient_against_files_with_other_numbers():
    model = parse_cmd(PLAIN, parameters=True)
    j = hn.final("DY(4, 2)")
    options = {"end": 0.2, "integrator": "DOP853", "error": 1e-10}
    g = hn.gradient(model, j, ["L", "k", "load"], **options)

    def run(old, new):
        return hn.gradient(parse_cmd(PLAIN.replace(old, new)), j, ["PART/2.MASS"], **options).value

    for name, old, value in (("L", "real_value = 300", 300.0), ("k", "real_value = 5.0", 5.0)):
        h = 1e-4 * value
        slope = (run(old, f"real_value = {value + h!r}") - run(old, f"real_value = {value - h!r}")) / (2 * h)
        assert g[name] == pytest.approx(slope, rel=2e-5), name


@pytest.mark.slow
def test_a_study_of_a_command_file(tmp_path):
    path = tmp_path / "m.cmd"
    path.write_text(PLAIN)
    made = {"measures": {"low": hn.studies.Measure("rod.position.y", "min")}, "analyses": {"end": 0.1, "steps": 20}}
    with hn.Study(tmp_path / "a.study", str(path), workers=0, progress=False, **made) as study:
        assert study.space.names == ["L", "k", "load"]
        rows = study.run([{"L": 300.0, "k": 1.0, "load": 2.0}, {"L": 300.0, "k": 9.0, "load": 2.0}])
        found = [row.measures["low"] for row in rows]
    for k, value in zip((1.0, 9.0), found):
        run = hn.simulate(parse_cmd(PLAIN.replace("real_value = 5.0", f"real_value = {k}")), end=0.1, steps=20)
        assert value == pytest.approx(float(run["rod"].position[:, 1].min()), rel=1e-12)
    assert found[0] != found[1]


AWKWARD = """! real_value = 300 of a comment\r
variable create variable_name = .m.w comments = "real_value = 4.0, old" real = & ! real_value = 4.0\r
   4.0 range = 3.0, 9.0  ! real_value = 4.0\r
"""


def test_changed_design_variables_are_written_back(tmp_path):
    """Only their numbers change in the file; what it gives is the model, and what an edit by hand gives."""
    text = PLAIN.replace("\n", "\r\n") + AWKWARD + "plot create name = .m.curve  ! kept\r\n"
    path = tmp_path / "m.cmd"
    path.write_text(text, newline="")
    model = hn.read_view(path, parameters=True)
    assert hn.write_view(model) == text
    new = {"L": 330.0, "k": 7.0 / 3.0, "load": 1.75, "w": 8.125}
    other = model.with_parameters(new)
    assert hn.write_view(other, tmp_path / "out" / "new.cmd").count("\n") == text.count("\n")
    written = (tmp_path / "out" / "new.cmd").read_bytes().decode()
    by_hand = text
    for old, value in (("= 300\r", 330.0), ("= 5.0\r", 7.0 / 3.0), ("= 2.0\r", 1.75), ("   4.0 ", 8.125)):
        by_hand = by_hand.replace(old, old.replace(old.strip(" =\r"), repr(value)))
    assert written == by_hand
    again = hn.read_view(tmp_path / "out" / "new.cmd", parameters=True)
    plain = lambda m: [{k: v for k, v in e.items() if k != "source"} for e in elements(m)]  # the file's path
    assert plain(again) == plain(other) and {n: again.parameters[n].value for n in new} == new
    back = hn.write_view(again.with_parameters({"L": 300.0, "k": 5.0, "load": 2.0, "w": 4.0}))
    assert plain(parse_cmd(back)) == plain(model)


def test_models_that_a_command_file_cannot_hold():
    model = parse_cmd(PLAIN, parameters=True)
    with pytest.raises(hn.ModelError, match="differs from its command file 'commands' in PART/2.mass"):
        hn.write_view(model.with_parameters({"PART/2.MASS": 3.0}))
    more = parse_cmd(PLAIN, parameters=True)
    more.part("other", 1.0, (1.0, 1.0, 1.0))
    with pytest.raises(hn.ModelError, match="in PART/3, and not by a design variable"):
        hn.write_view(more)
    heavy = parse_cmd(PLAIN, parameters=True)
    heavy.gravity = (0.0, 0.0, -9806.65)
    with pytest.raises(hn.ModelError, match="in gravity"):
        hn.write_view(heavy)
    for plain in (hn.Model("m"), parse_cmd(PLAIN)):
        with pytest.raises(hn.ModelError, match="has no design variables of a command file; read it by read_view"):
            hn.write_view(plain)


def test_the_best_design_of_a_study_is_a_command_file(tmp_path):
    """Static height of the rod on its spring: the stiffness that a study finds is in the file that it writes."""
    path = tmp_path / "m.cmd"
    path.write_text(PLAIN)
    made = {"measures": {"y": "rod.position.y"}, "analyses": {"kind": "statics"}, "workers": 0, "progress": False}
    with hn.Study(tmp_path / "a.study", str(path), **made) as study:
        rows = study.run([{"L": 300.0, "k": k, "load": 2.0} for k in (2.0, 8.0)]).rows
        best = max(rows, key=lambda row: row.measures["y"])
        hn.write_view(study.model(best.parameters), tmp_path / "best.cmd")
    assert best.parameters["k"] == 8.0 and "real_value = 8.0" in (tmp_path / "best.cmd").read_text()
    run = hn.simulate(hn.read_view(tmp_path / "best.cmd"), kind="statics")
    assert float(run["rod"].position[-1, 1]) == pytest.approx(best.measures["y"], rel=1e-12)


def test_why_a_variable_is_no_parameter(tmp_path):
    """Named by whoever asks for it: set twice, computed, counted by a loop; a warning where it has a range."""
    loop = (
        "for variable_name = turn start_value = 1 end_value = 2\n variable set variable_name = .m.sum real_value = 1\n"
    )
    model = parse_cmd(PLAIN + loop + "end\n", parameters=True)
    for name, reason in {
        "twice": r"sets it 2 times \(line 9 is the last\); set it once",
        "half": "line 7 does not set it to one real number, but to an expression",
        "count": "does not set it to one real number",
        "sum": "sets it 2 times",
    }.items():
        with pytest.raises(
            hn.ModelError, match=f"variable '{name}' of the file of model 'm' is no parameter: .*{reason}"
        ):
            model.with_parameters({name: 2.0})
    (tmp_path / "a.cmd").write_text(PLAIN)
    with pytest.raises(hn.ModelError, match="'twice' of the file"):
        hn.Study(tmp_path / "a.study", model, {"twice": (1.0, 2.0)}, measures={"a": hn.studies.Measure("pin.angle")},
                 analyses={"end": 0.1, "steps": 2}, workers=0)  # fmt: skip
    ranged = PLAIN.replace("= .m.twice real_value = 3.0", "= .m.twice range = 0, 5 real_value = 3.0")
    with pytest.warns(hn.ModelWarning, match="variable .m.twice has a range, but is no parameter: the file sets it 2"):
        assert "twice" not in parse_cmd(ranged, parameters=True).parameters

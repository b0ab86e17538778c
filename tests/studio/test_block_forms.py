"""Forms of control blocks, FMUs and shapes: each makes the element that its builder makes, the script does the same,
and the properties of a block can be edited."""

import json
import math

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.model.builder.control import ControlMethods
from holonom.studio.creation import CREATE
from holonom.studio.document import Document
from holonom.studio.properties import properties
from holonom.studio.session import Session

#: what the forms of blocks need in addition to what they start with
GIVEN = {
    "ac_motor": {
        "joint": ["JOINT", 1], "voltage_q": "5", "resistance": 1, "inductance_d": 0.1, "flux": 0.2, "pole_pairs": 2,
    },
    "compare": {"a": "TIME", "b": "0.5"},
    "dc_motor": {"joint": ["JOINT", 1], "voltage": "12*TIME", "resistance": 2, "torque_constant": 0.1},
    "dead_time": {"u": "TIME", "delay": 0.1},
    "dead_zone": {"u": "TIME", "lower": -1, "upper": 1},
    "derivative": {"u": "TIME", "filter": 0.1},
    "distance_sensor": {"i": ["MARKER", 2], "j": ["MARKER", 3]},
    "encoder": {"joint": ["JOINT", 1], "counts": 1000, "sample_time": 0.01},
    "force_sensor": {"element": ["JOINT", 1]},
    "function": {"u": "SIN(TIME)"},
    "fuzzy": {"inputs": "TIME"},
    "gain": {"u": "TIME", "gain": 3},
    "gearbox": {"drive": ["JOINT", 1], "output": ["JOINT", 2], "ratio": 3, "stiffness": 100},
    "imu": {"marker": ["MARKER", 2], "sample_time": 0.01},
    "induction_motor": {
        "joint": ["JOINT", 1], "voltage": "300", "frequency": "314", "stator_resistance": 1, "rotor_resistance": 1,
        "magnetising": 0.2, "stator_leakage": 0.01, "pole_pairs": 2,
    },
    "integrator": {"u": "TIME"},
    "lag": {"u": "TIME", "time_constant": 0.1},
    "latch": {"set": "TIME", "reset": "0", "sample_time": 0.1},
    "lead_lag": {"u": "TIME", "lead": 0.2, "lag": 0.1},
    "logic": {"inputs": "TIME\nSTEP(TIME, 0, 0, 1, 1)"},
    "lookup": {"u": "TIME", "x": "0, 1, 2, 3", "y": "0, 1, 4, 9"},
    "neural": {"inputs": "TIME"},
    "notch": {"u": "TIME", "frequency": 10},
    "pid": {"error": "1 - AZ(2,3)", "kp": 2, "ki": 0.5},
    "quantizer": {"u": "TIME", "step": 0.1},
    "rate_limit": {"u": "TIME", "rising": 1, "lag": 0.01},
    "relay": {"u": "TIME", "sample_time": 0.1},
    "saturation": {"u": "TIME", "lower": -1, "upper": 1},
    "select": {"condition": "TIME", "yes": "1", "no": "0"},
    "sensor": {"u": "TIME"},
    "state_machine": {"transitions": '[[1, "TIME", 2], [2, "0", 1]]', "sample_time": 0.1},
    "state_space": {"inputs": "TIME", "A": "0, 1\n-4, -1", "B": "0\n1", "C": "1, 0"},
    "sum": {"inputs": "TIME\n2*TIME", "weights": "+-"},
    "transfer_function": {"u": "TIME", "numerator": "1", "denominator": "1, 2, 1"},
    "unit_delay": {"u": "TIME", "sample_time": 0.1},
    "zero_order_hold": {"u": "TIME", "sample_time": 0.1},
}  # fmt: skip


def machine():
    model = hn.Model("two wheels", "SI")
    for k in (0, 1):
        wheel = model.part(f"wheel {k}", 1.0, (0.1, 0.1, 0.1), (k, 0, 0))
        model.revolute(wheel, model.ground, f"axle {k}", at=(k, 0, 0), axis=(0, 0, 1))
    return model


def started(form, **given):
    """The arguments that the page sends: first values of the form, and what is given."""
    first = {a.name: a.start for a in CREATE[form].arguments if a.start is not None}
    return {**first, "name": "made", **given}


@pytest.fixture
def document(tmp_path):
    (tmp_path / "m.json").write_text(machine().to_json())
    return Document.open(tmp_path / "m.json")


@pytest.mark.parametrize("name", sorted(n for n in vars(ControlMethods) if n[0] != "_"))
def test_a_form_makes_the_block_of_its_builder_and_its_script_too(document, name):
    before = document.model.to_json()
    given = json.loads(json.dumps(started(f"control.{name}", **GIVEN[name])))
    step = document.do({"do": "create", "method": f"control.{name}", "arguments": given})
    twin = machine()
    exec(step.script, {"model": twin, "hn": hn})
    assert json.loads(twin.to_json())["elements"] == json.loads(document.model.to_json())["elements"]
    block = document.model.find("CONTROL", "made")
    assert not [f for row in [properties(document.model, block)] for f in row["faults"]]
    document.undo()
    assert document.model.to_json() == before


def test_fields_of_a_block_are_edited_one_by_one(document):
    given = started("control.pid", error="1 - STEP(AZ(2,3), 0, 0, 1, 1)", kp=2, ki=0.5)
    document.do({"do": "create", "method": "control.pid", "arguments": given})
    block = document.model.find("CONTROL", "made")
    row = {r["name"]: r for r in properties(document.model, block)["rows"]}
    assert (row["inputs"]["kind"], row["inputs"]["labels"]) == ("texts", list(block.port_names))
    numbers = {key: ", ".join(map(str, values)) for key, values in block.parameters.items()}
    edit = {"do": "set", "kind": "CONTROL", "id": block.id}
    document.do({**edit, "field": "parameters", "value": {**numbers, "kp": "3.5"}})
    document.do({**edit, "field": "inputs", "value": ["2 - STEP(AZ(2,3), 0, 0, 1, 1)", *block.inputs[1:]]})
    changed = document.model.find("CONTROL", "made")
    assert (
        changed.parameters["kp"] == (3.5,) and changed.parameters["ki"] == (0.5,) and block.parameters["kp"] == (2.0,)
    )
    assert changed.inputs[0] == "2 - STEP(AZ(2,3), 0, 0, 1, 1)"
    with pytest.raises(ModelError, match="give a number at place 1 for 'kp'"):
        document.do({**edit, "field": "parameters", "value": {**numbers, "kp": "fast"}})


def test_wrong_texts_of_a_form_are_refused_in_one_sentence(document):
    for name, given, words in (
        ("control.state_machine", {"transitions": "[[1, 2", "sample_time": 0.1}, "cannot be read"),
        ("control.unit_delay", {"u": "TIME", "sample_time": 0.1, "samples": "1.5"}, "whole number"),
        ("control.gain", {"u": "TIME"}, "missing"),
        ("control.logic", {"inputs": "TIME", "gate": "maybe"}, "choose one of"),
        ("fmu", {"path": "missing.fmu"}, "no file"),
        ("fmu", {"path": "../outside.fmu"}, "outside"),
    ):
        with pytest.raises(ModelError, match=words):
            document.do({"do": "create", "method": name, "arguments": started(name, **given)})


def test_an_fmu_is_made_by_its_form(document, tmp_path, monkeypatch):
    """Its inputs, outputs and parameters are lines of the form; the reader of the file is not the subject here."""
    (tmp_path / "wheel.fmu").write_bytes(b"")
    seen = {}

    def fmu(self, path, inputs=None, outputs=None, **more):
        seen.update(path=path, inputs=inputs, outputs=outputs, **more)
        return self.variable("0", "stands for the FMU")

    monkeypatch.setattr(hn.Model, "fmu", fmu)
    lines = {
        "path": "wheel.fmu",
        "inputs": "velocity = VZ(2)\nload=3",
        "outputs": "force\nslip",
        "parameters": "r = 0.3",
    }
    step = document.do({"do": "create", "method": "fmu", "arguments": started("fmu", **lines)})
    assert (seen["inputs"], seen["outputs"]) == ({"velocity": "VZ(2)", "load": 3.0}, ("force", "slip"))
    assert (
        seen["parameters"] == {"r": 0.3}
        and seen["path"] == tmp_path / "wheel.fmu"
        and math.isclose(seen["error"], 1e-4)
    )
    assert "here / 'wheel.fmu'" in step.script


def test_joint_coordinates_are_a_setting_of_dynamic_runs(tmp_path):
    session = Session(tmp_path)
    given = {"kind": "dynamics", "end": 1, "steps": 10, "coordinates": "joint"}
    assert session._run_settings(given)["coordinates"] == "joint"
    assert "coordinates" not in session._run_settings({**given, "kind": "statics"})
    assert "coordinates" not in session._run_settings({**given, "coordinates": ""})
    with pytest.raises(ModelError, match="choose one of maximal, joint, auto"):
        session._run_settings({**given, "coordinates": "polar"})

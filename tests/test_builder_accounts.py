"""Builders of machines, element by element: all that a builder made (parts, joints, forces, contacts, requests) is that
of a drawing made from its docstring, and nothing else was made."""

import math
import sys
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

import _drawn_cars
import _drawn_drives
import _drawn_machinery
import _drawn_rail
import _drawn_structures
import _drawn_vehicle
import holonom as hn
import holonom.analyses.session.simulate  # noqa: F401  what `measure` takes its run from
from _account import X, account, body, differences, pair
from _rows_vehicle import coupe
from holonom.machinery import Sheave, reeving
from holonom.structures.closed_forms import measure
from holonom.vehicle.tyre_rig import TyreRig

PACKAGES = (_drawn_cars, _drawn_drives, _drawn_machinery, _drawn_rail, _drawn_structures, _drawn_vehicle)
DRAWINGS = [d for m in PACKAGES for d in m.DRAWINGS]


@pytest.mark.parametrize(("build", "draw", "rel"), [d[1:] for d in DRAWINGS], ids=[d[0] for d in DRAWINGS])
def test_all_elements_of_a_builder(build, draw, rel):
    model, state = build()
    found = account(model, **state)
    assert not differences(found, draw(found), rel)


@pytest.mark.parametrize(
    ("kind", "words", "element", "drawn"),
    [
        (
            "spring_damper",
            {"stiffness": 3e5, "damping": 2e3},
            "SPRINGDAMPER SPRINGDAMPER_1",
            {"k": 3e5, "c": 2e3, "length": 2.0},
        ),
        (
            "power_damper",
            {"damping": 4e3, "exponent": 0.6},
            "POWER_DAMPER POWER_DAMPER_1",
            {"c": 4e3, "exponent": 0.6, "slow": 1e-4 * 7.0 * 0.02, "length": 2.0},
        ),
    ],
)
def test_rig_of_a_damper(kind, words, element, drawn):
    """`closed_forms.measure`: a slider, 100 amplitudes from the ground, moves by X sin(w t); what it finds in a run
    where a spring k and a damper c would pull."""
    amplitude, w, k, c, steps, cycles = 0.02, 7.0, 2.7e5, 1.9e3, 40, 3
    seen = {}

    def run(model, end, count, **_):
        seen.update(account(model), end=end, count=count)
        t = np.linspace(0.0, end, count + 1)
        x, v = amplitude * np.sin(w * t), amplitude * w * np.cos(w * t)
        pull = -(k * x + c * v)
        force = pull if kind == "spring_damper" else np.outer(pull, (1.0, 0.0, 0.0))
        place = np.column_stack([x + 100.0 * amplitude, 0.0 * x, 0.0 * x])
        vector = lambda values: SimpleNamespace(values=values)
        view = SimpleNamespace(force=vector(force))
        lost = c * amplitude**2 * w * (0.5 * w * t + 0.25 * np.sin(2.0 * w * t))
        return SimpleNamespace(
            spring=lambda _: view if kind == "spring_damper" else None,
            force=lambda _: view if kind != "spring_damper" else None,
            part=lambda _: SimpleNamespace(position=vector(place)),
            data=SimpleNamespace(energy_dissipated=lost),
        )

    # the name of the function is that of the module, so that it is found by the path
    with mock.patch.object(sys.modules["holonom.analyses.session.simulate"], "simulate", run):
        found = measure(kind, amplitude, w, cycles=cycles, steps=steps, **words)
    assert seen["end"] == pytest.approx(cycles * 2.0 * math.pi / w) and seen["count"] == cycles * steps
    assert found["loss"] == pytest.approx(math.pi * c * w * amplitude**2, rel=1e-9)
    assert found["storage"] == pytest.approx(k, rel=1e-9) and found["loss_stiffness"] == pytest.approx(c * w, rel=1e-9)
    t = np.linspace(0.0, 2.0 * math.pi / w, steps + 1)
    assert np.allclose(found["stretch"], amplitude * np.sin(w * t), atol=1e-9)
    assert np.allclose(found["force"], amplitude * (k * np.sin(w * t) + c * w * np.cos(w * t)), atol=1e-6)
    assert found["peak"] == pytest.approx(np.abs(found["force"]).max())
    at = (100.0 * amplitude, 0.0, 0.0)
    here = {word: seen[word] for word in seen if " " in word}
    sheet = {
        "PART slide": body(1.0, at, (1, 1, 1)),
        "JOINT JOINT_1": pair("slide", "ground", at, X, type="TRANSLATIONAL"),
        "MOTION MOTION_1": {
            **{"joint": "JOINT_1", "kind": "TRANSLATIONAL", "function": amplitude * math.sin(w * 0.37)},
        },
        element: pair("slide", "ground", at, None, (0.0, 0.0, 0.0), None, **drawn),
    }
    assert not differences(here, sheet)


@pytest.mark.parametrize(("units", "speed"), [("SI", 16.7), ("mm", 16700.0)])
def test_speed_of_a_tyre_rig(units, speed):
    """That of the measurement, or 16.7 m/s where the tyre has none."""
    m = hn.Model("tyre", units=units)
    metre = 1.0 / m.units.si_length
    wheel, road = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    tyre = m.tyre_fiala(
        wheel, road, radius=0.3 * metre, stiffness=2e5 / metre, cslip=5e4, calpha=5e4, umin=0.8, umax=0.9
    )
    assert TyreRig(tyre, units=m.units).speed == pytest.approx(speed, rel=1e-12)
    measured = coupe()._tyre_file("front")
    rig = TyreRig(measured)
    assert rig.speed == rig.tyre.coefficients["LONGVL"] == 16700.0


@pytest.mark.parametrize(("side", "turned"), [(-1, 0.5 * math.pi), (1, 1.5 * math.pi)])
def test_length_of_a_rope_that_turns_by_a_quarter_or_by_three(side, turned):
    """From (1, -1) round a sheave in the origin to (1, 1): by the short way, or once round the other way, where both
    straight pieces lie on the other sides of the sheave and cross: two right angles less or more than the tangents'."""
    m = hn.Model("reeving")
    parts = [m.part(f"p{k}", 1.0, (1, 1, 1), at) for k, at in enumerate(((1, -1, 0), (0, 0, 0), (1, 1, 0)))]
    path = [Sheave(parts[0], (1, -1, 0)), Sheave(parts[1], (0, 0, 0), 0.2, side), Sheave(parts[2], (1, 1, 0))]
    made = reeving(m, path)
    lean = math.asin(0.2 / math.sqrt(2.0))
    assert made.length == pytest.approx(2.0 * math.sqrt(2.0 - 0.04) + 0.2 * (turned + 2.0 * lean), rel=1e-12)

"""Whole cars on tyres of every property file: a step of the steering wheel each."""

import copy
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from _tyres import BODY, MF6, PAC89, PASSENGER, TYRES, linear
from holonom.vehicle import Vehicle, VehicleFile, cornering, read_vehicle, steer_step, write_chrono_tyre, write_tir

DATA = Path(__file__).parents[3] / "shared/data"
PUBLIC = {
    "TMeasy of the sedan": "vehicle/chrono/sedan/tire/Sedan_TMeasyTire.json",
    "PAC2002 of the sedan": "tyre/tir/sedan__Sedan_Pac02Tire.tir",
    "PAC2002 of an Audi": "tyre/tir/audi__audi_Pac02Tire.tir",
    "Fiala of the generic car": "vehicle/chrono/generic/tire/FialaTire.json",
}


def car(file):
    data = copy.deepcopy(read_vehicle("sedan").data)
    for axle in ("front", "rear"):
        data[axle]["wheel"] = {**data[axle]["wheel"], "tyre": str(file)}
    return Vehicle(VehicleFile(data, Path(file).parent / "car.json"))


def table_car(tyre):
    """The sedan on a tyre of a table of its file: N, mm, s."""
    data = copy.deepcopy(read_vehicle("sedan").data)
    for axle in ("front", "rear"):
        data[axle]["wheel"] = {**data[axle]["wheel"], "tyre": tyre}
    return Vehicle(VehicleFile(data))


#: N, mm, s
SIZES = {"radius": 305.0, "stiffness": 200.0, "damping": 0.1}
TYRE_DATA = {
    "brush": {
        "model": "brush",
        **SIZES,
        "slip_stiffness": 6e4,
        "load": 4000.0,
        "half_length": 60.0,
        "friction": 1.0,
        "rolling_resistance": 0.01,
    },
    "user": {
        "model": "user",
        **SIZES,
        "function": linear,
        "coefficients": (20.0, 14.0, 400.0),
        "slip_stiffness_x": 8e4,
        "slip_stiffness_y": 5.6e4,
    },
}


def ours(name, folder):
    """A property file of a tyre of ours."""
    m = hn.Model()
    i, j = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    if name in ("FIALA", "UA"):
        return write_tir(folder / f"{name}.tir", TYRES[f"TYRE_{name}"](m, i, j))
    if name in ("PAC2002", "MF6"):
        e = (
            m.tyre_pac2002(i, j, PASSENGER)
            if name == "PAC2002"
            else m.tyre_mf6(i, j, {**MF6, "PVY1": 0.0, "PHY1": 0.0})
        )
        return write_tir(folder / f"{name}.tir", e)
    build = {"PAC89": lambda: m.tyre_pac89(i, j, PAC89, **BODY), "TMEASY": lambda: TYRES["TYRE_TMEASY"](m, i, j)}[name]
    return write_chrono_tyre(folder / f"{name}.json", build())


def check(vehicle, within=0.02):
    """A step of the steering wheel: the car turns to the left and rolls outward as the linear car of its suspension on
    the rig and its tyres does."""
    assert sum(vehicle.loads.values()) == pytest.approx(vehicle.file.mass.mass * 9.80665, rel=1e-6)
    d = steer_step(vehicle, 20.0, 0.5, hold=1.5)
    linear = cornering(vehicle, 20.0)
    assert d.metrics["yaw_rate_gain"] == pytest.approx(linear.track.yaw_gain(20.0) / linear.ratio, rel=within)
    rolled, turned = (d[w][-1] - d[w][80] for w in ("roll", "ay"))  # 80: straight ahead
    assert rolled / turned == pytest.approx(linear.roll_gradient, rel=within)
    assert d["ay"][-1] == pytest.approx(0.5, rel=0.02) and d["ay"][-1] == pytest.approx(
        d["yaw_rate"][-1] * d["speed"][-1], rel=0.01
    )
    assert np.isfinite(d["y"]).all() and not d.stopped


@pytest.mark.slow
@pytest.mark.parametrize("name", ["FIALA", "UA", "PAC2002", "MF6", "PAC89", "TMEASY"])
def test_step_steer_on_tyres_of_ours(name, tmp_path):
    check(car(ours(name, tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("name", TYRE_DATA)
def test_step_steer_on_tyres_of_tables(name):
    """The brush, and a function of one's own."""
    check(table_car(TYRE_DATA[name]))


def test_bad_tables():
    for tyre, words in (
        ({"model": "brus"}, "give fiala, ua, brush, user"),
        ({"model": "brush", **SIZES}, "front.wheel.tyre: tyre_brush: slip_stiffness and load"),
        ({**TYRE_DATA["brush"], "mass": 3.0}, "mass"),
        ({**TYRE_DATA["brush"], "stiffness": -1.0}, "stiffness"),
    ):
        with pytest.raises(hn.ModelError) as error:
            table_car(tyre)
        assert words in str(error.value), str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC)
def test_step_steer_on_public_tyres(name):
    path = DATA / PUBLIC[name]
    if not path.is_file():
        pytest.skip(NEEDS)
    # open: with PAC2002 of Chrono the linear car has 0.63 of the gain of the run
    check(car(path), 0.6 if "PAC2002" in name else 0.02)


@pytest.mark.slow
def test_a_tyre_too_weak_for_the_car_is_one_sentence(tmp_path):
    m = hn.Model()
    i, j = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    weak = m.tyre_fiala(
        i, j, radius=0.3, stiffness=2e3, damping=50.0, cslip=8e4, calpha=6e4, umax=0.9, umin=0.7, width=0.2
    )
    with pytest.raises(hn.ModelError, match="tyre|carry|deflect"):
        car(write_tir(tmp_path / "weak.tir", weak))

"""Studies of manoeuvres, what drives are drawn with, tyres of all types under whole cars."""

import math
from pathlib import Path

import numpy as np
import pytest

from _public_data import NEEDS
from holonom.model import ModelError
from holonom.vehicle import Drive, Scene, Vehicle, iso_3888, read_vehicle, steer_step, study
from holonom.vehicle.manoeuvres import _simulate

DATA = Path(__file__).resolve().parents[3] / "shared/data"


def made_up(vehicle, speed=1.0, gain=2.0):
    """A manoeuvre that costs nothing."""
    if gain < 0.0:
        raise ModelError("gain is negative; give another")
    m = {"product": speed * gain, "rate": vehicle.file.data["front"]["spring"]["rate"]}
    return Drive("made up", None, {}, m, stopped="it stopped" if speed > 5.0 else "")


def test_study(tmp_path):
    found = study("sedan", made_up, {"gain": [1.0, 3.0, -1.0]}, {"front.spring.rate": [20.0, 30.0]}, speed=6.0)
    assert found.names == ("gain", "front.spring.rate") and found.points[1] == (1.0, 30.0)
    assert (
        np.array_equal(found["product"], [6.0, 6.0, 18.0, 18.0, np.nan, np.nan], equal_nan=True)
        and found["rate"][3] == 30.0
    )
    assert found.errors[0] == "it stopped" and "gain is negative" in found.errors[4] and "18" in found.text("product")
    found.plot(path=tmp_path / "study.png")
    assert (tmp_path / "study.png").stat().st_size > 5000
    rows = found.to_csv(tmp_path / "study.csv").read_text().splitlines()
    assert (
        rows[0] == "gain,front.spring.rate,product,rate,error"
        and len(rows) == 7
        and rows[1].startswith("1,20,6.0,20.0,")
    )
    for ask, words in (
        (lambda: study("sedan", made_up), "something that varies"),
        (lambda: study("sedan", made_up, {"gain": []}), "give a list of values"),
        (lambda: study("sedan", made_up, {"gain": range(40), "speed": range(40)}), "1600 points"),
        (lambda: found["produkt"], "did you mean 'product'"),
    ):
        with pytest.raises(ModelError) as error:
            ask()
        assert words in str(error.value)


def test_drawn():
    """Cones, road and body are graphics of the right bodies, and the animation follows the chassis."""
    from holonom.results.pages.animation import scene

    car = Vehicle("coupe")
    course = iso_3888(car)
    model = car.model(20.0, scene=Scene(course.draw, position=(10.0, 2.0), heading=0.3))
    cones = [g for g in model.table("GRAPHICS").values() if getattr(g, "kind", getattr(g, "type", "")) == "FRUSTUM"]
    assert len(cones) == len(course.cones())
    d = _simulate(car, "short", model, 0.05)
    data = scene(d.run, follow="chassis")
    assert data["bodies"][data["follow"]]["name"] == "chassis"
    with pytest.raises(ModelError, match="chasis"):
        scene(d.run, follow="chasis")


@pytest.mark.slow
def test_study_of_a_car():
    """A stiffer front spring rolls less; a table of the command line."""
    found = study("coupe", steer_step, {}, {"front.spring.rate": [20.0, 80.0]}, speed=20.0, angle=0.4, hold=1.2)
    assert found["roll_gradient"][1] < 0.97 * found["roll_gradient"][0] and not any(found.errors)


def write_tyre(folder, kind):
    """A tyre of another kind, SI, about as stiff as the passenger tyre."""
    common = {
        "UNLOADED_RADIUS": 0.31,
        "WIDTH": 0.2,
        "VERTICAL_STIFFNESS": 2.0e5,
        "VERTICAL_DAMPING": 300.0,
        "ROLLING_RESISTANCE": 0.003,
    }
    words = {
        "FIALA": {
            "CSLIP": 8e4,
            "CALPHA": 6e4,
            "UMIN": 0.85,
            "UMAX": 0.95,
            "RELAX_LENGTH_X": 0.1,
            "RELAX_LENGTH_Y": 0.4,
        },
        "UATIRE": {
            "CSLIP": 8e4,
            "CALPHA": 6e4,
            "CGAMMA": 3e3,
            "UMIN": 0.85,
            "UMAX": 0.95,
            "RELAX_LENGTH_X": 0.1,
            "RELAX_LENGTH_Y": 0.4,
        },
    }[kind]
    text = "[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\nANGLE = 'radian'\nMASS = 'kg'\nTIME = 'second'\n[MODEL]\n"
    text += f"PROPERTY_FILE_FORMAT = '{kind}'\n[PARAMETER]\n" + "".join(
        f"{k} = {v}\n" for k, v in {**common, **words}.items()
    )
    (folder / f"{kind}.tir").write_text(text)
    return str(folder / f"{kind}.tir")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["FIALA", "UATIRE", "TMEASY"])
def test_tyres_of_all_kinds(tmp_path, kind):
    """A whole car on them stands under its weight, rolls on, and turns as the linear car of its suspension on the rig
    and its tyres."""
    from holonom.vehicle import cornering
    from holonom.vehicle.manoeuvres import steering_ratio

    if kind == "TMEASY":
        files = (
            [p for p in sorted(DATA.rglob("*.json")) if "TMeasy" in p.name and "edan" in p.name]
            if DATA.exists()
            else []
        )
        if not files:
            pytest.skip(f"{NEEDS}: {DATA} has no TMeasy tyre of a sedan")
        tyre = str(files[0].resolve())
    else:
        tyre = write_tyre(tmp_path, kind)
    v = read_vehicle("sedan").changed({f"{w}.wheel.tyre": tyre for w in ("front", "rear")})
    car = Vehicle(v)
    assert sum(car.loads.values()) == pytest.approx(v.mass.mass * 9.80665, rel=1e-5)
    d = steer_step(car, 15.0, angle=0.1, hold=1.5)
    gain = cornering(car, 15.0).track.yaw_gain(15.0) / steering_ratio(car)
    assert (
        d.metrics["yaw_rate_gain"] == pytest.approx(gain, rel=0.01)
        and abs(d["speed"][-1] - 15.0) < 0.1
        and math.isfinite(d["ay"][-1])
    )

"""Vehicles of Chrono's files: what their files say, by an own reading of them; statics; a step of the steering wheel
next to the linear car."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from _public_data import NEEDS
from holonom import simulate
from holonom.cli import app
from holonom.model import ModelError
from holonom.vehicle import (
    Controls,
    Vehicle,
    read_chrono_tyre,
    read_chrono_vehicle,
    read_vehicle,
    steer_step,
    tyre_history,
)

CHRONO = Path(__file__).parents[3] / "shared/data/vehicle/chrono"
CARS = {
    "hmmwv": ("hmmwv/vehicle/HMMWV_Vehicle.json", "hmmwv/tire/HMMWV_FialaTire.json", "hmmwv/powertrain/HMMWV_{}.json"),
    "sedan": ("sedan/vehicle/Sedan_Vehicle.json", "sedan/tire/Sedan_TMeasyTire.json", "sedan/powertrain/Sedan_{}.json"),
}
pytestmark = [
    pytest.mark.skipif(not CHRONO.is_dir(), reason=f"{NEEDS}: {CHRONO} is absent"),
    pytest.mark.filterwarnings("ignore:.*Vehicle.json"),
]


def read(name, root=CHRONO):
    car, tyre, power = CARS[name]
    engine, gears = (root / power.format(w) for w in ("EngineSimpleMap", "AutomaticTransmissionSimpleMap"))
    return read_chrono_vehicle(root / car, root / tyre, engine=engine, transmission=gears)


def plain(path):
    return json.loads(re.sub(r"//[^\n]*", "", (CHRONO / path).read_text()))


@pytest.mark.parametrize("name", CARS)
def test_what_the_files_say(name):
    """Masses, wheelbase, track, ratios added up from the files themselves."""
    car = read(name)
    vehicle = plain(CARS[name][0])
    tyre = plain(CARS[name][1])
    tyre = tyre["Mass"] if "Mass" in tyre else tyre["Design"]["Mass [kg]"]
    mass = plain(vehicle["Chassis"]["Input File"])["Components"][0]["Mass"]
    centres = []
    for axle in vehicle["Axles"]:
        s, wheel = plain(axle["Suspension Input File"]), plain(axle["Left Wheel Input File"])
        mass += 2 * (s["Spindle"]["Mass"] + wheel["Mass"] + tyre + 0.5)
        mass += 2 * sum(s[w]["Mass"] for w in ("Upright", "Upper Control Arm", "Lower Control Arm"))
        centres.append(np.add(axle["Suspension Location"], s["Spindle"]["COM"]))
    steering = plain(vehicle["Steering Subsystems"][0]["Input File"])
    mass += steering["Steering Link"]["Mass"] + 2 * steering.get("Pitman Arm", {"Mass": 0.0})["Mass"] + 0.1
    assert car.mass.mass == pytest.approx(mass, rel=1e-9)
    assert car.wheelbase == pytest.approx(centres[0][0] - centres[1][0])
    for which, centre in zip(("front", "rear"), centres):
        assert car.data[which]["hardpoints"]["wheel_centre"][:2] == pytest.approx(centre[:2])
    heights = [car.data[w]["hardpoints"]["wheel_centre"][2] for w in ("front", "rear")]
    assert heights[0] - heights[1] == pytest.approx(centres[0][2] - centres[1][2])
    gears = plain(CARS[name][2].format("AutomaticTransmissionSimpleMap"))["Gear Box"]["Forward Gear Ratios"]
    assert [1 / g for g in car.drive["gears"]] == pytest.approx(gears) and car.drive["axle"] == "rear"
    front = plain(vehicle["Axles"][0]["Suspension Input File"])["Spring"]
    assert car.data["front"]["spring"]["free"] == front["Free Length"]
    if "Spring Curve Data" in front:  # pull over extension there, push over compression here
        assert dict(map(tuple, car.data["front"]["spring"]["curve"]))[0.1] == pytest.approx(
            -dict(map(tuple, front["Spring Curve Data"]))[-0.1]
        )


FIALA = CHRONO / CARS["hmmwv"][1]
OTHERS = {
    "MacPhersonStruts": ("mcpherson", "mcpherson"),
    "MultiLinks": ("multi_link", "multi_link"),
    "SemiTrailingArm": ("double_wishbone", "semi_trailing_arm"),
    "ThreeLinkIRS": ("double_wishbone", "three_link"),
    "DoubleWishbones_ARB": ("double_wishbone", "double_wishbone"),
}
NOT_BODIES = ("Spindle", "Axle", "Spring", "Shock", "Tierod")


@pytest.mark.parametrize("name", OTHERS)
def test_other_suspensions(name):
    """Masses of all tables that have one, and where their points lie, from the files themselves."""
    path = f"generic/vehicle/Vehicle_{name}.json"
    car = read_chrono_vehicle(CHRONO / path, FIALA)
    vehicle = plain(path)
    mass = plain(vehicle["Chassis"]["Input File"])["Components"][0]["Mass"]
    for axle, which, template in zip(vehicle["Axles"], ("front", "rear"), OTHERS[name]):
        data, s = car.data[which], plain(axle["Suspension Input File"])
        assert data["template"] == template
        bodies = [t["Mass"] for w, t in s.items() if isinstance(t, dict) and "Mass" in t and w not in NOT_BODIES]
        rods = 0.5 if "Tierod" in s else 0.0
        mass += 2 * (
            sum(bodies)
            + rods
            + s["Spindle"]["Mass"]
            + plain(axle["Left Wheel Input File"])["Mass"]
            + plain(CARS["hmmwv"][1])["Mass"]
        )
        points = data["hardpoints"]
        theirs = {
            tuple(np.round(np.subtract(p, points["wheel_centre"]), 9))
            for w, p in points.items()
            if not w.startswith(("pitman", "wheel"))
        }
        want = {
            tuple(np.round(np.subtract(p, s["Spindle"]["COM"]), 9))
            for t in s.values()
            if isinstance(t, dict)
            for w, p in t.items()
            if w.startswith("Location") and w != "Location Spindle"
        }
        assert theirs == want
    link = plain(vehicle["Steering Subsystems"][0]["Input File"])
    mass += link["Steering Link"]["Mass"] + 2 * link["Pitman Arm"]["Mass"] + 0.1
    assert car.mass.mass == pytest.approx(mass, rel=1e-9)
    if (
        name == "DoubleWishbones_ARB"
    ):  # curves of pull over extension; the other axle of the car has the same as numbers
        assert car.data["front"]["damper"]["curve"][0] == [-2.0, -45000] and car.data["front"]["damper"]["curve"][
            -1
        ] == [2.0, 45000]
        assert "AntirollBar" in car.data["notes"] or "Antirollbar" in car.data["notes"]


@pytest.mark.slow
def test_leaning_pitman_arm():
    """The centre link moves across the pivots' axis, which leans as the file specifies, and does not turn."""
    car = read_chrono_vehicle(CHRONO / "generic/vehicle/Vehicle_SemiTrailingArm.json", FIALA)
    rig = car.kc("front").rig
    steering = plain("generic/vehicle/Vehicle_SemiTrailingArm.json")["Steering Subsystems"][0]
    axis = Rotation.from_quat(np.roll(steering["Orientation"], -1)).as_matrix()[:, 2]
    d = rig._path.sensitivity()
    link = next(p for p in rig.model.table("PART").values() if "centre link" in p.name)
    moves = d.of(link.cm)[:, rig.column["steering wheel"]]
    assert abs(axis[0]) > 0.3 and np.linalg.norm(moves[:3]) > 0.1
    assert abs(moves[:3] @ axis) < 1e-9 and np.abs(moves[3:]).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_others_rest(name):
    """14 degrees of freedom: the body's, travel and spin of four wheels; the wheels carry the weight."""
    file = read_chrono_vehicle(CHRONO / f"generic/vehicle/Vehicle_{name}.json", FIALA)
    car = Vehicle(file)
    assert sum(car.loads.values()) == pytest.approx(file.mass.mass * 9.80665, rel=1e-6)
    assert simulate(car.model(10.0), end=0.01, progress=False).info["degrees_of_freedom"] == 14


@pytest.mark.slow
def test_rubber_of_hmmwv():
    """Bushings in the eyes of the arms, 7e7 N/m a hinge: what they make the axle softer is inverse to their
    stiffness."""
    car = read_chrono_vehicle(CHRONO / "hmmwv/vehicle/HMMWV_Vehicle_bushings.json", FIALA)
    assert car.data["front"]["bushings"]["lower_front"] == {"k": [3.5e7] * 3, "kt": [5e4, 5e4, 0.0], "damping": 5e-4}
    for which in ("front", "rear"):
        found = []
        for _ in range(3):
            found.append(1.0 / car.kc(which, "compliant").design["wheel_rate"][0])
            for b in car.data[which]["bushings"].values():
                b["k"] = [10.0 * v for v in b["k"]]
        assert found[0] > found[1] > found[2] and found[0] - found[1] == pytest.approx(
            10.0 * (found[1] - found[2]), rel=0.05
        )
        assert found[2] == pytest.approx(1.0 / car.kc(which).design["wheel_rate"][0], rel=0.005)


@pytest.mark.slow
def test_chassis_of_several_components(tmp_path):
    """A box of points that is written as two lumps and one that is cut out has the centre and the tensor of its points;
    Chrono's products are entries of the tensor."""
    root = tmp_path / "data"
    shutil.copytree(
        CHRONO / "sedan",
        root / "sedan",
        ignore=lambda _, names: [n for n in names if Path(n).suffix not in ("", ".json")],
    )
    rng = np.random.default_rng(3)
    turned = np.array([0.9, 0.1, -0.3, 0.2])
    lumps, parts = [], []
    for mass, at, q, void in (
        (900.0, (0.2, 0.1, 0.6), (1, 0, 0, 0), False),
        (800.0, (-0.4, -0.2, 0.8), turned, False),
        (100.0, (0.1, 0.0, 0.5), (1, 0, 0, 0), True),
    ):
        x = rng.normal(size=(40, 3)) * (1.0, 0.4, 0.3) + rng.normal(size=(40, 1)) * (0.5, 0.3, 0.2)
        x -= x.mean(axis=0)
        m = mass / 40
        J = m * sum(r @ r * np.eye(3) - np.outer(r, r) for r in x)
        entries = {"Moments of Inertia": np.diag(J).tolist(), "Products of Inertia": [J[0, 1], J[0, 2], J[1, 2]]}
        parts.append(
            {
                "Centroidal Frame": {"Location": list(at), "Orientation": list(map(float, q))},
                "Mass": mass,
                "Void": void,
                **entries,
            }
        )
        A = Rotation.from_quat(np.roll(q, -1)).as_matrix()
        lumps += [(-m if void else m, A @ r + at) for r in x]
    path = root / "sedan/chassis/Sedan_Chassis.json"
    path.write_text(json.dumps({**plain("sedan/chassis/Sedan_Chassis.json"), "Components": parts}))
    car = read("sedan", root)
    mass = sum(m for m, _ in lumps)
    centre = sum(m * r for m, r in lumps) / mass
    J = sum(m * ((r - centre) @ (r - centre) * np.eye(3) - np.outer(r - centre, r - centre)) for m, r in lumps)
    up = (
        car.data["front"]["hardpoints"]["wheel_centre"][2]
        - np.add(plain(CARS["sedan"][0])["Axles"][0]["Suspension Location"], (0, 0, -0.1199))[2]
    )
    assert car.chassis["mass"] == pytest.approx(mass) and car.chassis["cm"] == pytest.approx(centre + (0, 0, up))
    part = Vehicle(car)._draw("drawn")[1]
    A = part.frame.axes
    xx, yy, zz, xy, xz, yz = [*part.ip, 0.0, 0.0, 0.0][:6]
    np.testing.assert_allclose(
        A @ np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]) @ A.T, J, atol=1e-9 * np.abs(J).max()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CARS)
def test_rests_and_turns_in(name):
    """Loads of the wheels carry the weight; the axles' springs are as long as their forces ask; steady yaw rate and
    lateral acceleration belong to one circle."""
    file = read(name)
    car = Vehicle(file)
    loads = car.loads
    assert sum(loads.values()) == pytest.approx(file.mass.mass * 9.80665, rel=1e-6)
    assert loads["front left"] == pytest.approx(loads["front right"], rel=1e-3)
    turn = steer_step(car, 20.0, 2.0)
    m = turn.metrics
    assert m["steady_ay"] == pytest.approx(2.0, rel=0.02) and m["steady_ay"] == pytest.approx(
        20.0 * m["steady_yaw_rate"], rel=0.02
    )


def test_bad_files_are_a_sentence(tmp_path):
    root = tmp_path / "data"
    for part in ("vehicle", "chassis", "suspension", "steering", "wheel", "tire", "brake", "driveline", "powertrain"):
        shutil.copytree(
            CHRONO / "hmmwv" / part,
            root / "hmmwv" / part,
            ignore=lambda _, names: [n for n in names if not n.endswith(".json")],
        )
    assert read("hmmwv", root).name == "HMMWV 17 bodies"

    def broken(path, change, words):
        at = root / path
        before = at.read_text()
        data = plain(path)
        change(data)
        at.write_text(json.dumps(data))
        with pytest.raises(ModelError, match=words):
            read("hmmwv", root)
        at.write_text(before)

    car, front = "hmmwv/vehicle/HMMWV_Vehicle.json", "hmmwv/suspension/HMMWV_DoubleWishboneFront.json"
    broken(car, lambda d: d["Chassis"].update({"Input File": "/etc/passwd"}), "give a path below the folder")
    broken(car, lambda d: d["Chassis"].update({"Input File": "../../x.json"}), "give a path below the folder")
    broken(car, lambda d: d["Axles"].pop(), "1 axles; a vehicle here has two")
    broken(car, lambda d: d["Axles"][0].update({"Steering Index": 3}), "Steering Index is 3")
    broken(car, lambda d: d["Axles"][0].update({"Steering Index": "0"}), "Steering Index is")
    broken(front, lambda d: d["Spring"].pop("Free Length"), "Spring has no 'Free Length'")
    broken(front, lambda d: d["Upright"].update({"Mass": "heavy"}), r"Upright.Mass")
    broken(
        front,
        lambda d: d.update({"Template": "SolidAxle"}),
        "is a Suspension 'SolidAxle'; DoubleWishbone, .* others have no template",
    )
    broken(front, lambda d: d.update({"Template": ["SolidAxle"]}), "is a Suspension")
    broken(front, lambda d: d.update({"Template": "MacPhersonStrut"}), "it has no 'Control Arm'")
    broken(
        car,
        lambda d: d["Axles"][1].update({"Right Wheel Input File": "hmmwv/wheel/Other.json"}),
        "both sides of an axle here are alike",
    )
    before = (root / car).read_text()
    more = plain(car)
    more["Axles"][0]["Antirollbar Input File"] = "hmmwv/bar.json"
    (root / car).write_text(json.dumps(more))
    assert "'Antirollbar Input File' of Axles[0] of HMMWV_Vehicle.json is left out" in read("hmmwv", root).data["notes"]
    (root / car).write_text(before)
    (root / front).write_text("{")
    with pytest.raises(ModelError, match="is not valid JSON"):
        read("hmmwv", root)
    with pytest.raises(ModelError, match="go together"):
        read_chrono_vehicle(CHRONO / car, CHRONO / CARS["hmmwv"][1], engine="x.json")


def test_command_writes_a_vehicle_file(tmp_path):
    car, tyre, _ = CARS["sedan"]
    out = tmp_path / "sedan.json"
    done = CliRunner().invoke(
        app, ["vehicle", "chrono", str(CHRONO / car), "--tyre", str(CHRONO / tyre), "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert read_vehicle(out).mass.mass == pytest.approx(read("sedan").mass.mass)
    nowhere = CliRunner().invoke(
        app,
        [
            "vehicle",
            "chrono",
            str(CHRONO / car),
            "--tyre",
            str(CHRONO / tyre),
            "--out",
            str(tmp_path / "no" / "x.json"),
        ],
    )
    assert nowhere.exit_code == 2


#: the data folder of Chrono itself, where it is at hand: HOLONOM_CHRONO_VEHICLES=.../chrono/data/vehicle
VAN = Path(os.environ.get("HOLONOM_CHRONO_VEHICLES", CHRONO)) / "VW_microbus/json"


@pytest.mark.slow
@pytest.mark.skipif(not VAN.is_dir(), reason=f"{NEEDS}: {VAN} is absent")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "tyre",
    [
        "van_Pac02Tire.json",
        "van_Pac02Tire_extTIR.json",
        "mf_185_80R14.tir",
        "van_TMeasyTire.json",
        "van_TMeasyTireFull.json",
    ],
)
def test_the_microbus_on_its_own_tyres(tyre):
    """Its mass from its files; loads of the trim that carry it; straight ahead; it turns to the side to which it is
    steered."""
    mass = {"van_Pac02Tire.json": 16.0, "van_Pac02Tire_extTIR.json": 16.0, "mf_185_80R14.tir": 0.0}.get(tyre, 19.8)
    file = read_chrono_vehicle(VAN / "van_Vehicle.json", VAN / tyre)
    # chassis; wheels and tyres; spindles, uprights and arms; steering link and tie rods
    assert file.mass.mass == pytest.approx(
        2321 + 4 * (12 + mass) + 2 * (14.705 + 19.45 + 5.813 + 23.965) + 2 * 3.0 + 9.072 + 1.0, abs=0.2
    )
    car = Vehicle(file)
    run = simulate(car.model(15.0, Controls("0", hold=False, throttle="0")), end=1.0, steps=20)
    wheels = [f"{axle} {side} tyre" for axle in ("front", "rear") for side in ("left", "right")]
    assert sum(tyre_history(run, w)["F_z"][0] for w in wheels) == pytest.approx(file.mass.mass * 9.80665, rel=1e-3)
    place = run.part("chassis").position.values
    assert np.abs(place[:, 1]).max() < 0.05 and np.ptp(place[:, 2]) < 0.01
    run = simulate(car.model(3.0, Controls("0.04*STEP(TIME,0.1,0,0.4,1)", hold=False, throttle="0")), end=2.0, steps=20)
    assert 0.0 < run.part("chassis").angular_velocity.values[-1, 2] < 0.2


def test_unread_entries_of_a_tyre_are_listed(tmp_path):
    source = plain("sedan/tire/Sedan_TMeasyTire.json")
    source["Design"]["Hysteresis"] = 0.2
    source["Camber Gain"] = 0.0
    source["Extra"] = {"a": 1}
    source.pop("Rolling Resistance Coefficient", None)
    source["Rolling Resistance Coefficients"] = 0.02  # one number for all loads
    (tmp_path / "a.json").write_text(json.dumps(source))
    before = set(read_chrono_tyre(CHRONO / CARS["sedan"][1]).unknown)
    assert set(read_chrono_tyre(tmp_path / "a.json").unknown) - before == {"'Design: Hysteresis'", "'Extra'"}
    sizes = read_chrono_tyre(tmp_path / "a.json").arguments
    assert sizes["first"]["rolling"] == sizes["second"]["rolling"] == 0.02

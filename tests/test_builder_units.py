"""Manoeuvres in other units: what is asked of a car in mm and ms is what is asked of one in m and s."""

from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

import _rows_drives
import _rows_vehicle
import holonom as hn
from _account import Moving
from _drawn_cars import STRUT
from holonom.vehicle import Controls, Scene, SpeedDriver, Vehicle, VehicleFile, full_vehicle, vehicle_file
from holonom.vehicle.rig import Rig

ROWS = [r for r in (*_rows_vehicle.ROWS, *_rows_drives.ROWS) if r.builder.startswith("vehicle.") and not r.dear]


class InMillis(_rows_vehicle.Asked):
    """The vehicle that only notes what it is asked for, in mm, ms and N."""

    second, metre, newton = 1e3, 1e3, 1.0

    def __init__(self):
        super().__init__()
        self.units = hn.Units("NEWTON", "KILOGRAM", "MILLIMETER", "MILLISECOND")
        self.file = SimpleNamespace(name="car", wheelbase=2600.0)
        self._place = {name: (tuple(1e3 * v for v in at),) for name, (at,) in self._place.items()}

    def model(self, speed, controls="0", scene=None):
        self.speed, self.controls = speed, controls if isinstance(controls, Controls) else Controls(controls)
        self.scene = scene or Scene()
        m = self.drawn = hn.Model("asked", units=self.units)
        chassis = m.part("chassis", 1000.0, (3e8, 1.5e9, 1.6e9), (0.0, 0.0, 500.0))
        read = lambda x: x(m, chassis) if callable(x) else x
        self.texts = {w: read(getattr(self.controls, w)) for w in ("steer", "throttle", "brake", "hold")}
        self.road = self.scene.road(m) if self.scene.road else None
        return m


class Same(Moving):
    """A model of a chassis that moves alike in both units."""

    def __init__(self, model, metre, second, time, **state):
        super().__init__(model, time=time * second, **state)
        self.metre, self.second = metre, second

    def _motion(self, body):
        if body.ground:
            return np.zeros((4, 3))
        u, turn = np.array([0.7, -0.4, 0.1]), np.array([0.02, -0.03, 0.2])
        v, w = np.array([19.0, 2.0, -0.3]), np.array([0.1, 0.2, 0.4])
        return np.stack([u * self.metre, turn, v * self.metre / self.second, w / self.second])


def texts_of(car, metre, second):
    out = {}
    for word, text in car.texts.items():
        if isinstance(text, str):
            of = [Same(car.drawn, metre, second, t).value(text) for t in (0.1, 0.6, 0.9, 1.3, 1.9, 2.7, 4.1, 6.3)]
            out[word] = np.array(of) * (second / metre if word == "hold" else 1.0)
    return out


def in_millis(row):
    """What a row builds where it asks a car in mm and ms, or nothing."""
    with mock.patch.object(_rows_vehicle, "Asked", InMillis):
        try:
            made = row.build(**row.given)
        except Exception:  # rows that need a car of their own
            return None
    return made if isinstance(made, InMillis) else None


@pytest.fixture(scope="module")
def found():
    """Builders of which rows have been compared."""
    return set()


@pytest.mark.parametrize("row", ROWS, ids=[f"{k}-{row.builder}" for k, row in enumerate(ROWS)])
def test_manoeuvre_in_other_units(row, found):
    other = in_millis(row)
    if other is None:
        return
    found.add(row.builder)
    si = row.build(**row.given)
    assert other.speed == pytest.approx(si.speed, rel=1e-12)
    assert other.end == pytest.approx(si.end, rel=1e-12)
    one, two = texts_of(si, 1.0, 1.0), texts_of(other, 1e3, 1e3)
    assert set(one) == set(two)
    for word in one:
        assert two[word] == pytest.approx(one[word], rel=1e-9, abs=1e-9), word


def test_acceleration_in_other_units():
    """Times in ms and speeds in mm/ms of its simulation: the same drive."""
    given = {"top": 45.0, "speed": 5.0, "gear": 1, "shift": 5000.0, "pause": 0.31, "longest": 60.0}
    one, two = (_rows_drives.accelerated(**given, car=car) for car in (_rows_vehicle.Asked, InMillis))
    si, mm = (_rows_drives.accelerated_measure(v) for v in (one, two))
    assert len(si) > 20 and mm == pytest.approx(si, rel=1e-9)


def test_manoeuvres_are_found(found):
    for row in ROWS:  # as far as the tests above were on another worker, or not chosen
        if len(found) > 10:
            break
        if row.builder not in found and in_millis(row) is not None:
            found.add(row.builder)
    assert len(found) > 10


def car_in(units):
    """What the methods of a vehicle read of it, of one car in any units."""
    u = hn.Model("units", units=units).units
    metre, newton, second = (1.0 / getattr(u, f"si_{w}") for w in ("length", "force", "time"))
    file = SimpleNamespace(mass=SimpleNamespace(mass=1300.0 / u.si_mass), g=9.81 * metre / second**2)
    car = SimpleNamespace(file=file, units=u, radii={"front": 0.31 * metre}, metre=metre, newton=newton, second=second)
    m = hn.Model("car", units=u)
    return car, m, m.part("chassis", 1300.0 / u.si_mass, (1.0, 1.0, 1.0), (0.0, 0.0, 0.5 * metre))


SYSTEMS = ("SI", "mm", hn.Units("KILONEWTON", "KILOGRAM", "MILLIMETER", "MILLISECOND"))


@pytest.mark.parametrize("units", SYSTEMS, ids=["SI", "mm", "kN, mm, ms"])
@pytest.mark.parametrize("given", [True, False])
def test_weight_in_other_units(units, given):
    """g of a rig and of a file, and what a force is that accelerates a mass: of the units of length, mass, time and
    force each."""
    u = hn.Model("units", units=units).units
    g = 9.80665 / u.si_length * u.si_time * u.si_time
    with mock.patch("holonom.vehicle.rig.Simulation", side_effect=StopIteration):
        rig = object.__new__(Rig)
        with pytest.raises(StopIteration):
            rig.__init__(STRUT, units, gravity=given, lateral=0.3)
    assert tuple(rig.model.gravity) == pytest.approx((0.0, 0.3, -g * given))
    assert VehicleFile.g.fget(SimpleNamespace(units=u)) == pytest.approx(g)
    for force_of in (full_vehicle._force, vehicle_file._force):
        assert force_of(u) * u.si_force == pytest.approx(u.si_mass * u.si_length / u.si_time / u.si_time)


@pytest.mark.parametrize("units", SYSTEMS[1:], ids=["mm", "kN, mm, ms"])
@pytest.mark.parametrize("hold", [True, 22.0])
def test_speed_control_in_other_units(units, hold):
    def torque(units, time):
        car, m, chassis = car_in(units)
        text = Vehicle._cruise(car, m, chassis, 20.0 * car.metre / car.second, hold, 3.0, "front")
        state = {"DIF(speed control)": 0.3 * car.metre}
        return Same(m, car.metre, car.second, time, **state).value(text) / (car.newton * car.metre)

    for time in (1.0, 3.03, 5.0):
        assert torque(units, time) == pytest.approx(torque("SI", time), rel=1e-9, abs=1e-9)
    assert torque("SI", 1.0) != 0.0


@pytest.mark.parametrize("units", SYSTEMS[1:], ids=["mm", "kN, mm, ms"])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_pedals_of_a_speed_driver_in_other_units(units, feed_forward):
    """Throttle and brake at the same instants of the same drive."""

    def pedals(units):
        car, m, chassis = car_in(units)
        moment = car.newton * car.metre
        car.gear, car.air_drag = 4.0, lambda v: 0.42 * v * v * car.newton
        car.file.name, car.file.aero, car.file.brakes = "car", {"area": 1.0}, {"torque": 6e3 * moment}
        car.file.drive = {
            "engine": [[r, q * moment] for r, q in ((1000, 150.0), (2500, 210.0), (4000, 205.0), (6000, 180.0))]
        }
        car.file.drive["efficiency"] = 0.9
        driver = SpeedDriver([(0.5, 18.0), (2.0, 20.0), (4.0, 19.5), (6.0, 17.0)], feed_forward=feed_forward)
        texts = driver.pedals(car)
        both = texts.throttle(m, chassis), texts.brake(m, chassis)
        state = {"DIF(speed error)": 0.7 * car.metre}
        rows = []
        for time in (0.2, 1.0, 1.7, 3.0, 5.0, 5.5, 8.0):
            same = Same(m, car.metre, car.second, time, **state)
            (error,) = m.table("DIFF").values()
            rows.append([*(same.value(text) for text in both), same.value(error.function) / car.metre * car.second])
        return np.array(rows)

    si = pedals("SI")
    assert np.abs(pedals(units) - si).max() < 1e-9
    inside = (si[:, :2] > 0.01) & (si[:, :2] < 0.99)
    assert (inside.sum(axis=0) >= 1).all() and np.abs(si[:, 2]).min() > 1e-3


@pytest.mark.parametrize("units", SYSTEMS[1:], ids=["mm", "kN, mm, ms"])
def test_hands_of_the_driver_in_other_units(units):
    def torque(units):
        car, m, chassis = car_in(units)
        joint = m.revolute(chassis, m.ground, at=(0.0, 0.0, 0.0), axis=(0, 0, 1))
        axles = {
            "front": SimpleNamespace(steering=SimpleNamespace(joint=joint)),
            "rear": SimpleNamespace(steering=None),
        }
        Vehicle._steer(car, m, axles, "0.25", True)
        same = Same(m, car.metre, car.second, 0.0)
        return same.force("SFORCE", "driver's hands") / (car.newton * car.metre)

    assert torque(units) == pytest.approx(torque("SI"), rel=1e-9)
    assert abs(torque("SI")) > 1.0


@pytest.mark.parametrize("units", SYSTEMS, ids=["SI", "mm", "kN, mm, ms"])
@pytest.mark.parametrize(("time", "ratio", "clutch"), [(0.9, 12.0, 1.0), (1.15, 9.5, 0.0), (2.0, 7.0, 1.0)])
def test_gears_are_shifted_at_their_second(units, time, ratio, clutch):
    """From 12 to 7 at 1 s: the clutch opens for 0.1 s, the ratio changes in the next tenth, by half in its middle."""
    car, m, _ = car_in(units)
    car.gear, car._gear = 12.0, {1: 12.0, 2: 7.0}.get
    texts = Vehicle._gearbox(car, m, [(1.0, 2)])
    same = Same(m, car.metre, car.second, time)
    assert [same.value(t) for t in texts[:2]] == pytest.approx([ratio, clutch], abs=1e-12) and texts[2] == 12.0


@pytest.mark.parametrize("units", SYSTEMS, ids=["SI", "mm", "kN, mm, ms"])
def test_drive_shafts_without_a_stiffness_of_their_own(units):
    """12 kN m/rad and 6 ms of it as damping, no loss: k phi + d s at 0.01 rad and a slip of 320 / 10 - 30 rad/s."""
    car, m, _ = car_in(units)
    one = car.newton * car.metre
    car.gear, car._gearbox = 10.0, lambda m, gears: ("10.0", "1", 10.0)
    car.file.drive = {"engine": [[r, 150.0 * one] for r in (1000, 2500, 4000, 6000)], "inertia": 0.2 * car.metre**2}
    text = Vehicle._engine(car, m, repr(30.0 / car.second), 30.0 / car.second, "0.5", ())
    state = {"DIF(engine speed)": 320.0 / car.second, "DIF(drive shaft twist)": 0.01}
    found = Same(m, car.metre, car.second, 0.0, **state).value(text)
    assert found / one == pytest.approx(1.2e4 * 0.01 + 0.006 * 1.2e4 * 2.0, rel=1e-12)


@pytest.mark.parametrize("efficiency", [None, 0.8])
def test_a_drive_without_an_efficiency_loses_nothing(efficiency):
    given = {"p": 0.2, "i": 0.2, "d": 0.0, "drag": 0.35, "mass": 400.0, "ahead": True, "efficiency": efficiency}
    found = _rows_vehicle.feet_measure(_rows_vehicle.feet(**given))
    assert found == pytest.approx(_rows_vehicle.feet_closed(**given), rel=1e-9) and 0.0 < found[0] < 1.0

"""Vehicle files in the Studio: a model that drives with markers at its hardpoints, and kinematics and compliance."""

import asyncio
import json
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studio.session_vehicles import is_vehicle, shipped_vehicles
from holonom.studio.vehicles import MANOEUVRES, controls

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

DATA = Path(hn.__file__).parent / "vehicle" / "data"


def test_vehicle_files_are_told_from_models(tmp_path):
    assert "sedan" in shipped_vehicles()
    assert is_vehicle(DATA / "sedan.json")
    for name, text in (("m.json", hn.Model("m").to_json()), ("n.json", "[1]"), ("broken.json", "{")):
        (tmp_path / name).write_text(text)
        assert not is_vehicle(tmp_path / name)


def test_every_manoeuvre_has_controls_in_the_units_of_the_model():
    for name, (_, size, _) in MANOEUVRES.items():
        given = [controls(name, size, second) for second in (1.0, 1000.0)]
        for c, begin in zip(given, ("1.0", "1000.0")):
            assert name == "straight" or begin in c.steer + c.brake
    with pytest.raises(ModelError, match="unknown manoeuvre"):
        controls("drift", 1.0, 1.0)


def test_a_vehicle_file_that_is_opened_asks_what_to_do(tmp_path):
    from test_projects import Client

    (tmp_path / "car.json").write_bytes((DATA / "sedan.json").read_bytes())
    client = Client(tmp_path)

    async def work():
        assert (await client.ask("open", file="car.json"))["vehicle"] == "car.json"
        for file in ("../car.json", "van"):
            assert "error" in await client.ask("vehicle", file=file, speed=80)
        await client.end()

    asyncio.run(work())


@pytest.mark.slow
def test_hardpoints_of_the_chassis_are_as_far_apart_as_in_the_file(tmp_path):
    from test_projects import Client

    client = Client(tmp_path)

    async def work():
        answer = await client.ask("vehicle", file="sedan", speed=60, manoeuvre="steering step", size=40)
        assert answer["file"] == "Holonom_sedan_steering_step.json"
        found = client.session.document.model, client.session.settings(), client.said()
        await client.end()
        return found

    model, settings, said = asyncio.run(work())
    data = json.loads((DATA / "sedan.json").read_text())
    mine = {}
    for marker in model.markers.values():
        if marker.name.startswith("front left ") and marker.name.endswith(", chassis"):
            place = (model.body_frame(model.body_of(marker)) @ marker.frame).origin
            mine[marker.name.removeprefix("front left ").removesuffix(", chassis")] = place
    assert {"strut_top", "bar_mount"} <= set(mine) and len(mine) >= 3
    points = data["front"]["hardpoints"]
    for a, b in combinations(sorted(set(mine) & set(points)), 2):
        far = np.linalg.norm(np.subtract(points[a], points[b]))
        assert np.linalg.norm(mine[a] - mine[b]) == pytest.approx(far, rel=1e-9)
    assert settings["end"] == 5.0 and "wheel loads at rest: front left" in said
    run = hn.simulate(model, end=2.0, steps=50, progress=False)
    path = run["chassis"].position.values
    assert path[-1, 0] - path[0, 0] == pytest.approx(2.0 * 60 / 3.6 * 1000, rel=0.01)  # the speed is held
    assert path[-1, 1] > 100.0  # mm, to the left


def test_hardpoints_are_moved_checked_and_saved_with_their_tyres(tmp_path):
    from test_projects import Client

    client = Client(tmp_path)
    inner = json.loads((DATA / "sedan.json").read_text())["front"]["hardpoints"]["tie_rod_inner"]

    async def work():
        page = await client.ask("vehicle_page", file="sedan")
        assert page["length"] == "mm" and page["axles"]["front"]["tie_rod_inner"] == inner
        assert page["ways"]["steer-step"] == 100.0 and "preview" in page["drivers"]
        higher = [inner[0], inner[1], inner[2] + 10.0]
        for points, words in (
            ({"front.tie_rod_iner": higher}, "there is no hardpoint 'front.tie_rod_iner'; did you mean"),
            ({"front.tie_rod_inner": [1, 2]}, "give three numbers"),
            ({"front.tie_rod_inner": [1, 2, True]}, "give three numbers"),
        ):
            answer = await client.ask("save_vehicle", source="sedan", file="own.json", points=points)
            assert words in answer["error"], answer
        assert not (tmp_path / "own.json").exists()
        points = {"front.tie_rod_inner": higher}
        assert (await client.ask("save_vehicle", source="sedan", file="own.json", points=points))["file"] == "own.json"
        assert "exists" in await client.ask("save_vehicle", source="sedan", file="own.json", points=points)
        assert "error" in await client.ask("save_vehicle", source="sedan", file="own.exe", points=points)
        assert "error" in await client.ask("save_vehicle", source="sedan", file="../own.json", points=points)
        again = await client.ask("vehicle_page", file="own.json")
        assert again["axles"]["front"]["tie_rod_inner"] == higher
        assert again["axles"]["rear"] == page["axles"]["rear"]
        await client.end()

    asyncio.run(work())
    hn.vehicle.Vehicle(tmp_path / "own.json")  # with its tyre files


@pytest.mark.slow
def test_a_hardpoint_is_moved_compared_driven_and_built_by_clicks(chromium, tmp_path):
    from holonom.vehicle import read_vehicle
    from holonom.vehicle.kc_words import unit_of

    sedan = read_vehicle("sedan")
    z = sedan.data["front"]["hardpoints"]["tie_rod_inner"][2]
    with studio(tmp_path) as address:
        page = window(chromium, address, 1280, 800)
        page.locator("#menu-file").click()
        page.get_by_role("menuitem", name="Vehicle page ...").click()
        until(page, "!document.getElementById('vehicles').hidden")
        page.locator("#vehicle-file").select_option("sedan")
        until(page, "studio.vehicles.file === 'sedan'")
        field = page.locator("[data-point='front.tie_rod_inner'][data-component='2']")
        field.fill("high")
        field.press("Tab")
        assert "is 'high'; give a number" in page.locator("#vehicle-fault").text_content()
        assert field.input_value() == str(z)
        field.fill(str(z + 10))
        field.press("Tab")
        until(page, "document.querySelectorAll('.vehicle-points tr.moved').length === 1")
        page.locator("#vehicle-kc-run").click()
        row = "#vehicle-kc tr[data-name='front.bump_steer']"
        soon(page, f'!!document.querySelector("{row}.moved")', seconds=300)
        shown = [float(page.locator(f"{row} [{what}]").get_attribute(what)) for what in ("data-value", "data-before")]
        moved = sedan.moved("front", "tie_rod_inner", (0, 0, 10))
        scale = unit_of("angle/length", sedan.units)[0]
        bump = [float(v.kc("front").design["bump_steer"][0]) * scale for v in (moved, sedan)]
        assert shown == pytest.approx(bump, rel=1e-9) and abs(bump[0] - bump[1]) > 1e-3 * abs(bump[1])
        assert not page.locator("#vehicle-kc tr[data-name='rear.bump_steer']").get_attribute("class")
        page.locator("#vehicle-manoeuvre").select_option("steer-step")
        assert (
            page.locator("#vehicle-speed").input_value() == "100" and not page.locator("#vehicle-driver").is_visible()
        )
        page.locator("#vehicle-drive").click()
        soon(page, "document.querySelectorAll('#vehicle-metrics tbody tr').length > 3", seconds=400)
        assert page.locator("#vehicle-metrics img").count() == 1
        assert page.locator("#vehicle-metrics thead th").nth(2).text_content() == "as in the file"
        page.locator("#vehicle-build").click()
        page.locator("#a-manoeuvre").select_option("braking")
        assert page.locator("#a-size").input_value() == "0.3"
        page.locator("#dialog-ok").click()
        until(page, "studio.file.file === 'Holonom_sedan_braking.json'", 240)
        until(page, "studio.view.version === studio.file.version && document.getElementById('vehicles').hidden")
        assert page.evaluate(
            "[...studio.tree.items.values()].some((r) => r[2] === 'front left tie_rod_inner, front rack')"
        )
        assert (tmp_path / "sedan_kc_front.svg").stat().st_size > 1000 and not page.faults
    model = hn.Model.from_json((tmp_path / "Holonom_sedan_braking.json").read_text())
    marker = model.find("MARKER", "front left tie_rod_inner, front rack")
    chassis = [m for m in model.markers.values() if m.name == "front left strut_top, chassis"][0]
    at = [(model.body_frame(model.body_of(m)) @ m.frame).origin for m in (marker, chassis)]
    points = sedan.data["front"]["hardpoints"]
    far = np.linalg.norm(np.subtract(points["strut_top"], np.add(points["tie_rod_inner"], (0, 0, 10))))
    assert np.linalg.norm(at[0] - at[1]) == pytest.approx(far, rel=0.01)  # at the loads of rest

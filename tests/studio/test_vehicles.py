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
from holonom.studio.session import is_vehicle, shipped_vehicles
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


@pytest.mark.slow
def test_a_vehicle_is_built_and_its_axles_are_measured_by_the_menu(chromium, tmp_path):
    with studio(tmp_path) as address:
        page = window(chromium, address, 1280, 800)
        page.evaluate("studio.start.close()")
        page.locator("#menu-file").click()
        page.get_by_role("menuitem", name="Vehicle ...").click()
        page.locator("#a-file").select_option("sedan")
        page.locator("#a-manoeuvre").select_option("braking")
        assert page.locator("#a-size").input_value() == "0.3"
        page.locator("#dialog-ok").click()
        until(
            page,
            "studio.file.file === 'Holonom_sedan_braking.json' && studio.view.version === studio.file.version",
            240,
        )
        assert page.evaluate(
            "[...studio.tree.items.values()].some((r) => r[2] === 'front left tie_rod_inner, front rack')"
        )
        page.locator("#menu-file").click()
        page.get_by_role("menuitem", name="Kinematics and compliance ...").click()
        page.locator("#a-file").select_option("sedan")
        page.locator("#dialog-ok").click()
        soon(page, "document.querySelectorAll('img.kc').length", 2, 300)
        assert "camber" in page.locator("pre.kc").first.text_content().lower()
        assert (tmp_path / "sedan_kc_front.svg").stat().st_size > 1000 and not page.faults

"""Films and glTF files, read by other programs: Pillow, trimesh, pygltflib, ffprobe."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess

import numpy as np
import pytest
from _fabricated import slider_crank, tumbling_box
from PIL import Image

import holonom as hn
from holonom.model import ModelError
from holonom.results import Run, RunData
from holonom.results.pages.animation import scene


def test_a_gif_shows_the_motion_in_real_time(tmp_path):
    run = slider_crank()
    path = run.movie(tmp_path / "a.gif", fps=10, size=(240, 180))
    film = Image.open(path)
    assert film.n_frames == int((run.time[-1] - run.time[0]) * 10 * (1 + 1e-12)) + 1 and film.size == (240, 180)
    assert film.info["duration"] == 100 and film.info["loop"] == 0
    frames = []
    for k in range(film.n_frames):
        film.seek(k)
        frames.append(np.asarray(film.convert("RGB"), float))
    moved = [np.abs(a - b).mean() for a, b in zip(frames, frames[1:])]
    assert max(moved) > 0.5 and np.abs(frames[0] - frames[0][2, 2]).max() > 60  # something is drawn, and it moves
    slow = Image.open(run.between(0, 0.5).movie(tmp_path / "b.gif", fps=10, speed=0.25, size=(120, 90)))
    assert slow.n_frames in (19, 20, 21)
    with pytest.warns(UserWarning, match="plays 33.33 pictures a second here, not 30"):
        run.between(0, 0.1).movie(tmp_path / "c.gif", fps=30, size=(64, 64))


def test_what_a_film_cannot_be(tmp_path):
    run = tumbling_box()
    for options, name, words in (
        ({}, "a.avi", "ends in .gif or .mp4"),
        ({"size": (10, 10)}, "a.gif", "from 64 to 4000"),
        ({"fps": 0}, "a.gif", "fps is 0"),
        ({"speed": 1e-9}, "a.gif", "pictures, more than 3000"),
    ):
        with pytest.raises(ModelError, match=words):
            run.movie(tmp_path / name, **options)


def test_mp4_needs_a_program(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(ModelError, match=r"pip install holonom\[movie\]"):
        tumbling_box().movie(tmp_path / "a.mp4")


def test_mp4(tmp_path):
    try:
        from holonom.results.pictures.movie import _ffmpeg

        program = _ffmpeg()
    except ModelError as error:
        pytest.skip(str(error))
    path = slider_crank().movie(tmp_path / "a.mp4", fps=10, size=(161, 121))  # odd sizes are padded
    said = subprocess.run([program, "-i", str(path)], capture_output=True, text=True).stderr
    assert "h264" in said and "162x122" in said and "10 fps" in said


def test_arrows_of_forces_are_as_long_as_the_forces(tmp_path):
    """The spring of the slider pulls it with 5 N/mm (470 mm - x): its arrow, alone of its colour, is drawn in this
    proportion, from the slider to the right."""
    run = slider_crank(41)
    film = Image.open(run.movie(tmp_path / "a.gif", fps=10, size=(640, 240), azimuth=0, elevation=0, arrows="forces"))
    assert np.abs(np.asarray(film.convert("RGB"), int) - (184, 70, 27)).sum(axis=2).min() < 60
    wide, pulls, tails = [], [], []
    for k in range(0, film.n_frames, 3):
        film.seek(k)
        near = np.abs(np.asarray(film.convert("RGB"), int) - (184, 70, 27)).sum(axis=2) < 60
        columns = np.flatnonzero(near.any(axis=0))
        wide.append(columns[-1] - columns[0] + 1)
        pulls.append(abs(float(run.at(0.1 * k).force("return spring").force.values[0, 0])))
        tails.append(columns[-1])  # the force on I points to the crank
    wide, pulls = np.array(wide, float), np.array(pulls)
    assert np.ptp(pulls) > 0.3 * pulls.max() and np.abs(wide / wide.max() - pulls / pulls.max()).max() < 0.04
    assert (
        np.corrcoef(
            tails, [float(run.at(0.1 * k).part("slider").position.values[0, 0]) for k in range(0, film.n_frames, 3)]
        )[0, 1]
        > 0.999
    )
    with pytest.raises(ModelError, match="give contacts, forces, all"):
        run.movie(tmp_path / "b.gif", arrows="every")


def chunks(path):
    raw = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", raw)
    assert magic == b"glTF" and version == 2 and length == len(raw)
    size, kind = struct.unpack_from("<I4s", raw, 12)
    assert kind == b"JSON" and size % 4 == 0
    return json.loads(raw[20 : 20 + size]), raw[28 + size :]


def numbers(content, blob, accessor):
    a = content["accessors"][accessor]
    view = content["bufferViews"][a["bufferView"]]
    dtype = {5126: "<f4", 5123: "<u2", 5125: "<u4"}[a["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    assert view["byteOffset"] % 4 == 0
    return np.frombuffer(blob, dtype, a["count"] * width, view["byteOffset"]).reshape(a["count"], width)


def test_gltf_holds_the_motion_in_metres_with_y_up(tmp_path):
    run = slider_crank()  # in mm
    path = run.export_gltf(tmp_path / "a.glb", speed=2.0)
    content, blob = chunks(path)
    (animation,) = content["animations"]
    node = next(k for k, n in enumerate(content["nodes"]) if n["name"] == "crank")
    channel = {
        c["target"]["path"]: animation["samplers"][c["sampler"]]
        for c in animation["channels"]
        if c["target"]["node"] == node
    }
    time = numbers(content, blob, channel["translation"]["input"])[:, 0]
    assert np.allclose(time, (run.time - run.time[0]) / 2, atol=1e-6) and (np.diff(time) > 0).all()
    origin = np.array(scene(run)["origin"])
    place = numbers(content, blob, channel["translation"]["output"])
    assert np.allclose(place + origin, run.part("crank").position.values, atol=1e-4)
    turn = numbers(content, blob, channel["rotation"]["output"])[:, [3, 0, 1, 2]]
    assert np.allclose(np.abs(np.sum(turn * run.part("crank").quaternion.values, axis=1)), 1, atol=1e-6)
    coiled = lambda n: "mesh" in n and content["meshes"][n["mesh"]]["primitives"][0].get("mode") == 3
    (spring,) = (
        k for k, n in enumerate(content["nodes"]) if coiled(n)
    )  # of unit length along its z, from the slider to the wall
    track = {
        c["target"]["path"]: numbers(content, blob, animation["samplers"][c["sampler"]]["output"])
        for c in animation["channels"]
        if c["target"]["node"] == spring
    }
    still = content["nodes"][spring]
    points = numbers(content, blob, content["meshes"][still["mesh"]]["primitives"][0]["attributes"]["POSITION"])
    assert (
        points[0] == pytest.approx([0, 0, 0])
        and points[-1] == pytest.approx([0, 0, 1])
        and np.abs(points[:, :2]).max() == pytest.approx(18)
    )  # da = 36
    x, y, z, w = np.broadcast_to(track.get("rotation", still["rotation"]), (len(time), 4)).T
    along = np.column_stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])  # z of the node
    start = np.broadcast_to(track.get("translation", still["translation"]), (len(time), 3)) + origin
    assert np.allclose(start, run.part("slider").position.values, atol=1e-3)
    assert np.allclose(start + along * track["scale"][:, 2:], [620, 0, 0], atol=1e-3)
    root = content["nodes"][0]
    assert root["scale"] == [1e-3] * 3
    x, y, z, w = root["rotation"]
    up = np.array(scene(run)["up"])
    q = np.array([x, y, z])
    assert up + 2 * np.cross(q, np.cross(q, up) + w * up) == pytest.approx([0, 1, 0], abs=1e-12)


def test_gltf_is_read_by_others(tmp_path):
    trimesh = pytest.importorskip(
        "trimesh", reason="trimesh (holonom[report]) is not installed, so the file was not read by another program"
    )
    run = tumbling_box()
    path = run.export_gltf(tmp_path / "a.glb")
    seen = trimesh.load(path)
    box = next(b for b in scene(run)["bodies"] if not b["ground"])
    assert len(seen.geometry) >= len(box["meshes"]) and seen.area > 0
    pygltflib = pytest.importorskip("pygltflib", reason="pygltflib is not installed, so it did not read the file")
    read = pygltflib.GLTF2().load(str(path))
    assert read.asset.version == "2.0" and len(read.animations) == 1 and read.nodes[0].name == run.model.name
    with pytest.raises(ModelError, match="ends in .glb"):
        run.export_gltf(tmp_path / "a.gltf")


def two_grains(shape):
    """One that falls with 1 m/s, and one at rest that goes off behind 0.5 s; 11 rows."""
    model = hn.Model("grains", "SI")
    start = np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    more = {"radius": 0.1} if shape == "SPHERE" else {"shape": "BOX", "dimensions": (0.2, 0.2, 0.2)}
    grains = model.grains(start, name="g", density=1000.0, color="ORANGE", **more)
    t = np.linspace(0, 1, 11)
    place = np.tile(start, (11, 1, 1))
    place[:, 0, 2] -= t
    place[6:, 1] = np.nan
    extra = {
        f"grains/{grains.id}/position": place,
        f"grains/{grains.id}/quaternion": np.tile([1.0, 0.0, 0.0, 0.0], (11, 2, 1)),
    }
    run = Run(
        model,
        RunData(t, bodies=[], body_position=np.zeros((11, 0, 3)), body_quaternion=np.zeros((11, 0, 4)), extra=extra),
    )
    return run, place


@pytest.mark.parametrize("shape", ["SPHERE", "BOX"])
def test_grains_are_in_the_film_where_they_are(tmp_path, shape):
    """Two orange grains in front of a parallel camera that looks along y: one falls, one goes off; where their pixels
    lie is geometry."""
    run, _ = two_grains(shape)
    film = Image.open(run.movie(tmp_path / "g.gif", fps=10, size=(400, 300), azimuth=-90, elevation=0))
    scale, found = (
        0.88 * 400 / (2.0 + 0.2 * (1.0 if shape == "SPHERE" else 3**0.5)),
        [],
    )  # the ball around each stays in the picture
    for k in (0, 5, 10):
        film.seek(k)
        r, g, b = np.moveaxis(np.asarray(film.convert("RGB"), float), 2, 0)
        seen = (r > 1.35 * b) & (r > 80)
        for left in (True, False):
            y, x = np.nonzero(seen & ((np.arange(400) < 200) == left)[None, :])
            found.append((x.mean() + 0.5, y.mean() + 0.5, len(x)) if len(x) else None)
    a0, b0, a5, b5, a10, b10 = found
    assert b10 is None and b0[:2] == pytest.approx(b5[:2], abs=0.3)
    assert a0[0] == pytest.approx(200 - scale, abs=1.0) and b0[0] == pytest.approx(200 + scale, abs=1.0)
    assert a10[1] - a0[1] == pytest.approx(scale, abs=1.0) and a5[1] - a0[1] == pytest.approx(0.5 * scale, abs=1.0)
    area = np.pi * (0.1 * scale) ** 2 if shape == "SPHERE" else (0.2 * scale) ** 2
    assert a0[2] == pytest.approx(area, rel=0.12)


def test_grains_of_a_gltf_file_are_where_they_were(tmp_path):
    run, place = two_grains("BOX")
    content, blob = chunks(run.export_gltf(tmp_path / "g.glb"))
    names, origin = [n["name"] for n in content["nodes"]], np.array(scene(run)["origin"])
    (animation,) = content["animations"]
    moves = {
        (names[c["target"]["node"]], c["target"]["path"]): animation["samplers"][c["sampler"]]
        for c in animation["channels"]
    }
    assert set(moves) == {("g 1", "translation"), ("g 2", "scale")}
    assert numbers(content, blob, moves["g 1", "translation"]["output"]) + origin == pytest.approx(
        place[:, 0], abs=1e-4
    )
    assert content["nodes"][names.index("g 2")]["translation"] + origin == pytest.approx(place[0, 1], abs=1e-4)
    scale = numbers(content, blob, moves["g 2", "scale"]["output"])[:, 0]
    assert moves["g 2", "scale"]["interpolation"] == "STEP" and (scale[:6] > 0).all() and (scale[6:] == 0).all()
    first, second = (content["nodes"][names.index(n)] for n in ("g 1", "g 2"))
    assert first["mesh"] == second["mesh"] and len(content["meshes"]) == 1  # one box for all
    points = numbers(content, blob, content["meshes"][0]["primitives"][0]["attributes"]["POSITION"]) * first["scale"]
    assert np.ptp(points, axis=0) == pytest.approx([0.2, 0.2, 0.2], rel=1e-5)


@pytest.mark.slow
def test_a_part_that_bends_is_a_sum_of_its_modes_in_a_gltf_file_and_in_a_film(tmp_path):
    """Morph targets times weights are the displacements of the nodes that results give; the film's camera sees the tip
    where it goes."""
    from holonom.flexible import Section, beam
    from holonom.results.pages.motion import Bending

    model = hn.Model("cantilever", "SI")
    part = model.part("beam", 1.0, (1, 1, 1))
    tip = model.marker_at(part, (1.0, 0, 0))
    model.make_flexible(
        part,
        beam((0, 0, 0), (1.0, 0, 0), Section.rectangle(0.02, 0.02), E=2.1e11, density=7850.0, elements=12),
        interfaces=[1, 13],
        modes=6,
        formulation="floating",
    )
    model.fixed(part, model.ground, "wall", at=(0, 0, 0))
    model.vforce(tip, None, "0", "0", "-3000", name="load")
    run = hn.simulate(model, end=0.05, steps=10)
    content, blob = chunks(run.export_gltf(tmp_path / "b.glb"))
    node = next(k for k, n in enumerate(content["nodes"]) if n["name"].endswith("bending"))
    mesh = content["meshes"][content["nodes"][node]["mesh"]]
    (primitive,) = mesh["primitives"]
    (channel,) = (c for c in content["animations"][0]["channels"] if c["target"] == {"node": node, "path": "weights"})
    targets = np.array([numbers(content, blob, t["POSITION"]) for t in primitive["targets"]])
    weights = numbers(content, blob, content["animations"][0]["samplers"][channel["sampler"]]["output"]).reshape(
        11, len(targets)
    )
    rest = numbers(content, blob, primitive["attributes"]["POSITION"])
    moved = np.einsum("tj,jvc->tvc", weights, targets)
    view = run.flexible("beam")
    end = view.displacement(13).values[:, 2]
    far = rest[:, 0] > rest[:, 0].max() - 1e-6
    assert np.abs(end).max() > 0.01 and moved[:, far, 2].mean(axis=1) == pytest.approx(
        end, abs=1e-3 * np.abs(end).max()
    )
    painted = numbers(
        content, blob, primitive["attributes"]["COLOR_0"]
    )  # above and below at the wall it is red; in the middle of the height and at the tip blue
    near, outer = rest[:, 0] < rest[:, 0].min() + 1e-6, np.abs(rest[:, 2]) > 0.9 * np.abs(rest[:, 2]).max()
    middle = np.abs(rest[:, 2]) < 1e-6
    assert (painted[near & outer, 0] > 2 * painted[near & outer, 2]).all() and (near & middle).any()
    assert (painted[near & middle, 2] > 2 * painted[near & middle, 0]).all() and (
        painted[far, 2] > 2 * painted[far, 1]
    ).all()
    assert any(node in n.get("children", ()) for n in content["nodes"]) and node not in content["nodes"][0]["children"]
    data = scene(run, max_frames=11)
    import base64

    soft = Bending(data["flexible"][0], data, lambda text, dtype: np.frombuffer(base64.b64decode(text), dtype))
    assert soft.at(10)[0] - soft.rest == pytest.approx(moved[10], abs=1e-6)

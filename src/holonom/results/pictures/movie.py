"""The animation as a film: GIF with Pillow, or MP4 with the program ffmpeg. Neither a browser nor a graphics card is
needed."""

from __future__ import annotations

import base64
import html
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..._warnings import warn_model
from ...model import ModelError
from ...model.kinds import is_number
from ...model.orientation import from_quaternion
from ..files.targets import file_path
from ..pages.animation import scene
from ..pages.motion import Arrows, Bending, Grains, rgb

FINE = 2  # pixels are drawn so many times finer and averaged
MOST_FRAMES = 3000
MOST_SHOWN = 20_000_000  # bytes of a film that a notebook gets
SIDE = (64, 4000)  # pixels
LARGE = 0.15  # of the size of the machine: longer edges are split
MOST_TRIANGLES = 40_000  # of one mesh
MOST_FACES = 400_000  # of grains that are not balls, in one picture; more are drawn as balls
SHADOW = 0.62  # brightness of the edge of a ball
ARROWS = ("contacts", "forces", "all")
LAMP = np.array([0.35, 0.55, 0.76])  # light, in the axes of the picture: right, up, to the eye


def write_movie(
    run: Any,
    path: str | Path,
    *,
    fps: float = 20.0,
    speed: float = 1.0,
    size: tuple[int, int] = (640, 480),
    azimuth: float = -52.0,
    elevation: float = 24.0,
    dark: bool = False,
    arrows: str = "",
    folder: str | Path | None = None,
) -> Path:
    """Write the motion of the bodies of ``run`` as a film to ``path`` (.gif or .mp4) and return it.

    ``fps``: frames per second (a GIF stores hundredths of a second: 50, 33.3, 25, 20, ...; a warning reports the actual
    rate where it differs by more than 1 %); ``speed``: 1 for real time, 0.1 for ten times slower; ``size``: pixels;
    ``azimuth``, ``elevation``: view direction in degrees, for a fixed parallel camera that shows the whole motion;
    ``dark``: dark background; ``arrows``: forces that are drawn, "contacts", "forces" (contact and applied forces) or
    "all" (reactions too). MP4 (H.264) needs the program ffmpeg on the path, or the package imageio-ffmpeg. Springs and
    beams are drawn as lines, flexible bodies deform and are coloured by their von Mises stress where it is known,
    grains are spheres or have their shape; where surfaces intersect, some triangles may be drawn in the wrong order.

    Raises `ModelError` for other extensions, invalid sizes and rates, more than MOST_FRAMES frames, and where ffmpeg is
    missing or fails; ValueError for a run with nothing to show.
    """
    try:
        from PIL import Image, ImageDraw
    except ModuleNotFoundError:
        raise ModelError("films need Pillow; run: pip install 'holonom[movie]'") from None

    path = file_path(path, "a film is one file", "film.mp4")
    kind = path.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise ModelError(f"'{path.name}': a film ends in .gif or .mp4")
    if not (isinstance(size, (tuple, list)) and len(size) == 2 and all(map(is_number, size))):
        raise ModelError(f"size is {size!r}: give a width and a height from {SIDE[0]} to {SIDE[1]} pixels")
    width, height = (int(s) for s in size)
    if not all(SIDE[0] <= s <= SIDE[1] for s in (width, height)):
        raise ModelError(f"size is {size!r}: give a width and a height from {SIDE[0]} to {SIDE[1]} pixels")
    if not (is_number(azimuth) and is_number(elevation) and np.isfinite([azimuth, elevation]).all()):
        raise ModelError(f"azimuth is {azimuth!r} and elevation {elevation!r}: give angles in degrees")
    if not (
        is_number(fps) and is_number(speed) and np.isfinite(fps) and 0 < fps <= 120 and np.isfinite(speed) and speed > 0
    ):
        raise ModelError(f"fps is {fps!r} and speed {speed!r}: give a rate up to 120 and a speed above zero")
    if arrows not in ("", *ARROWS):
        raise ModelError(f"arrows are {arrows!r}: give {', '.join(ARROWS)}, or nothing")
    ffmpeg = _ffmpeg() if kind == ".mp4" else ""
    start, end = float(run.time[0]) if len(run) else 0.0, float(run.time[-1]) if len(run) else 0.0
    delay = 1.0 / fps
    if kind == ".gif":
        delay = max(2, round(100 / fps)) / 100
        if abs(delay * fps - 1) > 0.01:
            warn_model(
                f"a GIF plays {1 / delay:.4g} pictures a second here, not {fps:g}: its delays are hundredths of a "
                "second"
            )
    step = delay * speed / run.model.units.si_time  # model time between pictures
    count = int(np.floor((end - start) / step * (1 + 1e-12))) + 1
    if count > MOST_FRAMES:
        raise ModelError(
            f"this film would have {count} pictures, more than {MOST_FRAMES}: raise speed, lower fps, or take a "
            "stretch with run.between"
        )
    at = start + step * np.arange(count)
    data = scene(run.at(at) if len(run) > 1 else run, max_frames=count, folder=folder, pieces=True)
    view = _View(data, azimuth, elevation, width * FINE, height * FINE, arrows)
    back = (23, 27, 33) if dark else (243, 245, 248)
    words = f"{{:.{max(0, min(6, int(np.ceil(-np.log10(step)))))}f}} {run.model.units.symbol('time')}"

    def picture(k: int) -> Any:
        image = Image.new("RGB", (width * FINE, height * FINE), back)
        draw = ImageDraw.Draw(image)
        for polygon, colour in view.faces(k):
            if len(polygon) == 1:  # a ball
                x, y, r = polygon[0]
                _ball(draw, x, y, r, colour)
            elif len(polygon) > 2:
                draw.polygon(polygon, fill=colour, outline=colour)
            else:
                draw.line(polygon, fill=colour, width=FINE)
        for tail, head, colour in view.arrows(k):  # in front of all, so that none is hidden
            _arrow(draw, tail, head, colour)
        image = image.resize((width, height), Image.Resampling.BOX)
        ImageDraw.Draw(image).text(
            (10, height - 22), words.format(at[k]), fill=(154, 165, 180) if dark else (92, 102, 117)
        )
        return image

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == ".gif":
            first, *rest = (picture(k).quantize(96, dither=Image.Dither.NONE) for k in range(data["frames"]))
            first.save(path, save_all=True, append_images=rest, duration=round(1000 * delay), loop=0, optimize=False)
        else:
            _mp4(ffmpeg, path, (picture(k).tobytes() for k in range(data["frames"])), width, height, fps)
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
    return Film(path)


class Film(type(Path())):  # type: ignore[misc]
    """Path of a film; notebooks display the film."""

    def _repr_html_(self) -> str:
        try:
            size = self.stat().st_size
        except OSError:
            size = MOST_SHOWN + 1
        name = html.escape(self.name)
        if size > MOST_SHOWN:
            return f"<p>film <code>{html.escape(str(self))}</code></p>"
        content = base64.b64encode(self.read_bytes()).decode("ascii")
        if self.suffix.lower() == ".gif":
            return f'<img alt="Film {name}" src="data:image/gif;base64,{content}">'
        return f'<video controls loop aria-label="Film {name}" src="data:video/mp4;base64,{content}"></video>'


def _ball(draw: Any, x: float, y: float, r: float, colour: tuple[int, ...]) -> None:
    """A disc, darker at its edge, its light to the right and above."""
    draw.ellipse((x - r, y - r, x + r, y + r), fill=tuple(int(SHADOW * c) for c in colour))
    if r > 1.5:
        a, b = x + 0.2 * r, y - 0.25 * r
        draw.ellipse((a - 0.66 * r, b - 0.66 * r, a + 0.66 * r, b + 0.66 * r), fill=colour)


def _arrow(draw: Any, tail: np.ndarray, head: np.ndarray, colour: tuple[int, ...]) -> None:
    """A line with a triangle at its head, which is smaller where the line is short."""
    way = head - tail
    length = float(np.linalg.norm(way))
    if length < 1.0:
        return
    along = way / length
    across, tip = np.array([-along[1], along[0]]), min(0.45 * length, 12.0 * FINE)
    neck = head - tip * along
    draw.line([tuple(tail), tuple(neck)], fill=colour, width=2 * FINE)
    draw.polygon([tuple(head), tuple(neck + 0.4 * tip * across), tuple(neck - 0.4 * tip * across)], fill=colour)


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise ModelError(
            "MP4 needs a program ffmpeg on the path, or: pip install holonom[movie]; a .gif needs neither"
        ) from None


def _mp4(program: str, path: Path, frames: Any, width: int, height: int, fps: float) -> None:
    order = [
        program,
        "-y",
        "-loglevel",
        "error",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        f"{width}x{height}",
        "-r",
        f"{fps:g}",
        "-i",
        "-",
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-c:v",
        "libx264",
        "-pix_fmt",
        "yuv420p",
        "-crf",
        "20",
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
        str(path.resolve()),
    ]
    process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stderr is not None
    try:
        for frame in frames:
            process.stdin.write(frame)
    except BrokenPipeError:
        pass  # what it has to say follows
    finally:
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
    said = process.stderr.read().decode(errors="replace").strip().splitlines()
    if process.wait():
        raise ModelError(f"ffmpeg could not write '{path}': {said[-1] if said else 'no message'}")


def _split(points: np.ndarray, index: np.ndarray, longest: float) -> tuple[np.ndarray, np.ndarray]:
    """Triangles with long edges in four, again and again: what is drawn from far to near is then in better order."""
    for _ in range(5):
        a, b, c = (points[index[:, k]] for k in range(3))
        edge = np.max(
            [np.linalg.norm(b - a, axis=1), np.linalg.norm(c - b, axis=1), np.linalg.norm(a - c, axis=1)], axis=0
        )
        big = edge > longest
        if not big.any() or len(index) + 3 * int(big.sum()) > MOST_TRIANGLES:
            break
        n, k = len(points), int(big.sum())
        points = np.concatenate([points, 0.5 * (a + b)[big], 0.5 * (b + c)[big], 0.5 * (c + a)[big]])
        ab, bc, ca = (n + j * k + np.arange(k) for j in range(3))
        i = index[big].astype(np.int64)
        parts = [np.column_stack(p) for p in ((i[:, 0], ab, ca), (ab, i[:, 1], bc), (ca, bc, i[:, 2]), (ab, bc, ca))]
        index = np.concatenate([index[~big].astype(np.int64), *parts])
    return points, index


class _View:
    """Surfaces and lines of the bodies and a parallel camera that sees all of their motion."""

    def __init__(
        self, data: dict[str, Any], azimuth: float, elevation: float, width: int, height: int, arrows: str = ""
    ) -> None:
        number = lambda text, dtype: np.frombuffer(base64.b64decode(text), dtype)
        self.motion = number(data["motion"], "<f4").reshape(data["frames"], len(data["bodies"]), 7).astype(float)
        up = np.asarray(data["up"], float)
        side = np.cross(
            up, [0.0, 1.0, 0.0] if abs(up[0]) > 0.5 else [0.0, 0.0, 1.0] if abs(up[1]) > 0.5 else [1.0, 0.0, 0.0]
        )
        side0 = np.cross(side, up)
        a, e = np.radians([azimuth, elevation])
        to_eye = np.sin(e) * up + np.cos(e) * (np.cos(a) * side0 + np.sin(a) * side)
        right = np.cross(up, to_eye)
        right = right / np.linalg.norm(right) if np.linalg.norm(right) > 1e-9 else np.cos(a) * side - np.sin(a) * side0
        self.axes = np.array([right, np.cross(to_eye, right), to_eye])
        self.meshes, self.lines = [], []
        size = float(data["size"])
        self.strings: list[tuple[Sequence[Any], tuple[int, int, int]]] = [
            ([s["i"], s["j"]], (192, 135, 60)) for s in data["springs"]
        ]
        self.strings += [(pair, (141, 124, 200)) for s in data["strands"] for pair in zip(s["a"], s["a"][1:])]
        for b, body in enumerate(data["bodies"]):
            for mesh in body["meshes"]:
                if mesh.get("plane"):
                    continue
                points = number(mesh["p"], "<f4").reshape(-1, 3).astype(float)
                index = number(mesh["t"], "<u4" if mesh["wide"] else "<u2").reshape(-1, 3)
                colour = mesh.get("color") or body["color"]
                points, index = _split(points, index, LARGE * size)
                self.meshes.append((b, points, index, rgb(colour)))
            if body.get("lines"):
                colour = body["color"]
                self.lines.append(
                    (
                        b,
                        number(body["lines"], "<f4").reshape(-1, 2, 3).astype(float),
                        tuple(int(v) for v in rgb(colour)),
                    )
                )
        self.soft = [Bending(f, data, number) for f in data["flexible"]]
        top = max((f.top for f in self.soft), default=0.0)
        for f in self.soft:
            f.most = top
        self.grains = [Grains(g, data["frames"], number) for g in data["grains"]]
        self.forces = Arrows(data, self.motion, arrows, number) if arrows else None
        corners = [np.array([g.low, g.high]) @ self.axes.T for g in self.grains]
        corners += [
            (np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (g.high - g.low) + g.low)
            @ self.axes.T
            for g in self.grains
        ]
        for b, points in (
            [(b, p) for b, p, *_ in self.meshes]
            + [(b, p.reshape(-1, 3)) for b, p, _ in self.lines]
            + [(f.body, f.rest) for f in self.soft]
        ):
            if data["bodies"][b]["ground"] and np.ptp(points, axis=0).max() > 8 * size:
                continue  # a road does not decide the view
            box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * np.ptp(
                points, axis=0
            ) + points.min(axis=0)
            some = range(0, len(self.motion), max(1, len(self.motion) // 60))
            corners += [self._seen(f, b, box) for f in some]
        for soft in self.soft:
            corners += [
                self._seen(f, soft.body, soft.at(f)[0])
                for f in range(0, len(self.motion), max(1, len(self.motion) // 60))
            ]
        seen = np.concatenate(corners)[:, :2] if corners else np.array([[-size, -size], [size, size]])
        low, high = seen.min(axis=0), seen.max(axis=0)
        span = np.maximum(high - low, 1e-9 * max(size, 1e-300))
        self.scale = 0.88 * float(min(width / span[0], height / span[1]))
        self.shift = np.array([width / 2, height / 2]) - self.scale * 0.5 * (low + high) * [1, -1]

    def _seen(self, f: int, b: int, points: np.ndarray) -> np.ndarray:
        state = self.motion[f, b]
        return (points @ from_quaternion(state[3:]).T + state[:3]) @ self.axes.T

    def _pixels(self, seen: np.ndarray) -> np.ndarray:
        return seen[..., :2] * [self.scale, -self.scale] + self.shift

    def arrows(self, f: int) -> list[tuple[np.ndarray, np.ndarray, tuple[int, ...]]]:
        """Tail and head in pixels, and colour, of each force."""
        found = self.forces.at(f) if self.forces is not None else []
        return [
            (self._pixels(tail @ self.axes.T), self._pixels((tail + way) @ self.axes.T), colour)
            for tail, way, colour in found
        ]

    def faces(self, f: int) -> list[tuple[list[tuple[float, ...]], tuple[int, ...]]]:
        """Polygons and lines from the farthest to the nearest."""
        depth: list[np.ndarray] = []
        drawn: list[tuple[list[tuple[float, ...]], tuple[int, ...]]] = []
        light = LAMP / np.linalg.norm(LAMP)

        def surface(seen: np.ndarray, index: np.ndarray, colour: np.ndarray) -> None:
            """Triangles of points in the axes of the picture; ``colour`` (3,), or one for each triangle."""
            corners = seen[index]
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            length = np.linalg.norm(normal, axis=1, keepdims=True)
            normal = normal / np.where(length > 0, length, 1.0)
            shade = 0.45 + 0.55 * np.abs(normal @ light)
            fill = np.minimum(255, colour * shade[:, None]).astype(int)
            pixel = self._pixels(corners)
            depth.append(corners[:, :, 2].mean(axis=1))
            drawn.extend(([tuple(p) for p in polygon], tuple(c)) for polygon, c in zip(pixel.tolist(), fill.tolist()))

        for b, points, index, colour in self.meshes:
            surface(self._seen(f, b, points), index, colour)
        for soft in self.soft:
            points, colour = soft.at(f)
            if len(soft.triangles):
                surface(self._seen(f, soft.body, points), soft.triangles, colour[soft.triangles].mean(axis=1))
            else:
                ends = self._seen(f, soft.body, points)[soft.lines]
                depth.append(ends[:, :, 2].mean(axis=1) + 1e-6)
                fill = colour[soft.lines].mean(axis=1).astype(int)
                drawn += [
                    ([tuple(p) for p in pair], tuple(c)) for pair, c in zip(self._pixels(ends).tolist(), fill.tolist())
                ]
        for grains in self.grains:
            there, places = grains.at(f)
            seen = places @ self.axes.T
            if grains.turns is not None and len(there) * len(grains.triangles) <= MOST_FACES:
                turned = (
                    np.einsum("nij,vj->nvi", grains.axes(f, there), grains.points) * grains.sizes[there, None, None]
                    + places[:, None, :]
                )
                index = (np.arange(len(there))[:, None, None] * len(grains.points) + grains.triangles).reshape(-1, 3)
                surface(turned.reshape(-1, 3) @ self.axes.T, index, grains.colour)
            else:
                radius = np.maximum(1.0, self.scale * grains.sizes[there] * grains.reach)
                depth.append(seen[:, 2])
                fill = tuple(int(c) for c in grains.colour)
                drawn += [([(x, y, r)], fill) for (x, y), r in zip(self._pixels(seen).tolist(), radius.tolist())]
        for b, pairs, line_colour in self.lines:
            segments = self._seen(f, b, pairs.reshape(-1, 3)).reshape(-1, 2, 3)
            depth.append(segments[:, :, 2].mean(axis=1) + 1e-6)
            drawn += [([tuple(p) for p in pair], line_colour) for pair in self._pixels(segments).tolist()]
        for string, line_colour in self.strings:
            seen = np.concatenate([self._seen(f, int(b), np.array([place], float)) for b, *place in string])
            depth.append(seen[:, 2].mean(keepdims=True))
            drawn.append(([tuple(p) for p in self._pixels(seen).tolist()], line_colour))
        order = np.argsort(np.concatenate(depth), kind="stable") if depth else np.zeros(0, int)
        return [drawn[k] for k in order]

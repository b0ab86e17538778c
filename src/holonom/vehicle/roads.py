"""Roads from files and spectra: OpenCRG grids, Adams road files, ISO 8608 profiles, frictions of two sides."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import Model, ModelError, Units
from ..model.base import close_word, shown
from ..model.bounded_file import read_bounded
from ..model.kinds import finite, is_number
from .tir import _read

MOST_BYTES = 100_000_000
#: ISO 8608 (2016), table C.2: geometric mean of the displacement spectrum at 0.1 cycles/m, m^3
CLASSES = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}
REFERENCE = 0.1  # cycles/m
BAND = (0.011, 2.83)  # cycles/m, the band of ISO 8608
HEADS = {
    "REFERENCE_LINE_START_U": 0.0,
    "REFERENCE_LINE_END_U": math.nan,
    "REFERENCE_LINE_INCREMENT": math.nan,
    "REFERENCE_LINE_START_X": 0.0,
    "REFERENCE_LINE_START_Y": 0.0,
    "REFERENCE_LINE_START_Z": 0.0,
    "REFERENCE_LINE_END_X": math.nan,
    "REFERENCE_LINE_END_Y": math.nan,
    "REFERENCE_LINE_END_Z": math.nan,
    "REFERENCE_LINE_START_PHI": 0.0,
    "REFERENCE_LINE_END_PHI": math.nan,
    "REFERENCE_LINE_START_S": 0.0,
    "REFERENCE_LINE_END_S": math.nan,
    "REFERENCE_LINE_START_B": 0.0,
    "REFERENCE_LINE_END_B": math.nan,
    "REFERENCE_LINE_OFFSET_X": 0.0,
    "REFERENCE_LINE_OFFSET_Y": 0.0,
    "REFERENCE_LINE_OFFSET_Z": 0.0,
    "REFERENCE_LINE_OFFSET_PHI": 0.0,
    "LONG_SECTION_V_RIGHT": math.nan,
    "LONG_SECTION_V_LEFT": math.nan,
    "LONG_SECTION_V_INCREMENT": math.nan,
}
#: formats of the data: width of a field or size of a number
FORMATS = {"LRFI": 10, "LDFI": 20, "KRBI": ">f4", "KDBI": ">f8"}


@dataclass(frozen=True)
class CrgFile(Summary):
    """An OpenCRG road: reference line ``x``, ``y``, ``phi``, ``height``, ``bank`` (n,), ``v`` (m,) from right to left,
    ``z`` (n, m), metres and radians; ``filled``: number of missing heights, which are replaced by adjacent ones;
    ``unread``: keywords of the file that have no effect here."""

    path: str
    x: np.ndarray
    y: np.ndarray
    phi: np.ndarray
    height: np.ndarray
    bank: np.ndarray
    v: np.ndarray
    z: np.ndarray
    filled: int = 0
    unread: tuple[str, ...] = ()


def read_crg(path: str | Path) -> CrgFile:
    """Read an OpenCRG file (ASCII LRFI, LDFI; binary KRBI, KDBI).  Raises `ModelError`, with the position, for what is
    damaged or missing."""
    path = Path(path)
    data = read_bounded(path, MOST_BYTES, "cut the road")
    match = re.search(rb"^\${4,}[^\n]*\n", data, re.M)
    if match is None:
        raise ModelError(f"'{path}' has no line of $$$$ before its data; it is not an OpenCRG file, or it is truncated")
    head, body = data[: match.start()].decode("latin-1"), data[match.end() :]
    numbers, channels, form, unread = _crg_head(path, head)
    rows, start = _crg_rows(path, body, match.end(), form, len(channels), numbers)
    names = [c.split(",")[0].strip().lower() for c in channels]
    column = lambda word: next(
        (rows[:, k] for k, n in enumerate(names) if n.startswith(f"reference line {word}")), None
    )
    sections = [k for k, n in enumerate(names) if n.startswith("long section")]
    if not sections:
        raise ModelError(f"'{path}' has no channel 'long section'; without heights it is not a road")
    z = rows[:, sections]
    v = _crg_lines(path, [names[k] for k in sections], numbers)
    order = np.argsort(v)
    v, z = v[order], z[:, order]
    if len(v) > 1 and not (np.diff(v) > 0.0).all():
        raise ModelError(f"'{path}': two long sections have the same v; remove one")
    filled = int((~np.isfinite(z)).sum())
    z = _fill(path, z)
    n, du = len(z), numbers["REFERENCE_LINE_INCREMENT"]
    if not du > 0.0:
        raise ModelError(f"'{path}': REFERENCE_LINE_INCREMENT is {du:g}; give a positive length")
    heading = column("phi")
    if heading is None:
        dx, dy = (
            numbers["REFERENCE_LINE_END_X"] - numbers["REFERENCE_LINE_START_X"],
            numbers["REFERENCE_LINE_END_Y"] - numbers["REFERENCE_LINE_START_Y"],
        )
        straight = (
            math.atan2(dy, dx)
            if math.isfinite(dx) and math.isfinite(dy) and (dx or dy)
            else numbers["REFERENCE_LINE_START_PHI"]
        )
        between = np.full(n - 1, straight)
    else:
        between = np.unwrap(heading[1:])  # of the piece that ends at each node
        if not np.isfinite(between).all():
            raise ModelError(f"'{path}': its channel 'reference line phi' has a gap; fix it")
    x = numbers["REFERENCE_LINE_START_X"] + np.concatenate([[0.0], np.cumsum(du * np.cos(between))])
    y = numbers["REFERENCE_LINE_START_Y"] + np.concatenate([[0.0], np.cumsum(du * np.sin(between))])
    phi = np.concatenate([between[:1], 0.5 * (between[1:] + between[:-1]), between[-1:]])
    slope, bank = column("slope"), column("banking")
    s0, z0, z1 = numbers["REFERENCE_LINE_START_S"], numbers["REFERENCE_LINE_START_Z"], numbers["REFERENCE_LINE_END_Z"]
    if slope is not None:
        height = z0 + np.concatenate([[0.0], np.cumsum(du * np.nan_to_num(slope[1:]))])
    elif math.isfinite(z1) and s0 == 0.0:
        height = np.linspace(z0, z1, n)
    else:
        height = z0 + s0 * du * np.arange(n)
    if bank is None:
        b0, b1 = numbers["REFERENCE_LINE_START_B"], numbers["REFERENCE_LINE_END_B"]
        bank = np.linspace(b0, b1 if math.isfinite(b1) else b0, n)
    turn = numbers["REFERENCE_LINE_OFFSET_PHI"]
    c, s = math.cos(turn), math.sin(turn)
    x, y = c * x - s * y + numbers["REFERENCE_LINE_OFFSET_X"], s * x + c * y + numbers["REFERENCE_LINE_OFFSET_Y"]
    return CrgFile(
        str(path),
        x,
        y,
        phi + turn,
        height + numbers["REFERENCE_LINE_OFFSET_Z"],
        np.nan_to_num(bank),
        v,
        z,
        filled,
        tuple(unread),
    )


def _crg_head(path, head: str):
    numbers, channels, form, unread, block = dict(HEADS), [], "", [], ""
    for count, line in enumerate(head.splitlines(), 1):
        if line[:2] == "#:":
            form = line[2:].split("!")[0].strip().upper()
            if form not in FORMATS:
                raise ModelError(
                    f"'{path}:{count}': its data have the format {shown(form)}; {', '.join(FORMATS)} can be read"
                )
            continue
        if line[:1] == "$":
            word = line.strip("$ ").split("!")[0].strip().upper()
            block = word.split()[0] if word and word[0].isalpha() else ""
            continue
        if block.startswith("KD_DEF"):
            if line[:2].upper() == "D:":
                channels.append(line[2:].split("!")[0].strip())
            continue
        match = re.match(r"\s*([A-Za-z_]\w*)\s*=\s*([^!]*)", line)
        if match and block.startswith("ROAD_CRG"):
            word = match[1].upper()
            try:
                value = float(match[2].strip().strip("'\"").replace("D", "E"))
            except ValueError:
                raise ModelError(f"'{path}:{count}': {word} is {shown(match[2].strip())}; give a number") from None
            if word in numbers:
                numbers[word] = value
            elif value != 0.0:
                unread.append(word)
    if not form:
        raise ModelError(f"'{path}' does not give the format of its data; a line '#:LRFI' or the like is missing")
    return numbers, channels, form, unread


def _crg_rows(path, body: bytes, start: int, form: str, width: int, numbers) -> tuple[np.ndarray, int]:
    size = FORMATS[form]
    if not width:
        raise ModelError(f"'{path}' defines no channels ('D:'); it is not a road")
    length = numbers["REFERENCE_LINE_END_U"] - numbers["REFERENCE_LINE_START_U"]
    step = numbers["REFERENCE_LINE_INCREMENT"]
    want = round(length / step) + 1 if math.isfinite(length) and step > 0.0 else 0
    if isinstance(size, str):
        kind = np.dtype(size)
        # binary data begin at a multiple of a record's 80 characters where the head is filled up to it
        lead = 0
        if want and len(body) > want * width * kind.itemsize:
            lead = len(body) - len(body.lstrip(b" "))
            lead = lead if lead % kind.itemsize == 0 or len(body) - lead >= want * width * kind.itemsize else 0
        count = (len(body) - lead) // (width * kind.itemsize)
        if want and count < want:
            raise ModelError(f"'{path}' has {count} rows of data; its header states {want}: it is cut off")
        rows = np.frombuffer(body, kind, (want or count) * width, lead).astype(float).reshape(-1, width)
    else:
        values = []
        for line in body.decode("latin-1").splitlines():
            if not line.strip() or line[0] == "$" or (line[0] == "*" and line[:2] != "**"):
                continue
            for k in range(0, len(line.rstrip()), size):
                text = line[k : k + size].strip()
                try:
                    values.append(float(text.replace("D", "E")))
                except ValueError:
                    if "*" in text or "nan" in text.lower() or "miss" in text.lower():
                        values.append(math.nan)
                        continue
                    raise ModelError(f"'{path}': its data have {shown(text)} where a number is required") from None
        count = len(values) // width
        if want and count < want:
            raise ModelError(f"'{path}' has {count} rows of data; its header states {want}: it is cut off")
        rows = np.array(values[: (want or count) * width]).reshape(-1, width)
    if len(rows) < 2:
        raise ModelError(f"'{path}' has {len(rows)} rows of data; a road has two or more")
    return rows, start


def _crg_lines(path, names: list[str], numbers) -> np.ndarray:
    """v of the long sections: of their names, or evenly from right to left."""
    found = [re.search(r"at v\s*=\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)", n) for n in names]
    if all(found):
        return np.array([float(m[1]) for m in found if m])
    right, left, step = (numbers[f"LONG_SECTION_V_{w}"] for w in ("RIGHT", "LEFT", "INCREMENT"))
    if not math.isfinite(right) and math.isfinite(step):
        right = -0.5 * step * (len(names) - 1)
    if not (math.isfinite(right) and (math.isfinite(left) or math.isfinite(step))):
        raise ModelError(
            f"'{path}': where its long sections lie is not given; give LONG_SECTION_V_RIGHT and LONG_SECTION_V_LEFT"
        )
    return np.linspace(right, left if math.isfinite(left) else right + step * (len(names) - 1), len(names))


def _fill(path, z: np.ndarray) -> np.ndarray:
    """Heights that are open: those of the nearest long section, of the nearest row where all are."""
    bad = ~np.isfinite(z)
    if not bad.any():
        return z
    if bad.all():
        raise ModelError(f"'{path}' has no height that is a finite number")
    from scipy.ndimage import distance_transform_edt

    # next to first: a step along v is nearer than any along u
    near = distance_transform_edt(bad, sampling=(z.shape[1] + 1.0, 1.0), return_distances=False, return_indices=True)
    return z[tuple(near)]


def crg_road(model: Model, file: str | Path | CrgFile, marker: Any = None, **options: Any):
    """A road of an OpenCRG file over the plane of ``marker`` (default: the origin of ground); ``options``: of
    ``model.road`` (mu, patches, ...).  Raises `ModelError` as `read_crg` does.

        road = hn.vehicle.crg_road(car, "belgian_block.crg")
    """
    f = file if isinstance(file, CrgFile) else read_crg(file)
    a = 1.0 / model.units.si_length
    return model.road(
        "GRID",
        marker,
        x=f.x * a,
        y=f.y * a,
        phi=f.phi,
        v=f.v * a,
        z=f.z * a,
        height=f.height * a,
        bank=f.bank,
        file=f.path,
        **options,
    )


def iso_profile(
    grade: str | float,
    length: float,
    *,
    step: float = 0.05,
    track: float = 0.0,
    waviness: float = 2.0,
    seed: int = 1,
    band=BAND,
):
    """Heights of a random road of ISO 8608 -> x (n,), z (n,) or, with a ``track`` between left and right, (n, 2) from
    right to left; metres.

    ``grade``: "A" to "H", or the spectrum at 0.1 cycles/m (m^3): G(n) = G(0.1) (n / 0.1)^-waviness over the ``band``
    (cycles/m), in sums of waves with random phases.  Two tracks have the coherence of an isotropic surface, gamma = 2
    (pi B n)^(w/2) K_(w/2)(2 pi B n) / Gamma(w/2) (K. M. A. Kamash, J. D. Robson, J. Sound Vib. 57 (1978) 89-100).
    Raises `ModelError` for unknown grades and lengths that are not positive.
    """
    number = is_number(grade) and finite(grade) and float(grade) >= 0.0
    if grade.upper() not in CLASSES if isinstance(grade, str) else not number:
        raise ModelError(f"grade is {shown(grade)}; give a letter from A to H, or the spectrum at 0.1 cycles/m")
    level = CLASSES[grade.upper()] if isinstance(grade, str) else float(grade)
    if not (length > 0.0 and 0.0 < step < length and level >= 0.0 and track >= 0.0):
        raise ModelError(
            f"length is {length:g}, step {step:g}, spectrum {level:g}, track {track:g}; give positive numbers, and "
            "steps shorter than the road"
        )
    n = 2 * math.ceil(0.5 * max(length / step, 2.0)) + 2
    f = np.fft.rfftfreq(n, step)
    inside = (f >= band[0]) & (f <= band[1])
    spectrum = np.where(inside, level * (np.where(inside, f, 1.0) / REFERENCE) ** -waviness, 0.0)
    # one-sided: a wave has the amplitude sqrt(2 G df)
    size = np.sqrt(2.0 * spectrum / (n * step)) * n / 2.0
    rng = np.random.default_rng(seed)
    waves = lambda: size * np.exp(2j * np.pi * rng.random(len(f)))
    left = waves()
    x = step * np.arange(n)
    keep = x <= length * (1.0 + 1e-12)
    if not track:
        return x[keep], np.fft.irfft(left, n)[keep]
    g = coherence(f, track, waviness)
    right = g * left + np.sqrt(1.0 - g * g) * waves()
    return x[keep], np.column_stack([np.fft.irfft(right, n), np.fft.irfft(left, n)])[keep]


def coherence(n, track: float, waviness: float = 2.0) -> np.ndarray:
    """Coherence between two tracks of an isotropic surface at wave numbers n (cycles/m)."""
    from scipy.special import gamma, kv

    q = np.pi * track * np.asarray(n, float)
    h = 0.5 * waviness
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        out = 2.0 / gamma(h) * q**h * kv(h, 2.0 * q)
    return np.clip(np.where(q > 1e-8, out, 1.0), 0.0, 1.0)


def iso_road(
    model: Model,
    grade: str | float,
    length: float,
    marker: Any = None,
    *,
    start: float = 0.0,
    lead: float = 5.0,
    step: float = 0.05,
    track: float = 0.0,
    waviness: float = 2.0,
    seed: int = 1,
    **options: Any,
):
    """A random road of ISO 8608 (see `iso_profile`), lengths in metres regardless of the units of the model; it begins
    at ``start``, with a transition from flat over ``lead``. With a ``track`` it has two tracks, at y = -track/2 and
    track/2.
    ``options``: of ``model.road``.

        road = hn.vehicle.iso_road(car, "C", 200.0, track=1.5)
    """
    x, z = iso_profile(grade, length, step=step, track=track, waviness=waviness, seed=seed)
    rise = 0.5 - 0.5 * np.cos(np.pi * np.clip(x / lead, 0.0, 1.0)) if lead > 0.0 else np.ones_like(x)
    z = z * (rise if z.ndim == 1 else rise[:, None])
    a = 1.0 / model.units.si_length
    tracks = {"y": np.array([-0.5, 0.5]) * track * a} if track else {}
    return model.road("PROFILE", marker, x=(x + start) * a, z=z * a, interpolation="CUBIC", **tracks, **options)


# ---- Adams road files ------------------------------------------------------------------------------------------------
#: ROAD_TYPE -> shape, keywords of the file -> sizes
ROAD_TYPES = {
    "FLAT": ("FLAT", {}),
    "PLANK": ("PLANK", {"START": "start", "LENGTH": "length", "HEIGHT": "height", "BEVEL_EDGE_LENGTH": "bevel"}),
    "POT_HOLE": ("PLANK", {"START": "start", "LENGTH": "length", "DEPTH": "height"}),
    "POTHOLE": ("PLANK", {"START": "start", "LENGTH": "length", "DEPTH": "height"}),
    "SINE": ("SINE", {"START": "start", "WAVE_LENGTH": "wavelength", "AMPLITUDE": "amplitude"}),
    "SINE_SWEEP": ("CHIRP", {"START": "start", "END": "end", "AMPLITUDE_AT_START": "amplitude",
    "AMPLITUDE_AT_END": "amplitude_end",
                             "WAVELENGTH_AT_START": "wavelength", "WAVELENGTH_AT_END": "wavelength_end"}),
    "POLY_LINE": ("PROFILE", {}),
    "POLYLINE": ("PROFILE", {}),
    "RAMP": ("PROFILE", {"START": "start", "HEIGHT": "height", "SLOPE": "slope"}),
    "ROOF": ("PROFILE", {"START": "start", "LENGTH": "length", "HEIGHT": "height"}),
    "DRUM": ("DRUM", {"DIAMETER": "diameter", "V": "belt"}),
    "STOCHASTIC_UNEVEN": ("PROFILE", {"START": "start", "INTENSITY": "intensity",
    "PATH_CORRELATION_RHOLR": "correlation"}),
}  # fmt: skip


def _scale(word: str, a: float, second: float) -> float:
    """What turns a number of a road file into one of the model: lengths, but for slopes, correlations and speeds."""
    return {"SLOPE": 1.0, "PATH_CORRELATION_RHOLR": 1.0, "V": a / second}.get(word, a)


def _needed(path: Any, sizes: dict[str, Any], *names: str) -> list[float]:
    """Sizes that a road type cannot do without.  Raises ModelError for one that is missing."""
    words = {name: word for _, table in ROAD_TYPES.values() for word, name in table.items()}
    for name in names:
        if name not in sizes:
            raise ModelError(f"'{path}': {words[name]} is missing in [PARAMETERS]; give it")
    return [sizes[name] for name in names]


def _ramp(path: Any, sizes: dict[str, Any], a: float, model: Model) -> dict[str, Any]:
    """From 0 at START to HEIGHT with SLOPE (1: 45 degrees), and level from there on."""
    height, slope = _needed(path, sizes, "height", "slope")
    start = sizes.get("start", 0.0)
    if slope == 0.0 or height == 0.0:
        raise ModelError(
            f"'{path}': a ramp has SLOPE {slope:g} and HEIGHT {height / a:g}; give non-zero values for both"
        )
    run = abs(height / slope)
    return {"x": [start - run, start, start + run, start + 2.0 * run], "z": [0.0, 0.0, height, height]}


def _roof(path: Any, sizes: dict[str, Any], a: float, model: Model) -> dict[str, Any]:
    """A triangle of HEIGHT over LENGTH."""
    height, length = _needed(path, sizes, "height", "length")
    if not length > 0.0:
        raise ModelError(f"'{path}': LENGTH is {length / a:g}; give a positive number")
    start = sizes.get("start", 0.0)
    return {
        "x": [start - length, start, start + 0.5 * length, start + length, start + 2.0 * length],
        "z": [0.0, 0.0, height, 0.0, 0.0],
    }


def _drum(path: Any, sizes: dict[str, Any], a: float, model: Model) -> dict[str, Any]:
    """A drum below the wheel."""
    (diameter,) = _needed(path, sizes, "diameter")
    return {"radius": 0.5 * diameter, "belt": -sizes.get("belt", 0.0)}


def _uneven(path: Any, sizes: dict[str, Any], a: float, model: Model) -> dict[str, Any]:
    """Two tracks of slopes of white noise with a correlation, 400 m long."""
    (intensity,) = _needed(path, sizes, "intensity")
    share = sizes.get("correlation", 0.0)
    if not 0.0 <= share <= 1.0 or intensity < 0.0:
        raise ModelError(
            f"'{path}': PATH_CORRELATION_RHOLR is {share:g} and INTENSITY {intensity / a:g}; give 0 to 1, and zero or "
            "a positive number"
        )
    metre = 1.0 / model.units.si_length
    level = intensity / metre / (2.0 * math.pi * REFERENCE) ** 2  # of displacement at 0.1 cycles/m, m^3
    x, left = iso_profile(level, 400.0, seed=1)
    _, other = iso_profile(level, 400.0, seed=2)
    right = share * left + math.sqrt(1.0 - share * share) * other
    rise = 0.5 - 0.5 * np.cos(np.pi * np.clip(x / 5.0, 0.0, 1.0))
    z = np.column_stack([right * rise, left * rise]) * metre
    return {
        "x": x * metre + sizes.get("start", 0.0),
        "z": z,
        "y": np.array([-1e-3, 1e-3]) * metre,
        "interpolation": "CUBIC",
    }


#: road types whose shape follows from their sizes
SHAPED = {"RAMP": _ramp, "ROOF": _roof, "DRUM": _drum, "STOCHASTIC_UNEVEN": _uneven}
SAID = {
    "MU",
    "METHOD",
    "ROAD_TYPE",
    "FUNCTION_NAME",
    "FILE_TYPE",
    "FILE_VERSION",
    "FILE_FORMAT",
    "VERSION",
    "LENGTH",
    "FORCE",
    "ANGLE",
    "MASS",
    "TIME",
    "NUMBER_OF_NODES",
    "NUMBER_OF_ELEMENTS",
    "OFFSET",
}


def rdf_road(model: Model, path: str | Path, marker: Any = None, **options: Any):
    """A road of an Adams road file (TeimOrbit, 2D: flat, plank, pot_hole, ramp, roof, sine, sine_sweep, poly_line,
    drum, stochastic_uneven; 3D: nodes and triangles) over the plane of ``marker``, or OFFSET above it.  A drum turns
    with the surface speed V of its file, against the direction of travel.  The heights of stochastic_uneven are random
    (fixed seed): slopes of white noise, whose one-sided spectral density over the wave number (cycles per length)
    INTENSITY is taken to be, of two tracks with PATH_CORRELATION_RHOLR.

    ``options``: of ``model.road``. Keywords without effect become a warning of the model. Raises `ModelError` for
    files that cannot be read and for other road types.
    """
    path = Path(path)
    sections, tables, lines = _read(path)
    from .tir import LENGTH, TIME

    word = str(sections.get("UNITS", {}).get("LENGTH", "METER")).upper()
    if word not in LENGTH:
        raise ModelError(f"'{path}': LENGTH of [UNITS] is {shown(word)}; choose from {', '.join(LENGTH)}")
    a = LENGTH[word] / model.units.si_length
    timed = str(sections.get("UNITS", {}).get("TIME", "SECOND")).upper()
    if timed not in TIME:
        raise ModelError(f"'{path}': TIME of [UNITS] is {shown(timed)}; choose from {', '.join(TIME)}")
    second = TIME[timed] / model.units.si_time
    have = {w: v for s in sections.values() for w, v in s.items()}
    mu = have.get("MU", 1.0)
    if isinstance(mu, str):
        raise ModelError(f"'{path}': MU is {shown(mu)}; give a number")
    options = {"mu": mu, "file": str(path), **options}
    offset = have.get("OFFSET", 0.0)
    if isinstance(offset, str):
        raise ModelError(f"'{path}': OFFSET is {shown(offset)}; give a number")
    if offset:
        marker = _raised(model, marker, offset * a)
    if "NODES" in tables and "ELEMENTS" in tables:
        return _rdf_mesh(model, path, tables, a, marker, options)
    kind = str(have.get("ROAD_TYPE", "")).upper()
    if kind not in ROAD_TYPES:
        meant = close_word(kind, ROAD_TYPES)
        known = ", ".join(t.lower() for t in ROAD_TYPES)
        raise ModelError(
            f"'{path}': its ROAD_TYPE is {shown(kind)}"
            + (f"; did you mean {meant}?" if meant else f"; {known} and meshes can be read")
        )
    shape, words = ROAD_TYPES[kind]
    sizes: dict[str, Any] = {}
    for w, name in words.items():
        value = have.get(w) if w != "LENGTH" else sections.get("PARAMETERS", {}).get(w)
        if value is None:
            continue
        if isinstance(value, str):
            raise ModelError(f"'{path}': {w} is {shown(value)}; give a number")
        sizes[name] = value * _scale(w, a, second) * (-1.0 if w == "DEPTH" and value > 0.0 else 1.0)
    if "START" in words and "START" not in have:
        model.warn(f"'{path}': START is missing and is 0; give where its shape begins")
    if kind in SHAPED:
        sizes = SHAPED[kind](path, sizes, a, model)
        if kind == "STOCHASTIC_UNEVEN":
            model.warn(
                f"'{path}': INTENSITY of a stochastic_uneven road is taken as the one-sided spectral density of its "
                f"slope ({model.units.symbol('length')}); "
                "check it against the spectrum that is meant"
            )
    elif shape == "PROFILE":
        rows = next((t for name, t in tables.items() if name not in ("UNITS", "MODEL")), ())
        if len(rows) < 2 or any(len(r) != len(rows[0]) or not 2 <= len(r) <= 3 for r in rows):
            raise ModelError(f"'{path}': its table must have rows of x and one height or two, left and right")
        data = np.array(rows) * a
        sizes = {"x": data[:, 0], "z": data[:, 1]}
        if data.shape[1] == 3:  # left, right -> from right to left
            half = 1e-3 / model.units.si_length
            sizes = {"x": data[:, 0], "z": data[:, :0:-1], "y": (-half, half)}
    road = model.road(shape, marker, **sizes, **options)
    unread = [w for w, v in have.items() if w not in words and w not in SAID and not isinstance(v, str) and v != 0.0]
    if unread:
        model.warn(f"{road.label}: '{path}' has {', '.join(unread)}, which have no effect here")
    return road


def _raised(model: Model, marker: Any, height: float) -> Any:
    """A marker above another one (default: the origin of ground), with the same axes."""
    base = model.marker(model.ground) if marker is None else model.markers[model._marker(marker)]
    frame = model._place(base)
    return model.marker_at(
        model.body_of(base),
        tuple(frame.origin + height * frame.axes[:, 2]),
        z=tuple(frame.axes[:, 2]),
        x=tuple(frame.axes[:, 0]),
    )


def _rdf_mesh(model, path, tables, a, marker, options):
    nodes, faces = tables["NODES"], tables["ELEMENTS"]
    if any(len(r) != 4 for r in nodes) or any(len(r) < 3 for r in faces):
        raise ModelError(
            f"'{path}': rows of [NODES] must have a number and x, y, z, rows of [ELEMENTS] three nodes and their "
            "friction"
        )
    number = {int(r[0]): k for k, r in enumerate(nodes)}
    try:
        triangles = [[number[int(n)] for n in r[:3]] for r in faces]
    except KeyError as error:
        raise ModelError(f"'{path}': an element references node {error.args[0]}, which does not exist") from None
    return model.road("MESH", marker, points=np.array([r[1:] for r in nodes]) * a, triangles=triangles, **options)


def mesh_road(model: Model, file: str | Path, marker: Any = None, *, units: Units | None = None, **options: Any):
    """A road of triangles from a Wavefront OBJ file (v, f; z up), lengths in ``units`` (default metres).  Raises
    `ModelError` for what cannot be read."""
    path = Path(file)
    text = read_bounded(path, MOST_BYTES, "cut the road").decode("latin-1")
    points, triangles = [], []
    for count, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                points.append([float(w) for w in words[1:4]])
                if len(words) < 4:
                    raise ValueError
            elif words[:1] == ["f"]:
                k = [int(w.split("/")[0]) for w in words[1:]]
                k = [n - 1 if n > 0 else len(points) + n for n in k]
                triangles += [[k[0], k[i], k[i + 1]] for i in range(1, len(k) - 1)]
        except ValueError:
            raise ModelError(
                f"'{path}:{count}': {shown(line.strip())} is neither a point nor a face of numbers"
            ) from None
    if not points or not triangles:
        raise ModelError(f"'{path}' has no points (v) or no faces (f); it is not a road")
    scale = (units if units is not None else Units()).si_length / model.units.si_length
    return model.road("MESH", marker, points=np.array(points) * scale, triangles=triangles, file=str(path), **options)

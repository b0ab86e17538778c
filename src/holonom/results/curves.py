"""Operations on histories: selection by name, differences between runs, derivative, integral, filters, spectra, peaks,
tables.

Curves are ``xarray.DataArray`` with a ``time`` axis and a unit in ``attrs["units"]`` (those of `Run`), of any further
axes; results carry their own unit.  Times may repeat where one analysis ends and the next begins: derivatives are
one-sided there. Functions that need a uniform grid (filters, spectra) interpolate linearly where the times are not
uniform.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError
from ..model.base import shown
from ._names import suggestion
from .quantities import Quantity, quantities
from .run import Run

if TYPE_CHECKING:
    import xarray as xr

EVEN = 1e-6  # of the step: times that differ less from an even grid are one
FILTER_TYPES = ("lowpass", "highpass", "bandpass", "bandstop")


def curve(run: Run, name: str) -> xr.DataArray:
    """The history of a quantity, dims (time, component), or of one component of it, dims (time), by its name in tables
    and comparisons: ``"ROTOR.position"``, ``"HINGE.force.x"``, ``"energy.kinetic"``.  Raises ModelError for a name that
    the run does not have."""
    import xarray as xr

    q, k = find(quantities(run, momenta=True), name)
    if k is not None:
        return xr.DataArray(
            q.values[:, k], {"time": run._time()}, ("time",), name=q.labels[k], attrs={"units": q.units[k]}
        )
    one = q.components == ("",)
    values = q.values[:, 0] if one else q.values
    coords: dict[str, list[str] | tuple[str, list[str]]] = {} if one else {"component": list(q.components)}
    attrs = {"units": q.units[0]} if len(set(q.units)) == 1 else {}
    if not one and not attrs:
        coords["units"] = ("component", list(q.units))
    return xr.DataArray(
        values, {"time": run._time(), **coords}, ("time",) if one else ("time", "component"), name=q.name, attrs=attrs
    )


def find(found: Sequence[Quantity], name: str) -> tuple[Quantity, int | None]:
    """The quantity with a name, and the component (None: all). An element name that several elements share is accepted
    when only one of them has the quantity; KIND/id is always unique: ``"JOINT/3.force.x"``. Raises ModelError."""
    low = name.strip().lower()
    hits: dict[tuple[str, int | None], tuple[Quantity, int | None]] = {}
    for q in found:
        labels: list[tuple[str, int | None]] = [(q.name, None)]
        if q.components != ("",):
            labels += [(label, k) for k, label in enumerate(q.labels)]
        for label, k in labels:
            if label.lower() == low:
                return q, k
            if q.owner is not None:
                shared = f"{q.owner[2]} ({q.owner[0]}/{q.owner[1]})"
                head = shared if label.startswith(shared) else q.owner[2]
                rest = label[len(head) :]
                if low in (f"{q.owner[2]}{rest}".lower(), f"{q.owner[0]}/{q.owner[1]}{rest}".lower()):
                    hits[label, k] = (q, k)
    if len(hits) == 1:
        return next(iter(hits.values()))
    if hits:
        raise ModelError(
            f"'{name}' is several curves: state which, as '" + "' or '".join(label for label, _ in hits) + "'"
        )
    raise ModelError(f"no curve of this run is named '{name}'{suggestion(low, [q.name for q in found])}")


def difference(a: xr.DataArray, b: xr.DataArray) -> xr.DataArray:
    """a - b at the times of ``a`` that lie in the range of ``b``, which is interpolated linearly (the later row where a
    time repeats).

    Histories of two runs, in the same units; `run_difference` converts units and interpolates with recorded rates.
    Raises `ModelError` for different units or shapes, and for curves without a common time range.
    """
    ua, ub = (str(c.attrs.get("units", "")) for c in (a, b))
    if ua != ub:
        raise ModelError(
            f"'{a.name}' is in {ua or 'no unit'}, '{b.name}' in {ub or 'no unit'}: they cannot be subtracted"
        )
    if a.shape[1:] != b.shape[1:]:
        raise ModelError(
            f"'{a.name}' has shape {a.shape[1:]} at a time, '{b.name}' {b.shape[1:]}: they cannot be subtracted"
        )
    ta, tb = _times(a), _times(b)
    rows = np.flatnonzero((ta >= tb[0]) & (ta <= tb[-1]))
    if not len(rows):
        raise ModelError(
            f"'{a.name}' ({ta[0]:g} to {ta[-1]:g}) and '{b.name}' ({tb[0]:g} to {tb[-1]:g}) have no time in common"
        )
    out = a.isel(time=rows).copy()
    out.values = out.values - _between(tb, b.values, ta[rows])
    return out.rename(f"{a.name} - {b.name}")


def run_difference(run: Run, other: Run, name: str) -> xr.DataArray:
    """The curve ``name`` of ``run`` minus that of ``other``, in the units of ``run``, at its output times within the
    time range of ``other``.

    Both are interpolated as `Run.at` does (positions with their recorded rates).  Raises ModelError where a run does
    not have the curve.
    """
    from .compare import _common

    times, scale, a, b = _common(run, other)
    mine, theirs = curve(a, name), curve(b, name)
    q, _ = find(quantities(a, momenta=True), name)
    out = mine.copy()
    out.values = mine.values - theirs.values * _factor(run, other, q.dimension)
    return out.rename(f"{mine.name}, difference of runs")


def _factor(run: Run, other: Run, dimension: str | None) -> float:
    from ._units import to_si

    if dimension in (None, "none", "joule", "watt"):
        return 1.0
    return to_si(other.model.units, dimension) / to_si(run.model.units, dimension)


def derivative(c: xr.DataArray) -> xr.DataArray:
    """dc/dt: second order for non-uniform steps (the parabola through three rows), first order at the ends and on both
    sides of a repeated time."""
    t = _times(c, 2)
    h = np.diff(t)
    y = np.asarray(c.values, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.diff(y, axis=0) / _column(np.where(h > 0, h, np.nan), y)
    left, right = np.full_like(y, np.nan), np.full_like(y, np.nan)
    left[1:], right[:-1] = slope, slope
    hl, hr = (_column(np.concatenate(p), y) for p in (([np.nan], h), (h, [np.nan])))
    whole = (left * hr + right * hl) / (hl + hr)
    one_sided = np.where(np.isfinite(left), left, right)
    out = c.copy(data=np.where(np.isfinite(whole), whole, one_sided))
    return _named(out, f"d({c.name})/dt", rate_unit(_unit(c), _second(c)))


def integral(c: xr.DataArray, start: float = 0.0) -> xr.DataArray:
    """``start`` + the integral of c over time from its first row (trapezoidal rule)."""
    t, y = _times(c, 2), np.asarray(c.values, float)
    pieces = 0.5 * (y[1:] + y[:-1]) * _column(np.diff(t), y)
    out = c.copy(data=start + np.concatenate([np.zeros_like(y[:1]), np.cumsum(pieces, axis=0)]))
    return _named(out, f"integral of {c.name}", integral_unit(_unit(c), _second(c)))


def resampled(c: xr.DataArray, step: float | None = None) -> xr.DataArray:
    """The curve on a uniform grid, by linear interpolation; ``step``: default the mean step of the curve."""
    import xarray as xr

    t = _times(c, 2)
    if step is None:
        n = max(2, len(np.unique(t)))
    elif not step > 0:
        raise ModelError(f"step is {step:g}: give a time above zero")
    else:
        n = int(np.floor((t[-1] - t[0]) / step * (1 + 1e-12))) + 1
        if n < 2:
            raise ModelError(f"step is {step:g}, longer than the curve, which lasts {t[-1] - t[0]:g}")
    grid = np.linspace(t[0], t[-1], n) if step is None else t[0] + step * np.arange(n)
    coords = {k: v for k, v in c.coords.items() if k != "time"}
    time = xr.DataArray(grid, dims=("time",), attrs=dict(c.time.attrs))
    return xr.DataArray(
        _between(t, np.asarray(c.values, float), grid),
        {"time": time, **coords},
        c.dims,
        name=c.name,
        attrs=dict(c.attrs),
    )


def filtered(
    c: xr.DataArray, cutoff: float | Sequence[float], kind: str = "lowpass", *, order: int = 4
) -> xr.DataArray:
    """The curve after a forward and backward Butterworth filter (`scipy.signal.sosfiltfilt`): zero phase, twice the
    attenuation (in dB) of a filter of ``order``.

    ``cutoff``: frequency in Hz for times in s (else per unit of time), two of them for "bandpass" and "bandstop".
    Curves with non-uniform times are filtered on a uniform grid and interpolated back. Raises ModelError for
    frequencies at or above half the sampling rate, gaps, and short curves.
    """
    from scipy import signal

    if kind not in FILTER_TYPES:
        raise ModelError(f"unknown filter '{kind}'; choose {', '.join(FILTER_TYPES)}")
    edges = np.atleast_1d(np.asarray(cutoff, float))
    if (
        len(edges) != (2 if kind.startswith("band") else 1)
        or not (edges > 0).all()
        or (len(edges) == 2 and not edges[0] < edges[1])
    ):
        raise ModelError(
            f"cutoff is {cutoff!r}: a {kind} filter takes "
            f"{'two rising frequencies' if kind.startswith('band') else 'one frequency'} above zero"
        )
    even, rate = _even(c)
    if edges[-1] >= 0.5 * rate:
        raise ModelError(
            f"cutoff {edges[-1]:g} is not below half the sampling rate, {0.5 * rate:.6g}; give the run more "
            "output steps"
        )
    sos = signal.butter(order, edges if len(edges) == 2 else edges[0], btype=kind, fs=rate, output="sos")
    try:
        values = signal.sosfiltfilt(sos, even.values, axis=0)
    except ValueError as error:
        raise ModelError(f"'{c.name}' is too short for this filter ({len(even)} rows): {error}") from None
    out = c.copy(data=_between(_times(even), values, _times(c)))
    return _named(out, f"{c.name}, {kind}", _unit(c))


def moving_mean(c: xr.DataArray, width: float) -> xr.DataArray:
    """Moving average over a time ``width`` centred on each row (shorter at the ends, where it stays symmetric), exact
    for linear interpolation between rows."""
    if not width > 0:
        raise ModelError(f"width is {width!r}: give a time above zero")
    t, y = _times(c, 2), np.asarray(c.values, float)
    area = integral(c).values
    half = np.minimum(0.5 * width, np.minimum(t - t[0], t[-1] - t))

    def area_at(x: np.ndarray) -> np.ndarray:  # the integral itself, a parabola between rows
        k = np.clip(np.searchsorted(t, x, side="right") - 1, 0, len(t) - 2)
        h = t[k + 1] - t[k]
        s = np.where(h > 0, (x - t[k]) / np.where(h > 0, h, 1.0), 0.0)
        hs, ss = _column(h * s, y), _column(s, y)
        return area[k] + hs * (y[k] + 0.5 * ss * (y[k + 1] - y[k]))

    wide = half > 0
    values = y.copy()
    values[wide] = ((area_at(t + half) - area_at(t - half)) / _column(np.where(wide, 2 * half, 1.0), y))[wide]
    return _named(c.copy(data=values), f"{c.name}, mean over {width:g}", _unit(c))


def spectrum(c: xr.DataArray, *, window: str = "hann", detrend: bool = True) -> xr.DataArray:
    """Amplitude spectrum, dims (frequency, ...), in the unit of the curve: 2 |FFT| / sum of the window (factor 1 at
    zero and at half the sampling rate).

    ``window``: of `scipy.signal.get_window`; ``detrend``: subtract the mean. A sine of amplitude A with a whole number
    of periods in the record gives A. Frequencies are in Hz for times in s, else per unit of time.
    """
    import xarray as xr
    from scipy import signal

    even, rate = _even(c)
    y = np.asarray(even.values, float)
    w = signal.get_window(window, len(y))
    y = y - y.mean(axis=0) if detrend else y
    out = 2.0 * np.abs(np.fft.rfft(y * _column(w, y), axis=0)) / w.sum()
    out[0] *= 0.5
    if len(y) % 2 == 0:
        out[-1] *= 0.5
    return xr.DataArray(
        out,
        *_frequencies(c, np.fft.rfftfreq(len(y), 1.0 / rate)),
        name=f"spectrum of {c.name}",
        attrs={"units": _unit(c)},
    )


def psd(c: xr.DataArray, *, segment: float | None = None, window: str = "hann") -> xr.DataArray:
    """Power spectral density (one-sided, Welch 1967: `scipy.signal.welch`), dims (frequency, ...), in unit^2/Hz; its
    integral is the variance.

    ``segment``: duration of the averaged segments, which overlap by half (default: a quarter of the record).
    """
    import xarray as xr
    from scipy import signal

    even, rate = _even(c)
    n = len(even)
    length = n // 4 if segment is None else int(round(segment * rate))
    if not 2 <= length <= n:
        raise ModelError(
            f"segment is {segment!r}, {length} rows: it must hold two rows at least and at most the {n} of the curve"
        )
    f, values = signal.welch(even.values, rate, window=window, nperseg=length, axis=0, detrend="constant")
    second = _second(c)
    unit, per = _unit(c), "Hz" if second == "s" else f"(1/{second})" if second else "frequency"
    square = f"{unit}^2" if unit and not set(unit) & set("*/^") else f"({unit})^2" if unit else "1"
    return xr.DataArray(values, *_frequencies(c, f), name=f"PSD of {c.name}", attrs={"units": f"{square}/{per}"})


#: one row for each peak, see `peaks`
PEAK_DTYPE = np.dtype([("time", "f8"), ("value", "f8"), ("prominence", "f8"), ("width", "f8")])


def peaks(
    c: xr.DataArray, *, prominence: float | None = None, count: int | None = None, valleys: bool = False
) -> np.ndarray:
    """Peaks of a curve of one component in order of time, as a structured array: time, value, prominence, width (at
    half prominence). For a spectrum or a density in order of frequency, with a field ``frequency`` in place of
    ``time``.

    ``prominence``: minimum height above the higher of the two adjacent valleys (default: 1 % of the range); ``count``:
    only so many of the most prominent; ``valleys``: minima instead of maxima. Times are those of rows
    (`scipy.signal.find_peaks`); widths are interpolated.
    """
    from scipy import signal

    along = "frequency" if getattr(c, "dims", ())[:1] == ("frequency",) else "time"
    t = np.asarray(c["frequency"].values, float) if along == "frequency" else _times(c, 1)
    y = np.asarray(c.values, float)
    if y.ndim != 1:
        raise ModelError(f"'{c.name}' has {y.shape[1]} components: choose one of them")
    sign = -1.0 if valleys else 1.0
    least = 0.01 * float(np.ptp(y)) if prominence is None else float(prominence)
    rows, found = signal.find_peaks(sign * y, prominence=max(least, np.finfo(float).tiny))
    out = np.zeros(len(rows), np.dtype([(along, "f8"), *PEAK_DTYPE.descr[1:]]))
    out[along], out["value"], out["prominence"] = t[rows], y[rows], found["prominences"]
    if len(rows):
        _, _, a, b = signal.peak_widths(sign * y, rows, rel_height=0.5)
        out["width"] = np.interp(b, np.arange(len(t)), t) - np.interp(a, np.arange(len(t)), t)
    if count is not None and len(out) > count:
        out = out[np.sort(np.argsort(-out["prominence"], kind="stable")[:count])]
    return out


def write_csv(path: str | Path, *curves: xr.DataArray) -> Path:
    """Write curves with a common first axis (time or frequency) as columns of a CSV file with names and units; returns
    its path.

    Raises ModelError where the axes differ (`difference` and `resampled` give curves a common grid) and where the file
    cannot be written.
    """
    if not curves:
        raise ModelError("write_csv needs at least one curve")
    first = curves[0]
    axis = str(first.dims[0])
    x = np.asarray(first[axis].values, float)
    head, columns = [_head(axis, str(first[axis].attrs.get("units", "")))], [x]
    for c in curves:
        if c.dims[0] != axis or not np.array_equal(np.asarray(c[c.dims[0]].values, float), x):
            raise ModelError(
                f"'{c.name}' is on another grid than '{first.name}'; bring them to one with resampled(curve, step)"
            )
        names = [""] if c.ndim == 1 else [str(v) for v in c[c.dims[1]].values]
        units = [str(u) for u in c["units"].values] if "units" in c.coords else [_unit(c)] * len(names)
        for k, name in enumerate(names):
            head.append(_head(f"{c.name}.{name}" if name else str(c.name), units[k]))
            columns.append(np.asarray(c.values, float).reshape(len(x), -1)[:, k])
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as stream:
            out = csv.writer(stream)
            out.writerow(head)
            out.writerows([repr(float(v)) for v in row] for row in zip(*columns))
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
    return path


# ---- pieces ---------------------------------------------------------------------------------------------------------
def _head(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _unit(c: Any) -> str:
    return str(c.attrs.get("units", ""))


def _second(c: Any) -> str:
    return str(c.time.attrs.get("units", ""))


def _named(c: Any, name: str, unit: str) -> Any:
    c = c.rename(name)
    c.attrs = {k: v for k, v in c.attrs.items() if k != "units"} | ({"units": unit} if unit else {})
    return c


def rate_unit(unit: str, second: str) -> str:
    """Unit text per time: m -> m/s -> m/s^2 -> m/s^3."""
    if not second:
        return unit
    if unit in ("", "none", "-"):
        return f"1/{second}"
    head, _, tail = unit.rpartition(f"/{second}")
    if head and not tail:
        return f"{head}/{second}^2"
    if head and tail.startswith("^") and tail[1:].isdigit():
        return f"{head}/{second}^{int(tail[1:]) + 1}"
    return f"{unit}/{second}"


def integral_unit(unit: str, second: str) -> str:
    """Unit text times time: m/s^2 -> m/s -> m, N -> N*s."""
    if not second:
        return unit
    if unit in ("", "none", "-"):
        return second
    head, _, tail = unit.rpartition(f"/{second}")
    if head and not tail:
        return "" if head == "1" else head
    if head and tail.startswith("^") and tail[1:].isdigit():
        power = int(tail[1:]) - 1
        return f"{head}/{second}" + (f"^{power}" if power > 1 else "")
    return f"{unit}*{second}"


def _times(c: Any, least: int = 1) -> np.ndarray:
    if not isinstance(getattr(c, "dims", None), tuple):
        raise ModelError(f"{shown(c)} is not a curve: give a history of a run, such as run.part('rod').position")
    if "time" not in c.dims or c.dims[0] != "time":
        raise ModelError(f"'{c.name}' has no axis of time as its first: give a history of a run")
    t = np.asarray(c.time.values, float)
    if len(t) < least or (least > 1 and not t[-1] > t[0]):
        raise ModelError(
            f"'{c.name}' has {len(t)} rows over {t[-1] - t[0] if len(t) else 0:g} of time: too few for this"
        )
    return t


def _column(x: np.ndarray, like: np.ndarray) -> np.ndarray:
    return x.reshape(-1, *[1] * (like.ndim - 1))


def _between(t: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Straight lines between rows; the later row at a repeated time."""
    k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, max(0, len(t) - 2))
    if len(t) == 1:
        return np.repeat(y, len(at), axis=0)
    h = t[k + 1] - t[k]
    s = np.where(h > 0, np.clip((at - t[k]) / np.where(h > 0, h, 1.0), 0.0, 1.0), 1.0)
    s = _column(s, y)
    return np.where(s == 0, y[k], np.where(s == 1, y[k + 1], y[k] + s * (y[k + 1] - y[k])))


def _even(c: Any) -> tuple[Any, float]:
    """The curve on an even grid and its sampling rate."""
    t = _times(c, 2)
    if not np.isfinite(c.values).all():
        raise ModelError(f"'{c.name}' has gaps (not a number): take a stretch without them, as run.between does")
    n = len(t)
    even = n > 2 and np.abs(t - np.linspace(t[0], t[-1], n)).max() <= EVEN * (t[-1] - t[0]) / (n - 1)
    out = c if even else resampled(c)
    return out, (len(out) - 1) / (t[-1] - t[0])


def _frequencies(c: Any, f: np.ndarray) -> tuple[dict[str, Any], tuple[str, ...]]:
    import xarray as xr

    second = _second(c)
    unit = "Hz" if second == "s" else f"1/{second}" if second else ""
    coords = {k: v for k, v in c.coords.items() if k != "time"}
    return {"frequency": xr.DataArray(f, dims=("frequency",), attrs={"units": unit}), **coords}, (
        "frequency",
        *c.dims[1:],
    )

"""Measured curves from TDMS and RPC III files, and through a low-pass filter."""

import struct

import numpy as np
import pytest

from holonom.model import ModelError
from holonom.studies import Curve, Experiment, identify, read_curve

TIMES = np.arange(64) * 0.02


def write_tdms(path, stamps=False):
    """By npTDMS itself: a waveform, a group with a channel of times, and one name in two groups."""
    nptdms = pytest.importorskip("nptdms")
    channel = nptdms.ChannelObject
    x = 0.5 + TIMES
    times = np.datetime64("2026-11-29T12:00:00") + (TIMES * 1e6).astype("timedelta64[us]") if stamps else x
    with nptdms.TdmsWriter(str(path)) as out:
        out.write_segment(
            [
                channel("Rig", "Force", 2.0 * TIMES, {"wf_increment": 0.02, "wf_start_offset": 0.5}),
                channel("Rig", "Text", ["a", "b"], {}),
                channel("Log", "Time", times, {}),
                channel("Log", "Angle", np.arange(64, dtype="i4")),
                channel("Log", "Short", np.arange(5.0)),
                channel("Rig", "Twice", TIMES),
                channel("Log", "Twice", TIMES),
            ]
        )
    return path


def test_tdms(tmp_path):
    path = write_tdms(tmp_path / "a.tdms")
    c = read_curve(path, "pin.force", value="Force", std=0.1)
    assert np.array_equal(c.times, 0.5 + np.arange(64) * 0.02) and np.array_equal(c.values, 2.0 * TIMES)
    c = read_curve(path, "pin.angle", time="Time", value="Log/Angle", std=0.1)
    assert np.array_equal(c.times, 0.5 + TIMES) and np.array_equal(c.values, np.arange(64.0))
    stamped = read_curve(write_tdms(tmp_path / "b.tdms", stamps=True), "pin.angle", time="Time", value="Angle")
    assert np.abs(stamped.times - TIMES).max() < 2e-6 and stamped.times[0] == 0.0
    for options, text in [
        (dict(value="Angle"), "channel 'Angle' has no wf_increment, so its times are unknown"),
        (dict(value="Forse"), "there is no channel 'Forse'; did you mean 'Force'"),
        (dict(value="Twice"), "channel 'Twice' is in several groups; write one of Log/Twice, Rig/Twice"),
        (dict(), "a channel is needed; name one of Log/Time"),
        (dict(value=1), "there is no channel 1; name one of"),
        (dict(value="Text", time="Time"), "channel 'Text' has no numbers"),
        (dict(value="Short", time="Time"), "channel 'Time' has 64 values, 'Short' has 5"),
    ]:
        with pytest.raises(ModelError, match=text):
            read_curve(path, "x", **options)
    (tmp_path / "c.tdms").write_bytes(b"TDSm" + bytes(range(200)))
    with pytest.raises(ModelError, match="is not a TDMS file"):
        read_curve(tmp_path / "c.tdms", "x", value="a")


def write_rpc(path, signals, kind="SHORT_INTEGER", group=32):
    """By the published layout: records of 128 bytes (32 for the keyword, 96 for its value), four to a block, then
    groups in which each channel has PTS_PER_GROUP numbers in a row."""
    count = len(signals[0])
    head = {"FORMAT": "BINARY", "NUM_HEADER_BLOCKS": 0, "NUM_PARAMS": 0, "FILE_TYPE": "TIME_HISTORY",
            "DATA_TYPE": kind, "DELTA_T": 0.02, "CHANNELS": len(signals), "PTS_PER_FRAME": 16, "PTS_PER_GROUP": group,
            "FRAMES": count // 16, "INT_FULL_SCALE": 32768,
            **{f"DESC.CHAN_{k}": name for k, name in enumerate(("Damper travel", "Wheel force"), 1)},
            **{f"SCALE.CHAN_{k}": 0.001 * k for k in (1, 2)}}  # fmt: skip
    head["NUM_HEADER_BLOCKS"], head["NUM_PARAMS"] = -(-len(head) // 4), len(head)
    raw = b"".join(struct.pack("32s96s", k.encode(), str(v).encode()) for k, v in head.items())
    raw += bytes(512 * head["NUM_HEADER_BLOCKS"] - len(raw))
    letter = "h" if kind == "SHORT_INTEGER" else "f"
    for at in range(0, count, group):
        for signal in signals:
            raw += struct.pack(f"<{group}{letter}", *signal[at : at + group])
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("kind", ["SHORT_INTEGER", "FLOATING_POINT"])
def test_rpc(tmp_path, kind):
    signals = [list(range(-32, 32)), [3 * k for k in range(64)]]
    path = write_rpc(tmp_path / "road.rsp", signals, kind)
    scale = (0.001, 0.002) if kind == "SHORT_INTEGER" else (1.0, 1.0)
    for value, k in ((None, 0), (1, 0), (2, 1), ("Wheel force", 1)):
        c = read_curve(path, "x", value=value, std=1.0)
        assert np.array_equal(c.times, np.arange(64) * 0.02)
        assert np.allclose(c.values, scale[k] * np.array(signals[k]), rtol=1e-15)
    for options, text in [
        (dict(value=3), "has 2 channels; there is no channel 3"),
        (dict(value="Wheel forse"), "has no channel 'Wheel forse'; did you mean 'Wheel force'"),
        (dict(time="t"), "leave time out"),
    ]:
        with pytest.raises(ModelError, match=text):
            read_curve(path, "x", **options)
    with pytest.raises(ModelError, match="cannot read .*No such file"):
        read_curve(tmp_path / "none.rsp", "x")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ModelError, match="ends within its data"):
        read_curve(path, "x", value=2)


def decay(v):
    t = np.arange(1000) * 0.002
    return {"x": v["size"] * np.exp(-v["rate"] * t)}


def test_readings_through_a_low_pass_filter(tmp_path):
    """Hum of 50 Hz, ten times the noise, shifts nothing, and intervals of 95 % contain the truth as often as that;
    readings are white noise of the standard deviation that is stated."""
    t, rng = np.arange(1000) * 0.002, np.random.default_rng(3)
    hum = 0.1 * np.sin(2 * np.pi * 50.0 * t + 0.3)
    truth = {"size": 2.0, "rate": 1.5}
    inside, noise = [], []
    for _ in range(40):
        white = 0.01 * rng.standard_normal(1000)
        c = Curve("x", t, decay(truth)["x"] + hum + white, std=0.01, lowpass=8.0)
        found = identify(Experiment(decay, c), {"size": (1.0, 3.0), "rate": (0.5, 3.0)})
        inside += [low <= truth[n] <= high for n, (low, high) in found.interval.items()]
        noise.append(c.readings(white) / c.noise)
    assert 0.88 <= np.mean(inside) <= 1.0
    noise = np.array(noise)
    assert noise.std() == pytest.approx(1.0, abs=0.05)
    assert abs((noise[:, 1:] * noise[:, :-1]).mean()) < 0.12
    without = identify(Experiment(decay, Curve("x", t, c.values, std=0.01)), {"size": (1.0, 3.0), "rate": (0.5, 3.0)})
    assert without.misfit > 5.0 and found.misfit < 1.3 and c.count == len(found.residuals["x"])


def test_a_filter_that_the_times_do_not_allow():
    t = np.arange(100) * 0.01
    for options, text in [
        (dict(times=t, lowpass=60.0), "lowpass must be between 0 and half the sampling rate, 50 Hz, got 60"),
        (dict(times=t, lowpass=0.1), "lowpass of 0.1 Hz leaves 0 of 100 samples"),
        (dict(times=t**2, lowpass=5.0), "lowpass needs samples at equal steps"),
        (dict(times=t, lowpass="5 Hz"), "lowpass must be a frequency in Hz, got '5 Hz'"),
        (dict(times=t, lowpass=5.0, std=np.ones(100)), "std must be one number where lowpass is given"),
    ]:
        with pytest.raises(ModelError, match=text):
            Curve("x", values=t, **options)


def test_a_filter_and_a_shift_of_a_model_curve(tmp_path):
    """A delay of the sensor is found through the filter; what is given as exact derivatives passes it as well."""
    t = np.arange(400) * 0.005

    def wave(v):
        fine = np.linspace(-0.5, 3.0, 8000)
        y = np.sin(2 * np.pi * v["f"] * fine)
        return {"y": (fine, y), "d y/d f": (fine, 2 * np.pi * fine * np.cos(2 * np.pi * v["f"] * fine))}

    rng = np.random.default_rng(1)
    y = np.sin(2 * np.pi * 1.3 * (t - 0.04)) + 0.02 * rng.standard_normal(400)
    c = Curve("y", t, y, std=0.02, shift="delay", lowpass=6.0)
    bounds = {"f": (1.0, 1.6), "delay": (0.0, 0.1)}
    exact = identify(Experiment(wave, c), bounds)
    slow = identify(Experiment(wave, c), bounds, derivatives="differences")
    for found in (exact, slow):
        for name, value in (("f", 1.3), ("delay", 0.04)):
            assert abs(found.parameters[name] - value) < 3.5 * found.std[name]
    assert exact.std["delay"] == pytest.approx(slow.std["delay"], rel=1e-4) and "exact" in exact.derivatives

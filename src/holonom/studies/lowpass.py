"""A low-pass filter of measured curves, with what it does to their noise."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..model import ModelError

ORDER = 2
ENDS = 3  # strides at both ends that are left out: there the filter sees what is not measured
ALIKE = 0.05  # autocorrelation of the filtered noise at the distance of two readings


class LowPass:
    """Butterworth filter of second order, forwards and backwards, so that it shifts nothing (half the amplitude at
    ``cutoff``), of ``count`` samples at equal ``step``; then only every ``stride``-th sample is kept, beyond the ends.

    White noise of standard deviation s has ``share`` s behind it.  Its neighbouring samples would be correlated, and
    least squares of all of them would give intervals that are too narrow; those that are ``stride`` apart are not."""

    def __init__(self, count: int, step: float, cutoff: float) -> None:
        from scipy.signal import butter, sosfiltfilt

        nyquist = 0.5 / step
        if not 0.0 < cutoff < nyquist:
            raise ModelError(f"lowpass must be between 0 and half the sampling rate, {nyquist:g} Hz, got {cutoff:g}")
        self._sos = butter(ORDER, cutoff, fs=1.0 / step, output="sos")
        reach = int(np.ceil(3.0 / (cutoff * step)))
        impulse = np.zeros(2 * reach + 1)
        impulse[reach] = 1.0
        h = sosfiltfilt(self._sos, impulse, padlen=0)
        like = np.array([h[k:] @ h[: len(h) - k] for k in range(reach)])
        self.share = float(np.sqrt(like[0]))
        self.stride = int(np.argmax(like <= ALIKE * like[0])) or reach
        self.kept = np.arange(ENDS * self.stride, count - ENDS * self.stride, self.stride)
        if len(self.kept) < 3:
            raise ModelError(
                f"lowpass of {cutoff:g} Hz leaves {len(self.kept)} of {count} samples; raise it, or measure longer"
            )

    def __call__(self, y: np.ndarray) -> np.ndarray:
        """The readings: filtered samples that are kept."""
        from scipy.signal import sosfiltfilt

        return np.asarray(sosfiltfilt(self._sos, y, padlen=min(len(y) - 1, 3 * self.stride)))[self.kept]


@lru_cache(maxsize=256)
def lowpass(count: int, step: float, cutoff: float) -> LowPass:
    """A `LowPass`, made once."""
    return LowPass(count, step, cutoff)

"""Rotations of whole histories at once: quaternions scalar first, matrices from local to ground."""

from __future__ import annotations

import numpy as np


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4), scalar first, of any norm but zero."""
    q = np.asarray(q, float)
    a, b, c, d = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    out = np.empty((*a.shape, 3, 3))
    out[..., 0, 0] = 1 - 2 * (c * c + d * d)
    out[..., 0, 1] = 2 * (b * c - a * d)
    out[..., 0, 2] = 2 * (b * d + a * c)
    out[..., 1, 0] = 2 * (b * c + a * d)
    out[..., 1, 1] = 1 - 2 * (b * b + d * d)
    out[..., 1, 2] = 2 * (c * d - a * b)
    out[..., 2, 0] = 2 * (b * d - a * c)
    out[..., 2, 1] = 2 * (c * d + a * b)
    out[..., 2, 2] = 1 - 2 * (b * b + c * c)
    return out


def euler313(m: np.ndarray) -> np.ndarray:
    """Body 3-1-3 angles (..., 3) psi, theta, phi in radians of matrices (..., 3, 3); phi = 0 where theta is 0 or pi.

    psi and phi lie in (-pi, pi], theta in [0, pi]; histories may jump by 2 pi (see ``numpy.unwrap``).
    """
    sine = np.hypot(m[..., 0, 2], m[..., 1, 2])
    regular = sine > 1e-12
    psi = np.where(regular, np.arctan2(m[..., 0, 2], -m[..., 1, 2]), np.arctan2(m[..., 1, 0], m[..., 0, 0]))
    phi = np.where(regular, np.arctan2(m[..., 2, 0], m[..., 2, 1]), 0.0)
    return np.stack([psi, np.arctan2(sine, m[..., 2, 2]), phi], axis=-1)


def euler313_rates(m: np.ndarray, w: np.ndarray) -> np.ndarray:
    """psi', theta', phi' (..., 3) of frames ``m`` (..., 3, 3) that turn with ``w`` (..., 3) in ground axes; NaN where
    theta is 0 or pi.

    w = psi' z + theta' n + phi' z_b with n = (cos psi, sin psi, 0) and z_b = cos(theta) z + sin(theta) (sin psi, -cos
    psi, 0).
    """
    psi, theta, _ = np.moveaxis(euler313(m), -1, 0)
    sine = np.where(np.sin(theta) > 1e-12, np.sin(theta), np.nan)
    spin = (w[..., 0] * np.sin(psi) - w[..., 1] * np.cos(psi)) / sine
    nutation = np.where(np.isnan(sine), np.nan, w[..., 0] * np.cos(psi) + w[..., 1] * np.sin(psi))
    return np.stack([w[..., 2] - spin * np.cos(theta), nutation, spin], axis=-1)


def angular_momenta(m: np.ndarray, inertia: np.ndarray, w: np.ndarray) -> np.ndarray:
    """J w (..., 3) in ground axes, of ``inertia`` (..., 3, 3) in axes of frames ``m`` (..., 3, 3) that turn with ``w``
    (..., 3) in ground axes."""
    local = np.einsum("...lk,...l->...k", m, w)
    return np.einsum("...ij,...j->...i", m, np.einsum("...jk,...k->...j", inertia, local))


def along_euler_axes(m: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Components (..., 3) of vectors in ground axes along ground's z, the line of nodes and the body's z: the axes of
    psi, theta, phi."""
    psi = euler313(m)[..., 0]
    node = vector[..., 0] * np.cos(psi) + vector[..., 1] * np.sin(psi)
    return np.stack([vector[..., 2], node, np.einsum("...c,...c->...", m[..., :, 2], vector)], axis=-1)


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion product p q, shapes (..., 4)."""
    a, b, c, d = np.moveaxis(p, -1, 0)
    e, f, g, h = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )


def rate(q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Time derivative (..., 4) of quaternions whose frame turns with angular velocity ``w`` (..., 3) in ground axes."""
    return 0.5 * product(np.concatenate([np.zeros((*w.shape[:-1], 1)), w], axis=-1), q)


def slerp(p: np.ndarray, q: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Shortest great arc from p to q (..., 4) at fractions ``s`` in [0, 1], broadcast over the leading axes."""
    dot = np.sum(p * q, axis=-1, keepdims=True)
    q = np.where(dot < 0, -q, q)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-8
    safe = np.where(near, 1.0, sine)
    left = np.where(near, 1 - s, np.sin((1 - s) * angle) / safe)
    right = np.where(near, s, np.sin(s * angle) / safe)
    out = left * p + right * q
    return out / np.linalg.norm(out, axis=-1, keepdims=True)

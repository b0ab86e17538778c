"""Random frames for element tests: perturbed as frames.py says (dA = dtheta x A), or moved along exact motions."""

import numpy as np
from scipy.spatial.transform import Rotation

from holonom.elements.frames import Frames, make_frames

SLOTS = "p theta v w a al".split()


def random_frames(rng, n=6) -> Frames:
    """``n`` frames on ``n`` bodies, frame 0 at rest at the origin."""
    fr = make_frames(np.arange(n), np.zeros((n, 3)), np.zeros((n, 9)))
    fr.A[:] = Rotation.random(n, random_state=rng).as_matrix().reshape(n, 9)
    for x in (fr.p, fr.s, fr.v, fr.w, fr.a, fr.al):
        x[:] = rng.normal(size=(n, 3))
    for k in range(n):
        fr.ab[k] = np.cross(fr.w[k], np.cross(fr.w[k], fr.s[k]))
    fr.A[0] = np.eye(3).ravel()
    for x in (fr.p, fr.s, fr.v, fr.w, fr.ab, fr.a, fr.al):
        x[0] = 0.0
    return fr


def copy(fr) -> Frames:
    return Frames(*(x.copy() for x in fr))


def perturbed(fr, d, h) -> Frames:
    """Frames moved by h d, with d (n, 18): dp, dtheta, dv, dw, da, dal of every frame, ground axes."""
    new = copy(fr)
    for s, x in enumerate((new.p, None, new.v, new.w, new.a, new.al)):
        if x is not None:
            x += h * d[:, 3 * s : 3 * s + 3]
    turn = Rotation.from_rotvec(h * d[:, 3:6]).as_matrix()
    new.A[:] = (turn @ fr.A.reshape(-1, 3, 3)).reshape(-1, 9)
    return new


def moved(fr, t) -> Frames:
    """Frames after time t when every body keeps its linear and angular velocity (frame at s from the mass centre)."""
    new = copy(fr)
    turn = Rotation.from_rotvec(t * fr.w).as_matrix()
    new.A[:] = (turn @ fr.A.reshape(-1, 3, 3)).reshape(-1, 9)
    new.s[:] = np.einsum("nij,nj->ni", turn, fr.s)
    centre = fr.p - fr.s + t * (fr.v - np.cross(fr.w, fr.s))
    new.p[:] = centre + new.s
    new.v[:] = fr.v - np.cross(fr.w, fr.s) + np.cross(fr.w, new.s)
    new.ab[:] = np.cross(fr.w, np.cross(fr.w, new.s))
    new.a[:] = new.ab
    new.al[:] = 0.0
    return new


def carried(fr, R, c) -> Frames:
    """The whole scene turned by the matrix R and shifted by c, frame 0 too."""
    new = copy(fr)
    new.A[:] = (R @ fr.A.reshape(-1, 3, 3)).reshape(-1, 9)
    for x in (new.p, new.s, new.v, new.w, new.ab, new.a, new.al):
        x[:] = x @ R.T
    new.p[:] += c
    return new


def assert_derivative(f, exact, h=1e-3):
    """Taylor test at 0: a ten times smaller step brings the central difference of f a hundred times nearer."""
    errors = [np.max(np.abs((np.asarray(f(s)) - np.asarray(f(-s))) / (2 * s) - exact)) for s in (h, 0.1 * h)]
    scale = max(1.0, np.max(np.abs(exact)))
    if errors[1] < 1e-9 * scale:  # linear, or down to rounding
        return
    assert abs(np.log10(errors[0] / errors[1]) - 2.0) < 0.1, errors

"""Random mechanisms with faults, in closed form: what sensors read, and its derivatives by the faults.

`line`: masses between springs; `pendulums`: a chain of pendulums at small angles; both by the exponential of their
system matrix (Najfeld and Havel, Adv. Appl. Math. 16, 1995, for its derivatives).  `four_bar`: the torque of the drive
of a four-bar linkage at constant speed, by the derivative of its energy.  Each has one pair of faults that no sensor
tells apart (`alike`)."""

from dataclasses import dataclass

import numpy as np

G = 9.80665


@dataclass
class Mechanism:
    """``faults``: name -> (healthy, lowest, highest); ``function``: values -> curves with derivatives; ``times``;
    ``curves``: names; ``sensor``: curve -> fields of its `Curve`; ``alike``: faults that cannot be told apart."""

    name: str
    faults: dict
    function: object
    times: np.ndarray
    curves: list
    sensor: dict
    alike: tuple


def response(M, C, K, q, t, changes):
    """q (t, n) of M q'' + C q' + K q = 0 from rest at ``q``, and its derivatives by changes (dM, dC, dK)."""
    n = len(q)
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ K, -inverse @ C]])
    values, V = np.linalg.eig(A)
    W = np.linalg.inv(V)
    grown = np.exp(np.outer(t, values))
    start = W @ np.concatenate([q, np.zeros(n)])
    out = ((grown * start) @ V.T).real[:, :n]
    gap = values[:, None] - values
    same = np.abs(gap) < 1e-9
    quotient = (grown[:, :, None] - grown[:, None, :]) / np.where(same, 1.0, gap)
    quotient = np.where(same, t[:, None, None] * grown[:, :, None], quotient)
    slopes = []
    for dM, dC, dK in changes:
        dA = np.zeros_like(A)
        dA[n:, :n] = inverse @ (dM @ inverse @ K - dK)
        dA[n:, n:] = inverse @ (dM @ inverse @ C - dC)
        slopes.append(np.einsum("ai,tij,j->ta", V, quotient * (W @ dA @ V), start).real[:, :n])
    return out, slopes


def linear(name, faults, healthy, terms, q, times, seen, sensor, alike):
    """A mechanism whose matrices are affine in its faults: ``healthy`` (M, C, K) and ``terms`` name -> (dM, dC, dK);
    ``seen``: curve -> coordinate."""

    def function(v):
        sums = [
            h + sum((v[f] - faults[f][0]) * change[i] for f, change in terms.items()) for i, h in enumerate(healthy)
        ]
        x, slopes = response(*sums, q, times, list(terms.values()))
        out = {c: x[:, j] for c, j in seen.items()}
        out |= {f"d {c}/d {f}": s[:, j] for c, j in seen.items() for f, s in zip(terms, slopes)}
        return out | {f"d {c}/d {f}": np.zeros(len(times)) for c in seen for f in faults if f not in terms}

    return Mechanism(name, faults, function, times, list(seen), sensor, alike)


def line(rng):
    """Wall, mass, mass, mass, wall; two springs in parallel at the first wall."""
    n = 3
    m, k, c = rng.uniform(0.5, 2.0, n), rng.uniform(50.0, 200.0, n + 1), rng.uniform(0.2, 0.5, n)
    ways = [np.eye(n)[0], np.eye(n)[1] - np.eye(n)[0], np.eye(n)[2] - np.eye(n)[1], np.eye(n)[2]]
    K = sum(stiff * np.outer(w, w) for stiff, w in zip(k, ways))
    zero = np.zeros((n, n))
    spring = lambda j, share: (zero, zero, -share * k[j] * np.outer(ways[j], ways[j]))
    terms = {
        "left": spring(0, 0.5), "right": spring(0, 0.5), "middle": spring(1, 1.0), "end": spring(3, 1.0),
        "deposit": (np.diag([0.0, 0.0, 1.0]), zero, zero), "rub": (zero, np.diag([0.0, 1.0, 0.0]), zero),
    }  # fmt: skip
    faults = dict.fromkeys(("left", "right", "middle", "end"), (0.0, 0.0, 0.6))
    faults |= {"deposit": (0.0, 0.0, 0.5), "rub": (0.0, 0.0, 2.0), "gain": (1.0, 0.7, 1.3)}
    return linear("line", faults, (np.diag(m), np.diag(c), K), terms, np.array([0.05, 0.0, -0.03]),
                  np.linspace(0.0, 3.0, 151), {"first": 0, "last": 2}, {"first": {"gain": "gain"}},
                  ("left", "right"))  # fmt: skip


def pendulums(rng):
    """Three pendulums in a chain at small angles, with a torsion spring and friction in the joints; the friction of the
    first joint and of the bearing of its sensor act alike."""
    m, length = rng.uniform(0.5, 1.5, 3), rng.uniform(0.3, 0.6, 3)
    below = np.cumsum(m[::-1])[::-1]
    M = np.array([[length[i] * length[j] * below[max(i, j)] for j in range(3)] for i in range(3)])
    joint = [np.eye(3)[0], np.eye(3)[1] - np.eye(3)[0], np.eye(3)[2] - np.eye(3)[1]]
    stiff = 2.0 * np.outer(joint[1], joint[1])
    K, zero = np.diag(G * length * below) + stiff, np.zeros((3, 3))
    C = sum(0.02 * np.outer(w, w) for w in joint)
    bob = lambda k: (np.outer(length, length) * (np.maximum.outer(range(3), range(3)) <= k), zero,
                     np.diag(G * length * (np.arange(3) <= k)))  # fmt: skip
    terms = {
        "pin": (zero, np.outer(joint[0], joint[0]), zero), "bearing": (zero, np.outer(joint[0], joint[0]), zero),
        "elbow": (zero, np.outer(joint[1], joint[1]), zero), "spring": (zero, zero, -stiff), "first": bob(0),
        "last": bob(2),
    }  # fmt: skip
    faults = {"pin": (0.0, 0.0, 0.3), "bearing": (0.0, 0.0, 0.3), "elbow": (0.0, 0.0, 0.3), "spring": (0.0, 0.0, 0.8),
              "first": (0.0, 0.0, 0.4), "last": (0.0, 0.0, 0.4), "offset": (0.0, -0.02, 0.02)}  # fmt: skip
    return linear("pendulums", faults, (M, C, K), terms, np.array([0.1, -0.05, 0.08]), np.linspace(0.0, 4.0, 161),
                  {"top": 0, "tip": 2}, {"tip": {"offset": "offset"}}, ("pin", "bearing"))  # fmt: skip


def four_bar(rng):
    """A crank-rocker whose crank turns at 20 rad/s, with a spring at the rocker; the offset of the torque sensor and
    the constant friction of the drive act alike."""
    crank, ground = 0.1, rng.uniform(0.3, 0.4)
    coupler, rocker = rng.uniform(0.28, 0.34, 2)
    speed, count = 20.0, 128
    turn = 2 * np.pi * np.arange(count) / count
    pin = crank * np.exp(1j * turn)
    gap = ground - pin
    cosine = (coupler**2 + np.abs(gap) ** 2 - rocker**2) / (2 * coupler * np.abs(gap))
    end = pin + coupler * np.exp(1j * (np.angle(gap) + np.arccos(cosine)))
    wave = 1j * np.fft.fftfreq(count, 1.0 / count)
    rate = lambda y: speed * np.fft.ifft(wave * np.fft.fft(y))  # of a periodic signal, by time
    middle, angle, swing = 0.5 * (pin + end), np.angle(end - pin), np.unwrap(np.angle(end - ground))
    torque = lambda energy: rate(energy).real / speed
    slopes = {
        "coupler": torque(0.5 * np.abs(rate(middle)) ** 2 + coupler**2 / 24 * rate(angle).real ** 2),
        "rocker": torque(rocker**2 / 6 * rate(swing).real ** 2),
        "spring": torque(0.5 * (swing - 1.5) ** 2),
        "rub": rate(swing).real ** 2 / speed,
        "drive": np.ones(count),
    }
    healthy = {"coupler": 1.0, "rocker": 1.2, "spring": 20.0, "rub": 0.1, "drive": 0.5}
    faults = {"coupler": (1.0, 1.0, 1.5), "rocker": (1.2, 1.2, 1.8), "spring": (20.0, 8.0, 20.0)}
    faults |= {"rub": (0.1, 0.1, 1.5), "drive": (0.5, 0.5, 4.0), "offset": (0.0, -3.0, 3.0)}

    def function(v):
        out = {"torque": sum(v[f] * slope for f, slope in slopes.items())}
        return out | {f"d torque/d {f}": slopes.get(f, np.zeros(count)) for f in faults}

    assert set(healthy) == set(slopes)
    return Mechanism("four_bar", faults, function, turn / speed, ["torque"], {"torque": {"offset": "offset"}},
                     ("drive", "offset"))  # fmt: skip


KINDS = (line, pendulums, four_bar)

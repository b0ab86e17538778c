"""What buildings and frames are made of, element by element, from their docstrings and the theory of frames: see
`_account`."""

import math

import numpy as np
from scipy.linalg import eigh

from _account import ZERO, Drawings, X, Y, body, pair, point
from holonom.flexible import Section
from holonom.structures import GroundMotion, lateral_building, steel_frame, yielding_columns
from holonom.structures.steel_damper import STEELS
from holonom.structures.yielding import LEVEL

DRAWINGS = Drawings()
drawing = DRAWINGS.of
RECORD = GroundMotion(np.array([0.0, 0.3, -0.7, 1.1, 0.2, -0.4, 0.1, 0.6, -0.2, 0.05]), 0.05, "quake")


def shaken(drawn, record, name, slide, word=None):
    """The slide of a support: by a record, straight between its points, or held."""
    if record is None:
        drawn[f"MOTION {name}"] = {"joint": slide, "kind": "TRANSLATIONAL"}
        return
    drawn[f"SPLINE {word or record.name}"] = {"x": record.time, "y": [record.acceleration]}
    drawn[f"MOTION {name}"] = {
        **{
            "joint": slide,
            "function": None,
            "kind": "TRANSLATIONAL",
            "level": "ACCELERATION",
            "icdisp": None,
            "icvel": None,
        }
    }


def modal(M, K, ratios):
    """C whose modes have these ratios."""
    w2, V = eigh(K, M)
    S = M @ V
    return S @ np.diag(2.0 * np.asarray(ratios) * np.sqrt(w2)) @ S.T


# ---- a building of rigid floors --------------------------------------------------------------------------------------
@drawing(
    lambda **words: lateral_building(**words).model,
    masses=[1.1e5, 0.9e5, 0.7e5],
    K=np.array([[3.1e8, -1.3e8, 0.1e8], [-1.3e8, 2.3e8, -0.9e8], [0.1e8, -0.9e8, 0.8e8]]),
    damping=[0.02, 0.03, 0.05],
    heights=[3.3, 3.1, 2.9],
)
def floors(found, masses, K, damping, heights):
    C = modal(np.diag(masses), K, damping)
    drawn = {
        "PART base": body(sum(masses), ZERO, (1, 1, 1)),
        "JOINT ground": pair("base", "ground", ZERO, X, type="TRANSLATIONAL"),
        "MOTION MOTION_1": {"joint": "ground", "kind": "TRANSLATIONAL"},
    }
    high = np.cumsum(heights)
    base = point(found, "base", ZERO)
    moves = [point(found, f"floor {s + 1}", (0, 0, z)) for s, z in enumerate(high)]
    u = np.array([p[0][0] - base[0][0] for p in moves])
    v = np.array([p[1][0] - base[1][0] for p in moves])
    for s, z in enumerate(high):
        at = (0, 0, z)
        drawn[f"PART floor {s + 1}"] = body(masses[s], at, (1, 1, 1))
        drawn[f"JOINT JOINT_{s + 2}"] = pair(f"floor {s + 1}", "base", at, X, type="TRANSLATIONAL")
        drawn[f"VFORCE VFORCE_{s + 1}"] = {
            **{"i": f"floor {s + 1}", "i at": at, "i axes": None, "jfloat": "base"},
            **{"rm": "base", "rm at": ZERO, "rm axes": np.eye(3), "fx": -(K @ u + C @ v)[s]},
        }
    return drawn


# ---- a frame ---------------------------------------------------------------------------------------------------------
COLUMNS = [Section(0.021, 3.1e-4, 1.1e-4, 4e-6), Section(0.017, 2.3e-4, 0.9e-4, 3e-6)]
GIRDER = Section(0.013, 4.7e-4, 0.3e-4, 1e-6)
FRAME = {
    **{"storeys": 2, "bays": 2, "height": [3.7, 3.3], "span": [6.1, 4.9], "column": COLUMNS, "girder": GIRDER},
    **{"floor_mass": [3.1e4, 2.3e4], "E": 2.05e11, "density": 7800.0, "name": "hall"},
}


class PlaneFrame:
    """Columns and girders by the books: Euler and Bernoulli's beams in the plane, three numbers a node (x, z, turn)."""

    def __init__(self, height, span, column, girder, floor_mass, E, density, **_):
        self.x, self.z = (np.concatenate([[0.0], np.cumsum(v)]) for v in (span, height))
        width = len(self.x)
        self.places = np.array([(a, 0.0, b) for b in self.z for a in self.x])
        self.members = [(s * width + b, (s + 1) * width + b, column[s], 0.0) for s in (0, 1) for b in range(width)]
        for s in (1, 2):
            load = floor_mass[s - 1] / self.x[-1]
            self.members += [(s * width + b, s * width + b + 1, girder, load) for b in range(width - 1)]
        n = 3 * len(self.places)
        self.K, self.lumped, self.consistent = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        for a, b, section, load in self.members:
            d = (self.places[b] - self.places[a])[[0, 2]]
            L = float(np.hypot(*d))
            c, s = d / L
            A, EI = section.A, E * section.Iy
            # along, across (to the left), turn about the axis out of the plane of x and z: minus that about y
            k = np.zeros((6, 6))
            k[np.ix_([0, 3], [0, 3])] = E * A / L * np.array([[1, -1], [-1, 1]])
            k[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = (EI / L**3) * np.array(
                [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]]
                + [[-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
            )
            m = density * A + load
            half, turn = 0.5 * m * L, m * L**3 / 78.0
            one = np.diag([half, half, turn, half, half, turn])
            two = np.zeros((6, 6))
            two[np.ix_([0, 3], [0, 3])] = m * L / 6.0 * np.array([[2, 1], [1, 2]])
            two[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = (m * L / 420.0) * np.array(
                [[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]]
                + [[54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]
            )
            r = density * section.Iy / (30.0 * L)  # rotary inertia, of the steel alone
            two[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] += r * np.array(
                [[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)]]
                + [[-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]]
            )
            T = np.kron(np.eye(2), np.array([[c, s, 0], [-s, c, 0], [0, 0, -1.0]]))
            at = np.concatenate([3 * a + np.arange(3), 3 * b + np.arange(3)])
            for onto, own in ((self.K, k), (self.lumped, one), (self.consistent, two)):
                onto[np.ix_(at, at)] += T.T @ own @ T
        self.free = np.arange(3 * width, n)
        self.held = 3 * np.arange(width)

    def damping(self, M, ratio):
        f = np.ix_(self.free, self.free)
        inner = modal(M[f], self.K[f], np.full(len(self.free), ratio))
        R = -np.linalg.solve(self.K[f], self.K[np.ix_(self.free, self.held)])
        B = np.zeros((len(self.free), len(self.K)))
        B[:, self.free], B[:, self.held] = np.eye(len(self.free)), -R
        return B.T @ inner @ B


def frame_model(mass, records=None, damping=0.03):
    motion = None if records is None else [RECORD] * 3
    made = steel_frame(motion=motion, mass=mass, damping=damping, **FRAME)
    theory = PlaneFrame(**FRAME)
    M = theory.lumped if mass == "lumped" else theory.consistent
    close = lambda a, b: np.allclose(a, b, rtol=1e-6, atol=1e-7 * np.abs(b).max())
    assert close(made.K, theory.K) and close(made.M, M) and close(made.C, theory.damping(M, damping))
    assert (made.free == theory.free).all() and np.allclose(made.places, theory.places)
    return made.model


def frame_of_nodes(found, records):
    theory = PlaneFrame(**FRAME)
    M, C, width = theory.lumped, theory.damping(theory.lumped, 0.03), 3
    drawn = {}
    for b in range(width if records else 1):
        word = f"support {b + 1}" if records else "base"
        drawn[f"PART {word}"] = body(np.trace(M) / 3.0 + 1.0, theory.places[b], (1, 1, 1))
        drawn[f"JOINT {word} slide"] = pair(word, "ground", theory.places[b], X, type="TRANSLATIONAL")
        shaken(drawn, RECORD if records else None, word, f"{word} slide", word)
    owner = lambda k: f"node {k + 1}" if k >= width else f"support {k + 1}" if records else "base"
    for k in range(width, len(theory.places)):
        at = theory.places[k]
        drawn[f"PART node {k + 1}"] = body(M[3 * k, 3 * k], at, (M[3 * k + 2, 3 * k + 2],) * 3)
        drawn[f"JOINT plane {k + 1}"] = pair(f"node {k + 1}", "ground", at, Y, type="PLANAR")
    for n, (a, b, section, _) in enumerate(theory.members):
        p, q = theory.places[a], theory.places[b]
        along = (q - p) / np.linalg.norm(q - p)
        axes = np.column_stack([along, Y * 0, np.cross(along, Y)])
        axes[:, 1] = np.cross(axes[:, 2], along)
        drawn[f"BEAM BEAM_{n + 1}"] = pair(
            *(owner(b), owner(a), q, axes, p, axes),
            **{"length": float(np.linalg.norm(q - p)), "area": section.A, "ixx": section.J, "iyy": section.Iy},
            **{"izz": section.Iz, "emodulus": 2.05e11, "gmodulus": 2.05e11 / 2.6},
        )
    n = len(theory.places)
    at = np.array([6 * k + d for k in range(n) for d in (0, 2, 4)])
    rates = np.zeros((6 * n, 6 * n))
    rates[np.ix_(at, at)] = C
    drawn["MATRIX MATRIX_1"] = {"rows": 6.0 * n, "columns": 6.0 * n, "values": np.zeros(36 * n * n)}
    drawn["MATRIX MATRIX_2"] = {"rows": 6.0 * n, "columns": 6.0 * n, "values": None}
    values = found["MATRIX MATRIX_2"]["values"]
    assert any(np.allclose(values, r.ravel(), rtol=1e-6, atol=1e-7 * np.abs(C).max()) for r in (rates, rates.T))
    drawn["NFORCE damping"] = {"j": "ground", "j at": ZERO, "j axes": np.eye(3), "kmatrix": None, "cmatrix": None}
    for k, p in enumerate(theory.places):
        word = f"imarkers {k + 1}"
        drawn["NFORCE damping"] |= {word: owner(k), f"{word} at": p, f"{word} axes": np.eye(3)}
    return drawn


@drawing(frame_model, mass="lumped")
def frame_of_lumped_nodes(found, mass):
    return frame_of_nodes(found, None)


@drawing(frame_model, mass="lumped", records=True)
def frame_on_three_supports(found, mass, records):
    return frame_of_nodes(found, True)


# ---- columns that yield: fibres of the section as springs, and what takes their elastic stiffness away again
def yielded():
    """Two storeys of 3 + 2 and 2.9 m; the building and the drifts at which its columns begin to yield."""
    made = lateral_building([9e4, 7e4], np.array([[3e8, -1.2e8], [-1.2e8, 1.1e8]]), RECORD, heights=[3.4, 2.9])
    made.add_damper(2, "power_damper", damping=3e5, exponent=0.4, angle=0.6)
    return made, yielding_columns(made, "HEB300", 4, "S355", flange=1, web=4)


@drawing(lambda: yielded()[0].model)
def columns_that_yield(found):
    K, m = np.array([[3e8, -1.2e8], [-1.2e8, 1.1e8]]), np.diag([9e4, 7e4])
    shape = eigh(K, m)[1][:, 0]
    top = (K @ shape)[1]
    k = [(K @ shape).sum() / shape[0], top / (shape[1] - shape[0])]
    # HEB300 by rectangles: flanges of 300 x 19, a web of 11; fibres at the radii of gyration of their layers
    layers = [(0.0, 0.0655, 0.011), (0.0655, 0.131, 0.011), (0.131, 0.15, 0.3)]
    second = [2.0 * b * (h**3 - low**3) / 3.0 for low, h, b in layers]
    at = [math.sqrt((h**3 - low**3) / 3.0 / (h - low)) for low, h, _ in layers]
    drifts = [4 * 2 * STEELS["S355"].fy * sum(second) / 0.15 / h / s for h, s in zip((3.4, 2.9), k)]
    assert np.allclose(yielded()[1], drifts, rtol=1e-9)
    kinds = ("PART", "JOINT", "VFORCE")  # of the building, which has its own drawing
    drawn = {word: None for word in found if word.split()[0] in kinds and word != "PART ground"}
    drawn["SPLINE quake"] = {"x": RECORD.time, "y": [RECORD.acceleration]}
    drawn["MOTION MOTION_1"] = {
        **{"joint": "ground", "function": None, "kind": "TRANSLATIONAL", "level": "ACCELERATION"},
        **{"icdisp": None, "icvel": None},
    }
    for storey, (low, above, h) in enumerate((("base", "floor 1", 3.4), ("floor 1", "floor 2", 2.9)), 1):
        # a level brace, long compared with the drift, at the height of the upper floor
        for n, (y, one) in enumerate(zip(at, second), 1):
            share = one / sum(second)
            drawn[f"HYSTERETIC_SPRING columns {storey}.{n}"] = {
                **{"i": above, "i at": None, "i axes": None, "j": low, "j at": None, "j axes": None},
                **{
                    "k": k[storey - 1] * share,
                    "length": LEVEL * h,
                    "hardening": STEELS["S355"].hardening,
                    "knee": 25.0,
                },
                "yield_force": k[storey - 1] * share * drifts[storey - 1] * 0.15 / y,
            }
        ends = [found[f"SFORCE columns {storey}.{len(at) + 1}"][f"{m} at"] for m in "ij"]
        assert np.allclose(ends[0][0] - ends[1][0], LEVEL * h) and np.allclose(ends[0][1:], ends[1][1:])
        far = [point(found, p, e)[0] for p, e in zip((above, low), ends)]
        stretch = float(np.linalg.norm(far[0] - far[1])) - LEVEL * h
        drawn[f"SFORCE columns {storey}.{len(at) + 1}"] = {
            **{"i": above, "i at": None, "i axes": None, "j": low, "j at": None, "j axes": None},
            **{"function": k[storey - 1] * stretch, "kind": None},
        }
    brace = np.array([2.9 / math.tan(0.6), 0.0, 2.9])
    one, two = (found["POWER_DAMPER damper 2.1"][f"{m} at"] for m in "ij")
    assert np.allclose(one - two, brace)
    drawn["POWER_DAMPER damper 2.1"] = {
        **{"i": "floor 2", "i at": None, "i axes": None, "j": "floor 1", "j at": None, "j axes": None},
        **{"c": 3e5, "exponent": 0.4, "slow": None, "length": 2.9 / math.sin(0.6)},
    }
    return drawn

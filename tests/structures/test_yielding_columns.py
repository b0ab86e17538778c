"""Columns that yield by fibre hinges: the section by its moduli, a building by an integration of its own, energies."""

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.model import ModelError
from holonom.structures import GroundMotion, Steel, lateral_building, shear_building, steel_frame, yielding_columns
from holonom.structures.command import records_of
from holonom.structures.yielding import PROFILES, fibres, storey_stiffness

DEPTH, BREADTH, FLANGE, WEB = PROFILES["HEB400"]
INNER = DEPTH / 2 - FLANGE
INERTIA = BREADTH * DEPTH**3 / 12 - (BREADTH - WEB) * (2 * INNER) ** 3 / 12
PLASTIC = BREADTH * FLANGE * (DEPTH - FLANGE) + WEB * INNER**2


def pulse(size):
    t = 0.01 * np.arange(301)
    return GroundMotion(size * np.sin(9 * t) * np.exp(-(((t - 1.0) / 0.5) ** 2)), 0.01, "pulse")


def test_section_by_its_moduli():
    """I exactly, the plastic modulus to the size of a fibre; rolled sections have 57,680 cm^4 and 3,232 cm^3."""
    y, area = fibres("HEB400")
    assert area @ y**2 == pytest.approx(INERTIA, rel=1e-12)
    assert area @ y == pytest.approx(PLASTIC, rel=3e-3)
    assert INERTIA == pytest.approx(57680e-8, rel=0.04) and PLASTIC == pytest.approx(3232e-6, rel=0.04)
    assert area.sum() == pytest.approx(2 * BREADTH * FLANGE + 2 * WEB * INNER)


def test_storey_begins_and_ends_yielding():
    """A shear storey of three clamped columns: k = 3 * 12 E I / h^3, begins to yield at the curvature 6 drift / h^2,
    carries 2 M_p / h a column in the end, M_p of the exact section."""
    E, fy, h = 2.1e11, 355e6, 3.6
    k = 3 * 12 * E * INERTIA / h**3
    building = shear_building([4e4], [k], heights=h)
    (first,) = yielding_columns(building, "HEB400", 3, Steel("plain", E, fy, 0.0))
    assert first == pytest.approx(fy * h**2 / (6 * E * DEPTH / 2), rel=1e-12)  # kappa = 6 drift / h^2
    springs = building.columns[1][:-1]
    assert sum(e.k for e in springs) == pytest.approx(k, rel=1e-12)
    assert sum(e.yield_force for e in springs) == pytest.approx(3 * 2 * fy * PLASTIC / h, rel=3e-3)
    # moment over curvature of the exact section, integrated over its depth
    z = np.linspace(0.0, DEPTH / 2, 200001)
    width = np.where(z < INNER, WEB, BREADTH)
    for times in (0.5, 1.1, 1.5, 3.0):
        stress = np.minimum(E * 6 * times * first / h**2 * z, fy)
        want = 3 * 2 / h * 2 * np.trapezoid(stress * width * z, z)
        force = sum(min(e.k * times * first, e.yield_force) for e in springs)
        assert force == pytest.approx(want, rel=1e-2)


def test_building_that_yields_against_an_integration_of_its_own():
    """Two storeys under a pulse: central differences of small steps with return mapping of every fibre."""
    E, fy, h, m = 2.1e11, 355e6, 3.6, 1e5
    k = 3 * 12 * E * INERTIA / h**3 * 0.5
    record = pulse(9.0)
    building = shear_building([m, m], [k, k], record, heights=h, damping=0.02)
    first = yielding_columns(building, "HEB400", 3, Steel("hard", E, fy, 0.02))
    run = hn.simulate(building.model, end=3.0, dt=0.02, integrator="RADAU5", error=1e-6)
    found = building.results(run)

    y, area = fibres("HEB400")
    share = area * y**2 / INERTIA
    slopes = k * share  # of each fibre of a storey, alike in both
    limit = slopes[:, None] * first * (DEPTH / 2) / y[:, None]
    hard = 0.02
    step, plastic, u, v = 1e-4, np.zeros((len(y), 2)), np.zeros(2), np.zeros(2)
    kept, drift_of = [], lambda u: np.array([u[0], u[1] - u[0]])
    for n in range(30001):
        if n % 200 == 0:
            kept.append(u.copy())
        d = drift_of(u)
        H = hard / (1 - hard) * slopes[:, None]
        trial = slopes[:, None] * (d - plastic) - H * plastic
        over = np.maximum(np.abs(trial) - limit, 0.0)
        plastic += np.sign(trial) * over / (slopes[:, None] + H)
        V = (slopes[:, None] * (d - plastic)).sum(axis=0)
        ground = np.interp(n * step, record.time, record.acceleration)
        a = np.array([V[1] - V[0], -V[1]]) / m - building.C @ v / m - ground
        v = v + step * a
        u = u + step * v
    kept = np.array(kept)
    peak = np.abs(found["drift"]).max(axis=0)
    assert peak[0] > 2.5 * first[0]  # far beyond yield
    assert np.abs(found["displacement"] - kept).max() < 0.02 * np.abs(kept).max()
    # what came in is lost by damping, in columns, or moves
    u, v = found["displacement"], np.gradient(found["displacement"], np.asarray(run.time), axis=0)
    kinetic = 0.5 * m * (v[-1] ** 2).sum()
    elastic = 0.5 * u[-1] @ building.K @ u[-1]
    spent = found["own_loss"][-1] + found["column_work"][-1].sum() + kinetic + elastic
    assert spent == pytest.approx(found["input"][-1], rel=2e-2)
    assert found["column_work"][-1].sum() > 0.3 * found["input"][-1]


def test_columns_that_do_not_yield_are_elastic():
    record = pulse(0.01)
    frame = lambda: steel_frame(3, 1, record).condensed()
    elastic, other = frame(), frame()
    first = yielding_columns(other, count=2)
    run, found = (hn.simulate(b.model, end=2.0, dt=0.02, integrator="RADAU5", error=1e-7) for b in (elastic, other))
    want, got = elastic.results(run), other.results(found)
    assert np.abs(want["drift"]).max() < 0.05 * first.min()
    for key in ("displacement", "shear"):
        assert np.abs(got[key] - want[key]).max() < 1e-4 * np.abs(want[key]).max()
    # stiffness of storeys: shear over drift of the mode
    w, shapes, _ = elastic.modes()
    shear = w[0] ** 2 * np.cumsum((elastic.masses * shapes[:, 0])[::-1])[::-1]
    assert storey_stiffness(elastic) == pytest.approx(shear / np.diff([0.0, *shapes[:, 0]]), rel=1e-9)


def test_bad_columns():
    building = lateral_building([1e5], [[1e7]])
    with pytest.raises(ModelError, match="section is 'HEB40'; did you mean 'HEB400'"):
        yielding_columns(building, "HEB40")
    with pytest.raises(ModelError, match="steel is 'S35'"):
        yielding_columns(building, steel="S35")
    with pytest.raises(ModelError, match="count is 0; give a whole number from 1 on"):
        yielding_columns(building, count=0)
    yielding_columns(building)
    with pytest.raises(ModelError, match="the columns of this building yield already"):
        yielding_columns(building)


def test_records_with_their_units(tmp_path):
    """Units that contain a slash are those of the record, not a path."""
    path = tmp_path / "pulse.csv"
    path.write_text("0,0\n0.01,1\n0.02,0\n")
    for unit, factor in (("m/s2", 1.0), ("cm/s2", 0.01), ("g", 9.80665)):
        (record,) = records_of([f"{path}:{unit}"], None)
        assert record.peak == pytest.approx(factor, rel=1e-12)
    with pytest.raises(ModelError, match="does not give its units"):
        records_of([str(path)], None)


@pytest.mark.slow
def test_command(tmp_path):
    """Columns that yield hold the base shear down under a strong pulse, and keep a drift."""
    path, page = tmp_path / "pulse.csv", tmp_path / "columns.png"
    path.write_text("\n".join(f"{t:.2f},{a:.9g}" for t, a in zip(pulse(1.0).time, pulse(9.0).acceleration)))
    words = ["structures", "columns", "--record", f"{path}:m/s2", "--dampers", "1,2,3", "--plot", str(page)]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0, told.output
    rows = [line.split() for line in told.output.splitlines() if line.strip().startswith(("elastic", "S355"))]
    assert len(rows) == 4 and page.stat().st_size > 30_000
    shear = [float(r[-4]) for r in rows]
    assert shear[1] < 0.9 * shear[0]

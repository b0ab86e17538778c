"""Coefficients of tyres from tables: what a fit is by its definition, with laws that are written out here."""

import numpy as np
import pytest

import holonom as hn
from _tyres import PASSENGER
from holonom.vehicle import TyreRig, fit_fiala, fit_pac2002
from holonom.vehicle.tyre_fit import CAMBER, COMBINED_X, COMBINED_Y, COMBINED_Z, LOAD, PURE_X, PURE_Y, PURE_Z

FORCES = ("F_x", "F_y", "M_z")
MM = hn.Model(units="mm").units


def grid(*axes):
    return [v.ravel() for v in np.meshgrid(*axes)]


# ---- Fiala -----------------------------------------------------------------------------------------------------------
LOADS, KAPPA, ALPHA = grid((2e3, 3.5e3, 6e3), np.linspace(-0.4, 0.4, 9), np.linspace(-0.22, 0.2, 8))
TYRE = {"cslip": 7e4, "calpha": 5e4, "umax": 0.95, "umin": 0.65, "width": 0.19}


def fiala(cslip, calpha, umax, umin, width):
    """E. Fiala, VDI-Zeitschrift 96 (1954) 973-979, as Adams/Tire has it; forward."""
    k, a = np.abs(KAPPA), np.abs(np.tan(ALPHA))
    grip = (umax - (umax - umin) * np.minimum(np.hypot(k, a), 1.0)) * LOADS
    with np.errstate(divide="ignore"):
        fx = np.where(k < grip / (2 * cslip), cslip * k, grip - grip**2 / (4 * cslip * k))
    H = np.maximum(1.0 - calpha * a / (3 * grip), 0.0)
    return {
        "F_x": np.sign(KAPPA) * fx,
        "F_y": -np.sign(ALPHA) * grip * (1 - H**3),
        "M_z": np.sign(ALPHA) * grip * width * (1 - H) * H**3,
    }


def table_of(forces):
    return {"load": LOADS, "kappa": KAPPA, "alpha": ALPHA, **forces}


@pytest.mark.parametrize(("units", "length"), [(None, 1.0), (MM, 1e3)], ids=["SI", "mm"])
@pytest.mark.parametrize("given", [FORCES, FORCES[:2]], ids=["all", "without M_z"])
def test_fiala_returns_from_its_own_table(units, length, given):
    forces = fiala(**{**TYRE, "width": TYRE["width"] * length})
    fit = fit_fiala(table_of({w: forces[w] for w in given}), radius=0.3 * length, stiffness=2e5 / length, units=units)
    want = {**TYRE, "width": TYRE["width"] * length}
    if "M_z" not in given:  # the width acts on the moment alone
        del want["width"]
    assert {w: fit.arguments[w] for w in want} == pytest.approx(want, rel=1e-5)
    assert fit.arguments["radius"] == 0.3 * length and fit.arguments["stiffness"] == 2e5 / length
    assert set(fit.errors) == set(fit.fitted) == set(given) and max(fit.errors.values()) < 1e-6
    assert fit.coefficients == {}
    for word in given:
        assert fit.fitted[word] == pytest.approx(forces[word], rel=1e-5, abs=1e-5 * np.abs(forces[word]).max())


def test_fiala_of_a_table_with_errors_is_the_least_sum_of_squares():
    """Each force relative to its largest value: no argument can move without a larger sum."""
    exact, noise = fiala(**TYRE), np.random.default_rng(5)
    size = {"F_x": 300.0, "F_y": 100.0, "M_z": 60.0}
    have = {w: v + size[w] * noise.normal(size=v.shape) for w, v in exact.items()}
    fit = fit_fiala(table_of(have), radius=0.3, stiffness=2e5)
    found = {w: fit.arguments[w] for w in TYRE}

    def total(**words):
        return sum(np.sum(((v - have[w]) / np.abs(have[w]).max()) ** 2) for w, v in fiala(**words).items())

    least, curvature = total(**found), {}
    for word, value in found.items():
        h = 0.02 * value
        low, high = (total(**{**found, word: value + s * h}) for s in (-1.0, 1.0))
        curvature[word] = low + high - 2.0 * least
        assert curvature[word] > 0.0
        assert abs(low - high) / (2.0 * curvature[word]) * h < 4e-3 * value, word  # where the parabola has its least
    left = {w: np.sqrt(np.mean((v - have[w]) ** 2) / np.mean(have[w] ** 2)) for w, v in fiala(**found).items()}
    assert fit.errors == pytest.approx(left, rel=1e-9)


def test_friction_of_fiala_does_not_rise_with_slip():
    fit = fit_fiala(table_of(fiala(**{**TYRE, "umax": 0.7, "umin": 0.95})), radius=0.3, stiffness=2e5)
    assert fit.arguments["umin"] == fit.arguments["umax"] and 0.7 < fit.arguments["umax"] < 0.95


# ---- PAC2002 ---------------------------------------------------------------------------------------------------------
FITTED = (PURE_X, PURE_Y, PURE_Z, COMBINED_X, COMBINED_Y, COMBINED_Z)
#: of a tyre all of whose coefficients are fitted; it has no F_x without slip, whose moment about z (SSZ1) the stage of
#: M_z does not have
WHOLE = {
    **{w: v for w, v in PASSENGER.items() if any(w in names for names in FITTED)},
    **{"UNLOADED_RADIUS": 0.31, "VERTICAL_STIFFNESS": 2e5, "FNOMIN": 4000.0, "VXLOW": 1.0, "LONGVL": 16.7},
    **{"PEY3": 0.1, "PHY1": 0.002, "PVY1": 0.01, "QDZ2": -0.005, "RHX1": 0.002},
}


def rig_of(coefficients):
    m = hn.Model("tyre")
    return TyreRig(m.tyre_pac2002(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), coefficients))


def measured(*tables, coefficients=WHOLE, forces=FORCES):
    """Tables of (load, kappa, alpha, gamma) of a tyre, without errors."""
    at = [np.concatenate(v) for v in zip(*(grid(*t) for t in tables))]
    f = rig_of(coefficients).forces(*at)
    return {**dict(zip(("load", "kappa", "alpha", "gamma"), at)), **{w: f[w] for w in forces}}


SLIPS = np.linspace(-0.3, 0.3, 15)


def test_pac2002_returns_from_its_own_table():
    """A table without errors of a tyre all of whose coefficients are fitted: each stage finds its own, and what is left
    is what its search leaves; elsewhere the fit is the tyre."""
    loads = (2000.0, 4000.0, 6000.0)
    table = measured(
        (loads, [0.0], np.radians(np.linspace(-12, 12, 17)), np.radians([-3, 0, 3.0])),
        (loads, np.linspace(-0.3, 0.3, 21), [0.0], [0.0]),
        (loads, np.linspace(-0.3, 0.3, 9), np.radians([-5, -2, 2, 5.0]), [0.0]),
    )
    fit = fit_pac2002(table, radius=0.31, stiffness=2e5, load=4000.0)
    assert fit.arguments == {"mode": 4} and set(fit.errors) == set(FORCES)
    assert max(fit.errors.values()) < 1e-4
    at = {"kappa": [0.05, -0.1, 0.02], "alpha": [0.03, 0.06, -0.08], "gamma": [0.0, 0.0, 0.0]}
    want, found = (rig_of(c).forces([3000.0, 5000.0, 4500.0], **at) for c in (WHOLE, fit.coefficients))
    for word in FORCES:
        assert found[word] == pytest.approx(want[word], rel=5e-3, abs=1e-3 * np.abs(want[word]).max()), word


@pytest.mark.parametrize(("spread", "fitted"), [(0.048, False), (0.052, True)])
def test_coefficients_of_the_load_need_loads(spread, fitted):
    """Loads within 5 % of their mean are one load."""
    loads = 4000.0 * np.array([1.0 - 0.5 * spread, 1.0 + 0.5 * spread])
    fit = fit_pac2002(measured((loads, SLIPS, [0.0], [0.0]), forces=FORCES[:1]), radius=0.31, stiffness=2e5)
    names = [w for w in PURE_X if w in LOAD]
    assert all((fit.coefficients.get(w, 0.0) != 0.0) == fitted for w in names)
    assert fit.coefficients["FNOMIN"] == pytest.approx(np.median(loads)) and fit.errors["F_x"] < (
        1e-6 if fitted else 1e-2
    )


@pytest.mark.parametrize("camber", [0.0, 0.05])
def test_coefficients_of_camber_need_camber(camber):
    table = measured(
        ([3000.0, 5000.0], [0.0], np.linspace(-0.2, 0.2, 15), [camber, 0.0][: 1 + (camber > 0.0)]), forces=FORCES[1:2]
    )
    fit = fit_pac2002(table, radius=0.31, stiffness=2e5)
    names = [w for w in PURE_Y if w in CAMBER]
    assert all((fit.coefficients.get(w, 0.0) != 0.0) == (camber > 0.0) for w in names)


@pytest.mark.parametrize("count", [10, 11])
def test_factors_of_combined_slip_need_more_than_ten_rows(count):
    table = measured(([3000.0, 5000.0], SLIPS, [0.0], [0.0]), forces=FORCES[:1])
    extra = measured(([4000.0], np.linspace(0.03, 0.3, count), [0.1], [0.0]), forces=FORCES[:1])
    table = {w: np.concatenate([v, extra[w]]) for w, v in table.items()}
    fit = fit_pac2002(table, radius=0.31, stiffness=2e5, load=4000.0)
    assert fit.arguments == {"mode": 4 if count > 10 else 3}
    assert (fit.errors["F_x"] < 0.01) == (count > 10)


def test_a_fit_keeps_what_it_starts_with_and_has_the_units_of_its_model():
    """Coefficients that are not fitted are those of the start; speeds in mm/s."""
    table = measured(([3000.0, 4000.0, 5000.0], SLIPS, [0.0], [0.0]), forces=FORCES[:1])
    si = fit_pac2002(table, radius=0.31, stiffness=2e5, load=4000.0, start={"QSY1": 0.013, "PKX1": 19.0})
    assert si.coefficients["QSY1"] == 0.013 and (si.coefficients["VXLOW"], si.coefficients["LONGVL"]) == (1.0, 16.7)
    mm = fit_pac2002(table, radius=310.0, stiffness=200.0, load=4000.0, units=MM)
    assert (mm.coefficients["VXLOW"], mm.coefficients["LONGVL"]) == pytest.approx((1e3, 16.7e3), rel=1e-12)
    assert (mm.coefficients["UNLOADED_RADIUS"], mm.coefficients["VERTICAL_STIFFNESS"]) == (310.0, 200.0)
    for word in PURE_X:
        assert mm.coefficients[word] == pytest.approx(si.coefficients[word], rel=1e-4, abs=1e-5), word

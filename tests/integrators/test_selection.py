"""Names, abbreviations, values and defaults of the choice of an integrator and its options."""

from types import SimpleNamespace

import numpy as np
import pytest
from _machines import unit_bodies

import holonom as hn
from holonom.formats import parse_acf, parse_adm, write_acf, write_adm
from holonom.integrators import INTEGRATORS, Options, selection
from holonom.integrators.selection import METHODS, choose, option_name, resolve
from holonom.integrators.stepper import Scales
from holonom.model import Model, ModelError
from holonom.model.settings import IntegratorSettings

NONE = IntegratorSettings()


def test_every_integrator_that_is_registered_is_described():
    assert set(INTEGRATORS) <= set(METHODS)


@pytest.mark.parametrize(
    ("name", "kind", "formulation"),
    [
        ("gstiff", "GSTIFF", None),
        ("GS", "GSTIFF", None),
        ("SI2_GSTIFF", "GSTIFF", "SI2"),
        ("gstiff-si2", "GSTIFF", "SI2"),
        ("hht", "HHT", None),
        ("Hilber Hughes Taylor", "HHT", None),
        ("gen", "GENERALIZED_ALPHA", None),
        ("dop8", "DOP853", None),
    ],
)
def test_names(name, kind, formulation):
    assert resolve(name) == (kind, formulation)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("GSTUFF", "did you mean GSTIFF"),
        ("xyzzy", "choose one of GSTIFF"),
        ("DOP", "abbreviates DOP853, DOPRI5; write more letters"),
        ("", "choose one of"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(ModelError, match=message):
        resolve(name)


def test_option_names():
    assert (
        option_name("ERR") == "error" and option_name("interp") == "interpolate" and option_name("max-order") == "kmax"
    )
    assert option_name("HINIT") == "hinit" and option_name("pat") == "pattern" and option_name("atol") == "absolute"
    with pytest.raises(ModelError, match="abbreviates"):
        option_name("hm")
    with pytest.raises(ModelError, match="did you mean error"):
        option_name("eror")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"error": 0}, "ERROR = 0 is impossible; it must be a finite number, greater than 0"),
        ({"error": float("nan")}, "ERROR = nan is impossible"),
        ({"error": 1e-17}, "roundoff of double precision leaves nothing below"),
        ({"error": "small"}, "ERROR = 'small' is not a number"),
        ({"hmax": 0.0}, "HMAX = 0.0 is impossible"),
        ({"hmin": 0.1, "hmax": 0.01}, "HMIN = 0.1 is greater than HMAX = 0.01"),
        ({"step": 0}, "STEP = 0 is impossible"),
        ({"fixed": True}, "a fixed step needs its size"),
        ({"kmax": 0}, "KMAX = 0 is impossible"),
        ({"kmax": 2.5}, "KMAX = 2.5 must be a whole number"),
        ({"maxit": 0}, "MAXIT = 0 is impossible"),
        ({"corrector": "new"}, "CORRECTOR = new is not one of original, modified"),
        ({"pattern": "F:F"}, "PATTERN without a T"),
        ({"pattern": "T:X"}, "PATTERN = T:X is not a list of T and F"),
        ({"jacobian": "never"}, "JACOBIAN = never is not one of step, modified"),
        ({"absolute": {"length": 1.0}}, "'length' is not a class of variables"),
        ({"scale": (1, 1, 1, 1, 1, 1)}, "SCALE takes 1 to 5 numbers"),
        ({"adaptivity": -1}, "ADAPTIVITY = -1 is impossible"),
        (
            {"integrator": "HHT", "alpha": -0.5},
            "ALPHA = -0.5 is impossible; it must be a finite number, -0.333333 or more and at most",
        ),
        ({"integrator": "GSTIFF", "rho": 0.5}, "RHO belongs to GENERALIZED_ALPHA, not to GSTIFF"),
        (
            {"integrator": "DOP853", "formulation": "SI2"},
            "DOP853 has no formulation SI2; choose one of INDEX1, MINIMAL",
        ),
        ({"integrator": "HHT", "formulation": "SI1"}, "HHT has no formulation SI1; choose one of I3, SI2"),
        ({"formulation": "SI7"}, "FORMULATION = SI7 is not one of I3, SI2, SI1, INDEX1, MINIMAL"),
        ({"err": 1e-3, "error": 1e-4}, "given twice"),
        ({"speed": 3}, "unknown option 'speed'"),
    ],
)
def test_impossible_values(options, message):
    integrator = options.pop("integrator", None)
    with pytest.raises(ModelError, match=message):
        choose(NONE, integrator, options)


def test_defaults_and_reasons():
    free = choose(NONE, None, {})
    assert (free.kind, free.free, free.options.error) == ("DOP853", True, 1e-6) and "until stability" in free.reason
    assert not choose(NONE, None, {"switching": False}).free
    assert choose(NONE, None, {"formulation": "SI2"}).kind == "GSTIFF"
    assert choose(NONE, None, {"formulation": "minimal"}).kind == "DOP853"
    assert choose(NONE, None, {"rho": 0.7}).kind == "GENERALIZED_ALPHA"
    lagged = choose(NONE, None, {}, lagged=True)
    assert lagged.kind == "RADAU5" and "depend on reactions" in lagged.reason
    assert choose(NONE, "HHT", {}).options.error == 1e-5 and choose(NONE, "HHT", {"units": "off"}).reason == "as asked"
    stiff = IntegratorSettings(kind="GSTIFF", formulation="SI2", error=1e-3, kmax=3, alpha=-0.1)
    with pytest.raises(ModelError, match="ALPHA belongs to HHT"):
        choose(stiff, None, {})
    stiff.alpha = None
    own = choose(stiff, None, {})
    assert (own.kind, own.options.formulation, own.options.kmax, own.free) == ("GSTIFF", "SI2", 3, False)
    other = choose(stiff, "DOP853", {})  # what belongs to the dataset's method goes, its error stays
    assert (other.options.formulation, other.options.kmax, other.options.error) == (None, None, 1e-3)
    loud = choose(IntegratorSettings(kind="GSTIFF", error=1.0, kmax=9, extra=(("FIXIT", "2"),)), None, {})
    assert loud.options.error == 0.1 and loud.options.kmax == 6
    assert [n.split(" ")[0] for n in loud.notes] == ["INTEGRATOR:", "ERROR", "KMAX"]


def test_errors_by_class_of_variable():
    o = choose(
        NONE,
        None,
        {"error": {"positions": 1e-8, "velocities": 1e-6}, "absolute": {"rot": 1e-3}, "scale": {"states": 10}},
    ).options
    assert (
        o.error == 1e-8
        and o.scale == pytest.approx((1, 1, 100, 1, 10))
        and o.absolute == (None, 1e-3, None, None, None)
    )
    assert choose(NONE, None, {"pattern": "T:F:F"}).options.jacobian == (True, False, False)
    assert choose(NONE, "GSTIFF", {"hmin": 1e-3, "hmax": 1e-3}).options.fixed
    step = choose(NONE, "GSTIFF", {"step": 1e-3}).options
    assert step.fixed and step.hmax == step.hmin == 1e-3


class _Drop:
    """What `Scales` requires of a system: one falling body, two states."""

    nb, nx, frame_list, gyration = 1, 2, (), 1.0
    workspace = SimpleNamespace(drawn_places=None)

    bodies = unit_bodies(1)


def test_weights_follow_relative_and_absolute_errors():
    y = np.zeros(13 * 2 + 2)
    y[:3], y[3], y[7:10], y[-2:] = (2.0, 0, 0), 1.0, (0, 3.0, 0), (50.0, 0.0)
    w = np.zeros_like(y)
    o = Options(error=1e-4, scale=(1, 1, 10, 1, 1), absolute=(1e-3, None, 1e-2, None, 1e-5))
    Scales(_Drop, y, 1.0, o).weights(y, o.error, w)
    assert 1 / w[0] == pytest.approx(1e-4 * 2.0 + 1e-3)  # relative part plus absolute
    assert 1 / w[7] == pytest.approx(1e-3 * 3.0 + 1e-2)
    assert 1 / w[-2:] == pytest.approx([1e-4 * 50 + 1e-5, 1e-5])
    assert 2 / w[3] == pytest.approx(1e-4)
    assert (w[13:26] == 0).all()


ADM = """x
PART/1, GROUND
INTEGRATOR/GSTIFF, SI2, ERR=1E-5, HMAX=0.01, CORRECTOR=MODIFIED, INTERP=ON, ADAPT=1E-9, PATTERN=T:F:F, KMAX=3,
, SCALE=1,1,10, ABSOLUTE=1E-6, FIXIT=3
END
"""


def test_dataset_statement_and_its_way_back():
    model = parse_adm(ADM, "x.adm")
    s = model.integrator
    assert (s.kind, s.formulation, s.error, s.corrector, s.pattern) == (
        "GSTIFF",
        "SI2",
        1e-5,
        "MODIFIED",
        (True, False, False),
    )
    assert s.scale == (1, 1, 10) and s.absolute == (1e-6,) and s.extra == (("FIXIT", "3"),)
    assert parse_adm(write_adm(model), "y.adm").integrator == s
    assert Model.from_dict(model.to_dict()).integrator == s
    o = choose(s, None, {}).options
    assert o.scale == (1, 1, 10, 1, 1) and o.absolute == (1e-6, None, None, None, None) and o.adaptivity == 1e-9
    assert o.corrector == "modified" and o.jacobian == (True, False, False)
    for text, message in (
        ("INTEGRATOR/GSTUFF", "did you mean GSTIFF"),
        ("INTEGRATOR/HHT, EROR=1", "did you mean ERROR"),
        ("INTEGRATOR/HHT, ERROR=tiny", "'tiny' is not a number"),
        ("EQUILIBRIUM/TLIMT=3", "did you mean TLIMIT"),
    ):
        with pytest.raises(ModelError, match=message):
            parse_adm(f"x\nPART/1, GROUND\n{text}\nEND\n", "x.adm")


def test_command_and_default():
    script = parse_acf("INT/HHT, ALPHA=-0.1, ERR=1E-6\nINT/DEFAULT, KMAX=2\n")
    assert script.commands[0].fields == {"kind": "HHT", "alpha": -0.1, "error": 1e-6}
    assert parse_acf(write_acf(script)).commands == script.commands
    from holonom.model.commands import apply

    model = Model()
    apply(script.commands[0], model)
    assert model.integrator.alpha == -0.1
    apply(script.commands[1], model)
    assert model.integrator == IntegratorSettings(kmax=2)


def test_interpolation_off_ends_steps_at_outputs():
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    m.part("stone", 1.0, (1, 1, 1))
    on, off = (hn.simulate(m, end=1.0, steps=7, integrator="DOP853", interpolate=flag) for flag in (True, False))
    assert set(np.round(off.time, 12)) <= set(np.round(off.history["time"], 12)) | {0.0}
    assert len(on.history) < 7 <= len(off.history)
    np.testing.assert_allclose(on.part("stone").position.values, off.part("stone").position.values, atol=1e-9)
    with pytest.raises(ModelError, match="the end time must be a finite number"):
        hn.simulate(m, end=float("inf"))
    assert isinstance(selection.METHODS["DOP853"].words, str)


def test_the_guide_names_everything():
    from pathlib import Path

    guide = (Path(__file__).resolve().parents[2] / "docs" / "integrators.md").read_text(encoding="utf-8")
    for name in (*METHODS, *selection.OPTIONS, *selection.PARAMETERS):
        assert f"`{name}`" in guide, name


def test_errors_of_named_methods_are_in_model_units():
    """Where somebody names a method of Adams' or its family; not for our default, nor for methods that Adams does not
    have."""
    on = lambda *a: (choose(*a).options.units, choose(*a).options.interpolate)
    assert on(NONE, "GSTIFF", {}) == on(NONE, "hht", {}) == on(NONE, None, {"formulation": "SI2"}) == (True, False)
    assert on(IntegratorSettings(kind="WSTIFF"), None, {}) == (True, False)
    assert on(NONE, None, {}) == on(NONE, "RADAU5", {}) == on(NONE, None, {"formulation": "minimal"}) == (False, True)
    assert choose(NONE, None, {}, lagged=True).options.units is False  # nobody has named it
    assert on(NONE, "GSTIFF", {"units": "off", "interpolate": "on"}) == (False, True)
    assert "model units" in choose(NONE, "GSTIFF", {}).reason
    assert any("UNITS has no influence" in n for n in choose(NONE, "DOP853", {"units": True}).idle)

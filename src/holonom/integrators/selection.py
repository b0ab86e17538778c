"""Choice of an integrator and its options: names and abbreviations as in Adams, defaults that depend on the model, and
one clear sentence for what is unknown or impossible.

Options come from Python keywords, from the dataset's INTEGRATOR statement, from a command file and from the command
line; all pass through `choose`.  Names, ranges and meaning follow the Adams Solver manual (INTEGRATOR statement and
command) where it has them; RHO, GROUP, ABSOLUTE, JACOBIAN, STEP, SWITCHING, EVENTS and PLANAR are ours.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..contact.activation import ACTIVATIONS
from ..linalg.lu import POLICIES
from ..model import ModelError
from ..model.settings import IntegratorSettings
from .methods import ALIASES, BDF, FORMULATIONS, METHODS, NUMBERINGS, UNASKED, Method
from .stepper import CLASSES, Options

LEAST_ERROR = 1e-14  # roundoff of double precision leaves nothing below
MOST_ERROR = 0.1
PRECISE = 1e-6  # stiff models requested at least this accuracy go to RADAU5


#: options of all methods, by their Python names (Adams' in lower case)
OPTIONS = ("error", "absolute", "scale", "units", "hinit", "hmin", "hmax", "step", "fixed", "kmax", "maxit",
    "formulation", "corrector",
           "interpolate", "pattern", "jacobian", "adaptivity", "switching", "events", "planar", "newton",
           "contact_activation", "linear_solver", "coordinates")  # fmt: skip
PARAMETERS = tuple(dict.fromkeys(p for m in METHODS.values() for p in m.parameters))
_OTHER_NAMES = {"relative": "error", "rtol": "error", "tol": "error", "tolerance": "error", "atol": "absolute",
    "abs_error": "absolute",
                "h": "step", "max_order": "kmax", "max_step": "hmax", "min_step": "hmin",
                "first_step": "hinit"}  # fmt: skip


@dataclass
class Choice:
    """``kind``: the integrator; ``options``; ``reason``: why this one; ``free``: the code may change it when the motion
    requires another; ``events``: discontinuities are located; ``notes``: what was adjusted, for people; ``idle``: what
    was requested in the call and has no influence."""

    kind: str
    options: Options
    reason: str
    free: bool
    events: bool
    notes: list[str]
    idle: list[str] = dataclasses.field(default_factory=list)


# ---- names ----------------------------------------------------------------------------------------------------------
def suggestion(word: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, list(names), n=1, cutoff=0.5)
    return f"; did you mean {found[0]}?" if found else ""


def resolve(name: str) -> tuple[str, str | None]:
    """(integrator, formulation or None) for a name, an abbreviation, or both in one word as in ``GSTIFF_SI2``.  Raises
    ModelError with the choices."""
    from . import INTEGRATORS

    word = str(name).strip().upper().replace("-", "_").replace(" ", "_").replace("/", "_")
    key, formulation = word, None
    for f in FORMULATIONS:
        if word.endswith("_" + f) or word.startswith(f + "_"):
            key, formulation = word.replace("_" + f, "").replace(f + "_", ""), f
    if key in ALIASES:
        key, implied = ALIASES[key]
        formulation = formulation or implied
    if key not in METHODS:
        found = [n for n in METHODS if n.startswith(key)] if len(key) > 1 else []
        if len(found) > 1:
            raise ModelError(f"integrator '{name}' abbreviates {', '.join(found)}; write more letters")
        if not found:
            close = suggestion(word, [*METHODS, *ALIASES])
            choices = ", ".join(n for n in METHODS if n in INTEGRATORS)
            raise ModelError(
                f"unknown integrator '{name}'"
                + (f"{close} The choices are {choices}" if close else f"; choose one of {choices}")
            )
        key = found[0]
    if key not in INTEGRATORS:
        raise ModelError(
            f"integrator {key} is not in this version; choose one of "
            f"{', '.join(n for n in METHODS if n in INTEGRATORS)}"
        )
    return key, formulation


def option_name(word: str, also: tuple[str, ...] = ()) -> str:
    """Full name of an option; abbreviations that are unique and case do not matter.  Raises ModelError, which suggests
    names of ``also`` too."""
    key = word.lower().replace("-", "_")
    key = _OTHER_NAMES.get(key, key)
    names = (*OPTIONS, *PARAMETERS)
    if key in names:
        return key
    found = [n for n in names if n.startswith(key)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ModelError(f"option '{word}' abbreviates {', '.join(found)}; write more letters")
    if key in ("method", "solver"):
        raise ModelError(f"unknown option '{word}' of a simulation; did you mean integrator?")
    raise ModelError(
        f"unknown option '{word}' of a simulation"
        + (suggestion(key, (*also, *names)) or "; choose one of " + ", ".join(names))
    )


# ---- values ---------------------------------------------------------------------------------------------------------
def _number(name: str, value: Any, least: float = 0.0, strict: bool = True, most: float = math.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{name.upper()} = {value!r} is not a number") from None
    if not math.isfinite(number) or number < least or (strict and number == least) or number > most:
        bound = f"greater than {least:g}" if strict else f"{least:g} or more"
        upper = f" and at most {most:g}" if math.isfinite(most) else ""
        raise ModelError(f"{name.upper()} = {value} is impossible; it must be a finite number, {bound}{upper}")
    return number


def positive(name: str, value: Any) -> float:
    """A finite number greater than 0.  Raises ModelError that names it."""
    return _number(name, value)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    number = _number(name, value, least, False, most)
    if number != int(number):
        raise ModelError(f"{name.upper()} = {value} must be a whole number")
    return int(number)


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """The one of the choices that a text is or begins.  Raises ModelError that names them."""
    word = str(value).strip().upper().replace("-", "_")
    plain = [c.upper().replace("-", "_") for c in choices]
    found = [c for c, p in zip(choices, plain) if p == word] or [
        c for c, p in zip(choices, plain) if p.startswith(word)
    ]
    if len(found) != 1:
        raise ModelError(f"{name.upper()} = {value} is not one of {', '.join(choices)}{suggestion(word, choices)}")
    return found[0]


#: solver of the LSOLVER statement -> the policy of pivots that it stands for
LSOLVER = {"AUTO": "auto", "CALAHAN": "fixed", "HARWELL": "threshold", "UMF": "threshold"}


def _solver(value: Any) -> str:
    return LSOLVER.get(str(value).strip().upper()) or one_of("linear_solver", value, POLICIES)


def _truth(name: str, value: Any) -> bool:
    if isinstance(value, str):
        word = value.strip().upper()
        if word in ("ON", "TRUE", "YES", "T", "1"):
            return True
        if word in ("OFF", "FALSE", "NO", "F", "0"):
            return False
        raise ModelError(f"{name.upper()} = {value} is neither ON nor OFF")
    return bool(value)


def _classes(name: str, value: Any) -> dict[int, float]:
    """Numbers by class of variable: one for all, a sequence in the order of `CLASSES`, or a dict by name (or its
    beginning)."""
    if isinstance(value, dict):
        out = {}
        for key, number in value.items():
            found = [c for c, k in enumerate(CLASSES) if k.startswith(str(key).lower().replace(" ", "_"))]
            if len(found) != 1:
                raise ModelError(
                    f"{name.upper()}: '{key}' is not a class of variables; choose one of {', '.join(CLASSES)}"
                )
            out[found[0]] = _number(f"{name} of {CLASSES[found[0]]}", number)
        return out
    if isinstance(value, (list, tuple)):
        if not 1 <= len(value) <= len(CLASSES):
            raise ModelError(
                f"{name.upper()} takes 1 to {len(CLASSES)} numbers ({', '.join(CLASSES)}), not {len(value)}"
            )
        return {c: _number(f"{name} of {CLASSES[c]}", v) for c, v in enumerate(value) if v is not None}
    return dict.fromkeys(range(len(CLASSES)), _number(name, value))


def _pattern(value: Any) -> tuple[bool, ...]:
    if not isinstance(value, (str, list, tuple)):
        raise ModelError(f"PATTERN = {value!r} is not a list of T and F")
    words = value.replace(",", ":").split(":") if isinstance(value, str) else list(value)
    if not 1 <= len(words) <= 10:
        raise ModelError(f"PATTERN takes 1 to 10 values T or F, not {len(words)}")
    try:
        pattern = tuple(_truth("pattern", w) for w in words)
    except ModelError:
        raise ModelError(f"PATTERN = {value} is not a list of T and F; separate them by colons, as in T:F:F") from None
    if not any(pattern):
        raise ModelError("PATTERN without a T never makes a matrix; write at least one T")
    return pattern


def _show(value: Any) -> str:
    """A setting as it is in a dataset."""
    return (
        ":".join("T" if v else "F" for v in value)
        if isinstance(value, tuple)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


# ---- choice ---------------------------------------------------------------------------------------------------------
def stiff_method(error: float) -> tuple[str, str | None]:
    """(integrator, formulation) for a stiff model: RADAU5 when accuracy is requested, HHT when economy is, GSTIFF
    between."""
    from . import INTEGRATORS

    if error <= PRECISE * (1 + 1e-9) and "RADAU5" in INTEGRATORS:
        return "RADAU5", None
    return ("HHT", None) if error > 1e-4 else ("GSTIFF", "SI2")


def choose_for(model: Any, integrator: str | None, given: dict[str, Any], lagged: bool = False) -> Choice:
    """`choose` with the settings of a model; its LSOLVER statement counts where no ``linear_solver`` is given."""
    named = [n.upper() for n, text in model.preferences.get("LSOLVER", ()) if not text and n.upper() in LSOLVER]
    if named and not any(v is not None and option_name(k) == "linear_solver" for k, v in given.items()):
        given = {**given, "linear_solver": named[-1]}
    return choose(model.integrator, integrator, given, lagged)


def choose(settings: IntegratorSettings, integrator: str | None, given: dict[str, Any], lagged: bool = False) -> Choice:
    """The integrator and its options from the model's ``settings``, the ``integrator`` requested and further options.

    ``lagged``: forces depend on reactions or accelerations, mostly friction of joints, which sticks: an implicit method
    of high order follows it.
    Raises ModelError for what is unknown, impossible, or meant for another method.
    """
    asked = {option_name(k): v for k, v in given.items() if v is not None}
    if len(asked) < sum(v is not None for v in given.values()):
        raise ModelError(f"an option is given twice under two names: {', '.join(sorted(given))}")
    notes: list[str] = []
    kind, formulation = resolve(integrator) if integrator else (None, None)
    from_settings = {f.name: getattr(settings, f.name) for f in dataclasses.fields(settings)}
    own, own_formulation = resolve(settings.kind) if settings.kind else (None, None)
    if (
        kind is not None and own is not None and kind != own
    ):  # another method than the dataset's: what belongs to that one goes
        gone = {} if own_formulation is None else {"formulation": own_formulation}
        for name in (*PARAMETERS, "formulation", "kmax", "corrector", "adaptivity", "pattern", "jacobian"):
            value = from_settings.pop(name, None)
            if value is not None:
                gone[name] = value
        own_formulation = None
        if gone:
            notes.append(
                f"INTEGRATOR: {', '.join(f'{n.upper()} = {_show(v)}' for n, v in gone.items())} "
                f"belong{'s' if len(gone) == 1 else ''} to {own} and {'is' if len(gone) == 1 else 'are'} not used by "
                f"{kind}"
            )
    kind = kind or own
    formulation = formulation or own_formulation
    for name in [n for n, v in from_settings.items() if v is None or n in ("kind", "extra")]:
        from_settings.pop(name)
    for name, text in settings.extra:
        notes.append(f"INTEGRATOR: {name}{' = ' + text if text else ''} has no influence here and is ignored")
    values = {**from_settings, **asked}
    if "formulation" in values:
        formulation = one_of("formulation", values.pop("formulation"), FORMULATIONS)
    free, reason = False, "as asked"
    named = kind is not None or formulation is not None
    if kind is None:
        parameters = [p for p in values if p in PARAMETERS]
        if formulation:
            kind, reason = "GSTIFF" if formulation in BDF else "DOP853", "the formulation requires it"
        elif parameters:
            kind = next(
                k for k, m in METHODS.items() if set(parameters) <= set(m.parameters) or parameters[0] in m.parameters
            )
            kind, reason = resolve(kind)[0], f"{parameters[0].upper()} requires it"
        elif lagged:
            kind, formulation, reason = "RADAU5", None, "forces depend on reactions or accelerations"
        else:
            kind, free, reason = "DOP853", True, "default until stability limits the step"
    method = METHODS[kind]
    if formulation and formulation not in method.formulations:
        raise ModelError(f"{kind} has no formulation {formulation}; choose one of {', '.join(method.formulations)}")
    extra = _parameters(kind, method, values)
    named = named and "I3" in method.formulations  # a method of Adams', or next to one
    opts = _common(kind, method, values, notes, named)
    if opts.units:
        reason += ", body by body in model units"
    opts.formulation = formulation
    opts.alpha = extra.pop("alpha", None)
    # in a plane the multipliers across it are no unknowns: SI1, which controls all of them, is solved in space
    opts.extra = extra | {"planar": _truth("planar", values.get("planar", formulation != "SI1"))}
    if "contact_activation" in values:
        opts.extra["contact_activation"] = one_of("contact_activation", values["contact_activation"], ACTIVATIONS)
    if "linear_solver" in values:
        opts.extra["linear_solver"] = _solver(values["linear_solver"])
    numbering = one_of("coordinates", values["coordinates"], NUMBERINGS) if "coordinates" in values else UNASKED
    if numbering == UNASKED:
        if method.joint_coordinates and not method.stiff and formulation is None:
            opts.extra["coordinates"] = numbering
    elif numbering != NUMBERINGS[0]:
        if formulation in _BODY_FORMULATIONS or (formulation and method.joint_home is not None):
            raise ModelError(
                f"formulation {formulation} is of maximal coordinates, which coordinates = {numbering} "
                "replaces; leave one of both out"
            )
        if method.joint_coordinates:
            opts.extra["coordinates"] = numbering
        else:
            able = ", ".join(k for k, m in METHODS.items() if m.joint_coordinates)
            notes.append(f"maximal coordinates: {kind} does not integrate joint coordinates, {able} do")
    free = free and _truth("switching", values.get("switching", True)) and not opts.fixed
    if opts.fixed and reason.startswith("default"):
        reason = "default"  # at a fixed step nothing changes it
    if opts.fixed and method.error is not None and "error" in asked and not method.stiff:
        notes.append(f"ERROR = {opts.error:g} has no influence at a fixed step of {opts.hmax:g} and is ignored")
    idle: list[str] = []
    for name in () if free else _without_effect(method):
        if name in values:
            (idle if name in asked else notes).append(f"{name.upper()} has no influence on {kind} and is ignored")
    return Choice(kind, opts, reason, free, _truth("events", values.get("events", not opts.fixed)), notes, idle)


_BODY_FORMULATIONS = ("INDEX1", "MINIMAL")


def _without_effect(method: Method) -> tuple[str, ...]:
    """Options of the front that a method does not require."""
    idle: tuple[str, ...] = () if method.multistep else ("kmax",)
    if "I3" not in method.formulations:
        idle += ("units",)
    if not method.stiff:
        idle += ("maxit", "corrector", "pattern", "jacobian", "adaptivity", "newton", "linear_solver")
    elif method.one_corrector:
        idle += ("corrector",)
    return idle + ("error",) * (method.error is None)


def _parameters(kind: str, method: Method, values: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in [n for n in values if n in PARAMETERS]:
        value = values[name]
        if name not in method.parameters:
            owners = ", ".join(k for k, m in METHODS.items() if name in m.parameters)
            raise ModelError(f"{name.upper()} belongs to {owners}, not to {kind}; leave it out")
        low, *_, high = limits = method.parameters[name]
        out[name] = (
            one_of(name, value, limits)
            if isinstance(low, str)
            else _number(name, value, low - 1e-12, False, high + 1e-12)
        )
    return out


def _common(kind: str, method: Method, values: dict[str, Any], notes: list[str], named: bool = False) -> Options:
    get = values.get
    relative = _classes("error", values["error"]) if "error" in values else {}
    error = min(relative.values()) if relative else (method.error or 1e-3)
    scale = [1.0] * len(CLASSES)
    for c, r in relative.items():
        scale[c] = r / error
    if error < LEAST_ERROR:
        raise ModelError(
            f"ERROR = {error:g} is impossible: roundoff of double precision leaves nothing below {LEAST_ERROR:g}; "
            f"request "
            "1e-12 or more"
        )
    if error > MOST_ERROR:
        notes.append(f"ERROR = {error:g} is not a bound on a relative error; {MOST_ERROR:g} is used")
        error = MOST_ERROR
    if "scale" in values:
        for c, f in _classes("scale", values["scale"]).items():
            scale[c] *= f
    absolute: list[float | None] = [None] * len(CLASSES)
    if "absolute" in values:
        for c, a in _classes("absolute", values["absolute"]).items():
            absolute[c] = a
    size = lambda name: _number(name, values[name]) if name in values else None
    step, hinit, hmin, hmax = (size(n) for n in ("step", "hinit", "hmin", "hmax"))
    fixed = _truth("fixed", get("fixed", False)) or step is not None or (hmin is not None and hmin == hmax)
    if step is not None:
        if hmax is not None and hmax != step:
            raise ModelError(f"STEP = {step:g} is a fixed step; leave HMAX = {hmax:g} out")
        hmin = hmax = step
    if fixed and hmax is None:
        raise ModelError("a fixed step needs its size; give STEP, or HMAX")
    if method.error is None:
        hmax = hmax or hinit
        if hmax is None:
            raise ModelError(f"{kind} takes steps of one size; give it as STEP, or HMAX")
        fixed = True
    if hmin is not None and hmax is not None and hmin > hmax:
        raise ModelError(f"HMIN = {hmin:g} is greater than HMAX = {hmax:g}; exchange them")
    if hinit is not None and hmax is not None and hinit > hmax:
        hinit = hmax
    kmax = _whole("kmax", values["kmax"], 1, 12) if "kmax" in values else None
    if kmax is not None and kmax > method.order:
        notes.append(f"KMAX = {kmax}: the highest order of {kind} is {method.order}")
        kmax = method.order
    jacobian: str | tuple[bool, ...] | None = None
    if "pattern" in values:
        jacobian = _pattern(values["pattern"])
    if "jacobian" in values:
        word = values["jacobian"]
        jacobian = (
            _pattern(word)
            if isinstance(word, (list, tuple)) or (isinstance(word, str) and ":" in word)
            else one_of("jacobian", word, ("step", "modified"))
        )
    corrector = one_of("corrector", get("corrector", "original"), ("original", "modified", "orig_constant"))
    newton = size("newton")
    return Options(
        error=error,
        absolute=tuple(absolute),
        units=_truth("units", get("units", named)),
        scale=tuple(scale),
        hinit=hinit,
        hmin=hmin,
        hmax=hmax,
        kmax=kmax,
        maxit=_whole("maxit", values["maxit"], 1, 60) if "maxit" in values else None,
        corrector="modified" if corrector == "modified" else "original",
        interpolate=_truth("interpolate", get("interpolate", not named)),
        jacobian=jacobian,
        adaptivity=_number("adaptivity", get("adaptivity", 0.0), 0.0, False),
        fixed=fixed,
        newton=newton,
    )


def make(choice: Choice, system: Any) -> Any:
    """The stepper of a choice.  What the method itself finds wrong with its options comes as ModelError."""
    from . import make_integrator

    if system.contacts.on:
        system.contacts.arrange(choice.options.extra.get("contact_activation", ACTIVATIONS[0]))
    try:
        return make_integrator(choice.kind, system, choice.options)
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"{choice.kind}: {error}") from None

"""Checks of contacts: sizes, materials, geometry, parameters that act on nothing, and what looks wrong (`validate`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import implausible
from .base import ModelError
from .bounds import bounds
from .contact_pairs import kernel_module
from .contact_words import FRICTIONS, LAWS
from .forces import COULOMB_FRICTION, INITIAL
from .settings import IMPACT_LAWS
from .shape import kind_of, shape_of
from .shape_kinds import deferred
from .shape_kinds.meshes import mesh_path
from .touching import Touching

if TYPE_CHECKING:
    from .model import Model


MAX_EXPONENT = 10.0  # of a force law: nothing real is steeper


def contact_faults(model: Model, e: Any) -> Iterator[str]:
    """Numbers first, then geometry; what needs the shapes of pairs (a kernel for the two types) is for `cannot_run`."""
    rigid = vars(model).get("_rigid", False)
    yield from contact_slips(e, rigid)
    if not rigid:  # a constraint has no stiffness
        yield from _contact_lacks(e)
    yield from _contact_materials(model, e)
    yield from _contact_geometry(model, e)


def contact_slips(e: Any, rigid: bool = False) -> Iterator[str]:
    """What is wrong with a contact by itself, whatever it touches: its words, signs and sizes, and parameters that its
    law does not have; ``rigid``: the law does not act."""
    yield from _contact_words(e)
    yield from _contact_sizes(e)
    if not rigid:
        low, impact = e.exponent < 1, e.law_name == "IMPACT"
        if low or (impact and e.exponent > MAX_EXPONENT):
            bound = f"lie between 1 and {MAX_EXPONENT:g}" if impact else "be 1 or more"
            why = "below 1 the stiffness is infinite at first touch" if low else "nothing real is so steep"
            yield f"EXPONENT must {bound}, it is {e.exponent:g}: {why}"
        yield from _contact_parameters(e)


def _contact_words(e: Any) -> Iterator[str]:
    if e.model not in ("IMPACT", "POISSON", "USER"):
        yield f"unknown model '{e.model}'; choose IMPACT or POISSON, or give a law"
    elif e.law and e.law.upper() not in LAWS:
        yield f"there is no contact law '{e.law}'{_meant(e.law, LAWS)}; choose one of {', '.join(sorted(LAWS))}"
    if e.friction and e.friction.upper() not in (*FRICTIONS, "COULOMB", "USER"):
        yield (
            f"there is no friction model '{e.friction}'{_meant(e.friction, FRICTIONS)}; choose one of "
            f"{', '.join(sorted({'COULOMB', *FRICTIONS}))}"
        )
    if e.coulomb_friction not in COULOMB_FRICTION:
        yield f"COULOMB_FRICTION = {e.coulomb_friction} is not one of {', '.join(COULOMB_FRICTION)}"
    if e.initial not in INITIAL:
        yield f"initial = '{e.initial}' is not one of {', '.join(INITIAL)}"
    if e.impact_law and e.impact_law.upper() not in IMPACT_LAWS:
        yield f"impact_law = '{e.impact_law}' is not one of {', '.join(IMPACT_LAWS)}"


def _meant(word: str, names: Any) -> str:
    import difflib

    close = difflib.get_close_matches(word.upper(), [n.upper() for n in names], n=1)
    shown = {n.upper(): n for n in names}
    return f"; did you mean {shown[close[0]]}?" if close else ""


def _contact_sizes(e: Any) -> Iterator[str]:
    for name in (
        "stiffness",
        "damping",
        "dmax",
        "penalty",
        "mu_static",
        "mu_dynamic",
        "stiction_transition_velocity",
        "friction_transition_velocity",
        "max_stiction_deformation",
        "rolling_resistance",
        "spinning_resistance",
        "resistance_transition",
    ):
        if getattr(e, name) < 0:
            yield f"{name.upper()} must not be negative, it is {getattr(e, name):g}"
    for table in (e.parameters, e.friction_parameters):
        for name, value in table.items():
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                yield f"its parameter {name} is {value}; give a finite number"
    for value in (e.restitution, *(v for n, v in e.parameters.items() if n in ("restitution", "e"))):
        if not 0 <= value <= 1:
            yield f"RESTITUTION_COEFFICIENT must lie between 0 and 1, it is {value:g}"
    if not -1 <= e.tangential_restitution <= 1:
        yield f"tangential_restitution must lie between -1 and 1, it is {e.tangential_restitution:g}"
    low, high = e.stiction_transition_velocity, e.friction_transition_velocity
    if e.friction_name == "COULOMB" and high and low > high:
        yield (
            f"STICTION_TRANSITION_VELOCITY = {low:g} exceeds FRICTION_TRANSITION_VELOCITY = {high:g}; "
            "friction is static below the first and dynamic above the second"
        )


def _contact_lacks(e: Any) -> Iterator[str]:
    if e.law_name == "IMPACT" and e.stiffness == 0:
        yield (
            "IMPACT needs STIFFNESS, a positive number; rigid contact needs none: contact = 'events' or "
            "'time-stepping' in the call, or in model.rigid"
        )
    elif e.law_name == "POISSON" and e.penalty == 0:
        yield "POISSON needs PENALTY, a positive number"


def asked_by_law(e: Any) -> tuple[str, ...]:
    """Names of the numbers that the law of a contact reads; none of a law that does not exist."""
    law = LAWS.get(e.law_name)
    return law.parameters if law is not None else ()


def _contact_parameters(e: Any) -> Iterator[str]:
    """Names of ``parameters`` and ``friction_parameters`` that the law or friction model never reads."""
    friction = e.friction_name or "COULOMB"
    by_law, by_friction = LAWS.get(e.law_name), FRICTIONS.get(friction)
    known = {
        "parameters": by_law.parameters if by_law is not None else None,
        "friction_parameters": by_friction.parameters if by_friction is not None else None,
    }
    for table, other in (("parameters", "friction_parameters"), ("friction_parameters", "parameters")):
        names = known[table]
        for word in getattr(e, table) if names is not None else ():
            if names is not None and word not in names:
                mend = (
                    f"give it in {other}"
                    if word in (known[other] or ())
                    else f"{_meant(word, names).lstrip('; ') or 'remove it'}"
                )
                what = f"law {e.law_name}" if table == "parameters" else f"friction model {friction}"
                yield f"the {what} has no parameter '{word}'; {mend}"


def _contact_materials(model: Model, e: Any) -> Iterator[str]:
    if e.materials and len(e.materials) != 2:
        yield f"it needs a material for each of its two sides, it has {len(e.materials)}"
    for material in e.materials:
        if isinstance(material, int) and material not in model.table("MATERIAL"):
            yield f"there is no MATERIAL/{material}; correct the id or add the MATERIAL"


def _contact_geometry(model: Model, e: Any) -> Iterator[str]:
    table, broken = model.table("GRAPHICS"), False
    bulk = model.table("GRAINS")
    for side, ids, grains, flex in (("IGEOM", e.igeom, e.igrains, e.iflex), ("JGEOM", e.jgeom, e.jgrains, e.jflex)):
        if not ids and not grains and flex is None:
            yield f"it names no geometry for {side}; give ids of GRAPHICS"
            broken = True
        for number in grains:
            if number not in bulk or not bulk[number].active:
                what = (
                    "is not active; activate it or deactivate the contact"
                    if number in bulk
                    else "does not exist; correct the id or add it"
                )
                yield f"{side[0]}GRAINS = {number}: GRAINS/{number} {what}"
                broken = True
        for number in ids:
            if number not in table:
                yield f"{side} = {number}: there is no GRAPHICS/{number}; correct the id or add it"
                broken = True
            elif not table[number].active:
                yield f"{side} = {number}: {table[number].label} is not active; activate it or deactivate the contact"
                broken = True
            elif table[number].type.upper() not in deferred():
                try:
                    shape_of(model, table[number])
                except ModelError as error:
                    yield f"{side} = {number} is not a shape that can touch: {error}"
                    broken = True
    for pair in e.exclude:
        missing = [n for n in pair if n not in table]
        if missing:
            yield f"it excludes GRAPHICS/{missing[0]}, which does not exist; correct the id"
    if broken or not ((e.igeom or e.igrains) and (e.jgeom or e.jgrains)):
        return
    try:
        pairs = _touching(model).pairs(e)
    except ModelError as error:
        yield str(error)
        return
    if pairs.defined or e.igrains or e.jgrains:  # grains may come later
        return
    switched = Touching.switched(model)
    if switched is not None and switched.pairs(e).defined:  # it acts when joints are off
        return
    if pairs.same_part == pairs.total or not pairs.total:
        yield "its shapes all belong to one part and can never meet; give shapes of two parts"
    elif pairs.rigid:
        yield (
            "its shapes belong to parts that are fixed to each other and can never meet; remove it, or give "
            "joined=True if they are freed later"
        )
    elif pairs.joined:
        j = pairs.joints[0]
        yield (
            f"{j.label} connects its parts, so none of its pairs is checked; remove it, or give joined=True to "
            "have it all the same"
        )
    else:
        yield "it excludes all of its pairs; leave some, or remove it"


def _touching(model: Model) -> Any:
    """Rigid groups and joints of the model as it is now, once for all contacts of one check (`faults` keeps it
    meanwhile)."""
    return vars(model).get("_touching") or Touching(model)


def contact_missing(model: Model, e: Any) -> list[str]:
    """What a contact needs and this version or this folder does not have, one sentence each; empty when it can be
    computed."""
    out = []
    for side, flex in (("IFLEX", e.iflex), ("JFLEX", e.jflex)):
        if flex is not None:
            out.append(f"{side} = {flex}: contact with flexible bodies is not computed in this version")
    if e.law_name == "USER":
        name = e.normal_routine or "CNFSUB"
        out.append(
            f"its normal force is the user routine '{name}', which is not called in this version; give a law in "
            "its place"
        )
    if e.friction_name == "USER":
        name = e.friction_routine or "CFFSUB"
        out.append(
            f"its friction force is the user routine '{name}', which is not called in this version; give a friction "
            "model instead"
        )
    kinds: dict[int, str] = {}
    bulk = model.table("GRAINS")
    for number in (*e.igrains, *e.jgrains):
        if number in bulk:
            kinds[-number] = bulk[number].shape
    for number in (*e.igeom, *e.jgeom):
        graphic = model.table("GRAPHICS").get(number)
        if graphic is None:
            continue
        try:
            if graphic.type.upper() in deferred():
                mesh_path(model, graphic)
            kinds[number] = kind_of(model, graphic)
        except ModelError as error:
            out.append(str(error))
    if not out:
        sides: list[dict[str, set[int]]] = [{}, {}]
        for found, ids, grains in zip(sides, (e.igeom, e.jgeom), (e.igrains, e.jgrains)):
            for number in (*ids, *(-g for g in grains)):
                if number in kinds:
                    found.setdefault(kinds[number], set()).add(number)
        many = lambda ids: len(ids) > 1 or min(ids) < 0  # grains are several
        met = {(a, b) for a, i in sides[0].items() for b, j in sides[1].items() if many(i | j)}
        for a, b in sorted(met):
            if not kernel_module(a, b):
                out.append(
                    f"contact of {_word(a)} with {_word(b)} is not computed in this version; give a mesh or hull in "
                    "place of one of them"
                )
    return list(dict.fromkeys(out))


def _word(kind: str) -> str:
    word = kind.lower().replace("_", " ")
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


MANY_PAIRS = 10_000  # of shapes of one contact: beyond, they are not compared with those of others


FIELDS = ("stiffness", "damping", "dmax", "penalty", "restitution")  # numbers of a contact that laws read


SHALLOW = 1e-9  # a part that its own weight presses in by less than this of its size is as good as rigid


def _idle_numbers(e: Any) -> Iterator[str]:
    """Numbers of another law, which datasets may carry."""
    law = e.law_name
    words = LAWS.get(law)
    if words is None:
        return
    for name in FIELDS:
        word = "RESTITUTION_COEFFICIENT" if name == "restitution" else name.upper()
        if not e.law and getattr(e, name) and name not in words.parameters:
            yield f"{word} = {getattr(e, name):g} has no influence: {law} does not read it"
    if words.exponent is not None and e.exponent not in (
        1.0,
        1.5,
        words.exponent,
    ):  # 1 and 1.5: not given, in datasets and in Python
        yield f"EXPONENT = {e.exponent:g} has no influence: that of {law} is its own"


def _solids(model: Model, numbers: Any) -> list[Any]:
    """Shapes with these ids, without those that cannot be read or are read later."""
    out = []
    for number in numbers:
        graphic = model.table("GRAPHICS").get(number)
        if graphic is None or graphic.type.upper() in deferred():
            continue
        try:
            out.append(shape_of(model, graphic))
        except ModelError:
            continue
    return out


def _moving_mass(solid: Any) -> float:
    """Mass of the body of a shape; infinite for ground and where none is given."""
    mass = getattr(solid.body, "mass", None)
    return math.inf if not mass or getattr(solid.body, "ground", False) else mass


def _absurd(model: Model, e: Any) -> Iterator[str]:
    """Stiffness that its weight alone would press through a part, or that no number can follow: wrong units, mostly."""
    g = math.hypot(*model.gravity)
    law = LAWS.get(e.law_name)
    k = e.penalty if e.law_name == "POISSON" else e.stiffness
    n = law.exponent if law is not None and law.exponent is not None else e.exponent
    if not (k > 0.0 and g > 0.0 and n >= 1.0):
        return
    sides = [_solids(model, numbers[:20]) for numbers in (e.igeom, e.jgeom)]
    # between two moving bodies the lighter one may be what rests on the other
    lightest = min((max((_moving_mass(s) for s in side), default=math.inf) for side in sides), default=math.inf)
    for solid in (*sides[0], *sides[1]):
        mass = _moving_mass(solid)
        size = float(bounds(solid)[2])
        if not mass < math.inf or not 0.0 < size < math.inf:
            continue
        weight = model.units.mass_factor * g
        depth = (mass * weight / k) ** (1.0 / n)
        unit = model.units.symbol("length")
        if (min(mass, lightest) * weight / k) ** (1.0 / n) > size:
            yield (
                f"its stiffness {k:g} is implausible for {solid.body.label}: the weight of that part alone presses its "
                f"shape in by {depth:.3g} {unit}, "
                f"and its size is {size:.3g} {unit}; check the units"
            )
            return
        if depth < SHALLOW * size:
            yield (
                f"its stiffness {k:g} is implausible for {solid.body.label}: the weight of that part presses "
                f"its shape in "
                f"by {depth:.3g} {unit} only, "
                f"and its size is {size:.3g} {unit}; check the units"
            )
            return


def _twice(model: Model, contacts: list[Any]) -> list[str]:
    """Contacts that act on one pair of shapes: their forces add up."""
    first: dict[tuple[int, int], Any] = {}
    out = []
    for e in contacts:
        if len(e.igeom) * len(e.jgeom) > MANY_PAIRS:
            continue
        pairs = [(min(a, b), max(a, b)) for a in e.igeom for b in e.jgeom]
        again = next((p for p in pairs if p in first and first[p] is not e), None)
        if again is not None:
            a, b = (model.table("GRAPHICS")[n].label if n in model.table("GRAPHICS") else str(n) for n in again)
            out.append(
                f"{e.label}: {a} and {b} are also the pair of {first[again].label}, and both forces act; delete one"
            )
        first.update({p: e for p in pairs if p not in first})
    return out


def contact_doubts(model: Model, rigid: bool) -> list[str]:
    contacts = [e for e in model.table("CONTACT").values() if e.active]
    out = _twice(model, contacts)
    touching = _touching(model) if contacts else None
    for e in contacts:
        say = lambda text, e=e: out.append(f"{e.label}: {text}")
        for text in implausible.friction_coefficients(e.mu_static, e.mu_dynamic) if e.friction_name else ():
            say(text)
        for text in () if rigid else (*_idle_numbers(e), *_absurd(model, e)):
            say(text)
        if e.augmented_lagrangian:
            say("AUGMENTED_LAGRANGIAN_FORMULATION has no influence: the force is that of the law for the depth")
        for name, text in e.arguments:
            say(f"{name}{' = ' + text if text else ''} is kept, but has no influence")
        if e.igeom and e.jgeom and touching is not None:
            try:
                pairs = touching.pairs(e)
            except ModelError:
                continue
            if pairs.rigid or pairs.joined:
                names = ", ".join(f"{j.KIND}/{j.id}" for j in pairs.joints[:3]) or "FIXED joints"
                say(
                    f"{pairs.rigid + pairs.joined} of its {pairs.total} pairs are not checked, since {names} connect "
                    "their parts"
                )
            elif e.joined and all(
                touching.root(touching.body(a)) == touching.root(touching.body(b))
                for a in e.igeom[:50]
                for b in e.jgeom[:50]
            ):
                say("its parts are fixed to each other at present, so its force moves nothing")
    if contacts:
        for name, text in model.preferences.get("PREFERENCES", ()):
            word = name.upper()
            if word.startswith("CONTACT_GEOM"):
                known = text.upper().startswith(("PARASOLID", "DEFAULT", "RAPID"))
                why = "shapes are exact, or the meshes that are given" if known else "there is no such library"
                out.append(f"PREFERENCES: {word} = {text} has no influence: {why}")
    return out

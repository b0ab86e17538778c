"""Audits: energy and momentum balances of a run.

E = kinetic + gravity + elastic. In a conservative model E is constant; otherwise E(t) - E(0) = input - dissipated,
where input is the work of motions and applied forces and dissipated the work lost in dampers and friction, both since
the start.

Momentum p and angular momentum L (about the origin of ground) of all moving parts: p(t) - p(0) = impulse, the integral
of the external forces: gravity, forces of ground through contacts, joints and force elements, forces without reaction.
The balance of L is analogous.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model import Model
from ..model.base import kinds_of
from ..model.dummies import mass_of
from ._data import MOMENTA, Segment
from ._names import Named
from ._units import to_si
from .pages.notebook import of_audit
from .run import Run

IMPACT_GAIN = 1e-3  # of the largest swing of an energy: what impacts may give before they are said to create energy
LISTED = 50  # pairs of shapes in contact as constraints


@dataclass(frozen=True)
class SegmentAudit(Named):
    """Audit of one dynamic analysis, energies in J.

    ``time``, ``drift`` = E - E(start) and ``residual`` = drift - input + dissipated, all (n,); ``scale``: the largest
    range of a single energy or work, the reference for the residual; ``relative`` = max |residual| / scale.
    """

    segment: Segment
    time: np.ndarray
    drift: np.ndarray
    residual: np.ndarray
    scale: float
    works_recorded: bool

    @property
    def max_drift(self) -> float:
        return _largest(self.drift)

    @property
    def max_residual(self) -> float:
        return _largest(self.residual)

    @property
    def worst_time(self) -> float:
        """Time of the largest residual (NaN when nothing is recorded)."""
        return float("nan") if np.isnan(self.max_residual) else float(self.time[np.nanargmax(np.abs(self.residual))])

    @property
    def relative(self) -> float:
        return self.max_residual / self.scale if self.scale > 0 else (0.0 if self.max_residual == 0 else float("nan"))


@dataclass(frozen=True)
class PairAudit(Named):
    """Energy of one pair of shapes in contact, J: ``pair`` both shapes and their contact; ``taken``: work that it took
    from the bodies, ``given``: that it gave to them.

    In compliant contact, of one dynamic analysis, ``gained`` is the most that it had given beyond what it took since it
    began to touch, at ``time`` if that is more than errors of the integrator (else NaN). Of contacts as constraints
    these are the works of impulses: in events of those at impacts, in time-stepping of those of all steps, r . (v- +
    v+)/2. There a pair may give what others take in the same impact, so ``gained`` is the most that all pairs gave
    together whose bodies were struck with its own; in time-stepping, that all pairs of bodies which touch each other
    gave together since they began to touch."""

    pair: str
    taken: float
    given: float
    gained: float
    time: float

    @property
    def creates(self) -> bool:
        """Whether its contact has created energy."""
        return not np.isnan(self.time)


@dataclass(frozen=True)
class Audit(Named):
    """Audits of all dynamic analyses of a run.

    ``conservative``: no element of the model drives or dissipates (``reasons`` lists those that do). ``conclusive``:
    the residual must vanish, because works are recorded or the model is conservative.  ``pairs``: of shapes in
    contact, those that create energy and those with the most work (50 of each analysis at most).
    """

    segments: list[SegmentAudit]
    conservative: bool
    unit: str
    time_unit: str
    reasons: list[str] = field(default_factory=list)
    pairs: list[PairAudit] = field(default_factory=list)

    @property
    def creating(self) -> list[PairAudit]:
        """Pairs of shapes whose contact has created energy."""
        return [p for p in self.pairs if p.creates]

    @property
    def conclusive(self) -> bool:
        """Whether the residual is meaningful: all work of drives and losses was recorded, or there is none."""
        return bool(self.segments) and all(
            (s.works_recorded or self.conservative) and not np.isnan(s.max_residual) for s in self.segments
        )

    @property
    def relative(self) -> float:
        """Largest relative residual of all analyses (NaN when none is recorded)."""
        return max((s.relative for s in self.segments if not np.isnan(s.relative)), default=float("nan"))

    def ok(self, tolerance: float = 1e-3) -> bool:
        """Whether energy is conserved (or balanced) within ``tolerance`` times its range, and no pair of shapes in
        contact creates energy; False when that is not known."""
        return self.conclusive and self.relative <= tolerance and not self.creating

    def __str__(self) -> str:
        if not self.segments:
            return "energy audit: no dynamic analysis with recorded energies"
        lines = []
        for s in self.segments:
            span = f"{s.segment.kind} from {s.time[0]:g} to {s.time[-1]:g} {self.time_unit}"
            if np.isnan(s.max_residual):
                lines.append(f"{span}: energies are not recorded")
            elif s.works_recorded:
                lines.append(
                    f"{span}: energy and work balance within {s.max_residual:.3g} {self.unit} "
                    f"({s.relative:.2g} of the swing {s.scale:.3g}), worst at {s.worst_time:g} {self.time_unit}"
                )
            elif self.conservative:
                lines.append(
                    f"{span}: energy is kept within {s.max_drift:.3g} {self.unit} "
                    f"({s.relative:.2g} of the swing {s.scale:.3g}), worst at {s.worst_time:g} {self.time_unit}"
                )
            else:
                lines.append(
                    f"{span}: energy changes by up to {s.max_drift:.3g} {self.unit}; works are not recorded, so "
                    f"nothing follows (the model has {', '.join(self.reasons)})"
                )
        lines += [
            f"contact of {p.pair} has created {p.gained:.3g} {self.unit} by {p.time:g} {self.time_unit}"
            for p in self.creating
        ]
        return "energy audit: " + "; ".join(lines)

    def __repr__(self) -> str:
        if len(self.segments) < 2:
            return f"<{self}>"
        worst = "not known" if np.isnan(self.relative) else f"{self.relative:.2g} of the swing"
        return f"<energy audit of {len(self.segments)} analyses: largest residual {worst}; print() shows each>"

    def _repr_html_(self) -> str:
        return of_audit(self, "Energy audit")


def audit(run: Run) -> Audit:
    """Audit each dynamic analysis of ``run``.  NaN energies count as not recorded."""
    conservative, reasons = is_conservative(run.model)
    data, joule = run.data, to_si(run.model.units, "energy")
    audits = []
    for s in run.segments:
        if "dynamic" not in s.kind.lower() and "transient" not in s.kind.lower():
            continue
        rows = slice(s.start, s.end)
        if s.end - s.start < 1:
            continue
        energies = [joule * getattr(data, f"energy_{name}")[rows] for name in ("kinetic", "gravity", "elastic")]
        works = [
            None if w is None or np.isnan(w[rows]).all() else joule * (w[rows] - w[s.start])
            for w in (data.energy_input, data.energy_dissipated)
        ]
        total = sum(energies)
        drift = total - total[0]
        recorded = [w for w in works if w is not None]
        residual = drift - (works[0] if works[0] is not None else 0.0) + (works[1] if works[1] is not None else 0.0)
        scale = max((_swing(x) for x in (*energies, *recorded)), default=0.0)
        audits.append(SegmentAudit(s, data.time[rows], drift, residual, scale, len(recorded) == 2))
    pairs = [
        PairAudit(name, joule * taken, joule * given, joule * gained, float("nan") if when is None else when)
        for analysis in run.info.get("pair energies", [])
        for name, taken, given, gained, when in analysis["rows"]
    ]
    pairs += _impact_pairs(run, joule, max((s.scale for s in audits), default=0.0))
    return Audit(audits, conservative, "J", run.units("time"), reasons, pairs)


def _impact_pairs(run: Run, joule: float, scale: float) -> list[PairAudit]:
    """Pairs of shapes by the work of their impulses; ``scale``: energy, J, of which a share of `IMPACT_GAIN` is one."""
    rows = run.impacts
    for s in run.segments:  # impulses of all steps have an account of their own
        if s.settings.get("integrator") == "MOREAU_JEAN":
            start, end = run.data.time[s.start], run.data.time[s.end - 1]
            rows = rows[(rows["time"] < start) | (rows["time"] > end)]
    totals: dict[str, list[float]] = {}  # taken, given, gained, when
    for at in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rows["time"])) + 1):
        names = [f"{r['shape_i']} and {r['shape_j']} ({r['contact']})" for r in rows[at]]
        lost = joule * rows["energy_lost"][at]
        for name, energy in zip(names, lost):
            total = totals.setdefault(name, [0.0, 0.0, 0.0, float("nan")])
            total[0 if energy > 0.0 else 1] += abs(float(energy))
        for group in _struck_together(run, rows[at]):
            gained = -float(lost[group].sum())
            for k in group:
                total = totals[names[k]]
                if gained > max(total[2], 0.0):
                    total[2] = gained
                    if gained > IMPACT_GAIN * scale:
                        total[3] = float(rows["time"][at[k]])
    found = [PairAudit(name, t[0], t[1], t[2], t[3]) for name, t in totals.items()]
    return sorted(found, key=lambda p: (not p.creates, -p.taken))[:LISTED]


def _struck_together(run: Run, rows: np.ndarray) -> list[list[int]]:
    """Numbers of simultaneous impacts, by groups that no moving body connects."""
    if len(rows) == 1:
        return [[0]]
    still = {p.name for p in run.model.parts.values() if p.ground}
    groups: list[tuple[set[str], list[int]]] = []
    for k, row in enumerate(rows):
        bodies, mine = {str(row["body_i"]), str(row["body_j"])} - still, [k]
        apart = []
        for others, members in groups:
            if others & bodies:
                bodies, mine = bodies | others, members + mine
            else:
                apart.append((others, members))
        groups = [*apart, (bodies, mine)]
    return [members for _, members in groups]


@dataclass(frozen=True)
class SegmentMomentum(Named):
    """Momentum of one dynamic analysis, model units.

    ``residual``, ``angular_residual`` (n, 3): gain of momentum since the start minus received impulse; ``scale``,
    ``angular_scale``: the largest sum of the sizes of m v and of m r v over the parts, or of the impulses if that is
    larger; ``impulse``, ``contact_impulse``
    (3,): total received impulse, and that of contacts with ground.
    """

    segment: Segment
    time: np.ndarray
    residual: np.ndarray
    angular_residual: np.ndarray
    scale: float
    angular_scale: float
    impulse: np.ndarray
    contact_impulse: np.ndarray

    @property
    def recorded(self) -> bool:
        return bool(np.isfinite(self.residual).all())

    @property
    def relative(self) -> float:
        """Largest residual relative to ``scale``, linear or angular (NaN when nothing is recorded)."""
        parts = ((self.residual, self.scale), (self.angular_residual, self.angular_scale))
        return (
            max(_largest(r) / s if s > 0 else (0.0 if _largest(r) == 0 else float("nan")) for r, s in parts)
            if self.recorded
            else float("nan")
        )


@dataclass(frozen=True)
class MomentumAudit(Named):
    """Momentum audits of all dynamic analyses of a run; ``at_changes``: largest relative residual between changes of
    contact (NaN where none was located)."""

    segments: list[SegmentMomentum]
    at_changes: float
    unit: str
    time_unit: str

    @property
    def relative(self) -> float:
        """Largest relative residual (NaN when nothing is recorded)."""
        return max((s.relative for s in self.segments if s.recorded), default=float("nan"))

    def ok(self, tolerance: float = 1e-3) -> bool:
        """Whether momentum and impulses agree within ``tolerance``; False when that is not known."""
        return all(s.recorded for s in self.segments) and self.relative <= tolerance

    def __str__(self) -> str:
        lines = []
        for s in self.segments:
            if s.recorded:
                got = ", ".join(f"{x:.4g}" for x in s.contact_impulse)
                lines.append(
                    f"{s.segment.kind} from {s.time[0]:g} to {s.time[-1]:g} {self.time_unit}: momentum and impulses "
                    "from outside agree "
                    f"within {_largest(s.residual):.3g} {self.unit} ({s.relative:.2g} of their size, angular momenta "
                    "included); contacts "
                    f"with ground gave ({got}) {self.unit}"
                )
        if lines and np.isfinite(self.at_changes):
            lines.append(f"from one change of contact to the next within {self.at_changes:.2g}")
        return "momentum audit: " + (
            "; ".join(lines) or "not recorded (it is in dynamic analyses of models with contacts, with works)"
        )

    def __repr__(self) -> str:
        if len(self.segments) < 2:
            return f"<{self}>"
        worst = "not recorded" if np.isnan(self.relative) else f"{self.relative:.2g} of their size"
        return f"<momentum audit of {len(self.segments)} analyses: largest residual {worst}; print() shows each>"

    def _repr_html_(self) -> str:
        return of_audit(self, "Momentum audit")


def momentum_audit(run: Run) -> MomentumAudit:
    """Audit the momentum of each dynamic analysis of ``run``: for models with contacts, when works are integrated."""
    data, audits = run.data, []
    factor = run.model.units.mass_factor
    mass = np.array(
        [
            (run.model.table(kind)[n].mass or (mass_of(run.model, run.model.table(kind)[n]) if kind == "PART" else 0.0))
            * factor
            for kind, n, _ in data.bodies
        ]
    )
    for s in run.segments:
        if s.kind.lower() not in ("dynamics", "transient") or s.end - s.start < 1 or data.momentum is None:
            continue
        rows = slice(s.start, s.end)
        parts = [getattr(data, name)[rows] for name in MOMENTA]
        gained = [x - x[0] for x in parts]
        speed = np.linalg.norm(np.nan_to_num(data.body_velocity[rows]), axis=2) * mass
        arm = np.linalg.norm(np.nan_to_num(data.body_position[rows]), axis=2)
        scale, angular_scale = (
            max(float(size.sum(axis=1).max(initial=0.0)), float(np.abs(np.nan_to_num(x)).max(initial=0.0)))
            for size, x in ((speed, gained[2]), (speed * arm, gained[3]))
        )
        angular_scale = max(angular_scale, float(np.abs(np.nan_to_num(parts[1])).max(initial=0.0)))
        audits.append(
            SegmentMomentum(
                s,
                data.time[rows],
                gained[0] - gained[2],
                gained[1] - gained[3],
                scale,
                angular_scale,
                gained[2][-1],
                gained[4][-1],
            )
        )
    at_changes = run.counters.get("largest imbalance of momentum", float("nan"))
    return MomentumAudit(audits, float(at_changes), run.units("momentum"), run.units("time"))


def is_conservative(model: Model) -> tuple[bool, list[str]]:
    """Whether no element of the model drives or dissipates, and those that do: ``(False, ["2 MOTION", "1 damped
    BUSHING"])``.

    Forces given by functions count as driving; springs, bushings, beams and fields only when they damp.
    """
    kinds = [*kinds_of("constraint", "force"), "CONTACT"]
    of = {kind: [e.losses() for e in model.table(kind).values() if e.active] for kind in kinds}
    reasons = [f"{n} {kind}" for kind in kinds if (n := of[kind].count("driven"))]
    reasons += [f"{n} damped {kind}" for kind in kinds if (n := of[kind].count("damped"))]
    return not reasons, reasons


def _swing(x: np.ndarray) -> float:
    finite = x[np.isfinite(x)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def _largest(x: np.ndarray) -> float:
    return float("nan") if np.isnan(x).all() else float(np.nanmax(np.abs(x)))

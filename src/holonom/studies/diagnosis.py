"""Diagnosis: which of several possible faults explains measured curves, how large it is, and which other faults would
explain them as well.

Each fault is a parameter with a healthy value (loss of stiffness 0, friction 0, mass as drawn, offset of a sensor 0).
Hypotheses are sets of faults; the parameters of one are identified with all others healthy.  Sets grow by one fault
while the sum of squares falls by more than chance would make it fall in one healthy machine of a hundred
(`FALSE_ALARMS`, over all candidates).  Where no set that is found so leaves only noise, sets are searched from the
middle of the ranges of their faults.  Two hypotheses cannot be distinguished where their likelihoods differ by less
than a factor of 20.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import shown
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from .curves import Experiment
from .identification import (
    Candidate,
    Fit,
    Identification,
    begin,
    candidates,
    check_search,
    first_noise,
    fitted,
    prepared,
)
from .parameters import Space, StudyParameter, as_parameter

FALSE_ALARMS = 0.01
ALIKE = 2.0 * math.log(20.0)  # difference of sums of squares at which likelihoods differ by a factor of 20
BEAM = 3  # hypotheses of one size that are extended
UNEXPLAINED = 1e-3  # probability of so large a sum of squares by noise alone below which curves are not explained
WIDEST = 100  # sets of faults that are searched where none that was found explains the curves
SCAN = (0.1, 0.3, 0.5, 0.7, 0.9)  # positions in the range of a fault at which its search may begin


@dataclass(repr=False)
class Hypothesis(Summary):
    """A set of faults with their sizes: ``faults``: the names, none of them for a healthy machine; ``sizes``,
    ``interval``: of each; ``misfit``: root mean square residual over the noise; ``squares``: their sum;
    ``probability``: among all hypotheses that were examined, each fault being as likely as the others beforehand;
    ``identification``: all of it."""

    faults: tuple[str, ...]
    sizes: dict[str, float]
    interval: dict[str, tuple[float, float]]
    misfit: float
    squares: float
    probability: float
    identification: Identification = field(repr=False)


@dataclass(repr=False)
class Diagnosis(Summary):
    """The outcome of `diagnose`.

    ``best``: the most likely hypothesis; ``alternatives``: those that cannot be distinguished from it; ``sets``: faults
    of which each would do in place of the others, ``[("left spring", "right spring")]``; ``hypotheses``: all, the most
    likely first; ``detectable``: the smallest size of each fault that would be noticed (change from the healthy value);
    ``explained``: whether the best hypothesis leaves no more than the noise (None where the noise is not given);
    ``candidates``: of the experiments, with what each would separate; ``runs``: how many were computed."""

    best: Hypothesis
    alternatives: list[Hypothesis]
    sets: list[tuple[str, ...]]
    hypotheses: list[Hypothesis]
    detectable: dict[str, float]
    explained: bool | None
    candidates: list[Candidate]
    runs: int

    def text(self) -> str:
        """Sentences: the most likely faults with sizes, what cannot be distinguished, what is not explained."""
        b = self.best
        lines = []
        if not b.faults:
            lines.append("no fault: the healthy model explains the curves as well as any candidate")
        for n in b.faults:
            low, high = b.interval[n]
            interval = f"{100 * b.identification.level:g} % interval {low:.6g} to {high:.6g}"
            if not math.isfinite(low + high):
                interval = "at the end of its range" if math.isnan(low) else "not determined"
            lines.append(f"{n} = {b.sizes[n]:.6g}, {interval}")
        if b.faults:
            lines.append(f"probability {b.probability:.3g} among the hypotheses")
        lines += [f"cannot be distinguished: {' / '.join(s)}" for s in self.sets]
        for h in self.alternatives:
            sizes = ", ".join(f"{n} = {v:.6g}" for n, v in h.sizes.items())
            lines.append(f"  as likely: {sizes or 'no fault'} (probability {h.probability:.3g})")
        for c in self.candidates:
            if c.separates:
                lines.append(f"{c.of} of {c.experiment} would separate {', '.join(c.separates)}")
        if self.explained is False:
            lines.append(
                f"no candidate explains the curves: the residuals are {b.misfit:.3g} times the noise; another fault, "
                "or another model"
            )
        return "\n".join(lines)

    __str__ = text


@partial(explained, name="diagnose", strict=True)
def diagnose(
    experiments: Experiment | Sequence[Experiment],
    faults: Mapping[str, Any],
    parameters: Mapping[str, Any] | None = None,
    *,
    most: int = 2,
    level: float = 0.95,
    derivatives: str = "auto",
    step: float = 1e-4,
    tolerance: float = 1e-6,
    max_steps: int = 50,
) -> Diagnosis:
    """Find the faults that explain measured curves.

    ``faults``: name -> (healthy value, lowest, highest), or a `StudyParameter` whose value is the healthy one; names as
    in `identify`: parameters of the model, addresses, gain, offset or shift of a sensor. ``parameters``: others that
    are not known either and are identified in all hypotheses.  ``most``: how many faults there may be at once.  Other
    arguments as for `identify`.  Without ``std`` of a curve its noise is that which remains when all faults are free.

    Raises ModelError as `identify`, and for a healthy value outside of its range.

        found = hn.studies.diagnose(test, {"friction": (0.0, 0.0, 0.5), "offset": (0.0, -0.1, 0.1)})
        print(found); found.best.sizes
    """
    if not is_whole(most) or most < 1:
        raise ModelError(f"diagnosis: most must be a whole number from 1, got {shown(most)}")
    check_search(tolerance, max_steps)
    if not isinstance(faults, Mapping) or not faults:
        raise ModelError("diagnosis: faults must be a table of name and (healthy value, lowest, highest)")
    others = [as_parameter(n, v) for n, v in (parameters or {}).items()]
    space = Space([*(_fault(n, v) for n, v in faults.items()), *others])
    fit = prepared(experiments, space, derivatives, step)
    for c in fit.curves:
        if c.weight != 1.0:
            raise ModelError(f"diagnosis: curve '{c.of}' has a weight, with which likelihoods are none; give std alone")
    search = _Search(fit, list(faults), begin(fit, None), (level, tolerance, max_steps))
    return search.run(min(most, len(faults)))


def _fault(name: str, given: Any) -> StudyParameter:
    if isinstance(given, StudyParameter):
        return as_parameter(name, given)
    if not isinstance(given, Sequence) or len(given) != 3 or not all(is_number(v) for v in given):
        raise ModelError(f"fault '{name}': give (healthy value, lowest, highest), got {shown(given)}")
    return StudyParameter(name, given[0], (given[1], given[2]))


class _Search:
    """Hypotheses over a fit; ``faults``: their names; ``healthy``: the position of the healthy machine."""

    def __init__(self, fit: Fit, faults: list[str], healthy: np.ndarray, how: tuple[float, float, int]) -> None:
        from scipy.stats import chi2

        self.fit, self.faults, self.how = fit, faults, how
        self.names = [p.name for p in fit.varied]
        self.known = all(c.std is not None for c in fit.curves)
        self.always = np.array([n not in faults for n in self.names])
        self.healthy = healthy
        self.weights = fit.weight
        self.penalty = float(chi2.isf(FALSE_ALARMS / len(faults), 1))
        self.found: dict[tuple[str, ...], tuple[float, Identification]] = {}

    def run(self, most: int) -> Diagnosis:
        """Grow hypotheses by one fault at a time."""
        if not self.known:
            self._estimate_noise()
        self.weights = self.fit.weight / first_noise(self.fit)[0]
        self._examine((), self.healthy)
        layer: list[tuple[str, ...]] = [()]
        for _ in range(most):
            grown = []
            for base in layer:
                for name in self.faults:
                    made = tuple(sorted((*base, name), key=self.faults.index))
                    if name not in base and made not in self.found:
                        self._examine(made, self._begin(base, name))
                        grown.append(made)
            if not grown:
                break
            best = min(self.score(h) for h in self.found)
            layer = sorted(grown, key=self.score)[:BEAM]
            if self.score(layer[0]) > best:  # a further fault explains nothing more
                break
        if self.known and not self._explained():
            self._widen(most)
        return self._concluded()

    def _explained(self) -> bool:
        """Whether the most likely hypothesis leaves no more than the noise."""
        from scipy.stats import chi2

        squares, found = self.found[min(self.found, key=self.score)]
        return bool(chi2.sf(squares, found.degrees_of_freedom) > UNEXPLAINED)

    def _widen(self, most: int) -> None:
        """Search sets of faults from the middle of their ranges, small ones first, until one explains the curves: one
        fault after the other led to none."""
        sets = (h for size in range(1, most + 1) for h in combinations(self.faults, size))
        for hypothesis in islice(sets, WIDEST):
            x, before = self.healthy.copy(), self.found.get(hypothesis)
            x[[n in hypothesis for n in self.names]] = 0.5
            self._examine(hypothesis, x)
            if before is not None and before[0] < self.found[hypothesis][0]:
                self.found[hypothesis] = before
            if self._explained():
                self._exchange(min(self.found, key=self.score))
                return

    def _exchange(self, hypothesis: tuple[str, ...]) -> None:
        """Search the sets with another fault in place of one, which may explain the curves as well."""
        for out in hypothesis:
            for name in self.faults:
                made = tuple(sorted({*hypothesis, name} - {out}, key=self.faults.index))
                if name in hypothesis or made in self.found:
                    continue
                x = self.found[hypothesis][1]._x.copy()
                i, j = self.names.index(out), self.names.index(name)
                x[i] = self.healthy[i]
                self._examine(made, self._least([np.concatenate([x[:j], [s], x[j + 1 :]]) for s in SCAN]))

    def score(self, hypothesis: tuple[str, ...]) -> float:
        """Sum of squares with the price of its faults; the least is the most likely."""
        return self.found[hypothesis][0] + self.penalty * len(hypothesis)

    def _estimate_noise(self) -> None:
        """Give curves the noise that remains when all faults are free."""
        everything = fitted(self.fit, self.healthy, None, *self.how)
        for k, (c, of) in enumerate(zip(self.fit.curves, self.fit.of)):
            if c.std is None:
                self.fit.curves[k] = replace(c, std=everything.noise[of] / c.noise_share)

    def _begin(self, base: tuple[str, ...], name: str) -> np.ndarray:
        """The position from which a hypothesis with one more fault is searched, that of the least sum of squares: the
        one of the smaller hypothesis, and those with the new fault elsewhere in its range, or as it is on its own."""
        j = self.names.index(name)
        points = [self.found[base][1]._x]
        single = self.found[(name,)][1]._x[j] if (name,) in self.found else None
        for share in SCAN if single is None else (single,):
            points.append(np.concatenate([points[0][:j], [share], points[0][j + 1 :]]))
        return self._least(points)

    def _least(self, points: list[np.ndarray]) -> np.ndarray:
        """The point of the least sum of squares."""
        sums = []
        for x in points:
            failed = self.fit.failed
            r = self.weights * self.fit.residuals(x)
            sums.append(math.inf if self.fit.failed > failed else float(r @ r))
        return points[int(np.argmin(sums))]

    def _examine(self, hypothesis: tuple[str, ...], x: np.ndarray) -> None:
        free = self.always | np.array([n in hypothesis for n in self.names])
        found = fitted(self.fit, x, free, *self.how)
        self.found[hypothesis] = found.misfit**2 * found.degrees_of_freedom, found

    def _concluded(self) -> Diagnosis:
        from scipy.stats import norm

        order = sorted(self.found, key=self.score)
        least = self.score(order[0])
        shares = np.exp([-0.5 * (self.score(h) - least) for h in order])
        shares /= shares.sum()
        made = []
        for h, share in zip(order, shares):
            squares, i = self.found[h]
            made.append(
                Hypothesis(
                    h,
                    {n: i.parameters[n] for n in h},
                    {n: i.interval[n] for n in h},
                    i.misfit,
                    squares,
                    float(share),
                    i,
                )
            )
        best = made[0]
        alike = [h for h in made[1:] if self.score(h.faults) - least < ALIKE and not set(h.faults) > set(best.faults)]
        sets = []
        for name in best.faults:
            kept = set(best.faults) - {name}
            others = {
                m
                for h in alike
                if kept < set(h.faults)
                for m in set(h.faults) - set(best.faults)
                if len(h.faults) == len(best.faults)
            }
            if others:
                sets.append((name, *sorted(others, key=self.faults.index)))
        suspects = {n for s in sets for n in s} | {n for n, free in zip(self.names, self.always) if free}
        further = candidates(best.identification, [*suspects, *best.faults]) if sets else []
        explained = self._explained() if self.known else None
        _, healthy = self.found[()]
        J = healthy._weights[:, None] * self.fit.jacobian(healthy._x)
        basis = np.linalg.qr(J[:, self.always])[0]
        detectable = {}
        for j, (name, p) in enumerate(zip(self.names, self.fit.varied)):
            if name in self.faults:
                left = J[:, j] - basis @ (basis.T @ J[:, j])
                size = float(np.linalg.norm(left))
                slope = p.slope(healthy._x[j])
                power = math.sqrt(self.penalty) + float(norm.ppf(0.95))
                detectable[name] = power / size * slope if size > 0.0 else math.inf
        return Diagnosis(best, alike, sets, made, detectable, explained, further, self.fit.runs)

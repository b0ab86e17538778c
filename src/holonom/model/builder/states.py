"""Variables, differential equations, control blocks, and data: arrays, matrices, splines, curves, texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ModelError, shown
from ..states import (
    Array,
    Curve,
    Diff,
    GeneralStateEquations,
    LinearStateEquations,
    Matrix,
    Spline,
    String,
    TransferFunction,
    Variable,
)
from ..values import listed, number, number_matrix, number_tuple, whole, word_of
from .bodies import Bodies, expression
from .joints import user
from .teaching import teach


@teach
class States(Bodies):
    """Their units are those of their functions."""

    def variable(self, function="0", name: str = "", ic: float = 0.0, id: int = 0) -> Variable:
        """VARIABLE:  v = function,  an algebraic unknown that functions read as ``VARVAL(id)``; algebraic loops between
        variables are solved.

        ``function``: expression, number or Python function, in any units; ``ic``: initial guess for a loop. Raises
        `ModelError` for anything else.

            speed = model.variable(f"VX({tip})", "speed")
        """
        given = expression(function)
        return self._function(self.add(Variable(id=id, name=name, ic=number(ic, "ic"))), given)

    def input(self, name: str, value: float = 0.0, id: int = 0) -> Variable:
        """VARIABLE that is an input: functions read it as ``VARVAL(id)``, and `Simulation.set_input` changes it while
        the simulation is stepped.

        ``value``: its value until then, in the units of the functions that read it; also written as its FUNCTION to a
        dataset. Forces, torques, motions and any other function may read it. Raises `ModelError` for a value that is
        not a number.

            thrust = model.input("thrust")
            model.sforce(i, j, f"VARVAL({thrust.id})")
        """
        return self.add(Variable(id=id, name=name, function=repr(float(number(value, "value"))), input=True))

    def diff(self, function, name: str = "", ic=0.0, implicit: bool = False, id: int = 0) -> Diff:
        """DIFF:  y' = function  (units of y per time), or  0 = function(y, y')  when ``implicit``; functions read
        ``DIF(id)`` and ``DIF1(id)``.

        ``ic``: y(0), or (y(0), y'(0)).  Raises `ModelError` for more than two initial values.

            lag = model.diff(f"(VARVAL({speed.id}) - DIF(1)) / 0.05")
        """
        given = expression(function)
        values = number_tuple(np.atleast_1d(ic) if isinstance(ic, (int, float, np.number)) else ic, "ic")
        if len(values) not in (1, 2):
            raise ModelError(f"ic holds {len(values)} numbers; give y(0), or y(0) and y'(0)")
        return self._function(self.add(Diff(id=id, name=name, ic=values, implicit=implicit)), given)

    def array(
        self, kind: str, *, numbers=(), variables=(), size: int | None = None, name: str = "", id: int = 0
    ) -> Array:
        """ARRAY: ``kind`` IC (``numbers``, in any units), U (``variables``, inputs), X and Y (``size`` states
        and outputs of a block).

        Raises `ModelError` for other types and for variables that do not exist.
        """
        ids = tuple(self.find("VARIABLE", v).id for v in listed(variables, "variables", "variables"))
        return self.add(
            Array(
                id=id,
                name=name,
                kind=word_of(kind, "kind", Array.WORDS["kind"]),
                size=None if size is None else whole(size, "size"),
                numbers=_numbers(numbers),
                variables=ids,
            )
        )

    def matrix(self, values, name: str = "", id: int = 0) -> Matrix:
        """MATRIX of rows of numbers, in any units (a single row may be given as a list). Raises `ModelError` for rows
        of different length."""
        try:
            a = np.atleast_2d(np.asarray(values, float))
        except (TypeError, ValueError):
            a = number_matrix(values, "values")
        a = number_matrix(a, "values")
        return self.add(Matrix(id=id, name=name, rows=a.shape[0], columns=a.shape[1], values=tuple(a.ravel().tolist())))

    def linear_state_equations(
        self, x, a, u=None, b=None, y=None, c=None, d=None, ic=None, name: str = "", id: int = 0
    ) -> LinearStateEquations:
        """LSE:  x' = A x + B u,  y = C x + D u;  ``x``, ``u``, ``y``, ``ic`` are arrays, ``a`` to ``d`` matrices (units
        of the block, per time).

        Raises `ModelError` for arrays and matrices that do not exist.
        """
        arr: Any = lambda r: None if r is None else self.find("ARRAY", r).id
        mat: Any = lambda r: None if r is None else self.find("MATRIX", r).id
        return self.add(
            LinearStateEquations(
                id=id, name=name, x=arr(x), u=arr(u), y=arr(y), ic=arr(ic), a=mat(a), b=mat(b), c=mat(c), d=mat(d)
            )
        )

    def transfer_function(self, x, u, y, numerator, denominator, name: str = "", id: int = 0) -> TransferFunction:
        """TFSISO:  Y(s)/U(s) = (n0 + n1 s + ...)/(d0 + d1 s + ...);  arrays of states, input, output, and of
        coefficients in ascending powers of s
        (1 / time).  Raises `ModelError` for arrays that do not exist."""
        arr = lambda r: self.find("ARRAY", r).id
        return self.add(
            TransferFunction(
                id=id, name=name, x=arr(x), u=arr(u), y=arr(y), numerator=arr(numerator), denominator=arr(denominator)
            )
        )

    def state_equations(
        self,
        routine,
        ns: int = 0,
        no: int = 0,
        x=None,
        u=None,
        y=None,
        ic=None,
        parameters=(),
        name: str = "",
        id: int = 0,
        *,
        nd: int = 0,
        xd=None,
        icd=None,
        update=None,
        sample_period=None,
        sample_offset: float = 0.0,
    ) -> GeneralStateEquations:
        """GSE:  x' = f(x, u, t),  y = g(x, u, t)  by Python functions; see `docs/user-routines` for their form.

        ``ns`` states in the array ``x`` with initial values ``ic``, ``no`` outputs in ``y``, inputs in ``u``. ``nd``
        discrete states in the array ``xd`` have the initial values ``icd``; the function ``update`` computes them at
        ``sample_offset`` and then every ``sample_period`` (a time, or a function that returns the time until the next
        sample). Raises `ModelError` for discrete states without ``update`` and for arrays that do not exist.
        """
        arr = lambda r: None if r is None else self.find("ARRAY", r).id
        element = self.add(
            GeneralStateEquations(
                id=id,
                name=name,
                ns=whole(ns, "ns"),
                no=whole(no, "no"),
                x=arr(x),
                u=arr(u),
                y=arr(y),
                ic=arr(ic),
                function=user(parameters),
            )
        )
        element.routine = self._routine(element, routine) if routine is not None else None
        element.nd, element.xd, element.icd = whole(nd, "nd"), arr(xd), arr(icd)
        element.sample_offset = number(sample_offset, "sample_offset")
        sampled = {"sample_period": sample_period is not None, "sample_offset": sample_offset != 0.0}
        if not (nd or update is not None) and any(sampled.values()):
            raise element.error(
                f"{' and '.join(w for w, g in sampled.items() if g)} belongs to discrete states; give nd and update"
            )
        if nd or update is not None:
            if update is None:
                raise element.error("it has discrete states and no function for them; give update = function")
            if not (callable(update) or isinstance(update, str)):
                raise element.error(f"update is {shown(update)}; give a function, or the name of a registered one")
            names = [
                f"{part}_{element.id}" if callable(f) else str(f or "")
                for part, f in (("gse_update", update), ("gse_samp", sample_period))
            ]
            for key, f in zip(names, (update, sample_period)):
                if callable(f):
                    self.register(key, f)
            if not callable(sample_period):
                element.sample_period = None if sample_period is None else number(sample_period, "sample_period")
            element.interface = (
                element.routine or "gse_deriv",
                element.routine or "gse_output",
                names[0],
                *(names[1:] if callable(sample_period) else ()),
            )
        return element

    def spline(self, x, y, z=(), linear_extrapolate: bool = False, name: str = "", id: int = 0) -> Spline:
        """SPLINE of points (x, y), or one row of ``y`` for each ``z``; functions read ``AKISPL(x, z, id, order)`` and
        ``CUBSPL``.

        Units are those of what is tabulated. ``linear_extrapolate``: linear beyond the ends, otherwise the last cubic
        continues. Raises `ModelError` for rows whose length differs from that of ``x``, and for x or z that do not
        increase.

            curve = model.spline([-0.1, 0.0, 0.1], [-900.0, 0.0, 400.0])
            model.sforce(i, j, f"-AKISPL(DM({i},{j})-0.3, 0, {curve.id}, 0)")
        """
        xs, zs = number_tuple(x, "x"), number_tuple(z, "z")
        try:
            single = np.ndim(y) < 2
        except ValueError:  # rows of several lengths
            single = False
        rows = number_matrix([y] if single else y, "y")
        if len(xs) < 2:
            raise ModelError(f"x holds {len(xs)} numbers; give two or more")
        if rows.shape != (max(1, len(zs)), len(xs)):
            n = max(1, len(zs))
            raise ModelError(
                f"y is {rows.shape[0]} x {rows.shape[1]}; give {n} row{'s' * (n > 1)} of {len(xs)} numbers, one for "
                "each x"
            )
        for what, values in (("x", xs), ("z", zs)):
            for k, (low, high) in enumerate(zip(values, values[1:])):
                if not high > low:
                    raise ModelError(
                        f"{what} must increase, but value {k + 2} ({high:g}) follows {low:g}; sort them and remove "
                        "doubles"
                    )
        return self.add(
            Spline(
                id=id, name=name, x=xs, y=tuple(map(tuple, rows.tolist())), z=zs, linear_extrapolate=linear_extrapolate
            )
        )

    def curve(
        self,
        points,
        closed: bool = False,
        order: int = 4,
        control: bool = False,
        name: str = "",
        id: int = 0,
        *,
        lower: float = -1.0,
        upper: float = 1.0,
        parameters=(),
    ) -> Curve:
        """CURVE through ``points`` (n, 3) (length, axes of the marker that carries it), a B-spline of ``order`` that
        interpolates the points, or with ``control`` uses them as control points.

        Alternatively a Python function that maps ``call.alpha``, from ``lower`` to ``upper``, to a point
        (`docs/user-routines`). Raises `ModelError` for values that are not rows of three numbers.

            circle = model.curve([(0.1 * np.cos(a), 0.1 * np.sin(a), 0.0) for a in np.linspace(0, 2 * np.pi, 25)],
                closed=True)
        """
        given = (
            {"order": order != 4, "control": control}
            if callable(points)
            else {"lower": lower != -1.0, "upper": upper != 1.0, "parameters": np.size(parameters) > 0}
        )
        if any(given.values()):
            what = "a Python function" if callable(points) else "points"
            raise ModelError(f"{', '.join(w for w, g in given.items() if g)} cannot be given with {what}; leave it out")
        if callable(points):
            curve = self.add(
                Curve(
                    id=id,
                    name=name,
                    closed=closed,
                    minpar=number(lower, "lower"),
                    maxpar=number(upper, "upper"),
                    function=user(parameters),
                )
            )
            curve.routine = self._routine(curve, points)
            return curve
        a = number_matrix(points, "points")
        if a.shape[1] != 3:
            raise ModelError(f"points: expected rows of three numbers, got rows of {a.shape[1]}")
        matrix = self.matrix(a)
        return self.add(
            Curve(
                id=id,
                name=name,
                closed=closed,
                matrix=matrix.id,
                order=whole(order, "order"),
                points="CONTROL" if control else "CURVE",
            )
        )

    def string(self, text: str, name: str = "", id: int = 0) -> String:
        """STRING: text (no units) that user routines read.  Raises `ModelError` for a value that is not text."""
        if not isinstance(text, str):
            raise ModelError(f"text is {shown(text)}; give a text")
        return self.add(String(id=id, name=name, text=text))


def _numbers(values: Any) -> tuple[float, ...]:
    return number_tuple(values, "numbers")  # which `array` cannot call by its name: it has an argument of that name

"""Adams View commands that create or change data elements, equations, sensors, requests and settings of analyses.

Source: Adams View command language reference, `data_element ...`, `part create equation ...`, `executive_control ...`,
`output_control ...`.
"""

from __future__ import annotations

from typing import Any

from ...model import outputs, states
from ...model.base import Source
from . import grammar
from .arguments import suggestion
from .view_expression import ViewError, whole
from .view_forces import Forces
from .view_rows import (
    Parameter,
    Plain,
    Row,
    angle,
    integer,
    marker,
    number,
    numbers,
    reference,
    references,
    switch,
    text,
    texts,
    word,
)
from .view_session import Command


class Data(Forces):
    """What the rows of `DATA` do not say."""

    # ---- outputs ---------------------------------------------------------------------------------
    def fill_request(self, command: Command, request: Any, new: bool) -> None:
        kind = (self.text(command, "output_type") or "").upper()
        if kind:
            found = [k for k in ("DISPLACEMENT", "VELOCITY", "ACCELERATION", "FORCE", "USER") if k.startswith(kind)]
            if not found:
                raise ViewError(
                    f"output_type = {kind.lower()} is not one of displacement, velocity, acceleration, force, user"
                )
            request.kind = None if found[0] == "USER" else found[0]
        titles = self.texts(command, "title")
        if titles is not None:
            request.title = ":".join(titles)

    # ---- data ------------------------------------------------------------------------------------
    def fill_spline(self, command: Command, spline: Any, new: bool) -> None:
        file = self.text(command, "file_name")
        if file:
            spline.file, spline.x, spline.y, spline.z = file, (), (), ()
            spline.block = self.text(command, "block_name") or None
            spline.channel = self.integer(command, "channel")
        axes = {n: self.read_numbers(command, n) for n in ("x", "y", "z")}
        if not file and (new or any(v is not None for v in axes.values())):
            held = {"x": spline.x, "y": tuple(v for row in spline.y for v in row), "z": spline.z}
            x, y, z = (held[n] if axes[n] is None else axes[n] for n in "xyz")
            if len(x) < 1 or len(y) != len(x) * max(1, len(z)):
                raise ViewError(f"x has {len(x)}, y {len(y)} and z {len(z)} values; y needs one for each x (and z)")
            rows = tuple(y[k * len(x) : (k + 1) * len(x)] for k in range(max(1, len(z))))
            spline.x, spline.y, spline.z = x, rows, z if len(z) > 1 or len(rows) > 1 else ()
            spline.file = None

    def fill_curve(self, command: Command, curve: Any, new: bool) -> None:
        fit = (self.text(command, "fit_type") or "").lower()
        if fit:
            curve.points = "CONTROL" if "control" in fit else "CURVE"

    def matrix(self, command: Command) -> None:
        values = {
            "rows": self.integer(command, "row_count"),
            "columns": self.integer(command, "column_count"),
            "values": self.read_numbers(command, "values"),
            "full": "CORDER" if "col" in (self.text(command, "input_order") or "").lower() else "RORDER",
        }
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def matrix_file(self, command: Command) -> None:
        file, name = self.text(command, "file_name"), self.text(command, "name_of_matrix_in_file")
        if not file:
            raise ViewError("file_name is missing; add it")
        self.add(command, states.Matrix(file=file, file_name=name or None), "matrix_name")

    def matrix_sparse(self, command: Command) -> None:
        values = {
            "rows": self.integer(command, "row_count"),
            "columns": self.integer(command, "column_count"),
            "values": self.read_numbers(command, "values"),
            "sparse_i": tuple(map(whole, self.read_numbers(command, "row_index") or ())),
            "sparse_j": tuple(map(whole, self.read_numbers(command, "column_index") or ())),
        }
        grammar._matrix(values, False)
        self.add(command, states.Matrix(**values), "matrix_name")

    def fill_string(self, command: Command, string: Any, new: bool) -> None:
        string.text = "".join(self.texts(command, "string") or ())

    # ---- equations -------------------------------------------------------------------------------
    def fill_differential(self, command: Command, diff: Any, new: bool) -> None:
        none = (self.text(command, "no_initial_condition") or "").lower() in ("true", "yes")
        if none and self.find(command, "initial_condition") is None:
            diff.ic = (0.0,)

    def fill_transfer(self, command: Command, transfer: Any, new: bool) -> None:
        for name, to in (("numerator_coefficients", "numerator"), ("denominator_coefficients", "denominator")):
            values = self.read_numbers(command, name)
            if not values:
                raise ViewError(f"{name} is missing")
            array = states.Array(kind="IC", size=len(values), numbers=values, source=Source(self.path, command.line))
            setattr(transfer, to, self.context().model.add(array).id)

    # ---- settings --------------------------------------------------------------------------------
    def settings(self, of: str, parameters: tuple[Parameter, ...], command: Command) -> None:
        """Settings of one analysis."""
        model = self.context(self.text(command, "model_name") or "").model
        self.fill(command, getattr(model, of), parameters)

    def integration(self, command: Command) -> None:
        target = self.context(self.text(command, "model_name") or "").model.integrator
        self.fill(command, target, _INTEGRATION)
        own = command.words[-1].upper() if "integrator_parameters" in command.words else ""
        kind = (self.text(command, "integrator_type") or own).upper()
        if kind in grammar.INTEGRATORS:
            target.kind = kind
        elif kind:
            raise ViewError(f"unknown integrator '{kind}'{suggestion(kind, grammar.INTEGRATORS)}")
        formulation = (self.text(command, "formulation") or "").upper()
        if formulation in ("I3", "SI2", "SI1"):
            target.formulation = formulation
        elif formulation not in ("", "ORIGINAL"):
            raise ViewError(f"unknown formulation '{formulation}'; choose I3, SI2 or SI1")


#: numbers of the integrator
_INTEGRATION = (
    *number("error_tolerance=error", "hinit_time_step=hinit", "hmin_time_step=hmin", "hmax_time_step=hmax"),
    *number("adaptivity", "alpha", "beta", "gamma"),
    *integer("kmax_integrator_order=kmax", "maxit_corrector_iterations=maxit"),
    *switch("interpolate"),
    *word("corrector"),
)

#: commands on data elements, equations, sensors, requests and settings
DATA: tuple[Row | Plain, ...] = (
    Row(
        "executive_control {} sensor",
        "sensor_name",
        outputs.Sensor,
        (
            *number("value", "error=tolerance", "dt", "stepsize", "time_error"),
            *angle("angular_value=value", "angular_error=tolerance"),
            *word("compare=comparison", "EQ", "GE", "LE"),
            *switch("halt", "return=returns", "print", "restart", "codgen", "yydump", "bisection"),
        ),
        functions=(("evaluate", "evaluate"),),
    ),
    Row(
        "output_control {} request",
        "request_name",
        outputs.Request,
        (
            *marker("i_marker_name=i", "j_marker_name=j", "r_marker_name=rm"),
            *texts("component_names=cnames", "component_units=cunits", "component_labels=clabels"),
            *text("comment", "results_name"),
        ),
        finish=Data.fill_request,
        functions=tuple((f"f{k}", f"functions.F{k}") for k in range(1, 9)),
    ),
    Row(
        "material {}",
        "material_name",
        outputs.Material,
        number("density", "youngs_modulus", "poissons_ratio"),
    ),
    Row(
        "data_element {} spline",
        "spline_name",
        states.Spline,
        switch("linear_extrapolate"),
        finish=Data.fill_spline,
    ),
    Row("data_element {} variable", "variable_name", states.Variable, number("initial_condition=ic")),
    Plain("data_element create matrix full", Data.matrix),
    Plain("data_element create matrix sparse", Data.matrix_sparse),
    Plain("data_element create matrix file", Data.matrix_file),
    Row("data_element create string", "string_name", states.String, finish=Data.fill_string),
    Row(
        "data_element {} curve",
        "curve_name",
        states.Curve,
        (
            *reference("MATRIX", "matrix_name=matrix"),
            *switch("closed"),
            *integer("interpolation_order=order"),
            *number("minimum_parameter=minpar", "maximum_parameter=maxpar", "tension"),
        ),
        finish=Data.fill_curve,
    ),
    *(
        Row(
            f"data_element create plant {kind}put",
            f"plant_{kind}put_name",
            element,
            references("VARIABLE", "variable_name=variables"),
        )
        for kind, element in (("in", states.PInput), ("out", states.POutput))
    ),
    *(
        Row(
            f"data_element {{}} array {words}",
            "array_name",
            states.Array,
            (
                *integer("size"),
                *numbers("numbers"),
                *(references("VARIABLE", "variable_name=variables") if kind == "U" else ()),
            ),
            fixed={"kind": kind},
        )
        for kind, words in (
            ("X", "x_state_array"),
            ("Y", "y_output_array"),
            ("U", "u_input_array"),
            ("IC", "{ic_array|general_array}"),
        )
    ),
    Row(
        "part {} equation differential_equation",
        "differential_equation_name",
        states.Diff,
        (*numbers("initial_condition=ic"), *switch("implicit", "static_hold")),
        finish=Data.fill_differential,
    ),
    Row(
        "part create equation linear_state_equation",
        "linear_state_equation_name",
        states.LinearStateEquations,
        (
            *reference("ARRAY", "x_state_array_name=x", needed=True),
            *reference("ARRAY", "u_input_array_name=u", "y_output_array_name=y", "ic_array_name=ic"),
            *reference("MATRIX", "a_state_matrix_name=a", needed=True),
            *reference("MATRIX", "b_input_matrix_name=b", "c_output_matrix_name=c", "d_feedforward_matrix_name=d"),
            *switch("static_hold"),
        ),
    ),
    Row(
        "part create equation transfer_function",
        "transfer_function_name",
        states.TransferFunction,
        (
            *reference("ARRAY", "x_state_array_name=x", "u_input_array_name=u", "y_output_array_name=y", needed=True),
            *switch("static_hold"),
        ),
        finish=Data.fill_transfer,
    ),
    Row(
        "part create equation general_state_equation",
        "general_state_equation_name",
        states.GeneralStateEquations,
        (
            *reference("ARRAY", "x_state_array_name=x", "u_input_array_name=u", "y_output_array_name=y"),
            *reference("ARRAY", "ic_array_name=ic", "discrete_state_array_name=xd", "discrete_ic_array_name=icd"),
            *integer("state_equation_count=ns", "output_equation_count=no", "discrete_state_equation_count=nd"),
            *number("sample_period", "sample_offset"),
            *switch("implicit", "static_hold"),
        ),
    ),
    Plain(
        "executive_control set kinematics_parameters",
        Data.settings,
        ("kinematics", (*number("error", "aerror", "hmax"), *integer("maxit"))),
    ),
    Plain(
        "executive_control set initial_conditions_parameters",
        Data.settings,
        ("initial", (*number("error", "aerror"), *integer("maxit", "amaxit"))),
    ),
    Plain(
        "executive_control set equilibrium_parameters",
        Data.settings,
        (
            "equilibrium",
            (
                *number("error", "imbalance", "stability", "tlimit"),
                *integer("maxit"),
                *switch("dynamic"),
                *angle("alimit"),
            ),
        ),
    ),
    Plain("executive_control set numerical_integration_parameters", Data.integration),
    Plain("executive_control set integrator_parameters {gstiff|wstiff|dstiff}", Data.integration),
)

"""Methods of `Run` that other modules implement.  Written by tools/stubs.py: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from holonom.results.audit import Audit, MomentumAudit
from holonom.results.clearance import Clearance
from holonom.results.compare import Comparison
from holonom.results.pages.notebook import Inline
from holonom.results.run import Run
from holonom.results.views.body import MarkerView, PartView
from holonom.results.views.contact import ContactView
from holonom.results.views.flexible import FlexibleView
from holonom.results.views.grains import GrainsView
from holonom.results.views.joint import JointView, MotionView, PairView, SpringView
from holonom.results.views.mesh import MeshView
from holonom.results.views.part_loads import PartLoads
from holonom.results.views.reactions import Reactions
from holonom.results.views.rod import RodView
from holonom.results.views.surface import SurfaceView

class RunMethods:
    """Methods of the register."""

    def animate(self, path: str | Path | None = None, *, height: int = 520, **options: Any) -> Path | Inline:
        """Write a 3D animation as an HTML page (`write_animation` lists the options). Without a path it is
        shown in the notebook, ``height`` pixels high."""

    def audit(self) -> Audit:
        """Audit each dynamic analysis of ``run``.  NaN energies count as not recorded."""

    def clearance(self, part_a: Any, part_b: Any, *, refine: bool = True, faceting: float | None = None) -> Clearance:
        """Minimum distance between two parts over a run, from their shapes (GRAPHICS), when and where."""

    def compare(self, run_b: Run, quantities: Any = None, *, times: Any = None) -> Comparison:
        """Curve by curve differences of ``run_b`` from ``run_a`` where both are recorded."""

    def constraint(self, reference: Any) -> PairView:
        """Reaction of any constraint; give ``"COUPLER/1"`` where an id alone is ambiguous."""

    def contact(self, reference: Any) -> ContactView:
        """Force, point, depth of a contact, all its shapes together."""

    def contacts_of(self, group: str) -> list[ContactView]:
        """Contacts of a group (see `Model.contact_each`), in the order of the model; empty where no contact
        has it."""

    def curve(self, name: str) -> xr.DataArray:
        """The history of a quantity, dims (time, component), or of one component of it, dims (time), by its
        name in tables and comparisons: ``"ROTOR.position"``, ``"HINGE.force.x"``, ``"energy.kinetic"``.
        Raises ModelError for a name that the run does not have."""

    def difference(self, other: Run, name: str) -> xr.DataArray:
        """The curve ``name`` of ``run`` minus that of ``other``, in the units of ``run``, at its output times
        within the time range of ``other``."""

    def export_csv(self, folder: Any) -> list[Path]:
        """Write one table per part, constraint, force, contact and request, and one each for all variables,
        states, energies and impacts."""

    def export_gltf(
        self, path: str | Path, *, max_frames: int = 600, speed: float = 1.0, folder: str | Path | None = None
    ) -> Path:
        """Write the bodies of ``run`` and their motion to the GLB file ``path`` and return it."""

    def flexible(self, reference: Any = None, *, residual: bool = True) -> FlexibleView:
        """Modes, displacements, stresses and loads of a flexible body, by the part or its FLEXIBILITY; the
        name may be omitted if the model has only one."""

    def force(self, reference: Any) -> PairView:
        """Force and torque of an applied force; give ``"BUSHING/1"`` where an id alone is ambiguous."""

    def grains(self, reference: Any = None) -> GrainsView:
        """Positions, velocities and statistics of GRAINS; the name may be omitted if the model has only
        one."""

    def joint(self, reference: Any) -> JointView:
        """Angle, travel, their rates, and reaction of a joint (or any constraint: see `constraint`); an id is
        that of a JOINT."""

    def marker(self, reference: Any) -> MarkerView:
        """Motion of any marker of the model, from its body's record."""

    def mesh(self, reference: Any = None) -> MeshView:
        """Axis, forces in sections and strain energy of a mesh in absolute coordinates (a cable); the name
        may be omitted if the model has only one."""

    def momentum_audit(self) -> MomentumAudit:
        """Audit the momentum of each dynamic analysis of ``run``: for models with contacts, when works are
        integrated."""

    def motion(self, reference: Any) -> MotionView:
        """Driven coordinate of a motion (`value`, `rate`), its force and torque, and its power; an id is that
        of a MOTION."""

    def movie(
        self,
        path: str | Path,
        *,
        fps: float = 20.0,
        speed: float = 1.0,
        size: tuple[int, int] = ...,
        azimuth: float = -52.0,
        elevation: float = 24.0,
        dark: bool = False,
        arrows: str = "",
        folder: str | Path | None = None,
    ) -> Path:
        """Write the motion of the bodies of ``run`` as a film to ``path`` (.gif or .mp4) and return it."""

    def named(self, reference: Any) -> Any:
        """Results of one element of any type, by its name, ``"KIND/id"`` or the element; of a marker; of a
        state by its label; or one history by its full name (`curve`)."""

    def part(self, reference: Any) -> PartView:
        """Motion of a part or point mass (or of ground, recorded or not)."""

    def part_loads(self, part: Any, axes: Any = "part", *, strict: bool = True) -> PartLoads:
        """Histories of all forces and moments on a rigid part at its hardpoints."""

    def plot(self, folder: Any, *, dpi: int = 130) -> list[Path]:
        """Write the standard figures (those that have something to show) as PNG files; returns their
        paths."""

    def reactions(self, *, forces: bool = False, contacts: bool = False) -> Reactions:
        """Loads of joints, motions and other constraints on their I markers; ``forces`` adds those of applied
        forces, ``contacts`` those of contacts on their I sides, with the point of application of the largest
        force. Elements that act on several markers (couplers, gears, general constraints) have a row for each
        additional marker, "NAME on MARKER"."""

    def report(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        animation: bool = True,
        max_frames: int = 600,
        renderer: str = "auto",
        folder: str | Path | None = None,
        more: Mapping[str, Any] | None = None,
        others: Mapping[str, Any] | Sequence[Any] | None = None,
        label: str = "",
        colors: str = "",
        arrows: str = "",
        follow: str = "",
    ) -> Path:
        """Write the report of ``run`` (`holonom.results.Run`) to the HTML file ``path`` and return it."""

    def request(self, reference: Any) -> xr.DataArray:
        """Components of a request, dims (time, component); the unit of each is in the coordinate
        ``units``."""

    def request_components(self, reference: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Eight names and eight unit texts of a request's components (CNAMES, CUNITS, CTYPES where the model
        gives them)."""

    def rod(self, reference: Any = None) -> RodView:
        """Axis, forces and moments in sections, and stresses of a rod (`flexible.rod`); the name may be
        omitted if the model has only one."""

    def save(self, path: Any) -> None:
        """Write a run to ``path``; the file is written completely or not at all. `load` restores all numbers
        bit by bit."""

    def sink(self, reference: Any) -> xr.Dataset:
        """Number of ``grains`` that a SINK has removed since the start, and their ``mass``, dims (time)."""

    def spring(self, reference: Any) -> SpringView:
        """Length or angle, its rate and its force, of a spring-damper; an id is that of a SPRINGDAMPER."""

    def state(self, label: str) -> xr.DataArray:
        """One state by its label (``"DIFF_1"``, ``"LSE_2[0]"``), dims (time); or all of one element, dims
        (time, state)."""

    def state_of(self, switch: Any) -> np.ndarray:
        """State of a SWITCH (name, id or element) at each output time (nt,); where a time repeats, before and
        after the change."""

    def surface(self, reference: Any) -> SurfaceView:
        """Forces and pressures at the nodes of a SURFACE_CONTACT, by the element, its name or id.  Raises
        `ModelError` where there is none."""

    def to_dataframe(self) -> pd.DataFrame:
        """A table with a row for each output time (index ``time``) and a column for each number:
        ``rod.position.x``, ``pin.force.z``, ``pin.angle``, ``energy.kinetic``, ...; units are in
        ``attrs["units"]`` by column.  Arrays of grains and contact points are not in it (`to_xarray`)."""

    def to_xarray(self) -> xr.Dataset:
        """Everything in one Dataset, dims time, body, axis, quaternion, constraint, force, contact, request,
        request_component, variable, state; element names are coordinates (with ``*_kind`` and ``*_id`` next
        to them). Quantities that the run does not have are omitted."""

    def variable(self, reference: Any) -> xr.DataArray:
        """Value of a VARIABLE, dims (time)."""

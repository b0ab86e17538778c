"""Builder methods that registers put into `Model`.  Written by tools/stubs.py: do not edit."""

from __future__ import annotations

from typing import Any

from holonom.contact.surfaces.surface_contact import SurfaceContact
from holonom.elements.forces.burgers_damper import BurgersDamper
from holonom.elements.forces.exact_beam import ExactBeam
from holonom.elements.forces.hydraulic_cylinder import HydraulicCylinder
from holonom.elements.forces.hysteretic_spring import HystereticSpring
from holonom.elements.forces.maxwell_damper import MaxwellDamper
from holonom.elements.forces.modal_damping import ModalDamping
from holonom.elements.forces.nforce import NForce
from holonom.elements.forces.pneumatic_cylinder import PneumaticCylinder
from holonom.elements.forces.power_damper import PowerDamper
from holonom.elements.forces.rails.track import RailTrack
from holonom.elements.forces.rails.wheel_rail import WheelRail
from holonom.elements.forces.tyres.brush import BrushTyre
from holonom.elements.forces.tyres.fiala import FialaTyre
from holonom.elements.forces.tyres.mf6 import Mf6Tyre
from holonom.elements.forces.tyres.pac89 import Pac89Tyre
from holonom.elements.forces.tyres.pac2002 import Pac2002Tyre
from holonom.elements.forces.tyres.tmeasy import TmeasyTyre
from holonom.elements.forces.tyres.ua import UaTyre
from holonom.elements.forces.tyres.user import UserTyre
from holonom.elements.roads.road import Road
from holonom.model.forces import MForce
from holonom.model.outputs import Graphic

class Kinds:
    """Methods of types of elements."""

    def burgers_damper(
        self,
        i: Any,
        j: Any,
        *,
        maxwell_stiffness: float,
        maxwell_damping: float,
        kelvin_stiffness: float,
        kelvin_damping: float,
        force: float = 0.0,
        length: float | None = None,
        name: str = "",
        id: int = 0,
    ) -> BurgersDamper:
        """Four-parameter viscoelastic damper from marker ``j`` to marker ``i``: Maxwell's spring and damper
        in series with Kelvin's."""

    def exact_beam(
        self,
        i: Any,
        j: Any,
        *,
        EA: float,
        GJ: float,
        EIy: float,
        EIz: float,
        GAy: float = 0.0,
        GAz: float = 0.0,
        length: float | None = None,
        damping: float = 0.0,
        straight: bool = False,
        name: str = "",
        id: int = 0,
    ) -> ExactBeam:
        """Geometrically exact beam from marker ``j`` to marker ``i`` (x axes along it, y and z the principal
        axes of the section): any rotations, with stretch, shear, bending and torsion;
        `holonom.elements.forces.exact_beam` has the equations, `holonom.flexible.rod` makes a whole rod of
        them."""

    def height_field(
        self,
        body: Any,
        heights: Any,
        spacing: Any,
        at: Any = ...,
        x: Any = None,
        z: Any = None,
        thickness: float = 0.0,
        two_sided: bool = False,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Ground of ``heights`` (rows along x, columns along y) over a uniform grid centred at ``at``."""

    def hydraulic_cylinder(
        self,
        i: Any,
        j: Any,
        *,
        area_a: float,
        area_b: float,
        stroke: float,
        bulk: float,
        length: float | None = None,
        dead_a: float | None = None,
        dead_b: float | None = None,
        leakage: float = 0.0,
        viscous: float = 0.0,
        valve: float = 0.0,
        bypass: float = 0.0,
        supply: float = 0.0,
        tank: float = 0.0,
        opening: Any = 0.0,
        laminar: float | None = None,
        stop_stiffness: float | None = None,
        pressure_a: float = 0.0,
        pressure_b: float = 0.0,
        name: str = "",
        id: int = 0,
    ) -> HydraulicCylinder:
        """Double-acting hydraulic cylinder from marker ``j`` (barrel) to marker ``i`` (rod) with a four-way
        valve; `holonom.elements.forces.hydraulic_cylinder` has the equations."""

    def hysteretic_spring(
        self,
        i: Any,
        j: Any,
        *,
        stiffness: float,
        yield_force: float,
        hardening: float = 0.0,
        knee: float = 2.0,
        beta: float = 0.5,
        force: float = 0.0,
        length: float | None = None,
        name: str = "",
        id: int = 0,
    ) -> HystereticSpring:
        """Spring that yields (Bouc and Wen), from marker ``j`` to marker ``i``: steel dampers, friction
        dampers, braces that flow."""

    def maxwell_damper(
        self,
        i: Any,
        j: Any,
        *,
        stiffness: float = 0.0,
        series_stiffness: float,
        damping: float,
        force: float = 0.0,
        length: float | None = None,
        stretch: float | None = None,
        name: str = "",
        id: int = 0,
    ) -> MaxwellDamper:
        """Spring next to a spring and a damper in series, from marker ``j`` to marker ``i``:  f = force - k e
        - k_s (e - s), c s' = k_s (e - s)."""

    def modal_damping(self, parts: Any, matrix: Any, *, name: str = "", id: int = 0) -> ModalDamping:
        """Viscous damping between the modes of flexible bodies: Q = -D q'."""

    def modal_force(
        self,
        part: Any,
        scale: Any = "1",
        *,
        load: Any = None,
        nodes: Any = None,
        pressure: Any = None,
        acceleration: Any = None,
        case: int | None = None,
        reaction: Any = None,
        name: str = "",
        id: int = 0,
    ) -> MForce:
        """A distribution of forces on a flexible body, times ``scale``, an expression of time and states; it
        turns with the part.  Give one of"""

    def nforce(
        self,
        imarkers: Any,
        j: Any,
        *,
        stiffness: Any = None,
        compliance: Any = None,
        damping: Any = None,
        cratio: float | None = None,
        force: Any = None,
        length: Any = None,
        name: str = "",
        id: int = 0,
    ) -> NForce:
        """Linear springs and dampers between several markers ``imarkers`` and one marker ``j``:  (F, T) = -K
        (e - length) - C u + force in the axes of ``j``, e and u the displacements (x, y, z, AX, AY, AZ) and
        velocities of all markers in ``j``, one after the other."""

    def pneumatic_cylinder(
        self,
        i: Any,
        j: Any,
        *,
        area_a: float,
        area_b: float,
        stroke: float,
        supply: float,
        conductance: float,
        critical: float = 0.3,
        opening: Any = 0.0,
        length: float | None = None,
        dead_a: float | None = None,
        dead_b: float | None = None,
        ambient: float | None = None,
        temperature: float = 293.15,
        leakage: float = 0.0,
        gamma: float = 1.4,
        wall: float = 0.0,
        viscous: float = 0.0,
        stop_stiffness: float | None = None,
        pressure_a: float | None = None,
        pressure_b: float | None = None,
        name: str = "",
        id: int = 0,
    ) -> PneumaticCylinder:
        """Double-acting pneumatic cylinder from marker ``j`` (barrel) to marker ``i`` (rod) with a five-way
        valve; `holonom.elements.forces.pneumatic_cylinder` has the equations."""

    def power_damper(
        self,
        i: Any,
        j: Any,
        *,
        damping: float,
        exponent: float = 1.0,
        stiffness: float = 0.0,
        force: float = 0.0,
        length: float | None = None,
        slow: float | None = None,
        name: str = "",
        id: int = 0,
    ) -> PowerDamper:
        """Fluid viscous damper from marker ``j`` to marker ``i``:  f = force - k e - c |v|^exponent sign(v),
        smooth below the speed ``slow``."""

    def rail_track(
        self,
        marker: Any = None,
        *,
        rail: Any,
        gauge: float | None = None,
        gauge_depth: float | None = None,
        inclination: float = 0.025,
        spread: float | None = None,
        sections: Any = (),
        irregularities: Any = (),
        spacing: float = 0.0,
        first: float = 0.0,
        name: str = "",
        id: int = 0,
    ) -> RailTrack:
        """Two rails along a line that starts at ``marker`` (z up, x along the track; by default a new one at
        the origin of ground)."""

    def road(
        self,
        shape: str = "FLAT",
        marker: Any = None,
        *,
        mu: float = 1.0,
        patches: Any = (),
        edge: float = 0.0,
        belt: float = 0.0,
        interpolation: str = "LINEAR",
        file: str = "",
        name: str = "",
        id: int = 0,
        **sizes: Any,
    ) -> Road:
        """A road for tyres over the plane of ``marker`` (z up, x along the road; by default a new one at the
        origin of ground): `holonom.elements.roads.road` lists the shapes and what each takes."""

    def rounded_box(
        self,
        body: Any,
        at: Any,
        size: Any,
        radius: float,
        x: Any = None,
        z: Any = None,
        name: str = "",
        *,
        color: str = "",
        group: str = "",
        element: str = "",
    ) -> Graphic:
        """Box of edges ``size`` centred at ``at``, its edges and corners rounded by ``radius``; ``x``, ``z``:
        directions of its first and third edge."""

    def surface_contact(
        self,
        part: Any,
        onto: Any,
        *,
        region: Any = None,
        onto_region: Any = None,
        way: str = "node-to-surface",
        divisions: Any = None,
        stiffness: Any = None,
        exponent: Any = 1.0,
        damping: Any = 0.0,
        mu: Any = 0.0,
        transition: Any = None,
        overlap: Any = None,
        two_way: bool = True,
        name: str = "",
        id: int = 0,
    ) -> SurfaceContact:
        """The surface of a flexible body touches ``onto``: shapes on one body (a graphic, a body with shapes,
        a name, a list), or another flexible body."""

    def tyre_brush(
        self,
        i: Any,
        j: Any,
        *,
        radius: float,
        stiffness: float,
        slip_stiffness: float,
        load: float,
        half_length: float,
        mu: float,
        fall: float = 0.0,
        camber: float = 0.0,
        damping: float = 0.0,
        rolling_resistance: float = 0.0,
        relax_x: float | None = None,
        relax_y: float | None = None,
        slow: float | None = None,
        load_curve: Any = (),
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> BrushTyre:
        """The brush model on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the
        left of forward travel) on ``j``, a road or a marker of a flat one (z axis up);
        `holonom.elements.forces.tyres.brush` has the equations."""

    def tyre_fiala(
        self,
        i: Any,
        j: Any,
        *,
        radius: float,
        stiffness: float,
        cslip: float,
        calpha: float,
        umax: float,
        umin: float | None = None,
        damping: float = 0.0,
        width: float = 0.0,
        rolling_resistance: float = 0.0,
        relax_x: float | None = None,
        relax_y: float | None = None,
        slow: float | None = None,
        load_curve: Any = (),
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> FialaTyre:
        """Fiala's tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the
        left of forward travel) and the flat road of marker ``j`` (z axis up);
        `holonom.elements.forces.tyres.fiala` has the equations."""

    def tyre_mf6(
        self,
        i: Any,
        j: Any,
        coefficients: dict,
        *,
        mode: int = 4,
        mirror: bool = False,
        mu: float = 1.0,
        pressure: float = 0.0,
        ellipse: bool = False,
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> Mf6Tyre:
        """Tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of
        forward travel) on ``j``, a road or a marker of a flat one (z axis up), by the Magic Formula of MF-
        Tyre 6.1 and 6.2; `holonom.elements.forces.tyres.mf6` has the equations."""

    def tyre_pac2002(
        self,
        i: Any,
        j: Any,
        coefficients: dict,
        *,
        mode: int = 4,
        mirror: bool = False,
        mu: float = 1.0,
        load_curve: Any = (),
        bottoming: Any = (),
        ellipse: bool = False,
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> Pac2002Tyre:
        """Tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of
        forward travel) on the flat road of marker ``j`` (z axis up), by Pacejka's Magic Formula of 2002 with
        combined slip and relaxation; `holonom.elements.forces.tyres.pac2002` has the equations."""

    def tyre_pac89(
        self,
        i: Any,
        j: Any,
        coefficients: dict,
        *,
        radius: float,
        stiffness: float,
        mode: int = 4,
        mirror: bool = False,
        mu: float = 1.0,
        lateral_stiffness: float = 0.0,
        damping: float = 0.0,
        rolling_resistance: float = 0.0,
        relax_x: float | None = None,
        relax_y: float | None = None,
        slow: float | None = None,
        load_curve: Any = (),
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> Pac89Tyre:
        """The Magic Formula of 1989 on the wheel of marker ``i`` (origin its centre, y axis along the spin
        axis, to the left of forward travel) on ``j``, a road or a marker of a flat one (z axis up);
        `holonom.elements.forces.tyres.pac89` has the equations."""

    def tyre_tmeasy(
        self,
        i: Any,
        j: Any,
        *,
        radius: float,
        width: float,
        load: float,
        stiffness: float,
        cx: float,
        cy: float,
        dx: float,
        dy: float,
        first: dict,
        second: dict,
        stiffness_2: float | None = None,
        damping: float = 0.0,
        friction: float = 1.0,
        slow: float | None = None,
        mu: float = 1.0,
        mirror: bool = False,
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> TmeasyTyre:
        """TMeasy on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of
        forward travel) on ``j``, a road or a marker of a flat one (z axis up);
        `holonom.elements.forces.tyres.tmeasy` has the equations."""

    def tyre_ua(
        self,
        i: Any,
        j: Any,
        *,
        radius: float,
        stiffness: float,
        cslip: float,
        calpha: float,
        umax: float,
        umin: float | None = None,
        cgamma: float = 0.0,
        damping: float = 0.0,
        rolling_resistance: float = 0.0,
        relax_x: float | None = None,
        relax_y: float | None = None,
        slow: float | None = None,
        load_curve: Any = (),
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> UaTyre:
        """The tyre of the University of Arizona on the wheel of marker ``i`` (origin its centre, y axis along
        the spin axis, to the left of forward travel) on ``j``, a road or a marker of a flat one (z axis up);
        `holonom.elements.forces.tyres.ua` has the equations."""

    def tyre_user(
        self,
        i: Any,
        j: Any,
        function: Any,
        *,
        radius: float,
        stiffness: float,
        slip_stiffness_x: float,
        slip_stiffness_y: float,
        coefficients: Any = (),
        damping: float = 0.0,
        rolling_resistance: float = 0.0,
        relax_x: float | None = None,
        relax_y: float | None = None,
        slow: float | None = None,
        share: float = 1.0,
        load_curve: Any = (),
        contact: str = "POINT",
        footprint: Any = None,
        name: str = "",
        id: int = 0,
    ) -> UserTyre:
        """A tyre of your own on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to
        the left of forward travel) on ``j``, a road or a marker of a flat one (z axis up): ``function(c, fz,
        kappa, tana, gamma, vx, omega, psi, mu)`` gives F_x, F_y, M_x, M_y, M_z;
        `holonom.elements.forces.tyres.user` states how it is written."""

    def wheel_rail(
        self,
        i: Any,
        track: Any,
        *,
        side: str,
        radius: float,
        profile: Any,
        law: str = "POLACH",
        mu: float = 0.3,
        mu_share: float = 1.0,
        mu_rate: float = 0.0,
        young: float | None = None,
        poisson: float = 0.27,
        damping: float | None = None,
        slow: float | None = None,
        smoothing: float | None = None,
        flange_angle: float = 0.6981317007977318,
        reduction: Any = ...,
        elements: int = 10,
        samples: float | None = None,
        coefficients: Any = (),
        name: str = "",
        id: int = 0,
    ) -> WheelRail:
        """The wheel of marker ``i`` (origin its centre, y axis along the axle, to the left of forward travel)
        on the LEFT or RIGHT rail of ``track`` (`rail_track`); `holonom.elements.forces.rails` has the
        equations."""

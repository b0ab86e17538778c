"""Machine elements: functions that build models from engineering parameters."""

from .bearings import JournalBearing, RollingBearing, hertz_ball, table_bearing
from .belt import belt_drive
from .belt_theory import belt_capacity, elastic_creep, polygon_effect, timing_belt, wedged_friction
from .brakes import BandBrake, DiscBrake, DrumBrake, add_brake, braking_rig, braking_study, pad_on_disc, stopping
from .cams import CamProgram, separation_speed, valve_train
from .chain import chain_drive
from .chain_study import chain_study
from .clutches import DiscClutch, clutch_rig, engagement, groan_speed
from .disc_brake import FadingStop, FloatingCaliper, SquealModel, disc_brake_assembly
from .drum import rope_on_drum, tension_ratio
from .gear_mesh import GearPair, MeshTable
from .gear_train import add_mesh, bevel_pair, gear_pair, order_spectrum, planetary_set, two_stage_gearbox, willis
from .gears import helical_gears
from .hanging_rope import HangingRope, rope_study
from .power_flow import planetary_efficiency, planetary_study
from .reeving import Sheave, laid_rope, reeving
from .rope import rope_over_pulley
from .studies import ball_study, gear_study
from .track import tracked_side

__all__ = [
    "BandBrake", "CamProgram", "DiscBrake", "DiscClutch", "DrumBrake", "FadingStop", "FloatingCaliper", "GearPair",
    "HangingRope", "JournalBearing",
    "MeshTable", "RollingBearing",
    "Sheave", "SquealModel", "add_brake", "add_mesh", "ball_study", "belt_capacity", "belt_drive", "bevel_pair",
    "braking_rig",
    "braking_study", "chain_drive",
    "chain_study", "clutch_rig", "disc_brake_assembly", "elastic_creep", "engagement", "gear_pair", "gear_study",
    "groan_speed",
    "helical_gears", "hertz_ball",
    "laid_rope", "order_spectrum", "pad_on_disc", "planetary_efficiency", "planetary_set", "planetary_study",
    "polygon_effect", "reeving", "rope_on_drum",
    "rope_over_pulley", "rope_study", "separation_speed", "stopping", "table_bearing", "tension_ratio", "timing_belt",
    "tracked_side",
    "two_stage_gearbox", "valve_train", "wedged_friction", "willis",
]  # fmt: skip

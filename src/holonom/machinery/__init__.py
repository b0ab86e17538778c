"""Toolkit of machines: functions that build Models from engineers' parameters."""

from .bearings import JournalBearing, RollingBearing, hertz_ball, table_bearing
from .belt import belt_drive
from .brakes import BandBrake, DiscBrake, DrumBrake, add_brake, braking_rig, braking_study, pad_on_disc, stopping
from .cams import CamProgram, separation_speed, valve_train
from .chain import chain_drive
from .drum import rope_on_drum, tension_ratio
from .gear_mesh import GearPair, MeshTable
from .gear_train import add_mesh, bevel_pair, gear_pair, order_spectrum, planetary_set, two_stage_gearbox, willis
from .gears import helical_gears
from .hanging_rope import HangingRope, rope_study
from .rope import rope_over_pulley
from .studies import ball_study, gear_study
from .track import tracked_side

__all__ = [
    "BandBrake", "CamProgram", "DiscBrake", "DrumBrake", "GearPair", "HangingRope", "JournalBearing", "MeshTable", "RollingBearing", "add_brake",
    "add_mesh", "ball_study", "belt_drive", "bevel_pair", "braking_rig", "braking_study", "chain_drive", "gear_pair", "gear_study", "helical_gears",
    "hertz_ball", "order_spectrum", "pad_on_disc", "planetary_set", "rope_on_drum", "rope_over_pulley", "rope_study", "separation_speed", "stopping",
    "table_bearing", "tension_ratio", "tracked_side", "two_stage_gearbox", "valve_train", "willis",
]  # fmt: skip

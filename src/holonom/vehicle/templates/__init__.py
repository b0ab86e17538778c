"""Templates of axles: hardpoints and one short function each.  `holonom.vehicle.axle.register` takes further ones."""

from . import arm_and_links, double_wishbone, five_link, leaf_axle, mcpherson, trailing_arm, twist_beam

__all__ = ["arm_and_links", "double_wishbone", "five_link", "leaf_axle", "mcpherson", "trailing_arm", "twist_beam"]

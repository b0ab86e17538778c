"""Settings of an MJCF file: <compiler> and <option>, and poses, which depend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ....model import ModelError
from ....model.base import shown
from ....model.orientation import Frame, from_quaternion, turned
from ....model.xml_tree import Node
from .source import euler_axes

AUTO = ("true", "false", "auto")
#: flags of <option> that switch a part of the equations off
FLAGS = ("gravity", "contact", "limit", "frictionloss", "equality", "spring", "damper", "actuation", "clampctrl",
    "constraint")  # fmt: skip


@dataclass
class Settings:
    """What <compiler> and <option> give."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertia: str = "auto"
    groups: tuple[float, ...] = (0.0, 5.0)
    meshdir: str = ""
    strippath: bool = False
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    off: set[str] = field(default_factory=set)
    fluids: list[str] = field(default_factory=list)

    @staticmethod
    def of(tree: Node) -> Settings:
        """Raises `ModelError` for words that are not known."""
        s = Settings()
        for node in tree.all("compiler"):
            s.degrees = node.choice("angle", ("degree", "radian"), "degree" if s.degrees else "radian") == "degree"
            s.eulerseq = node.get("eulerseq") or s.eulerseq
            if len(s.eulerseq) != 3 or set(s.eulerseq.lower()) - set("xyz"):
                raise ModelError(f"{node.where}: eulerseq is {shown(s.eulerseq)}; give three of x, y, z, X, Y, Z")
            s.autolimits = node.flag("autolimits", s.autolimits)
            s.inertia = node.choice("inertiafromgeom", AUTO, s.inertia)
            s.groups = node.numbers("inertiagrouprange", 2, (s.groups[0], s.groups[1]))
            s.meshdir = node.get("meshdir") or node.get("assetdir") or s.meshdir
            s.strippath = node.flag("strippath", s.strippath)
            s.balance = node.flag("balanceinertia", s.balance)
            s.least_mass = node.number("boundmass", s.least_mass)
            s.least_inertia = node.number("boundinertia", s.least_inertia)
            s.total_mass = node.number("settotalmass", s.total_mass)
            if node.choice("coordinate", ("local", "global"), "local") == "global":
                raise ModelError(f"{node.where}: coordinate is 'global', which MuJoCo no longer reads; convert it")
        for node in tree.all("option"):
            s.gravity = node.numbers("gravity", 3, (s.gravity[0], s.gravity[1], s.gravity[2]))
            s.fluids += [word for word in ("density", "viscosity") if node.number(word, 0.0) > 0.0]
            for flags in node.all("flag"):
                for word in FLAGS:
                    if flags.choice(word, ("enable", "disable"), "enable") == "disable":
                        s.off.add(word)
        if "constraint" in s.off:
            s.off |= {"contact", "limit", "frictionloss", "equality"}
        return s

    def angle(self, value: float) -> float:
        return math.radians(value) if self.degrees else value

    def axes(self, node: Node) -> np.ndarray | None:
        """Rotation of an element (3, 3), or None where it gives none."""
        if node.get("quat") is not None:
            q = node.numbers("quat", 4)
            if not any(q):
                raise ModelError(f"{node.where}: quat of <{node.tag}> is zero; give a quaternion that is not")
            return from_quaternion(q)
        if node.get("axisangle") is not None:
            *axis, angle = node.numbers("axisangle", 4)
            return turned(_unit(np.array(axis), node, "axisangle"), self.angle(angle))
        if node.get("euler") is not None:
            return euler_axes(tuple(self.angle(a) for a in node.numbers("euler", 3)), self.eulerseq)
        if node.get("xyaxes") is not None:
            six = np.array(node.numbers("xyaxes", 6))
            x = _unit(six[:3], node, "xyaxes")
            y = _unit(six[3:] - x * (x @ six[3:]), node, "xyaxes")
            return np.column_stack((x, y, np.cross(x, y)))
        if node.get("zaxis") is not None:
            return turned_to(_unit(np.array(node.numbers("zaxis", 3)), node, "zaxis"))
        return None

    def pose(self, node: Node) -> Frame:
        """Position and rotation of an element in its parent."""
        axes = self.axes(node)
        return Frame(np.array(node.numbers("pos", 3, (0.0, 0.0, 0.0))), np.eye(3) if axes is None else axes)


def _unit(v: np.ndarray, node: Node, name: str) -> np.ndarray:
    size = float(np.linalg.norm(v))
    if not size > 1e-10:
        raise ModelError(f"{node.where}: {name} of <{node.tag}> gives no direction; give a vector that is not zero")
    return v / size


def turned_to(z: np.ndarray) -> np.ndarray:
    """The smallest rotation that turns the z axis into a unit vector."""
    axis = np.array([-z[1], z[0], 0.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-10:
        return np.eye(3) if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return turned(axis / sine, math.atan2(sine, float(z[2])))
